"""The simulated shoe against PROTOCOL.md, with a host written for this test from the same file."""

from __future__ import annotations

import binascii
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.shoe import LocalPort, MarkError, SimShoe, stuff, unstuff

BOOT_ID = 0xA1B2C3D4
MS = 1_000


def encode(content: bytes) -> bytes:
    """COBS the slow way, byte by byte, so that it shares no idea with the shoe's."""
    wire = bytearray(b"\0")
    length_at = 0
    for byte in content + struct.pack("<I", binascii.crc32(content)):
        if byte:
            wire.append(byte)
        else:
            wire[length_at] = len(wire) - length_at
            length_at = len(wire)
            wire.append(0)
    wire[length_at] = len(wire) - length_at
    return bytes(wire) + b"\0"


def decode(frame: bytes) -> bytes | None:
    """The content without its checksum, or None if the frame is damaged."""
    content = bytearray()
    left, first = 0, True
    for byte in frame:
        if left:
            content.append(byte)
        else:
            if not first:
                content.append(0)
            first = False
            left = byte
        left -= 1
    if left or len(content) < 9 or struct.unpack("<I", content[-4:])[0] != binascii.crc32(content[:-4]):
        return None
    return bytes(content[:-4])


def resume(boot_id: int, wanted: int) -> bytes:
    return encode(struct.pack("<BII", 0x11, boot_id, wanted))


def ack(boot_id: int, wanted: int) -> bytes:
    return encode(struct.pack("<BII", 0x12, boot_id, wanted))


def said(wire: bytes) -> list[str]:
    """What the shoe said, in words."""
    words = []
    for frame in wire.split(b"\0")[:-1]:
        content = decode(frame)
        if content is None:
            words.append("damaged")
            continue
        kind, boot_id, seq = struct.unpack("<BII", content[:9])
        rest = content[9:]
        if kind == 2:
            words.append(f"EVENT {seq} {rest[0]} {rest[1:].decode()}")
        else:
            name = {1: "HELLO", 3: "STATUS"}[kind]
            first_held, version = struct.unpack("<IB", rest)
            assert version == 1
            words.append(f"{name} next {seq} first {first_held}")
        assert boot_id != 0
    return words


def events(wire: bytes) -> list[str]:
    return [word for word in said(wire) if word.startswith("EVENT")]


class Bench:
    """A shoe on a table with a clock; what it says at power-up is already heard."""

    def __init__(self) -> None:
        self.us = 10_000_000
        self.shoe = SimShoe(boot_id=BOOT_ID)
        self.port = LocalPort(self.shoe, lambda: self.us)
        self.at_power_up = self.port.read()

    def deal(self, *marks: str) -> None:
        for mark in marks:
            self.shoe.deal(mark, self.us)


@pytest.fixture
def bench() -> Bench:
    return Bench()


# -------------------------------------------------------------------------- the worked examples


def test_the_worked_examples_of_card_events_byte_by_byte(bench: Bench) -> None:
    bench.deal("KD", "QS^", "??")
    wire = bench.port.read().hex(" ").upper()
    assert wire == (
        "07 02 D4 C3 B2 A1 01 01 01 08 01 4B 44 A6 0B 1C 7E 00 "
        "07 02 D4 C3 B2 A1 02 01 01 08 02 51 53 7E D0 4C 7E 00 "
        "07 02 D4 C3 B2 A1 03 01 01 08 03 3F 3F A7 DA 83 66 00"
    )


def test_the_worked_examples_of_hello_and_status_byte_by_byte(bench: Bench) -> None:
    bench.deal("KD", "QS", "7C")
    bench.port.read()
    bench.port.write(bytes.fromhex("02 11 01 01 01 01 01 01 01 05 9C 42 B2 5D 00"))
    hello = bytes.fromhex("07 01 D4 C3 B2 A1 04 01 01 02 01 01 01 06 01 26 04 21 54 00")
    assert bench.port.read() == hello
    bench.port.write(bytes.fromhex("07 12 D4 C3 B2 A1 04 01 01 05 A6 10 BA 8E 00"))
    bench.us += 500 * MS
    status = bytes.fromhex("07 03 D4 C3 B2 A1 04 01 01 02 04 01 01 06 01 FB 4F AF 7D 00")
    assert bench.port.read() == status


def test_the_worked_example_of_a_card_lost_for_good(bench: Bench) -> None:
    bench.deal("2C", "3C", "4C", "5C", "6C")
    bench.port.write(ack(BOOT_ID, 6))
    bench.shoe.skip_next_card()
    bench.deal("7C", "8C")
    bench.port.read()
    bench.port.write(resume(BOOT_ID, 6))
    hello = bytes.fromhex("07 01 D4 C3 B2 A1 08 01 01 02 07 01 01 06 01 92 02 55 3D 00")
    wire = bench.port.read()
    assert wire.startswith(hello)
    assert events(wire) == ["EVENT 7 1 8C"]


