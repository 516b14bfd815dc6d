"""Runs a notebook again and tells which of its outputs hold, which moved, and why.

The notebook on the disk is only read. Running it runs its code: verify what you would run.
"""

from __future__ import annotations

import atexit
import copy
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from audiencelab.notebook.errors import NotebookError
from audiencelab.notebook.files import read_notebook
from audiencelab.notebook.outputs import Change, compare

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["CellVerdict", "Report", "State", "Verification", "verify"]

State = Literal["holds", "moved", "failed", "differs each time", "left out"]

_LEFT_OUT = frozenset({"nbval-ignore-output", "nbval-skip", "verify-skip"})
"""Tags of cells whose outputs nobody expects to hold."""

_LAST_LINES = 10
"""Of what a kernel said before it died."""

_SOURCE = "Source: "

_MAY_RAISE = "raises-exception"


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """What became of one code cell.

    number: counts the code cells, from 1. title: the first line of its code.
    state: "failed" where it raises and did not before; "differs each time" where two runs of now
        differ from each other too; "left out" where a tag (`nbval-ignore-output`, `verify-skip`)
        asks for it, or where nothing was put out, before and now.
    changes: what it says otherwise, in reading order.
    """

    number: int
    title: str
    state: State
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """Which outputs of a notebook hold.

    reasons: what explains those that do not, as far as it can be known.
    """

    notebook: Path
    cells: tuple[CellVerdict, ...]
    reasons: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no output moved and no cell failed."""
        return not self.of("moved", "failed", "differs each time")

    def of(self, *states: State) -> tuple[CellVerdict, ...]:
        """The cells of these states, in order."""
        return tuple(cell for cell in self.cells if cell.state in states)

    def __repr__(self) -> str:
        counts = {state: len(self.of(state)) for state in ("holds", "moved", "failed")}
        counted = ", ".join(f"{count} {state}" for state, count in counts.items())
        return f"<Verification of {self.notebook.name}: {counted}>"


Report = Callable[[int, int], None]
"""Hears which code cell is about to run, from 1, and how many there are."""


def verify(
    notebook: str | Path,
    *,
    snapshot: str | Path | None = None,
    timeout: float = 600.0,
    report: Report | None = None,
) -> Verification:
    """Run a notebook from top to bottom and compare its outputs with those that it was saved with.

    snapshot: what `connect()` with no argument replays; None leaves that to the notebook.
    timeout: seconds that one cell may take.
    Where outputs moved, the notebook is run once more, to tell those that differ each time.

    Raises `NotebookError` for a file that cannot be read or run.
    """
    path = Path(notebook)
    saved = _read(path)
    environment = _environment(snapshot)
    first = _run(saved, path, environment, timeout, report)
    verdicts = _verdicts(saved, first)
    if any(verdict.state == "moved" for verdict in verdicts):
        again = _run(saved, path, environment, timeout, report)
        verdicts = _restless(verdicts, first, again)
    return Verification(path, tuple(verdicts), tuple(_reasons(saved, first, verdicts)))


def _read(path: Path) -> NotebookNode:
    found = read_notebook(path)
    if not _code_cells(found):
        raise NotebookError(f"{path} has no code cell: there is nothing to verify.")
    return found


def _environment(snapshot: str | Path | None) -> dict[str, str]:
    if snapshot is None:
        return dict(os.environ)
    file = Path(snapshot).resolve()
    if not file.is_file():
        raise NotebookError(f"{snapshot}: there is no such snapshot.")
    return {**os.environ, "AUDIENCELAB_SNAPSHOT": str(file)}


def _run(
    saved: NotebookNode,
    path: Path,
    environment: Mapping[str, str],
    timeout: float,
    report: Report | None,
) -> NotebookNode:
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    fresh = copy.deepcopy(saved)
    count, begun = len(_code_cells(fresh)), 0

    def begin(**_: object) -> None:
        nonlocal begun
        begun += 1
        if report is not None:
            report(begun, count)

    def limit(_: object) -> float:
        return timeout

    client = NotebookClient(
        fresh,
        # As a number itself it would have to be a whole one.
        timeout_func=limit,
        kernel_name=str(saved.metadata.get("kernelspec", {}).get("name", "python3")),
        # A cell that fails is a finding, and those below may still hold.
        allow_errors=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
        on_cell_execute=begin,
    )
    # What kernels say of themselves is for those who look after them, unless one dies.
    with tempfile.TemporaryFile() as said:
        try:
            return client.execute(env=dict(environment), stderr=said)
        except NoSuchKernel as error:
            raise NotebookError(
                f"{path} wants the kernel {error.name!r}, which is not installed: see "
                "`jupyter kernelspec list`."
            ) from error
        except CellTimeoutError as error:
            raise NotebookError(f"{path}: a cell took longer than {timeout:g} seconds.") from error
        except DeadKernelError as error:
            raise NotebookError(
                f"{path}: the kernel died in code cell {begun}.{_last_words(said)}"
            ) from error
        except (OSError, RuntimeError) as error:
            if begun:  # pragma: no cover - a kernel that has begun fails in one of the ways above
                raise
            # It is gone, and would be missed with a traceback when the program ends.
            atexit.unregister(client._cleanup_kernel)  # pyright: ignore[reportPrivateUsage] -- there is no other name for it
            raise NotebookError(
                f"{path}: the kernel {client.kernel_name!r} could not be started ({error}). Is its "
                f"Python still where `jupyter kernelspec list` says?{_last_words(said)}"
            ) from error


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read().decode(errors="replace").splitlines()[-_LAST_LINES:]
    return "".join(f"\n  {line}" for line in lines)


def _code_cells(notebook: NotebookNode) -> list[Any]:
    cells = cast("list[Any]", notebook.cells)
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def _verdicts(saved: NotebookNode, run: NotebookNode) -> list[CellVerdict]:
    pairs = zip(_code_cells(saved), _code_cells(run), strict=True)
    return [_verdict(number, *pair) for number, pair in enumerate(pairs, 1)]


def _verdict(number: int, saved: Any, run: Any) -> CellVerdict:
    title = saved.source.strip().split("\n")[0]
    tags = set(saved.metadata.get("tags", ()))
    failed = _error_of(run.outputs) is not None
    if failed and _error_of(saved.outputs) is None and _MAY_RAISE not in tags:
        return CellVerdict(number, title, "failed", compare(saved.outputs, run.outputs))
    if tags & _LEFT_OUT or not (saved.outputs or run.outputs):
        return CellVerdict(number, title, "left out")
    changes = compare(saved.outputs, run.outputs)
    return CellVerdict(number, title, "moved" if changes else "holds", changes)


def _restless(
    verdicts: Sequence[CellVerdict], first: NotebookNode, again: NotebookNode
) -> list[CellVerdict]:
    """The verdicts, with those outputs told apart that differ between two runs of now."""
    pairs = zip(_code_cells(first), _code_cells(again), strict=True)
    return [
        CellVerdict(verdict.number, verdict.title, "differs each time", verdict.changes)
        if verdict.state == "moved" and compare(one.outputs, other.outputs)
        else verdict
        for verdict, (one, other) in zip(verdicts, pairs, strict=True)
    ]


def _error_of(outputs: Sequence[Mapping[str, Any]]) -> str | None:
    for output in outputs:
        if output.get("output_type") == "error":
            return f"{output.get('ename')}: {output.get('evalue')}"
    return None


def _reasons(saved: NotebookNode, run: NotebookNode, verdicts: Sequence[CellVerdict]) -> list[str]:
    """What explains the differences; nothing to explain gives none."""
    unsettled = [each for each in verdicts if each.state not in {"holds", "left out"}]
    if not unsettled:
        return []
    reasons: list[str] = []
    failed = next((each for each in unsettled if each.state == "failed"), None)
    if failed is not None and failed is not unsettled[-1]:
        reasons.append(f"Cell {failed.number} failed; cells below it may need what it makes.")
    if out_of_order := _out_of_order(saved):
        reasons.append(out_of_order)
    before, now = _python_of(saved), _python_of(run)
    if before and now and before != now:
        reasons.append(f"It was saved with Python {before} and ran with {now}.")
    restless = [str(each.number) for each in unsettled if each.state == "differs each time"]
    if restless:
        cells = "Cell" if len(restless) == 1 else "Cells"
        reasons.append(
            f"{cells} {', '.join(restless)}: two runs one after the other differ too. Is there "
            "chance in it (set a seed), or a time?"
        )
    first = unsettled[0]
    if sourced := _another_source(unsettled):
        reasons.append(sourced)
    elif first.state == "moved":
        reasons.append(
            f"Cell {first.number} is the first that moved; look there for what changed: the "
            "panel or the service behind it, its waves, or the version of a package."
        )
    return reasons


def _another_source(verdicts: Sequence[CellVerdict]) -> str | None:
    """Whether a result names another panel or service than it did; it says so in a line below."""
    for verdict in verdicts:
        for change in verdict.changes:
            _, told, before = change.before.partition(_SOURCE)
            _, tells, now = change.now.partition(_SOURCE)
            if told and tells and before != now:
                return f"Cell {verdict.number} has another source: {before} before, {now} now."
    return None


def _out_of_order(saved: NotebookNode) -> str | None:
    """Whether cells were run in another order, or not at all, before the notebook was saved."""
    counts = [(place, cell.execution_count) for place, cell in enumerate(_code_cells(saved), 1)]
    never = [str(place) for place, count in counts if count is None]
    if never and len(never) < len(counts):
        return f"When it was saved, these cells had not been run: {', '.join(never)}."
    run = [(place, count) for place, count in counts if count is not None]
    for (above, before), (below, after) in pairwise(run):
        if after < before:
            return (
                f"When it was saved, cell {below} had been run before cell {above}: outputs of "
                "cells that are run from top to bottom may be others."
            )
    return None


def _python_of(notebook: NotebookNode) -> str:
    return str(notebook.metadata.get("language_info", {}).get("version", ""))
