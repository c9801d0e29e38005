"""Every word of the table can be typed, and what is no word is refused with what is allowed."""

from __future__ import annotations

from typing import get_args

import pytest

from hw_sim.words import COMMANDS
from hw_sim.words import WORDS as PLAY_WORDS
from table_controller.table import messages as m
from table_controller.words import WORDS, NotUnderstood, understand


@pytest.mark.parametrize(
    ("text", "command", "role"),
    [
        ("count D 4", m.StateCount("D", 4), "dealer"),
        ("COUNT d 4", m.StateCount("D", 4), "dealer"),
        ("hand 1 qs QH 5h 5C 8D", m.StateHand("1", ("QS", "QH", "5H", "5C", "8D")), "dealer"),
        ("set ante 3 10.00", m.SetAmount("ante", 3, 1000), "dealer"),
        ("sup dead 2", m.DeadHand(2, "count"), "supervisor"),
        ("sup dead 2 conduct", m.DeadHand(2, "conduct"), "supervisor"),
        ("sup return_excess 1 5.00", m.ReturnExcess(1, 500), "supervisor"),
        ("sup parameter reset 20000.00 memo 7", m.SetParameter("reset", "20000.00", "memo 7"), "supervisor"),
        ("return coin 4", m.ReturnCoin(4), "dealer"),
        ("clear", m.PressKey("clear"), "dealer"),
        ("clear amounts", m.ClearAmounts(0), "dealer"),
        ("clear alarm sensor_stuck ante 1", m.ClearAlarm("sensor_stuck", "ante 1"), "dealer"),
        ("confirm 6", m.ConfirmAward(6), "dealer"),
        ("sup confirm 6", m.ConfirmAward(6), "supervisor"),
        ("log on", m.LogOn(), "dealer"),
        ("sup confirm 6 camera 3, 14:02", m.ConfirmAward(6, "camera 3, 14:02"), "supervisor"),
        ("sup pay T1-A000001 CAGE", m.PayHit("T1-A000001", "cage"), "supervisor"),
        ("sup withhold T1-A000001 tax", m.WithholdHit("T1-A000001", "tax"), "supervisor"),
        ("sup release T1-A000001", m.ReleaseHit("T1-A000001"), "supervisor"),
        (
            "sup correct METER 1234567890.12 display_wrong memo 7",
            m.CorrectMeter("meter", 123456789012, "display_wrong", "memo 7"),
            "supervisor",
        ),
        (
            "correct reserve 0.00 seed_recovered A-7",
            m.CorrectMeter("reserve", 0, "seed_recovered", "A-7"),
            "dealer",
        ),
        ("Sup Open Day", m.OpenDay(), "supervisor"),
        ("sup close day", m.CloseDay(), "supervisor"),
        ("sup shift early night", m.ChangeShift("early night"), "supervisor"),
        (
            "sup trial the laboratory, by mail, 9:40",
            m.BeginTrial("the laboratory, by mail, 9:40"),
            "supervisor",
        ),
        ("sup end trial", m.EndTrial(), "supervisor"),
        ("try seat 0", m.TrySeat(0), "dealer"),
        ("sup try seat 3", m.TrySeat(3), "supervisor"),
        ("sup lamp seen 3", m.LampSeen(3), "supervisor"),
    ],
)
def test_a_word_is_the_command_that_it_says(text: str, command: m.AnyCommand, role: str) -> None:
    assert understand(text) == (command, role)


def test_every_word_that_people_say_in_the_plays_can_be_typed() -> None:
    assert {word for word in PLAY_WORDS if word in COMMANDS and word != "add ante"} <= set(WORDS)


def test_every_command_has_a_word() -> None:
    example = {
        "SPOT": "ante", "[SEAT]": "1", "SEAT": "1", "AMOUNT": "1.00", "PLACE": "1", "NUMBER": "3",
        "CARD": "QS", "NAME": "red", "[NAME]": "red", "ALARM": "claim", "[PLACE]": "1",
        "[count|conduct]": "count", "OPTION": "reset", "VALUE": "1.00", "APPROVAL": "memo",
        "[CAMERA]": "camera 3", "DOCUMENT": "T1-A000001", "SEAT|0": "0", "WHO-WAS-NOTIFIED": "the house",
    }  # fmt: skip
    made = set()
    for name, word in WORDS.items():
        command, _ = understand(
            " ".join([name, *(example.get(part, part.split("|")[-1]) for part in word.form.split())])
        )
        made.add(type(command))
    assert made == set(get_args(m.AnyCommand))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no word of the table"),
        ("shuffle", "the words are: add, claim"),
        ("count D", "the form is: count PLACE NUMBER"),
        ("count D four", "'four' is no whole number"),
        ("set pot 1 5.00", "'pot' is none of ante, raise, bonus"),
        ("set ante 1 5", "'5'"),
        ("sup dead 1 drunk", "'drunk' is none of count, conduct"),
        ("fold 1 2", "the form is: fold SEAT"),
        ("pay T1-A000001 cage", "a supervisor says that: sup pay DOCUMENT table|cage"),
        ("open day", "a supervisor says that: sup open day"),
        ("end trial", "a supervisor says that: sup end trial"),
        ("void", "a supervisor says that: sup void"),
        ("sup pay T1-A000001", "the form is: sup pay DOCUMENT table|cage"),
        ("sup pay T1-A000001 bar", "'bar' is none of table, cage"),
        ("sup withhold T1-A000001 mood", "'mood' is none of identity, tax, other"),
        ("sup correct drop 1.00 display_wrong A-1", "'drop' is none of meter, overflow, reserve"),
        ("sup correct meter 1,000.00 display_wrong A-1", "'1,000.00' is no amount"),
        ("sup correct meter 1.00 broken A-1", "'broken' is none of display_wrong, over_maximum"),
        ("sup correct meter 1.00 display_wrong", "the form is: sup correct meter|overflow|reserve AMOUNT"),
        ("sup trial", "the form is: sup trial WHO-WAS-NOTIFIED"),
        ("try seat all", "'all' is no whole number"),
    ],
)
def test_what_is_no_word_is_refused_with_what_is_allowed(text: str, says: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        understand(text)
    assert says in str(refused.value)
