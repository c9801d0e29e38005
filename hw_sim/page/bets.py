"""Chips and coins: what a player lays on the layout and drops into the slot.

The rules of the page are those of the four texts (S0 chips, DOUBLE, REPEAT, UNDO; S1 coin slot; S3 chips on
the table); whether it is a bet, and what it is worth, the table says.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from hw_sim.page.croupier import Croupier
from hw_sim.page.layout import SPOTS, chips_of
from hw_sim.page.reading import flag, one_of, whole
from hw_sim.page.room import Json, No, Room

NEXT_S: Final = 6.0


class Bets:
    """The acts about bets, and what every act needs to be read."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.croupier: Final = Croupier(room)

    # ------------------------------------------------------------------------------ reading an act

    def _seat(self, act: Json) -> int:
        seats = self._room.seats
        return whole(act, "seat", "no_seat", f"1 to {seats}", lambda seat: 1 <= seat <= seats)

    def _spot(self, act: Json) -> str:
        spot = one_of(act, "spot", SPOTS)
        if spot == "bonus" and not self._room.rule("bonus_pays", [1]):
            raise No("no_bonus")
        return spot

    def _size(self, act: Json) -> int:
        """One chip from the edge of the table."""
        sizes = self._room.chips()
        return whole(act, "cents", "no_chip", ", ".join(map(str, sizes)), sizes.__contains__)

    def _mine(self) -> Room:
        """The room, if it is a person's turn to play."""
        if not self._room.playing:
            raise No("others_play")
        return self._room

    def _bets_open(self) -> bool:
        return bool(self._room.state["phase"] == "betting" and not self._room.state["holds"])

    def _open_for_bets(self) -> Room:
        """Alone at the table, bets are laid while they are open, and the next round begins by itself."""
        room = self._mine()
        if not room.solo or room.silent:
            return room
        if room.state["phase"] in ("settled", "void", "idle"):
            self._begin_next()
        if not self._bets_open():
            raise No("bets_closed")
        return room

    def _begin_next(self) -> None:
        if self._room.state["holds"]:
            raise No("held")
        self.croupier.next_wanted = True

        def opened() -> bool:
            self.croupier.step()
            return self._bets_open()

        if not self._room.until(opened, NEXT_S):
            raise No("not_open_yet")

    # ------------------------------------------------------------------------------ chips and coins

    def _chip(self, act: Json) -> None:
        seat, spot, cents = self._seat(act), self._spot(act), self._size(act)
        room = self._mine()
        if room.solo and spot == "raise":
            raise No("raise_by_key")
        self._open_for_bets()
        if room.layout.blocked(seat, spot):
            raise No("sweep_first")
        if room.solo and spot == "bonus" and room.layout.cents(seat, "ante") < max(1, room.limit("minimum")):
            raise No("ante_first")
        most = room.limit({"ante": "maximum", "bonus": "bonus_maximum"}.get(spot, "none"))
        lying = room.layout.cents(seat, spot)
        if most and lying >= most:
            raise No("at_maximum", cents=most)
        laid = min(cents, most - lying) if most else cents
        room.purses.take(seat, laid)
        room.layout.remember()
        self._change(seat, {spot: (*room.layout.pile(seat, spot), *chips_of(laid, room.chips()))})

    def _change(self, seat: int, piles: dict[str, tuple[int, ...]]) -> None:
        """Those are the piles of a seat now: sensors follow first, then the keyed amounts."""
        room = self._room
        for spot, chips in piles.items():
            lay_before = bool(room.layout.pile(seat, spot))
            room.layout.lay(seat, spot, chips)
            if chips and not lay_before:
                room.cover(seat, spot)
            elif lay_before and not chips:
                room.lift(seat, spot)
        room.key_amounts(seat)

    def _take(self, act: Json) -> None:
        seat, spot = self._seat(act), self._spot(act)
        room = self._mine()
        if room.solo and not self._bets_open():
            raise No("bets_closed")
        pile = room.layout.pile(seat, spot)
        if not pile:
            raise No("nothing_lies")
        self._remember(seat)
        if back := room.stakes.lifted(room.state, seat, spot, pile[-1]):
            room.purses.give(seat, back)
        self._change(seat, {spot: pile[:-1]})

    def _remember(self, seat: int) -> None:
        # Chips of the house that are taken away are not laid again.
        if any((seat, spot) in self._room.layout.settled for spot in SPOTS):
            self._room.layout.before.clear()
        else:
            self._room.layout.remember()

    def _take_away(self) -> None:
        """What lay when the round opened is taken away; bets of the round stay."""
        room = self._room
        for seat, spot in sorted(room.layout.settled | room.layout.stale):
            if back := room.layout.cents(seat, spot):
                room.purses.give(seat, back)
            self._change(seat, {spot: ()})
        room.layout.before.clear()

    def _clear(self, act: Json) -> None:
        seat = self._seat(act)
        room = self._mine()
        if not self._bets_open():
            raise No("bets_closed")
        if not any(room.layout.pile(seat, spot) for spot in SPOTS):
            raise No("nothing_lies")
        self._remember(seat)
        room.purses.give(seat, room.layout.seat_cents(seat))
        room.layout.doubled.discard(seat)
        self._change(seat, {spot: () for spot in SPOTS if room.layout.pile(seat, spot)})

    def _repeat(self, act: Json) -> None:
        seat = self._seat(act)
        last = {
            spot: self._room.layout.last[(seat, spot)]
            for spot in ("ante", "bonus")
            if (seat, spot) in self._room.layout.last
        }
        if not last:
            raise No("nothing_to_repeat")
        room = self._open_for_bets()
        if room.layout.blocked(seat, *SPOTS):
            raise No("sweep_first")
        if room.layout.seat_cents(seat):
            raise No("bets_lie_already")
        room.purses.take(seat, sum(sum(chips) for chips in last.values()))
        room.layout.remember()
        for spot, chips in last.items():
            room.layout.lay(seat, spot, chips)
            room.cover(seat, spot)
        # The table remembers the bets itself; where it does not, they are keyed like any other.
        with suppress(No):
            room.say({"type": "RepeatAmounts", "seat": seat})
        room.key_amounts(seat)
        open_slot = not room.silent and room.state["coin_accept"][seat - 1]
        if seat in room.layout.last_coins and open_slot and not self._jammed(seat):
            self._drop(seat)

    def _double(self, act: Json) -> None:
        seat = self._seat(act)
        room = self._mine()
        if not self._bets_open():
            raise No("bets_closed")
        if seat in room.layout.doubled:
            raise No("doubled_already")
        if room.layout.blocked(seat, *SPOTS):
            raise No("sweep_first")
        limits = {"ante": room.limit("maximum"), "bonus": room.limit("bonus_maximum")}
        wanted = {}
        for spot, most in limits.items():
            if cents := room.layout.cents(seat, spot):
                wanted[spot] = min(2 * cents, most) if most else 2 * cents
        more = sum(wanted.values()) - room.layout.cents(seat, "ante") - room.layout.cents(seat, "bonus")
        if not more:
            raise No("at_maximum" if wanted else "nothing_lies", cents=room.limit("maximum"))
        room.purses.take(seat, more)
        room.layout.remember()
        room.layout.doubled.add(seat)
        if room.keying:
            with suppress(No):
                room.say({"type": "DoubleAmounts", "seat": seat})
        self._change(seat, {spot: chips_of(cents, room.chips()) for spot, cents in wanted.items()})

    def _undo(self, act: Json) -> None:
        room = self._mine()
        if not self._bets_open():
            raise No("bets_closed")
        if not room.layout.before:
            raise No("nothing_to_undo")
        before, coin = room.layout.before[-1]
        if coin:
            if room.seat(coin)["coin"] == "bet":
                room.say({"type": "ReturnCoin", "seat": coin})
            room.layout.forget_coin(coin)
            return
        places = [
            place
            for place in {*before, *room.layout.piles}
            if before.get(place) != room.layout.piles.get(place)
        ]
        moves = {seat: 0 for seat, _ in places}
        for seat, spot in places:
            moves[seat] += sum(before.get((seat, spot), ())) - room.layout.cents(seat, spot)
        for seat, cents in moves.items():
            if cents > 0:
                room.purses.take(seat, cents)
        room.layout.before.pop()
        for seat, cents in moves.items():
            if cents < 0:
                room.purses.give(seat, -cents)
            self._change(
                seat, {spot: before.get((seat, spot), ()) for number, spot in places if number == seat}
            )

    def _coin(self, act: Json) -> None:
        """A coin falls; once more before LOCK asks it back. `force`: it falls whatever the slot says."""
        seat, force = self._seat(act), flag(act, "force")
        room = self._mine()
        if not force:
            room = self._open_for_bets()
            if room.silent or not room.rule("progressive_pays", [1]):
                raise No("silent" if room.silent else "no_progressive")
            if room.seat(seat)["coin"] == "bet" and self._bets_open():
                room.say({"type": "ReturnCoin", "seat": seat})
                room.layout.forget_coin(seat)
                return
            if not room.state["coin_accept"][seat - 1]:
                raise No("slot_closed")
        if self._jammed(seat):
            raise No("slot_jammed", cents=room.house.coin_cents)
        if room.silent:
            # Without power the lock-out is closed, and a token falls through to the player.
            raise No("slot_closed")
        self._drop(seat)

    def _jammed(self, seat: int) -> bool:
        return f"coin_stuck {seat}" in self._room.broken

    def _drop(self, seat: int) -> None:
        room = self._room
        had_one = room.seat(seat)["coin"] != "none"
        room.purses.coin_falls(seat, room.house.coin_cents)
        room.hands.coin(seat)
        if self._bets_open() and not had_one:
            room.layout.remember(seat)
        if not room.silent:
            room.until(lambda: room.seat(seat)["coin"] != "none", 1.0)
