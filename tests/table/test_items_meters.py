"""What an inspector asks of the meters (STANDARDS.md, A and B), at the table as a pure value."""

from __future__ import annotations

import json
from math import comb

import msgspec
import pytest

from table_controller.engine.house_rules import long_run_mean_cents, parse_house_rules, warnings
from table_controller.engine.money import parse_money
from table_controller.presets import preset_text
from table_controller.table import messages as m
from table_controller.table.day import files_refused
from table_controller.table.state import Books, encode_state
from table_controller.table.turn import LOWERS, Turn
from tests.table.rounds import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    NOTHING,
    ROYAL,
    STRAIGHT_FLUSH,
    counted,
    dealt,
    locked,
    revealed,
)
from tests.table.tabletop import WALL_MS, TableTop
from tests.table.test_step import PHASES, SAMPLES, table_in

US = 'preset = "us"\n'


def books(table: TableTop) -> Books:
    assert table.state.books is not None
    return table.state.books


def meter_cents(table: TableTop) -> int:
    assert table.state.meter is not None
    return table.state.meter.cents


def falls(table: TableTop) -> list[str]:
    return [fact.why for fact in table.told(m.MeterChanged) if fact.after_cents < fact.before_cents]


# --------------------------------------------------------------------------- up and down (4, 5)


FALLS = {
    "award": (US, revealed({1: STRAIGHT_FLUSH}) + "stub 42\nsup confirm 1"),
    "coin_refunded": (US, locked({1: NOTHING}) + "sup void"),
    "dead_hand": (US, locked({1: NOTHING}) + dealt({1: NOTHING}) + "count 1 4\nsup dead 1"),
    "progressive_fault": (
        US + 'progressive_fault_after_lock = "void"\n',
        locked({1: NOTHING}) + "fault meter_down",
    ),
    "void": (
        # A small royal is paid at once and the reset lifts the meter; a void takes that back.
        US + 'meter_start = "100.00"\n',
        revealed({1: ROYAL, 2: FOUR}) + "sup void",
    ),
}
"""For every reason of the house rules, a round in which the meter falls for it."""


@pytest.mark.parametrize("why", FALLS)
def test_item_04_a_meter_that_falls_says_which_listed_reason(why: str) -> None:
    house_rules, script = FALLS[why]
    table = TableTop(house_rules).run(script)
    assert why in falls(table)
    assert set(falls(table)) <= LOWERS


def test_item_04_a_meter_falls_for_no_other_reason() -> None:
    table = TableTop(US)
    assert table.state.meter is not None
    lower = msgspec.structs.replace(table.state.meter, exact=1)
    turn = Turn(table.house, table.state, m.Stamp(0, WALL_MS))
    for why in ("contribution", "", "power", "TimePassed"):
        with pytest.raises(RuntimeError, match="the meter would fall from 1000000 to 0 cents"):
            turn.set_meter(lower, why)


@pytest.mark.parametrize("why", ["display_wrong", "over_maximum", "seed_recovered"])
def test_item_04_two_people_lower_a_meter_for_a_listed_reason_with_an_approval(why: m.Correction) -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    down = m.CorrectMeter("meter", 1_150_000, why, "A-7")
    assert table.word(down, "ann", "supervisor", "seen on the sign") == ""
    assert meter_cents(table) == 1_200_000
    assert table.word(down, "ben", "dealer", "seen on the sign") == ""
    assert meter_cents(table) == 1_150_000
    assert falls(table) == ["correction"]
    assert table.told(m.MeterCorrected) == [
        m.MeterCorrected("meter", 1_200_000, 1_150_000, why, "A-7", ("ann", "ben"), "seen on the sign")
    ]


