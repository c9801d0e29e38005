"""What the dealer pays and takes at each seat, with the arithmetic in words (pure).

It is told from the public snapshot and the house alone, so only after the settlement or a void, and a
hand that lies face down is never named. The results are the table's; odds are worked out only to say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from table_controller.engine.cards import parse_card
from table_controller.engine.hands import best_of_six, category, hand_name, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.engine.settlement import in_settle_order
from table_controller.reckoning import stake_words
from table_controller.view_words import seat_moves

Json = Mapping[str, Any]


def dues(state: Json, house: Json) -> list[dict[str, Any]]:
    """Each seat at which anything lay, in the order in which the house settles; empty before that."""
    if state.get("result") not in ("settled", "void") or not house.get("rules"):
        return []
    rules = _rules(msgspec.json.encode(house["rules"]))
    seats = {seat["seat"]: seat for seat in state["seats"] if _lay(seat)}
    return [_due(rules, state, seats[number]) for number in in_settle_order(rules, seats)]


@lru_cache(maxsize=8)
def _rules(text: bytes) -> HouseRules:
    return msgspec.json.decode(text, type=HouseRules)


def _lay(seat: Json) -> bool:
    return any(result != "none" for result in seat["results"].values())


def _due(rules: HouseRules, state: Json, seat: Json) -> dict[str, Any]:
    pays_cents, takes_cents = seat_moves(state, seat)
    documents = [
        {"document": one["document"], "cents": one["cents"]}
        for one in state["awards"]
        if one["seat"] == seat["seat"] and one["confirmed"]
    ]
    return {
        "seat": seat["seat"],
        "pays_cents": pays_cents,
        "takes_cents": takes_cents,
        "lines": list(_lines(rules, state, seat)),
        "documents": documents,
    }


def _lines(rules: HouseRules, state: Json, seat: Json) -> Iterator[str]:
    results = seat["results"]
    why = {"ante": "", "raise": "", "bonus": ""}
    if state["result"] == "settled" and not seat["dead"]:
        why = {
            "ante": _ante_why(rules, state, seat),
            "raise": _raise_why(rules, seat),
            "bonus": _bonus_why(rules, state, seat),
        }
    for spot in ("ante", "raise", "bonus"):
        result = results[spot]
        # A stake that was given back lies there no more: what went back is what the result says.
        stake_cents = seat[spot]["cents"] or cents_of(result)
        if line := stake_words(spot, stake_cents, result, why[spot]):
            yield line
    yield from _coin_lines(rules, state, seat)


def _coin_lines(rules: HouseRules, state: Json, seat: Json) -> Iterator[str]:
    won = [one for one in state["awards"] if one["seat"] == seat["seat"] and one["status"] == "paid"]
    why = ""
    if won:
        parts = []
        for one in won:
            hand = one["hand"].replace("_", " ") + (" share" if one["kind"] == "share" else "")
            by = f", by document {one['document']}" if one["confirmed"] else ""
            parts.append(f"{hand} {money_text(one['cents'])}{by}")
        why = f" ({'; '.join(parts)})"
    elif seat["results"]["coin"].startswith("lose") and seat["folded"] and not rules.fold_keeps_coin:
        why = " (folded)"
    if line := stake_words("coin", rules.coin_value_cents, seat["results"]["coin"], why):
        yield line


def cents_of(result: str) -> int:
    """The amount of a result in table words, in cents."""
    return int(result.partition(" ")[2].replace(".", "") or 0)


def _odds_words(stake_cents: int, odds: int, result: str, hand: str, limit: str = "") -> str:
    """Why a bet wins that much; no reason is better than one that does not come to the amount."""
    if not result.startswith("win") or not odds:
        return ""
    words = f"{odds} to 1" + (f", {hand}" if hand else "")
    due_cents = stake_cents * odds
    if due_cents == cents_of(result):
        return f" ({words})"
    if limit and cents_of(result) < due_cents:
        return f" ({words}, is {money_text(due_cents)}, cut by the limit of {limit})"
    return ""


def _ante_why(rules: HouseRules, state: Json, seat: Json) -> str:
    result = seat["results"]["ante"]
    if seat["folded"]:
        return " (folded)" if result.startswith("lose") else ""
    qualifies = state["dealer"]["qualifies"]
    if qualifies is None:
        return ""
    if not qualifies and not result.startswith("win"):
        return " (the dealer does not qualify)"
    odds = 1 if qualifies else rules.nonqualify_odds
    return _odds_words(
        seat["ante"]["cents"] or 0, odds, result, "" if qualifies else "the dealer does not qualify"
    )


def _raise_why(rules: HouseRules, seat: Json) -> str:
    result = seat["results"]["raise"]
    hand = _hand(seat["cards"])
    if hand is None or not result.startswith("win"):
        return ""
    kind = category(strength(hand))
    limit = ""
    if rules.aggregate_limit_cents:
        limit = f"{money_text(rules.aggregate_limit_cents)} a {rules.limit_scope}"
    words = kind.label.replace("_", " ")
    return _odds_words(seat["raise"]["cents"] or 0, rules.raise_odds(kind), result, words, limit)


def _bonus_why(rules: HouseRules, state: Json, seat: Json) -> str:
    result = seat["results"]["bonus"]
    if not result.startswith(("win", "lose")):
        return ""
    if seat["folded"] and not rules.fold_keeps_bonus:
        return " (folded)"
    stake_cents = seat["bonus"]["cents"] or 0
    if result.startswith("lose"):
        return " (no hand that is paid)"
    odds, rest = divmod(cents_of(result), stake_cents) if stake_cents else (0, 1)
    if rest:
        return ""
    return _odds_words(stake_cents, odds, result, _bonus_hand(rules, state, seat, odds))


def _bonus_hand(rules: HouseRules, state: Json, seat: Json, odds: int) -> str:
    """The hand of six cards that was paid; empty where a card of it lies face down or is in doubt."""
    hand, up = _hand(seat["cards"]), _up_card(rules, state)
    if hand is None or up is None:
        return ""
    try:
        best = best_of_six((*hand, parse_card(up)))
    except ValueError:
        return ""
    return hand_name(best) if rules.bonus_odds(category(best)) == odds else ""


def _hand(cards: list[str | None]) -> tuple[Any, ...] | None:
    """The five cards of a hand that lies face up, else None."""
    try:
        return tuple(parse_card(card or "") for card in cards) if len(cards) == 5 else None
    except ValueError:
        return None


def _up_card(rules: HouseRules, state: Json) -> str | None:
    """The dealer's card that was turned up, where its place among the five says so."""
    cards: list[str | None] = state["dealer"]["cards"]
    if len(cards) != 5 or rules.upcard == "declared":
        return None
    return cards[0] if rules.upcard == "first" else cards[-1]
