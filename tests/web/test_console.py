"""The supervisor's console: what needs somebody, decisions with a second look, awards by two people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from table_controller.table import messages as m
from tests.web.desk import DESK, Look, Open, Shoot, begin, do_it, key, second_look, shows

if TYPE_CHECKING:
    from tests.web.painted import Painted

STATES = (
    "closed",
    "betting-yellow",
    "dealing-half",
    "deciding-some",
    "settled",
    "void",
    "hold-miscount",
    "hold-power",
    "meter-down",
    "lamp-dead",
    "award-first",
    "awards-two",
    "award-owed",
    "award-withheld",
    "trial",
)
"""Every state that the console draws in a way of its own."""


def test_in_every_state_of_the_table_the_console_can_be_used_by_everybody(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    page = open_page("/console", DESK, operator="ann")
    # The record grows with every state that is painted, and is looked at by tests of its own.
    page.get_by_role("button", name="Refused").click()
    for scene in STATES:
        painted.paint("T1", scene)
        shows(page, painted)
        faultless(page)
        shoot(page, f"console-{scene}")


def test_a_void_is_done_after_reason_second_look_and_pin(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "deciding-some")
    page = open_page("/console", operator="ann")
    dialog = second_look(begin(page, "Void the round"))
    expect(dialog.locator(".effects")).to_contain_text("Seat 2: ante 20.00, raise 40.00, bonus 5.00 back")
    expect(dialog.locator(".effects")).to_contain_text("All stakes that go back: 125.00.")
    assert not painted.commands
    shoot(page, "console-second-look")
    faultless(page)
    do_it(dialog, painted.pins["ann"])
    expect(dialog).to_contain_text("Done.")
    expect(dialog).to_contain_text("Journal entry")
    (said,) = painted.wait_for_said(1)
    assert said["command"] == {"type": "VoidRound"}
    assert (said["operator"], said["role"], said["reason"]) == ("ann", "supervisor", "seen on camera 4")
    assert said["round"] == painted.canvas().state.round
    assert painted.canvas().state.result == "void"
    faultless(page)


def test_without_a_reason_there_is_no_second_look_and_without_a_pin_nothing_is_done(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    dialog = begin(page, "Void the round", reason="")
    dialog.get_by_role("button", name="Second look").click()
    expect(dialog.get_by_role("alert")).to_contain_text("reason is needed")
    expect(dialog.get_by_role("button", name="Do it")).to_have_count(0)
    dialog.get_by_label("Reason").fill("misdeal")
    second_look(dialog)
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("PIN is needed")
    assert not painted.commands
    assert painted.canvas().state.result == ""


def test_a_wrong_pin_does_nothing_and_may_be_typed_again(
    painted: Painted, open_page: Open, forgive: Callable[..., None]
) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    forgive(page, "403")
    dialog = second_look(begin(page, "Void the round"))
    do_it(dialog, "999123")
    expect(dialog.get_by_role("alert")).to_contain_text("the name or the PIN is wrong")
    assert not painted.commands
    expect(dialog.get_by_label("PIN")).to_have_value("")
    # The table moves on, as it does by noting the wrong PIN: the page looks again, and what it said stays.
    with page.expect_response("**/effect"):
        painted.play("count 1 5")
    expect(dialog.get_by_role("button", name="Do it")).to_be_enabled()
    expect(dialog.get_by_role("alert")).to_contain_text("the name or the PIN is wrong")
    do_it(dialog, painted.pins["ann"])
    expect(dialog).to_contain_text("Done.")
    assert len(painted.commands) == 1


def test_a_double_tap_on_do_it_voids_once(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    dialog = second_look(begin(page, "Void the round"))
    dialog.get_by_label("PIN").fill(painted.pins["ann"])
    with painted.unanswered():
        dialog.get_by_role("button", name="Do it").dblclick()
        painted.wait_for_said(1)
        expect(dialog.get_by_role("button", name="Waiting for the table")).to_be_disabled()
    expect(dialog).to_contain_text("Done.")
    assert len(painted.commands) == 1


def test_a_decision_left_open_over_the_end_of_its_round_is_refused_by_the_table(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    before = painted.canvas().state.round
    dialog = second_look(begin(page, "Void the round"))
    painted.play("fold 1\nfold 2\nfold 5\nclose\nreveal\nclear\nopen\nante 1 10.00\nlock")
    expect(dialog).to_contain_text(f"This is about round {before}")
    expect(dialog).to_contain_text("The effect is another than when you looked")
    expect(dialog.get_by_role("button", name="Do it")).to_have_count(0)
    shoot(page, "console-round-is-over")
    dialog.get_by_role("button", name="I have seen it").click()
    do_it(dialog, painted.pins["ann"])
    expect(dialog).to_contain_text("Refused:")
    assert painted.wait_for_said(1)[-1]["round"] == before
    assert painted.canvas().state.phase == "dealing"


def test_item_40_46_an_award_is_confirmed_by_two_people_at_one_console(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console", DESK, operator="ann")
    award = page.locator(".need.award")
    expect(award).to_contain_text("First person: not yet")
    shoot(page, "console-award-waits")
    expect(award.get_by_role("button", name="Confirm award")).not_to_have_attribute("aria-disabled", "true")
    award.get_by_role("button", name="Confirm award").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Reason").fill("hand and lamp are right")
    second_look(dialog)
    do_it(dialog, painted.pins["ann"])
    expect(dialog).to_contain_text("ann has spoken")
    shoot(page, "console-award-first-person")
    faultless(page)
    expect(award).to_contain_text("ann has confirmed")
    dialog.get_by_role("button", name="Second person").click()
    dialog.get_by_label("Who says it").fill("ben")
    dialog.get_by_label("Reason").fill("deck is complete")
    second_look(dialog)
    expect(dialog.get_by_label("PIN of ben")).to_be_visible()
    do_it(dialog, painted.pins["ben"])
    expect(dialog).to_contain_text("Done.")
    expect(dialog.get_by_role("button", name="Second person")).to_have_count(0)
    first, second = painted.wait_for_said(2)
    assert (first["operator"], second["operator"]) == ("ann", "ben")
    assert first["command"] == second["command"]
    assert [one.status for one in painted.canvas().state.awards if one.award.kind == "royal"] == ["paid"]
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator(".needs")).to_contain_text("Confirmed, to be paid")


def test_the_same_person_twice_decides_nothing(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console", operator="ann")
    _begin_award = page.locator(".need.award").get_by_role("button", name="Confirm award")
    expect(_begin_award).not_to_have_attribute("aria-disabled", "true")
    _begin_award.click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Reason").fill("right")
    do_it(second_look(dialog), painted.pins["ann"])
    dialog.get_by_role("button", name="Second person").click()
    dialog.get_by_label("Who says it").fill("ann")
    dialog.get_by_label("Reason").fill("right")
    do_it(second_look(dialog), painted.pins["ann"])
    expect(dialog).to_contain_text("a second person is needed")
    # What the table refuses goes back to the form with what was typed.
    expect(dialog.get_by_label("Reason")).to_have_value("right")
    assert any(one.status == "waits" for one in painted.canvas().state.awards)


def test_a_confirmed_award_is_paid_at_the_cage(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-owed")
    page = open_page("/console", operator="ann")
    page.locator(".needs").get_by_role("button", name="Pay award").click()
    dialog = page.locator("dialog")
    dialog.get_by_text("at the cage").click()
    dialog.get_by_label("Reason").fill("signed")
    do_it(second_look(dialog), painted.pins["ann"])
    expect(dialog).to_contain_text("Done.")
    books = painted.canvas().state.books
    assert books is not None
    assert not books.owed


def test_a_correction_is_typed_in_money_and_said_by_two_people(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", operator="ann")
    dialog = begin(page, "Correct a meter", reason="the sign showed less")
    dialog.get_by_text("meter", exact=True).click()
    dialog.get_by_label("It must show").fill("12,400.50")
    dialog.get_by_text("the display was wrong").click()
    dialog.get_by_label("Approval reference").fill("GC-12")
    do_it(second_look(dialog), painted.pins["ann"])
    dialog.get_by_role("button", name="Second person").click()
    dialog.get_by_label("Who says it").fill("ben")
    dialog.get_by_label("Reason").fill("I saw it too")
    do_it(second_look(dialog), painted.pins["ben"])
    expect(dialog).to_contain_text("Done.")
    meter = painted.canvas().state.meter
    assert meter is not None
    assert meter.cents == 1_240_050


def test_a_correction_that_was_asked_for_is_done_when_a_second_person_finds_it_and_says_it(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", operator="ann")
    dialog = begin(page, "Correct a meter", reason="the sign showed less")
    dialog.get_by_text("meter", exact=True).click()
    dialog.get_by_label("It must show").fill("12,400.50")
    dialog.get_by_text("the display was wrong").click()
    dialog.get_by_label("Approval reference").fill("GC-12")
    do_it(second_look(dialog), painted.pins["ann"])
    expect(dialog).to_contain_text("Nothing is decided until a second person says the same.")
    dialog.get_by_role("button", name="Close").click()
    page.locator(".need").get_by_role("button", name="Correct a meter").click()
    dialog.get_by_label("Who says it").fill("ben")
    dialog.get_by_label("Reason").fill("I saw it too")
    second_look(dialog)
    expect(dialog).to_contain_text("This correction has been asked for.")
    do_it(dialog, painted.pins["ben"])
    expect(dialog).to_contain_text("Done.")
    expect(dialog).not_to_contain_text("second person")
    meter = painted.canvas().state.meter
    assert meter is not None
    assert meter.cents == 1_240_050


def test_an_alarm_is_acknowledged_and_stays_acknowledged(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "coin-stuck")
    page = open_page("/console", operator="ann")
    page.locator(".needs").get_by_role("button", name="Acknowledge").click()
    expect(page.locator(".needs")).to_contain_text("Nothing needs anybody")
    (said,) = painted.wait_for_said(1)
    assert said["command"]["type"] == "ClearAlarm"
    page.reload()
    expect(page.locator(".needs")).to_contain_text("Nothing needs anybody")


def test_an_alarm_that_is_over_says_so_and_stands_behind_what_still_needs_somebody(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting", "fault display_down\nante 4 20.00\nlock\ncoin 5")
    page = open_page("/console", operator="ann")
    alarms = page.locator(".need").filter(has=page.get_by_role("button", name="Acknowledge"))
    expect(alarms.first).to_contain_text("The jackpot display is down")
    expect(alarms.first).not_to_contain_text("over")
    painted.play("mend display_down")
    expect(alarms.last).to_contain_text("The jackpot display is down (over)")
    expect(alarms.first).to_contain_text("Late coin")


def test_the_table_that_needs_somebody_stands_first(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.add_table("T2", 'preset = "live"\n', seats=5)
    painted.add_table("T3", 'preset = "classic"\n', seats=6)
    painted.paint("T1", "betting")
    painted.paint("T2", "idle")
    page = open_page("/console", DESK, operator="ann")
    names = page.locator(".tile-name")
    expect(names).to_have_text(["T1", "T2", "T3"])
    painted.canvas("T3").send(m.KeyPressed("open"))
    painted.canvas("T3").send(m.HealthChanged("door", False))
    painted.tell("T3")
    expect(names).to_have_text(["T3", "T1", "T2"])
    expect(page.locator(".tile").first).to_contain_text("The door is open")
    painted.silence(20_000, "T2")
    expect(names).to_have_text(["T2", "T3", "T1"])
    expect(page.locator(".tile").first).to_contain_text("OFFLINE")
    shoot(page, "console-glance")
    faultless(page)
    painted.refuse(True, "T2")
    expect(page.locator(".tile").first).to_contain_text("NOT AUTHORISED")
    faultless(page)


def test_a_silent_table_is_old_after_three_seconds_and_offline_after_ten(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look, forgive: Callable[..., None]
) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    shows(page, painted)
    # What is asked in the moment in which the table falls silent has no answer.
    forgive(page, "503")
    painted.silence(4_000)
    expect(page.locator(".band")).to_contain_text("Old news")
    painted.silence(11_000)
    expect(page.locator(".band")).to_contain_text("OFFLINE")
    expect(page.locator(".old")).to_contain_text("Nothing here is confirmed")
    expect(page.locator(".needs")).not_to_contain_text("Nothing needs anybody")
    expect(page.locator(".desk .state.well:visible")).to_have_count(0)
    for one in page.locator(".decisions .key").all():
        expect(one).to_have_attribute("aria-disabled", "true")
    shoot(page, "console-offline")
    faultless(page)
    painted.hear()
    expect(page.locator(".old")).to_have_count(0)


def test_an_auditor_sees_everything_and_decides_nothing(
    painted: Painted, open_page: Open, faultless: Look
) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console", operator="di")
    expect(page.locator(".decisions")).to_contain_text("decides nothing")
    expect(page.locator(".need.award")).to_contain_text("Royal flush")
    expect(page.locator(".desk").get_by_role("button", name="Confirm award")).to_have_count(0)
    faultless(page)


def test_the_running_record_tells_what_happens_and_can_be_filtered(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page("/console", operator="ann")
    shows(page, painted)
    painted.play("lock")
    lines = page.locator(".lines")
    expect(lines).to_contain_text("No more bets, seats in play: 3")
    painted.play("sup void")
    expect(lines).to_contain_text("is VOID")
    page.get_by_role("button", name="Refused").click()
    expect(lines).not_to_contain_text("is VOID")


def test_a_reload_in_the_middle_of_a_decision_leaves_nothing_done(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    dialog = second_look(begin(page, "Void the round"))
    dialog.get_by_label("PIN").fill(painted.pins["ann"])
    page.reload()
    expect(page.locator("dialog")).not_to_be_visible()
    shows(page, painted)
    assert not painted.commands


def test_who_is_logged_in_and_who_deals(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "idle")
    open_page("/console", operator="ben")
    page = open_page("/console#/people", operator="ann")
    expect(page.locator("main")).to_contain_text("ben")
    expect(page.locator("main")).to_contain_text("cy")
    shoot(page, "console-people")
    faultless(page)


def test_the_console_speaks_german_with_the_numbers_of_the_place(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "deciding-some")
    page = open_page("/console", operator="ann", language="de")
    expect(page.locator(".decisions")).to_contain_text("Runde ungültig")
    expect(page.locator(".felt")).to_contain_text("40,00")
    shoot(page, "console-german")
    faultless(page)


@pytest.mark.parametrize("pressed", ["Enter", "Space"])
def test_a_decision_is_made_with_the_keyboard_alone(painted: Painted, open_page: Open, pressed: str) -> None:
    painted.paint("T1", "deciding")
    page = open_page("/console", operator="ann")
    expect(key(page, "Void the round")).not_to_have_attribute("aria-disabled", "true")
    key(page, "Void the round").focus()
    page.keyboard.press(pressed)
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).not_to_be_visible()
    expect(key(page, "Void the round")).to_be_focused()
