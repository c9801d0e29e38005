"""Runs plays against the unchanged service: in this process on a clock that jumps, or as real processes.

`main_play` is `hw-sim play`: one line per play, PASS or FAIL with everything that differed. Of a play
that cannot be read every problem has its own line.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import zmq

from hw_sim.board import Board
from hw_sim.client import Json, TableClient
from hw_sim.performance import Performance, Record, StageError
from hw_sim.pins import SimFactory
from hw_sim.script import Play, PlayError, parse_play
from hw_sim.shoe import LocalPort, SimShoe
from hw_sim.stages import RealStage, write_table
from hw_sim.table import LocalHands
from hw_sim.words import SEATS
from table_controller.lines import default_lines

# What the service logs in one process belongs to no line of the runner, in no worker either.
logging.getLogger("table_controller").addHandler(logging.NullHandler())

REAL_JOBS = 6
ONE_PROCESS_JOBS = 2
# Plays so short that another process would cost more than it gives.
FEW_PLAYS = 8
REAL_LIMIT_MS = 20_000
# What one play may cost this computer when time only jumps; far above any play, below any patience.
JUMPING_LIMIT_S = 60
START_US = 1_000_000_000
START_WALL_MS = 1_767_225_600_000  # 2026-01-01 00:00 UTC
STEP_US = 1_000
TURNS_MAX = 2_000
ENDED_BY_HAND = 130


class JumpClock:
    """A clock that stands until it is moved: microseconds since its start, and UTC in step with them."""

    def __init__(self) -> None:
        self._now_us = START_US

    def now_us(self) -> int:
        """Microseconds that never run backwards."""
        return self._now_us

    def wall_ms(self) -> int:
        """UTC since 1970, ms."""
        return START_WALL_MS + (self._now_us - START_US) // 1000

    def synced(self) -> bool:
        """Whether the UTC time can be believed: always."""
        return True

    def jump_to(self, at_us: int) -> None:
        """The time is `at_us` now; raises ValueError if that is in the past."""
        if at_us < self._now_us:
            raise ValueError(f"time runs backwards: {at_us} us after {self._now_us} us")
        self._now_us = at_us


class App(Protocol):
    """The service in one process, as `table_controller.app.build` makes it."""

    def turn(self, timeout_ms: int) -> None:
        """One turn of the loop: takes in, decides, commits, shows; with 0 it never waits."""

    def busy(self) -> bool:
        """Whether the last turn took something in."""

    def due_in_ms(self) -> int | None:
        """When the loop wants to run again if nothing arrives; None if it does not."""

    def abandon(self) -> None:
        """Ends as a power cut does: nothing is tidied."""


Build = Callable[[Path, JumpClock, SimFactory, LocalPort], App]


def build_service(table: Path, clock: JumpClock, factory: SimFactory, port: LocalPort) -> App:
    """The unchanged service, with only its clock and its wires given to it."""
    # Loaded here so that the runner can run real processes without it.
    from table_controller.app import build
    from table_controller.config import load_table

    config = load_table(table)
    if not os.path.exists(config.journal_file):
        begin_table(table, clock)
    return build(config, clock, factory=factory, port=port, context=zmq.Context.instance())


def begin_real_table(table: Path) -> None:
    """A table for processes of their own: with keys."""
    from table_controller.keys import add, init

    folder = str(table.parent / "keys")
    init(folder)
    add(folder, "simulator", "gateway", "2026-01-01")
    begin_table(table)


def begin_table(table: Path, clock: JumpClock | None = None) -> None:
    """A table in the middle of its life: a play may begin with any meter, which an installation may not."""
    from table_controller.app import Recovery, install
    from table_controller.clock import SystemClock
    from table_controller.config import load_table
    from table_controller.toml_file import ConfigError

    with suppress(ConfigError):
        config = load_table(table)
        mid_life = Recovery("a play begins in mid-life", config.house_rules.meter_start_cents, lost=0)
        install(config, clock or SystemClock(), ("installer", "inspector"), "play", mid_life)


class JumpStage:
    """Service, board and hands in this thread. Time jumps to whatever is due next, and over nothing."""

    _names = itertools.count(1)

    def __init__(
        self, folder: Path, house_rules: str, on_state: Callable[[Json], None], build: Build = build_service
    ) -> None:
        self._folder = folder
        self._build = build
        self._house_rules = house_rules
        self._clock = JumpClock()
        self._board = Board(default_lines(SEATS), SEATS, self._clock.now_us)
        self._shoe = SimShoe()
        self._port: LocalPort | None = None
        self._factory: SimFactory | None = None
        self._app: App | None = None
        self._end_s = time.monotonic() + JUMPING_LIMIT_S
        self.hands = LocalHands(self._board, self._shoe, self._pass_us)
        self.client = TableClient(*self._endpoints(), on_state=on_state)
        self.power_on()

    @property
    def powered(self) -> bool:
        """Whether the service runs."""
        return self._app is not None

    def until(self, condition: Callable[[], bool], timeout_ms: int) -> bool:
        """Time jumps on until the condition holds; False once `timeout_ms` have passed."""
        end_us = self._clock.now_us() + timeout_ms * 1000
        self._settle()
        while not condition():
            if self._clock.now_us() >= end_us:
                return False
            self._jump(end_us)
            self._settle()
        return True

    def wait(self, wait_ms: int) -> None:
        """That much time passes, with everything that falls due in it."""
        self._pass_us(wait_ms * 1000)

    def power_off(self) -> None:
        """The service is gone from one instruction to the next; the pins are let go by their kernel."""
        if self._app is not None:
            self._app.abandon()
            self._app = None
        if self._factory is not None:
            self._factory.close()
            self._factory = None

    def power_on(self) -> None:
        """Builds the service from the folder and waits for its first snapshot."""
        if self._app is not None:
            raise StageError("the power is on already")
        # The sockets of a dead service keep their names in this process: each start has its own.
        state, commands = self._endpoints()
        self.client.reconnect(state, commands)
        boot = self.client.order[0]
        table = write_table(self._folder, self._house_rules, state, commands)
        self._port = LocalPort(self._shoe, self._clock.now_us)
        self._factory = SimFactory(board=self._board)
        self._app = self._build(table, self._clock, self._factory, self._port)
        if not self.until(lambda: self.client.order[0] > boot, 2_000):
            raise StageError("the service published nothing in 2 s")

    def close(self) -> None:
        """Ends the service and lets its sockets go."""
        self.power_off()
        self.client.close()

    def _endpoints(self) -> tuple[str, str]:
        name = f"inproc://play-{os.getpid()}-{next(self._names)}"
        return f"{name}-state", f"{name}-commands"

    def _pass_us(self, us: int) -> None:
        end_us = self._clock.now_us() + us
        self._settle()
        while self._clock.now_us() < end_us:
            self._jump(end_us)
            self._settle()

    def _jump(self, end_us: int) -> None:
        """Jumps to what is due first: the service, the shoe, or the end of the wait."""
        now_us = self._clock.now_us()
        due_us = [end_us]
        if self._app is not None and self._port is not None:
            due_ms = self._app.due_in_ms()
            if due_ms is not None:
                due_us.append(now_us + due_ms * 1000)
            if (shoe_us := self._port.due_at_us()) is not None:
                due_us.append(shoe_us)
        # What is due already has had its turn; time goes on by a step, so that it cannot stand still.
        self._clock.jump_to(min(end_us, max(min(due_us), now_us + STEP_US)))

    def _settle(self) -> None:
        """Turns the loop of the service until nothing is left to take in, at this instant."""
        if time.monotonic() > self._end_s:
            raise StageError(f"the play took longer than {JUMPING_LIMIT_S} s of this computer's time")
        if self._app is None:
            return
        for _ in range(TURNS_MAX):
            self._app.turn(0)
            heard = self.client.pump(0)
            if not (heard or self._app.busy()):
                return
        raise StageError(f"the service does not come to rest in {TURNS_MAX} turns of one instant")


# ------------------------------------------------------------------------------------- the runner


@dataclass(frozen=True)
class Job:
    """One play to be run, and the folder that is its table's."""

    play: Play
    folder: Path


