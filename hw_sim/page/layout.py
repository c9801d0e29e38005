"""What lies on the layout: piles of chips, spot by spot, and how they came there.

Pure. The table's own sensors see only whether chips lie on a spot; how many, a dealer sees and keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SPOTS: Final = ("ante", "bonus", "raise")
IN_PLAY: Final = ("dealing", "deciding", "revealing")
UNDO_MAX: Final = 50
Piles = dict[tuple[int, str], tuple[int, ...]]


@dataclass
class Layout:
    """The piles of all seats. `doubled` holds the seats that have doubled in this round."""

    piles: Piles = field(default_factory=dict)
    doubled: set[int] = field(default_factory=set)
    before: list[tuple[Piles, int]] = field(default_factory=list)
    """What lay before each act, and the seat that dropped a coin in it, or 0."""
    last: Piles = field(default_factory=dict)
    """Ante and bonus of the round before, for REPEAT."""
    last_coins: set[int] = field(default_factory=set)
    settled: set[tuple[int, str]] = field(default_factory=set)
    """Piles that the results have given back or taken: they are the house's to take away, and no bets."""
    stale: set[tuple[int, str]] = field(default_factory=set)
    """Piles that lay when the round opened: the table counts no bet on them until they are lifted."""

    def pile(self, seat: int, spot: str) -> tuple[int, ...]:
        """The chips on one spot, the lowest first."""
        return self.piles.get((seat, spot), ())

    def cents(self, seat: int, spot: str) -> int:
        """What lies on one spot and is still the player's."""
        return 0 if (seat, spot) in self.settled else sum(self.pile(seat, spot))

    def seat_cents(self, seat: int) -> int:
        """What lies at one seat and is still the player's."""
        return sum(self.cents(seat, spot) for spot in SPOTS)

    def left_over(self) -> bool:
        """Whether piles lie that have to be taken away before anybody bets there."""
        return bool(self.settled or self.stale)

    def blocked(self, seat: int, *spots: str) -> bool:
        """Whether one of those piles has to be taken away first."""
        return any((seat, spot) in self.settled | self.stale for spot in spots)

    def remember(self, coin: int = 0) -> None:
        """What lies now is what UNDO comes back to; `coin` is the seat whose coin falls."""
        self.before = [*self.before[-(UNDO_MAX - 1) :], (dict(self.piles), coin)]

    def forget_coin(self, seat: int) -> None:
        """That coin was given back on its own: UNDO has nothing to do with it any more."""
        self.before = [(piles, coin) for piles, coin in self.before if coin != seat]

    def lay(self, seat: int, spot: str, chips: Sequence[int]) -> None:
        """That is the pile now; an empty one is none."""
        if chips:
            self.piles[(seat, spot)] = tuple(chips)
        else:
            self.piles.pop((seat, spot), None)
            self.settled.discard((seat, spot))
            self.stale.discard((seat, spot))

    def open(self) -> None:
        """A round opens: what lies already is no bet of it."""
        self.before.clear()
        self.doubled.clear()
        self.stale = set(self.piles)

    def lock(self, coins: set[int]) -> None:
        """No more bets: nothing can be undone, and these are the bets that REPEAT repeats."""
        self.before.clear()
        self.last = {
            place: chips
            for place, chips in self.piles.items()
            if place[1] != "raise" and not self.blocked(*place)
        }
        self.last_coins = coins

    def sweep(self) -> None:
        """The felt is empty."""
        self.piles.clear()
        self.before.clear()
        self.doubled.clear()
        self.settled.clear()
        self.stale.clear()


def chips_of(cents: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """That amount in as few chips as a cashier would take, the largest first; the rest in one odd chip."""
    chips: list[int] = []
    for size in sorted(sizes, reverse=True):
        count, cents = divmod(cents, size)
        chips += [size] * count
    return (*chips, cents) if cents else tuple(chips)
