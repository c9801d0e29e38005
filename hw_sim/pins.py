"""A gpiozero pin factory whose copper is the simulated board.

`SimFactory(board=Board(...))` is bound to a board in the same process: callbacks run inside the call
that moved the wire. `SimFactory()` connects to the board process behind the socket that the
environment variable `HW_SIM_BOARD` names; a thread of its own reads the wires and runs the callbacks,
as the real factories do. The production code cannot tell either from a Raspberry Pi.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any, Final, Protocol
from weakref import WeakMethod, ref

import msgspec
from gpiozero.exc import (
    PinError,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinInvalidState,
    PinPWMUnsupported,
    PinSetInput,
)
from gpiozero.pins import Factory, Pin, PinInfo

BOARD_VARIABLE: Final = "HW_SIM_BOARD"
PINS: Final = 256
# A board that does not take or give a message within this time is gone.
PATIENCE_S: Final = 2
LONGEST_LINE: Final = 4096

Listener = Callable[[int, int], None]


class Wires(Protocol):
    """What a factory needs of a board, in this process or in another."""

    @property
    def levels(self) -> bytearray:
        """The level of each pin number."""

    @property
    def gone(self) -> str:
        """Why the wires cannot be reached any more; empty while they can."""

    def now_us(self) -> int:
        """Microseconds of a clock that never runs backwards."""

    def edge_us(self) -> int:
        """When the change happened that a listener is being told of, on the clock of `now_us`."""

    def drive(self, number: int, level: int) -> None:
        """Drive a pin high (1) or low (0)."""

    def pull(self, number: int, direction: str) -> None:
        """Connect a pull resistor."""

    def watch(self, listener: Listener) -> None:
        """Call `listener(number, level)` for each change of an input."""

    def leave(self, listener: Listener) -> None:
        """Let go of the wires: call it no more, and let all outputs fall low."""


class SimPin(Pin):  # type: ignore[misc]
    """One wire of the simulated board, with the interface of a gpiozero pin."""

    def __init__(self, wires: Wires, number: int, info: PinInfo) -> None:
        super().__init__()
        self._wires = wires
        self._levels = wires.levels
        self._number = number
        self._info = info
        self._function = "input"
        self._pull = "floating"
        self._edges = "both"
        self._listener: Callable[[], Callable[[int, int], None] | None] | None = None

    def __repr__(self) -> str:
        return str(self._info.name)

    def close(self) -> None:
        """Let go of the wire; it keeps its level until the whole factory lets go of the board."""
        self._listener = None
        self._function = "input"

    def _get_info(self) -> PinInfo:
        return self._info

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"{self!r}: function {value!r} is not one of input, output")
        self._function = value

    def _get_state(self) -> int:
        if self._wires.gone:
            raise PinError(f"cannot read {self!r}, the simulated board is gone: {self._wires.gone}")
        return self._levels[self._number]

    def _set_state(self, value: float) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set the state of {self!r}: it is an input")
        if value not in (0, 1):
            raise PinInvalidState(f"{self!r}: state {value!r} is not one of 0, 1")
        self._wires.drive(self._number, int(value))

    def _get_frequency(self) -> None:
        return None

    def _set_frequency(self, value: float | None) -> None:
        if value is not None:
            raise PinPWMUnsupported(f"{self!r} cannot do PWM")

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(f"cannot set the pull of {self!r}: it is an output")
        if value not in ("floating", "up", "down"):
            raise PinInvalidPull(f"{self!r}: pull {value!r} is not one of floating, up, down")
        self._pull = value
        self._wires.pull(self._number, value)

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        # Real factories filter by different rules and lose short pulses; the table filters edges
        # itself, so a bounce time asked for here is a mistake to be found on the PC.
        if value is not None:
            raise PinInvalidBounce(f"{self!r}: bounce {value!r} is not None; this board does not filter")

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in ("none", "falling", "rising", "both"):
            raise PinInvalidEdges(f"{self!r}: edges {value!r} is not one of none, falling, rising, both")
        self._edges = value

    def _get_when_changed(self) -> Callable[[int, int], None] | None:
        return None if self._listener is None else self._listener()

    def _set_when_changed(self, value: Callable[[int, int], None] | None) -> None:
        # Held weakly, as the factories of a Raspberry Pi do: code that needs more must fail here too.
        if value is None:
            self._listener = None
        elif isinstance(value, MethodType):
            self._listener = WeakMethod(value)
        else:
            self._listener = ref(value)

    def moved(self, level: int) -> None:
        """The wire has another level: tell the device that watches it."""
        edges = self._edges
        if self._listener is not None and (edges == "both" or edges == ("rising" if level else "falling")):
            listener = self._listener()
            if listener is not None:
                listener(self._wires.edge_us(), level)


class SimBoardInfo:
    """The header of the simulated board: `GPIO0` .. `GPIO255`, all alike."""

    def __init__(self) -> None:
        self.pins: Final = tuple(
            PinInfo(n, f"GPIO{n}", frozenset({n, str(n), f"GPIO{n}"}), "", n + 1, 1, frozenset({"gpio"}))
            for n in range(PINS)
        )
        self._by_name: Final = {name: info for info in self.pins for name in info.names}

    def find_pin(self, name: int | str) -> Iterator[tuple[None, PinInfo]]:
        """The pins of that name, in the form in which gpiozero asks for them."""
        if name in self._by_name:
            yield None, self._by_name[name]


HEADER: Final = SimBoardInfo()


class SimFactory(Factory):  # type: ignore[misc]
    """Makes pins of a simulated board.

    Without `board` it connects to the board process behind the Unix socket that `HW_SIM_BOARD`
    names; all levels are known before the first pin exists. Times (`ticks`) are microseconds.
    """

    def __init__(self, board: Wires | None = None) -> None:
        super().__init__()
        self._wires: Wires = BoardWires(path_of_board()) if board is None else board
        self._pins: list[SimPin | None] = [None] * PINS
        self._wires.watch(self._moved)
        self._closed = False

    def close(self) -> None:
        """Let go of all pins and of the board: inputs stay as they are, outputs fall low."""
        if not self._closed:
            self._closed = True
            for pin in self._pins:
                if pin is not None:
                    pin.close()
            self._wires.leave(self._moved)

    def pin(self, name: int | str) -> SimPin:
        """The pin of that number or name; the same object each time."""
        for _, info in HEADER.find_pin(name):
            number: int = info.number
            pin = self._pins[number] or SimPin(self._wires, number, info)
            self._pins[number] = pin
            return pin
        raise PinInvalidPin(f"{name!r} is not a pin of the simulated board; it has 0..{PINS - 1}")

    def ticks(self) -> int:
        """Microseconds of the board's clock."""
        return self._wires.now_us()

    def ticks_diff(self, later: int, earlier: int) -> float:
        """Seconds between two `ticks`."""
        return (later - earlier) / 1_000_000

    def _get_board_info(self) -> SimBoardInfo:
        return HEADER

    def _moved(self, number: int, level: int) -> None:
        pin = self._pins[number]
        if pin is not None:
            pin.moved(level)


