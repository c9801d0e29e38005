"""The finger of a dealer on the panel: everything is tapped, as on a touch screen without a keyboard."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import Locator, Page, expect

CHIPS: Final = (10_000, 2_500, 500, 100)
KEY_OF: Final = {
    "open": "idle",
    "lock": "betting",
    "close": "deciding",
    "reveal": "revealing",
    "clear": "settled",
}
PATIENCE_MS: Final = 10_000


class Dealer:
    """One panel and who stands at it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def key(self, name: str) -> Locator:
        """The one primary key, while it is the one of that name and can be pressed."""
        return self.page.locator(f'button.press[data-key="{name}"]:not([disabled])')

    def press(self, name: str) -> None:
        """Taps OPEN, LOCK, CLOSE, REVEAL or CLEAR as soon as it can be pressed."""
        self.key(name).tap()

    def seat(self, seat: int) -> Locator:
        """A seat of the map."""
        return self.page.locator(f'[data-seat="{seat}"]')

    def spot(self, seat: int, spot: str) -> Locator:
        """A betting spot of a seat."""
        return self.seat(seat).locator(f'[data-spot="{spot}"]')

    def choose(self, seat: int, spot: str) -> None:
        """Taps a spot unless it is the chosen one: after an entry the next one chooses itself."""
        where = self.spot(seat, spot)
        if where.get_attribute("aria-pressed") != "true":
            where.tap()
        expect(where).to_have_attribute("aria-pressed", "true")

    def chips(self, cents: int) -> None:
        """Taps chips until they come to that much."""
        labels = self.page.locator(".chip")
        for chip in CHIPS:
            text = f"{chip // 100}"
            while cents >= chip:
                labels.filter(has_text=_exactly(text)).tap()
                cents -= chip
        assert cents == 0, "no chip is that small"

    def enter(self) -> Locator:
        """The key that says the amount."""
        return self.page.locator(".enter .key.strong")

    def lay(self, seat: int, spot: str, cents: int) -> None:
        """Keys an amount, sees it on the spot, and waits until the page has done with that spot.

        The picture may come before the answer; with the answer the choice leaves the spot.
        """
        self.choose(seat, spot)
        self.chips(cents)
        self.enter().tap()
        self.sees(seat, spot, cents)
        expect(self.spot(seat, spot)).to_have_attribute("aria-pressed", "false", timeout=PATIENCE_MS)

    def sees(self, seat: int, spot: str, cents: int) -> None:
        """The page shows that amount on the spot."""
        expect(self.spot(seat, spot).locator(".cents")).to_contain_text(
            f"{cents // 100}.{cents % 100:02d}", timeout=PATIENCE_MS
        )

    def fold(self, seat: int) -> None:
        """Taps Fold at a seat."""
        self.seat(seat).locator("button.fold").tap()

    def sees_phase(self, text: str) -> None:
        """The head of the page says so."""
        expect(self.page.locator("h1.phase")).to_contain_text(text, timeout=PATIENCE_MS)


def _exactly(text: str) -> re.Pattern[str]:

    return re.compile(rf"^\s*{text}\s*$")
