"""Which outputs of a saved notebook a run of it reproduces.

The file is not changed. Its code is run: verify only notebooks that you would run.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab._version import __version__
from audiencelab.client.snapshots.format import is_snapshot, read_header
from audiencelab.notebook.causes import replay_causes, what_was_not_compared, why
from audiencelab.notebook.file_diff import file_changes, is_read
from audiencelab.notebook.io import RUN_AND_SAVE, NotebookError, code_cells, raises, read_notebook
from audiencelab.notebook.output_diff import compare
from audiencelab.notebook.run import NotebookRun, Report, run_notebook
from audiencelab.notebook.run_log import CellLog, WrittenFile
from audiencelab.notebook.sameness import Circumstances, folders_of
from audiencelab.notebook.saved_with import dated, software_of
from audiencelab.notebook.verdict import CellVerdict, Exchanges, State, Verification

if TYPE_CHECKING:
    from nbformat import NotebookNode

LEFT_OUT = frozenset({"nbval-ignore-output", "nbval-skip", "verify-skip"})
"""Tags of cells whose outputs are not compared."""


def verify(
    notebook: str | Path,
    *,
    snapshot: str | Path | None = None,
    timeout: float = 600.0,
    report: Report | None = None,
) -> Verification:
    """Run a notebook from top to bottom and compare its outputs with the saved ones.

    Where outputs changed, it is run once more, to find those that differ each time. With a
    snapshot, cells are "not replayed" from the first one that connects to anything else.

    notebook: the file (.ipynb).
    snapshot: the snapshot that `connect()` with no argument replays, and `open()` of its
        source; default `AUDIENCELAB_SNAPSHOT`. None leaves that to the notebook.
    timeout: seconds that one cell may take.
    report: called before each cell.

    Raises `NotebookError`: the file cannot be read or run, or was never run.
    """
    path = Path(notebook)
    saved = read_saved(path)
    run = partial(
        run_notebook,
        path,
        snapshot=snapshot,
        timeout=timeout,
        report=report,
        environment=dated(saved),
    )
    return compare_notebooks(saved, run(), again=run)


def read_saved(path: Path) -> NotebookNode:
    """A notebook that was run and saved; raises `NotebookError` for one without outputs."""
    saved = read_notebook(path)
    if not code_cells(saved):
        raise NotebookError(f"{path} has no code cell: there is nothing to verify.")
    if not any(cell.outputs or cell.execution_count for cell in code_cells(saved)):
        raise NotebookError(
            f"{path} has no saved outputs to compare with: it was never run. Run all its cells and "
            f"save it, in JupyterLab or with {RUN_AND_SAVE} {shlex.quote(str(path))}"
        )
    return saved


def compare_notebooks(
    saved: NotebookNode,
    run: NotebookRun,
    *,
    again: Callable[[], NotebookRun] | None = None,
    folder: Path | None = None,
) -> Verification:
    """Compare the saved outputs of a notebook with those of a run; nothing is executed.

    again: runs it once more, called only where something moved; None: what differs each time is
        "moved".
    folder: where the files lie that cells of the saved notebook wrote; None: what the run found.
    """
    known = Circumstances(software_of(saved), __version__, folders_of(run.path, run.folder))
    ran = run if folder is None else _with_files(run, folder)
    saved_cells = code_cells(saved)
    pairs = zip(saved_cells, code_cells(ran.notebook), ran.cells, strict=True)
    cells = [_verdict(number, *pair, known) for number, pair in enumerate(pairs, 1)]
    if again is not None and any(cell.state == "moved" for cell in cells):
        cells = [*_restless(cells, ran, again())]
    elsewhere = _elsewhere(ran)
    causes = (*replay_causes(ran, elsewhere), *why(saved, ran, cells, known))
    if elsewhere:
        cells = [_not_replayed(each, elsewhere) for each in cells]
    return Verification(
        run.path,
        tuple(cells),
        causes,
        replayed=not elsewhere,
        exchanges=_exchanges(ran),
        notes=tuple(what_was_not_compared(saved, ran, cells, known)),
    )


def _verdict(number: int, saved: Any, run: Any, log: CellLog, known: Circumstances) -> CellVerdict:
    title = saved.source.strip().split("\n")[0]
    tags = set(saved.metadata.get("tags", ()))
    changes = compare(saved.outputs, run.outputs, known)
    if raises(run) and not raises(saved):
        return CellVerdict(number, title, "failed", changes)
    files = [file for file in log.written if is_read(file)]
    if not (saved.outputs or run.outputs or files):
        return CellVerdict(number, title, "left out")
    if left_out := sorted(LEFT_OUT & tags):
        return CellVerdict(number, title, "left out", tag=left_out[0])
    for file in files:
        changes += file_changes(file, known)
    state: State = "holds"
    if changes:
        state = "reworded" if all(each.is_wording for each in changes) else "moved"
    return CellVerdict(number, title, state, changes)


def _restless(
    cells: Sequence[CellVerdict], run: NotebookRun, again: NotebookRun
) -> Iterator[CellVerdict]:
    """The cells, with those marked of which two runs differ."""
    runs = zip(
        cells,
        zip(code_cells(run.notebook), run.cells, strict=True),
        zip(code_cells(again.notebook), again.cells, strict=True),
        strict=True,
    )
    for cell, (one, log), (other, later) in runs:
        differs = cell.state == "moved" and (
            compare(one.outputs, other.outputs)
            or any(map(file_changes, _between(log.written, later.written)))
        )
        yield replace(cell, state="differs each time") if differs else cell


def _between(one: Sequence[WrittenFile], other: Sequence[WrittenFile]) -> list[WrittenFile]:
    """Files as the first of two runs wrote them and as the second did."""
    first = {file.path: file.now for file in one if is_read(file)}
    return [replace(file, before=first[file.path]) for file in other if file.path in first]


def _with_files(run: NotebookRun, folder: Path) -> NotebookRun:
    """A run that found the files of another folder before it."""
    here = run.path.resolve().parent

    def found(file: WrittenFile) -> WrittenFile:
        there = folder / os.path.relpath(file.path, here)
        return replace(file, before=there.read_bytes() if there.is_file() else None)

    cells = tuple(replace(cell, written=tuple(map(found, cell.written))) for cell in run.cells)
    return replace(run, cells=cells)


def _exchanges(run: NotebookRun) -> tuple[Exchanges, ...]:
    """How much of each snapshot was used, first of the one that was given."""
    used = Counter(file for file, _ in {each for cell in run.cells for each in cell.exchanges})
    files = [str(run.snapshot)] if run.snapshot else []
    files += sorted({c.snapshot for cell in run.cells for c in cell.connected if c.snapshot})
    return tuple(
        Exchanges(Path(file), used[file], read_header(Path(file)).exchanges)
        for file in dict.fromkeys(files)
        if is_snapshot(Path(file))
    )


def _elsewhere(run: NotebookRun) -> dict[int, list[str]]:
    """What each code cell connected to that is not the given snapshot, by its number.

    Without any connection at all, no figure can be one of the snapshot: then cell 0 is in it.
    """
    if run.snapshot is None:
        return {}
    if not any(cell.connected for cell in run.cells):
        return {0: []}
    others = {
        number: [each.source for each in cell.connected if each.snapshot != str(run.snapshot)]
        for number, cell in enumerate(run.cells, 1)
    }
    return {number: sources for number, sources in others.items() if sources}


def _not_replayed(cell: CellVerdict, elsewhere: Mapping[int, object]) -> CellVerdict:
    # What a later cell shows may have been asked anywhere before it.
    reproduced = cell.state in {"holds", "reworded"}
    after = reproduced and cell.number >= min(elsewhere)
    return replace(cell, state="not replayed") if after else cell
