"""One table in words and as a picture of a terminal: what a message means to the person who reads it.

Pure: no clock, no terminal, no socket. `render` draws the screen, `describe` and `block` write the log.
Nothing here knows more than the public snapshot, so nothing that lies face down can be shown.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from table_controller.view_words import (
    GIVE_BACK,
    WARNINGS,
    alarms_words,
    awards_words,
    card_words,
    coin_words,
    day_words,
    dealer_words,
    is_over,
    meter_words,
    next_step,
    notices,
    owed_words,
    result_words,
    seat_moves,
    stake_words,
    standing,
)
from table_controller.wording import money, worth_saying

STALE_MS: Final = 3_000
OFFLINE_MS: Final = 10_000
WIDTH_MIN: Final = 80
HEIGHT_MIN: Final = 24

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


# A column in which a stake and any result of it fit into two rows of words.
ROOMY_COLUMN: Final = 18
ADVICE_ROWS_MAX: Final = 5
AWARD_ROWS_MAX: Final = 2
ALARM_ROWS_MAX: Final = 2
OWED_ROWS_MAX: Final = 4


class _Page:
    """Rows of text of a fixed width, painted only where colours are wanted."""

    def __init__(self, width: int, colour: bool, tight: int = 0) -> None:
        self.width = width
        self.colour = colour
        self.tight = tight
        self.faded = False
        self.rows: list[str] = []

    def ink(self, text: str, name: str) -> str:
        name = "dim" if self.faded else name
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour and name and text.strip() else text

    def row(self, text: str = "", ink: str = "") -> None:
        self.rows.append(self.ink(text[: self.width], ink))

    def wrapped(self, text: str, ink: str, **bounds: Any) -> None:
        indent = " " * (len(text) - len(text.lstrip()) + 6)
        for row in textwrap.wrap(text, self.width, subsequent_indent=indent, **bounds):
            self.row(row, ink)

    def cells(self, label: str, cells: Sequence[tuple[str, str]]) -> None:
        column = (self.width - 8) // max(len(cells), 1)
        # An amount is never cut: one too long for its column is an award, which has a row of its own.
        fitting = ((text if len(text) < column else "see award", ink) for text, ink in cells)
        painted = "".join(self.ink(text.ljust(column), ink) for text, ink in fitting)
        if self.tight and not (label or painted.strip()):
            return
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
    first; `age_ms` is how long the table has been silent. Gives at most `height` rows of `width`; in a
    window too small for a whole table, one row that says so.
    """
    if width < WIDTH_MIN or height < HEIGHT_MIN:
        return f"make the window at least {WIDTH_MIN} x {HEIGHT_MIN}"
    # Blank rows give way to what is owed and to the last fact, large letters to what must not be missing.
    page = _drawn(_Page(width, colour), snapshot, age_ms, table)
    for tight, spare in ((1, 1 + min(len(owed_words(snapshot)), OWED_ROWS_MAX)), (2, 0)):
        if len(page.rows) + bool(snapshot["alarms"]) + spare > height:
            page = _drawn(_Page(width, colour, tight), snapshot, age_ms, table)
    if alarms := alarms_words(snapshot):
        page.faded = is_over(snapshot)
        room = min(max(height - len(page.rows), 1), ALARM_ROWS_MAX)
        page.wrapped(f"ALARMS  {alarms}", "alarm", max_lines=room, placeholder=" ...")
        page.faded = False
    _owed(page, snapshot, height)
    heard = _Page(width, colour)
    for words in worth_saying(facts)[-height:]:
        heard.wrapped(f"  {words}", "dim")
    room = height - len(page.rows)
    return "\n".join([*page.rows[:height], *(heard.rows[-room:] if room > 0 else [])])


def _drawn(page: _Page, state: Mapping[str, Any], age_ms: int, table: str) -> _Page:
    """The page with everything that must not be missing, whatever else there is room for."""
    _head(page, state, age_ms, table)
    _advice(page, state, age_ms)
    # Between CLEAR and OPEN the felt is empty: what is known of it is history and must not look alive.
    page.faded = is_over(state)
    _seats(page, state)
    page.row(f"DEALER  {dealer_words(state)}", "bold")
    awards = awards_words(state)
    if len(awards) > AWARD_ROWS_MAX:
        awards[AWARD_ROWS_MAX - 1] += f"   ... and {len(awards) - AWARD_ROWS_MAX} more"
    for award in awards[:AWARD_ROWS_MAX]:
        page.row(f"AWARD   {award}", "good")
    page.faded = False
    if meter := meter_words(state):
        page.wrapped(f"METER   {meter}", "bold", max_lines=1, placeholder=" ...")
    return page


