"""Tables in memory as the site hears them: the seam between its pages and what a test paints."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final, cast

import msgspec

from firmware_bridge.lines import LinesView, LineView, SenseView, ShoeView, SlotView
from table_controller.engine.house_rules import option_texts
from table_controller.lines import default_lines
from table_controller.table import messages as m
from table_controller.table.offers import offers
from table_controller.table.roles import ROLES, SUPERVISOR
from table_controller.table.state import rules_now
from table_controller.web.clock import SystemClock
from table_controller.web.feeds import Heard, Picture
from tests.web.scenes import BOOT, Canvas

Json = dict[str, Any]
Answer = Json | None | Callable[[Json], Json | None]

PATIENCE_S: Final = 10.0
BEAT_S: Final = 0.5
_OUTPUTS: Final = ("light", "call", "coin_accept", "lamp.")
_WELL: Final = ("meter_well", "display_well", "mains_well", "light.red")


class PaintedClock(SystemClock):
    """The clock of the machine, which a test may put forward."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead_ms = 0

    def now_ms(self) -> int:
        """The time since some moment, in milliseconds."""
        return super().now_ms() + self._ahead_ms

    def wall_ms(self) -> int:
        """UTC."""
        return super().wall_ms() + self._ahead_ms

    def pass_ms(self, ms: int) -> None:
        """So much time has passed."""
        self._ahead_ms += ms


