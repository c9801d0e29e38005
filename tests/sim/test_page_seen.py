"""What a person sees of the virtual table: true pictures of a room are shown by its page in a browser.

The room plays in the time of its stage, and the page gets its pictures and answers by hand, so that each
state is there at once and stays as long as it is looked at.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from hw_sim.page.felt import Site
from hw_sim.page.picture import picture_of
from tests.sim.test_page import Felt
from tests.web import browser as browsers

Json = dict[str, Any]
PATIENCE_S = 20
CONFIG: Json = {
    "language": "en",
    "locale": "en-US",
    "currency": "USD",
    "version": "",
    "tables": [],
    "operator": None,
    "csrf": None,
}
# A picture is drawn in the same turn in which the page takes it in.
DRAWN = """async (number) => {
  const { model } = await import("/static/felt/model.js");
  const end = performance.now() + 15000;
  while (model.picture?.order[1] !== number && performance.now() < end) {
    await new Promise(requestAnimationFrame);
  }
}"""


class Told:
    """In place of the thread of a room: the test says which picture comes and what an act is answered."""

    def __init__(self) -> None:
        self.acts: list[Json] = []
        self.answer: Json = {"ok": True}
        self.games: list[Json] = []
        self._started = threading.Event()
        self._told: Callable[[bytes], None] = lambda picture: None
        self.number = 0

    def start(self, told: Callable[[bytes], None]) -> None:
        self._told = told
        self._started.set()

    def stop(self) -> None:
        """There is no thread to end."""

    def want(self) -> None:
        """Somebody looks."""

    def act(self, act_id: str, act: Json) -> Future[Json]:
        self.acts.append(act)
        answer: Future[Json] = Future()
        answer.set_result(self.answer)
        return answer

    def folder_games(self) -> list[Json]:
        return self.games

    def show(self, picture: Json) -> None:
        """Every page shows that from now on; each picture is newer than the one before."""
        assert self._started.wait(PATIENCE_S)
        self.number += 1
        self._told(json.dumps({**picture, "order": [1, self.number]}).encode())


class Seen:
    """A room, and one page that shows what the test wants of it."""

    def __init__(self, felt: Felt, told: Told, page: Page) -> None:
        self.felt, self.told, self.page = felt, told, page

    def picture(self) -> Json:
        """What the room shows now."""
        self.felt.room.look()
        picture: Json = json.loads(json.dumps(picture_of(self.felt.room)))
        return picture

    def show(self, picture: Json | None = None) -> Json:
        """The page gets that picture, or the room's own, and has drawn it."""
        picture = picture or self.picture()
        self.told.show(picture)
        self.page.evaluate(DRAWN, self.told.number)
        return picture

    def spot(self, name: str, seat: int = 4) -> Any:
        return self.page.locator(f'[data-spot="{name}"][data-seat="{seat}"]')


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.browser() as started:
        yield started


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[Told, int]]:
    told = Told()
    keeper: Any = told
    app = Site(keeper, CONFIG).app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, name="site", daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield told, server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE_S)


@pytest.fixture
def seen(tmp_path: Path, site: tuple[Told, int], chromium: Any) -> Iterator[Callable[..., Seen]]:
    """Opens the page on a room of its own."""
    told, port = site
    complaints: list[str] = []
    closing: list[Callable[[], None]] = []

    def open_page(house: str = 'preset = "live"\n', width: int = 1280, height: int = 800) -> Seen:
        felt = Felt(tmp_path, house)
        context = chromium.new_context(viewport={"width": width, "height": height})
        closing.extend((felt.stage.close, context.close))
        page: Page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"http://127.0.0.1:{port}/table")
        made = Seen(felt, told, page)
        made.show()
        return made

    yield open_page
    told.answer, told.games = {"ok": True}, []
    told.acts.clear()
    for close in closing:
        close()
    assert complaints == []


ALL = range(1, 8)
REFUSED: Json = {"ok": False, "word": "bets_closed", "values": {}}
# Whatever is written inside a box ends inside it, and is large enough to be read.
FITS = """(boxes) => boxes.flatMap((box) => {
  const outer = box.getBoundingClientRect();
  const found = [];
  const words = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { parentElement: of } = words.currentNode;
    if (!words.currentNode.data.trim() || of.closest(".hidden-words")) continue;
    const range = document.createRange();
    range.selectNodeContents(words.currentNode);
    for (const line of range.getClientRects()) {
      const inside = line.left >= outer.left && line.right <= outer.right
        && line.top >= outer.top - 1 && line.bottom <= outer.bottom + 1;
      if (!inside) found.push(`${words.currentNode.data} is not inside ${box.innerText}`);
    }
    if (parseFloat(getComputedStyle(of).fontSize) < 12) found.push(`${words.currentNode.data} is too small`);
  }
  return found;
})"""
PLACES = "(boxes) => boxes.map((box) => JSON.stringify(box.getBoundingClientRect()))"
OVERFLOW = "(stage) => stage.scrollHeight - stage.clientHeight"


