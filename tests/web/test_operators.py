"""Who may log in, the PINs, the lock-out, and the command line for both."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
from hashlib import scrypt
from pathlib import Path

import pytest

from table_controller.web import __main__ as program
from table_controller.web import operators as operators_module
from table_controller.web.operators import (
    LOCKED_MS,
    WRONG_MAX,
    Operators,
    OperatorsRefused,
    make_record,
    pin_refused,
)


class HandClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ms = 1_790_000_000_000

    def now_ms(self) -> int:
        return self.ms

    def wall_ms(self) -> int:
        return self.ms


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def operators(tmp_path: Path, clock: HandClock) -> Operators:
    people = Operators(str(tmp_path / "operators.toml"), clock)
    people.add("ann", "supervisor", "271828")
    return people


def another(operators: Operators, clock: HandClock) -> Operators:
    """The same files, as a program that was started anew sees them."""
    return Operators(operators._place, clock)


@pytest.mark.parametrize(
    "pin",
    [
        "12345",
        "1234567890123",
        "12345a",
        "१२३४५६",
        "000000",
        "123456",
        "654321",
        "890123",
        "121212",
        "123123",
    ],
)
def test_a_pin_that_is_guessed_first_is_not_taken(pin: str) -> None:
    assert pin_refused(pin)


@pytest.mark.parametrize("pin", ["271828", "141421", "000001", "135790", "202604231999"])
def test_other_pins_are_taken(pin: str) -> None:
    assert not pin_refused(pin)


def test_the_file_is_its_owners_alone_and_holds_no_pin(operators: Operators, tmp_path: Path) -> None:
    place = tmp_path / "operators.toml"
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o600
    assert "271828" not in place.read_text()


def test_the_same_pin_of_two_people_looks_different_in_the_file() -> None:
    one, other = make_record("ann", "dealer", "271828"), make_record("ben", "dealer", "271828")
    assert one.hash != other.hash


def test_the_same_pin_of_one_person_looks_different_each_time() -> None:
    assert make_record("ann", "dealer", "271828").hash != make_record("ann", "dealer", "271828").hash


def test_a_pin_costs_whoever_guesses_it_as_much_as_was_decided() -> None:
    """Six digits are found in no time where a hash costs nothing; and files of today open tomorrow."""
    record = make_record("ann", "dealer", "271828")
    salt = bytes.fromhex(record.salt)
    assert record.hash == scrypt(b"271828", salt=salt, n=16_384, r=8, p=1, maxmem=1 << 25, dklen=32).hex()


def test_the_right_pin_opens_and_the_wrong_one_does_not(operators: Operators) -> None:
    found = operators.check_now("ann", "271828").operator
    assert found is not None
    assert found.role == "supervisor"
    assert operators.check_now("ann", "271829").operator is None
    assert operators.check_now("nobody", "271828").operator is None
    assert operators.check_now("ann", "").operator is None


def test_names_may_hold_what_people_are_called(operators: Operators, clock: HandClock) -> None:
    for name in ("Zoë O'Neill", 'Max "Ace" B.', "Ли", "a.b@c = [d]", "back\\slash"):
        operators.add(name, "dealer", "314159")
        assert another(operators, clock).check_now(name, "314159").operator is not None
    with pytest.raises(OperatorsRefused, match="ann"):
        operators.add("ANN", "dealer", "314159")
    for name in ("", " ann", "two\nlines", "x" * 65):
        with pytest.raises(OperatorsRefused, match="1 to 64 letters"):
            operators.add(name, "dealer", "314159")


def test_five_wrong_pins_lock_the_name_also_over_a_restart(operators: Operators, clock: HandClock) -> None:
    last = [operators.check_now("ann", "999998") for _ in range(WRONG_MAX)][-1]
    assert last.wait_ms == LOCKED_MS
    assert operators.check_now("ann", "271828").operator is None
    later = another(operators, clock)
    assert later.check_now("ann", "271828").wait_ms == LOCKED_MS
    clock.ms += LOCKED_MS - 1
    assert later.check_now("ann", "271828").wait_ms == 1
    clock.ms += 1
    assert later.check_now("ann", "271828").operator is not None


def test_the_right_pin_wipes_the_wrong_ones(operators: Operators) -> None:
    for _ in range(3):
        for _ in range(WRONG_MAX - 1):
            operators.check_now("ann", "999998")
        assert operators.check_now("ann", "271828").operator is not None


def test_after_a_lock_out_there_are_five_tries_again(operators: Operators, clock: HandClock) -> None:
    for _ in range(WRONG_MAX):
        operators.check_now("ann", "999998")
    clock.ms += LOCKED_MS
    for _ in range(WRONG_MAX - 1):
        assert operators.check_now("ann", "999998").wait_ms == 0
    assert operators.check_now("ann", "999998").wait_ms == LOCKED_MS


def test_a_made_up_name_locks_like_a_real_one(operators: Operators) -> None:
    last = [operators.check_now("nobody", "999998") for _ in range(WRONG_MAX)][-1]
    assert last.wait_ms == LOCKED_MS


def test_endless_names_end_no_lock_out(operators: Operators, clock: HandClock, tmp_path: Path) -> None:
    for _ in range(WRONG_MAX):
        operators.check_now("ann", "999998")
    for number in range(1, 80):
        operators.check_now(f"{number} " + "x" * 16_000, "999998")
    assert operators.locked_ms("ann") == LOCKED_MS
    assert (tmp_path / "operators.toml.tries").stat().st_size < 20_000


def test_tries_that_cannot_be_read_let_nobody_in(operators: Operators, tmp_path: Path) -> None:
    for _ in range(WRONG_MAX):
        operators.check_now("ann", "999998")
    tries = tmp_path / "operators.toml.tries"
    tries.write_text(tries.read_text()[:-1])
    with pytest.raises(OperatorsRefused, match=r"\.tries: the tries cannot be read .* is removed"):
        operators.check_now("ann", "271828")
    tries.unlink()
    assert operators.check_now("ann", "271828").operator is not None


def test_a_made_up_name_costs_the_same_hash_as_a_real_one(
    operators: Operators, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[tuple[str, int]] = []

    def counted(pin: str, salt: bytes) -> bytes:
        hashed.append((pin, len(salt)))
        return b""

    monkeypatch.setattr(operators_module, "_hash", counted)
    operators.check_now("ann", "999998")
    operators.check_now("nobody", "999998")
    assert hashed == [("999998", 16)] * 2


def test_made_up_names_fill_no_disk_and_wipe_no_real_ones_tries(
    operators: Operators, clock: HandClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(operators_module, "_STRANGERS_MAX", 3)
    monkeypatch.setattr(operators_module, "_hash", lambda _pin, _salt: b"")
    for _ in range(WRONG_MAX):
        operators.check_now("ann", "999998")
    for number in range(9):
        operators.check_now(f"nobody {number}", "999998")
    place = tmp_path / "operators.toml.tries"
    assert set(json.loads(place.read_bytes())) == {"ann", "nobody 6", "nobody 7", "nobody 8"}
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o600
    assert another(operators, clock).check_now("ann", "271828").wait_ms == LOCKED_MS


def test_a_clock_that_was_set_back_locks_nobody_for_longer(operators: Operators, clock: HandClock) -> None:
    for _ in range(WRONG_MAX):
        operators.check_now("ann", "999998")
    clock.ms -= 10 * LOCKED_MS
    assert operators.locked_ms("ann") == LOCKED_MS


def test_tries_at_the_same_time_are_each_counted(operators: Operators) -> None:
    async def hurry() -> int:
        pins = [f"99999{digit}" for digit in range(8)]
        verdicts = await asyncio.gather(*(operators.check("ann", pin) for pin in pins))
        return sum(verdict.wait_ms > 0 for verdict in verdicts)

    # The fifth is told of the lock-out that it caused, the last three are not looked at.
    assert asyncio.run(hurry()) == 4


def test_too_many_who_wait_are_sent_away(operators: Operators) -> None:
    async def crowd() -> int:
        verdicts = await asyncio.gather(*(operators.check(f"name {one}", "999998") for one in range(18)))
        return sum(verdict.busy for verdict in verdicts)

    assert asyncio.run(crowd()) == 2


def test_another_program_changes_the_file_and_it_counts_at_once(
    operators: Operators, clock: HandClock
) -> None:
    other = another(operators, clock)
    assert other.find("ben") is None
    operators.add("ben", "dealer", "314159")
    assert other.find("ben") is not None
    operators.remove("ben")
    assert other.find("ben") is None


def test_a_file_that_others_may_read_lets_nobody_in(operators: Operators, tmp_path: Path) -> None:
    os.chmod(tmp_path / "operators.toml", 0o644)
    assert operators.find("ann") is None
    with pytest.raises(OperatorsRefused, match="chmod 600"):
        operators.all()


def test_a_spoilt_file_lets_nobody_in_and_is_not_written_over(operators: Operators, tmp_path: Path) -> None:
    place = tmp_path / "operators.toml"
    place.write_text('[ann]\nrole = "king"\n')
    place.chmod(0o600)
    assert operators.find("ann") is None
    with pytest.raises(OperatorsRefused, match="no file of operators"):
        operators.add("ben", "dealer", "314159")
    assert "king" in place.read_text()


@pytest.fixture
def settings_file(tmp_path: Path) -> str:
    place = tmp_path / "web.toml"
    place.write_text('[tables.T1]\nstate = "inproc://s"\ncommands = "inproc://c"\n')
    return str(place)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_operators_are_kept_by_the_command_line(
    settings_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "271828\n")
    assert program.main(["operators", "add", settings_file, "ann", "supervisor"]) == 0
    people = Operators(str(tmp_path / "operators.toml"), HandClock())
    assert people.check_now("ann", "271828").operator is not None
    typed(monkeypatch, "314159\n")
    assert program.main(["operators", "pin", settings_file, "ann"]) == 0
    assert people.check_now("ann", "314159").operator is not None
    for _ in range(WRONG_MAX):
        people.check_now("ann", "999998")
    assert program.main(["operators", "unlock", settings_file, "ann"]) == 0
    assert people.check_now("ann", "314159").operator is not None
    assert program.main(["operators", "list", settings_file]) == 0
    assert "supervisor\tann" in capsys.readouterr().out
    assert program.main(["operators", "remove", settings_file, "ann"]) == 0
    assert people.find("ann") is None
    assert program.main(["operators", "remove", settings_file, "ann"]) == 1
    assert "there is no such operator" in capsys.readouterr().err


def test_a_weak_pin_is_refused_at_the_command_line(
    settings_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "123456\n")
    assert program.main(["operators", "add", settings_file, "ann", "dealer"]) == 1
    assert "another PIN" in capsys.readouterr().err


def test_check_tells_every_problem(
    settings_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["check", settings_file]) == 0
    (tmp_path / "web.toml").write_text('listen = "here"\n')
    assert program.main(["check", settings_file]) == 2
    told = capsys.readouterr().err
    assert "listen" in told
    assert "there is no table" in told
