"""`web.toml`: where the pages listen, how they speak, and which tables they know; read once at the start.

Every problem of the file is reported in one pass, each with its place, the value found and what is
allowed. Whoever opens the pages to other machines says so with `[tls]` or `[proxy]`; nothing is guessed.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from table_controller.engine.values import written

T = TypeVar("T")
LANGUAGES: Final = ("en", "de")
TABLES_MAX: Final = 64
# The kernel's limit for the name of a Unix socket, its end mark included, is 108 bytes.
_SOCKET_PATH_MAX: Final = 107
_NONE: Final[tuple[str, ...]] = ()


class SettingsError(Exception):
    """The file cannot be used; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Tls(msgspec.Struct, frozen=True):
    """The files of the certificate, and the host names under which browsers reach the pages."""

    certificate: str
    key: str
    names: tuple[str, ...] = ()


class Proxy(msgspec.Struct, frozen=True):
    """What browsers see instead of us, and from which address it speaks to us."""

    origin: str
    address: str

    @property
    def host(self) -> str:
        """The host of the origin, with its port where it has one."""
        return self.origin.partition("://")[2]


class TableDoor(msgspec.Struct, frozen=True):
    """How one table is reached; an empty `table_file` is a table on another machine.

    `signs` are those that may say that they show the meter. Where none is named, any may on this machine
    alone, and none where [tls] or [proxy] lets others in: one that falls silent stops the coins.
    """

    name: str
    state: str
    commands: str
    key_file: str = ""
    table_file: str = ""
    signs: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True):
    """What `web.toml` says; every path is absolute."""

    place: str
    host: str
    port: int
    operators_file: str
    tables: dict[str, TableDoor]
    language: str = "en"
    locale: str = "en-US"
    currency: str = "USD"
    tls: Tls | None = None
    proxy: Proxy | None = None

    @property
    def secure(self) -> bool:
        """Browsers reach the pages over HTTPS."""
        return self.tls is not None or self.proxy is not None


def load_settings(path: str | os.PathLike[str]) -> Settings:
    """Read a `web.toml`; relative paths in it are relative to its folder.

    Raises `SettingsError` with every problem found.
    """
    place = os.fspath(path)
    try:
        with open(place, "rb") as file:
            keys = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        text = error.strerror if isinstance(error, OSError) else error
        raise SettingsError([f"{place}: the file cannot be read: {text}"]) from error
    reader = _Reader(place)
    settings = _read(reader, keys)
    if settings is None:
        raise SettingsError(reader.problems)
    return settings


class _Reader:
    """Takes keys out of sections and remembers what was wrong with them."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.folder = os.path.dirname(os.path.realpath(place))
        self.problems: list[str] = []

    def problem(self, key: str, found: object, allowed: str) -> None:
        self.report(key, f"{written(found)} was found; allowed: {allowed}")

    def report(self, key: str, text: str) -> None:
        self.problems.append(f"{self.place}: {key}: {text}")

    def section(self, keys: dict[str, Any], name: str, path: str = "") -> dict[str, Any] | None:
        """Take a section out; None where there is none."""
        value = keys.pop(name, None)
        if value is None or isinstance(value, dict):
            return value
        self.problem(path or name, value, f"a section [{path or name}]")
        return None

    def take(
        self, keys: dict[str, Any], section: str, key: str, read: Callable[[Any], T], default: T | None = None
    ) -> T | None:
        """Take one key through `read`, whose ValueError says what is allowed; no default: it is needed."""
        name = f"{section}.{key}" if section else key
        if key not in keys:
            if default is None:
                self.report(name, "the key is missing")
            return default
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

    def path(self, value: Any) -> str:
        """A path, relative ones below the folder of the file."""
        if not isinstance(value, str) or not value or not value.isprintable():
            raise ValueError("a path as text")
        return os.path.join(self.folder, value)

    def file(self, value: Any) -> str:
        """The path of a file that can be read."""
        path = self.path(value)
        if not os.access(path, os.R_OK) or not os.path.isfile(path):
            raise ValueError(f"the path of a file that can be read ({path} cannot)")
        return path

    def endpoint(self, value: Any) -> str:
        """Where a table's socket is."""
        allowed = "ipc:// with a path, inproc:// with a name, or tcp:// with a host and a port"
        scheme, _, rest = value.partition("://") if isinstance(value, str) else ("", "", "")
        if not rest or not rest.isprintable():
            raise ValueError(allowed)
        if scheme == "inproc":
            return f"inproc://{rest}"
        if scheme == "ipc" and rest[0] not in "@*":
            path = os.path.join(self.folder, rest)
            if len(os.fsencode(path)) > _SOCKET_PATH_MAX:
                raise ValueError(f"at most {_SOCKET_PATH_MAX} bytes, the folder included ({path})")
            return f"ipc://{path}"
        host, port = _host_and_port(rest, allowed)
        if scheme == "tcp" and port and host:
            return f"tcp://{rest}"
        raise ValueError(allowed)


