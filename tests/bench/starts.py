"""Starting on a journal of a million entries against starting on an empty one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import msgspec

from table_controller.app import house_of
from table_controller.config import load_table
from table_controller.journal import Journal
from table_controller.replay import Snapshot, digest_of, encode_facts, encode_message
from table_controller.service import SNAPSHOT_EVERY
from table_controller.table.messages import (
    AnyMessage,
    ChipsLifted,
    ChipsPlaced,
    CoinDropped,
    House,
    KeyPressed,
    ReturnCoin,
    Said,
    ShoeFound,
    Stamp,
    Started,
)
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import step
from table_controller.tide_mark import SUFFIX
from tests.bench.table import Table, folder
from tests.bench.verdict import Verdict, at_most, percentile

ENTRIES: Final = 1_000_000
STARTS: Final = 5
MOST_S: Final = 2.0
ENTRIES_A_COMMIT: Final = 20_000
EVERY_MS: Final = 250
WALL_MS: Final = 1_790_000_000_000
FILES: Final = ("", "-wal")

BEGINNING: Final[tuple[AnyMessage, ...]] = (ShoeFound(7, 1), KeyPressed("open"))
# What players do while bets are open; after it the table is as it was before.
PASTIME: Final[tuple[AnyMessage, ...]] = tuple(
    message
    for seat in range(1, 8)
    for message in (
        ChipsPlaced("ante", seat),
        CoinDropped(seat),
        Said(ReturnCoin(seat), "dealer", "dealer"),
        ChipsLifted("ante", seat),
    )
)


def starting() -> Verdict:
    """Median of several starts, each on a file that was dropped from the page cache first.

    The journal is as a power cut leaves it: not closed, its log beside it, and as far from its last
    snapshot as the service ever lets it be.
    """
    with folder() as place, Table(place) as table:
        kept, empty = place / "kept", place / "empty"
        shutil.copyfile(table.journal, empty)
        fill(kept, house_of(load_table(table.config)), ENTRIES)
        full_s: list[float] = []
        empty_s: list[float] = []
        for _ in range(STARTS):
            _lay(table, kept)
            full_s.append(_start(table))
            _lay(table, empty)
            empty_s.append(_start(table))
        what = f"start on {ENTRIES:,} entries not in memory, peer a journal just installed"
        return at_most(what, percentile(full_s, 50), percentile(empty_s, 50), MOST_S, "s")


def fill(path: Path, house: House, entries: int) -> None:
    """Make a journal of so many entries, and the log that an uncommitted one leaves beside it.

    Every entry is what `step` decides. The pastime comes round to the same states, and no time limit
    runs in them, so that each different step is taken once and remembered.
    """
    state = new_state(house)
    journal = Journal.open(str(path), house.table, WALL_MS)
    started = Started((), True, True, "bench", house)
    known: dict[tuple[bytes, bytes], tuple[TableState, bytes, bytes]] = {}
    encoded = encode_state(state)
    for number in range(entries):
        message = _message(number, started)
        stamp = Stamp(number * EVERY_MS, WALL_MS + number * EVERY_MS)
        said = encode_message(message)
        if (encoded, said) not in known:
            after, facts = step(house, state, stamp, message, encoded)
            known[encoded, said] = after, encode_state(after), encode_facts(facts)
        state, encoded, decided = known[encoded, said]
        kept = msgspec.json.encode(Snapshot(house, state)) if number % SNAPSHOT_EVERY == 0 else None
        journal.append(1, stamp.at_ms, stamp.wall_ms, said, decided, digest_of(encoded), kept)
        if number % ENTRIES_A_COMMIT == 0:
            journal.commit()
    journal.commit()
    journal.append(1, 0, WALL_MS, b"never committed", b"", b"")
    journal.close()


def _message(number: int, started: Started) -> AnyMessage:
    if number == 0:
        return started
    if number <= len(BEGINNING):
        return BEGINNING[number - 1]
    return PASTIME[(number - 1 - len(BEGINNING)) % len(PASTIME)]


def _lay(table: Table, kept: Path) -> None:
    """Put a copy of the kept journal in the table's place and drop it from the page cache."""
    # The mark would tell that an older copy lies there, which is so.
    Path(f"{table.journal}{SUFFIX}").unlink(missing_ok=True)
    for suffix in FILES:
        source, target = f"{kept}{suffix}", f"{table.journal}{suffix}"
        if os.path.exists(target):
            os.remove(target)
        if not os.path.exists(source):
            continue
        shutil.copyfile(source, target)
        fd = os.open(target, os.O_RDONLY)
        try:
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(fd)


def _start(table: Table) -> float:
    seconds = table.start_service()
    table.stop_service()
    return seconds
