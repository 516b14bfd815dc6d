"""The one multiplication: how many respondents, and how much weight, two sets of masks share.

Pure functions of packed masks and weights. Two kernels give the same numbers, bit for bit:
`numpy_kernel`, and `numba_kernel` where numba is installed and ready.

Exactness. Weights lie on a binary grid (multiples of 2^-b whose grand total stays under 2^53 grid
steps), so every product with a 0/1 bit and every partial sum is a float64 without rounding: the
sums are the same bits in any order of blocks, cores or partitions.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import cache, partial, reduce
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab import background
from audiencelab.engine.bitset import Counts, Sums, Words
from audiencelab.engine.kernel import numpy_kernel

KERNEL_VARIABLE = "AUDIENCELAB_KERNEL"
"""Environment variable; `numpy` declines the compiled kernel."""

_THREADS_VARIABLE = "OMP_NUM_THREADS"

_LEAST_BITS = 50_000_000
"""Bits of masks × other masks for one core at least, a millisecond or more: below, sharing costs
more than it saves."""

_TALL = 2
"""Rows for each column beyond which a table is transposed: the rows' bits are walked, and a row
costs more than a column."""

_WORTH_COMPILING = 1_000_000_000
"""Mask bits × other masks of a query after which the compiled kernel is loaded for the next one:
some tenth of a second of numpy."""

_WORTH_WAITING = 20_000_000_000
"""The same for a query that waits for it: numpy would take longer than loading it does."""

_log = logging.getLogger("audiencelab.engine")


class Kernel(Protocol):
    """What both kernels offer; both release the interpreter's lock."""

    def totals(
        self, masks: Words, weights: NDArray[np.float64], start: int, stop: int
    ) -> tuple[Counts, Sums]:
        """Of each mask, in the words from `start` to `stop` (exclusive)."""
        ...

    def pair_tables(
        self, rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
    ) -> tuple[Counts, Sums]:
        """Of every row mask ∩ column mask, in the words from `start` to `stop` (exclusive)."""
        ...


_lock = threading.Lock()
_loading: background.Task[None] | None = None
_compiled: Kernel | None = None


def totals(masks: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight of each mask: int64[masks] and float64[masks].

    masks: uint64[masks, words]; weights: float64[words, 64], one for each bit, 0 for padding.
    """
    kernel = _compiled or numpy_kernel
    return _add_up(partial(kernel.totals, masks, weights), masks.shape[1], len(masks))


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight in every row mask ∩ column mask: int64[R, C] and float64[R, C].

    rows: uint64[R, words]; columns: uint64[C, words]; weights: float64[words, 64], one for each
    bit, 0 for padding. Memory beyond the results is a few tens of megabytes whatever the number of
    respondents.
    """
    if len(rows) > _TALL * len(columns):
        counts, sums = pair_tables(columns, rows, weights)
        return counts.T, sums.T
    table = partial((_compiled or numpy_kernel).pair_tables, rows, columns, weights)
    return _add_up(table, rows.shape[1], len(rows) * len(columns))


def _add_up(
    table: Callable[[int, int], tuple[Counts, Sums]], words: int, cells: int
) -> tuple[Counts, Sums]:
    """The table of all words, added up by several cores. table: of the words between two."""
    parts = max(1, min(available_cores(), words, 64 * words * cells // _LEAST_BITS))
    if parts == 1:
        return table(0, words)
    bounds = [words * number // parts for number in range(parts + 1)]
    try:
        tables = list(_pool().map(table, bounds, bounds[1:]))
    except RuntimeError:
        # The pool takes no more work while Python ends; this thread does all of it.
        return table(0, words)
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


@contextmanager
def prepare(respondents: int, rows: int, columns: int) -> Generator[None]:
    """Around a query of that size: load the compiled kernel where it is worth it.

    Loading takes a second or more of the interpreter, which a running query would have to share.
    So a short query never waits and is not disturbed, and the next one finds the kernel ready.
    """
    bits = respondents * rows * columns
    if bits >= _WORTH_WAITING:
        wait_for_compiled()
    try:
        yield
    finally:
        if bits >= _WORTH_COMPILING:
            compile_in_background()


def compile_in_background() -> None:
    """Load the compiled kernel on another thread, at most once in a process."""
    global _loading
    with _lock:
        if _loading is None:
            # Compiling cannot be cancelled, and the next process finds the compiled kernel.
            _loading = background.run(_load, name="audiencelab-kernel", cancel=lambda: None)


def wait_for_compiled() -> Kernel | None:
    """The compiled kernel once it is ready; None where there is none."""
    compile_in_background()
    if _loading is not None:
        _loading.wait()
    return _compiled


def _load() -> None:
    global _compiled
    if os.environ.get(KERNEL_VARIABLE) == "numpy" or find_spec("numba") is None:
        return
    try:
        module: Any = import_module("audiencelab.engine.kernel.numba_kernel")
        module.warm_up()
    except Exception:
        # A numba that does not fit this Python or processor costs speed, never an answer.
        _log.warning("The compiled kernel could not be loaded; numpy is used.", exc_info=True)
        return
    _compiled = cast(Kernel, module)
