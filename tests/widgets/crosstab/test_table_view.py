"""The grid keeps its lines arranged: for the page, for Python, and over another query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.crosstab import CrosstabGrid
from audiencelab.widgets.crosstab.axis import Axis
from audiencelab.widgets.crosstab.tiles import Tile
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView, Filter, SortKey
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.test_tiles import read
from tests.widgets.gated import TIMEOUT, GatedClient

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
MEN = al.Audience("Men", al.Q("q2").any("q2_1"))
AGES = [al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7)]


def ask(wire: Wire, grid: CrosstabGrid, op: str, **args: object) -> Any:
    args = {"generation": grid._table["generation"], **args}
    return wire.request(grid, op, args).content["data"]


def arrange(wire: Wire, grid: CrosstabGrid, **sides: object) -> None:
    """The page arranges the table that is shown."""
    wire.set_state(grid, _arrangement={"generation": grid._table["generation"], **sides})


def test_the_page_hears_of_heads_and_nets_only_where_there_are_some(wire: Wire, make: Make) -> None:
    plain = make(AGES, [WOMEN])
    assert plain._table["banners"] is False
    grid = make(
        {"Age": {"Young": AGES[:2], "Old": AGES[2:]}}, Axis([WOMEN, MEN], nets=[False, True])
    )
    assert grid._table["banners"] is True
    assert ask(wire, grid, "banners") == {
        "rows": {"runs": [[["Age", "Young"], 2], [["Age", "Old"], 4]], "nets": []},
        "columns": {"runs": [[[], 2]], "nets": [1]},
    }


def test_a_level_without_a_direction_is_sorted_as_a_level_of_python_is() -> None:
    told = {"rows": {"sort": [{"by": 0}, {"by": "size", "direction": "sideways"}]}}
    assert Arrangement.from_dict(told).rows.sort == (SortKey(0),)


def test_a_measure_is_a_column_of_numbers(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    args = {"generation": grid._table["generation"], "side": "rows", "of": 1, "metric": "index"}
    message = wire.request(grid, "measure", args)
    tile = Tile(message.content["data"], message.buffers[0])
    np.testing.assert_array_equal(read(tile, "measure")[:, 0], grid.result.values("index")[:, 1])


def test_before_the_first_cell_there_are_lines_and_no_numbers(
    wire: Wire, make: Make, small_client: Client
) -> None:
    grid = make(AGES, [WOMEN, MEN], client=GatedClient(small_client))
    for side, lines in (("rows", len(AGES)), ("columns", 2)):
        args = {"generation": grid._table["generation"], "side": side, "of": 1, "metric": "index"}
        message = wire.request(grid, "measure", args)
        header = message.content["data"]
        assert (header["rows"], header["columns"], header["complete"]) == (lines, 1, False)
        assert not message.buffers[0]
    assert ask(wire, grid, "apart") == {"cells": []}


def test_the_cells_that_stand_apart_are_told_with_their_figures(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    first, *others = ask(wire, grid, "apart")["cells"]
    row, column = first["row"], first["column"]
    assert first["names"] == [AGES[row].name, ("Women", "Men")[column]]
    assert first["index"] == grid.result.values("index")[row, column]
    assert all(abs(other["z"]) <= abs(first["z"]) for other in others)


def test_python_reads_what_the_page_arranged(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert not grid.arrangement
    arrange(wire, grid, rows={"sort": [{"by": 1, "direction": "descending"}], "hidden": [2]})
    assert grid.arrangement == Arrangement(AxisView(sort=(SortKey(1),), hidden=(2,)))
    wide = grid.to_wide()
    seen = wide.drop(index="Age 3").sort_values("Men", ascending=False, kind="stable")
    pd.testing.assert_frame_equal(grid.to_wide(arranged=True), seen)
    assert list(grid.to_wide().index) == [age.name for age in AGES]


def test_the_arranged_frame_is_swapped_and_folded_as_the_table_is(make: Make) -> None:
    grid = make({"Young": AGES[:2], "Old": AGES[2:]}, [WOMEN, MEN], metrics=["index", "size"])
    grid.arrangement = Arrangement(
        AxisView(folded=(("Old",),)), AxisView(sort=(SortKey(0, metric="size"),), hidden=(0,))
    )
    assert list(grid.to_wide(arranged=True).index) == [("Young", "Age 1"), ("Young", "Age 2")]
    assert list(grid.to_wide(arranged=True).columns) == [("Men", "index"), ("Men", "size")]
    kept = grid.arrangement.to_dict()
    grid.arrangement = {}
    assert grid.to_wide(arranged=True).shape == (6, 4)
    grid.arrangement = kept
    grid.transposed = True
    turned = grid.to_wide("sample", arranged=True)
    assert (list(turned.index), turned.shape) == (["Men"], (1, 6))


def test_while_letters_are_shown_lines_go_by_the_shares_that_these_are_about(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    grid.metric = "letters"
    grid.arrangement = Arrangement(AxisView(sort=(SortKey(0),)))
    shares = grid.result.values("column_percentage")[:, 0]
    assert grid.shown_places()[0] == np.argsort(-shares, kind="stable").tolist()


def test_lines_are_filtered_by_what_any_cell_of_them_says(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    index = grid.result.values("index")
    grid.arrangement = Arrangement(AxisView(filters=(Filter("any", "index", "least", 105),)))
    assert grid.shown_places()[0] == np.flatnonzero((index >= 105).any(axis=1)).tolist()


def test_lines_are_filtered_by_how_far_their_cells_are(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    away = np.abs(grid.to_wide("difference").to_numpy())
    least = float(np.median(away))
    for of, far in (("any", (away >= least).any(axis=1)), ("every", (away >= least).all(axis=1))):
        grid.arrangement = Arrangement(
            AxisView(filters=(Filter(of, "difference", "beyond", least),))
        )
        assert grid.shown_places()[0] == np.flatnonzero(far).tolist()


def test_another_query_keeps_what_both_have(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    arrange(wire, grid, rows={"hidden": [1, 5], "sort": [{"by": 1, "direction": "ascending"}]})
    grid.rows = [AGES[5], AGES[0]]
    assert grid.arrangement.rows == AxisView(sort=(SortKey(1, "ascending"),), hidden=(0,))
    grid.columns = [WOMEN]
    assert grid.arrangement.rows == AxisView(hidden=(0,))
    assert grid._arrangement["generation"] == grid._table["generation"]


def test_a_page_that_arranges_a_table_which_was_replaced_is_passed_over(
    wire: Wire, make: Make
) -> None:
    grid = make(AGES, [WOMEN, MEN])
    old = grid._table["generation"]
    grid.rows = AGES[:3]
    wire.set_state(grid, _arrangement={"generation": old, "rows": {"hidden": [1]}})
    assert not grid.arrangement
    arrange(wire, grid, rows={"hidden": [1, 77], "sort": "nonsense"})
    assert grid.arrangement.rows == AxisView(hidden=(1,))
