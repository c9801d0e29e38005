"""What can be done now: the list that a screen offers, made by trying.

Each word is tried on a copy of the table, so that what is offered is by construction what would be
taken, and what is refused carries the very reason. Words about single cards are offered by their
phase alone: what is offered must not depend on cards that lie face down. Where a person still has to
say an amount, a name or a cashier, an example stands in the offer.
"""

from __future__ import annotations

from typing import get_args

import msgspec

from table_controller.table import messages as m
from table_controller.table.state import PHASES_IN_PLAY, TableState, encode_state, rules_now
from table_controller.table.step import step


class Offer(msgspec.Struct, frozen=True):
    """A command, and why it cannot be given now; empty if it can."""

    command: m.AnyCommand
    role: m.Role
    refused: str


def offers(house: m.House, state: TableState, stamp: m.Stamp) -> list[Offer]:
    """Every word that a dealer or a supervisor may want, with the reason where it is refused."""
    encoded = encode_state(state)
    found = []
    for command, role in _candidates(house, state):
        said = m.Said(command, "somebody", role, "offer")
        _, facts = step(house, state, stamp, said, encoded)
        refused = next((fact.reason for fact in facts if isinstance(fact, m.CommandRefused)), "")
        found.append(Offer(command, role, refused))
    found += [Offer(command, "dealer", _by_phase(state, command)) for command in _ABOUT_CARDS]
    return found


def _candidates(house: m.House, state: TableState) -> list[tuple[m.AnyCommand, m.Role]]:
    dealer: list[m.AnyCommand] = [m.PressKey(key) for key in get_args(m.Key)]
    dealer += [m.RepeatAmounts(0), m.DoubleAmounts(0), m.UndoAmount(), m.ClearAmounts(0)]
    dealer += [m.CountTokens(0), m.CountStub(0)]
    supervisor: list[m.AnyCommand] = [m.VoidRound(), m.Withdraw(), m.Resume(), m.NewDeck()]
    for number, seat in state.numbered():
        dealer += [m.Fold(number), m.ReturnCoin(number), m.Claim(number)]
        supervisor += [m.DeadHand(number, "count"), m.DeadHand(number, "conduct"), m.KillHand(number)]
        supervisor += [m.FoldShort(number), m.ConfirmAward(number), m.RejectAward(number)]
        excess_cents = seat.raise_lying_cents - 2 * seat.ante_cents
        supervisor.append(m.ReturnExcess(number, max(0, excess_cents)))
    supervisor += [*_about_days_and_trials(state), *_about_money(house, state)]
    return [*((command, "dealer") for command in dealer), *((one, "supervisor") for one in supervisor)]


def _about_days_and_trials(state: TableState) -> list[m.AnyCommand]:
    found: list[m.AnyCommand] = [m.OpenDay(), m.CloseDay(), m.ChangeShift("another")]
    found += [m.BeginTrial("somebody"), m.EndTrial(), m.TrySeat(0)]
    if state.trial is not None:
        for number, _ in state.numbered():
            found += [m.TrySeat(number), m.LampSeen(number)]
    return found


def _about_money(house: m.House, state: TableState) -> list[m.AnyCommand]:
    """Every award that is owed, and a correction of each pot: the one that was asked for, or by one cent."""
    found: list[m.AnyCommand] = []
    books, meter = state.books, state.meter
    for document in books.owed if books is not None else ():
        found += [m.PayHit(document, "cage"), m.WithholdHit(document, "other"), m.ReleaseHit(document)]
    if meter is None:
        return found
    shown: dict[m.Pot, int] = {
        "meter": meter.cents, "overflow": meter.overflow_cents, "reserve": meter.reserve_cents
    }  # fmt: skip
    asked = books.asked.command if books is not None and books.asked is not None else None
    limit_cents = rules_now(house, state).meter_limit_cents
    for pot, cents in shown.items():
        # A pot may rise by a cent, and the meter at its limit may fall by one.
        full = pot == "meter" and 0 < limit_cents <= cents
        example = m.CorrectMeter(pot, cents - 1 if full else cents + 1, "display_wrong", "approval")
        found.append(asked if asked is not None and asked.pot == pot else example)
    return found


_ABOUT_CARDS: tuple[m.AnyCommand, ...] = (
    m.StateCount("D", 5),
    m.StateHand("D", ()),
    m.MoveCard("", ""),
    m.DiscardCard(""),
    m.StateUpcard(""),
    m.StateExposed(""),
    m.RescanCard(""),
)


def _by_phase(state: TableState, command: m.AnyCommand) -> str:
    if state.trial is not None:
        return "the table is being tried: the trial must be ended first"
    if isinstance(command, m.StateHand):
        return "" if state.phase == "revealing" else "hands are stated after CLOSE and before the settlement"
    if isinstance(command, m.DiscardCard):
        return "" if state.cards else "no card has left the shoe"
    if isinstance(command, m.RescanCard):
        return "" if any(not card.card for card in state.cards) else "no card waits to be read"
    return "" if state.phase in PHASES_IN_PLAY else "this can be said only between LOCK and the settlement"
