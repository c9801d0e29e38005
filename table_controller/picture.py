"""One table in words and as a picture of a terminal: what a message means to the person who reads it.

Pure: no clock, no terminal, no socket. `render` draws the screen, `describe` and `block` write the log.
Nothing here knows more than the public snapshot, so nothing that lies face down can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

STALE_MS: Final = 3_000
OFFLINE_MS: Final = 10_000

# --------------------------------------------------------------------------------------- words

SUPERVISOR: Final = "waiting for a supervisor"
HOLDS: Final[Mapping[str, str]] = {
    "dealer_short": f"dealer has four cards - {SUPERVISOR}",
    "dealer_long": f"dealer has a wrong number of cards - {SUPERVISOR}",
    "hole_exposed": f"a hole card was seen - {SUPERVISOR}",
    "card_exposed": f"a player's card turned up in the deal - {SUPERVISOR}",
    "boxed_card": f"a card lay face up in the shoe - {SUPERVISOR}",
    "misplaced_card": f"a card was laid at the wrong place - {SUPERVISOR}",
    "duplicate_card": f"a card came twice, the deck is bad - {SUPERVISOR}",
    "foreign_card": f"a card of another deck came - {SUPERVISOR}",
    "unreadable_card": "a card could not be read - rescan it by hand, or a supervisor decides",
    "frame_lost": "the shoe lost a card's message - rescan it by hand, or a supervisor decides",
    "player_miscount": f"a player has a wrong number of cards - {SUPERVISOR}",
    "extra_hand": f"cards lie at a seat without an ante - {SUPERVISOR}",
    "token_count": f"the tokens counted differ from the bets - {SUPERVISOR}",
    "shoe_lost": f"the shoe does not answer - plug it in, then {SUPERVISOR}",
    "restarted_mid_round": f"the table was restarted inside a round - {SUPERVISOR}",
    "jackpot_hold": "a jackpot award - count the rest of the deck, then two people confirm",
    "jackpot_hand_in_void_round": "an award in a void round - two people confirm or reject",
    "deck_short": "the rest of the deck was miscounted - count again, or a new deck",
}
LAMPS: Final[Mapping[str, str]] = {"on": "(O) lit", "off": "( ) dark", "blink": "(*) blink"}
VERBS: Final[Mapping[str, str]] = {"win": "wins", "lose": "loses", "push": "push", "refund": "refund"}
FACTS: Final[Mapping[str, str]] = {
    "RoundOpened": "bets are open, round {round}",
    "KeyTaken": "key {key}",
    "KeyRefused": "key {key} refused: {reason}",
    "CommandRefused": "{command} refused: {reason}",
    "AlarmRaised": "ALARM {alarm}{place}",
    "Noticed": "noted: {notice}{place}",
    "HoldPlaced": "HOLD: {hold}",
    "HoldEnded": "hold ended: {hold}",
    "CoinAccepted": "coin of seat {seat} is a jackpot bet",
    "CoinReturned": "give the coin of seat {seat} back: {why}",
    "BetsLocked": "NO MORE BETS",
    "PhaseEntered": "phase {phase}",
    "Stated": "stated: {statement}",
    "Withdrawn": "taken back: {statement}",
    "SeatFolded": "seat {seat} folds (by {by})",
    "HandDead": "the hand of seat {seat} is dead ({cause})",
    "HandKilled": "the extra hand at seat {seat} is thrown away",
    "MeterChanged": "meter {before_cents} -> {after_cents} ({why})",
    "RoundSettled": "round {round} is settled",
    "RoundVoided": "round {round} is VOID",
    "AwardHeld": "AWARD seat {seat}: {hand} {cents} waits",
    "AwardSeconded": "award at seat {seat}: {operator} says {decision}, a second person is needed",
    "AwardPaid": "AWARD seat {seat}: {hand} pays {cents}",
    "AwardRejected": "award at seat {seat} is rejected: {hand} {cents}",
    "DeckChanged": "another deck is in use",
    "ParameterChanged": "{option}: {before} -> {after}, approval {approval}",
    "RoundCleared": "round {round} is cleared",
}
# Facts that say again what the rest of the view shows: by type, and for some by what they say.
UNSAID: Final[Mapping[str, frozenset[str]]] = {
    "Stated": frozenset({"SetAmount", "AddAmount", "Fold"}),
    "MeterChanged": frozenset({"contribution"}),
}
UNSAID_TYPES: Final = frozenset({"CardDealt", "PhaseEntered"})


def money(cents: int) -> str:
    """Whole cents as people write them: `1,234.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def result_words(result: str) -> str:
    """A result in table words as it is said aloud: `win 20.00` is `wins 20.00`; `none` is nothing."""
    verb, _, amount = result.partition(" ")
    return "" if verb == "none" else f"{VERBS.get(verb, verb)} {amount}".strip()


def hold_words(hold: str) -> str:
    """Why the table may not go on and who is waited for (DETAILS.md, Holds)."""
    return HOLDS.get(hold, hold.replace("_", " "))


def place_words(place: str) -> str:
    """` at seat 3`, ` at the dealer`, or nothing when it is about the whole table."""
    named = {"D": "the dealer", "X": "the rack"}.get(place, f"seat {place}")
    return f" at {named}" if place else ""


def fact_words(fact: Mapping[str, Any]) -> str:
    """A fact in one line; one that this view does not know is shown by its name and fields."""
    said = {key: str(value).replace("_", " ") for key, value in fact.items()}
    for key, value in fact.items():
        if key.endswith("cents") and isinstance(value, int):
            said[key] = money(value)
    said["place"] = place_words(str(fact.get("place", "")))
    said["hold"] = hold_words(str(fact.get("hold", "")))
    for key in ("round", "operator", "reason", "approval"):
        said[key] = str(fact.get(key, ""))
    known = FACTS.get(str(fact.get("type", "")))
    if known is not None:
        try:
            return known.format_map(said)
        except KeyError:
            pass
    fields = ", ".join(f"{key} {value}" for key, value in fact.items() if key != "type")
    return f"{fact.get('type', 'fact without a name')} {fields}".strip()


def worth_saying(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The facts in words, without those that the rest of the view shows anyway."""
    return [
        fact_words(fact)
        for fact in facts
        if fact.get("type") not in UNSAID_TYPES
        and fact.get("statement", fact.get("why")) not in UNSAID.get(str(fact.get("type")), ())
    ]


def card_words(cards: Sequence[str | None]) -> str:
    """Cards as far as they lie face up; a hidden one is its back, `##`."""
    return " ".join(card or "##" for card in cards)


