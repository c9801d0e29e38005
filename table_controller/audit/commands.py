"""The commands of an auditor: rounds, report, hits, slip, meters. Each reads journals and changes nothing.

Exit codes as everywhere: 0 well, 1 found wrong (a damaged journal, books that do not agree), 2 not
understood.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable

from table_controller.archive import journals
from table_controller.audit.accounts import Report
from table_controller.audit.hits import LAST, HitLog, chosen, hit_log
from table_controller.audit.hits_page import hits_csv, hits_json, hits_text
from table_controller.audit.meters import award_meters, meters_json, meters_text
from table_controller.audit.report import RangeUnknown, report
from table_controller.audit.report_page import report_csv, report_json, report_text
from table_controller.audit.rounds import newest_rounds, rounds_json, rounds_of, rounds_text
from table_controller.audit.slip import slip_html, slip_text
from table_controller.engine.money import parse_money
from table_controller.journal import JournalRefused, read_entries
from table_controller.replay import ReplayError
from table_controller.toml_file import ConfigError


def add(parser: argparse.ArgumentParser, name: str) -> None:
    """Give the parser of one of the commands its arguments and what it does."""
    _ADD[name](parser)


def _add_rounds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journals", nargs="+", metavar="JOURNAL", help="files of days, or a table.toml")
    parser.add_argument("--last", type=_count, metavar="N", help="only the newest, in the newest files")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(command=_answering(_rounds))


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", help="the file of a day, archived or in use, or a table.toml")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--day", type=int, metavar="N", help="the newest of the file if left out")
    which.add_argument("--rounds", type=_range, metavar="A..B", help="a range of rounds by their counts")
    parser.add_argument("--shift", metavar="NAME", help="a shift of the day, by its name or number")
    _add_forms(parser)
    parser.set_defaults(command=_answering(_report))


def _add_hits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journals", nargs="+", metavar="JOURNAL", help="files of days, or a table.toml")
    parser.add_argument("--all", action="store_true", help="instead of the last 25")
    parser.add_argument("--from", dest="least", type=_amount, default=0, metavar="AMOUNT", help="and larger")
    _add_forms(parser)
    parser.set_defaults(command=_answering(_hits))


def _add_slip(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("document", help="the number of the award's document")
    parser.add_argument("journals", nargs="+", metavar="JOURNAL", help="files of days, or a table.toml")
    parser.add_argument("--html", metavar="FILE", help="write a page for paper")
    parser.set_defaults(command=_answering(_slip))


def _add_meters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", help="the file of a day, or a table.toml")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.set_defaults(command=_answering(_meters))


def _add_forms(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="for a spreadsheet")
    form.add_argument("--json", action="store_true", help="for programs")


_ADD = {
    "rounds": _add_rounds,
    "report": _add_report,
    "hits": _add_hits,
    "slip": _add_slip,
    "meters": _add_meters,
}


def _count(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} was found; allowed: a whole number above 0")
    return int(text)


def _range(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,9})(?:\.\.(\d{1,9}))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} was found; allowed: a count, or two as 12..40")
    return int(found[1]), int(found[2] or found[1])


def _amount(text: str) -> int:
    try:
        return parse_money(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _answering(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The command, with what cannot be read said in a sentence on standard error."""

    def answer(arguments: argparse.Namespace) -> int:
        try:
            return command(arguments)
        except (JournalRefused, ReplayError) as error:
            sys.stderr.write(f"{error}\n")
            return 1
        except (ConfigError, RangeUnknown) as error:
            sys.stderr.write(f"{error}\n")
            return 2

    return answer


def _rounds(arguments: argparse.Namespace) -> int:
    files, last = journals(arguments.journals), arguments.last
    found = newest_rounds(files, last) if last else rounds_of(files)
    for line in rounds_json(found) if arguments.json else rounds_text(found):
        _print(line)
    return 0


def _report(arguments: argparse.Namespace) -> int:
    found = _newest_report(arguments)
    form = report_csv if arguments.csv else report_json if arguments.json else report_text
    _print(form(found))
    return 0 if found.reconciles else 1


def _newest_report(arguments: argparse.Namespace) -> Report:
    """The report from the newest file that has it; of a table between two days, that of the day before."""
    which = (arguments.day, arguments.shift, arguments.rounds)
    *days, newest = journals([arguments.journal])
    try:
        found = report(read_entries(newest), *which)
        if found.day or not days:
            return found
    except RangeUnknown:
        if not days:
            raise
    for file in reversed(days):
        try:
            return report(read_entries(file), *which)
        except RangeUnknown:
            continue
    return report(read_entries(newest), *which)


def _hits(arguments: argparse.Namespace) -> int:
    log = chosen(hit_log(journals(arguments.journals)), None if arguments.all else LAST, arguments.least)
    form = hits_csv if arguments.csv else hits_json if arguments.json else hits_text
    _print(form(log))
    return 0


def _slip(arguments: argparse.Namespace) -> int:
    log: HitLog = hit_log(journals(arguments.journals))
    hit = next((hit for hit in log.hits if hit.document == arguments.document), None)
    if hit is None:
        sys.stderr.write(f"{arguments.document}: no award of these files has that document\n")
        return 2
    if not arguments.html:
        _print(slip_text(hit))
        return 0
    try:
        with open(arguments.html, "w", encoding="utf-8") as page:
            page.write(slip_html(hit))
    except OSError as error:
        sys.stderr.write(f"{arguments.html}: cannot be written: {error.strerror}\n")
        return 2
    return 0


def _meters(arguments: argparse.Namespace) -> int:
    found = award_meters(read_entries(journals([arguments.journal])[-1]))
    _print(meters_json(found) if arguments.json else meters_text(found))
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
