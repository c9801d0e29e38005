"""Corners of the table that no play and no other test turns: refusals, repetitions, odd moments."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from hw_sim.words import parse_line
from table_controller.engine.house_rules import long_run_mean_cents
from table_controller.presets import load_preset
from table_controller.table import messages as m
from table_controller.table.keys import KEYS
from table_controller.table.step import SINCE_MAX, due_at_ms, step
from table_controller.table.turn import Turn
from tests.table.tabletop import WALL_MS, TableTop

DEALT = """
ante 1 10.00
ante 2 10.00
lock
deal 9H>1 QS>2 KD>D 9D>1 QD>2 AC>D 4C>1 5H>2 6S>D 7S>1 5C>2 3H>D 2C>1 8D>2 TC>D
"""
CLOSED = DEALT + "raise 1\nraise 2\nclose"
ROYAL = """
ante 1 10.00
coin 1
lock
deal TH>1 KD>D JH>1 AC>D QH>1 6S>D KH>1 3H>D AH>1 4D>D
raise 1
close
"""


def run(table: TableTop, script: str) -> TableTop:
    for number, text in enumerate(script.strip().splitlines(), start=1):
        table.refused = ""
        table.do(parse_line(text, number))
    return table


def at(script: str, house_rules: str = 'preset = "us"\n') -> TableTop:
    return run(TableTop(house_rules), script)


def say(table: TableTop, command: m.AnyCommand, operator: str = "ann", role: m.Role = "supervisor") -> str:
    table.refused = ""
    table.send(m.Said(command, operator, role, "because"))
    return table.refused


def told(table: TableTop, kind: type[m.Fact]) -> list[m.Fact]:
    return [fact for fact in table.facts if isinstance(fact, kind)]


# -------------------------------------------------------------------------------------- chips


def test_late_chips_without_an_amount_are_worth_the_table_minimum() -> None:
    table = TableTop('preset = "live"\n')
    table.house = msgspec.structs.replace(table.house, minimum_cents=500, bonus_minimum_cents=100)
    run(table, "ante 1 10.00\nlock")
    table.send(m.ChipsPlaced("ante", 3))
    table.send(m.ChipsPlaced("bonus", 1))
    assert table.alarms == ["late_ante", "late_bonus"]
    late = table.state.seat(3).results.ante, table.state.seat(1).results.bonus
    assert [outcome.text for outcome in late if outcome] == ["refund 5.00", "refund 1.00"]


def test_a_late_bonus_that_is_taken_back_by_hand_raises_nothing_more() -> None:
    table = at(DEALT, 'preset = "live"\n')
    table.send(m.ChipsPlaced("bonus", 1))
    table.send(m.ChipsLifted("bonus", 1))
    assert table.alarms == ["late_bonus"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (m.SetAmount("ante", 8, 1000), "seat 8 does not exist, seats are 1 to 7"),
        (m.SetAmount("raise", 1, 1000), "there is no raise before the cards"),
        (m.AddAmount("ante", 1, 0), "an amount is more than 0.00, not 0.00"),
        (m.RepeatAmounts(9), "seat 9 does not exist, seats are 1 to 7, 0 is all"),
    ],
)
def test_an_amount_for_no_seat_or_of_nothing_is_refused(command: m.AnyCommand, reason: str) -> None:
    assert say(at("ante 1 10.00"), command) == reason


def test_a_raise_of_nothing_is_refused_and_one_that_is_added_to_is_not_twice_any_more() -> None:
    table = at(DEALT + "raise 1")
    assert "more than 0.00" in say(table, m.SetAmount("raise", 1, 0))
    assert say(table, m.AddAmount("raise", 1, 500)) == ""
    assert table.alarms == ["raise_not_twice"]
    assert table.state.seat(1).raise_lying_cents == 2500


def test_a_raise_keyed_at_a_folded_seat_is_late_even_before_its_chips_are_seen() -> None:
    table = at(DEALT + "fold 1")
    say(table, m.SetAmount("raise", 1, 2000))
    assert "late_raise" in table.alarms
    outcome = table.state.seat(1).results.raise_
    assert outcome is not None
    assert outcome.text == "refund 20.00"


def test_repeat_and_double_leave_a_bonus_alone_on_which_nothing_lies() -> None:
    table = at("ante 1 10.00\nbonus 1 5.00\nlock\nsup void\nclear\nopen\nante 1 25.00", 'preset = "live"\n')
    assert say(table, m.RepeatAmounts(1)) == ""
    assert say(table, m.DoubleAmounts(1)) == ""
    seat = table.state.seat(1)
    assert (seat.ante.cents, seat.bonus.cents) == (2000, None)


# ------------------------------------------------------------------- coins, lamps, health, time


def test_what_fell_backwards_through_a_slot_is_noticed_and_no_alarm() -> None:
    table = at("ante 1 10.00")
    table.send(m.CoinFaulted(1, "reverse"))
    assert table.facts[-1] == m.Noticed("coin_reverse", "1")
    assert table.alarms == []
    assert table.state.seat(1).coin == "none"


def test_a_lamp_that_fails_twice_is_one_alarm_and_mends_once() -> None:
    table = at("ante 1 10.00")
    for message in (m.LampFailed(1), m.LampFailed(1), m.LampMended(1)):
        table.send(message)
    assert told(table, m.AlarmRaised) == [m.AlarmRaised("lamp_dead", "1")]
    assert table.state.lamps_failed == []


def test_a_door_and_the_mains_are_noticed_and_stop_nothing() -> None:
    table = at("ante 1 10.00")
    for line in ("door", "mains"):
        table.send(m.HealthChanged(line, False))
        table.send(m.HealthChanged(line, True))
    notices = [fact.notice for fact in table.facts if isinstance(fact, m.Noticed)]
    assert notices == ["door_open", "door_well", "mains_failed", "mains_well"]
    assert table.alarms == []


def test_a_house_without_a_progressive_has_no_meter_that_could_be_down() -> None:
    table = at("ante 1 10.00", 'preset = "classic"\n')
    table.send(m.HealthChanged("meter", False))
    assert table.alarms == []
    run(table, "lock\nsee phase dealing")


def test_the_table_asks_to_be_woken_when_the_light_turns_yellow() -> None:
    table = TableTop('preset = "us"\nbetting_ms = 5500\nbetting_warning_ms = 5000\n')
    assert due_at_ms(table.house, table.state) == 500


def test_a_table_that_has_lost_seats_overnight_starts_with_those_it_has() -> None:
    table = at(DEALT + "sup void\nclear")
    house = msgspec.structs.replace(table.house, seats=5)
    stamp = m.Stamp(table.at_ms, WALL_MS)
    state, _ = step(house, table.state, stamp, m.Started((), True, True, "test", house))
    assert len(state.seats) == 5
    state, _ = step(house, state, stamp, m.KeyPressed("open"))
    assert state.phase == "betting"


def test_a_house_that_takes_up_the_progressive_has_a_meter_from_then_on() -> None:
    table = at(DEALT + "sup void\nclear", 'preset = "classic"\n')
    assert table.state.meter is None
    house = msgspec.structs.replace(table.house, rules=load_preset("us"))
    started = m.Started((), True, True, "test", house)
    state, _ = step(house, table.state, m.Stamp(table.at_ms, WALL_MS), started)
    assert state.meter is not None
    assert state.meter.cents == 1_000_000


def test_a_house_whose_meter_pays_fixed_prizes_has_a_lower_mean() -> None:
    rules = load_preset("us")
    by_meter = msgspec.structs.replace(rules, fixed_awards_from="meter")
    # A small reset would hide the difference: the mean is never said to be below it.
    assert long_run_mean_cents(by_meter) <= long_run_mean_cents(rules)
    assert long_run_mean_cents(
        msgspec.structs.replace(by_meter, meter_share_ppm=900_000)
    ) < long_run_mean_cents(msgspec.structs.replace(rules, meter_share_ppm=900_000))


# -------------------------------------------------------------------------------------- cards


def test_before_lock_more_lost_cards_than_a_deck_has_ask_for_another_deck() -> None:
    table = at("ante 1 10.00")
    table.send(m.FrameLost(60, 1))
    assert table.state.new_deck_due
    hold = table.state.hold("frame_lost")
    assert hold is not None
    assert not hold.void_only, "there is no round to void"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (m.StateCount("9", 4), "'9' is no place, places are 1 to 7, D"),
        (m.StateCount("x", 4), "'x' is no place, places are 1 to 7, D"),
        (m.MoveCard("9H", "9"), "'9' is no place, places are 1 to 7, D, X"),
        (m.StateCount("1", 53), "53 is no number of cards, allowed are 0 to 52"),
        (m.Fold(8), "seat 8 does not exist, seats are 1 to 7"),
        (m.Claim(8), "seat 8 does not exist, seats are 1 to 7"),
        (m.CountStub(-1), "-1 is no number of cards"),
        (m.DeadHand(8, "conduct"), "seat 8 does not exist, seats are 1 to 7"),
        (m.MoveCard("9H", "1"), "that cannot be said of this card now"),
        (m.MoveCard("9H", "X"), "that cannot be said of this card now"),
        (m.StateUpcard("9H"), "that cannot be said of this card now"),
    ],
)
def test_what_cannot_be_is_refused_while_seats_decide(command: m.AnyCommand, reason: str) -> None:
    assert say(at(DEALT), command) == reason


def test_tokens_below_nothing_are_no_count() -> None:
    assert say(at("ante 1 10.00\nlock"), m.CountTokens(-1)) == "-1 is no number of tokens"


def test_a_card_in_the_rack_is_neither_moved_nor_the_up_card() -> None:
    table = at("ante 1 10.00\nlock\ndeal 9H^>X 4C>1")
    assert say(table, m.MoveCard("9H", "1")) == "that cannot be said of this card now"
    assert say(table, m.StateUpcard("9H")) == "that cannot be said of this card now"


def test_a_wrong_count_stands_until_it_is_taken_back_and_may_be_said_again() -> None:
    table = at(DEALT + "count 1 4")
    assert "another count stands" in say(table, m.StateCount("1", 5))
    facts = len(table.facts)
    assert say(table, m.StateCount("1", 4)) == ""
    assert table.facts[facts:] == [m.Stated("StateCount")]
    assert [hold.reason for hold in table.state.holds] == ["player_miscount"]


def test_a_wrong_count_of_a_dead_hand_holds_nothing() -> None:
    table = at(DEALT + "sup dead 1 conduct\ncount 1 6")
    assert table.alarms == ["player_miscount", "order_in_doubt"]
    assert table.state.holds == []


def test_a_card_too_many_at_a_dead_hand_holds_nothing_and_lies_there_once() -> None:
    table = at(DEALT + "sup dead 1 conduct\ndeal 2H>1\nmove 2H 1")
    assert table.alarms == ["extra_card", "player_miscount"]
    assert table.state.holds == []
    assert say(table, m.MoveCard("2H", "1")) == "that cannot be said of this card now"


def test_a_dead_hand_is_not_stated() -> None:
    table = at(DEALT + "sup dead 1 conduct\nraise 2\nclose")
    assert say(table, m.StateHand("1", ("9H", "9D", "4C", "7S", "2C"))) == "seat 1 has no live hand"


def test_the_up_card_and_the_stated_hands_agree() -> None:
    table = at(CLOSED + "\nupcard TC")
    assert "the up card TC is the dealer's" in say(table, m.StateHand("1", ("9H", "9D", "4C", "7S", "TC")))
    table = at(CLOSED + "\nhand 2 QS QD 5H 5C TC")
    assert say(table, m.StateUpcard("TC")) == "the hand stated for 2 says otherwise"


def test_a_hand_is_what_the_dealer_reads_and_not_what_he_read_before() -> None:
    table = at(CLOSED + "\nhand D KD AC 6S 3H 8D\nhand 2 QS QD 5H 5C TC\nhand 1 9H 9D 4C 7S 2C")
    assert table.alarms == ["misplaced_card", "order_in_doubt"]
    run(table, "upcard KD\nreveal\nsee phase settled")


# ------------------------------------------------------------------------ words and their moment


def test_a_word_about_another_round_is_refused() -> None:
    table = at(DEALT)
    table.send(m.Said(m.VoidRound(), "ann", "supervisor", "because", "T1-20000101-000000-000001"))
    assert table.refused.startswith("that is about round T1-20000101-000000-000001")
    assert table.state.phase == "deciding"


def test_a_statement_cannot_be_taken_back_after_more_than_can_be_remembered() -> None:
    table = at(DEALT + "fold 1")
    for _ in range(SINCE_MAX // 2):
        table.send(m.BadFrame())
        table.send(m.CoinFaulted(1, "reverse"))
    assert table.state.statement == "Fold"
    table.send(m.BadFrame())
    assert "no statement that can be taken back" in say(table, m.Withdraw())
    assert table.state.seat(1).folded


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (("", "supervisor"), None, "an award is decided by people with a name"),
        (("ann", "supervisor"), ("ann", "supervisor"), "ann has said so already: a second person is needed"),
        (("ann", "dealer"), ("bob", "dealer"), "one of the two must be a supervisor"),
    ],
)
def test_an_award_is_decided_by_two_named_people_of_whom_one_is_a_supervisor(
    first: tuple[str, m.Role], second: tuple[str, m.Role] | None, reason: str
) -> None:
    table = at(ROYAL + "reveal\nsee hold jackpot_hold\nstub 42")
    refused = say(table, m.ConfirmAward(1), *first)
    if second:
        assert refused == ""
        refused = say(table, m.ConfirmAward(1), *second)
    assert refused == reason
    assert [hold.reason for hold in table.state.holds] == ["jackpot_hold"]
    for person in ("eve", "joe"):
        say(table, m.ConfirmAward(1), person)
    assert [hold.reason for hold in table.state.holds] == []


def test_two_who_disagree_decide_nothing_until_two_agree() -> None:
    table = at(ROYAL + "reveal\nsee hold jackpot_hold\nstub 42")
    standing = []
    for word, person in ((m.ConfirmAward(1), "ann"), (m.RejectAward(1), "bob"), (m.RejectAward(1), "ann")):
        assert say(table, word, person) == ""
        standing.append(len(table.state.holds))
    assert standing == [1, 1, 0]
    assert told(table, m.AwardPaid) == []


def test_a_parameter_needs_a_progressive_and_an_approval() -> None:
    after_hit = 'preset = "us"\nparameter_change = "after_next_hit"\n'
    change = m.SetParameter("reset", "20000.00", "")
    assert say(TableTop(after_hit), change) == "a change needs an approval reference"
    assert say(TableTop('preset = "classic"\n'), change) == "this house has no progressive"


PHASES = {
    "idle": DEALT + "sup void\nclear",
    "betting": "ante 1 10.00",
    "dealing": "ante 1 10.00\nlock",
    "deciding": DEALT,
    "revealing": CLOSED,
    "settled": CLOSED + "\nreveal",
    "void": DEALT + "sup void",
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("key", get_args(m.Key))
def test_the_screens_know_of_every_key_what_the_key_itself_would_say(phase: str, key: m.Key) -> None:
    table = at(PHASES[phase])
    assert table.state.phase == phase
    reason = KEYS[key][0](Turn(table.house, table.state, m.Stamp(0, 0)))
    table.refused = ""
    table.send(m.KeyPressed(key))
    assert table.refused == reason


# --------------------------------------------------------------------- found by the random rows


def test_an_alarm_that_stands_again_after_a_withdrawn_fold_is_told() -> None:
    table = at(DEALT + "fold 1\nlift ante 1\nsup withdraw")
    assert table.alarms == ["ante_removed"]
    assert m.AlarmRaised("ante_removed", "1") in table.facts


def test_a_hold_that_stands_only_after_a_withdrawn_count_is_told() -> None:
    dealt = "ante 1 10.00\nlock\ndeal 9H>1 KD>D 9D>1 AC>D 4C>1 6S>D 7S>1 3H>D 2C>1\n"
    script = dealt + "count D 4\nfault shoe_unplugged\nsup withdraw"
    table = at(script, 'preset = "us"\ndealer_short = "void_all"\n')
    assert [hold.reason for hold in table.state.holds] == ["shoe_lost"]
    assert m.HoldPlaced("shoe_lost") in table.facts


AFTER_HIT = 'preset = "us"\nparameter_change = "after_next_hit"\njackpot_verify = "none"\n'


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("reset", "20000.00"), ("meter_limit", "15000.00")),
        (("meter_limit", "15000.00"), ("reset", "20000.00")),
        (("meter_share", "0.60"), ("reserve_share", "0.45")),
    ],
)
def test_two_parameters_that_contradict_each_other_are_not_both_taken(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    table = TableTop(AFTER_HIT)
    assert say(table, m.SetParameter(*first, "A-1")) == ""
    assert say(table, m.SetParameter(*second, "A-2")) != ""
    run(table, ROYAL + "reveal\nsup confirm 1\nclear\nopen\nsee phase betting")


def test_parameters_are_judged_as_they_will_stand_and_not_one_after_the_other() -> None:
    table = TableTop(AFTER_HIT)
    for option, value in (("meter_limit", "15000.00"), ("meter_limit", "30000.00"), ("reset", "20000.00")):
        assert say(table, m.SetParameter(option, value, "A-1")) == ""
    run(table, ROYAL + "reveal\nsup confirm 1\nclear\nopen\nsee meter 20000.00")


def test_a_coin_loses_what_it_was_worth_when_it_fell() -> None:
    table = TableTop(AFTER_HIT + 'jackpot_hold_from = "900000.00"\n')
    assert say(table, m.SetParameter("coin_value", "5.00", "A-1")) == ""
    run(
        table,
        """
