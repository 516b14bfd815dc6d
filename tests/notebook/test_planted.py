"""Each change planted in a saved notebook is named by its verification, and nothing else is.

The notebook is run twice: as its author saved it, and as received elsewhere. `corpus` and
`unchanged`, as programs, try changes that need more runs, and other environments.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audiencelab.cli.notebook import lines
from audiencelab.notebook import NotebookRun, compare_notebooks
from audiencelab.notebook.io import read_notebook
from tests.notebook.corpus import author, judge, missing, receive, surroundings
from tests.notebook.planted import HARMLESS, NOTED, OTHER_VERSION, PLANTED, REWORDED, Planted
from tests.notebook.unchanged import GERMAN

pytestmark = pytest.mark.slow

LATER = {**GERMAN, "TZ": "Asia/Kathmandu", "SOURCE_DATE_EPOCH": "1830000000"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return author(tmp_path_factory.mktemp("author"))


@pytest.fixture(scope="module")
def run(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> NotebookRun:
    with surroundings(LATER):
        return receive(saved, tmp_path_factory.mktemp("receiver") / "Prüfung Ö 1")


def test_it_holds_elsewhere_and_later_with_the_rows_in_another_order(
    saved: Path, run: NotebookRun
) -> None:
    found = compare_notebooks(read_notebook(saved), run)
    assert found.holds, "\n".join(lines(found))
    assert not found.of("reworded")
    assert any("survey is another version" in note for note in found.notes)


@pytest.mark.parametrize("change", [*PLANTED, *OTHER_VERSION[::8]], ids=lambda change: change.name)
def test_a_planted_change_is_named(
    change: Planted, saved: Path, run: NotebookRun, tmp_path: Path
) -> None:
    found = judge(change, saved, run, tmp_path / "changed")
    assert not missing(change, found), "\n".join(lines(found))


@pytest.mark.parametrize("change", [*HARMLESS, *REWORDED], ids=lambda change: change.name)
def test_what_is_no_result_may_differ(
    change: Planted, saved: Path, run: NotebookRun, tmp_path: Path
) -> None:
    found = judge(change, saved, run, tmp_path / "changed", whole=True)
    assert found.holds, "\n".join(lines(found))
    assert bool(found.of("reworded")) == (change in REWORDED), "\n".join(lines(found))


@pytest.mark.parametrize("change", NOTED, ids=lambda change: change.name)
def test_what_cannot_be_compared_is_noted(
    change: Planted, saved: Path, run: NotebookRun, tmp_path: Path
) -> None:
    found = judge(change, saved, run, tmp_path / "changed")
    assert found.holds
    assert re.search(change.named[0], "\n".join(lines(found)))
