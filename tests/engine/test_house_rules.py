"""House-rule files: the presets are the ones of the book, and a bad file says everything that is wrong."""

from __future__ import annotations

import msgspec
import pytest

from table_controller.engine.house_rules import (
    HouseRules,
    HouseRulesError,
    long_run_mean_cents,
    option_texts,
    parse_house_rules,
    warnings,
    with_parameters,
)
from table_controller.engine.values import Prize, written
from table_controller.presets import PRESETS, load_preset, preset_text
from tests.shared import shared

US_RAISE = (100, 50, 20, 7, 5, 4, 3, 2, 1, 1)
US_PROGRESSIVE = ("100%", "10%", "500.00", "100.00", "50.00")
LIVE_PROGRESSIVE = ("100%", "2500.00", "250.00", "50.00", "25.00", "10.00", "3.00")


def house(text: str) -> HouseRules:
    return parse_house_rules(text, preset_text, "house.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(HouseRulesError) as refused:
        house(text)
    return refused.value.problems


@pytest.mark.parametrize(
    ("preset", "raise_pays"),
    [
        ("us", US_RAISE),
        ("us_standard", US_RAISE),
        ("live", (100, 50, 25, 10, 7, 5, 3, 2, 1, 1)),
        ("video_1", US_RAISE),
        ("video_2", (200, 50, 20, 7, 5, 4, 3, 2, 1, 1)),
        ("video_3", (1000, 200, 100, 14, 9, 5, 3, 1, 1, 1)),
        ("classic", US_RAISE),
    ],
)
def test_a_preset_pays_on_the_raise_what_the_book_says(preset: str, raise_pays: tuple[int, ...]) -> None:
    assert load_preset(preset).raise_pays == raise_pays


def test_only_live_offers_the_bonus() -> None:
    assert {name: load_preset(name).bonus_pays for name in PRESETS} == {
        name: (1000, 200, 100, 20, 15, 10, 7) if name == "live" else () for name in PRESETS
    }


def test_every_preset_but_classic_has_its_progressive() -> None:
    tables = {name: tuple(prize.text for prize in load_preset(name).progressive_pays) for name in PRESETS}
    assert tables.pop("classic") == ()
    assert tables.pop("live") == LIVE_PROGRESSIVE
    assert set(tables.values()) == {US_PROGRESSIVE}


def test_the_shares_of_a_coin_and_the_reset_are_those_of_the_book() -> None:
    shares_ppm = {name: load_preset(name).meter_share_ppm for name in PRESETS}
    assert shares_ppm.pop("live") == 500_000
    assert shares_ppm.pop("classic") == 0
    assert set(shares_ppm.values()) == {490_000}
    assert {load_preset(name).reset_cents for name in PRESETS} == {1_000_000}


def test_only_us_pays_the_ante_by_who_beats_the_dealer() -> None:
    assert load_preset("us").nonqualify_ante == "pay_if_beats_dealer"
    assert load_preset("us").unpaid_ante == "push"
    assert {load_preset(name).nonqualify_ante for name in PRESETS if name != "us"} == {"pay_all"}


def test_live_turns_the_first_card_and_shares_the_royal() -> None:
    assert [name for name in PRESETS if load_preset(name).upcard == "first"] == ["live"]
    assert [name for name in PRESETS if load_preset(name).royal_split == "shared_by_bettors"] == ["live"]


def test_players_cards_lie_face_down_in_the_us_alone() -> None:
    assert [name for name in PRESETS if load_preset(name).player_cards == "face_down"] == [
        "us",
        "us_standard",
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_has_anything_odd(preset: str) -> None:
    assert warnings(load_preset(preset)) == []


def test_an_unknown_preset_is_refused_with_the_ones_there_are() -> None:
    allowed = "us, us_standard, live, video_1, video_2, video_3, classic"
    assert problems('preset = "vegas"') == [f"house.toml: preset: found 'vegas', allowed is {allowed}"]


def test_a_house_overrides_its_preset() -> None:
    rules = house('preset = "us_standard"\ndealer_short = "void_all"\nmeter_limit = "150000.00"')
    changed = {"dealer_short": "void_all", "meter_limit_cents": 15_000_000}
    assert rules == msgspec.structs.replace(load_preset("us_standard"), **changed)


def test_a_house_may_give_up_a_bet_of_its_preset() -> None:
    rules = house('preset = "live"\nbonus = []\nprogressive = []')
    assert not rules.has_bonus
    assert not rules.has_progressive


def test_bound_and_start_follow_the_coin_and_the_reset() -> None:
    rules = house('preset = "live"\ncoin_value = "5.00"\nreset = "500.00"')
    assert (rules.contribution_bound_cents, rules.meter_start_cents) == (3500, 50_000)


def test_a_raise_table_of_ten_pays_a_hand_without_a_pair_apart() -> None:
    rules = house('preset = "classic"\nraise = [200, 50, 20, 10, 7, 5, 4, 3, 2, 1]')
    assert rules.raise_pays[-2:] == (2, 1)


def test_a_raise_that_is_only_returned_is_a_table_too() -> None:
    assert house(f'preset = "classic"\nraise = {[0] * 9}').raise_pays == (0,) * 10


def test_an_option_without_effect_is_no_contradiction() -> None:
    assert house('preset = "us_standard"\nunpaid_ante = "lose"').unpaid_ante == "lose"


BAD_LINES = [
    ('dealr_short = "complete"', "dealr_short: unknown, the nearest is dealer_short; allowed is what"),
    ('colour = "green"', "colour: unknown, allowed is what HOUSE_RULES.md lists under Options"),
    ('"a\\nb" = 1', r'"a\nb": unknown, allowed is what HOUSE_RULES.md lists under Options'),
    (
        'dealer_short = "never"',
        "dealer_short: found 'never', allowed is complete, void_all, progressive_only",
    ),
    ("dealer_short = 4", "dealer_short: found 4, allowed is complete"),
    ('fold_keeps_coin = "yes"', "fold_keeps_coin: found 'yes', allowed is true or false"),
    ("betting_ms = true", "betting_ms: found true, allowed is a whole number from 0 to 86400000"),
    ("betting_ms = 86400001", "betting_ms: found 86400001"),
    ("decision_ms = 2.5", "decision_ms: found 2.5"),
    ("stub_count_every = -1", "stub_count_every: found -1"),
    (f"stub_count_every = 0x{'f' * 5_000}", "stub_count_every: found 0xfff"),
    ("upcard = { is = false }", "upcard: found {is = false}, allowed is last"),
    ("reset = 2026-11-30", "reset: found 2026-11-30, allowed is an amount"),
    ("nonqualify_odds = 0", "nonqualify_odds: found 0, allowed is a whole number from 1"),
    ("reset = 10000", 'reset: found 10000, allowed is an amount as text with two decimals, "0.00"'),
    ('reset = "10000"', "reset: found '10000'"),
    ('reset = "10,000.00"', "reset: found '10,000.00'"),
    ('reset = "-1.00"', "reset: found '-1.00'"),
    ('reset = "1000000000000.00"', "reset: found '1000000000000.00'"),
    (
        'coin_value = "0.00"',
        "coin_value: found '0.00', allowed is an amount as text with two decimals, \"0.01\"",
    ),
    ("meter_share = 0.49", "meter_share: found 0.49, allowed is a share as text"),
    ('meter_share = "1.01"', "meter_share: found '1.01'"),
    ('meter_share = "0.1234567"', "meter_share: found '0.1234567'"),
    ("preset = 1", "preset: found 1, allowed is the name of a preset as text"),
    ("raise = 100", "raise: found 100, allowed is a list from the royal downwards"),
    ("raise = [100, 50, 20, 7, 5, 4, 3, 2]", "raise: found 8 lines, allowed is 9 or 10"),
    ("raise = [100, 50, 0, 7, 5, 4, 3, 2, 1]", "raise: found a gap: line 3 pays nothing and line 4 pays"),
    (
        "raise = [100, 50, -20, 7, 5, 4, 3, 2, 1]",
        "raise: line 3: found -20, allowed is a whole number from 0",
    ),
    ("bonus = [1000, 200, 100]", "bonus: found 3 lines, allowed is 7, or none"),
    ('progressive = ["100%", "0.00", "5.00"]', "progressive: found a gap: line 2"),
    ('progressive = ["110%"]', "progressive: line 1: found '110%', allowed is a percentage from \"0%\""),
    ('progressive = ["100%", 500]', "progressive: line 2: found 500"),
    (
        'progressive = ["5000.00"]',
        "progressive: line 1: found '5000.00', allowed is a percentage, as the royal",
    ),
    ("betting_ms = 15000\nbetting_warning_ms = 15001", "betting_warning_ms: found 15001, allowed is at most"),
    ("betting_warning_ms = 1", "betting_warning_ms: found 1, allowed is at most betting_ms, 0"),
    (
        'meter_share = "0.9"\nreserve_share = "0.100001"',
        "meter_share + reserve_share: found 1.000001 together",
    ),
    ('meter_limit = "9999.99"', "reset: found 10000.00, allowed is at most meter_limit, 9999.99"),
]


@pytest.mark.parametrize(("line", "problem"), BAD_LINES)
def test_a_bad_line_is_refused_with_its_place_what_was_found_and_what_is_allowed(
    line: str, problem: str
) -> None:
    preset = "" if line.startswith("preset") else 'preset = "us_standard"\n'
    (said,) = problems(preset + line)
    assert said.startswith(f"house.toml: {problem}")


def test_every_problem_is_told_in_one_pass() -> None:
    said = problems('upcard = "second"\nprogressive = ["100%"]\ncoin = "1.00"')
    assert [problem.split(": ")[1] for problem in said] == ["upcard", "coin", "raise", "meter_share"]


def test_problems_are_told_in_the_order_of_their_lines() -> None:
    said = problems('coin = "1.00"\nbetting_warning_ms = 5\nupcard = "second"\npreset = "vegas"')
    assert [problem.split(": ")[1] for problem in said] == ["preset", "coin", "betting_warning_ms", "upcard"]


def test_every_wrong_line_of_a_pay_table_is_named() -> None:
    said = problems('preset = "us"\nprogressive = ["500.00", "110%", "x", "0.00", "5.00"]')
    assert [problem.partition(", allowed")[0].partition("progressive: ")[2] for problem in said] == [
        "line 1: found '500.00'",
        "line 2: found '110%'",
        "line 3: found 'x'",
        "found a gap: line 4 pays nothing and line 5 pays",
    ]


def test_a_pay_table_with_too_few_lines_still_has_its_lines_looked_at() -> None:
    assert problems('preset = "us"\nraise = [100, "x", true]') == [
        "house.toml: raise: found 3 lines, allowed is 9 or 10, from the royal downwards",
        "house.toml: raise: line 2: found 'x', allowed is a whole number from 0 to 1000000",
        "house.toml: raise: line 3: found true, allowed is a whole number from 0 to 1000000",
    ]


def test_a_wrong_line_beside_one_that_pays_nothing_is_no_gap() -> None:
    (said,) = problems('preset = "us"\nprogressive = ["100%", "0.00", "x"]')
    assert said.startswith("house.toml: progressive: line 3: found 'x'")


@pytest.mark.parametrize("value", ["1" * 5_000, "[" * 3_000])
def test_a_number_or_brackets_without_end_are_refused_like_any_other_text(value: str) -> None:
    (said,) = problems(f'preset = "us"\nreset = {value}')
    assert said.startswith("house.toml: not TOML: ")


def test_a_value_is_told_as_the_file_writes_it_and_never_longer_than_a_line() -> None:
    assert written([True, "it's", {"a": 1.5}, "a\nb"]) == r"""[true, "it's", {a = 1.5}, "a\nb"]"""
    assert written("x" * 100) == "'" + "x" * 76 + "..."


def test_options_are_written_as_in_the_file() -> None:
    texts = option_texts(load_preset("us"))
    chosen = ("dealer_short", "fold_keeps_coin", "betting_ms", "coin_value", "meter_share", "progressive")
    assert [texts[option] for option in chosen] == [
        "complete",
        "true",
        "0",
        "1.00",
        "0.49",
        "[100%, 10%, 500.00, 100.00, 50.00]",
    ]
    assert texts["raise"] == "[100, 50, 20, 7, 5, 4, 3, 2, 1, 1]"


def test_what_neither_file_nor_preset_states_is_missing() -> None:
    assert problems("") == ["house.toml: raise: missing, stated neither by the file nor by a preset"]
    assert problems('preset = "classic"\nprogressive = ["100%"]') == [
        "house.toml: meter_share: missing, stated neither by the file nor by a preset"
    ]


def test_a_fault_of_the_preset_itself_is_told_with_its_own_place() -> None:
    with pytest.raises(HouseRulesError) as refused:
        parse_house_rules('preset = "mine"', lambda name: "raise = [1]", "house.toml")
    assert refused.value.problems == [
        "preset mine: raise: found 1 line, allowed is 9 or 10, from the royal downwards"
    ]


def test_a_text_that_is_not_toml_is_refused() -> None:
    (said,) = problems("preset = us\nraise")
    assert said.startswith("house.toml: not TOML: ")


def test_a_lower_hand_that_pays_more_is_odd_but_legal() -> None:
    rules = house('preset = "us_standard"\nraise = [100, 50, 20, 4, 5, 4, 3, 2, 1]\nreset = "1000.00"')
    assert warnings(rules) == [
        "raise: flush pays more than full_house",
        "progressive: four_of_a_kind pays more than straight_flush",
    ]


def test_a_limit_below_the_long_run_mean_is_odd_but_legal() -> None:
    assert warnings(house('preset = "live"\nmeter_limit = "334870.00"')) == []
    assert warnings(house('preset = "live"\nmeter_limit = "334869.99"')) == [
        "meter_limit: 334869.99 is below the long-run mean of the meter, 334870.00"
    ]


def test_the_long_run_mean_is_what_a_coin_brings_against_what_prizes_take() -> None:
    # A royal in 649,740 hands takes all of it and half of each coin stays: 649740 / 2 and the reset.
    assert long_run_mean_cents(load_preset("live")) == 33_487_000
    # 0.49 of each coin and four resets, against four royals and a tenth of 36 straight flushes.
    assert long_run_mean_cents(load_preset("us")) == (49 * 2_598_960 + 4 * 1_000_000) * 10 // 76
    assert long_run_mean_cents(load_preset("classic")) == 0


def test_a_parameter_is_changed_as_the_file_would_write_it() -> None:
    rules = with_parameters(load_preset("us"), {"meter_share": "0.51"})
    assert rules == msgspec.structs.replace(load_preset("us"), meter_share_ppm=510_000)


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("upcard", "first", "parameter: found 'upcard', allowed is coin_value, meter_share"),
        ("reset", "1", "parameter: reset: found '1', allowed is an amount"),
        ("it's", "1", 'parameter: found "it\'s", allowed is coin_value, meter_share'),
        ("meter_limit", "1.00", "parameter: reset: found 10000.00, allowed is at most meter_limit, 1.00"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(option: str, value: str, problem: str) -> None:
    with pytest.raises(HouseRulesError) as refused:
        with_parameters(load_preset("us"), {option: value})
    assert refused.value.problems[0].startswith(problem)


def test_a_prize_is_written_as_it_was_read() -> None:
    rules = house('preset = "us"\nprogressive = ["100%", "12.5%", "0.0001%", "7.07"]')
    assert rules.progressive_pays == (
        Prize(ppm=1_000_000),
        Prize(ppm=125_000),
        Prize(ppm=1),
        Prize(cents=707),
    )
    assert [prize.text for prize in rules.progressive_pays] == ["100%", "12.5%", "0.0001%", "7.07"]


def test_house_rules_survive_the_record() -> None:
    rules = load_preset("live")
    assert msgspec.json.decode(msgspec.json.encode(rules), type=HouseRules) == rules


def test_every_option_of_the_book_is_one_of_ours_and_the_other_way_round() -> None:
    book = set()
    for line in shared("rules/HOUSE_RULES.md").read_text().partition("## Options")[2].splitlines():
        if line.startswith("| `"):
            book |= set(line.split("|")[1].replace("`", "").replace(" ", "").split(","))
    ours = {field.name for field in msgspec.structs.fields(HouseRules)}
    ours = {name.removesuffix("_cents").removesuffix("_ppm") for name in ours if not name.endswith("_pays")}
    assert ours == book


def test_two_parameters_may_be_right_only_together() -> None:
    with pytest.raises(HouseRulesError, match="reset"):
        with_parameters(load_preset("us"), {"meter_limit": "15000.00", "reset": "20000.00"})
    rules = with_parameters(load_preset("us"), {"reset": "20000.00", "meter_limit": "30000.00"})
    assert (rules.reset_cents, rules.meter_limit_cents) == (2_000_000, 3_000_000)
