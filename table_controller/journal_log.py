"""The write-ahead log of a journal, read without SQLite, to see that all that was committed is there.

A damaged journal is refused and never becomes an emptier one (ARCHITECTURE.md, Journal).
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Literal

# SQLite's write-ahead log and the header of its index (SQLite, WAL-mode File Format).
_LOG_HEAD = struct.Struct(">IIII8sII")
_FRAME_HEAD = struct.Struct(">II8sII")
_INDEX_HEAD = struct.Struct("=16xI12x8s2I")
_LOG_MAGIC = 0x377F0682
_FRAMES_AT_ONCE = 1_024
# Each time a log begins anew its first salt grows by one; more often than this none does in its life.
_OLDEST_SALT = 1 << 20
_Order = Literal["little", "big"]
_LANE = sys.byteorder


class LogDamaged(Exception):
    """The log lacks something that was committed; the text says what was found."""


def check_log(path: str) -> bool:
    """Read the write-ahead log as SQLite will when nobody has the journal open; False: there is none.

    SQLite ends a log at the first frame that is not right and forgets what stands behind it. This is
    right for one commit only, the last, which a power cut can tear: each is synced before the next
    begins. Everything else that would be forgotten is damage. Raises `LogDamaged` for it.

    To be called before SQLite opens anything: the index of the log is a file that SQLite locks.
    """
    name = os.path.basename(path) + "-wal"
    with suppress(FileNotFoundError), open(path + "-wal", "rb") as file:
        head = file.read(_LOG_HEAD.size)
        if len(head) < _LOG_HEAD.size or not any(head):
            return False
        magic, _, page_bytes, _, salts, *sums = _LOG_HEAD.unpack(head)
        order: _Order = "big" if magic & 1 else "little"
        if magic & ~1 != _LOG_MAGIC or _checksum(head[:24], order) != tuple(sums) or page_bytes % 512:
            raise LogDamaged(f"the header of its log {name} is not right")
        committed = broken = 0
        torn_commit = False
        frames = _frames(file, page_bytes, salts, (sums[0], sums[1]), order)
        for number, (right, commit, frame_salts) in enumerate(frames, start=1):
            if right and not broken:
                committed = number if commit else committed
                continue
            broken = broken or number
            if frame_salts == salts:
                if torn_commit:
                    raise LogDamaged(
                        f"its log {name} is broken at frame {broken} and goes on behind that commit"
                    )
                torn_commit = commit
            elif any(frame_salts) and not _is_earlier(frame_salts, salts):
                raise LogDamaged(f"frame {number} of its log {name} was not written by SQLite")
        indexed = _indexed_frames(path, salts)
        if committed < indexed:
            raise LogDamaged(f"its log {name} had {indexed} frames, {committed} are right")
        return True
    return False


def _is_earlier(salts: bytes, newer: bytes) -> bool:
    """Whether a frame is left from before the log began anew: one salt counts up, the other is chance."""
    ages = int.from_bytes(newer[:4], "big") - int.from_bytes(salts[:4], "big")
    return 0 < ages % (1 << 32) < _OLDEST_SALT and salts[4:] != newer[4:]


def _indexed_frames(path: str, salts: bytes) -> int:
    """How many frames of this log the index says were synced; 0 where it does not say.

    SQLite writes that only after the sync, so that an index of any age is a proof. A power cut may
    leave no index or half of one, which proves nothing.
    """
    try:
        with open(path + "-shm", "rb") as file:
            both = file.read(2 * _INDEX_HEAD.size)
    except FileNotFoundError:
        return 0
    indexed = 0
    for start in range(0, len(both) - _INDEX_HEAD.size + 1, _INDEX_HEAD.size):
        frames, its_salts, *sums = _INDEX_HEAD.unpack_from(both, start)
        if its_salts == salts and _checksum(both[start : start + 40], _LANE) == tuple(sums):
            indexed = max(indexed, frames)
    return indexed


def _frames(
    file: BinaryIO, page_bytes: int, salts: bytes, before: tuple[int, int], order: _Order
) -> Iterator[tuple[bool, bool, bytes]]:
    """Of every frame of a log: whether it is right behind the one before, ends a commit, and its salts.

    `before` is the checksum that stands ahead of the first one. A frame that is cut off is never right.
    """
    frame_bytes = _FRAME_HEAD.size + page_bytes
    while chunk := file.read(frame_bytes * _FRAMES_AT_ONCE):
        whole = len(chunk) // frame_bytes
        if whole:
            heads = [_FRAME_HEAD.unpack_from(chunk, number * frame_bytes) for number in range(whole)]
            stored = [(first, second) for _, _, _, first, second in heads]
            found = _frame_checksums(chunk[: whole * frame_bytes], [before, *stored[:-1]], order)
            before = stored[-1]
            for (page, commit, its_salts, *_), is_stored, is_found in zip(heads, stored, found, strict=True):
                yield page > 0 and its_salts == salts and is_stored == is_found, commit > 0, its_salts
        rest = chunk[whole * frame_bytes :]
        if rest:
            # One that ends before its salts may have been anything, so that it counts as one of ours.
            yield False, any(rest[4:8]), rest[8:16] if len(rest) >= 16 else salts


def _frame_checksums(frames: bytes, before: list[tuple[int, int]], order: _Order) -> list[tuple[int, int]]:
    """The checksum of every frame behind those of `before`, all at once.

    A log of a thousand frames has a million words. Each frame is a lane of 64 bits in one long whole
    number, so that a step of Python takes in one word of every frame.
    """
    lanes = len(before)
    words = array("I", frames)
    if order != _LANE:
        words.byteswap()
    frame_words = len(words) // lanes
    column = array("I", bytes(8 * lanes))
    low = slice(0 if _LANE == "little" else 1, None, 2)
    mask = int.from_bytes(array("Q", [0xFFFFFFFF]) * lanes, _LANE)
    first, second = (int.from_bytes(array("Q", sums), _LANE) for sums in zip(*before, strict=True))
    # The salts and the checksum in the header of a frame are not summed.
    for word in (0, 1, *range(_FRAME_HEAD.size // 4, frame_words)):
        column[low] = words[word::frame_words]
        first, second = second, first + second + int.from_bytes(column, _LANE) & mask
    return list(zip(*(array("Q", sums.to_bytes(8 * lanes, _LANE)) for sums in (first, second)), strict=True))


def _checksum(content: bytes, order: _Order) -> tuple[int, int]:
    """SQLite's checksum over whole words, from the beginning."""
    first = second = 0
    for start in range(0, len(content), 4):
        word = int.from_bytes(content[start : start + 4], order)
        first, second = second, first + second + word & 0xFFFFFFFF
    return first, second