def _read(reader: _Reader, keys: dict[str, Any]) -> Settings | None:
    listen = reader.take(keys, "", "listen", _listen, ("127.0.0.1", 8080))
    language = reader.take(keys, "", "language", _one_of(*LANGUAGES), "en")
    locale = reader.take(keys, "", "locale", _locale, "en-US")
    currency = reader.take(keys, "", "currency", _currency, "USD")
    operators = reader.take(keys, "", "operators", reader.path, reader.path("operators.toml"))
    tls = _tls(reader, keys)
    proxy = _proxy(reader, keys)
    if tls is not None and proxy is not None:
        reader.report("[proxy]", "beside [tls]; allowed: one of them, because a browser ends at one of them")
    if listen is not None and not _loopback(listen[0]) and tls is None and proxy is None:
        what = "an address of this machine alone, as long as there is neither [tls] nor [proxy]"
        reader.problem("listen", f"{listen[0]}:{listen[1]}", what)
    tables = _tables(reader, reader.section(keys, "tables"))
    reader.finish(keys, "", "listen, language, locale, currency, operators, [tls], [proxy], [tables.NAME]")
    if reader.problems or listen is None:
        return None
    values = (reader.place, *listen, operators, tables, language, locale, currency, tls, proxy)
    return Settings(*values)  # type: ignore[arg-type]


def _tls(reader: _Reader, keys: dict[str, Any]) -> Tls | None:
    section = reader.section(keys, "tls")
    if section is None:
        return None
    certificate = reader.take(section, "tls", "certificate", reader.file)
    key = reader.take(section, "tls", "key", reader.file)
    names = reader.take(section, "tls", "names", _names_of_hosts, _NONE)
    reader.finish(section, "tls", "certificate, key, names")
    return Tls(certificate or "", key or "", names or _NONE)


def _proxy(reader: _Reader, keys: dict[str, Any]) -> Proxy | None:
    section = reader.section(keys, "proxy")
    if section is None:
        return None
    origin = reader.take(section, "proxy", "origin", _origin)
    address = reader.take(section, "proxy", "address", _address)
    reader.finish(section, "proxy", "origin, address")
    return Proxy(origin or "", address or "")


def _tables(reader: _Reader, section: dict[str, Any] | None) -> dict[str, TableDoor]:
    found: dict[str, TableDoor] = {}
    if not section:
        reader.report("[tables]", "there is no table; allowed: a section [tables.NAME] for each")
        return found
    if len(section) > TABLES_MAX:
        reader.problem("[tables]", len(section), f"at most {TABLES_MAX} tables")
    for name in list(section):
        where = f"tables.{name}"
        one = reader.section(section, name, where)
        if one is None:
            continue
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,16}", name):
            reader.problem("[tables]", name, 'a name of 1 to 16 letters, digits, "-" and "_"')
        state = reader.take(one, where, "state", reader.endpoint)
        commands = reader.take(one, where, "commands", reader.endpoint)
        inside = all(end is not None and end.startswith("inproc://") for end in (state, commands))
        key = reader.take(one, where, "key", reader.file, "" if inside else None)
        table = reader.take(one, where, "table", reader.file, "")
        signs = reader.take(one, where, "signs", _signs, _NONE)
        reader.finish(one, where, "state, commands, key, table, signs")
        found[name] = TableDoor(name, state or "", commands or "", key or "", table or "", signs or _NONE)
    return found


# ---------------------------------------------------------------------------------- single values


def _host_and_port(text: str, allowed: str) -> tuple[str, int]:
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})", text)
    if found is None or int(found[3]) > 65_535:
        raise ValueError(allowed)
    return found[1] or found[2], int(found[3])


def _listen(value: Any) -> tuple[str, int]:
    allowed = "an address and a port, like 127.0.0.1:8080 or [::1]:8080; port 0 is any that is free"
    host, port = _host_and_port(value if isinstance(value, str) else "", allowed)
    return _ip(host, allowed), port


def _ip(text: str, allowed: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError(allowed) from None


def _loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def _address(value: Any) -> str:
    allowed = "the address from which the proxy speaks to us, like 127.0.0.1"
    return _ip(value if isinstance(value, str) else "", allowed)


def _one_of(*names: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in names:
            raise ValueError(", ".join(f'"{name}"' for name in names))
        return str(value)

    return read


def _locale(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", value):
        raise ValueError('a language tag as browsers know it, like "en-US" or "de-AT"')
    return value


def _currency(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Z]{3}", value):
        raise ValueError('three capital letters, like "USD"')
    return value


def _origin(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"https://[a-z0-9.-]+(:[0-9]{1,5})?", value):
        raise ValueError(
            'https:// with a host in small letters and nothing after it, "https://table.example"'
        )
    return value


def _names_of_hosts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(
        isinstance(name, str) and re.fullmatch(r"[a-z0-9.-]{1,253}", name) for name in value
    ):
        raise ValueError('a list of host names in small letters, like ["table.example"]')
    return tuple(value)


def _signs(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(
        isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_.:-]{1,64}", name) for name in value
    ):
        raise ValueError('a list of names of 1 to 64 letters, digits and _ . : -, like ["MAIN"]')
    return tuple(value)
