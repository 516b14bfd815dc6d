"""Page object of a notebook that is open in JupyterLab.

Playwright's own page is `.page`; everything here is what every test would otherwise write
again. Indexes of cells count all cells, Markdown too, from 0.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Page, Request, WebSocket
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.contrast import too_pale

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
LOCAL_SCHEMES = {"data", "blob", "about", "chrome", "devtools"}

# A busy machine with two cores takes its time to bring JupyterLab up.
LOAD_MS = 120_000
# Without an interval, waiting has the page draw frames, which costs more than what it waits for.
POLL_MS = 50
# More than the four seconds that the widget manager gives the kernel.
LIVE_MS = 15_000
# As often as somebody would press F5 before they give up.
RELOADS = 3

# The notebook that is in front, once its kernel has said that it is idle.
KERNEL_IDLE = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  return panel?.sessionContext?.session?.kernel?.status === "idle";
}"""

# Started here and awaited by `RAN_ALL`: unlike an evaluation, waiting can time out.
RUN_ALL = """() => {
  window.audiencelabRan = false;
  const ended = () => { window.audiencelabRan = true; };
  window.jupyterapp.commands.execute("notebook:run-all-cells").then(ended, ended);
}"""

RAN_ALL = "() => window.audiencelabRan"

# Each widget's place says "Loading widget..." until its manager knows what the kernel has.
# Meanwhile what was saved of ours stands there, and may be taken for the widget.
WIDGETS_LOADED = """() => !document.querySelector("[data-audiencelab-view=asking]")
  && ![...document.querySelectorAll(".jp-OutputArea-output")]
  .some((output) => output.textContent.trim() === "Loading widget...")"""

DECIDED = """() => !document.querySelector("[data-audiencelab-view='asking']")"""

# Of a page that was loaded again: as many outputs of ours as before know what they show.
AS_MANY_DECIDED = """(views) => document.querySelectorAll(
  "[data-audiencelab-view]:not([data-audiencelab-view=asking])").length >= views"""

RUN_CELL = """async (index) => {
  window.jupyterapp.shell.currentWidget.content.activeCellIndex = index;
  await window.jupyterapp.commands.execute("notebook:run-cell");
}"""

FIRST_ERROR = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
  for (let i = 0; i < cells.length; i++) {
    const found = cells.get(i).outputs?.toJSON().find((o) => o.output_type === "error");
    if (found) return { index: i, text: found.traceback.join("\\n") };
  }
  return null;
}"""

EXECUTE = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, store_history: false });
  let text = "";
  let error = null;
  future.onIOPub = (message) => {
    if (message.header.msg_type === "stream") text += message.content.text;
    if (message.header.msg_type === "error") error = message.content.traceback.join("\\n");
  };
  await future.done;
  return { text, error };
}"""

REPLACE_CELLS = """(sources) => {
  const panel = window.jupyterapp.shell.currentWidget;
  const notebook = panel.content.model.sharedModel;
  const cells = sources.map((source) => ({ cell_type: "code", source, metadata: {}, outputs: [] }));
  const count = notebook.cells.length;
  notebook.transact(() => {
    notebook.insertCells(count, cells);
    notebook.deleteCellRange(0, count);
  }, false);
  notebook.clearUndoHistory();
  panel.content.activeCellIndex = 0;
  panel.content.mode = "command";
}"""

# What a test may have opened, moved or changed, as a text to compare.
STATE = """() => {
  const { shell } = window.jupyterapp;
  const open = (side) => {
    // JupyterLite's Lab has no area below the notebooks.
    try {
      return [...shell.widgets(side)].filter((each) => each.isVisible).map((each) => each.id);
    } catch {
      return [];
    }
  };
  return JSON.stringify([
    [...shell.widgets("main")].length, open("left"), open("right"), open("down"),
    document.querySelectorAll(".jp-Dialog, .lm-Menu, dialog[open]").length,
    document.body.style.zoom, document.documentElement.style.zoom,
  ]);
}"""

