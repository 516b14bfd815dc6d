"""Cells find their places by id, by echo or by index, and completeness is counted."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from audiencelab.audience import Audience, Q
from audiencelab.client.stream.cells import CellCollector, ContradictingCells, missing_request
from audiencelab.client.stream.objects import InvalidStream
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


def ndjson(found: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in found).encode()


def feed_all(collector: CellCollector, chunks: list[bytes]) -> None:
    for chunk in chunks:
        collector.feed(chunk)


def collect(
    found: list[dict[str, Any]], rows: Any = ROWS, columns: Any = COLUMNS, **options: Any
) -> CrosstabResult:
    collector = CellCollector(CrosstabResult(rows, columns, **options))
    data = ndjson(found)
    feed_all(collector, [data[start : start + 500] for start in range(0, len(data), 500)])
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


@pytest.mark.parametrize("count", [1, 2])
def test_a_figure_without_a_denominator_has_no_value_in_batches_of_any_size(count: int) -> None:
    found = cells()[:count]
    for each in found:
        each["audiences"]["row"] |= {"size": 0.0, "sample": 0}
    table = collect(found)
    assert np.isnan(table.values("index")[0, :count]).all()
    assert (table.values("percentage")[0, :count] == 1).all()


def test_a_chunk_of_megabytes_gives_one_update_with_all_its_cells() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    update = collector.feed(
        b" " * 40_000 + (b" " * 40_000).join(map(ndjson, [[c] for c in cells()]))
    )
    assert update is not None
    assert sorted(zip(update.rows, update.columns, strict=True)) == sorted(np.ndindex(3, 2))
    assert update.arrived == 6


def test_a_stranger_among_cells_with_our_ids_takes_nobodys_place() -> None:
    stranger = without([cell(0, 0)], "row", "column")[0]
    stranger["row_index"] = stranger["column_index"] = 0
    table = collect([stranger, *cells()[1:]])
    assert table.missing() == [(0, 0)]


def again(row: int, column: int, **figures: float) -> dict[str, Any]:
    """The cell once more, some figures of the intersect told otherwise."""
    found = cell(row, column)
    found["intersect"] |= figures
    return found


def test_equal_duplicates_are_dropped() -> None:
    table = collect([cell(0, 0), cell(0, 0), *cells(), cell(0, 0)])
    assert table.count == 6
    assert np.array_equal(table.values("size"), EXPECTED)


def test_duplicates_that_differ_by_rounding_are_equal_and_the_first_one_stays() -> None:
    table = collect([*cells(), again(0, 0, size=1.4, percentage=1.04, index=99.9)])
    assert table.complete
    assert table.values("index")[0, 0] == 100


@pytest.mark.parametrize(
    ("figure", "value", "words"),
    [
        ("size", 999, "size 1 and 999"),
        ("sample", 2, "sample 1 and 2"),
        ("percentage", 1.2, "percentage 1 and 1.2"),
        ("index", 100.11, "index 100 and 100.11"),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_a_duplicate_that_says_something_else_is_named_and_neither_is_kept(
    figure: str, value: float, words: str, apart: bool
) -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    first, other = ndjson(cells()), ndjson([again(0, 0, **{figure: value})])
    named = f"'Row 1' × 'Column 1' came twice and differs: {words}"
    with pytest.raises(ContradictingCells, match=re.escape(named)):
        feed_all(collector, [first, other] if apart else [first + other])
    assert collector.result.missing() == [(0, 0)]
    assert np.isnan(collector.result.values("size")[0, 0])


def test_a_figure_left_out_in_one_of_two_cells_is_no_contradiction() -> None:
    silent = cell(0, 0)
    del silent["audiences"]["row"]["size"]
    assert collect([cell(0, 0), silent]).values("row_size")[0, 0] == 1_000


def test_contradicting_cells_known_by_index_alone_are_named_by_it() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    found = without([*cells(), again(0, 1, size=999)], "row", "column")
    collector.feed(ndjson(found))
    with pytest.raises(ContradictingCells, match="'row_index 1' × 'column_index 2'"):
        collector.finish()


def test_strangers_that_contradict_each_other_do_not_disturb_cells_with_our_ids() -> None:
    strangers = without([again(0, 0, size=5), again(0, 0, size=500)], "row", "column")
    assert collect([*strangers, *cells()]).complete


@pytest.mark.parametrize("keys", [("row", "column"), ("row_index", "column_index")])
def test_a_stream_that_never_brings_anything_new_is_refused(keys: tuple[str, str]) -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    chunk = ndjson(cells() + without(cells(), *keys))
    with pytest.raises(InvalidStream, match="does not end"):
        feed_all(collector, [chunk] * 1_000)
    assert np.array_equal(collector.result.values("size"), EXPECTED)


def table_text(side: int) -> list[bytes]:
    """The cells of side × side audiences, a row at a time."""
    text = json.dumps(cell(0, 0)) + "\n"
    row = "".join(text.replace('"column-1"', f'"column-{place}"') for place in range(side))
    return [row.replace('"row-1"', f'"row-{place}"').encode() for place in range(side)]


def test_memory_is_that_of_the_columns_whatever_comes_again_or_is_of_strangers() -> None:
    side = 200
    rows, columns = (
        tuple(Audience(f"{kind} {n}", id=f"{kind}-{n}") for n in range(side))
        for kind in ("row", "column")
    )
    text = table_text(side)
    strangers = text[0].replace(b'"row-0"', b'"nobody"').replace(b'"name": "Row 1"', b'"name": ""')
    tracemalloc.start()
    try:
        collector = CellCollector(CrosstabResult(rows, columns))
        for chunk in [*text, *[strangers] * 100, *text[:50]]:
            collector.feed(chunk)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert collector.result.complete
    assert peak < 1.5 * side**2 * len(FIGURES) * 8


# -- going on after a broken stream ---------------------------------------------------------------


def test_a_whole_table_misses_nothing() -> None:
    assert missing_request(collect(cells())) == ((), ())


def test_a_stream_cut_inside_a_row_is_gone_on_with_from_that_row() -> None:
    assert missing_request(collect(cells()[:3])) == ((1, 2), (0, 1))
    assert missing_request(collect(cells()[:5])) == ((2,), (1,))


def test_one_hole_is_all_that_is_asked_for() -> None:
    assert missing_request(collect(cells()[:2] + cells()[3:])) == ((1,), (0,))


def go_on(result: CrosstabResult, found: list[dict[str, Any]]) -> CellCollector:
    rows, columns = missing_request(result)
    collector = CellCollector(result, rows=rows, columns=columns)
    collector.feed(ndjson(found))
    collector.finish()
    return collector


def numbered_anew(found: dict[str, Any], row: int, column: int) -> dict[str, Any]:
    """The cell as the answer to a smaller request has it, without ids and echoes."""
    return without([found | {"row_index": row, "column_index": column}], "row", "column")[0]


def test_a_second_stream_fills_the_rest_by_id_and_what_overlaps_must_agree() -> None:
    table = collect(cells()[:3])
    go_on(table, cells()[2:])
    assert np.array_equal(table.values("size"), EXPECTED)
    table = collect(cells()[:3])
    with pytest.raises(ContradictingCells):
        go_on(table, [again(1, 0, size=999), *cells()[3:]])


@pytest.mark.parametrize("first", [0, 1])
def test_indices_of_a_second_stream_count_within_its_request(first: int) -> None:
    table = collect([cell(0, 0), cell(0, 1), cell(1, 0), cell(2, 0)])
    assert missing_request(table) == ((1, 2), (1,))
    found = [numbered_anew(cell(row, 1), row - 1 + first, first) for row in (1, 2)]
    go_on(table, found)
    assert np.array_equal(table.values("size"), EXPECTED)


def test_our_ids_say_more_than_the_indices_of_a_stream_that_answers_the_whole_request() -> None:
    table = collect(cells()[:4])
    go_on(table, cells())
    assert np.array_equal(table.values("size"), EXPECTED)


def test_cells_by_index_are_kept_although_the_stream_broke() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    found = without([cell(0, 1), cell(2, 0)], "row", "column")
    collector.feed(ndjson(found) + b'{"audiences":')
    with pytest.raises(InvalidStream, match="middle of object"):
        collector.finish()
    assert collector.result.missing() == [(0, 0), (1, 0), (1, 1), (2, 1)]


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


def test_the_last_update_holds_the_last_cells_and_those_that_waited() -> None:
    alone = (Audience("All", id="base"),)
    collector = CellCollector(CrosstabResult(ROWS, alone, columns_requested=False))
    found = without([cell(row, 0) for row in range(3)], "row", "column")
    collector.feed(ndjson(found[:2]))
    collector.feed(json.dumps(found[2]).encode())
    update = collector.finish()
    assert update is not None
    assert sorted(update.rows.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("index", [-1, 7, 1.5, None])
def test_an_index_that_means_nothing_is_left_out(index: float | None) -> None:
    found = without([cell(0, 0)], "row", "column")
    found[0]["row_index"] = index
    assert collect(found).count == 0
