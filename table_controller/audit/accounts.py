"""The accounts of a range of entries: what an accounting department asks for, added up once.

A fold over facts, and over the snapshots that the journal keeps at the end of every round. What the meter
itself has in its books is held against the rounds (`tally`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from table_controller.audit.tally import Check, Coins, Movement, Tally, posted
from table_controller.engine.money import money_text
from table_controller.engine.settlement import Outcome
from table_controller.journal import Entry
from table_controller.replay import ReplayError
from table_controller.table import messages as m
from table_controller.table.state import Seat, TableState

HOUR_MS: Final = 3_600_000


class Origin(msgspec.Struct, frozen=True):
    """The file that this one carries on: its name, how many entries it has, the hash over them."""

    file: str
    entries: int
    head: str


class Payouts(msgspec.Struct, frozen=True):
    """What became of the awards of a range, by who paid (STANDARDS.md, item 8).

    `owed`, `withheld` and `waiting` stand at the closing; `withheld` is a part of `owed`.
    """

    by_dealer: int
    by_dealer_cents: int
    confirmed: int
    confirmed_cents: int
    at_table_cents: int
    at_cage_cents: int
    owed_before_cents: int
    owed_cents: int
    withheld_cents: int
    waiting_cents: int
    rejected: int
    rejected_cents: int
    withdrawn: int
    of_meter_cents: int
    house_added_cents: int
    fixed_by_house_cents: int


class HandPayouts(msgspec.Struct, frozen=True):
    """Awards for one kind of hand, paid at once by the dealer and after two people had confirmed them."""

    hand: str
    dealer_hits: int
    dealer_cents: int
    confirmed_hits: int
    confirmed_cents: int


class SeatAccount(msgspec.Struct):
    """One seat: what was in action and what came back; `refunded` is what had no action.

    `result` is the house's on ante, raise and bonus; coins and awards stand by themselves.
    """

    seat: int
    hands: int = 0
    ante_cents: int = 0
    ante_back_cents: int = 0
    raise_cents: int = 0
    raise_back_cents: int = 0
    bonus_cents: int = 0
    bonus_back_cents: int = 0
    refunded_cents: int = 0
    result_cents: int = 0
    coins: int = 0
    coins_cents: int = 0
    awards_cents: int = 0


class DealerAccount(msgspec.Struct, frozen=True):
    """Rounds cleared by one dealer, and the table time on duty; an empty name is nobody."""

    dealer: str
    rounds: int
    on_duty_ms: int
    rounds_an_hour: float


class Count(msgspec.Struct, frozen=True):
    """How often something came."""

    what: str
    who: str
    number: int


class Change(msgspec.Struct, frozen=True):
    """A parameter, the configuration or the program is another than before."""

    entry: int
    wall_ms: int
    kind: str
    place: str
    before: str
    after: str
    who: str
    approval: str
    reason: str


class Corrected(msgspec.Struct, frozen=True):
    """Two people corrected a pot."""

    entry: int
    wall_ms: int
    pot: str
    before_cents: int
    after_cents: int
    why: str
    approval: str
    who: str
    reason: str


class Happening(msgspec.Struct, frozen=True):
    """Something an auditor looks for: days, shifts, starts, the clock, door and mains, trials."""

    entry: int
    wall_ms: int
    kind: str
    who: str
    words: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One range of one journal. Amounts end in `_cents` or, in millionths of a cent, in `_exact`.

    `day` is 0 where the range is no gaming day, `in_play` the round that is not cleared at its end.
    `from` and `until` are UTC, `lasted` is the table's own time, which no clock that is set can change.
    `head` is the hash over the journal up to `last_entry`; `carried` what the whole file goes on from.
    """

    table: str
    title: str
    day: int
    shift: str
    first_entry: int
    last_entry: int
    from_ms: int
    until_ms: int
    lasted_ms: int
    head: str
    software: str
    carried: Origin | None
    rounds_settled: int
    rounds_void: int
    in_play: str
    coins: Coins
    to_meter_exact: int
    to_reserve_exact: int
    to_overflow_exact: int
    to_house_exact: int
    kept_exact: int
    resets: int
    seeded_cents: int
    payouts: Payouts
    hands: tuple[HandPayouts, ...]
    custody: tuple[Movement, ...]
    corrections: tuple[Corrected, ...]
    seats: tuple[SeatAccount, ...]
    dealers: tuple[DealerAccount, ...]
    alarms: tuple[Count, ...]
    refused: tuple[Count, ...]
    changes: tuple[Change, ...]
    happenings: tuple[Happening, ...]
    reconciliation: tuple[Check, ...]
    reconciles: bool


