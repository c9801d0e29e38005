"""A closed gaming day is archived and the next file goes on to the last fraction, whenever the power goes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import apsw
import msgspec
import pytest

from table_controller import archive as archive_module
from table_controller import journal_file
from table_controller.archive import SEAL, Archived, archives, carry_over, follows
from table_controller.journal import Journal, JournalRefused, StoredAnswer, read_entries, verify
from table_controller.replay import (
    Replay,
    Snapshot,
    decode_message,
    digest_of,
    encode_facts,
    encode_message,
    replay,
)
from table_controller.table import messages as m
from table_controller.table.state import TableState, decode_state, encode_state, new_state
from table_controller.table.step import step
from tests.service.power import Happening, RecordingDisk
from tests.service.test_journal import change, kill
from tests.table.tabletop import WALL_MS, TableTop

RULES = """
preset = "us_standard"
parameter_change = "after_next_hit"
meter_share = "0.3331"
reserve_share = "0.1007"
"""
STRAIGHT_FLUSH = """
ante 2 10.00
coin 2
lock
deal 2H>2 KD>D 3H>2 AS>D 4H>2 TS>D 5H>2 9S>D 6H>2 7D>D
raise 2
close
reveal
stub 42
sup confirm 2
clear
open
"""
NOTHING = """
ante 3 25.00
coin 3
lock
deal 2C>3 KD>D 3H>3 AS>D 4D>3 TS>D 5H>3 9S>D 9D>3 7D>D
fold 3
close
reveal
clear
"""
HASH = bytes(range(32))
NOW_MS = WALL_MS + 90_000_000
ARCHIVE = "T1-day-000001.journal"


class Floor(TableTop):
    """A table whose journal is kept at `path`, in the way in which the service keeps one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.boot = 0
        self.kept = 0
        self.heard: list[tuple[int, m.AnyMessage]] = []
        super().__init__(RULES, gaming_day=True)

    @property
    def folder(self) -> str:
        return os.path.join(os.path.dirname(self.path), "archive")

    def send(self, message: m.AnyMessage) -> None:
        self.heard.append((self.at_ms, message))
        super().send(message)

    def ask(self, request: str, command: m.AnyCommand, operator: str = "sue") -> None:
        """A command with an id, so that its answer is kept."""
        said = m.Said(command, operator, "supervisor", "because", request=request, body_hash=HASH.hex())
        self.send(said)

    def keep(self) -> None:
        """Write down what was heard since the last time, as a service that starts and is ended."""
        self.boot += 1
        with closing(Journal.open(self.path, "T1", WALL_MS)) as journal:
            snapshot, entries = journal.recover()
            known = Replay(snapshot)
            for entry in entries:
                known.take(entry)
            state = known.state
            for at_ms, message in self.heard[self.kept :]:
                if isinstance(message, m.Installed):
                    state = new_state(message.house)
                assert state is not None
                stamp = m.Stamp(at_ms, WALL_MS + at_ms)
                state, facts = step(self.house, state, stamp, message)
                kept = any(isinstance(fact, m.RoundOpened | m.DayClosed) for fact in facts)
                seq = journal.append(
                    self.boot,
                    stamp.at_ms,
                    stamp.wall_ms,
                    encode_message(message),
                    encode_facts(facts),
                    digest_of(encode_state(state)),
                    msgspec.json.encode(Snapshot(self.house, state)) if kept else None,
                    state.dealer.encode(),
                )
                if isinstance(message, m.Said) and message.request:
                    error = next((fact.reason for fact in facts if isinstance(fact, m.CommandRefused)), "")
                    answer = StoredAnswer(HASH, seq, not error, error)
                    journal.store_answer(message.operator, message.request, answer)
                journal.commit()
        self.kept = len(self.heard)

    def script(self, script: str) -> None:
        """Lines of a script of which none is refused."""
        for line in script.strip().splitlines():
            self.run(line)
            assert self.refused == "", line

    def open_day(self) -> None:
        """A supervisor opens the day, a dealer the first round."""
        self.ask(f"open-{self.boot}", m.OpenDay())
        self.script("open")

    def close_day(self) -> None:
        """A supervisor closes the day, and the service ends."""
        self.ask(f"close-{self.boot}", m.CloseDay())
        assert self.refused == ""
        self.keep()

    def carry_over(self) -> Archived | None:
        """What the service does ahead of its start."""
        return carry_over(self.path, "T1", self.folder, NOW_MS)

    def next_day(self) -> Archived:
        """The day is closed and archived, and the service runs on the next file."""
        self.close_day()
        archived = self.carry_over()
        assert archived is not None
        self.state = table_in(self.path)
        self.send(self.started())
        self.send(m.ShoeFound(7, self.state.shoe_next_seq))
        return archived


