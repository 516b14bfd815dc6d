"""Exports of a grid: files (read again), charts, code, and the details of a cell."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from pptx import Presentation

import audiencelab as al
from audiencelab.client import Client
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Q
from audiencelab.results.cells import FIGURES
from audiencelab.results.metrics import frame_name
from audiencelab.results.provenance import coverage_facts
from audiencelab.results.record import record_of
from audiencelab.results.who_counts import base_line
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.csv_files import as_csv, as_long_csv
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.file_formats import FORMATS, as_excel, as_html, file_name
from audiencelab.widgets.crosstab.sending import PART_BYTES, Exports
from tests.messages import fails
from tests.results.samples import crosstab
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, ask, refused
from tests.widgets.gated import GatedClient

BASES = ("Weighted base", "Unweighted base (n)")
SHARES = np.array([[10.0, 20 / 3, 15], [40, 5, np.nan]])
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1",
    "-2",
    "@SUM(A1)",
    "\tx",
    "  =1+1",
    "\uff1d1+1",
    'a"b,c',
    "line\nbreak",
    "Ünïcødé 🦊",
)


def read(data: bytes) -> list[list[str]]:
    assert data.startswith(b"\xef\xbb\xbf"), "Excel takes it for UTF-8 by its mark"
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_table(data: bytes) -> tuple[list[list[str]], list[str]]:
    """The lines of a table, and those after it that say what it is of."""
    lines = read(data)
    end = len(lines) - 1 - lines[::-1].index([])
    return lines[:end], [line for [line] in lines[end + 1 :]]


def test_csv_is_the_visible_table_in_full_precision() -> None:
    table = crosstab(column_percentage=SHARES)
    lines, told = read_table(as_csv(ExportCells.of(table, ["column_percentage"])))
    assert told == [base_line(table), *coverage_facts(table.provenance)]
    assert lines[0] == ["Column %", *BASES, "Tea", "Coffee", "Water"]
    assert [line[0] for line in lines[1:]] == [
        "Weighted base: All",
        "Unweighted base (n): All",
        "Men",
        "Women",
    ]
    cells = [[float(field or "nan") for field in line[3:]] for line in lines[3:]]
    np.testing.assert_array_equal(cells, SHARES)
    sizes = [float(field) for field in lines[1][3:]]
    np.testing.assert_array_equal(sizes, table.column_values("column_size"))


def test_csv_of_an_unweighted_table_has_no_weighted_bases() -> None:
    table = crosstab(column_percentage=SHARES)
    table.provenance["weight"] = UNWEIGHTED
    lines, told = read_table(as_csv(ExportCells.of(table, ["column_percentage"])))
    assert lines[0] == ["Column %", "Unweighted base (n)", "Tea", "Coffee", "Water"]
    assert [line[0] for line in lines[1:]] == ["Unweighted base (n): All", "Men", "Women"]
    assert [float(line[1]) for line in lines[2:]] == table.row_values("row_sample").tolist()
    assert "Unweighted" in told


def test_csv_has_the_groups_of_both_axes() -> None:
    table = crosstab(
        row_groups=(("Who",),) * 2, column_groups=(("Drinks", "Hot"), ("Drinks", "Hot"), ("Other",))
    )
    lines, _ = read_table(as_csv(ExportCells.of(table, ["index"])))
    assert lines[0] == ["", "", "", "", "Drinks", "Drinks", "Other"]
    assert lines[1] == ["", "", "", "", "Hot", "Hot", ""]
    assert lines[2] == ["", "Index", *BASES, "Tea", "Coffee", "Water"]
    assert [line[:2] for line in lines[3:]] == [
        ["", "Weighted base: All"],
        ["", "Unweighted base (n): All"],
        ["Who", "Men"],
        ["Who", "Women"],
    ]


def test_several_metrics_are_blocks_below_each_other() -> None:
    table = crosstab()
    lines, _ = read_table(as_csv(ExportCells.of(table, ["index", "size"])))
    empty = lines.index([])
    assert lines[0][0] == "Index"
    assert lines[empty + 1][0] == "Weighted count"
    for block, metric in ((lines[:empty], "index"), (lines[empty + 1 :], "size")):
        cells = [[float(field) for field in line[3:]] for line in block[3:]]
        np.testing.assert_array_equal(cells, table.values(metric))


def test_the_long_csv_is_the_frame() -> None:
    table = crosstab(column_percentage=SHARES)
    back = pd.read_csv(
        io.BytesIO(as_long_csv(ExportCells.of(table, ()))), keep_default_na=False, na_values=[""]
    )
    frame = table.to_frame()
    assert list(back.columns) == list(frame.columns)
    for name in map(frame_name, FIGURES):
        np.testing.assert_array_equal(back[name], frame[name])
    assert back["row"].tolist() == frame["row"].tolist()


def test_a_workbook_has_the_frame_s_numbers_its_letters_and_its_source(
    small_client: Client,
) -> None:
    sides = small_client.catalogue.audiences("q4"), small_client.catalogue.audiences("q2")
    table = small_client.crosstab(rows=sides[0], columns=sides[1])
    data = as_excel(ExportCells.of(table, ["column_percentage", "letters"]))
    book = load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["Table", "Source"]
    fields = [field for line in book["Table"].iter_rows(values_only=True) for field in line]
    for share in table.values("column_percentage").ravel():
        assert any(
            isinstance(each, int | float) and each == pytest.approx(share) for each in fields
        )
    letters = {str(mark) for mark in table.test().marks().ravel() if mark}
    assert letters <= set(fields)
    source = [str(field) for line in book["Source"].iter_rows(values_only=True) for field in line]
    assert any(str(table.provenance["survey"]) in each for each in source)


def test_html_is_a_complete_page_without_scripts() -> None:
    page = as_html(ExportCells.of(crosstab(("<script>alert(1)</script>", "B")), ["index"])).decode()
    assert page.startswith("<!doctype html>")
    assert "<meta charset='utf-8'>" in page
    assert page.count("<script") == page.count('<script type="application/json"') == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_in_every_format(name: str) -> None:
    table = crosstab((name, "B"), (name, "C"))
    for line in (
        *read(as_csv(ExportCells.of(table, ["index"]))),
        *read(as_long_csv(ExportCells.of(table, ()))),
    ):
        assert not any(
            field.lstrip().startswith(("=", "+", "-", "@", "\uff1d")) for field in line if field
        )
        assert not any(field.startswith(("\t", "\r")) for field in line if field)
    sheet = load_workbook(io.BytesIO(as_excel(ExportCells.of(table, ["index"]))))["Table"]
    assert not any(cell.data_type == "f" for line in sheet.iter_rows() for cell in line)


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(sorted(FORMATS)))
def test_file_names_are_valid_everywhere(row: str, base: str, name: str) -> None:
    table = crosstab((row,))
    table.base_audience = Audience(base, Audience("x").expression)
    made = file_name(table, FORMATS[name].suffix)
    assert made.endswith(FORMATS[name].suffix)
    stem = made.removesuffix(FORMATS[name].suffix)
    assert all(letter.isalnum() or letter == "-" for letter in stem)
    assert 0 < len(stem) < 140


def test_a_file_is_named_after_its_groups_its_only_item_or_the_count() -> None:
    assert file_name(crosstab(), ".csv") == "2-rows-by-3-columns.csv"
    assert file_name(crosstab(("Men",)), ".csv") == "men-by-3-columns.csv"
    ages = (("Age & sex",), ("Age & sex",))
    assert file_name(crosstab(row_groups=ages), ".xlsx") == "age-sex-by-3-columns.xlsx"
    within = crosstab()
    within.base_audience = Audience("Young & old", Q("q4").any("q4_1"))
    assert file_name(within, ".csv") == "2-rows-by-3-columns-of-young-old.csv"


def test_a_file_is_fetched_in_parts_and_then_removed() -> None:
    files, parts = Exports(), [b"0" * PART_BYTES, b"1" * PART_BYTES, b"23"]
    number = files.add(b"".join(parts))
    assert [files.part(number, at * PART_BYTES) for at in range(3)] == parts
    with fails(AudienceError):
        files.part(number, 0)


def test_only_the_latest_files_are_kept() -> None:
    files, texts = Exports(), [letter * PART_BYTES + b"." for letter in (b"A", b"B", b"C")]
    numbers = [files.add(text) for text in texts]
    assert [files.part(number, 0) + b"." for number in numbers[1:]] == texts[1:]
    with fails(AudienceError):
        files.part(numbers[0], 0)


@pytest.fixture
def make(make_complete: Make) -> Make:
    return make_complete


def save(wire: Wire, grid: Crosstab, kind: str, rows: Any, columns: Any) -> bytes:
    """A file as a page fetches it: the first part with its head, then the others."""
    answer = ask(wire, grid, "export", format=kind, rows=rows, columns=columns)
    head, data = answer.content["data"], answer.buffers[0]
    while len(data) < head["bytes"]:
        data += wire.request(grid, "part", {"number": head["number"], "start": len(data)}).buffers[
            0
        ]
    assert len(data) == head["bytes"]
    return data


# -- files -----------------------------------------------------------------------------------------


def test_a_saved_csv_has_the_cells_in_visible_order(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="size")
    data = save(wire, grid, "csv", [4, 0, 2], [1, 0])
    lines, _ = read_table(data)
    assert lines[0] == ["Weighted count", *BASES, "Men", "Women"]
    assert [line[0] for line in lines[3:]] == ["Age 5", "Age 1", "Age 3"]
    cells = [[float(field) for field in line[3:]] for line in lines[3:]]
    np.testing.assert_array_equal(cells, grid.result.values("size")[np.ix_([4, 0, 2], [1, 0])])


def test_a_transposed_table_is_saved_as_shown(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="column_percentage")
    wire.set_state(grid, transposed=True)
    lines = read(save(wire, grid, "csv", [0, 1], [0]))
    # The shares stay those of the query: of Women, who are seen as a row now.
    assert lines[0] == ["Row %", *BASES, "Age 1", "Age 2"]
    assert lines[3][0] == "Women"
    shares = grid.result.values("column_percentage")[:2, 0]
    assert [float(field) for field in lines[3][3:]] == pytest.approx(shares)


def test_every_metric_of_the_cells_is_saved(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["difference", "z", "letters"])
    lines, told = read_table(save(wire, grid, "csv", [1, 2], [0, 1]))
    blocks = [lines[:5], lines[6:11], lines[12:17]]
    assert [block[0][0] for block in blocks] == ["Difference, points", "z-score", "Letters"]
    for block, metric in zip(blocks[:2], ("difference", "z"), strict=True):
        cells = [[float(field) for field in line[3:]] for line in block[3:]]
        np.testing.assert_allclose(cells, grid.to_wide(metric).to_numpy()[1:3])
    comparison = grid.result.test()
    assert blocks[2][0][3:] == ["Women (A)", "Men (B)"]
    assert [line[3:] for line in blocks[2][3:]] == comparison.marks()[1:3].tolist()
    assert told[-2].startswith("Two-sided t test")
    assert told[-1] == record_of(grid.result).line()


def sheet_texts(data: bytes) -> set[str]:
    sheets = load_workbook(io.BytesIO(data)).worksheets
    return {str(value) for sheet in sheets[:1] for line in sheet.values for value in line if value}


def test_a_workbook_tests_no_nets_like_the_page(make: Make, wire: Wire) -> None:
    grid = make([WOMEN, MEN], AGES, metrics=["column_percentage", "letters"])
    grid.columns.net([0, 1], "Young")
    seen = grid.wait().to_wide("letters").to_numpy().ravel()
    told = sheet_texts(save(wire, grid, "xlsx", [0, 1], list(range(7))))
    assert {letters for letters in seen if letters} <= told
    # Six columns are compared: a seventh letter would be that of the net.
    assert any(text.endswith("(F)") for text in told)
    assert not any(text.endswith("(G)") for text in told), sorted(told)


def slide_texts(data: bytes) -> set[str]:
    slides = Presentation(io.BytesIO(data)).slides
    tables = [each.table for slide in slides for each in slide.shapes if each.has_table]
    return {cell.text for table in tables for row in table.rows for cell in row.cells}


@pytest.mark.parametrize("transposed", [False, True])
def test_slides_have_the_shares_that_the_page_shows(
    make: Make, wire: Wire, transposed: bool
) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="column_percentage")
    wire.set_state(grid, transposed=transposed)
    shown = slide_texts(save(wire, grid, "pptx", [0, 1], [0, 1]))
    shares = grid.result.values("column_percentage")[:2, :2].ravel()
    assert {f"{share:.1f}%" for share in shares} | {"Women", "Men", "Age 1"} <= shown


def test_one_column_is_saved_without_a_comparison(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["column_percentage", "letters"])
    assert "Women" in sheet_texts(save(wire, grid, "xlsx", [0, 1], [0]))


def test_differences_of_a_transposed_table_are_those_of_the_query(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["difference"])
    wire.set_state(grid, transposed=True)
    lines, _ = read_table(save(wire, grid, "csv", [0, 1], [0, 1]))
    cells = [[float(field) for field in line[3:]] for line in lines[3:]]
    np.testing.assert_allclose(cells, grid.to_wide("difference").to_numpy()[:2].T)


def test_suppressed_values_are_not_saved(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage", hide_under=100)
    few = grid.result.row_values("row_sample") < 100
    assert 0 < few.sum() < len(AGES)
    lines, _ = read_table(save(wire, grid, "csv", list(range(6)), [0, 1]))
    assert [line[3] == "" for line in lines[3:]] == few.tolist()


def test_suppressed_values_are_not_in_the_long_csv(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage", hide_under=100)
    few = grid.result.values("row_sample")[[3, 5, 0, 1]][:, [1, 0]].ravel() < 100
    head, *lines = read(save(wire, grid, "cells", [3, 5, 0, 1], [1, 0]))
    for name in ("row_percentage", "index"):
        assert [line[head.index(name)] == "" for line in lines] == few.tolist()
    assert all(line[head.index("column_percentage")] for line in lines)
    assert 0 < few.sum() < len(few)


@pytest.mark.parametrize(
    ("kind", "begin"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doc")]
)
def test_images_and_pages_are_saved_too(make: Make, wire: Wire, kind: str, begin: bytes) -> None:
    assert save(wire, make(AGES, [WOMEN, MEN]), kind, [0, 1, 2], [0]).startswith(begin)


def test_a_table_without_cells_is_not_saved(make: Make, wire: Wire, small_client: Client) -> None:
    grid = make(AGES, [WOMEN], client=GatedClient(small_client))
    words = refused(wire, grid, "export", format="csv", rows=[0], columns=[0])
    assert words == "Nothing has been counted yet."
    assert refused(wire, grid, "drill", row=0, column=0) == words


def test_nothing_that_is_shown_is_refused_in_words(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    for kind in FORMATS:
        words = refused(wire, grid, "export", format=kind, rows=[], columns=[0, 1])
        assert words == "No row or no column is shown: show some again to export them."


@pytest.mark.parametrize("part", [{}, {"number": "1", "start": 0}, {"number": 1, "start": -1}])
def test_invalid_parts_of_a_file_are_rejected(make: Make, wire: Wire, part: dict[str, Any]) -> None:
    assert "'part' is not valid" in refused(wire, make(AGES, [WOMEN]), "part", **part)


def test_python_writes_the_visible_cells(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage")
    written = io.BytesIO()
    grid.to_excel(written)
    expected = io.BytesIO()
    grid.result.to_excel(expected, metrics=["row_percentage"])
    assert written.getvalue() == expected.getvalue()
    assert grid.to_html(metrics=["size"]) == grid.result.to_html(metrics=["size"])


# -- code ------------------------------------------------------------------------------------------


def test_the_code_of_a_selection_counts_the_same_cells(
    make: Make, wire: Wire, small_client: Client
) -> None:
    grid = make({"Age": AGES}, [WOMEN, MEN], base_audience=WOMEN)
    code = ask(wire, grid, "code", rows=[3, 1], columns=[0]).content["data"]["code"]
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(code, names)
    table = names["table"]
    assert [row.name for row in table.rows] == ["Age 4", "Age 2"]
    assert table.row_groups == (("Age",), ("Age",))
    np.testing.assert_allclose(
        table.values("size"), grid.result.values("size")[np.ix_([3, 1], [0])]
    )


def test_the_code_has_the_selected_bases(make: Make, wire: Wire, small_client: Client) -> None:
    grid = make(AGES, [WOMEN, MEN], bases=[WOMEN, MEN, al.Audience("All")])
    # Men among Men, and Women among all.
    code = ask(wire, grid, "code", rows=[2], columns=[3, 4]).content["data"]["code"]
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(code, names)
    assert names["table"].column_groups == (("Men",), ("Men",), ("All",), ("All",))
    table, chosen = names["table"].values("size"), grid.result.values("size")
    np.testing.assert_allclose(table[0, [0, 3]], chosen[2, [3, 4]])


def test_without_a_selection_the_code_is_the_grid_s(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert ask(wire, grid, "code").content["data"]["code"] == grid.to_code()


# -- one cell --------------------------------------------------------------------------------------


def test_the_page_gets_the_same_cell_details_as_python(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    shown = ask(wire, grid, "drill", row=2, column=1).content["data"]
    assert shown == msgspec.to_builtins(grid.drill("Age 3", MEN).to_page())
    assert shown["title"] == "Age 3 × Men"
    assert shown["waves"] == ["q1_2025", "q2_2025", "q3_2025", "q4_2025"]


def test_a_cell_has_the_waves_that_both_questions_share(make: Make, small_client: Client) -> None:
    waves = [wave.code for wave in small_client.waves()]
    grid = make(AGES, [WOMEN], waves=waves[:2])
    assert grid.drill(0, 0).waves == tuple(waves[:2])


def test_without_a_list_of_waves_the_cell_details_omit_them(
    make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES[:1], [WOMEN], client=gated)
    gated.let(1)
    detail = grid.drill(0, 0)
    assert detail.waves is None
    known = make(AGES[:1], [WOMEN]).drill(0, 0)
    assert known.waves
    assert [each.value for each in detail.formulas] == [each.value for each in known.formulas]


def test_the_details_of_a_cell_use_its_own_base(make: Make) -> None:
    grid = make(AGES, [WOMEN], bases=[al.Audience("All"), WOMEN])
    everyone, women = grid.drill(0, 0), grid.drill(0, 1)
    assert (everyone.base.name, women.base.name) == ("All", "Women")
    assert women.value("column_percentage") == pytest.approx(everyone.value("column_percentage"))
    assert women.value("index") == pytest.approx(100)


def test_an_item_is_found_by_position_name_or_audience(make: Make) -> None:
    grid = make({"First": [WOMEN], "Second": [WOMEN, MEN]}, AGES)
    assert grid.drill(2, 0).row == MEN
    assert grid.drill("Second › Women", "age 1").row == WOMEN.renamed("Second › Women")
    with fails(LookupError):
        grid.drill("Women", 0)
    with fails(LookupError):
        grid.drill(0, "Age 11")
    with fails(LookupError):
        grid.drill(0, 6)
