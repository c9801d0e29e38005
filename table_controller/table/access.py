"""Who knocked at the table's door and was not let in: recorded, and nothing else (STANDARDS.md, item 48)."""

from __future__ import annotations

from table_controller.table.messages import AccessRefused, AccessTried, KeysListed, KeysRead
from table_controller.table.turn import Turn


def tried(turn: Turn, event: AccessTried) -> None:
    """Somebody asked for what his key does not open."""
    turn.tell(AccessRefused(event.why, event.who, event.word, event.address, event.times))


def keys_read(turn: Turn, event: KeysRead) -> None:
    """The register of keys as it is from now on."""
    turn.tell(KeysListed(event.keys))
