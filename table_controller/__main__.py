"""The command line: `table-controller run|check|watch|verify|rounds|version`.

Exit codes: 0 well, 1 found wrong (a journal, a configuration), 2 not understood or not possible.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; every error is a sentence on standard error, never a trace."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="table-controller", description="Controller of a Caribbean Stud Poker table"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run the service of one table until it is stopped")
    run.add_argument("table", metavar="table.toml")
    run.set_defaults(command=_run)

    check = commands.add_parser("check", help="check a table.toml: all problems at once, and the wiring")
    check.add_argument("table", metavar="table.toml")
    check.set_defaults(command=_check)

    watch = commands.add_parser("watch", help="follow a table in the terminal")
    watch.add_argument("table", metavar="table.toml")
    watch.set_defaults(command=_watch)

    verify = commands.add_parser("verify", help="check a journal: chain, replay, digests")
    verify.add_argument("journal")
    verify.set_defaults(command=_verify)

    rounds = commands.add_parser("rounds", help="what happened, round by round")
    rounds.add_argument("journal")
    rounds.add_argument("--json", action="store_true", help="one JSON object a line")
    rounds.set_defaults(command=_rounds)

    commands.add_parser("version", help="the version of the program").set_defaults(command=_version)
    return parser


def _fail(text: str, code: int = 1) -> int:
    print(text, file=sys.stderr)
    return code


def _run(arguments: argparse.Namespace) -> int:
    from table_controller.app import NOT_AS_CONFIGURED, NOT_AS_RECORDED, TableStopped, run
    from table_controller.config import ConfigError, load_table

    try:
        run(load_table(arguments.table))
    except ConfigError as error:
        return _fail(str(error), 2)
    except NOT_AS_CONFIGURED as error:
        return _fail(f"{arguments.table}: {error}", 2)
    except (*NOT_AS_RECORDED, TableStopped) as error:
        return _fail(str(error))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from table_controller.config import ConfigError, load_table, wiring_table
    from table_controller.engine.house_rules import warnings

    try:
        config = load_table(arguments.table)
    except ConfigError as error:
        return _fail(str(error))
    print(wiring_table(config))
    for warning in warnings(config.house_rules):
        print(f"warning: {warning}")
    print(f"{arguments.table}: table {config.table}, {config.seats} seats: well")
    return 0


def _watch(arguments: argparse.Namespace) -> int:
    from table_controller.config import ConfigError, load_table
    from table_controller.watch import watch

    try:
        config = load_table(arguments.table)
    except ConfigError as error:
        return _fail(str(error), 2)
    return watch(config.state_endpoint, config.commands_endpoint)


def _verify(arguments: argparse.Namespace) -> int:
    from table_controller.journal import verify
    from table_controller.replay import replay

    report = verify(arguments.journal, replay)
    if not report.ok:
        return _fail(report.problem)
    print(
        f"{arguments.journal}: table {report.table}, {report.entries} entries, "
        f"chain, replay and digests are right; head {report.head}"
    )
    return 0


def _rounds(arguments: argparse.Namespace) -> int:
    import msgspec

    from table_controller.journal import JournalRefused, read_entries
    from table_controller.replay import ReplayError
    from table_controller.reports import rounds, rounds_text

    try:
        reports = rounds(read_entries(arguments.journal))
        if arguments.json:
            for report in reports:
                print(msgspec.json.encode(report).decode())
        else:
            for line in rounds_text(reports):
                print(line)
    except (JournalRefused, ReplayError) as error:
        return _fail(str(error))
    return 0


def _version(_: argparse.Namespace) -> int:
    from table_controller.app import software_version

    print(software_version())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
