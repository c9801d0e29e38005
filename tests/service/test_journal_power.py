"""The power may go at any moment: what was acknowledged is there, and the journal is whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from table_controller import journal_file
from table_controller.journal import Entry, Journal, JournalRefused, StoredAnswer
from tests.service.power import RecordingDisk, lay_out, power_cuts

TURNS = 30
IMAGES_PER_MOMENT = 2


@pytest.fixture
def small_log() -> Iterator[None]:
    """A log that is moved into the main file every few turns, so that cuts fall into that as well."""

    def hook(connection: apsw.Connection) -> None:
        connection.wal_autocheckpoint(12)

    apsw.connection_hooks.append(hook)
    yield
    apsw.connection_hooks.remove(hook)


def play_turns(journal: Journal, disk: RecordingDisk) -> tuple[list[Entry], list[tuple[int, int]]]:
    """Turns of one to three entries; returns the entries, and what was acknowledged when."""
    random = Random(7)
    assert journal.last is not None
    entries = [journal.last]
    acknowledged = [(0, 1)]
    for turn in range(1, TURNS + 1):
        seq = 0
        for _ in range(random.randint(1, 3)):
            snapshot = b'{"turn":%d}' % turn * 400 if turn % 9 == 0 else None
            facts = b'["%s"]' % (b"f" * random.randint(0, 900))
            seq = journal.append(1, turn * 10, turn, b'{"turn":%d}' % turn, facts, b"d" * 32, snapshot)
            assert journal.last is not None
            entries.append(journal.last)
        journal.store_answer("ann", f"id-{turn}", StoredAnswer(b"h", seq, True, ""))
        journal.commit()
        acknowledged.append((len(disk.happenings), seq))
    return entries, acknowledged


def cuts_that_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synchronous: str) -> Iterator[bool]:
    """Cut the power at every moment of a run; for each image say whether it lost something acknowledged."""
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", synchronous)
    path = tmp_path / "T1.journal"
    journal = Journal.open(str(path), "T1")
    journal.append(1, 0, 0, b"{}", b"[]", b"d" * 32)
    journal.commit()
    journal.close()
    before = {"T1.journal": path.read_bytes()}
    with RecordingDisk() as disk:
        journal = Journal.open(str(path), "T1")
        entries, acknowledged = play_turns(journal, disk)
        journal.close()
    # The images are only looked at, so that nothing is gained by syncing them.
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")
    for count, image in power_cuts(before, disk.happenings, IMAGES_PER_MOMENT, Random(11)):
        folder = tmp_path / "image"
        lay_out(folder, image)
        try:
            found = Journal.open(str(folder / "T1.journal"), "T1")
        except JournalRefused:
            shutil.rmtree(folder)
            yield True
            continue
        snapshot, tail = found.recover()
        assert found.last is not None
        last_seq = found.last.seq
        assert list(tail) == entries[last_seq - len(tail) : last_seq]
        if snapshot is not None:
            assert entries[last_seq - len(tail) - 1].snapshot == snapshot
        turn = entries[last_seq - 1].wall_ms
        if turn:
            assert found.answer_for("ann", f"id-{turn}") == StoredAnswer(b"h", last_seq, True, "")
        found.close()
        shutil.rmtree(folder)
        yield last_seq < max(seq for moment, seq in acknowledged if moment <= count)


@pytest.mark.usefixtures("small_log")
def test_a_power_cut_at_any_moment_loses_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = list(cuts_that_lose(tmp_path, monkeypatch, "FULL"))
    assert len(losses) > 300
    assert not any(losses)


@pytest.mark.usefixtures("small_log")
def test_the_same_cuts_lose_entries_where_sqlite_does_not_sync_every_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert any(cuts_that_lose(tmp_path, monkeypatch, "NORMAL"))
