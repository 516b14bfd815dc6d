"""The list of exhibits has each table, chart and file once, with what it is of."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import nbformat

from audiencelab.local_servers import without_port
from audiencelab.notebook.package.about import Details
from audiencelab.notebook.package.exhibits import Exhibit, exhibits_of
from audiencelab.notebook.package.facts import Facts, missing
from audiencelab.notebook.package.problems import served_here
from audiencelab.notebook.package.watch import Watched
from audiencelab.render.record_carriers import in_svg
from audiencelab.results.record import Record

TABLE = Record(title="Tea by Age", survey="survey tea", weight="w", code='client.crosstab("tea")')
CHART = Record(title="Tea by Age", survey="survey tea", code='client.crosstab("tea").chart.bar()')
FACTS = Facts(
    title="Tea",
    details=Details(),
    date="2026-01-01",
    notebooks=(),
    data="included",
    files=(),
    left_out=(),
    services=(),
    exhibits=(),
    packages={},
    python="3.12.1",
    machine="",
    duration="",
)
SVG = "<svg xmlns='http://www.w3.org/2000/svg'></svg>"


def cell(source: str, *outputs: dict[str, Any]) -> Any:
    return nbformat.v4.new_code_cell(source, outputs=[nbformat.from_dict(each) for each in outputs])


def output(record: Record | None = None, **data: str) -> dict[str, Any]:
    forms = {name.replace("_", "/"): text for name, text in data.items()}
    metadata = {} if record is None else {"audiencelab": record.to_dict()}
    return {"output_type": "display_data", "data": forms, "metadata": metadata}


def test_each_is_listed_once_with_its_files() -> None:
    card = output(text_html="<div class=mathjax_ignore><table><tr><td>x", text_plain="x")
    cells = [
        cell('client = al.open("tea.csv")', card),
        cell(
            "table = client.crosstab('tea')\ntable",
            output(TABLE, text_html="<table>", text_markdown="|"),
        ),
        cell("table.to_excel('tea.csv')"),
        cell("chart", {**output(CHART), "data": {"image/svg+xml": SVG}}),
        cell(
            "x = 1\npd.DataFrame(\n    {'n': [1]}\n)", output(text_html='<table class="dataframe">')
        ),
        cell("1 + 1", output(text_plain="2")),
    ]
    image = in_svg(SVG, "Tea", [CHART]).encode()
    written: list[dict[str, bytes]] = [{}, {}, {"plain.csv": b"1"}, {"chart.svg": image}, {}, {}]
    found = exhibits_of(nbformat.v4.new_notebook(cells=cells), "tea.ipynb", written)
    assert [(each.cell, each.kind, each.title, each.files) for each in found] == [
        (2, "table", "Tea by Age", ()),
        (3, "file", "plain.csv", ("plain.csv",)),
        (4, "chart", "Tea by Age", ("chart.svg",)),
        (5, "table", "pd.DataFrame(", ()),
    ]
    assert found[3].record is None
    assert len({each.sha256 for each in found}) == 4


def test_a_checksum_is_the_same_for_the_next_run_and_another_for_another_figure() -> None:
    line = "Source: survey tea, counted {} with audiencelab {}"
    texts = [
        f"12% {line.format('2026-11-30', '3.0.0')}",
        f"12% {line.format('2027-01-01', '3.1.0')}",
        f"13% {line.format('2026-11-30', '3.0.0')}",
    ]
    sums = [
        exhibits_of(
            nbformat.v4.new_notebook(cells=[cell("t", output(TABLE, text_markdown=text))]), "", []
        )[0].sha256
        for text in texts
    ]
    assert sums[0] == sums[1] != sums[2]


def test_a_service_of_this_machine_is_asked_for_no_citation() -> None:
    def asked(survey: str) -> list[str]:
        exhibit = Exhibit("", 1, "table", "Tea", Record(survey=survey), (), "")
        return [each for each in missing(replace(FACTS, exhibits=(exhibit,))) if "doi" in each]

    assert asked("survey tea")
    assert not asked(without_port("http://127.0.0.1:48613"))


def test_a_service_of_this_machine_that_the_code_names_is_a_problem() -> None:
    run = Watched(services=("http://127.0.0.1:8000", "https://example.org"))

    def said(code: str) -> list[str]:
        ran: Any = SimpleNamespace(notebook=nbformat.v4.new_notebook(cells=[cell(code)]))
        return [*served_here([run], [ran])]

    assert not said("with al.serve('x') as url: al.connect(url)")
    (problem,) = said("al.connect('http://127.0.0.1:8000')")
    assert problem.startswith("The code names http://127.0.0.1:8000, a service on this machine")
