"""The dealer's panel: each phase with its one key, keying, and one word a tap."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

from table_controller.table import messages as m
from tests.web.painted import Painted
from tests.web.panel_taps import PANEL, Faultless, Open, Shoot, button, chip, primary, settled, spot
from tests.web.scenes import HOUSE_RULES, SCENES

KEYS = {
    "closed": "OPEN",
    "idle": "OPEN",
    "betting-chips": "LOCK",
    "betting-keyed": "LOCK",
    "betting-red": "LOCK",
    "dealing-half": "CLOSE",
    "deciding-some": "CLOSE",
    "revealing": "REVEAL",
    "settled": "CLEAR",
    "void": "CLEAR",
    "cleared": "OPEN",
    "hold-miscount": "CLOSE",
    "hold-foreign": "CLOSE",
    "hold-unreadable": "CLOSE",
    "meter-down": "LOCK",
    "lamp-dead": "LOCK",
    "award-waits": "CLEAR",
    "awards-two": "CLEAR",
    "award-confirmed": "CLEAR",
    "trial": "",
}
PHASES = {
    "closed": "Day is closed",
    "idle": "Between rounds",
    "betting-chips": "Bets are open",
    "betting-keyed": "Bets are open",
    "betting-red": "Bets are open",
    "dealing-half": "Dealing",
    "deciding-some": "Raise or fold",
    "revealing": "No more raises",
    "settled": "Pay and collect",
    "void": "Round is void",
    "cleared": "Between rounds",
    "hold-miscount": "Hold",
    "hold-foreign": "Hold",
    "hold-unreadable": "Hold",
    "meter-down": "Bets are open",
    "lamp-dead": "Bets are open",
    "award-waits": "Hold",
    "awards-two": "Hold",
    "award-confirmed": "Pay and collect",
    "trial": "Trial",
}
TROUBLE = {"closed", "betting-red", "void", "meter-down", "lamp-dead", "trial"} | {
    scene for scene in KEYS if scene.startswith(("hold-", "award"))
}
SHUT = {"closed", "betting-red", "dealing-half", "deciding-some", "award-waits", "awards-two"} | {
    scene for scene in KEYS if scene.startswith("hold-")
}


# ---------------------------------------------------------------------------------- what is seen


@pytest.mark.parametrize("trouble", [False, True], ids=["in a plain round", "in trouble"])
def test_each_phase_has_its_one_key_and_everybody_can_use_the_page(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless, trouble: bool
) -> None:
    painted.paint("T1", "idle")
    page = open_page(PANEL, touch=True, operator="cy")
    for scene, key in KEYS.items():
        if (scene in TROUBLE) != trouble:
            continue
        painted.paint("T1", scene)
        expect(page.locator(".phase")).to_have_text(PHASES[scene])
        expect(primary(page)).to_have_text([key] if key else [])
        if key:
            expect(primary(page)).to_be_disabled() if scene in SHUT else expect(primary(page)).to_be_enabled()
        settled(page)
        shoot(page, f"panel-{scene}")
        faultless(page)


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600), (800, 1280)])
def test_on_every_screen_the_keys_are_in_reach_and_large_enough_for_a_finger(
    painted: Painted, open_page: Open, shoot: Shoot, size: tuple[int, int]
) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, size=size, touch=True, operator="cy")
    for scene in ("betting-keyed", "deciding-some", "settled", "hold-miscount", "awards-two"):
        painted.paint("T1", scene)
        expect(primary(page)).to_have_text(KEYS[scene])
        expect(primary(page)).to_be_in_viewport(ratio=1)
        expect(page.locator(".seat").first).to_be_in_viewport()
        shoot(page, f"panel-{scene}-{size[0]}x{size[1]}")
        small = page.evaluate(
            """() => [...document.querySelectorAll('button')].filter((one) => one.offsetParent)
                 .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
                 .filter(([, box]) => box.width < 47.5 || box.height < 47.5)"""
        )
        assert small == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_seat_1_is_at_the_dealers_left_and_the_ends_of_the_arc_are_nearest_to_him(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, operator="cy")
    heads = page.locator(".seat .seat-head")
    expect(heads).to_have_count(7)
    boxes = [box for one in heads.all() if (box := one.bounding_box())]
    assert [box["x"] for box in boxes] == sorted(box["x"] for box in boxes)
    assert heads.first.inner_text().strip() == "1"
    assert boxes[0]["y"] > boxes[3]["y"]
    assert boxes[6]["y"] > boxes[3]["y"]


def test_the_head_tells_the_light_the_meter_the_dealer_and_how_old_it_all_is(
    painted: Painted, open_page: Open, faultless: Faultless, shoot: Shoot
) -> None:
    painted.paint("T1", "betting-yellow")
    page = open_page(PANEL, operator="cy")
    expect(page.locator(".light")).to_contain_text("yellow")
    expect(page.locator(".meter")).to_contain_text("$12,345.67")
    expect(page.locator(".duty")).to_contain_text("cy")
    expect(page.locator(".age")).to_have_text("live")
    painted.silence(4_000)
    expect(page.locator(".age")).to_contain_text("last update")
    painted.silence(12_000)
    expect(page.locator(".age")).to_contain_text("offline")
    expect(primary(page)).to_be_disabled()
    shoot(page, "panel-offline")
    faultless(page)


def test_a_hold_says_what_it_is_who_ends_it_and_how(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "hold-unreadable")
    page = open_page(PANEL, touch=True, operator="cy")
    banner = page.get_by_role("alert").filter(has_text="HOLD")
    expect(banner).to_contain_text("a card could not be read")
    expect(banner).to_contain_text("the dealer or a supervisor: read the card by hand, or void")
    # It cannot be taken back, so the card is chosen by one tap and read in by another.
    button(page, "Read a card by hand").tap()
    page.locator('[data-card="2C"]').tap()
    button(page, "Read it in").tap()
    expect(page.locator("#sheet")).to_be_hidden()
    assert painted.commands == [{"type": "RescanCard", "card": "2C"}]
    expect(banner).to_have_count(0)


def test_the_panel_speaks_german(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "hold-miscount")
    page = open_page(PANEL, operator="cy", language="de")
    expect(page.locator(".phase")).to_have_text("Angehalten")
    expect(page.get_by_role("alert").filter(has_text="ANGEHALTEN")).to_contain_text("Platz 5")
    shoot(page, "panel-german")
    faultless(page)


def test_the_page_weighs_little(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page("/login", operator="cy")
    loaded: list[int] = []
    page.on(
        "requestfinished",
        lambda request: loaded.append(0 if ".woff2" in request.url else request.sizes()["responseBodySize"]),
    )
    page.goto(PANEL)
    expect(primary(page)).to_have_text("LOCK")
    assert 10_000 < sum(loaded) < 150_000


# ------------------------------------------------------------------------------- keying of bets


def test_a_spot_then_chips_then_enter_keys_an_amount_and_goes_to_the_next_stack(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "ante").tap()
    for text in ("25", "5", "5"):
        chip(page, text).tap()
    expect(page.locator(".sum strong")).to_have_text("35.00")
    # What is only tapped lies on no spot yet.
    expect(spot(page, 2, "ante")).to_contain_text("not keyed")
    shoot(page, "panel-keying")
    button(page, "Enter").tap()
    expect(spot(page, 2, "ante")).to_contain_text("35.00")
    expect(spot(page, 2, "bonus")).to_have_attribute("aria-pressed", "true")
    chip(page, "5").tap()
    button(page, "Enter").tap()
    expect(spot(page, 5, "ante")).to_have_attribute("aria-pressed", "true")
    chip(page, "100").tap()
    chip(page, "1").tap()
    button(page, "Last one away").tap()
    button(page, "Enter").tap()
    expect(spot(page, 5, "ante")).to_contain_text("100.00")
    assert painted.commands == [
        {"type": "SetAmount", "spot": "ante", "seat": 2, "cents": 3_500},
        {"type": "SetAmount", "spot": "bonus", "seat": 2, "cents": 500},
        {"type": "SetAmount", "spot": "ante", "seat": 5, "cents": 10_000},
    ]
    assert {said["operator"] for said in painted.said} == {"cy"}
    assert len({said["round"] for said in painted.said}) == 1
    assert painted.said[0]["round"] == painted.canvas().state.round


def test_double_undo_clear_and_add_say_one_word_each(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 1, "ante").tap()
    button(page, "Double 1").tap()
    expect(spot(page, 1, "ante")).to_contain_text("20.00")
    button(page, "Undo").tap()
    expect(spot(page, 1, "ante")).to_contain_text("10.00")
    chip(page, "25").tap()
    button(page, "Add to it").tap()
    expect(spot(page, 1, "ante")).to_contain_text("35.00")
    button(page, "Clear all").tap()
    expect(spot(page, 1, "ante")).to_contain_text("not keyed")
    assert painted.commands == [
        {"type": "DoubleAmounts", "seat": 1},
        {"type": "UndoAmount"},
        {"type": "AddAmount", "spot": "ante", "seat": 1, "cents": 2_500},
        {"type": "ClearAmounts", "seat": 0},
    ]


def test_repeat_brings_the_bets_of_the_round_before(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "cleared", "open\nchips ante 2\nchips ante 5")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(spot(page, 2, "ante")).to_contain_text("not keyed")
    button(page, "Repeat all").tap()
    expect(spot(page, 2, "ante")).to_contain_text("20.00")
    expect(spot(page, 5, "ante")).to_contain_text("50.00")
    assert painted.commands == [{"type": "RepeatAmounts", "seat": 0}]


def test_an_amount_that_the_table_refuses_stays_to_be_mended_and_the_reason_is_the_tables(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "ante").tap()
    chip(page, "1").tap()
    button(page, "Enter").tap()
    expect(page.get_by_role("alert").filter(has_text="Refused")).to_contain_text(
        "ante 1.00 is below the minimum of 5.00"
    )
    expect(page.locator(".sum strong")).to_have_text("1.00")
    expect(spot(page, 2, "ante")).to_have_attribute("aria-pressed", "true")
    expect(spot(page, 2, "ante")).to_contain_text("not keyed")


def test_chips_tapped_before_the_answer_has_come_count_for_the_spot_that_is_shown(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "ante").tap()
    chip(page, "25").tap()
    with painted.unanswered():
        button(page, "Enter").tap()
        painted.wait_for_said(1)
        expect(page.locator(".sum strong")).to_have_text("–")
        expect(spot(page, 2, "bonus")).to_have_attribute("aria-pressed", "true")
        chip(page, "5").tap()
    expect(spot(page, 2, "ante")).to_contain_text("25.00")
    expect(spot(page, 2, "bonus")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sum strong")).to_have_text("5.00")
    button(page, "Enter").tap()
    expect(spot(page, 2, "bonus")).to_contain_text("5.00")
    assert painted.commands == [
        {"type": "SetAmount", "spot": "ante", "seat": 2, "cents": 2_500},
        {"type": "SetAmount", "spot": "bonus", "seat": 2, "cents": 500},
    ]


def test_where_no_other_stack_waits_chips_tapped_meanwhile_stay_on_their_spot(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 1, "ante").tap()
    chip(page, "25").tap()
    with painted.unanswered():
        button(page, "Enter").tap()
        painted.wait_for_said(1)
        chip(page, "5").tap()
    expect(spot(page, 1, "ante")).to_contain_text("25.00")
    expect(button(page, "Enter")).to_be_enabled()
    expect(spot(page, 1, "ante")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sum strong")).to_have_text("5.00")


def test_the_choice_does_not_leave_a_spot_that_was_tapped_before_the_answer(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "ante").tap()
    chip(page, "25").tap()
    with painted.unanswered():
        button(page, "Enter").tap()
        painted.wait_for_said(1)
        spot(page, 5, "ante").tap()
        chip(page, "100").tap()
    expect(spot(page, 2, "ante")).to_contain_text("25.00")
    expect(spot(page, 5, "ante")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sum strong")).to_have_text("100.00")


def test_what_was_refused_does_not_come_back_over_chips_tapped_meanwhile(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "ante").tap()
    chip(page, "1").tap()
    with painted.unanswered():
        button(page, "Enter").tap()
        painted.wait_for_said(1)
        chip(page, "5").tap()
    expect(page.get_by_role("alert").filter(has_text="Refused")).to_contain_text(
        "Ante, seat 2: ante 1.00 is below the minimum of 5.00"
    )
    expect(page.locator(".sum strong")).to_have_text("5.00")
    expect(spot(page, 2, "bonus")).to_have_attribute("aria-pressed", "true")


def test_an_amount_whose_round_is_over_does_not_come_back_in_the_next_phase(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 1, "ante").tap()
    chip(page, "25").tap()
    painted.answer_with({"ok": False, "seq": 5, "error": "bets are final"})
    with painted.unanswered():
        button(page, "Enter").tap()
        painted.wait_for_said(1)
        painted.play("lock")
        expect(page.locator(".phase")).to_have_text("Dealing")
    expect(page.get_by_role("alert").filter(has_text="Refused")).to_contain_text("bets are final")
    expect(page.locator(".pad")).to_have_count(0)


def test_what_chips_without_an_amount_count_as_is_said_before_lock(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    step = page.locator(".step")
    expect(step).to_contain_text("2 bets not keyed count as $5.00 (Ante 2, 5).")
    expect(step).to_contain_text("1 bet not keyed counts as $1.00 (5+1 bonus 2).")
    expect(primary(page)).to_be_enabled()
    shoot(page, "panel-unkeyed")
    faultless(page)
    painted.play("ante 5 50.00\nbonus 2 5.00")
    expect(step.locator(".not-keyed")).to_have_text(["1 bet not keyed counts as $5.00 (Ante 2)."])
    painted.play("ante 2 20.00")
    expect(step.locator(".not-keyed")).to_have_count(0)


def test_chips_that_are_no_bet_are_called_so_before_lock(painted: Painted, open_page: Open) -> None:
    painted.add_table("T2", HOUSE_RULES)
    canvas = painted.canvas("T2")
    canvas.house = msgspec.structs.replace(canvas.house, minimum_cents=0)
    painted.play("open\nante 1 10.00\nchips ante 2\nchips bonus 3", "T2")
    page = open_page("/panel?table=T2", touch=True, operator="cy")
    expect(page.locator(".not-keyed")).to_have_text(["Chips not keyed are no bets (Ante 2 · 5+1 bonus 3)."])
    # Chips that lay there at OPEN count for nothing either.
    painted.paint("T1", "cleared", "chips ante 3\nopen\nante 1 10.00")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(page.locator(".not-keyed").last).to_contain_text("Chips that lay there before are no bet")
    expect(page.locator(".not-keyed").last).to_contain_text("3")


def test_keys_with_nothing_to_act_on_are_grey(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-chips")
    page = open_page(PANEL, touch=True, operator="cy")
    for name in ("Repeat all", "Double all", "Undo", "Clear all"):
        expect(button(page, name)).to_be_disabled()
    painted.play("ante 2 20.00")
    spot(page, 5, "ante").tap()
    for name in ("Double all", "Undo", "Clear all"):
        expect(button(page, name)).to_be_enabled()
    for name in ("Repeat all", "Double 5", "Clear 5"):
        expect(button(page, name)).to_be_disabled()


def test_a_coin_goes_back_before_lock(painted: Painted, open_page: Open, faultless: Faultless) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, touch=True, operator="cy")
    page.locator('[data-seat="2"] .coin').tap()
    button(page, "Coin of seat 2 goes back").tap()
    expect(page.locator('[data-seat="2"] .coin')).to_contain_text("dark")
    assert painted.commands == [{"type": "ReturnCoin", "seat": 2}]


def test_a_raise_is_keyed_as_twice_the_ante(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding", "raise 2")
    page = open_page(PANEL, touch=True, operator="cy")
    spot(page, 2, "raise").tap()
    button(page, "Twice: 40.00").tap()
    button(page, "Enter").tap()
    painted.wait_for_said(1)
    assert painted.commands == [{"type": "SetAmount", "spot": "raise", "seat": 2, "cents": 4_000}]
    expect(page.locator(".pad")).to_have_count(0)


# ------------------------------------------------------------------------------ one tap, one word


def test_a_double_tap_on_the_key_is_one_word(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(primary(page)).to_be_enabled()
    with painted.unanswered():
        page.evaluate("() => { const key = document.querySelector('.press'); key.click(); key.click(); }")
        painted.wait_for_said(1)
        expect(primary(page)).to_be_disabled()
        page.evaluate("() => document.querySelector('.press').click()")
    expect(page.locator(".phase")).to_have_text("Dealing")
    assert painted.commands == [{"type": "PressKey", "key": "lock"}]


def test_the_second_tap_of_a_double_one_does_not_press_the_key_of_the_next_phase(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "deciding", "fold 1\nraise 2\nraise 5")
    page = open_page("/login", touch=True, operator="cy")
    page.clock.install()
    page.goto(PANEL)
    expect(primary(page)).to_be_enabled()
    # The time of the page stands still between the two taps, however long the test takes for them.
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    box = primary(page).bounding_box()
    assert box is not None
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.touchscreen.tap(*at)
    expect(page.locator(".phase")).to_have_text("No more raises")
    page.touchscreen.tap(*at)
    expect(page.locator(".phase")).to_have_text("No more raises")
    assert painted.commands == [{"type": "PressKey", "key": "close"}]
    page.clock.run_for(500)
    settled(page)
    page.clock.resume()
    primary(page).tap()
    expect(page.locator(".phase")).to_have_text("Pay and collect")


def test_a_held_enter_key_is_one_word(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed")
    page = open_page(PANEL, operator="cy")
    expect(primary(page)).to_be_enabled()
    primary(page).focus()
    page.keyboard.down("Enter")
    page.keyboard.down("Enter")
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(page.locator(".phase")).to_have_text("Dealing")
    assert painted.commands == [{"type": "PressKey", "key": "lock"}]


def test_why_the_key_cannot_be_pressed_stands_beside_it(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding-some")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(page.locator(".step")).to_contain_text("CLOSE not yet: undecided: seat 5")
    expect(primary(page)).to_be_disabled()
    button(page, "Seat 5 folds").tap()
    expect(page.locator('[data-seat="5"] .how')).to_have_text("folded")
    expect(primary(page)).to_be_enabled()
    assert painted.commands == [{"type": "Fold", "seat": 5}]


def test_what_the_key_pad_is_refused_is_seen_here_too(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding-some")
    page = open_page(PANEL, operator="cy")
    expect(page.locator(".step")).to_contain_text("undecided: seat 5")
    # What was refused before the page was opened is no news; that time must be over.
    page.evaluate(
        "() => new Promise((done) => (function look() {"
        " if (performance.now() > 2100) done(); else requestAnimationFrame(look); })())"
    )
    painted.canvas().send(m.KeyPressed("close"))
    painted.tell()
    expect(page.get_by_role("alert").filter(has_text="Refused")).to_contain_text("undecided: seat 5")


def test_every_word_of_the_panel_stands_in_both_languages() -> None:
    folder = Path(__file__).parents[2] / "table_controller" / "web" / "static" / "words"
    english, german = (
        {line.split(":")[0].strip(" '") for line in text.splitlines() if line.startswith("  ")}
        for text in ((folder / name / "panel.js").read_text("utf-8") for name in ("en", "de"))
    )
    assert english == german


def test_the_scenes_of_this_file_are_scenes() -> None:
    assert set(KEYS) <= set(SCENES)
