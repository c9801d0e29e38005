"""The life of a table beyond its rounds: installation, days and shifts, other files, another program.

A table is installed once and then only carried on, from file to file and from day to day. Nothing here can
set a meter to a value that it did not have (STANDARDS.md, items 5, 29, 30 and 50).
"""

from __future__ import annotations

from msgspec import UnsetType

from table_controller.engine.house_rules import (
    PARAMETERS,
    HouseRulesError,
    option_texts,
    with_parameters,
)
from table_controller.engine.money import money_text
from table_controller.engine.progressive import Meter, correct
from table_controller.engine.values import written
from table_controller.table import hits
from table_controller.table.messages import (
    Carried,
    Change,
    ChangeShift,
    ClockSet,
    ClockWasSet,
    CloseDay,
    DayClosed,
    DayOpened,
    DealerChanged,
    HitWithheld,
    House,
    HouseChanged,
    Installed,
    MeterCorrected,
    OpenDay,
    Recovered,
    ShiftChanged,
    SoftwareChanged,
    Started,
    TableInstalled,
    TableRecovered,
)
from table_controller.table.meters import forget_parameters, limit_problem
from table_controller.table.state import Books, Seat, TableState, decode_state
from table_controller.table.turn import Refused, Turn, same_person


def install_refused(house: House, operators: tuple[str, str], approval: str, recovery: str = "") -> str:
    """Why a table cannot be installed so; empty if it can (STANDARDS.md, item 50).

    After a loss the meter goes on where it stood, which may be below `reset`.
    """
    first, second = (name.strip() for name in operators)
    rules = house.rules
    if not first or not second or same_person(first, second):
        return "a table is installed by two people with two names"
    if not approval.strip():
        return "an installation needs an approval reference"
    if recovery.strip():
        return ""
    if rules.has_progressive and rules.meter_start_cents < rules.reset_cents:
        found, reset = money_text(rules.meter_start_cents), money_text(rules.reset_cents)
        return f"meter_start: {found} was found; allowed is at least reset, {reset}"
    if rules.has_progressive and 0 < rules.meter_limit_cents < rules.meter_start_cents:
        found, limit = money_text(rules.meter_start_cents), money_text(rules.meter_limit_cents)
        return f"meter_start: {found} was found; allowed is at most meter_limit, {limit}"
    return ""


def installed(turn: Turn, event: Installed) -> None:
    """The table begins with the books of an inspector; its meter stands at `meter_start`."""
    state = turn.state
    if state.books is not None or state.rounds:
        raise Refused("the table is installed already")
    if state.meter is not None and event.meter_cents is not None:
        state.meter = Meter.starting_at(event.meter_cents)
    meter = state.meter
    program = _program(event.software, event.manifest)
    state.books = Books(
        base_cents=meter.cents if meter else 0, program=program, documents=event.documents, day=event.day
    )
    state.rounds = event.rounds
    turn.tell(TableInstalled(meter.cents if meter else 0, event.approval, event.operators, event.recovery))


def carried(turn: Turn, event: Carried) -> None:
    """A new file goes on with the table as the archived one left it."""
    if turn.state.books is not None or turn.state.rounds:
        raise Refused("a table is carried on into a new file only")
    turn.state = decode_state(bytes(event.state))
    if turn.state.books is not None:
        turn.state.books.archive_due = False


def recovered(turn: Turn, event: Recovered) -> None:
    """A journal was lost: the table goes on from its newest archived day, with the meter that was signed."""
    state = turn.state
    books = state.books
    if books is None or books.day_open or state.phase != "idle" or event.day <= books.day:
        raise Refused("a table is recovered right behind its newest archived day")
    skipped = event.documents - books.documents
    books.day, books.documents, state.rounds = event.day, event.documents, event.rounds
    turn.tell(TableRecovered(event.recovery, event.approval, event.operators, skipped))
    for document, owed in books.owed.items():
        # It may have been paid on the lost day: somebody looks at the paper before it is paid again.
        if not owed.hold:
            owed.hold = "other"
            turn.tell(HitWithheld(document, "other", event.operators[0], event.recovery))
    if state.meter is not None and state.meter.cents != event.meter_cents:
        before_cents = state.meter.cents
        turn.set_meter(correct(state.meter, "meter", event.meter_cents), "correction")
        people = (event.approval, event.operators, event.recovery)
        turn.tell(MeterCorrected("meter", before_cents, event.meter_cents, "after_loss", *people))


def program_and_files(turn: Turn, event: Started) -> None:
    """At a start: what is other than before in the program and in the files is told (items 51, 55, 57)."""
    state = turn.state
    if event.manifest:
        program = _program(event.software, str(event.manifest))
        if state.books is None:
            # A table from before there were books keeps its meter and gets them now, with its open awards.
            state.books = Books(base_cents=state.meter.cents if state.meter else 0, program=program)
            waiting = [one for one in state.awards if one.status == "waits"]
            hits.record(turn, waiting, state.meter.cents if state.meter else 0)
        elif state.books.program != program:
            turn.tell(SoftwareChanged(state.books.program, program))
            state.books.program = program
    changes = () if isinstance(event.changes, UnsetType) else event.changes
    for change in changes:
        turn.tell(HouseChanged(change.place, change.before, change.after, str(turn.house.approval or "")))
    forget_parameters(turn, [change.place for change in changes])
    if state.meter is None and turn.rules.has_progressive:
        state.meter = Meter.starting_at(turn.rules.meter_start_cents)


def _program(software: str, manifest: str) -> str:
    return f"{software} {manifest}".strip()


