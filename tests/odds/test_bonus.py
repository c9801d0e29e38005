"""The 5+1 bonus, exactly."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from table_controller.engine.cards import parse_card, parse_hand
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.settlement import SeatBets, settle
from table_controller.odds.bonus import Bonus, bonus
from table_controller.odds.decimals import decimal_text, percent_text
from table_controller.presets import PRESETS, load_preset
from tests.shared import shared


def rules_of(preset: str, **options: Any) -> HouseRules:
    return msgspec.structs.replace(load_preset(preset), **options)


def bonus_of(rules: HouseRules) -> Bonus:
    found = bonus(rules)
    assert found is not None
    return found


def golden() -> Any:
    return json.loads(shared("golden/bonus51.json").read_text("utf-8"))


LIVE = bonus_of(load_preset("live"))


def test_the_bonus_of_the_live_table_is_the_golden_one() -> None:
    wanted = golden()
    assert (LIVE.total, LIVE.counts, LIVE.pays) == (wanted["total"], wanted["counts"], wanted["pays_to_1"])
    assert LIVE.return_per_bet == Fraction(wanted["rtp"]["num"], wanted["rtp"]["den"])
    assert decimal_text(LIVE.return_per_bet) == wanted["rtp"]["dec"]
    assert decimal_text(100 * LIVE.return_per_bet, 10) == wanted["rtp_percent"]
    assert decimal_text(100 * LIVE.house_edge, 10) == wanted["house_edge_percent"]
    assert LIVE.hit_count == wanted["hit_count"]
    assert decimal_text(LIVE.hit_frequency) == wanted["hit_probability"]
    assert LIVE.standard_deviation == wanted["standard_deviation"]


def test_each_hand_gives_back_its_golden_part() -> None:
    parts = {hand: decimal_text(part) for hand, part in LIVE.contributions.items()}
    assert parts == golden()["contributions"]


def test_it_is_printed_as_the_mission_text_states_it() -> None:
    assert percent_text(LIVE.return_per_bet) == "91.44%"


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "live"])
def test_a_house_without_a_bonus_has_no_figure(preset: str) -> None:
    assert bonus(load_preset(preset)) is None


def test_even_money_for_every_pair_and_better_is_a_pay_table_like_another() -> None:
    found = bonus_of(rules_of("live", bonus_pays=(1,) * 9))
    pairs = found.total - found.counts["high_card"]
    chance = Fraction(pairs, found.total)
    assert (found.hit_count, found.return_per_bet) == (pairs, 2 * chance)
    assert found.variance == 1 - (2 * chance - 1) ** 2


def test_a_royal_alone_can_be_paid() -> None:
    found = bonus_of(rules_of("live", bonus_pays=(100_000,)))
    assert found.return_per_bet == Fraction(188 * 100_001, 20_358_520)
    assert list(found.contributions) == ["royal_flush"]


@pytest.mark.parametrize(
    ("hand", "up", "kind"),
    [
        ("TD JD QD KD 2C", "AD", "royal_flush"),
        ("5H 6H 7H 8H KC", "9H", "straight_flush"),
        ("9S 9D 9C KC 2C", "9H", "four_of_a_kind"),
        ("QS QH QD 3S 4C", "3H", "full_house"),
        ("2C 5C 8C TC KD", "KC", "flush"),
        ("2S 3D 4C 5H KC", "AD", "straight"),
        ("7S 7H KD QC 2C", "7D", "three_of_a_kind"),
        ("7S 7H KD QC 2C", "KH", "two_pair"),
        ("7S 8H KD QC 2C", "KH", "pair"),
        ("7S 8H KD QC 2C", "3H", "high_card"),
    ],
)
def test_what_is_counted_is_what_the_table_pays(hand: str, up: str, kind: str) -> None:
    bets = SeatBets(seat=1, ante_cents=1, raise_cents=0, bonus_cents=1, folded=True, hand=parse_hand(hand))
    paid = settle(load_preset("live"), None, parse_card(up), [bets])[1].bonus
    assert (paid.cents if paid.kind == "win" else 0) == LIVE.pays.get(kind, 0)


def test_a_bonus_that_a_fold_loses_says_whose_figure_it_is() -> None:
    found = bonus_of(rules_of("live", fold_keeps_bonus=False))
    assert found.return_per_bet == LIVE.return_per_bet
    assert [text.split(":")[0] for text in found.not_in_the_figure] == ["fold_keeps_bonus"]
    assert LIVE.not_in_the_figure == ()
