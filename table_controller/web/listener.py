"""The web server: uvicorn with limits for those who are slow, and an end that waits for nobody.

A browser that sends the head of a request for longer than some seconds is cut off, and one that does
not read holds little memory. At the end of the process all streams end at once.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from table_controller.web.settings import Settings

HEAD_S_MAX: Final = 10
KEEP_ALIVE_S: Final = 15
CONNECTIONS_MAX: Final = 600
HEAD_BYTES_MAX: Final = 16 * 1024
STOP_S: Final = 1
_WRITE_BYTES_MAX: Final = 16 * 1024


class Connection(H11Protocol):
    """One connection, with a limit for the head of a request and for what waits to be read."""

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A browser has connected."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_WRITE_BYTES_MAX)
        app, abort = self.app, transport.abort

        async def with_abort(scope: Any, receive: Any, send: Any) -> None:
            # A stream that its browser does not read is dropped with what waits for it.
            scope["abort"] = abort
            await app(scope, receive, send)

        self.app = with_abort
        self._head = self.loop.call_later(HEAD_S_MAX, transport.abort)

    def data_received(self, data: bytes) -> None:
        """More of a request; its head has to be whole in time."""
        super().data_received(data)
        cycle: Any = self.cycle
        busy = cycle is not None and not cycle.response_complete
        if busy:
            self._forget()
        elif self._head is None and self.timeout_keep_alive_task is None:
            self._head = self.loop.call_later(HEAD_S_MAX, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The browser is gone."""
        self._forget()
        super().connection_lost(exc)

    def _forget(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None


class Server(uvicorn.Server):
    """A server whose streams end when it is told to stop."""

    def __init__(
        self, config: uvicorn.Config, stopping: Callable[[], None], ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._stopping, self._ready = stopping, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen; whoever waits for that is told."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all streams, then wait for the rest for a moment."""
        self._stopping()
        await super().shutdown(sockets)


def make_server(
    app: Starlette, settings: Settings, ready: Callable[[], None] = lambda: None, **more: Any
) -> Server:
    """The server of a site, not yet listening."""
    tls = settings.tls
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_S,
        limit_concurrency=CONNECTIONS_MAX,
        h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
        **more,
    )
    return Server(config, app.state.streams.close, ready)
