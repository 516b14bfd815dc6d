"""The kernel with numpy alone: packed masks, blocks that fit a cache, exact float64 products.

Cores share the respondents here too: numpy lets go of the interpreter's lock while it works.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import cores
from audiencelab.engine.kernel.cores import Counts, Sums
from audiencelab.engine.kernel.products import on_one_core

__all__ = ["pair_tables"]

_COUNT_WORDS = 512
"""Words of every column counted at a time: at most 1,023, so that 16 bits hold a block's count."""

_UNPACKED_BYTES = 3 << 20
"""What the two unpacked float64 blocks of a sum take together: a few second-level caches."""


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """As `kernel.pair_tables`."""

    def share(start: int, stop: int) -> tuple[Counts, Sums]:
        some = slice(start, stop)
        counts = _count_pairs(rows[:, some], columns[:, some])
        return counts, _sum_pairs(rows[:, some], columns[:, some], weights[some])

    with on_one_core():
        return cores.add_up(share, rows.shape[1], len(rows) * len(columns))


def _count_pairs(rows: Words, columns: Words) -> Counts:
    """Shared respondents, by population count of the ANDed words."""
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for start in range(0, rows.shape[1], _COUNT_WORDS):
        block = np.ascontiguousarray(columns[:, start : start + _COUNT_WORDS])
        shared = np.empty_like(block)
        ones = np.empty(block.shape, dtype=np.uint8)
        for place, row in enumerate(rows[:, start : start + _COUNT_WORDS]):
            np.bitwise_and(block, row, out=shared)
            np.bitwise_count(shared, out=ones)
            counts[place] += np.add.reduce(ones, axis=1, dtype=np.uint16)
    return counts


def _sum_pairs(rows: Words, columns: Words, weights: NDArray[np.float64]) -> Sums:
    """Shared weight, by float64 matrix products over blocks of respondents."""
    sums = np.zeros((len(rows), len(columns)), dtype=np.float64)
    step = _words_at_a_time(len(rows) + len(columns))
    for start in range(0, rows.shape[1], step):
        stop = start + step
        left, right = _bits(rows[:, start:stop]), _bits(columns[:, start:stop])
        weight = weights[start:stop].reshape(-1)
        # Whoever is in no row at all adds nothing: with few or small rows, most people.
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
