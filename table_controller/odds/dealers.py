"""The dealer's hands behind an up card of one rank, counted against the player's cards.

Step 1 and step 2 of `odds.counts`. The hidden cards are a set of four ranks; with the up card it is a
hand without suits, and the 1,820 sets stand in the order of those hands.
"""

from __future__ import annotations

from math import comb
from typing import Final, NamedTuple

import numpy as np

from table_controller.engine.cards import RANK_WEIGHTS
from table_controller.engine.hands import LOWEST_QUALIFYING, STRENGTHS
from table_controller.odds.patterns import (
    FOUR,
    RANK_COUNT,
    SMALL,
    Bytes,
    Indices,
    Longs,
    Shorts,
    parts,
    pattern_columns,
    sets,
    strengths,
)


class Taken(NamedTuple):
    """What can be taken out of the player's cards and out of the hidden ones: the same for every up card.

    `up_to_three` are the 26 ways to take none, one, two or three of the player's five cards, `four` the
    five ways to take four, each as the index of a set, by the player's strength. The others have an entry
    for each set of hidden cards (`hidden`) and each small set in it (`part`); `times` is the number of
    ways to point at that part.
    """

    up_to_three: Longs
    four: Longs
    hidden: Longs
    part: Longs
    times: Longs


# Where the ways to take one, two and three cards of five begin among the 26.
_ONE, _TWO, _THREE = 1, 1 + comb(5, 1), 1 + comb(5, 1) + comb(5, 2)


def taken() -> Taken:
    """The tables that the counts of every up card need."""
    players: Longs = pattern_columns()[:, strengths().pattern]
    hidden = np.arange(FOUR, dtype=np.int32)
    columns = sets().four_ranks.T.astype(np.int32)
    pointed = np.concatenate([(hidden * SMALL + parts(columns, size)).ravel() for size in range(4)])
    pairs, times = np.unique(pointed, return_counts=True)
    return Taken(
        np.concatenate([parts(players, size) for size in range(4)]),
        parts(players, 4) - np.int32(SMALL),
        pairs // np.int32(SMALL),
        pairs % np.int32(SMALL),
        times.astype(np.int32),
    )


class Order(NamedTuple):
    """The sets of hidden cards behind an up card of rank `up`, in the order of the dealer's hands.

    `places` says where each index of a set stands. The others are in order: the indices, and the strength
    of the five cards unsuited and suited; the latter is 0 where two ranks are equal.
    """

    up: int
    places: Indices
    hidden: Indices
    plain: Shorts
    suited: Shorts


def order_of(up: int) -> Order:
    """The order behind an up card, which is told by the index of its rank."""
    totals = np.array(RANK_WEIGHTS, np.int32)[sets().four_ranks].sum(axis=1) + RANK_WEIGHTS[up]
    # Four more of the up card's rank are no hand: strength 0, so they are first; dealt in no way.
    hidden = np.argsort(strengths().of_ranks[totals])
    places = np.empty_like(hidden)
    places[hidden] = np.arange(FOUR)
    totals = totals[hidden]
    return Order(up, places, hidden, strengths().of_ranks[totals], strengths().of_one_suit[totals])


class Dealt(NamedTuple):
    """How many of the dealer's hands that avoid the player's cards are below his, up to his, unqualified."""

    below: Longs
    up_to: Longs
    unqualified: Longs


_EVERY: Final = np.arange(STRENGTHS + 1, dtype=np.int16)
"""Every strength of the player; 0 is none, and stays in the tables only for the sake of the index."""
_QUALIFYING: Final = np.int16(LOWEST_QUALIFYING)


# --------------------------------------------------------------------------- 1. without suits


