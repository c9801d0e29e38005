"""Where a strategy raises: shares of (hand, up card) pairs by kind of hand, ace-king hands cell by cell."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from table_controller.engine.cards import RANKS
from table_controller.engine.hands import Category
from table_controller.odds.counts import PATTERNS, Counts

Mask = npt.NDArray[np.bool_]

ACE: Final = 14
KING: Final = 13
RANK_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
_PLURALS: Final = {"six": "sixes"}


def rank_letter(rank: int) -> str:
    """A rank from 2 to 14 as cards write it: `T` for ten."""
    return RANKS[rank - 2]


class Share(NamedTuple):
    """Of `pairs` pairs of a hand and an up card, `raised` raise."""

    raised: int
    pairs: int

    @property
    def fraction(self) -> Fraction:
        """The share that raises; nothing raises where there are no pairs."""
        return Fraction(self.raised, self.pairs) if self.pairs else Fraction(0)


class Cell(NamedTuple):
    """Ace-king hands of one third card against one up card, that has a rank of the hand or has not."""

    matches: bool
    third: int
    up: int


def share(counts: Counts, raises: Mask, rows: Mask) -> Share:
    """How many pairs of the rows raise, and how many there are."""
    weight = counts.weight.astype(np.int64)
    return Share(int(weight[rows & raises].sum()), int(weight[rows].sum()))


def ace_king_rows(counts: Counts) -> Mask:
    """The rows whose hand has an ace, a king and no pair or better."""
    ranks = np.asarray(PATTERNS)[counts.pattern]
    ace_king: Mask = (counts.category == Category.HIGH_CARD) & (ranks[:, 0] == ACE) & (ranks[:, 1] == KING)
    return ace_king


def ace_king_cells(counts: Counts, raises: Mask) -> dict[Cell, Share]:
    """The ace-king hands by their third card and the up card; a cell that cannot be is left out."""
    chosen = np.flatnonzero(ace_king_rows(counts))
    ranks = np.asarray(PATTERNS)[counts.pattern[chosen]]
    up = counts.up_rank[chosen].astype(np.int64)
    matches = (ranks == up[:, None]).any(axis=1)
    place = (matches * (ACE + 1) + ranks[:, 2]) * (ACE + 1) + up
    weight = counts.weight[chosen].astype(np.int64)
    pairs = np.zeros(2 * (ACE + 1) ** 2, np.int64)
    raised = pairs.copy()
    np.add.at(pairs, place, weight)
    np.add.at(raised, place, weight * raises[chosen])
    cells = {}
    for at in map(int, np.flatnonzero(pairs)):
        rest, up_rank = divmod(at, ACE + 1)
        is_match, third = divmod(rest, ACE + 1)
        cells[Cell(bool(is_match), third, up_rank)] = Share(int(raised[at]), int(pairs[at]))
    return cells


def shares_by_hand(counts: Counts, raises: Mask) -> list[tuple[str, Share]]:
    """The share that raises of every kind of hand, the best first; pairs rank by rank where they differ."""
    found = []
    for kind in sorted(Category, reverse=True):
        rows = counts.category == kind
        name = kind.label.replace("_", " ")
        whole = share(counts, raises, rows)
        if kind is Category.HIGH_CARD:
            found += _high_cards(counts, raises, rows)
        elif kind is Category.PAIR and whole.raised not in (0, whole.pairs):
            found += _pairs(counts, raises, rows)
        else:
            found.append((name, whole))
    return found


def _pairs(counts: Counts, raises: Mask, rows: Mask) -> list[tuple[str, Share]]:
    ranks = np.asarray(PATTERNS)[counts.pattern]
    paired = np.where(ranks[:, :-1] == ranks[:, 1:], ranks[:, 1:], 0).max(axis=1)
    names = ((rank, RANK_NAMES[rank - 2]) for rank in range(ACE, 1, -1))
    return [
        (f"pair of {_PLURALS.get(name, name + 's')}", share(counts, raises, rows & (paired == rank)))
        for rank, name in names
    ]


def _high_cards(counts: Counts, raises: Mask, rows: Mask) -> list[tuple[str, Share]]:
    ranks = np.asarray(PATTERNS)[counts.pattern]
    ace = rows & (ranks[:, 0] == ACE)
    king = ranks[:, 1] == KING
    return [
        ("ace and king", share(counts, raises, ace & king)),
        ("ace without king", share(counts, raises, ace & ~king)),
        ("king high or lower", share(counts, raises, rows & ~ace)),
    ]
