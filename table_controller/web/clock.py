"""What time it is, for the pages' own limits; the table's time is told by the table alone."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time, real or simulated."""

    def now_ms(self) -> int:
        """Milliseconds that never run backwards; their zero means nothing."""

    def wall_ms(self) -> int:
        """UTC in milliseconds since 1970."""


class SystemClock:
    """The clocks of the machine."""

    def now_ms(self) -> int:
        """Monotonic milliseconds."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """UTC in milliseconds since 1970."""
        return time.time_ns() // 1_000_000
