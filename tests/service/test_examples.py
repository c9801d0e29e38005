"""What a site copies and adapts: the sign of its own, the file of the pages and the unit that starts them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from hw_sim.stages import RealStage, controller, set_up
from table_controller.web.settings import load_settings

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLES: Final = ROOT / "deploy" / "examples"
RULES: Final = 'preset = "us_standard"\nmeter_start = "50000.00"\n'
# Seat 1 holds a straight flush, the dealer ace and king.
CARDS: Final = "5H KD 6H AC 7H 4S 8H 3D 9H TC".split()
WAIT_MS: Final = 15_000


class Sign:
    """The sign of the example, as a process of its own, and what it has shown."""

    def __init__(self, folder: Path, key: Path) -> None:
        ends = [f"ipc://{folder / name}.sock" for name in ("state", "commands")]
        self._log = folder / "sign.log"
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(EXAMPLES / "sign.py"), str(key), *ends, "MAIN"], stdout=log, stderr=log
            )

    @property
    def shown(self) -> list[str]:
        """Every line so far; the last one is what it shows now."""
        return self._log.read_text("utf-8").splitlines() or [""]


@pytest.fixture
def folder() -> Iterator[Path]:
    # A socket's name has room for about a hundred letters; the folders of pytest are deeper.
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def stage(folder: Path) -> Iterator[RealStage]:
    stage = RealStage(folder, RULES, lambda _: None, threading.Event(), 120_000, begin)
    yield stage
    stage.close()


def begin(table: Path) -> None:
    for told in (set_up(table), controller("keys", "add", str(table), "MAIN:display")):
        assert told.returncode == 0, told.stderr


@pytest.fixture
def sign(stage: RealStage, folder: Path) -> Iterator[Sign]:
    sign = Sign(folder, folder / "keys" / "MAIN.key")
    yield sign
    sign.process.kill()
    sign.process.wait()


def shows(stage: RealStage, sign: Sign, words: str) -> bool:
    return stage.until(lambda: sign.shown[-1] == words, WAIT_MS)


def say(stage: RealStage, command: dict[str, object], role: str = "dealer") -> None:
    answer = stage.client.say(command, "ann", role, "because")
    assert answer["ok"], answer


def state_is(stage: RealStage, condition: Callable[[dict[str, object]], bool]) -> bool:
    return stage.until(lambda: condition(stage.client.state), WAIT_MS)


def play_a_straight_flush(stage: RealStage) -> None:
    assert state_is(stage, lambda state: bool(state["shoe"]))
    say(stage, {"type": "PressKey", "key": "open"})
    stage.hands.ante(1)
    say(stage, {"type": "SetAmount", "spot": "ante", "seat": 1, "cents": 1_000})
    stage.hands.coin(1)
    assert stage.until(lambda: stage.hands.lamp_lit(1), WAIT_MS)
    say(stage, {"type": "PressKey", "key": "lock"})
    stage.hands.deal(*CARDS)
    assert state_is(stage, lambda state: state["phase"] == "deciding")
    stage.hands.raise_(1)
    say(stage, {"type": "SetAmount", "spot": "raise", "seat": 1, "cents": 2_000})
    say(stage, {"type": "PressKey", "key": "close"})
    say(stage, {"type": "PressKey", "key": "reveal"})


def test_the_sign_shows_the_meter_and_an_award_that_waits(stage: RealStage, sign: Sign) -> None:
    assert shows(stage, sign, "T1 | 50,000.00"), sign.shown
    play_a_straight_flush(stage)
    assert shows(stage, sign, "T1 | 50,000.49 | PENDING seat 1, straight_flush, 5,000.04"), sign.shown


def test_the_sign_says_how_old_its_amount_is_and_finds_the_table_again(stage: RealStage, sign: Sign) -> None:
    assert shows(stage, sign, "T1 | 50,000.00"), sign.shown
    stage.power_off()
    end = threading.Event()
    for words in ("3 s old", "OFFLINE, amount not confirmed"):
        for _ in range(WAIT_MS // 50):
            if words in sign.shown[-1] or end.wait(0.05):
                break
        assert words in sign.shown[-1], sign.shown
    stage.power_on()
    assert stage.until(lambda: sign.shown[-1] == "T1 | 50,000.00", WAIT_MS), sign.shown


def test_a_sign_that_dies_is_missed_at_the_table(stage: RealStage, sign: Sign) -> None:
    assert shows(stage, sign, "T1 | 50,000.00"), sign.shown
    assert stage.client.state["health"]["display"] is True
    sign.process.kill()
    assert state_is(stage, lambda state: not state["health"]["display"])  # type: ignore[index]


def test_the_sample_of_the_pages_file_is_taken_as_it_is(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "web.toml", tmp_path)
    for file in ("keys/web.key", "table.toml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    settings = load_settings(tmp_path / "web.toml")
    assert (settings.host, settings.port, list(settings.tables)) == ("127.0.0.1", 8080, ["T1"])


def test_the_keys_that_the_sample_keeps_quiet_about_are_the_ones_there_are(tmp_path: Path) -> None:
    text = (EXAMPLES / "web.toml").read_text("utf-8")
    for quiet in ("[proxy]", "origin", "address", "signs"):
        assert f"# {quiet}" in text
        text = text.replace(f"# {quiet}", quiet)
    path = tmp_path / "web.toml"
    path.write_text(text, "utf-8")
    for file in ("keys/web.key", "table.toml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    settings = load_settings(path)
    assert settings.proxy is not None
    assert settings.tables["T1"].signs == ("MAIN", "PIT-2")


def test_the_unit_starts_the_program_with_the_words_that_it_knows() -> None:
    lines = (EXAMPLES / "table-controller-web.service").read_text("utf-8").splitlines()
    starts = [line for line in lines if line.startswith("Exec")]
    assert [line.rpartition("/")[2] for line in starts] == [
        "table-controller-web check web.toml",
        "table-controller-web run web.toml",
    ]
    assert 'table-controller-web = "table_controller.web.__main__:main"' in (
        ROOT / "pyproject.toml"
    ).read_text("utf-8")
