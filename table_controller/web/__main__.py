"""`table-controller-web`: run the pages, check their settings, keep the list of operators."""

from __future__ import annotations

import argparse
import getpass
import logging
import sys
from collections.abc import Callable, Sequence

from table_controller.daemon import log_to_output, many_files, notify
from table_controller.keys import KeysRefused, load_client_key
from table_controller.manifest import self_check
from table_controller.toml_file import ConfigError
from table_controller.web.clock import SystemClock
from table_controller.web.operators import ROLES, Operators, OperatorsRefused
from table_controller.web.settings import Settings, load_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; its answer is the exit status."""
    asked = _parser().parse_args(arguments)
    try:
        settings = load_settings(asked.settings)
        run: Callable[[Settings, argparse.Namespace], int] = asked.run
        return run(settings, asked)
    except ConfigError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return 2
    except (OperatorsRefused, KeysRefused, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="table-controller-web", description="The pages of the tables.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, run, text in (
        ("run", _run, "serve the pages"),
        ("check", _check, "every problem of the settings at once"),
    ):
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("settings", metavar="web.toml")
        verb.set_defaults(run=run)
    operators = verbs.add_parser("operators", help="who may log in")
    what = operators.add_subparsers(required=True, metavar="WHAT")
    for name, do, text in (
        ("add", _add, "a new operator; the PIN is asked for, or read as one line of standard input"),
        ("remove", _remove, "an operator who may not log in any more"),
        ("pin", _pin, "another PIN"),
        ("unlock", _unlock, "end the lock-out after wrong PINs"),
        ("list", _list, "names and roles"),
    ):
        verb = what.add_parser(name, help=text)
        verb.add_argument("settings", metavar="web.toml")
        if name != "list":
            verb.add_argument("name", metavar="NAME")
        if name == "add":
            verb.add_argument("role", metavar="ROLE", choices=ROLES, help=", ".join(ROLES))
        verb.set_defaults(run=do)
    return parser


def _operators(settings: Settings) -> Operators:
    return Operators(settings.operators_file, SystemClock())


def _run(settings: Settings, _asked: argparse.Namespace) -> int:
    if refused := self_check(settings.manifest_file):
        print(refused, file=sys.stderr)
        return 1
    # What only the running process needs is loaded only there: the list of operators is quick.
    from table_controller.web.follower import TableFeeds
    from table_controller.web.listener import make_server
    from table_controller.web.site import make_site

    log_to_output()
    many_files()
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    log = logging.getLogger("table_controller.web")
    clock = SystemClock()
    operators = Operators(settings.operators_file, clock)
    if not operators.all():
        log.warning("nobody can log in: add operators with table-controller-web operators add")
    feeds = TableFeeds(settings.tables, clock)
    app = make_site(settings, feeds, operators, clock)

    def ready() -> None:
        for one in server.servers:
            for listening in one.sockets:
                host, port = listening.getsockname()[:2]
                log.info("the pages are at %s://%s:%d", "https" if settings.tls else "http", host, port)
        notify("READY=1")

    server = make_server(app, settings, ready)
    server.run()
    notify("STOPPING=1")
    log.info("the pages are down")
    return 0 if server.started else 1


def _check(settings: Settings, _asked: argparse.Namespace) -> int:
    problems = list(filter(None, [self_check(settings.manifest_file)]))
    for door in settings.tables.values():
        if door.key_file:
            try:
                key = load_client_key(door.key_file)
                if key.role != "gateway":
                    problems.append(f"{door.key_file}: the key is of the role {key.role}; allowed: gateway")
            except KeysRefused as error:
                problems.append(str(error))
    try:
        found = len(_operators(settings).all())
    except OperatorsRefused as error:
        problems.append(str(error))
        found = 0
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 2
    print(f"{settings.place}: well; tables {', '.join(settings.tables)}; {found} operators")
    return 0


def _new_pin() -> str:
    """A PIN as it is typed twice at a terminal, or one line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    pin = getpass.getpass("PIN: ")
    if getpass.getpass("Again: ") != pin:
        raise OperatorsRefused("the two PINs differ; nothing was changed")
    return pin


def _add(settings: Settings, asked: argparse.Namespace) -> int:
    _operators(settings).add(asked.name, asked.role, _new_pin())
    print(f"{asked.name} is a {asked.role}")
    return 0


def _remove(settings: Settings, asked: argparse.Namespace) -> int:
    _operators(settings).remove(asked.name)
    print(f"{asked.name} may not log in any more")
    return 0


def _pin(settings: Settings, asked: argparse.Namespace) -> int:
    _operators(settings).change_pin(asked.name, _new_pin())
    print(f"{asked.name} has another PIN")
    return 0


def _unlock(settings: Settings, asked: argparse.Namespace) -> int:
    operators = _operators(settings)
    if asked.name not in operators.all():
        raise OperatorsRefused(f"{asked.name}: there is no such operator")
    operators.unlock(asked.name)
    print(f"{asked.name} may try again")
    return 0


def _list(settings: Settings, _asked: argparse.Namespace) -> int:
    operators = _operators(settings)
    for one in operators.all().values():
        wait_s = -(-operators.locked_ms(one.name) // 1000)
        print(f"{one.role}\t{one.name}{f'	locked for {wait_s} s' if wait_s else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
