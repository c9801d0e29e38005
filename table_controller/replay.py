"""A journal turned back into a table: the same messages, in the same order, decided again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TypeVar

import msgspec

from table_controller.journal import Entry
from table_controller.table.messages import (
    AnyFact,
    AnyMessage,
    Carried,
    Fact,
    House,
    Installed,
    Stamp,
    Started,
)
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import step


class Snapshot(msgspec.Struct, frozen=True):
    """What the journal keeps of a table beside some entries, so that a start need not read them all."""

    house: House
    state: TableState


class ReplayError(Exception):
    """The entries cannot be decided again; the text says at which number and why."""


T = TypeVar("T")

_facts = msgspec.json.Encoder()
_message_decoder: msgspec.json.Decoder[AnyMessage] = msgspec.json.Decoder(AnyMessage)
_facts_decoder: msgspec.json.Decoder[list[AnyFact]] = msgspec.json.Decoder(list[AnyFact])
_snapshot_decoder = msgspec.json.Decoder(Snapshot)


def _decoded(decoder: msgspec.json.Decoder[T], text: bytes, place: str) -> T:
    try:
        return decoder.decode(text)
    except msgspec.MsgspecError as error:
        raise ReplayError(f"{place}: {error}") from error


def encode_facts(facts: tuple[Fact, ...]) -> bytes:
    """The one encoding of the facts of an entry."""
    return _facts.encode(facts)


def encode_message(message: AnyMessage) -> bytes:
    """The one encoding of the message of an entry."""
    return _facts.encode(message)


def decode_message(entry: Entry) -> AnyMessage:
    """The message of an entry; raises `ReplayError` for one that this version does not know."""
    return _decoded(_message_decoder, entry.message, f"entry {entry.seq}")


def decode_facts(entry: Entry) -> list[AnyFact]:
    """The facts of an entry; raises `ReplayError` for one that this version does not know."""
    return _decoded(_facts_decoder, entry.facts, f"entry {entry.seq}")


def digest_of(encoded_state: bytes) -> bytes:
    """What an entry keeps of a state."""
    return sha256(encoded_state).digest()


class Replay:
    """A table brought up from its journal, one entry at a time."""

    def __init__(self, snapshot: bytes | None = None) -> None:
        """Begin with a snapshot of the journal; raises `ReplayError` for one of another version."""
        self.house: House | None = None
        self.state: TableState | None = None
        if snapshot is not None:
            kept = _decoded(_snapshot_decoder, snapshot, "a snapshot")
            self.house, self.state = kept.house, kept.state

    def take(self, entry: Entry) -> tuple[TableState, tuple[Fact, ...]]:
        """Decide one entry again."""
        message = decode_message(entry)
        if isinstance(message, Started) and message.house is not None:
            self.house = message.house
        elif isinstance(message, Installed | Carried) and self.state is None:
            # Only a beginning: said again later it is refused, and names no other house rules then.
            self.house = message.house
        if self.house is None:
            raise ReplayError(f"entry {entry.seq}: a journal begins with a start that names its house rules")
        if self.state is None:
            self.state = new_state(self.house)
        self.state, facts = step(self.house, self.state, Stamp(entry.at_ms, entry.wall_ms), message)
        return self.state, facts


def replay(snapshot: bytes | None, entries: Iterable[Entry]) -> Iterator[tuple[bytes, bytes]]:
    """For `journal.verify`: the facts and the digest of every entry, decided again."""
    again = Replay(snapshot)
    for entry in entries:
        state, facts = again.take(entry)
        yield encode_facts(facts), digest_of(encode_state(state))
