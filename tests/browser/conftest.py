"""How to test in a real JupyterLab.

    from playwright.sync_api import expect
    from tests.browser.conftest import Lab

    def test_picker_searches(lab: Lab) -> None:
        code = "picker = al.QuestionPicker(al.connect()); picker"
        notebook = lab.write("picker", ["import audiencelab as al", code])
        page = lab.open(notebook)             # JupyterLab is up, the kernel idle
        page.run_all()                        # fails with the traceback if a cell raises
        picker = page.cell_output(1)          # a Playwright locator; cells count from 0
        picker.get_by_role("combobox").fill("social")
        expect(picker.get_by_role("treeitem")).to_have_count(3)
        page.expect_python("len(picker.value)", 0)    # waits: a click takes a moment to arrive
        assert page.python("picker.kind") == "picker" # read at once, as JSON
        page.becomes(lambda: heads(picker), ["Age"])  # waits: a page is drawn once a frame
        page.theme("dark")
        page.screenshot("picker-dark", of=picker)     # .artifacts/screenshots/picker-dark.png

Also there: `page.page` (Playwright's page), `run_cell(i, wait=False)` for a busy kernel and
`lab.hold()` for a cell that is busy until the test says so,
`wait_idle()`, `reload()`, `restart_kernel()`, `command("docmanager:save")`; `lab.open` twice
gives two pages on one notebook, and with a path outside `lab.folder` works on a copy.

One server and one browser serve all tests. `lab.open` gives a page that remembers nothing, with a
kernel and Lab settings of its own; `lab.run` may give the page of the test before it in its file,
where that left it as it was. Every test fails when a page asks any address but loopback, throws an
exception that nobody catches, or when JupyterLab could not link an extension. A failing test
leaves a picture of each page beside the other screenshots, and what its keyboard did lately.

The tests run by name only (`make test-browser`, or `pytest tests/browser -k picker`): they take
seconds each and need Chromium.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import nbformat
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser.page import RECORD, NotebookPage, Watch
from tests.browser.profile import Profile
from tests.browser.server import LabServer
from tests.surveys.fixtures import hps_survey

__all__ = ["hps_survey"]

SCREENSHOTS = Path(__file__).parents[2] / ".artifacts" / "screenshots"
# The first has no windows, and takes an eighth less processor time.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing but this machine is to be had; a page that asks for more cannot make a test pass.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
WINDOW: ViewportSize = {"width": 1400, "height": 900}
# A busy machine with two cores is slow, not broken.
PATIENCE = 60_000


class Hold:
    """A cell's code that runs until it is released; without `start()` it ends at once.

    A cell that sleeps some seconds may be over before a slow machine has looked.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.code = (
            "import pathlib, time\n"
            f"while pathlib.Path({str(path)!r}).exists():\n"
            "    time.sleep(0.05)"
        )

    def start(self) -> None:
        self._path.touch()

    def release(self) -> None:
        self._path.unlink(missing_ok=True)


class Lab:
    """JupyterLab as one test sees it."""

    def __init__(
        self, server: LabServer, context: BrowserContext, profile: Profile | None = None
    ) -> None:
        self.folder = server.notebooks
        self.pages: list[NotebookPage] = []
        self._server = server
        self._context = context
        self._profile = profile

    def write(self, name: str, cells: Sequence[str]) -> Path:
        """Write a notebook of code cells; one that starts with `# ` and a capital is Markdown."""
        notebook = nbformat.v4.new_notebook(
            cells=[_cell(source) for source in cells],
            metadata={
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
            },
        )
        path = self.folder / f"{name}.ipynb"
        nbformat.write(notebook, path)
        return path

    def open(self, notebook: Path | str) -> NotebookPage:
        """Open a notebook in a new page, and wait until its kernel is idle."""
        if self._profile and self._take_kept():
            # Not the notebooks: what is to be opened may be there.
            _start_afresh(self._server, self._profile)
        path = self._inside(Path(notebook))
        # Each page its own workspace: Lab reloads a page whose workspace is open elsewhere.
        # And an empty one: without reset, Lab would bring back what it held before.
        where = f"workspaces/page-{len(self.pages) + 1}/tree/{quote(self._relative(path))}"
        address = f"{self._server.url}/lab/{where}?token={self._server.token}&reset"
        opened = NotebookPage(self._context.new_page(), address, SCREENSHOTS)
        self.pages.append(opened)
        opened.load()
        return opened

    def run(self, name: str, cells: Sequence[str]) -> NotebookPage:
        """A notebook of these cells, run: a new one, or that of the test before in the same file.

        That one keeps its page, kernel and name; its cells are replaced and its variables deleted.
        A test that needs a new page and a new kernel calls `open` with what `write` returns.
        """
        page = self._take_kept()
        if page:
            self.pages.append(page)
            page.replace_cells(cells)
        else:
            page = self.open(self.write(name, cells))
        page.run_all()
        return page

    def page_to_keep(self) -> NotebookPage | None:
        """The page of this test, if it had just one and left it as it was."""
        match self.pages:
            case [page] if page.put_back():
                return page
            case _:
                return None

    def hold(self) -> Hold:
        """A cell that keeps its kernel busy for just as long as a test wants."""
        return Hold(self.folder / "held")

    def _take_kept(self) -> NotebookPage | None:
        if self._profile is None:
            return None
        page, self._profile.kept = self._profile.kept, None
        return page

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _inside(self, path: Path) -> Path:
        if path.is_absolute() and not path.is_relative_to(self.folder):
            return Path(shutil.copy(path, self.folder))
        return self.folder / path


