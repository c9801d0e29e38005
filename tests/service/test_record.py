"""The record of a round: everything a dispute asks for, from the journal alone, and nothing face down."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import get_args

import msgspec
import pytest

from hw_sim.script import parse_play
from hw_sim.words import parse_line
from table_controller.engine.money import parse_money
from table_controller.journal import Entry, Journal, read_entries
from table_controller.journal_file import chain_hash
from table_controller.record import Record, RoundUnknown, round_record
from table_controller.record_page import LOUD, UNFINISHED, WIDTH, record_html, record_text
from table_controller.record_words import COMMANDS, EVENTS, FACTS, UNTOLD, message_words
from table_controller.replay import ReplayError, Snapshot, digest_of, encode_facts, encode_message
from table_controller.table import messages as m
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import step
from tests.shared import SHARED
from tests.table.tabletop import WALL_MS, TableTop

OURS = Path(__file__).resolve().parents[1] / "plays"
# Every fourth play shows every kind of happening; the pure table runs all of them.
PLAYS = sorted([*(SHARED / "scenarios").glob("*/*.toml"), *OURS.glob("*/*.toml")])[::4]


class Sitting(TableTop):
    """A table top that remembers what it was told and when, so that a journal can be made of it."""

    def __init__(self, house_rules: str, seats: int = 7, *, gaming_day: bool = False) -> None:
        self.heard: list[tuple[int, m.AnyMessage]] = []
        super().__init__(house_rules, seats, gaming_day=gaming_day)

    def send(self, message: m.AnyMessage) -> None:
        self.heard.append((self.at_ms, message))
        super().send(message)

    def script(self, text: str) -> Sitting:
        """Lines of a play, blank ones left out."""
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                self.do(parse_line(line.strip(), number))
        return self

    def entries(self, seats: int = 0) -> list[Entry]:
        """The journal of it, as the service writes one; `seats` if it began with other ones than it has."""
        house = msgspec.structs.replace(self.house, seats=seats or self.house.seats)
        state: TableState = new_state(house)
        chain = b"genesis"
        entries: list[Entry] = []
        for seq, (at_ms, message) in enumerate(self.heard, start=1):
            if isinstance(message, m.Started) and message.house is not None:
                house = message.house
            state, facts = step(house, state, m.Stamp(at_ms, WALL_MS + at_ms), message)
            opens = any(isinstance(fact, m.RoundOpened) for fact in facts)
            kept = msgspec.json.encode(Snapshot(house, state)) if opens else None
            body = (encode_message(message), encode_facts(facts), digest_of(encode_state(state)))
            chain = chain_hash(chain, seq, 1, at_ms, WALL_MS + at_ms, *body, kept)
            entries.append(Entry(seq, 1, at_ms, WALL_MS + at_ms, *body, chain, kept))
        return entries

    def record(self) -> Record:
        """The record of the round that stands on the table."""
        return round_record(self.entries(), self.state.round)


TWO_SEATS = """
ante 1 10.00
ante 2 20.00
coin 2
lock
deal QH>1 JC>2 AD>D QD>1 JD>2 KD>D 9S>1 7S>2 6H>D 5C>1 6C>2 5S>D 2D>1 3D>2 2H>D
"""
PLAYED = TWO_SEATS + "raise 1\nfold 2\nclose\nreveal\nclear"
FLUSH_AT_SIX = """
ante 6 10.00
coin 6
lock
deal 5H>6 AC>D 6H>6 KD>D 7H>6 JS>D 8H>6 6S>D 9H>6 3D>D
raise 6
close
reveal
"""


def played(script: str, rules: str = 'preset = "us_standard"') -> Record:
    """The record of the round that a script leaves on the table."""
    return Sitting(rules).script(script).record()


def part(record: Record, title: str) -> list[str]:
    """A section of a record, its cells with a bar between, as lines."""
    found = [one for one in record.sections if one.title.startswith(title)]
    return [" | ".join(row) for one in found for row in one.rows] + [x for one in found for x in one.lines]


def faces(text: str) -> set[str]:
    return set(re.findall(r"\b[2-9TJQKA][SHDC]\b", text))


# ------------------------------------------------------------------- how amounts came about


def test_a_settlement_is_told_seat_by_seat_with_its_arithmetic() -> None:
    assert part(played(PLAYED), "Settlement") == [
        "dealer AD KD 6H 5S 2H: ace-king high, qualifies",
        "seat 2 JC JD 7S 6C 3D: folded with pair of jacks: ante 20.00 is lost, "
        "coin 1.00 is lost (pair: no award)",
        "seat 1 QH QD 9S 5C 2D: pair of queens beats the dealer: ante 10.00 wins 10.00 (1 to 1), "
        "raise 20.00 wins 20.00 (1 to 1, pair)",
    ]


def test_the_raise_pushes_when_the_dealer_does_not_qualify() -> None:
    low = PLAYED.replace("KD>D", "QC>D")
    assert part(played(low), "Settlement")[0] == "dealer AD QC 6H 5S 2H: ace-queen high, does not qualify"
    assert part(played(low), "Settlement")[-1] == (
        "seat 1 QH QD 9S 5C 2D: pair of queens, the dealer does not qualify: ante 10.00 wins 10.00 (1 to 1), "
        "raise 20.00 pushes"
    )


def test_a_paid_ante_gets_the_odds_of_the_house_when_the_dealer_does_not_qualify() -> None:
    low = PLAYED.replace("KD>D", "QC>D")
    lines = part(played(low, 'preset = "us_standard"\nnonqualify_odds = 2'), "Settlement")
    assert "ante 10.00 wins 20.00 (2 to 1), raise 20.00 pushes" in lines[-1]


def test_a_house_that_pays_only_who_beats_the_dealer_has_the_comparison_told() -> None:
    low = PLAYED.replace("KD>D", "QC>D").replace("QH>1", "KH>1").replace("QD>1", "TD>1")
    assert part(played(low, 'preset = "us"'), "Settlement")[-1] == (
        "seat 1 KH TD 9S 5C 2D: king-ten high is below the dealer, the dealer does not qualify: ante 10.00 "
        "pushes, raise 20.00 pushes"
    )


def test_a_bonus_is_told_with_its_six_card_hand_and_its_odds() -> None:
    bonus = PLAYED.replace("ante 2 20.00", "ante 2 20.00\nbonus 1 5.00\nbonus 2 5.00").replace("AD>D", "QC>D")
    lines = part(played(bonus, 'preset = "live"'), "Settlement")
    assert lines[-1].endswith("bonus 5.00 wins 35.00 (7 to 1, three queens with the up card QC)")
    assert "bonus 5.00 is lost (pair of jacks with the up card QC)" in lines[1]


def test_a_raise_under_the_aggregate_limit_is_told_with_what_it_would_have_been() -> None:
    rules = 'preset = "us_standard"\naggregate_limit = "15.00"'
    assert part(played(PLAYED, rules), "Settlement")[-1].endswith(
        "raise 20.00 wins 15.00 (1 to 1, pair, is 20.00, cut by the limit of 15.00 a round)"
    )


def test_bets_coins_and_lamps_stand_as_they_were_at_lock() -> None:
    record = played(PLAYED.replace("coin 2", "coin 2\ncoin 2\ncoin 5"))
    assert part(record, "Bets at LOCK") == [
        "1 | 10.00 | - | - | off | raises 20.00",
        "2 | 20.00 | - | bet | on | folds",
        "5 | - | - | given back | off | no ante",
        "Amounts keyed by dealer dealer.",
    ]
    told = "\n".join(part(record, "Statements"))
    assert "coin slot | ALARM second_coin, seat 2" in told
    assert "key pad | the coin of seat 5 goes back: no ante" in told


def test_a_dead_lamp_is_seen_at_lock() -> None:
    assert part(played("ante 1 10.00\ncoin 1\nfault lamp_dead 1\nlock"), "Bets at LOCK")[0] == (
        "1 | 10.00 | - | bet | on, dead | undecided"
    )


def test_the_times_of_a_round_stand_in_both_clocks_with_their_entries() -> None:
    times = part(played(PLAYED), "Times")
    names = [line.split(" | ")[0] for line in times]
    assert names == ["opened", "LOCK", "first card", "last card", "CLOSE", "REVEAL", "settled", "CLEAR"]
    assert times[1] == "LOCK | 2026-09-21 14:13:20.400 | 0:00:00.400 | 10 | key pad"


def test_the_last_card_stands_where_it_came() -> None:
    late = PLAYED.replace("close", "close\ndeal 9H>X")
    names = [line.split(" | ")[0] for line in part(played(late), "Times")]
    assert names[2:5] == ["first card", "CLOSE", "last card"]


def test_the_rules_that_mattered_are_named_and_others_are_not() -> None:
    (rules,) = part(played(PLAYED), "House rules")
    assert "raise 100 50 20 7 5 4 3 2 1 1" in rules
    assert "meter_share 0.49" in rules
    assert "boxed_card" not in rules
    boxed = PLAYED.replace("deal QH>1", "deal 9C^>X QH>1")
    assert "boxed_card discard_first_void_second" in part(played(boxed), "House rules")[0]


# -------------------------------------------------------------------------- awards and meter


def test_a_waiting_award_says_what_it_is_of_and_who_pays() -> None:
    rules = 'preset = "us_standard"\nmeter_start = "50000.00"'
    record = played(FLUSH_AT_SIX, rules)
    assert part(record, "Awards") == [
        "6 | straight flush | 5000.04 | 10% of 50000.49 | 5000.04 | 0.00 | waits",
        "T1-A000001: seat 6, straight flush, 5H 6H 7H 8H 9H, 5000.04, the meter at 50000.49; "
        "waits for two people.",
    ]
    assert "coin 1.00 waits for a decision (straight flush)" in part(record, "Settlement")[-1]
    assert part(record, "Round")[2] == "outcome | settled, not cleared, held: jackpot_hold"


def test_a_confirmed_award_names_the_two_people_and_lowers_the_meter() -> None:
    record = played(FLUSH_AT_SIX + "stub 42\nsup confirm 6")
    assert part(record, "Awards")[0].endswith("confirmed by supervisor supervisor and dealer witness")
    assert [line.split(" | ")[:2] for line in part(record, "Meter")] == [
        ["before LOCK", "10000.00"],
        ["after LOCK", "10000.49"],
        ["settled", "10000.49"],
        ["award, entry 24", "9000.45"],
    ]


def test_a_rejected_award_says_what_becomes_of_the_coin() -> None:
    record = played(FLUSH_AT_SIX + "stub 42\nsup reject 6")
    assert part(record, "Awards")[0].endswith(
        "rejected by supervisor supervisor and dealer witness; coin 1.00 is lost"
    )


def test_a_fixed_prize_is_the_houses_part() -> None:
    four = PLAYED.replace("7S>2", "JH>2").replace("6C>2", "JS>2")
    assert part(played(four, 'preset = "us_standard"\njackpot_hold_from = "600.00"'), "Awards") == [
        "2 | four of a kind | 500.00 | fixed prize | 0.00 | 500.00 | paid",
        "T1-A000001: seat 2, four of a kind, JC JD JH JS 3D, 500.00, the meter at 10000.49; "
        "paid at once by the dealer.",
    ]


def test_two_royals_share_the_meter_and_what_comes_after_is_of_the_reset_meter() -> None:
    script = """
    ante 1 10.00
    ante 2 10.00
    ante 3 10.00
    coin 1
    coin 2
    coin 3
    lock
    deal 5D>1 TH>2 TC>3 2S>D 6D>1 JH>2 JC>3 3S>D 7D>1 QH>2 QC>3 4S>D 8D>1 KH>2 KC>3 7S>D 9D>1 AH>2 AC>3 9S>D
    raise 1
    raise 2
    raise 3
    close
    reveal
    """
    assert part(played(script, 'preset = "us_standard"\nmeter_start = "20000.00"'), "Awards")[:3] == [
        "3 | royal flush | 10000.74 | 100% of 20001.47, shared by 2 | 10000.74 | 0.00 | waits",
        "2 | royal flush | 10000.73 | 100% of 20001.47, shared by 2 | 10000.73 | 0.00 | waits",
        "1 | straight flush | 1000.00 | 10% of 10000.00 | 1000.00 | 0.00 | waits",
    ]


def test_percentages_of_the_meter_at_lock_are_all_of_that_meter() -> None:
    script = """
    ante 1 10.00
    ante 2 10.00
    coin 1
    coin 2
    lock
    deal 5D>1 5H>2 2S>D 6D>1 6H>2 3S>D 7D>1 7H>2 4S>D 8D>1 8H>2 7S>D 9D>1 9H>2 9S>D
    raise 1
    raise 2
    close
    reveal
    """
    rules = 'preset = "us_standard"\npercent_base = "meter_at_lock"'
    locked, running = part(played(script, rules), "Awards")[:2], part(played(script), "Awards")[:2]
    assert [line.split(" | ")[3] for line in locked] == ["10% of 10000.98"] * 2
    assert [line.split(" | ")[3] for line in running] == [
        "10% of 10000.98",
        "10% of 9000.89",
    ]


# ------------------------------------------------------------- what was said, held and refused


def test_a_hold_names_its_paragraph_and_who_ended_it_and_how() -> None:
    record = played(TWO_SEATS + "exposed KD\nsup void")
    told = "\n".join(part(record, "Statements"))
    assert "dealer dealer | KD was seen; why: play" in told
    assert (
        "HOLD hole_exposed, by HOUSE_RULES.md, Misdeals and dead hands, hole_exposed_before_close; "
        "what may end it: a void" in told
    )
    assert "supervisor supervisor | THE ROUND IS VOID; why: play" in told
    assert "supervisor supervisor | the hold hole_exposed ends" in told
    assert part(record, "Void") == [
        "seat 2: ante 20.00 goes back, coin 1.00 goes back",
        "seat 1: ante 10.00 goes back",
    ]


def test_refused_keys_and_words_are_told_with_their_reason() -> None:
    told = part(played(TWO_SEATS + "close\nraise 1\nfold 2\nfold 2"), "Statements")
    assert any(line.endswith("key pad | key CLOSE - REFUSED: undecided: seat 1, 2") for line in told)
    assert any("seat 2 folds; why: play - REFUSED: " in line for line in told)


def test_an_amount_that_is_keyed_again_keeps_the_old_one() -> None:
    told = part(played("ante 1 10.00\nante 1 30.00\nlock"), "Statements")
    assert [line.split(" | ")[-1] for line in told] == [
        "keys ante of seat 1: 30.00, keyed before: 10.00; why: play"
    ]


def test_a_seat_folded_by_the_time_limit_says_so() -> None:
    record = played(TWO_SEATS + "wait 31", 'preset = "us_standard"\ndecision_ms = 30000')
    told = part(record, "Statements")
    assert any(line.endswith("time | seat 1 is folded by time") for line in told)
    assert any(line.endswith("ALARM decision_time_over, the table") for line in told)


def test_cards_whose_place_was_stated_are_marked_when_the_order_is_in_doubt() -> None:
    script = (
        TWO_SEATS
        + "deal 8H>D\ncount 2 6\nsup dead 2\nraise 1\nclose\nhand 1 QH QD 9S 5C 2D\nhand D AD KD 6H 5S 2H\n"
    )
    cards = part(played(script + "reveal"), "Cards")
    assert cards[0].startswith("1 QH 1! | 2 JC 2? | 3 AD D!")
    assert cards[-1].startswith("The order was in doubt")


def test_a_relief_of_the_dealer_is_on_the_record() -> None:
    table = Sitting('preset = "us_standard"')
    for operator in ("ann", "bob"):
        table.send(m.Said(m.LogOn(), operator, "dealer"))
    assert "dealer | ann, then bob" in part(table.record(), "Round")


def test_every_word_has_a_sentence_that_fits_its_fields() -> None:
    words = (*get_args(m.AnyEvent), *get_args(m.AnyCommand), *get_args(m.AnyFact))
    structs = {kind.__name__: kind for kind in words}
    assert COMMANDS.keys() == {kind.__name__ for kind in get_args(m.AnyCommand)}
    assert {kind.__name__ for kind in get_args(m.AnyFact)} - FACTS.keys() <= UNTOLD | {"HoldPlaced"}
    for name, sentence in {**EVENTS, **COMMANDS, **FACTS}.items():
        fields = set(structs[name].__struct_fields__)
        assert {field for _, field, _, _ in Formatter().parse(sentence) if field} <= fields, name


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (m.ClockSet(-3_600_000), "the wall clock is set by -3600.000 s; the order of entries stays"),
        (m.TrySeat(3), "tries lamp and slot of seat 3"),
        (m.TrySeat(0), "tries lamp and slot of no seat"),
        (m.ConfirmAward(2), "confirms the award at seat 2"),
        (
            m.CorrectMeter("reserve", 5_000, "seed_recovered", "A-2"),
            "says that the reserve must show 50.00 (seed_recovered), approval A-2",
        ),
        (
            m.HouseChanged("limits.minimum", "", "10.00", "A-7"),
            "the files say something else at limits.minimum: 10.00, before nothing, approval A-7",
        ),
        (
            m.MeterCorrected("meter", 900, 800, "display_wrong", "A-1", ("ann", "ben"), "sign showed 8"),
            "the meter is corrected from 9.00 to 8.00 by ann and ben (display_wrong), approval A-1; "
            "why: sign showed 8",
        ),
        (
            m.WalkRecorded(False, ("key.lock",), (), "ann"),
            "keys and lamps DO NOT ALL WORK; not tried: key.lock; failed: none",
        ),
        (
            m.HitDecided("T1-A000001", "confirm", ("ann", "ben"), "seen", "3", True),
            "award T1-A000001: confirmed by ann and ben, camera 3; why: seen",
        ),
    ],
)
def test_a_word_of_the_books_is_told_as_an_inspector_reads_it(message: m.Message, told: str) -> None:
    assert message_words(message) == told


def test_what_happens_between_two_rounds_stands_at_the_end_of_the_first() -> None:
    sitting = Sitting('preset = "us_standard"').script(PLAYED)
    sitting.send(m.ClockSet(3_600_000))
    sitting.word(m.BeginTrial("the laboratory, by mail"), "ann")
    sitting.word(m.TrySeat(1), "ann")
    sitting.word(m.LampSeen(1), "ann")
    sitting.send(m.KeyPressed("lock"))
    sitting.word(m.EndTrial(), "ann")
    sitting.both(m.CorrectMeter("meter", 1_000_000, "display_wrong", "A-1"))
    told = [" | ".join(line.split(" | ")[3:]) for line in part(sitting.record(), "Statements")]
    assert told[-10:-3] == [
        "service | the wall clock is set by +3600.000 s; the order of entries stays",
        "supervisor ann | begins a trial of the table, notified: the laboratory, by mail; why: because",
        "supervisor ann | tries lamp and slot of seat 1; why: because",
        "supervisor ann | has seen the lamp of seat 1 lit; why: because",
        "key pad | tried and well: key.lock",
        "supervisor ann | ends the trial of the table; why: because",
        "supervisor ann | keys and lamps DO NOT ALL WORK; not tried: key.close, key.reveal, key.clear, "
        "key.open, lamp.2, lamp.3, lamp.4, lamp.5, lamp.6, lamp.7; failed: none",
    ]
    assert told[-1] == (
        "dealer ben | the meter is corrected from 10000.49 to 10000.00 by ann and ben (display_wrong), "
        "approval A-1; why: because"
    )
    assert part(sitting.record(), "Meter")[-1].startswith("correction, entry ")


def test_the_gaming_day_and_the_program_stand_at_the_head() -> None:
    sitting = Sitting('preset = "us_standard"', gaming_day=True)
    for command in (m.OpenDay(), m.ChangeShift("night")):
        sitting.word(command)
    sitting.script("open")
    sitting.send(msgspec.structs.replace(sitting.started(), software="0.2", manifest="ab12"))
    head = part(sitting.record(), "Round")
    assert "gaming day | 1, shift night" in head
    assert "software | test, then 0.2 ab12" in head
    assert any("ANOTHER PROGRAM runs: 0.2 ab12" in line for line in part(sitting.record(), "Statements"))


# ---------------------------------------------------------------- what the record may not show


def test_no_card_that_lies_face_down_is_on_the_record_at_any_moment() -> None:
    sitting = Sitting('preset = "us_standard"').script(
        TWO_SEATS
        + "move KD D\ncount 1 5\nexposed QD\nsup withdraw\nraise 1\nfold 2\nclose\nhand 1 QH QD 9S 5C 2D"
    )
    entries = sitting.entries()
    shown = set()
    for end in range(4, len(entries) + 1):
        record = round_record(entries[:end], sitting.state.round)
        assert record.unfinished
        shown |= faces(record_text(record)) | faces(record_html(record))
    # The dealer's last card lies face up; a hand that was stated stays hidden until it is settled.
    assert shown == {"2H"}


def test_a_stated_hand_does_not_tell_which_hidden_card_is_whose() -> None:
    script = TWO_SEATS + "deal 8H>D\ncount 1 6\nsup dead 1\nraise 2\nclose\nhand 2 JC JD 7S 6C 3D"
    sitting = Sitting('preset = "us_standard"').script(script)
    assert sitting.state.hands
    assert part(sitting.record(), "Cards")[0] == " | ".join(f"{n + 1} ## {'12D'[n % 3]}?" for n in range(6))


def test_a_difference_tells_no_face_either() -> None:
    sitting = Sitting('preset = "us_standard"').script(
        TWO_SEATS + "raise 1\nfold 2\nclose\nhand 1 QH QD 9S 5C KC"
    )
    record = round_record(forged(sitting.entries(), b"KC never left", b"KD never left"), sitting.state.round)
    assert record.differences
    assert faces(record_text(record)) == {"2H"}


def test_a_house_that_deals_face_up_shows_the_players_cards_and_not_the_dealers() -> None:
    record = played(TWO_SEATS, 'preset = "classic"')
    assert UNFINISHED in record_text(record)
    assert faces(record_text(record)) == {*"QH QD 9S 5C 2D JC JD 7S 6C 3D".split(), "2H"}


def test_after_the_settlement_every_card_that_left_the_shoe_is_shown() -> None:
    record = played(PLAYED)
    assert not record.unfinished
    assert len(faces(" ".join(part(record, "Cards")))) == 15


def test_what_people_typed_is_harmless_on_paper_and_on_a_terminal() -> None:
    sitting = Sitting('preset = "us_standard"').script(TWO_SEATS)
    sitting.send(
        m.Said(m.VoidRound(), "<b>eve</b>", "supervisor", "a\x1b[2J\n<script>alert(1)</script>" + "W" * 300)
    )
    record = sitting.record()
    page, text = record_html(record), record_text(record)
    assert "\x1b" not in text + page
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "<script" not in page
    assert "&lt;b&gt;eve&lt;/b&gt;" in page


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


def test_the_page_needs_nothing_but_itself() -> None:
    page = record_html(played(PLAYED))
    layout = {"html", "html lang", "head", "meta", "meta charset", "meta http-equiv", "meta content", "title"}
    text = {
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "section",
        "section class",
        "table",
        "thead",
        "tbody",
        "tr",
        "td",
    }
    assert Tags(page).seen == {*layout, *text, "th", "th scope"}
    assert "url(" not in page
    assert "@import" not in page


# ------------------------------------------------------------------- a record that does not fit


def forged(entries: list[Entry], old: bytes, new: bytes) -> list[Entry]:
    """The same journal with other facts and a chain that fits them, as a cheating program would write it."""
    chain, again = b"genesis", []
    for one in entries:
        facts = one.facts.replace(old, new)
        chain = chain_hash(
            chain, one.seq, one.boot, one.at_ms, one.wall_ms, one.message, facts, one.digest, one.snapshot
        )
        again.append(msgspec.structs.replace(one, facts=facts, chain=chain))
    return again


def test_a_recorded_result_that_the_rules_do_not_give_is_said_loudly() -> None:
    sitting = Sitting('preset = "us_standard"').script(PLAYED)
    entries = forged(sitting.entries(), b'"raise":"win 20.00"', b'"raise":"win 2000.00"')
    record = round_record(entries, sitting.state.round)
    assert [line.partition(": ")[2] for line in record.differences] == [
        "seat 1 raise: recorded win 2000.00, recomputed win 20.00"
    ]
    assert (
        "raise 20.00 wins 2000.00 (1 to 1, pair, is 20.00: THE RECORD DIFFERS)"
        in part(record, "Settlement")[-1]
    )
    assert record_text(record).splitlines()[2] == f"!!! {LOUD} !!!"
    page = record_html(record)
    assert page.index(LOUD) < page.index("<section")


def test_a_forged_award_is_said_loudly() -> None:
    sitting = Sitting('preset = "us_standard"').script(FLUSH_AT_SIX)
    record = round_record(
        forged(sitting.entries(), b'"cents":100004', b'"cents":900004'), sitting.state.round
    )
    assert [line.partition(", recomputed")[0].split()[3] for line in record.differences] == ["award", "AWARD"]
    assert all("9000.04" in line for line in record.differences)
    assert "9000.04 | 10% of 10000.49, is 1000.04: THE RECORD DIFFERS" in part(record, "Awards")[0]


def test_a_fact_that_is_missing_from_the_journal_is_said_loudly() -> None:
    sitting = Sitting('preset = "us_standard"').script(PLAYED)
    entries = forged(sitting.entries(), b'{"type":"SeatFolded","seat":2,"by":"dealer"},', b"")
    (line,) = round_record(entries, sitting.state.round).differences
    assert line.endswith("recorded nothing, recomputed seat 2 is folded by dealer")


def test_a_state_other_than_recorded_is_said_loudly() -> None:
    sitting = Sitting('preset = "us_standard"').script(PLAYED)
    entries = sitting.entries()
    entries[-1] = msgspec.structs.replace(entries[-1], digest=bytes(32))
    (line,) = round_record(entries, sitting.state.round).differences
    assert line == f"entry {entries[-1].seq}: the table comes to another state than recorded"


# ---------------------------------------------------------------------------- which round it is


@pytest.fixture
def three_rounds() -> Sitting:
    return Sitting('preset = "us_standard"').script((PLAYED + "\nopen\n") * 3)


def test_a_round_is_found_by_its_number_and_by_its_count_alone(three_rounds: Sitting) -> None:
    entries = three_rounds.entries()
    second = round_record(entries, "2")
    assert second.round.endswith("-000002")
    assert round_record(entries, second.round) == second == round_record(iter(entries), "000002")


def test_a_record_ends_where_the_next_round_opens(three_rounds: Sitting) -> None:
    entries = three_rounds.entries()
    first, second = round_record(entries, "1"), round_record(entries, "2")
    assert second.first_entry == first.last_entry + 1
    assert first.chain == entries[first.last_entry - 1].chain.hex()


def test_an_unknown_round_is_refused_with_those_nearest(three_rounds: Sitting) -> None:
    with pytest.raises(RoundUnknown, match=r"has 4, nearest: .*-000002, .*-000003, .*-000004"):
        round_record(three_rounds.entries(), "T1-20260921-141320-000099")
    with pytest.raises(RoundUnknown, match=r"nearest: .*-000004$"):
        round_record(three_rounds.entries(), "yesterday")
    with pytest.raises(RoundUnknown, match="the journal has no round"):
        round_record([], "9" * 5000)


def test_an_opening_without_its_snapshot_is_refused() -> None:
    entries = [msgspec.structs.replace(one, snapshot=None) for one in Sitting('preset = "us"').entries()]
    with pytest.raises(ReplayError, match="entry 4: the opening of a round carries no snapshot"):
        round_record(entries, "1")


def test_the_record_is_read_from_the_file_of_a_journal(tmp_path: Path) -> None:
    path = str(tmp_path / "T1.journal")
    journal = Journal.open(path, "T1")
    for one in Sitting('preset = "us_standard"').script(PLAYED).entries():
        journal.append(one.boot, one.at_ms, one.wall_ms, one.message, one.facts, one.digest, one.snapshot)
    journal.commit()
    head = journal.head.hex()
    journal.close()
    record = round_record(read_entries(path), "1")
    assert record.chain == head
    assert not record.differences
    assert f"  hash      {head}" in record_text(record)


@pytest.mark.parametrize("path", PLAYS, ids=[path.stem for path in PLAYS])
def test_a_play_leaves_a_record_that_tells_its_results(path: Path) -> None:
    play = parse_play(path.read_text("utf-8"), path.name)
    sitting = Sitting(play.house_rules)
    assert sitting.play(play) == []
    record = sitting.record()
    text = record_text(record)
    assert record.differences == ()
    assert "DIFFERS" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    assert Tags(record_html(record)).seen
    if not record.unfinished:
        for seat, stakes in play.expected.seats.items():
            for stake, result in stakes.items():
                assert tells(record, seat, stake, result), (seat, stake, result)


def tells(record: Record, seat: int, stake: str, result: str) -> bool:
    """The last settlement or void of a record says that of the stake, or the decision of its award does."""
    last = [one for one in record.sections if one.title in ("Settlement", "Void")][-1]
    line = next((one for one in last.lines if re.match(f"seat {seat}[ :]", one)), "")
    kind, _, amount = result.partition(" ")
    words = {
        "win": rf"\b{stake} [0-9.]+ wins {amount}\b",
        "push": f"{stake} {amount} pushes",
        "refund": f"{stake} {amount} goes back",
        "lose": f"{stake} {amount} is lost",
        "none": rf"^(?!.*\b{stake} [0-9.]+ (wins|pushes|goes back|is lost))",
    }[kind]
    if stake != "coin" or "waits for a decision" not in line:
        return re.search(words, line) is not None
    rows = [row for one in record.sections if one.title.startswith("Awards") for row in one.rows]
    mine = [row for row in rows if row[0] == str(seat)]
    paid_cents = sum(parse_money(row[2]) for row in mine if row[-1].startswith(("paid", "confirmed")))
    if kind == "win":
        return paid_cents == parse_money(amount)
    return paid_cents == 0 and (kind == "none" or any(re.search(words, row[-1]) for row in mine))
