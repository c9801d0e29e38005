"""Money at the end of a round: the settlement, the awards and their decisions, the void.

The engine computes; here is only which hands and stakes it is asked about, and what stands
until people have decided (DETAILS.md, Money).
"""

from __future__ import annotations

import msgspec

from table_controller.engine.cards import Card, parse_card
from table_controller.engine.hands import category, strength
from table_controller.engine.house_rules import with_parameters
from table_controller.engine.progressive import compute_awards, pay
from table_controller.engine.settlement import NONE, Outcome, SeatBets, lose, refund, settle, win
from table_controller.table import hits
from table_controller.table.deal import (
    bonus_in_action,
    cards_at,
    cards_due,
    coin_in_action,
    in_deck,
    places_that_decide,
    unread,
    upcard_now,
)
from table_controller.table.messages import (
    AwardHeld,
    AwardPaid,
    AwardRejected,
    MeterReset,
    RoundSettled,
    RoundVoided,
)
from table_controller.table.state import DEALER, BeforeAwards, Waiting
from table_controller.table.turn import Turn, result_texts


def reveal_refused(turn: Turn) -> str:
    """Why the round cannot be settled now; empty if it can (DETAILS.md, Keys and phases)."""
    state = turn.state
    if state.phase != "revealing":
        return "REVEAL is possible only after CLOSE"
    if state.held:
        return "the table is held"
    if cards_due(state):
        return "a due card is missing"
    if any(card.on_felt for card in unread(state)):
        return "a card waits to be read"
    missing = [place for place in places_that_decide(turn.rules, state) if cards_at(state, place) is None]
    if missing:
        return f"the hand must be stated at {', '.join(missing)}"
    if not state.main_void and bonus_in_action(turn.rules, state) and not upcard_now(turn.rules, state):
        return "the up card must be stated"
    return ""


def reveal(turn: Turn) -> None:
    """Settle the round (HOUSE_RULES.md, Order of settlement)."""
    state = turn.state
    if not state.main_void:
        _settle_main(turn)
        state.result = "settled"
        state.rounds_since_count += 1
        every = turn.rules.stub_count_every
        state.stub_due = every > 0 and state.rounds_since_count >= every
    for number, seat in state.numbered():
        if seat.coin == "bet" and not coin_in_action(turn.rules, state, number):
            seat.results.coin = lose(turn.coin_cents(seat))
    turn.enter("void" if state.main_void else "settled")
    _award(turn, [n for n, _ in state.numbered() if coin_in_action(turn.rules, state, n)], "jackpot_hold")
    if state.main_void:
        state.result = "void"
        turn.tell(RoundVoided(state.round, result_texts(state)))
    else:
        turn.tell(RoundSettled(state.round, result_texts(state)))


def _settle_main(turn: Turn) -> None:
    state = turn.state
    rules = turn.rules
    decide = places_that_decide(rules, state)
    bets = [
        SeatBets(
            seat=number,
            ante_cents=seat.ante_cents,
            raise_cents=0 if seat.folded else seat.raise_cents,
            bonus_cents=seat.bonus_cents,
            folded=seat.folded,
            hand=cards_at(state, str(number)) if str(number) in decide else None,
        )
        for number, seat in state.numbered()
        if seat.live
    ]
    dealer = cards_at(state, DEALER) if DEALER in decide else None
    outcomes = settle(rules, dealer, _upcard(turn), bets)
    for number, outcome in outcomes.items():
        results = state.seat(number).results
        results.ante = outcome.ante
        results.raise_ = _or_kept(results.raise_, outcome.raise_)
        results.bonus = _or_kept(results.bonus, outcome.bonus)
        if results.coin is None and state.seat(number).coin == "none":
            results.coin = NONE


def _or_kept(kept: Outcome | None, outcome: Outcome) -> Outcome:
    """A stake that went back already (late chips, a short raise) keeps its result."""
    return outcome if kept is None else kept


def _upcard(turn: Turn) -> Card | None:
    text = upcard_now(turn.rules, turn.state)
    return parse_card(text) if text and in_deck(text) else None


# ------------------------------------------------------------------------------------- awards


