"""A measured comparison: two sides of one run, the same percentile on both, and its target."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

HEADINGS: Final = ("what", "ours", "peer", "ratio", "target", "")


@dataclass(frozen=True)
class Verdict:
    """One line of the bench, as it is printed; `met` says whether the target was."""

    what: str
    ours: str
    peer: str
    ratio: str
    target: str
    met: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the line."""
        return self.what, self.ours, self.peer, self.ratio, self.target, "PASS" if self.met else "MISS"


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of all values do not exceed (nearest rank)."""
    if not values or not 0 < percent <= 100:
        raise ValueError(f"{len(values)} values, percentile {percent}: allowed is one or more, 0 < p <= 100")
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def timed(work: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    began_ns = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - began_ns) / 1e9


def interleaved(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of each call, ours and the peer's in turn, so that the machine's mood meets both.

    Both are called once before, untimed, so that nobody pays for being first.
    """
    ours()
    peer()
    pairs = [(timed(ours), timed(peer)) for _ in range(rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def at_least_as_many(
    what: str, unit: str, count: int, ours_s: Sequence[float], peer_s: Sequence[float], times: float
) -> Verdict:
    """`count` things took these seconds on each side: ours are to be `times` as many per second."""
    ours, peer = count / percentile(ours_s, 50), count / percentile(peer_s, 50)
    ratio = ours / peer
    target = f"at least {times:g} x"
    return Verdict(what, f"{ours:,.0f} {unit}", f"{peer:,.0f} {unit}", f"{ratio:.2f}", target, ratio >= times)


def at_most_as_long(
    what: str, percent: float, ours_s: Sequence[float], peer_s: Sequence[float], times: float
) -> Verdict:
    """That percentile of our seconds is to be at most `times` the same percentile of the peer's."""
    ours, peer = percentile(ours_s, percent), percentile(peer_s, percent)
    ratio = ours / peer
    target = f"at most {times:g} x"
    return Verdict(what, _ms(ours), _ms(peer), f"{ratio:.2f}", target, ratio <= times)


def at_most(what: str, ours: float, peer: float, most: float, unit: str) -> Verdict:
    """Ours is to be at most `most`, whatever the peer is; a peer of 0 has no ratio."""
    ratio = f"{ours / peer:.2f}" if peer else "-"
    return Verdict(
        what, f"{ours:.2f} {unit}", f"{peer:.2f} {unit}", ratio, f"at most {most:g} {unit}", ours <= most
    )


def report(verdicts: Sequence[Verdict]) -> str:
    """All lines as a table of text."""
    rows = [HEADINGS, *(verdict.cells for verdict in verdicts)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.3f} ms"
