"""The table as one value, and the questions that are asked of it.

`TableState` is all that the table knows; nothing about the table is kept anywhere else. `step` works
on a private copy of it (the draft) and hands the draft back, so that to everybody else a state never
changes. It encodes to JSON in one way only, which is what the digest of a journal entry is made of.
"""

from __future__ import annotations

import functools
from typing import Literal

import msgspec

from table_controller.engine.house_rules import HouseRules, with_parameters
from table_controller.engine.progressive import Award, Meter, Share
from table_controller.engine.settlement import Outcome
from table_controller.table.messages import (
    AnyMessage,
    CorrectMeter,
    DeathCause,
    House,
    Phase,
    Spot,
    Stamp,
)

CARDS_IN_A_HAND = 5
CARDS_IN_THE_DECK = 52
DEALER = "D"
RACK = "X"
PHASES_IN_PLAY: tuple[Phase, ...] = ("dealing", "deciding", "revealing")
PHASES_OVER: tuple[Phase, ...] = ("settled", "void", "idle")

Coin = Literal["none", "placed", "bet", "refunded", "lost"]
"""`placed` before LOCK, `bet` in action from LOCK on, `lost` with a dead hand."""

Fate = Literal["due", "extra", "boxed", "burned", "before_lock", "late", "discarded"]
"""What a card is that left the shoe: `due` and `extra` lie on the felt, the others are nobody's."""


class Stack(msgspec.Struct, omit_defaults=True):
    """One betting spot: what its sensor shows and what the dealer has keyed for it."""

    chips: bool = False
    cents: int | None = None
    judge_at_ms: int | None = None
    """When a keyed amount without chips is a stuck sensor (DETAILS.md, Alarms: one second after keying)."""
    stale: bool = False
    """Chips were reported here at OPEN already: without a keyed amount they are no bet."""

    @property
    def laid(self) -> bool:
        """A stack lies here: the sensor says so, or the dealer does, whose word counts."""
        return (self.chips and not self.stale) or self.cents is not None


class Results(msgspec.Struct, omit_defaults=True):
    """What became of the stakes of a seat; None while it is not decided."""

    ante: Outcome | None = None
    raise_: Outcome | None = None
    bonus: Outcome | None = None
    coin: Outcome | None = None


class Seat(msgspec.Struct, omit_defaults=True):
    """One seat in one round."""

    ante: Stack = msgspec.field(default_factory=Stack)
    raise_: Stack = msgspec.field(default_factory=Stack)
    bonus: Stack = msgspec.field(default_factory=Stack)
    ante_cents: int = 0
    """The ante as locked; 0: the seat takes no part."""
    bonus_cents: int = 0
    raise_cents: int = 0
    """The raise as closed: what is owed whatever lies there later."""
    ante_lifted: bool = False
    bonus_lifted: bool = False
    coin: Coin = "none"
    coin_fell_in_fault: bool = False
    share: Share | None = None
    folded: bool = False
    late_raise: bool = False
    dead: DeathCause | None = None
    doubled: bool = False
    results: Results = msgspec.field(default_factory=Results)

    def stack(self, spot: Spot) -> Stack:
        """The stack of a spot."""
        return self.raise_ if spot == "raise" else self.ante if spot == "ante" else self.bonus

    @property
    def live(self) -> bool:
        """The seat has an ante in this round and its hand is not dead."""
        return self.ante_cents > 0 and self.dead is None

    @property
    def raise_lying_cents(self) -> int:
        """What lies on the raise spot; chips without an amount count as exactly twice the ante."""
        if not self.raise_.laid:
            return 0
        return self.raise_.cents if self.raise_.cents is not None else 2 * self.ante_cents

    @property
    def undecided(self) -> bool:
        """The seat has neither raised nor folded."""
        return self.live and not self.folded and not self.raise_.laid

    @property
    def raise_wrong(self) -> bool:
        """A raise lies there that is not exactly twice the ante."""
        return (
            self.live
            and not self.folded
            and self.raise_.laid
            and self.raise_lying_cents != 2 * self.ante_cents
        )


class CardOut(msgspec.Struct, omit_defaults=True):
    """A card that left the shoe in this round. `card` is empty while nobody has read it."""

    card: str
    fate: Fate
    place: str = ""
    """Whose it is by the dealing order; empty where the order does not say."""
    laid: str = ""
    """Where an extra card was stated to lie."""

    @property
    def on_felt(self) -> bool:
        """The card lies at somebody's place, known or not."""
        return self.fate in ("due", "extra")


class Hold(msgspec.Struct, omit_defaults=True):
    """A reason why the table may not go on. `places` are the seats it is about."""

    reason: str
    places: list[str] = msgspec.field(default_factory=list)
    void_only: bool = False


