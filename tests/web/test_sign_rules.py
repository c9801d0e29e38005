"""Pay tables and rules in words: every option that a player can feel is a sentence, in every language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
import pytest

from table_controller.engine.house_rules import HouseRules
from table_controller.presets import PRESETS, load_preset
from tests.web.painted import Painted
from tests.web.signs import Open, state_is


def houses() -> Iterator[tuple[str, HouseRules]]:
    """Every preset, and `live` with each value of each option that has a list of values."""
    for preset in PRESETS:
        yield preset, load_preset(preset)
    live = load_preset("live")
    for field in msgspec.structs.fields(HouseRules):
        if get_origin(field.type) is Literal:
            for value in get_args(field.type):
                yield f"{field.name}={value}", msgspec.structs.replace(live, **{field.name: value})
        elif field.type is bool:
            for flag in (False, True):
                yield f"{field.name}={flag}", msgspec.structs.replace(live, **{field.name: flag})


# A key without a text, or a value that was not filled in.
UNSAID: Final = re.compile(r"\b(rules|hand)\.[a-z_]|\{[a-z]+\}|undefined")
# What no player can feel: it decides who keeps a cent or a book, or it has one value only.
UNFELT: Final = {
    "conduct", "defective_deck", "raise_mismatch", "late_coin", "coin_without_ante", "second_coin",
    "void_contribution", "odd_cent", "parameter_change", "light_off_claim", "token_count",
    "unpaid_ante", "limit_scope", "card_exposed_in_deal",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_option_that_a_player_can_feel_is_a_sentence(
    language: str, painted: Painted, open_page: Open
) -> None:
    page = open_page("/sign?table=T1", language=language)
    state_is(page, "live")
    told: dict[str, str] = {}
    for name, rules in houses():
        house = {
            "rules": msgspec.to_builtins(rules), "minimum_cents": 500, "maximum_cents": 0,
            "bonus_minimum_cents": 100, "bonus_maximum_cents": 2500,
        }  # fmt: skip
        told[name] = page.evaluate(
            """async (house) => {
              const rules = await import("/static/rules.js");
              return JSON.stringify([rules.payTables(house), rules.ruleSentences(house)]);
            }""",
            house,
        )
        assert not UNSAID.search(told[name]), f"{name}: {told[name]}"
    for option in {name.split("=")[0] for name in told if "=" in name} - UNFELT:
        values = [told[name] for name in told if name.startswith(f"{option}=")]
        assert len(set(values)) == len(values), f"{option} makes no difference"


def test_what_depends_on_another_option_is_told_with_it(painted: Painted, open_page: Open) -> None:
    page = open_page("/sign?table=T1")
    state_is(page, "live")
    us = load_preset("us")
    changed: dict[str, dict[str, Any]] = {
        "any other loses": {"unpaid_ante": "lose"},
        "an equal hand gets the ante back": {"unpaid_ante": "lose_if_worse"},
        "wins 2 to 1": {"nonqualify_odds": 2},
        "$50,000.00 is paid on the raise of a seat": {
            "aggregate_limit_cents": 5_000_000,
            "limit_scope": "seat",
        },
        "You have 20 s to decide": {"decision_ms": 20_000},
        "turns yellow for the last 10 s": {"betting_ms": 30_000, "betting_warning_ms": 10_000},
        "12.5% of each jackpot bet is saved": {"reserve_share_ppm": 125_000},
        "grows to at most $1,000,000.00": {"meter_limit_cents": 100_000_000},
        "gets at least $5,000.00": {"royal_minimum_cents": 500_000},
        "is replaced": {"card_exposed_in_deal": "burn_and_replace"},
        "49% of each jackpot bet goes to the jackpot": {},
    }
    for words, values in changed.items():
        rules = msgspec.structs.replace(us, **values)
        house = {"rules": msgspec.to_builtins(rules), "minimum_cents": 500, "maximum_cents": 50_000}
        house |= {"bonus_minimum_cents": 0, "bonus_maximum_cents": 0}
        text = page.evaluate(
            """async (house) => {
              const { ruleSentences } = await import("/static/rules.js");
              return ruleSentences(house).flatMap(({ sentences }) => sentences).join("\\n");
            }""",
            house,
        )
        assert words in text


def test_a_first_load_is_light(painted: Painted, open_page: Open) -> None:
    page = open_page("/sign?table=T1")
    state_is(page, "live")
    bytes_loaded = page.evaluate(
        "performance.getEntries().filter(({ name }) => !/woff2/.test(name))"
        ".reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)"
    )
    assert 0 < bytes_loaded <= 150_000
