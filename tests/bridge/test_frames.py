"""Frames of the shoe: the worked examples of PROTOCOL.md, and any garbage a line can carry."""

import re
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.shoe import frames
from firmware_bridge.shoe.frames import (
    ACK,
    EVENT,
    HELLO,
    LONGEST_FRAME,
    RESUME,
    STATUS,
    Damaged,
    Decoder,
    Position,
    Scan,
    cobs_decode,
    cobs_encode,
    encode,
)
from firmware_bridge.shoe.link import Link
from table_controller.table.messages import CardScanned, Event, FrameLost, ShoeFound

PROTOCOL = Path(frames.__file__).parents[1] / "PROTOCOL.md"
BOOT = 0xA1B2C3D4


def conversations_in_the_protocol() -> list[tuple[str, bytes]]:
    """Every line of a deal on the wire that shows its bytes: who speaks, and what."""
    lines = re.findall(r"^(shoe|host) -> .+?  ((?:[0-9A-F]{2} +)+00)\b", PROTOCOL.read_text(), re.MULTILINE)
    return [(who, bytes.fromhex(line)) for who, line in lines]


def wires_in_the_protocol() -> list[bytes]:
    """Every line `wire ...` of the worked examples, as bytes."""
    lines = re.findall(r"^wire +((?:[0-9A-F]{2} +)*00)\b", PROTOCOL.read_text(), re.MULTILINE)
    return [bytes.fromhex(line) for line in lines]


def test_the_worked_examples_of_the_protocol_are_what_the_bridge_encodes() -> None:
    assert wires_in_the_protocol() == [
        encode(EVENT, BOOT, 1, b"\x01KD"),
        encode(EVENT, BOOT, 2, b"\x02QS"),
        encode(EVENT, BOOT, 3, b"\x03??"),
        encode(HELLO, BOOT, 4, b"\x01\0\0\0\x01"),
        encode(STATUS, BOOT, 4, b"\x04\0\0\0\x01"),
        encode(HELLO, BOOT, 8, b"\x07\0\0\0\x01"),
        encode(RESUME, 0, 0),
        encode(RESUME, BOOT, 2),
        encode(ACK, BOOT, 4),
        encode(EVENT, BOOT, 1, b"\x01KD").replace(b"\xa6\x0b", b"\xa7\x0b"),
    ]


def test_the_worked_examples_of_the_protocol_are_read_as_they_are_described() -> None:
    assert Decoder().feed(b"".join(wires_in_the_protocol())) == [
        Scan(BOOT, 1, "KD", boxed=False, readable=True),
        Scan(BOOT, 2, "QS", boxed=True, readable=True),
        Scan(BOOT, 3, "??", boxed=False, readable=False),
        Position(BOOT, next_seq=4, first_held=1),
        Position(BOOT, next_seq=4, first_held=4),
        Position(BOOT, next_seq=8, first_held=7),
        Damaged("boot id 00000000 and number 0: a shoe never sends 0 for either"),
        Damaged("frame type 11; a shoe may send 01 (HELLO), 02 (EVENT), 03 (STATUS)"),
        Damaged("frame type 12; a shoe may send 01 (HELLO), 02 (EVENT), 03 (STATUS)"),
        Damaged("the CRC of the frame is wrong"),
    ]


def test_a_lost_card_and_a_restarted_shoe_go_over_the_wire_as_the_protocol_shows() -> None:
    link = Link(BOOT, 4, 0)
    link.opened(0)
    link.received(encode(HELLO, BOOT, 4, b"\x04\0\0\0\x01"), 0)
    link.to_send()
    told: list[Event] = []
    for who, wire in conversations_in_the_protocol():
        if who == "shoe":
            told += link.received(wire, 0)
        else:
            link.acknowledge(link.boot_id, link.next_seq)
            assert link.to_send() == wire
    assert told == [
        FrameLost(1, 4),
        CardScanned("9D", False, 5),
        ShoeFound(0x00C0FFEE, 1),
        CardScanned("5H", False, 1),
    ]


