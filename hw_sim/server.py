"""The board as a process of its own: levels outlive the service, as chips outlive a power cut.

`DIR/board.sock` takes two kinds of guests, told apart by their first line: one pin factory (the
service; `["pins"]`, see `hw_sim.pins.BoardWires`) and any number of hands (see
`hw_sim.table.BoardClient`). `DIR/shoe` is a link to the shoe's pseudo-terminal.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from hw_sim.board import LINES, Board, WiringError
from hw_sim.shoe import PtyShoe, SimShoe
from hw_sim.table import Felt, HandError, Motion

LONGEST_LINE: Final = 4096
MOST_UNSENT: Final = 65_536
MOST_GUESTS: Final = 32
MOST_MOTIONS: Final = 64


class BoardError(Exception):
    """The board process cannot start in that directory."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One act that hands ask for."""

    id: int
    do: str
    args: list[str]


_decode_any = msgspec.json.Decoder().decode


class Guest:
    """One connection. `kind` is `pins`, `hands`, or empty until its first line has come."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection: Final = connection
        self.kind = ""
        self.received = b""
        self.unsent = b""
        self.gone = False

    def send(self, line: bytes) -> None:
        """Send at once what goes at once; a guest that does not read is dropped, not waited for."""
        if self.gone:
            return
        self.unsent += line
        try:
            while self.unsent:
                self.unsent = self.unsent[self.connection.send(self.unsent) :]
        except BlockingIOError:
            self.gone = len(self.unsent) > MOST_UNSENT
        except OSError:
            self.gone = True


class BoardServer:
    """Runs a board in a directory until it is stopped."""

    def __init__(self, directory: Path, lines: Mapping[str, int], seats: int, *, shoe: bool = True) -> None:
        self.path: Final = directory / "board.sock"
        self.board: Final = Board(lines, seats, _now_us)
        self.shoe: Final = SimShoe(boot_id=_new_boot_id()) if shoe else None
        self._felt: Final = Felt(self.board, self.shoe)
        self._selector: Final = selectors.DefaultSelector()
        self._guests: Final[dict[int, Guest]] = {}
        self._pins: Guest | None = None
        # Running motions by the time of their next step; the number keeps their order of arrival.
        self._motions: list[tuple[int, int, Motion, Guest, int]] = []
        self._motions_begun = 0
        self._moment_us: int | None = None
        self._stop_reader, self._stop_writer = os.pipe()
        os.set_blocking(self._stop_writer, False)
        self._stopping = False
        self._listener = _listen(self.path)
        self._pty = PtyShoe(self.shoe, directory / "shoe") if self.shoe is not None else None
        self._pty_fd: int | None = None
        # Found by its name means ready: the name appears when the shoe is there and we listen.
        os.rename(_unready(self.path), self.path)
        self.board.watch(self._tell_pins)

    def stop(self) -> None:
        """End `serve`; may be called from a signal handler or another thread."""
        self._stopping = True
        with contextlib.suppress(OSError):
            os.write(self._stop_writer, b"x")

    def serve(self) -> None:
        """Serve until `stop`, then take the socket and the shoe out of the directory."""
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._stop_reader, selectors.EVENT_READ, lambda: None)
        try:
            while not self._stopping:
                self._attend_shoe()
                for key, _ in self._selector.select(self._wait_s()):
                    act: Callable[[], None] = key.data
                    act()
                self._move()
                self._drop_the_gone()
        finally:
            self._close()

    # ------------------------------------------------------------------------------------- time

    def _wait_s(self) -> float | None:
        due = [self._motions[0][0]] if self._motions else []
        shoe_due_us = None if self._pty is None else self._pty.due_at_us(_now_us())
        if shoe_due_us is not None:
            due.append(shoe_due_us)
        if any(guest.unsent for guest in self._guests.values()):
            due.append(_now_us() + 5_000)
        return max(0, min(due) - _now_us()) / 1_000_000 if due else None

    def _attend_shoe(self) -> None:
        if self._pty is None:
            return
        self._pty.turn(_now_us())
        fd = self._pty.fileno()
        if fd != self._pty_fd:
            if self._pty_fd is not None:
                self._selector.unregister(self._pty_fd)
            if fd is not None:
                self._selector.register(fd, selectors.EVENT_READ, lambda: None)
            self._pty_fd = fd

    def _move(self) -> None:
        while self._motions and self._motions[0][0] <= _now_us():
            due_us, _, motion, guest, request = heapq.heappop(self._motions)
            self._step(motion, due_us, guest, request)

    def _step(self, motion: Motion, at_us: int, guest: Guest, request: int) -> None:
        """Take steps of a motion until it has to wait; answer when it is done or refused."""
        # A busy computer runs a step late; the wire has changed when the motion says, as it would at a table.
        self._moment_us = at_us
        try:
            wait_us = next(motion)
            while not wait_us:
                wait_us = next(motion)
        except StopIteration as end:
            guest.send(_line({"id": request, "ok": True, "result": end.value}))
        except HandError as refusal:
            guest.send(_line({"id": request, "ok": False, "error": str(refusal)}))
        else:
            self._motions_begun += 1
            heapq.heappush(self._motions, (at_us + wait_us, self._motions_begun, motion, guest, request))
        finally:
            self._moment_us = None

    # ----------------------------------------------------------------------------------- guests

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.setblocking(False)
        guest = Guest(connection)
        if len(self._guests) >= MOST_GUESTS:
            guest.send(_line(["gone", f"the board has {MOST_GUESTS} guests and takes no more"]))
            connection.close()
            return
        self._guests[connection.fileno()] = guest
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._receive(guest))

    def _receive(self, guest: Guest) -> None:
        if guest.gone:
            return
        try:
            part = guest.connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            guest.gone = True
            return
        *lines, guest.received = (guest.received + part).split(b"\n")
        for line in lines:
            if not guest.gone:
                self._take(guest, line)
        if len(guest.received) > LONGEST_LINE:
            _dismiss(guest, f"a line is longer than {LONGEST_LINE} bytes")

    def _take(self, guest: Guest, line: bytes) -> None:
        try:
            said = _decode_any(line)
            if not guest.kind:
                guest.kind = "pins" if said == ["pins"] else "hands"
                if guest.kind == "pins":
                    self._give_pins(guest)
                    return
            if guest.kind == "pins":
                self._obey(said)
            else:
                self._begin(guest, msgspec.convert(said, Request))
        except (msgspec.DecodeError, WiringError, ValueError) as problem:
            _dismiss(guest, str(problem))

    def _give_pins(self, guest: Guest) -> None:
        if self._pins is not None:
            # The end of a killed service may lie unread behind the start of the next one.
            self._receive(self._pins)
            if not self._pins.gone:
                _dismiss(guest, "another process holds the pins")
                return
        self._pins = guest
        guest.send(_line(["levels", "".join(str(level) for level in self.board.levels)]))

    def _tell_pins(self, number: int, level: int) -> None:
        if self._pins is not None:
            at_us = _now_us() if self._moment_us is None else self._moment_us
            self._pins.send(b"[%d,%d,%d]\n" % (number, level, at_us))

    def _obey(self, said: Any) -> None:
        match said:
            case ["drive", int(number), 0 | 1 as level] if 0 <= number < LINES:
                self.board.drive(number, level)
            case ["pull", int(number), "up" | "down" | "floating" as direction] if 0 <= number < LINES:
                self.board.pull(number, direction)
            case _:
                raise ValueError(f"pins say drive or pull, not {said!r}")

    def _begin(self, guest: Guest, request: Request) -> None:
        if len(self._motions) >= MOST_MOTIONS:
            refusal = f"{MOST_MOTIONS} motions run already"
            guest.send(_line({"id": request.id, "ok": False, "error": refusal}))
            return
        try:
            motion = self._felt.motion(request.do, request.args)
        except HandError as refusal_of_word:
            guest.send(_line({"id": request.id, "ok": False, "error": str(refusal_of_word)}))
            return
        self._step(motion, _now_us(), guest, request.id)

    def _drop_the_gone(self) -> None:
        for fd, guest in list(self._guests.items()):
            if not guest.gone and guest.unsent:
                guest.send(b"")
            if guest.gone:
                if guest is self._pins:
                    self._pins = None
                    self.board.drop_outputs()
                del self._guests[fd]
                self._selector.unregister(fd)
                guest.connection.close()

    def _close(self) -> None:
        for guest in self._guests.values():
            guest.connection.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)
        if self._pty is not None:
            self._pty.close()
        self._selector.close()
        os.close(self._stop_reader)
        os.close(self._stop_writer)


def run_board(
    directory: Path,
    lines: Mapping[str, int],
    seats: int,
    shoe: bool = True,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Be the board process of a directory until SIGTERM or SIGINT; `BoardError` if it cannot start.

    `ready` is called once the board can be connected to and a signal ends it clean.
    """
    server = BoardServer(directory, lines, seats, shoe=shoe)
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    signal.signal(signal.SIGINT, lambda *_: server.stop())
    ready()
    server.serve()


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _new_boot_id() -> int:
    """A boot id that no shoe of this table had before: 32 random bits, never 0."""
    return int.from_bytes(os.urandom(4), "little") or 1


def _line(said: Any) -> bytes:
    return msgspec.json.encode(said) + b"\n"


def _dismiss(guest: Guest, why: str) -> None:
    """Tell a guest why it is sent away. Pins are told in their form, hands in theirs."""
    if guest.kind == "hands":
        guest.send(_line({"id": 0, "ok": False, "error": why}))
    else:
        guest.send(_line(["gone", why]))
    guest.gone = True


def _unready(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def _listen(path: Path) -> socket.socket:
    """Listen beside `path`, under the name that becomes `path` when all is ready."""
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            pass  # Nobody is there, or only the name that a killed board has left behind.
        else:
            raise BoardError(f"a simulated board runs already at {path}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _unready(path).unlink(missing_ok=True)
        listener.bind(str(_unready(path)))
        listener.listen(MOST_GUESTS)
    except OSError as problem:
        listener.close()
        raise BoardError(f"cannot make the socket {path}: {problem}") from problem
    return listener
