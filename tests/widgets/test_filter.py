"""Widgets of a filtered client: they count its base, show it, and write code that has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from tests.widgets.conftest import Wire

YOUNG = {
    "question": "core.q4",
    "datapoints": ["q4_2"],
    "suffixes": [],
    "min_count": 1,
    "negated": False,
}


@pytest.fixture(scope="module")
def whole() -> al.Client:
    return al.connect()


@pytest.fixture(scope="module")
def women(whole: al.Client) -> al.Client:
    return whole.filter(whole["Gender"] == "Female")


def same(table: Any, expected: Any) -> None:
    pd.testing.assert_frame_equal(table.to_frame(), expected.to_frame())


def run(code: str, client: al.Client) -> al.CrosstabResult:
    names: dict[str, Any] = {"client": client, "al": al}
    exec(code, names)
    return names["table"]


def test_a_grid_counts_shows_and_writes_the_base(
    whole: al.Client, women: al.Client, wire: Wire
) -> None:
    grid = al.Crosstab(women, "Pets", "Age")
    same(grid, women.crosstab("Pets", "Age"))
    assert grid._question.bases == ["Gender is Female"]
    # The code has the base, and counts the same with either client.
    for client in (whole, women):
        same(run(grid.to_code(), client), women.crosstab("Pets", "Age"))
    wire.request(grid, "edit", {"do": "bases", "keep": [], "picked": [YOUNG]})
    base = women["Age"] == "18 to 24"
    same(grid, women.crosstab("Pets", "Age", base_audience=base))
    same(run(grid.to_code(), whole), women.crosstab("Pets", "Age", base_audience=base))
    # Without a base of its own, it is that of the client.
    wire.request(grid, "edit", {"do": "bases", "keep": []})
    same(grid, women.crosstab("Pets", "Age"))
    assert grid._question.bases == ["Gender is Female"]
    assert "Gender is Female" in str(grid._static_html())


def test_bases_side_by_side_are_within_it(whole: al.Client, women: al.Client) -> None:
    ages = [*whole["Age"].audiences()][1:3]
    grid = al.Crosstab(women, "Pets", bases=ages)
    both = whole["Gender"] == "Female"
    tables = {each.name: women.crosstab("Pets", base_audience=each) for each in ages}
    same(run(grid.to_code(), whole), al.side_by_side(tables))
    for each in grid.value.by_base:
        assert each.scope.base is not None
        assert whole.size(base_audience=each.scope.base).base_sample == (
            whole.size(base_audience=each.scope.base.expression & both).base_sample  # type: ignore[operator]
        )


def test_a_workbench_keeps_it(whole: al.Client, women: al.Client, tmp_path: Path) -> None:
    workbench = al.Workbench(women, "Pets", "Age")
    base = women.size().base_sample
    assert workbench.editor.measure().base_sample == base
    workbench.use_as_base()
    assert workbench.grid.base_audience.name == "Gender is Female"
    workbench.editor.value = whole["Age"] == "18 to 24"
    workbench.use_as_base()
    assert workbench.editor.measure().base_sample == base
    young = women.crosstab("Pets", "Age", base_audience=whole["Age"] == "18 to 24")
    same(workbench, young)
    file = workbench.save(tmp_path / "study.json")
    same(al.Workbench.load(whole, file), young)
    cells = json.loads(workbench.to_notebook(tmp_path / "study.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in code[:2]:
        exec(cell, names)
    assert names["client"].base_audience.expression == women.base_audience.expression  # type: ignore[union-attr]
    table = next(cell for cell in code if cell.startswith("table ="))
    same(run(table.removesuffix("table"), names["client"]), young)


def test_the_picker_counts_it(women: al.Client, wire: Wire) -> None:
    picker = al.QuestionPicker(women)
    found = wire.request(picker, "figures", {"question": "core.q4"}).content["data"]
    assert found["base"] == "Gender is Female"
    shares = women.stats("Age", base_of="everyone")
    assert [each["percentage"] for each in found["shares"]] == [
        row.metrics.audience_percentage for row in shares.rows
    ]
    audience = al.QuestionPicker(women, women["Age"] == "18 to 24", mode="audience")
    size = wire.request(audience, "size", {"selection": [YOUNG]}).content["data"]
    assert size["sample"] == women.size(women["Age"] == "18 to 24").sample
