"""The file of a journal: its format, how it is opened, and what makes it unfit for use.

A flaw is always a sentence that says what was found and what to do; a damaged file is never
replaced by an empty one (ARCHITECTURE.md, Journal).
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from urllib.parse import quote

import apsw
import msgspec

# Older versions can corrupt a WAL database when two connections checkpoint at once.
OLDEST_SQLITE = (3, 51, 3)
FORMAT = 1

_SYNCHRONOUS = "FULL"
_BUSY_MS = 1_000

_SCHEMA = (
    "CREATE TABLE about (format INTEGER NOT NULL, table_name TEXT NOT NULL, created_ms INTEGER NOT NULL, "
    "in_use INTEGER NOT NULL) STRICT",
    "CREATE TABLE answer (sender TEXT NOT NULL, id TEXT NOT NULL, body_hash BLOB NOT NULL, "
    "seq INTEGER NOT NULL, ok INTEGER NOT NULL, error TEXT NOT NULL, PRIMARY KEY (sender, id)) "
    "STRICT, WITHOUT ROWID",
    "CREATE TABLE entry (seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL, at_ms INTEGER NOT NULL, "
    "wall_ms INTEGER NOT NULL, message TEXT NOT NULL, facts TEXT NOT NULL, digest BLOB NOT NULL, "
    "chain BLOB NOT NULL, snapshot TEXT) STRICT",
    "CREATE TRIGGER answer_stays BEFORE DELETE ON answer BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER answer_stays_so BEFORE UPDATE ON answer BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_stays_so BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
)
# Texts travel as bytes in both directions: they are hashed as bytes, and a flipped bit that is no
# UTF-8 any more must reach the chain check instead of a decoder.
INSERT_ENTRY = (
    "INSERT INTO entry VALUES (?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, CAST(? AS TEXT))"
)
SELECT_ENTRY = (
    "SELECT seq, boot, at_ms, wall_ms, CAST(message AS BLOB), CAST(facts AS BLOB), digest, chain, "
    "CAST(snapshot AS BLOB) FROM entry "
)
_HEAD = struct.Struct(">qqqqqqqq")


class JournalRefused(Exception):
    """The journal cannot be used as it is; the text says what was found and what to do."""


class Entry(msgspec.Struct, frozen=True):
    """One row: a message, the facts it led to, the digest of the state (ARCHITECTURE.md, The data).

    `message` and `facts` are JSON, `chain` covers this entry and all before it, `snapshot` is the
    whole state after this entry or None. `at_ms` is the table's time, `wall_ms` is UTC since 1970.
    """

    seq: int
    boot: int
    at_ms: int
    wall_ms: int
    message: bytes
    facts: bytes
    digest: bytes
    chain: bytes
    snapshot: bytes | None


def chain_hash(
    before: bytes,
    seq: int,
    boot: int,
    at_ms: int,
    wall_ms: int,
    message: bytes,
    facts: bytes,
    digest: bytes,
    snapshot: bytes | None,
) -> bytes:
    """The hash of an entry. The lengths come first, so that no two entries have the same bytes."""
    tail = -1 if snapshot is None else len(snapshot)
    head = _HEAD.pack(seq, boot, at_ms, wall_ms, len(message), len(facts), len(digest), tail)
    return sha256(b"".join((before, head, message, facts, digest, snapshot or b""))).digest()


def checked(entries: Iterable[Entry], before: bytes, after_seq: int, path: str) -> Iterator[Entry]:
    """The same entries, each only after its number and its hash were found right.

    `before` is the hash of entry `after_seq`, the one ahead of the first. Raises `JournalRefused`.
    """
    for entry in entries:
        after_seq += 1
        if entry.seq != after_seq:
            raise JournalRefused(flaw(path, f"lacks an entry: number {entry.seq} was found", after_seq))
        try:
            before = chain_hash(
                before,
                entry.seq,
                entry.boot,
                entry.at_ms,
                entry.wall_ms,
                entry.message,
                entry.facts,
                entry.digest,
                entry.snapshot,
            )
        except (struct.error, TypeError):
            before = b"a column holds a value of another kind"
        if before != entry.chain:
            raise JournalRefused(flaw(path, "was changed: the hash does not fit", after_seq))
        yield entry


def flaw(path: str, what: str, seq: int | None = None) -> str:
    """The sentence that refuses a journal: the place, what is wrong there, and what to do."""
    place = path if seq is None else f"{path}, entry {seq}"
    return f"{place}: the journal {what}. Do not play on, delete nothing, and follow RECOVERY.md."


@contextmanager
def refusing(path: str) -> Iterator[None]:
    """Whatever SQLite or the file system finds wrong is raised as `JournalRefused`."""
    try:
        yield
    except apsw.NotADBError as error:
        raise JournalRefused(flaw(path, "is no SQLite file")) from error
    except apsw.CorruptError as error:
        raise JournalRefused(flaw(path, f"is damaged: {error}")) from error
    except (apsw.Error, OSError) as error:
        raise JournalRefused(flaw(path, f"cannot be used: {error}")) from error


def take_lock(path: str) -> int:
    """Become the one writer; return the descriptor that holds the lock until it is closed.

    The lock is a file beside the journal that is never removed, so that nobody can lock another one.
    """
    try:
        lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o640)
    except OSError as error:
        raise JournalRefused(flaw(path, f"cannot be locked: {error}")) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise JournalRefused(f"{path}: another process writes this journal; end it first.") from error
    return lock


def open_to_write(path: str, table: str, wall_ms: int) -> tuple[apsw.Connection, bytes]:
    """Open the journal of `table`, or create it dated `wall_ms`; return the hash before its first entry."""
    _check_library()
    if not os.path.exists(path):
        _create(path, table, wall_ms)
    wal_bytes = _wal_bytes(path)
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        genesis = _inspect(connection, path, wal_bytes, table)[1]
        if connection.pragma("journal_mode", "WAL") != "wal":
            raise JournalRefused(flaw(path, "cannot be put into WAL mode"))
        # From here on the main file says that the log beside it matters, so that a lost log is
        # noticed instead of being taken for a clean end. SQLite then must not remove the log by
        # itself, in whatever way this process ends.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("UPDATE about SET in_use = 1")
        connection.wal_checkpoint()
    except BaseException:
        connection.close()
        raise
    return connection, genesis


def mark_closed(connection: apsw.Connection) -> None:
    """Say that the file is complete without its log, which SQLite removes when the connection closes."""
    connection.execute("UPDATE about SET in_use = 0")
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def open_to_read(path: str) -> tuple[apsw.Connection, str, bytes]:
    """Open without ever writing; return the table's name and the hash before its first entry.

    A journal without a log is read as a file that nobody changes.
    """
    _check_library()
    if not os.path.exists(path):
        raise JournalRefused(f"{path}: there is no journal; give the path of an existing one.")
    wal_bytes = _wal_bytes(path)
    how = "mode=ro" if wal_bytes else "immutable=1"
    connection = _connect(f"file:{quote(path)}?{how}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        return connection, *_inspect(connection, path, wal_bytes)
    except BaseException:
        connection.close()
        raise


def _check_library() -> None:
    found = apsw.sqlite_lib_version()
    if tuple(map(int, found.split("."))) < OLDEST_SQLITE:
        allowed = ".".join(map(str, OLDEST_SQLITE))
        raise JournalRefused(f"SQLite {found} can corrupt a journal; install {allowed} or newer.")


def _connect(name: str, flags: int) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags)
    connection.set_busy_timeout(_BUSY_MS)
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)
    connection.pragma("synchronous", _SYNCHRONOUS)
    return connection


def _wal_bytes(path: str) -> int:
    try:
        return os.stat(path + "-wal").st_size
    except FileNotFoundError:
        return 0


def _inspect(connection: apsw.Connection, path: str, wal_bytes: int, table: str = "") -> tuple[str, bytes]:
    """Refuse every file that is not a whole journal of ours; return its table and its first hash."""
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    if "about" not in schema:
        raise JournalRefused(flaw(path, "is a database of another kind: it has no table `about`"))
    try:
        about = "SELECT format, CAST(table_name AS BLOB), created_ms, in_use FROM about"
        rows = list(connection.execute(about))
    except apsw.SQLError as error:
        raise JournalRefused(flaw(path, f"is a database of another kind: {error}")) from error
    if len(rows) != 1 or [type(value) for value in rows[0]] != [int, bytes, int, int]:
        raise JournalRefused(flaw(path, "does not say what it is: its table `about` is damaged"))
    number, name_bytes, created_ms, in_use = rows[0]
    name = name_bytes.decode(errors="replace")
    if number != FORMAT:
        raise JournalRefused(flaw(path, f"has format {number}, this program knows format {FORMAT} only"))
    if sorted(schema.values()) != sorted(_SCHEMA):
        raise JournalRefused(flaw(path, "is a database of another kind: its tables are not ours"))
    if table and name != table:
        raise JournalRefused(flaw(path, f"belongs to table {name}, not to {table}"))
    if in_use and not wal_bytes:
        missing = os.path.basename(path) + "-wal"
        raise JournalRefused(flaw(path, f"was in use when it stopped, and its log {missing} is missing"))
    return name, sha256(_HEAD.pack(number, created_ms, len(name_bytes), 0, 0, 0, 0, 0) + name_bytes).digest()


def _create(path: str, table: str, wall_ms: int) -> None:
    """Make the file under another name first: a power cut leaves a whole journal or none."""
    if os.path.exists(path + "-wal"):
        raise JournalRefused(flaw(path, "is missing, but its log (-wal) is there"))
    draft = path + ".new"
    for leftover in (draft, draft + "-wal", draft + "-shm", draft + "-journal"):
        with suppress(FileNotFoundError):
            os.remove(leftover)
    connection = _connect(draft, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        # The journal knows the cards that lie face down; SQLite gives its log the same mode.
        os.chmod(draft, 0o640)
        connection.pragma("journal_mode", "WAL")
        with connection:
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO about VALUES (?, ?, ?, 0)", (FORMAT, table, wall_ms))
    finally:
        connection.close()
    os.rename(draft, path)
    directory = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
