"""Every wire of a table in a terminal, for the technician who tries it: touch it, see which line moves.

It is an ordinary client: it asks a running table for its lines and tells no more than the answer. On a
terminal it redraws one page; into a file or a pipe it writes the page once and then a row for whatever moved.
"""

from __future__ import annotations

import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, Final, TextIO

import msgspec
import zmq

from table_controller.door import REFUSED_WORDS, Refusals, use_key
from table_controller.keys import ClientKey

Json = dict[str, Any]

ASK_EVERY_MS: Final = 300
PATIENCE_MS: Final = 1_000
ONCE_PATIENCE_MS: Final = 3_000
MESSAGE_MAX_BYTES: Final = 1 << 20
RECENT_MS: Final = 2_000
LABEL: Final = 12
COLUMN: Final = 9
WIDTH: Final = 80

HIGH, LOW, ABSENT = "●", "○", "-"

# By the first part of a line's name: what high and low mean to the person who looks at it.
WORDS: Final[dict[str, tuple[str, str]]] = {
    "ante": ("chips", "free"),
    "raise": ("chips", "free"),
    "bonus": ("chips", "free"),
    "coin_a": ("dark", "bright"),
    "coin_b": ("dark", "bright"),
    "coin_accept": ("open", "shut"),
    "lamp": ("lit", "dark"),
    "lamp_sense": ("flows", "none"),
    "key": ("DOWN", "up"),
    "light": ("lit", "dark"),
    "call": ("lit", "dark"),
    "meter_well": ("well", "FAILED"),
    "display_well": ("well", "FAILED"),
    "door": ("shut", "OPEN"),
    "mains_well": ("well", "FAILED"),
}
BY_SEAT: Final = ("ante", "raise", "bonus", "coin_a", "coin_b", "coin_accept", "lamp", "lamp_sense")
HEALTH: Final = ("meter_well", "display_well", "door", "mains_well")
AGREEMENT: Final = {"agrees": "yes", "waits": "waits", "doubted": "no, once", "contradicts": "NO"}
STATES: Final = ("upper", "both", "lower")


class LinesRefused(Exception):
    """The table does not tell its lines; the sentence is its own."""


# ---------------------------------------------------------------------------------------- in words


def lines_text(lines: Json) -> str:
    """The page of an answer to `ask: "lines"`: plain text, at most 80 letters wide.

    Seats stand in columns; `*` marks what moved in the last 2 s. Of each slot it shows the last passage with
    the times of its beams; the inputs that moved last stand at the top, with how often and how long ago.
    """
    wires = {line["name"]: line for line in lines["lines"]}
    seats = sorted({int(name.partition(".")[2]) for name in wires if name.partition(".")[0] in BY_SEAT})
    rows = [
        f"LINES   {HIGH} high   {LOW} low   * moved in the last {RECENT_MS // 1000} s   {ABSENT} not wired"
    ]
    rows.append(_moved_row(wires))
    rows.append(_row("", (f"SEAT {seat}" for seat in seats)))
    for kind in BY_SEAT:
        cells = [_cell(wires.get(f"{kind}.{seat}")) for seat in seats]
        if any(cell != ABSENT for cell in cells):
            rows.append(_row(kind, cells))
    senses = {sense["seat"]: AGREEMENT[sense["agreement"]] for sense in lines["senses"]}
    if senses:
        rows.append(_row("  agrees", (senses.get(seat, ABSENT) for seat in seats)))
    slots = {slot["seat"]: slot for slot in lines["slots"]}
    rows += _slot_rows(slots, seats)
    for title, names in (
        ("keys", [name for name in wires if name.startswith("key.")]),
        ("health", [name for name in HEALTH if name in wires]),
        ("lights", [name for name in wires if name.startswith("light.") or name == "call"]),
    ):
        if names:
            cells = [f"{_short(name)} {_cell(wires[name])}" for name in names]
            rows.append(f"{title:<{LABEL}}{'  '.join(cells)}".rstrip())
    rows += [f"{'shoe':<{LABEL}}{row}" for row in _shoe_rows(lines["shoe"])]
    rows += [
        f"slot {seat}".ljust(LABEL) + passage_words(slot["last"])
        for seat, slot in slots.items()
        if slot["last"] and slot["last"]["result"] != "coin"
    ]
    return "\n".join(
        part for row in rows for part in textwrap.wrap(row, WIDTH, subsequent_indent=" " * LABEL) or [""]
    )


