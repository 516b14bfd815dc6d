"""What the compiled kernel asks of the processor by name: bits of a word, lines of a tile.

Three operations that the compiler does not find in plain loops by itself. They are portable: on
a processor without the wide registers, LLVM takes several narrow ones.

The machine code that numba keeps on disk is known by the date of `compiled`: after a change here,
touch that file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils as code_generation
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = ["LANES", "WIDEST", "add_lines", "lay_line", "lowest", "population"]

# Neither says the types of what it takes and gives.
ir, cgutils = cast(Any, llvm), cast(Any, code_generation)

LANES = 8
"""Float64 numbers in a vector: 64 bytes, a line of the cache."""

WIDEST = 4
"""Vectors in a tile: its sums stay in registers, and enough of them are under way at once."""


# -- bits of a word ----------------------------------------------------------------------------


def _population_code(_context: Any, _word: Any) -> Any:  # pragma: no cover - kept by numba
    """How many bits of a word are set."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), generate


def _lowest_code(_context: Any, _word: Any) -> Any:  # pragma: no cover - kept by numba
    """The place of the lowest set bit of a word that is not 0."""

    def generate(_c: Any, builder: Any, _s: Any, given: Any) -> Any:
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
                piece = builder.load(_vector_at(builder, masks, start, bits.type), align=8)
                given_by = builder.trunc(builder.lshr(piece, bits), flags)
                value = builder.select(given_by, weights, _zeros)
                builder.store(value, _vector_at(builder, line, builder.add(at, start)), align=8)
                sum_at = _vector_at(builder, totals, start)
                sum_ = builder.fadd(builder.load(sum_at, align=8), value)
                builder.store(sum_, sum_at, align=8)
            return context.get_dummy_value()

        return signature, generate

    return cast(LayLine, intrinsic(code))


def _add_lines(vectors: int) -> AddLines:  # pragma: no cover - kept by numba
    """add(tile, places, found, taken_off, sums, at): the lines of a row's respondents.

    The lines of the tile at the first `found` of `places` are added to (or taken off) `sums`,
    from `at` on.
    """

    def code(_: Any, tile: Any, places: Any, found: Any, taken_off: Any, sums: Any, at: Any) -> Any:
        signature = types.void(tile, places, types.intp, types.boolean, sums, types.intp)

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            _tile, _places, found, taken_off, _sums, at = given
            lines, places, sums = _data(context, builder, signature, given, (0, 1, 4))
            held = [cgutils.alloca_once_value(builder, _zeros) for _ in range(vectors)]
            with cgutils.for_range(builder, found) as loop:
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
                builder.store(builder.select(taken_off, less, more), target, align=8)
            return context.get_dummy_value()

        return signature, generate

    return cast(AddLines, intrinsic(code))


def _data(
    context: Any, builder: Any, signature: Any, given: Any, arguments: tuple[int, ...]
) -> list[Any]:  # pragma: no cover - kept by numba
    """Where the numbers of some array arguments begin."""
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
    """Where the vector that begins at a place of an array stands."""
    return builder.bitcast(builder.gep(data, [start]), vector.as_pointer())


lay_line = tuple(_lay_line(vectors) for vectors in range(1, WIDEST + 1))
add_lines = tuple(_add_lines(vectors) for vectors in range(1, WIDEST + 1))
