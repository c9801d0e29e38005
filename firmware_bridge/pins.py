"""The pin factory that table.toml names, and no other.

gpiozero's own choice walks from factory to factory until one loads, and so ends on the wrong one in
silence. Here a factory that is missing is an error with a sentence. lgpio makes a file in the working
directory when it is imported: the unit of the service sets LG_WD to a directory that can be written.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, Final

from gpiozero.exc import GPIOZeroError

FACTORIES: Final = {
    "lgpio": "package lgpio, /dev/gpiochip*, and a working directory or LG_WD that can be written",
    "rpigpio": "package RPi.GPIO (not rpi-lgpio) and a Raspberry Pi up to the 4",
    "sim": "package hw_sim of this project and a running simulated board",
}
GROUP: Final = "gpiozero_pin_factories"


class PinFactoryError(Exception):
    """The pin factory cannot be had; the sentence says which, why, and what is allowed or needed."""


def make_factory(name: str) -> Any:
    """The gpiozero factory `name`: `lgpio`, `rpigpio` or `sim`. Never another one in its place."""
    if name not in FACTORIES:
        raise PinFactoryError(f"pin factory {name!r} is not known; allowed: {', '.join(FACTORIES)}")
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        raise PinFactoryError(
            f"pin factory {name!r} is not installed (no entry point in {GROUP}); it needs {FACTORIES[name]}"
        )
    try:
        return found[0].load()()
    except (ImportError, RuntimeError, OSError, GPIOZeroError) as problem:
        # RPi.GPIO raises RuntimeError on every other computer, from its import.
        raise PinFactoryError(
            f"pin factory {name!r} cannot be used: {type(problem).__name__}: {problem};"
            f" it needs {FACTORIES[name]}"
        ) from problem
