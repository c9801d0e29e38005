"""The cards in the simulated shoe of one round, and whose hand each of them is.

Nothing of it is shown before its time: the page asks for one hand at a time, as a player lifts his own
cards, and the dealer's are never given away here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from hw_sim.players import DECK, House, order_of_places, shuffled

BOXED: Final = "^"
MARKS: Final = ("JK", "??")


class Shoe:
    """The order in which cards leave, and those that have left."""

    def __init__(self, chance: Random, house: House) -> None:
        self._chance, self._house = chance, house
        self.deck: list[str] = []
        self.left: list[str] = []
        self.shuffle()

    def shuffle(self) -> None:
        """A fresh deck for the next round."""
        self.deck, self.left = shuffled(self._chance), []

    def stack(self, cards: Sequence[str]) -> None:
        """Cards that leave next, in this order; what is no card of the deck any more stays out."""
        wanted = [card for card in cards if card in self.deck]
        self.deck = wanted + [card for card in self.deck if card not in wanted]

    def take(self, mark: str = "") -> str:
        """The next card leaves, or that one: `KD`, boxed `KD^`, `JK` and `??`, also one that has left."""
        if not mark:
            mark = self.deck.pop(0) if self.deck else "??"
        else:
            card = mark.removesuffix(BOXED)
            if card in self.deck:
                self.deck.remove(card)
        self.left.append(mark)
        return mark

    def place_of_next(self, antes: Sequence[int]) -> str:
        """Whose the next card is by the order of the house; empty when none is due."""
        places = order_of_places(antes, self._house)
        return places[len(self.left)] if antes and len(self.left) < len(places) else ""

    def hand(self, place: str, antes: Sequence[int]) -> list[str]:
        """The cards that fell to a place by the order of the house."""
        places = order_of_places(antes, self._house)
        return [card for card, owner in zip(self.left, places, strict=False) if owner == place]


def antes_of(state: Mapping[str, Any]) -> list[int]:
    """The seats that get cards in the round of a snapshot."""
    return [seat["seat"] for seat in state["seats"] if seat["ante"]["cents"]]


def is_mark(text: str) -> bool:
    """Whether a text names something that can leave a shoe."""
    return text.removesuffix(BOXED) in DECK or text in MARKS