@pytest.mark.parametrize(
    ("command", "people", "refused"),
    [
        (m.CorrectMeter("meter", 1_100_000, "display_wrong", " "), ("ann", "ben"), "approval reference"),
        (m.CorrectMeter("meter", 1_100_000, "display_wrong", "A-7"), ("ann", "ann"), "a second person"),
        (m.CorrectMeter("meter", 1_100_000, "added_by_house", "A-7"), ("ann", "ben"), "never lowers"),
        (m.CorrectMeter("meter", 1_300_000, "seed_recovered", "A-7"), ("ann", "ben"), "never raises"),
        (m.CorrectMeter("meter", 1_300_000, "over_maximum", "A-7"), ("ann", "ben"), "never raises"),
        (m.CorrectMeter("meter", 1_100_000, "undisplayed_taken", "A-7"), ("ann", "ben"), "is displayed"),
        (m.CorrectMeter("meter", 1_200_000, "display_wrong", "A-7"), ("ann", "ben"), "already"),
    ],
)
def test_item_04_any_other_correction_is_refused(
    command: m.CorrectMeter, people: tuple[str, str], refused: str
) -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    said = [table.word(command, operator) for operator in people]
    assert any(refused in reason for reason in said)
    assert meter_cents(table) == 1_200_000


def test_item_04_a_correction_by_two_dealers_or_without_a_reason_or_in_a_round_is_refused() -> None:
    table = TableTop(US, gaming_day=True)
    up = m.CorrectMeter("meter", 1_300_000, "added_by_house", "A-7")
    assert table.word(up, reason=" ") == "a correction needs a reason"
    assert table.word(up, "ben", "dealer") == ""
    assert table.word(up, "cid", "dealer") == "one of the two must be a supervisor"
    assert table.word(m.OpenDay()) == ""
    table.run("open")
    assert table.both(up) == "the meter is corrected only between rounds"
    assert meter_cents(table) == 1_000_000


def test_item_04_what_one_person_asked_for_is_no_half_of_another_correction() -> None:
    table = TableTop(US, gaming_day=True)
    assert table.word(m.CorrectMeter("meter", 1_300_000, "added_by_house", "A-7"), "ann") == ""
    assert table.word(m.CorrectMeter("meter", 1_400_000, "added_by_house", "A-7"), "ben") == ""
    assert meter_cents(table) == 1_000_000
    assert table.word(m.OpenDay()) == ""
    assert table.word(m.CloseDay()) == ""
    # The day is closed, so what was asked before is asked anew.
    assert table.word(m.CorrectMeter("meter", 1_400_000, "added_by_house", "A-7"), "cid") == ""
    assert meter_cents(table) == 1_000_000


@pytest.mark.parametrize("phase", PHASES)
def test_item_05_no_message_in_any_phase_zeroes_a_meter(phase: str) -> None:
    table = table_in(phase, 'preset = "live"\nmeter_start = "12345.67"\nreset = "10000.00"\n')
    start = table.state
    shares = [seat.share.meter for seat in start.seats if seat.share is not None]
    assert start.meter is not None
    for message in SAMPLES:
        table.state = start
        table.send(message)
        after = table.state.meter
        assert after is not None
        assert after.exact in (start.meter.exact, start.meter.exact - sum(shares)), message


def test_item_05_neither_a_restart_nor_other_files_nor_another_date_touch_the_meter() -> None:
    table = TableTop(US + 'meter_start = "12345.67"\n').run(revealed({1: NOTHING}) + "clear")
    stood = table.state.meter
    for house_rules in (
        US,
        'preset = "live"\nreset = "500.00"\nmeter_start = "0.00"\n',
        'preset = "classic"\n',
    ):
        rules = parse_house_rules(house_rules, preset_text, "another")
        table.house = msgspec.structs.replace(table.house, rules=rules, approval="A-2")
        table.send(msgspec.structs.replace(table.started(), software="2.0", manifest="ab" * 32))
        table.send(m.ClockSet(-400 * 86_400_000))
        assert table.state.meter == stood


@pytest.mark.parametrize("cents", [0, -1, 999_999])
def test_item_05_50_nobody_corrects_a_meter_to_nothing_or_below_its_reset(cents: int) -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    assert table.both(m.CorrectMeter("meter", cents, "display_wrong", "A-7")) != ""
    assert meter_cents(table) == 1_200_000


# ------------------------------------------------------------------------- figures (7, 8, 9, 10)


