"""What a supervisor does at the console, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from tests.web.painted import Painted

Open = Callable[..., Page]
Shoot = Callable[[Page, str], Any]
Look = Callable[[Page], None]
DESK = (1920, 1080)


def key(page: Page, name: str) -> Any:
    """The key of a decision among all of them."""
    return page.locator(".decisions").get_by_role("button", name=name)


def shows(page: Page, painted: Painted) -> None:
    """The page shows the newest picture, and what is possible was asked about it."""
    page.locator(f'.band[data-seq="{painted.seq()}"]').wait_for()


def begin(page: Page, name: str, reason: str = "seen on camera 4") -> Any:
    """A decision up to its second look."""
    expect(key(page, name)).not_to_have_attribute("aria-disabled", "true")
    key(page, name).click()
    dialog = page.locator("dialog")
    if reason:
        dialog.get_by_label("Reason").fill(reason)
    return dialog


def second_look(dialog: Any) -> Any:
    """From a form that is filled in to what would happen."""
    dialog.get_by_role("button", name="Second look").click()
    expect(dialog.locator(".effects li").first).to_be_visible()
    return dialog


def do_it(dialog: Any, pin: str) -> None:
    """What was looked at is done."""
    dialog.get_by_label("PIN").fill(pin)
    dialog.get_by_role("button", name="Do it").click()
