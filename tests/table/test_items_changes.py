"""What an inspector asks of changes and of who makes them (STANDARDS.md, F), at the table as a pure value."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from table_controller.engine.house_rules import parse_house_rules
from table_controller.presets import preset_text
from table_controller.table import messages as m
from table_controller.table.day import changes, files_refused, install_refused
from table_controller.table.roles import ROLES
from table_controller.table.state import encode_state, new_state
from table_controller.table.step import step
from tests.table.rounds import NOTHING, ROYAL, dealt, locked, revealed
from tests.table.tabletop import PEOPLE, WALL_MS, TableTop
from tests.table.test_step import PHASES, SAMPLES, table_in

US = 'preset = "us"\n'
AFTER_HIT = US + 'parameter_change = "after_next_hit"\n'
RESET = m.SetParameter("reset", "20000.00", "A-7")


def meter_cents(table: TableTop) -> int:
    assert table.state.meter is not None
    return table.state.meter.cents


def house_of(house_rules: str, approval: str = "", gaming_day: bool = False) -> m.House:
    rules = parse_house_rules(house_rules, preset_text, "house")
    return m.House("T1", 7, rules, gaming_day=gaming_day, approval=approval)


# -------------------------------------------------------------------- parameters (48, 49, 51, 57)


SUPERVISORS: set[type[m.Command]] = {
    m.SetParameter, m.OpenDay, m.CloseDay, m.ChangeShift, m.BeginTrial, m.EndTrial, m.PayHit, m.WithholdHit,
    m.ReleaseHit, m.VoidRound, m.NewDeck, m.Resume,
}  # fmt: skip


def test_item_48_every_word_of_the_table_has_the_roles_that_may_say_it() -> None:
    assert set(ROLES) == set(get_args(m.AnyCommand))
    for command in SUPERVISORS:
        assert ROLES[command] == {"supervisor"}, command


@pytest.mark.parametrize("phase", PHASES)
def test_item_48_the_table_itself_takes_no_supervisors_word_from_a_dealer(phase: str) -> None:
    table = table_in(phase, AFTER_HIT)
    before = encode_state(table.state)
    for sample in SAMPLES:
        if isinstance(sample, m.Said) and ROLES[type(sample.command)] == {"supervisor"}:
            table.send(msgspec.structs.replace(sample, role="dealer"))
            assert table.refused
    assert encode_state(table.state) == before


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("house_rules", [US, AFTER_HIT])
def test_item_48_nothing_that_a_dealer_may_do_reaches_a_parameter(phase: str, house_rules: str) -> None:
    table = table_in(phase, house_rules)
    start = table.state
    words = [
        msgspec.structs.replace(sample, role="dealer", operator="dan")
        for sample in SAMPLES
        if isinstance(sample, m.Said) and "dealer" in ROLES[type(sample.command)]
    ]
    wires = [sample for sample in SAMPLES if not isinstance(sample, m.Said)]
    assert len(words) > 20
    for message in (*words, *wires):
        table.state = start
        table.send(message)
        assert (table.state.parameters, table.state.parameters_pending) == ({}, {}), message


def test_item_48_two_dealers_cannot_correct_a_meter() -> None:
    table = TableTop(US, gaming_day=True)
    up = m.CorrectMeter("meter", 1_200_000, "added_by_house", "A-7")
    assert table.word(up, "dan", "dealer") == ""
    assert table.word(up, "eve", "dealer") == "one of the two must be a supervisor"
    assert meter_cents(table) == 1_000_000


def test_item_49_closed_only_takes_a_parameter_while_the_day_is_closed_and_at_once() -> None:
    table = TableTop(US, gaming_day=True)
    refused = "in this house parameters are changed while the day is closed"
    table.word(m.OpenDay())
    assert table.word(RESET) == refused
    table.run("open\n" + revealed({1: NOTHING}))
    assert table.word(RESET) == refused
    table.run("clear")
    assert table.word(RESET) == refused
    table.word(m.CloseDay())
    assert table.word(RESET) == ""
    assert table.told(m.ParameterChanged) == [
        m.ParameterChanged("reset", "10000.00", "20000.00", "A-7", in_force=True)
    ]
    table.word(m.OpenDay())
    table.run("open\n" + revealed({1: ROYAL}) + "stub 42\nsup confirm 1\nsee meter 20000.00")


def test_item_49_no_round_is_opened_while_the_day_is_closed() -> None:
    table = TableTop(US, gaming_day=True).run("open\nsee refused")
    assert table.refused == "no gaming day is open"
    assert table.word(m.OpenDay()) == ""
    table.run("open\n" + locked({1: NOTHING}) + "sup void\nclear")
    assert table.word(m.CloseDay()) == ""
    table.run("open\nsee refused")
    assert [fact.day for fact in table.told(m.DayOpened)] == [1]


def test_item_49_closed_only_never_takes_one_where_there_are_no_gaming_days() -> None:
    assert TableTop(US).word(RESET) == "in this house parameters are changed while the day is closed"


def test_item_49_after_next_hit_takes_a_parameter_at_any_time_and_it_waits_for_the_royal() -> None:
    hands = {1: NOTHING}
    table = TableTop(AFTER_HIT)
    assert table.word(m.SetParameter("meter_share", "0.60", "A-7")) == ""
    assert table.told(m.ParameterChanged) == [
        m.ParameterChanged("meter_share", "0.49", "0.60", "A-7", in_force=False)
    ]
    table.run(revealed(hands) + "see meter 10000.49\nclear\nopen\n" + locked(hands) + dealt(hands))
    assert table.word(RESET) == ""
    table.run("raise 1\nclose\nreveal\nsee meter 10000.98\nclear\nopen")
    table.run(revealed({1: ROYAL}) + "stub 42\nsup confirm 1\nsee meter 20000.00\nclear\nopen")
    table.run(locked(hands) + "see meter 20000.60")


def test_item_49_a_royal_that_is_rejected_puts_no_parameter_in_force() -> None:
    table = TableTop(AFTER_HIT)
    table.word(RESET)
    table.run(revealed({1: ROYAL}) + "sup reject 1\nstub 42\nclear\nopen\n" + locked({1: NOTHING}))
    assert table.state.parameters == {}
    assert meter_cents(table) == 1_000_098


def test_item_49_a_rate_in_the_files_is_refused_while_a_day_is_open() -> None:
    table = TableTop(US, gaming_day=True)
    after = house_of(US + 'meter_share = "0.60"\n', "A-2", gaming_day=True)
    assert files_refused(table.house, after, table.state) == ""
    table.word(m.OpenDay())
    refused = files_refused(table.house, after, table.state)
    assert refused == "meter_share was changed in the files while a gaming day is open: close it first"


def test_item_49_files_are_not_changed_inside_a_round() -> None:
    table = TableTop(US).run(locked({1: NOTHING}))
    refused = files_refused(table.house, house_of(US + 'odd_cent = "reserve"\n', "A-2"), table.state)
    assert refused.startswith(f"round {table.state.round} is in play under other house rules")


def test_item_49_51_files_that_contradict_what_waits_for_the_next_royal_are_refused() -> None:
    table = TableTop(AFTER_HIT).run(locked({1: NOTHING}) + "sup void\nclear")
    assert table.word(m.SetParameter("meter_limit", "30000.00", "A-7")) == ""
    assert files_refused(table.house, house_of(AFTER_HIT + 'reset = "40000.00"\n', "A-2"), table.state) != ""


@pytest.mark.parametrize("approval", ["", " "])
def test_item_51_a_parameter_without_an_approval_is_refused(approval: str) -> None:
    table = TableTop(AFTER_HIT)
    command = m.SetParameter("meter_share", "0.60", approval)
    assert table.word(command) == "a change needs an approval reference"
    assert table.state.parameters_pending == {}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("odds", "1"),
        ("royal_minimum", "1.00"),
        ("progressive", "[]"),
        ("meter_start", "1.00"),
        ("reset", "-1"),
    ],
)
def test_item_51_what_is_no_rate_reset_or_limit_is_not_changed_at_the_table(option: str, value: str) -> None:
    table = TableTop(US, gaming_day=True)
    before = encode_state(table.state)
    assert table.word(m.SetParameter(option, value, "A-7")) != ""
    assert encode_state(table.state) == before


@pytest.mark.parametrize(
    ("approval", "refused"),
    [("", "their approval is none"), ("A-1", "their approval is still A-1"), ("A-2", "")],
)
def test_item_51_files_that_were_changed_need_an_approval_of_their_own(approval: str, refused: str) -> None:
    before = house_of(US, "A-1", gaming_day=True)
    after = house_of(US + 'royal_minimum = "5000.00"\n', approval, gaming_day=True)
    found = files_refused(before, after, new_state(before))
    assert refused in found
    assert bool(found) == bool(refused)


def test_item_51_57_what_the_files_say_now_is_told_with_what_they_said_and_the_approval() -> None:
    table = TableTop(US).run(locked({1: NOTHING}) + "sup void\nclear")
    after = house_of(US + 'royal_minimum = "5000.00"\njackpot_hold_from = "250.00"\n', "A-2")
    found = changes(table.house, after, table.state)
    table.house = after
    table.send(msgspec.structs.replace(table.started(), changes=found))
    assert table.told(m.HouseChanged) == [
        m.HouseChanged("royal_minimum", "0.00", "5000.00", "A-2"),
        m.HouseChanged("jackpot_hold_from", "500.00", "250.00", "A-2"),
    ]


def test_item_57_what_was_said_at_the_table_is_what_stood_before_the_files_were_changed() -> None:
    table = TableTop(US, gaming_day=True)
    assert table.word(RESET) == ""
    after = house_of(US + 'reset = "15000.00"\n', "A-2", gaming_day=True)
    assert changes(table.house, after, table.state) == (m.Change("reset", "20000.00", "15000.00"),)


def test_item_09_51_a_meter_that_a_reset_lifted_over_its_limit_stands_in_the_way_of_no_other_change() -> None:
    over = US + 'meter_limit = "10000.05"\nreserve_share = "0.10"\n'
    table = TableTop(over, gaming_day=True)
    table.word(m.OpenDay())
    table.run("open\n" + revealed({1: ROYAL}) + "stub 42\nsup confirm 1\nsee meter 10000.10\nclear")
    table.word(m.CloseDay())
    assert table.word(m.SetParameter("meter_share", "0.40", "A-7")) == ""
    after = house_of(over + 'royal_minimum = "5000.00"\n', "A-2", gaming_day=True)
    assert files_refused(table.house, after, table.state) == ""
    assert table.word(m.SetParameter("meter_limit", "10000.06", "A-7")) != ""


# ---------------------------------------------------------------------------- installation (50)


def test_item_50_a_table_is_installed_once() -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n')
    before = encode_state(table.state)
    other = house_of(US + 'meter_start = "50000.00"\n')
    for message in (
        m.Installed(other, ("eve", "joe"), "A-9", "test", ""),
        m.Carried(other, "older.journal", 3, "00" * 32, msgspec.Raw(encode_state(new_state(other)))),
    ):
        table.send(message)
        refusal = table.facts[-1]
        assert isinstance(refusal, m.CommandRefused)
        assert encode_state(table.state) == before


def test_item_50_a_table_that_is_carried_on_is_not_installed_again() -> None:
    day = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    new = new_state(day.house)
    carried = m.Carried(
        day.house, "T1-day-000001.journal", 9, "00" * 32, msgspec.Raw(encode_state(day.state))
    )
    after, facts = step(day.house, new, m.Stamp(0, WALL_MS), carried)
    assert facts == ()
    assert after.meter == day.state.meter
    installed = m.Installed(house_of(US), PEOPLE, "A-1", "test", "")
    again, facts = step(day.house, after, m.Stamp(0, WALL_MS), installed)
    assert [type(fact) for fact in facts] == [m.CommandRefused]
    assert again.meter == day.state.meter


@pytest.mark.parametrize(
    ("house_rules", "people", "approval", "refused"),
    [
        (US, ("ann", "ben"), "A-1", ""),
        (US + 'meter_start = "9999.99"\n', ("ann", "ben"), "A-1", "allowed is at least reset, 10000.00"),
        (US + 'meter_start = "0.00"\n', ("ann", "ben"), "A-1", "allowed is at least reset"),
        (
            US + 'meter_start = "20000.01"\nmeter_limit = "20000.00"\n',
            ("ann", "ben"),
            "A-1",
            "allowed is at most meter_limit, 20000.00",
        ),
        (US, ("ann", "ann "), "A-1", "two people with two names"),
        (US, ("ann", ""), "A-1", "two people with two names"),
        (US, ("ann", "ben"), " ", "an approval reference"),
        ('preset = "classic"\n', ("ann", "ben"), "A-1", ""),
    ],
)
def test_item_50_a_table_is_installed_by_two_people_at_or_above_its_reset(
    house_rules: str, people: tuple[str, str], approval: str, refused: str
) -> None:
    found = install_refused(house_of(house_rules), people, approval)
    assert refused in found
    assert bool(found) == bool(refused)


def test_item_50_the_amount_and_who_accepted_it_are_on_record() -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n')
    (installed,) = table.told(m.TableInstalled)
    assert (installed.meter_cents, installed.approval, installed.operators) == (1_200_000, "A-1", PEOPLE)


# ------------------------------------------------------------------------------- records (57, 59)


def test_item_57_a_wrong_amount_that_is_put_right_leaves_both_records() -> None:
    table = TableTop(US).run("ante 1 10.00\nante 1 100.00\nsup withdraw")
    stated = [fact for fact in table.facts if isinstance(fact, m.Stated | m.Withdrawn)]
    assert stated == [m.Stated("SetAmount"), m.Stated("SetAmount"), m.Withdrawn("SetAmount")]
    assert table.state.seat(1).ante.cents == 1_000


def test_item_57_a_hand_that_was_counted_wrong_keeps_its_alarm() -> None:
    hands = {1: NOTHING}
    table = TableTop(US).run(locked(hands) + dealt(hands) + "count 1 4\nsup withdraw\nsee phase deciding")
    assert table.alarms == ["player_miscount", "order_in_doubt"]
    assert [fact.hold for fact in table.told(m.HoldPlaced)] == ["player_miscount"]
    assert [fact.hold for fact in table.told(m.HoldEnded)] == ["player_miscount"]


def test_item_59_a_clock_that_is_set_back_is_on_record_and_changes_nothing() -> None:
    hands = {1: NOTHING}
    table = TableTop(US + "decision_ms = 9000\n").run(locked(hands) + dealt(hands) + "wait 4")
    before = encode_state(table.state)
    table.send(m.ClockSet(-3_600_000))
    assert table.facts[-1] == m.ClockWasSet(-3_600_000)
    assert encode_state(table.state) == before
    table.wall_ms -= 3_600_000
    table.run("wait 4\nsee phase deciding\nwait 2\nclose\nreveal\nclear")
    assert table.told(m.SeatFolded) == [m.SeatFolded(1, "time")]


def test_item_59_rounds_keep_their_order_when_the_clock_is_set_back() -> None:
    table = TableTop(US)
    for back_ms in (0, 3_600_000, 90_000_000):
        table.wall_ms -= back_ms
        table.run(locked({1: NOTHING}) + "sup void\nclear\nopen")
    rounds = [fact.round for fact in table.told(m.RoundOpened)]
    assert [number[-6:] for number in rounds] == ["000001", "000002", "000003", "000004"]
    assert rounds[2] < rounds[1], "the clock alone would have turned them round"


def test_item_59_a_slip_is_still_taken_back_after_the_clock_was_set() -> None:
    table = TableTop(US).run("ante 1 10.00\nante 1 100.00")
    table.send(m.ClockSet(3_600_000))
    table.run("sup withdraw")
    assert table.state.seat(1).ante.cents == 1_000


def test_the_bound_of_a_lock_goes_with_the_value_of_the_coin_where_the_house_states_none() -> None:
    table = TableTop(US + 'meter_share = "0.60"\nreserve_share = "0.10"\n', gaming_day=True)
    assert table.word(m.SetParameter("coin_value", "2.00", "A-1")) == ""
    table.word(m.OpenDay())
    table.run("open\n" + locked(dict.fromkeys(range(1, 8), NOTHING)))
    assert table.state.phase == "dealing"
