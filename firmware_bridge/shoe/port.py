"""The serial port of the shoe: bytes, and OSError when it is gone. Nothing here waits."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import termios
from typing import Final, Protocol

import serial

DRIVERS: Final = ("native",)
CHUNK: Final = 4096
# What the kernel calls the far side of a pseudo-terminal: its device numbers, wherever it is mounted.
PSEUDO_TERMINALS: Final = range(136, 144)


class Port(Protocol):
    """What the bridge needs of a port. The simulator in one process puts its own in this place."""

    def fileno(self) -> int | None:
        """The descriptor that becomes readable when bytes arrive; None while closed, or if there is none."""

    def read(self) -> bytes:
        """What has arrived, possibly nothing. Opens the port if it is closed. OSError: it is gone."""

    def write(self, data: bytes) -> None:
        """Send what the port takes at once, drop the rest: the link repeats. OSError: it is gone."""

    def close(self) -> None:
        """Let go of the port; a later `read` opens it anew."""


class ShoeDriverError(Exception):
    """The configuration names a shoe driver that does not exist."""


def make_port(driver: str, path: str) -> Port:
    """The port of the shoe at `path`, for the driver named in table.toml."""
    if driver not in DRIVERS:
        raise ShoeDriverError(f"shoe driver {driver!r} is not known; allowed: {', '.join(DRIVERS)}")
    return SerialPort(path)


class SerialPort:
    """A serial line, 115200 8N1, opened by its stable name for this process alone.

    After an unplug the old descriptor must be closed before the device comes back, or the kernel
    gives it another name; so every error closes it at once.
    """

    def __init__(self, path: str) -> None:
        self._path: Final = path
        self._serial: serial.Serial | None = None
        self._fd = -1

    def fileno(self) -> int | None:
        """The descriptor of the open port, or None."""
        return None if self._serial is None else self._fd

    def read(self) -> bytes:
        """What has arrived; opens the port if it is closed."""
        if self._serial is None:
            self._open()
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as problem:
            self.close()
            raise OSError(f"{self._path} cannot be read: {_reason(problem)}") from problem
        if not data:
            self.close()
            raise OSError(f"{self._path} was unplugged")
        return data

    def write(self, data: bytes) -> None:
        """Send without waiting; a closed port is an error."""
        if self._serial is None:
            raise OSError(f"{self._path} is not open")
        try:
            os.write(self._fd, data)
        except BlockingIOError:
            pass  # A shoe that does not listen loses the frame, as on a bad line.
        except OSError as problem:
            self.close()
            raise OSError(f"{self._path} cannot be written: {_reason(problem)}") from problem

    def close(self) -> None:
        """Let go of the port."""
        port, self._serial = self._serial, None
        if port is not None:
            with contextlib.suppress(OSError, termios.error):
                port.close()

    def _open(self) -> None:
        port = serial.Serial(port=None, baudrate=115200, timeout=0, write_timeout=0, exclusive=True)
        # Raising DTR resets some boards, and with them the memory of the shoe.
        port.dtr = False
        port.port = self._path
        try:
            port.open()
            self._tune(port.fd)
        except (OSError, termios.error, ValueError) as problem:
            with contextlib.suppress(OSError, termios.error):
                port.close()
            # pyserial also raises termios.error here, which is not an OSError.
            raise OSError(f"{self._path} cannot be opened: {_reason(problem)}") from problem
        with contextlib.suppress(OSError, ValueError, NotImplementedError, termios.error):
            # An FTDI chip otherwise keeps bytes back for 16 ms; not every port has this setting.
            port.set_low_latency_mode(True)
        self._serial = port
        self._fd = port.fd

    def _tune(self, fd: int) -> None:
        """What pyserial does not do.

        No second user at all, no reset of the shoe by hanging up, and an empty read that means
        "unplugged" and never "nothing yet".
        """
        # On a pseudo-terminal this would outlive the process as long as the far end is open, and then
        # shut out the next one. There the lock that pyserial takes has to do: it ends with its holder.
        if os.major(os.fstat(fd).st_rdev) not in PSEUDO_TERMINALS:
            fcntl.ioctl(fd, termios.TIOCEXCL)
        settings = termios.tcgetattr(fd)
        settings[2] &= ~termios.HUPCL
        settings[6][termios.VMIN] = 1
        settings[6][termios.VTIME] = 0
        termios.tcsetattr(fd, termios.TCSANOW, settings)


def _reason(problem: Exception) -> str:
    """The words of the operating system; pyserial wraps them in several ways, with its number first."""
    number = problem.args[0] if problem.args else None
    if number == errno.EWOULDBLOCK:
        return "another process uses it"
    return os.strerror(number) if isinstance(number, int) else str(problem)
