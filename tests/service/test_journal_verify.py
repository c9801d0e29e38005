"""What `verify` proves of a journal, and what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from table_controller.journal import Entry, Journal, StoredAnswer, read_entries, verify
from table_controller.replay import encode_facts, encode_message
from table_controller.table.messages import CommandRefused, Fact, Fold, KeyPressed, Said
from tests.service.test_journal import append, change, kill, same_again, write


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "T1.journal")


def test_a_whole_journal_is_verified(path: str) -> None:
    entries = write(path, 2_500, snapshot_at=2_000)
    report = verify(path, same_again)
    assert report.ok
    assert (report.table, report.entries, report.head) == ("T1", 2_500, entries[-1].chain.hex())


def test_an_empty_journal_is_verified(path: str) -> None:
    kill(path, entries=0)
    assert verify(path, same_again).ok


def test_a_journal_in_use_is_verified_by_another_process_without_disturbing_it(path: str) -> None:
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.commit()
    program = (
        "import sys; from table_controller.journal import verify\n"
        "report = verify(sys.argv[1], lambda _, entries: ((e.facts, e.digest) for e in entries))\n"
        "print(report.entries, report.problem)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path], check=True, timeout=30, capture_output=True, text=True
    )
    assert done.stdout == "1 \n"
    append(journal, 2)
    journal.commit()
    journal.close()
    assert len(list(read_entries(path))) == 2


@pytest.mark.parametrize("name", ["T1.journal", "T1.journal-shm"])
def test_looking_at_a_journal_in_use_does_not_drop_its_locks(path: str, name: str) -> None:
    def locks() -> list[str]:
        inode = f":{os.stat(Path(path).with_name(name)).st_ino} "
        return [
            line.partition(": ")[2] for line in Path("/proc/locks").read_text().splitlines() if inode in line
        ]

    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.commit()
    before = locks()
    assert before
    assert verify(path, same_again).ok
    assert locks() == before
    journal.close()


def test_verifying_after_a_crash_leaves_the_log_alone(path: str) -> None:
    kill(path)
    before = Path(path).read_bytes(), Path(path + "-wal").read_bytes()
    assert verify(path, same_again).entries == 5
    assert (Path(path).read_bytes(), Path(path + "-wal").read_bytes()) == before


def test_verifying_a_path_without_a_journal_creates_nothing(path: str) -> None:
    assert "does not exist" in verify(path, same_again).problem
    assert not os.path.exists(path)


def replay_with(seq: int, facts: bytes, digest: bytes) -> Callable[..., Iterator[tuple[bytes, bytes]]]:
    """A replay that decides otherwise at one entry."""

    def replay(_: bytes | None, entries: Iterable[Entry]) -> Iterator[tuple[bytes, bytes]]:
        for entry in entries:
            yield (facts, digest) if entry.seq == seq else (entry.facts, entry.digest)

    return replay


def test_the_first_entry_that_replays_to_other_facts_is_named(path: str) -> None:
    write(path, 5)
    report = verify(path, replay_with(3, b"[]", b"digest3"))
    assert report.entries == 2
    assert "entry 3: the journal replays to facts other than recorded" in report.problem
    assert "RECOVERY.md" in report.problem


def test_the_first_entry_that_replays_to_another_state_is_named(path: str) -> None:
    write(path, 5)
    report = verify(path, replay_with(4, b"[4]", b"other"))
    assert "entry 4: the journal replays to a state other than recorded" in report.problem


def test_a_replay_that_breaks_is_a_finding(path: str) -> None:
    write(path, 5)

    def replay(_: bytes | None, entries: Iterable[Entry]) -> Iterator[tuple[bytes, bytes]]:
        for entry in entries:
            if entry.seq == 2:
                raise ValueError("no such card")
            yield entry.facts, entry.digest

    problem = verify(path, replay).problem
    assert "entry 2: the journal cannot be replayed (ValueError: no such card)" in problem


def test_a_replay_that_stops_early_is_a_finding(path: str) -> None:
    write(path, 5)

    def replay(_: bytes | None, entries: Iterable[Entry]) -> Iterator[tuple[bytes, bytes]]:
        first = next(iter(entries))
        yield first.facts, first.digest

    assert "entry 2: the journal is not replayed to its end" in verify(path, replay).problem


def test_a_changed_entry_anywhere_is_named(path: str) -> None:
    write(path, 5)
    change(path, "UPDATE entry SET wall_ms = 7 WHERE seq = 2")
    assert "entry 2: the journal was changed" in verify(path, same_again).problem


def test_a_journal_that_says_it_was_made_at_another_time_is_found_out(path: str) -> None:
    write(path, 2)
    change(path, "UPDATE about SET created_ms = 6")
    assert "entry 1: the journal was changed" in verify(path, same_again).problem


def test_an_answer_without_its_entry_is_found_out(path: str) -> None:
    write(path, 1)
    change(path, "INSERT INTO answer VALUES ('ann', 'a', x'00', 99, 1, '')")
    assert "holds an answer without its entry: a" in verify(path, same_again).problem


# ------------------------------------------------------------------------------------------- the answers

HASH = bytes(range(32))
REFUSED = CommandRefused("Fold", "Seat 2 has no cards.")


def ask(journal: Journal, operator: str, request: str, refused: CommandRefused | None = None) -> None:
    """A command and its answer, as the service writes them."""
    said = Said(Fold(2), operator, "dealer", request=request, body_hash=HASH.hex())
    facts: tuple[Fact, ...] = (refused,) if refused else ()
    seq = journal.append(1, 0, 0, encode_message(said), encode_facts(facts), b"d")
    answer = StoredAnswer(HASH, seq, refused is None, refused.reason if refused else "")
    journal.store_answer(operator, request, answer)


@pytest.fixture
def asked(path: str) -> str:
    """A journal with four entries: a key, two commands with answers, a command that asked for none."""
    journal = Journal.open(path, "T1")
    journal.append(1, 0, 0, encode_message(KeyPressed("open")), b"[]", b"d")
    ask(journal, "ann", "a")
    ask(journal, "bob", "a", REFUSED)
    journal.append(1, 0, 0, encode_message(Said(Fold(3), "ann", "dealer")), b"[]", b"d")
    journal.commit()
    journal.close()
    return path


def test_the_answers_of_a_journal_are_proved_by_its_entries(asked: str) -> None:
    assert verify(asked, same_again).problem == ""


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("DELETE FROM answer WHERE sender = 'ann'", 2),
        ("DELETE FROM answer WHERE sender = 'bob'", 3),
        ("INSERT INTO answer VALUES ('ann', 'b', x'00', 1, 1, '')", 1),
        ("INSERT INTO answer VALUES ('eve', 'b', x'00', 4, 1, '')", 4),
        ("UPDATE answer SET sender = 'eve' WHERE seq = 2", 2),
        ("UPDATE answer SET id = 'b' WHERE seq = 2", 2),
        ("UPDATE answer SET body_hash = x'00' WHERE seq = 3", 3),
        ("UPDATE answer SET seq = 4 WHERE seq = 3", 3),
        ("UPDATE answer SET ok = 1 WHERE seq = 3", 3),
        ("UPDATE answer SET error = 'No.' WHERE seq = 3", 3),
        ("UPDATE answer SET error = CAST(x'ff' AS TEXT) WHERE seq = 2", 2),
    ],
)
def test_an_answer_that_somebody_changed_is_found_out(asked: str, statement: str, seq: int) -> None:
    change(asked, statement)
    problem = verify(asked, same_again).problem
    assert f"entry {seq}: the journal keeps another answer than the entry proves" in problem


# ------------------------------------------------------------------------------------- a published hash


def test_a_hash_that_was_published_is_found_at_its_entry(path: str) -> None:
    entries = write(path, 5)
    for entry in entries:
        assert verify(path, same_again, entry.chain.hex()).known_seq == entry.seq
    assert verify(path, same_again).known_seq is None


def test_a_hash_that_was_published_and_is_not_there_shows_that_the_end_is_missing(path: str) -> None:
    write(path, 5)
    report = verify(path, same_again, "00" * 32)
    assert f"has no entry with the hash {'00' * 32}" in report.problem
    assert report.entries == 5
