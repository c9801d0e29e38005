"""The pages of the demo: the web process of the table, and the virtual table beside it.

Both come up while the table already plays, at a lower priority, so that a demo as fast as it goes
is not held up by them. The people who may log in are invented, and their PINs are told to everybody:
the pages of a demo listen on this computer alone.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

WEB_PORT: Final = 8080
FELT_PORT: Final = 8081
KEYS: Final = ("simulator:gateway", "web:gateway", "watch:auditor")
WATCH_KEY: Final = "keys/watch.key"


class Person(NamedTuple):
    """Somebody of the demo who may log in."""

    name: str
    role: str
    pin: str


PEOPLE: Final = (
    Person("sam", "supervisor", "271828"),
    Person("sue", "supervisor", "314159"),
    Person("dora", "dealer", "161803"),
)


# Where the pages will be is told before they are started. Until this process ends, their ports are bound
# here: who does not listen keeps nobody from listening, but the computer gives such a port to no other.
_KEPT: Final[list[socket.socket]] = []


def free_port(wanted: int) -> int:
    """That port if nobody listens there, else any; 0 is any. It is kept for whoever is started to listen."""
    for port in (wanted, 0):
        place = socket.socket()
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            place.bind(("127.0.0.1", port))
        except OSError:
            place.close()
            continue
        _KEPT.append(place)
        return int(place.getsockname()[1])
    raise OSError("no port is free on this computer")


def web_toml(table: str, port: int) -> str:
    """The `web.toml` of a demo; its paths are in its own folder."""
    return f"""listen = "127.0.0.1:{port}"
language = "en"
locale = "en-US"
currency = "USD"
operators = "operators.toml"

[tables.{table}]
state = "ipc://state.sock"
commands = "ipc://commands.sock"
key = "keys/web.key"
table = "table.toml"
"""


def commands(folder: Path, felt_port: int, alone: bool) -> tuple[list[str], list[str]]:
    """What starts the web process and the virtual table of a run folder."""
    python = ["nice", "-n", "10", sys.executable, "-m"]
    web = [*python, "table_controller.web", "run", str(folder / "web.toml")]
    felt = [*python, "hw_sim", "page", "--dir", str(folder), "--port", str(felt_port)]
    return web, [*felt, "--alone"] if alone else felt


def told(web_port: int, felt_port: int) -> str:
    """Where the pages are and who may log in, for a person at the terminal."""
    names = " ".join(f"http://127.0.0.1:{web_port}/{name}" for name in ("sign", "panel", "console"))
    people = ", ".join(f"{person.name} ({person.role}) {person.pin}" for person in PEOPLE)
    return f"pages     {names} and, to play yourself, http://127.0.0.1:{felt_port}/table\nlog in as {people}"


class Opening:
    """Enters the people of the demo into the list of operators, and then starts the web process."""

    def __init__(self, folder: Path, start_web: Callable[[], None]) -> None:
        self._folder, self._start_web = folder, start_web
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)

    def begin(self) -> None:
        """Begins, and returns at once."""
        self._thread.start()

    def wait(self) -> None:
        """Returns when the web process was started, or given up."""
        if self._thread.is_alive():
            self._thread.join()

    def give_up(self) -> None:
        """Nothing more is started from now on."""
        self._given_up.set()
        self.wait()

    def _run(self) -> None:
        if not (self._folder / "operators.toml").exists():
            for person in PEOPLE:
                if self._given_up.is_set():
                    return
                _enter(self._folder, person)
        if not self._given_up.is_set():
            self._start_web()


def _enter(folder: Path, person: Person) -> None:
    """One operator; whoever is not entered cannot log in, and the log of the web process says so."""
    words: Sequence[str] = ("operators", "add", str(folder / "web.toml"), person.name, person.role)
    subprocess.run(
        ["nice", "-n", "10", sys.executable, "-m", "table_controller.web", *words],
        input=person.pin + "\n",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
