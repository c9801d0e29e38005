"""The engine and the independent model settle the same random rounds, to the last part of a cent.

Hands are dealt from a stacked deck, so that royals, several at once, ties with the dealer and hands
just below and above ace-king are everyday. A house keeps its meter from round to round.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from table_controller.engine.cards import parse_card
from table_controller.engine.hands import strength
from table_controller.engine.house_rules import HouseRules, parse_house_rules
from table_controller.engine.progressive import Meter, compute_awards, contribute, pay
from table_controller.engine.settlement import SeatBets, lose, settle, win
from table_controller.presets import PRESETS, preset_text
from tests.model import CHOICES, RANKS, Bets, Model, PayTable, Value

SUITS = "SHDC"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
HOUSES, ROUNDS_OF_A_HOUSE = 50, 5

FIGURES: dict[str, tuple[Value, ...]] = {
    "nonqualify_odds": (1, 2, 3),
    "aggregate_limit": ("0.00", "77.77", "1000.00", "5000.01"),
    "coin_value": ("1.00", "5.00", "2.50", "0.33"),
    "meter_share": ("0.49", "0.50", "0", "0.333333", "0.87"),
    "reserve_share": ("0.00", "0.10", "0.01", "0.123457"),
    "reset": ("10000.00", "150.00", "1234.56"),
    "meter_limit": ("0.00", "10000.00", "12000.34"),
    "royal_minimum": ("0.00", "400.01", "10000.00"),
}
PAY_TABLES: dict[str, tuple[PayTable, ...]] = {
    "raise": ((200, 50, 20, 10, 7, 5, 4, 3, 2, 1), (9, 8, 7, 6, 5, 4, 3, 2, 1)),
    "bonus": ((1000, 200, 100, 20, 15, 10, 7), (500, 100, 50, 11, 9, 8, 3)),
    "progressive": (
        ("100%", "10%", "500.00", "100.00", "50.00"),
        ("100%", "2500.00", "250.00", "50.00", "25.00", "10.00", "3.00"),
        ("100%", "12.5%", "3.75%", "333.33", "50.00", "7.07"),
        ("100%", "33.3333%"),
    ),
}


class House(NamedTuple):
    """One house in both spellings: as a file and as the model takes it."""

    preset: str
    overrides: dict[str, Value]
    pay_tables: dict[str, PayTable]
    meter_cents: int

    @property
    def text(self) -> str:
        """The house as a house-rule file."""
        lines = [f'preset = "{self.preset}"']
        for name, value in self.overrides.items():
            lines.append(f"{name} = " + (f'"{value}"' if isinstance(value, str) else str(value).lower()))
        for name, table in self.pay_tables.items():
            cells = (f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in table)
            lines.append(f"{name} = [{', '.join(cells)}]")
        return "\n".join(lines)


class Felt(NamedTuple):
    """One round: what the seats bet, what was dealt, and the declared up card."""

    bets: dict[int, Bets]
    hands: dict[int, list[str]]
    dealer: list[str]
    upcard: str


def some_house(dice: random.Random) -> House:
    """Some house whose options do not contradict each other."""
    overrides: dict[str, Value] = {}
    for name, values in (CHOICES | FIGURES).items():
        if dice.random() < 0.4:
            overrides[name] = dice.choice(values)
    if overrides.get("reset") == "10000.00" or "reset" not in overrides:
        overrides["meter_limit"] = dice.choice(("0.00", "10000.00", "12000.34"))
    tables = {name: dice.choice(tables) for name, tables in PAY_TABLES.items() if dice.random() < 0.4}
    preset = dice.choice(PRESETS)
    if preset == "classic" and "progressive" in tables:
        overrides["meter_share"] = dice.choice(FIGURES["meter_share"])
    # A meter of a few cents would have percentages of nothing, which the contract does not name.
    meter_cents = dice.choice((100_003, 999_988, 1_200_000, 9_999_902, dice.randrange(1_000, 20_000_000)))
    return House(preset, overrides, tables, meter_cents)


def stacked_hand(dice: random.Random, deck: list[str], dealer: bool = False) -> list[str]:
    """Draw five cards of a wished kind from what is left of the deck; what is not there is any card."""
    top = dice.choice(RANKS[4:])
    high = RANKS.index(top)
    suit = dice.choice(SUITS)
    two, other = dice.sample(RANKS, 2)
    wished = dice.choice(
        (
            [rank + suit for rank in "TJQKA"],
            [rank + suit for rank in "TJQKA"],
            [rank + suit for rank in RANKS[max(0, high - 4) : high + 1]],
            [rank + dice.choice(SUITS) for rank in RANKS[max(0, high - 4) : high + 1]],
            [rank + suit for rank in "A2345"],
            [two + each for each in SUITS],
            [two + each for each in SUITS[:3]] + [other + each for each in SUITS[2:]],
            [two + each for each in SUITS[1:]],
            [rank + suit for rank in dice.sample(RANKS, 5)],
            [two + each for each in SUITS[:2]] + [other + each for each in SUITS[2:]],
            [],
        )
    )
    if dealer and dice.random() < 0.6:
        pool = dice.choice(("AKQJ", "AQJT9", "AK432", "KJT86", "99872"))
        wished = [rank + dice.choice(SUITS) for rank in pool]
    hand = [card for card in dict.fromkeys(wished) if card in deck]
    for card in hand:
        deck.remove(card)
    while len(hand) < 5:
        hand.append(deck.pop(dice.randrange(len(deck))))
    dice.shuffle(hand)
    return hand


def the_same_ranks(dice: random.Random, hand: Sequence[str], deck: list[str]) -> list[str]:
    """A hand that ties, or nearly: the ranks of another hand as far as they are left."""
    other: list[str] = []
    for card in hand:
        left = [each for each in deck if each[0] == card[0]] or deck
        other.append(dice.choice(left))
        deck.remove(other[-1])
    return other


def some_round(dice: random.Random, has_bonus: bool, has_progressive: bool) -> Felt:
    """Bets and cards of one clean round."""
    deck = list(DECK)
    seats = sorted(dice.sample(range(1, 8), dice.randint(1, 7)))
    hands = {seat: stacked_hand(dice, deck) for seat in dice.sample(seats, len(seats))}
    if dice.random() < 0.25:
        dealer = the_same_ranks(dice, dice.choice(list(hands.values())), deck)
    else:
        dealer = stacked_hand(dice, deck, dealer=True)
    bets = {
        seat: Bets(
            ante=dice.choice((1, 333, 500, 1000, 2505, 10_000)),
            bonus=dice.choice((0, 1, 500, 777)) if has_bonus else 0,
            coin=has_progressive and dice.random() < 0.75,
            raised=dice.random() < 0.75,
        )
        for seat in seats
    }
    return Felt(bets, hands, dealer, dice.choice(dealer))


def settled_by_the_engine(
    rules: HouseRules, meter: Meter, felt: Felt, dice: random.Random
) -> tuple[Meter, dict[int, dict[str, str]]]:
    """One clean round as the table asks the engine for it, every award confirmed at once."""
    hands = {seat: tuple(map(parse_card, hand)) for seat, hand in felt.hands.items()}
    seats = [
        SeatBets(
            seat=seat,
            ante_cents=bets["ante"],
            raise_cents=2 * bets["ante"] if bets["raised"] else 0,
            bonus_cents=bets["bonus"],
            folded=not bets["raised"],
            hand=hands[seat],
        )
        for seat, bets in felt.bets.items()
    ]
    up = {"first": felt.dealer[0], "last": felt.dealer[4], "declared": felt.upcard}[rules.upcard]
    dice.shuffle(seats)
    outcomes = settle(rules, tuple(map(parse_card, felt.dealer)), parse_card(up), seats)
    for bets in felt.bets.values():
        if bets["coin"]:
            meter, _ = contribute(rules, meter)
    in_action = [
        (seat, strength(hands[seat]))
        for seat, bets in felt.bets.items()
        if bets["coin"] and (bets["raised"] or rules.fold_keeps_coin)
    ]
    dice.shuffle(in_action)
    awards = compute_awards(rules, meter.cents, meter.reserve_rise_cents, meter.cents, in_action)
    meter = pay(rules, meter, awards, any(award.kind == "royal" for award in awards))
    results = {}
    for seat, bets in felt.bets.items():
        won = [award.cents for award in awards if award.seat == seat]
        lost = lose(rules.coin_value_cents).text if bets["coin"] else "none"
        results[seat] = {
            "ante": outcomes[seat].ante.text,
            "raise": outcomes[seat].raise_.text,
            "bonus": outcomes[seat].bonus.text,
            "coin": win(sum(won)).text if won else lost,
        }
    return meter, results


@pytest.mark.parametrize("seed", range(12))
def test_engine_and_model_settle_random_rounds_of_random_houses_alike(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(HOUSES):
        house = some_house(dice)
        rules = parse_house_rules(house.text, preset_text, "house")
        meter = Meter.starting_at(house.meter_cents)
        model = Model(house.preset, house.overrides, house.pay_tables, house.meter_cents)
        for _ in range(ROUNDS_OF_A_HOUSE):
            felt = some_round(dice, rules.has_bonus, rules.has_progressive)
            place = f"\n{house.text}\nmeter {meter.exact} reserve {meter.reserve}\n{felt}"
            meter, results = settled_by_the_engine(rules, meter, felt, dice)
            assert results == model.play_round(felt.bets, felt.hands, felt.dealer, felt.upcard), place
            assert (meter.cents, meter.reserve_cents, meter.overflow_cents, meter.house_added_cents) == (
                model.meter_cents,
                model.reserve_cents,
                model.overflow_cents,
                model.house_added_cents,
            ), place
            assert meter.wins_cents == model.paid_cents, place