def _words(fact: m.TableInstalled) -> str:
    after_a_loss = f", after a loss: {fact.recovery}" if fact.recovery else ""
    return f"the table, its meter at {money_text(fact.meter_cents)}, approval {fact.approval}{after_a_loss}"


def _set_by(ms: int) -> str:
    """How far a clock was set: `back 1:00:00.000`."""
    seconds, part = divmod(abs(ms), 1000)
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{part:03}"
    return f"{'back' if ms < 0 else 'forward'} {clock}"


_NOTICES: Final = frozenset(
    {"door_open", "door_well", "mains_failed", "mains_well", "meter_well", "display_well"}
)
_TOLD: Final[dict[type[m.Message], Callable[[Any], tuple[str, str, str]]]] = {
    m.TableInstalled: lambda it: ("installed", " and ".join(it.operators), _words(it)),
    m.TableRecovered: lambda it: (
        "recovered",
        " and ".join(it.operators),
        f"the table goes on after a loss: {it.recovery}, approval {it.approval}",
    ),
    m.DayOpened: lambda it: ("day", it.operator, f"gaming day {it.day} opened"),
    m.DayClosed: lambda it: ("day", it.operator, f"gaming day {it.day} closed"),
    m.ShiftChanged: lambda it: ("shift", it.operator, f"shift {it.after} has the table"),
    m.ClockWasSet: lambda it: ("clock", "", f"the wall clock was set {_set_by(it.by_ms)}"),
    m.AccessRefused: lambda it: (
        "door",
        it.who,
        f"refused, {it.why.replace('_', ' ')}: {it.word}, {it.times} times",
    ),
    m.KeysListed: lambda it: ("keys", "", f"these keys open the door: {', '.join(it.keys) or 'none'}"),
    m.DeckFinding: lambda it: ("deck", "", f"{it.deck}: {it.finding.replace('_', ' ')} {it.card}".strip()),
    m.Noticed: lambda it: ("line", "", it.notice.replace("_", " ")),
    m.TrialBegun: lambda it: ("trial", it.operator, f"trial begun, notified: {it.notified}"),
    m.TrialEnded: lambda it: ("trial", it.operator, "trial ended"),
    m.WalkRecorded: lambda it: (
        "trial",
        it.operator,
        "every key and lamp was well"
        if it.passed
        else f"not tried: {' '.join(it.missing) or 'none'}; failed: {' '.join(it.failed) or 'none'}",
    ),
    m.Carried: lambda it: ("carried", "", f"goes on from {it.file}, {it.entries} entries, head {it.head}"),
    m.Started: lambda it: ("start", "", f"the service started, {it.software}"),
}
_CHANGED: Final[dict[type[m.Message], Callable[[Any], tuple[str, str, str, str, str]]]] = {
    m.ParameterChanged: lambda it: (
        "parameter" if it.in_force else "parameter from the next reset on",
        it.option,
        it.before,
        it.after,
        it.approval,
    ),
    m.HouseChanged: lambda it: ("configuration", it.place, it.before, it.after, it.approval),
    m.SoftwareChanged: lambda it: ("software", "program", it.before, it.after, ""),
}


