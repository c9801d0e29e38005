"""Chips and keyed amounts: what lies on the layout, and what of it is a bet.

Before LOCK everything may come and go. From LOCK on a bet is what it was: chips that come are late
and go back, chips that leave are owed (DETAILS.md, Alarms and Money).
"""

from __future__ import annotations

import math

from table_controller.engine.money import money_text
from table_controller.engine.settlement import NONE, refund
from table_controller.table.messages import (
    AddAmount,
    ChipsLifted,
    ChipsPlaced,
    ClearAmounts,
    DoubleAmounts,
    House,
    RepeatAmounts,
    SetAmount,
    Spot,
    UndoAmount,
)
from table_controller.table.state import (
    PHASES_IN_PLAY,
    PHASES_OVER,
    KeyedBefore,
    Seat,
    Stack,
    TableState,
)
from table_controller.table.turn import Refused, Turn

JUDGE_AFTER_MS = 1000
"""A hand slower than a finger is no fault (DETAILS.md, Alarms, `sensor_stuck`)."""
KEYED_MAX = 50
"""How many keyings `undo` can take back."""


def amount_lying(house: House, stack: Stack, spot: Spot) -> int:
    """What a stack counts as at LOCK: the keyed amount, else the table minimum, else nothing."""
    if stack.cents is not None:
        return stack.cents
    minimum = house.bonus_minimum_cents if spot == "bonus" else house.minimum_cents
    return minimum if stack.chips and not stack.stale else 0


def any_ante(turn: Turn) -> bool:
    """There is at least one ante."""
    return any(amount_lying(turn.house, seat.ante, "ante") > 0 for seat in turn.state.seats)


def judge(turn: Turn, number: int, seat: Seat, at_lock: bool = False) -> None:
    """An amount keyed for a spot that reports no chips contradicts its sensor."""
    for spot in SPOTS:
        stack = seat.stack(spot)
        late = stack.judge_at_ms is not None and turn.stamp.at_ms >= stack.judge_at_ms
        if not (at_lock or late):
            continue
        stack.judge_at_ms = None
        if stack.cents is not None and not stack.chips:
            turn.alarm("sensor_stuck", f"{spot} {number}")


SPOTS: tuple[Spot, ...] = ("ante", "raise", "bonus")


def judge_sensors(turn: Turn) -> None:
    """Judge every spot whose second has passed."""
    for number, seat in turn.state.numbered():
        judge(turn, number, seat)


# -------------------------------------------------------------------------------------- chips


def chips_placed(turn: Turn, event: ChipsPlaced) -> None:
    """A sensor is covered."""
    state = turn.state
    seat = state.seat(event.seat)
    stack = seat.stack(event.spot)
    stack.chips = True
    stack.judge_at_ms = None
    if state.phase not in PHASES_IN_PLAY:
        return
    if event.spot == "raise":
        if state.phase != "dealing" and _raise_is_late(state, seat):
            late_raise(turn, event.seat, seat)
    elif event.spot == "ante" and not seat.ante_cents:
        turn.alarm("late_ante", str(event.seat))
        if turn.house.minimum_cents:
            seat.results.ante = refund(turn.house.minimum_cents)
    elif event.spot == "bonus" and not seat.bonus_cents:
        turn.alarm("late_bonus", str(event.seat))
        if turn.house.bonus_minimum_cents:
            seat.results.bonus = refund(turn.house.bonus_minimum_cents)


def _raise_is_late(state: TableState, seat: Seat) -> bool:
    if state.phase == "revealing":
        return seat.raise_cents == 0 or not seat.live
    return not seat.live or seat.folded


def late_raise(turn: Turn, number: int, seat: Seat) -> None:
    """Chips on a raise spot that can be no raise: they go back."""
    turn.alarm("late_raise", str(number))
    seat.late_raise = True
    undecided = seat.results.raise_ is None or seat.results.raise_.kind == "none"
    if undecided and seat.raise_lying_cents:
        seat.results.raise_ = refund(seat.raise_lying_cents)


def raises_count_now(turn: Turn) -> None:
    """The deal is complete: raises laid before count, chips on a seat that cannot raise are late."""
    for number, seat in turn.state.numbered():
        # The raise of a hand that died in the deal was decided with it.
        decided = seat.results.raise_ not in (None, NONE)
        if seat.raise_.laid and not decided and _raise_is_late(turn.state, seat):
            late_raise(turn, number, seat)


