"""Which screen shows under the name of a sign: one at a time, and nobody else speaks for it.

A sign needs no log-in, so what tells one screen from another is the address that it comes from.
"""

from __future__ import annotations

from typing import Final

from table_controller.web.asked import Refused
from table_controller.web.clock import Clock
from table_controller.web.sessions import Allowance

HELD_MS: Final = 3_000
SCREENS_MAX: Final = 300


class Screens:
    """From which address each sign was heard, and when."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard = Allowance(4, 1_000, clock.now_ms)
        self._held: dict[str, tuple[str, int]] = {}

    def take(self, sign: str, address: str, gone: bool) -> None:
        """A screen says that it shows, or that it is taken away. Raises `Refused`."""
        holder, heard_ms = self._held.get(sign, ("", 0))
        held = self._clock.now_ms() - heard_ms < HELD_MS
        if holder != address and (held or gone):
            raise Refused(409, "another screen shows under this name")
        # Counted by address, so that however often a stranger tries, the sign itself is heard.
        if self._heard.take(f"{sign} {address}"):
            raise Refused(429, "a sign is heard once a second")
        if gone:
            self._held.pop(sign, None)
            return
        if len(self._held) >= SCREENS_MAX:
            past_ms = self._clock.now_ms() - HELD_MS
            self._held = {name: held for name, held in self._held.items() if held[1] > past_ms}
        if len(self._held) < SCREENS_MAX or sign in self._held:
            self._held[sign] = (address, self._clock.now_ms())
