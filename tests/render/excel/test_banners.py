"""Workbooks of banners: groups over their columns, lines between groups, blanks, nets, pages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from audiencelab.expressions import Audience, Q
from audiencelab.render.excel.pages import split_run
from audiencelab.results.banner import page_breaks
from audiencelab.tables import CrosstabResult
from tests.analysis.samples import survey
from tests.render.excel.workbook_reader import as_csv, line_of, lines, sheets, texts, written
from tests.results.samples import crosstab

GROUPS = ((), ("Hot",), ("Hot",), ("By taste", "Sweet"), ("By taste", "Sour"), ("By taste", "Sour"))
NAMES = ("Any", "Tea", "Coffee", "Juice", "Juice", "Soda")


def banner(**changes: Any) -> CrosstabResult:
    """Six drinks in groups of one level and of two."""
    groups = {"column_groups": GROUPS, "row_groups": (("Sex",), ("Sex",))}
    return crosstab(columns=NAMES, base_sample=900, **groups, **changes)


def merged(sheet: Worksheet) -> set[str]:
    return {str(cells) for cells in sheet.merged_cells.ranges}


def edges(sheet: Worksheet, line: int) -> dict[str, str]:
    """The columns of a line that have a line at their left, with its kind."""
    return {
        cell.column_letter: cell.border.left.style
        for cell in sheet[line]
        if cell.border.left is not None and cell.border.left.style
    }


def test_each_level_is_a_line_of_groups_that_span_their_columns() -> None:
    table = sheets(written(banner(), metrics=["column_percentage"]))["Table"]
    told = lines(table)
    place = next(number for number, line in enumerate(told) if "Hot" in line)
    assert told[place] == [None, None, None, "Hot", None, "By taste", None, None]
    assert told[place + 1] == [None, None, None, None, None, "Sweet", "Sour", None]
    assert told[place + 2] == [None, "All", *NAMES]
    assert merged(table) == {
        f"D{place + 1}:E{place + 1}",
        f"F{place + 1}:H{place + 1}",
        f"G{place + 2}:H{place + 2}",
    }


@pytest.mark.parametrize("layout", ["columns", "rows", "sheets"])
def test_lines_stand_between_groups_from_the_banner_to_the_last_row(layout: Any) -> None:
    names = ["column_percentage", "index"]
    made = sheets(written(banner(), metrics=names, layout=layout))
    table = next(iter(made.values()))
    wide = 2 if layout == "columns" else 1
    first = 3 if layout == "rows" else 2
    letters = [table.cell(1, first + wide * place).column_letter for place in (2, 4, 5)]
    expected = dict(zip(letters, ("medium", "medium", "thin"), strict=True))
    start = next(number for number, line in enumerate(lines(table), 1) if "Hot" in line)
    last = max(cell.row for cell in table["A"] if cell.value == "Women") + (layout == "rows")
    # Nothing parts what one group spans.
    assert list(edges(table, start).values()) == ["medium", "medium"]
    assert all(edges(table, line) == expected for line in range(start + 1, last + 1))
    assert not edges(table, 1)


def test_panes_and_printed_heads_hold_all_levels() -> None:
    table = sheets(written(banner(), metrics=["column_percentage"]))["Table"]
    start = next(number for number, line in enumerate(lines(table), 1) if "Hot" in line)
    body = next(cell.row for cell in table["A"] if cell.value == "Sex")
    assert table.freeze_panes == f"B{body}"
    assert table.print_title_rows == f"${start}:${body - 1}"


def test_rows_stand_under_their_groups() -> None:
    result = crosstab(
        rows=("Men", "Women", "All", "Young"),
        row_groups=(("Who", "Sex"), ("Who", "Sex"), (), ("Who", "Age")),
    )
    column = [cell.value for cell in sheets(written(result))["Table"]["A"]]
    start = column.index("Who", 1)
    told = [cell or "" for cell in column[start : start + 9]]
    assert told == ["Who", "Sex", "Men", "Women", "", "All", "Who", "Age", "Young"]


def test_the_source_tells_audiences_of_one_name_apart() -> None:
    told = texts(sheets(written(banner()))["Source"])
    assert {"By taste › Sweet › Juice", "By taste › Sour › Juice", "Any"} <= set(told)


def test_groups_by_name_stand_in_place_of_the_heads() -> None:
    table = sheets(written(banner(), column_groups=["One"] * 3 + ["Two"] * 3))["Table"]
    assert {"One", "Two"} <= set(texts(table))
    assert not {"Hot", "Sweet"} & set(texts(table))


def test_letters_begin_again_with_each_group() -> None:
    size = np.array([[50.0, 10, 90, 20, 20, 80], [50, 90, 10, 80, 80, 20]]) * 4
    result = banner(
        size=size, sample=size, column_percentage=size / 4, column_size=400, column_sample=400
    )
    table = sheets(written(result, comparison=result.test(), metrics=["column_percentage"]))[
        "Table"
    ]
    told = next(line for line in lines(table) if "(A)" in line)
    assert [cell for cell in told if cell] == ["(A)", "(B)", "(A)", "(B)"]
    assert "in the same group" in " ".join(texts(table))
    assert [cell for cell in line_of(table, "Men") if isinstance(cell, str)] == ["A", "A"]


def test_everyone_among_the_columns_is_not_told_twice() -> None:
    whole = {"column_size": 13.0, "column_sample": 900.0}
    result = crosstab(columns=("Whole", "Tea"), base_sample=900, **whole)
    names = [cell for cell in lines(sheets(written(result))["Table"])[4] if cell]
    assert names == ["Whole", "Tea"]
    assert "All" in texts(sheets(written(crosstab(columns=("Tea",))))["Table"])
    somebody = crosstab(columns=("Tea",), base_sample=900, **whole)
    somebody.columns = (Audience("Tea", Q("q1").any("q1_1"), "c1"),)  # by chance everyone
    assert "All" in texts(sheets(written(somebody))["Table"])


def low(**changes: Any) -> CrosstabResult:
    return crosstab(
        base_sample=900,
        column_sample=np.array([[500.0, 99.0, 100.0]] * 2),
        row_sample=500.0,
        **changes,
    )


@pytest.mark.parametrize("layout", ["columns", "rows"])
def test_figures_of_low_bases_are_left_blank_and_counts_are_not(layout: Any) -> None:
    names = ["column_percentage", "index", "sample"]
    table = sheets(written(low(), metrics=names, layout=layout, hide_under=100))["Table"]
    men = line_of(table, "Men")
    percentages = men[1:] if layout == "rows" else men[0::3]
    assert [each in ("", None) for each in percentages] == [False, False, True, False]
    counts = next(line for line in lines(table) if "Count (n)" in line)[2:]
    assert None not in (counts if layout == "rows" else men[2::3])
    assert line_of(table, "Base (n)").count(99) == 1
    told = " ".join(texts(table))
    assert "Blank: fewer than 100 respondents in the denominator." in told
    assert "Blank" not in " ".join(texts(sheets(written(low(), hide_under=99))["Table"]))


def test_no_letters_stand_by_a_blank() -> None:
    compared = survey([[60, 50, 45], [10, 30, 10]], [400, 400, 400]).test()
    assert compared.marks().tolist() == [["B C", "", ""], ["", "A C", ""]]
    table = sheets(written(low(), comparison=compared, hide_under=100))["Table"]
    found = [cell for line in ("Men", "Women") for cell in line_of(table, line)]
    assert [cell for cell in found if isinstance(cell, str) and cell] == ["B C"]


def test_nets_are_in_italics_and_their_rows_are_named() -> None:
    rows = (Audience("Low", Q("q1").any("1"), "r1"), Audience("High", Q("q1").any("2"), "r2"))
    result = crosstab(
        rows=("Low", "High"),
        size=5.0,
        sample=5,
        row_size=5.0,
        row_sample=5,
        column_size=10.0,
        column_sample=10,
        base_size=10.0,
        base_sample=10,
    )
    result.rows = rows
    table = sheets(written(result.nets({"Both": ["Low", "High"]})))["Table"]
    fonts = {cell.value: cell.font.i for cell in table["A"]}
    assert fonts["Both"]
    assert not fonts["Low"]
    assert "Rows in italics hold others. Both: Low, High." in texts(table)


@given(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=1, max_size=60), st.integers(1, 12))
def test_pages_hold_every_column_once_and_end_between_groups_where_they_can(
    strengths: list[int], a_page: int
) -> None:
    breaks = page_breaks(strengths, a_page)
    starts = [0, *breaks, len(strengths)]
    lengths = [after - before for before, after in pairwise(starts)]
    assert sum(lengths) == len(strengths)
    assert all(0 < length <= a_page for length in lengths)
    for before, after in zip(starts, breaks, strict=False):
        reachable = strengths[before + a_page // 2 + 1 : before + a_page + 1]
        assert strengths[after] == max(reachable, default=strengths[after])


def test_a_head_over_the_end_of_a_page_is_told_on_both() -> None:
    assert list(split_run(("Hot", 0, 9), [4, 8, 12])) == [
        ("Hot", 0, 3),
        ("Hot", 4, 7),
        ("Hot", 8, 9),
    ]
    assert list(split_run(("Hot", 4, 7), [4, 8])) == [("Hot", 4, 7)]
    wide = crosstab(columns=tuple(f"c{n}" for n in range(60)), column_groups=(("All of it",),) * 60)
    table = sheets(written(wide))["Table"]
    ends = {each.id for each in table.col_breaks.brk}
    spans = [cells for cells in table.merged_cells.ranges if cells.min_row == 5]
    assert ends <= {cells.min_col - 1 for cells in spans}
    assert {table.cell(5, cells.min_col).value for cells in spans} == {"All of it"}


def test_hostile_heads_are_text() -> None:
    result = crosstab(
        column_groups=(("=1+1",), ("=1+1",), ("@x", "\x00")), row_groups=(("-1",), ("-1",))
    )
    table = sheets(written(result))["Table"]
    cells = [cell for line in table.iter_rows() for cell in line]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert {"=1+1", "@x", "-1"} <= set(texts(table))


def test_libreoffice_opens_a_banner(tmp_path: Path) -> None:
    shown = as_csv(written(banner(), metrics=["column_percentage"], hide_under=100), tmp_path)
    assert ["", "", "", "Hot", "", "By taste", "", ""] in shown
    assert ["", "", "", "", "", "Sweet", "Sour", ""] in shown
