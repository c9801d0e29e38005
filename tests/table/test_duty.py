"""Who deals, and who may clear which alarm."""

from __future__ import annotations

import pytest

from hw_sim.words import parse_line
from table_controller.table import messages as m
from table_controller.table.views import snapshot
from tests.table.tabletop import TableTop


@pytest.fixture
def top() -> TableTop:
    return TableTop('preset = "us_standard"\n')


def run(top: TableTop, script: str) -> None:
    for number, text in enumerate(script.strip().splitlines(), start=1):
        top.do(parse_line(text, number))


def say(top: TableTop, command: str, who: str, role: m.Role = "dealer", **fields: str) -> str:
    top.refused = ""
    top.say({"type": command, **fields}, role, who)
    return top.refused


def test_a_dealer_logs_on_and_off(top: TableTop) -> None:
    assert say(top, "LogOn", "ann") == ""
    assert top.state.dealer == "ann"
    assert say(top, "LogOn", "ann") == "ann is on duty already"
    assert say(top, "LogOff", "bob") == "ann is on duty, not bob"
    assert say(top, "LogOff", "ann") == ""
    assert say(top, "LogOff", "ann") == "nobody is on duty"


def test_a_relief_in_the_middle_of_a_round_is_recorded_with_the_round(top: TableTop) -> None:
    say(top, "LogOn", "ann")
    run(top, "ante 1 10.00\nlock\ndeal 9H>1")
    assert say(top, "LogOn", "bob") == ""
    changed = [fact for fact in top.facts if isinstance(fact, m.DealerChanged)]
    assert changed[-1] == m.DealerChanged("ann", "bob", top.state.round)
    assert changed[0].round == ""


def test_the_dealer_on_duty_is_known_in_the_next_round_and_after_a_power_cut(top: TableTop) -> None:
    say(top, "LogOn", "ann")
    run(top, "ante 1 10.00\nlock\nsup void\nclear\nopen\npower off\npower on")
    assert top.state.dealer == "ann"


def test_a_supervisor_logs_off_a_dealer_who_forgot(top: TableTop) -> None:
    say(top, "LogOn", "ann")
    assert say(top, "LogOff", "sue", "supervisor") == ""


def test_a_relief_does_not_stand_in_the_way_of_taking_a_slip_back(top: TableTop) -> None:
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 KD>D 9D>1 AC>D 4C>1 6S>D 7S>1 3D>D 2C>1 TC>D\nfold 1")
    say(top, "LogOn", "bob")
    run(top, "sup withdraw\nraise 1")
    assert top.refused == ""
    assert top.state.dealer == "bob"


def test_an_alarm_is_cleared_once_and_stays_in_the_list(top: TableTop) -> None:
    run(top, "ante 1 10.00\ncoin 1\ncoin 1")
    assert say(top, "ClearAlarm", "ann", alarm="second_coin", place="1") == ""
    assert say(top, "ClearAlarm", "ann", alarm="second_coin", place="1") == "second_coin is cleared already"
    assert [alarm.alarm for alarm in top.state.alarms] == ["second_coin"]
    assert say(top, "ClearAlarm", "ann", alarm="late_coin", place="2").startswith("no alarm late_coin 2")


def test_an_alarm_of_the_supervisor_is_not_cleared_by_the_dealer(top: TableTop) -> None:
    run(top, "claim 1")
    assert say(top, "ClearAlarm", "ann", alarm="claim", place="1") == "claim is cleared by a supervisor"
    assert say(top, "ClearAlarm", "sue", "supervisor", alarm="claim", place="1") == ""


def test_an_alarm_whose_cause_stands_cannot_be_cleared_by_anybody(top: TableTop) -> None:
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 KD>D\nexposed KD")
    assert "not gone yet" in say(top, "ClearAlarm", "sue", "supervisor", alarm="hole_exposed")
    run(top, "sup void")
    assert say(top, "ClearAlarm", "sue", "supervisor", alarm="hole_exposed") == ""


@pytest.mark.parametrize(
    ("fault", "alarm", "place"),
    [
        ("meter_down", "meter_down", ""),
        ("shoe_unplugged", "shoe_lost", ""),
        ("lamp_dead 1", "lamp_dead", "1"),
    ],
)
def test_a_fault_is_cleared_only_when_it_is_mended(top: TableTop, fault: str, alarm: str, place: str) -> None:
    run(top, f"ante 1 10.00\ncoin 1\nfault {fault}")
    assert "not gone yet" in say(top, "ClearAlarm", "sue", "supervisor", alarm=alarm, place=place)
    run(top, f"mend {fault}")
    assert say(top, "ClearAlarm", "sue", "supervisor", alarm=alarm, place=place) == ""


def test_a_dealer_without_a_name_cannot_log_on(top: TableTop) -> None:
    top.send(m.Said(m.LogOn(), "", "dealer"))
    assert top.refused == "a dealer has a name"


def test_an_alarm_whose_cause_is_gone_is_over_and_one_of_a_moment_never_is(top: TableTop) -> None:
    def over() -> list[str]:
        return [alarm.alarm for alarm in snapshot(top.house, top.state, top.at_ms).over]

    run(top, "ante 1 10.00\ncoin 1\nfault display_down")
    assert [alarm.alarm for alarm in top.state.alarms] == ["display_down"]
    assert over() == []
    run(top, "mend display_down\nlock\ncoin 2")
    assert over() == ["display_down"]
    assert "late_coin" in [alarm.alarm for alarm in top.state.alarms]
