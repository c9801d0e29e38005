"""The pin factory of the simulator under unmodified gpiozero devices, in one process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpiozero import LED, Button, DigitalInputDevice, DigitalOutputDevice
from gpiozero.exc import GPIOPinInUse, PinError, PinInvalidBounce, PinInvalidPin, PinSetInput

from hw_sim.board import Board, WiringError
from hw_sim.pins import SimFactory

LINES = {"ante.1": 3, "lamp.1": 10, "lamp_sense.1": 11, "key.lock": 255}


@pytest.fixture
def board() -> Board:
    return Board(LINES, 1, lambda: 7_000_000)


@pytest.fixture
def factory(board: Board) -> Iterator[SimFactory]:
    made = SimFactory(board=board)
    yield made
    made.close()


def an_input(factory: SimFactory, pin: int) -> DigitalInputDevice:
    return DigitalInputDevice(pin, pull_up=None, active_state=True, pin_factory=factory)


def test_chips_that_lie_down_and_leave_call_the_device_at_once(board: Board, factory: SimFactory) -> None:
    heard: list[str] = []
    with an_input(factory, 3) as ante:
        ante.when_activated = lambda: heard.append("placed")
        ante.when_deactivated = lambda: heard.append("lifted")
        board.set("ante.1", 1)
        assert heard == ["placed"]
        assert ante.value == 1
        board.set("ante.1", 0)
        assert heard == ["placed", "lifted"]


@pytest.mark.parametrize("pull_up", [True, False])
def test_chips_that_lie_there_before_the_device_is_made_are_not_lost(
    board: Board, factory: SimFactory, pull_up: bool
) -> None:
    board.set("ante.1", 1)
    with DigitalInputDevice(3, pull_up=pull_up, pin_factory=factory) as ante:
        assert ante.pin.state == 1


def test_an_unwired_pin_follows_its_pull(factory: SimFactory) -> None:
    with Button(77, pin_factory=factory) as button:
        assert button.pin.state == 1
        assert not button.is_pressed


def test_the_lamp_shines_and_its_sense_line_calls_back(board: Board, factory: SimFactory) -> None:
    heard: list[int] = []
    with an_input(factory, 11) as sense, LED(10, pin_factory=factory) as lamp:
        sense.when_activated = lambda: heard.append(1)
        lamp.on()
        assert board.lamp_lit(1)
        assert heard == [1]
        lamp.toggle()
        assert not board.lamp_lit(1)


def test_an_output_can_be_made_without_moving_it(board: Board, factory: SimFactory) -> None:
    board.drive(10, 1)
    with DigitalOutputDevice(10, initial_value=None, pin_factory=factory) as lamp:
        assert lamp.value == 1
        assert board.lamp_lit(1)


def test_taking_a_pin_twice_is_refused_until_it_is_free_again(factory: SimFactory) -> None:
    first = an_input(factory, 3)
    with pytest.raises(GPIOPinInUse):
        an_input(factory, 3)
    first.close()
    an_input(factory, 3).close()


def test_pins_go_by_number_or_name_and_are_the_same_object(factory: SimFactory) -> None:
    assert factory.pin(255) is factory.pin("255") is factory.pin("GPIO255")
    with pytest.raises(PinInvalidPin, match=r"256 is not a pin of the simulated board"):
        factory.pin(256)


def test_edges_that_nobody_asked_for_are_not_told(board: Board, factory: SimFactory) -> None:
    heard: list[int] = []

    def changed(ticks: int, level: int) -> None:
        heard.append(level)

    pin = factory.pin(3)
    pin.when_changed = changed
    for edges, expected in (("both", [1, 0]), ("rising", [1]), ("falling", [0]), ("none", [])):
        pin.edges = edges
        board.set("ante.1", 1)
        board.set("ante.1", 0)
        assert heard == expected, edges
        heard.clear()


def test_a_listener_that_nobody_keeps_is_forgotten_as_on_a_real_pin(
    board: Board, factory: SimFactory
) -> None:
    heard: list[int] = []
    factory.pin(3).when_changed = lambda ticks, level: heard.append(level)
    board.set("ante.1", 1)
    assert heard == []
    assert factory.pin(3).when_changed is None


def test_the_time_of_an_edge_is_the_time_of_the_board(board: Board, factory: SimFactory) -> None:
    heard: list[int] = []

    def changed(ticks: int, level: int) -> None:
        heard.append(ticks)

    factory.pin(3).when_changed = changed
    board.set("ante.1", 1)
    assert heard == [7_000_000]
    assert factory.ticks_diff(factory.ticks(), 6_500_000) == 0.5


def test_debouncing_by_the_driver_is_refused(factory: SimFactory) -> None:
    with pytest.raises(PinInvalidBounce, match=r"bounce 0\.02 is not None"):
        DigitalInputDevice(3, bounce_time=0.02, pin_factory=factory)


def test_an_input_cannot_be_driven(factory: SimFactory) -> None:
    with pytest.raises(PinSetInput):
        factory.pin(3).state = 1
    with pytest.raises(WiringError, match=r"an input of the table"):
        LED(3, initial_value=True, pin_factory=factory)


def test_an_exception_in_a_callback_surfaces_in_whoever_moved_the_wire(
    board: Board, factory: SimFactory
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with an_input(factory, 3) as ante:
        ante.when_activated = fail
        with pytest.raises(ZeroDivisionError):
            board.set("ante.1", 1)


def test_a_closed_factory_hears_nothing_and_its_lamps_are_dark(board: Board) -> None:
    heard: list[int] = []
    factory = SimFactory(board=board)
    ante = an_input(factory, 3)
    ante.when_activated = lambda: heard.append(1)
    lamp = LED(10, pin_factory=factory)
    lamp.on()
    factory.close()
    board.set("ante.1", 1)
    assert heard == []
    assert not board.lamp_lit(1)
    factory.close()


def test_the_next_factory_finds_the_chips_where_they_lie(board: Board) -> None:
    SimFactory(board=board).close()
    board.set("ante.1", 1)
    second = SimFactory(board=board)
    with an_input(second, 3) as ante:
        assert ante.is_active
    second.close()


def test_without_the_variable_the_sentence_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HW_SIM_BOARD", raising=False)
    with pytest.raises(PinError, match=r"HW_SIM_BOARD is not set: it must name the socket"):
        SimFactory()


def test_without_a_board_behind_the_socket_the_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HW_SIM_BOARD", "/nowhere/board.sock")
    with pytest.raises(PinError, match=r"no simulated board answers at /nowhere/board\.sock"):
        SimFactory()
