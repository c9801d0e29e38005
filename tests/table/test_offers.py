"""What a screen offers is what the table would take, by the same check."""

from __future__ import annotations

from copy import copy

import pytest

from hw_sim.words import parse_line
from table_controller.table import messages as m
from table_controller.table.offers import offers
from table_controller.table.state import encode_state
from tests.table.tabletop import WALL_MS, TableTop
from tests.table.test_step import HIDDEN, PHASES, table_in

ABOUT_CARDS = (m.StateHand, m.MoveCard, m.DiscardCard, m.StateUpcard, m.StateExposed)


def offered(top: TableTop) -> dict[m.AnyCommand, str]:
    return {o.command: o.refused for o in offers(top.house, top.state, m.Stamp(top.at_ms, WALL_MS))}


@pytest.mark.parametrize("phase", PHASES)
def test_what_is_offered_is_taken_and_what_is_not_is_refused_with_the_same_reason(phase: str) -> None:
    top = table_in(phase)
    before = encode_state(top.state)
    for offer in offers(top.house, top.state, m.Stamp(top.at_ms, WALL_MS)):
        again = copy(top)
        again.refused = ""
        if isinstance(
            offer.command, m.StateHand | m.MoveCard | m.DiscardCard | m.StateUpcard | m.StateExposed
        ):
            continue
        again.send(m.Said(offer.command, "ann", offer.role, "because"))
        assert (again.refused == "") == (offer.refused == "") or isinstance(offer.command, m.RescanCard)
    assert encode_state(top.state) == before, "looking at what is possible changes nothing"


def test_the_keys_offered_while_seats_decide_say_what_is_missing() -> None:
    found = offered(table_in("deciding"))
    assert found[m.PressKey("close")] == "undecided: seat 1, 3"
    assert found[m.PressKey("lock")] == "LOCK is possible only while bets are open"
    assert found[m.Fold(1)] == ""
    assert found[m.Fold(2)] == "seat 2 has no live hand"
    assert found[m.VoidRound()] == ""


def found_and_taken(top: TableTop, command: m.AnyCommand) -> bool:
    """The word is offered, and the table takes it."""
    return offered(top)[command] == "" and top.word(command) == ""


def test_a_table_without_days_offers_none_with_the_place_that_says_so() -> None:
    found = offered(table_in("idle"))
    assert found[m.OpenDay()] == "this table has no gaming days (table.toml, opening.gaming_day)"
    assert found[m.CloseDay()] == found[m.ChangeShift("another")] == found[m.OpenDay()]


def test_a_day_is_offered_to_be_opened_then_closed() -> None:
    top = TableTop('preset = "us_standard"', gaming_day=True)
    assert offered(top)[m.CloseDay()] == "no gaming day is open"
    assert offered(top)[m.PressKey("open")] == "no gaming day is open"
    assert found_and_taken(top, m.OpenDay())
    assert offered(top)[m.OpenDay()] == "gaming day 1 is open already"
    assert found_and_taken(top, m.ChangeShift("another"))
    assert found_and_taken(top, m.CloseDay())


def test_a_day_that_needs_a_walk_says_so_until_everything_was_tried() -> None:
    top = TableTop('preset = "us_standard"', seats=2, gaming_day=True, walk=True)
    assert "keys and lamps must be tried first" in offered(top)[m.OpenDay()]
    assert found_and_taken(top, m.BeginTrial("somebody"))
    for seat in (1, 2):
        assert offered(top)[m.LampSeen(seat)] == f"the lamp of seat {seat} is not being tried"
        assert found_and_taken(top, m.TrySeat(seat))
        assert found_and_taken(top, m.LampSeen(seat))
    for key in ("lock", "close", "reveal", "clear", "open"):
        top.send(m.KeyPressed(key))
    assert found_and_taken(top, m.EndTrial())
    assert found_and_taken(top, m.OpenDay())


def test_item_56_a_table_that_is_tried_offers_no_word_of_a_round() -> None:
    top = table_in("settled")
    assert offered(top)[m.DiscardCard("")] == ""
    assert top.word(m.BeginTrial("the laboratory")) == ""
    tried = "the table is being tried: the trial must be ended first"
    played = (m.PressKey, m.VoidRound, m.ConfirmAward, m.SetAmount, m.CorrectMeter, m.OpenDay, *ABOUT_CARDS)
    for command, refused in offered(top).items():
        if isinstance(command, played):
            assert refused == tried, command


def test_an_award_that_is_owed_is_offered_to_be_paid_withheld_and_released() -> None:
    top = TableTop('preset = "us_standard"').run(
        """
        ante 6 10.00
        coin 6
        lock
        deal 5H>6 AC>D 6H>6 KD>D 7H>6 JS>D 8H>6 6S>D 9H>6 3D>D
        raise 6
        close
        reveal
        stub 42
        """
    )
    assert not any(isinstance(command, m.PayHit) for command in offered(top))
    assert top.both(m.ConfirmAward(6)) == ""
    pay, release = m.PayHit("T1-A000001", "cage"), m.ReleaseHit("T1-A000001")
    assert offered(top)[pay] == ""
    assert offered(top)[release] == "T1-A000001 is not withheld"
    assert found_and_taken(top, m.WithholdHit("T1-A000001", "other"))
    assert offered(top)[pay] == "T1-A000001 is withheld (other): it must be released first"
    assert found_and_taken(top, release)
    assert found_and_taken(top, pay)
    assert pay not in offered(top)


def test_a_correction_that_one_person_asked_for_is_offered_to_the_second() -> None:
    top = table_in("idle")
    assert top.state.meter is not None
    cents = top.state.meter.cents
    assert offered(top)[m.CorrectMeter("meter", cents + 1, "display_wrong", "approval")] == ""
    assert offered(top)[m.CorrectMeter("reserve", 1, "display_wrong", "approval")] == ""
    asked = m.CorrectMeter("meter", cents + 500, "display_wrong", "A-7")
    assert top.word(asked) == ""
    assert offered(top)[asked] == ""
    assert top.word(asked, "ben", "dealer") == ""
    assert top.state.meter.cents == cents + 500
    assert asked not in offered(top)


def test_a_meter_at_its_limit_is_offered_to_be_corrected_downwards() -> None:
    top = TableTop('preset = "us_standard"\nmeter_limit = "10000.50"\nmeter_start = "10000.50"')
    top.run("ante 1 10.00\nlock\nsup void\nclear")
    assert offered(top)[m.CorrectMeter("meter", 1_000_049, "display_wrong", "approval")] == ""


def test_a_meter_is_not_offered_to_be_corrected_inside_a_round() -> None:
    top = table_in("deciding")
    refusals = {refused for command, refused in offered(top).items() if isinstance(command, m.CorrectMeter)}
    assert refusals == {"the meter is corrected only between rounds"}


def test_what_is_offered_does_not_depend_on_cards_that_lie_face_down() -> None:
    royal = "TD QS KC JD QH AC QD 5H 6S KD 5C 3H AD 8D".split()
    nothing = "2D 4S 6C 8H TH QC 3D 5S 7C 9H JH KS 4D 2S".split()
    seen = []
    for cards in (royal, nothing):
        top = TableTop('preset = "us_standard"\n')
        steps = []
        for number, text in enumerate(HIDDEN.format(*cards).strip().splitlines(), start=1):
            top.do(parse_line(text, number))
            steps.append(offered(top))
        seen.append(steps)
    assert seen[0] == seen[1]