RESTART = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
}"""

# Whatever of the widgets reaches over their right edge, other than what is scrolled inside.
OVERHANG = """() => [...document.querySelectorAll(".audiencelab")].flatMap((root) => {
  const { right } = root.getBoundingClientRect();
  const reaches = (element) => {
    for (let box = element.parentElement; box !== root; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return false;
    }
    return element.getBoundingClientRect().right > right + 1;
  };
  return [...root.querySelectorAll("*:not(.al-sr-only)")].filter(reaches).map((e) => e.outerHTML);
})"""

# Where everything of the widgets is and what it says, the same for some frames; and no chart in
# sight is still the one before, which is drawn pale.
AT_REST = """async () => {
  const older = [...document.querySelectorAll('.audiencelab [data-current="false"]')];
  if (older.some((chart) => chart.checkVisibility())) return false;
  const frames = async (count) => {
    for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
  };
  const seen = () => [...document.querySelectorAll(".audiencelab, .audiencelab *")]
    .map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x, y, width, height, element.className];
    }).join();
  const before = seen();
  await frames(3);
  return seen() === before;
}"""

# A new theme hides the whole page for a frame, to draw its scroll bars again, and Lab's picture of
# its start fades out, which another change must not begin meanwhile: Lab would remove it twice.
THEMED = """(isLight) => document.body.dataset.jpThemeLight === isLight
  && !window.jupyterapp.shell.isHidden && !document.querySelector("#jupyterlab-splash")"""

# A window of another size is told to the page with its next picture, and what the page makes of it
# (what is scrolled, and by what) is drawn with the one after.
RESIZED = """async (width) => {
  for (let drawn = 0; drawn < 2; drawn += window.innerWidth === width) {
    await new Promise(requestAnimationFrame);
  }
}"""

# What happened to the keyboard lately, for the record of a test that failed: a lost key is seen on
# no picture. Whoever moved the focus by code is named by the stack.
RECORD = """(() => {
  const events = window.audiencelabEvents = [];
  const name = (node) => {
    if (!(node instanceof Element)) return String(node && node.nodeName);
    const label = node.getAttribute("aria-label") || node.textContent || "";
    const words = label.trim().slice(0, 40);
    return `${node.localName}.${[...node.classList].join(".")} "${words}"`;
  };
  const note = (event) => {
    const by = event.type === "focusin" ? new Error().stack.split("\\n").slice(2, 7) : [];
    const key = event instanceof KeyboardEvent ? ` ${event.key}` : "";
    const to = event.type === "focusout" ? ` to ${name(event.relatedTarget)}` : "";
    events.push(
      [`${Math.round(performance.now())} ${event.type}${key} ${name(event.target)}${to}`, ...by]
        .join("\\n    "),
    );
    if (events.length > 200) events.shift();
  };
  for (const type of ["focusin", "focusout", "keydown", "pointerdown", "pointerup", "resize"]) {
    window.addEventListener(type, note, true);
  }
})()"""

RECORDED = """() => {
  const focus = document.activeElement?.outerHTML.slice(0, 300);
  const now = `${Math.round(performance.now())} now, the keyboard is on ${focus}`;
  return [...(window.audiencelabEvents ?? []), now].join("\\n");
}"""

# Targets of 24 pixels are of WCAG 2.2, which axe leaves out unless it is asked.
AXE_RUN = """async (at) => {
  const rules = { "target-size": { enabled: true } };
  return (await axe.run(at, { rules })).violations;
}"""

ANSI = re.compile(r"\x1b\[[0-9;]*m")

T = TypeVar("T")


class NotebookPage:
    """One notebook in one browser page."""

    def __init__(self, page: Page, address: str, screenshots: Path) -> None:
        self.page = page
        self._address = address
        self._screenshots = screenshots
        assert page.viewport_size
        self._window = page.viewport_size
        self._state = ""
        self._is_light = True

    # ---- coming up ----

    def load(self) -> None:
        """Open the notebook and wait until it can be worked with."""
        self.page.goto(self._address, timeout=LOAD_MS)
        self._wait_until_ready()
        self._state = self.page.evaluate(STATE)

    def reload(self) -> None:
        """As F5 does: the page is new, the kernel keeps running.

        JupyterLab's own widget manager gives the kernel four seconds to list its widgets, which a
        loaded machine may not keep, and then finds none of them until the page is loaded again.
        """
        self._state = ""
        views = self.page.locator("[data-audiencelab-view]").count()
        for _ in range(RELOADS):
            self.page.reload(timeout=LOAD_MS)
            self._wait_until_ready()
            self.page.wait_for_function(WIDGETS_LOADED, timeout=LOAD_MS)
            # Before its outputs are rendered, a page has no widget that could be lost.
            with suppress(PlaywrightTimeoutError):
                self.page.wait_for_function(AS_MANY_DECIDED, arg=views, timeout=LIVE_MS)
            lost = self.page.locator("[data-audiencelab-view=lost]")
            if lost.or_(self.page.get_by_text("widget: model not found")).count() == 0:
                break

    def _wait_until_ready(self) -> None:
        self.page.wait_for_function(
            "() => window.jupyterapp !== undefined", timeout=LOAD_MS, polling=POLL_MS
        )
        self.page.evaluate("async () => { await window.jupyterapp.restored; }")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=LOAD_MS)
        self.wait_idle()

    def wait_idle(self, seconds: float = 120) -> None:
        """Wait until the kernel has nothing to do and no cell waits for it."""
        self.page.wait_for_function(KERNEL_IDLE, timeout=seconds * 1000, polling=POLL_MS)
        self.page.wait_for_function(
            """() => ![...document.querySelectorAll(".jp-Notebook .jp-InputPrompt")]
                 .some((prompt) => prompt.textContent.includes("[*]"))""",
            timeout=seconds * 1000,
            polling=POLL_MS,
        )

    # ---- running ----

    def run_all(self, *, seconds: float = 120) -> None:
        """Run every cell; fails with the traceback when one raises."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function(RAN_ALL, timeout=seconds * 1000, polling=POLL_MS)
        self.wait_idle(seconds)
        self._assert_no_error()
        self._wait_until_drawn()

    def run_cell(self, index: int, *, wait: bool = True) -> None:
        """Run one cell; `wait=False` returns while it is running."""
        if wait:
            self.page.evaluate(RUN_CELL, index)
            self.wait_idle()
            self._assert_no_error()
            self._wait_until_drawn()
        else:
            self.page.evaluate(f"(index) => {{ ({RUN_CELL})(index); }}", index)

    def _wait_until_drawn(self) -> None:
        """Until no output is still asking whether its widget lives: what is saved looks like it."""
        self.page.wait_for_function(DECIDED, timeout=LOAD_MS)

    def _assert_no_error(self) -> None:
        error = self.page.evaluate(FIRST_ERROR)
        assert error is None, f"cell {error['index']} raised\n{ANSI.sub('', error['text'])}"

    def python(self, expression: str) -> Any:
        """The value of a Python expression in the notebook's kernel, by way of JSON."""
        code = f"import json as _json; print(_json.dumps({expression}))"
        answer = self.page.evaluate(EXECUTE, code)
        assert answer["error"] is None, ANSI.sub("", answer["error"])
        return json.loads(answer["text"])

    def expect_python(self, expression: str, value: Any, *, seconds: float = 60) -> None:
        """Wait until a Python expression has this value: what a click sends takes a moment."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # What it asks of may not be there yet either.
            with suppress(AssertionError):
                if self.python(expression) == value:
                    return
            self.page.wait_for_timeout(50)
        found = self.python(expression)
        assert found == value, found

    def becomes(self, read: Callable[[], T], wanted: T, *, seconds: float = 60) -> None:
        """Wait until what is read off the page is this: it is drawn once a frame, or later."""
        becomes(self.page, read, wanted, seconds=seconds)

    def come_to_rest(self) -> None:
        """Wait until nothing of the widgets moves: sizes and places are told a frame later."""
        self.page.wait_for_function(AT_REST)

    def restart_kernel(self) -> None:
        """Restart the kernel and wait for it; the page stays."""
        self._state = ""
        self.page.evaluate(RESTART)
        self.wait_idle()

    # ---- for the next test ----

    def put_back(self) -> bool:
        """Put theme, window and mouse back; whether the rest is as it was when the page was new."""
        if self.page.is_closed():
            return False
        if not self._is_light:
            self.theme("light")
        self.page.emulate_media(
            color_scheme="null", contrast="null", forced_colors="null", reduced_motion="null"
        )
        if self.page.viewport_size != self._window:
            resize(self.page, **self._window)
        self.page.mouse.move(0, 0)
        return self.page.evaluate(STATE) == self._state

    def replace_cells(self, sources: Sequence[str]) -> None:
        """Have these cells instead of all, none of them run, and no variables in the kernel."""
        self.page.evaluate(REPLACE_CELLS, list(sources))
        answer = self.page.evaluate(EXECUTE, "get_ipython().run_line_magic('reset', '-f')")
        assert answer["error"] is None, answer["error"]
        self.wait_idle()

    def command(self, name: str, **arguments: Any) -> None:
        """Run one of JupyterLab's commands, such as `docmanager:save`."""
        self.page.evaluate(
            "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }",
            [name, arguments],
        )

    # ---- looking ----

    def cell(self, index: int) -> Locator:
        """A cell, prompt and all."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def cell_output(self, index: int) -> Locator:
        """All that a cell has put out."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def theme(self, name: Literal["light", "dark"]) -> None:
        """Switch JupyterLab's theme and wait until it is on."""
        self._is_light = name == "light"
        title = "JupyterLab Dark" if name == "dark" else "JupyterLab Light"
        self.command("apputils:change-theme", theme=title)
        self.page.wait_for_function(THEMED, arg="true" if name == "light" else "false")

    def screenshot(self, name: str, of: Locator | None = None) -> Path:
        """Save a picture of the page, or of one part of it, and say where."""
        path = self._screenshots / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        (of or self.page).screenshot(path=path, animations="disabled")
        return path

    def record(self, name: str) -> None:
        """Save what happened to the keyboard lately, beside the pictures."""
        path = self._screenshots / f"{name}.txt"
        path.write_text(self.page.evaluate(RECORDED), encoding="utf-8")

    def overhang(self) -> list[str]:
        """What of our widgets reaches over their right edge and is not scrolled inside."""
        self.come_to_rest()
        return self.page.evaluate(OVERHANG)

    def violations(self, within: str = ".audiencelab") -> list[str]:
        """What axe finds inside our widgets, and what is too pale; not of Lab's own page."""
        self.come_to_rest()
        if not self.page.evaluate("'axe' in window"):
            self.page.add_script_tag(path=AXE)
        found = self.page.evaluate(AXE_RUN, within)
        told = [f"{v['id']}: {[n['html'] for n in v['nodes']]}" for v in found]
        return told + too_pale(self.page, within)


