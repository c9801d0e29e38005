"""What the tests of the pages start with: a browser, painted tables, a whole real table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, Page

from tests.web import browser as browsers

if TYPE_CHECKING:
    from tests.web.painted import Painted
    from tests.web.rig import RealTable


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One real browser for the tests of a file.

    Playwright leaves its event loop running in this thread as long as it lives, and the tests of other files
    want loops of their own.
    """
    with browsers.browser() as started:
        yield started


@pytest.fixture
def pages(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[browsers.Pages]:
    """The pages of the table of this test: the real one if the test asks for it, else the painted ones."""
    real = "real_table" in request.fixturenames
    home: Any = request.getfixturevalue("real_table" if real else "painted")
    opened = browsers.Pages(chromium, home)
    yield opened
    complaints = opened.complaints()
    opened.close()
    assert not complaints, "the pages complained:\n" + "\n".join(complaints)


@pytest.fixture
def open_page(pages: browsers.Pages) -> Callable[..., Page]:
    """`open_page(path, size=, touch=, operator=, reduced_motion=, language=)` gives a loaded page."""
    return pages.open


@pytest.fixture
def forgive(pages: browsers.Pages) -> Callable[..., None]:
    """`forgive(page, text…)`: complaints that hold the text are meant to happen."""
    return pages.forgive


@pytest.fixture
def shoot() -> Callable[[Page, str], Path]:
    """`shoot(page, name)` leaves a picture in the folder of the pictures."""
    return browsers.shoot


@pytest.fixture
def faultless() -> Callable[[Page], None]:
    """`faultless(page)`: axe finds nothing."""
    return browsers.faultless


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the operators: ann and ben (supervisors), cy (dealer), di (auditor)."""
    from tests.web.painted import operators_file

    return operators_file(tmp_path_factory.mktemp("people"))


@pytest.fixture
def painted(tmp_path: Path, people: Path) -> Iterator[Painted]:
    """The real site over painted tables; `painted.paint(table, scene)` sets what they show."""
    from tests.web import painted as painting

    tables = painting.Painted(tmp_path, painting.copied(people, tmp_path))
    yield tables
    tables.close()


@pytest.fixture
def real_table() -> Iterator[RealTable]:
    """Board, service and web process as real processes in a folder of their own."""
    from tests.web.rig import real_table as whole

    with whole() as table:
        yield table


@pytest.fixture
def make_real_table() -> Iterator[Callable[[], RealTable]]:
    """Makes one real table after the other."""
    from tests.web.rig import real_table as whole

    with ExitStack() as made:
        yield lambda: made.enter_context(whole())
