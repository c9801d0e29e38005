"""How strong five cards are, and what they are called.

A strength is a number from 1 (seven high, the worst hand) to 7462 (a royal flush); a higher number
is a better hand and equal numbers are equal hands. Suits never decide.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import combinations
from typing import Final

from table_controller.engine.cards import RANK_MASK, RANK_WEIGHTS, SUIT_SHIFT, SUIT_WEIGHTS, Card

STRENGTHS: Final = 7462


class Category(IntEnum):
    """The ten kinds of hand, the better the higher (HOUSE_RULES.md, Presets)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9

    @property
    def label(self) -> str:
        """The name in records and messages, as in `royal_flush`."""
        return self.name.lower()


# Ranks are told by their weights, which grow with them.
_FALLING: Final = RANK_WEIGHTS[::-1]
_STRAIGHTS: Final = tuple((*_FALLING, _FALLING[0])[top : top + 5] for top in range(10))


def _with_groups(heads: int, head_size: int, tails: int, tail_size: int) -> Iterator[tuple[int, ...]]:
    """The ranks of every hand of `heads` groups of one size and `tails` of another, the best first.

    `combinations` of ranks that fall yields them from the best to the worst, so nothing is sorted.
    """
    for head in combinations(_FALLING, heads):
        others = [rank for rank in _FALLING if rank not in head]
        for tail in combinations(others, tails):
            yield tuple(rank for rank in head for _ in range(head_size)) + tail * tail_size


def _classes() -> Iterator[tuple[Category, Iterable[tuple[int, ...]]]]:
    """Every kind of hand from the best to the worst, each with its hands from the best to the worst."""
    in_sequence = {tuple(sorted(ranks, reverse=True)) for ranks in _STRAIGHTS}
    mixed = [ranks for ranks in combinations(_FALLING, 5) if ranks not in in_sequence]
    yield Category.ROYAL_FLUSH, _STRAIGHTS[:1]
    yield Category.STRAIGHT_FLUSH, _STRAIGHTS[1:]
    yield Category.FOUR_OF_A_KIND, _with_groups(1, 4, 1, 1)
    yield Category.FULL_HOUSE, _with_groups(1, 3, 1, 2)
    yield Category.FLUSH, mixed
    yield Category.STRAIGHT, _STRAIGHTS
    yield Category.THREE_OF_A_KIND, _with_groups(1, 3, 2, 1)
    yield Category.TWO_PAIR, _with_groups(2, 2, 1, 1)
    yield Category.PAIR, _with_groups(1, 2, 3, 1)
    yield Category.HIGH_CARD, mixed


# Indexed by the sum of the ranks' weights. The table for hands of one suit is small and sparse.
_OF_RANKS: Final = array("H", bytes(2 * (4 * _FALLING[0] + _FALLING[1] + 1)))
_OF_ONE_SUIT: Final[dict[int, int]] = {}
_IS_ONE_SUIT: Final = bytes(total in {5 * suit for suit in SUIT_WEIGHTS} for total in range(256))

# Indexed by strength: the kind of hand, and its ranks in the order in which they are compared.
_CATEGORIES: Final[list[Category]] = [Category.HIGH_CARD] * (STRENGTHS + 1)
_RANKS: Final[list[tuple[int, ...]]] = [()] * (STRENGTHS + 1)


def _fill() -> None:
    value = STRENGTHS
    for kind, hands in _classes():
        one_suit = kind in (Category.FLUSH, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
        strengths = _OF_ONE_SUIT if one_suit else _OF_RANKS
        for ranks in hands:
            strengths[sum(ranks)] = value
            _CATEGORIES[value] = kind
            _RANKS[value] = ranks
            value -= 1


_fill()


def strength(hand: Sequence[Card]) -> int:
    """Rank exactly five different cards: 1 to 7462, the better the higher.

    Raises `ValueError` for another number of cards. That no card is there twice is for the caller
    to know: `engine.settlement` checks it for a whole round at once.
    """
    first, second, third, fourth, fifth = hand
    total = first + second + third + fourth + fifth
    if _IS_ONE_SUIT[total >> SUIT_SHIFT]:
        return _OF_ONE_SUIT[total & RANK_MASK]
    return _OF_RANKS[total & RANK_MASK]


def best_of_six(cards: Sequence[Card]) -> int:
    """The strength of the best five of exactly six different cards.

    The player's five and the dealer's up card (HOUSE_RULES.md, Order of settlement, 4).
    """
    first, second, third, fourth, fifth, sixth = cards
    total = first + second + third + fourth + fifth + sixth
    best = 0
    for left_out in cards:
        five = total - left_out
        if _IS_ONE_SUIT[five >> SUIT_SHIFT]:
            value = _OF_ONE_SUIT[five & RANK_MASK]
        else:
            value = _OF_RANKS[five & RANK_MASK]
        if value > best:
            best = value
    return best


def category(strength: int) -> Category:
    """The kind of hand of a strength from 1 to 7462."""
    if not 1 <= strength <= STRENGTHS:
        raise ValueError(f"{strength} is no strength: allowed is 1 to {STRENGTHS}")
    return _CATEGORIES[strength]


# Ace, king, four, three, two.
LOWEST_QUALIFYING: Final = _OF_RANKS[sum(_FALLING[:2]) + sum(_FALLING[-3:])]


def qualifies(strength: int) -> bool:
    """Whether a dealer's hand is at least ace and king (HOUSE_RULES.md, Order of settlement, 2)."""
    return strength >= LOWEST_QUALIFYING


_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
_NAME_OF: Final = dict(zip(RANK_WEIGHTS, _NAMES, strict=True))
_PLURAL_OF: Final = {rank: name + ("es" if name == "six" else "s") for rank, name in _NAME_OF.items()}


def hand_name(strength: int) -> str:
    """The hand in table words for the record: `pair of nines`, `ace-king high`, `royal flush`."""
    kind = category(strength)
    ranks = _RANKS[strength]
    high = ranks[0]
    low = next(rank for rank in ranks if rank != high)
    match kind:
        case Category.ROYAL_FLUSH:
            return "royal flush"
        case Category.STRAIGHT_FLUSH | Category.FLUSH | Category.STRAIGHT:
            return f"{_NAME_OF[high]}-high {kind.label.replace('_', ' ')}"
        case Category.FOUR_OF_A_KIND:
            return f"four {_PLURAL_OF[high]}"
        case Category.FULL_HOUSE:
            return f"full house, {_PLURAL_OF[high]} over {_PLURAL_OF[low]}"
        case Category.THREE_OF_A_KIND:
            return f"three {_PLURAL_OF[high]}"
        case Category.TWO_PAIR:
            return f"two pair, {_PLURAL_OF[high]} and {_PLURAL_OF[low]}"
        case Category.PAIR:
            return f"pair of {_PLURAL_OF[high]}"
        case Category.HIGH_CARD:
            return f"{_NAME_OF[high]}-{_NAME_OF[low]} high"
