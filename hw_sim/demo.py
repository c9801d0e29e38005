"""The demo: a whole table on one computer, its processes and a view.

The board (wires), the unchanged production service, the players and the pages each run in a process
group of their own, so that nothing outlives the demo. The service is started again when it ends, as
systemd would; the death of any other part ends the demo with that part's last words.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

from hw_sim import pages
from hw_sim.stages import give_keys, install
from hw_sim.summary import summary as summary
from table_controller.lines import default_lines

PRESETS: Final = ("us", "us_standard", "live", "video_1", "video_2", "video_3", "classic")
TABLE: Final = "T1"
# A Unix socket's name must fit into 108 bytes.
SOCKET_NAME_MAX: Final = 107
BOARD_PATIENCE_S: Final = 10.0
KILL_AFTER_S: Final = 3.0
# As systemd's StartLimitBurst: a service that dies this often in so many seconds stays down.
RESTARTS_MAX: Final = 5
RESTARTS_WITHIN_S: Final = 10.0
LAST_WORDS: Final = 15
# The service's exit code for a table that it does not accept; a new start cannot change that.
NOT_ACCEPTED: Final = 2


class DemoFailed(Exception):
    """The demo cannot go on; the text holds the last words of whoever ended it."""


@dataclass
class Part:
    """One process of the demo: its command, its log, and itself while it runs."""

    name: str
    command: list[str]
    log: Path
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    starts_s: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS_MAX))

    def start(self) -> None:
        """Starts it in a process group of its own; what it says goes to its log."""
        try:
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **self.environment},
                    start_new_session=True,
                )
        except OSError as problem:
            raise DemoFailed(f"the {self.name} cannot be started: {_words(problem)}") from problem
        self.starts_s.append(time.monotonic())

    @property
    def ended(self) -> int | None:
        """Its exit code, None while it runs."""
        return None if self.process is None else self.process.poll()

    def signal(self, number: int) -> None:
        """Signals its whole group, also what it may have started itself."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                return

    def last_words(self) -> str:
        """The end of its log."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()[-LAST_WORDS:]
        except OSError as problem:
            return f"  (what it said cannot be read: {_words(problem)})"
        return "\n".join(f"  {line}" for line in lines) or "  (it said nothing)"


def table_toml(seats: int, house_rules: str) -> str:
    """The `table.toml` of a simulated table: all wires there are, sockets and journal in its folder."""
    wires = "\n".join(f'"{name}" = {number}' for name, number in default_lines(seats).items())
    return f"""table = "{TABLE}"
seats = {seats}
house_rules = {json.dumps(house_rules)}

[limits]
minimum = "5.00"
maximum = "500.00"
bonus_minimum = "1.00"
bonus_maximum = "100.00"
chips = ["1.00", "5.00", "25.00", "100.00"]

[opening]
gaming_day = true

[approval]
reference = "demonstration"
by = "the house"

[journal]
file = "{TABLE}.journal"

[messages]
state = "ipc://state.sock"
commands = "ipc://commands.sock"

[shoe]
driver = "native"
port = "shoe"

[pins]
factory = "sim"

