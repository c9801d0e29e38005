"""A gaming day from the trial of the lines to the archive, said and asked at a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hw_sim.stages import RealStage, install, set_up

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("lock", "close", "reveal", "clear", "open")
# Seat 1 holds a straight flush, the dealer ace and king.
CARDS = "5H KD 6H AC 7H 4S 8H 3D 9H TC".split()


class Day:
    """One table for one day, with the people who say something at it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = folder / "table.toml"
        rules = 'preset = "us_standard"\nmeter_start = "50000.00"\n'
        self.stage = RealStage(folder, rules, lambda _: None, threading.Event(), 120_000, self._begin)

    def _begin(self, table: Path) -> None:
        text = table.read_text("utf-8")
        days = 'gaming_day = true\nwalk = true\n[approval]\nreference = "GC-1"\nby = "A. Name"'
        table.write_text(text.replace("gaming_day = false", days), "utf-8")
        told = set_up(table)
        assert told.returncode == 0, told.stderr

    def program(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "table_controller", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    def say(self, words: str, operator: str = "sue") -> str:
        """What became of a word: empty where it was taken, else why it was refused."""
        told = self.program(
            "say", words, "--operator", operator, "--reason", "because", "--table", str(self.table)
        )
        return told.stderr.strip() if told.returncode else ""

    def sees(self, **expected: object) -> bool:
        def there() -> bool:
            state = self.stage.client.state or {}
            return all(state.get(name) == value for name, value in expected.items())

        return self.stage.until(there, 10_000)

    def lit(self, seat: int) -> bool:
        return self.stage.until(lambda: self.stage.hands.lamp_lit(seat), 10_000)

    def tried(self) -> list[str]:
        state = self.stage.client.state or {}
        return list((state.get("trial") or {}).get("tried", []))


@pytest.fixture
def day() -> Iterator[Day]:
    # A socket's name has room for about a hundred letters; the folders of pytest are deeper.
    with tempfile.TemporaryDirectory() as folder:
        day = Day(Path(folder))
        yield day
        day.stage.close()


def try_every_line(day: Day) -> None:
    assert day.say("sup trial the laboratory, by mail") == ""
    assert day.sees(shown="trial")
    for key in KEYS:
        day.stage.hands.key(key)
    for seat in range(1, 8):
        assert day.say(f"try seat {seat}", "tom") == ""
        assert day.lit(seat)
        assert day.say(f"lamp seen {seat}", "tom") == ""
    day.stage.hands.coin(7)
    assert day.stage.until(lambda: len(day.tried()) == len(KEYS) + 8, 10_000), day.tried()
    assert day.say("sup end trial") == ""


def play_a_straight_flush(day: Day) -> None:
    assert day.say("log on", "dan") == ""
    assert day.say("open", "dan") == ""
    day.stage.hands.ante(1)
    assert day.say("set ante 1 10.00", "dan") == ""
    day.stage.hands.coin(1)
    assert day.lit(1)
    assert day.say("lock", "dan") == ""
    day.stage.hands.deal(*CARDS)
    assert day.sees(phase="deciding")
    day.stage.hands.raise_(1)
    assert day.say("set raise 1 20.00", "dan") == ""
    assert day.say("close", "dan") == ""
    assert day.say("reveal", "dan") == ""
    assert day.sees(shown="hold")


def test_a_whole_day_from_the_trial_to_the_archive(day: Day) -> None:
    assert day.sees(shown="closed", shoe=True)
    assert "keys and lamps must be tried first" in day.say("sup open day")
    try_every_line(day)
    assert "no gaming day is open" in day.say("open", "dan")
    assert day.say("sup open day") == ""
    play_a_straight_flush(day)
    assert "must be counted complete first" in day.say("confirm 1", "dan")
    assert day.say("stub 42", "dan") == ""
    assert day.say("confirm 1", "dan") == ""
    assert "second person" in day.say("sup confirm 1 camera 4 at 02:10", "dan")
    assert day.say("sup confirm 1 camera 4 at 02:10") == ""
    assert day.say("clear", "dan") == ""
    assert day.say("sup withhold T1-A000001 identity") == ""
    assert day.say("open", "dan") == "", "what is owed frees the table"
    assert "withheld" in day.say("sup pay T1-A000001 cage")
    assert day.say("sup release T1-A000001") == ""
    assert day.say("sup pay T1-A000001 cage") == ""
    boot = day.stage.client.order[0]
    assert day.say("sup close day") == ""
    assert day.stage.until(lambda: day.stage.client.order[0] > boot, 15_000), "the next day's file is in use"
    assert day.sees(shown="closed", owed=[])

    archive, journal = str(day.folder / "archive" / "T1-day-000001.journal"), str(day.folder / "T1.journal")
    told = day.program("verify", archive)
    assert told.returncode == 0, told.stderr
    told = day.program("verify", journal, "--follows", archive)
    assert told.returncode == 0, told.stderr
    told = subprocess.run(
        ["sha256sum", "-c", "T1-day-000001.journal.sha256"],
        cwd=day.folder / "archive",
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout.strip() == "T1-day-000001.journal: OK"
    (hit,) = json.loads(day.program("hits", archive, "--json").stdout)["hits"]
    assert (hit["document"], hit["hand"], hit["cents"]) == ("T1-A000001", "straight_flush", 500_004)
    report = json.loads(day.program("report", archive, "--json").stdout)
    assert report["reconciles"] is True
    slip = day.program("slip", "T1-A000001", archive)
    assert "5000.04" in slip.stdout
    assert "5,000.04" in slip.stdout or "five thousand" in slip.stdout.lower()


def test_item_52_54_a_program_that_is_not_the_approved_one_does_not_start(tmp_path: Path) -> None:
    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "table_controller", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    table, approved = tmp_path / "table.toml", tmp_path / "approved.manifest"
    text = (ROOT / "deploy" / "table.example.toml").read_text("utf-8")
    table.write_text(text.replace("[journal]", '[software]\nmanifest = "approved.manifest"\n\n[journal]', 1))
    assert install(table).returncode == 0
    approved.write_text(program("manifest").stdout, "utf-8")
    assert program("verify-software", str(approved)).returncode == 0
    told = program("run", str(table))
    assert "not the approved one" not in told.stderr
    assert "HW_SIM_BOARD" in told.stderr, "the program is the approved one; here it lacks its wires"

    lines = approved.read_text("utf-8").splitlines(keepends=True)
    (msgspec,) = (line for line in lines if "/msgspec-" in line)
    lines[lines.index(msgspec)] = "0" * 64 + msgspec[64:]
    approved.write_text("".join(lines), "utf-8")
    told = program("run", str(table))
    assert told.returncode == 1
    assert "The program is not the approved one" in told.stderr
    assert "distributions/msgspec-" in told.stderr
    assert "Traceback" not in told.stderr
