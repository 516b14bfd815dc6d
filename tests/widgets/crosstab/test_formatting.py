"""Display settings of a grid, shared by Python, the page and a reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pandas as pd
import pytest
import traitlets

import audiencelab as al
from audiencelab.analysis.marks import column_letters, legend
from audiencelab.client import Client
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.protocol import MarksHeader
from audiencelab.widgets.crosstab.tiles import Tile
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import AGES, WOMEN, ask, static_html, table_state
from tests.widgets.crosstab.test_tiles import read
from tests.widgets.gated import TIMEOUT

BRANDS = tuple(al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 5))

Make = Callable[..., Crosstab]


@pytest.fixture
def make(wire: Wire, small_client: Client) -> Make:
    """Makes grids on a captured wire."""

    def build(*sides: object, client: Any = None, **options: Any) -> Crosstab:
        return Crosstab(client or small_client, *(sides or (BRANDS, AGES)), **options)

    return build


class Lettered(NamedTuple):
    """The letters that the page got, and what it was told."""

    marks: list[list[str]]
    header: MarksHeader


def ask_letters(wire: Wire, grid: Crosstab, rows: object, columns: object) -> Lettered:
    answer = ask(wire, grid, "marks", rows=rows, columns=columns, letters=0.95)
    header = msgspec.convert(answer.content["data"], MarksHeader)
    texts = read(Tile(header, bytes(answer.buffers[0])), "letters").astype(int)
    return Lettered(np.array(header.texts, dtype=object)[texts].tolist(), header)


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
    generation = table_state(wire, grid).generation
    wire.set_state(grid, metrics=["letters", "index"])
    assert (grid.metric, grid.metrics) == ("letters", ("letters", "index"))
    wire.set_state(grid, heat="z", bars=True, decimals=2, units="full", stars=[50, 20])
    assert (grid.heat, grid.decimals, grid.stars) == ("z", 2, (50, 20))
    assert table_state(wire, grid).generation == generation


def test_invalid_values_of_the_page_change_nothing(wire: Wire, make: Make) -> None:
    grid = make(metrics=["index", "size"])
    wire.set_state(grid, metrics=["<b>"])
    wire.set_state(grid, stars=[1, 2])
    assert (grid.metric, grid.metrics) == ("index", ("index", "size"))
    assert grid.stars == (100, 30)


def test_setting_both_at_once_is_rejected(make: Make) -> None:
    with fails(TypeError):
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
        ({"stars": 100}, "two numbers"),
        ({"stars": (30, 100)}, "larger first"),
        ({"hide_under": -1}, "number of respondents"),
        ({"hide_under": "ten"}, "number of respondents"),
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
    grid = make(heat=None, hide_under=None)
    assert (grid.heat, grid.hide_under) == ("none", 0)


# -- letters -----------------------------------------------------------------------------------


def test_letters_equal_those_of_the_frame(wire: Wire, make: Make) -> None:
    grid = make(metrics=["letters"]).wait(TIMEOUT)
    comparison = grid.result.test()
    marks, header = ask_letters(wire, grid, [3, 1], [0, 5, 2])
    assert marks == comparison.marks()[np.ix_([3, 1], [0, 5, 2])].tolist()
    assert header.column_letters == tuple(column_letters(comparison)[at] for at in (0, 5, 2))
    words = header.letters_legend, header.letters_method
    assert words == (legend(comparison), comparison.method_note)
    assert header.no_letters == ""


def test_nets_have_no_letters(wire: Wire, make: Make) -> None:
    grid = make(BRANDS, AGES)
    grid.columns.net(["Age 1", "Age 2"], "Young")
    grid.wait(TIMEOUT)
    (net,) = np.flatnonzero(grid.columns.nets)
    marks, header = ask_letters(wire, grid, [0, 1, 2, 3], list(range(7)))
    assert header.column_letters[net] == ""
    assert not any(line[net] for line in marks)
    assert grid.to_wide("letters").to_numpy().tolist() == marks


def test_a_table_that_cannot_be_tested_has_a_reason(wire: Wire, make: Make) -> None:
    grid = make(BRANDS, [WOMEN]).wait(TIMEOUT)
    marks, header = ask_letters(wire, grid, [0, 1], [0])
    assert marks == [[""], [""]]
    assert "no two columns" in header.no_letters


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
    grid.hide_under = float(np.median(samples))
    few = samples < grid.hide_under
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
    grid.hide_under = 1e9
    html = static_html(grid)
    assert html.count("·") >= len(BRANDS) * len(AGES)
    assert "not shown" in html


def test_the_repr_has_all_metrics(make: Make) -> None:
    grid = make(metrics=["index", "z"])
    assert repr(grid).endswith("base='All', metrics=('index', 'z'))")