def clock_set(turn: Turn, event: ClockSet) -> None:
    """The wall clock was set; it is recorded and changes nothing (STANDARDS.md, item 59)."""
    turn.tell(ClockWasSet(event.by_ms))


def changes(before: House, after: House, state: TableState) -> tuple[Change, ...]:
    """What the files say now and said otherwise when the table was last taken up.

    The value before is the one that was in force, also where it had been said at the table. `meter_start` is
    left out: it is used once.
    """
    old, new = _places(before), _places(after)
    in_force = {**old, **state.parameters}
    return tuple(
        Change(place, in_force[place], new[place])
        for place, text in old.items()
        if text != new[place] and place != "meter_start"
    )


def files_refused(before: House, after: House, state: TableState) -> str:
    """Why the table cannot be taken up with these files; empty if it can (STANDARDS.md, items 49, 51, 57).

    A round is settled under the rules it was begun with. A change needs an approval of its own, and a
    rate, reset or limit of the progressive is changed in a file only while the gaming day is closed.
    """
    found = changes(before, after, state)
    texts = "; ".join(f"{one.place}: {one.before} in the journal, {one.after} in the file" for one in found)
    if not found:
        return ""
    if state.phase != "idle":
        return (
            f"round {state.round} is in play under other house rules, seats or limits ({texts}): "
            "finish it with the files it was begun with, CLEAR, and change them then"
        )
    if not after.approval or after.approval == before.approval:
        stated = f"still {after.approval}" if after.approval else "none"
        return (
            f"the files were changed ({texts}) and their approval is {stated}: state a reference of its own"
        )
    if state.books is not None and state.meter is None and after.rules.has_progressive:
        return "the files have a progressive now, and this table has no meter: it begins with an installation"
    options = [one.place for one in found if one.place in PARAMETERS]
    if before.gaming_day and not after.gaming_day and not state.closed:
        return "opening.gaming_day was changed in the files while a gaming day is open: close it first"
    if options and before.gaming_day and not state.closed:
        return f"{', '.join(options)} was changed in the files while a gaming day is open: close it first"
    stay = {key: text for key, text in state.parameters.items() if key not in options}
    wait = {key: text for key, text in state.parameters_pending.items() if key not in options}
    try:
        with_parameters(after.rules, {**stay, **wait})
        limited = with_parameters(after.rules, stay)
        return limit_problem(limited, state.meter) if "meter_limit" in options else ""
    except HouseRulesError as error:
        return f"the parameters that were changed at this table do not fit the house rules: {error}"


def _places(house: House) -> dict[str, str]:
    def limit(cents: int) -> str:
        return money_text(cents) if cents else "none"

    return {
        "table": house.table,
        "seats": str(house.seats),
        "limits.minimum": limit(house.minimum_cents),
        "limits.maximum": limit(house.maximum_cents),
        "limits.bonus_minimum": limit(house.bonus_minimum_cents),
        "limits.bonus_maximum": limit(house.bonus_maximum_cents),
        "opening.gaming_day": written(bool(house.gaming_day)),
        "opening.walk": written(bool(house.walk)),
        "limits.chips": f"[{', '.join(map(money_text, house.chips_cents))}]" if house.chips_cents else "none",
        **option_texts(house.rules),
    }


def _books(turn: Turn) -> Books:
    if turn.state.books is None or not turn.house.gaming_day:
        raise Refused("this table has no gaming days (table.toml, opening.gaming_day)")
    return turn.state.books


def open_day(turn: Turn, _: OpenDay) -> None:
    """A gaming day begins, once everything that a day needs was tried."""
    books = _books(turn)
    if books.day_open:
        raise Refused(f"gaming day {books.day} is open already")
    if turn.state.held:
        raise Refused("the table is held")
    if turn.house.walk and not books.walked:
        raise Refused(
            "keys and lamps must be tried first: no trial since the last day found all of them well"
        )
    books.day += 1
    books.day_open = True
    books.shift = ""
    turn.tell(DayOpened(books.day, turn.operator))


def close_day(turn: Turn, _: CloseDay) -> None:
    """A gaming day ends between rounds; what is owed to players stays owed."""
    state = turn.state
    books = _books(turn)
    if not books.day_open:
        raise Refused("no gaming day is open")
    if state.phase not in ("idle", "betting"):
        raise Refused("a day is closed between rounds, after CLEAR")
    lying = [str(number) for number, seat in state.numbered() if _something_lies(seat)]
    if state.phase == "betting" and lying:
        raise Refused(f"bets lie at seat {', '.join(lying)}: they are played, or go back first")
    if state.held:
        raise Refused("the table is held")
    if state.phase == "betting":
        # Bets were open and nobody came: there is no round to clear.
        turn.enter("idle")
    if state.dealer:
        turn.tell(DealerChanged(state.dealer, "", ""))
        state.dealer = ""
    books.day_open = False
    books.archive_due = True
    books.walked = False
    books.asked = None
    turn.tell(DayClosed(books.day, turn.operator))


def _something_lies(seat: Seat) -> bool:
    return seat.coin == "placed" or any(stack.laid for stack in (seat.ante, seat.raise_, seat.bonus))


def change_shift(turn: Turn, command: ChangeShift) -> None:
    """Another shift has the table, from the next round on."""
    books = _books(turn)
    if not books.day_open:
        raise Refused("no gaming day is open")
    if turn.state.phase not in ("idle", "betting"):
        raise Refused("a shift changes between rounds")
    shift = command.shift.strip()
    if not shift or len(shift) > 40:
        raise Refused("a shift has a name of 1 to 40 letters")
    if shift == books.shift:
        raise Refused(f"shift {shift} has the table already")
    turn.tell(ShiftChanged(books.shift, shift, turn.operator))
    books.shift = shift
