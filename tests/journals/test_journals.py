"""Journals that were recorded once are replayed by today's program, to the same facts and the same state."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from table_controller.audit.rounds import rounds
from table_controller.journal import read_entries, verify
from table_controller.replay import replay
from tests.shared import shared

HERE = Path(__file__).resolve().parent
JOURNALS = sorted(HERE.glob("*.journal"))


@pytest.fixture(params=JOURNALS, ids=[path.stem for path in JOURNALS])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    # SQLite may lay files beside the one it reads.
    return str(shutil.copy(request.param, tmp_path / "T1.journal"))


def test_a_recorded_journal_is_decided_again_to_the_same_facts(journal: str) -> None:
    report = verify(journal, replay)
    assert report.ok, report.problem
    assert report.entries > 20


def test_a_recorded_journal_tells_its_rounds(journal: str) -> None:
    told = list(rounds(read_entries(journal)))
    assert told
    assert all(one.first_entry <= one.last_entry for one in told)


def test_each_group_of_plays_has_a_recorded_journal() -> None:
    groups = {path.name for path in shared("scenarios").iterdir() if path.is_dir()}
    assert groups == {path.stem for path in JOURNALS}
