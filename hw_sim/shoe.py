"""The simulated card shoe: the far end of the serial line, written from PROTOCOL.md alone.

`SimShoe` is the shoe itself: bytes in, frames out, time as an argument. `LocalPort` is the port of a
host in the same process, `PtyShoe` a pseudo-terminal that a host opens like any serial port.
Nothing here is shared with the host's side of the protocol, so that a mistake cannot cancel itself out.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import tty
import zlib
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, Final

HELLO: Final = 0x01
EVENT: Final = 0x02
STATUS: Final = 0x03
RESUME: Final = 0x11
ACK: Final = 0x12
VERSION: Final = 1

FACE_DOWN: Final = 1
BOXED: Final = 2
UNREADABLE: Final = 3

WINDOW: Final = 8
RING: Final = 416
LONGEST_FRAME: Final = 64
AGAIN_US: Final = 200_000
STATUS_US: Final = 500_000
# How often the shoe's process looks whether a host has opened the pseudo-terminal.
LOOK_US: Final = 20_000


class MarkError(Exception):
    """That text names no card that could lie in a shoe."""


class HeldCard:
    """A card event that the host has not acknowledged; `sent_us` is when it was last sent."""

    def __init__(self, seq: int, kind: int, card: bytes) -> None:
        self.seq: Final = seq
        self.kind: Final = kind
        self.card: Final = card
        self.sent_us: int | None = None


class SimShoe:
    """A shoe whose cards a script deals; PROTOCOL.md, sections 1 to 3. Times are microseconds."""

    def __init__(self, boot_id: int = 1) -> None:
        self.boot_id = boot_id
        self.plugged = True
        self._next_seq = 1
        self._held: deque[HeldCard] = deque()
        self._out: deque[bytes] = deque()
        self._received = bytearray()
        self._overlong = False
        self._status_at_us = 0
        self._skip = False
        self._skipped = 0
        self._swallow = False
        self._hello(self._first_held())

    def about(self) -> dict[str, Any]:
        """What a technician reads at the back of the shoe."""
        return {
            "boot_id": self.boot_id,
            "next_seq": self._next_seq,
            "first_held": self._first_held(),
            "held": len(self._held),
            "plugged": self.plugged,
        }

    # ------------------------------------------------------------------------------------ cards

    def check(self, mark: str) -> None:
        """Refuse a text that cannot leave a shoe: cards are `KD`, `QS^`, `??`, or two letters like `JK`."""
        _kind_and_card(mark)

    def deal(self, mark: str, now_us: int) -> None:
        """One card leaves the shoe and is read: `KD`, `QS^` (face up), `??` (unreadable), `JK` (foreign)."""
        kind, card = _kind_and_card(mark)
        if self._skip:
            # Nothing is counted until the next card: that is what shows the gap.
            self._skip = False
            self._skipped += 1
            return
        self._next_seq += self._skipped
        self._skipped = 0
        event = HeldCard(self._next_seq, kind, card)
        self._next_seq += 1
        if len(self._held) == RING:
            self._held.popleft()
        self._held.append(event)
        self._fill_window(now_us)

    # ----------------------------------------------------------------------------------- faults

    def make_noise(self) -> None:
        """One frame with a wrong checksum is on the line now."""
        frame = self._content(STATUS, self._next_seq, self._standing(self._first_held()))
        damaged = bytearray(frame)
        damaged[-1] ^= 0x01
        self._put(stuff(bytes(damaged)))

    def skip_next_card(self) -> None:
        """The event of the next card is lost for good: its number is used up and never sent."""
        self._skip = True

    def swallow_next_frame(self) -> None:
        """The line loses the next card frame once; the shoe knows nothing of it."""
        self._swallow = True

    def unplug(self) -> None:
        """The cable is pulled: what is on the line is lost, boot id and events stay."""
        self.plugged = False
        self._out.clear()
        self._received.clear()
        self._overlong = False

    def replug(self) -> None:
        """The cable is plugged in again."""
        self.plugged = True

    def reboot(self) -> None:
        """The shoe starts again without its memory: another boot id, and nothing held."""
        self.boot_id = self.boot_id % 0xFFFFFFFF + 1
        self._next_seq = 1
        self._held.clear()
        self._skip = False
        self._skipped = 0
        self._hello(self._first_held())

    # --------------------------------------------------------------------------------- the line

    def receive(self, data: bytes, now_us: int) -> None:
        """Bytes from the host; what is no whole and sound frame is dropped without an answer."""
        for byte in data:
            if byte:
                self._received.append(byte)
                if len(self._received) > LONGEST_FRAME:
                    self._overlong = True
                    self._received.clear()
                continue
            frame, overlong = bytes(self._received), self._overlong
            self._received.clear()
            self._overlong = False
            if frame and not overlong:
                self._take(frame, now_us)

    def due_at_us(self) -> int | None:
        """When the shoe next has something to say, if nothing else happens before."""
        if not self.plugged:
            return None
        if self._out:
            return 0
        oldest_us = self._held[0].sent_us if self._held else None
        if oldest_us is None:
            return self._status_at_us
        return min(self._status_at_us, oldest_us + AGAIN_US)

    def frames(self, now_us: int) -> list[bytes]:
        """The frames that go on the line now, each encoded and closed by 00."""
        if now_us >= self._status_at_us:
            self._status_at_us = now_us + STATUS_US
            first_held = self._first_held()
            self._put(stuff(self._content(STATUS, self._next_seq, self._standing(first_held))))
        oldest_us = self._held[0].sent_us if self._held else None
        if oldest_us is not None and now_us - oldest_us >= AGAIN_US:
            self._send_from(0, now_us)
        out = list(self._out)
        self._out.clear()
        return out

    def _take(self, frame: bytes, now_us: int) -> None:
        content = unstuff(frame)
        if content is None or len(content) != 13:
            return
        body, crc = content[:-4], int.from_bytes(content[-4:], "little")
        if zlib.crc32(body) != crc:
            return
        boot_id, wanted = int.from_bytes(body[1:5], "little"), int.from_bytes(body[5:9], "little")
        if body[0] == RESUME:
            self._resume(boot_id, wanted, now_us)
        elif body[0] == ACK and boot_id == self.boot_id and wanted <= self._next_seq:
            while self._held and self._held[0].seq < wanted:
                self._held.popleft()
            self._fill_window(now_us)

    def _resume(self, boot_id: int, wanted: int, now_us: int) -> None:
        if boot_id != self.boot_id:
            self._hello(self._first_held())
            return
        at = next((n for n, held in enumerate(self._held) if held.seq >= wanted), len(self._held))
        self._hello(self._held[at].seq if at < len(self._held) else self._next_seq)
        self._send_from(at, now_us)
        if self._held:
            self._held[0].sent_us = now_us

    def _first_held(self) -> int:
        return self._held[0].seq if self._held else self._next_seq

    def _fill_window(self, now_us: int) -> None:
        for held in islice(self._held, WINDOW):
            if held.sent_us is None:
                self._send(held, now_us)

    def _send_from(self, at: int, now_us: int) -> None:
        for held in islice(self._held, at, at + WINDOW):
            self._send(held, now_us)

    def _send(self, held: HeldCard, now_us: int) -> None:
        held.sent_us = now_us
        if self._swallow and self.plugged:
            self._swallow = False
            return
        self._put(stuff(self._content(EVENT, held.seq, bytes([held.kind]) + held.card)))

    def _hello(self, first_held: int) -> None:
        self._put(stuff(self._content(HELLO, self._next_seq, self._standing(first_held))))

    def _standing(self, first_held: int) -> bytes:
        return first_held.to_bytes(4, "little") + bytes([VERSION])

    def _content(self, frame_type: int, seq: int, payload: bytes) -> bytes:
        body = bytes([frame_type]) + self.boot_id.to_bytes(4, "little") + seq.to_bytes(4, "little") + payload
        return body + zlib.crc32(body).to_bytes(4, "little")

    def _put(self, frame: bytes) -> None:
        if self.plugged:
            self._out.append(frame)


def stuff(content: bytes) -> bytes:
    """COBS: the content without any 00, closed by 00; PROTOCOL.md, 1.4."""
    return b"".join(bytes([len(piece) + 1]) + piece for piece in content.split(b"\0")) + b"\0"


def unstuff(frame: bytes) -> bytes | None:
    """The content of a frame without its closing 00, or None if a length byte points past its end."""
    pieces = []
    at = 0
    while at < len(frame):
        end = at + frame[at]
        if end > len(frame):
            return None
        pieces.append(frame[at + 1 : end])
        at = end
    return b"\0".join(pieces)


def _kind_and_card(mark: str) -> tuple[int, bytes]:
    text, kind = (mark[:-1], BOXED) if mark.endswith("^") else (mark, FACE_DOWN)
    if mark == "??":
        return UNREADABLE, b"??"
    if len(text) != 2 or "?" in text or not all("!" <= letter <= "~" for letter in text):
        raise MarkError(
            f"no card at the shoe is called {mark!r}: KD, QS^ (face up), ?? (unreadable), JK (foreign)"
        )
    return kind, text.upper().encode("ascii")


class LocalPort:
    """The host's port when shoe and host live in one process; raises OSError while the cable is pulled."""

    def __init__(self, shoe: SimShoe, now_us: Callable[[], int]) -> None:
        self._shoe = shoe
        self._now_us = now_us

    def fileno(self) -> int | None:
        """There is no descriptor to wait for: ask `due_at_us`."""
        return None

    def due_at_us(self) -> int | None:
        """When reading brings something, if nothing else happens before (0: now)."""
        return self._shoe.due_at_us()

    def read(self) -> bytes:
        """All that the shoe has sent until now."""
        self._check_cable()
        return b"".join(self._shoe.frames(self._now_us()))

    def write(self, data: bytes) -> None:
        """Bytes to the shoe."""
        self._check_cable()
        self._shoe.receive(data, self._now_us())

    def close(self) -> None:
        """Nothing is held."""

    def _check_cable(self) -> None:
        if not self._shoe.plugged:
            raise OSError(errno.EIO, "the cable of the simulated shoe is pulled")


