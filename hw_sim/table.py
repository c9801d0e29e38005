"""What hands do at the simulated table, in table words.

A hand's act takes time: a token needs tens of milliseconds to fall past both beams, a key is held
down. So each act is a *motion*, a generator that moves wires and yields the microseconds until its
next step. Whoever runs it owns time: `LocalHands` lets simulated time pass, the board process keeps
all running motions on its own clock, so that two tokens can fall in two slots at once.
"""

from __future__ import annotations

import json
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, Final

from hw_sim.board import BEAM_CLEAR, BEAM_DARK, Board, WiringError
from hw_sim.faults import SPOTS, FaultError, Faults
from hw_sim.shoe import MarkError, SimShoe

KEYS: Final = ("lock", "close", "reveal", "clear", "open")

# A token darkens a beam for about 20 ms and the beams lie so that both are dark for half of that.
COIN_STEP_US: Final = 10_000
# Two tokens cannot follow each other faster through one slot.
COIN_GAP_US: Final = 40_000
# Long enough for every debounce of the table, short for a person.
HAND_US: Final = 40_000
KEY_US: Final = 60_000
CARD_US: Final = 5_000

# The longest answer of a board process: a `deal` of a whole deck with room to spare.
PATIENCE_S: Final = 30
LONGEST_LINE: Final = 4096

Motion = Generator[int, None, Any]


class HandError(Exception):
    """Hands were asked for something that cannot be done at this table."""


class Felt:
    """The table as hands meet it: turns the words of a play into motions on the wires."""

    def __init__(self, board: Board, shoe: SimShoe | None) -> None:
        self.board: Final = board
        self.shoe: Final = shoe
        self._faults: Final = Faults(board, shoe)
        self._words: Final[dict[str, Callable[[Sequence[str]], Motion]]] = {
            "ante": lambda args: self._cover("ante", args),
            "bonus": lambda args: self._cover("bonus", args),
            "raise": lambda args: self._cover("raise", args),
            "lift": self._lift,
            "clear_felt": self._clear_felt,
            "coin": self._coin,
            "deal": self._deal,
            "key": self._key,
            "fault": self._fault,
            "mend": self._mend,
            "look": self._look,
        }

    def motion(self, word: str, args: Sequence[str]) -> Motion:
        """The motion of one word; an unknown word or seat is refused before anything moves."""
        if word not in self._words:
            raise HandError(f"hands know no word {word!r}; they know {', '.join(self._words)}")
        return self._refusing(self._words[word](args))

    def _refusing(self, motion: Motion) -> Motion:
        """The same motion, with everything that can be refused as a `HandError`."""
        try:
            return (yield from motion)
        except (WiringError, FaultError, MarkError) as refusal:
            raise HandError(str(refusal)) from refusal

    def _seat(self, word: str, args: Sequence[str]) -> int:
        if len(args) != 1 or not args[0].isdecimal() or not 1 <= int(args[0]) <= self.board.seats:
            raise HandError(f"{word} takes one seat, 1..{self.board.seats}, was given {' '.join(args)!r}")
        return int(args[0])

    def _cover(self, spot: str, args: Sequence[str]) -> Motion:
        self.board.set(f"{spot}.{self._seat(spot, args)}", 1)
        yield HAND_US

    def _lift(self, args: Sequence[str]) -> Motion:
        if not args or args[0] not in SPOTS:
            raise HandError(f"lift takes one of {', '.join(SPOTS)} and a seat, was given {' '.join(args)!r}")
        self.board.set(f"{args[0]}.{self._seat('lift', args[1:])}", 0)
        yield HAND_US

    def _clear_felt(self, args: Sequence[str]) -> Motion:
        if args:
            raise HandError(f"clear_felt takes nothing, was given {' '.join(args)!r}")
        for line in self.board.lines:
            if line.split(".")[0] in SPOTS:
                self.board.set(line, 0)
        yield HAND_US

    def _coin(self, args: Sequence[str]) -> Motion:
        seat = self._seat("coin", args)
        upper, lower = f"coin_a.{seat}", f"coin_b.{seat}"
        for beam, level in ((upper, BEAM_DARK), (lower, BEAM_DARK), (upper, BEAM_CLEAR)):
            self.board.set(beam, level)
            yield COIN_STEP_US
        self.board.set(lower, BEAM_CLEAR)
        yield COIN_GAP_US

    def _deal(self, args: Sequence[str]) -> Motion:
        if self.shoe is None:
            raise HandError("deal: this table has no simulated shoe")
        if not args:
            raise HandError("deal takes one card or more")
        for mark in args:
            self.shoe.check(mark)
        for mark in args:
            self.shoe.deal(mark, self.board.now_us())
            yield CARD_US

    def _key(self, args: Sequence[str]) -> Motion:
        if len(args) != 1 or args[0] not in KEYS:
            raise HandError(f"key takes one of {', '.join(KEYS)}, was given {' '.join(args)!r}")
        self.board.set(f"key.{args[0]}", 1)
        yield KEY_US
        self.board.set(f"key.{args[0]}", 0)
        yield HAND_US

    def _fault(self, args: Sequence[str]) -> Motion:
        if not args:
            raise HandError("fault takes the name of a fault")
        self._faults.begin(args[0], args[1:])
        yield 0

    def _mend(self, args: Sequence[str]) -> Motion:
        if not args:
            raise HandError("mend takes the name of a fault")
        self._faults.mend(args[0], args[1:])
        yield 0

    def _look(self, args: Sequence[str]) -> Motion:
        """What eyes see and what a meter measures at the clamps, all in one glance."""
        if args:
            raise HandError(f"look takes nothing, was given {' '.join(args)!r}")
        board = self.board
        yield 0
        return {
            "lamps": [
                board.lamp_lit(seat) if f"lamp.{seat}" in board.lines else False
                for seat in range(1, board.seats + 1)
            ],
            "light": board.light(),
            "lines": {line: board.levels[number] for line, number in board.lines.items()},
            "shoe": None if self.shoe is None else self.shoe.about(),
        }


