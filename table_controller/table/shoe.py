"""What comes from the shoe: cards in their order, cards that nobody could read, and the shoe's faults."""

from __future__ import annotations

from table_controller.table.deal import cards_due, in_deck, next_place, unread
from table_controller.table.deck import find_out
from table_controller.table.messages import (
    BadFrame,
    CardDealt,
    CardScanned,
    CardUnreadable,
    FrameLost,
    RescanCard,
    ShoeFound,
    ShoeLost,
)
from table_controller.table.state import CARDS_IN_THE_DECK, PHASES_IN_PLAY, CardOut, Fate
from table_controller.table.turn import Refused, Turn

JOKER = "JK"
"""A card that belongs to no deck."""


def card_scanned(turn: Turn, event: CardScanned) -> None:
    """A card left the shoe and was read."""
    turn.state.shoe_next_seq = event.shoe_seq + 1
    boxed_before = turn.state.has_alarm("boxed_card")
    seen_before = any(card.card == event.card for card in turn.state.cards)
    _take(turn, event.card, event.boxed and turn.rules.boxed_card != "valid")
    if event.boxed:
        turn.alarm("boxed_card")
        rule = turn.rules.boxed_card
        if rule == "void" or (rule == "discard_first_void_second" and boxed_before):
            _hold_in_play(turn, "boxed_card")
    _judge_face(turn, event.card, seen_before)


def card_unreadable(turn: Turn, event: CardUnreadable) -> None:
    """A card left the shoe unread; it takes its place all the same."""
    turn.state.shoe_next_seq = event.shoe_seq + 1
    _take(turn, "", boxed=False)
    _unread_card(turn, "unreadable_card")


def frame_lost(turn: Turn, event: FrameLost) -> None:
    """Card events are lost for good: each is a card that nobody has read.

    More of them than the deck still has cannot be cards of one deck: only a void and another deck
    end that.
    """
    state = turn.state
    state.shoe_next_seq = event.shoe_seq + event.missing
    left = CARDS_IN_THE_DECK - len(state.cards)
    for _ in range(min(event.missing, left)):
        _take(turn, "", boxed=False)
    _unread_card(turn, "frame_lost")
    if event.missing > left:
        state.new_deck_due = True
        if state.phase in PHASES_IN_PLAY:
            turn.place_hold("frame_lost", void_only=True)


def _unread_card(turn: Turn, reason: str) -> None:
    """Outside of a round in play nothing can be void, so the hold needs the other way out to be open."""
    turn.alarm(reason)
    if turn.state.phase in PHASES_IN_PLAY or turn.rules.scanner_fault == "rescan_else_void":
        turn.place_hold(reason)


def _hold_in_play(turn: Turn, reason: str) -> None:
    if turn.state.phase in PHASES_IN_PLAY:
        turn.place_hold(reason)


def _take(turn: Turn, text: str, boxed: bool) -> None:
    """Record the card with what it is by the order: due, extra, or nobody's."""
    state = turn.state
    state.deck_counted = False
    place = ""
    fate: Fate
    if state.phase == "betting":
        fate = "before_lock"
    elif state.phase not in PHASES_IN_PLAY or state.main_void:
        fate = "late"
    elif cards_due(state):
        fate = "due"
        place = next_place(turn.rules, state)
    else:
        fate = "late" if state.phase == "revealing" else "extra"
    if fate == "due":
        _tokens_first(turn)
    if boxed and fate in ("due", "extra"):
        fate, place = "boxed", ""
    state.cards.append(CardOut(text, fate, place))
    turn.tell(CardDealt(len(state.cards), place))
    alarm = {"before_lock": "card_before_lock", "late": "card_late", "extra": "extra_card"}.get(fate)
    if alarm:
        turn.alarm(alarm)


def _tokens_first(turn: Turn) -> None:
    """A card before the tokens are counted (DETAILS.md, Alarms, `token_count`)."""
    rules = turn.rules
    if rules.token_count == "required" and rules.has_progressive and not turn.state.tokens_counted:
        turn.alarm_and_hold("token_count")


def _judge_face(turn: Turn, text: str, seen_before: bool) -> None:
    """A card twice, or one of no deck: the deck is defective, wherever the card lies."""
    for wrong, reason in ((seen_before, "duplicate_card"), (not in_deck(text), "foreign_card")):
        if wrong:
            turn.state.new_deck_due = True
            turn.alarm(reason)
            find_out(turn, reason)
            if turn.state.phase in PHASES_IN_PLAY or _can_still_be_void(turn):
                turn.place_hold(reason)


def _can_still_be_void(turn: Turn) -> bool:
    """An award waits and none is confirmed: the settled round may be void still."""
    state = turn.state
    confirmed = any(one.status == "paid" and one.first_operator for one in state.awards)
    return state.phase == "settled" and state.hold("jackpot_hold") is not None and not confirmed


def rescan(turn: Turn, command: RescanCard) -> None:
    """The first unread card was read by hand (HOUSE_RULES.md, The deal, `scanner_fault`)."""
    state = turn.state
    missing = unread(state)
    if not missing:
        raise Refused("no card waits to be read")
    if turn.rules.scanner_fault == "void_round":
        raise Refused("this house does not read cards by hand: the round is void")
    lost = state.hold("frame_lost")
    if lost is not None and lost.void_only:
        raise Refused("the shoe was restarted in the deal: the round is void")
    text = command.card.upper()
    if not in_deck(text) and text != JOKER:
        raise Refused(f"'{command.card}' is no card: rank and suit as in KD, or {JOKER}")
    seen_before = any(card.card == text for card in state.cards)
    missing[0].card = text
    _judge_face(turn, text, seen_before)
    if len(missing) == 1:
        turn.end_hold("unreadable_card")
        turn.end_hold("frame_lost")


def bad_frame(turn: Turn, _: BadFrame) -> None:
    """A damaged frame on the line; no card is lost by it."""
    turn.alarm("bad_frame")


def shoe_lost(turn: Turn, _: ShoeLost) -> None:
    """The shoe is away; it holds the table in dealing only."""
    turn.state.shoe_present = False
    turn.alarm("shoe_lost")
    if turn.state.phase == "dealing":
        turn.place_hold("shoe_lost")


def shoe_found(turn: Turn, event: ShoeFound) -> None:
    """The shoe answers; with a new boot id in dealing nobody knows what left it meanwhile."""
    state = turn.state
    restarted = state.shoe_boot_id not in (0, event.boot_id)
    state.shoe_present = True
    state.shoe_boot_id = event.boot_id
    state.shoe_next_seq = event.next_seq
    if restarted and state.phase == "dealing":
        turn.alarm("frame_lost")
        turn.place_hold("frame_lost", void_only=True)
