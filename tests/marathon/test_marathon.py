"""A short marathon in every run of the tests, and that it would see a difference if there were one."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import msgspec
import pytest

from table_controller.engine.progressive import EXACT, Meter, contribute
from table_controller.engine.values import Prize
from table_controller.presets import PRESETS, load_preset
from tests.marathon.long_run import Run, estimates, runs
from tests.marathon.rounds import Difference, Stretch
from tests.model import HANDS, Value

ROUNDS = 2_000
HAPPENED = (
    "hit royal_flush",
    "hit straight_flush",
    "hit full_house",
    "hits at the limit",
    "rounds with several hits",
    "rounds with several royals",
    "voids",
    "voids but for the coins",
    "voids while an award waits",
    "confirmed",
    "rejected",
    "dead by conduct",
    "dead by count",
    "faults",
    "LOCK refused",
    "corrections",
    "corrections refused",
    "parameters changed",
    "parameters refused",
)


@pytest.mark.parametrize("preset", PRESETS)
def test_item_03_in_2000_rounds_every_part_of_a_cent_is_where_the_ledger_says(preset: str) -> None:
    counted = Stretch(preset, f"in every run {preset}", ROUNDS).play()
    assert counted["rounds"] == ROUNDS
    if preset == "classic":
        assert not any(counted[f"hit {hand}"] for hand in HANDS), "S3 knows no progressive"
        return
    assert [name for name in HAPPENED if not counted[name]] == [], "the rounds were too tame"


SUMS_DIFFER = r"(?m)^(?!sup parameter)[^\n]*: the table says"
"""Not that a parameter was refused: a sum, a coin, or a word about an award."""
MISREADINGS: list[tuple[str, Value]] = [
    ("percent_base", "meter_at_lock"),
    ("fixed_awards_from", "meter"),
    ("fold_keeps_coin", False),
    ("void_contribution", "keep"),
    ("jackpot_hand_in_void_round", "refund_only"),
    ("coin_on_void", "stands"),
    ("dead_hand_coin", "lose"),
    ("settle_order", "left_to_right"),
]


@pytest.mark.parametrize(("option", "value"), MISREADINGS)
def test_a_ledger_that_takes_one_option_for_another_is_found_out(option: str, value: Value) -> None:
    with pytest.raises(Difference, match=SUMS_DIFFER):
        Stretch("us_standard", f"misread {option}", ROUNDS, {option: value}).play()


@pytest.mark.parametrize(
    ("option", "value"),
    [("odd_cent", "reserve"), ("royal_split", "shared_by_bettors"), ("royal_minimum", "10000.00")],
)
def test_item_42_a_guarantee_or_a_split_that_is_taken_for_another_is_found_out(
    option: str, value: Value
) -> None:
    with pytest.raises(Difference, match=SUMS_DIFFER):
        Stretch("us_standard", f"misread {option}", ROUNDS, {option: value}).play()


@pytest.mark.parametrize("share", ["0.70", "0.333", "0.005"])
def test_item_14_ten_thousand_coins_put_on_their_shares_exactly_and_the_rest_is_carried(share: str) -> None:
    rules = msgspec.structs.replace(load_preset("us"), meter_share_ppm=int(Fraction(share) * 1_000_000))
    meter = Meter.starting_at(rules.reset_cents)
    for coins in range(1, 10_001):
        meter, _ = contribute(rules, meter)
        due_cents = rules.reset_cents + 100 * coins * Fraction(share)
        assert meter.exact == due_cents * EXACT
        assert meter.cents == floor(due_cents), "a part of a cent shows when it has become a cent"


def test_item_09_the_meter_stops_at_its_limit_and_every_part_of_a_cent_above_it_is_overflow() -> None:
    rules = msgspec.structs.replace(load_preset("us"), meter_share_ppm=333_333, meter_limit_cents=1_000_050)
    meter = Meter.starting_at(rules.reset_cents)
    for coins in range(1, 1001):
        meter, _ = contribute(rules, meter)
        put_on = coins * 100 * 333_333
        assert meter.exact == rules.reset_cents * EXACT + min(put_on, 50 * EXACT)
        assert meter.overflow == max(0, put_on - 50 * EXACT)


def short(name: str) -> list[Run]:
    """The runs whose names say so, with few awards: enough to see an error of a few percent."""
    return [run for run in runs(awards=20_000, seed=1) if name in run.name]


@pytest.mark.parametrize("name", ["seed 10000, 0.49", "prizes 500/100/50", "live, fixed", "live, the royal"])
def test_the_long_run_of_the_progressive_returns_what_the_golden_figures_say(name: str) -> None:
    [run] = short(name)
    for estimate in estimates(run):
        assert abs(estimate.z) <= 3, estimate.text


def test_a_straight_flush_of_another_percentage_moves_the_mean_meter_and_not_the_return() -> None:
    [run] = short("seed 10000, 0.49")
    royal, _, *fixed = run.rules.progressive_pays
    rules = msgspec.structs.replace(run.rules, progressive_pays=(royal, Prize(ppm=130_000), *fixed))
    returned, meter = estimates(run._replace(rules=rules))
    assert abs(returned.z) <= 3
    assert meter.z < -3
