"""What proves a round in a dispute: documents of awards, and for a claim what slot and lamp did."""

from __future__ import annotations

import msgspec

from table_controller.record import Record, round_record
from table_controller.record_page import record_text
from table_controller.table import messages as m
from tests.service.test_record import FLUSH_AT_SIX, TWO_SEATS, Sitting, faces, part, played

# ------------------------------------------------------------------------------------- documents


def test_item_41_an_award_tells_its_document_who_decided_it_why_and_where_the_pictures_are() -> None:
    sitting = Sitting('preset = "us_standard"').script(FLUSH_AT_SIX + "stub 42")
    sitting.word(m.ConfirmAward(6, "3, 14:02"), "ann", "supervisor", "hand and lamp seen")
    sitting.word(m.ConfirmAward(6), "ben", "dealer", "")
    sitting.word(m.WithholdHit("T1-A000001", "tax"), "ann", "supervisor", "form W-2G")
    told = part(sitting.record(), "Awards")
    assert told[0].endswith("confirmed by supervisor ann and dealer ben")
    story = (
        "T1-A000001: seat 6, straight flush, 5H 6H 7H 8H 9H, 1000.04, the meter at 10000.49; first confirmed "
        "by supervisor ann, why: hand and lamp seen, camera 3, 14:02; then confirmed by dealer ben; "
        "withheld by ann for a check (tax), why: form W-2G; "
    )
    assert told[1] == story + "not paid in this round."
    sitting.word(m.ReleaseHit("T1-A000001"), "ann", "supervisor", "signed")
    sitting.word(m.PayHit("T1-A000001", "cage"), "cee", "supervisor", "slip 7")
    assert part(sitting.record(), "Awards")[1] == (
        story + "released by ann, why: signed; paid at the cage by cee: 1000.04."
    )
    said = [line.split(" | ")[-1] for line in part(sitting.record(), "Statements")]
    assert said[-2:] == [
        "pays the award T1-A000001 at the cage; why: slip 7",
        "award T1-A000001: 1000.04 is paid at the cage by cee",
    ]


def test_an_award_of_a_void_round_keeps_its_first_document() -> None:
    told = part(played(FLUSH_AT_SIX + "sup void"), "Awards")
    assert [line.partition(":")[0] for line in told[-2:]] == ["T1-A000001", "T1-A000002"]
    assert told[-2].endswith("taken back: the round is void.")
    assert told[-1].endswith("waits for two people.")


def test_an_award_paid_in_a_later_round_is_told_there_by_its_document() -> None:
    sitting = Sitting('preset = "us_standard"').script(FLUSH_AT_SIX + "stub 42\nsup confirm 6\nclear\nopen")
    sitting.word(m.PayHit("T1-A000001", "table"), "cee", "supervisor", "slip 7")
    entries = sitting.entries()
    assert part(round_record(entries, "1"), "Awards")[1].endswith("not paid in this round.")
    later = round_record(entries, "2")
    assert part(later, "Statements")[-1].endswith("award T1-A000001: 1000.04 is paid at the table by cee")
    assert part(later, "Awards") == []


# ------------------------------------------------------------------------- claims: slot and lamp


def claim(before: str, after: str = "", claims: str = "claim 3", rules: str = "") -> Record:
    """Seats 1 and 3 play; what happens at the slots before LOCK and after it; then a coin is claimed."""
    script = f"ante 1 10.00\nante 3 10.00\n{before}\nlock\n{after}\n{claims}"
    return played(script, f'preset = "us_standard"\n{rules}')


def slot(record: Record, seat: int = 3) -> list[str]:
    """What happened at a slot that is claimed, without times."""
    return [line.split(" | ")[-1] for line in part(record, f"Claim of seat {seat}")]


def test_item_24_a_claim_with_a_dark_lamp_is_answered_with_what_slot_and_lamp_did() -> None:
    record = claim("coin 1")
    assert slot(record) == [
        "at the opening the lamp is dark",
        "at LOCK the lamp is dark",
        "CLAIM, told by dealer dealer, why: play",
        "Nothing passed the beams of this slot in this round.",
    ]
    assert part(record, "Bets")[1].startswith("3 | 10.00 | - | - | off")
    assert "light_off_claim no_bet" in part(record, "House rules")[0]
    assert part(record, "Claim of seat 1") == []


