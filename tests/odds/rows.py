"""The rows that the tests of the odds look into, computed once in a run, and hands for them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np

from table_controller.engine.cards import DECK, Card, card_text
from table_controller.engine.hands import Category, qualifies, strength
from table_controller.odds.counts import PATTERNS, Counts, SixCounts, count

Pair = tuple[tuple[Card, ...], Card]
"""A player's five cards and the dealer's up card."""

SUITS = range(4)


@cache
def counts() -> Counts:
    return count()


def place(card: Card) -> tuple[int, int]:
    """The rank, 2 to 14, and the suit of a card, by where it stands in the deck."""
    suit, rank = divmod(DECK.index(card), 13)
    return rank + 2, suit


def row_of(hand: Sequence[Card], up: Card) -> int:
    """The row of a hand and an up card; there has to be exactly one."""
    up_rank, up_suit = place(up)
    places = [place(card) for card in hand]
    pattern = tuple(sorted((rank for rank, _ in places), reverse=True))
    same_suit = sum(1 << rank - 2 for rank, suit in places if suit == up_suit)
    rows = counts()
    begin, end = np.searchsorted(rows.up_rank, (up_rank, up_rank + 1))
    found = np.flatnonzero(
        (rows.pattern[begin:end] == PATTERNS.index(pattern))
        & (rows.same_suit[begin:end] == same_suit)
        & (rows.flush[begin:end] == (len({suit for _, suit in places}) == 1))
    )
    assert len(found) == 1, f"{' '.join(map(card_text, hand))} against {card_text(up)}: {len(found)} rows"
    return int(begin + found[0])


def pair_of(row: int, chance: random.Random) -> Pair:
    """A hand and an up card that the row stands for, by chance one of them."""
    rows = counts()
    up_suit = chance.choice(SUITS)
    others = [suit for suit in SUITS if suit != up_suit]
    same_suit = int(rows.same_suit[row])
    ranks = PATTERNS[rows.pattern[row]]
    # One row in so many lays is a flush in another suit: draw until it is what the row says.
    while True:
        hand: list[Card] = []
        for rank in set(ranks):
            held = [up_suit] * (same_suit >> rank - 2 & 1)
            held += chance.sample(others, ranks.count(rank) - len(held))
            hand += [card_of(rank, suit) for suit in held]
        if (len({place(card)[1] for card in hand}) == 1) == bool(rows.flush[row]):
            chance.shuffle(hand)
            return tuple(hand), card_of(int(rows.up_rank[row]), up_suit)


def card_of(rank: int, suit: int) -> Card:
    return DECK[13 * suit + rank - 2]


def pairs_of_every_kind(of_each: int, seed: int) -> list[Pair]:
    """So many pairs of each kind of hand, from rows drawn by chance."""
    chance = random.Random(seed)
    drawn = []
    for kind in Category:
        rows = np.flatnonzero(counts().category == kind)
        drawn += [pair_of(int(chance.choice(rows)), chance) for _ in range(of_each)]
    return drawn


def by_the_engine(hand: Sequence[Card], up: Card) -> SixCounts:
    """The six counts by dealing every dealer's hand and asking the engine; nothing of the odds is in it."""
    own = strength(hand)
    left = [card for card in DECK if card not in hand and card != up]
    found = {"nq": [0, 0, 0], "q": [0, 0, 0]}
    for hidden in combinations(left, 4):
        dealer = strength((up, *hidden))
        found["q" if qualifies(dealer) else "nq"][(dealer >= own) + (dealer > own)] += 1
    return SixCounts(*found["nq"], *found["q"])
