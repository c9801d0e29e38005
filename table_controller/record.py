"""The record of one round: what a supervisor shows a player or an inspector, from the journal alone.

Amounts and results are those that the journal has recorded. The messages of the round are decided
again beside them, to explain how each amount came about; where that comes to anything else than what
was recorded, the record says so before everything else. It starts at the snapshot that the journal
keeps of every opening; that all before it is right as well is for `verify` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.evidence import Documents, Slots
from table_controller.journal import Entry
from table_controller.reckoning import award_rows, settlement_lines, stake_words, void_lines
from table_controller.record_words import (
    HIDDEN,
    Faces,
    card_rows,
    differences,
    happenings,
    rules_sentence,
    who,
)
from table_controller.replay import Replay, ReplayError, decode_facts, decode_message, digest_of
from table_controller.table import messages as m
from table_controller.table.state import DEALER, TableState, encode_state, rules_now
from table_controller.table.views import outputs, snapshot

NEAREST: Final = 3
LONGEST_COUNT: Final = 12
TOLD: Final = "Statements, alarms, holds"
TOLD_HEADS: Final = ("entry", "UTC", "table time", "who", "what")
CARDS: Final = "Cards in the order they left the shoe: number, face, place"
_FACE: Final = re.compile(r"\b(?:[2-9TJQKA][SHDC]|JK|(?!a[shd]\b)[2-9tjqka][shdc])\b")


class RoundUnknown(Exception):
    """The journal has no such round; the text names those nearest."""


class Section(msgspec.Struct, frozen=True):
    """One part of a record: a table with or without heads, then sentences."""

    title: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """One round in words. `differences` are what the recomputation found other than recorded.

    `chain` is the hash over the journal up to `last_entry`, as hexadecimal text. In an `unfinished`
    round no face is shown that lies down.
    """

    round: str
    table: str
    unfinished: bool
    differences: tuple[str, ...]
    sections: tuple[Section, ...]
    first_entry: int
    last_entry: int
    chain: str


def round_record(entries: Iterable[Entry], number: str) -> Record:
    """The record of the round with that number, or with that count, its last part, alone.

    Reads no further than the opening of the round after it. Raises `RoundUnknown`, and `ReplayError`
    for an entry that this version does not know.
    """
    reading: _Reading | None = None
    software = ""
    known: list[str] = []
    for entry in entries:
        opened = _opened(entry)
        if reading is not None:
            if opened:
                break
            reading.take(entry)
            continue
        software = _software(entry) or software
        if opened:
            known.append(opened)
            if number == opened or (number.isdecimal() and _count(number) == _count(opened)):
                reading = _Reading(entry, opened, software)
    if reading is None:
        raise RoundUnknown(_unknown(number, known))
    return reading.record()


def _opened(entry: Entry) -> str:
    """The round that this entry opens; the bytes tell most entries apart without being decoded."""
    if b'"RoundOpened"' not in entry.facts:
        return ""
    return next((fact.round for fact in decode_facts(entry) if isinstance(fact, m.RoundOpened)), "")


def _software(entry: Entry) -> str:
    message = decode_message(entry) if b'"Started"' in entry.message else None
    return _program(message) if isinstance(message, m.Started) else ""


def _program(message: m.Started) -> str:
    """The version with the hash over the files of the program, as far as it was told."""
    return f"{message.software} {message.manifest or ''}".strip()


def _count(number: str) -> int:
    """The count at the end of a round number, by which rounds follow each other; -1 without one."""
    digits = number.rpartition("-")[2]
    return int(digits) if digits.isdecimal() and len(digits) <= LONGEST_COUNT else -1


def _unknown(number: str, known: list[str]) -> str:
    if not known:
        return f"round {number} is unknown: the journal has no round"
    wanted = _count(number)
    near = sorted(known, key=lambda one: abs(_count(one) - wanted))[:NEAREST] if wanted >= 0 else known[-1:]
    nearest = ", ".join(sorted(near, key=_count))
    return f"round {number} is unknown: the journal has {len(known)}, nearest: {nearest}"


def _utc(wall_ms: int) -> str:
    return (
        datetime.fromtimestamp(wall_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S") + f".{wall_ms % 1000:03}"
    )


def _table_time(at_ms: int) -> str:
    seconds, ms = divmod(at_ms, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}"


def _stamp(entry: Entry) -> tuple[str, str, str]:
    """Where an entry stands: its number, UTC, the table's own time."""
    return str(entry.seq), _utc(entry.wall_ms)[11:], _table_time(entry.at_ms)


