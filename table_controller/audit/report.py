"""Which entries a report is about: a gaming day, a shift, a range of rounds.

Every entry of a file belongs to one day and to one shift, so that days add up to the file and shifts to the
day: the first day begins with the file, a day lasts until the next one opens, a shift until the next one
has the table. That entries are those that were written is for `verify` to say.
"""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.audit.accounts import Accounts, Origin, Report
from table_controller.audit.standing import Standing
from table_controller.journal import Entry
from table_controller.replay import decode_facts, decode_message
from table_controller.table import messages as m


class RangeUnknown(Exception):
    """The journal has no such day, shift or rounds; the text says which it has."""


def _count_of(number: str) -> int:
    """The count at the end of a round number."""
    return int(number.rpartition("-")[2])


class _Reading:
    """A journal cut into the ranges of one kind, one after the other."""

    def __init__(self, by_shift: bool, rounds: tuple[int, int] | None) -> None:
        self.standing = Standing()
        self.by_shift, self.rounds = by_shift, rounds
        self.current: Accounts | None = None
        self.done: list[Accounts] = []
        self.days: list[int] = []
        self.counts: list[int] = []
        self.software: str = ""
        self.carried: Origin | None = None

    def take(self, entry: Entry) -> None:
        """One more entry; it may begin another range."""
        told = entry.facts != b"[]" or b'"Started"' in entry.message or b'"Carried"' in entry.message
        message = decode_message(entry) if told else m.TimePassed()
        facts = decode_facts(entry) if told else []
        if isinstance(message, m.Started | m.Installed):
            self.software = message.software
        if isinstance(message, m.Carried):
            self.carried = Origin(message.file, message.entries, message.head)
        cut = self._cut(entry, facts)
        before = self.standing.now()[1] if b'"share_kept"' in entry.facts else None
        if cut is not None:
            self.end(entry)
        self.standing.take(entry)
        if cut is not None:
            self.current = Accounts(entry, self.standing.now()[1], *cut)
        if self.current is None:
            return
        self.current.take(entry, message, facts, before)
        if any(isinstance(fact, m.RoundCleared) for fact in facts):
            self.current.round_over(entry, *self.standing.now())

    def _cut(self, entry: Entry, facts: list[m.AnyFact]) -> tuple[int, str, int] | None:
        """Day, shift and number of the range that begins with this entry, if one does."""
        day = next((fact.day for fact in facts if isinstance(fact, m.DayOpened)), 0)
        shift = next((fact.after for fact in facts if isinstance(fact, m.ShiftChanged)), "")
        opened = next((_count_of(fact.round) for fact in facts if isinstance(fact, m.RoundOpened)), 0)
        now = self.current
        if opened:
            self.counts.append(opened)
        if self.rounds is not None:
            if opened and opened == self.rounds[0]:
                return 0, "", 0
            if now is not None and opened > self.rounds[1]:
                self.end(entry)
            return None
        if day:
            self.days.append(day)
            if now is not None and len(self.days) == 1:
                # What came ahead of the first opening, a file carried on or parameters, is of that day.
                now.day = day
                return None
            return day, "", 0
        if now is None:
            return 0, "", 0
        return (now.day, shift, now.number + 1) if shift and self.by_shift else None

    def end(self, until: Entry | None = None) -> None:
        """The range that is read ends with the last entry, ahead of `until`."""
        if self.current is not None:
            if until is not None:
                self.current.on_duty_until(until)
            self.current.end(*self.standing.now())
            self.done.append(self.current)
            self.current = None


def report(
    entries: Iterable[Entry],
    day: int | None = None,
    shift: str | None = None,
    rounds: tuple[int, int] | None = None,
) -> Report:
    """The report of a gaming day, the newest if none is named, of a shift in it, or of rounds from A to B.

    `shift` is its name, the newest of that name, or its number in the day; what comes ahead of the first
    one has the number 0. `rounds` are counts, the ends of round numbers; payments until the next OPEN
    belong to the last one. Raises `RangeUnknown`, and `ReplayError` for an entry that this version does
    not know (STANDARDS.md, items 3, 8 and 13).
    """
    reading = _Reading(shift is not None, rounds)
    for entry in entries:
        reading.take(entry)
    reading.end()
    found, title = _found(reading, day, shift, rounds)
    return found.report(title, reading.software, reading.carried)


def _found(
    reading: _Reading, day: int | None, shift: str | None, rounds: tuple[int, int] | None
) -> tuple[Accounts, str]:
    if rounds is not None:
        if not reading.done or rounds[1] not in reading.counts or rounds[1] < rounds[0]:
            known = f"{reading.counts[0]} to {reading.counts[-1]}" if reading.counts else "none"
            raise RangeUnknown(f"rounds {rounds[0]} to {rounds[1]} are unknown: the journal has {known}")
        return reading.done[0], f"rounds {rounds[0]} to {rounds[1]}"
    newest = reading.done[-1].day if reading.done else 0
    wanted = newest if day is None else day
    of_day = [one for one in reading.done if one.day == wanted]
    if not of_day or (day is not None and day not in reading.days):
        known = ", ".join(map(str, reading.days)) or "none"
        raise RangeUnknown(f"gaming day {wanted} is unknown: the journal has {known}")
    title = f"gaming day {wanted}" if wanted else "the whole journal"
    if shift is None:
        return of_day[-1], title
    named = [one for one in of_day if one.shift == shift] if shift else []
    named = named or [one for one in of_day if str(one.number) == shift]
    if not named:
        known = ", ".join(f"{one.number} {one.shift}".strip() for one in of_day)
        raise RangeUnknown(f"shift {shift} is unknown: {title} has {known}")
    one = named[-1]
    return one, f"shift {f'{one.shift}, ' if one.shift else ''}number {one.number} of {title}"
