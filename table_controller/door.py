"""The door of a table's sockets: CURVE on both, and who knocks with which key (ZeroMQ RFC 27, ZAP).

The authenticator is a socket that the deciding loop serves like every other. Each socket asks for it
by a domain of its own (`ZAP_ENFORCE_DOMAIN`), so that without an answer nobody is let in: a dead
authenticator fails closed. What goes wrong inside it refuses the one who knocked and nobody else.
"""

from __future__ import annotations

import logging
import os
import time
from typing import Any, Final, Literal

import msgspec
import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from table_controller.keys import (
    NOBODY,
    ClientKey,
    KeysRefused,
    Register,
    read_register,
    read_table_key,
    register_path,
)
from table_controller.table.messages import Trespass

_log = logging.getLogger(__name__)

ZAP_ENDPOINT: Final = "inproc://zeromq.zap.01"
DOMAINS: Final = ("state", "commands")
_QUEUE_LIMIT: Final = 1_000
_HANDSHAKE_MS: Final = 3_000
"""Who has not shown his key by then holds a place that others need."""
_BIND_ATTEMPTS: Final = 100
_BIND_REST_S: Final = 0.01
# Which side notices first that the other has no key is a matter of luck, so both names of it count.
_NO_HANDSHAKE: Final = zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
_FAILURES_MEAN_REFUSED: Final = 3

Socket = zmq.Socket[bytes]
Context = zmq.Context[Socket]
Change = Literal["none", "more", "less"]


class Knock(msgspec.Struct, frozen=True):
    """Somebody was refused: why, the name of his key if it is known, what he asked, and from where."""

    why: Trespass
    who: str = ""
    word: str = "connect"
    address: str = ""


class Door:
    """The authenticator of one table and what it needs to close a socket behind it."""

    def __init__(self, context: Context, folder: str) -> None:
        """Open the door of the keys in `folder`. Raises `KeysRefused`, `zmq.ZMQError` where one stands."""
        self._folder = folder
        self._secret = read_table_key(folder)
        self._seen = self._look()
        self.register: Register = read_register(folder)
        self._monitors: list[Socket] = []
        self.socket: Socket = context.socket(zmq.ROUTER)
        self.socket.linger = 0
        self.socket.rcvhwm = self.socket.sndhwm = _QUEUE_LIMIT
        try:
            self.socket.bind(ZAP_ENDPOINT)
        except zmq.ZMQError:
            self.socket.close(0)
            raise

    def guard(self, socket: Socket, domain: str) -> None:
        """Put a socket behind the door, before it is bound."""
        socket.curve_server = True
        socket.curve_secretkey = self._secret.secret.encode()
        socket.zap_domain = domain.encode()
        socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
        socket.handshake_ivl = _HANDSHAKE_MS
        # Whoever has no key at all never comes as far as the authenticator: only the monitor sees him.
        self._monitors.append(socket.get_monitor_socket(_NO_HANDSHAKE))

    def unguard(self, socket: Socket) -> None:
        """The socket is about to be closed."""
        monitor = socket.get_monitor_socket()
        if monitor in self._monitors:
            self._monitors.remove(monitor)
        socket.disable_monitor()
        monitor.close(0)

    @property
    def sockets(self) -> list[Socket]:
        """What becomes readable when somebody knocks."""
        return [self.socket, *self._monitors]

    def drain(self, limit: int) -> list[Knock]:
        """Answer at most `limit` of those who knock; who was not let in is returned."""
        knocks = []
        for _ in range(limit):
            try:
                frames = self.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            refused = self._answer(frames)
            if refused is not None:
                knocks.append(refused)
        for monitor in self._monitors:
            for _ in range(limit):
                try:
                    event = recv_monitor_message(monitor, zmq.NOBLOCK)["event"]
                except zmq.Again:
                    break
                # Who has no key often breaks off first, and then looks like one that is closed in the middle.
                without = event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
                knocks.append(Knock("no_key" if without else "no_handshake"))
        return knocks

    def look(self) -> Change:
        """Read the register again if its file is another one now; `less` if a key lost what it had.

        A register that cannot be read lets nobody in until it can be.
        """
        seen = self._look()
        if seen == self._seen:
            return "none"
        self._seen = seen
        before = self.register
        try:
            self.register = read_register(self._folder)
        except KeysRefused as error:
            _log.critical("nobody is let in: %s", error)
            self.register = NOBODY
        kept = (
            self.register.in_force(public) == key for public, key in before.keys.items() if not key.revoked
        )
        return "more" if all(kept) else "less"

    @property
    def names(self) -> tuple[str, ...]:
        """Every key in force as `NAME ROLE`."""
        keys = self.register.keys.values()
        return tuple(sorted(f"{key.name} {key.role}" for key in keys if not key.revoked))

    def close(self) -> None:
        """Nobody is let in any more."""
        for monitor in self._monitors:
            monitor.close(0)
        self._monitors = []
        self.socket.close(0)

    def _look(self) -> tuple[int, ...]:
        try:
            found = os.lstat(register_path(self._folder))
        except OSError:
            return ()
        return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode)

    def _answer(self, frames: list[bytes]) -> Knock | None:
        """Let one in or not. Whatever goes wrong here concerns him alone."""
        head, request_id = frames[:2], frames[3:4] or [b""]
        try:
            knock, user = self._judge(frames)
        except Exception:  # noqa: BLE001 - whatever it is, it refuses one client and ends nothing
            _log.exception("the authenticator met an error; who knocked is refused")
            knock, user = Knock("fault"), ""
        code, text = (
            (b"200", b"OK") if knock is None else (b"500" if knock.why == "fault" else b"400", b"refused")
        )
        self.socket.send_multipart([*head, b"1.0", *request_id, code, text, user.encode(), b""], zmq.NOBLOCK)
        return knock

    def _judge(self, frames: list[bytes]) -> tuple[Knock | None, str]:
        _, _, version, _, domain, address, _, mechanism, *credentials = frames
        where = address.decode("ascii", "replace")
        if version != b"1.0" or domain.decode() not in DOMAINS or mechanism != b"CURVE":
            return Knock("no_key", address=where), ""
        public = z85.encode(credentials[0]).decode()
        key = self.register.find(public)
        if key is None:
            return Knock("unknown_key", address=where), ""
        if key.revoked:
            return Knock("revoked_key", key.name, address=where), ""
        return None, public


