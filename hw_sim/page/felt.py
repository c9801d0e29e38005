"""`hw-sim page`: the virtual table at `/table`, a page for a person at the simulated wires.

One thread has the room (`hw_sim.page.room`); the web side hands it acts, each under an id of its own so
that it is done once however often it is sent, and passes the newest picture on to whoever looks. It
binds to this computer only, takes requests only from its own pages, and is no part of a real table.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import logging
import socket
import sys
import threading
import tomllib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hw_sim.client import TableClient, UnknownMessage
from hw_sim.page.acts import Acts
from hw_sim.page.picture import picture_of
from hw_sim.page.room import Json, Room
from hw_sim.players import House, UnknownHouse
from hw_sim.table import BoardClient, HandError

HEAR_MS: Final = 20
PICTURE_S: Final = 0.06
BEAT_S: Final = 1.0
ACTS_MAX: Final = 40
IDS_MAX: Final = 1_000
BODY_MAX: Final = 4_096
# Longer than the longest act takes: after it whoever waits is told that the table does not answer.
ANSWER_S: Final = 30.0
PAUSE_S: Final = 0.5
SILENT: Final[Json] = {"ok": False, "word": "silent", "values": {}}
LOG: Final = logging.getLogger("hw_sim.page")
HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
OWN: Final = Path(__file__).parent / "static"
SHARED: Final = Path(__file__).resolve().parents[2] / "table_controller" / "web" / "static"
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
}
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
    " img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Stage(NamedTuple):
    """A room with what closes its sockets."""

    room: Room
    close: Callable[[], None]


class Keeper:
    """The thread of the room: it begins with the first visitor, so that a demo without one costs nothing."""

    def __init__(self, make_stage: Callable[[], Stage]) -> None:
        self._make_stage = make_stage
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._acts: deque[tuple[Json, Future[Json]]] = deque()
        self._known: OrderedDict[str, tuple[Json, Future[Json]]] = OrderedDict()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="room", daemon=True)
        self._told: Callable[[bytes], None] = lambda picture: None
        self._shown, self._shown_s = b"", 0.0
        self.folder_games: Callable[[], list[Json]] = list

    def start(self, told: Callable[[bytes], None]) -> None:
        """`told` is called in the room's thread with every newer picture, and once a second."""
        self._told = told
        self._thread.start()

    def want(self) -> None:
        """Somebody looks at the table."""
        self._wanted.set()

    def stop(self) -> None:
        """Ends the thread."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join(3)

    def act(self, act_id: str, act: Json) -> Future[Json] | None:
        """Asks for one act; the same id gets the same answer, None for an id of another act or too many."""
        self.want()
        with self._lock:
            known = self._known.get(act_id)
            if known is not None:
                return known[1] if known[0] == act else None
            if len(self._acts) >= ACTS_MAX:
                return None
            answer: Future[Json] = Future()
            if self._over:
                answer.set_result(SILENT)
                return answer
            self._known[act_id] = (act, answer)
            while len(self._known) > IDS_MAX:
                self._known.popitem(last=False)
            self._acts.append((act, answer))
            return answer

    def give_up(self, answer: Future[Json]) -> None:
        """Nobody waits for that answer any more: an act that has not begun is never done."""
        with self._lock:
            waiting = [one for one in self._acts if one[1] is answer]
            for one in waiting:
                self._acts.remove(one)
        for _, left in waiting:
            left.set_result(SILENT)

    def _run(self) -> None:
        try:
            self._wanted.wait()
            while not self._stopping.is_set():
                self._play()
        finally:
            with self._lock:
                self._over = True
                waiting = [answer for _, answer in self._acts]
                self._acts.clear()
            for answer in waiting:
                answer.set_result(SILENT)

    def _play(self) -> None:
        """One room from its making to its end, or to a problem that a new one may not have."""
        try:
            stage = self._make_stage()
            try:
                self._live(stage.room)
            finally:
                stage.close()
        except (HandError, UnknownHouse, UnknownMessage, OSError) as problem:
            print(f"page: {problem}", file=sys.stderr, flush=True)
        except Exception:
            LOG.exception("page: the room ended for a fault of this page; the next one begins")
        self._stopping.wait(PAUSE_S)

    def _live(self, room: Room) -> None:
        acts = Acts(room)
        self.folder_games = room.games
        self._shown = b""
        room.show = lambda: self._publish(room)
        while not self._stopping.is_set():
            room.hear(HEAR_MS)
            done: list[tuple[Future[Json], Json]] = []
            try:
                self._do_acts(acts, done)
                if room.table.snapshot is not None:
                    acts.croupier.step()
                self._publish(room, at_once=bool(done))
            finally:
                # The picture goes first, so that a page that has its answer sees what the act has done.
                for answer, result in done:
                    answer.set_result(result)

    def _publish(self, room: Room, at_once: bool = False) -> None:
        room.look()
        now_s = room.now_s()
        if not at_once and now_s - self._shown_s < PICTURE_S:
            return
        picture = json.dumps(picture_of(room), separators=(",", ":")).encode()
        if picture != self._shown or now_s - self._shown_s >= BEAT_S:
            self._shown, self._shown_s = picture, now_s
            self._told(picture)

    def _do_acts(self, acts: Acts, done: list[tuple[Future[Json], Json]]) -> None:
        """Does what waits. Each act that was begun is in `done`, whatever came of it."""
        while True:
            with self._lock:
                if not self._acts:
                    return
                act, answer = self._acts.popleft()
            result = SILENT
            try:
                result = acts.do(act)
            except (UnknownMessage, OSError):
                raise
            except Exception as fault:
                # A fault of this page is told to whoever met it, and everybody else plays on.
                LOG.exception("page: a fault of this page in the act %r", act)
                result = {"ok": False, "word": "no_act", "values": {"text": _words(fault)}}
            finally:
                done.append((answer, result))


def _words(fault: Exception) -> str:
    return f"A fault of this page, {type(fault).__name__}: {fault}. The log of the page has more."


class Site:
    """The web side: files, one stream of pictures for each visitor, and acts."""

    def __init__(self, keeper: Keeper, config: Json) -> None:
        self._keeper, self._config = keeper, config
        self._picture = b""
        self._number = 0
        self._visitors: set[asyncio.Event] = set()

    def app(self) -> ASGIApp:
        """The application."""
        routes = [
            Route("/", lambda request: RedirectResponse("/table")),
            Route("/table", self._table),
            Route("/static/{path:path}", self._static),
            Route("/api/config", lambda request: JSONResponse(self._config)),
            Route("/api/picture", self._stream),
            Route("/api/games", self._games),
            Route("/api/acts", self._act, methods=["POST"]),
        ]
        return _guarded(Starlette(routes=routes, lifespan=self._life))

    @asynccontextmanager
    async def _life(self, site: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def told(picture: bytes) -> None:
            with suppress(RuntimeError):  # The loop has ended.
                loop.call_soon_threadsafe(self._show, picture)

        self._keeper.start(told)
        yield
        self._keeper.stop()

    def _show(self, picture: bytes) -> None:
        self._picture = picture
        self._number += 1
        for visitor in self._visitors:
            visitor.set()

    async def _table(self, request: Request) -> Response:
        return _file(request, OWN / "felt.html")

    async def _static(self, request: Request) -> Response:
        name = request.path_params["path"]
        for folder in (OWN, SHARED):
            path = (folder / name).resolve()
            if path.is_relative_to(folder) and path.suffix in TYPES and path.is_file():
                return _file(request, path)
        return JSONResponse({"error": "there is no such file"}, 404)

    async def _stream(self, request: Request) -> Response:
        self._keeper.want()
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._pictures(), media_type="text/event-stream", headers=headers)

    async def _pictures(self) -> AsyncIterator[bytes]:
        visitor = asyncio.Event()
        self._visitors.add(visitor)
        seen = -1
        try:
            yield b": here\n\n"
            while True:
                # One picture at most is on its way: a visitor who is slow misses some and never lags behind.
                if seen == self._number or not self._picture:
                    visitor.clear()
                    await visitor.wait()
                    continue
                seen = self._number
                yield b"event: picture\ndata: " + self._picture + b"\n\n"
        finally:
            self._visitors.discard(visitor)

    async def _games(self, request: Request) -> Response:
        return JSONResponse({"games": self._keeper.folder_games()})

    async def _act(self, request: Request) -> Response:
        # A page of another site cannot send this header, and so cannot make anything happen here.
        act_id = request.headers.get("idempotency-key", "")
        if not 8 <= len(act_id) <= 64:
            return JSONResponse({"error": "an act needs an id of its own"}, 400)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > BODY_MAX:
                return JSONResponse({"error": "the act is too long"}, 413)
        try:
            act = json.loads(body)
            # Half a character, as JSON can hold it, can be neither written to a table nor shown.
            json.dumps(act, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            act = None
        if not isinstance(act, dict):
            return JSONResponse({"error": "an act is an object of JSON"}, 400)
        answer = self._keeper.act(act_id, act)
        if answer is None:
            return JSONResponse({"error": "that id was used for another act, or too many acts wait"}, 409)
        # Waiting cancels nothing: the same id is told what came of the act when it is asked again.
        done, _ = await asyncio.wait([asyncio.wrap_future(answer)], timeout=ANSWER_S)
        if not done:
            self._keeper.give_up(answer)
            return JSONResponse(SILENT, 504)
        return JSONResponse(answer.result())


def _file(request: Request, path: Path) -> Response:
    data = path.read_bytes()
    tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if path.suffix != ".woff2" and "gzip" in request.headers.get("accept-encoding", ""):
        data, headers["Content-Encoding"] = gzip.compress(data), "gzip"
    return Response(data, headers=headers, media_type=TYPES[path.suffix])


def _guarded(app: ASGIApp) -> ASGIApp:
    """Only this computer's own names are answered, and every answer has the headers of a careful site."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
            refusal = JSONResponse({"error": "this page is for this computer only"}, 421)
            await refusal(scope, receive, with_headers)
            return
        await app(scope, receive, with_headers)

    return guarded


