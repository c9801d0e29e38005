"""The panel as a finger finds it: its keys, spots, chips and sheets, for the tests of the panel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
Shoot = Callable[[Page, str], Path]
Faultless = Callable[[Page], None]

PANEL = "/panel?table=T1"


def primary(page: Page) -> Locator:
    return page.locator(".press")


def spot(page: Page, seat: int, name: str) -> Locator:
    return page.locator(f'[data-seat="{seat}"] [data-spot="{name}"]')


def chip(page: Page, text: str) -> Locator:
    return page.locator(".chip", has_text=text).and_(page.get_by_role("button", name=f"a chip of {text}.00"))


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def irregular(page: Page, what: str) -> None:
    button(page, "Irregular").tap()
    page.locator(f'[data-what="{what}"]').tap()


def settled(page: Page) -> None:
    """The page lets taps through again after what lay under the finger has changed."""
    expect(page.locator("html")).not_to_have_class("settling")
