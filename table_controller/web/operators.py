"""Who may log in: a file of names, roles and scrypt hashes, and the lock-out after wrong PINs.

A try is written down before its PIN is looked at, so that no haste, no second page and no restart
gives more than five. An unknown name costs the same time and locks in the same way, so that nobody
learns who works here. The file is read anew whenever it has changed: who is removed there is out.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import stat
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import scrypt
from itertools import pairwise
from typing import Final, Literal, get_args

import msgspec

from table_controller.web.clock import Clock
from table_controller.whole_file import alone, replace

OperatorRole = Literal["dealer", "supervisor", "auditor"]
ROLES: Final[tuple[OperatorRole, ...]] = get_args(OperatorRole)
WRONG_MAX: Final = 5
LOCKED_MS: Final = 15 * 60_000
OPERATORS_MAX: Final = 1_000
_NAME_LETTERS_MAX: Final = 64
_PIN_DIGITS: Final = range(6, 13)
_SALT_BYTES: Final = 16
_WAITING_MAX: Final = 16
_FILE_BYTES_MAX: Final = 1 << 20
# Beside the operators of the file, so many made-up names are counted; an attacker cannot fill the disk.
_STRANGERS_MAX: Final = 1_000


class OperatorsRefused(Exception):
    """The file of operators, or what was asked of it, is not as it must be; the sentence says what to do."""


class Operator(msgspec.Struct, frozen=True):
    """One person with a role; salt and hash are hexadecimal."""

    name: str
    role: OperatorRole
    salt: str
    hash: str


class Verdict(msgspec.Struct, frozen=True):
    """What came of a PIN: the operator if it was right, else why not and for how long."""

    operator: Operator | None
    wait_ms: int = 0
    busy: bool = False


class _Tries(msgspec.Struct):
    wrong: int = 0
    until_ms: int = 0


def pin_refused(pin: str) -> str:
    """Why a PIN cannot be taken; empty if it can."""
    if not pin.isascii() or not pin.isdecimal() or len(pin) not in _PIN_DIGITS:
        return f"a PIN has {_PIN_DIGITS[0]} to {_PIN_DIGITS[-1]} digits"
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    if len(steps) == 1 and steps & {0, 1, 9}:
        return "a run of digits or one digit again and again is guessed first; take another PIN"
    if any(pin == (pin[:size] * len(pin))[: len(pin)] for size in range(1, len(pin) // 2 + 1)):
        return "the same digits again and again are guessed first; take another PIN"
    return ""


def name_refused(name: str) -> str:
    """Why a name cannot be taken; empty if it can."""
    if not name or name != name.strip() or not name.isprintable() or len(name) > _NAME_LETTERS_MAX:
        return f"a name has 1 to {_NAME_LETTERS_MAX} letters on one line"
    return ""


def make_record(name: str, role: str, pin: str) -> Operator:
    """An operator with a salt of his own. Raises `OperatorsRefused`."""
    if role not in ROLES:
        raise OperatorsRefused(f"{role!r} is no role; allowed: {', '.join(ROLES)}")
    if refused := name_refused(name) or pin_refused(pin):
        raise OperatorsRefused(refused)
    salt = secrets.token_bytes(_SALT_BYTES)
    values = {"name": name, "role": role, "salt": salt.hex(), "hash": _hash(pin, salt).hex()}
    return msgspec.convert(values, Operator)


def _hash(pin: str, salt: bytes) -> bytes:
    return scrypt(pin.encode(), salt=salt, n=2**14, r=8, p=1, maxmem=1 << 25, dklen=32)


class Operators:
    """The operators of a file; whoever runs the pages and whoever changes the file may do so at once."""

    def __init__(self, place: str, clock: Clock) -> None:
        self._place = place
        self._tries_place = f"{place}.tries"
        self._clock = clock
        self._known: tuple[tuple[int, int, int], dict[str, Operator]] = ((-1, 0, 0), {})
        self._waiting = 0
        # One hash takes 16 MiB for as long as it is computed, so they are computed one after the other.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pin")
        # What an unknown name is compared with: nobody knows its PIN.
        self._stranger = Operator("", "auditor", secrets.token_hex(_SALT_BYTES), secrets.token_hex(32))

    # ------------------------------------------------------------------------------- reading

    def find(self, name: str) -> Operator | None:
        """The operator of that name, as the file says now; nobody while it cannot be read."""
        try:
            return self.all().get(name)
        except OperatorsRefused:
            return None

    def all(self) -> dict[str, Operator]:
        """Every operator by name. Raises `OperatorsRefused` for a file that cannot be used."""
        seen, known = self._known
        now = self._look()
        if now != seen:
            # Both threads come here: what was read is put in place whole.
            known = self._read()
            self._known = (now, known)
        return known

    def _look(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self._place)
        except OSError:
            return (0, 0, 0)
        return (found.st_ino, found.st_mtime_ns, found.st_size ^ found.st_mode << 32)

    def _read(self) -> dict[str, Operator]:
        place = self._place
        try:
            with open(place, "rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                if mode & 0o077:
                    raise OperatorsRefused(f"{place}: its mode is {mode:04o}; set it with: chmod 600 {place}")
                found = tomllib.loads(file.read(_FILE_BYTES_MAX).decode())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise OperatorsRefused(f"{place}: the file cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise OperatorsRefused(f"{place}: this is no file of operators: {error}") from error
        try:
            people = {name: {"name": name, **values} for name, values in found.items()}
            return msgspec.convert(people, dict[str, Operator])
        except (TypeError, msgspec.ValidationError) as error:
            raise OperatorsRefused(f"{place}: this is no file of operators: {error}") from error

    # ------------------------------------------------------------------------------ changing

    def add(self, name: str, role: str, pin: str) -> None:
        """A new operator. Raises `OperatorsRefused`."""
        record = make_record(name, role, pin)
        with self._alone():
            people = dict(self.all())
            like = next((one for one in people if one.casefold() == name.casefold()), "")
            if like:
                raise OperatorsRefused(f"{like}: there is an operator of that name already")
            if len(people) >= OPERATORS_MAX:
                raise OperatorsRefused(f"{self._place}: there are {OPERATORS_MAX} operators already")
            self._write({**people, name: record})
        self.unlock(name)

    def remove(self, name: str) -> None:
        """An operator who may not log in any more. Raises `OperatorsRefused`."""
        with self._alone():
            people = self._with(name)
            del people[name]
            self._write(people)

    def change_pin(self, name: str, pin: str) -> None:
        """Another PIN for an operator; his sessions end. Raises `OperatorsRefused`."""
        with self._alone():
            people = self._with(name)
            people[name] = make_record(name, people[name].role, pin)
            self._write(people)
        self.unlock(name)

    def unlock(self, name: str) -> None:
        """What was tried under a name is forgotten."""
        with self._alone():
            tries = self._tries()
            if tries.pop(name, None) is not None:
                self._write_tries(tries)

    def locked_ms(self, name: str) -> int:
        """For how long a name is still locked out; 0: it is not."""
        return self._left_ms(self._tries().get(name, _Tries()))

    def _with(self, name: str) -> dict[str, Operator]:
        people = dict(self.all())
        if name not in people:
            raise OperatorsRefused(f"{name}: there is no such operator")
        return people

    def _write(self, people: dict[str, Operator]) -> None:
        parts = []
        for one in people.values():
            lines = (f'role = "{one.role}"', f'salt = "{one.salt}"', f'hash = "{one.hash}"')
            # A name is printable, so that the marks of JSON are those of TOML.
            parts.append("\n".join((f"[{json.dumps(one.name, ensure_ascii=False)}]", *lines, "")))
        replace(self._place, "\n".join(parts), 0o600)

    # ------------------------------------------------------------------------------- the PIN

    async def check(self, name: str, pin: str) -> Verdict:
        """Whether that is the PIN of that operator; counts the try before it looks."""
        if self._waiting >= _WAITING_MAX:
            return Verdict(None, 1_000, busy=True)
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._worker, self.check_now, name, pin)
        finally:
            self._waiting -= 1

    def check_now(self, name: str, pin: str) -> Verdict:
        """As `check`, in the thread of the caller."""
        # Names that nobody has are kept as well: they must not fill the file.
        name = name[:_NAME_LETTERS_MAX]
        if wait_ms := self._count(name):
            return Verdict(None, wait_ms)
        operator = self.find(name)
        compared = operator or self._stranger
        given = _hash(pin[:64], bytes.fromhex(compared.salt)).hex()
        right = hmac.compare_digest(given, compared.hash)
        if operator is None or not right:
            return Verdict(None, self.locked_ms(name))
        self.unlock(name)
        return Verdict(operator)

    def _count(self, name: str) -> int:
        """Write one more try down; how long to wait if there is none left."""
        with self._alone():
            tries = self._tries()
            one = tries.get(name, _Tries())
            if left_ms := self._left_ms(one):
                return left_ms
            if one.until_ms:
                one = _Tries()
            one.wrong += 1
            if one.wrong >= WRONG_MAX:
                one.until_ms = self._clock.wall_ms() + LOCKED_MS
            tries[name] = one
            known = self._known[1]
            strangers = [other for other in tries if other not in known]
            for oldest in strangers[: max(0, len(strangers) - _STRANGERS_MAX)]:
                del tries[oldest]
            self._write_tries(tries)
        return 0

    def _left_ms(self, one: _Tries) -> int:
        # A wall clock that was set back makes nobody wait for longer than the lock-out is.
        return min(LOCKED_MS, max(0, one.until_ms - self._clock.wall_ms())) if one.until_ms else 0

    def _tries(self) -> dict[str, _Tries]:
        try:
            with open(self._tries_place, "rb") as file:
                return msgspec.json.decode(file.read(), type=dict[str, _Tries])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError) as error:
            # It is replaced whole, so nothing of ours wrote that; to begin anew would end every lock-out.
            text = f"the tries cannot be read ({error}); nobody can log in until the file is removed"
            raise OperatorsRefused(f"{self._tries_place}: {text}") from error

    def _write_tries(self, tries: dict[str, _Tries]) -> None:
        replace(self._tries_place, msgspec.json.encode(tries).decode(), 0o600)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Two who change the files at the same time do it one after the other."""
        try:
            with alone(os.path.dirname(os.path.abspath(self._place))):
                yield
        except OSError as error:
            raise OperatorsRefused(f"{error.filename or self._place}: {error.strerror}") from error

    def close(self) -> None:
        """No PIN is looked at any more."""
        self._worker.shutdown(wait=False, cancel_futures=True)
