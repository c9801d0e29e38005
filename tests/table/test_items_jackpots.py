"""What an inspector asks of a jackpot that was hit (STANDARDS.md, C and E), at the table as a pure value."""

from __future__ import annotations

import pytest

from table_controller.table import messages as m
from table_controller.table.hits import OWED_MAX
from table_controller.table.state import decode_state, encode_state
from table_controller.table.views import Snapshot, snapshot
from tests.table.rounds import FLUSH, FOUR, NOTHING, ROYAL, STRAIGHT_FLUSH, counted, revealed
from tests.table.tabletop import TableTop

US = 'preset = "us"\n'
HIT = {1: NOTHING, 3: ROYAL}
DOCUMENT = "T1-A000001"
HELD = revealed(HIT) + counted(HIT)
CONFIRMED = HELD + "sup confirm 3"


def view(table: TableTop) -> Snapshot:
    return snapshot(table.house, table.state, table.at_ms)


def holds(table: TableTop) -> list[str]:
    return [hold.reason for hold in table.state.holds]


def power_cut(table: TableTop) -> None:
    """The service dies and starts again on what was committed."""
    table.state = decode_state(encode_state(table.state))
    table.send(table.started())
    table.send(m.ShoeFound(7, table.state.shoe_next_seq))


# ------------------------------------------------------------------------------- shown (20, 23)


def test_item_20_a_hit_is_shown_with_its_amount_its_seat_and_table_and_the_new_value() -> None:
    seen = view(TableTop(US).run(CONFIRMED))
    (award,) = seen.awards
    assert (award.seat, award.hand, award.cents, award.status) == (3, "royal_flush", 1_000_098, "paid")
    assert award.document == DOCUMENT
    assert DOCUMENT.startswith("T1")
    assert seen.meter is not None
    assert seen.meter.cents == 1_000_000


def test_item_23_a_hit_that_waits_is_shown_as_pending_and_says_what_ends_it() -> None:
    seen = view(TableTop(US).run(HELD))
    (award,) = seen.awards
    assert (award.seat, award.cents, award.status) == (3, 1_000_098, "waits")
    assert seen.seats[2].results["coin"] == "waits"
    assert seen.hold_ends == {"jackpot_hold": "a confirm or a reject of each award by two people, or a void"}
    assert seen.meter is not None
    # A table alone still shows the money that is being waited for.
    assert seen.meter.cents == 1_000_098


# ----------------------------------------------------------------------- order and loss (34, 36)


def test_item_34_wins_of_one_round_are_recorded_in_the_order_in_which_they_are_paid() -> None:
    table = TableTop(US).run(revealed({1: FLUSH, 2: ROYAL, 5: STRAIGHT_FLUSH}))
    told = [(hit.document, hit.seat) for hit in table.told(m.HitRecorded)]
    assert told == [("T1-A000001", 5), ("T1-A000002", 2), ("T1-A000003", 1)]


def test_item_34_a_document_number_is_never_given_twice() -> None:
    table = TableTop(US).run(revealed(HIT) + "sup void\nsup reject 3\nclear\nopen\n" + CONFIRMED)
    told = [(hit.document, hit.round[-6:]) for hit in table.told(m.HitRecorded)]
    assert told == [("T1-A000001", "000001"), ("T1-A000002", "000001"), ("T1-A000003", "000002")]
    assert table.told(m.HitWithdrawn) == [m.HitWithdrawn("T1-A000001")]


def test_item_36_a_hit_that_waits_survives_every_loss_of_power() -> None:
    table = TableTop(US).run(HELD)
    waiting = table.state.awards
    for _ in range(3):
        power_cut(table)
    assert table.state.awards == waiting
    assert holds(table) == ["jackpot_hold"]
    table.run("clear\nsee refused\nopen\nsee refused")


def test_item_36_a_confirmed_award_is_owed_over_rounds_days_and_starts_until_it_is_paid() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.OpenDay())
    table.run(
        "open\n" + CONFIRMED + "\nclear\nopen\n" + revealed({2: NOTHING}) + "sup void\nsee refused\nclear"
    )
    assert table.word(m.CloseDay()) == ""
    power_cut(table)
    assert [(owed.document, owed.seat, owed.cents) for owed in view(table).owed] == [(DOCUMENT, 3, 1_000_098)]
    assert table.word(m.PayHit(DOCUMENT, "cage")) == ""
    assert view(table).owed == ()
    assert table.told(m.HitPaid) == [m.HitPaid(DOCUMENT, 1_000_098, "cage", "ann")]
    assert (
        table.word(m.PayHit(DOCUMENT, "cage")) == f"no confirmed award with the document {DOCUMENT} is unpaid"
    )


