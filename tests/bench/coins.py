"""From a coin's last edge to its lamp lit and the bet known to a subscriber, against the disk alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec
import zmq

from hw_sim.client import TableClient
from tests.bench.stopwatch import SEATS
from tests.bench.table import PATIENCE_S, BenchFailed, RunFolder, folder, subscriber
from tests.bench.verdict import Verdict, at_most_as_long, timed

COINS: Final = 1_000
REFUSED_MAX: Final = 100
BLOCK: Final = os.urandom(4096)


def coins(count: int = COINS) -> tuple[Verdict, Verdict]:
    """Median and 99th percentile over `count` coins.

    The clock starts before the last edge reaches the pin's callback, and stops when the lamp is
    driven and a subscriber in another process holds both the fact and the state. Between two coins the
    disk alone is asked to make 4 KB durable in a growing file beside the journal.
    """
    with folder() as place, _stopwatch(RunFolder(place)) as (told, answers):
        ours_s, peer_s = _play(RunFolder(place), told, answers, count)
    return (
        at_most_as_long("coin to lamp and subscriber, median, peer 4 KB + fdatasync", 50, ours_s, peer_s, 3),
        at_most_as_long("coin to lamp and subscriber, p99, peer 4 KB + fdatasync", 99, ours_s, peer_s, 6),
    )


def _play(run: RunFolder, told: IO[str], answers: IO[str], count: int) -> tuple[list[float], list[float]]:
    """Drop coins one after the other and give each back; seconds of ours, and of the disk alone."""
    client = TableClient(run.state, run.commands)
    ours_s: list[float] = []
    peer_s: list[float] = []
    with subscriber("fact", "state") as heard, _disk(run.place) as fd:
        try:
            heard.connect(run.state)
            if not client.wait_for(_is_ready, PATIENCE_S * 1000):
                raise BenchFailed("seven antes do not lie on the table")
            for number in range(count + REFUSED_MAX):
                if len(ours_s) == count:
                    break
                seat = number % SEATS + 1
                print(seat, file=told, flush=True)
                heard_ns = _hear(heard, seat)
                cleared_ns, lit_ns = map(int, answers.readline().split())
                if not heard_ns:
                    continue
                ours_s.append(latency_s(cleared_ns, lit_ns, heard_ns))
                answer = client.say({"type": "ReturnCoin", "seat": seat}, "dealer", "dealer")
                if not answer["ok"]:
                    raise BenchFailed(f"the coin of seat {seat} is not given back: {answer['error']}")
                peer_s.append(timed(lambda: _make_durable(fd)))
        finally:
            client.close()
    if len(ours_s) < count:
        raise BenchFailed(f"the slots refused more than {REFUSED_MAX} of {count} coins: is the machine busy?")
    return ours_s, peer_s


def latency_s(cleared_ns: int, lit_ns: int, heard_ns: int) -> float:
    """Seconds from the last edge to the later of lamp and message; a coin without a lamp is no result."""
    if not lit_ns:
        raise BenchFailed("a coin was a bet and its lamp was not lit")
    return (max(lit_ns, heard_ns) - cleared_ns) / 1e9


def _is_ready(body: dict[str, object]) -> bool:
    seats = body["seats"]
    assert isinstance(seats, list)
    return body["phase"] == "betting" and all(seat["ante"]["chips"] for seat in seats)


def _hear(heard: zmq.Socket[bytes], seat: int) -> int:
    """When the fact and the state of that seat's bet have both arrived, in monotonic nanoseconds.

    0 if the slot refused the token: on a busy machine the simulated beams stutter.
    """
    accepted = False
    while heard.poll(PATIENCE_S * 1000):
        topic, raw = heard.recv_multipart()
        at_ns = time.monotonic_ns()
        body = msgspec.json.decode(raw)["body"]
        if topic == b"fact":
            if body["type"] == "Noticed" and body["notice"].startswith("coin_"):
                return 0
            accepted |= body["type"] == "CoinAccepted" and body["seat"] == seat
        elif accepted and body["seats"][seat - 1]["coin"] == "bet":
            return at_ns
    raise BenchFailed(f"nothing was heard of the coin of seat {seat}")


def _make_durable(fd: int) -> None:
    os.write(fd, BLOCK)
    os.fdatasync(fd)


@contextmanager
def _disk(place: Path) -> Iterator[int]:
    """A file that grows as a log does, beside the journal."""
    fd = os.open(place / "peer", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _stopwatch(run: RunFolder) -> Iterator[tuple[IO[str], IO[str]]]:
    """The service with the stopwatch, in a process of its own: what it is told, and what it answers."""
    command = [sys.executable, "-m", "tests.bench.stopwatch", str(run.config)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise BenchFailed("the service with the stopwatch did not start; it said why above")
        try:
            yield process.stdin, process.stdout
        finally:
            process.stdin.close()
            process.wait(PATIENCE_S)
