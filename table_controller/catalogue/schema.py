"""The JSON Schema (2020-12) of every message, request, answer, event, command and fact.

It is made from the types that the program itself reads and writes, so that it says what is so. What is
published is described as open, because a message may learn a field; what is asked is closed, as the table
refuses a key that it does not know. Whole numbers stay within what JavaScript reads exactly.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal, Union, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from table_controller import commands as wire
from table_controller import publisher, request
from table_controller.catalogue.day import BODIES, Json, examples, topic_name
from table_controller.table import messages as m
from table_controller.table.offers import Offer
from table_controller.table.roles import ROLES, SUPERVISOR
from table_controller.table.views import HouseView

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
LARGEST: Final = 2**53 - 1
"""JavaScript reads whole numbers exactly up to here."""
TITLE: Final = "Messages of the table controller"

_GROUPS: Final = {
    "Events": (m.AnyEvent, "What the world says happened; the journal has it, and nobody publishes it."),
    "Commands": (m.AnyCommand, "What a person may ask of the table."),
    "Facts": (m.AnyFact, "What the table decides."),
}
_FIELDS: Final = {
    "v": "The version of this vocabulary.",
    "table": "The name of the table.",
    "boot": "The number of this start of the table.",
    "seq": "The number of the entry in the journal. What comes later has a larger (boot, seq).",
    "at_ms": "The table's own time, ms; it never runs backwards and stands still while the table is down.",
    "synced": "Whether the table's clock can be believed.",
    "ok": "Whether it was taken; if not, `error` says why.",
    "error": "A sentence for the person who asked.",
    "id": "Made by the asker and kept until the answer comes. The same id again has no second effect.",
    "operator": "Who says it; under a key that belongs to one person, the name of that key.",
    "reason": "Why; a supervisor's word needs one.",
    "round": "The round it is about; empty: the current one. It is refused if the table is at another one.",
    "sign": "The name of the sign that says `here` at least every second, or that it is `gone`.",
    "head": "The SHA-256 over the journal up to an entry, hexadecimal; empty while none may be told.",
}
"""What the keys around a message mean; the rest says its own type."""


def schema_text(lines: type[Struct]) -> str:
    """The JSON Schema, as the file is written; `lines` is the type of the wires' view (`ask: lines`)."""
    defs = definitions(lines)
    found = {
        "$schema": DIALECT,
        "$id": f"urn:table-controller:messages:{publisher.VERSION}",
        "title": TITLE,
        "description": (
            "Every text on the two sockets of a table. Messages are published, requests are asked and "
            "answers come back. Events stand in the journal only."
        ),
        "oneOf": [{"$ref": f"#/$defs/{group}"} for group in ("Messages", "Requests", "Answers")],
        "$defs": defs,
    }
    return written(found)


def definitions(lines: type[Struct]) -> dict[str, Json]:
    """Every type by its name, and the groups they belong to."""
    messages = [_message_type(topic) for topic in BODIES]
    requests = [_command_request(), _question()]
    answers = list(_answer_types(lines))
    kinds = [*messages, *requests, *answers, m.Said, *(union for union, _ in _GROUPS.values())]
    _, found = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for kind in _structs(kinds):
        _finish(kind, found[kind.__name__])
    _finish_requests(found["CommandRequest"], found["Question"])
    for name, example in examples().items():
        found[name]["examples"] = [example]
    groups = {
        "Messages": _one_of(messages, "What the table publishes."),
        "Requests": _one_of(requests, "What is asked of the table."),
        "Answers": _one_of(answers, "What the table answers to the one who asked."),
        **{name: _one_of(get_args(union), what) for name, (union, what) in _GROUPS.items()},
    }
    return groups | dict(sorted(found.items()))


