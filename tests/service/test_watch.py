"""The terminal view: what a tired dealer reads, and what a log keeps."""

import io
import itertools
import json
import re
from copy import deepcopy
from typing import Any

import pytest
import zmq

from table_controller.picture import HOLDS, block, describe, fact_words, large, render, result_words
from table_controller.watch import Feed, Screen

Json = dict[str, Any]


def seat(number: int, **changes: Any) -> Json:
    spot = {"chips": False, "cents": 0}
    return {
        "seat": number, "ante": spot, "raise": spot, "bonus": spot, "coin": "none", "lamp": "off",
        "folded": False, "dead": False, "cards": [],
        "results": {"ante": "", "raise": "", "bonus": "", "coin": ""}, **changes,
    }  # fmt: skip


def snapshot(count: int = 7, /, **changes: Any) -> Json:
    return {
        "round": "T1-20261130-004912-000001", "phase": "betting", "shown": "betting", "result": "",
        "holds": [], "alarms": [], "light": "green", "left_ms": None,
        "seats": [seat(n) for n in range(1, count + 1)],
        "dealer": {"cards": []}, "cards_out": 0, "rack": 0,
        "meter": {"cents": 5000049, "reserve_cents": 0, "overflow_cents": 0, "house_added_cents": 0},
        "awards": [], "coin_accept": [True] * count, "deck_due": False, "stub_due": False, "rounds": 12,
        "shoe": True, **changes,
    }  # fmt: skip


def stack(cents: int) -> Json:
    return {"chips": True, "cents": cents}


def a_full_settled_table() -> Json:
    state = snapshot(phase="settled", shown="settled", light="red", cards_out=40)
    for each in state["seats"]:
        each.update(
            ante=stack(100000), bonus=stack(500), coin="bet", lamp="on", cards=["KD", "AC", None, "TS", "9H"],
            results={"ante": "win 1000.00", "raise": "win 200000.00",
                     "bonus": "lose 5.00", "coin": "lose 1.00"},
        )  # fmt: skip
        each["raise"] = stack(200000)
    state["dealer"]["cards"] = ["AH", "KC", "4D", "3S", "2C"]
    return state


def row(text: str, label: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(label))


# ------------------------------------------------------------------------------------- the picture


def test_a_hold_is_told_in_words_with_who_is_waited_for() -> None:
    text = render(snapshot(shown="hold", holds=["dealer_short"]), [])
    assert "HOLD: dealer has four cards - waiting for a supervisor" in text


def test_the_phase_stands_in_letters_three_rows_high() -> None:
    rows = render(snapshot(phase="deciding", shown="deciding"), []).splitlines()
    assert [line.rstrip() for line in large("DECIDING")] == [line[:58].rstrip() for line in rows[1:4]]


@pytest.mark.parametrize(
    "phase",
    ["idle", "betting", "dealing", "deciding", "revealing", "settled", "void", "hold", "closed", "offline"],
)
def test_every_phase_can_be_written_large(phase: str) -> None:
    assert all(len(line) <= 58 for line in large(phase.upper()))
    assert "█" in large(phase.upper())[0]


def test_the_traffic_light_is_a_word_with_the_time_left() -> None:
    assert "YELLOW 12 s left" in render(snapshot(light="yellow", left_ms=11001), [])


def test_a_lamp_is_a_sign_and_a_word() -> None:
    state = snapshot(3)
    for each, lamp in zip(state["seats"], ("on", "off", "blink"), strict=True):
        each["lamp"] = lamp
    assert re.search(r"jackpot +\(O\) lit +\( \) dark +\(\*\) blink", render(state, []))


def test_seat_one_stands_at_the_dealers_left() -> None:
    heads = next(line for line in render(snapshot(), []).splitlines() if "SEAT 1" in line)
    assert re.findall(r"SEAT (\d)", heads) == list("1234567")


def test_a_hidden_card_is_a_back() -> None:
    state = snapshot(2)
    state["seats"][0]["cards"] = [None, None, "QS"]
    state["dealer"]["cards"] = ["AH", None]
    text = render(state, [])
    assert "## ## QS" in row(text, "cards")
    assert "AH ##" in row(text, "DEALER")