def chips_lifted(turn: Turn, event: ChipsLifted) -> None:
    """A sensor is free; the keyed amount goes with the chips."""
    state = turn.state
    seat = state.seat(event.seat)
    stack = seat.stack(event.spot)
    # A sensor that was stuck at OPEN and comes free lifts no bet: none lay there.
    laid = stack.laid
    stack.chips = False
    stack.stale = False
    stack.cents = None
    stack.judge_at_ms = None
    in_play = state.phase in PHASES_IN_PLAY and not state.main_void
    if not laid or not in_play or not seat.live or seat.folded:
        return
    if event.spot == "raise":
        turn.alarm("raise_removed", str(event.seat))
    elif event.spot == "ante":
        seat.ante_lifted = True
        turn.alarm("ante_removed", str(event.seat))
    elif seat.bonus_cents:
        seat.bonus_lifted = True
        turn.alarm("bonus_removed", str(event.seat))


# ------------------------------------------------------------------------------------ amounts


def check_amount(turn: Turn, spot: Spot, cents: int) -> None:
    """Refuse a bet outside the table's limits or that no chips of the table can make."""
    house = turn.house
    if cents <= 0:
        raise Refused(f"an amount is more than 0.00, not {money_text(cents)}")
    lowest = house.bonus_minimum_cents if spot == "bonus" else house.minimum_cents
    highest = house.bonus_maximum_cents if spot == "bonus" else house.maximum_cents
    if spot != "raise" and lowest and cents < lowest:
        raise Refused(f"{spot} {money_text(cents)} is below the minimum of {money_text(lowest)}")
    if spot != "raise" and highest and cents > highest:
        raise Refused(f"{spot} {money_text(cents)} is above the maximum of {money_text(highest)}")
    if house.chips_cents and cents % math.gcd(*house.chips_cents):
        chips = ", ".join(money_text(chip) for chip in house.chips_cents)
        raise Refused(f"{money_text(cents)} cannot be laid with chips of {chips}")


def _check_spot(turn: Turn, spot: Spot, number: int) -> Seat:
    state = turn.state
    if not 1 <= number <= len(state.seats):
        raise Refused(f"seat {number} does not exist, seats are 1 to {len(state.seats)}")
    if state.phase in PHASES_OVER:
        raise Refused("no bet lies on the table now")
    if spot == "bonus" and not turn.rules.has_bonus:
        raise Refused("this house has no 5+1 bonus")
    if spot == "raise" and state.phase == "betting":
        raise Refused("there is no raise before the cards")
    return state.seat(number)


def set_amount(turn: Turn, command: SetAmount) -> None:
    """The dealer keys what lies on a spot."""
    seat = _check_spot(turn, command.spot, command.seat)
    if turn.state.phase == "betting":
        check_amount(turn, command.spot, command.cents)
    elif command.cents <= 0:
        raise Refused(f"an amount is more than 0.00, not {money_text(command.cents)}")
    _key(turn, command.spot, command.seat, seat, command.cents)


def _key(turn: Turn, spot: Spot, number: int, seat: Seat, cents: int | None) -> None:
    state = turn.state
    stack = seat.stack(spot)
    if state.phase == "betting":
        state.keyed = [*state.keyed[-(KEYED_MAX - 1) :], KeyedBefore(spot, number, stack.cents)]
    if spot == "ante" and state.phase != "betting" and seat.ante_cents:
        _key_locked(turn, number, cents or 0, spot, seat)
        return
    if spot == "bonus" and state.phase != "betting" and seat.bonus_cents:
        _key_locked(turn, number, cents or 0, spot, seat)
        return
    stack.cents = cents
    stack.judge_at_ms = None
    if cents is not None and not stack.chips:
        stack.judge_at_ms = turn.stamp.at_ms + JUDGE_AFTER_MS
    if state.phase == "betting" or cents is None:
        return
    if spot == "ante":
        turn.alarm("late_ante", str(number))
        seat.results.ante = refund(cents)
    elif spot == "bonus":
        turn.alarm("late_bonus", str(number))
        seat.results.bonus = refund(cents)
    elif state.phase != "dealing" and _raise_is_late(state, seat):
        if seat.late_raise:
            seat.results.raise_ = refund(cents)
        late_raise(turn, number, seat)
    elif seat.raise_wrong and (not seat.raise_cents or cents != seat.raise_cents):
        turn.alarm("raise_not_twice", str(number))


