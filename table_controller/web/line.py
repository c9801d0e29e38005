"""The line to one table: two sockets, what was heard last, what was asked and is not answered yet.

It belongs to the thread of the feeds. A request is repeated with its id until it is answered. One that
is given up takes its socket with it, so that a table that comes back later is never told what its
asker no longer waits for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, Final

import msgspec
import zmq

from table_controller.door import Refusals, use_key
from table_controller.keys import ClientKey
from table_controller.web.clock import Clock
from table_controller.web.feeds import Heard, Picture
from table_controller.web.settings import TableDoor

_log = logging.getLogger(__name__)

TOPICS: Final = (b"state", b"fact", b"heartbeat")
REPEAT_MS: Final = 500
GIVE_UP_MS: Final = 5_000
KNOCK_EVERY_MS: Final = 2_000
SILENT_MS: Final = 1_500
"""Three heartbeats."""
ASK_EVERY_MS: Final = 1_000
HOUSE_AGAIN_MS: Final = 10_000
OTHER_BOOT_MS: Final = 3_000
_MESSAGE_BYTES_MAX: Final = 1 << 20
_QUEUE_MAX: Final = 1_000
_TURN_MAX: Final = 500
# After these the house rules may be others than before.
_ASK_HOUSE: Final = frozenset({"ParameterChanged", "HouseChanged", "RoundOpened"})
_OWN: Final = "pages:"
"""An id that begins so is the line's own; the site takes none from a page that holds a colon."""


class _Envelope(msgspec.Struct, frozen=True):
    v: int
    type: str
    table: str
    boot: int
    seq: int
    at_ms: int
    synced: bool
    body: msgspec.Raw


class _Kind(msgspec.Struct, frozen=True):
    type: str = ""


class _Asked(msgspec.Struct):
    text: bytes
    since_ms: int
    said_ms: int


