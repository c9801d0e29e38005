"""Happenings by chance: what dealers, players, supervisors, wires and thieves may do to a table.

A happening is a kind, a seat and a number, and what it means depends on the table as it stands. So a
row of happenings stays meaningful when some of them are left out, which is how a failure is made small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast, get_args

from hypothesis import strategies as st
from msgspec import UNSET

from table_controller.table import messages as m
from table_controller.table.state import DEALER, Alarm
from tests.engine.test_against_the_model import DECK
from tests.table.dealer import AMOUNTS_CENTS, Dealer

PARAMETERS_BY_CHANCE = (
    ("reset", "20000.00"),
    ("coin_value", "5.00"),
    ("meter_share", "0.25"),
    ("reserve_share", "0.05"),
    ("reset", "2000.00"),
    ("meter_limit", "0.00"),
    ("contribution_bound", "0.20"),
    ("odds", "1"),
    ("reset", "-1"),
)
LONGEST_ROW = 60


class Happening(NamedTuple):
    """One thing that happens: its kind, the seat it is about, and a number for whatever it needs."""

    kind: str
    seat: int
    number: int


class Hands(Dealer):
    """Everybody and everything at the table: they look at it and something happens."""

    def happen(self, happening: Happening) -> None:
        """Let it happen."""
        seat = happening.seat % self._seats + 1
        KINDS[happening.kind][1](self, seat, happening.number)

    def _chips(self, spot: m.Spot, seat: int) -> None:
        lying = self._look().seat(seat).stack(spot).chips
        self._send(m.ChipsLifted(spot, seat) if lying else m.ChipsPlaced(spot, seat))

    def spot(self, seat: int, number: int) -> None:
        """Chips come or go."""
        self._chips(get_args(m.Spot)[number % 3], seat)

    def amount(self, seat: int, number: int) -> None:
        """An amount is keyed, added, taken back, repeated."""
        spot: m.Spot = get_args(m.Spot)[number % 3]
        cents = AMOUNTS_CENTS[number % len(AMOUNTS_CENTS)]
        if number % 13 == 0:
            seat = number % 10
        row: tuple[m.AnyCommand, ...] = (
            m.SetAmount(spot, seat, cents),
            m.SetAmount(spot, seat, 2 * cents),
            m.AddAmount(spot, seat, cents),
            m.RepeatAmounts(seat),
            m.DoubleAmounts(0 if number % 2 else seat),
            m.UndoAmount(),
            m.ClearAmounts(seat),
            m.ReturnExcess(seat, cents),
        )
        self.say(row[number % 8])

    def coin(self, seat: int, number: int) -> None:
        """A token falls, or something that is none; one is given back or claimed."""
        faults = get_args(m.CoinFault)
        if number % 6 == 0:
            self._send(m.CoinFaulted(seat, faults[number % len(faults)]))
        elif number % 6 == 1:
            self.say(m.ReturnCoin(seat))
        elif number % 12 == 2:
            self.say(m.Claim(seat))
        else:
            self._send(m.CoinDropped(seat))

    def key(self, seat: int, number: int) -> None:
        """Any key, on the pad or on the panel."""
        keys = get_args(m.Key)
        key = keys[number % 5]
        if number % 2:
            self._send(m.KeyPressed(key))
        else:
            self.say(m.PressKey(key))

    def card(self, seat: int, number: int) -> None:
        """A card leaves the shoe that need not."""
        self._card(self._next_card(), boxed=number % 6 == 0)

    def bad_card(self, seat: int, number: int) -> None:
        """A card that is out already, of no deck, unread, or lost."""
        if number % 4 == 0:
            self._card(self._out(number // 4))
        elif number % 4 == 1:
            self._card("JK", boxed=number % 3 == 0)
        elif number % 4 == 2:
            self._next_card()
            self._send(m.CardUnreadable(self._seq()))
        else:
            missing = 60 if number > 55 else 1 + number // 4 % 3
            for _ in range(missing):
                self._next_card()
            self._send(m.FrameLost(missing, self._seq(missing)))

    def shoe(self, seat: int, number: int) -> None:
        """The shoe's line: a damaged frame, away, back, back without its memory."""
        if number % 3 == 0:
            self._send(m.BadFrame())
        elif number % 3 == 1 and self._look().shoe_present:
            self._send(m.ShoeLost())
        else:
            self._boot_id += number % 5 == 0
            self._send(m.ShoeFound(self._boot_id, self._shoe_seq))

    def count(self, seat: int, number: int) -> None:
        """Cards of a place are counted."""
        self.say(m.StateCount(self._place(seat, number), (4, 6, 5, 3, 0, 53)[number % 6]))

    def _place(self, seat: int, number: int) -> str:
        return ("d", DEALER, "X", "9", DEALER)[number % 5] if number % 11 < 5 else str(seat)

    def statement(self, seat: int, number: int) -> None:
        """Something is said about a card."""
        card = DECK[number % 52] if number % 7 == 0 else self._out(number)
        place = self._place(seat, number)
        row: tuple[m.AnyCommand, ...] = (
            m.MoveCard(card, place),
            m.DiscardCard(card.lower()),
            m.StateUpcard(card),
            m.StateExposed(card),
            m.RescanCard(card if number % 3 else "XX"),
            m.StateHand(place, tuple(self._out(number + each) for each in range(5))),
        )
        self.say(row[number // 2 % 6])

    def hands(self, seat: int, number: int) -> None:
        """The hands that decide are read out."""
        self._state_hands(number % 2 == 1)

    def tokens(self, seat: int, number: int) -> None:
        """Tokens or the rest of the deck are counted."""
        state = self._look()
        wrong = number % 3 == 0
        if number % 2:
            self.say(m.CountTokens(sum(each.coin == "bet" for each in state.seats) + wrong))
        else:
            self.say(m.CountStub(max(0, 52 - len(state.cards) - wrong)))

    def decide(self, seat: int, number: int) -> None:
        """A fold, or a raise with a keyed amount that may be wrong."""
        ante_cents = self._look().seat(seat).ante_cents
        if number % 3 == 0:
            self.say(m.Fold(seat))
        elif number % 3 == 1:
            self._chips("raise", seat)
        else:
            self.say(m.SetAmount("raise", seat, (1, 2, 3)[number % 2 + number % 3 - 2] * ante_cents))

    def word(self, seat: int, number: int) -> None:
        """A supervisor's word, right or wrong."""
        row: tuple[m.AnyCommand, ...] = (
            m.Withdraw(),
            m.Resume(),
            m.DeadHand(seat, "count"),
            m.DeadHand(seat, "conduct"),
            m.KillHand(seat),
            m.FoldShort(seat),
            m.ReturnExcess(seat, 500 + number % 2),
            m.NewDeck(),
            m.VoidRound(),
            m.Withdraw(),
            m.Resume(),
            m.DeadHand(8, "conduct"),
        )
        self.sup(row[number % len(row)])

    def parameter(self, seat: int, number: int) -> None:
        """A parameter of the progressive is to be another one from the next royal on."""
        option, value = PARAMETERS_BY_CHANCE[number % len(PARAMETERS_BY_CHANCE)]
        self.sup(m.SetParameter(option, value, "A-1" if number % 7 else ""))

    def withdraw(self, seat: int, number: int) -> None:
        """The last statement was a slip."""
        self.sup(m.Withdraw())

    def award(self, seat: int, number: int) -> None:
        """One person confirms or rejects an award, perhaps one that nobody waits for."""
        waits = [one.award.seat for one in self._look().awards if one.status == "waits"]
        if waits and number % 5:
            seat = waits[number % len(waits)]
        command = m.RejectAward(seat) if number % 4 == 0 else m.ConfirmAward(seat)
        role: m.Role = "supervisor" if number % 3 else "dealer"
        self.say(command, role, ("ann", "bob", role)[number % 3])

    def health(self, seat: int, number: int) -> None:
        """Meter, display, door, mains and lamps."""
        line: m.HealthLine = get_args(m.HealthLine)[number % 4]
        if number % 5 == 0:
            self._send(m.LampFailed(seat) if number % 2 else m.LampMended(seat))
        else:
            self._send(m.HealthChanged(line, bool(number // 4 % 2)))

    def time(self, seat: int, number: int) -> None:
        """Time passes; how much is in the stamp."""
        for _ in range(1 + number % 5):
            self._send(m.TimePassed())

    def power(self, seat: int, number: int) -> None:
        """The service is killed and starts again; meanwhile hands did something to the felt."""
        state = self._look()
        covered = {
            (n, spot) for n, at in state.numbered() for spot in get_args(m.Spot) if at.stack(spot).chips
        }
        if number % 3 == 0:
            covered ^= {(seat, get_args(m.Spot)[number // 3 % 3])}
        well = number % 7 > 0
        spots = tuple(m.SpotAt(n, cast(m.Spot, spot)) for n, spot in sorted(covered))
        door, mains = ((UNSET, True), (True, UNSET), (False, False))[number % 3]
        program = ("", "ab12", "cd34")[number // 4 % 3]
        self._send(m.Started(spots, well, number % 11 > 0, "test", self._house, door, mains, program))
        if number % 2:
            self._boot_id += number % 9 == 0
            self._send(m.ShoeFound(self._boot_id, self._shoe_seq))

    def duty(self, seat: int, number: int) -> None:
        """Dealers come and go, decks are changed, alarms are seen to."""
        alarms = self._look().alarms
        alarm = alarms[number % len(alarms)] if alarms else Alarm("late_coin", str(seat))
        operator = ("ann", "bob")[number // 5 % 2]
        row: tuple[m.AnyCommand, ...] = (
            m.LogOn(),
            m.LogOff(),
            m.UseDeck(("deck-2", "blue", "deck-1", "")[number // 5 % 4]),
            m.NewDeck(("red", "blue", "deck-1")[number // 5 % 3]),
            m.ClearAlarm(alarm.alarm, alarm.place),
        )
        self.say(row[number % 5], "supervisor" if number % 2 else "dealer", operator)

    def day(self, seat: int, number: int) -> None:
        """Days, shifts, and somebody sets the clock."""
        row: tuple[m.AnyCommand, ...] = (
            m.CloseDay(),
            m.OpenDay(),
            m.ChangeShift(("early", "late", "night", " ")[number // 3 % 4]),
        )
        if number % 5 == 0:
            self._send(m.ClockSet((-3_600_000, 5_000)[number % 2]))
        else:
            self.sup(row[number % 3])

    def owed(self, seat: int, number: int) -> None:
        """A confirmed award is paid, withheld or released, perhaps one that nobody is owed."""
        books = self._look().books
        documents = [*(books.owed if books is not None else ()), "T1-A000001"]
        document = documents[number // 5 % len(documents)]
        if number % 5 < 3:
            self.sup(m.WithholdHit(document, get_args(m.Withholding)[number % 3]))
        if number % 5 > 1:
            self.sup(m.PayHit(document, get_args(m.Cashier)[number % 2]))
        if number % 3:
            self.sup(m.ReleaseHit(document))

    def correct(self, seat: int, number: int) -> None:
        """A pot is corrected."""
        self._correct(number)

    def trial(self, seat: int, number: int) -> None:
        """The table is tried: lamps, slots and keys by chance."""
        row: tuple[m.AnyCommand, ...] = (
            m.BeginTrial("the office" if number % 7 else ""),
            m.TrySeat(seat if number % 4 else 0),
            m.LampSeen(seat),
            m.EndTrial(),
        )
        self.say(row[number % 7 % 4], "supervisor")
        if number % 3 == 0:
            self._send(m.CoinDropped(seat))

    def late_word(self, seat: int, number: int) -> None:
        """A word about another round."""
        self.say(m.VoidRound(), "supervisor", round_="T1-20000101-000000-000000")


KINDS: dict[str, tuple[int, Callable[[Hands, int, int], None]]] = {
    "go_on": (62, Dealer.go_on),
    "spot": (3, Hands.spot),
    "amount": (4, Hands.amount),
    "coin": (4, Hands.coin),
    "key": (2, Hands.key),
    "card": (3, Hands.card),
    "bad_card": (2, Hands.bad_card),
    "shoe": (1, Hands.shoe),
    "count": (4, Hands.count),
    "statement": (10, Hands.statement),
    "hands": (1, Hands.hands),
    "tokens": (1, Hands.tokens),
    "decide": (4, Hands.decide),
    "word": (6, Hands.word),
    "parameter": (2, Hands.parameter),
    "withdraw": (2, Hands.withdraw),
    "award": (3, Hands.award),
    "health": (2, Hands.health),
    "time": (2, Hands.time),
    "power": (1, Hands.power),
    "duty": (3, Hands.duty),
    "day": (2, Hands.day),
    "owed": (3, Hands.owed),
    "correct": (1, Hands.correct),
    "trial": (2, Hands.trial),
    "late_word": (1, Hands.late_word),
}
"""Every kind of happening, how often it comes, and what it does."""

_HAPPENING = st.builds(
    Happening,
    st.sampled_from([kind for kind, (often, _) in KINDS.items() for _ in range(often)]),
    st.integers(0, 6),
    st.integers(0, 59),
)
HAPPENINGS_BY_CHANCE = st.one_of(
    st.lists(_HAPPENING, max_size=LONGEST_ROW),
    *[st.lists(_HAPPENING, min_size=35, max_size=LONGEST_ROW)] * 3,
)
