"""The standards that an inspector asks about, and which test proves which of them.

    python3 deploy/dev.py standards

A test proves an item when its name says so: `test_item_09_a_limit_below_the_meter_is_refused`; a name may
carry several numbers, `test_item_08_41_…`. Only the standard library is used, so that nothing has to be
installed before somebody asks.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"test_item_((?:\d\d_)+)")

LINKED = "linked tables"
PI = "installation on a Pi"
DECKS = "deck records"
NOT_OURS = "not ours"


class Item(NamedTuple):
    """One item of the standards, in our words; `later` is the work that it, or a part of it, waits for."""

    number: int
    title: str
    later: str = ""


ITEMS = (
    # Meters and money.
    Item(1, "six meters are kept for each award"),
    Item(2, "six parameters for each award, and none of them is left out"),
    Item(3, "no part of a cent is lost or made"),
    Item(4, "a meter goes down for a listed reason only, with a person or an award to show for it"),
    Item(5, "there is no way for a meter to zero itself"),
    Item(6, "the meters survive a loss of power"),
    Item(7, "fourteen digits with the cents, and no binary fractions"),
    Item(8, "payments are counted by who paid and for which hand"),
    Item(9, "the meter stops at its limit, the rest overflows, and no limit is set below the meter"),
    Item(10, "the jackpot can be expected below its ceiling"),
    Item(11, "after a hit the meter is the reset by itself and play goes on", f"a second table: {LINKED}"),
    Item(12, "only the highest award of a hand is paid"),
    Item(13, "the money on the meter is the players': a balance for every day"),
    # Increments.
    Item(14, "every coin adds exactly its share, and a part of a cent is carried"),
    Item(15, "only a wager that counts moves the meter"),
    Item(16, "tokens counted equal bets accepted before the first card"),
    Item(17, "who can win can see the value"),
    Item(18, "tables of one pool have equal chances", LINKED),
    # Display.
    Item(19, "the display may lag behind the meter, but never for long"),
    Item(20, "a win is shown with amount, table, seat and the new value"),
    Item(21, "a fault is shown in plain words beside the amount"),
    Item(22, "a value too long for the sign never looks like a smaller one"),
    Item(23, "a win that waits for approval is shown as pending"),
    Item(24, "a lamp at each seat says that the bet is made"),
    Item(25, "all displays show the same value"),
    # Faults, power, communication.
    Item(26, "a controller that cannot be trusted puts itself out of service"),
    Item(27, "what depends on the controller goes out of service with it"),
    Item(28, "staff and players are told of a fault"),
    Item(29, "after a fault the table is what it was before, never a default"),
    Item(30, "a damaged memory is refused, and not replaced by defaults"),
    Item(31, "a difference between two counts is a fault"),
    Item(32, "what comes over a wire is checked, and a damaged frame counts once or never"),
    Item(33, "every linked table has an identity of its own", LINKED),
    Item(34, "the order of wins that are close together is recorded"),
    Item(35, "a link that is down for long suspends play", LINKED),
    Item(36, "a hit that nobody has acknowledged is not lost"),
    Item(37, "a door that is opened during play is an event"),
    # Jackpots.
    Item(38, "a table with a prize that waits is locked until people have decided"),
    Item(39, "the value of a prize that waits is frozen", f"other tables go on: {LINKED}"),
    Item(40, "a prize is confirmed on the cards, the deck and two names"),
    Item(41, "the log of hits has every field and cannot be edited"),
    Item(42, "minimum guarantees and shared pools are paid as the house says"),
    Item(43, "a jackpot moves to another table whole and on record", LINKED),
    Item(44, "a value follows its hand and never its line in a table"),
    Item(45, "a payment can be withheld until a check is done"),
    # Access, changes, software.
    Item(46, "who changes parameters cannot confirm a prize alone"),
    Item(47, "before the table is tried somebody is notified"),
    Item(48, "no word of a dealer reaches a parameter"),
    Item(49, "parameters change with the day closed, or with the next reset"),
    Item(50, "an amount is set once, at the installation, and never below the reset"),
    Item(51, "a change carries its approval"),
    Item(52, "the program checks itself at every start"),
    Item(53, "the program can be verified by somebody else"),
    Item(54, "the program is the approved one"),
    Item(55, "every change of the program is on record by itself"),
    Item(56, "a trial moves no meter, and the table is then what it was"),
    Item(57, "a record that is corrected keeps the old one, the person and the time"),
    Item(58, "events, errors and changes are in one log that cannot be cut"),
    Item(59, "the order of the entries does not depend on the clock"),
    Item(60, "an older value is never restored in silence", f"back-ups of a running table: {PI}"),
    Item(61, "hidden parameters cannot be read", "no mystery prize is offered; staff see the reserve"),
    # Cards, shuffler, shoe.
    Item(62, "a wrong number of cards takes the deck out"),
    Item(63, "nothing tells what a card is before it lies face up"),
    Item(64, "the shuffler's order passes for chance", f"{NOT_OURS}: the shuffler's maker proves it"),
    Item(65, "the rest of the deck is counted every few rounds"),
    Item(66, "a deck has the receipt of the machine that checked it", DECKS),
    Item(67, "a deck that is taken out is sealed with names and time", DECKS),
)


def proofs(tests: Path = ROOT / "tests") -> dict[int, list[str]]:
    """The tests that name each item, as `file::name`, in the order of files and lines."""
    found: dict[int, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "test_item_" not in text:
            continue
        place = path.relative_to(tests.parent).as_posix()
        for node in ast.walk(ast.parse(text)):
            named = NAMED.match(node.name) if isinstance(node, ast.FunctionDef) else None
            if named is not None and isinstance(node, ast.FunctionDef):
                for number in named[1].split("_")[:-1]:
                    found.setdefault(int(number), []).append(f"{place}::{node.name}")
    return found


def report(found: dict[int, list[str]]) -> str:
    """Every item with its tests, or with what it waits for; the last line counts those that have one."""
    lines: list[str] = []
    for item in ITEMS:
        tests = found.get(item.number, [])
        lines.append(f"{item.number:2}  {item.title}")
        lines += [f"        {test}" for test in tests]
        if item.later:
            lines.append(f"        {'still to come' if tests else 'not covered'}: {item.later}")
        elif not tests:
            lines.append("        NOT COVERED, and nothing says why")
    covered = [item for item in ITEMS if item.number in found]
    parts = ", ".join(str(item.number) for item in covered if item.later)
    if parts:
        lines += ["", f"in part: {parts}"]
    lines.append(f"{len(covered)} of {len(ITEMS)} covered")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report(proofs()) + "\n")
