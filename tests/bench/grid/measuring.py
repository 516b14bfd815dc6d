"""One way in one page: the cell run, the table scrolled, the notebook saved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

import nbformat
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, Response
from playwright.sync_api import Error as PlaywrightError

from tests.bench.grid.probes import COUNT, INSTALL, RECORD, RECORDED, SHOW
from tests.bench.grid.ways import Way
from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, Watch
from tests.browser.server import LabServer

__all__ = ["Finding", "measure"]

_PROJECT = Path(__file__).parents[3]
_VIEWPORT = {"width": 1400, "height": 900}
_PATIENCE_MS = 120_000
_FRAME_MS = 1000 / 60
_AGAIN, _AGAIN_MS = 5, 15_000
"""Turns in the same page, and the time after which there are enough."""
_SPEED, _DISTANCE = 2_400, 4_800
"""Pixels a second and in all: a brisk turn of the wheel, for two seconds."""
_SETTLED = 1.0
"""Seconds without a message after which a table has all it asked for."""
_SHOWN = 1
"""The cell that shows the table."""

_SETUP = """\
import sys, warnings
warnings.simplefilter("ignore")
sys.path[:0] = {paths!r}
from tests.bench.grid.tables import ReadyClient, frame_of, made_crosstab
result = made_crosstab({rows}, {columns})
"""


@dataclass(slots=True)
class Finding:
    """What one way took for one table; None where it was not found out.

    first, again: milliseconds from running the cell to painted numbers, in a fresh page and later.
    frames: milliseconds of each frame while scrolling, by direction.
    work: milliseconds of the page's main thread for each 60th of a second of scrolling, whether it
        was drawn or not; what else wants the machine does not count.
    still: directions in which nothing moved. empty: part of the spots without a number meanwhile.
    shown, scrolled: bytes from the kernel to the page. saved: bytes in the notebook file.
    bundle: bytes of code. heap: bytes of JavaScript and of its buffers, after scrolling.
    remarks: what went wrong besides. fault: why there are no figures.
    """

    way: str
    rows: int
    columns: int
    first: float | None = None
    again: float | None = None
    frames: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    work: dict[str, float] = field(default_factory=dict[str, float])
    still: list[str] = field(default_factory=list[str])
    empty: float | None = None
    shown: int | None = None
    scrolled: int | None = None
    saved: int | None = None
    bundle: int | None = None
    heap: int | None = None
    remarks: list[str] = field(default_factory=list[str])
    fault: str = ""

    def frame_times(self) -> list[float]:
        """All frames in which the table was made to move, the shortest first."""
        return sorted(
            t for way, times in self.frames.items() if way not in self.still for t in times
        )

    def frame_work(self) -> float | None:
        """The mean of the directions in which the table moved, in milliseconds."""
        moved = [work for way, work in self.work.items() if way not in self.still]
        return mean(moved) if moved else None

    def dropped(self) -> int:
        """Frames that a screen of 60 Hz would have had in that time, and did not get."""
        return sum(max(0, round(ms / _FRAME_MS) - 1) for ms in self.frame_times())


class Unseen(Exception):
    """The table was not to be seen."""


def measure(server: LabServer, browser: Browser, way: Way, shape: tuple[int, int]) -> Finding:
    """Everything about one way, in a page and a kernel of its own."""
    finding = Finding(way.name, *shape)
    context = browser.new_context(viewport=_VIEWPORT)
    context.set_default_timeout(_PATIENCE_MS)
    context.add_init_script(INSTALL)
    watch = Watch(context)
    traffic = _Traffic(context, way.extension)
    lab = Lab(server, context)
    try:
        paths = [str(_PROJECT), str(_PROJECT / "src")]
        setup = _SETUP.format(paths=paths, rows=shape[0], columns=shape[1])
        notebook = lab.write(way.name, [f"{setup}{way.prepare}", f"shown = {way.show}\nshown"])
        empty = notebook.stat().st_size
        page = lab.open(notebook)
        page.run_cell(0)
        _Trial(page, way, traffic, finding).run(notebook, empty)
    except (Unseen, PlaywrightError, AssertionError) as error:
        asked = f"; it asked {watch.outside[0]}" if watch.outside else ""
        finding.fault = f"{str(error).splitlines()[0][:200]}{asked}"
    finally:
        for page in lab.pages:
            page.screenshot(f"bench-{way.name}-{shape[0]}")
        context.close()
        server.forget()
    return finding


class _Trial:
    """A page with the table made and nothing shown yet."""

    def __init__(self, page: NotebookPage, way: Way, traffic: _Traffic, finding: Finding) -> None:
        self._lab_page = page
        self._way = way
        self._page: Page = page.page
        self._traffic = traffic
        self._finding = finding
        self._protocol: CDPSession = self._page.context.new_cdp_session(self._page)
        self._protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def run(self, notebook: Path, empty: int) -> None:
        found = self._finding
        before, quiet = self._heap(), self._traffic.settled(self._page)
        found.first = self._show()
        found.shown = self._traffic.settled(self._page) - quiet
        self._scroll()
        found.scrolled = self._traffic.settled(self._page) - found.shown - quiet
        found.heap = self._heap() - before
        found.bundle = self._traffic.loaded + self._lab_page.python(self._way.code)
        found.saved = self._saved(notebook, empty)
        found.again = self._again()

    def _again(self) -> float | None:
        times: list[float] = []
        try:
            while len(times) < _AGAIN and sum(times) < _AGAIN_MS:
                times.append(self._show())
        except Unseen as error:
            self._finding.remarks.append(f"run again: {error}")
            return None
        return median(times)

    def _show(self) -> float:
        told = self._page.evaluate(SHOW, [_SHOWN, _PATIENCE_MS])
        if "ms" in told:
            return told["ms"]
        raise Unseen(told["error"] or f"no number was seen in {_PATIENCE_MS / 1000:.0f} s")

    def _scroll(self) -> None:
        for name, (across, down) in {"down": (0, 1), "right": (1, 0), "both": (1, 1)}.items():
            before = self._worked()
            recorded = self._scrolled(across, down)
            self._finding.frames[name] = recorded["frames"]
            self._finding.work[name] = 1000 * (self._worked() - before) / (60 * _DISTANCE / _SPEED)
            if not recorded["moved"]:
                self._finding.still.append(name)
        drawn = self._page.evaluate(COUNT, _SHOWN)
        if not drawn or "down" in self._finding.still:
            return
        # Looking costs time, so it is not done while frames are timed.
        filled: Sequence[int] = self._scrolled(0, 1, look=True)["filled"]
        self._finding.empty = 1 - min(1.0, sum(filled) / len(filled) / drawn)

    def _scrolled(self, across: int, down: int, *, look: bool = False) -> dict[str, Any]:
        box = self._lab_page.cell_output(_SHOWN).bounding_box()
        assert box is not None
        self._page.evaluate(RECORD, [_SHOWN, look])
        self._protocol.send(
            "Input.synthesizeScrollGesture",
            {
                "x": box["x"] + box["width"] * 0.6,
                "y": box["y"] + min(box["height"], 400) * 0.65,
                "xDistance": -across * _DISTANCE,
                "yDistance": -down * _DISTANCE,
                "speed": _SPEED,
                "gestureSourceType": "mouse",
            },
        )
        return self._page.evaluate(RECORDED)

    def _worked(self) -> float:
        """Seconds that the main thread has spent on tasks, by its own clock."""
        told = self._protocol.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in told if each["name"] == "TaskDuration")

    def _heap(self) -> int:
        for _ in range(2):
            self._protocol.send("HeapProfiler.collectGarbage")
        usage = self._protocol.send("Runtime.getHeapUsage")
        return int(usage["usedSize"] + usage.get("backingStorageSize", 0))

    def _saved(self, notebook: Path, empty: int) -> int | None:
        """Bytes that the file grew by, with the state of its widgets."""
        self._lab_page.command("docmanager:save")
        if "widgets" in nbformat.read(notebook, as_version=4).metadata:
            return notebook.stat().st_size - empty
        self._finding.remarks.append("the notebook was not saved")
        return None


class _Traffic:
    """What reaches the page from the kernel, and what code an extension of Lab loads."""

    def __init__(self, context: BrowserContext, extension: str) -> None:
        self.loaded = 0
        self._received = 0
        self._extension = extension
        self._last = time.monotonic()
        context.on("page", self._listen)

    def settled(self, page: Page) -> int:
        """Bytes so far, once there has been quiet for a while."""
        started = time.monotonic()
        while time.monotonic() - max(self._last, started) < _SETTLED:
            page.wait_for_timeout(100)
        return self._received

    def _listen(self, page: Page) -> None:
        page.on("websocket", lambda socket: socket.on("framereceived", self._note_frame))
        page.on("response", self._note_response)

    def _note_frame(self, payload: str | bytes) -> None:
        self._received += len(payload.encode() if isinstance(payload, str) else payload)
        self._last = time.monotonic()

    def _note_response(self, response: Response) -> None:
        if self._extension and self._extension in response.url:
            self.loaded += int(response.headers.get("content-length", 0))
