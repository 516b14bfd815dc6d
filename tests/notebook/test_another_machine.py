"""A notebook recorded with a snapshot says the same on another machine, with no network.

Another folder, another home, none of this process's settings, and no way out: where the system
lets a process have a network of its own, that has nothing but itself; and sockets refuse besides.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

SET_UP = """\
import audiencelab as al
from audiencelab.survey import demo_survey
client = al.connect(survey=demo_survey(2_400))
ages = client.catalogue.audiences("q4")
"""
REPLAYED = """\
import audiencelab as al
client = al.connect()
ages = client.catalogue.audiences("q4")
"""
CELLS = (
    'client.crosstab(rows=ages, columns=client.catalogue.audiences("q2"))',
    'client.stats("q20", audiences=ages[:2]).to_frame().head(8)',
)

NO_WAY_OUT = """\
import socket

_connect = socket.socket.connect


def connect(self, address):
    host = address[0] if isinstance(address, tuple) else "127.0.0.1"
    if host not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"no network here: {address}")
    return _connect(self, address)


socket.socket.connect = connect
"""

# A network of its own begins with its loopback down, which a kernel needs.
LOOPBACK_UP = """\
import fcntl, os, socket, struct, sys
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14s", b"lo", 0x41, b""))
os.execv(sys.argv[1], sys.argv[1:])
"""


def alone() -> list[str]:
    """What starts a program in a network of its own; [] where the system does not let it."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    start = [unshare, "--net", "--map-root-user", sys.executable, "-c", LOOPBACK_UP]
    tried = subprocess.run([*start, sys.executable, "-c", ""], capture_output=True, check=False)
    return start if tried.returncode == 0 else []


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the notebook and its snapshot, and nothing else of where they were made."""
    here = tmp_path_factory.mktemp("here")
    record = f'with client.recording("study.audiencelab.jsonl"):\n    {CELLS[0]}\n    {CELLS[1]}'
    recording = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in (SET_UP, record, *CELLS)]
    )
    NotebookClient(recording).execute(cwd=str(here))
    replaying = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in (REPLAYED, *CELLS)]
    )
    replaying.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    for cell, ran in zip(replaying.cells[1:], recording.cells[2:], strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    there = tmp_path_factory.mktemp("another machine")
    nbformat.write(replaying, there / "study.ipynb")
    shutil.move(here / "study.audiencelab.jsonl", there)
    return there


def verified(folder: Path) -> tuple[int, dict[str, object]]:
    """What `audiencelab verify --json` answers there."""
    (folder / "blocked").mkdir(exist_ok=True)
    (folder / "blocked" / "sitecustomize.py").write_text(NO_WAY_OUT, encoding="utf-8")
    command = [sys.executable, "-m", "audiencelab", "verify", "study.ipynb", "--json"]
    done = subprocess.run(
        [*alone(), *command, "--snapshot", "study.audiencelab.jsonl"],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTHONPATH": str(folder / "blocked"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)[0]


def test_it_holds_there(elsewhere: Path) -> None:
    code, found = verified(elsewhere)
    assert found["holds"], found
    assert code == 0


def test_and_a_figure_that_is_another_is_found(elsewhere: Path, tmp_path: Path) -> None:
    for name in ("study.ipynb", "study.audiencelab.jsonl"):
        shutil.copy(elsewhere / name, tmp_path)
    notebook = nbformat.read(tmp_path / "study.ipynb", as_version=4)
    page = notebook.cells[1].outputs[0].data["text/html"]
    share = page.partition("%")[0].rpartition(">")[2]
    notebook.cells[1].outputs[0].data["text/html"] = page.replace(f">{share}%", ">1.7%", 1)
    nbformat.write(notebook, tmp_path / "study.ipynb")
    code, found = verified(tmp_path)
    assert code == 1
    assert not found["holds"]