class Line:
    """One table as a client of it sees it; `shown` and `answered` are told what was heard."""

    def __init__(
        self,
        door: TableDoor,
        key: ClientKey | None,
        context: zmq.Context[zmq.Socket[bytes]],
        clock: Clock,
        shown: Callable[[Picture, Heard | None], None],
        answered: Callable[[str, str, dict[str, Any] | None], None],
    ) -> None:
        self.name = door.name
        self._door, self._key, self._context, self._clock = door, key, context, clock
        self._shown, self._answered = shown, answered
        self._picture = Picture(door.name)
        # The newest place that any message stood at, and when a message of the picture's boot came last.
        self._ahead = (0, 0)
        self._boot_ms = 0
        # The clock of the pages when the table's own time was 0.
        self._zero_ms: int | None = None
        self._asked: dict[str, _Asked] = {}
        self._own = 0
        self._snapshot_ms = -ASK_EVERY_MS
        self._house_due_ms: int | None = None
        self._house_id = ""
        # Since when a question of our own waits for its answer.
        self._unanswered_ms: int | None = None

    def open(self, poller: zmq.Poller) -> None:
        """Connect both sockets; they are heard through `poller`. Raises `zmq.ZMQError`."""
        self._poller = poller
        self._knocked_ms = self._clock.now_ms()
        with ExitStack() as opened:
            subscriber: zmq.Socket[bytes] = self._context.socket(zmq.SUB)
            opened.callback(subscriber.close, 0)
            for topic in TOPICS:
                subscriber.subscribe(topic)
            self._set_up(subscriber)
            refusals = Refusals(subscriber)
            opened.callback(refusals.close)
            subscriber.connect(self._door.state)
            self._commands = self._open_commands()
            opened.pop_all()
        self._subscriber, self._refusals = subscriber, refusals
        poller.register(subscriber, zmq.POLLIN)

    def close(self) -> None:
        """Hear no more."""
        self._refusals.close()
        for socket in (self._subscriber, self._commands):
            self._drop(socket)

    def _drop(self, socket: zmq.Socket[bytes]) -> None:
        self._poller.unregister(socket)
        socket.close(0)

    def turn(self, ready: dict[Any, int], asked: Iterable[tuple[str, bytes]]) -> None:
        """Take in what has come, say what is to be said."""
        now_ms = self._clock.now_ms()
        for request_id, text in asked:
            self._asked[request_id] = _Asked(text, now_ms, now_ms - REPEAT_MS)
        for socket in (self._subscriber, self._commands):
            if socket in ready:
                self._drain(socket, now_ms)
        refused = self._refusals.heard()
        if refused != self._picture.refused:
            self._show(refused=refused)
        if refused and now_ms - self._knocked_ms >= KNOCK_EVERY_MS:
            # ZeroMQ never knocks again with a socket that was refused; it goes when there is a new one.
            refusals, *before = self._refusals, self._subscriber, self._commands
            self.open(self._poller)
            refusals.close()
            for socket in before:
                self._drop(socket)
        self._keep_up(now_ms)
        self._say(now_ms)

    # --------------------------------------------------------------------------------- sockets

    def _set_up(self, socket: zmq.Socket[bytes]) -> None:
        socket.linger = 0
        socket.maxmsgsize = _MESSAGE_BYTES_MAX
        socket.rcvhwm = socket.sndhwm = _QUEUE_MAX
        socket.setsockopt(zmq.RECONNECT_IVL, 100)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 2_000)
        # A table whose machine lost its power is noticed within half a minute, and not after hours.
        socket.setsockopt(zmq.TCP_KEEPALIVE, 1)
        socket.setsockopt(zmq.TCP_KEEPALIVE_IDLE, 15)
        socket.setsockopt(zmq.TCP_KEEPALIVE_INTVL, 5)
        socket.setsockopt(zmq.TCP_KEEPALIVE_CNT, 3)
        use_key(socket, self._key)

    def _open_commands(self) -> zmq.Socket[bytes]:
        commands: zmq.Socket[bytes] = self._context.socket(zmq.DEALER)
        self._set_up(commands)
        try:
            commands.connect(self._door.commands)
        except zmq.ZMQError:
            commands.close(0)
            raise
        self._poller.register(commands, zmq.POLLIN)
        return commands

    def _drain(self, socket: zmq.Socket[bytes], now_ms: int) -> None:
        for _ in range(_TURN_MAX):
            try:
                frames = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            try:
                if socket is self._commands:
                    self._take_answer(frames[-1], now_ms)
                else:
                    self._take(frames[-1], now_ms)
            except (msgspec.MsgspecError, KeyError, ValueError):
                _log.warning("table %s: a message that cannot be understood is left out", self.name)

    # ------------------------------------------------------------------------------- listening

    def _take(self, text: bytes, now_ms: int) -> None:
        said = msgspec.json.decode(text, type=_Envelope)
        if said.v != 1 or said.table != self.name:
            raise ValueError("another version or another table")
        if not self._in_order(said, now_ms):
            return
        order = (said.boot, said.seq)
        self._ahead = max(self._ahead, order)
        self._boot_ms = now_ms
        if said.type == "fact":
            kind = msgspec.json.decode(said.body, type=_Kind).type
            if kind in _ASK_HOUSE:
                self._house_due_ms = now_ms
            fact = Heard(said.boot, said.seq, said.at_ms, self._clock.wall_ms(), bytes(said.body))
            self._show(fact, heard_ms=now_ms)
        elif said.type == "state":
            self._take_state(said, now_ms)
        else:
            self._zero_ms = now_ms - said.at_ms
            self._show(heard_ms=now_ms, state_ms=self._zero_ms + self._picture.at_ms)

    def _take_state(self, said: _Envelope, now_ms: int) -> None:
        order = (said.boot, said.seq)
        picture = self._picture
        if order < (picture.boot, picture.seq):
            return
        if said.boot != picture.boot:
            self._house_due_ms = now_ms
        # A state that is told again is of an earlier moment than this one.
        zero_ms = now_ms - said.at_ms
        self._zero_ms = zero_ms if self._zero_ms is None else min(self._zero_ms, zero_ms)
        self._show(
            boot=said.boot,
            seq=said.seq,
            at_ms=said.at_ms,
            synced=said.synced,
            state=bytes(said.body),
            heard_ms=now_ms,
            state_ms=self._zero_ms + said.at_ms,
        )

    def _in_order(self, said: _Envelope, now_ms: int) -> bool:
        """Whether a message is of this start of the table or a later one.

        Numbers that begin again are another table under the same name, which counts once the one
        before has been silent for a while.
        """
        if said.boot >= self._ahead[0]:
            if said.boot > self._ahead[0]:
                self._zero_ms = None
            return True
        if now_ms - self._boot_ms < OTHER_BOOT_MS:
            return False
        self._ahead, self._zero_ms = (said.boot, 0), None
        self._show(boot=said.boot, seq=0, state=b"", house=b"")
        return True

    def _take_answer(self, text: bytes, now_ms: int) -> None:
        answer = msgspec.json.decode(text, type=dict[str, Any])
        request_id = str(answer["id"])
        if request_id.startswith(_OWN):
            self._unanswered_ms = None
            if answer.get("ok") and "state" in answer:
                self._take(msgspec.json.encode(answer["state"]), now_ms)
            if request_id == self._house_id:
                found = answer.get("house") if answer.get("ok") else None
                self._house_due_ms = now_ms + HOUSE_AGAIN_MS if found is None else None
                if found is not None:
                    self._show(house=msgspec.json.encode(found))
        elif self._asked.pop(request_id, None) is not None:
            self._answered(self.name, request_id, answer)

    def _show(self, fact: Heard | None = None, **changes: Any) -> None:
        self._picture = msgspec.structs.replace(self._picture, **changes)
        self._shown(self._picture, fact)

    # -------------------------------------------------------------------------------- speaking

    def _keep_up(self, now_ms: int) -> None:
        """Ask for the snapshot after a gap or a silence, and for the house when it may be another."""
        picture = self._picture
        behind = not picture.state or self._ahead > (picture.boot, picture.seq)
        silent = now_ms - picture.heard_ms >= SILENT_MS
        if (behind or silent) and now_ms - self._snapshot_ms >= ASK_EVERY_MS:
            self._snapshot_ms = now_ms
            self._ask("snapshot", now_ms)
        if self._house_due_ms is not None and now_ms >= self._house_due_ms:
            # Until it is answered it is asked again.
            self._house_due_ms = now_ms + ASK_EVERY_MS
            self._house_id = self._ask("house", now_ms)

    def _ask(self, what: str, now_ms: int) -> str:
        self._own += 1
        if self._unanswered_ms is None:
            self._unanswered_ms = now_ms
        request_id = f"{_OWN}{self._own}"
        self._send(msgspec.json.encode({"v": 1, "id": request_id, "ask": what}))
        return request_id

    def _say(self, now_ms: int) -> None:
        late = [name for name, one in self._asked.items() if now_ms - one.since_ms >= GIVE_UP_MS]
        for request_id in late:
            del self._asked[request_id]
            self._answered(self.name, request_id, None)
        waited_ms = 0 if self._unanswered_ms is None else now_ms - self._unanswered_ms
        if late or waited_ms >= GIVE_UP_MS:
            self._unanswered_ms = None
            before, self._commands = self._commands, self._open_commands()
            self._drop(before)
        for one in self._asked.values():
            if now_ms - one.said_ms >= REPEAT_MS:
                one.said_ms = now_ms
                self._send(one.text)

    def _send(self, text: bytes) -> None:
        try:
            self._commands.send(text, zmq.NOBLOCK)
        except zmq.Again:
            # The table is away and its queue is full: what is not answered is said again.
            return
