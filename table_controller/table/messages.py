"""Everything that is said to the table and by it: events, commands, facts.

One vocabulary serves the inbox, the journal and the wire, so that nothing is translated twice.

* An **event** is what the world says happened; it is in the past tense and cannot be refused.
* A **command** is what a person asks; it is in the imperative and can be refused with a reason.
  A command reaches the table inside `Said`, which names who asked, in which role and why.
* A **fact** is what the table decided. Facts are published: they never hold a card that lies face
  down (DETAILS.md raises the only exceptions, the alarms on a face).

Cards are two-letter texts as on the wire (`KD`, `TC`; `JK` is foreign to every deck), places are
`"1"`..`"7"`, `"D"` (dealer) and `"X"` (discard rack), money is whole cents, times are milliseconds.
What stands at UNSET was not told and is not encoded: a message that learns a field changes no older digest.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from table_controller.engine.house_rules import HouseRules

Phase = Literal["idle", "betting", "dealing", "deciding", "revealing", "settled", "void"]
Spot = Literal["ante", "raise", "bonus"]
Key = Literal["lock", "close", "reveal", "clear", "open"]
Role = Literal["dealer", "supervisor"]
HealthLine = Literal["meter", "display", "door", "mains"]
CoinFault = Literal["stuck", "reverse", "sequence", "too_fast", "too_slow", "close_coin", "light"]
DeathCause = Literal["count", "conduct"]
Pot = Literal["meter", "overflow", "reserve"]
Correction = Literal["display_wrong", "over_maximum", "undisplayed_taken", "seed_recovered", "added_by_house"]
"""The listed reasons of a correction; the first and the last may raise a pot, all but the last lower it."""
Cashier = Literal["table", "cage"]
Withholding = Literal["identity", "tax", "other"]
Trespass = Literal[
    "no_key",
    "no_handshake",
    "unknown_key",
    "revoked_key",
    "fault",
    "role",
    "operator",
    "other_body",
    "repeated",
    "wrong_pin",
    "locked_out",
]
"""Why somebody was refused at the door: what was wrong with his key, or with what he asked under it.

