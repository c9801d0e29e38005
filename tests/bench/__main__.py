"""The bench: `python3 deploy/dev.py bench [--strict]`.

Every line compares both sides in one run on this machine, so that only the ratio is worth keeping.
Exit code 0 if it ran; 1 with `--strict` if a target was missed, or if it could not be run.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable

from tests.bench.coins import coins
from tests.bench.engines import ranking, settling
from tests.bench.idle import idling
from tests.bench.odds import odds
from tests.bench.starts import starting
from tests.bench.table import CACHE, BenchFailed, file_system
from tests.bench.verdict import Verdict, report
from tests.bench.web_flood import flood
from tests.bench.web_pixels import pixels
from tests.bench.web_signs import signs
from tests.bench.web_weight import weight

PARTS: dict[str, Callable[[], Iterable[Verdict]]] = {
    "hands": lambda: [ranking()],
    "rounds": lambda: [settling("us_standard", 4), settling("live", 2)],
    "coins": coins,
    "start": lambda: [starting()],
    "idle": idling,
    "odds": odds,
    "pixels": pixels,
    "signs": signs,
    "weight": weight,
    "flood": flood,
}


def main() -> int:
    """Run the parts that are asked for, all by default, and print one line for each comparison."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Measure against peers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (all if left out)")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a target is missed")
    wanted = parser.parse_args()
    unknown = [part for part in wanted.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; allowed: {', '.join(PARTS)}")
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} processors, "
        f"load {os.getloadavg()[0]:.1f}, journal on {file_system(CACHE)}"
    )
    verdicts: list[Verdict] = []
    for part in wanted.parts or PARTS:
        print(f"{part} ...", file=sys.stderr)
        try:
            verdicts += PARTS[part]()
        except BenchFailed as problem:
            print(f"bench: {part}: {problem}", file=sys.stderr)
            return 1
    print(report(verdicts))
    return 1 if wanted.strict and not all(verdict.met for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
