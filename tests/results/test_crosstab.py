"""The crosstab: cells stored by place, and a frame whose columns are a contract."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd

from audiencelab.expressions import Audience, Q
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.results.metrics import frame_name
from audiencelab.tables import CrosstabResult, answered
from tests.messages import fails
from tests.results.samples import crosstab


def test_the_columns_of_the_frame_are_these_in_this_order() -> None:
    kinds = {name: str(kind) for name, kind in crosstab().to_frame().dtypes.items()}
    text = str(pd.Series(["text"]).dtype)
    assert kinds == {
        "row_index": "int64",
        "row_id": text,
        "row": "category",
        "column_index": "int64",
        "column_id": text,
        "column": "category",
        "size": "float64",
        "sample": "int64",
        "total_percentage": "float64",
        "index": "float64",
        "column_percentage": "float64",
        "row_percentage": "float64",
        "row_size": "float64",
        "row_sample": "int64",
        "row_base_percentage": "float64",
        "column_size": "float64",
        "column_sample": "int64",
        "column_base_percentage": "float64",
        "base_size": "float64",
        "base_sample": "int64",
        "note": text,
    }


def test_lines_come_rows_first_in_the_order_asked_for() -> None:
    frame = crosstab().to_frame()
    assert frame["row"].tolist() == ["Men"] * 3 + ["Women"] * 3
    assert frame["column"].tolist() == ["Tea", "Coffee", "Water"] * 2
    assert frame["row_index"].tolist() == [1, 1, 1, 2, 2, 2]
    assert frame["column_index"].tolist() == [1, 2, 3, 1, 2, 3]
    assert frame["column"].cat.categories.tolist() == ["Tea", "Coffee", "Water"]
    assert frame["row"].cat.ordered
    assert [frame[frame_name(name)].iloc[0] for name in FIGURES] == list(range(1, 15))


def test_audiences_of_one_name_stay_apart_by_index_and_id() -> None:
    frame = crosstab(rows=("Same", "Same")).to_frame()
    assert frame["row"].cat.categories.tolist() == ["Same"]
    assert frame["row_id"].nunique() == 2
    assert crosstab(rows=("Same", "Same")).to_wide().index.tolist() == ["Same", "Same"]


def test_a_base_that_is_empty_in_some_cells_only_means_no_wave_in_common() -> None:
    base = np.array([[5.0, 5.0, 0.0], [5.0, 5.0, 0.0]])
    table = crosstab(base_size=base, base_sample=base)
    frame = table.to_frame()
    assert frame["note"].tolist() == ["", "", "no wave in common"] * 2
    assert np.isnan(table.values("index")[0, 2])
    assert table.base_varies


def test_bases_of_as_many_respondents_may_be_of_different_people() -> None:
    sizes = np.array([[600.0, 615.0, 600.0]] * 2)
    assert crosstab(base_sample=2_000, base_size=sizes).base_varies
    assert not crosstab(base_sample=2_000, base_size=600.0 * (1 + 1e-12)).base_varies


def test_a_table_under_way_shows_what_has_come() -> None:
    table = crosstab(fill=False)
    assert (len(table), table.count, table.expected, table.complete) == (0, 0, 6, False)
    assert len(table.to_frame()) == 0
    assert table.to_wide().isna().all(axis=None)
    assert np.isnan(table.base_size)
    cells_of(table).store(np.array([1]), np.array([2]), np.ones((1, len(FIGURES))))
    assert table.to_frame()["column"].tolist() == ["Water"]
    assert table.missing() == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert repr(table).endswith("1 of 6 cells, wave: Q1 2024>")


def test_values_are_a_view_that_nobody_can_write_to() -> None:
    table = crosstab(fill=False)
    view = table.values("index")
    cells_of(table).store(np.array([0]), np.array([0]), np.full((1, len(FIGURES)), 7.0))
    assert view[0, 0] == 7.0
    with fails(ValueError):
        view[0, 0] = 1.0


def test_store_keeps_the_first_of_two_and_says_which_were_new() -> None:
    table = crosstab(fill=False)
    rows, columns = np.array([1, 0, 1]), np.array([1, 0, 1])
    figures = np.repeat(np.array([[1.0], [2.0], [3.0]]), len(FIGURES), axis=1)
    assert cells_of(table).store(rows, columns, figures).tolist() == [0, 1]
    assert table.values("size")[1, 1] == 1.0
    assert cells_of(table).store(rows, columns, figures).tolist() == []
    assert table.count == 2


def test_margins_come_from_the_cell_with_the_largest_base() -> None:
    samples = np.array([[10.0, 30.0, 20.0], [10.0, 5.0, 40.0]])
    sizes = np.array([[1.0, 3.0, 2.0], [10.0, 5.0, 40.0]])
    table = crosstab(base_sample=samples, row_size=sizes, column_size=sizes)
    assert table.row_values("row_size").tolist() == [3.0, 40.0]
    assert table.column_values("column_size").tolist() == [1.0, 3.0, 40.0]
    assert table.base_sample == 40.0
    with fails(ValueError):
        table.row_values("index")


def test_wide_is_rows_down_and_columns_across() -> None:
    index = np.arange(6.0).reshape(2, 3)
    table = crosstab(index=index)
    wide = table.to_wide("index")
    assert wide.loc["Women", "Water"] == 5.0
    assert (wide.index.name, wide.columns.name) == ("row", "column")
    assert table.to_wide(labels=False).index.tolist() == ["row-1", "row-2"]
    with fails(ValueError):
        table.to_wide(["index", "mean"])
    with fails(ValueError):
        table.to_wide("audience_index")


def test_several_figures_stand_beside_each_other_under_each_column() -> None:
    table = crosstab(columns=("Tea", "Tea"), index=np.arange(4.0).reshape(2, 2))
    wide = table.to_wide(["index", "size"])
    assert wide.columns.names == ["column", "metric"]
    assert wide.columns.tolist() == [("Tea", "index"), ("Tea", "size")] * 2
    assert wide.loc["Women"].tolist() == [2.0, 1.0, 3.0, 1.0]
    assert wide.attrs["metric"] == ["index", "size"]
    with fails(ValueError):
        table.to_wide([])


def test_a_result_can_be_pickled_half_way() -> None:
    table = crosstab(fill=False)
    cells_of(table).store(np.array([0]), np.array([1]), np.ones((1, len(FIGURES))))
    again: CrosstabResult = pickle.loads(pickle.dumps(table))
    assert again.missing() == table.missing()
    assert again.to_frame().equals(table.to_frame())


def test_attrs_are_json() -> None:
    assert json.loads(json.dumps(crosstab().to_frame().attrs))["operation"] == "crosstab"


def test_a_base_of_those_who_answered_is_any_answer_to_the_question() -> None:
    assert answered("q20") == Audience("Answered q20", Q("q20").any())