def _stake_words(spot: Mapping[str, Any]) -> str:
    if spot["cents"]:
        return money(spot["cents"])
    return "not keyed" if spot["chips"] else ""


def _standing(seat: Mapping[str, Any]) -> str:
    return "DEAD" if seat["dead"] else "FOLDED" if seat["folded"] else ""


def _notices(state: Mapping[str, Any]) -> list[str]:
    """What the dealer must know before he presses the next key, the most pressing first."""
    lines = [f"HOLD: {hold_words(hold)}" for hold in state["holds"]]
    if not state["shoe"] and "shoe_lost" not in state["holds"]:
        lines.append("THE SHOE DOES NOT ANSWER")
    if state["deck_due"]:
        lines.append("A NEW DECK IS DUE: bets cannot be locked before it")
    if state["stub_due"]:
        lines.append("COUNT THE REST OF THE DECK before you clear")
    return lines


def _awards(state: Mapping[str, Any]) -> list[str]:
    return [
        f"seat {award['seat']} {'share of a ' if award.get('kind') == 'share' else ''}"
        f"{award['hand'].replace('_', ' ')} {money(award['cents'])} {award['status']}"
        for award in state["awards"]
    ]


def _alarms(state: Mapping[str, Any]) -> str:
    return "; ".join(
        alarm["alarm"].replace("_", " ") + place_words(alarm["place"]) for alarm in state["alarms"]
    )


def _meter(state: Mapping[str, Any]) -> str:
    meter = state["meter"]
    if meter is None:
        return "none at this table"
    parts = [money(meter["cents"])]
    for key, name in (
        ("reserve", "reserve"),
        ("overflow", "overflow"),
        ("house_added", "added by the house"),
    ):
        if meter[f"{key}_cents"]:
            parts.append(f"{name} {money(meter[f'{key}_cents'])}")
    return "   ".join(parts)


# -------------------------------------------------------------------------------- for a log file


