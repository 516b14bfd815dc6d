"""Significance beside values: page and static form show the results of the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.tables import CrosstabResult
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab.formatting import LEVELS, Looks
from audiencelab.widgets.crosstab.metrics import significance
from audiencelab.widgets.crosstab.session import Letters, letter_levels
from audiencelab.widgets.crosstab.static_html import CellWriter
from audiencelab.widgets.crosstab.widget import Crosstab
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN
from tests.widgets.crosstab.test_metrics import table_of

CASES = Path(__file__).parents[3] / "js" / "tests" / "crosstab" / "significance.json"
"""Cells with their significance at each level, on the page and here; null: not tested."""

BRANDS = tuple(al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 9))


def static_html(grid: Crosstab) -> str:
    return grid._repr_mimebundle_()[0]["text/html"]  # pyright: ignore -- Jupyter calls it


@pytest.fixture(scope="module")
def table(small_client: Client) -> CrosstabResult:
    # An age against itself differs at every level.
    return small_client.crosstab(rows=[*AGES, *BRANDS], columns=[*AGES, WOMEN])


@pytest.mark.parametrize("level", LEVELS)
def test_arrows_are_the_test_against_the_rest(table: CrosstabResult, level: float) -> None:
    tested = table.test(vs="rest", levels=level, base="unweighted", pooled=True).to_frame()
    names = {row.name: at for at, row in enumerate(table.rows)}
    columns = {column.name: at for at, column in enumerate(table.columns)}
    found = significance(table, level)
    expected = np.zeros_like(found)
    figures = tested[["z", "p"]].to_numpy(float)
    for row, column, (z, p) in zip(tested["row"], tested["column"], figures, strict=True):
        if p < 1 - level:
            expected[names[str(row)], columns[str(column)]] = np.sign(z)
    np.testing.assert_array_equal(found, expected)
    assert {-1, 0, 1} == set(found.ravel().tolist())


def test_cases_shared_with_the_page() -> None:
    cases = json.loads(CASES.read_text())
    table = table_of([each["figures"] for each in cases])
    for level in LEVELS:
        expected = [each["levels"][f"{level:g}"] or 0 for each in cases]
        assert significance(table, level).ravel().tolist() == expected


def test_the_static_form_has_the_arrows_of_visible_values(table: CrosstabResult) -> None:
    found = significance(table, 0.95)
    signs = {1: "▲", -1: "▼", 0: ""}

    def arrows(**settings: Any) -> list[str]:
        looks = Looks(low_base=(0, 0), **settings)
        write = CellWriter(table, looks, None, None)
        texts = [str(write(*at)) for at in np.ndindex(table.shape)]
        return ["".join(sign for sign in text if sign in "▲▼") for text in texts]

    assert arrows() == [signs[each] for each in found.ravel().tolist()]
    assert set(arrows(significance="none")) == {""}
    assert set(arrows(blank_under=10**6)) == {""}
    assert arrows(level=0.99).count("") >= arrows(level=0.90).count("")


def test_letters_follow_the_level(table: CrosstabResult) -> None:
    assert [letter_levels(level) for level in LEVELS] == [(0.90,), (0.95, 0.90), (0.99, 0.95)]
    usual, strict = Letters.of(table), Letters.of(table, level=0.99)
    np.testing.assert_array_equal(usual.marks, table.test(levels=(0.95, 0.90)).marks())
    np.testing.assert_array_equal(strict.marks, table.test(levels=(0.99, 0.95)).marks())
    assert "capital 99" in strict.legend
    write = CellWriter(table, Looks(significance="letters", low_base=(0, 0)), usual, None)
    row, column = np.argwhere(usual.marks != "")[0]
    assert str(usual.marks[row, column]) in str(write(row, column))


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


def test_saved_values_have_the_settings_but_no_letters() -> None:
    assert Looks(metrics=("index",), significance="letters").saved == {"significance": "none"}
    # A saved table without metrics shows the index, as those of 1.0 do.
    assert Looks().saved == {"metrics": ["column_percentage"]}
    assert Looks(level=0.9, density="compact", show_bases=()).saved == {
        "metrics": ["column_percentage"],
        "level": 0.9,
        "density": "compact",
        "show_bases": (),
    }
