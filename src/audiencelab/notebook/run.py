"""Runs a notebook from top to bottom in a kernel of its own, and notes what its cells did.

The notebook file is not changed. Its code is run: run only notebooks that you trust.
"""

from __future__ import annotations

import asyncio
import copy
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from audiencelab.client.connection.target import SNAPSHOT_VARIABLE
from audiencelab.client.snapshots.format import SnapshotError, is_snapshot, read
from audiencelab.notebook.io import NotebookError, code_cells, read_notebook
from audiencelab.notebook.run_log import CellLog, RunLog

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

Report = Callable[[int, int], None]
"""Called with the number of the code cell about to run, from 1, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookRun:
    """A notebook that was run.

    path: the file. notebook: with its new outputs. snapshot: the one that was given, if any.
    cells: what each code cell did, in order. folder: where it ran, which is a copy of its own
    where its cells cannot write files.
    """

    path: Path
    notebook: NotebookNode
    snapshot: Path | None = None
    cells: tuple[CellLog, ...] = ()
    folder: Path | None = None


def run_notebook(
    notebook: str | Path,
    *,
    snapshot: str | Path | None = None,
    timeout: float = 600.0,
    report: Report | None = None,
    environment: Mapping[str, str] | None = None,
) -> NotebookRun:
    """Run a notebook in its folder.

    snapshot: what `connect()` with no argument replays, and `open()` of its source; default
        `AUDIENCELAB_SNAPSHOT`. None leaves that to the notebook.
    timeout: seconds that one cell may take.
    report: called before each cell.
    environment: more variables of the kernel.

    Files that cells write are kept in what is returned, and put back as they were.

    Raises `NotebookError`: the file cannot be read or run, or the snapshot was changed.
    """
    path = Path(notebook)
    file = _snapshot(snapshot)
    written = copy.deepcopy(read_notebook(path))
    with _writable(path) as place, RunLog(place) as log:
        _run(
            _Settings(path, place.resolve().parent, file, timeout, report, environment or {}),
            written,
            log,
        )
    return NotebookRun(
        path=path,
        notebook=written,
        snapshot=file,
        cells=log.by_cell,
        folder=place.resolve().parent,
    )


@contextmanager
def _writable(path: Path) -> Generator[Path]:
    """The notebook, or one in a copy of its folder, where its cells cannot write files."""
    folder = path.resolve().parent
    if os.access(folder, os.W_OK):
        yield path
        return
    with tempfile.TemporaryDirectory() as made:
        copied = Path(made) / folder.name
        shutil.copytree(folder, copied, copy_function=_copy)
        yield copied / path.name


def _copy(source: str, target: str) -> str:
    return shutil.copyfile(source, target)  # without the mode, which may be read-only


def _snapshot(given: str | Path | None) -> Path | None:
    found = given or os.environ.get(SNAPSHOT_VARIABLE)
    if not found:
        return None
    file = Path(found).expanduser().resolve()
    if not file.is_file():
        raise NotebookError(f"{found}: there is no such snapshot.")
    try:
        if is_snapshot(file):
            read(file)
    except SnapshotError as error:
        message = str(error).replace(str(file), file.name)
        raise NotebookError(f"{message}\nNothing was run.") from error
    return file


@dataclass(frozen=True, slots=True)
class _Settings:
    path: Path
    folder: Path
    snapshot: Path | None
    timeout: float
    report: Report | None
    more: Mapping[str, str]

    def environment(self, of_log: Mapping[str, str]) -> dict[str, str]:
        own = {} if self.snapshot is None else {SNAPSHOT_VARIABLE: str(self.snapshot)}
        return {**os.environ, **own, **of_log, **self.more}


def _run(settings: _Settings, notebook: NotebookNode, log: RunLog) -> None:
    count, begun = len(code_cells(notebook)), 0

    def begin(**_: object) -> None:
        nonlocal begun
        begun += 1
        log.next_cell()
        if settings.report is not None:
            settings.report(begun, count)

    def limit(_: object) -> float:
        return settings.timeout  # the setting `timeout` would have to be an integer

    client = _watched_client()(
        notebook,
        timeout_func=limit,
        kernel_name=str(notebook.metadata.get("kernelspec", {}).get("name", "python3")),
        # A failed cell is a finding; the cells below it may still be reproduced.
        allow_errors=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(settings.folder)}},
        on_cell_execute=begin,
    )
    client.first = log.hook()
    # The log of a kernel is shown only if it dies.
    with tempfile.TemporaryFile() as shown:
        try:
            _execute(client, env=settings.environment(log.environment), stderr=shown)
        except Exception as error:
            if not begun:
                # nbclient cleans up when Python ends, and needs a manager for that.
                client.create_kernel_manager()
            message = _failure(error, settings, begun, client.kernel_name)
            raise NotebookError(f"{settings.path}{message}{_last_lines(shown)}") from error


def _watched_client() -> Any:
    """A client of a kernel that runs some code silently before the first cell."""
    from nbclient import NotebookClient

    class WatchedClient(NotebookClient):
        first = ""

        async def async_execute_cell(self, *arguments: Any, **options: Any) -> Any:
            if self.first and self.kc is not None:
                code, self.first = self.first, ""
                if self.nb.metadata.language_info.get("name") == "python":
                    asked = self.kc.execute(code, silent=True, store_history=False)
                    await self.async_wait_for_reply(asked)
            return await super().async_execute_cell(*arguments, **options)

    return WatchedClient


def _failure(error: Exception, settings: _Settings, begun: int, kernel: str) -> str:
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    match error:
        case NoSuchKernel():
            return (
                f" wants the kernel {error.name!r}, which is not installed: see "
                "`jupyter kernelspec list`."
            )
        case CellTimeoutError():
            return f": a cell took longer than {settings.timeout:g} seconds."
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