The last two are told by a gateway, which knows people by their PIN.
"""


class Message(msgspec.Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """The root of every event, command and fact: immutable, tagged with its own name."""


class Stamp(msgspec.Struct, frozen=True):
    """When something reached the table.

    `at_ms` is the table's own time: it never runs backwards, stands still while the service is
    down, and is the only time that rules look at. `wall_ms` is UTC since 1970, a label for people.
    """

    at_ms: int
    wall_ms: int


class House(msgspec.Struct, frozen=True):
    """What is fixed while the service runs: the table, its house rules and its limits.

    `minimum_cents` 0: no limit, and chips without a keyed amount are then no bet.
    """

    table: str
    seats: int
    rules: HouseRules
    minimum_cents: int = 0
    maximum_cents: int = 0
    bonus_minimum_cents: int = 0
    bonus_maximum_cents: int = 0
    chips_cents: tuple[int, ...] = ()
    gaming_day: bool | UnsetType = UNSET
    """Rounds are played only inside a gaming day, which a supervisor opens and closes."""
    walk: bool | UnsetType = UNSET
    """A gaming day is opened only after every key and every jackpot lamp was tried since the last one."""
    approval: str | UnsetType = UNSET
    """The reference under which the files were approved, and by whom."""


# ------------------------------------------------------------------------------------- events


class Event(Message, frozen=True):
    """Something the world says has happened."""


class SpotAt(msgspec.Struct, frozen=True, order=True):
    """One betting spot of one seat."""

    seat: int
    spot: Spot


class Change(msgspec.Struct, frozen=True):
    """One place of the configuration that says something else than before."""

    place: str
    before: str
    after: str


class Installed(Event, frozen=True):
    """The table begins: its meter stands at `meter_start`, accepted by two people under an approval.

    After a loss (`recovery` says which) it stands at `meter_cents`, what those two have read and signed.
    """

    house: House
    operators: tuple[str, str]
    approval: str
    software: str
    manifest: str
    """The hash over the files of the program (`manifest`)."""
    recovery: str = ""
    meter_cents: int | None = None
    day: int = 0
    rounds: int = 0
    documents: int = 0
    """After a loss: up to where numbers may have been given already."""


class CarriedAnswer(msgspec.Struct, frozen=True):
    """What a command of the day before was answered, so that its id has no second effect."""

    sender: str
    id: str
    body_hash: str
    seq: int
    ok: bool
    error: str


class Carried(Event, frozen=True):
    """The first entry of a new file: the table as the closed day left it.

    `file` is the archived file of that day, `entries` how many it has and `head` the hash over them, so
    that the chain goes on from file to file. `state` is the whole table.
    """

    house: House
    file: str
    entries: int
    head: str
    state: msgspec.Raw
    answers: tuple[CarriedAnswer, ...] = ()


class Recovered(Event, frozen=True):
    """A journal was lost after `Carried`, what the newest archived day left: two people say how it goes on.

    The meter stands at `meter_cents`, what both have read and signed. Numbers up to `day`, `rounds` and
    `documents` may have been given by the lost journal and are never given again.
    """

    operators: tuple[str, str]
    approval: str
    recovery: str
    meter_cents: int
    day: int
    rounds: int
    documents: int


class Started(Event, frozen=True):
    """The service runs (again); what every sensor shows now, read before anything else."""

    covered: tuple[SpotAt, ...]
    meter_well: bool
    display_well: bool
    software: str
    house: House | None = None
    """Added by the composition root: a journal replays without any other file."""
    door_well: bool | UnsetType = UNSET
    mains_well: bool | UnsetType = UNSET
    manifest: str | UnsetType = UNSET
    changes: tuple[Change, ...] | UnsetType = UNSET
    """What the files say now and said otherwise before."""


class ClockSet(Event, frozen=True):
    """The wall clock was set by so much; the order of entries and every time limit stay as they are."""

    by_ms: int


class AccessTried(Event, frozen=True):
    """Somebody asked for what his key does not open, so many times since the last such entry.

    `who` is the name of the key, or of the person whose PIN was wrong, if it is known, `word` what was asked,
    `address` where from if it is known.
    """

    why: Trespass
    who: str
    word: str
    address: str
    times: int


class KeysRead(Event, frozen=True):
    """The register of keys was read: every key in force as `NAME ROLE`."""

    keys: tuple[str, ...]


class CardScanned(Event, frozen=True):
    """A card left the shoe. `boxed`: it lay face up. `shoe_seq`: its number at the shoe."""

    card: str
    boxed: bool
    shoe_seq: int


class CardUnreadable(Event, frozen=True):
    """A card left the shoe and could not be read."""

    shoe_seq: int


class FrameLost(Event, frozen=True):
    """`missing` card events are lost for good; `shoe_seq` is the first number that is lost."""

    missing: int
    shoe_seq: int


class BadFrame(Event, frozen=True):
    """A damaged frame was thrown away by the link; no card is lost by that."""


class ShoeLost(Event, frozen=True):
    """The shoe does not answer."""


class ShoeFound(Event, frozen=True):
    """The shoe answers. A `boot_id` other than before means it was restarted and lost its memory."""

    boot_id: int
    next_seq: int


class ChipsPlaced(Event, frozen=True):
    """A bet sensor is covered."""

    spot: Spot
    seat: int


class ChipsLifted(Event, frozen=True):
    """A bet sensor is free again."""

    spot: Spot
    seat: int


class CoinDropped(Event, frozen=True):
    """One token fell through the slot of a seat, past both beams in the right order and time.

    `beams_us` is how long each state of the beams lasted, in microseconds: upper dark, both, lower.
    """

    seat: int
    beams_us: tuple[int, ...] | UnsetType = UNSET


class CoinFaulted(Event, frozen=True):
    """The beams of a slot showed something that is no coin."""

    seat: int
    fault: CoinFault
    beams_us: tuple[int, ...] | UnsetType = UNSET
    """How long each state of the beams lasted until then, in microseconds, as far as it was seen."""


class LampFailed(Event, frozen=True):
    """The sense line of a jackpot lamp contradicts the lamp."""

    seat: int


class LampMended(Event, frozen=True):
    """The sense line of a jackpot lamp agrees again."""

    seat: int


class KeyPressed(Event, frozen=True):
    """A key of the dealer's key pad went down."""

    key: Key


class HealthChanged(Event, frozen=True):
    """A health line changed: the meter, its display, the door or the mains."""

    line: HealthLine
    well: bool


class TimePassed(Event, frozen=True):
    """The moment that `state.due_at_ms` asked for has come."""


# ----------------------------------------------------------------------------------- commands


class Command(Message, frozen=True):
    """Something a person asks of the table."""


class SetAmount(Command, frozen=True):
    """The dealer keys what lies on a spot."""

    spot: Spot
    seat: int
    cents: int


