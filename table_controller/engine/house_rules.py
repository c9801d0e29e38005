"""The house rules: every choice a casino makes, as one frozen value, and the reading of its file.

The engine reads no files: `parse_house_rules` takes the text. A field is named like its option in
HOUSE_RULES.md with the unit at the end (`coin_value` is `coin_value_cents`), and the pay tables
`raise`, `bonus`, `progressive` are `raise_pays`, `bonus_pays`, `progressive_pays`. The type of a
field is what its option allows, and the reader obeys it: nothing is said twice.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

import msgspec

from table_controller.engine.hands import Category
from table_controller.engine.money import money_text
from table_controller.engine.values import (
    LARGEST_COUNT,
    WHOLE_PPM,
    Prize,
    read_amount,
    read_pay_table,
    read_share,
    read_whole,
    share_text,
    written,
)

LONGEST_MS: Final = 86_400_000  # a day

_ROYAL_LINE: Final = int(Category.ROYAL_FLUSH)  # pay tables count from here downwards


class HouseRules(msgspec.Struct, frozen=True, kw_only=True):
    """Every option of HOUSE_RULES.md, in its order and with its default.

    Money is whole cents, a share is millionths (`_ppm`), a time is milliseconds.
    """

    # The deal.
    deal_order: Literal["one_at_a_time", "packets"] = "one_at_a_time"
    upcard: Literal["last", "first", "declared"] = "last"
    betting_ms: int = 0
    betting_warning_ms: int = 0
    decision_ms: int = 0
    boxed_card: Literal["discard_first_void_second", "discard", "valid", "void"] = "discard_first_void_second"
    card_exposed_in_deal: Literal["play_on", "void_round", "burn_and_replace"] = "play_on"
    misplaced_card: Literal["move_if_no_further_card", "void_round"] = "move_if_no_further_card"
    extra_hand: Literal["kill_hand_play_on", "void_round"] = "kill_hand_play_on"
    scanner_fault: Literal["rescan_else_void", "void_round"] = "rescan_else_void"
    stub_count_every: int = 0
    token_count: Literal["off", "required"] = "off"
    player_cards: Literal["face_down", "face_up"] = "face_down"

    # Misdeals and dead hands.
    dealer_short: Literal["complete", "void_all", "progressive_only"] = "complete"
    dealer_long: Literal["void_all", "progressive_only"] = "void_all"
    hole_exposed_before_close: Literal["void_all", "play_on"] = "void_all"
    player_miscount: Literal["dead_push", "dead_forfeit", "void_all"] = "dead_push"
    dead_hand_bonus: Literal["refund", "lose"] = "refund"
    dead_hand_coin: Literal["refund", "lose"] = "refund"
    conduct: Literal["dead_forfeit"] = "dead_forfeit"
    defective_deck: Literal["void_round"] = "void_round"
    jackpot_hand_in_void_round: Literal["manager_decision", "refund_only", "paid"] = "manager_decision"

    # Wagers.
    nonqualify_ante: Literal["pay_all", "pay_if_beats_dealer"] = "pay_all"
    unpaid_ante: Literal["push", "lose", "lose_if_worse"] = "push"
    nonqualify_odds: int = 1
    fold_keeps_bonus: bool = True
    fold_keeps_coin: bool = True
    raise_mismatch: Literal["block_close"] = "block_close"
    short_raise: Literal["fold", "refuse"] = "fold"
    late_coin: Literal["refund"] = "refund"
    coin_without_ante: Literal["refund"] = "refund"
    second_coin: Literal["refund"] = "refund"
    coin_on_void: Literal["refund", "stands"] = "refund"
    void_contribution: Literal["reverse", "keep"] = "reverse"
    aggregate_limit_cents: int = 0
    limit_scope: Literal["round", "seat"] = "round"

    # The progressive.
    coin_value_cents: int = 100
    meter_share_ppm: int
    reserve_share_ppm: int = 0
    reset_cents: int = 1_000_000
    meter_limit_cents: int = 0
    contribution_bound_cents: int
    meter_start_cents: int
    lamp_before_lock: Literal["steady", "blinking"] = "steady"
    percent_base: Literal["remaining_at_turn", "meter_at_lock"] = "remaining_at_turn"
    fixed_awards_from: Literal["house", "meter"] = "house"
    straight_flush_first: bool = False
    royal_split: Literal["equal", "shared_by_bettors"] = "equal"
    royal_minimum_cents: int = 0
    odd_cent: Literal["first_paid", "reserve"] = "first_paid"
    settle_order: Literal["right_to_left", "left_to_right"] = "right_to_left"
    jackpot_hold_from_cents: int = 50_000
    jackpot_verify: Literal["deck_count", "none"] = "deck_count"
    progressive_fault_before_lock: Literal["base_game_only", "stop_table"] = "base_game_only"
    progressive_fault_after_lock: Literal["honour_locked_bets", "void"] = "honour_locked_bets"
    parameter_change: Literal["closed_only", "after_next_hit"] = "closed_only"
    light_off_claim: Literal["no_bet"] = "no_bet"

    # Power and recovery.
    power_loss_mid_round: Literal["supervisor_decides", "void"] = "supervisor_decides"

    # Pay tables, from the royal downwards. The raise always has ten numbers, the last for no pair.
    raise_pays: tuple[int, ...]
    bonus_pays: tuple[int, ...] = ()
    progressive_pays: tuple[Prize, ...] = ()

    @property
    def has_bonus(self) -> bool:
        """Whether the house offers the 5+1 bonus."""
        return bool(self.bonus_pays)

    @property
    def has_progressive(self) -> bool:
        """Whether the house offers the progressive; without it there is no meter and no coin."""
        return bool(self.progressive_pays)

    def raise_odds(self, kind: Category) -> int:
        """What a winning raise gets with that hand, n to 1."""
        return self.raise_pays[_ROYAL_LINE - kind]

    def bonus_odds(self, kind: Category) -> int:
        """What the 5+1 bonus gets with that hand, n to 1; 0 for a hand that is not paid."""
        line = _ROYAL_LINE - kind
        return self.bonus_pays[line] if line < len(self.bonus_pays) else 0

    def prize(self, kind: Category) -> Prize | None:
        """The line of the progressive for that hand, if it has one."""
        line = _ROYAL_LINE - kind
        return self.progressive_pays[line] if line < len(self.progressive_pays) else None


class HouseRulesError(Exception):
    """House rules that cannot be used; `problems` is everything that is wrong, a sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


