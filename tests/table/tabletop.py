"""The pure table driven with the words of the plays: no wires, no journal, no clock that runs.

Below the whole program this is the fastest place to see what a rule does. It checks the invariants
of the state after every message, which the whole program does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast, get_args

import msgspec

from hw_sim.script import Play
from hw_sim.words import COMMANDS, Line, parse_line
from table_controller.engine.house_rules import parse_house_rules
from table_controller.presets import preset_text
from table_controller.table import messages as m
from table_controller.table.state import TableState, decode_state, encode_state, new_state
from table_controller.table.step import due_at_ms, step
from table_controller.table.views import outputs, snapshot

WALL_MS = 1_790_000_000_000
PEOPLE = ("ann", "ben")
F = TypeVar("F", bound=m.Fact)


class Mismatch(AssertionError):
    """The table is not as the play says it must be."""


class TableTop:
    """One table, its felt and its shoe, as far as messages go.

    It is installed by two people and its first round is open; with `gaming_day` the day has yet to be opened.
    """

    def __init__(
        self, house_rules: str, seats: int = 7, *, gaming_day: bool = False, walk: bool = False
    ) -> None:
        rules = parse_house_rules(house_rules, preset_text, "play")
        self.house = m.House("T1", seats, rules, gaming_day=gaming_day, walk=walk)
        self.state: TableState = new_state(self.house)
        self.at_ms = 0
        self.wall_ms = WALL_MS
        self.alarms: list[str] = []
        self.facts: list[m.Fact] = []
        self.refused = ""
        self.covered: set[tuple[m.Spot, int]] = set()
        self.felt: set[tuple[m.Spot, int]] = set()
        self.frozen: set[tuple[m.Spot, int]] = set()
        self.dead_lamps: set[int] = set()
        self.well: dict[m.HealthLine, bool] = {"meter": True, "display": True}
        self.skip = 0
        self.lost = 0
        self.away = False
        self.queue: list[m.AnyEvent] = []
        self.seq = 0
        self.on = True
        self.send(m.Installed(self.house, PEOPLE, "A-1", "test", ""))
        self.send(self.started())
        self.send(m.ShoeFound(7, 1))
        if not gaming_day:
            self.send(m.KeyPressed("open"))

    def started(self) -> m.Started:
        """What the service says of the table when it starts."""
        spots = tuple(sorted(m.SpotAt(seat, spot) for spot, seat in self.covered))
        return m.Started(spots, self.well["meter"], self.well["display"], "test", self.house)

    def send(self, message: m.AnyMessage) -> None:
        """One message, as the service would hand it over."""
        before = encode_state(self.state)
        stamp = m.Stamp(self.at_ms, self.wall_ms + self.at_ms)
        self.state, facts = step(self.house, self.state, stamp, message)
        if message.__class__ is m.Said or isinstance(message, m.KeyPressed):
            self.refused = next(
                (fact.reason for fact in facts if isinstance(fact, m.CommandRefused | m.KeyRefused)), ""
            )
            if self.refused and encode_state(self.state) != before:
                raise Mismatch(f"the refusal of {message} changed the table")
        self.facts += facts
        self._check()
        for alarm in self.state.alarms:
            if alarm.alarm not in self.alarms:
                self.alarms.append(alarm.alarm)
        lamps = outputs(self.house, self.state, self.at_ms).lamps
        for seat in self.dead_lamps:
            if lamps[seat - 1] != "off" and seat not in self.state.lamps_failed:
                self.send(m.LampFailed(seat))

    def _check(self) -> None:
        if encode_state(decode_state(encode_state(self.state))) != encode_state(self.state):
            raise Mismatch("the state does not survive its own encoding")
        if self.state.meter is not None and not self.state.meter.balances:
            raise Mismatch(f"the meter does not balance: {self.state.meter}")
        msgspec.json.encode(snapshot(self.house, self.state, self.at_ms))

    def wait(self, ms: int) -> None:
        """Time passes; the table is woken whenever it asked to be."""
        until = self.at_ms + ms
        while self.on:
            due = due_at_ms(self.house, self.state)
            if due is None or due > until:
                break
            self.at_ms = max(self.at_ms, due)
            self.send(m.TimePassed())
        self.at_ms = until

    def say(self, command: dict[str, object], role: m.Role = "dealer", operator: str = "") -> None:
        """A command with its role."""
        made = msgspec.convert(command, m.AnyCommand)
        self.send(m.Said(made, operator or role, role, "play"))

    def word(
        self,
        command: m.AnyCommand,
        operator: str = "ann",
        role: m.Role = "supervisor",
        reason: str = "because",
    ) -> str:
        """Somebody says it; why it is refused, empty if it is not."""
        self.send(m.Said(command, operator, role, reason))
        return self.refused

    def both(self, command: m.AnyCommand) -> str:
        """A supervisor says it and a dealer says the same; the first refusal, empty if there is none."""
        return self.word(command) or self.word(command, "ben", "dealer")

    def run(self, script: str) -> TableTop:
        """Lines of a script, one after the other; a refused one may be followed by `see refused`."""
        for number, text in enumerate(script.strip().splitlines(), start=1):
            self.refused = "" if not text.startswith("see") else self.refused
            self.do(parse_line(text, number))
        return self

    def told(self, kind: type[F]) -> list[F]:
        """The facts of that kind, from the beginning."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def lit(self, seat: int) -> bool:
        """The jackpot lamp of a seat gives light."""
        lamp = outputs(self.house, self.state, self.at_ms).lamps[seat - 1]
        return lamp != "off" and seat not in self.dead_lamps

    # ----------------------------------------------------------------------------- the words

    def do(self, line: Line) -> None:
        """One line of a script."""
        self.at_ms += 100
        first, _, rest = line.word.partition(" ")
        args: tuple[Any, ...] = line.args
        hands: dict[str, Callable[[], None]] = {
            "ante": lambda: self._lay("ante", *args),
            "bonus": lambda: self._lay("bonus", *args),
            "raise": lambda: self._lay("raise", *args),
            "lift": lambda: self._cover(cast(m.Spot, rest), args[0], False),
            "coin": lambda: self._hear(m.CoinDropped(args[0])),
            "deal": lambda: self._deal(args[0]),
            "wait": lambda: self.wait(args[0]),
            "fault": lambda: self._fault(True, rest, args),
            "mend": lambda: self._fault(False, rest, args),
            "power": lambda: self._power(rest == "on"),
            "see": lambda: self._see(rest, args),
        }
        if line.word in get_args(m.Key):
            self._key(cast(m.Key, line.word))
        elif line.word not in COMMANDS:
            hands[first]()
        else:
            command = COMMANDS[line.word](*args)
            self.say(command, "supervisor" if first == "sup" else "dealer")
            if line.word in ("sup confirm", "sup reject") and not self.refused:
                self.say(command, "dealer", "witness")

    def _hear(self, event: m.AnyEvent) -> None:
        """Something happens at the table; a service without power does not hear it."""
        if self.on:
            self.send(event)

    def _power(self, on: bool) -> None:
        self.on = on
        if on:
            self.send(self.started())
            if self.away:
                self.send(m.ShoeLost())
            self._shoe_speaks()

    def _lay(self, spot: m.Spot, seat: int, cents: int | None) -> None:
        self._cover(spot, seat, True)
        if cents is not None and self.on:
            self.say({"type": "SetAmount", "spot": spot, "seat": seat, "cents": cents})

    def _cover(self, spot: m.Spot, seat: int, covered: bool) -> None:
        (self.felt.add if covered else self.felt.discard)((spot, seat))
        if (spot, seat) in self.frozen or ((spot, seat) in self.covered) == covered:
            return
        (self.covered.add if covered else self.covered.discard)((spot, seat))
        self._hear(m.ChipsPlaced(spot, seat) if covered else m.ChipsLifted(spot, seat))

    def _key(self, key: m.Key) -> None:
        self.send(m.KeyPressed(key))
        if key == "clear" and not self.refused:
            self._clear_felt()

    def _clear_felt(self) -> None:
        for spot, seat in sorted(self.felt):
            self._cover(spot, seat, False)

    def _deal(self, cards: tuple[str, ...]) -> None:
        for card in cards:
            self.seq += 1
            if self.skip:
                self.skip -= 1
                self.lost += 1
                continue
            if self.lost:
                self.queue.append(m.FrameLost(self.lost, self.seq - self.lost))
                self.lost = 0
            face = card.removesuffix("^")
            unread = face == "??"
            self.queue.append(
                m.CardUnreadable(self.seq) if unread else m.CardScanned(face, card != face, self.seq)
            )
        if not self.away and self.on:
            self._send_queue()

    def _send_queue(self) -> None:
        for event in self.queue:
            self.send(event)
        self.queue = []

    def _shoe_speaks(self) -> None:
        if not self.away:
            self.send(m.ShoeFound(7, self.state.shoe_next_seq))
            self._send_queue()

    def _fault(self, on: bool, name: str, args: tuple[Any, ...]) -> None:
        if name == "shoe_skip":
            self.skip += on
        elif name == "sensor_stuck":
            (self.frozen.add if on else self.frozen.discard)(args)
            self._cover(args[0], args[1], args in self.felt)
        elif name == "lamp_dead":
            seat: int = args[0]
            (self.dead_lamps.add if on else self.dead_lamps.discard)(seat)
            if outputs(self.house, self.state, self.at_ms).lamps[seat - 1] != "off":
                self._hear(m.LampFailed(seat) if on else m.LampMended(seat))
        elif name in ("meter_down", "display_down"):
            line = cast(m.HealthLine, name.removesuffix("_down"))
            self.well[line] = not on
            self._hear(m.HealthChanged(line, not on))
        elif name == "shoe_unplugged":
            self.away = on
            if on:
                self._hear(m.ShoeLost())
            elif self.on:
                self._shoe_speaks()
        elif on:
            self._hear(m.BadFrame() if name == "shoe_noise" else m.CoinFaulted(args[0], "stuck"))

    def _see(self, what: str, args: tuple[Any, ...]) -> None:
        if what == "alarm" and args[0] not in self.alarms:
            self.wait(2000)
        found: object
        if what == "phase":
            found = self.state.shown
        elif what == "lamp":
            found, args = ("on" if self.lit(args[0]) else "off"), args[1:]
        elif what == "meter":
            found = self.state.meter.cents if self.state.meter else None
        elif what == "alarm":
            found = args[0] if args[0] in self.alarms else self.alarms
        elif what == "hold":
            holds = [hold.reason for hold in self.state.holds]
            found = args[0] if args[0] in holds else holds
        else:
            found, args = bool(self.refused), (True,)
        if found != args[0]:
            raise Mismatch(f"see {what}: {args[0]}, got {found}")

    # ------------------------------------------------------------------------------- results

    def play(self, play: Play) -> list[str]:
        """Play it; what differs, in words."""
        lines = play.lines
        for index, line in enumerate(lines):
            try:
                if not line.word.startswith("see"):
                    self.refused = ""
                self.do(line)
            except Mismatch as mismatch:
                return [f"line {line.number} '{line.text}': {mismatch}"]
            refusal_seen = index + 1 < len(lines) and lines[index + 1].word == "see refused"
            if self.refused and not refusal_seen and not line.word.startswith("see"):
                return [f"line {line.number} '{line.text}': refused: {self.refused}"]
        return self._differences(play)

    def _differences(self, play: Play) -> list[str]:
        if any(seat.stack(spot).judge_at_ms for seat in self.state.seats for spot in get_args(m.Spot)):
            self.wait(1000)
        view = snapshot(self.house, self.state, self.at_ms)
        expected = play.expected
        got: dict[str, object] = {
            "round": "hold" if view.holds else view.result or view.phase,
            "alarms": tuple(self.alarms),
            "lamps": tuple(seat for seat in range(1, 8) if self.lit(seat)),
        }
        want: dict[str, object] = {"round": expected.round}
        if expected.alarms is not None:
            want["alarms"] = expected.alarms
        if expected.lamps is not None:
            want["lamps"] = expected.lamps
        for name, cents in expected.amounts.items():
            want[name] = cents
            key = "cents" if name == "meter" else f"{name}_cents"
            got[name] = getattr(view.meter, key) if view.meter else None
        for seat, stakes in expected.seats.items():
            for stake, text in stakes.items():
                want[f"seat {seat} {stake}"] = text
                got[f"seat {seat} {stake}"] = view.seats[seat - 1].results.get(stake, "none")
        return [f"{key}: expected {want[key]}, got {got[key]}" for key in want if want[key] != got[key]]
