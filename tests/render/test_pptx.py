"""Slides hold native charts and tables with the figures of the result, also in a template."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import audiencelab as al
from audiencelab.render.excel.styles import cell_text
from audiencelab.render.layout import table_layout
from audiencelab.tables import CrosstabResult, TabBook
from tests.analysis.samples import survey
from tests.messages import fails
from tests.render.excel.test_workbook import varied
from tests.results.samples import HOSTILE, counted, crosstab, metrics, row, stats

pptx: Any = pytest.importorskip("pptx")


def slides(result: Any, **options: Any) -> list[Any]:
    file = BytesIO()
    result.to_pptx(file, **options)
    return list(pptx.Presentation(file).slides)


def charts(deck: list[Any]) -> list[Any]:
    return [shape.chart for slide in deck for shape in slide.shapes if shape.has_chart]


def grids(deck: list[Any]) -> list[list[list[str]]]:
    """The tables of figures; names beside bars are in one column."""
    tables = [shape.table for slide in deck for shape in slide.shapes if shape.has_table]
    tables = [table for table in tables if len(table.columns) > 1]
    return [[[cell.text for cell in row.cells] for row in table.rows] for table in tables]


def test_the_chart_has_the_values_of_the_result() -> None:
    result = varied(base_sample=900)
    (chart,) = charts(slides(result))
    values = np.array([series.values for series in chart.plots[0].series], dtype=float).T
    expected = result.values("column_percentage")
    assert np.array_equal(values, expected[:, -values.shape[1] :], equal_nan=True)
    assert list(chart.plots[0].categories) == [row.name for row in result.rows]
    assert [series.name for series in chart.plots[0].series] == [
        column.name for column in result.columns
    ]


def test_the_table_has_bases_marks_and_letters() -> None:
    result = survey([[20.0, 30.0]], [400, 300], rows=("r",), columns=("a", "b"))
    (grid,) = grids(slides(result, metrics=["column"], comparison=result.test(), chart=None))
    assert grid[0][-2:] == ["a (A)", "b (B)"]
    assert grid[2][0] == "Base (n)"
    assert grid[2][-2:] == ["400", "300"]
    assert grid[3] == ["r", grid[3][1], "20.0%", "30.0% A"]


def foot_of(slide: Any) -> str:
    [foot] = [each for each in slide.shapes if each.name.startswith("Base and source")]
    return foot.text_frame.text


def test_every_slide_says_base_and_source_below_and_all_notes_to_the_speaker() -> None:
    result = crosstab()
    layout = table_layout(result)
    for slide in slides(result):
        assert slide.shapes.title.text == layout.title
        for fact in (*layout.facts, layout.source):
            assert fact in foot_of(slide)
        notes = slide.notes_slide.notes_text_frame.text
        for fact in (*layout.facts, *layout.footnotes):
            assert fact in notes


def test_notes_that_do_not_fit_are_in_the_speaker_notes_and_the_source_stays() -> None:
    result = survey([[20.0, 30.0]], [60, 300], rows=("r",), columns=("a", "b"))
    tested = replace(result.test(), method_note=" ".join(["A long method."] * 80) + " To its end.")
    (slide,) = slides(result, comparison=tested, chart=None)
    foot = foot_of(slide)
    assert tested.method_note not in foot
    assert foot.endswith("* fewer than 100 respondents in the denominator, ** fewer than 30")
    assert tested.method_note in slide.notes_slide.notes_text_frame.text
    (short,) = slides(result, comparison=result.test(), chart=None)
    assert result.test().method_note in short.notes_slide.notes_text_frame.text


def test_a_large_table_takes_several_slides_and_loses_nothing() -> None:
    rows = tuple(f"row {at}" for at in range(40))
    columns = tuple(f"column {at}" for at in range(25))
    deck = slides(crosstab(rows=rows, columns=columns))
    named = [name for chart in charts(deck) for name in chart.plots[0].categories]
    assert named == list(rows)
    shown = [grid for grid in grids(deck) if grid[0][-1] == "column 24"]
    assert [line[0] for grid in shown for line in grid[3:]] == list(rows)
    # Each slide begins with everyone.
    across = [grid[0][2:] for grid in grids(deck) if len(grid) > 3 and grid[3][0] == "row 0"]
    assert [name for names in across for name in names] == list(columns)


def of_one_question(table: CrosstabResult, kind: str = "single") -> CrosstabResult:
    """The same table with the answers to one question as rows."""
    table.rows = tuple(
        replace(each, expression=al.Q("q1").any(f"q1_{at}")) for at, each in enumerate(table.rows)
    )
    table.kinds["q1"] = kind
    return table


def answers(kind: str = "single") -> CrosstabResult:
    """A question's answers by two columns."""
    people = np.array([[30, 10], [50, 20], [20, 70]])
    return of_one_question(counted(("Good", "Fair", "Poor"), ("North", "South"), people), kind)


