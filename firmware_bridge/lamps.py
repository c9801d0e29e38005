"""The outputs of the table: jackpot lamps with their sense lines, coin lock-outs, lights.

`Outputs` owns the gpiozero devices and writes only what changed. `JackpotLamp` is pure: it knows what
the lamp shall show, when a blinking one turns over, and when its sense line must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpiozero import OutputDevice

from firmware_bridge.lines import Agreement, LineView, SenseView, Trace
from table_controller.table.messages import Event, LampFailed, LampMended, LampView

HALF_PERIOD_US: Final = 500_000
SENSE_US: Final = 50_000
SENSE_AGAIN_US: Final = 200_000


class Outputs:
    """The output wires of the table, by line name; all low to begin with and at the end."""

    def __init__(self, factory: Any, lines: Mapping[str, int], now_us: int) -> None:
        self._devices: Final[dict[str, Any]] = {}
        self._traces: Final[dict[str, Trace]] = {}
        try:
            for line, number in lines.items():
                self._devices[line] = OutputDevice(number, initial_value=False, pin_factory=factory)
                self._traces[line] = Trace(False, now_us)
        except BaseException:
            self.close()
            raise

    def drive(self, line: str, level: bool, now_us: int) -> None:
        """Give a line a level, if it has another. A line that the table does not have is skipped."""
        trace = self._traces.get(line)
        if trace is not None and trace.level != level:
            self._devices[line].pin.state = level
            trace.turn(level, now_us)

    def view(self, now_us: int) -> list[LineView]:
        """Every wire as it is set, and how it has changed."""
        return [trace.view(line, "out", now_us) for line, trace in self._traces.items()]

    def close(self) -> None:
        """All dark, and let go of the wires."""
        for line, trace in self._traces.items():
            self.drive(line, False, trace.since_us)
        for device in self._devices.values():
            device.close()
        self._devices.clear()
        self._traces.clear()


class JackpotLamp:
    """The lamp of one seat: what its wire shall be now, and whether its sense line agrees."""

    def __init__(self, seat: int, has_sense: bool, now_us: int) -> None:
        self.lit = False
        self._seat: Final = seat
        self._view: LampView = "off"
        self._turn_at_us: int | None = None
        self._sense_at_us: int | None = now_us + SENSE_US if has_sense else None
        self._has_sense: Final = has_sense
        self._failed_at_level: bool | None = None
        self._doubted = False

    def show(self, view: LampView, now_us: int) -> None:
        """What the lamp shall show from now on. A blinking lamp begins lit."""
        if view == self._view:
            return
        self._view = view
        self._turn_at_us = now_us + HALF_PERIOD_US if view == "blink" else None
        self._light(view != "off", now_us)

    def turn(self, now_us: int) -> None:
        """A blinking lamp turns over when its half period is over; after a long pause once."""
        if self._turn_at_us is not None and now_us >= self._turn_at_us:
            late_us = now_us - self._turn_at_us
            self._turn_at_us = now_us + HALF_PERIOD_US - late_us % HALF_PERIOD_US
            self._light(not self.lit, now_us)

    def is_sense_due(self, now_us: int) -> bool:
        """Whether the sense line has had its time after the last change and was not compared yet."""
        return self._sense_at_us is not None and now_us >= self._sense_at_us

    def is_settled(self) -> bool:
        """Whether the sense line can be compared at any time: nothing has changed since it last was."""
        return self._has_sense and self._sense_at_us is None

    def sense(self, level: bool, now_us: int) -> Event | None:
        """The sense line shows `level`, at least 50 ms after the last change of the lamp.

        One disagreement is looked at again before it is believed: a lamp is never called dead for a
        sense line that was slow once.
        """
        self._sense_at_us = None
        doubted, self._doubted = self._doubted, level != self.lit
        if level != self.lit:
            if self._failed_at_level is None and not doubted:
                self._sense_at_us = now_us + SENSE_AGAIN_US
            elif self._failed_at_level is None:
                self._failed_at_level = self.lit
                return LampFailed(self._seat)
        elif self._failed_at_level == self.lit:
            # A dead lamp that shall be dark agrees too; only the state that failed proves the repair.
            self._failed_at_level = None
            return LampMended(self._seat)
        return None

    def view(self) -> SenseView | None:
        """What the sense line says; None where there is none."""
        agreement: Agreement = "agrees"
        if self._failed_at_level is not None:
            agreement = "contradicts"
        elif self._doubted:
            agreement = "doubted"
        elif self._sense_at_us is not None:
            agreement = "waits"
        return SenseView(self._seat, agreement) if self._has_sense else None

    def due_at_us(self) -> int | None:
        """When `turn` or `sense` is to be called; None: not of itself."""
        return min((at for at in (self._turn_at_us, self._sense_at_us) if at is not None), default=None)

    def _light(self, lit: bool, now_us: int) -> None:
        if lit != self.lit:
            self.lit = lit
            self._doubted = False
            if self._has_sense:
                self._sense_at_us = now_us + SENSE_US
