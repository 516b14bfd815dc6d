"""A function in a process of its own: fresh memory, chosen cores, BLAS as its makers ship it.

Some environments set `OPENBLAS_CORETYPE` and the like, which can halve the speed of BLAS, and of
each method that uses it; the process starts without such variables.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

BLAS = ("OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "OMP_", "VECLIB_", "NVPL_")
THREAD_COUNTS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
)


class ProcessError(Exception):
    """The process ended without a result."""


def run_in_process(
    function: Callable[..., Any],
    *arguments: Any,
    threads: int,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Any:
    """The result of `function(*arguments)`; arguments and result cross as JSON.

    Raises `ProcessError`.
    """
    command = [sys.executable, "-m", __name__, function.__module__, function.__name__]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(BLAS)}
    try:
        done = subprocess.run(
            [*command, json.dumps(arguments), json.dumps(processors()[:threads])],
            env={**inherited, **dict.fromkeys(THREAD_COUNTS, str(threads)), **(environment or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProcessError(f"not done after {timeout:.0f} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ProcessError(lines[-1])
    return json.loads(done.stdout.splitlines()[-1])


def processors() -> list[int]:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def memory(name: str, file: str = "/proc/self/status") -> int | None:
    """Bytes, as Linux counts them; None elsewhere. VmRSS: held now; VmHWM: the peak.

    `getrusage` starts with the peak of the parent process.
    """
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith(f"{name}:")), None)
    return int(found[1]) * 1024 if found else None


def reset_peak() -> None:
    """Count the peak of memory from now on."""
    if (file := Path("/proc/self/clear_refs")).exists():
        file.write_text("5")


if __name__ == "__main__":
    module, name, given, cores = sys.argv[1:]
    # Before anything is imported: BLAS counts processors when it is loaded.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, json.loads(cores))
    print(json.dumps(getattr(import_module(module), name)(*json.loads(given))))
