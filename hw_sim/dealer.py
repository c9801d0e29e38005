"""A simulated dealer and supervisor who play whole rounds with simulated players.

They act only as people can: hands at the wires (`hw_sim.table`) and words to the table
(`hw_sim.client`). What happens next is read from the newest snapshot each time, never from a script, so
that a table which locks itself, is held, or was restarted in the middle of a deal is played on from
where it stands. Each round is written to `hands.jsonl` with everything that an auditor needs to
predict its settlement.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol, TextIO

from hw_sim.players import Bets, House, Player, deal_out, order_of_places, shuffled, stacked
from hw_sim.table import Hands

Json = dict[str, Any]

DEALER: Final = "dora"
SUPERVISOR: Final = "sam"
# How long nothing may come of a move before the play is given up; a restart of the service fits in.
PATIENCE_S: Final = 30.0
# A key pressed while the service was away is pressed again.
KEY_PATIENCE_S: Final = 1.5
DECK_CARDS: Final = 52
# How often waiting players look whether the table is theirs again.
AWAY_MS: Final = 200
RESUMABLE: Final = frozenset({"restarted_mid_round", "shoe_lost", "token_count"})


class Stuck(Exception):
    """The round does not go on; the sentence says where it stands and what was refused."""


class Table(Protocol):
    """What is heard from the table and said to it (`hw_sim.client.TableClient`)."""

    @property
    def state(self) -> Json:
        """The body of the newest snapshot."""

    @property
    def order(self) -> tuple[int, int]:
        """Its place in the order of the table."""

    def pump(self, timeout_ms: int = 0, /) -> bool:
        """Take in what has arrived."""

    def take_facts(self) -> list[Json]:
        """The facts since the last call."""

    def say(self, command: Json, operator: str, role: str, reason: str = "", /) -> Json:
        """Say a command and wait for its answer."""


@dataclass
class Round:
    """What the hands have done in one round: the truth on the felt, whatever the table believes."""

    number: int
    chance: Random
    deck: list[str]
    rigged: bool
    planned: dict[int, Bets]
    laid: dict[int, set[str]] = field(default_factory=dict)
    coins: set[int] = field(default_factory=set)
    boots: set[int] = field(default_factory=set)
    hands: dict[str, list[str]] = field(default_factory=dict)
    cards_out: int = 0
    tokens_said: bool = False
    up: str = ""
    stub_said: bool = False


class Dealer:
    """Deals rounds until told to stop.

    `speed` 1 is a person's pace (about half a minute a round), 0 is as fast as the table answers. `rigged` is
    the share of rounds, 0 to 1, in which somebody gets a strong hand.
    """

    def __init__(
        self,
        table: Table,
        hands: Hands,
        house: House,
        players: Sequence[Player],
        seed: int,
        log: TextIO,
        speed: float = 0,
        rigged: float = 0,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table, self._hands, self._house, self._players = table, hands, house, players
        self._seed, self._log, self._speed, self._rigged, self._now_s = seed, log, speed, rigged, now_s
        self._round = self._new_round(0)
        self._begun = False
        self._refused = ""

    def wait_while(self, hands_off: Path, waiting: Path) -> None:
        """Between rounds: a person plays while the first file exists; the second says that we wait."""
        if not hands_off.exists():
            return
        waiting.touch()
        while hands_off.exists():
            self._table.pump(AWAY_MS)
            self._table.take_facts()
        waiting.unlink(missing_ok=True)

    # ------------------------------------------------------------------------------ the round

    def play_round(self, number: int) -> Json:
        """Plays one round from OPEN to CLEAR, logs it, and gives what was logged."""
        self._round = self._new_round(number)
        self._begun = False
        moves: dict[str, Callable[[], None]] = {
            "idle": self._open,
            "betting": self._take_bets,
            "dealing": self._deal,
            "deciding": self._decide,
            "revealing": self._reveal,
        }
        while True:
            state = self._look()
            if state["holds"]:
                self._end_a_hold(state)
            elif state["phase"] in ("settled", "void"):
                record = self._record(state)
                self._clear(state)
                if self._begun:
                    self._log.write(json.dumps(record) + "\n")
                    self._log.flush()
                    return record
            elif state["phase"] not in moves:
                raise Stuck(f"the table is in phase {state['phase']!r}, which the dealer does not know")
            elif not self._begun and state["phase"] not in ("idle", "betting"):
                # A round that somebody else has dealt: its cards are not known, so it cannot be played on.
                self._supervise({"type": "VoidRound"}, "the round of another dealer")
            else:
                moves[state["phase"]]()

    def _new_round(self, number: int) -> Round:
        # A chance of its own for each round and player: what one of them draws moves nobody else's luck.
        chance = Random(f"{self._seed}/{number}")
        planned = {
            player.seat: bets
            for player in self._players
            if (bets := player.bets(Random(f"{self._seed}/{number}/{player.seat}"), self._house)) is not None
        }
        if not planned:
            planned = {self._players[0].seat: Bets(ante_cents=1000)}
        return Round(number, chance, shuffled(chance), chance.random() < self._rigged, planned)

    def _open(self) -> None:
        day = self._look().get("day")
        if day and not day["open"]:
            self._supervise({"type": "OpenDay"}, "the table opens")
        if self._look().get("on_duty") == "":
            self._say({"type": "LogOn"})
        for owed in self._look().get("owed", ()):
            self._supervise({"type": "PayHit", "document": owed["document"], "at": "cage"}, "paid")
        if self._round.number > 1:
            self._pause(1.0)
        self._press("open", lambda state: state["phase"] != "idle")

    def _take_bets(self) -> None:
        """Bets go down seat by seat, the dealer keys them, then no more bets."""
        self._begun = True
        if self._look()["deck_due"]:
            self._supervise({"type": "NewDeck"}, "the deck was found bad")
        for seat, bets in self._round.planned.items():
            if not self._lay("ante", seat, bets.ante_cents) or not self._lay("bonus", seat, bets.bonus_cents):
                return
            if bets.coin and seat not in self._round.coins:
                self._drop_coin(seat)
            self._pause(1.0)
        self._pause(0.5)
        self._press("lock", lambda state: state["phase"] != "betting")

    def _lay(self, spot: str, seat: int, cents: int) -> bool:
        """Chips on a spot and their amount keyed; False if something else is to be done first."""
        if not cents:
            return True
        laid = self._round.laid.setdefault(seat, set())
        if spot not in laid:
            laid.add(spot)
            {"ante": self._hands.ante, "bonus": self._hands.bonus, "raise": self._hands.raise_}[spot](seat)
        phase = "deciding" if spot == "raise" else "betting"
        self._until(
            f"chips on {spot} {seat}", lambda state: _seat(state, seat)[spot]["chips"] or _off(state, phase)
        )
        state = self._look()
        if _off(state, phase):
            return False
        if _seat(state, seat)[spot]["cents"] == cents:
            return True
        answer = self._say({"type": "SetAmount", "spot": spot, "seat": seat, "cents": cents})
        if not answer["ok"]:
            return False
        self._until(
            f"amount on {spot} {seat}",
            lambda state: _seat(state, seat)[spot]["cents"] == cents or _off(state, phase),
        )
        return True

    def _drop_coin(self, seat: int) -> None:
        """A token falls if the slot takes it; one that is no bet after two seconds is given back."""
        state = self._look()
        if not state["coin_accept"][seat - 1] or _off(state, "betting"):
            return
        self._round.coins.add(seat)
        self._hands.coin(seat)
        if not self._wait(2.0, lambda state: _seat(state, seat)["coin"] != "none" or bool(state["holds"])):
            self._round.coins.discard(seat)
            self._round.planned[seat] = Bets(
                self._round.planned[seat].ante_cents, self._round.planned[seat].bonus_cents
            )

    def _deal(self) -> None:
        """Tokens are counted where the house wants it; then cards leave the shoe one after the other."""
        play = self._round
        state = self._look()
        if not play.hands:
            antes = [seat["seat"] for seat in state["seats"] if "ante" in play.laid.get(seat["seat"], ())]
            antes = [seat for seat in antes if _seat(state, seat)["ante"]["cents"]]
            if play.rigged:
                lucky = play.chance.choice([seat for seat in antes if seat in play.coins] or antes)
                play.deck = stacked(play.deck, lucky, antes, self._house, play.chance)
            play.hands = deal_out(play.deck, antes, self._house)
            self._dealt_to = order_of_places(antes, self._house)
        if self._house.token_count and not play.tokens_said:
            tokens = sum(1 for seat in state["seats"] if seat["coin"] == "bet")
            play.tokens_said = self._say({"type": "CountTokens", "tokens": tokens})["ok"]
            return
        while play.cards_out < len(self._dealt_to):
            self._pause(0.2)
            if _off(self._look(), "dealing"):
                return
            self._hands.deal(play.deck[play.cards_out])
            play.cards_out += 1
            self._until(
                f"card {play.cards_out}",
                lambda state: state["cards_out"] >= play.cards_out or _off(state, "dealing"),
            )
            if _off(self._look(), "dealing"):
                return
        self._until("the end of the deal", lambda state: _off(state, "dealing"))

    def _decide(self) -> None:
        """Each player looks at his cards and the up card, and raises or folds; then no more bets."""
        play = self._round
        dealers = play.hands["D"]
        if not play.up:
            play.up = {"first": dealers[0], "last": dealers[4]}.get(self._house.upcard, "")
            if not play.up:
                shown = play.chance.choice(dealers)
                if not self._say({"type": "StateUpcard", "card": shown})["ok"]:
                    return
                play.up = shown
        for player in self._players:
            state = self._look()
            if _off(state, "deciding"):
                return
            seat = _seat(state, player.seat)
            if str(player.seat) not in play.hands or seat["folded"] or seat["dead"]:
                continue
            self._pause(1.0)
            if "raise" in play.laid.get(player.seat, ()) or player.raises(
                play.hands[str(player.seat)], play.up
            ):
                if not self._lay("raise", player.seat, 2 * seat["ante"]["cents"]):
                    return
            elif not self._say({"type": "Fold", "seat": player.seat})["ok"]:
                return
        self._pause(1.0)
        self._press("close", lambda state: state["phase"] != "deciding")

    def _reveal(self) -> None:
        self._pause(2.0)
        self._press("reveal", lambda state: state["phase"] != "revealing")

    def _clear(self, state: Json) -> None:
        """Everybody is paid and collected, the key is pressed, the felt is empty."""
        if state["stub_due"]:
            self._count_stub(state)
        self._pause(4.0)
        self._press("clear", lambda state: state["phase"] == "idle")
        self._hands.clear_felt()
        self._until("the empty felt", lambda state: not any(
            seat[spot]["chips"] for seat in state["seats"] for spot in ("ante", "raise", "bonus")
        ))  # fmt: skip

    # ------------------------------------------------------------------------------ the supervisor

    def _end_a_hold(self, state: Json) -> None:
        """One decision about the holds that stand; what no rule of thumb resolves is void."""
        holds = set(state["holds"])
        self._pause(2.0)
        waiting = [award for award in state["awards"] if award["status"] == "waits"]
        if holds & {"jackpot_hold", "jackpot_hand_in_void_round"} and waiting:
            self._confirm(state, waiting)
        elif "deck_short" in holds:
            self._count_stub(state)
        elif holds <= RESUMABLE and self._begun:
            if not self._wait(PATIENCE_S, lambda state: bool(state["shoe"])):
                raise Stuck(f"round {self._round.number}: held, and the shoe does not come back")
            self._supervise({"type": "Resume"}, "checked: the table is as it was")
        elif state["phase"] == "idle":
            self._supervise({"type": "NewDeck"}, "a new deck")
        else:
            self._supervise({"type": "VoidRound"}, f"held by {', '.join(sorted(holds))}")

    def _confirm(self, state: Json, waiting: Sequence[Json]) -> None:
        """The rest of the deck is counted, then two people confirm; a royal first, it may decide others."""
        if not self._round.stub_said:
            self._count_stub(state)
        for award in sorted(waiting, key=lambda award: str(award["hand"]) != "royal_flush"):
            command = {"type": "ConfirmAward", "seat": award["seat"]}
            first = self._say(command, SUPERVISOR, "supervisor", "hand, lamp and deck checked")
            second = self._say(command, DEALER, "dealer", "hand, lamp and deck checked")
            if first["ok"] or second["ok"]:
                return
        raise Stuck(f"nobody may confirm the awards {waiting}: {self._refused}")

    def _count_stub(self, state: Json) -> None:
        self._say({"type": "CountStub", "cards": DECK_CARDS - state["cards_out"]})
        self._round.stub_said = True

    # ------------------------------------------------------------------------------ doing and waiting

    def _look(self) -> Json:
        self._table.pump(0)
        for fact in self._table.take_facts():
            if fact["body"].get("type") == "KeyRefused":
                self._refused = f"key {fact['body']['key']}: {fact['body']['reason']}"
        if self._begun:
            self._round.boots.add(self._table.order[0])
        return self._table.state

    def _wait(self, seconds: float, condition: Callable[[Json], bool]) -> bool:
        end_s = self._now_s() + seconds
        while not condition(self._look()):
            if self._now_s() >= end_s:
                return False
            self._table.pump(100)
        return True

    def _until(self, what: str, condition: Callable[[Json], bool]) -> None:
        """Waits for something that must come; a hold ends the waiting, it is decided first."""
        if not self._wait(PATIENCE_S, lambda state: condition(state) or bool(state["holds"])):
            state = self._table.state
            raise Stuck(
                f"round {self._round.number}: waited {PATIENCE_S:.0f} s for {what}; the table is in phase"
                f" {state['phase']}, last refused: {self._refused or 'nothing'}"
            )

    def _press(self, key: str, done: Callable[[Json], bool]) -> None:
        end_s = self._now_s() + PATIENCE_S
        while self._now_s() < end_s:
            self._hands.key(key)
            if self._wait(KEY_PATIENCE_S, lambda state: done(state) or bool(state["holds"])):
                return
        raise Stuck(f"round {self._round.number}: the key {key} does nothing; last refused: {self._refused}")

    def _say(self, command: Json, operator: str = DEALER, role: str = "dealer", reason: str = "") -> Json:
        answer = self._table.say(command, operator, role, reason)
        if not answer["ok"]:
            self._refused = f"{command}: {answer['error']}"
        # The snapshot of the turn that took the command is what the next move has to be based on.
        self._wait(2.0, lambda _: self._table.order[1] >= int(answer.get("seq", 0)))
        return answer

    def _supervise(self, command: Json, reason: str) -> None:
        answer = self._say(command, SUPERVISOR, "supervisor", reason)
        if not answer["ok"] and self._look()["holds"]:
            raise Stuck(f"round {self._round.number}: the supervisor was refused: {self._refused}")

    def _pause(self, seconds: float) -> None:
        """A person's hesitation; somebody else may change the table meanwhile."""
        if self._speed:
            self._wait(seconds / self._speed, lambda _: False)

    # ------------------------------------------------------------------------------ the record

    def _record(self, state: Json) -> Json:
        """The round as it lies on the felt, and beside it what the table made of it."""
        play = self._round
        seats = {}
        for seat in state["seats"]:
            number = seat["seat"]
            if str(number) in play.hands:
                raised = "raise" in play.laid[number] and not seat["folded"]
                seats[str(number)] = {
                    "ante": play.planned[number].ante_cents,
                    "bonus": play.planned[number].bonus_cents if "bonus" in play.laid[number] else 0,
                    "coin": number in play.coins and seat["coin"] == "bet",
                    "raised": raised,
                }
        return {
            "round": state["round"],
            "number": play.number,
            "rigged": play.rigged,
            "restarted": len(play.boots) > 1,
            "seats": seats,
            "hands": {place: cards for place, cards in play.hands.items() if place != "D"},
            "dealer": play.hands.get("D", []),
            "upcard": play.up,
            "coin_cents": self._house.coin_cents,
            "result": state["result"] or state["phase"],
            "results": {str(seat["seat"]): seat["results"] for seat in state["seats"]},
            "awards": state["awards"],
            "alarms": state["alarms"],
            "meter": state["meter"],
        }


def _seat(state: Json, seat: int) -> Json:
    found: Json = state["seats"][seat - 1]
    return found


def _off(state: Json, phase: str) -> bool:
    """Whether the table has left a phase or is held in it."""
    return state["phase"] != phase or bool(state["holds"])
