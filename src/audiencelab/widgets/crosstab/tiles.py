"""Tiles: rectangles of a crosstab as bytes, as the page requests them.

A tile is a small JSON header and one buffer of little-endian floats. A plane that is constant along
an axis is sent once (shape 1 there, broadcast by the reader), and as float32 where that is exact:
64 × 32 cells are about 25 KB. Nothing is rounded. `js/src/crosstab/data/tiles.ts` reads the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.results.all_waves import in_one_scale, parts_of_waves
from audiencelab.results.arrays import CELL_PLANES, TELLS_ARRIVAL, compress, intern_array
from audiencelab.results.who_counts import reasons_by_place
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab import protocol
from audiencelab.widgets.crosstab.marks import Letters, Marks
from audiencelab.widgets.crosstab.protocol import MarksHeader, PlaneHeader, Span, TileHeader

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

MARGIN_PLANES = ("row_own_size", "row_own_sample", "column_own_size", "column_own_sample")
"""The planes of each row's and column's audience in the whole base."""

_ALIGNMENT = 8


@dataclass(frozen=True, slots=True)
class Tile:
    """A rectangle of a table.

    header: what `body` contains. body: the planes one after another.
    """

    header: TileHeader
    body: bytes


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why cells of a table have no figure.

    words: each reason once. which: the position of each cell's, int8[rows, columns].
    """

    words: tuple[str, ...] = ()
    which: NDArray[np.int8] | None = None

    @classmethod
    def of(cls, result: CrosstabResult) -> Reasons:
        """The reasons of cells without a base; none until the table is complete."""
        if not result.complete or not (result.values("base_size") == 0).any():
            return cls()
        needed = ("sample", "row_size", "column_size", "base_size")
        return cls(*reasons_by_place({name: result.values(name) for name in needed}, result))


@dataclass(frozen=True, slots=True)
class Margins:
    """The counts of rows, of columns and of the base of each row: float64[rows], float64[columns].

    base_varies: whether rows have bases of their own, which is known of a complete table.
    reasons: why cells have no figure.

    They need the whole table, so they are computed once for each state of it.
    """

    row_size: Floats
    row_sample: Floats
    column_size: Floats
    column_sample: Floats
    base_size: Floats
    base_sample: Floats
    base_varies: bool = False
    reasons: Reasons = Reasons()

    @classmethod
    def of(cls, result: CrosstabResult) -> Margins:
        """The margins of the cells that arrived; NaN for rows and columns without any."""
        return cls(
            intern_array(result.row_values("row_size")),
            intern_array(result.row_values("row_sample")),
            intern_array(result.column_values("column_size")),
            intern_array(result.column_values("column_sample")),
            intern_array(result.row_values("base_size")),
            intern_array(result.row_values("base_sample")),
            bases_vary(result),
            Reasons.of(result),
        )


def bases_vary(result: CrosstabResult) -> bool:
    """Whether rows of a complete table have bases of their own."""
    samples = result.row_values("base_sample")
    return result.complete and len(np.unique(samples[np.isfinite(samples)])) > 1


def cut_tile(result: CrosstabResult, margins: Margins, rows: Positions, columns: Positions) -> Tile:
    """The cells at the given positions, in that order, with the margins.

    A cell that has not arrived is NaN in `size`; its other planes are undefined.
    """
    block = np.ix_(rows, columns)
    # The mask first: a worker thread fills the arrays before it marks their cells.
    arrived = result.arrived[block]
    shown = in_one_scale(result)
    planes = {
        name: compress(
            np.where(arrived, shown.values(name)[block], np.nan), gaps=name == TELLS_ARRIVAL
        )
        for name in CELL_PLANES
    }
    planes |= {name: each[block] for name, each in parts_of_waves(result, shown).items()}
    own = (
        margins.row_size[rows, None],
        margins.row_sample[rows, None],
        margins.column_size[None, columns],
        margins.column_sample[None, columns],
    )
    planes |= zip(MARGIN_PLANES, own, strict=True)
    if margins.base_varies:
        planes["row_own_base_size"] = margins.base_size[rows, None]
        planes["row_own_base_sample"] = margins.base_sample[rows, None]
    reasons = margins.reasons
    if reasons.which is not None:
        planes["reason"] = reasons.which[block].astype(np.float64)
    return pack(planes, arrived.shape, complete=bool(arrived.all()), reasons=reasons.words)


def cut_marks(tests: Marks, letters: Letters | None) -> tuple[MarksHeader, bytes]:
    """The tests of some cells, and their letters, as the header and the body of a tile."""
    planes: dict[str, Floats] = {
        "z": tests.z,
        **tests.computed,
        "p": tests.p,
        "freedom": compress(tests.freedom, gaps=False),
        "level": tests.level,
    }
    if tests.previous is not None:
        planes["previous"] = tests.previous
    if tests.unchanged:
        planes["unchanged"] = tests.why.astype(np.float64)
    words: dict[str, Any] = {
        "unchanged": tests.unchanged,
        "method": tests.method,
        "short": tests.short,
        "problem": tests.problem,
        "previous_method": tests.previous_method,
        "reasons": tests.reasons,
    }
    if any(tests.reasons):
        planes["reason"] = tests.which.astype(np.float64)
    if letters is not None:
        texts, which = np.unique(letters.marks.astype(str), return_inverse=True)
        planes["letters"] = which.reshape(tests.z.shape).astype(np.float64)
        words |= {
            "texts": tuple(texts.tolist()),
            "column_letters": letters.column_letters,
            "letters_legend": letters.legend,
            "letters_method": letters.method,
            "no_letters": letters.problem,
        }
    described, body = _packed(planes)
    rows, columns = tests.z.shape
    return MarksHeader(rows, columns, complete=True, planes=described, **words), body


def pack(
    planes: Mapping[str, Floats],
    shape: tuple[int, int],
    *,
    complete: bool,
    reasons: tuple[str, ...] = (),
) -> Tile:
    """Planes as one tile; each has the tile's shape, or 1 along an axis."""
    described, body = _packed(planes)
    return Tile(TileHeader(*shape, complete, described, reasons), body)


def _packed(planes: Mapping[str, Floats]) -> tuple[list[PlaneHeader], bytes]:
    described: list[PlaneHeader] = []
    chunks: list[bytes] = []
    offset = 0
    for name, plane in planes.items():
        narrow = _narrow(plane)
        written = narrow.tobytes()
        # A typed array of JavaScript begins at a multiple of the size of its items.
        written += bytes(-len(written) % _ALIGNMENT)
        dtype = "float32" if narrow.itemsize == 4 else "float64"
        rows, columns = plane.shape
        described.append(PlaneHeader(name, dtype, (rows, columns), offset))
        chunks.append(written)
        offset += len(written)
    return described, b"".join(chunks)


def parse_positions(asked: protocol.Positions, count: int, axis: str) -> Positions:
    """Positions along an axis of `count` items; `AudienceError` for one outside."""
    if isinstance(asked, Span):
        if 0 <= asked.start <= asked.stop <= count:
            return np.arange(asked.start, asked.stop)
    elif all(0 <= at < count for at in asked):
        return np.array(asked, dtype=np.intp)
    raise AudienceError(f"The page requested {axis} outside the table of {count} {axis}.")


def _narrow(plane: Floats) -> NDArray[np.float32] | Floats:
    # Beyond float32 a size becomes infinite, and then differs.
    with np.errstate(over="ignore"):
        small = plane.astype("<f4")
    same = bool(((small == plane) | np.isnan(plane)).all())
    return small if same else np.ascontiguousarray(plane, dtype="<f8")
