"""The whole bridge on simulated wires: what hands do becomes events, what the table shows becomes levels."""

import select
import threading

import pytest
from gpiozero.exc import PinInvalidPin
from msgspec import UNSET
from pytest_mock import MockerFixture

from firmware_bridge.bridge import Bridge, Wiring, WiringError
from firmware_bridge.sensors import EDGES_WAITING, Inputs
from hw_sim.board import Board
from table_controller.lines import default_lines
from table_controller.table.messages import (
    BadFrame,
    CardScanned,
    ChipsLifted,
    ChipsPlaced,
    CoinDropped,
    CoinFaulted,
    FrameLost,
    HealthChanged,
    KeyPressed,
    LampFailed,
    LampMended,
    ShoeFound,
    ShoeLost,
    SpotAt,
)
from tests.bridge.rig import MS, SECOND, Rig

STEPS_US = (10 * MS, 10 * MS, 10 * MS)
"""The beams of a token that `Rig.coin` drops."""


@pytest.fixture
def rig() -> Rig:
    """A table that has started, with its shoe found."""
    rig = Rig()
    rig.bridge.started("test")
    assert rig.advance(100 * MS) == [ShoeFound(77, 1)]
    return rig


# ----------------------------------------------------------------------------------------- inputs


def test_chips_laid_and_lifted_are_told_after_20_ms(rig: Rig) -> None:
    rig.board.set("ante.3", 1)
    laid_us = rig.clock.at_us
    assert rig.read() == []
    assert rig.bridge.due_at_us() == laid_us + 20 * MS
    assert rig.advance(19 * MS) == []
    assert rig.advance(1 * MS) == [ChipsPlaced("ante", 3)]
    rig.board.set("ante.3", 0)
    assert rig.advance(20 * MS) == [ChipsLifted("ante", 3)]


def test_a_key_is_told_when_it_goes_down_and_not_when_it_comes_up(rig: Rig) -> None:
    rig.board.set("key.lock", 1)
    assert rig.advance(60 * MS) == [KeyPressed("lock")]
    rig.board.set("key.lock", 0)
    assert rig.advance(60 * MS) == []


def test_what_happens_at_several_wires_is_told_in_the_order_of_time(rig: Rig) -> None:
    for line in ("key.lock", "ante.7", "raise.1"):
        rig.board.set(line, 1)
        rig.clock.at_us += 5 * MS
    rig.clock.at_us += 100 * MS
    assert rig.read() == [KeyPressed("lock"), ChipsPlaced("ante", 7), ChipsPlaced("raise", 1)]


def test_a_coin_and_a_key_read_late_are_told_in_the_order_of_time(rig: Rig) -> None:
    rig.coin(1)
    rig.clock.at_us += 100 * MS
    rig.board.set("key.lock", 1)
    rig.coin(2)
    rig.clock.at_us += 100 * MS
    assert rig.read() == [CoinDropped(1, STEPS_US), KeyPressed("lock"), CoinDropped(2, STEPS_US)]


def test_a_coin_that_falls_before_the_key_is_steady_is_told_before_it(rig: Rig) -> None:
    rig.board.set("coin_a.1", 1)
    rig.clock.at_us += 10 * MS
    rig.board.set("coin_b.1", 1)
    rig.board.set("key.lock", 1)
    rig.clock.at_us += 9 * MS
    rig.board.set("coin_a.1", 0)
    rig.clock.at_us += 10 * MS
    rig.board.set("coin_b.1", 0)
    rig.clock.at_us += 100 * MS
    assert rig.read() == [CoinDropped(1, (10 * MS, 9 * MS, 10 * MS)), KeyPressed("lock")]


def test_a_coin_is_told_at_its_last_edge_without_waiting(rig: Rig) -> None:
    rig.coin(2)
    assert rig.read() == [CoinDropped(2, STEPS_US)]


def test_seven_coins_in_seven_slots_within_5_ms_are_seven_coins(rig: Rig) -> None:
    for line, level in (("coin_a", 1), ("coin_b", 1), ("coin_a", 0), ("coin_b", 0)):
        for seat in range(1, 8):
            rig.board.set(f"{line}.{seat}", level)
            rig.clock.at_us += 700
        rig.clock.at_us += 5 * MS
    assert rig.read() == [CoinDropped(seat, (9_900, 9_900, 9_900)) for seat in range(1, 8)]