def test_item_24_a_coin_is_told_with_the_times_of_its_beams_and_the_light_it_made() -> None:
    sitting = Sitting('preset = "us_standard"').script("ante 3 10.00")
    sitting.send(m.CoinFaulted(3, "reverse", (9_001, 15_000)))
    sitting.send(m.CoinDropped(3, (8_000, 12_345, 7_900)))
    sitting.script("lock\nclaim 3")
    assert slot(sitting.record()) == [
        "at the opening the lamp is dark",
        "no coin, reverse: 9.001 ms, 15.000 ms",
        "a coin passed the beams: upper beam dark 8.000 ms, both 12.345 ms, lower beam 7.900 ms; "
        "the coin is taken; the lamp is lit",
        "the coin is a bet; at LOCK the lamp is lit",
        "CLAIM, told by dealer dealer, why: play",
    ]


def test_item_15_a_late_coin_is_on_the_record_of_a_claim_and_moves_no_meter() -> None:
    record = claim("coin 1", "coin 3")
    assert slot(record)[2] == ("a coin passed the beams, times not recorded; the coin goes back: late")
    assert "Nothing passed" not in "".join(slot(record))
    assert [line.split(" | ")[1] for line in part(record, "Meter")] == ["10000.00", "10000.49"]


def test_item_16_tokens_that_differ_from_the_lamps_stand_beside_the_claim() -> None:
    record = claim("coin 1", "tokens 2", rules='token_count = "required"')
    told = "\n".join(part(record, "Statements"))
    assert "2 tokens counted in the chute" in told
    assert "HOLD token_count" in told
    assert slot(record)[-1] == "Nothing passed the beams of this slot in this round."


def test_a_dead_lamp_is_told_to_who_claims_under_it() -> None:
    record = claim("fault lamp_dead 3\ncoin 3")
    assert "the sense line contradicts the lamp" in slot(record)
    assert "the coin is a bet; at LOCK the lamp is lit" in slot(record)


def test_a_coin_without_an_ante_goes_back_at_lock_and_its_lamp_stays_dark() -> None:
    record = claim("coin 5", claims="claim 5\nclaim 5")
    assert slot(record, 5)[1:3] == [
        "a coin passed the beams, times not recorded; the coin is taken",
        "the coin goes back: no ante; at LOCK the lamp is dark",
    ]
    assert len([one for one in record.sections if one.title == "Claim of seat 5"]) == 1


def test_a_claim_that_is_refused_is_no_claim() -> None:
    sitting = Sitting('preset = "us_standard"', seats=3).script("ante 1 10.00\nlock")
    sitting.word(m.Claim(5))
    assert part(sitting.record(), "Claim") == []


def test_what_a_player_says_in_a_claim_shows_no_face_that_lies_down() -> None:
    sitting = Sitting('preset = "us_standard"').script(TWO_SEATS)
    sitting.word(m.Claim(1), reason="he says that QH QD are worth it")
    record = sitting.record()
    assert slot(record, 1)[2] == "CLAIM, told by supervisor ann, why: he says that ## ## are worth it"
    assert faces(record_text(record)) == {"2H"}


def test_a_table_that_gets_other_seats_after_the_round_keeps_the_claims_of_those_it_had() -> None:
    for seats in (2, 7):
        sitting = Sitting('preset = "us_standard"', seats=3).script(
            "ante 1 10.00\nlock\nclaim 3\nsup void\nclear"
        )
        sitting.house = msgspec.structs.replace(sitting.house, seats=seats)
        sitting.send(sitting.started())
        sitting.word(m.Claim(seats))
        record = round_record(sitting.entries(3), sitting.state.round)
        assert slot(record)[-1] == "Nothing passed the beams of this slot in this round."
        assert part(record, "Claim of seat 7") == []