def run_jumping(job: Job) -> list[str]:
    """Runs a play in this process. Returns what differed."""
    record = Record()
    return _run(job, record, lambda: JumpStage(job.folder, job.play.house_rules, record.take))


def run_real(job: Job, stop: threading.Event) -> list[str]:
    """Runs a play as real processes in real time. Returns what differed."""
    record, limit_ms = Record(), job.play.waits_ms + REAL_LIMIT_MS
    rules = job.play.house_rules
    return _run(
        job, record, lambda: RealStage(job.folder, rules, record.take, stop, limit_ms, begin_real_table)
    )


def _run(job: Job, record: Record, make_stage: Callable[[], JumpStage | RealStage]) -> list[str]:
    job.folder.mkdir()
    try:
        with closing(make_stage()) as stage:
            return Performance(job.play, stage, record).run()
    except Exception as error:  # noqa: BLE001 - whatever the service raises is this play's failure, by name
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"]


@lru_cache(maxsize=256)
def judge_house_rules(text: str) -> list[str]:
    """What the service finds wrong with a house-rule file, each as `OPTION: what is wrong`."""
    from table_controller.config import load_table
    from table_controller.toml_file import ConfigError

    with tempfile.TemporaryDirectory(prefix="plays-", dir=_fast_folder()) as folder:
        table = write_table(Path(folder), text, "inproc://state", "inproc://commands")
        try:
            load_table(table)
        except ConfigError as error:
            # The play has its own place for what it states; the file of this folder is nobody's.
            place = f"{os.path.realpath(folder)}/house_rules.toml: "
            return [problem.removeprefix(place) for problem in error.problems]
    return []


