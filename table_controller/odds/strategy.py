"""Strategies: which hands raise, well-known ones by name and others as a file of rules, and what they cost.

A file of rules is read from the top; the first rule that fits a hand and the up card decides. A rule is
`raise:` or `fold:` with conditions joined by `and`, the last one says `otherwise`; `#` begins a remark.

    raise: pair or better               also `pair` (just that kind) and `below pair`; a hand is a kind
    raise: A K J 8 3 or better              (`two pair`, `full house` …), `pair of 9`, two to five ranks
    fold:  below A K                        (two to four: a hand without a pair whose highest they are)
    raise: up 2 to Q and up in hand     the up card's rank is one of these; one of my ranks
    raise: up A or K and holds Q or J   one of my cards is one of these
    raise: not up in hand and holds Q and up below my 4th card      lower than my fourth highest card
    raise: up suit 2 or more            so many of my cards have the up card's suit (`0`, `1 or fewer`)
    fold:  otherwise

Rows and counts are those of `odds.counts`; every total is a whole number of antes over all deals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import cycle
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from table_controller.engine.cards import DECK, RANKS, Card, card_text
from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.values import written
from table_controller.odds.conditions import Condition, read_condition
from table_controller.odds.counts import DEALER_HANDS, Counts
from table_controller.odds.main_game import FOLD, LOST, analyse, stakes_of, won_by
from table_controller.odds.patterns import LOWEST_RANK, PATTERNS, Flags

WELL_KNOWN: Final = {
    "akj83_or_better": """
        raise: A K J 8 3 or better
        fold: otherwise
    """,
    "pair_or_better": """
        raise: pair or better
        fold: otherwise
    """,
    "pair_plus_three_AK_rules": """
        raise: pair or better
        fold: below A K
        raise: up 2 to Q and up in hand
        raise: up A or K and holds Q or J
        raise: not up in hand and holds Q and up below my 4th card
        fold: otherwise
    """,
    "matching_rank": """
        raise: pair or better
        raise: A K and up in hand
        fold: otherwise
    """,
    "ak_or_better": """
        raise: A K or better
        fold: otherwise
    """,
    "always_raise": """
        raise: otherwise
    """,
}
"""The well-known simple strategies, as files of rules."""

NAMES: Final = tuple(WELL_KNOWN)


class StrategyError(Exception):
    """A file of rules that cannot be used; `problems` is everything that is wrong, a sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class Rule(NamedTuple):
    """One rule, with its line in the file; it fits where all of its conditions do."""

    line: int
    text: str
    raises: bool
    conditions: tuple[Condition, ...]


class Strategy(NamedTuple):
    """Rules in order, the last of which fits everything."""

    rules: tuple[Rule, ...]

    def raises(self, counts: Counts) -> Flags:
        """The decision for each row: whether it raises."""
        decisions = np.zeros(len(counts.weight), np.bool_)
        for rule, decided in self._decided(counts):
            if rule.raises:
                decisions |= decided
        return decisions

    def pairs_decided(self, counts: Counts) -> tuple[int, ...]:
        """How many (hand, up card) pairs each rule decides; a rule with 0 stands behind others in vain."""
        return tuple(int(counts.weight[decided].sum(dtype=np.int64)) for _, decided in self._decided(counts))

    def _decided(self, counts: Counts) -> Iterator[tuple[Rule, Flags]]:
        still_open = np.ones(len(counts.weight), np.bool_)
        for rule in self.rules:
            decided = still_open.copy()
            for condition in rule.conditions:
                decided &= condition(counts)
            still_open &= ~decided
            yield rule, decided


# ------------------------------------------------------------------------------ reading a file


def parse_strategy(text: str, place: str) -> Strategy:
    """Read a file of rules, in the form that stands at the top of this module.

    `place` names the file in what is reported. Raises `StrategyError` with every problem in one pass,
    each with its line, what was found and what is allowed.
    """
    rules: list[Rule] = []
    problems = []
    last, ends_at = 0, 0
    for line, whole in enumerate(text.split("\n"), 1):
        rule = " ".join(whole.partition("#")[0].split())
        if not rule:
            continue
        last = line
        if ends_at:
            end = f"found {written(rule)} after 'otherwise' of line {ends_at}, allowed is nothing"
            problems.append(f"{place}: line {line}: {end}")
            continue
        try:
            rules.append(_rule(line, rule))
        except ValueError as found:
            problems.extend(f"{place}: line {line}: {problem}" for problem in found.args)
        # A wrong decision before it does not make the file endless.
        if rule.lower().endswith((": otherwise", ":otherwise")):
            ends_at = line
    if not ends_at:
        at = f"{place}: line {last}" if last else place
        found_last = "a last rule with a condition" if last else "no rule"
        problems.append(f"{at}: found {found_last}, allowed is 'raise: otherwise' or 'fold: otherwise'")
    if problems:
        raise StrategyError(problems)
    return Strategy(tuple(rules))


