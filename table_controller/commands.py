"""What people ask of the table: one ROUTER socket, every request checked, every request answered.

A request that is no command of ours, or that this role may not give, is answered at once with a
sentence that names the place, the value found and what is allowed; it never reaches the table.
A request above 64 KiB is refused like that. A frame above 1 MiB is never taken in: ZeroMQ cuts that
peer off without an answer, its own library connects again, and nobody else is disturbed.
Repeating a request is harmless: the same id of the same sender gets the stored answer
(ARCHITECTURE.md, The loop and A supervisor's word).
"""

from __future__ import annotations

import json
import logging
import re
from hashlib import sha256
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import zmq
from msgspec import UNSET, UnsetType

from table_controller.door import Door, Knock, bound, sender_of
from table_controller.keys import PERSONAL, Key
from table_controller.table import messages as words
from table_controller.table.roles import ROLES, SUPERVISOR

VERSION = 1
MAX_REQUEST_BYTES = 64 * 1024
# A peer that sends more than this at once is cut off by ZeroMQ before the memory is taken.
_MAX_FRAME_BYTES = 16 * MAX_REQUEST_BYTES
_QUEUE_LIMIT = 1_000
# JavaScript reads whole numbers exactly up to here.
_MAX_INT = 2**53 - 1
# No table has more seats; how many the asked one has, it knows itself and refuses the rest.
_SEATS = 7
_MAX_NAME_LETTERS = 64
_MAX_REASON_LETTERS = 1_000
_MAX_TEXT_LETTERS = 200

_log = logging.getLogger(__name__)
_encode = msgspec.json.encode

_Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.:-]{1,64}\Z")]
_Name = Annotated[str, msgspec.Meta(max_length=_MAX_NAME_LETTERS)]
_Reason = Annotated[str, msgspec.Meta(max_length=_MAX_REASON_LETTERS)]


class _Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    v: Literal[1]
    id: _Id
    command: words.AnyCommand | UnsetType = UNSET
    ask: Literal["snapshot", "house", "offers", "lines", "here", "gone"] | UnsetType = UNSET
    sign: _Id | UnsetType = UNSET
    operator: _Name = ""
    role: words.Role | UnsetType = UNSET
    reason: _Reason = ""
    round: _Name = ""


class _Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    v: int
    id: str
    ok: bool
    seq: int
    error: str = ""


