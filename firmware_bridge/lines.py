"""Every wire as it is now, for whoever tries the table with a screwdriver in the hand.

Only counters are kept meanwhile; the rest is put together when somebody asks. Nothing here tells of cards.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from firmware_bridge.coin_slot import Outcome, State

Agreement = Literal["agrees", "waits", "doubted", "contradicts"]
"""`waits`: the lamp has changed and the sense line has its time. `doubted`: it differed once."""
ShoeState = Literal["sought", "found", "lost", "broken"]
"""`sought`: not heard yet since the start. `broken`: its memory contradicts itself."""


class LineView(msgspec.Struct, frozen=True):
    """One wire: inputs as read now, outputs as set.

    `since_ms` is how long it has been at this level, `edges` how often it changed since the start, as seen:
    by its edges, and for the sense lines, which are only looked at, at each look.
    """

    name: str
    direction: Literal["in", "out"]
    level: bool
    since_ms: int
    edges: int


class PassageView(msgspec.Struct, frozen=True):
    """The last passage of a slot: a coin or a fault, each state of the beams and its time in microseconds."""

    result: Outcome
    beams: tuple[State, ...]
    beams_us: tuple[int, ...]
    ago_ms: int


class SlotView(msgspec.Struct, frozen=True):
    """One coin slot: what passed it since the start, and the last of it (None: nothing has)."""

    seat: int
    coins: int
    faults: int
    last: PassageView | None


class SenseView(msgspec.Struct, frozen=True):
    """What the sense line of a jackpot lamp says of it."""

    seat: int
    agreement: Agreement


class ShoeView(msgspec.Struct, frozen=True):
    """The line of the shoe: sound and damaged frames since the start, the last card number that was taken.

    `trouble` is the newest thing that is wrong, as a sentence; empty when all is well.
    """

    port_open: bool
    state: ShoeState
    boot_id: int
    last_seq: int
    frames: int
    bad_frames: int
    trouble: str


class LinesView(msgspec.Struct, frozen=True):
    """All wires of one table; `shoe` is None where there is none."""

    lines: tuple[LineView, ...]
    slots: tuple[SlotView, ...]
    senses: tuple[SenseView, ...]
    shoe: ShoeView | None


class Trace:
    """How one wire has changed since the start: its last level, since when (microseconds), how often."""

    __slots__ = ("edges", "level", "since_us")

    def __init__(self, level: bool, since_us: int) -> None:
        self.level = level
        self.since_us = since_us
        self.edges = 0

    def turn(self, level: bool, at_us: int) -> None:
        """The wire was seen at a level; the same again is nothing."""
        if level != self.level:
            self.level = level
            self.since_us = at_us
            self.edges += 1

    def view(self, name: str, direction: Literal["in", "out"], now_us: int) -> LineView:
        """The wire as it is now."""
        return LineView(name, direction, self.level, max(now_us - self.since_us, 0) // 1000, self.edges)
