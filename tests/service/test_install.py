"""A table is installed once; after a loss it goes on from its newest archived day, and nothing is dropped."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pytest_mock import MockerFixture

from table_controller.app import LOST_MAX, Recovery, build, install
from table_controller.archive import carry_over
from table_controller.audit.report import report
from table_controller.config import TableConfig, load_table
from table_controller.journal import Journal, JournalRefused, read_entries, verify
from table_controller.replay import Replay, replay
from table_controller.service import StartRefused
from table_controller.table import messages as m
from table_controller.table.state import TableState
from tests.service.gaming_day import RULES, GamingDay

EXAMPLE = Path(__file__).parents[2] / "deploy" / "table.example.toml"
PEOPLE = ("ann", "ben")


class Clock:
    """A clock that stands."""

    def now_us(self) -> int:
        return 0

    def wall_ms(self) -> int:
        return 1_790_000_000_000

    def synced(self) -> bool:
        return True


@pytest.fixture
def config(tmp_path: Path) -> TableConfig:
    (tmp_path / "house.toml").write_text(RULES)
    text = EXAMPLE.read_text("utf-8").replace('house_rules = "us"', 'house_rules = "house.toml"')
    (tmp_path / "table.toml").write_text(text)
    return load_table(tmp_path / "table.toml")


def table_of(config: TableConfig) -> TableState:
    again = Replay()
    for entry in read_entries(config.journal_file):
        again.take(entry)
    assert again.state is not None
    return again.state


def a_day_with_an_award_that_is_owed(config: TableConfig) -> TableState:
    """It is archived, and the journal of the next day is lost."""
    table = GamingDay().said(m.OpenDay()).played("straight flush").said(m.CloseDay())
    table.write(Path(config.journal_file))
    carry_over(config.journal_file, "T1", config.archive_folder, Clock().wall_ms())
    Path(config.journal_file).unlink()
    return table.state


def test_item_50_a_table_is_installed_once_with_its_meter_at_meter_start(config: TableConfig) -> None:
    install(config, Clock(), PEOPLE, "GC-1")
    state = table_of(config)
    assert state.meter is not None
    assert state.meter.cents == config.house_rules.meter_start_cents
    with pytest.raises(StartRefused, match="installed already"):
        install(config, Clock(), PEOPLE, "GC-1")
    with pytest.raises(StartRefused, match="installed already"):
        install(config, Clock(), PEOPLE, "GC-1", Recovery("lost", 5))
    assert verify(config.journal_file, replay).ok


@pytest.mark.parametrize(
    ("people", "approval", "why"),
    [
        (("ann", " Ann"), "GC-1", "two people"),
        (("ann", ""), "GC-1", "two people"),
        (PEOPLE, " ", "approval"),
    ],
)
def test_item_50_one_person_or_nobodys_approval_installs_nothing(
    config: TableConfig, people: tuple[str, str], approval: str, why: str
) -> None:
    with pytest.raises(StartRefused, match=why):
        install(config, Clock(), people, approval)
    assert not Path(config.journal_file).exists()


def test_item_05_a_table_with_archived_days_is_never_installed_as_a_new_one(config: TableConfig) -> None:
    a_day_with_an_award_that_is_owed(config)
    with pytest.raises(
        StartRefused, match=r"was installed before \(T1-day-000001.journal\), and its journal"
    ):
        install(config, Clock(), PEOPLE, "GC-1")
    assert not Path(config.journal_file).exists()


def test_item_29_60_after_a_loss_the_table_goes_on_from_its_newest_archived_day(config: TableConfig) -> None:
    before = a_day_with_an_award_that_is_owed(config)
    install(config, Clock(), PEOPLE, "GC-2", Recovery("the card of day 2 is dead", 901_234))
    after = table_of(config)
    assert before.meter is not None
    assert after.meter is not None
    assert before.books is not None
    assert after.books is not None
    assert (after.meter.cents, after.meter.reserve, after.meter.overflow) == (
        901_234,
        before.meter.reserve,
        before.meter.overflow,
    )
    assert after.meter.balances
    assert list(after.books.owed) == list(before.books.owed) == ["T1-A000001"]
    owed = after.books.owed["T1-A000001"]
    assert (owed.cents, owed.hold) == (100_003, "other"), "it may have been paid on the lost day"
    assert after.books.levels == before.books.levels
    assert after.books.documents == before.books.documents + LOST_MAX, "no number is given twice"
    assert (after.books.day, after.rounds) == (before.books.day + 1, before.rounds + LOST_MAX)
    assert verify(config.journal_file, replay).ok
    told = report(read_entries(config.journal_file))
    assert told.reconciles
    (corrected,) = told.corrections
    assert (corrected.why, corrected.after_cents) == ("after_loss", 901_234)


def test_a_first_day_that_is_lost_begins_with_the_meter_that_two_people_signed(config: TableConfig) -> None:
    install(config, Clock(), PEOPLE, "GC-2", Recovery("the first day is lost", 900_000))
    state = table_of(config)
    assert state.meter is not None
    assert state.meter.cents == 900_000
    (fact,) = [fact for fact in _facts(config) if isinstance(fact, m.TableInstalled)]
    assert fact.recovery == "the first day is lost"


def _facts(config: TableConfig) -> list[m.AnyFact]:
    entries = read_entries(config.journal_file)
    return [fact for entry in entries for fact in msgspec.json.decode(entry.facts, type=list[m.AnyFact])]


@pytest.mark.parametrize("at", ["os.replace", "sync_to_disk", "_prove"])
def test_item_50_a_power_cut_in_an_installation_leaves_no_table_that_nobody_approved(
    config: TableConfig, mocker: MockerFixture, at: str
) -> None:
    a_day_with_an_award_that_is_owed(config)
    recovery = Recovery("the card of day 2 is dead", 901_234)
    cut = mocker.patch(f"table_controller.archive.{at}", side_effect=OSError("the power is gone"))
    with pytest.raises(OSError, match="the power is gone"):
        install(config, Clock(), PEOPLE, "GC-2", recovery)
    assert cut.called
    assert not Path(config.journal_file).exists()
    mocker.stopall()
    install(config, Clock(), PEOPLE, "GC-2", recovery)
    state = table_of(config)
    assert state.meter is not None
    assert state.meter.cents == 901_234


def test_item_30_a_journal_without_an_entry_is_no_table(config: TableConfig) -> None:
    journal = Journal.open(config.journal_file, "T1")
    journal._created = False  # as where the power went ahead of the first entry
    journal.close()
    with pytest.raises(StartRefused, match="the journal is empty: its installation was never finished"):
        build(config, Clock())


def test_item_60_a_journal_from_before_there_were_books_does_not_cover_archived_days(
    config: TableConfig,
) -> None:
    a_day_with_an_award_that_is_owed(config)
    older = GamingDay()
    older.heard = [(0, older.wall_ms, older.started())]
    older.write(Path(config.journal_file))
    with pytest.raises(JournalRefused, match=r"T1-day-000001\.journal is archived"):
        carry_over(config.journal_file, "T1", config.archive_folder, Clock().wall_ms())


def test_numbers_are_not_given_twice_after_a_loss_without_an_archive(config: TableConfig) -> None:
    install(config, Clock(), PEOPLE, "GC-2", Recovery("the first day is lost", 1_000_000))
    state = table_of(config)
    assert state.books is not None
    assert (state.books.documents, state.rounds, state.books.day) == (LOST_MAX, LOST_MAX, 1)
