"""Every surface of a table marks what `test()` finds and shows the intervals of `intervals()`."""

from __future__ import annotations

import csv
import io
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pandas as pd
import pytest
from mcp import Client as Assistant
from openpyxl import load_workbook
from pptx import Presentation

import audiencelab as al
from audiencelab.assistants.tools import server
from audiencelab.cli import main
from audiencelab.client.context import ClientContext
from audiencelab.notebook import compare
from audiencelab.render.mime_payload import CROSSTAB, RAISED, plane_of
from audiencelab.render.text_forms import markdown_text
from audiencelab.widgets import Crosstab
from audiencelab.widgets.crosstab.csv_files import as_csv
from audiencelab.widgets.crosstab.export_cells import ExportCells
from tests.analysis.designed import BRANDS, MEANS, REGIONS, ROWS, respondents, rows_of, table
from tests.who_counts.test_surfaces import Cells

COLUMNS = (*REGIONS, *BRANDS)
LABELS = (*ROWS, *MEANS)

Marks = dict[tuple[str, str], str]
"""The letters or arrows of each cell, by row and column."""

Lines = Iterable[list[Any]]

MACROS = {"blacktriangledown": "▼", "blacktriangle": "▲", "triangledown": "▽", "vartriangle": "△"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("agree") / "survey"
    al.open(respondents(), weight="weight", to=to, quiet=True).close()
    return to


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[al.Client]:
    with al.connect(survey=folder, waves="all") as client:
        yield client


@pytest.fixture(scope="module")
def result(client: al.Client) -> al.CrosstabResult:
    return table(client)


@pytest.fixture(scope="module", params=["columns", "rest"])
def tested(result: al.CrosstabResult, request: pytest.FixtureRequest) -> Any:
    return result.test(request.param)


def expected(tested: Any) -> Marks:
    """The marks by the frame of the tests: which one is larger, and at which level."""
    found: dict[tuple[str, str], list[str]] = {
        (row, name): [] for row in LABELS for name in COLUMNS
    }
    letters = {name: "ABC"[at % 3] for at, name in enumerate([*sorted(REGIONS), *BRANDS])}
    for line in tested.to_frame().to_dict("records"):
        strict, above = line["level"] == 0.95, line["difference"] > 0
        if np.isnan(line["level"]):
            continue
        if tested.vs == "rest":
            found[line["row"], line["column"]].append(
                ("▲" if above else "▼") if strict else "△▽"[not above]
            )
            continue
        pair = line["column"], line["other"]
        larger, smaller = pair if above else pair[::-1]
        mark = letters[smaller]
        found[line["row"], larger].append(mark if strict else mark.lower())
    return {cell: " ".join(sorted(marks, key=str.upper)) for cell, marks in found.items()}


def test_the_table_has_marks_to_lose(result: al.CrosstabResult) -> None:
    letters, arrows = (expected(result.test(vs)) for vs in ("columns", "rest"))
    assert {mark for marks in letters.values() for mark in marks.split()} >= {*"ABCabc"} - {"c"}
    assert {*arrows.values()} >= {"▲", "▼", "△", "▽"}
    assert any(letters[row, name] for row in MEANS for name in COLUMNS)


def marks_in(lines: Lines, rows: Iterable[str] = LABELS) -> Marks:
    """What each cell has besides its figure; the columns are those of the line that names them."""
    listed = [
        ["" if each is None else str(each).replace("\\", "") for each in line] for line in lines
    ]

    def names(line: list[str]) -> list[str]:
        return [re.split(r"[ \xa0]\(?[A-Z]\)?$", each.strip().split(" › ")[-1])[0] for each in line]

    [head, *_] = [names(line) for line in listed if {*COLUMNS} <= {*names(line)}]
    places = [head.index(name) for name in COLUMNS]
    found: Marks = {}
    for row in rows:
        [line, *_] = [each for each in listed if each and each[0].split(" › ")[-1].strip() == row]
        for name, at in zip(COLUMNS, places, strict=True):
            # In a workbook the marks are in the next cell.
            behind = [each for each in places if each > at]
            text = " ".join(line[at : min(behind, default=len(line))])
            # Saved forms write letters without spaces.
            marks = re.findall(r"[▲▼△▽]|(?<![A-Za-z])[A-Fa-f]+(?![A-Za-z])", text)
            found[row, name] = " ".join("".join(marks))
    return found


def html(page: str) -> Lines:
    return Cells(page.partition("</table>")[0]).rows


def markdown(text: str) -> Lines:
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.splitlines()]


