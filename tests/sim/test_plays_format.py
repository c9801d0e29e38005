"""The file of a play: what is read from it, and what is refused with place, finding and choice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hw_sim import plays
from hw_sim.plays import judge_house_rules, main_play
from hw_sim.script import Play, PlayError, parse_play
from hw_sim.words import ALARMS, COMMANDS, FAULTS, WORDS, parse_line
from tests.shared import shared

PLAY = '''id = "wheel"
preset = "us"
{head}
script = """
ante 1 10.00
{script}
"""
[expect]
round = "settled"
{expect}
'''
WHERE = {"head": 3, "script": 6, "expect": 10}


def read(**parts: str) -> Play:
    return parse_play(PLAY.format(**{"head": "", "script": "lock", "expect": "", **parts}), "wheel.toml")


def problems(**parts: str) -> list[str]:
    with pytest.raises(PlayError) as refusal:
        read(**parts)
    return refusal.value.problems


def test_a_line_knows_its_place_in_the_file_and_its_values() -> None:
    line = read(script="raise 3 20.50").lines[-1]
    assert (line.number, line.word, line.args) == (6, "raise", (3, 2050))


def test_a_raise_without_an_amount_is_a_raise_that_nobody_keys() -> None:
    assert read(script="raise 3").lines[-1].args == (3, None)


def test_cards_are_read_alike_in_upper_and_lower_case() -> None:
    assert parse_line("hand D ac Kd", 1).args == ("D", ("AC", "KD"))


def test_marks_of_cards_at_the_shoe_are_kept_and_places_are_not() -> None:
    assert parse_line("deal QS^>3 ??>D JK>X", 1).args == (("QS^", "??", "JK"),)


def test_seconds_may_have_decimals_and_become_milliseconds() -> None:
    play = read(script="wait 2\nwait 0.25")
    assert [line.args for line in play.lines[1:]] == [(2000,), (250,)]
    assert play.waits_ms == 2250


def test_the_second_word_of_a_fault_and_of_a_supervisor_belongs_to_the_word() -> None:
    assert parse_line("fault sensor_stuck bonus 2", 1).word == "fault sensor_stuck"
    assert parse_line("sup dead 2 conduct", 1).args == (2, "conduct")


def test_blank_lines_and_remarks_are_no_happenings() -> None:
    assert [line.text for line in read(script="\n# a remark\nlock").lines] == ["ante 1 10.00", "lock"]


def test_the_meter_of_the_play_is_the_start_of_the_meter_and_options_follow_the_preset() -> None:
    play = read(head='house_rules = { stub_count_every = 1, straight_flush_first = true }\nmeter = "5.00"')
    assert play.house_rules.splitlines() == [
        'preset = "us"',
        "stub_count_every = 1",
        "straight_flush_first = true",
        'meter_start = "5.00"',
    ]


def test_a_play_without_a_meter_leaves_the_start_of_the_meter_to_the_house() -> None:
    assert "meter" not in read().house_rules


def test_other_pay_tables_are_part_of_the_house_rules() -> None:
    assert (
        "bonus = [7, 6, 5, 4, 3, 2, 1]"
        in read(head="pay_tables = { bonus = [7, 6, 5, 4, 3, 2, 1] }").house_rules
    )


def test_what_is_left_out_of_the_expectation_is_not_checked() -> None:
    expected = read(expect="lamps = []").expected
    assert expected.lamps == ()
    assert expected.alarms is None
    assert expected.amounts == {}
    assert expected.seats == {}


@pytest.mark.parametrize(
    ("part", "text", "found", "allowed"),
    [
        ("script", "bet 1 10.00", "'bet'", "ante"),
        ("script", "see nothing", "'see nothing'", "phase"),
        ("script", "ante 8 10.00", "'8'", "1 to 7"),
        ("script", "ante 1 10", "'10'", "10.00"),
        ("script", "ante 1", "1 values", "2"),
        ("script", "fold 1 2", "2 values", "1"),
        ("script", "hand 1", "1 values", "2 or more"),
        ("script", "deal 1H>1", "'1H'", "rank"),
        ("script", "deal QS", "'QS'", "CARD>PLACE"),
        ("script", "deal QS>8", "'8'", "D, X"),
        ("script", "count X 5", "'X'", "1 to 7, D"),
        ("script", "wait soon", "'soon'", "3600"),
        ("script", "see phase paid", "'paid'", "idle"),
        ("script", "see hold late_coin", "'late_coin'", "jackpot_hold"),
        ("script", "see alarm fire", "'fire'", "late_ante"),
        ("script", "sup dead 1 anger", "'anger'", "conduct"),
        ("script", "fault rain", "'fault rain'", "shoe_noise"),
        ("script", "wait 1\nsee refused", "after 'wait 1'", "can be refused"),
        ("head", "colour = 1", "'colour'", "house_rules"),
        ("head", 'meter = "5.0"', "'5.0'", "two decimals"),
        ("head", "meter = 5", "5", "a text"),
        ("head", "house_rules = 5", "5", "a table"),
        ("head", "house_rules = { reset = 1.5 }", "1.5", "whole number"),
        ("head", "pay_tables = { side = [1] }", "'side'", "progressive"),
        ("expect", 'rund = "x"', "'rund'", "round"),
        ("expect", 'alarms = ["fire"]', "'fire'", "late_ante"),
        ("expect", "lamps = [9]", "9", "1, 2, 3"),
        ("expect", 'reserve = "1"', "'1'", "two decimals"),
        ("expect", "[expect.seat.8]", "'8'", "1 to 7"),
        ("expect", '[expect.seat.1]\nante = "won"', "'won'", "refund"),
        ("expect", '[expect.seat.1]\nchips = "none"', "'chips'", "coin"),
    ],
)
def test_what_is_not_in_the_contract_is_refused(part: str, text: str, found: str, allowed: str) -> None:
    (problem,) = problems(**{part: text})
    line = WHERE[part] + text.count("\n")
    assert problem.startswith(f"wheel.toml:{line}: ")
    assert found in problem
    assert allowed in problem.partition("; allowed")[2]


def test_every_problem_is_told_in_one_pass() -> None:
    assert len(problems(head="colour = 1", script="bet\nante 9 1.00", expect="lamps = [9]")) == 4


def test_a_round_that_is_no_round_is_refused() -> None:
    with pytest.raises(PlayError, match="round is 'idle'"):
        parse_play(PLAY.format(head="", script="", expect="").replace('"settled"', '"idle"'), "wheel.toml")


@pytest.mark.parametrize("text", ["id = ", "id = " + "1" * 5_000, "id = " + "[" * 3_000])
def test_a_file_that_is_no_toml_is_refused_by_name(text: str) -> None:
    with pytest.raises(PlayError, match=r"wheel\.toml: not TOML"):
        parse_play(text, "wheel.toml")


def test_problems_are_told_in_the_order_of_their_lines() -> None:
    told = problems(head="colour = 1\nmeter = true", script="bet\nante 9 1.00", expect="lamps = [true]")
    assert [problem.split(":")[1] for problem in told] == ["3", "4", "7", "8", "12"]
    assert "meter: true; allowed: a text" in told[1]


# ------------------------------------------------------------------------------------ the house rules


def judged(text: str) -> list[str]:
    """What is wrong with a play in whose house rules the service finds something wrong."""
    with pytest.raises(PlayError) as refusal:
        parse_play(text, "wheel.toml", judge_house_rules)
    return refusal.value.problems


def test_a_preset_that_no_house_has_is_refused_at_its_line() -> None:
    (problem,) = judged(PLAY.format(head="", script="", expect="").replace('"us"', '"vegas"'))
    assert problem.startswith("wheel.toml:2: preset: found 'vegas', allowed is us, us_standard, live")


def test_wrong_options_are_refused_at_the_lines_that_state_them() -> None:
    head = 'pay_tables = { progressive = ["110%", "x"] }\nmeter = "1000000000000.00"\n'
    head += '[house_rules]\ndealer_short = "never"\n\nfold_keeps_coins = true'
    told = judged(f'id = "wheel"\npreset = "us"\nscript = "lock"\n{head}\n[expect]\nround = "settled"\n')
    assert [problem.partition(", ")[0] for problem in told] == [
        "wheel.toml:4: progressive: line 1: found '110%'",
        "wheel.toml:4: progressive: line 2: found 'x'",
        "wheel.toml:5: meter_start: found '1000000000000.00'",
        "wheel.toml:7: dealer_short: found 'never'",
        "wheel.toml:9: fold_keeps_coins: unknown",
    ]


def test_house_rules_and_script_are_judged_in_one_pass() -> None:
    told = judged(PLAY.format(head='house_rules = { upcard = "none" }', script="bet", expect=""))
    assert [problem.split(":")[1] for problem in told] == ["3", "6"]


def test_house_rules_that_contradict_their_preset_are_refused_where_options_are_stated() -> None:
    (problem,) = judged(PLAY.format(head='house_rules = { meter_limit = "1.00" }', script="", expect=""))
    assert problem == "wheel.toml:3: reset: found 10000.00, allowed is at most meter_limit, 1.00"


def test_a_play_with_wrong_house_rules_is_exit_2_and_the_others_still_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plays, "run_jumping", lambda job: [])
    wrong, good = tmp_path / "a.toml", tmp_path / "b.toml"
    head = 'house_rules = { upcard = "none", betting_ms = true }'
    wrong.write_text(PLAY.format(head=head, script="", expect=""))
    good.write_text(PLAY.format(head="", script="", expect=""))
    assert main_play([str(tmp_path)]) == 2
    assert capsys.readouterr().out.splitlines() == [
        f"FAIL {wrong}:3: upcard: found 'none', allowed is last, first, declared",
        f"     {wrong}:3: betting_ms: found true, allowed is a whole number from 0 to 86400000",
        "PASS wheel",
        "1 passed, 1 failed",
    ]


def test_a_file_that_is_no_text_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.toml").write_bytes(b"id\xff")
    assert main_play([str(tmp_path / "a.toml"), str(tmp_path / "b.toml")]) == 2
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"FAIL {tmp_path}/a.toml: not UTF-8: invalid start byte (byte 3)",
        f"FAIL {tmp_path}/b.toml: No such file or directory; allowed: a play, or a folder with plays",
    ]


def test_all_said_words_are_commands_and_all_faults_can_be_mended() -> None:
    said = {word for word, grammar in WORDS.items() if grammar.refusable}
    assert set(COMMANDS) <= said
    assert {f"mend {name}" for name in FAULTS} <= set(WORDS)


# ------------------------------------------------------------------------------------- the contract


def test_every_play_of_the_contract_can_be_read_and_every_line_knows_its_place() -> None:
    files = sorted(shared("scenarios").rglob("*.toml"))
    assert files
    for file in files:
        text = file.read_text("utf-8")
        written = text.splitlines()
        for line in parse_play(text, file.name).lines:
            assert written[line.number - 1].strip() == line.text, file.name


def test_the_alarms_are_those_of_the_contract() -> None:
    section = (shared("scenarios") / "README.md").read_text("utf-8").partition("## Alarms")[2]
    assert set(re.findall("`([a-z_]+)`", section)) == set(ALARMS)
