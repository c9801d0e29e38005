"""A level counts when it has stood for 20 ms."""

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.debounce import STEADY_US, Debounce


def test_a_level_counts_when_it_has_stood_for_20_ms() -> None:
    line = Debounce(False)
    assert line.edge(True, 0) is None
    assert line.due_at_us() == 20_000
    assert line.settle(19_999) is None
    assert line.settle(20_000) is True
    assert line.settle(30_000) is None
    assert line.due_at_us() is None


def test_a_touch_shorter_than_that_never_happened() -> None:
    line = Debounce(False)
    assert line.edge(True, 0) is None
    assert line.edge(False, 19_999) is None
    assert line.settle(1_000_000) is None
    assert line.level is False


def test_each_bounce_starts_the_time_anew() -> None:
    line = Debounce(False)
    for at_us in range(0, 10_000, 2_000):
        line.edge(True, at_us)
        line.edge(False, at_us + 1_000)
    line.edge(True, 10_000)
    assert line.settle(29_999) is None
    assert line.settle(30_000) is True


def test_a_press_and_release_read_late_are_both_told() -> None:
    line = Debounce(False)
    assert line.edge(True, 0) is None
    assert line.edge(False, 60_000) is True
    assert line.settle(80_000) is False


def test_the_same_level_said_again_does_not_start_the_time_anew() -> None:
    line = Debounce(False)
    line.edge(True, 0)
    line.edge(True, 15_000)
    assert line.settle(20_000) is True


@given(st.lists(st.tuples(st.integers(1, 60_000), st.booleans()), max_size=60))
def test_changes_alternate_and_are_those_of_a_sampled_line(edges: list[tuple[int, bool]]) -> None:
    line = Debounce(False)
    told: list[bool] = []
    at_us = 0
    runs: list[tuple[bool, int]] = [(False, 10**9)]
    for pause_us, level in edges:
        at_us += pause_us
        runs[-1] = (runs[-1][0], runs[-1][1] + pause_us)
        if level != runs[-1][0]:
            runs.append((level, 0))
        change = line.edge(level, at_us)
        told += [] if change is None else [change]
    last = line.settle(at_us + STEADY_US)
    told += [] if last is None else [last]
    runs[-1] = (runs[-1][0], STEADY_US)
    long_ones = [level for level, lasted_us in runs[1:] if lasted_us >= STEADY_US]
    believed = False
    expected: list[bool] = []
    for level in long_ones:
        if level != believed:
            expected.append(level)
            believed = level
    # A run that is interrupted by a short one of the other level is two runs here, but one belief.
    assert told == expected
