"""A whole round of a real table: chips and cards by hands on the wires, all else by taps on the panel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.dealer import Dealer
from tests.web.rig import RealTable
from tests.web.wire import Client

# Seat 1 has nothing, seat 2 a pair of kings, seat 5 a flush; the dealer has ace, king and shows the ten.
DEAL = "2C KD 2H AS 3D KS 5H KC 7H 4D 8H 6H 9S 6C JH 8S QC 9D QH TD"
Shoot = Callable[[Page, str], Path]


def test_a_round_is_dealt_from_open_to_clear_by_taps_alone(
    real_table: RealTable,
    open_page: Callable[..., Page],
    shoot: Shoot,
    faultless: Callable[[Page], None],
) -> None:
    ann = Client(real_table.url, "ann", real_table.pins["ann"])
    status, raw = ann.say({"type": "OpenDay"}, "the house opens")
    assert (status, b'"ok":true' in raw) == (200, True), raw
    dealer = Dealer(open_page("/panel?table=T1", touch=True, operator="cy"))
    page, hands = dealer.page, real_table.hands
    page.locator(".notice.info button, .duty-ask button").first.tap()
    real_table.until(lambda: real_table.state["on_duty"] == "cy", "cy on duty")
    shoot(page, "round-1-idle")

    dealer.press("open")
    dealer.sees_phase("Bets are open")
    for seat in (1, 2, 5):
        hands.ante(seat)
    hands.bonus(5)
    hands.coin(2)
    hands.coin(5)
    real_table.until(lambda: real_table.seat(5)["coin"] == "bet", "the coin of seat 5")
    expect(dealer.spot(5, "bonus")).to_have_class("spot bonus unkeyed")
    for seat, spot, cents in ((1, "ante", 1000), (2, "ante", 2500), (5, "ante", 3000), (5, "bonus", 500)):
        dealer.lay(seat, spot, cents)
    shoot(page, "round-2-betting")
    faultless(page)

    dealer.press("lock")
    dealer.sees_phase("Dealing")
    hands.deal(*DEAL.split()[:7])
    expect(page.locator(".step")).to_contain_text("7", timeout=10_000)
    shoot(page, "round-3-dealing")
    hands.deal(*DEAL.split()[7:])

    dealer.sees_phase("Raise or fold")
    shoot(page, "round-4-deciding")
    dealer.fold(1)
    expect(dealer.seat(1)).to_have_class("seat at-1 folded ")
    hands.raise_(2)
    hands.raise_(5)
    faultless(page)
    dealer.press("close")
    dealer.sees_phase("No more raises")
    shoot(page, "round-5-revealing")
    dealer.press("reveal")

    dealer.sees_phase("Pay and collect")
    assert real_table.state["result"] == "settled"
    results = {seat: real_table.seat(seat)["results"] for seat in (1, 2, 5)}
    assert results[1]["ante"] == "lose 10.00"
    assert results[2]["ante"] == "win 25.00"
    assert results[5]["ante"] == "win 30.00"
    assert results[5]["raise"].startswith("win ")
    shoot(page, "round-6-settled")
    faultless(page)
    order = [int(row.get_attribute("data-due") or 0) for row in page.locator("[data-due]").all()]
    assert order == [5, 2, 1], "the house settles from right to left"
    for seat in order:
        expect(page.locator(".due-now h2")).to_contain_text(str(seat))
        page.locator(".tick").tap()
    expect(page.locator(".all-done")).to_be_visible()
    hands.clear_felt()
    dealer.press("clear")
    dealer.sees_phase("Between rounds")
    shoot(page, "round-7-cleared")
    facts = b"\n".join(real_table.facts)
    for kind in (b"RoundOpened", b"BetsLocked", b"RoundSettled", b"RoundCleared"):
        assert facts.count(b'"type":"%s"' % kind) == 1, kind
    assert facts.count(b'"CommandRefused"') == 0
