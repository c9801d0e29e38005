"""A second set of books of the progressive, kept by somebody who has only read the contract.

The ledger is told what happens at a table (coins, cards, decisions, rulings) and says where every part
of a cent must be after that. It is never told what the product made of it and imports nothing of the
product. Pots are `Fraction`s of a cent; each movement is a line that can be read beside its sentence in
HOUSE_RULES.md or in DETAILS.md, "Money". Beside `tests.model`, which knows clean rounds only, it knows
what goes wrong: faults, dead hands, voids, rejected awards, corrections, changed parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor
from typing import Literal

from tests.model import (
    CHOICES,
    FIGURES,
    HANDS,
    PRESETS,
    ROYAL_FLUSH,
    STRAIGHT_FLUSH,
    PayTable,
    Value,
    cents,
    rank_hand,
    row_of,
    said,
)

# HOUSE_RULES.md, Options: those that move the progressive when something goes wrong; the first is the
# default.
TROUBLES: dict[str, tuple[Value, ...]] = {
    "dealer_short": ("complete", "void_all", "progressive_only"),
    "dealer_long": ("void_all", "progressive_only"),
    "player_miscount": ("dead_push", "dead_forfeit", "void_all"),
    "dead_hand_coin": ("refund", "lose"),
    "jackpot_hand_in_void_round": ("manager_decision", "refund_only", "paid"),
    "coin_on_void": ("refund", "stands"),
    "void_contribution": ("reverse", "keep"),
    "jackpot_verify": ("deck_count", "none"),
    "progressive_fault_before_lock": ("base_game_only", "stop_table"),
    "progressive_fault_after_lock": ("honour_locked_bets", "void"),
    "parameter_change": ("closed_only", "after_next_hit"),
}
MOST_OWED = 100
RAISING = ("display_wrong", "added_by_house")
LOWERING = ("display_wrong", "over_maximum", "undisplayed_taken", "seed_recovered")

Pot = Literal["meter", "overflow", "reserve"]


@dataclass
class Sums:
    """What an inspector adds up. The first five are parts of a cent, `hits` is a number, the others cents."""

    meter: Fraction
    reserve: Fraction = Fraction(0)
    overflow: Fraction = Fraction(0)
    kept_shares: Fraction = Fraction(0)
    house_rest: Fraction = Fraction(0)
    wagers: int = 0
    hits: int = 0
    wins: int = 0
    seeded: int = 0
    taken: int = 0
    house_added: int = 0
    corrected: int = 0
    base: int = 0
    levels: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    """By hand: hits and cents that the dealer paid at once, hits and cents that two people confirmed."""


@dataclass(frozen=True)
class Coin:
    """A coin in action remembers its value and what it put on meter, overflow and reserve."""

    cents: int
    meter: Fraction
    overflow: Fraction
    reserve: Fraction


@dataclass
class Prize:
    """An award as it is fixed at REVEAL, in cents; a `share` is a bettor's part of somebody else's royal."""

    seat: int
    row: int
    cents: int
    take: int
    house: int
    kind: Literal["own", "royal", "share"] = "own"
    status: Literal["waits", "paid", "rejected"] = "paid"
    confirmed: bool = False
    document: int = 0


class Ledger:
    """The progressive of one table, from its installation on."""

    def __init__(
        self,
        preset: str,
        options: Mapping[str, Value],
        pay_tables: Mapping[str, PayTable],
        start_cents: int,
        misread: Mapping[str, Value] | None = None,
    ) -> None:
        """`misread` are options that this ledger takes to be something else, to see whether it is noticed."""
        self.sums = Sums(Fraction(start_cents), base=start_cents)
        self.parameters: dict[str, str] = {}
        self.pending: dict[str, str] = {}
        self.documents = 0
        self.owed: dict[int, int] = {}
        self.day_open = False
        self.well = {"meter": True, "display": True}
        self._corrected_from: int | None = None
        self._misread = misread or {}
        self.another_house(preset, options, pay_tables)
        self.open()

    def another_house(
        self, preset: str, options: Mapping[str, Value], pay_tables: Mapping[str, PayTable]
    ) -> None:
        """The files say other rules from now on; every pot stays as it is, and the files outdo the table."""
        defaults = {name: values[0] for name, values in (CHOICES | TROUBLES).items()}
        named = defaults | FIGURES | {"jackpot_hold_from": "500.00"} | PRESETS[preset][3]
        self._rules: dict[str, Value] = {**named, **options, **self._misread}
        self._lines = pay_tables.get("progressive", PRESETS[preset][2])
        self.parameters, self.pending = {}, {}

    def rule(self, option: str) -> Value:
        """What holds now: as said at the table, else as in the file, else by default."""
        stated = {**self._rules, **self.parameters}
        if option == "contribution_bound" and option not in stated:
            bound = 7 * cents(stated["coin_value"])
            return f"{bound // 100}.{bound % 100:02d}"
        return stated[option]

    def _cents(self, option: str) -> int:
        return cents(self.rule(option))

    @property
    def shown_cents(self) -> int:
        """A part of a cent shows when it has become a cent."""
        return floor(self.sums.meter)

    # ------------------------------------------------------------------------------ before LOCK

    def open(self) -> bool:
        """OPEN; False if it is refused: no day is open, or too many confirmed awards are unpaid."""
        self.coins: dict[int, Coin] = {}
        self.results: dict[int, str] = {}
        self.prizes: list[Prize] = []
        self._fell: dict[int, bool] = {}
        self._folded: set[int] = set()
        self.dead_seats: set[int] = set()
        self._wrong_dealer = ""
        self.main_void = False
        self._void = self._settled = False
        self._reset_done = False
        self._taken_off = Fraction(0)
        self._before: tuple[Sums, dict[str, str], dict[str, str]] | None = None
        return self.day_open and len(self.owed) < MOST_OWED

    @property
    def _all_well(self) -> bool:
        return all(self.well.values())

    def coin_falls(self, seat: int) -> None:
        """A coin while bets are open; the second one at a seat goes back."""
        spared = self.rule("progressive_fault_before_lock") == "base_game_only"
        self._fell.setdefault(seat, spared and not self._all_well)

    def coin_given_back(self, seat: int) -> None:
        """The token is given back before LOCK."""
        del self._fell[seat]

    def health(self, line: str, well: bool, in_play: bool) -> None:
        """The meter or its display goes down or comes back."""
        self.well[line] = well
        if not well and in_play and self.rule("progressive_fault_after_lock") == "void":
            for seat in list(self.coins):
                self._refund(seat)

    def coins_that_count(self, antes: Collection[int]) -> list[int]:
        """Coins that LOCK makes bets: with an ante, and neither they nor LOCK in a fault."""
        fell = sorted(seat for seat, in_fault in self._fell.items() if not in_fault)
        return [seat for seat in fell if seat in antes and self._all_well]

    def lock(self, antes: Collection[int]) -> bool:
        """LOCK; False if it is refused: a fault that stops the table, or contributions above the bound."""
        if self.rule("progressive_fault_before_lock") == "stop_table" and not self._all_well:
            return False
        count = self.coins_that_count(antes)
        value = self._cents("coin_value")
        meter_share, reserve_share = (
            value * Fraction(str(self.rule(option))) for option in ("meter_share", "reserve_share")
        )
        if len(count) * (meter_share + reserve_share) > self._cents("contribution_bound"):
            return False
        for seat in self._fell:
            self.results[seat] = said("refund", value)
        for seat in count:
            # Coins are posted from seat 1 up; above the limit the share goes to overflow.
            del self.results[seat]
            limit = self._cents("meter_limit")
            room = max(Fraction(0), limit - self.sums.meter) if limit else meter_share
            on_meter = min(meter_share, room)
            self.coins[seat] = Coin(value, on_meter, meter_share - on_meter, reserve_share)
            self._post(self.coins[seat], 1)
        self._at_lock = self.sums.meter
        return True

    def _post(self, coin: Coin, sign: int) -> None:
        sums = self.sums
        sums.wagers += sign * coin.cents
        sums.meter += sign * coin.meter
        sums.overflow += sign * coin.overflow
        sums.reserve += sign * coin.reserve
        sums.house_rest += sign * (coin.cents - coin.meter - coin.overflow - coin.reserve)

    def late_coin(self, seat: int) -> None:
        """A coin after LOCK goes back; a bet that stands at that seat stays as it is."""
        if seat not in self.coins and seat not in self.results:
            self.results[seat] = said("refund", self._cents("coin_value"))

    # ------------------------------------------------------------------------------ in play

    def _refund(self, seat: int) -> None:
        """A coin goes back: its shares come off again, or stay and are paid by the house."""
        coin = self.coins.pop(seat)
        self.results[seat] = said("refund", coin.cents)
        if self.rule("void_contribution") == "reverse":
            self._post(coin, -1)
            self._taken_off += coin.meter
            # A reset of this round may have brought the reserve, and this share with it, to the meter; what
            # was won from there already the house pays, like a share that is kept.
            short = min(Fraction(0), self.sums.reserve)
            self.sums.reserve -= short
            self.sums.meter += short
            won = max(Fraction(0), -self.sums.meter)
            self.sums.meter += won
            self.sums.kept_shares += won
            return
        shares = coin.meter + coin.overflow + coin.reserve
        self.sums.wagers -= coin.cents
        self.sums.house_rest -= coin.cents - shares
        self.sums.kept_shares += shares

    def fold(self, seat: int) -> None:
        """A seat folds."""
        self._folded.add(seat)

    def dead(self, seat: int, cause: str) -> None:
        """By conduct the coin is lost and its share stays; by count `dead_hand_coin` says."""
        self.dead_seats.add(seat)
        if seat not in self.coins:
            return
        if cause == "count" and self.rule("dead_hand_coin") == "refund":
            self._refund(seat)
        else:
            self.results[seat] = said("lose", self.coins.pop(seat).cents)

    def dealer_counts(self, cards: int) -> None:
        """The dealer has the wrong number of cards, and a rule of the house voids for it."""
        self._wrong_dealer = "dealer_short" if cards == 4 else "dealer_long"

    def _in_action(self, seat: int) -> bool:
        keeps = seat not in self._folded or bool(self.rule("fold_keeps_coin"))
        return seat in self.coins and seat not in self.dead_seats and keeps

    def void(self, hands: Mapping[int, Sequence[str]]) -> bool:
        """`sup void`; `hands` are those that are certain or stated. False if it is refused.

        Where only the main game is void (`progressive_only`), `main_void` tells.
        """
        if self._settled:
            # In a `jackpot_hold`, until an award of the round is confirmed.
            if self._void or not self.waiting() or any(prize.confirmed for prize in self.prizes):
                return False
        elif self._void and not self.main_void:
            return False
        spared = self._wrong_dealer and self.rule(self._wrong_dealer) == "progressive_only"
        if spared and self.coins and not self._void and not self._settled:
            self.main_void = self._void = True
            return True
        again, self.main_void, self._void = self.main_void, False, True
        if self._before is not None:
            # What was paid at settlement comes back; what was said since still waits for the next reset.
            self.sums, self.parameters, pending = self._before
            self.pending = {**pending, **self.pending}
            self._reset_done = False
        rejected = {one.seat for one in self.prizes if one.status == "rejected" and one.kind != "share"}
        self.prizes = []
        rows = {
            seat: row_of(rank_hand(hand))
            for seat, hand in hands.items()
            if self._in_action(seat) and seat not in rejected
        }
        holders = {seat for seat, row in rows.items() if row < len(self._lines)}
        if self.rule("jackpot_hand_in_void_round") == "refund_only":
            rows = {seat: row for seat, row in rows.items() if seat not in holders}
            holders = set()
        stand = set(rows) if self.rule("coin_on_void") == "stands" and not again else holders
        for seat in sorted(set(self.coins) - stand):
            self._refund(seat)
        everything_waits = self.rule("jackpot_hand_in_void_round") == "manager_decision"
        self._award({seat: rows[seat] for seat in stand}, everything_waits)
        return True

    # ------------------------------------------------------------------------------ awards

    def reveal(self, hands: Mapping[int, Sequence[str]]) -> None:
        """REVEAL: the coins on the hands; what is not in action is lost."""
        in_action = {seat: row_of(rank_hand(hands[seat])) for seat in self.coins if self._in_action(seat)}
        for seat, coin in self.coins.items():
            self.results[seat] = said("lose", coin.cents)
        self._award(in_action, everything_waits=False)

    def _award(self, rows: Mapping[int, int], everything_waits: bool) -> None:
        """Fix the awards of these seats, once; what does not wait is paid at once."""
        self._settled = True
        self._before = (replace(self.sums, levels=dict(self.sums.levels)), self.parameters, self.pending)
        self.prizes = self._computed(rows)
        for prize in self.prizes:
            self.documents += 1
            prize.document = self.documents
            if everything_waits:
                prize.status = "waits"
        self._pay([prize for prize in self.prizes if prize.status == "paid"])
        self._say_what_became(rows)

    def _computed(self, rows: Mapping[int, int]) -> list[Prize]:
        """HOUSE_RULES.md, Order of settlement, 5; what is left on the meter goes on from award to award."""
        bettors = sorted(rows, reverse=self.rule("settle_order") == "right_to_left")
        turns = bettors
        if self.rule("straight_flush_first"):
            turns = sorted(bettors, key=lambda seat: rows[seat] != STRAIGHT_FLUSH)
        locked = self.rule("percent_base") == "meter_at_lock"
        at_lock = floor(self._at_lock - self._taken_off)
        left, reset, royal_had_its_turn = self.sums.meter, self._cents("reset"), False
        found: list[Prize] = []
        for seat in turns:
            row = rows[seat]
            if row >= len(self._lines) or (row == ROYAL_FLUSH and royal_had_its_turn):
                continue
            line = str(self._lines[row])
            part = Fraction(line.removesuffix("%")) / 100 if line.endswith("%") else None
            if part is None:
                computed = [self._fixed(seat, row, cents(line), floor(left) - reset)]
            else:
                # With `meter_at_lock` a royal has had that meter: what comes later is the house's.
                there = 0 if locked and royal_had_its_turn else floor(left)
                prize = floor(part * (at_lock if locked else floor(left)))
                if row == ROYAL_FLUSH:
                    computed = self._royals(prize, there, bettors, rows)
                else:
                    computed = [Prize(seat, row, prize, min(prize, there), prize - min(prize, there))]
            self._say_what_waits(computed, floor(left))
            found += computed
            left -= sum(one.take for one in computed)
            if row == ROYAL_FLUSH:
                royal_had_its_turn = True
                reset = cents(self.pending.get("reset", self.rule("reset")))
                left += reset + self.sums.reserve
        return found

    def _fixed(self, seat: int, row: int, prize: int, above_reset: int) -> Prize:
        """The house pays; with `meter` the meter does, never below `reset`, and the house what is missing."""
        if self.rule("fixed_awards_from") == "house":
            return Prize(seat, row, prize, 0, 0)
        take = min(prize, max(0, above_reset))
        return Prize(seat, row, prize, take, prize - take)

    def _royals(self, prize: int, there: int, bettors: Sequence[int], rows: Mapping[int, int]) -> list[Prize]:
        """`royal_split`, `odd_cent` and `royal_minimum`; the meter gives what it has, in order of payment."""
        royals = [seat for seat in bettors if rows[seat] == ROYAL_FLUSH]
        sharing = royals if self.rule("royal_split") == "equal" else bettors
        each, odd = divmod(prize, len(sharing))
        shares = dict.fromkeys(sharing, each)
        if self.rule("odd_cent") == "first_paid":
            shares[sharing[0]] += odd
        else:
            # It goes into the reserve before the reset and comes back with it: it stays.
            there -= min(odd, there)
        found = []
        for seat, share in shares.items():
            take = min(share, there)
            there -= take
            if seat in royals:
                amount = max(share, self._cents("royal_minimum"))
                found.append(Prize(seat, ROYAL_FLUSH, amount, take, amount - take, "royal"))
            else:
                found.append(Prize(seat, ROYAL_FLUSH, share, take, share - take, "share"))
        return found

    def _say_what_waits(self, computed: Sequence[Prize], meter_cents: int) -> None:
        """From `jackpot_hold_from` on; a shared royal waits as a whole, also if the meter was so high."""
        hold_from = self._cents("jackpot_hold_from")
        waits = [prize.cents >= hold_from for prize in computed]
        if self.rule("royal_split") == "shared_by_bettors" and computed[0].row == ROYAL_FLUSH:
            waits = [any(waits) or meter_cents >= hold_from] * len(computed)
        for prize, wait in zip(computed, waits, strict=True):
            prize.status = "waits" if wait else "paid"

    def _pay(self, prizes: Sequence[Prize]) -> None:
        """Off the meter with what these awards take; the first royal of the round brings the reset."""
        if not prizes:
            return
        self._corrected_from = None
        sums = self.sums
        take = sum(prize.take for prize in prizes)
        resets = not self._reset_done and any(prize.kind == "royal" for prize in prizes)
        sums.meter -= take
        if resets:
            self.parameters, self.pending = {**self.parameters, **self.pending}, {}
            self._reset_done = True
            sums.meter += self._cents("reset") + sums.reserve
            sums.seeded += self._cents("reset")
            sums.reserve = Fraction(0)
        # A meter never holds less than nothing: the house adds what is not there.
        missing = max(0, -floor(sums.meter))
        sums.meter += missing
        sums.taken += take - missing
        sums.house_added += missing + sum(prize.house for prize in prizes)
        sums.wins += sum(prize.cents for prize in prizes)
        sums.hits += len(prizes)
        if resets:
            sums.base = floor(sums.meter)
        for prize in prizes:
            hand = f"share_of_{HANDS[prize.row]}" if prize.kind == "share" else HANDS[prize.row]
            by_dealer, dealer_cents, by_two, two_cents = sums.levels.get(hand, (0, 0, 0, 0))
            if prize.confirmed:
                by_two, two_cents = by_two + 1, two_cents + prize.cents
            else:
                by_dealer, dealer_cents = by_dealer + 1, dealer_cents + prize.cents
            sums.levels[hand] = (by_dealer, dealer_cents, by_two, two_cents)

    def _say_what_became(self, seats: Iterable[int]) -> None:
        for seat in sorted(set(seats) & set(self.coins)):
            own = [prize for prize in self.prizes if prize.seat == seat]
            won = sum(prize.cents for prize in own if prize.status == "paid")
            if any(prize.status == "waits" for prize in own):
                self.results[seat] = "waits"
            elif won:
                self.results[seat] = said("win", won)
            elif own and self._void and not self.main_void:
                # Rejected in a void round: the coin goes back.
                self._refund(seat)
            else:
                self.results[seat] = said("lose", self.coins[seat].cents)

    def waiting(self) -> list[int]:
        """The seats about which two people have to say something; shares go with their royal."""
        return sorted({one.seat for one in self.prizes if one.status == "waits" and one.kind != "share"})

    @property
    def count_is_due(self) -> bool:
        """The deck must be counted before a confirm, but not in a round that is void altogether."""
        return self.rule("jackpot_verify") == "deck_count" and (self.main_void or not self._void)

    def decide(self, seat: int, confirm: bool) -> None:
        """Two people have said so of that seat; the meter moves when the last award is decided."""
        waiting = [prize for prize in self.prizes if prize.status == "waits"]
        chosen = [prize for prize in waiting if prize.seat == seat and prize.kind != "share"]
        shared = self.rule("royal_split") == "shared_by_bettors"
        if shared and any(prize.kind == "royal" for prize in chosen):
            chosen = [prize for prize in waiting if prize.kind != "own"]
        for prize in chosen:
            prize.status, prize.confirmed = ("paid", True) if confirm else ("rejected", False)
            if confirm:
                self.owed[prize.document] = prize.cents
        self._say_what_became({prize.seat for prize in self.prizes})
        if len(chosen) == len(waiting):
            self._pay([prize for prize in self.prizes if prize.confirmed])

    # ------------------------------------------------------------------------------ people

    def parameter(self, option: str, value: str) -> bool:
        """A parameter is changed (`parameter_change`); False if it is refused."""
        at_once = self.rule("parameter_change") == "closed_only"
        together = {**self._rules, **self.parameters, **self.pending, option: value}
        limit = cents(together["meter_limit"])
        if Fraction(str(together["meter_share"])) + Fraction(str(together["reserve_share"])) > 1:
            return False
        if limit and cents(together["reset"]) > limit:
            return False
        if not at_once:
            self.pending = {**self.pending, option: value}
            return True
        if self.day_open or (option == "meter_limit" and 0 < limit < self.sums.meter):
            # A limit is never set below what stands there (STANDARDS.md, item 9).
            return False
        self.parameters = {**self.parameters, option: value}
        return True

    def may_correct(self, pot: Pot, amount_cents: int, why: str) -> bool:
        """Whether a pot may be made to show that for that reason (STANDARDS.md, item 4)."""
        moved = amount_cents - floor(getattr(self.sums, pot))
        if not moved or why not in (RAISING if moved > 0 else LOWERING):
            return False
        if pot != "meter":
            return amount_cents >= 0
        # Not up over its limit; not down below what a meter begins with (item 50), but back to where it stood
        # before it was corrected, as long as no award has been paid since.
        if moved > 0:
            return not 0 < self._cents("meter_limit") < amount_cents
        floors = [self._cents("reset"), *([] if self._corrected_from is None else [self._corrected_from])]
        least = min(floors)
        return why != "undisplayed_taken" and amount_cents >= least

    def correct(self, pot: Pot, amount_cents: int) -> None:
        """Two people have corrected a pot; the part of a cent in it stays."""
        held: Fraction = getattr(self.sums, pot)
        if pot == "meter" and self._corrected_from is None:
            self._corrected_from = floor(held)
        moved = amount_cents - floor(held)
        setattr(self.sums, pot, held + moved)
        self.sums.corrected += moved
