"""A configuration file: its keys are taken out one by one, and whatever is wrong is told in one pass.

Each problem names its place, the value found and what is allowed. What the file does not say and has no
default is a problem, and so is a key that nobody takes; nothing is guessed.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from table_controller.engine.values import written

# The kernel's limit for the name of a Unix socket, its end mark included, is 108 bytes.
MAX_SOCKET_PATH_BYTES: Final = 107

T = TypeVar("T")


class ConfigError(Exception):
    """The file cannot be used; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class TomlFile:
    """Takes keys out of the sections of one file and remembers what was wrong with them."""

    def __init__(self, path: str | os.PathLike[str], order: Sequence[str] = ()) -> None:
        """Read the file; its problems are told in the order of the sections, or as they were found.

        Raises `ConfigError` where it cannot be read.
        """
        self.place = os.fspath(path)
        self.folder = os.path.dirname(os.path.realpath(self.place))
        self.keys = self._read()
        self._order = order
        self._problems: list[tuple[tuple[int, str], str]] = []
        self._no_sections: set[str] = set()

    def _read(self) -> dict[str, Any]:
        try:
            with open(self.place, "rb") as file:
                return tomllib.load(file)
        except OSError as error:
            reason: object = error.strerror
        except RecursionError:
            reason = "brackets are nested too deeply"
        except ValueError as error:
            # No TOML, no UTF-8, or a number without end.
            reason = error
        raise ConfigError([f"{self.place}: the file cannot be read: {reason}"])

    @property
    def problems(self) -> list[str]:
        """All that was wrong so far."""
        return [text for _, text in sorted(self._problems, key=lambda problem: problem[0])]

    def problem(self, key: str, found: object, allowed: str) -> None:
        """One finding: where, what, and what would be right."""
        self.report(key, f"{written(found)} was found; allowed: {allowed}")

    def report(self, key: str, text: str) -> None:
        """One finding in words of its own."""
        self.quote(key, [f"{self.place}: {key}: {text}"])

    def quote(self, key: str, problems: Iterable[str]) -> None:
        """Whole findings, those of another file that `key` names among them."""
        section, _, below = key.strip("[]").partition(".")
        rank = (self._order.index(section), below) if self._order else (0, "")
        self._problems += [(rank, problem) for problem in problems]

    def section(self, keys: dict[str, Any], name: str, within: str = "") -> dict[str, Any]:
        """Take a `[section]`; an empty one where there is none, because its keys are then missing by name."""
        value = keys.pop(name, {})
        if isinstance(value, dict):
            return value
        path = f"{within}.{name}" if within else name
        self.problem(path, value, f"a section [{path}]")
        self._no_sections.add(path)
        return {}

    def take(
        self, keys: dict[str, Any], section: str, key: str, read: Callable[[Any], T], needed: bool = True
    ) -> T | None:
        """Take one key through `read`, whose ValueError says what is allowed; None where there is none."""
        name = f"{section}.{key}" if section else key
        if key not in keys:
            # What is no section has been reported whole.
            if needed and section not in self._no_sections:
                self.report(name, "the key is missing")
            return None
        value = keys.pop(key)
        try:
            return read(value)
        except ValueError as error:
            self.problem(name, value, str(error))
            return None

    def finish(self, keys: dict[str, Any], section: str, allowed: str) -> None:
        """Whatever was not taken is unknown."""
        for key in keys:
            self.problem(f"[{section}]" if section else "the file", key, allowed)

    def path(self, example: str) -> Callable[[Any], str]:
        """Reads a path, relative ones below the folder of the file."""

        def read(value: Any) -> str:
            if not isinstance(value, str) or not value or not value.isprintable():
                raise ValueError(f'a path as text, like "{example}"')
            return os.path.join(self.folder, value)

        return read

    def endpoint(self, is_tcp: Callable[[str], bool], tcp: str) -> Callable[[Any], str]:
        """Reads the address of a socket; `is_tcp` judges what follows tcp://, `tcp` says what is allowed."""
        allowed = f"ipc:// with a path, inproc:// with a name, or tcp:// {tcp}"

        def read(value: Any) -> str:
            scheme, _, rest = value.partition("://") if isinstance(value, str) else ("", "", "")
            if not rest or not rest.isprintable():
                raise ValueError(allowed)
            if scheme == "ipc" and rest[0] not in "@*":
                path = os.path.join(self.folder, rest)
                if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
                    raise ValueError(f"at most {MAX_SOCKET_PATH_BYTES} bytes, the folder included ({path})")
                return f"ipc://{path}"
            if scheme == "inproc" or (scheme == "tcp" and is_tcp(rest)):
                return f"{scheme}://{rest}"
            raise ValueError(allowed)

        return read


def host_and_port(text: object) -> tuple[str, int] | None:
    """The two parts of `host:port`, an IPv6 address in brackets; None where it is something else."""
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})", str(text))
    if found is None or int(found[3]) > 65_535:
        return None
    return found[1] or found[2], int(found[3])


def table_name(value: Any) -> str:
    """Reads the name of a table."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,16}", value):
        raise ValueError('1 to 16 letters, digits, "-" and "_", as text')
    return value


def one_of(*names: str) -> Callable[[Any], str]:
    """Reads one of a few words."""

    def read(value: Any) -> str:
        if value not in names:
            raise ValueError(", ".join(f'"{name}"' for name in names))
        return str(value)

    return read
