"""Files of a table, opened again: the numbers are the frame's, and no name is a formula."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from audiencelab.client import Client
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Q
from audiencelab.tables import FIGURES
from audiencelab.widgets.crosstab import export
from audiencelab.widgets.crosstab.export import (
    FORMATS,
    ExportCells,
    Exports,
    as_csv,
    as_excel,
    as_html,
    as_long_csv,
    file_name,
)
from tests.results.samples import crosstab

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


def test_csv_is_the_table_as_it_is_seen_in_full_precision() -> None:
    table = crosstab(column_percentage=SHARES)
    lines = read(as_csv(ExportCells.of(table, ["column_percentage"])))
    assert lines[0] == ["Column %", "Size", "Sample", "Tea", "Coffee", "Water"]
    assert [line[0] for line in lines[1:]] == [
        "Base: All, size",
        "Base: All, sample",
        "Men",
        "Women",
    ]
    cells = [[float(field or "nan") for field in line[3:]] for line in lines[3:]]
    np.testing.assert_array_equal(cells, SHARES)
    sizes = [float(field) for field in lines[1][3:]]
    np.testing.assert_array_equal(sizes, table.column_values("column_size"))


def test_csv_has_the_groups_of_both_sides() -> None:
    table = crosstab(
        row_heads=(("Who",),) * 2, column_heads=(("Drinks", "Hot"), ("Drinks", "Hot"), ("Other",))
    )
    lines = read(as_csv(ExportCells.of(table, ["index"])))
    assert lines[0] == ["", "", "", "", "Drinks", "Drinks", "Other"]
    assert lines[1] == ["", "", "", "", "Hot", "Hot", ""]
    assert lines[2] == ["", "Index", "Size", "Sample", "Tea", "Coffee", "Water"]
    assert [line[:2] for line in lines[3:]] == [
        ["", "Base: All, size"],
        ["", "Base: All, sample"],
        ["Who", "Men"],
        ["Who", "Women"],
    ]


def test_several_metrics_are_blocks_one_under_the_other() -> None:
    table = crosstab()
    lines = read(as_csv(ExportCells.of(table, ["index", "size"])))
    empty = lines.index([])
    assert lines[0][0] == "Index"
    assert lines[empty + 1][0] == "People"
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
    for figure in FIGURES:
        np.testing.assert_array_equal(back[figure], frame[figure])
    assert back["row"].tolist() == frame["row"].tolist()


def test_a_workbook_holds_the_frame_s_numbers_its_letters_and_its_source(
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
    letters = {str(mark) for mark in table.compare_columns().marks().ravel() if mark}
    assert letters <= set(fields)
    source = [str(field) for line in book["Source"].iter_rows(values_only=True) for field in line]
    assert any(str(table.provenance["survey"]) in each for each in source)


def test_html_is_a_page_of_its_own_without_scripts() -> None:
    page = as_html(ExportCells.of(crosstab(("<script>alert(1)</script>", "B")), ["index"])).decode()
    assert page.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in page
    assert "<script" not in page


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_wherever_they_are_opened(name: str) -> None:
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
def test_file_names_are_safe_everywhere(row: str, base: str, name: str) -> None:
    table = crosstab((row,))
    table.base_audience = Audience(base, Audience("x").expression)
    made = file_name(table, FORMATS[name].suffix)
    assert made.endswith(FORMATS[name].suffix)
    stem = made.removesuffix(FORMATS[name].suffix)
    assert all(letter.isalnum() or letter == "-" for letter in stem)
    assert 0 < len(stem) < 140


def test_a_file_is_named_by_its_heads_its_one_line_or_how_many_there_are() -> None:
    assert file_name(crosstab(), ".csv") == "2-rows-by-3-columns.csv"
    assert file_name(crosstab(("Men",)), ".csv") == "men-by-3-columns.csv"
    ages = (("Age & sex",), ("Age & sex",))
    assert file_name(crosstab(row_heads=ages), ".xlsx") == "age-sex-by-3-columns.xlsx"
    within = crosstab()
    within.base_audience = Audience("Young & old", Q("q4").any("q4_1"))
    assert file_name(within, ".csv") == "2-rows-by-3-columns-of-young-old.csv"


def test_a_file_is_fetched_in_parts_and_then_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PART_BYTES", 4)
    files = Exports()
    number = files.add(b"0123456789")
    assert [files.part(number, start) for start in (0, 4, 8)] == [b"0123", b"4567", b"89"]
    with pytest.raises(AudienceError, match="no longer available"):
        files.part(number, 0)


def test_only_the_last_files_wait_to_be_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PART_BYTES", 1)
    files = Exports()
    numbers = [files.add(bytes([65 + n, 0])) for n in range(3)]
    assert [files.part(number, 0) for number in numbers[1:]] == [b"B", b"C"]
    with pytest.raises(AudienceError, match="no longer available"):
        files.part(numbers[0], 0)
