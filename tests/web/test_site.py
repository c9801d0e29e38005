"""The site without a socket: who may ask what, how a word reaches a table, and what comes down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from table_controller.web import operators as operators_module
from table_controller.web import site as site_module
from table_controller.web import streams as streams_module
from table_controller.web.feeds import Heard, Picture
from table_controller.web.operators import LOCKED_MS, WRONG_MAX, Operators, Verdict
from table_controller.web.papers import Papers
from table_controller.web.screens import HELD_MS, SCREENS_MAX
from table_controller.web.sessions import IDLE_MS
from table_controller.web.settings import Proxy, Settings, TableDoor, Tls
from table_controller.web.site import make_site
from tests.web.knock import HOST, ORIGIN, Answer, Browser, served

PINS = {"ann": "271828", "ben": "141421", "cy": "161803", "di": "577215"}
ROLES = {"ann": "supervisor", "ben": "supervisor", "cy": "dealer", "di": "auditor"}
KEY = "3f0c8e9a-0000-4000-8000-000000000001"
LOCK = {"type": "PressKey", "key": "lock"}
VOID = {"type": "VoidRound"}
SAY = "/api/tables/T1/say"


class HandClock:
    """A clock that is set by hand."""

    ms = 10_000_000

    def now_ms(self) -> int:
        return self.ms

    def wall_ms(self) -> int:
        return 1_790_000_000_000 + self.ms


class Tables:
    """The seam of the site with tables that answer as a test says."""

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock
        self.asked: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | None = {"v": 1, "id": "", "ok": True, "seq": 7}
        self.shown = {name: Picture(name, heard_ms=clock.ms) for name in ("T1", "T2")}

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self.shown)

    def start(self, told: Callable[[str, tuple[Heard, ...]], None]) -> None:
        self.told = told

    async def stop(self) -> None:
        return

    def picture(self, table: str) -> Picture:
        return self.shown[table]

    async def request(self, table: str, body: dict[str, Any]) -> dict[str, Any] | None:
        self.asked.append({"table": table, **body})
        return self.answer

    @property
    def said(self) -> list[dict[str, Any]]:
        """The words that came to a table."""
        return [one for one in self.asked if "command" in one]

    def paint(self, table: str = "T1", facts: tuple[Heard, ...] = (), **changes: Any) -> None:
        """Something is heard of a table."""
        changes = {"heard_ms": self.clock.ms, **changes}
        self.shown[table] = msgspec.structs.replace(self.shown[table], **changes)
        self.told(table, facts)


class Desk:
    """A site, its tables, its clock, and browsers at it."""

    def __init__(self, folder: Path, people: bytes, **changes: Any) -> None:
        place = folder / "operators.toml"
        place.write_bytes(people)
        place.chmod(0o600)
        self.clock = HandClock()
        self.operators = Operators(str(place), self.clock)
        doors = {name: TableDoor(name, "inproc://s", "inproc://c") for name in ("T1", "T2")}
        doors["T2"] = msgspec.structs.replace(doors["T2"], signs=("MAIN",))
        settings = Settings(str(folder / "web.toml"), "127.0.0.1", 8080, str(place), doors)
        self.tables = Tables(self.clock)
        self.app = make_site(
            msgspec.structs.replace(settings, **changes), self.tables, self.operators, self.clock
        )

    def browser(self, address: str = "127.0.0.1") -> Browser:
        return Browser(self.app, address)

    async def at(self, name: str) -> Browser:
        browser = self.browser()
        answer = await browser.log_in(name, PINS[name])
        assert answer.status == 200, answer.body
        return browser

    def run(self, test: Callable[[], Awaitable[None]]) -> None:
        """Do it at the running site."""

        async def whole() -> None:
            async with served(self.app):
                await test()

        asyncio.run(whole())


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("people") / "operators.toml"
    operators = Operators(str(place), HandClock())
    for name, role in ROLES.items():
        operators.add(name, role, PINS[name])
    return place.read_bytes()


@pytest.fixture
def desk(tmp_path: Path, people: bytes) -> Desk:
    return Desk(tmp_path, people)


async def say(browser: Browser, command: dict[str, Any], key: str = KEY, **more: Any) -> Answer:
    return await browser.post(SAY, {"command": command, **more}, idempotency_key=key)


# ------------------------------------------------------------------------------------ the door


def test_pages_without_a_log_in_lead_to_it_and_back(desk: Desk) -> None:
    async def test() -> None:
        for page in ("panel", "console"):
            answer = await desk.browser().get(f"/{page}?table=T1")
            assert answer.status == 303
            assert answer.headers["location"] == f"/login?then=/{page}%3Ftable%3DT1"
        assert (await desk.browser().get("/sign?table=T1")).status == 200
        assert (await (await desk.at("cy")).get("/panel")).status == 200

    desk.run(test)


def test_every_answer_carries_the_headers_that_keep_a_browser_in(desk: Desk) -> None:
    async def test() -> None:
        for path in (
            "/login",
            "/api/config",
            "/static/look.css",
            "/nowhere",
            "/api/nowhere",
            "/api/sessions",
        ):
            answer = await desk.browser().get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy, path
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers
            assert "strict-transport-security" not in answer.headers

    desk.run(test)


def test_a_host_that_is_not_ours_is_not_served(desk: Desk) -> None:
    async def test() -> None:
        for host, status in (("evil.example", 421), ("127.0.0.1.evil.example:8080", 421), ("", 421)):
            assert (await desk.browser().get("/api/config", host=host)).status == status
        for host in ("localhost:8080", "127.0.0.1", "[::1]:9", HOST):
            assert (await desk.browser().get("/api/config", host=host)).status == 200

    desk.run(test)


def test_a_post_from_another_place_is_not_taken(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        for origin in ("http://evil.example", "null", "", "https://127.0.0.1:8080", "http://127.0.0.1:81"):
            for path in (SAY, "/api/login", "/api/logout", "/api/signs/T1/alive"):
                answer = await browser.post(path, {}, origin=origin)
                assert answer.status == 403, (origin, path)
        assert desk.tables.asked == []

    desk.run(test)


def test_a_request_needs_the_token_of_its_session(desk: Desk) -> None:
    async def test() -> None:
        browser, other = await desk.at("cy"), await desk.at("ann")
        for path in (SAY, "/api/tables/T1/ask", "/api/tables/T1/effect", "/api/logout"):
            for token in ("", other.csrf, browser.csrf + "x"):
                assert (await browser.post(path, {}, x_csrf_token=token)).status == 403, path
            assert (await desk.browser().post(path, {})).status == 401, path
        assert desk.tables.asked == []

    desk.run(test)


def test_the_cookie_is_for_this_site_alone(desk: Desk) -> None:
    async def test() -> None:
        browser = desk.browser()
        answer = await browser.log_in("cy", PINS["cy"])
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "path=/" in cookie
        assert "domain" not in cookie
        assert "secure" not in cookie

    desk.run(test)


def test_over_tls_the_cookie_and_the_headers_are_for_tls_alone(tmp_path: Path, people: bytes) -> None:
    desk = Desk(tmp_path, people, tls=Tls("c.pem", "k.pem", ("table.example",)))

    async def test() -> None:
        browser = Browser(desk.app, scheme="https")
        answer = await browser.post(
            "/api/login",
            {"operator": "cy", "pin": PINS["cy"]},
            host="table.example",
            origin="https://table.example",
        )
        assert answer.status == 200
        assert answer.headers["set-cookie"].startswith("__Host-session=")
        assert "; Secure" in answer.headers["set-cookie"]
        assert "max-age" in answer.headers["strict-transport-security"]

    desk.run(test)


def test_behind_a_proxy_only_the_proxy_is_believed(tmp_path: Path, people: bytes) -> None:
    desk = Desk(tmp_path, people, proxy=Proxy("https://table.example", "10.0.0.1"))

    async def test() -> None:
        assert (await desk.browser("10.0.0.9").get("/api/config", host="table.example")).status == 403
        proxy = desk.browser("10.0.0.1")
        sent = {"host": "table.example", "origin": "https://table.example"}
        # Every browser behind it has its own share of tries.
        for number in range(site_module.LOGINS_A_MINUTE + 5):
            forwarded = f"9.9.9.9, 192.168.1.{number}"
            body = {"operator": f"name {number}", "pin": "999998"}
            answer = await proxy.post("/api/login", body, x_forwarded_for=forwarded, **sent)
            assert answer.status == 403
        answer = await proxy.post("/api/login", {"operator": "cy", "pin": PINS["cy"]}, **sent)
        assert "; Secure" in answer.headers["set-cookie"]

    desk.run(test)


def test_what_is_too_long_or_no_json_is_refused(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        long = {"command": LOCK, "reason": "x" * 17_000}
        assert (await browser.post(SAY, long, idempotency_key=KEY)).status == 413
        sent = {"origin": ORIGIN, "x_csrf_token": browser.csrf, "idempotency_key": KEY}
        lying = await browser.ask("POST", SAY, msgspec.json.encode(long), **sent)
        assert lying.status == 413
        for body in (b"", b"[]", b'{"command":1}', b"{", b'{"command":{},"extra":1}', b"\xff", b"[" * 9_000):
            answer = await browser.ask("POST", SAY, body, **sent)
            assert answer.status == 400, body[:20]
        assert (await browser.ask("DELETE", SAY, b"", **sent)).status == 405
        assert (await browser.get(SAY)).status == 405

    desk.run(test)


# ----------------------------------------------------------------------------------- the log-in


def test_a_wrong_pin_and_an_unknown_name_sound_alike(desk: Desk) -> None:
    async def test() -> None:
        wrong = await desk.browser().log_in("ann", "999998")
        unknown = await desk.browser().log_in("nobody", "999998")
        assert (wrong.status, wrong.body) == (unknown.status, unknown.body) == (403, wrong.body)

    desk.run(test)


def test_item_48_five_wrong_pins_lock_the_name_and_each_is_in_the_log(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        for _ in range(WRONG_MAX - 1):
            assert (await desk.browser().log_in("ann", "999998")).status == 403
        for pin in ("999998", PINS["ann"]):
            answer = await desk.browser().log_in("ann", pin)
            assert answer.status == 429
            assert answer.json["locked"] is True
            assert answer.json["wait_s"] == LOCKED_MS // 1000

    desk.run(test)
    wrong = [record.getMessage() for record in caplog.records if "wrong PIN" in record.getMessage()]
    assert len(wrong) == WRONG_MAX + 1
    assert all(text.startswith("a wrong PIN for ann") for text in wrong)
    assert "locked_out" in wrong[-1]
    assert PINS["ann"] not in caplog.text


def test_item_48_a_wrong_pin_is_told_to_every_table_with_who_and_from_where(desk: Desk) -> None:
    async def test() -> None:
        for name in ("ann", "271828"):
            await desk.browser("10.0.0.7").log_in(name, "999998")
        for _ in range(WRONG_MAX - 1):
            await desk.browser("10.0.0.7").log_in("ann", "999998")
        # Nobody waits for what a table notes: the loop comes to it when it has nothing else to do.
        await asyncio.sleep(0)
        told = [
            (one["table"], one["ask"], one["operator"], one["address"])
            for one in desk.tables.asked
            if one["table"] == "T2"
        ]
        # What nobody is called may be a PIN, and is told nobody.
        names = ["ann", "", "ann", "ann", "ann", "ann"]
        assert [who for _, _, who, _ in told] == names
        assert [why for _, why, _, _ in told] == ["wrong_pin"] * 5 + ["locked_out"]
        assert {where for _, _, _, where in told} == {"10.0.0.7"}
        assert len(desk.tables.asked) == 2 * len(told)

    desk.run(test)


def test_tries_that_cannot_be_read_let_nobody_in_and_the_page_says_whom_to_ask(desk: Desk) -> None:
    Path(desk.operators._tries_place).write_text("{")

    async def test() -> None:
        answer = await desk.browser().log_in("ann", PINS["ann"])
        assert answer.status == 503
        assert "whoever keeps this machine" in answer.json["error"]

    desk.run(test)


def test_one_address_may_try_only_so_often(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no(_name: str, _pin: str) -> Verdict:
        return Verdict(None)

    monkeypatch.setattr(desk.operators, "check", no)

    async def test() -> None:
        browser = desk.browser("10.0.0.7")
        for number in range(site_module.LOGINS_A_MINUTE):
            assert (await browser.log_in(f"name {number}", "999998")).status == 403
        assert (await browser.log_in("another", "999998")).status == 429
        assert (await desk.browser("10.0.0.8").log_in("another", "999998")).status == 403
        desk.clock.ms += 6_000
        assert (await browser.log_in("another", "999998")).status == 403

    desk.run(test)


def test_a_removed_operator_is_out_and_his_streams_end(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            desk.operators.remove("cy")
            desk.tables.paint(seq=1)
            await stream.ended()
        assert (await browser.get("/api/config")).json["operator"] is None

    desk.run(test)


def test_an_idle_log_in_ends_though_its_stream_is_open_and_its_page_asks(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            desk.clock.ms += IDLE_MS["supervisor"] - 1
            assert (await browser.post("/api/tables/T1/ask", {"ask": "offers"})).status == 200
            desk.clock.ms += 1
            desk.tables.paint(seq=1)
            await stream.ended()
        assert (await browser.post("/api/tables/T1/ask", {"ask": "offers"})).status == 401

    desk.run(test)


def test_log_out_and_another_log_in_leave_no_session_behind(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        first = browser.cookie
        await browser.log_in("ann", PINS["ann"])
        assert browser.cookie != first
        old = desk.browser()
        old.cookie = first
        assert (await old.get("/api/config")).json["operator"] is None
        assert (await browser.get("/api/sessions")).json == [
            {"operator": "ann", "role": "supervisor", "since_ms": desk.clock.wall_ms(), "page": ""}
        ]
        assert (await browser.post("/api/logout", {})).status == 200
        assert (await browser.get("/api/sessions")).status == 401

    desk.run(test)


def test_the_streams_of_a_log_in_end_when_it_is_logged_out_or_gives_way_to_another(desk: Desk) -> None:
    async def test() -> None:
        browser, other = await desk.at("cy"), await desk.at("cy")
        async with browser.stream("/api/events") as stream, other.stream("/api/events") as others:
            await stream.next("beat")
            await others.next("beat")
            kept = desk.browser()
            kept.cookie = browser.cookie
            assert (await browser.post("/api/logout", {})).status == 200
            # Whoever has kept a copy of the cookie has nothing.
            assert (await kept.get("/api/config")).json["operator"] is None
            desk.tables.paint(seq=1)
            await stream.ended()
            assert (await others.next("table"))["seq"] == 1
            # Somebody else logs in at the same browser: what runs there was the other person's.
            await other.log_in("ann", PINS["ann"])
            desk.tables.paint(seq=2)
            await others.ended()

    desk.run(test)


def test_only_a_supervisor_sees_who_is_logged_in(desk: Desk) -> None:
    async def test() -> None:
        for name, status in (("ann", 200), ("cy", 403), ("di", 403)):
            assert (await (await desk.at(name)).get("/api/sessions")).status == status

    desk.run(test)


# ------------------------------------------------------------------------------------ the words


def test_a_word_goes_to_the_table_with_who_says_it(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        answer = await say(browser, LOCK, round="D1-R2")
        assert (answer.status, answer.json) == (200, {"ok": True, "seq": 7, "error": ""})
        assert desk.tables.asked == [
            {
                "table": "T1",
                "v": 1,
                "id": KEY,
                "command": LOCK,
                "operator": "cy",
                "role": "dealer",
                "reason": "",
                "round": "D1-R2",
            }
        ]

    desk.run(test)


def test_the_refusal_of_the_table_comes_back_as_it_is(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        desk.tables.answer = {"v": 1, "id": KEY, "ok": False, "seq": 9, "error": "the table is held"}
        answer = await say(browser, LOCK)
        assert (answer.status, answer.json) == (200, {"ok": False, "seq": 9, "error": "the table is held"})

    desk.run(test)


def test_a_silent_table_is_told_and_the_same_id_may_be_said_again(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        desk.tables.answer = None
        assert (await say(browser, LOCK)).status == 503
        desk.tables.answer = {"v": 1, "id": KEY, "ok": True, "seq": 3}
        assert (await say(browser, LOCK)).json["seq"] == 3
        assert [one["id"] for one in desk.tables.asked] == [KEY, KEY]

    desk.run(test)


def test_one_id_is_for_one_word(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        assert (await say(browser, LOCK)).status == 200
        assert (await say(browser, {"type": "PressKey", "key": "close"})).status == 409
        assert (await say(browser, LOCK, reason="another")).status == 409
        assert (await say(browser, LOCK)).status == 200
        error = "$.id: `x` was another command's, entry 4; allowed: an id of its own."
        desk.tables.answer = {"v": 1, "id": KEY, "ok": False, "seq": 4, "error": error}
        assert (await say(browser, LOCK, key=KEY.replace("3f", "4f"))).status == 409

    desk.run(test)


@pytest.mark.parametrize("key", ["", "short", "with space in it", "pages:1234567", "x" * 65])
def test_a_word_needs_an_id_of_its_own(desk: Desk, key: str) -> None:
    async def test() -> None:
        assert (await say(await desk.at("cy"), LOCK, key=key)).status == 400
        assert desk.tables.asked == []

    desk.run(test)


def test_a_decision_needs_the_pin_in_the_request_itself(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        for command in (VOID, {"type": "ConfirmAward", "seat": 1}, {"type": "CloseDay"}):
            answer = await say(browser, command, reason="x")
            assert (answer.status, answer.json["pin"]) == (403, True)
            answer = await say(browser, command, reason="x", pin="999998")
            assert (answer.status, answer.json["pin"]) == (403, True)
        assert desk.tables.said == []
        answer = await say(browser, VOID, reason="x", pin=PINS["ann"])
        assert answer.status == 200
        (said,) = desk.tables.said
        assert (said["operator"], said["role"], said["reason"]) == ("ann", "supervisor", "x")
        assert PINS["ann"] not in json.dumps(said)

    desk.run(test)


CORRECTION = {"type": "CorrectMeter", "pot": "meter", "cents": 1, "why": "display_wrong", "approval": "A-1"}


@pytest.mark.parametrize("name", ["ann", "cy"])
@pytest.mark.parametrize(
    "command",
    [{"type": "ConfirmAward", "seat": 1}, {"type": "RejectAward", "seat": 1}, CORRECTION],
    ids=lambda command: str(command["type"]),
)
def test_item_46_what_two_people_decide_needs_the_pin_of_each_of_them(
    desk: Desk, name: str, command: dict[str, Any]
) -> None:
    async def test() -> None:
        answer = await say(await desk.at(name), command, reason="x")
        assert (answer.status, answer.json["pin"]) == (403, True)
        assert desk.tables.said == []

    desk.run(test)


def test_a_second_person_speaks_with_his_own_pin_and_role(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        confirm = {"type": "ConfirmAward", "seat": 3}
        assert (await say(browser, confirm, operator="cy", pin=PINS["ann"])).status == 403
        assert (await say(browser, LOCK, operator="cy")).status == 403
        assert (await say(browser, confirm, operator="cy", pin=PINS["cy"])).status == 200
        (said,) = desk.tables.said
        assert (said["operator"], said["role"]) == ("cy", "dealer")

    desk.run(test)


def test_what_a_dealer_tries_as_a_supervisor_goes_to_the_table_in_his_own_role(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        await say(browser, VOID, reason="x", pin=PINS["cy"])
        await say(browser, VOID, "another-id", reason="x", operator="ann", pin=PINS["ann"])
        asked = [(one["operator"], one["role"]) for one in desk.tables.asked]
        assert asked == [("cy", "dealer"), ("ann", "supervisor")]

    desk.run(test)


def test_an_auditor_says_nothing(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("di")
        assert (await say(browser, LOCK)).status == 403
        assert (await say(browser, VOID, reason="x", pin=PINS["di"])).status == 403
        assert desk.tables.asked == []

    desk.run(test)


def test_wrong_pins_in_words_lock_the_name_too(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        for _ in range(WRONG_MAX - 1):
            assert (await say(browser, VOID, reason="x", pin="999998")).status == 403
        assert (await say(browser, VOID, reason="x", pin="999998")).status == 429
        assert (await say(browser, VOID, reason="x", pin=PINS["ann"])).status == 429
        assert (await say(browser, LOCK)).status == 200
        assert [one["command"] for one in desk.tables.said] == [LOCK]

    desk.run(test)


def test_made_up_names_however_long_they_are_end_nobodys_lock_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        monkeypatch.setattr(operators_module, "_hash", lambda _pin, _salt: b"")
        for _ in range(WRONG_MAX):
            await desk.browser().log_in("ann", "999998")
        for number in range(80):
            desk.clock.ms += 60_000 // site_module.PINS_A_MINUTE
            long = f"{number:04d}" + "x" * 15_000
            answer = await say(
                browser, VOID, f"00000000-{number:04d}", reason="x", operator=long, pin="999998"
            )
            assert answer.status in (400, 403)
        assert desk.operators.locked_ms("ann") > 0

    desk.run(test)


def test_one_log_in_tries_only_so_many_pins_whatever_names_they_are_of(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no(_name: str, _pin: str) -> Verdict:
        return Verdict(None)

    async def test() -> None:
        browser = await desk.at("cy")
        monkeypatch.setattr(desk.operators, "check", no)
        answers = []
        for number in range(site_module.PINS_A_MINUTE + 1):
            # Slower than words may come at once.
            desk.clock.ms += 1_000 // site_module.WORDS_A_SECOND
            key = f"00000000-{number:04d}"
            answers.append(await say(browser, VOID, key, reason="x", operator=f"p {number}", pin="999998"))
        assert [one.status for one in answers] == [403] * site_module.PINS_A_MINUTE + [429]
        assert answers[-1].json["wait_s"] >= 1
        assert desk.tables.said == []

    desk.run(test)


def test_questions_come_only_so_fast_and_take_nothing_from_the_words(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        for path, body in (("ask", {"ask": "offers"}), ("effect", {"command": LOCK})):
            desk.clock.ms += 60_000
            address = f"/api/tables/T1/{path}"
            answers = [await browser.post(address, body) for _ in range(site_module.WORDS_A_SECOND + 1)]
            assert [one.status for one in answers] == [200] * site_module.WORDS_A_SECOND + [429], path
        assert (await say(browser, LOCK)).status == 200

    desk.run(test)


def test_words_come_only_so_fast(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        keys = [f"00000000-{number:04d}" for number in range(21)]
        answers = [await say(browser, LOCK, key=key) for key in keys]
        assert [one.status for one in answers] == [200] * 20 + [429]
        assert answers[-1].json["wait_s"] == 1

    desk.run(test)


def test_what_is_no_word_or_no_table_never_reaches_one(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        assert (await say(browser, {"type": "Said"})).status == 400
        assert (await say(browser, {})).status == 400
        for path in ("/api/tables/T9/say", "/api/tables/T9/ask", "/api/signs/T9/alive"):
            assert (await browser.post(path, {"command": LOCK}, idempotency_key=KEY)).status == 404
        assert (await browser.get("/api/signs/T9/events")).status == 404
        assert desk.tables.asked == []

    desk.run(test)


def test_offers_and_lines_are_asked_of_the_table(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        desk.tables.answer = {"v": 1, "id": "x", "ok": True, "offers": [1]}
        assert (await browser.post("/api/tables/T1/ask", {"ask": "offers"})).json["offers"] == [1]
        assert desk.tables.asked[0]["ask"] == "offers"
        assert (await browser.post("/api/tables/T1/ask", {"ask": "snapshot"})).status == 400
        assert (await browser.post("/api/tables/T1/ask", {"ask": "here"})).status == 400

    desk.run(test)


def test_the_second_look_tells_an_effect_and_says_nothing_to_the_table(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("ann")
        answer = await browser.post("/api/tables/T1/effect", {"command": VOID})
        assert answer.json["lines"]
        assert (await browser.post("/api/tables/T1/effect", {"command": {"type": "Fold"}})).status == 400
        assert desk.tables.asked == []

    desk.run(test)


def test_papers_are_for_supervisors_and_auditors(desk: Desk) -> None:
    async def test() -> None:
        for name, status in (("cy", 403), ("ann", 404), ("di", 404)):
            assert (await (await desk.at(name)).get("/api/tables/T1/papers/nothing")).status == status

    desk.run(test)


HASH = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("before", "after", "silent_ms", "told"),
    [
        ("idle", "idle", 0, True),
        ("revealing", "settled", 0, True),
        ("deciding", "deciding", 0, False),
        ("dealing", "revealing", 0, False),
        ("betting", "dealing", 0, False),
        ("", "", 0, False),
        ("idle", "idle", site_module.HEARD_MS, False),
    ],
)
def test_item_63_no_paper_tells_a_hash_while_cards_lie_hidden_or_may(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, before: str, after: str, silent_ms: int, told: bool
) -> None:
    async def made(_self: Papers, _table: str, _kind: str, _query: Mapping[str, str]) -> tuple[int, bytes]:
        if after:
            desk.tables.paint(seq=2, state=painted(phase=after))
        desk.clock.ms += silent_ms
        return 200, msgspec.json.encode({"hash": HASH})

    monkeypatch.setattr(Papers, "get", made)

    async def test() -> None:
        browser = await desk.at("di")
        if before:
            desk.tables.paint(seq=1, state=painted(phase=before))
        answer = await browser.get("/api/tables/T1/papers/meters")
        assert answer.status == 200
        assert (HASH in answer.body.decode()) == told

    desk.run(test)


def test_a_paper_that_is_a_page_is_a_file_and_no_part_of_the_site(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def made(_self: Papers, _table: str, _kind: str, _query: Mapping[str, str]) -> tuple[int, bytes]:
        return 200, b"<!doctype html><script>evil()</script>"

    monkeypatch.setattr(Papers, "get", made)

    async def test() -> None:
        answer = await (await desk.at("di")).get("/api/tables/T1/papers/round?number=1&html=1")
        assert answer.headers["content-disposition"] == 'attachment; filename="T1-round.html"'

    desk.run(test)


# ---------------------------------------------------------------------------------- the streams


STATE = {"round": "D1-R1", "shown": "betting", "phase": "betting", "left_ms": 5_000, "light": "green"}


def painted(**changes: Any) -> bytes:
    return msgspec.json.encode({**STATE, "meter": {"cents": 123}, "awards": [], "day": None, **changes})


def test_a_stream_begins_with_every_table_and_goes_on_with_what_changes(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        async with browser.stream("/api/events") as stream:
            names = {(await stream.next("table"))["table"]}
            stream_two = (await stream.next("beat"))["tables"]
            assert set(stream_two) == {"T1", "T2"}
            assert names <= {"T1", "T2"}
            desk.tables.paint(boot=3, seq=9, state=painted())
            news = await stream.next("table")
            assert (news["table"], news["boot"], news["seq"], news["age_ms"]) == ("T1", 3, 9, 0)
            assert news["state"]["meter"]["cents"] == 123
            desk.clock.ms += 4_000
            assert (await stream.next("beat"))["tables"]["T1"]["age_ms"] == 4_000

    desk.run(test)


def test_whoever_looks_late_sees_the_newest_and_no_backlog(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            stream.reads.clear()
            for seq in range(1, 50):
                desk.tables.paint(seq=seq, state=painted(round=f"R{seq}"))
                await asyncio.sleep(0)
            stream.reads.set()
            seen = [(await stream.next("table"))["seq"]]
            while seen[-1] != 49:
                seen.append((await stream.next("table"))["seq"])
            assert len(seen) <= 2

    desk.run(test)


def test_facts_come_live_and_late_ones_to_a_new_stream(desk: Desk) -> None:
    fact = Heard(3, 9, 10, 1_790_000_000_000, b'{"type":"DayOpened","day":4,"operator":"ann"}')

    async def test() -> None:
        browser = await desk.at("ann")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            desk.tables.paint(facts=(fact,))
            news = await stream.next("fact")
            assert news["fact"] == {"type": "DayOpened", "day": 4, "operator": "ann"}
            assert news["quiet"] is False
        async with browser.stream("/api/events") as again:
            assert (await again.next("fact"))["seq"] == 9

    desk.run(test)


def test_a_table_that_was_started_again_says_so_in_the_record(desk: Desk) -> None:
    async def test() -> None:
        desk.tables.paint(boot=3, seq=9)
        browser = await desk.at("ann")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            desk.tables.paint(boot=4, seq=12)
            news = await stream.next("fact")
            assert (news["boot"], news["seq"], news["fact"]) == (4, 12, {"type": "Restarted"})
            assert news["quiet"] is False
            desk.tables.paint(
                boot=4, seq=13, facts=(Heard(4, 13, 1, 2, b'{"type":"DayOpened","day":4,"operator":"ann"}'),)
            )
            assert (await stream.next("fact"))["fact"]["type"] == "DayOpened"

    desk.run(test)


def test_a_sign_needs_no_log_in_and_sees_nothing_but_what_it_shows(desk: Desk) -> None:
    award = {
        "seat": 2,
        "hand": "royal_flush",
        "cents": 500,
        "kind": "royal",
        "status": "waits",
        "document": "T1-1",
    }

    async def test() -> None:
        async with desk.browser().stream("/api/signs/T1/events") as stream:
            assert (await stream.next("sign"))["meter_cents"] is None
            desk.tables.paint(boot=1, seq=2, state=painted(awards=[award]), state_ms=desk.clock.ms - 1_500)
            news = await stream.next("sign")
            assert news["meter_cents"] == 123
            assert news["left_ms"] == 3_500
            assert "state" not in news
            (win,) = news["wins"]
            assert (win["seat"], win["status"], win["share"]) == (2, "waits", False)
            confirmed = [{**award, "status": "paid"}, {**award, "status": "rejected", "kind": "share"}]
            desk.tables.paint(seq=3, state=painted(awards=confirmed, day={"open": False}))
            news = await stream.next("sign")
            assert [one["status"] for one in news["wins"]] == ["paid", "rejected"]
            assert news["wins"][0]["id"] == win["id"]
            assert news["day_open"] is False
            assert (await stream.next("sign"))["seq"] == 3

    desk.run(test)


def test_a_log_in_has_only_so_many_streams(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_module, "STREAMS_A_SESSION", 1)
    monkeypatch.setattr(site_module, "SIGNS_MAX", 1)

    async def test() -> None:
        browser = await desk.at("cy")
        async with browser.stream("/api/events") as one, browser.stream("/api/signs/T1/events") as sign:
            await one.next("beat")
            await sign.next("sign")
            assert (await browser.get("/api/events")).status == 429
            assert (await browser.get("/api/signs/T2/events")).status == 429
            await one.leave()
            async with browser.stream("/api/events") as next_one:
                await next_one.next("beat")

    desk.run(test)


def test_a_browser_that_does_not_read_is_cut_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams_module, "SEND_S_MAX", 0.05)

    async def test() -> None:
        async with desk.browser().stream("/api/signs/T1/events") as stream:
            await stream.next("sign")
            stream.reads.clear()
            desk.tables.paint(seq=5)
            await stream.ended()
            assert stream.aborted

    desk.run(test)


def test_all_streams_end_when_the_site_does(desk: Desk) -> None:
    async def test() -> None:
        async with desk.browser().stream("/api/signs/T1/events") as stream:
            await stream.next("sign")
            desk.app.state.streams.close()
            await stream.ended()

    desk.run(test)


def test_a_sign_is_heard_by_the_table_and_a_stranger_is_not(desk: Desk) -> None:
    async def test() -> None:
        browser = desk.browser()
        assert (await browser.post("/api/signs/T1/alive", {"sign": "BAR"})).json["ok"] is True
        assert (await browser.post("/api/signs/T2/alive", {"sign": "MAIN", "gone": True})).status == 409
        assert (await browser.post("/api/signs/T2/alive", {"sign": "MAIN"})).status == 200
        assert (await browser.post("/api/signs/T2/alive", {"sign": "MAIN", "gone": True})).status == 200
        assert [(one["table"], one["ask"], one["sign"]) for one in desk.tables.asked] == [
            ("T1", "here", "BAR"),
            ("T2", "here", "MAIN"),
            ("T2", "gone", "MAIN"),
        ]
        for sign in ("BAR", "", "x" * 65, "a b"):
            assert (await browser.post("/api/signs/T2/alive", {"sign": sign})).status == 404
        desk.tables.answer = None
        assert (await browser.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 503

    desk.run(test)


def test_nobody_else_takes_a_sign_away_while_it_shows(desk: Desk) -> None:
    async def test() -> None:
        sign, stranger = desk.browser("10.0.0.1"), desk.browser("10.0.0.2")
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200
        for _ in range(9):
            assert (await stranger.post("/api/signs/T1/alive", {"sign": "BAR", "gone": True})).status == 409
        # However often a stranger tries, the sign itself is heard.
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200
        desk.clock.ms += HELD_MS
        assert (await stranger.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200

    desk.run(test)


def test_a_sign_that_was_taken_away_is_free_for_another_screen_at_once(desk: Desk) -> None:
    async def test() -> None:
        sign, other = desk.browser("10.0.0.1"), desk.browser("10.0.0.2")
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR", "gone": True})).status == 200
        assert (await other.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 409

    desk.run(test)


def test_names_that_are_past_keep_no_place_from_a_sign(desk: Desk) -> None:
    async def test() -> None:
        sign, stranger = desk.browser("10.0.0.1"), desk.browser("10.0.0.2")
        for number in range(SCREENS_MAX):
            assert (await stranger.post("/api/signs/T1/alive", {"sign": f"S{number}"})).status == 200
        desk.clock.ms += HELD_MS
        assert (await sign.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 200
        assert (await stranger.post("/api/signs/T1/alive", {"sign": "BAR"})).status == 409

    desk.run(test)


def test_where_others_come_in_only_named_signs_are_heard(tmp_path: Path, people: bytes) -> None:
    desk = Desk(tmp_path, people, tls=Tls("c.pem", "k.pem"))

    async def test() -> None:
        browser = Browser(desk.app, scheme="https")
        for table, sign, status in (("T1", "BAR", 404), ("T2", "BAR", 404), ("T2", "MAIN", 200)):
            answer = await browser.post(f"/api/signs/{table}/alive", {"sign": sign}, origin=f"https://{HOST}")
            assert answer.status == status, (table, sign)

    desk.run(test)


def test_a_table_of_another_version_is_shown_as_far_as_it_is_understood(desk: Desk) -> None:
    async def test() -> None:
        browser = await desk.at("cy")
        async with browser.stream("/api/events") as stream:
            await stream.next("beat")
            state = msgspec.json.encode({"result": "settled", "seats": [{"seat": 1}]})
            desk.tables.paint(seq=1, state=state, house=b'{"rules":{"new":1}}')
            news = await stream.next("table")
            assert news["dues"] == []
            assert news["state"]["result"] == "settled"
        async with browser.stream("/api/signs/T1/events") as stream:
            desk.tables.paint(seq=2, state=msgspec.json.encode({"awards": [{"seat": 1}]}))
            news = await stream.next("sign")
            while news["seq"] < 2:
                news = await stream.next("sign")
            assert news["wins"] == []

    desk.run(test)


# -------------------------------------------------------------------------------- static files


def test_static_files_are_packed_and_asked_for_again_by_their_hash(desk: Desk) -> None:
    async def test() -> None:
        browser = desk.browser()
        plain = await browser.get("/static/look.css")
        packed = await browser.get("/static/look.css", accept_encoding="gzip, br")
        assert packed.headers["content-encoding"] == "gzip"
        assert len(packed.body) < len(plain.body) / 2
        assert plain.headers["cache-control"] == "no-cache"
        again = await browser.get("/static/look.css", if_none_match=plain.headers["etag"])
        assert (again.status, again.body) == (304, b"")

    desk.run(test)


@pytest.mark.parametrize(
    "path",
    ["../site.py", "..%2fsite.py", "/etc/passwd", ".hidden.js", "words", "words/../look.css", "look.txt"],
)
def test_nothing_outside_of_the_folder_is_a_file(desk: Desk, path: str) -> None:
    async def test() -> None:
        assert (await desk.browser().get(f"/static/{path}")).status == 404

    desk.run(test)
