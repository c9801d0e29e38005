"""Whose card is next, whose cards are whose, and when nobody can say (plays' README, order in doubt).

The shoe knows in which order cards left it and nothing about where they lie. As long as every count
is right the order says whose card is whose; once a count is wrong the table must say so and settle
no live hand from the order alone.
"""

from __future__ import annotations

from table_controller.engine.cards import DECK, Card, card_text, parse_card
from table_controller.engine.house_rules import HouseRules
from table_controller.table.state import CARDS_IN_A_HAND, DEALER, PHASES_IN_PLAY, CardOut, TableState

_FACES = frozenset(card_text(card) for card in DECK)


def in_deck(text: str) -> bool:
    """The face belongs to the deck; a joker does not."""
    return text in _FACES


def active_places(state: TableState) -> list[str]:
    """The seats with an ante from the dealer's left, then the dealer."""
    return [str(number) for number, seat in state.numbered() if seat.ante_cents > 0] + [DEALER]


def base_order(rules: HouseRules, state: TableState) -> list[str]:
    """The place of each due card if nothing goes wrong (HOUSE_RULES.md, `deal_order`)."""
    places = active_places(state)
    if rules.deal_order == "packets":
        return [place for place in places for _ in range(CARDS_IN_A_HAND)]
    return places * CARDS_IN_A_HAND


def targets(state: TableState) -> dict[str, int]:
    """How many cards each place that has any ends up with, as far as anybody has said."""
    found = dict.fromkeys(active_places(state), CARDS_IN_A_HAND)
    moved = [card for card in state.cards if card.fate in ("extra", "discarded")]
    for card in moved:
        if card.fate == "extra" and card.laid:
            found[card.laid] = found.get(card.laid, 0) + 1
    for card in moved:
        if card.fate == "discarded" and card.place in found:
            found[card.place] -= 1
    return found | state.counts


def target(state: TableState, place: str) -> int:
    """How many cards that place ends up with."""
    return targets(state).get(place, 0)


def expected_cards(state: TableState) -> int:
    """How many cards lie on the felt when nothing more is due.

    Where the dealer's four were stated under `dealer_short = complete`, one more card is due after
    that, even if by the order all cards are out (DETAILS.md, Alarms, `count`).
    """
    total = sum(targets(state).values())
    if state.dealer_short_after is None:
        return total
    before = sum(card.on_felt for card in state.cards[: state.dealer_short_after])
    return max(total, before + 1)


def cards_on_felt(state: TableState) -> int:
    """Cards that lie at somebody's place."""
    return sum(card.on_felt for card in state.cards)


def cards_due(state: TableState) -> int:
    """How many cards must still leave the shoe; 0 outside of a round in play."""
    if state.phase not in PHASES_IN_PLAY or state.main_void:
        return 0
    return max(0, expected_cards(state) - cards_on_felt(state))


def cards_unaccounted(state: TableState) -> int:
    """Cards too many of which nobody has said where they belong."""
    return max(0, cards_on_felt(state) - expected_cards(state))


def next_place(rules: HouseRules, state: TableState) -> str:
    """Whose the next due card is by the order; empty where the order does not say."""
    order = base_order(rules, state)
    dealt = sum(card.fate == "due" or bool(card.place) for card in state.cards)
    if dealt < len(order):
        return order[dealt]
    return DEALER if state.dealer_short_after is not None else ""


def unread(state: TableState) -> list[CardOut]:
    """Cards that left the shoe and that nobody has read, in the order they left."""
    return [card for card in state.cards if not card.card]


def find(state: TableState, text: str) -> CardOut | None:
    """The card with that face that left the shoe last in this round."""
    return next((card for card in reversed(state.cards) if card.card == text), None)


def by_order(state: TableState, place: str) -> list[CardOut]:
    """The cards at a place as the order and the moves of extra cards have it."""
    return [card for card in state.cards if card.on_felt and place in (card.place, card.laid) and place]


def hand_by_order(state: TableState, place: str) -> tuple[str, ...] | None:
    """The five cards at a place by the order alone; None unless it is certain and complete."""
    cards = by_order(state, place)
    if state.doubt or len(cards) != CARDS_IN_A_HAND or any(not card.card for card in cards):
        return None
    return tuple(card.card for card in cards)


def hand_at(state: TableState, place: str) -> tuple[str, ...] | None:
    """The five cards at a place as stated, else by the order; None while it is not known."""
    if target(state, place) != CARDS_IN_A_HAND:
        return None
    if place in state.hands:
        return tuple(state.hands[place])
    return hand_by_order(state, place)


def cards_at(state: TableState, place: str) -> tuple[Card, ...] | None:
    """The hand at a place as cards of the engine; None while unknown or with a card of no deck."""
    texts = hand_at(state, place)
    if texts is None or not all(map(in_deck, texts)):
        return None
    return tuple(parse_card(text) for text in texts)


def upcard_by_order(rules: HouseRules, state: TableState, doubt: bool = False) -> str:
    """The dealer's face-up card by the order; empty while it is not certain (`upcard`).

    With `doubt` it is told from a doubtful order too: the best that anybody can say of a card that
    lies face up, though nothing may be settled on it.
    """
    if (state.doubt and not doubt) or rules.upcard == "declared":
        return ""
    cards = by_order(state, DEALER)
    if rules.upcard == "first":
        return cards[0].card if cards else ""
    return cards[CARDS_IN_A_HAND - 1].card if len(cards) >= CARDS_IN_A_HAND else ""


def upcard_now(rules: HouseRules, state: TableState) -> str:
    """The dealer's face-up card, stated or by the order; empty while it is not known."""
    return state.upcard or upcard_by_order(rules, state)


def bonus_in_action(rules: HouseRules, state: TableState) -> bool:
    """A 5+1 bonus bet will be settled on cards."""
    return any(
        seat.live and seat.bonus_cents > 0 and (rules.fold_keeps_bonus or not seat.folded)
        for seat in state.seats
    )


def coin_in_action(rules: HouseRules, state: TableState, number: int) -> bool:
    """The jackpot bet of that seat will be settled on cards."""
    seat = state.seat(number)
    return seat.coin == "bet" and seat.live and (rules.fold_keeps_coin or not seat.folded)


def places_that_decide(rules: HouseRules, state: TableState) -> list[str]:
    """The hands that decide money at REVEAL (DETAILS.md, Keys and phases)."""
    places = []
    raised = False
    for number, seat in state.numbered():
        if not seat.live:
            continue
        plays = not state.main_void and not seat.folded
        bonus = not state.main_void and seat.bonus_cents > 0 and (rules.fold_keeps_bonus or not seat.folded)
        raised = raised or plays
        if plays or bonus or coin_in_action(rules, state, number):
            places.append(str(number))
    return [*places, DEALER] if raised else places