def bet_everywhere(felt: Felt, *, coins: bool = True) -> None:
    for seat in ALL:
        felt.must("chip", seat=seat, spot="ante", cents=2_500)
        felt.must("chip", seat=seat, spot="bonus", cents=500)
        if coins:
            felt.must("coin", seat=seat)


def test_an_accepted_bet_is_not_marked_and_a_refused_one_only_until_the_table_moves_on(
    seen: Callable[..., Seen],
) -> None:
    one = seen()
    refused = one.page.locator(".row.refused")
    one.told.answer = REFUSED
    one.spot("bonus").click()
    expect(refused).to_have_count(1)
    expect(refused.locator("[data-spot=bonus]")).to_have_count(1)
    one.told.answer = {"ok": True}
    one.spot("ante").click()
    expect(refused).to_have_count(0)
    expect(one.page.get_by_role("alert")).to_be_empty()
    one.told.answer = REFUSED
    one.spot("bonus").click()
    expect(one.page.get_by_role("alert")).to_contain_text("No more bets")
    picture = one.picture()
    one.show(picture)
    expect(refused).to_have_count(1)
    picture["state"]["phase"] = "dealing"
    one.show(picture)
    expect(refused).to_have_count(0)
    expect(one.page.get_by_role("alert")).to_be_empty()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("verb", ["win", "lose", "refund", "push"])
def test_results_of_seven_seats_stay_in_their_boxes(
    seen: Callable[..., Seen], monkeypatch: pytest.MonkeyPatch, language: str, verb: str
) -> None:
    monkeypatch.setitem(CONFIG, "language", language)
    one = seen()
    bet_everywhere(one.felt)
    one.felt.round(*(seat for seat in ALL if seat != 3), fold=(3,))
    picture = one.picture()
    for seat in picture["state"]["seats"]:
        seat["results"] = dict.fromkeys(("ante", "raise", "bonus", "coin"), f"{verb} 99999.99")
        picture["purses"][str(seat["seat"])] = 9_999_999
    picture["state"]["seats"][0]["results"]["coin"] = "win 1234567.89"
    one.show(picture)
    boxes = one.page.locator(".spot, .seat-name")
    assert boxes.evaluate_all(FITS) == []
    assert one.page.locator(".stage").evaluate(OVERFLOW) <= 0
    browsers.shoot(one.page, f"felt-results-{verb}-{language}")
    if verb == "win":
        browsers.faultless(one.page)