[pins.lines]
{wires}
"""


class Demo:
    """The processes of one demo; `ready` is the file that says that the wires are there.

    Without players the table waits for a person at the pages. The number of the running service is
    kept in the file `pid`, so that its power can be cut from the virtual table.
    """

    def __init__(
        self,
        board: Part,
        service: Part,
        players: Part | None,
        ready: Path,
        felt: Part | None = None,
        web: Part | None = None,
        pid: Path | None = None,
    ) -> None:
        self.board, self.service, self.players, self._ready = board, service, players, ready
        self._felt, self._web, self._pid = felt, web, pid
        self._opening = pages.Opening(ready.parent, web.start) if web is not None else None
        self.restarts = 0

    @property
    def _parts(self) -> tuple[Part, ...]:
        found = (self._web, self._felt, self.players, self.service, self.board)
        return tuple(part for part in found if part is not None)

    def start(self) -> None:
        """Starts all of them; the service as soon as its wires are there, the pages last."""
        self.board.start()
        if self.players is not None:
            self.players.start()
        end_s = time.monotonic() + BOARD_PATIENCE_S
        while not self._ready.exists():
            if self.board.ended is not None or time.monotonic() > end_s:
                raise DemoFailed(f"the board did not come up:\n{self.board.last_words()}")
            time.sleep(0.005)
        self._start_service()
        if self._felt is not None:
            self._felt.start()
        if self._opening is not None:
            self._opening.begin()

    def _start_service(self) -> None:
        self.service.start()
        if self._pid is not None and self.service.process is not None:
            self._pid.write_text(str(self.service.process.pid))

    def attend(self) -> bool:
        """Looks after the processes; True when the players have played all their rounds."""
        if self.players is not None and self.players.ended == 0:
            return True
        # House rules that cannot be read end service and players; the service's words are the better ones.
        if self.board.ended is None and self.service.ended == NOT_ACCEPTED:
            raise DemoFailed(f"the service does not accept this table:\n{self.service.last_words()}")
        for part in self._parts:
            if part is not self.service and part.ended is not None:
                raise DemoFailed(
                    f"the {part.name} ended with code {part.ended}, last words:\n{part.last_words()}"
                )
        if self.service.ended is not None:
            starts_s = self.service.starts_s
            # Killed from outside is a power cut, however often; ending by itself again and again is a fault.
            if self.service.ended == -signal.SIGKILL:
                starts_s.clear()
            if len(starts_s) == RESTARTS_MAX and time.monotonic() - starts_s[0] < RESTARTS_WITHIN_S:
                raise DemoFailed(
                    f"the service ended {RESTARTS_MAX} times within {RESTARTS_WITHIN_S:.0f} s, last with code"
                    f" {self.service.ended}, last words:\n{self.service.last_words()}"
                )
            self.restarts += 1
            self._start_service()
        return False

    def stop(self) -> None:
        """Ends everything: SIGTERM, and SIGKILL to the group of what is left after three seconds."""
        if self._opening is not None:
            self._opening.give_up()
        for part in self._parts:
            part.signal(signal.SIGTERM)
        end_s = time.monotonic() + KILL_AFTER_S
        for part in self._parts:
            if part.process is None:
                continue
            try:
                part.process.wait(max(0.0, end_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                part.signal(signal.SIGKILL)
                part.process.wait()


def demo_of(folder: Path, wanted: argparse.Namespace) -> Demo:
    """The demo of a run folder, nothing started yet."""
    python = [sys.executable, "-m"]
    board = [*python, "hw_sim", "board", "--dir", str(folder), "--seats", str(wanted.seats)]
    players = [*python, "hw_sim", "players", "--dir", str(folder)]
    for option in ("seats", "seed", "rounds", "speed", "rigged"):
        players += [f"--{option}", str(getattr(wanted, option))]
    service = [*python, "table_controller", "run", str(folder / "table.toml")]
    environment = {"HW_SIM_BOARD": str(folder / "board.sock")}
    web, felt = pages.commands(folder, wanted.felt, wanted.by_hand)

    def part(name: str, command: list[str]) -> Part:
        return Part(name, command, folder / f"{name}.log", environment)

    return Demo(
        board=part("board", board),
        service=part("service", service),
        players=None if wanted.by_hand else part("players", players),
        ready=folder / "board.sock",
        felt=None if wanted.no_web else part("felt", felt),
        web=None if wanted.no_web else part("web", web),
        pid=folder / "service.pid",
    )


def wanted_of(argv: Sequence[str]) -> argparse.Namespace:
    """What the command line asks for; leaves with code 2 and a sentence where it cannot be understood."""
    parser = argparse.ArgumentParser(prog="hw-sim demo", description="A whole table on this computer.")
    parser.add_argument("--rounds", type=int, default=0, help="end after so many rounds (0: on Ctrl-C)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same way")
    parser.add_argument("--preset", choices=PRESETS, default="us", help="house rules by name")
    parser.add_argument("--house-rules", type=Path, help="a house-rule file instead of a preset")
    parser.add_argument("--seats", type=int, choices=range(1, 8), default=7)
    parser.add_argument("--speed", type=float, default=1.0, help="1: a person's pace, 0: as fast as it goes")
    parser.add_argument(
        "--rigged", type=float, default=0.1, help="share of rounds (0 to 1) with a stacked deck"
    )
    parser.add_argument("--dir", type=Path, help="run folder (a temporary one if left out)")
    parser.add_argument(
        "--by-hand", action="store_true", help="no simulated players: play yourself at a page"
    )
    parser.add_argument("--no-web", action="store_true", help="no pages, the terminal alone")
    parser.add_argument("--web", type=int, default=pages.WEB_PORT, help="port of the pages (0: any)")
    parser.add_argument(
        "--felt", type=int, default=pages.FELT_PORT, help="port of the virtual table (0: any)"
    )
    wanted = parser.parse_args(argv)
    if wanted.rounds < 0:
        parser.error(f"--rounds {wanted.rounds}: 0 or more is allowed")
    if not (math.isfinite(wanted.speed) and wanted.speed >= 0):
        parser.error(f"--speed {wanted.speed}: a number of 0 or more is allowed")
    for option in ("web", "felt"):
        if not 0 <= getattr(wanted, option) <= 65535:
            parser.error(f"--{option} {getattr(wanted, option)}: a port from 0 to 65535 is allowed")
    if wanted.by_hand and (wanted.rounds or wanted.no_web):
        parser.error("--by-hand: a person plays at a page, so neither --rounds nor --no-web is allowed")
    if not 0 <= wanted.rigged <= 1:
        parser.error(f"--rigged {wanted.rigged}: a number from 0 to 1 is allowed")
    return wanted


def make_folder(wanted: argparse.Namespace) -> Path:
    """Makes the run folder and gives its path. Raises `DemoFailed`, or `OSError` naming the path."""
    if wanted.dir is None:
        folder = Path(tempfile.mkdtemp(prefix="table-demo-"))
    else:
        folder = wanted.dir.resolve()
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def prepare(folder: Path, wanted: argparse.Namespace) -> None:
    """Writes the `table.toml` of the run folder. Raises `DemoFailed`, or `OSError` naming the path."""
    if len(os.fsencode(folder / "commands.sock")) > SOCKET_NAME_MAX:
        raise DemoFailed(f"--dir {folder}: too long, a socket's name may have {SOCKET_NAME_MAX} bytes")
    house_rules = wanted.preset
    if wanted.house_rules is not None:
        if not wanted.house_rules.is_file():
            raise DemoFailed(f"--house-rules {wanted.house_rules}: there is no such file")
        house_rules = "house_rules.toml"
        (folder / house_rules).write_bytes(wanted.house_rules.read_bytes())
    (folder / "table.toml").write_text(table_toml(wanted.seats, house_rules))
    # What an earlier demo in the same folder has left there says nothing about this one.
    for name in ("hands_off", "players_wait", "service.pid"):
        (folder / name).unlink(missing_ok=True)
    if not (folder / "keys").exists():
        _done(folder, give_keys(folder / "table.toml", *pages.KEYS))
    if not (folder / f"{TABLE}.journal").exists():
        _done(folder, install(folder / "table.toml"))
    if not wanted.no_web:
        wanted.web, wanted.felt = pages.free_port(wanted.web), pages.free_port(wanted.felt)
        (folder / "web.toml").write_text(pages.web_toml(TABLE, wanted.web))


def _done(folder: Path, command: subprocess.CompletedProcess[str]) -> None:
    if command.returncode:
        (folder / "install.log").write_text(command.stderr)
        raise DemoFailed(command.stderr.strip())


def main_demo(argv: Sequence[str]) -> int:
    """`hw-sim demo`: 0 when all is played or an endless demo is ended, 130 when cut short, 1 on a death.

    A temporary run folder is removed at the end; after a death it is kept, and where it is is said.
    """
    wanted = wanted_of(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        folder = make_folder(wanted)
    except (OSError, RuntimeError) as problem:
        return _failed(problem)
    code = 1
    try:
        code = _play(folder, wanted)
    except BrokenPipeError:
        # Nobody reads any more (`hw-sim demo | head`); what is still said goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        code = 130
    except (DemoFailed, OSError) as problem:
        code = _failed(problem)
    finally:
        if wanted.dir is None:
            if code == 1 and any(folder.glob("*.log")):
                print(f"demo: what happened is kept in {folder}", file=sys.stderr)
            else:
                _undisturbed(lambda: shutil.rmtree(folder, ignore_errors=True))
    return code


def _failed(problem: Exception) -> int:
    print(f"demo: {_words(problem)}", file=sys.stderr)
    return 1


def _words(problem: Exception) -> str:
    """What is wrong as a person says it, the place before what was found there."""
    if isinstance(problem, OSError) and problem.filename:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)


def _play(folder: Path, wanted: argparse.Namespace) -> int:
    """The demo in its folder; gives its exit code."""
    prepare(folder, wanted)
    print(f"table in {folder}{'' if wanted.dir else ' (removed at the end; --dir keeps it)'}", flush=True)
    pages_told = "" if wanted.no_web else pages.told(wanted.web, wanted.felt)
    if pages_told:
        print(pages_told, flush=True)
    demo = demo_of(folder, wanted)
    played_before = len(_records(folder))
    began_s = time.monotonic()
    code = 0
    try:
        _run(demo, folder)
    except KeyboardInterrupt:
        code = 130 if wanted.rounds else 0
    except DemoFailed as problem:
        code = _failed(problem)
    finally:
        seconds = time.monotonic() - began_s
        _undisturbed(demo.stop)
    played = _records(folder)[played_before:]
    if (played or code != 1) and not wanted.by_hand:
        print(summary(played, seconds))
    if demo.restarts:
        times = "once" if demo.restarts == 1 else f"{demo.restarts} times"
        print(f"restarts  the service was started again {times}")
    if pages_told and not wanted.rounds:
        print(pages_told)
    return code


def _run(demo: Demo, folder: Path) -> None:
    demo.start()
    # What the view needs is loaded while the three processes come up.
    from table_controller.keys import load_client_key
    from table_controller.watch import Feed, Screen

    key = load_client_key(folder / pages.WATCH_KEY)
    feed = Feed(f"ipc://{folder}/state.sock", f"ipc://{folder}/commands.sock", key=key)
    try:
        with Screen(sys.stdout) as screen:
            while not demo.attend():
                feed.pump(100)
                screen.show(feed)
    finally:
        feed.close()


def _records(folder: Path) -> list[Any]:
    log = folder / "hands.jsonl"
    if not log.exists():
        return []
    # A player killed while writing leaves half a line, which is no round.
    try:
        return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    except ValueError as problem:
        raise DemoFailed(f"{log}: this is no hand log of a demo: {problem}") from problem


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _undisturbed(act: Callable[[], None]) -> None:
    """Tidying up is not cut short by a second Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    act()
