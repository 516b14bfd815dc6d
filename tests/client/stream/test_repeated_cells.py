"""Cells that come again, contradict each other, or are nobody's."""

from __future__ import annotations

import json
import re
import tracemalloc

import numpy as np
import pytest

from audiencelab.client.stream.collector import CellCollector, ContradictingCells
from audiencelab.client.stream.objects import InvalidStream
from audiencelab.expressions import Audience
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
    feed_all,
    ndjson,
    without,
)
from tests.messages import fails


@pytest.mark.parametrize("side", ["row", "column"])
def test_a_cell_of_which_one_side_is_a_stranger_takes_nobodys_place(side: str) -> None:
    stranger = again(0, 0, size=999)
    stranger["audiences"][side]["audience"] = "nobody's"
    del stranger[side]
    stranger[f"{side}_index"] = None
    table = collect([*cells()[:3], stranger, *cells()[3:]])
    assert np.array_equal(table.values("size"), EXPECTED)
    assert collect([stranger]).count == 0


def test_a_stranger_in_every_batch_takes_nobodys_place() -> None:
    stranger = without([cell(0, 0)], "row", "column")[0]
    stranger["row_index"] = stranger["column_index"] = 0
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    collector.feed(ndjson([stranger, *cells()[1:]]))
    collector.finish()
    assert collector.result.missing() == [(0, 0)]


def test_a_stranger_among_cells_with_our_ids_takes_nobodys_place() -> None:
    stranger = without([cell(0, 0)], "row", "column")[0]
    stranger["row_index"] = stranger["column_index"] = 0
    table = collect([stranger, *cells()[1:]])
    assert table.missing() == [(0, 0)]


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


@pytest.mark.parametrize(("row", "column"), list(np.ndindex(3, 2)))
def test_the_cell_that_is_contradicted_is_the_one_that_is_withdrawn(row: int, column: int) -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    other = again(row, column, size=999)
    del other["audiences"]["column"]["size"]
    with pytest.raises(ContradictingCells) as caught:
        collector.feed(ndjson([*cells(), other]))
    size = f"{EXPECTED[row, column]:g}"
    assert f"differs: size {size} and 999. Neither is kept." in str(caught.value)
    assert collector.result.missing() == [(row, column)]


def test_a_figure_left_out_in_one_of_two_cells_is_no_contradiction() -> None:
    silent = cell(0, 0)
    del silent["audiences"]["row"]["size"]
    assert collect([cell(0, 0), silent]).values("row_size")[0, 0] == 1_000


def test_contradicting_cells_known_by_index_alone_are_named_by_it() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    found = without([*cells(), again(0, 1, size=999)], "row", "column")
    collector.feed(ndjson(found))
    _, invalid = collector.finish()
    assert isinstance(invalid, ContradictingCells)
    assert "'row_index 1' × 'column_index 2'" in str(invalid)


def test_strangers_that_contradict_each_other_do_not_disturb_cells_with_our_ids() -> None:
    strangers = without([again(0, 0, size=5), again(0, 0, size=500)], "row", "column")
    assert collect([*strangers, *cells()]).complete


@pytest.mark.parametrize("keys", [("row", "column"), ("row_index", "column_index")])
def test_a_stream_that_never_brings_anything_new_is_refused(keys: tuple[str, str]) -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    chunk = ndjson(cells() + without(cells(), *keys))
    with fails(InvalidStream):
        feed_all(collector, [chunk] * 1_000)
    assert np.array_equal(collector.result.values("size"), EXPECTED)


@pytest.mark.parametrize("keys", [(), ("row", "column")])
def test_cells_may_come_again_ten_times_the_table_and_its_margins(keys: tuple[str, ...]) -> None:
    """As many as that even where the service adds the base to both sides of the table."""
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    once = without(cells(), *keys) if keys else cells()
    for each in once * (1 + 10 * 4 * 3 // 6):
        collector.feed(ndjson([each]))
    with fails(InvalidStream):
        collector.feed(ndjson(once[:1]))


def test_cells_of_nobody_are_counted_however_few_come_at_once() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    nobody = ndjson(without([cell(0, 0)], "row", "column", "row_index", "column_index"))
    feed_all(collector, [nobody] * 10 * 4 * 3)
    with fails(InvalidStream):
        collector.feed(nobody)


def test_the_base_beside_the_table_is_not_what_a_stream_is_refused_for() -> None:
    collector = CellCollector(CrosstabResult(ROWS, COLUMNS))
    strangers = [cell(0, 0) for _ in range(119)]
    without(strangers, "row", "column", "row_index", "column_index")
    assert collector.feed(ndjson(cells() + strangers)) is not None
    collector.finish()
    assert collector.unplaced == 0


def table_text(side: int) -> list[bytes]:
    """The cells of side × side audiences, a row at a time."""
    text = json.dumps(cell(0, 0)) + "\n"
    row = "".join(text.replace('"column-1"', f'"column-{place}"') for place in range(side))
    return [row.replace('"row-1"', f'"row-{place}"').encode() for place in range(side)]


def test_memory_is_that_of_the_columns_whatever_comes_again_or_is_of_strangers() -> None:
    side = 100
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
