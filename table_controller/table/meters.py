"""What people do to the meter: parameters that change, pots that are corrected (STANDARDS.md, A).

Nothing here is done by one person in silence: a parameter needs an approval, a correction two people,
a listed reason and an approval.
"""

from __future__ import annotations

from table_controller.engine.house_rules import (
    PARAMETERS,
    HouseRules,
    HouseRulesError,
    option_texts,
    with_parameters,
)
from table_controller.engine.money import money_text
from table_controller.engine.progressive import EXACT, Meter, correct
from table_controller.table.messages import (
    CorrectionSeconded,
    CorrectMeter,
    MeterCorrected,
    ParameterChanged,
    SetParameter,
)
from table_controller.table.state import Asked
from table_controller.table.turn import Refused, Turn, same_person

RAISES = frozenset({"display_wrong", "added_by_house"})
"""The reasons for which a pot may be corrected upwards; for all but `added_by_house` it may go down."""


def set_parameter(turn: Turn, command: SetParameter) -> None:
    """A rate, reset or limit of the progressive is changed (HOUSE_RULES.md, `parameter_change`)."""
    state = turn.state
    if not turn.rules.has_progressive:
        raise Refused("this house has no progressive")
    if not command.approval.strip():
        raise Refused("a change needs an approval reference")
    try:
        # What is in force and what is pending will stand together after the next reset.
        together = {**state.parameters, **state.parameters_pending, command.option: command.value}
        with_parameters(turn.house.rules, together)
    except HouseRulesError as error:
        raise Refused("; ".join(error.problems)) from None
    if turn.rules.parameter_change == "closed_only":
        if not (turn.house.gaming_day and state.closed and state.phase == "idle"):
            raise Refused("in this house parameters are changed while the day is closed")
        # A reset may have lifted the meter over a limit that stands; only a new limit is judged.
        now = with_parameters(turn.house.rules, {**state.parameters, command.option: command.value})
        if command.option == "meter_limit" and (problem := limit_problem(now, state.meter)):
            raise Refused(problem)
    before = state.parameters.get(command.option, "as in the house rules")
    if state.books is not None:
        before = option_texts(turn.rules)[command.option]
    in_force = turn.rules.parameter_change == "closed_only"
    # What was still waiting for this option is older than this word.
    state.parameters_pending.pop(command.option, None)
    (state.parameters if in_force else state.parameters_pending)[command.option] = command.value
    turn.tell(ParameterChanged(command.option, before, command.value, command.approval, in_force))


def limit_problem(rules: HouseRules, meter: Meter | None) -> str:
    """Why the limit of these rules cannot be put in force over that meter; empty if it can (item 9)."""
    limit_cents = rules.meter_limit_cents
    if meter is None or not limit_cents or meter.exact <= limit_cents * EXACT:
        return ""
    found, least = money_text(limit_cents), money_text(-(-meter.exact // EXACT))
    return f"meter_limit: {found} was found; allowed is at least what the meter holds, {least}"


def forget_parameters(turn: Turn, options: list[str]) -> None:
    """The files say something new about these options: what was said at the table before is over."""
    for option in options:
        if option in PARAMETERS:
            turn.state.parameters.pop(option, None)
            turn.state.parameters_pending.pop(option, None)


def correct_meter(turn: Turn, command: CorrectMeter) -> None:
    """A pot is corrected between rounds, by two people of whom one is a supervisor."""
    state = turn.state
    books, meter = state.books, state.meter
    if meter is None or books is None:
        raise Refused("there is no meter")
    if state.phase != "idle":
        raise Refused("the meter is corrected only between rounds")
    if not command.approval.strip():
        raise Refused("a correction needs an approval reference")
    if not turn.reason.strip():
        raise Refused("a correction needs a reason")
    before_cents = getattr(meter, "exact" if command.pot == "meter" else command.pot) // EXACT
    _check(turn, command, before_cents)
    asked = books.asked
    if asked is None or asked.command != command:
        books.asked = Asked(command, turn.operator, turn.role == "supervisor")
        turn.tell(CorrectionSeconded(command.pot, command.cents, turn.operator))
        return
    if same_person(asked.operator, turn.operator):
        raise Refused(f"{turn.operator} has said so already: a second person is needed")
    if not (asked.supervisor or turn.role == "supervisor"):
        raise Refused("one of the two must be a supervisor")
    books.asked = None
    if command.pot == "meter" and books.corrected_from_cents is None:
        books.corrected_from_cents = before_cents
    turn.set_meter(correct(meter, command.pot, command.cents), "correction")
    turn.tell(
        MeterCorrected(
            pot=command.pot,
            before_cents=before_cents,
            after_cents=command.cents,
            why=command.why,
            approval=command.approval,
            operators=(asked.operator, turn.operator),
            reason=turn.reason,
        )
    )


def _check(turn: Turn, command: CorrectMeter, before_cents: int) -> None:
    books = turn.state.books
    if not turn.operator.strip():
        raise Refused("a correction is made by people with a name")
    if command.cents == before_cents:
        raise Refused(f"the {command.pot} shows {money_text(before_cents)} already")
    least_cents = 0
    if command.pot == "meter" and books is not None:
        # An award may have left the meter below its reset: a correction can go back to there, no further.
        left_cents = before_cents if books.corrected_from_cents is None else books.corrected_from_cents
        least_cents = min(before_cents, left_cents, turn.rules.reset_cents)
    if command.cents < least_cents:
        found, least = money_text(command.cents), money_text(least_cents)
        raise Refused(f"{found} was found; allowed for the {command.pot} is at least {least}")
    rises = command.cents > before_cents
    if rises and command.why not in RAISES:
        raise Refused(f"{command.why} never raises a meter; allowed: {', '.join(sorted(RAISES))}")
    if not rises and command.why == "added_by_house":
        raise Refused("added_by_house never lowers a meter")
    if command.why == "undisplayed_taken" and command.pot == "meter":
        raise Refused("undisplayed_taken is about the overflow or the reserve: the meter is displayed")
    limit_cents = turn.rules.meter_limit_cents
    if command.pot == "meter" and limit_cents and rises and command.cents > limit_cents:
        raise Refused(f"the meter is limited to {money_text(limit_cents)}")
