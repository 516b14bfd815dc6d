"""Rows of means in a crosstab widget: added, undone, written as code, saved and exported."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import openpyxl
import pytest

import audiencelab as al
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.workbench.document import read_study
from tests.widgets.conftest import Wire


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as made:
        yield made


@pytest.fixture
def grid(client: al.Client) -> Iterator[al.Crosstab]:
    made = al.Crosstab(client, "Age", "Gender", waves="latest 1")
    yield made
    made.close()


def names(grid: al.Crosstab) -> list[str]:
    return [each.name for each in grid.statistics]


def test_means_of_the_rows_are_one_step_and_have_code(client: al.Client, grid: al.Crosstab) -> None:
    assert [each.name for each in grid.scored] == ["Age"]
    grid.rows.add_mean()
    grid.rows.add_mean("Age", statistic="p90")
    assert names(grid) == ["Age: mean", "Age: 90th percentile"]
    assert "client['q4'].mean()," in grid.to_code()
    space: dict[str, Any] = {"client": client, "al": al}
    exec(grid.to_code(), space)
    made, shown = space["table"].statistics, grid.result.statistics
    assert shown is not None
    np.testing.assert_array_equal(made.figures, shown.figures)
    expected = client.crosstab(client["Age"].mean(), "Gender", waves="latest 1")["mean"]
    np.testing.assert_allclose(shown.values("value")[0], expected.iloc[0])
    grid.undo()
    assert names(grid) == ["Age: mean"]
    grid.rows.remove("Age: mean")
    assert (names(grid), len(grid.rows)) == ([], 7)
    grid.undo()
    assert names(grid) == ["Age: mean"]


def test_rows_may_be_given_with_their_means(client: al.Client) -> None:
    grid = al.Crosstab(client, ["Gender", al.mean("Age")], "Gender", waves="latest 1")
    assert (names(grid), len(grid.rows)) == (["Age: mean"], 3)
    alone = al.Crosstab(client, [al.mean("Age")], "Gender", waves="latest 1")
    assert alone.result.shape == (1, 3)
    with pytest.raises(QuestionError, match="There is a row 'Age: mean' already"):
        alone.statistics = [*alone.statistics, *alone.statistics]


def test_what_has_no_mean_is_refused(client: al.Client, grid: al.Crosstab) -> None:
    with pytest.raises(QuestionError, match="its answers have no amounts"):
        grid.rows.add_mean("Gender")
    with pytest.raises(QuestionError, match="Means are rows"):
        grid.columns.add_mean("Age")
    with pytest.raises(ValueError, match="statistics must be"):
        grid.rows.add_mean("Age", statistic="mode")
    with pytest.raises(QuestionError, match="No question on the rows"):
        al.Crosstab(client, "Gender").rows.add_mean()


def test_workbook_page_and_document_have_the_means(grid: al.Crosstab) -> None:
    grid.rows.add_mean()
    statistics = grid.result.statistics
    assert statistics is not None
    mean = f"{statistics.base('value')[0]:.2f}"
    assert mean in grid._repr_mimebundle_()[0]["text/html"]
    file = io.BytesIO()
    grid.to_excel(file)
    cells = [str(cell.value) for row in openpyxl.load_workbook(file)["Table"] for cell in row]
    assert "Age: mean" in cells


def test_a_saved_document_keeps_means(client: al.Client) -> None:
    bench = al.Workbench(client, "Age", "Gender")
    bench.grid.rows.add_mean()
    assert bench.grid.statistics
    kept = read_study(bench.to_document()).question
    assert kept.statistics == bench.grid.statistics


def test_letters_are_beside_the_means(client: al.Client, wire: Wire) -> None:
    grid = al.Crosstab(
        client, ["Gender", al.mean("Trust in sources", "Scientists")], "Age", waves="latest 1"
    )
    grid.wait()
    args = {"generation": grid._table.generation}
    answer = wire.request(grid, "statistics", args).content["data"]
    [line] = answer["lines"]
    assert line["name"] == "Scientists: mean"
    assert any(cell[-1].isalpha() for cell in line["cells"])
    assert len(line["cells"]) == len(answer["columns"]) == 7


def test_bases_side_by_side_have_means_of_their_own(client: al.Client) -> None:
    women = (client["Gender"] == "Female").named("Women")
    grid = al.Crosstab(
        client, ["Pets", al.mean("Age")], "Gender", bases=[al.Audience("All"), women]
    )
    found = grid.result.statistics
    assert found is not None
    alone = client.crosstab(client["Age"].mean(), "Gender", base_audience=women)["mean"]
    np.testing.assert_allclose(found.values("value")[0, 3:], alone.iloc[0])
    assert "Age: mean" in grid.result.to_html()
