"""The documents of awards: what was found, who decided, what is owed, who paid (STANDARDS.md, E).

An award is found by the engine and gets a document number at once. What waits is decided by two people;
a confirmed award is owed until somebody pays it, at the table or at the cage, and frees the table. Nothing
here ever removes an award: a check of the player only makes its payment wait.
"""

from __future__ import annotations

import msgspec

from table_controller.engine.cards import card_text
from table_controller.engine.progressive import Award
from table_controller.table.deal import cards_at
from table_controller.table.messages import (
    HitDecided,
    HitPaid,
    HitRecorded,
    HitReleased,
    HitWithdrawn,
    HitWithheld,
    PayHit,
    ReleaseHit,
    WithholdHit,
)
from table_controller.table.state import Books, LevelBook, Owed, Waiting
from table_controller.table.turn import Refused, Turn

OWED_MAX = 100
"""With so many confirmed awards unpaid no round is opened; a house that owes more has lost its cage."""


def record(turn: Turn, found: list[Waiting], meter_cents: int) -> None:
    """Give each new award its document number, and tell what proves it."""
    state = turn.state
    books = state.books
    if books is None:
        return
    for one in found:
        books.documents += 1
        one.document = f"{turn.house.table}-A{books.documents:06}"
        award = one.award
        hand = cards_at(state, str(award.seat)) if award.kind != "share" else None
        turn.tell(
            HitRecorded(
                document=one.document,
                round=state.round,
                seat=award.seat,
                hand=award.category_label,
                kind=award.kind,
                cards=tuple(card_text(card) for card in hand or ()),
                meter_cents=meter_cents,
                cents=award.cents,
                take_cents=award.take_cents,
                house_cents=award.house_cents,
                waits=one.status == "waits",
            )
        )


def level_of(award: Award) -> str:
    """Whose book an award is entered in: its hand's; a part in somebody else's royal has one of its own."""
    return f"share_of_{award.category_label}" if award.kind == "share" else award.category_label


def enter_paid(turn: Turn, paid: list[Waiting]) -> None:
    """Count what was paid by the hand it was paid for, and by who paid (STANDARDS.md, item 8)."""
    books = turn.state.books
    if books is None:
        return
    books.corrected_from_cents = None
    for one in paid:
        label, cents = level_of(one.award), one.award.cents
        book = books.levels.get(label, LevelBook())
        if one.first_operator:
            changed = {
                "confirmed_hits": book.confirmed_hits + 1,
                "confirmed_cents": book.confirmed_cents + cents,
            }
        else:
            changed = {"dealer_hits": book.dealer_hits + 1, "dealer_cents": book.dealer_cents + cents}
        books.levels[label] = msgspec.structs.replace(book, **changed)


def decided(turn: Turn, one: Waiting, paid: bool) -> None:
    """Two people have decided: a confirmed award is owed from now on."""
    books = turn.state.books
    if books is None:
        return
    turn.tell(
        HitDecided(
            document=one.document,
            decision="confirm" if paid else "reject",
            operators=(one.first_operator, turn.operator),
            reason=turn.reason,
            camera=one.camera,
            deck_complete=turn.state.deck_counted,
        )
    )
    if paid:
        award = one.award
        books.owed[one.document] = Owed(turn.state.round, award.seat, award.category_label, award.cents)


def withdraw(turn: Turn) -> None:
    """The round is void: its awards are taken back, their documents stay."""
    for one in turn.state.awards:
        if one.document:
            turn.tell(HitWithdrawn(one.document))


def _owed(turn: Turn, document: str) -> tuple[Books, Owed]:
    books = turn.state.books
    owed = books.owed.get(document) if books is not None else None
    if books is None or owed is None:
        raise Refused(f"no confirmed award with the document {document} is unpaid")
    return books, owed


def pay_hit(turn: Turn, command: PayHit) -> None:
    """A confirmed award is paid, unless a check still withholds it."""
    books, owed = _owed(turn, command.document)
    if owed.hold:
        raise Refused(f"{command.document} is withheld ({owed.hold}): it must be released first")
    del books.owed[command.document]
    turn.tell(HitPaid(command.document, owed.cents, command.at, turn.operator))


def withhold_hit(turn: Turn, command: WithholdHit) -> None:
    """A confirmed award waits for a check of identity, tax or another; it stays owed."""
    _, owed = _owed(turn, command.document)
    if owed.hold:
        raise Refused(f"{command.document} is withheld already ({owed.hold})")
    owed.hold = command.hold
    turn.tell(HitWithheld(command.document, command.hold, turn.operator, turn.reason))


def release_hit(turn: Turn, command: ReleaseHit) -> None:
    """The check is done; the award can be paid."""
    _, owed = _owed(turn, command.document)
    if not owed.hold:
        raise Refused(f"{command.document} is not withheld")
    owed.hold = ""
    turn.tell(HitReleased(command.document, turn.operator, turn.reason))