def describe(state: Mapping[str, Any]) -> dict[str, str]:
    """The table in labelled lines, without what changes by itself (the time left) and what is empty.

    Cards appear when the deal is complete: a log does not gain by forty lines of backs.
    """
    lines = {"round": state["round"], "phase": f"{state['shown'].upper()}, light {state['light']}"}
    for number, notice in enumerate(_notices(state), 1):
        lines[f"notice {number}"] = notice
    dealt = state["phase"] != "dealing"
    for seat in state["seats"]:
        results = [
            f"{spot} {words}" for spot, text in seat["results"].items() if (words := result_words(text))
        ]
        parts = {spot: _stake_words(seat[spot]) for spot in ("ante", "raise", "bonus")}
        parts["jackpot"] = "" if seat["lamp"] == "off" else LAMPS.get(seat["lamp"], seat["lamp"])
        parts["hand"] = f"{card_words(seat['cards'])} {_standing(seat)}".strip() if dealt else _standing(seat)
        parts["result"] = ", ".join(results)
        lines |= {f"seat {seat['seat']} {label}": words for label, words in parts.items()}
    lines["dealer"] = card_words(state["dealer"]["cards"]) if dealt else ""
    lines["meter"] = _meter(state)
    lines["awards"] = "; ".join(_awards(state))
    lines["alarms"] = _alarms(state)
    return {label: words for label, words in lines.items() if words}


