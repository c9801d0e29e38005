"""A terminal view of one table, for the person who stands at it.

It is an ordinary client: it hears what the table publishes, asks for the snapshot when it has missed
something, and never claims to know more than that (ARCHITECTURE.md, Messages and Pages). On a
terminal it redraws one screen; into a file or a pipe it writes one block per change, so that a log
stays readable. What a message means is in `wording` and `view_words`, how it is drawn in `picture`;
all of them are pure.
"""

from __future__ import annotations

import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TextIO

import msgspec
import zmq

from table_controller.door import REFUSED_WORDS, Refusals, use_key
from table_controller.keys import ClientKey
from table_controller.picture import OFFLINE_MS, STALE_MS, render
from table_controller.view_words import block, describe

Json = dict[str, Any]

ASK_EVERY_MS: Final = 1_000
KNOCK_EVERY_MS: Final = 2_000
FACTS_KEPT: Final = 200
MESSAGE_MAX_BYTES: Final = 1 << 20
QUEUE_MAX_MESSAGES: Final = 10_000
TURN_MAX_MESSAGES: Final = 1_000
TOPICS: Final = ("state", "fact", "heartbeat")


class Feed:
    """What one table has said last.

    `state` is the newest snapshot's body or None, `facts` the bodies of the last facts. Order is (boot, seq).
    """

    def __init__(
        self,
        state_endpoint: str,
        commands_endpoint: str,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        key: ClientKey | None = None,
    ) -> None:
        self._context = context if context is not None else zmq.Context.instance()
        self._endpoints, self._key = (state_endpoint, commands_endpoint), key
        self._now_ms = now_ms
        self.state: Json | None = None
        self.facts: deque[Json] = deque(maxlen=FACTS_KEPT)
        self.unread: deque[Json] = deque(maxlen=FACTS_KEPT)
        self.table = ""
        self._order = (0, 0)
        self._ahead = (0, 0)
        self._heard_ms = now_ms()
        self._asked_ms = -ASK_EVERY_MS
        self._connect()

    def _connect(self) -> None:
        context = self._context
        self._knocked_ms = self._now_ms()
        self._subscriber, self._asker = context.socket(zmq.SUB), context.socket(zmq.DEALER)
        self._poller = zmq.Poller()
        for socket, endpoint in zip((self._subscriber, self._asker), self._endpoints, strict=True):
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.MAXMSGSIZE, MESSAGE_MAX_BYTES)
            socket.setsockopt(zmq.RCVHWM, QUEUE_MAX_MESSAGES)
            socket.setsockopt(zmq.RECONNECT_IVL, 100)
            self._poller.register(socket, zmq.POLLIN)
            use_key(socket, self._key)
            if socket is self._subscriber:
                self._refusals = Refusals(socket)
            socket.connect(endpoint)
        for topic in TOPICS:
            self._subscriber.setsockopt(zmq.SUBSCRIBE, topic.encode())

    @property
    def age_ms(self) -> int:
        """How long nothing has been heard from the table."""
        return self._now_ms() - self._heard_ms

    @property
    def refused(self) -> bool:
        """Whether the table does not let this key in."""
        return self._refusals.heard()

    def pump(self, timeout_ms: int) -> bool:
        """Takes in what has arrived, waiting for it at most so long; True if anything came."""
        if self.refused and self._now_ms() - self._knocked_ms >= KNOCK_EVERY_MS:
            # ZeroMQ never knocks again with a socket that was refused.
            self.close()
            self._connect()
        if self.state is None or self._ahead > self._order:
            self._ask()
        ready = dict(self._poller.poll(timeout_ms))
        for socket in (self._subscriber, self._asker):
            for _ in range(TURN_MAX_MESSAGES if socket in ready else 0):
                try:
                    frames = socket.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                self._take(frames[-1])
        return bool(ready)

    def close(self) -> None:
        """Closes the sockets."""
        self._refusals.close()
        self._subscriber.close()
        self._asker.close()

    def _ask(self) -> None:
        now_ms = self._now_ms()
        if now_ms - self._asked_ms < ASK_EVERY_MS:
            return
        self._asked_ms = now_ms
        try:
            self._asker.send(
                msgspec.json.encode({"v": 1, "id": f"watch-{now_ms}", "ask": "snapshot"}), zmq.NOBLOCK
            )
        except zmq.Again:
            # The table is away; the view says so by its age and asks again.
            return

    def _take(self, raw: bytes) -> None:
        said = msgspec.json.decode(raw)
        envelope = said.get("state", said) if "ok" in said else said
        if envelope.get("v") != 1 or "body" not in envelope:
            raise ValueError(f"a message of version {envelope.get('v')!r} came; this view knows version 1")
        order = (envelope["boot"], envelope["seq"])
        self._heard_ms = self._now_ms()
        if envelope["type"] == "heartbeat":
            self._ahead = max(self._ahead, order)
        if envelope["type"] == "fact":
            self.facts.append(envelope["body"])
            self.unread.append(envelope["body"])
        elif envelope["type"] == "state" and order >= self._order:
            self._order, self.state = order, envelope["body"]
            self.table = envelope["table"]


