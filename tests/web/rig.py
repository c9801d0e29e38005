"""A whole table as real processes: board, service, web process; hands on the wires, pages in a browser.

Each part is a process group of its own: a test can stop, kill and start it, and nothing outlives the test.
"""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import zmq

from hw_sim.demo import Part
from hw_sim.stages import SIMULATOR_KEY, give_keys, install
from hw_sim.table import BoardClient, HandError
from table_controller.door import use_key
from table_controller.keys import load_client_key
from table_controller.lines import default_lines
from table_controller.web.clock import SystemClock
from table_controller.web.operators import Operators
from tests.web.painted import PINS, ROLES_OF
from tests.web.scenes import HOUSE_RULES

SEATS: Final = 7
PATIENCE_S: Final = 60.0
_LOOK_S: Final = 0.02
_PAGES_AT: Final = re.compile(r"the pages are at http://(127\.0\.0\.1:\d+)\b.*\n")
_MONEY = '[limits]\nminimum = "5.00"\nmaximum = "500.00"\nchips = ["1.00", "5.00", "25.00", "100.00"]\n'
# Nobody hurries the hands of a test, so the times of the house are the long ones.
_RULES: Final = HOUSE_RULES.replace("betting_ms = 30000", "betting_ms = 600000").replace(
    "decision_ms = 60000", "decision_ms = 600000"
)


