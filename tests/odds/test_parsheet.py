"""The par sheet: what stands in it, that its page needs nothing else, and that its drawings say the truth."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

from table_controller.engine.cards import parse_card, parse_hand
from table_controller.engine.house_rules import HouseRules, option_texts, parse_house_rules
from table_controller.odds import commands
from table_controller.odds.analysis import Analysis, analysis
from table_controller.odds.decisions import Cell, Share, ace_king_cells, ace_king_rows, share, shares_by_hand
from table_controller.odds.parsheet import (
    of_a_round,
    parsheet_html,
    parsheet_text,
    results_table,
    sheet,
)
from table_controller.odds.plots import results_plot, share_word, shown_range, step_of, ticks
from table_controller.odds.results import results
from table_controller.odds.sheet import rules_hash
from table_controller.presets import PRESETS, load_preset, preset_text
from tests.odds.rows import counts, row_of

SHEETS = ("us_standard", "live", "classic")


@cache
def of(preset: str) -> Analysis:
    return analysis(f"preset {preset}", load_preset(preset), counts(), 180, "1.2.3")


@cache
def page(preset: str) -> str:
    return parsheet_html(of(preset), counts())


def with_options(**options: object) -> Analysis:
    rules = msgspec.structs.replace(load_preset("us_standard"), **options)
    return analysis("these", rules, counts(), 180, "1.2.3")


def drawings(html: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", html, re.DOTALL)


# ---------------------------------------------------------------------------- what stands in it


@pytest.mark.parametrize("preset", PRESETS)
def test_everything_that_odds_prints_stands_in_the_par_sheet(preset: str) -> None:
    text = parsheet_text(of(preset), counts())
    main = of(preset).main
    for count in (*main.outcomes.values(), main.total):
        assert f"{count:,}" in text
    assert main.standard_deviation in text
    for option in option_texts(of(preset).rules):
        assert option in text
    for note in of(preset).not_in_the_figure:
        assert note.partition(":")[0].partition(",")[0] in text


@pytest.mark.parametrize("preset", SHEETS)
def test_the_page_has_every_table_of_the_text_and_its_drawings(preset: str) -> None:
    html = page(preset)
    for table in sheet(of(preset), counts()):
        assert f"<h2>{table.title}</h2>" in html
        if not table.drawing_says_all:
            assert all(cell in unescape(html) for row in table.rows for cell in row)
    assert len(drawings(html)) == (2 if preset == "classic" else 3)


def test_the_preset_live_shows_the_percentages_of_its_mission_text() -> None:
    for figure in ("96.30%", "98.19%", "91.44%", "81.84%", "83.38%"):
        assert f">{figure}<" in page("live")


@pytest.mark.parametrize("preset", SHEETS)
def test_the_page_needs_no_script_and_nothing_from_elsewhere(preset: str) -> None:
    html = page(preset)
    assert "<script" not in html
    assert "default-src 'none'" in html
    assert re.findall(r"(?:src|href)=|url\(|@import|javascript:", html) == []
    assert set(re.findall(r"https?://[^\"' >]*", html)) == {"http://www.w3.org/2000/svg"}


def test_names_that_somebody_typed_are_escaped_on_the_page_and_in_its_foot() -> None:
    found = analysis('<b>"&\n', load_preset("classic"), counts(), 180, '"} </style><script>')
    html = parsheet_html(found, counts())
    assert "<script" not in html
    assert "<b>" not in html
    assert html.count("</style>") == 1
    assert "\ufffd" in html


# --------------------------------------------------------------------------------- its stamp


def test_the_stamp_is_the_hash_over_every_option_and_the_version() -> None:
    rules = load_preset("live")
    lines = "".join(f"{option} = {text}\n" for option, text in option_texts(rules).items())
    assert rules_hash(rules) == sha256(lines.encode()).hexdigest()
    html = page("live")
    assert f"house rules {rules_hash(rules)}, table-controller 1.2.3" in html
    assert rules_hash(rules) in parsheet_text(of("live"), counts())


def test_the_same_rules_have_one_hash_and_other_rules_another() -> None:
    rules = load_preset("us")
    same = parse_house_rules('preset = "us_standard"\n' + preset_text("us"), preset_text, "same")
    assert rules_hash(same) == rules_hash(rules)
    assert len({rules_hash(load_preset(name)) for name in PRESETS if name != "video_1"}) == len(PRESETS) - 1
    assert rules_hash(msgspec.structs.replace(rules, stub_count_every=1)) != rules_hash(rules)


def test_the_same_rules_and_software_give_the_same_page_to_the_last_byte() -> None:
    assert parsheet_html(of("live"), counts()) == page("live")


# ------------------------------------------------------------------------------- its drawings


@pytest.mark.parametrize("preset", SHEETS)
def test_every_drawing_is_well_formed_and_inside_its_paper(preset: str) -> None:
    for drawing in drawings(page(preset)):
        root = ElementTree.fromstring(drawing)
        assert root.findtext("{*}title")
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            assert 0 <= float(text.attrib["x"]) <= width
            assert 0 <= float(text.attrib["y"]) <= height
            # Seven points are the least that paper shows well; a point is 0.3528 mm.
            assert float(text.attrib["font-size"]) >= 7 * 0.3528


def test_the_break_even_is_marked_in_the_drawing_of_the_meter() -> None:
    assert "break-even 442,831" in page("live")
    assert "break-even 218,047" in page("us_standard")
    assert "100.00%" in next(line for line in page("us_standard").splitlines() if ">break-even</td>" in line)


def test_a_coin_that_always_gives_back_more_has_no_break_even() -> None:
    rules = dict(odd_houses())["a coin that always gives back more"]
    found = analysis("generous", rules, counts(), 180, "1")
    assert "A coin gives back more than it costs at any meter." in parsheet_text(found, counts())
    assert "break-even 0" not in parsheet_html(found, counts())


def test_what_is_filled_is_also_written() -> None:
    assert "grey, left: loss 58.94%; black: even 3.45%; white, right: win 37.61%" in page("us_standard")
    assert [share_word(Share(*pair)) for pair in ((0, 5), (5, 5), (1, 1000), (999, 1000), (1, 2))] == [
        *("F", "R", "1", "99", "50")
    ]


def test_ticks_are_round_and_inside() -> None:
    assert [int(tick) for tick in ticks(Fraction(-68), Fraction(92), 12)] == list(range(-60, 81, 20))
    assert step_of(Fraction(3), 6) == Fraction(1, 2)
    assert step_of(Fraction(272_559), 8) == 50_000


# ------------------------------------------------------------------------------ the decisions


def test_the_shares_of_all_hands_add_up_to_every_pair() -> None:
    shares = shares_by_hand(counts(), of("us_standard").raises)
    assert sum(found.pairs for _, found in shares) == 122_151_120
    raised = sum(found.raised for _, found in shares)
    assert Fraction(raised, 122_151_120) == of("us_standard").main.raise_probability


def test_the_cells_of_the_ace_king_hands_hold_all_of_them() -> None:
    raises = of("us_standard").raises
    cells = ace_king_cells(counts(), raises)
    whole = share(counts(), raises, ace_king_rows(counts()))
    assert sum(cell.pairs for cell in cells.values()) == whole.pairs
    assert sum(cell.raised for cell in cells.values()) == whole.raised


def test_a_hand_is_in_the_cell_of_its_third_card_and_the_up_card() -> None:
    # With the decision of this one row alone, its cell is the only one that raises anything.
    raises = np.zeros(len(counts().weight), np.bool_)
    row = row_of(parse_hand("Ac Kd Jh 8s 3c"), parse_card("8d"))
    raises[row] = True
    raising = {cell: found for cell, found in ace_king_cells(counts(), raises).items() if found.raised}
    assert list(raising) == [Cell(matches=True, third=11, up=8)]
    assert raising[Cell(True, 11, 8)].raised == int(counts().weight[row])


def test_pairs_are_told_rank_by_rank_where_some_fold() -> None:
    found = with_options(raise_pays=(0,) * 10)
    names = [name for name, _ in shares_by_hand(counts(), found.raises)]
    assert {"pair of aces", "pair of sixes", "pair of twos"} < set(names)
    assert "pair" in dict(shares_by_hand(counts(), of("us_standard").raises))
    assert sum(part.pairs for _, part in shares_by_hand(counts(), found.raises)) == 122_151_120


# ------------------------------------------------------------------- the result of many rounds


def test_the_results_of_a_round_are_those_of_the_main_game() -> None:
    found = of_a_round(of("us_standard"))
    assert sum(found.values()) == of("us_standard").main.deals
    assert sum(antes * count for antes, count in found.items()) == of("us_standard").main.total


def by_hand(one: dict[int, int], rounds: int) -> dict[int, int]:
    """Every course there is, one after the other."""
    sums = {0: 1}
    for _ in range(rounds):
        longer: dict[int, int] = {}
        for result, ways in sums.items():
            for step, times in one.items():
                longer[result + step] = longer.get(result + step, 0) + ways * times
        sums = longer
    return sums


@pytest.mark.parametrize("seed", range(20))
def test_the_results_of_many_rounds_are_those_of_all_their_courses(seed: int) -> None:
    chance = Random(seed)
    one = {-3: chance.randint(1, 9), -1: chance.randint(1, 9), 0: chance.randint(0, 9)}
    one |= {chance.randint(1, 40): chance.randint(1, 9) for _ in range(3)}
    rounds, highest = chance.randint(1, 5), chance.randint(0, 30)
    every, found = by_hand(one, rounds), results(one, rounds, highest)
    total = sum(every.values())
    assert found.lowest == -3 * rounds
    for result in range(found.lowest - 2, highest + 1):
        assert found.of(result) == Fraction(every.get(result, 0), total)
        assert found.below(result) == Fraction(sum(n for at, n in every.items() if at < result), total)
    above = Fraction(sum(n for at, n in every.items() if at > highest), total)
    assert Fraction(found.above, found.total) == above


def test_a_quantile_is_the_least_result_that_so_many_do_not_pass() -> None:
    found = results({-1: 1, 1: 1}, 2, 1)
    assert [found.quantile(Fraction(quarter, 4)) for quarter in (1, 2, 3, 4)] == [-2, 0, 0, None]
    assert shown_range(found) == (-2, 1)


def test_the_mean_of_a_hundred_rounds_is_a_hundred_times_that_of_one() -> None:
    # Without its rarest outcomes every course of a game stays in the part that is counted.
    one = {-3: 3, -1: 10, 1: 5, 3: 2}
    found = results(one, 100, 300)
    mean = sum(found.of(result) * result for result in range(-300, 301))
    assert mean == 100 * Fraction(sum(antes * count for antes, count in one.items()), 20)


def test_odds_without_measure_are_told_without_a_drawing() -> None:
    found = with_options(raise_pays=(1_000_000,) * 10, nonqualify_odds=1_000_000)
    html = parsheet_html(found, counts())
    assert "No drawing: too many courses end above +300." in html
    assert len(drawings(html)) == 2


def test_the_drawing_of_results_shows_all_but_the_outermost_thousandths() -> None:
    found = results(of_a_round(of("live")), 10, 60)
    lowest, highest = shown_range(found)
    assert found.below(lowest) <= Fraction(1, 1000)
    assert found.below(highest + 1) >= Fraction(999, 1000)
    assert results_plot(found) in results_table(found).drawing


# --------------------------------------------------------------------------------- odd houses


def odd_houses() -> Iterator[tuple[str, HouseRules]]:
    for name, text in {
        "a coin that always gives back more": 'progressive = ["100%", "100000.00", "100000.00", "1000.00"]',
        "a meter that takes nothing of a coin": 'meter_share = "0"',
        "a reset of nothing": 'reset = "0.00"',
        "fixed prizes from the meter": 'fixed_awards_from = "meter"\nroyal_minimum = "50000.00"',
        "a royal alone": 'progressive = ["1%"]',
        "no bet that wins": "raise = [0, 0, 0, 0, 0, 0, 0, 0, 0]",
    }.items():
        yield name, parse_house_rules(f'preset = "us_standard"\n{text}\n', preset_text, "odd")


@pytest.mark.parametrize(("name", "rules"), list(odd_houses()))
def test_an_odd_house_has_a_page_too(name: str, rules: HouseRules) -> None:
    html = parsheet_html(analysis(name, rules, counts(), 180, "1"), counts())
    for drawing in drawings(html):
        for text in ElementTree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text"):
            assert 0 <= float(text.attrib["x"]) <= 186


def test_a_long_run_that_is_not_exact_says_so_with_its_bounds() -> None:
    text = parsheet_text(with_options(fixed_awards_from="meter"), counts())
    assert "by balance, not exact" in text
    assert "long run, at least" in text
    assert "not exact" not in parsheet_text(of("us_standard"), counts())


# ------------------------------------------------------------------------------ as a command


def test_the_page_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_controller.odds.cache.load", counts)
    place = tmp_path / "sheet.html"
    assert commanded("--preset", "classic", "--html", str(place)) == 0
    assert capsys.readouterr().out == ""
    assert place.read_text("utf-8").startswith("<!doctype html>")
    assert commanded("--preset", "classic") == 0
    assert capsys.readouterr().out.startswith("PAR SHEET OF PRESET CLASSIC")
    assert commanded("--html", str(tmp_path)) == 2
    assert f"{tmp_path}: cannot be written" in capsys.readouterr().err


def commanded(*words: str) -> int:
    parser = ArgumentParser()
    commands.add(parser, "parsheet")
    arguments = parser.parse_args(words)
    code: int = arguments.command(arguments)
    return code
