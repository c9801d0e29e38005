"""What an inspector asks of test and audit mode (STANDARDS.md, 24, 47, 56), at the table as a pure value."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from table_controller.table import messages as m
from table_controller.table.state import TableState, decode_state, encode_state
from table_controller.table.step import due_at_ms
from table_controller.table.trial import WORDS as WORDS_OF_A_TRIAL
from table_controller.table.views import outputs, snapshot
from tests.table.rounds import NOTHING, ROYAL, dealt, locked, revealed
from tests.table.tabletop import TableTop
from tests.table.test_step import SAMPLES, table_in

US = 'preset = "us"\n'
BEGIN = m.BeginTrial("the laboratory, by mail, 14:05")


def tried(table: TableTop, seats: int = 7) -> None:
    """Every key is pressed and every lamp is seen."""
    for key in get_args(m.Key):
        table.send(m.KeyPressed(key))
    for seat in range(1, seats + 1):
        table.word(m.TrySeat(seat), "dan", "dealer")
        table.word(m.LampSeen(seat), "dan", "dealer")


def as_before(before: TableState, after: TableState) -> bool:
    """The table is what it was; only the walk may be on record, and no slip can be taken back any more."""
    if before.books is not None and after.books is not None:
        before.books.walked = after.books.walked
    before.before_statement, before.statement, before.since_statement = None, "", []
    return before == after


@pytest.mark.parametrize("notified", ["", "  "])
def test_item_47_a_trial_begins_only_after_somebody_was_notified(notified: str) -> None:
    table = TableTop(US, gaming_day=True)
    assert table.word(m.BeginTrial(notified)) == "who was notified of the trial, and when, must be said first"
    assert table.state.trial is None


def test_item_47_the_notification_is_on_record_before_anything_is_done() -> None:
    table = TableTop(US, gaming_day=True)
    told = len(table.facts)
    assert table.word(BEGIN) == ""
    tried(table)
    assert table.word(m.EndTrial()) == ""
    assert table.facts[told] == m.TrialBegun("the laboratory, by mail, 14:05", "ann")
    assert table.facts[-1] == m.TrialEnded("ann")


@pytest.mark.parametrize("phase", ["idle", "betting", "settled", "void"])
def test_item_56_after_a_trial_the_table_is_what_it_was(phase: str) -> None:
    table = table_in(phase, US)
    if phase == "betting":
        table.run("ante 1 10.00\ncoin 1")
    before = decode_state(encode_state(table.state))
    assert table.word(BEGIN) == ""
    tried(table)
    for seat in range(1, 8):
        table.send(m.CoinDropped(seat))
    assert table.state.meter == before.meter
    assert table.word(m.EndTrial()) == ""
    assert as_before(before, table.state)
    assert table.alarms == [alarm.alarm for alarm in before.alarms]


def test_item_56_a_coin_in_a_trial_is_no_bet_and_the_round_goes_on_afterwards() -> None:
    hands = {1: ROYAL, 2: NOTHING}
    table = TableTop(US).run("ante 1 10.00\ncoin 1\nante 2 10.00")
    table.word(BEGIN)
    table.word(m.TrySeat(2))
    table.send(m.CoinDropped(2, (11_000, 9_000, 12_000)))
    assert table.told(m.LineTried) == [m.LineTried("coin.2")]
    assert table.state.seat(2).coin == "none"
    table.run("see meter 10000.00")
    table.word(m.EndTrial())
    table.run("lock\nsee lamp 1 on\nsee lamp 2 off\nsee meter 10000.49\n" + dealt(hands))
    table.run("raise 1\nfold 2\nclose\nreveal\nstub 37\nsup confirm 1\nclear\nopen\nsee phase betting")
    assert [(paid.seat, paid.cents) for paid in table.told(m.AwardPaid)] == [(1, 1_000_049)]


def test_item_56_nothing_can_be_played_while_the_table_is_tried() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1")
    table.word(BEGIN)
    for key in get_args(m.Key):
        table.send(m.KeyPressed(key))
        assert table.state.phase == "betting"
    for sample in SAMPLES:
        if isinstance(sample, m.Said) and not isinstance(sample.command, WORDS_OF_A_TRIAL):
            table.send(sample)
            assert table.refused == "the table is being tried: the trial must be ended first"
    assert table.state.seat(1).coin == "placed"


def test_item_56_slots_are_shut_and_lamps_dark_but_those_of_the_seat_that_is_tried() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1\nsee lamp 1 on")
    table.word(BEGIN)
    for seat in range(8):
        table.word(m.TrySeat(seat))
        shown = outputs(table.house, table.state, table.at_ms)
        assert shown.lamps == tuple("on" if number == seat else "off" for number in range(1, 8))
        assert shown.coin_accept == tuple(number == seat for number in range(1, 8))
    assert snapshot(table.house, table.state, table.at_ms).shown == "trial"
    table.word(m.EndTrial())
    table.run("see lamp 1 on")


def test_item_56_time_limits_stand_still_while_the_table_is_tried() -> None:
    table = TableTop(US + "betting_ms = 20000\nbetting_warning_ms = 5000\n").run("ante 1 10.00\nwait 10")
    table.word(BEGIN)
    assert due_at_ms(table.house, table.state) is None
    table.run("wait 60")
    table.word(m.EndTrial())
    table.run("see phase betting\nwait 9\nsee phase betting\nwait 2\nsee phase dealing")


def test_item_56_a_trial_goes_on_over_a_loss_of_power() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1")
    table.word(BEGIN)
    table.word(m.TrySeat(3))
    table.state = decode_state(encode_state(table.state))
    table.send(table.started())
    table.send(m.CoinDropped(3))
    assert table.told(m.LineTried) == [m.LineTried("coin.3")]
    table.word(m.EndTrial())
    table.run("see phase betting\nsee lamp 1 on\nsee lamp 3 off")


def test_item_56_a_trial_goes_on_at_a_table_that_has_lost_seats() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(BEGIN)
    table.word(m.TrySeat(7))
    table.house = msgspec.structs.replace(table.house, seats=5)
    table.send(table.started())
    assert outputs(table.house, table.state, table.at_ms).lamps == ("off",) * 5


@pytest.mark.parametrize("phase", ["dealing", "deciding", "revealing"])
def test_item_56_no_trial_begins_while_cards_are_out(phase: str) -> None:
    table = table_in(phase, US)
    assert table.word(BEGIN) == "cards are out: the round must be settled or void first"


def test_item_56_no_trial_begins_over_a_prize_that_waits() -> None:
    assert TableTop(US).run(revealed({1: ROYAL})).word(BEGIN) == "the table is held"


def test_item_56_a_trial_inside_a_gaming_day_leaves_the_day_open() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.OpenDay())
    table.word(BEGIN)
    assert table.word(m.CloseDay()) == "the table is being tried: the trial must be ended first"
    table.word(m.EndTrial())
    table.run("open\n" + locked({1: NOTHING}) + "see meter 10000.49")


# ----------------------------------------------------------------------- the walk at opening (24)


def test_item_24_a_day_is_opened_only_after_every_lamp_and_key_was_tried() -> None:
    table = TableTop(US, gaming_day=True, walk=True)
    refused = "keys and lamps must be tried first: no trial since the last day found all of them well"
    assert table.word(m.OpenDay()) == refused
    table.word(BEGIN)
    tried(table, seats=6)
    table.word(m.EndTrial())
    assert table.told(m.WalkRecorded) == [m.WalkRecorded(False, ("lamp.7",), (), "ann")]
    assert table.word(m.OpenDay()) == refused
    table.word(BEGIN)
    tried(table)
    table.word(m.EndTrial())
    assert table.told(m.WalkRecorded)[-1] == m.WalkRecorded(True, (), (), "ann")
    assert table.word(m.OpenDay()) == ""
    assert table.word(m.CloseDay()) == ""
    assert table.word(m.OpenDay()) == refused, "a walk is good for one day"


def test_item_24_a_dead_lamp_is_found_by_the_walk_and_closes_the_table_until_it_is_seen_lit() -> None:
    table = TableTop(US, gaming_day=True, walk=True)
    table.run("fault lamp_dead 4")
    table.word(BEGIN)
    tried(table)
    assert table.state.lamps_failed == [4]
    table.word(m.EndTrial())
    assert table.told(m.WalkRecorded) == [m.WalkRecorded(False, (), ("lamp.4",), "ann")]
    assert table.word(m.OpenDay()) != ""
    table.run("mend lamp_dead 4")
    table.send(m.LampMended(4))
    table.word(BEGIN)
    tried(table)
    table.word(m.EndTrial())
    assert table.word(m.OpenDay()) == ""


def test_item_24_a_lamp_is_seen_only_while_it_alone_is_lit() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(BEGIN)
    assert table.word(m.LampSeen(2)) == "the lamp of seat 2 is not being tried"
    table.word(m.TrySeat(3))
    assert table.word(m.LampSeen(2)) == "the lamp of seat 2 is not being tried"
    assert table.word(m.TrySeat(8)) == "seat 8 does not exist, seats are 1 to 7"
    assert table.word(m.LampSeen(3)) == ""
