"""Who deals, and which alarms have been seen to."""

from __future__ import annotations

from typing import cast

from table_controller.engine.house_rules import HouseRules
from table_controller.table.deal import cards_due, cards_unaccounted
from table_controller.table.messages import AlarmCleared, ClearAlarm, DealerChanged, LogOff, LogOn, Spot
from table_controller.table.rulings import RULINGS, SUPERVISOR_CLEARS
from table_controller.table.state import PHASES_IN_PLAY, Alarm, TableState
from table_controller.table.turn import Refused, Turn


def log_on(turn: Turn, _: LogOn) -> None:
    """The speaker deals from now on; whoever dealt before is relieved, also in the middle of a round."""
    if not turn.operator:
        raise Refused("a dealer has a name")
    if turn.operator == turn.state.dealer:
        raise Refused(f"{turn.operator} is on duty already")
    _change(turn, turn.operator)


def log_off(turn: Turn, _: LogOff) -> None:
    """The dealer on duty leaves; a supervisor may say it for one who forgot."""
    state = turn.state
    if not state.dealer:
        raise Refused("nobody is on duty")
    if turn.operator != state.dealer and turn.role != "supervisor":
        raise Refused(f"{state.dealer} is on duty, not {turn.operator}")
    _change(turn, "")


def _change(turn: Turn, dealer: str) -> None:
    state = turn.state
    turn.tell(DealerChanged(state.dealer, dealer, state.round if state.phase in PHASES_IN_PLAY else ""))
    state.dealer = dealer


def clear_alarm(turn: Turn, command: ClearAlarm) -> None:
    """An alarm is cleared once its cause is gone; it stays in the list of the round."""
    state = turn.state
    alarm = Alarm(command.alarm, command.place)
    if alarm not in state.alarms:
        raise Refused(f"no alarm {command.alarm} {command.place}".rstrip() + " was raised in this round")
    if alarm in state.cleared:
        raise Refused(f"{command.alarm} is cleared already")
    if command.alarm in SUPERVISOR_CLEARS and turn.role != "supervisor":
        raise Refused(f"{command.alarm} is cleared by a supervisor")
    if still_stands(state, alarm):
        raise Refused(f"{command.alarm}: its cause is not gone yet")
    state.cleared.append(alarm)
    turn.tell(AlarmCleared(command.alarm, command.place, turn.operator))


def still_stands(state: TableState, alarm: Alarm) -> bool:
    """The cause of an alarm is still there, as far as the table can tell."""
    return state.hold(alarm.alarm) is not None or bool(_cause(state, alarm))


def is_over(rules: HouseRules, state: TableState, alarm: Alarm) -> bool:
    """The cause of an alarm is known to be gone; one that tells of a moment is never over by itself."""
    if state.hold(alarm.alarm) is not None:
        return False
    cause = _cause(state, alarm)
    if cause is not None:
        return not cause
    if alarm.alarm == "sensor_stuck":
        spot, _, seat = alarm.place.partition(" ")
        stack = state.seat(int(seat)).stack(cast(Spot, spot))
        return not stack.stale and (stack.chips or not stack.cents)
    ruling = RULINGS.get(alarm.alarm)
    # Where four cards are completed the table is not held; what is due says when they are.
    completes = alarm.alarm == "dealer_short" and state.dealer_short_after is not None
    return cards_due(state) == 0 if completes else ruling is not None and ruling.holds(rules)


def _cause(state: TableState, alarm: Alarm) -> bool | None:
    """Whether what an alarm tells of is there; None where nothing is left that could be looked at."""
    seat = state.seat(int(alarm.place)) if alarm.place.isdigit() else None
    causes = {
        "order_in_doubt": state.doubt and state.phase in PHASES_IN_PLAY,
        "extra_card": cards_unaccounted(state) > 0 and state.phase in PHASES_IN_PLAY,
        "shoe_lost": not state.shoe_present,
        "meter_down": not state.meter_well,
        "display_down": not state.display_well,
        "duplicate_card": state.new_deck_due,
        "foreign_card": state.new_deck_due,
        "deck_short": state.deck_short,
        "lamp_dead": seat is not None and int(alarm.place) in state.lamps_failed,
        "raise_not_twice": seat is not None and seat.raise_wrong and state.phase in PHASES_IN_PLAY,
    }
    return causes.get(alarm.alarm)