def bound(socket: Socket, endpoint: str, door: Door | None, domain: str) -> Socket:
    """The socket behind the door and bound; closed if it cannot be. Raises `zmq.ZMQError`.

    The address of a socket that was closed a moment ago is free after a moment only.
    """
    if door is not None:
        door.guard(socket, domain)
    for attempt in range(_BIND_ATTEMPTS):
        try:
            socket.bind(endpoint)
            return socket
        except zmq.ZMQError as error:
            if error.errno != zmq.EADDRINUSE or door is None or attempt == _BIND_ATTEMPTS - 1:
                if door is not None:
                    door.unguard(socket)
                socket.close(0)
                raise
            time.sleep(_BIND_REST_S)
    raise AssertionError("the last attempt returns or raises")


def sender_of(frame: zmq.Frame) -> str:
    """The public key that a message came with, proved by CURVE; empty inside of one process."""
    try:
        found = frame.get("User-Id")
    except zmq.ZMQError:
        return ""
    return str(found)


# ------------------------------------------------------------------------------------- the client


def use_key(socket: Socket, key: ClientKey | None) -> None:
    """Give a client's socket its key, before it connects; None for a table in the same process."""
    if key is not None:
        socket.curve_serverkey = key.server.encode()
        socket.curve_publickey = key.public.encode()
        socket.curve_secretkey = key.secret.encode()


class Refusals:
    """Tells a client that the table does not let it in; ZeroMQ itself only stays silent and tries again."""

    def __init__(self, socket: Socket) -> None:
        """Watch a socket that is not yet connected."""
        self._socket = socket
        self._monitor: Any = socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_FAILED_AUTH | _NO_HANDSHAKE | zmq.EVENT_HANDSHAKE_SUCCEEDED
        )
        self._failures = 0

    def heard(self) -> bool:
        """Whether the table refuses the key, as far as is known now.

        One handshake that ends in the middle may be a table that is going down; several in a row are not.
        """
        while True:
            try:
                event = recv_monitor_message(self._monitor, zmq.NOBLOCK)["event"]
            except zmq.Again:
                return self._failures >= _FAILURES_MEAN_REFUSED
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._failures = 0
            elif event in (zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL):
                self._failures = _FAILURES_MEAN_REFUSED
            else:
                self._failures += 1

    def close(self) -> None:
        """Watch no more; call it before the socket is closed."""
        self._socket.disable_monitor()
        self._monitor.close(0)


REFUSED_WORDS: Final = "this table does not accept the key: it is unknown there, revoked, or another table's"
"""What a program says when its key was refused."""
