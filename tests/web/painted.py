"""The real site over painted tables: pages see what is played in memory, and what they say is taken there.

Nothing of a page knows the difference. A test sets a table to a scene, lets hands or the console do more, and
looks at what pages have said; or it decides itself what a page is answered.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uvicorn

from table_controller.web.clock import SystemClock
from table_controller.web.feeds import Feeds
from table_controller.web.operators import Operators
from table_controller.web.settings import Settings, TableDoor
from table_controller.web.site import make_site
from tests.web.painted_feeds import PATIENCE_S, Answer, Json, PaintedClock, PaintedFeeds, PaintedTable, merged
from tests.web.scenes import HOUSE_RULES, Canvas

PINS: Final = {"ann": "271828", "ben": "141421", "cy": "161803", "di": "577215"}
ROLES_OF: Final = {"ann": "supervisor", "ben": "supervisor", "cy": "dealer", "di": "auditor"}


class Painted:
    """What a test holds: the tables, the site over them, and what was said there."""

    def __init__(self, folder: Path, operators_file: Path) -> None:
        self.pins = PINS
        self.clock = PaintedClock()
        self._folder = folder
        self._operators_file = operators_file
        self._site: _Site | None = None
        self._language = "en"
        self._feeds = PaintedFeeds(self.clock)
        self.add_table("T1")

    @property
    def url(self) -> str:
        """Where the pages are; the site starts when it is first asked for."""
        if self._site is None:
            self._site = _Site(self._settings(), self._feeds, self._operators_file, self.clock)
        return self._site.url

    @property
    def said(self) -> list[Json]:
        """Every command that came, in order: `table`, `command`, `operator`, `role`, `reason`, `id`."""
        return list(self._feeds.said)

    @property
    def asked(self) -> list[Json]:
        """Every question that came: `offers`, `lines`, `here`, `gone`."""
        return list(self._feeds.asked)

    @property
    def commands(self) -> list[Json]:
        """The commands that came, alone."""
        return [said["command"] for said in self._feeds.said]

    def speak(self, language: str) -> None:
        """The site speaks that language from now on; pages that are open lose theirs."""
        if language != self._language:
            self._language = language
            self.close()

    def seq(self, table: str = "T1") -> int:
        """The number of the newest entry."""
        return self._feeds.painted[table].seq

    def add_table(self, table: str, house_rules: str = HOUSE_RULES, seats: int = 7) -> Canvas:
        """One more table, before the site starts; its gaming day is open and no round is."""
        assert self._site is None, "a table is added before the site is first opened"
        canvas = Canvas(house_rules, seats, table)
        self._feeds.painted[table] = PaintedTable(canvas)
        return canvas

    def canvas(self, table: str = "T1") -> Canvas:
        """The table in memory; call `tell` after something was done to it by hand."""
        return self._feeds.painted[table].canvas

    def paint(self, table: str = "T1", scene: str | None = None, script: str = "", **changes: Any) -> Canvas:
        """Sets a table to a scene (`scenes.SCENES`), plays a script on it, and paints changes over its view.

        A changed field that is an object is merged: `meter={"cents": 5}`; a list and a value are replaced.
        """
        with self._feeds.lock:
            one = self._feeds.painted[table]
            if scene is not None:
                old = one.canvas.house
                fresh = Canvas(one.canvas.rules_text, old.seats, table)
                fresh.entry += one.seq
                one.canvas = fresh.scene(scene)
                one.changes = {}
            one.canvas.script(script)
            one.changes = merged(one.changes, changes)
            self._feeds.tell(table)
            return one.canvas

    def play(self, script: str, table: str = "T1") -> Canvas:
        """Lines as in the plays, at the table as it stands."""
        return self.paint(table, script=script)

    def wait(self, ms: int, table: str = "T1") -> None:
        """The table's own time passes, with what it does by itself."""
        with self._feeds.lock:
            self.canvas(table).wait(ms)
            self._feeds.tell(table)

    def tell(self, table: str = "T1") -> None:
        """Everybody is told how the table looks now."""
        self._feeds.tell(table)

    def silence(self, ms: int = 0, table: str = "T1") -> None:
        """The table was last heard so long ago, is not heard from now on, and answers nothing."""
        with self._feeds.lock:
            self._feeds.painted[table].silent_since_ms = self.clock.now_ms() - ms
            self._feeds.tell(table)

    def hear(self, table: str = "T1") -> None:
        """The table is heard again."""
        with self._feeds.lock:
            self._feeds.painted[table].silent_since_ms = None
            self._feeds.tell(table)

    def refuse(self, refused: bool = True, table: str = "T1") -> None:
        """The table does not accept the key of the pages."""
        with self._feeds.lock:
            self._feeds.painted[table].refused = refused
            self._feeds.tell(table)

    def restart(self, table: str = "T1") -> None:
        """The service of the table was started again: another boot, the same state."""
        with self._feeds.lock:
            one = self._feeds.painted[table]
            one.boot, one.seq = one.boot + 1, 0
            one.canvas.script("power off\npower on")
            one.canvas.entry = 1
            self._feeds.tell(table)

    def answer_with(self, *answers: Answer) -> None:
        """The next commands are answered so instead of by the table: `{"ok": False, "seq": 5, "error": "…"}`.

        None is a silent table; a function of the request gives an answer.
        """
        self._feeds.script(list(answers))

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        """Inside, words reach the table and wait; at the end all are answered."""
        self._feeds.open_gate(False)
        try:
            yield
        finally:
            self._feeds.open_gate(True)

    @contextmanager
    def unheard(self, table: str = "T1") -> Iterator[None]:
        """Inside, the table goes on and takes words, and no page hears of it until the end."""
        one = self._feeds.painted[table]
        one.unheard = self._feeds.picture(table)
        try:
            yield
        finally:
            one.unheard = None
            self._feeds.tell(table)

    def wait_for_said(self, number: int = 1) -> list[Json]:
        """Waits until so many commands have come; gives all of them."""
        came = self._feeds.wait_until(lambda: len(self._feeds.said) >= number)
        assert came, f"{len(self._feeds.said)} of {number} commands came: {self.said}"
        return self.said

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Waits until the condition holds, looking at each word and question that comes."""
        assert self._feeds.wait_until(condition), f"{what}: {self.said}, {self.asked}"

    def close(self) -> None:
        """The site ends."""
        if self._site is not None:
            self._site.close()
            self._site = None

    def _settings(self) -> Settings:
        place = self._folder / "web.toml"
        return Settings(
            place=str(place),
            host="127.0.0.1",
            port=0,
            language=self._language,
            locale={"en": "en-US", "de": "de-DE"}[self._language],
            operators_file=str(self._operators_file),
            tables={
                name: TableDoor(
                    name, f"ipc://{place}.{name}.s", f"ipc://{place}.{name}.c", key_file="", table_file=""
                )
                for name in self._feeds.painted
            },
        )


class _Site:
    """The site in a thread of its own, on a port of its own."""

    def __init__(self, settings: Settings, feeds: Feeds, operators_file: Path, clock: PaintedClock) -> None:
        operators = Operators(str(operators_file), clock)
        app = make_site(settings, feeds, operators, clock)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app, log_level="error", lifespan="on", timeout_graceful_shutdown=1, server_header=False, ws="none"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE_S)
        self._socket.close()
        assert not self._thread.is_alive(), "the site does not end"


def operators_file(folder: Path) -> Path:
    """A file with the four operators; made once, because a PIN is hashed slowly on purpose."""
    path = folder / "operators.toml"
    operators = Operators(str(path), SystemClock())
    for name, pin in PINS.items():
        operators.add(name, ROLES_OF[name], pin)
    return path


def copied(file: Path, folder: Path) -> Path:
    """A copy that a test may change, as private as the file."""
    path = folder / file.name
    shutil.copyfile(file, path)
    os.chmod(path, 0o600)
    return path
