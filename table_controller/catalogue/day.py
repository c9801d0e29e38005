"""One day at a table, played by the table's own rules: the examples of every document come from it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from table_controller import publisher
from table_controller import request as wire
from table_controller.presets import load_preset
from table_controller.table import messages as m
from table_controller.table.offers import offers
from table_controller.table.state import TableState, new_state
from table_controller.table.step import step
from table_controller.table.views import Snapshot, house_view, snapshot

Json = dict[str, Any]

BODIES: Final[dict[str, tuple[Any, str]]] = {
    "state": (Snapshot, "The complete public state of the table; it replaces every older one."),
    "fact": (m.AnyFact, "Something the table decided, said once, after it was committed."),
    "meter": (m.MeterChanged, "A change of the meter, for those who listen to nothing else."),
    "alarm": (m.AlarmRaised, "An alarm, for those who listen to nothing else."),
    "heartbeat": (
        publisher._Heartbeat,
        "Every half second: the newest number, and the hash of the journal's chain up to it.",
    ),
}
"""What stands under `body` for each topic."""
_AT_MS: Final = 1_250
_WALL_MS: Final = 1_790_000_000_000
_HOUSE: Final = m.House("T1", 7, load_preset("us_standard"), 500, 50_000, gaming_day=True)


def _dealer(command: m.AnyCommand, operator: str = "dan") -> m.Said:
    return m.Said(command, operator, "dealer")


def _supervisor(command: m.AnyCommand, reason: str) -> m.Said:
    return m.Said(command, "sue", "supervisor", reason)


_ROUND: Final[tuple[m.AnyMessage, ...]] = (
    m.Installed(_HOUSE, ("ann", "ben"), "GC-1", "1.0.0", ""),
    m.Started((), True, True, "1.0.0", _HOUSE),
    m.ShoeFound(7, 1),
    _supervisor(m.OpenDay(), "start of the day"),
    _dealer(m.LogOn()),
    m.KeyPressed("open"),
    m.ChipsPlaced("ante", 1),
    _dealer(m.SetAmount("ante", 1, 1_000)),
    m.CoinDropped(1, (18_000, 9_000, 18_000)),
    m.ChipsPlaced("ante", 3),
    _dealer(m.SetAmount("ante", 3, 2_500)),
    m.CoinFaulted(3, "stuck"),
    _dealer(m.PressKey("lock")),
    *(
        m.CardScanned(card, False, number)
        for number, card in enumerate("TH 2S KD JH 5C AC QH 8D 6S KH 9C 3D AH 3H TC".split(), start=1)
    ),
    m.ChipsPlaced("raise", 1),
    _dealer(m.SetAmount("raise", 1, 2_000)),
    _dealer(m.Fold(3)),
    _dealer(m.PressKey("close")),
    _dealer(m.PressKey("reveal")),
    _dealer(m.CountStub(37)),
    _dealer(m.ConfirmAward(1)),
    _supervisor(m.ConfirmAward(1, "camera 4 at 02:10"), "hand and deck seen"),
    _dealer(m.PressKey("clear")),
    _supervisor(m.PayHit("T1-A000001", "cage"), "signed by the player"),
    _supervisor(m.CloseDay(), "end of the day"),
)
"""A day with one round in which seat 1 has a royal flush and a coin."""


@lru_cache
def examples() -> dict[str, Json]:
    """Real texts by the name of their type: one day is played, and the first of each kind is kept."""
    found: dict[str, Json] = {}
    state: TableState = new_state(_HOUSE)
    for seq, message in enumerate(_ROUND, start=1):
        stamp = m.Stamp(seq * _AT_MS, _WALL_MS + seq * _AT_MS)
        state, facts = step(_HOUSE, state, stamp, message)
        if isinstance(message, m.Said):
            _keep(found, message.command)
            found.setdefault("CommandRequest", _request(seq, message))
        elif not isinstance(message, m.Installed | m.Started):
            _keep(found, message)
        for fact in facts:
            _keep(found, fact)
            for topic in ("fact", "meter", "alarm"):
                if isinstance(fact, BODIES[topic][0]):
                    found.setdefault(topic_name(topic), _envelope(topic, seq, stamp, fact))
        if state.phase == "deciding":
            found["StateMessage"] = _envelope("state", seq, stamp, snapshot(_HOUSE, state, stamp.at_ms))
            offered = offers(_HOUSE, state, stamp)[:3]
            found["OffersAnswer"] = {"v": wire.VERSION, "id": "q-1", "ok": True, "offers": _plain(offered)}
            beat = publisher._Heartbeat("9f" * 32)
            found["HeartbeatMessage"] = _envelope("heartbeat", seq, stamp, beat)
    answer = {"v": wire.VERSION, "id": "q-2", "ok": True}
    found["Question"] = {"v": wire.VERSION, "id": "q-2", "ask": "here", "sign": "MAIN"}
    found["HouseAnswer"] = answer | {"house": _plain(house_view(_HOUSE, state, "1.0.0"))}
    found["SnapshotAnswer"] = answer | {"state": found["StateMessage"]}
    found["Answer"] = answer | {"id": found["CommandRequest"]["id"], "seq": 4}
    return found


def _keep(found: dict[str, Json], example: Struct) -> None:
    found.setdefault(type(example).__name__, _plain(example))


def _request(seq: int, said: m.Said) -> Json:
    request = {"v": wire.VERSION, "id": f"5c3a0f7e-{seq:04}", "command": _plain(said.command)}
    return request | {"operator": said.operator, "role": said.role, "reason": said.reason, "round": ""}


def _envelope(topic: str, seq: int, stamp: m.Stamp, body: Struct) -> Json:
    raw = msgspec.Raw(msgspec.json.encode(body))
    envelope = publisher._Envelope(publisher.VERSION, topic, "T1", 1, seq, stamp.at_ms, True, raw)
    made: Json = _plain(envelope)
    return made


def _plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def topic_name(topic: str) -> str:
    """The name of the type that is published under a topic."""
    return f"{topic.capitalize()}Message"
