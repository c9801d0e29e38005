"""The main game under one house's rules: what to do with each hand, and what that is worth, exactly.

The unit is one ante; a raise is two. A deal is a player's five cards, the dealer's up card and his four
hidden cards: 19,933,230,517,200 of them, all as likely. Every figure is a whole number over all deals,
divided at the very end. What a hand is paid comes from the engine that settles the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np

from table_controller.engine.cards import Card, parse_hand
from table_controller.engine.hands import Category, category, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.settlement import SeatBets, settle
from table_controller.odds.counts import DEALER_HANDS, DEALS, SIX, Counts, Flags, SixCounts, counts_of
from table_controller.odds.decimals import root_text

RAISE: Final = 2
"""Antes."""
FOLD: Final = -1
"""What folding is worth, in antes."""

# None of them qualifies; the player's hand is better than, equal to and worse than the dealer's.
_NOT_QUALIFIED: Final = "QS JD 9H 7C 2S"
_AGAINST_IT: Final = ("KS JC 9D 7H 2D", "QD JC 9D 7H 2D", "TD 8C 6D 5H 2D")


def stakes_of(rules: HouseRules) -> tuple[int, int, int]:
    """What an ante gets when the dealer does not qualify, in antes: for a better, equal, worse hand.

    As `settle` pays it (HOUSE_RULES.md, `nonqualify_ante`, `unpaid_ante`, `nonqualify_odds`).
    """
    beat, tie, lose = (_unqualified(rules, hand) for hand in _AGAINST_IT)
    return beat, tie, lose


def _unqualified(rules: HouseRules, hand: str) -> int:
    bets = SeatBets(1, 1, RAISE, 0, False, parse_hand(hand))
    ante = settle(rules, parse_hand(_NOT_QUALIFIED), None, [bets])[1].ante
    return {"win": ante.cents, "lose": -ante.cents}.get(ante.kind, 0)


def won_by(rules: HouseRules, kind: Category) -> int:
    """What a hand that beats a qualified dealer wins with ante and raise, in antes."""
    return 1 + RAISE * rules.raise_odds(kind)


LOST: Final = -(1 + RAISE)
"""What a hand loses that is worse than a qualified dealer's, in antes."""


# ----------------------------------------------------------------------------------- one hand


class Hand(msgspec.Struct, frozen=True):
    """What one hand is worth against one up card; the values are in antes."""

    counts: SixCounts
    ev_raise: Fraction
    ev_fold: Fraction
    best: Literal["raise", "fold"]
    by: Fraction
    """How much better the best decision is than the other."""


def decide(rules: HouseRules, hand: Sequence[Card], up: Card) -> Hand:
    """What to do with a hand; fold where both are worth the same. Raises `ValueError` as `counts_of`."""
    six = counts_of(hand, up)
    beat, tie, lose = stakes_of(rules)
    value = beat * six.nq_beat + tie * six.nq_tie + lose * six.nq_lose
    value += won_by(rules, category(strength(hand))) * six.q_win + LOST * six.q_lose
    ev_raise, ev_fold = Fraction(value, DEALER_HANDS), Fraction(FOLD)
    return Hand(six, ev_raise, ev_fold, "raise" if ev_raise > ev_fold else "fold", abs(ev_raise - ev_fold))


# ---------------------------------------------------------------------------------- all hands


def best(rules: HouseRules, counts: Counts) -> Flags:
    """Whether to raise, for each row; fold where both are worth the same."""
    stakes = stakes_of(rules)
    raises = np.empty(len(counts.weight), np.bool_)
    for kind, rows, _ in _stretches(counts):
        won = won_by(rules, kind)
        factors = (won, LOST, *stakes)
        # The six counts add up to DEALER_HANDS, so nothing on the way is larger than this product.
        whole = np.int32 if max(map(abs, factors)) * DEALER_HANDS < 2**31 else np.int64
        value = np.zeros(rows.stop - rows.start, whole)
        for name, factor in zip(("q_win", "q_lose", "nq_beat", "nq_tie", "nq_lose"), factors, strict=True):
            if factor:
                value += np.multiply(getattr(counts, name)[rows], factor, dtype=whole)
        np.greater(value, FOLD * DEALER_HANDS, out=raises[rows])
    return raises


