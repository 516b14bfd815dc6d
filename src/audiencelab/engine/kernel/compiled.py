"""The kernel as machine code, by numba: the numbers of `blocked`, sooner and on every core.

Counts are populations of ANDed words. Sums walk: a block of respondents is laid out dense, a
line of weights for each (the weight where a column's bit is set, else 0), and each row mask adds
up the lines of its set bits. That is the share of set bits × what a matrix product does, and the
less the smaller the base is; a mask of which more than half is set in a block walks the others
and takes them off the block's total.

A block lies in tiles of a few columns, so that a tile stays in the first-level cache while every
row walks it, and the row's sums stay in registers.

Cores share the respondents, and the partial tables add: on the grid of weights that is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import cores
from audiencelab.engine.kernel.cores import Counts, Sums
from audiencelab.engine.kernel.intrinsics import (
    LANES,
    WIDEST,
    add_lines,
    lay_line,
    lowest,
    population,
)

__all__ = ["pair_tables", "warm_up"]

P = ParamSpec("P")
T = TypeVar("T")

_COUNT_WORDS = 512
"""Words of a mask counted at a time: a row's piece stays in the first-level cache."""

_SUM_WORDS = 3
"""Words of a block of sums: longer, and a tile (48 kB) leaves the first-level cache; shorter, and
the rows' walks are too short to be foreseen."""


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """As `kernel.pair_tables`."""
    rows, columns = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
    weights = np.ascontiguousarray(weights)

    def share(start: int, stop: int) -> tuple[Counts, Sums]:
        return _share(rows, columns, weights, start, stop)

    return cores.add_up(share, rows.shape[1], len(rows) * len(columns))


def warm_up() -> None:
    """Compile, or load what an earlier process compiled."""
    nothing = np.zeros((1, 1), dtype=np.uint64)
    _share(nothing, nothing, np.zeros((1, 64)), 0, 1)


def _share(
    rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    """The tables of the respondents in some words."""
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    _count(rows, columns, start, stop, counts)
    vectors = -(-len(columns) // LANES)
    sums = np.zeros((len(rows), vectors * LANES), dtype=np.float64)
    _sum(rows, columns, weights, start, stop, sums)
    return counts, sums[:, : len(columns)]


# -- compiled ----------------------------------------------------------------------------------


def _compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile on first use, keep the machine code on disk, and run without the interpreter lock."""
    return cast(Callable[P, T], numba.njit(function, nogil=True, cache=True))


_lay_1, _lay_2, _lay_3, _lay_4 = lay_line
_add_1, _add_2, _add_3, _add_4 = add_lines


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
                    shared += population(left[place] & right[place])
                counts[row, column] += np.int64(shared)


@_compiled
def _sum(
    rows: Words,
    columns: Words,
    weights: NDArray[np.float64],
    start: int,
    stop: int,
    sums: Sums,
) -> None:
    width = sums.shape[1]
    lines = _SUM_WORDS * 64
    room = np.empty(lines * WIDEST * LANES + LANES, np.float64)
    tile = room[_to_cache_line(room) :]
    total = np.empty(WIDEST * LANES, np.float64)
    anyone = np.empty(_SUM_WORDS, np.uint64)
    places = np.empty((rows.shape[0], lines), np.int32)
    found = np.empty(rows.shape[0], np.int64)
    inverse = np.empty(rows.shape[0], np.bool_)
    for first in range(start, stop, _SUM_WORDS):
        last = min(stop, first + _SUM_WORDS)
        # Whoever is in no row at all need not be laid out: with a small base, most people.
        people = _anyone(rows, first, last, anyone)
        if not people:
            continue
        for row in range(rows.shape[0]):
            mask = rows[row, first:last]
            found[row] = _set_bits(mask, places[row])
            inverse[row] = 2 * found[row] > people
            if inverse[row]:
                found[row] = _other_bits(mask, anyone, places[row])
        for at in range(0, width, WIDEST * LANES):
            across = min(width - at, WIDEST * LANES)
            _lay_out(columns, weights, first, last, anyone, at, across, tile, total)
            for row in range(rows.shape[0]):
                if inverse[row]:
                    for lane in range(across):
                        sums[row, at + lane] += total[lane]
                _add_up(tile, across, places[row], found[row], inverse[row], sums[row], at)


@_compiled
def _to_cache_line(room: NDArray[np.float64]) -> int:
    """The first place of an array at which a line of the cache begins."""
    return (-room.ctypes.data % 64) // 8


@_compiled
def _anyone(rows: Words, first: int, last: int, anyone: NDArray[np.uint64]) -> np.int64:
    """Who is in any of the rows of a block, and how many they are."""
    people = np.int64(0)
    for word in range(last - first):
        found = np.uint64(0)
        for row in range(rows.shape[0]):
            found |= rows[row, first + word]
        anyone[word] = found
        people += np.int64(population(found))
    return people


@_compiled
def _lay_out(
    columns: Words,
    weights: NDArray[np.float64],
    first: int,
    last: int,
    anyone: NDArray[np.uint64],
    at: int,
    across: int,
    tile: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """The weights of a tile: a line for each respondent, a lane for each mask; and their sums.

    Lanes past the last mask hold nothing but zeros.
    """
    pieces = np.zeros(WIDEST * LANES, np.uint64)
    total[:] = 0.0
    for word in range(first, last):
        for lane in range(min(across, columns.shape[0] - at)):
            pieces[lane] = columns[at + lane, word]
        left = anyone[word - first]
        while left:
            shift = lowest(left)
            left &= left - np.uint64(1)
            bit = np.int64(shift)
            weight = weights[word, bit]
            start = ((word - first) * 64 + bit) * across
            if across == 4 * LANES:
                _lay_4(pieces, shift, weight, tile, start, total)
            elif across == 3 * LANES:
                _lay_3(pieces, shift, weight, tile, start, total)
            elif across == 2 * LANES:
                _lay_2(pieces, shift, weight, tile, start, total)
            else:
                _lay_1(pieces, shift, weight, tile, start, total)


@_compiled
def _set_bits(mask: NDArray[np.uint64], places: NDArray[np.int32]) -> int:
    """The places of the set bits of a block, and how many there are."""
    found = 0
    for word in range(mask.shape[0]):
        left = mask[word]
        while left:
            places[found] = word * 64 + np.int64(lowest(left))
            found += 1
            left &= left - np.uint64(1)
    return found


@_compiled
def _other_bits(
    mask: NDArray[np.uint64], anyone: NDArray[np.uint64], places: NDArray[np.int32]
) -> int:
    """The places of those who are laid out and not in the mask, and how many there are."""
    found = 0
    for word in range(mask.shape[0]):
        left = anyone[word] ^ mask[word]
        while left:
            places[found] = word * 64 + np.int64(lowest(left))
            found += 1
            left &= left - np.uint64(1)
    return found


@_compiled
def _add_up(
    tile: NDArray[np.float64],
    across: int,
    places: NDArray[np.int32],
    found: int,
    inverse: bool,
    sums: NDArray[np.float64],
    at: int,
) -> None:
    """Add (or take off) the lines at some places, by the adder of the tile's width."""
    if across == 4 * LANES:
        _add_4(tile, places, found, inverse, sums, at)
    elif across == 3 * LANES:
        _add_3(tile, places, found, inverse, sums, at)
    elif across == 2 * LANES:
        _add_2(tile, places, found, inverse, sums, at)
    else:
        _add_1(tile, places, found, inverse, sums, at)