def table_in(path: str) -> TableState:
    """The table as a service would take it up from there."""
    with closing(Journal.open(path, "T1", create=False)) as journal:
        snapshot, entries = journal.recover()
    known = Replay(snapshot)
    for entry in entries:
        known.take(entry)
    assert known.state is not None
    return known.state


def sound(path: str) -> bool:
    """The journal verifies by itself."""
    report = verify(path, replay)
    return report.problem == ""


def names(folder: str) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    """A table that has played a day: an award is owed, a parameter is pending, shares have fractions."""
    table = Floor(str(tmp_path / "T1.journal"))
    table.open_day()
    table.script(STRAIGHT_FLUSH)
    table.ask("late", m.SetParameter("reset", "12000.00", "GC-7"))
    table.ask("refused", m.PayHit("T1-A000009", "cage"))
    table.script(NOTHING)
    return table


@pytest.fixture
def closed(floor: Floor) -> Floor:
    """The same, the day closed and the service ended."""
    floor.close_day()
    return floor


def archived_as(table: Floor) -> str:
    return os.path.join(table.folder, ARCHIVE)


# --------------------------------------------------------------------------------------- a closed day


def test_the_day_that_is_archived_here_leaves_something_of_everything(closed: Floor) -> None:
    books, meter = closed.state.books, closed.state.meter
    assert books is not None
    assert meter is not None
    assert books.archive_due
    assert [list(books.owed), list(books.levels)] == [["T1-A000001"], ["straight_flush"]]
    assert closed.state.parameters_pending == {"reset": "12000.00"}
    assert (meter.exact % 1_000_000, meter.reserve % 1_000_000) != (0, 0)
    assert closed.state.decks


def test_a_closed_day_is_archived_and_the_next_file_goes_on(closed: Floor) -> None:
    entries = list(read_entries(closed.path))
    archived = closed.carry_over()
    assert archived == Archived(
        archived_as(closed),
        len(entries),
        entries[-1].chain.hex(),
        hashlib.sha256(Path(archived_as(closed)).read_bytes()).hexdigest(),
    )
    assert list(read_entries(archived_as(closed))) == entries
    (first,) = read_entries(closed.path)
    assert (first.boot, first.at_ms, first.dealer) == (entries[-1].boot, entries[-1].at_ms, b"")
    assert names(closed.folder) == [ARCHIVE, ARCHIVE + SEAL]
    assert names(os.path.dirname(closed.path)) == ["T1.journal", "T1.journal.lock", "archive"]


def test_item_06_29_the_next_file_has_the_whole_table_to_the_last_fraction(closed: Floor) -> None:
    before = closed.state
    closed.carry_over()
    after = table_in(closed.path)
    assert before.books is not None
    assert after.books is not None
    assert after.meter == before.meter
    assert after.decks == before.decks
    assert after.parameters_pending == before.parameters_pending
    assert after.books == msgspec.structs.replace(before.books, archive_due=False)
    after.books.archive_due = True
    assert encode_state(after) == encode_state(before), "nothing else is other than it was"


