"""Links to the lab in the browser, on the front page and on each notebook.

They are there if the site is built with the tag `lite` (`make docs LITE=1`), which takes in the
folder that `make lite` has written.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

__all__ = ["link", "setup"]

FOLDER = "lite"
SITE = Path(__file__).parents[2] / "build" / "lite"
NOTEBOOKS = "tutorial/notebooks/"
FIRST = "01-quickstart"


def link(page: str, path: Any) -> str:
    """The link of a page as HTML; "" on pages that have none.

    path: returns the address of a file of the site as the page has to write it.
    """
    if page != "index" and not page.startswith(NOTEBOOKS):
        return ""
    notebook = FIRST if page == "index" else page.removeprefix(NOTEBOOKS)
    address = f"{path(f'{FOLDER}/lab/index.html', 1)}?path={quote(notebook)}.ipynb"
    return (
        f'<p class="try-it"><a href="{address}">Try it now</a>: this opens the notebook in '
        "JupyterLab in your browser. There is nothing to install.</p>\n"
    )


def add_link(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Put the link above the text of a page."""
    if "body" in context:
        context["body"] = link(page, context["pathto"]) + context["body"]


def copy_site(app: Sphinx) -> None:
    """Copy the lab beside the pages."""
    shutil.copytree(SITE, Path(app.outdir) / FOLDER, dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    if app.tags.has("lite"):
        app.connect("html-page-context", add_link)
        app.connect("builder-inited", copy_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
