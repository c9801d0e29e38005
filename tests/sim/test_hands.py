"""What hands do at a board in the same process, with simulated time."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hw_sim.board import Board
from hw_sim.shoe import SimShoe
from hw_sim.table import HandError, LocalHands
from table_controller.lines import default_lines

MS = 1_000


class Table:
    """A table of three seats; writes down every change of an input with its time in ms."""

    def __init__(self, shoe: SimShoe | None) -> None:
        self.us = 0
        lines = default_lines(3)
        self.board = Board(lines, 3, lambda: self.us)
        self.shoe = shoe
        self.hands = LocalHands(self.board, shoe, self.advance)
        self.changes: list[tuple[int, str, int]] = []
        names = {number: name for name, number in lines.items()}
        self.board.watch(lambda number, level: self.changes.append((self.us // MS, names[number], level)))

    def advance(self, us: int) -> None:
        self.us += us


@pytest.fixture
def table() -> Table:
    return Table(SimShoe())


def test_a_coin_darkens_the_upper_beam_both_the_lower_and_none(table: Table) -> None:
    table.hands.coin(2)
    assert table.changes == [
        (0, "coin_a.2", 1),
        (10, "coin_b.2", 1),
        (20, "coin_a.2", 0),
        (30, "coin_b.2", 0),
    ]


def test_two_coins_in_one_slot_keep_the_distance_that_the_protocol_asks_for(table: Table) -> None:
    table.hands.coin(1)
    table.hands.coin(1)
    assert table.changes[4][0] - table.changes[3][0] >= 30


def test_chips_stay_until_they_are_lifted(table: Table) -> None:
    for place in (table.hands.ante, table.hands.bonus, table.hands.raise_):
        place(3)
    table.hands.lift("bonus", 3)
    assert [change[1:] for change in table.changes] == [
        ("ante.3", 1),
        ("bonus.3", 1),
        ("raise.3", 1),
        ("bonus.3", 0),
    ]


def test_a_hand_takes_longer_than_a_debounce(table: Table) -> None:
    table.hands.ante(1)
    table.hands.lift("ante", 1)
    table.hands.ante(1)
    times_ms = [at_ms for at_ms, _, _ in table.changes]
    assert min(later - earlier for earlier, later in pairwise(times_ms)) > 20


def test_a_key_is_held_down_and_let_go(table: Table) -> None:
    table.hands.key("lock")
    assert table.changes == [(0, "key.lock", 1), (60, "key.lock", 0)]


def test_clearing_the_felt_takes_all_chips_and_leaves_a_frozen_sensor_as_it_was(table: Table) -> None:
    table.hands.ante(1)
    table.hands.raise_(2)
    table.hands.fault("sensor_stuck", "ante", "1")
    table.hands.clear_felt()
    assert table.board.is_on("ante.1")
    assert not table.board.is_on("raise.2")
    table.hands.mend("sensor_stuck", "ante", "1")
    assert not table.board.is_on("ante.1")


def test_a_blind_sensor_does_not_see_the_chips(table: Table) -> None:
    table.hands.fault("sensor_stuck", "ante", "1")
    table.hands.ante(1)
    assert table.changes == []


def test_a_stuck_coin_keeps_its_beam_dark_and_the_next_one_shows_no_right_pattern(table: Table) -> None:
    table.hands.fault("coin_stuck", "1")
    table.advance(10_000 * MS)
    table.hands.coin(1)
    assert [change[1:] for change in table.changes] == [("coin_a.1", 1), ("coin_b.1", 1), ("coin_b.1", 0)]
    table.hands.mend("coin_stuck", "1")
    assert not table.board.is_on("coin_a.1")


@pytest.mark.parametrize(
    ("fault", "line"),
    [("meter_down", "meter_well"), ("display_down", "display_well"), ("door_open", "door")],
)
def test_a_health_line_is_low_while_the_fault_lasts(table: Table, fault: str, line: str) -> None:
    table.hands.fault(fault)
    assert not table.board.is_on(line)
    table.hands.mend(fault)
    assert table.board.is_on(line)


def test_a_dead_lamp_is_seen_dark(table: Table) -> None:
    table.board.drive(table.board.pin("lamp.1"), 1)
    table.board.drive(table.board.pin("call"), 1)
    assert table.hands.lamp_lit(1)
    assert table.hands.call_lit()
    table.hands.fault("lamp_dead", "1")
    assert not table.hands.lamp_lit(1)
    table.hands.mend("lamp_dead", "1")
    assert table.hands.lamp_lit(1)


def test_cards_leave_the_shoe_one_by_one_in_their_order(table: Table) -> None:
    assert table.shoe is not None
    table.shoe.frames(0)
    table.hands.deal("KD", "QS^", "??")
    assert table.shoe.about()["next_seq"] == 4
    assert table.us == 15 * MS


def test_the_faults_of_the_shoe_reach_the_shoe(table: Table) -> None:
    assert table.shoe is not None
    table.hands.fault("shoe_unplugged")
    assert table.hands.look()["shoe"]["plugged"] is False
    table.hands.mend("shoe_unplugged")
    assert table.hands.look()["shoe"]["plugged"] is True
    table.hands.fault("shoe_skip")
    table.hands.deal("KD", "QS")
    assert (table.shoe.about()["next_seq"], table.shoe.about()["held"]) == (3, 1)


@pytest.mark.parametrize(
    ("word", "args", "sentence"),
    [
        ("juggle", [], "hands know no word 'juggle'"),
        ("ante", ["4"], r"ante takes one seat, 1\.\.3, was given '4'"),
        ("coin", [], "coin takes one seat"),
        ("lift", ["coin", "1"], "lift takes one of ante, raise, bonus"),
        ("key", ["escape"], "key takes one of lock, close, reveal, clear, open"),
        ("clear_felt", ["1"], "clear_felt takes nothing"),
        ("deal", [], "deal takes one card or more"),
        ("deal", ["KD", "10H"], "no card at the shoe is called '10H'"),
        ("fault", [], "fault takes the name"),
        ("fault", ["fire"], "there is no fault 'fire'; known are coin_stuck"),
        ("mend", ["fire"], "there is no fault 'fire'"),
        ("mend", ["shoe_skip"], "shoe_skip is over by itself"),
        ("fault", ["coin_stuck"], "coin_stuck takes one seat"),
        ("fault", ["sensor_stuck", "1"], "sensor_stuck takes one of ante, raise, bonus and a seat"),
        ("fault", ["meter_down", "1"], "meter_down takes nothing after its name"),
        ("look", ["here"], "look takes nothing"),
    ],
)
def test_what_cannot_be_done_is_refused_and_moves_nothing(
    table: Table, word: str, args: list[str], sentence: str
) -> None:
    with pytest.raises(HandError, match=sentence):
        table.hands.do(word, *args)
    assert table.changes == []
    assert table.shoe is not None
    assert table.shoe.about()["next_seq"] == 1


def test_a_table_without_a_shoe_deals_no_card_and_has_no_fault_of_the_shoe() -> None:
    table = Table(shoe=None)
    with pytest.raises(HandError, match="no simulated shoe"):
        table.hands.deal("KD")
    with pytest.raises(HandError, match="no simulated shoe"):
        table.hands.fault("shoe_noise")
    assert table.hands.look()["shoe"] is None


def test_a_table_without_a_line_has_no_such_fault() -> None:
    board = Board({"ante.1": 1}, 1, lambda: 0)
    hands = LocalHands(board, None, lambda us: None)
    with pytest.raises(HandError, match="no line 'meter_well'"):
        hands.fault("meter_down")
    assert hands.look()["lamps"] == [False]
