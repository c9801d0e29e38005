"""Small files that several programs write: replaced whole, and by one at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager


def replace(place: str, text: str, mode: int) -> None:
    """Write beside and rename: a reader finds the old file or the new one, whole. Raises `OSError`."""
    beside = f"{place}.new"
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with open(number, "w", encoding="utf-8") as file:
        os.fchmod(number, mode)
        file.write(text)
        file.flush()
        os.fsync(number)
    os.replace(beside, place)


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Two who change files of a folder at the same time do it one after the other. Raises `OSError`."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
