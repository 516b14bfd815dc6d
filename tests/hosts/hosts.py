"""Which hosts are tried, and how each is started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["BY_CONSTRUCTION", "HOSTS", "Host"]

Way = Literal["app", "written", "lab"]


@dataclass(frozen=True, slots=True)
class Host:
    """One row of the table.

    way: "app" is a server that gives each visitor widgets of their own, "written" a page without a
    kernel, "lab" one of Jupyter's own faces. requirements: what is installed beside the wheel;
    hosts with the same share an environment. packages: whose versions the table names. app: a file
    of `apps`, or "notebook". command: Python's arguments, with {port}, {app} and {page} (what is
    written). dark: what the address ends in for its dark theme. alone: it lets in one visitor at a
    time. extension: whether JupyterLab's extension is on. own_faults: what its own page says.
    """

    name: str
    way: Way
    requirements: tuple[str, ...]
    packages: tuple[str, ...]
    command: tuple[str, ...] = ()
    app: str = "notebook"
    page: str = ""
    dark: str = ""
    alone: bool = False
    extension: bool = True
    own_faults: tuple[str, ...] = ()

    @property
    def environment(self) -> str:
        """The name of its environment: that of the package that it is."""
        return re.split(r"[<>=]", self.requirements[0])[0]


_MARIMO = ("--headless", "--no-token", "--host", "127.0.0.1", "--port", "{port}")
_JUPYTER = ("jupyterlab>=4", "notebook>=7", "nbconvert", "ipykernel", "ipydatagrid")
_NBCONVERT = ("-m", "nbconvert", "--to", "html", "--execute", "{app}")

HOSTS = (
    Host(
        "marimo run",
        "app",
        ("marimo",),
        ("marimo",),
        ("-m", "marimo", "run", "{app}", *_MARIMO),
        app="marimo_app.py",
    ),
    Host(
        "marimo edit",
        "app",
        ("marimo",),
        ("marimo",),
        ("-m", "marimo", "edit", "{app}", *_MARIMO, "--skip-update-check"),
        app="marimo_app.py",
        alone=True,
    ),
    Host(
        "Shiny",
        "app",
        ("shiny", "shinywidgets"),
        ("shiny", "shinywidgets"),
        ("-m", "shiny", "run", "{app}", "--host", "127.0.0.1", "--port", "{port}"),
        app="shiny_app.py",
    ),
    Host(
        "Panel",
        "app",
        ("panel", "ipywidgets_bokeh"),
        ("panel", "ipywidgets_bokeh"),
        ("-m", "panel", "serve", "{app}", "--address", "127.0.0.1", "--port", "{port}"),
        app="panel_app.py",
        page="panel_app",
    ),
    Host(
        "Voila",
        "app",
        ("voila", "ipykernel"),
        ("voila",),
        ("-m", "voila", "{app}", "--no-browser", "--Voila.ip=127.0.0.1", "--port={port}"),
        dark="?theme=dark",
    ),
    Host(
        "Solara",
        "app",
        ("solara",),
        ("solara",),
        (
            *("-m", "solara", "run", "{app}", "--host", "127.0.0.1", "--port", "{port}"),
            *("--production", "--no-open"),
        ),
        app="solara_app.py",
    ),
    Host("JupyterLab, with the extension", "lab", _JUPYTER, ("jupyterlab",)),
    Host("JupyterLab, extension disabled", "lab", _JUPYTER, ("jupyterlab",), extension=False),
    Host(
        "Notebook 7",
        "lab",
        _JUPYTER,
        ("notebook",),
        app="classic",
        own_faults=("(reading 'schema')",),
    ),
    Host(
        "nbconvert",
        "written",
        _JUPYTER,
        ("nbconvert",),
        _NBCONVERT,
        page="notebook.html",
    ),
    Host(
        "embed_minimal_html",
        "written",
        _JUPYTER,
        ("ipywidgets",),
        ("embedded.py", "False"),
        page="embedded.html",
    ),
    Host(
        "embed_minimal_html, drop_defaults",
        "written",
        _JUPYTER,
        ("ipywidgets",),
        ("embedded.py", "True"),
        page="embedded.html",
    ),
    Host(
        "Jupyter Book 1",
        "written",
        ("jupyter-book<2", "ipykernel"),
        ("jupyter-book",),
        ("-c", "from jupyter_book.cli.main import main; main()", "build", "book"),
        app="book",
        page="book/_build/html/notebook.html",
        own_faults=("THEBE_JS_URL", "invalid theme mode"),
    ),
)

BY_CONSTRUCTION = (
    (
        "Quarto",
        "keeps the widget state that nbclient saves and loads the same html-manager as nbconvert; "
        "neither pip nor npm installs its program",
    ),
    ("VS Code", "ipywidgets' own manager in a web view; it cannot be driven without its window"),
    ("Google Colab", "a manager of its own in frames; it runs at Google alone"),
)