def path_of_board() -> str:
    """The socket of the board process; a sentence that says what to do where there is none."""
    path = os.environ.get(BOARD_VARIABLE, "")
    if not path:
        raise PinError(
            f"the environment variable {BOARD_VARIABLE} is not set: it must name the socket of a running"
            " simulated board (python -m hw_sim board --dir DIR makes DIR/board.sock)"
        )
    return path


class BoardWires:
    """The wires of a board in another process, over its Unix socket.

    One JSON array a line. The factory says `["pins"]` and is given `["levels", "0110..."]`; then
    each change of an input comes as `[number, level, at_us]`, and each output goes as
    `["drive", number, level]`.
    `["gone", sentence]` is the board's last word to a factory that did something impossible.
    """

    def __init__(self, path: str) -> None:
        self.levels = bytearray(PINS)
        self._listener: Listener | None = None
        self.gone = ""
        self._edge_us = 0
        self._closing = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(PATIENCE_S)
            self._socket.connect(path)
            self._socket.sendall(b'["pins"]\n')
            rest = self._take_levels()
        except OSError as problem:
            self._socket.close()
            raise PinError(f"no simulated board answers at {path}: {problem}") from problem
        except PinError:
            self._socket.close()
            raise
        # From here on the reader waits for ever, but nobody may wait for ever to write.
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", PATIENCE_S, 0))
        self._reader = threading.Thread(target=self._read, args=(rest,), name="hw_sim pins", daemon=True)
        self._reader.start()

    def now_us(self) -> int:
        """Microseconds of the machine's monotonic clock."""
        return time.monotonic_ns() // 1000

    def edge_us(self) -> int:
        """When the board changed the wire: like a kernel's time stamp, true on a busy computer too."""
        return self._edge_us

    def drive(self, number: int, level: int) -> None:
        """Drive a pin; a board that has gone away is an error, never a silent success."""
        self._say(b'["drive",%d,%d]\n' % (number, level))
        self.levels[number] = level

    def pull(self, number: int, direction: str) -> None:
        """Connect a pull resistor."""
        self._say(b'["pull",%d,"%b"]\n' % (number, direction.encode()))

    def watch(self, listener: Listener) -> None:
        """Changes of inputs go to this one listener, on the reader's thread."""
        self._listener = listener

    def leave(self, listener: Listener) -> None:
        """End the reader and hang up; the board lets all outputs fall low when it sees that."""
        if self._listener == listener:
            self._listener = None
        self._closing = True
        with contextlib.suppress(OSError):  # The board may have hung up first.
            self._socket.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._reader:
            self._reader.join(PATIENCE_S)
        self._socket.close()

    def _say(self, line: bytes) -> None:
        if self.gone:
            raise PinError(f"the simulated board is gone: {self.gone}")
        try:
            self._socket.sendall(line)
        except OSError as problem:
            self.gone = str(problem)
            raise PinError(f"the simulated board is gone: {problem}") from problem

    def _take_levels(self) -> bytes:
        received = b""
        while b"\n" not in received:
            part = self._socket.recv(LONGEST_LINE)
            if not part or len(received) > LONGEST_LINE:
                raise PinError("the simulated board hung up before it told the levels of its wires")
            received += part
        line, rest = received.split(b"\n", 1)
        word, told = msgspec.json.decode(line, type=tuple[str, str])
        if word != "levels" or len(told) != PINS:
            raise PinError(f"the simulated board refused the pins: {told}")
        self.levels[:] = bytes(int(level) for level in told)
        return rest

    def _read(self, rest: bytes) -> None:
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(list[int | str]).decode
        levels = self.levels
        try:
            while True:
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    number, level, *at_us = decode(line)
                    if number == "gone":
                        self.gone = level
                        return
                    (self._edge_us,) = at_us
                    levels[number] = level
                    if self._listener is not None:
                        self._listener(number, level)
                part = self._socket.recv(65536)
                if not part:
                    self.gone = "it hung up"
                    return
                rest += part
                if len(rest) > 65536 + LONGEST_LINE:
                    raise PinError("a line of the simulated board has no end")
        except Exception as problem:
            # An exception in a callback ends this thread, as it does in a real factory; here the next
            # read or write says so instead of leaving the process deaf.
            if not self._closing:
                self.gone = f"its reader ended: {problem!r}"
                raise
