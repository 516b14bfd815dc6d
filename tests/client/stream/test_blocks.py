"""Cells that come as columnar blocks find the same positions as those that come as JSON."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from audiencelab.client.stream.collector import CellCollector, ContradictingCells
from audiencelab.schema.blocks import (
    CELL_METRICS,
    BlockDecoder,
    CellsAxis,
    encode_block,
    encode_end,
    encode_header,
)
from audiencelab.tables import CrosstabResult
from tests.client.stream.small_table import COLUMNS, EXPECTED, ROWS

ROW_IDS = [each.id for each in ROWS]
COLUMN_IDS = [each.id for each in COLUMNS]


def collector_of_blocks() -> CellCollector:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    collector.blocks = BlockDecoder()
    return collector


def body(rows: list[str], columns: list[str], sizes: np.ndarray, add: float = 0) -> bytes:
    """A whole response; every metric has the values of `sizes`, raised by its number."""
    axes = (CellsAxis(ids, 1, [None] * len(ids)) for ids in (rows, columns))
    metrics = [sizes + number + add for number in range(len(CELL_METRICS))]
    positions = np.arange(len(rows)), np.arange(len(columns))
    return encode_header(*axes) + encode_block(*positions, metrics) + encode_end()


def assert_whole(table: CrosstabResult) -> None:
    assert table.complete
    for number, name in enumerate(CELL_METRICS):
        assert np.array_equal(table.values(name), EXPECTED + number), name


@pytest.mark.parametrize("step", [1, 50, 10_000])
def test_a_body_cut_anywhere_fills_the_table(step: int) -> None:
    collector = collector_of_blocks()
    data = body(ROW_IDS, COLUMN_IDS, EXPECTED)
    for start in range(0, len(data), step):
        collector.feed(data[start : start + step])
    assert collector.finish() == ([], None)
    assert_whole(collector.result)


@pytest.mark.parametrize("rows", [[2, 0, 1], [2, 1, 0], [0, 2, 1]])
@pytest.mark.parametrize("columns", [[0, 1], [1, 0]])
def test_audiences_in_another_order_are_matched_by_id(rows: list[int], columns: list[int]) -> None:
    collector = collector_of_blocks()
    collector.feed(
        body(
            [ROW_IDS[row] for row in rows],
            [COLUMN_IDS[column] for column in columns],
            EXPECTED[np.ix_(rows, columns)],
        )
    )
    assert_whole(collector.result)


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_cells_of_an_audience_that_was_not_requested_are_left_out(axis: int, place: int) -> None:
    ids = [ROW_IDS.copy(), COLUMN_IDS.copy()]
    place = min(place, len(ids[axis]))
    ids[axis].insert(place, "not requested")
    collector = collector_of_blocks()
    update = collector.feed(body(*ids, np.insert(EXPECTED, place, 999, axis=axis)))
    assert update is not None
    assert (len(update.rows), update.arrived, update.expected) == (6, 6, 6)
    assert_whole(collector.result)


def test_an_audience_that_was_not_requested_may_be_the_first_of_both_axes() -> None:
    collector = collector_of_blocks()
    sizes = np.pad(EXPECTED, ((1, 0), (1, 0)), constant_values=999)
    collector.feed(body(["x", *ROW_IDS], ["y", *COLUMN_IDS], sizes))
    assert_whole(collector.result)


def test_a_block_without_cells_fills_nothing() -> None:
    collector = collector_of_blocks()
    header = encode_header(*(CellsAxis(ids, 1, [None] * len(ids)) for ids in (ROW_IDS, COLUMN_IDS)))
    no_rows_of_two_columns = struct.pack("<2I14B2I", 0, 2, *[1] * len(CELL_METRICS), 0, 1)
    frame = struct.pack("<4sI", b"cell", len(no_rows_of_two_columns)) + no_rows_of_two_columns
    assert collector.feed(header + frame) is None
    assert collector.result.count == 0


def test_audiences_that_were_not_requested_alone_fill_nothing() -> None:
    collector = collector_of_blocks()
    assert collector.feed(body(["x", "y"], ["z"], np.zeros((2, 1)))) is None
    assert collector.result.count == 0


def test_a_part_that_came_before_may_come_again_with_the_same_values() -> None:
    collector = collector_of_blocks()
    collector.feed(body(ROW_IDS[1:], COLUMN_IDS[:1], EXPECTED[1:, :1]))
    collector.blocks = BlockDecoder()
    update = collector.feed(body(ROW_IDS, COLUMN_IDS, EXPECTED))
    assert update is not None
    arrived = list(zip(update.rows.tolist(), update.columns.tolist(), strict=True))
    assert arrived == [(0, 0), (0, 1), (1, 1), (2, 1)]
    assert_whole(collector.result)


def test_a_part_that_comes_again_with_other_values_is_refused() -> None:
    collector = collector_of_blocks()
    collector.feed(body(ROW_IDS, COLUMN_IDS, EXPECTED))
    collector.blocks = BlockDecoder()
    with pytest.raises(ContradictingCells):
        collector.feed(body(ROW_IDS[1:2], COLUMN_IDS, EXPECTED[1:2], add=1))
