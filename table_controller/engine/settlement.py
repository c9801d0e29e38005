"""Who wins what on ante, raise and 5+1 bonus (HOUSE_RULES.md, Order of settlement, 2 to 4).

Only seats whose hand is alive come here: dead and void bets are decided before, the progressive
after. Amounts are whole cents, and a `win` is what is paid on top of the stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from table_controller.engine.cards import Card, card_text
from table_controller.engine.hands import best_of_six, category, qualifies, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text

Hand = tuple[Card, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What becomes of one stake (HOUSE_RULES.md, Words): `cents` is paid, given back or taken."""

    kind: Literal["none", "win", "push", "refund", "lose"]
    cents: int

    @property
    def text(self) -> str:
        """In table words: `win 10.00`, or `none` where nothing lay."""
        return "none" if self.kind == "none" else f"{self.kind} {money_text(self.cents)}"


NONE = Outcome("none", 0)


def win(cents: int) -> Outcome:
    """The stake comes back and `cents` is paid on top."""
    return Outcome("win", cents)


def push(cents: int) -> Outcome:
    """The stake `cents` comes back; the bet was in action."""
    return Outcome("push", cents)


def refund(cents: int) -> Outcome:
    """The stake `cents` comes back because the bet had no action."""
    return Outcome("refund", cents)


def lose(cents: int) -> Outcome:
    """The stake `cents` is taken."""
    return Outcome("lose", cents)


class SeatBets(msgspec.Struct, frozen=True):
    """What one live seat has at stake; a spot without a bet is 0 cents.

    `hand` may be left out (`None`) only where it decides nothing: the seat folded, and its bonus
    is not in action.
    """

    seat: int
    ante_cents: int
    raise_cents: int
    bonus_cents: int
    folded: bool
    hand: Hand | None


class SeatOutcome(msgspec.Struct, frozen=True):
    """What becomes of the three stakes of a seat."""

    seat: int
    ante: Outcome
    raise_: Outcome
    bonus: Outcome


def in_settle_order(rules: HouseRules, seats: Iterable[int]) -> list[int]:
    """The seats in the order in which they are settled (HOUSE_RULES.md, `settle_order`)."""
    return sorted(seats, reverse=rules.settle_order == "right_to_left")


def settle(
    rules: HouseRules, dealer: Hand | None, up: Card | None, seats: Sequence[SeatBets]
) -> dict[int, SeatOutcome]:
    """Settle ante, raise and bonus of every live seat; the answer is in the order of settlement.

    `dealer` may be `None` when nobody raised, `up` when no bonus is in action. Raises `ValueError`
    when something that decides money is missing or cannot be: a hand of another size, a card in two
    places, a raise that is not twice its ante.
    """
    bets_of = {bets.seat: bets for bets in seats}
    _check(rules, dealer, up, seats)
    dealer_strength = strength(dealer) if dealer is not None else 0
    dealer_plays = qualifies(dealer_strength)

    mains: dict[int, tuple[Outcome, Outcome]] = {}
    raises_won: dict[int, int] = {}
    for seat in in_settle_order(rules, bets_of):
        bets = bets_of[seat]
        if bets.folded or bets.hand is None:
            mains[seat] = lose(bets.ante_cents), NONE
            continue
        own_strength = strength(bets.hand)
        if not dealer_plays:
            mains[seat] = _unqualified(rules, bets, own_strength, dealer_strength), push(bets.raise_cents)
        elif own_strength > dealer_strength:
            won_cents = bets.raise_cents * rules.raise_odds(category(own_strength))
            mains[seat] = win(bets.ante_cents), win(won_cents)
            raises_won[seat] = won_cents
        elif own_strength == dealer_strength:
            mains[seat] = push(bets.ante_cents), push(bets.raise_cents)
        else:
            mains[seat] = lose(bets.ante_cents), lose(bets.raise_cents)

    for seat, cents in _limited(rules, raises_won).items():
        mains[seat] = mains[seat][0], win(cents)
    return {
        seat: SeatOutcome(seat, ante, raise_, _bonus(rules, bets_of[seat], up))
        for seat, (ante, raise_) in mains.items()
    }


