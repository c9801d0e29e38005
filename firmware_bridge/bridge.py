"""The bridge: all wires of one table as the service sees them.

Levels and bytes become events in the words of the table; what the table shows becomes levels. One thread
calls everything here; only the callbacks of the pins run elsewhere, and they only put edges into a queue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from msgspec import UNSET

from firmware_bridge.lamps import JackpotLamp, Outputs
from firmware_bridge.lines import LinesView, ShoeView
from firmware_bridge.sensors import CoinBeams, Contact, Edge, Inputs, Sense
from firmware_bridge.shoe.link import Link
from firmware_bridge.shoe.port import Port
from table_controller.table import messages
from table_controller.table.messages import (
    ChipsLifted,
    ChipsPlaced,
    Event,
    HealthChanged,
    HealthLine,
    Key,
    KeyPressed,
    Spot,
    SpotAt,
    Started,
)

REREAD_US: Final = 1_000_000
REOPEN_SOONEST_US: Final = 200_000
REOPEN_LATEST_US: Final = 2_000_000
CHUNKS_A_READ: Final = 16

HEALTH: Final[dict[str, HealthLine]] = {
    "meter_well": "meter",
    "display_well": "display",
    "door": "door",
    "mains_well": "mains",
}
_INPUT: Final = re.compile(
    r"(?P<spot>ante|raise|bonus)\.(?P<spot_seat>[1-9])"
    r"|coin_[ab]\.(?P<coin_seat>[1-9])|lamp_sense\.(?P<sense_seat>[1-9])"
    r"|key\.(?P<key>lock|close|reveal|clear|open)|meter_well|display_well|door|mains_well"
)
_OUTPUT: Final = re.compile(
    r"lamp\.(?P<lamp_seat>[1-9])|coin_accept\.(?P<accept_seat>[1-9])|light\.(green|yellow|red)|call"
)


class WiringError(Exception):
    """The wiring names a line that cannot be; the sentence says which and what is allowed."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the bridge is connected to.

    `factory` is a gpiozero pin factory; `lines` maps line names of PROTOCOL.md to its pin numbers (a line
    left out does not exist); `port` is the shoe's, None without a shoe; `now_us` tells microseconds of a
    clock that never runs backwards; the shoe's position is what the journal holds, (0, 0) if nothing.
    """

    factory: Any
    lines: Mapping[str, int]
    seats: int
    port: Port | None
    now_us: Callable[[], int]
    shoe_boot_id: int = 0
    shoe_next_seq: int = 0


class Bridge:
    """Everything that touches wires, for one table."""

    def __init__(self, wiring: Wiring) -> None:
        now_us = wiring.now_us()
        inputs, outputs = _sort_lines(wiring.lines, wiring.seats)
        self._seats: Final = wiring.seats
        self._outputs: Final = Outputs(wiring.factory, outputs, now_us)
        try:
            self._inputs: Final = Inputs(wiring.factory, inputs, wiring.now_us)
        except BaseException:
            self._outputs.close()
            raise
        self._now_us: Final = wiring.now_us
        self._senses: dict[str, Sense] = {}
        # Kept in the order in which they became so; a set has none, and order is part of what is told.
        self._unsettled: dict[Sense, None] = {}
        self._lamps: Final = {
            seat: JackpotLamp(seat, f"lamp_sense.{seat}" in inputs, now_us)
            for seat in range(1, wiring.seats + 1)
            if f"lamp.{seat}" in outputs
        }
        self._reread_at_us = now_us + REREAD_US
        self._port: Final = wiring.port
        self._link: Final = Link(wiring.shoe_boot_id, wiring.shoe_next_seq, now_us)
        self._port_open = False
        self._port_trouble = ""
        self._reopen_at_us = now_us
        self._reopen_pause_us = REOPEN_SOONEST_US
        self._untold: list[Event] = []
        self._believe(now_us)

    # ------------------------------------------------------------------------- what the service calls

    def started(self, software: str) -> Started:
        """What every level is now; called once, before the first `read`.

        Edges before this moment are forgotten. A dark beam follows as an event of the next `read`; door
        and mains are told here, so that what happened to them while no host ran is known.
        """
        self._believe(self._now_us())
        covered: list[SpotAt] = []
        for line, sense in self._senses.items():
            match = _INPUT.fullmatch(line)
            if match and match["spot"] and isinstance(sense, Contact) and sense.level:
                covered.append(SpotAt(int(match["spot_seat"]), cast(Spot, match["spot"])))
        door, mains = self._is_well("door"), self._is_well("mains_well")
        return Started(
            tuple(sorted(covered)),
            meter_well=self._is_well("meter_well") is not False,
            display_well=self._is_well("display_well") is not False,
            software=software,
            door_well=UNSET if door is None else door,
            mains_well=UNSET if mains is None else mains,
        )

    def fds(self) -> list[int]:
        """Descriptors whose readability means `read`. They may change between calls."""
        fds = [self._inputs.fileno()]
        if self._port is not None and self._port_open:
            fd = self._port.fileno()
            if fd is not None:
                fds.append(fd)
        return fds

    def due_at_us(self) -> int:
        """When `read` is wanted even if no descriptor is readable."""
        due = [self._reread_at_us]
        due += [at for sense in self._unsettled if (at := sense.due_at_us()) is not None]
        due += [at for lamp in self._lamps.values() if (at := lamp.due_at_us()) is not None]
        if self._port is not None:
            if (at := self._link.due_at_us()) is not None:
                due.append(at)
            if not self._port_open:
                due.append(self._reopen_at_us)
        return min(due)

    def read(self, now_us: int) -> list[Event]:
        """Everything that has arrived or fallen due: the pins in order of time, then lamps, then the shoe."""
        events: list[Event] = []
        self._read_edges(events, now_us)
        if now_us >= self._reread_at_us:
            self._reread_at_us = now_us + REREAD_US
            self._reread(events, now_us)
        self._settle(events, now_us)
        self._turn_lamps(events, now_us)
        if self._port is not None:
            self._read_shoe(self._port, events, now_us)
        return events

    def show(self, outputs: messages.Outputs, now_us: int) -> None:
        """Set lamps, coin lock-outs, traffic light and call lamp; only what changed is written."""
        if len(outputs.lamps) != self._seats or len(outputs.coin_accept) != self._seats:
            raise ValueError(
                f"outputs for {len(outputs.lamps)} lamps and {len(outputs.coin_accept)} slots; "
                f"this table has {self._seats} seats"
            )
        for seat, lamp in self._lamps.items():
            lamp.show(outputs.lamps[seat - 1], now_us)
            self._outputs.drive(f"lamp.{seat}", lamp.lit, now_us)
        for index, accepts in enumerate(outputs.coin_accept):
            self._outputs.drive(f"coin_accept.{index + 1}", accepts, now_us)
        for colour in ("green", "yellow", "red"):
            self._outputs.drive(f"light.{colour}", outputs.light == colour, now_us)
        self._outputs.drive("call", outputs.call, now_us)

    def acknowledge(self, boot_id: int, next_seq: int) -> None:
        """After the commit: the shoe may forget every card below `next_seq` of that memory."""
        self._link.acknowledge(boot_id, next_seq)
        if self._port is not None and self._port_open:
            self._untold += self._send(self._port, self._now_us())

    def shoe_trouble(self) -> str:
        """For the log: the newest thing that is wrong with the shoe or its line; empty when all is well.

        A port that cannot be used, a broken memory, a shoe of another version, damaged frames.
        """
        return self._port_trouble or self._link.trouble(self._now_us())

    def lines(self, now_us: int) -> LinesView:
        """Every wire as it is now, the last passage of each slot, what the sense lines say, the shoe's line.

        Inputs are read again; what that shows becomes an event by its edge or the next `read`, not here.
        """
        slots = {sense: None for sense in self._senses.values() if isinstance(sense, CoinBeams)}
        senses = (lamp.view() for lamp in self._lamps.values())
        return LinesView(
            (*self._inputs.view(now_us), *self._outputs.view(now_us)),
            tuple(slot.view(now_us) for slot in slots),
            tuple(sense for sense in senses if sense is not None),
            None if self._port is None else self._shoe_view(),
        )

    def close(self) -> None:
        """All outputs low; let go of every wire and of the port."""
        try:
            self._outputs.close()
        finally:
            self._inputs.close()
            if self._port is not None:
                self._port.close()

    # --------------------------------------------------------------------------------- the pins

    def _believe(self, now_us: int) -> None:
        """Take every level as it is, without an event; only a beam that is dark by then becomes one."""
        self._inputs.drain()
        levels = dict(self._inputs.levels())
        self._senses = {}
        for line, level in levels.items():
            match = _INPUT.fullmatch(line)
            assert match is not None, f"line {line!r} has been sorted already"
            if match["spot"]:
                spot, seat = cast(Spot, match["spot"]), int(match["spot_seat"])
                self._senses[line] = Contact(level, ChipsPlaced(spot, seat), ChipsLifted(spot, seat))
            elif match["key"]:
                self._senses[line] = Contact(level, KeyPressed(cast(Key, match["key"])), None)
            elif match["coin_seat"]:
                seat = int(match["coin_seat"])
                a, b = f"coin_a.{seat}", f"coin_b.{seat}"
                self._senses[line] = self._senses.get(a) or CoinBeams(seat, levels[a], levels[b], now_us)
            elif line in HEALTH:
                well, unwell = HealthChanged(HEALTH[line], True), HealthChanged(HEALTH[line], False)
                self._senses[line] = Contact(level, well, unwell)
        self._unsettled = {s: None for s in self._senses.values() if s.due_at_us() is not None}

    def _is_well(self, line: str) -> bool | None:
        """What a health line says; None where it is not wired."""
        sense = self._senses.get(line)
        return sense.level if isinstance(sense, Contact) else None

    def _read_edges(self, events: list[Event], now_us: int) -> None:
        edges, overrun = self._inputs.drain()
        for edge in edges:
            # A key that was steady before a coin fell counts before it, however late both are read.
            self._settle(events, edge.at_us)
            sense = self._senses.get(edge.line)
            if sense is not None:
                self._follow(sense, sense.edge(edge), events)
        for line in sorted(overrun & self._senses.keys()):
            sense = self._senses[line]
            self._follow(sense, sense.resync(Edge(line, self._inputs.level(line), now_us)), events)

    def _reread(self, events: list[Event], now_us: int) -> None:
        for line, level in self._inputs.levels():
            sense = self._senses.get(line)
            if sense is not None:
                self._follow(sense, sense.reread(Edge(line, level, now_us)), events)
        for seat, lamp in self._lamps.items():
            if lamp.is_settled():
                self._sense_lamp(seat, lamp, events, now_us)

    def _settle(self, events: list[Event], now_us: int) -> None:
        if not self._unsettled:
            return
        due = [(at, sense) for sense in self._unsettled if (at := sense.due_at_us()) is not None]
        for _, sense in sorted(due, key=lambda pair: pair[0]):
            self._follow(sense, sense.settle(now_us), events)

    def _follow(self, sense: Sense, event: Event | None, events: list[Event]) -> None:
        """Tell what a sense made of something, and remember whether it wants to be asked again."""
        if event is not None:
            events.append(event)
        if sense.due_at_us() is None:
            self._unsettled.pop(sense, None)
        else:
            self._unsettled[sense] = None

    def _turn_lamps(self, events: list[Event], now_us: int) -> None:
        for seat, lamp in self._lamps.items():
            if lamp.is_sense_due(now_us):
                self._sense_lamp(seat, lamp, events, now_us)
            lamp.turn(now_us)
            self._outputs.drive(f"lamp.{seat}", lamp.lit, now_us)

    def _sense_lamp(self, seat: int, lamp: JackpotLamp, events: list[Event], now_us: int) -> None:
        event = lamp.sense(self._inputs.level(f"lamp_sense.{seat}"), now_us)
        if event is not None:
            events.append(event)

    # --------------------------------------------------------------------------------- the shoe

    def _read_shoe(self, port: Port, events: list[Event], now_us: int) -> None:
        events += self._untold
        self._untold.clear()
        if self._port_open or now_us >= self._reopen_at_us:
            try:
                for _ in range(CHUNKS_A_READ):
                    data = port.read()
                    if not self._port_open:
                        self._port_open = True
                        self._port_trouble = ""
                        self._reopen_pause_us = REOPEN_SOONEST_US
                        self._link.opened(now_us)
                    if not data:
                        break
                    events += self._link.received(data, now_us)
            except OSError as problem:
                events += self._lose_port(port, problem, now_us)
        events += self._link.passed(now_us)
        if self._port_open:
            events += self._send(port, now_us)

    def _shoe_view(self) -> ShoeView:
        link = self._link
        return ShoeView(
            self._port_open,
            link.state,
            link.boot_id,
            max(link.next_seq - 1, 0),
            link.sound_frames,
            link.damaged_frames,
            self.shoe_trouble(),
        )

    def _send(self, port: Port, now_us: int) -> list[Event]:
        data = self._link.to_send()
        if data:
            try:
                port.write(data)
            except OSError as problem:
                return self._lose_port(port, problem, now_us)
        return []

    def _lose_port(self, port: Port, problem: OSError, now_us: int) -> list[Event]:
        """Close the old descriptor before the device comes back, and look for it less and less often."""
        port.close()
        self._port_open = False
        self._port_trouble = str(problem)
        self._reopen_at_us = now_us + self._reopen_pause_us
        self._reopen_pause_us = min(2 * self._reopen_pause_us, REOPEN_LATEST_US)
        return self._link.closed()


def _sort_lines(lines: Mapping[str, int], seats: int) -> tuple[dict[str, int], dict[str, int]]:
    """Inputs and outputs; a name that no wire has, or half a coin slot, is refused."""
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}
    for line, number in lines.items():
        is_input = _INPUT.fullmatch(line)
        match = is_input or _OUTPUT.fullmatch(line)
        if match is None:
            raise WiringError(f"line {line!r} is not known; PROTOCOL.md, The pins, lists all names")
        for name, seat in match.groupdict().items():
            if name.endswith("seat") and seat is not None and int(seat) > seats:
                raise WiringError(f"line {line!r}: this table has the seats 1 to {seats}")
        (inputs if is_input else outputs)[line] = number
    for whole, half in (("coin_a", "coin_b"), ("coin_b", "coin_a"), ("lamp_sense", "lamp")):
        for seat in range(1, seats + 1):
            if f"{whole}.{seat}" in lines and f"{half}.{seat}" not in lines:
                raise WiringError(f"line '{whole}.{seat}' needs a line '{half}.{seat}' beside it")
    return inputs, outputs
