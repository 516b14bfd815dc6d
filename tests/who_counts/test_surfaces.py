"""On every surface the twelve cases have the figures that their frame has."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook
from pptx import Presentation

import audiencelab as al
from audiencelab.render.mime_payload import plane_of
from audiencelab.survey import Survey
from audiencelab.widgets.crosstab import Crosstab
from tests.who_counts.asking import column, row, table
from tests.who_counts.cases import Case

SHOWN = 0.05 + 1e-9
"""How far a percentage may be from its figure where it has one decimal."""

WIDGET = "application/vnd.audiencelab.crosstab.v1+json"
TOKEN = "a-token-for-tests"

Shares = dict[tuple[str, str], float]
"""Column percentages by row and column; NaN where there is no figure."""


def in_frame(result: al.CrosstabResult) -> Shares:
    frame = result.to_frame()
    cells = zip(frame["row"], frame["column"], strict=True)
    return dict(zip(cells, frame["column_percentage"], strict=True))


class Cells(HTMLParser):
    """The cells of the tables of a page, a list for each row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[Any]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def read(lines: Iterable[list[Any]], rows: Iterable[str], columns: Iterable[str]) -> Shares:
    """The first number of each cell, of the lines of a table that begin with the labels of rows."""
    lines, columns = list(lines), list(columns)
    [head, *_] = [line for line in lines if {*columns} <= {str(each) for each in line}]
    places = [[str(each) for each in head].index(name) for name in columns]
    found: Shares = {}
    for label in rows:
        [line, *_] = [each for each in lines if each and _label(each[0]) == label]
        found |= {
            (label, name): _number(line[at]) for name, at in zip(columns, places, strict=True)
        }
    return found


def _label(cell: Any) -> str:
    """The label of a row without its base, where it has one of its own."""
    return re.sub(r" \(n = [\d,]+\)$", "", str(cell).strip())


def _number(cell: Any) -> float:
    if isinstance(cell, int | float):
        return float(cell)
    number = re.search(r"-?\d[\d,]*(\.\d+)?", cell or "")
    return float(number.group().replace(",", "")) if number else float("nan")


def by_html(case: Case, result: al.CrosstabResult) -> Shares:
    page = result.to_html(metrics=["column_percentage"])
    return read(Cells(page).rows, case.figures, names(result))


def by_markdown(case: Case, result: al.CrosstabResult) -> Shares:
    lines = (line.strip("|").split("|") for line in result.to_markdown().splitlines())
    plain = [[each.strip().replace("\\", "") for each in line] for line in lines]
    return read(plain, case.figures, names(result))


def by_excel(case: Case, result: al.CrosstabResult) -> Shares:
    file = io.BytesIO()
    result.to_excel(file, metrics=["column_percentage"])
    sheet = load_workbook(file).worksheets[0]
    lines = [list(line) for line in sheet.iter_rows(values_only=True)]
    return read(lines, case.figures, names(result))


def by_powerpoint(case: Case, result: al.CrosstabResult) -> Shares:
    file = io.BytesIO()
    result.to_pptx(file, chart="bar")
    shapes = [shape for slide in Presentation(file).slides for shape in slide.shapes]
    lines = [
        [cell.text for cell in line.cells]
        for shape in shapes
        # Names beside bars are tables of one column.
        if shape.has_table and len(shape.table.columns) > 1
        for line in shape.table.rows
    ]
    found = read(lines, case.figures, names(result))
    for plot in (shape.chart.plots[0] for shape in shapes if shape.has_chart):
        for series in plot.series:
            for label, value in zip(map(_label, plot.categories), series.values, strict=True):
                if value is not None:
                    assert found[label, series.name] == pytest.approx(value, abs=SHOWN)
    return found


def by_chart(case: Case, result: al.CrosstabResult) -> Shares:
    [lines, *_] = result.chart.bar().to_dict()["datasets"].values()
    found = {(_label(each["label"]), each["group"]): each["value"] for each in lines}
    return {
        (label, name): np.nan if found.get((label, name)) is None else found[label, name]
        for label in case.figures
        for name in names(result)
    }


def by_letters(case: Case, result: al.CrosstabResult) -> Shares:
    side = "columns" if len(names(result)) > 1 else "rows"
    wide = result.test(side, min_base=0).to_wide()
    for axis, kept in ((0, "row"), (1, "column")):
        letters = [each for each in wide.axes[axis].names if each != kept]
        wide = wide.droplevel(letters, axis=axis)
    return {
        (label, name): _number(wide.loc[label, name]) for label in case.figures for name in wide
    }


ROUNDED = {
    "HTML": by_html,
    "Markdown": by_markdown,
    "PowerPoint": by_powerpoint,
    "letters": by_letters,
}
EXACT = {"Excel": by_excel, "chart": by_chart}


def names(result: al.CrosstabResult) -> list[str]:
    return [each.name for each in result.columns]


def same(found: Shares, expected: Shares, within: float = 0.0) -> None:
    assert found.keys() == expected.keys()
    for cell, share in expected.items():
        close = pytest.approx(share, rel=1e-9, abs=within, nan_ok=True)
        assert found[cell] == close, f"{cell}: {found[cell]}, in the frame {share}"


@pytest.mark.parametrize("surface", ROUNDED)
def test_rounded_shares(surface: str, case: Case, result: al.CrosstabResult) -> None:
    same(ROUNDED[surface](case, result), in_frame(result), SHOWN)


@pytest.mark.parametrize("surface", EXACT)
def test_shares_at_full_precision(surface: str, case: Case, result: al.CrosstabResult) -> None:
    same(EXACT[surface](case, result), in_frame(result))


def test_the_saved_form_of_a_widget(
    case: Case, client: al.Client, result: al.CrosstabResult
) -> None:
    expected = in_frame(result)
    labels = list(next(iter(case.figures.values())))
    grid = Crosstab(
        client,
        [row(client, label).named(label) for label in case.figures],
        [column(client, label) for label in labels],
    ).wait(60)
    [bundle, *_] = grid._repr_mimebundle_()
    same(read(Cells(bundle["text/html"]).rows, case.figures, labels), expected, SHOWN)
    planes = {name: plane_of(each) for name, each in bundle[WIDGET]["planes"].items()}
    with np.errstate(invalid="ignore"):
        shares = 100 * (planes["size"] / planes["column_size"])
    shares = np.broadcast_to(shares, (len(case.figures), len(labels)))
    cells = [(label, name) for label in case.figures for name in labels]
    # The planes are float32.
    same(dict(zip(cells, shares.ravel().tolist(), strict=True)), expected, 1e-4)


def test_over_http_and_from_a_snapshot(
    case: Case, result: al.CrosstabResult, folder: Callable[[Case], Path], tmp_path: Path
) -> None:
    expected = result.to_frame()
    snapshot = tmp_path / "recorded"
    with (
        al.serve(Survey.open(folder(case)), token=TOKEN) as url,
        al.connect(url, token=TOKEN) as remote,
        remote.recording(snapshot),
    ):
        assert table(remote, case).to_frame().equals(expected)
    with al.connect(snapshot=snapshot) as replayed:
        assert table(replayed, case).to_frame().equals(expected)
