"""The cores of this machine, shared by all queries: each core adds up some of the respondents.

Partial tables add, and on the grid of weights that is exact: the number of cores changes no bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache, reduce

import numpy as np
from numpy.typing import NDArray

from audiencelab import background

_THREADS_VARIABLE = "OMP_NUM_THREADS"

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]

_LEAST_BITS = 50_000_000
"""Bits of masks × other masks for one core at least, a millisecond or more: below, sharing costs
more than it saves."""


def add_up(
    part: Callable[[int, int], tuple[Counts, Sums]], words: int, cells: int
) -> tuple[Counts, Sums]:
    """The table of all words, added up by several cores.

    part: the table of the words from a first to a last one (exclusive); releases the
    interpreter's lock while it works. cells: those of the table.
    """
    parts = max(1, min(available_cores(), words, 64 * words * cells // _LEAST_BITS))
    if parts == 1:
        return part(0, words)
    bounds = [words * number // parts for number in range(parts + 1)]
    try:
        tables = list(_pool().map(part, bounds, bounds[1:]))
    except RuntimeError:
        # The pool takes no more work while Python ends; this thread does all of it.
        return part(0, words)
    return reduce(lambda one, other: (one[0] + other[0], one[1] + other[1]), tables)


@cache
def available_cores() -> int:
    """The cores that this process may use, at most `OMP_NUM_THREADS` as for BLAS.

    A cluster sets the variable where several workers share a machine.
    """
    known = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
    limit = os.environ.get(_THREADS_VARIABLE, "")
    return min(cores, int(limit)) if limit.isdecimal() and int(limit) else cores


@cache
def _pool() -> Executor:
    """Shared by all queries, so that many at once take no more cores than there are."""
    return background.pool("audiencelab-kernel", available_cores())


if hasattr(os, "register_at_fork"):
    # A forked process has no threads: work given to the pool would never begin.
    os.register_at_fork(after_in_child=_pool.cache_clear)
