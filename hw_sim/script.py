"""The file of a play: house rules, a script in table words, and the right result.

Pure: text in, `Play` out. Every problem of a file is named in one pass, with the file, the line, what
was found there and what is allowed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hw_sim.words import (
    ALARMS,
    AMOUNT_MAX_DIGITS,
    ROUNDS,
    SEATS,
    STAKES,
    WORDS,
    BadWord,
    Line,
    parse_line,
    read_amount,
    read_seat,
)


class PlayError(Exception):
    """A play that cannot be read. `problems`: one sentence each, with its place in the file."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Expected:
    """What must have come of a play; None and absent keys are not checked. Amounts are cents."""

    round: str
    amounts: dict[str, int]
    lamps: tuple[int, ...] | None
    alarms: tuple[str, ...] | None
    seats: dict[int, dict[str, str]]


@dataclass(frozen=True)
class Play:
    """A play, read and checked. `house_rules` is the text of the house-rule file it is played under."""

    id: str
    title: str
    house_rules: str
    lines: tuple[Line, ...]
    expected: Expected

    @property
    def waits_ms(self) -> int:
        """How long the script itself waits, ms."""
        return sum(
            line.args[0] for line in self.lines if line.word == "wait" and isinstance(line.args[0], int)
        )


def parse_play(text: str, place: str, judge: Callable[[str], list[str]] = lambda _: []) -> Play:
    """Reads one play. `place` names the file in the problems. Raises `PlayError` with all of them.

    `judge` says what the table finds wrong with house rules, each as `OPTION: what is wrong`; the
    simulator does not know the options itself.
    """
    return _Reader(text, place, judge).play()


_PLAY_KEYS = ("id", "title", "source", "preset", "house_rules", "pay_tables", "meter", "script", "expect")
_EXPECT_AMOUNTS = ("meter", "reserve", "overflow", "house_added")
_EXPECT_KEYS = ("round", *_EXPECT_AMOUNTS, "lamps", "alarms", "seat")
_PAY_TABLES = ("raise", "bonus", "progressive")


