"""What a supervisor decides: void, dead hands, resume, raises that are wrong, awards, decks."""

from __future__ import annotations

from typing import Literal

from table_controller.engine.money import money_text
from table_controller.engine.settlement import NONE, lose, refund
from table_controller.table.deal import target
from table_controller.table.deck import use_deck
from table_controller.table.messages import (
    AwardSeconded,
    ConfirmAward,
    DeadHand,
    FoldShort,
    HandDead,
    HandKilled,
    KillHand,
    NewDeck,
    RejectAward,
    Resume,
    ReturnExcess,
    SeatFolded,
    UseDeck,
    VoidRound,
)
from table_controller.table.rulings import RULINGS
from table_controller.table.settling import decide, decided_together, void_main_game, void_round
from table_controller.table.state import CARDS_IN_A_HAND, PHASES_IN_PLAY, Seat
from table_controller.table.turn import Refused, Turn, same_person


def _seat(turn: Turn, number: int) -> Seat:
    if not 1 <= number <= len(turn.state.seats):
        raise Refused(f"seat {number} does not exist, seats are 1 to {len(turn.state.seats)}")
    return turn.state.seat(number)


def void(turn: Turn, _: VoidRound) -> None:
    """The round is void (DETAILS.md, Holds and Money)."""
    state = turn.state
    if state.phase in PHASES_IN_PLAY:
        if not state.main_void and _progressive_only(turn):
            _void_but_the_progressive(turn)
        else:
            void_round(turn)
        return
    if state.phase != "settled" or state.hold("jackpot_hold") is None:
        raise Refused("a round can be void from LOCK to the settlement, or while an award waits")
    if any(one.status == "paid" and one.first_operator for one in state.awards):
        raise Refused("an award of this round is confirmed")
    void_round(turn)


def _progressive_only(turn: Turn) -> bool:
    """The rules that void here leave the progressive alone, and a lamp is lit (DETAILS.md, Money)."""
    rules = turn.rules
    state = turn.state
    spared = {
        "dealer_short": rules.dealer_short == "progressive_only",
        "dealer_long": rules.dealer_long == "progressive_only",
    }
    voiding = [hold.reason for hold in state.holds if hold.void_only]
    lit = any(seat.coin == "bet" for seat in state.seats)
    return bool(voiding) and lit and all(spared.get(reason, False) for reason in voiding)


def _void_but_the_progressive(turn: Turn) -> None:
    state = turn.state
    void_main_game(turn)
    state.main_void = True
    state.decision = None
    turn.end_all_holds()
    turn.enter("revealing")


def dead_hand(turn: Turn, command: DeadHand) -> None:
    """A hand takes no part any more (HOUSE_RULES.md, Misdeals and dead hands)."""
    state = turn.state
    rules = turn.rules
    if state.phase not in PHASES_IN_PLAY:
        raise Refused("a hand is declared dead only between LOCK and the settlement")
    seat = _seat(turn, command.seat)
    if not seat.live:
        raise Refused(f"seat {command.seat} has no live hand")
    place = str(command.seat)
    by_count = command.cause == "count"
    if by_count and rules.player_miscount == "void_all":
        raise Refused("in this house a wrong count voids the round")
    standing = state.hold("player_miscount")
    stands = standing is not None and place in standing.places
    if by_count and not stands and target(state, place) == CARDS_IN_A_HAND:
        raise Refused(f"no wrong count of seat {command.seat} stands")
    pushes = by_count and rules.player_miscount == "dead_push"
    if not state.main_void:
        back = refund if pushes else lose
        raise_cents = 0 if seat.folded else seat.raise_cents or seat.raise_lying_cents
        seat.results.ante = back(seat.ante_cents)
        seat.results.raise_ = back(raise_cents) if raise_cents else seat.results.raise_ or NONE
        if seat.bonus_cents:
            keeps = by_count and rules.dead_hand_bonus == "refund"
            seat.results.bonus = (refund if keeps else lose)(seat.bonus_cents)
        else:
            seat.results.bonus = seat.results.bonus or NONE
    if by_count and rules.dead_hand_coin == "refund":
        turn.refund_coin(command.seat, "dead_hand")
    else:
        turn.lose_coin(command.seat)
    seat.dead = command.cause
    turn.tell(HandDead(command.seat, command.cause))
    hold = state.hold("player_miscount")
    if hold is not None and not hold.void_only and place in hold.places:
        turn.end_hold("player_miscount", place)


def kill_hand(turn: Turn, command: KillHand) -> None:
    """The extra hand at a seat without an ante is thrown away unseen."""
    state = turn.state
    _seat(turn, command.seat)
    place = str(command.seat)
    hold = state.hold("extra_hand")
    if hold is None or place not in hold.places:
        raise Refused(f"no extra hand lies at seat {command.seat}")
    if hold.void_only:
        raise Refused("in this house an extra hand voids the round")
    if place not in state.counts and target(state, place):
        raise Refused(f"the cards at seat {command.seat} must be counted first")
    state.killed.append(place)
    turn.end_hold("extra_hand", place)
    turn.tell(HandKilled(command.seat))