def moved(before: Json, now: Json) -> list[str]:
    """What has happened at the wires between two answers, a row for each; blinking lamps are left out."""
    rows = []
    edges = {line["name"]: line["edges"] for line in before["lines"]}
    for line in now["lines"]:
        if line["edges"] != edges.get(line["name"]) and not line["name"].startswith("lamp"):
            rows.append(_moved_words(line))
    passed = {slot["seat"]: (slot["coins"], slot["faults"]) for slot in before["slots"]}
    for slot in now["slots"]:
        if slot["last"] and (slot["coins"], slot["faults"]) != passed.get(slot["seat"]):
            rows.append(f"slot {slot['seat']}: {passage_words(slot['last'])}")
    agreed = {sense["seat"]: sense["agreement"] == "contradicts" for sense in before["senses"]}
    for sense in now["senses"]:
        contradicts = sense["agreement"] == "contradicts"
        if contradicts != agreed.get(sense["seat"]):
            said = "contradicts its lamp" if contradicts else "agrees again"
            rows.append(f"lamp_sense.{sense['seat']} {said}")
    if now["shoe"] and (before["shoe"] or {}).get("state") != now["shoe"]["state"]:
        rows += [f"shoe {row}" for row in _shoe_rows(now["shoe"])]
    return rows


def passage_words(passage: Json) -> str:
    """One passage of a slot: `coin: upper 10.0, both 10.0, lower 10.0 ms`."""
    times = [
        f"{state} {_ms(time_us)}"
        for state, time_us in zip(passage["beams"], passage["beams_us"], strict=True)
    ]
    return (
        f"{passage['result']}: {', '.join(times)} ms" if times else f"{passage['result']}: no time was seen"
    )


def _row(label: str, cells: Iterable[str]) -> str:
    return (label.ljust(LABEL) + "".join(cell.ljust(COLUMN) for cell in cells)).rstrip()


def _cell(line: Json | None) -> str:
    if line is None:
        return ABSENT
    high, low = WORDS[line["name"].partition(".")[0]]
    mark = "*" if line["edges"] and line["since_ms"] < RECENT_MS else " "
    return f"{HIGH}{mark}{high}" if line["level"] else f"{LOW}{mark}{low}"


def _slot_rows(slots: dict[int, Json], seats: list[int]) -> list[str]:
    """What passed the slots, and the first time that each state of the beams stood in the last passage."""
    if not slots:
        return []
    last = {seat: slot["last"] for seat, slot in slots.items() if slot["last"]}
    times = {seat: dict(reversed(list(zip(one["beams"], one["beams_us"], strict=True))))
             for seat, one in last.items()}  # fmt: skip
    counts = {seat: f"{slot['coins']} / {slot['faults']}" for seat, slot in slots.items()}
    results = {seat: str(one["result"]).removesuffix("_coin") for seat, one in last.items()}
    rows = [
        _row("coins/bad", (counts.get(seat, ABSENT) for seat in seats)),
        _row("last passed", (results.get(seat, ABSENT) for seat in seats)),
        _row("  ago", (_ago(last[seat]["ago_ms"]) if seat in last else ABSENT for seat in seats)),
    ]
    for state in STATES:
        cells = (_ms(times[seat][state]) if state in times.get(seat, ()) else ABSENT for seat in seats)
        rows.append(_row(f"  {state} ms", cells))
    return rows