class PaintedTable:
    """One painted table and how it is heard."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.boot = BOOT
        self.seq = 1
        self.changes: Json = {}
        self.silent_since_ms: int | None = None
        self.refused = False
        self.painted_ms = 0
        self.unheard: Picture | None = None

    def state(self) -> bytes:
        if not self.changes:
            return self.canvas.body()
        return msgspec.json.encode(merged(msgspec.json.decode(self.canvas.body()), self.changes))

    def house(self) -> bytes:
        house = self.canvas.house
        rules = rules_now(house, self.canvas.state)
        found = msgspec.to_builtins(msgspec.structs.replace(house, rules=rules, approval="GC-2026-014"))
        return msgspec.json.encode(
            {"gaming_day": True, "walk": False, **found, "software": "0.1.0", "options": option_texts(rules)}
        )


class PaintedFeeds:
    """The seam of the site (`feeds.Feeds`), painted."""

    def __init__(self, clock: PaintedClock) -> None:
        self._clock = clock
        self.lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told: Callable[[str, tuple[Heard, ...]], None] | None = None
        self._scripted: list[Answer] = []
        self._opened: asyncio.Event | None = None
        self._beating: asyncio.Task[None] | None = None
        self._answers: dict[str, tuple[Json, Json]] = {}
        self._changed = threading.Condition(self.lock)
        self.painted: dict[str, PaintedTable] = {}
        self.said: list[Json] = []
        self.asked: list[Json] = []

    # ------------------------------------------------------------------- what the site calls

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables there are."""
        return tuple(self.painted)

    def start(self, told: Callable[[str, tuple[Heard, ...]], None]) -> None:
        """The site runs."""
        with self.lock:
            self._loop, self._told = asyncio.get_running_loop(), told
            self._opened = asyncio.Event()
            self._opened.set()
            self._beating = self._loop.create_task(self._beat())

    async def stop(self) -> None:
        """The site ends."""
        with self.lock:
            if self._beating is not None:
                self._beating.cancel()
            self._loop = self._told = self._beating = None

    async def _beat(self) -> None:
        """A table that is not silent is heard twice a second, as a real one is by its heartbeat."""
        while True:
            await asyncio.sleep(BEAT_S)
            told = self._told
            for table in self.tables:
                if told is not None:
                    told(table, ())

    def picture(self, table: str) -> Picture:
        """How the table looks now."""
        with self.lock:
            one = self.painted[table]
            if one.unheard is not None:
                return one.unheard
            silent = one.silent_since_ms
            return Picture(
                table=table,
                boot=one.boot,
                seq=one.seq,
                at_ms=one.canvas.at_ms,
                synced=True,
                heard_ms=self._clock.now_ms() if silent is None else silent,
                refused=one.refused,
                state=one.state(),
                house=one.house(),
                state_ms=one.painted_ms or self._clock.now_ms(),
            )

    async def request(self, table: str, body: Json) -> Json | None:
        """A word or a question of a page: answered as scripted, else by the painted table itself."""
        with self._changed:
            (self.said if "command" in body else self.asked).append({"table": table, **body})
            self._changed.notify_all()
        assert self._opened is not None
        await self._opened.wait()
        with self.lock:
            if "command" in body and self._scripted:
                scripted = self._scripted.pop(0)
                answer = scripted(body) if callable(scripted) else scripted
                return None if answer is None else {"v": 1, "id": body["id"], **answer}
            if self.painted[table].silent_since_ms is not None:
                return None
            return self._answer(table, body)

    # ------------------------------------------------------------------- what the painter calls

    def tell(self, table: str) -> None:
        """The table has changed: everybody is told, with the facts since the last time."""
        with self.lock:
            one = self.painted[table]
            one.seq = max(one.seq + 1, one.canvas.entry)
            one.painted_ms = self._clock.now_ms()
            at_ms, wall_ms = one.canvas.at_ms, one.canvas.wall_ms + one.canvas.at_ms
            if one.unheard is not None:
                return
            facts = tuple(
                Heard(boot=one.boot, seq=one.seq, at_ms=at_ms, wall_ms=wall_ms, fact=fact)
                for fact in one.canvas.new_facts()
            )
            loop, told = self._loop, self._told
            if loop is not None and told is not None:
                loop.call_soon_threadsafe(told, table, facts)

    def script(self, answers: list[Answer]) -> None:
        """The next words are answered so."""
        with self.lock:
            self._scripted += answers

    def open_gate(self, opened: bool) -> None:
        """While the gate is shut, words and questions wait for their answers."""
        with self.lock:
            loop, gate = self._loop, self._opened
            if loop is not None and gate is not None:
                loop.call_soon_threadsafe(gate.set if opened else gate.clear)

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """Waits until the condition holds, looking at each word and question."""
        with self._changed:
            return self._changed.wait_for(condition, PATIENCE_S)

    def _answer(self, table: str, body: Json) -> Json:
        request_id = body["id"]
        head = {"v": 1, "id": request_id}
        canvas = self.painted[table].canvas
        ask = body.get("ask", "")
        if ask == "offers":
            stamp = m.Stamp(canvas.at_ms, canvas.wall_ms + canvas.at_ms)
            return {
                **head, "ok": True, "offers": msgspec.to_builtins(offers(canvas.house, canvas.state, stamp))
            }  # fmt: skip
        if ask == "lines":
            return {**head, "ok": True, "lines": _lines(canvas.house.seats)}
        if ask:
            return {**head, "ok": True, "state": msgspec.json.decode(self.painted[table].state())}
        asked = {key: value for key, value in body.items() if key != "id"}
        if request_id in self._answers:
            before, answer = self._answers[request_id]
            if before == asked:
                return answer
            error = f"$.id: `{request_id}` was another command's, entry 1; allowed: an id of its own."
            return {**head, "ok": False, "seq": 0, "error": error}
        answer = {**head, **self._take(canvas, body)}
        self._answers[request_id] = (asked, answer)
        self.tell(table)
        return answer

    def _take(self, canvas: Canvas, body: Json) -> Json:
        try:
            command = msgspec.convert(body["command"], m.AnyCommand)
        except msgspec.ValidationError as error:
            return {"ok": False, "seq": 0, "error": f"$.command: {error}"}
        reason = body.get("reason", "")
        if ROLES.get(type(command)) == SUPERVISOR and body["role"] == "supervisor" and not reason.strip():
            return {
                "ok": False,
                "seq": 0,
                "error": f'$.reason: "" was found; {type(command).__name__} needs a reason.',
            }
        said = m.Said(command, body["operator"], cast(m.Role, body["role"]), reason, body.get("round", ""))
        ok, entry, refused = canvas.take(said)
        return {"ok": ok, "seq": entry, **({"error": refused} if refused else {})}


def merged(old: Json, new: Json) -> Json:
    """The old with the new laid over it, object by object."""
    return {
        **old,
        **{
            key: merged(old[key], value)
            if isinstance(value, dict) and isinstance(old.get(key), dict)
            else value
            for key, value in new.items()
        },
    }


def _lines(seats: int) -> Json:
    """Every wire at rest, as a table that is well answers."""
    lines = [
        LineView(name, "out" if name.startswith(_OUTPUTS) else "in", name in _WELL, 60_000, 4)
        for name in default_lines(seats)
    ]
    slots = [SlotView(seat, 2, 0, None) for seat in range(1, seats + 1)]
    senses = [SenseView(seat, "agrees") for seat in range(1, seats + 1)]
    shoe = ShoeView(True, "found", 7, 40, 41, 0, "")
    found: Json = msgspec.to_builtins(LinesView(tuple(lines), tuple(slots), tuple(senses), shoe))
    return found
