"""The physics of the simulated board."""

from __future__ import annotations

import pytest

from hw_sim.board import Board, WiringError

LINES = {
    "ante.1": 3,
    "lamp.1": 10,
    "lamp_sense.1": 11,
    "lamp.2": 12,
    "coin_accept.1": 13,
    "light.green": 20,
    "light.red": 21,
    "meter_well": 30,
}


class Time:
    def __init__(self) -> None:
        self.us = 5_000_000

    def now_us(self) -> int:
        return self.us


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def board(time: Time) -> Board:
    return Board(LINES, 2, time.now_us)


def test_a_new_table_is_bare_and_well(board: Board) -> None:
    assert not board.is_on("ante.1")
    assert board.is_on("meter_well")
    assert board.light() == "off"
    assert not board.lamp_lit(1)


def test_the_sense_line_follows_the_lamp(board: Board) -> None:
    board.drive(10, 1)
    assert board.is_on("lamp_sense.1")
    board.drive(10, 0)
    assert not board.is_on("lamp_sense.1")


def test_a_dead_lamp_gives_no_light_and_no_current_although_it_is_driven(board: Board) -> None:
    board.drive(10, 1)
    board.kill_lamp(1)
    assert not board.lamp_lit(1)
    assert not board.is_on("lamp_sense.1")
    board.mend_lamp(1)
    assert board.lamp_lit(1)
    assert board.is_on("lamp_sense.1")


def test_a_lamp_without_a_sense_line_just_shines(board: Board) -> None:
    board.drive(12, 1)
    assert board.lamp_lit(2)


def test_a_frozen_sensor_shows_what_it_showed_until_it_is_mended(board: Board) -> None:
    board.freeze("ante.1")
    board.set("ante.1", 1)
    assert not board.is_on("ante.1")
    board.thaw("ante.1")
    assert board.is_on("ante.1")


def test_listeners_hear_each_change_once_and_no_repetition(board: Board) -> None:
    heard: list[tuple[int, int]] = []
    board.watch(lambda number, level: heard.append((number, level)))
    board.set("ante.1", 1)
    board.set("ante.1", 1)
    board.drive(10, 1)
    assert heard == [(3, 1), (11, 1)]


def test_a_blinking_lamp_counts_as_lit_in_its_dark_half(board: Board, time: Time) -> None:
    for _ in range(3):
        board.drive(10, 1)
        time.us += 500_000
        board.drive(10, 0)
        assert board.lamp_lit(1)
        time.us += 499_000
        assert board.lamp_lit(1)
        time.us += 1_000
    time.us += 200_000
    assert not board.lamp_lit(1)


@pytest.mark.parametrize("lit_us", [40_000, 300_000, 700_000, 60_000_000])
def test_a_lamp_that_went_out_is_dark_at_once(board: Board, time: Time, lit_us: int) -> None:
    board.drive(10, 1)
    time.us += lit_us
    board.drive(10, 0)
    assert not board.lamp_lit(1)


def test_a_lamp_never_driven_is_dark(board: Board, time: Time) -> None:
    time.us = 0
    assert not board.lamp_lit(1)


def test_the_traffic_light_tells_two_lit_lamps_from_one(board: Board) -> None:
    board.drive(20, 1)
    assert board.light() == "green"
    board.drive(21, 1)
    assert board.light() == "green+red"


def test_when_the_service_dies_all_outputs_fall_low_and_the_chips_stay(board: Board, time: Time) -> None:
    def listener(number: int, level: int) -> None:
        pass

    board.watch(listener)
    board.set("ante.1", 1)
    board.drive(10, 1)
    time.us += 500_000
    board.leave(listener)
    assert not board.lamp_lit(1)
    assert not board.is_on("lamp_sense.1")
    assert board.is_on("ante.1")


def test_a_pull_resistor_moves_only_a_pin_that_nothing_is_wired_to(board: Board) -> None:
    board.pull(200, "up")
    board.pull(3, "up")
    assert board.levels[200] == 1
    assert not board.is_on("ante.1")


def test_the_service_cannot_drive_an_input_and_hands_cannot_drive_a_lamp(board: Board) -> None:
    with pytest.raises(WiringError, match=r"pin 3 is ante\.1, an input"):
        board.drive(3, 1)
    with pytest.raises(WiringError, match=r"'lamp\.1' is an output"):
        board.set("lamp.1", 1)


def test_a_line_that_the_table_does_not_have_is_refused_by_its_name(board: Board) -> None:
    with pytest.raises(WiringError, match=r"no line 'ante\.9'"):
        board.set("ante.9", 1)


def test_two_lines_on_one_pin_are_refused(time: Time) -> None:
    with pytest.raises(WiringError, match=r"pin 4 is wired to ante\.1 and to raise\.1"):
        Board({"ante.1": 4, "raise.1": 4}, 1, time.now_us)
    with pytest.raises(WiringError, match=r"ante\.1: pin 256 is not one of 0\.\.255"):
        Board({"ante.1": 256}, 1, time.now_us)
