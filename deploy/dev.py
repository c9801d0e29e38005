#!/usr/bin/env python3
"""The commands of this project for a person who has just cloned it.

    python3 deploy/dev.py demo [--rounds N] [--seed N] [--preset NAME] [--seats N] [--speed X]
    python3 deploy/dev.py test [what pytest takes]
    python3 deploy/dev.py play FILE-OR-FOLDER... [--real]
    python3 deploy/dev.py bench
    python3 deploy/dev.py marathon [long-run] [--rounds N] [--presets …] [--seed N]
    python3 deploy/dev.py standards

All but the last first make sure of the environment in `.venv`: exactly the locked packages, checked by
hash, and the project itself. An environment that is whole is recognised by one small file and costs nothing.
Only the standard library is used here, because this runs before anything is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
WAIT_FOR_OTHER_S = 600
VENV_PACKAGE = "sudo apt-get update && sudo apt-get install -y python3-venv"

# Cheap checks first, so that a slip is told within a second.
CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("format", ("ruff", "format", "--check", ".")),
    ("lint", ("ruff", "check", "--output-format=concise", ".")),
    ("types", ("mypy",)),
    ("imports", ("lint-imports", "--no-logo")),
)


class CannotGoOn(Exception):
    """The environment cannot be made; the text says why and what to do."""


class Machine:
    """What the set-up asks of the computer it runs on; a test puts a fake in its place."""

    def python(self) -> str:
        """Return the interpreter that an environment is made from, never one inside an environment."""
        if sys.prefix == sys.base_prefix:
            return sys.executable
        return str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))

    def python_version(self) -> tuple[int, int]:
        """Return major and minor version of the interpreter."""
        return sys.version_info[:2]

    def kind(self) -> str:
        """Return the kind of processor, which decides what installed packages can run."""
        return os.uname().machine

    def is_64_bit(self) -> bool:
        """Tell whether the interpreter is a 64-bit one."""
        return sys.maxsize > 2**32

    def can_make_environments(self) -> bool:
        """Tell whether the standard library is complete: Debian keeps this part in a package of its own."""
        importlib.invalidate_caches()
        return all(importlib.util.find_spec(name) is not None for name in ("venv", "ensurepip"))

    def may_install(self) -> bool:
        """Tell whether this user may install Debian packages here."""
        return os.geteuid() == 0 and shutil.which("apt-get") is not None

    def run(self, *command: str) -> bool:
        """Run a command and tell whether it succeeded; what it said is shown only if it did not."""
        run = run_quietly(command)
        if run.returncode:
            say(run.stdout.rstrip())
        return run.returncode == 0


class Environment:
    """The environment of a project tree: `.venv`, and beside it the lock that keeps two set-ups apart."""

    def __init__(self, root: Path, machine: Machine, say: Callable[[str], None]) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.programs = self.folder / "bin"
        self.packages = root / "requirements.lock"
        self.marker = self.folder / "complete"
        self._machine = machine
        self._say = say

    def wanted(self) -> str:
        """Return the fingerprint of all that decides what the environment holds.

        The place belongs to it: the programs in an environment name their interpreter by its full path.
        """
        import tomllib  # Older Pythons lack it, and have been refused by now.

        # The settings of the tools change often and install nothing.
        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        made_from = (self._machine.python_version(), self._machine.kind(), str(self.root), project)
        digest = hashlib.sha256(json.dumps(made_from).encode())
        digest.update(self.packages.read_bytes())
        return digest.hexdigest()

    def flaw(self) -> str:
        """Say why the environment has to be made (anew); empty if it is whole."""
        if not self.folder.exists():
            return "there is none yet"
        try:
            found = self.marker.read_text(encoding="ascii")
        except (FileNotFoundError, NotADirectoryError):
            return "the one found is not complete"
        if found != self.wanted():
            return "the one found was made for other packages, another Python or another place"
        for name in ("python", "pip", "pytest", "hw-sim", "table-controller"):
            if not (self.programs / name).exists():
                return f"the one found has lost {name}"
        return ""

    def make_sure(self) -> None:
        """Make the environment unless it is whole.

        Raises `CannotGoOn` with what to do about it.
        """
        self._refuse_what_cannot_work()
        if not self.flaw():
            return
        with self._alone():
            flaw = self.flaw()
            if flaw:
                self._say(f"Making the environment .venv ({flaw}); this takes about a minute, once.")
                self._make()

    def _refuse_what_cannot_work(self) -> None:
        version = self._machine.python_version()
        if version < OLDEST_PYTHON:
            raise CannotGoOn(f"Python 3.11 or newer is needed; this is {version[0]}.{version[1]}.")
        if not self._machine.is_64_bit():
            raise CannotGoOn("A 64-bit system is needed (on a Raspberry Pi: the 64-bit Raspberry Pi OS).")

    def _make(self) -> None:
        self._make_venv_possible()
        python = str(self.programs / "python")
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install")
        steps = (
            # What was there may be half made: it is cleared, never mended.
            (self._machine.python(), "-m", "venv", "--clear", str(self.folder)),
            (*pip, "--require-hashes", "-r", str(self.packages)),
            (*pip, "--no-deps", "--no-build-isolation", "--editable", str(self.root)),
        )
        for step in steps:
            if not self._machine.run(*step):
                raise CannotGoOn(f"This step failed, the lines above say why: {' '.join(step)}")
        # Written last, so that whatever interrupts the set-up leaves an environment without it.
        self.marker.write_text(self.wanted(), encoding="ascii")

    def _make_venv_possible(self) -> None:
        if self._machine.can_make_environments():
            return
        if self._machine.may_install():
            self._say("Python's venv is missing: installing the package python3-venv.")
            if (
                self._machine.run("apt-get", "update", "-qq")
                and self._machine.run("apt-get", "install", "-y", "-qq", "python3-venv")
                and self._machine.can_make_environments()
            ):
                return
        raise CannotGoOn(
            f"Python's venv is missing here. Type this, then the same command again:\n    {VENV_PACKAGE}"
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock against a second set-up of the same tree; the kernel frees it when a process dies."""
        with (self.root / ".venv.lock").open("w", encoding="ascii") as lock:
            give_up_s = time.monotonic() + WAIT_FOR_OTHER_S
            told = False
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= give_up_s:
                        raise CannotGoOn(
                            f"Another set-up has held .venv.lock for {WAIT_FOR_OTHER_S} s."
                        ) from None
                    if not told:
                        self._say("Another set-up of this tree is running; waiting for it.")
                        told = True
                    time.sleep(0.2)
            yield


