"""The board as a process of its own: sockets, a pseudo-terminal, and a service that comes and goes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gpiozero import LED, DigitalInputDevice
from gpiozero.exc import PinError

from hw_sim.pins import SimFactory
from hw_sim.server import BoardError, BoardServer
from hw_sim.table import BoardClient, HandError
from table_controller.lines import default_lines

LINES = default_lines(2)
PATIENCE_S = 5


class Running:
    """A board that serves in a thread of the test."""

    def __init__(self, directory: Path, *, shoe: bool = True) -> None:
        self.directory = directory
        self.server = BoardServer(directory, LINES, 2, shoe=shoe)
        self._thread = threading.Thread(target=self.server.serve)
        self._thread.start()

    def stop(self) -> None:
        self.server.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("HW_SIM_BOARD", str(tmp_path / "board.sock"))
    board = Running(tmp_path)
    yield board
    board.stop()


@pytest.fixture
def hands(running: Running) -> Iterator[BoardClient]:
    client = BoardClient(running.server.path)
    yield client
    client.close()


@pytest.fixture
def factory(running: Running) -> Iterator[SimFactory]:
    made = SimFactory()
    yield made
    made.close()


class Heard:
    """Collects what callbacks of another thread say and lets the test wait for it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._more = threading.Condition()

    def say(self, word: str) -> Callable[[], None]:
        def hear() -> None:
            with self._more:
                self.words.append(word)
                self._more.notify_all()

        return hear

    def wait_for(self, count: int) -> list[str]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.words) >= count, PATIENCE_S), self.words
        return self.words


def an_input(factory: SimFactory, line: str, heard: Heard) -> DigitalInputDevice:
    device = DigitalInputDevice(LINES[line], pull_up=None, active_state=True, pin_factory=factory)
    device.when_activated = heard.say(f"{line} high")
    device.when_deactivated = heard.say(f"{line} low")
    return device


def wait_until_the_reader_ends() -> None:
    for thread in threading.enumerate():
        if thread.name == "hw_sim pins":
            thread.join(PATIENCE_S)


# ------------------------------------------------------------------------------------ the pins


def test_hands_move_chips_and_the_service_hears_it(factory: SimFactory, hands: BoardClient) -> None:
    heard = Heard()
    with an_input(factory, "ante.1", heard):
        hands.ante(1)
        hands.lift("ante", 1)
        assert heard.wait_for(2) == ["ante.1 high", "ante.1 low"]


def test_the_service_lights_a_lamp_and_eyes_see_it(factory: SimFactory, hands: BoardClient) -> None:
    heard = Heard()
    with an_input(factory, "lamp_sense.2", heard), LED(LINES["lamp.2"], pin_factory=factory) as lamp:
        lamp.on()
        heard.wait_for(1)
        assert hands.lamp_lit(2)
        assert not hands.lamp_lit(1)


def test_the_service_is_killed_and_the_chips_stay_where_they_lie(
    running: Running, hands: BoardClient, factory: SimFactory
) -> None:
    factory.close()
    service = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from gpiozero import LED; from hw_sim.pins import SimFactory\n"
            f"lamp = LED({LINES['lamp.1']}, initial_value=True, pin_factory=SimFactory())\n"
            "print('lit', flush=True); sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert service.stdin is not None
    assert service.stdout is not None
    assert service.stdout.readline() == b"lit\n"
    assert hands.lamp_lit(1)
    hands.ante(1)
    service.kill()
    service.wait()
    service.stdin.close()
    service.stdout.close()
    hands.bonus(2)
    assert not hands.lamp_lit(1)
    # The next service knows all levels before it asks for its first pin.
    second = SimFactory()
    assert [second.pin(LINES[line]).state for line in ("ante.1", "bonus.2", "raise.1")] == [1, 1, 0]
    second.close()


def test_a_second_service_cannot_have_the_pins(factory: SimFactory) -> None:
    with pytest.raises(PinError, match="another process holds the pins"):
        SimFactory()


def test_a_service_that_starts_at_once_after_the_last_one_gets_the_pins(running: Running) -> None:
    for _ in range(20):
        SimFactory().close()


def test_an_impossible_output_is_told_by_name(factory: SimFactory) -> None:
    pin = factory.pin(LINES["ante.1"])
    pin.function = "output"
    pin.state = 1
    wait_until_the_reader_ends()
    with pytest.raises(PinError, match=r"ante\.1, an input of the table"):
        pin.state = 1


def test_a_board_that_is_gone_is_an_error_for_reads_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HW_SIM_BOARD", str(tmp_path / "board.sock"))
    board = Running(tmp_path, shoe=False)
    factory = SimFactory()
    lamp = factory.pin(LINES["lamp.1"])
    lamp.function = "output"
    board.stop()
    wait_until_the_reader_ends()
    with pytest.raises(PinError, match="the simulated board is gone"):
        _ = lamp.state
    with pytest.raises(PinError, match="the simulated board is gone"):
        lamp.state = 1
    factory.close()


# ----------------------------------------------------------------------------------- the hands


def test_tokens_fall_in_two_slots_at_the_same_time(running: Running, factory: SimFactory) -> None:
    heard = Heard()
    beams = [an_input(factory, f"coin_{beam}.{seat}", heard) for beam in "ab" for seat in (1, 2)]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as both:
        both.settimeout(PATIENCE_S)
        both.connect(str(running.server.path))
        both.sendall(
            b'{"id": 1, "do": "coin", "args": ["1"]}\n{"id": 2, "do": "coin", "args": ["2"]}\n',
        )
        words = heard.wait_for(8)
    assert set(words[:2]) == {"coin_a.1 high", "coin_a.2 high"}
    assert set(words[2:4]) == {"coin_b.1 high", "coin_b.2 high"}
    for beam in beams:
        beam.close()


