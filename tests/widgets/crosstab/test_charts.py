"""Charts of chosen cells: what suits their shape, drawn of the table's own figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audiencelab.tables import FIGURES, CrosstabResult
from audiencelab.widgets.crosstab.charts import NoChart, chart_kind, draw
from audiencelab.widgets.crosstab.metrics import part_of, turned
from tests.results.samples import crosstab

SHARES = np.array([[10.0, 20, 15], [40, 5, np.nan]])


def drawn(table: CrosstabResult, *places: Any, **options: Any) -> list[tuple[str, str, float]]:
    spec = draw(table, *places, **options).to_dict()
    lines = next(iter(spec["datasets"].values()))
    return [(line["label"], line["group"], line["value"]) for line in lines]


def test_a_part_has_the_chosen_cells_in_the_chosen_order() -> None:
    table = crosstab(column_percentage=SHARES)
    part = part_of(table, [1, 0], [2, 0])
    assert [row.name for row in part.rows] == ["Women", "Men"]
    assert [column.name for column in part.columns] == ["Water", "Tea"]
    for figure in FIGURES:
        np.testing.assert_array_equal(
            part.values(figure), table.values(figure)[np.ix_([1, 0], [2, 0])]
        )
    assert part.provenance == table.provenance


def test_what_has_not_arrived_is_missing_in_a_part_too() -> None:
    empty = crosstab(fill=False)
    assert part_of(empty, [0], [0, 1]).missing() == [(0, 0), (0, 1)]


def test_a_table_turned_twice_is_itself() -> None:
    table = crosstab(column_percentage=SHARES)
    once = turned(table)
    assert once.shape == (3, 2)
    np.testing.assert_array_equal(once.values("row_percentage"), SHARES.T)
    np.testing.assert_array_equal(once.values("column_size"), table.values("row_size").T)
    for figure in FIGURES:
        np.testing.assert_array_equal(turned(once).values(figure), table.values(figure))


@pytest.mark.parametrize(
    ("rows", "columns", "kind"),
    [(1, 1, "bar"), (12, 1, "bar"), (1, 12, "bar"), (12, 3, "dots"), (12, 12, "heatmap")],
)
def test_the_kind_suits_the_shape(rows: int, columns: int, kind: str) -> None:
    assert chart_kind(rows, columns) == kind


def test_one_column_is_drawn_as_bars_of_its_rows() -> None:
    table = crosstab(column_percentage=SHARES)
    assert drawn(table, [1, 0], [1], "column_percentage") == [
        ("Women", "Coffee", 5.0),
        ("Men", "Coffee", 20.0),
    ]


def test_one_row_is_drawn_as_bars_of_its_columns() -> None:
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


def test_what_makes_no_picture_is_told_in_words() -> None:
    with pytest.raises(NoChart, match="Nothing is selected"):
        draw(crosstab(), [], [])
    with pytest.raises(NoChart, match="None of these cells has been counted"):
        draw(crosstab(fill=False), [0], [0])
    with pytest.raises(NoChart, match="too many"):
        chart_kind(100, 100)
    many = crosstab(("Men", *("Women",) * 600))
    with pytest.raises(NoChart, match="601 bars are too many for one chart"):
        draw(many, range(601), [0], kind="bar")
    with pytest.raises(NoChart, match="got 'letters'"):
        draw(crosstab(), [0], [0], "letters")
    with pytest.raises(ValueError, match="'pie'"):
        draw(crosstab(), [0], [0], kind="pie")  # pyright: ignore[reportArgumentType] -- that is the point
