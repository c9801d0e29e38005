"""Edges and time to stable changes (PROTOCOL.md, Inputs). Pure; one value per line."""

from __future__ import annotations

from typing import Final

STEADY_US: Final = 20_000


class Debounce:
    """One line. `level` is the last level that stood for `steady_us` microseconds without an edge."""

    def __init__(self, level: bool, steady_us: int = STEADY_US) -> None:
        self.level = level
        self._steady_us: Final = steady_us
        self._raw = level
        self._since_us = 0

    def edge(self, level: bool, at_us: int) -> bool | None:
        """The line went to `level` at `at_us`. The new stable level, if one was reached before that."""
        change = self.settle(at_us)
        if level != self._raw:
            self._raw = level
            self._since_us = at_us
        return change

    def settle(self, now_us: int) -> bool | None:
        """The new stable level if there is one by now, else None."""
        if self._raw == self.level or now_us - self._since_us < self._steady_us:
            return None
        self.level = self._raw
        return self.level

    def due_at_us(self) -> int | None:
        """When `settle` will have a change if no edge comes; None: never."""
        return None if self._raw == self.level else self._since_us + self._steady_us
