"""An older copy of a journal is whole in itself; the mark beside it tells that entries are missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from table_controller.journal import Journal, JournalRefused
from table_controller.tide_mark import SUFFIX, check_mark, set_mark


def opened(path: Path, entries: int = 0) -> Journal:
    journal = Journal.open(str(path), "T1")
    for _ in range(entries):
        journal.append(1, 0, 0, b"{}", b"[]", b"digest")
    journal.commit()
    return journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "T1.journal"
    opened(path, 3).close()
    return path


def marked(path: Path, more: int) -> None:
    journal = opened(path, more)
    set_mark(str(path), journal)
    journal.close()


def test_item_29_60_an_older_copy_of_the_same_day_is_refused(path: Path, tmp_path: Path) -> None:
    shutil.copyfile(path, tmp_path / "older")
    marked(path, 2)
    shutil.copyfile(tmp_path / "older", path)
    journal = opened(path)
    with pytest.raises(JournalRefused, match=r"ends with entry 3 and has had 5 .*: an older copy lies here"):
        check_mark(str(path), journal)
    journal.close()


def test_a_copy_that_went_another_way_is_refused(path: Path, tmp_path: Path) -> None:
    shutil.copyfile(path, tmp_path / "older")
    marked(path, 2)
    shutil.copyfile(tmp_path / "older", path)
    journal = opened(path)
    for _ in range(4):
        journal.append(2, 9, 9, b"{}", b"[]", b"another")
    journal.commit()
    with pytest.raises(JournalRefused, match="is another one than the one whose entry 5 was marked"):
        check_mark(str(path), journal)
    journal.close()


def test_a_journal_that_has_grown_since_its_mark_is_right(path: Path) -> None:
    marked(path, 2)
    journal = opened(path, 2)
    check_mark(str(path), journal)
    journal.close()


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b'{"first": "00", "seq": 1', b'{"first": "00", "seq": 99, "head": ""}']
)
def test_a_mark_that_is_half_written_or_of_another_file_proves_nothing(path: Path, content: bytes) -> None:
    Path(f"{path}{SUFFIX}").write_bytes(content)
    journal = opened(path)
    check_mark(str(path), journal)
    journal.close()


def test_a_place_that_takes_no_mark_is_a_line_of_the_log_and_no_stop(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = opened(path)
    set_mark(str(path.parent / "nowhere" / "T1.journal"), journal)
    journal.close()
    assert "the mark cannot be written" in caplog.text
