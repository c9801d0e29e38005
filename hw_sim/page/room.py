"""The room around one simulated table: what lies on its layout, who plays, and what was seen last.

Everything happens in one thread, which owns the hands at the wires and the client of the table. `hear`
takes in what the table says. What a page may show of it is in `hw_sim.page.picture`, acts of people are
in `hw_sim.page.acts`, the dealer's routine is in `hw_sim.page.croupier`.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from hw_sim.page.cards import Shoe, antes_of
from hw_sim.page.layout import IN_PLAY, SPOTS, Layout
from hw_sim.page.purse import Purses
from hw_sim.page.stakes import Stakes
from hw_sim.players import House, order_of_places
from hw_sim.table import HandError, Hands

Json = dict[str, Any]
DEALER: Final = "dora"
SUPERVISOR: Final = "sam"
SILENT_S: Final = 3.0
ANSWER_S: Final = 3.0
AGAIN_S: Final = 0.5
SENSOR_S: Final = 2.0
LOOK_S: Final = 0.15
NOTES_MAX: Final = 30
GAMES_MAX: Final = 25
ALWAYS_CHIPS: Final = (100, 500, 2_500, 10_000)


class No(Exception):
    """An act that cannot be done: the word of a sentence in the page's language, and what stands in it."""

    def __init__(self, word: str, **values: Any) -> None:
        super().__init__(word)
        self.word: Final = word
        self.values: Final = values


class Table(Protocol):
    """What is heard from the table and said to it (`hw_sim.client.TableClient`)."""

    snapshot: Json | None

    @property
    def order(self) -> tuple[int, int]:
        """The place of the newest snapshot."""

    def pump(self, timeout_ms: int = 0, /) -> bool:
        """Take in what has arrived."""

    def take_facts(self) -> list[Json]:
        """The facts since the last call."""

    def send(self, command: Json, operator: str, role: str, reason: str = "", /) -> str:
        """Say a command without waiting."""

    def send_ask(self, what: str = "snapshot", /) -> str:
        """Ask without waiting."""

    def answer(self, request_id: str, /) -> Json | None:
        """The answer, once it is there."""

    def resend(self, request_id: str, /) -> None:
        """Say it again under its own id."""

    def forget(self, request_id: str, /) -> None:
        """Give it up."""


