"""Requests from the panel and the console: who may say what, and what a wrong request is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import zmq

from table_controller.commands import Commands
from table_controller.request import MAX_REQUEST_BYTES, Request
from table_controller.table import messages as words
from table_controller.table.messages import Fold, Said, SetAmount, StateHand, TrySeat, VoidRound
from table_controller.table.roles import ROLES

WAIT_MS = 5_000

ANTE: dict[str, Any] = {
    "v": 1,
    "id": "5c3a-1",
    "command": {"type": "SetAmount", "spot": "ante", "seat": 1, "cents": 1_000},
    "operator": "ann",
    "role": "dealer",
    "reason": "",
    "round": "T1-1",
}
VOID = ANTE | {"command": {"type": "VoidRound"}, "role": "supervisor", "reason": "misdeal"}


class Panel:
    """A panel at the table and the socket it talks to."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> None:
        self.commands = Commands(context, endpoint)
        self.context = context
        self.ipc = endpoint.startswith("ipc:")
        self.socket = self.another()

    def another(self) -> zmq.Socket[bytes]:
        """Another panel's end of a line to the same table."""
        socket = self.context.socket(zmq.DEALER)
        socket.connect(self.commands.socket.getsockopt_string(zmq.LAST_ENDPOINT))
        return socket

    def say(self, *requests: dict[str, Any] | bytes) -> list[Request]:
        """Send requests; what the service takes in of them."""
        for request in requests:
            self.socket.send(request if isinstance(request, bytes) else json.dumps(request).encode())
        return self.taken()

    def taken(self) -> list[Request]:
        assert self.commands.socket.poll(WAIT_MS), "the request does not arrive"
        return self.commands.drain(10)

    def one(self, request: dict[str, Any]) -> Request:
        (taken,) = self.say(request)
        return taken

    def answer(self) -> dict[str, Any]:
        assert self.socket.poll(WAIT_MS), "no answer arrives"
        answer: dict[str, Any] = json.loads(self.socket.recv())
        return answer

    def refusal(self, request: dict[str, Any] | bytes) -> str:
        """The sentence with which a request is refused before it reaches the table."""
        assert self.say(request) == []
        answer = self.answer()
        assert (answer["ok"], answer["seq"]) == (False, 0)
        return str(answer["error"])


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    context = zmq.Context[zmq.Socket[bytes]]()
    yield context
    context.destroy(0)


@pytest.fixture(params=["inproc", "ipc"])
def panel(
    request: pytest.FixtureRequest, context: zmq.Context[zmq.Socket[bytes]], tmp_path: Path
) -> Iterator[Panel]:
    panel = Panel(context, "inproc://commands" if request.param == "inproc" else f"ipc://{tmp_path}/c")
    yield panel
    panel.socket.close(0)
    panel.commands.close()


def with_command(**fields: Any) -> dict[str, Any]:
    return ANTE | {"command": ANTE["command"] | fields}


# ------------------------------------------------------------------------------------- taken and answered


def test_a_command_arrives_with_who_said_it(panel: Panel) -> None:
    request = panel.one(ANTE)
    assert request.said == Said(SetAmount("ante", 1, 1_000), "ann", "dealer", "", "T1-1")
    assert (request.sender, request.id) == ("ann", "5c3a-1")


def test_a_command_is_answered_with_its_journal_number(panel: Panel) -> None:
    panel.commands.answer(panel.one(ANTE), True, 123)
    assert panel.answer() == {"v": 1, "id": "5c3a-1", "ok": True, "seq": 123}


def test_a_refused_command_is_answered_with_its_number_and_the_reason(panel: Panel) -> None:
    panel.commands.answer(panel.one(ANTE), False, 124, "Bets are closed.")
    assert panel.answer() == {"v": 1, "id": "5c3a-1", "ok": False, "seq": 124, "error": "Bets are closed."}


def test_a_turn_takes_a_bounded_number_of_requests_in_their_order(panel: Panel) -> None:
    for number in range(15):
        panel.socket.send(json.dumps(ANTE | {"id": f"id-{number}"}).encode())
    taken: list[Request] = []
    while len(taken) < 15:
        turn = panel.taken()
        assert len(turn) <= 10
        taken += turn
    assert [request.id for request in taken] == [f"id-{number}" for number in range(15)]
    assert panel.commands.drain(10) == []