def test_chips_without_an_amount_are_not_keyed_yet() -> None:
    state = snapshot(2)
    state["seats"][0]["ante"] = {"chips": True, "cents": 0}
    assert "not keyed" in row(render(state, []), "ante")


def test_a_folded_and_a_dead_seat_say_so() -> None:
    text = render(snapshot(2, seats=[seat(1, folded=True), seat(2, dead=True)]), [])
    assert "1 FOLDED" in text
    assert "2 DEAD" in text


def test_a_seat_reads_its_results_as_it_settles() -> None:
    state = snapshot(3)
    state["seats"][0].update(
        ante=stack(2000), results={"ante": "win 20.00", "raise": "", "bonus": "", "coin": ""}
    )
    assert "wins 20.00" in render(state, [])


@pytest.mark.parametrize("width", [80, 81, 100, 132, 200])
def test_a_full_table_fits_the_terminal_and_cuts_no_amount(width: int) -> None:
    text = render(a_full_settled_table(), [{"type": "BetsLocked"}] * 50, width=width)
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= width
    assert text.count("1000.00") == 7
    assert text.count("200000.00") == 7
    assert text.count("wins") == 14
    assert text.count("loses") == 14


def test_colours_change_no_character() -> None:
    state = a_full_settled_table()
    coloured = render(state, [], colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(state, [])


@pytest.mark.parametrize(
    ("age_ms", "said"), [(2999, "rounds 12"), (3000, "last update 3 s ago"), (10000, "last update 10 s ago")]
)
def test_old_data_says_how_old_it_is(age_ms: int, said: str) -> None:
    assert said in render(snapshot(), [], age_ms=age_ms).splitlines()[0]


def test_after_ten_seconds_of_silence_the_table_is_offline_and_shows_no_light() -> None:
    text = render(snapshot(), [], age_ms=10000)
    assert text.splitlines()[1].startswith(large("OFFLINE")[0])
    assert "GREEN" not in text


def test_a_house_without_a_progressive_has_no_meter() -> None:
    assert "none at this table" in row(render(snapshot(meter=None), []), "METER")


def test_the_last_facts_stand_below_the_newest_last() -> None:
    facts: list[Json] = [
        {"type": "KeyTaken", "key": "open"},
        {"type": "SeatFolded", "seat": 3, "by": "dealer"},
    ]
    lines = render(snapshot(), facts).splitlines()
    assert lines[-2:] == ["  key open", "  seat 3 folds (by dealer)"]


# ---------------------------------------------------------------------------------------- words


def test_money_in_a_fact_is_written_as_money() -> None:
    fact = {"type": "AwardPaid", "seat": 2, "hand": "royal_flush", "cents": 5000049}
    assert fact_words(fact) == "AWARD seat 2: royal flush pays 50,000.49"


def test_an_alarm_names_its_place() -> None:
    assert (
        fact_words({"type": "AlarmRaised", "alarm": "late_coin", "place": "3"}) == "ALARM late coin at seat 3"
    )
    assert fact_words({"type": "AlarmRaised", "alarm": "dealer_short", "place": "D"}).endswith(
        "at the dealer"
    )
    assert fact_words({"type": "AlarmRaised", "alarm": "shoe_lost", "place": ""}) == "ALARM shoe lost"


def test_a_round_number_keeps_its_own_spelling() -> None:
    assert "T_1-x" in fact_words({"type": "RoundOpened", "round": "T_1-x"})


def test_a_fact_of_a_newer_table_is_shown_by_its_name() -> None:
    assert fact_words({"type": "SunRose", "over": "sea"}) == "SunRose over sea"
    assert fact_words({"type": "SeatFolded"}) == "SeatFolded"


def test_results_are_said_as_the_dealer_says_them() -> None:
    assert [result_words(text) for text in ("win 20.00", "lose 1.00", "push 5.00", "none", "", "waits")] == [
        "wins 20.00", "loses 1.00", "push 5.00", "", "", "waits",
    ]  # fmt: skip


def test_every_hold_of_the_house_has_its_words() -> None:
    assert all(" " in words and "_" not in words for words in HOLDS.values())


# ------------------------------------------------------------------------------------------ the log


def test_a_log_block_holds_only_what_has_changed() -> None:
    before = snapshot(3)
    after = deepcopy(before)
    after["seats"][1]["ante"] = stack(1000)
    assert block(describe(before), describe(after), []) == ["seat 2 ante: 10.00"]


def test_time_that_runs_is_no_change() -> None:
    assert describe(snapshot(left_ms=5000)) == describe(snapshot(left_ms=4000))


def test_a_new_round_does_not_tell_that_the_felt_is_empty() -> None:
    played = snapshot(2, round="one")
    played["seats"][0].update(ante=stack(1000), cards=["AS"] * 5)
    assert block(describe(played), describe(snapshot(2, round="two")), []) == ["round: two"]


def test_lamps_that_go_out_at_clear_are_not_told_one_by_one() -> None:
    lit, cleared = snapshot(1, phase="settled", shown="settled"), snapshot(1, phase="idle", shown="idle")
    lit["seats"][0]["lamp"] = "on"
    assert block(describe(lit), describe(cleared), []) == ["phase: IDLE, light green"]


def test_a_share_of_a_royal_is_not_called_a_royal() -> None:
    award = {"seat": 2, "hand": "royal_flush", "cents": 5000, "kind": "share", "status": "waits"}
    assert "AWARD   seat 2 share of a royal flush 50.00 waits" in render(snapshot(awards=[award]), [])


def test_the_log_tells_no_backs_while_cards_are_dealt() -> None:
    dealing, deciding = snapshot(1, phase="dealing"), snapshot(1, phase="deciding")
    for state in (dealing, deciding):
        state["seats"][0]["cards"] = [None] * 5
    assert "seat 1 hand" not in describe(dealing)
    assert describe(deciding)["seat 1 hand"] == "## ## ## ## ##"


def test_facts_that_the_view_shows_anyway_are_not_said_again() -> None:
    shares: Json = {"type": "MeterChanged", "before_cents": 1, "after_cents": 2, "why": "contribution"}
    hit: Json = {"type": "MeterChanged", "before_cents": 900, "after_cents": 100, "why": "award"}
    keyed: Json = {"type": "Stated", "statement": "SetAmount"}
    counted: Json = {"type": "Stated", "statement": "StateCount"}
    assert block({}, {}, [shares, hit, keyed, counted]) == [
        "meter 9.00 -> 1.00 (award)",
        "stated: StateCount",
    ]


def test_an_ended_hold_is_told_too() -> None:
    held, free = describe(snapshot(holds=["dealer_long"])), describe(snapshot())
    assert block(held, free, []) == ["notice 1: no more"]


# ------------------------------------------------------------------------------------- what is heard


class FakeTable:
    """A publisher and an answerer on in-process sockets."""

    names = itertools.count()

    def __init__(self) -> None:
        number = next(self.names)
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.state, self.commands = f"inproc://state{number}", f"inproc://commands{number}"
        self.publisher, self.router = self.context.socket(zmq.XPUB), self.context.socket(zmq.ROUTER)
        self.publisher.bind(self.state)
        self.router.bind(self.commands)
        self.now_ms = 0
        self.feed = Feed(self.state, self.commands, self.context, now_ms=lambda: self.now_ms)
        for _ in range(3):
            assert self.publisher.poll(1000)
            self.publisher.recv()

    def envelope(self, kind: str, body: Json, seq: int, boot: int = 1) -> Json:
        return {"v": 1, "type": kind, "table": "T1", "boot": boot, "seq": seq, "at_ms": 61500, "synced": True,
                "body": body}  # fmt: skip

    def publish(self, kind: str, body: Json, seq: int, boot: int = 1) -> None:
        self.publisher.send_multipart(
            [kind.encode(), json.dumps(self.envelope(kind, body, seq, boot)).encode()]
        )
        assert self.feed.pump(1000)

    def asked(self) -> bool:
        return bool(self.router.poll(0))

    def answer(self, body: Json, seq: int) -> None:
        assert self.router.poll(1000)
        sender, raw = self.router.recv_multipart()
        request = json.loads(raw)
        assert request["ask"] == "snapshot"
        answer = {"v": 1, "id": request["id"], "ok": True, "state": self.envelope("state", body, seq)}
        self.router.send_multipart([sender, json.dumps(answer).encode()])
        assert self.feed.pump(1000)

    def close(self) -> None:
        self.feed.close()
        self.publisher.close(linger=0)
        self.router.close(linger=0)
        self.context.term()


@pytest.fixture
def table() -> Any:
    fake = FakeTable()
    yield fake
    fake.close()


def test_a_late_comer_asks_for_the_snapshot(table: FakeTable) -> None:
    table.feed.pump(0)
    table.answer(snapshot(rounds=77), seq=5)
    assert table.feed.state is not None
    assert table.feed.state["rounds"] == 77


def test_an_older_snapshot_never_replaces_a_newer_one(table: FakeTable) -> None:
    table.publish("state", snapshot(rounds=2), seq=9)
    table.publish("state", snapshot(rounds=1), seq=8)
    assert table.feed.state is not None
    assert table.feed.state["rounds"] == 2
    table.publish("state", snapshot(rounds=3), seq=1, boot=2)
    assert table.feed.state["rounds"] == 3


def test_a_heartbeat_ahead_of_the_snapshot_makes_the_view_ask(table: FakeTable) -> None:
    table.publish("state", snapshot(), seq=9)
    table.answer(snapshot(), seq=9)
    table.now_ms = 5000
    table.feed.pump(0)
    assert not table.asked()
    table.publish("heartbeat", {"head": "00"}, seq=10)
    table.feed.pump(0)
    assert table.asked()


def test_the_age_is_counted_from_the_last_word_of_the_table(table: FakeTable) -> None:
    table.publish("state", snapshot(), seq=1)
    table.now_ms = 4000
    assert table.feed.age_ms == 4000
    table.publish("heartbeat", {"head": "00"}, seq=1)
    assert table.feed.age_ms == 0


def test_a_log_gets_one_block_per_change_without_colours(table: FakeTable) -> None:
    out = io.StringIO()
    with Screen(out) as screen:
        table.publish("state", snapshot(2), seq=1)
        screen.show(table.feed)
        out.seek(0), out.truncate()
        screen.show(table.feed)
        assert out.getvalue() == ""
        table.publish("fact", {"type": "CoinAccepted", "seat": 2}, seq=2)
        table.publish("state", snapshot(2, seats=[seat(1), seat(2, coin="bet", lamp="on")]), seq=2)
        screen.show(table.feed)
        assert out.getvalue() == (
            "00:01:01.5  coin of seat 2 is a jackpot bet\n00:01:01.5  seat 2 jackpot: (O) lit\n"
        )


def test_a_log_says_once_that_the_table_is_silent_and_once_that_it_is_back(table: FakeTable) -> None:
    out = io.StringIO()
    screen = Screen(out)
    table.publish("state", snapshot(2), seq=1)
    screen.show(table.feed)
    for table.now_ms in (4000, 5000, 10000, 11000):
        screen.show(table.feed)
    table.publish("heartbeat", {"head": "00"}, seq=1)
    screen.show(table.feed)
    assert [line[12:] for line in out.getvalue().splitlines()[-3:]] == [
        "no news: last update 4 s ago",
        "OFFLINE, nothing is confirmed: last update 10 s ago",
        "the table is heard again",
    ]


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_left_as_it_was_found(table: FakeTable) -> None:
    out = FakeTerminal()
    table.publish("state", snapshot(), seq=1)
    with Screen(out) as screen:
        screen.show(table.feed)
        drawn = out.tell()
        screen.show(table.feed)
        assert out.tell() == drawn, "nothing changed, nothing is written"
    assert out.getvalue().startswith("\x1b[?1049h")
    assert out.getvalue().endswith("\x1b[?1049l")
