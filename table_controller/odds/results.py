"""The result after many rounds: how likely each sum is, exactly.

A round is one ante, raised or folded as decided. The chances of one round are whole counts of deals,
so those of n rounds are whole counts out of `deals` to the nth power: no float is on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd

import msgspec


class Results(msgspec.Struct, frozen=True):
    """How often each result comes after `rounds` rounds, in antes.

    `counts[i]` of `total` equally likely courses end with `lowest + i`; `above` end higher.
    """

    rounds: int
    lowest: int
    counts: tuple[int, ...]
    above: int
    total: int

    def below(self, result: int) -> Fraction:
        """The probability of less than `result`, which is at most one above the highest that is counted."""
        return Fraction(sum(self.counts[: max(0, result - self.lowest)]), self.total)

    def of(self, result: int) -> Fraction:
        """The probability of exactly that result."""
        place = result - self.lowest
        return Fraction(self.counts[place] if 0 <= place < len(self.counts) else 0, self.total)

    def quantile(self, share: Fraction) -> int | None:
        """The least result that is not passed in at least that share of all courses; `None` if above."""
        wanted = share * self.total
        sum_ = 0
        for place, count in enumerate(self.counts):
            sum_ += count
            if sum_ >= wanted:
                return self.lowest + place
        return None


def results(of_a_round: Mapping[int, int], rounds: int, highest: int) -> Results:
    """The results of `rounds` rounds up to `highest` antes, from the counts of one round by its result.

    What lies above `highest` now may come back by losing, so it is followed up to where that can no
    longer be; nothing is cut off that would be counted.
    """
    common = gcd(*of_a_round.values())
    steps = {result: count // common for result, count in of_a_round.items() if count}
    one = sum(steps.values())
    low = min(*steps, 0)
    counts = {0: 1}
    for played in range(1, rounds + 1):
        # From higher than this nothing returns in the rounds that are left.
        ceiling = highest - low * (rounds - played)
        following: dict[int, int] = {}
        for result, ways in counts.items():
            for step, times in steps.items():
                if result + step <= ceiling:
                    following[result + step] = following.get(result + step, 0) + ways * times
        counts = following
    lowest = low * rounds
    listed = tuple(counts.get(result, 0) for result in range(lowest, highest + 1))
    total = one**rounds
    return Results(rounds, lowest, listed, total - sum(listed), total)