def test_item_53_both_files_verify_each_alone_in_another_place(closed: Floor, tmp_path: Path) -> None:
    closed.carry_over()
    for number, path in enumerate((closed.path, archived_as(closed))):
        elsewhere = tmp_path / f"machine-{number}"
        elsewhere.mkdir()
        shutil.copy(path, elsewhere / "copy.journal")
        assert sound(str(elsewhere / "copy.journal"))


def test_the_sum_beside_an_archive_is_what_sha256sum_reads(closed: Floor) -> None:
    closed.carry_over()
    subprocess.run(["sha256sum", "-c", ARCHIVE + SEAL], cwd=closed.folder, check=True, capture_output=True)


def test_nobody_writes_into_an_archive(closed: Floor) -> None:
    closed.carry_over()
    for name in (ARCHIVE, ARCHIVE + SEAL):
        assert os.stat(os.path.join(closed.folder, name)).st_mode & 0o777 == 0o440


def test_a_second_call_does_nothing(closed: Floor) -> None:
    closed.carry_over()
    before = Path(closed.path).read_bytes()
    assert closed.carry_over() is None
    assert names(closed.folder) == [ARCHIVE, ARCHIVE + SEAL]
    assert Path(closed.path).read_bytes() == before


def test_an_open_day_is_not_archived(floor: Floor) -> None:
    floor.keep()
    assert floor.carry_over() is None
    assert not os.path.exists(floor.folder)


def test_where_there_is_no_journal_nothing_is_made(tmp_path: Path) -> None:
    assert carry_over(str(tmp_path / "T1.journal"), "T1", str(tmp_path / "archive"), 0) is None
    assert names(str(tmp_path)) == []


def test_a_journal_in_which_nothing_happened_is_left_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "T1.journal")
    kill(path, entries=0)
    assert carry_over(path, "T1", str(tmp_path / "archive"), 0) is None
    assert sound(path)


def test_three_days_are_three_files_and_each_follows_the_one_before(floor: Floor) -> None:
    for _ in range(3):
        floor.next_day()
        floor.open_day()
        floor.script(NOTHING)
    floor.keep()
    files = [os.path.join(floor.folder, name) for name in archives(floor.folder, "T1")]
    assert [os.path.basename(file) for file in files] == [f"T1-day-00000{day}.journal" for day in (1, 2, 3)]
    files.append(floor.path)
    assert all(sound(file) for file in files)
    assert [follows(new, old) for old, new in pairwise(files)] == ["", "", ""]
    assert floor.state == table_in(floor.path)


def test_archives_of_other_tables_are_not_of_this_one(closed: Floor) -> None:
    closed.carry_over()
    for name in ("T2-day-000009.journal", "T1-day-000009.journal.new", "XT1-day-000009.journal"):
        Path(closed.folder, name).touch()
    assert archives(closed.folder, "T1") == [ARCHIVE]
    assert archives(closed.folder + "-elsewhere", "T1") == []


def test_the_path_of_a_journal_may_be_a_link(closed: Floor, tmp_path: Path) -> None:
    link = tmp_path / "link.journal"
    link.symlink_to(closed.path)
    assert carry_over(str(link), "T1", closed.folder, WALL_MS) is not None
    assert link.is_symlink()
    assert len(list(read_entries(closed.path))) == 1


# ------------------------------------------------------------------------------------------- answers

REQUESTS = ["open-0", "late", "refused", "close-0"]


def answers(path: str) -> list[StoredAnswer | None]:
    """What the requests of the first day are answered by the journal at that path."""
    with closing(Journal.open(path, "T1")) as journal:
        return [journal.answer_for("sue", request) for request in REQUESTS]


def test_a_request_of_the_closed_day_is_answered_as_before(closed: Floor) -> None:
    before = answers(closed.path)
    assert [one and one.ok for one in before] == [True, True, False, True]
    closed.carry_over()
    assert answers(closed.path) == before
    assert answers(closed.path) == before, "also after a restart"
    with closing(Journal.open(closed.path, "T1")) as journal:
        assert journal.answer_for("ben", "late") is None
        assert journal.answer_for("sue", "new") is None


