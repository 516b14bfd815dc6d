"""A function in a process of its own: memory that nobody used before, BLAS as its makers ship it.

Some environments set `OPENBLAS_CORETYPE` and the like, which can halve BLAS, and with it every
way that is built on it; such variables are taken away before the process begins.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["ApartError", "apart", "processors"]

_BLAS = ("OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "OMP_", "VECLIB_", "NVPL_")
_COUNTS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
)


class ApartError(Exception):
    """The process ended without an answer; the last line of what it said, or how it ended."""


def apart(
    function: Callable[..., Any],
    *given: Any,
    threads: int,
    environment: Mapping[str, str] | None = None,
    patience: float | None = None,
) -> Any:
    """What `function(*given)` returns over there; all of it goes through JSON.

    patience: seconds after which the process is ended.
    Raises `ApartError`.
    """
    command = [sys.executable, "-m", __name__, function.__module__, function.__name__]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_BLAS)}
    counts = dict.fromkeys(_COUNTS, str(threads))
    chosen = processors()[:threads]
    try:
        done = subprocess.run(
            [*command, json.dumps(given), json.dumps(chosen)],
            env={**kept, **counts, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ApartError(f"not done after {patience:.0f} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise ApartError(said[-1])
    return json.loads(done.stdout.splitlines()[-1])


def processors() -> list[int]:
    """The processors that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _main(room: str, function: str, given: str, chosen: str) -> None:
    # Before anything is imported: BLAS counts processors when it is loaded.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, json.loads(chosen))
    print(json.dumps(getattr(import_module(room), function)(*json.loads(given))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