def test_a_refusal_is_a_sentence_and_the_next_act_is_done(hands: BoardClient) -> None:
    with pytest.raises(HandError, match="hands know no word 'juggle'"):
        hands.do("juggle")
    with pytest.raises(HandError, match="seat"):
        hands.coin(3)
    hands.ante(2)
    assert hands.look()["lines"]["ante.2"] == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"ante 1\n", "JSON is malformed"),
        (b'{"id": 1, "do": "ante"}\n', "missing required field `args`"),
        (b'["pins", 2]\n', "Expected `object`"),
        (b"x" * 5000, "longer than 4096 bytes"),
    ],
)
def test_a_guest_that_speaks_no_known_words_is_told_and_sent_away(
    running: Running, line: bytes, sentence: str
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as guest:
        guest.settimeout(PATIENCE_S)
        guest.connect(str(running.server.path))
        guest.sendall(line)
        told = b""
        while part := guest.recv(4096):
            told += part
    assert sentence in json.dumps(json.loads(told))


def test_without_a_board_hands_are_told_where_they_looked(tmp_path: Path) -> None:
    with pytest.raises(HandError, match=r"no simulated board answers at .*board\.sock"):
        BoardClient(tmp_path / "board.sock")


# ------------------------------------------------------------------------------------ the shoe


class SerialHost:
    """The least a host does: opens the stable name and reads."""

    def __init__(self, link: Path) -> None:
        self.fd = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def read_until(self, wanted: bytes) -> bytes:
        read = b""
        while wanted not in read:
            ready, _, _ = select.select([self.fd], [], [], PATIENCE_S)
            assert ready, read
            read += os.read(self.fd, 4096)
        return read

    def read_all(self) -> bytes:
        read = b""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.fd, 4096):
                read += part
        return read

    def hears_the_end(self) -> bool:
        """Whether the line ends, as it does for a host whose USB adapter is pulled."""
        while select.select([self.fd], [], [], PATIENCE_S)[0]:
            try:
                if not os.read(self.fd, 4096):
                    return True
            except OSError as problem:
                return problem.errno == errno.EIO
        return False

    def close(self) -> None:
        os.close(self.fd)


def test_cards_come_out_of_the_pseudo_terminal_unchanged(running: Running, hands: BoardClient) -> None:
    host = SerialHost(running.directory / "shoe")
    hands.deal("KD")
    wire = host.read_until(b"KD")
    assert b"\x01KD" in wire
    host.close()


def test_a_pulled_cable_hangs_up_and_a_plugged_one_brings_the_card_again(
    running: Running, hands: BoardClient
) -> None:
    link = running.directory / "shoe"
    host = SerialHost(link)
    hands.deal("KD")
    host.read_until(b"KD")
    hands.fault("shoe_unplugged")
    assert host.hears_the_end()
    assert not link.is_symlink()
    host.close()
    hands.mend("shoe_unplugged")
    hands.look()
    host = SerialHost(link)
    assert b"\x01KD" in host.read_until(b"KD")
    assert hands.look()["shoe"]["held"] == 1
    host.close()


def test_a_killed_host_leaves_no_exclusive_use_behind(running: Running, hands: BoardClient) -> None:
    first = SerialHost(running.directory / "shoe")
    fcntl.ioctl(first.fd, termios.TIOCEXCL)
    first.close()
    second = SerialHost(running.directory / "shoe")
    hands.deal("QS")
    second.read_until(b"QS")
    second.close()


def test_a_line_that_nobody_reads_for_long_holds_only_whole_frames(
    running: Running, hands: BoardClient
) -> None:
    host = SerialHost(running.directory / "shoe")
    host.read_until(b"\0")
    for _ in range(1500):
        hands.fault("shoe_noise")
    *frames, rest = host.read_all().split(b"\0")
    assert 100 < len(frames) < 1500
    assert {len(frame) for frame in frames} == {19}
    assert len(rest) < 19
    host.close()


def test_a_table_without_a_shoe_has_no_name_for_it(tmp_path: Path) -> None:
    board = Running(tmp_path, shoe=False)
    assert not (tmp_path / "shoe").is_symlink()
    board.stop()


# ---------------------------------------------------------------------------------- the process


def test_two_boards_cannot_share_a_directory(running: Running) -> None:
    with pytest.raises(BoardError, match="a simulated board runs already"):
        BoardServer(running.directory, LINES, 2)


def test_the_leftovers_of_a_killed_board_do_not_stop_the_next_one(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(tmp_path / "board.sock"))
    left.close()
    (tmp_path / "shoe").symlink_to("/dev/pts/nowhere")
    board = Running(tmp_path)
    client = BoardClient(tmp_path / "board.sock")
    client.ante(1)
    client.close()
    host = SerialHost(tmp_path / "shoe")
    host.close()
    board.stop()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_board_process_ends_clean_when_it_is_asked_to(tmp_path: Path, ending: signal.Signals) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from hw_sim.server import run_board\n"
            "from table_controller.lines import default_lines\n"
            "run_board(Path(sys.argv[1]), default_lines(1), 1, ready=lambda: print('ready', flush=True))",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    client = BoardClient(tmp_path / "board.sock")
    client.ante(1)
    process.send_signal(ending)
    _, errors = process.communicate(timeout=PATIENCE_S)
    client.close()
    assert (process.returncode, errors) == (0, b"")
    assert list(tmp_path.iterdir()) == []
