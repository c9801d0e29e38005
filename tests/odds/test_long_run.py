"""What a coin brings back from reset to reset, beside the engine that keeps the meter."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import floor, log, log1p, sqrt
from statistics import mean, stdev
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.engine.cards import parse_hand
from table_controller.engine.hands import Category, strength
from table_controller.engine.house_rules import HouseRules, long_run_mean_cents
from table_controller.engine.progressive import EXACT, Meter, compute_awards, contribute, pay
from table_controller.engine.values import Prize
from table_controller.odds.decimals import decimal_text
from table_controller.odds.hand_counts import hands_by_kind
from table_controller.odds.long_run import long_run
from table_controller.odds.progressive import progressive
from table_controller.presets import PRESETS, load_preset
from tests.shared import shared

HANDS = {
    Category.ROYAL_FLUSH: "TS JS QS KS AS",
    Category.STRAIGHT_FLUSH: "5H 6H 7H 8H 9H",
    Category.FOUR_OF_A_KIND: "9S 9D 9C 9H 2C",
    Category.FULL_HOUSE: "QS QH QD 3S 3H",
    Category.FLUSH: "2C 5C 8C TC KC",
    Category.STRAIGHT: "5H 6D 7H 8H 9H",
    Category.THREE_OF_A_KIND: "QS QH QD 3S 4H",
}
STRENGTHS = {kind: strength(parse_hand(hand)) for kind, hand in HANDS.items()}
ALL_HANDS = 2_598_960
ROYAL = Fraction(4, ALL_HANDS)
ONLY_ROYAL = (Prize(ppm=1_000_000),)
TINY = Fraction(1, 10**30)

same_every_time = settings(derandomize=True, deadline=None)


def rules_of(preset: str, **options: Any) -> HouseRules:
    return msgspec.structs.replace(load_preset(preset), **options)


def golden() -> Any:
    return json.loads(shared("golden/jackpot.json").read_text("utf-8"))


def options_left_out(rules: HouseRules) -> list[str]:
    return [text.split(":")[0] for text in long_run(rules).not_in_the_figure]


def is_exact(rules: HouseRules) -> bool:
    run = long_run(rules)
    return run.least == run.most == run.return_per_coin and not run.not_in_the_figure


# ------------------------------------------------------------------------------ golden figures


def test_each_row_of_the_classical_law_comes_out() -> None:
    # Law A takes a straight flush out of the meter, as our tables do. Law B, the house pays it and the
    # meter stays, is no option of HOUSE_RULES.md.
    rows = golden()["classical_progressive"]["long_run"]["rows"]
    assert rows
    for row in rows:
        amounts = [int(amount) * 100 for amount in row["fixed_table"].split("/")]
        pays = load_preset("us_standard").progressive_pays[:2]
        rules = rules_of(
            "us_standard",
            progressive_pays=(*pays, *(Prize(cents=cents) for cents in amounts)),
            reset_cents=row["seed"] * 100,
            meter_share_ppm=int(Fraction(row["contribution"]) * 1_000_000),
        )
        wanted, run, found = row["A_sf_taken_from_meter"], long_run(rules), progressive(rules)
        assert found is not None
        assert decimal_text(run.mean_meter_cents / 100, 4) == wanted["mean_meter"]
        assert decimal_text(run.return_per_coin, 10) == wanted["total_return"]
        moved = run.return_per_coin - found.fixed_return
        assert decimal_text(moved, 10) == wanted["progressive_return"]
        assert found.return_at(run.mean_meter_cents) == run.return_per_coin
        assert is_exact(rules)


def test_each_example_of_share_and_seed_makes_the_same_half_of_the_live_coin() -> None:
    mission = golden()["seed000_jackpot"]
    for example in mission["examples_c_and_seed"]:
        rules = rules_of(
            "live",
            meter_share_ppm=int(Fraction(example["contribution"]) * 1_000_000),
            reset_cents=int(Fraction(example["seed_in_bets_for_50_percent_total"]) * 100),
        )
        run = long_run(rules)
        assert run.return_per_coin == Fraction(mission["fixed_plus_50_percent"]["num"], 649_740)
        assert decimal_text(run.mean_meter_cents / 100, 2) == example["mean_jackpot_at_hit"]


def test_a_house_without_a_progressive_is_refused() -> None:
    with pytest.raises(ValueError, match="no progressive"):
        long_run(load_preset("classic"))


# ------------------------------------------------------------------------------ the balance


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "classic"])
def test_the_mean_meter_of_a_preset_is_the_engines(preset: str) -> None:
    rules = load_preset(preset)
    assert floor(long_run(rules).mean_meter_cents) == long_run_mean_cents(rules)


HOUSES = st.builds(
    rules_of,
    st.sampled_from(["us_standard", "live"]),
    coin_value_cents=st.integers(1, 1_000),
    meter_share_ppm=st.integers(0, 600_000),
    reserve_share_ppm=st.integers(0, 400_000),
    reset_cents=st.integers(0, 20_000_000),
    fixed_awards_from=st.sampled_from(["house", "meter"]),
    royal_minimum_cents=st.integers(0, 2_000_000),
    progressive_pays=st.sampled_from(
        [
            ONLY_ROYAL,
            (Prize(ppm=1_000_000), Prize(ppm=100_000), Prize(cents=50_000), Prize(cents=10_000)),
            (Prize(ppm=333_333), Prize(ppm=333_333), Prize(ppm=12_500), Prize(cents=707)),
            (Prize(ppm=500_000), Prize(cents=50_000)),
        ]
    ),
)


@same_every_time
@given(rules=HOUSES)
def test_the_mean_meter_of_any_house_without_limit_is_the_engines(rules: HouseRules) -> None:
    assert floor(long_run(rules).mean_meter_cents) == long_run_mean_cents(rules)


@same_every_time
@given(rules=HOUSES, limit_cents=st.integers(20_000_000, 90_000_000))
def test_the_long_run_lies_between_its_bounds(rules: HouseRules, limit_cents: int) -> None:
    for house in (rules, msgspec.structs.replace(rules, meter_limit_cents=limit_cents)):
        run = long_run(house)
        assert 0 <= run.least <= run.return_per_coin <= run.most
        assert run.least == run.most or run.not_in_the_figure


@pytest.mark.parametrize("reserve_ppm", [0, 20_000])
@pytest.mark.parametrize("royal_ppm", [1_000_000, 400_000])
def test_one_coin_leaves_the_mean_meter_where_it_is(reserve_ppm: int, royal_ppm: int) -> None:
    pays = (Prize(ppm=royal_ppm), *load_preset("us_standard").progressive_pays[1:])
    rules = rules_of("us_standard", reserve_share_ppm=reserve_ppm, progressive_pays=pays)
    run, hands = long_run(rules), hands_by_kind(5)
    # What a royal finds in the reserve, on average: the shares since the one before.
    reserve_cents = Fraction(reserve_ppm, 10_000) / ROYAL
    at_lock = Meter(
        exact=floor(run.mean_meter_cents * EXACT), reserve=floor(reserve_cents * EXACT), start_cents=0
    )
    lost = Fraction(0)
    for kind, number in hands.items():
        if kind in STRENGTHS:
            royal = kind is Category.ROYAL_FLUSH
            won = compute_awards(
                rules, at_lock.cents, at_lock.reserve_rise_cents, at_lock.cents, [(1, STRENGTHS[kind])]
            )
            left = pay(rules, at_lock, won, royal)
            lost += Fraction(number, ALL_HANDS) * (at_lock.exact - left.exact)
    _, share = contribute(rules, at_lock)
    # Prizes are rounded down to a cent, and the rest stays.
    assert abs(lost - share.meter) < ROYAL * 40 * EXACT


# ------------------------------------------------------------------------------ limit and minimum


def engine_mean_royal(rules: HouseRules, coins: int) -> tuple[Fraction, Fraction]:
    """Mean royal and mean overflow of a cycle, in cents: the engine, coin by coin up to the limit."""
    meter = Meter.starting_at(rules.reset_cents)
    royal = overflow = Fraction(0)
    none_yet = Fraction(1)
    over_cents = Fraction(0)
    for number in range(1, coins + 1):
        meter, share = contribute(rules, meter)
        over_cents = Fraction(share.overflow, EXACT)
        overflow += none_yet * over_cents
        (won,) = compute_awards(rules, meter.cents, 0, meter.cents, [(1, STRENGTHS[Category.ROYAL_FLUSH])])
        # From the last coin on nothing changes any more.
        royal += none_yet * (ROYAL if number < coins else 1) * won.cents
        none_yet *= 1 - ROYAL
    return royal, overflow + none_yet / ROYAL * over_cents


@pytest.mark.parametrize(
    ("limit_cents", "minimum_cents"),
    [
        (101_000, 0),
        # The last coin finds room for a part of its share.
        (101_033, 0),
        (100_000, 0),
        (101_000, 100_000),
        (101_000, 100_777),
        (101_000, 101_000),
        (101_000, 250_000),
    ],
)
def test_limit_and_minimum_are_what_the_engine_comes_to(limit_cents: int, minimum_cents: int) -> None:
    rules = rules_of(
        "live",
        reset_cents=100_000,
        meter_limit_cents=limit_cents,
        royal_minimum_cents=minimum_cents,
    )
    fixed = Fraction(golden()["seed000_jackpot"]["fixed_return"]["num"], 649_740)
    royal, overflow = engine_mean_royal(rules, coins=30)
    run = long_run(rules)
    assert abs(run.return_per_coin - fixed - ROYAL * royal / 100) < TINY
    without_limit = long_run(msgspec.structs.replace(rules, meter_limit_cents=0, royal_minimum_cents=0))
    if not minimum_cents:
        lost = without_limit.return_per_coin - run.return_per_coin
        assert abs(lost - ROYAL * overflow / 100) < TINY
        assert abs(run.mean_meter_cents - royal) < TINY * 10**6
    assert is_exact(rules)


def test_a_minimum_without_a_limit_is_what_the_engine_comes_to() -> None:
    rules = rules_of("live", reset_cents=100_000, royal_minimum_cents=101_000)
    lifted = Fraction(0)
    meter, none_yet = Meter.starting_at(rules.reset_cents), Fraction(1)
    for _ in range(25):
        meter, _ = contribute(rules, meter)
        (won,) = compute_awards(rules, meter.cents, 0, meter.cents, [(1, STRENGTHS[Category.ROYAL_FLUSH])])
        lifted += none_yet * ROYAL * won.house_cents
        none_yet *= 1 - ROYAL
    plain = long_run(msgspec.structs.replace(rules, royal_minimum_cents=0))
    assert abs(long_run(rules).return_per_coin - plain.return_per_coin - ROYAL * lifted / 100) < TINY


def test_a_limit_far_above_every_meter_takes_nothing() -> None:
    far = long_run(rules_of("live", meter_limit_cents=10**13))
    assert abs(far.return_per_coin - long_run(load_preset("live")).return_per_coin) < TINY


def test_a_limit_of_some_hundred_thousand_coins_is_followed_to_thirty_decimals() -> None:
    coins = 649_740
    rules = rules_of("live", meter_limit_cents=1_000_000 + 50 * coins)
    with localcontext(prec=100):
        none_yet = (1 - Decimal(1) / Decimal(649_740)) ** coins
    # Half of a coin for each one until the royal, but for those after the last that found room.
    lost = Fraction(1, 2) * Fraction(none_yet)
    run = long_run(rules)
    assert abs(long_run(load_preset("live")).return_per_coin - run.return_per_coin - lost) < TINY


def test_a_limit_at_the_reset_leaves_fixed_prizes_and_the_reset() -> None:
    rules = rules_of("live", meter_limit_cents=1_000_000)
    found = progressive(rules)
    assert found is not None
    assert found.long_run == found.fixed_return + found.seed_return()


def test_a_coin_that_puts_nothing_by_has_no_use_for_a_limit() -> None:
    rules = rules_of("us_standard", meter_share_ppm=0, meter_limit_cents=1_000_000)
    assert is_exact(rules)
    assert is_exact(rules_of("live", meter_share_ppm=0, royal_minimum_cents=2_000_000))


@pytest.mark.parametrize(
    ("preset", "options", "left_out"),
    [
        ("us_standard", {"meter_limit_cents": 20_000_000}, ["meter_limit"]),
        ("live", {"meter_limit_cents": 20_000_000, "reserve_share_ppm": 10_000}, ["meter_limit"]),
        ("us_standard", {"royal_minimum_cents": 2_000_000}, ["royal_minimum"]),
        ("us_standard", {"fixed_awards_from": "meter"}, ["fixed_awards_from"]),
        (
            "live",
            {"fixed_awards_from": "meter", "meter_limit_cents": 20_000_000},
            ["meter_limit", "fixed_awards_from"],
        ),
        # A royal never finds less than the reset where nothing else is a percentage.
        ("live", {"royal_minimum_cents": 1_000_000, "reserve_share_ppm": 10_000}, []),
        ("live", {"fixed_awards_from": "meter", "progressive_pays": ONLY_ROYAL}, []),
        ("us_standard", {"reserve_share_ppm": 10_000}, []),
    ],
)
def test_what_is_not_computed_is_named(preset: str, options: dict[str, Any], left_out: list[str]) -> None:
    rules = rules_of(preset, **options)
    assert options_left_out(rules) == left_out
    run = long_run(rules)
    assert (run.least < run.most) == bool(left_out)


def test_the_bounds_are_said_rounded_away_from_each_other() -> None:
    rules = rules_of("us_standard", fixed_awards_from="meter")
    # 50.53907...% and 86.77664...%.
    (said,) = long_run(rules).not_in_the_figure
    assert said.endswith("the long run lies between 50.5390% and 86.7767%")


def test_the_reserve_comes_back_with_the_reset() -> None:
    plain, reserved = load_preset("live"), rules_of("live", reserve_share_ppm=30_000)
    more = long_run(reserved).return_per_coin - long_run(plain).return_per_coin
    assert more == Fraction(3, 100)


# ------------------------------------------------------------------------------ fixed prizes from the meter


def awards_until(dice: random.Random, rules: HouseRules, royals: int) -> Iterator[tuple[int, Category]]:
    """Coins that are dropped until the next prize, and its hand: until so many royals have come."""
    counted = {kind: hands for kind, hands in hands_by_kind(5).items() if rules.prize(kind)}
    chance = sum(counted.values()) / ALL_HANDS
    while royals:
        kind = dice.choices(list(counted), list(counted.values()))[0]
        royals -= kind is Category.ROYAL_FLUSH
        yield 1 + floor(log(1.0 - dice.random()) / log1p(-chance)), kind


class Added(NamedTuple):
    """What the house added to prizes, by the engine: from reset to reset, and over all coins."""

    cents_by_royal: list[int]
    coins: int

    def per_coin(self, rules: HouseRules) -> Fraction:
        return Fraction(sum(self.cents_by_royal), self.coins * rules.coin_value_cents)


def house_added(rules: HouseRules, royals: int) -> Added:
    dice = random.Random("from the meter")
    meter = Meter.starting_at(rules.reset_cents)
    coins, totals = 0, [0]
    for dropped, kind in awards_until(dice, rules, royals):
        # Without a limit, coins between two prizes can be posted at once.
        many = msgspec.structs.replace(rules, coin_value_cents=rules.coin_value_cents * dropped)
        meter, _ = contribute(many, meter)
        won = compute_awards(
            rules, meter.cents, meter.reserve_rise_cents, meter.cents, [(1, STRENGTHS[kind])]
        )
        meter = pay(rules, meter, won, kind is Category.ROYAL_FLUSH)
        coins += dropped
        if kind is Category.ROYAL_FLUSH:
            totals.append(meter.house_added_cents)
    assert meter.balances
    return Added([after - before for before, after in pairwise(totals)], coins)


def test_the_house_adds_little_to_a_meter_that_grows_faster_than_prizes_fall() -> None:
    pays = (Prize(ppm=1_000_000), *(Prize(cents=cents) for cents in (500_000, 50_000, 10_000)))
    rules = rules_of("us_standard", fixed_awards_from="meter", meter_share_ppm=600_000, progressive_pays=pays)
    run = long_run(rules)
    # Shares and resets come back for certain, and what is added can only be little.
    assert run.least == run.return_per_coin == Fraction(6, 10) + Fraction(10_000, 649_740)
    assert run.most - run.least < Fraction(1, 800)
    # A royal is so far away that the bound is nearly reached, so it is compared on both sides.
    added = house_added(rules, royals=25).cents_by_royal
    most_cents = float((run.most - run.least) / ROYAL * rules.coin_value_cents)
    assert abs(mean(added) - most_cents) < 3 * stdev(added) / sqrt(len(added))


def test_where_prizes_fall_faster_the_meter_stands_at_its_reset() -> None:
    pays = (Prize(ppm=1_000_000), Prize(cents=250_000), Prize(cents=25_000))
    rules = rules_of("live", fixed_awards_from="meter", meter_share_ppm=50_000, progressive_pays=pays)
    run, found = long_run(rules), progressive(rules)
    assert found is not None
    assert run.least == run.return_per_coin == found.fixed_return + found.seed_return()
    assert found.fixed_plus_share == Fraction(5, 100)
    # What the shares do not cover of the fixed prizes the house adds: four standard errors are 0.008.
    assert (
        abs(house_added(rules, royals=40).per_coin(rules) - (found.fixed_return - Fraction(5, 100))) < 0.008
    )


def test_a_straight_flush_below_the_reset_leaves_fixed_prizes_to_the_house() -> None:
    rules = rules_of("us_standard", fixed_awards_from="meter")
    run = long_run(rules)
    assert run.least < run.least + house_added(rules, royals=8).per_coin(rules) < run.most