def stage_of(folder: Path, alone: bool) -> Stage:
    """The room of a run folder. Raises `HandError`, `UnknownHouse` or `OSError` while a part is missing."""
    seats = int(tomllib.loads((folder / "table.toml").read_text())["seats"])
    house = House.read(folder / "table.toml")
    board = BoardClient(folder / "board.sock")
    table = client_of(folder)
    room = Room(folder, table, board, house, seats, Random())
    room.alone = alone

    def close() -> None:
        table.close()
        board.close()

    return Stage(room, close)


def client_of(folder: Path) -> TableClient:
    """A client of the table in that folder, with the simulator's key where the table has keys."""
    key = folder / "keys" / "simulator.key"
    sockets = (f"ipc://{folder}/state.sock", f"ipc://{folder}/commands.sock")
    return TableClient(*sockets, key=key if key.exists() else None)


class _Server(uvicorn.Server):
    """A server that says where it listens: port 0 is any that is free."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            print(f"page: the virtual table is at http://127.0.0.1:{port}/table", flush=True)


def main_page(argv: Sequence[str]) -> int:
    """`hw-sim page`: serves the virtual table of a run folder until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="hw-sim page", description="A page to play on a simulated table.")
    parser.add_argument("--dir", type=Path, required=True, help="run folder of the table")
    parser.add_argument("--port", type=int, default=8081, help="0: any that is free")
    parser.add_argument("--alone", action="store_true", help="there are no simulated players")
    parser.add_argument("--language", choices=("en", "de"), default="en")
    parser.add_argument("--locale", default="en-US", help="how numbers and money are written")
    parser.add_argument("--currency", default="USD")
    wanted = parser.parse_args(argv)
    folder = wanted.dir.resolve()
    config: dict[str, Any] = {
        "language": wanted.language,
        "locale": wanted.locale,
        "currency": wanted.currency,
        "version": "",
        "tables": [],
        "operator": None,
        "csrf": None,
    }
    site = Site(Keeper(lambda: stage_of(folder, wanted.alone)), config)
    settings = uvicorn.Config(
        site.app(),
        host="127.0.0.1",
        port=wanted.port,
        log_level="warning",
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    server = _Server(settings)
    with suppress(KeyboardInterrupt):
        server.run()
    return 0 if server.started else 1