class Accounts:
    """The entries of one range, read once. The first one is a boundary, at which no money moves."""

    def __init__(self, first: Entry, opening: TableState, day: int, shift: str, number: int) -> None:
        self.first = self.last = first
        self.day, self.shift, self.number = day, shift, number
        self.tally = Tally(opening)
        self.opening = opening
        self.ended: tuple[m.House, TableState] | None = None
        self.results: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self.rejected: list[int] = []
        self.withdrawn = 0
        self.seats: dict[int, SeatAccount] = {}
        self.rounds_of: Counter[str] = Counter()
        self.duty_ms: Counter[str] = Counter()
        self.alarms: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.corrections: list[Corrected] = []
        self.changes: list[Change] = []
        self.happenings: list[Happening] = []

    def take(
        self, entry: Entry, message: m.AnyMessage, facts: list[m.AnyFact], before: TableState | None
    ) -> None:
        """One more entry, the first one too."""
        self.on_duty_until(entry)
        self.last = entry
        self.tally.take(message, facts, before)
        said = message if isinstance(message, m.Said) else None
        for told in (message, *facts):
            self._tell(entry, told, said)

    def on_duty_until(self, entry: Entry) -> None:
        """Whoever was on duty after the last entry was so until this one."""
        self.duty_ms[self.last.dealer.decode()] += entry.at_ms - self.last.at_ms

    def _tell(self, entry: Entry, told: m.Message, said: m.Said | None) -> None:
        kind = type(told)
        if isinstance(told, m.RoundVoided) and said is not None:
            words = f"round {told.round} is void: {said.reason}"
            self.happenings.append(Happening(entry.seq, entry.wall_ms, "void", said.operator, words))
        elif isinstance(told, m.HealthChanged) and told.line in ("meter", "display") and not told.well:
            self.happenings.append(Happening(entry.seq, entry.wall_ms, "line", "", f"{told.line} down"))
        elif kind in _TOLD and (not isinstance(told, m.Noticed) or told.notice in _NOTICES):
            self.happenings.append(Happening(entry.seq, entry.wall_ms, *_TOLD[kind](told)))
        elif kind in _CHANGED:
            what, place, old, new, approval = _CHANGED[kind](told)
            who, reason = (said.operator, said.reason) if said else ("", "")
            at = (entry.seq, entry.wall_ms)
            self.changes.append(Change(*at, what, place, old, new, who, approval, reason))
        elif isinstance(told, m.MeterCorrected):
            self.corrections.append(_corrected(entry, told))
        elif isinstance(told, m.HitPaid):
            self.paid[told.at] += told.cents
        elif isinstance(told, m.HitWithdrawn):
            self.withdrawn += 1
        elif isinstance(told, m.AlarmRaised):
            self.alarms[told.alarm] += 1
        elif isinstance(told, m.CommandRefused):
            self.refused[f"{said.role} {said.operator}" if said else "", told.command] += 1
        elif isinstance(told, m.KeyRefused):
            self.refused["key pad", told.key] += 1

    def round_over(self, entry: Entry, house: m.House, state: TableState) -> None:
        """A round was cleared; `state` is the table after it."""
        self.results[state.result] += 1
        self.rounds_of[entry.dealer.decode()] += 1
        self._count(state)
        self.tally.round_over(house, state)

    def _count(self, state: TableState) -> None:
        for number, seat in state.numbered():
            if seat.ante_cents or seat.share is not None or seat.results.raise_ is not None:
                account = self.seats.setdefault(number, SeatAccount(number))
                _count_seat(account, seat)
                account.awards_cents += sum(
                    one.award.cents for one in posted(state) if one.award.seat == number
                )
        self.rejected += [one.award.cents for one in state.awards if one.status == "rejected"]

    def end(self, house: m.House, closing: TableState) -> None:
        """The range ends with the last entry taken."""
        self.ended = house, closing
        if closing.phase != "idle":
            self._count(closing)
        self.tally.close(house, closing)

    # ------------------------------------------------------------------------------ the report

    def report(self, title: str, software: str, carried: Origin | None) -> Report:
        """Everything that was read."""
        if self.ended is None:
            raise ReplayError("the range has no end")
        house, closing = self.ended
        tally = self.tally
        coins = tally.moved["coins"]
        checks = tally.checks(closing)
        levels = sorted(tally.levels.items(), key=lambda item: item[0])
        return Report(
            table=house.table,
            title=title,
            day=self.day,
            shift=self.shift,
            first_entry=self.first.seq,
            last_entry=self.last.seq,
            from_ms=self.first.wall_ms,
            until_ms=self.last.wall_ms,
            lasted_ms=self.last.at_ms - self.first.at_ms,
            head=self.last.chain.hex(),
            software=software,
            carried=carried,
            rounds_settled=self.results["settled"],
            rounds_void=self.results["void"],
            in_play="" if closing.phase == "idle" else f"{closing.round} ({closing.phase})",
            coins=tally.coins,
            to_meter_exact=coins["meter"],
            to_reserve_exact=coins["reserve"],
            to_overflow_exact=coins["overflow"],
            to_house_exact=tally.house_exact,
            kept_exact=tally.kept_exact,
            resets=tally.resets,
            seeded_cents=tally.seeded_cents,
            payouts=self._payouts(closing),
            hands=tuple(HandPayouts(hand, *msgspec.structs.astuple(book)) for hand, book in levels),
            custody=tally.custody(),
            corrections=tuple(self.corrections),
            seats=tuple(self.seats[number] for number in sorted(self.seats)),
            dealers=tuple(self._dealers()),
            alarms=tuple(Count(alarm, "", number) for alarm, number in sorted(self.alarms.items())),
            refused=tuple(Count(word, role, n) for (role, word), n in sorted(self.refused.items())),
            changes=tuple(self.changes),
            happenings=tuple(self.happenings),
            reconciliation=checks,
            reconciles=not any(check.off for check in checks),
        )

    def _dealers(self) -> Iterator[DealerAccount]:
        for dealer in sorted({*self.duty_ms, *self.rounds_of}):
            rounds, ms = self.rounds_of[dealer], self.duty_ms[dealer]
            if rounds or ms:
                yield DealerAccount(dealer, rounds, ms, round(rounds * HOUR_MS / ms, 1) if ms else 0.0)

    def _payouts(self, closing: TableState) -> Payouts:
        tally = self.tally
        books = list(tally.levels.values())
        owed = list(closing.books.owed.values()) if closing.books else []
        before = list(self.opening.books.owed.values()) if self.opening.books else []
        fixed_cents = tally.wins_cents - tally.paid_of_meter_or_house_cents
        return Payouts(
            by_dealer=sum(book.dealer_hits for book in books),
            by_dealer_cents=sum(book.dealer_cents for book in books),
            confirmed=sum(book.confirmed_hits for book in books),
            confirmed_cents=sum(book.confirmed_cents for book in books),
            at_table_cents=self.paid["table"],
            at_cage_cents=self.paid["cage"],
            owed_before_cents=sum(one.cents for one in before),
            owed_cents=sum(one.cents for one in owed),
            withheld_cents=sum(one.cents for one in owed if one.hold),
            waiting_cents=sum(one.award.cents for one in closing.awards if one.status == "waits"),
            rejected=len(self.rejected),
            rejected_cents=sum(self.rejected),
            withdrawn=self.withdrawn,
            of_meter_cents=tally.taken_cents,
            house_added_cents=tally.house_added_cents,
            fixed_by_house_cents=fixed_cents,
        )


