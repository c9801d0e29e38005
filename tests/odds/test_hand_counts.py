"""How many hands of each kind there are among five and among six cards."""

from __future__ import annotations

import json
from math import comb

import pytest

from table_controller.engine.hands import Category
from table_controller.odds.hand_counts import hands_by_kind
from tests.shared import shared


def test_the_kinds_of_five_cards_are_the_golden_ones() -> None:
    golden = json.loads(shared("golden/hand_counts.json").read_text("utf-8"))
    assert {kind.label: hands for kind, hands in hands_by_kind(5).items()} == golden["combos_by_category"]
    assert sum(hands_by_kind(5).values()) == golden["total_hands"]


def test_the_kinds_of_six_cards_are_the_golden_ones() -> None:
    golden = json.loads(shared("golden/bonus51.json").read_text("utf-8"))
    assert {kind.label: sets for kind, sets in hands_by_kind(6).items()} == golden["counts"]


@pytest.mark.parametrize("size", [5, 6])
def test_every_set_is_counted_once_and_the_royal_comes_first(size: int) -> None:
    assert sum(hands_by_kind(size).values()) == comb(52, size)
    assert list(hands_by_kind(size)) == list(reversed(Category))


def test_a_caller_cannot_change_what_is_counted() -> None:
    hands_by_kind(5)[Category.ROYAL_FLUSH] = 0
    assert hands_by_kind(5)[Category.ROYAL_FLUSH] == 4


@pytest.mark.parametrize("size", [4, 7])
def test_another_number_of_cards_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"found {size} cards, allowed is 5 or 6"):
        hands_by_kind(size)
