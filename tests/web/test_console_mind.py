"""The console says what is so: parameters, shares, who has spoken, what is missing, one word a thing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, Route, expect

from table_controller.table import messages as m
from tests.web.desk import DESK, Look, Open, Shoot, begin, do_it, key, second_look, shows

if TYPE_CHECKING:
    from tests.web.painted import Painted

SHARED = """preset = "us"
bonus = [1000, 200, 100, 50, 20, 15, 10]
royal_split = "shared_by_bettors"
meter_start = "12345.67"
"""


def _correct(dialog: Any, option: str, value: str) -> None:
    dialog.locator(f'input[value="{option}"]').check()
    dialog.get_by_label("New ").fill(value)
    dialog.get_by_role("button", name="Second look").click()


def test_a_parameter_is_no_live_key_while_the_day_is_open(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", operator="ann")
    parameter = key(page, "Set a parameter")
    expect(parameter).to_have_attribute("aria-disabled", "true")
    expect(parameter).to_have_attribute("title", re.compile("only while the day is closed"))
    painted.paint("T1", "closed")
    dialog = begin(page, "Set a parameter", reason="the new year")
    painted.canvas().word(m.OpenDay())
    painted.tell()
    expect(dialog).to_contain_text("only while the day is closed")
    expect(dialog.get_by_role("button", name="Second look")).to_be_disabled()


def test_a_parameter_is_typed_as_money_beside_what_it_is_and_judged_before_the_pin(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "closed")
    page = open_page("/console", operator="ann")
    dialog = begin(page, "Set a parameter", reason="the new year")
    expect(dialog).to_contain_text("reset now 10,000.00")
    expect(dialog).to_contain_text("share to the meter now 0.49")
    _correct(dialog, "reset", "12,000.00")
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("Still missing: Approval reference"))
    dialog.get_by_label("Approval reference").fill("GC-9")
    for option, value, problem in (
        ("reset", "twelve", "is no amount"),
        ("reset", "12,50", "is no amount"),
        ("meter_share", "1.2", "is no share"),
        ("meter_limit", "9,000.00", "over the limit of the meter"),
        ("meter_limit", "11,000.00", "below what the meter holds, 12,345.67"),
    ):
        _correct(dialog, option, value)
        expect(dialog.get_by_role("alert")).to_contain_text(problem)
        expect(dialog.get_by_label("PIN")).to_have_count(0)
    shoot(page, "console-parameter")
    faultless(page)
    _correct(dialog, "reset", "12,000.00")
    expect(dialog.locator(".effects")).to_contain_text("goes from 10000.00 to 12000.00")
    painted.answer_with({"ok": False, "seq": 7, "error": "the board is away"})
    do_it(dialog, painted.pins["ann"])
    expect(dialog.get_by_role("alert")).to_contain_text("Refused: the board is away")
    expect(dialog.get_by_label("New amount")).to_have_value("12,000.00")
    expect(dialog.get_by_label("Approval reference")).to_have_value("GC-9")
    expect(dialog.get_by_label("Reason")).to_have_value("the new year")
    do_it(second_look(dialog), painted.pins["ann"])
    expect(dialog).to_contain_text("Done.")
    assert painted.canvas().state.parameters == {"reset": "12000.00"}


def test_a_share_of_a_royal_has_no_keys_of_its_own_and_the_royal_is_chosen_already(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.add_table("T2", SHARED)
    painted.paint("T2", "award-counted")
    page = open_page("/console?table=T2", DESK, operator="ann")
    shares = page.locator(".need.share")
    expect(shares).to_have_count(2)
    expect(shares.first).to_contain_text("Decided with the royal at seat 2")
    expect(shares.get_by_role("button")).to_have_count(0)
    shoot(page, "console-shares")
    faultless(page)
    # The list of choices comes while the form is open already, and the one that is left is the royal.
    dialog = begin(page, "Confirm award")
    expect(dialog.locator(".choice")).to_contain_text("Seat 2")
    expect(dialog.get_by_role("radio")).to_be_checked()


@pytest.mark.parametrize("again", ["Confirm award", "Reject award"])
def test_the_second_person_sees_who_has_spoken_in_form_and_look(
    painted: Painted, open_page: Open, again: str
) -> None:
    painted.paint("T1", "award-first")
    page = open_page("/console", operator="ben")
    dialog = begin(page, again)
    expect(dialog).to_contain_text("ann has confirmed this award")
    second_look(dialog)
    expect(dialog).to_contain_text("ann has confirmed this award")
    expect(dialog.locator(".effects")).not_to_contain_text("decides nothing")
    if again == "Confirm award":
        expect(dialog.locator(".effects")).to_contain_text("if another person says so now, it is decided")


def test_what_is_missing_is_named(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", operator="ann")
    dialog = begin(page, "Correct a meter")
    dialog.get_by_text("meter", exact=True).click()
    dialog.get_by_label("It must show").fill("12,40")
    dialog.get_by_role("button", name="Second look").click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text("Still missing: Cause, Approval reference.")
    expect(alert).to_contain_text("“12,40” is no amount")


def test_all_of_the_record_is_the_sum_of_its_parts(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page("/console", operator="ann")
    shows(page, painted)
    painted.play("lock")
    expect(page.locator(".lines")).to_contain_text("No more bets")
    numbers = [int(text) for text in page.locator(".filters .digits").all_inner_texts()]
    told, everything, *parts = numbers
    assert everything == sum(parts)
    assert 0 < told <= everything


def test_alarms_and_holds_are_told_as_the_panel_tells_them(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "hold-power")
    page = open_page("/console", operator="ann")
    painted.paint(
        "T1", alarms=[{"alarm": "order_in_doubt", "place": ""}, {"alarm": "late_raise", "place": "5"}]
    )
    needs = page.locator(".needs")
    expect(needs).to_contain_text("The order of the cards is in doubt")
    expect(needs).to_contain_text("Late raise, give it back, seat 5")
    expect(needs).to_contain_text("The table was restarted inside a round")


def test_both_languages_have_the_same_words_with_the_same_places(page_of_words: Page) -> None:
    words = page_of_words.evaluate(
        """async () => Object.fromEntries(await Promise.all(['en', 'de'].map(
          async (one) => [one, (await import(`/static/words/${one}/console.js`)).default])))"""
    )
    assert words["en"].keys() == words["de"].keys()
    for name, english in words["en"].items():
        named = re.compile(r"\{\w+\}").findall
        assert sorted(named(english)) == sorted(named(words["de"][name])), name


@pytest.fixture
def page_of_words(painted: Painted, open_page: Open) -> Page:
    """A page of the site that imports its words by itself."""
    return open_page("/login")


def test_what_is_possible_comes_to_a_decision_whoever_asked_for_it(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/console", DESK, operator="ann")
    held: list[Route] = []
    page.route("**/ask", lambda route: held.append(route), times=1)
    page.get_by_role("link", name="Table T1").click()
    page.locator(".need.award .key.primary").click()
    look = page.get_by_role("dialog").get_by_role("button", name="Second look")
    expect(look).to_be_disabled()
    held[0].continue_()
    expect(look).to_be_enabled()
