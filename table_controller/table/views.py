"""What the table shows: outputs for the wires, the snapshot for everybody who looks.

A view is made from the state alone and restated in full. It holds no card that lies face down: a
hidden card is None, and what a lamp shows depends on the coin and the round, never on a hand.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from table_controller.engine.hands import hand_name, qualifies, strength
from table_controller.engine.house_rules import HouseRules, option_texts
from table_controller.table.bets import amount_lying
from table_controller.table.deal import by_order, cards_at, cards_due, next_place, upcard_now
from table_controller.table.duty import is_over
from table_controller.table.messages import House, LampView, Light, Outputs
from table_controller.table.rulings import RULINGS
from table_controller.table.state import DEALER, PHASES_IN_PLAY, Alarm, Seat, TableState, rules_now
from table_controller.table.turn import result_texts


class StackView(msgspec.Struct, frozen=True):
    """A betting spot: what the sensor shows and the amount that counts."""

    chips: bool
    cents: int | None


class SeatView(msgspec.Struct, frozen=True):
    """One seat as everybody may see it."""

    seat: int
    ante: StackView
    raise_: StackView = msgspec.field(name="raise")
    bonus: StackView
    coin: Literal["none", "bet", "returned"]
    lamp: LampView
    lamp_dead: bool
    folded: bool
    dead: bool
    cards: tuple[str | None, ...]
    results: dict[str, str]


class DealerView(msgspec.Struct, frozen=True):
    """The dealer's cards as far as they lie face up; what they make is told after REVEAL only."""

    cards: tuple[str | None, ...]
    hand: str = ""
    qualifies: bool | None = None


class MeterView(msgspec.Struct, frozen=True):
    """The meter in whole cents."""

    cents: int
    reserve_cents: int
    overflow_cents: int
    house_added_cents: int


class AwardView(msgspec.Struct, frozen=True):
    """An award of this round."""

    seat: int
    hand: str
    cents: int
    kind: str
    status: str
    document: str = ""
    confirmed: bool = False
    """Two people have confirmed it: it is paid by its document, not with the bets of the round."""
    first_operator: str = ""
    """Who has confirmed or rejected it already, while a second person is awaited."""
    first_decision: str = ""


class DayView(msgspec.Struct, frozen=True):
    """The gaming day; `number` 0 before the first one."""

    number: int
    open: bool
    shift: str


class OwedView(msgspec.Struct, frozen=True):
    """A confirmed award that is not paid yet; `hold` is the check that withholds it."""

    document: str
    round: str
    seat: int
    cents: int
    hold: str


class HealthView(msgspec.Struct, frozen=True):
    """The health lines; a line that is not wired is well."""

    meter: bool
    display: bool
    door: bool
    mains: bool


class TrialView(msgspec.Struct, frozen=True):
    """A trial of the table: which lines were found well, which failed, and the seat that is being tried."""

    operator: str
    seat: int
    tried: tuple[str, ...]
    failed: tuple[str, ...]


class Snapshot(msgspec.Struct, frozen=True):
    """The table as everybody may see it, complete."""

    round: str
    phase: str
    shown: str
    result: str
    holds: tuple[str, ...]
    hold_ends: dict[str, str]
    """What ends each hold, in words for the person who has to say it."""
    alarms: tuple[Alarm, ...]
    cleared: tuple[Alarm, ...]
    """The alarms that somebody has seen to; they stay in the list."""
    over: tuple[Alarm, ...]
    """The alarms whose cause is known to be gone; they stay in the list until somebody has seen to them."""
    light: Light
    left_ms: int | None
    seats: tuple[SeatView, ...]
    dealer: DealerView
    on_duty: str
    """The dealer on duty; empty while nobody has logged on."""
    cards_out: int
    due: str
    """Whose the next card is that is still due; empty where none is, or where the order does not say."""
    rack: int
    doubt: bool
    meter: MeterView | None
    awards: tuple[AwardView, ...]
    coin_accept: tuple[bool, ...]
    deck_due: bool
    stub_due: bool
    rounds: int
    shoe: bool
    health: HealthView
    day: DayView | None
    """None at a table that has no gaming days."""
    owed: tuple[OwedView, ...]
    trial: TrialView | None


