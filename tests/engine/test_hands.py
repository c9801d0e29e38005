"""Cards, strengths and names of hands, and the reference counts of all of them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest

from table_controller.engine.cards import DECK, RANK_WEIGHTS, Card, card_text, parse_card, parse_hand
from table_controller.engine.hands import (
    STRENGTHS,
    Category,
    best_of_six,
    category,
    hand_name,
    qualifies,
    strength,
)
from tests.shared import shared


def of(hand: str) -> int:
    return strength(parse_hand(hand))


def test_a_deck_has_fifty_two_different_cards_and_each_is_read_as_it_is_written() -> None:
    assert len(set(DECK)) == 52
    assert [parse_card(card_text(card)) for card in DECK] == list(DECK)


def test_a_card_is_read_in_upper_and_lower_case() -> None:
    assert parse_card("kd") == parse_card("KD") == parse_card("Kd")
    assert card_text(parse_card("tc")) == "TC"


@pytest.mark.parametrize("text", ["JK", "", "K", "1S", "10S", "KX", "KD ", "DK"])
def test_what_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=f"'{text}' is no card: allowed is a rank of 23456789TJQKA"):
        parse_card(text)


def test_a_number_that_is_no_card_has_no_text() -> None:
    with pytest.raises(ValueError, match="7 is no card"):
        card_text(Card(7))


def test_a_hand_with_a_card_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        parse_hand("KD AC KD")


def test_no_two_sets_of_five_ranks_have_the_same_weight() -> None:
    sets = [ranks for ranks in combinations_with_replacement(RANK_WEIGHTS, 5) if len(set(ranks)) > 1]
    assert len({sum(ranks) for ranks in sets}) == len(sets) == 6175


@pytest.mark.parametrize("hand", ["KD AC 6S 3D", "KD AC 6S 3D TC 2H"])
def test_four_or_six_cards_are_no_hand(hand: str) -> None:
    with pytest.raises(ValueError, match="unpack"):
        of(hand)


def test_a_wheel_loses_to_a_six_high_straight() -> None:
    assert of("AC 2D 3H 4S 5C") < of("2C 3D 4H 5S 6C")


def test_ace_king_four_three_two_is_the_lowest_hand_that_qualifies() -> None:
    assert qualifies(of("AC KD 4H 3S 2C"))
    assert not qualifies(of("AC QD JH TS 9C"))
    assert of("AC KD 4H 3S 2C") == of("AC QD JH TS 9C") + 1


def test_every_pair_qualifies() -> None:
    assert qualifies(of("2C 2D 3H 4S 5C"))


def test_suits_never_decide() -> None:
    assert of("AC KD 9H 5S 2C") == of("AS KH 9D 5C 2H")


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("TD JD QD KD AD", "royal flush"),
        ("AC 2C 3C 4C 5C", "five-high straight flush"),
        ("9C 9D 9H 9S 2C", "four nines"),
        ("6C 6D 6H 5S 5C", "full house, sixes over fives"),
        ("AC JC 8C 5C 2C", "ace-high flush"),
        ("TD JH QS KC AH", "ace-high straight"),
        ("7C 7D 7H KS 2C", "three sevens"),
        ("3C 3D 2H 2S KC", "two pair, threes and twos"),
        ("9C 9D KH 5S 2C", "pair of nines"),
        ("AC KD QH JS 9C", "ace-king high"),
    ],
)
def test_a_hand_is_called_what_people_at_the_table_call_it(hand: str, name: str) -> None:
    assert hand_name(of(hand)) == name


@pytest.mark.parametrize("number", [0, -1, STRENGTHS + 1])
def test_a_number_that_is_no_strength_has_no_category(number: int) -> None:
    with pytest.raises(ValueError, match=f"{number} is no strength: allowed is 1 to 7462"):
        category(number)


def test_the_sixth_card_makes_the_royal_flush() -> None:
    assert category(best_of_six(parse_hand("TD JD QD KD 2C AD"))) is Category.ROYAL_FLUSH


def test_the_best_of_six_is_the_best_of_its_six_hands() -> None:
    for cards in (parse_hand("9H 9D 4C 7S 2C 9C"), parse_hand("2H 6H 9H JH KH KD"), DECK[5:29:4]):
        assert best_of_six(cards) == max(strength(five) for five in combinations(cards, 5))


def test_all_hands_are_counted_as_the_reference_counts_them() -> None:
    figures = json.loads(shared("golden/hand_counts.json").read_text())
    hands_of = Counter(map(strength, combinations(DECK, 5)))
    assert sorted(hands_of) == list(range(1, STRENGTHS + 1))
    hands: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for value, count in hands_of.items():
        hands[category(value).label] += count
        classes[category(value).label] += 1
    assert hands == figures["combos_by_category"]
    assert classes == figures["classes_by_category"]
    qualifying = sum(count for value, count in hands_of.items() if qualifies(value))
    assert (qualifying, hands_of.total()) == (figures["qualifying_hands"], figures["total_hands"])


def test_the_reference_comparisons_come_out() -> None:
    with shared("golden/compare100.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert rows
    for row in rows:
        strengths = [of(row["hand1"]), of(row["hand2"])]
        assert strengths == [int(row["strength1"]), int(row["strength2"])], row
        kinds = [category(value).label for value in strengths]
        assert kinds == [row["category1"], row["category2"]], row
        assert [qualifies(value) for value in strengths] == [
            row["qualifies1"] == "1",
            row["qualifies2"] == "1",
        ], row
        assert (strengths[0] > strengths[1]) - (strengths[0] < strengths[1]) == int(row["result"]), row


def six_card_sets() -> Iterator[tuple[tuple[Card, ...], int]]:
    """Six cards for all sets of the same strength that differ by suits only, and how many these are."""
    one_suit: Counter[tuple[int, ...]] = Counter()
    for ranks in combinations(range(13), 6):
        one_suit[ranks] += 4
        yield tuple(DECK[rank] for rank in ranks), 4
    for ranks in combinations(range(13), 5):
        for other in range(13):
            one_suit[tuple(sorted((*ranks, other)))] += 12
            yield (*(DECK[rank] for rank in ranks), DECK[13 + other]), 12
    # Where no suit has five cards the ranks alone decide; suits dealt in turn are one such set.
    for ranks in combinations_with_replacement(range(13), 6):
        sets = prod(comb(4, alike) for alike in Counter(ranks).values())
        if sets:
            cards = tuple(DECK[13 * (place % 4) + rank] for place, rank in enumerate(ranks))
            yield cards, sets - one_suit[ranks]


def test_the_bonus_meets_all_six_card_sets_as_the_reference_counts_them() -> None:
    figures = json.loads(shared("golden/bonus51.json").read_text())
    kinds: Counter[str] = Counter()
    for cards, sets in six_card_sets():
        kinds[category(best_of_six(cards)).label] += sets
    assert kinds == figures["counts"]
    assert kinds.total() == figures["total"]