class AddAmount(Command, frozen=True):
    """The dealer keys what was laid on top of a stack."""

    spot: Spot
    seat: int
    cents: int


class RepeatAmounts(Command, frozen=True):
    """The keyed ante and bonus of the round before, for one seat or for all (0)."""

    seat: int


class DoubleAmounts(Command, frozen=True):
    """Twice the keyed ante and bonus, once a round, for one seat or for all (0)."""

    seat: int


class UndoAmount(Command, frozen=True):
    """The last keyed amount of this betting time is taken back; said again, the one before."""


class ClearAmounts(Command, frozen=True):
    """The keyed amounts of one seat or of all (0) are wiped."""

    seat: int


class PressKey(Command, frozen=True):
    """A dealer's key, pressed on the panel."""

    key: Key


class Fold(Command, frozen=True):
    """The seat folds."""

    seat: int


class StateCount(Command, frozen=True):
    """That place should hold five cards and holds `cards`."""

    place: str
    cards: int


class StateHand(Command, frozen=True):
    """The cards that lie at a place, read from the turned-up hand."""

    place: str
    cards: tuple[str, ...]


class MoveCard(Command, frozen=True):
    """That card was laid at `place`."""

    card: str
    place: str


class DiscardCard(Command, frozen=True):
    """That card goes to the rack."""

    card: str


class StateUpcard(Command, frozen=True):
    """The dealer's card that was turned up."""

    card: str


class StateExposed(Command, frozen=True):
    """A card has been seen that should not have been."""

    card: str


class RescanCard(Command, frozen=True):
    """The first card that could not be read was read by hand."""

    card: str


class CountTokens(Command, frozen=True):
    """Tokens counted in the chute."""

    tokens: int


class CountStub(Command, frozen=True):
    """Cards counted in the rest of the deck."""

    cards: int


class ReturnCoin(Command, frozen=True):
    """The token is given back before LOCK."""

    seat: int


class Claim(Command, frozen=True):
    """A player says that a coin was dropped."""

    seat: int


class VoidRound(Command, frozen=True):
    """The round is void."""


class DeadHand(Command, frozen=True):
    """The hand of a seat is dead."""

    seat: int
    cause: DeathCause


class Withdraw(Command, frozen=True):
    """The last statement was a slip and is taken back."""


class KillHand(Command, frozen=True):
    """The extra hand at a seat without an ante is thrown away."""

    seat: int


class Resume(Command, frozen=True):
    """The holds are lifted, the table goes on as it stands."""


class FoldShort(Command, frozen=True):
    """A raise that was not topped up is a fold."""

    seat: int


class ReturnExcess(Command, frozen=True):
    """The part of a raise that is too much goes back."""

    seat: int
    cents: int


class NewDeck(Command, frozen=True):
    """Another deck is in use, by a supervisor's word; `deck` is its name, made up if left out."""

    deck: str = ""


class UseDeck(Command, frozen=True):
    """The other deck of a shuffler is in use, between rounds; its book goes on where it was left."""

    deck: str


class LogOn(Command, frozen=True):
    """Whoever says so deals from now on; in the middle of a round it is a relief."""


class LogOff(Command, frozen=True):
    """The dealer on duty leaves the table."""


class ClearAlarm(Command, frozen=True):
    """An alarm whose cause is gone has been seen to."""

    alarm: str
    place: str = ""


class ConfirmAward(Command, frozen=True):
    """One person confirms the award at a seat; it is owed when a second one has.

    `camera` is where the pictures of hand and deck are, if the house has them.
    """

    seat: int
    camera: str = ""


class RejectAward(Command, frozen=True):
    """One person rejects the award at a seat; it is rejected when a second one has."""

    seat: int


class SetParameter(Command, frozen=True):
    """A rate, reset or limit of the progressive is changed."""

    option: str
    value: str
    approval: str


class CorrectMeter(Command, frozen=True):
    """One person states what a pot must show and why; it moves when a second one says the same."""

    pot: Pot
    cents: int
    why: Correction
    approval: str


class PayHit(Command, frozen=True):
    """A confirmed award is paid."""

    document: str
    at: Cashier


class WithholdHit(Command, frozen=True):
    """A confirmed award is not paid until a check is done."""

    document: str
    hold: Withholding


class ReleaseHit(Command, frozen=True):
    """The check of a withheld award is done."""

    document: str


class OpenDay(Command, frozen=True):
    """The gaming day begins."""


