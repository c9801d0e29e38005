"""The loop: nothing is shown before it is committed, and the same request has one effect."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq
from pytest_mock import MockerFixture

from table_controller.commands import Commands
from table_controller.journal import Journal, JournalFailed, read_entries, verify
from table_controller.presets import load_preset
from table_controller.publisher import Publisher
from table_controller.replay import Replay, decode_facts, replay
from table_controller.service import Service, StartRefused
from table_controller.table import messages as m


class StillClock:
    """A clock that stands until it is set on."""

    def __init__(self) -> None:
        self.us = 1_000_000
        self.wall_by_ms = 0

    def now_us(self) -> int:
        return self.us

    def wall_ms(self) -> int:
        return 1_790_000_000_000 + self.us // 1000 + self.wall_by_ms

    def synced(self) -> bool:
        return True


class Felt:
    """Wires that hand over what they are given, and remember in which order they were shown things."""

    def __init__(self, log: list[str]) -> None:
        self.events: list[m.Event] = []
        self.log = log
        self.lamps: tuple[str, ...] = ()
        self.coin_accept: tuple[bool, ...] = ()

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
        self.lamps, self.coin_accept = outputs.lamps, outputs.coin_accept

    def acknowledge(self, boot_id: int, next_seq: int) -> None:
        self.log.append(f"acknowledge {next_seq}")

    def lines(self, now_us: int) -> object:
        return {"key.lock": 0}

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
        self.manifest = "a hash"
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
            self.service.start(known, "test", self.manifest)
        except BaseException:
            self.cut()
            raise

    def happen(self, *events: m.Event) -> None:
        self.felt.events = list(events)
        self.service.turn(0)

    def decided(self) -> list[m.Fact]:
        return [fact for entry in read_entries(self.path) for fact in decode_facts(entry)]

    def ask(
        self, command: dict[str, Any], request: str, operator: str = "ann", role: str = "dealer"
    ) -> dict[str, Any]:
        body = {
            "v": 1,
            "id": request,
            "command": command,
            "operator": operator,
            "role": role,
            "reason": "asked",
        }
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


def test_item_51_57_changed_files_need_an_approval_of_their_own(stand: Stand) -> None:
    stand.cut()
    rules = load_preset("us_standard")
    other = msgspec.structs.replace(rules, dealer_short="void_all")
    stand.house = m.House("T1", 2, other)
    with pytest.raises(StartRefused, match=r"dealer_short: complete in the journal, .* approval is none"):
        stand.start()
    stand.house = m.House("T1", 2, other, approval="GC-7 by A. Name")
    stand.start()
    assert m.HouseChanged("dealer_short", "complete", "void_all", "GC-7 by A. Name") in stand.decided()
    stand.cut()
    stand.house = m.House("T1", 2, rules, approval="GC-7 by A. Name")
    with pytest.raises(StartRefused, match="approval is still GC-7 by A"):
        stand.start()
    stand.house = m.House("T1", 2, other, approval="GC-7 by A. Name")
    stand.start()


def test_item_49_a_rate_is_changed_in_the_files_only_while_the_day_is_closed(stand: Stand) -> None:
    stand.cut()
    rules = load_preset("us_standard")
    stand.house = m.House("T1", 2, rules, gaming_day=True, approval="GC-1")
    stand.start()
    stand.ask({"type": "OpenDay"}, "r-1", role="supervisor")
    stand.cut()
    other = msgspec.structs.replace(rules, meter_share_ppm=400_000)
    stand.house = m.House("T1", 2, other, gaming_day=True, approval="GC-2")
    with pytest.raises(StartRefused, match="meter_share was changed in the files while a gaming day is open"):
        stand.start()
    stand.house = m.House("T1", 2, rules, gaming_day=True, approval="GC-1")
    stand.start()
    stand.ask({"type": "CloseDay"}, "r-2", role="supervisor")
    assert stand.service.day_over, "the file of a closed day is archived before the next one"
    stand.cut()
    stand.house = m.House("T1", 2, other, gaming_day=True, approval="GC-2")
    stand.start()
    assert m.HouseChanged("meter_share", "0.49", "0.4", "GC-2") in stand.decided()


def test_item_09_a_limit_below_the_meter_is_refused_in_the_files_too(stand: Stand) -> None:
    stand.cut()
    stand.house = m.House("T1", 2, load_preset("us_standard"), gaming_day=True, approval="GC-1")
    stand.start()
    stand.cut()
    rules = msgspec.structs.replace(
        load_preset("us_standard"), reset_cents=500_000, meter_limit_cents=900_000
    )
    stand.house = m.House("T1", 2, rules, gaming_day=True, approval="GC-2")
    with pytest.raises(
        StartRefused, match=r"9000\.00 was found; allowed is at least what the meter holds, 10000"
    ):
        stand.start()
    stand.house = m.House("T1", 2, load_preset("us_standard"), gaming_day=True, approval="GC-1")
    stand.start()


@pytest.mark.parametrize("hours", [-1, 1])
def test_item_59_a_clock_that_is_set_in_a_round_changes_no_order_and_no_time_limit(
    stand: Stand, hours: int
) -> None:
    stand.happen(*OPEN)
    before = stand.journal.last
    assert before is not None
    stand.clock.wall_by_ms = hours * 3_600_000
    stand.clock.us += 500_000
    stand.happen(m.ChipsPlaced("ante", 1))
    entries = list(read_entries(stand.path))
    after = entries[-1]
    assert m.ClockWasSet(hours * 3_600_000) in stand.decided()
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert after.at_ms == before.at_ms + 500
    assert after.wall_ms == before.wall_ms + 500 + hours * 3_600_000
    stand.clock.wall_by_ms += 400
    stand.happen(m.ChipsLifted("ante", 1))
    assert stand.decided().count(m.ClockWasSet(hours * 3_600_000)) == 1, (
        "a time server steers, it sets nothing"
    )
    assert verify(stand.path, replay).ok


def test_item_59_a_machine_that_wakes_in_the_past_says_so(stand: Stand) -> None:
    stand.happen(*OPEN)
    stand.cut()
    stand.clock.wall_by_ms = -86_400_000
    stand.start()
    assert m.ClockWasSet(-86_400_000) in stand.decided()


def test_item_55_another_program_is_told_by_itself(stand: Stand) -> None:
    stand.cut()
    stand.manifest = "another hash"
    stand.start()
    stand.cut()
    stand.manifest = "a hash"
    stand.start()
    changes = [fact for fact in stand.decided() if isinstance(fact, m.SoftwareChanged)]
    assert changes == [
        m.SoftwareChanged("test a hash", "test another hash"),
        m.SoftwareChanged("test another hash", "test a hash"),
    ]


def ask_as_a_sign(stand: Stand, ask: str, sign: str = "pit-1") -> dict[str, Any]:
    stand.mouth.send(json.dumps({"v": 1, "id": uuid.uuid4().hex, "ask": ask, "sign": sign}).encode())
    for _ in range(5):
        stand.service.turn(0)
        if stand.mouth.poll(100):
            return json.loads(stand.mouth.recv())  # type: ignore[no-any-return]
    raise AssertionError("no answer")


def test_item_17_a_sign_that_falls_silent_for_three_seconds_shuts_the_slots(stand: Stand) -> None:
    stand.happen(*OPEN)
    assert ask_as_a_sign(stand, "here")["state"]["body"]["meter"]["cents"] == 1_000_000
    stand.clock.us += 2_900_000
    stand.happen()
    assert stand.felt.coin_accept == (True, True)
    stand.clock.us += 200_000
    stand.happen()
    assert "display_down" in [alarm.alarm for alarm in stand.service.state.alarms]
    assert stand.felt.coin_accept == (False, False)
    ask_as_a_sign(stand, "here")
    assert stand.service.state.display_well
    assert stand.felt.coin_accept == (True, True)


def test_a_sign_that_says_it_is_gone_is_not_missed(stand: Stand) -> None:
    stand.happen(*OPEN)
    ask_as_a_sign(stand, "here")
    ask_as_a_sign(stand, "gone")
    stand.clock.us += 10_000_000
    stand.happen()
    assert stand.service.state.display_well


def test_a_display_line_and_a_silent_sign_are_one_display(stand: Stand) -> None:
    stand.happen(*OPEN, m.HealthChanged("display", False))
    ask_as_a_sign(stand, "here")
    assert not stand.service.state.display_well, "the line still says so"
    stand.clock.us += 4_000_000
    stand.happen(m.HealthChanged("display", True))
    assert not stand.service.state.display_well, "the sign is silent"
    ask_as_a_sign(stand, "here")
    assert stand.service.state.display_well


def test_more_signs_than_a_pit_has_are_refused(stand: Stand) -> None:
    answers = [ask_as_a_sign(stand, "here", f"sign-{number}") for number in range(17)]
    assert [answer["ok"] for answer in answers] == [True] * 16 + [False]


@pytest.mark.parametrize(
    "command",
    [
        {"type": "SetParameter", "option": "reset", "value": "20000.00", "approval": "A-1"},
        {"type": "CloseDay"},
        {"type": "PayHit", "document": "T1-A000001", "at": "cage"},
        {"type": "BeginTrial", "notified": "the laboratory, by mail"},
        {"type": "VoidRound"},
    ],
)
def test_item_48_58_a_dealer_who_tries_a_supervisors_word_is_refused_and_recorded(
    stand: Stand, command: dict[str, Any]
) -> None:
    before = stand.service.state
    answer = stand.ask(command, "r-1", "dora")
    assert answer["ok"] is False
    assert answer["error"] == "that is not a dealer's word"
    assert stand.service.state is before
    entry = list(read_entries(stand.path))[-1]
    assert (entry.seq, b'"dora"' in entry.message) == (answer["seq"], True)
    assert m.CommandRefused(command["type"], answer["error"]) in stand.decided()


CARDS = "5H KD 6H AC 7H 4S 8H 3D 9H TC".split()


def heads(stand: Stand) -> set[str]:
    """Every hash that the heartbeats of the next second tell."""
    stand.clock.us += 1_000_000
    stand.service.turn(0)
    said = [json.loads(stand.ears.recv_multipart()[-1]) for _ in iter(lambda: stand.ears.poll(50), 0)]
    return {one["body"]["head"] for one in said if one["type"] == "heartbeat"}


def deal(stand: Stand) -> None:
    """Seat 1 has an ante, bets are locked, and every card is out."""
    stand.happen(m.ShoeFound(1, 1), m.KeyPressed("open"), m.ChipsPlaced("ante", 1))
    stand.ask(AMOUNT, "a")
    heads(stand)
    betting = heads(stand)
    stand.happen(m.KeyPressed("lock"))
    for number, card in enumerate(CARDS, start=1):
        stand.happen(m.CardScanned(card, False, number))
        assert heads(stand) == betting
    assert stand.service.state.phase == "deciding"


def test_no_hash_over_hidden_cards_is_published_before_close(stand: Stand) -> None:
    deal(stand)
    betting = heads(stand)
    stand.happen(m.ChipsPlaced("raise", 1))
    stand.ask({"type": "SetAmount", "spot": "raise", "seat": 1, "cents": 2000}, "b")
    stand.happen(m.KeyPressed("close"))
    told = heads(stand)
    assert told
    assert told.isdisjoint(betting)
    assert verify(stand.path, replay, betting.pop()).ok


def test_after_a_power_cut_in_the_deal_no_hash_is_published_before_the_round_is_void(stand: Stand) -> None:
    deal(stand)
    stand.cut()
    stand.start()
    assert heads(stand) == {""}
    assert stand.ask({"type": "Resume"}, "c", role="supervisor")["ok"]
    assert heads(stand) == {""}
    assert stand.ask({"type": "VoidRound"}, "d", role="supervisor")["ok"]
    told = heads(stand)
    assert told
    assert "" not in told
