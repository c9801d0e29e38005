"""The game against two libraries of other people: ranking five cards, settling a whole round.

Both sides are given the same random cards, already parsed into what each of them calls a card.
"""

from __future__ import annotations

import random
from typing import Final

from pokerkit import Card as PeerCard
from pokerkit import StandardHighHand
from treys import Card as TreysCard
from treys import Evaluator

from table_controller.engine.cards import DECK, Card, card_text
from table_controller.engine.hands import strength
from table_controller.engine.house_rules import HouseRules, parse_house_rules
from table_controller.engine.progressive import Meter, compute_awards, pay
from table_controller.engine.settlement import SeatBets, SeatOutcome, settle
from table_controller.presets import preset_text
from tests.bench.verdict import Verdict, at_least_as_many, interleaved

HANDS: Final = 20_000
ROUNDS: Final = 1_000
REPEATS: Final = 15
SEATS: Final = range(1, 8)
ANTE_CENTS: Final = 1_000
BONUS_CENTS: Final = 500
SEED: Final = 20_261_130

Hand = tuple[Card, ...]
Deal = list[Hand]
"""Eight hands: seats 1 to 7, then the dealer."""
PeerDeal = list[tuple[PeerCard, ...]]


def ranking() -> Verdict:
    """Ranking five cards against `treys`.

    The peer is called by the function for exactly five cards that its own `evaluate` dispatches to,
    which spares it the joining of two lists.
    """
    chance = random.Random(SEED)
    ours = [tuple(chance.sample(DECK, 5)) for _ in range(HANDS)]
    peers = [[TreysCard.new(_peer_text(card)) for card in hand] for hand in ours]
    rank = Evaluator().hand_size_map[5]

    def we() -> None:
        for hand in ours:
            strength(hand)

    def treys() -> None:
        for hand in peers:
            rank(hand)

    what = "five-card hands ranked, peer treys"
    return at_least_as_many(what, "/s", HANDS, *interleaved(we, treys, REPEATS), 1)


def settling(preset: str, times: float) -> Verdict:
    """Settling a full table with every wager against PokerKit, which only ranks and compares.

    Seven seats have ante, raise and coin, and the bonus where the house has one; our side settles
    all of them, awards the progressive and moves the meter. The peer makes eight hands and compares
    seven of them with the dealer's by its documented operators.
    """
    rules = parse_house_rules(preset_text(preset), preset_text, preset)
    ours = deals(ROUNDS)
    peers = peer_deals(ours)

    def we() -> None:
        for deal in ours:
            settle_round(rules, deal)

    def pokerkit() -> None:
        for deal in peers:
            compare_round(deal)

    what = f"rounds of seven settled, {preset}, peer PokerKit"
    return at_least_as_many(what, "/s", ROUNDS, *interleaved(we, pokerkit, REPEATS), times)


def settle_round(rules: HouseRules, deal: Deal) -> tuple[dict[int, SeatOutcome], Meter]:
    """Every wager of seven seats that all raised, from parsed cards to the moved meter."""
    *hands, dealer = deal
    bonus_cents = BONUS_CENTS if rules.has_bonus else 0
    up = dealer[0] if rules.upcard == "first" else dealer[-1]
    bets = [
        SeatBets(seat, ANTE_CENTS, 2 * ANTE_CENTS, bonus_cents, False, hand)
        for seat, hand in zip(SEATS, hands, strict=True)
    ]
    outcomes = settle(rules, dealer, up, bets)
    meter = _METER
    coins = [(seat, strength(hand)) for seat, hand in zip(SEATS, hands, strict=True)]
    awards = compute_awards(rules, meter.cents, meter.reserve_rise_cents, meter.cents, coins)
    if awards:
        meter = pay(rules, meter, awards, any(award.kind == "royal" for award in awards))
    return outcomes, meter


def compare_round(deal: PeerDeal) -> list[int]:
    """What PokerKit says of seven hands against the dealer's: 1 better, 0 equal, -1 worse."""
    *hands, dealer = [StandardHighHand(cards) for cards in deal]
    return [-1 if hand < dealer else 0 if hand == dealer else 1 for hand in hands]


def deals(count: int) -> list[Deal]:
    """So many deals of eight hands, the same ones in every run."""
    chance = random.Random(SEED)
    dealt = (tuple(chance.sample(DECK, 40)) for _ in range(count))
    return [[cards[first : first + 5] for first in range(0, 40, 5)] for cards in dealt]


def peer_deals(dealt: list[Deal]) -> list[PeerDeal]:
    """The same deals in the peer's cards."""
    return [[tuple(_PEER_CARDS[card] for card in hand) for hand in deal] for deal in dealt]


def _peer_text(card: Card) -> str:
    text = card_text(card)
    return text[0] + text[1].lower()


_PEER_CARDS: Final = {card: next(iter(PeerCard.parse(_peer_text(card)))) for card in DECK}
_METER: Final = Meter.starting_at(2_500_000)
