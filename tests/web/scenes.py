"""Tables in memory, played to where a page is to be looked at.

What they show is the view of a table that was really played: no test writes down what a table would say.
"""

from __future__ import annotations

from typing import Final, cast

import msgspec

from table_controller.table import messages as m
from table_controller.table.views import snapshot
from tests.table.rounds import FLUSH, FULL_HOUSE, NOTHING, ROYAL, STRAIGHT_FLUSH, counted, dealt
from tests.table.tabletop import TableTop

HOUSE_RULES: Final = """preset = "us"
bonus = [1000, 200, 100, 50, 20, 15, 10]
betting_ms = 30000
betting_warning_ms = 10000
decision_ms = 60000
meter_start = "12345.67"
"""
CHIPS_CENTS: Final = (100, 500, 2500, 10_000, 50_000)
BOOT: Final = 3

PLAIN: Final = "3C 5S 8D JC KS"
# Three players, one of them with a flush and one with a full house; nobody sits at seats 3 and 4.
_HANDS: Final = {1: NOTHING, 2: FLUSH, 5: FULL_HOUSE}
_ROYAL: Final = {1: NOTHING, 2: ROYAL, 5: FLUSH}
_TWO_WINS: Final = {1: NOTHING, 2: ROYAL, 5: STRAIGHT_FLUSH}
_PLAIN: Final = {1: NOTHING, 2: PLAIN}


def _bets(seats: tuple[int, ...]) -> str:
    return "".join(
        f"ante {seat} {10 * seat}.00\ncoin {seat}\n" + f"bonus {seat} 5.00\n" * (seat == 2) for seat in seats
    )


def _dealt(hands: dict[int, str]) -> str:
    return _bets(tuple(hands)) + "lock\n" + dealt(hands)


def _revealed(hands: dict[int, str]) -> str:
    raises = "".join(f"raise {seat}\n" for seat in hands if seat != 1)
    return _dealt(hands) + f"fold 1\n{raises}close\nreveal\n"


_OPEN = "open\n"
_HELD = _OPEN + _revealed(_ROYAL)

SCENES: Final[dict[str, str]] = {
    "closed": "sup close_day",
    "idle": "",
    "betting": _OPEN,
    "betting-chips": _OPEN + "chips ante 2\nchips ante 5\nchips bonus 2\n",
    "betting-keyed": _OPEN + _bets((1, 2, 5)),
    "betting-yellow": _OPEN + _bets((1, 2, 5)) + "wait 22\n",
    "betting-red": _OPEN + _bets((1, 2, 5)) + "fault shoe_unplugged\nwait 31\n",
    "dealing": _OPEN + _bets((1, 2, 5)) + "lock\n",
    "dealing-half": _OPEN + _bets((1, 2, 5)) + "lock\n" + dealt(_HANDS)[:40].rsplit(" ", 1)[0],
    "deciding": _OPEN + _dealt(_HANDS),
    "deciding-some": _OPEN + _dealt(_HANDS) + "fold 1\nraise 2\n",
    "revealing": _OPEN + _dealt(_HANDS) + "fold 1\nraise 2\nraise 5\nclose\n",
    "settled": _OPEN + _revealed(_HANDS),
    "void": _OPEN + _dealt(_PLAIN) + "sup void\n",
    "hold-void-jackpot": _OPEN + _dealt(_ROYAL) + "sup void\n",
    "cleared": _OPEN + _revealed(_HANDS) + "clear\n",
    "hold-miscount": _OPEN + _dealt(_HANDS) + "count 5 4\n",
    "hold-dealer-short": _OPEN + _dealt(_HANDS) + "count D 4\n",
    "hold-foreign": _OPEN + _bets((1, 2, 5)) + "lock\ndeal JK>1\n",
    "hold-unreadable": _OPEN + _bets((1, 2, 5)) + "lock\ndeal ??>1\n",
    "hold-shoe-lost": _OPEN + _bets((1, 2, 5)) + "lock\ndeal 2C>1\nfault shoe_unplugged\n",
    "hold-power": _OPEN + _dealt(_HANDS) + "power off\npower on\n",
    "meter-down": _OPEN + _bets((1, 2)) + "fault meter_down\n",
    "lamp-dead": _OPEN + _bets((1, 2, 5)) + "fault lamp_dead 2\n",
    "coin-stuck": _OPEN + _bets((1, 2)) + "fault coin_stuck 5\n",
    "award-waits": _HELD,
    "award-counted": _HELD + counted(_ROYAL),
    "award-first": _HELD + counted(_ROYAL) + "sup confirm_first 2\n",
    "award-confirmed": _HELD + counted(_ROYAL) + "sup confirm 2\n",
    "award-rejected": _HELD + counted(_ROYAL) + "sup reject 2\n",
    "awards-two": _OPEN + _revealed(_TWO_WINS) + counted(_TWO_WINS),
    "award-owed": _HELD + counted(_ROYAL) + "sup confirm 2\nclear\n",
    "award-withheld": _HELD + counted(_ROYAL) + "sup confirm 2\nclear\nsup withhold\n",
    "next-round": _HELD + counted(_ROYAL) + "sup confirm 2\nclear\n" + _OPEN + _bets((1, 5)),
    "trial": "sup begin_trial\nsup try 3\n",
}
"""What a painted table can be set to, by name."""


