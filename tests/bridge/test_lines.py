"""Every wire as it is now: what the bridge tells a technician who asks."""

import msgspec
import pytest

from firmware_bridge.lines import LinesView, LineView, PassageView, ShoeView, SlotView
from hw_sim.board import is_output
from table_controller.lines import default_lines
from table_controller.table.messages import ChipsPlaced, CoinDropped, LampFailed
from tests.bridge.rig import MS, SECOND, Rig


@pytest.fixture
def rig() -> Rig:
    """A table that has started, with its shoe found."""
    rig = Rig()
    rig.bridge.started("test")
    rig.advance(100 * MS)
    return rig


def look(rig: Rig) -> LinesView:
    return rig.bridge.lines(rig.clock.at_us)


def line(rig: Rig, name: str) -> LineView:
    return next(line for line in look(rig).lines if line.name == name)


def slot(rig: Rig, seat: int) -> SlotView:
    return next(slot for slot in look(rig).slots if slot.seat == seat)


def agreement(rig: Rig, seat: int) -> str:
    return next(sense.agreement for sense in look(rig).senses if sense.seat == seat)


def shoe(rig: Rig) -> ShoeView:
    seen = look(rig).shoe
    assert seen is not None
    return seen


# ------------------------------------------------------------------------------------------ lines


def test_every_wired_line_is_there_once_with_its_direction(rig: Rig) -> None:
    seen = {each.name: each.direction for each in look(rig).lines}
    assert len(seen) == len(look(rig).lines)
    assert seen == {name: "out" if is_output(name) else "in" for name in rig.board.lines}


def test_a_line_tells_its_level_how_long_and_how_often(rig: Rig) -> None:
    for level in (1, 0, 1):
        rig.board.set("ante.3", level)
        rig.advance(50 * MS)
    rig.advance(450 * MS)
    assert line(rig, "ante.3") == LineView("ante.3", "in", True, 500, 3)
    assert line(rig, "ante.4") == LineView("ante.4", "in", False, 700, 0)


def test_bouncing_contacts_are_seen_in_the_count_though_they_are_no_event(rig: Rig) -> None:
    for level in (1, 0) * 5:
        rig.board.set("key.lock", level)
        assert rig.advance(2 * MS) == []
    assert line(rig, "key.lock").edges == 10


def test_an_output_is_as_it_was_set(rig: Rig) -> None:
    rig.show(rig.outputs({2: "on"}, light="red"))
    rig.advance(300 * MS)
    assert line(rig, "lamp.2") == LineView("lamp.2", "out", True, 300, 1)
    assert line(rig, "light.red").level
    assert not line(rig, "light.green").level


def test_a_blinking_lamp_and_its_sense_line_are_counted(rig: Rig) -> None:
    rig.show(rig.outputs({2: "blink"}))
    rig.advance(2_100 * MS)
    assert line(rig, "lamp.2").edges == 5
    assert line(rig, "lamp_sense.2").edges == 5


def test_an_input_whose_interrupts_are_dead_is_read_when_it_is_asked_for(rig: Rig) -> None:
    rig.factory.pin(rig.board.lines["ante.1"]).when_changed = None
    rig.board.set("ante.1", 1)
    assert line(rig, "ante.1") == LineView("ante.1", "in", True, 0, 1)


def test_asking_takes_no_event_away(rig: Rig) -> None:
    rig.board.set("ante.1", 1)
    rig.coin(2)
    look(rig)
    assert rig.advance(20 * MS) == [ChipsPlaced("ante", 1), CoinDropped(2, (10 * MS,) * 3)]
    assert line(rig, "coin_a.2").edges == 2


def test_a_table_tells_the_lines_it_has_and_no_other() -> None:
    needed = ("ante", "raise", "key", "light")
    lines = {name: pin for name, pin in default_lines(2).items() if name.startswith(needed)}
    seen = look(Rig(seats=2, lines=lines, shoe=False))
    assert {each.name for each in seen.lines} == set(lines)
    assert (seen.slots, seen.senses, seen.shoe) == ((), (), None)


# ------------------------------------------------------------------------------------------ slots


def test_item_56_the_beam_times_of_each_slot_are_seen(rig: Rig) -> None:
    for seat in range(1, 8):
        rig.coin(seat, step_us=10 * MS + 100 * seat)
        rig.advance(SECOND)
    for seat in range(1, 8):
        times_us = (10 * MS + 100 * seat,) * 3
        last = PassageView("coin", ("upper", "both", "lower"), times_us, slot(rig, seat).last.ago_ms)  # type: ignore[union-attr]
        assert slot(rig, seat) == SlotView(seat, 1, 0, last)


def test_item_56_a_jam_is_seen_with_its_times_and_how_long_ago(rig: Rig) -> None:
    rig.board.set("coin_a.4", 1)
    rig.clock.at_us += 15 * MS
    rig.board.set("coin_b.4", 1)
    rig.advance(2_485 * MS)
    jam = PassageView("stuck", ("upper", "both"), (15 * MS, 485 * MS), 2_000)
    assert slot(rig, 4) == SlotView(4, 0, 1, jam)
    assert line(rig, "coin_a.4") == LineView("coin_a.4", "in", True, 2_500, 1)


def test_a_slot_that_nothing_passed_has_no_last_passage(rig: Rig) -> None:
    assert slot(rig, 5) == SlotView(5, 0, 0, None)


# ----------------------------------------------------------------------------------------- senses


def test_a_sense_line_waits_agrees_doubts_and_contradicts(rig: Rig) -> None:
    rig.board.kill_lamp(2)
    rig.show(rig.outputs({1: "on", 2: "on"}))
    assert (agreement(rig, 1), agreement(rig, 2)) == ("waits", "waits")
    assert rig.advance(60 * MS) == []
    assert (agreement(rig, 1), agreement(rig, 2)) == ("agrees", "doubted")
    assert rig.advance(200 * MS) == [LampFailed(2)]
    assert agreement(rig, 2) == "contradicts"


# ------------------------------------------------------------------------------------------- shoe


def test_the_line_of_the_shoe_counts_its_frames_and_tells_no_card(rig: Rig) -> None:
    before = shoe(rig)
    rig.shoe.make_noise()
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("QS", rig.clock.at_us)
    rig.read()
    seen = shoe(rig)
    assert (seen.port_open, seen.state, seen.boot_id, seen.last_seq) == (True, "found", 77, 2)
    assert (seen.frames - before.frames, seen.bad_frames) == (2, 1)
    assert seen.trouble == "damaged frames: 1; the last: the CRC of the frame is wrong"
    told = msgspec.json.encode(look(rig)).decode()
    assert "KD" not in told
    assert "QS" not in told


def test_a_shoe_is_sought_found_lost_and_found_again() -> None:
    rig = Rig()
    assert (shoe(rig).state, shoe(rig).port_open) == ("sought", False)
    rig.advance(100 * MS)
    assert shoe(rig).state == "found"
    rig.shoe.unplug()
    rig.advance(500 * MS)
    assert (shoe(rig).state, shoe(rig).port_open) == ("lost", False)
    assert "cable of the simulated shoe is pulled" in shoe(rig).trouble
    rig.shoe.replug()
    rig.advance(2_500 * MS)
    assert (shoe(rig).state, shoe(rig).port_open, shoe(rig).trouble) == ("found", True, "")


def test_a_shoe_whose_counter_ran_backwards_is_broken(rig: Rig) -> None:
    rig.bridge.close()
    rig.bridge = rig.build(boot_id=77, next_seq=900)
    rig.advance(100 * MS)
    assert shoe(rig).state == "broken"