class CloseDay(Command, frozen=True):
    """The gaming day ends."""


class ChangeShift(Command, frozen=True):
    """Another shift has the table."""

    shift: str


class BeginTrial(Command, frozen=True):
    """The table is tried: nothing is a bet, no meter moves. `notified` is who was told, and when."""

    notified: str


class EndTrial(Command, frozen=True):
    """The trial is over; the table is what it was before."""


class TrySeat(Command, frozen=True):
    """In a trial: that seat alone has its jackpot lamp lit and its slot open; 0: none has."""

    seat: int


class LampSeen(Command, frozen=True):
    """In a trial: somebody has seen that the lit lamp is lit."""

    seat: int


class Said(Message, frozen=True):
    """A command with who said it. `round` is the round it is about; empty means the current one.

    `request` is the id that the asker gave it and `body_hash` (hexadecimal) what was asked under that
    id: with them in the chain, the stored answers can be proved.
    """

    command: AnyCommand
    operator: str
    role: Role
    reason: str = ""
    round: str = ""
    request: str = ""
    body_hash: str = ""
    key: str | UnsetType = UNSET
    """The name of the key that it came with: the operator's own, or of a gateway that vouches for him."""


# -------------------------------------------------------------------------------------- facts


class Fact(Message, frozen=True):
    """Something the table decided."""


class RoundOpened(Fact, frozen=True):
    """Bets are open. `round` is a number that no other round has."""

    round: str


class KeyTaken(Fact, frozen=True):
    """A key did what it says."""

    key: Key


class KeyRefused(Fact, frozen=True):
    """A key could not act."""

    key: Key
    reason: str


class CommandRefused(Fact, frozen=True):
    """A command was not possible; nothing changed but the record."""

    command: str
    reason: str


class AlarmRaised(Fact, frozen=True):
    """Something is not as it should be. `place` is a seat, `D`, or empty for the table."""

    alarm: str
    place: str = ""


class Noticed(Fact, frozen=True):
    """A thing worth recording that is no alarm."""

    notice: str
    place: str = ""


class HoldPlaced(Fact, frozen=True):
    """The table may not go on until a person has decided."""

    hold: str


class HoldEnded(Fact, frozen=True):
    """That reason to hold is gone."""

    hold: str


class CoinAccepted(Fact, frozen=True):
    """The coin is a jackpot bet of this round."""

    seat: int


class CoinReturned(Fact, frozen=True):
    """A coin is to be given back and was never a bet, or is none any more."""

    seat: int
    why: str


class LockedBet(msgspec.Struct, frozen=True):
    """What is at stake at one seat when bets are locked."""

    seat: int
    ante_cents: int
    bonus_cents: int
    coin: bool


class BetsLocked(Fact, frozen=True):
    """No more bets: these are final."""

    bets: tuple[LockedBet, ...]


class CardDealt(Fact, frozen=True):
    """A card left the shoe. `place` as the dealing order has it, empty if it is nobody's."""

    number: int
    place: str


class PhaseEntered(Fact, frozen=True):
    """The round is in another phase."""

    phase: str


class Stated(Fact, frozen=True):
    """A statement was taken; what it said is in the journal's message beside it."""

    statement: str


class Withdrawn(Fact, frozen=True):
    """The last statement was taken back."""

    statement: str


class SeatFolded(Fact, frozen=True):
    """A seat is folded. `by`: `dealer`, `time` or `supervisor`."""

    seat: int
    by: str


class HandDead(Fact, frozen=True):
    """A hand takes no part any more."""

    seat: int
    cause: DeathCause


class HandKilled(Fact, frozen=True):
    """An extra hand was thrown away."""

    seat: int


class MeterChanged(Fact, frozen=True):
    """The meter shows another amount. `why` is the listed reason."""

    before_cents: int
    after_cents: int
    why: str


class SeatResult(msgspec.Struct, frozen=True):
    """What became of the four stakes of a seat, in table words (`win 10.00`, `none`)."""

    seat: int
    ante: str
    raise_: str = msgspec.field(name="raise")
    bonus: str
    coin: str


class RoundSettled(Fact, frozen=True):
    """The round is settled; a coin that waits for a decision shows `waits`."""

    round: str
    results: tuple[SeatResult, ...]


class RoundVoided(Fact, frozen=True):
    """The round is void."""

    round: str
    results: tuple[SeatResult, ...]


class AwardHeld(Fact, frozen=True):
    """An award waits for two people."""

    seat: int
    hand: str
    cents: int