def test_an_answer_outlives_a_day_with_few_requests(floor: Floor) -> None:
    floor.next_day()
    before = answers(floor.path)
    floor.ask("second", m.OpenDay())
    floor.next_day()
    assert answers(floor.path) == before
    assert sound(floor.path)


def test_only_the_newest_answers_are_carried(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "ANSWERS", 2)
    floor.next_day()
    assert [one is not None for one in answers(floor.path)] == [False, False, True, True]


def test_long_answers_never_make_the_first_entry_too_large(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "ANSWERS_BYTES", 500)
    floor.next_day()
    assert [one is not None for one in answers(floor.path)] == [False, True, True, True]


# ----------------------------------------------------------------------------------------- power cuts


class Ends(list[Happening]):
    """Ends the process ahead of what would be the so manieth thing done to the disk."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.left = count

    def append(self, happening: Happening) -> None:
        self.left -= 1
        if self.left == 0:
            os._exit(9)


def cut_everywhere(path: str, images: str) -> None:
    """Carry over in one copy after the other; each time the process ends one step later, until it does not.

    For a process of its own: it forks.
    """
    for count in range(1, 1_000):
        image = shutil.copytree(os.path.dirname(path), os.path.join(images, f"{count:03}"))
        child = os.fork()
        if child == 0:
            with RecordingDisk() as disk:
                disk.happenings = Ends(count)
                count_calls(disk.happenings)
                carry_over(os.path.join(image, "T1.journal"), "T1", os.path.join(image, "archive"), NOW_MS)
                os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return


def count_calls(ends: Ends) -> None:
    """What is done to the disk outside SQLite counts as well; a copy can end in its middle.

    An end of the process loses nothing that was written, so that it need not be synced here.
    """

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any) -> Any:
            ends.append(Happening(name, str(arguments[0])))
            return call(*arguments)

        return counting

    def copied(source: str, target: str) -> None:
        content = Path(source).read_bytes()
        with open(target, "wb") as file:
            file.write(content[: len(content) // 2])
            file.flush()
            ends.append(Happening("copy", target))
            file.write(content[len(content) // 2 :])

    shutil.copyfile = copied  # type: ignore[assignment]
    for name in ("fsync", "rename", "replace", "chmod", "remove", "mkdir"):
        setattr(os, name, counted(name, bool if name == "fsync" else getattr(os, name)))


def test_item_06_29_wherever_the_process_ends_the_next_start_brings_the_turnover_to_its_end(
    closed: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    before = shutil.copytree(os.path.dirname(closed.path), tmp_path / "before", ignore=ignoring("images"))
    program = (
        "import sys; from tests.service.test_archive import cut_everywhere; cut_everywhere(*sys.argv[1:])"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(before / "T1.journal"), str(images)], check=True, timeout=120
    )
    # What was left is only looked at, so that nothing is gained by syncing it.
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")
    monkeypatch.setattr(os, "fsync", lambda _: None)
    closed.carry_over()
    state, content = table_in(closed.path), Path(archived_as(closed)).read_bytes()
    cuts = sorted(images.iterdir())
    assert len(cuts) > 40
    ended_by_the_next_start = 0
    for image in cuts:
        path, archive = str(image / "T1.journal"), str(image / "archive" / ARCHIVE)
        assert sound(path), "the path names a whole journal at every moment"
        begun = len(list(read_entries(path)))
        done = carry_over(path, "T1", str(image / "archive"), NOW_MS)
        ended_by_the_next_start += done is not None
        assert (done is None) == (begun == 1), image.name
        assert table_in(path) == state
        assert Path(archive).read_bytes() == content
        assert follows(path, archive) == ""
        assert names(str(image / "archive")) == [ARCHIVE, ARCHIVE + SEAL]
        assert names(str(image)) == ["T1.journal", "T1.journal.lock", "archive"]
        assert carry_over(path, "T1", str(image / "archive"), NOW_MS) is None
    assert 0 < ended_by_the_next_start < len(cuts)


def ignoring(name: str) -> Callable[[Any, list[str]], list[str]]:
    return lambda _, found: [name] if name in found else []


def test_nothing_takes_the_place_of_a_journal_before_all_of_it_is_on_the_disk(
    closed: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noted(name: str, path_of: Callable[[Any], str]) -> None:
        call = getattr(os, name)

        def noting(*arguments: Any) -> Any:
            done.append(f"{name} {os.path.basename(path_of(arguments[0]))}")
            return call(*arguments)

        monkeypatch.setattr(os, name, noting)

    noted("fsync", lambda descriptor: os.readlink(f"/proc/self/fd/{descriptor}"))
    noted("rename", str)
    noted("replace", str)
    closed.carry_over()
    folder = os.path.basename(os.path.dirname(closed.path))
    order = [
        f"fsync {ARCHIVE}.new",
        f"rename {ARCHIVE}.new",
        "fsync archive",
        "fsync T1.journal.next",
        "replace T1.journal.next",
        f"fsync {folder}",
        f"fsync {ARCHIVE}{SEAL}.new",
        f"rename {ARCHIVE}{SEAL}.new",
        "fsync archive",
    ]
    steps = iter(done)
    assert all(step in steps for step in order), done


def test_an_error_of_the_disk_leaves_the_closed_day_where_it_is(
    closed: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_source: str, _target: str) -> None:
        raise OSError(28, "No space left on device")

    before = Path(closed.path).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", full)
        with pytest.raises(JournalRefused, match=r"No space left on device\. Mend that and try again"):
            closed.carry_over()
    assert Path(closed.path).read_bytes() == before
    assert closed.carry_over() is not None


# ------------------------------------------------------------------------------------ what is refused


def refusal(table: Floor) -> str:
    """The sentence with which the table is not carried over; the journal stays as it was."""
    before = Path(table.path).read_bytes()
    with pytest.raises(JournalRefused) as refused:
        table.carry_over()
    assert Path(table.path).read_bytes() == before
    return str(refused.value)


def test_item_05_a_journal_that_is_gone_is_no_new_table(floor: Floor) -> None:
    floor.next_day()
    os.remove(floor.path)
    assert floor.carry_over() is None
    with pytest.raises(JournalRefused) as refused:
        Journal.open(floor.path, "T1", create=False)
    assert str(refused.value) == (
        f"{floor.path}: there is no journal. A table is installed once with `table-controller install`; "
        "if this table was installed before, its journal is lost: do not play on, and follow RECOVERY.md."
    )
    assert not os.path.exists(floor.path)
    assert archives(floor.folder, "T1") == [ARCHIVE], "which tells that the table was installed before"


def test_item_05_a_table_is_carried_on_into_a_new_file_only(closed: Floor) -> None:
    closed.carry_over()
    entries = list(read_entries(closed.path))
    carried = decode_message(entries[0])
    assert isinstance(carried, m.Carried)
    other = msgspec.structs.replace(carried.house, minimum_cents=1)
    again = msgspec.structs.replace(carried, house=other, state=msgspec.Raw(b"{}"))
    known = Replay()
    state, _ = known.take(entries[0])
    later, facts = known.take(msgspec.structs.replace(entries[0], message=encode_message(again)))
    assert [type(fact) for fact in facts] == [m.CommandRefused]
    assert later == state
    assert known.house == carried.house


def test_another_file_under_the_name_of_the_archive_is_left_alone(closed: Floor) -> None:
    os.mkdir(closed.folder)
    Path(archived_as(closed)).write_bytes(b"the day of another table")
    assert f"{ARCHIVE}: the journal is another one than {closed.path}" in refusal(closed)
    assert Path(archived_as(closed)).read_bytes() == b"the day of another table"
    assert names(closed.folder) == [ARCHIVE]


def test_a_folder_that_cannot_be_is_told(closed: Floor) -> None:
    with pytest.raises(JournalRefused, match="No such file or directory"):
        carry_over(closed.path, "T1", closed.folder + "/of/another/disk", NOW_MS)


def test_a_table_that_runs_is_not_carried_over(closed: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_controller.journal_file.time.sleep", lambda _: None)
    with (
        closing(Journal.open(closed.path, "T1")),
        pytest.raises(JournalRefused, match="another process writes this journal"),
    ):
        closed.carry_over()


def test_a_journal_that_somebody_reads_is_carried_over_when_he_has_ended(closed: Floor) -> None:
    with closing(apsw.Connection(closed.path)) as reader:
        reader.execute("SELECT count(*) FROM entry").fetchall()
        with pytest.raises(JournalRefused, match="another process reads this journal"):
            closed.carry_over()
    assert closed.carry_over() is not None


def test_item_30_no_flipped_bit_of_a_closed_day_is_carried_on(
    closed: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")
    content, before, random = Path(closed.path).read_bytes(), closed.state, Random(30)
    refused = 0
    for _ in range(60):
        shutil.rmtree(closed.folder, ignore_errors=True)
        at = random.randrange(len(content))
        flipped = bytes([content[at] ^ 1 << random.randrange(8)])
        Path(closed.path).write_bytes(content[:at] + flipped + content[at + 1 :])
        try:
            closed.carry_over()
        except JournalRefused:
            refused += 1
            assert archives(closed.folder, "T1") == []
            continue
        assert table_in(closed.path).meter == before.meter
        assert sound(closed.path)
    assert refused > 10


def test_item_30_no_flipped_bit_of_the_file_that_goes_on_becomes_another_meter(
    closed: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_file, "_SYNCHRONOUS", "OFF")
    closed.carry_over()
    content, random = Path(closed.path).read_bytes(), Random(31)
    right, refused = table_in(closed.path), 0
    for _ in range(100):
        at = random.randrange(len(content))
        flipped = bytes([content[at] ^ 1 << random.randrange(8)])
        Path(closed.path).write_bytes(content[:at] + flipped + content[at + 1 :])
        try:
            assert table_in(closed.path) == right
        except JournalRefused:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("at", [0, 1_000, -4_000])
def test_a_changed_byte_of_an_archive_is_found_by_its_sum(closed: Floor, at: int) -> None:
    closed.carry_over()
    content = bytearray(Path(archived_as(closed)).read_bytes())
    content[at] ^= 1
    os.chmod(archived_as(closed), 0o640)
    Path(archived_as(closed)).write_bytes(content)
    done = subprocess.run(
        ["sha256sum", "-c", ARCHIVE + SEAL], cwd=closed.folder, check=False, capture_output=True
    )
    assert done.returncode == 1


def test_item_58_a_changed_entry_of_an_archive_is_found_by_verify_and_by_the_next_file(closed: Floor) -> None:
    closed.carry_over()
    change(archived_as(closed), "UPDATE entry SET wall_ms = wall_ms + 1 WHERE seq = 7")
    assert "entry 7: the journal was changed" in verify(archived_as(closed), replay).problem
    assert "entry 7: the journal was changed" in follows(closed.path, archived_as(closed))


def test_item_58_the_deletion_of_one_entry_is_found(closed: Floor) -> None:
    closed.carry_over()
    change(archived_as(closed), "DELETE FROM entry WHERE seq = 7")
    assert (
        "entry 7: the journal lacks an entry: number 8 was found"
        in verify(archived_as(closed), replay).problem
    )
    assert "entry 7" in follows(closed.path, archived_as(closed))


def test_item_58_the_deletion_of_a_whole_day_is_found(floor: Floor) -> None:
    first = floor.next_day().file
    floor.open_day()
    floor.script(NOTHING)
    second = floor.next_day().file
    floor.keep()
    assert follows(second, first) == ""
    assert follows(floor.path, second) == ""
    assert f"does not go on where {first} ends: it has other entries" in follows(floor.path, first)
    assert "entry 1: the journal does not begin where another one ended" in follows(first, second)


def test_item_58_an_archive_whose_end_was_rewritten_is_found_by_the_next_file(floor: Floor) -> None:
    floor.keep()
    shorter = str(Path(floor.path).with_name("shorter.journal"))
    shutil.copy(floor.path, shorter)
    floor.next_day()
    assert sound(shorter)
    assert "it has other entries" in follows(floor.path, shorter)


def test_the_file_that_goes_on_tells_when_its_state_is_not_the_one_of_the_day_before(closed: Floor) -> None:
    closed.carry_over()
    (entry,) = read_entries(closed.path)
    carried = decode_message(entry)
    assert isinstance(carried, m.Carried)
    richer = decode_state(bytes(carried.state))
    assert richer.meter is not None
    richer.meter = msgspec.structs.replace(richer.meter, reserve=0)
    forged = {
        "state": msgspec.structs.replace(carried, state=msgspec.Raw(encode_state(richer))),
        "answers": msgspec.structs.replace(carried, answers=carried.answers[1:]),
        "house": msgspec.structs.replace(carried, house=msgspec.structs.replace(carried.house, seats=5)),
        "head": msgspec.structs.replace(carried, head="00" * 32),
    }
    for name, message in forged.items():
        path = str(Path(closed.path).with_name(f"{name}.journal"))
        with closing(Journal.open(path, "T1")) as journal:
            journal.append(1, 0, 0, encode_message(message), b"[]", b"")
            journal.commit()
        assert f"it has other {name}" in follows(path, archived_as(closed))


# ------------------------------------------------------- an older file is put back over a newer one


def test_item_60_an_archived_day_that_is_put_back_is_refused_at_the_start(closed: Floor) -> None:
    closed.carry_over()
    shutil.copy(archived_as(closed), closed.path)
    os.chmod(closed.path, 0o640)
    sentence = refusal(closed)
    assert f"is at gaming day 1, and {ARCHIVE} is archived in {closed.folder} already" in sentence
    assert "follow RECOVERY.md" in sentence


def test_item_60_a_backup_from_a_day_before_is_refused_at_the_start(floor: Floor) -> None:
    floor.keep()
    backup = Path(floor.path).read_bytes()
    floor.next_day()
    floor.keep()
    assert floor.carry_over() is None
    Path(floor.path).write_bytes(backup)
    assert "is at gaming day 1" in refusal(floor)


def test_item_60_a_backup_of_this_day_is_found_by_a_published_hash_not_by_its_chain(
    floor: Floor,
) -> None:
    floor.next_day()
    floor.open_day()
    floor.keep()
    backup = Path(floor.path).read_bytes()
    floor.script(NOTHING)
    floor.keep()
    published = list(read_entries(floor.path))[-1].chain.hex()
    assert verify(floor.path, replay, published).problem == ""
    Path(floor.path).write_bytes(backup)
    assert floor.carry_over() is None
    assert sound(floor.path)
    assert follows(floor.path, archived_as(floor)) == ""
    assert f"has no entry with the hash {published}" in verify(floor.path, replay, published).problem


def test_item_60_an_archive_that_lost_its_sum_gets_it_only_when_it_is_whole(closed: Floor) -> None:
    closed.carry_over()
    seal = Path(archived_as(closed) + SEAL)
    before = seal.read_text()
    seal.unlink()
    assert closed.carry_over() is None
    assert seal.read_text() == before
    seal.unlink()
    change(archived_as(closed), "DELETE FROM entry WHERE seq = 7")
    assert "lacks an entry" in refusal(closed)
    assert not seal.exists()


def test_archives_on_another_medium_are_not_missed_by_the_table(closed: Floor) -> None:
    closed.carry_over()
    shutil.rmtree(closed.folder)
    assert closed.carry_over() is None
    assert table_in(closed.path).meter == closed.state.meter
