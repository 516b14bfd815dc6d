"""Running a notebook again to find which of its outputs hold, which moved, and why.

The file is only read. Running it runs its code: verify what you would run.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from audiencelab.notebook.io import NotebookError, read_notebook
from audiencelab.notebook.output_diff import Change, compare

if TYPE_CHECKING:
    from nbformat import NotebookNode

State = Literal["holds", "moved", "failed", "differs each time", "left out"]

_LEFT_OUT = frozenset({"nbval-ignore-output", "nbval-skip", "verify-skip"})
"""Tags of cells whose outputs are not expected to hold."""

_MAY_RAISE = "raises-exception"

_SOURCE = "Source: "
"""Begins the line below a table that names its survey or service."""

_LAST_LINES = 10
"""Lines of a kernel's standard error that are shown when it dies."""


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The finding about one code cell.

    number: counts the code cells, from 1. title: the first line of its code.
    state: "failed" where it raises and did not before; "differs each time" where two runs one
        after the other differ too; "left out" where a tag (`nbval-ignore-output`, `verify-skip`)
        asks for it, or where it has no output, before and now.
    changes: the differences, in reading order.
    """

    number: int
    title: str
    state: State
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """Which outputs of a notebook hold.

    reasons: explanations of those that do not, as far as they can be known.
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
"""Called with the number of the code cell about to run, from 1, and how many there are."""


def verify(
    notebook: str | Path,
    *,
    snapshot: str | Path | None = None,
    timeout: float = 600.0,
    report: Report | None = None,
) -> Verification:
    """Run a notebook from top to bottom and compare its outputs with the saved ones.

    Where outputs moved, it is run once more, to find those that differ each time.

    Args:
        notebook: The file (.ipynb).
        snapshot: The snapshot that `connect()` with no argument replays; None leaves that to the
            notebook.
        timeout: Seconds that one cell may take.
        report: Called before each cell.

    Raises:
        NotebookError: the file cannot be read or run.
    """
    path = Path(notebook)
    saved = read_notebook(path)
    if not _code_cells(saved):
        raise NotebookError(f"{path} has no code cell: there is nothing to verify.")
    environment = _environment(snapshot)
    first = _run(saved, path, environment, timeout, report)
    verdicts = _verdicts(saved, first)
    if any(verdict.state == "moved" for verdict in verdicts):
        again = _run(saved, path, environment, timeout, report)
        verdicts = _unstable(verdicts, first, again)
    return Verification(path, tuple(verdicts), tuple(_reasons(saved, first, verdicts)))


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
        # `timeout` itself would have to be an integer.
        timeout_func=limit,
        kernel_name=str(saved.metadata.get("kernelspec", {}).get("name", "python3")),
        # A cell that fails is a finding, and those below may still hold.
        allow_errors=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
        on_cell_execute=begin,
    )
    # A kernel's log is shown only where it dies.
    with tempfile.TemporaryFile() as log:
        try:
            return client.execute(env=dict(environment), stderr=log)
        except NoSuchKernel as error:
            raise NotebookError(
                f"{path} wants the kernel {error.name!r}, which is not installed: see "
                "`jupyter kernelspec list`."
            ) from error
        except CellTimeoutError as error:
            raise NotebookError(f"{path}: a cell took longer than {timeout:g} seconds.") from error
        except DeadKernelError as error:
            raise NotebookError(
                f"{path}: the kernel died in code cell {begun}.{_last_lines(log)}"
            ) from error
        except (OSError, RuntimeError) as error:
            if begun:  # pragma: no cover - a kernel that has begun fails in one of the ways above
                raise
            # nbclient cleans up when Python ends, and needs a manager for that.
            client.create_kernel_manager()
            raise NotebookError(
                f"{path}: the kernel {client.kernel_name!r} could not be started ({error}). Is its "
                f"Python still where `jupyter kernelspec list` says?{_last_lines(log)}"
            ) from error