# ------------------------------------------------------------------------ locked, frozen (38, 39)


def test_item_38_no_round_is_opened_while_a_prize_waits_for_people() -> None:
    table = TableTop(US).run(HELD + "clear\nsee refused\nopen\nsee refused\nsup resume\nsee refused")
    assert table.refused.startswith("jackpot_hold: what ends it is")
    assert holds(table) == ["jackpot_hold"]
    table.run("sup confirm 3\nclear\nopen\nsee phase betting")


def test_item_38_a_gaming_day_is_not_closed_over_a_prize_that_waits() -> None:
    table = TableTop(US, gaming_day=True)
    table.word(m.OpenDay())
    table.run("open\n" + HELD)
    assert table.word(m.CloseDay()) != ""


def test_item_38_a_table_that_owes_too_many_prizes_opens_no_round() -> None:
    table = TableTop(US).run(CONFIRMED + "\nclear")
    assert table.state.books is not None
    (owed,) = table.state.books.owed.values()
    many = {f"T1-B{number:06}": owed for number in range(1, OWED_MAX)}
    table.state.books.owed |= many
    table.run("open\nsee refused")
    assert table.refused == "100 confirmed awards are unpaid: one must be paid first"
    assert table.word(m.PayHit("T1-B000001", "table")) == ""
    table.run("open\nsee phase betting")


@pytest.mark.parametrize(
    "script", ["coin 2", "fault meter_down", "fault display_down", "stub 9", "lift raise 3"]
)
def test_item_39_the_value_of_a_prize_that_waits_is_frozen(script: str) -> None:
    table = TableTop(US + 'parameter_change = "after_next_hit"\n').run(revealed(HIT))
    (waiting,) = table.state.awards
    table.run(script)
    assert table.word(m.SetParameter("reset", "20000.00", "A-7")) == ""
    power_cut(table)
    assert [one.award for one in table.state.awards] == [waiting.award]
    assert table.both(m.CorrectMeter("meter", 1_500_000, "added_by_house", "A-8")) != ""
    table.run(counted(HIT) + "sup confirm 3")
    assert [(paid.seat, paid.cents) for paid in table.told(m.AwardPaid)] == [(3, 1_000_098)]


# -------------------------------------------------------------------------------- proof (40)


def test_item_40_a_prize_is_confirmed_only_on_a_complete_deck() -> None:
    table = TableTop(US).run(
        revealed(HIT) + "sup confirm 3\nsee refused\nstub 36\nsup confirm 3\nsee refused"
    )
    assert table.refused == "the rest of the deck must be counted complete first"
    assert table.alarms == ["jackpot_hold", "deck_short"]
    table.run("stub 37\nsup confirm 3\nclear")


def test_item_40_a_prize_is_confirmed_by_two_names_of_whom_one_is_a_supervisors() -> None:
    table = TableTop(US).run(HELD)
    confirm = m.ConfirmAward(3)
    assert table.word(confirm, "", "supervisor") == "an award is decided by people with a name"
    assert table.word(confirm, "dan", "dealer") == ""
    assert table.word(confirm, "dan", "supervisor") == "dan has said so already: a second person is needed"
    assert table.word(confirm, "eve", "dealer") == "one of the two must be a supervisor"
    assert holds(table) == ["jackpot_hold"]
    assert table.word(confirm, "ann", "supervisor") == ""
    assert holds(table) == []


@pytest.mark.parametrize("again", ["ann ", " ann", "Ann", "ANN"])
def test_item_40_one_person_is_not_two_by_writing_the_name_otherwise(again: str) -> None:
    table = TableTop(US).run(HELD)
    assert table.word(m.ConfirmAward(3), "ann") == ""
    assert table.word(m.ConfirmAward(3), again) != ""
    assert holds(table) == ["jackpot_hold"]


def test_item_40_the_record_of_a_hit_holds_the_cards_the_value_and_where_the_pictures_are() -> None:
    table = TableTop(US).run(HELD)
    table.word(m.ConfirmAward(3), reason="hand and deck shown")
    table.word(m.ConfirmAward(3, "camera 4, 14:13"), "ben", "dealer", "seen by me too")
    assert table.told(m.HitRecorded) == [
        m.HitRecorded(
            document=DOCUMENT,
            round=table.state.round,
            seat=3,
            hand="royal_flush",
            kind="royal",
            cards=("TH", "JH", "QH", "KH", "AH"),
            meter_cents=1_000_098,
            cents=1_000_098,
            take_cents=1_000_098,
            house_cents=0,
            waits=True,
        )
    ]
    assert table.told(m.HitDecided) == [
        m.HitDecided(DOCUMENT, "confirm", ("ann", "ben"), "seen by me too", "camera 4, 14:13", True)
    ]
    assert table.told(m.MeterReset) == [m.MeterReset(1_000_000, 1_000_000, 0)]


