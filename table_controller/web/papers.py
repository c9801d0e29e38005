"""What is asked of a table's journal: reports, hits, rounds, records, slips, meters, for a page.

Each paper is made by a process of its own, with the command that an auditor types, so that the web
process never reads a journal and cannot change one. What a page may ask is a closed list: a kind, and
arguments that are checked letter by letter. One paper at a time is made for a table and two in all, with
a time limit, a lower priority than the table's own, and an end to how much is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import signal
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

import msgspec

LIMIT_S: Final = 60.0
"""So long may a paper take; a longer one is asked for at a terminal."""
ROUNDS: Final = 500
"""So many rounds does a page list and draw, the newest ones: a long shift."""
MAX_BYTES: Final = 4 * 1024 * 1024
_MAX_ERROR_BYTES: Final = 16 * 1024
_AT_ONCE: Final = 2
_WAITING: Final = 4
"""So many are made or wait at one table; who comes later is told to ask again."""
_NICE: Final = 10

_log = logging.getLogger(__name__)

_COUNT: Final = re.compile(r"[0-9]{1,9}\Z")
_RANGE: Final = re.compile(r"[0-9]{1,9}(?:\.\.[0-9]{1,9})?\Z")
_ROUND: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")
_AMOUNT: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{2})?\Z")
_DOCUMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")
_SHIFT: Final = re.compile(r"[^\s\x00-\x1f-][^\x00-\x1f\x7f]{0,39}\Z")
_YES: Final = re.compile(r"1\Z")

FIELDS: Final[Mapping[str, Mapping[str, tuple[re.Pattern[str], str]]]] = {
    "report": {
        "day": (_COUNT, "a whole number"),
        "shift": (_SHIFT, "the name of a shift, 1 to 40 letters"),
        "rounds": (_RANGE, "a count, or two as 12..40"),
    },
    "hits": {"all": (_YES, "1"), "from": (_AMOUNT, "an amount such as 500.00")},
    "rounds": {},
    "round": {"number": (_ROUND, "the number of a round, or its count"), "html": (_YES, "1")},
    "slip": {"document": (_DOCUMENT, "the number of a document"), "html": (_YES, "1")},
    "meters": {},
}
"""What may be asked of each kind of paper, and what is allowed there."""
_NEEDED: Final[Mapping[str, str]] = {"round": "number", "slip": "document"}
_AS_TEXT: Final = frozenset({"round", "slip"})
"""These have a page and a text for people, and no JSON."""


class _Door(Protocol):
    @property
    def table_file(self) -> str:
        """The `table.toml` of the table; empty where its files are not on this machine."""


class _Settings(Protocol):
    @property
    def tables(self) -> Mapping[str, _Door]:
        """The tables by their names."""


class _Refused(Exception):
    """Why there is no such paper, with the status that says so."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Made(NamedTuple):
    code: int
    text: bytes
    error: str


