"""A real browser at the pages: what it opens, what it complains about, what it looks like, who cannot use it.

Whatever a page writes to the console as an error, throws, asks for in vain or does against the content
security policy is gathered, and the test that opened the page fails for it at its end.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).resolve().parents[2]
# A loaded machine with two cores draws its first page late; a condition that holds costs no time.
PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = ("--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars")
# A page that is left, and a stream that it closes, end their requests: that is no failure.
_ENDED = "net::ERR_ABORTED"

_RULES = """async () => {
  const rules = axe.getRules().filter((rule) => !rule.tags.includes("deprecated"));
  const options = { rules: Object.fromEntries(rules.map((rule) => [rule.ruleId, { enabled: true }])) };
  const found = await axe.run(document, options);
  return found.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id} at ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`));
}"""


class Home(Protocol):
    """Whose pages are opened: where they are, and the PIN of everybody who may log in."""

    url: str
    pins: dict[str, str]

    def speak(self, language: str) -> None:
        """The pages are in that language from now on."""


def browser_path() -> str:
    """The browser of this machine; without one the test is skipped, or fails under `CI`."""
    named = os.environ.get("CHROMIUM", "")
    found = next((path for path in map(shutil.which, (named, *_NAMES)) if path), None)
    if found is not None:
        return found
    text = "no browser is found: set CHROMIUM, or install one of " + ", ".join(_NAMES)
    if os.environ.get("CI"):
        pytest.fail(f"{text}; under CI it has to be there")
    pytest.skip(text)


@contextmanager
def browser() -> Iterator[Browser]:
    """One browser; every page has a profile of its own in it."""
    path = browser_path()
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=[*_ARGUMENTS, *root])
        try:
            yield started
        finally:
            started.close()


class Pages:
    """The pages that one test opens, and everything they complained about."""

    def __init__(self, browser: Browser, home: Home) -> None:
        self._browser = browser
        self._home = home
        self._contexts: list[BrowserContext] = []
        self._complaints: list[tuple[Page, str]] = []
        self._forgiven: list[tuple[Page, str]] = []
        self._logged_in: dict[str, list[Any]] = {}

    def open(
        self,
        path: str,
        size: tuple[int, int] = (1280, 800),
        touch: bool = False,
        operator: str | None = None,
        reduced_motion: bool = False,
        language: str | None = None,
    ) -> Page:
        """Opens `path` in a profile of its own, logged in as `operator`; returns when the page is loaded."""
        if language is not None:
            self._home.speak(language)
        context = self._browser.new_context(
            base_url=self._home.url,
            viewport={"width": size[0], "height": size[1]},
            has_touch=touch,
            reduced_motion="reduce" if reduced_motion else "no-preference",
            locale=language or "en-US",
        )
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.set_default_navigation_timeout(PATIENCE_MS)
        # Reported by the browser itself, whether or not the page's own code looks at its errors.
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error("
            "`content security policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));"
        )
        if operator is not None:
            self._log_in(context, operator)
        page = context.new_page()
        self._listen(page)
        page.goto(path, wait_until="load")
        return page

    def again(self, page: Page, path: str) -> Page:
        """A second page in the same profile, with the same session."""
        second = page.context.new_page()
        self._listen(second)
        second.goto(path, wait_until="load")
        return second

    def forgive(self, page: Page, *texts: str) -> None:
        """What holds one of these texts is meant to happen on this page and is no fault of it."""
        self._forgiven += [(page, text) for text in texts]

    def complaints(self) -> list[str]:
        """What the pages complained about and nobody forgave."""
        return [
            complaint
            for page, complaint in self._complaints
            if not any(page is other and text in complaint for other, text in self._forgiven)
            # A question that a silent table does not answer is asked again, and no fault of the page.
            and not ("503 (Service Unavailable)" in complaint and complaint.endswith("/ask)"))
        ]

    def close(self) -> None:
        """Closes every page."""
        for context in self._contexts:
            context.close()

    def _log_in(self, context: BrowserContext, operator: str) -> None:
        """Each person logs in once a test: the next page of the same person has the same session."""
        cookies = self._logged_in.get(operator)
        if cookies is None:
            url = self._home.url
            answer = context.request.post(
                f"{url}/api/login",
                data={"operator": operator, "pin": self._home.pins[operator]},
                headers={"Origin": url},
            )
            assert answer.ok, f"{operator} cannot log in: {answer.status} {answer.text()}"
            self._logged_in[operator] = list(context.cookies())
        else:
            context.add_cookies(cookies)

    def _listen(self, page: Page) -> None:
        def complain(text: str) -> None:
            self._complaints.append((page, f"{page.url}: {text}"))

        def console(message: ConsoleMessage) -> None:
            if message.type == "error":
                complain(f"console: {message.text} ({message.location.get('url', '')})")

        def failed(request: Request) -> None:
            if request.failure != _ENDED:
                complain(f"request {request.url} failed: {request.failure}")

        page.on("console", console)
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("requestfailed", failed)


def faultless(page: Page) -> None:
    """No rule of axe finds anything on the page as it stands, also enhanced contrast and target size."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(_axe_source())
    found: list[str] = page.evaluate(_RULES)
    assert not found, f"{page.url} can not be used by everybody:\n" + "\n".join(found)


def shoot(page: Page, name: str) -> Path:
    """A picture of what the page shows now, for people to look at."""
    folder = Path(os.environ.get("SCREENSHOTS", ROOT / ".screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    page.screenshot(path=path)
    return path


def _axe_source() -> str:
    # The package has no types, and of it only the script is wanted.
    folder = files("axe_playwright_python")
    return (folder / "axe.min.js").read_text("utf-8")
