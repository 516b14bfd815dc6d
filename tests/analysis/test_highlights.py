"""What is interesting: ranked, controlled for many tests, and said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audiencelab import Q
from audiencelab.expressions import Expression
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult
from tests.analysis.samples import survey

TABLE = survey(
    [[20.0, 30.0, 41.0], [50.0, 51.0, 50.0], [10.0, 22.0, 11.0]],
    [400, 400, 400],
    base=1_200,
    rows=("Tea", "Coffee", "Milk"),
    columns=("Young", "Middle", "Old"),
)


def test_the_difference_that_is_largest_at_the_least_comes_first_and_is_said_in_words() -> None:
    found = TABLE.standouts()
    assert found.columns.tolist() == [
        "statement",
        "row_id",
        "row",
        "column_id",
        "column",
        "percentage",
        "other_percentage",
        "difference",
        "at_least",
        "index",
        "sample",
        "p",
        "p_adjusted",
    ]
    assert found.index.tolist() == [1, 2, 3, 4, 5]
    assert found["statement"].tolist() == [
        "Tea: 41.0% of Old, 25.0% of the rest (+16.0 points)",
        "Tea: 20.0% of Young, 35.5% of the rest (-15.5 points)",
        "Milk: 22.0% of Middle, 10.5% of the rest (+11.5 points)",
        "Milk: 10.0% of Young, 16.5% of the rest (-6.5 points)",
        "Milk: 11.0% of Old, 16.0% of the rest (-5.0 points)",
    ]
    assert found["at_least"].is_monotonic_decreasing
    assert (found["at_least"] > 0).all()
    assert (found["at_least"] < found["difference"].abs()).all()
    assert found["index"].iloc[0] == pytest.approx(100 * 41 / ((20 + 30 + 41) / 3))


def test_a_large_difference_of_few_ranks_below_a_smaller_one_of_many() -> None:
    table = survey([[60.0, 45.0], [30.0, 45.0]], [60, 2_000], base=4_000, rest=0.3)
    found = table.standouts()
    assert found["column"].tolist()[0] == "column 2"
    assert found["difference"].abs().idxmax() != 1


def test_the_recipe_says_that_the_table_is_one_family() -> None:
    recipe = TABLE.standouts().attrs["method_note"]
    assert "Benjamini-Hochberg over the table, 95%" in recipe
    assert (
        "Bonferroni over the table" in TABLE.standouts(correction="bonferroni").attrs["method_note"]
    )


def test_nothing_interesting_is_an_empty_frame_with_a_recipe() -> None:
    found = survey([[30.0, 30.0, 30.0]], [400] * 3, rest=0.3).standouts()
    assert len(found) == 0
    assert found.columns.tolist() == TABLE.standouts().columns.tolist()
    assert found.attrs["method_note"]


def test_what_differs_by_definition_is_left_out() -> None:
    questions = {"Tea": "q1", "Coffee": "q2", "Milk": "q3"}
    rows = tuple(
        replace(audience, expression=Q(questions[audience.name]).any("a"))
        for audience in TABLE.rows
    )
    columns = tuple(
        replace(audience, expression=Q("q1").any(f"q1_{place}") & ~Q("q7").any("b"))
        for place, audience in enumerate(TABLE.columns)
    )
    table = CrosstabResult(rows, columns)
    down, across = (axis.ravel() for axis in np.indices(TABLE.shape))
    cells_of(table).store(down, across, cells_of(TABLE).figures(down, across))
    found = table.standouts()
    assert set(found["row"]) == {"Milk"}
    assert found.attrs["method_note"].count("cells that differ by definition left out") == 1


def with_columns(table: CrosstabResult, *expressions: Expression) -> CrosstabResult:
    """The same table of columns that are defined."""
    columns = tuple(
        replace(audience, expression=expression)
        for audience, expression in zip(table.columns, expressions, strict=True)
    )
    made = CrosstabResult(table.rows, columns, table.base_audience)
    down, across = (axis.ravel() for axis in np.indices(table.shape))
    cells_of(made).store(down, across, cells_of(table).figures(down, across))
    return made


def test_a_column_and_its_negation_are_told_once() -> None:
    table = survey([[20.0, 40.0]], [500, 500], base=1_000)
    women = Q("q2").any("q2_2")
    assert with_columns(table, women, ~women).standouts()["column"].tolist() == ["column 1"]


def test_columns_whose_sizes_happen_to_add_up_to_the_base_are_both_told() -> None:
    """Quota samples: half are men, half are younger, and age alone makes the difference."""
    table = survey([[50.0, 50.0, 80.0, 20.0]], [500] * 4, base=1_000)
    answers = ("q2_1", "q2_2", "q4_1", "q4_2")
    found = with_columns(table, *(Q(each[:2]).any(each) for each in answers)).standouts()
    assert sorted(found["column"]) == ["column 3", "column 4"]
