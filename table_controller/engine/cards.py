"""The fifty-two cards as numbers whose plain sum tells everything about a hand.

Each card is one whole number below 2**27. The low 19 bits hold a weight of its rank: no two
different sets of five ranks have the same sum of weights, so the sum names the ranks. The high 8
bits hold a weight of its suit: five cards of one suit, and nothing else, give one of four sums.
Ranking five cards is therefore one addition and at most two look-ups (`engine.hands`).
"""

from __future__ import annotations

from typing import Final, NewType

Card = NewType("Card", int)

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SHDC"

# The smallest growing weights whose sums over five cards, at most four of a rank, are all different.
RANK_WEIGHTS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
SUIT_WEIGHTS: Final = (0, 1, 6, 36)
SUIT_SHIFT: Final = 19
RANK_MASK: Final = (1 << SUIT_SHIFT) - 1

DECK: Final[tuple[Card, ...]] = tuple(
    Card(rank | suit << SUIT_SHIFT) for suit in SUIT_WEIGHTS for rank in RANK_WEIGHTS
)
_TEXTS: Final = dict(zip(DECK, (rank + suit for suit in SUITS for rank in RANKS), strict=True))
_CARDS: Final = {text: card for card, text in _TEXTS.items()}


def parse_card(text: str) -> Card:
    """Read a card as the plays write it: `KD`, `Tc`, in upper or lower case.

    Raises `ValueError` naming the text and what is allowed when it is no card of the deck.
    """
    card = _CARDS.get(text.upper())
    if card is None:
        raise ValueError(f"{text!r} is no card: allowed is a rank of {RANKS} and a suit of {SUITS}, as in KD")
    return card


def parse_hand(text: str) -> tuple[Card, ...]:
    """Read cards with blanks between them, `KD AC 6S`; any number of cards, in that order.

    Raises `ValueError` for a text that is no card and for a card that is there twice.
    """
    cards = tuple(parse_card(word) for word in text.split())
    if len(set(cards)) != len(cards):
        raise ValueError(f"{text!r} holds a card twice: a deck has each card once")
    return cards


def card_text(card: Card) -> str:
    """Write a card as `KD`. Raises `ValueError` for a number that is no card."""
    text = _TEXTS.get(card)
    if text is None:
        raise ValueError(f"{card!r} is no card of the deck")
    return text
