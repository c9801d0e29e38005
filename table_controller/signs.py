"""Signs that show the meter, as far as they have named themselves (plays' README, `display_down`).

A sign says `here` at least every second. One that falls silent is a display that is down, until it is heard
again or has said that it is `gone`.
"""

from __future__ import annotations

SILENT_US = 3_000_000
SIGNS_MAX = 16


class Signs:
    """Who shows the meter, and when each was heard last."""

    def __init__(self) -> None:
        self._heard_us: dict[str, int] = {}

    def here(self, name: str, now_us: int) -> bool:
        """A sign is heard; False where there are too many already."""
        if name not in self._heard_us and len(self._heard_us) >= SIGNS_MAX:
            return False
        self._heard_us[name] = now_us
        return True

    def gone(self, name: str) -> None:
        """A sign is taken away on purpose."""
        self._heard_us.pop(name, None)

    def well(self, now_us: int) -> bool:
        """No sign is silent."""
        return all(now_us - heard_us < SILENT_US for heard_us in self._heard_us.values())
