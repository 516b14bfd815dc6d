"""The changes of `planted` judged by one run of the notebook; as a program, also changed sources.

`python -m tests.notebook.corpus OUT` prints a line for each change and writes OUT/planted.md.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from audiencelab.cli.notebook import lines
from audiencelab.notebook import NotebookRun, Verification, compare_notebooks, run_notebook, verify
from tests.notebook import coffee
from tests.notebook.changes import CHANGES, Changed
from tests.notebook.edits import Saved
from tests.notebook.planted import OTHER_VERSION, PLANTED, Planted
from tests.notebook.unchanged import shuffle_rows

__all__ = ["author", "judge", "missing", "receive", "surroundings"]


@contextmanager
def surroundings(variables: Mapping[str, str]) -> Iterator[None]:
    """The environment with other variables, which a kernel takes over."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


def author(folder: Path) -> Path:
    """The notebook run and saved, with the files that its cells wrote beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = coffee.write_notebook(folder)
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, resources=resources, store_widget_state=False).execute()
    nbformat.write(notebook, path)
    return path


def receive(path: Path, folder: Path) -> NotebookRun:
    """A run of a copy elsewhere, whose rows are in another order."""
    shutil.copytree(path.parent, folder)
    shuffle_rows(folder)
    return run_notebook(folder / path.name)


@cache
def _saved(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def judge(
    change: Planted, path: Path, run: NotebookRun, folder: Path, *, whole: bool = False
) -> Verification:
    """The finding about a copy of the author's folder in which a change was planted.

    whole: compare all cells; by default the one that was changed.
    """
    shutil.copytree(path.parent, folder)
    saved = Saved(deepcopy(_saved(path)), folder)
    change.edit(saved, saved.cell(change.cell))
    if not whole:
        # The first table says which version of audiencelab it was saved with.
        kept = sorted({1, list(coffee.CELLS).index(change.cell)})
        ran = copy(run.notebook)
        ran.cells = [run.notebook.cells[number] for number in kept]
        saved.notebook.cells = [saved.notebook.cells[number] for number in kept]
        run = replace(run, notebook=ran, cells=tuple(run.cells[number] for number in kept))
    return compare_notebooks(saved.notebook, run, folder=folder)


def missing(change: Planted | Changed, found: Verification) -> str:
    """What the report lacks of a change; "" if it names all of it."""
    said = "\n".join(lines(found))
    differing = found.of("moved", "failed", "differs each time")
    if not differing:
        return "holds, reworded" if found.of("reworded") else "holds"
    if isinstance(change, Planted):
        # Only some cells are compared, so that they are told apart by their code.
        moved = {cell.title for cell in differing}
        expected = {coffee.CELLS[name].strip().split("\n")[0] for name in change.cells}
    else:
        moved = {str(cell.number) for cell in differing}
        expected = {str(list(coffee.CELLS).index(name) + 1) for name in change.cells}
    if not expected <= moved or (isinstance(change, Planted) and moved != expected):
        return f"moved: {', '.join(sorted(moved))}"
    unnamed = [words for words in change.named if not re.search(words, said, re.IGNORECASE)]
    return f"moved without {', '.join(unnamed)}" if unnamed else ""


def _sources(path: Path, folder: Path) -> Iterator[tuple[Changed, str, Verification]]:
    for change in CHANGES:
        place = folder / change.name.replace(" ", "-")
        shutil.copytree(path.parent, place)
        change.change(place)
        found = verify(place / path.name)
        lacks = missing(change, found)
        held = {list(coffee.CELLS).index(name) + 1 for name in change.hold}
        if lost := held & {cell.number for cell in found.of("moved", "failed")}:
            lacks = f"{lacks}; moved too: {sorted(lost)}"
        yield change, lacks, found


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        path = author(folder / "author")
        run = receive(path, folder / "Prüfung Ö 1")
        judged = (
            (change, missing(change, found), found)
            for number, change in enumerate((*PLANTED, *OTHER_VERSION))
            for found in [judge(change, path, run, folder / str(number))]
        )
        rows = [
            (f"| {change.name} | {', '.join(change.cells)} | {lacks or 'named'} |", lacks, found)
            for change, lacks, found in [*judged, *_sources(path, folder / "sources")]
        ]
    head = ["| change | cells | report |", "|---|---|---|"]
    (out / "planted.md").write_text("\n".join([*head, *(row[0] for row in rows), ""]), "utf-8")
    missed = [row for row in rows if row[1]]
    for line, _, found in missed:
        print(line, *lines(found)[1:], sep="\n    ")
    print(f"{len(rows) - len(missed)} of {len(rows)} are named")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
