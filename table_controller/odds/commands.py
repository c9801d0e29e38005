"""The commands `odds` and `parsheet`: exact figures of a set of house rules, for people and for programs.

They read house rules and nothing of a running table. Exit codes as everywhere: 0 well, 2 not
understood or not possible.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

from table_controller.config import load_table
from table_controller.engine.cards import Card, card_text, parse_card, parse_hand
from table_controller.engine.house_rules import HouseRules, HouseRulesError, parse_house_rules
from table_controller.odds import cache
from table_controller.odds.analysis import (
    Analysis,
    about_table,
    analysis,
    hand_tables,
    key_tables,
    notes_table,
    rules_table,
    strategy_tables,
)
from table_controller.odds.counts import Counts
from table_controller.odds.figures import analysis_json, hand_json, strategy_json
from table_controller.odds.main_game import analyse, decide
from table_controller.odds.parsheet import parsheet_html, parsheet_text
from table_controller.odds.scope import not_in_the_figure
from table_controller.odds.sheet import tables_text
from table_controller.odds.strategy import NAMES, StrategyError, cost, named, parse_strategy
from table_controller.presets import PRESETS, preset_text
from table_controller.toml_file import ConfigError

USUAL: Final = "us_standard"
"""The preset that is meant where none is named."""

QUIET_S: Final = 2
"""So long a computation may take without a word, in seconds."""


class Refused(Exception):
    """What was asked cannot be computed; the sentences say where and why."""


class House(NamedTuple):
    """House rules with the name under which they were found."""

    name: str
    rules: HouseRules


def add(parser: argparse.ArgumentParser, name: str) -> None:
    """Give the parser of `odds` or `parsheet` its arguments and what it does."""
    {"odds": _add_odds, "parsheet": _add_parsheet}[name](parser)


def _add_odds(parser: argparse.ArgumentParser) -> None:
    parser.epilog = f"Without a name the preset {USUAL} is meant."
    _add_house(parser)
    _add_coins(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.set_defaults(command=_answering(_odds))
    words = parser.add_subparsers(metavar="hand | strategy")

    hand = words.add_parser("hand", help="what to do with a hand against an up card, and what it is worth")
    hand.add_argument("cards", help="the player's five cards, for example 'Ac Kd Jh 8s 3c'")
    hand.add_argument("--up", required=True, metavar="CARD", help="the dealer's up card, for example 5d")
    hand.set_defaults(command=_answering(_hand))

    strategy = words.add_parser("strategy", help="what a simple strategy costs against the best decisions")
    strategy.add_argument("strategy", metavar="NAME|FILE", help=f"{', '.join(NAMES)}, or a file of rules")
    strategy.set_defaults(command=_answering(_strategy))

    for word in (hand, strategy):
        _add_house(word)
        word.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="for programs")


def _add_parsheet(parser: argparse.ArgumentParser) -> None:
    parser.epilog = f"Without a name the preset {USUAL} is meant."
    _add_house(parser)
    _add_coins(parser)
    parser.add_argument("--html", metavar="FILE", help="write a page for paper, with drawings")
    parser.set_defaults(command=_answering(_parsheet))


def _add_house(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    # Suppressed, so that a word after `odds` does not undo what was said before it.
    which.add_argument("--preset", metavar="NAME", default=argparse.SUPPRESS, help=", ".join(PRESETS))
    which.add_argument("--house-rules", metavar="FILE", default=argparse.SUPPRESS, help="a house-rule file")
    which.add_argument("--table", metavar="table.toml", default=argparse.SUPPRESS, help="the rules it names")


def _add_coins(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--coins-per-hour", type=_coins, default=180, metavar="N", help="for the hours to a royal (180)"
    )


def _coins(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:8]) > 0 and len(text) < 8):
        raise argparse.ArgumentTypeError(f"{text!r} was found; allowed is a whole number from 1 to 9999999")
    return int(text)


def _answering(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The command, with what cannot be computed said in sentences on standard error."""

    def answer(arguments: argparse.Namespace) -> int:
        try:
            return command(arguments)
        except (Refused, ConfigError, HouseRulesError, StrategyError) as error:
            sys.stderr.write(f"{error}\n")
            return 2

    return answer


# ------------------------------------------------------------------------------- what is given


def _house(arguments: argparse.Namespace) -> House:
    """The house rules that the arguments name. Raises what says, with its place, why they cannot be had."""
    given: dict[str, Any] = vars(arguments)
    named_sources = [key for key in ("preset", "house_rules", "table") if key in given]
    if len(named_sources) > 1:
        # Said once before and once after a word, where the parser does not see both.
        names = " and ".join(f"--{key.replace('_', '-')}" for key in named_sources)
        raise Refused(f"{names}: allowed is one of them")
    if "table" in given:
        return House(f"table {arguments.table}", load_table(arguments.table).house_rules)
    if "house_rules" in given:
        place = arguments.house_rules
        return House(f"file {place}", parse_house_rules(_read(place), preset_text, place))
    name = given.get("preset", USUAL)
    try:
        text = preset_text(name)
    except KeyError as error:
        raise Refused(f"--preset: {error.args[0]}") from None
    return House(f"preset {name}", parse_house_rules(text, preset_text, f"preset {name}"))


