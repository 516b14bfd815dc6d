"""Metrics of the grid's cells beyond the frame's columns, checked against frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.charts.uncertainty import low_marks
from audiencelab.client import Client
from audiencelab.engine.metrics import affinity_index, share
from audiencelab.render.color_scale import heat_scales
from audiencelab.render.layout import table_layout
from audiencelab.results.arrangement import low_base_mark
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.results.metrics import IN_GRID as METRICS
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.metrics import denominator, plane, wide
from tests.messages import fails
from tests.results.samples import crosstab
from tests.shared import SHARED
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN

BRANDS = tuple(al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 5))


@pytest.fixture(scope="module")
def table(small_client: Client) -> CrosstabResult:
    return small_client.crosstab(rows=[*BRANDS, WOMEN], columns=AGES)


def table_of(cells: list[dict[str, float]]) -> CrosstabResult:
    """One column, a row for each cell, with the four sizes and samples as told."""
    named = {
        "size": "size",
        "sample": "sample",
        "row_size": "rowSize",
        "row_sample": "rowSample",
        "column_size": "columnSize",
        "column_sample": "columnSample",
        "base_size": "baseSize",
        "base_sample": "baseSample",
    }
    figures = np.zeros((len(cells), len(FIGURES)))
    for place, name in enumerate(FIGURES):
        if name in named:
            figures[:, place] = [cell[named[name]] for cell in cells]
    # A row for each, called differently, so that none is another's net.
    rows = tuple(al.Audience(f"Row {n}", al.Q("q4").any(f"q4_{n}")) for n in range(len(cells)))
    result = CrosstabResult(rows, (WOMEN,))
    places = np.arange(len(cells))
    cells_of(result).store(places, np.zeros_like(places), figures)
    return result


def test_page_and_python_compute_the_same_values() -> None:
    shared = SHARED["metrics"]
    table = table_of([cell["figures"] for cell in shared])
    told = [np.nan if cell["difference"] is None else cell["difference"] for cell in shared]
    np.testing.assert_allclose(plane(table, "difference")[:, 0], told, rtol=1e-12)


def test_low_bases_are_marked_equally_on_the_page_in_tables_and_in_charts() -> None:
    """An index has two bases, and the weaker one speaks."""
    cases = SHARED["lowBases"]
    table = table_of([case["figures"] for case in cases])
    for metric in METRICS[:8]:
        marks = [case["marks"][metric] for case in cases]
        under = denominator(table, metric)
        found = [""] * len(cases) if under is None else [low_base_mark(n) for n in under[:, 0]]
        assert found == marks, metric
        if metric not in FIGURES:
            continue
        assert low_marks(metric, table)[:, 0].tolist() == marks, metric
        layout = table_layout(table, metrics=[metric])
        [measure] = layout.metrics
        # The column of everybody stands before the one that was asked for.
        assert [layout.low_mark(measure, row, 1) for row in range(len(cases))] == marks


def test_the_page_rounds_percentages_and_indices_as_the_service_does() -> None:
    shared = SHARED["metrics"]
    for cell in shared:
        figures = cell["figures"]
        both, row, column, base = (
            figures[name] for name in ("size", "rowSize", "columnSize", "baseSize")
        )
        computed = {
            "index": affinity_index(both, row, column, base),
            "column_percentage": share(both, column),
            "row_percentage": share(both, row),
            "percentage": share(both, base),
        }
        # To the last bit: what ties in a frame ties on the page, and is sorted alike.
        for metric, value in computed.items():
            assert cell[metric] is None or cell[metric] == value, (metric, figures)


def test_z_and_difference_equal_the_tests_against_the_rest(table: CrosstabResult) -> None:
    rest, base = table.test(vs="rest").outcome, table.test(vs="total").outcome
    np.testing.assert_array_equal(plane(table, "z"), rest.z)
    np.testing.assert_allclose(plane(table, "difference"), 100 * base.difference, atol=1e-9)


def test_letters_equal_the_tests_between_columns(table: CrosstabResult) -> None:
    marks = table.test().marks()
    assert (plane(table, "letters") == marks).all()
    assert any(mark for mark in marks.ravel())


def test_the_other_metrics_equal_the_frame(table: CrosstabResult) -> None:
    for metric in (name for name in METRICS if name in FIGURES):
        np.testing.assert_array_equal(plane(table, metric), table.values(metric))


@pytest.mark.parametrize("low_base", [0, 30, 100])
def test_heat_ends_at_percentiles_of_values_on_sound_bases(
    table: CrosstabResult, low_base: int
) -> None:
    scales = heat_scales(table, low_base)
    assert scales is not None
    for name, ends in scales.items():
        values, under = plane(table, name), denominator(table, name)
        assert under is not None
        low, high = np.nanpercentile(values[under >= low_base], [2, 98])
        assert ends == pytest.approx({"low": low, "high": high})


def test_an_index_of_0_is_no_end_of_the_scale_and_low_bases_alone_have_no_scale() -> None:
    def scales(column_sample: int) -> dict[str, dict[str, float]] | None:
        index = np.array([[0, 0, 150]] * 2)
        return heat_scales(crosstab(index=index, row_sample=500, column_sample=column_sample))

    sound, low = scales(100), scales(99)
    assert sound is not None
    assert sound["index"] == {"low": 150, "high": 150}
    assert low == {"index": {"low": 100, "high": 100}, "difference": {"low": 0, "high": 0}}


def test_a_table_without_cells_has_no_heat() -> None:
    assert heat_scales(CrosstabResult((WOMEN,), (MEN,))) is None


def test_a_wide_table_is_the_result_s_own(table: CrosstabResult) -> None:
    for metric in ("index", ["index", "size"]):
        pd.testing.assert_frame_equal(
            wide(table, metric),
            table.to_wide(metric),
            check_freq=False,
            check_frame_type=False,
        )
    assert wide(table, ["index", "z"]).attrs["metric"] == ["index", "z"]


def test_a_wide_table_of_several_metrics_keeps_groups_numbers_and_texts(
    small_client: Client,
) -> None:
    table = small_client.crosstab(rows=BRANDS, columns={"Age": AGES[:2], "Gender": [WOMEN, MEN]})
    frame = wide(table, ["column_percentage", "letters", "z"])
    assert frame.columns.names == ["column_group", "column", "metric"]
    assert list(frame.columns[:3]) == [
        ("Age", "Age 1", "column_percentage"),
        ("Age", "Age 1", "letters"),
        ("Age", "Age 1", "z"),
    ]
    np.testing.assert_array_equal(frame.iloc[:, 2::3], plane(table, "z"))
    assert (frame.iloc[:, 1::3].to_numpy() == plane(table, "letters")).all()
    assert frame.dtypes.iloc[0] == np.float64


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "letters"])
def test_values_with_a_low_base_are_omitted_but_not_counts(
    table: CrosstabResult, metric: str
) -> None:
    respondents = denominator(table, metric)
    if respondents is None:
        shown = wide(table, metric, hide_under=1e9).to_numpy()
        np.testing.assert_array_equal(shown, table.values(metric))
        return
    fewest = float(respondents.max())
    shown = wide(table, metric, hide_under=fewest).to_numpy()
    expected = np.where(respondents < fewest, np.nan, plane(table, metric))
    np.testing.assert_array_equal(shown, expected)
    assert np.isnan(wide(table, metric, hide_under=fewest + 1).to_numpy()).all()


def test_an_unknown_metric_error_lists_the_valid_ones(table: CrosstabResult) -> None:
    with fails(ValueError):
        wide(table, "zz")
    with fails(ValueError):
        wide(table, [])