def _rule(line: int, text: str) -> Rule:
    """A rule. Raises `ValueError` with every problem, an argument each."""
    decision, colon, conditions = text.partition(":")
    if not colon:
        raise ValueError(f"found {written(text)}, allowed is 'raise: CONDITION' or 'fold: CONDITION'")
    problems = []
    if decision.strip().lower() not in ("raise", "fold"):
        problems.append(f"found {written(decision.strip())}, allowed is raise or fold")
    fits: list[Condition] = []
    said = conditions.strip()
    for part in () if said.lower() == "otherwise" else re.split(r"\band\b", said, flags=re.IGNORECASE):
        try:
            fits.append(read_condition(part.strip()))
        except ValueError as problem:
            problems.append(str(problem))
    if problems:
        raise ValueError(*problems)
    return Rule(line, text, decision.strip().lower() == "raise", tuple(fits))


def named(name: str, counts: Counts) -> Flags:
    """The decision of a well-known strategy for each row. Raises `KeyError`: found, allowed."""
    if name not in WELL_KNOWN:
        raise KeyError(f"found {written(name)}, allowed is {', '.join(NAMES)}")
    return parse_strategy(WELL_KNOWN[name], name).raises(counts)


# ------------------------------------------------------------------------------ what it costs


class Mistake(msgspec.Struct, frozen=True):
    """A decision that costs: a hand and an up card of that kind, and by how much, in antes."""

    hand: str
    up: str
    raised: bool
    by: Fraction


class Cost(msgspec.Struct, frozen=True):
    """What decisions cost against the best ones: totals in antes over all deals.

    Pairs are (hand, up card) pairs whose decision costs something; where raise and fold come to the
    same, either is best. `worst` is a mistake that no other exceeds, or nothing.
    """

    total: int
    best_total: int
    deals: int
    pairs_raised: int
    pairs_folded: int
    worst: Mistake | None

    @property
    def loss(self) -> Fraction:
        """What they lose against the best decisions, in antes a deal."""
        return Fraction(self.best_total - self.total, self.deals)

    @property
    def pairs(self) -> int:
        """How many (hand, up card) pairs are played at a loss."""
        return self.pairs_raised + self.pairs_folded


def cost(rules: HouseRules, counts: Counts, raises: Flags) -> Cost:
    """What these decisions, one for each row, cost under these house rules."""
    above_fold = _above_fold(rules, counts)
    raised_wrongly, folded_wrongly = raises & (above_fold < 0), ~raises & (above_fold > 0)
    wrong = raised_wrongly | folded_wrongly
    own, best = analyse(rules, counts, raises), analyse(rules, counts)
    worst = None
    if wrong.any():
        row = int(np.argmax(np.where(wrong, np.abs(above_fold), 0)))
        hand, up = _example(counts, row)
        by = Fraction(abs(int(above_fold[row])), DEALER_HANDS)
        worst = Mistake(" ".join(map(card_text, hand)), card_text(up), bool(raises[row]), by)
    return Cost(
        total=own.total,
        best_total=best.total,
        deals=best.deals,
        pairs_raised=int(counts.weight[raised_wrongly].sum(dtype=np.int64)),
        pairs_folded=int(counts.weight[folded_wrongly].sum(dtype=np.int64)),
        worst=worst,
    )


def _above_fold(rules: HouseRules, counts: Counts) -> NDArray[np.int64]:
    """What a raise brings more than a fold, for each row, in antes over the hidden hands (METHOD.md)."""
    beat, tie, lose = stakes_of(rules)
    won = np.array([won_by(rules, kind) for kind in Category], np.int64)
    # Odds are at most a million (engine.values), hidden hands less than 2**18: 64 bits hold it.
    value = won[counts.category] * counts.q_win
    others = {"nq_beat": beat, "nq_tie": tie, "nq_lose": lose, "q_lose": LOST}
    for name, antes in others.items():
        value += getattr(counts, name) * np.int64(antes)
    return value - FOLD * DEALER_HANDS


def _example(counts: Counts, row: int) -> tuple[list[Card], Card]:
    """A hand and an up card of a row: the up card's suit is the last, other cards take the rest in turn."""
    up_suit = 3
    same_suit, flush = int(counts.same_suit[row]), bool(counts.flush[row])
    others = cycle(range(up_suit))
    hand: list[Card] = []
    for rank in PATTERNS[counts.pattern[row]]:
        of_up_suit = _card(rank, up_suit)
        if same_suit >> rank - LOWEST_RANK & 1 and of_up_suit not in hand:
            hand.append(of_up_suit)
        else:
            hand.append(_card(rank, 0 if flush else next(others)))
    return hand, _card(int(counts.up_rank[row]), up_suit)


def _card(rank: int, suit: int) -> Card:
    return DECK[suit * len(RANKS) + rank - LOWEST_RANK]
