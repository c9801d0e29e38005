"""Exact fractions as people read them: decimals, percentages, one in so many, groups of three digits.

Every figure is a `Fraction` until it is written here. The last digit is rounded half up, away from
zero, from the exact value; no float is on the way.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any, Final

PLACES: Final = 14


def decimal_text(value: Fraction | int, places: int = PLACES) -> str:
    """The value with so many digits after the point, `-0.05224305771578`."""
    # Half up of the size, so that a loss is rounded like a win.
    units = (2 * abs(value.numerator) * 10**places + value.denominator) // (2 * value.denominator)
    whole, part = divmod(units, 10**places)
    sign = "-" if value < 0 and units else ""
    return f"{sign}{whole}.{part:0{places}d}" if places else f"{sign}{whole}"


def root_text(square: Fraction) -> str:
    """The square root with 14 digits after the point, by whole numbers."""
    # One digit more of the root decides which way the last one is rounded.
    finer = 10 ** (PLACES + 1)
    return decimal_text(Fraction(isqrt(square.numerator * finer**2 // square.denominator), finer))


def percent_text(value: Fraction | int, places: int = 2) -> str:
    """The value in hundredths, `96.30%`."""
    return f"{decimal_text(Fraction(value) * 100, places)}%"


def grouped(count: int) -> str:
    """A large number in groups of three digits, `19,933,230,517,200`."""
    return f"{count:,}"


def one_in_text(probability: Fraction) -> str:
    """How often it comes, `1 in 34.83`; with two digits after the point below a thousand, else none."""
    if not probability:
        return "never"
    once_in = 1 / probability
    if once_in < 1000:
        return f"1 in {decimal_text(once_in, 2)}"
    return f"1 in {grouped(int(decimal_text(once_in, 0)))}"


def fraction_json(value: Fraction) -> dict[str, Any]:
    """The value for programs: numerator and denominator in lowest terms, and the decimal."""
    return {"num": value.numerator, "den": value.denominator, "dec": decimal_text(value)}
