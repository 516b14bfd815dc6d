"""Significance beside values: page and static form show the results of the tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.markup import Cell, Content
from audiencelab.tables import CrosstabResult
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab.formatting import LEVELS, Looks
from audiencelab.widgets.crosstab.marks import TableMarks, letter_levels
from audiencelab.widgets.crosstab.static_html import CellWriter
from audiencelab.widgets.crosstab.widget import Crosstab
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN

BRANDS = tuple(al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 9))


def static_html(grid: Crosstab) -> str:
    return grid._repr_mimebundle_()[0]["text/html"]  # pyright: ignore -- Jupyter calls it


@pytest.fixture(scope="module")
def table(small_client: Client) -> CrosstabResult:
    # An age against itself differs at every level.
    return small_client.crosstab(rows=[*AGES, *BRANDS], columns=[*AGES, WOMEN])


def test_the_static_form_has_the_arrows_of_visible_values(table: CrosstabResult) -> None:
    marks, every = TableMarks(table), (np.arange(table.shape[0]), np.arange(table.shape[1]))
    found = table.test(vs="rest", levels=0.95).marks()

    def written(cell: Content | Cell) -> str:
        return str(cell.content if isinstance(cell, Cell) else cell)

    def arrows(**settings: Any) -> list[str]:
        looks = Looks(stars=(0, 0), **settings)
        write = CellWriter(table, looks, marks.shown(*every, looks), None)
        texts = [written(write(*at)) for at in np.ndindex(table.shape)]
        return ["".join(sign for sign in text if sign in "▲▼") for text in texts]

    assert arrows() == found.ravel().tolist()
    assert set(arrows(significance="none")) == {""}
    assert set(arrows(hide_under=10**6)) == {""}
    assert arrows(level=0.99).count("") >= arrows(level=0.90).count("")


def test_letters_follow_the_level(table: CrosstabResult) -> None:
    assert [letter_levels(level) for level in LEVELS] == [(0.90,), (0.95, 0.90), (0.99, 0.95)]
    marks, every = TableMarks(table), (np.arange(table.shape[0]), np.arange(table.shape[1]))
    usual, strict = (marks.letters(*every, level) for level in (0.95, 0.99))
    np.testing.assert_array_equal(usual.marks, table.test(levels=(0.95, 0.90)).marks())
    np.testing.assert_array_equal(strict.marks, table.test(levels=(0.99, 0.95)).marks())
    assert "capital 99" in strict.legend
    looks = Looks(significance="letters", stars=(0, 0))
    write = CellWriter(table, looks, marks.shown(*every, looks), None)
    row, column = np.argwhere(usual.marks != "")[0]
    assert str(usual.marks[row, column]).replace(" ", "") in str(write(row, column))


def test_the_widget_shows_what_it_was_given(small_client: Client) -> None:
    grid = Crosstab(small_client, [WOMEN, MEN], AGES, show_bases="weighted", density="compact")
    grid.wait(60)
    html = str(static_html(grid))
    assert "Weighted base" in html
    assert "Unweighted base (n)" not in html
    assert "rest of the base (95%)" in html
    grid.significance, grid.level, grid.show_bases = "letters", 0.99, False
    html = str(static_html(grid))
    assert "capital 99" in html
    assert "eighted base" not in html
    assert "rest of the base" not in html
    grid.significance = None
    assert grid.significance == "none"
    grid.close()


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"significance": "arrow"}, "Did you mean 'arrows'"),
        ({"level": 0.5}, "level must be one of 0.9, 0.95, 0.99; got 0.5"),
        ({"density": "dense"}, "density must be one of auto, comfortable, compact"),
        ({"show_bases": ["weights"]}, "Did you mean 'weighted'"),
    ],
)
def test_settings_that_do_not_exist(
    small_client: Client, setting: dict[str, Any], problem: str
) -> None:
    with pytest.raises(traitlets.TraitError, match=problem):
        Crosstab(small_client, [WOMEN], AGES, **setting)


def test_saved_values_have_the_settings() -> None:
    assert Looks(metrics=("index",), significance="letters").saved == {"significance": "letters"}
    # A saved table without metrics shows the index, as those of 1.0 do.
    assert Looks().saved == {"metrics": ["column_percentage"]}
    assert Looks(level=0.9, density="compact", show_bases=()).saved == {
        "metrics": ["column_percentage"],
        "level": 0.9,
        "density": "compact",
        "show_bases": (),
    }
