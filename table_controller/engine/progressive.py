"""The progressive: what coins put on the meter, what a round's hands take from it, and the books.

Shares of a coin are exact (DETAILS.md, Money): the meter counts millionths of a cent, and shows
whole cents. A coin of whole cents times a share of at most six decimals is always whole here, so
nothing is ever rounded but a prize, which is whole cents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from table_controller.engine.hands import Category, category
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.settlement import in_settle_order
from table_controller.engine.values import WHOLE_PPM, Prize

EXACT: Final = WHOLE_PPM  # millionths of a cent in a cent


class Share(msgspec.Struct, frozen=True):
    """What one coin put where, in millionths of a cent, so that a refund takes off exactly that."""

    coin_cents: int
    meter: int
    overflow: int
    reserve: int


class Meter(msgspec.Struct, frozen=True, kw_only=True):
    """The meter and its books.

    `exact`, `reserve`, `overflow`, `house_rest` (of coins, the part that is the house's) and
    `kept_shares` (shares of refunded coins that the house pays) are millionths of a cent; the others
    whole cents: `start` where it was installed, `wagers` coins in action, `seeded` resets put on by
    the house, `taken` prizes taken off, `wins` awards paid from anywhere, `house_added` missing parts
    that the house added to awards, `corrected` what people put on or took off. `hits` counts awards paid.
    """

    exact: int
    reserve: int = 0
    overflow: int = 0
    start_cents: int
    wagers_cents: int = 0
    house_rest: int = 0
    kept_shares: int = 0
    seeded_cents: int = 0
    taken_cents: int = 0
    wins_cents: int = 0
    house_added_cents: int = 0
    hits: int = 0
    corrected_cents: int | msgspec.UnsetType = msgspec.UNSET
    """Unset, and then not encoded, while nobody ever corrected it."""

    @classmethod
    def starting_at(cls, cents: int) -> Meter:
        """A meter that is installed at `cents` (HOUSE_RULES.md, `meter_start`)."""
        return cls(exact=cents * EXACT, start_cents=cents)

    @property
    def cents(self) -> int:
        """What the meter shows: the part of a cent shows when it has become a cent."""
        return self.exact // EXACT

    @property
    def reserve_cents(self) -> int:
        """The reserve in whole cents."""
        return self.reserve // EXACT

    @property
    def overflow_cents(self) -> int:
        """What went over `meter_limit`, in whole cents."""
        return self.overflow // EXACT

    @property
    def reserve_rise_cents(self) -> int:
        """By how much the meter would rise, as shown, if the reserve came to it."""
        return (self.exact + self.reserve) // EXACT - self.cents

    @property
    def balances(self) -> bool:
        """Whether every part of a cent is where it must be: an invariant of every meter there is."""
        put_on_cents = self.start_cents + self.wagers_cents + self.seeded_cents + (self.corrected_cents or 0)
        came = put_on_cents * EXACT + self.kept_shares
        went = self.exact + self.reserve + self.overflow + self.house_rest + self.taken_cents * EXACT
        return came == went and min(self.exact, self.reserve, self.overflow) >= 0


def correct(meter: Meter, pot: Literal["meter", "overflow", "reserve"], cents: int) -> Meter:
    """One pot shows `cents` from now on; the part of a cent in it stays (STANDARDS.md, item 4)."""
    field = "exact" if pot == "meter" else pot
    held = getattr(meter, field)
    moved_cents = cents - held // EXACT
    changed = {
        field: held + moved_cents * EXACT,
        "corrected_cents": (meter.corrected_cents or 0) + moved_cents,
    }
    return msgspec.structs.replace(meter, **changed)


def contribute(rules: HouseRules, meter: Meter) -> tuple[Meter, Share]:
    """Post one coin at LOCK: its share on the meter up to `meter_limit`, the rest of it to overflow."""
    share = rules.coin_value_cents * rules.meter_share_ppm
    room = max(0, rules.meter_limit_cents * EXACT - meter.exact) if rules.meter_limit_cents else share
    posted = Share(
        coin_cents=rules.coin_value_cents,
        meter=min(share, room),
        overflow=share - min(share, room),
        reserve=rules.coin_value_cents * rules.reserve_share_ppm,
    )
    return _posted(meter, posted, 1), posted


def take_back(meter: Meter, share: Share) -> Meter:
    """Take a refunded coin off again, exactly what it put where (`void_contribution = reverse`).

    A royal of the same round may have moved the reserve onto the meter, and taken the meter: what went
    to the meter is taken off there, and what was won already the house pays, as for a share that stays.
    """
    from_reserve = min(share.reserve, meter.reserve)
    from_meter = min(share.meter + share.reserve - from_reserve, meter.exact)
    there = msgspec.structs.replace(share, meter=from_meter, reserve=from_reserve)
    won = share.meter + share.reserve - from_meter - from_reserve
    after = _posted(meter, there, -1)
    return msgspec.structs.replace(
        after, house_rest=after.house_rest + won, kept_shares=after.kept_shares + won
    )


def keep_share(meter: Meter, share: Share) -> Meter:
    """A coin is refunded and its share stays, paid by the house (`void_contribution = keep`)."""
    shares = share.meter + share.overflow + share.reserve
    return msgspec.structs.replace(
        meter,
        wagers_cents=meter.wagers_cents - share.coin_cents,
        house_rest=meter.house_rest - (share.coin_cents * EXACT - shares),
        kept_shares=meter.kept_shares + shares,
    )


def _posted(meter: Meter, share: Share, sign: Literal[1, -1]) -> Meter:
    rest = share.coin_cents * EXACT - share.meter - share.overflow - share.reserve
    return msgspec.structs.replace(
        meter,
        exact=meter.exact + sign * share.meter,
        overflow=meter.overflow + sign * share.overflow,
        reserve=meter.reserve + sign * share.reserve,
        house_rest=meter.house_rest + sign * rest,
        wagers_cents=meter.wagers_cents + sign * share.coin_cents,
    )


class Award(msgspec.Struct, frozen=True):
    """What one seat is to be paid, fixed at REVEAL (DETAILS.md, Money).

    `take_cents` comes off the meter, `house_cents` is a missing part that the house adds; a fixed
    prize of the house is neither. `kind`: the hand's `own` prize, the `royal` with its part of the
    meter, or the `share` of a bettor in somebody else's royal. `waits`: a supervisor decides first;
    shares wait with their royal and are decided with it.
    """

    seat: int
    category_label: str
    cents: int
    take_cents: int
    house_cents: int
    kind: Literal["own", "royal", "share"]
    waits: bool


class _Pot:
    """The meter while the awards of a round are computed one after the other, in whole cents."""

    def __init__(
        self,
        rules: HouseRules,
        meter_cents: int,
        reserve_cents: int,
        at_lock_cents: int,
        next_reset_cents: int,
    ) -> None:
        self._reset_cents = rules.reset_cents
        self._next_reset_cents = next_reset_cents
        self.meter_cents = meter_cents
        self.at_lock_cents = at_lock_cents
        self.was_reset = False
        self._rules = rules
        self._reserve_cents = reserve_cents

    @property
    def _locked(self) -> bool:
        return self._rules.percent_base == "meter_at_lock"

    def worth(self, prize: Prize) -> int:
        """What the prize comes to at this turn."""
        return prize.of(self.at_lock_cents if self._locked else self.meter_cents)

    def take_percentage(self, cents: int) -> int:
        """Take a percentage off: all of it, or what is left of the meter at LOCK."""
        # The royal has had the meter at LOCK; the reset meter is no part of it.
        return self._take(0 if self._locked and self.was_reset else min(cents, self.meter_cents))

    def take_fixed(self, cents: int) -> int:
        """Take a fixed prize off, never below `reset` (HOUSE_RULES.md, `fixed_awards_from`)."""
        return self._take(max(0, min(cents, self.meter_cents - self._reset_cents)))

    def _take(self, cents: int) -> int:
        self.meter_cents -= cents
        return cents

    def set_aside(self, cents: int) -> None:
        """Keep cents out of every prize until the reset."""
        self._reserve_cents += self._take(min(cents, self.meter_cents))

    def reset(self) -> None:
        """The royal has been paid: `reset` and the reserve come to what is left."""
        self._reset_cents = self._next_reset_cents
        self.meter_cents += self._reset_cents + self._reserve_cents
        self.was_reset = True


def compute_awards(
    rules: HouseRules,
    meter_cents: int,
    reserve_cents: int,
    at_lock_cents: int,
    hands: Sequence[tuple[int, int]],
    next_reset_cents: int | None = None,
) -> tuple[Award, ...]:
    """The awards of a round in the order of payment (HOUSE_RULES.md, Order of settlement, 5).

    `hands` is (seat, strength) of every coin in action, in any order; `reserve_cents` is what the
    reserve adds to a reset meter (`Meter.reserve_rise_cents`); `at_lock_cents` the meter at LOCK less
    shares taken off again since; `next_reset_cents` the reset that a royal of this round puts in force, if
    it is to be another (`parameter_change = after_next_hit`).
    """
    seats = {seat for seat, _ in hands}
    if len(seats) != len(hands):
        raise ValueError("hands: one seat is there twice")
    # A pay table has no gap, so without a prize for the best hand there is none for any.
    if not hands or rules.prize(category(max(strength for _, strength in hands))) is None:
        return ()
    kinds = {seat: category(strength) for seat, strength in hands}
    order = in_settle_order(rules, kinds)
    if rules.straight_flush_first:
        order.sort(key=lambda seat: kinds[seat] is not Category.STRAIGHT_FLUSH)
    reset_cents = rules.reset_cents if next_reset_cents is None else next_reset_cents
    pot = _Pot(rules, meter_cents, reserve_cents, at_lock_cents, reset_cents)
    awards: list[Award] = []
    for seat in order:
        prize = rules.prize(kinds[seat])
        if prize is None:
            continue
        if kinds[seat] is not Category.ROYAL_FLUSH:
            awards.append(_own(rules, pot, seat, kinds[seat], prize))
        elif not pot.was_reset:
            # The first royal's turn: all royals of the round are computed together.
            awards.extend(_royals(rules, pot, kinds, prize))
            pot.reset()
    return tuple(awards)


def _own(rules: HouseRules, pot: _Pot, seat: int, kind: Category, prize: Prize) -> Award:
    cents = pot.worth(prize)
    if prize.ppm:
        take_cents = pot.take_percentage(cents)
        house_cents = cents - take_cents
    elif rules.fixed_awards_from == "meter":
        take_cents = pot.take_fixed(cents)
        house_cents = cents - take_cents
    else:
        take_cents = house_cents = 0
    waits = cents >= rules.jackpot_hold_from_cents
    return Award(seat, kind.label, cents, take_cents, house_cents, "own", waits)


def _royals(rules: HouseRules, pot: _Pot, kinds: dict[int, Category], prize: Prize) -> list[Award]:
    """The meter, shared by the royals or by every bettor (HOUSE_RULES.md, `royal_split`)."""
    by_bettors = rules.royal_split == "shared_by_bettors"
    royals = {seat for seat, kind in kinds.items() if kind is Category.ROYAL_FLUSH}
    sharers = in_settle_order(rules, kinds if by_bettors else royals)
    pot_cents = pot.meter_cents
    each_cents, odd_cents = divmod(pot.worth(prize), len(sharers))
    if rules.odd_cent == "first_paid":
        first_cents = each_cents + odd_cents
    else:
        # What does not divide is set aside first, so that it is there when the reserve comes back.
        first_cents = each_cents
        pot.set_aside(odd_cents)
    awards: list[Award] = []
    for seat in sharers:
        share_cents = first_cents if seat == sharers[0] else each_cents
        royal = seat in royals
        cents = max(share_cents, rules.royal_minimum_cents) if royal else share_cents
        take_cents = pot.take_percentage(share_cents)
        awards.append(
            Award(
                seat=seat,
                category_label=Category.ROYAL_FLUSH.label,
                cents=cents,
                take_cents=take_cents,
                house_cents=cents - take_cents,
                kind="royal" if royal else "share",
                waits=cents >= rules.jackpot_hold_from_cents,
            )
        )
    if not by_bettors:
        return awards
    # A shared royal waits as a whole: one decision about the royal's seat decides every share.
    waits = pot_cents >= rules.jackpot_hold_from_cents or any(award.waits for award in awards)
    return [msgspec.structs.replace(award, waits=waits) for award in awards]


def pay(rules: HouseRules, meter: Meter, awards_confirmed: Iterable[Award], royal_confirmed: bool) -> Meter:
    """The meter after confirmed awards: less what they take, plus `reset` and reserve after a royal.

    May be called at settlement for what does not wait and again when the last waiting award is
    decided. The meter never falls below nothing: what an award of a reset meter would take from a
    smaller one, because its royal was rejected, the house adds.
    """
    awards = tuple(awards_confirmed)
    take_cents = sum(award.take_cents for award in awards)
    seed_cents = rules.reset_cents if royal_confirmed else 0
    moved = meter.reserve if royal_confirmed else 0
    missing_cents = max(0, take_cents - seed_cents - (meter.exact + moved) // EXACT)
    added_cents = missing_cents + sum(award.house_cents for award in awards)
    return msgspec.structs.replace(
        meter,
        exact=meter.exact + moved + (seed_cents - take_cents + missing_cents) * EXACT,
        reserve=meter.reserve - moved,
        seeded_cents=meter.seeded_cents + seed_cents,
        taken_cents=meter.taken_cents + take_cents - missing_cents,
        wins_cents=meter.wins_cents + sum(award.cents for award in awards),
        house_added_cents=meter.house_added_cents + added_cents,
        hits=meter.hits + len(awards),
    )
