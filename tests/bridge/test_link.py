"""The conversation with the shoe: every card once and in order, or told as lost by its number."""

import pytest

from firmware_bridge.shoe.frames import ACK, EVENT, HELLO, RESUME, STATUS, encode
from firmware_bridge.shoe.link import NOISE_TOLD, Link
from table_controller.table.messages import (
    BadFrame,
    CardScanned,
    CardUnreadable,
    Event,
    FrameLost,
    ShoeFound,
    ShoeLost,
)

MS = 1_000
BOOT = 0xA1B2C3D4
OTHER = 0x00C0FFEE


def position(kind: int, next_seq: int, first_held: int, boot_id: int = BOOT) -> bytes:
    return encode(kind, boot_id, next_seq, first_held.to_bytes(4, "little") + b"\x01")


def hello(next_seq: int, first_held: int, boot_id: int = BOOT) -> bytes:
    return position(HELLO, next_seq, first_held, boot_id)


def status(next_seq: int, first_held: int, boot_id: int = BOOT) -> bytes:
    return position(STATUS, next_seq, first_held, boot_id)


def event(seq: int, card: str = "KD", boot_id: int = BOOT, kind: int = 1) -> bytes:
    return encode(EVENT, boot_id, seq, bytes([kind]) + card.encode())


def resume(next_wanted: int, boot_id: int = BOOT) -> bytes:
    return encode(RESUME, boot_id, next_wanted)


def ack(next_wanted: int, boot_id: int = BOOT) -> bytes:
    return encode(ACK, boot_id, next_wanted)


def connected(next_seq: int = 1) -> Link:
    """A link at time 0 whose shoe has answered and holds nothing."""
    link = Link(BOOT, next_seq, 0)
    link.opened(0)
    assert link.received(hello(next_seq, next_seq), 0) == [ShoeFound(BOOT, next_seq)]
    link.to_send()
    return link


def test_a_host_that_knows_no_shoe_asks_for_one_and_takes_what_it_holds() -> None:
    link = Link(0, 0, 0)
    link.opened(0)
    assert link.to_send() == b"\0" + resume(0, boot_id=0)
    assert link.received(hello(4, 3), 5 * MS) == [ShoeFound(BOOT, 3)]
    assert link.to_send() == resume(3)
    assert link.received(event(3), 7 * MS) == [CardScanned("KD", False, 3)]


def test_a_known_shoe_is_asked_for_the_first_card_that_is_not_on_disk() -> None:
    link = Link(BOOT, 6, 0)
    link.opened(0)
    assert link.to_send() == b"\0" + resume(6)
    assert link.received(hello(7, 6), 5 * MS) == [ShoeFound(BOOT, 6)]


def test_cards_are_told_as_they_lay() -> None:
    link = connected()
    wire = event(1, "KD") + event(2, "QS", kind=2) + event(3, "??", kind=3) + event(4, "JK")
    assert link.received(wire, 0) == [
        CardScanned("KD", False, 1),
        CardScanned("QS", True, 2),
        CardUnreadable(3),
        CardScanned("JK", False, 4),
    ]


def test_nothing_is_acknowledged_before_the_commit() -> None:
    link = connected()
    link.received(event(1) + event(1), 0)
    assert link.to_send() == b""
    link.acknowledge(BOOT, 2)
    assert link.to_send() == ack(2)
    link.acknowledge(BOOT, 2)
    assert link.to_send() == b""


def test_a_duplicate_of_a_committed_card_is_acknowledged_again_and_not_told_again() -> None:
    link = connected()
    link.received(event(1), 0)
    link.acknowledge(BOOT, 2)
    link.to_send()
    assert link.received(event(1), 200 * MS) == []
    assert link.to_send() == ack(2)


def test_a_card_that_has_not_come_cannot_be_acknowledged() -> None:
    with pytest.raises(ValueError, match="number 2 cannot be acknowledged: 1 has not come yet"):
        connected().acknowledge(BOOT, 2)


