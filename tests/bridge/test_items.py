"""What an inspector asks of the shoe's line (STANDARDS.md, D): the table's own link with a CRC, both ways."""

from __future__ import annotations

import pytest

from firmware_bridge.shoe.frames import ACK, EVENT, HELLO, RESUME, encode
from firmware_bridge.shoe.link import Link
from table_controller.table.messages import BadFrame, CardScanned, Event

BOOT = 77
MS = 1_000


def position(next_seq: int) -> bytes:
    return encode(HELLO, BOOT, next_seq, (1).to_bytes(4, "little") + b"\x01")


def card(seq: int, face: str) -> bytes:
    return encode(EVENT, BOOT, seq, b"\x01" + face.encode())


FRAME = card(1, "KD")


@pytest.mark.parametrize("place", range(len(FRAME) - 1))
def test_item_32_a_frame_with_one_wrong_byte_is_rejected_counted_and_asked_for_and_counts_once(
    place: int,
) -> None:
    link = Link(BOOT, 1, 0)
    link.opened(0)
    link.received(position(1), 0)
    link.to_send()
    broken = bytearray(FRAME)
    broken[place] ^= 0x41

    damaged = link.received(bytes(broken) + card(2, "QS"), 1 * MS)
    assert [event for event in damaged if not isinstance(event, BadFrame)] == []
    assert BadFrame() in damaged
    assert "damaged frames: " in link.trouble(1 * MS)
    assert link.to_send() == encode(RESUME, BOOT, 1), "the card that is missing is asked for"

    # The shoe says both again; the line says the first one twice.
    again: list[Event] = link.received(FRAME + FRAME + card(2, "QS") + FRAME, 2 * MS)
    assert again == [CardScanned("KD", False, 1), CardScanned("QS", False, 2)]
    link.acknowledge(BOOT, 3)
    assert link.to_send() == encode(ACK, BOOT, 3), "only what is committed is acknowledged"
