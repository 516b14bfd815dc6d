"""A workbook holds the frame's own numbers, says what they rest on, and opens anywhere."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab import connect
from audiencelab.expressions import Audience, Q
from audiencelab.render.excel import WorkbookError, styles, table_layout, write_workbook
from audiencelab.render.excel.styles import cell_text
from audiencelab.schema import CalcAttribute, CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult, Comparison, CrosstabResult
from tests.analysis.samples import survey
from tests.messages import fails
from tests.render.excel.workbook_reader import (
    as_csv,
    line_of,
    lines,
    sheets,
    texts,
    written,
)
from tests.results.samples import NOTHING, by_wave, crosstab, metrics, row, stats


def letters() -> Comparison:
    """Tests of a table of two rows and three columns, the last of which is a net."""
    table = survey([[30, 20, 25], [10, 14, 12]], [400, 400, 800], columns=("A", "B", "Both"))
    return table.test(nets="Both")


def varied(**changes: Any) -> CrosstabResult:
    """A crosstab of which no two figures are alike."""
    share = np.array([[12.345678901234, 20.5, 1 / 3], [99.9, 0.0, 57.2]])
    return crosstab(
        column_percentage=share,
        index=share * 2,
        row_percentage=share / 2,
        column_sample=np.array([[500.0, 80.0, 12.0]] * 2),
        **changes,
    )


def test_cells_hold_the_frames_own_numbers() -> None:
    result = varied()
    table = sheets(written(result, metrics=["column_percentage", "index"]))["Table"]
    frame = result.to_frame()
    for name, figures in frame.groupby("row", observed=True):
        beside = line_of(table, str(name))[2:]  # after those of everyone
        assert beside[0::2] == figures["column_percentage"].tolist()
        assert beside[1::2] == figures["index"].tolist()


@pytest.mark.parametrize("layout", ["columns", "rows", "sheets"])
def test_every_layout_holds_the_same_numbers(layout: Any) -> None:
    result = varied()
    names = ["column_percentage", "row_percentage", "index", "size"]
    made = sheets(written(result, metrics=names, layout=layout))
    assert len(made) == (5 if layout == "sheets" else 2)
    found = [
        value
        for title, sheet in made.items()
        if title != "Source"
        for line in lines(sheet)
        for value in line
        if isinstance(value, int | float)
    ]
    expected = result.to_frame()[names].to_numpy().ravel().tolist()
    assert {round(value, 12) for value in expected} <= {round(value, 12) for value in found}


def test_the_banner_shows_both_bases_and_everyone() -> None:
    result = crosstab(
        base_size=1e6,
        base_sample=500,
        column_size=np.array([[250.5, 300.0, 400.0]] * 2),
        column_sample=np.array([[50.0, 60.0, 70.0]] * 2),
        row_base_percentage=np.array([[48.5] * 3, [51.5] * 3]),
    )
    table = sheets(written(result, metrics=["column_percentage"]))["Table"]
    assert line_of(table, "Weighted base") == [1e6, 250.5, 300, 400]
    assert line_of(table, "Base (n)") == [500, 50, 60, 70]
    assert [line_of(table, name)[0] for name in ("Men", "Women")] == [48.5, 51.5]
    assert ["All", "Tea", "Coffee", "Water"] in [line[1:] for line in lines(table)]


def test_the_rows_bases_are_shown_where_a_figure_divides_by_them() -> None:
    result = crosstab(row_size=1_234.5, row_sample=20)
    table = sheets(written(result, metrics=["row_percentage"]))["Table"]
    assert line_of(table, "Men")[:2] == [1_234.5, 20]
    assert 1_234.5 not in line_of(sheets(written(result))["Table"], "Men")


def test_a_low_base_is_marked_by_its_denominator_and_the_cell_keeps_its_number() -> None:
    table = sheets(written(varied(base_sample=900), metrics=["column_percentage"]))["Table"]
    cells = next(line for line in table.iter_rows() if line[0].value == "Men")
    formats = [cell.number_format for cell in cells[1:]]
    assert formats == ['0.0"%"_*_*', '0.0"%"_*_*', '0.0"%""*"_*', '0.0"%""**"']
    assert all(isinstance(cell.value, int | float) for cell in cells[1:])
    assert "** fewer than 30" in " ".join(texts(table))
    solid = written(crosstab(base_sample=900, column_sample=900, row_sample=900))
    assert not any("fewer than" in text for text in texts(sheets(solid)["Table"]))


def test_a_figure_that_does_not_exist_is_a_dash() -> None:
    result = crosstab(column_size=np.array([[0.0, 5.0, 5.0]] * 2))
    table = sheets(written(result, metrics=["column_percentage"]))["Table"]
    assert line_of(table, "Men")[1:] == ["–", 5, 5]


def test_a_table_under_way_says_how_far_it_is() -> None:
    table = sheets(written(crosstab(fill=False)))["Table"]
    assert "0 of 6 cells had arrived." in texts(table)
    assert set(line_of(table, "Men")) == {"–"}


def test_letters_stand_beside_what_was_tested() -> None:
    table = sheets(written(varied(), comparison=letters()))["Table"]
    assert line_of(table, "Men")[2:4] == [12.345678901234, "B"]
    assert line_of(table, "Women")[4:6] == [0, "a"]
    both = written(varied(), comparison=letters(), metrics=["column", "index"])
    assert line_of(sheets(both)["Table"], "Men")[3:6] == [12.345678901234, "B", 24.691357802468]
    assert {"(A)", "(B)"} <= set(texts(table))
    # Long notes are broken into rows, also after hyphens.
    assert letters().method_note.replace(" ", "") in "".join(texts(table)).replace(" ", "")
    below = sheets(written(varied(), comparison=letters(), layout="rows"))["Table"]
    assert [line[2:] for line in lines(below) if line[1] == "Exceeds"] == [
        [None, "B", None, None],
        [None, None, "a", None],
    ]


def test_a_comparison_of_another_table_is_refused() -> None:
    with fails(ValueError):
        written(crosstab(rows=("Men",)), comparison=letters())
    with fails(ValueError):
        written(varied(), comparison=letters(), metrics=["index"])


def test_groups_stand_above_the_names() -> None:
    made = written(
        varied(), column_groups=["Hot", "Hot", "Cold"], row_groups=["Sex", "Sex"], layout="rows"
    )
    table = sheets(made)["Table"]
    told = lines(table)
    [above] = [line for line in told if "Hot" in line]
    assert above[2:] == [None, "Hot", None, "Cold"]
    assert [line[0] for line in told if line[0] in ("Sex", "Men")] == ["Sex", "Men"]
    assert any(str(cells) == "D5:E5" for cells in table.merged_cells.ranges)
    with fails(ValueError):
        written(varied(), column_groups=["Hot"])


def test_heat_lies_on_the_indices_alone_and_not_on_everyone() -> None:
    result = varied(row_sample=500)
    table = sheets(written(result, metrics=["column_percentage", "index"]))["Table"]
    [heat] = table.conditional_formatting
    assert [place for place, head in enumerate(lines(table)[5]) if head == "Index"] == [2, 4, 6, 8]
    # Two of three columns have low bases.
    first = table.max_row - [line[0] for line in lines(table)[::-1]].index("Men")
    assert [str(each) for each in heat.cells.ranges] == [f"E{first}:E{first + 1}"]
    [rule] = heat.rules
    assert [value.val for value in rule.colorScale.cfvo] == [50, 100, 200]


def test_the_last_sheet_tells_the_source_and_who_everybody_is() -> None:
    result = crosstab()
    result.rows = (Audience("Men", Q("q2").any("q2_1"), "r1"), result.rows[1])
    result.provenance.update(survey="demo survey", asked_at="2026-02-03T10:00:00+00:00")
    made = sheets(written(result))
    told = lines(made["Source"])
    assert ["Survey", "demo survey", None, None] in told
    assert ["Row", "Men", "q2 is q2_1", 'al.Q("q2").any("q2_1")'] in [
        [str(cell).replace("'", '"') for cell in line] for line in told
    ]
    assert "Source: demo survey, counted 2026-02-03" in texts(made["Table"])


def test_stats_stand_with_segments_over_audiences() -> None:
    rows = [
        row(datapoint, metrics(100.0 + place), segment=wave, audience=audience, waves=[wave])
        for datapoint in ("q1_1", "q1_2")
        for place, (wave, audience) in enumerate(
            (wave, audience) for wave in ("q1_2024", "q2_2024") for audience in ("m", "w")
        )
    ]
    people = (Audience("Men", id="m"), Audience("Women", id="w"))
    result = stats(*rows, splitter="waves", audiences=people)
    table = sheets(written(result, metrics=["column_percentage"]))["Table"]
    told = lines(table)
    assert [None, "Q1 2024", None, "Q2 2024", None] in told
    assert [None, "Men", "Women", "Men", "Women"] in told
    assert line_of(table, "Tea") == [10, 10.1, 10.2, 10.3]
    assert line_of(table, "Base (n)") == [100] * 4


def test_a_wave_without_the_question_is_dashes_and_its_reason() -> None:
    table = sheets(written(by_wave(["q1_2024", "q2_2024"], missing="q2_2024")))["Table"]
    assert line_of(table, "Tea")[2:] == ["–", "–"]
    assert any("no wave in common" in text for text in texts(table))


def test_a_charts_failures_are_lines_that_say_why() -> None:
    def group(place: int, answer: str, **more: Any) -> StatsGroup:
        attribute = CalcAttribute(
            question_code="q1",
            question_label="Drinks",
            datapoint_code=answer,
            datapoint_label=answer,
        )
        return StatsGroup(group_id=place, attributes=[attribute], **more)

    result = ChartCalculationResult(
        "c1",
        (
            group(0, "Tea", data=[CalcData(metrics(), segment="q1_2024", waves=["q1_2024"])]),
            group(1, "Beer", code=403, error="Not yours", error_type="forbidden"),
        ),
        name="Drinks by wave",
    )
    table = sheets(written(result))["Table"]
    assert line_of(table, "Tea") == [25, 125]
    assert line_of(table, "Beer") == ["–", "–"]
    assert "– Not yours: Beer" in texts(table)
    assert {"Drinks by wave", "Drinks"} <= set(texts(table))


def test_a_result_with_no_rows_is_a_workbook_all_the_same() -> None:
    assert set(sheets(written(stats()))) == {"Table", "Source"}
    failed = StatsGroup(group_id=0, attributes=[], code=500)
    assert set(sheets(written(ChartCalculationResult("c1", (failed,))))) == {"Table", "Source"}
    assert set(sheets(written(stats(row(figures=NOTHING, waves=[]))))) == {"Table", "Source"}


DANGEROUS = ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "{=1}", "http://a.test", "\t=1"]


def test_labels_are_text_and_never_formulas_or_links(tmp_path: Path) -> None:
    result = crosstab(rows=tuple(DANGEROUS), columns=("=HYPERLINK(1)",))
    data = written(result, title='=1+1 & "x"', sheet="=1")
    table = sheets(data)["=1"]
    cells = [cell for line in table.iter_rows() for cell in line]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert [cell.value for cell in table["A"] if cell.value in DANGEROUS] == DANGEROUS
    assert not any(cell.hyperlink for cell in cells)
    assert all(cell.quotePrefix for cell in cells if cell.value in DANGEROUS[:5])
    archive = zipfile.ZipFile(BytesIO(data))
    assert not any(b"<f>" in archive.read(name) for name in archive.namelist())


ODD = [
    "a\nb",
    "tab\there",
    "\x00null\x1f",
    "_x0041_",
    "لغة عربية",
    "👩‍👩‍👧 family",
    "\u202eturned\u200b",
    "x" * 10_000,
    "<&>\"'",
    " spaces ",
    "\ud800",
    "\ufffe",
]


@pytest.mark.parametrize("label", ODD)
def test_labels_of_every_kind_come_back(label: str) -> None:
    table = sheets(written(crosstab(rows=(label, "next"), columns=(label,))))["Table"]
    assert {cell_text(label), "next"} <= {cell.value for cell in table["A"]}


@given(st.text(max_size=60))
@settings(max_examples=30)
def test_whatever_the_label_the_file_is_well_formed(label: str) -> None:
    archive = zipfile.ZipFile(BytesIO(written(crosstab(rows=(label,), columns=("Tea",)))))
    for name in archive.namelist():
        ElementTree.fromstring(archive.read(name))


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=40), st.integers(1, 3))
def test_text_is_cut_to_what_a_cell_holds_without_breaking_a_character(
    piece: str, extra: int
) -> None:
    told = cell_text(piece + "😀" * (styles.TEXT_UNITS // 2 + extra))
    assert len(told.encode("utf-16-le")) // 2 <= styles.TEXT_UNITS
    assert told.endswith("😀…")


def test_the_same_figures_give_the_same_bytes() -> None:
    def again(**options: Any) -> bytes:
        result = varied()
        result.provenance["asked_at"] = "2026-02-03T10:00:00+00:00"
        return written(result, **options)

    assert again() == again()
    assert again() != again(created=datetime(2020, 1, 1))
    assert again(title="Drinks") != again()
    noon = datetime(2026, 2, 3, 12, tzinfo=timezone(timedelta(hours=2)))
    core = zipfile.ZipFile(BytesIO(again(created=noon))).read("docProps/core.xml")
    assert b"2026-02-03T10:00:00Z" in core
    for wrong in ("2020-01-01", date(2020, 1, 1)):
        with fails(TypeError):
            again(created=wrong)


def test_the_files_date_is_that_of_the_figures() -> None:
    result = varied()
    result.provenance["asked_at"] = "2026-02-03T12:00:00+02:00"
    core = zipfile.ZipFile(BytesIO(written(result, title="Drinks"))).read("docProps/core.xml")
    assert b"2026-02-03T10:00:00Z" in core
    assert b"<dc:title>Drinks</dc:title>" in core


def test_it_prints_landscape_with_its_heads_on_every_page() -> None:
    result = crosstab()
    result.provenance["survey"] = "Us & them"
    table = sheets(written(result))["Table"]
    assert table.page_setup.orientation == "landscape"
    assert table.page_setup.fitToHeight == 0  # as many pages down as it takes, and one across
    assert table.sheet_properties.pageSetUpPr.fitToPage
    assert table.freeze_panes == "B10"
    assert table.print_title_rows == "$6:$9"
    assert table.print_title_cols == "$A:$A"
    assert "Us && them" in str(table.oddFooter.left.text)


def test_a_wide_table_is_cut_into_pages_between_its_columns() -> None:
    table = sheets(written(crosstab(columns=tuple(f"c{n}" for n in range(60)))))["Table"]
    assert table.page_setup.scale == 60
    breaks = [each.id for each in table.col_breaks.brk]
    assert breaks
    assert all((place - 1) % 2 == 0 for place in breaks)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "needs a name"),
        ("x" * 32, "more than 31 characters"),
        ("😀" * 16, "more than 31 characters"),
        ("a/b", "none of"),
        ("'a", "apostrophe"),
        ("History", "Excel's own"),
        ("source", "two of that name"),
    ],
)
def test_a_sheets_name_that_excel_refuses_is_refused_here(name: str, fault: str) -> None:
    names = [name, "Source"] if name != "source" else ["Source", name]
    with pytest.raises(WorkbookError, match=fault):
        styles.check_sheet_names(names)


def test_the_name_of_a_sheet_among_several_is_cut_to_what_excel_takes() -> None:
    made = sheets(written(varied(), layout="sheets", sheet="Sectors by gender and age 😀😀"))
    assert list(made) == [
        "Sectors by gender an…, Column %",
        "Sectors by gender and a…, Index",
        "Source",
    ]


def test_nothing_is_left_behind_when_a_table_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "table.xlsx"
    file.write_bytes(b"before")
    with fails(ValueError):
        crosstab().to_excel(file, metrics=["mean"])
    with fails(ValueError):
        crosstab().to_excel(file, layout=cast(Any, "diagonal"))
    with fails(WorkbookError):
        write_workbook(file, {})
    assert [each.name for each in tmp_path.iterdir()] == ["table.xlsx"]
    assert file.read_bytes() == b"before"
    crosstab().to_excel(str(file))
    assert sheets(file.read_bytes())
    assert [each.name for each in tmp_path.iterdir()] == ["table.xlsx"]


def test_several_results_are_sheets_of_one_workbook() -> None:
    into = BytesIO()
    trend = by_wave(["q1_2024", "q2_2024"])
    write_workbook(into, {"Drinks": varied(), "Trend": table_layout(trend, metrics=["index"])})
    made = sheets(into.getvalue())
    assert list(made) == ["Drinks", "Trend", "Source"]
    assert line_of(made["Trend"], "Tea") == trend.to_wide("index").loc["Tea"].tolist()
    assert {"Drinks: Crosstab", "Trend: Drinks"} <= set(texts(made["Source"]))


def test_libreoffice_opens_it_and_shows_what_is_meant(tmp_path: Path) -> None:
    result = crosstab(
        rows=("=1+1", "Women, أ 👩"),
        column_percentage=np.array([[12.34, 50.0, 7.0], [1.0, 2.0, 3.0]]),
        index=np.array([[1234.5, 99.6, 7.0], [1.0, 2.0, 3.0]]),
        column_sample=np.array([[500.0, 80.0, 12.0]] * 2),
        row_sample=np.full((2, 3), 500.0),
    )
    workbook = written(result, metrics=["column", "index"], comparison=letters())
    shown = as_csv(workbook, tmp_path)
    cells = {line[0]: [cell.strip() for cell in line[1:]] for line in shown}
    assert cells["=1+1"][3:] == ["12.3%", "B", "1235", "50.0%*", "", "100*", "7.0%**", "", "7**"]
    assert "Women, أ 👩" in cells


def test_a_file_is_checked_before_the_work_is_done(tmp_path: Path) -> None:
    with fails(TypeError):
        varied().to_excel(cast(Any, 3))
    with fails(WorkbookError):
        crosstab().to_excel(tmp_path / "table.csv")
    with fails(FileNotFoundError):
        crosstab().to_excel(tmp_path / "nowhere" / "table.xlsx")
    assert not list(tmp_path.iterdir())


def test_without_xlsxwriter_it_says_what_to_install(not_installed: Callable[[str], None]) -> None:
    not_installed("xlsxwriter")
    with fails(ImportError):
        varied().to_excel(BytesIO())


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"metrics": []}, ValueError, r"A table needs figures\. Choose among"),
        ({"title": 3}, TypeError, "title must be a str; got int"),
        ({"comparison": 3}, TypeError, r"what result\.test\(…\) returned; got int"),
        ({"column_groups": [3, 4, 5]}, ValueError, "column_groups must be 3 names"),
        ({"sheet": 3}, WorkbookError, "A sheet's name must be a str; got 3"),
        ({"sheet": 3, "layout": "sheets"}, WorkbookError, "A sheet's name must be a str; got 3"),
    ],
)
def test_what_is_no_text_is_refused_by_its_name(
    wrong: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        varied().to_excel(BytesIO(), **wrong)
    if "sheet" not in wrong:
        with pytest.raises(kind, match=words):
            varied().to_html(**wrong)


def test_the_source_names_questions_and_answers_where_the_client_knows_them() -> None:
    with connect() as client:
        rows = client.catalogue.audiences("q4")
        table = client.crosstab(rows=rows, columns=client.catalogue.audiences("q2"))
        named = client.catalogue["q4"]
    source = texts(sheets(written(table))["Source"])
    assert f"{named.name} is {named.datapoints[0].name}" in source
    assert not any(each.startswith("q4 is ") for each in source)
