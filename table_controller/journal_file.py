"""The file of a journal: its format, how it is opened, and what makes it unfit for use.

A flaw is always a sentence that says what was found and what to do; a damaged file is never
replaced by an empty one (ARCHITECTURE.md, Journal).
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from urllib.parse import quote

import apsw
import msgspec

from table_controller.journal_log import LogDamaged, check_log

# Older versions can corrupt a WAL database when two connections checkpoint at once.
OLDEST_SQLITE = (3, 51, 3)
FORMAT = 2

_SYNCHRONOUS = "FULL"
_BUSY_MS = 1_000
_LOCK_TRY_MS = 50
_NO_JOURNAL = (
    "there is no journal. A table is installed once with `table-controller install`; "
    "if this table was installed before, its journal is lost: do not play on, and follow RECOVERY.md."
)

_SCHEMA = (
    "CREATE TABLE about (format INTEGER NOT NULL, table_name TEXT NOT NULL, created_ms INTEGER NOT NULL, "
    "in_use INTEGER NOT NULL, last_seq INTEGER NOT NULL, head BLOB NOT NULL) STRICT",
    "CREATE TABLE answer (sender TEXT NOT NULL, id TEXT NOT NULL, body_hash BLOB NOT NULL, "
    "seq INTEGER NOT NULL UNIQUE, ok INTEGER NOT NULL, error TEXT NOT NULL, PRIMARY KEY (sender, id)) "
    "STRICT, WITHOUT ROWID",
    "CREATE TABLE entry (seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL, at_ms INTEGER NOT NULL, "
    "wall_ms INTEGER NOT NULL, message TEXT NOT NULL, facts TEXT NOT NULL, digest BLOB NOT NULL, "
    "chain BLOB NOT NULL, snapshot TEXT, dealer TEXT NOT NULL) STRICT",
    "CREATE TRIGGER answer_stays BEFORE DELETE ON answer BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER answer_stays_so BEFORE UPDATE ON answer BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_stays_so BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
)
# Texts travel as bytes in both directions: they are hashed as bytes, and a flipped bit that is no
# UTF-8 any more must reach the chain check instead of a decoder.
INSERT_ENTRY = (
    "INSERT INTO entry VALUES (?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, "
    "CAST(? AS TEXT), CAST(? AS TEXT))"
)
SELECT_ENTRY = (
    "SELECT seq, boot, at_ms, wall_ms, CAST(message AS BLOB), CAST(facts AS BLOB), digest, chain, "
    "CAST(snapshot AS BLOB), CAST(dealer AS BLOB) FROM entry "
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
    dealer: bytes = b""
    """The dealer on duty after this entry; empty while nobody has logged on."""


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
    dealer: bytes = b"",
) -> bytes:
    """The hash of an entry. The lengths come first, so that no two entries have the same bytes."""
    tail = -1 if snapshot is None else len(snapshot)
    head = _HEAD.pack(seq, boot, at_ms, wall_ms, len(message), len(facts), len(digest), tail)
    return sha256(b"".join((before, head, message, facts, digest, snapshot or b"", dealer))).digest()


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
                entry.dealer,
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
    except apsw.Error as error:
        raise JournalRefused(flaw(path, f"cannot be used: {error}")) from error
    except OSError as error:
        place, why = error.filename or path, error.strerror or error
        raise JournalRefused(f"{place}: {why}. Mend that and try again; nothing is lost by it.") from error


def take_lock(path: str) -> int:
    """Become the one writer; return the descriptor that holds the lock until it is closed.

    The lock is a file beside the journal that is never removed, so that nobody can lock another one.
    A reader holds it for the moment of its opening; that is waited for.
    """
    _check_place(path)
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o640)
    for _ in range(_BUSY_MS // _LOCK_TRY_MS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            time.sleep(_LOCK_TRY_MS / 1_000)
    os.close(lock)
    raise JournalRefused(f"{path}: another process writes this journal; end it first.")


@contextmanager
def _writer_lives(path: str) -> Iterator[bool]:
    """Whether a service writes this journal now; until the block ends none can begin to."""
    lock = None
    lives = False
    with suppress(FileNotFoundError):
        lock = os.open(path + ".lock", os.O_RDONLY)
    try:
        if lock is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                lives = True
        yield lives
    finally:
        if lock is not None:
            os.close(lock)


def _check_place(path: str) -> None:
    """A path that cannot be a journal's is a slip of whoever wrote it, no damage."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise JournalRefused(f"{path}: the folder {folder} does not exist; name the file of a journal.")
    if os.path.isdir(path):
        raise JournalRefused(f"{path} is a folder; name the file of a journal.")


