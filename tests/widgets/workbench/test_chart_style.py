"""What is chosen for the workbench's chart: it is drawn, and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import audiencelab as al
from audiencelab.charts.theme import look
from audiencelab.client import Client
from audiencelab.widgets.workbench import Workbench
from tests.widgets.conftest import Wire
from tests.widgets.workbench.test_widget import Make, chart, make

__all__ = ["make"]

STYLE = {
    "kind": "bar",
    "title": "Who is here",
    "sort": "value",
    "palette": "green",
    "labels": False,
}


def test_the_chart_has_the_title_order_colours_and_labels_that_were_chosen(
    wire: Wire, make: Make
) -> None:
    workbench = make()
    usual = chart(wire, workbench, kind="bar")[0]["title"]
    facts, svg = chart(wire, workbench, **STYLE)
    assert facts["title"] == usual != "Who is here"
    assert b"Who is here" in svg
    assert look("light", "green").series[1].encode() in svg
    assert b"%</text>" in chart(wire, workbench, kind="bar")[1]
    answer, spec = chart(wire, workbench, format="vega", width=600, **STYLE)
    drawn = json.loads(spec)
    assert answer["title"] == usual
    assert drawn["title"]["text"] == "Who is here"
    order = drawn["layer"][0]["encoding"]["y"]["sort"]
    table = workbench.grid.to_wide("column")
    assert order == list(table.iloc[:, 0].sort_values(ascending=False).index)


def test_what_is_chosen_for_the_chart_is_in_code_document_and_notebook(
    make: Make, small_client: Client, tmp_path: Path
) -> None:
    workbench = make()
    workbench.panes = {"rail": 300}
    assert "panes" not in workbench.to_code()
    workbench.panes = {"rail": 300, **STYLE}
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(workbench.to_code(), names)
    again = Workbench.load(small_client, workbench.to_document())
    for other in (names["workbench"], again):
        assert {name: other.panes[name] for name in STYLE} == STYLE
    options = "sort='value', palette='green', labels=False"
    line = f"al.charts.bar(table, 'column_percentage', {options}).properties(title='Who is here')"
    written = workbench.to_notebook(tmp_path / "study")
    cells = json.loads(written.read_text(encoding="utf-8"))["cells"]
    assert line in ["".join(cell["source"]) for cell in cells]
    table = workbench.grid.wait(60).result
    assert "bars of" in repr(eval(line, {"al": al, "table": table}))


def test_rows_of_means_are_loaded_again() -> None:
    client = al.connect()
    bench = al.Workbench(client, "Gender", "Age")
    bench.grid.rows.add_mean("Age")
    again = al.Workbench.load(client, bench.to_document())
    assert [row.name for row in again.value.statistics] == ["Age: mean"]
    assert again.value == bench.value
