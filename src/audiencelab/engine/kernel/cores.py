"""The cores of this machine, shared by all queries: each takes some of the respondents.

Partial tables add, and on the grid of weights that is exact: how many cores there are changes no
bit of a result.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from audiencelab import background

__all__ = ["Counts", "Sums", "add_up", "at_hand"]

_THREADS_VARIABLE = "OMP_NUM_THREADS"

Counts = NDArray[np.int64]
Sums = NDArray[np.float64]

_LEAST_BITS = 50_000_000
"""Bits of masks × other masks that a core takes at least, a millisecond or more: below, sharing
costs more than it saves."""


def add_up(
    share: Callable[[int, int], tuple[Counts, Sums]], words: int, cells: int
) -> tuple[Counts, Sums]:
    """The table of all words, each core adding up a share of them.

    share: the table of the words from a first to a last one (exclusive); releases the
    interpreter's lock while it works. cells: those of the table.
    """
    shares = max(1, min(at_hand(), words, 64 * words * cells // _LEAST_BITS))
    if shares == 1:
        return share(0, words)
    bounds = [words * number // shares for number in range(shares + 1)]
    try:
        first, *others = _pool().map(share, bounds, bounds[1:])
    except RuntimeError:
        # The pool takes no work any more while Python ends; this thread does all of it.
        return share(0, words)
    counts, sums = first
    for other in others:
        counts += other[0]
        sums += other[1]
    return counts, sums


@cache
def at_hand() -> int:
    """The cores that this process may use.

    `OMP_NUM_THREADS` limits them, as it limits the threads of BLAS: a cluster sets it where
    several workers share a machine.
    """
    known = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
    limit = os.environ.get(_THREADS_VARIABLE, "")
    return min(cores, int(limit)) if limit.isdecimal() and int(limit) else cores


@cache
def _pool() -> Executor:
    """Shared by all queries, so that many at once take no more cores than there are."""
    return background.pool("audiencelab-kernel", at_hand())


if hasattr(os, "register_at_fork"):
    # No thread comes along into a copy of this process: work given to the pool would never begin.
    os.register_at_fork(after_in_child=_pool.cache_clear)
