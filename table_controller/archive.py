"""The file of a closed gaming day is archived, and the next file carries the table on.

The archived file is a whole journal: its own chain proves it, and so does the hash over its bytes that
lies beside it (`sha256sum -c`). The next file begins with `Carried`, which names the end of the archived
one, so that the chain goes on from file to file. At every moment the path of the journal names one whole
journal, the old one or the new one (STANDARDS.md, items 29, 30, 58 and 60).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections import deque
from collections.abc import Iterable
from contextlib import closing, suppress

import msgspec

from table_controller.config import load_table
from table_controller.journal import Entry, Journal, JournalRefused, answers_in, read_entries
from table_controller.journal_file import flaw, refusing, remove, sync_to_disk, take_lock
from table_controller.replay import (
    Replay,
    ReplayError,
    Snapshot,
    decode_message,
    digest_of,
    encode_facts,
    encode_message,
)
from table_controller.table.messages import (
    AnyMessage,
    Carried,
    CarriedAnswer,
    CommandRefused,
    House,
    Stamp,
)
from table_controller.table.state import Books, TableState, decode_state, encode_state, new_state
from table_controller.table.step import step

ANSWERS = 256
"""So many of the newest answers go on into the next file, so that their ids have no second effect."""
ANSWERS_BYTES = 1 << 18
"""And no more than this together: an entry has a size that it cannot pass."""
SEAL = ".sha256"
"""The name of an archive with this behind it is the file with its hash.