@pytest.mark.parametrize("net", [False, True])
def test_a_stack_is_a_column_and_its_parts_are_the_answers(net: bool) -> None:
    table = answers()
    (chart,) = charts(
        slides(table.nets({"Fair+": ["Good", "Fair"]}) if net else table, chart="stack")
    )
    plot = chart.plots[0]
    assert list(plot.categories) == ["North", "South"]
    assert [each.name for each in plot.series] == ["Good", "Fair", "Poor"]
    assert np.array([each.values for each in plot.series]).sum(axis=0).tolist() == [100, 100]
    assert (chart.value_axis.minimum_scale, chart.value_axis.maximum_scale) == (0, 100)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (answers(kind="multiple"), {}, "may be in several rows, and only answers of one question"),
        (crosstab(), {}, 'may be in several rows.* Take chart="bar"'),
        (answers(), {"metrics": ["index", "column"]}, 'Put "column" first in metrics'),
        (stats(row("q1_1", metrics()), row("q1_2", metrics())), {}, "may be in several rows"),
    ],
)
def test_rows_that_do_not_stack_are_refused(table: Any, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        slides(table, chart="stack", **options)


def test_a_tab_book_draws_questions_that_do_not_stack_as_bars() -> None:
    book = TabBook({"One": answers(), "Several": answers(kind="multiple")}, {})
    stack, bar = charts(slides(book, chart="stack", vs=None))
    assert list(stack.plots[0].categories) == ["North", "South"]
    assert list(bar.plots[0].categories) == ["Good", "Fair", "Poor"]


@pytest.mark.parametrize("kind", ["bar", "column", "line", "stack"])
def test_each_kind_of_chart_can_be_edited(kind: Any) -> None:
    (chart,) = charts(slides(answers(), chart=kind))
    book = chart.part.chart_workbook.xlsx_part
    assert book is not None
    assert len(book.blob) > 1_000


@pytest.mark.parametrize("kind", ["bar", "stack"])
def test_names_in_the_data_of_a_chart_are_text(kind: Any) -> None:
    rows = ("=18 exactly", "+1", "http://evil.example/x", "\u202eafter\x00")
    columns = ("=HYPERLINK(A1)", "@SUM(A1)", "two")
    values = np.arange(12.0).reshape(4, 3)
    values[1, 1] = np.nan
    result = of_one_question(crosstab(rows, columns, column_percentage=values))
    (chart,) = charts(slides(result, chart=kind, metrics=["column"]))
    book = chart.part.chart_workbook.xlsx_part.blob
    names = ["=18 exactly", "+1", "http://evil.example/x", "\ufffdafter\ufffd"]
    (sheet,) = openpyxl.load_workbook(BytesIO(book)).worksheets
    cells = [list(row) for row in sheet.iter_rows()]
    assert {cell.data_type for row in cells for cell in row} <= {"s", "n"}
    assert not any(cell.hyperlink for row in cells for cell in row)
    down, across = [names, list(columns)] if kind == "bar" else [list(columns), names]
    assert [row[0].value for row in cells[1:]] == down
    assert [cell.value for cell in cells[0][1:]] == across
    second = [3, None, 5] if kind == "bar" else [1, None, 7, 10]
    assert [cell.value for cell in cells[2][1:]] == second
    assert [cell_text(series.name) for series in chart.plots[0].series] == across


def test_slides_follow_those_of_the_template(tmp_path: Path) -> None:
    own = pptx.Presentation()
    own.slide_width = 7_000_000
    own.slides.add_slide(own.slide_layouts[0]).shapes.title.text = "Our house"
    own.save(tmp_path / "house.pptx")
    large = crosstab(rows=("a", "b", "c"))
    large.to_pptx(tmp_path / "made.pptx", template=tmp_path / "house.pptx")
    made = pptx.Presentation(tmp_path / "made.pptx")
    titles = [slide.shapes.title.text for slide in made.slides]
    assert titles[0] == "Our house"
    assert len(titles) == 3
    assert made.slide_width == 7_000_000
    assert made.slides[1].slide_layout.name == "Title Only"


def test_labels_are_text(tmp_path: Path) -> None:
    name = HOSTILE + "\x0b\x00"
    (grid,) = grids(slides(crosstab(rows=(name,)), chart=None, title=HOSTILE))
    assert grid[3][0].startswith(HOSTILE)


def test_a_tab_book_has_a_chart_and_a_table_of_each_question() -> None:
    one, two = crosstab(rows=("a", "b")), crosstab(rows=("c", "d"))
    deck = slides(TabBook({"One": one, "Two": two}, {}), vs=None)
    assert len(charts(deck)) == len(grids(deck)) == 2


def test_what_is_refused(tmp_path: Path) -> None:
    with fails(ValueError):
        crosstab().to_pptx(tmp_path / "deck.ppt")
    with fails(ValueError):
        slides(crosstab(), chart="pie")
    with fails(FileNotFoundError):
        slides(crosstab(), template=tmp_path / "none.pptx")


def test_the_error_without_the_library_names_the_line_to_run() -> None:
    code = (
        "import sys; sys.modules['pptx'] = None\n"
        "from tests.results.samples import crosstab\n"
        "crosstab().to_pptx('deck.pptx')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "audiencelab[pptx]"' in done.stderr


def test_libreoffice_opens_every_slide(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    crosstab(rows=tuple(f"row {at}" for at in range(20))).to_pptx(tmp_path / "deck.pptx")
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [office, profile, "--headless", "--convert-to", "pdf", "deck.pptx"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=180)
    reader = pytest.importorskip("pypdf").PdfReader(tmp_path / "deck.pdf")
    made = pptx.Presentation(tmp_path / "deck.pptx")
    assert len(reader.pages) == len(made.slides)
    assert "row 19" in "".join(page.extract_text() for page in reader.pages)
