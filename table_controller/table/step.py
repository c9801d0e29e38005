"""The transition table: what each message does in each phase, and everything that follows by itself.

`step(house, state, stamp, message) -> (state, facts)` is the whole behaviour of a table. It is pure:
the same arguments give the same answer, so that a journal of messages replays to the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from table_controller.table import (
    access,
    bets,
    coins,
    day,
    duty,
    hits,
    keys,
    meters,
    shoe,
    statements,
    supervisor,
    trial,
)
from table_controller.table import messages as m
from table_controller.table.deal import cards_due
from table_controller.table.roles import ROLES
from table_controller.table.state import (
    PHASES_IN_PLAY,
    Past,
    Seat,
    TableState,
    Timer,
    decode_state,
    encode_state,
)
from table_controller.table.turn import Refused, Turn

TICK_MS = 1000
"""A running time limit is written down once a second, so that a power cut costs less than that."""
SINCE_MAX = 200
"""More than so many messages after a statement, and it can no longer be taken back."""


# ------------------------------------------------------------------------- power, time, health


def _started(turn: Turn, event: m.Started) -> None:
    """The service runs: held if a round was in play, and what the sensors show now is compared."""
    state = turn.state
    state.shoe_present = False
    if len(state.seats) != turn.house.seats:
        state.alarms = []
        state.seats = [Seat() for _ in range(turn.house.seats)]
        state.lamps_failed = [number for number in state.lamps_failed if number <= turn.house.seats]
        if state.trial is not None:
            state.trial.seat = 0
    day.program_and_files(turn, event)
    if state.phase in PHASES_IN_PLAY:
        turn.alarm_and_hold("restarted_mid_round")
    known = (state.meter_well, state.display_well, state.door_well, state.mains_well)
    now = (event.meter_well, event.display_well, event.door_well, event.mains_well)
    for line, was, is_well in zip(get_args(m.HealthLine), known, now, strict=True):
        if is_well is not UNSET and was != is_well:
            _health_changed(turn, m.HealthChanged(line, is_well))
    covered = {(spot.seat, spot.spot) for spot in event.covered}
    for number, seat in state.numbered():
        for spot in bets.SPOTS:
            lies = (number, spot) in covered
            if seat.stack(spot).chips == lies:
                continue
            if lies:
                bets.chips_placed(turn, m.ChipsPlaced(spot, number))
            else:
                bets.chips_lifted(turn, m.ChipsLifted(spot, number))
    for timer in (state.betting, state.decision):
        if timer is not None:
            timer.since_ms = None


def _health_changed(turn: Turn, event: m.HealthChanged) -> None:
    state = turn.state
    if event.line == "meter":
        state.meter_well = event.well
    elif event.line == "display":
        state.display_well = event.well
    elif event.line == "door":
        state.door_well = event.well
    else:
        state.mains_well = event.well
    if event.line in ("door", "mains"):
        turn.notice(f"{event.line}_{'well' if event.well else 'open' if event.line == 'door' else 'failed'}")
        return
    if event.well:
        turn.notice(f"{event.line}_well")
        return
    if not turn.rules.has_progressive:
        return
    turn.alarm(f"{event.line}_down")
    if state.phase in PHASES_IN_PLAY and turn.rules.progressive_fault_after_lock == "void":
        for number, seat in state.numbered():
            if seat.coin == "bet":
                turn.refund_coin(number, "progressive_fault")


def _lamp_failed(turn: Turn, event: m.LampFailed) -> None:
    if event.seat not in turn.state.lamps_failed:
        turn.state.lamps_failed.append(event.seat)
    if turn.state.trial is not None:
        trial.lamp_failed(turn, event)
    turn.alarm("lamp_dead", str(event.seat))


def _lamp_mended(turn: Turn, event: m.LampMended) -> None:
    if event.seat in turn.state.lamps_failed:
        turn.state.lamps_failed.remove(event.seat)
    turn.notice("lamp_well", str(event.seat))


def _time_passed(turn: Turn, _: m.TimePassed) -> None:
    state = turn.state
    at_ms = turn.stamp.at_ms
    bets.judge_sensors(turn)
    for timer in (state.betting, state.decision):
        if timer is not None and timer.since_ms is not None:
            timer.left_ms = timer.left_at(at_ms)
            timer.since_ms = at_ms
    if state.betting is not None and state.betting.left_ms == 0:
        state.betting = None
        state.lock_due = bets.any_ante(turn)
        state.betting_over = not state.lock_due
        _forget_statement(state)
    if state.decision is not None and state.decision.left_ms == 0:
        state.decision = None
        _fold_undecided(turn)
        _forget_statement(state)


def _fold_undecided(turn: Turn) -> None:
    for number, seat in turn.state.numbered():
        if seat.undecided:
            turn.alarm("decision_time_over")
            seat.folded = True
            turn.tell(m.SeatFolded(number, "time"))


# ---------------------------------------------------------------------- what follows by itself


def _settle_down(turn: Turn) -> None:
    """After each message: the deal may be complete, LOCK may be due, time limits run or stand."""
    state = turn.state
    if state.phase == "dealing" and not cards_due(state):
        turn.enter("deciding")
        if turn.rules.decision_ms:
            state.decision = Timer(turn.rules.decision_ms)
        bets.raises_count_now(turn)
    if state.betting_over and bets.any_ante(turn):
        state.betting_over = False
        state.betting = Timer(turn.rules.betting_ms)
    if state.lock_due and not bets.any_ante(turn):
        state.lock_due = False
        state.betting_over = True
    if state.lock_due and state.trial is None and not keys.lock_refused(turn):
        keys.lock(turn)
        _forget_statement(state)
    if state.phase not in PHASES_IN_PLAY:
        state.decision = None
    for timer, runs in (
        (state.betting, state.phase == "betting"),
        (state.decision, state.phase == "deciding"),
    ):
        if timer is None:
            continue
        if runs and not state.held and state.trial is None:
            if timer.since_ms is None:
                timer.since_ms = turn.stamp.at_ms
        elif timer.since_ms is not None:
            timer.left_ms = timer.left_at(turn.stamp.at_ms)
            timer.since_ms = None


def due_at_ms(house: m.House, state: TableState) -> int | None:
    """When the table wants a `TimePassed`, in its own time; None: only when something happens."""
    due = [
        stack.judge_at_ms
        for seat in state.seats
        for stack in (seat.ante, seat.raise_, seat.bonus)
        if stack.judge_at_ms is not None
    ]
    for timer in (state.betting, state.decision):
        if timer is not None and timer.since_ms is not None:
            wait = min(TICK_MS, timer.left_ms)
            to_warning = timer.left_ms - house.rules.betting_warning_ms
            if timer is state.betting and 0 < to_warning < wait:
                wait = to_warning
            due.append(timer.since_ms + wait)
    return min(due, default=None)


# ------------------------------------------------------------------------ statements and slips

STATEMENTS: tuple[type[m.Command], ...] = (
    m.SetAmount,
    m.AddAmount,
    m.RepeatAmounts,
    m.DoubleAmounts,
    m.UndoAmount,
    m.ClearAmounts,
    m.Fold,
    m.StateCount,
    m.StateHand,
    m.MoveCard,
    m.DiscardCard,
    m.StateUpcard,
    m.StateExposed,
)
"""What `sup withdraw` can take back (DETAILS.md, Holds, A slip can be taken back)."""

NOT_IN_THE_WAY: tuple[type[m.Event], ...] = (
    m.Started,
    m.ClockSet,
    m.AccessTried,
    m.KeysRead,
    m.BadFrame,
    m.ShoeLost,
    m.ShoeFound,
    m.ChipsPlaced,
    m.ChipsLifted,
    m.CoinDropped,
    m.CoinFaulted,
    m.LampFailed,
    m.LampMended,
    m.HealthChanged,
    m.TimePassed,
)
"""Happenings that do not depend on a statement: it can be taken back after them."""


NO_RULING: tuple[type[m.Command], ...] = (
    m.LogOn,
    m.LogOff,
    m.ClearAlarm,
    m.PayHit,
    m.WithholdHit,
    m.ReleaseHit,
    m.ChangeShift,
)
"""Words that no statement depends on; they are not said again when one is taken back."""


def _forget_statement(state: TableState) -> None:
    state.before_statement = None
    state.statement = ""
    state.since_statement = []


def _withdraw(turn: Turn, _: m.Withdraw) -> None:
    """The table as it was before the last statement, with what happened since happening again.

    What was raised stays in the list of alarms, and time limits stand as they stand.
    """
    now = turn.state
    if now.before_statement is None:
        raise Refused("there is no statement that can be taken back now")
    then = decode_state(now.before_statement)
    if then.phase == now.phase:
        # Limits stand as they stand: without its hold the statement would let them run on.
        then.betting = then.decision = None
    for past in now.since_statement:
        again = Turn(turn.house, then, past.stamp)
        _do(again, past.message)
        _settle_down(again)
        then = again.state
    then.dealer, then.cleared, then.books = now.dealer, now.cleared, now.books
    raised = [*now.alarms, *(alarm for alarm in then.alarms if alarm not in now.alarms)]
    then.alarms = raised
    if then.phase == now.phase:
        then.betting, then.decision = now.betting, now.decision
    turn.state = then
    turn.tell(m.Withdrawn(now.statement))
    for alarm in raised[len(now.alarms) :]:
        turn.tell(m.AlarmRaised(alarm.alarm, alarm.place))
    for hold in now.holds:
        if then.hold(hold.reason) is None:
            turn.tell(m.HoldEnded(hold.reason))
    for hold in then.holds:
        if now.hold(hold.reason) is None:
            turn.tell(m.HoldPlaced(hold.reason))
    if then.phase != now.phase:
        turn.tell(m.PhaseEntered(then.phase))
    _forget_statement(then)


# ---------------------------------------------------------------------------------- the table

Handler = Callable[[Turn, Any], None]

HANDLERS: dict[type[m.Message], Handler] = {
    m.Installed: day.installed,
    m.Carried: day.carried,
    m.Recovered: day.recovered,
    m.ClockSet: day.clock_set,
    m.AccessTried: access.tried,
    m.KeysRead: access.keys_read,
    m.Started: _started,
    m.CardScanned: shoe.card_scanned,
    m.CardUnreadable: shoe.card_unreadable,
    m.FrameLost: shoe.frame_lost,
    m.BadFrame: shoe.bad_frame,
    m.ShoeLost: shoe.shoe_lost,
    m.ShoeFound: shoe.shoe_found,
    m.ChipsPlaced: bets.chips_placed,
    m.ChipsLifted: bets.chips_lifted,
    m.CoinDropped: coins.coin_dropped,
    m.CoinFaulted: coins.coin_faulted,
    m.LampFailed: _lamp_failed,
    m.LampMended: _lamp_mended,
    m.KeyPressed: keys.press,
    m.HealthChanged: _health_changed,
    m.TimePassed: _time_passed,
    m.SetAmount: bets.set_amount,
    m.AddAmount: bets.add_amount,
    m.RepeatAmounts: bets.repeat_amounts,
    m.DoubleAmounts: bets.double_amounts,
    m.UndoAmount: bets.undo_amount,
    m.ClearAmounts: bets.clear_amounts,
    m.PressKey: keys.press,
    m.Fold: statements.fold,
    m.StateCount: statements.state_count,
    m.StateHand: statements.state_hand,
    m.MoveCard: statements.move_card,
    m.DiscardCard: statements.discard_card,
    m.StateUpcard: statements.state_upcard,
    m.StateExposed: statements.state_exposed,
    m.RescanCard: shoe.rescan,
    m.CountTokens: statements.count_tokens,
    m.CountStub: statements.count_stub,
    m.ReturnCoin: coins.return_coin,
    m.Claim: statements.claim,
    m.VoidRound: supervisor.void,
    m.DeadHand: supervisor.dead_hand,
    m.Withdraw: _withdraw,
    m.KillHand: supervisor.kill_hand,
    m.Resume: supervisor.resume,
    m.FoldShort: supervisor.fold_short,
    m.ReturnExcess: supervisor.return_excess,
    m.NewDeck: supervisor.new_deck,
    m.UseDeck: supervisor.other_deck,
    m.LogOn: duty.log_on,
    m.LogOff: duty.log_off,
    m.ClearAlarm: duty.clear_alarm,
    m.ConfirmAward: supervisor.decide_award,
    m.RejectAward: supervisor.decide_award,
    m.SetParameter: meters.set_parameter,
    m.CorrectMeter: meters.correct_meter,
    m.PayHit: hits.pay_hit,
    m.WithholdHit: hits.withhold_hit,
    m.ReleaseHit: hits.release_hit,
    m.OpenDay: day.open_day,
    m.CloseDay: day.close_day,
    m.ChangeShift: day.change_shift,
    m.BeginTrial: trial.begin_trial,
    m.EndTrial: trial.end_trial,
    m.TrySeat: trial.try_seat,
    m.LampSeen: trial.lamp_seen,
}
"""Every event and command with its handler; a handler that says no in this phase raises `Refused`."""


TRIED: dict[type[m.Message], Handler] = {m.KeyPressed: trial.key_tried, m.CoinDropped: trial.coin_tried}
"""What wires do to a table that is being tried, instead of playing."""


def _do(turn: Turn, message: m.AnyMessage) -> None:
    if isinstance(message, m.Said):
        if message.round and message.round != turn.state.round:
            raise Refused(f"that is about round {message.round}, the table is at {turn.state.round}")
        if message.role not in ROLES[type(message.command)]:
            raise Refused(f"that is not a {message.role}'s word")
        turn.operator, turn.role, turn.reason = message.operator, message.role, message.reason
        if turn.state.trial is not None and not isinstance(message.command, trial.WORDS):
            raise Refused("the table is being tried: the trial must be ended first")
        HANDLERS[type(message.command)](turn, message.command)
    elif turn.state.trial is not None and type(message) in TRIED:
        TRIED[type(message)](turn, message)
    else:
        HANDLERS[type(message)](turn, message)


def step(
    house: m.House,
    state: TableState,
    stamp: m.Stamp,
    message: m.AnyMessage,
    encoded: bytes = b"",
) -> tuple[TableState, tuple[m.Fact, ...]]:
    """What one message makes of a table: the next state and the facts that were decided.

    `state` is not changed; `encoded` is its encoding, if the caller has it at hand. A refusal changes
    nothing and is a fact of its own. `house` is the one of the newest `Started`; a state that has
    never seen one is made by `new_state`.
    """
    turn = Turn(house, decode_state(encoded or encode_state(state)), stamp)
    action = message.command if isinstance(message, m.Said) else message
    try:
        _do(turn, message)
    except Refused as refused:
        return state, _refusal(action, str(refused))
    _remember(turn, state, message, action)
    _settle_down(turn)
    return turn.state, tuple(turn.facts)


def _refusal(action: m.Message, reason: str) -> tuple[m.Fact, ...]:
    if isinstance(action, m.KeyPressed):
        return (m.KeyRefused(action.key, reason),)
    return (m.CommandRefused(type(action).__name__, reason),)


def _remember(turn: Turn, before: TableState, message: m.AnyMessage, action: m.Message) -> None:
    """Keep what taking back the last statement needs, or drop it when it can no longer be."""
    state = turn.state
    if isinstance(action, STATEMENTS):
        plain = msgspec.structs.replace(before, before_statement=None, statement="", since_statement=[])
        state.before_statement = encode_state(plain)
        state.statement = type(action).__name__
        state.since_statement = []
        turn.tell(m.Stated(state.statement))
    elif isinstance(action, NOT_IN_THE_WAY):
        if state.before_statement is not None:
            # Time alone never makes a statement final, so a row of moments counts as its last one.
            newest = state.since_statement[-1:]
            if isinstance(action, m.TimePassed) and newest and isinstance(newest[0].message, m.TimePassed):
                state.since_statement.pop()
            state.since_statement.append(Past(turn.stamp, message))
            if len(state.since_statement) > SINCE_MAX:
                _forget_statement(state)
    elif not isinstance(action, (m.Withdraw, *NO_RULING)):
        _forget_statement(state)
