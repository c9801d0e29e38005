"""The figures for programs, as JSON: every share with numerator, denominator and its decimal.

The decimal has fourteen digits after the point, the last one rounded half up. Counts are whole numbers
that may need more than 32 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from table_controller.odds.analysis import Analysis
from table_controller.odds.bonus import Bonus
from table_controller.odds.decimals import fraction_json
from table_controller.odds.main_game import Hand, MainGame
from table_controller.odds.progressive import MOST_BETTORS, UNIT_CENTS, Progressive
from table_controller.odds.sheet import rules_hash
from table_controller.odds.strategy import Cost


def analysis_json(of: Analysis) -> str:
    """`main`, `bonus` and `progressive` (null where the house offers none), and what they belong to."""
    return _text(
        {
            "house_rules": of.name,
            "house_rules_hash": rules_hash(of.rules),
            "software": of.software,
            "main": _main(of.main),
            "bonus": None if of.bonus is None else _bonus(of.bonus),
            "progressive": None
            if of.progressive is None
            else _progressive(of.progressive, of.coins_per_hour),
            "not_in_the_figure": of.not_in_the_figure,
        }
    )


def hand_json(found: Hand, notes: tuple[str, ...]) -> str:
    """The six counts, what both ways are worth in antes, which is best and by how much."""
    return _text(
        {
            "counts": msgspec.structs.asdict(found.counts),
            "ev_raise": fraction_json(found.ev_raise),
            "ev_fold": fraction_json(found.ev_fold),
            "best": found.best,
            "by": fraction_json(found.by),
            "not_in_the_figure": notes,
        }
    )


def strategy_json(house: str, name: str, found: Cost, played: MainGame, notes: tuple[str, ...]) -> str:
    """What a strategy costs, in antes, and the main game as it plays it."""
    worst = found.worst
    return _text(
        {
            "house_rules": house,
            "strategy": name,
            "total": found.total,
            "best_total": found.best_total,
            "deals": found.deals,
            "loss": fraction_json(found.loss),
            "pairs": found.pairs,
            "pairs_raised": found.pairs_raised,
            "pairs_folded": found.pairs_folded,
            "worst": None
            if worst is None
            else {"hand": worst.hand, "up": worst.up, "raised": worst.raised, "by": fraction_json(worst.by)},
            "main": _main(played),
            "not_in_the_figure": notes,
        }
    )


def _main(main: MainGame) -> dict[str, Any]:
    return {
        "total": main.total,
        "deals": main.deals,
        "house_edge": fraction_json(main.house_edge),
        "return_per_ante": fraction_json(main.return_per_ante),
        "raise_probability": fraction_json(main.raise_probability),
        "average_wager": fraction_json(main.average_wager),
        "element_of_risk": fraction_json(main.element_of_risk),
        "return_on_total_wager": fraction_json(main.return_on_total_wager),
        "standard_deviation": main.standard_deviation,
        "outcomes": main.outcomes,
        "results": main.results,
    }


def _bonus(side: Bonus) -> dict[str, Any]:
    return {
        "total": side.total,
        "counts": side.counts,
        "pays": side.pays,
        "return_per_bet": fraction_json(side.return_per_bet),
        "house_edge": fraction_json(side.house_edge),
        "hit_count": side.hit_count,
        "hit_frequency": fraction_json(side.hit_frequency),
        "standard_deviation": side.standard_deviation,
        "contributions": _each(side.contributions),
    }


def _progressive(side: Progressive, coins_per_hour: int) -> dict[str, Any]:
    return {
        "coin_cents": side.coin_cents,
        "total": side.total,
        "counts": {line.hand: line.hands for line in side.lines},
        "prizes": {line.hand: line.prize.text for line in side.lines},
        "fixed_return": fraction_json(side.fixed_return),
        "return_per_unit_of_meter": fraction_json(side.return_per_unit),
        "break_even_meter": fraction_json(side.break_even_cents / UNIT_CENTS),
        "return_at_reset": fraction_json(side.return_at(side.reset_cents)),
        "fixed_plus_share": fraction_json(side.fixed_plus_share),
        "long_run": fraction_json(side.long_run),
        "long_run_least": fraction_json(side.run.least),
        "long_run_most": fraction_json(side.run.most),
        "house_hold": fraction_json(side.house_hold),
        "mean_meter": fraction_json(side.run.mean_meter_cents / UNIT_CENTS),
        "hit_frequency": fraction_json(side.hit_frequency),
        "frequencies": _each({line.hand: line.frequency for line in side.lines}),
        "coins_to_royal": fraction_json(side.coins_to_royal),
        "rounds_to_royal": _each({str(n): side.rounds_to_royal(n) for n in range(1, MOST_BETTORS + 1)}),
        "coins_per_hour": coins_per_hour,
        "hours_to_royal": fraction_json(side.hours_to_royal(coins_per_hour)),
    }


def _each(values: Mapping[str, Fraction]) -> dict[str, Any]:
    return {name: fraction_json(value) for name, value in values.items()}


def _text(figures: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(figures), indent=2).decode()
