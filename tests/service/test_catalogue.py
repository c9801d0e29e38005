"""The documents of the messages: made from the types, and true of everything that a table says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import zmq
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import hw_sim.client
from firmware_bridge.lines import LinesView
from hw_sim.performance import Performance, Record
from hw_sim.pins import SimFactory
from hw_sim.plays import App, JumpClock, JumpStage, build_service, read_plays
from hw_sim.shoe import LocalPort
from table_controller.catalogue.asyncapi import asyncapi_text
from table_controller.catalogue.schema import schema_text
from table_controller.config import load_table
from table_controller.table import messages as m
from table_controller.table.roles import ROLES
from tests.table.test_step import SAMPLES

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMA: Final = json.loads(schema_text(LinesView))
ASKS: Final = SCHEMA["$defs"]["Question"]["properties"]["ask"]["enum"]
MAX: Final = 2**53 - 1
WAIT_MS: Final = 5_000
# Together they say most of what a table can say: awards, decisions, doubts, voids, faults and a power cut.
PLAYS: Final = (
    "cards/at-lock-three-awards.toml",
    "cards/fixed-from-meter-waiting-rejected.toml",
    "cards/frame-lost-and-power.toml",
    "cards/extra-hand-discarded-card-by-card.toml",
    "cards/fault-after-lock-void-and-award.toml",
    "bets/blinking-lamp.toml",
    "bets/decision-over-then-removed.toml",
)
FILES: Final[dict[str, Callable[[type[msgspec.Struct]], str]]] = {
    "schema": schema_text,
    "asyncapi": asyncapi_text,
}

Json = dict[str, Any]


def closed(place: Any) -> Any:
    """The same schema without room for a key that it does not name, to find what is not described."""
    if isinstance(place, list):
        return [closed(inner) for inner in place]
    if not isinstance(place, dict):
        return place
    made = {name: closed(inner) for name, inner in place.items()}
    if made.get("type") == "object" and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def judge(group: str, schema: Json = SCHEMA) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{group}", "$defs": schema["$defs"]})


CLOSED: Final = closed(SCHEMA)
MESSAGES, REQUESTS, ANSWERS = (judge(group, CLOSED) for group in ("Messages", "Requests", "Answers"))


def wrongs(validator: Draft202012Validator, text: Any) -> list[str]:
    """What is wrong with a text, as deep as the schema can tell."""
    return [
        f"{inner.json_path}: {inner.message}"
        for error in validator.iter_errors(text)
        for inner in (error.context or [error])
    ]


# ------------------------------------------------------------------------------------------ the files


@pytest.mark.parametrize("name", FILES)
def test_the_file_says_what_the_types_say(name: str) -> None:
    path = ROOT / "deploy" / "messages" / f"{name}.json"
    anew = "write it anew: .venv/bin/python -m tests.service.test_catalogue"
    assert path.read_text("utf-8") == FILES[name](LinesView), f"{path} is not what the types say; {anew}"


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_event_command_and_fact_is_described() -> None:
    for group, union in (("Events", m.AnyEvent), ("Commands", m.AnyCommand), ("Facts", m.AnyFact)):
        named = {ref["$ref"].rpartition("/")[2] for ref in SCHEMA["$defs"][group]["oneOf"]}
        assert named == {kind.__name__ for kind in union.__args__}
        assert all(SCHEMA["$defs"][name]["description"] for name in named)


def whole_numbers(place: Any) -> Iterator[Json]:
    if isinstance(place, dict):
        if place.get("type") == "integer":
            yield place
        for inner in place.values():
            yield from whole_numbers(inner)
    elif isinstance(place, list):
        for inner in place:
            yield from whole_numbers(inner)


def test_no_whole_number_is_larger_than_a_browser_reads_exactly() -> None:
    bounds = [(place["minimum"], place["maximum"]) for place in whole_numbers(SCHEMA)]
    assert len(bounds) > 100
    assert all(-MAX <= least <= most <= MAX for least, most in bounds)


@pytest.mark.parametrize("name", FILES)
def test_every_reference_leads_somewhere(name: str) -> None:
    document = json.loads(FILES[name](LinesView))

    def look(place: Any) -> int:
        if isinstance(place, list):
            return sum(map(look, place))
        if not isinstance(place, dict):
            return 0
        if isinstance(place.get("$ref"), str):
            target = document
            for step in place["$ref"].removeprefix("#/").split("/"):
                target = target[step]
        return sum(map(look, place.values())) + ("$ref" in place)

    assert look(document) > 100


def test_both_documents_have_the_same_schemas() -> None:
    asyncapi = FILES["asyncapi"](LinesView).replace("#/components/schemas/", "#/$defs/")
    assert json.loads(asyncapi)["components"]["schemas"] == SCHEMA["$defs"]


def test_each_message_of_the_asyncapi_document_has_a_real_example() -> None:
    messages = json.loads(asyncapi_text(LinesView))["components"]["messages"]
    assert {"state", "fact", "meter", "alarm", "heartbeat", "CommandRequest", "Question"} < set(messages)
    without = {name for name, message in messages.items() if not message.get("examples")}
    # What stands on the wires is told by a running table only.
    assert without <= {"LinesAnswer"}
    for message in messages.values():
        validator = judge(message["payload"]["$ref"].rpartition("/")[2], CLOSED)
        for example in message.get("examples", ()):
            assert wrongs(validator, example["payload"]) == []


def test_every_example_is_what_it_is_an_example_of() -> None:
    shown = {name: kind["examples"] for name, kind in CLOSED["$defs"].items() if "examples" in kind}
    assert {"RoundSettled", "HitRecorded", "MeterReset", "SetAmount", "CardScanned"} < set(shown)
    for name, examples in shown.items():
        assert wrongs(judge(name, CLOSED), examples[0]) == [], name


# ----------------------------------------------------------------------------- what a table says and is asked


class Listener:
    """A table in this process, everything it published and everything it answered, as it came."""

    def __init__(self, folder: Path, house_rules: str, record: Record) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._heard = context.socket(zmq.SUB)
        self._heard.subscribe(b"")
        self.asker = context.socket(zmq.DEALER)
        self.published: list[tuple[str, Json]] = []
        self.stage = JumpStage(folder, house_rules, record.take, self._build)

    def _build(self, table: Path, clock: JumpClock, factory: SimFactory, port: LocalPort) -> App:
        made = build_service(table, clock, factory, port)
        config = load_table(table)
        self._heard.connect(config.state_endpoint)
        self.asker.connect(config.commands_endpoint)
        return made

    def take(self) -> None:
        while self._heard.poll(0):
            topic, text = self._heard.recv_multipart()
            self.published.append((topic.decode(), json.loads(text)))

    def ask(self, request: Json) -> Json:
        """The answer to one request, which must come."""
        self.asker.send(json.dumps(request).encode())
        assert self.stage.until(lambda: bool(self.asker.poll(0)), WAIT_MS), f"no answer to {request}"
        answer: Json = json.loads(self.asker.recv())
        return answer

    def close(self) -> None:
        self.stage.close()
        self._heard.close(0)
        self.asker.close(0)


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    listener = Listener(tmp_path, 'preset = "us_standard"\n', Record())
    yield listener
    listener.close()


def test_everything_that_played_rounds_publish_and_answer_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Json] = []
    decoded = hw_sim.client._decoded

    def decode(raw: bytes, what: str) -> Json:
        found: Json = decoded(raw, what)
        if what == "answer":
            answers.append(found)
        return found

    monkeypatch.setattr(hw_sim.client, "_decoded", decode)
    plays, unreadable = read_plays([str(ROOT / "tests" / "plays" / name) for name in PLAYS])
    assert unreadable == []
    published: list[tuple[str, Json]] = []
    for number, play in enumerate(plays):
        folder, record = tmp_path / str(number), Record()
        folder.mkdir()
        listener = Listener(folder, play.house_rules, record)
        try:
            assert Performance(play, listener.stage, record).run() == []
            listener.take()
        finally:
            listener.close()
        published += listener.published
    for topic, message in published:
        assert (topic, wrongs(MESSAGES, message)) == (message["type"], [])
    for answer in answers:
        assert wrongs(ANSWERS, answer) == []
    assert {topic for topic, _ in published} == {"state", "fact", "meter", "alarm", "heartbeat"}
    assert len({message["body"]["type"] for topic, message in published if topic == "fact"}) > 20
    assert {answer["ok"] for answer in answers} == {True, False}


@pytest.mark.parametrize(
    "question",
    [
        *({"ask": ask} for ask in ASKS if ask not in ("here", "gone")),
        {"ask": "here", "sign": "MAIN"},
        {"ask": "gone", "sign": "MAIN"},
    ],
    ids=lambda question: question["ask"],
)
def test_every_question_and_its_answer_are_described(listener: Listener, question: Json) -> None:
    request = {"v": 1, "id": "q-1", **question}
    assert wrongs(REQUESTS, request) == []
    answer = listener.ask(request)
    assert answer["ok"] is True, answer
    assert wrongs(ANSWERS, answer) == []


def request_of(said: m.Said, number: int) -> Json:
    command = msgspec.json.decode(msgspec.json.encode(said.command))
    asked = {"v": 1, "id": f"s-{number}", "command": command, "operator": said.operator}
    return asked | {"role": said.role, "reason": said.reason}


def test_every_word_of_the_table_is_described_and_its_description_is_taken(listener: Listener) -> None:
    said = [sample for sample in SAMPLES if isinstance(sample, m.Said)]
    assert {type(sample.command) for sample in said} == set(ROLES)
    for number, sample in enumerate(said):
        request = request_of(sample, number)
        assert wrongs(REQUESTS, request) == []
        if not isinstance(sample.command, m.CloseDay):
            answer = listener.ask(request)
            assert answer["seq"] > 0, f"what the schema allows was not taken in: {answer}"
            assert wrongs(ANSWERS, answer) == []


def test_every_event_is_described() -> None:
    events = judge("Events", CLOSED)
    for sample in SAMPLES:
        if not isinstance(sample, m.Said):
            assert wrongs(events, msgspec.json.decode(msgspec.json.encode(sample))) == []


# ------------------------------------------------------------------------------------------ what is wrong

ANTE: Final[Json] = {
    "v": 1,
    "id": "5c3a-1",
    "command": {"type": "SetAmount", "spot": "ante", "seat": 1, "cents": 1_000},
    "operator": "ann",
    "role": "dealer",
}
VOID: Final[Json] = ANTE | {"command": {"type": "VoidRound"}, "role": "supervisor", "reason": "misdeal"}


def ante(**fields: Any) -> Json:
    return ANTE | {"command": ANTE["command"] | fields}


def without(request: Json, *keys: str) -> Json:
    return {key: value for key, value in request.items() if key not in keys}


WRONG: Final[dict[str, Json]] = {
    "a version of the future": ANTE | {"v": 2},
    "an id with a blank": ANTE | {"id": "5c3a 1"},
    "no id": without(ANTE, "id"),
    "an unknown word": ANTE | {"command": {"type": "SetMeter", "cents": 1}},
    "an unknown key": ANTE | {"pin": "123456"},
    "an unknown key of a word": ante(colour="red"),
    "a missing key of a word": ANTE | {"command": {"type": "SetAmount", "spot": "ante", "seat": 1}},
    "half a cent": ante(cents=0.5),
    "an amount below nothing": ante(cents=-1),
    "an amount that a browser cannot read": ante(cents=2**53),
    "an amount as a text": ante(cents="10.00"),
    "an eighth seat": ante(seat=8),
    "seat 0 for a word about one seat": ante(seat=0),
    "an unknown spot": ante(spot="meter"),
    "nobody": ANTE | {"operator": ""},
    "no role": without(ANTE, "role"),
    "a role that nobody has": ANTE | {"role": "manager"},
    "a decision without a reason": without(VOID, "reason"),
    "a decision with a blank reason": VOID | {"reason": " "},
    "a reason that is a book": VOID | {"reason": "x" * 1_001},
    "a text of a word that is a book": ANTE
    | {"command": {"type": "ClearAlarm", "alarm": "x" * 201, "place": ""}},
    "a word and a question at once": ANTE | {"ask": "snapshot"},
    "neither": without(ANTE, "command"),
    "an unknown question": {"v": 1, "id": "q", "ask": "cards"},
    "a sign without a name": {"v": 1, "id": "q", "ask": "here"},
    "a sign that asks something else": {"v": 1, "id": "q", "ask": "snapshot", "sign": "MAIN"},
}


def test_what_the_wrong_ones_were_made_of_is_right() -> None:
    assert wrongs(REQUESTS, ANTE) == wrongs(REQUESTS, VOID) == []


@pytest.mark.parametrize("case", WRONG)
def test_what_the_schema_refuses_the_table_refuses_as_well(listener: Listener, case: str) -> None:
    assert not judge("Requests").is_valid(WRONG[case])
    answer = listener.ask(WRONG[case])
    assert (answer["ok"], answer["seq"]) == (False, 0)


def change_of(message: Json, path: str, value: Any) -> Json:
    made = deepcopy(message)
    *way, last = path.split(".")
    place: Any = made
    for step in way:
        place = place[int(step) if step.isdecimal() else step]
    place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("type", "news"),
        ("seq", "1"),
        ("boot", 1.5),
        ("body.meter", 5_000_000),
        ("body.meter.cents", 2**53),
        ("body.light", "blue"),
        ("body.seats.0.ante.cents", "10.00"),
        ("body.seats.0.cards", "none"),
        ("body.dealer", None),
    ],
)
def test_a_wrong_state_is_refused_by_readers_that_tolerate_what_is_new(path: str, value: Any) -> None:
    state = SCHEMA["$defs"]["StateMessage"]["examples"][0]
    tolerant = judge("Messages")
    assert tolerant.is_valid(change_of(state, "body.news", 1)), "a message may learn a field"
    assert not tolerant.is_valid(change_of(state, path, value))


def test_a_state_that_lacks_something_is_refused() -> None:
    state = SCHEMA["$defs"]["StateMessage"]["examples"][0]
    for name in state["body"]:
        assert not judge("Messages").is_valid(state | {"body": without(state["body"], name)}), name


if __name__ == "__main__":
    for name, text in FILES.items():
        (ROOT / "deploy" / "messages" / f"{name}.json").write_text(text(LinesView), "utf-8")
