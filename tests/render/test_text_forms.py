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
from audiencelab.markup import GAP, card, table
from audiencelab.render.text_forms import latex, markdown
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
        elif tag == "small":
            # Another metric of the cell.
            self.rows[-1][-1] = f"{self.rows[-1][-1].removesuffix(GAP)} / "

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def body(html: str) -> list[list[str]]:
    """The cells that a static form shows below its headers."""
    return [[" ".join(cell.split()) for cell in row] for row in Tables(html).rows[1:]]


@pytest.mark.parametrize("name", TABLES)
def test_markdown_has_the_cells_of_the_html(name: str) -> None:
    mistune = pytest.importorskip("mistune")
    card, html = TABLES[name]._card(), TABLES[name]._repr_html_()
    read = Tables(mistune.create_markdown(plugins=["table"])(markdown(card))).rows[1:]
    for cells, expected in zip(read, body(html), strict=True):
        assert cells[: len(expected)] == expected
        assert not any(cells[len(expected) :])


@pytest.mark.parametrize("name", TABLES)
def test_pandoc_reads_the_markdown_as_a_table(name: str) -> None:
    card, html = TABLES[name]._card(), TABLES[name]._repr_html_()
    command = [program("pandoc"), "-f", "markdown-smart", "-t", "html", "--wrap=none"]
    made = subprocess.run(
        command, input=markdown(card), capture_output=True, text=True, check=True
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
        command, input=markdown(table._card()), capture_output=True, text=True, check=True
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
    tables = [*(latex(each._card()) for each in TABLES.values()), _long().to_latex()]
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


def test_a_notebook_becomes_latex_and_markdown_with_tables_and_not_payloads() -> None:
    nbconvert: Any = pytest.importorskip("nbconvert")
    program("pandoc")
    table, rest = varied(base_sample=900), TABLES["arrows"]
    outputs = [
        nbformat.v4.new_output("display_data", data=each._repr_mimebundle_()[0])
        for each in (table, rest, TABLES["awkward"])
    ]
    cell = nbformat.v4.new_code_cell("table", outputs=outputs, execution_count=1)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    made, _ = nbconvert.LatexExporter().from_notebook_node(notebook)
    # Pandoc writes the tables from the Markdown; the fonts of text have no arrows.
    assert made.count(r"\begin{longtable}") == 3
    [marked] = (found[0] for found in rest.marks().tolist())
    assert rf"20.0\% \({marked}\)" in made
    assert rf"20.0\% {marked}" not in made
    forms = ["text/markdown", "text/plain"]
    exporter = nbconvert.MarkdownExporter(
        config={"NbConvertBase": {"display_data_priority": forms}}
    )
    made, _ = exporter.from_notebook_node(notebook)
    assert markdown(table._card(), printed=True).strip() in made
    assert "vnd.audiencelab" not in made


@pytest.mark.parametrize(
    "label", [r"\(x\)", r"<cite data-cite=\"x}\input{/etc/passwd}\">", r"$\input{/etc/passwd}$"]
)
def test_a_label_is_no_command_in_a_printed_notebook(label: str) -> None:
    nbconvert: Any = pytest.importorskip("nbconvert")
    program("pandoc")
    data, _ = crosstab(rows=(label,))._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data)
    cell = nbformat.v4.new_code_cell("table", outputs=[output])
    made, _ = nbconvert.LatexExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    _, _, table = made.partition(r"\begin{longtable}")
    assert not re.search(r"\\(input|cite)\b|\\\(|(?<!\\)\$", table.partition(r"\end{longtable}")[0])


def test_a_display_draws_one_card_and_no_latex() -> None:
    for each in (*TABLES.values(), al.connect().stats("Age")):
        data, _ = each._repr_mimebundle_()
        assert data["text/html"] == each._repr_html_()
        assert data["text/markdown"] == each._repr_markdown_()
        assert not any("latex" in form for form in data)
        assert not hasattr(each, "_repr_latex_")


def test_short_lines_of_a_notebook_are_read_alike() -> None:
    mistune = pytest.importorskip("mistune")
    read = mistune.create_markdown(plugins=["table"])
    labels = ["ends in \\", "|", "", "-", "`a", "1. b"]
    hostile = card("t", table(labels, [labels, labels[::-1]], numeric=[1]))
    for form in (hostile, *(each._card() for each in TABLES.values())):
        short = re.sub(r"\$([▲▼△▽≥≤]+\d*)\$", r"\1", markdown(form, printed=True))
        assert Tables(read(short)).rows == Tables(read(markdown(form))).rows


def test_a_cell_of_a_grid_has_its_metrics_apart() -> None:
    grid = al.Crosstab(
        al.connect(), "Gender", "Age", metrics=("column_percentage", "index"), significance="none"
    )
    data, _ = grid.wait()._repr_mimebundle_()
    assert "49.3% / 102.4" in data["text/markdown"]
    assert "text/latex" not in data