def read_plays(paths: Sequence[str]) -> tuple[list[Play], list[str]]:
    """Reads files, and folders with every `.toml` below them in order of name.

    Returns the plays, and one text for each file that cannot be read, with a line for each problem.
    """
    plays: list[Play] = []
    unreadable: list[str] = []
    for path in map(Path, paths):
        files = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        if not files:
            unreadable.append(f"{path}: no play in this folder; allowed: a folder with .toml files")
        for file in files:
            try:
                plays.append(parse_play(file.read_text("utf-8"), str(file), judge_house_rules))
            except PlayError as error:
                unreadable.append(f"\n{' ' * len('FAIL ')}".join(error.problems))
            except OSError as error:
                unreadable.append(f"{file}: {error.strerror}; allowed: a play, or a folder with plays")
            except UnicodeDecodeError as error:
                unreadable.append(f"{file}: not UTF-8: {error.reason} (byte {error.start + 1})")
    return plays, unreadable


def main_play(argv: Sequence[str]) -> int:
    """`play FILE-OR-FOLDER... [--real] [--jobs N]`.

    Returns 0 if every play came true, 1 if one did not, 2 if one could not be read.
    """
    parser = argparse.ArgumentParser(prog="hw-sim play", description="Run plays against the service.")
    parser.add_argument("paths", nargs="+", metavar="FILE-OR-FOLDER")
    parser.add_argument("--real", action="store_true", help="as real processes, in real time")
    parser.add_argument("--jobs", type=int, default=None, metavar="N", help="plays at the same time")
    options = parser.parse_args(argv)
    if options.jobs is not None and options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}; allowed: 1 or more")
    plays, unreadable = read_plays(options.paths)
    for problem in unreadable:
        print(f"FAIL {problem}", flush=True)
    failed = 0
    signal.signal(signal.SIGTERM, _end_by_signal)
    try:
        with tempfile.TemporaryDirectory(prefix="plays-", dir=_fast_folder()) as root:
            jobs = [Job(play, Path(root, str(number))) for number, play in enumerate(plays)]
            with closing(_results(jobs, options.real, options.jobs)) as results:
                for job, differences in zip(jobs, results, strict=True):
                    failed += bool(differences)
                    print(_verdict(job.play, differences), flush=True)
    except KeyboardInterrupt:
        print("ended by hand", flush=True)
        return ENDED_BY_HAND
    print(f"{len(plays) - failed} passed, {failed + len(unreadable)} failed", flush=True)
    return 2 if unreadable else 1 if failed else 0


def _verdict(play: Play, differences: Sequence[str]) -> str:
    return f"FAIL {play.id}: {'; '.join(differences)}" if differences else f"PASS {play.id}"


def _results(jobs: Sequence[Job], real: bool, workers: int | None) -> Generator[list[str], None, None]:
    """The differences of each play, in the order of the jobs, as soon as each is known."""
    if real:
        stop = threading.Event()
        with ThreadPoolExecutor(workers or REAL_JOBS) as threads:
            yield from _in_order(threads, [threads.submit(run_real, job, stop) for job in jobs], stop.set)
        return
    workers = workers or (ONE_PROCESS_JOBS if len(jobs) > FEW_PLAYS else 1)
    if workers == 1:
        yield from map(run_jumping, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _die_quietly) as processes:
        yield from _in_order(processes, [processes.submit(run_jumping, job) for job in jobs], lambda: None)


def _in_order(
    executor: Executor, futures: Sequence[Future[list[str]]], stop: Callable[[], None]
) -> Generator[list[str], None, None]:
    try:
        for future in futures:
            try:
                differences = future.result()
            except BrokenExecutor as error:
                differences = [f"the process of this play ended: {error}"]
            yield differences
    except BaseException:
        stop()
        executor.shutdown(wait=True, cancel_futures=True)
        raise


def _die_quietly() -> None:
    """In a worker: Ctrl-C ends it without a word; its folders are the parent's to remove."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end_by_signal(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _fast_folder() -> str | None:
    """Memory if there is a file system in it: the journal of a play is worth no disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
