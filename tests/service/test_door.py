"""The door of a table: no key, a wrong one or a smaller one than is claimed gets nothing, and is recorded."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zmq
from pytest_mock import MockerFixture

from table_controller.clock import SystemClock
from table_controller.commands import Commands
from table_controller.door import Door, Knock, Refusals, use_key
from table_controller.journal import Journal, read_entries
from table_controller.keys import ClientKey, add, init, load_client_key, read_table_key, register_path, revoke
from table_controller.presets import load_preset
from table_controller.publisher import Publisher
from table_controller.replay import Replay, decode_facts
from table_controller.service import Service
from table_controller.table import messages as m
from table_controller.visitors import AGAIN_US, KINDS_MAX, Visitors
from tests.service.test_service import Felt

TODAY = "2026-11-30"
PATIENCE_S = 10


class Client:
    """Somebody outside, with a context of his own."""

    def __init__(self, table: Table, key: ClientKey | None) -> None:
        self.table = table
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.mouth, self.ears = self.context.socket(zmq.DEALER), self.context.socket(zmq.SUB)
        self.refusals = []
        for socket, endpoint in ((self.mouth, table.commands_at), (self.ears, table.state_at)):
            socket.linger = 0
            socket.reconnect_ivl = 20
            use_key(socket, key)
            self.refusals.append(Refusals(socket))
            socket.connect(endpoint)
        self.ears.subscribe(b"")

    def close(self) -> None:
        for refusals in self.refusals:
            refusals.close()
        self.mouth.close(0)
        self.ears.close(0)
        self.context.term()

    def send(self, command: dict[str, Any] | None = None, **others: Any) -> None:
        body = {"v": 1, "id": uuid.uuid4().hex, "command": command, "reason": "because", **others}
        if command is None:
            del body["command"]
        try:
            self.mouth.send(json.dumps(body).encode(), zmq.NOBLOCK)
        except zmq.Again:
            # Who is not let in has nobody to send to.
            assert self.refused()

    def answer(self) -> dict[str, Any]:
        self.table.until(lambda: bool(self.mouth.poll(0)))
        return json.loads(self.mouth.recv())  # type: ignore[no-any-return]

    def says(self, word: str, **others: Any) -> dict[str, Any]:
        self.send({"type": word}, **others)
        return self.answer()

    def hears(self) -> bool:
        return bool(self.ears.poll(0))

    def forgets(self) -> None:
        while self.hears():
            self.ears.recv_multipart()

    def refused(self) -> bool:
        return any(refusals.heard() for refusals in self.refusals)


class Table:
    """A service behind its door."""

    def __init__(self, folder: Path, transport: str) -> None:
        self.keys = str(folder / "keys")
        init(self.keys)
        names = ("sue:supervisor", "cy:dealer", "web:gateway", "MAIN:display", "di:auditor")
        self.files = {name: add(self.keys, name, role, TODAY) for name, role in (n.split(":") for n in names)}
        self.path = str(folder / "T1.journal")
        self.journal = Journal.open(self.path, "T1")
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.door = Door(self.context, self.keys)
        at = [f"ipc://{folder}/{name}" for name in "sc"] if transport == "ipc" else free_addresses()
        self.state_at, self.commands_at = at
        self.publisher = Publisher(self.context, self.state_at, "T1", 1, self.door)
        self.commands = Commands(self.context, self.commands_at, self.door)
        house = m.House("T1", 2, load_preset("us_standard"))
        wires: Any = Felt([])
        self.service = Service(
            house, SystemClock(), wires, self.journal, self.publisher, self.commands, self.door
        )
        self.service.start(Replay(None), "test", "a hash")

    def client(self, name: str) -> closing[Client]:
        return closing(Client(self, load_client_key(self.files[name])))

    def until(self, condition: Callable[[], bool]) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end_s, "it never came to that"
            self.service.turn(10)

    def decided(self) -> list[m.Fact]:
        return [fact for entry in read_entries(self.path) for fact in decode_facts(entry)]

    def turned_away(self) -> set[tuple[str, str, str]]:
        """Who was refused; a client that is closed in the middle of a handshake is noted as well."""
        found = [one for one in self.decided() if isinstance(one, m.AccessRefused)]
        return {(one.why, one.who, one.word) for one in found if one.why != "no_handshake"}

    def broken_off(self) -> bool:
        return any(isinstance(one, m.AccessRefused) and one.why == "no_handshake" for one in self.decided())

    def close(self) -> None:
        self.service.abandon()
        self.context.destroy(0)


def free_addresses() -> list[str]:
    """Two addresses that nobody uses; the kernel chooses them."""
    with zmq.Context() as context, context.socket(zmq.PAIR) as one, context.socket(zmq.PAIR) as other:
        return [f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}" for socket in (one, other)]


@pytest.fixture(params=["ipc", "tcp"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with closing(Table(tmp_path, request.param)) as made:
        yield made


def nothing_was_done(table: Table) -> bool:
    return not any(isinstance(fact, m.DealerChanged | m.RoundOpened) for fact in table.decided())


def test_item_46_48_every_key_hears_and_asks_and_each_speaks_in_its_role(table: Table) -> None:
    for name in table.files:
        with table.client(name) as client:
            client.send(ask="snapshot")
            assert client.answer()["ok"]
            table.until(client.hears)
    with table.client("cy") as dealer:
        assert dealer.says("LogOn")["ok"]
    with table.client("sue") as supervisor:
        assert supervisor.says("LogOn", role="dealer")["ok"]
    with table.client("web") as pages:
        assert pages.says("LogOn", operator="ann", role="dealer")["ok"]
    changed = [(fact.before, fact.after) for fact in table.decided() if isinstance(fact, m.DealerChanged)]
    assert changed == [("", "cy"), ("cy", "sue"), ("sue", "ann")]
    assert table.turned_away() == set()


def stranger(table: Table) -> ClientKey:
    public, secret = (half.decode() for half in zmq.curve_keypair())
    return ClientKey("cy", "dealer", read_table_key(table.keys).public, public, secret)


def wrong_table(table: Table) -> ClientKey:
    public, secret = (half.decode() for half in zmq.curve_keypair())
    return ClientKey("cy", "dealer", public, public, secret)


@pytest.mark.parametrize(
    ("key_of", "why"),
    [(lambda _: None, "no_key"), (stranger, "unknown_key"), (wrong_table, "no_key")],
    ids=["no key", "unknown key", "another table's key"],
)
def test_item_48_who_has_no_key_of_this_table_gets_nothing_and_is_told_and_recorded(
    table: Table, key_of: Callable[[Table], ClientKey | None], why: str
) -> None:
    with closing(Client(table, key_of(table))) as client:
        client.send({"type": "LogOn"}, operator="cy", role="dealer")
        table.until(lambda: client.refused() and bool(table.turned_away() or table.broken_off()))
        assert not client.ears.poll(0)
        assert not client.mouth.poll(0)
    assert table.turned_away() <= {(why, "", "connect")}
    assert nothing_was_done(table)


def test_item_48_a_dealers_key_with_a_supervisors_word_does_nothing_and_is_recorded(table: Table) -> None:
    with table.client("cy") as dealer:
        claimed = dealer.says("VoidRound", role="supervisor")
        plain = dealer.says("VoidRound")
        other = dealer.says("LogOn", operator="sue")
    assert claimed["error"] == "$.role: `supervisor` was found; the key cy is a dealer's."
    assert plain["error"] == "that is not a dealer's word"
    assert plain["seq"] > 0
    assert other["error"].startswith('$.operator: "sue" was found; the key is cy\'s')
    assert table.turned_away() == {("role", "cy", "VoidRound"), ("operator", "cy", "LogOn")}
    assert nothing_was_done(table)


@pytest.mark.parametrize("name", ["MAIN", "di"])
def test_a_key_that_only_looks_says_nothing(table: Table, name: str) -> None:
    with table.client(name) as client:
        answer = client.says("LogOn", operator="cy", role="dealer")
    assert answer["error"].endswith("says nothing; allowed: dealer, supervisor, gateway.")
    table.until(lambda: table.turned_away() == {("role", name, "LogOn")})
    assert nothing_was_done(table)


def test_a_sign_shows_under_the_name_of_its_own_key_only(table: Table) -> None:
    with table.client("MAIN") as sign, table.client("di") as auditor, table.client("web") as pages:
        for client, name, taken in (
            (sign, "MAIN", True),
            (sign, "BAR", False),
            (auditor, "di", False),
            (pages, "BAR", True),
        ):
            client.send(ask="here", sign=name)
            assert client.answer()["ok"] is taken
    assert table.turned_away() == {("role", "MAIN", "here"), ("role", "di", "here")}


def test_item_48_whom_a_gateway_turned_away_is_in_the_journal_with_who_and_from_where(table: Table) -> None:
    with table.client("web") as pages:
        for who, why in (("ann", "wrong_pin"), ("", "wrong_pin"), ("ann", "locked_out")):
            pages.send(ask=why, operator=who, address="10.0.0.7")
            assert pages.answer()["ok"]
    table.until(lambda: len(table.turned_away()) == 3)
    word = "PIN at web"
    assert table.turned_away() == {
        ("wrong_pin", "ann", word),
        ("wrong_pin", "", word),
        ("locked_out", "ann", word),
    }
    refused = [one for one in table.decided() if isinstance(one, m.AccessRefused)]
    assert {one.address for one in refused if one.why != "no_handshake"} == {"10.0.0.7"}


@pytest.mark.parametrize("name", ["cy", "sue", "MAIN", "di"])
def test_item_48_only_a_gateway_tells_of_a_wrong_pin(table: Table, name: str) -> None:
    with table.client(name) as client:
        client.send(ask="wrong_pin", operator="ann")
        assert "allowed: gateway" in client.answer()["error"]
    table.until(lambda: ("role", name, "wrong_pin") in table.turned_away())
    assert not any(why == "wrong_pin" for why, _, _ in table.turned_away())


def test_what_is_no_subscription_is_cut_off_before_it_takes_memory(table: Table) -> None:
    with table.client("di") as auditor:
        table.until(auditor.hears)
        auditor.ears.subscribe(b"x" * 5_000)
        auditor.forgets()
        # The connection is cut, and comes back without end; another one is not disturbed.
        with table.client("sue") as supervisor:
            assert supervisor.says("LogOn")["ok"]
            table.until(supervisor.hears)
    assert table.publisher.socket.maxmsgsize == 4096


def test_endless_subscriptions_end_with_new_sockets_and_the_honest_come_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_controller.publisher._SUBSCRIPTIONS_MAX", 50)
    with table.client("di") as crowd, table.client("sue") as honest:
        table.until(honest.hears)
        before = table.publisher.socket
        for number in range(60):
            crowd.ears.subscribe(f"topic {number}".encode())
        table.until(lambda: table.publisher.socket is not before)
        honest.forgets()
        table.until(honest.hears)
    assert ("fault", "", "subscribe") in table.turned_away()


def test_a_revoked_key_loses_its_live_session_and_everybody_else_is_back_by_himself(table: Table) -> None:
    with table.client("cy") as dealer, table.client("sue") as supervisor:
        assert dealer.says("LogOn")["ok"]
        revoke(table.keys, "cy", TODAY)
        table.until(dealer.refused)
        dealer.forgets()
        dealer.send({"type": "LogOff"})
        table.until(lambda: ("revoked_key", "cy", "connect") in table.turned_away())
        assert not dealer.mouth.poll(0)
        assert supervisor.says("LogOn")["ok"]
        supervisor.forgets()
        table.until(supervisor.hears)
        assert not dealer.hears()
    listed = [fact.keys for fact in table.decided() if isinstance(fact, m.KeysListed)]
    assert "cy dealer" in listed[0]
    assert "cy dealer" not in listed[1]


def test_a_revoked_key_says_nothing_even_before_its_session_is_cut(
    table: Table, mocker: MockerFixture
) -> None:
    with table.client("cy") as dealer:
        assert dealer.says("LogOn")["ok"]
        revoke(table.keys, "cy", TODAY)
        assert table.door.look() == "less"
        answer = dealer.says("LogOff")
    assert answer["error"] == "$: this key is not in force at this table."
    assert [fact for fact in table.decided() if isinstance(fact, m.DealerChanged)][-1].after == "cy"


def test_a_new_key_opens_the_door_without_a_restart(table: Table) -> None:
    table.files["eve"] = add(table.keys, "eve", "dealer", TODAY)
    public = load_client_key(table.files["eve"]).public
    table.until(lambda: table.door.register.find(public) is not None)
    with table.client("eve") as client:
        assert client.says("LogOn")["ok"]


def test_a_repeated_request_has_one_effect_and_is_recorded(table: Table) -> None:
    with table.client("cy") as dealer:
        first = dealer.says("LogOn", id="one")
        again = dealer.says("LogOn", id="one")
        other = dealer.says("LogOff", id="one")
    assert again == first
    assert other["error"].startswith("$.id: `one` was another command's")
    table.until(lambda: len(table.turned_away()) == 2)
    assert table.turned_away() == {("repeated", "cy", "LogOn"), ("other_body", "cy", "LogOff")}
    assert sum(isinstance(fact, m.DealerChanged) for fact in table.decided()) == 1


def test_a_request_that_another_key_repeats_is_that_keys_own(table: Table) -> None:
    with table.client("web") as pages, table.client("cy") as dealer:
        assert pages.says("LogOn", id="one", operator="ann", role="dealer")["ok"]
        copied = dealer.says("LogOn", id="one", operator="ann", role="dealer")
    assert copied["error"].startswith('$.operator: "ann" was found')
    assert sum(isinstance(fact, m.DealerChanged) for fact in table.decided()) == 1


def test_a_dead_authenticator_lets_nobody_in(table: Table) -> None:
    table.door.socket.close(0)
    with table.client("sue") as client:
        client.send(ask="snapshot")
        for _ in range(50):
            table.commands.socket.poll(10)
            assert table.commands.drain(10) == []
        assert not client.ears.poll(0)


def test_the_authenticator_survives_an_error_of_its_own(table: Table, mocker: MockerFixture) -> None:
    broken = mocker.patch.object(Door, "_judge", side_effect=RuntimeError("a bad register"))
    with table.client("sue") as client:
        client.send(ask="snapshot")
        table.until(lambda: broken.call_count > 0)
        assert not client.mouth.poll(0)
    mocker.stop(broken)
    with table.client("sue") as client:
        assert client.says("LogOn")["ok"]
    assert ("fault", "", "connect") in table.turned_away()


def test_a_register_that_cannot_be_read_lets_nobody_in_until_it_can(table: Table) -> None:
    good = Path(register_path(table.keys)).read_text("ascii")
    with table.client("sue") as client:
        assert client.says("LogOn")["ok"]
        Path(register_path(table.keys)).write_text("damaged", "ascii")
        table.until(client.refused)
    Path(register_path(table.keys)).write_text(good, "ascii")
    table.until(lambda: table.door.names != ())
    # ZeroMQ never knocks again with a socket that was refused: it takes a new one.
    with table.client("sue") as client:
        assert client.says("LogOff")["ok"]


def test_a_register_that_is_gone_lets_nobody_in(table: Table) -> None:
    Path(register_path(table.keys)).unlink()
    assert table.door.look() == "less"
    assert table.door.names == ()


def test_what_the_authenticator_is_asked_in_a_wrong_form_is_refused(table: Table) -> None:
    asker = table.context.socket(zmq.DEALER)
    asker.connect("inproc://zeromq.zap.01")
    key = load_client_key(table.files["sue"])
    from zmq.utils import z85

    public = z85.decode(key.public)
    forms = [
        [b"", b"1.0", b"7", b"another", b"", b"", b"CURVE", public],
        [b"", b"2.0", b"7", b"state", b"", b"", b"CURVE", public],
        [b"", b"1.0", b"7", b"state", b"", b"", b"NULL"],
        [b"", b"1.0", b"7", b"state", b"", b"", b"NULL", public],
        [b"", b"1.0", b"7", b"state", b"", b"", b"PLAIN", public, b""],
        [b"", b"1.0", b"7", b"state", b"", b"", b"CURVE"],
        [b"nothing"],
    ]
    try:
        for form in forms:
            asker.send_multipart(form)
            table.door.socket.poll(1000)
            knocks = table.door.drain(1)
            assert [knock.why for knock in knocks] in (["no_key"], ["fault"])
            assert asker.poll(1000)
            assert b"200" not in asker.recv_multipart()
        asker.send_multipart([b"", b"1.0", b"8", b"state", b"", b"", b"CURVE", public])
        table.door.socket.poll(1000)
        assert table.door.drain(1) == []
        assert asker.recv_multipart()[1:5] == [b"1.0", b"8", b"200", b"OK"]
    finally:
        asker.close(0)


def test_a_scanner_fills_no_journal_and_hides_behind_no_number() -> None:
    visitors = Visitors()
    for _ in range(1000):
        visitors.note(Knock("no_key", address="192.0.2.1"))
    visitors.note(Knock("role", "cy", "VoidRound"))
    assert [(one.why, one.times) for one in visitors.due(0)] == [("no_key", 1000), ("role", 1)]
    visitors.note(Knock("no_key"))
    assert visitors.due(AGAIN_US - 1) == []
    assert [(one.why, one.times) for one in visitors.due(AGAIN_US)] == [("no_key", 1)]
    for number in range(10 * KINDS_MAX):
        visitors.note(Knock("other_body", "cy", f"word {number}"))
    visitors.note(Knock("operator", "dora", "VoidRound"))
    told = visitors.due(3 * AGAIN_US)
    assert len(told) <= KINDS_MAX + 2
    assert sum(one.times for one in told) == 10 * KINDS_MAX + 1
    assert {one.who for one in told} == {"cy", "dora"}
