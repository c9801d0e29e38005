"""The six counts: the golden ones, those of the engine's own dealing, and what has to hold for all rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from table_controller.engine.cards import Card, parse_card, parse_hand
from table_controller.engine.hands import Category
from table_controller.odds.counts import (
    DEALER_HANDS,
    DEALS,
    PAIRS,
    PATTERNS,
    SIX,
    TYPES,
    SixCounts,
    count,
    counts_of,
)
from tests.odds.rows import by_the_engine, counts, pairs_of_every_kind, row_of
from tests.shared import shared

SEED = 163_185


def decisions() -> Iterator[tuple[tuple[Card, ...], Card, SixCounts]]:
    with shared("golden/decisions60.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            hand, up = parse_hand(line["hand"]), parse_card(line["up"])
            yield hand, up, SixCounts(*(int(line[name]) for name in SIX))


def weighted(*names: str) -> int:
    """Over all deals, how many are counted under these names."""
    weight = counts().weight.astype(np.int64)
    return sum(int(weight @ getattr(counts(), name)) for name in names)


# -------------------------------------------------------------------------------- single hands


def test_the_golden_hands_have_the_golden_counts_when_every_dealer_s_hand_is_tried() -> None:
    assert [counts_of(hand, up) for hand, up, _ in decisions()] == [six for _, _, six in decisions()]


def test_the_golden_hands_have_the_golden_counts_in_their_rows() -> None:
    assert [counts().six(row_of(hand, up)) for hand, up, _ in decisions()] == [s for *_, s in decisions()]


def test_hands_of_every_kind_have_the_counts_that_the_engine_finds_by_dealing() -> None:
    for hand, up in pairs_of_every_kind(1, SEED):
        assert by_the_engine(hand, up) == counts_of(hand, up) == counts().six(row_of(hand, up))


def test_hundreds_of_rows_have_the_counts_of_trying_every_dealer_s_hand() -> None:
    for hand, up in pairs_of_every_kind(25, SEED + 1):
        assert counts().six(row_of(hand, up)) == counts_of(hand, up)


def test_the_order_of_a_hand_and_the_names_of_suits_change_nothing() -> None:
    six = counts_of(parse_hand("AC KD JH 8S 3C"), parse_card("5D"))
    assert counts_of(parse_hand("3C 8S JH KD AC"), parse_card("5D")) == six
    assert counts_of(parse_hand("AS KH JD 8C 3S"), parse_card("5H")) == six


@pytest.mark.parametrize(
    ("hand", "up", "said"),
    [
        ("AC KD JH 8S", "5D", "hand: found 4 cards, allowed is 5"),
        ("AC KD JH 8S 3C 2C", "5D", "hand: found 6 cards, allowed is 5"),
        ("AC KD JH 8S 3C", "3C", "up card: found 3C, which is in the hand; allowed is any other card"),
    ],
)
def test_what_is_no_hand_with_an_up_card_is_refused(hand: str, up: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        counts_of(parse_hand(hand), parse_card(up))


def test_a_card_that_is_twice_in_a_hand_is_refused() -> None:
    ace, *others = parse_hand("AC KD JH 8S")
    with pytest.raises(ValueError, match="hand: found AC twice, allowed is each card once"):
        counts_of((ace, ace, *others), parse_card("5D"))


# ------------------------------------------------------------------------------------ all rows


def test_there_are_as_many_rows_and_patterns_as_the_golden_figures_say() -> None:
    golden = json.loads(shared("golden/hand_counts.json").read_text("utf-8"))
    assert len(counts().weight) == golden["decision_rows_p_m_u_flush"]
    assert len(PATTERNS) == len(set(PATTERNS)) == len(set(map(tuple, map(sorted, PATTERNS))))


def test_no_two_rows_are_the_same() -> None:
    rows = counts()
    keys = rows.pattern.astype(np.int64) << 20 | rows.same_suit.astype(np.int64) << 5
    keys |= rows.up_rank.astype(np.int64) << 1 | rows.flush
    keys.sort()
    assert (keys[1:] != keys[:-1]).all()


def test_the_rows_stand_for_every_hand_and_up_card_once() -> None:
    golden = json.loads(shared("golden/hand_counts.json").read_text("utf-8"))
    weight = counts().weight.astype(np.int64)
    assert weight.sum() == PAIRS
    of_kind = {kind.label: int(weight[counts().category == kind].sum()) for kind in Category}
    assert of_kind == {kind: 47 * hands for kind, hands in golden["combos_by_category"].items()}


def test_every_row_counts_every_dealer_s_hand_once() -> None:
    six = np.array([getattr(counts(), name) for name in SIX])
    assert six.min() == 0
    assert set(np.unique(six.sum(axis=0))) == {DEALER_HANDS}


def test_a_dealer_qualifies_as_often_as_the_golden_figures_say() -> None:
    golden = json.loads(shared("golden/hand_counts.json").read_text("utf-8"))["qualify_fraction"]
    assert Fraction(weighted("q_win", "q_tie", "q_lose"), DEALS) == Fraction(golden["num"], golden["den"])


def test_player_and_dealer_have_the_better_hand_equally_often() -> None:
    assert weighted("nq_beat", "q_win") == weighted("nq_lose", "q_lose")
    assert 2 * weighted("nq_beat", "q_win") + weighted("nq_tie", "q_tie") == DEALS


def test_a_flush_is_a_hand_of_one_suit_and_nothing_else_is() -> None:
    suited = (Category.FLUSH, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
    assert (counts().flush == np.isin(counts().category, suited)).all()


def test_the_rows_are_whole_numbers_that_nobody_can_change() -> None:
    for name, kind in TYPES.items():
        array = getattr(counts(), name)
        assert array.dtype == kind
        assert array.dtype.kind in "ib"
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_counting_again_gives_the_same_rows() -> None:
    again = count()
    assert all((getattr(again, name) == getattr(counts(), name)).all() for name in TYPES)
