"""How often the dealer is better, equal or worse: the counts under every figure of the main game.

A pair is a player's five cards with a dealer's up card; there are 122,151,120 of them. To each belong
163,185 hands of the dealer, the ways to draw his four hidden cards from the 46 that are left. They fall
into six counts: he does not qualify and the player's hand is better, equal or worse; he qualifies and
it is better, equal or worse. No pay table and no option of the house moves them.

Pairs that differ only by names of suits have the same counts, and so have many more: what decides is
the ranks of the player's cards, the rank of the up card, which of his ranks the player holds in the up
card's suit (a dealer's flush can be in no other), and whether his own five are of one suit. These four
make a row, 1,121,471 in all.

The counts of a row are found in two steps.

1. Without suits. How many of the dealer's hands avoid the player's cards and are below a given strength,
   by inclusion and exclusion over the player's five cards: a hand that holds none of them is every hand,
   less those that hold a given one, and those that hold two come back, down to four. How many hold given
   cards depends on their ranks alone, so one table for each rank of the up card answers for all.
2. Flushes. Step 1 took each suited hand for the unsuited one of the same ranks. The suited hands that
   the player's cards leave possible are taken out there and put in where they belong. Suited and unsuited
   hands of the same ranks stand in the same order, so both places are counted in one running sum.

Every number on the way is whole and fits into 32 bits with room to spare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import msgspec
import numpy as np

from table_controller.engine.cards import (
    DECK,
    RANK_MASK,
    SUIT_SHIFT,
    SUIT_WEIGHTS,
    Card,
    card_text,
)
from table_controller.engine.hands import LOWEST_QUALIFYING, strength
from table_controller.odds.dealers import order_of, suited_of, taken, with_flushes, without_suits
from table_controller.odds.patterns import (
    LOWEST_RANK,
    PATTERNS,
    RANK_COUNT,
    Bytes,
    Flags,
    Longs,
    Shorts,
    pattern_columns,
    strengths,
)

__all__ = [
    "DEALER_HANDS",
    "DEALS",
    "HANDS",
    "LOWEST_RANK",
    "PAIRS",
    "PATTERNS",
    "SIX",
    "TYPES",
    "Bytes",
    "Counts",
    "Flags",
    "Longs",
    "Shorts",
    "SixCounts",
    "count",
    "counts_of",
]

HANDS: Final = comb(52, 5)
PAIRS: Final = HANDS * 47
DEALER_HANDS: Final = comb(46, 4)
"""The dealer's hands that belong to one pair."""
DEALS: Final = PAIRS * DEALER_HANDS

SIX: Final = ("nq_beat", "nq_tie", "nq_lose", "q_win", "q_tie", "q_lose")


class SixCounts(msgspec.Struct, frozen=True):
    """The 163,185 hands of the dealer against one hand and up card.

    `nq` he does not qualify, `q` he does; the player's hand is better (`beat`, `win`), equal or worse.
    """

    nq_beat: int
    nq_tie: int
    nq_lose: int
    q_win: int
    q_tie: int
    q_lose: int


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """One entry of every array for each row, in the order of up card, strength, ranks of the same suit.

    The arrays can only be read.
    """

    pattern: Shorts
    """The ranks of the player's hand, as an index into `PATTERNS`."""
    up_rank: Bytes
    """2 to 14."""
    same_suit: Shorts
    """The ranks that the player holds in the up card's suit: bit 0 a two, bit 12 an ace."""
    flush: Flags
    """The player's five are of one suit."""
    category: Bytes
    """`Category` of the player's hand."""
    weight: Longs
    """How many pairs the row stands for."""
    nq_beat: Longs
    nq_tie: Longs
    nq_lose: Longs
    q_win: Longs
    q_tie: Longs
    q_lose: Longs

    def six(self, row: int) -> SixCounts:
        """The six counts of one row."""
        return SixCounts(*(int(getattr(self, name)[row]) for name in SIX))


TYPES: Final[dict[str, type[np.generic]]] = {
    "pattern": np.int16,
    "up_rank": np.int8,
    "same_suit": np.int16,
    "flush": np.bool_,
    "category": np.int8,
    "weight": np.int32,
    **dict.fromkeys(SIX, np.int32),
}
"""The arrays of `Counts` and what each holds."""


# ------------------------------------------------------------------ one hand, one up card


def counts_of(hand: Sequence[Card], up: Card) -> SixCounts:
    """The six counts of a player's five cards and the dealer's up card, by trying every dealer's hand.

    Nothing of it comes from the rows of `count`. Raises `ValueError` for another number of cards and for
    a card that is there twice.
    """
    if len(hand) != 5:
        raise ValueError(f"hand: found {len(hand)} cards, allowed is 5")
    twice = [card for card in hand if hand.count(card) > 1]
    if twice:
        raise ValueError(f"hand: found {card_text(twice[0])} twice, allowed is each card once")
    if up in hand:
        raise ValueError(f"up card: found {card_text(up)}, which is in the hand; allowed is any other card")
    left = np.array([card for card in DECK if card not in hand and card != up], np.int32)
    totals = left[_fours()].sum(axis=0, dtype=np.int32) + np.int32(up)
    one_suit = np.isin(totals >> SUIT_SHIFT, [5 * suit for suit in SUIT_WEIGHTS])
    ranks = totals & RANK_MASK
    dealers = np.where(one_suit, strengths().of_one_suit[ranks], strengths().of_ranks[ranks])
    own = strength(hand)
    plays = dealers >= LOWEST_QUALIFYING
    signs = (dealers < own, dealers == own, dealers > own)
    return SixCounts(*(int(np.count_nonzero(sign & side)) for side in (~plays, plays) for sign in signs))