class _Reader:
    """Reads one file and gathers every problem."""

    def __init__(self, text: str, place: str, judge: Callable[[str], list[str]]) -> None:
        self._text_lines = text.splitlines()
        self._place = place
        self._judge = judge
        self._problems: list[tuple[int, str]] = []
        try:
            self._file = tomllib.loads(text)
        except RecursionError as error:
            raise PlayError([f"{place}: not TOML: brackets are nested too deeply"]) from error
        except ValueError as error:
            # No TOML, or a number without end.
            raise PlayError([f"{place}: not TOML: {error}"]) from error

    def play(self) -> Play:
        self._known(self._file, _PLAY_KEYS, "")
        play = Play(
            id=self._string("id"),
            title=self._string("title", ""),
            house_rules=self._house_rules(),
            lines=self._script(),
            expected=self._expected(),
        )
        self._string("source", "")
        if self._problems:
            self._problems.sort(key=lambda problem: problem[0])
            raise PlayError([f"{self._place}:{line}: {sentence}" for line, sentence in self._problems])
        return play

    def _problem(self, sentence: str, line: int) -> None:
        self._problems.append((line, sentence))

    def _line_of(self, key: str, table: str = "") -> int:
        """The line of a key below its table's header; of the header if the key is not written there."""
        start = 0
        if table:
            header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]")
            start = next((n for n, line in enumerate(self._text_lines) if header.match(line)), 0)
        wanted = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*=")
        return next(
            (n + 1 for n, line in enumerate(self._text_lines) if n >= start and wanted.match(line)), start + 1
        )

    def _known(self, found: dict[str, Any], allowed: tuple[str, ...], table: str) -> None:
        for key in found:
            if key not in allowed:
                self._problem(
                    f"unknown key {key!r}; allowed: {', '.join(allowed)}", self._line_of(key, table)
                )

    def _string(self, key: str, default: str | None = None) -> str:
        value = self._file.get(key, default)
        if isinstance(value, str) and (value or default == ""):
            return value
        self._problem(f"{key} is {_written(value)}; allowed: a text that is not empty", self._line_of(key))
        return ""

    def _table(self, key: str, table: str = "") -> dict[str, Any]:
        """A table of the file (or of its `expect`); empty if it is left out."""
        value = (self._file.get(table, {}) if table else self._file).get(key, {})
        if isinstance(value, dict):
            return value
        self._problem(f"{key} is {_written(value)}; allowed: a table", self._line_of(key, table))
        return {}

    def _read(self, read: Callable[[str], int], value: object, what: str, line: int) -> int:
        try:
            if not isinstance(value, str):
                raise BadWord(f"{_written(value)}; allowed: a text")
            return read(value)
        except BadWord as bad:
            self._problem(f"{what}: {bad}", line)
            return 0

    def _house_rules(self) -> str:
        """The house-rule file of the play; what an option may be is the table's to judge."""
        options: dict[str, Any] = {"preset": self._string("preset"), **self._table("house_rules")}
        for key in _PAY_TABLES:
            if options.pop(key, None) is not None:
                self._problem(
                    f"house_rules has {key!r}; pay tables stand in pay_tables",
                    self._line_of_option(key, "house_rules"),
                )
        for key, value in self._table("pay_tables").items():
            if key in _PAY_TABLES:
                options[key] = value
            else:
                self._problem(
                    f"unknown pay table {key!r}; allowed: {', '.join(_PAY_TABLES)}",
                    self._line_of_option(key, "pay_tables"),
                )
        if "meter" in self._file:
            if "meter_start" in options:
                self._problem("meter and meter_start are both given; allowed: one", self._line_of("meter"))
            told = len(self._problems)
            self._read(read_amount, self._file["meter"], "meter", self._line_of("meter"))
            if len(self._problems) == told:
                options["meter_start"] = self._file["meter"]
        written = []
        for key, value in options.items():
            if not re.fullmatch("[A-Za-z0-9_]+", key) or not _is_plain(value):
                self._problem(
                    f"{key} is {_written(value)}; allowed: a text, whole number, switch, or a list of them",
                    self._line_of_option(key),
                )
            else:
                written.append(f"{key} = {json.dumps(value, ensure_ascii=False)}\n")
        house_rules = "".join(written)
        if options["preset"]:
            for problem in self._judge(house_rules):
                self._problem(problem, self._line_of_option(problem.partition(":")[0]))
        return house_rules

    def _line_of_option(self, option: str, table: str = "") -> int:
        """The line that states an option of the house rules, or else the one where options are stated."""
        if option == "preset" or (option == "meter_start" and "meter" in self._file):
            return self._line_of(option.removesuffix("_start"))
        table = table or ("pay_tables" if option in _PAY_TABLES else "house_rules")
        header = re.compile(rf"\s*\[\s*{table}\s*\]")
        if any(header.match(line) for line in self._text_lines):
            return self._line_of(option, table)
        return self._line_of(table)

    def _script(self) -> tuple[Line, ...]:
        first = self._line_of("script")
        written = self._text_lines[first - 1] if self._text_lines else ""
        # TOML drops the line break right after the opening quotes.
        first += bool(re.search(r"=\s*(\"\"\"|''')\s*$", written))
        lines: list[Line] = []
        for number, text in enumerate(self._string("script").splitlines(), first):
            if not text.strip() or text.strip().startswith("#"):
                continue
            try:
                line = parse_line(text.strip(), number)
            except BadWord as bad:
                self._problem(str(bad), number)
                continue
            if line.word == "see refused" and not (lines and WORDS[lines[-1].word].refusable):
                before = f"after {lines[-1].text!r}" if lines else "at the start"
                self._problem(f"'see refused' {before}; allowed: after a line that can be refused", number)
            lines.append(line)
        return tuple(lines)

    def _expected(self) -> Expected:
        expect = self._table("expect")
        self._known(expect, _EXPECT_KEYS, "expect")
        round_ = expect.get("round")
        if round_ not in ROUNDS:
            self._problem(
                f"round is {_written(round_)}; allowed: {', '.join(ROUNDS)}", self._line_of("round", "expect")
            )
        amounts = {
            key: self._read(read_amount, expect[key], key, self._line_of(key, "expect"))
            for key in _EXPECT_AMOUNTS
            if key in expect
        }
        lamps = self._list("lamps", expect, tuple(range(1, SEATS + 1)))
        alarms = self._list("alarms", expect, ALARMS)
        seats: dict[int, dict[str, str]] = {}
        for name, stakes in self._table("seat", "expect").items():
            table = f"expect.seat.{name}"
            seat = self._read(read_seat, name, "expect.seat", self._line_of("", table))
            if not isinstance(stakes, dict):
                self._problem(
                    f"{table} is {_written(stakes)}; allowed: a table", self._line_of(name, "expect.seat")
                )
                continue
            self._known(stakes, STAKES, table)
            for stake, value in stakes.items():
                if not isinstance(value, str) or not _OUTCOME.fullmatch(value):
                    allowed = "none, or win, push, refund, lose and an amount"
                    self._problem(
                        f"{stake} is {_written(value)}; allowed: {allowed}", self._line_of(stake, table)
                    )
            seats[seat] = dict(stakes)
        return Expected(str(round_), amounts, lamps, alarms, seats)

    def _list(self, key: str, expect: dict[str, Any], allowed: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if key not in expect:
            return None
        found = expect[key]
        for value in found if isinstance(found, list) else [found]:
            if not isinstance(found, list) or value not in allowed or isinstance(value, bool):
                self._problem(
                    f"{key} holds {_written(value)}; allowed: a list of {', '.join(map(str, allowed))}",
                    self._line_of(key, "expect"),
                )
        return tuple(found) if isinstance(found, list) else ()


_OUTCOME = re.compile(rf"none|(win|push|refund|lose) \d{{1,{AMOUNT_MAX_DIGITS}}}\.\d\d", re.ASCII)


def _written(value: object) -> str:
    """A value as a TOML file writes it."""
    if value is None:
        return "nothing"
    return repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (str, int)) for item in value)
    return isinstance(value, (str, int))
