"""The table is being tried (test and audit mode, STANDARDS.md, items 24, 47 and 56).

While it lasts nothing is a bet: coins move no meter, keys do nothing but show that they work, slots are
shut but the one being tried, time limits stand still. What it found (every key, every lamp) is recorded at
its end, and a house can require it at the opening of a day.
"""

from __future__ import annotations

from typing import get_args

from table_controller.table.messages import (
    BeginTrial,
    ClearAlarm,
    CoinDropped,
    Command,
    EndTrial,
    Key,
    KeyPressed,
    LampFailed,
    LampSeen,
    LineTried,
    LogOff,
    LogOn,
    PayHit,
    ReleaseHit,
    TrialBegun,
    TrialEnded,
    TrySeat,
    WalkRecorded,
    WithholdHit,
)
from table_controller.table.state import PHASES_IN_PLAY, Trial
from table_controller.table.turn import Refused, Turn

WORDS: tuple[type[Command], ...] = (
    EndTrial,
    TrySeat,
    LampSeen,
    LogOn,
    LogOff,
    ClearAlarm,
    PayHit,
    WithholdHit,
    ReleaseHit,
)
"""What can be said while the table is being tried."""

KEYS: tuple[Key, ...] = get_args(Key)


def begin_trial(turn: Turn, command: BeginTrial) -> None:
    """A trial begins where no cards are out; who was told of it stands ahead of everything that is done."""
    state = turn.state
    if state.books is None:
        raise Refused("this table has no books")
    if state.trial is not None:
        raise Refused(f"{state.trial.operator} is trying the table already")
    if state.phase in PHASES_IN_PLAY:
        raise Refused("cards are out: the round must be settled or void first")
    if state.held:
        raise Refused("the table is held")
    if not command.notified.strip():
        raise Refused("who was notified of the trial, and when, must be said first")
    state.trial = Trial(turn.operator, command.notified)
    turn.tell(TrialBegun(command.notified, turn.operator))


def end_trial(turn: Turn, _: EndTrial) -> None:
    """The trial is over; everything is as it was before, and what it found is recorded."""
    state = turn.state
    trial = _trial(turn)
    needed = needed_lines(turn)
    missing = tuple(line for line in needed if line not in trial.tried and line not in trial.failed)
    failed = tuple(trial.failed)
    passed = not missing and not failed
    if state.books is not None and (passed or failed):
        state.books.walked = passed
    state.trial = None
    turn.tell(WalkRecorded(passed, missing, failed, turn.operator))
    turn.tell(TrialEnded(turn.operator))


def needed_lines(turn: Turn) -> list[str]:
    """Every key, and every jackpot lamp where the house has a progressive."""
    lamps = [f"lamp.{number}" for number, _ in turn.state.numbered()] if turn.rules.has_progressive else []
    return [*(f"key.{key}" for key in KEYS), *lamps]


def try_seat(turn: Turn, command: TrySeat) -> None:
    """That seat alone has its lamp lit and its slot open, so that a crossed wire is seen too; 0: none has."""
    trial = _trial(turn)
    if not 0 <= command.seat <= len(turn.state.seats):
        raise Refused(f"seat {command.seat} does not exist, seats are 1 to {len(turn.state.seats)}")
    trial.seat = command.seat


def lamp_seen(turn: Turn, command: LampSeen) -> None:
    """Somebody has seen the lamp of that seat lit, and no other."""
    trial = _trial(turn)
    if not command.seat or trial.seat != command.seat:
        raise Refused(f"the lamp of seat {command.seat} is not being tried")
    if command.seat in turn.state.lamps_failed:
        raise Refused(f"the sense line says that the lamp of seat {command.seat} is dead")
    if f"lamp.{command.seat}" in trial.failed:
        trial.failed.remove(f"lamp.{command.seat}")
    _tried(turn, trial, f"lamp.{command.seat}")


def key_tried(turn: Turn, event: KeyPressed) -> None:
    """A key does nothing in a trial but show that it works."""
    _tried(turn, _trial(turn), f"key.{event.key}")


def coin_tried(turn: Turn, event: CoinDropped) -> None:
    """A coin in a trial is no bet and moves no meter; it is taken out of the chute by whoever tries.

    One that is seen at another seat than the one being tried has found a crossed wire or an open slot.
    """
    trial = _trial(turn)
    line = f"coin.{event.seat}"
    if trial.seat in (0, event.seat):
        _tried(turn, trial, line)
    elif line not in trial.failed:
        trial.failed.append(line)


def lamp_failed(turn: Turn, event: LampFailed) -> None:
    """A lamp that its sense line contradicts has failed the trial."""
    line = f"lamp.{event.seat}"
    trial = _trial(turn)
    if line not in trial.failed:
        trial.failed.append(line)
    if line in trial.tried:
        trial.tried.remove(line)


def _tried(turn: Turn, trial: Trial, line: str) -> None:
    if line not in trial.tried:
        trial.tried.append(line)
    turn.tell(LineTried(line))


def _trial(turn: Turn) -> Trial:
    if turn.state.trial is None:
        raise Refused("the table is not being tried")
    return turn.state.trial