def test_the_snapshot_is_the_newest_state_envelope(panel: Panel) -> None:
    request = panel.one({"v": 1, "id": "q1", "ask": "snapshot"})
    assert request.said is None
    panel.commands.answer_snapshot(request, b'{"v":1,"type":"state","seq":7,"body":{}}')
    state = {"v": 1, "type": "state", "seq": 7, "body": {}}
    assert panel.answer() == {"v": 1, "id": "q1", "ok": True, "state": state}


def test_the_question_for_the_lines_is_answered_with_every_wire(panel: Panel) -> None:
    request = panel.one({"v": 1, "id": "q2", "ask": "lines"})
    assert (request.said, request.ask) == (None, "lines")
    panel.commands.answer_lines(request, b'{"lines":[],"slots":[],"senses":[],"shoe":null}')
    lines: dict[str, Any] = {"lines": [], "slots": [], "senses": [], "shoe": None}
    assert panel.answer() == {"v": 1, "id": "q2", "ok": True, "lines": lines}


def test_before_the_first_state_there_is_no_snapshot(panel: Panel) -> None:
    panel.commands.answer_snapshot(panel.one({"v": 1, "id": "q1", "ask": "snapshot"}), b"")
    assert "has not shown a state yet" in panel.answer()["error"]


def test_a_repeated_request_is_answered_as_before(panel: Panel) -> None:
    first, again = panel.one(ANTE), panel.one(dict(reversed(list(ANTE.items()))))
    panel.commands.answer_again(again, first.body_hash, False, 124, "Bets are closed.")
    assert panel.answer() == {"v": 1, "id": "5c3a-1", "ok": False, "seq": 124, "error": "Bets are closed."}


@pytest.mark.parametrize(
    "other", [with_command(cents=2_000), ANTE | {"role": "supervisor"}, ANTE | {"round": "T1-2"}]
)
def test_an_id_that_was_used_for_another_command_is_refused(panel: Panel, other: dict[str, Any]) -> None:
    first, second = panel.one(ANTE), panel.one(other)
    panel.commands.answer_again(second, first.body_hash, True, 124, "")
    answer = panel.answer()
    assert (answer["ok"], answer["seq"]) == (False, 124)
    assert "`5c3a-1` was another command's, entry 124" in answer["error"]


def test_an_answer_for_somebody_who_has_left_is_dropped(panel: Panel) -> None:
    request = panel.one(ANTE)
    panel.socket.close(0)
    panel.commands.answer(request, True, 1)
    assert panel.commands.drain(10) == []


# -------------------------------------------------------------------------------------------- roles


def test_every_word_has_its_roles() -> None:
    assert set(ROLES) == set(get_args(words.AnyCommand))


def test_the_supervisors_words_are_those_that_decide_a_round_a_day_or_a_payment() -> None:
    decisions = {kind.__name__ for kind, roles in ROLES.items() if roles == {"supervisor"}}
    assert decisions == {
        "VoidRound",
        "DeadHand",
        "Withdraw",
        "KillHand",
        "Resume",
        "FoldShort",
        "ReturnExcess",
        "NewDeck",
        "SetParameter",
        "PayHit",
        "WithholdHit",
        "ReleaseHit",
        "OpenDay",
        "CloseDay",
        "ChangeShift",
        "BeginTrial",
        "EndTrial",
    }


def test_a_supervisor_may_void_with_a_reason(panel: Panel) -> None:
    assert panel.one(VOID).said == Said(VoidRound(), "ann", "supervisor", "misdeal", "T1-1")


def test_a_role_that_may_not_say_a_word_is_refused_by_the_table_that_records_it(
    panel: Panel,
) -> None:
    said = panel.one(VOID | {"role": "dealer", "reason": ""}).said
    assert said == Said(VoidRound(), "ann", "dealer", "", "T1-1")


