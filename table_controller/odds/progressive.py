"""The progressive: what a coin is worth at a meter, where it breaks even, and in the long run.

The player's five cards alone decide, so every one of the 2,598,960 hands is as likely. Figures are exact,
per coin, for one bettor alone; a prize is what is paid, the coin never comes back. The meter is that at
LOCK, with the share of this coin; percentages are of every part of a cent (at the table they are rounded
down to a cent). With several bettors the mean of a coin is the same however the royal is split, but for
rounds in which two awards meet: two royals share one meter and have one reset (`royal_chance`).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, perm, prod
from typing import Final

import msgspec

from table_controller.engine.cards import DECK, SUITS
from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.values import WHOLE_PPM, Prize
from table_controller.odds.decimals import decimal_text
from table_controller.odds.hand_counts import FIVE, hands_by_kind
from table_controller.odds.long_run import LongRun, long_run

UNIT_CENTS: Final = 100
MOST_BETTORS: Final = len(DECK) // FIVE - 1
"""More hands than these, and the dealer's, are not in a deck."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One hand with a prize: how many of all hands, and what it gives back per coin.

    `fixed_return` of an amount; `return_per_unit` for each 1.00 of the meter, of a percentage.
    """

    hand: str
    hands: int
    frequency: Fraction
    prize: Prize
    fixed_return: Fraction
    return_per_unit: Fraction


class Progressive(msgspec.Struct, frozen=True, kw_only=True):
    """What a coin is worth. `lines` from the royal downwards; shares are parts of a coin."""

    coin_cents: int
    total: int
    lines: tuple[Line, ...]
    meter_share: Fraction
    reserve_share: Fraction
    reset_cents: int
    royal_minimum_cents: int
    fixed_from_meter: bool
    run: LongRun
    not_in_the_figure: tuple[str, ...]

    @property
    def fixed_return(self) -> Fraction:
        """What comes back in prizes that are amounts."""
        return sum((line.fixed_return for line in self.lines), Fraction(0))

    @property
    def return_per_unit(self) -> Fraction:
        """What each 1.00 of the meter adds, where no `royal_minimum` is in force."""
        return sum((line.return_per_unit for line in self.lines), Fraction(0))

    @property
    def fixed_plus_share(self) -> Fraction:
        """Fixed prizes and what a coin puts on meter and reserve, without the house's reset and any limit.

        Where fixed prizes come out of the meter they are paid from that share and are not counted twice.
        """
        shares = self.meter_share + self.reserve_share
        return shares if self.fixed_from_meter else self.fixed_return + shares

    @property
    def long_run(self) -> Fraction:
        """What comes back in the long run with the house's resets (`run` says how exact that is)."""
        return self.run.return_per_coin

    @property
    def house_hold(self) -> Fraction:
        """What the house keeps of a coin in the long run."""
        return 1 - self.long_run

    @property
    def hit_frequency(self) -> Fraction:
        """How often a coin has a prize."""
        return sum((line.frequency for line in self.lines), Fraction(0))

    @property
    def coins_to_royal(self) -> Fraction:
        """How many coins are dropped until a royal comes, on average."""
        return 1 / self.lines[0].frequency

    def rounds_to_royal(self, bettors: int) -> Fraction:
        """How many rounds with so many coins each are played until one has a royal, on average.

        Raises `ValueError` for a number of bettors that no deck has cards for.
        """
        return 1 / royal_chance(bettors)

    def hours_to_royal(self, coins_per_hour: int) -> Fraction:
        """How many hours pass until a royal comes, on average. Raises `ValueError` below one coin."""
        if coins_per_hour < 1:
            raise ValueError(f"coins per hour: found {coins_per_hour}, allowed is at least 1")
        return self.coins_to_royal / coins_per_hour

    def seed_return(self, bettors: int = 1) -> Fraction:
        """What the house's resets bring per coin with so many coins a round; two royals have one reset."""
        return royal_chance(bettors) * self.reset_cents / (bettors * self.coin_cents)

    def return_at(self, meter_cents: Fraction | int) -> Fraction:
        """What comes back of a coin that plays for this meter."""
        royal = self.lines[0]
        of_meter = meter_cents * self.return_per_unit / UNIT_CENTS
        royal_cents = Fraction(meter_cents * royal.prize.ppm, WHOLE_PPM)
        lifted_cents = max(Fraction(0), self.royal_minimum_cents - royal_cents)
        return self.fixed_return + of_meter + royal.frequency * lifted_cents / self.coin_cents

    @property
    def break_even_cents(self) -> Fraction:
        """The least meter at which a coin gives back what it costs; nothing if it always does."""
        royal, others = self.lines[0], self.return_per_unit - self.lines[0].return_per_unit
        with_minimum = self.fixed_return + royal.frequency * self.royal_minimum_cents / self.coin_cents
        meters = [(1 - self.fixed_return) / self.return_per_unit]
        # The return is the larger of two lines: the royal's minimum, and its part of the meter.
        if with_minimum >= 1:
            meters.append(Fraction(0))
        elif others:
            meters.append((1 - with_minimum) / others)
        return max(Fraction(0), min(meters)) * UNIT_CENTS

    @property
    def break_even_text(self) -> str:
        """The break-even meter as an amount with six digits after the point."""
        return decimal_text(self.break_even_cents / UNIT_CENTS, 6)


