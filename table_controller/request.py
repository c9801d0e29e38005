"""One request of somebody to the table: its form, and what the key that it came with allows.

Whatever is wrong is a sentence that names the place, the value found and what is allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from table_controller.door import Knock
from table_controller.keys import PERSONAL, Key
from table_controller.table import messages as words
from table_controller.table.roles import ROLES, SUPERVISOR

VERSION = 1
MAX_REQUEST_BYTES = 64 * 1024
# JavaScript reads whole numbers exactly up to here.
_MAX_INT = 2**53 - 1
# No table has more seats; how many the asked one has, it knows itself and refuses the rest.
SEATS = 7
_MAX_NAME_LETTERS = 64
_MAX_REASON_LETTERS = 1_000
MAX_TEXT_LETTERS = 200

_encode = msgspec.json.encode

_Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.:-]{1,64}\Z")]
_Name = Annotated[str, msgspec.Meta(max_length=_MAX_NAME_LETTERS)]
_Reason = Annotated[str, msgspec.Meta(max_length=_MAX_REASON_LETTERS)]


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request as it is sent."""

    v: Literal[1]
    id: _Id
    command: words.AnyCommand | UnsetType = UNSET
    ask: (
        Literal["snapshot", "house", "offers", "lines", "here", "gone", "wrong_pin", "locked_out"] | UnsetType
    ) = UNSET
    sign: _Id | UnsetType = UNSET
    operator: _Name = ""
    role: words.Role | UnsetType = UNSET
    reason: _Reason = ""
    round: _Name = ""
    address: _Name = ""


