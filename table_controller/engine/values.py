"""One value of a house-rule file: what may stand there, and what it comes to.

Every reader raises `ValueError` with what was found and what is allowed, a pay table with one
argument for each thing that is wrong; whoever reads the whole file adds the place (HOUSE_RULES.md,
The form of a house-rule file).
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from table_controller.engine.money import money_text, parse_money

WHOLE_PPM: Final = 1_000_000

# A bound far above any house, so that a slip of the finger is found, and every product of money with
# odds or shares stays a number of 64 bits.
LARGEST_COUNT: Final = 1_000_000

# What a screen can show of a value that somebody wrote.
_LONGEST_SHOWN: Final = 80

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


_NO_PAY: Final = (0, Prize())


def written(value: object) -> str:
    """A value as a TOML file writes it, on one line and cut to a length that a screen can show."""
    if isinstance(value, str):
        # Only these can stand between single quotes; in double quotes the rest is escaped.
        plain = value.isprintable() and "'" not in value
        text = f"'{value}'" if plain else msgspec.json.encode(value).decode()
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, list):
        text = f"[{', '.join(map(written, value))}]"
    elif isinstance(value, dict):
        text = f"{{{', '.join(f'{key} = {written(item)}' for key, item in value.items())}}}"
    elif isinstance(value, int) and value.bit_length() > 64:
        # Python refuses to write numbers of thousands of digits in tens.
        text = hex(value)
    else:
        # A number, a date or a time, which look alike in Python.
        text = "nothing" if value is None else str(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def share_text(ppm: int) -> str:
    """Write millionths as a house-rule file does, 490000 as `0.49`."""
    return f"{ppm // WHOLE_PPM}.{ppm % WHOLE_PPM:06d}".rstrip("0").rstrip(".")


def read_whole(value: object, least: int, most: int) -> int:
    """A whole number."""
    # `true` is a whole number to Python and none to a house.
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"found {written(value)}, allowed is a whole number from {least} to {most}")
    return value


def read_amount(value: object, least: int) -> int:
    """An amount, in cents."""
    try:
        cents = parse_money(value) if isinstance(value, str) else -1
    except ValueError:
        cents = -1
    if cents < least:
        raise ValueError(
            f"found {written(value)}, allowed is an amount as text with two decimals,"
            f' "{money_text(least)}" to "999999999999.99"'
        )
    return cents


def read_share(value: object) -> int:
    """A share, in millionths."""
    share = _SHARE.fullmatch(value) if isinstance(value, str) else None
    ppm = int(share[1]) * WHOLE_PPM + int((share[2] or "").ljust(6, "0")) if share else -1
    if not 0 <= ppm <= WHOLE_PPM:
        raise ValueError(
            f'found {written(value)}, allowed is a share as text, "0" to "1", at most six decimals'
        )
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
            f'found {written(value)}, allowed is a percentage from "0%" to "100%", at most four decimals,'
            ' or an amount such as "500.00"'
        ) from None


def read_pay_table(option: str, value: object) -> tuple[Any, ...]:
    """A whole pay table: `raise` always ten numbers, the others without the lines that pay nothing.

    Raises `ValueError` with every problem of the table, one argument each.
    """
    if not isinstance(value, list):
        raise ValueError(f"found {written(value)}, allowed is a list from the royal downwards")
    problems: list[str] = []
    lengths, allowed = _LENGTHS[option]
    if len(value) not in lengths:
        count = f"{len(value)} line{'s' * (len(value) != 1)}"
        problems.append(f"found {count}, allowed is {allowed}, from the royal downwards")
    # A line that is wrong is None, so that no gap is concluded from it.
    lines: list[Any] = []
    for number, found in enumerate(value[: max(lengths)], 1):
        try:
            line = _read_line(option, number, found)
        except ValueError as problem:
            problems.append(f"line {number}: {problem}")
            line = None
        if lines and lines[-1] in _NO_PAY and line not in (None, *_NO_PAY):
            problems.append(f"found a gap: line {number - 1} pays nothing and line {number} pays")
        lines.append(line)
    if problems:
        raise ValueError(*problems)
    if option == "raise":
        return tuple(lines + lines[-1:])[:10]
    # Lines that pay nothing at the end are no lines; no paying line at all is no such bet.
    return tuple(line for line in lines if line not in _NO_PAY)


def _read_line(option: str, number: int, value: object) -> int | Prize:
    if option != "progressive":
        return read_whole(value, 0, LARGEST_COUNT)
    prize = read_prize(value)
    if number == 1 and prize.cents:
        # The royal resets the meter: with a fixed amount the players' shares would go to nobody.
        raise ValueError(f"found {written(value)}, allowed is a percentage, as the royal resets the meter")
    return prize
