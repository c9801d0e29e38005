"""A bridge on a simulated board and shoe, in one process, on a clock that only the test moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.bridge import Bridge, Wiring
from hw_sim.board import Board
from hw_sim.pins import SimFactory
from hw_sim.shoe import LocalPort, SimShoe
from table_controller.lines import default_lines
from table_controller.table.messages import Event, LampView, Light, Outputs

MS = 1_000
SECOND = 1_000_000


class Clock:
    """Microseconds that pass when the test says so."""

    def __init__(self, at_us: int = SECOND) -> None:
        self.at_us = at_us

    def now_us(self) -> int:
        return self.at_us


class Rig:
    """A table of `seats` seats: wires below, the bridge under test above."""

    def __init__(
        self,
        seats: int = 7,
        lines: Mapping[str, int] | None = None,
        shoe: bool = True,
        before_start: Callable[[Board], None] = lambda board: None,
    ) -> None:
        self.clock = Clock()
        self.seats = seats
        self.board = Board(default_lines(seats) if lines is None else lines, seats, self.clock.now_us)
        before_start(self.board)
        self.shoe = SimShoe(boot_id=77)
        self.factory = SimFactory(board=self.board)
        self.bridge = self.build(shoe)

    def build(self, shoe: bool = True, boot_id: int = 0, next_seq: int = 0) -> Bridge:
        return Bridge(
            Wiring(
                factory=self.factory,
                lines=self.board.lines,
                seats=self.seats,
                port=LocalPort(self.shoe, self.clock.now_us) if shoe else None,
                now_us=self.clock.now_us,
                shoe_boot_id=boot_id,
                shoe_next_seq=next_seq,
            )
        )

    def read(self) -> list[Event]:
        return self.bridge.read(self.clock.at_us)

    def advance(self, us: int) -> list[Event]:
        """Let time pass; the bridge reads whenever it wants to, and when the shoe has sent something."""
        events: list[Event] = []
        until_us = self.clock.at_us + us
        while self.clock.at_us < until_us:
            due = [until_us, self.bridge.due_at_us(), self.shoe.due_at_us() or until_us]
            self.clock.at_us = min(at for at in due if at > self.clock.at_us)
            events += self.read()
            # An answer of the shoe to what this reading said is on the line at once.
            events += self.read()
        return events

    def coin(self, seat: int, step_us: int = 10 * MS) -> None:
        """A token falls past both beams; the bridge is not asked meanwhile."""
        for line, level in (("coin_a", 1), ("coin_b", 1), ("coin_a", 0), ("coin_b", 0)):
            self.board.set(f"{line}.{seat}", level)
            self.clock.at_us += step_us
        self.clock.at_us -= step_us

    def outputs(
        self, lamps: Mapping[int, LampView] | None = None, light: Light = "off", call: bool = False
    ) -> Outputs:
        lamps = lamps or {}
        seats = range(1, self.seats + 1)
        return Outputs(tuple(lamps.get(seat, "off") for seat in seats), (True,) * self.seats, light, call)

    def show(self, outputs: Outputs) -> None:
        self.bridge.show(outputs, self.clock.at_us)
