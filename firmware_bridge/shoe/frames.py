"""Frames of the shoe: bytes in, frames or named damage out (PROTOCOL.md, The shoe: bytes).

Pure: no port, no clock. Whatever bytes arrive, in whatever pieces, each one ends up in a frame or in
a `Damaged`, and no more than one frame is ever kept waiting.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

LONGEST_FRAME: Final = 64
VERSION: Final = 1
LAST_SEQ: Final = 0xFFFF_FFFE

HELLO: Final = 0x01
EVENT: Final = 0x02
STATUS: Final = 0x03
RESUME: Final = 0x11
ACK: Final = 0x12

FACE_DOWN: Final = 0x01
FACE_UP: Final = 0x02
UNREADABLE: Final = 0x03

_HEAD: Final = struct.Struct("<BII")
_CRC: Final = struct.Struct("<I")
_POSITION: Final = struct.Struct("<IB")
_CARD: Final = struct.Struct("<B2s")


@dataclass(frozen=True, slots=True)
class Position:
    """HELLO or STATUS: where the shoe stands.

    The next card gets `next_seq`; numbers that were asked for and are below `first_held` never come.
    """

    boot_id: int
    next_seq: int
    first_held: int


@dataclass(frozen=True, slots=True)
class Scan:
    """EVENT: a card left the shoe. `card` is `??` if it could not be read; `boxed`: it lay face up."""

    boot_id: int
    seq: int
    card: str
    boxed: bool
    readable: bool


@dataclass(frozen=True, slots=True)
class Damaged:
    """Something arrived that is no frame; `why` is a sentence for the log, and tells no card's face."""

    why: str


Frame = Position | Scan | Damaged


def cobs_encode(content: bytes) -> bytes:
    """The content without a zero byte (PROTOCOL.md, COBS); the closing zero is not added.

    For content shorter than 254 bytes, which every frame is: longer pieces need a rule more.
    """
    return b"".join(bytes((len(piece) + 1,)) + piece for piece in content.split(b"\0"))


def cobs_decode(encoded: bytes) -> bytes | None:
    """The content of an encoded frame, or None if a length byte is zero or points past its end."""
    pieces: list[bytes] = []
    at = 0
    while at < len(encoded):
        length = encoded[at]
        piece = encoded[at + 1 : at + length]
        if length == 0 or len(piece) != length - 1:
            return None
        pieces.append(piece)
        at += length
    return b"\0".join(pieces)


def encode(kind: int, boot_id: int, seq: int, payload: bytes = b"") -> bytes:
    """One frame as it stands on the wire, with its CRC and its closing zero."""
    content = _HEAD.pack(kind, boot_id, seq) + payload
    return cobs_encode(content + _CRC.pack(zlib.crc32(content))) + b"\0"


def decode(encoded: bytes) -> Frame:
    """The frame that stood between two zeros; anything but a frame a shoe may send is `Damaged`."""
    content = cobs_decode(encoded)
    if content is None:
        return Damaged("the length bytes of the frame do not fit it")
    if len(content) < _HEAD.size + _CRC.size:
        return Damaged(f"the frame has {len(content)} bytes; {_HEAD.size + _CRC.size} is the least")
    body = content[: -_CRC.size]
    if zlib.crc32(body) != _CRC.unpack(content[-_CRC.size :])[0]:
        return Damaged("the CRC of the frame is wrong")
    kind, boot_id, seq = _HEAD.unpack_from(body)
    payload = body[_HEAD.size :]
    if boot_id == 0 or seq == 0:
        return Damaged(f"boot id {boot_id:08X} and number {seq}: a shoe never sends 0 for either")
    if kind in (HELLO, STATUS):
        return _position(boot_id, seq, payload)
    if kind == EVENT:
        return _scan(boot_id, seq, payload)
    return Damaged(f"frame type {kind:02X}; a shoe may send 01 (HELLO), 02 (EVENT), 03 (STATUS)")


def _position(boot_id: int, next_seq: int, payload: bytes) -> Frame:
    # The version stands at its place in every version, whatever may follow it.
    if len(payload) >= _POSITION.size and payload[_POSITION.size - 1] != VERSION:
        version = payload[_POSITION.size - 1]
        return Damaged(f"the shoe speaks version {version} of the protocol; this bridge speaks {VERSION}")
    if len(payload) != _POSITION.size:
        return Damaged(f"HELLO or STATUS with {len(payload)} bytes of payload instead of {_POSITION.size}")
    first_held, _ = _POSITION.unpack(payload)
    if not 1 <= first_held <= next_seq:
        return Damaged(f"first_held is {first_held}; 1 to {next_seq} (next_seq) is allowed")
    return Position(boot_id, next_seq, first_held)


def _scan(boot_id: int, seq: int, payload: bytes) -> Frame:
    if len(payload) != _CARD.size:
        return Damaged(f"EVENT with {len(payload)} bytes of payload instead of {_CARD.size}")
    if seq > LAST_SEQ:
        return Damaged(f"EVENT {seq}; the last number of a memory is {LAST_SEQ}")
    kind, raw = _CARD.unpack(payload)
    if kind not in (FACE_DOWN, FACE_UP, UNREADABLE):
        return Damaged(f"kind {kind:02X}; 01 (face down), 02 (face up), 03 (not readable) are allowed")
    if not all(0x21 <= byte <= 0x7E for byte in raw):
        return Damaged("a card text with a byte that is not 21 to 7E; two printable characters are allowed")
    if (raw == b"??") != (kind == UNREADABLE):
        return Damaged(f"kind {kind:02X} with a card text of another kind; 03, and no other, goes with ??")
    return Scan(boot_id, seq, raw.decode().upper(), kind == FACE_UP, kind != UNREADABLE)


class Decoder:
    """Cuts a stream of bytes into frames; keeps at most one unfinished frame of `LONGEST_FRAME` bytes."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False

    def reset(self) -> None:
        """The line was interrupted: what came before belongs to no frame."""
        self._rest.clear()
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that end in `data`, in order. Empty frames are no frames."""
        frames: list[Frame] = []
        pieces = data.split(b"\0")
        for number, piece in enumerate(pieces):
            if number > 0:
                if self._rest:
                    frames.append(decode(bytes(self._rest)))
                self.reset()
            if self._skipping:
                continue
            self._rest += piece
            if len(self._rest) > LONGEST_FRAME:
                self.reset()
                self._skipping = True
                frames.append(Damaged(f"a frame is longer than {LONGEST_FRAME} bytes"))
        return frames
