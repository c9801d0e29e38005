"""One play performed at one table: hands do what the script says, people say it, eyes look.

Everything is judged by what the table published and by what its lamps show. Where the table stands
(this process, or processes of its own) is the business of the `Stage`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

from hw_sim.client import Json, TableClient, TableSilent, UnknownMessage, order_of
from hw_sim.script import Play
from hw_sim.table import HandError, Hands
from hw_sim.words import COMMANDS, FAULTS, KEYS, SEATS, SPOTS, STAKES, Line

# What the contract of the plays gives the table to commit and to show.
PATIENCE_MS = 2_000
# A fault that the table may or may not notice at once; longer than every debounce.
NOTICE_MS = 300
RETRY_MS = 500

DEALER = ("dealer", "dealer", "")
SUPERVISOR = ("supervisor", "supervisor", "play")
WITNESS = ("witness", "dealer", "play")


class StageError(Exception):
    """The play cannot go on: the table does not start, has ended, or is silent."""


class Stage(Protocol):
    """A table to perform at, with time that belongs to it."""

    @property
    def client(self) -> TableClient:
        """What the table publishes and where it is spoken to."""

    @property
    def hands(self) -> Hands:
        """The hands and eyes at its wires."""

    @property
    def powered(self) -> bool:
        """Whether the service runs."""

    def until(self, condition: Callable[[], bool], timeout_ms: int) -> bool:
        """Lets the table work until the condition holds; False once `timeout_ms` have passed."""

    def wait(self, wait_ms: int) -> None:
        """Lets that much of the table's time pass."""

    def power_off(self) -> None:
        """Kills the service without warning; everything stays where it lies."""

    def power_on(self) -> None:
        """Starts the service and returns when it has published its first snapshot."""


class Record:
    """What the snapshots of a play have told: the newest alarm at the end, each name once."""

    def __init__(self) -> None:
        self.alarms: list[str] = []

    def take(self, envelope: Json) -> None:
        """Takes one snapshot envelope in; for `TableClient(on_state=...)`."""
        for raised in envelope["body"]["alarms"]:
            if raised["alarm"] not in self.alarms:
                self.alarms.append(raised["alarm"])


