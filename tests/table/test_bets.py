"""Keyed amounts: limits and chips of the table, repeat, double, undo and clear."""

from __future__ import annotations

import msgspec
import pytest

from table_controller.table import messages as m
from tests.table.tabletop import TableTop


@pytest.fixture
def table() -> TableTop:
    """A table from 5.00 to 100.00, with chips of 5.00 and 25.00, bonus from 1.00 to 50.00."""
    top = TableTop('preset = "live"\n')
    top.house = msgspec.structs.replace(
        top.house,
        minimum_cents=500,
        maximum_cents=10_000,
        bonus_minimum_cents=500,
        bonus_maximum_cents=5_000,
        chips_cents=(500, 2500),
    )
    return top


def key(table: TableTop, spot: str, seat: int, cents: int) -> str:
    table.refused = ""
    table.say({"type": "SetAmount", "spot": spot, "seat": seat, "cents": cents})
    return table.refused


def say(table: TableTop, command: str, **fields: int) -> str:
    table.refused = ""
    table.say({"type": command, **fields})
    return table.refused


def lay(table: TableTop, spot: m.Spot, seat: int) -> None:
    table.send(m.ChipsPlaced(spot, seat))


def press(table: TableTop, name: m.Key) -> str:
    table.send(m.KeyPressed(name))
    return table.refused


def amounts(table: TableTop) -> list[tuple[int | None, int | None]]:
    return [(seat.ante.cents, seat.bonus.cents) for seat in table.state.seats[:2]]


def play_round(table: TableTop) -> None:
    press(table, "lock")
    table.say({"type": "VoidRound"}, "supervisor")
    press(table, "clear")
    for spot, seat in (("ante", 1), ("bonus", 1), ("ante", 2)):
        table.send(m.ChipsLifted(spot, seat))  # type: ignore[arg-type]
    press(table, "open")


@pytest.mark.parametrize(
    ("spot", "cents", "words"),
    [
        ("ante", 400, "below the minimum of 5.00"),
        ("ante", 10_500, "above the maximum of 100.00"),
        ("ante", 700, "chips of 5.00, 25.00"),
        ("ante", 0, "more than 0.00"),
        ("bonus", 100, "below the minimum of 5.00"),
        ("bonus", 6_000, "above the maximum of 50.00"),
    ],
)
def test_an_amount_that_the_table_does_not_take_is_refused_when_keyed(
    table: TableTop, spot: str, cents: int, words: str
) -> None:
    assert words in key(table, spot, 1, cents)
    assert amounts(table)[0] == (None, None)


def test_a_spot_without_a_keyed_amount_counts_as_the_table_minimum(table: TableTop) -> None:
    lay(table, "ante", 1)
    lay(table, "bonus", 1)
    assert press(table, "lock") == ""
    assert (table.state.seat(1).ante_cents, table.state.seat(1).bonus_cents) == (500, 500)


def test_chips_that_were_there_at_open_are_no_ante_even_where_there_is_a_minimum(table: TableTop) -> None:
    lay(table, "ante", 1)
    play_round(table)
    lay(table, "ante", 2)
    press(table, "lock")
    table.say({"type": "VoidRound"}, "supervisor")
    press(table, "clear")
    press(table, "open")
    assert "sensor_stuck" in table.alarms
    assert press(table, "lock") == "there is no ante"


def test_a_bet_outside_the_limits_that_is_locked_already_stands(table: TableTop) -> None:
    lay(table, "ante", 1)
    key(table, "ante", 1, 10_000)
    press(table, "lock")
    table.house = msgspec.structs.replace(table.house, maximum_cents=5_000)
    assert table.state.seat(1).ante_cents == 10_000


def test_undo_takes_the_keyings_back_one_by_one_in_reverse(table: TableTop) -> None:
    key(table, "ante", 1, 500)
    key(table, "ante", 1, 2500)
    key(table, "bonus", 1, 500)
    assert say(table, "UndoAmount") == ""
    assert amounts(table)[0] == (2500, None)
    say(table, "UndoAmount")
    assert amounts(table)[0] == (500, None)
    say(table, "UndoAmount")
    assert amounts(table)[0] == (None, None)
    assert "no keyed amount" in say(table, "UndoAmount")


def test_double_doubles_once_and_stops_at_the_maximum(table: TableTop) -> None:
    key(table, "ante", 1, 7_500)
    key(table, "bonus", 1, 1_000)
    assert say(table, "DoubleAmounts", seat=1) == ""
    assert amounts(table)[0] == (10_000, 2_000)
    assert "not doubled yet" in say(table, "DoubleAmounts", seat=1)


def test_repeat_keys_the_bets_of_the_round_before_where_chips_lie(table: TableTop) -> None:
    lay(table, "ante", 1)
    lay(table, "bonus", 1)
    lay(table, "ante", 2)
    key(table, "ante", 1, 2_500)
    key(table, "bonus", 1, 500)
    key(table, "ante", 2, 5_000)
    play_round(table)
    assert "no bet of the round before" in say(table, "RepeatAmounts", seat=0)
    lay(table, "ante", 1)
    lay(table, "bonus", 1)
    assert say(table, "RepeatAmounts", seat=0) == ""
    assert amounts(table) == [(2_500, 500), (None, None)]


def test_clear_wipes_the_keyed_amounts_and_leaves_the_chips(table: TableTop) -> None:
    lay(table, "ante", 1)
    key(table, "ante", 1, 2_500)
    key(table, "ante", 2, 2_500)
    assert say(table, "ClearAmounts", seat=0) == ""
    assert amounts(table) == [(None, None), (None, None)]
    assert table.state.seat(1).ante.chips


@pytest.mark.parametrize("command", ["RepeatAmounts", "DoubleAmounts", "ClearAmounts"])
def test_the_keys_for_amounts_work_while_bets_are_open_only(table: TableTop, command: str) -> None:
    lay(table, "ante", 1)
    press(table, "lock")
    assert say(table, command, seat=0) == "bets are not open"
    assert "no keyed amount" in say(table, "UndoAmount")


def test_contributions_above_the_bound_refuse_lock() -> None:
    table = TableTop('preset = "us"\ncontribution_bound = "0.50"\n')
    for seat in (1, 2):
        table.send(m.ChipsPlaced("ante", seat))
        key(table, "ante", seat, 1_000)
        table.send(m.CoinDropped(seat))
    table.send(m.KeyPressed("lock"))
    assert "bound of 0.50" in table.refused
    table.say({"type": "ReturnCoin", "seat": 2})
    table.send(m.KeyPressed("lock"))
    assert table.refused == ""
