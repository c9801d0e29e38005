"""The fault catalogue of the simulator: what can be broken at the wires, and mended again.

Names and meanings are those of the plays. A fault that is over by itself (a damaged frame, a lost
card) has nothing to mend, and mending it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hw_sim.board import BEAM_CLEAR, BEAM_DARK, Board
from hw_sim.shoe import SimShoe

SPOTS: Final = ("ante", "raise", "bonus")

# Health lines are high while all is well, so that a cut cable reads as a fault.
HEALTH_FAULTS: Final = {
    "meter_down": "meter_well",
    "display_down": "display_well",
    "door_open": "door",
    "mains_down": "mains_well",
}


class FaultError(Exception):
    """A fault was asked for that this table cannot have."""


class Faults:
    """Breaks and mends the wires of one table; `shoe` is absent on a table without one."""

    def __init__(self, board: Board, shoe: SimShoe | None) -> None:
        self._board = board
        self._shoe = shoe

    def begin(self, name: str, args: Sequence[str]) -> None:
        """`fault NAME ARGS`: from now on it is broken."""
        board = self._board
        if name in HEALTH_FAULTS:
            _no_arguments(name, args)
            board.set(HEALTH_FAULTS[name], 0)
        elif name == "coin_stuck":
            beam = f"coin_a.{_seat(board, name, args)}"
            board.set(beam, BEAM_DARK)
            board.freeze(beam)
        elif name == "sensor_stuck":
            board.freeze(_sensor(board, name, args))
        elif name == "lamp_dead":
            board.kill_lamp(_seat(board, name, args))
        else:
            self._shoe_fault(name, args, _BEGIN)

    def mend(self, name: str, args: Sequence[str]) -> None:
        """`mend NAME ARGS`: it is as it was."""
        board = self._board
        if name in HEALTH_FAULTS:
            _no_arguments(name, args)
            board.set(HEALTH_FAULTS[name], 1)
        elif name == "coin_stuck":
            beam = f"coin_a.{_seat(board, name, args)}"
            board.set(beam, BEAM_CLEAR)
            board.thaw(beam)
        elif name == "sensor_stuck":
            board.thaw(_sensor(board, name, args))
        elif name == "lamp_dead":
            board.mend_lamp(_seat(board, name, args))
        elif name in _BEGIN and name not in _MEND:
            raise FaultError(f"{name} is over by itself: there is nothing to mend")
        else:
            self._shoe_fault(name, args, _MEND)

    def _shoe_fault(self, name: str, args: Sequence[str], acts: dict[str, Callable[[SimShoe], None]]) -> None:
        if name not in acts:
            known = sorted({*HEALTH_FAULTS, "coin_stuck", "sensor_stuck", "lamp_dead", *_BEGIN})
            raise FaultError(f"there is no fault {name!r}; known are {', '.join(known)}")
        _no_arguments(name, args)
        if self._shoe is None:
            raise FaultError(f"{name}: this table has no simulated shoe")
        acts[name](self._shoe)


_BEGIN: Final[dict[str, Callable[[SimShoe], None]]] = {
    "shoe_unplugged": SimShoe.unplug,
    "shoe_noise": SimShoe.make_noise,
    "shoe_skip": SimShoe.skip_next_card,
    "shoe_swallow": SimShoe.swallow_next_frame,
    "shoe_reboot": SimShoe.reboot,
}
_MEND: Final[dict[str, Callable[[SimShoe], None]]] = {"shoe_unplugged": SimShoe.replug}


def _no_arguments(name: str, args: Sequence[str]) -> None:
    if args:
        raise FaultError(f"{name} takes nothing after its name, and was given {' '.join(args)!r}")


def _seat(board: Board, name: str, args: Sequence[str]) -> int:
    if len(args) != 1 or not args[0].isdecimal() or not 1 <= int(args[0]) <= board.seats:
        raise FaultError(f"{name} takes one seat, 1..{board.seats}, and was given {' '.join(args)!r}")
    return int(args[0])


def _sensor(board: Board, name: str, args: Sequence[str]) -> str:
    if len(args) != 2 or args[0] not in SPOTS:
        raise FaultError(f"{name} takes one of {', '.join(SPOTS)} and a seat, was given {' '.join(args)!r}")
    return f"{args[0]}.{_seat(board, name, args[1:])}"
