"""The books of an inspector in the corners: taken up late, taken back, corrected, and never to be fooled."""

from __future__ import annotations

import msgspec
import pytest

from table_controller.engine.house_rules import parse_house_rules
from table_controller.presets import preset_text
from table_controller.table import messages as m
from table_controller.table.day import files_refused
from table_controller.table.state import new_state
from tests.service.gaming_day import GamingDay
from tests.table.rounds import FLUSH, FOUR, NOTHING, ROYAL, STRAIGHT_FLUSH, dealt, locked, revealed
from tests.table.tabletop import TableTop

US = 'preset = "us_standard"\n'


def house(house_rules: str, approval: str, gaming_day: bool = True) -> m.House:
    rules = parse_house_rules(house_rules, preset_text, "test")
    return m.House("T1", 7, rules, gaming_day=gaming_day, approval=approval)


def test_awards_that_wait_when_a_table_gets_its_books_get_their_documents() -> None:
    table = TableTop(US)
    table.state = new_state(table.house)
    table.send(m.Started((), True, True, "before", table.house))
    table.send(m.ShoeFound(7, 1))
    table.run("open\n" + revealed({1: STRAIGHT_FLUSH, 2: ROYAL}))
    assert [one.document for one in table.state.awards] == ["", ""]
    table.send(m.Started((), True, True, "after", table.house, manifest="a hash"))
    assert sorted(one.document for one in table.state.awards) == ["T1-A000001", "T1-A000002"]
    table.send(m.ShoeFound(7, 1))
    table.run("stub 37\nsup confirm 1\nsup confirm 2")
    assert table.state.books is not None
    assert len(table.state.books.owed) == 2


def test_a_parameter_never_changes_in_a_round_that_runs_while_no_day_is_open() -> None:
    table = TableTop(US)
    table.house = house(US, "A-2")
    table.run(locked({1: NOTHING}))
    assert table.word(m.SetParameter("reset", "20000.00", "A-3")) != ""


def test_a_word_at_once_outdoes_what_was_waiting_for_the_next_royal() -> None:
    table = TableTop(US + 'parameter_change = "after_next_hit"\n', gaming_day=True)
    assert table.word(m.SetParameter("meter_share", "0.40", "OLD")) == ""
    table.house = house(US, "A-2")
    assert table.word(m.SetParameter("meter_share", "0.30", "NEW")) == ""
    assert (table.state.parameters, table.state.parameters_pending) == ({"meter_share": "0.30"}, {})


def test_item_05_awards_after_a_correction_leave_no_way_to_zero_the_meter() -> None:
    table = TableTop(US + 'jackpot_hold_from = "100000.00"\n')
    table.run(revealed({1: STRAIGHT_FLUSH}) + "clear")
    assert table.both(m.CorrectMeter("meter", 3_000_000, "display_wrong", "A-1")) == ""
    for _ in range(4):
        table.run("open\n" + revealed({1: STRAIGHT_FLUSH}) + "clear")
    assert table.both(m.CorrectMeter("meter", 0, "display_wrong", "A-2")) != ""
    assert table.both(m.CorrectMeter("meter", 999_999, "display_wrong", "A-2")) != ""
    assert table.both(m.CorrectMeter("meter", 1_000_000, "display_wrong", "A-2")) == ""


def test_item_08_a_void_takes_the_counts_back_also_where_the_meter_began_at_nothing() -> None:
    table = TableTop(US + 'reset = "0.00"\nmeter_start = "0.00"\n')
    table.run(revealed({1: FOUR, 2: FLUSH}))
    assert table.state.books is not None
    assert list(table.state.books.levels) == ["flush"]
    table.run("sup void")
    assert table.state.books is not None
    assert table.state.books.levels == {}


def test_item_03_what_a_royal_had_won_of_a_refunded_share_is_in_the_report() -> None:
    from table_controller.audit.report import report

    rules = US + 'reset = "0.00"\nmeter_start = "50.00"\njackpot_hold_from = "60.00"\n'
    table = GamingDay(rules + 'jackpot_hand_in_void_round = "paid"\n').said(m.OpenDay())
    hands = {1: FOUR, 2: ROYAL}
    table.words("open\n" + locked(hands) + dealt(hands) + "sup void")
    table.both_say(m.RejectAward(1), "seven cards in the hand")
    assert table.told(m.ShareWon) == [m.ShareWon(1, 49_000_000)]
    table.words("clear").said(m.CloseDay())
    assert report(table.entries()).reconciles


def test_item_49_the_day_rule_cannot_be_left_while_a_day_is_open() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.OpenDay())
    refused = files_refused(table.house, house(US, "A-2", gaming_day=False), table.state)
    assert refused == "opening.gaming_day was changed in the files while a gaming day is open: close it first"
    table.word(m.CloseDay())
    assert files_refused(table.house, house(US, "A-2", gaming_day=False), table.state) == ""


def test_item_50_files_give_no_meter_to_a_table_that_has_none() -> None:
    table = TableTop('preset = "classic"\n', gaming_day=True)
    refused = files_refused(table.house, house(US, "A-2"), table.state)
    assert (
        refused
        == "the files have a progressive now, and this table has no meter: it begins with an installation"
    )


@pytest.mark.parametrize("again", ["Ann  Lee", " ann lee", "ANN\u00a0LEE", "\uff21nn Lee"])
def test_item_40_one_person_is_not_two_in_another_spelling(again: str) -> None:
    table = TableTop(US).run(revealed({3: STRAIGHT_FLUSH}) + "stub 42")
    assert table.word(m.ConfirmAward(3), "Ann Lee") == ""
    assert table.word(m.ConfirmAward(3), again) != ""


def test_item_56_a_coin_at_another_seat_than_the_one_being_tried_has_found_a_crossed_wire() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.BeginTrial("the laboratory, by mail"))
    table.word(m.TrySeat(2))
    table.send(m.CoinDropped(3))
    assert table.told(m.LineTried) == []
    table.word(m.EndTrial())
    (walk,) = table.told(m.WalkRecorded)
    assert walk.failed == ("coin.3",)
    assert not walk.passed


def test_a_trial_that_is_carried_over_a_restart_with_other_files_still_ends() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.BeginTrial("the laboratory, by mail"))
    table.send(msgspec.structs.replace(table.started(), manifest="another hash"))
    assert table.word(m.EndTrial()) == ""
    assert table.state.trial is None
