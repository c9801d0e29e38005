"""A table for the bench: the service of production as a process, the board as another, on a real disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import zmq

from hw_sim.stages import ROOT, SIMULATOR_KEY, write_table
from table_controller import keys
from table_controller.app import install
from table_controller.clock import SystemClock
from table_controller.config import load_table
from table_controller.door import use_key
from table_controller.keys import load_client_key
from table_controller.presets import preset_text

CACHE: Final = Path.home() / ".cache"
PRESET: Final = "us_standard"
# With a minimum, chips are an ante without a keyed amount, and a coin beside them is a bet.
LIMITS: Final = '[limits]\nminimum = "5.00"\n'
PATIENCE_S: Final = 20
LOOK_AGAIN_S: Final = 0.005
IN_MEMORY: Final = ("tmpfs", "ramfs")


class BenchFailed(Exception):
    """The bench cannot be run as it is; the text says why."""


def file_system(path: Path) -> str:
    """The kind of file system that holds a path, as the kernel names it."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
    holding = [(mount, kind) for mount, kind in mounts if path.is_relative_to(mount)]
    return max(holding, key=lambda held: len(held[0]))[1]


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on a disk, gone afterwards; a file system in memory is refused, it makes nothing durable."""
    CACHE.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="table-bench-", dir=CACHE)).resolve()
    try:
        if (kind := file_system(made)) in IN_MEMORY:
            raise BenchFailed(f"{made} lies on {kind}; the journal must be measured on a disk")
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def subscriber(place: Path, *topics: str) -> Iterator[zmq.Socket[bytes]]:
    """A socket that listens to these topics, to be connected to the table of a folder."""
    made: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
    made.linger = 0
    made.reconnect_ivl = 1
    use_key(made, load_client_key(place / SIMULATOR_KEY))
    try:
        for topic in topics:
            made.subscribe(topic.encode())
        yield made
    finally:
        made.close()


class RunFolder:
    """The folder of one table: its configuration, its journal and its endpoints."""

    def __init__(self, place: Path) -> None:
        self.place: Final = place
        self.state: Final = f"ipc://{place}/state.sock"
        self.commands: Final = f"ipc://{place}/commands.sock"
        self.journal: Final = place / "T1.journal"
        self.config: Final = write_table(place, preset_text(PRESET), self.state, self.commands)
        with self.config.open("a", encoding="utf-8") as config:
            config.write(LIMITS)
        if not (place / "keys").exists():
            keys.init(str(place / "keys"))
            keys.add(str(place / "keys"), "simulator", "gateway", "2026-01-01")
        if not self.journal.exists():
            install(load_table(self.config), SystemClock(), ("installer", "inspector"), "bench")


class Table(RunFolder):
    """A run folder with the processes of a table; the board stays, the service comes and goes."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._board = self._start("board", "hw_sim", "board", "--dir", str(place))
        self.service: subprocess.Popen[bytes] | None = None
        end_s = time.monotonic() + PATIENCE_S
        while not (place / "board.sock").exists():
            if self._board.poll() is not None or time.monotonic() > end_s:
                self.close()
                raise BenchFailed(f"the board did not start: {self._log('board')}")
            time.sleep(LOOK_AGAIN_S)

    def start_service(self) -> float:
        """Start the service; seconds from the start of its process to the first state it publishes."""
        with subscriber(self.place, "state") as heard:
            began_ns = time.monotonic_ns()
            self.service = self._start("service", "table_controller", "run", str(self.config))
            heard.connect(self.state)
            if not heard.poll(PATIENCE_S * 1000):
                raise BenchFailed(f"the service published nothing: {self._log('service')}")
            return (time.monotonic_ns() - began_ns) / 1e9

    def stop_service(self) -> None:
        """Cut its power."""
        if self.service is not None:
            self.service.kill()
            self.service.wait()
            self.service = None

    def close(self) -> None:
        """End both processes."""
        self.stop_service()
        self._board.terminate()
        self._board.wait(PATIENCE_S)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "HW_SIM_BOARD": str(self.place / "board.sock")}
        with (self.place / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=environment,
            )

    def _log(self, name: str) -> str:
        return (self.place / f"{name}.log").read_text("utf-8", "replace").strip()[-500:] or "it said nothing"
