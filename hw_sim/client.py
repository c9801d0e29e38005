"""An ordinary client of one table: it hears what the table publishes and says what people say.

It knows the table by its messages alone (ARCHITECTURE.md, Messages), so whatever it believes, any
web page or sign could believe as well. Every happening has its place in the order (boot, seq) of the
table; the clock orders nothing.
"""

from __future__ import annotations

import time
import tomllib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import zmq

Json = dict[str, Any]

VERSION = 1
TOPICS = ("state", "fact", "meter", "alarm", "heartbeat")
FACTS_MAX = 100_000
OPEN_REQUESTS_MAX = 64
MESSAGE_MAX_BYTES = 1 << 20
QUEUE_MAX_MESSAGES = 10_000
RETRY_MS = 500
SAY_TRIES = 20
RECONNECT_MS = 20


class TableSilent(Exception):
    """The table gave no answer within the bounded number of tries."""


class UnknownMessage(Exception):
    """The table said something that this client does not know; the sentence names it."""


class TooMuch(Exception):
    """A bound of the client was reached: facts nobody took, or requests nobody asked the answer of."""


class TableClient:
    """Subscriber and speaker of one table.

    `snapshot` is the newest envelope of type `state` or None; its body is in `state`. Facts gather
    in order of arrival until `take_facts` hands them over. `on_state`, if given, is called with every
    newer snapshot envelope, also with those that a later one replaces before anybody looks. `key` is the
    client's key file; a table in the same process needs none.

    The blocking half (`say`, `ask_snapshot`, `wait_for`) is for a table that runs by itself; the
    other half (`send`, `send_ask`, `answer`, `resend`, `pump(0)`) never waits, for a caller who turns
    the table's loop in the same thread. Not to be shared between threads.
    """

    def __init__(
        self,
        state_endpoint: str,
        commands_endpoint: str,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        on_state: Callable[[Json], None] | None = None,
        key: Path | None = None,
    ) -> None:
        self._key = _read_key(key) if key is not None else None
        self._endpoints = (state_endpoint, commands_endpoint)
        self._context = context if context is not None else zmq.Context.instance()
        self._on_state = on_state
        self._open: dict[str, bytes] = {}
        self._answers: dict[str, Json] = {}
        self._facts: list[Json] = []
        self._healing = ""
        self._healing_at_ms = 0
        self.snapshot: Json | None = None
        self._connect()

    # ------------------------------------------------------------------------------- what is known

    @property
    def state(self) -> Json:
        """The body of the newest snapshot. Raises `TableSilent` while none has been seen."""
        if self.snapshot is None:
            raise TableSilent(f"{self._endpoints[0]}: no snapshot seen yet")
        body: Json = self.snapshot["body"]
        return body

    @property
    def order(self) -> tuple[int, int]:
        """(boot, seq) of the newest snapshot; (0, 0) before the first."""
        return order_of(self.snapshot) if self.snapshot is not None else (0, 0)

    def take_facts(self) -> list[Json]:
        """Hands over the envelopes of all facts since the last call, in order; `body` is the fact."""
        taken, self._facts = self._facts, []
        return taken

    # ------------------------------------------------------------------------------- without waiting

    def send(
        self,
        command: Json,
        operator: str,
        role: str,
        reason: str = "",
        round: str = "",  # noqa: A002 - the name on the wire
        request_id: str | None = None,
    ) -> str:
        """Sends a command and gives its request id; `answer(id)` has the answer once it has come."""
        return self._request(
            {"command": command, "operator": operator, "role": role, "reason": reason, "round": round},
            request_id,
        )

    def send_ask(self, what: str = "snapshot") -> str:
        """Asks the table something (only `snapshot` exists) and gives the request id."""
        return self._request({"ask": what}, None)

    def answer(self, request_id: str) -> Json | None:
        """The answer to a request, handed over once; None while it has not come."""
        answer = self._answers.pop(request_id, None)
        if answer is not None:
            self._open.pop(request_id, None)
        return answer

    def resend(self, request_id: str) -> None:
        """Says an unanswered request again under its own id, so that it has one effect at most."""
        raw = self._open.get(request_id)
        if raw is not None and request_id not in self._answers:
            self._send(raw)

    def forget(self, request_id: str) -> None:
        """Gives an unanswered request up; an answer that still comes is dropped."""
        self._open.pop(request_id, None)
        self._answers.pop(request_id, None)

    def pump(self, timeout_ms: int = 0) -> bool:
        """Takes in everything that has arrived; waits up to `timeout_ms` for the first message.

        Returns whether anything came. A heartbeat ahead of the newest snapshot shows that a snapshot
        was missed, or that the table was started again: the snapshot is asked for.
        """
        came = bool(self._poller.poll(timeout_ms))
        ahead = (0, 0)
        while (raw := _receive(self._subscriber)) is not None:
            ahead = max(ahead, self._heard(raw))
        while (raw := _receive(self._dealer)) is not None:
            self._answered(raw[-1])
        self._heal(ahead)
        return came

    # ------------------------------------------------------------------------------- with waiting

    def say(
        self,
        command: Json,
        operator: str,
        role: str,
        reason: str = "",
        round: str = "",  # noqa: A002 - the name on the wire
        request_id: str | None = None,
    ) -> Json:
        """Says a command and waits for its answer: `{"ok": true, "seq": ...}` or an `error` sentence.

        Repeated under the same id until answered. Raises `TableSilent` after 20 tries of 0.5 s.
        """
        return self._await(self.send(command, operator, role, reason, round, request_id))

    def ask_snapshot(self) -> Json:
        """Asks for the snapshot and waits for it; gives the newest envelope of type `state`."""
        answer = self._await(self.send_ask())
        if self.snapshot is None:
            raise UnknownMessage(f"answer to the question for the snapshot holds none: {answer!r}")
        return self.snapshot

    def wait_for(self, condition: Callable[[Json], bool], timeout_ms: int) -> bool:
        """Pumps until `condition(body of the snapshot)` holds; False when the time is over."""
        end_ms = _now_ms() + timeout_ms
        while True:
            self.pump(0)
            if self.snapshot is not None and condition(self.state):
                return True
            left_ms = end_ms - _now_ms()
            if left_ms <= 0:
                return False
            self.pump(min(left_ms, RETRY_MS))

    # ------------------------------------------------------------------------------- the sockets

    def reconnect(self, state_endpoint: str | None = None, commands_endpoint: str | None = None) -> None:
        """Fresh sockets, if wanted to other endpoints; what is known and asked stays.

        An `inproc` connection does not survive the death of its table, `ipc` and `tcp` do.
        """
        self.close()
        self._endpoints = (state_endpoint or self._endpoints[0], commands_endpoint or self._endpoints[1])
        self._connect()

    def close(self) -> None:
        """Closes both sockets; nothing waits for anything unsent."""
        self._subscriber.close(linger=0)
        self._dealer.close(linger=0)

    def _connect(self) -> None:
        self._subscriber = self._context.socket(zmq.SUB)
        self._dealer = self._context.socket(zmq.DEALER)
        self._poller = zmq.Poller()
        for socket, endpoint in zip((self._subscriber, self._dealer), self._endpoints, strict=True):
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.MAXMSGSIZE, MESSAGE_MAX_BYTES)
            socket.setsockopt(zmq.RCVHWM, QUEUE_MAX_MESSAGES)
            socket.setsockopt(zmq.SNDHWM, QUEUE_MAX_MESSAGES)
            socket.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
            if self._key is not None:
                socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = self._key
            if socket is self._subscriber:
                for topic in TOPICS:
                    socket.setsockopt(zmq.SUBSCRIBE, topic.encode())
            socket.connect(endpoint)
            self._poller.register(socket, zmq.POLLIN)
        self._healing = ""

    def _request(self, content: Json, request_id: str | None) -> str:
        request_id = request_id if request_id is not None else str(uuid.uuid4())
        if len(self._open) >= OPEN_REQUESTS_MAX:
            raise TooMuch(f"{len(self._open)} requests are open, at most {OPEN_REQUESTS_MAX} may be")
        raw = msgspec.json.encode({"v": VERSION, "id": request_id, **content})
        self._open[request_id] = raw
        self._send(raw)
        return request_id

    def _send(self, raw: bytes) -> None:
        try:
            self._dealer.send(raw, zmq.NOBLOCK)
        except zmq.Again:
            # Nobody takes the requests; the answer stays out and the retry of the caller is bounded.
            return

    def _await(self, request_id: str) -> Json:
        for _ in range(SAY_TRIES):
            end_ms = _now_ms() + RETRY_MS
            while (left_ms := end_ms - _now_ms()) > 0:
                self.pump(left_ms)
                answer = self.answer(request_id)
                if answer is not None:
                    return answer
            self.resend(request_id)
        self.forget(request_id)
        raise TableSilent(f"{self._endpoints[1]}: no answer to request {request_id} in {SAY_TRIES} tries")

    def _heard(self, frames: list[bytes]) -> tuple[int, int]:
        """Takes one published message in; gives the order of a message that asserts a newer snapshot."""
        topic = frames[0].decode("utf-8", "replace")
        if topic not in TOPICS or len(frames) != 2:
            raise UnknownMessage(f"topic {topic!r} with {len(frames)} frames; allowed: {', '.join(TOPICS)}")
        envelope = _decoded(frames[1], f"message of topic {topic}")
        if envelope.get("type") != topic:
            raise UnknownMessage(f"topic {topic}: type is {envelope.get('type')!r}, expected {topic!r}")
        if topic == "state":
            self._take_state(envelope)
        elif topic == "fact":
            if len(self._facts) >= FACTS_MAX:
                raise TooMuch(f"{FACTS_MAX} facts gathered and nobody called take_facts")
            self._facts.append(envelope)
        elif topic == "heartbeat":
            return order_of(envelope)
        return (0, 0)

    def _take_state(self, envelope: Json) -> None:
        if self.snapshot is not None and order_of(envelope) < order_of(self.snapshot):
            return
        self.snapshot = envelope
        if self._on_state is not None:
            self._on_state(envelope)

    def _answered(self, raw: bytes) -> None:
        answer = _decoded(raw, "answer")
        request_id = answer.get("id")
        if isinstance(answer.get("state"), dict):
            self._take_state(answer["state"])
        if request_id == self._healing:
            self._healing = ""
            self._open.pop(str(request_id), None)
        elif request_id in self._open:
            self._answers[str(request_id)] = answer

    def _heal(self, ahead: tuple[int, int]) -> None:
        """Asks for the snapshot if there is none or the table is ahead of it; one question at a time."""
        now_ms = _now_ms()
        if self._healing:
            if now_ms - self._healing_at_ms >= RETRY_MS:
                self._healing_at_ms = now_ms
                self.resend(self._healing)
        elif self.snapshot is None or ahead > order_of(self.snapshot):
            self._healing = self.send_ask()
            self._healing_at_ms = now_ms


def order_of(envelope: Json) -> tuple[int, int]:
    """The place of a message in the table's own order: (boot, seq)."""
    boot, seq = envelope.get("boot"), envelope.get("seq")
    if not isinstance(boot, int) or not isinstance(seq, int):
        raise UnknownMessage(f"boot {boot!r}, seq {seq!r}: both must be whole numbers")
    return boot, seq


def _read_key(path: Path) -> tuple[bytes, bytes, bytes]:
    """The table's public key and the client's own pair, as ZeroMQ takes them."""
    key = tomllib.loads(path.read_text("ascii"))
    return key["server"].encode(), key["public"].encode(), key["secret"].encode()


def _receive(socket: zmq.Socket[bytes]) -> list[bytes] | None:
    try:
        return socket.recv_multipart(zmq.NOBLOCK)
    except zmq.Again:
        return None


def _decoded(raw: bytes, what: str) -> Json:
    try:
        message = msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise UnknownMessage(f"{what}: not JSON: {error}") from error
    if not isinstance(message, dict) or message.get("v") != VERSION:
        version = message.get("v") if isinstance(message, dict) else message
        raise UnknownMessage(f"{what}: version {version!r}, this client knows {VERSION}")
    return message


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
