"""How many hands of each kind there are among all sets of five or of six cards.

Not every set is dealt: sets with the same ranks, suits left aside, are weighed together, and those
with five cards of one suit apart. The engine says which kind a set is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb, factorial, prod
from typing import Final

from table_controller.engine.cards import DECK, RANKS, SUITS, Card
from table_controller.engine.hands import Category, best_of_six, category, strength

FIVE: Final = 5
SIX: Final = 6
_EACH_RANK: Final = range(len(RANKS))


@cache
def _counts(size: int) -> tuple[int, ...]:
    counts = [0] * len(Category)
    for kind, sets in (*_mixed(size), *_of_one_suit(size)):
        counts[kind] += sets
    return tuple(counts)


def hands_by_kind(size: int) -> dict[Category, int]:
    """How many sets of so many cards, five or six, have their best five of each kind; the royal first.

    They add up to all sets of that size: 2,598,960 or 20,358,520. Raises `ValueError` for another size.
    """
    if size not in (FIVE, SIX):
        raise ValueError(f"found {size} cards, allowed is {FIVE} or {SIX}")
    return {kind: _counts(size)[kind] for kind in reversed(Category)}


def _mixed(size: int) -> Iterator[tuple[Category, int]]:
    """Sets without five cards of one suit: their kind and how many, for each set of ranks in them."""
    for shape in _shapes(size, len(SUITS)):
        # Which of the ranks is there twice changes no kind, so one order stands for all of them.
        orders = factorial(len(shape)) // prod(factorial(shape.count(copies)) for copies in set(shape))
        sets = orders * (prod(comb(len(SUITS), copies) for copies in shape) - _suited(shape))
        of_ranks = combinations(_EACH_RANK, len(shape))
        if len(shape) < FIVE:
            # Without five ranks there is no straight: one set of ranks stands for all of them.
            yield _kind(_in_turn(next(of_ranks), shape)), sets * comb(len(RANKS), len(shape))
            continue
        for ranks in of_ranks:
            yield _kind(_in_turn(ranks, shape)), sets


def _shapes(size: int, most: int) -> Iterator[tuple[int, ...]]:
    """How many cards each rank of a set can have: every sum of at most `most` a rank that is the size."""
    if size == 0:
        yield ()
    for copies in range(min(size, most), 0, -1):
        for rest in _shapes(size - copies, copies):
            yield (copies, *rest)


def _in_turn(ranks: Sequence[int], shape: Sequence[int]) -> list[Card]:
    """Cards of these ranks, so many of each, with suits in turn: no rank has a suit twice, none has five."""
    copies = [rank for rank, times in zip(ranks, shape, strict=True) for _ in range(times)]
    return [DECK[turn % len(SUITS) * len(RANKS) + rank] for turn, rank in enumerate(copies)]


def _suited(shape: Sequence[int]) -> int:
    """In how many ways cards of that shape can be given suits so that five or more are of one suit."""
    # By how many ranks have a card of a certain suit; with at most six cards only one suit has five.
    ways = [1]
    for copies in shape:
        without, having = comb(len(SUITS) - 1, copies), comb(len(SUITS) - 1, copies - 1)
        ways = [without * here + having * before for here, before in zip([*ways, 0], [0, *ways], strict=True)]
    return len(SUITS) * sum(ways[FIVE:])


def _of_one_suit(size: int) -> Iterator[tuple[Category, int]]:
    """Sets with five or more cards of one suit; the others cannot make a better hand of it."""
    others = len(DECK) - len(RANKS)
    for suited in range(FIVE, size + 1):
        sets = len(SUITS) * comb(others, size - suited)
        for ranks in combinations(_EACH_RANK, suited):
            yield _kind([DECK[rank] for rank in ranks]), sets


def _kind(cards: Sequence[Card]) -> Category:
    return category(best_of_six(cards) if len(cards) == SIX else strength(cards))
