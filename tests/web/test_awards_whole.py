"""An award of a real table, confirmed by two people at one console, each with a PIN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.web.browser import Pages
from tests.web.jackpot import House
from tests.web.painted import PINS, Painted
from tests.web.rig import RealTable

Shoot = Callable[[Page, str], Path]
Faultless = Callable[[Page], None]


def decision(page: Page) -> Locator:
    return page.locator("#decision")


def says_why(page: Page, operator: str, reason: str) -> None:
    """The first step: who and why, then the second look."""
    box = decision(page)
    box.locator("#field-operator").fill(operator)
    box.locator("#field-reason").fill(reason)
    box.locator("form .dialog-keys .key.primary").click()
    expect(box.locator("ul.effects li").first).to_be_visible()


def does(page: Page, pin: str) -> None:
    """The second step: the PIN, and the key that does it."""
    box = decision(page)
    box.locator("#field-pin").fill(pin)
    box.locator("form .dialog-keys button:not([type=button])").click()


def begins(page: Page) -> None:
    """Opens the confirmation of the award that waits."""
    page.locator(".need.award .key.primary").click()
    expect(decision(page)).to_be_visible()


def test_an_award_is_confirmed_by_two_people_at_one_console(
    real_table: RealTable, open_page: Callable[..., Page], pages: Pages, shoot: Shoot, faultless: Faultless
) -> None:
    house = House(real_table)
    house.opens()
    house.deals_a_royal()
    cents = house.reveals()
    amount = f"{cents // 100:,}.{cents % 100:02d}"
    page = open_page("/console#/T1", size=(1920, 1080), operator="ann")
    pages.forgive(page, "403")
    expect(page.locator(".need.award .award-amount")).to_contain_text(amount)
    # Before the deck is counted nothing can be confirmed.
    expect(page.locator(".need.award .key[aria-disabled=true]").first).to_be_visible()
    house.counts()
    expect(page.locator(".need.award .key.primary")).to_be_visible()
    shoot(page, "award-1-waits")
    faultless(page)

    begins(page)
    says_why(page, "ann", "I have seen hand and deck")
    shoot(page, "award-2-second-look")
    faultless(page)
    does(page, "000111")
    expect(decision(page).locator(".trouble")).not_to_be_empty()
    assert real_table.state["awards"][0]["status"] == "waits"
    does(page, PINS["ann"])
    decision(page).locator(".answer .key.primary").click()
    # The same person cannot be the second one.
    says_why(page, "ann", "once more")
    does(page, PINS["ann"])
    expect(decision(page).locator(".answer, .trouble:not(:empty)").first).to_be_visible()
    shoot(page, "award-3-same-person-refused")
    assert real_table.state["awards"][0]["status"] == "waits"
    decision(page).locator("form .dialog-keys .key").first.click()

    begins(page)
    says_why(page, "ben", "and so have I")
    does(page, PINS["ben"])
    real_table.until(lambda: real_table.state["awards"][0]["confirmed"], "the award is confirmed")
    shoot(page, "award-4-confirmed")
    decision(page).locator(".answer .key").last.click()
    expect(page.locator(".need.award")).to_have_count(0)
    assert real_table.state["meter"]["cents"] == 1_000_000
    (owed,) = real_table.state["owed"]
    assert (owed["seat"], owed["cents"]) == (2, cents)
    expect(page.locator("body")).to_contain_text(owed["document"])
    told = b"\n".join(real_table.facts)
    assert told.count(b'"type":"HitDecided"') == 1
    assert b'"operators":["ann","ben"]' in told


def test_a_reload_in_the_middle_of_an_award_keeps_what_the_first_person_said(
    painted: Painted, open_page: Callable[..., Page], shoot: Shoot
) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console#/T1", operator="ann")
    begins(page)
    says_why(page, "ann", "I have seen it")
    does(page, PINS["ann"])
    painted.wait_for_said(1)
    page.reload()
    begins(page)
    says_why(page, "ben", "so have I")
    does(page, PINS["ben"])
    expect(page.locator(".need.award")).to_have_count(0)
    shoot(page, "award-after-reload")
    said = [(one["operator"], one["command"]["type"]) for one in painted.said]
    assert said == [("ann", "ConfirmAward"), ("ben", "ConfirmAward")]
    (one, two) = (award for award in painted.canvas().state.awards)
    assert {one.status, two.status} == {"paid"}


def test_a_double_click_on_the_last_key_confirms_once(
    painted: Painted, open_page: Callable[..., Page]
) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console#/T1", operator="ann")
    begins(page)
    says_why(page, "ann", "I have seen it")
    box = decision(page)
    box.locator("#field-pin").fill(PINS["ann"])
    with painted.unanswered():
        box.locator("form .dialog-keys button:not([type=button])").dblclick()
        painted.wait_for_said(1)
    expect(box.locator(".answer")).to_be_visible()
    assert [command["type"] for command in painted.commands] == ["ConfirmAward"]


def test_two_consoles_that_both_confirm_are_the_two_people(
    painted: Painted, open_page: Callable[..., Page]
) -> None:
    painted.paint("T1", "award-counted")
    pages = [open_page("/console#/T1", operator=name) for name in ("ann", "ben")]
    for page, name in zip(pages, ("ann", "ben"), strict=True):
        begins(page)
        says_why(page, name, "I have seen it")
    with painted.unanswered():
        for page, name in zip(pages, ("ann", "ben"), strict=True):
            does(page, PINS[name])
        painted.wait_for_said(2)
    for page in pages:
        expect(page.locator(".need.award")).to_have_count(0)
    assert len([fact for fact in painted.canvas().facts if type(fact).__name__ == "HitDecided"]) == 1
    meter = painted.canvas().state.meter
    assert meter is not None
    assert meter.cents == 1_000_000
