"""The table's words as a person types them: `count D 4`, `sup void`, `hand 1 QS QH 5H 5C 8D`.

The way out when the panel is dead: whatever a dealer or a supervisor can say at the table can be said
from a terminal. The words are those of the plays (plays' README, The script).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

from table_controller.engine.money import parse_money
from table_controller.table import messages as m

Make = Callable[[Sequence[str]], m.AnyCommand]


class Word(NamedTuple):
    """What follows a word, in words, and the command that it makes."""

    form: str
    make: Make
    least: int
    most: int


class NotUnderstood(ValueError):
    """The text is no word of the table; the sentence says what is."""


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 3:
        raise NotUnderstood(f"'{text}' is no whole number from 0 to 999")
    return int(text)


def _cents(text: str) -> int:
    try:
        return parse_money(text)
    except ValueError as error:
        raise NotUnderstood(str(error)) from None


def _one_of(text: str, *allowed: str) -> str:
    if text.lower() not in allowed:
        raise NotUnderstood(f"'{text}' is none of {', '.join(allowed)}")
    return text.lower()


def _spot(text: str) -> m.Spot:
    return {"ante": "ante", "raise": "raise", "bonus": "bonus"}[_one_of(text, "ante", "raise", "bonus")]  # type: ignore[return-value]


def _cause(text: str) -> m.DeathCause:
    return "conduct" if _one_of(text, "count", "conduct") == "conduct" else "count"


def _choice(text: str, choices: Any) -> Any:
    """One of the texts of a `Literal`."""
    return _one_of(text, *get_args(choices))


def _correction(a: Sequence[str]) -> m.AnyCommand:
    pot, why = _choice(a[0], m.Pot), _choice(a[2], m.Correction)
    return m.CorrectMeter(pot, _cents(a[1]), why, " ".join(a[3:]))


_CORRECT = Word(
    f"{'|'.join(get_args(m.Pot))} AMOUNT {'|'.join(get_args(m.Correction))} APPROVAL", _correction, 4, 20
)


def _key(name: m.Key) -> Word:
    return Word("", lambda _: m.PressKey(name), 0, 0)


WORDS: dict[str, Word] = {
    "lock": _key("lock"),
    "close": _key("close"),
    "reveal": _key("reveal"),
    "clear": _key("clear"),
    "open": _key("open"),
    "set": Word("SPOT SEAT AMOUNT", lambda a: m.SetAmount(_spot(a[0]), _number(a[1]), _cents(a[2])), 3, 3),
    "add": Word("SPOT SEAT AMOUNT", lambda a: m.AddAmount(_spot(a[0]), _number(a[1]), _cents(a[2])), 3, 3),
    "repeat": Word("[SEAT]", lambda a: m.RepeatAmounts(_number(a[0]) if a else 0), 0, 1),
    "double": Word("[SEAT]", lambda a: m.DoubleAmounts(_number(a[0]) if a else 0), 0, 1),
    "undo": Word("", lambda _: m.UndoAmount(), 0, 0),
    "clear amounts": Word("[SEAT]", lambda a: m.ClearAmounts(_number(a[0]) if a else 0), 0, 1),
    "fold": Word("SEAT", lambda a: m.Fold(_number(a[0])), 1, 1),
    "count": Word("PLACE NUMBER", lambda a: m.StateCount(a[0].upper(), _number(a[1])), 2, 2),
    "hand": Word(
        "PLACE CARD CARD CARD CARD CARD",
        lambda a: m.StateHand(a[0].upper(), tuple(card.upper() for card in a[1:])),
        2,
        9,
    ),
    "move": Word("CARD PLACE", lambda a: m.MoveCard(a[0].upper(), a[1].upper()), 2, 2),
    "discard": Word("CARD", lambda a: m.DiscardCard(a[0].upper()), 1, 1),
    "upcard": Word("CARD", lambda a: m.StateUpcard(a[0].upper()), 1, 1),
    "exposed": Word("CARD", lambda a: m.StateExposed(a[0].upper()), 1, 1),
    "rescan": Word("CARD", lambda a: m.RescanCard(a[0].upper()), 1, 1),
    "tokens": Word("NUMBER", lambda a: m.CountTokens(_number(a[0])), 1, 1),
    "stub": Word("NUMBER", lambda a: m.CountStub(_number(a[0])), 1, 1),
    "return coin": Word("SEAT", lambda a: m.ReturnCoin(_number(a[0])), 1, 1),
    "claim": Word("SEAT", lambda a: m.Claim(_number(a[0])), 1, 1),
    "log on": Word("", lambda _: m.LogOn(), 0, 0),
    "log off": Word("", lambda _: m.LogOff(), 0, 0),
    "use deck": Word("NAME", lambda a: m.UseDeck(a[0]), 1, 1),
    "clear alarm": Word("ALARM [PLACE]", lambda a: m.ClearAlarm(a[0], " ".join(a[1:])), 1, 3),
    "sup clear alarm": Word("ALARM [PLACE]", lambda a: m.ClearAlarm(a[0], " ".join(a[1:])), 1, 3),
    "sup log off": Word("", lambda _: m.LogOff(), 0, 0),
    "sup void": Word("", lambda _: m.VoidRound(), 0, 0),
    "sup dead": Word(
        "SEAT [count|conduct]",
        lambda a: m.DeadHand(_number(a[0]), _cause(a[1]) if len(a) > 1 else "count"),
        1,
        2,
    ),
    "sup withdraw": Word("", lambda _: m.Withdraw(), 0, 0),
    "sup kill": Word("SEAT", lambda a: m.KillHand(_number(a[0])), 1, 1),
    "sup resume": Word("", lambda _: m.Resume(), 0, 0),
    "sup fold_short": Word("SEAT", lambda a: m.FoldShort(_number(a[0])), 1, 1),
    "sup return_excess": Word("SEAT AMOUNT", lambda a: m.ReturnExcess(_number(a[0]), _cents(a[1])), 2, 2),
    "sup new_deck": Word("[NAME]", lambda a: m.NewDeck(a[0] if a else ""), 0, 1),
    "confirm": Word("SEAT [CAMERA]", lambda a: m.ConfirmAward(_number(a[0]), " ".join(a[1:])), 1, 20),
    "reject": Word("SEAT", lambda a: m.RejectAward(_number(a[0])), 1, 1),
    "sup confirm": Word("SEAT [CAMERA]", lambda a: m.ConfirmAward(_number(a[0]), " ".join(a[1:])), 1, 20),
    "sup reject": Word("SEAT", lambda a: m.RejectAward(_number(a[0])), 1, 1),
    "correct": _CORRECT,
    "sup correct": _CORRECT,
    "sup pay": Word("DOCUMENT table|cage", lambda a: m.PayHit(a[0], _choice(a[1], m.Cashier)), 2, 2),
    "sup withhold": Word(
        "DOCUMENT identity|tax|other", lambda a: m.WithholdHit(a[0], _choice(a[1], m.Withholding)), 2, 2
    ),
    "sup release": Word("DOCUMENT", lambda a: m.ReleaseHit(a[0]), 1, 1),
    "sup open day": Word("", lambda _: m.OpenDay(), 0, 0),
    "sup close day": Word("", lambda _: m.CloseDay(), 0, 0),
    "sup shift": Word("NAME", lambda a: m.ChangeShift(" ".join(a)), 1, 9),
    "sup trial": Word("WHO-WAS-NOTIFIED", lambda a: m.BeginTrial(" ".join(a)), 1, 20),
    "sup end trial": Word("", lambda _: m.EndTrial(), 0, 0),
    "try seat": Word("SEAT|0", lambda a: m.TrySeat(_number(a[0])), 1, 1),
    "sup try seat": Word("SEAT|0", lambda a: m.TrySeat(_number(a[0])), 1, 1),
    "lamp seen": Word("SEAT", lambda a: m.LampSeen(_number(a[0])), 1, 1),
    "sup lamp seen": Word("SEAT", lambda a: m.LampSeen(_number(a[0])), 1, 1),
    "sup parameter": Word(
        "OPTION VALUE APPROVAL", lambda a: m.SetParameter(a[0], a[1], " ".join(a[2:])), 3, 20
    ),
}
"""Every word with what follows it. `sup` before a word says it in the supervisor's role."""


def understand(text: str) -> tuple[m.AnyCommand, m.Role]:
    """The command that a line of words is, and the role it is said in. Raises `NotUnderstood`."""
    tokens = text.split()
    name = _longest(tokens)
    as_supervisor = _longest(["sup", *tokens])
    if len(as_supervisor.split()) > len(name.split()) + 1:
        raise NotUnderstood(f"a supervisor says that: {as_supervisor} {WORDS[as_supervisor].form}".rstrip())
    if not name:
        raise NotUnderstood(f"'{text}' is no word of the table; the words are: {', '.join(sorted(WORDS))}")
    word, rest = WORDS[name], tokens[len(name.split()) :]
    if not word.least <= len(rest) <= word.most:
        raise NotUnderstood(f"'{text}' does not fit; the form is: {name} {word.form}".rstrip())
    return word.make(rest), "supervisor" if name.startswith("sup ") else "dealer"


def _longest(tokens: Sequence[str]) -> str:
    """The longest word of the table with which these begin; empty if there is none."""
    names = (" ".join(tokens[:length]).lower() for length in (3, 2, 1))
    return next((name for name in names if name in WORDS), "")
