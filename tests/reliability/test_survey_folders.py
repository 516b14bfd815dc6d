"""A survey whose writer is killed at any step, or has no room, stays what it was or becomes new."""

from __future__ import annotations

import re
import shutil
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from audiencelab.cli import main
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.locks import WriterLock
from tests.ingest.sources import CODEBOOK, ROWS, imported, write
from tests.ingest.test_adding import FURTHER, SUMMER
from tests.reliability.processes import killed, ran
from tests.service.store.test_opening import nobody

pytestmark = pytest.mark.slow

MOST = 500
"""More steps than any command takes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A survey `p`, a survey file for it, and one of a further wave."""
    imported(tmp_path).path.rename(tmp_path / "p")
    for path in tmp_path.iterdir():
        if path.is_file():
            path.unlink()
    write(tmp_path, "spring.csv", ROWS.replace("north", "south"))
    write(tmp_path, "spring.toml", CODEBOOK)
    write(tmp_path, "summer.csv", SUMMER)
    write(tmp_path, "summer.toml", FURTHER)
    write(tmp_path, "segments.csv", "row,segment\n1,Savers\n2,Spenders\n3,Savers\n5,Spenders\n")
    return tmp_path


def commands(folder: Path) -> dict[str, list[str]]:
    spring = [str(folder / "spring.csv"), "--codebook", str(folder / "spring.toml")]
    summer = [str(folder / "summer.csv"), "--codebook", str(folder / "summer.toml")]
    quiet = ["--quiet"]
    return {
        "import": ["import", *spring, "--out", str(folder / "new"), *quiet],
        "import again": ["import", *spring, "--out", str(folder / "p"), "--replace", *quiet],
        "add a wave": ["survey", "add-wave", str(folder / "p"), *summer],
        "add columns": [
            *("survey", "with-columns", str(folder / "p"), str(folder / "segments.csv")),
            *("--key", "row"),
        ],
        "add the next wave": ["survey", "add-wave", str(folder / "p"), summer[0]],
    }


def contents(survey: Path) -> dict[str, bytes]:
    return {
        path.relative_to(survey).as_posix(): path.read_bytes()
        for path in sorted(survey.rglob("*"))
        if path.is_file() and path.name != "panel.json"
    }


@pytest.mark.parametrize(
    "name", ["import", "import again", "add a wave", "add the next wave", "add columns"]
)
def test_whatever_a_writer_was_doing_when_it_was_killed(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Before every single step: what is opened is whole, and the next run clears up."""
    start = tmp_path_factory.mktemp("start") / "start"
    folder.rename(start)
    shutil.copytree(start, folder)
    arguments = commands(folder)[name]
    target = folder / ("new" if name == "import" else "p")
    assert main(arguments) == 0
    left = sorted(path.name for path in folder.iterdir())
    old = contents(start / "p") if name != "import" else None
    new = contents(target)
    seen: set[str] = set()
    step = 0
    for step in range(1, MOST):
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
        if not killed(arguments, folder, step):
            break
        if target.exists():
            Survey.open(target).verify()
            assert contents(target) in (old, new)
            seen.add("old" if contents(target) == old else "new")
        else:
            # Nothing yet; or the moment between two renames, of which the message tells.
            with pytest.raises(SurveyError, match="It is complete at" if old else "no such folder"):
                Survey.open(target)
            seen.add("none")
        if target.exists() and contents(target) == new and name != "import again":
            # It was done: the same again would be refused, and the next writer clears up.
            WriterLock(target).release()
        else:
            assert main(arguments) == 0
        assert contents(target) == new
        assert sorted(path.name for path in folder.iterdir()) == left
    assert step > 20, "it came to its end at once"
    assert seen >= ({"old", "new"} if old else {"none", "new"})


@pytest.mark.parametrize("name", ["import", "import again", "add a wave"])
def test_a_disk_that_fills_up_harms_nothing(folder: Path, name: str) -> None:
    """At any size a file may have: one line that says so, and everything as it was."""
    arguments = commands(folder)[name]
    before = {path.name: contents(path) for path in folder.iterdir()}
    old = contents(folder / "p")
    refused = 0
    for limit in (0, 40, 130, 300, 1_000, 4_000, 1 << 20):
        code, said = ran(arguments, limit)
        if code == 0:
            break
        refused += 1
        assert code == 2, said
        assert re.fullmatch(r"audiencelab: .*the disk of .* is full.* Free some space.*\n", said), (
            said
        )
        assert contents(folder / "p") == old
        assert {path.name: contents(path) for path in folder.iterdir()} == before
    assert refused > 3
    assert code == 0, said


@pytest.mark.parametrize("name", ["import", "import again", "add a wave"])
def test_a_folder_that_may_only_be_read_says_so(name: str) -> None:
    # Not below pytest's own folder, which nobody else may enter.
    with TemporaryDirectory() as place:
        folder = Path(place)
        imported(folder).path.rename(folder / "p")
        for file, text in {"spring": (ROWS, CODEBOOK), "summer": (SUMMER, FURTHER)}.items():
            write(folder, f"{file}.csv", text[0])
            write(folder, f"{file}.toml", text[1])
        # Shared, for an import makes a folder that its owner alone may enter.
        (folder / "p").chmod(0o755)
        for path in (folder / "p").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        folder.chmod(0o555)
        old = contents(folder)
        said = StringIO()
        with nobody(), redirect_stderr(said):
            assert main(commands(folder)[name]) == 2
        assert "this user may not write in" in said.getvalue()
        assert said.getvalue().count("\n") == 1
        assert contents(folder) == old
        folder.chmod(0o755)
