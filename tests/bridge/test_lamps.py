"""A jackpot lamp: what it shows, and whether its sense line believes it."""

from firmware_bridge.lamps import JackpotLamp
from table_controller.table.messages import LampFailed, LampMended

MS = 1_000


def levels(lamp: JackpotLamp, until_ms: int) -> list[tuple[int, bool]]:
    """When the lamp changes, in milliseconds, if it is asked every 50 ms."""
    seen: list[tuple[int, bool]] = [(0, lamp.lit)]
    for at_ms in range(0, until_ms + 1, 50):
        lamp.turn(at_ms * MS)
        if lamp.lit != seen[-1][1]:
            seen.append((at_ms, lamp.lit))
    return seen


def test_a_blinking_lamp_begins_lit_and_turns_over_every_half_second() -> None:
    lamp = JackpotLamp(1, has_sense=False, now_us=0)
    lamp.show("blink", 0)
    assert levels(lamp, 2_000) == [(0, True), (500, False), (1_000, True), (1_500, False), (2_000, True)]


def test_a_lamp_that_is_told_the_same_again_keeps_its_rhythm() -> None:
    lamp = JackpotLamp(1, has_sense=False, now_us=0)
    lamp.show("blink", 0)
    lamp.show("blink", 400 * MS)
    assert lamp.due_at_us() == 500 * MS


def test_a_lamp_that_was_asked_late_turns_once_and_keeps_its_rhythm() -> None:
    lamp = JackpotLamp(1, has_sense=False, now_us=0)
    lamp.show("blink", 0)
    lamp.turn(1_700 * MS)
    assert (lamp.lit, lamp.due_at_us()) == (False, 2_000 * MS)


def test_a_steady_lamp_asks_for_nothing() -> None:
    lamp = JackpotLamp(1, has_sense=False, now_us=0)
    lamp.show("blink", 0)
    lamp.show("on", 100 * MS)
    assert lamp.lit
    assert lamp.due_at_us() is None


def test_the_sense_line_has_50_ms_after_each_change() -> None:
    lamp = JackpotLamp(1, has_sense=True, now_us=0)
    assert lamp.sense(False, 50 * MS) is None
    lamp.show("on", 1_000 * MS)
    assert not lamp.is_sense_due(1_049 * MS)
    assert not lamp.is_settled()
    assert lamp.is_sense_due(1_050 * MS)
    assert lamp.sense(True, 1_050 * MS) is None
    assert lamp.is_settled()


def test_a_sense_line_that_was_slow_once_makes_no_lamp_dead() -> None:
    lamp = JackpotLamp(3, has_sense=True, now_us=0)
    lamp.show("on", 0)
    assert lamp.sense(False, 50 * MS) is None
    assert not lamp.is_sense_due(249 * MS)
    assert lamp.is_sense_due(250 * MS)
    assert lamp.sense(True, 250 * MS) is None
    assert lamp.is_settled()


def test_a_dead_lamp_is_told_once_and_mended_only_when_it_lights() -> None:
    lamp = JackpotLamp(3, has_sense=True, now_us=0)
    lamp.show("on", 0)
    assert lamp.sense(False, 50 * MS) is None
    assert lamp.sense(False, 250 * MS) == LampFailed(3)
    assert lamp.sense(False, 1_000 * MS) is None
    lamp.show("off", 1_000 * MS)
    assert lamp.sense(False, 1_050 * MS) is None
    lamp.show("on", 2_000 * MS)
    assert lamp.sense(True, 2_050 * MS) == LampMended(3)


def test_a_lamp_that_cannot_be_put_out_is_told_too() -> None:
    lamp = JackpotLamp(3, has_sense=True, now_us=0)
    assert lamp.sense(True, 50 * MS) is None
    assert lamp.sense(True, 250 * MS) == LampFailed(3)
    lamp.show("on", 300 * MS)
    assert lamp.sense(True, 350 * MS) is None
    lamp.show("off", 1_000 * MS)
    assert lamp.sense(False, 1_050 * MS) == LampMended(3)
