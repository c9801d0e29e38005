"""Two hundred open signs on one web process: how soon the last of them is told, and what they cost."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from tests.bench.idle import resident_mb
from tests.bench.table import PATIENCE_S, BenchFailed
from tests.bench.verdict import Verdict, at_most, percentile
from tests.bench.web_rig import Change, Pages, pages

SIGNS: Final = 200
CHANGES: Final = 20
MOST_P99_MS: Final = 250
MOST_MEMORY_MB: Final = 60
# A person looks at a sign for longer than this between two changes of it.
REST_S: Final = 0.25
_LINE_MAX: Final = 1 << 20


def signs(count: int = SIGNS, changes: int = CHANGES) -> list[Verdict]:
    """Median and 99th percentile over all signs and changes beside one sign alone, and the pages' memory.

    The clock runs from the stamp of the journal entry, before its commit, to the last byte of the picture at
    the sign's end of its stream. All signs are read by this process, on the same processors.
    """
    with pages() as made:
        before_mb = resident_mb(made.web.pid)
        alone_ms, _ = asyncio.run(_told(made, 1, changes))
        told_ms, memory_mb = asyncio.run(_told(made, count, changes))
    told = f"entry's stamp to the picture at each of {count} open signs"
    return [
        _verdict(f"{told}, median, peer one sign alone", 50, told_ms, alone_ms),
        _verdict(f"{told}, p99, the same peer", 99, told_ms, alone_ms),
        at_most(
            f"resident memory of the pages with {count} signs, peer with none",
            memory_mb,
            before_mb,
            MOST_MEMORY_MB,
            "MB",
        ),
    ]


def _verdict(what: str, percent: float, ours_ms: list[float], peer_ms: list[float]) -> Verdict:
    return at_most(what, percentile(ours_ms, percent), percentile(peer_ms, percent), MOST_P99_MS, "ms")


class _Sign:
    """One open stream, and when it was told which amount."""

    def __init__(self) -> None:
        self.told_ms: dict[int, float] = {}

    async def open(self, made: Pages) -> None:
        """Ask for the stream; the answer's head must say that it is one."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", made.port, limit=_LINE_MAX)
        host = f"127.0.0.1:{made.port}"
        self._writer.write(f"GET /api/signs/T1/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        if not head.startswith(b"HTTP/1.1 200"):
            raise BenchFailed(f"a sign is not let in: {head.splitlines()[0].decode()}")

    async def follow(self) -> None:
        """Note each new amount until the stream ends."""
        while line := await self._reader.readline():
            _, found, rest = line.partition(b'"meter_cents":')
            amount = rest.partition(b",")[0]
            # Before the pages have met the table there is no amount.
            if found and amount.isdigit():
                self.told_ms.setdefault(int(amount), time.time() * 1000)

    def close(self) -> None:
        """End the stream."""
        self._writer.close()


async def _told(made: Pages, count: int, changes: int) -> tuple[list[float], float]:
    """Milliseconds until each sign was told of each change, and the memory of the pages at the end."""
    opened = [_Sign() for _ in range(count)]
    followers: list[asyncio.Task[None]] = []
    try:
        for sign in opened:
            await sign.open(made)
            followers.append(asyncio.create_task(sign.follow()))
        await _until_all_know(opened, made.cents)
        done: list[Change] = []
        for _ in range(changes):
            await asyncio.sleep(REST_S)
            done.append(await asyncio.to_thread(made.change))
            await _until_all_know(opened, done[-1].cents)
        memory_mb = resident_mb(made.web.pid)
    finally:
        for follower in followers:
            follower.cancel()
        await asyncio.gather(*followers, return_exceptions=True)
        for sign in opened[: len(followers)]:
            sign.close()
    stamps_ms = made.stamps_ms()
    return [sign.told_ms[one.cents] - stamps_ms[one.seq] for one in done for sign in opened], memory_mb


async def _until_all_know(opened: list[_Sign], cents: int) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while unknowing := sum(cents not in sign.told_ms for sign in opened):
        if time.monotonic() > end_s:
            raise BenchFailed(f"{unknowing} of {len(opened)} signs were not told of an amount")
        await asyncio.sleep(0.01)
