"""The one multiplication: how many respondents, and how much weight, two sets of masks share.

Pure functions of packed masks and weights. Two kernels give the same numbers, bit for bit: numpy's
here, in blocks that fit a cache, and `numba_kernel` where numba is installed and ready.

Exactness. Weights lie on a binary grid (multiples of 2^-b whose grand total stays under 2^52 grid
steps), so every product with a 0/1 bit and every partial sum is a float64 without rounding: the
sums are the same bits in any order of blocks, cores or partitions.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from functools import cache, partial, reduce
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab import background
from audiencelab.engine.bitset import Counts, Sums, Words

T = TypeVar("T")

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

_COUNT_WORDS = 512
"""Words of every column counted at a time: at most 1,023, so that 16 bits hold a block's count."""

_UNPACKED_BYTES = 3 << 20
"""Size of the two unpacked float64 blocks of a sum together: a few second-level caches."""


_log = logging.getLogger("audiencelab.engine")


class Kernel(Protocol):
    """What a kernel offers; both release the interpreter's lock."""

    def totals(
        self, masks: Words, weights: NDArray[np.float64], start: int, stop: int
    ) -> tuple[Counts, Sums]:
        """Of each mask, in the words from `start` to `stop` (exclusive)."""
        ...

    def pair_counts(self, rows: Words, columns: Words, start: int, stop: int) -> Counts:
        """Of every row mask ∩ column mask, in the words from `start` to `stop` (exclusive)."""
        ...

    def pair_sums(
        self, rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
    ) -> Sums:
        """Of every row mask ∩ column mask, in the words from `start` to `stop` (exclusive)."""
        ...


_lock = threading.Lock()
_loading: background.Task[None] | None = None
_compiled: Kernel | None = None
_blas_lock = threading.Lock()
_inside_blas = 0
_blas_limit: Any = None


def totals(masks: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight of each mask: int64[masks] and float64[masks].

    masks: uint64[masks, words]; weights: float64[words, 64], one for each bit, 0 for padding.
    """
    kernel = _compiled.totals if _compiled else _numpy_totals
    parts = _by_core(partial(kernel, masks, weights), masks.shape[1], len(masks))
    counts, sums = zip(*parts, strict=True)
    return reduce(np.add, counts), reduce(np.add, sums)


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight in every row mask ∩ column mask: int64[R, C] and float64[R, C].

    rows: uint64[R, words]; columns: uint64[C, words]; weights: float64[words, 64], one for each
    bit, 0 for padding. Memory beyond the results is a few tens of megabytes whatever the number of
    respondents.
    """
    return pair_counts(rows, columns), pair_sums(rows, columns, weights)


def pair_counts(rows: Words, columns: Words) -> Counts:
    """The respondents of `pair_tables` alone."""
    if len(rows) > _TALL * len(columns):
        return pair_counts(columns, rows).T
    # Read without the lock: it changes once, from None, and both kernels give the same numbers.
    kernel = _compiled.pair_counts if _compiled else _numpy_pair_counts
    counts = partial(kernel, rows, columns)
    return reduce(np.add, _by_core(counts, rows.shape[1], len(rows) * len(columns)))


def pair_sums(rows: Words, columns: Words, weights: NDArray[np.float64]) -> Sums:
    """The weight of `pair_tables` alone."""
    if len(rows) > _TALL * len(columns):
        return pair_sums(columns, rows, weights).T
    kernel = _compiled.pair_sums if _compiled else _numpy_pair_sums
    sums = partial(kernel, rows, columns, weights)
    return reduce(np.add, _by_core(sums, rows.shape[1], len(rows) * len(columns)))


def _by_core(table: Callable[[int, int], T], words: int, cells: int) -> list[T]:
    """What each of several cores finds in its words. table: of the words between two.

    Cores share respondents, not cells: sums are exact in any order, so the parts just add up.
    """
    parts = max(1, min(available_cores(), words, 64 * words * cells // _LEAST_BITS))
    bounds = [words * number // parts for number in range(parts + 1)]
    if parts > 1:
        # The pool takes no more work while Python ends; this thread does all of it.
        with suppress(RuntimeError):
            return list(_pool().map(table, bounds, bounds[1:]))
    return [table(0, words)]


def _numpy_totals(
    masks: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    counts = np.bitwise_count(masks[:, start:stop]).sum(axis=1, dtype=np.int64)
    sums = np.zeros(len(masks), dtype=np.float64)
    step = _words_at_a_time(len(masks))
    with blas_on_one_core():
        for first in range(start, stop, step):
            block = slice(first, min(stop, first + step))
            sums += _bits(masks[:, block]).astype(np.float64) @ weights[block].reshape(-1)
    return counts, sums


def _numpy_pair_sums(
    rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
) -> Sums:
    rows, columns, weights = rows[:, start:stop], columns[:, start:stop], weights[start:stop]
    sums = np.zeros((len(rows), len(columns)), dtype=np.float64)
    step = _words_at_a_time(len(rows) + len(columns))
    # Matrix products in float64 over blocks of respondents.
    with blas_on_one_core():
        for first in range(0, rows.shape[1], step):
            block = slice(first, first + step)
            left, right = _bits(rows[:, block]), _bits(columns[:, block])
            weight = weights[block].reshape(-1)
            # Respondents in no row add nothing: with few or small rows, most of them.
            people = np.flatnonzero(left.any(axis=0)) if len(left) else np.empty(0, np.intp)
            if 2 * len(people) < left.shape[1]:
                left, right, weight = left[:, people], right[:, people], weight[people]
            weighted = left.astype(np.float64)
            weighted *= weight
            sums += weighted @ right.astype(np.float64).T
    return sums


def _numpy_pair_counts(rows: Words, columns: Words, start: int, stop: int) -> Counts:
    """By population count of the ANDed words."""
    rows, columns = rows[:, start:stop], columns[:, start:stop]
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for start in range(0, rows.shape[1], _COUNT_WORDS):
        block = np.ascontiguousarray(columns[:, start : start + _COUNT_WORDS])
        shared = np.empty_like(block)
        ones = np.empty(block.shape, dtype=np.uint8)
        for at, row in enumerate(rows[:, start : start + _COUNT_WORDS]):
            np.bitwise_and(block, row, out=shared)
            np.bitwise_count(shared, out=ones)
            counts[at] += np.add.reduce(ones, axis=1, dtype=np.uint16)
    return counts


def _words_at_a_time(masks: int) -> int:
    """The block length that keeps the unpacked masks of one block within bounds."""
    return max(4, min(256, _UNPACKED_BYTES // (masks * 64 * 8 or 1)))


def _bits(words: Words) -> NDArray[np.uint8]:
    """0 or 1 for each bit: uint8[masks, 64 × words]."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")


@contextmanager
def blas_on_one_core() -> Generator[None]:
    """Keep BLAS on the core of its caller until the last thread leaves.

    BLAS shares each product among all cores by itself, and its threads wait for one another by
    spinning. The kernel shares respondents instead: both at once are slower than either. The
    setting belongs to the process, so entries are counted.
    """
    global _inside_blas, _blas_limit
    with _blas_lock:
        if _inside_blas == 0:
            _blas_limit = _blas().limit(limits=1, user_api="blas")
        _inside_blas += 1
    try:
        yield
    finally:
        with _blas_lock:
            _inside_blas -= 1
            if _inside_blas == 0:
                _blas_limit.restore_original_limits()


@cache
def _blas() -> Any:
    # Imported on first use, for the compiled kernel needs none.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


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
