"""Crosstabs side by side: every part keeps its own figures."""

from __future__ import annotations

import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.results.cells import FIGURES
from audiencelab.survey import demo_survey
from tests.messages import fails

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
YOUNG = al.Audience("Young", al.Q("q4").any("q4_1", "q4_2"))
AGES = tuple(al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 5))
APPS = tuple(al.Audience(f"App {n}", al.Q("q20").any(f"q20_{n}")) for n in range(1, 4))


@pytest.fixture(scope="module")
def client() -> Client:
    return al.connect(survey=demo_survey(2_400))


def test_each_part_stands_under_its_name_with_its_own_figures(client: Client) -> None:
    tables = {
        base.name: client.crosstab(rows=APPS, columns={"Age": AGES}, base_audience=base)
        for base in (WOMEN, YOUNG)
    }
    joined = al.side_by_side(tables)
    assert joined.shape == (3, 8)
    assert joined.complete
    assert joined.column_groups == (("Women", "Age"),) * 4 + (("Young", "Age"),) * 4
    for figure in FIGURES:
        expected = np.hstack([part.values(figure) for part in tables.values()])
        np.testing.assert_array_equal(joined.values(figure), expected)
    assert joined.base_varies
    assert len({column.id for column in joined.columns}) == 8


def test_a_column_is_of_the_people_in_its_base(client: Client) -> None:
    joined = al.side_by_side({"W": client.crosstab(rows=APPS, columns=AGES, base_audience=WOMEN)})
    again = client.crosstab(rows=APPS, columns=joined.columns)
    np.testing.assert_allclose(again.values("size"), joined.values("size"))
    assert joined.base_audience == al.Audience("W", WOMEN.expression, "base")


def test_a_part_without_columns_is_its_base(client: Client) -> None:
    joined = al.side_by_side(
        {base.name: client.crosstab(rows=APPS, base_audience=base) for base in (WOMEN, YOUNG)}
    )
    assert [column.name for column in joined.columns] == ["Women", "Young"]
    np.testing.assert_allclose(joined.values("index"), 100)
    alone = al.side_by_side(
        {base.name: client.crosstab(columns=APPS, base_audience=base) for base in (WOMEN, YOUNG)}
    )
    assert [row.name for row in alone.rows] == ["Women, Young"]


def test_the_source_tells_in_what_the_parts_differ(client: Client) -> None:
    waves = {code: client.crosstab(rows=APPS, waves=[code]) for code in ("q3_2025", "q4_2025")}
    noted = al.side_by_side(waves).provenance
    assert noted["waves"] == "q3_2025: Q3 2025; q4_2025: Q4 2025"
    assert noted["survey"] == waves["q3_2025"].provenance["survey"]
    years = {year: client.crosstab(rows=APPS, waves=year) for year in ("2024", "2025")}
    assert al.side_by_side(years).provenance["waves"] == (
        "2024: Q1 2024 to Q4 2024; 2025: Q1 2025 to Q4 2025"
    )


def test_tables_that_do_not_fit_are_refused(client: Client) -> None:
    table = client.crosstab(rows=APPS)
    with fails(ValueError):
        al.side_by_side({"A": table, "B": client.crosstab(rows=APPS[:2])})
    with fails(ValueError):
        al.side_by_side({})
    with fails(TypeError):
        al.side_by_side([table])  # pyright: ignore[reportArgumentType] -- a slip
    with fails(TypeError):
        al.side_by_side({"A": 3})  # pyright: ignore[reportArgumentType] -- a slip
    with client.crosstab_stream(rows=APPS) as stream, fails(ValueError):
        al.side_by_side({"A": stream.result})


def test_a_table_is_called_by_a_text(client: Client) -> None:
    table = client.crosstab(rows=APPS)
    for name in ("", " ", 3):
        with fails(TypeError):
            al.side_by_side({name: table})  # pyright: ignore[reportArgumentType] -- a slip
