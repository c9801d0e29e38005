"""Reading the values of an act: each is exactly what it should be, or is refused with a sentence.

To Python `500.0` and `True` are equal to whole numbers and are found among them, so a value is looked at
by its type first: what is no exact whole number never comes near a purse or a wire.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from hw_sim.page.room import Json, No

SHOWN_MAX: Final = 40
SAID_MAX: Final = 200


def refused(word: str, place: str, value: object, allowed: str) -> No:
    """The refusal of one value; its `text` names the place, what was found there and what is allowed."""
    found = "nothing" if value is None else json.dumps(value)
    if len(found) > SHOWN_MAX:
        found = f"{found[:SHOWN_MAX]}…"
    return No(word, text=f"$.{place}: {found} was found; allowed: {allowed}.")


def whole(act: Json, name: str, word: str, allowed: str, fits: Callable[[int], bool]) -> int:
    """A whole number that fits. Raises `No`."""
    value = act.get(name)
    if type(value) is not int or not fits(value):
        raise refused(word, name, value, allowed)
    return value


def flag(act: Json, name: str) -> bool | None:
    """True or false, None where the act leaves it out. Raises `No`."""
    value = act.get(name)
    if name in act and type(value) is not bool:
        raise refused("no_act", name, value, "true or false")
    return value


def one_of(act: Json, name: str, allowed: tuple[str, ...], word: str = "no_act") -> str:
    """One of these texts. Raises `No`."""
    value = act.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise refused(word, name, value, ", ".join(allowed))
    return value


def said(act: Json, name: str) -> str:
    """A text as a person types it, empty where the act leaves it out. Raises `No`."""
    value = act.get(name, "")
    if not isinstance(value, str):
        raise refused("no_act", name, value, "a text")
    return " ".join(value.split())[:SAID_MAX]


def fault_of(act: Json) -> tuple[str, list[str]]:
    """The name of a fault and what follows it, each seat written in one way only. Raises `No`."""
    name, args = act.get("name"), act.get("args", [])
    # A line that is longer than the board takes would end the connection of the hands.
    if not isinstance(name, str) or not 0 < len(name) <= SHOWN_MAX:
        raise refused("no_act", "name", name, "the name of a fault")
    allowed = "a list of at most two short texts or whole numbers"
    if not isinstance(args, list) or len(args) > 2:
        raise refused("no_act", "args", args, allowed)
    return name, [_argument(f"args[{at}]", value, allowed) for at, value in enumerate(args)]


def _argument(place: str, value: object, allowed: str) -> str:
    if type(value) is int and abs(value) < 100:
        return str(value)
    if isinstance(value, str) and len(value) <= SHOWN_MAX:
        # What is broken is remembered by its seat: a seat as `02` would be another one.
        return str(int(value)) if value.isdecimal() else value
    raise refused("no_act", place, value, allowed)
