"""Who may speak to a table: key files with safe modes, and a register of name, key and role.

A folder `keys` beside `table.toml` holds the table's own secret (`table.secret`), the register
(`register.toml`, public halves only) and a file for each client whose pair was made here
(`NAME.key`), which is carried to the machine of that client and deleted here. A key is of one role:

* `display` and `auditor` listen and ask, and say nothing,
* `dealer` and `supervisor` belong to one person each, who speaks under the name of the key,
* `gateway` speaks for people whom it has recognised itself, as the pages do by their PIN.

A revoked key stays in the register, so that a try with it is known by its name.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeVar, get_args

import msgspec
import zmq
from zmq.utils import z85

from table_controller.whole_file import alone, replace

T = TypeVar("T")
KeyRole = Literal["display", "dealer", "supervisor", "auditor", "gateway"]
ROLES: Final[tuple[KeyRole, ...]] = get_args(KeyRole)
PERSONAL: Final = ("dealer", "supervisor")
KEYS_MAX: Final = 1_000
NAME_ALLOWED: Final = "1 to 32 letters, digits and _ . -"
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")
_REGISTER, _SECRET = "register.toml", "table.secret"
_REGISTER_MODE: Final = 0o640
_LONGEST_FILE: Final = 1 << 20


class KeysRefused(Exception):
    """A key file, the register or what was asked is not as it must be; the sentence says what to do."""


class Key(msgspec.Struct, frozen=True):
    """One line of the register; `added` and `revoked` are dates, an empty `revoked` is a key in force."""

    name: str
    role: KeyRole
    public: str
    added: str
    revoked: str = ""


class ClientKey(msgspec.Struct, frozen=True):
    """What a client needs to be let in: its own pair, and the table's public key."""

    name: str
    role: KeyRole
    server: str
    public: str
    secret: str


class TableKey(msgspec.Struct, frozen=True):
    """The table's own pair."""

    public: str
    secret: str


class Register(msgspec.Struct, frozen=True):
    """Every key that a table knows, by its public half; a stranger is not in it."""

    keys: Mapping[str, Key]

    def find(self, public: str) -> Key | None:
        """The key with that public half, revoked or not."""
        return self.keys.get(public)

    def in_force(self, public: str) -> Key | None:
        """The key with that public half if it opens the door now."""
        key = self.keys.get(public)
        return None if key is None or key.revoked else key


NOBODY: Final = Register({})
"""The register that lets nobody in."""


def register_path(folder: str) -> str:
    """Where the register of a folder lies."""
    return os.path.join(folder, _REGISTER)


def read_register(folder: str) -> Register:
    """Read the register. Raises `KeysRefused`."""
    place = register_path(folder)
    found = _read(place, others=0o022, what="be changed by others")
    keys: dict[str, Key] = {}
    for name, values in found.items():
        key = _convert(place, {"name": name, **values} if isinstance(values, dict) else {}, Key)
        _check_public(place, key.public)
        if key.public in keys:
            raise KeysRefused(f"{place}: {name} and {keys[key.public].name} have the same key")
        keys[key.public] = key
    return Register(keys)


def read_table_key(folder: str) -> TableKey:
    """Read the table's own pair. Raises `KeysRefused`."""
    place = os.path.join(folder, _SECRET)
    if not os.path.exists(place):
        raise KeysRefused(f"{place}: there is no key; make it with: table-controller keys init table.toml")
    pair = _convert(place, _read_secret(place), TableKey)
    _check_pair(place, pair.public, pair.secret)
    return pair


def load_client_key(path: str | os.PathLike[str]) -> ClientKey:
    """Read the key file of a client. Raises `KeysRefused`, also for a file that others may read."""
    place = os.fspath(path)
    key = _convert(place, _read_secret(place), ClientKey)
    _check_public(place, key.server)
    _check_pair(place, key.public, key.secret)
    return key


