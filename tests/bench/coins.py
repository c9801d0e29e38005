"""From a coin's last edge to its lamp lit and the bet known to a subscriber, against the disk alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec
import zmq

from hw_sim.stages import SIMULATOR_KEY
from table_controller.door import use_key
from table_controller.keys import load_client_key
from tests.bench.stopwatch import REST_S, SEATS
from tests.bench.table import PATIENCE_S, BenchFailed, RunFolder, folder, subscriber
from tests.bench.verdict import Verdict, at_most_as_long, timed

COINS: Final = 1_000
REFUSED_MAX: Final = 100
BLOCK: Final = os.urandom(4096)


def coins(count: int = COINS) -> tuple[Verdict, Verdict]:
    """Median and 99th percentile over `count` coins.

    The clock starts before the last edge reaches the pin's callback, and stops when the lamp is
    driven and a subscriber in another process holds both the fact and the state. Between two coins the
    disk alone is asked to make 4 KB durable in a growing file beside the journal. Both come after a
    rest: a coin finds the machine idle, so the disk alone is measured on an idle machine too.
    """
    with folder() as place, _stopwatch(RunFolder(place)) as (told, answers):
        ours_s, peer_s = _play(RunFolder(place), told, answers, count)
    return (
        at_most_as_long("coin to lamp and subscriber, median, peer 4 KB + fdatasync", 50, ours_s, peer_s, 3),
        at_most_as_long("coin to lamp and subscriber, p99, peer 4 KB + fdatasync", 99, ours_s, peer_s, 6),
    )


def _play(run: RunFolder, told: IO[str], answers: IO[str], count: int) -> tuple[list[float], list[float]]:
    """Drop coins one after the other and give each back; seconds of ours, and of the disk alone."""
    ours_s: list[float] = []
    peer_s: list[float] = []
    with subscriber(run.place, "fact", "state") as heard, _speaker(run) as speaker, _disk(run.place) as fd:
        heard.connect(run.state)
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
            _give_back(speaker, seat)
            time.sleep(REST_S)
            peer_s.append(timed(lambda: _make_durable(fd)))
    if len(ours_s) < count:
        raise BenchFailed(f"the slots refused more than {REFUSED_MAX} of {count} coins: is the machine busy?")
    return ours_s, peer_s


def latency_s(cleared_ns: int, lit_ns: int, heard_ns: int) -> float:
    """Seconds from the last edge to the later of lamp and message; a coin without a lamp is no result."""
    if not lit_ns:
        raise BenchFailed("a coin was a bet and its lamp was not lit")
    return (max(lit_ns, heard_ns) - cleared_ns) / 1e9


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


def _give_back(speaker: zmq.Socket[bytes], seat: int) -> None:
    command = {"type": "ReturnCoin", "seat": seat}
    said = {"v": 1, "id": str(uuid.uuid4()), "command": command, "operator": "ann", "role": "dealer"}
    speaker.send(msgspec.json.encode({**said, "reason": "", "round": ""}))
    if not speaker.poll(PATIENCE_S * 1000):
        raise BenchFailed(f"no answer when the coin of seat {seat} was to be given back")
    answer = msgspec.json.decode(speaker.recv())
    if not answer["ok"]:
        raise BenchFailed(f"the coin of seat {seat} is not given back: {answer['error']}")


@contextmanager
def _speaker(run: RunFolder) -> Iterator[zmq.Socket[bytes]]:
    """A socket for commands. No `TableClient` is used: a second subscriber here would be measured too."""
    speaker: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    speaker.linger = 0
    use_key(speaker, load_client_key(run.place / SIMULATOR_KEY))
    speaker.connect(run.commands)
    try:
        yield speaker
    finally:
        speaker.close()


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
            try:
                process.wait(PATIENCE_S)
            finally:
                process.kill()
