"""The real tables: one thread with all sockets, which hands pictures and answers to the event loop.

What the thread has heard since the loop looked last is one picture a table and a bounded list of facts,
so that a table that talks faster than anybody looks costs no memory.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec
import zmq

from table_controller.keys import ClientKey, load_client_key
from table_controller.web.clock import Clock
from table_controller.web.feeds import Heard, Picture, Told
from table_controller.web.line import Line
from table_controller.web.settings import TableDoor

_log = logging.getLogger(__name__)

PENDING_MAX: Final = 256
FACTS_MAX: Final = 200
_TURN_MS: Final = 200


class _Asked(msgspec.Struct):
    text: bytes
    future: asyncio.Future[dict[str, Any] | None]


class TableFeeds:
    """The real tables of a `web.toml`."""

    def __init__(
        self,
        doors: dict[str, TableDoor],
        clock: Clock,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
    ) -> None:
        """Nothing is connected before `start`. Raises `KeysRefused`."""
        self._clock = clock
        self._context: zmq.Context[zmq.Socket[bytes]] = context or zmq.Context.instance()
        self._keys: dict[str, ClientKey | None] = {
            name: load_client_key(door.key_file) if door.key_file else None for name, door in doors.items()
        }
        self._doors = doors
        # What both threads touch, under the lock.
        self._lock = threading.Lock()
        self._pictures = {name: Picture(name) for name in doors}
        self._facts: dict[str, deque[Heard]] = {name: deque(maxlen=FACTS_MAX) for name in doors}
        self._changed: set[str] = set()
        self._outbox: dict[str, deque[tuple[str, bytes]]] = {name: deque() for name in doors}
        self._lost: set[str] = set()
        self._stopping = False
        # What the loop alone touches.
        self._asked: dict[tuple[str, str], _Asked] = {}
        self._seen = dict(self._pictures)
        self._thread: threading.Thread | None = None
        self._waker: zmq.Socket[bytes] | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(self._doors)

    def picture(self, table: str) -> Picture:
        """The newest picture of a table."""
        return self._seen[table]

    def start(self, told: Told) -> None:
        """Follow the tables; `told` is called in the running loop at each change."""
        self._loop = asyncio.get_running_loop()
        self._told = told
        place = f"inproc://pages-{secrets.token_hex(8)}"
        sleeper: zmq.Socket[bytes] = self._context.socket(zmq.PAIR)
        sleeper.linger = 0
        sleeper.bind(place)
        self._waker = self._context.socket(zmq.PAIR)
        self._waker.linger = 0
        self._waker.connect(place)
        self._thread = threading.Thread(target=self._follow, args=(sleeper,), name="feeds", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Follow them no more."""
        self._stopping = True
        self._wake()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 2)
        if self._waker is not None:
            self._waker.close(0)
            self._waker = None
        for asked in self._asked.values():
            if not asked.future.done():
                asked.future.set_result(None)
        self._asked.clear()

    async def request(self, table: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What the table answers; None if it is silent."""
        text = msgspec.json.encode(body)
        key = (table, str(body["id"]))
        asked = self._asked.get(key)
        if asked is None:
            if self._stopping or sum(1 for name, _ in self._asked if name == table) >= PENDING_MAX:
                return None
            asked = self._asked[key] = _Asked(text, asyncio.get_running_loop().create_future())
            with self._lock:
                lost = table in self._lost
                if not lost:
                    self._outbox[table].append((key[1], text))
            if lost:
                self._settle(table, key[1], None)
            self._wake()
        elif asked.text != text:
            raise ValueError(f"{key[1]} waits for the answer to something else")
        # One who goes away does not take the answer from another who waits for the same.
        return await asyncio.shield(asked.future)

    def _wake(self) -> None:
        if self._waker is not None:
            try:
                self._waker.send(b"", zmq.NOBLOCK)
            except zmq.Again:
                # So many wake-ups wait already that one more tells nothing.
                return

    # ------------------------------------------------------------------------- in the thread

    def _follow(self, sleeper: zmq.Socket[bytes]) -> None:
        poller = zmq.Poller()
        poller.register(sleeper, zmq.POLLIN)
        lines = []
        for name, door in self._doors.items():
            line = Line(door, self._keys[name], self._context, self._clock, self.shown, self.answered)
            try:
                line.open(poller)
            except zmq.ZMQError as error:
                # The other tables are followed; this one stays silent, and its pages say so.
                _log.error("table %s cannot be followed: %s", name, error)
                with self._lock:
                    self._lost.add(name)
                    asked = list(self._outbox[name])
                for request_id, _ in asked:
                    self.answered(name, request_id, None)
                continue
            lines.append(line)
        try:
            while not self._stopping:
                ready = dict(poller.poll(_TURN_MS))
                if sleeper in ready:
                    self._drain(sleeper)
                for line in lines:
                    with self._lock:
                        outbox = self._outbox[line.name]
                        asked = [outbox.popleft() for _ in range(len(outbox))]
                    self._turn(line, ready, asked)
        finally:
            for line in lines:
                line.close()
            sleeper.close(0)

    def _turn(self, line: Line, ready: dict[Any, int], asked: list[tuple[str, bytes]]) -> None:
        try:
            line.turn(ready, asked)
        except Exception:  # noqa: BLE001 - one table that talks nonsense must not silence the others
            _log.exception("table %s said something that cannot be understood", line.name)

    @staticmethod
    def _drain(sleeper: zmq.Socket[bytes]) -> None:
        while True:
            try:
                sleeper.recv(zmq.NOBLOCK)
            except zmq.Again:
                return

    def shown(self, picture: Picture, fact: Heard | None = None) -> None:
        """A line has heard something; called in the thread."""
        with self._lock:
            if fact is not None:
                self._facts[picture.table].append(fact)
            self._pictures[picture.table] = picture
            first = not self._changed
            self._changed.add(picture.table)
        if first:
            self._call(self._hand_over)

    def answered(self, table: str, request_id: str, answer: dict[str, Any] | None) -> None:
        """A line has an answer, or has given up; called in the thread."""
        self._call(self._settle, table, request_id, answer)

    def _call(self, what: Callable[..., None], *values: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what, *values)
        except RuntimeError:
            # The loop is closed already: nobody is left to tell.
            self._stopping = True

    # --------------------------------------------------------------------------- in the loop

    def _hand_over(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, set()
            news = {name: (self._pictures[name], tuple(self._facts[name])) for name in changed}
            for name in changed:
                self._facts[name].clear()
        for name, (picture, facts) in news.items():
            self._seen[name] = picture
            try:
                self._told(name, facts)
            except Exception:  # noqa: BLE001 - as in the thread: one table must not silence the others
                _log.exception("what table %s said cannot be passed on", name)

    def _settle(self, table: str, request_id: str, answer: dict[str, Any] | None) -> None:
        asked = self._asked.pop((table, request_id), None)
        if asked is not None and not asked.future.done():
            asked.future.set_result(answer)
