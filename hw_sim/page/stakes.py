"""Whose the chips on the layout are: a player's until a round counts them, then what its results say.

Each stake moves once, however often chips are lifted, swept, or left to lie over the next OPEN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hw_sim.page.layout import IN_PLAY, SPOTS, Layout, chips_of
from hw_sim.page.purse import Purses

Json = dict[str, Any]


class Stakes:
    """Follows the chips between the purses and one layout."""

    def __init__(self, layout: Layout, purses: Purses) -> None:
        self._layout: Final = layout
        self._purses: Final = purses
        self._booked: set[tuple[int, str]] = set()

    def open(self) -> None:
        """A round opens."""
        self._booked.clear()
        self._layout.open()

    def lock(self, state: Json, sizes: Sequence[int]) -> dict[int, int]:
        """Bets are locked. Gives what each seat has added.

        Chips that count for more than they are, as those below the minimum do, are made up by the player.
        """
        added: dict[int, int] = {}
        for seat, spot in list(self._layout.piles):
            if self._layout.blocked(seat, spot):
                continue
            counted = int(state["seats"][seat - 1][spot]["cents"] or 0)
            missing = min(counted - self._layout.cents(seat, spot), self._purses.cents(seat))
            if missing > 0:
                self._purses.take(seat, missing)
                pile = self._layout.pile(seat, spot)
                self._layout.lay(seat, spot, (*pile, *chips_of(missing, sizes)))
                added[seat] = added.get(seat, 0) + missing
        self._layout.lock({seat["seat"] for seat in state["seats"] if seat["coin"] == "bet"})
        return added

    def settle(self, state: Json) -> None:
        """A stake with a result moves by it from here on; what lies beside the counted amount goes back."""
        for seat in state["seats"]:
            for spot in SPOTS:
                place = (int(seat["seat"]), spot)
                verb, _, amount = str(seat["results"].get(spot, "")).partition(" ")
                if place in self._booked or verb in ("", "none", "waits"):
                    continue
                self._booked.add(place)
                counted = int(seat[spot]["cents"] or amount.replace(".", "") or 0)
                if surplus := max(0, self._layout.cents(*place) - counted):
                    self._purses.give(place[0], surplus)
                if self._layout.pile(*place):
                    self._layout.settled.add(place)

    def lifted(self, state: Json, seat: int, spot: str, cents: int) -> int:
        """How much of those chips belongs to the purse when hands lift them off a spot.

        A bet that is locked is owed whatever hands do; what it becomes is in the results.
        """
        if (seat, spot) in self._layout.settled:
            return 0
        phase = state["phase"]
        if phase not in IN_PLAY or (spot == "raise" and phase != "revealing"):
            return cents
        counted = int(state["seats"][seat - 1][spot]["cents"] or 0)
        return min(cents, max(0, self._layout.cents(seat, spot) - counted))

    def swept(self, state: Json) -> None:
        """The felt is emptied: what is no bet goes back to whose it is."""
        for seat, spot in list(self._layout.piles):
            if back := self.lifted(state, seat, spot, self._layout.cents(seat, spot)):
                self._purses.give(seat, back)
        self._layout.sweep()
