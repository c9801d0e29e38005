"""Conditions of a rule: what may be asked of a hand and an up card, in a person's words.

The words are shown at the top of `odds.strategy`. A condition looks at rows (`odds.counts`) and says for
each whether it fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np

from table_controller.engine.cards import RANKS
from table_controller.engine.hands import STRENGTHS, Category, category
from table_controller.engine.values import written
from table_controller.odds.counts import Counts
from table_controller.odds.patterns import LOWEST_RANK, PATTERNS, Bytes, Flags, Shorts, strengths

Condition = Callable[[Counts], Flags]


class _Span(NamedTuple):
    """Hands from a strength to a strength, both among them."""

    low: int
    high: int


@cache
def _patterns() -> Bytes:
    return np.asarray(PATTERNS, np.int8)


@cache
def _pattern_strengths() -> tuple[Shorts, Shorts]:
    """The strength of each pattern of ranks, without a common suit and with one (0 where ranks repeat)."""
    known = strengths()
    mixed, suited = np.zeros(len(PATTERNS), np.int16), np.zeros(len(PATTERNS), np.int16)
    every = np.arange(1, STRENGTHS + 1)
    for found, values in ((suited, every[known.flush[1:]]), (mixed, every[~known.flush[1:]])):
        found[known.pattern[values]] = values
    return mixed, suited


@cache
def _ranks_held() -> Shorts:
    """The ranks of each pattern as bits, the lowest for a two."""
    return np.asarray([_bits(ranks) for ranks in _patterns().tolist()], np.int16)


def _bits(ranks: Iterable[int]) -> int:
    return sum(1 << rank - LOWEST_RANK for rank in set(ranks))


def _is_among(span: _Span, counts: Counts) -> Flags:
    mixed, suited = ((span.low <= kind) & (kind <= span.high) for kind in _pattern_strengths())
    return np.where(counts.flush, suited[counts.pattern], mixed[counts.pattern])


def _holds(ranks: int, counts: Counts) -> Flags:
    fits: Flags = (_ranks_held() & ranks != 0)[counts.pattern]
    return fits


def _up_bit(counts: Counts) -> Shorts:
    return np.left_shift(np.int16(1), counts.up_rank.astype(np.int16) - LOWEST_RANK)


def _up_is(ranks: int, counts: Counts) -> Flags:
    fits: Flags = _up_bit(counts) & ranks != 0
    return fits


def _up_in_hand(counts: Counts) -> Flags:
    fits: Flags = _ranks_held()[counts.pattern] & _up_bit(counts) != 0
    return fits


def _up_beside(side: str, place: int, counts: Counts) -> Flags:
    mine = _patterns()[:, place - 1][counts.pattern]
    return counts.up_rank < mine if side == "below" else counts.up_rank > mine


def _up_suit(least: int, most: int, counts: Counts) -> Flags:
    held = np.bitwise_count(counts.same_suit)
    return (held >= least) & (held <= most)


def _outside(condition: Condition, counts: Counts) -> Flags:
    return ~condition(counts)


# ------------------------------------------------------------------------------ reading the words

_RANK_WORDS: Final = "two three four five six seven eight nine ten jack queen king ace".split()
_RANK_OF: Final = {
    word: rank
    for rank, name in enumerate(_RANK_WORDS, LOWEST_RANK)
    for word in (name, name + ("es" if name == "six" else "s"), str(rank), RANKS[rank - LOWEST_RANK].lower())
    # The file of a person says A, not 14.
    if word not in ("11", "12", "13", "14")
}
_RANKS_ALLOWED: Final = "a rank: 2 to 10, J, Q, K, A; where several may stand, with 'or' or 'to' between them"
_KIND_OF: Final = {kind.label.replace("_", " "): kind for kind in Category}
_HANDS_ALLOWED: Final = f"{', '.join(_KIND_OF)}, pair of 9, or two to five ranks as in A K J 8 3"
_CONDITIONS_ALLOWED: Final = (
    "HAND or better, HAND, below HAND, holds RANK, up RANK, up RANK to RANK, up in hand,"
    " up below my 4th card, up above my 4th card, up suit 2 or more, not CONDITION, otherwise"
)
_UP_BESIDE: Final = re.compile(r"up (below|above) (?:my )?([0-9]+)(?:st|nd|rd|th)(?: card)?")
_UP_SUIT: Final = re.compile(r"up suit (.+?)( or more| or fewer)?")


def read_condition(text: str) -> Condition:
    """Read one condition. Raises `ValueError`: found, allowed."""
    said = " ".join(text.lower().replace("-", " ").split())
    outside = False
    while said.startswith("not "):
        said, outside = said.removeprefix("not "), not outside
    condition = _plain_condition(said)
    return partial(_outside, condition) if outside else condition


def _plain_condition(said: str) -> Condition:
    word, _, rest = said.partition(" ")
    if said == "otherwise":
        raise ValueError("found 'otherwise' among other conditions, allowed is 'otherwise' alone")
    if said == "up in hand":
        return _up_in_hand
    if word == "holds":
        return partial(_holds, _ranks(rest))
    if beside := _UP_BESIDE.fullmatch(said):
        return partial(_up_beside, beside[1], _whole(beside[2], 1, "a card from 1st to 5th"))
    if suit := _UP_SUIT.fullmatch(said):
        number = _whole(suit[1], 0, "a number from 0 to 5, alone or with 'or more' or 'or fewer'")
        least = 0 if suit[2] == " or fewer" else number
        return partial(_up_suit, least, 5 if suit[2] == " or more" else number)
    if word == "up":
        return partial(_up_is, _ranks(rest))
    if word == "below":
        return partial(_is_among, _Span(0, _span(rest).low - 1))
    if said.endswith(" or better"):
        return partial(_is_among, _Span(_span(said.removesuffix(" or better")).low, STRENGTHS))
    try:
        return partial(_is_among, _span(said))
    except ValueError:
        if _each_rank(said) or said in _KIND_OF or word == "pair":
            raise
        raise ValueError(f"found {written(said)}, allowed is {_CONDITIONS_ALLOWED}") from None


def _whole(text: str, least: int, allowed: str) -> int:
    if text not in map(str, range(least, 6)):
        raise ValueError(f"found {written(text)}, allowed is {allowed}")
    return int(text)


def _ranks(text: str) -> int:
    """Ranks such as `Q or J` or `2 to 9 or Q`, as bits."""
    bits = 0
    for part in re.split(r" or |, ?", text):
        first, to, second = part.partition(" to ")
        low = _rank(first)
        high = _rank(second) if to else low
        if high < low:
            raise ValueError(f"found {written(part)}, allowed is the lower rank first, from 2 to A")
        bits |= _bits(range(low, high + 1))
    return bits


def _rank(text: str) -> int:
    rank = _RANK_OF.get(text.strip())
    if rank is None:
        raise ValueError(f"found {written(text.strip())}, allowed is {_RANKS_ALLOWED}")
    return rank


def _each_rank(text: str) -> list[int]:
    """The ranks of `a k j 8 3` or `akj83`, the highest first; none if it is something else."""
    words = [
        part for word in text.split() for part in ([word] if word in _RANK_OF else re.findall("10|.", word))
    ]
    if not all(word in _RANK_OF for word in words):
        return []
    return sorted((_RANK_OF[word] for word in words), reverse=True)


def _span(text: str) -> _Span:
    """The hands that a name or ranks stand for. Raises `ValueError`: found, allowed."""
    if text in _KIND_OF:
        return _span_of([value for value in range(1, STRENGTHS + 1) if category(value) is _KIND_OF[text]])
    mixed = list(zip(_patterns().tolist(), _pattern_strengths()[0].tolist(), strict=True))
    if text.startswith("pair of "):
        rank = _rank(text.removeprefix("pair of "))
        pairs = [
            value for ranks, value in mixed if category(value) is Category.PAIR and ranks.count(rank) == 2
        ]
        return _span_of(pairs)
    asked = _each_rank(text)
    if not 2 <= len(asked) <= 5:
        raise ValueError(f"found {written(text)}, allowed is a hand: {_HANDS_ALLOWED}")
    found = [
        value
        for ranks, value in mixed
        if ranks[: len(asked)] == asked and (len(asked) == 5 or category(value) is Category.HIGH_CARD)
    ]
    if not found:
        allowed = "the highest ranks of a hand without a pair, or all five ranks of a hand"
        raise ValueError(f"found {written(text)}, allowed is {allowed}")
    return _span_of(found)


def _span_of(values: Sequence[int]) -> _Span:
    # Hands that begin alike stand side by side, so that nothing else lies between.
    return _Span(min(values), max(values))