class Room:
    """One table with a person at it."""

    def __init__(
        self,
        folder: Path,
        table: Table,
        hands: Hands,
        house: House,
        seats: int,
        chance: Random,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.table, self.hands, self.house, self.seats = folder, table, hands, house, seats
        self.now_s = now_s
        self.layout: Final = Layout()
        self.purses: Final = Purses(folder / "purses.json", seats)
        self.stakes: Final = Stakes(self.layout, self.purses)
        self.shoe: Final = Shoe(chance, house)
        self.chance: Final = chance
        self.solo = True
        self.keying = True
        self.alone = True
        """There are no simulated players who could play instead."""
        self.lucky: tuple[int, str] | None = None
        self.rules: Json | None = None
        """The house as the table tells it; None until it has."""
        self.show: Callable[[], None] = lambda: None
        """Called while something is waited for, so that a page sees what happens meanwhile."""
        self.broken: set[str] = set()
        self.by_time: set[int] = set()
        self.key_facts: list[Json] = []
        self.notes: deque[Json] = deque(maxlen=NOTES_MAX)
        self.wires: Json = {}
        self._antes: list[int] = []
        self._unkeyed: set[int] = set()
        self._asked = ""
        self._seen: tuple[int, int] = (0, 0)
        self._round = self._phase = ""
        self._over: Json | None = None
        self._heard_s = -SILENT_S
        self._looked_s = -LOOK_S
        self._note_number = 0

    # ------------------------------------------------------------------------------ what is known

    @property
    def state(self) -> Json:
        """The newest snapshot. Raises `No` while none was seen."""
        if self.table.snapshot is None:
            raise No("silent")
        body: Json = self.table.snapshot["body"]
        return body

    @property
    def silent(self) -> bool:
        """Whether the table has said nothing for seconds: it has no power, or starts."""
        return self.table.snapshot is None or self.now_s() - self._heard_s > SILENT_S

    @property
    def playing(self) -> bool:
        """Whether a person plays: simulated players have finished their round and wait meanwhile."""
        return self.alone or (self.hands_off and (self.folder / "players_wait").exists())

    @property
    def hands_off(self) -> bool:
        """Whether a person has asked the simulated players to wait."""
        return (self.folder / "hands_off").exists()

    @property
    def antes(self) -> list[int]:
        """The seats that got cards in this round."""
        return self._antes

    def seat(self, number: int) -> Json:
        """One seat of the snapshot."""
        found: Json = self.state["seats"][number - 1]
        return found

    def rule(self, name: str, default: Any) -> Any:
        """One field of the house rules."""
        return default if self.rules is None else self.rules["rules"].get(name, default)

    def limit(self, name: str) -> int:
        """`minimum`, `maximum`, `bonus_minimum` or `bonus_maximum` of the table; 0 is no limit."""
        return 0 if self.rules is None else int(self.rules.get(f"{name}_cents", 0))

    def chips(self) -> list[int]:
        """The chips on the edge of the table, the smallest first."""
        own = [] if self.rules is None else [int(chip) for chip in self.rules.get("chips_cents", ())]
        least = min(own, default=1)
        return sorted({*own, *(chip for chip in ALWAYS_CHIPS if chip % least == 0)})

    def strange(self) -> bool:
        """Whether cards have left that this page did not deal: it can neither deal on nor show hands."""
        return int(self.state["cards_out"]) > len(self.shoe.left)

    # ------------------------------------------------------------------------------ hearing

    def hear(self, timeout_ms: int = 0) -> None:
        """Takes in everything that has arrived."""
        if self.table.pump(timeout_ms):
            self._heard_s = self.now_s()
        for fact in self.table.take_facts():
            self._take_fact(fact["body"])
        if self._asked and (answer := self.table.answer(self._asked)) is not None:
            self._asked = ""
            self.rules = answer.get("house") or self.rules
        if self.table.snapshot is None or self.table.order == self._seen:
            return
        if self.table.order[0] != self._seen[0]:
            self._ask_house()
            if self._seen[0]:
                self.note("started_again")
        self._seen = self.table.order
        self._follow(self.state)

    def _ask_house(self) -> None:
        if self._asked:
            self.table.forget(self._asked)
        self._asked = self.table.send_ask("house")

    def _take_fact(self, fact: Json) -> None:
        kind = fact["type"]
        if kind in ("KeyTaken", "KeyRefused"):
            self.key_facts.append(fact)
        elif kind in ("ParameterChanged", "RoundOpened"):
            self._ask_house()
        elif kind == "SeatFolded" and fact["by"] == "time":
            self.by_time.add(fact["seat"])
            self.note("auto_folded", seat=fact["seat"])
        elif kind == "CoinReturned" and fact["why"] not in ("no ante", "progressive down"):
            self._coin_came_back(fact["seat"], fact["why"])
        elif kind == "AlarmRaised":
            self.note("alarm", alarm=fact["alarm"], place=fact["place"])
        elif kind == "HoldEnded":
            self.note("hold_ended", hold=fact["hold"])

    def _coin_came_back(self, seat: int, why: str) -> None:
        self.note("coin_back", seat=seat, why=why)
        # The coin of a seat without one is refunded in the results of the round, which the purse follows.
        refunded = self.table.snapshot is not None and str(self.seat(seat)["results"].get("coin", ""))
        if why != "late" or not str(refunded).startswith("refund"):
            self.purses.coin_returns(seat, self.house.coin_cents)

    def _follow(self, state: Json) -> None:
        # A table that plays fast may be in its next round before anybody has seen the felt empty.
        if self._over is not None and (state["phase"] == "idle" or state["round"] != self._over["round"]):
            self._log_game(self._over)
            self._over = None
        if state["round"] != self._round:
            self._round = state["round"]
            self._antes = []
            self.by_time.clear()
            self.stakes.open()
            self.shoe.shuffle()
        if state["phase"] != self._phase:
            self._phase = state["phase"]
            if self._phase == "dealing":
                for seat, cents in self.stakes.lock(state, self.chips()).items():
                    self.note("topped_up", seat=seat, cents=cents)
        if state["phase"] in IN_PLAY and not self._antes:
            self._antes = antes_of(state)
            self._be_lucky()
        lying = any(self.layout.seat_cents(seat) for seat in range(1, self.seats + 1))
        for seat, cents in self.purses.follow(state, lying).items():
            self.note("paid" if cents > 0 else "taken_back", seat=seat, cents=abs(cents))
        if state["phase"] in ("settled", "void"):
            self._over = state
        self.stakes.settle(state)

    def _be_lucky(self) -> None:
        if self.lucky is None or self.lucky[0] not in self._antes or self.shoe.left:
            return
        seat, cards = self.lucky
        self.lucky = None
        deck = list(self.shoe.deck)
        places = order_of_places(self._antes, self.house)
        spots = [at for at, place in enumerate(places) if place == str(seat)]
        for at, card in zip(spots, cards.split(), strict=True):
            other = deck.index(card)
            deck[at], deck[other] = deck[other], deck[at]
        self.shoe.deck = deck

    # ------------------------------------------------------------------------------ doing

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Hears the table until the condition holds; False when the time is over."""
        end_s = self.now_s() + seconds
        while not condition():
            if self.now_s() >= end_s:
                return False
            self.hear(20)
            self.show()
        return True

    def say(self, command: Json, role: str = "dealer", reason: str = "", operator: str = "") -> None:
        """Says a word and waits for its effect. Raises `No` with what the table answers."""
        if self.silent:
            raise No("silent")
        operator = operator or (SUPERVISOR if role == "supervisor" else DEALER)
        request = self.table.send(command, operator, role, reason)
        end_s, again_s = self.now_s() + ANSWER_S, self.now_s() + AGAIN_S
        while (answer := self.table.answer(request)) is None:
            if self.now_s() >= end_s:
                self.table.forget(request)
                raise No("silent")
            if self.now_s() >= again_s:
                self.table.resend(request)
                again_s += AGAIN_S
            self.hear(20)
        boot, seq = self.table.order[0], int(answer.get("seq", 0))
        self.until(lambda: self.table.order >= (boot, seq), 1.0)
        if not answer["ok"]:
            raise No("table_says", text=answer.get("error", ""))

    def press(self, key: str) -> None:
        """A dealer's key goes down. Raises `No` with the reason where it could not act."""
        if self.silent:
            raise No("silent")
        self.key_facts.clear()
        self.hands.key(key)
        if not self.until(lambda: bool(self.key_facts), 1.5):
            raise No("key_dead", key=key)
        fact = self.key_facts.pop()
        # What the key did is in the snapshot of the same turn.
        self.until(lambda: self._seen >= self.table.order, 0.5)
        self.hear()
        if fact["type"] == "KeyRefused":
            raise No("table_says", text=fact["reason"])

    def cover(self, seat: int, spot: str) -> None:
        """Chips lie on a sensor; waits until the table has seen them, unless the sensor is broken."""
        self.hands.do(spot, str(seat))
        if not self.silent and f"sensor_stuck {spot} {seat}" not in self.broken:
            self.until(lambda: bool(self.seat(seat)[spot]["chips"]), SENSOR_S)

    def lift(self, seat: int, spot: str) -> None:
        """The last chip leaves a sensor."""
        self.hands.lift(spot, seat)
        if not self.silent and f"sensor_stuck {spot} {seat}" not in self.broken:
            self.until(lambda: not self.seat(seat)[spot]["chips"], SENSOR_S)

    def key_amounts(self, seat: int) -> None:
        """The dealer keys what lies at a seat, where it differs from what the table believes.

        A table that does not answer is told later (`catch_up`).
        """
        if not self.keying:
            return
        if self.silent:
            self._unkeyed.add(seat)
            return
        phase = self.state["phase"]
        spots = ("ante", "bonus") if phase == "betting" else ("raise",) if phase in IN_PLAY else ()
        wanted = {spot: self._amount(seat, spot) for spot in spots}
        if phase == "betting" and any(
            cents is None and self.seat(seat)[spot]["cents"] is not None and self.layout.pile(seat, spot)
            for spot, cents in wanted.items()
        ):
            self.say({"type": "ClearAmounts", "seat": seat})
        for spot, cents in wanted.items():
            if cents and self.seat(seat)[spot]["cents"] != cents:
                self.say({"type": "SetAmount", "spot": spot, "seat": seat, "cents": cents})

    def catch_up(self) -> None:
        """Keys what was laid while the table did not answer."""
        while self._unkeyed and not self.silent and not self.state["holds"]:
            seat = self._unkeyed.pop()
            try:
                self.key_amounts(seat)
            except No as no:
                self.note(no.word, **no.values)

    def _amount(self, seat: int, spot: str) -> int | None:
        """What the dealer keys for a spot: nothing as long as it is below the minimum."""
        if self.layout.blocked(seat, spot):
            return None
        cents = self.layout.cents(seat, spot)
        least = {"ante": self.limit("minimum"), "bonus": self.limit("bonus_minimum")}.get(spot, 0)
        return cents if cents and cents >= least else None

    def sweep(self) -> None:
        """The felt is emptied: winners and dealer have taken their chips."""
        self.hands.clear_felt()
        self.stakes.swept(self.state)
        self.until(
            lambda: (
                not any(
                    seat[spot]["chips"] and f"sensor_stuck {spot} {seat['seat']}" not in self.broken
                    for seat in self.state["seats"]
                    for spot in SPOTS
                )
            ),
            SENSOR_S,
        )

    def cut_power(self) -> None:
        """Kills the service as a power cut would; whoever looks after it starts it again."""
        try:
            pid = int((self.folder / "service.pid").read_text())
            # The number may belong to somebody else by now.
            if b"table_controller" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                raise No("no_power_switch")
            os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError) as problem:
            raise No("no_power_switch") from problem
        self._heard_s = -SILENT_S
        self.note("power_cut")

    # ------------------------------------------------------------------------------ showing

    def note(self, word: str, **values: Any) -> None:
        """Something that a person wants to read."""
        self._note_number += 1
        self.notes.append({"number": self._note_number, "word": word, "values": values})

    def look(self) -> None:
        """What eyes see at the wires, not more often than they can follow."""
        if self.now_s() - self._looked_s >= LOOK_S:
            self._looked_s = self.now_s()
            with suppress(HandError):
                self.wires = self.hands.look()

    def _log_game(self, state: Json) -> None:
        seats = [
            {
                **{name: seat[name] for name in ("seat", "coin", "folded", "results")},
                **{spot: seat[spot]["cents"] or 0 for spot in ("ante", "raise", "bonus")},
                "cards": seat["cards"],
                "returned": self.purses.returned(seat["seat"]),
            }
            for seat in state["seats"]
            if seat["ante"]["cents"]
        ]
        game = {"round": state["round"], "result": state["result"], "seats": seats, "dealer": state["dealer"]}
        with (self.folder / "felt_rounds.jsonl").open("a") as log:
            log.write(json.dumps(game) + "\n")

    def games(self) -> list[Json]:
        """The last rounds that were played here, the newest first."""
        try:
            lines = (self.folder / "felt_rounds.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines[-GAMES_MAX:]][::-1]
