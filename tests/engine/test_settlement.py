"""Ante, raise and bonus: who is paid, who pushes, who loses."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.engine.cards import DECK, parse_card, parse_hand
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text, parse_money
from table_controller.engine.settlement import SeatBets, in_settle_order, settle
from table_controller.presets import PRESETS, load_preset

QUALIFIED = "KD AC 6S 3D TC"
UNQUALIFIED = "QD TC 8S 5H 3D"


def rules_of(preset: str, **options: Any) -> HouseRules:
    return msgspec.structs.replace(load_preset(preset), **options)


def raised(seat: int, hand: str, ante_cents: int = 1000, bonus_cents: int = 0) -> SeatBets:
    return SeatBets(seat, ante_cents, 2 * ante_cents, bonus_cents, False, parse_hand(hand))


def folded(seat: int, hand: str = "", ante_cents: int = 1000, bonus_cents: int = 0) -> SeatBets:
    return SeatBets(seat, ante_cents, 0, bonus_cents, True, parse_hand(hand) if hand else None)


def results(rules: HouseRules, dealer: str, *bets: SeatBets, up: str = "") -> dict[int, list[str]]:
    upcard = parse_card(up) if up else None
    outcomes = settle(rules, parse_hand(dealer) if dealer else None, upcard, bets)
    return {seat: [each.ante.text, each.raise_.text, each.bonus.text] for seat, each in outcomes.items()}


US = load_preset("us_standard")

same_every_time = settings(derandomize=True, deadline=None)


def test_a_better_hand_wins_the_ante_evenly_and_the_raise_by_the_table() -> None:
    assert results(US, QUALIFIED, raised(1, "QS QH QC 3S 3H")) == {1: ["win 10.00", "win 140.00", "none"]}


def test_a_worse_hand_loses_both() -> None:
    assert results(US, QUALIFIED, raised(1, "KS AH 6D 3C 9C")) == {1: ["lose 10.00", "lose 20.00", "none"]}


def test_an_equal_hand_pushes_both() -> None:
    assert results(US, QUALIFIED, raised(1, "KS AH 6D 3C TD")) == {1: ["push 10.00", "push 20.00", "none"]}


def test_a_fold_loses_the_ante_whatever_the_dealer_has() -> None:
    for dealer in (QUALIFIED, UNQUALIFIED, ""):
        assert results(US, dealer, folded(1, "AS AH 2C 2D 2H")) == {1: ["lose 10.00", "none", "none"]}


def test_when_everybody_folds_no_hand_is_needed() -> None:
    assert results(US, "", folded(1), folded(7)) == {
        7: ["lose 10.00", "none", "none"],
        1: ["lose 10.00", "none", "none"],
    }


BETTER, EQUAL, WORSE = "QH TD 8C 5S 4H", "QH TD 8C 5S 3H", "QH TD 8C 5S 2H"


@pytest.mark.parametrize(
    ("options", "antes"),
    [
        ({"nonqualify_ante": "pay_all"}, ["win 10.00", "win 10.00", "win 10.00"]),
        ({"unpaid_ante": "push"}, ["win 10.00", "push 10.00", "push 10.00"]),
        ({"unpaid_ante": "lose"}, ["win 10.00", "lose 10.00", "lose 10.00"]),
        ({"unpaid_ante": "lose_if_worse"}, ["win 10.00", "push 10.00", "lose 10.00"]),
        ({"nonqualify_odds": 2}, ["win 20.00", "push 10.00", "push 10.00"]),
    ],
)
def test_an_unqualified_dealer_pays_antes_as_the_house_says_and_pushes_every_raise(
    options: dict[str, Any], antes: list[str]
) -> None:
    for hand, ante in zip((BETTER, EQUAL, WORSE), antes, strict=True):
        assert results(rules_of("us", **options), UNQUALIFIED, raised(1, hand)) == {
            1: [ante, "push 20.00", "none"]
        }


def test_seats_are_settled_from_the_dealers_right_or_from_the_left() -> None:
    assert in_settle_order(US, [3, 7, 1]) == [7, 3, 1]
    assert in_settle_order(rules_of("us", settle_order="left_to_right"), [3, 7, 1]) == [1, 3, 7]


LIVE = load_preset("live")


def test_the_up_card_makes_the_bonus() -> None:
    trips_with_nine = raised(1, "9H 9D 4C 7S 2C", bonus_cents=500)
    dealer = "KD AC 6S 3H 9C"
    assert results(LIVE, dealer, trips_with_nine, up="9C")[1][2] == "win 35.00"
    assert results(LIVE, dealer, trips_with_nine, up="KD")[1][2] == "lose 5.00"


def test_a_folded_bonus_stays_in_action_or_is_lost_as_the_house_says() -> None:
    flush = folded(1, "2H 6H 9H JH KH", bonus_cents=500)
    assert results(LIVE, "", flush, up="KD") == {1: ["lose 10.00", "none", "win 75.00"]}
    gives_up = rules_of("live", fold_keeps_bonus=False)
    assert results(gives_up, "", flush) == {1: ["lose 10.00", "none", "lose 5.00"]}


def test_a_bonus_hand_whose_line_pays_nothing_loses() -> None:
    rules = rules_of("live", bonus_pays=(1000, 200, 100, 20, 15, 10))
    trips = raised(1, "9H 9D 9C 7S 2C", bonus_cents=500)
    assert results(rules, QUALIFIED, trips, up="KD")[1][2] == "lose 5.00"


FOUR_NINES = "9S 9D 9C 9H 2C"
FOUR_TENS = "TS TD TC TH 3C"
STRAIGHT_FLUSH = "4H 5H 6H 7H 8H"


def test_winners_over_the_limit_of_the_round_share_it_by_what_they_won() -> None:
    rules = rules_of("us_standard", aggregate_limit_cents=600_000)
    bets = raised(1, STRAIGHT_FLUSH, 10_000), raised(2, FOUR_NINES, 5_000)
    assert [line[1] for line in results(rules, QUALIFIED, *bets).values()] == ["win 1000.00", "win 5000.00"]


def test_the_cents_over_go_to_the_first_who_is_settled() -> None:
    rules = rules_of("us_standard", aggregate_limit_cents=100_000)
    bets = raised(1, "9S 9D 2C 2D JH", 7_000), raised(2, "8S 8D 4C 4D JC", 7_000), raised(3, FOUR_TENS, 7_000)
    # 280.00, 280.00 and 2800.00 are won; 83.33, 83.33, 833.33 are the shares and a cent is over.
    assert {seat: line[1] for seat, line in results(rules, "KD AC 6S 3D 5C", *bets).items()} == {
        3: "win 833.34",
        2: "win 83.33",
        1: "win 83.33",
    }


def test_the_limit_of_a_seat_binds_every_seat_for_itself() -> None:
    rules = rules_of("us_standard", aggregate_limit_cents=600_000, limit_scope="seat")
    bets = raised(1, STRAIGHT_FLUSH, 10_000), raised(2, FOUR_NINES, 5_000)
    assert [line[1] for line in results(rules, QUALIFIED, *bets).values()] == ["win 2000.00", "win 6000.00"]


def test_a_limit_that_is_just_reached_changes_nothing() -> None:
    rules = rules_of("us_standard", aggregate_limit_cents=1_000_000)
    assert results(rules, QUALIFIED, raised(1, STRAIGHT_FLUSH, 10_000))[1][1] == "win 10000.00"


@pytest.mark.parametrize(
    ("dealer", "up", "bets", "problem"),
    [
        ("", "", raised(1, FOUR_NINES), "seat 1 raised and the dealer's hand is not known"),
        ("KD AC 6S 3D", "", raised(1, FOUR_NINES), "dealer: found 4 cards, allowed is 5"),
        (QUALIFIED, "KS", raised(1, FOUR_NINES), "up card: KS is none of the dealer's cards"),
        (QUALIFIED, "", raised(1, FOUR_NINES, bonus_cents=5), "seat 1: a bonus in action and the up card"),
        (QUALIFIED, "", raised(1, "9S 9D 9C 9H KD"), "KD lies in two places"),
        ("", "9S", folded(1, FOUR_NINES, bonus_cents=5), "9S lies in two places"),
        (QUALIFIED, "", raised(1, "9S 9D 9C 9H"), "seat 1: the hand decides money and is not five cards"),
        ("", "KD", folded(1, bonus_cents=5), "seat 1: the hand decides money and is not five cards"),
        (QUALIFIED, "", SeatBets(1, 1000, 0, 0, False, None), "seat 1: raise: found 0.00, allowed is 20.00"),
        (
            QUALIFIED,
            "",
            SeatBets(1, 1000, 2000, 0, True, None),
            "seat 1: raise: found 20.00, allowed is 0.00",
        ),
        (QUALIFIED, "", SeatBets(1, -1, 0, 0, True, None), "seat 1: an amount is negative"),
    ],
)
def test_a_round_that_cannot_be_is_refused(dealer: str, up: str, bets: SeatBets, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        results(LIVE, dealer, bets, up=up)


def test_a_seat_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="a seat is there twice"):
        results(US, QUALIFIED, folded(1), folded(1))


def test_a_bonus_where_the_house_offers_none_is_refused() -> None:
    with pytest.raises(ValueError, match="seat 1: a bonus, and the house offers none"):
        results(US, QUALIFIED, folded(1, bonus_cents=500))


@same_every_time
@given(
    cards=st.permutations(DECK),
    preset=st.sampled_from(PRESETS),
    limit_cents=st.integers(1, 200_000),
    antes_cents=st.lists(st.integers(1, 10_000), min_size=7, max_size=7),
)
def test_raises_never_win_more_than_the_limit_of_the_round(
    cards: list[Any], preset: str, limit_cents: int, antes_cents: list[int]
) -> None:
    hands = [tuple(cards[5 * place : 5 * place + 5]) for place in range(8)]
    bets = [SeatBets(seat, ante, 2 * ante, 0, False, hands[seat]) for seat, ante in enumerate(antes_cents, 1)]

    def won_cents(rules: HouseRules) -> int:
        outcomes = settle(rules, hands[0], None, bets).values()
        return sum(each.raise_.cents for each in outcomes if each.raise_.kind == "win")

    free_cents = won_cents(load_preset(preset))
    assert won_cents(rules_of(preset, aggregate_limit_cents=limit_cents)) == min(free_cents, limit_cents)


@same_every_time
@given(st.integers(0, 99_999_999_999))
def test_an_amount_is_read_as_it_is_written(cents: int) -> None:
    assert parse_money(money_text(cents)) == cents


@pytest.mark.parametrize(
    "text", ["1", "1.0", "1.000", "01.00", "-1.00", " 1.00", "1,00", "1.00\n", "١.00", ""]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no amount"):
        parse_money(text)


def test_a_debt_is_written_with_its_sign() -> None:
    assert money_text(-5) == "-0.05"
