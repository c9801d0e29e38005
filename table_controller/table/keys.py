"""The dealer's keys: when each is refused, and what it does (DETAILS.md, Keys and phases)."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.engine.money import money_text
from table_controller.engine.progressive import EXACT
from table_controller.engine.settlement import refund
from table_controller.table import bets, coins, deck, hits, settling
from table_controller.table import messages as m
from table_controller.table.deal import bonus_in_action, cards_unaccounted, unread, upcard_now
from table_controller.table.state import KeyedBets, Seat, TableState, Timer
from table_controller.table.turn import Refused, Turn


def _round_number(turn: Turn) -> str:
    """Table, day, UTC time and count (mission text S0, Game Number); the count alone is unique."""
    seconds = turn.stamp.wall_ms // 1000
    days, second = divmod(seconds, 86_400)
    year, month, day = _civil(days)
    clock = f"{second // 3600:02}{second // 60 % 60:02}{second % 60:02}"
    return f"{turn.house.table}-{year:04}{month:02}{day:02}-{clock}-{turn.state.rounds:06}"


def _civil(days: int) -> tuple[int, int, int]:
    """The Gregorian date that many days after 1970-01-01."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return year + era * 400 + (month <= 2), month, day


def _open_refused(turn: Turn) -> str:
    state = turn.state
    if state.phase != "idle":
        return "OPEN is possible only after CLEAR"
    if state.held:
        return "the table is held"
    if turn.house.gaming_day and state.closed:
        return "no gaming day is open"
    if state.books is not None and len(state.books.owed) >= hits.OWED_MAX:
        return f"{hits.OWED_MAX} confirmed awards are unpaid: one must be paid first"
    return ""


def _open(turn: Turn) -> None:
    """Bets are open; nothing of the round before is left but the meter, the deck and stuck sensors."""
    state = turn.state
    fresh = TableState(
        phase="betting",
        rounds=state.rounds + 1,
        seats=[_seat_at_open(seat) for seat in state.seats],
        meter=state.meter,
        meter_well=state.meter_well,
        display_well=state.display_well,
        door_well=state.door_well,
        mains_well=state.mains_well,
        shoe_present=state.shoe_present,
        shoe_boot_id=state.shoe_boot_id,
        shoe_next_seq=state.shoe_next_seq,
        lamps_failed=state.lamps_failed,
        dealer=state.dealer,
        deck=state.deck,
        decks_made=state.decks_made,
        decks=state.decks,
        new_deck_due=state.new_deck_due,
        deck_short=state.deck_short,
        rounds_since_count=state.rounds_since_count,
        repeatable=state.repeatable,
        parameters=state.parameters,
        parameters_pending=state.parameters_pending,
        books=state.books,
    )
    if fresh.books is not None:
        fresh.books.asked = None
    turn.state = fresh
    fresh.round = _round_number(turn)
    if turn.rules.betting_ms:
        fresh.betting = Timer(turn.rules.betting_ms)
    turn.tell(m.RoundOpened(fresh.round))
    turn.tell(m.PhaseEntered("betting"))
    for number, seat in fresh.numbered():
        for spot in bets.SPOTS:
            if seat.stack(spot).stale:
                turn.alarm("sensor_stuck", f"{spot} {number}")


def _seat_at_open(seat: Seat) -> Seat:
    fresh = Seat()
    for spot in bets.SPOTS:
        stack = fresh.stack(spot)
        stack.chips = stack.stale = seat.stack(spot).chips
    return fresh


def lock_refused(turn: Turn) -> str:
    """Why bets cannot be locked now; empty if they can (DETAILS.md, Keys and phases)."""
    state = turn.state
    if state.phase != "betting":
        return "LOCK is possible only while bets are open"
    if state.held:
        return "the table is held"
    if not bets.any_ante(turn):
        return "there is no ante"
    if state.new_deck_due:
        return "another deck must be put in use first"
    if state.deck_short:
        return "the rest of the deck was counted wrong: a right count or another deck is needed"
    if not state.shoe_present:
        return "the shoe is away"
    stops = turn.rules.progressive_fault_before_lock == "stop_table"
    if turn.rules.has_progressive and stops and not state.progressive_well:
        return "the progressive meter or its display is down"
    bound = turn.rules.contribution_bound_cents
    if state.meter is not None and coins.contributions_exact(turn) > bound * EXACT:
        return f"the contributions are above the bound of {money_text(bound)}"
    return ""


