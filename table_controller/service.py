"""The loop of one table: take in, number and stamp, decide, commit, show (ARCHITECTURE.md, The loop).

One thread decides. What this turn took in is one commit; nothing is shown, published, answered or
acknowledged to the shoe before it. An error that nobody can explain ends the process: it starts again
from the journal and never guesses about money.
"""

from __future__ import annotations

import logging
from typing import Protocol

import msgspec
import zmq

from table_controller.clock import Clock
from table_controller.commands import Commands
from table_controller.door import Door, Knock
from table_controller.journal import Journal, StoredAnswer
from table_controller.publisher import Mark, Publisher
from table_controller.replay import Replay, Snapshot, digest_of, encode_facts, encode_message
from table_controller.request import Request
from table_controller.signs import SIGNS_MAX, Signs
from table_controller.table.day import changes, files_refused
from table_controller.table.messages import (
    AnyMessage,
    ClockSet,
    CommandRefused,
    DayClosed,
    DayOpened,
    Event,
    Fact,
    HealthChanged,
    House,
    KeysRead,
    MeterCorrected,
    Outputs,
    RoundCleared,
    RoundOpened,
    ShiftChanged,
    Stamp,
    Started,
    TimePassed,
)
from table_controller.table.offers import offers
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import due_at_ms, step
from table_controller.table.views import house_view, outputs, snapshot
from table_controller.tide_mark import set_mark
from table_controller.visitors import Visitors

_log = logging.getLogger(__name__)

REQUESTS_A_TURN = 64
SNAPSHOT_EVERY = 2000
WAIT_MAX_MS = 1000
CLOCK_STEP_MS = 1000
"""A wall clock that is off by so much since the last turn was set; less is a time server's steering."""
BOUNDARIES = RoundOpened | RoundCleared | DayOpened | DayClosed | ShiftChanged | MeterCorrected
"""Where a report may begin or end: the whole state is kept there."""


LINES_EVERY_US = 50_000
FACE_DOWN = ("dealing", "deciding")
"""While these last no hash over the entries is published: whoever knows all but one card of what went into it
could try the cards that are left."""


class Wires(Protocol):
    """Everything that touches wires, as the loop sees it; the bridge is one."""

    def started(self, software: str) -> Started:
        """All levels now."""

    def fds(self) -> list[int]:
        """Descriptors that become readable when there is something to read."""

    def read(self, now_us: int) -> list[Event]:
        """Everything that has arrived or fallen due."""

    def due_at_us(self) -> int | None:
        """When `read` is wanted even if nothing becomes readable."""

    def show(self, outputs: Outputs, now_us: int) -> None:
        """Set every output."""

    def acknowledge(self, boot_id: int, next_seq: int) -> None:
        """Cards below that number are committed."""

    def lines(self, now_us: int) -> object:
        """Every line as it is now, for a technician."""

    def shoe_trouble(self) -> str:
        """What is wrong with the shoe's line, for the log; empty when it is well."""

    def close(self) -> None:
        """Let go of everything."""


class StartRefused(Exception):
    """The table cannot be taken up as it is; the text says why and what to do."""


