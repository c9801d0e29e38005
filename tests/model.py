"""An independent model of what a clean round is worth: the auditor of the engine.

It is written from the contract alone (HOUSE_RULES.md; DETAILS.md, "Money") and imports nothing of
the product, so that a mistake in the engine has no brother here. It is slow and plain on purpose:
hands are counted and compared as tuples, parts of a cent are `Fraction`s, and every movement of
the meter is one line that can be read beside its sentence in the contract.

A round is clean when no bet is late or void, no hand is dead and every award is confirmed.
Money is whole cents; cards are texts such as `"KD"`; seats count from 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import TypedDict

Value = str | int | bool
PayTable = Sequence[int | str]
Rank = tuple[int, tuple[int, ...]]

RANKS = "23456789TJQKA"
TEN, ACE = 10, 14

# The rows of every pay table, from the royal downwards.
ROYAL_FLUSH, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, TWO_PAIR, PAIR, NO_PAIR = range(10)
HANDS = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
)
ROW_OF_SHAPE = {
    (4, 1): FOUR,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): THREE,
    (2, 2, 1): TWO_PAIR,
    (2, 1, 1, 1): PAIR,
    (1, 1, 1, 1, 1): NO_PAIR,
}

US_RAISE = (100, 50, 20, 7, 5, 4, 3, 2, 1)
US_PROGRESSIVE = ("100%", "10%", "500.00", "100.00", "50.00")
LIVE_BONUS = (1000, 200, 100, 20, 15, 10, 7)
LIVE_PROGRESSIVE = ("100%", "2500.00", "250.00", "50.00", "25.00", "10.00", "3.00")

# HOUSE_RULES.md, Presets: raise, bonus and progressive pay tables, then what differs from the defaults.
PRESETS: dict[str, tuple[PayTable, PayTable, PayTable, dict[str, Value]]] = {
    "us": (
        US_RAISE,
        (),
        US_PROGRESSIVE,
        {"meter_share": "0.49", "nonqualify_ante": "pay_if_beats_dealer", "unpaid_ante": "push"},
    ),
    "us_standard": (US_RAISE, (), US_PROGRESSIVE, {"meter_share": "0.49"}),
    "live": (
        (100, 50, 25, 10, 7, 5, 3, 2, 1),
        LIVE_BONUS,
        LIVE_PROGRESSIVE,
        {"meter_share": "0.50", "royal_split": "shared_by_bettors", "upcard": "first"},
    ),
    "video_1": (US_RAISE, (), US_PROGRESSIVE, {"meter_share": "0.49"}),
    "video_2": ((200, 50, 20, 7, 5, 4, 3, 2, 1), (), US_PROGRESSIVE, {"meter_share": "0.49"}),
    "video_3": ((1000, 200, 100, 14, 9, 5, 3, 1, 1), (), US_PROGRESSIVE, {"meter_share": "0.49"}),
    "classic": (US_RAISE, (), (), {"meter_share": "0.00"}),
}

# HOUSE_RULES.md, Options: those that move money in a clean round; the first choice is the default.
CHOICES: dict[str, tuple[Value, ...]] = {
    "nonqualify_ante": ("pay_all", "pay_if_beats_dealer"),
    "unpaid_ante": ("push", "lose", "lose_if_worse"),
    "fold_keeps_bonus": (True, False),
    "fold_keeps_coin": (True, False),
    "limit_scope": ("round", "seat"),
    "settle_order": ("right_to_left", "left_to_right"),
    "upcard": ("last", "first", "declared"),
    "percent_base": ("remaining_at_turn", "meter_at_lock"),
    "fixed_awards_from": ("house", "meter"),
    "straight_flush_first": (False, True),
    "royal_split": ("equal", "shared_by_bettors"),
    "odd_cent": ("first_paid", "reserve"),
}
FIGURES: dict[str, Value] = {
    "nonqualify_odds": 1,
    "aggregate_limit": "0.00",
    "coin_value": "1.00",
    "reserve_share": "0.00",
    "reset": "10000.00",
    "meter_limit": "0.00",
    "royal_minimum": "0.00",
}
# They say who is asked and when.
NO_MONEY_IN_A_CLEAN_ROUND = {"deal_order", "jackpot_hold_from", "jackpot_verify", "token_count"}
LOWEST_QUALIFYING_HAND = ("AS", "KD", "4H", "3C", "2S")


class Bets(TypedDict):
    """What a seat has at stake: cents on the ante and the bonus, a coin or none, raised or folded."""

    ante: int
    bonus: int
    coin: bool
    raised: bool


def rank_hand(cards: Iterable[str]) -> Rank:
    """Rank five cards: a greater tuple is a better hand, equal tuples tie."""
    hand = list(cards)
    if len(hand) != 5:
        raise ValueError(f"a hand has five cards, not {len(hand)}")
    counts = Counter(RANKS.index(card[0]) + 2 for card in hand)
    groups = sorted(((count, value) for value, count in counts.items()), reverse=True)
    order = tuple(value for _, value in groups)
    if order == (ACE, 5, 4, 3, 2):
        order = (5, 4, 3, 2, 1)
    row = ROW_OF_SHAPE[tuple(count for count, _ in groups)]
    in_sequence = row == NO_PAIR and order[0] - order[4] == 4
    if len({card[1] for card in hand}) == 1:
        row = STRAIGHT_FLUSH if in_sequence else FLUSH
        if in_sequence and order[4] == TEN:
            row = ROYAL_FLUSH
    elif in_sequence:
        row = STRAIGHT
    return -row, order


def row_of(rank: Rank) -> int:
    """Row of the pay tables in which a ranked hand stands, 0 for the royal."""
    return -rank[0]


def qualifies(dealer: Iterable[str]) -> bool:
    """Whether the dealer has ace and king, or a pair or better."""
    return rank_hand(dealer) >= rank_hand(LOWEST_QUALIFYING_HAND)


def cents(amount: Value) -> int:
    """Cents of an amount as a house-rule file writes it, such as `"10000.00"`."""
    whole = Fraction(str(amount)) * 100
    if whole.denominator != 1:
        raise ValueError(f"{amount} has a part of a cent")
    return int(whole)


def said(kind: str, amount_cents: int) -> str:
    """Words for what became of a stake, such as `win 10.00`."""
    return f"{kind} {amount_cents // 100}.{amount_cents % 100:02d}"


class Model:
    """One table under one set of house rules; the meter, its reserve and overflow run from round to round."""

    def __init__(
        self,
        preset: str,
        overrides: Mapping[str, Value] | None = None,
        pay_tables: Mapping[str, PayTable] | None = None,
        meter_cents: int | None = None,
    ) -> None:
        raise_pays, bonus_pays, progressive, differs = PRESETS[preset]
        tables = dict(pay_tables or {})
        self._raise_pays = tables.pop("raise", raise_pays)
        self._bonus_pays = tables.pop("bonus", bonus_pays)
        self._progressive = tables.pop("progressive", progressive)
        if tables:
            raise ValueError(f"the model does not know the pay tables {', '.join(tables)}")
        defaults = {name: values[0] for name, values in CHOICES.items()}
        self._rules: dict[str, Value] = defaults | FIGURES | differs
        for name, value in (overrides or {}).items():
            if name in NO_MONEY_IN_A_CLEAN_ROUND:
                continue
            if name not in self._rules or value not in CHOICES.get(name, (value,)):
                raise ValueError(f"the model does not know {name} = {value}")
            self._rules[name] = value
        self._meter = Fraction(self._cents("reset") if meter_cents is None else meter_cents)
        self._reserve = Fraction(0)
        self._overflow = Fraction(0)
        self.house_added_cents = 0
        self.paid_cents = 0

    @property
    def meter_cents(self) -> int:
        """What the meter shows: a part of a cent is carried in the books until it has become a cent."""
        return floor(self._meter)

    @property
    def reserve_cents(self) -> int:
        """What stands in the reserve for the next reset."""
        return floor(self._reserve)

    @property
    def overflow_cents(self) -> int:
        """What did not fit under the meter's limit."""
        return floor(self._overflow)

    def play_round(
        self,
        seats: Mapping[int, Bets],
        hands: Mapping[int, Sequence[str]],
        dealer: Sequence[str],
        upcard: str | None = None,
    ) -> dict[int, dict[str, str]]:
        """Say what becomes of the four stakes of every seat with an ante, and move the meter.

        `dealer` is in dealing order; `upcard` is needed where the house lets the dealer declare it.
        """
        dealt = [card for seat in seats for card in hands[seat]] + list(dealer)
        if len(set(dealt)) != len(dealt):
            raise ValueError("a card was dealt twice: the round is not clean")
        results = self._main_game(seats, hands, dealer)
        for seat, bets in seats.items():
            results[seat]["bonus"] = "none"
            if bets["bonus"]:
                six_cards = [*hands[seat], self._up_card(dealer, upcard)]
                results[seat]["bonus"] = self._bonus(bets, six_cards)
            if bets["coin"]:
                self._contribute()
        in_action = {
            seat: rank_hand(hands[seat])
            for seat, bets in seats.items()
            if bets["coin"] and (bets["raised"] or self._rules["fold_keeps_coin"])
        }
        prizes = self._progressive_prizes(in_action)
        self.paid_cents += sum(prizes.values())
        for seat, bets in seats.items():
            lost = said("lose", self._cents("coin_value")) if bets["coin"] else "none"
            results[seat]["coin"] = said("win", prizes[seat]) if seat in prizes else lost
        return results

    def _cents(self, option: str) -> int:
        return cents(self._rules[option])

    def _in_settle_order(self, seats: Iterable[int]) -> list[int]:
        return sorted(seats, reverse=self._rules["settle_order"] == "right_to_left")

    def _main_game(
        self, seats: Mapping[int, Bets], hands: Mapping[int, Sequence[str]], dealer: Sequence[str]
    ) -> dict[int, dict[str, str]]:
        """HOUSE_RULES.md, Order of settlement, 2 and 3."""
        house = rank_hand(dealer)
        results: dict[int, dict[str, str]] = {}
        raises_won: dict[int, int] = {}
        for seat, bets in seats.items():
            ante, player = bets["ante"], rank_hand(hands[seat])
            push = said("push", 2 * ante)
            if not bets["raised"]:
                results[seat] = {"ante": said("lose", ante), "raise": "none"}
            elif not qualifies(dealer):
                results[seat] = {"ante": self._unqualified_ante(ante, player, house), "raise": push}
            elif player == house:
                results[seat] = {"ante": said("push", ante), "raise": push}
            elif player < house:
                results[seat] = {"ante": said("lose", ante), "raise": said("lose", 2 * ante)}
            else:
                results[seat] = {"ante": said("win", ante)}
                raises_won[seat] = 2 * ante * self._raise_odds(row_of(player))
        for seat, won in self._limited(raises_won).items():
            results[seat]["raise"] = said("win", won)
        return results

    def _unqualified_ante(self, ante: int, player: Rank, house: Rank) -> str:
        """`nonqualify_ante`, `unpaid_ante` and `nonqualify_odds`."""
        if self._rules["nonqualify_ante"] == "pay_all" or player > house:
            return said("win", ante * int(self._rules["nonqualify_odds"]))
        unpaid = self._rules["unpaid_ante"]
        taken = unpaid == "lose" or (unpaid == "lose_if_worse" and player < house)
        return said("lose" if taken else "push", ante)

    def _raise_odds(self, row: int) -> int:
        """The ninth number is for one pair or less; a tenth, where there is one, for no pair."""
        return int(self._raise_pays[min(row, len(self._raise_pays) - 1)])

    def _limited(self, raises_won: dict[int, int]) -> dict[int, int]:
        """`aggregate_limit` and `limit_scope`, on what is won on raises and on nothing else."""
        limit, total = self._cents("aggregate_limit"), sum(raises_won.values())
        if limit == 0:
            return raises_won
        if self._rules["limit_scope"] == "seat":
            return {seat: min(won, limit) for seat, won in raises_won.items()}
        if total <= limit:
            return raises_won
        shares = {seat: floor(Fraction(limit * won, total)) for seat, won in raises_won.items()}
        shares[self._in_settle_order(shares)[0]] += limit - sum(shares.values())
        return shares

    def _up_card(self, dealer: Sequence[str], declared: str | None) -> str:
        if self._rules["upcard"] == "declared":
            if declared not in dealer:
                raise ValueError(f"the dealer does not hold the declared up card {declared}")
            return str(declared)
        return dealer[0] if self._rules["upcard"] == "first" else dealer[4]

    def _bonus(self, bets: Bets, six_cards: Sequence[str]) -> str:
        """HOUSE_RULES.md, Order of settlement, 4."""
        if not self._bonus_pays:
            raise ValueError("this house has no 5+1 bonus")
        row = row_of(max(rank_hand(five) for five in combinations(six_cards, 5)))
        if row >= len(self._bonus_pays) or not (bets["raised"] or self._rules["fold_keeps_bonus"]):
            return said("lose", bets["bonus"])
        return said("win", bets["bonus"] * int(self._bonus_pays[row]))

    def _contribute(self) -> None:
        """Post the shares of one coin at LOCK; what `meter_limit` keeps off the meter overflows."""
        if not self._progressive:
            raise ValueError("this house has no progressive")
        coin = self._cents("coin_value")
        share = coin * Fraction(str(self._rules["meter_share"]))
        limit = self._cents("meter_limit")
        on_meter = min(share, max(Fraction(0), limit - self._meter)) if limit else share
        self._meter += on_meter
        self._overflow += share - on_meter
        self._reserve += coin * Fraction(str(self._rules["reserve_share"]))

    def _progressive_prizes(self, in_action: Mapping[int, Rank]) -> dict[int, int]:
        """HOUSE_RULES.md, Order of settlement, 5: what each seat is paid, in the order of payment."""
        prizes = dict.fromkeys(in_action, 0)
        rows = {seat: row_of(rank) for seat, rank in in_action.items()}
        bettors = self._in_settle_order(rows)
        royals = [seat for seat in bettors if rows[seat] == ROYAL_FLUSH]
        turns = bettors
        if self._rules["straight_flush_first"]:
            turns = sorted(bettors, key=lambda seat: rows[seat] != STRAIGHT_FLUSH)
        at_lock = self.meter_cents if self._rules["percent_base"] == "meter_at_lock" else None
        royal_is_paid = False
        for seat in turns:
            if rows[seat] >= len(self._progressive) or (rows[seat] == ROYAL_FLUSH and royal_is_paid):
                continue
            line = str(self._progressive[rows[seat]])
            if not line.endswith("%"):
                prizes[seat] += self._fixed_prize(cents(line))
                continue
            prize = self._percentage(Fraction(line.removesuffix("%")) / 100, at_lock, royal_is_paid)
            if rows[seat] == ROYAL_FLUSH:
                royal_is_paid = True
                sharing = royals if self._rules["royal_split"] == "equal" else bettors
                for winner, share in self._royal_shares(prize, sharing, royals).items():
                    prizes[winner] += share
                self._meter += self._cents("reset") + self._reserve
                self._reserve = Fraction(0)
            else:
                prizes[seat] += prize
        return {seat: prize for seat, prize in prizes.items() if prize}

    def _percentage(self, part: Fraction, at_lock: int | None, royal_is_paid: bool) -> int:
        """`percent_base`: of what is there at this turn, or of the meter at LOCK (`at_lock` cents)."""
        prize = floor(part * (self.meter_cents if at_lock is None else at_lock))
        # The money that stood on the meter at LOCK has left with a royal: what comes later is the house's.
        there = 0 if at_lock is not None and royal_is_paid else self.meter_cents
        self._meter -= min(prize, there)
        self.house_added_cents += prize - min(prize, there)
        return prize

    def _fixed_prize(self, prize: int) -> int:
        """`fixed_awards_from`: by default the house pays and the meter is not lowered."""
        if self._rules["fixed_awards_from"] == "meter":
            taken = min(prize, max(0, self.meter_cents - self._cents("reset")))
            self._meter -= taken
            self.house_added_cents += prize - taken
        return prize

    def _royal_shares(self, prize: int, sharing: Sequence[int], royals: Sequence[int]) -> dict[int, int]:
        """`royal_split`, `odd_cent`, then `royal_minimum`; the reserve is not yet on the meter."""
        shares = dict.fromkeys(sharing, prize // len(sharing))
        odd = prize % len(sharing)
        if self._rules["odd_cent"] == "reserve":
            self._reserve += odd
        else:
            shares[sharing[0]] += odd
        for seat in royals:
            missing = max(0, self._cents("royal_minimum") - shares[seat])
            shares[seat] += missing
            self.house_added_cents += missing
        return shares