def lock(turn: Turn) -> None:
    """No more bets: antes, bonus bets and coins are final; the coins' shares go to the meter."""
    state = turn.state
    accepted = coins.coins_that_count(turn)
    state.round_deck = state.deck
    state.repeatable = {}
    for number, seat in state.numbered():
        bets.judge(turn, number, seat, at_lock=True)
        seat.ante_cents = bets.amount_lying(turn.house, seat.ante, "ante")
        bonus_cents = bets.amount_lying(turn.house, seat.bonus, "bonus") if turn.rules.has_bonus else 0
        if seat.ante_cents:
            seat.bonus_cents = bonus_cents
            state.repeatable[str(number)] = KeyedBets(seat.ante_cents, bonus_cents)
        elif bonus_cents:
            seat.results.bonus = refund(bonus_cents)
    for number, seat in state.numbered():
        if seat.coin == "placed":
            coins.lock_coin(turn, number, number in accepted)
    state.at_lock_cents = state.meter.cents if state.meter is not None else 0
    state.betting = None
    state.betting_over = False
    state.lock_due = False
    state.keyed = []
    turn.tell(
        m.BetsLocked(
            tuple(
                m.LockedBet(number, seat.ante_cents, seat.bonus_cents, seat.coin == "bet")
                for number, seat in state.numbered()
                if seat.ante_cents
            )
        )
    )
    turn.enter("dealing")


def _close_refused(turn: Turn) -> str:
    state = turn.state
    if state.phase != "deciding":
        return "CLOSE is possible only while seats decide"
    if state.held:
        return "the table is held"
    undecided = [str(number) for number, seat in state.numbered() if seat.undecided]
    if undecided:
        return f"undecided: seat {', '.join(undecided)}"
    wrong = [str(number) for number, seat in state.numbered() if seat.raise_wrong]
    if wrong:
        return f"the raise is not twice the ante: seat {', '.join(wrong)}"
    if any(card.on_felt for card in unread(state)):
        return "a card waits to be read"
    if cards_unaccounted(state):
        return "a card too many is not accounted for"
    declared = turn.rules.upcard == "declared"
    if declared and bonus_in_action(turn.rules, state) and not upcard_now(turn.rules, state):
        return "the up card must be said while a bonus is in action"
    return ""


def _close(turn: Turn) -> None:
    for seat in turn.state.seats:
        if seat.live and not seat.folded:
            seat.raise_cents = 2 * seat.ante_cents
    turn.state.decision = None
    turn.enter("revealing")


def _clear_refused(turn: Turn) -> str:
    state = turn.state
    if state.phase not in ("settled", "void"):
        return "CLEAR is possible only after the settlement or a void"
    if state.held:
        return "the table is held"
    return "the rest of the deck must be counted" if state.stub_due else ""


def _clear(turn: Turn) -> None:
    deck.round_over(turn)
    turn.enter("idle")
    turn.tell(m.RoundCleared(turn.state.round))


KEYS: dict[m.Key, tuple[Callable[[Turn], str], Callable[[Turn], None]]] = {
    "open": (_open_refused, _open),
    "lock": (lock_refused, lock),
    "close": (_close_refused, _close),
    "reveal": (settling.reveal_refused, settling.reveal),
    "clear": (_clear_refused, _clear),
}
"""Each key with the test that may refuse it and what it does (DETAILS.md, Keys and phases)."""


def press(turn: Turn, command: m.KeyPressed | m.PressKey) -> None:
    """A key was pressed, on the key pad or on the panel."""
    refused, do = KEYS[command.key]
    reason = refused(turn)
    if reason:
        raise Refused(reason)
    do(turn)
    turn.facts.insert(0, m.KeyTaken(command.key))
