"""The AsyncAPI 3.0 document: both sockets of a table with their messages, for tools that read such a file."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from table_controller import publisher
from table_controller.catalogue.day import BODIES, Json, topic_name
from table_controller.catalogue.schema import TITLE, definitions, names, written

_ABOUT: Final = (
    "A table of Caribbean Stud Poker speaks on two ZeroMQ sockets. On `state` it publishes its complete "
    "state, every fact it has decided and a heartbeat each half second; on `commands` it is asked, and "
    "answers. Publishing loses messages where a reader cannot keep up. A reader keeps the largest "
    "(boot, seq) that it has seen, drops what is older, and asks for the snapshot when a heartbeat is ahead "
    "of its state. "
    "Nothing is said before it is on the table's disk."
)
_STATE_CHANNEL: Final = (
    "XPUB; connect with SUB. A message is two frames: the topic (state, fact, meter, alarm, heartbeat) and "
    "the JSON text. Who subscribes to `state` is given the newest one at once."
)
_COMMANDS_CHANNEL: Final = (
    "ROUTER; connect with DEALER. A request is one frame of JSON of at most 64 KiB, and so is its answer. "
    "Where no answer comes, the same request is sent again under the same id: it has one effect at most."
)
_CURVE: Final = (
    "CURVE of ZeroMQ; there is no socket without it. The key file of a client has its pair, the public key "
    "of the table, its name and its role. `display` and `auditor` listen and ask; `dealer` and `supervisor` "
    "belong to one person each, who speaks under the name of the key; `gateway` speaks for people whom it "
    "has recognised itself."
)


def asyncapi_text(lines: type[Struct]) -> str:
    """The AsyncAPI document, as the file is written."""
    defs = definitions(lines)
    published = {topic: _message(topic, defs) for topic in BODIES}
    spoken = {name: _message(name, defs) for name in names(defs, "Requests", "Answers")}
    requests = names(defs, "Requests")
    found = {
        "asyncapi": "3.0.0",
        "info": {
            "title": TITLE,
            "version": f"{publisher.VERSION}.0.0",
            "description": _ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {name: _server(name) for name in ("state", "commands")},
        "channels": {
            "state": _channel("state", published, _STATE_CHANNEL),
            "commands": _channel("commands", spoken, _COMMANDS_CHANNEL),
        },
        "operations": {
            "publish": {
                "action": "send",
                "channel": {"$ref": "#/channels/state"},
                "summary": "What the table says to everybody.",
                "messages": [{"$ref": f"#/channels/state/messages/{topic}"} for topic in published],
            },
            "answer": {
                "action": "receive",
                "channel": {"$ref": "#/channels/commands"},
                "summary": "What is asked of the table, and its answer to the one who asked.",
                "messages": [{"$ref": f"#/channels/commands/messages/{name}"} for name in requests],
                "reply": {
                    "channel": {"$ref": "#/channels/commands"},
                    "messages": [
                        {"$ref": f"#/channels/commands/messages/{name}"} for name in names(defs, "Answers")
                    ],
                },
            },
        },
        "components": {
            "messages": published | spoken,
            "schemas": defs,
            "securitySchemes": {"curve": {"type": "asymmetricEncryption", "description": _CURVE}},
        },
    }
    return written(found).replace('"#/$defs/', '"#/components/schemas/')


def _server(name: str) -> Json:
    endpoint = {
        "default": f"{name}.sock",
        "description": f"`{name}` of [messages] in table.toml: a socket of this machine, or a host and port.",
    }
    return {
        "host": "{endpoint}",
        "protocol": "zmq",
        "description": f"The socket `{name}` of one table.",
        "variables": {"endpoint": endpoint},
        "security": [{"$ref": "#/components/securitySchemes/curve"}],
    }


def _channel(name: str, messages: dict[str, Json], what: str) -> Json:
    return {
        "address": None,
        "description": what,
        "servers": [{"$ref": f"#/servers/{name}"}],
        "messages": {called: {"$ref": f"#/components/messages/{called}"} for called in messages},
    }


def _message(name: str, defs: dict[str, Json]) -> Json:
    """One message: a topic, or a request or answer by the name of its type."""
    kind = topic_name(name) if name in BODIES else name
    made = {"name": name, "summary": defs[kind]["description"], "payload": {"$ref": f"#/$defs/{kind}"}}
    if examples := defs[kind].get("examples"):
        made["examples"] = [{"payload": example} for example in examples]
    return made
