"""The dealer's routine, for a person who plays alone: he only bets, raises or folds.

It presses the keys and deals the cards on the same wires as a dealer's hands would, one step at a time,
and stops where a supervisor is needed.
"""

from __future__ import annotations

from typing import Final

from hw_sim.page.room import Json, No, Room

CARD_S: Final = 0.16
LOST_S: Final = 1.5
CLOSE_S: Final = 0.7
REVEAL_S: Final = 1.4
# A key that the table did not take is not hammered.
AGAIN_S: Final = 3.0


class Croupier:
    """Does what is due next, whenever `step` is called."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._due_s = 0.0
        self._phase = ""
        self.deal_wanted = False
        self.next_wanted = False

    def step(self) -> None:
        """One thing at most; nothing while the table is held, silent, or played by others.

        By hand only the amounts are keyed that were laid while the table did not answer.
        """
        room = self._room
        if not room.playing or room.silent:
            return
        room.catch_up()
        if not room.solo:
            return
        state = room.state
        if state["phase"] != self._phase:
            self._phase = state["phase"]
            self._due_s = room.now_s() + {"deciding": 0.2, "revealing": REVEAL_S}.get(self._phase, 0.0)
        if state["holds"] or room.now_s() < self._due_s or state["trial"] is not None:
            return
        try:
            self._do(state)
        except No as no:
            self.deal_wanted = self.next_wanted = False
            self._due_s = room.now_s() + AGAIN_S
            room.note(no.word, **no.values)

    def _do(self, state: Json) -> None:
        room = self._room
        match state["phase"]:
            case "idle":
                self._open(state)
            case "betting" if self.deal_wanted:
                room.press("lock")
                self.deal_wanted = False
            case "dealing":
                self._deal(state)
            case "deciding":
                self._decide(state)
            case "revealing" if not room.strange():
                room.press("reveal")
            case "settled" | "void" if self.next_wanted:
                if state["stub_due"]:
                    room.say({"type": "CountStub", "cards": 52 - state["cards_out"]})
                room.press("clear")
                room.sweep()

    def _open(self, state: Json) -> None:
        room = self._room
        if state["day"] and not state["day"]["open"]:
            room.say({"type": "OpenDay"}, "supervisor", "the table opens")
        if not state["on_duty"]:
            room.say({"type": "LogOn"})
        if state["deck_due"]:
            room.say({"type": "NewDeck"}, "supervisor", "a new deck")
        if any(seat[spot]["chips"] for seat in state["seats"] for spot in ("ante", "raise", "bonus")):
            room.sweep()
        for owed in state["owed"]:
            if not owed["hold"]:
                room.say({"type": "PayHit", "document": owed["document"], "at": "cage"}, "supervisor", "paid")
        room.press("open")
        self.next_wanted = False

    def _deal(self, state: Json) -> None:
        room = self._room
        if room.strange():
            self._due_s = room.now_s() + AGAIN_S
            room.note("strange_cards")
            return
        if room.house.token_count and not state["cards_out"]:
            tokens = sum(1 for seat in state["seats"] if seat["coin"] == "bet")
            room.say({"type": "CountTokens", "tokens": tokens})
            state = room.state
        # A card that the table has not seen is waited for a moment; one that was lost shows with the next.
        seen = len(room.shoe.left) == int(state["cards_out"])
        if seen or room.now_s() >= self._due_s + LOST_S:
            room.hands.deal(room.shoe.take())
            self._due_s = room.now_s() + CARD_S

    def _decide(self, state: Json) -> None:
        room = self._room
        if room.house.upcard == "declared" and not any(state["dealer"]["cards"]) and not room.strange():
            room.say({"type": "StateUpcard", "card": room.shoe.hand("D", room.antes)[-1]})
        if undecided(state):
            return
        if room.now_s() < self._due_s + CLOSE_S:
            return
        room.press("close")


def undecided(state: Json) -> list[int]:
    """The seats that have still to raise or fold."""
    return [
        seat["seat"]
        for seat in state["seats"]
        if seat["ante"]["cents"]
        and seat["cards"]
        and not (seat["folded"] or seat["dead"] or seat["raise"]["chips"])
    ]