class _Reading:
    """The entries of one round, read once from its opening on."""

    def __init__(self, opening: Entry, number: str, software: str) -> None:
        self.again = Replay(opening.snapshot)
        if self.again.house is None or self.again.state is None:
            raise ReplayError(f"entry {opening.seq}: the opening of a round carries no snapshot of the table")
        self.house: m.House = self.again.house
        self.opened: TableState = self.again.state
        self.before: TableState = self.opened
        self.state: TableState = self.opened
        self.number = number
        self.software = [software]
        self.dealers: list[str] = []
        self.first = self.last = opening
        self.moments: dict[str, tuple[str, ...]] = {}
        self.told: list[tuple[str, ...]] = []
        self.keyed: dict[tuple[m.Spot, int], int] = {}
        self.keyed_by: list[str] = []
        self.at_lock: list[tuple[str, ...]] = []
        self.meter: list[tuple[str, ...]] = []
        self.meter_cents = 0
        self.settlements: list[Section] = []
        self.settled_under: tuple[HouseRules, TableState] | None = None
        self.awarded: dict[tuple[int, str], int] = {}
        self.decided: dict[tuple[int, str], str] = {}
        self.differences: list[str] = []
        lamps = outputs(self.house, self.state, opening.at_ms).lamps
        self.slots = Slots(lamps, self.state.lamps_failed, _stamp(opening))
        self.documents = Documents()
        self._check_digest(opening)
        self._note(opening, decode_message(opening), decode_facts(opening))

    def take(self, entry: Entry) -> None:
        """One more entry: as recorded, and decided again beside it."""
        message, facts = decode_message(entry), decode_facts(entry)
        self.before, self.last = self.state, entry
        self.state, recomputed = self.again.take(entry)
        self.differences += differences(entry.seq, facts, recomputed)
        self._check_digest(entry)
        self._note(entry, message, facts)

    def _check_digest(self, entry: Entry) -> None:
        if digest_of(encode_state(self.state)) != entry.digest:
            self.differences.append(f"entry {entry.seq}: the table comes to another state than recorded")

    def _note(self, entry: Entry, message: m.AnyMessage, facts: list[m.AnyFact]) -> None:
        """Everything that the record needs of one entry."""
        if isinstance(message, m.Started) and _program(message) != self.software[-1]:
            self.software.append(_program(message))
        dealer: str = getattr(self.state, "dealer", "")
        if dealer and dealer not in self.dealers[-1:]:
            self.dealers.append(dealer)
        stamp = _stamp(entry)
        self.told += [(*stamp, who(message), what) for what in happenings(message, facts, self.keyed)]
        self.slots.take(stamp, message, facts, outputs(self.house, self.state, entry.at_ms).lamps)
        self.documents.take(message, facts, self.before, self.state)
        self._note_keying(message, facts)
        settled = [fact for fact in facts if isinstance(fact, m.RoundSettled | m.RoundVoided)]
        if settled:
            self.awarded, self.decided = {}, {}
        for fact in facts:
            self._note_moment(entry, message, fact)
            if isinstance(fact, m.BetsLocked):
                self._note_lock(entry, fact)
            elif isinstance(fact, m.MeterChanged) and fact.why != "contribution":
                self._note_meter(f"{fact.why}, entry {entry.seq}", self.state, fact.after_cents)
            elif isinstance(fact, m.AwardHeld | m.AwardPaid | m.AwardRejected):
                self._note_award(message, fact)
        for fact in settled:
            self._note_settlement(fact)

    def _note_keying(self, message: m.AnyMessage, facts: list[m.AnyFact]) -> None:
        if not isinstance(message, m.Said) or any(isinstance(fact, m.CommandRefused) for fact in facts):
            return
        if isinstance(message.command, m.SetAmount):
            self.keyed[message.command.spot, message.command.seat] = message.command.cents
            if who(message) not in self.keyed_by:
                self.keyed_by.append(who(message))

    def _note_moment(self, entry: Entry, message: m.AnyMessage, fact: m.AnyFact) -> None:
        name = {m.RoundOpened: "opened", m.BetsLocked: "LOCK", m.RoundSettled: "settled"}.get(type(fact), "")
        name = name or {m.RoundVoided: "void", m.RoundCleared: "CLEAR"}.get(type(fact), "")
        if isinstance(fact, m.KeyTaken) and fact.key in ("close", "reveal"):
            name = fact.key.upper()
        elif isinstance(fact, m.CardDealt):
            name = "last card" if "first card" in self.moments else "first card"
        if name:
            # What comes twice, a card or a void, stands where it came last.
            self.moments.pop(name, None)
            self.moments[name] = _utc(entry.wall_ms), _table_time(entry.at_ms), str(entry.seq), who(message)

    def _note_lock(self, entry: Entry, fact: m.BetsLocked) -> None:
        lamps = outputs(self.house, self.state, entry.at_ms).lamps
        bets = {bet.seat: bet for bet in fact.bets}
        for number, seat in self.state.numbered():
            bet = bets.get(number)
            if bet is None and seat.coin == "none" and not seat.bonus.laid:
                continue
            ante, bonus = (money_text(cents) if cents else "-" for cents in _amounts(bet))
            coin = "bet" if bet and bet.coin else "given back" if seat.coin == "refunded" else "-"
            lamp = lamps[number - 1] + (", dead" if number in self.state.lamps_failed else "")
            self.at_lock.append((str(number), ante, bonus, coin, lamp))
        for moment, state in (("before LOCK", self.before), ("after LOCK", self.state)):
            if state.meter is not None:
                self._note_meter(moment, state, state.meter.cents)

    def _note_meter(self, moment: str, state: TableState, cents: int) -> None:
        meter = state.meter
        if meter is not None:
            self.meter_cents = cents
            amounts = (cents, meter.reserve_cents, meter.overflow_cents, meter.house_added_cents)
            self.meter.append((moment, *map(money_text, amounts)))

    def _note_award(self, message: m.AnyMessage, fact: m.AwardHeld | m.AwardPaid | m.AwardRejected) -> None:
        key = (fact.seat, fact.hand)
        self.awarded[key] = fact.cents
        word = {m.AwardHeld: "waits", m.AwardPaid: "paid", m.AwardRejected: "rejected"}[type(fact)]
        waiting = [one for one in self.before.awards if (one.award.seat, one.award.category_label) == key]
        decides = isinstance(message, m.Said) and isinstance(message.command, m.ConfirmAward | m.RejectAward)
        if waiting and decides:
            if waiting[0].document and word == "paid":
                word = "confirmed"
            role = "supervisor" if waiting[0].first_supervisor else "dealer"
            word += f" by {role} {waiting[0].first_operator} and {who(message)}"
        coin = self.state.seat(fact.seat).results.coin
        if isinstance(fact, m.AwardRejected) and coin is not None:
            word += f"; {stake_words('coin', coin.cents, coin.text)}"
        self.decided[key] = word

    def _note_settlement(self, fact: m.RoundSettled | m.RoundVoided) -> None:
        rules = rules_now(self.house, self.before)
        self.settled_under = rules, self.state
        self._note_meter(
            "settled" if isinstance(fact, m.RoundSettled) else "void", self.state, self.meter_cents
        )
        if isinstance(fact, m.RoundSettled):
            lines = tuple(settlement_lines(rules, self.before, fact.results))
            self.settlements.append(Section("Settlement", lines=lines))
        else:
            lines = tuple(void_lines(rules, self.state, fact.results))
            self.settlements.append(Section("Void", lines=lines))

    # ------------------------------------------------------------------------------ in words

    def record(self) -> Record:
        """Everything that was read, in words."""
        unfinished = not self.state.result
        faces = self._faces_up() if unfinished else None
        times = tuple((name, *moment) for name, moment in self.moments.items())
        told, claims, differ = (
            Section(TOLD, TOLD_HEADS, tuple(self.told)),
            self._claims(),
            tuple(self.differences),
        )
        if faces is not None:
            up = {face for cards in faces.values() for face in cards if face}
            told, *claims = (_unseen(section, up) for section in (told, *claims))
            differ = tuple(masked(line, up) for line in differ)
        rules = self.settled_under[0] if self.settled_under else rules_now(self.house, self.state)
        cards, notes = card_rows(rules, self.state, faces)
        sections = (
            self._head(),
            Section("Times", ("", "UTC", "table time", "entry", "by"), times),
            self._bets(),
            Section(CARDS, rows=cards, lines=notes),
            told,
            *claims,
            *self.settlements,
            self._awards(),
            Section("Meter", ("", "meter", "reserve", "overflow", "house added"), tuple(self.meter)),
            Section("House rules that mattered", lines=(rules_sentence(self.house, rules, self.state),)),
        )
        return Record(
            round=self.number,
            table=self.house.table,
            unfinished=unfinished,
            differences=tuple(map(plain, differ)),
            sections=tuple(_printable(one) for one in sections if one.rows or one.lines),
            first_entry=self.first.seq,
            last_entry=self.last.seq,
            chain=self.last.chain.hex(),
        )

    def _faces_up(self) -> Faces:
        """The faces that lie up at each place, as everybody may see them."""
        view = snapshot(self.house, self.state, self.last.at_ms)
        return {**{str(seat.seat): seat.cards for seat in view.seats}, DEALER: view.dealer.cards}

    def _head(self) -> Section:
        state = self.state
        outcome = state.result or f"NOT FINISHED, {state.phase}"
        if state.result and state.phase != "idle":
            outcome += ", not cleared"
        if state.holds:
            outcome += f", held: {', '.join(hold.reason for hold in state.holds)}"
        rows = (
            ("round", self.number),
            ("table", f"{self.house.table}, {self.house.seats} seats"),
            ("outcome", outcome),
            ("dealer", ", then ".join(self.dealers)),
            ("gaming day", self._day()),
            ("deck", getattr(state, "deck", "")),
            ("software", ", then ".join(self.software)),
            ("journal", f"entries {self.first.seq} to {self.last.seq}"),
            ("hash", self.last.chain.hex()),
        )
        return Section("Round", rows=tuple(row for row in rows if row[1]))

    def _day(self) -> str:
        """The gaming day and the shift in which the round was opened."""
        books = self.opened.books
        if books is None or not self.house.gaming_day:
            return ""
        return f"{books.day}, shift {books.shift}" if books.shift else str(books.day)

    def _bets(self) -> Section:
        if not self.at_lock:
            return Section("Bets at LOCK", lines=("Bets are not locked.",))
        rows = tuple((*row, _decision(self.state, int(row[0]))) for row in self.at_lock)
        keyed = (f"Amounts keyed by {', '.join(self.keyed_by)}.",) if self.keyed_by else ()
        return Section("Bets at LOCK", ("seat", "ante", "bonus", "coin", "lamp", "decision"), rows, keyed)

    def _claims(self) -> list[Section]:
        """What slot and lamp did at each seat where a player says that a coin was dropped."""
        heads = ("entry", "UTC", "table time", "slot and lamp")
        return [
            Section(f"Claim of seat {seat}", heads, rows, lines) for seat, rows, lines in self.slots.claims()
        ]

    def _awards(self) -> Section:
        heads = ("seat", "hand", "award", "how much", "from the meter", "from the house", "decision")
        if self.settled_under is None:
            return Section("Awards")
        rows = tuple(award_rows(*self.settled_under, self.state.awards, self.awarded, self.decided))
        lines = tuple(self.documents.lines())
        return Section("Awards of the progressive", heads if rows else (), rows, lines)


