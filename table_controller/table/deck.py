"""What is known of a deck across rounds: which of its cards have come, in which order, and when it was
last counted complete.

Findings are facts, not alarms: they say what a supervisor should look at, and hold nothing. Chance is
reckoned in whole numbers: a card that was not among the k cards of a round had a chance of
(52 - k) / 52 to stay away.
"""

from __future__ import annotations

import itertools

from table_controller.engine.cards import DECK, card_text
from table_controller.table.messages import DeckChanged, DeckFinding
from table_controller.table.state import CARDS_IN_THE_DECK, DeckBook, TableState
from table_controller.table.turn import Refused, Turn

ROUNDS_KEPT = 200
"""More rounds than it takes for the chance of any card to fall below one in a million."""
UNLIKELY = 1_000_000
DECKS_MAX = 8
"""So many decks are remembered."""
ORDER_LEAST = 10
"""Fewer cards than one hand and the dealer's say nothing about an order."""

FACES = tuple(card_text(card) for card in DECK)
_RANKS = "23456789TJQKA"


def book_of(state: TableState, deck: str = "") -> DeckBook:
    """The book of a deck, of the one in use if none is named."""
    return state.decks.setdefault(deck or state.deck, DeckBook(last_seen=[0] * CARDS_IN_THE_DECK))


def deck_of_round(state: TableState) -> str:
    """The deck that the cards of this round came from; it may have been replaced after the round."""
    return state.round_deck or state.deck


def find_out(turn: Turn, finding: str, card: str = "") -> None:
    """Tell a finding about the deck of the round, with the rounds since its last good count."""
    deck = deck_of_round(turn.state)
    book = book_of(turn.state, deck)
    turn.tell(DeckFinding(deck, finding, card, max(0, book.rounds - book.counted_rounds), book.counted_in))


def counted(turn: Turn) -> None:
    """The rest of the deck was counted complete."""
    state = turn.state
    book = book_of(state, deck_of_round(state))
    # A round that is not cleared yet is entered later, and this count covers it.
    book.counted_rounds = book.rounds + (state.phase not in ("idle", "betting"))
    book.counted_in = state.round


def round_over(turn: Turn) -> None:
    """Enter the cards of a round that is over into the book of its deck, and look for what cannot be."""
    state = turn.state
    book = book_of(state, deck_of_round(state))
    order = [card.card for card in state.cards if card.card in FACES]
    if not order:
        return
    book.rounds += 1
    book.sizes = [*book.sizes[-(ROUNDS_KEPT - 1) :], len(set(order))]
    for face in order:
        book.last_seen[FACES.index(face)] = book.rounds
    shorter = min(len(order), len(book.order))
    if shorter >= ORDER_LEAST and order[:shorter] == book.order[:shorter]:
        find_out(turn, "same_order_as_last_round")
    if is_new_pack_order(order):
        find_out(turn, "order_of_a_new_pack")
    book.order = order
    for index, face in enumerate(FACES):
        away = book.rounds - book.last_seen[index]
        if away and is_unlikely_away(book.sizes[-away:]) and not is_unlikely_away(book.sizes[-away:-1]):
            find_out(turn, "card_not_seen", face)


def is_unlikely_away(sizes: list[int]) -> bool:
    """Whether chance keeps one card away from rounds of so many cards less than once in a million."""
    away = whole = 1
    for size in sizes:
        away *= CARDS_IN_THE_DECK - size
        whole *= CARDS_IN_THE_DECK
    return away * UNLIKELY < whole


def is_new_pack_order(order: list[str]) -> bool:
    """Whether the cards lie as they come from a factory: suit after suit, each rank beside the next."""
    if len(order) < ORDER_LEAST:
        return False
    steps = {
        (_RANKS.index(second[0]) - _RANKS.index(first[0])) % len(_RANKS)
        for first, second in itertools.pairwise(order)
        if first[1] == second[1]
    }
    suits = [face[1] for face in order]
    blocks = 1 + sum(first != second for first, second in itertools.pairwise(suits))
    return blocks == len(set(suits)) and steps <= {1, len(_RANKS) - 1} and bool(steps)


def use_deck(turn: Turn, deck: str, by_supervisor: bool) -> None:
    """Another deck is in use; its book is taken up where it was left."""
    state = turn.state
    if not by_supervisor and (state.new_deck_due or state.deck_short):
        raise Refused("a supervisor must put another deck in use: the one before is not in order")
    book_of(state)
    name = deck or _new_name(state)
    if name == state.deck:
        raise Refused(f"{name} is the deck in use")
    if name in state.decks and state.decks[name].defective:
        raise Refused(f"{name} was found defective and is not used again")
    if len(state.decks) >= DECKS_MAX and name not in state.decks:
        _forget_one(state)
    if state.new_deck_due:
        book_of(state).defective = True
    state.deck = name
    book_of(state)
    turn.tell(DeckChanged(name))


def _new_name(state: TableState) -> str:
    while True:
        state.decks_made += 1
        name = f"deck-{state.decks_made}"
        if name not in state.decks:
            return name


def _forget_one(state: TableState) -> None:
    """The book that has been known longest; a defective deck only if there are no others."""
    others = [name for name in state.decks if name not in (state.deck, state.round_deck)]
    del state.decks[min(others, key=lambda name: state.decks[name].defective)]