class HouseView(msgspec.Struct, frozen=True):
    """What is fixed at the table: who it is, by which rules and limits it is played, and by which program."""

    table: str
    seats: int
    rules: HouseRules
    options: dict[str, str]
    """Every option of the house rules as a house-rule file writes it."""
    minimum_cents: int
    maximum_cents: int
    bonus_minimum_cents: int
    bonus_maximum_cents: int
    chips_cents: tuple[int, ...]
    gaming_day: bool
    walk: bool
    software: str


def house_view(house: House, state: TableState, software: str) -> HouseView:
    """The house as it is now, with the parameters in force."""
    rules = rules_now(house, state)
    return HouseView(
        table=house.table,
        seats=house.seats,
        rules=rules,
        options=option_texts(rules),
        minimum_cents=house.minimum_cents,
        maximum_cents=house.maximum_cents,
        bonus_minimum_cents=house.bonus_minimum_cents,
        bonus_maximum_cents=house.bonus_maximum_cents,
        chips_cents=house.chips_cents,
        gaming_day=house.gaming_day is True,
        walk=house.walk is True,
        software=software,
    )


def lamp(house: House, state: TableState, seat: Seat) -> LampView:
    """A jackpot lamp: a placed or locked bet, never anything else (HOUSE_RULES.md, `lamp_before_lock`)."""
    if state.trial is not None:
        return "on" if state.trial.seat and seat is state.seat(state.trial.seat) else "off"
    rules = rules_now(house, state)
    if state.phase == "betting":
        ante = amount_lying(house, seat.ante, "ante") > 0
        stops = rules.progressive_fault_before_lock == "stop_table"
        dark = seat.coin_fell_in_fault or not (stops or state.progressive_well)
        if seat.coin != "placed" or not ante or dark:
            return "off"
        return "blink" if rules.lamp_before_lock == "blinking" else "on"
    lit = seat.coin == "bet" and state.phase in (*PHASES_IN_PLAY, "settled")
    return "on" if lit else "off"


def light(house: House, state: TableState, at_ms: int) -> Light:
    """The traffic light of betting and deciding (mission text S0, Place Bets)."""
    if state.phase == "betting":
        if state.lock_due:
            return "red"
        timer = state.betting
        warning_ms = house.rules.betting_warning_ms
        if timer is not None and timer.left_at(at_ms) <= warning_ms:
            return "yellow" if timer.left_at(at_ms) > 0 else "red"
        return "green"
    return "red" if state.phase in PHASES_IN_PLAY else "off"


def coin_accept(house: House, state: TableState, seat: Seat) -> bool:
    """Whether the slot of a seat takes a token now."""
    if state.trial is not None:
        return bool(state.trial.seat) and seat is state.seat(state.trial.seat)
    rules = rules_now(house, state)
    takes = state.phase == "betting" and not state.held and not state.lock_due and rules.has_progressive
    return takes and seat.coin == "none" and state.progressive_well


def outputs(house: House, state: TableState, at_ms: int) -> Outputs:
    """Every output, restated."""
    return Outputs(
        lamps=tuple(lamp(house, state, seat) for seat in state.seats),
        coin_accept=tuple(coin_accept(house, state, seat) for seat in state.seats),
        light=light(house, state, at_ms),
        call=state.held or (house.rules.has_progressive and not state.progressive_well),
    )


def _seat_view(
    house: House, state: TableState, number: int, lamp_view: LampView, results: dict[str, str]
) -> SeatView:
    seat = state.seat(number)
    in_round = seat.ante_cents > 0
    raise_cents = seat.raise_cents or (seat.raise_lying_cents if seat.raise_.laid else None)
    coin: Literal["none", "bet", "returned"] = "none"
    if seat.coin in ("placed", "bet", "lost"):
        coin = "bet"
    elif seat.coin == "refunded":
        coin = "returned"
    return SeatView(
        seat=number,
        ante=StackView(seat.ante.chips, seat.ante_cents if in_round else seat.ante.cents),
        raise_=StackView(seat.raise_.chips, raise_cents),
        bonus=StackView(seat.bonus.chips, seat.bonus_cents if in_round else seat.bonus.cents),
        coin=coin,
        lamp=lamp_view,
        lamp_dead=number in state.lamps_failed,
        folded=seat.folded,
        dead=seat.dead is not None,
        cards=_player_cards(house, state, number, seat),
        results=results,
    )


