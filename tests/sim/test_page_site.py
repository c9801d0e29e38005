"""The virtual table as a whole: board, service and page as processes, asked as a browser asks, and by one."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hw_sim.stages import ROOT, RealStage
from tests.web import browser as browsers

Json = dict[str, Any]
PATIENCE_S = 20


class Table:
    """A table of real processes with the page beside it."""

    def __init__(self, folder: Path) -> None:
        self.stop = threading.Event()
        self.stage = RealStage(folder, 'preset = "live"\n', lambda state: None, self.stop, 600_000)
        self.port = 0
        self.log = folder / "page.log"
        command = [sys.executable, "-m", "hw_sim", "page", "--dir", str(folder), "--port", "0", "--alone"]
        with self.log.open("ab") as log:
            self.page = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        self.until(self.listens)
        self.until(self.answers)
        # What lies there before the croupier opens is swept away.
        self.picture()
        self.until(self.takes_bets)

    def until(self, condition: Callable[[], bool]) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end_s
            self.stage.client.pump(20)

    def listens(self) -> bool:
        """Port 0 is any that is free, and nobody else can have it: which one it is, the log tells."""
        assert self.page.poll() is None, self.log.read_text()
        found = re.search(r"the virtual table is at http://127\.0\.0\.1:(\d+)/table\n", self.log.read_text())
        self.port = int(found[1]) if found else 0
        return bool(found)

    def takes_bets(self) -> bool:
        heard = self.stage.client.snapshot
        return heard is not None and heard["body"]["phase"] == "betting"

    def answers(self) -> bool:
        assert self.page.poll() is None
        try:
            return self.ask("GET", "/api/config")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, Json, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body or None, named)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def act(self, act: Json, act_id: str = "") -> Json:
        status, _, body = self.ask(
            "POST", "/api/acts", json.dumps(act), Idempotency_Key=act_id or str(uuid.uuid4())
        )
        assert status == 200, body
        answer: Json = json.loads(body)
        return answer

    def picture(self) -> Json:
        """The first picture that a page gets."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request("GET", "/api/picture")
            response = connection.getresponse()
            while not (line := response.readline()).startswith(b"data: "):
                assert line
            picture: Json = json.loads(line[6:])
            return picture
        finally:
            connection.close()

    def close(self) -> None:
        self.page.kill()
        self.page.wait()
        self.stage.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    made = Table(tmp_path_factory.mktemp("felt"))
    yield made
    made.close()


def test_an_act_is_done_once_however_often_it_is_sent(table: Table) -> None:
    chip = {"do": "chip", "seat": 2, "spot": "ante", "cents": 500}
    act_id = str(uuid.uuid4())
    assert table.act(chip, act_id) == table.act(chip, act_id) == {"ok": True}
    table.until(lambda: table.stage.client.state["seats"][1]["ante"]["cents"] == 500)
    assert table.picture()["piles"] == {"2 ante": [500]}
    status, _, _ = table.ask("POST", "/api/acts", '{"do": "undo"}', Idempotency_Key=act_id)
    assert status == 409, "an id is not used for another act"
    assert table.act({"do": "clear", "seat": 2}) == {"ok": True}


def test_a_number_that_is_no_whole_one_moves_nothing_and_the_table_plays_on(table: Table) -> None:
    chip = {"do": "chip", "seat": 2, "spot": "ante", "cents": 500.0}
    before = table.picture()["purses"]
    answer = table.act(chip)
    assert answer["ok"] is False
    assert "$.cents: 500.0 was found; allowed: 100, 500, 2500, 10000." in answer["values"]["text"]
    assert table.picture()["purses"] == before
    assert table.act({**chip, "cents": 500}) == {"ok": True}
    assert table.act({"do": "clear", "seat": 2}) == {"ok": True}


def test_only_the_pages_of_this_computer_are_answered(table: Table) -> None:
    assert table.ask("GET", "/table", Host="felt.example")[0] == 421
    assert table.ask("GET", "/table", Host=f"localhost:{table.port}")[0] == 200
    status, _, _ = table.ask("POST", "/api/acts", '{"do": "undo"}')
    assert status == 400, "a form of another site cannot send an id"


def test_what_is_no_act_is_refused(table: Table) -> None:
    for body, status in (("undo", 400), ("[]", 400), (json.dumps({"do": "x" * 5_000}), 413)):
        assert table.ask("POST", "/api/acts", body, Idempotency_Key=str(uuid.uuid4()))[0] == status


