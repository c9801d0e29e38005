"""The bench's own arithmetic, and that both sides of a comparison do what they are compared for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from table_controller.engine.hands import strength
from table_controller.engine.house_rules import parse_house_rules
from table_controller.journal import Journal, verify
from table_controller.presets import preset_text
from table_controller.replay import replay
from table_controller.table.messages import House
from tests.bench import engines
from tests.bench.coins import latency_s
from tests.bench.idle import cpu_s, resident_mb
from tests.bench.odds import analysis
from tests.bench.starts import fill
from tests.bench.table import BenchFailed, file_system
from tests.bench.verdict import at_least_as_many, at_most, at_most_as_long, interleaved, percentile, report

MS = 1_000_000


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert (percentile(values, 50), percentile(values, 99), percentile(values, 100)) == (50.0, 99.0, 100.0)
    assert percentile([7.0], 1) == 7.0


@pytest.mark.parametrize("percent", [0, 101])
def test_a_percentile_that_cannot_be_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="allowed"):
        percentile([1.0], percent)


def test_half_the_seconds_are_twice_as_many_a_second() -> None:
    verdict = at_least_as_many("hands", "/s", 10, [0.5, 0.5, 0.5], [1.0, 1.0, 1.0], 2)
    assert verdict.cells == ("hands", "20 /s", "10 /s", "2.00", "at least 2 x", "PASS")
    assert not at_least_as_many("hands", "/s", 10, [0.5], [0.9], 2).met


def test_the_same_percentile_is_taken_on_both_sides() -> None:
    ours_s, peer_s = [0.001] * 98 + [0.008] * 2, [0.001] * 98 + [0.002] * 2
    assert at_most_as_long("coin", 50, ours_s, peer_s, 3).ratio == "1.00"
    slow = at_most_as_long("coin", 99, ours_s, peer_s, 3)
    assert (slow.ours, slow.peer, slow.ratio, slow.met) == ("8.000 ms", "2.000 ms", "4.00", False)


def test_a_limit_is_a_limit_whatever_the_peer_is() -> None:
    assert at_most("memory", 60.0, 10.0, 60, "MB").met
    over = at_most("processor", 1.01, 0.0, 1, "%")
    assert (over.met, over.ratio) == (False, "-")


def test_both_sides_are_measured_in_turn_after_one_call_for_nothing() -> None:
    called = ""

    def side(name: str) -> None:
        nonlocal called
        called += name

    ours_s, peer_s = interleaved(lambda: side("A"), lambda: side("b"), 3)
    assert called == "AbAbAbAb"
    assert len(ours_s) == len(peer_s) == 3


def test_every_line_of_the_report_says_whether_its_target_was_met() -> None:
    lines = report(
        [at_most("memory", 1.0, 1.0, 2, "MB"), at_most("processor", 3.0, 1.0, 2, "%")]
    ).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["PASS", "MISS"]


def test_a_coin_is_done_when_lamp_and_message_are_both_there() -> None:
    assert latency_s(5 * MS, 7 * MS, 8 * MS) == 0.003
    assert latency_s(5 * MS, 9 * MS, 8 * MS) == 0.004
    with pytest.raises(BenchFailed, match="lamp"):
        latency_s(5 * MS, 0, 8 * MS)


@pytest.mark.parametrize("preset", ["us_standard", "live"])
def test_our_settlement_and_the_peer_agree_who_beats_the_dealer(preset: str) -> None:
    rules = parse_house_rules(preset_text(preset), preset_text, preset)
    for deal, peer in zip(engines.deals(200), engines.peer_deals(engines.deals(200)), strict=True):
        outcomes, meter = engines.settle_round(rules, deal)
        dealer = strength(deal[-1])
        ours = [(strength(hand) > dealer) - (strength(hand) < dealer) for hand in deal[:-1]]
        assert engines.compare_round(peer) == ours
        assert sorted(outcomes) == list(engines.SEATS)
        assert all(outcome.bonus.kind != "none" for outcome in outcomes.values()) == rules.has_bonus
        assert meter.balances


def test_the_long_journal_replays_to_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "T1.journal"
    rules = parse_house_rules(preset_text("us_standard"), preset_text, "us_standard")
    fill(path, House("T1", 7, rules, minimum_cents=500), 2_100)
    report_of_it = verify(str(path), replay)
    assert (report_of_it.problem, report_of_it.entries) == ("", 2_100)
    journal = Journal.open(str(path), "T1")
    snapshot, tail = journal.recover()
    journal.close()
    assert snapshot is not None
    assert [tail[0].seq, tail[-1].seq] == [2_002, 2_100]


def test_this_process_uses_memory_and_time() -> None:
    assert 1 < resident_mb(os.getpid()) < 4_000
    assert cpu_s(os.getpid()) > 0


def test_an_analyst_tells_what_it_took() -> None:
    made = analysis()
    assert 0 < made.figures.cpu_s < 60
    assert made.first_s > sorted(made.figures.further_s)[0] > 0
    assert 20 < made.figures.peak_mb < 4_000


def test_a_file_system_is_told_by_the_mount_that_holds_it() -> None:
    assert file_system(Path("/proc/self")) == "proc"
