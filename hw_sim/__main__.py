"""The command line of the simulator: `hw-sim board|players|demo|page|play`.

Each part is imported when it is asked for, so that a board starts without the weight of the plays.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

USAGE = """usage: hw-sim COMMAND ...

  board    the wires of a table, as a process (run folder/board.sock)
  players  simulated players and dealer at a running table
  demo     all of it: board, service, players, pages, and a view of the table
  page     a page to play on a running table with one's own hands
  play     run plays (TOML files) against the service: PASS or FAIL for each

hw-sim COMMAND --help tells the options of one of them."""


def main_board(argv: Sequence[str]) -> int:
    """`hw-sim board`: the wires of one table in a run folder, until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="hw-sim board", description="The simulated wires of one table.")
    parser.add_argument("--dir", type=Path, required=True, help="run folder of the table")
    parser.add_argument("--seats", type=int, choices=range(1, 8), default=7)
    parser.add_argument("--no-shoe", action="store_true", help="a real shoe is connected elsewhere")
    wanted = parser.parse_args(argv)

    from hw_sim.server import BoardError, run_board
    from table_controller.lines import default_lines

    try:
        run_board(wanted.dir, default_lines(wanted.seats), wanted.seats, shoe=not wanted.no_shoe)
    except BoardError as problem:
        print(f"board: {problem}", file=sys.stderr)
        return 1
    return 0


def _players(argv: Sequence[str]) -> int:
    from hw_sim.players import main_players

    return main_players(argv)


def _demo(argv: Sequence[str]) -> int:
    from hw_sim.demo import main_demo

    return main_demo(argv)


def _page(argv: Sequence[str]) -> int:
    from hw_sim.page.felt import main_page

    return main_page(argv)


def _play(argv: Sequence[str]) -> int:
    from hw_sim.plays import main_play

    return main_play(list(argv))


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "board": main_board,
    "players": _players,
    "demo": _demo,
    "page": _page,
    "play": _play,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code; 2 if there is no such command."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if words else 2
    if words[0] not in COMMANDS:
        print(f"hw-sim: no command {words[0]!r}; allowed: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return COMMANDS[words[0]](words[1:])


if __name__ == "__main__":
    sys.exit(main())
