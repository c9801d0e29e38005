"""The thread of the virtual table: what breaks in it is told, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from hw_sim.client import UnknownMessage
from hw_sim.page import felt
from hw_sim.page.felt import Keeper, Site, Stage
from hw_sim.table import HandError

Json = dict[str, Any]
PATIENCE_S = 20
ID = "an-id-of-its-own-"


class Nothing:
    """A room in which nothing happens; `breaks` are raised, one at each step of the dealer."""

    snapshot = None

    def __init__(self) -> None:
        self.table = self
        self.show: Callable[[], None] = lambda: None
        self.games: Callable[[], list[Json]] = list
        self.held = threading.Event()
        self.breaks: list[Exception] = []

    def hear(self, timeout_ms: int) -> None:
        time.sleep(0.001)

    def look(self) -> None:
        if self.breaks:
            raise self.breaks.pop()

    def now_s(self) -> float:
        return time.monotonic()


class Doing:
    """Acts that do as they are told."""

    def __init__(self, room: Nothing) -> None:
        self._room = room

    def do(self, act: Json) -> Json:
        match act["do"]:
            case "break":
                raise RuntimeError("never foreseen")
            case "hang_up":
                raise UnknownMessage("what is this")
            case "break_picture":
                self._room.breaks.append(RuntimeError("nobody can draw that"))
            case "wait":
                self._room.held.wait(PATIENCE_S)
        return {"ok": True}


class Beside:
    """A keeper and its room; `made` counts the rooms."""

    def __init__(self) -> None:
        self.room: Any = Nothing()
        self.made = 0
        self.keeper = Keeper(self._stage)

    def _stage(self) -> Stage:
        self.made += 1
        return Stage(self.room, lambda: None)

    def act(self, name: str, act_id: str) -> Future[Json]:
        answer = self.keeper.act(ID + act_id, {"do": name})
        assert answer is not None
        return answer


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Beside]:
    monkeypatch.setattr(felt, "Acts", Doing)
    monkeypatch.setattr(felt, "picture_of", lambda room: {})
    monkeypatch.setattr(felt, "PAUSE_S", 0.01)
    made = Beside()
    yield made
    made.room.held.set()
    made.keeper.stop()


def test_a_fault_of_the_page_is_told_to_who_met_it_and_the_room_goes_on(
    beside: Beside, caplog: pytest.LogCaptureFixture
) -> None:
    answers = [beside.act(name, name) for name in ("before", "break", "after")]
    beside.keeper.start(lambda picture: None)
    before, broken, after = [answer.result(PATIENCE_S) for answer in answers]
    assert (before, after) == ({"ok": True}, {"ok": True})
    assert broken["ok"] is False
    assert "RuntimeError: never foreseen" in broken["values"]["text"]
    assert beside.made == 1, "the room and what lies in it stay"
    assert "Traceback" in caplog.text
    assert "'do': 'break'" in caplog.text


@pytest.mark.parametrize("name", ["hang_up", "break_picture"])
def test_acts_that_are_done_are_answered_though_the_room_ends_after_them(beside: Beside, name: str) -> None:
    answers = [beside.act(one, one) for one in ("before", name)]
    beside.keeper.start(lambda picture: None)
    assert answers[0].result(PATIENCE_S) == {"ok": True}
    assert answers[1].result(PATIENCE_S)["ok"] is (name == "break_picture")
    assert beside.act("after", "after").result(PATIENCE_S) == {"ok": True}
    assert beside.made == 2


def test_who_still_waits_when_the_page_ends_is_answered() -> None:
    def no_board() -> Stage:
        raise HandError("no board answers")

    keeper = Keeper(no_board)
    waiting = keeper.act(ID + "waiting", {"do": "dance"})
    keeper.start(lambda picture: None)
    keeper.stop()
    late = keeper.act(ID + "late", {"do": "dance"})
    for answer in (waiting, late):
        assert answer is not None
        assert answer.result(PATIENCE_S)["word"] == "silent"


async def post(app: ASGIApp, body: bytes, act_id: str) -> tuple[int, Json]:
    """One request as a browser sends it."""
    headers = [(b"host", b"127.0.0.1"), (b"idempotency-key", (ID + act_id).encode())]
    scope = {"type": "http", "method": "POST", "path": "/api/acts", "query_string": b"", "headers": headers}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(message.get("body", b"") for message in sent))


def test_an_answer_that_does_not_come_is_not_waited_for_for_ever(
    beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Site(beside.keeper, {}).app()
    beside.keeper.start(lambda picture: None)

    async def whole() -> None:
        monkeypatch.setattr(felt, "ANSWER_S", 0.2)
        for name in ("wait", "dance"):
            status, answer = await post(app, b'{"do": "%s"}' % name.encode(), name)
            assert (status, answer["word"]) == (504, "silent")
        beside.room.held.set()
        monkeypatch.setattr(felt, "ANSWER_S", PATIENCE_S)
        under_way = await post(app, b'{"do": "wait"}', "wait")
        assert under_way == (200, {"ok": True}), "it is told when it is asked for again"
        _, never_begun = await post(app, b'{"do": "dance"}', "dance")
        assert never_begun["word"] == "silent", "it is never done, because it was said so"

    asyncio.run(asyncio.wait_for(whole(), PATIENCE_S))


def test_half_a_character_is_no_act(beside: Beside) -> None:
    beside.keeper.start(lambda picture: None)
    body = b'{"do": "say", "text": "\\ud800"}'
    assert asyncio.run(post(Site(beside.keeper, {}).app(), body, "half"))[0] == 400
