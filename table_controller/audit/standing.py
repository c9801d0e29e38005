"""Where a table stands after an entry of its journal, worked out only when somebody asks."""

from __future__ import annotations

from table_controller.journal import Entry
from table_controller.replay import Replay, ReplayError
from table_controller.table.messages import House
from table_controller.table.state import TableState


class Standing:
    """The table after the last entry taken: the newest snapshot, with what came after decided again."""

    def __init__(self) -> None:
        self._snapshot: bytes | None = None
        self._since: list[Entry] = []

    def take(self, entry: Entry) -> None:
        """One more entry."""
        if entry.snapshot is None:
            self._since.append(entry)
        else:
            self._snapshot, self._since = entry.snapshot, []

    def now(self) -> tuple[House, TableState]:
        """House and state after the last entry; raises `ReplayError` where no entry names a house."""
        again = Replay(self._snapshot)
        for entry in self._since:
            again.take(entry)
        if again.house is None or again.state is None:
            raise ReplayError("the journal has no entry that names the house rules")
        return again.house, again.state
