"""The next right thing at a table, whatever state it is in: most of every row of happenings is that.

Without it rows by chance would hardly ever come to a deal, and never to an award.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import get_args

from table_controller.table import messages as m
from table_controller.table.deal import base_order, by_order, cards_due, cards_unaccounted, places_that_decide
from table_controller.table.state import DEALER, PHASES_IN_PLAY, TableState, rules_now
from tests.engine.test_against_the_model import DECK, stacked_hand
from tests.table.houses import Table

AMOUNTS_CENTS = (500, 1000, 2500, 333, 10_000, 0, 1)


class Dealer:
    """A dealer and a shoe who know what comes next, and a supervisor beside them.

    `send` hands a message to the table, `look` shows the table as it stands after that.
    """

    def __init__(self, table: Table, send: Callable[[m.AnyMessage], None], look: Callable[[], TableState]):
        self._rules = table.known.rules
        self._seats = table.known.seats
        self._house = table.known
        self._dice = random.Random(table.dice_seed)
        self._send = send
        self._look = look
        self._shoe_seq = 1
        self._boot_id = 7
        self._round = ""
        self._deck: list[str] = []
        self._stacked = False

    def say(
        self, command: m.AnyCommand, role: m.Role = "dealer", operator: str = "", round_: str = ""
    ) -> None:
        """Somebody says it."""
        self._send(m.Said(command, operator or role, role, "because", round_))

    def sup(self, command: m.AnyCommand) -> None:
        """A supervisor says it."""
        self.say(command, "supervisor")

    # ------------------------------------------------------------------------------- the shoe

    def _next_card(self) -> str:
        state = self._look()
        if state.round != self._round:
            self._round, self._stacked = state.round, False
            self._deck = list(DECK)
            self._dice.shuffle(self._deck)
        if not self._stacked and state.phase in PHASES_IN_PLAY:
            self._stacked = True
            self._stack(state)
        if not self._deck:
            return "JK"
        return self._deck.pop(0)

    def _stack(self, state: TableState) -> None:
        """Lay the deck so that hands which are rare at a table are everyday here."""
        order = base_order(self._rules, state)
        if len(self._deck) < len(order):
            return
        hands = {p: stacked_hand(self._dice, self._deck, p == DEALER) for p in dict.fromkeys(order)}
        self._deck = [hands[place].pop() for place in order] + self._deck

    def _card(self, face: str, boxed: bool = False) -> None:
        self._send(m.CardScanned(face, boxed, self._seq()))

    def _seq(self, cards: int = 1) -> int:
        self._shoe_seq += cards
        return self._shoe_seq - cards

    def _cards(self, count: int) -> None:
        for _ in range(count):
            self._card(self._next_card())

    def _out(self, number: int) -> str:
        """A card that left the shoe, rather one too many; any card if none has."""
        cards = self._look().cards
        extra = [card.card for card in cards if card.fate == "extra" and card.card]
        out = extra if extra and number % 3 == 0 else [card.card for card in cards if card.card]
        return out[number % len(out)] if out else DECK[number % 52]

    # -------------------------------------------------------------------- the next right thing

    def go_on(self, seat: int, number: int) -> None:
        """What a dealer or supervisor would do now so that the round goes on."""
        state = self._look()
        if state.trial is not None:
            self._end_trial(number)
        elif not state.shoe_present:
            self._send(m.ShoeFound(self._boot_id, self._shoe_seq))
        elif state.held:
            self._heal(number)
        elif (state.new_deck_due or state.deck_short) and state.phase not in PHASES_IN_PLAY:
            self.sup(m.NewDeck())
        else:
            NEXT[state.phase](self, seat, number)

    def _heal(self, number: int) -> None:
        state = self._look()
        hold = state.holds[number % len(state.holds)]
        place = hold.places[0] if hold.places else ""
        if hold.void_only:
            if number % 4 == 1:
                self.sup(m.Resume())
            self.sup(m.VoidRound())
        elif hold.reason in ("unreadable_card", "frame_lost"):
            self.say(m.RescanCard(self._next_card()))
        elif hold.reason == "player_miscount":
            self.sup(m.DeadHand(int(place), "count"))
        elif hold.reason == "extra_hand":
            self.say(m.StateCount(place, 5))
            self.sup(m.KillHand(int(place)))
        elif hold.reason == "deck_short":
            self.say(m.CountStub(52 - len(state.cards)))
        elif hold.reason == "jackpot_hold" and number % 6 == 5:
            self.sup(m.VoidRound())
        elif hold.reason.startswith("jackpot"):
            self.say(m.CountStub(52 - len(state.cards)))
            word = m.RejectAward if number % 4 == 0 else m.ConfirmAward
            self.sup(word(int(place)))
            self.say(word(int(place)))
        else:
            self.sup(m.Resume())

    def _end_trial(self, number: int) -> None:
        """Everything is tried before the trial ends, most of the time."""
        if number % 4:
            for key in get_args(m.Key):
                self._send(m.KeyPressed(key))
            for each, _ in self._look().numbered():
                self._send(m.LampMended(each))
                self.say(m.TrySeat(each))
                self.say(m.LampSeen(each))
        self.sup(m.EndTrial())

    def _open_day(self, number: int) -> None:
        books = self._look().books
        if self._house.walk and books is not None and not books.walked:
            self.sup(m.BeginTrial("the office"))
            self._end_trial(number)
        self.sup(m.OpenDay())

    def _between_rounds(self, number: int) -> None:
        """What is done only when nothing is at stake: payments, corrections, the end of a day."""
        books = self._look().books
        if books is None:
            return
        if books.owed and number % 6 == 1:
            self.sup(m.PayHit(next(iter(books.owed)), "cage" if number % 4 == 1 else "table"))
        if number % 9 == 0:
            self._correct(number)
        if books.day_open and number % 4 == 3:
            self.sup(m.CloseDay())

    def _correct(self, number: int) -> None:
        """Two people say what a pot must show; some of it cannot be."""
        meter = self._look().meter
        pot = get_args(m.Pot)[number // 3 % 3]
        shown_cents = (
            0
            if meter is None
            else {"meter": meter.cents, "overflow": meter.overflow_cents, "reserve": meter.reserve_cents}[pot]
        )
        cents = max(0, shown_cents + (-1, 50, -777, 100_000, -shown_cents)[number % 5])
        word = m.CorrectMeter(pot, cents, get_args(m.Correction)[number // 2 % 5], "A-3")
        self.say(word, "supervisor", "ann")
        self.say(word, "dealer", "bob" if number % 8 else "Ann ")

    def _open(self, seat: int, number: int) -> None:
        self._between_rounds(number)
        if self._house.gaming_day and self._look().closed:
            self._open_day(number)
        if number % 8:
            for each, at in self._look().numbered():
                for spot in get_args(m.Spot):
                    if at.stack(spot).chips:
                        self._send(m.ChipsLifted(spot, each))
        self._send(m.KeyPressed("open"))

    def _bet(self, seat: int, number: int) -> None:
        state = self._look()
        if number % 3 == 0 and any(each.ante.laid for each in state.seats):
            self._send(m.KeyPressed("lock"))
            return
        seat = next((n for n, each in state.numbered() if n >= seat and not each.ante.laid), seat)
        amount = AMOUNTS_CENTS[number % 5]
        if not state.seat(seat).ante.chips:
            self._send(m.ChipsPlaced("ante", seat))
        self.say(m.SetAmount("ante", seat, amount))
        if number % 2:
            self._send(m.CoinDropped(seat))
        if self._rules.has_bonus and number % 5 < 3:
            self._send(m.ChipsPlaced("bonus", seat))
            self.say(m.SetAmount("bonus", seat, AMOUNTS_CENTS[number % 3]))

    def _deal(self, seat: int, number: int) -> None:
        state = self._look()
        if self._rules.token_count == "required" and not state.tokens_counted:
            self.say(m.CountTokens(sum(each.coin == "bet" for each in state.seats) + (number % 8 == 3)))
        due = cards_due(state)
        self._cards(due if number % 4 else number % (due + 1))
        out = [card.card for card in self._look().cards if card.card]
        if number % 16 == 4:
            self._card(self._next_card(), boxed=True)
        elif number % 16 == 8 and out:
            self.say(m.StateExposed(out[seat % len(out)]))
        elif number % 16 == 12:
            self.say(m.StateCount(DEALER, 4))

    def _decide(self, seat: int, number: int) -> None:
        state = self._look()
        if cards_unaccounted(state):
            extra = [card.card for card in state.cards if card.fate == "extra"]
            if not extra or number % 4 == 0:
                self.sup(m.VoidRound())
            elif number % 4 == 1:
                self.say(m.MoveCard(extra[-1], DEALER if number % 8 == 1 else str(seat)))
            else:
                self.say(m.DiscardCard(extra[-1]))
        elif any(each.undecided for each in state.seats):
            for each, at in state.numbered():
                if at.undecided and number * each % 4 == 1:
                    self.say(m.Fold(each))
                elif at.undecided:
                    self._send(m.ChipsPlaced("raise", each))
        elif any(each.raise_wrong for each in state.seats):
            wrong = next(n for n, each in state.numbered() if each.raise_wrong)
            self.say(m.SetAmount("raise", wrong, 2 * state.seat(wrong).ante_cents))
        elif self._rules.upcard == "declared" and not state.upcard:
            cards = by_order(state, DEALER) or state.cards
            self.say(m.StateUpcard(cards[number % len(cards)].card))
            self._send(m.KeyPressed("close"))
        else:
            self._send(m.KeyPressed("close"))

    def _reveal(self, seat: int, number: int) -> None:
        state = self._look()
        if cards_due(state):
            self._cards(cards_due(state))
        elif state.doubt and number % 5:
            self._state_hands(number % 4 == 1)
        self._send(m.KeyPressed("reveal"))

    def _state_hands(self, careless: bool) -> None:
        """Every hand that decides is read out: as the order has it, and then whatever cards are left.

        A careless dealer takes them from the rack too.
        """
        state = self._look()
        felt = [card for card in state.cards if card.on_felt or careless]
        for place in places_that_decide(rules_now(self._house, state), state):
            own = [card for card in felt if place in (card.place, card.laid)]
            chosen = [*own, *(card for card in felt if card not in own and not card.place), *felt][:5]
            felt = [card for card in felt if card not in chosen]
            self.say(m.StateHand(place, tuple(card.card for card in chosen)))
            if chosen and place == DEALER and not self._look().upcard:
                self.say(m.StateUpcard(chosen[-1].card))

    def _clear(self, seat: int, number: int) -> None:
        state = self._look()
        if state.stub_due:
            self.say(m.CountStub(52 - len(state.cards)))
        self._send(m.KeyPressed("clear"))


NEXT: dict[str, Callable[[Dealer, int, int], None]] = {
    "idle": Dealer._open,
    "betting": Dealer._bet,
    "dealing": Dealer._deal,
    "deciding": Dealer._decide,
    "revealing": Dealer._reveal,
    "settled": Dealer._clear,
    "void": Dealer._clear,
}