def test_a_coin_on_a_string_is_no_coin(rig: Rig) -> None:
    for line, level in (
        ("coin_a", 1),
        ("coin_b", 1),
        ("coin_a", 0),
        ("coin_a", 1),
        ("coin_b", 0),
        ("coin_a", 0),
    ):
        rig.board.set(f"{line}.5", level)
        rig.clock.at_us += 10 * MS
    assert rig.read() == [CoinFaulted(5, "reverse", (10 * MS,) * 5)]


def test_a_beam_that_stays_dark_is_stuck_once(rig: Rig) -> None:
    rig.board.set("coin_a.4", 1)
    assert rig.advance(499 * MS) == []
    assert rig.advance(1 * MS) == [CoinFaulted(4, "stuck", (500 * MS,))]
    assert rig.advance(5 * SECOND) == []


def test_item_56_a_coin_carries_the_times_of_its_beams(rig: Rig) -> None:
    rig.coin(6, step_us=4_321)
    assert rig.read() == [CoinDropped(6, (4_321, 4_321, 4_321))]


def test_health_lines_are_told_both_ways(rig: Rig) -> None:
    rig.board.set("meter_well", 0)
    assert rig.advance(20 * MS) == [HealthChanged("meter", False)]
    rig.board.set("meter_well", 1)
    rig.board.set("door", 0)
    assert rig.advance(20 * MS) == [HealthChanged("meter", True), HealthChanged("door", False)]


def test_started_tells_what_lies_on_the_felt_and_nothing_of_it_again() -> None:
    def before_start(board: Board) -> None:
        for line in ("raise.2", "ante.2", "bonus.1", "key.open"):
            board.set(line, 1)
        board.set("display_well", 0)

    rig = Rig(shoe=False, before_start=before_start)
    started = rig.bridge.started("7.7")
    assert started.covered == (SpotAt(1, "bonus"), SpotAt(2, "ante"), SpotAt(2, "raise"))
    assert (started.meter_well, started.display_well, started.software) == (True, False, "7.7")
    assert rig.advance(3 * SECOND) == []


def test_a_beam_dark_at_the_start_follows_the_start() -> None:
    def before_start(board: Board) -> None:
        board.set("coin_b.6", 1)

    rig = Rig(shoe=False, before_start=before_start)
    rig.bridge.started("test")
    assert rig.read() == [CoinFaulted(6, "stuck", (0,))]
    rig.board.set("coin_b.6", 0)
    assert rig.advance(SECOND) == []


def test_chips_laid_between_building_and_starting_are_told_once() -> None:
    rig = Rig(shoe=False)
    rig.board.set("ante.1", 1)
    assert rig.bridge.started("test").covered == (SpotAt(1, "ante"),)
    assert rig.advance(SECOND) == []


def test_a_table_without_the_optional_lines_has_none_of_their_faults() -> None:
    needed = ("ante", "raise", "key", "light")
    lines = {name: pin for name, pin in default_lines(2).items() if name.startswith(needed)}
    rig = Rig(seats=2, lines=lines, shoe=False)
    started = rig.bridge.started("test")
    assert (started.meter_well, started.display_well) == (True, True)
    rig.show(rig.outputs({1: "on"}, light="green", call=True))
    assert rig.advance(3 * SECOND) == []
    assert rig.board.light() == "green"
    assert (started.door_well, started.mains_well) == (UNSET, UNSET)


class DeafPin:
    """Makes the edges of one line vanish, as a lost interrupt does."""

    def __init__(self, rig: Rig, line: str) -> None:
        self._pin = rig.factory.pin(rig.board.lines[line])
        self._callback = self._pin.when_changed

    def __enter__(self) -> None:
        self._pin.when_changed = None

    def __exit__(self, *_: object) -> None:
        self._pin.when_changed = self._callback


