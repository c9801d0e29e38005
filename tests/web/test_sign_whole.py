"""The sign of a real table through a jackpot, and through a table that falls silent and comes back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.browser import Pages
from tests.web.jackpot import House
from tests.web.rig import RealTable

Shoot = Callable[[Page, str], Path]
PATIENCE_MS = 20_000


def written(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02d}"


def shows_amount(page: Page, cents: int) -> None:
    """The odometer has come to rest on that amount."""
    expect(page.locator("#odometer")).to_have_attribute(
        "aria-label", re.compile(re.escape(written(cents))), timeout=PATIENCE_MS
    )


def shows(page: Page, text: str) -> None:
    expect(page.locator("body")).to_contain_text(text, timeout=PATIENCE_MS)


def test_the_sign_tells_a_jackpot_from_the_coin_to_the_reset(
    real_table: RealTable, open_page: Callable[..., Page], shoot: Shoot, faultless: Callable[[Page], None]
) -> None:
    house = House(real_table)
    page = open_page("/sign?table=T1&name=MAIN", size=(1920, 1080))
    shows(page, "Table closed")
    house.opens()
    shows(page, "Next round soon")
    shows_amount(page, 1_234_567)
    house.deals_a_royal()
    shows_amount(page, 1_234_616)
    shows(page, "Dealer’s hand")
    shoot(page, "sign-1-running")
    cents = house.reveals()
    assert cents == 1_234_616
    shows(page, "PENDING")
    for text in ("Table T1, seat 2", written(cents)):
        shows(page, text)
    shoot(page, "sign-2-pending")
    faultless(page)
    # A page that is loaded anew in the middle shows what waits, and celebrates nothing.
    page.reload()
    shows(page, "PENDING")
    house.counts()
    for person in (house.ann, house.ben):
        house.says(person, type="ConfirmAward", seat=2)
    shows(page, "WINNER")
    shows_amount(page, 1_000_000)
    for text in ("Table T1, seat 2", written(cents)):
        shows(page, text)
    shoot(page, "sign-3-confirmed")
    faultless(page)
    late = open_page("/sign?table=T1", size=(1280, 720))
    shows_amount(late, 1_000_000)
    assert "WINNER" not in late.locator("body").inner_text(), "a win of before is not celebrated again"


def test_the_sign_says_how_old_it_is_and_comes_back(
    real_table: RealTable,
    open_page: Callable[..., Page],
    pages: Pages,
    shoot: Shoot,
    faultless: Callable[[Page], None],
) -> None:
    house = House(real_table)
    house.opens()
    page = open_page("/sign?table=T1", size=(1280, 720))
    shows(page, "Next round soon")
    with real_table.asleep(real_table.service):
        shows(page, "Last update")
        shoot(page, "sign-4-stale")
        shows(page, "OFFLINE")
        shoot(page, "sign-5-offline")
        faultless(page)
    shows(page, "Next round soon")
    assert "OFFLINE" not in page.locator("body").inner_text()
    # The table dies in the middle of a round and is started again: the sign follows without a reload.
    house.deals_a_royal()
    shows_amount(page, 1_234_616)
    real_table.kill(real_table.service)
    shows(page, "Last update")
    real_table.service.start()
    shows(page, "One moment please")
    shows_amount(page, 1_234_616)
    shoot(page, "sign-6-after-a-power-cut")
    # The same with the process of the pages: what hangs over the pit is never loaded by hand.
    pages.forgive(page, "ERR_", "Failed to load")
    real_table.kill(real_table.web)
    shows(page, "Last update")
    real_table.web.start()
    shows(page, "One moment please")
