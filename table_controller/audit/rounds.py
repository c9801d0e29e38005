"""What happened, read from the journal alone, in a process of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

import msgspec

from table_controller.engine.money import money_text
from table_controller.engine.progressive import Award
from table_controller.journal import Entry, read_entries
from table_controller.record import masked
from table_controller.replay import Replay, decode_message
from table_controller.table import messages as m
from table_controller.table.state import TableState, Waiting
from table_controller.table.views import snapshot


class BetsOfSeat(msgspec.Struct, frozen=True):
    """The stakes of one seat as locked, and what became of them."""

    seat: int
    ante_cents: int
    raise_cents: int
    bonus_cents: int
    coin: bool
    folded: bool
    results: dict[str, str]


class RoundReport(msgspec.Struct, frozen=True):
    """One round as the journal has it. Its cards are those that left the shoe, in their order.

    Until it is settled or void no face is told, also not by what was said.
    """

    round: str
    first_entry: int
    last_entry: int
    opened_ms: int
    shown: str
    result: str
    bets: tuple[BetsOfSeat, ...]
    cards: tuple[tuple[str, str], ...]
    alarms: tuple[str, ...]
    said: tuple[str, ...]
    meter_cents: int | None
    awards: tuple[str, ...]


def rounds_of(files: Iterable[str]) -> Iterator[RoundReport]:
    """Every round of journals that follow one another. Raises `JournalRefused` and `ReplayError`."""
    for file in files:
        yield from rounds(read_entries(file))


def newest_rounds(files: Sequence[str], last: int) -> list[RoundReport]:
    """At most so many rounds, the newest ones, in order; no older file is read than that takes.

    Every entry of a file that is read is checked; decided again are only those from a snapshot on, because
    that takes most of the time.
    """
    found: list[RoundReport] = []
    for file in reversed(files):
        seq, snapshot = _start(file, last - len(found))
        found = [*rounds(islice(read_entries(file), seq, None), snapshot), *found]
        if len(found) >= last:
            break
    return found[-last:]


def _start(file: str, last: int) -> tuple[int, bytes | None]:
    """The last entry with a snapshot and so many rounds after it; before the first entry if there is none."""
    opened = 0
    starts: deque[tuple[int, int, bytes | None]] = deque([(0, 0, None)])
    for entry in read_entries(file):
        # The bytes alone: a name that happens to be the same word begins one round earlier.
        opened += b'"RoundOpened"' in entry.facts
        if entry.snapshot is not None:
            starts.append((opened, entry.seq, entry.snapshot))
        while len(starts) > 1 and opened - starts[1][0] >= last:
            starts.popleft()
    return starts[0][1:]


def rounds(entries: Iterable[Entry], snapshot: bytes | None = None) -> Iterator[RoundReport]:
    """Every round that begins in the entries, in order, the one in play last. Raises `ReplayError`.

    `snapshot` is the table before the first of them, where that is not the first of its journal.
    """
    again = Replay(snapshot)
    first: Entry | None = None
    last: Entry | None = None
    said: list[str] = []
    before: TableState | None = None
    for entry in entries:
        message = decode_message(entry)
        state, facts = again.take(entry)
        if any(isinstance(fact, m.RoundOpened) for fact in facts):
            if first is not None and last is not None and before is not None and again.house is not None:
                yield _report(again.house, before, first, last, said)
            first, said = entry, []
        if isinstance(message, m.Said) and not isinstance(message.command, m.SetAmount):
            said.append(_words(message, facts))
        before, last = state, entry
    if first is not None and last is not None and before is not None and again.house is not None:
        yield _report(again.house, before, first, last, said)


def _hand(award: Award) -> str:
    return f"share_of_{award.category_label}" if award.kind == "share" else award.category_label


def _standing(one: Waiting) -> str:
    """What two people have confirmed is owed until it is paid, which may be in a later round."""
    return "confirmed" if one.status == "paid" and one.first_operator else one.status


def _words(message: m.Said, facts: tuple[m.Fact, ...]) -> str:
    """What somebody said, as one line: who, what, why, and whether it was refused."""
    fields = msgspec.structs.asdict(message.command)
    what = " ".join([type(message.command).__name__, *(str(value) for value in fields.values())])
    refused = next((fact.reason for fact in facts if isinstance(fact, m.CommandRefused)), "")
    why = f" ({message.reason})" if message.reason else ""
    return f"{message.role} {message.operator}: {what}{why}" + (f" - refused: {refused}" if refused else "")


def _report(house: m.House, state: TableState, first: Entry, last: Entry, said: list[str]) -> RoundReport:
    view = snapshot(house, state, last.at_ms)
    return RoundReport(
        round=state.round,
        first_entry=first.seq,
        last_entry=last.seq,
        opened_ms=first.wall_ms,
        shown=state.shown,
        result=state.result,
        bets=tuple(
            BetsOfSeat(
                number,
                seat.ante_cents,
                seat.raise_cents,
                seat.bonus_cents,
                seat.coin in ("bet", "lost"),
                seat.folded,
                view.seats[number - 1].results,
            )
            for number, seat in state.numbered()
            if seat.ante_cents or view.seats[number - 1].results
        ),
        cards=tuple((card.card or "??", card.laid or card.place or card.fate) for card in state.cards)
        if state.result
        else tuple(("hidden", card.laid or card.place or card.fate) for card in state.cards),
        alarms=tuple(f"{alarm.alarm} {alarm.place}".strip() for alarm in state.alarms),
        said=tuple(said) if state.result else tuple(masked(one, set()) for one in said),
        meter_cents=None if state.meter is None else state.meter.cents,
        awards=tuple(
            f"seat {one.award.seat} {_hand(one.award)} {money_text(one.award.cents)} {_standing(one)}"
            for one in state.awards
        ),
    )


def rounds_json(reports: Iterable[RoundReport]) -> Iterator[str]:
    """The rounds for programs, each a line."""
    for one in reports:
        yield msgspec.json.encode(one).decode()


def rounds_text(reports: Iterable[RoundReport]) -> Iterator[str]:
    """The rounds as lines for a terminal; a round in play shows no face."""
    for one in reports:
        opened = datetime.fromtimestamp(one.opened_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        outcome = one.result or one.shown
        yield f"{one.round}  {opened}  {outcome}  entries {one.first_entry} to {one.last_entry}"
        for bet in one.bets:
            stakes = [f"ante {money_text(bet.ante_cents)}"] if bet.ante_cents else []
            stakes += [f"raise {money_text(bet.raise_cents)}"] if bet.raise_cents else []
            stakes += ["folded"] if bet.folded else []
            stakes += [f"bonus {money_text(bet.bonus_cents)}"] if bet.bonus_cents else []
            stakes += ["coin"] if bet.coin else []
            results = ", ".join(f"{name} {text}" for name, text in bet.results.items() if text != "none")
            yield f"  seat {bet.seat}: {', '.join(stakes) or 'no bet'} -> {results or 'open'}"
        places: dict[str, list[str]] = {}
        for face, place in one.cards:
            places.setdefault(place, []).append(face)
        for place, faces in places.items():
            yield f"  {'dealer' if place == 'D' else place}: {' '.join(faces)}"
        for title, lines in (("alarms", one.alarms), ("awards", one.awards), ("said", one.said)):
            if lines:
                yield f"  {title}: {'; '.join(lines)}"
        if one.meter_cents is not None:
            yield f"  meter {money_text(one.meter_cents)}"