class _Offers(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    offers: msgspec.Raw


class _Lines(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    lines: msgspec.Raw


class _House(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    house: msgspec.Raw


class _Snapshot(msgspec.Struct, frozen=True):
    v: int
    id: str
    ok: bool
    state: msgspec.Raw


# What is allowed at places where the type alone does not say it in a person's words.
_ALLOWED = {
    "$.id": "1 to 64 letters, digits and _ . : -",
    "$.command.type": ", ".join(sorted(kind.__name__ for kind in ROLES)),
    "$.operator": f"the name of a person, 1 to {_MAX_NAME_LETTERS} letters on one line",
    "$.reason": f"a text of at most {_MAX_REASON_LETTERS} letters",
    "$.sign": "1 to 64 letters, digits and _ . : -",
    "$.round": f"a text of at most {_MAX_NAME_LETTERS} letters",
}
_WORDS = {"`int`": "a whole number", "`str`": "a text", "`array`": "a list", "`object`": "an object"}
_TYPES = {int: "`int`", str: "`str`", tuple: "`array`"}
SPEAK = (*PERSONAL, "gateway")
"""Keys that may say something; every other one only asks."""
# These words mean every seat by seat 0.
_FOR_ALL_SEATS = (words.RepeatAmounts, words.DoubleAmounts, words.ClearAmounts)


class Request(msgspec.Struct, frozen=True):
    """One well-formed request: a command with who says it, or a question.

    `said` is None for a question: `ask` is then `snapshot`, `house` for what is fixed, `offers` for what is
    possible now, or `lines` for every wire as it is now.
    `sender` and `id` together name the request for ever; `body_hash` tells whether a repeated id asks
    for the same thing.
    """

    peer: bytes
    id: str
    said: words.Said | None
    body_hash: bytes
    ask: str = ""
    sign: str = ""
    """The sign that says `here` or `gone`."""
    key: str = ""
    """The name of the key that it came with; empty in one process."""

    @property
    def sender(self) -> str:
        """Whose ids these are: those of the key, or in one process of the operator."""
        return self.key or (self.said.operator if self.said else "")


class Commands:
    """The ROUTER socket of one table, used by the thread that decides."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str, door: Door | None = None
    ) -> None:
        """Bind to `endpoint`. Raises `zmq.ZMQError`.

        Without a `door` everybody is who he says: that is for a table in the same process only.
        """
        self._context, self._endpoint, self._door = context, endpoint, door
        self._tried: list[Knock] = []
        self.socket = self._bind()

    def _bind(self) -> zmq.Socket[bytes]:
        socket: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        socket.linger = 0
        socket.rcvhwm = _QUEUE_LIMIT
        socket.sndhwm = _QUEUE_LIMIT
        socket.maxmsgsize = _MAX_FRAME_BYTES
        return bound(socket, self._endpoint, self._door, "commands")

    def rebind(self) -> None:
        """Cut everybody off; whose key is in force comes back, and asks again what was not answered."""
        if self._door is not None:
            self._door.unguard(self.socket)
        self.socket.close(0)
        self.socket = self._bind()

    def take_tried(self) -> list[Knock]:
        """What was asked and not allowed by a key, since this was asked last."""
        tried, self._tried = self._tried, []
        return tried

    def drain(self, limit: int) -> list[Request]:
        """At most `limit` requests of those that have arrived; never blocks.

        What is refused here is answered here, with journal number 0: it is in no entry.
        """
        requests: list[Request] = []
        for _ in range(limit):
            try:
                frames = self.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                break
            request = self._read(frames[0].bytes, [frame.bytes for frame in frames[1:]], frames[-1])
            if request is not None:
                requests.append(request)
        return requests

    def answer(self, request: Request, ok: bool, seq: int, error: str = "") -> None:
        """Tell what became of a command, after the commit; `seq` is the number of its journal entry."""
        self._send(request.peer, _encode(_Answer(VERSION, request.id, ok, seq, error)))

    def answer_again(self, request: Request, body_hash: bytes, ok: bool, seq: int, error: str) -> None:
        """Answer a repeated id with what was stored; an id that was used for another command is refused."""
        if body_hash == request.body_hash:
            self.answer(request, ok, seq, error)
        else:
            text = f"$.id: `{request.id}` was another command's, entry {seq}; allowed: an id of its own."
            self.answer(request, False, seq, text)

    def answer_snapshot(self, request: Request, state: bytes) -> None:
        """Answer with the newest `state` envelope; before the first one there is nothing to show."""
        if state:
            self._send(request.peer, _encode(_Snapshot(VERSION, request.id, True, msgspec.Raw(state))))
        else:
            self.answer(
                request, False, 0, "$.ask: the table has not shown a state yet; allowed: to ask again."
            )

    def answer_offers(self, request: Request, offers: bytes) -> None:
        """Answer with the list of what can be done now, as JSON."""
        self._send(request.peer, _encode(_Offers(VERSION, request.id, True, msgspec.Raw(offers))))

    def answer_lines(self, request: Request, lines: bytes) -> None:
        """Answer with every wire as it is now, as JSON."""
        self._send(request.peer, _encode(_Lines(VERSION, request.id, True, msgspec.Raw(lines))))

    def answer_house(self, request: Request, house: bytes) -> None:
        """Answer with the rules, limits and program of the table, as JSON."""
        self._send(request.peer, _encode(_House(VERSION, request.id, True, msgspec.Raw(house))))

    def close(self) -> None:
        """Close the socket; answers that were not sent yet are dropped and can be asked for again."""
        self.socket.close(0)

    def _read(self, peer: bytes, frames: list[bytes], last: zmq.Frame) -> Request | None:
        request_id = ""
        try:
            body = _json_object(frames)
            request_id = _id_in(body)
            _check_keys(frames[0])
            return _request(peer, body, self._key_of(last))
        except _Refused as refused:
            if refused.knock is not None:
                self._tried.append(refused.knock)
            # The place only: a value may be a card or an amount that the journal does not hold.
            _log.warning("request %s refused at %s", request_id or "without an id", refused.place)
            self._send(peer, _encode(_Answer(VERSION, request_id, False, 0, str(refused))))
            return None

    def _key_of(self, frame: zmq.Frame) -> Key | None:
        """The key that a message came with, as the register has it at this moment."""
        if self._door is None:
            return None
        key = self._door.register.find(sender_of(frame))
        if key is None or key.revoked:
            # Its session is about to be cut; until then nothing that it says is taken.
            knock = Knock("revoked_key", key.name, "a request") if key else Knock("unknown_key")
            raise _Refused("$", "this key is not in force at this table.", knock)
        return key

    def _send(self, peer: bytes, text: bytes) -> None:
        # ROUTER drops what it cannot deliver: a peer that is gone asks again with the same id.
        self.socket.send_multipart((peer, text), zmq.NOBLOCK)


class _Refused(Exception):
    """A sentence for the sender: the place in the request, what was found there, what is allowed."""

    def __init__(self, place: str, text: str, knock: Knock | None = None) -> None:
        super().__init__(f"{place}: {text}")
        self.place = place
        self.knock = knock
        """Set where a key does not allow what was asked."""


def _json_object(frames: list[bytes]) -> dict[str, Any]:
    if len(frames) != 1:
        raise _Refused("$", f"{len(frames)} frames were found; allowed: 1 frame of JSON.")
    if len(frames[0]) > MAX_REQUEST_BYTES:
        raise _Refused("$", f"{len(frames[0])} bytes were found; allowed: at most {MAX_REQUEST_BYTES}.")
    try:
        return msgspec.json.decode(frames[0], type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _Refused("$", f"no JSON object was found ({error}); allowed: one object of JSON.") from error


def _check_keys(text: bytes) -> None:
    """The text is read once more, because msgspec takes the last of two equal keys in silence."""
    try:
        json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError) as error:
        raise _Refused("$", f"no JSON object was found ({error}); allowed: one object of JSON.") from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Refused("$", f"the key {_shown(key)} was found twice in one object; allowed: once.")
        found[key] = value
    return found


def _request(peer: bytes, body: dict[str, Any], key: Key | None) -> Request:
    try:
        wire = msgspec.convert(body, _Wire)
    except msgspec.ValidationError as error:
        raise _Refused(*_complaint(str(error), body)) from error
    command = wire.command
    if isinstance(command, UnsetType):
        if isinstance(wire.ask, UnsetType):
            raise _Refused("$", "neither `command` nor `ask` was found; allowed: one of them.")
        if isinstance(wire.sign, UnsetType) == (wire.ask in ("here", "gone")):
            raise _Refused(
                "$.sign", "a sign names itself with `here` and `gone`, and with no other question."
            )
        sign = str(wire.sign or "")
        if sign and key is not None and not _may_show(key, sign):
            text = f"{sign} was found; a sign shows under the name of its own key, of the role display."
            raise _Refused("$.sign", text, Knock("role", key.name, wire.ask))
        return Request(peer, wire.id, None, b"", wire.ask, sign, key.name if key else "")
    if not isinstance(wire.ask, UnsetType):
        raise _Refused("$", "both `command` and `ask` were found; allowed: one of them.")
    if key is not None:
        wire = _under_key(wire, key, type(command).__name__)
    said = _said(command, wire)
    if key is not None:
        said = msgspec.structs.replace(said, key=key.name)
    return Request(peer, wire.id, said, sha256(_encode(said)).digest(), key=key.name if key else "")


def _may_show(key: Key, sign: str) -> bool:
    """Whether a key may say of a sign that it shows: its own, or any that a gateway has recognised."""
    return key.role == "gateway" or (key.role == "display" and key.name == sign)


def _under_key(wire: _Wire, key: Key, word: str) -> _Wire:
    """The request as its key allows it: a person speaks under his own name and in no higher role."""
    if key.role == "gateway":
        return wire
    if key.role not in PERSONAL:
        text = f"the key {key.name} is of the role {key.role} and says nothing; allowed: {', '.join(SPEAK)}."
        raise _Refused("$.role", text, Knock("role", key.name, word))
    if wire.operator not in ("", key.name):
        text = f"{_shown(wire.operator)} was found; the key is {key.name}'s, who speaks for nobody else."
        raise _Refused("$.operator", text, Knock("operator", key.name, word))
    role = key.role if isinstance(wire.role, UnsetType) else wire.role
    if role == "supervisor" and key.role == "dealer":
        text = f"`supervisor` was found; the key {key.name} is a dealer's."
        raise _Refused("$.role", text, Knock("role", key.name, word))
    return msgspec.structs.replace(wire, operator=key.name, role=role)


def _said(command: words.AnyCommand, wire: _Wire) -> words.Said:
    """The command with who said it; refused without a role or a reason that it needs, or for a number."""
    name = type(command).__name__
    if not wire.operator.strip() or not wire.operator.isprintable():
        raise _Refused("$.operator", _sentence(wire.operator, _ALLOWED["$.operator"]))
    allowed = ROLES.get(type(command), frozenset())
    role = wire.role
    if isinstance(role, UnsetType) or not allowed:
        found = "nothing" if isinstance(role, UnsetType) else f"`{role}`"
        raise _Refused("$.role", f"{found} was found; {name} may be said by: {', '.join(sorted(allowed))}.")
    # A role that may not say it is refused by the table, so that the try is in the journal.
    if allowed == SUPERVISOR and role in allowed and not wire.reason.strip():
        raise _Refused("$.reason", f"{_shown(wire.reason)} was found; {name} needs a reason.")
    for place, text in (("$.reason", wire.reason), ("$.round", wire.round)):
        if not text.isprintable():
            raise _Refused(place, f"{_shown(text)} was found; allowed: letters on one line.")
    for field in command.__struct_fields__:
        value = getattr(command, field)
        if isinstance(value, int):
            _check_number(command, field, value)
        elif isinstance(value, str) and (len(value) > _MAX_TEXT_LETTERS or not value.isprintable()):
            short = f"at most {_MAX_TEXT_LETTERS} letters on one line"
            raise _Refused(f"$.command.{field}", _sentence(value, short))
    return words.Said(command, wire.operator, role, wire.reason, wire.round)


def _check_number(command: words.AnyCommand, field: str, value: int) -> None:
    least, most, allowed = 0, _MAX_INT, f"0 to {_MAX_INT}"
    if field == "seat":
        least, most, allowed = 1, _SEATS, f"seats 1 to {_SEATS}"
        if isinstance(command, _FOR_ALL_SEATS):
            least, allowed = 0, f"{allowed}, and 0 for all"
        elif isinstance(command, words.TrySeat):
            least, allowed = 0, f"{allowed}, and 0 for none"
    if not least <= value <= most:
        raise _Refused(f"$.command.{field}", _sentence(value, allowed))


def _id_in(body: dict[str, Any]) -> str:
    """The id of a request that is refused for something else, so that its sender knows which one."""
    try:
        return msgspec.convert(body.get("id", ""), _Id)
    except msgspec.ValidationError:
        return ""


def _complaint(error: str, body: dict[str, Any]) -> tuple[str, str]:
    """The place that msgspec found wrong, and a sentence with the value there and what is allowed."""
    if error.startswith("Object contains unknown field"):
        # The name is the sender's text and may look like a place, so it is not taken from the error.
        return _unknown_key(body)
    # Nothing of the sender stands behind the place.
    at = re.search(r" - at `(\$[^`]*)`$", error)
    what, path = (error[: at.start()], at[1]) if at else (error, "$")
    found: Any = body
    model: Any = _Wire
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        model = _model_below(model, name, found)
        found = found.get(name) if name else found[int(index)]
    if absent := re.fullmatch(r"Object missing required field `(\w+)`", what):
        path, model = f"{path}.{absent[1]}", _model_below(model, absent[1], found)
        what, found = _TYPES.get(get_origin(model) or model, "`str`"), None
    allowed = _ALLOWED.get(path) or _choices(model) or what.removeprefix("Expected ").partition(", got")[0]
    return path, _sentence(found, _WORDS.get(allowed, allowed), absent is not None)


def _unknown_key(body: dict[str, Any]) -> tuple[str, str]:
    """The first key that the request, or else its command, does not have."""
    path, found, model = "$", body, _Wire
    if not set(body) - set(_Wire.__struct_encode_fields__):
        path, found, model = "$.command", body["command"], _model_below(_Wire, "command", body)
    fields = [*["type"][: issubclass(model, words.Command)], *model.__struct_encode_fields__]
    key = next(key for key in found if key not in fields)
    return path, f"the key {_shown(key)} was found; allowed: {', '.join(fields)}."


def _sentence(found: Any, allowed: str, absent: bool = False) -> str:
    return f"{'nothing' if absent else _shown(found)} was found; allowed: {allowed}."


def _model_below(model: Any, name: str, found: Any) -> Any:
    """The type of a field, that of a command by its tag; None where nothing more is known."""
    if model is _Wire and name == "command":
        command = found[name]
        tag = command.get("type") if isinstance(command, dict) else None
        return next((kind for kind in ROLES if kind.__name__ == tag), None)
    if isinstance(model, type) and issubclass(model, msgspec.Struct):
        return get_type_hints(model).get(name)
    return None


def _choices(model: Any) -> str:
    """The values of a Literal, also inside a union."""
    values = [
        value for part in (model, *get_args(model)) if get_origin(part) is Literal for value in get_args(part)
    ]
    return ", ".join(map(str, values))


def _shown(value: Any) -> str:
    """A value as JSON, cut to a length that a screen can show."""
    try:
        text = _encode(value).decode()
    except (msgspec.MsgspecError, OverflowError, RecursionError, ValueError):
        text = "a value that is too large"
    return text if len(text) <= 80 else text[:77] + "..."