def _amounts(bet: m.LockedBet | None) -> tuple[int, int]:
    return (bet.ante_cents, bet.bonus_cents) if bet is not None else (0, 0)


def _decision(state: TableState, number: int) -> str:
    seat = state.seat(number)
    if not seat.ante_cents:
        return "no ante"
    words = ["folds"] if seat.folded else []
    raise_cents = seat.raise_cents or seat.raise_lying_cents
    if raise_cents and not seat.folded:
        words.append(f"raises {money_text(raise_cents)}")
    if seat.dead is not None:
        words.append(f"dead by {seat.dead}")
    return ", ".join(words) or "undecided"


def masked(text: str, up: set[str]) -> str:
    """The same sentence without faces other than these, which lie up, whoever said the others."""
    return _FACE.sub(lambda face: face[0] if face[0].upper() in up else HIDDEN, text)


def _unseen(section: Section, up: set[str]) -> Section:
    """The same section, what happened in it told without faces that lie down."""
    rows = tuple((*row[:-1], masked(row[-1], up)) for row in section.rows)
    return msgspec.structs.replace(section, rows=rows)


def plain(text: str) -> str:
    """What people typed may hold anything; to paper and terminals only what can be read is passed on."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _printable(section: Section) -> Section:
    rows = tuple(tuple(map(plain, row)) for row in section.rows)
    return msgspec.structs.replace(section, rows=rows, lines=tuple(map(plain, section.lines)))
