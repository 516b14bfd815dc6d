"""The one multiplication: how many respondents, and how much weight, two sets of masks share.

Pure functions of packed masks and weights. Two kernels give the same numbers, bit for bit:
`numpy_kernel`, and `numba_kernel` where numba is installed and ready.

Exactness. Weights lie on a binary grid (multiples of 2^-b whose grand total stays under 2^53 grid
steps), so every product with a 0/1 bit and every partial sum is a float64 without rounding: the
sums are the same bits in any order of blocks, threads or partitions.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab import background
from audiencelab.engine.bitset import Words
from audiencelab.engine.kernel import numpy_kernel
from audiencelab.engine.kernel.parallel import Counts, Sums

KERNEL_VARIABLE = "AUDIENCELAB_KERNEL"
"""Environment variable; `numpy` declines the compiled kernel."""

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
    """What both kernels offer."""

    def totals(self, masks: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]: ...

    def pair_tables(
        self, rows: Words, columns: Words, weights: NDArray[np.float64]
    ) -> tuple[Counts, Sums]: ...


_lock = threading.Lock()
_loading: background.Task[None] | None = None
_compiled: Kernel | None = None


def totals(masks: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight of each mask: int64[masks] and float64[masks].

    masks: uint64[masks, words]; weights: float64[words, 64], one for each bit, 0 for padding.
    """
    return (_compiled or numpy_kernel).totals(masks, weights)


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight in every row mask ∩ column mask: int64[R, C] and float64[R, C].

    rows: uint64[R, words]; columns: uint64[C, words]; weights: float64[words, 64], one for each
    bit, 0 for padding. Memory beyond the results is a few tens of megabytes whatever the number of
    respondents.
    """
    kernel = _compiled or numpy_kernel
    if len(rows) <= _TALL * len(columns):
        return kernel.pair_tables(rows, columns, weights)
    counts, sums = kernel.pair_tables(columns, rows, weights)
    return counts.T, sums.T


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