@pytest.mark.parametrize(
    ("start", "after_cents"),
    [("9999999999.99", 1_000_000_000_048), ("999999999999.50", 99_999_999_999_999)],
)
def test_item_07_a_meter_of_ten_and_of_fourteen_digits_takes_a_coin_exactly(
    start: str, after_cents: int
) -> None:
    table = TableTop(US + f'meter_start = "{start}"\n').run(locked({1: NOTHING}))
    assert meter_cents(table) == after_cents
    assert table.state.meter is not None
    assert table.state.meter.balances


def test_item_07_fourteen_digits_are_read_and_a_fifteenth_is_refused() -> None:
    assert parse_money("999999999999.99") == 99_999_999_999_999
    with pytest.raises(ValueError, match=r'is no amount: allowed is "0.00"'):
        parse_money("1000000000000.00")


def test_item_07_no_figure_of_a_table_is_a_binary_fraction() -> None:
    def no_float(text: str) -> None:
        raise AssertionError(f"{text} is no whole number")

    table = TableTop('preset = "live"\nmeter_share = "0.333333"\n').run(revealed({1: ROYAL, 2: NOTHING}))
    json.loads(encode_state(table.state), parse_float=no_float)
    json.loads(msgspec.json.encode(table.facts), parse_float=no_float)


def test_item_08_who_paid_and_for_which_hand_are_counted_apart() -> None:
    table = TableTop(US).run(revealed({1: ROYAL, 2: FLUSH}) + "stub 37\nsup confirm 1\nclear")
    levels = books(table).levels
    royal, flush = levels["royal_flush"], levels["flush"]
    assert (royal.confirmed_hits, royal.confirmed_cents, royal.dealer_hits) == (1, 1_000_098, 0)
    assert (flush.dealer_hits, flush.dealer_cents, flush.confirmed_hits) == (1, 5_000, 0)
    assert table.state.meter is not None
    assert (table.state.meter.hits, table.state.meter.wins_cents) == (2, 1_005_098)


def test_item_08_a_void_takes_the_counts_back_with_the_payments() -> None:
    table = TableTop(US).run(revealed({1: ROYAL, 2: FLUSH}))
    assert books(table).levels["flush"].dealer_hits == 1
    table.run("sup void\nsup reject 1\nsup reject 2")
    assert books(table).levels == {}


LIMITED = US + 'meter_limit = "10000.98"\n'


def test_item_09_the_meter_stops_at_its_limit_and_the_rest_overflows() -> None:
    table = TableTop(LIMITED).run(locked({1: NOTHING, 2: NOTHING, 3: NOTHING}))
    assert table.state.meter is not None
    assert (meter_cents(table), table.state.meter.overflow_cents) == (1_000_098, 49)


def test_item_09_a_limit_below_the_meter_is_refused() -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    below, at = (m.SetParameter("meter_limit", text, "A-7") for text in ("11999.99", "12000.00"))
    assert table.word(below) == (
        "meter_limit: 11999.99 was found; allowed is at least what the meter holds, 12000.00"
    )
    assert table.word(at) == ""
    assert table.state.parameters == {"meter_limit": "12000.00"}


def test_item_09_a_limit_at_the_meter_is_below_it_when_a_part_of_a_cent_is_over() -> None:
    table = TableTop(US + 'meter_share = "0.335"\n', gaming_day=True)
    table.word(m.OpenDay())
    table.run("open\n" + revealed({1: NOTHING}) + "clear")
    table.word(m.CloseDay())
    assert table.word(m.SetParameter("meter_limit", "10000.33", "A-7")) != ""
    assert table.word(m.SetParameter("meter_limit", "10000.34", "A-7")) == ""


def test_item_09_a_limit_below_the_meter_is_refused_from_a_file_too() -> None:
    table = TableTop(US + 'meter_start = "12000.00"\n', gaming_day=True)
    for limit, refused in (("11999.99", True), ("12000.00", False), ("0.00", False)):
        rules = parse_house_rules(
            US + f'meter_start = "12000.00"\nmeter_limit = "{limit}"\n', preset_text, "file"
        )
        house = msgspec.structs.replace(table.house, rules=rules, approval="A-2")
        assert bool(files_refused(table.house, house, table.state)) == refused