def _one_of(kinds: Iterable[type], what: str) -> Json:
    return {"description": what, "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds]}


def names(defs: dict[str, Json], *groups: str) -> list[str]:
    """The types of these groups, in their order."""
    return [ref["$ref"].rpartition("/")[2] for group in groups for ref in defs[group]["oneOf"]]


@lru_cache
def _message_type(topic: str) -> type[Struct]:
    """The envelope of one topic, with what is in it."""
    body, what = BODIES[topic]
    exact = {"v": Literal[publisher.VERSION], "type": Literal[topic], "body": body}
    return _narrowed(publisher._Envelope, topic_name(topic), what, exact)


def _answer_types(lines: type[Struct]) -> Iterator[type[Struct]]:
    """Whatever the table answers: each type of the command socket that repeats an id and says `ok`."""
    inside = {
        "offers": tuple[Offer, ...],
        "lines": lines,
        "house": HouseView,
        "state": _message_type("state"),
    }
    for name, kind in vars(wire).items():
        if not (isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == wire.__name__):
            continue
        if {"v", "id", "ok"} <= set(kind.__struct_fields__):
            raw = [field for field, hint in get_type_hints(kind).items() if hint is msgspec.Raw]
            exact = {"v": Literal[request.VERSION]} | {field: inside[field] for field in raw}
            called = name.strip("_").removesuffix("Answer") + "Answer"
            about = f"The answer to the question `{raw[0]}`." if raw else "What became of a request."
            yield _narrowed(kind, called, about, exact)


_OF_QUESTIONS: Final = ("ask", "sign", "address")


def _command_request() -> type[Struct]:
    hints = {name: _told(hint) for name, hint in _asked().items() if name not in _OF_QUESTIONS}
    needed = [(name, hints.pop(name)) for name in ("v", "id", "command", "operator", "role")]
    return msgspec.defstruct(
        "CommandRequest",
        [*needed, *((name, hint, "") for name, hint in hints.items())],
        namespace={"__doc__": "A command and who says it."},
        forbid_unknown_fields=True,
    )


def _question() -> type[Struct]:
    hints = {name: _told(hint) for name, hint in _asked().items()}
    needed = [(name, hints[name]) for name in ("v", "id", "ask")]
    return msgspec.defstruct(
        "Question",
        [*needed, *((name, hints[name] | UnsetType, UNSET) for name in ("sign", "operator", "address"))],
        namespace={
            "__doc__": "A question; it changes nothing. A sign says with it that it is there, and a gateway "
            "whom it did not let in."
        },
        forbid_unknown_fields=True,
    )


def _asked() -> Json:
    return get_type_hints(request.Wire, include_extras=True)


def _told(hint: Any) -> Any:
    """The type of a key where it is not left out."""
    told = tuple(arg for arg in get_args(hint) if arg is not UnsetType)
    return Union[told] if UnsetType in get_args(hint) else hint  # noqa: UP007 - made of what is found


def _narrowed(kind: type[Struct], name: str, what: str, exact: Json) -> type[Struct]:
    """The same type under a name for everybody, where some keys have a type that says more."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(kind):
        hint = exact.get(field.name, field.type)
        fields.append((field.encode_name, hint, *([] if field.required else [field.default])))
    omit = kind.__struct_config__.omit_defaults
    return msgspec.defstruct(name, fields, namespace={"__doc__": what}, omit_defaults=omit)


def _structs(kinds: Iterable[Any]) -> list[type[Struct]]:
    """Every structure that can be met in these types, each once."""
    found: dict[str, type[Struct]] = {}

    def look(hint: Any) -> None:
        for arg in get_args(hint):
            look(arg)
        if isinstance(hint, type) and issubclass(hint, Struct) and hint.__name__ not in found:
            found[hint.__name__] = hint
            for inner in get_type_hints(hint).values():
                look(inner)

    for kind in kinds:
        look(kind)
    return list(found.values())


def _finish(kind: type[Struct], found: Json) -> None:
    """Add to a schema what its type alone does not say."""
    documents = _FIELDS | _field_documents(kind.__module__).get(kind.__name__, {})
    asked = issubclass(kind, m.Command) or kind.__struct_config__.forbid_unknown_fields
    if issubclass(kind, m.Fact) or not asked:
        found.pop("additionalProperties", None)
        if not kind.__struct_config__.omit_defaults:
            # Whatever has a value is written, so a reader may rely on it.
            left_out = {f.encode_name for f in msgspec.structs.fields(kind) if f.default is UNSET}
            found["required"] = [name for name in found["properties"] if name not in left_out]
    if "description" in found:
        found["description"] = _flowing(found["description"])
    for name, place in found["properties"].items():
        if name in documents and "$ref" not in place:
            place["description"] = _flowing(documents[name])
        if issubclass(kind, m.Command):
            _bound_command(kind, name, place)
    _tidy(found)


def _bound_command(kind: type[m.Command], name: str, place: Json) -> None:
    """What the command socket refuses before the table is asked (`commands`)."""
    if place.get("type") == "integer":
        for_all = kind in request.FOR_ALL_SEATS or kind is m.TrySeat
        place["minimum"] = 1 if name == "seat" and not for_all else 0
        place["maximum"] = request.SEATS if name == "seat" else LARGEST
    elif place.get("type") == "string":
        place["maxLength"] = request.MAX_TEXT_LETTERS


def _finish_requests(command: Json, question: Json) -> None:
    """The rules between the keys of a request."""
    command["properties"]["operator"]["minLength"] = 1
    needs = sorted(kind.__name__ for kind, roles in ROLES.items() if roles == SUPERVISOR)
    word = {"properties": {"command": {"properties": {"type": {"enum": needs}}}}}
    supervisor = {"properties": {"role": {"enum": ["supervisor"]}}}
    command["if"] = {"allOf": [word, supervisor]}
    command["then"] = {"required": ["reason"], "properties": {"reason": {"pattern": r"\S"}}}
    question["allOf"] = [
        _only_with("sign", ["gone", "here"]) | {"then": {"required": ["sign"]}},
        _only_with("address", ["locked_out", "wrong_pin"]),
        _only_with("operator", ["locked_out", "wrong_pin"]),
    ]


def _only_with(key: str, asks: list[str]) -> Json:
    """A key that goes with these questions and no other."""
    return {"if": {"properties": {"ask": {"enum": asks}}}, "else": {"not": {"required": [key]}}}


def _tidy(place: Any) -> None:
    """Words that every reader of a schema understands alike, in every place below."""
    for inner in place.values() if isinstance(place, dict) else place if isinstance(place, list) else ():
        _tidy(inner)
    if not isinstance(place, dict):
        return
    # It is a word of OpenAPI, and means something else in AsyncAPI.
    place.pop("discriminator", None)
    if place.get("type") == "integer":
        place.setdefault("minimum", -LARGEST)
        place.setdefault("maximum", LARGEST)
    if isinstance(place.get("pattern"), str):
        # Python's end of a text; in the schema's own patterns it would be the letter Z.
        place["pattern"] = place["pattern"].replace(r"\Z", "$")
    if "prefixItems" in place:
        first, *others = place.pop("prefixItems")
        if any(other != first for other in others):
            raise TypeError(f"places of different kinds in one list: {first}, {others}")
        place["items"] = first


def _flowing(text: str) -> str:
    """A docstring without the ends of its lines."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(text))


@lru_cache
def _field_documents(module: str) -> dict[str, dict[str, str]]:
    """The text below each field, by class and field, from the source."""
    found: dict[str, dict[str, str]] = {}
    for kind in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if not isinstance(kind, ast.ClassDef):
            continue
        for field, text in zip(kind.body, kind.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                match text:
                    case ast.Expr(ast.Constant(str() as said)):
                        found.setdefault(kind.name, {})[field.target.id] = said
    return found


def written(document: Json) -> str:
    """A document as its file has it."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
