"""Misdeals and dead hands as data: which alarm holds the table, and what may end the hold.

One line per reason, with the paragraph it comes from. Whether a reason holds at all, and whether only
a void ends it, are pure predicates over the house rules. A rule that voids does not void by itself:
the table is held and a supervisor says so, because money moves on a person's word (DETAILS.md, Holds).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from table_controller.engine.house_rules import HouseRules

Scope = Literal["seat", "table", "table except the progressive"]
Test = Callable[[HouseRules], bool]


class Ruling(msgspec.Struct, frozen=True):
    """What one alarm does to the table."""

    paragraph: str
    scope: Scope
    ends: str
    """What ends the hold, in words for the person who has to say it."""
    holds: Test
    void_only: Test
    resumable: bool = False


def _always(_: HouseRules) -> bool:
    return True


def _never(_: HouseRules) -> bool:
    return False


RULINGS: dict[str, Ruling] = {
    "dealer_short": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, dealer_short",
        "table",
        "a void",
        holds=lambda rules: rules.dealer_short != "complete",
        void_only=_always,
    ),
    "dealer_long": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, dealer_long", "table", "a void", _always, _always
    ),
    "hole_exposed": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, hole_exposed_before_close",
        "table",
        "a void",
        holds=lambda rules: rules.hole_exposed_before_close == "void_all",
        void_only=_always,
    ),
    "card_exposed": Ruling(
        "HOUSE_RULES.md, The deal, card_exposed_in_deal",
        "table",
        "a void",
        holds=lambda rules: rules.card_exposed_in_deal == "void_round",
        void_only=_always,
    ),
    "boxed_card": Ruling("HOUSE_RULES.md, The deal, boxed_card", "table", "a void", _always, _always),
    "misplaced_card": Ruling(
        "HOUSE_RULES.md, The deal, misplaced_card",
        "table",
        "resume (the cards stay, hands are stated after CLOSE) or a void",
        holds=_always,
        void_only=lambda rules: rules.misplaced_card == "void_round",
        resumable=True,
    ),
    "duplicate_card": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, defective_deck", "table", "a void", _always, _always
    ),
    "foreign_card": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, defective_deck", "table", "a void", _always, _always
    ),
    "unreadable_card": Ruling(
        "HOUSE_RULES.md, The deal, scanner_fault",
        "table",
        "a rescan or a void",
        holds=_always,
        void_only=lambda rules: rules.scanner_fault == "void_round",
    ),
    "frame_lost": Ruling(
        "HOUSE_RULES.md, The deal, scanner_fault",
        "table",
        "a rescan or a void",
        holds=_always,
        void_only=lambda rules: rules.scanner_fault == "void_round",
    ),
    "player_miscount": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, player_miscount",
        "seat",
        "a dead hand, a void, or resume once a discard made it five again",
        holds=_always,
        void_only=lambda rules: rules.player_miscount == "void_all",
        resumable=True,
    ),
    "extra_hand": Ruling(
        "HOUSE_RULES.md, The deal, extra_hand",
        "table",
        "the extra hand killed, or a void",
        holds=_always,
        void_only=lambda rules: rules.extra_hand == "void_round",
    ),
    "token_count": Ruling(
        "HOUSE_RULES.md, The deal, token_count", "table", "resume or a void", _always, _never, resumable=True
    ),
    "shoe_lost": Ruling(
        "DETAILS.md, Holds, shoe_lost",
        "table",
        "resume (once the shoe is back) or a void",
        _always,
        _never,
        resumable=True,
    ),
    "restarted_mid_round": Ruling(
        "HOUSE_RULES.md, Power and recovery, power_loss_mid_round",
        "table",
        "resume or a void",
        holds=_always,
        void_only=lambda rules: rules.power_loss_mid_round == "void",
        resumable=True,
    ),
    "jackpot_hold": Ruling(
        "HOUSE_RULES.md, The progressive, jackpot_hold_from",
        "seat",
        "a confirm or a reject of each award by two people, or a void",
        _always,
        _never,
    ),
    "jackpot_hand_in_void_round": Ruling(
        "HOUSE_RULES.md, Misdeals and dead hands, jackpot_hand_in_void_round",
        "seat",
        "a confirm or a reject of each award by two people",
        _always,
        _never,
    ),
    "deck_short": Ruling(
        "DETAILS.md, Holds, deck_short", "table", "a right count or a new deck", _always, _never
    ),
}


SUPERVISOR_CLEARS: frozenset[str] = frozenset(
    {*RULINGS, "order_in_doubt", "claim", "coin_stuck", "lamp_dead", "meter_down", "display_down"}
)
"""Alarms that only a supervisor may clear: whatever can hold the table, what a player disputes, and
what touches the meter. The dealer clears the others."""