def test_item_09_a_limit_may_be_raised_later() -> None:
    table = TableTop(LIMITED, gaming_day=True)
    assert table.word(m.SetParameter("meter_limit", "20000.00", "A-7")) == ""
    table.word(m.OpenDay())
    table.run("open\n" + locked({1: NOTHING, 2: NOTHING, 3: NOTHING}))
    assert meter_cents(table) == 1_000_147


def test_item_10_the_royal_comes_once_in_649740_hands_and_the_check_reckons_with_it() -> None:
    assert comb(52, 5) // 4 == 649_740
    alone = 'preset = "us"\nprogressive = ["100%"]\n'
    rules = parse_house_rules(alone, preset_text, "house")
    # What a coin brings until a royal comes, over the reset.
    expected_cents = 1_000_000 + 649_740 * 49
    assert long_run_mean_cents(rules) == expected_cents
    for limit, odd in (("328372.59", 1), ("328372.60", 0)):
        limited = parse_house_rules(alone + f'meter_limit = "{limit}"\n', preset_text, "house")
        assert len(warnings(limited)) == odd


# ------------------------------------------------------------------------- hits (11, 12, 42, 44)


def test_item_11_after_a_hit_the_meter_is_the_reset_by_itself_and_play_goes_on() -> None:
    table = TableTop(US).run(revealed({1: ROYAL}) + "stub 42\nsup confirm 1")
    assert meter_cents(table) == 1_000_000
    table.run("clear\nopen\n" + revealed({2: NOTHING}))
    assert meter_cents(table) == 1_000_049
    assert [owed.cents for owed in books(table).owed.values()] == [1_000_049]


@pytest.mark.parametrize(
    ("hand", "cents"),
    [(ROYAL, 1_000_049), (STRAIGHT_FLUSH, 100_004), (FULL_HOUSE, 10_000), (FLUSH, 5_000), (NOTHING, 0)],
)
def test_item_12_only_the_highest_award_of_a_hand_is_paid(hand: str, cents: int) -> None:
    table = TableTop(US).run(revealed({1: hand}))
    assert [one.award.cents for one in table.state.awards] == ([cents] if cents else [])


# ------------------------------------------------------------------------------- wagers (15, 16)


def test_item_15_a_coin_with_an_ante_before_lock_moves_the_meter_by_its_share_once() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1\nsee meter 10000.00\nlock\nsee meter 10000.49")
    assert table.state.meter is not None
    assert table.state.meter.wagers_cents == 100


@pytest.mark.parametrize(
    ("script", "alarm"),
    [
        ("ante 1 10.00\ncoin 2\nlock", "coin_without_ante"),
        ("ante 1 10.00\nlock\ncoin 1", "late_coin"),
        ("ante 1 10.00\ncoin 1\nreturn coin 1\nlock", ""),
        ("ante 1 10.00\ncoin 1\nlift ante 1\nante 2 10.00\nlock", "coin_without_ante"),
        ("ante 1 10.00\nfault coin_stuck 1\nlock", "coin_stuck"),
        ("ante 1 10.00\nlock\nsup void\ncoin 1", "late_coin"),
        ("ante 1 10.00\nlock\nsup void\nclear\ncoin 1\nopen\nante 1 10.00\nlock", "late_coin"),
    ],
)
def test_item_15_a_coin_that_is_no_wager_moves_no_meter(script: str, alarm: str) -> None:
    table = TableTop(US).run(script)
    assert meter_cents(table) == 1_000_000
    assert table.alarms == ([alarm] if alarm else [])


def test_item_15_a_second_coin_of_a_seat_moves_no_meter() -> None:
    table = TableTop(US).run("ante 1 10.00\ncoin 1\ncoin 1\nlock\nsee meter 10000.49")
    assert table.alarms == ["second_coin"]


TOKENS = US + 'token_count = "required"\n'


