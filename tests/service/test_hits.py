"""The log of hits and the slip of an award: every field is there, and nothing ever leaves the log."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from table_controller.audit.hits import LAST, Hit, HitLog, chosen, hit_log
from table_controller.audit.hits_page import HEADS, READ_ONLY, hits_csv, hits_json, hits_text
from table_controller.audit.slip import amount_words, slip_html, slip_text
from table_controller.journal import JournalRefused
from table_controller.table import messages as m
from tests.service.gaming_day import RULES, GamingDay, a_day, write


@pytest.fixture(scope="module")
def day() -> GamingDay:
    return a_day()


@pytest.fixture(scope="module")
def log(day: GamingDay, tmp_path_factory: pytest.TempPathFactory) -> HitLog:
    return hit_log([day.write(tmp_path_factory.mktemp("journals") / "T1.journal")])


def logged(table: GamingDay, folder: Path) -> tuple[Hit, ...]:
    return hit_log([table.write(folder / "T1.journal")]).hits


# --------------------------------------------------------------------------------------- the log


def test_item_41_every_field_of_a_hit_is_in_the_log(log: HitLog, day: GamingDay) -> None:
    at_once, confirmed, rejected, royal = log.hits
    assert (confirmed.document, confirmed.table, confirmed.seat) == ("T1-A000002", "T1", 2)
    assert confirmed.round.endswith("-000002")
    assert (confirmed.hand, confirmed.cards) == ("straight_flush", ("5H", "6H", "7H", "8H", "9H"))
    assert (confirmed.meter_cents, confirmed.cents, confirmed.take_cents) == (1_000_066, 100_006, 100_006)
    assert (confirmed.decided_by, confirmed.camera) == (("sue", "ben"), "cam 4, tape 17")
    assert (confirmed.paid_by, confirmed.paid_at, confirmed.status) == ("cara", "cage", "paid")
    assert confirmed.stub_cards == 42
    found = next(one for one in day.entries() if b"T1-A000002" in one.facts)
    assert (confirmed.entry, confirmed.wall_ms) == (found.seq, found.wall_ms)
    assert confirmed.decided_ms is not None
    assert confirmed.seconded_ms == confirmed.decided_ms - 30_000
    assert (at_once.paid_by, at_once.paid_at, at_once.house_cents) == ("ann", "table, at once", 0)
    assert (royal.reset_cents, royal.meter_after_cents, royal.paid_at) == (1_000_000, 1_000_002, "table")
    assert (rejected.status, rejected.reason, rejected.paid_by) == ("rejected", "seven cards in the hand", "")


def test_item_41_the_log_shows_the_last_25_and_cannot_be_edited(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).said(m.LogOn(), "ann", "dealer")
    for _ in range(30):
        table.played("flush")
    whole = hit_log([table.write(tmp_path / "T1.journal")])
    shown = chosen(whole)
    assert [one.document for one in shown.hits] == [f"T1-A{number:06}" for number in range(6, 31)]
    assert len(shown.hits) == LAST
    assert chosen(whole, None).hits == whole.hits
    text = hits_text(shown)
    assert READ_ONLY in text
    assert whole.files[0].head in text
    assert "25 of 30 hits" in text


def test_hits_from_an_amount_on_are_chosen(log: HitLog) -> None:
    assert [one.document for one in chosen(log, least_cents=90_009).hits] == [
        *("T1-A000002", "T1-A000003", "T1-A000004"),
    ]
    assert chosen(log, 1, 90_009).hits == log.hits[-1:]
    assert chosen(log, 0).hits == ()


def test_item_45_a_withheld_payment_keeps_its_reasons_and_its_release(log: HitLog) -> None:
    checks = log.hits[1].checks
    assert [(one.what, one.hold, one.operator, one.reason) for one in checks] == [
        ("withheld", "tax", "sue", "no tax number"),
        ("released", "tax", "sue", "form filled in"),
    ]
    assert "withheld (tax) by sue: no tax number" in hits_text(log)


def test_item_45_an_award_that_is_withheld_is_not_paid(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).played("straight flush")
    table.said(m.WithholdHit("T1-A000001", "identity"), reason="no passport")
    (hit,) = logged(table, tmp_path)
    assert (hit.status, hit.paid_by) == ("withheld", "")
    assert "PAYMENT WITHHELD (identity)" in slip_text(hit)


def test_an_award_that_is_owed_when_a_file_ends_sends_its_reader_to_the_later_files(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).played("straight flush")
    (hit,) = logged(table, tmp_path)
    assert hit.status == "owed"
    assert hit.known_until.startswith("T1.journal ended, entry ")
    assert "ask the later files before you pay" in " ".join(slip_text(hit).split())
    table.said(m.PayHit("T1-A000001", "cage"))
    (hit,) = logged(table, tmp_path)
    assert (hit.status, hit.known_until) == ("paid", "")
    assert "later files" not in slip_text(hit)


def test_item_38_an_award_waits_in_the_log_until_two_people_decide(tmp_path: Path) -> None:
    (hit,) = logged(GamingDay().said(m.OpenDay()).to_reveal("straight flush"), tmp_path)
    assert (hit.status, hit.decided_by, hit.paid_ms) == ("waits", (), None)
    assert "NOT DECIDED" in slip_text(hit)


def test_an_award_of_a_void_round_stays_with_the_reason_of_the_void(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).to_reveal("straight flush").words("sup void")
    first, second = logged(table, tmp_path)
    assert (first.status, first.reason) == ("withdrawn", "play")
    assert second.status == "waits"
    assert "WITHDRAWN" in slip_text(first)


def test_item_42_everybody_who_shares_a_royal_has_a_document_and_its_reset(tmp_path: Path) -> None:
    rules = RULES + 'royal_split = "shared_by_bettors"\njackpot_verify = "none"'
    table = GamingDay(rules).said(m.OpenDay())
    table.words(
        "open\nante 1 10.00\ncoin 1\nante 2 10.00\ncoin 2\nlock\n"
        "deal TH>1 2S>2 2D>D JH>1 3S>2 3D>D QH>1 5S>2 5D>D KH>1 7C>2 7D>D AH>1 9C>2 9D>D\n"
        "raise 1\nraise 2\nclose\nreveal"
    )
    table.both_say(m.ConfirmAward(1), "seen")
    hits = logged(table, tmp_path)
    assert {(one.seat, one.kind, one.cents, one.reset_cents) for one in hits} == {
        (1, "royal", 500_033, 1_000_000),
        (2, "share", 500_033, 1_000_000),
    }


def test_the_log_goes_over_the_days_in_their_order(day: GamingDay, log: HitLog, tmp_path: Path) -> None:
    old = day.write(tmp_path / "T1-day-000001.journal")
    head = hit_log([old]).files[0].head
    after = day.carried_on("T1-day-000001.journal", head).said(m.OpenDay()).played("flush")
    new = after.write(tmp_path / "T1.journal")
    both = hit_log([new, old, new])
    assert [one.name for one in both.files] == ["T1-day-000001.journal", "T1.journal"]
    assert [one.document[-1] for one in both.hits] == ["1", "2", "3", "4", "5"]
    assert both.hits[-1].file == "T1.journal"
    assert both.gaps == ()


def test_an_award_is_paid_in_the_file_of_another_day(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).played("straight flush").said(m.CloseDay())
    old = table.write(tmp_path / "T1-day-000001.journal")
    after = table.carried_on("T1-day-000001.journal", hit_log([old]).files[0].head)
    after.said(m.PayHit("T1-A000001", "cage"), "cara")
    (hit,) = hit_log([old, after.write(tmp_path / "T1.journal")]).hits
    assert (hit.status, hit.paid_by, hit.file) == ("paid", "cara", "T1-day-000001.journal")


def test_a_day_that_is_missing_is_told(day: GamingDay, tmp_path: Path) -> None:
    after = day.carried_on("T1-day-000001.journal", "ab" * 32).said(m.OpenDay()).played("flush")
    text = hits_text(hit_log([after.write(tmp_path / "T1.journal")]))
    assert "MISSING: T1.journal goes on from T1-day-000001.journal, which is not among these files" in text


def test_documents_that_are_missing_between_two_files_are_told(day: GamingDay, tmp_path: Path) -> None:
    between = day.carried_on("one", "ab" * 32).said(m.OpenDay()).played("flush").said(m.CloseDay())
    after = between.carried_on("two", "cd" * 32).said(m.OpenDay()).played("flush")
    paths = [day.write(tmp_path / "1.journal"), after.write(tmp_path / "3.journal")]
    assert "documents T1-A000005 to T1-A000005 are not in these files" in hit_log(paths).gaps


def test_item_58_a_file_that_was_changed_gives_no_log(day: GamingDay, tmp_path: Path) -> None:
    entries = day.entries()
    entries[50] = msgspec.structs.replace(entries[50], wall_ms=0)
    path = write(tmp_path / "T1.journal", entries)
    assert hit_log([path]).found == 4
    with open(path, "r+b") as file:
        data = file.read()
        file.seek(data.index(b"seven cards in the hand"))
        file.write(b"eight")
    with pytest.raises(JournalRefused, match="was changed"):
        hit_log([path])


def test_the_log_for_a_spreadsheet_has_every_field(log: HitLog) -> None:
    rows = list(csv.DictReader(io.StringIO(hits_csv(log), newline="")))
    assert tuple(rows[0]) == HEADS
    assert [row["status"] for row in rows] == ["paid", "paid", "rejected", "paid"]
    assert (rows[0]["fixed_by_house"], rows[3]["reset"], rows[1]["second"]) == ("50.00", "10000.00", "ben")
    assert msgspec.json.decode(hits_json(log), type=HitLog) == log


def test_a_table_without_hits_has_an_empty_log(tmp_path: Path) -> None:
    empty = hit_log([GamingDay().write(tmp_path / "T1.journal")])
    assert empty.hits == ()
    assert "no hit" in hits_text(empty)


# -------------------------------------------------------------------------------------- the slip


def test_item_40_a_slip_has_hand_deck_camera_and_the_two_who_confirmed(log: HitLog) -> None:
    slip = slip_text(log.hits[1])
    for line in (
        "Cards                             5H 6H 7H 8H 9H",
        "Deck count                        42 cards in the rest of the deck",
        "Camera                            cam 4, tape 17",
        "Confirmed by, first               sue, 2026-09-21 14:16:41 UTC",
        "Confirmed by, second              ben, 2026-09-21 14:17:11 UTC",
    ):
        assert line in slip


def test_item_41_a_slip_has_the_amount_in_figures_and_words_and_the_hash_of_its_entry(log: HitLog) -> None:
    hit = log.hits[3]
    for text in (slip_text(hit), slip_html(hit)):
        for part in ("T1-A000004", "9001.27", "nine thousand one units and twenty-seven cents", "10000.00"):
            assert part in text
        assert hit.chain in text
        assert "Received by the player" in text
        assert "Tax withheld" in text


def test_the_slip_of_a_rejected_award_says_so_and_asks_for_no_payment(log: HitLog) -> None:
    slip, page = slip_text(log.hits[2]), slip_html(log.hits[2])
    assert slip.splitlines()[2] == "*** REJECTED: seven cards in the hand ***"
    assert page.index("REJECTED: seven cards in the hand") < page.index("<section")
    assert "Received by the player" not in slip + page


@pytest.mark.parametrize(
    ("cents", "words"),
    [
        (0, "no units and no cents"),
        (101, "one unit and one cent"),
        (1_999, "nineteen units and ninety-nine cents"),
        (10_020, "one hundred units and twenty cents"),
        (12_100, "one hundred and twenty-one units and no cents"),
        (100_000_000, "one million units and no cents"),
        (
            99_999_999_999_999,
            "nine hundred and ninety-nine billion nine hundred and ninety-nine million nine hundred and"
            " ninety-nine thousand nine hundred and ninety-nine units and ninety-nine cents",
        ),
    ],
)
def test_an_amount_is_written_in_words(cents: int, words: str) -> None:
    assert amount_words(cents) == words


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


def test_what_people_typed_is_harmless_on_the_slip(tmp_path: Path) -> None:
    table = GamingDay().said(m.OpenDay()).to_reveal("straight flush").words("stub 42")
    table.both_say(m.RejectAward(1), "<script>alert(1)</script>\x1b[2J")
    (hit,) = logged(table, tmp_path)
    page = slip_html(hit)
    assert "\x1b" not in page + slip_text(hit) + hits_text(hit_log([str(tmp_path / "T1.journal")]))
    layout = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "div", "section"}
    assert Tags(page).seen == {*layout, "table", "tr", "th", "td"}
    assert "url(" not in page
