"""The loop: nothing is shown before it is committed, and the same request has one effect."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq
from pytest_mock import MockerFixture

from table_controller.commands import Commands
from table_controller.journal import Journal, JournalFailed, read_entries, verify
from table_controller.presets import load_preset
from table_controller.publisher import Publisher
from table_controller.replay import Replay, replay
from table_controller.service import Service, StartRefused
from table_controller.table import messages as m


class StillClock:
    """A clock that stands until it is set on."""

    def __init__(self) -> None:
        self.us = 1_000_000

    def now_us(self) -> int:
        return self.us

    def wall_ms(self) -> int:
        return 1_790_000_000_000 + self.us // 1000

    def synced(self) -> bool:
        return True


class Felt:
    """Wires that hand over what they are given, and remember in which order they were shown things."""

    def __init__(self, log: list[str]) -> None:
        self.events: list[m.Event] = []
        self.log = log
        self.lamps: tuple[str, ...] = ()

    def started(self, software: str) -> m.Started:
        return m.Started((), True, True, software)

    def fds(self) -> list[int]:
        return []

    def read(self, now_us: int) -> list[m.Event]:
        events, self.events = self.events, []
        return events

    def due_at_us(self) -> int | None:
        return None

    def show(self, outputs: m.Outputs, now_us: int) -> None:
        self.log.append("show")
        self.lamps = outputs.lamps

    def acknowledge(self, boot_id: int, next_seq: int) -> None:
        self.log.append(f"acknowledge {next_seq}")

    def shoe_trouble(self) -> str:
        return ""

    def close(self) -> None:
        self.log.append("close")


class Stand:
    """A service with everything that it needs, and a client that asks."""

    def __init__(self, folder: Path, preset: str = "us_standard") -> None:
        self.path = str(folder / "T1.journal")
        self.house = m.House("T1", 2, load_preset(preset))
        self.clock = StillClock()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.log: list[str] = []
        self.start()

    def start(self) -> None:
        self.felt = Felt(self.log)
        self.journal = Journal.open(self.path, "T1")
        snapshot, entries = self.journal.recover()
        known = Replay(snapshot)
        for entry in entries:
            known.take(entry)
        name = uuid.uuid4().hex
        publisher = Publisher(self.context, f"inproc://state-{name}", "T1", 1)
        commands = Commands(self.context, f"inproc://commands-{name}")
        self.service = Service(self.house, self.clock, self.felt, self.journal, publisher, commands)
        self.ears = self.context.socket(zmq.SUB)
        self.ears.subscribe(b"")
        self.ears.connect(f"inproc://state-{name}")
        self.mouth = self.context.socket(zmq.DEALER)
        self.mouth.connect(f"inproc://commands-{name}")
        try:
            self.service.start(known, "test")
        except BaseException:
            self.cut()
            raise

    def happen(self, *events: m.Event) -> None:
        self.felt.events = list(events)
        self.service.turn(0)

    def ask(self, command: dict[str, Any], request: str, operator: str = "ann") -> dict[str, Any]:
        body = {"v": 1, "id": request, "command": command, "operator": operator, "role": "dealer"}
        self.mouth.send(json.dumps(body).encode())
        for _ in range(5):
            self.service.turn(0)
            if self.mouth.poll(100):
                return json.loads(self.mouth.recv())  # type: ignore[no-any-return]
        raise AssertionError("no answer")

    def facts(self) -> list[str]:
        heard = []
        while self.ears.poll(0):
            topic, envelope = self.ears.recv_multipart()
            if topic == b"fact":
                heard.append(json.loads(envelope)["body"]["type"])
        return heard

    def cut(self) -> None:
        """The power goes."""
        self.service.abandon()
        self.ears.close(0)
        self.mouth.close(0)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.cut()
    stand.context.destroy(0)


OPEN = (m.ShoeFound(7, 1), m.KeyPressed("open"))
AMOUNT = {"type": "SetAmount", "spot": "ante", "seat": 1, "cents": 1000}


def test_lamps_and_the_shoe_hear_of_nothing_before_the_commit(stand: Stand, mocker: MockerFixture) -> None:
    commit = stand.journal.commit

    def logged() -> None:
        stand.log.append("commit")
        commit()

    mocker.patch.object(stand.journal, "commit", side_effect=logged)
    stand.log.clear()
    stand.happen(*OPEN, m.CardScanned("KD", False, 1))
    assert stand.log == ["commit", "show", "acknowledge 2"]


def test_when_the_commit_fails_nothing_is_shown_and_the_error_ends_the_loop(
    stand: Stand, mocker: MockerFixture
) -> None:
    stand.happen(*OPEN)
    stand.facts()
    stand.log.clear()
    mocker.patch.object(stand.journal, "commit", side_effect=JournalFailed("the disk is full"))
    with pytest.raises(JournalFailed, match="the disk is full"):
        stand.happen(m.CoinDropped(1))
    assert stand.log == []
    assert stand.facts() == []


def test_everything_of_one_turn_is_one_commit(stand: Stand, mocker: MockerFixture) -> None:
    spy = mocker.spy(stand.journal, "commit")
    stand.happen(*OPEN, m.ChipsPlaced("ante", 1), m.ChipsPlaced("ante", 2), m.CoinDropped(1))
    assert spy.call_count == 1
    assert stand.service.state.seat(1).coin == "placed"


def test_a_quiet_turn_commits_and_shows_nothing(stand: Stand, mocker: MockerFixture) -> None:
    spy = mocker.spy(stand.journal, "commit")
    stand.log.clear()
    stand.service.turn(0)
    assert (spy.call_count, stand.log, stand.service.busy) == (0, [], False)


def test_the_same_request_again_has_one_effect_and_the_same_answer(stand: Stand) -> None:
    stand.happen(*OPEN)
    answer = stand.ask({**AMOUNT, "type": "AddAmount"}, "r-1")
    assert answer["ok"]
    assert stand.ask({**AMOUNT, "type": "AddAmount"}, "r-1") == answer
    assert stand.service.state.seat(1).ante.cents == 1000


def test_the_same_request_after_a_power_cut_has_no_second_effect(stand: Stand) -> None:
    stand.happen(*OPEN)
    answer = stand.ask({**AMOUNT, "type": "AddAmount"}, "r-1")
    stand.cut()
    stand.start()
    assert stand.ask({**AMOUNT, "type": "AddAmount"}, "r-1") == answer
    assert stand.service.state.seat(1).ante.cents == 1000


def test_an_id_that_was_another_command_is_refused(stand: Stand) -> None:
    stand.happen(*OPEN)
    stand.ask(AMOUNT, "r-1")
    again = stand.ask({**AMOUNT, "cents": 2000}, "r-1")
    assert not again["ok"]
    assert "another command" in again["error"]
    assert stand.service.state.seat(1).ante.cents == 1000


def test_two_people_may_use_the_same_id(stand: Stand) -> None:
    stand.happen(*OPEN)
    assert stand.ask(AMOUNT, "r-1", "ann")["ok"]
    assert stand.ask({**AMOUNT, "seat": 2}, "r-1", "bob")["ok"]
    assert stand.service.state.seat(2).ante.cents == 1000


def test_a_refused_command_is_answered_with_its_reason_and_its_number(stand: Stand) -> None:
    answer = stand.ask(AMOUNT, "r-1")
    assert (answer["ok"], answer["error"]) == (False, "no bet lies on the table now")
    assert answer["seq"] == stand.journal.last.seq  # type: ignore[union-attr]
    assert "CommandRefused" in stand.facts()


def test_a_restart_inside_a_round_finds_the_table_as_it_was_and_held(stand: Stand) -> None:
    stand.happen(*OPEN, m.ChipsPlaced("ante", 1))
    stand.ask(AMOUNT, "r-1")
    stand.happen(m.CoinDropped(1), m.KeyPressed("lock"), m.CardScanned("KD", False, 1))
    before = stand.service.state
    stand.cut()
    stand.start()
    after = stand.service.state
    assert (after.round, after.cards, after.meter) == (before.round, before.cards, before.meter)
    assert [hold.reason for hold in after.holds] == ["restarted_mid_round"]
    assert stand.felt.lamps == ("on", "off")


def test_the_time_of_the_table_goes_on_where_it_stood(stand: Stand) -> None:
    stand.clock.us += 5_000_000
    stand.happen(*OPEN)
    stood = stand.journal.last.at_ms  # type: ignore[union-attr]
    stand.cut()
    stand.clock.us += 3_600_000_000
    stand.start()
    assert stand.journal.last.at_ms == stood  # type: ignore[union-attr]


def test_other_house_rules_inside_a_round_are_refused_at_the_start(stand: Stand) -> None:
    stand.happen(*OPEN)
    stand.cut()
    stand.house = m.House("T1", 2, load_preset("live"))
    with pytest.raises(StartRefused, match="upcard: last in the journal, first in the file"):
        stand.start()
    stand.house = m.House("T1", 2, load_preset("us_standard"))
    stand.start()


def test_a_journal_of_several_starts_verifies_and_a_changed_one_does_not(stand: Stand) -> None:
    stand.happen(*OPEN, m.ChipsPlaced("ante", 1))
    stand.cut()
    stand.start()
    stand.happen(m.ChipsLifted("ante", 1))
    report = verify(stand.path, replay)
    assert report.ok, report.problem
    assert report.entries == sum(1 for _ in read_entries(stand.path))


def test_a_cheating_program_is_found_by_the_replay(stand: Stand, mocker: MockerFixture) -> None:
    stand.happen(*OPEN)
    mocker.patch("table_controller.service.encode_facts", return_value=b"[]")
    stand.happen(m.ChipsPlaced("ante", 1), m.CoinDropped(1))
    report = verify(stand.path, replay)
    assert not report.ok
    assert "replays to facts other than recorded" in report.problem


def test_every_entry_names_the_dealer_on_duty(stand: Stand) -> None:
    stand.happen(*OPEN)
    stand.ask({"type": "LogOn"}, "r-1", "ann")
    stand.happen(m.ChipsPlaced("ante", 1))
    stand.ask({"type": "LogOn"}, "r-2", "bob")
    stand.happen(m.ChipsLifted("ante", 1))
    stand.cut()
    stand.start()
    names = [entry.dealer.decode() for entry in read_entries(stand.path)]
    assert names == ["", "", "", "ann", "ann", "bob", "bob", "bob"]


def test_a_screen_asks_what_is_possible_and_is_told_with_reasons(stand: Stand) -> None:
    stand.happen(*OPEN)
    entries = stand.journal.last.seq  # type: ignore[union-attr]
    stand.mouth.send(json.dumps({"v": 1, "id": "q-1", "ask": "offers"}).encode())
    for _ in range(5):
        stand.service.turn(0)
        if stand.mouth.poll(100):
            break
    told = json.loads(stand.mouth.recv())["offers"]
    refused = {json.dumps(one["command"]): one["refused"] for one in told}
    assert refused['{"type": "PressKey", "key": "lock"}'] == "there is no ante"
    assert refused['{"type": "NewDeck", "deck": ""}'] == ""
    assert stand.journal.last.seq == entries, "a question is no entry"  # type: ignore[union-attr]
