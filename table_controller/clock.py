"""What time it is. The service asks once a turn; everything else gets time as an argument."""

from __future__ import annotations

import ctypes
import os
import time
from typing import Protocol

_SYNCED_FILE = "/run/systemd/timesync/synchronized"
_ASK_AGAIN_US = 60_000_000
_TIME_ERROR = 5
# `struct timex` has 208 bytes on 64-bit Linux; all zero means "only tell", which needs no privilege.
_TIMEX_BYTES = 208


class Clock(Protocol):
    """A source of time, real or simulated."""

    def now_us(self) -> int:
        """Microseconds that never run backwards and never jump; their zero means nothing."""

    def wall_ms(self) -> int:
        """UTC in milliseconds since 1970: a label for people, never a measure."""

    def synced(self) -> bool:
        """Whether `wall_ms` follows a time server."""


class SystemClock:
    """The clocks of the machine: monotonic for order and duration, UTC for labels."""

    def __init__(self) -> None:
        self._synced = False
        self._ask_at_us = 0

    def now_us(self) -> int:
        """Monotonic microseconds."""
        return time.monotonic_ns() // 1_000

    def wall_ms(self) -> int:
        """UTC in milliseconds since 1970; may run backwards where the machine has no clock of its own."""
        return time.time_ns() // 1_000_000

    def synced(self) -> bool:
        """Whether a time server keeps the clock right; asked of the system once a minute at most."""
        now_us = self.now_us()
        if now_us >= self._ask_at_us:
            self._ask_at_us = now_us + _ASK_AGAIN_US
            self._synced = os.path.exists(_SYNCED_FILE) or _kernel_says_synced()
        return self._synced


def _kernel_says_synced() -> bool:
    """What the kernel knows, whoever keeps the time; a sandbox that forbids the question means no."""
    state: int = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    return 0 <= state < _TIME_ERROR
