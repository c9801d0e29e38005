"""A browser of a few lines: requests to a site without a socket, and streams that are read piece by piece."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.applications import Starlette

HOST = "127.0.0.1:8080"
ORIGIN = f"http://{HOST}"


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self.status = status
        self.headers = {name.decode(): value.decode() for name, value in headers}
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Stream:
    """An open stream of events."""

    def __init__(self) -> None:
        self.pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()
        self.gone = asyncio.Event()
        self.aborted = False
        self.task: asyncio.Task[None] | None = None

    async def next(self, kind: str) -> dict[str, Any]:
        """The data of the next event of a kind."""
        async with asyncio.timeout(5):
            while True:
                piece = await self.pieces.get()
                for event in piece.decode().split("\n\n"):
                    lines = dict(line.split(": ", 1) for line in event.split("\n") if line)
                    if lines.get("event") == kind:
                        found: dict[str, Any] = json.loads(lines["data"])
                        return found

    async def ended(self) -> None:
        assert self.task is not None
        # A time limit around the stream itself would cancel it, and a stream that is cancelled ends well.
        done, _ = await asyncio.wait([self.task], timeout=5)
        assert done, "the stream goes on"
        await self.task

    async def leave(self) -> None:
        self.gone.set()
        await self.ended()


class Browser:
    """One browser with its cookie."""

    def __init__(self, app: Starlette, address: str = "127.0.0.1", scheme: str = "http") -> None:
        self.app, self.address, self.scheme = app, address, scheme
        self.cookie = self.csrf = ""

    def _scope(self, method: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
        path, _, query = path.partition("?")
        sent = {"host": HOST, "cookie": self.cookie, **headers}
        return {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": self.scheme,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items() if value],
            "client": (self.address, 50_000),
            "server": ("127.0.0.1", 8080),
        }

    async def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """One request and its answer."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        status, found, parts = 0, [], [b""]
        left = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return left.pop() if left else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status, found
            if message["type"] == "http.response.start":
                status, found = message["status"], message["headers"]
            else:
                parts.append(message.get("body", b""))

        await self.app(self._scope(method, path, sent), receive, send)
        answer = Answer(status, found, b"".join(parts))
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.ask("GET", path, b"", **headers)

    async def post(self, path: str, body: Any, **headers: str) -> Answer:
        """As a page posts: with its origin and its token."""
        sent = {"origin": ORIGIN, "x_csrf_token": self.csrf, **headers}
        return await self.ask("POST", path, msgspec.json.encode(body), **sent)

    async def log_in(self, name: str, pin: str) -> Answer:
        answer = await self.post("/api/login", {"operator": name, "pin": pin})
        self.csrf = answer.json.get("csrf", "")
        return answer

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[Stream]:
        """An open stream; `reads.clear()` is a browser that does not read."""
        stream = Stream()

        async def receive() -> Any:
            await stream.gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            await stream.reads.wait()
            if message["type"] == "http.response.start":
                assert message["status"] == 200, message
            else:
                await stream.pieces.put(message.get("body", b""))

        def abort() -> None:
            stream.aborted = True

        scope = {**self._scope("GET", path, {}), "abort": abort}
        stream.task = asyncio.create_task(self.app(scope, receive, send))
        try:
            yield stream
        finally:
            stream.gone.set()
            stream.reads.set()
            await stream.ended()


@asynccontextmanager
async def served(app: Starlette) -> AsyncIterator[Browser]:
    """The site with its lifespan running, and a browser at it."""
    async with app.router.lifespan_context(app):
        yield Browser(app)
