"""What people ask of the table: one ROUTER socket, every request checked, every request answered.

A request that is no command of ours, or that its key does not allow, is answered at once and never reaches
the table (`request`); a word that a role may not say is refused by the table, so that it is in the journal.
A request above 64 KiB is refused like that. A frame above 1 MiB is never taken in: ZeroMQ cuts that
peer off without an answer, its own library connects again, and nobody else is disturbed.
Repeating a request is harmless: the same id of the same sender gets the stored answer
(ARCHITECTURE.md, The loop and A supervisor's word).
"""

from __future__ import annotations

import logging

import msgspec
import zmq

from table_controller.door import Door, Knock, bound, sender_of
from table_controller.keys import Key
from table_controller.request import MAX_REQUEST_BYTES, VERSION, Request, RequestRefused, read_request

# A peer that sends more than this at once is cut off by ZeroMQ before the memory is taken.
_MAX_FRAME_BYTES = 16 * MAX_REQUEST_BYTES
_QUEUE_LIMIT = 1_000

_log = logging.getLogger(__name__)
_encode = msgspec.json.encode


class _Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    v: int
    id: str
    ok: bool
    seq: int
    error: str = ""


class _Offers(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    offers: msgspec.Raw


class _Lines(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    lines: msgspec.Raw


class _House(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    house: msgspec.Raw


class _Snapshot(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    state: msgspec.Raw


class Commands:
    """The ROUTER socket of one table, used by the thread that decides."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str, door: Door | None = None
    ) -> None:
        """Bind to `endpoint`. Raises `zmq.ZMQError`.

        Without a `door` everybody is who he says: that is for a table in the same process only.
        """
        self._context, self._endpoint, self._door = context, endpoint, door
        self._tried: list[Knock] = []
        self.socket = self._bind()

    def _bind(self) -> zmq.Socket[bytes]:
        socket: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        socket.linger = 0
        socket.rcvhwm = _QUEUE_LIMIT
        socket.sndhwm = _QUEUE_LIMIT
        socket.maxmsgsize = _MAX_FRAME_BYTES
        return bound(socket, self._endpoint, self._door, "commands")

    def rebind(self) -> None:
        """Cut everybody off; whose key is in force comes back, and asks again what was not answered."""
        if self._door is not None:
            self._door.unguard(self.socket)
        self.socket.close(0)
        self.socket = self._bind()

    def take_tried(self) -> list[Knock]:
        """What was asked and not allowed by a key, since this was asked last."""
        tried, self._tried = self._tried, []
        return tried

    def drain(self, limit: int) -> list[Request]:
        """At most `limit` requests of those that have arrived; never blocks.

        What is refused here is answered here, with journal number 0: it is in no entry.
        """
        requests: list[Request] = []
        for _ in range(limit):
            try:
                frames = self.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                break
            request = self._read(frames[0].bytes, [frame.bytes for frame in frames[1:]], frames[-1])
            if request is not None and request.turned_away is not None:
                self._tried.append(request.turned_away)
                self.answer(request, True, 0)
            elif request is not None:
                requests.append(request)
        return requests

    def answer(self, request: Request, ok: bool, seq: int, error: str = "") -> None:
        """Tell what became of a command, after the commit; `seq` is the number of its journal entry."""
        self._send(request.peer, _encode(_Answer(VERSION, request.id, ok, seq, error)))

    def answer_again(self, request: Request, body_hash: bytes, ok: bool, seq: int, error: str) -> None:
        """Answer a repeated id with what was stored; an id that was used for another command is refused."""
        if body_hash == request.body_hash:
            self.answer(request, ok, seq, error)
        else:
            text = f"$.id: `{request.id}` was another command's, entry {seq}; allowed: an id of its own."
            self.answer(request, False, seq, text)

    def answer_snapshot(self, request: Request, state: bytes) -> None:
        """Answer with the newest `state` envelope; before the first one there is nothing to show."""
        if state:
            self._send(request.peer, _encode(_Snapshot(VERSION, request.id, True, msgspec.Raw(state))))
        else:
            self.answer(
                request, False, 0, "$.ask: the table has not shown a state yet; allowed: to ask again."
            )

    def answer_offers(self, request: Request, offers: bytes) -> None:
        """Answer with the list of what can be done now, as JSON."""
        self._send(request.peer, _encode(_Offers(VERSION, request.id, True, msgspec.Raw(offers))))

    def answer_lines(self, request: Request, lines: bytes) -> None:
        """Answer with every wire as it is now, as JSON."""
        self._send(request.peer, _encode(_Lines(VERSION, request.id, True, msgspec.Raw(lines))))

    def answer_house(self, request: Request, house: bytes) -> None:
        """Answer with the rules, limits and program of the table, as JSON."""
        self._send(request.peer, _encode(_House(VERSION, request.id, True, msgspec.Raw(house))))

    def close(self) -> None:
        """Close the socket; answers that were not sent yet are dropped and can be asked for again."""
        self.socket.close(0)

    def _read(self, peer: bytes, frames: list[bytes], last: zmq.Frame) -> Request | None:
        try:
            return read_request(peer, frames, lambda: self._key_of(last))
        except RequestRefused as refused:
            if refused.knock is not None:
                self._tried.append(refused.knock)
            # The place only: a value may be a card or an amount that the journal does not hold.
            _log.warning("request %s refused at %s", refused.id or "without an id", refused.place)
            self._send(peer, _encode(_Answer(VERSION, refused.id, False, 0, str(refused))))
            return None

    def _key_of(self, frame: zmq.Frame) -> Key | None:
        """The key that a message came with, as the register has it at this moment."""
        if self._door is None:
            return None
        key = self._door.register.find(sender_of(frame))
        if key is None or key.revoked:
            # Its session is about to be cut; until then nothing that it says is taken.
            knock = Knock("revoked_key", key.name, "a request") if key else Knock("unknown_key")
            raise RequestRefused("$", "this key is not in force at this table.", knock)
        return key

    def _send(self, peer: bytes, text: bytes) -> None:
        # ROUTER drops what it cannot deliver: a peer that is gone asks again with the same id.
        self.socket.send_multipart((peer, text), zmq.NOBLOCK)