class AwardSeconded(Fact, frozen=True):
    """One person has confirmed or rejected; a second one is needed."""

    seat: int
    decision: Literal["confirm", "reject"]
    operator: str


class AwardPaid(Fact, frozen=True):
    """An award is owed to the player."""

    seat: int
    hand: str
    cents: int


class AwardRejected(Fact, frozen=True):
    """An award is not paid."""

    seat: int
    hand: str
    cents: int


class HitRecorded(Fact, frozen=True):
    """An award was found, under a document number of its own, with what will prove it.

    `meter_cents` is the meter at the hit, `cents` the award, of which the meter gives `take_cents` and
    the house adds `house_cents`. What does not wait (`waits` false) the dealer pays at once.
    """

    document: str
    round: str
    seat: int
    hand: str
    kind: str
    cards: tuple[str, ...]
    meter_cents: int
    cents: int
    take_cents: int
    house_cents: int
    waits: bool


class HitDecided(Fact, frozen=True):
    """Two people have confirmed or rejected an award; the reason is the second one's.

    `deck_complete`: the rest of the deck had been counted complete by then.
    """

    document: str
    decision: Literal["confirm", "reject"]
    operators: tuple[str, str]
    reason: str
    camera: str
    deck_complete: bool


class HitWithdrawn(Fact, frozen=True):
    """The round is void, so this award is decided anew or not at all."""

    document: str


class HitPaid(Fact, frozen=True):
    """A confirmed award was paid."""

    document: str
    cents: int
    at: Cashier
    operator: str


class HitWithheld(Fact, frozen=True):
    """A confirmed award waits for a check."""

    document: str
    hold: Withholding
    operator: str
    reason: str


class HitReleased(Fact, frozen=True):
    """The check of a withheld award is done."""

    document: str
    operator: str
    reason: str


class ShareWon(Fact, frozen=True):
    """Of a refunded coin's share, what a royal had won already and the house pays; millionths of a cent."""

    seat: int
    exact: int


class MeterReset(Fact, frozen=True):
    """A royal was paid: the meter begins anew with what was left, `reset` and the reserve."""

    after_cents: int
    reset_cents: int
    reserve_cents: int


class CorrectionSeconded(Fact, frozen=True):
    """One person has asked for a correction; a second one is needed."""

    pot: Pot
    cents: int
    operator: str


class MeterCorrected(Fact, frozen=True):
    """Two people have corrected a pot for a listed reason."""

    pot: Pot
    before_cents: int
    after_cents: int
    why: Correction | Literal["after_loss"]
    approval: str
    operators: tuple[str, str]
    reason: str


class TableInstalled(Fact, frozen=True):
    """The table began with this meter, accepted by two people; `recovery` says after which loss."""

    meter_cents: int
    approval: str
    operators: tuple[str, str]
    recovery: str


class TableRecovered(Fact, frozen=True):
    """A journal was lost, and the table goes on from its newest archived day.

    `documents_skipped` numbers of documents may have been given by the lost journal.
    """

    recovery: str
    approval: str
    operators: tuple[str, str]
    documents_skipped: int


class DayOpened(Fact, frozen=True):
    """A gaming day began."""

    day: int
    operator: str


class DayClosed(Fact, frozen=True):
    """A gaming day ended; its file is archived before the next round."""

    day: int
    operator: str


class ShiftChanged(Fact, frozen=True):
    """Another shift has the table."""

    before: str
    after: str
    operator: str


class HouseChanged(Fact, frozen=True):
    """The files say something else than before."""

    place: str
    before: str
    after: str
    approval: str


class SoftwareChanged(Fact, frozen=True):
    """The program is another than before: its version with the hash over its files."""

    before: str
    after: str


class ClockWasSet(Fact, frozen=True):
    """The wall clock was set by so much."""

    by_ms: int


class AccessRefused(Fact, frozen=True):
    """Somebody was refused at the door; nothing was done."""

    why: Trespass
    who: str
    word: str
    address: str
    times: int


class KeysListed(Fact, frozen=True):
    """Who may speak to the table from now on, each as `NAME ROLE`."""

    keys: tuple[str, ...]


class TrialBegun(Fact, frozen=True):
    """The table is being tried; who was told is recorded ahead of anything that is done."""

    notified: str
    operator: str


class TrialEnded(Fact, frozen=True):
    """The trial is over."""

    operator: str


class LineTried(Fact, frozen=True):
    """In a trial a line did what it is for."""

    line: str


