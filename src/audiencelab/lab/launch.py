"""`audiencelab lab`: JupyterLab, on a notebook that is ready to run.

It runs the server in this process, on loopback and with a token, and tells the notebook
about a panel and a store through the environment, so that `connect()` with no argument finds
them. It configures nothing for good: the user's own Jupyter settings hold.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from audiencelab.errors import AudienceError
from audiencelab.files import put_new

__all__ = ["PANEL_VARIABLE", "STORE_VARIABLE", "LabError", "add_lab_arguments", "run_lab"]

PANEL_VARIABLE = "AUDIENCELAB_PANEL"
STORE_VARIABLE = "AUDIENCELAB_STORE"
QUICKSTART = Path("notebooks/01-quickstart.ipynb")
STARTER = "audiencelab-starter"


class LabError(AudienceError):
    """JupyterLab cannot be opened as asked."""


def add_lab_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `audiencelab lab`."""
    parser.add_argument(
        "notebook",
        nargs="?",
        type=Path,
        help="the notebook to open; without it the quick start, "
        "or a fresh copy of a small starter notebook in this folder",
    )
    parser.add_argument(
        "--panel", type=Path, metavar="DIR", help="work on this panel instead of the demo panel"
    )
    parser.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="the file that keeps charts and saved audiences (default: in memory)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="only print the address, open nothing"
    )


def run_lab(arguments: argparse.Namespace) -> int:
    """Serve JupyterLab until it is interrupted.

    Raises:
        LabError: JupyterLab is not installed, or the notebook is not there.
        PanelError: the folder holds no panel.
        StoreError: the file holds no store.
    """
    _require_jupyterlab()
    here = Path.cwd()
    if arguments.panel is not None:
        os.environ[PANEL_VARIABLE] = str(_checked_panel(arguments.panel))
    if arguments.store is not None:
        os.environ[STORE_VARIABLE] = str(_checked_store(arguments.store))
    if arguments.notebook is not None:
        notebook = _existing_notebook(arguments.notebook)
    else:
        notebook = _default(here, quickstart=arguments.panel is None)
    root = here if notebook.is_relative_to(here) else notebook.parent
    _serve(notebook, root, open_browser=not arguments.no_browser)
    return 0


def _require_jupyterlab() -> None:
    if importlib.util.find_spec("jupyterlab") is None:
        raise LabError('JupyterLab is not installed: pip install "audiencelab[lab]"')


def _checked_panel(folder: Path) -> Path:
    # Better said here and now than by the first cell of the notebook.
    from audiencelab.client.doors.embedded import open_panel

    open_panel(folder)
    # "--panel=~/survey" comes with the sign: no shell has put the home folder in its place.
    return folder.expanduser().resolve()


def _checked_store(file: Path) -> Path:
    from audiencelab.client.doors.embedded import check_store

    check_store(file)
    return file.expanduser().resolve()


def _existing_notebook(path: Path) -> Path:
    if path.suffix != ".ipynb":
        raise LabError(f"{path} is not a notebook (.ipynb)")
    if not path.is_file():
        raise LabError(f"there is no notebook {path}")
    return path.resolve()


def _default(folder: Path, *, quickstart: bool) -> Path:
    """The quick start of a checkout; elsewhere the starter notebook, new or untouched.

    The quick start asks questions of the demo survey; the starter suits any panel.
    """
    if quickstart and (folder / QUICKSTART).is_file():
        return folder / QUICKSTART
    starter = files("audiencelab.lab.templates").joinpath("starter.ipynb").read_bytes()
    for candidate in _starter_names(folder):
        if not candidate.exists():
            put_new(candidate, starter)
            return candidate
        if candidate.read_bytes() == starter:
            return candidate
    raise AssertionError("there is always another name")


def _starter_names(folder: Path) -> Iterator[Path]:
    yield folder / f"{STARTER}.ipynb"
    number = 2
    while True:
        yield folder / f"{STARTER}-{number}.ipynb"
        number += 1


def server_arguments(notebook: Path, root: Path, *, open_browser: bool) -> list[str]:
    """The options JupyterLab is started with."""
    path = quote(notebook.relative_to(root).as_posix())
    arguments = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{path}",
        # Nothing leaves the machine: no news feed, no question whether there is a newer Lab.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--Application.log_level=WARN",
    ]
    if not open_browser:
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # A container: Jupyter would refuse, though it listens on loopback only.
        arguments.append("--allow-root")
    return arguments


def _serve(notebook: Path, root: Path, *, open_browser: bool) -> None:
    from jupyterlab.labapp import LabApp

    server = LabApp.initialize_server(server_arguments(notebook, root, open_browser=open_browser))

    def announce() -> None:
        print(f"JupyterLab on {notebook.relative_to(root)} (Ctrl-C ends it)", flush=True)
        print(f"    {server.local_url}", flush=True)

    # The server binds its port in the event loop; before that the address leads nowhere.
    server.io_loop.add_callback(announce)
    server.start()
