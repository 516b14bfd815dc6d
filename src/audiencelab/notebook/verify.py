"""Run a notebook again to find which of its outputs are reproduced, which changed, and why.

The file is not changed. Its code is run: verify only notebooks that you would run.
"""

from __future__ import annotations

import asyncio
import copy
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from audiencelab.client.connection.target import SNAPSHOT_VARIABLE
from audiencelab.client.snapshots.format import is_snapshot
from audiencelab.notebook.connection_log import Connected, ConnectionLog
from audiencelab.notebook.io import NotebookError, read_notebook
from audiencelab.notebook.output_diff import Change, compare

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

State = Literal[
    "holds", "reworded", "moved", "failed", "differs each time", "not replayed", "left out"
]

LEFT_OUT = frozenset({"nbval-ignore-output", "nbval-skip", "verify-skip"})
"""Tags of cells whose outputs are not compared."""

_MAY_RAISE = "raises-exception"

_SNAPSHOT_NAME = re.compile(r"""["']([^"'\n]+\.jsonl)["']""")

_SOURCE = "Source: "
"""Begins the line below a table that names its survey or service."""


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The finding about one code cell.

    number: counts the code cells, from 1. title: the first line of its code.
    state: "reworded" where other words are with the same numbers; "failed" where it raises and did
        not before; "differs each time" where two runs one after the other differ too; "not
        replayed" where it is as it was, but may rest on another source than the snapshot; "left
        out" where a tag (`nbval-ignore-output`, `verify-skip`) asks for it, or where it has no
        output, before and now.
    changes: the differences, in reading order.
    """

    number: int
    title: str
    state: State
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """Which outputs of a notebook are reproduced.

    reasons: explanations of those that do not, as far as they can be known.
    replayed: whether all of its clients read the snapshot, where one was given.
    """

    notebook: Path
    cells: tuple[CellVerdict, ...]
    reasons: tuple[str, ...] = ()
    replayed: bool = True

    @property
    def holds(self) -> bool:
        """Whether no output has other numbers and no cell failed; words may be others.

        False too where a client did not read the snapshot that was given.
        """
        return self.replayed and not self.of("moved", "failed", "differs each time")

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
    saved = read_notebook(path)
    if not _code_cells(saved):
        raise NotebookError(f"{path} has no code cell: there is nothing to verify.")
    if not any(cell.outputs or cell.execution_count for cell in _code_cells(saved)):
        raise NotebookError(
            f"{path} has no saved outputs to compare with: it was never run. Run all its cells and "
            f"save it, in JupyterLab or with jupyter execute --inplace {shlex.quote(str(path))}"
        )
    file = _snapshot(snapshot)
    runner = _Runner(path, saved, _environment(file), timeout, report)
    first = runner.run()
    elsewhere = {} if file is None else _elsewhere(file, runner.connections)
    pairs = zip(_code_cells(saved), first, strict=True)
    verdicts = [_verdict(number, *pair) for number, pair in enumerate(pairs, 1)]
    if any(verdict.state == "moved" for verdict in verdicts):
        runs = zip(verdicts, first, runner.run(), strict=True)
        verdicts = [
            replace(verdict, state="differs each time")
            if verdict.state == "moved" and compare(one.outputs, other.outputs)
            else verdict
            for verdict, one, other in runs
        ]
    reasons = list(_reasons(saved, runner.python, verdicts))
    if file is None and any(verdict.state == "failed" for verdict in verdicts):
        reasons += _beside(path, saved)
    if elsewhere:
        verdicts = [_not_replayed(each, elsewhere) for each in verdicts]
        reasons = [*_sources(cast(Path, file), elsewhere), *reasons]
    return Verification(path, tuple(verdicts), tuple(reasons), replayed=not elsewhere)


def _snapshot(given: str | Path | None) -> Path | None:
    found = given or os.environ.get(SNAPSHOT_VARIABLE)
    if not found:
        return None
    file = Path(found).expanduser().resolve()
    if not file.is_file():
        raise NotebookError(f"{found}: there is no such snapshot.")
    return file


def _beside(path: Path, saved: NotebookNode) -> Iterator[str]:
    """The command that replays a snapshot which the code names and which lies beside it."""
    code = "\n".join(cell.source for cell in _code_cells(saved))
    for name in dict.fromkeys(_SNAPSHOT_NAME.findall(code)):
        if is_snapshot(file := path.parent / name):
            words = map(shlex.quote, ("audiencelab", "verify", str(path), "--snapshot", str(file)))
            yield f"{name} is beside it, and answers without the survey: {' '.join(words)}"


def _environment(snapshot: Path | None) -> dict[str, str]:
    return {**os.environ, **({} if snapshot is None else {SNAPSHOT_VARIABLE: str(snapshot)})}


def _elsewhere(snapshot: Path, connections: Sequence[Sequence[Connected]]) -> dict[int, list[str]]:
    """What each code cell connected to that is not the snapshot, by its number.

    Without any connection at all, no figure can be one of the snapshot: then cell 0 is in it.
    """
    others = {
        number: [each.source for each in made if each.snapshot != str(snapshot)]
        for number, made in enumerate(connections, 1)
    }
    if not any(connections):
        return {0: []}
    return {number: sources for number, sources in others.items() if sources}


def _not_replayed(cell: CellVerdict, elsewhere: Mapping[int, Sequence[str]]) -> CellVerdict:
    # What a later cell shows may have been asked anywhere before it.
    reproduced = cell.state in {"holds", "reworded"}
    after = reproduced and cell.number >= min(elsewhere)
    return replace(cell, state="not replayed") if after else cell


def _sources(snapshot: Path, elsewhere: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """Which cells read something else than the snapshot, and what to do."""
    for number, sources in elsewhere.items():
        if not number:
            yield f"No cell connected to {snapshot.name}: nothing was replayed."
        else:
            listed = ", ".join(dict.fromkeys(sources))
            yield f"Cell {number} connected to {listed}, not to {snapshot.name}."
    name = snapshot.name
    yield (
        f"{name} answers al.connect() without a service, al.open() of the source that it was "
        f'recorded of, and al.connect(snapshot="{name}"). Connect in one of these ways, or verify '
        "without --snapshot."
    )


@dataclass(slots=True)
class _Runner:
    """Runs a notebook in a kernel of its own.

    Of the last run: `python`, the version, and `connections`, the clients that each cell made.
    """

    path: Path
    saved: NotebookNode
    environment: Mapping[str, str]
    timeout: float
    report: Report | None
    python: str = ""
    connections: Sequence[Sequence[Connected]] = ()

    def run(self) -> list[Any]:
        """The code cells with their new outputs; raises `NotebookError`."""
        with ConnectionLog() as made:
            notebook = self._run(made)
        self.python, self.connections = _python_of(notebook), made.by_cell
        return _code_cells(notebook)

    def _run(self, made: ConnectionLog) -> NotebookNode:
        from nbclient import NotebookClient

        notebook = copy.deepcopy(self.saved)
        count, begun = len(_code_cells(notebook)), 0

        def begin(**_: object) -> None:
            nonlocal begun
            begun += 1
            made.next_cell()
            if self.report is not None:
                self.report(begun, count)

        def limit(_: object) -> float:
            return self.timeout  # the setting `timeout` would have to be an integer

        client = NotebookClient(
            notebook,
            timeout_func=limit,
            kernel_name=str(self.saved.metadata.get("kernelspec", {}).get("name", "python3")),
            # A failed cell is a finding; the cells below it may still be reproduced.
            allow_errors=True,
            store_widget_state=False,
            resources={"metadata": {"path": str(self.path.resolve().parent)}},
            on_cell_execute=begin,
        )
        # The log of a kernel is shown only if it dies.
        with tempfile.TemporaryFile() as log:
            try:
                _execute(client, env={**self.environment, **made.environment}, stderr=log)
            except Exception as error:
                if not begun:
                    # nbclient cleans up when Python ends, and needs a manager for that.
                    client.create_kernel_manager()
                message = self._failure(error, begun, client.kernel_name)
                raise NotebookError(f"{self.path}{message}{_last_lines(log)}") from error
        return notebook

    def _failure(self, error: Exception, begun: int, kernel: str) -> str:
        from jupyter_client.kernelspec import NoSuchKernel
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

        match error:
            case NoSuchKernel():
                return (
                    f" wants the kernel {error.name!r}, which is not installed: see "
                    "`jupyter kernelspec list`."
                )
            case CellTimeoutError():
                return f": a cell took longer than {self.timeout:g} seconds."
            case DeadKernelError():
                return f": the kernel died in code cell {begun}."
            case OSError() | RuntimeError() if not begun:
                return (
                    f": the kernel {kernel!r} could not be started ({error}). Is its Python still "
                    "where `jupyter kernelspec list` says?"
                )
            case _:  # pragma: no cover - a defect
                raise error


def _execute(client: NotebookClient, **options: Any) -> None:
    """Run all cells in an event loop of their own, which is closed; nbclient's stays open."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(client.async_execute(**options))
    else:
        client.execute(**options)


