"""The words of a script, as the contract of the plays lists them, and what follows each of them.

Pure. A word, seat, card or amount that is not in the contract is refused with what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SEATS = 7
KEYS = ("lock", "close", "reveal", "clear", "open")
SPOTS = ("ante", "raise", "bonus")
STAKES = ("ante", "raise", "bonus", "coin")
ROUNDS = ("settled", "void", "hold", "betting", "dealing", "deciding", "revealing")
PHASES = (*ROUNDS, "idle")
HOLDS = (
    "dealer_short", "dealer_long", "hole_exposed", "card_exposed", "boxed_card", "misplaced_card",
    "duplicate_card", "foreign_card", "unreadable_card", "frame_lost", "player_miscount", "extra_hand",
    "token_count", "shoe_lost", "restarted_mid_round", "jackpot_hold", "jackpot_hand_in_void_round",
    "deck_short",
)  # fmt: skip
ALARMS = (
    "late_ante", "late_bonus", "ante_changed", "ante_removed", "bonus_removed", "raise_not_twice",
    "raise_removed", "late_raise", "late_coin", "coin_without_ante", "second_coin", "token_count",
    "coin_stuck", "sensor_stuck", "lamp_dead", "card_before_lock", "card_late", "extra_card",
    "dealer_short", "dealer_long", "player_miscount", "order_in_doubt", "hole_exposed", "card_exposed",
    "boxed_card", "duplicate_card", "foreign_card", "unreadable_card", "misplaced_card", "extra_hand",
    "deck_short", "shoe_lost", "frame_lost", "bad_frame", "display_down", "meter_down", "jackpot_hold",
    "jackpot_hand_in_void_round", "restarted_mid_round", "decision_time_over", "claim",
)  # fmt: skip
WAIT_MAX_MS = 3_600_000
# One more than the table takes: how much is too much is the table's to judge.
AMOUNT_MAX_DIGITS = 13

Argument = int | str | tuple[str, ...] | None


@dataclass(frozen=True)
class Line:
    """One happening of a script: its line in the file, its text, its word (`sup void`) and what follows.

    Seats and counts are whole numbers, amounts cents, waits milliseconds, cards upper-case texts.
    """

    number: int
    text: str
    word: str
    args: tuple[Argument, ...]


class BadWord(ValueError):
    """What was found and what is allowed; the place is added by whoever knows it."""


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(token: str) -> str:
        if token not in allowed:
            raise BadWord(f"{token!r}; allowed: {', '.join(allowed)}")
        return token

    return read


def read_seat(token: str) -> int:
    """A seat, 1 to 7. Raises `BadWord`."""
    if not re.fullmatch(f"[1-{SEATS}]", token):
        raise BadWord(f"seat {token!r}; allowed: 1 to {SEATS}")
    return int(token)


def read_amount(token: str) -> int:
    """An amount with two decimals, as cents. Raises `BadWord`."""
    if not re.fullmatch(rf"\d{{1,{AMOUNT_MAX_DIGITS}}}\.\d\d", token, re.ASCII):
        raise BadWord(f"amount {token!r}; allowed: whole units, a point and two decimals, like 10.00")
    return int(token.replace(".", ""))


def _number(token: str) -> int:
    if not re.fullmatch(r"\d{1,3}", token, re.ASCII):
        raise BadWord(f"number {token!r}; allowed: 0 to 999")
    return int(token)


def _seconds(token: str) -> int:
    found = re.fullmatch(r"(\d{1,4})(?:\.(\d{1,3}))?", token, re.ASCII)
    wait_ms = int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0")) if found else WAIT_MAX_MS + 1
    if wait_ms > WAIT_MAX_MS:
        raise BadWord(f"seconds {token!r}; allowed: 0 to {WAIT_MAX_MS // 1000}, at most three decimals")
    return wait_ms


def _card(token: str) -> str:
    card = token.upper()
    if not re.fullmatch("[AKQJT98765432][SHDC]|JK", card):
        raise BadWord(f"card {token!r}; allowed: a rank A K Q J T 9 to 2 and a suit S H D C, or JK")
    return card


def _scanned(token: str) -> str:
    """A card at the shoe, `CARD>PLACE`; only the card is known to the shoe."""
    card, arrow, place = token.partition(">")
    if not arrow:
        raise BadWord(f"{token!r}; allowed: CARD>PLACE, like QS>3")
    _place_or_rack(place)
    if card == "??":
        return card
    return _card(card.removesuffix("^")) + ("^" if card.endswith("^") else "")


def _place(token: str) -> str:
    if not re.fullmatch(f"[1-{SEATS}D]", token):
        raise BadWord(f"place {token!r}; allowed: 1 to {SEATS}, D")
    return token


def _place_or_rack(token: str) -> str:
    if not re.fullmatch(f"[1-{SEATS}DX]", token):
        raise BadWord(f"place {token!r}; allowed: 1 to {SEATS}, D, X")
    return token


def _text(token: str) -> str:
    return token


@dataclass(frozen=True)
class _Grammar:
    """What follows a word: each argument in turn; the last may be left out, or be repeated."""

    reads: tuple[Callable[[str], int | str], ...] = ()
    optional: bool = False
    repeated: bool = False
    refusable: bool = False


def _said(*reads: Callable[[str], int | str], optional: bool = False, repeated: bool = False) -> _Grammar:
    return _Grammar(reads, optional, repeated, refusable=True)


FAULTS: dict[str, tuple[Callable[[str], int | str], ...]] = {
    "shoe_unplugged": (),
    "shoe_noise": (),
    "shoe_skip": (),
    "coin_stuck": (read_seat,),
    "sensor_stuck": (_one_of(*SPOTS), read_seat),
    "lamp_dead": (read_seat,),
    "display_down": (),
    "meter_down": (),
}
WORDS: dict[str, _Grammar] = {
    "ante": _said(read_seat, read_amount),
    "bonus": _said(read_seat, read_amount),
    "raise": _said(read_seat, read_amount, optional=True),
    "add ante": _said(read_seat, read_amount),
    **{f"lift {spot}": _Grammar((read_seat,)) for spot in SPOTS},
    "coin": _Grammar((read_seat,)),
    "deal": _Grammar((_scanned,), repeated=True),
    **{key: _said() for key in KEYS},
    "wait": _Grammar((_seconds,)),
    **{f"fault {name}": _Grammar(reads) for name, reads in FAULTS.items()},
    **{f"mend {name}": _Grammar(reads) for name, reads in FAULTS.items()},
    "power off": _Grammar(),
    "power on": _Grammar(),
    "fold": _said(read_seat),
    "count": _said(_place, _number),
    "hand": _said(_place, _card, repeated=True),
    "move": _said(_card, _place_or_rack),
    "discard": _said(_card),
    "upcard": _said(_card),
    "exposed": _said(_card),
    "rescan": _said(_card),
    "tokens": _said(_number),
    "stub": _said(_number),
    "return coin": _said(read_seat),
    "claim": _said(read_seat),
    "sup void": _said(),
    "sup dead": _said(read_seat, _one_of("count", "conduct"), optional=True),
    "sup withdraw": _said(),
    "sup kill": _said(read_seat),
    "sup resume": _said(),
    "sup fold_short": _said(read_seat),
    "sup return_excess": _said(read_seat, read_amount),
    "sup new_deck": _said(),
    "sup confirm": _said(read_seat),
    "sup reject": _said(read_seat),
    "sup parameter": _said(_text, _text),
    "see phase": _Grammar((_one_of(*PHASES),)),
    "see lamp": _Grammar((read_seat, _one_of("on", "off"))),
    "see meter": _Grammar((read_amount,)),
    "see alarm": _Grammar((_one_of(*ALARMS),)),
    "see hold": _Grammar((_one_of(*HOLDS),)),
    "see refused": _Grammar(),
}
_FIRST_WORDS = {word.split()[0] for word in WORDS}


def parse_line(text: str, number: int) -> Line:
    """Reads one line of a script. Raises `ValueError` saying what was found and what is allowed."""
    tokens = text.split()
    word = next((w for w in (" ".join(tokens[:2]), tokens[0]) if w in WORDS), None)
    if word is None:
        if tokens[0] in _FIRST_WORDS:
            second = sorted(w.split()[1] for w in WORDS if w.split()[0] == tokens[0] and " " in w)
            raise BadWord(f"word {' '.join(tokens[:2])!r}; allowed after {tokens[0]}: {', '.join(second)}")
        raise BadWord(f"word {tokens[0]!r}; allowed: {', '.join(sorted(_FIRST_WORDS))}")
    grammar, rest = WORDS[word], tokens[len(word.split()) :]
    reads = grammar.reads
    least, most = len(reads) - grammar.optional, len(reads)
    if len(rest) < least or (len(rest) > most and not grammar.repeated):
        allowed = (
            f"{least} or more" if grammar.repeated else f"{least}" if least == most else f"{least} or {most}"
        )
        raise BadWord(f"{len(rest)} values after {word!r}; allowed: {allowed}")
    if grammar.repeated:
        fixed = len(reads) - 1
        first: tuple[Argument, ...] = tuple(
            read(token) for read, token in zip(reads, rest[:fixed], strict=False)
        )
        return Line(number, text, word, (*first, tuple(str(reads[fixed](token)) for token in rest[fixed:])))
    args: tuple[Argument, ...] = tuple(read(token) for read, token in zip(reads, rest, strict=False))
    return Line(number, text, word, args + (None,) * (most - len(rest)))


# A word of the script as the command of the table's vocabulary that it stands for.
COMMANDS: dict[str, Callable[..., dict[str, Any]]] = {
    "add ante": lambda seat, cents: {"type": "AddAmount", "spot": "ante", "seat": seat, "cents": cents},
    "fold": lambda seat: {"type": "Fold", "seat": seat},
    "count": lambda place, cards: {"type": "StateCount", "place": place, "cards": cards},
    "hand": lambda place, cards: {"type": "StateHand", "place": place, "cards": cards},
    "move": lambda card, place: {"type": "MoveCard", "card": card, "place": place},
    "discard": lambda card: {"type": "DiscardCard", "card": card},
    "upcard": lambda card: {"type": "StateUpcard", "card": card},
    "exposed": lambda card: {"type": "StateExposed", "card": card},
    "rescan": lambda card: {"type": "RescanCard", "card": card},
    "tokens": lambda tokens: {"type": "CountTokens", "tokens": tokens},
    "stub": lambda cards: {"type": "CountStub", "cards": cards},
    "return coin": lambda seat: {"type": "ReturnCoin", "seat": seat},
    "claim": lambda seat: {"type": "Claim", "seat": seat},
    "sup void": lambda: {"type": "VoidRound"},
    "sup dead": lambda seat, cause: {"type": "DeadHand", "seat": seat, "cause": cause or "count"},
    "sup withdraw": lambda: {"type": "Withdraw"},
    "sup kill": lambda seat: {"type": "KillHand", "seat": seat},
    "sup resume": lambda: {"type": "Resume"},
    "sup fold_short": lambda seat: {"type": "FoldShort", "seat": seat},
    "sup return_excess": lambda seat, cents: {"type": "ReturnExcess", "seat": seat, "cents": cents},
    "sup new_deck": lambda: {"type": "NewDeck"},
    "sup confirm": lambda seat: {"type": "ConfirmAward", "seat": seat},
    "sup reject": lambda seat: {"type": "RejectAward", "seat": seat},
    "sup parameter": lambda option, value: {
        "type": "SetParameter",
        "option": option,
        "value": value,
        "approval": "play",
    },
}