@pytest.mark.parametrize("word", ["RepeatAmounts", "DoubleAmounts", "ClearAmounts"])
def test_a_word_for_all_seats_says_so_with_seat_0(panel: Panel, word: str) -> None:
    said = panel.one(ANTE | {"command": {"type": word, "seat": 0}}).said
    assert said is not None
    assert said.command.seat == 0  # type: ignore[union-attr]
    error = panel.refusal(ANTE | {"command": {"type": word, "seat": 8}})
    assert error == "$.command.seat: 8 was found; allowed: seats 1 to 7, and 0 for all."


def test_in_a_trial_seat_0_is_no_seat(panel: Panel) -> None:
    said = panel.one(ANTE | {"command": {"type": "TrySeat", "seat": 0}}).said
    assert said is not None
    assert said.command == TrySeat(0)
    error = panel.refusal(ANTE | {"command": {"type": "TrySeat", "seat": 8}})
    assert error == "$.command.seat: 8 was found; allowed: seats 1 to 7, and 0 for none."
    assert panel.refusal(ANTE | {"command": {"type": "LampSeen", "seat": 0}}).endswith("seats 1 to 7.")


@pytest.mark.parametrize(
    "command",
    [
        {"type": "SetParameter", "option": "reset", "value": "20000.00", "approval": "A-1"},
        {"type": "PayHit", "document": "T1-A000001", "at": "cage"},
        {"type": "WithholdHit", "document": "T1-A000001", "hold": "tax"},
        {"type": "OpenDay"},
        {"type": "BeginTrial", "notified": "the laboratory, by mail"},
    ],
)
def test_a_supervisors_word_needs_a_reason(panel: Panel, command: dict[str, str]) -> None:
    word = command["type"]
    unexplained = ANTE | {"command": command, "role": "supervisor"}
    assert panel.refusal(unexplained) == f'$.reason: "" was found; {word} needs a reason.'


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (
            {"type": "PayHit", "document": "T1-A000001", "at": "bar"},
            '$.command.at: "bar" was found; allowed: table, cage.',
        ),
        (
            {"type": "WithholdHit", "document": "T1-A000001", "hold": "mood"},
            '$.command.hold: "mood" was found; allowed: identity, tax, other.',
        ),
        (
            {"type": "CorrectMeter", "pot": "drop", "cents": 1, "why": "display_wrong", "approval": "A-1"},
            '$.command.pot: "drop" was found; allowed: meter, overflow, reserve.',
        ),
        (
            {"type": "CorrectMeter", "pot": "meter", "cents": 1, "why": "fun", "approval": "A-1"},
            '$.command.why: "fun" was found; allowed: display_wrong, over_maximum, undisplayed_taken, '
            "seed_recovered, added_by_house.",
        ),
    ],
)
def test_a_word_about_money_names_its_choices(panel: Panel, command: dict[str, Any], error: str) -> None:
    assert panel.refusal(ANTE | {"command": command, "role": "supervisor", "reason": "because"}) == error


@pytest.mark.parametrize("shift", ["two\nlines", "bell\a", "x\x1b[2J", "\u202eevil", "x" * 201])
def test_a_text_of_a_command_is_letters_on_one_line(panel: Panel, shift: str) -> None:
    command = {"type": "ChangeShift", "shift": shift}
    error = panel.refusal(ANTE | {"command": command, "role": "supervisor", "reason": "because"})
    assert error.startswith("$.command.shift: ")
    assert error.endswith("allowed: at most 200 letters on one line.")


def test_a_supervisor_needs_a_reason_to_void(panel: Panel) -> None:
    assert panel.refusal(VOID | {"reason": "  "}) == '$.reason: "  " was found; VoidRound needs a reason.'


def test_a_supervisor_may_say_what_a_dealer_may(panel: Panel) -> None:
    request = panel.one(ANTE | {"command": {"type": "Fold", "seat": 2}, "role": "supervisor"})
    assert request.said is not None
    assert request.said.command == Fold(2)


def test_a_command_without_a_role_is_refused(panel: Panel) -> None:
    request = {key: value for key, value in ANTE.items() if key != "role"}
    assert (
        panel.refusal(request) == "$.role: nothing was found; SetAmount may be said by: dealer, supervisor."
    )


