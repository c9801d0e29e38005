"""The counts kept in the user's cache folder, so that they are computed once on a machine.

The file is believed only if it was made by the very program that reads it (the hash of the sources that
the counts come from, and numpy's version) and its checksum is right. Anything else, a missing folder or a
full disk included, costs the time of computing them, and nobody has to know. The checksum finds damage; it
is no seal against somebody who can write in that folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from table_controller.engine import cards, hands
from table_controller.odds import counts, dealers, patterns
from table_controller.odds.counts import TYPES, Counts, count

FILE: Final = "counts.bin"
VERSION: Final = 1
"""Of the form of the file; what is in it is told by the sources."""
_MADE_FROM: Final = (cards, hands, patterns, dealers, counts)
_CHECKSUM_BYTES: Final = sha256().digest_size
# The widest numbers first, so that each array begins where numpy likes it.
_ORDER: Final = sorted(TYPES, key=lambda name: np.dtype(TYPES[name]).itemsize, reverse=True)
_ROW_BYTES: Final = sum(np.dtype(kind).itemsize for kind in TYPES.values())


def cache_folder() -> Path:
    """Where the user's programs keep what they can make again: XDG_CACHE_HOME or ~/.cache.

    Raises `RuntimeError` where there is no home.
    """
    # A relative path is to be ignored (XDG Base Directory Specification).
    stated = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (stated if stated.is_absolute() else Path.home() / ".cache") / "table-controller"


def load(folder: Path | None = None) -> Counts:
    """The counts from the cache, or else computed and put there if that is possible."""
    try:
        place = (folder or cache_folder()) / FILE
        mark = _mark()
    except (OSError, RuntimeError):
        return count()
    with suppress(OSError, ValueError):
        return _read(place, mark)
    found = count()
    with suppress(OSError):
        _write(place, mark, found)
    return found


def _mark() -> bytes:
    """The first line of a file that this program may believe. Raises `OSError` without sources."""
    sources = sha256()
    for module in _MADE_FROM:
        sources.update(Path(module.__file__ or "").read_bytes())
    return f"counts {VERSION} {sys.byteorder} numpy {np.__version__} {sources.hexdigest()}\n".encode()


def _read(place: Path, mark: bytes) -> Counts:
    """Raises `ValueError` for a file that is not believed, and `OSError` for none."""
    if not place.is_file():
        raise FileNotFoundError(place)
    data = place.read_bytes()
    begin = len(mark) + _CHECKSUM_BYTES
    body = memoryview(data)[begin:]
    length, rest = divmod(len(body), _ROW_BYTES)
    if not data.startswith(mark) or rest or _checksum(body) != data[len(mark) : begin]:
        raise ValueError(f"{place}: not the counts of this program, or damaged")
    arrays: dict[str, Any] = {}
    for name in _ORDER:
        arrays[name] = np.frombuffer(body, TYPES[name], length)
        body = body[arrays[name].nbytes :]
    return Counts(**arrays)


def _write(place: Path, mark: bytes, found: Counts) -> None:
    """Put the file there as a whole or not at all; without waiting for the disk, as the checksum tells."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made, name = tempfile.mkstemp(dir=place.parent, prefix=FILE)
    try:
        with open(made, "wb") as file:
            file.write(mark + _checksum(*_arrays(found)))
            for array in _arrays(found):
                file.write(array)
        os.replace(name, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _arrays(found: Counts) -> Iterator[memoryview]:
    for name in _ORDER:
        yield getattr(found, name).data


def _checksum(*parts: memoryview) -> bytes:
    checksum = sha256()
    for part in parts:
        checksum.update(part)
    return checksum.digest()