def _cell(source: str) -> nbformat.NotebookNode:
    is_markdown = source.startswith("# ") and source[2:3].isupper()
    new = nbformat.v4.new_markdown_cell if is_markdown else nbformat.v4.new_code_cell
    return new(source)


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """One JupyterLab for the whole run."""
    server = LabServer(tmp_path_factory.mktemp("jupyterlab"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    """How a browser is started."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: BrowserType) -> Iterator[Browser]:
    """A browser for tests that have contexts of their own."""
    browser = chromium.launch(executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(chromium: BrowserType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    """The browser in which all tests open JupyterLab."""
    context = chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=find_chromium(),
        args=CHROMIUM_OPTIONS,
        headless=True,
        viewport=WINDOW,
    )
    context.set_default_timeout(PATIENCE)
    context.add_init_script(RECORD)
    yield Profile(context)
    context.close()


def find_chromium() -> str:
    """The browser to drive, or a failed test that says how to get one."""
    named = os.environ.get("AUDIENCELAB_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None:
        pytest.fail("no Chromium on this machine; `make chromium` installs it or says how")
    return found


@pytest.fixture
def lab(lab_server: LabServer, profile: Profile, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """JupyterLab in a browser that remembers nothing, watched until the test is over."""
    if profile.kept and profile.file != request.path:
        _start_afresh(lab_server, profile, "notebooks")
    watch = Watch(profile.context, profile.kept)
    lab = Lab(lab_server, profile.context, profile)
    try:
        yield lab
        if _has_failed(request):
            _keep_pictures(lab, request.node.name)
        elif watch.exceptions == []:
            profile.kept, profile.file = lab.page_to_keep(), request.path
    finally:
        lab.hold().release()
        if profile.kept is None:
            _start_afresh(lab_server, profile, "notebooks")
        watch.leave()
    assert watch.outside == [], "a page asked another machine"
    assert watch.exceptions == [], "a page threw an exception that nobody caught"
    assert "error linking" not in lab_server.log_text().lower()


def _start_afresh(server: LabServer, profile: Profile, *folders: str) -> None:
    profile.forget(server.url)
    server.forget(*folders)


@contextmanager
def notebook_7(browser: Browser, home: Path, cells: Sequence[str]) -> Generator[NotebookPage]:
    """Notebook 7, open on these cells, and watched as JupyterLab is."""
    server = LabServer(home, app="notebook")
    context = browser.new_context(viewport=WINDOW)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(RECORD)
    watch = Watch(context)
    thrown: list[str] = []
    context.on("weberror", lambda each: thrown.append(each.error.stack or ""))
    try:
        server.start()
        Lab(server, context).write("classic", cells)
        address = f"{server.url}/notebooks/classic.ipynb?token={server.token}"
        page = NotebookPage(context.new_page(), address, SCREENSHOTS)
        page.load()
        yield page
    finally:
        context.close()
        server.stop()
    assert watch.outside == [], "a page asked another machine"
    # Notebook 7.6 throws one of its own while it reads its settings.
    assert [stack for stack in thrown if "audiencelab" in stack] == []


def _has_failed(request: pytest.FixtureRequest) -> bool:
    return getattr(request.node, "call_failed", False)


def _keep_pictures(lab: Lab, name: str) -> None:
    for number, page in enumerate(lab.pages, start=1):
        page.screenshot(f"failed-{name}-{number}")
        page.record(f"failed-{name}-{number}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Tell the fixture whether its test failed, so that it can keep pictures."""
    report = yield
    if report.when == "call":
        item.call_failed = report.failed
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
