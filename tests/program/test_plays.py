"""Every play of the contract on the whole program: through wires, journal and messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import SHARED, shared

ROOT = Path(__file__).resolve().parents[2]
PLAYS = len(list((SHARED / "scenarios").glob("*/*.toml")))
OURS = ROOT / "tests" / "plays"


def play(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hw_sim", "play", str(folder), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)


def test_every_play_passes_in_one_process_on_a_clock_that_jumps() -> None:
    run = play(shared("scenarios"))
    assert run.returncode == 0, "\n".join(line for line in run.stdout.splitlines() if "PASS" not in line)
    assert f"{PLAYS} passed, 0 failed" in run.stdout


def test_every_play_of_ours_passes_too() -> None:
    run = play(OURS)
    assert run.returncode == 0, "\n".join(line for line in run.stdout.splitlines() if "PASS" not in line)


def test_plays_pass_as_separate_processes_in_real_time() -> None:
    # Everybody's check plays the power cuts; under CI all plays are played so.
    whole = bool(os.environ.get("CI"))
    run = play(shared("scenarios" if whole else "scenarios/power"), "--real")
    assert run.returncode == 0, "\n".join(line for line in run.stdout.splitlines() if "PASS" not in line)
    passed = int(run.stdout.splitlines()[-1].split()[0])
    assert passed == PLAYS if whole else passed > 0


def test_a_play_that_is_wrong_fails(tmp_path: Path) -> None:
    right = shared("scenarios/clean/tie-wheel.toml").read_text("utf-8")
    (tmp_path / "wrong.toml").write_text(right.replace('"push 10.00"', '"win 10.00"'), "utf-8")
    run = play(tmp_path)
    assert run.returncode == 1
    assert "FAIL tie-wheel" in run.stdout
    assert "push 10.00" in run.stdout


@pytest.mark.parametrize("broken", ['round = "setled"', "lights = []"])
def test_a_play_that_cannot_be_read_is_named_and_the_others_still_run(tmp_path: Path, broken: str) -> None:
    right = shared("scenarios/clean/tie-wheel.toml").read_text("utf-8")
    (tmp_path / "a.toml").write_text(right.replace('round = "settled"', broken), "utf-8")
    (tmp_path / "b.toml").write_text(right, "utf-8")
    run = play(tmp_path)
    assert run.returncode == 2
    assert "a.toml" in run.stdout + run.stderr
    assert "PASS tie-wheel" in run.stdout
