"""Whole cents as people write them: `10.00`."""

from __future__ import annotations

import re
from typing import Final

# Fourteen digits with the cents (STANDARDS.md, item 7); a program in a browser reads that many cents exactly.
_AMOUNT: Final = re.compile(r"(0|[1-9][0-9]{0,11})\.([0-9]{2})")


def money_text(cents: int) -> str:
    """Write whole cents with two decimals, `1000` as `10.00`; a debt has a minus sign before it."""
    units, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{units}.{part:02d}"


def parse_money(text: str) -> int:
    """Read an amount of exactly two decimals, below 10 to the 12th and never negative, as whole cents.

    Raises `ValueError` naming the text and what is allowed (HOUSE_RULES.md, The form of a
    house-rule file).
    """
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        raise ValueError(f'{text!r} is no amount: allowed is "0.00" to "999999999999.99", with two decimals')
    return int(amount[1] + amount[2])