class MainGame(msgspec.Struct, frozen=True):
    """The main game over all deals.

    `outcomes` are counts of deals and add up to `deals`; `results` is what each outcome is worth to the
    player, in antes; `raised` is the number of deals in which the player raises.
    """

    deals: int
    raised: int
    outcomes: dict[str, int]
    results: dict[str, int]

    @property
    def total(self) -> int:
        """The player's result over all deals, in antes."""
        return sum(count * self.results[name] for name, count in self.outcomes.items())

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of an ante in the mean."""
        return Fraction(-self.total, self.deals)

    @property
    def return_per_ante(self) -> Fraction:
        """What comes back of an ante in the mean."""
        return 1 - self.house_edge

    @property
    def raise_probability(self) -> Fraction:
        """How often the player raises."""
        return Fraction(self.raised, self.deals)

    @property
    def average_wager(self) -> Fraction:
        """Ante and raise in the mean, in antes."""
        return 1 + RAISE * self.raise_probability

    @property
    def element_of_risk(self) -> Fraction:
        """What the house keeps of all that is wagered, ante and raise."""
        return self.house_edge / self.average_wager

    @property
    def return_on_total_wager(self) -> Fraction:
        """What comes back of all that is wagered, ante and raise."""
        return 1 - self.element_of_risk

    @property
    def variance(self) -> Fraction:
        """The variance of the result of one deal, in antes squared."""
        squares = sum(count * self.results[name] ** 2 for name, count in self.outcomes.items())
        return Fraction(squares, self.deals) - self.house_edge**2

    @property
    def standard_deviation(self) -> str:
        """Of the result of one deal, in antes, with 14 decimals, the last rounded half up."""
        return root_text(self.variance)


def analyse(rules: HouseRules, counts: Counts, raises: Flags | None = None) -> MainGame:
    """The game with the best decisions, or with given ones: whether to raise, for each row."""
    if raises is None:
        raises = best(rules, counts)
    sums = dict.fromkeys(_SUMMED, 0)
    won = dict.fromkeys(Category, 0)
    for kind, rows, whole in _stretches(counts):
        chosen = raises[rows]
        found = whole if chosen.all() else _sums(counts, rows, chosen)
        for name, value in zip(_SUMMED, found, strict=True):
            sums[name] += value
        won[kind] += found[_WON]
    raised = sums["weight"] * DEALER_HANDS
    outcomes = {
        "fold": DEALS - raised,
        "not_qualified_beat": sums["nq_beat"],
        "not_qualified_tie": sums["nq_tie"],
        "not_qualified_lose": sums["nq_lose"],
        "push": sums["q_tie"],
        "lose": sums["q_lose"],
        **{f"win_{kind.label}": count for kind, count in won.items()},
    }
    return MainGame(DEALS, raised, outcomes, results_of(rules))


def results_of(rules: HouseRules) -> dict[str, int]:
    """What each outcome is worth to the player, in antes, by its name in `MainGame.outcomes`."""
    beat, tie, lose = stakes_of(rules)
    return {
        "fold": FOLD,
        "not_qualified_beat": beat,
        "not_qualified_tie": tie,
        "not_qualified_lose": lose,
        "push": 0,
        "lose": LOST,
        **{f"win_{kind.label}": won_by(rules, kind) for kind in Category},
    }


# ----------------------------------------------------------------------------- the rows by kind

_SUMMED: Final = ("weight", *SIX)
_WON: Final = _SUMMED.index("q_win")


class _Stretch(NamedTuple):
    """Rows of one kind of hand that stand together, and their sums when all of them raise."""

    kind: Category
    rows: slice
    sums: tuple[int, ...]


@lru_cache(maxsize=1)
def _stretches(counts: Counts) -> tuple[_Stretch, ...]:
    """All rows. `count` puts those of one up card and kind side by side: 130 stretches.

    A stretch fits into the processor's cache, and the kind's odds are one number for it. Most kinds raise
    whole under most pay tables, so those sums are made once.
    """
    edges = np.flatnonzero(counts.category[1:] != counts.category[:-1]) + 1
    found = []
    for begin, end in pairwise([0, *map(int, edges), len(counts.category)]):
        rows = slice(begin, end)
        kind = Category(int(counts.category[begin]))
        found.append(_Stretch(kind, rows, _sums(counts, rows, np.ones(end - begin, np.bool_))))
    return tuple(found)


def _sums(counts: Counts, rows: slice, chosen: Flags) -> tuple[int, ...]:
    """The pairs of the chosen rows, and their deals in each of the six counts."""
    places = np.flatnonzero(chosen)
    if not len(places):
        return (0,) * len(_SUMMED)
    # Better hands raise and stand together: what is before and behind them is not even looked at.
    first, last = int(places[0]), int(places[-1]) + 1
    rows = slice(rows.start + first, rows.start + last)
    weight = counts.weight[rows] * chosen[first:last].astype(np.int64)
    return int(weight.sum()), *(int(weight @ getattr(counts, name)[rows]) for name in SIX)
