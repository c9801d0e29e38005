"""What the table says to everybody: one XPUB socket of complete states, facts and a heartbeat.

A message is two frames, the topic and JSON in an envelope. Publishing is lossy by design: a
subscriber that cannot keep up loses messages and notices it by (boot, seq), and the next complete
state mends it (ARCHITECTURE.md, Messages). Nothing is published before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import zmq

from table_controller.door import Door, bound
from table_controller.table.messages import AlarmRaised, Fact, MeterChanged

VERSION = 1
HEARTBEAT_US = 500_000
# Messages that wait for one slow subscriber; the newest are dropped beyond it.
SEND_LIMIT = 1_000
# Subscriptions taken in per turn; what is left waits for the next one.
_DRAIN_LIMIT = 100
_MAX_SUBSCRIPTION_BYTES = 4096
_SUBSCRIPTIONS_MAX = 20_000
"""More than thousands of honest subscribers make; each costs memory that only a new socket gives back."""

_encode = msgspec.json.encode


class Mark(msgspec.Struct, frozen=True):
    """Where a message stands: the entry it belongs to, the table's time, whether UTC is trusted."""

    seq: int
    at_ms: int
    synced: bool


class _Envelope(msgspec.Struct, frozen=True):
    v: int
    type: str
    table: str
    boot: int
    seq: int
    at_ms: int
    synced: bool
    body: msgspec.Raw


class _Heartbeat(msgspec.Struct, frozen=True):
    head: str


class Publisher:
    """The XPUB socket of one table, used by the thread that decides."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoint: str,
        table: str,
        boot: int,
        door: Door | None = None,
    ) -> None:
        """Bind to `endpoint`; `boot` is the number of this start. Raises `zmq.ZMQError` naming it.

        Without a `door` there is no key: that is for a table in the same process only.
        """
        self._context, self._endpoint, self._door = context, endpoint, door
        self._table = table
        self._boot = boot
        self._state = b""
        self._beat_at_us = 0
        self.socket = self._bind()

    def _bind(self) -> zmq.Socket[bytes]:
        socket: zmq.Socket[bytes] = self._context.socket(zmq.XPUB)
        socket.linger = 0
        socket.sndhwm = SEND_LIMIT
        # Subscribers send subscriptions and nothing else; the limit counts before the handshake as well.
        socket.maxmsgsize = _MAX_SUBSCRIPTION_BYTES
        self._subscriptions = 0
        # Every new subscriber is reported, not only the first of a topic: each gets its welcome.
        socket.xpub_verbose = True
        return bound(socket, self._endpoint, self._door, "state")

    def rebind(self) -> None:
        """Cut everybody off; whose key is in force is back by himself within a moment."""
        if self._door is not None:
            self._door.unguard(self.socket)
        self.socket.close(0)
        self.socket = self._bind()

    @property
    def state(self) -> bytes:
        """The newest `state` envelope as JSON, empty before the first; the answer to a snapshot request."""
        return self._state

    @property
    def due_at_us(self) -> int:
        """When the next heartbeat is due, in the microseconds given to `beat`."""
        return self._beat_at_us

    def publish_state(self, mark: Mark, body: bytes) -> None:
        """Restate the complete public snapshot; `body` is its JSON and holds no card that lies face down."""
        self._state = self._envelope(b"state", mark, body)
        self._send(b"state", self._state)

    def publish_facts(self, mark: Mark, facts: Iterable[Fact]) -> None:
        """One message per fact; an alarm and a change of the meter are said on their own topic as well."""
        for fact in facts:
            body = _encode(fact)
            self._send(b"fact", self._envelope(b"fact", mark, body))
            if isinstance(fact, AlarmRaised):
                self._send(b"alarm", self._envelope(b"alarm", mark, body))
            elif isinstance(fact, MeterChanged):
                self._send(b"meter", self._envelope(b"meter", mark, body))

    def beat(self, now_us: int, mark: Mark, head: bytes) -> None:
        """Say the newest number and the head of the chain, if half a second has passed since the last time.

        A subscriber that lost the last message before a quiet time learns of it here. The `head` is that of
        an entry, not always of the newest, and empty after a restart while cards lie hidden.
        """
        if now_us >= self._beat_at_us:
            self._beat_at_us = now_us + HEARTBEAT_US
            self._send(b"heartbeat", self._envelope(b"heartbeat", mark, _encode(_Heartbeat(head.hex()))))

    def drain(self) -> None:
        """Take in who subscribes; the newest state is restated for those that are new to it.

        Call it when the socket is readable. Subscribers that know the state already see the same
        (boot, seq) again and skip it.
        """
        welcome = False
        for _ in range(_DRAIN_LIMIT):
            try:
                note = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                break
            self._subscriptions += 1
            welcome |= note[:1] == b"\x01" and b"state".startswith(note[1:])
        if welcome and self._state:
            self._send(b"state", self._state)

    @property
    def crowded(self) -> bool:
        """Somebody subscribes without end: everybody is to be cut off, and the honest ones come back."""
        return self._subscriptions > _SUBSCRIPTIONS_MAX

    def close(self) -> None:
        """Close the socket; what was not sent yet is dropped."""
        self.socket.close(0)

    def _envelope(self, topic: bytes, mark: Mark, body: bytes) -> bytes:
        raw = msgspec.Raw(body)
        return _encode(
            _Envelope(
                VERSION, topic.decode(), self._table, self._boot, mark.seq, mark.at_ms, mark.synced, raw
            )
        )

    def _send(self, topic: bytes, envelope: bytes) -> None:
        # XPUB never blocks: for a subscriber whose queue is full the message is dropped.
        self.socket.send_multipart((topic, envelope), zmq.NOBLOCK)
