"""What every request passes first: whose host it names, from where it comes, how much it brings.

The answers get the headers that keep a browser from running, framing or sending anything of others.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Any, Final

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from table_controller.web.settings import Settings

BODY_BYTES_MAX: Final = 16 * 1024
BODY_S_MAX: Final = 10
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
}
_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


class BodyRefused(Exception):
    """The body of a request is too long or too slow; `status` says which."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Guard:
    """The outermost part of the site."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._proxy = settings.proxy
        self._headers = dict(_HEADERS)
        if settings.secure:
            self._headers["strict-transport-security"] = "max-age=31536000"
        self._names = {*_LOCAL_NAMES, _as_host(settings.host)}
        if settings.tls is not None:
            self._names |= {*settings.tls.names, socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await say_error(send_guarded, *refused)
            return
        await self._app(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        address = str((scope.get("client") or ("",))[0])
        scheme, host = str(scope["scheme"]), headers.get("host", "").lower()
        origin = f"{scheme}://{host}"
        if self._proxy is not None:
            if address != self._proxy.address:
                return 403, "this address is not the one of the proxy"
            # The last of the addresses is the one that the proxy itself has seen.
            forwarded = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
            address = forwarded[:64] or address
        known = self._proxy is not None and host == self._proxy.host
        if known and self._proxy is not None:
            origin = self._proxy.origin
        elif _without_port(host) not in self._names:
            return 421, "this host is not served here"
        scope["address"] = address
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST are answered here"
        if scope["method"] == "POST":
            if headers.get("origin", "") != origin:
                return 403, "a request from another place is not taken"
            try:
                if int(headers.get("content-length", "0")) > BODY_BYTES_MAX:
                    return 413, f"at most {BODY_BYTES_MAX} bytes are taken"
            except ValueError:
                return 400, "content-length is no number"
        return None


async def read_body(receive: Receive) -> bytes:
    """The body of a request, whole. Raises `BodyRefused` for one that is too long or too slow."""
    parts = bytearray()
    try:
        async with asyncio.timeout(BODY_S_MAX):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise BodyRefused(400, "the request was broken off")
                parts += message.get("body", b"")
                if len(parts) > BODY_BYTES_MAX:
                    raise BodyRefused(413, f"at most {BODY_BYTES_MAX} bytes are taken")
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        raise BodyRefused(408, "the request did not arrive in time") from None


async def say_error(send: Send, status: int, text: str) -> None:
    """Answer with an error as a sentence."""
    body = error_body(text)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def error_body(text: str, **more: Any) -> bytes:
    """An error as every answer tells it."""
    return msgspec.json.encode({"error": text, **more})


def _as_host(address: str) -> str:
    return f"[{address}]" if ipaddress.ip_address(address).version == 6 else address


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
