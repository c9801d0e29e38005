"""The technician's page: what a wire shows in words, and what the program does when the table is away."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from table_controller.commands import Commands
from table_controller.probe import (
    ASK_EVERY_MS,
    PATIENCE_MS,
    Asker,
    LinesRefused,
    Page,
    follow,
    lines_now,
    lines_text,
    moved,
    passage_words,
)
from tests.bridge.rig import MS, SECOND, Rig

Json = dict[str, Any]


def answer(rig: Rig) -> Json:
    """What a client is given of the wires of that rig."""
    found: Json = msgspec.json.decode(msgspec.json.encode(rig.bridge.lines(rig.clock.at_us)))
    return found


def page(rig: Rig) -> list[str]:
    return lines_text(answer(rig)).split("\n")


def row(rig: Rig, label: str) -> list[str]:
    """The cells of one row of the page."""
    found = next(row for row in page(rig) if row.startswith(label.ljust(12)))
    return [found[at : at + 9].strip() for at in range(12, len(found), 9)]


@pytest.fixture
def rig() -> Rig:
    """A table that has started a while ago, with its shoe found."""
    rig = Rig()
    rig.bridge.started("test")
    rig.advance(3 * SECOND)
    return rig


# ---------------------------------------------------------------------------------------- the page


def test_levels_stand_as_sign_and_word_in_the_column_of_their_seat(rig: Rig) -> None:
    rig.board.set("ante.3", 1)
    rig.show(rig.outputs({2: "on"}))
    rig.advance(3 * SECOND)
    assert row(rig, "ante") == ["○ free"] * 2 + ["● chips"] + ["○ free"] * 4
    assert row(rig, "lamp") == ["○ dark", "● lit"] + ["○ dark"] * 5
    assert row(rig, "coin_accept") == ["● open"] * 7


def test_what_moves_gets_a_star_for_two_seconds_and_stands_at_the_top(rig: Rig) -> None:
    rig.board.set("raise.6", 1)
    rig.advance(1_900 * MS)
    assert row(rig, "raise")[5] == "●*chips"
    assert page(rig)[1] == "moved       raise.6 ● chips 1x 1.9 s"
    rig.advance(100 * MS)
    assert row(rig, "raise")[5] == "● chips"


def test_crossed_wires_are_seen_in_the_name_of_what_moved_last(rig: Rig) -> None:
    for line in ("ante.1", "coin_b.7", "key.reveal", "bonus.2"):
        rig.board.set(line, 1)
        rig.advance(100 * MS)
    assert page(rig)[1] == "moved       bonus.2 ● chips 1x 0.1 s, key.reveal ● DOWN 1x 0.2 s"


def test_a_door_and_a_key_are_words(rig: Rig) -> None:
    rig.board.set("door", 0)
    rig.board.set("key.lock", 1)
    rig.advance(3 * SECOND)
    assert "keys        lock ● DOWN  close ○ up  reveal ○ up  clear ○ up  open ○ up" in page(rig)
    assert "health      meter ● well  display ● well  door ○ OPEN  mains ● well" in page(rig)


def test_item_56_the_page_shows_the_beam_times_of_each_slot(rig: Rig) -> None:
    rig.coin(1)
    rig.coin(7, step_us=2_345)
    rig.advance(4 * SECOND)
    assert row(rig, "coins/bad") == ["1 / 0", *["0 / 0"] * 5, "0 / 1"]
    assert row(rig, "last passed") == ["coin", *["-"] * 5, "too_fast"]
    assert row(rig, "  ago") == ["4.0 s", *["-"] * 5, "4.0 s"]
    assert [row(rig, f"  {state} ms")[0] for state in ("upper", "both", "lower")] == ["10.0"] * 3
    assert [row(rig, f"  {state} ms")[6] for state in ("upper", "both", "lower")] == ["2.3"] * 3


def test_item_56_a_jam_is_told_in_a_row_of_its_own(rig: Rig) -> None:
    rig.board.set("coin_a.4", 1)
    rig.advance(20 * SECOND)
    assert page(rig)[-1] == "slot 4      stuck: upper 500.0 ms"
    assert row(rig, "  ago")[3] == "19 s"


def test_times_are_rounded_to_a_tenth_and_below_a_millisecond_told_in_full() -> None:
    beams_us = [9_960, 1_000, 999, 7]
    told = passage_words({"result": "light", "beams": ["upper", "both"] * 2, "beams_us": beams_us})
    assert told == "light: upper 10.0, both 1.0, upper 0.999, both 0.007 ms"


def test_a_coin_on_a_string_tells_every_state(rig: Rig) -> None:
    for beam, level in (
        ("coin_a", 1),
        ("coin_b", 1),
        ("coin_a", 0),
        ("coin_a", 1),
        ("coin_b", 0),
        ("coin_a", 0),
    ):
        rig.board.set(f"{beam}.5", level)
        rig.clock.at_us += 900
    rig.advance(SECOND)
    assert page(rig)[-2:] == [
        "slot 5      light: upper 0.900, both 0.900, lower 0.900, both 0.900, upper 0.900",
        "            ms",
    ]
    assert passage_words({"result": "sequence", "beams": [], "beams_us": []}) == "sequence: no time was seen"


def test_item_28_a_dead_lamp_is_told_by_its_sense_line(rig: Rig) -> None:
    rig.board.kill_lamp(2)
    rig.show(rig.outputs({1: "on", 2: "on"}))
    rig.advance(60 * MS)
    assert row(rig, "  agrees")[:3] == ["yes", "no, once", "yes"]
    rig.advance(SECOND)
    assert row(rig, "  agrees")[:3] == ["yes", "NO", "yes"]


def test_the_shoe_is_told_with_its_frames_and_its_trouble(rig: Rig) -> None:
    rig.shoe.make_noise()
    rig.shoe.deal("KD", rig.clock.at_us)
    rig.read()
    frames = answer(rig)["shoe"]["frames"]
    assert f"shoe        found, memory 0000004D, last number 1, frames {frames} sound 1 damaged" in page(rig)
    assert "shoe        damaged frames: 1; the last: the CRC of the frame is wrong" in page(rig)
    rig.shoe.unplug()
    rig.advance(SECOND)
    assert "shoe        LOST, port shut, memory 0000004D, last number 1" in "\n".join(page(rig))


def test_a_busy_page_fits_80_columns_and_the_rows_that_matter_fit_24(rig: Rig) -> None:
    rig.show(rig.outputs(dict.fromkeys(range(1, 8), "blink")))
    for line in [*rig.board.lines]:
        if not line.startswith(("lamp", "light", "call", "coin_accept")):
            rig.board.set(line, 1)
            rig.board.set(line, 0)
    rig.advance(SECOND)
    assert max(len(row) for row in page(rig)) <= 80
    assert next(n for n, row in enumerate(page(rig)) if row.startswith("shoe")) < 24


def test_a_small_table_shows_only_the_rows_it_has() -> None:
    rig = Rig(seats=2, lines={"ante.1": 1, "ante.2": 2, "raise.2": 3}, shoe=False)
    assert page(rig)[2:] == [
        "            SEAT 1   SEAT 2",
        "ante        ○ free   ○ free",
        "raise       -        ○ free",
        "shoe        - not wired",
    ]


@pytest.mark.parametrize(
    ("ago_ms", "words"),
    [(0, "0.0 s"), (9_999, "9.9 s"), (10_000, "10 s"), (100_000, "1 min"), (7_200_000, "2 h")],
)
def test_times_are_told_as_coarsely_as_a_person_needs_them(rig: Rig, ago_ms: int, words: str) -> None:
    rig.coin(1)
    rig.read()
    rig.clock.at_us += ago_ms * MS
    assert row(rig, "  ago")[0] == words


# ----------------------------------------------------------------------------------- what has moved


def test_between_two_answers_every_move_is_a_row(rig: Rig) -> None:
    rig.board.kill_lamp(2)
    before = answer(rig)
    rig.board.set("ante.1", 1)
    rig.coin(3)
    rig.show(rig.outputs({2: "on"}, light="green"))
    rig.shoe.unplug()
    rig.advance(SECOND)
    now = answer(rig)
    frames = now["shoe"]["frames"]
    assert moved(before, now) == [
        "ante.1 ● chips 1x",
        "coin_a.3 ○ bright 2x",
        "coin_b.3 ○ bright 2x",
        "light.green ● lit 1x",
        *(f"coin_accept.{seat} ● open 1x" for seat in range(1, 8)),
        "slot 3: coin: upper 10.0, both 10.0, lower 10.0 ms",
        "lamp_sense.2 contradicts its lamp",
        f"shoe LOST, port shut, memory 0000004D, last number 0, frames {frames} sound 0 damaged",
        "shoe [Errno 5] the cable of the simulated shoe is pulled",
    ]
    assert moved(now, now) == []


# ------------------------------------------------------------------------------------- at the table


class Clock:
    def __init__(self) -> None:
        self.at_ms = 1_000

    def now_ms(self) -> int:
        return self.at_ms


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    context = zmq.Context[zmq.Socket[bytes]]()
    yield context
    context.destroy(0)


class Line:
    """A technician's line to a table that answers when the test says so."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], rig: Rig) -> None:
        self.rig = rig
        self.clock = Clock()
        self.commands = Commands(context, "inproc://commands")
        self.asker = Asker("inproc://commands", context, self.clock.now_ms)

    def questions(self) -> int:
        """How many questions the table has taken in and answered now."""
        requests = self.commands.drain(10)
        for request in requests:
            assert request.ask == "lines"
            self.commands.answer_lines(
                request, msgspec.json.encode(self.rig.bridge.lines(self.rig.clock.at_us))
            )
        return len(requests)

    def turn(self) -> bool:
        """The technician's program asks, the table answers, and the program takes it in."""
        self.clock.at_ms += ASK_EVERY_MS
        self.asker.pump(1)
        self.questions()
        return self.asker.pump(1_000)

    def close(self) -> None:
        self.asker.close()
        self.commands.close()


