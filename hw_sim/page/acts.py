"""What a person can do at the page: each act moves wires, or says what a dealer or supervisor says.

An act comes as JSON, is checked here, and either is done or raises `No`. Nothing here decides what a
bet is worth: that is the table's part.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from hw_sim.page.bets import Bets
from hw_sim.page.cards import is_mark
from hw_sim.page.croupier import undecided
from hw_sim.page.layout import IN_PLAY, chips_of
from hw_sim.page.purse import MOST_CENTS, PurseEmpty
from hw_sim.page.reading import fault_of, flag, one_of, refused, said, whole
from hw_sim.page.room import DEALER, SUPERVISOR, Json, No, Room
from hw_sim.table import KEYS, HandError
from hw_sim.words import COMMANDS, BadWord, parse_line

LUCK: Final = {
    "royal_flush": "TS JS QS KS AS",
    "straight_flush": "5H 6H 7H 8H 9H",
    "four_of_a_kind": "9S 9H 9D 9C 4D",
    "full_house": "KS KH KD 6S 6H",
    "flush": "2D 5D 9D JD KD",
}
# Words that people say and a play does not, because it knows no days and no duty.
MORE_WORDS: Final[dict[str, tuple[Json, str]]] = {
    "log on": ({"type": "LogOn"}, "dealer"),
    "log off": ({"type": "LogOff"}, "dealer"),
    "sup open day": ({"type": "OpenDay"}, "supervisor"),
    "sup close day": ({"type": "CloseDay"}, "supervisor"),
    "sup end trial": ({"type": "EndTrial"}, "supervisor"),
}


class Acts(Bets):
    """The acts of one room by their names."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._acts: Final[dict[str, Callable[[Json], Json | None]]] = {
            "chip": self._chip,
            "take": self._take,
            "clear": self._clear,
            "repeat": self._repeat,
            "double": self._double,
            "undo": self._undo,
            "coin": self._coin,
            "deal": self._deal,
            "card": self._card,
            "raise": self._raise,
            "fold": self._fold,
            "next": self._next,
            "key": self._key,
            "sweep": self._sweep,
            "say": self._say,
            "decide": self._decide,
            "look": self._look,
            "buy_in": self._buy_in,
            "mode": self._mode,
            "play": self._play,
            "luck": self._luck,
            "fault": self._fault,
            "mend": self._mend,
            "power": self._power,
        }

    def do(self, act: Json) -> Json:
        """Does one act; `ok`, or the word of the sentence that says why not."""
        try:
            name = one_of(act, "do", tuple(self._acts))
            return {"ok": True, **(self._acts[name](act) or {})}
        except No as no:
            return {"ok": False, "word": no.word, "values": no.values}
        except PurseEmpty:
            return {"ok": False, "word": "no_money", "values": {}}
        except (HandError, BadWord) as refusal:
            return {"ok": False, "word": "table_says", "values": {"text": str(refusal)}}

    # ------------------------------------------------------------------------------ the round

    def _deal(self, act: Json) -> None:
        """The player says deal: no more bets, and the dealer deals."""
        room = self._mine()
        if not room.solo or not self._bets_open():
            raise No("bets_closed")
        least = room.limit("minimum")
        antes = [room.layout.cents(seat, "ante") for seat in range(1, room.seats + 1)]
        if not any(antes):
            raise No("no_ante")
        if any(0 < cents < least for cents in antes):
            raise No("below_minimum", cents=least)
        self.croupier.deal_wanted = True

    def _card(self, act: Json) -> Json:
        """One card leaves the shoe: the next one, or a chosen one."""
        mark = act.get("card", "")
        if not isinstance(mark, str) or (mark and not is_mark(mark)):
            raise refused("no_card", "card", mark, "a card like KD or KD^, JK or ??")
        most = 1 if mark else 52
        count = whole(
            {"count": 1, **act}, "count", "no_card", f"1 to {most}", lambda count: 1 <= count <= most
        )
        room = self._mine()
        if room.solo:
            raise No("no_card")
        for _ in range(count):
            room.hands.deal(room.shoe.take(mark))
        out = len(room.shoe.left)
        room.until(lambda: room.silent or room.state["cards_out"] >= out or bool(room.state["holds"]), 1.0)
        return {}

    def _raise(self, act: Json) -> None:
        seat = self._seat(act)
        room = self._mine()
        if seat not in undecided(room.state) or room.state["phase"] != "deciding" or room.state["holds"]:
            raise No("no_decision")
        cents = 2 * int(room.seat(seat)["ante"]["cents"])
        room.purses.take(seat, cents)
        self._change(seat, {"raise": chips_of(cents, room.chips())})

    def _fold(self, act: Json) -> None:
        seat = self._seat(act)
        room = self._mine()
        if seat not in undecided(room.state) or room.state["phase"] != "deciding":
            raise No("no_decision")
        room.say({"type": "Fold", "seat": seat})

    def _next(self, act: Json) -> None:
        room = self._mine()
        if not room.solo or room.state["phase"] not in ("settled", "void", "idle"):
            raise No("not_open_yet")
        self._begin_next()

    def _key(self, act: Json) -> None:
        key = one_of(act, "key", KEYS)
        room = self._mine()
        if room.solo:
            raise No("no_act")
        room.press(key)

    def _sweep(self, act: Json) -> None:
        room = self._mine()
        if room.state["phase"] != "betting":
            room.sweep()
        elif room.layout.left_over():
            self._take_away()
        else:
            raise No("bets_lie_already")

    def _look(self, act: Json) -> Json:
        """A player lifts his own cards; nobody lifts the dealer's."""
        seat = self._seat(act)
        room = self._mine()
        state = room.state
        if state["phase"] not in (*IN_PLAY, "settled") or room.strange() or state["doubt"] or state["rack"]:
            raise No("cards_unknown")
        return {"cards": room.shoe.hand(str(seat), room.antes), "round": state["round"]}

    # ------------------------------------------------------------------------------ people's words

    def _say(self, act: Json) -> None:
        """A word as it is typed at a terminal: `count D 4`, `sup void`."""
        text, reason = said(act, "text"), said(act, "reason")
        if text in MORE_WORDS:
            command, role = MORE_WORDS[text]
        elif text.startswith("sup pay ") and len(text.split()) == 3:
            command, role = {"type": "PayHit", "document": text.split()[2], "at": "cage"}, "supervisor"
        else:
            command, role = self._word(text)
        self._room.say(command, role, reason or ("said at the page" if role == "supervisor" else ""))

    def _word(self, text: str) -> tuple[Json, str]:
        try:
            line = parse_line(text, 1) if text else None
        except BadWord as bad:
            raise No("not_understood", text=str(bad)) from bad
        if line is None or line.word not in COMMANDS:
            raise No("not_understood", text=text)
        return COMMANDS[line.word](*line.args), "supervisor" if line.word.startswith("sup ") else "dealer"

    def _decide(self, act: Json) -> None:
        """Two people confirm or reject what waits, a royal first: it may decide others."""
        room, reject = self._room, flag(act, "reject")
        waiting = [award for award in room.state["awards"] if award["status"] == "waits"]
        if not waiting:
            raise No("no_award")
        kind = "RejectAward" if reject else "ConfirmAward"
        if kind == "ConfirmAward" and room.state["phase"] == "settled":
            with suppress(No):
                room.say({"type": "CountStub", "cards": 52 - room.state["cards_out"]})
        award = min(waiting, key=lambda one: str(one["hand"]) != "royal_flush")
        command = {"type": kind, "seat": award["seat"]}
        why = "hand, lamp and deck checked"
        room.say(command, "supervisor", why, SUPERVISOR)
        room.say(command, "dealer", why, DEALER)

    def _buy_in(self, act: Json) -> None:
        allowed = f"1 to {MOST_CENTS}"
        cents = whole(act, "cents", "no_chip", allowed, lambda cents: 1 <= cents <= MOST_CENTS)
        self._room.purses.buy_in(self._seat(act), cents)

    def _mode(self, act: Json) -> None:
        room, solo, keying = self._room, flag(act, "solo"), flag(act, "keying")
        if solo is not None:
            room.solo = solo
        if keying is not None:
            room.keying = keying
        self.croupier.deal_wanted = self.croupier.next_wanted = False

    def _play(self, act: Json) -> None:
        """Simulated players finish their round and wait, or play on once the felt is empty."""
        room, on = self._room, flag(act, "on")
        if room.alone:
            raise No("no_players")
        if on:
            (room.folder / "hands_off").touch()
            return
        if room.state["phase"] in (*IN_PLAY, "settled", "void") and room.playing:
            raise No("finish_first")
        room.sweep()
        (room.folder / "hands_off").unlink(missing_ok=True)

    # ------------------------------------------------------------------------------ breaking things

    def _luck(self, act: Json) -> None:
        hand = one_of(act, "hand", tuple(LUCK))
        self._room.lucky = (self._seat(act), LUCK[hand])

    def _fault(self, act: Json) -> None:
        name, args = fault_of(act)
        self._room.hands.fault(name, *args)
        self._room.broken.add(" ".join((name, *args)))
        self._room.note("broken", fault=name, place=" ".join(args))

    def _mend(self, act: Json) -> None:
        name, args = fault_of(act)
        self._room.hands.mend(name, *args)
        self._room.broken.discard(" ".join((name, *args)))
        self._room.note("mended", fault=name, place=" ".join(args))

    def _power(self, act: Json) -> None:
        self._room.cut_power()