It is written once the next file is in use: an archive without it is one of a turnover that a power cut ended.
"""
_READ_ONLY = 0o440
_READER_S = 5
_LOOK_AGAIN_S = 0.25


class Archived(msgspec.Struct, frozen=True):
    """The file of a closed day: its path, its entries, the hash over them, the hash over its bytes."""

    file: str
    entries: int
    head: str
    sha256: str


def carry_over(path: str, table: str, folder: str, wall_ms: int) -> Archived | None:
    """Archive the journal at `path` if it ends with a closed day, and put the next file in its place.

    Returns what was archived; None where nothing is due, and where no journal is. To be called before
    the journal is opened for use; what a power cut ended the next call brings to its end. `folder` is
    made if only it is missing, and `wall_ms` (UTC since 1970) dates the next file.

    Raises `JournalRefused` for a journal that cannot be used, for one that is older than an archive of
    its table, and where another file has the name of the archive; `ReplayError` for one that cannot be
    decided again; `JournalFailed` where the disk refuses the next file.
    """
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    if not os.path.exists(path):
        return None
    with refusing(path):
        lock = take_lock(path)
        try:
            due = _due(path, table, folder, lock)
            if due is None:
                return None
            carried, last = due
            archive = os.path.join(folder, carried.file)
            digest = _copy(path, archive, carried)
            begin(path, table, carried.house, [carried], Stamp(last.at_ms, wall_ms), last.boot, lock)
            _seal(archive, digest)
            return Archived(archive, carried.entries, carried.head, digest)
        finally:
            os.close(lock)


def archives(folder: str, table: str) -> list[str]:
    """The names of the archived files of a table, in the order of their days; none without the folder."""
    pattern = re.compile(rf"{re.escape(table)}-day-\d{{6}}\.journal")
    names: list[str] = []
    with suppress(FileNotFoundError):
        names = os.listdir(folder)
    return sorted(name for name in names if pattern.fullmatch(name))


def journals(places: Iterable[str]) -> list[str]:
    """The files that are named; a `table.toml` means every file of its table, archived days first.

    Raises `ConfigError` for a `table.toml` that cannot be used.
    """
    found: list[str] = []
    for place in places:
        if not place.endswith(".toml"):
            found.append(place)
            continue
        config = load_table(place)
        days = archives(config.archive_folder, config.table)
        found += [os.path.join(config.archive_folder, name) for name in days]
        found.append(config.journal_file)
    return found


def left_by(archive: str) -> tuple[Carried, TableState, Entry]:
    """What an archived day left, to go on from it after a loss: the message, its table, the last entry."""
    carried = _carried(read_entries(archive), archive, os.path.basename(archive))
    (last,) = deque(read_entries(archive), maxlen=1)
    return carried, decode_state(bytes(carried.state)), last


def _name(table: str, day: int) -> str:
    return f"{table}-day-{day:06}.journal"


def follows(new_path: str, old_path: str) -> str:
    """Whether the journal at `new_path` goes on exactly where the one at `old_path` ends; empty if it does.

    Otherwise a sentence says what is wrong. It proves the whole chain of the old one and that house, state
    and answers went over as they were; what comes behind the first entry of the new one `verify` proves.
    """
    try:
        first = next(read_entries(new_path), None)
        found = decode_message(first) if first else None
        if not isinstance(found, Carried):
            return flaw(new_path, "does not begin where another one ended", 1)
        expected = _carried(read_entries(old_path), old_path, found.file)
    except (JournalRefused, ReplayError) as error:
        return str(error)
    for name in Carried.__struct_fields__:
        if _text(getattr(found, name)) != _text(getattr(expected, name)):
            return flaw(new_path, f"does not go on where {old_path} ends: it has other {name}", 1)
    return ""


def _text(value: object) -> bytes:
    return msgspec.json.encode(value)


def _due(path: str, table: str, folder: str, lock: int) -> tuple[Carried, Entry] | None:
    """What the next file begins with and the entry that the old one ends with, if a closed day is there.

    The journal is closed in good order behind it: whole without its log, so that it can be copied.
    """
    with closing(Journal.open(path, table, lock=lock)) as journal:
        snapshot, entries = journal.recover()
        known = Replay(snapshot)
        for entry in entries:
            known.take(entry)
        books = known.state.books if known.state else None
        _refuse_older(path, table, folder, books)
        if books is None or journal.first is None or journal.last is None:
            return None
        _seal_again(journal.first, folder)
        if books.day_open or not books.archive_due:
            return None
        carried = _carried(journal.entries(), path, _name(table, books.day))
        last = journal.last
    end_s = time.monotonic() + _READER_S
    while os.path.exists(path + "-wal") and time.monotonic() < end_s:
        # A report reads in short steps; its end removes the log.
        time.sleep(_LOOK_AGAIN_S)
        Journal.open(path, table, lock=lock).close()
    if os.path.exists(path + "-wal"):
        raise JournalRefused(
            f"{path}: another process reads this journal, so the day cannot be archived. "
            "End that one and start again; nothing is lost by it."
        )
    return carried, last


def _carried(entries: Iterable[Entry], path: str, file: str) -> Carried:
    """What a new file begins with, out of all entries of the one before; `file` is the name of that one."""
    start: bytes | None = None
    last: Entry | None = None
    tail: list[Entry] = []
    answers: deque[CarriedAnswer] = deque(maxlen=ANSWERS)
    for last in entries:
        answers.extend(answers_in(last))
        tail.append(last)
        if last.snapshot is not None:
            start, tail = last.snapshot, []
    known = Replay(start)
    for entry in tail:
        known.take(entry)
    if last is None or known.house is None or known.state is None:
        raise JournalRefused(flaw(path, "ends before anything was at the table"))
    state = encode_state(known.state)
    if digest_of(state) != last.digest:
        raise JournalRefused(flaw(path, "replays to a state other than recorded", last.seq))
    head = last.chain.hex()
    return Carried(known.house, file, last.seq, head, msgspec.Raw(state), _newest(answers))


def _newest(answers: Iterable[CarriedAnswer]) -> tuple[CarriedAnswer, ...]:
    """As many of the newest as one entry can hold, in their order."""
    kept: deque[CarriedAnswer] = deque()
    left_bytes = ANSWERS_BYTES
    for one in reversed(tuple(answers)):
        left_bytes -= len(_text(one))
        if left_bytes < 0:
            break
        kept.appendleft(one)
    return tuple(kept)


def _refuse_older(path: str, table: str, folder: str, books: Books | None) -> None:
    """A journal from before a day that is archived was put back over a newer one (STANDARDS.md, item 60)."""
    day = 0
    if books is not None:
        day = books.day if books.day_open or books.archive_due else books.day + 1
    sealed = [name for name in archives(folder, table) if os.path.exists(os.path.join(folder, name + SEAL))]
    if sealed and sealed[-1] >= _name(table, day):
        what = (
            f"is at gaming day {day}, and {sealed[-1]} is archived in {folder} already: an older journal "
            "lies here, or the archive is that of a table from before this one was installed"
        )
        raise JournalRefused(flaw(path, what))


def _copy(path: str, archive: str, carried: Carried) -> str:
    """Lay the whole file down under the name of its archive; the hash over its bytes, in hexadecimal text."""
    digest = _sha256(path)
    folder = os.path.dirname(archive)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o750)
        sync_to_disk(os.path.dirname(folder))
    if not os.path.exists(archive):
        draft = archive + ".new"
        with suppress(FileNotFoundError):
            os.remove(draft)
        shutil.copyfile(path, draft)
        _lay_down(draft, archive, carried)
    if _sha256(archive) != digest:
        raise JournalRefused(
            flaw(archive, f"is another one than {path}, which is to be archived under its name")
        )
    sync_to_disk(folder)
    return digest


def _lay_down(draft: str, archive: str, carried: Carried) -> None:
    _prove(draft, carried.entries, carried.head)
    os.chmod(draft, _READ_ONLY)
    sync_to_disk(draft)
    os.rename(draft, archive)


def _prove(path: str, entries: int, head: str) -> None:
    """The file is whole by itself, without any log, and has this end."""
    newest = deque(read_entries(path), maxlen=1)
    if [(last.seq, last.chain.hex()) for last in newest] != [(entries, head)]:
        raise JournalRefused(flaw(path, f"does not end with entry {entries} and the hash {head}"))


def begin(
    path: str,
    table: str,
    house: House,
    beginning: Iterable[AnyMessage],
    stamp: Stamp,
    boot: int = 0,
    lock: int | None = None,
) -> None:
    """Put a new journal at `path` that begins with these messages; it is there whole or not at all.

    It is made beside its place first; a half-made one was never in use. Raises `JournalRefused` where the
    table does not take one of the messages, and `JournalFailed` where the disk refuses.
    """
    if lock is None:
        own = take_lock(path)
        try:
            begin(path, table, house, beginning, stamp, boot, own)
        finally:
            os.close(own)
        return
    draft = path + ".next"
    remove(draft)
    state = new_state(house)
    count = 0
    with closing(Journal.open(draft, table, stamp.wall_ms, lock=lock)) as journal:
        for message in beginning:
            state, facts = step(house, state, stamp, message)
            refused = [fact.reason for fact in facts if isinstance(fact, CommandRefused)]
            if refused:
                raise JournalRefused(f"{path}: the table cannot begin: {'; '.join(refused)}.")
            count = journal.append(
                boot,
                stamp.at_ms,
                stamp.wall_ms,
                encode_message(message),
                encode_facts(facts),
                digest_of(encode_state(state)),
                _text(Snapshot(house, state)),
                state.dealer.encode(),
            )
        journal.commit()
        head = journal.head.hex()
    sync_to_disk(draft)
    _prove(draft, count, head)
    os.replace(draft, path)
    sync_to_disk(os.path.dirname(path))


def _seal_again(first: Entry, folder: str) -> None:
    """Seal the archive that the journal goes on from, if a power cut came ahead of that."""
    began = decode_message(first)
    if isinstance(began, Carried):
        archive = os.path.join(folder, began.file)
        if os.path.exists(archive) and not os.path.exists(archive + SEAL):
            _prove(archive, began.entries, began.head)
            _seal(archive, _sha256(archive))


def _seal(archive: str, digest: str) -> None:
    """Write the hash of an archive beside it, as `sha256sum` does."""
    draft = archive + SEAL + ".new"
    with suppress(FileNotFoundError):
        os.remove(draft)
    with open(draft, "w", encoding="utf-8") as file:
        file.write(f"{digest}  {os.path.basename(archive)}\n")
    os.chmod(draft, _READ_ONLY)
    sync_to_disk(draft)
    os.rename(draft, archive + SEAL)
    sync_to_disk(os.path.dirname(archive))


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
