"""What the figures of a house come to, as tables of text: for the terminal and for the par sheet alike.

Tables hold text only; every figure in them was rounded once, from its exact value, when the row was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from textwrap import wrap
from typing import Final

import msgspec

from table_controller.engine.house_rules import HouseRules, option_texts

WIDTH: Final = 110
_GAP: Final = "  "
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9,.]*%?( to 1)?|1 in [0-9,.]+|never|-|")


class Table(msgspec.Struct, frozen=True):
    """Rows below heads, sentences below both; `kind` names its look on paper.

    `drawing` is an SVG that stands above the rows on paper, or instead of them.
    """

    kind: str
    title: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[str, ...] = ()
    drawing: str = ""
    drawing_says_all: bool = False


def rules_hash(rules: HouseRules) -> str:
    """SHA-256 over every option with its value, a line `option = value` each, in the order of the options.

    Two files that come to the same house rules have the same hash, whatever preset they start from.
    """
    lines = "".join(f"{option} = {text}\n" for option, text in option_texts(rules).items())
    return sha256(lines.encode()).hexdigest()


def is_number(cell: str) -> bool:
    """Whether a cell stands at the right of its column."""
    return _NUMBER.fullmatch(cell) is not None


def right_columns(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Which columns hold nothing but numbers."""
    return [all(map(is_number, column)) for column in zip_longest(*rows, fillvalue="")]


def tables_text(tables: Iterable[Table]) -> str:
    """The tables for a terminal, each below its title in capitals."""
    lines: list[str] = []
    for table in tables:
        lines += [table.title.upper(), *_rows(table), *_sentences(table.lines), ""]
    return "\n".join(lines)


def _rows(table: Table) -> Iterator[str]:
    if not table.rows:
        return
    right = right_columns(table.rows)
    every = [table.heads, *table.rows] if table.heads else list(table.rows)
    widths = [max(map(len, column)) for column in zip_longest(*every, fillvalue="")]
    for row in every:
        cells = [
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(row, widths, right, strict=False)
        ]
        yield (_GAP + _GAP.join(cells)).rstrip()


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from wrap(line, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)


def printable(text: str) -> str:
    """A name or path as it may be shown: what no terminal or paper shows is replaced."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
