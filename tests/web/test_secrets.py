"""Until CLOSE no byte that leaves the web process depends on a card that lies face down.

The same round is played twice, with the same happenings that everybody sees and with other hidden cards: what
streams, answers, papers and files carry is compared byte by byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from tests.web.painted import Painted
from tests.web.rig import RealTable
from tests.web.wire import Client, Stream

# One card at a time to seats 1 and 2 and the dealer; only his last card is up, and both deals share it.
NOTHING_BELOW: Final = "2C 3C 2H 3D 5S 4C 7H 8D 6H 9S JC 8S QC KS TD"
A_ROYAL_BELOW: Final = "6C TH 5H 4D JH 7S 8H QH 2D 9C KH 3S AS AH TD"
UP: Final = "TD"
DECK: Final = [rank + suit for suit in "SHDC" for rank in "AKQJT98765432"]
BETS: Final = "ante 1 10.00\nante 2 20.00\ncoin 1\ncoin 2\nbonus 2 5.00"

# What differs between any two runs: ids and names of sessions, moments, and the hashes of the chain.
_TIMES: Final = re.compile(
    rb'"(at_ms|wall_ms|age_ms|state_age_ms|left_ms|since_ms|ago_ms|heard_ms|wait_s|last_change_ms|seq)":-?[0-9]+'
)
_ROUND: Final = re.compile(rb"T1-[0-9]{8}-[0-9]{6}(?=-[0-9]{6})")
_BEAMS: Final = re.compile(rb'"beams_us":\[[0-9,]*\]')
_NAMES: Final = re.compile(rb'"(id|csrf|head|boot_id|frames)":("[^"]*"|[0-9]+)')


def masked(raw: bytes) -> bytes:
    """The bytes without what differs between any two runs."""
    raw = _BEAMS.sub(rb'"beams_us":_', raw)
    return _ROUND.sub(b"T1-_", _NAMES.sub(rb'"\1":_', _TIMES.sub(rb'"\1":_', raw)))


def deal(hidden: str, first: int, last: int) -> str:
    """These cards of the deal, counted from 0, as a line of a play."""
    places = ("1", "2", "D")
    cards = [f"{card}>{places[number % 3]}" for number, card in enumerate(hidden.split())]
    return "deal " + " ".join(cards[first:last])


def about_cards(card: str) -> list[dict[str, object]]:
    return [
        {"type": "DiscardCard", "card": card},
        {"type": "MoveCard", "card": card, "place": "2"},
        {"type": "StateExposed", "card": card},
        {"type": "StateUpcard", "card": card},
        {"type": "RescanCard", "card": card},
        {"type": "StateHand", "place": "1", "cards": [card]},
    ]


class Ear:
    """Everything that a round lets out, by what was asked when."""

    def __init__(self) -> None:
        self.heard: dict[str, bytes] = {}

    def hear(self, what: str, raw: bytes) -> None:
        self.heard[what] = masked(raw)

    def hear_stream(self, name: str, stream: Stream, base: int) -> None:
        """Each event under its number, counted from `base`; two runs may skip different ones of them."""
        for event, data in list(stream.events):
            found = json.loads(data)
            if event not in ("beat", "house") and found["seq"] > base:
                fact = found.get("fact", {})
                self.hear(f"{name} {event} {found['seq'] - base} {fact.get('type', '')}", data)


def differing(first: Ear, second: Ear) -> list[str]:
    """What was heard in both rounds and was not the same."""
    both = first.heard.keys() & second.heard.keys()
    other = sorted(what for what in both if first.heard[what] != second.heard[what])
    return [f"{what}: {_apart(first.heard[what], second.heard[what])}" for what in other]


def _apart(one: bytes, other: bytes) -> str:
    """Where two texts begin to differ."""
    at = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return f"{one[max(0, at - 40) : at + 40]!r} and {other[max(0, at - 40) : at + 40]!r}"


# ------------------------------------------------------------------------------- painted tables


def reached(table: Painted, stream: Stream) -> None:
    """The stream has told the newest picture."""
    seq = table.seq()
    stream.until(lambda events: any(f'"seq":{seq},'.encode() in data for _, data in events), f"entry {seq}")


def listen(painted: Painted, supervisor: Client, hidden: str) -> tuple[Ear, Ear]:
    """Plays the round; what was let out before CLOSE, and after REVEAL."""
    painted.paint("T1", "idle")
    ears, base = (Ear(), Ear()), painted.seq()
    streams = {"tables": supervisor.stream("/api/events"), "sign": supervisor.stream("/api/signs/T1/events")}
    steps = [
        "open",
        *BETS.splitlines(),
        "lock",
        deal(hidden, 0, 4),
        deal(hidden, 4, 15),
        "count 1 5",
        "raise 2",
        "fold 1",
    ]
    for number, step in enumerate(steps):
        painted.play(step)
        for stream in streams.values():
            reached(painted, stream)
        ask_everything(painted, supervisor, ears[0], f"{number} {step.split()[0]}")
    for name, stream in streams.items():
        ears[0].hear_stream(name, stream, base)
    before = {name: len(stream.events) for name, stream in streams.items()}
    painted.play("close\nreveal")
    for name, stream in streams.items():
        reached(painted, stream)
        for number, (event, data) in enumerate(stream.events[before[name] :]):
            if event not in ("beat", "house"):
                ears[1].hear(f"{name} {event} {number}", data)
        stream.close()
    return ears


def ask_everything(painted: Painted, person: Client, ear: Ear, when: str) -> None:
    for what in ("offers", "lines"):
        ear.hear(f"{when}: {what}", person.ask(what))
    # A card that lies down in one deal alone, each.
    for card in ("KS", "AH"):
        for command in about_cards(card):
            # A page may ask only so often; the web process' own time is put forward instead of waiting.
            painted.clock.pass_ms(1_000)
            ear.hear(f"{when}: effect {command}", person.effect(command))
    for path in ("/api/config", "/api/sessions"):
        ear.hear(f"{when}: {path}", person.get(path))


def test_item_63_until_close_no_byte_depends_on_a_hidden_card(painted: Painted) -> None:
    person = Client(painted.url, "ann", painted.pins["ann"])
    before, after = listen(painted, person, NOTHING_BELOW)
    before_too, after_too = listen(painted, person, A_ROYAL_BELOW)
    assert before.heard.keys() == before_too.heard.keys()
    assert len(before.heard) > 200, "too little was heard to prove anything"
    assert not (other := differing(before, before_too)), "\n".join(other)
    # The same ear hears a difference where there is one: after REVEAL the hands lie open.
    assert differing(after, after_too) != []


def test_before_close_every_card_that_is_refused_is_refused_in_the_same_words(painted: Painted) -> None:
    person = Client(painted.url, "cy", painted.pins["cy"])
    words = set()
    for hidden in (NOTHING_BELOW, A_ROYAL_BELOW):
        painted.paint("T1", "betting", "\n".join([*BETS.splitlines(), "lock", deal(hidden, 0, 15)]))
        for card in DECK:
            painted.clock.pass_ms(1_000)
            status, raw = person.say({"type": "DiscardCard", "card": card})
            assert status == 200
            words.add(json.loads(raw)["error"])
    assert len(words) == 1


@pytest.mark.parametrize("card", ["KS", "AH", "9D"])
def test_the_second_look_at_a_card_says_the_same_wherever_it_lies(painted: Painted, card: str) -> None:
    looks: list[list[bytes]] = []
    person = Client(painted.url, "ann", painted.pins["ann"])
    for hidden in (NOTHING_BELOW, A_ROYAL_BELOW):
        painted.paint("T1", "betting", "\n".join([*BETS.splitlines(), "lock", deal(hidden, 0, 15)]))
        painted.clock.pass_ms(10_000)
        looks.append([person.effect(command) for command in about_cards(card)])
    assert looks[0] == looks[1]
    assert all(look.startswith(b"200 ") for look in looks[0])


# ------------------------------------------------------------------------------- the real table


def test_a_running_round_of_a_real_table_lets_no_hidden_card_out(
    make_real_table: Callable[[], RealTable],
) -> None:
    heard = [listen_to_real(make_real_table(), hidden) for hidden in (NOTHING_BELOW, A_ROYAL_BELOW)]
    assert len(heard[0][0].heard.keys() & heard[1][0].heard.keys()) > 30, "too little was heard"
    assert not (other := differing(heard[0][0], heard[1][0])), "\n".join(other)
    assert differing(heard[0][1], heard[1][1]) != []


def has_coin(table: RealTable, seat: int) -> bool:
    return bool(table.seat(seat)["coin"] == "bet")


def listen_to_real(table: RealTable, hidden: str) -> tuple[Ear, Ear]:
    """A round at a real table by words and wires; what pages, papers and the table itself let out."""
    ears = Ear(), Ear()
    ann, cy = (Client(table.url, name, table.pins[name]) for name in ("ann", "cy"))
    streams = {"tables": ann.stream("/api/events"), "sign": ann.stream("/api/signs/T1/events")}

    def say(person: Client, **command: object) -> None:
        status, raw = person.say(dict(command), "as it is done")
        assert status == 200, raw
        assert json.loads(raw)["ok"], raw

    def look(ear: Ear, when: str, shown: str) -> None:
        """What is known at a moment when nothing more happens by itself."""
        table.until(lambda: table.state.get("shown") == shown, when)
        seq = table.newest_seq
        for name, stream in streams.items():
            stream.until(lambda events: _latest(events)[0] >= seq, f"{when}: entry {seq} on {name}")
            ear.hear(f"{when}: {name}", _latest(stream.events)[1])
            facts = [data for event, data in list(stream.events) if event == "fact"]
            ear.hear(f"{when}: facts of {name}", b"\n".join(facts))
        for topic, raw in table.newest.items():
            if topic != "heartbeat":
                ear.hear(f"{when}: published {topic}", raw)
        ear.hear(f"{when}: published facts", b"\n".join(table.facts))

    say(ann, type="OpenDay")
    say(cy, type="LogOn")
    say(cy, type="PressKey", key="open")
    for seat in (1, 2):
        table.hands.ante(seat)
        say(cy, type="SetAmount", spot="ante", seat=seat, cents=1000 * seat)
        table.hands.coin(seat)
        table.until(partial(has_coin, table, seat), f"the coin of seat {seat}")
    look(ears[0], "bets", "betting")
    say(cy, type="PressKey", key="lock")
    *first, unread = hidden.split()[:4]
    table.hands.deal(*first, "??")
    table.until(lambda: table.state["shown"] == "hold", "an unreadable card")
    say(cy, type="RescanCard", card=unread)
    table.until(lambda: table.state["cards_out"] == 4, "four cards")
    look(ears[0], "four cards", "dealing")
    table.hands.deal(*hidden.split()[4:])
    look(ears[0], "all cards", "deciding")
    say(cy, type="StateCount", place="1", cards=5)
    table.hands.raise_(2)
    say(cy, type="Fold", seat=1)
    table.until(lambda: table.seat(2)["raise"]["chips"] and table.seat(1)["folded"], "raise and fold")
    look(ears[0], "decided", "deciding")
    for what in ("offers", "lines"):
        ears[0].hear(what, ann.ask(what))
    for paper in ("rounds", "round?number=1", "round?number=1&html=1", "report", "hits", "meters"):
        status, _, raw = ann.send("GET", f"/api/tables/T1/papers/{paper}")
        assert status == 200, raw
        # Whoever knows all but one card of what went into a hash could try the cards that are left.
        assert not re.search(rb"\b[0-9a-f]{64}\b", raw), raw
        ears[0].hear(f"paper {paper}", _without_the_chain(raw))
    for path in ("/panel", "/console", "/sign", "/login"):
        ears[0].hear(path, ann.get(path))
    say(cy, type="PressKey", key="close")
    say(cy, type="PressKey", key="reveal")
    table.until(lambda: table.state["result"] == "settled", "the settlement")
    look(ears[1], "settled", table.state["shown"])
    for stream in streams.values():
        stream.close()
    return ears


def _latest(events: list[tuple[str, bytes]]) -> tuple[int, bytes]:
    """The newest picture of a stream and its number."""
    pictures = [data for event, data in list(events) if event in ("table", "sign")]
    return (json.loads(pictures[-1])["seq"], pictures[-1]) if pictures else (0, b"")


def _without_the_chain(raw: bytes) -> bytes:
    """Moments, every hash, and the entries that time alone makes differ in each run."""
    raw = re.sub(rb'"(entry|entries|first_entry|last_entry|rounds_an_hour|\w+_ms)":[0-9.]+', rb'"\1":_', raw)
    raw = re.sub(rb"entries ([0-9]+) to [0-9]+", rb"entries \1 to _", raw)
    raw = re.sub(rb"[0-9a-f]{16,64}", b"_", raw)
    return re.sub(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+:[0-9]{2}(:[0-9]{2})?(\.[0-9]+)?", b"_", raw)
