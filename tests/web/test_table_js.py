"""What every page shares, in a real browser: numbers, words said until they are answered, streams."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route

OpenPage = Callable[..., Page]
LOCK = "{type: 'PressKey', key: 'lock'}"


def loaded(page: Page) -> Page:
    """The page with the shared module at hand as `shared`."""
    page.evaluate(
        "async () => { window.shared = await import('/static/table.js'); await shared.ready('login'); }"
    )
    return page


def until(page: Page, expression: str) -> None:
    """Ask the page until it is true; what waits inside of the page would break its security policy."""
    ends_s = time.monotonic() + 15
    while not page.evaluate(expression):
        assert time.monotonic() < ends_s, expression
        page.wait_for_timeout(50)


@pytest.fixture
def page(painted: Any, open_page: OpenPage) -> Page:
    painted.paint("T1", "betting-keyed")
    return loaded(open_page("/login", operator="cy"))


def test_money_is_exact_however_much_it_is(page: Page) -> None:
    cents = ["0", "5", "100", "123456789", "-250", "9007199254740991", "99999999999999"]
    shown = page.evaluate("cents => cents.map((one) => shared.amount(BigInt(one)))", cents)
    assert shown == [
        "0.00", "0.05", "1.00", "1,234,567.89", "-2.50", "90,071,992,547,409.91", "999,999,999,999.99"
    ]  # fmt: skip
    assert page.evaluate("shared.money(123456789)") == "$1,234,567.89"
    assert page.evaluate("[500, 59_999, 60_000, 3_605_000].map(shared.time)") == [
        "0 sec", "59 sec", "1:00", "1:00:05"
    ]  # fmt: skip


def test_money_is_written_as_the_site_writes_it(painted: Any, open_page: OpenPage) -> None:
    german = loaded(open_page("/login", language="de"))
    assert german.evaluate("shared.word('login.enter')") == "Anmelden"
    assert german.evaluate("document.documentElement.lang") == "de"
    assert german.evaluate("shared.word('no.such {key}', {key: 1})") == "no.such 1"


def test_a_word_is_said_again_with_its_id_until_it_is_answered(
    painted: Any, page: Page, forgive: Callable[..., None]
) -> None:
    forgive(page, "503", "ERR_FAILED", "/say")
    ids: list[str] = []

    def lose(route: Route) -> None:
        ids.append(route.request.headers["idempotency-key"])
        if len(ids) == 1:
            # It reaches the table, and its answer is lost.
            route.fetch()
            route.abort()
        elif len(ids) == 2:
            route.fulfill(status=503, json={"error": "the table is silent"})
        else:
            route.continue_()

    page.route("**/say", lose)
    answer = page.evaluate(f"shared.say('T1', {LOCK})")
    assert answer["ok"], answer
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert {one["id"] for one in painted.said} == set(ids)


def test_a_double_tap_is_one_word(painted: Any, page: Page) -> None:
    both = page.evaluate(f"Promise.all([shared.say('T1', {LOCK}), shared.say('T1', {LOCK})])")
    assert both[0] == both[1]
    assert len(painted.commands) == 1


def test_a_refusal_is_an_answer_and_is_not_said_again(painted: Any, page: Page) -> None:
    painted.answer_with({"ok": False, "seq": 9, "error": "the table is held"})
    answer = page.evaluate(f"shared.say('T1', {LOCK})")
    assert answer == {"ok": False, "seq": 9, "error": "the table is held", "status": 200}
    assert len(painted.commands) == 1


def test_a_missing_pin_is_told_as_that(painted: Any, page: Page, forgive: Callable[..., None]) -> None:
    forgive(page, "403", "/say")
    answer = page.evaluate("shared.say('T1', {type: 'VoidRound'}, {reason: 'x', operator: 'ann'})")
    assert answer["status"] == 403
    assert answer["pin"] is True
    assert painted.commands == []


def test_a_table_is_followed_and_its_age_grows_while_it_is_silent(painted: Any, page: Page) -> None:
    page.evaluate("() => { shared.follow(() => {}); }")
    until(page, "shared.tables.get('T1')?.state?.phase === 'betting'")
    assert page.evaluate("shared.tables.get('T1').ageMs() < shared.STALE_MS")
    painted.silence(12_000)
    until(page, "shared.tables.get('T1').ageMs() > shared.OFFLINE_MS")
    painted.hear()
    until(page, "shared.tables.get('T1').ageMs() < shared.STALE_MS")
    painted.paint("T1", "settled")
    until(page, "shared.tables.get('T1').dues.length > 0")


def test_a_page_knows_how_old_it_is_although_the_site_itself_is_away(
    painted: Any, page: Page, forgive: Callable[..., None]
) -> None:
    page.evaluate("() => { shared.follow(() => {}); }")
    until(page, "shared.tables.get('T1')?.known")
    forgive(page, "ERR_", "Failed to load", "/api/")
    painted.close()
    until(page, "shared.tables.get('T1').ageMs() > shared.STALE_MS")


def test_the_end_of_the_log_in_leads_to_the_log_in_and_back(
    painted: Any, open_page: OpenPage, forgive: Callable[..., None]
) -> None:
    page = loaded(open_page("/login?x=1", operator="ann"))
    page.evaluate("() => { shared.follow(() => {}); }")
    until(page, "shared.tables.get('T1').known")
    forgive(page, "401", "/api/events", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    painted.clock.pass_ms(31 * 60_000)
    page.wait_for_url("**/login?then=%2Flogin%3Fx%3D1")
