"""Two hundred thousand dealt hands in every run of the tests, and that a difference would be seen."""

from __future__ import annotations

from collections import Counter
from functools import cache

import msgspec
import pytest

from table_controller.engine.cards import Card, card_text
from table_controller.odds.counts import DEALS
from table_controller.odds.main_game import analyse, best, results_of
from table_controller.odds.patterns import Flags
from table_controller.odds.strategy import named
from table_controller.presets import load_preset
from tests.odds.deals import (
    PRESETS_DEALT,
    Rows,
    chance_of,
    compared,
    dealt,
    dice,
    outcomes,
    play,
    rows_of,
    settled,
    stretches,
)
from tests.odds.rows import counts

DEALT = 200_000
SEED = 7


@cache
def rows() -> Rows:
    return rows_of(counts())


@cache
def best_of(preset: str) -> Flags:
    return best(load_preset(preset), counts())


@pytest.mark.parametrize("preset", PRESETS_DEALT)
def test_what_the_engine_pays_on_200000_deals_is_spread_as_the_exact_distribution_says(preset: str) -> None:
    seen: Counter[str] = Counter()
    for stretch in stretches(preset, DEALT, SEED):
        seen += play(stretch, rows(), best_of(preset))
    comparison = compared(analyse(load_preset(preset), counts()).outcomes, seen)
    assert sum(seen.values()) == DEALT
    assert comparison.freedom >= 10
    assert comparison.agrees, "\n".join(comparison.texts())


def test_another_strategy_is_no_longer_the_exact_distribution_of_the_best_one() -> None:
    rules = load_preset("us_standard")
    raises = named("pair_or_better", counts())
    seen = outcomes(results_of(rules), settled(rules, rows(), raises, (SEED,), 50_000))
    assert not compared(analyse(rules, counts()).outcomes, seen).agrees
    assert compared(analyse(rules, counts(), raises).outcomes, seen).agrees


def test_a_pay_table_other_than_the_one_that_was_analysed_is_noticed_at_the_first_winning_pair() -> None:
    live = load_preset("live")
    counted = settled(live, rows(), best_of("live"), (SEED,), 2_000)
    other = msgspec.structs.replace(live, raise_pays=(*live.raise_pays[:-2], 2, 2))
    with pytest.raises(ArithmeticError, match="win_pair is worth 5 antes"):
        outcomes(results_of(other), counted)


def test_an_outcome_that_no_deal_comes_to_is_no_matter_of_chance() -> None:
    rules = load_preset("us_standard")
    exact = analyse(rules, counts()).outcomes
    assert exact.get("not_qualified_lose", 0) == 0, "who raises with less than ace and king"
    seen = {name: round(ways * DEALT / DEALS) for name, ways in exact.items()}
    assert compared(exact, seen).agrees
    comparison = compared(exact, {**seen, "not_qualified_lose": 1})
    assert comparison.impossible == ("not_qualified_lose",)
    assert not comparison.agrees


def test_ten_cards_are_dealt_of_which_none_is_there_twice_and_each_place_sees_every_card() -> None:
    cards = dealt(dice((SEED,)), 20_000)
    assert all(len(set(ten)) == 10 for ten in cards.tolist())
    for place in range(10):
        often = Counter(card_text(Card(card)) for card in cards[:, place].tolist())
        assert len(often) == 52
        expected = 20_000 / 52
        chi_square = sum((times - expected) ** 2 / expected for times in often.values())
        assert chance_of(chi_square, 51) > 1e-4


def test_the_same_stretch_is_the_same_deals_and_the_last_takes_what_is_left() -> None:
    wanted = stretches("live", 120_000, SEED)
    assert [stretch.deals for stretch in wanted] == [50_000, 50_000, 20_000]
    small = wanted[0]._replace(deals=1_000)
    first = play(small, rows(), best_of("live"))
    assert play(small, rows(), best_of("live")) == first
    assert play(small._replace(number=1), rows(), best_of("live")) != first


@pytest.mark.parametrize(
    ("freedom", "at_five_percent", "at_one_in_a_thousand"),
    [(1, 3.841, 10.828), (2, 5.991, 13.816), (11, 19.675, 31.264), (13, 22.362, 34.528)],
)
def test_the_critical_values_are_those_of_the_printed_tables(
    freedom: int, at_five_percent: float, at_one_in_a_thousand: float
) -> None:
    assert chance_of(at_five_percent, freedom) == pytest.approx(0.05, rel=1e-3)
    assert chance_of(at_one_in_a_thousand, freedom) == pytest.approx(0.001, rel=1e-3)
