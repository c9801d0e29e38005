"""Houses by chance: any options of the house rules that go together, any number of seats."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from table_controller.engine.house_rules import HouseRules, parse_house_rules
from table_controller.presets import preset_text
from table_controller.table import messages as m
from tests.engine.test_against_the_model import FIGURES, PAY_TABLES, House
from tests.model import Value

CHOICES: dict[str, tuple[Value, ...]] = {
    field.name: get_args(field.type) if get_origin(field.type) is Literal else (True, False, True)
    for field in msgspec.structs.fields(HouseRules)
    if get_origin(field.type) is Literal or field.type is bool
}
NUMBERS: dict[str, tuple[Value, ...]] = FIGURES | {
    "betting_ms": (20_000, 3_000),
    "betting_warning_ms": (2_000,),
    "decision_ms": (9_000,),
    "stub_count_every": (1, 2),
    "jackpot_hold_from": ("0.00", "3.00", "50.01", "20000.00"),
    "contribution_bound": ("1.00", "70.00"),
}
OPTIONS = [
    (name, value)
    for name, values in (CHOICES | NUMBERS).items()
    for value in (values[1:] if name in CHOICES else values)
]
TABLES = [(name, table) for name, tables in PAY_TABLES.items() for table in tables]
RARE_WITHOUT_HELP: list[tuple[str, Value]] = [
    ("parameter_change", "after_next_hit"),
    ("token_count", "required"),
    ("dealer_short", "void_all"),
    ("boxed_card", "void"),
    ("card_exposed_in_deal", "void_round"),
]
OPTIONS += RARE_WITHOUT_HELP * 4


Days = Literal["none", "days", "days with a walk"]


class Table(NamedTuple):
    """A house in both spellings, and what the service knows it as."""

    house: House
    known: m.House
    dice_seed: int
    installed: bool
    """False: as a journal from before there were books."""


def _table(
    preset: str,
    options: list[tuple[str, Value]],
    tables: list[tuple[str, tuple[int | str, ...]]],
    meter_cents: int,
    seats: int,
    limits: bool,
    dice_seed: int,
    days: Days,
    installed: bool,
) -> Table:
    overrides = dict(options)
    if overrides.get("betting_ms", 0) == 0:
        overrides.pop("betting_warning_ms", None)
    if (
        "reset" not in overrides
        or overrides.get("meter_limit") == "0.00"
        or (overrides["reset"] == "10000.00" and overrides.get("meter_limit") not in ("10000.00", "12000.34"))
    ):
        overrides.pop("meter_limit", None)
    if preset == "classic" and any(name == "progressive" for name, _ in tables):
        overrides.setdefault("meter_share", "0.49")
    overrides["meter_start"] = f"{meter_cents // 100}.{meter_cents % 100:02d}"
    house = House(preset, overrides, dict(tables), meter_cents)
    rules = parse_house_rules(house.text, preset_text, "house")
    known = m.House("T1", seats, rules)
    if limits:
        known = m.House("T1", seats, rules, 500, 10_000, 500, 5_000, (500, 2500))
    known = msgspec.structs.replace(known, gaming_day=days != "none", walk=days == "days with a walk")
    return Table(house, known, dice_seed, installed)


TABLES_BY_CHANCE = st.builds(
    _table,
    preset=st.sampled_from(("us", "live", "us_standard", "video_2", "live", "classic")),
    options=st.lists(st.sampled_from(OPTIONS), max_size=16),
    tables=st.lists(st.sampled_from(TABLES), max_size=2),
    meter_cents=st.sampled_from((1_000_000, 49_950, 99_999, 9_999_902, 1_200_001)),
    seats=st.integers(1, 7),
    limits=st.booleans(),
    dice_seed=st.integers(0, 2**20),
    days=st.sampled_from(get_args(Days)),
    installed=st.sampled_from((True, True, True, False)),
)