class WalkRecorded(Fact, frozen=True):
    """How a trial ended: whether every key and lamp was tried and well, and which were not."""

    passed: bool
    missing: tuple[str, ...]
    failed: tuple[str, ...]
    operator: str


class DeckChanged(Fact, frozen=True):
    """Another deck is in use."""

    deck: str


class DeckFinding(Fact, frozen=True):
    """Something about a deck that a supervisor should look at; it holds nothing.

    `rounds_since_count` rounds were played with it since it was last counted complete, in round
    `counted_in` (empty: never).
    """

    deck: str
    finding: str
    card: str
    rounds_since_count: int
    counted_in: str


class DealerChanged(Fact, frozen=True):
    """Who deals: from whom to whom, an empty name is nobody. `round` if it was inside one."""

    before: str
    after: str
    round: str


class AlarmCleared(Fact, frozen=True):
    """An alarm was seen to; it stays in the list of its round."""

    alarm: str
    place: str
    operator: str


class ParameterChanged(Fact, frozen=True):
    """A parameter of the progressive was changed, or will be (`in_force` false)."""

    option: str
    before: str
    after: str
    approval: str
    in_force: bool


class RoundCleared(Fact, frozen=True):
    """Everybody has been paid or collected."""

    round: str


AnyEvent = (
    Installed
    | Carried
    | Recovered
    | Started
    | ClockSet
    | AccessTried
    | KeysRead
    | CardScanned
    | CardUnreadable
    | FrameLost
    | BadFrame
    | ShoeLost
    | ShoeFound
    | ChipsPlaced
    | ChipsLifted
    | CoinDropped
    | CoinFaulted
    | LampFailed
    | LampMended
    | KeyPressed
    | HealthChanged
    | TimePassed
)

AnyCommand = (
    SetAmount
    | AddAmount
    | RepeatAmounts
    | DoubleAmounts
    | UndoAmount
    | ClearAmounts
    | PressKey
    | Fold
    | StateCount
    | StateHand
    | MoveCard
    | DiscardCard
    | StateUpcard
    | StateExposed
    | RescanCard
    | CountTokens
    | CountStub
    | ReturnCoin
    | Claim
    | VoidRound
    | DeadHand
    | Withdraw
    | KillHand
    | Resume
    | FoldShort
    | ReturnExcess
    | NewDeck
    | UseDeck
    | LogOn
    | LogOff
    | ClearAlarm
    | ConfirmAward
    | RejectAward
    | SetParameter
    | CorrectMeter
    | PayHit
    | WithholdHit
    | ReleaseHit
    | OpenDay
    | CloseDay
    | ChangeShift
    | BeginTrial
    | EndTrial
    | TrySeat
    | LampSeen
)

AnyFact = (
    RoundOpened
    | KeyTaken
    | KeyRefused
    | CommandRefused
    | AlarmRaised
    | Noticed
    | HoldPlaced
    | HoldEnded
    | CoinAccepted
    | CoinReturned
    | BetsLocked
    | CardDealt
    | PhaseEntered
    | Stated
    | Withdrawn
    | SeatFolded
    | HandDead
    | HandKilled
    | MeterChanged
    | RoundSettled
    | RoundVoided
    | AwardHeld
    | AwardSeconded
    | AwardPaid
    | AwardRejected
    | HitRecorded
    | HitDecided
    | HitWithdrawn
    | HitPaid
    | HitWithheld
    | HitReleased
    | ShareWon
    | MeterReset
    | CorrectionSeconded
    | MeterCorrected
    | TableInstalled
    | TableRecovered
    | DayOpened
    | DayClosed
    | ShiftChanged
    | HouseChanged
    | SoftwareChanged
    | ClockWasSet
    | AccessRefused
    | KeysListed
    | TrialBegun
    | TrialEnded
    | LineTried
    | WalkRecorded
    | DeckChanged
    | DeckFinding
    | DealerChanged
    | AlarmCleared
    | ParameterChanged
    | RoundCleared
)

AnyMessage = AnyEvent | Said


# ------------------------------------------------------------------------------------- outputs

LampView = Literal["off", "on", "blink"]
Light = Literal["off", "green", "yellow", "red"]


class Outputs(msgspec.Struct, frozen=True):
    """What every output shall show, restated in full after each turn; index 0 is seat 1."""

    lamps: tuple[LampView, ...]
    coin_accept: tuple[bool, ...]
    light: Light
    call: bool
