"""The names of the wires of a table: the pin map that the table and its simulator share.

A line has one name, one direction and one meaning. Which pin carries it is the business of
`table.toml`. This module imports nothing of the project, so that the simulator can use it without
learning anything else about the program it tests (ARCHITECTURE.md, The tree).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Need = Literal["always", "bonus", "progressive", "optional"]

KEYS = ("lock", "close", "reveal", "clear", "open")
COIN_SLOT = ("coin_a", "coin_b", "coin_accept", "lamp")


class Line(NamedTuple):
    """One wire: its name, its direction seen from the controller, who needs it, what it means."""

    name: str
    direction: Literal["in", "out"]
    need: Need
    meaning: str


def table_lines(seats: int) -> tuple[Line, ...]:
    """Every line that a table of that many seats can have, the table's own first, then by seat."""
    lines = [
        Line(f"key.{key}", "in", "always", f"dealer's key {key.upper()}, high = pressed") for key in KEYS
    ]
    lines += [
        Line("light.green", "out", "always", "traffic light green, high = lit"),
        Line("light.yellow", "out", "always", "traffic light yellow, high = lit"),
        Line("light.red", "out", "always", "traffic light red, high = lit"),
        Line("call", "out", "optional", "call lamp for the supervisor, high = lit"),
        Line("meter_well", "in", "optional", "progressive meter, high = well"),
        Line("display_well", "in", "optional", "meter display, high = well"),
        Line("door", "in", "optional", "cabinet door, high = closed"),
        Line("mains_well", "in", "optional", "mains supply, high = well"),
    ]
    for seat in range(1, seats + 1):
        lines += [
            Line(f"ante.{seat}", "in", "always", f"seat {seat}: chips on the ante spot, high = covered"),
            Line(f"raise.{seat}", "in", "always", f"seat {seat}: chips on the raise spot, high = covered"),
            Line(f"bonus.{seat}", "in", "bonus", f"seat {seat}: chips on the bonus spot, high = covered"),
            Line(f"coin_a.{seat}", "in", "progressive", f"seat {seat}: upper beam of the slot, high = dark"),
            Line(f"coin_b.{seat}", "in", "progressive", f"seat {seat}: lower beam of the slot, high = dark"),
            Line(
                f"coin_accept.{seat}", "out", "progressive", f"seat {seat}: slot open, low = coins rejected"
            ),
            Line(f"lamp.{seat}", "out", "progressive", f"seat {seat}: jackpot lamp, high = lit"),
            Line(
                f"lamp_sense.{seat}",
                "in",
                "optional",
                f"seat {seat}: sense of the lamp, high = current flows",
            ),
        ]
    return tuple(lines)


def default_lines(seats: int) -> dict[str, int]:
    """A pin number for every line: the map of the simulated table, numbered from 0 without a gap.

    The table's own lines come first, so that another number of seats moves no other pin.
    """
    return {line.name: number for number, line in enumerate(table_lines(seats))}