def _award(turn: Turn, numbers: list[int], hold: str) -> None:
    """Compute the awards of these seats once, pay what does not wait and hold for the rest."""
    state = turn.state
    meter = state.meter
    if meter is None or not numbers:
        return
    state.before_awards = BeforeAwards(meter, dict(state.parameters), dict(state.parameters_pending))
    if state.books is not None:
        levels, base_cents = dict(state.books.levels), state.books.base_cents
        state.before_awards = msgspec.structs.replace(
            state.before_awards, levels=levels, base_cents=base_cents
        )
    everything_waits = hold == "jackpot_hand_in_void_round" and (
        turn.rules.jackpot_hand_in_void_round == "manager_decision"
    )
    after_a_royal = with_parameters(turn.house.rules, {**state.parameters, **state.parameters_pending})
    awards = compute_awards(
        turn.rules,
        meter.cents,
        meter.reserve_rise_cents,
        state.at_lock_cents,
        _strengths(turn, numbers),
        after_a_royal.reset_cents,
    )
    found = [Waiting(award, "waits" if award.waits or everything_waits else "paid") for award in awards]
    hits.record(turn, found, meter.cents)
    state.awards += found
    paid = [one for one in state.awards if one.status == "paid"]
    if paid:
        _pay(turn, paid)
    for one in paid:
        turn.tell(AwardPaid(one.award.seat, one.award.category_label, one.award.cents))
    waiting = [one.award for one in state.awards if one.status == "waits"]
    if waiting:
        turn.alarm(hold)
    for award in waiting:
        turn.place_hold(hold, str(award.seat))
        turn.tell(AwardHeld(award.seat, award.category_label, award.cents))
    _coin_results(turn)


def _strengths(turn: Turn, numbers: list[int]) -> list[tuple[int, int]]:
    found = ((number, cards_at(turn.state, str(number))) for number in numbers)
    return [(number, strength(cards)) for number, cards in found if cards is not None]


def _pay(turn: Turn, decided: list[Waiting]) -> None:
    """Lower the meter by what these awards take, and reset it once if a royal is among them."""
    state = turn.state
    if state.meter is None:
        return
    royal = any(one.award.kind == "royal" for one in decided) and not state.reset_done
    if royal and state.parameters_pending:
        state.parameters = {**state.parameters, **state.parameters_pending}
        state.parameters_pending = {}
    state.reset_done = state.reset_done or royal
    reserve_cents = state.meter.reserve_rise_cents
    turn.set_meter(pay(turn.rules, state.meter, [one.award for one in decided], royal), "award")
    hits.enter_paid(turn, decided)
    if royal and state.books is not None:
        state.books.base_cents = state.meter.cents
        turn.tell(MeterReset(state.meter.cents, turn.rules.reset_cents, reserve_cents))


def _coin_results(turn: Turn) -> None:
    """What became of each coin, as far as its awards are decided."""
    state = turn.state
    for number, seat in state.numbered():
        if seat.coin != "bet" or not coin_in_action(turn.rules, state, number):
            continue
        own = [one for one in state.awards if one.award.seat == number]
        if any(one.status == "waits" for one in own):
            seat.results.coin = None
            continue
        paid_cents = sum(one.award.cents for one in own if one.status == "paid")
        if paid_cents:
            seat.results.coin = win(paid_cents)
        elif own and state.result == "void" and not state.main_void:
            turn.refund_coin(number, "coin_refunded")
        else:
            seat.results.coin = lose(turn.coin_cents(seat))


def decided_together(turn: Turn, number: int) -> list[Waiting]:
    """The waiting awards that a word about that seat decides: a shared royal is decided as a whole."""
    waiting = [one for one in turn.state.awards if one.status == "waits"]
    mine = [one for one in waiting if one.award.seat == number]
    if any(one.award.kind == "royal" for one in mine):
        shared = any(one.award.kind == "share" for one in turn.state.awards)
        if shared or turn.rules.royal_split == "shared_by_bettors":
            return [one for one in waiting if one.award.kind in ("royal", "share")]
    return [one for one in mine if one.award.kind != "share"]


