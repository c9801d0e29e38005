"""The web server on a real socket: who is slow is cut off, and its end waits for nobody."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from table_controller.web import listener
from table_controller.web.clock import SystemClock
from table_controller.web.feeds import Heard, Picture
from table_controller.web.operators import Operators
from table_controller.web.settings import Settings, TableDoor, Tls
from table_controller.web.site import make_site


class NoTable:
    """A table that says nothing."""

    tables = ("T1",)

    def start(self, told: Callable[[str, tuple[Heard, ...]], None]) -> None:
        return

    async def stop(self) -> None:
        return

    def picture(self, table: str) -> Picture:
        return Picture(table)

    async def request(self, table: str, body: dict[str, Any]) -> dict[str, Any] | None:
        return None


class Web:
    """A server that runs, and connections to it."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        doors = {"T1": TableDoor("T1", "inproc://s", "inproc://c")}
        settings = Settings(str(folder / "web.toml"), "127.0.0.1", 0, str(folder / "operators.toml"), doors)
        self.settings = msgspec.structs.replace(settings, **changes)
        clock = SystemClock()
        app = make_site(self.settings, NoTable(), Operators(self.settings.operators_file, clock), clock)
        self.listens = asyncio.Event()
        self.writers: list[asyncio.StreamWriter] = []
        self.ended_within_s = 0.0
        self.server = listener.make_server(app, self.settings, self.listens.set)

    @property
    def port(self) -> int:
        port: int = self.server.servers[0].sockets[0].getsockname()[1]
        return port

    async def connect(self, text: str = "", **more: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, **more)
        self.writers.append(writer)
        writer.write(text.replace("\n", "\r\n").encode())
        return reader, writer

    async def run(self, test: Callable[[], Awaitable[None]]) -> None:
        serving = asyncio.create_task(self.server.serve())
        await self.listens.wait()
        try:
            await test()
        finally:
            told_s = time.monotonic()
            self.server.should_exit = True
            async with asyncio.timeout(5):
                await serving
            self.ended_within_s = time.monotonic() - told_s
            for writer in self.writers:
                writer.close()
            for writer in self.writers:
                with suppress(OSError, ssl.SSLError):
                    await writer.wait_closed()


HEAD = "GET {path} HTTP/1.1\nHost: 127.0.0.1\n\n"
STREAM = HEAD.format(path="/api/signs/T1/events")


async def ended(reader: asyncio.StreamReader) -> None:
    """The other side ends the connection."""
    async with asyncio.timeout(5):
        try:
            while await reader.read(4_096):
                pass
        except ConnectionResetError:
            return


def test_a_head_that_never_ends_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HEAD_S_MAX", 1)

    async def whole() -> None:
        web = Web(tmp_path)

        async def test() -> None:
            first, _ = await web.connect()
            second, _ = await web.connect("GET / HTTP/1.1\nHost: 127.0.0.1\nX: ")
            third, writer = await web.connect(HEAD.format(path="/api/config"))
            assert b"200 OK" in await third.readuntil(b"\r\n\r\n")
            writer.write(b"GET / HTTP/1.1\r\nX: ")
            for reader in (first, second, third):
                await ended(reader)

        await web.run(test)

    asyncio.run(whole())


def test_a_stream_that_is_read_is_not_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HEAD_S_MAX", 1)

    async def whole() -> None:
        web = Web(tmp_path)

        async def test() -> None:
            reader, _ = await web.connect(STREAM)
            async with asyncio.timeout(5):
                for _ in range(3):
                    await reader.readuntil(b"event: sign")

        await web.run(test)

    asyncio.run(whole())


def test_the_server_does_not_say_what_it_is(tmp_path: Path) -> None:
    async def whole() -> None:
        web = Web(tmp_path)

        async def test() -> None:
            reader, _ = await web.connect(HEAD.format(path="/api/config"))
            assert b"server:" not in (await reader.readuntil(b"\r\n\r\n")).lower()

        await web.run(test)

    asyncio.run(whole())


def test_it_ends_within_three_seconds_with_streams_open(tmp_path: Path) -> None:
    async def whole() -> float:
        web = Web(tmp_path)

        async def test() -> None:
            streams = [await web.connect(STREAM) for _ in range(20)]
            for reader, _ in streams:
                await reader.readuntil(b"event: sign")
            # Somebody sends half a request and waits.
            half = "POST /api/login HTTP/1.1\nHost: 127.0.0.1\nOrigin: http://127.0.0.1\nContent-Length: 9\n"
            reader, _ = await web.connect(f"{half}Expect: 100-continue\n\n")
            assert b"100" in await reader.readuntil(b"\r\n\r\n"), "the rest is waited for"

        await web.run(test)
        return web.ended_within_s

    assert asyncio.run(whole()) < 3


def test_those_who_never_read_are_dropped_at_the_end_without_a_complaint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "STOP_S", 0.2)
    deaf = asyncio.Event()

    async def whole() -> None:
        web = Web(tmp_path)

        async def test() -> None:
            reader, _ = await web.connect(STREAM)
            await reader.readuntil(b"event: sign")
            connections: set[Any] = set(web.server.server_state.connections)
            (connection,) = connections
            # Whatever is sent from now on waits for a browser that does not read.
            connection.flow.pause_writing()
            deaf.set()

        await web.run(test)

    asyncio.run(whole())
    assert deaf.is_set()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "Cancel 1 running task(s), timeout graceful shutdown exceeded"
    ]


def test_over_tls_the_pages_are_served_and_plain_requests_are_not(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        # On the build server a check that cannot run is a failure.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "there is no openssl to make a certificate with"
        )
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=table.example", "-addext", "subjectAltName=DNS:table.example"]
    names += ["-keyout", "key.pem", "-out", "cert.pem", "-days", "2"]
    subprocess.run([openssl, *made, *names], cwd=tmp_path, check=True, capture_output=True)

    async def whole() -> None:
        tls = Tls(str(tmp_path / "cert.pem"), str(tmp_path / "key.pem"), ("table.example",))
        web = Web(tmp_path, tls=tls)
        trusted = ssl.create_default_context(cafile=tls.certificate)

        async def test() -> None:
            request = "GET /api/config HTTP/1.1\nHost: table.example\n\n"
            reader, _ = await web.connect(request, ssl=trusted, server_hostname="table.example")
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"200 OK" in head
            assert b"strict-transport-security" in head.lower()
            plain, _ = await web.connect(request)
            assert b"200" not in await plain.read(20)

        await web.run(test)

    asyncio.run(whole())
