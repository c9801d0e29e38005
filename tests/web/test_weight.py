"""What a page costs to load: whoever stands before a dark screen waits for every byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, Request, expect

from tests.web.painted import Painted

BYTES_MAX: Final = 150_000
# Sign and panel are weighed beside their other tests.
PAGES: Final = {"/console": "ann", "/login": None}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_at_most_150_kilobytes_without_its_fonts(
    painted: Painted, open_page: Callable[..., Page], path: str
) -> None:
    painted.paint("T1", "deciding")
    first = open_page(path, operator=PAGES[path])
    # Nothing of the first load is kept for the second: a context without a cache, and everything counted.
    came: list[Request] = []
    page = first.context.new_page()
    session = first.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("requestfinished", lambda request: came.append(request))
    page.goto(path, wait_until="load")
    expect(page.locator("h1").first).to_be_visible()
    page.evaluate("document.fonts.ready.then(() => true)")
    sizes = {
        request.url: request.sizes()["responseBodySize"]
        for request in came
        if request.resource_type != "font" and "/events" not in request.url
    }
    assert len(sizes) >= 4, f"too little was loaded to be the page: {sizes}"
    assert sum(sizes.values()) <= BYTES_MAX, "\n".join(f"{size} {url}" for url, size in sizes.items())
