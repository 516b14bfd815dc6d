"""`audiencelab lab`: JupyterLab on the last work of a folder, a survey file, or a new notebook.

The server runs in this process, on loopback and with a token. A survey and a store are passed to
the notebook in the environment, for `connect()` without arguments.
"""

from __future__ import annotations

import importlib.util
import os
from importlib.resources import files
from itertools import count
from pathlib import Path
from urllib.parse import quote

from audiencelab.client.connection.target import STORE_VARIABLE, SURVEY_VARIABLE
from audiencelab.errors import AudienceError
from audiencelab.files import put_new
from audiencelab.ingest.readers import is_survey_file
from audiencelab.jupyter.data_files import opens_by_itself

QUICKSTART = Path("notebooks/01-quickstart.ipynb")
STARTER = "audiencelab-starter"
SUFFIX = ".audiencelab.json"
WORKBENCH = f"workbench{SUFFIX}"


_NEW = "audiencelab lab --new starts a new notebook"
_CHOOSE = "a double click on a survey file opens it, or Open a survey file in the launcher"
_CONFIG_PATH = "JUPYTER_CONFIG_PATH"


class LabError(AudienceError):
    """JupyterLab cannot be opened, or made a site, as requested."""


def open_lab(
    path: Path | None = None,
    *,
    survey: Path | None = None,
    store: Path | None = None,
    workbench: bool = False,
    new: bool = False,
    open_browser: bool = True,
) -> None:
    """Serve JupyterLab until it is interrupted.

    path: the notebook, workbench document or survey file to open; by default what `last_work`
        finds in this folder, else its only survey file, or of several the launcher, else the quick
        start of a checkout, or a fresh copy of a small starter notebook.
    survey: the folder of a survey to use instead of the demo survey.
    store: the file that stores charts and saved audiences; by default they stay in memory.
    workbench: whether to open the workbench of this folder, new or saved before, in place of a
        notebook.
    new: whether to open a starter notebook although there is other work in this folder.
    open_browser: whether to open a browser; the address is printed in any case.

    Raises `LabError`: JupyterLab is not installed, or the file is not there, or both a file and
    `workbench` are given; `SurveyError`: the folder is not a survey; `StoreError`: the file is
    not a store.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise LabError('JupyterLab is not installed: pip install "audiencelab[lab]"')
    if workbench and path is not None:
        raise LabError("--workbench opens a workbench in place of a notebook: give one of them")
    _set_environment(survey, store)
    here, note = Path.cwd(), ""
    if workbench:
        opened = here / WORKBENCH
        # An empty file is a new workbench.
        opened.touch()
    elif path is not None:
        opened = _existing(path)
    elif not new and survey is None and (found := last_work(here)):
        opened, note = found, f"your last work in this folder; {_NEW}"
    elif not new and survey is None and (data := _data_files(here)):
        # In the launcher is the card that opens one of several.
        opened = data[0] if len(data) == 1 and opens_by_itself(data[0].name) else here
        note = f"the survey file in this folder; {_NEW}" if opened != here else _CHOOSE
    else:
        opened = _default(here, quickstart=survey is None and not new)
    root = here if opened.is_relative_to(here) else opened.parent
    if opened != here and is_survey_file(opened) and not opens_by_itself(opened.name):
        note = f"right click on {opened.name}, then Open as survey: JupyterLab shows it as a table"
    _serve(opened, root, open_browser=open_browser, note=note)


def last_work(folder: Path) -> Path | None:
    """The workbench document, or notebook with audiencelab, that was saved last in a folder.

    An unchanged starter notebook does not count.
    """
    files = [*folder.glob(f"*{SUFFIX}"), *folder.glob("*.ipynb")]
    for found in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True):
        content = found.read_bytes()
        if content and content != _starter() and b"audiencelab" in content:
            return found
    return None


def _data_files(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_file() and is_survey_file(each)]


def _set_environment(survey: Path | None, store: Path | None) -> None:
    """Pass the survey and the store on, checked here rather than by the notebook's first cell."""
    from audiencelab.client.transports.embedded import check_store, open_survey

    # No shell expands the home folder of "--survey=~/survey".
    if survey is not None:
        open_survey(survey)
        os.environ[SURVEY_VARIABLE] = str(survey.expanduser().resolve())
    if store is not None:
        check_store(store)
        os.environ[STORE_VARIABLE] = str(store.expanduser().resolve())


def _existing(path: Path) -> Path:
    if not path.name.endswith((".ipynb", SUFFIX)) and not is_survey_file(path):
        raise LabError(
            f"{path} is not a notebook (.ipynb), a workbench ({SUFFIX}) or a survey file"
        )
    if not path.is_file():
        raise LabError(f"there is no file {path}")
    return path.resolve()


def _default(folder: Path, *, quickstart: bool) -> Path:
    """The quick start of a checkout; elsewhere the starter notebook, new or untouched.

    The quick start asks questions of the demo survey; the starter suits any survey.
    """
    if quickstart and (folder / QUICKSTART).is_file():
        return folder / QUICKSTART
    starter = _starter()
    for number in count(1):
        candidate = folder / (f"{STARTER}-{number}.ipynb" if number > 1 else f"{STARTER}.ipynb")
        if not candidate.exists():
            put_new(candidate, starter)
            return candidate
        if candidate.read_bytes() == starter:
            return candidate
    raise AssertionError("unreachable")


def _starter() -> bytes:
    return files("audiencelab.jupyter.templates").joinpath("starter.ipynb").read_bytes()


def server_arguments(notebook: Path, root: Path, *, open_browser: bool) -> list[str]:
    """The command-line options of JupyterLab."""
    path = quote(notebook.relative_to(root).as_posix())
    arguments = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url={'/lab' if notebook == root else f'/lab/tree/{path}'}",
        # Nothing leaves the machine: no news feed, no check for a newer version.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--Application.log_level=WARN",
    ]
    if not open_browser:
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container, Jupyter refuses to run as root even on loopback.
        arguments.append("--allow-root")
    return arguments


def _without_news() -> None:
    """Have JupyterLab not ask whether it may fetch news, which `news_url` does not prevent."""
    # Not below the user's own folders: settings that they chose are used.
    folder = str(files("audiencelab.jupyter").joinpath("settings"))
    known = os.environ.get(_CONFIG_PATH)
    os.environ[_CONFIG_PATH] = os.pathsep.join(filter(None, (known, folder)))


def _serve(notebook: Path, root: Path, *, open_browser: bool, note: str = "") -> None:
    from jupyterlab.labapp import LabApp

    _without_news()
    server = LabApp.initialize_server(server_arguments(notebook, root, open_browser=open_browser))

    def announce() -> None:
        shown = root if notebook == root else notebook.relative_to(root)
        print(f"JupyterLab on {shown} (Ctrl-C ends it)", flush=True)
        print(f"    {server.local_url}", flush=True)
        if note:
            print(f"    {note}", flush=True)

    # The server binds its port in the event loop.
    server.io_loop.add_callback(announce)
    server.start()
