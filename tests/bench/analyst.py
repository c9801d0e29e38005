"""The exact odds in a process of their own: `python -m tests.bench.analyst`.

It prints two lines: `ready` when the first house is analysed, nothing kept from an earlier run, and the
figures as JSON: seconds of each further pay table, processor seconds up to `ready`, and peak memory.
Nothing else is imported, so that its start is that of the odds.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

from table_controller.odds.counts import count
from table_controller.odds.main_game import analyse
from table_controller.presets import PRESETS, load_preset

FURTHER: Final = 10
"""Times that each preset is analysed after the first house."""


def main() -> None:
    """Analyse one house, say so, then all presets again and again."""
    counts = count()
    analyse(load_preset(PRESETS[0]), counts)
    cpu_s = time.process_time()
    print("ready", flush=True)
    further_s = []
    for house in [load_preset(name) for name in PRESETS] * FURTHER:
        began_s = time.perf_counter()
        analyse(house, counts)
        further_s.append(time.perf_counter() - began_s)
    json.dump({"cpu_s": cpu_s, "further_s": further_s, "peak_mb": peak_mb()}, sys.stdout)


def peak_mb() -> float:
    """The most memory that this process has held at a time, in millions of bytes."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError("/proc/self/status: no peak memory")


if __name__ == "__main__":
    main()
