"""What a coin brings back in the long run, from reset to reset of the meter.

In balance nothing is lost: the shares of coins, and the reset that the house puts on at each royal, leave
the meter and the reserve as prizes, whatever the percentages are and however prizes are rounded. Exact:

* fixed prizes of the house, on top of what the meter pays, without `meter_limit` and `royal_minimum`;
* both of these where the meter has no other percentage than all of it for a royal, and no reserve. Then
  it has grown from `reset` by the shares of a geometric number of coins, up to the limit. (Where a share
  is no whole number of cents, a part of one cent stays behind at each royal, and is not followed there.)

Otherwise the figure is that of the balance, `least` and `most` are proved bounds, and a sentence says so.
Fixed prizes that come out of the meter never take it below `reset`, and there the house pays them: how
much that is depends on the whole path of the meter. A straight flush that the house pays while it is a
percentage of the meter (the meter stays) is no option of HOUSE_RULES.md and is not reckoned.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Final

import msgspec

from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.engine.values import WHOLE_PPM
from table_controller.odds.decimals import percent_text
from table_controller.odds.hand_counts import FIVE, hands_by_kind

_ONE: Final = 10**60
"""A probability of one, where powers of some hundred thousand coins are too long to be kept as fractions."""

_SHOWN: Final = 10**6
"""Bounds are said in ten-thousandths of a percent."""


class LongRun(msgspec.Struct, frozen=True, kw_only=True):
    """Per coin, for one bettor alone. `return_per_coin` is exact where `least` and `most` are the same.

    `mean_meter_cents`: where the meter stands on average when a hand is dealt, and when it is won; by the
    same balance, and never below `reset` (as `engine.house_rules.long_run_mean_cents`, which knows no limit).
    """

    return_per_coin: Fraction
    least: Fraction
    most: Fraction
    mean_meter_cents: Fraction
    not_in_the_figure: tuple[str, ...]


def long_run(rules: HouseRules) -> LongRun:
    """The long run of a house that offers the progressive; `ValueError` where it offers none."""
    if not rules.has_progressive:
        raise ValueError("the house offers no progressive")
    flow = _Flow(rules)
    coin_cents = rules.coin_value_cents
    known = flow.balance_cents - flow.overflow_cents + flow.lifted_cents
    least, most = flow.bounds_cents(known)
    return LongRun(
        return_per_coin=max(known, least) / coin_cents,
        least=least / coin_cents,
        most=most / coin_cents,
        mean_meter_cents=flow.mean_meter_cents,
        not_in_the_figure=tuple(flow.left_out(least / coin_cents, most / coin_cents)),
    )


class _Flow:
    """What one coin moves on average, in cents."""

    def __init__(self, rules: HouseRules) -> None:
        hands = hands_by_kind(FIVE)
        whole = sum(hands.values())
        lines = [(Fraction(hands[kind], whole), rules.prize(kind)) for kind in reversed(Category)]
        prizes = [(chance, prize) for chance, prize in lines if prize is not None]
        self._rules = rules
        self.royal = Fraction(hands[Category.ROYAL_FLUSH], whole)
        self._fixed = [(chance, prize.cents) for chance, prize in prizes if prize.cents]
        self._royal_ppm = prizes[0][1].ppm
        self._percent = sum((chance * prize.ppm for chance, prize in prizes), Fraction(0)) / WHOLE_PPM
        self._only_royal = self._percent == self.royal * self._royal_ppm / WHOLE_PPM
        self._from_meter = rules.fixed_awards_from == "meter" and bool(self._fixed)
        self.fixed_cents = sum((chance * cents for chance, cents in self._fixed), Fraction(0))
        self.share_cents = Fraction(rules.coin_value_cents * rules.meter_share_ppm, WHOLE_PPM)
        self.reserve_cents = Fraction(rules.coin_value_cents * rules.reserve_share_ppm, WHOLE_PPM)
        # The meter begins at `reset`, is paid whole, and nothing but coins moves it in between.
        self._simple = (
            self._only_royal
            and self._royal_ppm == WHOLE_PPM
            and not self.reserve_cents
            and not self._from_meter
        )
        # Fixed prizes stop at `reset`, so a royal never finds less.
        always_more = self._only_royal and rules.royal_minimum_cents <= prizes[0][1].of(rules.reset_cents)
        self._limited = rules.meter_limit_cents > 0 and self.share_cents > 0
        self._lifted = rules.royal_minimum_cents > 0 and not always_more

    @property
    def _brought_cents(self) -> Fraction:
        return self.share_cents + self.reserve_cents + self.royal * self._rules.reset_cents

    @property
    def balance_cents(self) -> Fraction:
        """What coins and resets bring, and the fixed prizes of the house beside the meter."""
        return self._brought_cents + (0 if self._from_meter else self.fixed_cents)

    @property
    def overflow_cents(self) -> Fraction:
        """What the limit keeps off the meter, where that is known."""
        return self.share_cents - self.royal * self._grown_cents() if self._simple else Fraction(0)

    @property
    def lifted_cents(self) -> Fraction:
        """What the house adds to royals below `royal_minimum`, where that is known."""
        if not (self._simple and self._lifted):
            return Fraction(0)
        short_cents = Fraction(self._rules.royal_minimum_cents - self._rules.reset_cents)
        return self.royal * (short_cents - self._grown_cents(short_cents))

    @property
    def mean_meter_cents(self) -> Fraction:
        """Where what is brought is what percentages take."""
        brought = self._brought_cents - self.overflow_cents - (self.fixed_cents if self._from_meter else 0)
        return max(Fraction(self._rules.reset_cents), brought / self._percent)

    def bounds_cents(self, known: Fraction) -> tuple[Fraction, Fraction]:
        """Between what the long run must lie."""
        least = most = known
        if self._limited and not self._simple:
            least -= self.share_cents
        if self._only_royal:
            least = max(
                least, self.fixed_cents + self.royal * self._royal_ppm * self._rules.reset_cents / WHOLE_PPM
            )
        if self._lifted and not self._simple:
            most += self.royal * self._rules.royal_minimum_cents
        if self._from_meter:
            most += self._added_at_most_cents()
        return least, most

    def _added_at_most_cents(self) -> Fraction:
        """What the house adds to fixed prizes from the meter: never more than all of them.

        What a meter that starts at `reset` has been short of, at the worst moment until a royal, is at
        most the largest excess of prizes over shares; its mean is that of a queue with regular arrivals
        (Kingman, Some inequalities for the queue GI/G/1, Biometrika 1962: the variance over twice the drift).
        """
        other = 1 - self.royal
        mean = self.fixed_cents / other
        drift = self.share_cents - mean
        if not self._only_royal or self._limited or drift <= 0:
            return self.fixed_cents
        squares = sum((chance * cents**2 for chance, cents in self._fixed), Fraction(0)) / other
        # Prizes take whole cents, so up to one cent more is added in all.
        worst_cents = (squares - mean**2) / (2 * drift) + 1
        return min(self.fixed_cents, self.royal * worst_cents)

    def _grown_cents(self, most_cents: Fraction | None = None) -> Fraction:
        """By how much coins have raised the meter when a royal comes, up to the limit and to `most_cents`.

        A coin drops while none before it was a royal. To forty decimals; exact without a bound.
        """
        bounds = [] if most_cents is None else [most_cents]
        if self._rules.meter_limit_cents:
            bounds.append(Fraction(self._rules.meter_limit_cents - self._rules.reset_cents))
        if not bounds or not self.share_cents:
            return self.share_cents / self.royal
        coins, rest_cents = divmod(min(bounds), self.share_cents)
        none_yet = _power(1 - self.royal, coins)
        return self.share_cents * (1 - none_yet) / self.royal + rest_cents * none_yet

    def left_out(self, least: Fraction, most: Fraction) -> Iterator[str]:
        """What is not in the figure, a sentence each, and between what the long run is."""
        rules = self._rules
        # Outwards, so that what is said is true.
        low, high = Fraction(floor(least * _SHOWN), _SHOWN), Fraction(ceil(most * _SHOWN), _SHOWN)
        between = f"the long run lies between {percent_text(low, 4)} and {percent_text(high, 4)}"
        if self._limited and not self._simple:
            limit = money_text(rules.meter_limit_cents)
            yield f"meter_limit: what {limit} keeps off the meter is not in the long run; {between}"
        if self._lifted and not self._simple:
            least_royal = money_text(rules.royal_minimum_cents)
            yield f"royal_minimum: what lifts royals to {least_royal} is not in the long run; {between}"
        if self._from_meter:
            yield (
                "fixed_awards_from: what the house adds to fixed prizes while the meter is near its reset"
                f" is not in the long run; {between}"
            )


def _power(chance: Fraction, times: int) -> Fraction:
    """The chance that something happens so many times in a row, by squaring, in sixty decimals."""
    power, square = _ONE, chance.numerator * _ONE // chance.denominator
    while times:
        if times & 1:
            power = power * square // _ONE
        square = square * square // _ONE
        times >>= 1
    return Fraction(power, _ONE)
