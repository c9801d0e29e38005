"""What lies on the layout: piles of chips, spot by spot, and how they came there.

Pure. The table's own sensors see only whether chips lie on a spot; how many, a dealer sees and keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SPOTS: Final = ("ante", "bonus", "raise")
UNDO_MAX: Final = 50
Piles = dict[tuple[int, str], tuple[int, ...]]


@dataclass
class Layout:
    """The piles of all seats. `doubled` holds the seats that have doubled in this round."""

    piles: Piles = field(default_factory=dict)
    doubled: set[int] = field(default_factory=set)
    before: list[Piles] = field(default_factory=list)
    last: Piles = field(default_factory=dict)
    """Ante and bonus of the round before, for REPEAT."""

    def pile(self, seat: int, spot: str) -> tuple[int, ...]:
        """The chips on one spot, the lowest first."""
        return self.piles.get((seat, spot), ())

    def cents(self, seat: int, spot: str) -> int:
        """What lies on one spot."""
        return sum(self.pile(seat, spot))

    def seat_cents(self, seat: int) -> int:
        """What lies at one seat."""
        return sum(self.cents(seat, spot) for spot in SPOTS)

    def remember(self) -> None:
        """What lies now is what UNDO comes back to."""
        self.before = [*self.before[-(UNDO_MAX - 1) :], dict(self.piles)]

    def lay(self, seat: int, spot: str, chips: Sequence[int]) -> None:
        """That is the pile now; an empty one is none."""
        if chips:
            self.piles[(seat, spot)] = tuple(chips)
        else:
            self.piles.pop((seat, spot), None)

    def lock(self) -> None:
        """No more bets: nothing can be undone, and these are the bets that REPEAT repeats."""
        self.before.clear()
        self.last = {place: chips for place, chips in self.piles.items() if place[1] != "raise"}

    def sweep(self) -> None:
        """The felt is empty."""
        self.piles.clear()
        self.before.clear()
        self.doubled.clear()


def chips_of(cents: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """That amount in as few chips as a cashier would take, the largest first; the rest in one odd chip."""
    chips: list[int] = []
    for size in sorted(sizes, reverse=True):
        count, cents = divmod(cents, size)
        chips += [size] * count
    return (*chips, cents) if cents else tuple(chips)