def _read(place: str) -> str:
    try:
        with open(place, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Refused(f"{place}: the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{place}: the file cannot be read: it is no text in UTF-8 ({error.reason})") from error


def _cards(arguments: argparse.Namespace) -> tuple[Sequence[Card], Card]:
    """The hand and the up card: six different cards, everything wrong with them in one pass."""
    problems = []
    hand: tuple[Card, ...] = ()
    up = None
    try:
        hand = parse_hand(arguments.cards)
        if len(hand) != 5:
            problems.append(f"hand: found {len(hand)} card{'s' * (len(hand) != 1)}, allowed is 5")
    except ValueError as error:
        problems.append(f"hand: {error}")
    try:
        up = parse_card(arguments.up)
        if up in hand:
            problems.append(f"--up: {card_text(up)} is in the hand: a deck has each card once")
    except ValueError as error:
        problems.append(f"--up: {error}")
    if problems or up is None:
        raise Refused("\n".join(problems))
    return hand, up


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say on standard error what is being computed, with its seconds, once it takes longer than two."""
    began_s = time.monotonic()
    done = threading.Event()
    at_terminal = sys.stderr.isatty()

    def say() -> None:
        wait_s: float = QUIET_S
        while not done.wait(wait_s):
            wait_s = 1
            line = f"{what}: {time.monotonic() - began_s:.0f} s"
            sys.stderr.write(f"\r{line} " if at_terminal else f"{line}\n")
            sys.stderr.flush()
            if not at_terminal:
                # In a file one line says it; a line a second would only fill it.
                return

    speaker = threading.Thread(target=say, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        done.set()
        speaker.join()
        if at_terminal and time.monotonic() - began_s > QUIET_S:
            sys.stderr.write("\r\x1b[K")


def _counts() -> Counts:
    with working("counting what the dealer can have against every hand"):
        return cache.load()


def _software() -> str:
    try:
        return version("table-controller")
    except PackageNotFoundError:
        return "0+source"


# --------------------------------------------------------------------------------- the commands


def _analysis(arguments: argparse.Namespace) -> tuple[Analysis, Counts]:
    house = _house(arguments)
    counts = _counts()
    return analysis(house.name, house.rules, counts, arguments.coins_per_hour, _software()), counts


def _odds(arguments: argparse.Namespace) -> int:
    found, _ = _analysis(arguments)
    if arguments.json:
        _print(analysis_json(found))
    else:
        _print(tables_text([about_table(found), *key_tables(found), notes_table(found.not_in_the_figure)]))
    return 0


def _hand(arguments: argparse.Namespace) -> int:
    cards, up = _cards(arguments)
    house = _house(arguments)
    found = decide(house.rules, cards, up)
    notes = not_in_the_figure(house.rules)
    if arguments.json:
        _print(hand_json(found, notes))
    else:
        _print(tables_text([*hand_tables(house.name, cards, up, found), notes_table(notes)]))
    return 0


def _strategy(arguments: argparse.Namespace) -> int:
    house = _house(arguments)
    name = arguments.strategy
    of_file = None if name in NAMES else parse_strategy(_strategy_file(name), name)
    counts = _counts()
    raises = named(name, counts) if of_file is None else of_file.raises(counts)
    found = cost(house.rules, counts, raises)
    played = analyse(house.rules, counts, raises)
    notes = not_in_the_figure(house.rules)
    if arguments.json:
        _print(strategy_json(house.name, name, found, played, notes))
        return 0
    tables = list(strategy_tables(house.name, name, found, played))
    if of_file is not None:
        tables.append(rules_table(of_file.rules, of_file.pairs_decided(counts)))
    _print(tables_text([*tables, notes_table(notes)]))
    return 0


def _strategy_file(place: str) -> str:
    try:
        return _read(place)
    except Refused as error:
        raise Refused(f"{error}; allowed is such a file, or {', '.join(NAMES)}") from None


def _parsheet(arguments: argparse.Namespace) -> int:
    found, counts = _analysis(arguments)
    with working("the result after many rounds"):
        text = parsheet_html(found, counts) if arguments.html else parsheet_text(found, counts)
    if not arguments.html:
        _print(text)
        return 0
    try:
        with open(arguments.html, "w", encoding="utf-8") as page:
            page.write(text)
    except OSError as error:
        raise Refused(f"{arguments.html}: cannot be written: {error.strerror}") from error
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
