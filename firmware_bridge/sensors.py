"""The inputs of the table: a bank of wires, and what their levels mean.

`Inputs` owns the gpiozero devices; its callbacks run on whatever thread the pin factory has, so they only
put an edge into a bounded queue and write one byte to a pipe. `Contact` and `CoinBeams` are pure and give
an edge its meaning on the service's thread.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from gpiozero import InputDevice

from firmware_bridge.coin_slot import BEAM_A, BEAM_B, CoinSlot, Outcome
from firmware_bridge.debounce import Debounce
from firmware_bridge.lines import LineView, PassageView, SlotView, Trace
from table_controller.table.messages import CoinDropped, CoinFaulted, Event

EDGES_WAITING: Final = 4096
OLDEST_EDGE_US: Final = 1_000_000
PIPE_BYTES: Final = 65_536
# Sense lines are compared when their lamp has had its time; their edges would only wake the service.
UNWATCHED: Final = "lamp_sense."

ChangedCallback = Callable[[Any, Any], None]


class Edge(NamedTuple):
    """A line went to a level at a time (microseconds)."""

    line: str
    level: bool
    at_us: int


class Inputs:
    """The input wires of the table, by line name.

    `lines` maps names to pin numbers of `factory`; `now_us` is the clock in which edges are timed.
    """

    def __init__(self, factory: Any, lines: Mapping[str, int], now_us: Callable[[], int]) -> None:
        self._factory: Final = factory
        self._now_us: Final = now_us
        self._edges: Final[deque[Edge]] = deque()
        self._overrun: Final[set[str]] = set()
        self._failure: Exception | None = None
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._devices: Final[dict[str, Any]] = {}
        self._traces: Final[dict[str, Trace]] = {}
        # Pin factories hold callbacks weakly.
        self._callbacks: Final[list[ChangedCallback]] = []
        try:
            for line, number in lines.items():
                # No pull and no bounce time: the board's resistors and our own debouncing are the
                # same on every factory.
                device = InputDevice(number, pull_up=None, active_state=True, pin_factory=factory)
                self._devices[line] = device
                self._traces[line] = Trace(bool(device.pin.state), now_us())
                if not line.startswith(UNWATCHED):
                    self._watch(line, device)
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """The descriptor that becomes readable when an edge waits."""
        return self._wake_read

    def level(self, line: str) -> bool:
        """What the wire shows now."""
        level = bool(self._devices[line].pin.state)
        if level != self._traces[line].level:
            self._traces[line].turn(level, self._now_us())
        return level

    def levels(self) -> Iterable[tuple[str, bool]]:
        """What every wire shows now."""
        return ((line, self.level(line)) for line in self._devices)

    def view(self, now_us: int) -> list[LineView]:
        """Every wire, read again, and how it has changed."""
        for line in self._devices:
            self.level(line)
        return [trace.view(line, "in", now_us) for line, trace in self._traces.items()]

    def drain(self) -> tuple[list[Edge], set[str]]:
        """The edges that have come, in order, and the lines of which some did not fit into the queue.

        Raises what went wrong in a callback: there it had to be swallowed, for on some factories one
        exception makes every input deaf for ever.
        """
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, PIPE_BYTES)
        if self._failure is not None:
            raise self._failure
        edges: list[Edge] = []
        for _ in range(len(self._edges)):
            edge = self._edges.popleft()
            self._traces[edge.line].turn(edge.level, edge.at_us)
            edges.append(edge)
        overrun: set[str] = set()
        while self._overrun:
            overrun.add(self._overrun.pop())
        return edges, overrun

    def close(self) -> None:
        """Let go of the wires."""
        for device in self._devices.values():
            device.close()
        self._devices.clear()
        fds = (self._wake_read, self._wake_write)
        self._wake_read = self._wake_write = -1
        for fd in fds:
            if fd >= 0:
                os.close(fd)

    def _watch(self, line: str, device: Any) -> None:
        edges, overrun, factory, now_us = self._edges, self._overrun, self._factory, self._now_us

        def changed(ticks: Any, state: Any) -> None:
            try:
                # The factory's time of the edge is nearer to the truth than the moment of this call.
                age_us = int(factory.ticks_diff(factory.ticks(), ticks) * 1_000_000)
                at_us = now_us() - min(max(age_us, 0), OLDEST_EDGE_US)
                if len(edges) < EDGES_WAITING:
                    edges.append(Edge(line, bool(state), at_us))
                else:
                    overrun.add(line)
                os.write(self._wake_write, b"\0")
            except BlockingIOError:
                pass  # The pipe is full of wake-ups: one is enough.
            except Exception as problem:  # noqa: BLE001 - `drain` raises it where it can be dealt with.
                self._failure = problem

        self._callbacks.append(changed)
        device.pin.edges = "both"
        device.pin.when_changed = changed


class Sense(Protocol):
    """What levels of one or two lines mean."""

    def due_at_us(self) -> int | None:
        """When `settle` is to be asked if no edge comes."""

    def edge(self, edge: Edge) -> Event | None:
        """An edge came."""

    def settle(self, now_us: int) -> Event | None:
        """Time has passed."""

    def reread(self, edge: Edge) -> Event | None:
        """The line was read again, and shows this."""

    def resync(self, edge: Edge) -> Event | None:
        """Edges of the line were lost, and it shows this."""


class Contact:
    """A debounced line: one event when it becomes high, another, or none, when it becomes low."""

    def __init__(self, level: bool, on: Event, off: Event | None) -> None:
        self._debounce: Final = Debounce(level)
        self._on: Final = on
        self._off: Final = off

    @property
    def level(self) -> bool:
        """The level that is believed."""
        return self._debounce.level

    def due_at_us(self) -> int | None:
        """When a level will have stood long enough."""
        return self._debounce.due_at_us()

    def edge(self, edge: Edge) -> Event | None:
        """An edge came; a level may have stood long enough before it."""
        return self._tell(self._debounce.edge(edge.level, edge.at_us))

    def settle(self, now_us: int) -> Event | None:
        """The event of a level that has stood long enough."""
        return self._tell(self._debounce.settle(now_us))

    # A level that differs from what is believed is an ordinary edge; the same level again is nothing.
    reread = edge
    resync = edge

    def _tell(self, change: bool | None) -> Event | None:
        if change is None:
            return None
        return self._on if change else self._off


class CoinBeams:
    """The two beams of one seat's slot: a coin, or a fault; counts what it told."""

    def __init__(self, seat: int, a_dark: bool, b_dark: bool, now_us: int) -> None:
        self._seat: Final = seat
        self._beam_a: Final = f"coin_a.{seat}"
        self._slot: Final = CoinSlot(BEAM_A * a_dark | BEAM_B * b_dark, now_us)
        self._coins = 0
        self._faults = 0

    def due_at_us(self) -> int | None:
        """When the slot will count as stuck."""
        return self._slot.due_at_us()

    def edge(self, edge: Edge) -> Event | None:
        """A beam changed."""
        return self._tell(self._slot.edge(self._beam(edge), edge.level, edge.at_us))

    def settle(self, now_us: int) -> Event | None:
        """Tells, once, that the slot is stuck."""
        return self._tell(self._slot.settle(now_us))

    def reread(self, edge: Edge) -> Event | None:
        """A beam was read again; it takes two looks that differ to say that an edge was lost."""
        return self._tell(self._slot.reread(self._beam(edge), edge.level, edge.at_us))

    def resync(self, edge: Edge) -> Event | None:
        """Edges of a beam were lost."""
        return self._tell(self._slot.lose_edges(self._beam(edge), edge.level, edge.at_us))

    def view(self, now_us: int) -> SlotView:
        """What has passed the slot."""
        last = self._slot.last
        return SlotView(
            self._seat,
            self._coins,
            self._faults,
            last
            and PassageView(last.outcome, last.beams, last.beams_us, max(now_us - last.at_us, 0) // 1000),
        )

    def _beam(self, edge: Edge) -> int:
        return BEAM_A if edge.line == self._beam_a else BEAM_B

    def _tell(self, outcome: Outcome | None) -> Event | None:
        if outcome is None or self._slot.last is None:
            return None
        beams_us = self._slot.last.beams_us
        if outcome == "coin":
            self._coins += 1
            return CoinDropped(self._seat, beams_us)
        self._faults += 1
        return CoinFaulted(self._seat, outcome, beams_us)