@pytest.fixture
def line(context: zmq.Context[zmq.Socket[bytes]], rig: Rig) -> Iterator[Line]:
    line = Line(context, rig)
    yield line
    line.close()


def test_never_more_than_one_question_is_under_way(line: Line) -> None:
    for _ in range(9):
        line.asker.pump(1)
        line.clock.at_ms += 100
    assert line.questions() == 1
    assert line.asker.pump(1_000)
    line.asker.pump(1)
    assert line.questions() == 1


def test_a_question_that_is_not_answered_is_asked_again_after_a_second(line: Line) -> None:
    line.asker.pump(1)
    line.clock.at_ms += PATIENCE_MS
    line.asker.pump(1)
    assert line.questions() == 2


def test_a_table_that_does_not_know_the_question_is_told_in_its_words(line: Line) -> None:
    line.asker.pump(1)
    (request,) = line.commands.drain(10)
    line.commands.answer(request, False, 0, '$.ask: "lines" was found; allowed: snapshot, offers.')
    with pytest.raises(LinesRefused, match="allowed: snapshot, offers"):
        line.asker.pump(1_000)


def test_a_terminal_is_redrawn_in_place_and_says_when_what_it_shows_is_old(line: Line) -> None:
    out = Terminal()
    with Page(out) as page:
        assert line.turn()
        page.show(line.asker)
        assert "SEAT 7" in out.getvalue()
        assert "DOES NOT ANSWER" not in out.getvalue()
        line.clock.at_ms += 5_000
        page.show(line.asker)
    drawn = out.getvalue().split("\x1b[H")
    assert drawn[-1].startswith("THE TABLE DOES NOT ANSWER, for 5 s; what stands below is old")
    assert "SEAT 7" in drawn[-1]
    assert out.getvalue().startswith("\x1b[?1049h")
    assert out.getvalue().endswith("\x1b[?25h\x1b[?1049l")


