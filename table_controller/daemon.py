"""What a process that runs for months tells its system: JSON on its output, and to systemd its health."""

from __future__ import annotations

import logging
import os
import resource
import socket
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

FILES = 65_536


class _JsonFormatter(logging.Formatter):
    """One JSON object a line; the log never holds what the journal does not."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        line: dict[str, Any] = {
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def software_version() -> str:
    """The version of the program, as the package knows it."""
    try:
        return version("table-controller")
    except PackageNotFoundError:
        return "0+source"


def log_to_output() -> None:
    """From now on every line of the log is JSON on standard output."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(_JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def many_files() -> None:
    """Take as many descriptors as the system gives: a thousand idle connections must stop nothing."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def notify(text: str) -> None:
    """Tell systemd (`READY=1`, `WATCHDOG=1`, `STOPPING=1`); without it there is nobody to tell."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as system:
        system.connect("\0" + address[1:] if address.startswith("@") else address)
        system.send(text.encode())
