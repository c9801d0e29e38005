"""An inspector beside a table: what may never happen to meters, awards, days and trials in any house.

He knows the table by its facts and by the state before and after each message (STANDARDS.md, A, E and F).
"""

from __future__ import annotations

import msgspec

from table_controller.engine.progressive import Meter
from table_controller.table import messages as m
from table_controller.table.state import Books, Owed, TableState
from table_controller.table.turn import LOWERS

PROOF: dict[str, tuple[type[m.Message], ...]] = {
    # A rejected award may be the last that others, confirmed before it, have waited for.
    "award": (m.AwardPaid, m.AwardRejected),
    "void": (m.RoundVoided,),
    "coin_refunded": (m.RoundVoided, m.CoinReturned, m.AwardRejected),
    "dead_hand": (m.HandDead,),
    "progressive_fault": (m.AlarmRaised,),
    "correction": (m.MeterCorrected,),
}
"""For each reason to lower a meter, what must stand beside it."""
MOVES = {m.BetsLocked, *(kind for proof in PROOF.values() for kind in proof)}
"""What must stand beside every change of the meter's books."""
ROYAL_OR_PERSON: tuple[type[m.Fact], ...] = (m.AwardPaid, m.RoundVoided, m.ParameterChanged)


class Inspector:
    """Somebody who reads every fact and compares it with the books."""

    def __init__(self) -> None:
        self._documents = 0
        self._uncounted = (0, 0)

    def watch(self, house: m.House, before: TableState, after: TableState, facts: tuple[m.Fact, ...]) -> None:
        """Follow one message."""
        told = {type(fact) for fact in facts}
        self._meter(before.meter, after.meter, facts)
        if before.parameters != after.parameters:
            assert told & set(ROYAL_OR_PERSON), "a parameter changed and nobody said so"
        if before.trial is not None and after.trial is not None:
            assert before.meter == after.meter, "the meter moved in a trial"
            assert (before.phase, before.round, before.awards) == (after.phase, after.round, after.awards)
            assert [seat.coin for seat in before.seats] == [seat.coin for seat in after.seats]
        if m.RoundOpened in told:
            assert before.trial is None
            assert not (house.gaming_day and before.closed), "a round was opened while the day was closed"
        if after.books is None:
            assert not told & {m.HitRecorded, m.HitDecided, m.HitPaid}
            return
        if before.books is None:
            self._uncounted = _uncounted(after.meter, after.books)
            before_owed: dict[str, Owed] = {}
        else:
            before_owed = before.books.owed
        self._owed(before_owed, after.books.owed, facts)
        self._documents_of(facts)
        assert _uncounted(after.meter, after.books) == self._uncounted, "an award is in no book of its hand"

    def _meter(self, before: Meter | None, after: Meter | None, facts: tuple[m.Fact, ...]) -> None:
        if before is None or after is None:
            assert not (before and not after), "the meter is gone"
            return
        told = {type(fact) for fact in facts}
        reasons = {fact.why for fact in facts if isinstance(fact, m.MeterChanged)}
        for fact in facts:
            if isinstance(fact, m.MeterChanged) and fact.after_cents < fact.before_cents:
                assert fact.why in LOWERS, f"the meter fell for {fact.why!r}"
                assert told & set(PROOF[fact.why]), f"the meter fell for {fact.why!r} and nothing shows it"
            if isinstance(fact, m.MeterCorrected):
                assert len({name.strip().casefold() for name in fact.operators}) == 2
                assert fact.approval
                assert fact.reason
        if before != after:
            assert told & MOVES, "the books of the meter moved and nothing shows it"
        if after.overflow < before.overflow or after.reserve < before.reserve:
            assert told & (MOVES - {m.BetsLocked}), "overflow or reserve fell and nothing shows it"
        if not after.exact and before.exact:
            assert reasons & {"award", "correction"}, "the meter zeroed itself"

    def _owed(self, before: dict[str, Owed], after: dict[str, Owed], facts: tuple[m.Fact, ...]) -> None:
        paid = {fact.document: fact.cents for fact in facts if isinstance(fact, m.HitPaid)}
        new = {
            fact.document for fact in facts if isinstance(fact, m.HitDecided) and fact.decision == "confirm"
        }
        assert set(before) - set(after) == set(paid), "an award vanished that nobody paid"
        assert set(after) - set(before) == new, "an award is owed that nobody confirmed"
        for document, cents in paid.items():
            assert before[document].cents == cents
            assert not before[document].hold, "an award was paid that a check withheld"
        held = {fact.document for fact in facts if isinstance(fact, m.HitWithheld | m.HitReleased)}
        for document in set(before) & set(after):
            then, now = before[document], after[document]
            assert (then.hold == now.hold) == (document not in held)
            assert msgspec.structs.replace(then, hold="") == msgspec.structs.replace(now, hold="")

    def _documents_of(self, facts: tuple[m.Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, m.HitRecorded):
                self._documents += 1
                assert fact.document == f"T1-A{self._documents:06}", "a document number is missing"
                # With the meter paying, what a smaller prize is short of the house adds.
                assert fact.take_cents + fact.house_cents in (0, fact.cents)


def _uncounted(meter: Meter | None, books: Books) -> tuple[int, int]:
    """Awards and cents that are in the meter's books and in no hand's; constant from the beginning on."""
    levels = books.levels.values()
    hits = sum(level.dealer_hits + level.confirmed_hits for level in levels)
    cents = sum(level.dealer_cents + level.confirmed_cents for level in levels)
    return (meter.hits - hits, meter.wins_cents - cents) if meter is not None else (0, 0)
