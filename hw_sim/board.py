"""The simulated board: the level of every wire of the table, and nothing that thinks.

A `Board` holds what hands have done (chips lie on sensors, a beam is dark) and what the service has
done (a lamp is driven), and the physics between the two. It never sleeps, reads no clock of its own
and has no thread: whoever moves a wire pays for the calls that follow from it. `hw_sim/server.py` makes
a process of it, so that the service can be killed while the chips stay where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

LINES: Final = 256

# A broken or dark-reading phototransistor and a token look alike; see PROTOCOL.md, coin beams.
BEAM_DARK: Final = 1
BEAM_CLEAR: Final = 0

HEALTH_LINES: Final = ("meter_well", "display_well", "door", "mains_well")
LIGHT_COLOURS: Final = ("green", "yellow", "red")

# A blinking lamp is lit and dark for 500 ms each; the tolerance is what a busy computer adds.
BLINK_SHORTEST_US: Final = 400_000
BLINK_LONGEST_US: Final = 600_000

Listener = Callable[[int, int], None]


class WiringError(Exception):
    """A wire was asked for that the table does not have, or that cannot do what was asked."""


class Board:
    """Levels of all wires of one table.

    `lines` maps line names (`ante.1`, `lamp.1`, `key.lock`) to pin numbers 0..255, `now_us` tells
    the time in microseconds; it is only used to remember when an output last changed.
    `levels` is the level of each pin number (0 low, 1 high) as the service can read it.
    """

    # A board in the same process cannot be out of reach; see `hw_sim.pins.Wires`.
    gone: Final = ""

    def __init__(self, lines: Mapping[str, int], seats: int, now_us: Callable[[], int]) -> None:
        self.lines: Final = dict(lines)
        self.seats: Final = seats
        self.now_us: Final = now_us
        self.levels: Final = bytearray(LINES)
        self._true: Final = bytearray(LINES)
        self._frozen: set[int] = set()
        self._dead_lamps: set[int] = set()
        self._listeners: list[Listener] = []
        self._wired: Final = self._name_of_each_pin()
        self._outputs: Final = {number for name, number in self.lines.items() if is_output(name)}
        self._held: set[int] = set(self._wired)
        self._sense_of_lamp: Final = {
            number: self.lines[name.replace("lamp.", "lamp_sense.")]
            for name, number in self.lines.items()
            if name.startswith("lamp.") and name.replace("lamp.", "lamp_sense.") in self.lines
        }
        # Two last changes of each output, newest first: enough to tell blinking from dark.
        self._changed_us: dict[int, tuple[int, int]] = {}
        for name in HEALTH_LINES:
            if name in self.lines:
                self.set(name, 1)

    def _name_of_each_pin(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for name, number in self.lines.items():
            if not 0 <= number < LINES:
                raise WiringError(f"line {name}: pin {number} is not one of 0..{LINES - 1}")
            if number in names:
                raise WiringError(f"pin {number} is wired to {names[number]} and to {name}")
            names[number] = name
        return names

    def edge_us(self) -> int:
        """When the change happened that listeners are being told of: now, for they are told at once."""
        return self.now_us()

    # ------------------------------------------------------------------- what hands and faults do

    def pin(self, name: str) -> int:
        """The pin number of a line; a line that this table does not have is refused by its name."""
        try:
            return self.lines[name]
        except KeyError:
            raise WiringError(f"this table has no line {name!r}") from None

    def set(self, name: str, level: int) -> None:
        """A hand, a token or a fault gives an input line a level; a frozen sensor does not show it."""
        number = self.pin(name)
        if number in self._outputs:
            raise WiringError(f"line {name!r} is an output: only the service drives it")
        self._true[number] = level
        if number not in self._frozen:
            self._show(number, level)

    def freeze(self, name: str) -> None:
        """The sensor goes on showing the level it shows now, whatever lies on it."""
        self._frozen.add(self.pin(name))

    def thaw(self, name: str) -> None:
        """The sensor shows again what lies on it."""
        number = self.pin(name)
        self._frozen.discard(number)
        self._show(number, self._true[number])

    def kill_lamp(self, seat: int) -> None:
        """The lamp of that seat gives no light, and its sense line stays low."""
        self._dead_lamps.add(self.pin(f"lamp.{seat}"))
        self._follow(self.pin(f"lamp.{seat}"))

    def mend_lamp(self, seat: int) -> None:
        """The lamp of that seat is a new one."""
        self._dead_lamps.discard(self.pin(f"lamp.{seat}"))
        self._follow(self.pin(f"lamp.{seat}"))

    # ----------------------------------------------------------------------------- what eyes see

    def lamp_lit(self, seat: int) -> bool:
        """Whether a person sees the jackpot lamp of that seat lit, be it steady or blinking.

        A blinking lamp is also dark half of the time: it counts as lit while it is low if it went
        dark no longer than one half period ago after having been lit for just one half period.
        """
        number = self.pin(f"lamp.{seat}")
        if number in self._dead_lamps:
            return False
        if self.levels[number]:
            return True
        if number not in self._changed_us:
            return False
        fell_us, rose_us = self._changed_us[number]
        was_one_half_period = BLINK_SHORTEST_US <= fell_us - rose_us <= BLINK_LONGEST_US
        return was_one_half_period and self.now_us() - fell_us <= BLINK_LONGEST_US

    def light(self) -> str:
        """The colour of the traffic light: green, yellow, red, off, or several joined by `+`."""
        lit = [
            colour
            for colour in LIGHT_COLOURS
            if f"light.{colour}" in self.lines and self.levels[self.lines[f"light.{colour}"]]
        ]
        return "+".join(lit) or "off"

    def is_on(self, name: str) -> bool:
        """Whether a line is high now, input or output, as it can be measured at its clamp."""
        return bool(self.levels[self.pin(name)])

    # ------------------------------------------------------------------- what a pin factory does

    def drive(self, number: int, level: int) -> None:
        """The service drives a pin high or low; driving a wire that is an input is refused."""
        if number in self._wired and number not in self._outputs:
            raise WiringError(f"pin {number} is {self._wired[number]}, an input of the table")
        self._held.add(number)
        if self.levels[number] != level:
            self.levels[number] = level
            newest_us, _ = self._changed_us.get(number, (0, 0))
            self._changed_us[number] = (self.now_us(), newest_us)
            self._follow(number)

    def pull(self, number: int, direction: str) -> None:
        """The service connects a pull resistor (`up`, `down`, `floating`).

        It moves only a pin that nothing is wired to: a level that somebody set is stronger.
        """
        if number not in self._held and direction != "floating":
            self._show(number, 1 if direction == "up" else 0)

    def watch(self, listener: Listener) -> None:
        """From now on `listener(pin number, level)` is called for each change of an input."""
        self._listeners.append(listener)

    def leave(self, listener: Listener) -> None:
        """The service lets go of the wires, or died: the listener is called no more, all outputs fall low.

        The hardware of the table does the same without asking; PROTOCOL.md, 4.3.
        """
        self._listeners.remove(listener)
        self.drop_outputs()

    def drop_outputs(self) -> None:
        """All outputs fall low, and no lamp counts as blinking."""
        for number in self._outputs:
            self.drive(number, 0)
        self._changed_us.clear()

    def _follow(self, lamp: int) -> None:
        """The sense line of a lamp follows its output unless the lamp is dead."""
        if lamp in self._sense_of_lamp:
            sense = self._sense_of_lamp[lamp]
            self._true[sense] = 1 if self.levels[lamp] and lamp not in self._dead_lamps else 0
            if sense not in self._frozen:
                self._show(sense, self._true[sense])

    def _show(self, number: int, level: int) -> None:
        if self.levels[number] != level:
            self.levels[number] = level
            for listener in tuple(self._listeners):
                listener(number, level)


def is_output(name: str) -> bool:
    """Whether a line is driven by the service."""
    return name == "call" or name.startswith(("lamp.", "coin_accept.", "light."))