# ------------------------------------------------------------------------------ fields and options

_UNITS: Final = ("_cents", "_ppm", "_pays")
_AT_LEAST: Final = {"coin_value_cents": 1, "nonqualify_odds": 1}


def _option(field: str) -> str:
    """The name of the option behind a field, as the file writes it."""
    for unit in _UNITS:
        field = field.removesuffix(unit)
    return field


_FIELDS: Final = {_option(field.name): field for field in msgspec.structs.fields(HouseRules)}


def _value(option: str, value: object) -> object:
    """The value of one option in the type of its field. Raises `ValueError`: found, allowed."""
    field = _FIELDS[option]
    least = _AT_LEAST.get(field.name, 0)
    if field.name.endswith("_pays"):
        return read_pay_table(option, value)
    if field.type is bool:
        if not isinstance(value, bool):
            raise ValueError(f"found {written(value)}, allowed is true or false")
        return value
    if get_origin(field.type) is Literal:
        if value not in get_args(field.type):
            raise ValueError(f"found {written(value)}, allowed is {', '.join(get_args(field.type))}")
        return value
    if field.name.endswith("_ppm"):
        return read_share(value)
    if field.name.endswith("_cents"):
        return read_amount(value, least)
    return read_whole(value, least, LONGEST_MS if field.name.endswith("_ms") else LARGEST_COUNT)


def option_texts(rules: HouseRules) -> dict[str, str]:
    """Every option by its name, with its value as a house-rule file writes it but without quotes."""
    return {option: _text(field.name, getattr(rules, field.name)) for option, field in _FIELDS.items()}


def _text(field: str, value: Any) -> str:
    if field.endswith("_cents"):
        return money_text(value)
    if field.endswith("_ppm"):
        return share_text(value)
    if isinstance(value, tuple):
        lines = [line.text if isinstance(line, Prize) else str(line) for line in value]
        return f"[{', '.join(lines)}]"
    return value if isinstance(value, str) else written(value)


# ------------------------------------------------------------------------------- a whole file


class _Problem(NamedTuple):
    """What is wrong with an option; the layer is the file or the preset that states it."""

    layer: str
    option: str
    text: str


