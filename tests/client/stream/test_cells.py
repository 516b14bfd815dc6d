"""Cells find their places by id, by echo or by index, and completeness is counted."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.client.stream.axis import UNKNOWN, StreamAxis
from audiencelab.client.stream.collector import CellCollector, ContradictingCells, missing_request
from audiencelab.expressions import Audience, Q
from audiencelab.results.cells import FIGURES
from audiencelab.tables import CrosstabResult
from tests.client.stream.small_table import (
    COLUMNS,
    EXPECTED,
    ROWS,
    again,
    cell,
    cells,
    collect,
    ndjson,
    without,
)
from tests.messages import fails


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


def test_a_null_figure_is_not_known_and_the_cell_came() -> None:
    found = cells()
    found[0]["intersect"]["index"] = None
    found[1]["base"] = {"size": None, "sample": None}
    found[2]["audiences"]["row"]["percentage"] = None
    table = collect(found)
    assert table.complete
    assert np.isnan(table.values("index")[0, 0])
    assert np.isnan(table.values("base_size")[0, 1])
    assert np.isnan(table.values("row_base_percentage")[1, 0])
    assert np.array_equal(table.values("size"), EXPECTED)
    assert np.isnan(table.values("index")).sum() == 1


def test_an_array_of_cells_is_read_like_a_stream_of_them() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    data = json.dumps(cells()).encode()
    for start in range(0, len(data), 300):
        collector.feed(data[start : start + 300])
    collector.finish()
    assert collector.result.complete
    assert np.array_equal(collector.result.values("size"), EXPECTED)


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


@pytest.mark.parametrize("side", ["row", "column"])
@pytest.mark.parametrize(("identity", "count"), [("", 1), (None, 1), ("another", 0)])
def test_a_cell_with_nothing_to_place_it_is_counted(
    side: str, identity: str | None, count: int
) -> None:
    found = cell(0, 0)
    found["audiences"][side]["audience"] = identity
    del found[side], found[f"{side}_index"]
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    collector.feed(ndjson([found]))
    collector.finish()
    assert (collector.result.count, collector.unplaced) == (0, count)


@pytest.mark.parametrize("figure", ["size", "sample"])
def test_as_many_people_as_the_base_or_as_many_respondents_are_not_yet_the_base(
    figure: str,
) -> None:
    alone = (Audience("All", id="base"),)
    found = without([cell(row, 0) for row in range(2)], "row", "column")
    for each in found:
        each["row_index"] -= 1
        each["audiences"]["row"][figure] = each["base"][figure]
    table = collect(found, columns=alone, columns_requested=False)
    assert table.values("size")[:2, 0].tolist() == [1, 101]


def test_a_table_of_one_cell_is_found_by_index_among_its_base_cells() -> None:
    base = as_base(as_base(cell(0, 0), "row"), "column")
    row, column = as_base(cell(0, 0), "row"), as_base(cell(0, 0), "column")
    found = without([base, row, column, cell(0, 0)], "row", "column")
    table = collect(found, ROWS[:1], COLUMNS[:1])
    assert table.values("size").tolist() == [[1]]


ALIKE = tuple(
    Audience("Uses", expression, f"alike-{place}")
    for place, expression in enumerate(
        (
            Q("q20").any("a", "b", "c"),
            ~Q("q20").any("a", "b", "c"),
            Q("q20").at_least(2, "a", "b", "c"),
            Q("q20", suffixes=[1, 2]).any("a", "b", "c"),
            Q("q20").any("a") & Q("q21", suffixes=[1]).any("b"),
            Q("q20").any("a") & ~Q("q21", suffixes=[1]).any("b"),
            Q("q20").any("a") | Q("q21", suffixes=[1]).any("b"),
        )
    )
)


def spelled(node: dict[str, Any]) -> dict[str, Any]:
    """An expression with all that may be left out, and as audiences are saved."""
    rest = {"not": node.get("not", False), "name": None}
    for key in ("and", "or"):
        if key in node:
            return {key: [spelled(child) for child in node[key]], **rest}
    return {
        "question": node["question"],
        "options": node["datapoints"],
        "suffixes": [int(each) for each in node.get("suffixes", [])],
        "min_count": node.get("min_count", 1),
        **rest,
    }


def test_audiences_of_one_name_are_told_apart_by_their_expressions() -> None:
    alone = (Audience("All", id="base"),)
    found = without([cell(0, 0) for _ in ALIKE], "column", "row_index", "column_index")
    for place, (each, audience) in enumerate(zip(found, ALIKE, strict=True)):
        each["row"] = {"name": "Uses", "expression": spelled(audience.to_wire()["expression"])}
        each["intersect"]["size"] = place
    table = collect(found, ALIKE, alone, columns_requested=False)
    assert table.values("size")[:, 0].tolist() == list(range(len(ALIKE)))


def test_audiences_of_one_expression_are_told_apart_by_their_names() -> None:
    alone = (Audience("All", id="base"),)
    twins = tuple(Audience(name, ROWS[0].expression, name.lower()) for name in ("One", "Other"))
    found = without([cell(0, 0)], "column", "row_index", "column_index")
    found[0]["row"] = {"name": "Other", "expression": found[0]["row"]["expression"]}
    table = collect(found, twins, alone, columns_requested=False)
    assert table.arrived.tolist() == [[False], [True]]


def test_audiences_that_nothing_tells_apart_are_not_guessed() -> None:
    alone = (Audience("All", id="base"),)
    twins = tuple(Audience("Row 1", ROWS[0].expression, name) for name in ("one", "other"))
    found = without([cell(0, 0)], "column", "row_index", "column_index")
    del found[0]["row"]["id"]
    assert collect(found, twins, alone, columns_requested=False).count == 0


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


@pytest.mark.parametrize(
    "echo",
    [
        b'{"name":"\xff"}',
        b"[" * 20_000 + b"]" * 20_000,
        b'{"expression":' * 5_000 + b"0" + b"}" * 5_000,
    ],
    ids=["no text", "a deep list", "deep fields"],
)
def test_an_echo_that_cannot_be_read_says_nothing(echo: bytes) -> None:
    axis = StreamAxis(ROWS, requested=True)
    found = axis.match(np.array([UNKNOWN, 1]), [msgspec.Raw(echo)] * 2)
    assert found.tolist() == [UNKNOWN, 1]


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


@pytest.mark.parametrize("count", range(1, 7))
def test_an_update_holds_the_cells_of_all_pieces_of_its_chunk(count: int) -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    padding = b" " * 64 * 1024  # each cell comes in a piece of its own
    update = collector.feed(b"".join(ndjson([each]) + padding for each in cells()[:count]))
    assert update is not None
    places = list(zip(update.rows.tolist(), update.columns.tolist(), strict=True))
    assert places == list(np.ndindex(3, 2))[:count]
    assert update.arrived == count


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
    _, invalid = collector.finish()
    assert "middle of object" in str(invalid)
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
    assert table.to_frame()["column_index"].unique().tolist() == [0]
    assert table.to_frame()["row_index"].unique().tolist() == [1, 2, 3]


@pytest.mark.parametrize("named", ["ids", "row ids", "column ids", "echoes"])
def test_cells_that_name_the_other_axis_are_refused(named: str) -> None:
    """Their indices show a position in the table, or in the transposed one."""
    found = [cell(row, column) for row in range(2) for column in range(2)]
    for each in found:
        row, column = each["audiences"]["row"], each["audiences"]["column"]
        ids = row["audience"], column["audience"]
        row["audience"] = ids[1] if named in ("ids", "row ids") else "theirs"
        column["audience"] = ids[0] if named in ("ids", "column ids") else "theirs"
        each["row"], each["column"] = each["column"], each["row"]
        if named != "echoes":
            del each["row"], each["column"]
    collector = CellCollector(CrosstabResult(ROWS[:2], COLUMNS))
    with fails(ContradictingCells):
        collector.feed(ndjson(found))
    assert not collector.result.count


def test_an_audience_on_both_axes_and_in_the_base_is_no_interchange() -> None:
    both = (COLUMNS[0], ROWS[1])
    columns = tuple(Audience(each.name, each.expression, f"c{n}") for n, each in enumerate(both))
    found = without([cell(row, column) for row in range(2) for column in range(2)])
    base = without([cell(0, 0)])[0] | {"row_index": 0, "row": columns[0].to_wire()}
    for each in (*found, base):
        place = each["column_index"] - 1
        each["column"] = columns[place].to_wire()
        for side in ("row", "column"):
            del each[side]["id"]
    table = collect([base, *found], ROWS[:2], columns)
    assert np.array_equal(table.values("size"), EXPECTED[:2])


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
    updates, invalid = collector.finish()
    assert invalid is None
    assert sorted(row for update in updates for row in update.rows.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("index", [-1, 7, 1.5, None])
def test_an_index_that_means_nothing_is_left_out(index: float | None) -> None:
    found = without([cell(0, 0)], "row", "column")
    found[0]["row_index"] = index
    assert collect(found).count == 0


@pytest.mark.parametrize(("side", "place"), [("row", (2, 0)), ("column", (0, 1))])
def test_a_cell_without_one_of_its_indices_is_not_put_last(
    side: str, place: tuple[int, int]
) -> None:
    found = without(cells(), "row", "column")
    found[2 * place[0] + place[1]][f"{side}_index"] = None
    assert collect(found).missing() == [place]
