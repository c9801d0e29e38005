"""The ports that are told before anybody listens there: they stay free for those who will."""

from __future__ import annotations

import errno
import socket
from typing import Final

import pytest

from hw_sim import pages

# A socket takes its port from such a range of its own (Linux 6.3 and later).
PORT_RANGE: Final = 51


def taken_by_chance(port: int) -> socket.socket:
    """What the computer gives to somebody who asks for any port of those from `port` to `port`."""
    one = socket.socket()
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.setsockopt(socket.IPPROTO_IP, PORT_RANGE, (port | port << 16).to_bytes(4, "little"))
        one.bind(("127.0.0.1", 0))
    except OSError as problem:
        one.close()
        if problem.errno == errno.ENOPROTOOPT:
            pytest.skip("this kernel is older than 6.3")
        raise
    return one


def test_a_port_that_was_told_is_given_to_nobody_else_and_its_server_can_listen_there() -> None:
    port = pages.free_port(0)
    with pytest.raises(OSError, match="in use"):
        taken_by_chance(port)
    with socket.create_server(("127.0.0.1", port)) as server:
        assert server.getsockname()[1] == port
        assert pages.free_port(port) != port, "somebody listens there now"
