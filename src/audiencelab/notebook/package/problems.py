"""What a receiver of a package could not do with it, each with what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from audiencelab.notebook.io import code_cells
from audiencelab.notebook.package.selection import Choice
from audiencelab.notebook.package.sources import NamedFiles
from audiencelab.notebook.package.watch import Watched
from audiencelab.notebook.run import NotebookRun
from audiencelab.notebook.verdict import Verification


def problems_of(
    named: NamedFiles,
    watched: Sequence[Watched],
    runs: Sequence[NotebookRun],
    verified: Sequence[Verification],
    choice: Choice | None,
) -> Iterator[str]:
    """The problems of a package, in sentences."""
    yield from _absolute(named, watched)
    yield from _failed(runs)
    yield from _not_held(verified)
    yield from _packages(watched)
    if choice == "snapshot":
        yield from _recording(watched)


def _absolute(named: NamedFiles, watched: Sequence[Watched]) -> Iterator[str]:
    said: set[str] = set()
    for run in watched:
        for number, cell in enumerate(run.cells, 1):
            for path in cell.outside:
                if path not in said:
                    said.add(path)
                    yield (
                        f"Cell {number} reads {path}, which others do not have. Put the file "
                        "beside the notebook, and write its name alone."
                    )
    for path in named.absolute:
        if path not in said:
            yield (
                f"The code names {path}, a path on this machine. Write one that is relative to "
                "the notebook."
            )


def _failed(runs: Sequence[NotebookRun]) -> Iterator[str]:
    for run in runs:
        for number, cell in enumerate(code_cells(run.notebook), 1):
            for error in cell.outputs:
                if error.get("output_type") == "error" and not _may_raise(cell):
                    words = f"{error.get('ename', '')}: {error.get('evalue', '')}".splitlines()[0]
                    missing = "FileNotFound" in words or "no such" in words.lower()
                    mend = " Name the file with --include." if missing else ""
                    where = f"Cell {number} of {run.path.name}"
                    yield f"{where} fails in an empty folder: {words}{mend}"


def _may_raise(cell: Any) -> bool:
    return "raises-exception" in cell.metadata.get("tags", ())


def _not_held(verified: Sequence[Verification]) -> Iterator[str]:
    for each in verified:
        if not each.holds:
            cells = ", ".join(
                str(cell.number)
                for cell in each.of("moved", "failed", "differs each time", "not replayed")
            )
            yield (
                f"Outputs of {each.notebook.name} are not those that were saved: cells {cells}. "
                "Run the notebook from top to bottom, save it, and package it again."
            )


def _packages(watched: Sequence[Watched]) -> Iterator[str]:
    for name in sorted({name for run in watched for name in run.local} - {"audiencelab"}):
        yield (
            f"{name} was installed from a folder, a file or a repository: pip does not find it by "
            "requirements.txt. Install it from an index, or say in README.md where it is."
        )
    versions = {run.packages.get("audiencelab", "") for run in watched}
    for version in sorted(each for each in versions if ".dev" in each):
        yield (
            f"audiencelab {version} is a development version, which pip does not find. Run and "
            "package the notebook with a release."
        )


def _recording(watched: Sequence[Watched]) -> Iterator[str]:
    for run in watched:
        if run.clients > 1:
            yield (
                f"The notebook has {run.clients} clients of surveys, and a snapshot answers for "
                "the first alone. Use one, or choose --data."
            )
        elif not run.recorded:
            yield "The snapshot holds nothing: no client asked anything. Choose --data."
