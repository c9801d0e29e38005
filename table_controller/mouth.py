"""One word to a running table from a terminal: the request is repeated with its id until answered."""

from __future__ import annotations

import uuid
from contextlib import closing, suppress

import msgspec
import zmq

from table_controller.door import REFUSED_WORDS, Refusals, use_key
from table_controller.keys import ClientKey, KeysRefused
from table_controller.table.messages import AnyCommand, Role

ATTEMPTS = 3
PATIENCE_MS = 1000


class Answer(msgspec.Struct, frozen=True):
    """What became of a command; `seq` is its journal entry, 0 if it was refused at the gate."""

    ok: bool
    seq: int
    error: str = ""


def say(
    endpoint: str,
    key: ClientKey | None,
    command: AnyCommand,
    operator: str,
    role: Role,
    reason: str,
    round_: str,
) -> Answer | None:
    """Ask the table at `endpoint`; None if nobody answers within a few seconds.

    Raises `KeysRefused` where the table does not let the key in.
    """
    request = {
        "v": 1,
        "id": str(uuid.uuid4()),
        "command": command,
        "operator": operator,
        "role": role,
        "reason": reason,
        "round": round_,
    }
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        use_key(socket, key)
        with closing(Refusals(socket)) as refusals:
            socket.connect(endpoint)
            return _asked(socket, refusals, request)


def _asked(socket: zmq.Socket[bytes], refusals: Refusals, request: dict[str, object]) -> Answer | None:
    for _ in range(ATTEMPTS):
        # The same id: a request whose answer was lost has no second effect. A socket that was refused
        # has nobody to send to, and would wait for ever.
        with suppress(zmq.Again):
            socket.send(msgspec.json.encode(request), zmq.NOBLOCK)
        if socket.poll(PATIENCE_MS):
            return msgspec.json.decode(socket.recv(), type=Answer)
        if refusals.heard():
            raise KeysRefused(REFUSED_WORDS)
    return None
