"""Tables for a terminal and for a spreadsheet: columns, amounts to the last fraction, dates, CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Final

from table_controller.engine.money import money_text
from table_controller.engine.progressive import EXACT
from table_controller.record import plain

GAP: Final = "  "
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.:]*")
# What a spreadsheet would take for a formula, whoever typed it.
_FORMULA: Final = ("=", "+", "-", "@")


def exact_text(exact: int) -> str:
    """Millionths of a cent as an amount: two decimals, and as many more as there are parts of a cent."""
    whole_cents, part = divmod(abs(exact), EXACT)
    sign = "-" if exact < 0 else ""
    return f"{sign}{money_text(whole_cents)}{f'{part:06}'.rstrip('0') if part else ''}"


def utc_text(wall_ms: int) -> str:
    """Date and time for people, UTC, to the second."""
    return datetime.fromtimestamp(wall_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def columns(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows in aligned columns below their heads; numbers stand at the right of theirs."""
    table = [list(map(plain, row)) for row in rows]
    if not table:
        return
    lines = [list(heads), *table]
    widths = [max(map(len, column)) for column in zip_longest(*lines, fillvalue="")]
    # A column is one of numbers if everything in it is, blanks and dashes left out.
    right = [
        all(cell in ("", "-") or _NUMBER.fullmatch(cell) for cell in column)
        for column in zip_longest(*table, fillvalue="")
    ]
    for line in lines:
        cells = (
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(line, widths, right, strict=False)
        )
        yield (GAP + GAP.join(cells)).rstrip()


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV (RFC 4180) with one line of heads; no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(heads)
    for row in rows:
        writer.writerow([_cell(plain(cell)) for cell in row])
    return out.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