def test_item_40_without_the_second_person_the_record_stays_open() -> None:
    table = TableTop(US).run(HELD)
    table.word(m.ConfirmAward(3))
    power_cut(table)
    assert [one.status for one in table.state.awards] == ["waits"]
    assert table.told(m.HitDecided) == []
    assert view(table).owed == ()


def test_item_40_a_rejected_prize_stays_on_record_and_is_never_owed() -> None:
    table = TableTop(US).run(HELD + "sup reject 3")
    assert table.told(m.HitDecided) == [
        m.HitDecided(DOCUMENT, "reject", ("supervisor", "witness"), "play", "", True)
    ]
    assert table.told(m.AwardRejected) == [m.AwardRejected(3, "royal_flush", 1_000_098)]
    assert view(table).owed == ()
    assert table.word(m.PayHit(DOCUMENT, "table")) != ""


# -------------------------------------------------------------------------------- withheld (45)


def test_item_45_an_award_is_withheld_for_a_check_and_released_before_it_is_paid() -> None:
    table = TableTop(US).run(CONFIRMED)
    assert table.word(m.WithholdHit(DOCUMENT, "tax"), reason="form signed, number missing") == ""
    (owed,) = view(table).owed
    assert (owed.cents, owed.hold) == (1_000_098, "tax")
    assert (
        table.word(m.PayHit(DOCUMENT, "cage")) == f"{DOCUMENT} is withheld (tax): it must be released first"
    )
    power_cut(table)
    assert table.word(m.ReleaseHit(DOCUMENT), "eve", reason="number given") == ""
    assert table.word(m.PayHit(DOCUMENT, "cage")) == ""
    assert [
        type(fact) for fact in table.facts if isinstance(fact, m.HitWithheld | m.HitReleased | m.HitPaid)
    ] == [
        m.HitWithheld,
        m.HitReleased,
        m.HitPaid,
    ]
    assert table.told(m.HitWithheld) == [m.HitWithheld(DOCUMENT, "tax", "ann", "form signed, number missing")]
    assert table.told(m.HitReleased) == [m.HitReleased(DOCUMENT, "eve", "number given")]


def test_item_45_a_check_neither_holds_the_table_nor_loses_the_award() -> None:
    table = TableTop(US).run(CONFIRMED)
    table.word(m.WithholdHit(DOCUMENT, "identity"))
    table.run("clear\nopen\n" + revealed({1: FOUR}) + "stub 42\nsup reject 1\nclear")
    assert [(owed.document, owed.hold) for owed in view(table).owed] == [(DOCUMENT, "identity")]


@pytest.mark.parametrize(
    ("before", "command", "refused"),
    [
        (m.WithholdHit(DOCUMENT, "tax"), m.WithholdHit(DOCUMENT, "other"), "is withheld already (tax)"),
        (m.WithholdHit("T1-A000009", "tax"), m.ReleaseHit(DOCUMENT), "is not withheld"),
        (m.PayHit(DOCUMENT, "table"), m.WithholdHit(DOCUMENT, "tax"), "is unpaid"),
        (m.PayHit(DOCUMENT, "table"), m.ReleaseHit(DOCUMENT), "is unpaid"),
        (m.PayHit(DOCUMENT, "table"), m.PayHit(DOCUMENT, "cage"), "is unpaid"),
    ],
)
def test_item_45_what_cannot_be_done_to_an_award_is_refused(
    before: m.AnyCommand, command: m.AnyCommand, refused: str
) -> None:
    table = TableTop(US).run(CONFIRMED)
    table.word(before)
    assert refused in table.word(command)


def test_item_45_an_award_that_is_not_confirmed_is_neither_paid_nor_withheld() -> None:
    table = TableTop(US).run(HELD)
    for command in (m.PayHit(DOCUMENT, "table"), m.WithholdHit(DOCUMENT, "tax"), m.ReleaseHit(DOCUMENT)):
        assert table.word(command) == f"no confirmed award with the document {DOCUMENT} is unpaid"


def test_item_45_a_slip_that_is_taken_back_takes_no_payment_back() -> None:
    table = TableTop(US).run(CONFIRMED + "\nclear\nopen\nante 1 10.00\nante 1 100.00")
    assert table.word(m.PayHit(DOCUMENT, "table")) == ""
    table.run("sup withdraw")
    assert table.state.seat(1).ante.cents == 1_000
    assert view(table).owed == ()
