"""The sign over the table: what it shows in every state, how large, how calm, and that it never lies."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.web.browser import PATIENCE_MS
from tests.web.painted import Painted
from tests.web.signs import (
    CUT_OFF,
    HEARER,
    LEAST_DIGITS,
    LEAST_WORDS,
    SCREENS,
    SETTLED,
    SMALL,
    WORDS,
    Faultless,
    Open,
    Shoot,
    as_size,
    cut_off,
    digit_share,
    hasten,
    hastened,
    heard_boot,
    readings,
    sampled,
    shows,
    state_is,
    until,
)

# As in odometer.js: an amount that comes while another rolls waits for its end.
ROLL_MS: Final = 2200

# ------------------------------------------------------------------------------- every state

STATES: Final[dict[str, tuple[Callable[[Painted], object], str]]] = {
    "betting": (lambda painted: painted.paint("T1", "betting"), "Place your bets"),
    "last-bets": (lambda painted: painted.paint("T1", "betting-yellow"), "Last bets"),
    "no-more-bets": (lambda painted: painted.paint("T1", "betting-red"), "No more bets"),
    "deciding": (lambda painted: painted.paint("T1", "deciding"), "Raise or fold"),
    "held": (lambda painted: painted.paint("T1", "hold-miscount"), "One moment please"),
    "void": (lambda painted: painted.paint("T1", "void"), "Round void"),
    "closed": (lambda painted: painted.paint("T1", "closed"), "Table closed"),
    "trial": (lambda painted: painted.paint("T1", "trial"), "Table is being tested"),
    "pending": (lambda painted: painted.paint("T1", "award-waits"), "PENDING"),
    "pending-two": (lambda painted: painted.paint("T1", "awards-two"), "Straight flush"),
    "fault": (lambda painted: painted.paint("T1", "meter-down"), "Jackpot display fault"),
    "stale": (lambda painted: painted.silence(4000), "Last update"),
    "offline": (lambda painted: painted.silence(11_000), "amount not confirmed"),
    "refused": (lambda painted: painted.refuse(), "This sign is not authorised"),
}


def test_every_state_has_its_words_and_can_be_used_by_everybody(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1", size=(1280, 720), reduced_motion=True)
    for name, (paint, words) in STATES.items():
        paint(painted)
        expect(page.locator("body")).to_contain_text(words)
        shoot(page, f"sign-{name}")
        faultless(page)


def test_the_sign_speaks_german(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1", size=(1080, 1920), reduced_motion=True, language="de")
    german = {
        "betting": "Bitte setzen",
        "closed": "Tisch geschlossen",
        "trial": "Tisch wird geprüft",
        "pending": "Tisch T1, Platz 2",
        "fault": "Jackpot-Anzeige gestört",
        "offline": "Betrag nicht bestätigt",
    }
    for name, words in german.items():
        STATES[name][0](painted)
        expect(page.locator("body")).to_contain_text(words)
        shoot(page, f"sign-de-{name}")
        faultless(page)
        assert cut_off(page) == [], name


def test_a_table_without_a_jackpot_has_its_name_and_its_rules(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.add_table("T2", 'preset = "classic"\n', seats=5)
    page = open_page("/sign?table=T2&name=MAIN", size=(1920, 1080), reduced_motion=True)
    expect(page.locator("#table")).to_have_text("Table T2")
    expect(page.locator("#board")).to_contain_text("Raise pays")
    for screen, size in SCREENS.items():
        page.set_viewport_size(as_size(size))
        shoot(page, f"sign-no-jackpot-{screen}")
        assert cut_off(page) == []
    faultless(page)
    assert page.locator("#odometer").is_hidden()
    painted.silence(11_000, "T2")
    expect(page.locator("#line")).to_contain_text("OFFLINE")
    # It shows no jackpot, so no jackpot depends on it.
    assert painted.asked == []


def test_a_table_that_nobody_knows_is_said_so(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    page = open_page("/sign?table=T9", size=(1280, 720))
    expect(page.locator("#plain")).to_have_text("No table of this name")
    faultless(page)


def test_before_anything_is_heard_the_sign_waits(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    page = open_page("/login", size=(1280, 720))
    page.route("**/api/signs/**", lambda route: route.fulfill(content_type="text/event-stream", body="\n"))
    page.goto("/sign?table=T1")
    expect(page.locator("#plain")).to_have_text("Waiting for the table")
    shoot(page, "sign-waiting")
    faultless(page)
    assert page.locator("#odometer").is_hidden()


# ------------------------------------------------------------------------------------- sizes


@pytest.mark.parametrize("screen", SCREENS)
def test_item_22_digits_and_words_are_large_enough_on_every_screen(
    screen: str, painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "betting", meter={"cents": 12_345_678})
    page = open_page("/sign?table=T1", size=SCREENS[screen], reduced_motion=True)
    for scene in ("betting", "award-waits", "awards-two", "meter-down"):
        painted.paint("T1", scene, meter={"cents": 12_345_678})
        shows(page, 12_345_678)
        expect(page.locator("#odometer")).to_be_visible()
        assert cut_off(page) == [], scene
        shoot(page, f"sign-{screen}-{scene}")
        assert digit_share(page) >= LEAST_DIGITS
        assert page.evaluate(SMALL, [WORDS, LEAST_WORDS]) == []
    painted.paint("T1", "betting", meter={"cents": 99_999_999_999_999})
    shows(page, 99_999_999_999_999)
    expect(page.locator("#odometer")).to_have_attribute("aria-label", "$999,999,999,999.99")
    assert cut_off(page) == []
    shoot(page, f"sign-{screen}-largest")
    wheels = page.locator("#odometer .wheel")
    tops = wheels.evaluate_all("(wheels) => wheels.map((one) => Math.round(one.getBoundingClientRect().top))")
    assert (len(tops), len(set(tops))) == (14, 1)


# ------------------------------------------------------------------------------ the odometer


def test_item_19_the_odometer_never_runs_ahead_nor_backwards_and_catches_up(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting", meter={"cents": 999_950})
    page = sampled(open_page("/sign?table=T1"))
    shows(page, 999_950)
    page.evaluate("window.samples.length = 0")
    for cents in (999_999, 1_000_049, 1_000_098, 1_000_500, 1_234_567):
        painted.paint("T1", meter={"cents": cents})
        until(page, f"window.committed === {cents}")
    shows(page, 1_234_567)
    until(page, "window.samples.at(-1).cents === 1234567")
    seen = readings(page)
    heard_at = next(one["at"] for one in seen if one["committed"] == 1_234_567)
    caught_up_at = next(one["at"] for one in seen if one["cents"] == 1_234_567)
    # Each roll ends, and its end is seen, at the next frame: a browser that paints seldom adds its own gaps.
    gaps = sorted(after["at"] - one["at"] for one, after in pairwise(seen))
    assert caught_up_at - heard_at <= 2 * ROLL_MS + sum(gaps[-3:])
    assert len({one["cents"] for one in seen}) > 20, "it rolls"
    assert all(one["cents"] <= one["committed"] for one in seen)
    assert all(one["cents"] <= after["cents"] for one, after in pairwise(seen))


def test_item_19_a_decrease_while_the_wheels_roll_leaves_them_no_higher_than_what_is_committed(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting", meter={"cents": 1_000_000})
    page = sampled(open_page("/sign?table=T1"))
    shows(page, 1_000_000)
    page.evaluate("window.samples.length = 0")
    painted.paint("T1", meter={"cents": 1_900_000})
    until(page, "document.querySelector('#odometer').dataset.cents > 1000000")
    # Still above what the wheels show by now, and below where they roll to.
    painted.paint("T1", meter={"cents": 1_800_000})
    until(page, "window.committed === 1800000")
    shows(page, 1_800_000)
    assert all(one["cents"] <= one["committed"] for one in readings(page))


def test_a_recorded_decrease_is_shown_at_once_and_said(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "betting", meter={"cents": 5_000_000})
    page = sampled(open_page("/sign?table=T1"))
    shows(page, 5_000_000)
    page.evaluate("window.samples.length = 0")
    painted.paint("T1", meter={"cents": 1_000_000})
    shows(page, 1_000_000)
    expect(page.locator("#line")).to_contain_text("New amount")
    assert "Reset" not in page.locator("#line").inner_text(), "coins that went back may end there by chance"
    assert {one["cents"] for one in readings(page)} <= {5_000_000, 1_000_000}
    shoot(page, "sign-lowered")
    painted.paint("T1", meter={"cents": 1_500_000})
    shows(page, 1_500_000)
    painted.paint("T1", meter={"cents": 1_400_000})
    expect(page.locator("#line")).to_contain_text("New amount")
    shows(page, 1_400_000)


def test_an_older_picture_changes_nothing(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting", meter={"cents": 5_000_000})
    page = sampled(open_page("/sign?table=T1"))
    shows(page, 5_000_000)
    news = page.evaluate("""async () => {
      const reader = (await fetch("/api/signs/T1/events")).body.getReader();
      const text = new TextDecoder().decode((await reader.read()).value);
      await reader.cancel();
      const [house, sign] = [...text.matchAll(/^data: (.*)$/gm)].map((found) => JSON.parse(found[1]));
      return { house, ...sign };
    }""")
    told = [
        news | {"boot": news["boot"] + more, "seq": seq, "meter_cents": cents}
        for more, seq, cents in (
            (0, 900, 5_000_000),
            (0, 899, 4_000_000),
            (-1, 950, 3_000_000),
            (0, 901, 5_000_001),
        )
    ]
    body = "".join(f"event: sign\ndata: {json.dumps(one)}\n\n" for one in told)
    page.route("**/api/signs/**", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.reload()
    shows(page, 5_000_001)
    assert {one["cents"] for one in readings(page)} == {5_000_000, 5_000_001}
    expect(page.locator("#line")).to_have_text("")


def test_with_reduced_motion_nothing_rolls_and_nothing_moves(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = sampled(open_page("/sign?table=T1", reduced_motion=True))
    before = page.evaluate("window.samples[0].cents")
    page.evaluate("window.samples.length = 0")
    painted.paint("T1", meter={"cents": before + 300})
    shows(page, before + 300)
    assert {one["cents"] for one in readings(page)} <= {before, before + 300}
    painted.play("sup confirm 2")
    expect(page.locator("#board")).to_contain_text("WINNER")
    assert page.evaluate("document.getAnimations().length") == 0


# -------------------------------------------------------------------------------------- wins


def test_item_20_23_a_win_waits_and_is_then_celebrated_beside_the_new_amount(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "award-counted")
    cents = painted.canvas().state.meter.cents  # type: ignore[union-attr]
    page = open_page("/sign?table=T1", size=(1920, 1080))
    board = page.locator("#board")
    for text in ("PENDING", "Table T1, seat 2", "Royal flush", f"${cents // 100:,}.{cents % 100:02d}"):
        expect(board).to_contain_text(text)
    shows(page, cents)
    painted.play("sup confirm 2")
    for text in ("WINNER", "Table T1, seat 2", "Royal flush", f"${cents // 100:,}.{cents % 100:02d}"):
        expect(board).to_contain_text(text)
    shows(page, 1_000_000)
    expect(page.locator("#line")).to_contain_text("Reset")
    periods = page.evaluate("""document.getAnimations().map((one) => {
      const { duration, direction } = one.effect.getTiming();
      return direction === "alternate" ? 2 * duration : duration;
    })""")
    assert periods
    assert min(periods) >= 500, "nothing is faster than 2 Hz"
    until(page, "getComputedStyle(document.querySelector('#rays')).opacity === '1'")
    shoot(page, "sign-won")
    faultless(page)
    assert cut_off(page) == []


def test_a_celebration_ends_after_ten_to_twenty_seconds(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = hastened(open_page("/sign?table=T1"))
    expect(page.locator("#board")).to_contain_text("PENDING")
    painted.play("sup confirm 2")
    expect(page.locator("#board")).to_contain_text("WINNER")
    hasten(page, 10_000)
    assert page.locator("body").get_attribute("data-celebrating") == "grand"
    hasten(page, 10_000)
    assert page.locator("body").get_attribute("data-celebrating") == "no"
    assert "WINNER" not in page.locator("body").inner_text()


@pytest.mark.parametrize(("hand", "how"), [("flush", "yes"), ("royal_flush", "grand")])
def test_a_small_win_is_celebrated_as_long_and_only_a_royal_grandly(
    painted: Painted, open_page: Open, hand: str, how: str
) -> None:
    canvas = painted.paint("T1", "award-waits")
    award = json.loads(canvas.body())["awards"][0]
    award |= {"hand": hand, "kind": "own", "cents": 5_000, "status": "waits"}
    painted.paint("T1", awards=[award])
    page = hastened(open_page("/sign?table=T1"))
    expect(page.locator("#board")).to_contain_text("PENDING")
    painted.paint("T1", awards=[award | {"status": "paid"}])
    expect(page.locator("#board")).to_contain_text("WINNER")
    hasten(page, 10_000)
    assert page.locator("body").get_attribute("data-celebrating") == how
    hasten(page, 10_000)
    assert page.locator("body").get_attribute("data-celebrating") == "no"
    assert "WINNER" not in page.locator("body").inner_text()


def test_a_void_that_takes_a_win_back_ends_its_celebration(painted: Painted, open_page: Open) -> None:
    canvas = painted.paint("T1", "award-waits")
    royal = next(one for one in json.loads(canvas.body())["awards"] if one["hand"] == "royal_flush")
    paid = royal | {"seat": 3, "hand": "flush", "kind": "own", "cents": 5_000, "status": "paid"}
    page = open_page("/sign?table=T1")
    expect(page.locator("#board")).to_contain_text("PENDING")
    painted.paint("T1", awards=[royal, paid])
    expect(page.locator("#board")).to_contain_text("WINNER")
    canvas = painted.paint("T1", script="sup void", awards=[])
    assert canvas.state.phase == "void"
    expect(page.locator("#board")).not_to_contain_text("PENDING")
    assert page.locator("body").get_attribute("data-celebrating") == "no"
    assert "WINNER" not in page.locator("body").inner_text()


def test_a_reload_shows_what_waits_and_celebrates_nothing_twice(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/sign?table=T1")
    expect(page.locator("#board")).to_contain_text("PENDING")
    page.context.add_init_script(HEARER)
    page.reload()
    expect(page.locator("#board")).to_contain_text("PENDING")
    painted.play("sup confirm 2")
    expect(page.locator("#board")).to_contain_text("WINNER")
    page.reload()
    expect(page.locator("#board")).to_contain_text("Last win")
    assert page.locator("body").get_attribute("data-celebrating") == "no"
    painted.tell()
    # The picture of before would pass as well, so the page has to have heard and drawn the new one.
    boot = heard_boot(page)
    painted.restart()
    until(page, f"window.boot > {boot}")
    page.evaluate(SETTLED)
    expect(page.locator("#board")).to_contain_text("Last win")
    assert page.locator("body").get_attribute("data-celebrating") == "no"


def test_a_rejected_win_is_gone_and_nothing_is_celebrated(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "award-counted")
    page = open_page("/sign?table=T1")
    expect(page.locator("#board")).to_contain_text("PENDING")
    painted.play("sup reject 2")
    expect(page.locator("#board")).not_to_contain_text("PENDING")
    assert page.locator("body").get_attribute("data-celebrating") == "no"


def test_seven_shares_of_one_royal_fit_on_every_screen(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    canvas = painted.paint("T1", "award-waits")
    award = next(one for one in json.loads(canvas.body())["awards"] if one["hand"] == "royal_flush")
    shares = [award | {"seat": seat, "kind": "royal" if seat == 2 else "share"} for seat in range(1, 8)]
    painted.paint("T1", awards=shares)
    page = open_page("/sign?table=T1", reduced_motion=True)
    for screen, size in SCREENS.items():
        page.set_viewport_size(as_size(size))
        expect(page.locator(".win")).to_have_count(7)
        assert cut_off(page) == [], screen
        shoot(page, f"sign-{screen}-seven")


# ------------------------------------------------------------------- age, faults, being alive


def test_a_silent_table_is_said_and_a_heard_one_is_believed_again(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1")
    state_is(page, "live")
    bright = page.locator("#odometer").evaluate("(one) => getComputedStyle(one).color")
    painted.silence(3500)
    expect(page.locator("#line")).to_contain_text("Last update")
    expect(page.locator("#left")).to_have_text("")
    painted.silence(10_500)
    expect(page.locator("#line")).to_contain_text("OFFLINE")
    expect(page.locator("#light")).to_have_text("No signal")
    assert page.locator("#odometer").evaluate("(one) => getComputedStyle(one).color") != bright
    painted.hear()
    state_is(page, "live")
    expect(page.locator("#line")).to_have_text("")


def test_a_computer_that_slept_believes_nothing_of_before(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1")
    state_is(page, "live")
    # The clock of the page stands still in its sleep and that of the room does not.
    page.context.add_init_script("""
      const room = Date.now.bind(Date), began = room();
      Date.now = () => began + 100 * (room() - began);
    """)
    page.reload()
    until(page, "document.body.dataset.state === 'offline'")


def test_item_21_a_fault_and_the_amount_take_turns_slowly(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "meter-down")
    page = open_page("/sign?table=T1")
    state_is(page, "fault")
    turns = page.evaluate(
        """(patience) => new Promise((resolve, fail) => {
      setTimeout(() => fail(new Error(`no three turns within ${patience} ms`)), patience);
      const odometer = document.querySelector("#odometer");
      const turns = [];
      let hidden = odometer.hidden;
      new MutationObserver(() => {
        if (odometer.hidden === hidden) return;
        hidden = odometer.hidden;
        turns.push(performance.now());
        if (turns.length === 3) resolve(turns);
      }).observe(odometer, { attributeFilter: ["hidden"] });
    })""",
        # Three turns are 12 s by themselves.
        12_000 + PATIENCE_MS,
    )
    assert turns[2] - turns[0] >= 2000, "a whole turn is slower than 0.5 Hz"


def test_item_17_a_named_sign_says_each_second_that_it_shows_and_says_when_it_goes(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1&name=MAIN")
    assert painted._feeds.wait_until(lambda: [one["ask"] for one in painted.asked].count("here") >= 2)
    assert {one["sign"] for one in painted.asked} == {"MAIN"}
    page.goto("/login")
    assert painted._feeds.wait_until(lambda: painted.asked[-1]["ask"] == "gone")


def test_a_sign_without_a_name_says_nothing(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1")
    state_is(page, "live")
    until(page, "performance.now() > 2500")
    assert painted.asked == []


def test_an_offline_sign_does_not_say_that_it_shows(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting")
    painted.silence(11_000)
    page = open_page("/sign?table=T1&name=MAIN")
    state_is(page, "offline")
    until(page, "performance.now() > 2500")
    assert painted.asked == []


def test_item_17_a_sign_that_is_not_painted_any_more_does_not_say_that_it_shows(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting")
    page = open_page("/sign?table=T1")
    # As in a window that is covered or a screen that is off: its timers run, and no frame of it is painted.
    page.context.add_init_script("""
      const paint = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (call) => (call.name === "drawn" ? 0 : paint(call));
    """)
    page.goto(page.url + "&name=MAIN")
    state_is(page, "live")
    until(page, "performance.now() > 4500")
    # In its first second it may have been painted.
    assert [one["ask"] for one in painted.asked].count("here") <= 1


def test_the_reload_key_appears_for_a_pointer_and_for_the_keyboard(painted: Painted, open_page: Open) -> None:
    page = open_page("/sign?table=T1")
    key = page.get_by_role("button", name="Reload")
    expect(key).to_have_css("opacity", "0")
    page.keyboard.press("Tab")
    expect(key).to_be_focused()
    expect(key).to_have_css("opacity", "1")
    page.evaluate("document.activeElement.blur()")
    expect(key).to_have_css("opacity", "0")
    page.mouse.move(200, 200)
    expect(key).to_have_css("opacity", "1")
    with page.expect_navigation():
        key.click()


# ---------------------------------------------------------------------------- tables and rules


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_of_the_board_fits(screen: str, painted: Painted, open_page: Open, shoot: Shoot) -> None:
    painted.paint("T1", "betting")
    page = hastened(open_page("/sign?table=T1", size=SCREENS[screen], reduced_motion=True))
    seen: list[str] = []
    words = ""
    for _ in range(60):
        # As old as the time of the page makes it, the picture is not believed until the next one comes.
        painted.tell()
        state_is(page, "live")
        page.evaluate(SETTLED)
        words = page.locator("#board").inner_text()
        assert page.evaluate(CUT_OFF, WORDS) == [], words
        if words in seen:
            break
        if len(seen) < 6:
            shoot(page, f"sign-board-{screen}-{len(seen)}")
        seen.append(words)
        hasten(page, 12_000)
    assert len(seen) >= 8
    assert words == seen[0], "after the last page comes the first"
