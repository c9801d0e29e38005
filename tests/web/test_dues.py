"""What is paid and taken at each seat, with the arithmetic, from what everybody may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from table_controller.table.views import snapshot
from table_controller.web.dues import dues
from tests.table.tabletop import TableTop

US = 'preset = "us_standard"\n'
LIVE = 'preset = "live"\n'
# An ace and a king: the dealer just qualifies.
PLAYS = "2H 4C 6H AS KD"
SHORT = "2H 4C 6H 8S TD"
PAIR = "9C 9D 3H 5S 7C"
FLUSH = "2D 5D 8D JD QD"
FULL_HOUSE = "4H 4S 4D 3C 3S"
ROYAL = "TH JH QH KH AH"
NOTHING = "2C 3D 7H 9S JC"


def dealt(hands: Mapping[int, str], dealer: str) -> str:
    rows = zip(*(hands[seat].split() for seat in sorted(hands)), dealer.split(), strict=True)
    places = [*map(str, sorted(hands)), "D"]
    cards = [f"{card}>{place}" for row in rows for card, place in zip(row, places, strict=True)]
    return f"deal {' '.join(cards)}"


def round_of(
    house_rules: str,
    bets: str,
    hands: Mapping[int, str],
    dealer: str,
    decisions: str,
    end: str = "close\nreveal",
) -> dict[int, dict[str, Any]]:
    """The dues of one round by seat, in the order in which they are told."""
    top = TableTop(house_rules)
    top.run(f"{bets}\nlock\n{dealt(hands, dealer)}\n{decisions}\n{end}\n")
    return dues_of(top)


def view_of(top: TableTop) -> dict[str, Any]:
    view: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(snapshot(top.house, top.state, top.at_ms)))
    return view


def dues_of(top: TableTop) -> dict[int, dict[str, Any]]:
    house = msgspec.to_builtins(top.house)
    return {due["seat"]: due for due in dues(view_of(top), house)}


def test_a_flush_against_a_hand_that_qualifies() -> None:
    due = round_of(US, "ante 1 10.00", {1: FLUSH}, PLAYS, "raise 1")[1]
    odds = TableTop(US).house.rules.raise_pays[4]
    assert due["lines"] == [
        "ante 10.00 wins 10.00 (1 to 1)",
        f"raise 20.00 wins {20 * odds}.00 ({odds} to 1, flush)",
    ]
    assert (due["pays_cents"], due["takes_cents"]) == (1000 + 2000 * odds, 0)


def test_a_worse_hand_loses_both_and_the_dealer_takes_them() -> None:
    due = round_of(US, "ante 1 10.00", {1: NOTHING}, PLAYS, "raise 1")[1]
    assert due["lines"] == ["ante 10.00 is lost", "raise 20.00 is lost"]
    assert (due["pays_cents"], due["takes_cents"]) == (0, 3000)


def test_a_dealer_who_does_not_qualify_pays_the_ante_and_the_raise_pushes() -> None:
    due = round_of(US, "ante 1 10.00", {1: NOTHING}, SHORT, "raise 1")[1]
    assert due["lines"] == [
        "ante 10.00 wins 10.00 (1 to 1, the dealer does not qualify)",
        "raise 20.00 pushes",
    ]
    assert (due["pays_cents"], due["takes_cents"]) == (1000, 0)


def test_a_fold_loses_the_ante_and_its_hand_is_not_named() -> None:
    due = round_of(US, "ante 1 10.00\nante 2 10.00", {1: ROYAL, 2: PAIR}, PLAYS, "fold 1\nraise 2")[1]
    assert due["lines"] == ["ante 10.00 is lost (folded)"]
    assert due["takes_cents"] == 1000


def test_the_bonus_is_told_with_its_odds() -> None:
    bets = "ante 1 10.00\nbonus 1 5.00\nante 2 10.00\nbonus 2 5.00"
    told = round_of(LIVE, bets, {1: FLUSH, 2: NOTHING}, PLAYS, "raise 1\nraise 2")
    odds = TableTop(LIVE).house.rules.bonus_pays[4]
    assert f"bonus 5.00 wins {5 * odds}.00 ({odds} to 1, " in "\n".join(told[1]["lines"])
    assert "bonus 5.00 is lost (no hand that is paid)" in told[2]["lines"]
    assert told[2]["takes_cents"] == 1000 + 2000 + 500


def test_a_folded_hand_that_keeps_its_bonus_shows_odds_and_no_card() -> None:
    rules = LIVE + 'fold_keeps_bonus = true\nplayer_cards = "face_down"\n'
    told = round_of(
        rules, "ante 1 10.00\nbonus 1 5.00\nante 2 10.00", {1: FLUSH, 2: PAIR}, PLAYS, "fold 1\nraise 2"
    )
    odds = TableTop(rules).house.rules.bonus_pays[4]
    assert f"bonus 5.00 wins {5 * odds}.00 ({odds} to 1)" in told[1]["lines"]
    assert "flush" not in str(told[1])


def test_a_folded_hand_that_loses_its_bonus_says_so() -> None:
    rules = LIVE + "fold_keeps_bonus = false\n"
    told = round_of(
        rules, "ante 1 10.00\nbonus 1 5.00\nante 2 10.00", {1: FLUSH, 2: PAIR}, PLAYS, "fold 1\nraise 2"
    )
    assert "bonus 5.00 is lost (folded)" in told[1]["lines"]


@pytest.mark.parametrize("order", ["right_to_left", "left_to_right"])
def test_the_seats_come_in_the_order_of_the_house(order: str) -> None:
    rules = US + f'settle_order = "{order}"\n'
    hands = {1: PAIR, 3: FLUSH, 6: NOTHING}
    bets = "ante 1 10.00\nante 3 10.00\nante 6 10.00"
    told = round_of(rules, bets, hands, PLAYS, "raise 1\nraise 3\nraise 6")
    assert list(told) == ([1, 3, 6] if order == "left_to_right" else [6, 3, 1])


def test_a_raise_that_the_limit_cuts_says_what_it_would_have_been() -> None:
    rules = US + 'aggregate_limit = "50.00"\nlimit_scope = "seat"\n'
    due = round_of(rules, "ante 1 10.00", {1: FULL_HOUSE}, PLAYS, "raise 1")[1]
    odds = TableTop(rules).house.rules.raise_pays[3]
    why = f"{odds} to 1, full house, is {20 * odds}.00, cut by the limit of 50.00 a seat"
    assert due["lines"][1] == f"raise 20.00 wins 50.00 ({why})"
    assert due["pays_cents"] == 1000 + 5000


def test_a_void_round_gives_everything_back_and_the_dealer_hands_out_the_token() -> None:
    told = round_of(LIVE, "ante 1 10.00\nbonus 1 5.00\ncoin 1", {1: PAIR}, PLAYS, "raise 1", end="sup void")
    assert told[1]["lines"] == [
        "ante 10.00 goes back",
        "raise 20.00 goes back",
        "bonus 5.00 goes back",
        "coin 1.00 goes back",
    ]
    assert (told[1]["pays_cents"], told[1]["takes_cents"]) == (100, 0)


def test_a_coin_that_won_a_small_award_is_paid_by_the_dealer() -> None:
    due = round_of(US, "ante 1 10.00\ncoin 1", {1: FLUSH}, PLAYS, "raise 1")[1]
    odds = TableTop(US).house.rules.raise_pays[4]
    assert due["lines"][-1] == "coin 1.00 wins 50.00 (flush 50.00)"
    assert due["pays_cents"] == 1000 + 2000 * odds + 5000
    assert due["documents"] == []


def test_a_confirmed_award_is_owed_by_its_document_and_not_paid_with_the_bets() -> None:
    top = TableTop(US)
    top.run(f"ante 1 10.00\ncoin 1\nlock\n{dealt({1: ROYAL}, PLAYS)}\nraise 1\nclose\nreveal\n")
    waiting = dues_of(top)[1]
    assert "waits for a decision" in waiting["lines"][-1]
    assert waiting["documents"] == []
    before_cents = waiting["pays_cents"]
    top.run("stub 42\nsup confirm 1\n")
    owed = dues_of(top)[1]
    (document,) = owed["documents"]
    assert document["document"]
    assert document["cents"] == view_of(top)["awards"][0]["cents"]
    assert f"by document {document['document']}" in owed["lines"][-1]
    assert owed["pays_cents"] == before_cents


def test_while_another_award_waits_a_seat_is_paid_no_less_for_one_that_is_confirmed() -> None:
    top = TableTop(LIVE)
    hands = dealt({1: ROYAL, 2: "5C 6C 7C 8C 9C"}, PLAYS)
    top.run(f"ante 1 10.00\ncoin 1\nante 2 10.00\ncoin 2\nlock\n{hands}\n")
    top.run("raise 1\nraise 2\nclose\nreveal\nstub 37\n")
    before = {seat: due["pays_cents"] for seat, due in dues_of(top).items()}
    assert all(cents >= 0 for cents in before.values())
    top.run("sup confirm 1\n")
    # A share of the royal went to seat 2, whose own award still waits.
    assert any(one["seat"] == 2 and one["confirmed"] for one in view_of(top)["awards"])
    assert {seat: due["pays_cents"] for seat, due in dues_of(top).items()} == before
    top.run("sup confirm 2\n")
    assert {seat: due["pays_cents"] for seat, due in dues_of(top).items()} == before


def test_an_award_that_waits_is_no_reason_to_pay_and_a_document_is_of_its_own_seat() -> None:
    top = TableTop(US)
    hands = {1: ROYAL, 3: "9H 8H 7H 6C 5C", 5: "5H 6D 7D 8D 9C"}
    top.run(f"ante 1 10.00\nante 3 10.00\nante 5 10.00\ncoin 1\ncoin 3\nlock\n{dealt(hands, PLAYS)}\n")
    top.run("raise 1\nraise 3\nraise 5\nclose\nreveal\n")
    assert "royal flush" not in dues_of(top)[1]["lines"][-1]
    top.run(f"stub {52 - view_of(top)['cards_out']}\nsup confirm 1\n")
    assert [len(due["documents"]) for due in dues_of(top).values()] == [
        int(seat == 1) for seat in dues_of(top)
    ]


def test_a_house_that_pays_more_for_a_dealer_who_does_not_qualify_is_told_with_its_odds() -> None:
    house = US + "nonqualify_odds = 4\n"
    due = round_of(house, "ante 1 10.00", {1: NOTHING}, SHORT, "raise 1")[1]
    assert due["lines"][0] == "ante 10.00 wins 40.00 (4 to 1, the dealer does not qualify)"
    assert due["pays_cents"] == 4000


def test_a_dead_hand_is_told_without_a_reason_that_its_cards_would_give() -> None:
    decisions = "raise 1\nsup dead 1 conduct"
    due = round_of(LIVE, "ante 1 10.00\nbonus 1 5.00", {1: PAIR}, PLAYS, decisions)[1]
    assert due["lines"] == ["ante 10.00 is lost", "raise 20.00 is lost", "bonus 5.00 is lost"]
    assert (due["pays_cents"], due["takes_cents"]) == (0, 3500)


def test_nothing_is_due_before_the_settlement() -> None:
    top = TableTop(US)
    house = msgspec.to_builtins(top.house)
    for step in ("ante 1 10.00", "lock", dealt({1: PAIR}, PLAYS), "raise 1", "close"):
        top.run(step + "\n")
        assert dues(view_of(top), house) == []
    top.run("reveal\n")
    assert dues(view_of(top), house)
    assert dues(view_of(top), {}) == []


def test_a_seat_where_nothing_lay_is_left_out() -> None:
    assert list(round_of(US, "ante 4 10.00", {4: PAIR}, PLAYS, "raise 4")) == [4]
