"""What a figure holds: which options of the house rules are in it, and which it leaves out by name.

An option is honoured by a figure, or it moves no money in a round that is dealt and settled without
an irregularity, or a note says that it is not part of the figure: a note of the side bet's own
(`not_in_the_figure`), or one of those here. There is no other kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text

HONOURED: Final = frozenset(
    {
        # The main game.
        "raise",
        "nonqualify_ante",
        "unpaid_ante",
        "nonqualify_odds",
        # The bonus.
        "bonus",
        # The progressive.
        "progressive",
        "coin_value",
        "meter_share",
        "reserve_share",
        "reset",
    }
)
"""Options that a figure is computed from, whatever their value."""

SAID_BY_THE_FIGURE: Final = frozenset(
    {
        "fold_keeps_bonus",
        "fold_keeps_coin",
        "meter_limit",
        "fixed_awards_from",
        "percent_base",
        "royal_split",
        "royal_minimum",
        "straight_flush_first",
        "settle_order",
        "odd_cent",
    }
)
"""Options that the figure of a side bet honours as far as it can; what it cannot, it says itself."""

WITHOUT_EFFECT: Final = frozenset(
    {
        # Which card lies where changes no chance: every order of the deck is as likely.
        "deal_order",
        "upcard",
        # Who plays best decides in time.
        "betting_ms",
        "betting_warning_ms",
        "decision_ms",
        # A round waits, is refused or is shown in another way.
        "token_count",
        "raise_mismatch",
        "contribution_bound",
        "lamp_before_lock",
        "jackpot_hold_from",
        "jackpot_verify",
        "parameter_change",
    }
)
"""Options that move no money in a round without an irregularity."""


class Note(NamedTuple):
    """Options that are not part of a figure, when that matters, and what the figure is instead."""

    options: tuple[str, ...]
    matters: Callable[[HouseRules], bool]
    says: Callable[[HouseRules], str]


def _always(_: HouseRules) -> bool:
    return True


OF_EVERY_FIGURE: Final = (
    Note(
        ("aggregate_limit", "limit_scope"),
        lambda rules: rules.aggregate_limit_cents > 0,
        lambda rules: (
            f"raises are paid up to {money_text(rules.aggregate_limit_cents)} a {rules.limit_scope}, "
            "which depends on the stakes; here every raise is paid in full"
        ),
    ),
    Note(
        ("player_cards",),
        lambda rules: rules.player_cards == "face_up",
        lambda _: (
            "the cards of other seats lie face up and could be used; "
            "the decisions here know the player's own five cards and the dealer's up card"
        ),
    ),
    Note(
        ("player_miscount", "dead_hand_bonus", "dead_hand_coin", "conduct", "short_raise"),
        _always,
        lambda _: "dead hands and raises that are not made in full",
    ),
    Note(
        (
            "boxed_card",
            "card_exposed_in_deal",
            "misplaced_card",
            "extra_hand",
            "scanner_fault",
            "stub_count_every",
            "dealer_short",
            "dealer_long",
            "hole_exposed_before_close",
            "defective_deck",
            "power_loss_mid_round",
        ),
        _always,
        lambda _: "misdeals and void rounds; every round here is dealt and settled without an irregularity",
    ),
)
"""Notes that hold for the main game and every side bet."""

OF_THE_PROGRESSIVE: Final = (
    Note(
        ("meter_start",),
        lambda rules: rules.meter_start_cents != rules.reset_cents,
        lambda rules: (
            f"the first meter starts at {money_text(rules.meter_start_cents)}; "
            "in the long run the meter starts at its reset"
        ),
    ),
    Note(
        (
            "jackpot_hand_in_void_round",
            "coin_on_void",
            "void_contribution",
            "late_coin",
            "coin_without_ante",
            "second_coin",
            "progressive_fault_before_lock",
            "progressive_fault_after_lock",
            "light_off_claim",
        ),
        _always,
        lambda _: "coins that are given back, void rounds and faults of the progressive",
    ),
)
"""Notes that hold where the house offers the progressive."""

_TABLE: Final = (
    "table limits and chip sizes, which are a table's and not the house rules': "
    "every figure is per unit staked, without rounding to chips"
)


def not_in_the_figure(rules: HouseRules) -> tuple[str, ...]:
    """What matters under these rules and is in no figure, of the main game neither, a sentence each."""
    return (*_said(OF_EVERY_FIGURE, rules), _TABLE)


def not_in_the_progressive(rules: HouseRules) -> tuple[str, ...]:
    """What matters beside that for the progressive, if the house offers it."""
    return _said(OF_THE_PROGRESSIVE, rules) if rules.has_progressive else ()


def _said(notes: Iterable[Note], rules: HouseRules) -> tuple[str, ...]:
    return tuple(f"{', '.join(note.options)}: {note.says(rules)}" for note in notes if note.matters(rules))
