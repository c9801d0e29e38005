"""The progressive: shares of coins, awards in their order, the meter and its books."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.engine.cards import parse_hand
from table_controller.engine.hands import strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.progressive import (
    EXACT,
    Award,
    Meter,
    Share,
    compute_awards,
    contribute,
    keep_share,
    pay,
    take_back,
)
from table_controller.engine.values import Prize
from table_controller.presets import load_preset

ROYAL, STRAIGHT_FLUSH, FLUSH, FULL_HOUSE, FOUR, PAIR = (
    strength(parse_hand(hand))
    for hand in (
        "TD JD QD KD AD",
        "5H 6H 7H 8H 9H",
        "2C 5C 8C TC KC",
        "QS QH QD 3S 3H",
        "9S 9D 9C 9H 2C",
        "9S 9D 4C 7S 2C",
    )
)


def rules_of(preset: str, **options: Any) -> HouseRules:
    return msgspec.structs.replace(load_preset(preset), **options)


US = load_preset("us_standard")

same_every_time = settings(derandomize=True, deadline=None)


def awards_of(rules: HouseRules, meter_cents: int, *hands: tuple[int, int]) -> tuple[Award, ...]:
    return compute_awards(rules, meter_cents, 0, meter_cents, hands)


def paid(awards: Sequence[Award]) -> list[tuple[int, int, int, int]]:
    return [(award.seat, award.cents, award.take_cents, award.house_cents) for award in awards]


def after(rules: HouseRules, meter_cents: int, *hands: tuple[int, int]) -> Meter:
    awards = awards_of(rules, meter_cents, *hands)
    meter = pay(rules, Meter.starting_at(meter_cents), awards, any(each.kind == "royal" for each in awards))
    assert meter.balances
    return meter


# ------------------------------------------------------------------------------------- coins


def test_a_coin_puts_its_share_on_the_meter_and_the_rest_is_the_houses() -> None:
    meter, share = contribute(US, Meter.starting_at(5_000_000))
    assert share == Share(coin_cents=100, meter=49 * EXACT, overflow=0, reserve=0)
    assert (meter.cents, meter.wagers_cents, meter.house_rest) == (5_000_049, 100, 51 * EXACT)
    assert meter.balances


def test_parts_of_a_cent_become_a_cent_and_leave_again_with_their_coin() -> None:
    rules = rules_of("us_standard", coin_value_cents=250, reserve_share_ppm=10_000)
    once, _ = contribute(rules, Meter.starting_at(5_000_000))
    twice, _ = contribute(rules, once)
    thrice, share = contribute(rules, twice)
    assert [meter.cents for meter in (once, twice, thrice)] == [5_000_122, 5_000_245, 5_000_367]
    assert (thrice.reserve_cents, take_back(thrice, share)) == (7, twice)


def test_what_the_limit_keeps_off_the_meter_overflows_and_comes_off_again_from_there() -> None:
    rules = rules_of("us_standard", meter_limit_cents=15_000_000)
    start = Meter.starting_at(14_999_980)
    once, first = contribute(rules, start)
    twice, second = contribute(rules, once)
    assert (twice.cents, twice.overflow_cents) == (15_000_000, 78)
    assert take_back(take_back(twice, first), second) == start


def test_a_meter_above_its_limit_keeps_what_it_has() -> None:
    meter, _ = contribute(rules_of("us_standard", meter_limit_cents=1_000_000), Meter.starting_at(1_000_010))
    assert (meter.cents, meter.overflow_cents) == (1_000_010, 49)


def test_a_kept_share_is_paid_by_the_house_and_the_books_say_so() -> None:
    meter, share = contribute(US, Meter.starting_at(5_000_000))
    meter = keep_share(meter, share)
    assert (meter.cents, meter.wagers_cents, meter.house_rest) == (5_000_049, 0, 0)
    assert (meter.kept_shares, meter.house_added_cents) == (49 * EXACT, 0)
    assert meter.balances


# ------------------------------------------------------------------------------------- awards


def test_a_hand_without_a_line_has_no_award() -> None:
    assert awards_of(US, 5_000_000, (1, PAIR)) == ()


def test_a_house_without_a_progressive_has_no_award() -> None:
    assert awards_of(load_preset("classic"), 5_000_000, (1, ROYAL)) == ()


def test_the_house_pays_fixed_prizes_and_the_meter_stays() -> None:
    assert paid(awards_of(US, 5_000_098, (1, FLUSH), (2, FULL_HOUSE))) == [
        (2, 10_000, 0, 0),
        (1, 5_000, 0, 0),
    ]
    assert after(US, 5_000_098, (1, FLUSH), (2, FULL_HOUSE)).cents == 5_000_098


def test_the_part_of_a_cent_of_a_percentage_stays_on_the_meter() -> None:
    assert paid(awards_of(US, 5_000_145, (2, STRAIGHT_FLUSH))) == [(2, 500_014, 500_014, 0)]


def test_the_second_straight_flush_has_ten_percent_of_what_is_left() -> None:
    hands = (1, STRAIGHT_FLUSH), (4, STRAIGHT_FLUSH)
    assert paid(awards_of(US, 10_000_000, *hands)) == [(4, 1_000_000, 1_000_000, 0), (1, 900_000, 900_000, 0)]


def test_at_lock_both_straight_flushes_have_ten_percent_of_the_meter() -> None:
    rules = rules_of("us_standard", percent_base="meter_at_lock")
    hands = (1, STRAIGHT_FLUSH), (4, STRAIGHT_FLUSH)
    assert [award.cents for award in awards_of(rules, 10_000_000, *hands)] == [1_000_000, 1_000_000]


def test_after_a_royal_the_straight_flush_has_ten_percent_of_the_reset_meter() -> None:
    assert [each.cents for each in awards_of(US, 10_000_000, (1, STRAIGHT_FLUSH), (2, ROYAL))] == [
        10_000_000,
        100_000,
    ]
    assert after(US, 10_000_000, (1, STRAIGHT_FLUSH), (2, ROYAL)).cents == 900_000


def test_the_reserve_is_part_of_the_reset_meter() -> None:
    hands = [(1, STRAIGHT_FLUSH), (2, ROYAL)]
    awards = compute_awards(US, 10_000_000, 50_000, 10_000_000, hands)
    assert awards[1].cents == 105_000


def test_a_straight_flush_before_the_royal_leaves_it_the_rest() -> None:
    assert [each.cents for each in awards_of(US, 10_000_000, (2, STRAIGHT_FLUSH), (1, ROYAL))] == [
        1_000_000,
        9_000_000,
    ]


def test_straight_flushes_come_first_where_the_house_says_so() -> None:
    rules = rules_of("us_standard", straight_flush_first=True)
    awards = awards_of(rules, 10_000_000, (1, STRAIGHT_FLUSH), (2, ROYAL), (3, FLUSH))
    assert [(each.seat, each.cents) for each in awards] == [(1, 1_000_000), (3, 5_000), (2, 9_000_000)]


@pytest.mark.parametrize("royal_seat", [1, 2])
def test_at_lock_the_house_adds_what_royal_and_straight_flush_are_short_of(royal_seat: int) -> None:
    rules = rules_of("us_standard", percent_base="meter_at_lock")
    meter = after(rules, 10_000_000, (royal_seat, ROYAL), (3 - royal_seat, STRAIGHT_FLUSH))
    assert (meter.cents, meter.house_added_cents, meter.wins_cents) == (1_000_000, 1_000_000, 11_000_000)


def test_fixed_prizes_from_the_meter_never_take_it_below_the_reset() -> None:
    rules = rules_of("us_standard", fixed_awards_from="meter")
    hands = (5, FULL_HOUSE), (2, FLUSH)
    assert paid(awards_of(rules, 1_008_098, *hands)) == [(5, 10_000, 8_098, 1_902), (2, 5_000, 0, 5_000)]
    assert after(rules, 1_008_098, *hands).house_added_cents == 6_902


def test_fixed_prizes_from_a_meter_below_the_reset_take_nothing() -> None:
    rules = rules_of("us_standard", fixed_awards_from="meter")
    assert paid(awards_of(rules, 900_000, (1, FLUSH))) == [(1, 5_000, 0, 5_000)]


@pytest.mark.parametrize(
    ("odd_cent", "awards", "meter_cents"),
    [("first_paid", [5_000_001, 5_000_000], 1_000_000), ("reserve", [5_000_000, 5_000_000], 1_000_001)],
)
def test_the_odd_cent_of_two_royals(odd_cent: str, awards: list[int], meter_cents: int) -> None:
    rules = rules_of("us_standard", odd_cent=odd_cent)
    hands = (1, ROYAL), (3, ROYAL)
    assert [award.cents for award in awards_of(rules, 10_000_001, *hands)] == awards
    assert after(rules, 10_000_001, *hands).cents == meter_cents


def test_the_odd_cent_is_set_aside_before_a_meter_that_is_short() -> None:
    rules = rules_of("us_standard", odd_cent="reserve", percent_base="meter_at_lock")
    meter = after(rules, 10_000_001, (4, STRAIGHT_FLUSH), (1, ROYAL), (3, ROYAL))
    assert (meter.cents, meter.house_added_cents) == (1_000_001, 1_000_000)


def test_two_royals_are_computed_at_the_first_ones_turn() -> None:
    awards = awards_of(US, 10_000_000, (7, ROYAL), (5, STRAIGHT_FLUSH), (3, ROYAL))
    assert [(award.seat, award.cents) for award in awards] == [(7, 5_000_000), (3, 5_000_000), (5, 100_000)]


def test_the_house_lifts_each_royal_to_its_minimum() -> None:
    rules = rules_of("us_standard", royal_minimum_cents=1_000_000)
    assert paid(awards_of(rules, 1_499_958, (1, ROYAL), (3, ROYAL))) == [
        (3, 1_000_000, 749_979, 250_021),
        (1, 1_000_000, 749_979, 250_021),
    ]


LIVE = load_preset("live")


def test_every_bettor_shares_the_royal_and_a_hands_own_prize_comes_on_top() -> None:
    trips = strength(parse_hand("7S 7H 7D KC 2C"))
    awards = awards_of(LIVE, 3_000_150, (1, trips), (2, ROYAL), (3, PAIR))
    assert [(award.seat, award.kind, award.cents) for award in awards] == [
        (3, "share", 1_000_050),
        (2, "royal", 1_000_050),
        (1, "share", 1_000_050),
        (1, "own", 300),
    ]
    assert [award.category_label for award in awards] == ["royal_flush"] * 3 + ["three_of_a_kind"]


def test_two_royals_share_the_meter_once_with_every_bettor() -> None:
    awards = awards_of(LIVE, 3_000_000, (1, ROYAL), (2, ROYAL), (3, PAIR))
    assert [(award.seat, award.kind, award.cents) for award in awards] == [
        (3, "share", 1_000_000),
        (2, "royal", 1_000_000),
        (1, "royal", 1_000_000),
    ]


def test_the_minimum_lifts_the_royal_and_no_other_share() -> None:
    rules = rules_of("live", royal_minimum_cents=2_000_000)
    assert paid(awards_of(rules, 3_000_001, (1, ROYAL), (3, PAIR), (5, PAIR))) == [
        (5, 1_000_001, 1_000_001, 0),
        (3, 1_000_000, 1_000_000, 0),
        (1, 2_000_000, 1_000_000, 1_000_000),
    ]


def test_an_award_waits_from_the_limit_on() -> None:
    assert [award.waits for award in awards_of(US, 5_000_000, (1, FOUR), (2, FLUSH))] == [False, True]


@pytest.mark.parametrize(("meter_cents", "waits"), [(49_999, False), (50_000, True)])
def test_a_shared_royal_waits_as_a_whole_when_the_meter_is_at_the_limit(
    meter_cents: int, waits: bool
) -> None:
    awards = awards_of(LIVE, meter_cents, (1, ROYAL), (2, PAIR), (3, PAIR))
    assert [award.waits for award in awards] == [waits] * 3


def test_shares_wait_with_a_royal_that_its_minimum_lifts_over_the_limit() -> None:
    rules = rules_of("live", royal_minimum_cents=50_000)
    assert [award.waits for award in awards_of(rules, 30_000, (1, ROYAL), (2, PAIR))] == [True, True]


def test_a_seat_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="one seat is there twice"):
        awards_of(US, 5_000_000, (1, FLUSH), (1, PAIR))


# ------------------------------------------------------------------------------------- paying


def test_a_royal_moves_reset_and_reserve_to_the_meter_with_every_part_of_a_cent() -> None:
    rules = rules_of("us_standard", reserve_share_ppm=103_456)
    meter, _ = contribute(rules, Meter.starting_at(9_999_951))
    awards = compute_awards(rules, meter.cents, meter.reserve_rise_cents, meter.cents, [(1, ROYAL)])
    meter = pay(rules, meter, awards, True)
    assert (meter.exact, meter.reserve) == (1_000_010_345_600, 0)
    assert (meter.seeded_cents, meter.hits) == (1_000_000, 1)
    assert meter.balances


def test_the_reserve_rises_the_meter_by_a_cent_that_two_parts_make() -> None:
    meter = Meter(exact=10 * EXACT + 600_000, reserve=3 * EXACT + 500_000, start_cents=0)
    assert (meter.reserve_cents, meter.reserve_rise_cents) == (3, 4)


def test_a_rejected_royal_leaves_the_straight_flush_what_was_computed_and_resets_nothing() -> None:
    royal, straight_flush = awards_of(US, 8_000_098, (6, ROYAL), (3, STRAIGHT_FLUSH))
    meter = pay(US, Meter.starting_at(8_000_098), [straight_flush], False)
    assert royal.kind == "royal"
    assert (straight_flush.cents, meter.cents) == (100_000, 7_900_098)


def test_what_a_rejected_award_would_have_taken_stays_over_the_reset_too() -> None:
    straight_flush, royal = awards_of(US, 10_000_000, (2, STRAIGHT_FLUSH), (1, ROYAL))
    assert (
        pay(US, Meter.starting_at(10_000_000), [royal], True).cents == 1_000_000 + straight_flush.take_cents
    )


def test_a_meter_never_falls_below_nothing_when_the_royal_of_the_round_is_rejected() -> None:
    awards = awards_of(US, 50_000, (7, ROYAL), (3, STRAIGHT_FLUSH))
    meter = pay(US, Meter.starting_at(50_000), awards[1:], False)
    assert (awards[1].take_cents, meter.cents, meter.house_added_cents) == (100_000, 0, 50_000)
    assert meter.balances


def test_paying_in_two_steps_is_paying_at_once() -> None:
    awards = awards_of(US, 10_000_000, (5, FLUSH), (2, STRAIGHT_FLUSH), (1, ROYAL))
    start = Meter.starting_at(10_000_000)
    steps = pay(US, pay(US, start, awards[:1], False), awards[1:], True)
    assert steps == pay(US, start, awards, True)


HOUSES = st.builds(
    rules_of,
    st.sampled_from(["us_standard", "live"]),
    coin_value_cents=st.integers(1, 1_000),
    meter_share_ppm=st.integers(0, 600_000),
    reserve_share_ppm=st.integers(0, 400_000),
    reset_cents=st.integers(0, 2_000_000),
    meter_limit_cents=st.sampled_from([0, 2_000_000, 5_000_000]),
    percent_base=st.sampled_from(["remaining_at_turn", "meter_at_lock"]),
    fixed_awards_from=st.sampled_from(["house", "meter"]),
    straight_flush_first=st.booleans(),
    royal_split=st.sampled_from(["equal", "shared_by_bettors"]),
    royal_minimum_cents=st.integers(0, 2_000_000),
    odd_cent=st.sampled_from(["first_paid", "reserve"]),
    settle_order=st.sampled_from(["right_to_left", "left_to_right"]),
    progressive_pays=st.sampled_from(
        [
            (Prize(ppm=1_000_000), Prize(ppm=100_000), Prize(cents=50_000), Prize(cents=10_000)),
            (Prize(ppm=333_333), Prize(ppm=333_333), Prize(ppm=12_500), Prize(cents=707)),
        ]
    ),
)
ROUNDS = st.lists(
    st.lists(st.sampled_from([ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, PAIR]), min_size=1, max_size=7),
    min_size=1,
    max_size=5,
)


@given(
    rules=HOUSES, start_cents=st.integers(0, 6_000_000), rounds=ROUNDS, dice=st.randoms(use_true_random=False)
)
def test_no_part_of_a_cent_is_lost_or_made(
    rules: HouseRules, start_cents: int, rounds: Any, dice: Any
) -> None:
    meter = Meter.starting_at(start_cents)
    for strengths in rounds:
        shares = []
        for _ in strengths:
            meter, share = contribute(rules, meter)
            shares.append(share)
        refunded = take_back if dice.random() < 0.5 else keep_share
        meter = refunded(meter, shares.pop())
        hands = list(enumerate(strengths, 1))
        awards = compute_awards(rules, meter.cents, meter.reserve_rise_cents, meter.cents, hands)
        confirmed = [award for award in awards if dice.random() < 0.7]
        before = meter
        meter = pay(rules, meter, confirmed, any(award.kind == "royal" for award in confirmed))
        assert meter.balances
        assert meter.wins_cents - before.wins_cents == sum(award.cents for award in confirmed)
        for award in awards:
            assert min(award.cents, award.take_cents, award.house_cents) >= 0
            from_meter = award.kind != "own" or rules.fixed_awards_from == "meter" or award.take_cents
            assert not from_meter or award.cents == award.take_cents + award.house_cents


@same_every_time
@given(rules=HOUSES, start_cents=st.integers(0, 6_000_000), coins=st.integers(1, 7))
def test_coins_that_go_back_leave_the_meter_as_it_was(
    rules: HouseRules, start_cents: int, coins: int
) -> None:
    start = meter = Meter.starting_at(start_cents)
    shares = []
    for _ in range(coins):
        meter, share = contribute(rules, meter)
        shares.append(share)
    for share in shares:
        meter = take_back(meter, share)
    assert meter == start


def test_meter_share_and_award_survive_the_record() -> None:
    meter, share = contribute(US, Meter.starting_at(5_000_000))
    (award,) = awards_of(US, 5_000_000, (1, ROYAL))
    for value in (meter, share, award):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value
