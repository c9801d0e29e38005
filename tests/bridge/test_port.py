"""The serial port over a real pseudo-terminal: unplugged, plugged in again, taken, missing."""

import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.bridge import Bridge, Wiring
from firmware_bridge.shoe.port import SerialPort, ShoeDriverError, make_port
from hw_sim.board import Board
from hw_sim.pins import SimFactory
from hw_sim.shoe import PtyShoe, SimShoe
from table_controller.table.messages import CardScanned, Event, ShoeFound, ShoeLost
from tests.bridge.rig import Rig

# Python has no name for it before 3.13.
TIOCGEXCL = 0x80045440


class Cable:
    """The far end of the line; its stable name is a symbolic link, as udev makes it."""

    def __init__(self, name: Path) -> None:
        self.name = name
        self.master = -1
        self.plug()

    def plug(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.name.symlink_to(os.ttyname(slave))
        os.close(slave)

    def pull(self) -> None:
        self.name.unlink()
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        if self.master >= 0:
            self.pull()


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    cable = Cable(tmp_path / "shoe")
    yield cable
    cable.close()


@pytest.fixture
def port(cable: Cable) -> Iterator[SerialPort]:
    port = SerialPort(str(cable.name))
    yield port
    port.close()


def wait_readable(fd: int | None) -> None:
    assert fd is not None
    readable, _, _ = select.select([fd], [], [], 5)
    assert readable


def test_an_open_port_with_nothing_to_read_gives_nothing_and_does_not_wait(port: SerialPort) -> None:
    assert port.fileno() is None
    assert port.read() == b""
    assert port.fileno() is not None
    assert port.read() == b""


def test_bytes_go_both_ways_unchanged(cable: Cable, port: SerialPort) -> None:
    port.read()
    every_byte = bytes(range(256))
    os.write(cable.master, every_byte)
    wait_readable(port.fileno())
    assert port.read() == every_byte
    port.write(every_byte)
    wait_readable(cable.master)
    assert os.read(cable.master, 1_000) == every_byte


def test_a_pulled_cable_is_an_error_and_plugging_in_gives_a_new_port(cable: Cable, port: SerialPort) -> None:
    port.read()
    cable.pull()
    wait_readable(port.fileno())
    with pytest.raises(OSError, match=r"was unplugged|Input/output error"):
        port.read()
    assert port.fileno() is None
    with pytest.raises(OSError, match=r"shoe cannot be opened: No such file or directory$"):
        port.read()
    cable.plug()
    assert port.read() == b""
    os.write(cable.master, b"again")
    wait_readable(port.fileno())
    assert port.read() == b"again"


def test_writing_into_a_pulled_cable_is_an_error_and_closes(cable: Cable, port: SerialPort) -> None:
    port.read()
    cable.pull()
    with pytest.raises(OSError, match="Input/output error"):
        port.write(b"x")
    assert port.fileno() is None
    with pytest.raises(OSError, match="not open"):
        port.write(b"x")


def test_a_shoe_that_never_reads_blocks_nobody(port: SerialPort) -> None:
    port.read()
    for _ in range(100):
        port.write(b"\x55" * 1_000)
    assert port.fileno() is not None


def is_exclusive(port: SerialPort) -> bool:
    """Whether the kernel refuses everybody else's opening."""
    fd = port.fileno()
    assert fd is not None
    answer = bytearray(4)
    fcntl.ioctl(fd, TIOCGEXCL, answer)
    return answer != bytearray(4)


def test_hanging_up_resets_no_shoe(port: SerialPort) -> None:
    port.read()
    fd = port.fileno()
    assert fd is not None
    assert not termios.tcgetattr(fd)[2] & termios.HUPCL


def test_a_serial_port_belongs_to_one_process(port: SerialPort, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.shoe.port.PSEUDO_TERMINALS", range(0))
    port.read()
    assert is_exclusive(port)


def test_a_pseudo_terminal_is_locked_and_not_exclusive(cable: Cable, port: SerialPort) -> None:
    port.read()
    assert not is_exclusive(port)
    with pytest.raises(OSError, match="cannot be opened: another process uses it"):
        SerialPort(str(cable.name)).read()


def test_a_host_that_was_killed_shuts_the_next_one_out_of_no_pseudo_terminal(cable: Cable) -> None:
    opens_and_dies = (
        "import os, signal, sys\n"
        "from firmware_bridge.shoe.port import SerialPort\n"
        "SerialPort(sys.argv[1]).read()\n"
        "print('open', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", opens_and_dies, str(cable.name)]
    if os.geteuid() == 0:
        # Who may administer the system may open what is exclusive; the service of a table may not.
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root cannot give up its power here: there is no setpriv")
        command = [setpriv, "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", *command]
    for _ in range(2):
        host = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert (host.stdout, host.returncode) == ("open\n", -signal.SIGKILL), host.stderr


def test_an_error_of_termios_is_an_ordinary_error_of_the_port(
    port: SerialPort, mocker: MockerFixture
) -> None:
    gone = termios.error(5, "Input/output error")
    mocker.patch("firmware_bridge.shoe.port.termios.tcsetattr", side_effect=gone)
    with pytest.raises(OSError, match=r"cannot be opened.*Input/output error"):
        port.read()
    assert port.fileno() is None


def test_an_empty_read_means_unplugged(port: SerialPort, mocker: MockerFixture) -> None:
    port.read()
    mocker.patch("firmware_bridge.shoe.port.os.read", return_value=b"")
    with pytest.raises(OSError, match="was unplugged"):
        port.read()


def test_cards_over_a_pseudo_terminal_survive_a_pulled_cable(tmp_path: Path) -> None:
    shoe = SimShoe(boot_id=5)
    pty = PtyShoe(shoe, tmp_path / "shoe")
    rig = Rig(shoe=False)
    port = make_port("native", str(tmp_path / "shoe"))
    bridge = Bridge(Wiring(SimFactory(board=Board({}, 7, rig.clock.now_us)), {}, 7, port, rig.clock.now_us))

    def told(wanted: int) -> list[Event]:
        """Let both sides talk, 10 ms of the table's time at a turn, until so many events are told."""
        events: list[Event] = []
        for _ in range(500):
            pty.turn(rig.clock.at_us)
            select.select([fd for fd in (port.fileno(), pty.fileno()) if fd is not None], [], [], 0.01)
            events += bridge.read(rig.clock.at_us)
            rig.clock.at_us += 10_000
            if len(events) >= wanted:
                break
        return events

    try:
        assert told(1) == [ShoeFound(5, 1)]
        shoe.deal("KD", rig.clock.at_us)
        assert told(1) == [CardScanned("KD", False, 1)]
        bridge.acknowledge(5, 2)
        shoe.unplug()
        shoe.deal("QS^", rig.clock.at_us)
        assert told(1) == [ShoeLost()]
        shoe.replug()
        assert told(2) == [ShoeFound(5, 2), CardScanned("QS", True, 2)]
    finally:
        bridge.close()
        pty.close()


def test_a_driver_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ShoeDriverError, match="'angel_eye' is not known; allowed: native"):
        make_port("angel_eye", "/dev/null")
    assert isinstance(make_port("native", "/dev/null"), SerialPort)