def latex(text: str) -> Lines:
    for macro, arrow in MACROS.items():
        text = text.replace(f"$\\{macro}$", arrow)
    stack = r"\\begin\{tabular\}\[b\]\{@\{\}r@\{\}\}(.*?)\\end\{tabular\}"
    text = re.sub(stack, lambda found: found[1].replace(r"\\ ", ""), text)
    text = re.sub(r"\\(text\w+|multicolumn\{\d+\}\{[^}]*\})|[{}]", "", text)
    return [[cell.strip(" \\") for cell in line.split("&")] for line in text.splitlines()]


def workbook(write: Callable[[Any], None], sheet: int = 0) -> list[list[Any]]:
    file = io.BytesIO()
    write(file)
    found = load_workbook(file).worksheets[sheet]
    return [list(line) for line in found.iter_rows(values_only=True)]


def slides(write: Callable[[Any], None]) -> Lines:
    file = io.BytesIO()
    write(file)
    shapes = [shape for slide in Presentation(file).slides for shape in slide.shapes]
    tables: list[Any] = [shape for shape in shapes if shape.has_table]
    return [[cell.text for cell in row.cells] for each in tables for row in each.table.rows]


def wide(frame: pd.DataFrame) -> Lines:
    names = list(frame.columns.get_level_values("column"))
    rows = frame.index.get_level_values("row")
    return [["", *names], *([row, *line] for row, line in zip(rows, frame.to_numpy(), strict=True))]


SURFACES: dict[str, Callable[[al.CrosstabResult, Any], Lines]] = {
    "wide frame": lambda result, tested: wide(tested.to_wide()),
    "card": lambda result, tested: html(tested._repr_html_()),
    "page": lambda result, tested: html(result.to_html(comparison=tested)),
    "Markdown": lambda result, tested: markdown(result.to_markdown(comparison=tested)),
    "LaTeX": lambda result, tested: latex(result.to_latex(comparison=tested)),
    "Excel": lambda result, tested: workbook(lambda file: result.to_excel(file, comparison=tested)),
    "slides": lambda result, tested: slides(
        lambda file: result.to_pptx(file, comparison=tested, chart=None)
    ),
}


@pytest.mark.parametrize("name", SURFACES)
def test_marks_of_a_table(name: str, result: al.CrosstabResult, tested: Any) -> None:
    assert marks_in(SURFACES[name](result, tested)) == expected(tested)


# ---- surfaces that ask for their table themselves ----


def shares_of(marks: Marks) -> Marks:
    return {cell: mark for cell, mark in marks.items() if cell[0] in ROWS}


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_marks_of_a_tab_book(vs: Any, client: al.Client, result: al.CrosstabResult) -> None:
    book = client.tab_book(["region", "brand"], ["tea", "rated"], rows=["answers", "nps"])
    if vs == "columns":
        found = [workbook(lambda file: book.to_excel(file, vs=vs), at) for at in (1, 2)]
    else:
        # Each table is in one that has its title for printed pages.
        pages = book.to_html(vs=vs).split("<td><div")[1:]
        found = [html(page[page.index("<table") :]) for page in pages]
    # Below the name of its question a score is called by what it is.
    marks = marks_in(found[0], ROWS) | marks_in(found[1], ["NPS"])
    expected_marks = expected(result.test(vs))
    assert marks == {
        cell: expected_marks[MEANS[1] if cell[0] == "NPS" else cell[0], cell[1]] for cell in marks
    }