def test_an_edge_that_was_lost_is_found_by_the_next_rereading(rig: Rig) -> None:
    with DeafPin(rig, "ante.1"):
        rig.board.set("ante.1", 1)
    assert rig.advance(1_020 * MS) == [ChipsPlaced("ante", 1)]


def test_a_beam_whose_edge_was_lost_is_found_by_two_rereadings_and_is_no_coin(rig: Rig) -> None:
    with DeafPin(rig, "coin_a.1"):
        rig.board.set("coin_a.1", 1)
    assert rig.advance(3 * SECOND) == [CoinFaulted(1, "stuck", (500 * MS,))]
    with DeafPin(rig, "coin_a.1"):
        rig.board.set("coin_a.1", 0)
    assert rig.advance(3 * SECOND) == []
    rig.coin(1)
    assert rig.read() == [CoinDropped(1, STEPS_US)]


def test_a_flood_of_edges_is_bounded_and_names_the_slots_it_drowned(rig: Rig) -> None:
    for _ in range(EDGES_WAITING // 2):
        rig.board.set("raise.7", 1)
        rig.board.set("raise.7", 0)
    rig.coin(2)
    rig.board.set("ante.1", 1)
    assert rig.read() == [CoinFaulted(2, "sequence", ()), CoinFaulted(2, "sequence", ())]
    assert rig.advance(20 * MS) == [ChipsPlaced("ante", 1)]


def test_an_edge_on_another_thread_wakes_the_loop(rig: Rig) -> None:
    assert select.select(rig.bridge.fds(), [], [], 0)[0] == []
    hand = threading.Thread(target=rig.board.set, args=("ante.1", 1))
    hand.start()
    assert select.select(rig.bridge.fds(), [], [], 5)[0] == rig.bridge.fds()
    hand.join()
    rig.read()
    assert select.select(rig.bridge.fds(), [], [], 0)[0] == []


def test_a_failure_in_a_callback_is_raised_to_the_reader_and_not_to_the_wire() -> None:
    rig = Rig(shoe=False)

    lines = {"ante.1": 200}
    board = Board(lines, 7, rig.clock.now_us)

    def broken_clock() -> int:
        if board.is_on("ante.1"):
            raise ArithmeticError("the clock is broken")
        return 0

    factory = type(rig.factory)(board=board)
    inputs = Inputs(factory, lines, broken_clock)
    board.set("ante.1", 1)
    with pytest.raises(ArithmeticError, match="the clock is broken"):
        inputs.drain()
    inputs.close()


# ---------------------------------------------------------------------------------------- outputs


def test_outputs_are_dark_and_slots_shut_until_the_table_shows_something(rig: Rig) -> None:
    outputs = [
        line
        for line in rig.board.lines
        if line.startswith(("lamp.", "coin_accept", "light")) or line == "call"
    ]
    assert not any(rig.board.is_on(line) for line in outputs)
    rig.show(rig.outputs({1: "on"}, light="yellow", call=True))
    assert rig.board.light() == "yellow"
    assert [line for line in outputs if rig.board.is_on(line) and "coin" not in line] == [
        "light.yellow",
        "call",
        "lamp.1",
    ]
    rig.bridge.close()
    assert not any(rig.board.is_on(line) for line in outputs)


def test_only_what_changed_is_written(rig: Rig, mocker: MockerFixture) -> None:
    rig.show(rig.outputs({1: "on"}, light="green"))
    drive = mocker.spy(rig.board, "drive")
    rig.show(rig.outputs({1: "on"}, light="green"))
    assert drive.call_count == 0
    rig.show(rig.outputs({1: "on"}, light="red"))
    assert [call.args for call in drive.call_args_list] == [
        (rig.board.lines["light.green"], 0),
        (rig.board.lines["light.red"], 1),
    ]


def test_a_blinking_lamp_is_driven_by_the_bridge_itself(rig: Rig) -> None:
    rig.show(rig.outputs({2: "blink"}))
    seen: list[bool] = []
    for _ in range(4):
        seen.append(rig.board.is_on("lamp.2"))
        rig.advance(500 * MS)
    assert seen == [True, False, True, False]


def test_a_dead_lamp_fails_at_the_second_look_and_once_though_it_blinks(rig: Rig) -> None:
    rig.board.kill_lamp(2)
    rig.show(rig.outputs({2: "blink"}))
    assert rig.advance(249 * MS) == []
    assert rig.advance(1 * MS) == [LampFailed(2)]
    assert rig.advance(5 * SECOND) == []
    rig.board.mend_lamp(2)
    assert rig.advance(2 * SECOND) == [LampMended(2)]


def test_a_lamp_that_dies_while_it_is_lit_is_found_within_a_second_and_a_second_look(rig: Rig) -> None:
    rig.show(rig.outputs({7: "on"}))
    assert rig.advance(2 * SECOND) == []
    rig.board.kill_lamp(7)
    assert rig.advance(SECOND + 200 * MS) == [LampFailed(7)]


def test_outputs_for_another_number_of_seats_are_refused(rig: Rig) -> None:
    with pytest.raises(ValueError, match="outputs for 3 lamps and 3 slots; this table has 7 seats"):
        rig.show(Rig(seats=3, shoe=False).outputs())


# ----------------------------------------------------------------------------------------- wiring


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ante.8", "line 'ante.8': this table has the seats 1 to 7"),
        ("ante", "line 'ante' is not known"),
        ("key.boom", "line 'key.boom' is not known"),
        ("lamp_sense.1", "line 'lamp_sense.1' needs a line 'lamp.1' beside it"),
        ("coin_b.1", "line 'coin_b.1' needs a line 'coin_a.1' beside it"),
    ],
)
def test_a_line_that_cannot_be_is_refused_by_its_name(line: str, sentence: str) -> None:
    with pytest.raises(WiringError, match=sentence):
        Rig(lines={line: 5})


