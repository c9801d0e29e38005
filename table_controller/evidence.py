"""What proves a round: what every slot saw, what every jackpot lamp showed, the documents of its awards.

A player who says that a coin was dropped is answered with what the beams of his slot saw and what his lamp
showed (HOUSE_RULES.md, `light_off_claim`); an award, with its document, its cards and who decided it when
and why. Pure: it is gathered from the entries of a round, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from table_controller.engine.money import money_text
from table_controller.record_words import who
from table_controller.table import messages as m
from table_controller.table.state import TableState

NOTHING_PASSED: Final = "Nothing passed the beams of this slot in this round."
LAMPS: Final = {"off": "the lamp is dark", "on": "the lamp is lit", "blink": "the lamp blinks"}
BEAMS: Final = ("upper beam dark", "both", "lower beam")

Row = tuple[str, str, str, str]
"""Entry, UTC, table time, what happened."""


class Slots:
    """Slot and lamp of every seat through a round, told where a player claims a coin."""

    def __init__(
        self, lamps: Sequence[m.LampView], failed: Sequence[int], stamp: tuple[str, str, str]
    ) -> None:
        """`lamps` are those of the opening, `failed` the seats whose lamp its sense line contradicts."""
        self._lamps = list(lamps)
        self._rows: list[list[Row]] = []
        self._passed: set[int] = set()
        self._claimed: list[int] = []
        for seat, lamp in enumerate(lamps, start=1):
            dead = ", and its sense line says that it is dead" if seat in failed else ""
            self._rows.append([(*stamp, f"at the opening {LAMPS[lamp]}{dead}")])

    def take(
        self,
        stamp: tuple[str, str, str],
        message: m.AnyMessage,
        facts: Sequence[m.Fact],
        lamps: Sequence[m.LampView],
    ) -> None:
        """One entry of the round and the lamps as they are after it."""
        action = message.command if isinstance(message, m.Said) else message
        taken = not any(isinstance(fact, m.CommandRefused) for fact in facts)
        if isinstance(action, m.CoinDropped | m.CoinFaulted):
            self._passed.add(action.seat)
        if isinstance(action, m.Claim) and taken and action.seat not in self._claimed:
            self._claimed += [action.seat] if action.seat <= len(self._rows) else []
        # Between rounds a start may give the table other seats.
        for seat, (rows, lamp) in enumerate(zip(self._rows, lamps, strict=False), start=1):
            told = [*_seen(message, action, seat)] if taken else []
            told += [words for fact in facts for words in _decided(fact, seat)]
            if lamp != self._lamps[seat - 1]:
                self._lamps[seat - 1] = lamp
                told.append(LAMPS[lamp])
            elif any(isinstance(fact, m.BetsLocked) for fact in facts):
                told.append(f"at LOCK {LAMPS[lamp]}")
            if told:
                rows.append((*stamp, "; ".join(told)))

    def claims(self) -> Iterator[tuple[int, tuple[Row, ...], tuple[str, ...]]]:
        """Each seat that claimed a coin: the seat, what its slot and lamp did, what is to be said of it."""
        for seat in self._claimed:
            yield seat, tuple(self._rows[seat - 1]), () if seat in self._passed else (NOTHING_PASSED,)


def _seen(message: m.AnyMessage, action: m.Message, seat: int) -> Iterator[str]:
    """What beams, sense line and people say of the slot of that seat."""
    if getattr(action, "seat", 0) != seat:
        return
    if isinstance(action, m.CoinDropped):
        yield f"a coin passed the beams{beam_words(action)}"
    elif isinstance(action, m.CoinFaulted):
        yield f"no coin, {action.fault.replace('_', ' ')}{beam_words(action)}"
    elif isinstance(action, m.LampFailed):
        yield "the sense line contradicts the lamp"
    elif isinstance(action, m.LampMended):
        yield "the sense line agrees with the lamp again"
    elif isinstance(action, m.Claim) and isinstance(message, m.Said):
        yield f"CLAIM, told by {who(message)}{_why(message)}"


def _decided(fact: m.Fact, seat: int) -> Iterator[str]:
    if isinstance(fact, m.CoinAccepted) and fact.seat == seat:
        yield "the coin is taken"
    elif isinstance(fact, m.CoinReturned) and fact.seat == seat:
        yield f"the coin goes back: {fact.why}"
    elif isinstance(fact, m.BetsLocked):
        yield from ("the coin is a bet" for bet in fact.bets if bet.seat == seat and bet.coin)


def beam_words(event: m.CoinDropped | m.CoinFaulted) -> str:
    """How long each state of the beams lasted: `: upper beam dark 8.000 ms, both 12.000 ms, …`."""
    times = [f"{us // 1000}.{us % 1000:03} ms" for us in (event.beams_us or ())]
    if isinstance(event, m.CoinDropped) and len(times) == len(BEAMS):
        times = [f"{state} {time}" for state, time in zip(BEAMS, times, strict=True)]
    return f": {', '.join(times)}" if times else ", times not recorded"


def _why(message: m.Said) -> str:
    return f", why: {message.reason}" if message.reason else ""


class Documents:
    """The documents of the awards of a round, each with everything that was said about it."""

    def __init__(self) -> None:
        self._told: dict[str, list[str]] = {}
        self._ends: dict[str, str] = {}

    def take(
        self, message: m.AnyMessage, facts: Sequence[m.Fact], before: TableState, after: TableState
    ) -> None:
        """One entry of the round, with the table before and after it."""
        for fact in facts:
            if isinstance(fact, m.HitRecorded):
                self._told[fact.document] = [_recorded(fact)]
                self._ends[fact.document] = (
                    "waits for two people" if fact.waits else "paid at once by the dealer"
                )
            elif isinstance(fact, m.AwardSeconded) and isinstance(message, m.Said):
                for document in _seconded(before, after):
                    self._tell(document, f"first {_decision(fact.decision, message)}")
            elif isinstance(fact, m.HitDecided) and isinstance(message, m.Said):
                self._tell(fact.document, f"then {_decision(fact.decision, message)}")
                self._ends[fact.document] = (
                    "not paid in this round" if fact.decision == "confirm" else "not to be paid"
                )
            elif isinstance(fact, m.HitWithdrawn):
                self._ends[fact.document] = "taken back: the round is void"
            elif isinstance(fact, m.HitPaid):
                self._end(
                    fact.document, f"paid at the {fact.at} by {fact.operator}: {money_text(fact.cents)}"
                )
            elif isinstance(fact, m.HitWithheld):
                why = f", why: {fact.reason}" if fact.reason else ""
                self._tell(fact.document, f"withheld by {fact.operator} for a check ({fact.hold}){why}")
            elif isinstance(fact, m.HitReleased):
                why = f", why: {fact.reason}" if fact.reason else ""
                self._tell(fact.document, f"released by {fact.operator}{why}")

    def lines(self) -> Iterator[str]:
        """One sentence a document, in the order in which they were made; the end is as of the last entry."""
        for document, told in self._told.items():
            yield f"{document}: {'; '.join([*told, self._ends[document]])}."

    def _tell(self, document: str, words: str) -> None:
        # An award of an earlier round has its document there.
        if document in self._told:
            self._told[document].append(words)

    def _end(self, document: str, words: str) -> None:
        if document in self._told:
            self._ends[document] = words


def _recorded(fact: m.HitRecorded) -> str:
    cards = f", {' '.join(fact.cards)}" if fact.cards else ""
    share = "share of a " if fact.kind == "share" else ""
    return (
        f"seat {fact.seat}, {share}{fact.hand.replace('_', ' ')}{cards}, {money_text(fact.cents)}, "
        f"the meter at {money_text(fact.meter_cents)}"
    )


def _decision(decision: str, message: m.Said) -> str:
    camera = getattr(message.command, "camera", "")
    return f"{decision}ed by {who(message)}{_why(message)}" + (f", camera {camera}" if camera else "")


def _seconded(before: TableState, after: TableState) -> Iterator[str]:
    """The documents that wait and about which somebody has just said something new."""
    for was, now in zip(before.awards, after.awards, strict=True):
        said = (now.first_operator, now.first_decision)
        if now.document and now.status == "waits" and said != (was.first_operator, was.first_decision):
            yield now.document
