"""The kernel with numpy alone: packed masks, blocks that fit a cache, exact float64 products."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bitset import Counts, Sums, Words

_COUNT_WORDS = 512
"""Words of every column counted at a time: at most 1,023, so that 16 bits hold a block's count."""

_UNPACKED_BYTES = 3 << 20
"""Size of the two unpacked float64 blocks of a sum together: a few second-level caches."""


def totals(
    masks: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    """As `Kernel.totals`."""
    counts = np.bitwise_count(masks[:, start:stop]).sum(axis=1, dtype=np.int64)
    sums = np.zeros(len(masks), dtype=np.float64)
    step = _words_at_a_time(len(masks))
    with blas_on_one_core():
        for first in range(start, stop, step):
            block = slice(first, min(stop, first + step))
            sums += _bits(masks[:, block]).astype(np.float64) @ weights[block].reshape(-1)
    return counts, sums


def pair_tables(
    rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    """As `Kernel.pair_tables`."""
    rows, columns = rows[:, start:stop], columns[:, start:stop]
    with blas_on_one_core():
        return _count_pairs(rows, columns), _sum_pairs(rows, columns, weights[start:stop])


def _count_pairs(rows: Words, columns: Words) -> Counts:
    """Shared respondents, by population count of the ANDed words."""
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


def _sum_pairs(rows: Words, columns: Words, weights: NDArray[np.float64]) -> Sums:
    """Shared weight, by float64 matrix products over blocks of respondents."""
    sums = np.zeros((len(rows), len(columns)), dtype=np.float64)
    step = _words_at_a_time(len(rows) + len(columns))
    for start in range(0, rows.shape[1], step):
        stop = start + step
        left, right = _bits(rows[:, start:stop]), _bits(columns[:, start:stop])
        weight = weights[start:stop].reshape(-1)
        # Respondents in no row add nothing: with few or small rows, most of them.
        people = np.flatnonzero(left.any(axis=0)) if len(left) else np.empty(0, np.intp)
        if 2 * len(people) < left.shape[1]:
            left, right, weight = left[:, people], right[:, people], weight[people]
        weighted = left.astype(np.float64)
        weighted *= weight
        sums += weighted @ right.astype(np.float64).T
    return sums


def _words_at_a_time(masks: int) -> int:
    """The block length that keeps the unpacked masks of one block within bounds."""
    return max(4, min(256, _UNPACKED_BYTES // (masks * 64 * 8 or 1)))


def _bits(words: Words) -> NDArray[np.uint8]:
    """0 or 1 for each bit: uint8[masks, 64 × words]."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")


_lock = Lock()
_inside = 0
_limit: Any = None


@contextmanager
def blas_on_one_core() -> Generator[None]:
    """Keep BLAS on the core of its caller until the last thread leaves.

    BLAS shares each product among all cores by itself, and its threads wait for one another by
    spinning. The kernel shares respondents instead: both at once are slower than either. The
    setting belongs to the process, so entries are counted.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _blas().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@cache
def _blas() -> Any:
    """The libraries that are loaded; imported on first use, for the compiled kernel needs none."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
