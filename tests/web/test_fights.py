"""Two pages that want different things, fingers that tap twice, answers that are lost, pages that are late.

Whatever happens there is one effect, and a second later every page shows the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.web.browser import PATIENCE_MS, Pages
from tests.web.dealer import Dealer
from tests.web.jackpot import House
from tests.web.painted import Painted
from tests.web.rig import RealTable

OpenPage = Callable[..., Page]


def panel(open_page: OpenPage, operator: str = "cy") -> Dealer:
    return Dealer(open_page("/panel?table=T1", touch=True, operator=operator))


def lost_answers(page: Page, times: int, then: Callable[[], None] = lambda: None) -> list[str]:
    """The next words reach the table and their answers are lost on the way back; gives the ids seen."""
    ids: list[str] = []

    def lose(route: Route) -> None:
        ids.append(route.request.headers["idempotency-key"])
        if len(ids) <= times:
            route.fetch()
            then()
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/api/tables/T1/say", lose)
    return ids


def test_two_pages_that_key_one_seat_at_once_show_the_same_amount(
    painted: Painted, open_page: OpenPage, shoot: Callable[[Page, str], object]
) -> None:
    painted.paint("T1", "betting-chips")
    one, other = panel(open_page), panel(open_page, "ann")
    for dealer, cents in ((one, 1000), (other, 2500)):
        dealer.choose(2, "ante")
        dealer.chips(cents)
    with painted.unanswered():
        one.enter().tap()
        other.enter().tap()
        said = painted.wait_for_said(2)
    # The later one stands, and both pages say so.
    last_cents = said[-1]["command"]["cents"]
    for dealer in (one, other):
        dealer.sees(2, "ante", last_cents)
    assert painted.canvas().state.seat(2).ante.cents == last_cents
    shoot(one.page, "fight-one-seat")


def test_a_double_tap_locks_once(painted: Painted, open_page: OpenPage) -> None:
    painted.paint("T1", "betting-keyed")
    dealer = panel(open_page)
    key = dealer.key("lock")
    expect(key).to_be_visible()
    with painted.unanswered():
        box = key.bounding_box()
        assert box is not None
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for _ in range(3):
            dealer.page.touchscreen.tap(*at)
        painted.wait_for_said(1)
    dealer.sees_phase("Dealing")
    assert painted.commands == [{"type": "PressKey", "key": "lock"}]


def test_the_second_tap_does_not_press_the_key_that_comes_in_its_place(
    painted: Painted, open_page: OpenPage
) -> None:
    painted.paint("T1", "revealing")
    dealer = panel(open_page)
    clock = dealer.page.clock
    clock.install()
    # All timers of the page are then of one clock.
    dealer.page.reload()
    key = dealer.key("reveal")
    expect(key).to_be_visible()
    box = key.bounding_box()
    assert box is not None
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # Between the taps no time passes for the page, however long it takes to see that it was painted.
    # The clock can only be stopped at a moment to come; five seconds without a beat would lose the stream.
    clock.pause_at(dealer.page.evaluate("Date.now()") / 1000 + 3)
    dealer.page.touchscreen.tap(*at)
    painted.wait_for_said(1)
    dealer.sees_phase("Pay and collect")
    dealer.page.touchscreen.tap(*at)
    clock.resume()
    # A key that has been pressed is shut, and then another one stands there: CLEAR could not be pressed now.
    dealer.press("clear")
    painted.wait_for_said(2)
    dealer.sees_phase("Between rounds")
    assert painted.commands == [{"type": "PressKey", "key": name} for name in ("reveal", "clear")]


def test_an_answer_that_is_lost_is_asked_for_under_the_same_id_and_has_one_effect(
    painted: Painted, open_page: OpenPage, pages: Pages
) -> None:
    painted.paint("T1", "betting-keyed")
    dealer = panel(open_page)
    pages.forgive(dealer.page, "/say", "ERR_CONNECTION_RESET")
    ids = lost_answers(dealer.page, 2)
    before = painted.canvas().state.seat(1).ante.cents or 0
    dealer.choose(1, "ante")
    dealer.chips(500)
    dealer.page.locator(".enter .key", has_text="Add to it").tap()
    dealer.sees(1, "ante", before + 500)
    expect(dealer.page.locator(".sum strong")).to_have_count(0)
    assert len(ids) == 3
    assert len(set(ids)) == 1, "each try has the same id"
    assert painted.canvas().state.seat(1).ante.cents == before + 500


def test_a_word_whose_answer_dies_with_the_table_has_one_effect(
    real_table: RealTable, open_page: OpenPage, pages: Pages
) -> None:
    house = House(real_table)
    house.opens()
    house.says(house.cy, type="PressKey", key="open")
    real_table.hands.ante(3)
    dealer = panel(open_page)
    pages.forgive(dealer.page, "/say", "ERR_CONNECTION_RESET", "503")
    dealer.lay(3, "ante", 1000)

    boot = real_table.boot

    def cut_power() -> None:
        real_table.kill(real_table.service)
        real_table.service.start()

    ids = lost_answers(dealer.page, 1, cut_power)
    dealer.choose(3, "ante")
    dealer.chips(500)
    dealer.page.locator(".enter .key", has_text="Add to it").tap()
    expect(dealer.page.locator(".sum strong")).to_have_count(0)
    dealer.sees(3, "ante", 1500)
    assert len(set(ids)) == 1
    assert len(ids) > 1
    real_table.until(lambda: real_table.boot > boot, "the table that was started again")
    assert real_table.seat(3)["ante"]["cents"] == 1500


def test_an_amount_that_comes_after_lock_changes_nothing_and_both_pages_say_so(
    painted: Painted, open_page: OpenPage
) -> None:
    painted.paint("T1", "betting-keyed")
    keying, locking = panel(open_page), panel(open_page, "ann")
    cents = painted.canvas().state.seat(1).ante.cents or 0
    keying.choose(1, "ante")
    keying.chips(2500)
    with painted.unanswered():
        locking.press("lock")
        painted.wait_for_said(1)
        keying.enter().tap()
        painted.wait_for_said(2)
    for dealer in (keying, locking):
        dealer.sees_phase("Dealing")
        dealer.sees(1, "ante", cents)
        expect(dealer.page.locator(".alarms")).to_contain_text("it stays as it was")
    assert painted.canvas().state.seat(1).ante_cents == cents


def test_a_page_left_open_over_a_rounds_end_does_nothing_to_the_next_round(
    painted: Painted, open_page: OpenPage
) -> None:
    painted.paint("T1", "deciding")
    late = panel(open_page)
    expect(late.seat(2).locator("button.fold")).to_be_visible()
    with painted.unheard():
        painted.play("fold 1\nraise 2\nraise 5\nclose\nreveal\nclear\nopen\nante 2 10.00\nlock")
        painted.play("deal 2C>2 3C>D 4C>2 5C>D 7H>2 8H>D 9S>2 TS>D KH>2 AH>D")
        late.fold(2)
        (said,) = painted.wait_for_said(1)
        # A refusal is shown for a while, also on a page that hears nothing.
        expect(late.page.locator(".refusal")).to_be_visible()
    assert said["command"] == {"type": "Fold", "seat": 2}
    assert said["round"] != painted.canvas().state.round
    assert not painted.canvas().state.seat(2).folded
    expect(late.seat(1).locator("button.fold")).to_have_count(0)
    expect(late.seat(2).locator("button.fold")).to_be_visible()


def test_a_reload_in_the_middle_of_keying_loses_only_what_was_not_entered(
    painted: Painted, open_page: OpenPage
) -> None:
    painted.paint("T1", "betting-chips")
    dealer = panel(open_page)
    dealer.lay(2, "ante", 1500)
    dealer.choose(5, "ante")
    dealer.chips(500)
    dealer.page.reload()
    dealer.sees(2, "ante", 1500)
    assert painted.commands == [{"type": "SetAmount", "spot": "ante", "seat": 2, "cents": 1500}]
    expect(dealer.spot(5, "ante")).to_have_class("spot ante unkeyed")


def test_a_reload_while_a_word_is_on_its_way_says_it_once(painted: Painted, open_page: OpenPage) -> None:
    painted.paint("T1", "deciding")
    dealer = panel(open_page)
    with painted.unanswered():
        dealer.fold(1)
        painted.wait_for_said(1)
        dealer.page.reload(wait_until="commit")
    expect(dealer.seat(1)).to_contain_text("Folded", ignore_case=True)
    folds = [command for command in painted.commands if command["type"] == "Fold"]
    assert folds == [{"type": "Fold", "seat": 1}]
    told = [fact for fact in painted.canvas().facts if type(fact).__name__ == "SeatFolded"]
    assert len(told) == 1


def test_item_25_every_page_agrees_a_second_after_a_burst_of_changes(
    painted: Painted, open_page: OpenPage
) -> None:
    # That it is a second, the bench measures: here four pages and the tables share two cores with a browser.
    painted.paint("T1", "betting")
    panels = [panel(open_page), panel(open_page, "ann")]
    console = open_page("/console", operator="ben")
    sign = open_page("/sign?table=T1")
    for seat in range(1, 8):
        painted.play(f"ante {seat} {5 * seat}.00\ncoin {seat}")
    painted.play("lock")
    meter = painted.canvas().state.meter
    assert meter is not None
    text = f"{meter.cents // 100:,}.{meter.cents % 100:02d}"
    for dealer in panels:
        expect(dealer.page.locator("h1.phase")).to_contain_text("Dealing", timeout=PATIENCE_MS)
        expect(dealer.page.locator(".meter")).to_contain_text(text, timeout=PATIENCE_MS)
        for seat in range(1, 8):
            dealer.sees(seat, "ante", 500 * seat)
    expect(console.locator("body")).to_contain_text(text, timeout=PATIENCE_MS)
    # The odometer of the sign rolls up to what the others show at once.
    expect(sign.locator("#odometer")).to_have_attribute("aria-label", re.compile(re.escape(text)))
