"""The long run of the progressive: what it returns over a million awards, beside the golden figures.

A royal takes 649,740 coins on average, so coins are not dropped one by one. Hands are independent, so the
coins from one award to the next are a geometric number, drawn as such. Without a limit every coin puts on
the same share, so n coins are n times one share: `contribute` posts one coin of n times the value. Nothing
of that is an approximation. The awards are those of the engine: `contribute`, `compute_awards`, `pay`.

Two kinds of award are drawn apart, because fixed prizes are the house's and never touch the meter: those
that carry a percentage, and the fixed ones. Returns are a ratio of two sums over independent cycles (from
royal to royal, from award to award); their standard error is that of the delta method.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from math import copysign, floor, inf, log, log1p, sqrt
from typing import Final, NamedTuple

import msgspec

from table_controller.engine.cards import parse_hand
from table_controller.engine.hands import Category, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.progressive import EXACT, Meter, compute_awards, contribute, pay
from table_controller.engine.values import Prize
from table_controller.presets import load_preset
from tests.shared import shared

ALL_HANDS: Final = 2_598_960
COIN_CENTS: Final = 100
SEAT: Final = 1
RETURN, WITHOUT_SEED = "return", "return without seeds"
METER, FIXED = "meter at a royal", "return of fixed prizes"
STRENGTHS: Final = {
    category: strength(parse_hand(hand))
    for category, hand in {
        Category.ROYAL_FLUSH: "TS JS QS KS AS",
        Category.STRAIGHT_FLUSH: "5H 6H 7H 8H 9H",
        Category.FOUR_OF_A_KIND: "9S 9D 9C 9H 2C",
        Category.FULL_HOUSE: "QS QH QD 3S 3H",
        Category.FLUSH: "2C 5C 8C TC KC",
        Category.STRAIGHT: "5H 6D 7H 8H 9H",
        Category.THREE_OF_A_KIND: "QS QH QD 3S 4H",
    }.items()
}


class Run(NamedTuple):
    """One setting of the golden figures: `golden` by the name of the figure, in coins."""

    name: str
    rules: HouseRules
    golden: dict[str, Fraction]
    awards: int
    seed: str


class Estimate(NamedTuple):
    """A figure that was simulated, with its standard error, and the golden one."""

    what: str
    found: Fraction
    error: float
    golden: Fraction

    @property
    def z(self) -> float:
        """How many standard errors it is off."""
        off = self.found - self.golden
        if not self.error:
            # Nothing is left to chance: then it is the same to the last part, or wrong.
            return copysign(inf, off) if off else 0.0
        return float(off) / self.error

    @property
    def agrees(self) -> bool:
        """Within three standard errors, and the error is below half a percent of the figure."""
        return abs(self.z) <= 3 and self.error < 0.005 * self.found

    @property
    def text(self) -> str:
        """One line."""
        return (
            f"{self.what:<24} {float(self.found):>16.8f} ± {self.error:.1e}"
            f"   golden {float(self.golden):>16.8f}   z {self.z:+.2f}"
        )


class Ratio:
    """The ratio of two sums over independent cycles, with its standard error by the delta method."""

    def __init__(self) -> None:
        self._cycles = 0
        self._above = self._below = self._above_squared = self._below_squared = self._product = 0

    def add(self, above: int, below: int) -> None:
        """One cycle: what goes above the line and what below."""
        self._cycles += 1
        self._above += above
        self._below += below
        self._above_squared += above * above
        self._below_squared += below * below
        self._product += above * below

    def estimate(self, what: str, golden: Fraction) -> Estimate:
        """The ratio, beside the golden figure."""
        # Whole numbers until here: the sum of squares below is a small difference of large numbers.
        above, below, cycles = self._above, self._below, self._cycles
        squares = (
            self._above_squared * below * below
            - 2 * self._product * above * below
            + self._below_squared * above * above
        )
        error = sqrt(squares / cycles) / below / (below / cycles) / sqrt(cycles)
        return Estimate(what, Fraction(above, below), error, golden)


def coins_until(dice: random.Random, hands: int) -> int:
    """How many coins are dropped until a hand comes that is one of `hands` among all: at least one."""
    return 1 + floor(log(1.0 - dice.random()) / log1p(-hands / ALL_HANDS))


def counts() -> dict[Category, int]:
    """How many of all five-card hands are of each kind that can have a prize."""
    counted = json.loads(shared("golden/hand_counts.json").read_text("utf-8"))["combos_by_category"]
    return {category: counted[category.label] for category in STRENGTHS}


def drawn(dice: random.Random, counted: dict[Category, int]) -> Iterator[Category]:
    """Kinds of hands, each as often as it is among these."""
    kinds, weights = list(counted), list(counted.values())
    while True:
        yield from dice.choices(kinds, weights, k=1000)


def percentages(rules: HouseRules, awards: int, seed: str) -> dict[str, Ratio]:
    """At least so many awards that carry a percentage, to the end of a royal's cycle.

    What was paid for each coin; what was paid without the resets that the house put on; and the meter at
    a royal, as it was paid.
    """
    dice = random.Random(seed)
    counted = {kind: number for kind, number in counts().items() if (rules.prize(kind) or Prize()).ppm}
    hands = sum(counted.values())
    returned, without_seed, royal = Ratio(), Ratio(), Ratio()
    meter = Meter.starting_at(rules.reset_cents)
    coins = paid = found = 0
    for kind in drawn(dice, counted):
        dropped = coins_until(dice, hands)
        many = msgspec.structs.replace(rules, coin_value_cents=COIN_CENTS * dropped)
        meter, _ = contribute(many, meter)
        is_royal = kind is Category.ROYAL_FLUSH
        won = compute_awards(rules, meter.cents, 0, meter.cents, [(SEAT, STRENGTHS[kind])])
        meter = pay(rules, meter, won, is_royal)
        coins, paid, found = coins + dropped, paid + won[0].cents, found + 1
        if is_royal:
            returned.add(paid, COIN_CENTS * coins)
            without_seed.add(paid - rules.reset_cents, COIN_CENTS * coins)
            royal.add(won[0].cents, COIN_CENTS)
            coins = paid = 0
            if found >= awards:
                break
    if not meter.balances:
        raise ArithmeticError(f"a part of a cent is missing: {meter}")
    return {RETURN: returned, WITHOUT_SEED: without_seed, METER: royal}


def fixed(rules: HouseRules, awards: int, seed: str) -> Ratio:
    """So many fixed prizes: what was paid for each coin. None of them touches the meter."""
    dice = random.Random(seed)
    counted = {kind: number for kind, number in counts().items() if (rules.prize(kind) or Prize()).cents}
    hands = sum(counted.values())
    ratio = Ratio()
    meter = Meter.starting_at(rules.meter_start_cents)
    for kind, _ in zip(drawn(dice, counted), range(awards), strict=False):
        won = compute_awards(rules, meter.cents, 0, meter.cents, [(SEAT, STRENGTHS[kind])])
        after = pay(rules, meter, won, False)
        if after.exact != meter.exact:
            raise ArithmeticError("a fixed prize of the house has moved the meter")
        ratio.add(won[0].cents, COIN_CENTS * coins_until(dice, hands))
    return ratio


def runs(awards: int, seed: int) -> list[Run]:
    """Every setting of the golden figures: the classical law with its seeds and contributions, fixed prizes
    of each table, and mission text S0.
    """
    golden = json.loads(shared("golden/jackpot.json").read_text("utf-8"))
    classical, live = load_preset("us_standard"), load_preset("live")
    found = []
    for row in golden["classical_progressive"]["long_run"]["rows"]:
        if row["fixed_table"] == "500/100/50":
            law = row["A_sf_taken_from_meter"]
            seed_coins, share = row["seed"], row["contribution"]
            rules = msgspec.structs.replace(
                classical,
                reset_cents=seed_coins * COIN_CENTS,
                meter_share_ppm=int(Fraction(share) * EXACT),
            )
            figures = {RETURN: Fraction(law["progressive_return"]), METER: Fraction(law["mean_meter"])}
            found.append(
                (f"royal 100%, straight flush 10%, seed {seed_coins}, {share} of a coin", rules, figures)
            )
    for name, table in golden["classical_progressive"]["tables"].items():
        lines = [Prize(cents=table[kind] * COIN_CENTS) for kind in ("four_of_a_kind", "full_house", "flush")]
        rules = msgspec.structs.replace(classical, progressive_pays=(*classical.progressive_pays[:2], *lines))
        found.append((f"fixed prizes {name}", rules, {FIXED: _exact(table["fixed_return"])}))
    mission = golden["seed000_jackpot"]
    fixed_return = _exact(mission["fixed_return"])
    found.append(("live, fixed prizes", live, {FIXED: fixed_return}))
    stated = _exact(mission["fixed_plus_50_percent"]) - fixed_return
    seed_return = Fraction(live.reset_cents, COIN_CENTS * golden["royal_one_in"])
    royals = {RETURN: stated + seed_return, WITHOUT_SEED: stated}
    found.append(("live, the royal", live, royals))
    return [Run(name, rules, figures, awards, f"{seed} {name}") for name, rules, figures in found]


def _exact(figure: dict[str, int]) -> Fraction:
    return Fraction(figure["num"], figure["den"])


def estimates(run: Run) -> list[Estimate]:
    """What a run found of each of its golden figures."""
    if FIXED in run.golden:
        # Twice as many: a straight flush is one of 2,073 fixed prizes of `live` and a tenth of their return.
        return [fixed(run.rules, 2 * run.awards, run.seed).estimate(FIXED, run.golden[FIXED])]
    ratios = percentages(run.rules, run.awards, run.seed)
    return [ratios[what].estimate(what, golden) for what, golden in run.golden.items()]
