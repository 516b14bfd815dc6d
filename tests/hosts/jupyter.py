"""JupyterLab and Notebook 7 of another environment: the extension, a reload, a dead kernel."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat

from tests.browser.page import KERNEL_IDLE, RAN_ALL, RUN_ALL
from tests.browser.server import PAGE, LabServer
from tests.hosts.hosts import Host
from tests.hosts.visits import KINDS, LIVE, SAVED, Heard, Visit, Visitor, click, look

__all__ = ["notebook", "try_lab"]

SAVE_STATE = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}
SECONDS = 90

Come = Callable[[str, str], Visitor]
Picture = Callable[[Visitor], None]


class HostLab(LabServer):
    """JupyterLab of an environment, with our extension or without it."""

    extension = True

    def _write_configuration(self) -> None:
        super()._write_configuration()
        if not self.extension:
            page = PAGE | {"disabledExtensions": {"audiencelab": True}}
            config = self.home / "config" / "labconfig" / "page_config.json"
            config.write_text(json.dumps(page), encoding="utf-8")


def notebook(folder: Path) -> Path:
    """The notebook of all widgets, a cell for each."""
    cells = [
        "from everything import widgets\nshown = widgets()\nshown['grid'].wait(60)\n"
        "shown['workbench'].grid.wait(60);",
        *(f"shown[{kind!r}]" for kind in KINDS),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": kernel},
    )
    path = folder / "notebook.ipynb"
    nbformat.write(made, path)
    return path


def try_lab(
    host: Host, python: Path, folder: Path, come: Come, picture: Picture, seconds: float
) -> Iterator[Visit]:
    """A first visitor, a reload, a second visitor, and a kernel that ended after and before."""
    is_lab = host.app != "classic"
    server = HostLab(
        folder / "lab",
        app="jupyterlab" if is_lab else "notebook",
        python=python,
        settings=SAVE_STATE,
    )
    server.extension = host.extension
    server.home.mkdir()
    server.start()
    heard = Heard(server.notebooks / "heard.jsonl")
    where = "lab/tree/notebook.ipynb" if is_lab else "notebooks/notebook.ipynb"
    address = f"{server.url}/{where}?token={server.token}"
    try:
        for file in folder.glob("*.py"):
            shutil.copy(file, server.notebooks)
        notebook(server.notebooks)

        first = come("visitor 1", "light")
        _open(first, address)
        first.page.evaluate(RUN_ALL)
        first.page.wait_for_function(RAN_ALL, timeout=SECONDS * 1000)
        yield _seen(first, heard, picture, seconds)

        first.visit = Visit("reload")
        first.page.reload()
        _wait(first)
        yield _seen(first, heard, picture, seconds)

        second = come("visitor 2", "dark")
        _open(second, address)
        _command(second, "apputils:change-theme", theme="JupyterLab Dark")
        yield _seen(second, heard, picture, seconds)
        second.leave()

        first.visit = Visit("kernel ended after")
        for session in server.api("GET", "sessions").json():
            server.api("DELETE", f"sessions/{session['id']}")
        first.page.wait_for_timeout(3_000)
        look(first, _EITHER, seconds=seconds)
        picture(first)
        first.leave()
        yield first.visit

        late = come("kernel ended before", "light")
        _open(late, address)
        look(late, SAVED, seconds=seconds)
        picture(late)
        late.leave()
        yield late.visit
    finally:
        server.stop()


_EITHER = {kind: lambda page, k=kind: LIVE[k](page).or_(SAVED[k](page)) for kind in KINDS}


def _seen(visitor: Visitor, heard: Heard, picture: Picture, seconds: float) -> Visit:
    look(visitor, LIVE, seconds=seconds)
    click(visitor, heard)
    # Saved a second after the last change.
    visitor.page.wait_for_timeout(3_000)
    picture(visitor)
    _command(visitor, "docmanager:save")
    return visitor.visit


def _open(visitor: Visitor, address: str) -> None:
    visitor.page.goto(address, timeout=SECONDS * 1000)
    _wait(visitor)


def _wait(visitor: Visitor) -> None:
    page = visitor.page
    page.wait_for_function("() => window.jupyterapp !== undefined", timeout=SECONDS * 1000)
    page.evaluate("async () => { await window.jupyterapp.restored; }")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=SECONDS * 1000)
    page.wait_for_function(KERNEL_IDLE, timeout=SECONDS * 1000, polling=100)
    page.wait_for_timeout(2_000)


def _command(visitor: Visitor, name: str, **arguments: str) -> None:
    visitor.page.evaluate(
        "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }",
        [name, arguments],
    )