class Request(msgspec.Struct, frozen=True):
    """One well-formed request: a command with who says it, or a question.

    `said` is None for a question: `ask` is then `snapshot`, `house` for what is fixed, `offers` for what is
    possible now, or `lines` for every wire as it is now. A gateway says `wrong_pin` or `locked_out` of whom
    it did not let in.
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
    turned_away: Knock | None = None
    """Whom a gateway did not let in, which is to be recorded."""

    @property
    def sender(self) -> str:
        """Whose ids these are: those of the key, or in one process of the operator."""
        return self.key or (self.said.operator if self.said else "")


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
_TURNED_AWAY: Final = ("wrong_pin", "locked_out")
# These words mean every seat by seat 0.
FOR_ALL_SEATS = (words.RepeatAmounts, words.DoubleAmounts, words.ClearAmounts)


class RequestRefused(Exception):
    """A sentence for the sender: the place in the request, what was found there, what is allowed."""

    def __init__(self, place: str, text: str, knock: Knock | None = None) -> None:
        super().__init__(f"{place}: {text}")
        self.place = place
        self.knock = knock
        """Set where a key does not allow what was asked."""
        self.id = ""
        """That of the request, as far as it could be read."""


def read_request(peer: bytes, frames: list[bytes], key_of: Callable[[], Key | None]) -> Request:
    """The request in the frames of one message; the key is looked up when the form is right.

    Raises `RequestRefused`.
    """
    request_id = ""
    try:
        body = _json_object(frames)
        request_id = _id_in(body)
        _check_keys(frames[0])
        return _request(peer, body, key_of())
    except RequestRefused as refused:
        refused.id = request_id
        raise


def _json_object(frames: list[bytes]) -> dict[str, Any]:
    if len(frames) != 1:
        raise RequestRefused("$", f"{len(frames)} frames were found; allowed: 1 frame of JSON.")
    if len(frames[0]) > MAX_REQUEST_BYTES:
        raise RequestRefused("$", f"{len(frames[0])} bytes were found; allowed: at most {MAX_REQUEST_BYTES}.")
    try:
        return msgspec.json.decode(frames[0], type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RequestRefused(
            "$", f"no JSON object was found ({error}); allowed: one object of JSON."
        ) from error


def _check_keys(text: bytes) -> None:
    """The text is read once more, because msgspec takes the last of two equal keys in silence."""
    try:
        json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError) as error:
        raise RequestRefused(
            "$", f"no JSON object was found ({error}); allowed: one object of JSON."
        ) from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RequestRefused("$", f"the key {_shown(key)} was found twice in one object; allowed: once.")
        found[key] = value
    return found


def _request(peer: bytes, body: dict[str, Any], key: Key | None) -> Request:
    try:
        wire = msgspec.convert(body, Wire)
    except msgspec.ValidationError as error:
        raise RequestRefused(*_complaint(str(error), body)) from error
    command = wire.command
    if wire.address and wire.ask not in _TURNED_AWAY:
        raise RequestRefused("$.address", f"it goes with {' and '.join(_TURNED_AWAY)} only.")
    if isinstance(command, UnsetType):
        if isinstance(wire.ask, UnsetType):
            raise RequestRefused("$", "neither `command` nor `ask` was found; allowed: one of them.")
        if isinstance(wire.sign, UnsetType) == (wire.ask in ("here", "gone")):
            raise RequestRefused(
                "$.sign", "a sign names itself with `here` and `gone`, and with no other question."
            )
        sign = str(wire.sign or "")
        if sign and key is not None and not _may_show(key, sign):
            text = f"{sign} was found; a sign shows under the name of its own key, of the role display."
            raise RequestRefused("$.sign", text, Knock("role", key.name, wire.ask))
        name = key.name if key else ""
        return Request(peer, wire.id, None, b"", wire.ask, sign, name, _turned_away(wire, key))
    if not isinstance(wire.ask, UnsetType):
        raise RequestRefused("$", "both `command` and `ask` were found; allowed: one of them.")
    if key is not None:
        wire = _under_key(wire, key, type(command).__name__)
    said = _said(command, wire)
    if key is not None:
        said = msgspec.structs.replace(said, key=key.name)
    return Request(peer, wire.id, said, sha256(_encode(said)).digest(), key=key.name if key else "")


def _may_show(key: Key, sign: str) -> bool:
    """Whether a key may say of a sign that it shows: its own, or any that a gateway has recognised."""
    return key.role == "gateway" or (key.role == "display" and key.name == sign)


def _turned_away(wire: Wire, key: Key | None) -> Knock | None:
    """Whom a gateway has turned away at a page of its own; None for every other question."""
    if wire.ask not in _TURNED_AWAY:
        return None
    if key is not None and key.role != "gateway":
        text = (
            f"{_shown(wire.ask)} was found; the key {key.name} is of the role {key.role}; allowed: gateway."
        )
        raise RequestRefused("$.ask", text, Knock("role", key.name, wire.ask))
    for place, text in (("$.operator", wire.operator), ("$.address", wire.address)):
        if not text.isprintable():
            raise RequestRefused(place, f"{_shown(text)} was found; allowed: letters on one line.")
    return Knock(wire.ask, wire.operator, f"PIN at {key.name if key else 'a page'}", wire.address)


def _under_key(wire: Wire, key: Key, word: str) -> Wire:
    """The request as its key allows it: a person speaks under his own name and in no higher role."""
    if key.role == "gateway":
        return wire
    if key.role not in PERSONAL:
        text = f"the key {key.name} is of the role {key.role} and says nothing; allowed: {', '.join(SPEAK)}."
        raise RequestRefused("$.role", text, Knock("role", key.name, word))
    if wire.operator not in ("", key.name):
        text = f"{_shown(wire.operator)} was found; the key is {key.name}'s, who speaks for nobody else."
        raise RequestRefused("$.operator", text, Knock("operator", key.name, word))
    role = key.role if isinstance(wire.role, UnsetType) else wire.role
    if role == "supervisor" and key.role == "dealer":
        text = f"`supervisor` was found; the key {key.name} is a dealer's."
        raise RequestRefused("$.role", text, Knock("role", key.name, word))
    return msgspec.structs.replace(wire, operator=key.name, role=role)


def _said(command: words.AnyCommand, wire: Wire) -> words.Said:
    """The command with who said it; refused without a role or a reason that it needs, or for a number."""
    name = type(command).__name__
    if not wire.operator.strip() or not wire.operator.isprintable():
        raise RequestRefused("$.operator", _sentence(wire.operator, _ALLOWED["$.operator"]))
    allowed = ROLES.get(type(command), frozenset())
    role = wire.role
    if isinstance(role, UnsetType) or not allowed:
        found = "nothing" if isinstance(role, UnsetType) else f"`{role}`"
        raise RequestRefused(
            "$.role", f"{found} was found; {name} may be said by: {', '.join(sorted(allowed))}."
        )
    # A role that may not say it is refused by the table, so that the try is in the journal.
    if allowed == SUPERVISOR and role in allowed and not wire.reason.strip():
        raise RequestRefused("$.reason", f"{_shown(wire.reason)} was found; {name} needs a reason.")
    for place, text in (("$.reason", wire.reason), ("$.round", wire.round)):
        if not text.isprintable():
            raise RequestRefused(place, f"{_shown(text)} was found; allowed: letters on one line.")
    for field in command.__struct_fields__:
        value = getattr(command, field)
        if isinstance(value, int):
            _check_number(command, field, value)
        elif isinstance(value, str) and (len(value) > MAX_TEXT_LETTERS or not value.isprintable()):
            short = f"at most {MAX_TEXT_LETTERS} letters on one line"
            raise RequestRefused(f"$.command.{field}", _sentence(value, short))
    return words.Said(command, wire.operator, role, wire.reason, wire.round)


def _check_number(command: words.AnyCommand, field: str, value: int) -> None:
    least, most, allowed = 0, _MAX_INT, f"0 to {_MAX_INT}"
    if field == "seat":
        least, most, allowed = 1, SEATS, f"seats 1 to {SEATS}"
        if isinstance(command, FOR_ALL_SEATS):
            least, allowed = 0, f"{allowed}, and 0 for all"
        elif isinstance(command, words.TrySeat):
            least, allowed = 0, f"{allowed}, and 0 for none"
    if not least <= value <= most:
        raise RequestRefused(f"$.command.{field}", _sentence(value, allowed))


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
    model: Any = Wire
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
    path, found, model = "$", body, Wire
    if not set(body) - set(Wire.__struct_encode_fields__):
        path, found, model = "$.command", body["command"], _model_below(Wire, "command", body)
    fields = [*["type"][: issubclass(model, words.Command)], *model.__struct_encode_fields__]
    key = next(key for key in found if key not in fields)
    return path, f"the key {_shown(key)} was found; allowed: {', '.join(fields)}."


def _sentence(found: Any, allowed: str, absent: bool = False) -> str:
    return f"{'nothing' if absent else _shown(found)} was found; allowed: {allowed}."


def _model_below(model: Any, name: str, found: Any) -> Any:
    """The type of a field, that of a command by its tag; None where nothing more is known."""
    if model is Wire and name == "command":
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