def test_files_come_with_the_headers_of_a_careful_site_and_nothing_else_comes(table: Table) -> None:
    for path in ("/table", "/static/felt.js", "/static/look.css", "/static/lit-html.js"):
        status, headers, body = table.ask("GET", path, Accept_Encoding="gzip")
        assert status == 200
        assert "script-src 'self'" in headers["content-security-policy"]
        assert headers["content-encoding"] == "gzip"
        again, _, _ = table.ask("GET", path, If_None_Match=headers["etag"])
        assert (again, len(body) > 0) == (304, True)
    for path in ("/static/../felt.py", "/static/%2e%2e/felt.py", "/static/words", "/static//etc/passwd"):
        assert table.ask("GET", path)[0] == 404


def test_the_page_is_light(table: Table) -> None:
    names = ["felt.html", *(f"felt/{path.name}" for path in (ROOT / "hw_sim/page/static/felt").iterdir())]
    shared = [
        "look.css",
        "cards.css",
        "felt.css",
        "cards.js",
        "rules.js",
        "table.js",
        "lit-html.js",
        "felt.js",
    ]
    names += [*shared, "words/en/felt.js", "words/en/panel.js", "words/en/rules.js", "words/en/table.js"]
    sizes = [len(table.ask("GET", f"/static/{name}", Accept_Encoding="gzip")[2]) for name in names]
    assert sum(sizes) < 150_000


# ------------------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.browser() as started:
        yield started


