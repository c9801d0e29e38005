"""What subscribers see: complete states, every fact once, a heartbeat, and a welcome for late ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq

from table_controller.publisher import HEARTBEAT_US, SEND_LIMIT, Mark, Publisher
from table_controller.table.messages import AlarmRaised, CardDealt, MeterChanged

WAIT_MS = 5_000
MARK = Mark(seq=120, at_ms=1_234, synced=True)


@pytest.fixture(params=["inproc", "ipc"])
def endpoint(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "inproc://state" if request.param == "inproc" else f"ipc://{tmp_path}/s"


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    context = zmq.Context[zmq.Socket[bytes]]()
    yield context
    context.destroy(0)


@pytest.fixture
def publisher(context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> Iterator[Publisher]:
    publisher = Publisher(context, endpoint, "T1", boot=3)
    yield publisher
    publisher.close()


class Subscriber:
    """Somebody who listens to some topics."""

    def __init__(self, socket: zmq.Socket[bytes], publisher: Publisher, topics: tuple[str, ...]) -> None:
        self.socket = socket
        self.socket.connect(publisher.socket.getsockopt_string(zmq.LAST_ENDPOINT))
        for topic in topics:
            self.socket.subscribe(topic)
            assert publisher.socket.poll(WAIT_MS), "the subscription does not arrive"
            publisher.drain()

    def hear(self) -> tuple[str, dict[str, Any]]:
        """The next message, which must be on its way."""
        assert self.socket.poll(WAIT_MS), "nothing arrives"
        topic, text = self.socket.recv_multipart()
        return topic.decode(), json.loads(text)


Listen = Callable[..., Subscriber]


@pytest.fixture
def listen(context: zmq.Context[zmq.Socket[bytes]], publisher: Publisher) -> Iterator[Listen]:
    """Somebody who listens to these topics from now on."""
    subscribers: list[Subscriber] = []

    def listen(*topics: str) -> Subscriber:
        subscribers.append(Subscriber(context.socket(zmq.SUB), publisher, topics))
        return subscribers[-1]

    yield listen
    for subscriber in subscribers:
        subscriber.socket.close(0)


def test_a_state_carries_its_table_boot_and_number(listen: Listen, publisher: Publisher) -> None:
    guest = listen("state")
    publisher.publish_state(MARK, b'{"phase":"betting"}')
    assert guest.hear() == (
        "state",
        {
            "v": 1,
            "type": "state",
            "table": "T1",
            "boot": 3,
            "seq": 120,
            "at_ms": 1_234,
            "synced": True,
            "body": {"phase": "betting"},
        },
    )


def test_the_newest_state_is_kept_for_those_who_ask(publisher: Publisher) -> None:
    assert publisher.state == b""
    publisher.publish_state(MARK, b'{"phase":"betting"}')
    publisher.publish_state(Mark(121, 1_300, True), b'{"phase":"dealing"}')
    newest = json.loads(publisher.state)
    assert (newest["seq"], newest["body"]) == (121, {"phase": "dealing"})


def test_every_fact_is_said_in_the_order_it_was_decided(listen: Listen, publisher: Publisher) -> None:
    guest = listen("fact")
    publisher.publish_facts(MARK, [CardDealt(1, "D"), AlarmRaised("late_coin", "3")])
    bodies = [guest.hear()[1]["body"] for _ in range(2)]
    assert bodies == [
        {"type": "CardDealt", "number": 1, "place": "D"},
        {"type": "AlarmRaised", "alarm": "late_coin", "place": "3"},
    ]


def test_alarms_and_the_meter_are_said_on_topics_of_their_own_as_well(
    listen: Listen, publisher: Publisher
) -> None:
    guest = listen("alarm", "meter")
    facts = [CardDealt(1, "D"), MeterChanged(100, 149, "contribution"), AlarmRaised("coin_stuck", "2")]
    publisher.publish_facts(MARK, facts)
    topic, message = guest.hear()
    assert (topic, message["type"], message["body"]["after_cents"]) == ("meter", "meter", 149)
    topic, message = guest.hear()
    assert (topic, message["type"], message["body"]["alarm"]) == ("alarm", "alarm", "coin_stuck")


def test_a_heartbeat_comes_every_half_second_and_names_the_head_of_the_journal(
    listen: Listen, publisher: Publisher
) -> None:
    guest = listen("heartbeat")
    for now_us in range(0, 1_000_001, 100_000):
        publisher.beat(now_us, Mark(now_us, 0, False), b"\xab\xcd")
    beats = [guest.hear()[1] for _ in range(3)]
    assert [beat["seq"] for beat in beats] == [0, 500_000, 1_000_000]
    assert beats[0]["body"] == {"head": "abcd"}
    assert beats[0]["synced"] is False
    assert publisher.due_at_us == 1_000_000 + HEARTBEAT_US


def test_heartbeats_that_were_missed_are_not_made_up_for(publisher: Publisher) -> None:
    publisher.beat(0, MARK, b"")
    publisher.beat(60_000_000, MARK, b"")
    assert publisher.due_at_us == 60_000_000 + HEARTBEAT_US


def test_a_late_subscriber_is_given_the_state_at_once(listen: Listen, publisher: Publisher) -> None:
    publisher.publish_state(MARK, b'{"phase":"betting"}')
    assert listen("state").hear()[1]["seq"] == 120
    assert listen("").hear()[1]["seq"] == 120, "the second one as well"


def test_who_listens_to_alarms_only_gets_no_state(listen: Listen, publisher: Publisher) -> None:
    publisher.publish_state(MARK, b"{}")
    guest = listen("alarm")
    publisher.publish_facts(MARK, [AlarmRaised("late_coin")])
    assert guest.hear()[0] == "alarm"


def test_a_subscriber_that_does_not_listen_never_stops_the_table(
    listen: Listen, publisher: Publisher
) -> None:
    deaf = listen("state")
    deaf.socket.rcvhwm = 1
    for seq in range(3 * SEND_LIMIT):
        publisher.publish_state(Mark(seq, 0, True), b"{}")
    assert json.loads(publisher.state)["seq"] == 3 * SEND_LIMIT - 1
    assert deaf.hear()[1]["seq"] == 0


def test_an_address_that_is_taken_is_refused(context: zmq.Context[zmq.Socket[bytes]]) -> None:
    first = Publisher(context, "inproc://taken", "T1", boot=1)
    with pytest.raises(zmq.ZMQError, match="in use"):
        Publisher(context, "inproc://taken", "T1", boot=1)
    first.close()