@pytest.mark.parametrize("language", ["en", "de"])
def test_chips_of_seven_seats_stay_in_their_boxes(
    seen: Callable[..., Seen], monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setitem(CONFIG, "language", language)
    one = seen()
    picture = one.picture()
    picture["solo"] = False
    places = [(seat, spot) for seat in ALL for spot in ("ante", "bonus", "raise")]
    picture["piles"] = {f"{seat} {spot}": [10_000] * 999 for seat, spot in places}
    picture["left_over"] = [f"{seat} {spot}" for seat, spot in places if seat > 3]
    for seat in (1, 2):
        picture["state"]["seats"][seat - 1]["ante"]["cents"] = 8_888_888
    one.show(picture)
    assert one.page.locator(".spot, .seat-name").evaluate_all(FITS) == []
    assert one.page.locator(".stage").evaluate(OVERFLOW) <= 0
    browsers.shoot(one.page, f"felt-left-over-{language}")


def test_cards_of_seven_seats_stay_at_their_seats_on_a_small_screen(seen: Callable[..., Seen]) -> None:
    one = seen(width=1024, height=600)
    bet_everywhere(one.felt)
    one.felt.must("deal")
    one.felt.until(lambda: one.felt.state["phase"] == "deciding")
    one.show()
    assert one.page.locator(".spot, .seat-name").evaluate_all(FITS) == []
    wide = "(seats) => seats.map((seat) => seat.scrollWidth - seat.clientWidth)"
    assert max(one.page.locator(".seat").evaluate_all(wide)) <= 0
    browsers.shoot(one.page, "felt-small")


def test_a_hold_moves_nothing_on_the_felt_and_names_the_key_that_ends_it(seen: Callable[..., Seen]) -> None:
    one = seen()
    page, felt = one.page, one.felt
    felt.must("mode", solo=False)
    for seat in ALL:
        felt.must("chip", seat=seat, spot="ante", cents=2_500)
    felt.must("key", key="lock")
    felt.must("card", card="KD")
    one.show()
    spots = page.locator(".spot")
    before = spots.evaluate_all(PLACES)
    felt.must("card", card="??")
    felt.until(lambda: felt.state["holds"] == ["unreadable_card"])
    one.show()
    notice = page.locator(".room .notice")
    expect(notice).to_contain_text("read the card by hand")
    assert spots.evaluate_all(PLACES) == before
    assert page.locator(".stage").evaluate(OVERFLOW) <= 0
    assert notice.evaluate(OVERFLOW) <= 0
    expect(page.locator(".light")).to_have_text("Hold: one moment please")
    expect(page.locator(".room")).not_to_contain_text("are coming")
    browsers.faultless(page)
    browsers.shoot(page, "felt-hold")
    page.get_by_role("button", name="Read a card by hand").click()
    browsers.shoot(page, "felt-hold-read")
    page.get_by_role("button", name="seven of hearts").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert one.told.acts[-1] == {"do": "say", "text": "rescan 7H"}
    felt.must("say", text="rescan 7H")
    one.show()
    expect(notice).to_have_count(0)


def test_what_a_round_was_about_stays_when_its_chips_are_swept(seen: Callable[..., Seen]) -> None:
    one = seen()
    page = one.page
    bet_everywhere(one.felt)
    one.felt.round(*ALL)
    picture = one.picture()
    back = picture["returned"]["4"]
    stake = 2_500 + 500 + 100 + 5_000
    assert back > stake
    swept: Json = {}
    for piles in (picture["piles"], swept):
        one.show({**picture, "piles": piles, "left_over": list(piles)})
        expect(page.locator(".own .ask")).to_have_text(f"You win ${(back - stake) / 100:,.2f}")
        expect(page.locator(".purse dd").first).to_have_text("$81.00")


def test_a_coin_that_comes_back_is_counted_as_staked_too(seen: Callable[..., Seen]) -> None:
    one = seen()
    one.felt.must("mode", solo=False)
    one.felt.must("chip", seat=4, spot="ante", cents=2_500)
    one.felt.must("coin", seat=4)
    one.felt.must("key", key="lock")
    one.felt.must("say", text="sup void")
    one.show()
    assert one.felt.seat(4)["results"]["coin"] == "refund 1.00"
    assert one.picture()["returned"]["4"] == 2_600
    expect(one.page.locator(".purse dd").first).to_have_text("$26.00")
    one.felt.must("key", key="clear")
    one.felt.must("key", key="open")
    one.told.games = one.felt.room.games()
    one.show()
    one.page.get_by_role("button", name="Game log").click()
    row = one.page.locator("dialog tbody tr").filter(has_text="Seat 4")
    expect(row.locator(".amount")).to_have_text(["26.00", "26.00"])


def test_a_trial_and_a_closed_day_are_said_and_a_key_that_is_tried_works(seen: Callable[..., Seen]) -> None:
    one = seen()
    page = one.page
    picture = one.picture()
    picture["solo"] = False
    state = picture["state"]
    state["phase"] = "idle"
    state["trial"] = {"operator": "sam", "seat": 0, "tried": ["key.lock"], "failed": []}
    one.show(picture)
    expect(page.locator(".light")).to_have_text("Trial: nothing counts")
    one.told.answer = {"ok": False, "word": "key_dead", "values": {"key": "lock"}}
    page.get_by_role("button", name="Lock", exact=True).click()
    said = page.get_by_text("Trial: the key Lock works.")
    expect(said).to_be_visible()
    expect(page.get_by_role("alert")).to_be_empty()
    browsers.faultless(page)
    browsers.shoot(page, "felt-trial")
    page.wait_for_timeout(500)
    one.told.answer = {"ok": False, "word": "key_dead", "values": {"key": "open"}}
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The key open does nothing.")
    state.update(trial=None, day={"open": False})
    one.show(picture)
    expect(page.get_by_role("alert")).to_be_empty()
    expect(page.locator(".light")).to_have_text("The table is closed")
    expect(page.locator(".dealer")).to_contain_text("The table is closed: a supervisor opens the day")
    browsers.faultless(page)
    browsers.shoot(page, "felt-closed")


def test_a_key_at_what_is_broken_says_what_it_does(seen: Callable[..., Seen]) -> None:
    one = seen()
    page = one.page
    picture = one.picture()
    picture["broken"] = ["coin_stuck 4", "lamp_dead 4", "sensor_stuck raise 4"]
    picture["wires"].update(shoe=False, health=dict.fromkeys(picture["wires"]["health"], False))
    one.show(picture)
    page.get_by_role("button", name="Break things").click()
    for name in (
        "Plug the shoe in",
        "Mend the meter",
        "Mend the display",
        "Close the door",
        "Switch the mains on",
        "Free the slot",
        "Change the lamp",
        "Free the sensor Raise",
    ):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    browsers.shoot(page, "felt-broken")
    page.get_by_role("button", name="Plug the shoe in").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert one.told.acts[-1] == {"do": "mend", "name": "shoe_unplugged", "args": []}