def open_to_write(
    path: str, table: str, wall_ms: int, create: bool = True
) -> tuple[apsw.Connection, bytes, bool]:
    """Open the journal of `table`; one that is missing is created dated `wall_ms`, or refused.

    Returns the hash before its first entry, and whether it was created. Its lock must be held.
    """
    _check_library()
    created = not os.path.exists(path)
    if created:
        if os.path.exists(path + "-wal"):
            raise JournalRefused(flaw(path, "is missing, but its log (-wal) is there"))
        if not create:
            raise JournalRefused(f"{path}: {_NO_JOURNAL}")
        _create(path, table, wall_ms)
    has_log = _has_log(path)
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        # SQLite must not remove the log by itself, in whatever way this process ends: not that of a
        # journal that is refused, and not one that the main file says is needed.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        _, genesis, problem = _inspect(connection, path, has_log, table)
        if problem:
            raise JournalRefused(problem)
        if connection.pragma("journal_mode", "WAL") != "wal":
            raise JournalRefused(flaw(path, "cannot be put into WAL mode"))
        # The log begins anew before anything is written, so that a commit that a power cut tore is
        # never taken for one that stands behind a damaged one.
        connection.wal_checkpoint()
        # From here on the main file says that the log beside it matters, so that a lost log is
        # noticed instead of being taken for a clean end.
        _note_end(connection, genesis, in_use=1)
        connection.wal_checkpoint()
    except BaseException:
        connection.close()
        raise
    return connection, genesis, created


def mark_closed(connection: apsw.Connection, genesis: bytes) -> None:
    """Say that the file is complete without its log, which SQLite removes when the connection closes."""
    _note_end(connection, genesis, in_use=0)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def remove(path: str) -> None:
    """Undo a creation, before the journal was in use; the lock must be held."""
    for name in (path + "-wal", path + "-shm", path):
        with suppress(FileNotFoundError):
            os.remove(name)


