"""The main game against the golden figures: whole numbers equal, decimals as they are printed there."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from table_controller.engine.cards import parse_card, parse_hand
from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules, parse_house_rules
from table_controller.odds import main_game
from table_controller.odds.counts import DEALER_HANDS, DEALS, PAIRS, Flags, counts_of
from table_controller.odds.decimals import decimal_text
from table_controller.odds.main_game import FOLD, MainGame, analyse, best, decide, stakes_of
from table_controller.presets import PRESETS, load_preset, preset_text
from tests.odds.rows import counts, pairs_of_every_kind, row_of
from tests.shared import shared

READINGS = {
    "std": 'nonqualify_ante = "pay_all"',
    "beat_push": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "push"',
    "beat_lose": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "lose_if_worse"',
    "beat_lose_tie_lose": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "lose"',
}
TABLES = {
    "seed000_call": "live",
    "seed001_table1": "video_1",
    "seed001_table2": "video_2",
    "seed001_table3": "video_3",
}
SETTINGS = tuple(product(READINGS, TABLES))
OTHERS = {
    "high_card_2to1": (READINGS["std"], 1),
    "all_zero": (READINGS["std"], 1),
    "nq_ante_2to1_beat_push": (READINGS["beat_push"], 2),
    "nq_ante_2to1_beat_lose_tie_lose": (READINGS["beat_lose_tie_lose"], 2),
}
GOLDEN_NAMES = {
    "fold": "fold",
    "dealer_not_qualified_player_beats": "not_qualified_beat",
    "dealer_not_qualified_tie": "not_qualified_tie",
    "dealer_not_qualified_player_worse": "not_qualified_lose",
    "tie_with_qualified_dealer": "push",
    "lose_to_qualified_dealer": "lose",
}


def house(text: str) -> HouseRules:
    return parse_house_rules(text, preset_text, "test")


def setting(reading: str, table: str) -> HouseRules:
    return house(f'preset = "{TABLES[table]}"\n{READINGS[reading]}')


class Other(NamedTuple):
    """A setting of other_pay_tables.json: as house rules, and what is golden for it."""

    rules: HouseRules
    golden: dict[str, Any]


def other(name: str) -> Other:
    settings = json.loads(shared("golden/other_pay_tables.json").read_text("utf-8"))["settings"]
    golden = next(found for found in settings if found["name"] == name)
    pays = [golden["pays"][kind.label] for kind in reversed(Category)]
    reading, odds = OTHERS[name]
    text = f'preset = "us_standard"\n{reading}\nnonqualify_odds = {odds}\nraise = {pays}'
    return Other(house(text), golden)


def all_rows(value: bool) -> Flags:
    return np.full(len(counts().weight), value)


# ------------------------------------------------------------------------- the golden figures


def summary() -> Iterator[dict[str, str]]:
    with shared("golden/optimal_summary.csv").open(encoding="utf-8") as file:
        yield from csv.DictReader(file)


@pytest.mark.parametrize(("reading", "table"), SETTINGS)
def test_each_golden_setting_comes_out_to_the_last_digit(reading: str, table: str) -> None:
    golden = next(row for row in summary() if (row["not_qualified"], row["table"]) == (reading, table))
    game = analyse(setting(reading, table), counts())
    assert (game.total, game.deals) == (int(golden["total_num"]), int(golden["deals"]))
    assert printed(game) == {
        "house_edge": golden["house_edge"],
        "rtp_per_ante": golden["rtp_per_ante"],
        "raise_probability": golden["raise_probability"],
        "average_wager": golden["average_wager"],
        "element_of_risk": golden["element_of_risk"],
        "rtp_on_total_wager": golden["rtp_on_total_wager"],
    }
    assert game.standard_deviation == golden["standard_deviation"]


def test_there_is_no_golden_setting_that_is_not_tried() -> None:
    assert sorted(SETTINGS) == sorted((row["not_qualified"], row["table"]) for row in summary())


def printed(game: MainGame) -> dict[str, str]:
    figures = {
        "house_edge": game.house_edge,
        "rtp_per_ante": game.return_per_ante,
        "raise_probability": game.raise_probability,
        "average_wager": game.average_wager,
        "element_of_risk": game.element_of_risk,
        "rtp_on_total_wager": game.return_on_total_wager,
    }
    return {name: decimal_text(value) for name, value in figures.items()}


@pytest.mark.parametrize("name", OTHERS)
def test_pay_tables_that_no_casino_uses_come_out_to_the_last_digit(name: str) -> None:
    rules, golden = other(name)
    game = analyse(rules, counts())
    assert list(stakes_of(rules)) == golden["nq_net_beats_tie_worse"]
    assert game.total == golden["ev_per_ante"]["total_over_all_deals"]
    assert -game.house_edge == Fraction(golden["ev_per_ante"]["num"], golden["ev_per_ante"]["den"])
    assert game.raise_probability == Fraction(golden["raise_pairs"], golden["pairs"])
    assert printed(game) == {
        name: golden["average_total_wager" if name == "average_wager" else name] for name in printed(game)
    }
    assert game.average_wager == Fraction(*golden["average_total_wager_fraction"])
    assert decimal_text(game.variance) == golden["variance_per_ante"]
    assert game.standard_deviation == golden["standard_deviation_per_ante"]


@pytest.mark.parametrize("name", OTHERS)
def test_the_outcomes_of_other_pay_tables_are_the_golden_ones(name: str) -> None:
    rules, golden = other(name)
    game = analyse(rules, counts())
    by_kind = golden["outcomes"]["win_by_category"]
    expected = {ours: golden["outcomes"][theirs]["count"] for theirs, ours in GOLDEN_NAMES.items()}
    expected |= {f"win_{kind.label}": by_kind.get(kind.label, {"count": 0})["count"] for kind in Category}
    assert game.outcomes == expected
    spread = Counter[int]()
    for outcome, count in game.outcomes.items():
        spread[game.results[outcome]] += count
    assert {str(result): count for result, count in spread.items() if count} == {
        result: found["count"]
        for result, found in golden["net_result_distribution"].items()
        if found["count"]
    }


@pytest.mark.parametrize("name", OTHERS)
def test_each_kind_of_hand_raises_as_often_as_the_golden_figures_say(name: str) -> None:
    rules, golden = other(name)
    raises, weight = best(rules, counts()), counts().weight.astype(np.int64)
    for kind in Category:
        rows = counts().category == kind
        raised = Fraction(int(weight[rows & raises].sum()), int(weight[rows].sum()))
        assert decimal_text(raised) == golden["raise_fraction_by_category"][kind.label]


@pytest.mark.parametrize("name", OTHERS)
def test_a_hand_that_is_worth_the_same_both_ways_folds(name: str) -> None:
    rules, golden = other(name)
    equal = ev_of_rows(rules) == FOLD * DEALER_HANDS
    assert int(counts().weight[equal].sum()) == golden["exact_tie_pairs"]
    assert not best(rules, counts())[equal].any()
    # Raising them would change how often is raised and nothing else.
    either = analyse(rules, counts(), best(rules, counts()) | equal)
    assert either.total == analyse(rules, counts()).total


def ev_of_rows(rules: HouseRules) -> npt.NDArray[np.int64]:
    """What raising is worth in each row, written out for all rows at once."""
    rows = counts()
    beat, tie, lose = stakes_of(rules)
    odds = np.array([1 + 2 * rules.raise_odds(kind) for kind in Category], np.int64)
    value: npt.NDArray[np.int64] = odds[rows.category] * rows.q_win
    stakes = {"nq_beat": beat, "nq_tie": tie, "nq_lose": lose, "q_lose": -3}
    for name, factor in stakes.items():
        value += getattr(rows, name).astype(np.int64) * factor
    return value


def decisions() -> Iterator[dict[str, str]]:
    with shared("golden/decisions60.csv").open(encoding="utf-8") as file:
        yield from csv.DictReader(file)


counted_once = cache(counts_of)


@pytest.mark.parametrize(("reading", "table"), SETTINGS)
def test_the_golden_hands_are_worth_what_is_printed_there(
    reading: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_game, "counts_of", counted_once)
    rules = setting(reading, table)
    for golden in decisions():
        found = decide(rules, parse_hand(golden["hand"]), parse_card(golden["up"]))
        assert decimal_text(found.ev_raise, 12) == golden[f"ev_{reading}_{table}"]
        assert found.ev_fold == -1
        assert found.by == abs(found.ev_raise + 1)
        if reading == "std":
            assert found.best == golden["best_std_all_tables"]


def test_the_usual_table_loses_what_is_published() -> None:
    published = json.loads(shared("golden/public_reference.json").read_text("utf-8"))["published_total_loss"]
    rules = load_preset("us_standard")
    assert -analyse(rules, counts()).total == published["optimal"]
    assert -analyse(rules, counts(), all_rows(True)).total == published["always_raise"]
    pairs = counts().category >= Category.PAIR
    assert -analyse(rules, counts(), pairs).total == published["pair_or_better"]


# -------------------------------------------------------------------------------- every house


@pytest.mark.parametrize("preset", PRESETS)
def test_the_outcomes_of_a_preset_add_up(preset: str) -> None:
    game = analyse(load_preset(preset), counts())
    assert sum(game.outcomes.values()) == game.deals == DEALS
    assert list(game.outcomes) == list(game.results)
    assert game.deals - game.outcomes["fold"] == game.raised
    assert game.return_per_ante + game.house_edge == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_no_other_decision_in_any_row_is_better(preset: str) -> None:
    rules = load_preset(preset)
    assert (best(rules, counts()) == (ev_of_rows(rules) > FOLD * DEALER_HANDS)).all()


def test_a_single_hand_is_decided_as_its_row_is() -> None:
    rules = load_preset("us")
    raises = best(rules, counts())
    for hand, up in pairs_of_every_kind(10, 2026):
        assert (decide(rules, hand, up).best == "raise") == raises[row_of(hand, up)]


def test_who_always_folds_loses_every_ante() -> None:
    game = analyse(load_preset("us_standard"), counts(), all_rows(False))
    assert (game.total, game.raised, game.outcomes["fold"]) == (-DEALS, 0, DEALS)
    assert game.variance == 0
    assert game.standard_deviation == "0.00000000000000"
    assert game.average_wager == game.element_of_risk == 1


def test_given_decisions_are_kept_row_by_row() -> None:
    chance = np.random.default_rng(5)
    raises = chance.integers(0, 2, len(counts().weight)).astype(np.bool_)
    rules = load_preset("live")
    game = analyse(rules, counts(), raises)
    weight = counts().weight.astype(np.int64) * raises
    value = ev_of_rows(rules)
    folded = PAIRS - int(weight.sum())
    assert game.total == int(weight @ value) + FOLD * DEALER_HANDS * folded
    assert game.raised == int(weight.sum()) * DEALER_HANDS


@pytest.mark.parametrize(
    ("text", "stakes"),
    [
        ("nonqualify_odds = 3", (3, 3, 3)),
        (f"{READINGS['beat_push']}\nnonqualify_odds = 3", (3, 0, 0)),
        (f"{READINGS['beat_lose']}\nnonqualify_odds = 3", (3, 0, -1)),
        (f"{READINGS['beat_lose_tie_lose']}\nnonqualify_odds = 3", (3, -1, -1)),
    ],
)
def test_the_engine_says_what_an_ante_gets_against_a_dealer_who_does_not_qualify(
    text: str, stakes: tuple[int, int, int]
) -> None:
    assert stakes_of(house(f'preset = "us_standard"\n{text}')) == stakes


def test_the_largest_odds_that_a_house_may_state_are_exact() -> None:
    pays = ", ".join(["1000000"] * 10)
    rules = house(f'preset = "us_standard"\nraise = [{pays}]\nnonqualify_odds = 1000000')
    raises = best(rules, counts())
    assert (raises == (ev_of_rows(rules) > FOLD * DEALER_HANDS)).all()
    game = analyse(rules, counts())
    won = sum(count for name, count in game.outcomes.items() if name.startswith("win_"))
    unqualified = sum(count for name, count in game.outcomes.items() if name.startswith("not_"))
    lost = game.outcomes["fold"] + 3 * game.outcomes["lose"]
    assert game.total == 2_000_001 * won + 1_000_000 * unqualified - lost
    assert game.total > 2**63


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((0, 0), "0.00000000000000"),
        ((-1, 1), "1.00000000000000"),
        # The root of a third of 2/3: the decimals go on, and the last is rounded.
        ((0, 3), "1.50000000000000"),
    ],
)
def test_the_standard_deviation_has_fourteen_decimals(results: tuple[int, int], said: str) -> None:
    game = MainGame(2, 2, {"lose": 1, "push": 1}, dict(zip(("lose", "push"), results, strict=True)))
    assert game.standard_deviation == said


def test_the_last_decimal_of_the_standard_deviation_is_rounded() -> None:
    # The variance is 2/9; its root is 0.471404520791031 682…, and with 6/9 it is 0.816496580927726 03….
    one_of_three = MainGame(3, 3, {"lose": 1, "push": 2}, {"lose": 1, "push": 0})
    assert one_of_three.standard_deviation == "0.47140452079103"
    of_each = MainGame(3, 3, {"lose": 1, "push": 1, "fold": 1}, {"lose": 1, "push": 0, "fold": -1})
    assert of_each.standard_deviation == "0.81649658092773"
