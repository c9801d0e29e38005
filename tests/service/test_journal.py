"""The journal keeps what it was given, finds its end again, and refuses what it did not write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from table_controller import journal as journal_module
from table_controller import journal_file
from table_controller.journal import (
    Entry,
    Journal,
    JournalFailed,
    JournalRefused,
    StoredAnswer,
    read_entries,
    verify,
)
from tests.service.power import RecordingDisk


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "T1.journal")


def append(journal: Journal, number: int, snapshot: bytes | None = None) -> int:
    """One entry as a turn writes it, told apart from others by its number."""
    message = b'{"type":"CardScanned","shoe_seq":%d}' % number
    facts, digest = b"[%d]" % number, b"digest%d" % number
    return journal.append(3, number * 10, number * 1_000, message, facts, digest, snapshot)


def write(path: str, entries: int, snapshot_at: int = 0) -> list[Entry]:
    """A journal that was closed in good order."""
    journal = Journal.open(path, "T1", wall_ms=5)
    for number in range(1, entries + 1):
        append(journal, number, b'{"number":%d}' % number if number == snapshot_at else None)
    journal.commit()
    journal.close()
    return list(read_entries(path))


def kill(path: str, entries: int = 5) -> None:
    """A journal whose writer died: committed entries are in the log beside the file."""
    program = (
        "import os, sys; from table_controller.journal import Journal\n"
        "journal = Journal.open(sys.argv[1], 'T1')\n"
        "for number in range(int(sys.argv[2])):\n"
        "    journal.append(1, number, number, b'{}', b'[]', b'd'); journal.commit()\n"
        "os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", program, path, str(entries)], check=False, timeout=30)
    assert done.returncode == 9


def same_again(snapshot: bytes | None, entries: Iterable[Entry]) -> Iterator[tuple[bytes, bytes]]:
    """A replay that decides as before."""
    assert snapshot is None
    for entry in entries:
        yield entry.facts, entry.digest


def refusal(path: str, table: str = "T1") -> str:
    """The sentence with which the journal is refused; every one names the file and what to do."""
    with pytest.raises(JournalRefused) as refused:
        Journal.open(path, table).close()
    assert path in str(refused.value)
    return str(refused.value)


def change(path: str, statement: str, keep_log: bool = False) -> None:
    """Somebody changes the file with a tool of their own and hides the traces in the schema."""
    connection = apsw.Connection(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(keep_log))
    triggers = list(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


# ------------------------------------------------------------------------------- append and find again


def test_a_new_journal_is_empty_and_starts_at_entry_one(path: str) -> None:
    journal = Journal.open(path, "T1")
    assert journal.last is None
    assert journal.recover() == (None, ())
    assert append(journal, 1) == 1
    journal.close()


def test_every_entry_is_found_again_as_it_was_written(path: str) -> None:
    first, second = write(path, 2)
    assert (second.seq, second.boot, second.at_ms, second.wall_ms) == (2, 3, 20, 2_000)
    assert second.message == b'{"type":"CardScanned","shoe_seq":2}'
    assert (second.facts, second.digest, second.snapshot) == (b"[2]", b"digest2", None)
    assert first.chain != second.chain


def test_the_newest_entry_and_its_hash_are_known_after_a_restart(path: str) -> None:
    entries = write(path, 3)
    journal = Journal.open(path, "T1")
    assert journal.last == entries[-1]
    assert journal.head == entries[-1].chain
    journal.close()


def test_a_restart_begins_at_the_newest_snapshot(path: str) -> None:
    entries = write(path, 9, snapshot_at=6)
    journal = Journal.open(path, "T1")
    assert journal.recover() == (b'{"number":6}', tuple(entries[6:]))
    journal.close()


def test_a_snapshot_in_the_first_entry_needs_no_entry_before_it(path: str) -> None:
    entries = write(path, 2, snapshot_at=1)
    journal = Journal.open(path, "T1")
    assert journal.recover() == (b'{"number":1}', (entries[1],))
    journal.close()


def test_what_was_not_committed_is_gone_after_a_restart(path: str) -> None:
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.commit()
    append(journal, 2)
    journal.close()
    assert [entry.seq for entry in read_entries(path)] == [1]


def test_a_turn_is_committed_as_a_whole_or_not_at_all(path: str) -> None:
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.store_answer("ann", "a", StoredAnswer(b"hash", 1, True, ""))
    append(journal, 2)
    journal.close()
    journal = Journal.open(path, "T1")
    assert journal.last is None
    assert journal.answer_for("ann", "a") is None
    journal.close()


def test_a_commit_of_nothing_changes_nothing(path: str) -> None:
    journal = Journal.open(path, "T1")
    journal.commit()
    assert journal.last is None
    journal.close()


def test_committed_entries_survive_the_death_of_their_writer(path: str) -> None:
    kill(path, entries=5)
    journal = Journal.open(path, "T1")
    assert journal.last is not None
    assert journal.last.seq == 5
    assert append(journal, 6) == 6
    journal.commit()
    journal.close()
    assert len(list(read_entries(path))) == 6


def test_committed_entries_survive_a_service_that_ends_without_closing_its_journal(path: str) -> None:
    program = (
        "import sys; from table_controller.journal import Journal\n"
        "journal = Journal.open(sys.argv[1], 'T1')\n"
        "journal.append(1, 1, 1, b'{}', b'[]', b'd'); journal.commit(); sys.exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False, timeout=30)
    assert done.returncode == 1
    journal = Journal.open(path, "T1")
    assert journal.last is not None
    journal.close()


def test_a_start_reads_the_end_of_an_old_journal_only(path: str) -> None:
    write(path, 3_000, snapshot_at=2_990)
    with RecordingDisk() as disk:
        journal = Journal.open(path, "T1")
        assert len(journal.recover()[1]) == 10
        journal.close()
    assert disk.reads < 40


def test_the_journal_says_for_ever_what_a_command_was_answered(path: str) -> None:
    answer = StoredAnswer(b"hash", 1, False, "Bets are closed.")
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.store_answer("ann", "id-1", answer)
    assert journal.answer_for("ann", "id-1") == answer
    journal.commit()
    journal.close()
    journal = Journal.open(path, "T1")
    assert journal.answer_for("ann", "id-1") == answer
    assert journal.answer_for("bob", "id-1") is None
    journal.close()


# --------------------------------------------------------------------------------- failing is final


def test_a_failed_write_is_never_tried_again(path: str) -> None:
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.store_answer("ann", "a", StoredAnswer(b"hash", 1, True, ""))
    with pytest.raises(JournalFailed, match=r"the write failed: .*UNIQUE"):
        journal.store_answer("ann", "a", StoredAnswer(b"hash", 1, True, ""))
    with pytest.raises(JournalFailed, match="failed before"):
        append(journal, 2)
    with pytest.raises(JournalFailed, match="failed before"):
        journal.commit()
    journal.close()
    assert list(read_entries(path)) == []


def test_a_failed_commit_ends_the_journal(path: str) -> None:
    with RecordingDisk() as disk:
        journal = Journal.open(path, "T1")
        append(journal, 1)
        disk.broken = True
        with pytest.raises(JournalFailed, match="the commit failed"):
            journal.commit()
        disk.broken = False
        with pytest.raises(JournalFailed, match="failed before"):
            journal.commit()
        journal.close()
    Journal.open(path, "T1").close()


def test_an_entry_beyond_every_reason_is_a_fault(path: str) -> None:
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalFailed, match=r"entry 1 has \d+ bytes, 1048576 are allowed"):
        journal.append(1, 0, 0, b"x" * (1 << 20), b"[]", b"")
    journal.close()


def test_entries_can_be_neither_changed_nor_removed(path: str) -> None:
    write(path, 2)
    connection = apsw.Connection(path)
    for statement in ("UPDATE entry SET facts = '[]'", "DELETE FROM entry", "DELETE FROM answer"):
        if "answer" in statement:
            connection.execute("INSERT INTO answer VALUES ('ann', 'a', x'00', 1, 1, '')")
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            connection.execute(statement)
    connection.close()


# ---------------------------------------------------------------------------------- what is refused


def test_a_journal_of_another_table_is_refused(path: str) -> None:
    write(path, 1)
    assert "belongs to table T1, not to T2" in refusal(path, "T2")


def test_a_journal_of_a_newer_program_is_refused(path: str) -> None:
    write(path, 1)
    change(path, "UPDATE about SET format = 3")
    assert "has format 3, this program knows format 2 only" in refusal(path)


def test_a_database_of_another_kind_is_refused(path: str) -> None:
    connection = apsw.Connection(path)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    assert "is a database of another kind" in refusal(path)


def test_a_journal_with_a_foreign_table_in_it_is_refused(path: str) -> None:
    write(path, 1)
    change(path, "CREATE TABLE songs (title TEXT)")
    assert "its tables are not ours" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(path: str, content: bytes) -> None:
    Path(path).write_bytes(content)
    assert "follow RECOVERY.md" in refusal(path)
    assert Path(path).read_bytes() == content


def test_a_truncated_journal_is_refused(path: str) -> None:
    write(path, 200)
    size = os.path.getsize(path)
    os.truncate(path, size // 2)
    assert "is damaged" in refusal(path)
    assert os.path.getsize(path) == size // 2


@pytest.mark.parametrize("left", [None, b""])
def test_a_journal_whose_log_is_missing_after_a_crash_is_refused(path: str, left: bytes | None) -> None:
    kill(path)
    os.remove(path + "-wal")
    if left is not None:
        Path(path + "-wal").write_bytes(left)
    assert "its log T1.journal-wal is missing" in refusal(path)
    assert "is missing" in refusal(path), "a second start is refused as well"
    assert "is missing" in verify(path, same_again).problem


def test_a_log_whose_journal_is_missing_is_refused(path: str) -> None:
    kill(path)
    os.remove(path)
    assert "is missing, but its log (-wal) is there" in refusal(path)
    assert not os.path.exists(path)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere/T1.journal", "nowhere/T1.journal: the folder {}/nowhere does not exist; "),
        ("", "{} is a folder; "),
        ("T9.journal", "T9.journal does not exist; "),
    ],
)
def test_a_wrong_path_is_no_damage(tmp_path: Path, name: str, sentence: str) -> None:
    path = str(tmp_path / name)
    sentences = [verify(path, same_again).problem]
    with pytest.raises(JournalRefused) as refused:
        list(read_entries(path))
    sentences.append(str(refused.value))
    if name != "T9.journal":
        sentences.append(refusal(path))
    for one in sentences:
        assert sentence.format(tmp_path) in one
        assert one.endswith("name the file of a journal.")
    assert os.listdir(tmp_path) == []


def test_what_the_system_does_not_allow_is_no_damage(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, *_: object) -> int:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(os, "open", refuse)
    assert refusal(path) == f"{path}.lock: Permission denied. Mend that and try again; nothing is lost by it."


def test_a_start_that_fails_before_its_first_commit_leaves_no_journal(path: str) -> None:
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.close()
    assert os.listdir(os.path.dirname(path)) == ["T1.journal.lock"]


def test_a_journal_that_was_there_before_outlives_a_start_that_fails(path: str) -> None:
    kill(path, entries=0)
    Journal.open(path, "T1").close()
    assert verify(path, same_again).ok


def test_a_second_writer_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_controller.journal_file.time.sleep", lambda _: None)
    journal = Journal.open(path, "T1")
    assert "another process writes this journal" in refusal(path)
    journal.close()
    Journal.open(path, "T1").close()


def test_an_old_sqlite_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(JournalRefused, match=r"can corrupt a journal; install 99\.0\.0 or newer"):
        Journal.open(path, "T1")
    assert not os.path.exists(path)


def test_a_creation_that_was_cut_off_is_begun_anew(path: str) -> None:
    Path(path + ".new").write_bytes(b"half a journal")
    write(path, 1)
    assert sorted(os.listdir(os.path.dirname(path))) == ["T1.journal", "T1.journal.lock"]


def test_strangers_on_the_machine_cannot_read_the_cards_that_lie_face_down(path: str) -> None:
    kill(path)
    for name in (path, path + "-wal", path + "-shm"):
        assert os.stat(name).st_mode & 0o007 == 0, name


def test_a_changed_entry_of_the_tail_stops_the_start(path: str) -> None:
    write(path, 5, snapshot_at=2)
    change(path, "UPDATE entry SET facts = '[9]' WHERE seq = 4")
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalRefused, match="entry 4: the journal was changed: the hash does not fit"):
        journal.recover()
    journal.close()


def test_a_changed_snapshot_stops_the_start(path: str) -> None:
    write(path, 5, snapshot_at=4)
    change(path, "UPDATE entry SET snapshot = '{}' WHERE seq = 4")
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalRefused, match="entry 4"):
        journal.recover()
    journal.close()


def test_a_missing_entry_stops_the_start(path: str) -> None:
    write(path, 5, snapshot_at=2)
    change(path, "DELETE FROM entry WHERE seq = 4")
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalRefused, match="entry 4: the journal lacks an entry: number 5 was found"):
        journal.recover()
    journal.close()


def test_an_endless_tail_without_a_snapshot_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, 12, snapshot_at=2)
    monkeypatch.setattr(journal_module, "MAX_TAIL", 10)
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalRefused, match="entry 2: the journal has no snapshot in its last 10 entries"):
        journal.recover()
    journal.close()


def test_no_flipped_byte_is_ever_believed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")
    entries = write(path, 60, snapshot_at=50)
    content = Path(path).read_bytes()
    random = Random(3)
    refused = 0
    for _ in range(200):
        at = random.randrange(len(content))
        Path(path).write_bytes(
            content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]
        )
        report = verify(path, same_again)
        refused += not report.ok
        assert report.problem or (report.entries, report.head) == (60, entries[-1].chain.hex())
        try:
            journal = Journal.open(path, "T1")
        except JournalRefused:
            assert report.problem
            continue
        try:
            assert journal.recover() == (b'{"number":50}', tuple(entries[50:]))
        except JournalRefused:
            assert report.problem
        finally:
            journal.close()
    assert refused > 40


# ------------------------------------------------------------------------------------ an end that is gone


def test_entries_removed_from_the_end_of_a_closed_journal_stop_the_start(path: str) -> None:
    write(path, 5, snapshot_at=2)
    change(path, "DELETE FROM entry WHERE seq > 3")
    assert "ends with entry 3, and ended with 5 when it was last closed" in refusal(path)
    assert "ends with entry 3" in verify(path, same_again).problem


def test_entries_added_to_a_closed_journal_stop_the_start(path: str) -> None:
    write(path, 5, snapshot_at=2)
    columns = "boot, at_ms, wall_ms, message, facts, digest, chain, snapshot, dealer"
    change(path, f"INSERT INTO entry SELECT 6, {columns} FROM entry WHERE seq = 5")
    assert "ends with entry 6, and ended with 5 when it was last closed" in refusal(path)


def test_another_hash_at_the_end_of_a_closed_journal_stops_the_start(path: str) -> None:
    write(path, 5)
    change(path, "UPDATE entry SET chain = x'00' WHERE seq = 5")
    assert "entry 5: the journal was changed: the hash is another than when it was last closed" in refusal(
        path
    )


def test_entries_of_before_the_last_start_that_are_gone_after_a_crash_stop_the_start(path: str) -> None:
    write(path, 5)
    kill(path, entries=1)
    change(path, "DELETE FROM entry WHERE seq > 3", keep_log=True)
    assert "ends with entry 3, and ended with 5 when it was last taken up" in refusal(path)


def test_entries_since_the_last_start_that_are_gone_are_missed_by_their_answers(path: str) -> None:
    kill(path, entries=0)
    journal = Journal.open(path, "T1")
    for number in (1, 2):
        append(journal, number)
        journal.store_answer("ann", f"id-{number}", StoredAnswer(b"hash", number, True, ""))
    journal.commit()
    journal.close()
    end = "last_seq = 1, head = (SELECT chain FROM entry WHERE seq = 1)"
    change(path, f"DELETE FROM entry WHERE seq = 2; UPDATE about SET in_use = 0, {end}")
    assert "ends with entry 1, and holds the answer of entry 2" in refusal(path)


def test_a_journal_whose_entries_are_damaged_is_not_marked_as_closed(path: str) -> None:
    write(path, 5, snapshot_at=2)
    change(path, "UPDATE entry SET facts = '[9]' WHERE seq = 4")
    journal = Journal.open(path, "T1")
    with pytest.raises(JournalRefused):
        journal.recover()
    journal.close()
    assert list(apsw.Connection(path).execute("SELECT in_use FROM about")) == [(1,)]