def resume(turn: Turn, _: Resume) -> None:
    """The holds are lifted if every one of them may be (DETAILS.md, Holds)."""
    state = turn.state
    if not state.held:
        raise Refused("the table is not held")
    for hold in state.holds:
        ruling = RULINGS[hold.reason]
        if hold.void_only or not ruling.resumable:
            raise Refused(f"{hold.reason}: what ends it is {'a void' if hold.void_only else ruling.ends}")
        if hold.reason == "shoe_lost" and not state.shoe_present:
            raise Refused("shoe_lost: the shoe is still away")
        wrong = [place for place in hold.places if target(state, place) != CARDS_IN_A_HAND]
        if hold.reason == "player_miscount" and wrong:
            raise Refused(f"player_miscount: seat {', '.join(wrong)} does not hold five cards")
    if state.hold("token_count") is not None:
        state.tokens_counted = True
    turn.end_all_holds()


def _raise_while_deciding(turn: Turn, number: int) -> Seat:
    seat = _seat(turn, number)
    if turn.state.phase != "deciding":
        raise Refused("raises are put right only while seats decide")
    if not seat.live or seat.folded or not seat.raise_.laid:
        raise Refused(f"no raise lies at seat {number}")
    return seat


def fold_short(turn: Turn, command: FoldShort) -> None:
    """A raise that is not topped up is a fold, its chips go back (HOUSE_RULES.md, `short_raise`)."""
    seat = _raise_while_deciding(turn, command.seat)
    if turn.rules.short_raise == "refuse":
        raise Refused("in this house a short raise is topped up or taken back, never a fold")
    if seat.raise_lying_cents >= 2 * seat.ante_cents:
        raise Refused(f"the raise at seat {command.seat} is not short")
    seat.results.raise_ = refund(seat.raise_lying_cents)
    seat.folded = True
    turn.tell(SeatFolded(command.seat, "supervisor"))


def return_excess(turn: Turn, command: ReturnExcess) -> None:
    """The exact excess of a raise goes back."""
    seat = _raise_while_deciding(turn, command.seat)
    excess_cents = seat.raise_lying_cents - 2 * seat.ante_cents
    if excess_cents <= 0:
        raise Refused(f"nothing lies in excess at seat {command.seat}")
    if command.cents != excess_cents:
        excess = money_text(excess_cents)
        raise Refused(f"the excess at seat {command.seat} is {excess}, not {money_text(command.cents)}")
    seat.raise_.cents = 2 * seat.ante_cents


def new_deck(turn: Turn, command: NewDeck) -> None:
    """Another deck is in use; it never allows a confirm (DETAILS.md, Holds)."""
    state = turn.state
    if state.phase in PHASES_IN_PLAY:
        raise Refused("a deck is changed only between rounds")
    use_deck(turn, command.deck, by_supervisor=True)
    state.new_deck_due = False
    state.deck_short = False
    state.stub_due = False
    state.rounds_since_count = 0
    turn.end_hold("deck_short")


def other_deck(turn: Turn, command: UseDeck) -> None:
    """Two decks alternate in a shuffler; the checks run for each of them."""
    if turn.state.phase in PHASES_IN_PLAY:
        raise Refused("a deck is changed only between rounds")
    if not command.deck:
        raise Refused("the deck has no name")
    use_deck(turn, command.deck, by_supervisor=False)


def decide_award(turn: Turn, command: ConfirmAward | RejectAward) -> None:
    """One of two people confirms or rejects; one of them is a supervisor (DETAILS.md, Money)."""
    state = turn.state
    _seat(turn, command.seat)
    paid = isinstance(command, ConfirmAward)
    chosen = decided_together(turn, command.seat)
    if not chosen:
        raise Refused(f"no award waits for a decision at seat {command.seat}")
    if state.hold("duplicate_card") is not None or state.hold("foreign_card") is not None:
        raise Refused("the deck is defective: what ends that is a void")
    as_settled = state.result == "settled" or state.main_void
    if paid and as_settled and turn.rules.jackpot_verify == "deck_count" and not state.deck_counted:
        raise Refused("the rest of the deck must be counted complete first")
    if not turn.operator.strip():
        raise Refused("an award is decided by people with a name")
    first = chosen[0]
    decision: Literal["confirm", "reject"] = "confirm" if paid else "reject"
    supervisor = turn.role == "supervisor"
    if first.first_decision != decision:
        for one in chosen:
            one.first_operator = turn.operator
            one.first_supervisor = supervisor
            one.first_decision = decision
            one.camera = command.camera if isinstance(command, ConfirmAward) else ""
        turn.tell(AwardSeconded(command.seat, decision, turn.operator))
        return
    if same_person(first.first_operator, turn.operator):
        raise Refused(f"{turn.operator} has said so already: a second person is needed")
    if not (supervisor or first.first_supervisor):
        raise Refused("one of the two must be a supervisor")
    if isinstance(command, ConfirmAward) and command.camera:
        for one in chosen:
            one.camera = command.camera
    decide(turn, chosen, paid)
