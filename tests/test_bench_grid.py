"""`make bench ARGS=grid` shows every table the same figures, and prints what it found."""

import numpy as np
import pytest

from audiencelab.widgets.crosstab.widget import Crosstab
from tests.bench.grid.measuring import Finding
from tests.bench.grid.report import HEADINGS, page, percentile, table
from tests.bench.grid.tables import ReadyClient, frame_of, made_crosstab
from tests.bench.grid.ways import WAYS
from tests.widgets.conftest import wire

__all__ = ["wire"]


def test_figures_of_a_cell_belong_together() -> None:
    result = made_crosstab(700, 3)
    assert (result.shape, result.complete) == ((700, 3), True)
    values = {name: result.values(name) for name in ("size", "row_size", "column_size")}
    index = values["size"] * result.values("base_size")
    index = 100 * index / (values["row_size"] * values["column_size"])
    np.testing.assert_allclose(result.values("index"), index)
    assert frame_of(result).equals(frame_of(made_crosstab(700, 3)))


@pytest.mark.usefixtures("wire")
def test_the_grid_shows_the_table_that_the_others_have() -> None:
    result = made_crosstab(5, 4)
    grid = Crosstab(ReadyClient(result), rows=result.rows, columns=result.columns).wait(60)
    np.testing.assert_array_equal(grid.to_wide("index"), frame_of(result))


def test_every_way_is_named_once_and_installed_in_one_version() -> None:
    names = [way.name for way in WAYS]
    assert len(set(names)) == len(names)
    assert all("==" in way.package for way in WAYS if way.name != "audiencelab")


def test_a_table_tells_what_was_found_and_what_was_not() -> None:
    quick = Finding("quick", 10, 5, first=12.4, shown=2_500_000, bundle=900)
    quick.frames = {"down": [16.0, 17.0, 50.0], "right": [99.0]}
    quick.work = {"down": 4.0, "right": 90.0}
    quick.still = ["right"]
    lines = table([quick, Finding("gone", 10, 5, fault="not installed")]).split("\n")
    assert lines[0] == "**10 × 5 cells**"
    cells = dict(zip(HEADINGS, lines[4].strip("| ").split(" | "), strict=True))
    assert cells["first paint"] == "12 ms"
    assert cells["again"] == "–"
    # What did not move is not timed; 50 ms are three frames, of which two were dropped.
    assert (cells["frame p50"], cells["dropped"], cells["work"]) == ("17.0 ms", "2 of 5", "4.0 ms")
    assert (cells["sent"], cells["code"]) == ("2.5 MB", "1 kB")
    assert lines[-2:] == ["- gone: not installed", "- quick: does not scroll right"]
    assert page("a machine", [quick]).endswith("\n\na machine\n")


@pytest.mark.parametrize(("part", "found"), [(0.5, 3), (0.95, 4), (0.0, 1)])
def test_percentiles_are_values_that_were_measured(part: float, found: int) -> None:
    assert percentile([1, 2, 3, 4], part) == found
    assert percentile([], part) is None
