"""`audiencelab lab`: JupyterLab, on a notebook that is ready to run.

It runs the server in this process, on loopback and with a token, and tells the notebook
about a survey and a store through the environment, so that `connect()` with no argument finds
them. It configures nothing for good: the user's own Jupyter settings hold.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from audiencelab.errors import AudienceError
from audiencelab.files import put_new

__all__ = ["STORE_VARIABLE", "SURVEY_VARIABLE", "LabError", "open_lab"]

SURVEY_VARIABLE = "AUDIENCELAB_SURVEY"
STORE_VARIABLE = "AUDIENCELAB_STORE"
QUICKSTART = Path("notebooks/01-quickstart.ipynb")
STARTER = "audiencelab-starter"


class LabError(AudienceError):
    """JupyterLab cannot be opened as asked."""


def open_lab(
    notebook: Path | None = None,
    *,
    survey: Path | None = None,
    store: Path | None = None,
    open_browser: bool = True,
) -> None:
    """Serve JupyterLab until it is interrupted.

    Args:
        notebook: The notebook to open; by default the quick start of a checkout, or a fresh copy
            of a small starter notebook in this folder.
        survey: Work on this survey instead of the demo survey.
        store: The file that keeps charts and saved audiences; by default they stay in memory.
        open_browser: Whether a browser opens; without, the address is only printed.

    Raises:
        LabError: JupyterLab is not installed, or the notebook is not there.
        SurveyError: the folder holds no survey.
        StoreError: the file holds no store.
    """
    _require_jupyterlab()
    here = Path.cwd()
    if survey is not None:
        os.environ[SURVEY_VARIABLE] = str(_checked_survey(survey))
    if store is not None:
        os.environ[STORE_VARIABLE] = str(_checked_store(store))
    if notebook is not None:
        opened = _existing_notebook(notebook)
    else:
        opened = _default(here, quickstart=survey is None)
    root = here if opened.is_relative_to(here) else opened.parent
    _serve(opened, root, open_browser=open_browser)


def _require_jupyterlab() -> None:
    if importlib.util.find_spec("jupyterlab") is None:
        raise LabError('JupyterLab is not installed: pip install "audiencelab[lab]"')


def _checked_survey(folder: Path) -> Path:
    # Better said here and now than by the first cell of the notebook.
    from audiencelab.client.transports.embedded import open_survey

    open_survey(folder)
    # "--survey=~/survey" comes with the sign: no shell has put the home folder in its place.
    return folder.expanduser().resolve()


def _checked_store(file: Path) -> Path:
    from audiencelab.client.transports.embedded import check_store

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

    The quick start asks questions of the demo survey; the starter suits any survey.
    """
    if quickstart and (folder / QUICKSTART).is_file():
        return folder / QUICKSTART
    starter = files("audiencelab.jupyter.templates").joinpath("starter.ipynb").read_bytes()
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
