"""The 5+1 bonus: the best five of the player's five cards and the dealer's up card, exactly.

The six cards are any of the 20,358,520 sets, each as likely as the other, whatever becomes of the main
game. Where a fold loses the bonus (`fold_keeps_bonus = false`) the figure is that of a player who raises
every hand whose bonus wins: the up card lies open before he decides.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules
from table_controller.odds.decimals import root_text
from table_controller.odds.hand_counts import SIX, hands_by_kind


class Bonus(msgspec.Struct, frozen=True, kw_only=True):
    """What a bet of one unit is worth; each hand by its name, the royal first.

    `counts` of all `total` sets of six cards; `pays`, n to 1, of the hands that are paid. Figures are
    exact, in units of the bet.
    """

    total: int
    counts: dict[str, int]
    pays: dict[str, int]
    not_in_the_figure: tuple[str, ...]

    @property
    def contributions(self) -> dict[str, Fraction]:
        """What each hand that is paid gives back, its stake included: together they are `return_per_bet`."""
        return {
            hand: Fraction(self.counts[hand] * (odds + 1), self.total) for hand, odds in self.pays.items()
        }

    @property
    def return_per_bet(self) -> Fraction:
        """What comes back of a bet on average, the stake of a bet that wins included."""
        return sum(self.contributions.values(), Fraction(0))

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of a bet on average."""
        return 1 - self.return_per_bet

    @property
    def hit_count(self) -> int:
        """How many of the sets are paid."""
        return sum(self.counts[hand] for hand in self.pays)

    @property
    def hit_frequency(self) -> Fraction:
        """How often a bet is paid."""
        return Fraction(self.hit_count, self.total)

    @property
    def variance(self) -> Fraction:
        """Of the result of one bet."""
        won = sum(self.counts[hand] * odds**2 for hand, odds in self.pays.items())
        return Fraction(won + self.total - self.hit_count, self.total) - self.house_edge**2

    @property
    def standard_deviation(self) -> str:
        """Of the result of one bet, with 14 digits after the point, the last one rounded."""
        return root_text(self.variance)


def bonus(rules: HouseRules) -> Bonus | None:
    """The bonus of these house rules; nothing where the house offers none."""
    if not rules.has_bonus:
        return None
    counts = hands_by_kind(SIX)
    left_out = []
    if not rules.fold_keeps_bonus:
        left_out.append(
            "fold_keeps_bonus: a fold loses the bonus; the figure is that of a player who raises every hand"
            " whose bonus wins, and what that costs him in the main game is not in it"
        )
    return Bonus(
        total=sum(counts.values()),
        counts={kind.label: sets for kind, sets in counts.items()},
        pays={kind.label: rules.bonus_odds(kind) for kind in reversed(Category) if rules.bonus_odds(kind)},
        not_in_the_figure=tuple(left_out),
    )