def test_a_word_that_is_not_listed_may_be_said_by_nobody(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_controller.request.ROLES", {})
    assert "SetAmount may be said by" in panel.refusal(ANTE)


# ----------------------------------------------------------------------------- wrong requests, by name


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (with_command(spot="jackpot"), '$.command.spot: "jackpot" was found; allowed: ante, raise, bonus.'),
        (with_command(seat="1"), '$.command.seat: "1" was found; allowed: a whole number.'),
        (with_command(cents=10.5), "$.command.cents: 10.5 was found; allowed: a whole number."),
        (with_command(cents=True), "$.command.cents: true was found; allowed: a whole number."),
        (with_command(cents=-1), "$.command.cents: -1 was found; allowed: 0 to 9007199254740991."),
        (with_command(cents=2**53), f"$.command.cents: {2**53} was found; allowed: 0 to 9007199254740991."),
        (with_command(seat=-1), "$.command.seat: -1 was found; allowed: seats 1 to 7."),
        (with_command(seat=0), "$.command.seat: 0 was found; allowed: seats 1 to 7."),
        (with_command(seat=10**30), f"$.command.seat: {10**30} was found; allowed: seats 1 to 7."),
        (with_command(tip=1), '$.command: the key "tip" was found; allowed: type, spot, seat, cents.'),
        (ANTE | {"command": {"type": "Fold"}}, "$.command.seat: nothing was found; allowed: a whole number."),
        (
            ANTE | {"command": {"type": "StateHand", "place": "D"}},
            "$.command.cards: nothing was found; allowed: a list.",
        ),
        (
            ANTE | {"command": {"type": "StateHand", "place": "D", "cards": ["KD", 5]}},
            "$.command.cards[1]: 5 was found; allowed: a text.",
        ),
        (ANTE | {"command": {}}, "$.command.type: nothing was found; allowed: AddAmount, "),
        (ANTE | {"command": {"type": None}}, "$.command.type: null was found; allowed: AddAmount, "),
        ({"id": "q", "ask": "snapshot"}, "$.v: nothing was found; allowed: 1."),
        ({"v": 1, "ask": "snapshot"}, "$.id: nothing was found; allowed: 1 to 64 letters"),
        (ANTE | {"command": 5}, "$.command: 5 was found; allowed: an object."),
        (
            ANTE | {"expect": 1},
            '$: the key "expect" was found; allowed: v, id, command, ask, sign, operator, ',
        ),
        (ANTE | {"v": 2}, "$.v: 2 was found; allowed: 1."),
        (ANTE | {"role": "boss"}, '$.role: "boss" was found; allowed: dealer, supervisor.'),
        (ANTE | {"id": "a b"}, '$.id: "a b" was found; allowed: 1 to 64 letters, digits and _ . : -'),
        (
            ANTE | {"operator": ""},
            '$.operator: "" was found; allowed: the name of a person, 1 to 64 letters on one line.',
        ),
        (
            ANTE | {"operator": "a\nb"},
            r'$.operator: "a\nb" was found; allowed: the name of a person, 1 to 64',
        ),
        (ANTE | {"operator": "a" * 65}, 'a" was found; allowed: the name of a person, 1 to 64 letters'),
        (ANTE | {"reason": "a" * 1_001}, "aaa... was found; allowed: a text of at most 1000 letters."),
        (ANTE | {"round": "a" * 65}, "was found; allowed: a text of at most 64 letters."),
        (ANTE | {"address": "a"}, "$.address: it goes with wrong_pin and locked_out only."),
        (
            {"v": 1, "id": "q", "ask": "here", "sign": "A", "address": "a"},
            "$.address: it goes with wrong_pin",
        ),
        (
            {"v": 1, "id": "q", "ask": "wrong_pin", "operator": "a\nb"},
            r'$.operator: "a\nb" was found; allowed',
        ),
        (ANTE | {"ask": "snapshot"}, "$: both `command` and `ask` were found; allowed: one of them."),
        ({"v": 1, "id": "q"}, "$: neither `command` nor `ask` was found; allowed: one of them."),
        (
            {"v": 1, "id": "q", "ask": "journal"},
            '$.ask: "journal" was found; allowed: snapshot, house, offers, lines, here, gone, wrong_pin, ',
        ),
    ],
)
def test_a_wrong_request_is_told_place_value_and_what_is_allowed(
    panel: Panel, request_: dict[str, Any], error: str
) -> None:
    assert error in panel.refusal(request_)


