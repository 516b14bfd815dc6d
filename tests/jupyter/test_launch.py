"""`audiencelab lab`: which notebook it opens, and that JupyterLab really answers there."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import nbformat
import pytest

from audiencelab import cli
from audiencelab.client.transports import embedded
from audiencelab.errors import AudienceError
from audiencelab.jupyter import launch
from tests.messages import fails


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, Path, bool]]:
    """What would have been served: notebook, root, whether a browser opens."""
    calls: list[tuple[Path, Path, bool]] = []

    def record(notebook: Path, root: Path, *, open_browser: bool, note: str) -> None:
        notes.append(note)
        calls.append((notebook, root, open_browser))

    monkeypatch.setattr(launch, "_serve", record)
    for name in (launch.SURVEY_VARIABLE, launch.STORE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return calls


notes: list[str] = []
"""What would have been printed."""


def lab(*arguments: str) -> int:
    return cli.audiencelab.main(["lab", *arguments], standalone_mode=False) or 0


def test_opens_the_quick_start_of_a_checkout(here: Path, served) -> None:
    quickstart = here / "notebooks" / "01-quickstart.ipynb"
    quickstart.parent.mkdir()
    quickstart.write_text("{}")
    assert lab() == 0
    assert served == [(quickstart, here, True)]


def test_elsewhere_opens_a_starter_that_never_overwrites_work(here: Path, served) -> None:
    names = [here / f"audiencelab-starter{suffix}.ipynb" for suffix in ("", "-2", "-3")]
    lab("--no-browser")
    nbformat.validate(nbformat.read(names[0], as_version=4))
    for path in names[:2]:
        lab()
        path.write_text("my notes")
    lab()
    assert [notebook for notebook, _, _ in served] == [names[0], *names]
    assert served[0][1:] == (here, False)
    assert names[0].read_text() == "my notes"


@pytest.mark.parametrize("given", ["survey", "~/survey"])
def test_a_survey_and_a_store_reach_the_starter_even_in_a_checkout(
    here: Path, served, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """No shell puts the home folder into "--survey=~/survey"."""
    quickstart = here / "notebooks" / "01-quickstart.ipynb"
    quickstart.parent.mkdir()
    quickstart.write_text("{}")
    monkeypatch.setenv("HOME", str(here / "home"))
    for name in (launch.SURVEY_VARIABLE, launch.STORE_VARIABLE):
        monkeypatch.setenv(name, "before")
    monkeypatch.setattr(embedded, "open_survey", lambda folder: None)
    lab(f"--survey={given}", "--store", "kept.db")
    assert [notebook for notebook, _, _ in served] == [here / "audiencelab-starter.ipynb"]
    assert os.environ[launch.SURVEY_VARIABLE] == str(here / given.replace("~", "home"))
    assert os.environ[launch.STORE_VARIABLE] == str(here / "kept.db")
    assert (here / "kept.db").is_file()


def test_opens_the_notebook_asked_for(here: Path, served, tmp_path_factory) -> None:
    inside = here / "deep" / "a b.ipynb"
    inside.parent.mkdir()
    inside.write_text("{}")
    outside = tmp_path_factory.mktemp("elsewhere") / "c.ipynb"
    outside.write_text("{}")
    lab("deep/a b.ipynb")
    lab(str(outside))
    assert served == [(inside, here, True), (outside, outside.parent, True)]


def test_opens_the_workbench_of_the_folder_or_one_that_was_saved(here: Path, served) -> None:
    lab("--workbench")
    workbench, other = here / launch.WORKBENCH, here / "study.audiencelab.json"
    assert workbench.read_bytes() == b""
    for path in (workbench, other):
        path.write_text("{}")
    lab("--workbench")
    lab("study.audiencelab.json")
    assert [path for path, _, _ in served] == [workbench, workbench, other]
    assert workbench.read_text() == "{}"


def test_opens_what_was_saved_last_in_the_folder(here: Path, served) -> None:
    survey, table = here / "kunden.sav", here / "kunden.csv"
    survey.write_bytes(b"1")
    lab()
    table.write_bytes(b"1")
    lab()
    lab("kunden.csv")
    lab("--new")
    starter = here / "audiencelab-starter.ipynb"
    for seconds, name in enumerate(
        ["a.audiencelab.json", "b.ipynb", "c.ipynb", "d.audiencelab.json"]
    ):
        (here / name).write_text(
            "" if name[0] == "d" else "audiencelab" if name[0] != "c" else "{}"
        )
        os.utime(here / name, (seconds, seconds))
    lab()
    os.utime(here / "a.audiencelab.json")
    lab()
    opened = [path for path, _, _ in served]
    assert opened == [survey, here, table, starter, here / "b.ipynb", here / "a.audiencelab.json"]
    assert notes[-6:] == [
        "the survey file in this folder; audiencelab lab --new starts a new notebook",
        "a double click on a survey file opens it, or Open a survey file in the launcher",
        "right click on kunden.csv, then Open as survey: JupyterLab shows it as a table",
        "",
        *["your last work in this folder; audiencelab lab --new starts a new notebook"] * 2,
    ]


def test_address_is_quoted(here: Path) -> None:
    arguments = launch.server_arguments(here / "a b#.ipynb", here, open_browser=False)
    assert "--LabApp.default_url=/lab/tree/a%20b%23.ipynb" in arguments
    assert "--no-browser" in arguments
    arguments = launch.server_arguments(here, here, open_browser=True)
    assert "--LabApp.default_url=/lab" in arguments


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.ipynb"], "there is no file missing.ipynb"),
        (["notes.txt"], "notes.txt is not a notebook"),
        (["missing.sav"], "there is no file missing.sav"),
        (["--workbench", "a.ipynb"], "give one of them"),
        (["--survey", "missing"], "missing is not a survey"),
        (["--store", "missing/a.db"], "missing"),
    ],
)
def test_mistakes_are_named(here: Path, served, arguments: list[str], words: str) -> None:
    with pytest.raises(AudienceError, match=words):
        lab(*arguments)
    assert served == []


def test_a_missing_jupyterlab_is_reported(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    with fails(launch.LabError):
        lab()


@pytest.mark.slow
def test_jupyterlab_answers_at_the_printed_address(here: Path) -> None:
    environment = dict(os.environ)
    for folder in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR"):
        environment[f"JUPYTER_{folder}"] = str(here / folder.lower())
    process = subprocess.Popen(
        [sys.executable, "-m", "audiencelab", "lab", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout is not None
        assert "audiencelab-starter.ipynb" in process.stdout.readline()
        address = process.stdout.readline().strip()
        assert re.match(r"http://127\.0\.0\.1:\d+/lab/tree/audiencelab-starter\.ipynb\?", address)
        with urllib.request.urlopen(address, timeout=120) as answer:
            assert "jupyter-config-data" in answer.read().decode()
        # The page does not ask whether it may fetch news.
        settings = "/lab/api/settings/@jupyterlab/apputils-extension:notification?"
        where = address.partition("/lab/")[0] + settings + address.partition("?")[2]
        with urllib.request.urlopen(where, timeout=120) as answer:
            schema = json.loads(answer.read())["schema"]["properties"]
        assert schema["fetchNews"]["default"] == "false"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)
        process.stdout.close()