def test_a_bridge_that_could_not_be_built_lets_go_of_its_pins() -> None:
    rig = Rig(shoe=False)
    rig.bridge.close()
    lines = dict(rig.board.lines)
    rig.board.lines["raise.7"] = 300
    with pytest.raises(PinInvalidPin, match="300"):
        rig.build(shoe=False)
    rig.board.lines.update(lines)
    rig.bridge = rig.build(shoe=False)
    rig.board.set("raise.7", 1)
    assert rig.advance(20 * MS) == [ChipsPlaced("raise", 7)]


# ------------------------------------------------------------------------------------------- shoe


def test_cards_are_told_and_held_by_the_shoe_until_they_are_acknowledged(rig: Rig) -> None:
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("QS^", rig.clock.at_us)
    assert rig.read() == [CardScanned("KD", False, 1), CardScanned("QS", True, 2)]
    assert rig.shoe.about()["held"] == 2
    rig.bridge.acknowledge(77, 3)
    assert rig.shoe.about()["held"] == 0
    assert rig.advance(5 * SECOND) == []


def test_one_damaged_frame_is_one_alarm_and_no_card(rig: Rig) -> None:
    rig.shoe.make_noise()
    rig.shoe.deal("KD", rig.clock.at_us)
    assert rig.read() == [BadFrame(), CardScanned("KD", False, 1)]
    assert rig.bridge.shoe_trouble() == "damaged frames: 1; the last: the CRC of the frame is wrong"


def test_a_port_that_is_gone_is_trouble_with_its_reason_until_it_is_back(rig: Rig) -> None:
    rig.advance(300 * MS)
    assert rig.bridge.shoe_trouble() == ""
    rig.shoe.unplug()
    rig.advance(300 * MS)
    assert "the cable of the simulated shoe is pulled" in rig.bridge.shoe_trouble()
    rig.shoe.replug()
    rig.advance(2_500 * MS)
    assert rig.bridge.shoe_trouble() == ""


def test_a_card_lost_for_good_is_told_before_the_card_behind_it(rig: Rig) -> None:
    rig.shoe.skip_next_card()
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("9D", rig.clock.at_us)
    assert rig.advance(300 * MS) == [FrameLost(1, 1), CardScanned("9D", False, 2)]


def test_a_card_that_the_line_swallowed_is_no_alarm(rig: Rig) -> None:
    rig.shoe.swallow_next_frame()
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("9D", rig.clock.at_us)
    assert rig.advance(300 * MS) == [CardScanned("KD", False, 1), CardScanned("9D", False, 2)]