def _last_lines(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()[-_LAST_LINES:]
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
    changes = compare(saved.outputs, run.outputs)
    if _failed(run.outputs) and not _failed(saved.outputs) and _MAY_RAISE not in tags:
        return CellVerdict(number, title, "failed", changes)
    if tags & _LEFT_OUT or not (saved.outputs or run.outputs):
        return CellVerdict(number, title, "left out")
    return CellVerdict(number, title, "moved" if changes else "holds", changes)


def _failed(outputs: Sequence[Mapping[str, Any]]) -> bool:
    return any(output.get("output_type") == "error" for output in outputs)


def _unstable(
    verdicts: Sequence[CellVerdict], first: NotebookNode, again: NotebookNode
) -> list[CellVerdict]:
    """The verdicts, where those that differ between two runs now are marked."""
    pairs = zip(_code_cells(first), _code_cells(again), strict=True)
    return [
        CellVerdict(verdict.number, verdict.title, "differs each time", verdict.changes)
        if verdict.state == "moved" and compare(one.outputs, other.outputs)
        else verdict
        for verdict, (one, other) in zip(verdicts, pairs, strict=True)
    ]


def _reasons(saved: NotebookNode, run: NotebookNode, verdicts: Sequence[CellVerdict]) -> list[str]:
    """Explanations of the differences; none where there are no differences."""
    differing = [each for each in verdicts if each.state not in {"holds", "left out"}]
    if not differing:
        return []
    found = (
        _failure(differing),
        _out_of_order(saved),
        _other_python(saved, run),
        _instability(differing),
        _other_source(differing) or _first_move(differing[0]),
    )
    return [reason for reason in found if reason]


def _failure(differing: Sequence[CellVerdict]) -> str | None:
    failed = next((each for each in differing if each.state == "failed"), None)
    if failed is None or failed is differing[-1]:
        return None
    return f"Cell {failed.number} failed; cells below it may need what it makes."


def _other_python(saved: NotebookNode, run: NotebookNode) -> str | None:
    before, now = (
        str(each.metadata.get("language_info", {}).get("version", "")) for each in (saved, run)
    )
    if before and now and before != now:
        return f"It was saved with Python {before} and ran with {now}."
    return None


def _instability(differing: Sequence[CellVerdict]) -> str | None:
    unstable = [str(each.number) for each in differing if each.state == "differs each time"]
    if not unstable:
        return None
    return (
        f"Cell{'s' * (len(unstable) > 1)} {', '.join(unstable)}: two runs one after the other "
        "differ too. Is there chance in it (set a seed), or a time?"
    )


def _first_move(first: CellVerdict) -> str | None:
    if first.state != "moved":
        return None
    return (
        f"Cell {first.number} is the first that moved; look there for what changed: the survey or "
        "the service behind it, its waves, or the version of a package."
    )


def _other_source(differing: Sequence[CellVerdict]) -> str | None:
    """Whether a result names another survey or service than before, in the line below it."""
    for verdict in differing:
        for change in verdict.changes:
            _, named, before = change.before.partition(_SOURCE)
            _, names, now = change.now.partition(_SOURCE)
            if named and names and before != now:
                return f"Cell {verdict.number} has another source: {before} before, {now} now."
    return None


def _out_of_order(saved: NotebookNode) -> str | None:
    """Whether cells were run in another order, or not at all, before the notebook was saved."""
    counts = [(number, cell.execution_count) for number, cell in enumerate(_code_cells(saved), 1)]
    never = [str(number) for number, count in counts if count is None]
    if never and len(never) < len(counts):
        return f"When it was saved, these cells had not been run: {', '.join(never)}."
    run = [(number, count) for number, count in counts if count is not None]
    for (above, before), (below, after) in pairwise(run):
        if after < before:
            return (
                f"When it was saved, cell {below} had been run before cell {above}: from top to "
                "bottom their outputs may differ."
            )
    return None
