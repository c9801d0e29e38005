"""The test command runs every check, hides none that failed, and ends with the summary of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import dev

DEV = Path(dev.__file__)


class Tools:
    """A folder of tools that do nothing but answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        for _, (tool, *_) in dev.CHECKS:
            self.answers(tool, 0)
        self.answers("pytest", 0)

    def answers(self, tool: str, code: int, words: str = "") -> None:
        path = self.folder / tool
        path.write_text(f"#!/bin/sh\necho {words} $@\nexit {code}\n")
        path.chmod(0o755)

    def check(self, *options: str, strict: bool = False) -> int:
        return dev.check(self.folder, options, strict, self.said.append)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def test_all_is_well_when_every_check_and_the_tests_are(
    tools: Tools, capfd: pytest.CaptureFixture[str]
) -> None:
    tools.answers("pytest", 0, "12 passed")
    assert tools.check("-k", "coin") == 0
    assert [line.split(" (")[0] for line in tools.said] == [
        "format: ok",
        "lint: ok",
        "types: ok",
        "imports: ok",
    ]
    assert capfd.readouterr().out.split() == ["12", "passed", "-q", "-rs", "-k", "coin"]


def test_a_check_that_fails_shows_its_words_and_the_tests_run_all_the_same(
    tools: Tools, capfd: pytest.CaptureFixture[str]
) -> None:
    tools.answers("mypy", 1, "an amount is a float")
    tools.answers("pytest", 0, "12 passed")
    assert tools.check() == 1
    assert "an amount is a float" in tools.said
    assert tools.said[-1] == "FAILED before the tests: types"
    assert "12 passed" in capfd.readouterr().out


def test_the_exit_code_of_failing_tests_is_passed_through(tools: Tools) -> None:
    tools.answers("pytest", 5)
    assert tools.check() == 5


def test_a_missing_tool_is_named_and_left_out(tools: Tools) -> None:
    (tools.folder / "lint-imports").unlink()
    assert tools.check() == 0
    assert "imports: left out, there is no lint-imports" in tools.said


def test_on_the_build_server_a_missing_tool_is_a_failure(tools: Tools) -> None:
    (tools.folder / "lint-imports").unlink()
    assert tools.check(strict=True) == 1
    assert tools.said[-1] == "FAILED before the tests: imports"


def test_an_unknown_command_is_refused_by_name_and_touches_nothing(tmp_path: Path) -> None:
    alone = tmp_path / "deploy" / "dev.py"
    alone.parent.mkdir()
    alone.write_text(DEV.read_text(encoding="utf-8"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, alone, "dmeo"], env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "'dmeo'" in run.stdout
    assert "demo, test, play, bench, marathon and standards" in run.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["deploy"]
