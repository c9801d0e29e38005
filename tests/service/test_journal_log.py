"""A damaged log is refused; only the commit that a power cut tore is left out, as it was never shown."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import apsw
import pytest

from table_controller import journal_file
from table_controller.journal import Entry, Journal, JournalRefused, read_entries, verify
from tests.service.test_journal import append, same_again

LOG_HEAD_BYTES = 32
FRAME_BYTES = 24 + 4096
# The log begins anew a few times on the way, so that frames of before stand behind its end.
WRITER = """
import os, shutil, sys, apsw
from table_controller.journal import Journal
apsw.connection_hooks.append(lambda connection: connection.wal_autocheckpoint(24))
journal = Journal.open(sys.argv[1], "T1", 5)
for turn in range(1, 38):
    facts = b'["%s"]' % (b"f" * (turn * 2311 % 9000))
    journal.append(1, turn, turn, b'{"turn":%d}' % turn, facts, b"d" * 32, b"{}" if turn == 3 else None)
    if turn == 37:
        shutil.copy(sys.argv[1] + "-shm", sys.argv[1] + "-shm.before")
    journal.commit()
os._exit(9)
"""


class Frame(NamedTuple):
    """One frame of the log as it lies in the file."""

    start: int
    ends_commit: bool


class Killed:
    """A table whose service was killed: its files, and where the frames of its log lie."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        log = (folder / "T1.journal-wal").read_bytes()
        starts = range(LOG_HEAD_BYTES, len(log) - FRAME_BYTES + 1, FRAME_BYTES)
        salts = log[16:24]
        self.frames = [
            Frame(start, any(log[start + 4 : start + 8]))
            for start in starts
            if log[start + 8 : start + 16] == salts
        ]
        self.all_frames = len(starts)
        self.log = log
        self.entries = list(read_entries(str(folder / "T1.journal")))

    @property
    def end(self) -> int:
        """Where the last commit ends."""
        return self.frames[-1].start + FRAME_BYTES

    @property
    def last_commit(self) -> int:
        """Where the last commit begins."""
        ends = [frame.start + FRAME_BYTES for frame in self.frames if frame.ends_commit]
        return ends[-2]

    def copy(self, folder: Path, log: bytes, with_index: bool) -> str:
        """The table with another log; without the index as after a power cut."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder)
        (folder / "T1.journal-wal").write_bytes(log)
        if not with_index:
            (folder / "T1.journal-shm").unlink()
        return str(folder / "T1.journal")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", WRITER, str(folder / "T1.journal")]
    assert subprocess.run(command, check=False, timeout=30).returncode == 9
    return Killed(folder)


@pytest.fixture(autouse=True)
def nothing_is_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """The power stays on here, and hundreds of copies are opened."""
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")


def found(path: str) -> int | None:
    """How many entries a start finds; None where it is refused, and then it is refused for good."""
    journal, sentence = None, ""
    try:
        journal = Journal.open(path, "T1")
    except JournalRefused as refused:
        sentence = str(refused)
    if journal is None:
        before = Path(path).read_bytes(), Path(path + "-wal").read_bytes()
        assert verify(path, same_again).problem == sentence
        with pytest.raises(JournalRefused):
            list(read_entries(path))
        with pytest.raises(JournalRefused):
            Journal.open(path, "T1")
        assert (Path(path).read_bytes(), Path(path + "-wal").read_bytes()) == before
        return None
    journal.recover()
    last_seq = journal.last.seq if journal.last else 0
    journal.close()
    return last_seq


def flipped(log: bytes, at: int, bits: int = 0xFF) -> bytes:
    return log[:at] + bytes([log[at] ^ bits]) + log[at + 1 :]


def places(killed: Killed) -> Iterator[int]:
    """A byte of every field of the log and of its frames, and of their pages."""
    yield from range(0, LOG_HEAD_BYTES, 3)
    for frame in killed.frames:
        for offset in (3, 7, 11, 15, 23, 2000):
            yield frame.start + offset


# ------------------------------------------------------------------------------------------- as it is


def test_the_log_of_a_killed_service_is_read_to_its_end(killed: Killed, tmp_path: Path) -> None:
    assert len(killed.entries) == 37
    assert sum(frame.ends_commit for frame in killed.frames) >= 3
    assert len(killed.frames) < killed.all_frames, "frames of before stand behind the end"
    for with_index in (True, False):
        assert found(killed.copy(tmp_path / "T", killed.log, with_index)) == 37


def test_the_same_log_is_right_with_the_bytes_of_a_machine_of_the_other_kind(
    killed: Killed, tmp_path: Path
) -> None:
    log = bytearray(killed.log[: killed.end])
    log[3] ^= 1
    order = "big" if log[3] & 1 else "little"

    def total(content: bytes, first: int, second: int) -> tuple[int, int]:
        for start in range(0, len(content), 4):
            word = int.from_bytes(content[start : start + 4], order)  # type: ignore[arg-type]
            first, second = second, (first + second + word) % 2**32
        return first, second

    sums = total(bytes(log[:24]), 0, 0)
    log[24:32] = b"".join(one.to_bytes(4, "big") for one in sums)
    for start, _ in killed.frames:
        sums = total(bytes(log[start : start + 8] + log[start + 24 : start + FRAME_BYTES]), *sums)
        log[start + 16 : start + 24] = b"".join(one.to_bytes(4, "big") for one in sums)
    assert found(killed.copy(tmp_path / "T", bytes(log), with_index=False)) == 37


def test_a_journal_in_play_is_verified_again_and_again_while_its_log_grows_and_begins_anew(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "T1.journal")
    program = (
        "import sys; from table_controller.journal import verify\n"
        "for _ in range(8):\n"
        "    report = verify(sys.argv[1], lambda _, entries: ((e.facts, e.digest) for e in entries))\n"
        "    print(report.problem, flush=True)"
    )

    def small_log(connection: apsw.Connection) -> None:
        connection.wal_autocheckpoint(12)

    apsw.connection_hooks.append(small_log)
    try:
        journal = Journal.open(path, "T1")
        append(journal, 1)
        journal.commit()
        command = [sys.executable, "-c", program, path]
        reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for number in range(2, 20_000):
            append(journal, number)
            journal.commit()
            if reader.poll() is not None:
                break
        output, _ = reader.communicate(timeout=30)
        journal.close()
    finally:
        apsw.connection_hooks.remove(small_log)
    assert output == "\n" * 8
    assert reader.returncode == 0


def test_a_start_waits_for_a_reader_that_is_just_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "T1.journal")
    reader = os.open(path + ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(reader, fcntl.LOCK_SH)
    monkeypatch.setattr("table_controller.journal_file.time.sleep", lambda _: os.close(reader))
    Journal.open(path, "T1").close()


# --------------------------------------------------------------------------------------------- damage


def test_after_a_kill_one_changed_byte_anywhere_in_the_log_is_refused(killed: Killed, tmp_path: Path) -> None:
    for at in places(killed):
        path = killed.copy(tmp_path / "T", flipped(killed.log, at), with_index=True)
        assert found(path) is None, at


def test_after_a_power_cut_one_changed_byte_ahead_of_the_last_commit_is_refused(
    killed: Killed, tmp_path: Path
) -> None:
    for at in places(killed):
        path = killed.copy(tmp_path / "T", flipped(killed.log, at), with_index=False)
        if at < killed.last_commit:
            assert found(path) is None, at
        else:
            assert found(path) in (None, 36), at


@pytest.mark.parametrize("with_index", [True, False])
def test_a_page_of_zeros_or_of_nonsense_in_the_middle_is_refused(
    killed: Killed, tmp_path: Path, with_index: bool
) -> None:
    commits = [frame.start for frame in killed.frames if frame.ends_commit][:-2]
    for content in (bytes(FRAME_BYTES), Random(1).randbytes(FRAME_BYTES)):
        for start in commits:
            log = killed.log[:start] + content + killed.log[start + FRAME_BYTES :]
            assert found(killed.copy(tmp_path / "T", log, with_index)) is None


@pytest.mark.parametrize("with_index", [True, False])
def test_a_log_of_random_bytes_is_refused(killed: Killed, tmp_path: Path, with_index: bool) -> None:
    random = Random(2)
    for size in (LOG_HEAD_BYTES, 5_000, len(killed.log)):
        assert found(killed.copy(tmp_path / "T", random.randbytes(size), with_index)) is None
    for start in (LOG_HEAD_BYTES, *(frame.start for frame in killed.frames)):
        log = killed.log[:start] + random.randbytes(len(killed.log) - start)
        assert found(killed.copy(tmp_path / "T", log, with_index)) is None, start


def test_random_bytes_are_no_log_of_a_journal_that_was_closed_in_good_order(tmp_path: Path) -> None:
    path = str(tmp_path / "T1.journal")
    journal = Journal.open(path, "T1")
    append(journal, 1)
    journal.commit()
    journal.close()
    Path(path + "-wal").write_bytes(Random(3).randbytes(5_000))
    with pytest.raises(JournalRefused, match=r"the header of its log T1\.journal-wal is not right"):
        Journal.open(path, "T1")


def cuts(killed: Killed) -> Iterator[int]:
    """Lengths of a log that was cut off: at every border of a frame, and beside it."""
    yield from (0, 1, LOG_HEAD_BYTES - 1, LOG_HEAD_BYTES)
    for frame in killed.frames:
        yield from (frame.start + 1, frame.start + 16, frame.start + FRAME_BYTES - 1)
        if frame is not killed.frames[-1]:
            yield frame.start + FRAME_BYTES
    yield killed.end - 5_000


def test_after_a_kill_a_log_that_was_cut_off_anywhere_is_refused(killed: Killed, tmp_path: Path) -> None:
    for size in cuts(killed):
        assert found(killed.copy(tmp_path / "T", killed.log[:size], with_index=True)) is None, size


def test_after_a_power_cut_a_log_that_was_cut_off_is_found_out_by_a_hash_that_was_published(
    killed: Killed, tmp_path: Path
) -> None:
    head = killed.entries[-1].chain.hex()
    for size in cuts(killed):
        path = killed.copy(tmp_path / "T", killed.log[:size], with_index=False)
        report = verify(path, same_again, head)
        assert not report.ok
        if size >= LOG_HEAD_BYTES:
            assert f"has no entry with the hash {head}" in report.problem
    path = killed.copy(tmp_path / "T", killed.log, with_index=False)
    assert verify(path, same_again, head).known_seq == 37
    assert verify(path, same_again, killed.entries[4].chain.hex()).known_seq == 5


def test_what_the_file_holds_beside_a_damaged_log_can_still_be_reported(
    killed: Killed, tmp_path: Path
) -> None:
    path = killed.copy(tmp_path / "T", flipped(killed.log, 20), with_index=True)
    entries: list[Entry] = []
    with pytest.raises(JournalRefused, match=r"its log T1\.journal-wal"):
        entries.extend(read_entries(path))
    assert entries
    assert entries == killed.entries[: len(entries)]


# ------------------------------------------------------------------------------------- the torn commit


@pytest.mark.parametrize("index", ["of the commit before", "none"])
def test_a_commit_that_was_never_finished_is_left_out(killed: Killed, tmp_path: Path, index: str) -> None:
    start = killed.last_commit
    torn = {
        "not written": killed.log[:start],
        "cut off": killed.log[: start + 3_000],
        "its salts only": killed.log[: start + 16],
        "a file that grew": killed.log[:start] + bytes(killed.end - start),
        "without its first page": flipped(killed.log, start + 100),
        "without its last page": flipped(killed.log, killed.end - 1),
        "over a frame of before": killed.log[:start] + killed.log[killed.end :],
    }
    for how, log in torn.items():
        path = killed.copy(tmp_path / "T", log, with_index=False)
        if index != "none":
            shutil.copy(path + "-shm.before", path + "-shm")
        assert verify(path, same_again).problem == "", how
        assert found(path) == 36, how


def test_a_start_after_a_torn_commit_begins_the_log_anew(killed: Killed, tmp_path: Path) -> None:
    """Otherwise a second power cut would leave what looks like two commits that are lost."""
    torn = flipped(killed.log, killed.last_commit + 100)
    path = killed.copy(tmp_path / "T", torn, with_index=False)
    journal = Journal.open(path, "T1")
    append(journal, 37)
    journal.commit()
    assert Path(path + "-wal").read_bytes()[16:24] != torn[16:24]
    journal.close()
