"""The real feeds against a table of sockets: gaps, other boots, silence, requests that are answered once."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from table_controller.keys import add, register_path
from table_controller.web import line as line_module
from table_controller.web.clock import SystemClock
from table_controller.web.feeds import Heard
from table_controller.web.follower import FACTS_MAX, TableFeeds
from table_controller.web.settings import TableDoor
from tests.service.test_door import TODAY
from tests.service.test_door import Table as KeyedTable

HOUSE = {"table": "T1", "seats": 7}


class Table:
    """What a table does on its two sockets, as a test wants it done."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], name: str) -> None:
        self.name = name
        self.published: zmq.Socket[bytes] = context.socket(zmq.XPUB)
        self.commands: zmq.Socket[bytes] = context.socket(zmq.ROUTER)
        for socket, place in ((self.published, "state"), (self.commands, "commands")):
            socket.linger = 0
            socket.bind(f"inproc://{name}-{place}")
        self.door = TableDoor(name, f"inproc://{name}-state", f"inproc://{name}-commands")
        self.requests: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {"house": {"ok": True, "house": HOUSE}}
        self.deaf = False
        self.subscriptions = 0

    def say(self, kind: str, boot: int, seq: int, body: Any, at_ms: int = 0) -> None:
        envelope = self.envelope(kind, boot, seq, body, at_ms)
        self.published.send_multipart([kind.encode(), msgspec.json.encode(envelope)])

    def envelope(self, kind: str, boot: int, seq: int, body: Any, at_ms: int = 0) -> dict[str, Any]:
        head = {"v": 1, "type": kind, "table": self.name, "boot": boot, "seq": seq, "at_ms": at_ms}
        return {**head, "synced": True, "body": body}

    def serve(self) -> None:
        """Take in what was asked, and answer what there is an answer for."""
        while self.published.poll(0):
            self.published.recv()
            self.subscriptions += 1
        while self.commands.poll(0):
            peer, text = self.commands.recv_multipart()
            asked = msgspec.json.decode(text)
            self.requests.append(asked)
            answer = self.answers.get(asked.get("ask", "command"))
            if answer is not None and not self.deaf:
                told = {"v": 1, "id": asked["id"], "ok": True, **answer}
                self.commands.send_multipart([peer, msgspec.json.encode(told)])

    def asked(self, what: str) -> list[dict[str, Any]]:
        return [one for one in self.requests if one.get("ask") == what]

    def close(self) -> None:
        self.published.close(0)
        self.commands.close(0)


