"""The colours that hosts other than JupyterLab give a widget, put on a page of JupyterLab.

What a host does not define is `initial`, for which the style sheet has colours of its own. VS Code
defines the same variables as JupyterLab, in the colours of its theme.
"""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page

__all__ = ["HOSTS", "Host", "put_on", "take_off"]

IPYWIDGETS = {
    "content-font-color1": "black",
    "layout-color1": "white",
    "border-color1": "#9e9e9e",
    "border-color2": "#e0e0e0",
    "brand-color1": "#2196f3",
    "ui-font-color1": "rgba(0, 0, 0, 0.8)",
}
"""Of the style sheet of ipywidgets, which shinywidgets, Voila and exported pages load."""

PUT_ON = """({ ground, mark, colours }) => {
  const { style, dataset } = document.body;
  window.audiencelabBody ??= [style.cssText, dataset.jpThemeLight];
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  for (const name of rules.flatMap((rule) => [...(rule.style ?? [])])) {
    if (/^--jp-.*color/.test(name)) style.setProperty(name, "initial");
  }
  for (const [name, colour] of Object.entries(colours)) style.setProperty(`--jp-${name}`, colour);
  style.background = ground;
  delete dataset.jpThemeLight;
  if (mark) dataset.theme = mark;
  else delete dataset.theme;
}"""


class Host(NamedTuple):
    """How a host's page looks.

    mark: what it says of its theme; None if it says nothing. scheme: what the system prefers.
    """

    ground: str
    mark: str | None
    colours: dict[str, str]
    scheme: str


HOSTS = {
    "ipywidgets": Host("white", None, IPYWIDGETS, "light"),
    "ipywidgets, system dark": Host("white", None, IPYWIDGETS, "dark"),
    "Bootstrap dark": Host("#212529", None, IPYWIDGETS, "dark"),
    "marimo light": Host("#ffffff", "light", {}, "dark"),
    "marimo dark": Host("#181c1a", "dark", {}, "light"),
}


TAKE_OFF = """() => {
  const { body } = document;
  [body.style.cssText, body.dataset.jpThemeLight] = window.audiencelabBody;
  delete body.dataset.theme;
}"""


def take_off(page: Page) -> None:
    """Have the page look as JupyterLab again."""
    page.evaluate(TAKE_OFF)


def put_on(page: Page, host: Host) -> None:
    """Have the page look as a host's."""
    page.emulate_media(color_scheme=host.scheme)  # pyright: ignore[reportArgumentType]
    page.evaluate(PUT_ON, host._asdict())