ante 1 10.00
coin 1
ante 2 10.00
coin 2
lock
deal TH>1 9S>2 KD>D JH>1 9D>2 AC>D QH>1 4S>2 6S>D KH>1 7S>2 3H>D AH>1 2S>2 4D>D
raise 1
raise 2
close
reveal
""",
    )
    outcome = table.state.seat(2).results.coin
    assert outcome is not None
    assert outcome.text == "lose 1.00"


def test_a_royal_that_a_void_takes_back_puts_no_parameter_in_force() -> None:
    table = TableTop(AFTER_HIT + 'reset = "150.00"\n')
    assert say(table, m.SetParameter("reset", "300.00", "A-1")) == ""
    run(
        table,
        """
ante 1 10.00
coin 1
ante 2 10.00
coin 2
lock
deal TH>1 9S>2 KD>D JH>1 9D>2 AC>D QH>1 9C>2 6S>D KH>1 9H>2 3H>D AH>1 2S>2 4D>D
raise 1
raise 2
close
reveal
see meter 300.00
sup void
see hold jackpot_hand_in_void_round
""",
    )
    assert (table.state.parameters, table.state.parameters_pending) == ({}, {"reset": "300.00"})
    run(table, "sup reject 1\nsup reject 2\nsee meter 150.00")
