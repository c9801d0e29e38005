"""The composition root: a configuration becomes a running table. Only here do all parts meet."""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import ExitStack
from types import FrameType
from typing import Any, Literal

import msgspec
import zmq

from firmware_bridge.bridge import Bridge, Wiring, WiringError
from firmware_bridge.lines import LinesView
from firmware_bridge.pins import PinFactoryError, make_factory
from firmware_bridge.shoe.port import Port, ShoeDriverError, make_port
from table_controller.archive import archives, begin, carry_over, left_by
from table_controller.clock import Clock, SystemClock
from table_controller.commands import Commands
from table_controller.config import TableConfig
from table_controller.daemon import log_to_output, many_files, notify, software_version
from table_controller.door import Door
from table_controller.journal import Journal, JournalFailed, JournalRefused
from table_controller.keys import KeysRefused
from table_controller.manifest import program_hash, self_check
from table_controller.publisher import Publisher
from table_controller.replay import Replay, ReplayError
from table_controller.service import Service, StartRefused
from table_controller.table.day import install_refused
from table_controller.table.messages import House, Installed, Recovered, Stamp
from table_controller.tide_mark import check_mark
from table_controller.toml_file import ConfigError

WATCHDOG_US = 1_000_000
LOST_MAX = 10_000
"""More rounds and documents than a lost journal can have given in its day; a gap tells that it is missing."""
NOT_AS_CONFIGURED = (ConfigError, WiringError, PinFactoryError, ShoeDriverError, KeysRefused, zmq.ZMQError)
"""What `build` raises when the files or the machine are not as they must be."""


class TableStopped(Exception):
    """The loop met an error that nobody can explain; the text says what and what to do."""


NOT_AS_RECORDED = (JournalRefused, JournalFailed, ReplayError, StartRefused)
"""What `build` and the loop raise when the journal cannot be gone on with."""


def house_of(config: TableConfig) -> House:
    """What the pure table needs of a configuration."""
    limits = config.limits
    return House(
        table=config.table,
        seats=config.seats,
        rules=config.house_rules,
        minimum_cents=limits.minimum_cents or 0,
        maximum_cents=limits.maximum_cents or 0,
        bonus_minimum_cents=limits.bonus_minimum_cents or 0,
        bonus_maximum_cents=limits.bonus_maximum_cents or 0,
        chips_cents=limits.chips_cents,
        gaming_day=config.opening.gaming_day,
        walk=config.opening.walk,
        approval=config.approval,
    )


class Recovery(msgspec.Struct, frozen=True):
    """What was lost, and the meter that two people have read and signed.

    So many numbers of rounds and documents may have been given by what was lost, and are left out.
    """

    loss: str
    meter_cents: int
    lost: int = LOST_MAX


def install(
    config: TableConfig,
    clock: Clock,
    operators: tuple[str, str],
    approval: str,
    recovery: Recovery | None = None,
) -> None:
    """Install a table, once: make its journal, with the meter at `meter_start` (STANDARDS.md, item 50).

    After a loss a table goes on from its newest archived day, if it has one, with the meter of the
    `recovery`. Raises `StartRefused` and `JournalRefused` with the reason.
    """
    house = house_of(config)
    refused = install_refused(house, operators, approval, recovery.loss if recovery else "")
    earlier = archives(config.archive_folder, config.table)
    if os.path.exists(config.journal_file):
        refused = f"{config.journal_file}: the table is installed already; its meter is set once"
    elif earlier and recovery is None:
        refused = (
            f"{config.archive_folder}: table {config.table} was installed before ({earlier[-1]}), and its "
            f"journal {config.journal_file} is missing: install nothing, and follow RECOVERY.md"
        )
    if refused:
        raise StartRefused(refused)
    if earlier and recovery is not None:
        carried, left, last = left_by(os.path.join(config.archive_folder, earlier[-1]))
        lost = Recovered(
            operators,
            approval,
            recovery.loss,
            recovery.meter_cents,
            day=(left.books.day if left.books else 0) + 1,
            rounds=left.rounds + recovery.lost,
            documents=(left.books.documents if left.books else 0) + recovery.lost,
        )
        stamp = Stamp(last.at_ms, clock.wall_ms())
        begin(config.journal_file, config.table, carried.house, [carried, lost], stamp, last.boot)
        return
    message = Installed(house, operators, approval, software_version(), program_hash())
    if recovery is not None:
        message = msgspec.structs.replace(
            message,
            recovery=recovery.loss,
            meter_cents=recovery.meter_cents,
            day=1,
            rounds=recovery.lost,
            documents=recovery.lost,
        )
    begin(config.journal_file, config.table, house, [message], Stamp(0, clock.wall_ms()))


