"""The report of a day, a shift, some rounds: everything is in it, and it says whether the money is right."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from pathlib import Path

import apsw
import msgspec
import pytest

from hw_sim.script import parse_play
from table_controller.audit.accounts import Report
from table_controller.audit.paper import csv_text, exact_text
from table_controller.audit.report import RangeUnknown, report
from table_controller.audit.report_page import HEADS, report_csv, report_json, report_text
from table_controller.journal import Entry, JournalRefused, read_entries
from table_controller.replay import ReplayError
from table_controller.table import messages as m
from tests.service.gaming_day import RULES, GamingDay, a_day, forged
from tests.shared import SHARED

OURS = Path(__file__).resolve().parents[1] / "plays"
PLAYS = sorted([*(SHARED / "scenarios").glob("*/*.toml"), *OURS.glob("*/*.toml")])[::8]


@pytest.fixture(scope="module")
def day() -> GamingDay:
    return a_day()


@pytest.fixture(scope="module")
def entries(day: GamingDay) -> list[Entry]:
    return day.entries()


def custody(found: Report) -> dict[str, tuple[str, str, str]]:
    return {
        one.cause: (
            exact_text(one.meter_exact),
            exact_text(one.reserve_exact),
            exact_text(one.overflow_exact),
        )
        for one in found.custody
    }


def off(found: Report) -> dict[str, str]:
    """The lines that do not reconcile, with the amount."""
    return {
        one.item: exact_text(one.off) if one.unit == "exact" else str(one.off)
        for one in found.reconciliation
        if one.off
    }


# ------------------------------------------------------------------------------ custody and sums


def test_item_13_the_balance_of_a_day_goes_from_its_opening_to_its_closing(entries: list[Entry]) -> None:
    found = report(entries)
    assert custody(found) == {
        "opening": ("10000.00", "0.00", "0.00"),
        "coins": ("1.665", "0.025", "0.00"),
        "shares of refunded coins kept": ("0.00", "0.00", "0.00"),
        "resets put on by the house": ("10000.00", "0.00", "0.00"),
        "reserve put on the meter": ("0.02", "-0.02", "0.00"),
        "corrections": ("2345.65", "0.00", "0.00"),
        "awards": ("-10001.33", "0.00", "0.00"),
        "closing": ("12346.005", "0.005", "0.00"),
    }
    moved = [one.together_exact for one in found.custody]
    assert sum(moved[:-1]) == moved[-1]
    assert found.reconciles
    assert "closing                     12346.005    0.005      0.00   12346.01" in report_text(found)


def test_item_03_coins_are_accounted_for_to_the_last_fraction(entries: list[Entry]) -> None:
    found = report(entries)
    assert (found.coins.bet, found.coins.bet_cents, found.coins.refunded, found.coins.kept) == (5, 500, 2, 0)
    parts = (found.to_meter_exact, found.to_reserve_exact, found.to_overflow_exact, found.to_house_exact)
    assert tuple(map(exact_text, parts)) == ("1.665", "0.025", "0.00", "3.31")
    assert sum(parts) == found.coins.bet_cents * 1_000_000


def test_item_03_coins_over_the_limit_are_found_in_the_overflow() -> None:
    table = GamingDay(RULES + 'meter_limit = "10000.50"').said(m.OpenDay())
    for _ in range(3):
        table.played("nothing")
    found = report(table.entries())
    assert custody(found)["coins"] == ("0.50", "0.015", "0.499")
    assert found.reconciles


def test_item_03_a_share_that_the_house_keeps_is_found_to_the_fraction() -> None:
    table = GamingDay(RULES + 'void_contribution = "keep"').said(m.OpenDay())
    table.words("open\nante 1 10.00\ncoin 1\nlock\nsup void\nclear").played("nothing")
    found = report(table.entries())
    assert custody(found)["shares of refunded coins kept"] == ("0.333", "0.005", "0.00")
    assert (found.coins.bet, found.coins.refunded, found.coins.kept) == (1, 1, 1)
    assert exact_text(found.kept_exact) == "0.338"
    assert found.reconciles


def test_an_award_that_a_void_takes_back_is_no_award_of_the_day() -> None:
    table = GamingDay().said(m.OpenDay()).to_reveal("straight flush").words("sup void")
    table.both_say(m.RejectAward(1), "void for a reason").words("clear")
    found = report(table.entries())
    assert (found.payouts.withdrawn, found.payouts.rejected, found.payouts.confirmed) == (1, 1, 0)
    assert custody(found)["closing"] == ("10000.00", "0.00", "0.00")
    assert found.reconciles


def test_item_42_what_a_guaranteed_royal_lacks_is_added_by_the_house() -> None:
    table = GamingDay(RULES + 'royal_minimum = "25000.00"').said(m.OpenDay()).played("royal")
    paid = report(table.entries()).payouts
    assert (paid.of_meter_cents, paid.house_added_cents, paid.owed_cents) == (1_000_033, 1_499_967, 2_500_000)


def test_a_round_in_play_is_in_the_balance_with_its_coins_and_without_its_bets() -> None:
    table = GamingDay().said(m.OpenDay()).words("open\nante 1 10.00\ncoin 1\nlock")
    found = report(table.entries())
    assert found.in_play == f"{table.state.round} (dealing)"
    assert custody(found)["closing"] == ("10000.333", "0.005", "0.00")
    assert found.seats[0].ante_cents == 0
    assert found.reconciles


def test_an_award_that_waits_is_neither_paid_nor_owed() -> None:
    table = GamingDay().said(m.OpenDay()).to_reveal("straight flush")
    paid = report(table.entries()).payouts
    assert (paid.waiting_cents, paid.owed_cents, paid.confirmed) == (100_003, 0, 0)


def test_a_journal_from_before_there_were_books_reconciles_too() -> None:
    table = GamingDay(gaming_day=False).words("ante 1 10.00\nlock\nsup void\nclear").played("royal")
    table.heard = [one for one in table.heard if not isinstance(one[2], m.Installed)]
    found = report(table.entries())
    assert found.title == "the whole journal"
    assert (found.resets, found.seeded_cents, found.payouts.confirmed_cents) == (1, 1_000_000, 1_000_033)
    assert found.reconciles


@pytest.mark.parametrize("path", PLAYS, ids=[path.stem for path in PLAYS])
def test_the_books_and_the_rounds_of_a_play_come_to_the_same(path: Path) -> None:
    play = parse_play(path.read_text("utf-8"), path.name)
    table = GamingDay(play.house_rules, gaming_day=False)
    assert table.play(play) == []
    found = report(table.entries())
    assert off(found) == {}
    assert report_text(found)


# --------------------------------------------------------------------------- a figure that is wrong


def last(entries: list[Entry], fact: bytes) -> int:
    return [one.seq for one in entries if fact in one.facts][-1]


def test_item_03_a_share_that_was_made_larger_is_told_with_its_amount(entries: list[Entry]) -> None:
    seq = last(entries, b"RoundCleared")
    found = report(forged(entries, seq, "snapshot", b'"meter":33300000', b'"meter":43300000'))
    assert off(found) == {"meter at the closing": "-0.10", "the house's part of coins": "0.10"}
    assert "DOES NOT RECONCILE" in report_text(found)
    assert "meter at the closing by -0.10" in report_text(found)
    assert not found.reconciles


def test_item_03_a_correction_of_another_amount_is_told(entries: list[Entry]) -> None:
    seq = last(entries, b"MeterCorrected")
    found = report(forged(entries, seq, "facts", b'1234567,"why":"display', b'1234560,"why":"display'))
    assert off(found) == {"meter at the closing": "0.07", "corrected by people": "0.07"}


def test_item_04_a_change_of_the_meter_that_its_cause_does_not_explain_is_told(entries: list[Entry]) -> None:
    seq = last(entries, b"MeterCorrected")
    found = report(forged(entries, seq, "facts", b'1234567,"why":"correction', b'1234667,"why":"correction'))
    assert off(found) == {"shown, change by change": "-1.00"}


def test_item_08_a_payment_of_another_amount_is_told(entries: list[Entry]) -> None:
    seq = last(entries, b"HitPaid")
    found = report(forged(entries, seq, "facts", b'"cents":900127', b'"cents":900027'))
    assert off(found) == {"owed at the closing": "-1.00"}


def test_item_01_books_that_were_changed_are_told(entries: list[Entry]) -> None:
    seq = last(entries, b"DayClosed")
    found = report(forged(entries, seq, "snapshot", b'"wagers_cents":500', b'"wagers_cents":400'))
    assert off(found) == {"coins in action": "-1.00", "the books by themselves": "-1.00"}


def test_a_missing_document_is_told(entries: list[Entry]) -> None:
    seq = last(entries, b"HitRecorded")
    facts = entries[seq - 1].facts
    start = facts.index(b'{"type":"HitRecorded"')
    fact = facts[start : facts.index(b"}", start) + 2]
    found = report(forged(entries, seq, "facts", fact, b""))
    assert off(found) == {"owed at the closing": "9001.27", "number of documents": "1"}


def test_item_58_a_line_that_was_taken_out_is_found_before_anything_is_reported(
    day: GamingDay, tmp_path: Path
) -> None:
    path = day.write(tmp_path / "T1.journal")
    connection = apsw.Connection(path)
    connection.execute("DROP TRIGGER entry_stays")
    connection.execute("DELETE FROM entry WHERE seq = 120")
    schema = "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END"
    connection.execute(schema)
    connection.close()
    with pytest.raises(JournalRefused, match="lacks an entry"):
        report(read_entries(path))


# -------------------------------------------------------------------------------- who paid, who did


def test_item_08_payments_are_counted_by_hand_and_by_who_paid(entries: list[Entry]) -> None:
    found = report(entries)
    assert {one.hand: msgspec.structs.astuple(one)[1:] for one in found.hands} == {
        "flush": (1, 5_000, 0, 0),
        "straight_flush": (0, 0, 1, 100_006),
        "royal_flush": (0, 0, 1, 900_127),
    }
    paid = found.payouts
    assert (paid.by_dealer_cents, paid.at_table_cents, paid.at_cage_cents) == (5_000, 900_127, 100_006)
    assert (paid.rejected, paid.rejected_cents, paid.owed_cents) == (1, 90_009, 0)
    assert (paid.of_meter_cents, paid.fixed_by_house_cents, found.seeded_cents) == (
        1_000_133,
        5_000,
        1_000_000,
    )


def test_item_45_what_is_withheld_is_owed_still() -> None:
    table = GamingDay().said(m.OpenDay()).played("straight flush").played("royal")
    table.said(m.WithholdHit("T1-A000001", "identity"), reason="no passport")
    paid = report(table.entries()).payouts
    assert (paid.owed_cents, paid.withheld_cents) == (100_003 + 900_063, 100_003)


def test_wagers_stand_by_seat_with_what_came_back_and_the_houses_result(entries: list[Entry]) -> None:
    one, two, three = report(entries).seats
    assert (one.hands, one.ante_cents, one.ante_back_cents, one.raise_cents, one.raise_back_cents) == (
        *(4, 3_000, 6_000, 6_000, 6_000),
    )
    assert (one.refunded_cents, one.result_cents, one.coins_cents, one.awards_cents) == (
        1_000,
        -3_000,
        300,
        5_000,
    )
    assert (two.refunded_cents, two.result_cents) == (1_000, -1_000)
    assert (three.seat, three.awards_cents) == (3, 900_127)


def test_dealers_have_their_rounds_and_their_time_at_the_table(entries: list[Entry]) -> None:
    nobody, ann, bob = report(entries).dealers
    assert (nobody.dealer, nobody.rounds) == ("", 0)
    assert (ann.dealer, ann.rounds, ann.on_duty_ms) == ("ann", 3, 422_900)
    assert (bob.dealer, bob.rounds, bob.rounds_an_hour) == (
        "bob",
        3,
        round(3 * 3_600_000 / bob.on_duty_ms, 1),
    )


def test_alarms_and_refused_words_are_counted_by_who_said_them() -> None:
    table = GamingDay().said(m.OpenDay())
    for role in ("dealer", "dealer", "supervisor"):
        table.send(m.Said(m.SetParameter("reset", "1.00", ""), "eve", role))
    table.send(m.KeyPressed("reveal"))
    table.words("open\nante 1 10.00\ncoin 1\ncoin 1\nlock")
    found = report(table.entries())
    assert [(one.who, one.what, one.number) for one in found.refused] == [
        ("dealer eve", "SetParameter", 2),
        ("key pad", "reveal", 1),
        ("supervisor eve", "SetParameter", 1),
    ]
    assert [(one.what, one.number) for one in found.alarms] == [("second_coin", 1)]
    assert found.coins.never_bet == 1


def test_item_57_a_change_keeps_the_old_value_the_person_and_the_time(entries: list[Entry]) -> None:
    found = report(entries)
    (change,) = found.changes
    assert (change.place, change.before, change.after) == ("meter_share", "0.333", "0.40")
    assert (change.who, change.approval, change.reason) == ("tom", "B-8", "new rate")
    (corrected,) = found.corrections
    assert (corrected.before_cents, corrected.after_cents) == (1_000_002, 1_234_567)
    assert (corrected.who, corrected.why, corrected.approval) == ("sue and ben", "display_wrong", "B-7")
    assert entries[corrected.entry - 1].wall_ms == corrected.wall_ms


def test_item_58_clock_door_trials_files_and_program_are_in_the_log_of_events() -> None:
    table = GamingDay()
    table.said(m.BeginTrial("the laboratory, 14:00"), "sue").said(m.EndTrial(), "sue")
    changes = (m.Change("table.toml minimum", "5.00", "10.00"),)
    table.house = msgspec.structs.replace(table.house, approval="B-1")
    start = msgspec.structs.replace(table.started(), software="2", manifest="ab", changes=changes)
    table.send(start)
    table.send(m.HealthChanged("door", False))
    table.send(m.ClockSet(90_000))
    table.said(m.OpenDay())
    found = report(table.entries())
    assert [(one.kind, one.words) for one in found.happenings if one.kind != "start"] == [
        ("installed", "the table, its meter at 10000.00, approval A-1"),
        ("trial", "trial begun, notified: the laboratory, 14:00"),
        ("trial", next(one.words for one in found.happenings if one.words.startswith("not tried"))),
        ("trial", "trial ended"),
        ("line", "door open"),
        ("clock", "the wall clock was set forward 0:01:30.000"),
        ("day", "gaming day 1 opened"),
    ]
    assert [(one.kind, one.place, one.before, one.after, one.approval) for one in found.changes] == [
        ("software", "program", "test", "2 ab", ""),
        ("configuration", "table.toml minimum", "5.00", "10.00", "B-1"),
    ]
    assert found.software == "2"


# -------------------------------------------------------------------------------- which range it is


def test_shifts_add_up_to_their_day(entries: list[Entry]) -> None:
    whole = report(entries)
    shifts = [report(entries, shift=name) for name in ("0", "early", "late")]
    assert [one.title for one in shifts] == [
        "shift number 0 of gaming day 1",
        "shift early, number 1 of gaming day 1",
        "shift late, number 2 of gaming day 1",
    ]
    assert report(entries, shift="2") == shifts[2]
    for before, after in pairwise(shifts):
        assert before.last_entry + 1 == after.first_entry
        assert custody(before)["closing"] == custody(after)["opening"]
    assert (shifts[0].first_entry, shifts[-1].last_entry) == (whole.first_entry, whole.last_entry)
    assert sum(one.coins.bet for one in shifts) == whole.coins.bet
    assert sum(one.rounds_settled + one.rounds_void for one in shifts) == 6
    assert sum(one.lasted_ms for one in shifts) <= whole.lasted_ms
    assert sum(dealer.on_duty_ms for one in shifts for dealer in one.dealers) == whole.lasted_ms
    assert all(one.reconciles for one in shifts)


def test_a_round_that_a_shift_takes_over_while_bets_are_open_is_its_round() -> None:
    table = GamingDay().said(m.OpenDay()).said(m.ChangeShift("early")).words("open\nante 1 10.00\ncoin 1")
    table.said(m.ChangeShift("late")).words("lock\nsup void\nclear")
    early, late = report(table.entries(), shift="early"), report(table.entries(), shift="late")
    assert early.in_play == f"{table.state.round} (betting)"
    assert (early.coins.refunded, late.coins.refunded) == (0, 1)
    assert (early.rounds_void, late.rounds_void) == (0, 1)
    assert (early.reconciles, late.reconciles) == (True, True)


def test_days_of_one_file_follow_each_other_without_a_gap() -> None:
    table = a_day().said(m.OpenDay()).played("flush").said(m.CloseDay())
    entries = table.entries()
    first, second = report(entries, day=1), report(entries)
    assert second.title == "gaming day 2"
    assert (first.first_entry, first.last_entry + 1, second.last_entry) == (
        1,
        second.first_entry,
        len(entries),
    )
    assert custody(first)["closing"] == custody(second)["opening"]
    assert (second.coins.bet, exact_text(second.to_meter_exact)) == (1, "0.40")
    assert second.reconciles


def test_the_report_of_a_file_that_goes_on_names_the_file_and_its_head(day: GamingDay) -> None:
    after = day.carried_on("T1-day-000001.journal", "ab" * 32).said(m.OpenDay()).played("flush")
    found = report(after.entries())
    assert found.carried is not None
    assert (found.carried.file, found.carried.head) == ("T1-day-000001.journal", "ab" * 32)
    assert (found.day, custody(found)["opening"]) == (2, ("12346.005", "0.005", "0.00"))
    assert found.reconciles


def test_a_range_of_rounds_ends_where_the_next_round_opens(entries: list[Entry]) -> None:
    found = report(entries, rounds=(2, 3))
    assert (found.rounds_settled, found.coins.bet, found.payouts.at_cage_cents) == (2, 2, 100_006)
    assert b"RoundOpened" in entries[found.first_entry - 1].facts
    assert b"RoundOpened" in entries[found.last_entry].facts
    assert found.head == entries[found.last_entry - 1].chain.hex()
    assert found.reconciles
    assert report(entries, rounds=(6, 6)).last_entry == len(entries)


def test_a_range_that_is_not_there_is_refused_with_those_that_are(entries: list[Entry]) -> None:
    with pytest.raises(RangeUnknown, match="gaming day 7 is unknown: the journal has 1"):
        report(entries, day=7)
    with pytest.raises(RangeUnknown, match="shift night is unknown: gaming day 1 has 0, 1 early, 2 late"):
        report(entries, shift="night")
    for rounds in ((2, 7), (0, 3), (3, 2)):
        with pytest.raises(RangeUnknown, match="the journal has 1 to 6"):
            report(entries, rounds=rounds)
    with pytest.raises(RangeUnknown, match="the journal has none"):
        report([])


def test_an_entry_that_this_version_does_not_know_is_refused(entries: list[Entry]) -> None:
    strange = msgspec.structs.replace(entries[5], facts=b'[{"type":"Moonrise"}]')
    with pytest.raises(ReplayError, match="entry 6"):
        report([*entries[:5], strange])


def test_the_same_report_comes_from_the_file(day: GamingDay, tmp_path: Path, entries: list[Entry]) -> None:
    found = report(read_entries(day.write(tmp_path / "T1.journal")))
    assert msgspec.structs.replace(found, head="") == msgspec.structs.replace(report(entries), head="")


# ----------------------------------------------------------------------------------------- its forms


def test_the_json_of_a_report_is_the_report(entries: list[Entry]) -> None:
    found = report(entries)
    assert msgspec.json.decode(report_json(found), type=Report) == found
    assert b'"reconciles":true' in report_json(found).encode()


def test_the_table_for_a_spreadsheet_has_the_same_columns_in_every_line(entries: list[Entry]) -> None:
    found = report(entries)
    head, *lines = csv.reader(io.StringIO(report_csv(found), newline=""))
    assert tuple(head) == HEADS
    assert {len(line) for line in lines} == {len(HEADS)}
    assert ["custody", "closing", "meter", "", "12346.005", ""] in lines
    assert ["awards by hand", "royal_flush", "confirmed", "1", "9001.27", ""] in lines
    assert ["reconciliation", "awards paid", "off", "", "0.00", ""] in lines
    assert all(line.endswith("\r\n") for line in report_csv(found).splitlines(keepends=True))


def test_nothing_that_somebody_typed_is_a_formula_or_moves_the_terminal() -> None:
    assert csv_text(("a", "b"), [("=1+1", "-5.00")]) == "a,b\r\n'=1+1,-5.00\r\n"
    table = GamingDay()
    table.said(m.SetParameter("meter_share", "0.40", "=A1"), reason="\x1b[2J")
    found = report(table.entries())
    assert "\x1b" not in report_text(found) + report_csv(found)


def test_a_house_without_a_progressive_has_a_report_without_a_meter() -> None:
    table = GamingDay('preset = "classic"', gaming_day=False)
    table.words("ante 1 10.00\nlock\nsup void\nclear")
    found = report(table.entries())
    assert found.reconciles
    assert "CUSTODY" not in report_text(found)
    assert "WAGERS BY SEAT" in report_text(found)
