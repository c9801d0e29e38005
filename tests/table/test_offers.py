"""What a screen offers is what the table would take, by the same check."""

from __future__ import annotations

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
        again = table_in(phase)
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
