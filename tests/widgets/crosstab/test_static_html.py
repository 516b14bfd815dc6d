"""Cells of the static form: number format and heat map."""

from __future__ import annotations

import math

import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.markup import Cell
from audiencelab.render.color_scale import heat_step
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.marks import CellMarks, TableMarks
from audiencelab.widgets.crosstab.protocol import Significance
from audiencelab.widgets.crosstab.static_html import CellWriter, grid_html, grid_text
from tests.results.samples import crosstab
from tests.shared import SHARED

FORMATS, HEATS = SHARED["formats"], SHARED["heats"]


@pytest.mark.parametrize(
    ("units", "metric", "value", "decimals", "text"),
    [
        (units, metric, *case)
        for units, metrics in FORMATS.items()
        for metric, cases in metrics.items()
        for case in cases
    ],
)
def test_values_are_formatted_as_on_the_page(
    units: str, metric: str, value: float | None, decimals: int | None, text: str
) -> None:
    number = math.nan if value is None else value
    assert grid_text(metric, number, Looks(decimals=decimals, units=units)) == text


@pytest.mark.parametrize(("heat", "scale", "value", "step"), HEATS["cases"])
def test_cells_have_the_same_shade_as_on_the_page(
    heat: str, scale: str | None, value: float | None, step: int
) -> None:
    scales = None if scale is None else HEATS["scales"][scale]
    assert heat_step(math.nan if value is None else value, heat, scales) == step


@pytest.mark.parametrize(
    ("looks", "value", "words"),
    [
        (Looks(), 1_234, "1,234"),
        (Looks(), 1_234_567, "1.2M"),
        (Looks(), 999_950, "1.0M"),
        (Looks(units="thousands"), 1_234_567, "1,234.6K"),
        (Looks(units="thousands", decimals=0), 1_234_567, "1,235K"),
        (Looks(units="full"), 1_234_567.4, "1,234,567"),
        (Looks(units="full"), math.nan, "–"),
        (Looks(), math.nan, "–"),
    ],
)
def test_weighted_counts_have_the_selected_unit(looks: Looks, value: float, words: str) -> None:
    assert grid_text("size", value, looks) == words


def written(table: CrosstabResult, metric: str, decimals: int) -> str:
    """The first cell, of one metric, without colour and marks."""
    looks = Looks((metric,), "none", decimals=decimals, stars=(0, 0))
    cell = CellWriter(table, looks, CellMarks(), None)(0, 0)
    assert isinstance(cell, Cell)
    return str(cell.content)


def test_counts_have_no_decimals() -> None:
    assert written(crosstab(sample=1_234.0), "sample", 2) == "1,234"


def test_values_that_round_to_zero_have_no_sign() -> None:
    table = crosstab(size=200.4, column_size=1_000.0, row_size=200.0, base_size=1_000.0)
    assert written(table, "difference", 1) == "0.0"
    assert written(table, "difference", 2) == "+0.04"


@pytest.mark.parametrize(
    ("sample", "stars", "coloured"),
    [(100, (100, 30), True), (99, (100, 30), False), (99, (50, 30), True), (1, (0, 0), True)],
)
def test_a_low_base_has_no_colour(sample: int, stars: tuple[int, int], coloured: bool) -> None:
    table = crosstab(index=150, column_sample=500, row_sample=sample)
    looks = Looks(("column_percentage",), "index", stars=stars)
    cell = CellWriter(table, looks, CellMarks(), None)(0, 0)
    assert isinstance(cell, Cell)
    assert bool(cell.style) == coloured


def test_the_colours_of_z_have_two_steps(small_client: Client) -> None:
    # People and their own age: there is a cell of every kind.
    ages = [al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7)]
    brands = [al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 9)]
    table = small_client.crosstab(rows=[*ages, *brands], columns=ages)
    looks = Looks(("z",), "z", stars=(0, 0))
    every = np.arange(table.shape[0]), np.arange(table.shape[1])
    write = CellWriter(table, looks, TableMarks(table).shown(*every, looks), None)
    found = table.test(vs="rest", levels=(0.99, 0.95)).marks()
    seen: set[str] = set()
    colours = {"▲": "e824", "△": "e822", "▼": "27c4", "▽": "27c2"}
    for row, column in np.ndindex(table.shape):
        cell = write(row, column)
        assert isinstance(cell, Cell)
        mark = found[row, column]
        expected = f"background:#{colours[mark]}" if mark else ""
        assert cell.style == expected
        seen.add(expected)
    assert len(seen) >= 4


def test_low_bases_are_marked_at_the_base(small_client: Client) -> None:
    women = al.Audience("Women", al.Q("q2").any("q2_2"))
    few = al.Audience("Young women", women.expression & al.Q("q4").any("q4_1"))
    table = small_client.crosstab(rows=[women, few], columns=[few, women])
    looks = Looks(("size",), "none", stars=(500, 100), significance="none")
    shown = str(grid_html((2, 2), "", table, looks, "All"))
    for audience in (women, few):
        n = small_client.size(audience).sample
        mark = "**" if n < 100 else "*" if n < 500 else ""
        assert f">{n:,.0f}{mark}<" in shown
    assert "* fewer than 500 respondents" in shown


def test_letters_with_a_line_of_their_own_are_written_once(small_client: Client) -> None:
    ages = [al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7)]
    brands = [al.Audience(f"Brand {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 9)]
    table = small_client.crosstab(rows=brands, columns=ages)
    looks = Looks(("column_percentage", "letters"), "none", significance="letters")
    marks = TableMarks(table).shown(np.arange(8), np.arange(6), looks)
    assert marks.letters is not None
    write = CellWriter(table, looks, marks, None)
    row, column = np.argwhere(marks.letters.marks != "")[0]
    cell = write(row, column)
    assert isinstance(cell, Cell)
    assert str(cell.content).count(str(marks.letters.marks[row, column])) == 1


@pytest.mark.parametrize(
    ("metrics", "significance", "note"),
    [
        (["row_percentage"], "letters", "letters compare Column %"),
        (["row_percentage", "column_percentage"], "letters", ""),
        (["index"], "letters", "letters compare Column %"),
        (["index"], "arrows", ""),
        (["row_percentage"], "arrows", "arrows compare Column %"),
    ],
)
def test_marks_beside_other_figures_name_those_they_compare(
    metrics: list[str], significance: Significance, note: str, small_client: Client
) -> None:
    grid = al.Crosstab(
        small_client, "Gender", "Age", metrics=metrics, significance=significance
    ).wait()
    for shown in (drawn(grid), grid.to_html(page=True)):
        assert note in shown
        assert (" compare " in shown) == bool(note)
    grid.transposed = True
    assert note.replace("Column", "Row") in drawn(grid)


def drawn(grid: al.Crosstab) -> str:
    return str(grid._static_html())  # pyright: ignore[reportPrivateUsage]
