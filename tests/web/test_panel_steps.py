"""The main line of the panel is what must be done next; it never asks for a key that the table refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from table_controller.table import keys, settling
from table_controller.table.rulings import RULINGS
from tests.table.rounds import FLUSH, FULL_HOUSE, NOTHING, dealt
from tests.web.painted import Painted
from tests.web.panel_taps import PANEL, Faultless, Open, Shoot, button, irregular, primary, spot
from tests.web.scenes import HOUSE_RULES

STATIC = Path(__file__).parents[2] / "table_controller" / "web" / "static"
ALL_DECIDED = "fold 1\nraise 2\nraise 5"
# The deal of the scenes: three hands and the dealer's, card by card.
DEAL = dealt({1: NOTHING, 2: FLUSH, 5: FULL_HOUSE}).split()[1:]
SECOND_TABLE = "/panel?table=T2"


def step(page: Page) -> Locator:
    return page.locator(".step strong")


def dealer_cards(page: Page) -> Locator:
    return page.locator(".dealer .card")


def second_table(painted: Painted, rules: str) -> None:
    painted.add_table("T2", HOUSE_RULES + rules)


# -------------------------------------------------------------------------- no order that is refused


def test_a_raise_that_is_not_twice_is_put_right_before_close(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "deciding", "fold 1\nraise 2 30.00\nraise 5")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text("Put the raise right first: seat 2. It must be twice the ante.")
    expect(page.locator(".step")).to_contain_text("CLOSE not yet: the raise is not twice the ante: seat 2")
    expect(primary(page)).to_be_disabled()
    shoot(page, "panel-first-raise")
    faultless(page)
    painted.play("raise 2 40.00")
    expect(step(page)).to_have_text("All have decided. Press CLOSE.")


def test_a_card_too_many_is_accounted_for_before_close(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding", f"{ALL_DECIDED}\ndeal AS>X")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text("Say first where the card too many lies.")
    painted.play("discard AS")
    expect(step(page)).to_have_text("All have decided. Press CLOSE.")


def test_before_lock_the_shoe_is_plugged_in(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "betting-keyed", "fault shoe_unplugged")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text("Plug the shoe in first.")
    painted.play("mend shoe_unplugged")
    expect(step(page)).to_have_text("Press LOCK when nobody bets any more.")


def test_chips_that_are_no_ante_do_not_bring_lock(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "cleared", "chips ante 3\nopen")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text("Key an ante: nothing that lies is one yet.")


def test_tokens_that_are_to_be_counted_come_before_the_first_card(painted: Painted, open_page: Open) -> None:
    second_table(painted, 'token_count = "required"\n')
    painted.paint("T2", "dealing")
    page = open_page(SECOND_TABLE, touch=True, operator="cy")
    expect(step(page)).to_have_text("Count the tokens in the chute, then deal.")


def test_a_refusal_that_the_page_has_no_words_for_is_told_as_the_table_says_it(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "idle")
    page = open_page("/login", touch=True, operator="cy")
    answer = {"ok": True, "offers": [
        {"command": {"type": "PressKey", "key": "open"}, "role": "dealer", "refused": "it is raining"}
    ]}  # fmt: skip
    page.route("**/api/tables/T1/ask", lambda route: route.fulfill(json=answer))
    page.goto(PANEL)
    expect(step(page)).to_have_text("OPEN not yet: it is raining")
    expect(page.locator(".step .why-not")).to_have_count(0)


def test_clear_is_asked_for_when_every_seat_is_done_and_not_before(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "settled")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text("Pay and take seat by seat, then press CLEAR.")
    for seat in (5, 2, 1):
        button(page, f"Seat {seat} done").tap()
    expect(page.locator(".due-now")).to_have_text("Every seat is done.")
    expect(step(page)).to_have_text("Every seat is done. Press CLEAR.")


def test_clear_is_not_asked_for_while_the_rest_of_the_deck_must_be_counted(
    painted: Painted, open_page: Open
) -> None:
    second_table(painted, "stub_count_every = 1\n")
    painted.paint("T2", "settled")
    page = open_page(SECOND_TABLE, touch=True, operator="cy")
    expect(step(page)).to_have_text("Pay and take seat by seat, and count the rest of the deck.")
    for seat in (5, 2, 1):
        button(page, f"Seat {seat} done").tap()
    expect(step(page)).to_have_text("Count the rest of the deck.")
    painted.play("stub 32", "T2")
    expect(step(page)).to_have_text("Every seat is done. Press CLEAR.")


@pytest.mark.parametrize(
    ("scene", "line"),
    [
        ("hold-unreadable", "Read the card by hand, and touch nothing else."),
        ("hold-foreign", "Touch no cards or bets. A supervisor must void the round."),
        (
            "hold-miscount",
            "The table waits for a supervisor: a dead hand or void; resume once a card to the rack made it"
            " five.",
        ),
        ("hold-power", "The table waits for a supervisor: resume, or void. Touch no cards or bets."),
        ("award-waits", "Keep the hand. Count the rest of the deck; two people decide."),
    ],
)
def test_in_a_hold_the_main_line_says_what_ends_it(
    painted: Painted, open_page: Open, scene: str, line: str
) -> None:
    painted.paint("T1", scene)
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_have_text(line)
    expect(primary(page)).to_be_disabled()


def test_a_wrong_count_of_the_deck_is_ended_by_a_right_one(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "cleared", "stub 7")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(step(page)).to_contain_text("Count the rest of the deck again")
    expect(step(page)).not_to_contain_text("Touch no cards")


def test_the_page_reads_refusals_out_of_sentences_that_the_table_says() -> None:
    said = "".join(Path(one.__file__ or "").read_text("utf-8") for one in (keys, settling))
    script = (STATIC / "panel" / "steps.js").read_text("utf-8")
    read = re.findall(r"/\^([a-z][^(/$]+)", script)
    assert len(read) == 13
    for sentence in read:
        assert f'"{sentence}' in said, sentence
    names = re.findall(r"^  \[.+, '(\w+)'\],$", script, re.MULTILINE)
    words = (STATIC / "words" / "en" / "panel.js").read_text("utf-8")
    assert {f"'first.{name}'" for name in names} == set(re.findall(r"'first\.\w+'", words))


def test_each_alarm_has_its_words_in_both_tenses() -> None:
    words = (STATIC / "words" / "en" / "panel.js").read_text("utf-8")
    of_lines = {"meter_down", "display_down", "lamp_dead", "sensor_stuck"}
    of_play = {"order_in_doubt", "extra_card", "raise_not_twice"}
    assert set(re.findall(r"'past\.(\w+)'", words)) == {*RULINGS, *of_lines, *of_play}


# ------------------------------------------------------------------------- a card or hand that is due


def test_the_dealers_fifth_card_is_named_and_no_more_backs_are_drawn_than_lie_there(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "deciding")
    page = open_page(PANEL, touch=True, operator="cy")
    expect(dealer_cards(page)).to_have_count(5)
    painted.play("count D 4")
    expect(step(page)).to_have_text("Deal the dealer’s fifth card. Still to decide: seat 1, 2, 5.")
    expect(dealer_cards(page)).to_have_count(4)
    shoot(page, "panel-fifth")
    faultless(page)
    # Whoever opens the page later is told the same.
    page.reload()
    expect(step(page)).to_have_text("Deal the dealer’s fifth card. Still to decide: seat 1, 2, 5.")
    expect(dealer_cards(page)).to_have_count(4)
    painted.play(ALL_DECIDED)
    expect(step(page)).to_have_text("Deal the dealer’s fifth card, then press CLOSE.")
    painted.play("deal AS>D")
    expect(step(page)).to_have_text("All have decided. Press CLOSE.")
    expect(dealer_cards(page)).to_have_count(5)


def test_after_close_the_fifth_card_is_named_and_then_the_hands_that_are_missing(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "deciding", f"count D 4\n{ALL_DECIDED}\nclose")
    page = open_page(PANEL, touch=True, operator="cy")
    for _ in range(2):
        expect(step(page)).to_have_text("Deal the dealer’s fifth card.")
        expect(page.locator(".step")).to_contain_text("REVEAL not yet: a due card is missing")
        expect(dealer_cards(page)).to_have_count(4)
        page.reload()
    painted.play("deal AS>D")
    missing = "Seat 1, Seat 2, Seat 5, Dealer"
    expect(step(page)).to_have_text(f"State the missing hands first: {missing}.")
    expect(page.locator(".needs")).to_contain_text(f"Hands still to state: {missing}.")
    expect(dealer_cards(page)).to_have_count(5)
    expect(page.locator(".alarms .past")).to_contain_text("dealer had four cards")
    shoot(page, "panel-hands-missing")
    painted.play(f"hand 5 {FULL_HOUSE}")
    expect(step(page)).to_have_text("State the missing hands first: Seat 1, Seat 2, Dealer.")
    # One of the dealer's cards by the order lies at another place; which, nobody can see.
    painted.play(f"hand 1 {NOTHING}\nhand 2 {FLUSH}\nhand D 2H 4C 6H 8S AS\nupcard AS")
    expect(step(page)).to_have_text("Turn your cards, then press REVEAL.")
    expect(page.locator(".needs")).not_to_contain_text("in doubt:")


def test_a_count_of_the_dealer_that_is_taken_back_asks_for_no_card(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding")
    page = open_page(PANEL, touch=True, operator="cy")
    painted.play("count D 4")
    expect(dealer_cards(page)).to_have_count(4)
    painted.play("sup withdraw")
    expect(step(page)).to_have_text("Still to decide: seat 1, 2, 5.")
    expect(dealer_cards(page)).to_have_count(5)


def test_a_fifth_card_that_was_dealt_in_the_deal_is_not_asked_for_again(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "dealing")
    page = open_page(PANEL, touch=True, operator="cy")
    painted.play(f"deal {' '.join(DEAL[:19])}\ncount D 4\ndeal {DEAL[19]}")
    expect(step(page)).to_have_text("Still to decide: seat 1, 2, 5.")
    expect(dealer_cards(page)).to_have_count(5)


def test_where_four_cards_void_the_round_four_are_drawn(painted: Painted, open_page: Open) -> None:
    second_table(painted, 'dealer_short = "void_all"\n')
    painted.paint("T2", "hold-dealer-short")
    page = open_page(SECOND_TABLE, touch=True, operator="cy")
    expect(step(page)).to_have_text("Touch no cards or bets. A supervisor must void the round.")
    expect(dealer_cards(page)).to_have_count(4)


# --------------------------------------------------------------------------- a card is read by hand


def test_a_card_is_read_in_only_by_a_second_key(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "dealing")
    page = open_page(PANEL, touch=True, operator="cy")
    painted.play("deal 3H>1 ??>2")
    button(page, "Read a card by hand").tap()
    expect(button(page, "Read it in")).to_be_disabled()
    page.locator('[data-card="JK"]').tap()
    page.locator('[data-card="4S"]').tap()
    expect(page.locator(".asked")).to_have_text("four of spades, Seat 2?")
    expect(page.locator('.pick[aria-pressed="true"]')).to_have_count(1)
    expect(button(page, "Read it in")).to_be_in_viewport(ratio=1)
    shoot(page, "panel-rescan")
    faultless(page)
    assert painted.commands == []
    button(page, "Read it in").tap()
    expect(page.locator("#sheet")).to_be_hidden()
    assert painted.commands == [{"type": "RescanCard", "card": "4S"}]
    assert painted.canvas().state.holds == []


def test_where_another_card_may_be_unread_too_no_place_is_named(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "dealing")
    page = open_page(PANEL, touch=True, operator="cy")
    painted.play("deal ??>1")
    expect(page.locator(".phase")).to_have_text("Hold")
    painted.play("deal 5C>2")
    irregular(page, "rescan")
    page.locator('[data-card="4S"]').tap()
    expect(page.locator(".asked")).to_have_text("four of spades?")


def test_the_question_reads_alike_for_a_card_that_is_out(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "dealing", "deal 2C>1 ??>2")
    page = open_page(PANEL, touch=True, operator="cy")
    irregular(page, "rescan")
    asked = []
    for card, name in (("2C", "two of clubs"), ("KH", "king of hearts")):
        page.locator(f'[data-card="{card}"]').tap()
        expect(page.locator(".asked")).to_contain_text(name)
        asked.append(page.locator(".asked").inner_text().replace(name, "?"))
        expect(button(page, "Read it in")).to_be_enabled()
    assert asked[0] == asked[1]


# ------------------------------------------------------------------------- chips from before OPEN


def test_chips_laid_after_a_spot_was_swept_are_a_bet(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "cleared", "chips ante 3\nopen\nante 1 10.00")
    page = open_page(PANEL, touch=True, operator="cy")
    hint = page.locator(".not-keyed")
    expect(hint).to_have_text(
        ["Chips that lay there before are no bet: key them or take them away (Ante 3)."]
    )
    expect(page.locator(".alarms")).to_contain_text("chips and amount do not agree, Ante, seat 3")
    painted.play("lift ante 3")
    expect(hint).to_have_count(0)
    expect(page.locator(".alarms.past")).to_contain_text("chips and amount did not agree, Ante, seat 3")
    painted.play("chips ante 3")
    expect(hint).to_have_text(["1 bet not keyed counts as $5.00 (Ante 3)."])
    expect(page.locator(".alarms.past")).to_contain_text("chips and amount did not agree, Ante, seat 3")


def test_chips_on_a_raise_spot_from_before_are_named_too_and_are_no_raise(
    painted: Painted, open_page: Open, shoot: Shoot
) -> None:
    painted.paint("T1", "cleared", "chips raise 2\nopen\nante 1 10.00\nante 2 20.00")
    page = open_page(PANEL, touch=True, operator="cy")
    hint = page.locator(".not-keyed")
    expect(hint).to_have_text(["Chips that lay there before are no raise: take them away (Raise 2)."])
    painted.play("lock\n" + dealt({1: NOTHING, 2: FLUSH}) + "raise 1")
    expect(step(page)).to_have_text("Still to decide: seat 2.")
    expect(hint).to_have_text(
        ["Chips that lay there before are no bet: key them or take them away (Raise 2)."]
    )
    expect(spot(page, 2, "raise")).to_contain_text("not keyed")
    expect(button(page, "Seat 2 folds")).to_be_enabled()
    shoot(page, "panel-stuck-raise")
    painted.play("lift raise 2\nraise 2")
    expect(step(page)).to_have_text("All have decided. Press CLOSE.")
    expect(hint).to_have_count(0)


# ----------------------------------------------------------------------------- alarms that are over


def test_an_alarm_whose_line_is_well_again_is_told_in_the_past_until_it_is_seen_to(
    painted: Painted, open_page: Open, shoot: Shoot, faultless: Faultless
) -> None:
    painted.paint("T1", "betting-keyed", "fault display_down")
    page = open_page(PANEL, touch=True, operator="cy")
    line = page.locator(".alarms")
    expect(line).to_contain_text("Alarms: the jackpot display is down")
    painted.play("mend display_down")
    expect(line).to_have_class("notice alarms past")
    expect(line).to_contain_text("Over, to be seen to: the jackpot display was down, is well again")
    expect(line).not_to_contain_text("is down")
    shoot(page, "panel-alarm-past")
    faultless(page)
    button(page, "See to them").tap()
    expect(page.locator(".alarm-list .past")).to_contain_text("was down, is well again")
    faultless(page)


def test_a_statement_that_was_taken_back_is_told_in_the_past(painted: Painted, open_page: Open) -> None:
    painted.paint("T1", "deciding", "coin 3\ncount 5 4")
    page = open_page(PANEL, touch=True, operator="cy")
    line = page.locator(".alarms")
    expect(line).to_contain_text("the order of the cards is in doubt")
    painted.play("sup withdraw")
    expect(line.locator(".past")).to_contain_text(
        "there was a wrong number of cards, Seat 5 · the order of the cards was in doubt"
    )
    # What is not over stands first, in the colour of an alarm.
    expect(line).to_have_class("notice alarms ")
    expect(line.locator("p")).to_contain_text("Alarms: late coin, give it back, Seat 3 Over")


def test_a_raise_that_was_put_right_and_a_lamp_that_was_mended_are_over(
    painted: Painted, open_page: Open
) -> None:
    painted.paint("T1", "deciding", "fault lamp_dead 2\nfold 1\nraise 2 30.00\nraise 5")
    page = open_page(PANEL, touch=True, operator="cy")
    line = page.locator(".alarms")
    expect(line).to_contain_text("the lamp is dead, the bet stands, Seat 2")
    painted.play("mend lamp_dead 2\nraise 2 40.00")
    expect(line).to_have_class("notice alarms past")
    expect(line).to_contain_text(
        "the lamp was dead, is well again, Seat 2 · the raise was not twice the ante, Seat 2"
    )


# ------------------------------------------------------------------------------------ repeat all


def test_why_nothing_can_be_repeated_stands_beside_the_key(
    painted: Painted, open_page: Open, faultless: Faultless
) -> None:
    painted.paint("T1", "cleared", "open")
    page = open_page(PANEL, touch=True, operator="cy")
    why = page.locator(".fills .why-not")
    expect(why).to_have_text("Repeat all: no chips lie on an ante.")
    faultless(page)
    painted.play("chips ante 2")
    expect(why).to_have_count(0)
    expect(button(page, "Repeat all")).to_be_enabled()
    painted.paint("T1", "betting-chips")
    expect(why).to_have_text("Repeat all: there is no bet of the round before to repeat.")
