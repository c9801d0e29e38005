"""The journal: every message the table was given, what it decided, and the proof that nothing was changed.

One SQLite file per table with one append-only table of entries and one of the answers to commands. A
turn is one transaction, and nothing is shown before it is committed (ARCHITECTURE.md, Journal). Every
entry carries the hash of the entry before it. A damaged journal is refused and never becomes an emptier one.

The service is the only writer, and opens the file in no other way: closing any other descriptor of
it would drop SQLite's locks. Reports and `verify` run in a process of their own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import zip_longest
from typing import Any

import apsw
import msgspec

from table_controller.journal_file import (
    INSERT_ENTRY,
    SELECT_ENTRY,
    Entry,
    JournalRefused,
    chain_hash,
    checked,
    flaw,
    mark_closed,
    open_to_read,
    open_to_write,
    refusing,
    remove,
    take_lock,
)
from table_controller.table.messages import CarriedAnswer

__all__ = [
    "Entry",
    "Journal",
    "JournalFailed",
    "JournalRefused",
    "Replay",
    "Report",
    "StoredAnswer",
    "answers_in",
    "read_entries",
    "verify",
]

MAX_ENTRY_BYTES = 1 << 20
# The service writes a snapshot at least every 2,000 entries; ten times that is no journal of ours.
MAX_TAIL = 20_000
_CHUNK = 1_000

Replay = Callable[[bytes | None, Iterable[Entry]], Iterator[tuple[bytes, bytes]]]


class JournalFailed(Exception):
    """A write or commit failed. It is never retried: the process ends and starts from the disk."""


class StoredAnswer(msgspec.Struct, frozen=True):
    """What a command was answered, kept for ever; `seq` is its entry (ARCHITECTURE.md, The loop)."""

    body_hash: bytes
    seq: int
    ok: bool
    error: str


class Report(msgspec.Struct, frozen=True):
    """The outcome of `verify`: `problem` is empty, or the first flaw with its place and what to do.

    `entries` were found right before it; `head` is the hash over them as hexadecimal text. `known_seq`
    is the entry whose hash is the one that was asked for, None where none was.
    """

    table: str
    entries: int
    head: str
    problem: str
    known_seq: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the whole journal is as it was written and replays to the same facts."""
        return not self.problem


