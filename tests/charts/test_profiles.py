"""A profile ranks what one column is most over and most under."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab import charts
from tests.charts.test_charts import HOSTILE, texts, values_of
from tests.results.samples import crosstab, stats
from tests.tables.test_profile import profile

ROWS = ("Tea", "Coffee", "Water", "Milk", "Juice")
INDEX = np.array([[120.0], [80.0], [np.nan], [300.0], [99.0]])


def drawn(**more: object) -> charts.Chart:
    table = crosstab(
        ROWS,
        ("Young",),
        index=INDEX,
        column_percentage=INDEX / 10,
        column_sample=500,
        row_sample=500,
    )
    return charts.profile(table, **more)  # type: ignore[arg-type]  # options of each test


def test_rows_are_ranked_by_index_and_those_without_one_left_out() -> None:
    shown = [each["label"] for each in values_of(drawn())]
    assert shown == ["Milk", "Tea", "Juice", "Coffee"]
    assert [text for text in texts(drawn().svg()) if text in ROWS] == shown


def test_the_limit_keeps_the_ends_and_says_so() -> None:
    drawing = drawn(limit=1)
    assert [each["label"] for each in values_of(drawing)] == ["Milk", "Coffee"]
    assert "2 of 4 rows" in drawing.to_dict()["title"]["subtitle"][0]
    for limit in (0, 101):
        with pytest.raises(ValueError, match="at least 1 and at most 100"):
            drawn(limit=limit)


def test_the_share_stands_beside_the_index() -> None:
    assert {"300 · 30.0%", "80 · 8.0%"} <= set(texts(drawn().svg()))


def test_a_column_is_named_where_there_are_several() -> None:
    index = np.array([[110.0, 90, 100], [90, 110, 100]])
    table = crosstab(index=index)
    of_coffee = charts.profile(table, "Coffee")
    assert of_coffee.to_dict()["title"]["text"] == "Coffee"
    assert [each["value"] for each in values_of(of_coffee)] == [110, 90]
    assert values_of(charts.profile(table, "column-2")) == values_of(of_coffee)
    with pytest.raises(ValueError, match=r"Which column.*'Tea', 'Coffee', 'Water'"):
        charts.profile(table)
    with pytest.raises(ValueError, match="No one column 'Milk'"):
        charts.profile(table, "Milk")


def test_a_low_base_is_starred_and_hatched() -> None:
    drawing = charts.profile(crosstab(("Tea",), ("Young",), index=150, column_sample=29))
    assert any(text.endswith("**") for text in texts(drawing.svg()))
    assert drawing.svg().count('fill="url(#') == 1
    assert "fewer than 100 respondents" in texts(drawing.svg())[-1]


def test_a_profile_is_drawn_by_its_questions_and_answers_without_the_rare_and_its_own() -> None:
    drawing = charts.profile(profile())
    shown = [each["label"] for each in values_of(drawing)]
    assert shown == ["Drinks – Tea", "Pets – Cat", "Drinks – Coffee"]
    assert [each["label"] for each in values_of(charts.profile(profile(arrived=1)))] == shown[:1]
    assert drawing.to_dict()["title"]["text"] == "Fans"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_are_text_and_nothing_draws_as_nothing(theme: str) -> None:
    svg = charts.profile(crosstab((HOSTILE,), (HOSTILE,)), theme=theme).svg()
    assert "<script" not in svg
    assert any("<script>alert(1)</script>" in text for text in texts(svg))
    assert charts.profile(crosstab(columns=("Tea",), fill=False), theme=theme).svg()


def test_what_is_no_crosstab_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"client\.crosstab\(…\) .*returned"):
        charts.profile(stats())
