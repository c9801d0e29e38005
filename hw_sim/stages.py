"""The folder of a simulated table, and the stage of real processes: board, service and time as they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hw_sim.client import Json, TableClient
from hw_sim.performance import StageError
from hw_sim.table import BoardClient, HandError
from hw_sim.words import SEATS
from table_controller.lines import default_lines

TABLE = "T1"
START_MS = 15_000
PUMP_MS = 10
LAST_WORDS = 300
ROOT = Path(__file__).resolve().parent.parent


def write_table(folder: Path, house_rules: str, state: str, commands: str) -> Path:
    """Writes `table.toml` and `house_rules.toml` of a seven-seat table with every line there is.

    `state` and `commands` are the endpoints. Plays know no gaming days. Returns the path of `table.toml`.
    """
    lines = "".join(f"{json.dumps(name)} = {number}\n" for name, number in default_lines(SEATS).items())
    (folder / "house_rules.toml").write_text(house_rules, "utf-8")
    path = folder / "table.toml"
    path.write_text(
        f'table = "{TABLE}"\nseats = {SEATS}\nhouse_rules = "house_rules.toml"\n'
        f'[opening]\ngaming_day = false\n[journal]\nfile = "{TABLE}.journal"\n'
        f"[messages]\nstate = {json.dumps(state)}\ncommands = {json.dumps(commands)}\n"
        f'[shoe]\ndriver = "native"\nport = "shoe"\n'
        f'[pins]\nfactory = "sim"\n[pins.lines]\n{lines}',
        "utf-8",
    )
    return path


SIMULATOR_KEY = "keys/simulator.key"
"""Where a simulated table keeps the key by which its hands speak for everybody at it."""


def install(table: Path) -> subprocess.CompletedProcess[str]:
    """Installs the table of a `table.toml`, as two people of the house do it once."""
    people = ("--operator", "installer", "--second", "inspector", "--approval", "simulated table")
    return controller("install", str(table), *people)


def give_keys(table: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Makes the keys of a simulated table, each `NAME:ROLE`."""
    return controller("keys", "init", str(table), *names)


def set_up(table: Path) -> subprocess.CompletedProcess[str]:
    """Makes the simulator's key and installs the table; the answer of what went wrong, or of the last."""
    keys = give_keys(table, "simulator:gateway")
    return keys if keys.returncode else install(table)


def controller(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of `table-controller` to its end."""
    command = [sys.executable, "-m", "table_controller", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


class RealStage:
    """A board process and a service process in one folder, met over their sockets, in real time.

    `stop` ends it early from another thread; after `limit_ms` it ends itself. Both raise `StageError`.
    """

    def __init__(
        self,
        folder: Path,
        house_rules: str,
        on_state: Callable[[Json], None],
        stop: threading.Event,
        limit_ms: int,
        begin: Callable[[Path], object] = set_up,
    ) -> None:
        self._folder = folder
        self._stop = stop
        self._limit_ms = limit_ms
        self._end_ms = _now_ms() + limit_ms
        self._service: subprocess.Popen[bytes] | None = None
        state, commands = (f"ipc://{folder / name}.sock" for name in ("state", "commands"))
        self._table = write_table(folder, house_rules, state, commands)
        begin(self._table)
        self.client = TableClient(state, commands, on_state=on_state, key=folder / SIMULATOR_KEY)
        self._board = self._start("board", ["hw_sim", "board", "--dir", str(folder), "--seats", str(SEATS)])
        self._hands: BoardClient | None = None
        try:
            self._hands = self._meet_board()
            self.power_on()
        except BaseException:
            self.close()
            raise

    @property
    def hands(self) -> BoardClient:
        """The hands at the board process."""
        assert self._hands is not None
        return self._hands

    @property
    def powered(self) -> bool:
        """Whether the service process is meant to run."""
        return self._service is not None

    def until(self, condition: Callable[[], bool], timeout_ms: int) -> bool:
        """Hears the table until the condition holds; False once `timeout_ms` have passed."""
        end_ms = _now_ms() + timeout_ms
        while True:
            self.client.pump(0)
            if condition():
                return True
            self._still_on_stage()
            left_ms = end_ms - _now_ms()
            if left_ms <= 0:
                return False
            self.client.pump(min(left_ms, PUMP_MS))

    def wait(self, wait_ms: int) -> None:
        """Real time passes; the table is heard meanwhile."""
        self.until(lambda: False, wait_ms)

    def power_off(self) -> None:
        """Kills the service process with SIGKILL."""
        if self._service is not None:
            _kill(self._service)
            self._service = None

    def power_on(self) -> None:
        """Starts the service process and waits for its first snapshot; raises `StageError`."""
        if self._service is not None:
            raise StageError("the power is on already")
        boot = self.client.order[0]
        self._service = self._start("service", ["table_controller", "run", str(self._table)])
        if not self.until(lambda: self.client.order[0] > boot, START_MS):
            raise StageError(f"the service published nothing in {START_MS} ms: {self._last_words('service')}")

    def close(self) -> None:
        """Ends both processes with everything they started; nothing of them is left."""
        self.power_off()
        _kill(self._board)
        if self._hands is not None:
            self._hands.close()
        self.client.close()

    def _meet_board(self) -> BoardClient:
        end_ms = _now_ms() + START_MS
        path = self._folder / "board.sock"
        while True:
            try:
                return BoardClient(path)
            except HandError as error:
                if _now_ms() > end_ms or self._board.poll() is not None:
                    raise StageError(f"{error}; {self._last_words('board')}") from error
            if self._stop.wait(PUMP_MS / 1000):
                raise StageError("the run was ended")

    def _start(self, name: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "HW_SIM_BOARD": str(self._folder / "board.sock")}
        with (self._folder / f"{name}.log").open("ab") as log:
            # A session of its own: whatever the process starts is ended with it, and Ctrl-C at the
            # terminal reaches the runner alone, which then ends all of them.
            return subprocess.Popen(
                [sys.executable, "-m", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=environment,
                start_new_session=True,
            )

    def _still_on_stage(self) -> None:
        if self._stop.is_set():
            raise StageError("the run was ended")
        if _now_ms() > self._end_ms:
            raise StageError(f"the play took longer than its limit of {self._limit_ms / 1000:.0f} s")
        for name, process in (("board", self._board), ("service", self._service)):
            if process is not None and process.poll() is not None:
                raise StageError(f"the {name} ended with {process.returncode}: {self._last_words(name)}")

    def _last_words(self, name: str) -> str:
        with suppress(OSError):
            words = (self._folder / f"{name}.log").read_text("utf-8", "replace").strip().splitlines()
            return " | ".join(words[-3:])[-LAST_WORDS:] if words else "it said nothing"
        return "it left no log"


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
