"""The highest entry that a journal is known to have had, kept in a small file beside it.

A copy of the same journal from earlier the same day is whole in itself: only something outside of it can
tell that entries are missing (STANDARDS.md, items 29 and 60). The mark is written after commits, so that it
never runs ahead of them, and it is not synced: a power cut may leave an older one, which proves less.
"""

from __future__ import annotations

import logging
import os

import msgspec

from table_controller.journal import Journal, JournalRefused
from table_controller.journal_file import flaw

SUFFIX = ".mark"
_log = logging.getLogger(__name__)


class Mark(msgspec.Struct, frozen=True):
    """An entry of a journal: the hash of its first entry, the number, the hash over all up to it."""

    first: str
    seq: int
    head: str


def set_mark(path: str, journal: Journal) -> None:
    """Write down where the journal at `path` ends now; a disk that refuses is a line of the log only."""
    first, last = journal.first, journal.last
    if first is None or last is None:
        return
    try:
        draft = f"{path}{SUFFIX}.new"
        # The head in it is as secret as the cards that lie face down.
        number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o640)
        with open(number, "wb") as file:
            file.write(msgspec.json.encode(Mark(first.chain.hex(), last.seq, last.chain.hex())))
        os.replace(draft, path + SUFFIX)
    except OSError as error:
        _log.warning("%s: the mark cannot be written: %s", path + SUFFIX, error)


def check_mark(path: str, journal: Journal) -> None:
    """Refuse a journal that once had more entries, or others.

    A mark of another file, or one that a power cut left half written, proves nothing. Raises
    `JournalRefused`.
    """
    try:
        with open(path + SUFFIX, "rb") as file:
            mark = msgspec.json.decode(file.read(), type=Mark)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        if journal.last is not None and journal.last.boot:
            _log.warning("%s proves nothing: %s; an older copy would not be noticed", path + SUFFIX, error)
        return
    if journal.first is None or mark.first != journal.first.chain.hex():
        return
    last_seq = journal.last.seq if journal.last else 0
    if mark.seq > last_seq:
        what = f"ends with entry {last_seq} and has had {mark.seq} ({path + SUFFIX}): an older copy lies here"
        raise JournalRefused(flaw(path, what))
    if journal.chain_of(mark.seq) != mark.head:
        what = f"is another one than the one whose entry {mark.seq} was marked ({path + SUFFIX})"
        raise JournalRefused(flaw(path, what))
