"""A table with its pages for the bench: service, board and web process, each a process, on a real disk."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
from playwright.sync_api import Browser, sync_playwright

from hw_sim.client import TableClient
from hw_sim.stages import SIMULATOR_KEY
from table_controller import keys
from table_controller.journal import read_entries
from table_controller.web.clock import SystemClock
from table_controller.web.operators import Operators
from tests.bench.table import LOOK_AGAIN_S, PATIENCE_S, BenchFailed, Table, folder, subscriber

OPERATOR, PIN = "ann", "271828"
PEOPLE: Final = (("sue", "supervisor"), ("ben", "supervisor"))
STEP_CENTS: Final = 12_345
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Change(msgspec.Struct, frozen=True):
    """The meter was changed: to which amount, from which, and by which entry of the journal."""

    before_cents: int
    cents: int
    seq: int


class Pages(Table):
    """A table that runs, and its pages; the meter is changed by corrections of two people."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        keys.add(str(place / "keys"), "web", "gateway", "2026-01-01")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: Final = int(free.getsockname()[1])
        self.url: Final = f"http://127.0.0.1:{self.port}"
        (place / "web.toml").write_text(
            f'listen = "127.0.0.1:{self.port}"\n[tables.T1]\nstate = "ipc://state.sock"\n'
            'commands = "ipc://commands.sock"\nkey = "keys/web.key"\ntable = "table.toml"\n',
            "utf-8",
        )
        Operators(str(place / "operators.toml"), SystemClock()).add(OPERATOR, "supervisor", PIN)
        self.start_service()
        self.web: Final = self._start("web", "table_controller.web", "run", str(place / "web.toml"))
        self._client: Final = TableClient(self.state, self.commands, key=place / SIMULATOR_KEY)
        self.cents = 0
        try:
            self._client.ask_snapshot()
            self.cents = int(self._client.state["meter"]["cents"])
            self._until_answered()
        except BaseException:
            self.close()
            raise

    def change(self) -> Change:
        """Two people raise the meter; what came of it."""
        before_cents, self.cents = self.cents, self.cents + STEP_CENTS
        command = {"type": "CorrectMeter", "pot": "meter", "cents": self.cents, "why": "added_by_house"}
        seq = 0
        for operator, role in PEOPLE:
            answer = self._client.say({**command, "approval": "bench"}, operator, role, "bench")
            if not answer["ok"]:
                raise BenchFailed(f"the meter cannot be changed: {answer['error']}")
            seq = answer["seq"]
        return Change(before_cents, self.cents, seq)

    def stamps_ms(self) -> dict[int, int]:
        """When each entry of the journal was taken in, before its commit; UTC in milliseconds."""
        return {entry.seq: entry.wall_ms for entry in read_entries(str(self.journal))}

    def close(self) -> None:
        """End every process."""
        self._client.close()
        self.web.kill()
        self.web.wait()
        super().close()

    def __enter__(self) -> Pages:
        return self

    def _until_answered(self) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while self.web.poll() is None and time.monotonic() < end_s:
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/api/config", timeout=1):
                return
            time.sleep(LOOK_AGAIN_S)
        raise BenchFailed(f"the pages did not start: {self._log('web')}")


class Ear:
    """A bare subscriber in a thread of its own: when it heard each amount of the meter, UTC in ms."""

    def __init__(self, pages: Pages) -> None:
        self.heard_ms: Final[dict[int, float]] = {}
        self._pages = pages
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Ear:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _listen(self) -> None:
        with subscriber(self._pages.place, "meter") as heard:
            heard.connect(self._pages.state)
            while not self._stop.is_set():
                if heard.poll(200):
                    body = msgspec.json.decode(heard.recv_multipart()[1])["body"]
                    self.heard_ms[body["after_cents"]] = time.time() * 1000


@contextmanager
def pages() -> Iterator[Pages]:
    """A table with pages in a folder on a disk."""
    with folder() as place, Pages(place) as made:
        yield made


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser of this machine, headless; it draws with the processor."""
    with sync_playwright() as playwright:
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=_browser_path(), args=root)
        try:
            yield started
        finally:
            started.close()


def _browser_path() -> str:
    names = (os.environ.get("CHROMIUM", ""), *BROWSERS)
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        raise BenchFailed(f"no browser is found: set CHROMIUM, or install one of {', '.join(BROWSERS)}")
    return found
