"""A play performed at a fake table: what makes it come true, and what makes it fail and how that is told."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from hw_sim import plays
from hw_sim.performance import Performance, Record, StageError, changes, round_of
from hw_sim.plays import Build, JumpStage, main_play
from hw_sim.script import parse_play
from hw_sim.stages import RealStage, give_keys
from hw_sim.words import COMMANDS, WORDS
from tests.sim.fake_table import FakeTable

PLAY = 'id = "x"\npreset = "us"\nmeter = "5.00"\nscript = """\n{script}\n"""\n[expect]\n{expect}\n'
EXPECT = 'round = "dealing"'


class ForgetfulTable(FakeTable):
    """Wipes the ante of seat 1 whenever it refuses something."""

    def command(self, command: dict[str, Any]) -> str:
        refusal = super().command(command)
        if refusal:
            self.body["seats"][0]["ante"]["cents"] = 0
        return refusal


class DeafTable(FakeTable):
    """Takes no key."""

    def key(self, key: str) -> None:
        """Does nothing."""


def perform(folder: Path, script: str, expect: str = EXPECT, build: Build = FakeTable) -> list[str]:
    play, record = parse_play(PLAY.format(script=script, expect=expect), "x.toml"), Record()
    with closing(JumpStage(folder, play.house_rules, record.take, build)) as stage:
        return Performance(play, stage, record).run()


def test_a_play_that_comes_true_has_no_differences(tmp_path: Path) -> None:
    script = "ante 1 10.00\ncoin 1\nsee lamp 1 on\nlock\nsee phase dealing\ndeal KD>1 ac>D\nsee meter 5.00"
    assert perform(tmp_path, script, 'round = "dealing"\nmeter = "5.00"\nlamps = [1]\nalarms = []') == []


def test_a_refused_command_without_see_refused_fails_the_play(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "ante 1 10.00\nfold 2\nlock")
    assert difference == "line 6 (fold 2): expected to be accepted, got refused: seat 2 cannot do Fold"


def test_a_refused_key_without_see_refused_fails_the_play(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "lock")
    assert difference == "line 5 (lock): expected to be accepted, got refused: no ante is keyed"


def test_a_refused_line_with_see_refused_passes(tmp_path: Path) -> None:
    assert perform(tmp_path, "lock\nsee refused\nante 1 10.00\nfold 2\nsee refused\nlock") == []


def test_see_refused_after_an_accepted_line_fails(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "ante 1 10.00\nlock\nsee refused")
    assert difference == "line 7 (see refused): expected the line before to be refused, got accepted"


def test_a_refused_line_that_changed_something_fails(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "ante 1 10.00\nfold 2\nsee refused", build=ForgetfulTable)
    assert difference == "line 7 (see refused): the refused line changed seats.0.ante.cents: 1000 -> 0"


def test_what_is_seen_and_not_so_is_told_with_line_expectation_and_finding(tmp_path: Path) -> None:
    assert perform(tmp_path, "see phase dealing") == [
        "line 5 (see phase dealing): expected dealing, got betting"
    ]
    assert perform(tmp_path, "see lamp 2 on") == ["line 5 (see lamp 2 on): expected on, got off"]
    assert perform(tmp_path, "see meter 9.00") == ["line 5 (see meter 9.00): expected 9.00, got 5.00"]
    assert perform(tmp_path, "see hold token_count") == [
        "line 5 (see hold token_count): expected token_count, got none"
    ]


def test_what_is_looked_for_may_come_true_within_two_seconds(tmp_path: Path) -> None:
    script = "fault sensor_stuck ante 1\nante 1 10.00\nsee alarm sensor_stuck\nlock"
    assert perform(tmp_path, script, 'round = "dealing"\nalarms = ["sensor_stuck"]') == []


def test_an_alarm_that_nobody_expected_fails_the_play(tmp_path: Path) -> None:
    script = "fault sensor_stuck ante 1\nante 1 10.00\nwait 2\nlock"
    differences = perform(tmp_path, script, 'round = "dealing"\nalarms = []')
    assert differences == ["alarms: expected none, got sensor_stuck"]


def test_a_judgement_that_falls_due_in_a_long_wait_is_not_jumped_over(tmp_path: Path) -> None:
    script = "fault sensor_stuck ante 1\nante 1 10.00\nwait 0.9\nwait 3600\nlock"
    assert perform(tmp_path, script, 'round = "dealing"\nalarms = ["sensor_stuck"]') == []


def test_the_end_is_compared_seat_by_seat_and_an_empty_result_is_none(tmp_path: Path) -> None:
    expect = 'round = "settled"\nmeter = "6.00"\n[expect.seat.2]\nante = "win 10.00"\ncoin = "none"'
    assert perform(tmp_path, "", expect) == [
        "round: expected settled, got betting",
        "meter: expected 6.00, got 5.00",
        "seat 2 ante: expected win 10.00, got none",
    ]


def test_chips_stay_where_they_lie_and_cards_wait_in_the_shoe_while_the_power_is_off(tmp_path: Path) -> None:
    script = "ante 1 10.00\nlock\npower off\nwait 60\nlift ante 1\ndeal KD>1\npower on\nsee phase dealing"
    assert perform(tmp_path, script) == []


def test_a_word_said_while_the_power_is_off_fails_the_play(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "ante 1 10.00\npower off\nfold 1")
    assert "the power is off" in difference


def test_an_unplugged_shoe_keeps_its_card_until_it_is_mended(tmp_path: Path) -> None:
    script = "ante 1 10.00\nlock\nfault shoe_unplugged\ndeal KD>1\nmend shoe_unplugged\ndeal 2C>1"
    assert perform(tmp_path, script) == []


def test_clear_takes_all_chips_from_the_felt(tmp_path: Path) -> None:
    text = PLAY.format(script="ante 1 10.00\nante 7 5.00\nclear", expect=EXPECT)
    play, record = parse_play(text, "x.toml"), Record()
    with closing(JumpStage(tmp_path, play.house_rules, record.take, FakeTable)) as stage:
        Performance(play, stage, record).run()
        assert not any(seat["ante"]["chips"] for seat in stage.client.state["seats"])


def test_a_key_that_is_neither_taken_nor_refused_fails_the_play(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "lock", build=DeafTable)
    assert "key open: neither taken nor refused" in difference


def test_a_play_that_begins_twice_to_run_is_an_error_of_the_script(tmp_path: Path) -> None:
    (difference,) = perform(tmp_path, "power on")
    assert "the power is on already" in difference


def test_alarms_of_all_rounds_are_listed_once_in_order_of_first_raising() -> None:
    record = Record()
    for names in (["late_coin"], ["late_coin", "claim"], [], ["claim", "late_ante"]):
        record.take({"body": {"alarms": [{"alarm": name, "place": ""} for name in names]}})
    assert record.alarms == ["late_coin", "claim", "late_ante"]


def test_a_hold_wins_over_the_result_and_the_result_over_the_phase() -> None:
    assert round_of({"holds": ["jackpot_hold"], "result": "settled", "phase": "settled"}) == "hold"
    assert round_of({"holds": [], "result": "void", "phase": "idle"}) == "void"
    assert round_of({"holds": [], "result": "", "phase": "deciding"}) == "deciding"


def test_changes_name_the_place_and_both_values() -> None:
    assert changes({"a": [1, {"b": 2}], "c": 3}, {"a": [1, {"b": 4}]}) == ["a.1.b: 2 -> 4", "c: 3 -> None"]


def test_every_word_of_the_contract_can_be_performed(tmp_path: Path) -> None:
    play = parse_play('id = "x"\npreset = "us"\nscript = "lock"\n[expect]\nround = "void"', "x.toml")
    with closing(JumpStage(tmp_path, play.house_rules, Record().take, FakeTable)) as stage:
        acts = set(Performance(play, stage, Record())._acts)
    assert acts | set(COMMANDS) | {word for word in WORDS if word.startswith("see ")} == set(WORDS)
    assert not acts & set(COMMANDS)


# ------------------------------------------------------------------------------------- the runner


def write(folder: Path, name: str, expect: str = 'round = "settled"') -> Path:
    path = folder / f"{name}.toml"
    path.write_text(f'id = "{name}"\npreset = "us"\nscript = "lock"\n[expect]\n{expect}\n', "utf-8")
    return path


def test_one_line_per_play_and_a_sum_and_a_difference_is_exit_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "good")
    write(tmp_path, "bad")
    told = {"good": [], "bad": ["round: expected settled, got void", "lamps: expected 1, got none"]}
    monkeypatch.setattr(plays, "run_jumping", lambda job: told[job.play.id])
    assert main_play([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FAIL bad: round: expected settled, got void; lamps: expected 1, got none",
        "PASS good",
        "1 passed, 1 failed",
    ]


def test_a_play_that_cannot_be_read_is_exit_2_and_the_others_still_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, broken = write(tmp_path, "good"), write(tmp_path, "broken", 'round = "over"')
    monkeypatch.setattr(plays, "run_jumping", lambda job: [])
    assert main_play([str(good), str(broken), str(tmp_path / "absent.toml")]) == 2
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"FAIL {broken}:5: round is 'over'; allowed: settled")
    assert "absent.toml" in told[1]
    assert told[2:] == ["PASS good", "1 passed, 2 failed"]


def test_an_error_nobody_can_explain_is_the_failure_of_that_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken_stage(*_: object) -> JumpStage:
        raise ZeroDivisionError("a share of nothing")

    monkeypatch.setattr(plays, "JumpStage", broken_stage)
    assert main_play([str(write(tmp_path, "odd"))]) == 1
    assert capsys.readouterr().out.startswith(
        "FAIL odd: ZeroDivisionError: a share of nothing (test_performance.py:"
    )


def test_the_power_cannot_be_switched_on_twice(tmp_path: Path) -> None:
    with (
        closing(JumpStage(tmp_path, "", Record().take, FakeTable)) as stage,
        pytest.raises(StageError, match="on already"),
    ):
        stage.power_on()


# ------------------------------------------------------------------------------------- real processes


def processes_in(folder: Path) -> list[str]:
    """The command lines of all processes that work in that folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # Other processes come and go while we look.
            found.append(path.read_bytes().decode().replace("\0", " "))
    return [line for line in found if str(folder) in line]


def keys_alone(table: Path) -> object:
    return give_keys(table, "simulator:gateway")


def test_a_service_that_does_not_start_is_told_with_its_last_words_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    with pytest.raises(StageError, match=r"the service ended with \d+: .*[a-z]"):
        # It has its keys, and was never installed.
        RealStage(tmp_path, 'preset = "us"\n', Record().take, threading.Event(), 20_000, keys_alone)
    assert processes_in(tmp_path) == []


def test_a_run_that_is_ended_by_hand_leaves_nothing(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(StageError, match="ended"):
        RealStage(tmp_path, 'preset = "us"\n', Record().take, stop, 20_000)
    assert processes_in(tmp_path) == []


def test_a_play_has_a_limit_of_real_time(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="limit of 0 s"):
        RealStage(tmp_path, 'preset = "us"\n', Record().take, threading.Event(), 0)
    assert processes_in(tmp_path) == []
