"""The machine's clocks: one never runs backwards, the other is a label with a mark of trust."""

from __future__ import annotations

import pytest

from table_controller import clock
from table_controller.clock import Clock, SystemClock


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the system was asked; it says that no time server keeps its clock."""
    times: list[int] = []

    def ask() -> bool:
        times.append(1)
        return False

    monkeypatch.setattr(clock, "_SYNCED_FILE", "/nowhere/synchronized")
    monkeypatch.setattr(clock, "_kernel_says_synced", ask)
    return times


def test_the_tables_time_never_runs_backwards() -> None:
    table_clock: Clock = SystemClock()
    times = [table_clock.now_us() for _ in range(100)]
    assert times == sorted(times)


def test_the_label_is_utc_in_milliseconds() -> None:
    assert 1_700_000_000_000 < SystemClock().wall_ms() < 10_000_000_000_000


def test_a_clock_that_no_time_server_keeps_is_not_trusted(asked: list[int]) -> None:
    assert SystemClock().synced() is False
    assert asked == [1]


def test_the_system_is_asked_about_the_time_server_once_a_minute(
    asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_us = 0
    monkeypatch.setattr(SystemClock, "now_us", lambda _: now_us)
    table_clock = SystemClock()
    for now_us in range(0, 120_000_000, 1_000_000):  # noqa: B007 - the clock above reads it
        table_clock.synced()
    assert len(asked) == 2


def test_a_clock_that_the_system_service_keeps_is_trusted(
    asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_SYNCED_FILE", "/")
    assert SystemClock().synced() is True
    assert asked == []


def test_the_kernel_is_asked_without_any_privilege() -> None:
    assert clock._kernel_says_synced() in (True, False)
