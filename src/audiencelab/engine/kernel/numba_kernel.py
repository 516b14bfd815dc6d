"""The kernel as machine code, by numba: the numbers of numpy, sooner and on every core.

Counts are populations of ANDed words. For sums, a block of respondents is laid out dense, a line of
weights for each (the weight where a column's bit is set, else 0), and each row mask adds up the
lines of its set bits. That is the share of set bits × what a matrix product does; a mask of which
more than half is set in a block walks the others and subtracts them from the block's total.

A block lies in tiles of a few columns, so that a tile stays in the first-level cache while every
row walks it, and the row's sums stay in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils as code_generation
from numba.extending import intrinsic
from numpy.typing import NDArray

from audiencelab.engine.bitset import Counts, Sums, Words

P = ParamSpec("P")
T = TypeVar("T")

# Neither package has type hints.
ir, cgutils = cast(Any, llvm), cast(Any, code_generation)

LANES = 8
"""Float64 numbers in a vector: 64 bytes, a line of the cache."""

WIDEST = 4
"""Vectors in a tile: its sums stay in registers, and enough of them are under way at once."""


_TOTAL_WORDS = 64
"""Words of masks added up at a time: their weights stay in the first-level cache."""

_COUNT_WORDS = 512
"""Words of a mask counted at a time: a row's piece stays in the first-level cache."""

_SUM_WORDS = 3
"""Words of a block of sums: longer, and a tile (48 kB) leaves the first-level cache; shorter, and
the rows' walks are too short to be foreseen."""


def totals(
    masks: Words, weights: NDArray[np.float64], start: int, stop: int
) -> tuple[Counts, Sums]:
    """As `Kernel.totals`."""
    counts, sums = np.zeros(len(masks), np.int64), np.zeros(len(masks), np.float64)
    # One memory layout of the arguments, so that one machine code fits every call.
    contiguous = np.ascontiguousarray
    _add_totals(contiguous(masks), contiguous(weights), start, stop, counts, sums)
    return counts, sums


def pair_counts(rows: Words, columns: Words, start: int, stop: int) -> Counts:
    """As `Kernel.pair_counts`."""
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    _count(np.ascontiguousarray(rows), np.ascontiguousarray(columns), start, stop, counts)
    return counts