def _corrected(entry: Entry, fact: m.MeterCorrected) -> Corrected:
    who = " and ".join(fact.operators)
    amounts = (fact.pot, fact.before_cents, fact.after_cents, fact.why, fact.approval)
    return Corrected(entry.seq, entry.wall_ms, *amounts, who, fact.reason)


def _count_seat(account: SeatAccount, seat: Seat) -> None:
    """What the stakes of a seat that are decided add to its account."""
    account.hands += seat.ante_cents > 0
    if seat.share is not None:
        account.coins += 1
        account.coins_cents += seat.share.coin_cents
    results = seat.results
    for spot, outcome, stake_cents in (
        ("ante", results.ante, seat.ante_cents),
        ("raise", results.raise_, seat.raise_cents),
        ("bonus", results.bonus, seat.bonus_cents),
    ):
        put_cents, back_cents = _put_and_back(outcome, stake_cents)
        setattr(account, f"{spot}_cents", getattr(account, f"{spot}_cents") + put_cents)
        setattr(account, f"{spot}_back_cents", getattr(account, f"{spot}_back_cents") + back_cents)
        account.result_cents += put_cents - back_cents
        if outcome is not None and outcome.kind == "refund":
            account.refunded_cents += outcome.cents


def _put_and_back(outcome: Outcome | None, stake_cents: int) -> tuple[int, int]:
    """What was in action on one stake, and what of it or on top of it went back."""
    if outcome is None or outcome.kind in ("none", "refund"):
        return 0, 0
    if outcome.kind == "win":
        return stake_cents, stake_cents + outcome.cents
    return outcome.cents, outcome.cents if outcome.kind == "push" else 0
