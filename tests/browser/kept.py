"""The page of JupyterLab that the tests of one file share.

To load JupyterLab takes longer than most tests. So a test leaves its page to the next one of its
file, with nothing open in it, if it is then as it was when it was new. A page that is not, or whose
test failed, is closed, and the next test loads another.
"""

from __future__ import annotations

from playwright.sync_api import Page

__all__ = ["KeptPage"]

CLEAR = """async () => {
  const { commands, shell } = window.jupyterapp;
  for (const widget of [...shell.widgets("main")]) widget.dispose();
  if (document.body.dataset.jpThemeLight !== "true") {
    await commands.execute("apputils:change-theme", { theme: "JupyterLab Light" });
  }
}"""

# Everything beside the open documents that a test can change and another could notice, but for
# what is loaded once it is needed: MathJax, and what the page object itself has put there.
STATE = """() => {
  const { shell } = window.jupyterapp;
  const { leftArea, rightArea, downArea, topArea } = shell.saveLayout();
  const all = (selector, read) => [...document.querySelectorAll(selector)].map(read);
  const loaded = ["MathJax", "audiencelabRan", "axe"];
  const media = ["forced-colors: active", "prefers-reduced-motion", "prefers-color-scheme: dark"];
  return JSON.stringify({
    areas: [leftArea, rightArea, downArea, topArea, shell.mode],
    ours: all(".audiencelab", (element) => element.outerHTML),
    folder: all(".jp-BreadCrumbs [data-path]", (crumb) => crumb.dataset.path),
    body: all("body > :not(link, .lm-mod-hidden)", (e) => `${e.localName} ${e.id} ${e.className}`),
    globals: Object.keys(window).filter((name) => !loaded.includes(name)).sort(),
    stored: { ...sessionStorage },
    theme: document.body.dataset.jpThemeName,
    media: media.map((query) => matchMedia(`(${query})`).matches),
  }, (key, value) => (value?.node instanceof Element ? value.id : value));
}"""


class KeptPage:
    """One page, if there is one, and its state when it was new."""

    def __init__(self) -> None:
        self.page: Page | None = None
        self._new = ""

    def take(self, page: Page) -> None:
        """Keep this page, which is new and has nothing open in it."""
        self.page = page
        self._new = _state(page)

    def clear(self) -> None:
        """Close what is open in the page, and keep it only if it is as it was."""
        page, self.page = self.page, None
        if page is not None:
            page.evaluate(CLEAR)
            if _state(page) == self._new:
                self.page = page


def _state(page: Page) -> str:
    # JupyterLab covers the page for a moment when it comes up, and when its theme changes.
    page.wait_for_selector("#jupyterlab-splash", state="detached")
    return page.evaluate(STATE)