class Hands(ABC):
    """What hands do and eyes see at one table; every method returns when the act is done."""

    @abstractmethod
    def do(self, word: str, *args: str) -> Any:
        """Do one act by its word; `HandError` if it cannot be done."""

    def ante(self, seat: int) -> None:
        """Chips cover the ante spot."""
        self.do("ante", str(seat))

    def bonus(self, seat: int) -> None:
        """Chips cover the bonus spot."""
        self.do("bonus", str(seat))

    def raise_(self, seat: int) -> None:
        """Chips cover the raise spot."""
        self.do("raise", str(seat))

    def lift(self, spot: str, seat: int) -> None:
        """The chips leave a spot (`ante`, `raise`, `bonus`)."""
        self.do("lift", spot, str(seat))

    def clear_felt(self) -> None:
        """All chips leave the felt; a frozen sensor goes on showing what it showed."""
        self.do("clear_felt")

    def coin(self, seat: int) -> None:
        """One token falls through the slot of a seat."""
        self.do("coin", str(seat))

    def deal(self, *cards: str) -> None:
        """Cards leave the shoe in this order (`KD`; `QS^` boxed, `??` unreadable, `JK` foreign)."""
        self.do("deal", *cards)

    def key(self, name: str) -> None:
        """The dealer presses and releases a key (`lock`, `close`, `reveal`, `clear`, `open`)."""
        self.do("key", name)

    def fault(self, name: str, *args: str) -> None:
        """Something breaks; names as in the plays."""
        self.do("fault", name, *args)

    def mend(self, name: str, *args: str) -> None:
        """It is mended."""
        self.do("mend", name, *args)

    def look(self) -> dict[str, Any]:
        """Everything that can be seen: `lamps` (lit or not, by seat), `light`, `lines`, `shoe`."""
        seen: dict[str, Any] = self.do("look")
        return seen

    def lamp_lit(self, seat: int) -> bool:
        """Whether the jackpot lamp of a seat is lit, steady or blinking."""
        return bool(self.look()["lamps"][seat - 1])

    def light(self) -> str:
        """The colour of the traffic light, `off` if dark."""
        return str(self.look()["light"])

    def coin_accepted(self, seat: int) -> bool:
        """Whether the coin lock-out of a seat lets tokens in."""
        return bool(self.look()["lines"][f"coin_accept.{seat}"])

    def call_lit(self) -> bool:
        """Whether the lamp that calls a supervisor is lit."""
        return bool(self.look()["lines"]["call"])


class LocalHands(Hands):
    """Hands at a board in the same process.

    `advance(us)` lets that many microseconds of simulated time pass; it is where the caller lets
    the service take its turns.
    """

    def __init__(self, board: Board, shoe: SimShoe | None, advance: Callable[[int], None]) -> None:
        self._felt = Felt(board, shoe)
        self._advance = advance

    def do(self, word: str, *args: str) -> Any:
        """Do one act, letting simulated time pass between its steps."""
        motion = self._felt.motion(word, args)
        while True:
            try:
                wait_us = next(motion)
            except StopIteration as end:
                return end.value
            if wait_us:
                self._advance(wait_us)


class BoardClient(Hands):
    """Hands at the board process behind a Unix socket; acts are done one after the other.

    One JSON object a line: `{"id": 1, "do": "coin", "args": ["3"]}` is answered, when the act is
    done, by `{"id": 1, "ok": true, "result": ...}` or `{"id": 1, "ok": false, "error": "..."}`.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        self._received = b""
        self._last_id = 0
        try:
            self._socket.connect(self._path)
        except OSError as problem:
            self._socket.close()
            raise HandError(f"no simulated board answers at {self._path}: {problem}") from problem

    def close(self) -> None:
        """Leave the board; everything stays where it lies."""
        self._socket.close()

    def do(self, word: str, *args: str) -> Any:
        """Ask for one act and wait until it is done."""
        self._last_id += 1
        request = json.dumps({"id": self._last_id, "do": word, "args": args}).encode() + b"\n"
        try:
            self._socket.sendall(request)
            answer = json.loads(self._take_line())
        except OSError as problem:
            raise HandError(f"the simulated board at {self._path} does not answer: {problem}") from problem
        if answer.get("id") != self._last_id:
            raise HandError(f"the simulated board answered {answer!r} to request {self._last_id}")
        if not answer["ok"]:
            raise HandError(answer["error"])
        return answer["result"]

    def _take_line(self) -> bytes:
        while b"\n" not in self._received:
            part = self._socket.recv(65536)
            if not part:
                raise HandError(f"the simulated board at {self._path} hung up")
            self._received += part
            if len(self._received) > 65536 + LONGEST_LINE:
                raise HandError(f"the answer of the simulated board at {self._path} has no end")
        line, self._received = self._received.split(b"\n", 1)
        return line
