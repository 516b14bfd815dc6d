"""Display settings of a grid, shared by Python, the page and a reload."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import traitlets

import audiencelab as al
from audiencelab.analysis.marks import column_letters, legend
from audiencelab.client import Client
from audiencelab.widgets.crosstab import Crosstab, formatting
from audiencelab.widgets.crosstab.metrics import METRICS
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, static_html
from tests.widgets.gated import TIMEOUT, GatedClient

BRANDS = tuple(al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 5))

SHARED = Path(__file__).parents[3] / "js" / "tests" / "crosstab" / "vocabulary.json"
"""Names and limits that the page repeats."""

Make = Callable[..., Crosstab]


@pytest.fixture
def make(wire: Wire, small_client: Client) -> Make:
    """Makes grids on a captured wire."""

    def build(*sides: object, client: Any = None, **options: Any) -> Crosstab:
        return Crosstab(client or small_client, *(sides or (BRANDS, AGES)), **options)

    return build


def ask_letters(wire: Wire, grid: Crosstab, rows: object, columns: object) -> Any:
    args = {"generation": grid._table.generation, "rows": rows, "columns": columns}
    return wire.answer(wire.ask(grid, "letters", args)).content


# -- which figures -----------------------------------------------------------------------------


def test_metric_is_the_first_of_the_metrics(make: Make) -> None:
    grid = make(metrics=["size", "index"])
    assert (grid.metric, grid.metrics) == ("size", ("size", "index"))
    grid.metrics = ["z"]
    assert grid.metric == "z"
    assert make(metric="sample").metrics == ("sample",)
    assert make().metrics == ("column_percentage",)
    assert make(metrics=["col%", "total", "n"]).metrics == (
        "column_percentage",
        "percentage",
        "sample",
    )


def test_setting_the_metric_keeps_the_others(make: Make) -> None:
    grid = make(metrics=["index", "size", "z"])
    grid.metric = "sample"
    assert grid.metrics == ("sample", "size", "z")
    grid.metric = "z"
    assert grid.metrics == ("z", "sample", "size")


def test_the_page_can_change_the_metrics_without_a_recount(wire: Wire, make: Make) -> None:
    grid = make().wait(TIMEOUT)
    assert len(grid.to_wide("index")) == len(BRANDS)
    generation = grid._table.generation
    wire.set_state(grid, metrics=["letters", "index"])
    assert (grid.metric, grid.metrics) == ("letters", ("letters", "index"))
    wire.set_state(grid, heat="z", bars=True, decimals=2, units="full", low_base=[50, 20])
    assert (grid.heat, grid.decimals, grid.low_base) == ("z", 2, (50, 20))
    assert grid._table.generation == generation


def test_invalid_values_of_the_page_change_nothing(wire: Wire, make: Make) -> None:
    grid = make(metrics=["index", "size"])
    wire.set_state(grid, metrics=["<b>"])
    wire.set_state(grid, low_base=[1, 2])
    assert (grid.metric, grid.metrics) == ("index", ("index", "size"))
    assert grid.low_base == (100, 30)


def test_setting_both_at_once_is_rejected(make: Make) -> None:
    with pytest.raises(TypeError, match="not both"):
        make(metric="size", metrics=["index"])


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"metrics": "index"}, r"metrics=\['index'\]"),
        ({"metrics": 5}, r"metrics=\[5\]"),
        ({"metrics": ["indx"]}, "got 'indx'. Did you mean 'index'"),
        ({"metrics": []}, "one to 4 different names; got 0"),
        ({"metrics": ["index", "index"]}, "different names"),
        ({"metrics": ["index", "size", "sample", "z", "letters"]}, "got 5"),
        ({"metrics": [3]}, "got 3"),
        ({"metric": "leters"}, "Did you mean 'letters'"),
        ({"heat": "diference"}, "Did you mean 'difference'"),
        ({"units": "thousand"}, "Did you mean 'thousands'"),
        ({"decimals": 5}, "0 to 4"),
        ({"decimals": 1.5}, "got 1.5"),
        ({"decimals": True}, "got True"),
        ({"low_base": 100}, "two numbers"),
        ({"low_base": (30, 100)}, "larger first"),
        ({"blank_under": -1}, "number of respondents"),
        ({"blank_under": "ten"}, "number of respondents"),
    ],
)
def test_an_invalid_setting_lists_the_valid_ones(
    make: Make, setting: dict[str, Any], words: str
) -> None:
    with pytest.raises(traitlets.TraitError, match=words):
        make(**setting)
    grid = make()
    ((name, value),) = setting.items()
    before = getattr(grid, name)
    with pytest.raises(traitlets.TraitError, match=words):
        setattr(grid, name, value)
    assert getattr(grid, name) == before


def test_none_means_no_colour_and_no_threshold(make: Make) -> None:
    grid = make(heat=None, blank_under=None)
    assert (grid.heat, grid.blank_under) == ("none", 0)


# -- letters -----------------------------------------------------------------------------------


def test_letters_equal_those_of_the_frame(wire: Wire, make: Make) -> None:
    grid = make(metrics=["letters"]).wait(TIMEOUT)
    comparison = grid.result.test()
    data = ask_letters(wire, grid, [3, 1], [0, 5, 2])["data"]
    assert data["marks"] == comparison.marks()[np.ix_([3, 1], [0, 5, 2])].tolist()
    assert data["column_letters"] == [column_letters(comparison)[place] for place in (0, 5, 2)]
    assert (data["legend"], data["method"]) == (legend(comparison), comparison.method_note)
    assert data["problem"] is None


def test_nets_have_no_letters(wire: Wire, make: Make) -> None:
    grid = make(BRANDS, AGES)
    grid.columns.net(["Age 1", "Age 2"], "Young")
    grid.wait(TIMEOUT)
    (net,) = np.flatnonzero(grid.columns.nets)
    data = ask_letters(wire, grid, [0, 1, 2, 3], list(range(7)))["data"]
    assert data["column_letters"][net] == ""
    assert not any(line[net] for line in data["marks"])
    assert grid.to_wide("letters").to_numpy().tolist() == data["marks"]


def test_letters_are_computed_once_for_each_table(
    wire: Wire, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    compare = al.CrosstabResult.test
    monkeypatch.setattr(
        al.CrosstabResult,
        "test",
        lambda self, **options: made.append(self) or compare(self, **options),
    )
    grid = make().wait(TIMEOUT)
    ask_letters(wire, grid, [0], [0])
    ask_letters(wire, grid, [1], [1])
    assert len(made) == 1
    grid.rows = BRANDS[:2]
    grid.wait(TIMEOUT)
    ask_letters(wire, grid, [0], [0])
    assert len(made) == 2


def test_a_table_that_cannot_be_tested_has_a_reason(wire: Wire, make: Make) -> None:
    grid = make(BRANDS, [WOMEN]).wait(TIMEOUT)
    data = ask_letters(wire, grid, [0, 1], [0])["data"]
    assert data["marks"] == [[""], [""]]
    assert "no two columns" in data["problem"]


def test_a_table_with_too_many_tests_is_rejected(
    wire: Wire, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = make().wait(TIMEOUT)
    pairs = len(BRANDS) * 15
    monkeypatch.setattr("audiencelab.widgets.crosstab.session.MAX_TESTS", pairs - 1)
    assert f"{pairs} tests" in ask_letters(wire, grid, [0], [0])["data"]["problem"]
    assert any(mark for mark in grid.to_wide("letters").to_numpy().ravel())
    heads = make(BRANDS, {"Young": AGES[:3], "Old": AGES[3:]}).wait(TIMEOUT)
    monkeypatch.setattr("audiencelab.widgets.crosstab.session.MAX_TESTS", len(BRANDS) * 6)
    assert ask_letters(wire, heads, [0], [0])["data"]["problem"] is None


def test_a_running_table_has_no_letters_yet(wire: Wire, make: Make, small_client: Client) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN, MEN], client=gated)
    gated.let(2)
    answer = ask_letters(wire, grid, [0], [0])
    assert answer["ok"] is False
    assert "until it is complete" in answer["error"]["message"]


# -- as frames and without a kernel --------------------------------------------------------------


def test_the_wide_table_has_the_metrics_of_the_cells(make: Make) -> None:
    grid = make(metrics=["column_percentage", "difference"])
    frame = grid.to_wide()
    assert list(frame.columns.get_level_values("metric")[:2]) == ["column_percentage", "difference"]
    pd.testing.assert_frame_equal(grid.to_wide("size"), grid.result.to_wide("size"))
    grid.metrics = ["row_percentage"]
    pd.testing.assert_frame_equal(grid.to_wide(), grid.result.to_wide("row_percentage"))


def test_suppressed_values_are_missing_in_frames(make: Make) -> None:
    grid = make()
    grid.metric = "column_percentage"
    samples = grid.result.column_values("column_sample")
    grid.blank_under = float(np.median(samples))
    few = samples < grid.blank_under
    assert grid.to_wide().isna().all().tolist() == few.tolist()
    assert grid.to_wide("size").notna().all(axis=None)


def test_the_static_form_stacks_the_metrics(make: Make) -> None:
    grid = make(metrics=["index", "difference", "letters"], decimals=2)
    html = re.sub(r"\*+\u00a0", "", static_html(grid))
    assert "Index / Difference / Letters" in html
    index, points = grid.to_wide("index"), grid.to_wide("difference")
    letters = grid.to_wide("letters")
    for row in index.index[:2]:
        for column in index.columns[:3]:
            value, apart = index.loc[row, column], points.loc[row, column]
            sign = "+" if apart > 0 else "−"
            words = [f"{value:,.2f}", f"{sign}{abs(apart):,.2f}", letters.loc[row, column]]
            assert "<br>".join(words) in html
    assert "A letter marks a significantly larger share" in html


def test_the_static_form_suppresses_the_same_values(make: Make) -> None:
    grid = make(metric="column_percentage", heat="none").wait(TIMEOUT)
    assert "background:#" not in static_html(grid).split("</table>")[0].split("<tbody")[-1]
    grid.blank_under = 1e9
    html = static_html(grid)
    assert html.count("·") >= len(BRANDS) * len(AGES)
    assert "not shown" in html


def test_the_repr_has_all_metrics(make: Make) -> None:
    grid = make(metrics=["index", "z"])
    assert repr(grid).endswith("base='All', metrics=('index', 'z'))")


def test_the_page_has_the_same_names_and_limits(wire: Wire, make: Make) -> None:
    grid = make()
    assert len(grid.to_wide("index")) == len(BRANDS)
    generation = grid._table.generation
    tile = wire.request(grid, "tile", {"generation": generation, "rows": [0], "columns": [0]})
    assert json.loads(SHARED.read_text()) == {
        "planes": [plane["name"] for plane in tile.content["data"]["planes"]],
        "metrics": list(METRICS),
        "mostMetrics": formatting.MAX_METRICS,
        "mostDecimals": formatting.MAX_DECIMALS,
        "heats": list(formatting.HEATS),
        "units": list(formatting.UNITS),
        "significance": list(formatting.SIGNIFICANCE),
        "levels": list(formatting.LEVELS),
        "densities": list(formatting.DENSITIES),
        "lowBase": [formatting.LOW_BASE, formatting.VERY_LOW_BASE],
    }