@cache
def _fours() -> Bytes:
    """Every four of 46 places, one choice a column."""
    fours = np.array(list(combinations(range(46), 4)), np.int8)
    return np.ascontiguousarray(fours.T)


# --------------------------------------------------------------------------------- all rows


class _Holdings(NamedTuple):
    """Every way for the player's cards to lie to the up card's suit, in order of strength.

    `same_suit` are the ranks held in that suit, `full` the ranks held in all four; `ways` is the number
    of hands, times four for the suit of the up card.
    """

    strength: Shorts
    same_suit: Shorts
    full: Shorts
    ways: Longs


_OF_THREE_SUITS: Final = np.array([comb(3, cards) for cards in range(5)], np.int32)


def _holdings() -> _Holdings:
    ranks = pattern_columns()
    held = (ranks[:, None] == ranks[None]).sum(axis=0)
    first = np.ones(ranks.shape, np.bool_)
    first[1:] = ranks[1:] != ranks[:-1]
    bits = np.int16(1) << ranks.astype(np.int16)
    # A line for each choice of cards for the up card's suit, and one for a flush in another suit.
    choices = 2**5
    masks = np.zeros((choices + 1, len(PATTERNS)), np.int16)
    ways = np.full(masks.shape, 4, np.int32)
    for line in range(choices):
        for card in range(5):
            chosen = line >> card & 1
            # The first card of a rank stands for all of it; those not chosen lie in the three other suits.
            ways[line] *= np.where(first[card], _OF_THREE_SUITS[held[card] - chosen], 1 - chosen)
            masks[line] |= bits[card] * np.int16(chosen)
    # Five different ranks: all of them chosen is a flush, and none of them is one in three ways.
    five = first.all(axis=0)
    ways[-1] = np.where(five, 4 * 3, 0)
    ways[0] -= ways[-1]
    flush = np.zeros(masks.shape, np.bool_)
    flush[-2:] = five
    own = np.where(flush, _by_pattern(strengths().flush), _by_pattern(~strengths().flush))
    full = np.bitwise_or.reduce(bits * (held == 4))
    line_of, pattern = np.nonzero(ways)
    masks, own = masks[line_of, pattern], own[line_of, pattern]
    order = np.lexsort((masks, own))
    return _Holdings(own[order], masks[order], full[pattern][order], ways[line_of, pattern][order])


def _by_pattern(wanted: Flags) -> Shorts:
    """The strength of each pattern among the wanted strengths; 0 where it has none."""
    found = np.zeros(len(PATTERNS), np.int16)
    chosen = np.flatnonzero(wanted[1:]) + 1
    found[strengths().pattern[chosen]] = chosen
    return found


def count() -> Counts:
    """The six counts of every row. The same on every call, and made anew; `odds.cache` keeps them."""
    every, holdings = taken(), _holdings()
    # The up card itself is not the player's, and one of its rank has to be left.
    ruled_out = holdings.same_suit | holdings.full
    chosen_by_up = [np.flatnonzero(ruled_out >> up & 1 == 0).astype(np.int32) for up in range(RANK_COUNT)]
    length = sum(map(len, chosen_by_up))
    rows = Counts(**{name: np.empty(length, kind) for name, kind in TYPES.items()})
    end = 0
    for up, chosen in enumerate(chosen_by_up):
        part = slice(end, end := end + len(chosen))
        own, same_suit = holdings.strength[chosen], holdings.same_suit[chosen]
        rows.pattern[part] = strengths().pattern[own]
        rows.up_rank[part] = up + LOWEST_RANK
        rows.same_suit[part] = same_suit
        rows.flush[part] = strengths().flush[own]
        rows.category[part] = strengths().category[own]
        rows.weight[part] = holdings.ways[chosen]
        order = order_of(up)
        dealt = with_flushes(without_suits(order, every), suited_of(order), own, same_suit)
        # Whoever does not qualify is below whoever does.
        below, up_to = np.minimum(dealt.below, dealt.unqualified), np.minimum(dealt.up_to, dealt.unqualified)
        rows.nq_beat[part] = below
        rows.nq_tie[part] = up_to - below
        rows.nq_lose[part] = dealt.unqualified - up_to
        rows.q_win[part] = dealt.below - below
        rows.q_tie[part] = dealt.up_to - up_to - rows.q_win[part]
        rows.q_lose[part] = DEALER_HANDS - dealt.unqualified - (dealt.up_to - up_to)
    for name in TYPES:
        getattr(rows, name).flags.writeable = False
    return rows
