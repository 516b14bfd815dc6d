"""The first notebook, recorded once and replayed where no connection can be made.

Its cells run as they are, widgets and all; only the environment says that they replay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RUN = """
import json, sys

notebook = json.load(open(sys.argv[1], encoding="utf-8"))
cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
names = {"__name__": "notebook"}
exec(cells[0], names)
with names["client"].recording(sys.argv[2]):
    for cell in cells[1:]:
        exec(cell, names)
    results = [names["assistants"].to_frame(), names["apps"].to_frame()]
for table in [names["frame"], names["top"], *results]:
    print(table.to_csv())
"""
WITHOUT_NETWORK = """
import sys

def forbid(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError(f"{event} is forbidden here")

sys.addaudithook(forbid)
"""


def run(program: str, file: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT / "notebooks" / "01-quickstart.ipynb"), str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_its_figures_are_the_same_without_network_and_survey(tmp_path: Path) -> None:
    pytest.importorskip("anywidget")
    pytest.importorskip("altair")
    file = tmp_path / "quickstart.audiencelab.jsonl"
    recorded = run(RUN, file)
    # An empty cache and no right to build one: a look for the survey would be noticed.
    nowhere = tmp_path / "no-cache"
    nowhere.touch()
    replayed = run(
        WITHOUT_NETWORK + RUN,
        file,
        AUDIENCELAB_SNAPSHOT=str(file),
        AUDIENCELAB_CACHE=str(nowhere),
    )
    assert replayed == recorded
    assert recorded.count("\n") > 50


def test_the_process_that_replays_it_cannot_connect(tmp_path: Path) -> None:
    program = WITHOUT_NETWORK + "import socket; socket.create_connection(('127.0.0.1', 9))"
    with pytest.raises(AssertionError, match="is forbidden here"):
        run(program, tmp_path)