class Rig:
    """Feeds of two tables, and what they told."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self.context = context
        self.tables = [Table(context, "T1"), Table(context, "T2")]
        self.table = self.tables[0]
        doors = {table.name: table.door for table in self.tables}
        self.feeds = TableFeeds(doors, SystemClock(), context)
        self.facts: list[tuple[str, Any]] = []

    def told(self, table: str, facts: tuple[Heard, ...]) -> None:
        self.facts += [(table, msgspec.json.decode(fact.fact)) for fact in facts]

    @property
    def picture(self) -> Any:
        return self.feeds.picture("T1")

    async def until(self, happened: Callable[[], Any], s: float = 8.0) -> None:
        """Serve both tables until it has happened."""
        async with asyncio.timeout(s):
            while not happened():
                for table in self.tables:
                    table.serve()
                await asyncio.sleep(0.005)

    def run(self, test: Callable[[], Awaitable[None]]) -> None:
        async def whole() -> None:
            self.feeds.start(self.told)
            try:
                await self.until(lambda: all(table.subscriptions >= 3 for table in self.tables))
                await test()
            finally:
                await self.feeds.stop()

        asyncio.run(whole())


@pytest.fixture
def rig() -> Iterator[Rig]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    made = Rig(context)
    yield made
    for table in made.tables:
        table.close()
    context.term()


def test_the_newest_state_and_its_house_are_the_picture(rig: Rig) -> None:
    async def test() -> None:
        rig.table.say("state", 1, 5, {"round": "R1"}, at_ms=100)
        await rig.until(lambda: rig.picture.state and rig.picture.house)
        assert (rig.picture.boot, rig.picture.seq, rig.picture.at_ms) == (1, 5, 100)
        assert msgspec.json.decode(rig.picture.state) == {"round": "R1"}
        assert msgspec.json.decode(rig.picture.house) == HOUSE
        rig.table.say("state", 1, 4, {"round": "R0"})
        rig.table.say("state", 1, 6, {"round": "R2"})
        await rig.until(lambda: rig.picture.seq != 5)
        assert rig.picture.seq == 6

    rig.run(test)


def test_a_gap_is_mended_by_the_snapshot(rig: Rig) -> None:
    async def test() -> None:
        rig.table.say("state", 1, 5, {"round": "R1"})
        await rig.until(lambda: rig.picture.seq == 5)
        state = rig.table.envelope("state", 1, 9, {"round": "R3"})
        rig.table.answers["snapshot"] = {"state": state}
        before = len(rig.table.asked("snapshot"))
        rig.table.say("heartbeat", 1, 9, {"head": ""})
        await rig.until(lambda: rig.picture.seq == 9)
        assert len(rig.table.asked("snapshot")) > before

    rig.run(test)


def test_a_gap_is_mended_although_the_table_is_never_silent(rig: Rig) -> None:
    def mended() -> bool:
        # The heartbeats go on: nothing but their number tells that a state was lost.
        rig.table.say("heartbeat", 1, 9, {"head": ""})
        return bool(rig.picture.seq == 9)

    async def test() -> None:
        rig.table.say("state", 1, 5, {"round": "R1"})
        await rig.until(lambda: rig.picture.seq == 5)
        rig.table.answers["snapshot"] = {"state": rig.table.envelope("state", 1, 9, {"round": "R3"})}
        await rig.until(mended)
        assert msgspec.json.decode(rig.picture.state) == {"round": "R3"}

    rig.run(test)


def test_silence_is_answered_with_a_question_for_the_snapshot(rig: Rig) -> None:
    async def test() -> None:
        rig.table.say("state", 1, 5, {"round": "R1"})
        await rig.until(lambda: rig.picture.seq == 5)
        asked = len(rig.table.asked("snapshot"))
        await rig.until(lambda: len(rig.table.asked("snapshot")) > asked)
        assert SystemClock().now_ms() - rig.picture.heard_ms >= line_module.SILENT_MS

    rig.run(test)


def test_another_boot_asks_for_the_house_again_and_an_older_one_is_not_believed(rig: Rig) -> None:
    async def test() -> None:
        rig.table.say("state", 2, 50, {"round": "R1"})
        await rig.until(lambda: rig.picture.house)
        houses = len(rig.table.asked("house"))
        rig.table.say("state", 1, 99, {"round": "R0"})
        rig.table.say("state", 3, 51, {"round": "R2"})
        await rig.until(lambda: rig.picture.boot == 3 and len(rig.table.asked("house")) > houses)
        assert msgspec.json.decode(rig.picture.state) == {"round": "R2"}

    rig.run(test)


def test_a_table_that_begins_anew_is_believed_when_the_one_before_is_silent(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "OTHER_BOOT_MS", 0)

    async def test() -> None:
        rig.table.say("state", 7, 50, {"round": "R7"})
        await rig.until(lambda: rig.picture.boot == 7)
        rig.table.say("state", 1, 2, {"round": "R1"})
        await rig.until(lambda: rig.picture.boot == 1 and rig.picture.state)
        assert msgspec.json.decode(rig.picture.state) == {"round": "R1"}

    rig.run(test)


def test_a_fact_that_may_change_the_house_asks_for_it(rig: Rig) -> None:
    async def test() -> None:
        rig.table.say("state", 1, 5, {"round": "R1"})
        await rig.until(lambda: rig.picture.house)
        houses = len(rig.table.asked("house"))
        rig.table.answers["house"] = {"ok": True, "house": {**HOUSE, "seats": 5}}
        rig.table.say("fact", 1, 6, {"type": "ParameterChanged", "option": "reset"})
        await rig.until(lambda: b'"seats":5' in rig.picture.house)
        assert len(rig.table.asked("house")) > houses
        assert rig.facts == [("T1", {"type": "ParameterChanged", "option": "reset"})]

    rig.run(test)


def test_a_request_is_repeated_with_its_id_and_answered_once(rig: Rig) -> None:
    async def test() -> None:
        rig.table.deaf = True
        body = {"v": 1, "id": "one", "command": {"type": "LogOn"}}
        both = asyncio.gather(rig.feeds.request("T1", body), rig.feeds.request("T1", body))
        await rig.until(lambda: sum(one["id"] == "one" for one in rig.table.requests) >= 2)
        with pytest.raises(ValueError, match="one waits"):
            await rig.feeds.request("T1", {**body, "command": {"type": "LogOff"}})
        rig.table.deaf = False
        rig.table.answers["command"] = {"ok": True, "seq": 12}
        await rig.until(both.done)
        first, second = both.result()
        assert first is not None
        assert first["seq"] == 12
        assert second == first

    rig.run(test)


def test_a_silent_table_is_given_up_and_told_nothing_of_it_later(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "GIVE_UP_MS", 300)

    async def test() -> None:
        rig.table.commands.close(0)
        waiting = asyncio.create_task(rig.feeds.request("T1", {"v": 1, "id": "late", "ask": "offers"}))
        async with asyncio.timeout(5):
            assert await waiting is None
        # The table comes back, and is asked what is asked from then on.
        rig.table.commands = rig.context.socket(zmq.ROUTER)
        rig.table.commands.linger = 0
        rig.table.commands.bind("inproc://T1-commands")
        rig.table.requests.clear()
        rig.table.answers["offers"] = {"offers": []}
        asked = asyncio.create_task(rig.feeds.request("T1", {"v": 1, "id": "now", "ask": "offers"}))
        await rig.until(asked.done)
        answer = asked.result()
        assert answer is not None
        assert answer["id"] == "now"
        assert "late" not in [one["id"] for one in rig.table.requests]

    rig.run(test)


def test_a_new_socket_that_cannot_be_had_is_tried_for_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "GIVE_UP_MS", 300)
    opens, refusals = line_module.Line._open_commands, [zmq.ZMQError(errno.EMFILE)]

    def open_commands(line: line_module.Line) -> zmq.Socket[bytes]:
        if refusals:
            raise refusals.pop()
        return opens(line)

    async def test() -> None:
        monkeypatch.setattr(line_module.Line, "_open_commands", open_commands)
        rig.table.deaf = True
        waiting = asyncio.create_task(rig.feeds.request("T1", {"v": 1, "id": "late", "ask": "offers"}))
        await rig.until(waiting.done)
        assert waiting.result() is None
        assert not refusals
        rig.table.deaf = False
        rig.table.answers["offers"] = {"offers": []}
        asked = asyncio.create_task(rig.feeds.request("T1", {"v": 1, "id": "now", "ask": "offers"}))
        await rig.until(asked.done)
        assert asked.result() is not None

    rig.run(test)


def test_what_cannot_be_passed_on_of_one_table_does_not_silence_the_other(rig: Rig) -> None:
    passes_on = rig.told

    def told(table: str, facts: tuple[Heard, ...]) -> None:
        if table == "T1":
            raise TypeError("a fact of another version")
        passes_on(table, facts)

    rig.told = told  # type: ignore[method-assign]

    async def test() -> None:
        for table in rig.tables:
            table.say("fact", 1, 1, {"type": "Noticed", "notice": "x"})
        await rig.until(lambda: [name for name, _ in rig.facts] == ["T2"])

    rig.run(test)


def test_a_table_that_talks_nonsense_does_not_silence_the_other(rig: Rig) -> None:
    async def test() -> None:
        other = rig.tables[1]
        for text in (b"", b"{", b"[]", b'{"v":2}', msgspec.json.encode(other.envelope("state", 1, 9, {}))):
            rig.table.published.send_multipart([b"state", text])
        other.say("state", 1, 1, {"round": "R1"})
        rig.table.say("state", 1, 2, {"round": "R1"})
        await rig.until(lambda: rig.feeds.picture("T2").state and rig.picture.seq == 2)

    rig.run(test)


def test_a_flood_that_nobody_looks_at_is_kept_within_bounds(rig: Rig) -> None:
    async def test() -> None:
        for seq in range(900):
            rig.table.say("fact", 1, seq, {"type": "Noticed", "notice": str(seq)})
        # The loop does not look meanwhile: what comes is kept by the thread.
        kept = rig.feeds._facts["T1"]
        until = time.monotonic() + 8
        while not (kept and kept[-1].seq == 899):
            assert time.monotonic() < until
            time.sleep(0.005)
        await rig.until(lambda: rig.facts)
        assert [fact["notice"] for _, fact in rig.facts] == [str(seq) for seq in range(900 - FACTS_MAX, 900)]

    rig.run(test)


def test_a_table_that_cannot_be_reached_at_all_is_silent_and_the_other_is_followed() -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    rig = Rig(context)
    nowhere = TableDoor("T2", "tcp://no such host:1", "tcp://no such host:2")
    rig.feeds = TableFeeds({"T1": rig.table.door, "T2": nowhere}, SystemClock(), context)
    rig.tables[1].subscriptions = 3

    async def test() -> None:
        first = asyncio.create_task(rig.feeds.request("T2", {"v": 1, "id": "x", "ask": "offers"}))
        rig.table.say("state", 1, 2, {"round": "R1"})
        await rig.until(lambda: rig.picture.seq == 2 and first.done())
        assert first.result() is None
        assert await rig.feeds.request("T2", {"v": 1, "id": "y", "ask": "offers"}) is None

    rig.run(test)
    for table in rig.tables:
        table.close()
    context.term()


def test_pages_whose_key_is_entered_later_come_in_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "KNOCK_EVERY_MS", 200)
    table = KeyedTable(tmp_path, "ipc")
    register = Path(register_path(table.keys))
    without = register.read_text()
    door = TableDoor("T1", table.state_at, table.commands_at, add(table.keys, "late", "gateway", TODAY))
    with_it = register.read_text()
    register.write_text(without)

    async def until(happened: Callable[[], Any]) -> None:
        async with asyncio.timeout(20):
            while not happened():
                table.service.turn(10)
                await asyncio.sleep(0)

    async def whole() -> None:
        feeds = TableFeeds({"T1": door}, SystemClock())
        feeds.start(lambda _table, _facts: None)
        try:
            await until(lambda: feeds.picture("T1").refused)
            assert not feeds.picture("T1").state
            register.write_text(with_it)
            await until(lambda: feeds.picture("T1").state)
            assert not feeds.picture("T1").refused
        finally:
            await feeds.stop()

    with closing(table):
        asyncio.run(whole())


def test_stopping_leaves_no_request_waiting(rig: Rig) -> None:
    async def test() -> None:
        waiting = asyncio.create_task(rig.feeds.request("T2", {"v": 1, "id": "x", "ask": "offers"}))
        await rig.until(lambda: rig.tables[1].asked("offers"))
        await rig.feeds.stop()
        assert await waiting is None
        assert await rig.feeds.request("T2", {"v": 1, "id": "y", "ask": "offers"}) is None

    rig.run(test)