def test_the_worked_example_of_cobs() -> None:
    content = bytes.fromhex("11 00 00 22 33 00 44")
    assert stuff(content) == bytes.fromhex("02 11 01 03 22 33 02 44 00")
    assert unstuff(bytes.fromhex("02 11 01 03 22 33 02 44")) == content


@given(st.binary(max_size=60))
def test_stuffing_hides_every_zero_and_loses_nothing(content: bytes) -> None:
    wire = stuff(content)
    assert wire.index(0) == len(wire) - 1
    assert unstuff(wire[:-1]) == content


# --------------------------------------------------------------------------- the conversation


def test_at_power_up_the_shoe_says_hello_and_its_standing(bench: Bench) -> None:
    assert said(bench.at_power_up) == ["HELLO next 1 first 1", "STATUS next 1 first 1"]


def test_the_standing_is_told_every_half_second_and_announced_as_due(bench: Bench) -> None:
    assert bench.port.due_at_us() == bench.us + 500 * MS
    bench.us += 499 * MS
    assert bench.port.read() == b""
    bench.us += 1 * MS
    assert said(bench.port.read()) == ["STATUS next 1 first 1"]


def test_cards_that_are_not_acknowledged_come_again_after_200_ms(bench: Bench) -> None:
    bench.deal("KD", "QS")
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 2 1 QS"]
    bench.us += 199 * MS
    assert events(bench.port.read()) == []
    bench.us += 1 * MS
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 2 1 QS"]
    bench.port.write(ack(BOOT_ID, 2))
    bench.us += 200 * MS
    assert events(bench.port.read()) == ["EVENT 2 1 QS"]
    bench.port.write(ack(BOOT_ID, 3))
    bench.us += 200 * MS
    assert events(bench.port.read()) == []


def test_at_most_eight_cards_are_on_the_way(bench: Bench) -> None:
    ranks = "A23456789T"
    bench.deal(*(rank + "S" for rank in ranks))
    assert events(bench.port.read()) == [f"EVENT {n + 1} 1 {ranks[n]}S" for n in range(8)]
    bench.port.write(ack(BOOT_ID, 2))
    assert events(bench.port.read()) == ["EVENT 9 1 9S"]
    bench.us += 200 * MS
    assert len(events(bench.port.read())) == 8


def test_an_acknowledgement_of_another_memory_or_of_the_future_frees_nothing(bench: Bench) -> None:
    bench.deal("KD")
    bench.port.write(ack(BOOT_ID + 1, 2))
    bench.port.write(ack(BOOT_ID, 3))
    assert bench.shoe.about()["held"] == 1
    bench.port.write(ack(BOOT_ID, 2))
    assert bench.shoe.about()["held"] == 0


def test_a_resume_is_answered_by_hello_and_the_wanted_cards_and_frees_nothing(bench: Bench) -> None:
    bench.deal("KD", "QS", "7C")
    bench.port.read()
    bench.port.write(resume(BOOT_ID, 2))
    assert said(bench.port.read()) == ["HELLO next 4 first 2", "EVENT 2 1 QS", "EVENT 3 1 7C"]
    assert bench.shoe.about()["held"] == 3
    bench.port.write(resume(BOOT_ID, 4))
    assert said(bench.port.read()) == ["HELLO next 4 first 4"]


def test_a_host_that_knows_another_memory_is_told_this_one_and_given_no_cards(bench: Bench) -> None:
    bench.deal("KD")
    bench.port.read()
    bench.port.write(resume(7, 30))
    assert said(bench.port.read()) == ["HELLO next 2 first 1"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\0\0\0",
        b"\x05\x11\0",
        b"\x11" * 70 + b"\0",
        resume(BOOT_ID, 1)[:-2] + b"\x01\0",
        encode(struct.pack("<BIIB", 0x11, BOOT_ID, 1, 9)),
        encode(struct.pack("<BII", 0x13, BOOT_ID, 1)),
    ],
    ids=["empty", "points past its end", "too long", "checksum", "payload", "unknown type"],
)
def test_a_damaged_or_unknown_frame_of_the_host_gets_no_answer(bench: Bench, garbage: bytes) -> None:
    bench.port.write(garbage)
    assert bench.port.read() == b""
    bench.port.write(resume(BOOT_ID, 1))
    assert said(bench.port.read()) == ["HELLO next 1 first 1"]


def test_a_frame_may_come_in_pieces(bench: Bench) -> None:
    for byte in b"\0" + resume(BOOT_ID, 1):
        bench.port.write(bytes([byte]))
    assert said(bench.port.read()) == ["HELLO next 1 first 1"]


