"""Rows of means in a crosstab widget: added, undone, written as code, saved and exported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import openpyxl
import pytest

import audiencelab as al
from audiencelab.render.mime_payload import CROSSTAB
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.workbench.document import read_study
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import about, table_state


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
    with fails(QuestionError):
        alone.statistics = [*alone.statistics, *alone.statistics]


def test_what_has_no_mean_is_refused(client: al.Client, grid: al.Crosstab) -> None:
    with fails(QuestionError):
        grid.rows.add_mean("Gender")
    with fails(QuestionError):
        grid.columns.add_mean("Age")
    with fails(ValueError):
        grid.rows.add_mean("Age", statistic="mode")
    with fails(QuestionError):
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


def test_means_are_at_their_place_in_images_and_pages(wire: Wire, grid: al.Crosstab) -> None:
    grid.rows.add_mean()
    grid.rows.add("Pets")
    assert grid._repr_mimebundle_()[0]["text/html"].count("<table") == 1
    texts = re.findall(r">([^<]+)</text>", exported(wire, grid, "svg").decode())
    before, at, after = map(texts.index, (grid.rows[0].name, "Age: mean", grid.rows[-1].name))
    assert before < at < after
    shown = grid.result.statistics
    assert shown is not None
    values = [f"{each:.2f}" for each in shown.figures[0][0, 1:]]
    # After the weighted and the unweighted base.
    assert [each.strip("*\xa0") for each in texts[at + 3 :][: len(values)]] == values


def exported(wire: Wire, grid: al.Crosstab, kind: str) -> bytes:
    """A file of the whole table, as the page saves it."""
    table = table_state(wire, grid)
    whole = {"rows": [*range(table.rows)], "columns": [*range(table.columns)]}
    args = about(wire, grid, format=kind, **whole)
    return bytes(wire.request(grid, "export", args).buffers[0])


def rows_of(octets: bytes) -> list[list[str]]:
    """The lines of a file, without those at its end that say what it is of."""
    rows = list(csv.reader(io.StringIO(octets.decode("utf-8-sig"))))
    return rows[: len(rows) - 1 - rows[::-1].index([])] if [] in rows else rows


@pytest.mark.parametrize("transposed", [False, True])
def test_files_of_the_page_have_the_means(wire: Wire, grid: al.Crosstab, transposed: bool) -> None:
    grid.rows.add_mean()
    grid.rows.add_mean("Age", statistic="p90")
    grid.transposed = transposed
    grid.wait()
    found = grid.result.statistics
    assert found is not None
    rows = rows_of(exported(wire, grid, "csv"))
    block = rows[len(rows) - rows[::-1].index([]) :]
    lines = [list(each) for each in zip(*block, strict=True)] if transposed else block
    columns = [f"Gender › {each.name}" for each in grid.result.columns]
    assert lines[0] == ["Statistic", "Weighted base", "Unweighted base (n)", *columns, "Base"]
    assert [line[0] for line in lines[1:]] == ["Age: mean", "Age: 90th percentile"]
    numbers = np.array(lines[1:])[:, 3:].astype(float)
    np.testing.assert_array_equal(numbers[:, :-1], found.values("value"))
    np.testing.assert_array_equal(numbers[:, -1], found.base("value"))
    assert "Age: 90th percentile" in exported(wire, grid, "html").decode()
    book = openpyxl.load_workbook(io.BytesIO(exported(wire, grid, "xlsx")))
    sheet = book["Statistics" if transposed else "Table"]
    written = [[cell.value for cell in row] for row in sheet]
    [line] = [each for each in written if "Age: mean" in each]
    values = [each for each in line if isinstance(each, int | float)]
    for each in found.values("value")[0]:
        assert any(each == pytest.approx(value) for value in values)


def test_means_of_too_few_are_hidden_wherever_values_are(wire: Wire, grid: al.Crosstab) -> None:
    grid.rows.add_mean()
    grid.hide_under = 100
    grid.wait()
    found = grid.result.statistics
    assert found is not None
    assert found.values("answered_sample")[0].argmin() == 2
    hidden = f"{found.values('value')[0, 2]:.2f}"
    args = about(wire, grid)
    [line] = wire.request(grid, "statistics", args).content["data"]["lines"]
    assert line["cells"][2] == "·"
    bundle = grid._repr_mimebundle_()[0]
    assert hidden not in bundle["text/html"]
    [saved] = bundle[CROSSTAB]["statistics"]["lines"]
    assert saved["cells"][2] == "·"
    assert rows_of(exported(wire, grid, "csv"))[-1][5] == ""
    cells = rows_of(exported(wire, grid, "cells"))
    at = {name: place for place, name in enumerate(cells[0])}
    lines = [each for each in cells[1:] if each[at["statistic"]]]
    assert [each[at["value"]] == "" for each in lines] == [False, False, True]
    shares = [each for each in cells[1:] if not each[at["statistic"]]]
    assert {
        each[at["column_percentage"]] == "" for each in shares if each[at["column"]] == "Male"
    } == {False}
    few = [each for each in shares if each[at["column"]] == grid.result.columns[2].name]
    assert {each[at["column_percentage"]] for each in few} == {""}


def test_a_saved_table_has_the_means(grid: al.Crosstab) -> None:
    grid.rows.add_mean()
    grid.wait()
    found = grid.result.statistics
    assert found is not None
    expected = {
        "name": "Age: mean",
        "base": f"{found.base('value')[0]:.2f}",
        "cells": [f"{each:.2f}" for each in found.values("value")[0]],
    }
    for shown in (grid, grid.result):
        bundle: Any = shown._repr_mimebundle_()[0]
        note = grid.result.statistics_note
        assert bundle[CROSSTAB]["statistics"] == {"lines": [expected], "note": note}


def cells_of(html: str) -> dict[tuple[str, str], str]:
    """The cells of a static form as HTML, by row and column."""
    heads: list[str] = []
    found: dict[tuple[str, str], str] = {}
    for row in html.split("<tr")[1:]:
        cells = re.findall(r"<t[dh][ >].*?</t[dh]>", row)
        texts = [re.sub("<.*?>", "", each) for each in cells]
        if re.search(r"scope=row\b", row):
            found |= {
                (texts[0], head): cell for head, cell in zip(heads[1:], cells[1:], strict=True)
            }
        elif re.search(r"scope=col\b", row):
            heads = [re.sub(r" \(\w\)$", "", each) for each in texts]
    return found


@pytest.mark.parametrize("significance", ["arrows", "letters"])
def test_static_forms_show_what_the_page_shows(
    wire: Wire, grid: al.Crosstab, significance: Any
) -> None:
    grid.significance = significance
    grid.columns.add("Age")
    grid.rows.add_mean()
    grid.wait()
    everything = grid._repr_mimebundle_()[0]
    whole = cells_of(everything["text/html"])
    view = {"rows": {"hidden": [0, 3, 5, 6]}, "columns": {"hidden": [2, 3]}}
    state = {**view, **about(wire, grid)}
    shown = {"arrangement": state, "metric": grid.metric, "transposed": False}
    shown |= {"rows": [4, 1, 2], "columns": [9, 1, 0, 5]}
    wire.set_state(grid, _arrangement=state, _shown_items=shown)
    bundle = grid._repr_mimebundle_()[0]
    cells, saved = cells_of(bundle["text/html"]), bundle[CROSSTAB]
    rows = [list(grid.result.rows)[at].name for at in (4, 1, 2)]
    columns = [list(grid.result.columns)[at].name for at in (9, 1, 0, 5)]
    assert list(dict.fromkeys(row for row, _ in cells if row in rows)) == rows
    assert list(dict.fromkeys(column for _, column in cells if column in columns)) == columns
    assert {at: cells[at] for at in cells} == {at: whole[at] for at in cells}
    assert (saved["rows"]["names"], saved["columns"]["names"]) == (rows, columns)
    assert saved["heat"] == everything[CROSSTAB]["heat"]
    # A form without any row or column would say that nothing has been counted.
    grid.arrangement = {"columns": {"hidden": list(range(10))}}
    assert cells_of(grid._repr_mimebundle_()[0]["text/html"]) == whole


def test_a_saved_document_keeps_means(client: al.Client) -> None:
    bench = al.Workbench(client, "Age", "Gender")
    bench.grid.rows.add_mean()
    assert bench.grid.statistics
    kept = read_study(bench.to_document()).question
    assert kept.statistics == bench.grid.statistics


def test_letters_are_beside_the_means(client: al.Client, wire: Wire) -> None:
    grid = al.Crosstab(
        client,
        ["Gender", al.mean("Trust in sources", "Scientists")],
        "Age",
        waves="latest 1",
        significance="letters",
    )
    grid.wait()
    args = about(wire, grid)
    answer = wire.request(grid, "statistics", args).content["data"]
    [line] = answer["lines"]
    assert line["name"] == "Scientists: mean (n = 1,041)"
    assert any(cell[-1].isalpha() for cell in line["cells"])
    assert len(line["cells"]) == len(answer["columns"]) == 7
    assert answer["columns"][0] == f"{grid.result.columns[0].name} (A)"


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