class RealTable:
    """One table, whole; `hands` lay chips and deal, `url` is where its pages are."""

    def __init__(self, folder: Path, house_rules: str = _RULES) -> None:
        self.folder = folder
        self.pins = PINS
        self.url = ""
        """Where the pages are; empty until they have said so."""
        self._place: socket.socket | None = None
        self._write(house_rules)
        environment = {"HW_SIM_BOARD": str(folder / "board.sock")}
        python = [sys.executable, "-m"]

        def part(name: str, *arguments: str) -> Part:
            return Part(name, [*python, *arguments], folder / f"{name}.log", environment)

        self.board = part("board", "hw_sim", "board", "--dir", str(folder), "--seats", str(SEATS))
        self.service = part("service", "table_controller", "run", str(folder / "table.toml"))
        self.web = part("web", "table_controller.web", "run", str(folder / "web.toml"))
        self._hands: BoardClient | None = None
        self._listener: _Listener | None = None

    @property
    def newest(self) -> dict[str, bytes]:
        """The newest published message of each topic, as it came."""
        return dict(self._ear.newest)

    @property
    def facts(self) -> list[bytes]:
        """Every published fact, as it came."""
        return list(self._ear.facts)

    @property
    def newest_seq(self) -> int:
        """The number of the newest published state."""
        return int(json.loads(self._ear.newest["state"])["seq"])

    @property
    def boot(self) -> int:
        """Which start of the service the newest published state is of."""
        return int(json.loads(self._ear.newest["state"])["boot"])

    @property
    def state(self) -> dict[str, Any]:
        """The newest published state; empty before the first."""
        raw = self._ear.newest.get("state")
        found: dict[str, Any] = json.loads(raw)["body"] if raw else {}
        return found

    def seat(self, seat: int) -> dict[str, Any]:
        """One seat of the newest state."""
        found: dict[str, Any] = self.state["seats"][seat - 1]
        return found

    @property
    def _ear(self) -> _Listener:
        assert self._listener is not None
        return self._listener

    @property
    def hands(self) -> BoardClient:
        """The hands at the wires."""
        assert self._hands is not None
        return self._hands

    def start(self) -> None:
        """Starts all three and waits until a page would see the table."""
        self.board.start()
        self.until(self._meet_board, "the board")
        self.service.start()
        self.web.start()
        self.until(self._find_pages, "the port of the pages")
        self._listener = _Listener(self.folder)
        self.until(lambda: self.seen().get("boot"), "the pages")

    def until(self, condition: Callable[[], Any], what: str, within_s: float = PATIENCE_S) -> Any:
        """Waits until the condition gives something true and returns that."""
        end_s = time.monotonic() + within_s
        never = threading.Event()
        while not (found := condition()):
            if time.monotonic() > end_s:
                words = "\n".join(f"{part.name} ({part.ended}):\n{part.last_words()}" for part in self._parts)
                raise AssertionError(f"{what}: not within {within_s:.0f} s\n{words}")
            never.wait(_LOOK_S)
        return found

    def seen(self) -> dict[str, Any]:
        """What a sign is told now; empty while there is no answer."""
        with (
            # A process that dies in the middle of a chunk leaves an answer that is not whole.
            suppress(OSError, http.client.HTTPException),
            urllib.request.urlopen(f"{self.url}/api/signs/T1/events", timeout=3) as stream,
        ):
            for line in stream:
                if line.startswith(b"data:") and b'"meter_cents":' in line:
                    found: dict[str, Any] = json.loads(line[5:])
                    return found
        return {}

    def until_shown(self, *shown: str) -> dict[str, Any]:
        """Waits until the table is shown as one of these words."""
        found: dict[str, Any] = self.until(
            lambda: (seen := self.seen()).get("shown") in shown and seen, " or ".join(shown)
        )
        return found

    @contextmanager
    def asleep(self, part: Part) -> Iterator[None]:
        """Inside, the part is alive and does nothing: SIGSTOP, then SIGCONT."""
        part.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            part.signal(signal.SIGCONT)

    def kill(self, part: Part) -> None:
        """The part dies at once, as in a power cut."""
        _end(part)
        if part is self.web and self._place is None:
            self._keep_place()

    def close(self) -> None:
        """Ends everything, at once."""
        if self._hands is not None:
            self._hands.close()
        if self._listener is not None:
            self._listener.close()
        for part in self._parts:
            part.signal(signal.SIGCONT)
            _end(part)
        if self._place is not None:
            self._place.close()

    @property
    def _parts(self) -> tuple[Part, ...]:
        return (self.web, self.service, self.board)

    def _meet_board(self) -> bool:
        with suppress(HandError):
            self._hands = BoardClient(self.folder / "board.sock")
        return self._hands is not None

    def _find_pages(self) -> bool:
        """Port 0 is any that is free, and no other process can have it: which one it is, the log tells."""
        found = _PAGES_AT.search(self.web.log.read_text("utf-8"))
        if found is None:
            return False
        self.url = f"http://{found[1]}"
        # The pages of a test stay open while the process is started again: it comes back where it was.
        self._write_web(found[1])
        return True

    def _keep_place(self) -> None:
        """A port that is bound, not listened at, is given to nobody else; the next process can listen."""
        place = socket.socket()
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(("127.0.0.1", int(self.url.rpartition(":")[2])))
        self._place = place

    def _write(self, house_rules: str) -> None:
        lines = "".join(f"{json.dumps(name)} = {number}\n" for name, number in default_lines(SEATS).items())
        table = self.folder / "table.toml"
        (self.folder / "house_rules.toml").write_text(house_rules, "utf-8")
        table.write_text(
            f'table = "T1"\nseats = {SEATS}\nhouse_rules = "house_rules.toml"\n{_MONEY}'
            '[opening]\ngaming_day = true\n[approval]\nreference = "GC-2026-014"\nby = "A. Name"\n'
            '[journal]\nfile = "T1.journal"\n[messages]\n'
            'state = "ipc://state.sock"\ncommands = "ipc://commands.sock"\n'
            '[shoe]\ndriver = "native"\nport = "shoe"\n[pins]\nfactory = "sim"\n[pins.lines]\n' + lines,
            "utf-8",
        )
        for made in (give_keys(table, "web:gateway", "simulator:gateway"), install(table)):
            assert made.returncode == 0, made.stdout + made.stderr
        self._write_web("127.0.0.1:0")
        operators = Operators(str(self.folder / "operators.toml"), SystemClock())
        for name, pin in PINS.items():
            operators.add(name, ROLES_OF[name], pin)

    def _write_web(self, listen: str) -> None:
        (self.folder / "web.toml").write_text(
            f'listen = "{listen}"\noperators = "operators.toml"\n'
            '[tables.T1]\nstate = "ipc://state.sock"\ncommands = "ipc://commands.sock"\n'
            'key = "keys/web.key"\ntable = "table.toml"\n',
            "utf-8",
        )


class _Listener:
    """A raw subscriber with a key of its own, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.newest: dict[str, bytes] = {}
        self.facts: list[bytes] = []
        self._over = threading.Event()
        self._folder = folder
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join(PATIENCE_S)

    def _listen(self) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        subscriber = context.socket(zmq.SUB)
        subscriber.linger = 0
        use_key(subscriber, load_client_key(self._folder / SIMULATOR_KEY))
        subscriber.subscribe(b"")
        subscriber.connect(f"ipc://{self._folder}/state.sock")
        while not self._over.is_set():
            if subscriber.poll(50):
                topic, raw = subscriber.recv_multipart()
                self.newest[topic.decode()] = raw
                if topic == b"fact":
                    self.facts.append(raw)
        subscriber.close()
        context.term()


def _end(part: Part) -> None:
    part.signal(signal.SIGKILL)
    if part.process is not None:
        part.process.wait()


@contextmanager
def real_table(house_rules: str = _RULES) -> Iterator[RealTable]:
    """A whole table in a folder of its own, whose name is short because a socket's name has little room."""
    with tempfile.TemporaryDirectory(prefix="pages-") as folder:
        table = RealTable(Path(folder), house_rules)
        try:
            table.start()
            yield table
        finally:
            table.close()
