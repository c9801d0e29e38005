"""From the table's commit to the pixels of a sign: real service, web process and browser on this machine.

The clock starts with the stamp of the journal entry, which is taken before the entry is committed. It stops
in the second animation frame after the page changed its wheels, when the first one has been handed to the
screen. A still sign (reduced motion) then shows the whole new amount; on a rolling one the roll has begun.
The peer is a bare subscriber, which hears the change and paints nothing.
"""

from __future__ import annotations

from typing import Final, Literal

from playwright.sync_api import Browser, Page

from tests.bench.table import PATIENCE_S, BenchFailed
from tests.bench.verdict import Verdict, at_most, percentile
from tests.bench.web_rig import Change, Ear, Pages, browser, pages

STILL: Final = 60
ROLLING: Final = 12
MOST_MEDIAN_MS: Final = 100
SIZE: Final = {"width": 1920, "height": 1080}

# What was painted, by amount where the sign is still; where it rolls, the first movement after `begin`.
_WATCH: Final = """() => {
  const box = document.getElementById("odometer");
  const painted = (mark) => requestAnimationFrame(() => requestAnimationFrame(() => mark(Date.now())));
  window.amounts = {};
  window.moved = 0;
  window.begin = () => { window.moved = 0; window.waiting = true; };
  new MutationObserver(() => {
    const { cents } = box.dataset;
    if (!(cents in window.amounts)) painted((at) => { window.amounts[cents] ??= at; });
    if (window.waiting) {
      window.waiting = false;
      painted((at) => { window.moved = at; });
    }
  }).observe(box, { subtree: true, attributes: true, attributeFilter: ["data-cents", "style"] });
}"""
_AMOUNT: Final = "(cents) => window.amounts[cents] ?? 0"
_SHOWN: Final = "() => Number(document.getElementById('odometer').dataset.cents)"


def pixels(still: int = STILL, rolling: int = ROLLING) -> list[Verdict]:
    """Median and 99th percentile of a still sign, and the median of the first movement of a rolling one."""
    with pages() as made, browser() as chromium, Ear(made) as ear:
        still_ms, still_peer_ms = _measure(made, chromium, ear, "reduce", still)
        rolling_ms, rolling_peer_ms = _measure(made, chromium, ear, "no-preference", rolling)
    amount = "entry's stamp to the new amount painted on a still sign"
    return [
        _verdict(f"{amount}, median, peer a bare subscriber", 50, still_ms, still_peer_ms, MOST_MEDIAN_MS),
        _verdict(f"{amount}, p99, the same peer", 99, still_ms, still_peer_ms, 3 * MOST_MEDIAN_MS),
        _verdict(
            "entry's stamp to the first frame of the roll, median, the same peer",
            50,
            rolling_ms,
            rolling_peer_ms,
            MOST_MEDIAN_MS,
        ),
    ]


def _verdict(
    what: str, percent: float, ours_ms: list[float], peer_ms: list[float], most_ms: float
) -> Verdict:
    return at_most(what, percentile(ours_ms, percent), percentile(peer_ms, percent), most_ms, "ms")


def _measure(
    made: Pages, chromium: Browser, ear: Ear, motion: Literal["reduce", "no-preference"], count: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each change until it was painted, and until the bare subscriber had heard it."""
    context = chromium.new_context(viewport=SIZE, reduced_motion=motion)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_S * 1000)
    try:
        page = context.new_page()
        page.goto(f"{made.url}/sign?table=T1")
        page.wait_for_selector("#odometer[data-cents]:not([hidden])")
        _until(page, _SHOWN, made.cents)
        page.evaluate(_WATCH)
        # The first change pays for the page's first animation and is not counted.
        painted = [_one(made, page, motion) for _ in range(count + 1)][1:]
    finally:
        context.close()
    stamps_ms = made.stamps_ms()
    return (
        [at_ms - stamps_ms[change.seq] for change, at_ms in painted],
        [ear.heard_ms[change.cents] - stamps_ms[change.seq] for change, _ in painted],
    )


def _one(made: Pages, page: Page, motion: str) -> tuple[Change, float]:
    page.evaluate("() => window.begin()")
    change = made.change()
    if motion == "reduce":
        at_ms = _until(page, _AMOUNT, change.cents)
    else:
        at_ms = _until(page, "() => window.moved")
        # The next amount would wait for the end of this roll.
        _until(page, _SHOWN, change.cents)
    return change, at_ms


def _until(page: Page, what: str, wanted: int | None = None) -> float:
    """Ask the page until it tells a number, or the wanted one for what it shows."""
    arguments = [wanted] if what == _AMOUNT else []
    for _ in range(int(PATIENCE_S * 1000 / 10)):
        found = float(page.evaluate(what, *arguments))
        if found and (what != _SHOWN or found == wanted):
            return found
        page.wait_for_timeout(10)
    raise BenchFailed(f"the sign does not show {wanted}: {page.inner_text('body')[:300]}")