class PtyShoe:
    """The shoe behind a pseudo-terminal; `link` is its stable name, as a udev rule would make it.

    Pulling the cable closes the master, so that the host sees what a pulled USB adapter shows;
    plugging in makes another pseudo-terminal under the same stable name.
    """

    def __init__(self, shoe: SimShoe, link: Path) -> None:
        self._shoe = shoe
        self._link = link
        self._master: int | None = None
        self._rest = b""
        self._heard = True
        self._plug()

    def fileno(self) -> int | None:
        """The descriptor to wait for; None while nobody holds the other end."""
        return self._master if self._heard else None

    def due_at_us(self, now_us: int) -> int | None:
        """When `turn` is wanted again even if nothing can be read; None while the cable is pulled."""
        if self._master is None and not self._shoe.plugged:
            return None
        due_us = self._shoe.due_at_us() or now_us
        return due_us if self._heard else min(due_us, now_us + LOOK_US)

    def turn(self, now_us: int) -> None:
        """Pull or plug as the shoe says, take what the host has sent, send what is due."""
        if self._shoe.plugged and self._master is None:
            self._plug()
        elif not self._shoe.plugged and self._master is not None:
            self._pull()
        if self._master is None:
            return
        self._heard = self._host_holds_the_line(self._master)
        if self._heard:
            self._read(self._master, now_us)
        for frame in self._shoe.frames(now_us):
            # A line that nobody reads loses whole frames; half a frame stays half only until there is room.
            if self._heard and not self._rest:
                self._write(self._master, frame)
        if self._heard and self._rest:
            self._write(self._master, self._rest)

    def close(self) -> None:
        """The shoe is taken away."""
        if self._master is not None:
            self._pull()

    def _plug(self) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        name = os.ttyname(slave)
        # Only the host holds the other end: that is how the shoe sees whether anybody listens.
        os.close(slave)
        beside = self._link.with_name(f".{self._link.name}.{os.getpid()}")
        beside.unlink(missing_ok=True)
        beside.symlink_to(name)
        beside.replace(self._link)

    def _pull(self) -> None:
        self._link.unlink(missing_ok=True)
        if self._master is not None:
            os.close(self._master)
        self._master = None
        self._rest = b""

    def _host_holds_the_line(self, master: int) -> bool:
        poll = select.poll()
        poll.register(master, select.POLLIN)
        return not any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0))

    def _read(self, master: int, now_us: int) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                self._shoe.receive(os.read(master, 65536), now_us)
            except OSError as problem:
                if problem.errno != errno.EIO:
                    raise
                self._heard = False

    def _write(self, master: int, data: bytes) -> None:
        try:
            self._rest = data[os.write(master, data) :]
        except BlockingIOError:
            self._rest = b"" if data is not self._rest else self._rest
        except OSError as problem:
            if problem.errno != errno.EIO:
                raise
            self._heard = False
            self._rest = b""
