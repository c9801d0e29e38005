"""The marathon: rounds beside the ledger, and the long run of the progressive.

    python -m tests.marathon [--rounds N] [--presets us,live] [--seed N] [--workers N] [--stretch K]
    python -m tests.marathon long-run [--awards N] [--seed N] [--workers N]

Exit code 0 if table and ledger agree on every round, or every figure lies within three standard errors
of the golden one; 1 at the first difference, with the story of the round; 2 without the golden figures.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from multiprocessing import Pool
from typing import Final, NamedTuple

import pytest

from table_controller.presets import PRESETS
from tests.marathon.long_run import Estimate, Run, estimates, runs
from tests.marathon.rounds import Difference, Stretch

ROUNDS: Final = 100_000
ROUNDS_OF_A_STRETCH: Final = 2_000
AWARDS: Final = 1_000_000


class Job(NamedTuple):
    """One stretch of a preset."""

    preset: str
    seed: int
    stretch: int
    rounds: int


class Done(NamedTuple):
    """What a stretch counted, how long it took, and the difference if there was one."""

    job: Job
    counted: Counter[str]
    seconds: float
    difference: str


def play(job: Job) -> Done:
    """Play one stretch; its dice hang on the job alone."""
    began_s = time.monotonic()
    stretch = Stretch(job.preset, f"{job.seed} {job.preset} {job.stretch}", job.rounds)
    difference = ""
    try:
        stretch.play()
    except Difference as found:
        difference = str(found)
    return Done(job, stretch.counted, time.monotonic() - began_s, difference)


def jobs(presets: Iterable[str], rounds: int, seed: int, only: int | None) -> Iterator[Job]:
    """The stretches of these presets; the last of each is as long as what is left."""
    for preset in presets:
        for number, first in enumerate(range(0, rounds, ROUNDS_OF_A_STRETCH)):
            if only in (None, number):
                yield Job(preset, seed, number, min(ROUNDS_OF_A_STRETCH, rounds - first))


def progress(done: int, of: int, what: str, began_s: float) -> None:
    """One line on the screen that is written again and again."""
    print(f"\r{done:,} of {of:,} {what}, {time.monotonic() - began_s:.0f} s", end="", file=sys.stderr)


def marathon(wanted: list[Job], workers: int) -> int:
    """Play them all; the exit code."""
    began_s = time.monotonic()
    rounds = sum(job.rounds for job in wanted)
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    progress(0, rounds, "rounds", began_s)
    with Pool(workers) as pool:
        for done in pool.imap_unordered(play, wanted):
            preset = done.job.preset
            if done.difference:
                number = done.counted["rounds"]
                print(f"\n{done.difference}")
                print(f"preset {preset}, seed {done.job.seed}, stretch {done.job.stretch}, round {number}")
                print(f"again: --presets {preset} --seed {done.job.seed} --stretch {done.job.stretch}")
                return 1
            counted[preset] += done.counted
            seconds[preset] += round(done.seconds * 1000)
            progress(sum(one["rounds"] for one in counted.values()), rounds, "rounds", began_s)
    print(file=sys.stderr)
    for preset, one in counted.items():
        print(f"{preset}: {seconds[preset] / 1000:.0f} s of one processor")
        if preset == "classic":
            print("    it has no progressive: no meter was there, the main game was compared")
        for name, number in sorted(one.items(), key=lambda item: (item[0] != "rounds", item[0])):
            print(f"    {number:>9,} {name}")
    print(f"{rounds:,} rounds without a difference in {time.monotonic() - began_s:.0f} s")
    return 0


def long_run(awards: int, seed: int, workers: int) -> int:
    """Draw the awards of every setting; the exit code."""
    began_s = time.monotonic()
    try:
        wanted = runs(awards, seed)
    except pytest.skip.Exception as missing:
        print(f"long-run: {missing}", file=sys.stderr)
        return 2
    failed = 0
    progress(0, len(wanted), "settings", began_s)
    with Pool(workers) as pool:
        for number, tries in enumerate(pool.imap(_drawn, wanted), start=1):
            progress(number, len(wanted), "settings", began_s)
            for run, found in tries:
                print(f"\n{run.name}, {run.awards:,} awards", flush=True)
                for estimate in found:
                    print(f"    {estimate.text}{'' if estimate.agrees else '   OFF'}", flush=True)
            failed += not all(estimate.agrees for estimate in tries[-1][1])
    print(f"{awards:,} awards of each of {len(wanted)} settings in {time.monotonic() - began_s:.0f} s")
    return 1 if failed else 0


def _drawn(run: Run) -> list[tuple[Run, list[Estimate]]]:
    """Among so many figures chance alone lays one outside three errors now and then: it is drawn again,
    with other dice and four times the awards, and then it counts.
    """
    tries = [(run, estimates(run))]
    if not all(estimate.agrees for estimate in tries[0][1]):
        again = run._replace(seed=f"{run.seed}, again", awards=4 * run.awards)
        tries.append((again, estimates(again)))
    return tries


def main() -> int:
    """Read the command line and run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.marathon")
    parser.add_argument("what", nargs="?", choices=("rounds", "long-run"), default="rounds")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of each preset ({ROUNDS:,})")
    parser.add_argument("--presets", default=",".join(PRESETS), help="names with commas (all seven)")
    parser.add_argument("--stretch", type=int, help=f"only this stretch of {ROUNDS_OF_A_STRETCH:,} rounds")
    parser.add_argument("--awards", type=int, default=AWARDS, help=f"of each setting ({AWARDS:,})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    presets = asked.presets.split(",")
    unknown = [preset for preset in presets if preset not in PRESETS]
    if unknown:
        parser.error(f"no preset {unknown[0]!r}; allowed: {', '.join(PRESETS)}")
    if asked.what == "long-run":
        return long_run(asked.awards, asked.seed, asked.workers)
    return marathon(list(jobs(presets, asked.rounds, asked.seed, asked.stretch)), asked.workers)


if __name__ == "__main__":
    sys.exit(main())
