"""Hands and sets of cards by their ranks alone, as tables for numpy, and what the engine says of them.

Inside the tables a rank is its index, 0 for a two to 12 for an ace; the ranks of a pattern are 2 to 14.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from table_controller.engine.cards import DECK, RANK_MASK, RANK_WEIGHTS, RANKS, Card
from table_controller.engine.hands import STRENGTHS, category, strength

Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.int8]
Shorts = npt.NDArray[np.int16]
Longs = npt.NDArray[np.int32]
Indices = npt.NDArray[np.intp]

RANK_COUNT: Final = len(RANKS)
LOWEST_RANK: Final = 2
_FALLING: Final = range(LOWEST_RANK + RANK_COUNT - 1, LOWEST_RANK - 1, -1)

PATTERNS: Final[tuple[tuple[int, ...], ...]] = tuple(
    ranks for ranks in combinations_with_replacement(_FALLING, 5) if ranks[0] != ranks[4]
)
"""The ranks of a hand, 2 to 14 (the ace), the highest first: 6,175."""


def pattern_columns() -> Longs:
    """The patterns as indices of ranks, one pattern a column."""
    return np.ascontiguousarray(np.array(PATTERNS, np.int32).T - LOWEST_RANK)


class Strengths(NamedTuple):
    """What the engine says of every hand there is.

    The first two are indexed by the sum of the weights of five ranks (`engine.cards`) and hold the strength
    of those cards, unsuited and suited; a sum that is no such hand has 0. The others are indexed by strength,
    of which 0 is none.
    """

    of_ranks: Shorts
    of_one_suit: Shorts
    pattern: Shorts
    flush: Flags
    category: Bytes


@cache
def strengths() -> Strengths:
    """The tables of all strengths, made once from `engine.hands`."""
    found = Strengths(
        np.zeros(RANK_MASK + 1, np.int16),
        np.zeros(RANK_MASK + 1, np.int16),
        np.zeros(STRENGTHS + 1, np.int16),
        np.zeros(STRENGTHS + 1, np.bool_),
        np.array([0, *(category(value) for value in range(1, STRENGTHS + 1))], np.int8),
    )
    for number, ranks in enumerate(PATTERNS):
        total = sum(RANK_WEIGHTS[rank - LOWEST_RANK] for rank in ranks)
        # Equal ranks stand side by side, four at most, so that no card is there twice.
        value = strength([_card(rank, suit) for rank, suit in zip(ranks, (0, 1, 2, 3, 0), strict=True)])
        found.of_ranks[total] = value
        found.pattern[value] = number
        if len(set(ranks)) == 5:
            value = strength([_card(rank, 0) for rank in ranks])
            found.of_one_suit[total] = value
            found.pattern[value] = number
            found.flush[value] = True
    return found


def _card(rank: int, suit: int) -> Card:
    return DECK[RANK_COUNT * suit + rank - LOWEST_RANK]


SMALL: Final = sum(comb(RANK_COUNT + size - 1, size) for size in range(4))
"""The sets of none to three ranks, repeats allowed: 560. They have the first indices."""
FOUR: Final = comb(RANK_COUNT + 3, 4)
"""The sets of four ranks, repeats allowed: 1,820. Four equal ones are among them."""
_BASE: Final = RANK_COUNT + 1


class Sets(NamedTuple):
    """All sets of up to four ranks.

    `by_code` is found by the code of a set: its indices of ranks plus one are digits to the base 14, the
    highest rank in the lowest place. `small` and `four` say how often each rank is in a set of up to
    three and of four; `four_ranks` are the ranks of the latter.
    """

    by_code: Longs
    small: Bytes
    four: Bytes
    four_ranks: Bytes


@cache
def sets() -> Sets:
    """The tables of all sets, made once."""
    falling = range(RANK_COUNT - 1, -1, -1)
    ranks_of = [ranks for size in range(5) for ranks in combinations_with_replacement(falling, size)]
    by_code = np.zeros(_BASE**4, np.int32)
    often = np.zeros((len(ranks_of), RANK_COUNT), np.int8)
    for number, ranks in enumerate(ranks_of):
        by_code[sum((rank + 1) * _BASE**place for place, rank in enumerate(ranks))] = number
        for rank in ranks:
            often[number, rank] += 1
    return Sets(by_code, often[:SMALL], often[SMALL:], np.array(ranks_of[SMALL:], np.int8))


def parts(columns: Longs, size: int) -> Longs:
    """The index of the set that each way of taking `size` cards out of a hand gives, one way a line.

    `columns` are the indices of the hands' ranks, the highest first, one hand a column.
    """
    codes = np.zeros((comb(len(columns), size), columns.shape[1]), np.int32)
    for line, cards in enumerate(combinations(columns + 1, size)):
        for place, digits in enumerate(cards):
            codes[line] += digits * np.int32(_BASE**place)
    found: Longs = sets().by_code[codes]
    return found