class Screen:
    """Shows a feed on a terminal, or writes its changes where there is none; a context manager.

    `wall_s` is UTC in seconds since 1970: a line of the log says when it was written.
    """

    def __init__(self, out: TextIO, wall_s: Callable[[], float] = time.time) -> None:
        self._out = out
        self._wall_s = wall_s
        self._tty = out.isatty()
        self._before: dict[str, str] = {}
        self._drawn = ""
        self._silent = ""

    def __enter__(self) -> Screen:
        if self._tty:
            self._out.write("\x1b[?1049h\x1b[?25l")
            self._out.flush()
        return self

    def __exit__(self, *_: object) -> None:
        if self._tty:
            self._out.write("\x1b[?25h\x1b[?1049l")
            self._out.flush()

    def show(self, feed: Feed) -> None:
        """Brings the view up to date; writes nothing if nothing has changed."""
        if self._tty:
            self._draw(feed)
        else:
            self._log(feed)

    def _draw(self, feed: Feed) -> None:
        feed.unread.clear()
        width, height = shutil.get_terminal_size((80, 24))
        if feed.state is None:
            picture = REFUSED_WORDS if feed.refused else "waiting for the table ..."
        else:
            picture = render(
                feed.state, list(feed.facts), width, height, feed.age_ms, feed.table, colour=True
            )
        if picture != self._drawn:
            self._drawn = picture
            self._out.write("\x1b[H" + picture.replace("\n", "\x1b[K\r\n") + "\x1b[K\x1b[J")
            self._out.flush()

    def _log(self, feed: Feed) -> None:
        if feed.refused and self._silent != REFUSED_WORDS:
            self._silent = REFUSED_WORDS
            self._out.write(f"{REFUSED_WORDS}\n")
            self._out.flush()
        if feed.state is None:
            return
        facts = list(feed.unread)
        feed.unread.clear()
        now = describe(feed.state)
        lines = block(self._before, now, facts)
        self._before = now
        age_ms = feed.age_ms
        silent = (
            "OFFLINE, nothing is confirmed"
            if age_ms >= OFFLINE_MS
            else "no news"
            if age_ms >= STALE_MS
            else ""
        )
        if silent != self._silent:
            self._silent = silent
            lines.append(
                f"{silent}: last update {age_ms // 1000} s ago" if silent else "the table is heard again"
            )
        if lines:
            stamp = time.strftime("%H:%M:%S", time.gmtime(self._wall_s()))
            self._out.write("".join(f"{stamp}  {line}\n" for line in lines))
            self._out.flush()


def watch(
    state_endpoint: str, commands_endpoint: str, out: TextIO = sys.stdout, key: ClientKey | None = None
) -> int:
    """Shows the table until the terminal is closed or Ctrl-C is pressed; gives the exit code 0."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    feed = Feed(state_endpoint, commands_endpoint, key=key)
    try:
        with Screen(out) as screen:
            while True:
                feed.pump(200)
                screen.show(feed)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    finally:
        feed.close()