class Alarm(msgspec.Struct, frozen=True):
    """An alarm of this round."""

    alarm: str
    place: str = ""


class Timer(msgspec.Struct, omit_defaults=True):
    """A time limit: what is left of it, and since when it runs (None: it stands still)."""

    left_ms: int
    since_ms: int | None = None

    def left_at(self, at_ms: int) -> int:
        """What is left at that moment, never below 0."""
        return self.left_ms if self.since_ms is None else max(0, self.left_ms - (at_ms - self.since_ms))


class KeyedBefore(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was keyed at a spot before the last keying, for undo."""

    spot: Spot
    seat: int
    cents: int | None


class KeyedBets(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a seat had at LOCK, for repeat."""

    ante_cents: int
    bonus_cents: int


class Waiting(msgspec.Struct, omit_defaults=True):
    """An award and where its decision stands; `first_…` is who said what first, of the two people needed."""

    award: Award
    status: Literal["waits", "paid", "rejected"]
    first_operator: str = ""
    first_supervisor: bool = False
    first_decision: Literal["", "confirm", "reject"] = ""
    document: str = ""
    """The number of its document; empty in a journal that has no books."""
    camera: str = ""


class LevelBook(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was paid for one hand: at once by the dealer, and after two people had confirmed it."""

    dealer_hits: int = 0
    dealer_cents: int = 0
    confirmed_hits: int = 0
    confirmed_cents: int = 0


class Owed(msgspec.Struct, omit_defaults=True):
    """A confirmed award that is not paid yet."""

    round: str
    seat: int
    hand: str
    cents: int
    hold: Literal["", "identity", "tax", "other"] = ""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A correction of a pot that one person has asked for."""

    command: CorrectMeter
    operator: str
    supervisor: bool


class Books(msgspec.Struct, omit_defaults=True):
    """What an inspector asks of a table beside its meter; kept from its installation on.

    `levels` is by the name of the hand, never by its line in the pay table, so that a reordered table
    moves nothing (STANDARDS.md, item 44).
    """

    base_cents: int = 0
    """Where the meter began: at its installation or at its last reset."""
    levels: dict[str, LevelBook] = msgspec.field(default_factory=dict)
    documents: int = 0
    owed: dict[str, Owed] = msgspec.field(default_factory=dict)
    asked: Asked | None = None
    corrected_from_cents: int | None = None
    """Where the meter stood before people corrected it, until an award is paid: a slip can be undone."""
    day: int = 0
    day_open: bool = False
    archive_due: bool = False
    """The day is closed and its file is not archived yet."""
    shift: str = ""
    walked: bool = False
    """Every key and lamp was tried and well since the last day was closed."""
    program: str = ""
    """The program that ran last: its version and the hash over its files."""


class Trial(msgspec.Struct, omit_defaults=True):
    """The table is being tried (STANDARDS.md, item 56)."""

    operator: str
    notified: str
    seat: int = 0
    """The seat whose lamp is lit and whose slot is open; 0: none."""
    tried: list[str] = msgspec.field(default_factory=list)
    failed: list[str] = msgspec.field(default_factory=list)


class BeforeAwards(msgspec.Struct, frozen=True, omit_defaults=True):
    """The progressive as it was before its awards, for a void that takes them back."""

    meter: Meter
    parameters: dict[str, str]
    pending: dict[str, str]
    levels: dict[str, LevelBook] | None = None
    """The books of the hands and the base as they were; None where there were no books."""
    base_cents: int = 0


class Past(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message since the last statement, kept so that the statement can be taken back alone."""

    stamp: Stamp
    message: AnyMessage


class DeckBook(msgspec.Struct, omit_defaults=True):
    """What is known of one deck across rounds (`deck`)."""

    rounds: int = 0
    sizes: list[int] = msgspec.field(default_factory=list)
    """How many different cards came in each of the last rounds."""
    last_seen: list[int] = msgspec.field(default_factory=list)
    """For each card, in the order of the engine's deck, the round of this deck in which it came last."""
    order: list[str] = msgspec.field(default_factory=list)
    counted_rounds: int = 0
    counted_in: str = ""
    defective: bool = False


class TableState(msgspec.Struct, omit_defaults=True):
    """Everything the table knows."""

    phase: Phase = "idle"
    round: str = ""
    result: Literal["", "settled", "void"] = ""
    rounds: int = 0
    seats: list[Seat] = msgspec.field(default_factory=list)
    cards: list[CardOut] = msgspec.field(default_factory=list)
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    """How many cards a place ends up with, where that is stated to be other than the rule."""
    killed: list[str] = msgspec.field(default_factory=list)
    dealer_short_after: int | None = None
    """How many cards had left when the dealer's four were stated that one more card completes."""
    doubt: bool = False
    hands: dict[str, list[str]] = msgspec.field(default_factory=dict)
    upcard: str = ""
    exposed: list[str] = msgspec.field(default_factory=list)
    tokens_counted: bool = False
    holds: list[Hold] = msgspec.field(default_factory=list)
    alarms: list[Alarm] = msgspec.field(default_factory=list)
    betting: Timer | None = None
    betting_over: bool = False
    """The betting time ended over an empty table: it starts anew with the first ante."""
    lock_due: bool = False
    """The betting time ended and LOCK was refused: it is tried again by itself."""
    decision: Timer | None = None
    meter: Meter | None = None
    at_lock_cents: int = 0
    before_awards: BeforeAwards | None = None
    reset_done: bool = False
    """A royal of this round was paid, so the meter stands at the reset already."""
    awards: list[Waiting] = msgspec.field(default_factory=list)
    main_void: bool = False
    """The main game is void and the round goes on for the progressive alone (`progressive_only`)."""
    meter_well: bool = True
    display_well: bool = True
    door_well: bool = True
    mains_well: bool = True
    shoe_present: bool = False
    shoe_boot_id: int = 0
    shoe_next_seq: int = 0
    lamps_failed: list[int] = msgspec.field(default_factory=list)
    dealer: str = ""
    """The dealer on duty; empty while nobody has logged on."""
    cleared: list[Alarm] = msgspec.field(default_factory=list)
    deck: str = "deck-1"
    round_deck: str = ""
    """The deck that was in use at LOCK of this round."""
    decks_made: int = 1
    decks: dict[str, DeckBook] = msgspec.field(default_factory=dict)
    new_deck_due: bool = False
    deck_short: bool = False
    deck_counted: bool = False
    rounds_since_count: int = 0
    stub_due: bool = False
    repeatable: dict[str, KeyedBets] = msgspec.field(default_factory=dict)
    keyed: list[KeyedBefore] = msgspec.field(default_factory=list)
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    parameters_pending: dict[str, str] = msgspec.field(default_factory=dict)
    books: Books | None = None
    """None only in journals from before there were books."""
    trial: Trial | None = None
    before_statement: bytes | None = None
    """The state before the last statement, encoded; None when there is nothing to take back."""
    statement: str = ""
    since_statement: list[Past] = msgspec.field(default_factory=list)

    # ------------------------------------------------------------------------------- questions

    def seat(self, number: int) -> Seat:
        """The seat with that number, 1 at the dealer's left."""
        return self.seats[number - 1]

    def numbered(self) -> list[tuple[int, Seat]]:
        """All seats with their numbers, from seat 1 up."""
        return list(enumerate(self.seats, start=1))

    @property
    def held(self) -> bool:
        """A hold stands."""
        return bool(self.holds)

    @property
    def shown(self) -> str:
        """The one word for `round` and `see phase` (DETAILS.md, Holds)."""
        return "hold" if self.holds else self.phase

    @property
    def closed(self) -> bool:
        """No gaming day is open; means nothing at a table that has no gaming days."""
        return self.books is not None and not self.books.day_open

    def hold(self, reason: str) -> Hold | None:
        """The hold with that reason, if it stands."""
        return next((hold for hold in self.holds if hold.reason == reason), None)

    def has_alarm(self, alarm: str, place: str = "") -> bool:
        """That alarm was raised in this round."""
        return Alarm(alarm, place) in self.alarms

    @property
    def progressive_well(self) -> bool:
        """Meter and display are both well."""
        return self.meter_well and self.display_well


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(TableState)


def encode_state(state: TableState) -> bytes:
    """The one encoding of a state; its digest is the hash of these bytes."""
    return _encoder.encode(state)


def decode_state(data: bytes) -> TableState:
    """A state from its encoding; raises `msgspec.ValidationError` naming the place."""
    return _decoder.decode(data)


def new_state(house: House) -> TableState:
    """A table that nothing has ever happened to: idle, the meter at `meter_start`."""
    rules = house.rules
    meter = Meter.starting_at(rules.meter_start_cents) if rules.has_progressive else None
    return TableState(seats=[Seat() for _ in range(house.seats)], meter=meter)


def rules_now(house: House, state: TableState) -> HouseRules:
    """The house rules with the parameters of the progressive that were changed at this table."""
    return _changed(house.rules, tuple(state.parameters.items())) if state.parameters else house.rules


@functools.lru_cache(maxsize=8)
def _changed(rules: HouseRules, parameters: tuple[tuple[str, str], ...]) -> HouseRules:
    return with_parameters(rules, dict(parameters))
