"""A saved notebook where no kernel is: on a code host that keeps little, and by nbconvert."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from audiencelab.markup import PRINTED
from audiencelab.notebook import export
from audiencelab.render.mime_payload import CROSSTAB, VIEW

WIDGET = "application/vnd.jupyter.widget-view+json"

SET_UP = """\
import audiencelab as al
from audiencelab import charts
from audiencelab.survey import demo_survey
client = al.connect(survey=demo_survey(2_400))
of = client.catalogue.audiences
social = client.catalogue["q20"]
apps = [social[each.name].named(each.name) for each in social.datapoints]
hostile = al.Audience("<img src=x onerror=alert(1)>", al.Q("q4").any("q4_2"))
table = client.crosstab(rows=apps, columns=[hostile, *of("q2")])
stats = client.stats("q4", audiences=of("q2"))
"""
SHOWN = {
    "result": "table",
    "stats": "stats",
    "chart": "charts.bar(stats)",
    "catalogue": "client.catalogue",
    "question": 'client.catalogue["q4"]',
    "comparison": "table.test()",
    "against the rest": 'table.test(vs="rest")',
    "profile": 'client.profile(al.Q("q4").any("q4_2"), ["q2", "q20"])',
    "overlap": 'client.overlap([al.Q("q4").any("q4_2"), al.Q("q2").any("q2_1")])',
    "coverage": 'client.coverage(al.Q("q20", suffixes=[1]).any("q20_1"))',
    "picker": 'al.QuestionPicker(client, [al.Q("q4").any("q4_2")])',
    "editor": "al.AudienceEditor(client, hostile)",
    "grid": 'grid = al.Crosstab(client, apps, [hostile, *of("q2")]).wait()\ngrid',
    "selectable": "charts.bar(stats).selectable()",
    "workbench": (
        'bench = al.Workbench(client, rows=apps, columns=of("q2"))\nbench.grid.wait()\nbench'
    ),
}
MOST_BYTES = 20_000
"""Of an output without pictures, as it is saved."""

MOST_KEPT = {"img", "table", "thead", "tbody", "tr", "th", "td", "div", "span", "b", "small"}
MOST_KEPT |= {"code", "pre", "br", "strong", "em", "p"}


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that can be shown, each in a cell, run by a real kernel and saved."""
    cells = [nbformat.v4.new_code_cell(source) for source in (SET_UP, *SHOWN.values())]
    made = nbformat.v4.new_notebook(cells=cells)
    folder = tmp_path_factory.mktemp("elsewhere")
    # As Jupyter saves it: without the state of widgets, which only a kernel can use.
    NotebookClient(made, store_widget_state=False).execute(cwd=str(folder))
    nbformat.write(made, folder / "shown.ipynb")
    return folder / "shown.ipynb"


@pytest.fixture(scope="module")
def shown(notebook: Path) -> dict[str, dict[str, Any]]:
    """What each cell has put out, by MIME type."""
    saved = nbformat.read(notebook, as_version=4)
    return {name: cell.outputs[-1].data for name, cell in zip(SHOWN, saved.cells[1:], strict=True)}


class Sanitised(HTMLParser):
    """What a code host leaves of a page: few elements, hardly an attribute, and no style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.cells: list[str] = []
        self.dropped: set[str] = set()
        self._in_cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in MOST_KEPT:
            self.dropped.add(tag)
        if tag in {"td", "th"}:
            self._in_cell = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._in_cell:
            self.cells[-1] += data


@pytest.mark.parametrize("name", SHOWN)
def test_everything_has_a_form_for_those_without_a_kernel(
    shown: dict[str, dict[str, Any]], name: str
) -> None:
    data = shown[name]
    assert {"text/html", "image/svg+xml"} & set(data)
    assert (WIDGET in data) == (VIEW in data)
    page = data.get("text/html", "")
    # Nothing is lost where scripts and styles are: there are none but for paper.
    left = Sanitised(page.replace(PRINTED, ""))
    assert left.dropped == set()
    assert "<img" not in page
    if name in {"result", "grid", "workbench", "comparison"}:
        assert sum(bool(re.search(r"\d", cell)) for cell in left.cells) > 20
    if name in {"result", "grid"}:
        assert "<img src=x onerror=alert(1)>" in left.words


@pytest.mark.parametrize("name", SHOWN)
def test_every_output_is_small(shown: dict[str, dict[str, Any]], name: str) -> None:
    data = dict(shown[name])
    picture = data.pop("image/svg+xml", "")
    image = data.pop("image/png", "")
    assert "text/latex" not in data
    assert len(data.pop("text/markdown", "")) <= MOST_BYTES / 2
    assert len(json.dumps(data, ensure_ascii=False).encode()) <= MOST_BYTES
    assert len(picture) <= 3 * MOST_BYTES
    assert len(image) <= 6 * MOST_BYTES


def test_tables_carry_their_figures(shown: dict[str, dict[str, Any]]) -> None:
    carrying = {name for name, data in shown.items() if CROSSTAB in data}
    assert carrying == {"result", "grid", "workbench"}
    assert shown["result"][CROSSTAB]["rows"]["names"] == shown["grid"][CROSSTAB]["rows"]["names"]


def test_nbconvert_shows_tables_and_charts(notebook: Path, shown: Any) -> None:
    page, _ = HTMLExporter().from_filename(str(notebook))
    for form in figures_of(shown):
        assert form in page
    pictures = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", page)
    assert sum("18 to 24" in base64.b64decode(each).decode() for each in pictures) == 2
    assert "Loading widget" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img src=x" not in page


def test_an_exported_page_shows_them_too(notebook: Path, shown: Any) -> None:
    page = export(notebook, notebook.parent / "page.html").read_text("utf-8")
    for form in figures_of(shown):
        assert form in page
    assert page.count('class="chart"') == 2


def figures_of(shown: dict[str, dict[str, Any]]) -> list[str]:
    """Some figures of each table, as they stand in its HTML."""
    tables = ("result", "stats", "grid", "workbench", "comparison")
    return [
        figure
        for name in tables
        for figure in re.findall(r">([\d.,]+%?)", shown[name]["text/html"])[:20]
    ]


def test_the_first_notebook_stays_small() -> None:
    """What is in it of tables and words; pictures are as large as they are drawn."""
    path = Path(__file__).parents[2] / "notebooks" / "01-quickstart.ipynb"
    saved = nbformat.read(path, as_version=4)
    pictures = 0
    for cell in saved.cells:
        for output in cell.get("outputs", ()):
            pictures += len(json.dumps(output.get("data", {}).pop("image/svg+xml", "")))
            output.get("data", {}).pop("image/png", None)
    assert len(nbformat.writes(saved).encode()) <= 60_000
    assert pictures <= 80_000