class Performance:
    """Performs one play at one stage; made for one use."""

    def __init__(self, play: Play, stage: Stage, record: Record) -> None:
        self._play = play
        self._stage = stage
        self._record = record
        self._facts: list[Json] = []
        self._differences: list[str] = []
        self._refusal = ""
        self._changed: list[str] = []
        self._unplugged = False
        self._skipped = 0
        self._dead_lamps: set[int] = set()
        # Cards that left the shoe and that the table cannot know yet: how many, and after how many.
        self._unseen = 0
        self._seen_cards = 0
        self._acts: dict[str, Callable[..., None]] = {
            **{spot: partial(self._lay, spot) for spot in SPOTS},
            **{f"lift {spot}": partial(self._lift, spot) for spot in SPOTS},
            "coin": self._coin,
            "deal": self._deal,
            **{key: partial(self._key, key) for key in KEYS},
            "wait": stage.wait,
            **{f"fault {name}": partial(self._fault, name) for name in FAULTS},
            **{f"mend {name}": partial(self._mend, name) for name in FAULTS},
            "power off": stage.power_off,
            "power on": self._power_on,
        }

    def run(self) -> list[str]:
        """Performs the play. Returns what differed from it, one sentence each; nothing if it came true."""
        try:
            self._open_table()
            self._script(self._play.lines)
            if not self._differences:
                self._stage.until(lambda: not self._unmet(), PATIENCE_MS)
                self._differences += self._unmet()
        except (StageError, HandError, TableSilent, UnknownMessage) as error:
            self._differences.append(f"{type(error).__name__}: {error}")
        return self._differences

    def _open_table(self) -> None:
        if not self._stage.until(lambda: self._state["shoe"], PATIENCE_MS):
            raise StageError("the table does not find its shoe")
        self._key("open")
        if self._refusal:
            raise StageError(f"the key open is refused before the first line: {self._refusal}")

    def _script(self, lines: Sequence[Line]) -> None:
        for line, following in pairwise((*lines, None)):
            assert line is not None
            if line.word == "see refused":
                self._see_refused(line)
            else:
                self._refusal = ""
                self._do(line)
                if self._refusal and (following is None or following.word != "see refused"):
                    self._differ(line, f"expected to be accepted, got refused: {self._refusal}")
            if self._differences:
                return

    def _differ(self, line: Line, what: str) -> None:
        self._differences.append(f"line {line.number} ({line.text}): {what}")

    @property
    def _state(self) -> Json:
        return self._stage.client.state

    # ------------------------------------------------------------------------------ at the table

    def _do(self, line: Line) -> None:
        args: tuple[Any, ...] = line.args
        if line.word in COMMANDS:
            self._speak(line.word, COMMANDS[line.word](*args))
        elif line.word.startswith("see "):
            self._see(line, line.word.removeprefix("see "), args)
        else:
            self._acts[line.word](*args)

    def _speak(self, word: str, command: Json) -> None:
        """Lets those say it whose word it is; a second person is asked only if the first was heard."""
        self._say(command, SUPERVISOR if word.startswith("sup ") else DEALER)
        if word in ("sup confirm", "sup reject") and not self._refusal:
            self._say(command, WITNESS)

    def _lay(self, spot: str, seat: int, cents: int | None) -> None:
        self._stage.hands.do(spot, str(seat))
        self._chips_shown([(spot, seat)])
        if cents is not None and self._stage.powered:
            self._say({"type": "SetAmount", "spot": spot, "seat": seat, "cents": cents}, DEALER)
        self._dead_lamps_found()

    def _lift(self, spot: str, seat: int) -> None:
        self._stage.hands.lift(spot, seat)
        self._chips_shown([(spot, seat)])

    def _chips_shown(self, spots: Sequence[tuple[str, int]]) -> None:
        """Waits until the table shows what those sensors show, a frozen one too."""
        if self._stage.powered:
            wires = self._stage.hands.look()["lines"]
            self._stage.until(
                lambda: all(self._chips(spot, seat) == bool(wires[f"{spot}.{seat}"]) for spot, seat in spots),
                PATIENCE_MS,
            )

    def _chips(self, spot: str, seat: int) -> bool:
        return bool(self._state["seats"][seat - 1][spot]["chips"])

    def _coin(self, seat: int) -> None:
        mark = self._mark()
        self._stage.hands.coin(seat)
        if self._stage.powered:
            self._stage.until(
                lambda: any(_is_about_coin(fact, seat) for fact in self._since(mark)), PATIENCE_MS
            )
        self._dead_lamps_found()

    def _dead_lamps_found(self) -> None:
        """Waits until the table has noticed every dead lamp that it lights: its sense takes a moment."""
        if self._dead_lamps and self._stage.powered:
            self._stage.until(
                lambda: all(
                    self._state["seats"][seat - 1]["lamp"] == "off"
                    or self._state["seats"][seat - 1]["lamp_dead"]
                    for seat in self._dead_lamps
                ),
                NOTICE_MS,
            )

    def _deal(self, cards: Sequence[str]) -> None:
        for card in cards:
            self._card(card)

    def _card(self, card: str) -> None:
        before = self._state["cards_out"]
        self._stage.hands.deal(card)
        if self._skipped:
            # The event of this card is lost; only the next card tells the table that it left.
            self._skipped -= 1
            self._hide_card(before)
        elif self._unplugged or not self._stage.powered:
            self._hide_card(before)
        else:
            out = (self._seen_cards + self._unseen if self._unseen else before) + 1
            self._unseen = 0
            self._stage.until(lambda: self._state["cards_out"] >= out, PATIENCE_MS)

    def _hide_card(self, before: int) -> None:
        if not self._unseen:
            self._seen_cards = before
        self._unseen += 1

    def _power_on(self) -> None:
        self._stage.power_on()
        self._shoe_is_back()

    def _shoe_is_back(self) -> None:
        """Waits until the table hears the shoe and knows the cards that left it meanwhile."""
        if self._unplugged or not self._stage.powered:
            return
        self._stage.until(lambda: self._state["shoe"], PATIENCE_MS)
        if self._unseen and not self._skipped:
            out, self._unseen = self._seen_cards + self._unseen, 0
            self._stage.until(lambda: self._state["cards_out"] >= out, PATIENCE_MS)

    def _key(self, key: str) -> None:
        mark = self._mark()
        if not self._stage.powered:
            self._stage.hands.key(key)
            return
        before = self._state
        self._stage.hands.key(key)
        answers: list[Json] = []

        def answered() -> bool:
            answers.extend(fact for fact in self._since(mark) if _is_answer_to(fact["body"], key))
            return bool(answers)

        if not self._stage.until(answered, PATIENCE_MS):
            raise StageError(f"key {key}: neither taken nor refused within {PATIENCE_MS} ms")
        order = order_of(answers[0])
        self._stage.until(lambda: self._stage.client.order >= order, PATIENCE_MS)
        if answers[0]["body"]["type"] == "KeyRefused":
            self._refused(answers[0]["body"]["reason"], before)
        elif key == "clear":
            wires = self._stage.hands.look()["lines"]
            self._stage.hands.clear_felt()
            covered = [
                (spot, seat) for spot in SPOTS for seat in range(1, SEATS + 1) if wires[f"{spot}.{seat}"]
            ]
            self._chips_shown(covered)

    def _fault(self, name: str, *args: Any) -> None:
        order = self._stage.client.order
        self._stage.hands.fault(name, *map(str, args))
        if name == "shoe_unplugged":
            self._unplugged = True
            if self._stage.powered:
                self._stage.until(lambda: not self._state["shoe"], PATIENCE_MS)
        elif name == "shoe_skip":
            self._skipped += 1
        elif name == "lamp_dead":
            self._dead_lamps.add(args[0])
            self._dead_lamps_found()
        elif name != "sensor_stuck":
            self._stage.until(lambda: self._stage.client.order > order, NOTICE_MS)

    def _mend(self, name: str, *args: Any) -> None:
        if name in ("shoe_noise", "shoe_skip"):
            return  # Both are over with the frame they struck.
        order = self._stage.client.order
        self._dead_lamps_found()
        self._stage.hands.mend(name, *map(str, args))
        if name == "lamp_dead":
            self._dead_lamps.discard(args[0])
        if name == "shoe_unplugged":
            self._unplugged = False
            self._shoe_is_back()
        elif name == "sensor_stuck":
            self._chips_shown([(args[0], args[1])])
        else:
            self._stage.until(lambda: self._stage.client.order > order, NOTICE_MS)

    # ------------------------------------------------------------------------------ what is said

    def _say(self, command: Json, speaker: tuple[str, str, str]) -> None:
        if not self._stage.powered:
            raise StageError(f"{command['type']} is said while the power is off, and nobody hears it")
        before = self._state
        client = self._stage.client
        request = client.send(command, *speaker)
        answers: list[Json] = []

        def answered() -> bool:
            answer = client.answer(request)
            answers.extend([answer] if answer is not None else [])
            return bool(answers)

        for _ in range(PATIENCE_MS // RETRY_MS):
            if self._stage.until(answered, RETRY_MS):
                break
            client.resend(request)
        else:
            raise StageError(f"{command['type']}: no answer within {PATIENCE_MS} ms")
        answer = answers[0]
        self._stage.until(lambda: client.order[1] >= answer.get("seq", 0), PATIENCE_MS)
        if not answer["ok"]:
            self._refused(answer["error"], before)

    def _refused(self, reason: str, before: Json) -> None:
        self._refusal = reason or "no reason given"
        self._changed = changes({**before, "left_ms": None}, {**self._state, "left_ms": None})

    def _mark(self) -> int:
        self._facts += self._stage.client.take_facts()
        return len(self._facts)

    def _since(self, mark: int) -> list[Json]:
        self._facts += self._stage.client.take_facts()
        return self._facts[mark:]

    # ------------------------------------------------------------------------------ what is seen

    def _see_refused(self, line: Line) -> None:
        if not self._refusal:
            self._differ(line, "expected the line before to be refused, got accepted")
        elif self._changed:
            self._differ(line, f"the refused line changed {'; '.join(self._changed)}")

    def _see(self, line: Line, what: str, args: tuple[Any, ...]) -> None:
        if not self._stage.powered and what != "lamp":
            raise StageError(f"line {line.number} ({line.text}): the power is off, and nothing is published")
        looks: dict[str, Callable[[], tuple[str, str, bool]]] = {
            "phase": lambda: (args[0], self._state["shown"], self._state["shown"] == args[0]),
            "hold": lambda: (args[0], _listed(self._state["holds"]), args[0] in self._state["holds"]),
            "alarm": lambda: (args[0], _listed(self._record.alarms), args[0] in self._record.alarms),
            "meter": lambda: _compared(args[0], self._amount("meter")),
            "lamp": lambda: (args[1], lit := self._lamp(args[0]), lit == args[1]),
        }
        look = looks[what]
        if not self._stage.until(lambda: look()[2], PATIENCE_MS):
            expected, got, _ = look()
            self._differ(line, f"expected {expected}, got {got}")

    def _lamp(self, seat: int) -> str:
        return "on" if self._stage.hands.lamp_lit(seat) else "off"

    def _amount(self, name: str) -> int | None:
        """An amount of the progressive in cents; None at a table without one."""
        meter = self._state["meter"]
        return None if meter is None else int(meter["cents" if name == "meter" else f"{name}_cents"])

    def _unmet(self) -> list[str]:
        """Everything in which the table differs from the expectation of the play, now."""
        expected, state = self._play.expected, self._state
        pairs: list[tuple[str, str, str]] = [("round", expected.round, round_of(state))]
        for name, cents in expected.amounts.items():
            pairs.append((name, *_compared(cents, self._amount(name))[:2]))
        if expected.lamps is not None:
            lamps = self._stage.hands.look()["lamps"]
            lit = [seat for seat in range(1, SEATS + 1) if lamps[seat - 1]]
            pairs.append(("lamps", _listed(sorted(expected.lamps)), _listed(lit)))
        if expected.alarms is not None:
            pairs.append(("alarms", _listed(expected.alarms), _listed(self._record.alarms)))
        for seat, stakes in expected.seats.items():
            results = state["seats"][seat - 1]["results"]
            for stake in STAKES:
                if stake in stakes:
                    pairs.append((f"seat {seat} {stake}", stakes[stake], results.get(stake) or "none"))
        return [f"{name}: expected {want}, got {got}" for name, want, got in pairs if want != got]


def round_of(state: Json) -> str:
    """The word of `[expect] round` for a snapshot: a hold wins, then the result, then the phase."""
    return "hold" if state["holds"] else state["result"] or state["phase"]


def changes(before: Any, after: Any, place: str = "") -> list[str]:
    """Where two JSON values differ: `seats.0.ante.cents: 1000 -> 2000`."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted({*before, *after})
        return [
            c for key in keys for c in changes(before.get(key), after.get(key), f"{place}.{key}".strip("."))
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [c for n, (was, is_) in pairs for c in changes(was, is_, f"{place}.{n}")]
    return [] if before == after else [f"{place}: {before!r} -> {after!r}"]


def _compared(expected: int, got: int | None) -> tuple[str, str, bool]:
    return _money(expected), "none" if got is None else _money(got), expected == got


def _money(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values)) or "none"


def _is_answer_to(fact: Json, key: str) -> bool:
    return fact["type"] in ("KeyTaken", "KeyRefused") and fact["key"] == key


def _is_about_coin(fact: Json, seat: int) -> bool:
    body = fact["body"]
    if body["type"] in ("CoinAccepted", "CoinReturned"):
        return bool(body["seat"] == seat)
    return body["type"] in ("AlarmRaised", "Noticed") and bool(body["place"] == str(seat))
