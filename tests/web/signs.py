"""How the tests look at the sign: its wheels at every frame, its sizes, its time put forward."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, ViewportSize, expect

from tests.web.browser import PATIENCE_MS

Open = Callable[..., Page]
Shoot = Callable[[Page, str], Path]
Faultless = Callable[[Page], None]

SCREENS: Final = {"wide": (1920, 1080), "small": (1280, 720), "tall": (1080, 1920), "square": (1024, 768)}
LEAST_DIGITS: Final = 0.18
LEAST_WORDS: Final = 0.04
# The time of the page can be put forward; its streams and its timers go on as they are.
HASTENER: Final = """
window.ahead = 0;
const passed = performance.now.bind(performance);
performance.now = () => passed() + window.ahead;
"""

# Each frame: what can be read off the wheels, in whole cents, and what the table had said by then.
SAMPLER: Final = """
window.samples = [];
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (kind, hear) {
  listen.call(this, kind, (event) => {
    const { meter_cents } = JSON.parse(event.data);
    window.committed = meter_cents;
    hear(event);
  });
};
function sample(at) {
  const strips = [...document.querySelectorAll("#odometer .strip")];
  if (strips.length > 0) {
    const read = strips.map((strip) => {
      const style = getComputedStyle(strip);
      const cells = -new DOMMatrix(style.transform).m42 / (0.9 * parseFloat(style.fontSize));
      return Math.floor(cells + 0.002) % 10;
    });
    window.samples.push({ at, cents: Number(read.join("")), committed: window.committed });
  }
  requestAnimationFrame(sample);
}
requestAnimationFrame(sample);
"""

# Which start of the table the page has heard of; its own ear comes first.
HEARER: Final = """
window.boot = 0;
{
  const listen = EventSource.prototype.addEventListener;
  EventSource.prototype.addEventListener = function (kind, hear) {
    listen.call(this, kind, (event) => {
      hear(event);
      window.boot = JSON.parse(event.data).boot ?? window.boot;
    });
  };
}
"""


def sampled(page: Page) -> Page:
    """The page, loaded anew with a look at its wheels at every frame."""
    page.context.add_init_script(SAMPLER)
    page.reload()
    until(page, "window.samples.length > 3")
    return page


def heard_boot(page: Page) -> int:
    """Which start of the table the page has heard of; the page was loaded with `HEARER`."""
    until(page, "window.boot > 0")
    found: int = page.evaluate("window.boot")
    return found


def hastened(page: Page) -> Page:
    """The page, loaded anew with a time that `hasten` puts forward."""
    page.context.add_init_script(HASTENER)
    page.reload()
    return page


def hasten(page: Page, ms: int) -> None:
    """So much time has passed for the page, and it has drawn itself since."""
    page.evaluate("(ms) => { window.ahead += ms; }", ms)
    page.evaluate(SETTLED)


def until(page: Page, condition: str) -> None:
    """Waits in the page, frame by frame: its policy forbids to hand it a text as a program."""
    late = json.dumps(f"{condition}: not within {PATIENCE_MS} ms")
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
          const end = performance.now() + {PATIENCE_MS};
          const look = () => {{
            if ({condition}) done();
            else if (performance.now() > end) fail(new Error({late}));
            else requestAnimationFrame(look);
          }};
          look();
        }})"""
    )


def shows(page: Page, cents: int) -> None:
    """The wheels have come to rest at that amount."""
    expect(page.locator("#odometer")).to_have_attribute("data-cents", str(cents))


def readings(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("window.samples")
    return found


def state_is(page: Page, state: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-state", state)


WORDS: Final = (
    "h1, #light span, #left, #line > *, .win span, .wins h2, .page h2, .note, .pays dt, .pays dd, .rules li"
)
CUT_OFF: Final = """(words) => [
  ...document.querySelectorAll(`${words}, .odometer-row, #plain strong`)
].filter((one) => {
  const { left, top, right, bottom, width } = one.getBoundingClientRect();
  const outside = left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  return width > 0 && (outside || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1));
}).map((one) => `${one.className || one.localName}: ${one.textContent}`)"""
SMALL: Final = """([words, least]) => [...document.querySelectorAll(words)]
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < least * innerHeight)
  .map((one) => one.textContent)"""
# While a fault is said in its turn there are no digits: they are measured when they are there again.
DIGIT_SHARE: Final = """async (patience) => {
  const wheel = document.querySelector("#odometer .wheel");
  const end = performance.now() + patience;
  while (!wheel.getBoundingClientRect().height) {
    if (performance.now() > end) throw new Error(`no digits within ${patience} ms`);
    await new Promise(requestAnimationFrame);
  }
  const { fontSize, fontWeight, fontFamily } = getComputedStyle(wheel);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const ink = pen.measureText("0");
  const stretch = wheel.getBoundingClientRect().height / (0.9 * parseFloat(fontSize));
  return stretch * (ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent) / innerHeight;
}"""
# A page draws itself four times a second.
SETTLED: Final = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))"


def digit_share(page: Page) -> float:
    """How much of the screen's height the digits fill."""
    share: float = page.evaluate(DIGIT_SHARE, PATIENCE_MS)
    return share


def as_size(screen: tuple[int, int]) -> ViewportSize:
    return {"width": screen[0], "height": screen[1]}


def cut_off(page: Page) -> list[str]:
    """Every word that is cut off by the screen or by what it stands in, once the page was drawn again."""
    page.evaluate(SETTLED)
    found: list[str] = page.evaluate(CUT_OFF, WORDS)
    return found
