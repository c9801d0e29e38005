"""From a coin's last edge to its lamp lit and the bet known to a subscriber, against the disk alone."""

from __future__ import annotations

import json
import os
import time
from bisect import bisect
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import zmq

from hw_sim.client import TableClient
from hw_sim.table import BoardClient
from tests.bench.stopwatch import EDGES, SEATS
from tests.bench.table import PATIENCE_S, BenchFailed, Table, folder
from tests.bench.verdict import Verdict, at_most_as_long, timed

COINS: Final = 1_000
REFUSED_MAX: Final = 100
BLOCK: Final = os.urandom(4096)


def coins(count: int = COINS) -> tuple[Verdict, Verdict]:
    """Median and 99th percentile over `count` coins.

    The clock starts in the board process before the last edge leaves it, and stops when its lamp is
    driven and a subscriber in a third process holds both the fact and the state. Service, board and
    sockets are those of production; between two coins the disk alone is asked to make 4 KB durable.
    """
    with folder() as place:
        with Table(place) as table:
            table.start_service()
            heard_ns, peer_s = _play(table, count)
        times_ns = json.loads((place / EDGES).read_text("utf-8"))
    ours_s = latencies(times_ns["cleared"], times_ns["lit"], heard_ns)
    return (
        at_most_as_long("coin to lamp and subscriber, median, peer 4 KB + fdatasync", 50, ours_s, peer_s, 3),
        at_most_as_long("coin to lamp and subscriber, p99, peer 4 KB + fdatasync", 99, ours_s, peer_s, 6),
    )


def latencies(cleared_ns: list[int], lit_ns: list[int], heard_ns: list[int]) -> list[float]:
    """Seconds from each coin's last edge to the later of its lamp and its message.

    A token that the slot refused has an edge and no lamp: a lamp belongs to the last edge before it.
    """
    if len(lit_ns) != len(heard_ns):
        raise BenchFailed(f"{len(lit_ns)} lamps were lit and {len(heard_ns)} bets were heard of")
    times = zip(lit_ns, heard_ns, strict=True)
    return [(max(lit, heard) - cleared_ns[bisect(cleared_ns, lit) - 1]) / 1e9 for lit, heard in times]


def _play(table: Table, count: int) -> tuple[list[int], list[float]]:
    """Drop coins one after the other; when each was heard of, and what the disk alone took after it."""
    hands = BoardClient(table.place / "board.sock")
    client = TableClient(table.state, table.commands)
    with ThreadPoolExecutor(1) as other_hands, _subscriber(table.state) as subscriber, _disk(table.place) as fd:
        try:
            hands.key("open")
            if not client.wait_for(lambda body: body["phase"] == "betting", PATIENCE_S * 1000):
                raise BenchFailed("bets are not open")
            for seat in range(1, SEATS + 1):
                hands.ante(seat)
            heard_ns: list[int] = []
            peer_s: list[float] = []
            for number in range(count + REFUSED_MAX):
                if len(heard_ns) == count:
                    break
                seat = number % SEATS + 1
                fall = other_hands.submit(hands.coin, seat)
                at_ns = _hear(subscriber, seat)
                fall.result()
                if not at_ns:
                    continue
                heard_ns.append(at_ns)
                answer = client.say({"type": "ReturnCoin", "seat": seat}, "dealer", "dealer")
                if not answer["ok"]:
                    raise BenchFailed(f"the coin of seat {seat} is not given back: {answer['error']}")
                peer_s.append(timed(lambda: _make_durable(fd)))
            return heard_ns, peer_s
        finally:
            client.close()
            hands.close()


def _hear(subscriber: zmq.Socket[bytes], seat: int) -> int:
    """When the fact and the state of that seat's bet have both arrived, in monotonic nanoseconds.

    0 if the slot refused the token: on a busy machine the simulated beams stutter.
    """
    accepted = False
    while subscriber.poll(PATIENCE_S * 1000):
        topic, raw = subscriber.recv_multipart()
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
def _subscriber(endpoint: str) -> Iterator[zmq.Socket[bytes]]:
    with zmq.Context.instance().socket(zmq.SUB) as subscriber:
        subscriber.linger = 0
        subscriber.subscribe(b"state")
        subscriber.subscribe(b"fact")
        subscriber.connect(endpoint)
        yield subscriber
