"""The standard error of a column percentage as a metric of cells, on every surface."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.csv_files import as_csv
from audiencelab.widgets.crosstab.export_cells import ExportCells, printed_metrics
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.marks import TableMarks
from audiencelab.widgets.crosstab.metrics import transposed_table
from audiencelab.widgets.crosstab.static_html import grid_html
from audiencelab.widgets.crosstab.tiles import cut_marks
from tests.analysis.samples import without_ask
from tests.analysis.test_sample_design import CLUSTER, answers, halves, make_survey
from tests.charts.samples import subtitle
from tests.render.excel.workbook_reader import sheets, texts, written

DESIGNS: dict[str, dict[str, Any]] = {
    "weights": {"weights": np.where(CLUSTER % 2, 1.0, 3.0)},
    "clusters": {"clusters": CLUSTER, "strata": CLUSTER // 10},
    "none": {"weights": 2.5},
}


def table_of(folder: Path, **design: Any) -> CrosstabResult:
    with al.connect(survey=make_survey(folder, **design, **halves())) as client:
        return client.crosstab(rows=answers("said"), columns=answers("group"))


def errors(table: CrosstabResult, name: str = "column_percentage") -> Any:
    return table.intervals()[f"{name}_se"].to_numpy().reshape(table.shape)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> CrosstabResult:
    return table_of(tmp_path_factory.mktemp("designed"), **DESIGNS["clusters"])


@pytest.mark.parametrize("design", DESIGNS)
def test_they_are_those_of_the_intervals_to_the_last_bit(tmp_path: Path, design: str) -> None:
    table = table_of(tmp_path, **DESIGNS[design])
    for each in (table, pickle.loads(pickle.dumps(table)), without_ask(table)):
        np.testing.assert_array_equal(each["se"].to_numpy(), errors(each))
        of_row = each.values("row_base_standard_error")
        np.testing.assert_array_equal(of_row, errors(each, "row_base_percentage"))


def test_columns_that_are_waves_have_those_of_the_intervals(small: al.Client) -> None:
    table = small.crosstab("Gender", "waves")
    np.testing.assert_array_equal(table.values("standard_error"), errors(table))


@pytest.fixture(scope="module")
def small() -> Iterator[al.Client]:
    from audiencelab.survey import demo_survey

    with al.connect(survey=demo_survey(800)) as client:
        yield client


def test_a_replayed_table_has_those_that_were_recorded(small: al.Client, tmp_path: Path) -> None:
    file = tmp_path / "a.audiencelab.jsonl"
    with small.recording(file):
        asked = small.crosstab("Gender", "Age")["se"]
    with al.connect(snapshot=file) as replayed:
        assert replayed.crosstab("Gender", "Age")["se"].equals(asked)


def test_a_frame_says_what_they_are_of_and_other_frames_have_none(table: CrosstabResult) -> None:
    wide = table.to_wide(["column", "se"])
    assert list(wide.columns.get_level_values("metric")[:2]) == [
        "column_percentage",
        "standard_error",
    ]
    assert wide.attrs["method_note"] == "Standard errors are by the design of the sample."
    assert not [name for name in table.to_frame() if "standard_error" in str(name)]
    assert "method_note" not in table.to_wide().attrs


def test_a_design_without_variance_has_none_and_says_why(tmp_path: Path) -> None:
    table = table_of(tmp_path, strata=CLUSTER, clusters=CLUSTER)
    wide = table.to_wide("standard_error")
    assert wide.isna().all(axis=None)
    assert "Every stratum has a single cluster" in wide.attrs["method_note"]
    assert "No standard errors: Every stratum" in table.to_html(metrics=["column", "se"])


def test_a_service_that_does_not_know_the_design_says_what_to_do(table: CrosstabResult) -> None:
    note = without_ask(table).to_wide("se").attrs["method_note"]
    assert "simple random sample (design unknown)" in note
    assert "table.intervals(design=1.4)" in note


def test_tables_and_workbooks_write_points_with_two_decimals(table: CrosstabResult) -> None:
    first = table.values("standard_error")[0, 0]
    for text in (table.to_html(metrics=["column", "se"]), table.to_markdown(metrics=["se"])):
        assert f"{first:.2f}" in text
        assert "Standard error, points" in text
        assert "by the design of the sample" in text
    [sheet, *_] = sheets(written(table, metrics=["column", "se"])).values()
    assert "Standard error, points" in texts(sheet)
    found = [
        cell for line in sheet.iter_rows() for cell in line if cell.value == pytest.approx(first)
    ]
    assert {cell.number_format.split("_")[0] for cell in found} == {"#,##0.00"}


def test_everyone_in_the_base_has_the_error_of_the_share_of_the_base(table: CrosstabResult) -> None:
    text = table.to_markdown(metrics=["se"])
    assert f"{errors(table, 'row_base_percentage')[0, 0]:.2f}" in text


def test_so_it_has_where_rows_count_those_who_answered_and_all_of_them_are_in_the_cells() -> None:
    tea, city = np.tile(["green", "black", "none"], 40), np.repeat(["Oslo", "Bergen"], 60)
    client = al.open(pd.DataFrame({"tea": tea, "city": city}), quiet=True)
    table = client.crosstab("tea", "city")
    assert table.whole is not None
    errors_of_all = table.row_values("row_base_standard_error")
    np.testing.assert_array_equal(errors_of_all, errors(table, "row_base_percentage")[:, 0])


def test_a_low_base_is_marked_and_can_be_left_out(small: al.Client) -> None:
    few = small.crosstab("Gender", "Age")
    assert few.to_wide("se", hide_under=1e6).isna().all(axis=None)
    assert "*" in few.to_markdown(metrics=["se"]).partition("Male")[2]


def test_a_chart_names_them(table: CrosstabResult) -> None:
    assert "Standard error, points" in subtitle(table.chart.bar("se"))


def test_a_grid_gets_them_with_its_tests_and_saves_and_exports_them(table: CrosstabResult) -> None:
    marks, every = TableMarks(table), (np.arange(2), np.arange(2))
    header, _ = cut_marks(marks.of(*every), None)
    assert "standard_error" in [plane.name for plane in header.planes]
    expected = table.values("standard_error")
    np.testing.assert_array_equal(marks.of(*every).plane("standard_error"), expected)
    looks = Looks(metrics=("column_percentage", "standard_error"), significance="none")
    shown = str(grid_html((2, 2), "", table, looks, "All", marks))
    assert f"{expected[0, 0]:.2f}" in shown
    data = as_csv(ExportCells.of(table, looks.metrics)).decode("utf-8-sig")
    assert "Standard error, points" in data
    assert printed_metrics(looks.metrics) == looks.metrics


def test_a_transposed_file_leaves_out_what_would_be_of_other_percentages(
    table: CrosstabResult,
) -> None:
    planes = {"row_percentage": np.zeros((2, 2)), "standard_error": np.zeros((2, 2))}
    cells = ExportCells(transposed_table(table), planes, beside=table)
    assert cells.printed == ("row_percentage",)
