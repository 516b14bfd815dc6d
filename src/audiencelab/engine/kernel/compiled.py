"""The kernel as machine code, by numba: the numbers of `blocked`, sooner and on every core.

Counts are populations of ANDed words. Sums walk: a block of respondents is laid out dense, one
row of weights for each (the weight where a column's bit is set, else 0), and each row mask adds
up the rows of its set bits. That is the share of set bits × what a matrix product does, and the
less the smaller the base is; a mask of which more than half is set in a block walks the others
and takes them off the block's total.

Cores share the respondents, and the partial tables add: on the grid of weights that is exact.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel.blocked import Counts, Sums

__all__ = ["pair_tables", "warm_up"]

P = ParamSpec("P")
T = TypeVar("T")

_COUNT_WORDS = 512
"""Words of a mask counted at a time: a row's piece stays in the first-level cache."""

_DENSE_BYTES = 400_000
"""What a block of respondents takes when laid out dense: half of a second-level cache."""

_LEAST_WORDS = 1_000
"""Words a core takes at least (64,000 respondents): below, sharing costs more than it saves."""


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """As `kernel.pair_tables`."""
    rows, columns = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
    weights = np.ascontiguousarray(weights)
    words = rows.shape[1]
    cores = _cores()
    shares = max(1, min(cores, words // _LEAST_WORDS))
    if shares == 1:
        return _share(rows, columns, weights, 0, words)

    def share(bounds: tuple[int, int]) -> tuple[Counts, Sums]:
        return _share(rows, columns, weights, *bounds)

    parts = list(_pool().map(share, pairwise(words * n // shares for n in range(shares + 1))))
    counts, sums = parts[0]
    for part in parts[1:]:
        counts += part[0]
        sums += part[1]
    return counts, sums


def warm_up() -> None:
    """Compile, or load what an earlier process compiled."""
    nothing = np.zeros((1, 1), dtype=np.uint64)
    _share(nothing, nothing, np.zeros((1, 64)), 0, 1)


def _share(
    rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    """The tables of the respondents in some words."""
    shape = (len(rows), len(columns))
    counts, sums = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float64)
    _count(rows, columns, start, stop, counts)
    at_a_time = max(1, min(32, _DENSE_BYTES // (64 * 8 * max(1, len(columns)))))
    _sum(rows, columns, weights, start, stop, at_a_time, sums)
    return counts, sums


@cache
def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    """Shared by all queries, so that many at once take no more cores than there are."""
    return ThreadPoolExecutor(_cores(), thread_name_prefix="audiencelab-kernel")


# -- compiled ----------------------------------------------------------------------------------


def _compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile on first use, keep the machine code on disk, and run without the interpreter lock."""
    return cast(Callable[P, T], numba.njit(function, nogil=True, cache=True))


def _population_code(_context: Any, _word: Any) -> Any:
    """How many bits of a word are set."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), generate


def _lowest_code(_context: Any, _word: Any) -> Any:
    """The place of the lowest set bit of a word that is not 0."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
        return builder.cttz(given[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


_OnWord = Callable[[np.uint64], np.uint64]
_population = cast(_OnWord, intrinsic(_population_code))
_lowest = cast(_OnWord, intrinsic(_lowest_code))


@_compiled
def _count(rows: Words, columns: Words, start: int, stop: int, counts: Counts) -> None:
    for first in range(start, stop, _COUNT_WORDS):
        last = min(stop, first + _COUNT_WORDS)
        for row in range(rows.shape[0]):
            left = rows[row, first:last]
            for column in range(columns.shape[0]):
                right = columns[column, first:last]
                shared = np.uint64(0)
                for place in range(last - first):
                    shared += _population(left[place] & right[place])
                counts[row, column] += np.int64(shared)


@_compiled
def _sum(
    rows: Words,
    columns: Words,
    weights: NDArray[np.float64],
    start: int,
    stop: int,
    at_a_time: int,
    sums: Sums,
) -> None:
    width = columns.shape[0]
    dense = np.empty((at_a_time * 64, width), np.float64)
    total = np.empty(width, np.float64)
    anyone = np.empty(at_a_time, np.uint64)
    places = np.empty(at_a_time * 64, np.int64)
    for first in range(start, stop, at_a_time):
        last = min(stop, first + at_a_time)
        # Whoever is in no row at all need not be laid out: with a small base, most people.
        people = _anyone(rows, first, last, anyone)
        if not people:
            continue
        _lay_out(columns, weights, first, last, anyone, dense, total)
        for row in range(rows.shape[0]):
            mask = rows[row, first:last]
            found = 0
            for word in range(last - first):
                found += np.int64(_population(mask[word]))
            if 2 * found <= people:
                _add_up(dense, places, _set_bits(mask, places), 1.0, sums[row])
            else:
                sums[row] += total
                others = _other_bits(mask, anyone, places)
                _add_up(dense, places, others, -1.0, sums[row])


@_compiled
def _anyone(rows: Words, first: int, last: int, anyone: NDArray[np.uint64]) -> np.int64:
    """Who is in any of the rows of a block, and how many they are."""
    people = np.int64(0)
    for word in range(last - first):
        found = np.uint64(0)
        for row in range(rows.shape[0]):
            found |= rows[row, first + word]
        anyone[word] = found
        people += np.int64(_population(found))
    return people


@_compiled
def _lay_out(
    columns: Words,
    weights: NDArray[np.float64],
    first: int,
    last: int,
    anyone: NDArray[np.uint64],
    dense: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """The weights of a block: a row for each respondent, a column for each mask; and their sums."""
    width = columns.shape[0]
    across = np.empty(width, np.uint64)
    total[:] = 0.0
    for word in range(first, last):
        for column in range(width):
            across[column] = columns[column, word]
        left = anyone[word - first]
        while left:
            shift = _lowest(left)
            left &= left - np.uint64(1)
            bit = np.int64(shift)
            weight = weights[word, bit]
            line = dense[(word - first) * 64 + bit]
            for column in range(width):
                value = weight if (across[column] >> shift) & np.uint64(1) else 0.0
                line[column] = value
                total[column] += value


@_compiled
def _set_bits(mask: NDArray[np.uint64], places: NDArray[np.int64]) -> int:
    """The places of the set bits of a block, and how many there are."""
    found = 0
    for word in range(mask.shape[0]):
        left = mask[word]
        while left:
            places[found] = word * 64 + np.int64(_lowest(left))
            found += 1
            left &= left - np.uint64(1)
    return found


@_compiled
def _other_bits(
    mask: NDArray[np.uint64], anyone: NDArray[np.uint64], places: NDArray[np.int64]
) -> int:
    """The places of those who are laid out and not in the mask, and how many there are."""
    found = 0
    for word in range(mask.shape[0]):
        left = anyone[word] ^ mask[word]
        while left:
            places[found] = word * 64 + np.int64(_lowest(left))
            found += 1
            left &= left - np.uint64(1)
    return found


@_compiled
def _add_up(
    dense: NDArray[np.float64],
    places: NDArray[np.int64],
    found: int,
    sign: float,
    line: NDArray[np.float64],
) -> None:
    """Add (or take off) the rows at some places; eight at a time, to touch the sums less."""
    width = line.shape[0]
    at = 0
    while at + 8 <= found:
        a, b = dense[places[at]], dense[places[at + 1]]
        c, d = dense[places[at + 2]], dense[places[at + 3]]
        e, f = dense[places[at + 4]], dense[places[at + 5]]
        g, h = dense[places[at + 6]], dense[places[at + 7]]
        for column in range(width):
            line[column] += sign * (
                ((a[column] + b[column]) + (c[column] + d[column]))
                + ((e[column] + f[column]) + (g[column] + h[column]))
            )
        at += 8
    while at < found:
        a = dense[places[at]]
        for column in range(width):
            line[column] += sign * a[column]
        at += 1