def init(folder: str) -> None:
    """Make the folder, the table's own pair and an empty register, once. Raises `KeysRefused`."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with _changing(folder):
        place = os.path.join(folder, _SECRET)
        if os.path.exists(place):
            raise KeysRefused(
                f"{place}: the table has its key already; a new one would lock every client out"
            )
        public, secret = _new_pair()
        _write_new(place, _toml({"public": public, "secret": secret}))
        replace(register_path(folder), "", _REGISTER_MODE)


def add(folder: str, name: str, role: str, today: str, public: str = "") -> str:
    """Enter a key into the register; without a `public` half a pair is made, and its file's path returned.

    Raises `KeysRefused`.
    """
    if not _NAME.fullmatch(name):
        raise KeysRefused(f"{name!r}: a key's name is {NAME_ALLOWED}")
    if role not in ROLES:
        raise KeysRefused(f"{role!r} is no role; allowed: {', '.join(ROLES)}")
    with _changing(folder):
        server = read_table_key(folder).public
        keys = {key.name: key for key in read_register(folder).keys.values()}
        if name in keys:
            gone = "; a revoked name is not given again" if keys[name].revoked else ""
            raise KeysRefused(f"{name}: there is a key of that name already{gone}")
        if len(keys) >= KEYS_MAX:
            raise KeysRefused(f"{folder}: there are {KEYS_MAX} keys already")
        path, secret = "", ""
        if public:
            _check_public("--public", public)
            if any(key.public == public for key in keys.values()):
                raise KeysRefused(f"{name}: that key is in the register already")
        else:
            public, secret = _new_pair()
            path = os.path.join(folder, f"{name}.key")
            _write_new(
                path,
                _toml({"name": name, "role": role, "server": server, "public": public, "secret": secret}),
            )
        _write_register(
            folder,
            [
                *keys.values(),
                msgspec.convert({"name": name, "role": role, "public": public, "added": today}, Key),
            ],
        )
    return path


def revoke(folder: str, name: str, today: str) -> None:
    """Put a key out of force; a running table cuts it off within a second. Raises `KeysRefused`."""
    with _changing(folder):
        keys = {key.name: key for key in read_register(folder).keys.values()}
        if name not in keys:
            raise KeysRefused(f"{name}: there is no such key; there are: {', '.join(keys) or 'none'}")
        if keys[name].revoked:
            raise KeysRefused(f"{name}: this key is revoked since {keys[name].revoked}")
        keys[name] = msgspec.structs.replace(keys[name], revoked=today)
        _write_register(folder, list(keys.values()))


# ------------------------------------------------------------------------------------ the files


def _new_pair() -> tuple[str, str]:
    public, secret = zmq.curve_keypair()
    return public.decode(), secret.decode()


def _check_public(place: str, public: str) -> None:
    try:
        whole = len(z85.decode(public)) == 32
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise KeysRefused(f"{place}: a public key has 40 letters of Z85, {public[:50]!r} was found")


def _check_pair(place: str, public: str, secret: str) -> None:
    _check_public(place, public)
    try:
        fits = zmq.curve_public(secret.encode()).decode() == public
    except (ValueError, zmq.ZMQError):
        fits = False
    if not fits:
        # The secret itself is never said.
        raise KeysRefused(f"{place}: the two halves of the key do not belong together")


def _read_secret(place: str) -> dict[str, Any]:
    return _read(place, others=0o077, what="be read or changed by others")


def _read(place: str, others: int, what: str) -> dict[str, Any]:
    """The content of a TOML file that nobody but its owner may touch in these ways."""
    try:
        # What lies there must be a file of our own: a pipe would stop whoever opens it.
        number = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(number, "rb") as file:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode) or found.st_uid not in (0, os.geteuid()):
                raise KeysRefused(f"{place}: this is no file of this user")
            mode = found.st_mode
            if stat.S_IMODE(mode) & others:
                raise KeysRefused(
                    f"{place}: its mode is {stat.S_IMODE(mode):04o}, so it can {what}; set it with: "
                    f"chmod {stat.S_IMODE(mode) & ~others:04o} {place}"
                )
            return tomllib.loads(file.read(_LONGEST_FILE).decode())
    except OSError as error:
        raise KeysRefused(f"{place}: the file cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise KeysRefused(f"{place}: this is no key file: {error}") from error


def _convert(place: str, found: dict[str, Any], model: type[T]) -> T:
    try:
        return msgspec.convert(found, model)
    except msgspec.ValidationError as error:
        raise KeysRefused(f"{place}: this is no key file: {error}") from error


def _toml(values: Mapping[str, str]) -> str:
    # Z85, names and dates hold neither quotation marks nor backslashes.
    return "".join(f'{name} = "{value}"\n' for name, value in values.items())


def _write_register(folder: str, keys: list[Key]) -> None:
    parts = []
    for key in keys:
        values = {"role": key.role, "public": key.public, "added": key.added}
        if key.revoked:
            values["revoked"] = key.revoked
        parts.append(f'["{key.name}"]\n{_toml(values)}\n')
    replace(register_path(folder), "".join(parts), _REGISTER_MODE)


def _write_new(place: str, text: str) -> None:
    try:
        number = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise KeysRefused(f"{place}: the file is there already, and no secret is written over") from None
    with os.fdopen(number, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _changing(folder: str) -> Iterator[None]:
    """One change of the keys at a time; what the disk refuses is said with its place."""
    try:
        with alone(folder):
            yield
    except OSError as error:
        raise KeysRefused(f"{error.filename or folder}: {error.strerror}") from error
