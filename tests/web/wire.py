"""What really goes over the wire: raw requests and raw streams, every byte kept."""

from __future__ import annotations

import http.client
import json
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

PATIENCE_S: Final = 15.0

Json = dict[str, Any]


class Stream:
    """Server-sent events, read by a thread of its own as they come."""

    def __init__(self, url: str, path: str, headers: dict[str, str]) -> None:
        where = urlsplit(url)
        self._connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE_S)
        self._connection.request("GET", path, headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, f"{path}: {self._answer.status} {self._answer.read()!r}"
        self._socket = self._connection.sock
        self.raw = bytearray()
        self.events: list[tuple[str, bytes]] = []
        self.ended = False
        self._came = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def until(self, condition: Callable[[list[tuple[str, bytes]]], bool], what: str) -> None:
        """Waits until what has come is enough."""
        with self._came:
            enough = self._came.wait_for(lambda: condition(self.events), PATIENCE_S)
        assert enough, f"{what}: not within {PATIENCE_S:.0f} s; the last was {self.events[-1:]}"

    def until_ended(self, within_s: float) -> bool:
        """Waits until the other side has ended the stream."""
        with self._came:
            return self._came.wait_for(lambda: self.ended, within_s)

    def close(self) -> None:
        """Read no more."""
        with suppress(OSError):
            self._answer.close()
        self._connection.close()

    def _read(self) -> None:
        name, data = "", b""
        with suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            while line := self._answer.readline():
                with self._came:
                    self.raw += line
                    if line.startswith(b"event:"):
                        name = line[6:].strip().decode()
                    elif line.startswith(b"data:"):
                        data += line[5:].strip()
                    elif not line.strip() and data:
                        self.events.append((name, data))
                        name, data = "", b""
                        self._came.notify_all()
        with self._came:
            self.ended = True
            self._came.notify_all()


class Client:
    """One person at the site without a browser, or nobody in particular."""

    def __init__(self, url: str, operator: str = "", pin: str = "") -> None:
        self.url = url
        self.operator = operator
        self._headers = {"Origin": url, "Content-Type": "application/json"}
        self._pin = pin
        if operator:
            status, headers, raw = self.send("POST", "/api/login", {"operator": operator, "pin": pin})
            assert status == 200, f"{operator} cannot log in: {status} {raw!r}"
            self._headers["Cookie"] = headers["set-cookie"].partition(";")[0]
            self._headers["X-CSRF-Token"] = json.loads(raw)["csrf"]

    def send(
        self, method: str, path: str, body: Json | None = None, **more: str
    ) -> tuple[int, dict[str, str], bytes]:
        """One request: the status, the headers and every byte of the body."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE_S)
        try:
            text = None if body is None else json.dumps(body)
            headers = {**self._headers, **{name.replace("_", "-"): value for name, value in more.items()}}
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def get(self, path: str) -> bytes:
        """Every byte of a page or file."""
        status, _, raw = self.send("GET", path)
        assert status == 200, f"{path}: {status} {raw!r}"
        return raw

    def say(self, command: Json, reason: str = "", request_id: str = "", **more: str) -> tuple[int, bytes]:
        """Says a word at table T1; the status and the answer."""
        status, _, raw = self.send(
            "POST",
            "/api/tables/T1/say",
            {"command": command, "reason": reason, "pin": self._pin, **more},
            Idempotency_Key=request_id or str(uuid.uuid4()),
        )
        return status, raw

    def ask(self, what: str) -> bytes:
        """Asks table T1 something."""
        status, _, raw = self.send("POST", "/api/tables/T1/ask", {"ask": what})
        assert status == 200, f"{what}: {status} {raw!r}"
        return raw

    def effect(self, command: Json) -> bytes:
        """The second look at a word; what is not possible is an answer too."""
        status, _, raw = self.send("POST", "/api/tables/T1/effect", {"command": command})
        return b"%d %s" % (status, raw)

    def stream(self, path: str) -> Stream:
        """A stream that is read as it comes."""
        return Stream(self.url, path, self._headers)
