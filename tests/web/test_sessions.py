"""Log-ins that end, and how often anybody may ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.web import sessions as sessions_module
from table_controller.web.operators import Operators
from table_controller.web.sessions import (
    IDLE_MS,
    LONGEST_MS,
    PER_OPERATOR_MAX,
    Allowance,
    Session,
    Sessions,
    same_token,
)


class HandClock:
    """A clock that is set by hand."""

    ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms

    def wall_ms(self) -> int:
        return self.ms


class Desk:
    """Operators and their sessions on a clock that is set by hand."""

    def __init__(self, folder: Path) -> None:
        self.clock = HandClock()
        self.operators = Operators(str(folder / "operators.toml"), self.clock)
        self.operators.add("ann", "supervisor", "271828")
        self.operators.add("cy", "dealer", "161803")
        self.sessions = Sessions(self.operators, self.clock)

    def begin(self, name: str) -> Session:
        operator = self.operators.find(name)
        assert operator is not None
        return self.sessions.begin(operator)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_ids_and_tokens_are_of_256_bits_and_never_the_same(desk: Desk) -> None:
    one, other = desk.begin("ann"), desk.begin("ann")
    assert len({one.id, one.csrf, other.id, other.csrf}) == 4
    assert min(map(len, (one.id, one.csrf))) >= 43


@pytest.mark.parametrize("name", ["ann", "cy"])
def test_a_log_in_that_nobody_touches_ends(desk: Desk, name: str) -> None:
    session = desk.begin(name)
    desk.clock.ms += IDLE_MS[session.role] - 1
    assert desk.sessions.find(session.id) is session
    desk.clock.ms += 1
    assert desk.sessions.find(session.id) is None
    desk.clock.ms -= 2
    assert desk.sessions.find(session.id) is None


def test_a_touch_prolongs_it_until_a_shift_and_a_half_is_over(desk: Desk) -> None:
    session = desk.begin("ann")
    for _ in range(LONGEST_MS // (IDLE_MS["supervisor"] - 1)):
        desk.clock.ms += IDLE_MS["supervisor"] - 1
        assert desk.sessions.find(session.id, touch=True) is session
    desk.clock.ms += IDLE_MS["supervisor"] - 1
    assert desk.sessions.find(session.id, touch=True) is None


def test_who_is_removed_or_gets_another_pin_is_out_at_once(desk: Desk) -> None:
    first, second = desk.begin("ann"), desk.begin("cy")
    desk.operators.remove("ann")
    desk.operators.change_pin("cy", "314159")
    assert desk.sessions.find(first.id) is None
    assert desk.sessions.find(second.id) is None
    assert desk.sessions.all() == []


def test_who_gets_another_role_is_out_at_once(desk: Desk, tmp_path: Path) -> None:
    session = desk.begin("ann")
    place = tmp_path / "operators.toml"
    place.write_text(place.read_text().replace('role = "supervisor"', 'role = "auditor"'))
    assert desk.sessions.find(session.id) is None


def test_log_out_ends_one_session_and_not_the_other(desk: Desk) -> None:
    first, second = desk.begin("ann"), desk.begin("ann")
    desk.sessions.end(first)
    assert desk.sessions.find(first.id) is None
    assert desk.sessions.find(second.id) is second


def test_one_person_has_only_so_many_sessions(desk: Desk) -> None:
    other = desk.begin("cy")
    opened = [desk.begin("ann") for _ in range(PER_OPERATOR_MAX + 3)]
    alive = [one for one in opened if desk.sessions.find(one.id)]
    assert alive == opened[3:]
    assert desk.sessions.find(other.id) is other


def test_of_too_many_sessions_the_oldest_give_way(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "SESSIONS_MAX", 3)
    opened = [desk.begin(name) for name in ("ann", "cy", "ann", "cy", "ann")]
    assert [one for one in opened if desk.sessions.find(one.id)] == opened[2:]
    assert desk.sessions.all() == opened[2:]


def test_only_the_token_of_the_session_is_its_token(desk: Desk) -> None:
    one, other = desk.begin("ann"), desk.begin("ann")
    assert same_token(one, one.csrf)
    assert not same_token(one, other.csrf)
    assert not same_token(one, "")
    assert not same_token(one, "ü\udc80")


def test_so_many_at_once_and_so_many_again_in_time() -> None:
    clock = HandClock()
    words = Allowance(20, 1_000, clock.now_ms)
    assert [words.take("a") for _ in range(20)] == [0] * 20
    assert words.take("a") == 50
    assert words.take("b") == 0
    clock.ms += 49
    assert words.take("a") == 1
    clock.ms += 1
    assert words.take("a") == 0
    clock.ms += 60_000
    assert [words.take("a") for _ in range(21)][-2:] == [0, 50]


def test_who_asked_long_ago_is_forgotten_so_that_strangers_fill_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions_module, "_KEYS_MAX", 2)
    tries = Allowance(1, 60_000, HandClock().now_ms)
    assert [tries.take(key) for key in ("a", "b", "c", "a")] == [0, 0, 0, 0]
    assert tries.take("a") == 60_000