@pytest.fixture
def open_table(table: Table, chromium: Any) -> Iterator[Callable[..., Page]]:
    complaints: list[str] = []
    contexts = []

    def open_page(width: int = 1280, height: int = 800, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page: Page = context.new_page()
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"http://127.0.0.1:{table.port}/table")
        expect(page.get_by_role("button", name="Chip of $5.00")).to_be_visible(timeout=PATIENCE_S * 1_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_round_from_the_chip_to_the_payment(table: Table, open_table: Callable[..., Page]) -> None:
    page = open_table()
    second = open_table()
    page.get_by_role("button", name="Chip of $25.00").drag_to(
        page.locator('[data-spot="ante"][data-seat="4"]')
    )
    page.get_by_role("button", name="Chip of $5.00").click()
    page.locator('[data-spot="bonus"][data-seat="4"]').click()
    page.locator('[data-slot="4"]').click()
    expect(page.locator('[data-slot="4"]')).to_contain_text("Light on")
    expect(second.locator('[data-slot="4"]')).to_contain_text("Light on")
    expect(page.get_by_text("$31.00")).to_be_visible()
    browsers.faultless(page)
    browsers.shoot(page, "felt-betting")
    page.get_by_role("button", name="Deal", exact=True).dblclick()
    expect(page.get_by_text("Make your decision").last).to_be_visible(timeout=PATIENCE_S * 1_000)
    browsers.shoot(page, "felt-deciding")
    browsers.faultless(page)
    page.reload()
    page.get_by_role("button", name="Bet $50.00").dblclick()
    expect(page.get_by_role("button", name="Next round")).to_be_visible(timeout=PATIENCE_S * 1_000)
    browsers.shoot(page, "felt-settled")
    browsers.faultless(page)
    table.until(lambda: table.stage.client.state["result"] == "settled")
    seat = table.stage.client.state["seats"][3]
    assert (seat["ante"]["cents"], seat["raise"]["cents"], seat["bonus"]["cents"]) == (2_500, 5_000, 500)
    returned = table.picture()["returned"]["4"]
    assert table.picture()["purses"]["4"] == 50_000 - 2_500 - 500 - 100 - 5_000 + returned
    page.get_by_role("button", name="Next round").click()
    expect(page.get_by_role("button", name="Deal", exact=True)).to_be_visible(timeout=PATIENCE_S * 1_000)
    expect(page.locator("[data-chip].small")).to_have_count(0)


@pytest.mark.parametrize("name", ["Payouts", "Rules", "Game log", "Version", "Break things", "Say a word"])
def test_every_window_can_be_read_and_closed_by_keyboard(open_table: Callable[..., Page], name: str) -> None:
    page = open_table()
    page.get_by_role("button", name=name, exact=True).press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    browsers.faultless(page)
    browsers.shoot(page, f"felt-{name.lower().replace(' ', '-')}")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_by_hand_with_a_finger_on_a_small_screen(table: Table, open_table: Callable[..., Page]) -> None:
    page = open_table(1024, 600, has_touch=True)
    page.get_by_role("button", name="By hand").tap()
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_visible()
    browsers.faultless(page)
    browsers.shoot(page, "felt-by-hand")
    for key in page.locator("button:visible").all():
        box = key.bounding_box()
        assert box is not None
        small = "small" in (key.get_attribute("class") or "")
        assert small or min(box["width"], box["height"]) >= 47.9, key.inner_text()
    page.get_by_role("button", name="Lock", exact=True).tap()
    expect(page.get_by_role("alert")).to_contain_text("The table says")
    page.get_by_role("button", name="One player").tap()


def test_by_hand_no_key_that_would_be_refused_is_the_next_step(
    table: Table, open_table: Callable[..., Page]
) -> None:
    page = open_table()
    page.get_by_role("button", name="By hand").click()
    primary = page.locator(".dealer-keys .primary")
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_visible()
    expect(primary).to_have_count(0)
    page.locator('[data-spot="ante"][data-seat="4"]').click()
    expect(page.locator(".own.empty")).not_to_contain_text("Choose a chip")
    expect(primary).to_have_text("Lock")
    assert table.act({"do": "key", "key": "lock"}) == {"ok": True}
    expect(primary).to_contain_text("Card to")
    page.get_by_role("button", name="Choose the card").click()
    boxed = page.get_by_label("It lies face up in the shoe")
    boxed.check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose the card").click()
    expect(boxed).not_to_be_checked()
    page.keyboard.press("Escape")
    for _ in range(2):
        assert table.act({"do": "card", "card": "KD"}) == {"ok": True}
    expect(page.locator(".notice")).to_contain_text("a card came twice, the deck is bad")
    expect(page.get_by_role("button", name="Resume", exact=True)).to_have_count(0)
    expect(primary).to_have_count(0)
    browsers.faultless(page)
    browsers.shoot(page, "felt-held")
    before = table.picture()["purses"]["4"]
    assert table.act({"do": "say", "text": "sup void"}) == {"ok": True}
    expect(primary).to_have_text("Clear round")
    assert table.picture()["purses"]["4"] == before + 500
    table.act({"do": "say", "text": f"stub {52 - table.picture()['state']['cards_out']}"})
    table.act({"do": "say", "text": "sup new_deck"})
    assert table.act({"do": "key", "key": "clear"}) == {"ok": True}
    expect(primary).to_have_text("Sweep the chips")
    assert table.act({"do": "key", "key": "open"}) == {"ok": True}
    expect(page.locator('[data-spot="ante"][data-seat="4"]')).to_contain_text("left over")
    expect(page.get_by_text("$0.00").first).to_be_visible()
    page.get_by_role("button", name="Sweep the chips").click()
    expect(page.locator("[data-chip].small")).to_have_count(0)
    assert table.picture()["purses"]["4"] == before + 500
    assert table.act({"do": "mode", "solo": True}) == {"ok": True}


def test_double_is_offered_only_where_the_balance_pays_it(
    table: Table, open_table: Callable[..., Page]
) -> None:
    page = open_table()
    double = page.get_by_role("button", name="Double")
    page.locator(".seat-name").last.click()
    chip = {"do": "chip", "seat": 1, "spot": "ante", "cents": 10_000}
    while table.picture()["purses"]["1"] >= 10_000:
        assert table.act(chip) == {"ok": True}
    expect(double).to_be_disabled()
    assert table.act({"do": "take", "seat": 1, "spot": "ante"}) == {"ok": True}
    for _ in range(2):
        assert table.act({"do": "take", "seat": 1, "spot": "ante"}) == {"ok": True}
    expect(double).to_be_enabled()
    assert table.act({"do": "clear", "seat": 1}) == {"ok": True}


def test_all_pay_tables_are_seen_where_there_is_room(open_table: Callable[..., Page]) -> None:
    page = open_table(1920, 1080)
    box = page.locator(".payouts .scroll")
    browsers.shoot(page, "felt-large")
    assert box.evaluate("(box) => box.scrollHeight - box.clientHeight") <= 0
    page.evaluate(
        "document.querySelector('.shoe').insertAdjacentHTML('beforeend', "
        "'<span class=\"state bad\">Unplugged</span>')"
    )
    assert page.locator(".shoe").evaluate("(shoe) => shoe.scrollWidth - shoe.clientWidth") <= 0


def test_the_page_stops_at_once_though_a_stream_is_open(table: Table) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", table.port, timeout=PATIENCE_S)
    connection.request("GET", "/api/picture")
    assert connection.getresponse().readline()
    table.page.send_signal(signal.SIGTERM)
    assert table.page.wait(3) in (0, -signal.SIGTERM)
    connection.close()
