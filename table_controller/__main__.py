"""The command line of a table: what is done to it, what is asked of its journals, what it is made of.

Exit codes: 0 well, 1 found wrong (a journal, a configuration, a program), 2 not understood or not possible.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_controller.record import Record


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; every error is a sentence on standard error, never a trace."""
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(words[0] if words else "").parse_args(words)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


AUDIT = {
    "rounds": "what happened, round by round",
    "report": "a day, a shift or some rounds: money, rounds, alarms, and whether the books agree",
    "hits": "the log of awards: the last 25, or all",
    "slip": "the slip of one award, to print and sign",
    "meters": "the six meters and six parameters of every award",
}
"""What an auditor asks of journals (`audit.commands`)."""
ODDS = {
    "odds": "exact odds of house rules: edge, strategy, one hand (needs the extra `odds`)",
    "parsheet": "one printable sheet of all that is exact about house rules",
}
"""What nobody asks of a running table (`odds.commands`)."""


def _add_key(parser: argparse.ArgumentParser) -> None:
    what = "the key file; the only one in the table's folder of keys if left out"
    parser.add_argument("--key", default="", metavar="FILE", help=what)


def _parser(first: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="table-controller", description="Controller of a Caribbean Stud Poker table"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run the service of one table until it is stopped")
    run.add_argument("table", metavar="table.toml")
    run.set_defaults(command=_run)

    install = commands.add_parser("install", help="make the journal of a new table, once, by two people")
    install.add_argument("table", metavar="table.toml")
    install.add_argument("--operator", required=True, metavar="NAME")
    install.add_argument("--second", required=True, metavar="NAME", help="the other person")
    install.add_argument("--approval", required=True, metavar="REFERENCE")
    install.add_argument("--recovery", default="", metavar="TEXT", help="after which loss (RECOVERY.md)")
    install.add_argument("--meter", metavar="AMOUNT", help="with --recovery: what both have read and signed")
    install.set_defaults(command=_install)

    check = commands.add_parser("check", help="check a table.toml: all problems at once, and the wiring")
    check.add_argument("table", metavar="table.toml")
    check.set_defaults(command=_check)

    watch = commands.add_parser("watch", help="follow a table in the terminal")
    watch.add_argument("table", metavar="table.toml")
    _add_key(watch)
    watch.set_defaults(command=_watch)

    lines = commands.add_parser("lines", help="every line of a running table as it is now, for a technician")
    lines.add_argument("table", metavar="table.toml")
    _add_key(lines)
    lines.add_argument("--once", action="store_true", help="once, instead of until Ctrl-C")
    lines.add_argument("--json", action="store_true", help="once, for programs")
    lines.set_defaults(command=_lines)

    keys = commands.add_parser("keys", help="make, give, take back and list the keys of a table's sockets")
    if first == "keys":
        # It loads the messages, which most commands do without.
        from table_controller.locksmith import add_arguments

        add_arguments(keys)
    keys.set_defaults(command=_keys)

    verify = commands.add_parser("verify", help="check a journal: chain, answers, replay, digests")
    verify.add_argument("journal")
    verify.add_argument("--head", default="", metavar="HEX", help="a `head` that a heartbeat has published")
    verify.add_argument("--follows", default="", metavar="ARCHIVE", help="the file of the day before")
    verify.set_defaults(command=_verify)

    say = commands.add_parser("say", help="say a word of the table from a terminal, when the panel is dead")
    say.add_argument("words", help="for example 'count D 4' or 'sup void'")
    _add_key(say)
    say.add_argument("--operator", default="", metavar="NAME", help="for whom a gateway's key speaks")
    say.add_argument("--reason", default="", metavar="TEXT", help="a supervisor's word needs one")
    say.add_argument(
        "--round", default="", metavar="NUMBER", help="refuse it if the table is at another round"
    )
    say.add_argument("--table", default="table.toml", metavar="table.toml")
    say.set_defaults(command=_say)

    record = commands.add_parser("round", help="the record of one round, as shown in a dispute")
    record.add_argument("number", help="the round's number, or its count alone")
    record.add_argument("--html", metavar="FILE", help="write a page for paper")
    record.add_argument("--journal", metavar="JOURNAL", help="instead of the one that table.toml names")
    record.add_argument("--table", default="table.toml", metavar="table.toml")
    record.set_defaults(command=_round)

    for name, what in AUDIT.items():
        auditing = commands.add_parser(name, help=what)
        if first == name:
            # Loaded for these commands only: the service starts without them.
            from table_controller.audit.commands import add

            add(auditing, name)
    for name, what in ODDS.items():
        analysing = commands.add_parser(name, help=what)
        if first == name:
            _add_odds(analysing, name)

    messages = commands.add_parser("messages", help="the catalogue of all messages, as JSON")
    form = messages.add_mutually_exclusive_group(required=True)
    form.add_argument("--schema", action="store_true", help="JSON Schema")
    form.add_argument("--asyncapi", action="store_true", help="AsyncAPI 3")
    messages.set_defaults(command=_messages)

    manifest = commands.add_parser("manifest", help="every file of the program with its hashes")
    manifest.add_argument("--configuration", default="", metavar="table.toml", help="its files too")
    manifest.set_defaults(command=_manifest)

    software = commands.add_parser("verify-software", help="compare the program with a manifest")
    software.add_argument("manifest")
    software.add_argument("--configuration", default="", metavar="table.toml")
    software.set_defaults(command=_verify_software)

    commands.add_parser("version", help="the version of the program").set_defaults(command=_version)
    return parser


def _add_odds(parser: argparse.ArgumentParser, name: str) -> None:
    """Numbers in bulk need numpy, which a table in the casino does not have."""
    try:
        from table_controller.odds.commands import add
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        missing = "numpy is not installed here: pip install 'table-controller[odds]'"
        parser.set_defaults(command=lambda _: _fail(f"{name}: {missing}", 2))
        parser.add_argument("rest", nargs="*")
        return
    add(parser, name)


def _fail(text: str, code: int = 1) -> int:
    print(text, file=sys.stderr)
    return code


def _run(arguments: argparse.Namespace) -> int:
    from table_controller.app import NOT_AS_CONFIGURED, NOT_AS_RECORDED, TableStopped, run
    from table_controller.config import load_table
    from table_controller.toml_file import ConfigError

    try:
        run(load_table(arguments.table))
    except ConfigError as error:
        return _fail(str(error), 2)
    except NOT_AS_CONFIGURED as error:
        return _fail(f"{arguments.table}: {error}", 2)
    except (*NOT_AS_RECORDED, TableStopped) as error:
        return _fail(str(error))
    return 0


def _install(arguments: argparse.Namespace) -> int:
    from table_controller.app import NOT_AS_RECORDED, Recovery, install
    from table_controller.clock import SystemClock
    from table_controller.config import load_table
    from table_controller.engine.money import parse_money
    from table_controller.toml_file import ConfigError

    people = (arguments.operator, arguments.second)
    if bool(arguments.recovery) != bool(arguments.meter):
        return _fail(
            "--recovery and --meter go together: what was lost, and the meter that both have signed", 2
        )
    try:
        config = load_table(arguments.table)
        recovery = Recovery(arguments.recovery, parse_money(arguments.meter)) if arguments.recovery else None
        install(config, SystemClock(), people, arguments.approval, recovery)
    except (ConfigError, ValueError) as error:
        return _fail(str(error), 2)
    except NOT_AS_RECORDED as error:
        return _fail(str(error))
    print(f"table {config.table} is installed: {config.journal_file}")
    if recovery:
        print("what is owed, reserve, overflow and parameters are those of the newest archived day, if any;")
        for question in ("meters", "hits"):
            print(f"look at them: table-controller {question} {arguments.table}")
    return 0


def _manifest(arguments: argparse.Namespace) -> int:
    from table_controller.daemon import software_version
    from table_controller.manifest import ManifestError, manifest_text

    try:
        print(manifest_text(software_version(), arguments.configuration), end="")
    except ManifestError as error:
        return _fail(str(error), 2)
    return 0


def _verify_software(arguments: argparse.Namespace) -> int:
    from table_controller.manifest import program_hash, verify_software

    problems = verify_software(arguments.manifest, arguments.configuration)
    if problems:
        return _fail("\n".join(problems))
    print(f"the program is that of {arguments.manifest}: {program_hash()}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from table_controller.config import load_table, wiring_table
    from table_controller.engine.house_rules import warnings
    from table_controller.keys import KeysRefused, read_register, read_table_key
    from table_controller.toml_file import ConfigError

    try:
        config = load_table(arguments.table)
    except ConfigError as error:
        return _fail(str(error))
    print(wiring_table(config))
    try:
        read_table_key(config.keys_folder)
        read_register(config.keys_folder)
    except KeysRefused as error:
        return _fail(str(error))
    for warning in warnings(config.house_rules):
        print(f"warning: {warning}")
    print(f"{arguments.table}: table {config.table}, {config.seats} seats: well")
    return 0


def _watch(arguments: argparse.Namespace) -> int:
    from table_controller.config import load_table
    from table_controller.keys import KeysRefused
    from table_controller.locksmith import find_key
    from table_controller.toml_file import ConfigError
    from table_controller.watch import watch

    try:
        config = load_table(arguments.table)
        key = find_key(config.keys_folder, arguments.key, config.commands_endpoint)
    except (ConfigError, KeysRefused) as error:
        return _fail(str(error), 2)
    return watch(config.state_endpoint, config.commands_endpoint, key=key)


def _keys(arguments: argparse.Namespace) -> int:
    from table_controller.config import load_table
    from table_controller.keys import KeysRefused
    from table_controller.locksmith import work
    from table_controller.toml_file import ConfigError

    try:
        folder = load_table(arguments.table).keys_folder
        for line in work(folder, arguments.what, arguments.names, arguments.public):
            print(line)
    except (ConfigError, KeysRefused) as error:
        return _fail(str(error), 2)
    return 0


def _lines(arguments: argparse.Namespace) -> int:
    import json

    from table_controller.config import load_table
    from table_controller.keys import KeysRefused
    from table_controller.locksmith import find_key
    from table_controller.probe import LinesRefused, follow, lines_now, lines_text
    from table_controller.toml_file import ConfigError

    try:
        config = load_table(arguments.table)
        endpoint = config.commands_endpoint
        key = find_key(config.keys_folder, arguments.key, endpoint)
        if not (arguments.once or arguments.json):
            return follow(endpoint, key=key)
        found = lines_now(endpoint, key=key)
    except (ConfigError, KeysRefused, LinesRefused) as error:
        return _fail(str(error), 2)
    if found is None:
        return _fail(f"no answer from {endpoint}: is the service running?", 2)
    print(json.dumps(found) if arguments.json else lines_text(found))
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from table_controller.archive import follows
    from table_controller.journal import verify
    from table_controller.replay import replay

    head = arguments.head.strip().lower()
    if arguments.head and (len(head) != 64 or set(head) - set("0123456789abcdef")):
        return _fail(f"--head: {arguments.head!r} was found; 64 digits 0-9 and a-f are needed", 2)
    report = verify(arguments.journal, replay, head)
    if not report.ok:
        return _fail(report.problem)
    if arguments.follows and (problem := follows(arguments.journal, arguments.follows)):
        return _fail(problem)
    behind = f"; it goes on where {arguments.follows} ends" if arguments.follows else ""
    known = "" if report.known_seq is None else f"; the given head is that of entry {report.known_seq}"
    print(
        f"{arguments.journal}: table {report.table}, {report.entries} entries, "
        f"answers, chain, replay and digests are right; head {report.head}{known}{behind}"
    )
    return 0


def _record(arguments: argparse.Namespace) -> Record:
    """The record from the journal, or from the newest archived day that has the round."""
    from table_controller.archive import journals
    from table_controller.journal import read_entries
    from table_controller.record import RoundUnknown, round_record

    oldest, *others = journals([arguments.journal or arguments.table])
    for file in reversed(others):
        try:
            return round_record(read_entries(file), arguments.number)
        except RoundUnknown:
            continue
    return round_record(read_entries(oldest), arguments.number)


def _round(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from table_controller.journal import JournalRefused
    from table_controller.record import RoundUnknown
    from table_controller.record_page import record_html, record_text
    from table_controller.replay import ReplayError
    from table_controller.toml_file import ConfigError

    try:
        record = _record(arguments)
    except (ConfigError, JournalRefused, ReplayError, RoundUnknown) as error:
        return _fail(str(error))
    if arguments.html:
        try:
            Path(arguments.html).write_text(record_html(record), "utf-8")
        except OSError as error:
            return _fail(f"{arguments.html}: cannot be written: {error.strerror}", 2)
    else:
        print(record_text(record))
    return 1 if record.differences else 0


def _say(arguments: argparse.Namespace) -> int:
    from table_controller.config import load_table
    from table_controller.keys import PERSONAL, KeysRefused
    from table_controller.locksmith import find_key
    from table_controller.mouth import say
    from table_controller.table.messages import ConfirmAward, CorrectMeter, RejectAward
    from table_controller.toml_file import ConfigError
    from table_controller.words import NotUnderstood, understand

    try:
        command, role = understand(arguments.words)
        config = load_table(arguments.table)
        endpoint = config.commands_endpoint
        key = find_key(config.keys_folder, arguments.key, endpoint)
    except (ConfigError, KeysRefused, NotUnderstood) as error:
        return _fail(str(error), 2)
    operator = arguments.operator or (key.name if key is not None and key.role in PERSONAL else "")
    if not operator:
        return _fail("for whom? A gateway's key speaks for people: say --operator NAME", 2)
    if role == "supervisor" and not arguments.reason.strip():
        return _fail("a supervisor's word needs a reason: say it with --reason TEXT", 2)
    try:
        answer = say(endpoint, key, command, operator, role, arguments.reason, arguments.round)
    except KeysRefused as error:
        return _fail(str(error), 2)
    if answer is None:
        return _fail(f"no answer from {endpoint}: is the service running?", 2)
    if not answer.ok:
        return _fail(f"refused (entry {answer.seq}): {answer.error}")
    by_two = isinstance(command, ConfirmAward | RejectAward | CorrectMeter)
    print(
        f"taken, entry {answer.seq}" + ("; it is done when a second person has said it too" if by_two else "")
    )
    return 0


def _messages(arguments: argparse.Namespace) -> int:
    from table_controller.app import catalogue_text

    print(catalogue_text("schema" if arguments.schema else "asyncapi"), end="")
    return 0


def _version(_: argparse.Namespace) -> int:
    from table_controller.daemon import software_version

    print(software_version())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