def test_an_acknowledgement_of_an_earlier_memory_is_nothing() -> None:
    link = connected()
    link.acknowledge(OTHER, 99)
    assert link.to_send() == b""


def test_a_gap_is_asked_for_and_nothing_behind_it_is_taken() -> None:
    link = connected()
    assert link.received(event(2, "QS"), 0) == []
    assert link.to_send() == resume(1)
    assert link.received(hello(3, 1) + event(1) + event(2, "QS"), 4 * MS) == [
        CardScanned("KD", False, 1),
        CardScanned("QS", False, 2),
    ]
    assert link.due_at_us() == 1_504 * MS


def test_a_gap_is_asked_for_every_200_ms_and_not_for_every_frame() -> None:
    link = connected()
    link.received(event(2) + event(3) + event(4), 0)
    assert link.to_send() == resume(1)
    link.received(event(2) + event(3), 100 * MS)
    assert link.passed(199 * MS) == []
    assert link.to_send() == b""
    assert link.due_at_us() == 200 * MS
    link.passed(200 * MS)
    assert link.to_send() == resume(1)


def test_a_status_tells_of_a_card_that_was_swallowed() -> None:
    link = connected()
    link.received(status(2, 1), 0)
    assert link.to_send() == resume(1)


def test_a_number_that_the_shoe_disowns_is_lost_for_good_and_the_next_card_is_taken() -> None:
    link = connected(6)
    link.received(event(7), 0)
    assert link.received(hello(8, 7) + event(7), 3 * MS) == [FrameLost(1, 6), CardScanned("KD", False, 7)]


def test_numbers_that_a_full_ring_forgot_are_lost_for_good() -> None:
    assert connected(6).received(status(500, 84), 0) == [FrameLost(78, 6)]


def test_a_number_that_never_comes_is_given_up_after_ten_questions_and_two_seconds() -> None:
    link = connected(6)
    asked = 0
    told: list[Event] = []
    for at_ms in range(0, 2_001, 100):
        told += link.received(event(8) + event(7) + status(9, 5), at_ms * MS) + link.passed(at_ms * MS)
        asked += link.to_send().count(resume(6))
    assert (told, asked) == ([FrameLost(1, 6)], 10)
    assert link.received(event(7), 2_100 * MS) == [CardScanned("KD", False, 7)]


def test_questions_are_not_given_up_because_time_jumped() -> None:
    link = connected(6)
    link.received(event(7), 0)
    assert link.passed(1_400 * MS) == []
    link.received(event(7), 1_400 * MS)
    assert link.passed(2_400 * MS) == []


def test_a_new_boot_id_is_told_and_its_cards_are_taken() -> None:
    link = connected(6)
    assert link.received(status(3, 1, OTHER), 0) == [ShoeFound(OTHER, 1)]
    assert link.to_send() == resume(1, OTHER)
    wire = event(1, "2C", OTHER) + event(2, "3C", OTHER)
    assert link.received(wire, 0) == [CardScanned("2C", False, 1), CardScanned("3C", False, 2)]


def test_an_event_of_an_unknown_memory_is_not_taken_but_asked_about() -> None:
    link = connected(6)
    assert link.received(event(6, boot_id=OTHER), 500 * MS) == []
    assert link.to_send() == resume(6)


@pytest.mark.parametrize("word", [hello(5, 4), status(5, 5)], ids=["HELLO", "STATUS"])
def test_a_counter_that_runs_backwards_is_a_lost_shoe_at_once(word: bytes) -> None:
    link = connected(6)
    assert link.received(word, 500 * MS) == [ShoeLost()]
    assert link.trouble(500 * MS) == (
        "memory A1B2C3D4 of the shoe is broken: its next number is 5, and 5 is past; "
        "nothing of it is believed until another boot id comes"
    )


def test_a_counter_that_ran_backwards_before_the_host_started_is_a_lost_shoe_at_once() -> None:
    link = Link(BOOT, 6, 0)
    link.opened(0)
    assert link.received(hello(2, 1), 5 * MS) == [ShoeLost()]
    assert link.passed(9_000 * MS) == []