def test_a_file_gets_the_page_once_and_then_a_row_for_each_move(line: Line, rig: Rig) -> None:
    out = io.StringIO()
    with Page(out, lambda: 3_723.0) as page:
        for _ in range(3):
            line.turn()
            page.show(line.asker)
        assert out.getvalue() == lines_text(answer(rig)) + "\n\n"
        out.truncate(0)
        out.seek(0)
        rig.board.set("ante.2", 1)
        rig.advance(20 * MS)
        line.turn()
        page.show(line.asker)
        line.clock.at_ms += PATIENCE_MS
        page.show(line.asker)
        page.show(line.asker)
    assert out.getvalue().split("\n") == [
        "01:02:03  ante.2 ● chips 1x",
        "01:02:03  the table does not answer",
        "",
    ]


class Table(threading.Thread):
    """A table with a loop of its own that answers whoever asks for its lines."""

    def __init__(self, endpoint: str, lines: Callable[[], Json]) -> None:
        super().__init__(daemon=True)
        self._context = zmq.Context[zmq.Socket[bytes]]()
        self._commands = Commands(self._context, endpoint)
        self._lines = lines
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            self._commands.socket.poll(20)
            for request in self._commands.drain(10):
                self._commands.answer_lines(request, msgspec.json.encode(self._lines()))

    def __enter__(self) -> Table:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()
        self._commands.close()
        self._context.destroy(0)


class Pipe(io.StringIO):
    """A pipe whose reader leaves when it has read a page."""

    def flush(self) -> None:
        if "SEAT 7" in self.getvalue():
            raise BrokenPipeError


def test_whoever_asks_once_is_given_the_lines_of_a_running_table(tmp_path: Path, rig: Rig) -> None:
    endpoint, lines = f"ipc://{tmp_path}/commands", answer(rig)
    with Table(endpoint, lambda: lines):
        assert lines_now(endpoint) == lines


def test_a_table_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert lines_now(f"ipc://{tmp_path}/nobody", patience_ms=50) is None


def test_following_ends_well_when_nobody_reads_any_more(tmp_path: Path, rig: Rig) -> None:
    endpoint, lines, out = f"ipc://{tmp_path}/commands", answer(rig), Pipe()
    with Table(endpoint, lambda: lines):
        assert follow(endpoint, out) == 0
    assert out.getvalue().startswith(lines_text(lines))
