"""One value of a house-rule file: what may stand there, and what it comes to.

Every reader raises `ValueError` with what was found and what is allowed; whoever reads the whole
file adds the place (HOUSE_RULES.md, The form of a house-rule file).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

import msgspec

from table_controller.engine.money import money_text, parse_money

WHOLE_PPM: Final = 1_000_000

# A bound far above any house, so that a slip of the finger is found, and every product of money with
# odds or shares stays a number of 64 bits.
LARGEST_COUNT: Final = 1_000_000

_SHARE: Final = re.compile(r"(0|1)(?:\.([0-9]{1,6}))?")
_LENGTHS: Final = {
    "raise": ((9, 10), "9 or 10"),
    "bonus": ((0, 7), "7, or none"),
    "progressive": (range(11), "at most 10"),
}
_PERCENT: Final = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,4}))?%")


class Prize(msgspec.Struct, frozen=True):
    """One line of the progressive pay table: a share of the meter (`ppm`, millionths) or an amount."""

    ppm: int = 0
    cents: int = 0

    def of(self, base_cents: int) -> int:
        """The prize in whole cents when the meter is `base_cents`; a percentage is rounded down."""
        return base_cents * self.ppm // WHOLE_PPM if self.ppm else self.cents

    @property
    def text(self) -> str:
        """As the house-rule file writes it: `10%` or `500.00`."""
        if not self.ppm:
            return money_text(self.cents)
        whole, part = divmod(self.ppm, 10_000)
        return f"{whole}.{part:04d}".rstrip("0").rstrip(".") + "%"


def read_whole(value: object, least: int, most: int) -> int:
    """A whole number."""
    # `true` is a whole number to Python and none to a house.
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"found {value!r}, allowed is a whole number from {least} to {most}")
    return value


def read_amount(value: object, least: int) -> int:
    """An amount, in cents."""
    try:
        cents = parse_money(value) if isinstance(value, str) else -1
    except ValueError:
        cents = -1
    if cents < least:
        raise ValueError(
            f"found {value!r}, allowed is an amount as text with two decimals,"
            f' "{money_text(least)}" to "999999999.99"'
        )
    return cents


def read_share(value: object) -> int:
    """A share, in millionths."""
    share = _SHARE.fullmatch(value) if isinstance(value, str) else None
    ppm = int(share[1]) * WHOLE_PPM + int((share[2] or "").ljust(6, "0")) if share else -1
    if not 0 <= ppm <= WHOLE_PPM:
        raise ValueError(f'found {value!r}, allowed is a share as text, "0" to "1", at most six decimals')
    return ppm


def read_prize(value: object) -> Prize:
    """A line of the progressive."""
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if percent:
        ppm = int(percent[1]) * 10_000 + int((percent[2] or "").ljust(4, "0"))
        if ppm <= WHOLE_PPM:
            return Prize(ppm=ppm)
    try:
        return Prize(cents=read_amount(value, 0))
    except ValueError:
        raise ValueError(
            f'found {value!r}, allowed is a percentage from "0%" to "100%", at most four decimals,'
            ' or an amount such as "500.00"'
        ) from None


def read_pay_table(option: str, value: object) -> tuple[Any, ...]:
    """A whole pay table: `raise` always ten numbers, the others without the lines that pay nothing."""
    if not isinstance(value, list):
        raise ValueError(f"found {value!r}, allowed is a list from the royal downwards")
    lengths, allowed = _LENGTHS[option]
    if len(value) not in lengths:
        raise ValueError(f"found {len(value)} lines, allowed is {allowed}, from the royal downwards")
    lines: list[Any] = []
    for number, line in enumerate(value, 1):
        try:
            lines.append(read_prize(line) if option == "progressive" else read_whole(line, 0, LARGEST_COUNT))
        except ValueError as problem:
            raise ValueError(f"line {number}: {problem}") from None
    paying = [line not in (0, Prize()) for line in lines]
    for number, (upper, lower) in enumerate(pairwise(paying), 1):
        if lower and not upper:
            raise ValueError(f"found a gap: line {number} pays nothing and line {number + 1} pays")
    if option == "raise":
        return tuple(lines + lines[-1:])[:10]
    # Lines that pay nothing at the end are no lines; no paying line at all is no such bet.
    return tuple(lines[: sum(paying)])
