"""What a receiver of a package could not do with it, each with what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiencelab.local_servers import without_port
from audiencelab.notebook.io import code_cells
from audiencelab.notebook.package.selection import Choice
from audiencelab.notebook.package.sources import NamedFiles
from audiencelab.notebook.package.watch import Watched
from audiencelab.notebook.run import NotebookRun
from audiencelab.notebook.verdict import CellVerdict, Verification

_MOST = 6
"""Columns that are named."""


def problems_of(
    named: NamedFiles,
    watched: Sequence[Watched],
    runs: Sequence[NotebookRun],
    verified: Sequence[Verification],
    choice: Choice | None,
) -> Iterator[str]:
    """The problems of a package, in sentences.

    runs, verified: those in the folder with the data, then those from snapshots.
    """
    yield from _absolute(named, watched)
    yield from served_here(watched, runs)
    for number, (run, found) in enumerate(zip(runs, verified, strict=True)):
        where = "in an empty folder" if number < len(watched) else "without the data"
        yield from _failed(run, found, where, replayed=number >= len(watched))
        yield from _not_held(found, where, replayed=number >= len(watched))
    yield from _packages(watched)
    if choice == "snapshot":
        yield from _recording(watched, all(each.holds for each in verified))


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


def served_here(watched: Sequence[Watched], runs: Sequence[NotebookRun]) -> Iterator[str]:
    """Services of this machine that the code names; one that it starts itself has any port."""
    for each, run in zip(watched, runs, strict=False):
        code = "\n".join(cell.source for cell in code_cells(run.notebook))
        for place in each.services:
            if without_port(place) != place and place in code:
                yield (
                    f"The code names {place}, a service on this machine, which others do not have. "
                    "Read its survey with al.open or al.connect(survey=…), or choose --snapshot."
                )


def _failed(run: NotebookRun, found: Verification, where: str, *, replayed: bool) -> Iterator[str]:
    cells = code_cells(run.notebook)
    for cell in found.of("failed"):
        errors = [each for each in cells[cell.number - 1].outputs if "ename" in each]
        words = f"{errors[0].ename}: {errors[0].evalue}".splitlines()[0] if errors else "an error"
        words = words.replace(str(run.path.resolve().parent), "the folder")
        is_missing = "FileNotFound" in words or "no such file" in words.lower()
        mend = " Name the file with --include." if is_missing else ""
        mend = " Choose --data if others need this cell." if replayed else mend
        yield f"Cell {cell.number} of {found.notebook.name} fails {where}: {words}{mend}"


def _not_held(found: Verification, where: str, *, replayed: bool) -> Iterator[str]:
    name = found.notebook.name
    if restless := found.of("differs each time"):
        yield (
            f"{_cells(restless)} of {name}: each run gives something else. Set a seed, or tag the "
            "cell verify-skip."
        )
    if moved := found.of("moved", "not replayed"):
        mend = (
            "Choose --data if others need these outputs."
            if replayed
            else "If the new outputs are right, run the notebook from top to bottom, save it, and "
            "package it again."
        )
        yield f"{_cells(moved)} of {name}: not as saved {where}. {mend}"


def _cells(cells: Sequence[CellVerdict]) -> str:
    numbers = ", ".join(str(each.number) for each in cells)
    return f"Cell{'s' * (len(cells) > 1)} {numbers}"


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


def _recording(watched: Sequence[Watched], holds: bool) -> Iterator[str]:
    for run in watched:
        if run.clients > 1 and not holds:
            yield (
                f"The notebook has {run.clients} clients of surveys, and a snapshot answers for "
                "the first alone. Use one, or choose --data."
            )
        elif not run.recorded and run.clients:
            yield "The snapshot holds nothing: no client asked anything. Choose --data."


def private(watched: Sequence[Watched]) -> Iterator[str]:
    """Columns of packed data that may name people; README says nothing of them."""
    named = {name: columns for run in watched for name, columns in run.personal.items()}
    for name, columns in named.items():
        more = f" and {len(columns) - _MOST:,} more" if len(columns) > _MOST else ""
        yield (
            f"{name}: {', '.join(columns[:_MOST])}{more} may name people (open answers, columns "
            "that no question uses, names). Look at them, or choose --snapshot."
        )
