"""A flood of subscribers, and what the table does meanwhile: `python -m tests.bench.web_flood FOLDER COUNT`.

The flood is a process of its own: so many sockets with a key, each a connection of its own that hears
everything, and one that never reads. It says `ready` when each has heard a state, and ends with its input.
The coins of the table are timed before, during and after it.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import zmq

from hw_sim.stages import ROOT, SIMULATOR_KEY
from table_controller.door import use_key
from table_controller.keys import load_client_key
from tests.bench.coins import _give_back, _hear, _speaker, _stopwatch
from tests.bench.idle import resident_mb
from tests.bench.stopwatch import REST_S, SEATS
from tests.bench.table import PATIENCE_S, BenchFailed, RunFolder, folder, subscriber
from tests.bench.verdict import Verdict, at_most, at_most_as_long

SUBSCRIBERS: Final = 200
COINS: Final = 300
"""Each is said in four messages or more: the queue of the one who never reads is full before the end."""
REFUSED_MAX: Final = 100
MOST_MEMORY_MB: Final = 100
"""Each connection with a key takes about 0.1 MB, and the queue of one who never reads some 6 MB."""


def flood(subscribers: int = SUBSCRIBERS, count: int = COINS) -> list[Verdict]:
    """From a coin's last edge to its lamp, with the flood and before and after it, and the table's memory.

    Only the lamp is timed: how soon the flood itself is told is not what a player sees.
    """
    calm_s: list[float] = []
    flooded_s: list[float] = []
    with folder() as place, _stopwatch(RunFolder(place)) as (told, answers):
        run = RunFolder(place)
        table = _table_process()
        with subscriber(place, "fact", "state") as heard, _speaker(run) as speaker:
            heard.connect(run.state)
            coin = _Coins(told, answers, heard, speaker)
            calm_s += coin.drop(count // 2)
            calm_mb = resident_mb(table)
            with _flood(place, subscribers):
                flooded_s += coin.drop(count)
                flooded_mb = resident_mb(table)
            calm_s += coin.drop(count - count // 2)
    lamp = f"coin to lamp with {subscribers} subscribers and a deaf one"
    return [
        at_most_as_long(f"{lamp}, median, peer without them", 50, flooded_s, calm_s, 2),
        at_most_as_long(f"{lamp}, p99, the same peer", 99, flooded_s, calm_s, 4),
        at_most(
            "resident memory of the table with them, the same peer",
            flooded_mb,
            calm_mb,
            MOST_MEMORY_MB,
            "MB",
        ),
    ]


class _Coins:
    """Drops coins one after the other and gives each back."""

    def __init__(
        self, told: IO[str], answers: IO[str], heard: zmq.Socket[bytes], speaker: zmq.Socket[bytes]
    ) -> None:
        self._told, self._answers, self._heard, self._speaker = told, answers, heard, speaker
        self._number = 0

    def drop(self, count: int) -> list[float]:
        """Seconds from the last edge of each coin to its lamp."""
        found: list[float] = []
        for _ in range(count + REFUSED_MAX):
            seat, self._number = self._number % SEATS + 1, self._number + 1
            print(seat, file=self._told, flush=True)
            accepted = _hear(self._heard, seat)
            cleared_ns, lit_ns = map(int, self._answers.readline().split())
            if accepted:
                if not lit_ns:
                    raise BenchFailed("a coin was a bet and its lamp was not lit")
                found.append((lit_ns - cleared_ns) / 1e9)
                _give_back(self._speaker, seat)
                time.sleep(REST_S)
            if len(found) == count:
                return found
        raise BenchFailed(f"the slots refused more than {REFUSED_MAX} of {count} coins: is the machine busy?")


def _table_process() -> int:
    """The process of the service with the stopwatch: the only child that this one has."""
    children = Path("/proc/self/task").glob("*/children")
    found = [int(pid) for one in children for pid in one.read_text("ascii").split()]
    if len(found) != 1:
        raise BenchFailed(f"one child is the table, {len(found)} were found")
    return found[0]


@contextmanager
def _flood(place: Path, count: int) -> Iterator[None]:
    """The flood while the block runs."""
    command = [sys.executable, "-m", "tests.bench.web_flood", str(place), str(count)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if process.stdout.readline() != "ready\n":
                raise BenchFailed("the flood did not rise; it said why above")
            yield
        finally:
            process.stdin.close()
            try:
                process.wait(PATIENCE_S)
            finally:
                process.kill()


def main(place: str, count: int) -> None:
    """Be the flood until the input ends."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    context.set(zmq.MAX_SOCKETS, count + 10)
    key = load_client_key(Path(place, SIMULATOR_KEY))
    poller = zmq.Poller()
    sockets = [context.socket(zmq.SUB) for _ in range(count + 1)]
    deaf, *readers = sockets
    deaf.rcvhwm = 1
    for socket in sockets:
        use_key(socket, key)
        socket.subscribe("")
        socket.connect(f"ipc://{place}/state.sock")
    for socket in readers:
        poller.register(socket, zmq.POLLIN)
    waiting = set(readers)
    end_s = time.monotonic() + PATIENCE_S
    ended = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    while not ended.is_set():
        for socket, _ in poller.poll(200):
            topic, _ = socket.recv_multipart()
            if topic == b"state" and socket in waiting:
                waiting.discard(socket)
                if not waiting:
                    print("ready", flush=True)
        if waiting and time.monotonic() > end_s:
            print(f"{len(waiting)} of {count} subscribers have heard nothing", file=sys.stderr)
            break
    context.destroy(linger=0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
