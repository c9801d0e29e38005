"""Play money: what each seat has, kept in a file so that neither a power cut nor a restart loses any.

Chips leave a purse when they are laid and come back when they are lifted or when the round returns them.
What a round has returned is kept beside the balances, so that a result that is read twice, or that a
supervisor changes afterwards, moves only the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hw_sim.summary import returned_cents

START_CENTS: Final = 50_000
MOST_CENTS: Final = 100_000_000
_SPOTS: Final = ("ante", "raise", "bonus")


class PurseEmpty(Exception):
    """A seat cannot pay for that; the sentence says what it has."""


class Purses:
    """The purses of one table; every change is on disk before it is told."""

    def __init__(self, path: Path, seats: int) -> None:
        self._path = path
        kept = _read(path)
        balances = kept.get("balances", {})
        self._cents: dict[int, int] = {
            seat: int(balances.get(str(seat), START_CENTS)) for seat in range(1, seats + 1)
        }
        self._round = str(kept.get("round", ""))
        self._returned: dict[int, int] = {int(seat): int(c) for seat, c in kept.get("returned", {}).items()}
        # One entry for each token that has fallen: a second one of a seat is given back on its own.
        self._coins: list[int] = [int(seat) for seat in kept.get("coins", ())]
        self._ours = bool(kept.get("ours", False))

    def cents(self, seat: int) -> int:
        """What that seat has left."""
        return self._cents[seat]

    def returned(self, seat: int) -> int:
        """What the round has given back to that seat so far, stakes and winnings together."""
        return self._returned.get(seat, 0)

    def all(self) -> dict[str, int]:
        """Every balance by seat."""
        return {str(seat): cents for seat, cents in self._cents.items()}

    def take(self, seat: int, cents: int) -> None:
        """Chips leave the purse. Raises `PurseEmpty`."""
        if cents > self._cents[seat]:
            raise PurseEmpty(f"seat {seat} has too little play money")
        self._cents[seat] -= cents
        self._ours = True
        self._keep()

    def give(self, seat: int, cents: int) -> None:
        """Chips come back into the purse."""
        self._cents[seat] += cents
        self._keep()

    def buy_in(self, seat: int, cents: int) -> None:
        """Play money is bought. Raises `PurseEmpty` for an amount that no purse holds."""
        if not 0 < cents <= MOST_CENTS - self._cents[seat]:
            raise PurseEmpty("no purse holds that much")
        self.give(seat, cents)

    def coin_falls(self, seat: int, cents: int) -> None:
        """A token is paid for. Raises `PurseEmpty`."""
        self.take(seat, cents)
        self._coins.append(seat)
        self._keep()

    def coin_returns(self, seat: int, cents: int) -> None:
        """A token that this page has dropped is given back."""
        if seat in self._coins:
            self._coins.remove(seat)
            self.give(seat, cents)

    def follow(self, state: Mapping[str, Any], lying: bool) -> dict[int, int]:
        """Takes the results of a snapshot in; gives what moved now, by seat.

        Only a round in which this page has laid something returns anything here; `lying` says whether
        chips of ours lie on the felt when a round begins.
        """
        if state["round"] != self._round:
            self._round = str(state["round"])
            self._returned.clear()
            self._coins.clear()
            self._ours = lying
            self._keep()
        moved = {}
        for seat in state["seats"]:
            number = int(seat["seat"])
            back = returned_to(seat)
            before = self._returned.get(number, 0)
            if back != before:
                self._returned[number] = back
                if self._ours:
                    self._cents[number] += back - before
                    moved[number] = back - before
        if moved:
            self._keep()
        return moved

    def _keep(self) -> None:
        kept = {
            "balances": self.all(),
            "round": self._round,
            "returned": {str(seat): cents for seat, cents in self._returned.items()},
            "coins": sorted(self._coins),
            "ours": self._ours,
        }
        beside = self._path.with_suffix(".new")
        beside.write_text(json.dumps(kept))
        os.replace(beside, self._path)


def returned_to(seat: Mapping[str, Any]) -> int:
    """What a seat of a snapshot gets back for its four stakes."""
    return sum(
        returned_cents(str(text), spot, int(seat[spot]["cents"] or 0) if spot in _SPOTS else 0)
        for spot, text in seat["results"].items()
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
