"""Whatever happens at a table, in whatever order, under whatever house rules, some things always hold.

Each row of happenings is played on the pure table under the eyes of a witness, who checks after every
message what no rule of any house may break: money, cards, holds, alarms, secrets, replay.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from table_controller.table import messages as m
from table_controller.table.rulings import RULINGS
from table_controller.table.state import TableState
from tests.table.happenings import HAPPENINGS_BY_CHANCE, Hands, Happening
from tests.table.houses import TABLES_BY_CHANCE, Table
from tests.table.inspector import Inspector
from tests.table.rounds import ROYAL, revealed
from tests.table.tabletop import TableTop
from tests.table.witness import Witness

EXAMPLES_ON_THE_BUILD_SERVER = 2_000
EXAMPLES_AT_A_DESK = 200
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
    "DayOpened",
    "TrialBegun",
}
SELDOM = {
    "DayClosed",
    *(f"hold {reason}" for reason in RULINGS),
    "AwardRejected",
    "HandDead",
    "HandKilled",
    "ParameterChanged",
    "HitRecorded",
    "HitDecided",
    "HitWithdrawn",
    "HitPaid",
    "HitWithheld",
    "HitReleased",
    "MeterReset",
    "CorrectionSeconded",
    "MeterCorrected",
    "ShiftChanged",
    "SoftwareChanged",
    "ClockWasSet",
    "LineTried",
    "WalkRecorded",
    "TrialEnded",
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
    if table.installed:
        witness.send(m.Installed(table.known, ("ann", "bob"), "A-1", "test", ""))
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


def poorer(state: TableState) -> TableState:
    assert state.meter is not None
    meter = msgspec.structs.replace(state.meter, exact=1, taken_cents=state.meter.cents)
    return msgspec.structs.replace(state, meter=meter)


def forgetful(state: TableState) -> TableState:
    assert state.books is not None
    return msgspec.structs.replace(state, books=msgspec.structs.replace(state.books, owed={}))


def uncounted(state: TableState) -> TableState:
    assert state.books is not None
    return msgspec.structs.replace(state, books=msgspec.structs.replace(state.books, levels={}))


@pytest.mark.parametrize(
    ("breach", "facts", "found"),
    [
        (poorer, (), "the books of the meter moved and nothing shows it"),
        (poorer, (m.MeterChanged(1_000_000, 0, "power"),), "the meter fell for 'power'"),
        (forgetful, (), "an award vanished that nobody paid"),
        (uncounted, (), "an award is in no book of its hand"),
    ],
)
def test_the_inspector_would_find_a_breach(
    breach: Callable[[TableState], TableState], facts: tuple[m.Fact, ...], found: str
) -> None:
    table = TableTop('preset = "us"\n').run(revealed({1: ROYAL}) + "stub 42\nsup confirm 1")
    inspector = Inspector()
    with pytest.raises(AssertionError, match=found):
        inspector.watch(table.house, table.state, breach(table.state), facts)
