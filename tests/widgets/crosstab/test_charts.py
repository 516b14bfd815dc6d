"""Charts of selected cells: the kind for their shape, and the table's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.charts.auto import auto
from audiencelab.client import Client
from audiencelab.results.cells import FIGURES
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.charts import NoChart, draw
from audiencelab.widgets.crosstab.metrics import part_of, transposed_table
from tests.messages import fails
from tests.results.samples import crosstab
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN
from tests.widgets.gated import GatedClient

SHARES = np.array([[10.0, 20, 15], [40, 5, np.nan]])


def drawn(table: CrosstabResult, *places: Any, **options: Any) -> list[tuple[str, str, float]]:
    spec = draw(table, *places, **options).to_dict()
    lines = next(iter(spec["datasets"].values()))
    return [(line["label"], line["group"], line["value"]) for line in lines]


def test_a_part_has_the_selected_cells_in_the_selected_order() -> None:
    table = crosstab(column_percentage=SHARES)
    part = part_of(table, [1, 0], [2, 0])
    assert [row.name for row in part.rows] == ["Women", "Men"]
    assert [column.name for column in part.columns] == ["Water", "Tea"]
    for figure in FIGURES:
        np.testing.assert_array_equal(
            part.values(figure), table.values(figure)[np.ix_([1, 0], [2, 0])]
        )
    assert part.provenance == table.provenance


def test_missing_cells_are_missing_in_a_part_too() -> None:
    empty = crosstab(fill=False)
    assert part_of(empty, [0], [0, 1]).missing() == [(0, 0), (0, 1)]


def test_transposing_twice_restores_the_table() -> None:
    table = crosstab(column_percentage=SHARES)
    once = transposed_table(table)
    assert once.shape == (3, 2)
    np.testing.assert_array_equal(once.values("row_percentage"), SHARES.T)
    np.testing.assert_array_equal(once.values("column_size"), table.values("row_size").T)
    for figure in FIGURES:
        np.testing.assert_array_equal(transposed_table(once).values(figure), table.values(figure))


@pytest.mark.parametrize("columns", [1, 3])
def test_the_usual_chart_is_the_one_that_charts_choose(columns: int) -> None:
    table = crosstab(column_percentage=SHARES)
    part = part_of(table, [0, 1], range(columns))
    found = draw(table, [0, 1], range(columns), width=400)
    assert found.to_dict() == auto(part, "column_percentage", width=400).to_dict()


def test_means_are_points_and_of_many_answers_the_largest_are_drawn(small_client: Client) -> None:
    table = small_client.crosstab(al.mean("Age"), "Gender")
    assert draw(table, [0], range(3)).summary == "points of 1 statistic, 3 columns"
    towns = crosstab(tuple(f"Town {number}" for number in range(400)))
    assert draw(towns, range(400), range(3)).summary.startswith("dots of column_percentage, 25 ")


def test_one_column_is_shown_as_bars_of_its_rows() -> None:
    table = crosstab(column_percentage=SHARES)
    assert drawn(table, [1, 0], [1], "column_percentage") == [
        ("Women", "Coffee", 5.0),
        ("Men", "Coffee", 20.0),
    ]


def test_one_row_is_shown_as_bars_of_its_columns() -> None:
    table = crosstab(column_percentage=SHARES)
    assert drawn(table, [0], [0, 1], "column_percentage") == [
        ("Tea", "Men", 10.0),
        ("Coffee", "Men", 20.0),
    ]


@pytest.mark.parametrize("kind", ["bar", "dots", "heatmap"])
def test_every_kind_is_an_image_light_and_dark(kind: Any) -> None:
    light, dark = (
        draw(crosstab(), [0, 1], [0, 1, 2], "index", kind, theme).svg()
        for theme in ("light", "dark")
    )
    assert light.startswith("<svg")
    assert 'fill="#ffffff"' in light
    assert 'fill="#111111"' in dark


def test_names_are_text_in_the_image() -> None:
    svg = draw(crosstab(("<script>alert(1)</script>", "B")), [0, 1], [0]).svg()
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_cells_that_cannot_be_charted_are_explained() -> None:
    with fails(NoChart):
        draw(crosstab(), [], [])
    with fails(NoChart):
        draw(crosstab(fill=False), [0], [0])
    many = crosstab(("Men", *("Women",) * 600))
    with fails(NoChart):
        draw(many, range(601), [0], kind="bar")
    with fails(NoChart):
        draw(crosstab(), [0], [0], "letters")
    with fails(ValueError):
        draw(crosstab(), [0], [0], kind="pie")  # pyright: ignore[reportArgumentType] -- that is the point


# -- of a grid ---------------------------------------------------------------------------------


@pytest.fixture
def make(make_complete: Make) -> Make:
    return make_complete


def pick(wire: Wire, grid: Crosstab, rows: list[int], columns: list[int]) -> None:
    wire.set_state(grid, _selected_cells={"rows": rows, "columns": columns})


def drawn_rows(drawing: Any) -> list[str]:
    """The lines of a picture, in order."""
    data = next(iter(drawing.to_dict()["datasets"].values()))
    return list(dict.fromkeys(each["label"] for each in data))


def test_a_chart_shows_the_selection_or_all_cells(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert drawn_rows(grid.chart()) == [age.name for age in AGES]
    pick(wire, grid, [4, 1], [0])
    assert drawn_rows(grid.chart()) == ["Age 5", "Age 2"]
    assert drawn_rows(grid.chart("heatmap", metric="size")) == ["Age 5", "Age 2"]


def test_a_single_cell_means_its_column(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    pick(wire, grid, [4], [0])
    assert drawn_rows(grid.chart()) == [age.name for age in AGES]


def test_a_transposed_grid_is_charted_as_shown(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    wire.set_state(grid, transposed=True)
    assert drawn_rows(grid.chart("heatmap")) == ["Women", "Men"]


def test_a_linked_chart_is_notified_of_every_change_and_rendered_on_request(
    make: Make, wire: Wire
) -> None:
    grid = make(AGES, [WOMEN, MEN])
    chart = grid.linked_chart("bar")
    before = wire.state(chart)["_version"]
    pick(wire, grid, [0, 1], [1])
    assert wire.state(chart)["_version"] > before
    answer = wire.request(chart, "chart", {"dark": True})
    assert answer.buffers[0].decode() == grid.chart("bar", theme="dark").svg()
    assert "2 of a crosstab" in answer.content["data"]["alt"]
    chart.close()
    wire.messages.clear()
    pick(wire, grid, [2, 3], [1])
    assert not [each for each in wire.messages if "_version" in each.data.get("state", {})]


def test_a_linked_chart_is_rendered_again_when_the_table_is_complete(
    make: Make, wire: Wire, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN], client=gated)
    chart = grid.linked_chart()
    before = wire.state(chart)["_version"]
    gated.let(len(AGES))
    grid.wait()
    assert wire.state(chart)["_version"] == before + 1


def test_a_linked_chart_of_too_many_cells_is_explained(make: Make, wire: Wire) -> None:
    grid = make([each.renamed(f"{n}") for n in range(101) for each in AGES], AGES)
    number = wire.ask(grid.linked_chart("bar"), "chart", {"dark": False})
    answer = wire.answer(number).content
    assert "too many for one chart" in answer["error"]["message"]
    with pytest.raises(NoChart):
        grid.chart("bar")


def test_a_chart_of_a_cancelled_table_is_saved_as_text(make: Make, small_client: Client) -> None:
    grid = make(AGES, [WOMEN], client=GatedClient(small_client))
    grid.cancel()
    bundle = grid.linked_chart()._repr_mimebundle_()
    assert bundle is not None
    assert "Chart of the selected cells" in bundle[0]["text/html"]
    assert "image/svg+xml" not in bundle[0]


def test_a_chart_of_a_closed_client_is_shown_as_text(make: Make) -> None:
    with al.connect(survey=al.demo_survey(2_400)) as client:
        grid = make(AGES, [WOMEN], client=client)
        chart = grid.linked_chart()
    grid.rows = [WOMEN]
    bundle = chart._repr_mimebundle_()
    assert bundle is not None
    assert "Chart of the selected cells" in bundle[0]["text/html"]


def test_a_saved_chart_is_an_image_for_readers_without_a_kernel(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN])
    bundle = grid.linked_chart()._repr_mimebundle_()
    assert bundle is not None
    assert bundle[0]["image/svg+xml"].startswith("<svg")
    assert "text/html" not in bundle[0]
