"""What the tables say, as the site sees it: one picture a table, and a way to ask.

Only the newest picture is kept; whoever looks late sees the newest and never a backlog.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """One table as it was heard last; `state` and `house` are JSON, empty as long as there is none.

    By the clock of the pages, `heard_ms` is when anything was heard of it and `state_ms` when its state was
    what it says; `refused`: the table does not take our key.
    """

    table: str
    boot: int = 0
    seq: int = 0
    at_ms: int = 0
    synced: bool = False
    heard_ms: int = 0
    refused: bool = False
    state: bytes = b""
    house: bytes = b""
    state_ms: int = 0


class Heard(msgspec.Struct, frozen=True):
    """One fact as JSON, with where it stands; `wall_ms` is when it was heard."""

    boot: int
    seq: int
    at_ms: int
    wall_ms: int
    fact: bytes


Told = Callable[[str, tuple[Heard, ...]], None]


class Feeds(Protocol):
    """The tables as the site sees them; every call is made in its event loop."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""

    def start(self, told: Told) -> None:
        """Follow the tables; `told` is called in the running loop at each change."""

    async def stop(self) -> None:
        """Follow them no more; what was asked and not answered is not answered."""

    def picture(self, table: str) -> Picture:
        """The newest picture of a table."""

    async def request(self, table: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What the table answers; None if it is silent. The same id again is the same request."""
