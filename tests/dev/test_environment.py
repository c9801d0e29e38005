"""The environment of a clone is made once, made anew when it is not whole, and never mended."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy import dev
from deploy.dev import CannotGoOn, Environment, Machine

PROGRAMS = ("python", "pip", "pytest", "hw-sim", "table-controller")


class Computer(Machine):
    """A computer on which every command succeeds at once, and which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.version = (3, 11)
        self.bits_64 = True
        self.has_venv = True
        self.is_root = False
        self.fails_at = ""

    def python(self) -> str:
        return "/usr/bin/python3"

    def python_version(self) -> tuple[int, int]:
        return self.version

    def kind(self) -> str:
        return "aarch64"

    def is_64_bit(self) -> bool:
        return self.bits_64

    def can_make_environments(self) -> bool:
        return self.has_venv

    def may_install(self) -> bool:
        return self.is_root

    def run(self, *command: str) -> bool:
        self.asked.append(command)
        if self.fails_at and self.fails_at in command:
            return False
        if "venv" in command:
            folder = Path(command[-1])
            for old in folder.rglob("*"):
                if old.is_file():
                    old.unlink()
            (folder / "bin").mkdir(parents=True, exist_ok=True)
            for name in PROGRAMS:
                (folder / "bin" / name).touch()
        if "python3-venv" in command:
            self.has_venv = True
        return True


class Clone:
    """A freshly cloned tree on such a computer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine = Computer()
        self.said: list[str] = []
        (root / "requirements.lock").write_text("msgspec==0.23.0\n")
        (root / "pyproject.toml").write_text("[project]\n")
        self.environment = Environment(root, self.machine, self.said.append)

    def make_sure(self) -> int:
        """Ask for the environment and count the steps it took."""
        self.machine.asked.clear()
        self.environment.make_sure()
        return len(self.machine.asked)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_fresh_clone_gets_venv_then_the_locked_packages_then_the_project(clone: Clone) -> None:
    clone.make_sure()
    venv, packages, project = clone.machine.asked
    assert venv[:4] == ("/usr/bin/python3", "-m", "venv", "--clear")
    assert packages[-3:] == ("--require-hashes", "-r", str(clone.root / "requirements.lock"))
    assert project[-4:] == ("--no-deps", "--no-build-isolation", "--editable", str(clone.root))


def test_a_whole_environment_costs_no_step(clone: Clone) -> None:
    clone.make_sure()
    assert clone.make_sure() == 0


def test_an_environment_without_its_marker_is_half_made_and_made_anew(clone: Clone) -> None:
    (clone.root / ".venv" / "bin").mkdir(parents=True)
    assert clone.make_sure() == 3
    assert "not complete" in clone.said[0]


@pytest.mark.parametrize("step", ["venv", "--require-hashes", "--editable"])
def test_a_set_up_that_fails_leaves_no_marker_and_the_next_one_starts_again(clone: Clone, step: str) -> None:
    clone.machine.fails_at = step
    with pytest.raises(CannotGoOn, match="step failed"):
        clone.make_sure()
    assert clone.environment.flaw()
    clone.machine.fails_at = ""
    assert clone.make_sure() == 3


def test_a_set_up_that_is_interrupted_leaves_no_marker(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: str) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(clone.machine, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        clone.make_sure()
    assert clone.environment.flaw()


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_environment_that_lost_a_program_is_made_anew(clone: Clone, name: str) -> None:
    clone.make_sure()
    (clone.root / ".venv" / "bin" / name).unlink()
    assert clone.make_sure() == 3
    assert clone.said[-1].count(name) == 1


def test_an_interpreter_that_was_removed_from_the_computer_counts_as_lost(clone: Clone) -> None:
    clone.make_sure()
    python = clone.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to(clone.root / "removed")
    assert "lost python" in clone.environment.flaw()


def _another_lock(clone: Clone) -> None:
    (clone.root / "requirements.lock").write_text("msgspec==0.24.0\n")


def _another_project_file(clone: Clone) -> None:
    (clone.root / "pyproject.toml").write_text("[project.scripts]\nhw-sim = 'x'\n")


def _another_python(clone: Clone) -> None:
    clone.machine.version = (3, 13)


@pytest.mark.parametrize("change", [_another_lock, _another_project_file, _another_python])
def test_what_the_environment_was_made_from_has_changed(
    clone: Clone, change: Callable[[Clone], None]
) -> None:
    clone.make_sure()
    change(clone)
    assert "made for other" in clone.environment.flaw()


def test_a_setting_of_a_tool_changes_nothing_that_is_installed(clone: Clone) -> None:
    clone.make_sure()
    (clone.root / "pyproject.toml").write_text("[project]\n[tool.ruff]\nline-length = 110\n")
    assert clone.make_sure() == 0


def test_a_tree_that_was_moved_gets_an_environment_of_its_own(clone: Clone, tmp_path: Path) -> None:
    clone.make_sure()
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    clone.root.rename(moved)
    assert "another place" in Environment(moved, clone.machine, clone.said.append).flaw()


def test_a_person_without_venv_is_told_the_one_command_to_type(clone: Clone) -> None:
    clone.machine.has_venv = False
    with pytest.raises(CannotGoOn) as told:
        clone.make_sure()
    assert str(told.value).splitlines()[-1].strip() == (
        "sudo apt-get update && sudo apt-get install -y python3-venv"
    )
    assert clone.machine.asked == []


def test_root_without_venv_gets_it_installed_after_a_fresh_list_of_packages(clone: Clone) -> None:
    clone.machine.has_venv, clone.machine.is_root = False, True
    clone.make_sure()
    assert [command[1] for command in clone.machine.asked[:2]] == ["update", "install"]
    assert clone.environment.flaw() == ""


def test_root_is_told_the_command_too_when_installing_fails(clone: Clone) -> None:
    clone.machine.has_venv, clone.machine.is_root, clone.machine.fails_at = False, True, "update"
    with pytest.raises(CannotGoOn, match="python3-venv"):
        clone.make_sure()


def test_a_python_that_is_too_old_is_refused_with_its_number(clone: Clone) -> None:
    clone.machine.version = (3, 9)
    with pytest.raises(CannotGoOn, match=r"3\.11 or newer is needed; this is 3\.9"):
        clone.make_sure()


def test_a_32_bit_system_is_refused(clone: Clone) -> None:
    clone.machine.bits_64 = False
    with pytest.raises(CannotGoOn, match="64-bit"):
        clone.make_sure()


@contextmanager
def another_set_up(clone: Clone) -> Iterator[None]:
    with (clone.root / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_a_second_set_up_does_not_touch_what_the_first_one_is_making(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "WAIT_FOR_OTHER_S", 0)
    with another_set_up(clone), pytest.raises(CannotGoOn, match="Another set-up"):
        clone.make_sure()
    assert clone.machine.asked == []
    assert clone.make_sure() == 3


def test_a_set_up_that_waited_uses_what_the_other_one_made(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Environment(clone.root, Computer(), lambda _: None)
    with another_set_up(clone):

        def let_the_other_finish(_: float) -> None:
            monkeypatch.setattr(fcntl, "flock", lambda *_: None)
            other.make_sure()

        monkeypatch.setattr(time, "sleep", let_the_other_finish)
        assert clone.make_sure() == 0
    assert clone.said == ["Another set-up of this tree is running; waiting for it."]