class Papers:
    """The papers of all tables, made one after the other."""

    def __init__(self, settings: _Settings, limit_s: float = LIMIT_S, max_bytes: int = MAX_BYTES) -> None:
        self._files = {name: door.table_file for name, door in settings.tables.items()}
        self._limit_s = limit_s
        self._max_bytes = max_bytes
        self._all = asyncio.Semaphore(_AT_ONCE)
        self._turns = {name: asyncio.Lock() for name in self._files}
        self._asked = dict.fromkeys(self._files, 0)

    async def get(self, table: str, kind: str, query: Mapping[str, str]) -> tuple[int, bytes]:
        """The paper with its HTTP status: JSON, or a page of HTML where `html` was asked for."""
        try:
            arguments = self._arguments(table, kind, query)
            made = await self._in_turn(table, arguments)
            return 200, _body(kind, made, "html" in query)
        except _Refused as refused:
            return refused.status, msgspec.json.encode({"error": str(refused)})

    def _arguments(self, table: str, kind: str, query: Mapping[str, str]) -> list[str]:
        fields = FIELDS.get(kind)
        if table not in self._files or fields is None:
            raise _Refused(404, f"There is no paper {kind!r} of a table {table!r}.")
        place = self._files[table]
        if not place:
            raise _Refused(404, f"The journal of table {table} is not kept on this machine.")
        for name, value in query.items():
            if name not in fields:
                allowed = ", ".join(fields) or "nothing"
                raise _Refused(400, f"{name[:40]!r} cannot be asked of {kind}; allowed: {allowed}.")
            pattern, allowed = fields[name]
            if pattern.match(value) is None:
                raise _Refused(400, f"{name}: {value[:40]!r} was found; allowed: {allowed}.")
        if (needed := _NEEDED.get(kind)) and needed not in query:
            raise _Refused(400, f"{needed} is missing; needed: {fields[needed][1]}.")
        if "day" in query and "rounds" in query:
            raise _Refused(400, "A report is about a day or about rounds, not both.")
        return _words(kind, place, query)

    async def _in_turn(self, table: str, arguments: list[str]) -> _Made:
        if self._asked[table] >= _WAITING:
            raise _Refused(429, f"Other papers of table {table} are being made: ask again in a moment.")
        self._asked[table] += 1
        try:
            async with self._turns[table], self._all:
                return await self._make(arguments)
        finally:
            self._asked[table] -= 1

    async def _make(self, arguments: list[str]) -> _Made:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "table_controller",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            process_group=0,
        )
        with contextlib.suppress(OSError):
            # The table comes first on a machine with few cores.
            os.setpriority(os.PRIO_PGRP, process.pid, _NICE)
        reads = [
            asyncio.ensure_future(_read(process.stdout, self._max_bytes)),
            asyncio.ensure_future(_read(process.stderr, _MAX_ERROR_BYTES)),
        ]
        try:
            async with asyncio.timeout(self._limit_s):
                text, error = await asyncio.gather(*reads)
                code = await process.wait()
        except TimeoutError:
            raise _Refused(504, f"The paper was not ready after {self._limit_s:g} s.") from None
        except _TooLong:
            raise _Refused(413, "The paper is too long for a page: ask for fewer rounds.") from None
        finally:
            # The end reads what is left, and a pipe has one reader at a time.
            for read in reads:
                read.cancel()
            await asyncio.gather(*reads, return_exceptions=True)
            await _end(process)
        return _Made(code, text, error.decode(errors="replace").strip())


class _TooLong(Exception):
    """More was written than is read."""


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    parts, length = [], 0
    while stream is not None and (part := await stream.read(65_536)):
        length += len(part)
        if length > most:
            raise _TooLong
        parts.append(part)
    return b"".join(parts)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Whatever became of it, no process of a paper outlives its asking.

    What it had still written is read and thrown away: a process counts as over when its pipes are empty.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdout, process.stderr):
            while stream is not None and await stream.read(65_536):
                continue
        await process.wait()


def _words(kind: str, place: str, query: Mapping[str, str]) -> list[str]:
    """The command line of a paper; every value has been checked, and none can begin with a dash."""
    html = ["--html", "/dev/stdout"] if "html" in query else []
    match kind:
        case "round":
            return ["round", query["number"], "--table", place, *html]
        case "slip":
            return ["slip", query["document"], place, *html]
        case "rounds":
            return ["rounds", place, "--json", "--last", str(ROUNDS)]
        case "hits":
            least = ["--from", query["from"]] if "from" in query else []
            return ["hits", place, "--json", *(["--all"] if "all" in query else []), *least]
        case "report":
            which = [
                word
                for name in ("day", "shift", "rounds")
                if name in query
                for word in (f"--{name}", query[name])
            ]
            return ["report", place, "--json", *which]
    return [kind, place, "--json"]


def _body(kind: str, made: _Made, html: bool) -> bytes:
    """What was written, as one JSON value or as the page; code 1 with a text is a finding, not a failure."""
    if not made.text.strip() or made.code not in (0, 1):
        status = 404 if made.code in (0, 1, 2) else 500
        raise _Refused(status, made.error.splitlines()[-1] if made.error else "The paper could not be made.")
    if html:
        return made.text
    if kind in _AS_TEXT:
        return msgspec.json.encode(
            {"text": made.text.decode(errors="replace"), "found_wrong": made.code == 1}
        )
    if kind == "rounds":
        lines = b",".join(line for line in made.text.splitlines() if line)
        return b'{"rounds":[' + lines + b"]}"
    return made.text