def _last_lines(log: IO[bytes], count: int = 10) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()[-count:]
    return "".join(f"\n  {line}" for line in lines)


def _code_cells(notebook: NotebookNode) -> list[Any]:
    cells = cast("list[Any]", notebook.cells)
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def _python_of(notebook: NotebookNode) -> str:
    return str(notebook.metadata.get("language_info", {}).get("version", ""))


def _verdict(number: int, saved: Any, run: Any) -> CellVerdict:
    title = saved.source.strip().split("\n")[0]
    tags = set(saved.metadata.get("tags", ()))
    changes = compare(saved.outputs, run.outputs)
    if _failed(run) and not _failed(saved) and _MAY_RAISE not in tags:
        return CellVerdict(number, title, "failed", changes)
    if tags & LEFT_OUT or not (saved.outputs or run.outputs):
        return CellVerdict(number, title, "left out")
    state: State = "holds"
    if changes:
        state = "reworded" if all(each.is_wording for each in changes) else "moved"
    return CellVerdict(number, title, state, changes)


def _failed(cell: Any) -> bool:
    return any(output.get("output_type") == "error" for output in cell.outputs)


def _reasons(saved: NotebookNode, python: str, verdicts: Sequence[CellVerdict]) -> Iterator[str]:
    """Explanations of the differences; none where there are no differences."""
    differing = [each for each in verdicts if each.state not in {"holds", "reworded", "left out"}]
    if not differing:
        return
    failed = next((each for each in differing if each.state == "failed"), None)
    if failed is not None and failed is not differing[-1]:
        yield f"Cell {failed.number} failed; cells below it may need what it makes."
    yield from _out_of_order(saved)
    before = _python_of(saved)
    if before and python and before != python:
        yield f"It was saved with Python {before} and ran with {python}."
    unstable = [str(each.number) for each in differing if each.state == "differs each time"]
    if unstable:
        yield (
            f"Cell{'s' * (len(unstable) > 1)} {', '.join(unstable)}: two runs one after the other "
            "differ too. Is there chance in it (set a seed), or a time?"
        )
    source = _other_source(differing)
    if source:
        yield source
    elif differing[0].state == "moved":
        yield (
            f"Cell {differing[0].number} is the first that moved; look there for what changed: "
            "the survey or the service behind it, its waves, or the version of a package."
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


def _out_of_order(saved: NotebookNode) -> Iterator[str]:
    """Whether cells were run in another order, or not at all, before the notebook was saved."""
    counts = {n: cell.execution_count for n, cell in enumerate(_code_cells(saved), 1)}
    run = [(number, count) for number, count in counts.items() if count is not None]
    never = [str(number) for number, count in counts.items() if count is None]
    if never and run:
        yield f"When it was saved, these cells had not been run: {', '.join(never)}."
        return
    for (above, before), (below, after) in pairwise(run):
        if after < before:
            yield (
                f"When it was saved, cell {below} had been run before cell {above}: from top to "
                "bottom their outputs may differ."
            )
            return
