"""What an inspector asks of faults and lamps (STANDARDS.md, B to D), at the table as a pure value."""

from __future__ import annotations

import pytest

from table_controller.table import messages as m
from table_controller.table.views import Snapshot, outputs, snapshot
from tests.table.rounds import FULL_HOUSE, NOTHING, ROYAL, dealt, locked, revealed
from tests.table.tabletop import TableTop

US = 'preset = "us"\n'
STOPS = US + 'progressive_fault_before_lock = "stop_table"\n'
DOWN = ["meter", "display"]


def shown(table: TableTop) -> m.Outputs:
    return outputs(table.house, table.state, table.at_ms)


def view(table: TableTop) -> Snapshot:
    return snapshot(table.house, table.state, table.at_ms)


# ---------------------------------------------------------------- meter and display (17, 26 to 28)


@pytest.mark.parametrize("line", DOWN)
def test_item_17_26_27_without_meter_or_display_no_coin_is_taken_and_no_lamp_is_lit(line: str) -> None:
    table = TableTop(US).run(f"ante 1 10.00\ncoin 1\nsee lamp 1 on\nfault {line}_down")
    assert shown(table).coin_accept == (False,) * 7
    assert shown(table).lamps == ("off",) * 7
    # A token that falls all the same goes back at LOCK, and so does the one from before.
    table.run("ante 2 10.00\ncoin 2\nlock\nsee phase dealing\nsee meter 10000.00")
    assert [fact.seat for fact in table.told(m.CoinReturned)] == [1, 2]


@pytest.mark.parametrize("line", DOWN)
def test_item_27_the_main_game_waits_too_where_the_house_says_so(line: str) -> None:
    table = TableTop(STOPS).run(f"ante 1 10.00\ncoin 1\nfault {line}_down\nlock\nsee refused")
    assert table.refused == "the progressive meter or its display is down"
    table.run(f"mend {line}_down\nlock\nsee phase dealing\nsee meter 10000.49")


def test_item_26_coins_from_before_a_fault_that_is_mended_count_and_those_from_within_do_not() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1\nfault meter_down\nante 2 10.00\ncoin 2\nmend meter_down")
    table.run("lock\nsee lamp 1 on\nsee lamp 2 off\nsee meter 10000.49")


@pytest.mark.parametrize("line", DOWN)
def test_item_28_staff_and_players_are_told_of_a_fault_and_of_its_end(line: str) -> None:
    table = TableTop(US).run(f"ante 1 10.00\ncoin 1\nfault {line}_down")
    assert table.told(m.AlarmRaised) == [m.AlarmRaised(f"{line}_down")]
    assert not getattr(view(table).health, line)
    assert not any(view(table).coin_accept)
    down = m.ClearAlarm(f"{line}_down")
    assert table.word(down, "dan", "dealer") == f"{line}_down is cleared by a supervisor"
    assert table.word(down) == f"{line}_down: its cause is not gone yet"
    table.run(f"mend {line}_down")
    assert m.Noticed(f"{line}_well") in table.told(m.Noticed)
    assert getattr(view(table).health, line)
    assert table.word(down) == ""


@pytest.mark.parametrize("line", DOWN)
def test_item_29_a_fault_and_its_end_leave_the_meter_as_it_was(line: str) -> None:
    table = TableTop(US).run(locked({1: NOTHING}) + f"fault {line}_down")
    stood = table.state.meter
    table.send(table.started())
    table.run(f"mend {line}_down\nsup resume")
    table.send(table.started())
    assert table.state.meter == stood


def test_item_27_bets_that_were_locked_before_the_fault_are_honoured() -> None:
    hands = {1: FULL_HOUSE}
    table = TableTop(US).run(locked(hands) + "fault meter_down\n" + dealt(hands) + "raise 1\nclose\nreveal")
    assert [(paid.seat, paid.cents) for paid in table.told(m.AwardPaid)] == [(1, 10_000)]


# ------------------------------------------------------------------------------------ lamps (24)


@pytest.mark.parametrize(("lamp_before_lock", "placed"), [("steady", "on"), ("blinking", "blink")])
def test_item_24_a_lamp_is_off_while_the_slot_invites_then_placed_then_accepted(
    lamp_before_lock: str, placed: str
) -> None:
    table = TableTop(US + f'lamp_before_lock = "{lamp_before_lock}"\n')
    seen = []
    for line in ("ante 1 10.00", "coin 1", "lock", dealt({1: NOTHING}), "fold 1", "close", "reveal", "clear"):
        table.run(line)
        seen.append((shown(table).lamps[0], shown(table).coin_accept[0]))
    assert seen == [("off", True), (placed, False), *[("on", False)] * 5, ("off", False)]


@pytest.mark.parametrize(
    "script",
    [
        "coin 1",
        "ante 1 10.00\ncoin 1\nreturn coin 1",
        "ante 1 10.00\ncoin 1\nlift ante 1",
        "ante 1 10.00\ncoin 1\nlock\nsup void",
        "ante 1 10.00\ncoin 1\nlock\nsup dead 1 conduct",
        "ante 1 10.00\nlock\ncoin 1",
        "fault coin_stuck 1\nante 1 10.00\nlock",
    ],
)
def test_item_24_a_lamp_without_a_bet_that_stands_is_dark(script: str) -> None:
    assert shown(TableTop(US).run(script)).lamps == ("off",) * 7


def test_item_24_a_dead_lamp_is_told_and_its_bet_stands() -> None:
    table = TableTop(US).run(
        "fault lamp_dead 1\nante 1 10.00\ncoin 1\nlock\nsee alarm lamp_dead\nsee meter 10000.49"
    )
    assert view(table).seats[0].lamp_dead
    assert view(table).seats[0].coin == "bet"


def test_item_24_a_lamp_is_the_same_over_a_royal_and_over_nothing() -> None:
    seen = []
    for hand in (ROYAL, NOTHING):
        table = TableTop(US)
        script = (
            locked({1: hand, 2: FULL_HOUSE}) + dealt({1: hand, 2: FULL_HOUSE}) + "raise 1\nraise 2\nclose"
        )
        for line in script.splitlines():
            table.run(line)
            seen.append(shown(table).lamps)
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]


# -------------------------------------------------------------------------------- notices (37)


def test_item_37_a_door_and_the_mains_are_events_during_play_and_at_a_start() -> None:
    table = TableTop(US).run(locked({1: NOTHING}))
    table.send(m.HealthChanged("door", False))
    table.send(m.HealthChanged("mains", False))
    assert not view(table).health.door
    assert not view(table).health.mains
    # The door was shut again while the power was off.
    table.send(m.Started((), True, True, "test", table.house, door_well=True, mains_well=True))
    notices = [fact.notice for fact in table.told(m.Noticed)]
    assert notices[-4:] == ["door_open", "mains_failed", "door_well", "mains_well"]


def test_item_28_a_round_that_power_interrupted_is_held_and_says_why() -> None:
    table = TableTop(US).run(revealed({1: NOTHING}) + "clear\nopen\n" + locked({1: NOTHING}))
    table.send(table.started())
    assert view(table).holds == ("restarted_mid_round",)
    assert table.alarms == ["restarted_mid_round"]
    assert shown(table).call
