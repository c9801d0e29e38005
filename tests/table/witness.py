"""A witness of everything that happens at a table, who knows what no rule of any house may break.

After every message it looks at alarms, holds, cards and secrets, and `Books` at the money.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from table_controller.table import messages as m
from table_controller.table.deal import hand_at, places_that_decide
from table_controller.table.state import (
    DEALER,
    Alarm,
    TableState,
    decode_state,
    encode_state,
    new_state,
    rules_now,
)
from table_controller.table.step import step
from table_controller.table.views import Snapshot, snapshot
from tests.table.books import Books
from tests.table.houses import Table
from tests.table.inspector import Inspector

WALL_MS = 1_790_000_000_000
FACE = re.compile(r"\b[2-9TJQKA][SHDC]\b")

UNDONE: tuple[type[m.Command], ...] = (m.VoidRound, m.Withdraw)
DECIDED: tuple[type[m.Command], ...] = (m.ConfirmAward, m.RejectAward, m.VoidRound)
ENDS_A_HOLD: dict[str, tuple[type[m.Command], ...]] = {
    "dealer_short": UNDONE,
    "dealer_long": UNDONE,
    "hole_exposed": UNDONE,
    "card_exposed": UNDONE,
    "boxed_card": (m.VoidRound,),
    "duplicate_card": (m.VoidRound,),
    "foreign_card": (m.VoidRound,),
    "unreadable_card": (m.VoidRound, m.RescanCard),
    "frame_lost": (m.VoidRound, m.RescanCard),
    "player_miscount": (*UNDONE, m.DeadHand, m.Resume),
    "extra_hand": (*UNDONE, m.KillHand),
    "misplaced_card": (*UNDONE, m.Resume),
    "token_count": (m.VoidRound, m.Resume),
    "shoe_lost": (m.VoidRound, m.Resume),
    "restarted_mid_round": (m.VoidRound, m.Resume),
    "jackpot_hold": DECIDED,
    "jackpot_hand_in_void_round": (m.ConfirmAward, m.RejectAward),
    "deck_short": (m.CountStub, m.NewDeck),
}
"""What may end each hold (DETAILS.md, Holds); a withdrawn statement takes its own hold with it."""


class Witness:
    """Somebody who sees every message, and what the table makes of it."""

    def __init__(self, table: Table) -> None:
        self._house = table.known
        self.state = new_state(table.known)
        self._at_ms = 0
        self._record: list[tuple[m.Stamp, m.AnyMessage, bytes, tuple[m.Fact, ...]]] = []
        self.reached: set[str] = set()
        self._alarms: list[Alarm] = []
        self._holds: list[str] = []
        self._phase = "idle"
        self._dealt: list[tuple[str, str]] = []
        self._books = Books(table)
        self._inspector = Inspector()

    # ----------------------------------------------------------------------------- one message

    def send(self, message: m.AnyMessage) -> None:
        """Hand the message to the table and check everything."""
        before, house = self.state, self._house
        data = encode_state(before)
        self._at_ms += 700 if isinstance(message, m.TimePassed) else 40
        stamp = m.Stamp(self._at_ms, WALL_MS + self._at_ms)
        after, facts = step(house, before, stamp, message)
        new_data = encode_state(after)
        self._record.append((stamp, message, new_data, facts))
        assert encode_state(before) == data, "a step changed the state that it was given"
        assert encode_state(decode_state(new_data)) == new_data
        self.state = after
        refused = [fact for fact in facts if isinstance(fact, m.KeyRefused | m.CommandRefused)]
        if refused:
            assert len(facts) == 1, "a refusal comes alone"
            assert new_data == data, "a refusal changed something"
            assert refused[0].reason
        view = snapshot(house, after, self._at_ms)
        self._watch_alarms_holds_and_phases(before, message, facts)
        self._watch_cards(before, facts, view)
        self._watch_secrets(facts, view)
        self._books.watch(before, after, message, facts, view, self._dealt)
        self._inspector.watch(house, before, after, facts)
        self._note(facts)

    def replay(self) -> None:
        """Everything from the start once more, as after a power cut: it comes out the same."""
        data = encode_state(new_state(self._house))
        for stamp, message, then, facts in self._record:
            state, facts_now = step(self._house, decode_state(data), stamp, message, data)
            data = encode_state(state)
            assert (data, facts_now) == (then, facts), f"replay differs at {message}"

    @property
    def messages(self) -> int:
        """How many messages there were."""
        return len(self._record)

    def _note(self, facts: tuple[m.Fact, ...]) -> None:
        self.reached.add(self.state.phase)
        self.reached |= {type(fact).__name__ for fact in facts}
        self.reached |= {f"hold {fact.hold}" for fact in facts if isinstance(fact, m.HoldPlaced)}
        if self._books.clean_rounds:
            self.reached.add("clean round")

    # ------------------------------------------------------------------ alarms, holds, phases

    def _watch_alarms_holds_and_phases(
        self, before: TableState, message: m.AnyMessage, facts: tuple[m.Fact, ...]
    ) -> None:
        action = type(message.command) if isinstance(message, m.Said) else type(message)
        for fact in facts:
            if isinstance(fact, m.RoundOpened):
                assert not before.holds
                self._alarms, self._dealt = [], []
            elif isinstance(fact, m.AlarmRaised):
                alarm = Alarm(fact.alarm, fact.place)
                assert alarm not in self._alarms, f"{alarm} was raised twice"
                self._alarms.append(alarm)
            elif isinstance(fact, m.HoldPlaced):
                self._holds.append(fact.hold)
            elif isinstance(fact, m.HoldEnded):
                assert action in ENDS_A_HOLD[fact.hold], f"{fact.hold} was ended by {action.__name__}"
                self._holds.remove(fact.hold)
                if action is m.RescanCard:
                    assert all(card.card for card in self.state.cards), "a card still waits to be read"
            elif isinstance(fact, m.PhaseEntered):
                self._phase = fact.phase
        state = self.state
        assert state.alarms == self._alarms, "the facts and the list of alarms differ"
        assert sorted(hold.reason for hold in state.holds) == sorted(self._holds), (
            "the facts and the holds differ"
        )
        assert state.phase == self._phase, "the facts and the phase differ"
        for hold in before.holds:
            still = state.hold(hold.reason)
            if still is not None and hold.void_only and action not in UNDONE:
                assert still.void_only, f"{hold.reason} needed a void and no longer does"
            if hold.void_only and still is None:
                assert action in UNDONE, f"{hold.reason} needed a void and was ended by {action.__name__}"

    # ---------------------------------------------------------------------- cards and secrets

    def _watch_cards(self, before: TableState, facts: tuple[m.Fact, ...], view: Snapshot) -> None:
        state = self.state
        stated = [card for hand in state.hands.values() for card in hand]
        assert len(stated) == len(set(stated)), "a card is in two stated hands"
        new = [fact for fact in facts if isinstance(fact, m.CardDealt)]
        self._dealt += [(state.cards[fact.number - 1].card, fact.place) for fact in new]
        assert view.cards_out == len(state.cards)
        if not any(isinstance(fact, m.RoundSettled) for fact in facts):
            return
        felt = Counter(card.card for card in state.cards if card.on_felt)
        for place in places_that_decide(rules_now(self._house, before), before):
            hand = hand_at(before, place)
            assert hand is not None, f"{place} was settled without a hand"
            assert len(set(hand)) == 5, f"{place} was settled on {hand}"
            felt.subtract(hand)
        assert min(felt.values()) >= 0, f"settled on cards that are elsewhere: {felt}"

    def _watch_secrets(self, facts: tuple[m.Fact, ...], view: Snapshot) -> None:
        """What lies face down is face down in the snapshot and in the facts."""
        if self._house.rules.player_cards == "face_up":
            return
        state, rules = self.state, self._house.rules
        if state.result != "settled":
            assert not any(card for seat in view.seats for card in seat.cards), "a player's card is shown"
            order = [card.card for card in state.cards if card.place == DEALER and card.on_felt]
            laid = [card.card for card in state.cards if card.laid == DEALER]
            up = {"first": order[:1], "last": order[4:5] or laid[:1], "declared": []}[rules.upcard]
            shown = {card for card in view.dealer.cards if card}
            assert shown <= {state.upcard, *up}, f"a hole card is shown: {shown}"
            assert len(shown) <= 1
        if state.phase in ("betting", "dealing", "deciding"):
            # The example of how a card is written is no card of the table.
            told = set(FACE.findall(msgspec.json.encode(facts).decode().replace("as in KD", "")))
            assert not told, f"a face was told: {told}"
        elsewhere = msgspec.structs.replace(view, dealer=None, seats=())
        assert not FACE.findall(msgspec.json.encode(elsewhere).decode())
