"""What exact odds cost: a first house in a fresh process, each further pay table, and memory."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Final, NamedTuple

import msgspec

from hw_sim.stages import ROOT
from tests.bench.table import BenchFailed
from tests.bench.verdict import Verdict, at_most, percentile, timed

PROCESSES: Final = 5
MOST_FIRST_S: Final = 1.0
MOST_FURTHER_MS: Final = 20
MOST_MEMORY_MB: Final = 150
ANALYST: Final = (sys.executable, "-m", "tests.bench.analyst")
NUMPY: Final = (sys.executable, "-c", "import numpy")


class Figures(msgspec.Struct):
    """What an analyst tells of itself."""

    cpu_s: float
    further_s: list[float]
    peak_mb: float


class Analysis(NamedTuple):
    """One process: the seconds from its start to its first house, and its own figures."""

    first_s: float
    figures: Figures


def odds(processes: int = PROCESSES) -> list[Verdict]:
    """Medians over several processes, each beside a Python that only imports numpy; the largest memory."""
    analyses, numpy_s = [], []
    for _ in range(processes):
        analyses.append(analysis())
        numpy_s.append(timed(lambda: subprocess.run(NUMPY, check=True)))
    first_s = [made.first_s for made in analyses]
    cpu_s = [made.figures.cpu_s for made in analyses]
    further_ms = [1000 * seconds for made in analyses for seconds in made.figures.further_s]
    memory_mb = max(made.figures.peak_mb for made in analyses)
    first = "first odds in a fresh process, peer a Python that imports numpy"
    return [
        at_most(first, percentile(first_s, 50), percentile(numpy_s, 50), MOST_FIRST_S, "s"),
        at_most("processor time of it", percentile(cpu_s, 50), 0, MOST_FIRST_S, "s"),
        at_most("each further pay table", percentile(further_ms, 50), 0, MOST_FURTHER_MS, "ms"),
        at_most("peak memory of that process", memory_mb, 0, MOST_MEMORY_MB, "MB"),
    ]


def analysis() -> Analysis:
    """Run one analyst. Raises `BenchFailed` if it does not come to its end."""
    began_s = time.perf_counter()
    with subprocess.Popen(ANALYST, cwd=ROOT, stdout=subprocess.PIPE) as analyst:
        assert analyst.stdout is not None
        ready = analyst.stdout.readline()
        first_s = time.perf_counter() - began_s
        told = analyst.stdout.read()
    if ready != b"ready\n" or analyst.returncode:
        raise BenchFailed(f"the analyst ended with exit code {analyst.returncode}")
    return Analysis(first_s, msgspec.json.decode(told, type=Figures))
