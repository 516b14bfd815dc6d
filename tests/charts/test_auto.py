"""The chart that suits a result draws the figures of its frame, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import audiencelab as al
from tests.charts.samples import datasets

OPINION = "Feelings about AI"

MADE: dict[str, tuple[Any, Any]] = {
    "bars": ("Pets", None),
    "bars in panels": ("Pets", "Age"),
    "dots": ("Pets", "Gender"),
    "dots in panels": ("Pets", ["Gender", OPINION]),
    "stacks": (OPINION, ["Gender", "Age"]),
    "lines": ("Finding brands", "waves"),
    "a coloured table": ("Pets", al.nest("Gender", "Age")),
}


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as opened:
        yield opened


@pytest.mark.parametrize("kind", MADE)
def test_marks_have_the_figures_of_their_row_of_the_frame(kind: str, client: al.Client) -> None:
    table = client.crosstab(*MADE[kind])
    frame = table.to_frame()
    marks = 0
    for rows in datasets(table.chart()):
        for each in rows:
            value = each.get("share", each.get("value"))
            if "line" in each and value is not None:
                row = frame.iloc[int(each["line"])]
                assert value == pytest.approx(row["column_percentage"], abs=1e-9)
                marks += 1
    assert marks >= 8


def test_means_have_the_values_of_their_frame(client: al.Client) -> None:
    table = client.crosstab([client["Age"].mean()], ["Gender", "Market"])
    frame = table.to_frame()
    drawn = [each for rows in datasets(table.chart()) for each in rows if "line" in each]
    assert len(drawn) == len(table.columns)
    for each in drawn:
        assert each["value"] == pytest.approx(frame["value"].iloc[int(each["line"])])


def test_a_table_without_a_kind_is_drawn_by_auto(client: al.Client) -> None:
    table = client.crosstab("Pets", "Gender")
    assert table.chart().to_dict() == table.chart.auto().to_dict()
    assert repr(client.grid("Trust in sources").chart()).endswith("stacks of 5 answers>")