def pair_sums(
    rows: Words, columns: Words, weights: NDArray[np.float64], start: int, stop: int
) -> Sums:
    """As `Kernel.pair_sums`."""
    rows, columns = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
    weights = np.ascontiguousarray(weights)
    # Columns are padded to whole vectors; the padding lanes add zeros and are cut off at the end.
    vectors = -(-len(columns) // LANES)
    sums = np.zeros((len(rows), vectors * LANES), dtype=np.float64)
    _sum(rows, columns, weights, start, stop, sums)
    return sums[:, : len(columns)]


def warm_up() -> None:
    """Compile, or load what an earlier process compiled."""
    mask, weights = np.zeros((1, 1), dtype=np.uint64), np.zeros((1, 64))
    totals(mask, weights, 0, 1)
    pair_counts(mask, mask, 0, 1)
    pair_sums(mask, mask, weights, 0, 1)


# -- bits of a word ----------------------------------------------------------------------------


def _population_code(_context: Any, _word: Any) -> Any:  # pragma: no cover - kept by numba
    """How many bits of a word are set."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
        # One instruction of the processor; numba has no function for it.
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), generate


def _lowest_code(_context: Any, _word: Any) -> Any:  # pragma: no cover - kept by numba
    """The position of the lowest set bit of a word that is not 0."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
        # The flag leaves the result of 0 undefined, which saves a branch; callers never pass 0.
        return builder.cttz(given[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


_OnWord = Callable[[np.uint64], np.uint64]
population = cast(_OnWord, intrinsic(_population_code))
lowest = cast(_OnWord, intrinsic(_lowest_code))


# -- lines of a tile ---------------------------------------------------------------------------
# A tile is so many vectors wide; there is one of each operation for every width.

_vector = ir.VectorType(ir.DoubleType(), LANES)
_zeros = ir.Constant(_vector, None)

LayLine = Callable[
    [NDArray[np.uint64], np.uint64, float, NDArray[np.float64], np.int64, NDArray[np.float64]], None
]
AddLines = Callable[
    [NDArray[np.float64], NDArray[np.int32], int, bool, NDArray[np.float64], int], None
]


def _lay_line(vectors: int) -> LayLine:  # pragma: no cover - kept by numba
    """lay(pieces, bit, weight, tile, at, total): one respondent's line of a tile.

    The weight where a column's piece has the bit set, else 0, is written to `tile` from `at` on
    and added to `total`.
    """

    def code(_: Any, pieces: Any, bit: Any, weight: Any, tile: Any, at: Any, total: Any) -> Any:
        signature = types.void(pieces, types.uint64, types.float64, tile, types.intp, total)

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            _pieces, bit, weight, _tile, at, _total = given
            masks, line, totals = _data(context, builder, signature, given, (0, 3, 5))
            bits, weights = _in_all_lanes(builder, bit), _in_all_lanes(builder, weight)
            flags = ir.VectorType(ir.IntType(1), LANES)
            for number in range(vectors):
                start = at.type(number * LANES)
                # numpy aligns numbers, not vectors: to assume 64 bytes would crash on some arrays.
                piece = builder.load(_vector_at(builder, masks, start, bits.type), align=8)
                # The shift puts the respondent's bit of each lane lowest, and truncation to one bit
                # keeps it.
                given_by = builder.trunc(builder.lshr(piece, bits), flags)
                # A select, not a branch, for all lanes at once.
                value = builder.select(given_by, weights, _zeros)
                builder.store(value, _vector_at(builder, line, builder.add(at, start)), align=8)
                sum_at = _vector_at(builder, totals, start)
                sum_ = builder.fadd(builder.load(sum_at, align=8), value)
                builder.store(sum_, sum_at, align=8)
            return context.get_dummy_value()

        return signature, generate

    return cast(LayLine, intrinsic(code))


def _add_lines(vectors: int) -> AddLines:  # pragma: no cover - kept by numba
    """add(tile, places, found, subtract, sums, at): the lines of a row's respondents.

    The lines of the tile at the first `found` of `places` are added to (or subtracted from) `sums`,
    from `at` on.
    """

    def code(_: Any, tile: Any, places: Any, found: Any, subtract: Any, sums: Any, at: Any) -> Any:
        signature = types.void(tile, places, types.intp, types.boolean, sums, types.intp)

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            _tile, _places, found, subtract, _sums, at = given
            lines, places, sums = _data(context, builder, signature, given, (0, 1, 4))
            # The sums stay in these variables, which become registers, until the loop is over.
            held = [cgutils.alloca_once_value(builder, _zeros) for _ in range(vectors)]
            with cgutils.for_range(builder, found) as loop:
                # Positions are never negative, so the 32 bits are extended with zeros.
                place = builder.zext(builder.load(builder.gep(places, [loop.index])), at.type)
                line = builder.mul(place, at.type(vectors * LANES))
                for number, sum_ in enumerate(held):
                    start = builder.add(line, at.type(number * LANES))
                    added = builder.load(_vector_at(builder, lines, start), align=8)
                    builder.store(builder.fadd(builder.load(sum_), added), sum_)
            for number, sum_ in enumerate(held):
                start = builder.add(at, at.type(number * LANES))
                target = _vector_at(builder, sums, start)
                before, change = builder.load(target, align=8), builder.load(sum_)
                more, less = builder.fadd(before, change), builder.fsub(before, change)
                builder.store(builder.select(subtract, less, more), target, align=8)
            return context.get_dummy_value()

        return signature, generate

    return cast(AddLines, intrinsic(code))


def _data(
    context: Any, builder: Any, signature: Any, given: Any, arguments: tuple[int, ...]
) -> list[Any]:  # pragma: no cover - kept by numba
    """Pointers to the numbers of some array arguments."""
    return [
        context.make_array(signature.args[place])(context, builder, given[place]).data
        for place in arguments
    ]


def _in_all_lanes(builder: Any, value: Any) -> Any:  # pragma: no cover - kept by numba
    """A vector of one value."""
    vector = ir.VectorType(value.type, LANES)
    unset = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(unset, value, ir.IntType(32)(0))
    return builder.shuffle_vector(
        first, unset, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )


def _vector_at(
    builder: Any, data: Any, start: Any, vector: Any = _vector
) -> Any:  # pragma: no cover - kept by numba
    """A pointer to the vector that begins at an index of an array."""
    return builder.bitcast(builder.gep(data, [start]), vector.as_pointer())


_lay_1, _lay_2, _lay_3, _lay_4 = (_lay_line(vectors) for vectors in range(1, WIDEST + 1))
_add_1, _add_2, _add_3, _add_4 = (_add_lines(vectors) for vectors in range(1, WIDEST + 1))


# -- compiled ----------------------------------------------------------------------------------


def _compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile on first use, keep the machine code on disk, and run without the interpreter lock."""
    # Sums are exact in any order, so the compiler may choose one.
    return cast(Callable[P, T], numba.njit(function, nogil=True, cache=True, fastmath={"reassoc"}))


@_compiled
def _add_totals(
    masks: Words,
    weights: NDArray[np.float64],
    start: int,
    stop: int,
    counts: Counts,
    sums: Sums,
) -> None:
    for first in range(start, stop, _TOTAL_WORDS):
        last = min(stop, first + _TOTAL_WORDS)
        for row in range(masks.shape[0]):
            found = np.uint64(0)
            total = 0.0
            for word in range(first, last):
                bits = masks[row, word]
                found += population(bits)
                for bit in range(64):
                    total += weights[word, bit] if (bits >> np.uint64(bit)) & np.uint64(1) else 0.0
            counts[row] += np.int64(found)
            sums[row] += total


@_compiled
def _count(rows: Words, columns: Words, start: int, stop: int, counts: Counts) -> None:
    for first in range(start, stop, _COUNT_WORDS):
        last = min(stop, first + _COUNT_WORDS)
        for row in range(rows.shape[0]):
            left = rows[row, first:last]
            for column in range(columns.shape[0]):
                right = columns[column, first:last]
                # Unsigned like the words: numba makes float64 of a uint64 and an int64 together.
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
    # One vector more than a tile, so that the tile can begin where a cache line does.
    room = np.empty(lines * WIDEST * LANES + LANES, np.float64)
    tile = room[_to_cache_line(room) :]
    total = np.empty(WIDEST * LANES, np.float64)
    anyone = np.empty(_SUM_WORDS, np.uint64)
    nobody = np.zeros(_SUM_WORDS, np.uint64)
    # The positions of a row's set bits are found once for a block, and used for each of its tiles.
    places = np.empty((rows.shape[0], lines), np.int32)
    found = np.empty(rows.shape[0], np.int64)
    inverse = np.empty(rows.shape[0], np.bool_)
    for first in range(start, stop, _SUM_WORDS):
        last = min(stop, first + _SUM_WORDS)
        # Respondents in no row need not be laid out: with a small base, most of them.
        people = _anyone(rows, first, last, anyone)
        if not people:
            continue
        for row in range(rows.shape[0]):
            mask = rows[row, first:last]
            found[row] = _positions(mask, nobody, places[row])
            # More than half of the block: fewer lines are walked by subtracting those who are not
            # in it.
            inverse[row] = 2 * found[row] > people
            if inverse[row]:
                found[row] = _positions(mask, anyone, places[row])
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
    """The first index of an array at which a cache line begins."""
    return (-room.ctypes.data % 64) // 8


@_compiled
def _anyone(rows: Words, first: int, last: int, anyone: NDArray[np.uint64]) -> np.int64:
    """The respondents in any row of a block, and their number."""
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

    Lanes past the last mask are zero.
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
def _positions(
    mask: NDArray[np.uint64], flip: NDArray[np.uint64], places: NDArray[np.int32]
) -> int:
    """The positions of the set bits of mask ^ flip, and how many there are."""
    found = 0
    for word in range(mask.shape[0]):
        left = mask[word] ^ flip[word]
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
    """Add (or subtract) the lines at some positions."""
    if across == 4 * LANES:
        _add_4(tile, places, found, inverse, sums, at)
    elif across == 3 * LANES:
        _add_3(tile, places, found, inverse, sums, at)
    elif across == 2 * LANES:
        _add_2(tile, places, found, inverse, sums, at)
    else:
        _add_1(tile, places, found, inverse, sums, at)
