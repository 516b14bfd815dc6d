"""Tiles: the browser decodes the table's values from fewer bytes."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.results.arrays import CELL_PLANES
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.protocol import Span, TileHeader
from audiencelab.widgets.crosstab.tiles import Margins, Tile, cut_tile, pack, parse_positions
from tests.messages import fails

ROWS, COLUMNS = 7, 5


def tile_of(message: Any) -> Tile:
    """The tile in an answer to the page."""
    header = msgspec.convert(message.content["data"], TileHeader)
    return Tile(header, message.buffers[0])


def read(tile: Tile, name: str) -> np.ndarray:
    """One plane as the browser reads it: by offset, dtype and shape, broadcast to the tile."""
    (plane,) = [plane for plane in tile.header.planes if plane.name == name]
    dtype = np.dtype(plane.dtype).newbyteorder("<")
    count = plane.shape[0] * plane.shape[1]
    values = np.frombuffer(tile.body, dtype, count, plane.offset).reshape(plane.shape)
    return np.broadcast_to(values, (tile.header.rows, tile.header.columns))


def shape_of(tile: Tile, name: str) -> list[int]:
    return next(list(plane.shape) for plane in tile.header.planes if plane.name == name)


def counted(*, varying: bool = False, missing: tuple[tuple[int, int], ...] = ()) -> CrosstabResult:
    """A table with figures that tell where they come from; bases that vary if asked for."""
    result = CrosstabResult(
        tuple(Audience(f"row {i}") for i in range(ROWS)),
        tuple(Audience(f"column {j}") for j in range(COLUMNS)),
    )
    rows, columns = np.nonzero(np.ones((ROWS, COLUMNS), dtype=bool))
    keep = [(i, j) not in missing for i, j in zip(rows, columns, strict=True)]
    rows, columns = rows[keep], columns[keep]
    figures = np.zeros((len(rows), len(FIGURES)))
    planes = {
        "size": 1_000.1 * rows + columns + 0.3,
        "sample": 10.0 * rows + columns,
        "row_size": 1e6 + rows + (0.5 * columns if varying else 0),
        "row_sample": 100.0 + rows,
        "column_size": 2e6 + columns / 3,
        "column_sample": 200.0 + columns,
        "base_size": np.full(len(rows), 5e7 + 0.1),
        "base_sample": np.full(len(rows), 24_000.0),
    }
    for name, values in planes.items():
        figures[:, FIGURES.index(name)] = values
    cells_of(result).store(rows, columns, figures)
    return result


def cut(result: CrosstabResult, rows: list[int], columns: list[int]) -> Tile:
    return cut_tile(result, Margins.of(result), np.array(rows), np.array(columns))


@pytest.mark.parametrize("varying", [False, True])
def test_every_plane_equals_the_table_at_the_requested_positions(varying: bool) -> None:
    result = counted(varying=varying)
    rows, columns = [6, 0, 3], [4, 1]
    tile = cut(result, rows, columns)
    for name in CELL_PLANES:
        expected = result.values(name)[np.ix_(rows, columns)]
        np.testing.assert_array_equal(read(tile, name), expected, err_msg=name)
    assert tile.header.complete is True


def test_values_that_are_equal_along_an_axis_are_sent_once() -> None:
    tile = cut(counted(), [0, 1, 2], [0, 1])
    assert shape_of(tile, "size") == [3, 2]
    assert shape_of(tile, "row_size") == [3, 1]
    assert shape_of(tile, "column_size") == [1, 2]
    assert shape_of(tile, "base_size") == [1, 1]
    assert shape_of(cut(counted(varying=True), [0, 1, 2], [0, 1]), "row_size") == [3, 2]


def test_narrow_types_are_used_only_without_loss() -> None:
    dtypes = {plane.name: plane.dtype for plane in cut(counted(), [0, 1], [0, 1]).header.planes}
    assert dtypes["sample"] == "float32"
    assert dtypes["size"] == "float64"


def test_planes_are_aligned_for_typed_arrays() -> None:
    tile = cut(counted(), [0, 1, 2], [0, 1, 2])
    assert all(plane.offset % 8 == 0 for plane in tile.header.planes)


def test_cells_that_have_not_arrived_are_nan_and_the_tile_is_not_complete() -> None:
    result = counted(missing=((1, 0), (1, 1), (2, 0)))
    tile = cut(result, [0, 1, 2], [0, 1])
    assert tile.header.complete is False
    sizes = read(tile, "size")
    assert np.isnan(sizes).tolist() == [[False, False], [True, True], [True, False]]
    assert sizes[2, 1] == result.values("size")[2, 1]
    assert cut(result, [0], [0, 1]).header.complete is True


@given(st.sets(st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1)), min_size=1))
def test_a_missing_cell_is_never_filled_with_a_neighbour(
    missing: set[tuple[int, int]],
) -> None:
    result = counted(missing=tuple(missing))
    tile = cut(result, list(range(ROWS)), list(range(COLUMNS)))
    np.testing.assert_array_equal(read(tile, "size"), result.values("size"))
    for name in CELL_PLANES:
        there = read(tile, name)[result.arrived]
        np.testing.assert_array_equal(there, result.values(name)[result.arrived], err_msg=name)


@pytest.mark.parametrize("line", ["row", "column"])
def test_the_first_row_is_not_broadcast_to_others(line: str) -> None:
    others = [
        (i, j) for i in range(ROWS) for j in range(COLUMNS) if (i if line == "row" else j) != 0
    ]
    result = counted(missing=tuple(others))
    sizes = read(cut(result, list(range(ROWS)), list(range(COLUMNS))), "size")
    np.testing.assert_array_equal(sizes, result.values("size"))


def test_base_counts_are_those_of_the_whole_row() -> None:
    result = counted(missing=((1, 0), (1, 1)))
    tile = cut(result, [1], [0, 1])
    assert np.isnan(read(tile, "size")).all()
    assert read(tile, "row_own_size")[0, 0] == 1e6 + 1
    assert read(tile, "column_own_sample")[0, 1] == 201


def test_a_tile_of_64_by_32_cells_is_small() -> None:
    rng = np.random.default_rng(5)
    planes = {"size": rng.random((64, 32)) * 1e6, "sample": rng.integers(0, 9_000, (64, 32)) * 1.0}
    assert len(pack(planes, (64, 32), complete=True).body) == 64 * 32 * (8 + 4)


def test_positions_are_a_range_or_a_list() -> None:
    assert parse_positions(Span(2, 5), 7, "rows").tolist() == [2, 3, 4]
    assert parse_positions([6, 0], 7, "rows").tolist() == [6, 0]


@pytest.mark.parametrize("asked", [Span(0, 8), Span(-1, 2), Span(3, 2), [7], [-1]])
def test_positions_outside_the_table_are_rejected(asked: Span | list[int]) -> None:
    with fails(AudienceError):
        parse_positions(asked, 7, "rows")
