"""The simulated board with a stopwatch at its wires: `python -m tests.bench.stopwatch FOLDER`.

It is the board process of `hw-sim board`, and notes when a coin clears the second beam (before the
service is told) and when a jackpot lamp is lit. SIGTERM ends it and leaves the times in `edges.json`.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from typing import Final

from hw_sim.server import BoardServer
from table_controller.lines import default_lines

SEATS: Final = 7
EDGES: Final = "edges.json"
TIMES_MAX: Final = 100_000


class Stopwatch(BoardServer):
    """A board that notes, in monotonic nanoseconds, the end of each coin and each lighting of a lamp."""

    def __init__(self, directory: Path) -> None:
        lines = default_lines(SEATS)
        self._watched: Final = {
            **{(lines[f"coin_b.{seat}"], 0): "cleared" for seat in range(1, SEATS + 1)},
            **{(lines[f"lamp_sense.{seat}"], 1): "lit" for seat in range(1, SEATS + 1)},
        }
        self.times_ns: Final[dict[str, list[int]]] = {"cleared": [], "lit": []}
        super().__init__(directory, lines, SEATS)

    def _tell_pins(self, number: int, level: int) -> None:
        what = self._watched.get((number, level))
        if what is not None:
            if len(self.times_ns[what]) == TIMES_MAX:
                raise RuntimeError(f"the stopwatch holds {TIMES_MAX} times and takes no more")
            self.times_ns[what].append(time.monotonic_ns())
        super()._tell_pins(number, level)


def main(folder: Path) -> None:
    """Be the board of that folder until SIGTERM."""
    board = Stopwatch(folder)
    signal.signal(signal.SIGTERM, lambda *_: board.stop())
    board.serve()
    (folder / EDGES).write_text(json.dumps(board.times_ns), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
