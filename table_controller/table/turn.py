"""One step in the making: the draft of the next state, the moment, and the facts so far.

Every handler works on a `Turn`; what several of them do (raise an alarm, place a hold, move the
meter) is here once.
"""

from __future__ import annotations

import unicodedata

from table_controller.engine.house_rules import HouseRules
from table_controller.engine.progressive import Meter, keep_share, take_back
from table_controller.engine.settlement import Outcome, lose, refund
from table_controller.table.messages import (
    AlarmRaised,
    Fact,
    HoldEnded,
    HoldPlaced,
    House,
    MeterChanged,
    Noticed,
    Phase,
    PhaseEntered,
    Role,
    SeatResult,
    ShareWon,
    Stamp,
)
from table_controller.table.rulings import RULINGS
from table_controller.table.state import Alarm, Hold, Seat, TableState, rules_now


class Refused(Exception):
    """The table says no; the text is the reason as a person reads it."""


def same_person(one: str, other: str) -> bool:
    """Two spellings of one name are not two people."""
    first, second = (" ".join(unicodedata.normalize("NFKC", name).split()) for name in (one, other))
    return first.casefold() == second.casefold()


LOWERS = frozenset({"award", "void", "coin_refunded", "dead_hand", "progressive_fault", "correction"})
"""The listed reasons for which a meter goes down (STANDARDS.md, item 4): the house rule that orders a prize
or a refund, or two people with a reason. For every other reason it only rises."""


class Turn:
    """What one message does to the table."""

    def __init__(self, house: House, draft: TableState, stamp: Stamp) -> None:
        self.house = house
        self.state = draft
        self.stamp = stamp
        self.facts: list[Fact] = []
        self.operator = ""
        self.role: Role = "dealer"
        self.reason = ""

    @property
    def rules(self) -> HouseRules:
        """The house rules in force at this table."""
        return rules_now(self.house, self.state)

    def tell(self, fact: Fact) -> None:
        """Add a fact."""
        self.facts.append(fact)

    def alarm(self, alarm: str, place: str = "") -> None:
        """Raise an alarm; a second raising adds nothing (DETAILS.md, Alarms)."""
        if not self.state.has_alarm(alarm, place):
            self.state.alarms.append(Alarm(alarm, place))
            self.tell(AlarmRaised(alarm, place))

    def notice(self, notice: str, place: str = "") -> None:
        """Record what is no alarm."""
        self.tell(Noticed(notice, place))

    def place_hold(self, reason: str, place: str = "", void_only: bool = False) -> None:
        """Hold the table for that reason if the house's rule says so (`rulings`)."""
        ruling = RULINGS[reason]
        if not ruling.holds(self.rules):
            return
        hold = self.state.hold(reason)
        if hold is None:
            hold = Hold(reason)
            self.state.holds.append(hold)
            self.tell(HoldPlaced(reason))
        if place and place not in hold.places:
            hold.places.append(place)
        hold.void_only = hold.void_only or void_only or ruling.void_only(self.rules)

    def alarm_and_hold(self, reason: str, place: str = "") -> None:
        """An alarm that may hold the table."""
        self.alarm(reason, place)
        self.place_hold(reason, place)

    def end_hold(self, reason: str, place: str = "") -> None:
        """That reason is gone, for one place or altogether."""
        hold = self.state.hold(reason)
        if hold is None:
            return
        if place in hold.places:
            hold.places.remove(place)
        if not place or not hold.places:
            self.state.holds.remove(hold)
            self.tell(HoldEnded(reason))

    def end_all_holds(self) -> None:
        """No reason to hold is left."""
        for hold in list(self.state.holds):
            self.end_hold(hold.reason)

    def enter(self, phase: Phase) -> None:
        """The round is in another phase."""
        self.state.phase = phase
        self.tell(PhaseEntered(phase))

    def set_meter(self, meter: Meter | None, why: str) -> None:
        """Move the meter for a listed reason."""
        before = self.state.meter
        if before is not None and meter is not None and meter.exact < before.exact and why not in LOWERS:
            raise RuntimeError(f"the meter would fall from {before.cents} to {meter.cents} cents for {why}")
        self.state.meter = meter
        if before is not None and meter is not None and before.cents != meter.cents:
            self.tell(MeterChanged(before.cents, meter.cents, why))

    def coin_cents(self, seat: Seat) -> int:
        """What the coin of a seat is worth: a coin in action keeps the value it was bet with."""
        return self.rules.coin_value_cents if seat.share is None else seat.share.coin_cents

    def refund_coin(self, number: int, why: str) -> None:
        """A coin in action goes back; its share by `void_contribution` (HOUSE_RULES.md, Wagers)."""
        seat = self.state.seat(number)
        if seat.coin not in ("placed", "bet"):
            return
        seat.results.coin = refund(self.coin_cents(seat))
        if seat.share is not None and self.state.meter is not None:
            before = self.state.meter
            if self.rules.void_contribution == "reverse":
                after = take_back(before, seat.share)
                self.state.at_lock_cents -= before.cents - after.cents
                if after.kept_shares > before.kept_shares and self.state.books is not None:
                    self.tell(ShareWon(number, after.kept_shares - before.kept_shares))
            else:
                after = keep_share(before, seat.share)
                self.notice("share_kept", str(number))
            self.set_meter(after, why)
            seat.share = None
        seat.coin = "refunded"

    def lose_coin(self, number: int) -> None:
        """A coin in action is lost with its hand; its share stays on the meter."""
        seat = self.state.seat(number)
        if seat.coin == "bet":
            seat.coin = "lost"
            seat.results.coin = lose(self.coin_cents(seat))


def result_texts(state: TableState) -> tuple[SeatResult, ...]:
    """The results of all seats that had anything lying, in table words."""

    def text(outcome: Outcome | None, waiting: bool = False) -> str:
        return "waits" if waiting else outcome.text if outcome is not None else "none"

    def waits(number: int, seat: Seat) -> bool:
        return seat.results.coin is None and any(
            one.status == "waits" and one.award.seat == number for one in state.awards
        )

    return tuple(
        SeatResult(
            number,
            text(seat.results.ante),
            text(seat.results.raise_),
            text(seat.results.bonus),
            text(seat.results.coin, waits(number, seat)),
        )
        for number, seat in state.numbered()
        if any(
            outcome is not None
            for outcome in (
                seat.results.ante,
                seat.results.raise_,
                seat.results.bonus,
                seat.results.coin,
            )
        )
    )