class App:
    """A table that runs; made by `build`."""

    def __init__(self, service: Service, own_context: zmq.Context[zmq.Socket[bytes]] | None = None) -> None:
        self._service = service
        self._own_context = own_context
        self._stop = False

    def turn(self, timeout_ms: int) -> None:
        """One turn of the loop; with 0 it never waits."""
        self._service.turn(timeout_ms)

    def busy(self) -> bool:
        """The last turn took something in."""
        return self._service.busy

    def due_in_ms(self) -> int:
        """When the loop wants to run again if nothing arrives."""
        return self._service.due_in_ms()

    @property
    def day_over(self) -> bool:
        """A gaming day was closed: the program ends, and starts again on the next file."""
        return self._service.day_over

    def abandon(self) -> None:
        """As a power cut: sockets and files are dropped, no output is touched, nothing is tidied."""
        self._service.abandon()
        self._end_context()

    def close(self) -> None:
        """An orderly end."""
        self._service.close()
        self._end_context()

    def _end_context(self) -> None:
        if self._own_context is not None:
            self._own_context.destroy(0)

    def run(self, clock: Clock) -> None:
        """The loop until SIGTERM or SIGINT; tells systemd that it is ready and alive."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stopped)
        notify("READY=1")
        alive_us = clock.now_us()
        while not self._stop and not self.day_over:
            self.turn(1000)
            if clock.now_us() - alive_us >= WATCHDOG_US:
                alive_us = clock.now_us()
                notify("WATCHDOG=1")
        # After a closed day the program goes on in the same process, so systemd is not told of an end.
        if not self.day_over or self._stop:
            notify("STOPPING=1")
        self.close()

    @property
    def stopped(self) -> bool:
        """Somebody has asked the program to end."""
        return self._stop

    def _stopped(self, _number: int, _frame: FrameType | None) -> None:
        self._stop = True


def build(
    config: TableConfig,
    clock: Clock,
    *,
    factory: Any = None,
    port: Port | None = None,
    context: zmq.Context[zmq.Socket[bytes]] | None = None,
) -> App:
    """Join every part and take the table up where its journal left it.

    `factory`, `port` and `context` replace what the configuration names; the simulator in one
    process uses that. Raises `JournalRefused`, `KeysRefused`, `PinFactoryError`, `WiringError`,
    `ReplayError`, `StartRefused`, `zmq.ZMQError`; each says what to do.
    """
    refused = self_check(config.manifest_file, config.place)
    if refused:
        raise StartRefused(refused)
    carry_over(config.journal_file, config.table, config.archive_folder, clock.wall_ms())
    with ExitStack() as opened:
        # The journal first: its lock tells a second service before that one takes over the addresses.
        journal = Journal.open(config.journal_file, config.table, clock.wall_ms(), create=False)
        opened.callback(journal.close)
        if journal.first is None:
            raise StartRefused(f"{journal.path}: the journal is empty: its installation was never finished")
        check_mark(journal.path, journal)
        snapshot, entries = journal.recover()
        known = Replay(snapshot)
        for entry in entries:
            known.take(entry)
        state = known.state
        bridge = Bridge(
            Wiring(
                factory=make_factory(config.pin_factory) if factory is None else factory,
                lines=config.lines,
                seats=config.seats,
                port=make_port(config.shoe_driver, config.shoe_port) if port is None else port,
                now_us=clock.now_us,
                shoe_boot_id=state.shoe_boot_id if state else 0,
                shoe_next_seq=state.shoe_next_seq if state else 0,
            )
        )
        opened.callback(bridge.close)
        own_context = None
        if context is None:
            context = own_context = zmq.Context()
            opened.callback(own_context.destroy, 0)
        door = _door(config, context)
        if door is not None:
            opened.callback(door.close)
        boot = journal.last.boot + 1 if journal.last else 1
        publisher = Publisher(context, config.state_endpoint, config.table, boot, door)
        opened.callback(publisher.close)
        commands = Commands(context, config.commands_endpoint, door)
        opened.callback(commands.close)
        service = Service(house_of(config), clock, bridge, journal, publisher, commands, door)
        service.start(known, software_version(), program_hash())
        opened.pop_all()
    return App(service, own_context)


def _door(config: TableConfig, context: zmq.Context[zmq.Socket[bytes]]) -> Door | None:
    """Whoever shares this process shares its memory; for everybody else there is a door."""
    endpoints = (config.state_endpoint, config.commands_endpoint)
    if all(endpoint.startswith("inproc://") for endpoint in endpoints):
        return None
    return Door(context, config.keys_folder)


def catalogue_text(form: Literal["schema", "asyncapi"]) -> str:
    """The catalogue of all messages, as `deploy/messages` holds it."""
    from table_controller.catalogue.asyncapi import asyncapi_text
    from table_controller.catalogue.schema import schema_text

    return schema_text(LinesView) if form == "schema" else asyncapi_text(LinesView)


def run(config: TableConfig) -> None:
    """The production service of one table, until it is told to stop."""
    log_to_output()
    many_files()
    log = logging.getLogger("table_controller")
    clock = SystemClock()
    app = build(config, clock)
    log.info("table %s is up, software %s", config.table, software_version())
    _run(app, config, clock, log)
    log.info("table %s is down", config.table)
    if app.day_over and not app.stopped:
        # The next day begins as a start does: the file archived, the program checked and loaded anew.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _run(app: App, config: TableConfig, clock: Clock, log: logging.Logger) -> None:
    try:
        app.run(clock)
    except NOT_AS_RECORDED:
        raise
    except Exception as error:
        # Nobody can explain this one, so the table stops as it is and starts again from its journal.
        log.critical("table %s stopped", config.table, exc_info=True)
        raise TableStopped(
            f"the table stopped: {error}. What is committed stands, nothing after it was shown; "
            "start the service again, and follow RECOVERY.md if it stops again."
        ) from error
