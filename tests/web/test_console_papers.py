"""The papers of the console: charts, the log of hits, records, and what is said where there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from playwright.sync_api import Page, Route, expect

from table_controller.audit.hits import Hit, HitLog, Status

if TYPE_CHECKING:
    from tests.web.painted import Painted

Open = Callable[..., Page]
Shoot = Callable[[Page, str], Any]
Look = Callable[[Page], None]
DESK = (1920, 1080)


def _rounds(number: int, minutes_apart: int = 2) -> dict[str, Any]:
    """Rounds as the command line tells them, with a meter that a royal lowers once."""
    found, cents = [], 1_234_567
    for count in range(1, number + 1):
        cents = 1_000_000 if count == 70 else cents + 49 * (count % 4)
        alarms = (
            ["raise_not_twice 2"]
            if count % 9 == 0
            else ["coin_stuck 5", "late_coin 1"]
            if count % 13 == 0
            else []
        )
        found.append(
            {
                "round": f"T1-20260930-{count:06}-{count:06}",
                "first_entry": count,
                "last_entry": count + 9,
                "opened_ms": 1_790_000_000_000 + count * minutes_apart * 60_000,
                "shown": "idle",
                "result": "void" if count % 31 == 0 else "settled",
                "bets": [],
                "cards": [],
                "alarms": alarms,
                "said": [],
                "meter_cents": cents,
                "awards": ["seat 2 royal_flush 12345.67 paid"] if count == 70 else [],
            }
        )
    return {"rounds": found}


def _serve(page: Page, papers: dict[str, Any]) -> list[str]:
    """The page is answered with these papers; what it asked for is kept."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        kind = route.request.url.partition("/papers/")[2]
        asked.append(kind)
        body = papers[kind.partition("?")[0]]
        route.fulfill(status=200, content_type="application/json", body=msgspec.json.encode(body).decode())

    page.route("**/papers/**", answer)
    return asked


