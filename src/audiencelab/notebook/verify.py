"""Which outputs of a saved notebook a run of it reproduces.

The file is not changed. Its code is run: verify only notebooks that you would run.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab.notebook.causes import replay_causes, why
from audiencelab.notebook.io import NotebookError, code_cells, read_notebook
from audiencelab.notebook.output_diff import compare
from audiencelab.notebook.run import NotebookRun, Report, run_notebook
from audiencelab.notebook.verdict import CellVerdict, State, Verification

if TYPE_CHECKING:
    from nbformat import NotebookNode

LEFT_OUT = ("nbval-ignore-output", "nbval-skip", "verify-skip")
"""Tags of cells whose outputs are not compared."""

_MAY_RAISE = "raises-exception"


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
    run = partial(run_notebook, path, snapshot=snapshot, timeout=timeout, report=report)
    return compare_notebooks(saved, run(), again=run)


def read_saved(path: Path) -> NotebookNode:
    """A notebook that was run and saved; raises `NotebookError` for one without outputs."""
    saved = read_notebook(path)
    if not code_cells(saved):
        raise NotebookError(f"{path} has no code cell: there is nothing to verify.")
    if not any(cell.outputs or cell.execution_count for cell in code_cells(saved)):
        raise NotebookError(
            f"{path} has no saved outputs to compare with: it was never run. Run all its cells and "
            f"save it, in JupyterLab or with jupyter execute --inplace {shlex.quote(str(path))}"
        )
    return saved


def compare_notebooks(
    saved: NotebookNode, run: NotebookRun, *, again: Callable[[], NotebookRun] | None = None
) -> Verification:
    """Compare the saved outputs of a notebook with those of a run; nothing is executed.

    again: runs it once more, called only where something moved; None: what differs each time is
        "moved".
    """
    pairs = zip(code_cells(saved), code_cells(run.notebook), strict=True)
    cells = [_verdict(number, *pair) for number, pair in enumerate(pairs, 1)]
    if again is not None and any(cell.state == "moved" for cell in cells):
        runs = zip(cells, code_cells(run.notebook), code_cells(again().notebook), strict=True)
        cells = [_restless(cell, one, other) for cell, one, other in runs]
    elsewhere = _elsewhere(run)
    causes = (*replay_causes(run, elsewhere), *why(saved, run, cells))
    if elsewhere:
        cells = [_not_replayed(each, elsewhere) for each in cells]
    return Verification(run.path, tuple(cells), causes, replayed=not elsewhere)


def _verdict(number: int, saved: Any, run: Any) -> CellVerdict:
    title = saved.source.strip().split("\n")[0]
    tags = set(saved.metadata.get("tags", ()))
    changes = compare(saved.outputs, run.outputs)
    if _failed(run) and not _failed(saved) and _MAY_RAISE not in tags:
        return CellVerdict(number, title, "failed", changes)
    if not (saved.outputs or run.outputs):
        return CellVerdict(number, title, "left out")
    for tag in LEFT_OUT:
        if tag in tags:
            return CellVerdict(number, title, "left out", tag=tag)
    state: State = "holds"
    if changes:
        state = "reworded" if all(each.is_wording for each in changes) else "moved"
    return CellVerdict(number, title, state, changes)


def _failed(cell: Any) -> bool:
    return any(output.get("output_type") == "error" for output in cell.outputs)


def _restless(cell: CellVerdict, one: Any, other: Any) -> CellVerdict:
    differs = cell.state == "moved" and compare(one.outputs, other.outputs)
    return replace(cell, state="differs each time") if differs else cell


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