def _owed(page: _Page, state: Mapping[str, Any], height: int) -> None:
    """Confirmed awards that are not paid, as far as there is room; their sum stands beside the meter."""
    owed = owed_words(state)
    room = min(height - len(page.rows), OWED_ROWS_MAX)
    if len(owed) > room > 0:
        owed[room - 1] += f"   ... and {len(owed) - room} more"
    for one in owed[: max(room, 0)]:
        page.row(f"OWED    {one}", "good")


def _head(page: _Page, state: Mapping[str, Any], age_ms: int, table: str) -> None:
    on_duty = f"dealer {state['on_duty'][:12]}   " if state.get("on_duty") else ""
    counted = f"{on_duty}cards out {state['cards_out']}"
    age = f"last update {age_ms // 1000} s ago" if age_ms >= STALE_MS else counted
    name = "LAST ROUND" if is_over(state) else "ROUND"
    title = f"TABLE {table or '?'}   {name} {state['round'] or '-'}"
    page.row(title + age.rjust(page.width - len(title)), "alarm" if age_ms >= STALE_MS else "bold")
    offline = age_ms >= OFFLINE_MS
    word, light = ("OFFLINE", "off") if offline else (state["shown"].upper(), state["light"])
    ink = (
        "dim" if offline else "hold" if word in ("HOLD", "VOID") else "good" if word == "SETTLED" else "bold"
    )
    day = day_words(state)
    left = "" if state["left_ms"] is None else f" {-(-state['left_ms'] // 1000)} s left"
    side = ["light", f"{light.upper()}{left}", day[:20]]
    if offline:
        side = ["not", "confirmed", ""]
    if page.tight > 1:
        both = f"{word}   {day}".rstrip()[:57].ljust(58)
        page.rows.append(page.ink(both, ink) + page.ink(f"{' '.join(side[:2])} ", light))
        return
    for line, beside, colour in zip(large(word), side, (light, light, "bold"), strict=True):
        padded = line.ljust(58)
        page.rows.append(page.ink(padded, ink if ink != "hold" else "bad") + page.ink(f" {beside} ", colour))


def _advice(page: _Page, state: Mapping[str, Any], age_ms: int) -> None:
    """What stands in the way, and the next step; the rest of the page keeps its room."""
    advice = [(notice, "hold" if notice.startswith("HOLD") else "alarm") for notice in notices(state)]
    step = "do nothing: the table is not heard" if age_ms >= OFFLINE_MS else next_step(state)
    if step:
        advice.append((f"NEXT    {step}", "bold"))
    end = len(page.rows) + ADVICE_ROWS_MAX
    for number, (text, ink) in enumerate(advice):
        needed = len(textwrap.wrap(text, page.width, subsequent_indent="      "))
        if len(page.rows) + needed > end - (number + 1 < len(advice)):
            page.row(f"      ... and {len(advice) - number} more to decide or to do", "hold")
            return
        page.wrapped(text, ink)


def _seats(page: _Page, state: Mapping[str, Any]) -> None:
    seats = state["seats"]
    heads = [
        f"SEAT {seat['seat']}" if not standing(seat) else f"{seat['seat']} {standing(seat)}" for seat in seats
    ]
    page.cells("", [(head, "bold") for head in heads])
    roomy = (page.width - 8) // max(len(seats), 1) >= ROOMY_COLUMN
    for spot in ("ante", "raise", "bonus", "coin") if state["meter"] else ("ante", "raise", "bonus"):
        stakes = [coin_words(state, seat) if spot == "coin" else stake_words(seat[spot]) for seat in seats]
        cells = [_spot(seat, spot, stake, roomy) for seat, stake in zip(seats, stakes, strict=True)]
        page.cells({"coin": "jackpot"}.get(spot, spot), [upper for upper, _ in cells])
        page.cells("", [lower for _, lower in cells])
    page.cells("cards", [(card_words(seat["cards"][:3]), "") for seat in seats])
    page.cells("", [(card_words(seat["cards"][3:]), "") for seat in seats])
    if not state["result"]:
        return
    moves = [seat_moves(state, seat) for seat in seats]
    page.cells("to pay", [(_plain(pays), "good") for pays, _ in moves])
    page.cells("to take", [(_plain(takes), "bad") for _, takes in moves])


def _plain(cents: int) -> str:
    """An amount as results write it, so that it fits a column; nothing for nothing."""
    return money(cents).replace(",", "") if cents else ""


def _spot(
    seat: Mapping[str, Any], spot: str, stake: str, roomy: bool
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The two rows of one spot of one seat, each with its colour: the stake, and what became of it."""
    result = result_words(seat["results"].get(spot, ""))
    verb, _, amount = result.partition(" ")
    ink = {"wins": "good", "loses": "bad"}.get(verb, "")
    if not result or roomy:
        return (stake, "alarm" if stake in WARNINGS else ""), (result, ink)
    # A narrow column has no room for both side by side: the verb stands in the upper row.
    if spot == "coin" and stake != GIVE_BACK:
        verb = f"{stake[:3]} {verb}"
    return (verb, ink), (amount, ink)
