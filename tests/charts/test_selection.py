"""Selections: the row of each mark, and the effect of clicks.

How a page tells of clicks is a test in a real browser; here it is what arrives in the kernel.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import vl_convert

from audiencelab import charts
from audiencelab.charts import selection
from audiencelab.charts.selection import SelectableChart, with_selection
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import OverlapResult
from tests.charts.samples import (
    CHARTS,
    THREE,
    WAVES,
    answer,
    calculation,
    two_audiences,
    two_audiences_by_wave,
)
from tests.messages import fails
from tests.results.samples import by_wave, counted, crosstab, metrics, row, stats


def table(**more: Any) -> Any:
    shares = np.array([[50.0, 100, 150], [90, 110, 70]])
    return crosstab(index=shares, column_percentage=shares / 10, **more)


def half_arrived() -> Any:
    whole, filling = table(), crosstab(fill=False)
    rows, columns = np.array([0, 1, 1]), np.array([1, 0, 2])
    cells_of(filling).store(rows, columns, cells_of(whole).figures(rows, columns))
    return filling


LINKED: dict[str, tuple[Any, str]] = {
    "bars": (lambda: (r := two_audiences(), charts.bar(r)), "column_percentage"),
    "bars by value": (
        lambda: (r := stats(row(), row("q1_2", metrics(500))), charts.bar(r, sort="value")),
        "column_percentage",
    ),
    "bars of some of a table": (
        lambda: (r := table(), charts.bar(r, sort="ascending", top=1, rename={"Men": "M"})),
        "column_percentage",
    ),
    "a half arrived table by a column": (
        lambda: (r := half_arrived(), charts.heatmap(r, sort="Tea")),
        "index",
    ),
    "bars in facets": (
        lambda: (r := two_audiences_by_wave(), charts.bar(r, "index")),
        "index",
    ),
    "a saved chart": (
        lambda: (r := calculation("Gone.", answer("Tea"), answer("Bus", "Travel")), charts.bar(r)),
        "column_percentage",
    ),
    "a trend of some": (
        lambda: (r := by_wave(WAVES, missing="q2_2024", datapoints=5), charts.trend(r, most=2)),
        "column_percentage",
    ),
    "dots": (lambda: (r := two_audiences(), charts.dots(r)), "column_percentage"),
    "dots of a table": (lambda: (r := table(), charts.dots(r, sort="gap")), "column_percentage"),
    "a heat map": (lambda: (r := table(), charts.heatmap(r)), "index"),
    "a table half arrived": (lambda: (r := half_arrived(), charts.heatmap(r)), "index"),
    "a profile": (lambda: (r := table(), charts.profile(r, "Coffee")), "index"),
    "bubbles": (
        lambda: (r := counted(("Tea", "Ale"), ("Old",), [[9.0], [5]]), charts.bubble(r)),
        "index",
    ),
    "an overlap": (lambda: (THREE, charts.overlap(THREE, "sample", limit=3)), "sample"),
}


def drawn_rows(drawing: charts.Chart) -> list[dict[str, Any]]:
    """The data of marks that have a figure and a line."""
    parts = drawing.to_dict().get("datasets", {}).values()
    return [each for part in parts for each in part if each.get("line") is not None]


@pytest.mark.parametrize("kind", LINKED)
def test_every_mark_has_its_row_of_the_frame(kind: str) -> None:
    make, metric = LINKED[kind]
    result, drawing = make()
    frame = result.to_frame()
    key = "index" if kind == "bubbles" else "value"
    valued = [each for each in drawn_rows(drawing) if key in each]
    assert valued
    for each in valued:
        wanted = frame[metric].iloc[int(each["line"])]
        assert each[key] == wanted or (each[key] is None and np.isnan(wanted))


def test_points_of_a_map_have_their_row_of_the_analysis() -> None:
    people = np.array([[300.0, 100, 50], [100, 200, 100], [50, 100, 400]])
    result = counted(("a", "b", "c"), ("x", "y", "z"), people)
    frame = result.correspondence().to_frame()
    for each in drawn_rows(charts.correspondence(result)):
        assert frame["name"].iloc[int(each["line"])] == each["name"]


def test_a_stack_omits_nets_and_keeps_the_rows_of_the_rest() -> None:
    rows = [row(f"q1_{n}", metrics(200.0 * n), audience=None) for n in (1, 2)]
    result = stats(*rows, labels=stats().labels).nets({"Hot": ["q1_1", "q1_2"]}, disjoint=True)
    frame = result.to_frame()
    shown = drawn_rows(charts.stack(result, disjoint=True))
    assert {each["line"]: each["share"] for each in shown} == {
        line: frame["column_percentage"][line] for line in (0, 1)
    }


@pytest.mark.parametrize("kind", [*LINKED, *CHARTS])
def test_a_chart_with_a_selection_is_valid_for_vega(kind: str) -> None:
    drawing = LINKED[kind][0]()[1] if kind in LINKED else CHARTS[kind]("light")
    spec = with_selection(drawing.to_dict())
    svg = vl_convert.vegalite_to_svg(spec)
    selections = [each for each in spec.get("params", []) if each["name"] == "picked"]
    assert len(selections) == (1 if drawn_rows(drawing) else 0)
    for each in selections:
        assert each["views"]
        assert all(f"{view}_marks" in svg for view in each["views"])


def send(picker: SelectableChart, *lines: int | None) -> None:
    """What the page sends after a click."""
    value = {"line": list(lines), "vlPoint": {"or": []}} if lines else {}
    picker.set_state({"_vl_selections": {"picked": {"value": value, "store": []}}})


def test_selected_is_the_rows_of_the_frame() -> None:
    result = two_audiences()
    picker = charts.bar(result).selectable()
    frame = result.to_frame()
    pd.testing.assert_frame_equal(picker.selected, frame.iloc[:0])
    send(picker, 3, 1)
    assert picker.lines == (1, 3)
    pd.testing.assert_frame_equal(picker.selected, frame.iloc[[1, 3]])
    assert picker.selected.attrs == frame.attrs
    # A cell that has not arrived is a mark without a line.
    send(picker, 2, None)
    assert picker.lines == (2,)
    send(picker)
    assert picker.lines == ()


def test_every_change_is_notified_once() -> None:
    picker = charts.overlap(THREE).selectable()
    told: list[list[str]] = []
    picker.on_select(lambda lines: told.append(lines["combination"].tolist()))
    for lines in [(0,), (0,), (0, 6), ()]:
        send(picker, *lines)
    assert told == [["Tea only"], ["Tea only", "Tea & Coffee & Water"], []]


def test_it_needs_no_network_and_does_not_affect_altair_s_own_widget() -> None:
    import altair as alt

    def front_end(widget: Any) -> str:
        return widget.get_state("_esm")["_esm"]

    before = front_end(alt.JupyterChart(alt.Chart().mark_bar()))
    picker = charts.bar(two_audiences()).selectable()
    assert "https://esm.sh" in before
    assert front_end(alt.JupyterChart(alt.Chart().mark_bar())) == before
    assert "esm.sh" not in front_end(picker)
    assert picker.embed_options["ast"] is True


def test_readers_without_a_kernel_see_the_chart_as_svg() -> None:
    picker = charts.bar(two_audiences()).selectable()
    data, _ = picker._repr_mimebundle_()
    assert data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"] == (
        "<SelectableChart: 0 selected in <Chart: bars of column_percentage, 4 of q1>>"
    )
    assert "application/vnd.jupyter.widget-view+json" in data


def test_the_error_names_the_missing_extra(not_installed: Callable[[str], None]) -> None:
    not_installed("anywidget")
    with pytest.raises(ImportError, match=re.escape('"audiencelab[charts,widgets]"')):
        runpy.run_path(str(selection.__file__))


def test_an_empty_chart_selects_nothing() -> None:
    nobody = OverlapResult(THREE.audiences, THREE.sizes * 0, THREE.samples * 0, 0.0, 0.0)
    assert charts.overlap(nobody).selectable().selected.empty


def test_a_chart_without_a_frame_is_rejected() -> None:
    drawing = charts.bar(two_audiences()) | charts.bar(two_audiences())
    with fails(TypeError):
        drawing.selectable()