def _moved_row(wires: dict[str, Json]) -> str:
    """The inputs that moved last, newest first, as many as the row holds."""
    # Sense lines follow the lamps by themselves; what a hand has moved would be lost among them.
    touched = [
        wire
        for wire in wires.values()
        if wire["direction"] == "in" and wire["edges"] and not wire["name"].startswith("lamp_sense.")
    ]
    row = "moved"
    for wire in sorted(touched, key=lambda wire: int(wire["since_ms"])):
        words = f"{_moved_words(wire)} {_ago(wire['since_ms'])}"
        longer = f"{row}, {words}" if row != "moved" else row.ljust(LABEL) + words
        if len(longer) > WIDTH:
            break
        row = longer
    return row


def _short(name: str) -> str:
    """A line's name inside the row of its kind."""
    return name.partition(".")[2] or name.removesuffix("_well")


def _shoe_rows(shoe: Json | None) -> list[str]:
    if shoe is None:
        return [f"{ABSENT} not wired"]
    port = "" if shoe["port_open"] else ", port shut"
    row = f"{shoe['state'].upper() if shoe['state'] in ('lost', 'broken') else shoe['state']}{port}"
    if shoe["boot_id"]:
        row += f", memory {shoe['boot_id']:08X}, last number {shoe['last_seq']}"
    row += f", frames {shoe['frames']} sound {shoe['bad_frames']} damaged"
    return [row, *([shoe["trouble"]] if shoe["trouble"] else [])]


def _moved_words(line: Json) -> str:
    return f"{line['name']} {_cell(line).replace('*', ' ')} {line['edges']}x"


def _ms(time_us: int) -> str:
    """Microseconds as milliseconds; times below one are what a technician looks for."""
    if time_us < 1000:
        return f"0.{time_us:03}"
    tenths = (time_us + 50) // 100
    return f"{tenths // 10}.{tenths % 10}"


def _ago(time_ms: int) -> str:
    if time_ms < 10_000:
        return f"{time_ms // 1000}.{time_ms % 1000 // 100} s"
    seconds = time_ms // 1000
    if seconds < 100:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 6_000 else f"{seconds // 3_600} h"


# ------------------------------------------------------------------------------------- at the table


class Asker:
    """Asks one table for its lines again and again, with never more than one question under way.

    `lines` is the newest answer, None before the first.
    """

    def __init__(
        self,
        commands_endpoint: str,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        key: ClientKey | None = None,
    ) -> None:
        self._socket = (context or zmq.Context.instance()).socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.MAXMSGSIZE, MESSAGE_MAX_BYTES)
        self._socket.setsockopt(zmq.RECONNECT_IVL, 100)
        use_key(self._socket, key)
        self._refusals = Refusals(self._socket)
        # No question is kept for a table that is away: the answers would all be of the same moment.
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.connect(commands_endpoint)
        self._now_ms = now_ms
        self._heard_ms = now_ms()
        self._asked_ms: int | None = None
        self._next_ms = now_ms()
        self.lines: Json | None = None

    @property
    def age_ms(self) -> int:
        """How long the table has not answered."""
        return self._now_ms() - self._heard_ms

    def pump(self, timeout_ms: int) -> bool:
        """Ask if it is time to, wait at most so long for an answer; True if one came.

        Raises `LinesRefused` if the table does not know the question.
        """
        if self._refusals.heard():
            raise LinesRefused(REFUSED_WORDS)
        now_ms = self._now_ms()
        if now_ms >= self._next_ms:
            self._ask(now_ms)
        if not self._socket.poll(max(min(timeout_ms, self._next_ms - now_ms), 1)):
            return False
        try:
            answer = msgspec.json.decode(self._socket.recv(zmq.NOBLOCK))
        except zmq.Again:
            # Of a peer that has died ZeroMQ says that it is readable, and has nothing.
            return False
        if not answer["ok"]:
            raise LinesRefused(answer["error"])
        self.lines = answer["lines"]
        self._heard_ms = self._now_ms()
        self._next_ms = (self._asked_ms or 0) + ASK_EVERY_MS
        return True

    def close(self) -> None:
        """Close the socket."""
        self._refusals.close()
        self._socket.close()

    def _ask(self, now_ms: int) -> None:
        try:
            self._socket.send(
                msgspec.json.encode({"v": 1, "id": f"lines-{now_ms}", "ask": "lines"}), zmq.NOBLOCK
            )
        except zmq.Again:
            self._next_ms = now_ms + ASK_EVERY_MS
            return
        self._asked_ms = now_ms
        self._next_ms = now_ms + PATIENCE_MS