def decide(turn: Turn, chosen: list[Waiting], paid: bool) -> None:
    """Two people have decided these awards; with the last one the meter moves, once."""
    state = turn.state
    for one in chosen:
        one.status = "paid" if paid else "rejected"
        fact = AwardPaid if paid else AwardRejected
        turn.tell(fact(one.award.seat, one.award.category_label, one.award.cents))
        hits.decided(turn, one, paid)
    for hold in ("jackpot_hold", "jackpot_hand_in_void_round"):
        for one in chosen:
            seat = one.award.seat
            if not any(other.award.seat == seat and other.status == "waits" for other in state.awards):
                turn.end_hold(hold, str(seat))
    _coin_results(turn)
    if not any(one.status == "waits" for one in state.awards):
        confirmed = [one for one in state.awards if one.status == "paid" and one.first_operator]
        if confirmed:
            _pay(turn, confirmed)


# --------------------------------------------------------------------------------------- void


def void_main_game(turn: Turn) -> None:
    """Ante, raise and bonus of every live seat go back, folded seats' too (DETAILS.md, Money, Void)."""
    for _, seat in turn.state.numbered():
        if seat.live:
            seat.results.ante = refund(seat.ante_cents)
            cents = 0 if seat.folded else seat.raise_cents or seat.raise_lying_cents
            seat.results.raise_ = refund(cents) if cents else _gone_back(seat.results.raise_)
            bonus_cents = seat.bonus_cents
            seat.results.bonus = refund(bonus_cents) if bonus_cents else _gone_back(seat.results.bonus)
        elif seat.raise_.cents and seat.results.raise_ in (None, NONE):
            # Chips laid in the deal where nobody can raise; they would have been late at its end.
            seat.results.raise_ = refund(seat.raise_.cents)


def _gone_back(outcome: Outcome | None) -> Outcome:
    """Late chips and short raises went back already; where nothing was at stake there is no result."""
    return outcome if outcome is not None and outcome.kind == "refund" else NONE


def void_round(turn: Turn) -> None:
    """The whole round is void: every stake goes back, awards as the house decides them."""
    state = turn.state
    before = state.before_awards
    if before is not None:
        turn.set_meter(before.meter, "void")
        state.parameters = dict(before.parameters)
        # What was said since REVEAL still waits for the next reset.
        state.parameters_pending = {**before.pending, **state.parameters_pending}
        if state.books is not None and before.levels is not None:
            state.books.levels, state.books.base_cents = dict(before.levels), before.base_cents
        state.before_awards = None
        state.reset_done = False
    # A share goes with its royal; the seat's own prize is nobody else's and is decided anew.
    rejected = {
        one.award.seat for one in state.awards if one.status == "rejected" and one.award.kind != "share"
    }
    hits.withdraw(turn)
    state.awards = []
    again = state.main_void
    if not again:
        void_main_game(turn)
    state.main_void = False
    state.result = "void"
    state.stub_due = False
    turn.end_all_holds()
    turn.enter("void")
    _void_coins(turn, rejected, stand=turn.rules.coin_on_void == "stands" and not again)
    turn.tell(RoundVoided(state.round, result_texts(state)))


def _void_coins(turn: Turn, rejected: set[int], stand: bool) -> None:
    """Coins of a void round: back, or in action on a whole hand, or waiting over an award."""
    state = turn.state
    rules = turn.rules
    known: dict[int, int] = {}
    for number, _ in state.numbered():
        cards = cards_at(state, str(number)) if coin_in_action(rules, state, number) else None
        if cards is not None and number not in rejected:
            known[number] = strength(cards)
    holders = [number for number, hand in known.items() if rules.prize(category(hand)) is not None]
    if holders:
        turn.alarm("jackpot_hand_in_void_round")
    if rules.jackpot_hand_in_void_round == "refund_only":
        known = {number: hand for number, hand in known.items() if number not in holders}
        holders = []
    stands = list(known) if stand else holders
    for number, seat in state.numbered():
        if seat.coin == "bet" and number not in stands:
            turn.refund_coin(number, "coin_refunded")
    _award(turn, stands, "jackpot_hand_in_void_round")
