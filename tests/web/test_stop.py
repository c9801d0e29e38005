"""The web process ends within three seconds, whoever still listens to it."""

from __future__ import annotations

import http.client
import signal
import socket
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.web.rig import RealTable
from tests.web.wire import Client

SIGNS: Final = 200
MEMORY_KB_MAX: Final = 60 * 1024


def test_two_hundred_signs_fit_into_the_memory_and_the_pages_end_within_three_seconds(
    real_table: RealTable,
) -> None:
    assert real_table.web.process is not None
    ann = Client(real_table.url, "ann", real_table.pins["ann"])
    streams = [ann.stream("/api/events"), ann.stream("/api/signs/T1/events")]
    for stream in streams:
        stream.until(lambda events: len(events) > 0, "a first picture")
    deaf = one_that_never_reads(real_table)
    signs = [one_that_never_reads(real_table) for _ in range(SIGNS)]
    for sign in signs:
        assert b"event: sign" in told(sign)
    used_kb = memory_kb(real_table.web.process.pid)
    assert used_kb <= MEMORY_KB_MAX, f"{used_kb} kB with {SIGNS} signs"
    began_s = time.monotonic()
    real_table.web.signal(signal.SIGTERM)
    code = real_table.web.process.wait(10)
    took_s = time.monotonic() - began_s
    assert code == 0, real_table.web.last_words()
    assert took_s < 3, f"it took {took_s:.1f} s"
    for stream in streams:
        assert stream.until_ended(1)
        stream.close()
    for sign in (deaf, *signs):
        sign.close()


def test_a_table_that_falls_silent_ends_no_page(real_table: RealTable) -> None:
    sign = Client(real_table.url).stream("/api/signs/T1/events")
    with real_table.asleep(real_table.service):
        sign.until(
            lambda events: any(b'"age_ms":' in data and age(data) > 3_000 for _, data in events), "age"
        )
    count = len(sign.events)
    sign.until(lambda events: any(age(data) < 1_500 for _, data in events[count:]), "a young picture again")
    assert real_table.web.ended is None
    sign.close()


def age(data: bytes) -> int:
    """How old the picture is, as the event says it."""
    return int(data.partition(b'"age_ms":')[2].split(b",")[0].split(b"}")[0])


def memory_kb(pid: int) -> int:
    """The memory of a process that is really there."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def told(sign: socket.socket) -> bytes:
    """The first that a sign is told."""
    sign.settimeout(20)
    raw = b""
    while b"event: sign" not in raw and (part := sign.recv(65_536)):
        raw += part
    return raw


def one_that_never_reads(table: RealTable) -> socket.socket:
    """A sign that opens its stream and takes nothing out of it."""
    where = urlsplit(table.url)
    quiet = socket.socket()
    quiet.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    quiet.connect((where.hostname, where.port or http.client.HTTP_PORT))
    quiet.sendall(f"GET /api/signs/T1/events HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
    return quiet