def test_what_no_shoe_can_deal_is_refused_by_its_name(bench: Bench) -> None:
    for mark in ("", "K", "10H", "?", "??^", "K?", "K D", "Kö"):
        with pytest.raises(MarkError, match="no card at the shoe"):
            bench.shoe.deal(mark, bench.us)
    bench.deal("kd", "JK", "Jk^")
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 2 1 JK", "EVENT 3 2 JK"]


# --------------------------------------------------------------------------------- the faults


def test_noise_is_one_damaged_frame_and_no_card(bench: Bench) -> None:
    bench.deal("KD")
    bench.shoe.make_noise()
    bench.deal("QS")
    assert said(bench.port.read()) == ["EVENT 1 1 KD", "damaged", "EVENT 2 1 QS"]


def test_a_skipped_card_never_comes_and_hello_steps_over_its_number(bench: Bench) -> None:
    bench.deal("KD")
    bench.port.write(ack(BOOT_ID, 2))
    bench.shoe.skip_next_card()
    bench.deal("QS", "7C")
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 3 1 7C"]
    for _ in range(10):
        bench.us += 200 * MS
        bench.port.write(resume(BOOT_ID, 2))
        words = said(bench.port.read())
        assert "HELLO next 4 first 3" in words
        assert not any("QS" in word for word in words)


def test_a_swallowed_frame_comes_again(bench: Bench) -> None:
    bench.shoe.swallow_next_frame()
    bench.deal("KD", "QS")
    assert events(bench.port.read()) == ["EVENT 2 1 QS"]
    bench.us += 200 * MS
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 2 1 QS"]


def test_a_pulled_cable_is_an_error_and_the_cards_come_when_it_is_back(bench: Bench) -> None:
    bench.deal("KD")
    bench.shoe.unplug()
    bench.deal("QS")
    with pytest.raises(OSError, match="cable of the simulated shoe is pulled"):
        bench.port.read()
    with pytest.raises(OSError, match="cable of the simulated shoe is pulled"):
        bench.port.write(b"\0")
    assert bench.port.due_at_us() is None
    bench.shoe.replug()
    bench.port.write(b"\0" + resume(BOOT_ID, 1))
    assert events(bench.port.read()) == ["EVENT 1 1 KD", "EVENT 2 1 QS"]


def test_a_restarted_shoe_has_another_boot_id_and_no_memory(bench: Bench) -> None:
    bench.deal("KD")
    bench.port.read()
    bench.shoe.reboot()
    wire = bench.port.read()
    assert said(wire) == ["HELLO next 1 first 1"]
    content = decode(wire[:-1])
    assert content is not None
    assert content[1:5] != struct.pack("<I", BOOT_ID)


def test_a_full_memory_forgets_the_oldest_card_and_says_so(bench: Bench) -> None:
    bench.deal(*["2C"] * 417)
    bench.port.read()
    bench.port.write(resume(BOOT_ID, 1))
    assert said(bench.port.read())[0] == "HELLO next 418 first 2"


# ------------------------------------------------------------------------ a whole host, a bad line


class Host:
    """The least host that PROTOCOL.md 2.3 allows: takes what is expected, asks for the rest."""

    def __init__(self, boot_id: int) -> None:
        self.boot_id = boot_id
        self.expected = 1
        self.cards: list[str] = []
        self._received = b""

    def hear(self, wire: bytes) -> bytes:
        answer = b""
        *frames, self._received = (self._received + wire).split(b"\0")
        for frame in frames:
            content = decode(frame)
            if content is None:
                continue
            kind, _, seq = struct.unpack("<BII", content[:9])
            if kind == 2 and seq == self.expected:
                self.cards.append(content[10:].decode())
                self.expected += 1
            elif (kind == 2 and seq > self.expected) or (kind != 2 and seq > self.expected):
                answer = resume(self.boot_id, self.expected)
        return answer + ack(self.boot_id, self.expected)


@pytest.mark.parametrize("seed", range(5))
def test_over_a_line_that_loses_and_damages_bytes_every_card_arrives_once_and_in_order(seed: int) -> None:
    chance = random.Random(seed)

    def bad_line(data: bytes) -> bytes:
        kept = (byte for byte in data if chance.random() > 0.01)
        return bytes(byte if chance.random() > 0.01 else chance.randrange(256) for byte in kept)

    bench = Bench()
    host = Host(BOOT_ID)
    dealt = [chance.choice("A23456789TJQK") + chance.choice("SHDC") for _ in range(300)]
    waiting = list(dealt)
    for _ in range(5_000):
        bench.us += 20 * MS
        if waiting and chance.random() < 0.5:
            bench.deal(waiting.pop(0))
        bench.port.write(bad_line(host.hear(bad_line(bench.port.read()))))
        if not waiting and len(host.cards) == len(dealt):
            break
    assert host.cards == dealt
