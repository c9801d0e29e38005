"""`table.toml`: what is taken, and that every wrong thing is named in one pass."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from table_controller.config import (
    Limits,
    Opening,
    TableConfig,
    load_table,
    wiring_table,
)
from table_controller.engine.house_rules import HouseRules
from table_controller.lines import default_lines, table_lines
from table_controller.presets import load_preset
from table_controller.table.day import changes
from table_controller.table.messages import Change, House
from table_controller.table.state import TableState
from table_controller.toml_file import ConfigError

EXAMPLE = Path(__file__).parents[2] / "deploy" / "table.example.toml"

BONUS_RULES = 'preset = "us"\nbonus = [1000, 200, 100, 25, 15, 10, 7]\n'
Problems = Callable[..., list[str]]


def toml(keys: dict[str, Any]) -> str:
    """A table as TOML: plain keys first, then sections, names quoted because some hold a dot."""

    def value(found: Any) -> str:
        if isinstance(found, list):
            return "[" + ", ".join(map(value, found)) + "]"
        return str(found).lower() if isinstance(found, bool) else repr(found) if found != "" else '""'

    plain = [f'"{name}" = {value(found)}' for name, found in keys.items() if not isinstance(found, dict)]
    for name, found in keys.items():
        if isinstance(found, dict):
            lines = found.pop("lines") if isinstance(found.get("lines"), dict) else None
            plain += [f"[{name}]", *(f'"{key}" = {value(item)}' for key, item in found.items())]
            if lines is not None:
                plain += ["[pins.lines]", *(f'"{key}" = {value(item)}' for key, item in lines.items())]
    return "\n".join(plain) + "\n"


def a_table(**changes: Any) -> dict[str, Any]:
    """A table of two seats in the simulator; `section__key=value` changes a key, None takes it away."""
    keys: dict[str, Any] = {
        "table": "T1",
        "seats": 2,
        "house_rules": "us",
        "limits": {},
        "journal": {"file": "T1.journal"},
        "messages": {"state": "ipc://state.sock", "commands": "ipc://commands.sock"},
        "shoe": {"driver": "native", "port": "shoe"},
        "pins": {"factory": "sim", "lines": default_lines(2)},
    }
    for path, value in changes.items():
        *sections, key = path.split("__")
        place = keys
        for section in sections:
            place = place[section]
        if value is None:
            del place[key]
        else:
            place[key] = value
    return keys


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., TableConfig]:
    """The table with these changes."""

    def load(**changes: Any) -> TableConfig:
        file = tmp_path / "table.toml"
        file.write_text(toml(a_table(**changes)))
        return load_table(file)

    return load


@pytest.fixture
def problems(tmp_path: Path, load: Callable[..., TableConfig]) -> Problems:
    """What is wrong with these changes, without the name of the file that begins every sentence."""

    def problems(**changes: Any) -> list[str]:
        with pytest.raises(ConfigError) as error:
            load(**changes)
        start = f"{tmp_path / 'table.toml'}: "
        assert str(error.value) == "\n".join(error.value.problems)
        return [problem.removeprefix(start) for problem in error.value.problems]

    return problems


# --------------------------------------------------------------------------------------------- taken


def test_the_example_is_a_table_of_seven_seats() -> None:
    config = load_table(EXAMPLE)
    assert config.seats == 7
    assert config.lines == default_lines(7)
    assert config.limits == Limits(500, 50_000, 100, 10_000, (100, 500, 2_500, 10_000, 50_000))


def test_paths_are_relative_to_the_folder_of_the_file(
    tmp_path: Path, load: Callable[..., TableConfig]
) -> None:
    config = load()
    assert config.journal_file == str(tmp_path / "T1.journal")
    assert config.shoe_port == str(tmp_path / "shoe")
    assert config.state_endpoint == f"ipc://{tmp_path}/state.sock"
    assert load(shoe__port="/dev/serial/by-id/shoe").shoe_port == "/dev/serial/by-id/shoe"


def test_a_table_without_limits_has_none(load: Callable[..., TableConfig]) -> None:
    assert load().limits == Limits()
    assert load(limits=None).limits == Limits()


def test_a_limit_is_whole_cents(load: Callable[..., TableConfig]) -> None:
    limits = load(limits={"minimum": "5.00", "maximum": "100.50", "chips": ["0.50", "5.00"]}).limits
    assert limits == Limits(500, 10_050, None, None, (50, 500))


def test_house_rules_are_a_preset_or_a_file_beside_the_table(
    tmp_path: Path, load: Callable[..., TableConfig]
) -> None:
    (tmp_path / "house.toml").write_text(BONUS_RULES)
    assert load().house_rules.has_bonus is False
    assert load(house_rules="house.toml").house_rules.has_bonus is True


@pytest.mark.parametrize(
    "endpoint",
    [
        *("tcp://127.0.0.1:5601", "tcp://127.8.9.1:1", "tcp://[::1]:65535", "inproc://state"),
        *("tcp://0.0.0.0:5601", "tcp://192.168.1.2:5601", "tcp://[::]:5601"),
    ],
)
def test_messages_may_stay_on_the_machine_or_leave_it(
    load: Callable[..., TableConfig], endpoint: str
) -> None:
    assert load(messages__state=endpoint).state_endpoint == endpoint


def test_lines_that_not_every_table_has_may_be_left_out(load: Callable[..., TableConfig]) -> None:
    optional = {"call", "meter_well", "display_well", "door", "mains_well", "lamp_sense.1", "lamp_sense.2"}
    lines = {name: pin for name, pin in default_lines(2).items() if name not in optional}
    assert load(pins__lines=lines).lines == lines


def test_a_house_without_a_bonus_needs_no_bonus_lines(load: Callable[..., TableConfig]) -> None:
    lines = {name: pin for name, pin in default_lines(2).items() if not name.startswith("bonus")}
    assert load(pins__lines=lines).lines == lines


def test_a_house_without_a_progressive_needs_no_coin_slots(
    tmp_path: Path, load: Callable[..., TableConfig]
) -> None:
    (tmp_path / "house.toml").write_text('preset = "us"\nprogressive = []\n')
    without = {"coin_a", "coin_b", "coin_accept", "lamp", "lamp_sense"}
    lines = {name: pin for name, pin in default_lines(2).items() if name.partition(".")[0] not in without}
    assert load(house_rules="house.toml", pins__lines=lines).lines == lines


def test_the_simulators_map_names_every_line_once() -> None:
    lines = default_lines(7)
    assert list(lines) == [line.name for line in table_lines(7)]
    assert len(set(lines.values())) == len(lines)
    assert default_lines(1).items() <= lines.items(), "another number of seats moves no pin"


def test_the_wiring_can_be_ticked_off_line_by_line(load: Callable[..., TableConfig]) -> None:
    lines = {name: pin for name, pin in default_lines(2).items() if name != "door"}
    text = wiring_table(load(pins__lines=lines))
    assert text.startswith("Table T1, pins of the factory `sim`\n")
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in text.splitlines() if "[ ]" in row]
    assert ["[ ]", "ante.2", str(lines["ante.2"]), "in"] in [row[:4] for row in rows]
    assert ["[ ]", "lamp.1", str(lines["lamp.1"]), "out"] in [row[:4] for row in rows]
    assert {row[1] for row in rows} == set(lines)
    assert all(row[4] for row in rows)


# ------------------------------------------------------------------------------------------- refused


def test_every_problem_is_reported_in_one_pass(problems: Problems) -> None:
    found = problems(
        table="table one", seats=8, colour="green", shoe__port=None, messages__state="tcp://localhost:5601"
    )
    assert [problem.partition(":")[0] for problem in found] == [
        "table",
        "seats",
        "messages.state",
        "shoe.port",
        "the file",
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"table": "a" * 17}, '1 to 16 letters, digits, "-" and "_", as text'),
        ({"table": 5}, "table: 5 was found; allowed: 1 to 16 letters"),
        ({"seats": 0}, "seats: 0 was found; allowed: a whole number from 1 to 7"),
        ({"seats": True}, "seats: true was found; allowed: a whole number from 1 to 7"),
        ({"table": None}, "table: the key is missing"),
        ({"journal": None}, "journal.file: the key is missing"),
        ({"limits": 5}, "limits: 5 was found; allowed: a section [limits]"),
        ({"journal__file": ""}, "journal.file: '' was found; allowed: a path as text, like \"T1.journal\""),
        ({"shoe__port": 5}, 'shoe.port: 5 was found; allowed: a path as text, like "/dev/serial/by-id/'),
        ({"house_rules": ""}, "house_rules: '' was found; allowed: a preset (us, "),
        ({"shoe": 5}, "shoe: 5 was found; allowed: a section [shoe]"),
        ({"pins__lines": None}, "pins.lines: nothing was found; allowed: a section with a pin for each line"),
        ({"pins__lines": 5}, "pins.lines: 5 was found; allowed: a section with a pin for each line"),
        ({"journal__fsync": False}, "[journal]: 'fsync' was found; allowed: file"),
        ({"house_rules": "nevada"}, "allowed: a preset (us, us_standard, live, "),
        ({"house_rules": 7}, "house_rules: 7 was found; allowed: a preset (us, "),
        ({"limits__minimum": 5}, "limits.minimum: 5 was found; allowed: an amount above 0 as text"),
        (
            {"limits__minimum": "5"},
            "limits.minimum: '5' was found; allowed: an amount above 0 as text with two decimals, "
            '"0.01" to "999999999999.99"',
        ),
        ({"limits__maximum": "0.00"}, "limits.maximum: '0.00' was found; allowed: an amount above 0"),
        ({"limits__limit": "1.00"}, "[limits]: 'limit' was found; allowed: minimum, maximum, "),
        ({"limits__chips": []}, "limits.chips: [] was found; allowed: a list of amounts that rise"),
        ({"limits__chips": ["5.00", "1.00"]}, "allowed: a list of amounts that rise"),
        ({"limits__chips": ["5.00", "5.00"]}, "allowed: a list of amounts that rise"),
        ({"limits__chips": "5.00"}, "limits.chips: '5.00' was found; allowed: a list"),
        (
            {"limits": {"minimum": "9.00", "maximum": "8.00"}},
            "limits.minimum: '9.00' was found; allowed: at most 8.00, maximum",
        ),
        (
            {"limits": {"minimum": "7.00", "chips": ["5.00"]}},
            "limits.minimum: '7.00' was found; allowed: a multiple of the smallest chip, 5.00",
        ),
        ({"shoe__driver": "angel"}, "shoe.driver: 'angel' was found; allowed: \"native\""),
        ({"pins__factory": "mock"}, 'pins.factory: \'mock\' was found; allowed: "sim", "lgpio", "rpigpio"'),
        ({"pins__pull": "up"}, "[pins]: 'pull' was found; allowed: factory, lines"),
        (
            {"messages__commands": "ipc://state.sock"},
            "allowed: another endpoint than messages.state",
        ),
        ({"messages__state": f"ipc://{'s' * 108}"}, "allowed: at most 107 bytes, the folder included"),
    ],
)
def test_what_is_not_allowed_is_named_with_its_place_and_value(
    problems: Problems, changes: dict[str, Any], problem: str
) -> None:
    (found,) = problems(**changes)
    assert problem in found


def test_problems_are_told_section_by_section(problems: Problems) -> None:
    found = problems(
        colour="green",
        pins__factory="mock",
        pins__lines=lines_with(ante_2=999),
        shoe__baud=9_600,
        shoe__driver="angel",
        limits={"maximum": "8.00", "minimum": "9.00", "limit": "1.00"},
        seats=9,
    )
    assert [problem.partition(": ")[0] for problem in found] == [
        "seats",
        "[limits]",
        "limits.minimum",
        "[shoe]",
        "shoe.driver",
        "pins.factory",
        "pins.lines.ante.2",
        "the file",
    ]


@pytest.mark.parametrize(
    "endpoint",
    [
        "tcp://*:5601",
        "tcp://localhost:5601",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:*",
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:70000",
        "tcp://127.1:5601",
        "ipc://@abstract",
        "ipc://*",
        "ipc://",
        "inproc://",
        "pgm://127.0.0.1:5601",
        "udp://127.0.0.1:5601",
        "state.sock",
        5,
    ],
)
def test_an_address_that_means_another_one_to_somebody_is_refused(
    problems: Problems, endpoint: object
) -> None:
    (found,) = problems(messages__commands=endpoint)
    assert found.startswith(f"messages.commands: {endpoint!r} was found; allowed: ipc:// with a path")


def lines_with(**changes: int | None) -> dict[str, int]:
    """The map of two seats; `ante_1=5` moves a line, None takes it away."""
    lines = default_lines(2)
    for name, pin in changes.items():
        head, _, seat = name.rpartition("_")
        line = f"{head}.{seat}" if seat.isdigit() else name
        if pin is None:
            del lines[line]
        else:
            lines[line] = pin
    return lines


def test_a_line_that_no_table_has_is_refused(problems: Problems) -> None:
    (found,) = problems(pins__lines=lines_with(ante_3=99))
    assert found.startswith("[pins.lines]: 'ante.3' was found; allowed: key.lock, ")
    assert found.endswith("lamp_sense.N, with N a seat from 1 to 2")


def test_a_pin_that_two_lines_share_is_refused(problems: Problems) -> None:
    ante = default_lines(2)["ante.1"]
    (found,) = problems(pins__lines=lines_with(ante_2=ante))
    assert found == f"pins.lines.ante.2: {ante} was found; allowed: a pin of its own; ante.1 has this one"


def test_a_pin_that_the_factory_does_not_have_is_refused(problems: Problems) -> None:
    (found,) = problems(pins__lines=lines_with(ante_2=256))
    assert found == "pins.lines.ante.2: 256 was found; allowed: a pin of the factory sim, 0 to 255"
    found, *_ = problems(pins__factory="lgpio", pins__lines=lines_with(ante_1=28))
    assert found == "pins.lines.ante.1: 28 was found; allowed: a pin of the factory lgpio, 0 to 27"


def test_a_line_that_every_table_needs_must_be_wired(problems: Problems) -> None:
    found = problems(pins__lines=lines_with(ante_2=None))
    assert found == ["pins.lines.ante.2: the line is missing: seat 2: chips on the ante spot, high = covered"]


def test_a_house_with_a_bonus_needs_its_lines(tmp_path: Path, problems: Problems) -> None:
    (tmp_path / "house.toml").write_text(BONUS_RULES)
    (found,) = problems(house_rules="house.toml", pins__lines=lines_with(bonus_1=None))
    assert found.startswith("pins.lines.bonus.1: the line is missing")


def test_a_coin_slot_is_wired_whole_or_not_at_all(tmp_path: Path, problems: Problems) -> None:
    (tmp_path / "house.toml").write_text('preset = "us"\nprogressive = []\n')
    (found,) = problems(house_rules="house.toml", pins__lines=lines_with(coin_b_2=None))
    assert found.startswith("pins.lines.coin_b.2: the line is missing")


@pytest.mark.parametrize(
    ("wrong", "value"), [("house_rules", "nevada"), ("seats", "two"), ("pins__factory", "mock")]
)
def test_whatever_else_is_wrong_the_lines_are_looked_at_too(
    problems: Problems, wrong: str, value: object
) -> None:
    lines = lines_with(ante_1=300, raise_1=3, raise_2=None) | {"antte.1": 7}
    found = problems(**{wrong: value, "pins__lines": lines})
    places = [problem.partition(": ")[0] for problem in found]
    assert sorted(places) == sorted(
        [
            wrong.replace("__", "."),
            "[pins.lines]",
            "pins.lines.ante.1",
            "pins.lines.raise.1",
            "pins.lines.raise.2",
        ]
    )


def test_no_line_of_a_seat_is_missing_that_nobody_knows_of(problems: Problems) -> None:
    (found,) = problems(seats="two")
    assert found == "seats: 'two' was found; allowed: a whole number from 1 to 7"
    found = problems(seats="two", pins__lines=lines_with(raise_1=None))[-1]
    assert found.startswith("pins.lines.raise.1: the line is missing")


def test_a_pin_that_no_factory_has_is_refused_whatever_the_factory(problems: Problems) -> None:
    _, found = problems(pins__factory="mock", pins__lines=lines_with(ante_2=256))
    assert found == "pins.lines.ante.2: 256 was found; allowed: a pin, 0 to 255"


def test_what_differs_from_the_journal_is_named_with_both_values() -> None:
    before = House("T1", 7, load_preset("us"), minimum_cents=500, chips_cents=(100, 500))
    rules: HouseRules = msgspec.structs.replace(before.rules, dealer_short="void_all", reset_cents=50)
    assert changes(before, House("T1", 6, rules, maximum_cents=10_000, gaming_day=True), TableState()) == (
        Change("seats", "7", "6"),
        Change("limits.minimum", "5.00", "none"),
        Change("limits.maximum", "none", "100.00"),
        Change("opening.gaming_day", "false", "true"),
        Change("limits.chips", "[1.00, 5.00]", "none"),
        Change("dealer_short", "complete", "void_all"),
        Change("reset", "10000.00", "0.50"),
    )
    assert changes(before, msgspec.structs.replace(before, approval="GC-1 by A. Name"), TableState()) == ()


def test_what_a_day_needs_is_taken_or_has_its_default(load: Callable[..., TableConfig]) -> None:
    assert load().opening == Opening(gaming_day=True, walk=False)
    assert load(opening={"gaming_day": False}).opening == Opening(gaming_day=False)
    assert load(opening={"walk": True}).opening == Opening(walk=True)


def test_an_approval_has_a_reference_and_a_person(
    load: Callable[..., TableConfig], problems: Problems
) -> None:
    assert load().approval == ""
    assert load(approval={"reference": "GC-7", "by": "A. Name"}).approval == "GC-7 by A. Name"
    assert problems(approval={"reference": "GC-7"}) == ["approval.by: the key is missing"]


def test_closed_days_and_the_approved_program_have_their_places(
    tmp_path: Path, load: Callable[..., TableConfig]
) -> None:
    config = load()
    assert (config.archive_folder, config.manifest_file) == (str(tmp_path / "archive"), "")
    config = load(journal={"file": "T1.journal", "archive": "days"}, software={"manifest": "approved"})
    assert (config.archive_folder, config.manifest_file) == (
        str(tmp_path / "days"),
        str(tmp_path / "approved"),
    )


def test_the_problems_of_a_house_rule_file_are_among_the_others(tmp_path: Path, problems: Problems) -> None:
    (tmp_path / "house.toml").write_text('preset = "us"\ndealer_shrt = "complete"\n')
    found = problems(house_rules="house.toml", seats=9)
    assert any("house.toml" in problem and "dealer_shrt" in problem for problem in found)
    assert any(problem.startswith("seats: 9") for problem in found)


@pytest.mark.parametrize(
    "content",
    [
        b"table = ",
        b'table = "T1"\ntable = "T2"\n',
        b"\xff",
        b"seats = " + b"1" * 5_000,
        b"seats = " + b"[" * 3_000,
    ],
)
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"table\.toml: the file cannot be read"):
        load_table(file)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"nowhere\.toml: the file cannot be read: No such file or directory$"
    ):
        load_table(tmp_path / "nowhere.toml")


def test_the_tables_of_these_tests_are_toml() -> None:
    assert tomllib.loads(toml(a_table())) == a_table()
