"""`web.toml`: where the pages listen, how they speak, and which tables they know; read once at the start.

Every problem of the file is reported in one pass, each with its place, the value found and what is
allowed. Whoever opens the pages to other machines says so with `[tls]` or `[proxy]`; nothing is guessed.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from table_controller.toml_file import ConfigError, TomlFile, host_and_port, one_of, table_name

LANGUAGES: Final = ("en", "de")
TABLES_MAX: Final = 64


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
    """What `web.toml` says; every path is absolute, `manifest_file` empty where nothing is required."""

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
    manifest_file: str = ""

    @property
    def secure(self) -> bool:
        """Browsers reach the pages over HTTPS."""
        return self.tls is not None or self.proxy is not None


def load_settings(path: str | os.PathLike[str]) -> Settings:
    """Read a `web.toml`; relative paths in it are relative to its folder.

    Raises `ConfigError` with every problem found.
    """
    reader = TomlFile(path)
    settings = _read(reader, reader.keys)
    if settings is None:
        raise ConfigError(reader.problems)
    return settings


def _read(reader: TomlFile, keys: dict[str, Any]) -> Settings | None:
    listen = reader.take(keys, "", "listen", _listen, needed=False) or ("127.0.0.1", 8080)
    language = reader.take(keys, "", "language", one_of(*LANGUAGES), needed=False) or "en"
    locale = reader.take(keys, "", "locale", _locale, needed=False) or "en-US"
    currency = reader.take(keys, "", "currency", _currency, needed=False) or "USD"
    path = reader.path("operators.toml")
    operators = reader.take(keys, "", "operators", path, needed=False) or path("operators.toml")
    tls = _tls(reader, keys)
    proxy = _proxy(reader, keys)
    if tls is not None and proxy is not None:
        reader.report("[proxy]", "beside [tls]; allowed: one of them, because a browser ends at one of them")
    if not ipaddress.ip_address(listen[0]).is_loopback and tls is None and proxy is None:
        what = "an address of this machine alone, as long as there is neither [tls] nor [proxy]"
        reader.problem("listen", f"{listen[0]}:{listen[1]}", what)
    software = reader.section(keys, "software")
    manifest = reader.take(software, "software", "manifest", reader.path("approved.manifest"), needed=False)
    reader.finish(software, "software", "manifest")
    tables = _tables(reader, reader.section(keys, "tables"))
    sections = "[tls], [proxy], [software], [tables.NAME]"
    reader.finish(keys, "", f"listen, language, locale, currency, operators, {sections}")
    if reader.problems:
        return None
    words = (language, locale, currency)
    return Settings(reader.place, *listen, operators, tables, *words, tls, proxy, manifest or "")


def _tls(reader: TomlFile, keys: dict[str, Any]) -> Tls | None:
    if "tls" not in keys:
        return None
    section = reader.section(keys, "tls")
    certificate = reader.take(section, "tls", "certificate", _file(reader))
    key = reader.take(section, "tls", "key", _file(reader))
    names = reader.take(section, "tls", "names", _names_of_hosts, needed=False)
    reader.finish(section, "tls", "certificate, key, names")
    return Tls(certificate or "", key or "", names or ())


def _proxy(reader: TomlFile, keys: dict[str, Any]) -> Proxy | None:
    if "proxy" not in keys:
        return None
    section = reader.section(keys, "proxy")
    origin = reader.take(section, "proxy", "origin", _origin)
    address = reader.take(section, "proxy", "address", _address)
    reader.finish(section, "proxy", "origin, address")
    return Proxy(origin or "", address or "")


def _tables(reader: TomlFile, section: dict[str, Any]) -> dict[str, TableDoor]:
    found: dict[str, TableDoor] = {}
    if not section:
        reader.report("[tables]", "there is no table; allowed: a section [tables.NAME] for each")
    if len(section) > TABLES_MAX:
        reader.problem("[tables]", len(section), f"at most {TABLES_MAX} tables")
    endpoint = reader.endpoint(lambda address: host_and_port(address) is not None, "with a host and a port")
    file = _file(reader)
    for name in list(section):
        where = f"tables.{name}"
        one = reader.section(section, name, "tables")
        try:
            table_name(name)
        except ValueError as error:
            reader.problem("[tables]", name, str(error))
        state = reader.take(one, where, "state", endpoint)
        commands = reader.take(one, where, "commands", endpoint)
        inside = all(end is not None and end.startswith("inproc://") for end in (state, commands))
        key = reader.take(one, where, "key", file, needed=not inside)
        table = reader.take(one, where, "table", file, needed=False)
        signs = reader.take(one, where, "signs", _signs, needed=False)
        reader.finish(one, where, "state, commands, key, table, signs")
        found[name] = TableDoor(name, state or "", commands or "", key or "", table or "", signs or ())
    return found


def _file(reader: TomlFile) -> Callable[[Any], str]:
    """Reads the path of a file that is there."""

    def read(value: Any) -> str:
        path = reader.path("web.key")(value)
        if not os.access(path, os.R_OK) or not os.path.isfile(path):
            raise ValueError(f"the path of a file that can be read ({path} cannot)")
        return path

    return read


def _listen(value: Any) -> tuple[str, int]:
    allowed = "an address and a port, like 127.0.0.1:8080 or [::1]:8080; port 0 is any that is free"
    host, port = host_and_port(value) or ("", 0)
    return _ip(host, allowed), port


def _ip(text: str, allowed: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError(allowed) from None


def _address(value: Any) -> str:
    allowed = "the address from which the proxy speaks to us, like 127.0.0.1"
    return _ip(value if isinstance(value, str) else "", allowed)


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
