"""The second look: what is said of a decision is true, and is said from what everybody may see."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest

from table_controller.engine.house_rules import option_texts
from table_controller.table import messages as m
from table_controller.table.roles import ROLES
from table_controller.table.state import rules_now
from table_controller.table.views import snapshot
from table_controller.web.effects import NOT_KNOWN, effect_lines
from table_controller.wording import money
from tests.table.tabletop import TableTop

RULES = 'preset = "us"\nbonus = [1000, 200, 100, 20, 15, 10, 7]\n'
LAID = "ante 1 10.00\ncoin 1\nante 3 20.00\nbonus 3 5.00\nlock"


# Seat 1 gets 2H 6H 9H JH KH in one deal and nothing in the other; what lies face up is the same.
def _deal(faces: str) -> str:
    """The cards in the order of the deal, to seats 1 and 3 and the dealer in turn."""
    return "deal " + " ".join(f"{face}>{'13D'[index % 3]}" for index, face in enumerate(faces.split()))


FLUSH = _deal("KH 2S AC JH 5S 6S 9H 7C 3D 6H 8C TC 2H QD KD")
NOTHING = _deal("KH 2S AC JC 5S 6S 9D 7C 3D 6H 8C TC 2H QD KD")


def _shown(table: TableTop) -> dict[str, Any]:
    view = snapshot(table.house, table.state, table.at_ms)
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view))
    return found


def _house(table: TableTop) -> dict[str, Any]:
    rules = msgspec.json.decode(msgspec.json.encode(rules_now(table.house, table.state)))
    return {"table": "T1", "seats": table.house.seats, "rules": rules, "walk": bool(table.house.walk)}


def _look(table: TableTop, command: m.AnyCommand) -> str:
    return "\n".join(effect_lines(command, _shown(table), _house(table)))


def _example(kind: type[m.Command]) -> m.AnyCommand:
    """A command of that type with values that fit its fields."""
    values: dict[type, Any] = {int: 1, str: "KD"}
    literals = {"spot": "ante", "key": "open", "cause": "count", "pot": "meter", "why": "display_wrong"}
    literals |= {"at": "cage", "hold": "tax", "place": "1"}
    fields: dict[str, Any] = {"type": kind.__name__}
    for field in msgspec.structs.fields(kind):
        if field.name in literals:
            fields[field.name] = literals[field.name]
        elif field.name == "cards" and kind is m.StateHand:
            fields[field.name] = ["2H", "3H", "4H", "5H", "7C"]
        else:
            fields[field.name] = values[field.type]
    made: m.AnyCommand = msgspec.convert(fields, m.AnyCommand)
    return made


@pytest.mark.parametrize("kind", ROLES, ids=lambda kind: kind.__name__)
def test_every_word_of_the_table_has_a_second_look_in_sentences(kind: type[m.Command]) -> None:
    table = TableTop(RULES).run(LAID)
    for line in effect_lines(_example(kind), _shown(table), _house(table)):
        assert not line[0].islower()
        assert line.endswith(".")
        assert "{" not in line
        assert "None" not in line


def test_before_the_table_has_shown_itself_nothing_is_claimed() -> None:
    assert effect_lines(m.VoidRound(), {}, {}) == [NOT_KNOWN]


def test_a_void_gives_back_what_the_second_look_said_seat_by_seat() -> None:
    table = TableTop(RULES).run(LAID).run(FLUSH).run("raise 3\nfold 1")
    said = _look(table, m.VoidRound())
    assert "Seat 3: ante 20.00, raise 40.00, bonus 5.00 back, together 65.00." in said
    assert "Seat 1: ante 10.00 back although the seat folded." in said
    assert "All stakes that go back: 75.00." in said
    assert not table.word(m.VoidRound())
    results = {seat["seat"]: seat["results"] for seat in _shown(table)["seats"] if seat["results"]}
    assert results[3] | {"coin": ""} == {
        "ante": "refund 20.00",
        "raise": "refund 40.00",
        "bonus": "refund 5.00",
        "coin": "",
    }
    assert results[1]["ante"] == "refund 10.00"


@pytest.mark.parametrize("command", [m.VoidRound(), m.DeadHand(1, "conduct"), m.Resume(), m.ConfirmAward(1)])
def test_the_second_look_is_the_same_whatever_lies_face_down(command: m.AnyCommand) -> None:
    one, other = (TableTop(RULES).run(LAID).run(deal) for deal in (FLUSH, NOTHING))
    assert one.state.cards != other.state.cards
    assert _shown(one) == _shown(other)
    assert _look(one, command) == _look(other, command)


def test_a_void_says_of_a_coin_only_what_the_rule_says() -> None:
    table = TableTop(RULES + 'coin_on_void = "refund"\nvoid_contribution = "keep"\n').run(LAID)
    said = _look(table, m.VoidRound())
    assert "The jackpot coin at seat 1: 1.00 back." in said
    assert "stays on the meter, and the house pays for it" in said
    assert "two people decide the award" in said
    stands = TableTop(RULES + 'coin_on_void = "stands"\njackpot_hand_in_void_round = "paid"\n').run(LAID)
    assert "in action on a whole hand" in _look(stands, m.VoidRound())


def test_a_void_that_spares_the_progressive_says_so() -> None:
    table = TableTop(RULES + 'dealer_long = "progressive_only"\n').run(LAID).run(FLUSH).run("count D 6")
    said = _look(table, m.VoidRound())
    assert "Jackpot coins stay in action at seat 1" in said
    assert "is void: nothing more is played" not in said
    assert not table.word(m.VoidRound())
    assert table.state.main_void
    assert "Ante, raise and bonus went back already." in _look(table, m.VoidRound())


def test_between_rounds_there_is_nothing_to_void() -> None:
    table = TableTop(RULES)
    assert "Nothing is given back" in _look(table, m.VoidRound())
    assert table.word(m.VoidRound())


@pytest.mark.parametrize(
    ("cause", "said", "ante", "coin"),
    [
        ("conduct", "The ante of 10.00 is lost.", "lose 10.00", "lose 1.00"),
        ("count", "The ante of 10.00 goes back.", "refund 10.00", "refund 1.00"),
    ],
)
def test_a_dead_hand_loses_or_returns_what_the_second_look_said(
    cause: m.DeathCause, said: str, ante: str, coin: str
) -> None:
    table = TableTop(RULES).run(LAID).run(FLUSH).run("count 1 4")
    look = _look(table, m.DeadHand(1, cause))
    assert said in look
    assert ("The jackpot coin goes back." in look) == coin.startswith("refund")
    assert not table.word(m.DeadHand(1, cause))
    assert (table.state.seat(1).results.ante.text, table.state.seat(1).results.coin.text) == (ante, coin)  # type: ignore[union-attr]


def test_resume_names_the_hold_that_only_a_void_ends() -> None:
    table = TableTop(RULES).run(LAID).run(FLUSH).run("count D 6")
    assert "is not lifted by resuming" in _look(table, m.Resume())
    assert table.word(m.Resume())


def test_an_award_needs_two_people_and_the_look_says_for_how_much() -> None:
    table = TableTop(RULES + 'jackpot_hold_from = "10.00"\n').run(LAID).run(FLUSH)
    table.run("raise 1\nraise 3\nclose\nreveal")
    said = _look(table, m.ConfirmAward(1))
    assert "flush, 50.00" in said
    assert "a second one must say the same" in said
    assert "counted complete" in said
    assert "is not paid once two people have rejected it" in _look(table, m.RejectAward(1))
    assert "is taken back with its document" in _look(table, m.VoidRound())


def test_a_correction_is_told_with_its_difference() -> None:
    table = TableTop(RULES)
    before = table.state.meter.cents if table.state.meter else 0
    said = _look(table, m.CorrectMeter("meter", before + 2_500, "display_wrong", "GC-7"))
    assert "25.00 more" in said
    assert "GC-7" in said
    assert "the first word decides nothing, the second one corrects the pot" in said


def test_the_second_person_is_told_who_has_spoken_and_that_this_word_decides() -> None:
    table = TableTop(RULES + 'jackpot_hold_from = "10.00"\njackpot_verify = "none"\n').run(LAID).run(FLUSH)
    table.run("raise 1\nraise 3\nclose\nreveal")
    assert "decides nothing" in _look(table, m.ConfirmAward(1))
    assert not table.word(m.RejectAward(1), "ann")
    same, other = _look(table, m.RejectAward(1)), _look(table, m.ConfirmAward(1))
    assert "ann has rejected it already: if another person says so now, it is decided" in same
    assert "decides nothing" not in same + other
    assert "ann has rejected it: after this word that counts no more" in other


def test_a_parameter_is_told_with_what_it_is_now_and_not_as_in_force_while_the_day_is_open() -> None:
    table = TableTop(RULES, gaming_day=True)
    house = _house(table) | {"options": option_texts(rules_now(table.house, table.state))}
    change = m.SetParameter("reset", "12000.00", "GC-9")
    closed = "\n".join(effect_lines(change, _shown(table), house))
    assert "goes from 10000.00 to 12000.00, under approval GC-9" in closed
    assert "in force at once" in closed
    assert not table.word(m.OpenDay())
    opened = "\n".join(effect_lines(change, _shown(table), house))
    assert "in force at once" not in opened
    assert "The table refuses it now" in opened
    assert table.word(change)


def test_closing_the_day_says_what_stays_owed() -> None:
    table = TableTop(RULES, gaming_day=True, walk=True)
    assert "Gaming day 1 begins" in _look(table, m.OpenDay())
    assert "every key and every lamp" in _look(table, m.OpenDay())
    said = effect_lines(
        m.CloseDay(),
        _shown(table)
        | {"owed": [{"document": "T1-A000001", "round": "r", "seat": 2, "cents": 5_000, "hold": ""}]},
        _house(table),
    )
    assert "1 award of together 50.00 stay owed to players." in said


@pytest.mark.parametrize(("cards", "said"), [(52, "That is the whole deck."), (31, "THAT IS NOT 52")])
def test_a_count_of_the_rest_is_added_up_before_it_is_said(cards: int, said: str) -> None:
    table = TableTop(RULES).run("ante 1 10.00\n")
    look = _look(table, m.CountStub(cards))
    assert f"{cards} together" in look
    assert said in look


def test_a_short_raise_that_becomes_a_fold_goes_back_as_the_second_look_said() -> None:
    table = TableTop(RULES).run(LAID).run(FLUSH).run("raise 3 15.00")
    said = _look(table, m.FoldShort(3))
    assert "Seat 3 is folded; the 15.00 on its raise spot go back." in said
    assert "A raise there is 40.00. The ante of 20.00 is lost with the fold." in said
    assert not table.word(m.FoldShort(3))
    assert _shown(table)["seats"][2]["results"]["raise"] == "refund 15.00"


def test_the_excess_of_a_raise_leaves_what_the_second_look_said() -> None:
    table = TableTop(RULES).run(LAID).run(FLUSH).run("raise 3 55.00")
    said = _look(table, m.ReturnExcess(3, 1_500))
    assert "15.00 of the raise at seat 3 go back to the player." in said
    assert "A raise of 40.00 stays." in said
    assert not table.word(m.ReturnExcess(3, 1_500))
    assert _shown(table)["seats"][2]["raise"]["cents"] == 4_000


@pytest.mark.parametrize("keeps", [True, False])
def test_a_fold_keeps_or_loses_bonus_and_coin_as_the_second_look_said(keeps: bool) -> None:
    word = str(keeps).lower()
    table = TableTop(RULES + f"fold_keeps_bonus = {word}\nfold_keeps_coin = {word}\n")
    table.run(LAID).run(FLUSH)
    what = "stays in action" if keeps else "is lost with the fold"
    assert f"Its jackpot coin {what}." in _look(table, m.Fold(1))
    assert f"Its bonus bet {what}." in _look(table, m.Fold(3))
    table.run("fold 1\nraise 3\nclose\nreveal")
    # The hand at seat 1 is a flush, which the coin wins with where it stayed.
    assert _shown(table)["seats"][0]["results"]["coin"].partition(" ")[0] == ("win" if keeps else "lose")


def test_a_dead_hand_by_conduct_loses_its_bonus_too_as_the_second_look_said() -> None:
    table = TableTop(RULES + 'dead_hand_bonus = "refund"\n').run(LAID).run(FLUSH)
    assert "The bonus of 5.00 is lost." in _look(table, m.DeadHand(3, "conduct"))
    assert "The bonus of 5.00 goes back." in _look(table, m.DeadHand(3, "count"))
    assert not table.word(m.DeadHand(3, "conduct"))
    assert _shown(table)["seats"][2]["results"]["bonus"] == "lose 5.00"


@pytest.mark.parametrize("pot", ["meter", "reserve", "overflow"])
def test_a_correction_names_what_stands_in_that_very_pot_and_which_way_it_goes(pot: str) -> None:
    meter = {"cents": 1_000_000, "reserve_cents": 4_200, "overflow_cents": 900}
    before = dict(zip(("meter", "reserve", "overflow"), meter.values(), strict=True))[pot]
    for difference, way in ((2_500, "25.00 more"), (-300, "3.00 less"), (0, "no difference")):
        command = m.CorrectMeter(cast(m.Pot, pot), before + difference, "display_wrong", "GC-7")
        said = effect_lines(command, {"meter": meter}, {})[0]
        assert said == f"The {pot} goes from {money(before)} to {money(before + difference)}: {way}."


def _owed(**changes: Any) -> dict[str, Any]:
    one = {"document": "T1-A000001", "round": "r", "seat": 2, "cents": 5_000, "hold": "", **changes}
    return {"owed": [one, {"document": "T1-A000002", "round": "r", "seat": 4, "cents": 700, "hold": ""}]}


def test_a_payment_says_how_much_is_paid_to_whom_and_that_a_withheld_one_is_not() -> None:
    paid = "\n".join(effect_lines(m.PayHit("T1-A000001", "cage"), _owed(), {}))
    assert "T1-A000001: 50.00 for seat 2 is recorded as paid at the cage" in paid
    held = "\n".join(effect_lines(m.PayHit("T1-A000001", "cage"), _owed(hold="tax"), {}))
    assert "is withheld (tax)" in held
    assert "recorded as paid" not in held
    waits = "\n".join(effect_lines(m.WithholdHit("T1-A000001", "tax"), _owed(), {}))
    assert "T1-A000001, 50.00, is not paid until it is released (tax)." in waits
    freed = "\n".join(effect_lines(m.ReleaseHit("T1-A000001"), _owed(hold="tax"), {}))
    assert "The check of T1-A000001 is done: 50.00 can be paid. Nothing is paid yet." in freed
    unknown = effect_lines(m.PayHit("T1-A000009", "cage"), _owed(), {})
    assert unknown == ["No confirmed award with the document T1-A000009 is unpaid."]


def test_at_the_end_of_the_day_all_that_is_owed_is_added_up() -> None:
    table = TableTop(RULES, gaming_day=True)
    said = "\n".join(effect_lines(m.CloseDay(), _shown(table) | _owed(), _house(table)))
    assert "2 awards of together 57.00 stay owed to players." in said


def test_a_round_with_a_confirmed_award_is_not_said_to_become_void() -> None:
    table = TableTop(RULES + 'jackpot_hold_from = "10.00"\njackpot_verify = "none"\n').run(LAID).run(FLUSH)
    table.run("raise 1\nraise 3\nclose\nreveal")
    assert not table.both(m.ConfirmAward(1))
    shown = _shown(table)
    # Another award of the round still waits, as the second of two jackpots does.
    shown["awards"].append(shown["awards"][0] | {"seat": 3, "status": "waits", "confirmed": False})
    said = effect_lines(m.VoidRound(), shown, _house(table))
    assert said == ["An award of this round is confirmed, so the round can no longer be void."]


def test_a_royal_that_is_shared_is_decided_with_all_its_shares() -> None:
    table = TableTop(RULES)
    one = {"hand": "royal_flush", "status": "waits", "document": "", "confirmed": False}
    awards = [
        one | {"seat": 1, "kind": "royal", "cents": 600_000},
        one | {"seat": 3, "kind": "share", "cents": 400_000},
    ]
    said = "\n".join(effect_lines(m.ConfirmAward(1), _shown(table) | {"awards": awards}, _house(table)))
    assert "The award at seat 1 (royal flush, 6,000.00)" in said
    assert "The award at seat 3 (royal flush share, 4,000.00)" in said
    reset = money(int(_house(table)["rules"]["reset_cents"]))
    assert f"begins anew with what is left of it and {reset}." in said


def test_an_amount_is_told_beside_what_counts_on_that_very_spot() -> None:
    table = TableTop(RULES).run("ante 3 20.00\nbonus 3 5.00")
    assert "So far 5.00 counts." in _look(table, m.SetAmount("bonus", 3, 700))
    assert "So far 20.00 counts." in _look(table, m.SetAmount("ante", 3, 700))