def parse_house_rules(text: str, presets: Callable[[str], str], place: str) -> HouseRules:
    """Read a house-rule file (HOUSE_RULES.md, The form of a house-rule file).

    `presets` gives the text of a named preset, or raises `KeyError` with a sentence that says which
    there are; `place` names the file in what is reported. Raises `HouseRulesError` with every
    problem of the file and of its preset in one pass, in the order of their lines.
    """
    own = _keys(text, place)
    problems: list[_Problem] = []
    name = own.pop("preset", None)
    layers = [(place, own)]
    preset_known = name is None
    if isinstance(name, str):
        try:
            layers.insert(0, (f"preset {name}", _keys(presets(name), f"preset {name}")))
            preset_known = True
        except KeyError as unknown:
            problems.append(_Problem(place, "preset", unknown.args[0]))
    elif name is not None:
        found = f"found {written(name)}, allowed is the name of a preset as text"
        problems.append(_Problem(place, "preset", found))
    values = _values(layers, problems)

    stated = {option for _, keys in layers for option in keys}
    required = ["raise", "meter_share"] if values.get("progressive_pays", True) else ["raise"]
    # Whether a preset that cannot be read would have stated it, nobody knows.
    if preset_known:
        problems.extend(
            _Problem(place, option, "missing, stated neither by the file nor by a preset")
            for option in required
            if option not in stated
        )
    problems.extend(_Problem(place, option, found) for option, found in _contradictions(values))
    if problems:
        stands = [(place, "preset"), *((layer, option) for layer, keys in layers for option in keys)]
        # What no line states comes last.
        problems.sort(key=lambda problem: stands.index(problem[:2]) if problem[:2] in stands else len(stands))
        raise HouseRulesError([": ".join(problem) for problem in problems])
    return HouseRules(**values)


def _values(layers: list[tuple[str, dict[str, Any]]], problems: list[_Problem]) -> dict[str, Any]:
    """The values of the layers by field, the later layer over the earlier; defaults where none states it.

    A field that is stated wrongly is left out, so that nothing is concluded from it.
    """
    values: dict[str, Any] = {
        field.name: field.default for field in _FIELDS.values() if field.default is not msgspec.NODEFAULT
    }
    wrong = set()
    for layer, keys in layers:
        for option, value in keys.items():
            if option not in _FIELDS:
                problems.append(_unknown(layer, option))
                continue
            try:
                values[_FIELDS[option].name] = _value(option, value)
            except ValueError as found:
                problems.extend(_Problem(layer, option, text) for text in found.args)
                wrong.add(_FIELDS[option].name)
    for field in wrong:
        values.pop(field, None)
    if not values.get("progressive_pays"):
        values.setdefault("meter_share_ppm", 0)
    if "coin_value_cents" in values:
        values.setdefault("contribution_bound_cents", 7 * values["coin_value_cents"])
    if "reset_cents" in values:
        values.setdefault("meter_start_cents", values["reset_cents"])
    return values


def _unknown(layer: str, option: str) -> _Problem:
    """An option that does not exist: sixty names would hide the one that was meant."""
    shown = option if re.fullmatch(r"[\w-]{1,40}", option) else written(option)
    near = get_close_matches(option, ["preset", *_FIELDS], n=1)
    nearest = f"the nearest is {near[0]}; " if near else ""
    return _Problem(layer, shown, f"unknown, {nearest}allowed is what HOUSE_RULES.md lists under Options")


