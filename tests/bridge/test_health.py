"""The health lines from the wire to the table: the meter and its display, the door, the mains."""

import pytest
from msgspec import UNSET

from hw_sim.board import Board
from table_controller.table.messages import (
    AlarmRaised,
    HealthChanged,
    HealthLine,
    Noticed,
    Started,
)
from table_controller.table.views import outputs
from tests.bridge.rig import MS, SECOND, Rig
from tests.table.tabletop import TableTop

DEALING = """
ante 1 10.00
lock
deal 9H>1 KD>D
"""


def table() -> TableTop:
    return TableTop('preset = "us"\n')


def tell(table: TableTop, rig: Rig, us: int) -> None:
    """Time passes, and the table hears of what the wires say meanwhile."""
    for event in rig.advance(us):
        table.send(event)  # type: ignore[arg-type]


@pytest.fixture
def rig() -> Rig:
    rig = Rig(shoe=False)
    rig.bridge.started("test")
    return rig


def test_item_37_a_door_opened_during_play_is_an_event_and_play_goes_on(rig: Rig) -> None:
    top = table().run(DEALING)
    rig.board.set("door", 0)
    tell(top, rig, 20 * MS)
    assert top.told(Noticed)[-1] == Noticed("door_open")
    assert (top.state.door_well, top.state.phase, top.state.held) == (False, "dealing", False)
    rig.board.set("door", 1)
    tell(top, rig, 20 * MS)
    assert top.told(Noticed)[-1] == Noticed("door_well")


def test_item_37_a_door_that_only_rattles_is_no_event(rig: Rig) -> None:
    for level in (0, 1, 0, 1):
        rig.board.set("door", level)
        assert rig.advance(19 * MS) == []
    assert rig.advance(SECOND) == []


@pytest.mark.parametrize(("line", "notice"), [("door", "door_open"), ("mains_well", "mains_failed")])
def test_item_37_what_was_opened_while_the_power_was_off_is_an_event_of_the_start(
    line: str, notice: str
) -> None:
    rig = Rig(shoe=False, before_start=lambda board: board.set(line, 0))
    started = rig.bridge.started("test")
    assert (started.door_well, started.mains_well) == (line != "door", line != "mains_well")
    top = table()
    top.send(started)
    assert Noticed(notice) in top.told(Noticed)
    assert rig.advance(3 * SECOND) == []


def test_a_door_that_was_shut_again_is_told_at_the_start_too(rig: Rig) -> None:
    top = table()
    top.send(HealthChanged("door", False))
    top.send(rig.bridge.started("test"))
    assert top.told(Noticed)[-1] == Noticed("door_well")


def test_lines_that_are_not_wired_leave_what_is_known_of_them() -> None:
    def wired(board: Board) -> None:
        for line in ("door", "mains_well", "meter_well", "display_well"):
            del board.lines[line]

    started = Rig(shoe=False, before_start=wired).bridge.started("test")
    assert started == Started((), True, True, "test", door_well=UNSET, mains_well=UNSET)


@pytest.mark.parametrize("line", ["meter", "display"])
def test_item_28_when_the_meter_fails_the_players_see_their_slots_shut_and_the_staff_an_alarm(
    rig: Rig, line: HealthLine
) -> None:
    top = table()
    rig.show(outputs(top.house, top.state, top.at_ms))
    assert rig.board.is_on("coin_accept.3")
    rig.board.set(f"{line}_well", 0)
    tell(top, rig, 20 * MS)
    rig.show(outputs(top.house, top.state, top.at_ms))
    assert AlarmRaised(f"{line}_down") in top.told(AlarmRaised)
    assert not any(rig.board.is_on(f"coin_accept.{seat}") for seat in range(1, 8))
    rig.board.set(f"{line}_well", 1)
    tell(top, rig, 20 * MS)
    rig.show(outputs(top.house, top.state, top.at_ms))
    assert all(rig.board.is_on(f"coin_accept.{seat}") for seat in range(1, 8))
