"""Who was refused at the door lately: each kind is told at once, and again once a minute with its number.

A scanner that knocks a thousand times a second must neither fill the journal nor hide behind its number.
"""

from __future__ import annotations

import msgspec

from table_controller.door import Knock
from table_controller.table.messages import AccessTried, Trespass

AGAIN_US = 60_000_000
KINDS_MAX = 32


class _Kind(msgspec.Struct):
    told_us: int | None = None
    times: int = 0
    address: str = ""


class Visitors:
    """Counts the refused by kind: why, whose key, what was asked."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[Trespass, str, str], _Kind] = {}

    def note(self, knock: Knock) -> None:
        """One more was refused; of too many kinds the names are left out."""
        kind = (knock.why, knock.who, knock.word)
        if kind not in self._kinds and len(self._kinds) >= KINDS_MAX:
            # The words are left out first, and the name only of a crowd.
            kind = (knock.why, knock.who, "several")
        if kind not in self._kinds and len(self._kinds) >= 4 * KINDS_MAX:
            kind = (knock.why, "", "several")
        found = self._kinds.setdefault(kind, _Kind())
        found.times += 1
        found.address = knock.address

    def due(self, now_us: int) -> list[AccessTried]:
        """What is to be recorded now."""
        told = []
        for (why, who, word), kind in list(self._kinds.items()):
            if kind.told_us is not None and now_us - kind.told_us < AGAIN_US:
                continue
            if kind.times:
                told.append(AccessTried(why, who, word, kind.address, kind.times))
                kind.told_us, kind.times = now_us, 0
            else:
                del self._kinds[why, who, word]
        return told