def test_an_unknown_word_is_told_all_that_there_are(panel: Panel) -> None:
    error = panel.refusal(with_command(type="Explode"))
    assert error.startswith('$.command.type: "Explode" was found; allowed: AddAmount, BeginTrial, ')
    assert error.count(",") == len(ROLES) - 1


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (b'{"v": 1, "v": 1, "id": "q", "ask": "snapshot"}', "v"),
        (json.dumps(ANTE).replace('"seat": 1', '"seat": 1, "seat": 2').encode(), "seat"),
    ],
)
def test_a_key_that_stands_twice_is_refused_because_nobody_knows_which_is_meant(
    panel: Panel, text: bytes, key: str
) -> None:
    assert panel.refusal(text) == f'$: the key "{key}" was found twice in one object; allowed: once.'


@pytest.mark.parametrize(
    ("request_", "place"),
    [
        (ANTE | {"x - at `$.v.y`": 1}, "$: the key"),
        (with_command(**{"x - at `$.v.y`": 1}), "$.command: the key"),
        (with_command(type="x - at `$.v.y`"), "$.command.type: "),
        (with_command(spot="x - at `$.v.y`"), "$.command.spot: "),
    ],
)
def test_a_text_that_looks_like_a_place_is_not_taken_for_one(
    panel: Panel, request_: dict[str, Any], place: str
) -> None:
    assert panel.refusal(request_).startswith(place)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[",
        b"[1]",
        b'"fold"',
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"a":' * 12_000,
        b"1" * 5_000,
        b'{"id":"\\ud800"}',
        b'{"id":' + b"1" * 5_000 + b"}",
        b'{"v":NaN}',
    ],
)
def test_what_is_no_json_object_is_refused_and_harms_nobody(panel: Panel, text: bytes) -> None:
    error = panel.refusal(text)
    assert error.startswith("$: no JSON object was found (")
    assert error.endswith("); allowed: one object of JSON.")
    assert panel.one(ANTE).id == "5c3a-1"


def test_a_request_that_is_too_large_is_refused(panel: Panel) -> None:
    error = panel.refusal(ANTE | {"reason": "x" * MAX_REQUEST_BYTES})
    assert error.endswith(f" bytes were found; allowed: at most {MAX_REQUEST_BYTES}.")


def test_a_frame_without_measure_costs_its_sender_the_line_and_nobody_else(panel: Panel) -> None:
    if panel.ipc:
        cut = panel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        panel.socket.send(b"x" * (2 * 1024 * 1024))
        assert cut.poll(WAIT_MS), "the line is not cut"
        panel.socket.disable_monitor()
        cut.close(0)
        other = panel.another()
        other.send(json.dumps(ANTE).encode())
        (taken,) = panel.taken()
        assert taken.id == "5c3a-1"
        other.close(0)
    else:
        # Within one process ZeroMQ has no line that it could cut.
        assert panel.refusal(b"x" * (2 * 1024 * 1024)).startswith("$: 2097152 bytes were found")


def test_a_request_in_two_frames_is_refused(panel: Panel) -> None:
    panel.socket.send_multipart([b"{}", b"{}"])
    assert panel.taken() == []
    assert panel.answer()["error"] == "$: 2 frames were found; allowed: 1 frame of JSON."


def test_a_refusal_names_the_request_it_refuses(panel: Panel) -> None:
    panel.say(with_command(seat="1"))
    assert panel.answer()["id"] == "5c3a-1"


def test_the_log_says_where_a_request_was_wrong_but_no_value(
    panel: Panel, caplog: pytest.LogCaptureFixture
) -> None:
    panel.refusal(with_command(cents="777.00"))
    panel.refusal(b"777.00")
    assert caplog.messages == [
        "request 5c3a-1 refused at $.command.cents",
        "request without an id refused at $",
    ]


def test_cards_of_a_stated_hand_arrive_in_their_order(panel: Panel) -> None:
    hand = {"type": "StateHand", "place": "D", "cards": ["KD", "AC", "2S", "7H", "TC"]}
    said = panel.one(ANTE | {"command": hand}).said
    assert said is not None
    assert said.command == StateHand("D", ("KD", "AC", "2S", "7H", "TC"))