def open_to_read(path: str) -> tuple[apsw.Connection, str, bytes, str]:
    """Open without ever writing: the table's name, the hash before its first entry, and what is wrong.

    A journal with a flaw in its log or at its end can be read, to report from what is proved; what is
    wrong with it is a sentence, empty where nothing is. One without a usable log is read as a file
    that nobody changes.
    """
    _check_library()
    _check_place(path)
    if not os.path.exists(path):
        raise JournalRefused(f"{path} does not exist; name the file of a journal.")
    problem = ""
    with _writer_lives(path) as has_log:
        if not has_log:
            try:
                has_log = _has_log(path)
            except JournalRefused as refusal:
                problem = str(refusal)
        how = "mode=ro" if has_log else "immutable=1"
        name = f"file:{quote(path)}?{how}"
        connection = _connect(name, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            table, genesis, other = _inspect(connection, path, has_log)
        except BaseException:
            connection.close()
            raise
    return connection, table, genesis, problem or other


def _has_log(path: str) -> bool:
    """Whether a usable log lies beside a journal that nobody writes; a damaged one is refused."""
    try:
        return check_log(path)
    except LogDamaged as damage:
        raise JournalRefused(flaw(path, f"is damaged: {damage}")) from damage


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


def _inspect(
    connection: apsw.Connection, path: str, has_log: bool, table: str = ""
) -> tuple[str, bytes, str]:
    """The table of the journal, its first hash, and what is wrong with its end.

    Raises `JournalRefused` for a file that is no journal of ours, or of another table than `table`.
    """
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    if "about" not in schema:
        raise JournalRefused(flaw(path, "is a database of another kind: it has no table `about`"))
    try:
        about = "SELECT format, CAST(table_name AS BLOB), created_ms FROM about"
        rows = list(connection.execute(about))
    except apsw.SQLError as error:
        raise JournalRefused(flaw(path, f"is a database of another kind: {error}")) from error
    if len(rows) != 1 or [type(value) for value in rows[0]] != [int, bytes, int]:
        raise JournalRefused(flaw(path, "does not say what it is: its table `about` is damaged"))
    number, name_bytes, created_ms = rows[0]
    name = name_bytes.decode(errors="replace")
    if number != FORMAT:
        raise JournalRefused(flaw(path, f"has format {number}, this program knows format {FORMAT} only"))
    if sorted(schema.values()) != sorted(_SCHEMA):
        raise JournalRefused(flaw(path, "is a database of another kind: its tables are not ours"))
    if table and name != table:
        raise JournalRefused(flaw(path, f"belongs to table {name}, not to {table}"))
    genesis = _genesis(name_bytes, created_ms)
    return name, genesis, _flaw_of_end(connection, path, has_log, genesis)


def _genesis(table: bytes, created_ms: int) -> bytes:
    """The hash ahead of the first entry."""
    return sha256(_HEAD.pack(FORMAT, created_ms, len(table), 0, 0, 0, 0, 0) + table).digest()


def _flaw_of_end(connection: apsw.Connection, path: str, has_log: bool, genesis: bytes) -> str:
    """Whether entries are missing at the end, by what the file itself says of it; empty if none are."""
    # One statement, so that it sees one moment of a journal in use.
    select = (
        "SELECT in_use, last_seq, head, (SELECT max(seq) FROM entry), (SELECT max(seq) FROM answer), "
        "(SELECT chain FROM entry WHERE seq = last_seq) FROM about"
    )
    ((in_use, known_seq, head, last_seq, answered_seq, chain),) = connection.execute(select)
    last_seq, answered_seq = last_seq or 0, answered_seq or 0
    when = "taken up" if in_use else "closed"
    if in_use and not has_log:
        missing = os.path.basename(path) + "-wal"
        return flaw(path, f"was in use when it stopped, and its log {missing} is missing")
    if last_seq < known_seq or (last_seq > known_seq and not in_use):
        return flaw(path, f"ends with entry {last_seq}, and ended with {known_seq} when it was last {when}")
    if answered_seq > last_seq:
        return flaw(path, f"ends with entry {last_seq}, and holds the answer of entry {answered_seq}")
    if head != (chain if known_seq else genesis):
        what = f"was changed: the hash is another than when it was last {when}"
        return flaw(path, what, known_seq)
    return ""


def _note_end(connection: apsw.Connection, genesis: bytes, in_use: int) -> None:
    """Write down with which entry the journal ends now, so that it is noticed when that is gone."""
    newest = connection.execute("SELECT seq, chain FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    connection.execute(
        "UPDATE about SET in_use = ?, last_seq = ?, head = ?", (in_use, *(newest or (0, genesis)))
    )


def _create(path: str, table: str, wall_ms: int) -> None:
    """Make the file under another name first: a power cut leaves a whole journal or none."""
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
            about = (FORMAT, table, wall_ms, _genesis(table.encode(), wall_ms))
            connection.execute("INSERT INTO about VALUES (?, ?, ?, 0, 0, ?)", about)
    finally:
        connection.close()
    os.rename(draft, path)
    sync_to_disk(os.path.dirname(path))


def sync_to_disk(path: str) -> None:
    """A file, or the names in a folder, as they are now outlive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