def _faces(state: TableState, place: str) -> tuple[str | None, ...]:
    """The faces at a place, as stated or by the order; in doubt nobody knows them."""
    if place in state.hands:
        return tuple(state.hands[place])
    cards = by_order(state, place)
    if state.doubt:
        return tuple(None for _ in cards)
    return tuple(card.card or None for card in cards)


def _player_cards(house: House, state: TableState, number: int, seat: Seat) -> tuple[str | None, ...]:
    faces = _faces(state, str(number))
    # A folded hand is never turned up unless it decides money, and a dead or void one not at all.
    shown = house.rules.player_cards == "face_up" or (
        state.result == "settled" and seat.live and not seat.folded
    )
    return faces if shown else tuple(None for _ in faces)


def _dealer_view(house: House, state: TableState) -> DealerView:
    faces = _faces(state, DEALER)
    if state.result == "settled":
        hand = cards_at(state, DEALER)
        if hand is not None:
            rank = strength(hand)
            return DealerView(faces, hand_name(rank), qualifies(rank))
    up = upcard_now(rules_now(house, state), state)
    return DealerView(tuple(face if face == up else None for face in faces))


def _left_ms(state: TableState, at_ms: int) -> int | None:
    timer = state.betting if state.phase == "betting" else state.decision
    return None if timer is None else timer.left_at(at_ms)


def shown_word(house: House, state: TableState) -> str:
    """The one word for what the table is doing: its phase, `hold`, `trial`, or `closed` between days."""
    if state.trial is not None:
        return "trial"
    if house.gaming_day and state.closed and state.phase == "idle" and not state.held:
        return "closed"
    return state.shown


def snapshot(house: House, state: TableState, at_ms: int, shown: Outputs | None = None) -> Snapshot:
    """The complete public view of the table at that moment; `shown` are its outputs, if at hand."""
    shown = shown or outputs(house, state, at_ms)
    rules = rules_now(house, state)
    meter, books, trial = state.meter, state.books, state.trial
    results = {
        one.seat: {"ante": one.ante, "raise": one.raise_, "bonus": one.bonus, "coin": one.coin}
        for one in result_texts(state)
    }
    return Snapshot(
        round=state.round,
        phase=state.phase,
        shown=shown_word(house, state),
        result=state.result,
        holds=tuple(hold.reason for hold in state.holds),
        hold_ends={
            hold.reason: "a void" if hold.void_only else RULINGS[hold.reason].ends for hold in state.holds
        },
        alarms=tuple(state.alarms),
        cleared=tuple(state.cleared),
        over=tuple(alarm for alarm in state.alarms if is_over(rules, state, alarm)),
        light=shown.light,
        left_ms=_left_ms(state, at_ms),
        seats=tuple(
            _seat_view(house, state, number, lamp_view, results.get(number, {}))
            for number, lamp_view in enumerate(shown.lamps, start=1)
        ),
        dealer=_dealer_view(house, state),
        on_duty=state.dealer,
        cards_out=len(state.cards),
        due=next_place(rules, state) if cards_due(state) else "",
        rack=sum(not card.on_felt for card in state.cards),
        doubt=state.doubt,
        meter=None
        if meter is None
        else MeterView(meter.cents, meter.reserve_cents, meter.overflow_cents, meter.house_added_cents),
        awards=tuple(
            AwardView(
                one.award.seat,
                one.award.category_label,
                one.award.cents,
                one.award.kind,
                one.status,
                one.document,
                one.status == "paid" and bool(one.first_operator),
                one.first_operator if one.status == "waits" else "",
                one.first_decision if one.status == "waits" else "",
            )
            for one in state.awards
        ),
        coin_accept=shown.coin_accept,
        deck_due=state.new_deck_due or state.deck_short,
        stub_due=state.stub_due,
        rounds=state.rounds,
        shoe=state.shoe_present,
        health=HealthView(state.meter_well, state.display_well, state.door_well, state.mains_well),
        day=DayView(books.day, books.day_open, books.shift) if books and house.gaming_day else None,
        owed=tuple(
            OwedView(document, one.round, one.seat, one.cents, one.hold)
            for document, one in (books.owed if books else {}).items()
        ),
        trial=None
        if trial is None
        else TrialView(trial.operator, trial.seat, tuple(trial.tried), tuple(trial.failed)),
    )
