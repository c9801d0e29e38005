"""The client of a table against a scripted far end on real sockets: order, healing, repeated requests."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from hw_sim import client as client_module
from hw_sim.client import Json, TableClient, TableSilent, TooMuch, UnknownMessage

NAMES = itertools.count()
WAIT_MS = 2_000


class FarEnd:
    """The two sockets of a table, driven by hand."""

    def __init__(self) -> None:
        name = f"inproc://far-end-{next(NAMES)}"
        self.endpoints = (f"{name}-state", f"{name}-commands")
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self.sockets: list[zmq.Socket[bytes]] = [context.socket(kind) for kind in (zmq.XPUB, zmq.ROUTER)]
        for socket, endpoint in zip(self.sockets, self.endpoints, strict=True):
            socket.linger = 0
            socket.bind(endpoint)

    def publish(self, topic: str, boot: int, seq: int, body: Json) -> None:
        self.sockets[0].poll(0)
        raw = json.dumps(self.envelope(topic, boot, seq, body)).encode()
        self.sockets[0].send_multipart([topic.encode(), raw])

    def envelope(self, topic: str, boot: int, seq: int, body: Json) -> Json:
        return {"v": 1, "type": topic, "boot": boot, "seq": seq, "body": body}

    def request(self) -> tuple[bytes, Json]:
        assert self.sockets[1].poll(WAIT_MS), "the client asked nothing"
        sender, raw = self.sockets[1].recv_multipart()
        return sender, json.loads(raw)

    def asked(self) -> bool:
        return bool(self.sockets[1].poll(50))

    def reply(self, sender: bytes, answer: Json) -> None:
        self.sockets[1].send_multipart([sender, json.dumps({"v": 1, **answer}).encode()])

    def close(self) -> None:
        for socket in self.sockets:
            socket.close()


@pytest.fixture
def table() -> Iterator[FarEnd]:
    far_end = FarEnd()
    yield far_end
    far_end.close()


@pytest.fixture
def client(table: FarEnd) -> Iterator[TableClient]:
    near = TableClient(*table.endpoints)
    yield near
    near.close()


def acquaint(table: FarEnd, client: TableClient, boot: int = 1, seq: int = 5) -> None:
    """Answers the first question for the snapshot."""
    client.pump(0)
    sender, request = table.request()
    assert request["ask"] == "snapshot"
    state = table.envelope("state", boot, seq, {"phase": "idle"})
    table.reply(sender, {"id": request["id"], "ok": True, "state": state})
    client.pump(WAIT_MS)


def in_background(act: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(act()))
    thread.start()
    return thread, results


def test_a_newcomer_asks_for_the_snapshot(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client)
    assert client.order == (1, 5)
    assert client.state == {"phase": "idle"}


def test_before_the_first_snapshot_nothing_is_claimed(client: TableClient) -> None:
    assert client.order == (0, 0)
    with pytest.raises(TableSilent, match="no snapshot seen yet"):
        _ = client.state


def test_an_older_snapshot_does_not_replace_a_newer_one(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client, boot=2, seq=5)
    for boot, seq in ((1, 9), (2, 4)):
        table.publish("state", boot, seq, {"phase": "old"})
        client.pump(WAIT_MS)
    assert client.state == {"phase": "idle"}
    table.publish("state", 2, 6, {"phase": "betting"})
    client.pump(WAIT_MS)
    assert client.state == {"phase": "betting"}


def test_every_newer_snapshot_is_told_even_if_nobody_looks_between(table: FarEnd) -> None:
    seen: list[int] = []
    client = TableClient(*table.endpoints, on_state=lambda envelope: seen.append(envelope["seq"]))
    acquaint(table, client)
    for seq in (6, 7, 8):
        table.publish("state", 1, seq, {})
    client.pump(WAIT_MS)
    client.close()
    assert seen == [5, 6, 7, 8]


def test_facts_are_handed_over_once_and_in_order(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client)
    for seq in (6, 7):
        table.publish("fact", 1, seq, {"type": "KeyTaken"})
    client.pump(WAIT_MS)
    assert [fact["seq"] for fact in client.take_facts()] == [6, 7]
    assert client.take_facts() == []


@pytest.mark.parametrize(("boot", "seq"), [(1, 9), (2, 1)])
def test_a_heartbeat_ahead_of_the_snapshot_makes_the_client_ask(
    table: FarEnd, client: TableClient, boot: int, seq: int
) -> None:
    acquaint(table, client)
    table.publish("heartbeat", boot, seq, {"head": ""})
    client.pump(WAIT_MS)
    sender, request = table.request()
    state = table.envelope("state", boot, seq, {"phase": "betting"})
    table.reply(sender, {"id": request["id"], "ok": True, "state": state})
    client.pump(WAIT_MS)
    assert client.order == (boot, seq)


def test_a_heartbeat_in_step_with_the_snapshot_asks_nothing(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client)
    table.publish("heartbeat", 1, 5, {"head": ""})
    client.pump(WAIT_MS)
    assert not table.asked()


def test_a_command_carries_who_said_it_and_why(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client)
    request_id = client.send({"type": "VoidRound"}, "ann", "supervisor", reason="fire", round="T1-7")
    sender, request = table.request()
    assert request == {
        "v": 1,
        "id": request_id,
        "command": {"type": "VoidRound"},
        "operator": "ann",
        "role": "supervisor",
        "reason": "fire",
        "round": "T1-7",
    }
    table.reply(sender, {"id": request_id, "ok": True, "seq": 6})
    client.pump(WAIT_MS)
    assert client.answer(request_id) == {"v": 1, "id": request_id, "ok": True, "seq": 6}
    assert client.answer(request_id) is None


def test_an_unanswered_word_is_said_again_under_the_same_id(
    table: FarEnd, client: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquaint(table, client)
    monkeypatch.setattr(client_module, "RETRY_MS", 20)
    thread, answers = in_background(lambda: client.say({"type": "Resume"}, "ann", "supervisor", "go on"))
    (_, first), (sender, second) = table.request(), table.request()
    assert first == second
    table.reply(sender, {"id": second["id"], "ok": False, "seq": 6, "error": "no hold"})
    thread.join()
    assert answers[0]["error"] == "no hold"


def test_a_table_that_never_answers_is_told_as_silent(
    table: FarEnd, client: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquaint(table, client)
    monkeypatch.setattr(client_module, "RETRY_MS", 2)
    with pytest.raises(TableSilent, match="no answer to request"):
        client.say({"type": "Resume"}, "ann", "supervisor")


def test_an_answer_to_a_request_that_was_given_up_is_dropped(table: FarEnd, client: TableClient) -> None:
    acquaint(table, client)
    request_id = client.send({"type": "Resume"}, "ann", "supervisor")
    client.forget(request_id)
    sender, _ = table.request()
    table.reply(sender, {"id": request_id, "ok": True, "seq": 6})
    client.pump(WAIT_MS)
    assert client.answer(request_id) is None


def test_open_requests_are_bounded(client: TableClient) -> None:
    def ask_without_end() -> None:
        while True:
            client.send_ask()

    with pytest.raises(TooMuch, match="64 requests are open"):
        ask_without_end()


def test_facts_that_nobody_takes_are_bounded(
    table: FarEnd, client: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquaint(table, client)
    monkeypatch.setattr(client_module, "FACTS_MAX", 1)
    for seq in (6, 7):
        table.publish("fact", 1, seq, {})
    with pytest.raises(TooMuch, match="take_facts"):
        client.pump(WAIT_MS)


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ([b"state", b"{"], "not JSON"),
        ([b"state", b'{"v":2}'], "version 2, this client knows 1"),
        ([b"state", b'{"v":1,"type":"fact","boot":1,"seq":9}'], "type is 'fact', expected 'state'"),
        ([b"state", b'{"v":1,"type":"state","boot":"1","seq":9}'], "whole numbers"),
        ([b"state", b"{}", b"more"], "3 frames"),
    ],
)
def test_a_message_that_is_not_known_is_refused_by_name(
    table: FarEnd, client: TableClient, frames: list[bytes], told: str
) -> None:
    acquaint(table, client)
    table.sockets[0].poll(0)
    table.sockets[0].send_multipart(frames)
    with pytest.raises(UnknownMessage, match=told):
        client.pump(WAIT_MS)


def test_a_wait_ends_when_the_table_shows_it_or_when_the_time_is_over(
    table: FarEnd, client: TableClient
) -> None:
    acquaint(table, client)
    assert client.wait_for(lambda state: state["phase"] == "idle", WAIT_MS)
    assert not client.wait_for(lambda state: state["phase"] == "betting", 1)
