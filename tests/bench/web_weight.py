"""What a page weighs when it is opened for the first time: everything it fetches, as transferred."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Browser, Request

from tests.bench.table import BenchFailed
from tests.bench.verdict import Verdict, at_most
from tests.bench.web_rig import OPERATOR, PIN, Pages, browser, pages

MOST_KB: Final = 150
SIZE: Final = {"width": 1920, "height": 1080}
# A page that has fetched nothing for so long has all that it wants; its stream stays open.
QUIET_MS: Final = 1_500
OPENED: Final = {
    "login": "/login",
    "sign": "/sign?table=T1",
    "panel": "/panel?table=T1",
    "console": "/console",
}


def weight() -> list[Verdict]:
    """Kilobytes of each page with the heads of the answers, without its stream and its fonts, the peer."""
    with pages() as made, browser() as chromium:
        weighed = {name: _weigh(made, chromium, name, path) for name, path in OPENED.items()}
    return [
        at_most(f"bytes of the page {name}, peer its fonts", ours_kb, fonts_kb, MOST_KB, "kB")
        for name, (ours_kb, fonts_kb) in weighed.items()
    ]


def _weigh(made: Pages, chromium: Browser, name: str, path: str) -> tuple[float, float]:
    """Thousands of bytes of one page in a profile of its own: without fonts, and of fonts."""
    context = chromium.new_context(base_url=made.url, viewport=SIZE)  # type: ignore[arg-type]
    finished: list[Request] = []
    try:
        if name in ("panel", "console"):
            asked = {"operator": OPERATOR, "pin": PIN}
            told = context.request.post("/api/login", data=asked, headers={"Origin": made.url})
            if not told.ok:
                raise BenchFailed(f"nobody can log in: {told.text()}")
        page = context.new_page()
        page.on("requestfinished", lambda request: finished.append(request))
        page.goto(path, wait_until="load")
        if page.url != f"{made.url}{path}":
            raise BenchFailed(f"{path} led to {page.url}")
        seen = -1
        while seen != len(finished):
            seen = len(finished)
            page.wait_for_timeout(QUIET_MS)
        kinds_kb = {True: 0.0, False: 0.0}
        for request in finished:
            sizes = request.sizes()
            transferred = sizes["responseBodySize"] + sizes["responseHeadersSize"]
            kinds_kb[request.resource_type == "font"] += transferred / 1000
    finally:
        context.close()
    return kinds_kb[False], kinds_kb[True]