def block(before: Mapping[str, str], now: Mapping[str, str], facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What has changed between two descriptions, and what was decided meanwhile; empty if nothing.

    That felt and lamps are empty after CLEAR and in a new round goes without saying.
    """
    changed = [f"{label}: {words}" for label, words in now.items() if before.get(label) != words]
    cleared = before.get("round") != now.get("round") or now.get("phase", "").startswith("IDLE")
    gone = [] if cleared else [f"{label}: no more" for label in before if label not in now]
    return [*worth_saying(facts), *changed, *gone]


# ------------------------------------------------------------------------------- for a terminal

COLOURS: Final[Mapping[str, str]] = {
    "green": "30;42", "yellow": "30;43", "red": "97;41", "off": "2", "hold": "97;41", "good": "1;32",
    "bad": "31", "bold": "1", "dim": "2", "alarm": "1;33",
}  # fmt: skip

# Five rows of five dots for each letter that a phase needs; two rows of dots make one row of text.
LETTERS: Final[Mapping[str, tuple[int, int, int, int, int]]] = {
    "A": (14, 17, 31, 17, 17), "B": (30, 17, 30, 17, 30), "C": (15, 16, 16, 16, 15),
    "D": (30, 17, 17, 17, 30), "E": (31, 16, 30, 16, 31), "G": (15, 16, 19, 17, 15),
    "H": (17, 17, 31, 17, 17), "I": (14, 4, 4, 4, 14), "L": (16, 16, 16, 16, 31),
    "N": (17, 25, 21, 19, 17), "O": (14, 17, 17, 17, 14), "R": (30, 17, 30, 18, 17),
    "S": (15, 16, 14, 1, 30), "T": (31, 4, 4, 4, 4), "V": (17, 17, 17, 10, 4),
    "F": (31, 16, 30, 16, 16),
}  # fmt: skip


def large(word: str) -> list[str]:
    """A word in letters three text rows high; a word with an unknown letter is spaced out instead."""
    if not set(word) <= set(LETTERS):
        return ["", " ".join(word), ""]
    rows = []
    for upper, lower in ((0, 1), (2, 3), (4, 5)):
        dots = []
        for letter in word:
            top, bottom = LETTERS[letter][upper], (*LETTERS[letter], 0)[lower]
            pairs = [(top >> bit & 1) + 2 * (bottom >> bit & 1) for bit in (4, 3, 2, 1, 0)]
            dots.append("".join(" ▀▄█"[pair] for pair in pairs))
        rows.append(" ".join(dots))
    return rows


class _Page:
    """Rows of text of a fixed width, painted only where colours are wanted."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.rows: list[str] = []

    def ink(self, text: str, name: str) -> str:
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour and name and text.strip() else text

    def row(self, text: str = "", ink: str = "") -> None:
        self.rows.append(self.ink(text[: self.width], ink))

    def cells(self, label: str, cells: Sequence[tuple[str, str]]) -> None:
        column = (self.width - 8) // max(len(cells), 1)
        painted = "".join(self.ink(text[: column - 1].ljust(column), ink) for text, ink in cells)
        self.rows.append(label.ljust(8) + painted)


def render(
    snapshot: Mapping[str, Any],
    facts: Sequence[Mapping[str, Any]],
    width: int = 80,
    height: int = 24,
    age_ms: int = 0,
    table: str = "",
    colour: bool = False,
) -> str:
    """One screen of the table, in the dealer's view: seat 1 at his left.

    `snapshot` is the body of a `state` message, `facts` the bodies of the last `fact` messages, oldest
    first; `age_ms` is how long the table has been silent. Gives at most `height` rows of `width`.
    """
    page = _Page(max(width, 80), colour)
    _head(page, snapshot, age_ms, table)
    for notice in _notices(snapshot)[:2] or [""]:
        page.row(notice, "hold" if notice.startswith("HOLD") else "alarm")
    _seats(page, snapshot["seats"])
    page.row(
        f"DEALER  {card_words(snapshot['dealer']['cards']):<16}   out of the shoe {snapshot['cards_out']}",
        "bold",
    )
    page.row(f"METER   {_meter(snapshot)}", "bold")
    for award in _awards(snapshot)[:2]:
        page.row(f"AWARD   {award}", "good")
    if alarms := _alarms(snapshot):
        page.row(f"ALARMS  {alarms}", "alarm")
    said = worth_saying(facts)
    room = height - len(page.rows)
    for words in said[-room:] if room > 0 else ():
        page.row(f"  {words}", "dim")
    return "\n".join(page.rows[:height])


def _head(page: _Page, state: Mapping[str, Any], age_ms: int, table: str) -> None:
    age = f"last update {age_ms // 1000} s ago" if age_ms >= STALE_MS else f"rounds {state['rounds']}"
    title = f"TABLE {table or '?'}   ROUND {state['round'] or '-'}"
    page.row(title + age.rjust(page.width - len(title)), "alarm" if age_ms >= STALE_MS else "bold")
    offline = age_ms >= OFFLINE_MS
    word, light = ("OFFLINE", "off") if offline else (state["shown"].upper(), state["light"])
    ink = (
        "dim" if offline else "hold" if word in ("HOLD", "VOID") else "good" if word == "SETTLED" else "bold"
    )
    left = "" if state["left_ms"] is None else f" {-(-state['left_ms'] // 1000)} s left"
    side = ["light", f"{light.upper()}{left}", ""]
    if offline:
        side = ["not", "confirmed", ""]
    for line, beside in zip(large(word), side, strict=True):
        padded = line.ljust(58)
        page.rows.append(page.ink(padded, ink if ink != "hold" else "bad") + page.ink(f" {beside} ", light))


def _seats(page: _Page, seats: Sequence[Mapping[str, Any]]) -> None:
    heads = [
        f"SEAT {seat['seat']}" if not _standing(seat) else f"{seat['seat']} {_standing(seat)}"
        for seat in seats
    ]
    page.cells("", [(head, "bold") for head in heads])
    roomy = (page.width - 8) // max(len(seats), 1) >= 14
    for spot in ("ante", "raise", "bonus", "coin"):
        cells = [_spot(seat, spot, roomy) for seat in seats]
        page.cells({"coin": "jackpot"}.get(spot, spot), [upper for upper, _ in cells])
        page.cells("", [lower for _, lower in cells])
    page.cells("cards", [(card_words(seat["cards"][:3]), "") for seat in seats])
    page.cells("", [(card_words(seat["cards"][3:]), "") for seat in seats])


def _spot(seat: Mapping[str, Any], spot: str, roomy: bool) -> tuple[tuple[str, str], tuple[str, str]]:
    """The two rows of one spot of one seat, each with its colour: the stake, and what became of it."""
    stake = LAMPS.get(seat["lamp"], seat["lamp"]) if spot == "coin" else _stake_words(seat[spot])
    if spot == "coin" and seat["coin"] == "returned":
        stake = "give back"
    result = result_words(seat["results"].get(spot, ""))
    verb, _, amount = result.partition(" ")
    ink = {"wins": "good", "loses": "bad"}.get(verb, "")
    if not result or roomy:
        return (stake, "alarm" if stake in ("give back", "not keyed") else ""), (result, ink)
    # A narrow column has no room for both side by side: the verb stands in the upper row.
    if spot == "coin" and stake != "give back":
        verb = f"{stake[:3]} {verb}"
    return (verb, ink), (amount, ink)