class Canvas(TableTop):
    """A table in memory with limits, chips, a gaming day that is open and a dealer on duty."""

    def __init__(self, house_rules: str = HOUSE_RULES, seats: int = 7, name: str = "T1") -> None:
        super().__init__(house_rules, seats, gaming_day=True)
        self.rules_text = house_rules
        self.house = msgspec.structs.replace(
            self.house,
            table=name,
            minimum_cents=500,
            maximum_cents=50_000,
            bonus_minimum_cents=100 if self.house.rules.has_bonus else 0,
            bonus_maximum_cents=10_000 if self.house.rules.has_bonus else 0,
            chips_cents=CHIPS_CENTS,
        )
        self.entry = 1
        self._taken = 0
        self.word(m.OpenDay())
        self.word(m.LogOn(), "cy", "dealer")

    def send(self, message: m.AnyMessage) -> None:
        """One message; each is an entry of the journal that this table does not have."""
        super().send(message)
        self.entry = getattr(self, "entry", 0) + 1

    def scene(self, name: str) -> Canvas:
        """Plays on from a fresh day to the scene of that name."""
        return self.script(SCENES[name])

    def script(self, text: str) -> Canvas:
        """Lines as in the plays, and a few words of the console that plays do not know."""
        for line in text.strip().splitlines():
            words = line.split()
            if line in _CONSOLE:
                self.word(_CONSOLE[line])
            elif words[:2] == ["sup", "confirm_first"]:
                self.word(m.ConfirmAward(int(words[2])))
            elif words[0] == "chips":
                self._cover(cast(m.Spot, words[1]), int(words[2]), True)
            else:
                self.run(line)
            assert not self.refused, f"{line}: {self.refused}"
        return self

    def take(self, said: m.Said) -> tuple[bool, int, str]:
        """A word of a page, as the service would take it: whether it was, its entry, the refusal."""
        self.at_ms += 100
        self.send(said)
        return not self.refused, self.entry, self.refused

    def body(self) -> bytes:
        """The published view."""
        return msgspec.json.encode(snapshot(self.house, self.state, self.at_ms))

    def new_facts(self) -> list[bytes]:
        """The facts since the last time."""
        fresh, self._taken = self.facts[self._taken :], len(self.facts)
        return [msgspec.json.encode(fact) for fact in fresh]


_CONSOLE: Final[dict[str, m.AnyCommand]] = {
    "sup close_day": m.CloseDay(),
    "sup withhold": m.WithholdHit("T1-A000002", "identity"),
    "sup begin_trial": m.BeginTrial("surveillance, 18:00"),
    "sup try 3": m.TrySeat(3),
}