class Watch:
    """Notes what a page must not do: ask another machine, or throw where nobody catches."""

    def __init__(self, context: BrowserContext, kept: NotebookPage | None = None) -> None:
        self.outside: list[str] = []
        self.exceptions: list[str] = []
        self._context = context
        if kept:
            self._watch_page(kept.page)
        context.on("request", self._note_request)
        context.on("page", self._watch_page)

    def leave(self) -> None:
        """Note nothing any more."""
        self._context.remove_listener("request", self._note_request)
        self._context.remove_listener("page", self._watch_page)

    def _watch_page(self, page: Page) -> None:
        page.on("websocket", self._note_socket)
        page.on("pageerror", lambda error: self.exceptions.append(error.stack or str(error)))

    def _note_request(self, request: Request) -> None:
        if not is_local(request.url):
            self.outside.append(request.url)

    def _note_socket(self, socket: WebSocket) -> None:
        if not is_local(socket.url):
            self.outside.append(socket.url)


def becomes(page: Page, read: Callable[[], T], wanted: T, *, seconds: float = 60) -> None:
    """Wait until what is read off a page is this; what cannot be read yet is read again."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(AssertionError, PlaywrightError):
            if read() == wanted:
                return
        page.wait_for_timeout(50)
    found = read()
    assert found == wanted, found


def resize(page: Page, width: int, height: int) -> None:
    """Give the window another size, and wait until the page has been drawn in it."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(RESIZED, width)


def sort_by(name: Locator, *, add: bool = False) -> None:
    """Press the sort button on the name of a row or column of a crosstab."""
    name.hover()
    name.locator('[data-does="sort"]').click(modifiers=["Shift"] if add else [])


def is_local(address: str) -> bool:
    """Whether an address stays on this machine."""
    parts = urlsplit(address)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in LOOPBACK
