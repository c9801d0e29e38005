"""Well-known strategies cost what is published, files of rules mean what they say, errors name the line."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from table_controller.engine.cards import DECK, RANKS, Card, card_text, parse_card, parse_hand
from table_controller.engine.hands import Category, category, qualifies, strength
from table_controller.odds.counts import DEALER_HANDS, DEALS, PAIRS
from table_controller.odds.main_game import analyse, best, decide, results_of
from table_controller.odds.patterns import Flags
from table_controller.odds.strategy import NAMES, StrategyError, cost, named, parse_strategy
from table_controller.presets import load_preset
from tests.odds.deals import rows_of
from tests.odds.rows import counts
from tests.shared import shared


def published() -> dict[str, int]:
    reference = json.loads(shared("golden/public_reference.json").read_text("utf-8"))
    losses: dict[str, int] = reference["published_total_loss"]
    return losses


# ------------------------------------------------------------------------------ the published totals


@pytest.mark.parametrize("name", NAMES)
def test_a_well_known_strategy_loses_to_the_last_ante_what_is_published(name: str) -> None:
    found = cost(load_preset("us_standard"), counts(), named(name, counts()))
    assert (found.total, found.best_total) == (-published()[name], -published()["optimal"])
    assert found.loss == Fraction(published()[name] - published()["optimal"], DEALS)


def test_every_published_strategy_has_a_name() -> None:
    assert {*NAMES, "optimal"} == set(published())


@pytest.mark.parametrize("preset", ["us_standard", "us", "live", "video_3"])
@pytest.mark.parametrize("name", NAMES)
def test_the_cost_is_the_difference_of_the_totals_and_the_sum_of_all_mistakes(name: str, preset: str) -> None:
    rules, raises = load_preset(preset), named(name, counts())
    found = cost(rules, counts(), raises)
    optimal = analyse(rules, counts())
    assert found.total == analyse(rules, counts(), raises).total
    assert found.best_total == optimal.total
    assert found.loss == Fraction(optimal.total - found.total, DEALS)
    worth = results_of(rules)
    won = np.asarray([worth[f"win_{kind.label}"] for kind in Category])
    raised = won[counts().category] * counts().q_win + worth["lose"] * counts().q_lose
    for six, name in (("nq_beat", "beat"), ("nq_tie", "tie"), ("nq_lose", "lose")):
        raised += worth[f"not_qualified_{name}"] * getattr(counts(), six)
    better = np.where(raises, worth["fold"] * DEALER_HANDS - raised, raised - worth["fold"] * DEALER_HANDS)
    mistakes = better > 0
    assert found.best_total - found.total == (better * counts().weight)[mistakes].sum()
    assert found.pairs == counts().weight[mistakes].sum()
    assert found.pairs_raised == counts().weight[mistakes & raises].sum()
    assert found.pairs_folded == counts().weight[mistakes & ~raises].sum()
    assert found.worst is not None
    assert found.worst.by == Fraction(int(better.max()), DEALER_HANDS)


def test_the_worst_mistake_is_a_hand_that_is_better_played_otherwise_by_as_much() -> None:
    for preset in ("us_standard", "us", "live", "video_3"):
        rules = load_preset(preset)
        for name in NAMES:
            worst = cost(rules, counts(), named(name, counts())).worst
            assert worst is not None
            hand = decide(rules, parse_hand(worst.hand), parse_card(worst.up))
            assert hand.best == ("fold" if worst.raised else "raise")
            assert abs(hand.ev_raise - hand.ev_fold) == worst.by


def test_the_best_decisions_cost_nothing_and_have_no_worst_mistake() -> None:
    rules = load_preset("live")
    found = cost(rules, counts(), best(rules, counts()))
    assert not found.loss
    assert found.pairs == 0
    assert found.worst is None


def test_who_always_folds_loses_every_ante() -> None:
    found = cost(load_preset("live"), counts(), parse_strategy("fold: otherwise", "f").raises(counts()))
    assert found.total == -DEALS
    assert found.pairs_raised == 0
    assert found.worst is not None
    assert not found.worst.raised


def test_a_raise_that_comes_to_the_same_as_a_fold_is_no_mistake() -> None:
    # An ante that is paid 2 to 1 or pushes: golden/other_pay_tables.json knows 360 such pairs.
    rules = msgspec.structs.replace(load_preset("us"), nonqualify_odds=2)
    lost = 3 * counts().q_lose - 2 * counts().nq_beat
    level = (counts().category == Category.HIGH_CARD) & (lost - 3 * counts().q_win == DEALER_HANDS)
    assert counts().weight[level].sum() == 360
    raises = best(rules, counts())
    assert not raises[level].any()
    found = cost(rules, counts(), raises | level)
    assert not found.loss
    assert found.pairs == 0
    assert found.worst is None


def test_odds_of_a_million_do_not_overflow() -> None:
    rules = msgspec.structs.replace(load_preset("us_standard"), raise_pays=(1_000_000,) * 10)
    raises = named("ak_or_better", counts())
    found = cost(rules, counts(), raises)
    assert found.worst is not None
    hand = decide(rules, parse_hand(found.worst.hand), parse_card(found.worst.up))
    assert found.worst.by == abs(hand.ev_raise - hand.ev_fold)


# ------------------------------------------------------------------------------ what a rule means


class Dealt(NamedTuple):
    """A hand and an up card as the independent readings of the tests look at them."""

    hand: tuple[Card, ...]
    up: Card

    @property
    def ranks(self) -> list[int]:
        return sorted((rank(card) for card in self.hand), reverse=True)

    @property
    def up_rank(self) -> int:
        return rank(self.up)

    @property
    def same_suit(self) -> int:
        return sum(card_text(card)[1] == card_text(self.up)[1] for card in self.hand)

    @property
    def strength(self) -> int:
        return strength(self.hand)

    @property
    def kind(self) -> Category:
        return category(self.strength)


def rank(card: Card) -> int:
    return RANKS.index(card_text(card)[0]) + 2


@cache
def drawn() -> list[Dealt]:
    """Four thousand hands and up cards, made so that every kind of hand is among them."""
    dice = random.Random("hands for rules")
    dealt = []
    for number in range(4000):
        cards = dice.sample(DECK, 6)
        if number % 4 == 1:
            suit = dice.randrange(4)
            cards[:5] = dice.sample(DECK[13 * suit : 13 * suit + 13], 5)
        elif number % 4 == 2:
            few = dice.sample(range(13), 4)
            cards = dice.sample([card for card in DECK if rank(card) - 2 in few], 6)
        elif number % 4 == 3:
            cards[:2] = [DECK[13 * dice.randrange(4) + 12], DECK[13 * dice.randrange(4) + 11]]
        if len(set(cards)) == 6:
            dealt.append(Dealt(tuple(cards[:5]), cards[5]))
    return dealt


@cache
def drawn_rows() -> NDArray[np.intp]:
    hands = np.asarray([one.hand for one in drawn()], np.int64)
    return rows_of(counts()).of(hands, np.asarray([one.up for one in drawn()], np.int64))


def decided(raises: Flags) -> list[bool]:
    found: list[bool] = raises[drawn_rows()].tolist()
    return found


def better_than(text: str) -> Callable[[Dealt], bool]:
    least = strength(parse_hand(text))
    return lambda one: one.strength >= least


def is_ace_king(one: Dealt) -> bool:
    return one.kind is Category.HIGH_CARD and qualifies(one.strength)


MEANINGS: list[tuple[str, Callable[[Dealt], bool]]] = [
    ("pair or better", lambda one: one.kind >= Category.PAIR),
    ("A K J 8 3 or better", better_than("AC KD JH 8S 3C")),
    ("A-K-J-8-3 or better", better_than("AC KD JH 8S 3C")),
    ("akj83 OR BETTER", better_than("AC KD JH 8S 3C")),
    ("K J 10 9 7 or better", better_than("KC JD TH 9S 7C")),
    ("kj1097 or better", better_than("KC JD TH 9S 7C")),
    ("9 9 A 5 2 or better", better_than("9C 9D AH 5S 2C")),
    ("pair of 9 or better", better_than("9C 9D 4H 3S 2C")),
    ("pair of sixes", lambda one: one.kind is Category.PAIR and one.ranks.count(6) == 2),
    ("A K or better", lambda one: qualifies(one.strength)),
    ("ace-king", is_ace_king),
    ("below A K", lambda one: not qualifies(one.strength)),
    ("not below A K", lambda one: qualifies(one.strength)),
    ("below pair", lambda one: one.kind is Category.HIGH_CARD),
    ("A Q J", lambda one: one.kind is Category.HIGH_CARD and one.ranks[:3] == [14, 12, 11]),
    ("A Q J or better", better_than("AC QD JH 3S 2C")),
    ("A 2 3 4 5", lambda one: one.kind is Category.STRAIGHT and one.ranks == [14, 5, 4, 3, 2]),
    ("flush", lambda one: one.kind is Category.FLUSH),
    ("three of a kind", lambda one: one.kind is Category.THREE_OF_A_KIND),
    ("four of a kind or better", lambda one: one.kind >= Category.FOUR_OF_A_KIND),
    ("high card", lambda one: one.kind is Category.HIGH_CARD),
    ("royal flush", lambda one: one.kind is Category.ROYAL_FLUSH),
    ("holds Q", lambda one: 12 in one.ranks),
    ("holds queen or 2 to 4", lambda one: not {12, 2, 3, 4}.isdisjoint(one.ranks)),
    ("not holds A", lambda one: 14 not in one.ranks),
    ("up A or K", lambda one: one.up_rank in (14, 13)),
    ("up 2 to Q", lambda one: 2 <= one.up_rank <= 12),
    ("up 10", lambda one: one.up_rank == 10),
    ("up 2, 5, jack to ace", lambda one: one.up_rank in (2, 5, 11, 12, 13, 14)),
    ("up in hand", lambda one: one.up_rank in one.ranks),
    ("not up in hand", lambda one: one.up_rank not in one.ranks),
    ("up below my 4th card", lambda one: one.up_rank < one.ranks[3]),
    ("up below 1st", lambda one: one.up_rank < one.ranks[0]),
    ("up above my 2nd card", lambda one: one.up_rank > one.ranks[1]),
    ("up above 5th card", lambda one: one.up_rank > one.ranks[4]),
    ("up suit 2 or more", lambda one: one.same_suit >= 2),
    ("up suit 1 or fewer", lambda one: one.same_suit <= 1),
    ("up suit 0", lambda one: one.same_suit == 0),
    ("not not up suit 5", lambda one: one.same_suit == 5),
    ("up suit 5", lambda one: one.same_suit == 5),
    (
        "A K and up 2 to Q and up in hand and not holds J",
        lambda one: (
            is_ace_king(one) and one.up_rank in one.ranks and one.up_rank <= 12 and 11 not in one.ranks
        ),
    ),
]


@pytest.mark.parametrize(("rule", "meaning"), MEANINGS, ids=[rule for rule, _ in MEANINGS])
def test_a_rule_raises_exactly_the_hands_that_it_names(rule: str, meaning: Callable[[Dealt], bool]) -> None:
    raises = parse_strategy(f"raise: {rule}\nfold: otherwise", "rules").raises(counts())
    assert decided(raises) == [meaning(one) for one in drawn()]
    folds = parse_strategy(f"fold: {rule}\nraise: otherwise", "rules").raises(counts())
    assert not (raises & folds).any()
    assert (raises | folds).all()


def published_ace_king(one: Dealt) -> bool:
    """The three rules in the words of their publisher."""
    if one.kind >= Category.PAIR:
        return True
    if not qualifies(one.strength):
        return False
    matches = one.up_rank in one.ranks
    first = one.up_rank <= 12 and matches
    second = one.up_rank in (13, 14) and (12 in one.ranks or 11 in one.ranks)
    third = not matches and 12 in one.ranks and one.up_rank < one.ranks[3]
    return first or second or third


def test_the_three_ace_king_rules_are_read_as_they_are_published() -> None:
    raises = decided(named("pair_plus_three_AK_rules", counts()))
    assert raises == [published_ace_king(one) for one in drawn()]


def test_the_first_rule_that_fits_decides_and_a_rule_behind_it_is_counted_as_idle() -> None:
    strategy = parse_strategy(
        """
        # A person's remark.
        raise: pair or better        # and one behind a rule
        fold:  up A or K
        Raise: A K and up in hand
        raise: three of a kind
        fold:  otherwise
        """,
        "rules",
    )
    assert [rule.line for rule in strategy.rules] == [3, 4, 5, 6, 7]
    expected = [
        one.kind >= Category.PAIR or (one.up_rank < 13 and is_ace_king(one) and one.up_rank in one.ranks)
        for one in drawn()
    ]
    assert decided(strategy.raises(counts())) == expected
    decided_by = strategy.pairs_decided(counts())
    assert sum(decided_by) == PAIRS
    assert decided_by[3] == 0
    assert all(times > 0 for number, times in enumerate(decided_by) if number != 3)


# ------------------------------------------------------------------------------ what is refused


def problems_of(text: str) -> list[str]:
    with pytest.raises(StrategyError) as refused:
        parse_strategy(text, "house.rules")
    return refused.value.problems


def test_every_problem_of_a_file_is_told_in_one_pass_with_line_found_and_allowed() -> None:
    found = problems_of(
        "raise: pair or better\n"
        "call: A K\n"
        "raise pair\n"
        "raise: holds Q or B and up K to 2\n"
        "raise: up below my 6th card\n"
        "raise: up suit 6\n"
        "raise: lucky\n"
        "raise: 6 5\n"
        "raise: pair of 1\n"
        "raise: below 9 9\n"
        "fold: otherwise\n"
        "raise: flush\n"
    )
    beginnings = [
        "house.rules: line 2: found 'call', allowed is raise or fold",
        "house.rules: line 3: found 'raise pair', allowed is 'raise: CONDITION' or 'fold: CONDITION'",
        "house.rules: line 4: found 'b', allowed is a rank: 2 to 10, J, Q, K, A",
        "house.rules: line 4: found 'k to 2', allowed is the lower rank first, from 2 to A",
        "house.rules: line 5: found '6', allowed is a card from 1st to 5th",
        "house.rules: line 6: found '6', allowed is a number from 0 to 5, alone or with",
        "house.rules: line 7: found 'lucky', allowed is HAND or better, HAND, below HAND, holds RANK, ",
        "house.rules: line 8: found '6 5', allowed is the highest ranks of a hand without a pair, ",
        "house.rules: line 9: found '1', allowed is a rank: 2 to 10, J, Q, K, A",
        "house.rules: line 10: found '9 9', allowed is the highest ranks of a hand without a pair, ",
        "house.rules: line 12: found 'raise: flush' after 'otherwise' of line 11, allowed is nothing",
    ]
    assert len(found) == len(beginnings)
    for problem, beginning in zip(found, beginnings, strict=True):
        assert problem.startswith(beginning)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "house.rules: found no rule, allowed is 'raise: otherwise' or 'fold: otherwise'"),
        ("# nothing\n\n", "house.rules: found no rule, allowed is 'raise: otherwise' or 'fold: otherwise'"),
        (
            "raise: pair or better\n\n",
            "house.rules: line 1: found a last rule with a condition,"
            " allowed is 'raise: otherwise' or 'fold: otherwise'",
        ),
    ],
)
def test_a_file_that_leaves_hands_undecided_is_refused(text: str, problem: str) -> None:
    assert problems_of(text) == [problem]


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "and",
        "pair and",
        "or better",
        "below",
        "not",
        "not not",
        "holds",
        "up",
        "up suit",
        "up suit or more",
        "up in",
        "pair of",
        "A",
        "A A A A A",
        "A K Q J 10 9",
        "otherwise and pair",
        "pair or worse",
        "up below card",
        "up 2 to",
        "A\x00K",
        "otherwise" * 100,
        "not " * 5000 + "A",
        "holds A K",
    ],
)
def test_a_condition_that_says_nothing_known_is_refused_with_its_line_and_shown_short(rule: str) -> None:
    found = problems_of(f"\nraise: {rule}\nfold: otherwise")
    assert all(problem.startswith("house.rules: line 2: found ") for problem in found)
    assert all(", allowed is " in problem and len(problem) < 400 for problem in found)


@settings(derandomize=True, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "raise: fold: otherwise pair of better or A K J 10 9 up suit in hand below my 4th card holds"
            " not and 2 to more fewer queen , # : - \n".split(" ")
        )
        | st.text(max_size=5),
        max_size=40,
    )
)
def test_any_text_is_a_strategy_or_is_refused_with_its_problems(words: list[str]) -> None:
    problems = []
    try:
        last = parse_strategy(" ".join(words), "any").rules[-1]
        assert not last.conditions
    except StrategyError as refused:
        problems = refused.problems or ["none"]
    assert all(problem.startswith("any: ") and "allowed is " in problem for problem in problems)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"found 'hunch', allowed is akj83_or_better, pair_or_better, "):
        named("hunch", counts())