def test_a_gap_makes_the_bridge_want_to_be_read_again_soon(rig: Rig) -> None:
    rig.shoe.swallow_next_frame()
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("9D", rig.clock.at_us)
    assert rig.read() == []
    assert rig.bridge.due_at_us() == rig.clock.at_us + 200 * MS


def test_a_pulled_cable_is_told_at_once_and_the_cards_come_when_it_is_back(rig: Rig) -> None:
    rig.shoe.unplug()
    assert rig.advance(500 * MS) == [ShoeLost()]
    rig.shoe.deal("KD", rig.clock.at_us)
    assert rig.advance(30 * SECOND) == []
    rig.shoe.replug()
    assert rig.advance(2_100 * MS) == [ShoeFound(77, 1), CardScanned("KD", False, 1)]


class DeadPort:
    """A port whose device is not there; counts how often it was looked for."""

    def __init__(self) -> None:
        self.looked = 0
        self.closed = 0

    def fileno(self) -> int | None:
        return None

    def read(self) -> bytes:
        self.looked += 1
        raise OSError("no such device")

    def write(self, data: bytes) -> None:
        raise AssertionError("nothing is written to a port that is not open")

    def close(self) -> None:
        self.closed += 1


def test_a_port_that_is_gone_is_closed_and_looked_for_less_and_less_often() -> None:
    rig = Rig(shoe=False)
    port = DeadPort()
    bridge = Bridge(Wiring(rig.factory, {}, 7, port, rig.clock.now_us))
    looked_ms: list[int] = []
    started_us = at_us = rig.clock.at_us
    while at_us < started_us + 10 * SECOND:
        before = port.looked
        bridge.read(at_us)
        looked_ms += [(at_us - started_us) // MS] if port.looked > before else []
        at_us = bridge.due_at_us()
    assert looked_ms == [0, 200, 600, 1_400, 3_000, 5_000, 7_000, 9_000]
    assert port.closed == port.looked


def test_a_shoe_that_is_back_is_asked_where_it_stands_before_it_says_so(rig: Rig) -> None:
    rig.shoe.unplug()
    rig.read()
    rig.shoe.replug()
    # At this moment neither a STATUS nor a repetition is due: only the answer to a question can come.
    assert rig.advance(200 * MS) == [ShoeFound(77, 1)]


def test_a_cable_pulled_under_an_acknowledgement_is_told_by_the_next_read(rig: Rig) -> None:
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.read()
    rig.shoe.unplug()
    rig.bridge.acknowledge(77, 2)
    assert rig.read() == [ShoeLost()]
    rig.shoe.replug()
    assert rig.advance(SECOND) == [ShoeFound(77, 2)]
    assert rig.shoe.about()["held"] == 0


def test_no_shoe_at_the_start_is_told_after_two_seconds() -> None:
    rig = Rig()
    rig.shoe.unplug()
    rig.bridge.started("test")
    assert rig.advance(1_999 * MS) == []
    assert rig.advance(10 * SECOND) == [ShoeLost()]


def test_a_restarted_shoe_has_another_boot_id(rig: Rig) -> None:
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.read()
    rig.shoe.reboot()
    assert rig.advance(SECOND) == [ShoeFound(78, 1)]
    rig.bridge.acknowledge(77, 2)
    rig.shoe.deal("QC", rig.clock.at_us)
    assert rig.read() == [CardScanned("QC", False, 1)]


def test_a_restarted_service_goes_on_behind_the_last_card_on_disk(rig: Rig) -> None:
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.shoe.deal("QC", rig.clock.at_us)
    rig.read()
    rig.bridge.acknowledge(77, 2)
    rig.bridge.close()
    rig.bridge = rig.build(boot_id=77, next_seq=2)
    rig.bridge.started("test")
    assert rig.advance(100 * MS) == [ShoeFound(77, 2), CardScanned("QC", False, 2)]


def test_a_table_without_a_shoe_never_speaks_of_one() -> None:
    rig = Rig(shoe=False)
    rig.bridge.started("test")
    assert rig.advance(10 * SECOND) == []
