"""The panel asks until it is answered, and decides nothing that was not looked at as it stands now."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

from table_controller.table.rulings import RULINGS, SUPERVISOR_CLEARS
from tests.web.painted import Painted
from tests.web.panel_taps import PANEL, Faultless, Open, Shoot, button

Forgive = Callable[..., None]
MODEL = Path(__file__).parents[2] / "table_controller" / "web" / "static" / "panel" / "model.js"
EFFECT = "**/api/tables/T1/effect"
# Two questions that came to nothing are a second apart, less what a loaded machine is late; each painting of
# the page could ask one, and each answer that is lost the next.
REST_MS = 800


def fill_in(page: Page, pin: str) -> None:
    """Who says it, why, and the PIN: all that a supervisor's word needs beside the look."""
    page.locator('input[name="operator"]').fill("ann")
    page.locator('input[name="reason"]').fill("the dealer's error")
    page.locator('input[name="pin"]').fill(pin)


def void_sheet(page: Page) -> Locator:
    """The sheet on which a supervisor voids the round, up to its second look."""
    button(page, "Call the supervisor").tap()
    page.locator('[data-act="VoidRound"]').tap()
    return page.locator(".second-look")


def lines(look: Locator) -> Locator:
    return look.locator("li")


def gaps_ms(page: Page, path: str, questions: int) -> list[float]:
    """How long the page waited between its first questions of that path."""
    begun = (
        "() => performance.getEntriesByType('resource')"
        f".filter((one) => one.name.endsWith('{path}')).map((one) => one.startTime)"
    )
    page.wait_for_function(f"() => ({begun})().length >= {questions}")
    starts = page.evaluate(begun)
    return [later - sooner for sooner, later in pairwise(starts[:questions])]


# ------------------------------------------------------------------------------ the second look


def test_a_look_that_failed_is_asked_for_again_and_until_it_came_nothing_is_done(
    painted: Painted, open_page: Open, forgive: Forgive, faultless: Faultless, shoot: Shoot
) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    forgive(page, "503")
    page.route(EFFECT, lambda route: route.fulfill(status=503, json={"error": "the table is silent"}))
    look = void_sheet(page)
    fill_in(page, painted.pins["ann"])
    expect(look).to_contain_text("cannot be shown now")
    expect(button(page, "Do it")).to_be_disabled()
    assert min(gaps_ms(page, "/effect", 3)) > REST_MS
    expect(look).to_contain_text("cannot be shown now")
    shoot(page, "panel-no-look")
    faultless(page)
    page.unroute(EFFECT)
    expect(lines(look).filter(has_text="Seat 5: ante 50.00 back")).to_be_visible()
    button(page, "Do it").tap()
    expect(page.locator(".phase")).to_have_text("Round is void")


def test_a_look_that_says_nothing_is_no_look(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    page.route(EFFECT, lambda route: route.fulfill(json={"lines": []}))
    look = void_sheet(page)
    fill_in(page, painted.pins["ann"])
    expect(look).to_contain_text("cannot be shown now")
    expect(button(page, "Do it")).to_be_disabled()


def test_while_the_effect_is_asked_for_the_sheet_says_so_and_nothing_is_done(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    held: list[Route] = []
    page.route(EFFECT, lambda route: held.append(route))
    look = void_sheet(page)
    fill_in(page, painted.pins["ann"])
    expect(look).to_contain_text("Asking the table")
    expect(button(page, "Do it")).to_be_disabled()
    faultless(page)
    (asked,) = held
    asked.continue_()
    expect(button(page, "Do it")).to_be_enabled()
    expect(look).not_to_contain_text("Asking the table")


def test_when_the_table_moves_on_the_look_is_taken_again_and_the_pin_is_said_for_what_is_shown(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    look = void_sheet(page)
    old = lines(look).filter(has_text="Seat 5: ante 50.00 back")
    expect(old).to_be_visible()
    fill_in(page, painted.pins["ann"])
    expect(button(page, "Do it")).to_be_enabled()
    painted.play("sup dead 5")
    expect(old).to_have_count(0)
    expect(lines(look).filter(has_text="Seat 1: ante 10.00 back")).to_be_visible()
    expect(look).to_contain_text("The effect is another than when you looked")
    expect(page.locator('input[name="pin"]')).to_have_value("")
    expect(button(page, "Do it")).to_be_disabled()
    shoot(page, "panel-look-changed")
    faultless(page)
    page.locator('input[name="pin"]').fill(painted.pins["ann"])
    button(page, "Do it").tap()
    expect(page.locator(".phase")).to_have_text("Round is void")


def test_a_look_at_an_older_picture_decides_nothing(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, touch=True, operator="cy")
    look = void_sheet(page)
    expect(lines(look).first).to_be_visible()
    fill_in(page, painted.pins["ann"])
    expect(button(page, "Do it")).to_be_enabled()
    held: list[Route] = []
    page.route(EFFECT, lambda route: held.append(route))
    painted.tell()
    expect(look).to_contain_text("Asking the table")
    expect(button(page, "Do it")).to_be_disabled()
    (asked,) = held
    asked.continue_()
    # The sentences are the same, so that what was typed stands.
    expect(button(page, "Do it")).to_be_enabled()


# ---------------------------------------------------------------------------- what can be done now


def test_one_lost_answer_does_not_keep_the_supervisor_from_his_words(
    painted: Painted, open_page: Open, forgive: Forgive
) -> None:
    # In a hold for an award nothing changes by itself, so no newer picture asks again.
    painted.paint("T1", "award-waits")
    page = open_page("/login", touch=True, operator="cy")
    forgive(page, "503")
    lost: list[str] = []

    def lose(route: Route) -> None:
        if "offers" in (route.request.post_data or "") and len(lost) < 3:
            lost.append(route.request.url)
            route.fulfill(status=503, json={"error": "the table is silent"})
        else:
            route.continue_()

    page.route("**/api/tables/T1/ask", lose)
    page.goto(PANEL)
    button(page, "Supervisor").tap()
    expect(page.locator('[data-act="RejectAward"]')).to_be_visible()
    assert len(lost) == 3
    # The first second may be short: the page counts them from its own start.
    assert sum(gaps_ms(page, "/ask", 4)) > 1.5 * REST_MS


# ------------------------------------------------------------ what the page knows of the table's rules


def test_the_page_and_the_table_agree_on_who_sees_an_alarm_off() -> None:
    found = re.search(r"SUPERVISOR_CLEARS = new Set\(\[(.*?)\]\)", MODEL.read_text("utf-8"), re.DOTALL)
    assert found is not None
    names = re.findall(r"'(\w+)'", found[1])
    assert sorted(names) == sorted(SUPERVISOR_CLEARS)


def test_the_page_reads_who_ends_a_hold_out_of_words_that_the_tables_sentences_hold() -> None:
    script = MODEL.read_text("utf-8")
    assert "ends.includes('people')" in script
    assert "/rescan|count/.test(ends)" in script
    by_two = {name for name, ruling in RULINGS.items() if "people" in ruling.ends}
    by_the_dealer = {
        name for name, ruling in RULINGS.items() if re.search("rescan|count", ruling.ends)
    } - by_two
    assert by_two == {"jackpot_hold", "jackpot_hand_in_void_round"}
    assert by_the_dealer == {"unreadable_card", "frame_lost", "deck_short"}
