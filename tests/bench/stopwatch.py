"""The service with a stopwatch at its wires: `python -m tests.bench.stopwatch TABLE.TOML`.

The unchanged service runs its own loop on the pins of a simulated board in the same process; a second
thread moves the wires, so that an edge reaches the service as on a Raspberry Pi: in a callback on
another thread. A line on standard input, the number of a seat, drops a coin there. The answer is the
monotonic nanoseconds at which the second beam cleared and at which the lamp was driven, or 0 for no lamp.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from hw_sim.board import BEAM_CLEAR, BEAM_DARK, Board
from hw_sim.pins import SimFactory
from hw_sim.shoe import LocalPort, SimShoe
from hw_sim.table import COIN_STEP_US, HAND_US, KEY_US
from table_controller.app import build
from table_controller.clock import SystemClock
from table_controller.config import load_table
from table_controller.lines import default_lines

SEATS: Final = 7
REST_S: Final = 0.03
"""Between a coin and its answer, so that telling it is no part of what is measured."""
RESTS_MAX: Final = 30
"""After so many rests without its lamp, the coin was refused."""


class Stopwatch:
    """Moves the wires of a board and notes when its jackpot lamps are driven."""

    def __init__(self, board: Board, stop: Callable[[], None]) -> None:
        self._board: Final = board
        self._stop: Final = stop
        # A sense line follows its lamp within the call that drives the lamp.
        self._senses: Final = {board.pin(f"lamp_sense.{seat}") for seat in range(1, SEATS + 1)}
        self._lit_ns = 0
        board.watch(self._moved)

    def run(self) -> None:
        """Open the bets, lay seven antes and drop coins as told; the end of the input ends the service."""
        try:
            self._set("key.open", 1, KEY_US)
            self._set("key.open", 0, HAND_US)
            for seat in range(1, SEATS + 1):
                self._set(f"ante.{seat}", 1, HAND_US)
            print("ready", flush=True)
            for line in sys.stdin:
                cleared_ns, lit_ns = self.coin(int(line))
                print(cleared_ns, lit_ns, flush=True)
        finally:
            self._stop()

    def coin(self, seat: int) -> tuple[int, int]:
        """Drop a coin; when its last edge was and when its lamp was driven."""
        upper, lower = f"coin_a.{seat}", f"coin_b.{seat}"
        for beam, level in ((upper, BEAM_DARK), (lower, BEAM_DARK), (upper, BEAM_CLEAR)):
            self._set(beam, level, COIN_STEP_US)
        self._lit_ns = 0
        cleared_ns = time.monotonic_ns()
        self._board.set(lower, BEAM_CLEAR)
        for _ in range(RESTS_MAX):
            time.sleep(REST_S)
            if self._lit_ns:
                break
        return cleared_ns, self._lit_ns

    def _set(self, line: str, level: int, then_us: int) -> None:
        self._board.set(line, level)
        time.sleep(then_us / 1e6)

    def _moved(self, number: int, level: int) -> None:
        if level and number in self._senses:
            self._lit_ns = time.monotonic_ns()


def main(table: str) -> None:
    """Run the service of that table until the input ends."""
    clock = SystemClock()
    board = Board(default_lines(SEATS), SEATS, clock.now_us)
    port = LocalPort(SimShoe(), clock.now_us)
    app = build(load_table(table), clock, factory=SimFactory(board), port=port)
    stopwatch = Stopwatch(board, lambda: os.kill(os.getpid(), signal.SIGTERM))
    threading.Thread(target=stopwatch.run, daemon=True).start()
    app.run(clock)


if __name__ == "__main__":
    main(sys.argv[1])