def check(programs: Path, pytest_options: Sequence[str], strict: bool, say: Callable[[str], None]) -> int:
    """Run every check and then the tests; return the exit code.

    A check whose tool is missing is named and left out; `strict` (on the build server) makes it a failure.
    When all is well, the last line is the summary of pytest, which also lists what was skipped and why.
    """
    failed = []
    for name, (tool, *options) in CHECKS:
        if not (programs / tool).exists():
            say(f"{name}: {'FAILED' if strict else 'left out'}, there is no {tool}")
            failed += [name] if strict else []
            continue
        began_s = time.monotonic()
        run = run_quietly((str(programs / tool), *options))
        say(f"{name}: {'FAILED' if run.returncode else 'ok'} ({time.monotonic() - began_s:.1f} s)")
        if run.returncode:
            say(run.stdout.rstrip())
            failed.append(name)
    # The whole is shared out to all processors, a file to each; a part is watched in one process.
    spread = () if pytest_options else ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile")
    tests = (str(programs / "pytest"), "-q", "-rs", *spread, *pytest_options)
    code = subprocess.run(tests, cwd=ROOT, check=False).returncode
    if failed:
        say(f"FAILED before the tests: {', '.join(failed)}")
    return code or (1 if failed else 0)


def main(arguments: Sequence[str]) -> int:
    """Do one command and return its exit code; 2 if the command or the computer is not the right one."""
    command, *rest = arguments or ("",)
    environment = Environment(ROOT, Machine(), say)
    programs = environment.programs
    becomes = {
        "demo": (str(programs / "hw-sim"), "demo", *rest),
        "play": (str(programs / "python"), "-m", "hw_sim", "play", *rest),
        "bench": (str(programs / "python"), "-m", "tests.bench", *rest),
        "marathon": (str(programs / "python"), "-m", "tests.marathon", *rest),
    }
    if command in ("", "-h", "--help", "help"):
        print((__doc__ or "").strip())
        return 0 if command else 2
    if command == "standards":
        # It needs no package, so that it answers on a machine where nothing is installed.
        os.chdir(ROOT)
        os.execv(sys.executable, (sys.executable, "-m", "tests.standards", *rest))
    if command != "test" and command not in becomes:
        say(f"Unknown command {command!r}; allowed are demo, test, play, bench, marathon and standards.")
        return 2
    try:
        environment.make_sure()
    except CannotGoOn as why:
        say(str(why))
        return 2
    if command in becomes:
        if command in ("bench", "marathon"):
            os.chdir(ROOT)
        # The program takes this process's place: signals and its exit code need no passing on.
        os.execv(becomes[command][0], becomes[command])
    return check(programs, rest, strict=bool(os.environ.get("CI")), say=say)


def run_quietly(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the project's root and keep all that it says."""
    return subprocess.run(
        command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def say(text: str) -> None:
    """Tell the person at the terminal."""
    print(text, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