def _keys(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise HouseRulesError([f"{place}: not TOML: brackets are nested too deeply"]) from None
    except ValueError as problem:
        # Nothing else can be said about a text that cannot be read, or about a number without end.
        raise HouseRulesError([f"{place}: not TOML: {problem}"]) from None


def _contradictions(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What does not go together, as far as the values are known: options, and what is wrong with them.

    HOUSE_RULES.md, The form of a house-rule file, last paragraph.
    """
    if values.keys() >= {"betting_ms", "betting_warning_ms"}:
        betting_ms, warning_ms = values["betting_ms"], values["betting_warning_ms"]
        if warning_ms > betting_ms:
            yield "betting_warning_ms", f"found {warning_ms}, allowed is at most betting_ms, {betting_ms}"
    if values.keys() >= {"meter_share_ppm", "reserve_share_ppm"}:
        ppm = values["meter_share_ppm"] + values["reserve_share_ppm"]
        if ppm > WHOLE_PPM:
            yield "meter_share + reserve_share", f"found {share_text(ppm)} together, allowed is at most 1"
    if values.keys() >= {"reset_cents", "meter_limit_cents"}:
        reset_cents, limit_cents = values["reset_cents"], values["meter_limit_cents"]
        if limit_cents and reset_cents > limit_cents:
            limit = money_text(limit_cents)
            yield "reset", f"found {money_text(reset_cents)}, allowed is at most meter_limit, {limit}"


PARAMETERS: Final = (
    "coin_value",
    "meter_share",
    "reserve_share",
    "reset",
    "meter_limit",
    "contribution_bound",
)


def with_parameters(rules: HouseRules, parameters: Mapping[str, str]) -> HouseRules:
    """The rules with parameters of the progressive changed together, each written as in the file.

    They are judged as a whole, so that two changes may be right only with each other. Raises
    `HouseRulesError` as for a file (HOUSE_RULES.md, The progressive).
    """
    values: dict[str, Any] = {}
    problems = []
    for option, text in parameters.items():
        if option not in PARAMETERS:
            problems.append(f"parameter: found {written(option)}, allowed is {', '.join(PARAMETERS)}")
            continue
        try:
            values[_FIELDS[option].name] = _value(option, text)
        except ValueError as problem:
            problems.append(f"parameter: {option}: {problem}")
    coins = (rules.coin_value_cents, values.get("coin_value_cents", rules.coin_value_cents))
    if rules.contribution_bound_cents == 7 * coins[0]:
        # The bound stands at its default, which goes with the coin.
        values.setdefault("contribution_bound_cents", 7 * coins[1])
    changed = msgspec.structs.replace(rules, **values)
    if not problems:
        found = _contradictions(msgspec.structs.asdict(changed))
        problems = [f"parameter: {name}: {problem}" for name, problem in found]
    if problems:
        raise HouseRulesError(problems)
    return changed


# ------------------------------------------------------------------------------ odd, but legal

# The number of hands of each kind among all five-card hands, from the royal downwards.
_HANDS: Final = (4, 36, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540)


def warnings(rules: HouseRules) -> list[str]:
    """What is legal and odd, a sentence each (HOUSE_RULES.md, The form of a house-rule file).

    A lower hand that pays more than a higher one, where a percentage counts as it is of the meter at
    `reset`; and a limit below the mean of the meter in the long run.
    """
    tables = {
        "raise": rules.raise_pays,
        "bonus": rules.bonus_pays,
        "progressive": tuple(prize.of(rules.reset_cents) for prize in rules.progressive_pays),
    }
    odd = []
    for option, pays in tables.items():
        for line, (upper, lower) in enumerate(pairwise(pays)):
            if lower > upper:
                kinds = Category(Category.ROYAL_FLUSH - line - 1), Category(Category.ROYAL_FLUSH - line)
                odd.append(f"{option}: {kinds[0].label} pays more than {kinds[1].label}")
    if rules.has_progressive and rules.meter_start_cents < rules.reset_cents:
        start, reset = money_text(rules.meter_start_cents), money_text(rules.reset_cents)
        odd.append(f"meter_start: {start} is below reset, {reset}: no table can be installed with it")
    mean_cents = long_run_mean_cents(rules)
    if rules.has_progressive and 0 < rules.meter_limit_cents < mean_cents:
        limit = money_text(rules.meter_limit_cents)
        odd.append(f"meter_limit: {limit} is below the long-run mean of the meter, {money_text(mean_cents)}")
    return odd


def long_run_mean_cents(rules: HouseRules) -> int:
    """Where the meter of a single bettor stands on average when a hand is dealt, without its limit.

    In balance, what a coin brings (its shares, and `reset` as often as a royal comes) is what the
    prizes take: percentages of the mean, and fixed prizes where the meter pays them.
    """
    if not rules.has_progressive:
        return 0
    lines = list(zip(_HANDS, rules.progressive_pays, strict=False))
    share_ppm = rules.meter_share_ppm + rules.reserve_share_ppm
    brought = rules.coin_value_cents * share_ppm * sum(_HANDS) + _HANDS[0] * rules.reset_cents * WHOLE_PPM
    if rules.fixed_awards_from == "meter":
        brought -= sum(hands * prize.cents for hands, prize in lines) * WHOLE_PPM
    return max(rules.reset_cents, brought // sum(hands * prize.ppm for hands, prize in lines))
