"""Commands in processes of their own, which are killed at any step, or have no room to write.

A step is whatever changes files below a folder: opening one to write, making, renaming, removing.
Python tells of each before it is done (`sys.addaudithook`), so that a command can be killed before
the first of them, before the second, and so on until it runs to its end.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from audiencelab.cli import main
from tests.service.store import processes
from tests.service.store.processes import heard, started

__all__ = ["killed", "ran"]

# What commands import once they run: half a second of each process, if it had to do that itself.
_IMPORTED = [
    "audiencelab.cli.ingest",
    "audiencelab.cli.survey",
    "audiencelab.ingest.readers.csv",
    "filelock",
    "pandas",
    "pyarrow.csv",
    "pyarrow.pandas_compat",
]

# A process is ready in milliseconds if the server of forks has imported what it needs.
multiprocessing.get_context("forkserver").set_forkserver_preload(
    ["__main__", processes.__name__, __name__, *_IMPORTED]
)

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def killed(arguments: list[str], folder: Path, step: int) -> bool:
    """Run the command, killed before a step below `folder` (from 1); whether it came to that."""
    with started(_run_until, arguments, folder, step) as (process, told):
        answers = list(heard(told))
        process.join(60)
        assert process.exitcode == (0 if answers else -signal.SIGKILL)
    return not answers


def ran(arguments: list[str], limit: int | None = None) -> tuple[int, str]:
    """Exit code and standard error of the command in a process of its own.

    limit: bytes that a file may have there at most, as on a disk that fills up.
    """
    with started(_run, arguments, limit) as (_, told):
        [answer] = heard(told)
    return answer


def _run_until(telling: Connection, arguments: list[str], folder: Path, step: int) -> None:
    taken = 0
    below = str(folder)

    def look(event: str, given: tuple[Any, ...]) -> None:
        nonlocal taken
        changes = event in _CHANGES or (event == "open" and _WRITING & int(given[2] or 0))
        if changes and isinstance(given[0], str | Path) and str(given[0]).startswith(below):
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)
    with redirect_stdout(StringIO()):
        code = main(arguments)
    telling.send(code)


def _run(telling: Connection, arguments: list[str], limit: int | None) -> None:
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    said = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(said):
        try:
            code = main(arguments)
        except Exception:
            code = 1
            said.write(traceback.format_exc())
    telling.send((code, said.getvalue()))
