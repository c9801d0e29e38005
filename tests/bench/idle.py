"""What the service costs when nobody plays: memory and processor time, bets open."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from hw_sim.client import TableClient
from hw_sim.stages import SIMULATOR_KEY
from hw_sim.table import BoardClient
from tests.bench.table import PATIENCE_S, BenchFailed, Table, folder
from tests.bench.verdict import Verdict, at_most

WATCHED_S: Final = 20
SETTLING_S: Final = 2
MOST_MEMORY_MB: Final = 60
MOST_CPU_PERCENT: Final = 1
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
SLEEPER: Final = "import time; time.sleep(3600)"


def idling(watched_s: float = WATCHED_S) -> tuple[Verdict, Verdict]:
    """Memory and processor share of a service whose bets are open, beside a Python that only sleeps."""
    peer = subprocess.Popen([sys.executable, "-c", SLEEPER])
    try:
        with folder() as place, Table(place) as table:
            table.start_service()
            _open(table)
            assert table.service is not None
            ours = table.service.pid
            time.sleep(SETTLING_S)
            before, peer_before = cpu_s(ours), cpu_s(peer.pid)
            began_s = time.monotonic()
            time.sleep(watched_s)
            share = 100 / (time.monotonic() - began_s)
            cpu, peer_cpu = (cpu_s(ours) - before) * share, (cpu_s(peer.pid) - peer_before) * share
            memory = "resident memory, peer a Python that sleeps"
            return (
                at_most(memory, resident_mb(ours), resident_mb(peer.pid), MOST_MEMORY_MB, "MB"),
                at_most("processor while bets are open, the same peer", cpu, peer_cpu, MOST_CPU_PERCENT, "%"),
            )
    finally:
        peer.kill()
        peer.wait()


def resident_mb(pid: int) -> float:
    """Memory that a process holds, in millions of bytes."""
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise BenchFailed(f"process {pid} has no memory")


def cpu_s(pid: int) -> float:
    """Processor seconds that a process and its threads have used so far."""
    # The name stands in brackets and may hold blanks; the numbers begin after it.
    numbers = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / TICKS_A_SECOND


def _open(table: Table) -> None:
    hands = BoardClient(table.place / "board.sock")
    client = TableClient(table.state, table.commands, key=table.place / SIMULATOR_KEY)
    try:
        hands.key("open")
        if not client.wait_for(lambda body: body["phase"] == "betting", PATIENCE_S * 1000):
            raise BenchFailed("bets are not open")
    finally:
        client.close()
        hands.close()