class Journal:
    """The open journal of one table; made by `Journal.open`, used by one thread."""

    def __init__(
        self, path: str, connection: apsw.Connection, genesis: bytes, lock: int, created: bool
    ) -> None:
        self.path = path
        self._connection = connection
        self._cursor = connection.cursor()
        self._genesis = genesis
        self._lock = lock
        self._created = created
        self._pending = False
        self._failed = False
        newest = self._cursor.execute(SELECT_ENTRY + "ORDER BY seq DESC LIMIT 1").fetchone()
        self._last = Entry(*newest) if newest else None
        self._head = self._last.chain if self._last else genesis
        oldest = [Entry(*row) for row in self._cursor.execute(SELECT_ENTRY + "WHERE seq = 1")]
        self._first = next(checked(oldest, genesis, 0, path), None)
        carried = answers_in(self._first) if self._first else ()
        self._carried = {(one.sender, one.id): one for one in carried}

    @classmethod
    def open(
        cls, path: str, table: str, wall_ms: int = 0, *, create: bool = True, lock: int | None = None
    ) -> Journal:
        """Open the journal of `table`; only where no file exists is one created, dated `wall_ms`.

        One that was created is removed by `close` unless something was committed. With `create`
        False a missing one is refused. `lock` is a descriptor of `take_lock` that somebody holds
        for longer than this journal is open.

        Raises `JournalRefused` for a damaged, foreign, newer or other table's file, for one whose
        write-ahead log is missing, and for one that another process writes.
        """
        path = os.path.realpath(path)
        with refusing(path):
            lock = take_lock(path) if lock is None else os.dup(lock)
        try:
            with refusing(path):
                connection, genesis, created = open_to_write(path, table, wall_ms, create)
                try:
                    return cls(path, connection, genesis, lock, created)
                except BaseException:
                    connection.close(True)
                    raise
        except BaseException:
            os.close(lock)
            raise

    @property
    def first(self) -> Entry | None:
        """The entry that the journal began with when it was opened, None in a new one."""
        return self._first

    @property
    def last(self) -> Entry | None:
        """The newest entry, None in a new journal."""
        return self._last

    @property
    def head(self) -> bytes:
        """The hash over everything appended so far; a copy of it elsewhere proves tampering."""
        return self._head

    def append(
        self,
        boot: int,
        at_ms: int,
        wall_ms: int,
        message: bytes,
        facts: bytes,
        digest: bytes,
        snapshot: bytes | None = None,
        dealer: bytes = b"",
    ) -> int:
        """Add an entry to the open transaction and return its number; it counts after `commit`.

        Raises `JournalFailed` when the disk refuses, or the entry is larger than MAX_ENTRY_BYTES.
        """
        seq = self._last.seq + 1 if self._last else 1
        size_bytes = len(message) + len(facts) + len(snapshot or b"")
        if size_bytes > MAX_ENTRY_BYTES:
            self._failed = True
            raise JournalFailed(
                f"{self.path}: entry {seq} has {size_bytes} bytes, {MAX_ENTRY_BYTES} are allowed."
            )
        chain = chain_hash(self._head, seq, boot, at_ms, wall_ms, message, facts, digest, snapshot, dealer)
        row = (seq, boot, at_ms, wall_ms, message, facts, digest, chain, snapshot, dealer)
        self._write(INSERT_ENTRY, row)
        self._last = Entry(*row)
        self._head = chain
        return seq

    def store_answer(self, sender: str, request_id: str, answer: StoredAnswer) -> None:
        """Keep the answer of a command in the same transaction as its entry; a second one is a fault."""
        values = (sender, request_id, answer.body_hash, answer.seq, int(answer.ok), answer.error)
        self._write("INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?)", values)

    def answer_for(self, sender: str, request_id: str) -> StoredAnswer | None:
        """What that command was answered, those of the open transaction included; None: never seen.

        The answers that the first entry carries over from the file before count as well; their `seq`
        is the number of an entry of that file.
        """
        select = "SELECT body_hash, seq, ok, error FROM answer WHERE sender = ? AND id = ?"
        with refusing(self.path):
            row = self._cursor.execute(select, (sender, request_id)).fetchone()
        if row:
            return StoredAnswer(row[0], row[1], bool(row[2]), row[3])
        one = self._carried.get((sender, request_id))
        return StoredAnswer(bytes.fromhex(one.body_hash), one.seq, one.ok, one.error) if one else None

    def commit(self) -> None:
        """Make everything appended durable; it survives a power cut once this returns.

        Raises `JournalFailed`; whether the entries are on the disk is then unknown until the next start.
        """
        self._check_alive()
        if self._pending:
            try:
                self._cursor.execute("COMMIT")
            except apsw.Error as error:
                self._failed = True
                raise JournalFailed(f"{self.path}: the commit failed: {error}.") from error
            self._pending = self._created = False

    def recover(self) -> tuple[bytes | None, tuple[Entry, ...]]:
        """The newest snapshot and every entry after it, the chain checked over all of them.

        Reads the end of the journal only, so that the time does not grow with its age. Without any
        snapshot (None) the entries are all there are. Raises `JournalRefused`, and the journal is then
        not marked as closed in good order.
        """
        entries: deque[Entry] = deque()
        start: Entry | None = None
        before = self._genesis
        with self._refusing():
            with closing(self._connection.cursor()) as cursor:
                for row in cursor.execute(SELECT_ENTRY + "ORDER BY seq DESC"):
                    entry = Entry(*row)
                    if start is not None:
                        before = entry.chain
                        break
                    if len(entries) == MAX_TAIL:
                        what = f"has no snapshot in its last {MAX_TAIL} entries"
                        raise JournalRefused(flaw(self.path, what, entry.seq))
                    entries.appendleft(entry)
                    if entry.snapshot is not None:
                        start = entry
            after_seq = entries[0].seq - 1 if start else 0
            deque(checked(entries, before, after_seq, self.path), maxlen=0)
        if start is None:
            return None, tuple(entries)
        entries.popleft()
        return start.snapshot, tuple(entries)

    def entries(self) -> Iterator[Entry]:
        """Every entry from the first, the chain and the answers checked on the way.

        Raises `JournalRefused`, and the journal is then not marked as closed in good order.
        """
        with self._refusing():
            yield from _walk(self._connection, self._genesis, self.path, with_answers=True)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Whatever is found wrong in here is refused, and the journal stays marked as in use."""
        try:
            with refusing(self.path):
                yield
        except JournalRefused:
            self._failed = True
            raise

    def chain_of(self, seq: int) -> str:
        """The hash over everything up to that entry, as hexadecimal text; empty where there is none."""
        row = self._cursor.execute("SELECT chain FROM entry WHERE seq = ?", (seq,)).fetchone()
        return row[0].hex() if row else ""

    def close(self) -> None:
        """End the use of the journal. What was not committed is dropped, as by a power cut."""
        with suppress(apsw.Error):
            if not (self._failed or self._pending):
                mark_closed(self._connection, self._genesis)
        self._connection.close(True)
        if self._created and not self._failed:
            remove(self.path)
        os.close(self._lock)

    def _check_alive(self) -> None:
        if self._failed:
            raise JournalFailed(f"{self.path}: the journal has failed before; the service must start anew.")

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        self._check_alive()
        try:
            if not self._pending:
                self._cursor.execute("BEGIN IMMEDIATE")
                self._pending = True
            self._cursor.execute(statement, values)
        except apsw.Error as error:
            self._failed = True
            raise JournalFailed(f"{self.path}: the write failed: {error}.") from error


def read_entries(path: str) -> Iterator[Entry]:
    """Every entry from the first, the chain checked on the way; for reports in a process of their own.

    Reads in short steps, so that a table in play is not disturbed. Raises `JournalRefused`; for what is
    missing at the end only after the entries that are there.
    """
    path = os.path.realpath(path)
    with refusing(path):
        connection, _, genesis, problem = open_to_read(path)
        with closing(connection):
            yield from _walk(connection, genesis, path)
        if problem:
            raise JournalRefused(problem)


def verify(path: str, replay: Replay, known_head: str = "") -> Report:
    """Check the whole journal: SQLite's pages, chain and answers, and that a replay decides the same again.

    `replay(None, entries)` must yield, lazily and once per entry, the facts as JSON and the digest
    of the state. `known_head` is a hash that was published once, as hexadecimal text: it must be that
    of an entry, which shows that the journal was not cut off ahead of it. Never raises for a flaw: the
    report names the first one. Run it in a process of its own (ARCHITECTURE.md, Journal).
    """
    path = os.path.realpath(path)
    table, count, head = "", 0, b""
    known_seq: int | None = None
    waiting: deque[Entry] = deque()
    try:
        with refusing(path):
            connection, table, head, problem = open_to_read(path)
            with closing(connection):
                _check_pages(connection, path)
                if problem:
                    raise JournalRefused(problem)
                known_seq = 0 if head.hex() == known_head else None
                entries = _noting(_walk(connection, head, path, with_answers=True), waiting)
                for facts, digest in replay(None, entries):
                    entry = waiting.popleft()
                    if (facts, digest) != (entry.facts, entry.digest):
                        what = "facts" if facts != entry.facts else "a state"
                        raise JournalRefused(flaw(path, f"replays to {what} other than recorded", entry.seq))
                    count, head = count + 1, entry.chain
                    if head.hex() == known_head:
                        known_seq = count
                if waiting or next(entries, None) is not None:
                    raise JournalRefused(flaw(path, "is not replayed to its end", count + 1))
                if known_head and known_seq is None:
                    what = (
                        f"has no entry with the hash {known_head}: it is another one, or its end is missing"
                    )
                    raise JournalRefused(flaw(path, what))
    except JournalRefused as refusal:
        return Report(table, count, head.hex(), str(refusal))
    except Exception as error:  # noqa: BLE001 - a replay that breaks is a finding like every other flaw
        what = f"cannot be replayed ({type(error).__name__}: {error})"
        return Report(table, count, head.hex(), flaw(path, what, count + 1))
    return Report(table, count, head.hex(), "", known_seq)


def answers_in(entry: Entry) -> tuple[CarriedAnswer, ...]:
    """The answers that an entry proves: that of its command, or those that a new file goes on with."""
    proved = _proved_answer(entry)
    if proved is None:
        return _asked.decode(entry.message).answers
    seq, sender, request_id, body_hash, ok, error = proved
    names = sender.decode(), request_id.decode()
    return (CarriedAnswer(*names, body_hash.hex(), seq, bool(ok), error.decode()),)


def _noting(entries: Iterator[Entry], waiting: deque[Entry]) -> Iterator[Entry]:
    for entry in entries:
        waiting.append(entry)
        yield entry


def _check_pages(connection: apsw.Connection, path: str) -> None:
    # The quick check leaves out whether an index fits its table; the answers are looked up by one.
    for pragma in ("quick_check(1)", "integrity_check(answer)"):
        for (finding,) in connection.execute(f"PRAGMA {pragma}"):
            if finding != "ok":
                raise JournalRefused(flaw(path, f"is damaged: {finding}"))
    orphans = "SELECT answer.id FROM answer LEFT JOIN entry USING (seq) WHERE entry.seq IS NULL LIMIT 1"
    for (request_id,) in connection.execute(orphans):
        raise JournalRefused(flaw(path, f"holds an answer without its entry: {request_id}"))


def _walk(
    connection: apsw.Connection, before: bytes, path: str, with_answers: bool = False
) -> Iterator[Entry]:
    """Every entry from the first, checked; each chunk is a read of its own."""
    select = SELECT_ENTRY + "WHERE seq > ? ORDER BY seq LIMIT ?"
    after_seq = 0
    while rows := list(connection.execute(select, (after_seq, _CHUNK))):
        chunk = [Entry(*row) for row in rows]
        yield from checked(chunk, before, after_seq, path)
        if with_answers:
            _check_answers(connection, chunk, path)
        after_seq, before = chunk[-1].seq, chunk[-1].chain


class _Asked(msgspec.Struct):
    """Of a message: who asked for it, under which id, the hash of what was asked, the answers it carries."""

    key: str = ""
    operator: str = ""
    request: str = ""
    body_hash: str = ""
    answers: tuple[CarriedAnswer, ...] = ()


class _Decided(msgspec.Struct):
    """Of a fact: whether it refuses a command, and why."""

    type: str
    reason: str = ""


_asked = msgspec.json.Decoder(_Asked)
_decided = msgspec.json.Decoder(list[_Decided])


def _check_answers(connection: apsw.Connection, chunk: list[Entry], path: str) -> None:
    """The answers kept beside these entries must be those that the entries themselves prove, and no other.

    An entry that no command led to, or one without an id, has no answer.
    """
    select = (
        "SELECT seq, CAST(sender AS BLOB), CAST(id AS BLOB), body_hash, ok, CAST(error AS BLOB) "
        "FROM answer WHERE seq BETWEEN ? AND ? ORDER BY seq"
    )
    kept = connection.execute(select, (chunk[0].seq, chunk[-1].seq))
    proved = (answer for entry in chunk if (answer := _proved_answer(entry)))
    for one, other in zip_longest(kept, proved):
        if one != other:
            seq = min(answer[0] for answer in (one, other) if answer)
            raise JournalRefused(flaw(path, "keeps another answer than the entry proves", seq))


def _proved_answer(entry: Entry) -> tuple[int, bytes, bytes, bytes, int, bytes] | None:
    asked = _asked.decode(entry.message)
    if not asked.request:
        return None
    reasons = (fact.reason for fact in _decided.decode(entry.facts) if fact.type == "CommandRefused")
    error = next(reasons, "")
    return (
        entry.seq,
        (asked.key or asked.operator).encode(),
        asked.request.encode(),
        bytes.fromhex(asked.body_hash),
        int(not error),
        error.encode(),
    )
