"""Tables as Markdown and LaTeX: read back by programs that make documents of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

import audiencelab as al
from audiencelab.render.text_forms import TextTable, latex, markdown, read_blocks
from tests.analysis.samples import survey
from tests.render.excel.test_workbook import varied
from tests.results.samples import HOSTILE, crosstab

AWKWARD = ("*a", "[b]", "~^`\"''--{}$&#_%\\|<i>", "- x", "1. y", "@who", HOSTILE)
TABLES: dict[str, Any] = {
    "one group": crosstab(),
    "varied": varied(base_sample=900),
    "awkward": crosstab(rows=AWKWARD, columns=AWKWARD[:3]),
    "letters": survey([[20.0, 30.0]], [400, 300]).test(),
    "arrows": survey([[20.0, 30.0]], [400, 300]).test(vs="rest"),
}


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


class Tables(HTMLParser):
    """The cells of the tables of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open = False
        self.feed(page)
        self.rows = [list(map(str.strip, row)) for row in self.rows]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def body(html: str) -> list[list[str]]:
    """The cells that a static form shows below its headers."""
    (table,) = (each for each in read_blocks(html) if isinstance(each, TextTable))
    return [[" ".join(cell.text.split()) for cell in row] for row in table.body]


@pytest.mark.parametrize("name", TABLES)
def test_markdown_has_the_cells_of_the_html(name: str) -> None:
    mistune = pytest.importorskip("mistune")
    html = TABLES[name]._repr_html_()
    read = Tables(mistune.create_markdown(plugins=["table"])(markdown(html))).rows[1:]
    for cells, expected in zip(read, body(html), strict=True):
        assert cells[: len(expected)] == expected
        assert not any(cells[len(expected) :])


@pytest.mark.parametrize("name", TABLES)
def test_pandoc_reads_the_markdown_as_a_table(name: str) -> None:
    html = TABLES[name]._repr_html_()
    command = [program("pandoc"), "-f", "markdown-smart", "-t", "html", "--wrap=none"]
    made = subprocess.run(
        command, input=markdown(html), capture_output=True, text=True, check=True
    ).stdout
    assert made.count("<table") == 1
    assert "<script" not in made
    read = [row for row in Tables(made).rows if row][1:]
    for cells, expected in zip(read, body(html), strict=True):
        assert cells[: len(expected)] == expected


def test_a_word_document_has_the_tables(tmp_path: Path) -> None:
    table = varied(base_sample=900)
    file = tmp_path / "table.docx"
    command = [program("pandoc"), "-f", "markdown", "-o", str(file)]
    subprocess.run(command, input=table.to_markdown(), text=True, check=True)
    made = subprocess.run(
        ["pandoc", str(file), "-t", "json"], capture_output=True, text=True, check=True
    ).stdout
    assert [each["t"] for each in json.loads(made)["blocks"]].count("Table") == 1


def test_a_wide_table_is_in_parts_that_fit_on_a_page(tmp_path: Path) -> None:
    """A Word document breaks the words and numbers of what is wider."""
    client = al.connect()
    table = client.crosstab("Finding brands", ["Gender", "Age"], waves="latest 1")
    html = table._repr_html_()
    command = [program("pandoc"), "-f", "markdown-smart", "-t", "html", "--wrap=none"]
    made = subprocess.run(
        command, input=markdown(html), capture_output=True, text=True, check=True
    ).stdout
    assert made.count("<table") > 1
    read = [row for row in Tables(made).rows if row]
    heads = [row[1:] for row in read if row[0] == "" and any(row[1:])]
    names = [each.name for each in table.columns]
    assert [head.rpartition("› ")[2] for row in heads for head in row] == ["All", *names]
    search = [row[1:] for row in read if row[0] == "Search engines"]
    [whole] = [row[1:] for row in body(html) if row[0] == "Search engines"]
    assert [cell for row in search for cell in row] == whole


def test_latex_is_set_with_every_cell(tmp_path: Path) -> None:
    tables = [*(each._repr_latex_() for each in TABLES.values()), _long().to_latex()]
    page = "\n\n".join(tables)
    source = (
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[margin=2cm]{geometry}"
        rf"\usepackage{{amssymb,longtable}}\begin{{document}}{page}\end{{document}}"
    )
    (tmp_path / "page.tex").write_text(source, encoding="utf-8")
    command = [program("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2_000:]
    reader = pytest.importorskip("pypdf").PdfReader(tmp_path / "page.pdf")
    words = "".join(each.extract_text() for each in reader.pages)
    for row in body(TABLES["varied"]._repr_html_()):
        for cell in row:
            assert re.sub(r"\W", "", cell) in re.sub(r"\W", "", words)


def _long() -> Any:
    names = tuple(f"row {number}" for number in range(60))
    return crosstab(rows=names, columns=tuple(f"a column of some width {at}" for at in range(20)))


def test_a_wide_table_goes_on_below_and_a_long_one_over_pages() -> None:
    made = _long().to_latex()
    assert made.count(r"\begin{longtable}") > 1
    assert r"\begin{tabular}{" not in made
    for at in range(20):
        assert len(re.findall(rf"width {at}\\end|width {at}\b", made)) >= 1


def test_names_of_columns_say_their_groups_only_where_there_are_several() -> None:
    one = crosstab(columns=("Male", "Female"), column_groups=(("Gender",), ("Gender",)))
    two = crosstab(columns=("Male", "Young"), column_groups=(("Gender",), ("Age",)))
    assert "| Male | Female |" in one.to_markdown()
    assert "| Gender › Male | Age › Young |" in two.to_markdown()
    assert r"\multicolumn{2}{c}{Gender}" in one.to_latex()


def test_a_notebook_becomes_latex_and_markdown_with_tables_and_not_payloads(tmp_path: Path) -> None:
    nbconvert: Any = pytest.importorskip("nbconvert")
    table = varied(base_sample=900)
    data, _ = table._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] -- as Jupyter does
    output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
    cell = nbformat.v4.new_code_cell("table", outputs=[output], execution_count=1)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    made, _ = nbconvert.LatexExporter().from_notebook_node(notebook)
    assert latex(data["text/html"]).strip() in made
    forms = ["text/markdown", "text/plain"]
    exporter = nbconvert.MarkdownExporter(
        config={"NbConvertBase": {"display_data_priority": forms}}
    )
    made, _ = exporter.from_notebook_node(notebook)
    assert markdown(data["text/html"]).strip() in made
    assert "vnd.audiencelab" not in made