def test_marks_of_the_command_line(
    folder: Path, tested: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["--rows", "tea", "--columns", "region,brand", "--test", tested.vs]
    assert main(["crosstab", str(folder), *names]) == 0
    printed = capsys.readouterr().out
    lines = [re.split(r" {2,}", line) for line in printed.splitlines()]
    assert marks_in(lines, ROWS) == shares_of(expected(tested))
    assert tested.method_note in printed


def answer_of(client: al.Client, tool: str, **arguments: Any) -> dict[str, Any]:
    async def call() -> Any:
        async with Assistant(server(client)) as assistant:
            return (await assistant.call_tool(tool, arguments)).structured_content

    return anyio.run(call)


def test_marks_of_an_assistant(client: al.Client, result: al.CrosstabResult) -> None:
    answer = answer_of(client, "crosstab", rows=["tea"], columns=["region", "brand"])
    tested = result.test()
    assert marks_in(markdown(answer["table"]), ROWS) == shares_of(expected(tested))
    assert answer["method"] == markdown_text(tested.method_note)


@pytest.mark.parametrize(("significance", "vs"), [("arrows", "rest"), ("letters", "columns")])
def test_marks_of_a_saved_widget(
    significance: Any, vs: Any, client: al.Client, result: al.CrosstabResult
) -> None:
    grid = Crosstab(client, rows_of(client), ["region", "brand"], significance=significance)
    [bundle, *_] = grid.wait(60)._repr_mimebundle_()
    marks = expected(result.test(vs, levels=0.95 if vs == "rest" else (0.95, 0.9)))
    assert marks_in(html(bundle["text/html"])) == marks
    saved = bundle[CROSSTAB]
    name = "level" if vs == "rest" else "letters"
    plane = plane_of(saved["planes"][name]) - RAISED.get(name, 0)
    for (row, column), mark in shares_of(marks).items():
        value = plane[saved["rows"]["names"].index(row), saved["columns"]["names"].index(column)]
        if vs == "rest":
            assert {"▲": value >= 95, "▼": value <= -95, "": abs(value) < 95}[mark]
        else:
            assert saved["marks"]["texts"][int(value)] == mark


def test_the_csv_of_a_widget_has_letters_and_their_method(result: al.CrosstabResult) -> None:
    cells = ExportCells.of(result, ["column_percentage", "letters"])
    lines = list(csv.reader(io.StringIO(as_csv(cells).decode("utf-8-sig"))))
    tested = result.test()
    marks = expected(tested)
    [head] = [at for at, line in enumerate(lines) if line[1:2] == ["Letters"]]
    for row in LABELS:
        name = row if row in ROWS else f"{row}: letters"
        [line] = [each for each in lines[head:] if name in each[:2]]
        shown = line[4:10] if row in ROWS else line[3:9]
        columns = [*sorted(REGIONS), *BRANDS]
        assert shown == [marks[row, column] for column in columns], row
    assert f"{tested.method_note} {tested.statistics.method_note}" in [
        each[0] for each in lines if each
    ]


def test_a_verified_notebook_names_a_saved_letter_that_moved(client: al.Client) -> None:
    grid = Crosstab(client, "tea", "brand", significance="letters").wait(60)
    saved = grid._repr_mimebundle_()[0][CROSSTAB]
    other = saved | {"marks": saved["marks"] | {"texts": [*saved["marks"]["texts"][:-1], "A"]}}
    before, now = (
        [{"output_type": "display_data", "data": {CROSSTAB: each}}] for each in (saved, other)
    )
    assert compare(before, before) == ()
    assert [(each.before, each.now) for each in compare(before, now)] == [("a B", "A")]


# ---- p-values and intervals ----


def test_the_csv_of_a_test_has_every_p(tested: Any) -> None:
    read = pd.read_csv(io.StringIO(tested.to_csv()))
    for name in ("p", "p_adjusted", "z", "standard_error", "level"):
        np.testing.assert_array_equal(read[name], tested.to_frame()[name], strict=True)


def test_standouts_are_what_the_tests_of_the_whole_table_find(result: al.CrosstabResult) -> None:
    tests = result.test("rest", correction="fdr", family="table", levels=0.95).to_frame()
    by_cell = tests.set_index(["row", "column"])
    found = result.standouts(100)
    assert len(found) > 1
    for line in found.to_dict("records"):
        same = by_cell.loc[(line["row"], line["column"])]
        assert line["p"] >= same["p"]
        assert same["level"] == 0.95
    assert "Benjamini-Hochberg over the table" in found.attrs["method_note"]


def ends(frame: pd.DataFrame, figure: str) -> list[list[float]]:
    return frame[[f"{figure}_low", f"{figure}_high"]].to_numpy().tolist()


@pytest.mark.parametrize(("metric", "figure"), [("column", "column_percentage"), ("mean", "value")])
def test_whiskers_end_where_intervals_do(
    metric: str, figure: str, result: al.CrosstabResult
) -> None:
    frame = result.intervals()
    shown = frame[frame["row"].isin(ROWS if metric == "column" else MEANS[:1])]
    datasets = result.chart.bar(metric=metric, intervals=True).to_dict()["datasets"].values()
    drawn = [each for rows in datasets for each in rows if "low" in each]
    data = sorted(drawn, key=lambda each: each["line"])
    assert [[each["low"], each["high"]] for each in data] == ends(shown, figure)


def test_every_row_has_an_interval(result: al.CrosstabResult) -> None:
    frame = result.intervals().set_index(["row", "column"])
    for row in LABELS:
        figure = "column_percentage" if row in ROWS else "value"
        found = frame.loc[row, [f"{figure}_se", f"{figure}_low", f"{figure}_high"]]
        assert np.isfinite(found.to_numpy(np.float64)).all(), row


def test_an_average_has_the_error_of_its_row(client: al.Client, result: al.CrosstabResult) -> None:
    row = result.intervals().set_index(["row", "column"]).loc[MEANS[0]].loc[[*REGIONS]]
    alone = client.stats("spent", splitter="region").averages().set_index("segment_label")
    assert alone.loc[[*REGIONS], "mean"].tolist() == pytest.approx(row["value"].tolist(), rel=1e-12)
    errors = alone.loc[[*REGIONS], "standard_error"].tolist()
    assert errors == pytest.approx(row["value_se"].tolist(), rel=1e-12)


def test_a_cell_in_detail_has_the_interval_and_the_test_of_its_table(
    client: al.Client, result: al.CrosstabResult
) -> None:
    grid = Crosstab(client, "tea", ["region", "brand"]).wait(60)
    intervals = result.intervals().set_index(["row", "column"])
    tests = result.test("rest").to_frame().set_index(["row", "column"])
    for cell in (("daily", "brand_1"), ("never", "North"), ("rarely", "brand_2")):
        detail = grid.drill(*cell)
        [share] = [each for each in detail.formulas if each.metric == "column_percentage"]
        low, high = intervals.loc[cell, ["column_percentage_low", "column_percentage_high"]]
        assert (share.low, share.high) == pytest.approx((low, high), rel=1e-12)
        assert detail.test is not None
        assert detail.test.p == pytest.approx(tests.loc[cell, "p"], rel=1e-12)


# ---- doors ----


def written(made: al.CrosstabResult) -> dict[str, Any]:
    """What surfaces write of a table and its tests."""
    letters, arrows = made.test(), made.test("rest")
    return {
        "letters": letters.to_csv(),
        "arrows": arrows.to_csv(),
        "note": (letters.method_note, arrows.method_note),
        "intervals": made.intervals().to_csv(),
        "standouts": made.standouts().to_csv(),
        "text": made.to_markdown(comparison=letters).partition("Source: ")[0],
        "chart": str(next(iter(made.chart.bar(intervals=True).to_dict()["datasets"].values()))),
    }


@pytest.fixture(scope="module")
def snapshot(client: al.Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("recorded") / "agree.audiencelab.jsonl"
    with client.recording(file):
        written(table(client))
    return file


@pytest.fixture(scope="module")
def here(result: al.CrosstabResult) -> dict[str, Any]:
    return written(result)


@pytest.mark.parametrize("door", ["http", "connect", "open", "pickle"])
def test_every_door_leads_to_the_same(
    door: str, folder: Path, snapshot: Path, result: al.CrosstabResult, here: dict[str, Any]
) -> None:
    if door == "http":
        with al.serve(folder, token="t") as url, al.connect(url, token="t", waves="all") as remote:
            found = written(table(remote))
    elif door == "pickle":
        found = written(pickle.loads(pickle.dumps(result)))
    else:
        opening = {
            "connect": partial(al.connect, snapshot=snapshot),
            "open": partial(al.open, snapshot),
        }
        with opening[door]() as replayed:
            found = written(table(replayed))
    for name, text in here.items():
        assert found[name] == text, name


def test_a_verified_snapshot_holds(
    folder: Path, snapshot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["snapshot", "verify", str(snapshot), "--survey", str(folder)]) == 0
    assert " precision " in capsys.readouterr().out


# ---- a service that is not one of audiencelab ----


@pytest.fixture(scope="module")
def foreign(folder: Path) -> Iterator[al.Client]:
    with pytest.MonkeyPatch.context() as patch, al.connect(survey=folder) as client:
        patch.setattr(ClientContext, "has_local", property(lambda _: False))
        yield client


def of_foreign(client: al.Client) -> al.CrosstabResult:
    return client.crosstab("tea", ["region", "brand"], base_of="everyone")


def text_of(lines: Lines) -> str:
    return " ".join(str(cell) for line in lines for cell in line)


def on_slides(result: al.CrosstabResult) -> str:
    file = io.BytesIO()
    result.to_pptx(file, comparison=result.test(), chart=None)
    shapes = [shape for slide in Presentation(file).slides for shape in slide.shapes]
    return " ".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


UNKNOWN: dict[str, Callable[[al.Client, al.CrosstabResult], str]] = {
    "repr": lambda _, result: repr(result.test()),
    "card": lambda _, result: result.test()._repr_html_(),
    "page": lambda _, result: result.to_html(comparison=result.test("rest")),
    "Markdown": lambda _, result: result.to_markdown(comparison=result.test()),
    "LaTeX": lambda _, result: result.to_latex(comparison=result.test()),
    "Excel": lambda _, result: text_of(
        workbook(lambda file: result.to_excel(file, comparison=result.test()))
    ),
    "slides": lambda _, result: on_slides(result),
    "frame": lambda _, result: result.test().to_frame().attrs["method_note"],
    "intervals": lambda _, result: result.intervals().attrs["method_note"],
    "standouts": lambda _, result: result.standouts().attrs["method_note"],
    "whiskers": lambda _, result: str(result.chart.bar(intervals=True).to_dict()["title"]),
    "assistant": lambda client, _: str(
        answer_of(client, "crosstab", rows=["tea"], columns=["region"], base_of="everyone")
    ),
    "profile of an assistant": lambda client, _: str(
        answer_of(
            client,
            "profile",
            audience=[{"question": "region", "answers": ["North"]}],
            base_of="everyone",
        )
    ),
    "tab book": lambda client, _: client.tab_book("region", ["tea"], base_of="everyone").to_html(),
    "averages": lambda client, _: (
        client.stats("rated", base_of="everyone").averages().attrs["method_note"]
    ),
    "widget": lambda client, _: str(
        Crosstab(client, "tea", "region", base_of="everyone")
        .wait(60)
        ._repr_mimebundle_()[0]["text/html"]
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_design_that_is_not_known_is_named(name: str, foreign: al.Client) -> None:
    assert "design unknown" in UNKNOWN[name](foreign, of_foreign(foreign))