def test_a_broken_memory_is_believed_in_nothing_and_acknowledged_nothing() -> None:
    link = connected(5)
    assert link.received(event(5) + status(2, 1), 0) == [CardScanned("KD", False, 5), ShoeLost()]
    link.acknowledge(BOOT, 6)
    assert link.to_send() == b""
    caught_up = event(1, "2C") + event(5) + event(6, "3C") + event(9) + status(10, 6) + hello(7, 6)
    assert link.received(caught_up, 400 * MS) == []
    assert link.passed(400 * MS) == []
    assert link.closed() == []
    link.opened(500 * MS)
    assert link.to_send() == b"\0" + resume(6)
    assert link.received(hello(7, 6) + event(6), 510 * MS) == []


def test_another_boot_id_ends_what_was_broken() -> None:
    link = connected(6)
    link.received(status(2, 1), 0)
    assert link.received(event(1, "2C", OTHER), 90 * MS) == []
    wire = hello(2, 1, OTHER) + event(1, "2C", OTHER)
    assert link.received(wire, 100 * MS) == [ShoeFound(OTHER, 1), CardScanned("2C", False, 1)]
    assert link.trouble(100 * MS) == ""


@pytest.mark.parametrize("again", [event(1, "QS"), event(1, "KD", kind=2), event(1, "??", kind=3)])
def test_a_number_that_comes_again_as_another_card_is_a_lost_shoe_at_once(again: bytes) -> None:
    link = connected()
    assert link.received(event(1, "KD") + event(2, "7C"), 0) == [
        CardScanned("KD", False, 1),
        CardScanned("7C", False, 2),
    ]
    assert link.received(event(2, "7C") + again, 10 * MS) == [ShoeLost()]
    assert link.to_send() == b""
    assert "number 1 came again as another card" in link.trouble(10 * MS)


def test_the_last_416_cards_are_remembered_and_no_more() -> None:
    link = connected()
    for seq in range(1, 418):
        link.received(event(seq), 0)
    assert link.received(event(1, "QS"), 0) == []
    assert link.received(event(2, "QS"), 0) == [ShoeLost()]


def test_repeated_cards_alone_are_no_sign_of_life() -> None:
    link = connected()
    link.received(event(1), 0)
    for at_ms in range(200, 1_500, 200):
        assert link.received(event(1), at_ms * MS) == []
    assert link.passed(1_500 * MS) == [ShoeLost()]


def test_a_step_of_424_numbers_is_lost_cards_and_of_one_more_a_broken_memory() -> None:
    assert connected(6).received(status(430, 430), 0) == [FrameLost(424, 6)]
    link = connected(6)
    assert link.received(status(431, 431), 0) == [ShoeLost()]
    assert "425 numbers are missing at 6; 424 is the most" in link.trouble(0)


def test_a_number_far_ahead_that_never_explains_itself_is_a_broken_memory() -> None:
    link = connected(6)
    told: list[Event] = []
    for at_ms in range(0, 2_001, 100):
        told += link.received(event(200_000), at_ms * MS) + link.passed(at_ms * MS)
    assert told == [ShoeLost()]
    assert "199994 numbers are missing at 6" in link.trouble(2_000 * MS)


def test_a_shoe_of_another_version_is_lost_and_the_log_can_say_why() -> None:
    link = Link(BOOT, 1, 0)
    link.opened(0)
    foreign = encode(STATUS, BOOT, 1, b"\x01\0\0\0\x02")
    for at_ms in (0, 500, 1_000):
        assert link.received(foreign, at_ms * MS) == []
    assert link.passed(2_000 * MS) == [ShoeLost()]
    assert link.trouble(2_000 * MS).endswith(
        "the shoe speaks version 2 of the protocol; this bridge speaks 1"
    )


