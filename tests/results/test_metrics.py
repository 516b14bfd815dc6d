"""One table has the names, labels, forms and bases of the metrics of a cell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from audiencelab.results.metrics import (
    FIGURES,
    IN_GRID,
    METRICS,
    crosstab_name,
    frame_name,
    metric_of,
    transposed_metric,
    unknown_metric,
)

SOURCE = Path(__file__).parents[2] / "src" / "audiencelab"


def test_every_figure_of_a_cell_is_in_the_table_and_no_name_is_in_it_twice() -> None:
    assert {*FIGURES} <= {*METRICS}
    words = Counter(word for each in METRICS.values() for word in each.typed)
    labels = Counter(METRICS[name].label for name in METRICS)
    assert {*words.values(), *labels.values()} == {1}


def test_a_value_is_divided_by_sizes_of_the_sides_whose_respondents_it_rests_on() -> None:
    for each in METRICS.values():
        assert set(each.rests_on) <= {*each.divisors}, each.name
        assert (each.kind in ("size", "sample")) == (not each.rests_on), each.name


@pytest.mark.parametrize("name", FIGURES)
def test_rows_and_columns_swapped_twice_are_as_before(name: str) -> None:
    assert transposed_metric(transposed_metric(name)) == name
    assert metric_of(frame_name(name)) is METRICS[name]


def test_what_people_type_and_what_tables_title_is_one_metric() -> None:
    for typed in ("column", "Column %", "col%", "COLUMN"):
        assert crosstab_name(typed) == "column_percentage"
    assert [crosstab_name(name) for name in ("total", "total_percentage")] == ["percentage"] * 2
    assert crosstab_name("Loopa") == "Loopa"


def test_an_error_lists_what_the_table_has() -> None:
    assert str(unknown_metric("much", IN_GRID)) == (
        "No metric 'much'. Choose one of column, row, total, index, size, sample, "
        + ", ".join(name for name in IN_GRID if name not in FIGURES)
        + "."
    )


@pytest.mark.parametrize("label", ["Column %", "Row %", "Total %", "z-score", "% of column"])
def test_a_label_is_written_in_the_table_alone(label: str) -> None:
    named = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if f'"{label}"' in path.read_text("utf-8")
    ]
    assert named == ["results/metrics.py"]