def without_suits(order: Order, taken: Taken) -> Dealt:
    """Every dealer's hand taken for unsuited, by the player's strength (step 1).

    A player who holds all four cards of the up card's rank is in no row; what stands there means nothing.
    """
    holding = _holding(order, taken)
    lines = taken.up_to_three * np.int32(holding.shape[1])
    places = order.places.astype(np.int16)

    def avoiding(first: Indices, players: Indices | slice) -> Longs:
        """Of the first so many sets in order, the ways to deal one without any of the player's cards."""
        terms: Longs = holding.take(lines[:, players] + first.astype(np.int32))
        # Four certain cards are the whole set: it is among the first or not.
        whole = places[taken.four[:, players]] < first.astype(np.int16)
        more = terms[:_ONE].sum(axis=0) + terms[_TWO:_THREE].sum(axis=0) + whole.sum(axis=0)
        less = terms[_ONE:_TWO].sum(axis=0) + terms[_THREE:].sum(axis=0)
        found: Longs = (more - less).astype(np.int32)
        return found

    first, last = np.searchsorted(order.plain, _EVERY), np.searchsorted(order.plain, _EVERY, "right")
    below = avoiding(first, slice(None))
    up_to = below.copy()
    # An unsuited dealer can be equal only to a hand that has the up card's rank.
    equal = np.flatnonzero(first != last)
    up_to[equal] = avoiding(last[equal], equal)
    worst = np.full(len(_EVERY), np.searchsorted(order.plain, _QUALIFYING))
    return Dealt(below, up_to, avoiding(worst, slice(None)))


def _holding(order: Order, taken: Taken) -> Longs:
    """The ways to deal one of the first so many sets in order, 0 to 1,820, with certain cards among it.

    A line for each small set of certain cards, an entry for each number of sets. Each hand is counted once
    for every part that has those ranks; by symmetry each choice of certain cards has an equal share.
    """
    ways, certain = _ways(sets().four, order.up), _ways(sets().small, order.up)
    found = np.zeros((SMALL, FOUR + 1), np.int32)
    pointed = ways[taken.hidden] * taken.times
    found[taken.part, order.places[taken.hidden] + 1] = pointed // certain[taken.part]
    return np.cumsum(found, axis=1, dtype=np.int32, out=found)


_OF_SUITS: Final = np.array([[comb(suits, cards) for cards in range(5)] for suits in range(5)], np.int32)


def _ways(often: Bytes, up: int) -> Longs:
    """The ways to take each set of ranks out of a deck that lacks one card of rank `up`."""
    suits = np.full(RANK_COUNT, 4)
    suits[up] = 3
    found: Longs = _OF_SUITS[suits, often].prod(axis=1, dtype=np.int32)
    return found


# -------------------------------------------------------------------------------- 2. flushes


class Suited(NamedTuple):
    """The dealer's hands of one suit behind an up card, in order, 495 of them.

    `left` has a line for each set of ranks that the player may hold in that suit: how many of the first
    so many hands, 0 to 495, he leaves possible; `line` is where the line of a set of ranks begins.
    """

    plain: Shorts
    suited: Shorts
    left: Shorts
    line: Longs


def suited_of(order: Order) -> Suited:
    """The suited hands, each with its strength taken for unsuited and with its own."""
    bits = np.int16(1) << np.arange(RANK_COUNT, dtype=np.int16)
    possible = np.flatnonzero(order.suited)
    hidden = np.bitwise_or.reduce(bits[sets().four_ranks[order.hidden[possible]]], axis=1)
    masks = np.arange(1 << RANK_COUNT, dtype=np.int16)
    cards = np.bitwise_count(masks)
    held = masks[(cards <= 5) & (masks & bits[order.up] == 0)]
    left = np.zeros((len(held), len(possible) + 1), np.int16)
    np.cumsum((held[:, None] & hidden) == 0, axis=1, dtype=np.int16, out=left[:, 1:])
    line = np.zeros(len(masks), np.int32)
    line[held] = np.arange(len(held)) * left.shape[1]
    return Suited(order.plain[possible], order.suited[possible], left, line)


def with_flushes(base: Dealt, suited: Suited, own: Shorts, same_suit: Shorts) -> Dealt:
    """Suited hands put where they belong, for rows of the player's strength and ranks held (step 2)."""
    line = suited.line[same_suit]

    def left(first: Indices) -> Shorts:
        """Of the first so many suited hands, by the player's strength, those that he leaves possible."""
        return suited.left.take(line + first.astype(np.int32)[own])

    worst = np.full(len(_EVERY), np.searchsorted(suited.plain, _QUALIFYING))
    below = base.below[own] - left(np.searchsorted(suited.plain, _EVERY))
    below += left(np.searchsorted(suited.suited, _EVERY))
    up_to = base.up_to[own] - left(np.searchsorted(suited.plain, _EVERY, "right"))
    up_to += left(np.searchsorted(suited.suited, _EVERY, "right"))
    # Every flush qualifies.
    return Dealt(below, up_to, base.unqualified[own] - left(worst))
