"""The log of hits: every award with its document, what proved it, who decided and who paid.

Read from facts alone, over as many files as there are days. An award never leaves the log: one that was
rejected or withdrawn stays in it with its reason (STANDARDS.md, items 40, 41 and 45).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from table_controller.audit.paper import utc_text
from table_controller.journal import Entry, read_entries
from table_controller.replay import decode_facts, decode_message
from table_controller.table import messages as m

LAST: Final = 25
"""So many are shown where nobody asks for more."""
_WANTED: Final = (b'"Hit', b'"MeterReset"', b'"AwardSeconded"')
_COUNTED: Final = b'"CountStub"'

Status = Literal["waits", "owed", "withheld", "paid", "rejected", "withdrawn"]


class Check(msgspec.Struct, frozen=True):
    """A payment was withheld, or released again: for which check, by whom and why."""

    wall_ms: int
    what: Literal["withheld", "released"]
    hold: str
    operator: str
    reason: str


class Hit(msgspec.Struct, kw_only=True):
    """One award. `meter_cents` is the meter at the hit, `reset_cents` the reset if the award led to one.

    Entry, hash and file are those in which it was found. `stub_cards` is how many cards were counted in the
    rest of the deck before the decision, None while none were, `deck_complete` whether that was all of it.
    """

    document: str
    table: str
    round: str
    seat: int
    hand: str
    kind: str
    cards: tuple[str, ...]
    wall_ms: int
    entry: int
    chain: str
    file: str
    meter_cents: int
    cents: int
    take_cents: int
    house_cents: int
    dealer: str
    status: Status
    reset_cents: int | None = None
    meter_after_cents: int | None = None
    stub_cards: int | None = None
    deck_complete: bool = False
    decided_by: tuple[str, ...] = ()
    seconded_ms: int | None = None
    decided_ms: int | None = None
    reason: str = ""
    camera: str = ""
    checks: list[Check] = []
    paid_by: str = ""
    paid_at: str = ""
    paid_ms: int | None = None
    withdrawn_ms: int | None = None
    known_until: str = ""
    """Of a hit that is not paid: up to where these files tell, because a later one may say more."""


class JournalFile(msgspec.Struct, frozen=True):
    """One file that was read: its entries, the hash over them, and the file that it says it goes on from."""

    name: str
    first_at_ms: int
    entries: int
    head: str
    goes_on_from: str = ""
    head_of_that: str = ""


class HitLog(msgspec.Struct, frozen=True):
    """Hits in the order in which they were found. `gaps` says in words what is not in these files."""

    files: tuple[JournalFile, ...]
    gaps: tuple[str, ...]
    found: int
    hits: tuple[Hit, ...]


class _File:
    """What one file tells about hits, in its order; decisions can be about a hit of another file."""

    def __init__(self, path: str, entries: Iterable[Entry]) -> None:
        self.name = os.path.basename(path)
        self.kept: list[Entry] = []
        first: Entry | None = None
        last: Entry | None = None
        for entry in entries:
            first = first or entry
            last = entry
            # The bytes tell most entries apart without being decoded.
            if any(word in entry.facts for word in _WANTED) or _COUNTED in entry.message:
                self.kept.append(entry)
        self.ended = utc_text(last.wall_ms) if last else ""
        origin = decode_message(first) if first is not None and b'"Carried"' in first.message else None
        before = origin if isinstance(origin, m.Carried) else None
        self.file = JournalFile(
            name=self.name,
            first_at_ms=first.at_ms if first else 0,
            entries=last.seq if last else 0,
            head=last.chain.hex() if last else "",
            goes_on_from=before.file if before else "",
            head_of_that=before.head if before else "",
        )


class _Log:
    """The hits so far, by their documents."""

    def __init__(self) -> None:
        self.hits: dict[str, Hit] = {}
        self.round: list[Hit] = []
        self.seconded: dict[str, int] = {}
        self.stub_cards: int | None = None

    def take(self, entry: Entry, file: str) -> None:
        """One entry that tells something about hits."""
        message = decode_message(entry)
        facts = decode_facts(entry)
        if isinstance(message, m.Said) and isinstance(message.command, m.CountStub):
            refused = any(isinstance(fact, m.CommandRefused) for fact in facts)
            self._counted(None if refused else message.command.cards)
        for fact in facts:
            if isinstance(fact, m.HitRecorded):
                self._record(entry, file, fact)
            elif isinstance(fact, m.MeterReset):
                self._reset(fact)
            elif isinstance(fact, m.AwardSeconded):
                self.seconded[fact.operator] = entry.wall_ms
            elif isinstance(fact, m.HitDecided | m.HitWithdrawn | m.HitPaid | m.HitWithheld | m.HitReleased):
                hit = self.hits.get(fact.document)
                if hit is not None:
                    self._happened(entry, hit, fact)

    def _counted(self, cards: int | None) -> None:
        for hit in self.round:
            if cards is not None and hit.status == "waits":
                hit.stub_cards = cards

    def _record(self, entry: Entry, file: str, fact: m.HitRecorded) -> None:
        if not self.round or self.round[0].round != fact.round:
            self.round, self.seconded = [], {}
        hit = Hit(
            document=fact.document,
            table=fact.document.rpartition("-A")[0],
            round=fact.round,
            seat=fact.seat,
            hand=fact.hand,
            kind=fact.kind,
            cards=fact.cards,
            wall_ms=entry.wall_ms,
            entry=entry.seq,
            chain=entry.chain.hex(),
            file=file,
            meter_cents=fact.meter_cents,
            cents=fact.cents,
            take_cents=fact.take_cents,
            house_cents=fact.house_cents,
            dealer=entry.dealer.decode(errors="replace"),
            status="waits" if fact.waits else "paid",
        )
        if not fact.waits:
            # What nobody has to decide the dealer on duty pays at once.
            hit.paid_by, hit.paid_at, hit.paid_ms = hit.dealer or "dealer", "table, at once", entry.wall_ms
        self.hits[fact.document] = hit
        self.round.append(hit)

    def _reset(self, fact: m.MeterReset) -> None:
        for hit in self.round:
            if hit.kind != "own" and hit.status in ("paid", "owed", "withheld"):
                hit.reset_cents, hit.meter_after_cents = fact.reset_cents, fact.after_cents

    def _happened(
        self,
        entry: Entry,
        hit: Hit,
        fact: m.HitDecided | m.HitWithdrawn | m.HitPaid | m.HitWithheld | m.HitReleased,
    ) -> None:
        if isinstance(fact, m.HitDecided):
            hit.status = "owed" if fact.decision == "confirm" else "rejected"
            hit.deck_complete = fact.deck_complete
            hit.decided_by, hit.decided_ms = fact.operators, entry.wall_ms
            hit.seconded_ms = self.seconded.get(fact.operators[0])
            hit.reason, hit.camera = fact.reason, fact.camera
        elif isinstance(fact, m.HitWithdrawn):
            if hit.status != "rejected":
                hit.status = "withdrawn"
            hit.withdrawn_ms = entry.wall_ms
            hit.reset_cents = hit.meter_after_cents = None
            if not hit.reason:
                message = decode_message(entry)
                hit.reason = message.reason if isinstance(message, m.Said) else ""
        elif isinstance(fact, m.HitPaid):
            hit.status = "paid"
            hit.paid_by, hit.paid_at, hit.paid_ms = fact.operator, fact.at, entry.wall_ms
        elif isinstance(fact, m.HitWithheld):
            hit.status = "withheld"
            hit.checks = [
                *hit.checks,
                Check(entry.wall_ms, "withheld", fact.hold, fact.operator, fact.reason),
            ]
        else:
            hit.status = "owed"
            hold = hit.checks[-1].hold if hit.checks else ""
            hit.checks = [*hit.checks, Check(entry.wall_ms, "released", hold, fact.operator, fact.reason)]


def hit_log(paths: Iterable[str]) -> HitLog:
    """The log over these journal files, put in the order of their days whatever order they are named in.

    Raises `JournalRefused` for a file that is not as it was written, and `ReplayError` for an entry that
    this version does not know.
    """
    files = [_File(path, read_entries(path)) for path in dict.fromkeys(map(os.path.realpath, paths))]
    files.sort(key=lambda one: one.file.first_at_ms)
    log = _Log()
    for one in files:
        for entry in one.kept:
            log.take(entry, one.name)
    found = tuple(log.hits.values())
    for hit in found:
        if hit.status in ("waits", "owed", "withheld") and files:
            hit.known_until = f"{files[-1].name} ended, entry {files[-1].file.entries}, {files[-1].ended} UTC"
    told = tuple(one.file for one in files)
    return HitLog(told, (*_missing_files(told), *_missing_documents(found)), len(found), found)


def chosen(log: HitLog, last: int | None = LAST, least_cents: int = 0) -> HitLog:
    """The same log with awards of at least so much, and of those the newest `last`, or all (None)."""
    hits = [hit for hit in log.hits if hit.cents >= least_cents]
    return msgspec.structs.replace(log, hits=tuple(hits if last is None else hits[-last:] if last else ()))


def _missing_files(files: tuple[JournalFile, ...]) -> Iterable[str]:
    heads = {one.head: one.name for one in files}
    for one in files:
        if one.goes_on_from and one.head_of_that not in heads:
            yield f"{one.name} goes on from {one.goes_on_from}, which is not among these files"


def _missing_documents(hits: tuple[Hit, ...]) -> Iterable[str]:
    """Documents are numbered without a gap, so that one that is missing is seen."""
    expected: dict[str, int] = {}
    for hit in hits:
        number = int(hit.document.rpartition("-A")[2])
        due = expected.get(hit.table, number)
        if number != due:
            yield f"documents {hit.table}-A{due:06} to {hit.table}-A{number - 1:06} are not in these files"
        expected[hit.table] = number + 1
