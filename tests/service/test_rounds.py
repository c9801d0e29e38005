"""The list of rounds: all of them, or the newest, over the files of several days."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from table_controller.__main__ import main
from table_controller.audit.rounds import RoundReport, newest_rounds, rounds_of
from table_controller.table import messages as m
from tests.service.gaming_day import a_day

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with one archived day of six rounds and one in use, with a third round in play."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "archive").mkdir()
    day = a_day()
    archived = folder / "archive" / "T1-day-000001.journal"
    day.write(archived)
    today = day.carried_on(archived.name, day.entries()[-1].chain.hex())
    today.said(m.OpenDay()).said(m.LogOn(), "ann", "dealer").played("nothing").played("flush")
    today.words("open\nante 1 10.00\nlock\ndeal ??>1\nrescan 2D")
    today.write(folder / "T1.journal")
    (folder / "table.toml").write_text((ROOT / "deploy" / "table.example.toml").read_text("utf-8"), "utf-8")
    return folder


@pytest.fixture(scope="module")
def files(folder: Path) -> list[str]:
    return [str(folder / "archive" / "T1-day-000001.journal"), str(folder / "T1.journal")]


@pytest.mark.parametrize("last", [1, 2, 3, 4, 6, 8, 9, 100])
def test_the_newest_rounds_are_the_last_of_all_rounds(files: list[str], last: int) -> None:
    every = list(rounds_of(files))
    assert len(every) == 9
    assert newest_rounds(files, last) == every[-last:]


def test_no_older_file_is_read_than_the_newest_rounds_need(files: list[str]) -> None:
    gone = files[0] + ".gone"
    assert [one.shown for one in newest_rounds([gone, files[1]], 3)] == ["idle", "idle", "dealing"]


def test_the_card_of_a_round_in_play_stays_hidden_in_the_list(files: list[str]) -> None:
    in_play = newest_rounds(files, 1)[0]
    assert in_play.cards == (("hidden", "1"),)
    assert any("RescanCard" in one for one in in_play.said)
    assert "2D" not in msgspec.json.encode(in_play).decode()


def test_a_table_s_file_means_its_archived_days_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rounds", str(folder / "table.toml"), "--json", "--last", "4"]) == 0
    told = [msgspec.json.decode(line, type=RoundReport) for line in capsys.readouterr().out.splitlines()]
    assert [one.round[-6:] for one in told] == ["000006", "000007", "000008", "000009"]
    assert main(["rounds", str(folder / "table.toml"), "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9


def test_a_list_of_no_rounds_is_not_understood(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as code:
        main(["rounds", str(folder / "T1.journal"), "--last", "0"])
    assert code.value.code == 2
    assert "'0' was found; allowed: a whole number above 0" in capsys.readouterr().err
