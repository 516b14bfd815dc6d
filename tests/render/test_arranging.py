"""Tables in other arrangements: on each surface every value is the result's own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audiencelab as al
from audiencelab import charts
from audiencelab.render.layout import table_layout
from audiencelab.render.table_layout import LARGEST_BASES, TableLayout
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult
from tests.render.excel.workbook_reader import sheets, written
from tests.results.samples import HOSTILE, crosstab

ROWS, COLUMNS = ("Tea", "Mate", "Milk", "Juice", "Water"), ("Men", "Women")
GROUPS = (("Hot",), ("Hot",), ("Cold",), ("Cold",), ("Cold",))

shares = st.one_of(st.sampled_from([math.nan, 0.0, 100.0]), st.floats(0.5, 99.4))


@st.composite
def tables(draw: st.DrawFn) -> CrosstabResult:
    shape = (len(ROWS), len(COLUMNS))
    values = np.array(draw(st.lists(shares, min_size=10, max_size=10))).reshape(shape)
    samples = draw(st.tuples(*[st.integers(1, 300)] * len(COLUMNS)))
    of_all = draw(st.lists(st.floats(0.5, 99.4), min_size=5, max_size=5))
    return crosstab(
        ROWS,
        COLUMNS,
        row_groups=draw(st.sampled_from([(), GROUPS])),
        column_percentage=values,
        column_sample=np.broadcast_to(samples, shape),
        row_base_percentage=np.broadcast_to(np.array(of_all)[:, None], shape),
        base_sample=1_000,
    )


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(COLUMNS))
    orders = [None, False, True, "descending", "ascending", "label", name, (name, "ascending")]
    return {
        "sort": draw(st.sampled_from(orders)),
        "top": draw(st.sampled_from([None, 1, 2, 4])),
        "hide_under": draw(st.sampled_from([0, 50, 150])),
        "decimals": draw(st.sampled_from([None, 0, 2, {"column": 3}])),
        "rename": draw(st.sampled_from([{}, {"Mate": "Yerba", "column-2": "Women 18+"}])),
        "stars": draw(st.sampled_from([(100, 30), (250, 120), None])),
    }


Cells = list[tuple[str, list[str]]]


def expected(table: CrosstabResult, given: dict[str, Any]) -> Cells:
    """The rows by the definition of the options, without the code under test."""
    under = np.column_stack([[1_000.0] * len(ROWS), table.values("column_sample")])
    values = np.column_stack([table.row_values("row_base_percentage"), table["column"].to_numpy()])
    hidden = under < given["hide_under"]
    sort, top = given["sort"], given["top"]
    sort = "descending" if sort is True or (sort is None and top) else sort
    by = sort[0] if isinstance(sort, tuple) else sort
    column = 1 + COLUMNS.index(by) if by in COLUMNS else 0
    falling = sort != "ascending" and not isinstance(sort, tuple)
    names = [given["rename"].get(name, name) for name in ROWS]

    def rank(row: int) -> Any:
        value = math.nan if hidden[row, column] else values[row, column]
        if not sort:
            return row
        if sort == "label":
            return names[row]
        return (math.isnan(value), 0 if math.isnan(value) else -value if falling else value)

    parts = dict.fromkeys(table.row_groups)
    shown = [
        row
        for group in parts
        for row in sorted(
            (at for at, each in enumerate(table.row_groups) if each == group), key=rank
        )[:top]
    ]
    places = given["decimals"] if isinstance(given["decimals"], int) else 1
    places = 3 if isinstance(given["decimals"], dict) else places
    low, very_low = given["stars"] or (0, 0)

    def cell(row: int, column: int) -> str:
        if hidden[row, column]:
            return ""
        if math.isnan(values[row, column]):
            return "–"
        shown = Decimal(f"{values[row, column]:.15g}").quantize(
            Decimal(1).scaleb(-places), ROUND_HALF_UP
        )
        few = under[row, column]
        return f"{shown}%" + ("**" if few < very_low else "*" if few < low else "")

    return [(names[row], [cell(row, at) for at in range(values.shape[1])]) for row in shown]


def of_html(table: CrosstabResult, given: dict[str, Any]) -> Cells:
    found = re.findall("<tr.*?</tr>", table.to_html(metrics=["column"], **given), re.DOTALL)
    return _rows(
        [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in found
    )


def of_markdown(table: CrosstabResult, given: dict[str, Any]) -> Cells:
    text = table.to_markdown(metrics=["column"], **given).replace("\\", "")
    return _rows([cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines())


def of_slides(table: CrosstabResult, given: dict[str, Any]) -> Cells:
    pptx: Any = pytest.importorskip("pptx")
    file = BytesIO()
    table.to_pptx(file, chart=None, metrics=["column"], **given)
    shapes = [shape for slide in pptx.Presentation(file).slides for shape in slide.shapes]
    rows = [row for shape in shapes if shape.has_table for row in shape.table.rows]
    found = _rows([cell.text for cell in row.cells] for row in rows)
    # There the names are after their groups.
    return [(name.rpartition(" › ")[2], cells) for name, cells in found]


def _rows(lines: Any) -> Cells:
    names = {*ROWS, "Yerba"}
    return [
        (line[0], line[1:])
        for line in map(list, lines)
        if line and line[0].rpartition(" › ")[2] in names
    ]


@settings(max_examples=25)
@given(tables(), options())
def test_every_value_on_a_surface_is_the_results_own(
    table: CrosstabResult, given: dict[str, Any]
) -> None:
    wanted = expected(table, given)
    for read in (of_html, of_markdown, of_slides):
        assert read(table, given) == wanted, read.__name__


@settings(max_examples=8)
@given(tables(), options())
def test_a_workbook_has_the_unrounded_values(table: CrosstabResult, given: dict[str, Any]) -> None:
    sheet = next(iter(sheets(written(table, metrics=["column"], **given)).values()))
    values = {
        given["rename"].get(name, name): [whole, *own]
        for name, whole, own in zip(
            ROWS,
            table.row_values("row_base_percentage").tolist(),
            table["column"].to_numpy().tolist(),
            strict=True,
        )
    }
    found = [row for row in sheet.iter_rows() if row[0].value in values]
    wanted = expected(table, given)
    assert [row[0].value for row in found] == [name for name, _ in wanted]
    for row, (name, cells) in zip(found, wanted, strict=True):
        for cell, value, text in zip(row[1:], values[name], cells, strict=True):
            if text in ("", "–"):
                assert (cell.value or "") == text
                continue
            assert cell.value == pytest.approx(value, rel=1e-14, abs=1e-300)
            places = len(text.partition(".")[2].rstrip("*").rstrip("%"))
            number = f"0.{'0' * places}" if places else "0"
            assert str(cell.number_format).startswith(f'{number}"%"')


# -- what belongs to rows -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as client:
        yield client


def made(table: Any, comparison: Any = None, **given: Any) -> TableLayout:
    how = TableArrangement(**given)
    return table_layout(table, metrics=["column"], comparison=comparison, arrangement=how)


def names_of(layout: TableLayout) -> list[str]:
    return [cell.name for cell in layout.stub]


def test_letters_of_columns_go_with_their_rows(client: al.Client) -> None:
    table = client.crosstab("Pets", "Gender")
    before, after = (made(table, table.test(), **given) for given in ({}, {"sort": "ascending"}))
    assert before.banner == after.banner
    rows = dict(zip(names_of(before), before.marks, strict=True))
    assert names_of(after) != names_of(before)
    assert after.marks == tuple(rows[name] for name in names_of(after))
    assert after.positions == tuple(names_of(before).index(name) for name in names_of(after))


def test_letters_of_rows_that_are_left_out_are_not_shown(client: al.Client) -> None:
    layout = made((table := client.crosstab("Finding brands", "Age")), table.test(vs="rows"), top=2)
    assert [cell.lettered for cell in layout.stub] == ["Search engines (A)", "Word of mouth (C)"]
    assert {mark.upper() for row in layout.marks for mark in row} == {"A", "C", ""}
    assert layout.notes[0] == "2 of 20 rows are shown: the 2 largest by All."


def test_nets_lead_what_they_hold_under_new_names(client: al.Client) -> None:
    table = client.crosstab("The year ahead", "Gender").nets(
        {"Better": ["A little better", "Much better"]}
    )
    layout = made(table, sort="descending", rename={"Much better": "Best", "Gender": "Sex"})
    assert names_of(layout)[:3] == ["About the same", "Better", "A little better"]
    assert layout.title == "The year ahead by Sex"
    assert "The year ahead › Better: A little better, Best." in layout.notes[-1]
    assert ("Row", "The year ahead › Best") in [each[:2] for each in layout.definitions]
    # A net whose rows are not shown is not either.
    assert "Better" not in names_of(made(table, top=1))


def test_answers_off_the_scale_and_statistics_stay_last(client: al.Client) -> None:
    table = client.crosstab(["The year ahead", client["The year ahead"].mean()], "Gender")
    scale = table.scales["q23"]
    off = replace(table, scales={"q23": replace(scale, off=frozenset({"q23_3"}))})
    cells_of(off).store_rectangle(
        slice(None), slice(None), [table.values(name) for name in FIGURES]
    )
    layout = made(off, sort="descending", decimals={"mean": 3})
    assert names_of(layout)[-2] == "About the same"
    assert layout.stub[-1].decimals == 3


def test_gaps_name_rows_that_are_shown_by_their_new_names() -> None:
    values = np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]])
    empty = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    table = crosstab(("Tea", "Mate", "Milk"), COLUMNS, column_percentage=values, base_size=empty)
    [gap] = made(table, rename={"Mate": HOSTILE}).gaps
    assert gap.endswith(f": {HOSTILE}")
    assert made(table, sort=False, top=1).gaps == ()
    assert HOSTILE not in table.to_html(rename={"Mate": HOSTILE})


def test_the_row_with_the_largest_base_may_be_left_out() -> None:
    bases = np.array([[500.0, 500.0], [900.0, 900.0]])
    table = crosstab(("Tea", "Mate"), COLUMNS, base_sample=bases, base_size=bases)
    table.who = replace(table.who, base_of="valid")
    assert LARGEST_BASES in made(table).notes
    assert f"{LARGEST_BASES[:-1]}, which is left out." in made(table, sort=False, top=1).notes


def test_a_book_keeps_scales_and_takes_names_of_any_table(client: al.Client) -> None:
    book = client.tab_book("Gender", ["The year ahead", "Pets"])
    page = book.to_html(vs=None, sort="descending", top=2, rename={"Dog": "Hound"})
    order = [page.index(name) for name in ("Much worse", "About the same", "Much better", "Hound")]
    assert order == sorted(order)
    assert "Reptile" not in page
    with pytest.raises(ValueError, match="Did you mean 'Dog'"):
        book.to_html(vs=None, rename={"Dgo": "Hound"})


def test_files_are_saved_as_they_are_arranged(client: al.Client, tmp_path: Path) -> None:
    table = client.crosstab("Pets", "Gender")
    table.save(tmp_path / "table.md", sort="descending", top=2)
    assert (tmp_path / "table.md").read_text("utf-8") == table.to_markdown(sort="descending", top=2)
    table.save(tmp_path / "table.csv")
    with pytest.raises(ValueError, match="has data, which is not arranged"):
        table.save(tmp_path / "table.csv", top=2)
    book = client.tab_book("Gender", ["Pets"])
    book.save(tmp_path / "book.html", top=2, decimals=0)
    assert (tmp_path / "book.html").read_text("utf-8") == book.to_html(top=2, decimals=0)


@settings(max_examples=15)
@given(tables(), options())
def test_charts_draw_the_rows_and_values_of_the_table(
    table: CrosstabResult, given: dict[str, Any]
) -> None:
    wanted = expected(table, given)
    for draw in (charts.bar, charts.heatmap):
        if draw is charts.bar and len(wanted) == 1:
            # The columns of a single row are drawn as rows.
            continue
        chart = draw(table, "column", **given)
        drawn = [
            row
            for rows in chart.to_dict()["datasets"].values()
            for row in rows
            if row.get("line") is not None and "text" in row
        ]
        # A chart has no column of everyone, and a dash where a value is hidden.
        texts = {name: [text or "–" for text in cells[1:]] for name, cells in wanted}
        found: dict[str, list[str]] = {}
        for row in drawn:
            name = str(row.get("label", row.get("row"))).rpartition(" › ")[2]
            found.setdefault(name, []).append(row["text"].replace(" ", ""))
        assert found == texts
        assert [*found] == [*texts]
        frame = table.to_frame()["column_percentage"]
        for row in drawn:
            if row["value"] is not None:
                assert row["value"] == frame.iloc[int(row["line"])]
