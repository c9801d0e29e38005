"""Whatever happens at a table, in whatever order, under whatever house rules, some things always hold.

Each row of happenings is played on the pure table under the eyes of a witness, who checks after every
message what no rule of any house may break: money, cards, holds, alarms, secrets, replay.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import get_args

from hypothesis import HealthCheck, given, settings

from table_controller.table import messages as m
from table_controller.table.rulings import RULINGS
from tests.table.happenings import HAPPENINGS_BY_CHANCE, Hands, Happening
from tests.table.houses import TABLES_BY_CHANCE, Table
from tests.table.witness import Witness

EXAMPLES_ON_THE_BUILD_SERVER = 2_000
EXAMPLES_AT_A_DESK = 150
ON_THE_BUILD_SERVER = bool(os.environ.get("CI"))
REACHED: Counter[str] = Counter()
"""In how many rows a phase, a fact, an alarm or a hold was reached."""

OFTEN = {
    *get_args(m.Phase),
    "RoundSettled",
    "RoundVoided",
    "AwardHeld",
    "AwardPaid",
    "Withdrawn",
    "clean round",
}
SELDOM = {
    *(f"hold {reason}" for reason in RULINGS),
    "AwardRejected",
    "HandDead",
    "HandKilled",
    "ParameterChanged",
}


@settings(
    max_examples=EXAMPLES_ON_THE_BUILD_SERVER if ON_THE_BUILD_SERVER else EXAMPLES_AT_A_DESK,
    derandomize=ON_THE_BUILD_SERVER,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(TABLES_BY_CHANCE, HAPPENINGS_BY_CHANCE)
def play_before_a_witness(table: Table, happenings: list[Happening]) -> None:
    witness = Witness(table)
    hands = Hands(table, witness.send, lambda: witness.state)
    witness.send(m.Started((), True, True, "test", table.known))
    for happening in happenings:
        hands.happen(happening)
    witness.replay()
    REACHED.update(witness.reached)


def test_whatever_happens_money_cards_holds_and_secrets_are_kept() -> None:
    play_before_a_witness()
    # Rows that never come to a deal or an award would prove nothing.
    assert REACHED.keys() >= OFTEN
    if ON_THE_BUILD_SERVER:
        assert REACHED.keys() >= SELDOM
