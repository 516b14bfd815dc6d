"""A correspondence map draws the analysis as it is: to scale, with what it shows and what not."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.charts.selection import with_selection
from audiencelab.tables import CrosstabResult
from tests.charts.test_charts import HOSTILE, texts
from tests.results.samples import counted, stats

ROWS, COLUMNS = ("Tea", "Coffee", "Water", "Milk"), ("North", "South", "West")
PEOPLE = np.array([[300.0, 100, 50], [100, 200, 100], [50, 100, 400], [150, 150, 160]])


def table() -> CrosstabResult:
    return counted(ROWS, COLUMNS, PEOPLE)


def drawn(drawing: charts.Chart) -> dict[str, dict[str, float]]:
    data = drawing.to_dict()["datasets"].values()
    return {each["name"]: each for one in data for each in one if "kind" in each}


def subtitle(drawing: charts.Chart) -> str:
    return " | ".join(drawing.to_dict()["title"]["subtitle"])


def test_points_lie_where_the_analysis_puts_them() -> None:
    points = drawn(charts.correspondence(table()))
    frame = table().correspondence().to_frame().set_index("name")
    for name in (*ROWS, *COLUMNS):
        told = frame.loc[name, ["dimension_1", "dimension_2"]].tolist()
        assert [points[name]["x"], points[name]["y"]] == pytest.approx(told)
    assert {points[name]["kind"] for name in COLUMNS} == {"Columns"}


def test_axes_say_how_much_they_show() -> None:
    drawing = charts.correspondence(table())
    first, second = table().correspondence().percentages
    assert {f"Dimension 1 ({first:.1f} %)", f"Dimension 2 ({second:.1f} %)"} <= set(
        texts(drawing.svg())
    )
    assert "Symmetric map · 100.0 % of the differences shown" in subtitle(drawing)


@pytest.mark.parametrize("height", [None, 300, 900])
def test_both_axes_have_one_scale(height: int | None) -> None:
    spec = charts.correspondence(table(), width=500, height=height).to_dict()
    [scales] = [
        {axis: layer["encoding"][axis]["scale"]["domain"] for axis in ("x", "y")}
        for layer in spec["layer"]
        if "shape" in layer.get("encoding", {}) and "!" in layer["transform"][0]["filter"]
    ]
    across, up = (high - low for low, high in (scales["x"], scales["y"]))
    assert across / spec["width"] == pytest.approx(up / spec["height"])
    assert spec["width"] == 500
    assert height is None or spec["height"] == height


def test_every_point_has_its_name() -> None:
    assert {*ROWS, *COLUMNS} <= set(texts(charts.correspondence(table()).svg()))


def test_another_scaling_moves_a_side_and_says_how_to_read_it() -> None:
    drawing = charts.correspondence(table(), scaling="row-principal")
    _, columns = table().correspondence().coordinates("row-principal")
    assert drawn(drawing)["North"]["x"] == pytest.approx(columns[0, 0])
    assert "A row lies at the average of the columns" in subtitle(drawing)
    with pytest.raises(ValueError, match="'symmetric', 'row-principal', 'column-principal'"):
        charts.correspondence(table(), scaling="biplot")  # type: ignore[arg-type]  # that is the point


def test_a_supplementary_row_is_hollow_and_explained() -> None:
    net = counted((*ROWS, "Hot"), COLUMNS, np.vstack([PEOPLE, PEOPLE[0] + PEOPLE[1]]))
    drawing = charts.correspondence(net, supplementary="Hot")
    points = drawn(drawing)
    assert [name for name, each in points.items() if each["supplementary"]] == ["Hot"]
    assert "Hollow: without a part in the dimensions" in subtitle(drawing)
    before = drawn(charts.correspondence(table()))
    assert points["Tea"]["x"] == pytest.approx(before["Tea"]["x"])


def test_points_that_the_map_shows_badly_are_pale() -> None:
    # Three dimensions of equal weight: each row lies on one of them, one of which is not drawn.
    people = np.full((4, 4), 100.0) + 300 * np.eye(4)
    drawing = charts.correspondence(counted(ROWS, ("a", "b", "c", "d"), people))
    quality = (
        counted(ROWS, ("a", "b", "c", "d"), people)
        .correspondence()
        .to_frame()
        .set_index("name")["quality"]
    )
    points = drawn(drawing)
    assert {name: each["pale"] for name, each in points.items()} == (quality < 0.5).to_dict()
    assert any(each["pale"] for each in points.values())
    assert "Pale: less than half of its distance is shown" in subtitle(drawing)


def test_people_in_several_rows_are_told() -> None:
    several = counted(ROWS, COLUMNS, PEOPLE, base=1500.0, column_sizes=PEOPLE.sum(axis=0) - 100)
    assert "People may be in several rows or columns" in subtitle(charts.correspondence(several))
    assert "several rows" not in subtitle(charts.correspondence(table()))


def test_a_row_of_nobody_is_left_out() -> None:
    empty = counted((*ROWS, "Nothing"), COLUMNS, np.vstack([PEOPLE, np.zeros(3)]))
    assert "Nothing" not in drawn(charts.correspondence(empty))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_are_text(theme: str) -> None:
    svg = charts.correspondence(counted((HOSTILE, *ROWS[1:]), COLUMNS, PEOPLE), theme=theme).svg()
    assert "<script" not in svg
    assert any("<script>" in text for text in texts(svg))


def test_what_is_no_map_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"client\.crosstab\(…\) .*returned"):
        charts.correspondence(stats())
    with pytest.raises(ValueError, match=r"one dimension alone.*charts\.dots"):
        charts.correspondence(counted(ROWS, COLUMNS[:2], PEOPLE[:, :2]))
    names = tuple(map(str, range(80)))
    with pytest.raises(ValueError, match=r"160 rows and columns .*charts\.heatmap"):
        charts.correspondence(counted(names, names, np.eye(80) + 1))


def test_points_can_be_selected_as_lines_of_the_analysis() -> None:
    drawing = charts.correspondence(table())
    frame = table().correspondence().to_frame()
    for name, each in drawn(drawing).items():
        assert frame["name"].iloc[int(each["line"])] == name
    assert with_selection(drawing.to_dict())["params"]
