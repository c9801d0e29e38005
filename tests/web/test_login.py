"""The page where one logs in, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]
Shoot = Callable[[Page, str], Any]
Faultless = Callable[[Page], None]


def test_a_dealer_logs_in_by_touch_and_comes_to_where_he_wanted(
    painted: Any, open_page: OpenPage, shoot: Shoot, faultless: Faultless
) -> None:
    page = open_page("/login?then=/panel%3Ftable%3DT1", touch=True)
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    shoot(page, "login")
    faultless(page)
    page.get_by_label("Name").fill("cy")
    for digit in painted.pins["cy"]:
        page.get_by_role("button", name=digit, exact=True).tap()
    page.get_by_role("button", name="Log in").tap()
    page.wait_for_url("**/panel?table=T1")


def test_a_wrong_pin_is_said_and_the_name_stays(
    painted: Any, open_page: OpenPage, forgive: Callable[..., None], shoot: Shoot, faultless: Faultless
) -> None:
    page = open_page("/login")
    forgive(page, "403", "/api/login")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("PIN", exact=True).fill("000111")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The name or the PIN is wrong.")
    expect(page.get_by_label("Name")).to_have_value("ann")
    expect(page.get_by_label("PIN", exact=True)).to_have_value("")
    shoot(page, "login-wrong")
    faultless(page)


def test_no_address_leads_away_from_the_site_after_the_log_in(painted: Any, open_page: OpenPage) -> None:
    for then in ("//evil.example/", "https://evil.example/", "/%5Cevil.example", "javascript:alert(1)"):
        page = open_page(f"/login?then={then}")
        page.get_by_label("Name").fill("ann")
        page.get_by_label("PIN", exact=True).fill(painted.pins["ann"])
        page.keyboard.press("Enter")
        page.wait_for_url(f"{painted.url}/console*")


def test_the_log_in_speaks_german_on_a_small_screen(
    painted: Any, open_page: OpenPage, shoot: Shoot, faultless: Faultless
) -> None:
    page = open_page("/login", size=(412, 915), language="de")
    expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
    shoot(page, "login-small-de")
    faultless(page)


def test_a_locked_name_is_told_how_long_and_who_was_here_is_offered(
    painted: Any, open_page: OpenPage, forgive: Callable[..., None], shoot: Shoot, faultless: Faultless
) -> None:
    page = open_page("/login", operator="di")
    forgive(page, "403", "429", "/api/login")
    page.evaluate("localStorage.setItem('login.names', JSON.stringify(['cy', 'Ann-Sophie B.']))")
    page.reload()
    expect(page.get_by_text("di (auditor) is logged in at this browser.")).to_be_visible()
    page.get_by_role("button", name="cy", exact=True).click()
    for said in ["The name or the PIN is wrong."] * 4 + ["This name is locked after too many wrong PINs."]:
        page.get_by_label("PIN", exact=True).fill("999998")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text(said)
    expect(page.get_by_role("alert")).to_contain_text("Time to wait: 15 min.")
    shoot(page, "login-locked")
    faultless(page)