def royal_chance(bettors: int) -> Fraction:
    """How often a round in which so many hands play has a royal, or several.

    A coin has the same chance in any company; rounds with two royals make rounds with one rarer. Raises
    `ValueError` for a number of hands that a deck has no cards for.
    """
    if not 1 <= bettors <= MOST_BETTORS:
        raise ValueError(f"bettors: found {bettors}, allowed is 1 to {MOST_BETTORS}")
    # Royals of certain suits at certain seats, with alternating sign, so that each round counts once.
    return sum(
        (
            Fraction(
                (-1) ** (royals + 1) * comb(len(SUITS), royals) * perm(bettors, royals),
                prod(comb(len(DECK) - FIVE * others, FIVE) for others in range(royals)),
            )
            for royals in range(1, len(SUITS) + 1)
        ),
        Fraction(0),
    )


def progressive(rules: HouseRules) -> Progressive | None:
    """The progressive of these house rules; nothing where the house offers none."""
    if not rules.has_progressive:
        return None
    hands = hands_by_kind(FIVE)
    total = sum(hands.values())
    run = long_run(rules)
    left_out = [
        *run.not_in_the_figure,
        "royal_split, royal_minimum, percent_base, straight_flush_first, settle_order, odd_cent:"
        " awards that meet in one round; the figures are those of one bettor alone",
    ]
    if not rules.fold_keeps_coin:
        left_out.append(
            "fold_keeps_coin: a fold loses the coin; the figures are those of a player who raises every hand"
            " that has a prize"
        )
    lines = []
    for kind in reversed(Category):
        prize = rules.prize(kind)
        if prize is not None:
            chance = Fraction(hands[kind], total)
            line = Line(
                hand=kind.label,
                hands=hands[kind],
                frequency=chance,
                prize=prize,
                fixed_return=chance * prize.cents / rules.coin_value_cents,
                return_per_unit=chance * prize.ppm * UNIT_CENTS / (WHOLE_PPM * rules.coin_value_cents),
            )
            lines.append(line)
    return Progressive(
        coin_cents=rules.coin_value_cents,
        total=total,
        lines=tuple(lines),
        meter_share=Fraction(rules.meter_share_ppm, WHOLE_PPM),
        reserve_share=Fraction(rules.reserve_share_ppm, WHOLE_PPM),
        reset_cents=rules.reset_cents,
        royal_minimum_cents=rules.royal_minimum_cents,
        fixed_from_meter=rules.fixed_awards_from == "meter",
        run=run,
        not_in_the_figure=tuple(left_out),
    )
