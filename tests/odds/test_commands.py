"""The command line of the odds: what is printed, what programs get, and what is refused with its place."""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from table_controller.engine.house_rules import HouseRules, option_texts
from table_controller.engine.money import money_text
from table_controller.odds import cache, commands
from table_controller.odds.analysis import analysis
from table_controller.odds.decimals import decimal_text, one_in_text, percent_text
from table_controller.odds.scope import (
    HONOURED,
    OF_EVERY_FIGURE,
    OF_THE_PROGRESSIVE,
    SAID_BY_THE_FIGURE,
    WITHOUT_EFFECT,
    not_in_the_figure,
)
from table_controller.odds.strategy import NAMES
from table_controller.presets import PRESETS, load_preset
from tests.odds.rows import counts
from tests.shared import shared

S0_TABLE = "[100, 50, 25, 10, 7, 5, 3, 2, 1]"
RAISE_TABLES = {
    "seed000_call": S0_TABLE,
    "seed001_table1": "[100, 50, 20, 7, 5, 4, 3, 2, 1]",
    "seed001_table2": "[200, 50, 20, 7, 5, 4, 3, 2, 1]",
    "seed001_table3": "[1000, 200, 100, 14, 9, 5, 3, 1, 1]",
}
READINGS = {
    "std": 'nonqualify_ante = "pay_all"',
    "beat_push": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "push"',
    "beat_lose": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "lose_if_worse"',
    "beat_lose_tie_lose": 'nonqualify_ante = "pay_if_beats_dealer"\nunpaid_ante = "lose"',
}
HAND = "Ac Kd Jh 8s 3c"