def test_noise_is_trouble_in_a_new_sentence_when_its_count_has_doubled_and_none_after_ten_seconds() -> None:
    link = connected()
    sentences = []
    for _ in range(1_000):
        link.received(b"\x55\0", 0)
        if link.trouble(0) not in sentences:
            sentences.append(link.trouble(0))
    assert [sentence.split(";")[0] for sentence in sentences] == [
        f"damaged frames: {2**n}" for n in range(10)
    ]
    assert link.trouble(9_999 * MS) == sentences[-1]
    assert link.trouble(10_000 * MS) == ""
    link.received(b"\x55\0", 10_000 * MS)
    assert link.trouble(10_000 * MS).startswith("damaged frames: 1001; ")


def test_silence_of_a_second_and_a_half_is_a_lost_shoe_once() -> None:
    link = connected()
    assert link.passed(1_499 * MS) == []
    assert link.passed(1_500 * MS) == [ShoeLost()]
    assert link.passed(9_000 * MS) == []


def test_a_lost_shoe_is_asked_every_half_second_and_found_by_its_next_status() -> None:
    link = connected()
    link.passed(1_500 * MS)
    assert link.to_send() == resume(1)
    assert link.due_at_us() == 2_000 * MS
    assert link.received(event(1), 2_000 * MS) == []
    assert link.received(status(2, 1), 2_100 * MS) == [ShoeFound(BOOT, 1)]
    assert link.received(event(1), 2_101 * MS) == [CardScanned("KD", False, 1)]


def test_a_shoe_that_never_answers_is_lost_after_two_seconds_port_or_no_port() -> None:
    for opened in (True, False):
        link = Link(0, 0, 0)
        if opened:
            link.opened(0)
        assert link.closed() == []
        assert link.passed(1_999 * MS) == []
        assert link.passed(2_000 * MS) == [ShoeLost()]


def test_an_unplugged_shoe_is_lost_at_once_and_comes_back_with_its_cards() -> None:
    link = connected()
    link.received(event(1) + event(2, "QS")[:9], 0)
    assert link.closed() == [ShoeLost()]
    assert link.to_send() == b""
    assert link.closed() == []
    link.opened(5_000 * MS)
    assert link.to_send() == b"\0" + resume(2)
    assert link.received(hello(3, 1) + event(1) + event(2, "QS"), 5_010 * MS) == [
        ShoeFound(BOOT, 2),
        CardScanned("QS", False, 2),
    ]


def test_the_rest_of_a_frame_after_opening_is_no_noise() -> None:
    link = Link(BOOT, 1, 0)
    link.opened(0)
    assert link.received(event(1)[5:] + hello(1, 1), 0) == [ShoeFound(BOOT, 1)]
    assert link.damaged_frames == 0


def test_a_damaged_frame_is_told_and_costs_no_card() -> None:
    link = connected()
    damaged = event(1).replace(b"KD", b"KH")
    assert link.received(damaged + event(1), 0) == [BadFrame(), CardScanned("KD", False, 1)]
    assert link.trouble(0) == "damaged frames: 1; the last: the CRC of the frame is wrong"


def test_a_noisy_line_is_told_eight_times_a_second_and_counted_always() -> None:
    link = connected()
    assert link.received(b"\x55\0" * 1_000, 0) == [BadFrame()] * NOISE_TOLD
    assert link.received(b"\x55\0", 999 * MS) == []
    assert link.received(b"\x55\0", 1_000 * MS) == [BadFrame()]
    assert link.damaged_frames == 1_002


def test_noise_of_a_lost_shoe_is_counted_and_not_told() -> None:
    link = connected()
    link.passed(1_500 * MS)
    assert link.received(b"\x55\0", 1_600 * MS) == []
    assert link.damaged_frames == 1


def test_a_restarted_host_gets_what_it_had_not_committed_and_nothing_twice() -> None:
    first = connected()
    first.received(event(1) + event(2, "QS"), 0)
    first.acknowledge(BOOT, 2)
    second = Link(BOOT, 2, 0)
    second.opened(0)
    assert second.to_send() == b"\0" + resume(2)
    assert second.received(hello(3, 1) + event(1) + event(2, "QS"), 0) == [
        ShoeFound(BOOT, 2),
        CardScanned("QS", False, 2),
    ]
    assert second.to_send() == ack(2)