@pytest.mark.parametrize(
    ("frame", "word"),
    [
        (encode(EVENT, BOOT, 1, b"\x04KD"), "kind 04"),
        (encode(EVENT, BOOT, 1, b"\x01K\x7f"), "not 21 to 7E"),
        (encode(EVENT, BOOT, 1, b"\x01K "), "not 21 to 7E"),
        (encode(EVENT, BOOT, 1, b"\x03KD"), "kind 03"),
        (encode(EVENT, BOOT, 1, b"\x01??"), "kind 01"),
        (encode(EVENT, BOOT, 1, b"\x01K"), "2 bytes of payload"),
        (encode(EVENT, 0, 1, b"\x01KD"), "boot id 00000000"),
        (encode(EVENT, BOOT, 0, b"\x01KD"), "number 0"),
        (encode(EVENT, BOOT, 0xFFFFFFFF, b"\x01KD"), "the last number of a memory is 4294967294"),
        (encode(HELLO, BOOT, 1, b"\x01\0\0\0\x02"), "version 2"),
        (encode(HELLO, BOOT, 1, b"\x01\0\0\0\x02more"), "version 2"),
        (encode(HELLO, BOOT, 0, b"\0\0\0\0\x01"), "number 0"),
        (encode(HELLO, BOOT, 1, b"\x02\0\0\0\x01"), "first_held is 2"),
        (encode(HELLO, BOOT, 1, b"\0\0\0\0\x01"), "first_held is 0"),
        (encode(STATUS, BOOT, 1), "0 bytes of payload"),
        (encode(0x7F, BOOT, 1), "frame type 7F"),
        (b"\x05ab\0", "length bytes"),
        (b"\x03ab\0", "2 bytes; 13 is the least"),
        (b"x" * (LONGEST_FRAME + 1), "longer than 64 bytes"),
    ],
)
def test_what_a_shoe_may_not_send_is_damage_with_a_name(frame: bytes, word: str) -> None:
    (damage,) = Decoder().feed(frame)
    assert isinstance(damage, Damaged)
    assert word in damage.why


@pytest.mark.parametrize("kind", [1, 3, 4])
def test_what_is_wrong_with_a_card_frame_is_told_alike_whatever_the_card(kind: int) -> None:
    def why(card: bytes, last: bytes = b"") -> list[str]:
        wire = encode(EVENT, BOOT, 1, bytes([kind]) + card)
        wire = wire[: len(wire) - 1 - len(last)] + last + b"\0"
        return [frame.why for frame in Decoder().feed(wire) if isinstance(frame, Damaged)]

    assert why(b"K\x7f") == why(b"\x7f2") != []
    assert why(b"KD", last=b"\x01") == why(b"2C", last=b"\x01") != []
    assert why(b"KD") == why(b"2C") == why(b"JK")


def test_a_joker_is_no_damage_and_lower_case_is_read_like_upper_case() -> None:
    wire = encode(EVENT, BOOT, 1, b"\x01JK") + encode(EVENT, BOOT, 2, b"\x01ac")
    assert [frame.card for frame in Decoder().feed(wire) if isinstance(frame, Scan)] == ["JK", "AC"]


def test_a_frame_behind_an_endless_one_is_read_and_the_endless_one_is_told_once() -> None:
    good = encode(EVENT, BOOT, 1, b"\x01KD")
    whole = b"\x55" * 10_000 + b"\0" + good
    assert [type(frame) for frame in Decoder().feed(whole)] == [Damaged, Scan]


def test_a_frame_of_exactly_the_longest_length_is_judged_by_its_content() -> None:
    (damage,) = Decoder().feed(b"\x41" * LONGEST_FRAME + b"\0")
    assert damage == Damaged("the length bytes of the frame do not fit it")


def test_zeros_between_frames_are_nothing() -> None:
    good = encode(EVENT, BOOT, 1, b"\x01KD")
    assert len(Decoder().feed(b"\0\0\0" + good + b"\0\0")) == 1


@given(st.binary(max_size=200))
def test_cobs_gives_back_what_it_was_given_and_holds_no_zero(content: bytes) -> None:
    encoded = cobs_encode(content)
    assert 0 not in encoded
    assert cobs_decode(encoded) == content


@given(st.binary(max_size=80))
def test_cobs_decoding_refuses_or_gives_bytes_and_never_fails(encoded: bytes) -> None:
    content = cobs_decode(encoded)
    assert content is None or len(content) <= len(encoded)


fragments = st.one_of(
    st.binary(max_size=90),
    st.just(b"\0"),
    st.sampled_from(wires_in_the_protocol()),
    st.binary(min_size=1, max_size=30).map(
        # A sound CRC over a senseless content gets past the first check.
        lambda body: cobs_encode(body + struct.pack("<I", zlib.crc32(body))) + b"\0"
    ),
)


@given(st.lists(fragments, max_size=12).map(b"".join), st.integers(1, 7))
def test_any_garbage_is_frames_or_named_damage_whole_and_in_pieces(data: bytes, size: int) -> None:
    whole = Decoder().feed(data)
    assert all(isinstance(frame, Position | Scan) or frame.why for frame in whole)
    decoder = Decoder()
    pieces = [frame for at in range(0, len(data), size) for frame in decoder.feed(data[at : at + size])]
    assert pieces == whole


@given(st.sampled_from(wires_in_the_protocol()[:6]), st.data())
def test_one_flipped_bit_never_makes_another_frame(wire: bytes, data: st.DataObject) -> None:
    bit = data.draw(st.integers(0, 8 * (len(wire) - 1) - 1))
    damaged = bytearray(wire)
    damaged[bit // 8] ^= 1 << bit % 8
    assert all(isinstance(frame, Damaged) for frame in Decoder().feed(bytes(damaged)))