class Told(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Say = Callable[..., Told]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Says a command as at a terminal; the counts are those that the other tests have."""
    monkeypatch.setattr(cache, "load", counts)

    def said(*words: str) -> Told:
        parser = argparse.ArgumentParser(prog="table-controller")
        known = parser.add_subparsers(required=True)
        for name in ("odds", "parsheet"):
            commands.add(known.add_parser(name), name)
        try:
            arguments = parser.parse_args(words)
            code = arguments.command(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        return Told(code, *capsys.readouterr())

    return said


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "house.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def row(text: str, name: str) -> list[str]:
    """What stands behind a name in a printed table."""
    found = [line for line in text.splitlines() if line.strip().startswith(name)]
    assert found, name
    return found[0].strip().removeprefix(name).split()


# ------------------------------------------------------------------------ the figures, as printed


def test_the_preset_live_prints_the_four_percentages_of_its_mission_text_and_the_long_run(say: Say) -> None:
    printed = say("odds", "--preset", "live").out
    assert row(printed, "return per ante")[0] == "96.30%"
    assert row(printed, "return on total wager")[0] == "98.19%"
    assert row(printed, "return per bet")[0] == "91.44%"
    assert row(printed, "fixed prizes and share of the coin, without the house's seed")[0] == "81.84%"
    assert row(printed, "long run, with the house's reset of 10000.00")[0] == "83.38%"


def test_every_outcome_is_printed_with_its_exact_count(say: Say) -> None:
    printed = say("odds", "--preset", "us_standard").out
    outcomes = say("odds", "--preset", "us_standard", "--json").json["main"]["outcomes"]
    assert sum(outcomes.values()) == 19_933_230_517_200
    assert all(f"{count:,}" in printed for count in outcomes.values())


def test_a_house_without_side_bets_has_none_in_its_figures(say: Say) -> None:
    told = say("odds", "--preset", "classic", "--json").json
    assert told["bonus"] is None
    assert told["progressive"] is None
    printed = say("odds", "--preset", "classic").out
    assert "BONUS" not in printed
    assert "PROGRESSIVE" not in printed


def test_the_hours_to_a_royal_go_with_the_coins_an_hour(say: Say) -> None:
    printed = say("odds", "--preset", "us", "--coins-per-hour", "649740").out
    assert row(printed, "hours to a royal at 649,740 coins an hour, mean") == ["1"]


# ------------------------------------------------------------------------------- for programs


@pytest.mark.parametrize("reading", READINGS)
def test_the_json_has_the_golden_figures_of_every_table_and_reading(
    say: Say, file: Callable[[str], str], reading: str
) -> None:
    with shared("golden/optimal_summary.csv").open(encoding="utf-8") as lines:
        golden = [line for line in csv.DictReader(lines) if line["not_qualified"] == reading]
    assert len(golden) == len(RAISE_TABLES)
    for line in golden:
        house = file(f"raise = {RAISE_TABLES[line['table']]}\n{READINGS[reading]}\nprogressive = []\n")
        main = say("odds", "--house-rules", house, "--json").json["main"]
        assert (main["total"], main["deals"]) == (int(line["total_num"]), int(line["deals"]))
        for name, key in {
            "house_edge": "house_edge",
            "return_per_ante": "rtp_per_ante",
            "raise_probability": "raise_probability",
            "average_wager": "average_wager",
            "element_of_risk": "element_of_risk",
            "return_on_total_wager": "rtp_on_total_wager",
        }.items():
            assert main[name]["dec"] == line[key], name
            assert decimal_text(Fraction(main[name]["num"], main[name]["den"])) == line[key], name
        assert main["standard_deviation"] == line["standard_deviation"]


def test_the_json_of_side_bets_has_the_golden_figures(say: Say) -> None:
    told = say("odds", "--preset", "live", "--json").json
    bonus = json.loads(shared("golden/bonus51.json").read_text("utf-8"))
    assert told["bonus"]["counts"] == bonus["counts"]
    assert told["bonus"]["return_per_bet"] == bonus["rtp"]
    assert told["bonus"]["standard_deviation"] == bonus["standard_deviation"]
    jackpot = json.loads(shared("golden/jackpot.json").read_text("utf-8"))["seed000_jackpot"]
    side = told["progressive"]
    assert side["fixed_return"] == jackpot["fixed_return"]
    assert side["fixed_plus_share"]["num"] * 649_740 == 531_779 * side["fixed_plus_share"]["den"]
    assert side["long_run"]["num"] * 649_740 == 541_779 * side["long_run"]["den"]
    assert side["break_even_meter"]["num"] == 442_831 * side["break_even_meter"]["den"]


def test_a_hand_is_told_with_its_six_counts_and_what_to_do(say: Say) -> None:
    told = say("odds", "hand", HAND, "--up", "5d", "--json").json
    with shared("golden/decisions60.csv").open(encoding="utf-8") as lines:
        golden = next(line for line in csv.DictReader(lines) if (line["hand"], line["up"]) == (HAND, "5d"))
    assert told["counts"] == {name: int(golden[name]) for name in told["counts"]}
    worth = Fraction(told["ev_raise"]["num"], told["ev_raise"]["den"])
    assert decimal_text(worth, 12) == golden["ev_std_seed001_table1"]
    assert told["best"] == golden["best_std_all_tables"] == "fold"
    assert told["ev_fold"] == {"num": -1, "den": 1, "dec": "-1.00000000000000"}
    assert Fraction(told["by"]["num"], told["by"]["den"]) == -1 - worth


def test_a_hand_is_printed_with_what_to_do_and_by_how_much(say: Say) -> None:
    printed = say("odds", "hand", HAND, "--up", "5d").out
    assert row(printed, "best") == ["FOLD"]
    assert row(printed, "better by") == ["0.037368630695", "antes"]
    assert row(printed, "dealer does not qualify") == ["73,993", "0", "0"]


def test_what_is_said_before_the_word_hand_holds_for_it(say: Say) -> None:
    before = say("odds", "--preset", "live", "--json", "hand", HAND, "--up", "3d")
    after = say("odds", "hand", HAND, "--up", "3d", "--preset", "live", "--json")
    assert before == after
    assert before.json["best"] == "raise"


def test_a_table_is_analysed_under_the_rules_that_it_names(say: Say) -> None:
    table = Path(__file__).resolve().parents[2] / "deploy" / "table.example.toml"
    told = say("odds", "hand", HAND, "--up", "5d", "--table", str(table))
    assert told.code == 0
    assert row(told.out, "house rules") == ["table", str(table)]


@pytest.mark.parametrize("name", NAMES)
def test_a_well_known_strategy_is_told_with_its_published_total(say: Say, name: str) -> None:
    published = json.loads(shared("golden/public_reference.json").read_text("utf-8"))["published_total_loss"]
    told = say("odds", "strategy", name, "--preset", "us_standard", "--json").json
    assert told["total"] == -published[name]
    assert told["best_total"] == -published["optimal"]
    loss = Fraction(published[name] - published["optimal"], told["deals"])
    assert Fraction(told["loss"]["num"], told["loss"]["den"]) == loss


def test_a_strategy_of_a_file_is_told_with_what_each_rule_decides(say: Say, tmp_path: Path) -> None:
    rules = tmp_path / "mine.txt"
    rules.write_text("raise: pair or better\nfold: otherwise\n", "utf-8")
    printed = say("odds", "strategy", str(rules)).out
    assert row(printed, "1  raise: pair or better")[0] == f"{60_931_740:,}"
    same = say("odds", "strategy", "pair_or_better", "--json").json["total"]
    assert say("odds", "strategy", str(rules), "--json").json["total"] == same


# ------------------------------------------------------------------------------ what is refused


def refused(told: Told, *sentences: str) -> None:
    assert told.code == 2
    assert told.out == ""
    for sentence in sentences:
        assert sentence in told.err
    assert "Traceback" not in told.err


def test_house_rules_that_cannot_be_analysed_are_refused_with_every_place(
    say: Say, file: Callable[[str], str]
) -> None:
    house = file(
        'preset = "live"\nraise = [100, 50, -1]\nbonus = [1000]\nno_rule = 1\nunpaid_ante = "keep"\n'
    )
    refused(
        say("odds", "--house-rules", house),
        f"{house}: raise: found 3 lines, allowed is 9 or 10",
        f"{house}: raise: line 3: found -1",
        f"{house}: bonus: found 1 line, allowed is 7",
        f"{house}: no_rule: unknown",
        f"{house}: unpaid_ante: found 'keep'",
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--preset", "vegas"), "--preset: found 'vegas', allowed is us, us_standard"),
        (("--house-rules", "/nowhere.toml"), "/nowhere.toml: the file cannot be read: No such file"),
        (("--table", "/nowhere/table.toml"), "/nowhere/table.toml: the file cannot be read: No such file"),
        (("--coins-per-hour", "0"), "'0' was found; allowed is a whole number from 1"),
        (("--preset", "us", "--table", "t.toml"), "not allowed with argument"),
    ],
)
def test_a_house_that_is_not_there_is_refused(say: Say, words: Sequence[str], sentence: str) -> None:
    refused(say("odds", *words), sentence)


def test_a_file_that_is_no_text_is_refused(say: Say, tmp_path: Path) -> None:
    place = tmp_path / "house.toml"
    place.write_bytes(b"\xff\xfe")
    refused(say("odds", "--house-rules", str(place)), f"{place}: the file cannot be read: it is no text")


@pytest.mark.parametrize(
    ("hand", "up", "sentences"),
    [
        ("Ac Kd Jh 8s", "5d", ["hand: found 4 cards, allowed is 5"]),
        ("Ac Kd Jh 8s 3c 2c", "5d", ["hand: found 6 cards, allowed is 5"]),
        ("Ac Kd Jh 8s Ac", "5d", ["hand: 'Ac Kd Jh 8s Ac' holds a card twice"]),
        ("Ac Kd Jh 8s 1c", "5x", ["hand: '1c' is no card", "--up: '5x' is no card"]),
        (HAND, "kD", ["--up: KD is in the hand"]),
    ],
)
def test_cards_that_cannot_be_are_refused(say: Say, hand: str, up: str, sentences: list[str]) -> None:
    refused(say("odds", "hand", hand, "--up", up), *sentences)


def test_two_houses_around_a_word_are_refused(say: Say) -> None:
    told = say("odds", "--preset", "us", "hand", HAND, "--up", "5d", "--house-rules", "x.toml")
    refused(told, "--preset and --house-rules: allowed is one of them")


def test_a_strategy_that_is_no_name_and_no_file_is_refused_with_the_names(say: Say) -> None:
    refused(say("odds", "strategy", "never"), "never: the file cannot be read", "akj83_or_better")


def test_a_file_of_rules_with_mistakes_is_refused_with_their_lines(say: Say, tmp_path: Path) -> None:
    rules = tmp_path / "mine.txt"
    rules.write_text("raise: pair or beter\nkeep: otherwise\n", "utf-8")
    refused(say("odds", "strategy", str(rules)), f"{rules}: line 1: ", f"{rules}: line 2: ")


# ---------------------------------------------------------------------------- how long it takes


def test_what_takes_long_says_so_on_standard_error_and_what_does_not_is_silent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with commands.working("thinking"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(commands, "QUIET_S", 0)
    ends_s = time.monotonic() + 10
    said = ""
    with commands.working("thinking"):
        while "thinking: 0 s" not in said and time.monotonic() < ends_s:
            said += capsys.readouterr().err
    assert "thinking: 0 s" in said


# -------------------------------------------------------------------------- what is in a figure


def named() -> list[str]:
    return [option for note in (*OF_EVERY_FIGURE, *OF_THE_PROGRESSIVE) for option in note.options]


def test_every_option_is_honoured_or_without_effect_or_named_once() -> None:
    every = [*HONOURED, *WITHOUT_EFFECT, *SAID_BY_THE_FIGURE, *named()]
    assert sorted(every) == sorted(option_texts(load_preset("us")))


ODD_RULES = msgspec.structs.replace(
    load_preset("live"),
    aggregate_limit_cents=500_000,
    fold_keeps_bonus=False,
    fold_keeps_coin=False,
    fixed_awards_from="meter",
    meter_limit_cents=2_000_000,
    meter_start_cents=1_500_000,
    royal_minimum_cents=5_000_000,
    progressive_pays=load_preset("us").progressive_pays,
)


def notes_of(rules: HouseRules) -> str:
    return "\n".join(analysis("these", rules, counts(), 1, "1").not_in_the_figure)


def test_under_odd_rules_every_option_that_no_figure_can_honour_is_named() -> None:
    said = notes_of(ODD_RULES)
    assert [option for option in (*named(), *SAID_BY_THE_FIGURE) if option not in said] == []
    assert money_text(ODD_RULES.aggregate_limit_cents) in said


def test_what_a_house_does_not_use_is_not_named() -> None:
    said = notes_of(load_preset("us_standard"))
    for option in ("aggregate_limit", "meter_limit", "meter_start", "player_cards", "fold_keeps"):
        assert option not in said
    assert "coin_on_void" in said
    assert "coin_on_void" not in notes_of(load_preset("classic"))


def test_a_hand_and_a_strategy_say_what_is_not_in_their_figures(say: Say, file: Callable[[str], str]) -> None:
    house = file('preset = "live"\naggregate_limit = "5000.00"\n')
    for words in (("hand", HAND, "--up", "5d"), ("strategy", "pair_or_better")):
        told = say("odds", *words, "--house-rules", house)
        notes = say("odds", *words, "--house-rules", house, "--json").json["not_in_the_figure"]
        assert "raises are paid up to 5000.00 a round" in told.out
        assert any("aggregate_limit" in note for note in notes)
        assert not any("coin_on_void" in note for note in notes)


@pytest.mark.parametrize("name", PRESETS)
def test_table_limits_are_always_named(name: str) -> None:
    assert any("table limits" in note for note in not_in_the_figure(load_preset(name)))


# -------------------------------------------------------------------------------- how it is written


def test_decimals_are_rounded_half_up_from_the_exact_value() -> None:
    assert decimal_text(Fraction(1, 8), 2) == "0.13"
    assert decimal_text(Fraction(-1, 8), 2) == "-0.13"
    assert decimal_text(Fraction(-1, 1000), 2) == "0.00"
    assert decimal_text(Fraction(999, 1000), 2) == "1.00"
    assert decimal_text(Fraction(5, 2), 0) == "3"
    assert percent_text(Fraction(96_295, 100_000)) == "96.30%"


def test_a_frequency_is_written_as_one_in_so_many() -> None:
    assert one_in_text(Fraction(4, 2_598_960)) == "1 in 649,740"
    assert one_in_text(Fraction(1, 3)) == "1 in 3.00"
    assert one_in_text(Fraction(0)) == "never"
