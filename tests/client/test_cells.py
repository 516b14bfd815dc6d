"""Cells find their places by id, by echo or by index, and completeness is counted."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from audiencelab.audience import Audience, Q
from audiencelab.client.cells import CellCollector
from audiencelab.frames import FIGURES, CrosstabResult

ROWS = tuple(Audience(f"Row {n}", Q("q1").any(f"q1_{n}"), f"row-{n}") for n in (1, 2, 3))
COLUMNS = tuple(Audience(f"Column {n}", Q("q2").any(f"q2_{n}"), f"column-{n}") for n in (1, 2))


def cell(row: int, column: int) -> dict[str, Any]:
    """The cell of two places (from 0), its size 100 × row + column, with every way to name it."""
    size = 100.0 * row + column + 1

    def side(audience: Audience, share: float) -> dict[str, Any]:
        return {
            "audience": audience.id,
            "size": 1_000.0,
            "sample": 10,
            "percentage": 50.0,
            "intersect_percentage": share,
        }

    return {
        "audiences": {"row": side(ROWS[row], 7.0), "column": side(COLUMNS[column], 9.0)},
        "base": {"size": 2_000.0, "sample": 20},
        "intersect": {"size": size, "sample": 1, "percentage": 1.0, "index": 100.0},
        "row": ROWS[row].to_wire(),
        "row_index": row + 1,
        "column": COLUMNS[column].to_wire(),
        "column_index": column + 1,
    }


def cells() -> list[dict[str, Any]]:
    return [cell(row, column) for row in range(3) for column in range(2)]


def collect(
    found: list[dict[str, Any]], rows: Any = ROWS, columns: Any = COLUMNS, **options: Any
) -> CrosstabResult:
    collector = CellCollector(CrosstabResult(rows, columns, **options))
    data = "\n".join(map(json.dumps, found)).encode()
    for start in range(0, len(data), 500):
        collector.feed(data[start : start + 500])
    collector.finish()
    return collector.result


EXPECTED = np.array([[1, 2], [101, 102], [201, 202]], dtype=float)


def without(found: list[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """The cells without our ids, and without the given fields."""
    for each in found:
        for side in each["audiences"].values():
            side["audience"] = "made up by the service"
        for key in keys:
            each.pop(key)
    return found


def test_cells_are_matched_by_id_in_any_order() -> None:
    found = cells()
    random.Random(3).shuffle(found)
    table = collect(found)
    assert table.complete
    assert np.array_equal(table.values("size"), EXPECTED)


def test_each_figure_comes_from_its_own_field() -> None:
    table = collect([cell(0, 0)], ROWS[:1], COLUMNS[:1])
    figures = {name: float(table.values(name)[0, 0]) for name in FIGURES}
    assert figures == {
        "size": 1,
        "sample": 1,
        "percentage": 1,
        "index": 100,
        "column_percentage": 7,
        "row_percentage": 9,
        "row_size": 1_000,
        "row_sample": 10,
        "row_base_percentage": 50,
        "column_size": 1_000,
        "column_sample": 10,
        "column_base_percentage": 50,
        "base_size": 2_000,
        "base_sample": 20,
    }


def test_without_our_ids_the_echo_tells() -> None:
    found = without(cells(), "row_index", "column_index")
    for each in found:
        del each["row"]["id"], each["column"]["id"]
    assert np.array_equal(collect(found).values("size"), EXPECTED)


def test_an_echo_is_recognised_in_the_services_own_spelling() -> None:
    found = without([cell(0, 0)], "row_index", "column_index")
    found[0]["row"] = {
        "id": "other",
        "name": "Row 1",
        "expression": {"question": "q1", "options": ["q1_1"], "min_count": 1, "not": False},
    }
    assert collect(found).arrived[0, 0]


def test_without_ids_and_echoes_the_indices_tell_and_one_is_the_first() -> None:
    found = without(cells(), "row", "column")
    assert np.array_equal(collect(found).values("size"), EXPECTED)


def test_a_service_that_counts_from_zero_is_recognised() -> None:
    found = without(cells(), "row", "column")
    for each in found:
        each["row_index"] = float(each["row_index"] - 1)
        each["column_index"] = float(each["column_index"] - 1)
    assert np.array_equal(collect(found).values("size"), EXPECTED)


def test_base_cells_besides_do_not_make_a_service_count_from_zero() -> None:
    base = without([cell(2, 1)], "row", "column")[0]
    base["row_index"] = base["column_index"] = 0
    table = collect([base, *without(cells(), "row", "column")])
    assert np.array_equal(table.values("size"), EXPECTED)


def as_base(found: dict[str, Any], side: str) -> dict[str, Any]:
    """The cell with one side turned into all base respondents, index 0."""
    found["audiences"][side] |= found["base"]
    found[f"{side}_index"] = 0
    return found


def test_base_cells_whose_last_row_is_lost_are_not_taken_for_rows_counted_from_zero() -> None:
    found = [as_base(cell(0, column), "row") for column in range(2)] + cells()[:4]
    table = collect(without(found, "row", "column"))
    assert table.missing() == [(2, 0), (2, 1)]
    assert np.array_equal(table.values("size")[:2], EXPECTED[:2])


def test_indices_that_tell_nothing_for_sure_place_no_cell() -> None:
    alone = (Audience("All", id="base"),)
    found = without([as_base(cell(0, 0), "row"), cell(0, 0), cell(1, 0)], "row", "column")
    collector = CellCollector(CrosstabResult(ROWS, alone, columns_requested=False))
    collector.feed("\n".join(map(json.dumps, found)).encode())
    collector.finish()
    assert (collector.result.count, collector.unplaced) == (0, 3)


@pytest.mark.parametrize(
    "echo",
    [
        5,
        [1],
        {"id": [1]},
        {"id": {}, "name": 7},
        {"expression": {"and": 5}},
        {"expression": {"or": "text", "suffixes": 5}},
        {"expression": [{}]},
    ],
)
def test_an_echo_that_is_no_audience_says_nothing(echo: Any) -> None:
    found = without(cells(), "column")
    for each in found:
        each["row"] = echo
    assert np.array_equal(collect(found).values("size"), EXPECTED)


def test_an_audience_that_is_null_is_one_that_is_not_named() -> None:
    found = cells()
    for each in found:
        each["audiences"]["row"]["audience"] = None
    assert np.array_equal(collect(found).values("size"), EXPECTED)


def test_a_figure_that_is_left_out_is_not_known_and_never_0() -> None:
    found = cell(0, 0)
    del found["audiences"]["row"]["size"]
    table = collect([found])
    assert np.isnan(table.values("row_size")[0, 0])
    assert table.values("column_size")[0, 0] == 1_000


def test_a_stranger_among_cells_with_our_ids_takes_nobodys_place() -> None:
    stranger = without([cell(0, 0)], "row", "column")[0]
    stranger["row_index"] = stranger["column_index"] = 0
    table = collect([stranger, *cells()[1:]])
    assert table.missing() == [(0, 0)]


def test_duplicates_are_dropped_and_the_first_one_stays() -> None:
    again = cell(0, 0)
    again["intersect"]["size"] = 999.0
    table = collect([cell(0, 0), again, *cells(), again])
    assert table.count == 6
    assert table.values("size")[0, 0] == 1


def test_what_is_missing_is_known_by_place() -> None:
    found = [each for each in cells() if each["intersect"]["size"] not in (2, 201)]
    table = collect(found)
    assert not table.complete
    assert table.missing() == [(0, 1), (2, 0)]
    assert np.isnan(table.values("size")[0, 1])


def test_a_side_that_was_not_asked_for_has_one_place_by_any_name() -> None:
    alone = (Audience("All", id="base"),)
    found = [cell(row, 0) for row in range(3)]
    for each in found:
        each["audiences"]["column"]["audience"] = ""
        each["column_index"] = 0.0
        del each["column"]
    table = collect(found, columns=alone, columns_requested=False)
    assert table.values("size")[:, 0].tolist() == [1, 101, 201]
    assert table.column_index().tolist() == [0]
    assert table.row_index().tolist() == [1, 2, 3]


def test_updates_tell_the_places_that_are_new() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    text = (json.dumps(cell(2, 1)) + "\n" + json.dumps(cell(2, 1)) + "\n").encode()
    update = collector.feed(text)
    assert update is not None
    assert (update.rows.tolist(), update.columns.tolist()) == ([2], [1])
    assert (update.arrived, update.expected) == (1, 6)
    assert collector.feed(text) is None


@pytest.mark.parametrize("index", [-1, 7, 1.5, None])
def test_an_index_that_means_nothing_is_left_out(index: float | None) -> None:
    found = without([cell(0, 0)], "row", "column")
    found[0]["row_index"] = index
    assert collect(found).count == 0
