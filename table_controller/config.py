"""`table.toml`: one table's seats, limits, house rules, wires and addresses, read once at the start.

Every problem of the file is reported in one pass in the order of its sections, each with its place,
the value found and what is allowed. What the file does not say and has no default is a problem;
nothing is guessed.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Container, Iterable
from typing import Any, NoReturn

import msgspec

from table_controller.engine.house_rules import HouseRules, HouseRulesError, parse_house_rules
from table_controller.engine.money import money_text, parse_money
from table_controller.lines import COIN_SLOT, table_lines
from table_controller.presets import PRESETS, preset_text
from table_controller.toml_file import ConfigError, TomlFile, host_and_port, one_of, table_name

SEATS = 7
# The highest pin number of each factory: a byte in the simulator, the 40-pin header on a Raspberry Pi.
PIN_LIMITS = {"sim": 255, "lgpio": 27, "rpigpio": 27}

OUR_ADDRESS = (
    "on an address of this machine with a port, "
    "like tcp://127.0.0.1:5601, tcp://[::1]:5601 or tcp://0.0.0.0:5601 for all of them"
)
# In this order problems are told.
SECTIONS = (
    "table", "seats", "house_rules", "limits", "opening", "approval", "software", "journal", "messages",
    "shoe", "pins", "the file",
)  # fmt: skip


class Limits(msgspec.Struct, frozen=True):
    """What may lie on a spot, in cents; None and no chip sizes mean no limit (HOUSE_RULES.md, Wagers)."""

    minimum_cents: int | None = None
    maximum_cents: int | None = None
    bonus_minimum_cents: int | None = None
    bonus_maximum_cents: int | None = None
    chips_cents: tuple[int, ...] = ()


class Opening(msgspec.Struct, frozen=True):
    """What must be done before rounds are played.

    `gaming_day`: a supervisor opens the day; `walk`: and every key and lamp was tried since the last one.
    """

    gaming_day: bool = True
    walk: bool = False


class TableConfig(msgspec.Struct, frozen=True):
    """One table as its file, `place`, describes it; every path is absolute, `lines` maps a line to its pin.

    `approval` is the reference of the files and who gave it, empty where none is stated; `manifest_file`
    what the program must be, empty where nothing is required; closed days go to `archive_folder`.
    """

    place: str
    table: str
    seats: int
    house_rules: HouseRules
    limits: Limits
    opening: Opening
    approval: str
    manifest_file: str
    journal_file: str
    archive_folder: str
    state_endpoint: str
    commands_endpoint: str
    keys_folder: str
    shoe_driver: str
    shoe_port: str
    pin_factory: str
    lines: dict[str, int]


def load_table(path: str | os.PathLike[str]) -> TableConfig:
    """Read a `table.toml`; relative paths in it are relative to its folder.

    Raises `ConfigError` with every problem found, and `HouseRulesError`'s problems among them.
    """
    reader = TomlFile(path, SECTIONS)
    config = _read(reader, reader.keys)
    if config is None:
        raise ConfigError(reader.problems)
    return config


def wiring_table(config: TableConfig) -> str:
    """The wiring as a Markdown table to print and tick off: one row per wired line."""
    rows = [("done", "line", "pin", "direction", "meaning")]
    rows += [
        ("[ ]", line.name, str(config.lines[line.name]), line.direction, line.meaning)
        for line in table_lines(config.seats)
        if line.name in config.lines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    text = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return "\n".join([f"Table {config.table}, pins of the factory `{config.pin_factory}`", "", *text, ""])


def _read(reader: TomlFile, keys: dict[str, Any]) -> TableConfig | None:
    table = reader.take(keys, "", "table", table_name)
    seats = reader.take(keys, "", "seats", _seats)
    house_rules = _house_rules(reader, keys)
    limits = _limits(reader, reader.section(keys, "limits"))

    opening = _opening(reader, reader.section(keys, "opening"))
    approval = _approval(reader, reader.section(keys, "approval"))
    software = reader.section(keys, "software")
    manifest = reader.take(software, "software", "manifest", reader.path("approved.manifest"), needed=False)
    reader.finish(software, "software", "manifest")

    journal = reader.section(keys, "journal")
    journal_file = reader.take(journal, "journal", "file", reader.path("T1.journal"))
    archive = reader.take(journal, "journal", "archive", reader.path("archive"), needed=False)
    reader.finish(journal, "journal", "file, archive")

    messages = reader.section(keys, "messages")
    endpoint = reader.endpoint(_is_ours, OUR_ADDRESS)
    state = reader.take(messages, "messages", "state", endpoint)
    commands = reader.take(messages, "messages", "commands", endpoint)
    keys_folder = reader.take(messages, "messages", "keys", reader.path("keys"), needed=False)
    if state is not None and state == commands:
        reader.problem("messages.commands", commands, "another endpoint than messages.state")
    reader.finish(messages, "messages", "state, commands, keys")

    shoe = reader.section(keys, "shoe")
    driver = reader.take(shoe, "shoe", "driver", one_of("native"))
    port = reader.take(shoe, "shoe", "port", reader.path("/dev/serial/by-id/usb-shoe"))
    reader.finish(shoe, "shoe", "driver, port")

    pins = reader.section(keys, "pins")
    factory = reader.take(pins, "pins", "factory", one_of(*PIN_LIMITS))
    wired = pins.pop("lines", None)
    reader.finish(pins, "pins", "factory, lines")
    allowed = "[limits], [opening], [approval], [software], [journal], [messages], [shoe], [pins]"
    reader.finish(keys, "", f"table, seats, house_rules, {allowed}")
    if isinstance(wired, dict) and wired:
        _check_lines(reader, wired, seats, factory, house_rules)
    else:
        reader.problem("pins.lines", wired, 'a section with a pin for each line, like "key.lock" = 0')
    files = (manifest or "", journal_file, archive or os.path.join(reader.folder, "archive"))
    sockets = (state, commands, keys_folder or os.path.join(reader.folder, "keys"))
    wires = (*sockets, driver, port, factory, wired)
    values = (reader.place, table, seats, house_rules, limits, opening, approval, *files, *wires)
    return None if reader.problems else TableConfig(*values)  # type: ignore[arg-type]


def _opening(reader: TomlFile, section: dict[str, Any]) -> Opening:
    gaming_day = reader.take(section, "opening", "gaming_day", _switch, needed=False)
    walk = reader.take(section, "opening", "walk", _switch, needed=False)
    reader.finish(section, "opening", "gaming_day, walk")
    if walk and gaming_day is False:
        reader.problem("opening.walk", walk, "false where there are no gaming days that could be opened")
    return Opening(gaming_day is not False, bool(walk))


def _approval(reader: TomlFile, section: dict[str, Any]) -> str:
    """The reference of an approval with the person who gave it; empty where there is no section."""
    if not section:
        return ""
    reference = reader.take(section, "approval", "reference", _line)
    by = reader.take(section, "approval", "by", _line)
    reader.finish(section, "approval", "reference, by")
    return f"{reference} by {by}"


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true, false")
    return value


def _line(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > 64:
        raise ValueError("1 to 64 letters on one line, as text")
    return value


def _is_ours(address: str) -> bool:
    """An address with numbers: which machine may reach it is not left to a name server."""
    host, port = host_and_port(address) or ("", 0)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return port > 0


def _seats(value: Any) -> int:
    if type(value) is not int or not 1 <= value <= SEATS:
        raise ValueError(f"a whole number from 1 to {SEATS}")
    return value


def _amount(value: Any) -> int:
    try:
        cents = parse_money(value) if isinstance(value, str) else 0
    except ValueError:
        cents = 0
    if cents <= 0:
        raise ValueError('an amount above 0 as text with two decimals, "0.01" to "999999999999.99"')
    return cents


def _chips(value: Any) -> tuple[int, ...]:
    try:
        sizes = tuple(_amount(size) for size in value)
    except (TypeError, ValueError):
        sizes = ()
    if not sizes or list(sizes) != sorted(set(sizes)):
        raise ValueError('a list of amounts that rise, as texts with two decimals, like ["1.00", "5.00"]')
    return sizes


def _limits(reader: TomlFile, section: dict[str, Any]) -> Limits:
    names = ("minimum", "maximum", "bonus_minimum", "bonus_maximum")
    amounts = [reader.take(section, "limits", name, _amount, needed=False) for name in names]
    chips = reader.take(section, "limits", "chips", _chips, needed=False) or ()
    reader.finish(section, "limits", ", ".join([*names, "chips"]))
    for low, high in ((0, 1), (2, 3)):
        least, most = amounts[low], amounts[high]
        if least is not None and most is not None and least > most:
            reader.problem(
                f"limits.{names[low]}", money_text(least), f"at most {money_text(most)}, {names[high]}"
            )
    for name, amount in zip(names, amounts, strict=True):
        if amount is not None and chips and amount % chips[0]:
            allowed = f"a multiple of the smallest chip, {money_text(chips[0])}"
            reader.problem(f"limits.{name}", money_text(amount), allowed)
    return Limits(amounts[0], amounts[1], amounts[2], amounts[3], chips)


def _house_rules(reader: TomlFile, keys: dict[str, Any]) -> HouseRules | None:
    """A preset by its name, or a house-rule file; its problems are named with its own place."""

    def unknown() -> NoReturn:
        raise ValueError(f"a preset ({', '.join(PRESETS)}) or the path of a house-rule file in UTF-8")

    def read(value: Any) -> HouseRules | None:
        if not isinstance(value, str) or not value.isprintable():
            unknown()
        place = value if value in PRESETS else os.path.join(reader.folder, value)
        try:
            if place in PRESETS:
                text = preset_text(place)
            else:
                with open(place, encoding="utf-8") as file:
                    text = file.read()
        except (OSError, UnicodeDecodeError):
            unknown()
        try:
            return parse_house_rules(text, preset_text, place)
        except HouseRulesError as error:
            reader.quote("house_rules", error.problems)
            return None

    return reader.take(keys, "", "house_rules", read)


def _check_lines(
    reader: TomlFile,
    wired: dict[str, Any],
    seats: int | None,
    factory: str | None,
    house_rules: HouseRules | None,
) -> None:
    """Every line known, every needed line there, every pin possible and used once.

    What is None was not understood and is taken so wide that only what is wrong in any case is told.
    """
    known = {line.name: line for line in table_lines(seats or SEATS)}
    kinds = ", ".join(dict.fromkeys(re.sub(r"\.\d+$", ".N", name) for name in known))
    highest = PIN_LIMITS[factory] if factory else max(PIN_LIMITS.values())
    users: dict[int, str] = {}
    for name, pin in wired.items():
        if name not in known:
            reader.problem("[pins.lines]", name, f"{kinds}, with N a seat from 1 to {seats or SEATS}")
        elif type(pin) is not int or not 0 <= pin <= highest:
            of_factory = f" of the factory {factory}" if factory else ""
            reader.problem(f"pins.lines.{name}", pin, f"a pin{of_factory}, 0 to {highest}")
        elif pin in users:
            reader.problem(f"pins.lines.{name}", pin, f"a pin of its own; {users[pin]} has this one")
        else:
            users[pin] = name
    for name in _missing(wired, seats or _highest_seat(wired, known), house_rules):
        reader.report(f"pins.lines.{name}", f"the line is missing: {known[name].meaning}")


def _highest_seat(wired: Iterable[str], known: Container[str]) -> int:
    """The last seat that has a wire, where the number of seats is not known."""
    return max((int(name[-1]) for name in wired if name in known and name[-1].isdigit()), default=0)


def _missing(wired: dict[str, Any], seats: int, house_rules: HouseRules | None) -> list[str]:
    """The lines this house needs; a coin slot is wired whole or not at all."""
    needs = {"always"}
    if house_rules and house_rules.has_bonus:
        needs.add("bonus")
    if house_rules and house_rules.has_progressive:
        needs.add("progressive")
    slots = {name.partition(".")[2] for name in wired if name.partition(".")[0] in COIN_SLOT}
    return [
        line.name
        for line in table_lines(seats)
        if line.name not in wired
        and (line.need in needs or (line.need == "progressive" and line.name.partition(".")[2] in slots))
    ]
