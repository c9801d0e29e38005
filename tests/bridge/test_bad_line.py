"""Thousands of cards over a line that loses, doubles, damages and cuts: none is lost, doubled or wrong."""

import random
from itertools import pairwise

import pytest

from firmware_bridge.shoe.link import Link
from hw_sim.shoe import SimShoe
from table_controller.table.messages import (
    BadFrame,
    CardScanned,
    CardUnreadable,
    FrameLost,
    ShoeFound,
    ShoeLost,
)

MS = 1_000
RANKS = "AKQJT98765432"
SUITS = "SHDC"


class Line:
    """One direction of a bad line, frame by frame.

    A line keeps the order of what it carries; card frames and the host's come late all the same now and
    then, which no rule of the shoe may suffer from. HELLO and STATUS never do: a counter that is told out
    of order is one that runs backwards.
    """

    def __init__(self, chance: random.Random, badness: float) -> None:
        self._chance = chance
        self._badness = badness
        self._late: bytes | None = None

    def carry(self, frames: bytes) -> bytes:
        out = b""
        for piece in frames.split(b"\0")[:-1]:
            frame = piece + b"\0"
            fate = self._chance.random() / self._badness
            if fate < 1:
                frame = b""
            elif fate < 2:
                frame += frame
            elif fate < 4 and piece:
                at = self._chance.randrange(len(frame))
                frame = frame[:at] + bytes([frame[at] ^ 1 << self._chance.randrange(8)]) + frame[at + 1 :]
            elif fate < 5:
                at = self._chance.randrange(len(frame))
                frame = frame[:at] + frame[at + self._chance.randint(1, 4) :]
            elif fate < 6 and self._late is None and piece[1:2] not in (b"\x01", b"\x03"):
                self._late, frame = frame, b""
            else:
                frame += self._late or b""
                self._late = None
            out += frame
        return out


class Table:
    """A host with a journal, a shoe, and a bad line between them; the host dies now and then."""

    def __init__(self, seed: int, badness: float) -> None:
        self.chance = random.Random(seed)
        self.shoe = SimShoe(boot_id=9)
        self.to_host = Line(self.chance, badness)
        self.to_shoe = Line(self.chance, badness)
        self.now_us = 0
        self.journal: list[CardScanned | CardUnreadable | FrameLost] = []
        self.position = (0, 0)
        self.noises = 0
        self.link = self.start()

    def start(self) -> Link:
        link = Link(*self.position, self.now_us)
        link.opened(self.now_us)
        return link

    def turn(self, crash: bool = False, unplug: bool = False) -> None:
        """10 ms in which bytes come, are committed (or the host dies before that), and are answered."""
        self.now_us += 10 * MS
        if unplug:
            self.link.closed()
            self.shoe.unplug()
            self.shoe.replug()
            self.link.opened(self.now_us)
        events = self.link.received(self.to_host.carry(b"".join(self.shoe.frames(self.now_us))), self.now_us)
        events += self.link.passed(self.now_us)
        if crash:
            self.link = self.start()
            return
        boot_id, next_seq = self.position
        for event in events:
            if isinstance(event, ShoeFound):
                boot_id, next_seq = event.boot_id, event.next_seq
            elif isinstance(event, FrameLost):
                next_seq = event.shoe_seq + event.missing
                self.journal.append(event)
            elif isinstance(event, CardScanned | CardUnreadable):
                next_seq = event.shoe_seq + 1
                self.journal.append(event)
            else:
                self.noises += isinstance(event, BadFrame)
                assert isinstance(event, BadFrame | ShoeLost)
        self.position = (boot_id, next_seq)
        self.link.acknowledge(boot_id, next_seq)
        self.shoe.receive(self.to_shoe.carry(self.link.to_send()), self.now_us)

    def settle(self) -> None:
        for _ in range(3_000):
            self.turn()
            if self.position[1] == self.shoe.about()["next_seq"]:
                return


@pytest.mark.parametrize(("seed", "badness"), [(1, 0.0005), (2, 0.005), (3, 0.03)])
def test_three_thousand_cards_over_a_bad_line_arrive_once_and_in_order(seed: int, badness: float) -> None:
    table = Table(seed, badness)
    dealt: list[str] = []
    while len(dealt) < 3_000:
        if table.chance.random() < 0.3:
            card = table.chance.choice(RANKS) + table.chance.choice(SUITS)
            dealt.append(card)
            table.shoe.deal(card, table.now_us)
        table.turn(crash=table.chance.random() < 0.002, unplug=table.chance.random() < 0.002)
    table.settle()
    assert [entry.card for entry in table.journal if isinstance(entry, CardScanned)] == dealt
    assert len(table.journal) == len(dealt)
    assert table.noises > 0


def test_cards_lost_for_good_are_told_by_their_numbers_and_no_other() -> None:
    table = Table(seed=4, badness=0.005)
    lost: list[int] = []
    for number in range(1, 601):
        if table.chance.random() < 0.05:
            table.shoe.skip_next_card()
            lost.append(number)
        table.shoe.deal("KD", table.now_us)
        for _ in range(4):
            table.turn(crash=table.chance.random() < 0.002)
    table.settle()
    told = [
        entry.shoe_seq + n
        for entry in table.journal
        if isinstance(entry, FrameLost)
        for n in range(entry.missing)
    ]
    assert told == lost
    assert len(lost) > 10
    taken = [entry.shoe_seq for entry in table.journal if isinstance(entry, CardScanned)]
    assert sorted(taken + lost) == list(range(1, 601))
    assert all(later > earlier for earlier, later in pairwise(taken))


def test_a_shoe_without_memory_starts_anew_and_nothing_of_it_is_lost() -> None:
    table = Table(seed=5, badness=0.005)
    for _ in range(20):
        table.shoe.deal("AS", table.now_us)
        table.turn()
    table.settle()
    table.shoe.reboot()
    for _ in range(20):
        table.shoe.deal("2C", table.now_us)
        table.turn()
    table.settle()
    assert [entry.card for entry in table.journal if isinstance(entry, CardScanned)] == ["AS"] * 20 + [
        "2C"
    ] * 20
    assert table.position == (10, 21)
