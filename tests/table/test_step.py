"""The transition table as a whole: every message has an answer, a refusal changes nothing, nothing leaks."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from hw_sim.words import parse_line
from table_controller.table import messages as m
from table_controller.table.state import decode_state, encode_state
from table_controller.table.step import HANDLERS, step
from table_controller.table.views import outputs, snapshot
from tests.table.tabletop import WALL_MS, TableTop

ROUND = """
ante 1 10.00
bonus 1 5.00
coin 1
ante 3 10.00
lock
deal 9H>1 QS>3 KD>D 9D>1 QD>3 AC>D 4C>1 5H>3 6S>D 7S>1 5C>3 3H>D 2C>1 8D>3 TC>D
raise 1 20.00
raise 3
close
reveal
clear
"""
PHASES = get_args(m.Phase)

SAMPLES: list[m.AnyMessage] = [
    m.CardScanned("7H", False, 90),
    m.CardUnreadable(90),
    m.FrameLost(1, 90),
    m.BadFrame(),
    m.ShoeLost(),
    m.ShoeFound(8, 1),
    m.ChipsPlaced("raise", 2),
    m.ChipsLifted("ante", 1),
    m.CoinDropped(2),
    m.CoinFaulted(2, "stuck"),
    m.LampFailed(2),
    m.LampMended(2),
    *(m.KeyPressed(key) for key in get_args(m.Key)),
    m.HealthChanged("meter", False),
    m.TimePassed(),
    m.ClockSet(-3_600_000),
    m.AccessTried("role", "cy", "VoidRound", "127.0.0.1", 1),
    m.KeysRead(("ann supervisor", "MAIN display")),
    *(
        m.Said(command, "ann", "supervisor", "because")
        for command in (
            m.SetAmount("ante", 2, 1000),
            m.AddAmount("ante", 1, 500),
            m.RepeatAmounts(0),
            m.DoubleAmounts(0),
            m.UndoAmount(),
            m.ClearAmounts(0),
            m.PressKey("lock"),
            m.Fold(1),
            m.StateCount("1", 4),
            m.StateHand("1", ("9H", "9D", "4C", "7S", "2C")),
            m.MoveCard("9H", "3"),
            m.DiscardCard("9H"),
            m.StateUpcard("TC"),
            m.StateExposed("KD"),
            m.RescanCard("7H"),
            m.CountTokens(1),
            m.CountStub(37),
            m.ReturnCoin(1),
            m.Claim(1),
            m.VoidRound(),
            m.DeadHand(1, "conduct"),
            m.Withdraw(),
            m.KillHand(2),
            m.Resume(),
            m.FoldShort(1),
            m.ReturnExcess(1, 500),
            m.NewDeck(),
            m.UseDeck("blue"),
            m.LogOn(),
            m.LogOff(),
            m.ClearAlarm("late_coin", "1"),
            m.ConfirmAward(1),
            m.RejectAward(1),
            m.SetParameter("reset", "20000.00", "A-1"),
            m.CorrectMeter("meter", 5_000_000, "display_wrong", "A-2"),
            m.PayHit("T1-A000001", "cage"),
            m.WithholdHit("T1-A000001", "tax"),
            m.ReleaseHit("T1-A000001"),
            m.OpenDay(),
            m.CloseDay(),
            m.ChangeShift("night"),
            m.BeginTrial("the laboratory, by mail"),
            m.EndTrial(),
            m.TrySeat(1),
            m.LampSeen(1),
        )
    ),
]


def table_in(phase: str, house_rules: str = 'preset = "live"\n') -> TableTop:
    table = TableTop(house_rules)
    if phase == "idle":
        run(table, ROUND)
        return table
    for line in ROUND.strip().splitlines():
        if table.state.phase == phase:
            return table
        if phase == "void" and table.state.phase == "deciding":
            table.say({"type": "VoidRound"}, "supervisor")
            return table
        run(table, line)
    raise AssertionError(f"the round never was in {phase}")


def run(table: TableTop, script: str) -> None:
    for number, text in enumerate(script.strip().splitlines(), start=1):
        table.do(parse_line(text, number))


def test_every_event_and_every_command_has_a_handler_and_a_sample() -> None:
    known = {*get_args(m.AnyEvent), *get_args(m.AnyCommand)}
    assert set(HANDLERS) == known
    sampled = {type(s.command) if isinstance(s, m.Said) else type(s) for s in SAMPLES}
    assert sampled == known - {m.Started, m.Installed, m.Carried, m.Recovered}


@pytest.mark.parametrize("phase", PHASES)
def test_every_message_has_an_answer_in_every_phase(phase: str) -> None:
    table = table_in(phase)
    assert table.state.phase == phase
    before = encode_state(table.state)
    for message in SAMPLES:
        stamp = m.Stamp(table.at_ms + 50, WALL_MS)
        state, facts = step(table.house, table.state, stamp, message)
        assert encode_state(table.state) == before, "a step changes the state it was given"
        refused = [fact for fact in facts if isinstance(fact, m.CommandRefused | m.KeyRefused)]
        if refused:
            assert len(facts) == 1
            assert refused[0].reason
            assert state is table.state
        assert step(table.house, table.state, stamp, message) == (state, facts), "a step is not pure"


def test_a_refusal_names_no_card() -> None:
    table = table_in("deciding")
    faces = {card.card for card in table.state.cards}
    for message in SAMPLES:
        _, facts = step(table.house, table.state, m.Stamp(table.at_ms, WALL_MS), message)
        for fact in facts:
            if isinstance(fact, m.CommandRefused):
                assert not faces & set(fact.reason.replace(",", " ").split())


def test_a_round_has_a_number_that_says_table_day_time_and_count() -> None:
    table = TableTop('preset = "us"\n')
    assert table.state.round == "T1-20260921-141320-000001"


@pytest.mark.parametrize(
    ("wall_ms", "day"), [(951_782_400_000, "20000229"), (0, "19700101"), (4_102_444_799_999, "20991231")]
)
def test_the_day_in_a_round_number_is_the_day_of_the_calendar(wall_ms: int, day: str) -> None:
    table = table_in("idle")
    state, _ = step(table.house, table.state, m.Stamp(table.at_ms, wall_ms), m.KeyPressed("open"))
    assert state.round.split("-")[1] == day


HIDDEN = """
ante 1 10.00
bonus 1 5.00
coin 1
ante 3 10.00
lock
deal {0}>1 {1}>3 {2}>D {3}>1 {4}>3 {5}>D {6}>1 {7}>3 {8}>D {9}>1 {10}>3 {11}>D {12}>1 {13}>3 TC>D
raise 1 20.00
fold 3
"""


def seen_of(house_rules: str, cards: list[str]) -> list[bytes]:
    """Everything that anybody could see of a table, byte by byte, up to the last decision."""
    table = TableTop(house_rules)
    seen = []
    for number, text in enumerate(HIDDEN.format(*cards).strip().splitlines(), start=1):
        table.do(parse_line(text, number))
        seen.append(msgspec.json.encode(outputs(table.house, table.state, table.at_ms)))
        seen.append(msgspec.json.encode(snapshot(table.house, table.state, table.at_ms)))
    return [*seen, msgspec.json.encode(table.facts)]


@pytest.mark.parametrize("rules", ["", 'percent_base = "meter_at_lock"\n', "decision_ms = 9000\n"])
def test_item_63_rounds_that_differ_in_hidden_cards_look_the_same_byte_for_byte(rules: str) -> None:
    house_rules = f'preset = "us_standard"\n{rules}'
    royal = "TD QS KC JD QH AC QD 5H 6S KD 5C 3H AD 8D".split()
    nothing = "2D 4S 6C 8H TH QC 3D 5S 7C 9H JH KS 4D 2S".split()
    assert seen_of(house_rules, royal) == seen_of(house_rules, nothing)


def test_the_check_for_leaks_would_see_a_leak() -> None:
    # Where the players' cards lie face up, two rounds with other cards do look different.
    royal = "TD QS KC JD QH AC QD 5H 6S KD 5C 3H AD 8D".split()
    nothing = "2D 4S 6C 8H TH QC 3D 5S 7C 9H JH KS 4D 2S".split()
    assert seen_of('preset = "live"\n', royal) != seen_of('preset = "live"\n', nothing)


def test_a_state_survives_its_own_encoding_in_every_phase() -> None:
    for phase in PHASES:
        state = table_in(phase).state
        assert decode_state(encode_state(state)) == state


def test_more_lost_cards_than_the_deck_has_leave_only_a_void_and_another_deck() -> None:
    table = table_in("dealing")
    table.send(m.FrameLost(200_000, 16))
    assert len(table.state.cards) == 52
    run(table, "see hold frame_lost\nsup resume\nsee refused\nrescan 2C\nsee refused\nsup void")
    run(table, "clear\nopen\nante 1 10.00\nlock\nsee refused\nsup new_deck\nlock\nsee phase dealing")


def test_what_is_no_card_cannot_be_read_by_hand() -> None:
    table = table_in("dealing")
    run(table, "deal ??>1")
    for text in ("XX", "10", "", "KDD"):
        table.say({"type": "RescanCard", "card": text})
        assert "is no card" in table.refused
    run(table, "rescan 9H\nsee phase dealing")