def _key_locked(turn: Turn, number: int, cents: int, spot: Spot, seat: Seat) -> None:
    """An amount keyed for a bet that is locked: the bet stays as it is."""
    locked_cents = seat.ante_cents if spot == "ante" else seat.bonus_cents
    lifted = seat.ante_lifted if spot == "ante" else seat.bonus_lifted
    if cents == locked_cents:
        if spot == "ante":
            seat.ante_lifted = False
        else:
            seat.bonus_lifted = False
    elif spot == "ante" and not lifted:
        turn.alarm("ante_changed", str(number))
    else:
        turn.alarm("late_ante" if spot == "ante" else "late_bonus", str(number))


def add_amount(turn: Turn, command: AddAmount) -> None:
    """More chips on a stack that already lies there; the sensor cannot see them."""
    seat = _check_spot(turn, command.spot, command.seat)
    if command.cents <= 0:
        raise Refused(f"an amount is more than 0.00, not {money_text(command.cents)}")
    in_play = turn.state.phase in PHASES_IN_PLAY
    locked = seat.ante_cents if command.spot == "ante" else seat.bonus_cents
    if command.spot == "raise":
        before = seat.raise_lying_cents
    elif in_play and locked:
        before = locked
    else:
        before = amount_lying(turn.house, seat.stack(command.spot), command.spot)
    cents = before + command.cents
    if not in_play:
        check_amount(turn, command.spot, cents)
    _key(turn, command.spot, command.seat, seat, cents)


def _chosen(turn: Turn, number: int) -> list[int]:
    count = len(turn.state.seats)
    if not 0 <= number <= count:
        raise Refused(f"seat {number} does not exist, seats are 1 to {count}, 0 is all")
    if turn.state.phase != "betting":
        raise Refused("bets are not open")
    return [number] if number else list(range(1, count + 1))


def repeat_amounts(turn: Turn, command: RepeatAmounts) -> None:
    """The amounts of the round before (mission texts S0 REPEAT, S3 REBET), where chips lie."""
    state = turn.state
    repeated = False
    for number in _chosen(turn, command.seat):
        bets = state.repeatable.get(str(number))
        seat = state.seat(number)
        if bets is None or not (seat.ante.chips or command.seat):
            continue
        amounts: list[tuple[Spot, int]] = [("ante", bets.ante_cents), ("bonus", bets.bonus_cents)]
        for spot, cents in amounts:
            if cents and (spot == "ante" or seat.bonus.chips):
                check_amount(turn, spot, cents)
                _key(turn, spot, number, seat, cents)
                repeated = True
    if not repeated:
        raise Refused("there is no bet of the round before to repeat")


def double_amounts(turn: Turn, command: DoubleAmounts) -> None:
    """Twice the keyed amounts, up to the maximum and once a round (mission text S0, DOUBLE)."""
    house = turn.house
    doubled = False
    for number in _chosen(turn, command.seat):
        seat = turn.state.seat(number)
        if seat.doubled or seat.ante.cents is None:
            continue
        limits: list[tuple[Spot, int]] = [
            ("ante", house.maximum_cents),
            ("bonus", house.bonus_maximum_cents),
        ]
        for spot, highest in limits:
            cents = seat.stack(spot).cents
            if cents is not None:
                _key(turn, spot, number, seat, min(2 * cents, highest) if highest else 2 * cents)
        seat.doubled = doubled = True
    if not doubled:
        raise Refused("there is no keyed bet that was not doubled yet")


def undo_amount(turn: Turn, _: UndoAmount) -> None:
    """The last keying is taken back, in the reverse order of keying (mission text S0, UNDO)."""
    state = turn.state
    if state.phase != "betting" or not state.keyed:
        raise Refused("there is no keyed amount to take back")
    last = state.keyed.pop()
    state.seat(last.seat).stack(last.spot).cents = last.cents


def clear_amounts(turn: Turn, command: ClearAmounts) -> None:
    """The keyed amounts are wiped (mission text S3, CLEAR)."""
    for number in _chosen(turn, command.seat):
        seat = turn.state.seat(number)
        seat.doubled = False
        for spot in SPOTS:
            if seat.stack(spot).cents is not None:
                _key(turn, spot, number, seat, None)