def test_charts_show_meter_rounds_and_alarms_also_as_tables(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", DESK, operator="ann")
    _serve(
        page,
        {
            "rounds": _rounds(140),
            "report": {"error": "none yet"},
            "round": {"text": "RECORD OF ROUND", "found_wrong": False},
        },
    )
    page.get_by_role("link", name="Papers of T1").click()
    page.get_by_role("button", name="Charts and rounds").click()
    expect(page.get_by_role("img", name="Meter over time")).to_be_visible()
    expect(page.get_by_role("img", name="Rounds per hour")).to_be_visible()
    expect(page.get_by_role("img", name="Alarms by kind")).to_be_visible()
    expect(page.locator("figure").first).to_contain_text("the highest was $12,396.14")
    shoot(page, "console-charts")
    faultless(page)
    page.locator("figure summary").last.click()
    expect(page.locator("figure").last).to_contain_text("The raise is not twice the ante")
    page.get_by_role("button", name="T1-20260930-000140-000140").click()
    expect(page.locator("pre")).to_contain_text("RECORD OF ROUND")
    faultless(page)


def test_charts_of_more_than_a_day_name_the_days(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", DESK, operator="ann")
    _serve(page, {"rounds": _rounds(140, minutes_apart=20), "report": {"error": "none yet"}})
    page.get_by_role("link", name="Papers of T1").click()
    page.get_by_role("button", name="Charts and rounds").click()
    # 1790000000 is the 21st of September; the last round was opened 46 hours and 40 minutes later.
    expect(page.get_by_role("img", name="Meter over time")).to_contain_text("9/23")
    expect(page.get_by_role("img", name="Rounds per hour")).to_contain_text("9/22")
    shoot(page, "console-charts-days")
    faultless(page)


def _hit(document: str, status: Status, cents: int) -> Hit:
    return Hit(
        document=document,
        table="T1",
        round="T1-20260930-000070-000070",
        seat=2,
        hand="royal_flush",
        kind="royal",
        cards=("TH", "JH", "QH", "KH", "AH"),
        wall_ms=1_790_000_000_000,
        entry=812,
        chain="00",
        file="T1.journal",
        meter_cents=cents,
        cents=cents,
        take_cents=cents,
        house_cents=0,
        dealer="cy",
        status=status,
        decided_by=("ann", "ben"),
    )


def test_the_log_of_hits_leads_to_the_slip_of_an_award(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Look
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console", DESK, operator="di")
    found = (
        _hit("T1-A000001", "paid", 1_234_567),
        _hit("T1-A000002", "withheld", 50_000),
        _hit("T1-A000003", "rejected", 50_000),
    )
    log = msgspec.to_builtins(HitLog((), ("the file of day 3 is missing",), 3, found))
    asked = _serve(
        page,
        {
            "report": {"error": "none yet"},
            "hits": log,
            "slip": {"text": "SLIP OF T1-A000002", "found_wrong": False},
        },
    )
    page.get_by_role("link", name="Papers of T1").click()
    page.get_by_role("button", name="Log of hits").click()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("T1-A000003")
    expect(rows.nth(1)).to_contain_text("withheld")
    expect(page.locator(".papers")).to_contain_text("the file of day 3 is missing")
    page.get_by_role("button", name="Slip T1-A000002").click()
    expect(page.locator("pre")).to_contain_text("SLIP OF T1-A000002")
    assert asked[-1] == "slip?document=T1-A000002"
    shoot(page, "console-hits")
    faultless(page)


def test_a_paper_that_is_not_there_is_told_in_its_own_words(
    painted: Painted, open_page: Open, forgive: Callable[..., None]
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/console#/T1/papers", operator="ann")
    forgive(page, "404")
    expect(page.locator(".papers")).to_contain_text("is not kept on this machine")


def _report() -> dict[str, Any]:
    """A day of one seat, with nothing in it but a hand."""
    counts = dict.fromkeys(("entries", "rounds_settled", "rounds_void", "resets", "seeded_cents"), 0)
    empty: dict[str, Any] = {
        key: [] for key in ("dealers", "alarms", "refused", "corrections", "changes", "happenings")
    }
    payouts = ("by_dealer", "confirmed", "rejected", "at_table", "at_cage", "owed", "withheld")
    seat = {"seat": 1, "hands": 1, "refunded_cents": 0, "result_cents": -1_000, "coins": 0, "awards_cents": 0}
    custody = {"cause": "resets put on by the house", "meter_exact": 0, "reserve_exact": 0}
    return {
        **counts,
        **empty,
        "title": "Day 1",
        "software": "0.1.0",
        "from_ms": 1_790_000_000_000,
        "until_ms": 1_790_000_060_000,
        "lasted_ms": 60_000,
        "first_entry": 1,
        "last_entry": 9,
        "in_play": "",
        "reconciles": True,
        "reconciliation": [],
        "payouts": {
            name: 0 for one in (*payouts, "of_meter", "house_added") for name in (one, f"{one}_cents")
        },
        "coins": {"bet": 0, "bet_cents": 0, "refunded": 0, "refunded_cents": 0},
        "to_meter_exact": 0,
        "to_reserve_exact": 0,
        "to_house_exact": 0,
        "seats": [{**seat, "ante_cents": 1_000, "raise_cents": 0, "bonus_cents": 0}],
        "custody": [{**custody, "overflow_exact": 0}],
    }


def test_a_report_has_a_column_for_the_bonus_only_where_the_house_has_one(
    painted: Painted, open_page: Open, faultless: Look
) -> None:
    painted.add_table("T2", 'preset = "us"\n')
    page = open_page("/console#/T2/papers", DESK, operator="di")
    _serve(page, {"report": _report()})
    page.get_by_role("button", name="Show the report").click()
    heads = page.locator(".papers th")
    expect(heads.filter(has_text="House’s result")).to_have_count(1)
    expect(heads.filter(has_text="bonus")).to_have_count(0)
    expect(page.locator(".papers")).to_contain_text("Resets put on by the house")
    faultless(page)
    page.get_by_role("link", name="All tables").click()
    page.locator(".tile a").first.click()
    page.get_by_role("link", name="Papers of T1").click()
    expect(heads.filter(has_text="5+1 bonus")).to_have_count(1)