@pytest.mark.parametrize("script", ["tokens 1", "tokens 3", "deal TH>1"])
def test_item_16_the_deal_waits_while_tokens_and_bets_are_not_counted_equal(script: str) -> None:
    table = TableTop(TOKENS).run(locked({1: ROYAL, 2: NOTHING}) + script)
    assert [hold.reason for hold in table.state.holds] == ["token_count"]
    table.run("tokens 2\nsee hold token_count\nclose\nsee refused\nsup resume\nsee phase dealing")


def test_item_16_the_deal_begins_when_the_count_is_equal() -> None:
    hands = {1: ROYAL, 2: NOTHING}
    table = TableTop(TOKENS).run(locked(hands) + "tokens 2\n" + dealt(hands) + "see phase deciding")
    assert table.alarms == []


def test_item_31_a_coin_event_that_is_lost_is_found_by_the_count_of_the_tokens() -> None:
    # Two tokens fell; of the one at seat 2 the table never heard.
    table = TableTop(TOKENS).run(locked({1: ROYAL, 2: NOTHING}, coins=[1]) + "tokens 2")
    assert table.alarms == ["token_count"]
    assert table.told(m.HoldPlaced) == [m.HoldPlaced("token_count")]
    assert meter_cents(table) == 1_000_049


# ------------------------------------------------------------------------------- levels (42, 44)


def test_item_42_each_royal_has_its_minimum_and_the_house_adds_what_is_missing() -> None:
    hands = {1: ROYAL, 2: "TS JS QS KS AS"}
    table = TableTop(US + 'royal_minimum = "8000.00"\n').run(revealed(hands) + counted(hands))
    table.run("sup confirm 2\nsup confirm 1")
    assert table.state.meter is not None
    assert [hit.cents for hit in table.told(m.HitRecorded)] == [800_000, 800_000]
    assert table.state.meter.house_added_cents == 1_600_000 - 1_000_098
    assert meter_cents(table) == 1_000_000


def test_item_42_a_shared_royal_is_split_to_the_cent_among_all_who_bet() -> None:
    hands = {1: ROYAL, 2: NOTHING, 3: FLUSH}
    table = TableTop('preset = "live"\nmeter_start = "10000.00"\n').run(revealed(hands) + counted(hands))
    table.run("sup confirm 1")
    shares = [hit.cents for hit in table.told(m.HitRecorded) if hit.kind != "own"]
    assert sum(shares) == 1_000_150
    assert max(shares) - min(shares) <= 1
    assert meter_cents(table) == 1_000_000


def test_item_44_a_value_follows_its_hand_and_never_its_line_in_the_table() -> None:
    before = US + 'progressive = ["100%", "10%", "500.00", "100.00", "50.00"]\n'
    after = US + 'progressive = ["100%", "10%", "500.00", "50.00", "100.00", "25.00"]\n'
    table = TableTop(before).run(revealed({1: FULL_HOUSE, 2: FLUSH}) + "clear")
    table.house = msgspec.structs.replace(
        table.house, rules=parse_house_rules(after, preset_text, "after"), approval="A-2"
    )
    table.send(table.started())
    table.send(m.ShoeFound(7, table.state.shoe_next_seq))
    table.run("open\n" + revealed({1: FULL_HOUSE}) + "clear")
    paid = {hand: (level.dealer_hits, level.dealer_cents) for hand, level in books(table).levels.items()}
    assert paid == {"full_house": (2, 15_000), "flush": (1, 5_000)}


def test_item_04_a_slip_of_the_pen_is_corrected_back_to_where_an_award_had_left_the_meter() -> None:
    table = TableTop(US + 'jackpot_hold_from = "100000.00"\n')
    table.run(revealed({1: STRAIGHT_FLUSH}) + "clear")
    assert table.state.meter is not None
    left_cents = table.state.meter.cents
    assert left_cents < table.house.rules.reset_cents
    assert table.both(m.CorrectMeter("meter", 1_000_500, "display_wrong", "A-1")) == ""
    assert table.both(m.CorrectMeter("meter", left_cents, "display_wrong", "A-2")) == ""
    assert table.state.meter.cents == left_cents
    assert table.word(m.CorrectMeter("meter", left_cents - 1, "display_wrong", "A-3")) != ""
