"""The dealer's panel in trouble: statements, what is paid, a supervisor's word, awards, duties."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from table_controller.engine.cards import DECK, card_text
from table_controller.table.statements import ONE_WORDING
from tests.web.painted import Painted
from tests.web.panel_taps import (
    PANEL,
    Faultless,
    Open,
    Shoot,
    button,
    chip,
    irregular,
    primary,
    settled,
    spot,
)
from tests.web.scenes import HOUSE_RULES

# ------------------------------------------------------------------------------------ statements


def test_the_picker_offers_every_card_whatever_is_out(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "dealing")
    page = open_page(PANEL, touch=True, operator="cy")
    offered = []
    for scene in ("dealing", "dealing-half", "deciding"):
        painted.paint("T1", scene)
        settled(page)
        irregular(page, "exposed")
        expect(page.locator(".pick:enabled")).to_have_count(53)
        offered.append(page.locator(".picker").inner_html())
        button(page, "Close").tap()
        expect(page.locator("#sheet")).to_be_hidden()
    assert offered[0] == offered[1] == offered[2]
    irregular(page, "exposed")
    cards = {one.get_attribute("data-card") for one in page.locator(".pick").all()}
    assert cards == {card_text(card) for card in DECK} | {"JK"}
    shoot(page, "panel-picker")
    faultless(page)


def test_a_refusal_tells_nothing_of_the_card(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "dealing")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "discard")
    for card in ("AS", "2D"):
        page.locator(f'[data-card="{card}"]').tap()
        expect(page.locator("#sheet").get_by_role("alert")).to_contain_text(ONE_WORDING)
    assert [said["card"] for said in painted.commands] == ["AS", "2D"]


def test_a_count_is_two_taps(painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless) -> None:
    painted.paint("T1", "deciding")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "Irregular").tap()
    settled(page)
    shoot(page, "panel-count")
    faultless(page)
    page.locator('[data-count="5 4"]').tap()
    expect(page.get_by_role("alert").filter(has_text="HOLD")).to_contain_text("cards (Seat 5)")
    assert painted.commands == [{"type": "StateCount", "place": "5", "cards": 4}]


def test_a_misplaced_card_is_said_with_where_it_lies(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "move")
    page.locator('[data-card="9H"]').tap()
    page.locator('.place[data-place="X"]').tap()
    painted.wait_for_said(1)
    assert painted.commands == [{"type": "MoveCard", "card": "9H", "place": "X"}]


def test_a_hand_is_stated_by_five_cards(painted: Painted, open_page: Open, faultless: Faultless) -> None:
    painted.paint("T1", "revealing")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "hand")
    page.locator('.place[data-place="5"]').tap()
    stated = ["4H", "4S", "4D", "3C"]
    for card in [*stated, "3S", "AS"]:
        page.locator(f'[data-card="{card}"]').tap()
    # Five are a hand: the sixth is not taken, and a second tap takes one away.
    expect(page.locator('[data-card="AS"]')).to_have_attribute("aria-pressed", "false")
    page.locator('[data-card="3S"]').tap()
    expect(button(page, "State it: Seat 5")).to_be_disabled()
    page.locator('[data-card="3S"]').tap()
    faultless(page)
    button(page, "State it: Seat 5").tap()
    painted.wait_for_said(1)
    assert painted.commands == [{"type": "StateHand", "place": "5", "cards": [*stated, "3S"]}]


def test_before_close_no_hand_can_be_stated(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "Irregular").tap()
    expect(page.locator('[data-what="exposed"]')).to_be_visible()
    expect(page.locator('[data-what="hand"]')).to_have_count(0)


def test_the_rest_of_the_deck_is_counted_by_one_number(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-waits")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "Count the rest of the deck").tap()
    left = 52 - len(painted.canvas().state.cards)
    page.locator(f'[data-number="{left}"]').tap()
    expect(page.locator("#sheet")).to_be_hidden()
    assert painted.commands == [{"type": "CountStub", "cards": left}]


def test_an_open_sheet_never_turns_into_another_one(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "revealing")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "hand")
    painted.play("sup void")
    expect(page.locator("#sheet")).to_be_hidden()
    expect(page.get_by_role("alert").filter(has_text="Refused")).to_contain_text(
        "“State a hand” can no longer be said"
    )
    # Nor does the sheet whose first form nobody chose.
    painted.paint("T1", "deciding")
    button(page, "Irregular").tap()
    expect(page.locator("#sheet-title")).to_have_text("Wrong number of cards")
    painted.play("sup void")
    expect(page.locator("#sheet")).to_be_hidden()
    assert painted.commands == []


def test_what_can_be_said_in_the_next_phase_too_stays_open(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding", "fold 1\nraise 2\nraise 5")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "exposed")
    painted.play("close")
    expect(page.locator('[data-what="hand"]')).to_be_visible()
    expect(page.locator("#sheet-title")).to_have_text("A card was seen")


def test_at_a_seat_of_which_nothing_can_be_said_no_form_lies_open(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "idle")
    page = open_page(PANEL, touch=True, operator="cy")
    page.locator('[data-seat="3"] .seat-head').tap()
    expect(page.locator("#sheet")).to_contain_text("What is to be stated?")
    expect(page.locator("[data-number]")).to_have_count(0)


# ------------------------------------------------------------------------------- pay and collect


def test_in_a_void_round_the_stakes_go_back(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "void")
    page = open_page(PANEL, operator="cy")
    expect(page.locator(".due-now")).to_contain_text("Stakes go back")
    expect(page.locator(".dues")).not_to_contain_text("Nothing moves")


def test_what_is_paid_and_taken_stands_in_the_order_of_the_house_and_ticks_are_this_pages_own(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "settled")
    page = open_page(PANEL, touch=True, operator="cy")
    listed = page.locator(".due")
    expect(listed).to_have_count(3)
    assert [one.get_attribute("data-due") for one in listed.all()] == ["5", "2", "1"]
    expect(page.locator(".due-now h2")).to_have_text("Seat 5")
    expect(page.locator(".due-now")).to_contain_text("1 to 1")
    button(page, "Seat 5 done").tap()
    expect(page.locator(".due-now h2")).to_have_text("Seat 2")
    page.reload()
    expect(page.locator(".due-now h2")).to_have_text("Seat 2")
    button(page, "Seat 2 done").tap()
    button(page, "Seat 1 done").tap()
    expect(page.locator(".due-now")).to_contain_text("Every seat is done")
    assert painted.commands == []
    primary(page).tap()
    expect(page.locator(".phase")).to_have_text("Between rounds")
    assert painted.commands == [{"type": "PressKey", "key": "clear"}]


def test_no_cards_of_others_are_turned_up_before_the_settlement(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "revealing")
    page = open_page(PANEL, operator="cy")
    expect(page.locator(".card.back")).to_have_count(15 + 4)
    painted.paint("T1", "settled")
    expect(page.locator(".dealer .card.face")).to_have_count(5)


# ------------------------------------------------------------------------- supervisor and duties


def say_as(page: Page, name: str, pin: str, reason: str = "") -> None:
    page.locator('input[name="operator"]').fill(name)
    if reason:
        button(page, reason).tap()
    for digit in pin:
        button(page, digit).tap()
    button(page, "Do it").tap()


def test_a_supervisor_voids_the_round_with_name_pin_and_reason_after_a_second_look(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "Call the supervisor").tap()
    page.locator('[data-act="VoidRound"]').tap()
    expect(button(page, "Do it")).to_be_disabled()
    expect(page.locator(".second-look li").first).to_be_visible()
    shoot(page, "panel-void")
    faultless(page)
    say_as(page, "ann", painted.pins["ann"], "Dealer’s error")
    expect(page.locator(".phase")).to_have_text("Round is void")
    (said,) = painted.said
    assert said["command"] == {"type": "VoidRound"}
    assert (said["operator"], said["role"], said["reason"]) == ("ann", "supervisor", "Dealer’s error")


def test_a_wrong_pin_decides_nothing(painted: Painted, open_page: Open, forgive: Callable[..., None]) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    forgive(page, "403")
    button(page, "Call the supervisor").tap()
    page.locator('[data-act="VoidRound"]').tap()
    say_as(page, "ann", "999888", "Dispute")
    expect(page.locator("#sheet").get_by_role("alert")).to_contain_text("PIN")
    expect(page.locator('input[name="pin"]')).to_have_value("")
    assert painted.commands == []


def test_a_word_left_over_the_end_of_its_round_is_refused(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    before = painted.canvas().state.round
    button(page, "Call the supervisor").tap()
    page.locator('[data-act="VoidRound"]').tap()
    painted.play("sup void\nclear\nopen\nante 1 10.00\nlock")
    expect(page.locator(".phase")).to_have_text("Dealing")
    # The effect is another one by now; the PIN is said after that look.
    expect(page.locator(".second-look")).to_contain_text("The effect is another than when you looked")
    say_as(page, "ann", painted.pins["ann"], "Dispute")
    expect(page.locator("#sheet").get_by_role("alert")).to_contain_text(f"that is about round {before}")
    assert painted.said[0]["round"] == before
    assert painted.canvas().state.phase == "dealing"


def test_an_award_waits_for_two_people_and_the_first_may_be_the_dealer(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "award-counted")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(page.get_by_role("alert").filter(has_text="HOLD")).to_contain_text(
        "Seat 2: royal flush, $12,347.14, waits. Two people decide"
    )
    banner = page.locator(".award")
    for name in ("cy", "ann"):
        button(page, "Confirm award: Seat 2").tap()
        say_as(page, name, painted.pins[name])
        expect(page.locator("#sheet")).to_be_hidden()
        if name == "cy":
            expect(banner).to_contain_text("cy has confirmed; a second person is needed.")
            shoot(page, "panel-award-first")
    expect(page.locator(".phase")).to_have_text("Pay and collect")
    shoot(page, "panel-award-confirmed")
    assert [(said["command"]["type"], said["operator"]) for said in painted.said] == [
        ("ConfirmAward", "cy"),
        ("ConfirmAward", "ann"),
    ]


def test_before_the_deck_is_counted_an_award_cannot_be_confirmed_and_why_is_said(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "award-waits")
    page = open_page(PANEL, touch=True, operator="cy")
    banner = page.locator(".award")
    expect(banner).to_contain_text("the rest of the deck must be counted complete first")
    expect(button(page, "Confirm award: Seat 2")).to_be_disabled()
    expect(button(page, "Reject award: Seat 2")).to_be_enabled()
    shoot(page, "panel-award-uncounted")
    faultless(page)
    button(page, "Count the rest of the deck").tap()
    page.locator(f'[data-number="{52 - len(painted.canvas().state.cards)}"]').tap()
    expect(button(page, "Confirm award: Seat 2")).to_be_enabled()
    expect(banner).not_to_contain_text("must be counted")
    expect(banner.get_by_role("button", name="Count the rest of the deck")).to_have_count(0)
    expect(page.locator(".step")).to_contain_text("The deck is counted")


def test_a_first_rejection_is_told_by_name(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "Reject award: Seat 2").tap()
    say_as(page, "ann", painted.pins["ann"])
    expect(page.locator(".award")).to_contain_text("ann has rejected; a second person is needed.")


def test_a_share_of_a_royal_is_decided_with_the_royal(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.add_table("T2", HOUSE_RULES + 'royal_split = "shared_by_bettors"\n')
    painted.paint("T2", "award-counted")
    page = open_page("/panel?table=T2", touch=True, operator="cy")
    share = page.locator(".award-line").filter(has_text="Seat 5")
    expect(share).to_contain_text("share of the royal at seat 2")
    expect(share).to_contain_text("Decided with seat 2.")
    expect(share.get_by_role("button")).to_have_count(0)
    royal = page.locator(".award-line").filter(has_text="royal flush")
    expect(royal.get_by_role("button", name="Confirm award: Seat 2")).to_be_enabled()
    shoot(page, "panel-award-share")
    faultless(page)


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600), (800, 1280)])
def test_two_awards_leave_the_seats_in_sight_and_what_is_below_is_hinted_at(
    painted: Painted, open_page: Open, shoot: Shoot, size: tuple[int, int]
) -> None:
    painted.paint("T1", "awards-two")
    page = open_page(PANEL, size=size, touch=True, operator="cy")
    expect(page.locator(".award-line")).to_have_count(2)
    for seat in (2, 5):
        expect(page.locator(f'[data-seat="{seat}"] .hand')).to_be_in_viewport(ratio=1)
        expect(button(page, f"Confirm award: Seat {seat}")).to_be_in_viewport(ratio=1)
    more = page.locator("main > .more")
    below, key = (
        page.locator("main").evaluate("(one) => one.scrollHeight - one.clientHeight >= 16"),
        more.is_visible(),
    )
    assert below == key
    shoot(page, f"panel-two-awards-{size[0]}x{size[1]}")
    if key:
        more.tap()
        page.locator("main").evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
        expect(more).to_be_hidden()
    expect(page.locator(".dealer .made")).to_be_in_viewport()


def test_a_dealer_who_is_not_on_duty_is_asked_whether_he_relieves_the_other(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    painted.paint("T1", "betting", on_duty="zoe")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(page.locator("#sheet")).to_contain_text("zoe is on duty.")
    faultless(page)
    assert painted.commands == []
    page.locator("#sheet").get_by_role("button", name="I deal now").tap()
    painted.wait_for_said(1)
    assert painted.commands == [{"type": "LogOn"}]


def test_an_alarm_of_the_dealers_is_seen_to_once(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    painted.paint("T1", "dealing", "coin 3")
    page = open_page(PANEL, touch=True, operator="cy")
    line = page.locator(".alarms")
    expect(line).to_contain_text("late coin, give it back, Seat 3")
    button(page, "See to them").tap()
    faultless(page)
    button(page, "Seen to").tap()
    expect(line).to_have_count(0)
    assert painted.commands == [{"type": "ClearAlarm", "alarm": "late_coin", "place": "3"}]


def test_all_alarms_of_the_dealers_are_seen_to_by_one_tap(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    painted.paint("T1", "dealing", "coin 3\ncoin 4\nfault lamp_dead 2")
    page = open_page(PANEL, touch=True, operator="cy")
    button(page, "See to them").tap()
    expect(page.locator(".alarm-list li")).to_have_count(3)
    faultless(page)
    button(page, "Seen to: all of mine").tap()
    # A supervisor's own stays.
    expect(page.locator(".alarm-list li")).to_have_count(1)
    expect(button(page, "Seen to: all of mine")).to_have_count(0)
    assert painted.commands == [
        {"type": "ClearAlarm", "alarm": "late_coin", "place": "3"},
        {"type": "ClearAlarm", "alarm": "late_coin", "place": "4"},
    ]


def test_two_panels_that_key_one_seat_agree(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-chips")
    first, second = (open_page(PANEL, touch=True, operator="cy") for _ in range(2))
    for page, text in ((first, "25"), (second, "100")):
        spot(page, 2, "ante").tap()
        chip(page, text).tap()
    button(first, "Enter").tap()
    expect(spot(second, 2, "ante")).to_contain_text("25.00")
    button(second, "Enter").tap()
    for page in (first, second):
        expect(spot(page, 2, "ante")).to_contain_text("100.00")
