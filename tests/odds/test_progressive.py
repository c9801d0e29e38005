"""What a coin of the progressive is worth, at a meter and until a royal."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest

from table_controller.engine.cards import parse_hand
from table_controller.engine.hands import strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.progressive import compute_awards
from table_controller.engine.values import Prize
from table_controller.odds.decimals import decimal_text, percent_text
from table_controller.odds.progressive import Progressive, progressive, royal_chance
from table_controller.presets import load_preset
from tests.shared import shared

ROYAL, STRAIGHT_FLUSH, PAIR = (
    strength(parse_hand(hand)) for hand in ("TD JD QD KD AD", "5H 6H 7H 8H 9H", "9S 9D 4C 7S 2C")
)


def rules_of(preset: str, **options: Any) -> HouseRules:
    return msgspec.structs.replace(load_preset(preset), **options)


def progressive_of(rules: HouseRules) -> Progressive:
    found = progressive(rules)
    assert found is not None
    return found


def golden() -> Any:
    return json.loads(shared("golden/jackpot.json").read_text("utf-8"))


def fraction(figure: dict[str, Any]) -> Fraction:
    return Fraction(figure["num"], figure["den"])


LIVE = progressive_of(load_preset("live"))
US = progressive_of(load_preset("us_standard"))


# ------------------------------------------------------------------------------ golden figures


def test_the_live_tables_coin_is_the_golden_one() -> None:
    wanted = golden()["seed000_jackpot"]
    assert {line.hand: line.hands for line in LIVE.lines} == wanted["counts"]
    prizes = {line.hand: line.prize.cents // 100 for line in LIVE.lines if line.prize.cents}
    assert prizes == wanted["fixed_prizes"]
    assert LIVE.fixed_return == fraction(wanted["fixed_return"])
    assert decimal_text(LIVE.fixed_return) == wanted["fixed_return"]["dec"]
    assert LIVE.fixed_plus_share == fraction(wanted["fixed_plus_50_percent"])
    fixed_hits = LIVE.hit_frequency - LIVE.lines[0].frequency
    assert decimal_text(fixed_hits) == wanted["fixed_hit_probability"]
    assert decimal_text(LIVE.break_even_cents / 100, 4) == wanted["break_even_meter"]
    assert decimal_text(1 / LIVE.return_per_unit / 100, 4) == wanted["meter_per_percent_of_return"]
    assert LIVE.coins_to_royal == golden()["royal_one_in"] == 649_740


def test_the_mission_texts_return_and_the_long_run_are_printed_apart() -> None:
    assert percent_text(LIVE.fixed_plus_share) == golden()["seed000_jackpot"]["stated_total"].replace(" ", "")
    assert LIVE.long_run == Fraction(541_779, 649_740)
    assert percent_text(LIVE.long_run) == "83.38%"
    assert LIVE.long_run - LIVE.fixed_plus_share == LIVE.seed_return()
    assert LIVE.house_hold == 1 - LIVE.long_run


@pytest.mark.parametrize("name", ["us", "us_standard", "video_1", "video_2", "video_3"])
def test_each_further_unit_of_the_meter_of_the_us_coin_is_worth_the_golden_part(name: str) -> None:
    classical = golden()["classical_progressive"]
    found = progressive_of(load_preset(name))
    assert found.return_per_unit == fraction(classical["slope_per_unit_of_meter"])
    per_10000 = 100 * 10_000 * found.return_per_unit
    assert decimal_text(per_10000, 10) == classical["return_per_10000_of_meter_percent"]


def test_every_classical_table_returns_and_breaks_even_as_the_golden_one() -> None:
    tables = golden()["classical_progressive"]["tables"]
    assert len(tables) == 10
    for name, table in tables.items():
        fixed = [Prize(cents=100 * table[kind]) for kind in ("four_of_a_kind", "full_house", "flush")]
        pays = (*load_preset("us_standard").progressive_pays[:2], *fixed)
        found = progressive_of(rules_of("us_standard", progressive_pays=pays))
        assert found.fixed_return == fraction(table["fixed_return"]), name
        assert decimal_text(100 * found.fixed_return, 10) == table["fixed_return_percent"], name
        assert found.break_even_text == table["break_even_meter"], name
        assert found.return_at(found.break_even_cents) == 1, name
        for meter, percent in table["return_percent_at_meter"].items():
            assert decimal_text(100 * found.return_at(100 * int(meter)), 8) == percent, (name, meter)


# ------------------------------------------------------------------------------ at a meter


def test_a_house_without_a_progressive_has_no_figure() -> None:
    assert progressive(load_preset("classic")) is None


def test_fixed_prizes_do_not_grow_with_the_coin() -> None:
    found = progressive_of(rules_of("us_standard", coin_value_cents=500))
    assert found.fixed_return == US.fixed_return / 5
    assert found.return_at(10_000_000) == US.return_at(10_000_000) / 5


def test_a_royal_of_part_of_the_meter_is_worth_that_part() -> None:
    found = progressive_of(rules_of("us_standard", progressive_pays=(Prize(ppm=250_000), Prize(ppm=12_500))))
    assert found.return_per_unit == Fraction(4 * 250_000 + 36 * 12_500, 2_598_960 * 1_000_000)
    assert found.fixed_return == 0


def test_the_minimum_of_a_royal_counts_where_the_meter_is_below_it() -> None:
    lifted = progressive_of(rules_of("us_standard", royal_minimum_cents=10_000_000))
    assert lifted.return_at(20_000_000) == US.return_at(20_000_000)
    assert lifted.return_at(10_000_000) == US.return_at(10_000_000)
    short_of = Fraction(4, 2_598_960) * 4_000_000 / 100
    assert lifted.return_at(6_000_000) == US.return_at(6_000_000) + short_of


@pytest.mark.parametrize(
    ("preset", "minimum_cents", "break_even_cents"),
    [
        ("us_standard", 10_000_000, US.break_even_cents),
        # The royal's minimum is worth the coin whatever the meter shows.
        ("live", 50_000_000, 0),
        # A meter below the minimum breaks even by its straight flush.
        (
            "us_standard",
            40_000_000,
            Fraction((1 - US.fixed_return) * 2_598_960 * 100 - 4 * 40_000_000, 36) * 10,
        ),
    ],
)
def test_a_coin_breaks_even_at_the_least_meter_that_is_worth_it(
    preset: str, minimum_cents: int, break_even_cents: Fraction
) -> None:
    found = progressive_of(rules_of(preset, royal_minimum_cents=minimum_cents))
    assert found.break_even_cents == max(0, break_even_cents)
    assert found.return_at(found.break_even_cents) >= 1


def test_a_coin_that_fixed_prizes_pay_for_breaks_even_at_nothing() -> None:
    found = progressive_of(rules_of("us_standard", coin_value_cents=10))
    assert found.break_even_cents == 0
    assert found.break_even_text == "0.000000"


def test_a_coin_that_a_fold_loses_says_whose_figure_it_is() -> None:
    found = progressive_of(rules_of("live", fold_keeps_coin=False))
    assert found.long_run == LIVE.long_run
    assert any(text.startswith("fold_keeps_coin:") for text in found.not_in_the_figure)


# ------------------------------------------------------------------------------ several bettors


def test_a_royal_pays_the_meter_once_however_many_share_it() -> None:
    meter_cents = 10_000_000
    by_bettors = rules_of("live", royal_split="shared_by_bettors")
    for bettors, rules in product(range(1, 8), (by_bettors, rules_of("live", royal_split="equal"))):
        mean = Fraction(0)
        # Each seat is as likely as the other to have it: what the first seat gets, over all of them.
        for royal in range(bettors):
            hands = [(seat, ROYAL if seat == royal else PAIR) for seat in range(bettors)]
            won = compute_awards(rules, meter_cents, 0, meter_cents, hands)
            assert sum(award.cents for award in won) == meter_cents
            mean += Fraction(sum(award.cents for award in won if award.seat == bettors // 2), bettors)
        # The odd cent goes to one seat of them.
        assert abs(mean - Fraction(meter_cents, bettors)) < 1


def test_rounds_with_two_royals_make_rounds_with_one_rarer() -> None:
    one, two = royal_chance(1), royal_chance(2)
    both = Fraction(4, 2_598_960) * Fraction(3, 1_533_939)
    assert (one, two) == (Fraction(4, 2_598_960), 2 * one - both)
    assert LIVE.rounds_to_royal(1) == LIVE.coins_to_royal
    for bettors in range(1, 10):
        assert LIVE.coins_to_royal / bettors <= LIVE.rounds_to_royal(bettors)
        assert LIVE.rounds_to_royal(bettors) < LIVE.coins_to_royal / bettors * Fraction(100_001, 100_000)


def test_two_royals_of_a_round_have_one_reset() -> None:
    assert LIVE.seed_return(1) == Fraction(10_000, 649_740)
    assert LIVE.seed_return(2) == royal_chance(2) * 5_000


@pytest.mark.parametrize("bettors", [0, 10])
def test_a_number_of_bettors_that_no_deck_has_cards_for_is_refused(bettors: int) -> None:
    with pytest.raises(ValueError, match=f"bettors: found {bettors}, allowed is 1 to 9"):
        LIVE.rounds_to_royal(bettors)


def test_hours_to_a_royal_go_with_the_coins_of_an_hour() -> None:
    assert LIVE.hours_to_royal(200) == Fraction(649_740, 200)
    with pytest.raises(ValueError, match="coins per hour: found 0, allowed is at least 1"):
        LIVE.hours_to_royal(0)


@pytest.mark.parametrize("base", ["remaining_at_turn", "meter_at_lock"])
@pytest.mark.parametrize("order", ["right_to_left", "left_to_right"])
@pytest.mark.parametrize("first", [False, True])
def test_options_of_awards_that_meet_change_nothing_for_one_bettor(
    base: str, order: str, first: bool
) -> None:
    rules = rules_of("us_standard", percent_base=base, settle_order=order, straight_flush_first=first)
    found = progressive_of(rules)
    for kind, value in ((ROYAL, 10_000_000), (STRAIGHT_FLUSH, 1_000_000)):
        (award,) = compute_awards(rules, 10_000_000, 0, 10_000_000, [(1, kind)])
        assert award.cents == value
    assert (found.long_run, found.return_at(1)) == (US.long_run, US.return_at(1))
    assert [text.split(":")[0] for text in found.not_in_the_figure] == [
        "royal_split, royal_minimum, percent_base, straight_flush_first, settle_order, odd_cent"
    ]