class Page:
    """Shows the answers on a terminal, or writes what moved where there is none; a context manager.

    `wall_s` is UTC in seconds since 1970: a row of the log says when it was written.
    """

    def __init__(self, out: TextIO, wall_s: Callable[[], float] = time.time) -> None:
        self._out = out
        self._wall_s = wall_s
        self._tty = out.isatty()
        self._before: Json | None = None
        self._silent = False

    def __enter__(self) -> Page:
        if self._tty:
            self._write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(self, *_: object) -> None:
        if self._tty:
            self._write("\x1b[?25h\x1b[?1049l")

    def show(self, asker: Asker) -> None:
        """Bring the page up to date."""
        if self._tty:
            self._draw(asker)
        else:
            self._log(asker)

    def _draw(self, asker: Asker) -> None:
        rows = [] if asker.lines is None else lines_text(asker.lines).split("\n")
        if asker.age_ms >= PATIENCE_MS:
            stale = "; what stands below is old" if rows else ""
            rows.insert(0, f"THE TABLE DOES NOT ANSWER, for {asker.age_ms // 1000} s{stale}")
        width, height = shutil.get_terminal_size((WIDTH, 24))
        page = "\x1b[K\r\n".join(row[:width] for row in rows[:height])
        self._write(f"\x1b[H{page}\x1b[K\x1b[J")

    def _log(self, asker: Asker) -> None:
        rows: list[str] = []
        if asker.lines is not None:
            if self._before is None:
                rows = [*lines_text(asker.lines).split("\n"), ""]
            else:
                rows = [self._stamped(row) for row in moved(self._before, asker.lines)]
            self._before = asker.lines
        silent = asker.age_ms >= PATIENCE_MS
        if silent != self._silent:
            self._silent = silent
            rows.append(self._stamped("the table does not answer" if silent else "the table answers again"))
        if rows:
            self._write("\n".join(rows) + "\n")

    def _stamped(self, row: str) -> str:
        return f"{time.strftime('%H:%M:%S', time.gmtime(self._wall_s()))}  {row}"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def lines_now(
    commands_endpoint: str, key: ClientKey | None = None, patience_ms: int = ONCE_PATIENCE_MS
) -> Json | None:
    """The lines of the table at that address as it tells them now; None if it does not answer in time.

    Raises `LinesRefused`.
    """
    asker = Asker(commands_endpoint, key=key)
    try:
        while asker.age_ms < patience_ms:
            if asker.pump(patience_ms):
                break
        return asker.lines
    finally:
        asker.close()


def follow(commands_endpoint: str, out: TextIO = sys.stdout, key: ClientKey | None = None) -> int:
    """Show the lines of a table until the terminal is closed or Ctrl-C is pressed; gives the exit code.

    0, or 1 if the table does not know the question, which is then said on the standard error output.
    """

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    asker = Asker(commands_endpoint, key=key)
    try:
        with Page(out) as page:
            while True:
                asker.pump(ASK_EVERY_MS)
                page.show(asker)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    except LinesRefused as refused:
        sys.stderr.write(f"the table does not tell its lines: {refused}\n")
        return 1
    finally:
        asker.close()
