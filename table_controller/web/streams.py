"""What goes down to the pages: server-sent events, for each stream the newest picture and no queue.

What is sent is made once a change and shared by all streams; a stream only remembers what it has sent.
One whose browser does not read is cut off, and when the process ends all streams end at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send

from table_controller.web.clock import Clock
from table_controller.web.dues import dues
from table_controller.web.feeds import Feeds, Heard, Picture
from table_controller.wording import worth_saying

_log = logging.getLogger(__name__)

BEAT_S: Final = 1.0
SEND_S_MAX: Final = 10.0
FACTS_KEPT: Final = 100
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_encode = msgspec.json.encode
_NULL: Final = msgspec.Raw(b"null")


class _Shown:
    """One table as the streams see it; what is made of a picture is made when it is first sent."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.version = self.house_version = 0
        self.facts: deque[bytes] = deque(maxlen=FACTS_KEPT)
        self.facts_told = 0
        self._table = b""
        self._sign = b""
        self._left_ms: int | None = None
        self._runs = False

    def take(self, picture: Picture, facts: tuple[Heard, ...]) -> bool:
        """The newest picture; whether it differs in more than in having been heard."""
        before, self.picture = self.picture, picture
        changed = (picture.state, picture.house, picture.refused, picture.boot, picture.seq) != (
            before.state, before.house, before.refused, before.boot, before.seq
        )  # fmt: skip
        if picture.house != before.house:
            self.house_version += 1
        if changed:
            self.version += 1
            self._table = self._sign = b""
        for fact in facts:
            self.facts.append(_fact_event(picture.table, fact))
        self.facts_told += len(facts)
        return changed or bool(facts)

    def table_event(self, now_ms: int) -> bytes:
        """The complete picture for those who are logged in."""
        if not self._table:
            self._table = _tail(self._table_fields())
        picture = self.picture
        head = b'event: table\ndata: {"age_ms":%d,"state_age_ms":%d,'
        return head % (now_ms - picture.heard_ms, now_ms - picture.state_ms) + self._table

    def sign_event(self, now_ms: int) -> bytes:
        """What a sign shows."""
        if not self._sign:
            self._sign = _tail(self._sign_fields())
        picture = self.picture
        left_ms = self._left_ms
        if left_ms is not None and self._runs:
            # As the amount, the time left is told as it was when the table was heard last.
            left_ms = max(0, left_ms - max(0, picture.heard_ms - picture.state_ms))
        left = b"null" if left_ms is None else b"%d" % left_ms
        head = b'event: sign\ndata: {"age_ms":%d,"left_ms":%s,'
        return head % (now_ms - picture.heard_ms, left) + self._sign

    def house_event(self) -> bytes:
        """The house as a sign needs it: the options as text are for staff."""
        if not self.picture.house:
            return b""
        house = msgspec.json.decode(self.picture.house)
        house.pop("options", None)
        return b"event: house\ndata: " + _encode(house) + b"\n\n"

    def _table_fields(self) -> dict[str, Any]:
        picture = self.picture
        owed: list[dict[str, Any]] = []
        if picture.state and picture.house:
            try:
                owed = dues(msgspec.json.decode(picture.state), msgspec.json.decode(picture.house))
            except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
                # A table of another version is shown as far as it is understood.
                _log.exception("table %s: what is due cannot be told", picture.table)
        return {
            "table": picture.table,
            "boot": picture.boot,
            "seq": picture.seq,
            "at_ms": picture.at_ms,
            "synced": picture.synced,
            "refused": picture.refused,
            "state": msgspec.Raw(picture.state) if picture.state else None,
            "house": msgspec.Raw(picture.house) if picture.house else None,
            "dues": owed,
        }

    def _sign_fields(self) -> dict[str, Any]:
        picture = self.picture
        state: dict[str, Any] = msgspec.json.decode(picture.state) if picture.state else {}
        meter, day, health = state.get("meter"), state.get("day"), state.get("health") or {}
        self._left_ms, self._runs = state.get("left_ms"), state.get("shown") in ("betting", "deciding")
        return {
            "table": picture.table,
            "boot": picture.boot,
            "seq": picture.seq,
            "at_ms": picture.at_ms,
            "refused": picture.refused,
            "meter_cents": meter["cents"] if meter else None,
            "phase": state.get("phase"),
            "shown": state.get("shown"),
            "light": state.get("light"),
            "round": state.get("round"),
            "wins": self._wins(state),
            "day_open": day["open"] if day else True,
            "health_well": bool(health.get("meter", True) and health.get("display", True)),
        }

    def _wins(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            return list(_wins(state))
        except (KeyError, TypeError):
            # As with what is due: a table of another version is shown as far as it is understood.
            _log.exception("table %s: its wins cannot be told", self.picture.table)
            return []


def _wins(state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for award in state.get("awards", ()):
        yield {
            "id": f"{state['round']}:{award['seat']}:{award['hand']}:{award['kind']}",
            "seat": award["seat"],
            "hand": award["hand"],
            "cents": award["cents"],
            "status": award["status"],
            "document": award.get("document", ""),
            "share": award["kind"] == "share",
        }


def _tail(fields: dict[str, Any]) -> bytes:
    """The fields of an event that do not change with time, behind those that do."""
    return _encode(fields)[1:] + b"\n\n"


def _fact_event(table: str, heard: Heard) -> bytes:
    fact = msgspec.json.decode(heard.fact)
    body = {
        "table": table,
        "boot": heard.boot,
        "seq": heard.seq,
        "at_ms": heard.at_ms,
        "wall_ms": heard.wall_ms,
        "fact": fact,
        "quiet": not worth_saying([fact]),
    }
    return b"event: fact\ndata: " + _encode(body) + b"\n\n"


class Streams:
    """Every open stream, and what they are told."""

    def __init__(self, feeds: Feeds, clock: Clock) -> None:
        self._clock = clock
        self._shown = {name: _Shown(feeds.picture(name)) for name in feeds.tables}
        self._open: set[Stream] = set()
        self.closing = False

    def told(self, table: str, facts: tuple[Heard, ...], picture: Picture) -> None:
        """A table has changed: whoever looks at it is woken."""
        shown = self._shown[table]
        if 0 < shown.picture.boot < picture.boot:
            # What a table says at its start nobody hears yet, so the record has at least that it was started.
            start = Heard(
                picture.boot, picture.seq, picture.at_ms, self._clock.wall_ms(), b'{"type":"Restarted"}'
            )
            facts = (start, *facts)
        if shown.take(picture, facts):
            for stream in self._open:
                if stream.table in ("", table):
                    stream.wake.set()

    def state(self, table: str) -> dict[str, Any]:
        """The newest public snapshot of a table; empty if there is none yet."""
        text = self._shown[table].picture.state
        return msgspec.json.decode(text) if text else {}

    def house(self, table: str) -> dict[str, Any]:
        """The house of a table; empty if it is not known yet."""
        text = self._shown[table].picture.house
        return msgspec.json.decode(text) if text else {}

    def signs(self) -> int:
        """How many signs are open."""
        return sum(1 for stream in self._open if stream.table)

    def close(self) -> None:
        """Every stream ends now."""
        self.closing = True
        for stream in self._open:
            stream.wake.set()

    def sign(self, table: str) -> Stream:
        """The stream of a sign."""
        return Stream(self, table, lambda: True, lambda: None)

    def everything(self, good: Callable[[], bool], ended: Callable[[], None]) -> Stream:
        """The stream of all tables; it ends when its session is not `good` any more."""
        return Stream(self, "", good, ended)

    def news(self, stream: Stream, first: bool, beat: bool) -> bytes:
        """What a stream has not been sent yet; with `beat` also that we are here."""
        now_ms = self._clock.now_ms()
        if stream.table:
            shown = self._shown[stream.table]
            if not (first or beat or stream.sent.get(stream.table) != shown.version):
                return b""
            house = first or stream.sent_house != shown.house_version
            stream.sent[stream.table], stream.sent_house = shown.version, shown.house_version
            return (shown.house_event() if house else b"") + shown.sign_event(now_ms)
        parts: list[bytes] = []
        for name, shown in self._shown.items():
            # Whoever begins to look is told the facts of late, as far as they are kept.
            fresh = FACTS_KEPT if first else shown.facts_told - stream.facts[name]
            stream.facts[name] = shown.facts_told
            if fresh:
                parts += list(shown.facts)[-fresh:]
            if first or stream.sent.get(name) != shown.version:
                stream.sent[name] = shown.version
                parts.append(shown.table_event(now_ms))
        if beat:
            ages = {
                name: {
                    "age_ms": now_ms - shown.picture.heard_ms,
                    "boot": shown.picture.boot,
                    "seq": shown.picture.seq,
                    "refused": shown.picture.refused,
                }
                for name, shown in self._shown.items()
            }
            parts.append(b"event: beat\ndata: " + _encode({"tables": ages}) + b"\n\n")
        return b"".join(parts)

    def opened(self, stream: Stream) -> None:
        """A stream begins."""
        self._open.add(stream)

    def ended(self, stream: Stream) -> None:
        """A stream is over."""
        self._open.discard(stream)


class Stream:
    """One open stream: an answer that does not end by itself."""

    def __init__(
        self, streams: Streams, table: str, good: Callable[[], bool], ended: Callable[[], None]
    ) -> None:
        self.table = table
        self.wake = asyncio.Event()
        self.sent: dict[str, int] = {}
        self.sent_house = 0
        self.facts: dict[str, int] = {}
        self._streams, self._good, self._ended = streams, good, ended
        self._gone = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is new until the browser, the session or the process is gone."""
        self._streams.opened(self)
        watcher = asyncio.create_task(self._watch(receive))
        whole = False
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._send(send, b"retry: 2000\n\n" + self._streams.news(self, first=True, beat=True))
            await self._go_on(send)
            await self._send(send, b"", more=False)
            whole = True
        except (TimeoutError, asyncio.CancelledError):
            # The browser has not read for so long that it will have to begin anew, or the process ends.
            return
        finally:
            watcher.cancel()
            self._streams.ended(self)
            self._ended()
            abort = scope.get("abort")
            if not whole and abort is not None:
                # Only a connection that the server knows to be gone may be left without its end.
                abort()
                await asyncio.sleep(0)

    async def _go_on(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        beat_at = loop.time() + BEAT_S
        while not self._over() and self._good():
            try:
                async with asyncio.timeout_at(beat_at):
                    await self.wake.wait()
            except TimeoutError:
                pass
            self.wake.clear()
            beat = loop.time() >= beat_at
            if beat:
                beat_at = loop.time() + BEAT_S
            text = self._streams.news(self, first=False, beat=beat)
            if text and not self._over():
                await self._send(send, text)

    def _over(self) -> bool:
        return self._gone or self._streams.closing

    @staticmethod
    async def _send(send: Send, text: bytes, more: bool = True) -> None:
        async with asyncio.timeout(SEND_S_MAX):
            await send({"type": "http.response.body", "body": text, "more_body": more})

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self.wake.set()
