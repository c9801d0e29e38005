"""A royal flush at a real table, up to where it waits for two people."""

from __future__ import annotations

import json
from typing import Final

from tests.web.rig import RealTable
from tests.web.wire import Client

# Seats 1 and 2 and the dealer, one card at a time; seat 2 holds the royal, and its coin is in.
DEAL: Final = "6C TH 5H 4D JH 7S 8H QH 2D 9C KH 3S AS AH TD"


class House:
    """The people of a real table, who say what has to be said."""

    def __init__(self, table: RealTable) -> None:
        self.table = table
        self.ann = Client(table.url, "ann", table.pins["ann"])
        self.ben = Client(table.url, "ben", table.pins["ben"])
        self.cy = Client(table.url, "cy", table.pins["cy"])

    def says(self, person: Client, **command: object) -> None:
        """A word that is taken."""
        status, raw = person.say(dict(command), "as it is done")
        assert status == 200, raw
        assert json.loads(raw)["ok"], raw

    def opens(self) -> None:
        """The gaming day is open and cy deals."""
        self.says(self.ann, type="OpenDay")
        self.says(self.cy, type="LogOn")

    def deals_a_royal(self) -> None:
        """Bets, cards and raises, up to CLOSE."""
        table, cy = self.table, self.cy
        self.says(cy, type="PressKey", key="open")
        for seat in (1, 2):
            table.hands.ante(seat)
            self.says(cy, type="SetAmount", spot="ante", seat=seat, cents=1000)
        table.hands.coin(2)
        table.until(lambda: table.seat(2)["coin"] == "bet", "the coin of seat 2")
        self.says(cy, type="PressKey", key="lock")
        table.hands.deal(*DEAL.split())
        table.until(lambda: table.state["shown"] == "deciding", "the deal")
        self.says(cy, type="Fold", seat=1)
        table.hands.raise_(2)
        table.until(lambda: table.seat(2)["raise"]["chips"], "the raise of seat 2")
        self.says(cy, type="PressKey", key="close")

    def reveals(self) -> int:
        """REVEAL; the award waits. Gives its amount."""
        table = self.table
        self.says(self.cy, type="PressKey", key="reveal")
        table.until(lambda: table.state["holds"] == ["jackpot_hold"], "the award waits")
        (award,) = table.state["awards"]
        assert (award["seat"], award["status"]) == (2, "waits")
        return int(award["cents"])

    def counts(self) -> None:
        """The rest of the deck is counted, as the house wants it before an award is confirmed."""
        self.says(self.cy, type="CountStub", cards=52 - len(DEAL.split()))
