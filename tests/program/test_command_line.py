"""The command line against a table that runs: words said from a terminal, the record of a round."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hw_sim.stages import RealStage

ROOT = Path(__file__).resolve().parents[2]
CARDS = "9H KD 9D AC 4C 6S 7S 3D 2C TC".split()


@pytest.fixture
def stage() -> Iterator[RealStage]:
    # A socket's name has room for about a hundred letters; the folders of pytest are deeper.
    with tempfile.TemporaryDirectory() as folder:
        stage = RealStage(Path(folder), 'preset = "us_standard"\n', lambda _: None, threading.Event(), 60_000)
        yield stage
        stage.close()


def controller(stage: RealStage, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "table_controller", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def say(stage: RealStage, words: str, *more: str) -> subprocess.CompletedProcess[str]:
    table = str(stage._folder / "table.toml")
    return controller(stage, "say", words, "--operator", "ann", "--table", table, *more)


def shows(stage: RealStage, phase: str) -> bool:
    return stage.until(lambda: bool(stage.client.state) and stage.client.state["shown"] == phase, 10_000)


def test_a_round_is_played_from_a_terminal_and_its_record_is_shown(stage: RealStage, tmp_path: Path) -> None:
    stage.until(lambda: bool(stage.client.state) and stage.client.state["shoe"], 10_000)
    for words in ("log on", "open", "set ante 1 10.00"):
        told = say(stage, words)
        assert told.returncode == 0, told.stderr
        assert told.stdout.startswith("taken, entry ")
    assert say(stage, "lock").returncode == 0
    refused = say(stage, "close")
    assert refused.returncode == 1
    assert "CLOSE is possible only while seats decide" in refused.stderr
    stage.hands.deal(*CARDS)
    assert shows(stage, "deciding")
    journal = str(stage._folder / "T1.journal")
    hidden = controller(stage, "round", "1", "--journal", journal).stdout
    assert not any(card in hidden.split() for card in CARDS if card != "TC")
    for words in ("set raise 1 20.00", "close", "reveal"):
        assert say(stage, words).returncode == 0
    assert shows(stage, "settled")
    record = controller(stage, "round", "1", "--journal", journal)
    assert record.returncode == 0, record.stderr
    assert "ann" in record.stdout
    assert "20.00" in record.stdout
    assert all(card in record.stdout for card in CARDS)
    page = tmp_path / "round.html"
    assert controller(stage, "round", "1", "--journal", journal, "--html", str(page)).returncode == 0
    assert "<html" in page.read_text("utf-8")


def test_a_supervisor_s_word_needs_a_reason(stage: RealStage) -> None:
    stage.until(lambda: bool(stage.client.state), 10_000)
    told = say(stage, "sup new_deck")
    assert told.returncode == 2
    assert "a supervisor's word needs a reason: say it with --reason TEXT" in told.stderr
    assert say(stage, "sup new_deck", "--reason", "worn").returncode == 0


def test_what_is_no_word_never_reaches_the_table(stage: RealStage) -> None:
    told = say(stage, "shuffle the deck")
    assert told.returncode == 2
    assert "no word of the table" in told.stderr


def test_a_round_that_never_was_is_named(stage: RealStage) -> None:
    told = controller(stage, "round", "77", "--journal", str(stage._folder / "T1.journal"))
    assert told.returncode == 1
    assert "77" in told.stderr
    assert "Traceback" not in told.stderr