class Service:
    """One table, from its journal on."""

    def __init__(
        self,
        house: House,
        clock: Clock,
        wires: Wires,
        journal: Journal,
        publisher: Publisher,
        commands: Commands,
        door: Door | None = None,
    ) -> None:
        self._house = house
        self._door = door
        self._visitors = Visitors()
        self._software = ""
        self._clock = clock
        self._wires = wires
        self._journal = journal
        self._publisher = publisher
        self._commands = commands
        last = journal.last
        self.boot = last.boot + 1 if last else 1
        # The table's own time goes on where it stood: what passes while the service is down is no time.
        self._zero_us = clock.now_us() - (last.at_ms * 1000 if last else 0)
        self._state: TableState = new_state(house)
        self._encoded = b""
        self._digest = b""
        self._entries_since_snapshot = SNAPSHOT_EVERY
        self._facts: list[tuple[int, tuple[Fact, ...]]] = []
        self._answers: list[tuple[Request, StoredAnswer]] = []
        self._took_in = False
        self._day_over = False
        self._signs = Signs()
        self._marked_seq = 0
        self._display_line_well = True
        # What the wall clock is ahead of the clock that never jumps.
        self._wall_ahead_ms = self._wall_ahead(clock.now_us())
        # Nothing is told of a chain until no card lies hidden: a restart may come in the middle of a deal.
        self._told_head = b""
        # Answers that are made once, however often they are asked for.
        self._offers, self._offers_seq = b"", -1
        self._lines, self._lines_us = b"", -LINES_EVERY_US
        self._shoe = (0, 0)
        self._trouble = ""
        self._fds: list[int] | None = None
        self._poller = zmq.Poller()

    # ------------------------------------------------------------------------------- starting

    def start(self, known: Replay, software: str, manifest: str) -> None:
        """Take the table up where the journal left it and say `Started` (ARCHITECTURE.md, Journal).

        Raises `StartRefused` where the files cannot be those of this table now.
        """
        now_us = self._clock.now_us()
        started = msgspec.structs.replace(self._wires.started(software), house=self._house, manifest=manifest)
        if known.state is not None and known.house is not None:
            refused = files_refused(known.house, self._house, known.state)
            if refused:
                raise StartRefused(refused)
            started = msgspec.structs.replace(started, changes=changes(known.house, self._house, known.state))
            self._state = known.state
        self._software = software
        self._display_line_well = started.display_well
        self._encoded = encode_state(self._state)
        self._digest = digest_of(self._encoded)
        last = self._journal.last
        self._take(now_us, started)
        if last is not None and self._clock.wall_ms() < last.wall_ms:
            self._take(now_us, ClockSet(self._clock.wall_ms() - last.wall_ms))
        if self._door is not None:
            self._take(now_us, KeysRead(self._door.names))
        self._commit()
        self._show(now_us)

    # -------------------------------------------------------------------------------- the loop

    def turn(self, timeout_ms: int) -> None:
        """One turn; waits at most `timeout_ms` for something to happen."""
        readable = self._wait(timeout_ms)
        now_us = self._clock.now_us()
        self._took_in = False
        self._watch_clock(now_us)
        if self._publisher.socket in readable:
            self._publisher.drain()
        for event in self._wires.read(now_us):
            if isinstance(event, HealthChanged) and event.line == "display":
                self._display_line_well = event.well
                self._watch_display(now_us)
            else:
                self._take(now_us, event)  # type: ignore[arg-type]
        if self._commands.socket in readable:
            for request in self._commands.drain(REQUESTS_A_TURN):
                # A closed day ends its file: what was asked behind it is asked again, of the next one.
                if not self._day_over:
                    self._answer(now_us, request)
        self._watch_door(now_us)
        self._watch_display(now_us)
        due_ms = due_at_ms(self._house, self._state)
        if due_ms is not None and due_ms <= self._at_ms(now_us):
            self._take(now_us, TimePassed())
        if self._took_in:
            self._commit()
            self._show(now_us)
        if now_us >= self._publisher.due_at_us:
            if self._state.phase not in FACE_DOWN:
                self._told_head = self._journal.head
            self._publisher.beat(now_us, self._mark(self._seq, now_us), self._told_head)
            self._log_trouble()
            self._set_mark()
            self._watch_keys(now_us)
            if self._publisher.crowded and self._door is not None:
                self._visitors.note(Knock("fault", word="subscribe"))
                self._publisher.rebind()
                self._fds = None

    @property
    def busy(self) -> bool:
        """The last turn took something in."""
        return self._took_in

    @property
    def day_over(self) -> bool:
        """A gaming day was closed: the service ends, its file is archived, and it starts with the next."""
        return self._day_over

    @property
    def state(self) -> TableState:
        """The table as committed; for the inspection of tests, never to be changed."""
        return self._state

    def due_in_ms(self) -> int:
        """When the loop wants to run again if nothing arrives."""
        now_us = self._clock.now_us()
        due = [self._publisher.due_at_us]
        wires_us = self._wires.due_at_us()
        if wires_us is not None:
            due.append(wires_us)
        table_ms = due_at_ms(self._house, self._state)
        if table_ms is not None:
            due.append(self._zero_us + table_ms * 1000)
        return max(0, -(-(min(due) - now_us) // 1000))

    def close(self) -> None:
        """An orderly end: outputs off, sockets and journal closed."""
        self._set_mark()
        self._wires.close()
        self.abandon()

    def abandon(self) -> None:
        """Let go of sockets and journal without touching any output."""
        self._publisher.close()
        self._commands.close()
        if self._door is not None:
            self._door.close()
        self._journal.close()

    # --------------------------------------------------------------------------------- inside

    def _wait(self, timeout_ms: int) -> list[object]:
        """Until something is readable or due; what is readable."""
        fds = self._wires.fds()
        if fds != self._fds:
            self._poller = zmq.Poller()
            door = self._door.sockets if self._door is not None else []
            for source in (self._publisher.socket, self._commands.socket, *door, *fds):
                self._poller.register(source, zmq.POLLIN)
            self._fds = fds
        ready = self._poller.poll(min(timeout_ms, self.due_in_ms(), WAIT_MAX_MS))
        return [source for source, _ in ready]

    def _wall_ahead(self, now_us: int) -> int:
        return self._clock.wall_ms() - now_us // 1000

    def _watch_clock(self, now_us: int) -> None:
        """A wall clock that was set is an entry of its own; nothing is measured by it."""
        ahead_ms = self._wall_ahead(now_us)
        by_ms = ahead_ms - self._wall_ahead_ms
        self._wall_ahead_ms = ahead_ms
        if abs(by_ms) >= CLOCK_STEP_MS:
            self._take(now_us, ClockSet(by_ms))

    def _watch_door(self, now_us: int) -> None:
        """Let in who may come in, and record who may not and what a key did not allow."""
        if self._door is None:
            return
        for knock in (*self._door.drain(REQUESTS_A_TURN), *self._commands.take_tried()):
            self._visitors.note(knock)
        for tried in self._visitors.due(now_us):
            # A closed day ends its file; the next one begins with a start.
            if not self._day_over:
                self._take(now_us, tried)

    def _watch_keys(self, now_us: int) -> None:
        """The register is read again when it has changed; who lost his key loses his connection."""
        change = self._door.look() if self._door is not None else "none"
        if self._door is None or change == "none" or self._day_over:
            return
        self._take(now_us, KeysRead(self._door.names))
        self._commit()
        self._show(now_us)
        if change == "less":
            self._publisher.rebind()
            self._commands.rebind()
            self._fds = None

    def _watch_display(self, now_us: int) -> None:
        """The display is well while its line says so and no sign has fallen silent."""
        well = self._display_line_well and self._signs.well(now_us)
        if well != self._state.display_well:
            self._take(now_us, HealthChanged("display", well))

    def _at_ms(self, now_us: int) -> int:
        return (now_us - self._zero_us) // 1000

    @property
    def _seq(self) -> int:
        return self._journal.last.seq if self._journal.last else 0

    def _set_mark(self) -> None:
        """Beside the journal it is kept where it ends, so that an older copy of it is noticed."""
        if self._seq != self._marked_seq:
            self._marked_seq = self._seq
            set_mark(self._journal.path, self._journal)

    def _log_trouble(self) -> None:
        """Each new trouble of the shoe's line is a line of the log, once."""
        trouble = self._wires.shoe_trouble()
        if trouble and trouble != self._trouble:
            _log.warning("shoe: %s", trouble)
        self._trouble = trouble

    def _mark(self, seq: int, now_us: int) -> Mark:
        return Mark(seq, self._at_ms(now_us), self._clock.synced())

    def _take(self, now_us: int, message: AnyMessage) -> tuple[int, tuple[Fact, ...]]:
        """Number, stamp and decide one message, and append it to the open transaction."""
        stamp = Stamp(self._at_ms(now_us), self._clock.wall_ms())
        state, facts = step(self._house, self._state, stamp, message, self._encoded)
        if state is not self._state:
            meter = state.meter
            if meter is not None and not meter.balances:
                raise RuntimeError("the books of the meter do not balance")
            self._state = state
            self._encoded = encode_state(state)
            self._digest = digest_of(self._encoded)
        self._entries_since_snapshot += 1
        kept = None
        boundary = any(isinstance(fact, BOUNDARIES) for fact in facts)
        self._day_over = self._day_over or any(isinstance(fact, DayClosed) for fact in facts)
        if boundary or self._entries_since_snapshot >= SNAPSHOT_EVERY:
            kept = msgspec.json.encode(Snapshot(self._house, state))
            self._entries_since_snapshot = 0
        seq = self._journal.append(
            self.boot,
            stamp.at_ms,
            stamp.wall_ms,
            encode_message(message),
            encode_facts(facts),
            self._digest,
            kept,
            state.dealer.encode(),
        )
        self._facts.append((seq, facts))
        self._took_in = True
        return seq, facts

    def _answer(self, now_us: int, request: Request) -> None:
        if request.said is None:
            self._answer_question(now_us, request)
            return
        stored = self._journal.answer_for(request.sender, request.id)
        if stored is None:
            said = msgspec.structs.replace(
                request.said, request=request.id, body_hash=request.body_hash.hex()
            )
            seq, facts = self._take(now_us, said)
            refusal = next((fact.reason for fact in facts if isinstance(fact, CommandRefused)), "")
            stored = StoredAnswer(request.body_hash, seq, not refusal, refusal)
            self._journal.store_answer(request.sender, request.id, stored)
        elif request.key:
            again = stored.body_hash == request.body_hash
            word = type(request.said.command).__name__
            self._visitors.note(Knock("repeated" if again else "other_body", request.key, word))
        self._answers.append((request, stored))
        self._took_in = True

    def _answer_question(self, now_us: int, request: Request) -> None:
        if request.ask == "offers":
            # What has no entry changes no offer, but for a time limit, which has one each second.
            if self._offers_seq != self._seq:
                stamp = Stamp(self._at_ms(now_us), self._clock.wall_ms())
                self._offers = msgspec.json.encode(offers(self._house, self._state, stamp))
                self._offers_seq = self._seq
            self._commands.answer_offers(request, self._offers)
        elif request.ask == "house":
            seen = house_view(self._house, self._state, self._software)
            self._commands.answer_house(request, msgspec.json.encode(seen))
        elif request.ask in ("here", "gone"):
            self._hear_sign(now_us, request)
        elif request.ask == "lines":
            if now_us - self._lines_us >= LINES_EVERY_US:
                self._lines, self._lines_us = msgspec.json.encode(self._wires.lines(now_us)), now_us
            self._commands.answer_lines(request, self._lines)
        else:
            self._commands.answer_snapshot(request, self._publisher.state)

    def _hear_sign(self, now_us: int, request: Request) -> None:
        if request.ask == "gone":
            self._signs.gone(request.sign)
        elif not self._signs.here(request.sign, now_us):
            self._commands.answer(request, False, 0, f"$.sign: there are {SIGNS_MAX} signs already.")
            return
        self._commands.answer_snapshot(request, self._publisher.state)

    def _commit(self) -> None:
        self._journal.commit()

    def _show(self, now_us: int) -> None:
        """Lamps first, then the shoe, then everybody who listens, then who asked."""
        at_ms = self._at_ms(now_us)
        shown = outputs(self._house, self._state, at_ms)
        self._wires.show(shown, now_us)
        shoe = (self._state.shoe_boot_id, self._state.shoe_next_seq)
        if shoe != self._shoe:
            self._shoe = shoe
            self._wires.acknowledge(*shoe)
        for seq, facts in self._facts:
            self._publisher.publish_facts(self._mark(seq, now_us), facts)
        self._facts = []
        body = msgspec.json.encode(snapshot(self._house, self._state, at_ms, shown))
        self._publisher.publish_state(self._mark(self._seq, now_us), body)
        for request, stored in self._answers:
            self._commands.answer_again(request, stored.body_hash, stored.ok, stored.seq, stored.error)
        self._answers = []