def _unqualified(rules: HouseRules, bets: SeatBets, own: int, dealer: int) -> Outcome:
    """The ante of a seat that raised when the dealer does not qualify (HOUSE_RULES.md, Wagers)."""
    if rules.nonqualify_ante == "pay_all" or own > dealer:
        return win(bets.ante_cents * rules.nonqualify_odds)
    if rules.unpaid_ante == "push" or (rules.unpaid_ante == "lose_if_worse" and own == dealer):
        return push(bets.ante_cents)
    return lose(bets.ante_cents)


def _bonus_in_action(rules: HouseRules, bets: SeatBets) -> bool:
    return bets.bonus_cents > 0 and (rules.fold_keeps_bonus or not bets.folded)


def _bonus(rules: HouseRules, bets: SeatBets, up: Card | None) -> Outcome:
    if bets.bonus_cents == 0:
        return NONE
    if not _bonus_in_action(rules, bets) or bets.hand is None or up is None:
        return lose(bets.bonus_cents)
    odds = rules.bonus_odds(category(best_of_six((*bets.hand, up))))
    return win(bets.bonus_cents * odds) if odds else lose(bets.bonus_cents)


def _limited(rules: HouseRules, raises_won: dict[int, int]) -> dict[int, int]:
    """The raises won under `aggregate_limit`, only those that it changes (DETAILS.md, Money)."""
    limit_cents = rules.aggregate_limit_cents
    if limit_cents == 0:
        return {}
    if rules.limit_scope == "seat":
        return {seat: limit_cents for seat, cents in raises_won.items() if cents > limit_cents}
    total_cents = sum(raises_won.values())
    if total_cents <= limit_cents:
        return {}
    shares = {seat: cents * limit_cents // total_cents for seat, cents in raises_won.items()}
    first = next(iter(shares))
    shares[first] += limit_cents - sum(shares.values())
    return shares


def _check(rules: HouseRules, dealer: Hand | None, up: Card | None, seats: Sequence[SeatBets]) -> None:
    """Refuse a round that cannot be: money is never guessed."""
    if dealer is not None and len(dealer) != 5:
        raise ValueError(f"dealer: found {len(dealer)} cards, allowed is 5")
    if up is not None and up not in (dealer or (up,)):
        raise ValueError(f"up card: {card_text(up)} is none of the dealer's cards")
    cards = list(dealer or (() if up is None else (up,)))
    numbers = set()
    for bets in seats:
        numbers.add(bets.seat)
        bonus = bets.bonus_cents and _bonus_in_action(rules, bets)
        _check_bets(rules, bets)
        if not bets.folded and dealer is None:
            raise ValueError(f"seat {bets.seat} raised and the dealer's hand is not known")
        if bonus and up is None:
            raise ValueError(f"seat {bets.seat}: a bonus in action and the up card is not known")
        if not bets.folded or bonus:
            if bets.hand is None or len(bets.hand) != 5:
                raise ValueError(f"seat {bets.seat}: the hand decides money and is not five cards")
            cards += bets.hand
    if len(numbers) != len(seats):
        raise ValueError("a seat is there twice")
    if len(set(cards)) != len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise ValueError(f"{card_text(twice)} lies in two places")


def _check_bets(rules: HouseRules, bets: SeatBets) -> None:
    raise_cents = 0 if bets.folded else 2 * bets.ante_cents
    if bets.ante_cents < 0 or bets.raise_cents < 0 or bets.bonus_cents < 0:
        raise ValueError(f"seat {bets.seat}: an amount is negative")
    if bets.raise_cents != raise_cents:
        found, allowed = money_text(bets.raise_cents), money_text(raise_cents)
        raise ValueError(f"seat {bets.seat}: raise: found {found}, allowed is {allowed}")
    if bets.bonus_cents and not rules.has_bonus:
        raise ValueError(f"seat {bets.seat}: a bonus, and the house offers none")
