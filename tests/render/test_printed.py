"""The whole table as HTML: every line, both bases, marks, notes and the source, all escaped."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.tables.base import Exporting
from tests.render.excel.test_workbook import Letters, varied
from tests.render.excel.workbook_reader import sheets, texts, written
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE, by_wave, crosstab, row, stats

KINDS = {"div", "table", "thead", "tbody", "tr", "th", "td", "small"}

TABLES: dict[str, Exporting] = {
    "crosstab": varied(base_sample=900),
    "hostile": crosstab(rows=(HOSTILE,), columns=('"><img onerror=x>',)),
    "trend": by_wave(["q1_2024", "q2_2024"], missing="q2_2024"),
    "nothing": stats(),
    "under way": crosstab(fill=False),
}


@pytest.mark.parametrize("name", TABLES)
def test_it_is_plain_markup_with_styles_in_the_elements(name: str) -> None:
    read = Reader(TABLES[name].to_html(title=HOSTILE))
    assert not read.open
    assert {tag for tag, _ in read.tags} <= KINDS
    assert HOSTILE in read.text
    known = {"style", "class", "colspan", "scope", "cellpadding"}
    assert {key for _, attributes in read.tags for key in attributes} <= known


def test_every_line_is_there_however_many_they_are() -> None:
    long = crosstab(rows=tuple(f"row {n}" for n in range(400)), columns=tuple("abcdefghijklmnop"))
    text = Reader(long.to_html()).text
    assert all(f"row {n}|" in text for n in range(400))
    assert "more" not in text


def test_a_cell_has_all_its_figures_and_each_its_own_mark() -> None:
    result = varied(base_sample=900, row_sample=50, sample=7)
    text = Reader(result.to_html(metrics=["column_percentage", "row_percentage", "sample"])).text
    assert "12.3%\u00a0|6.2%*|\u00a0|7|" in text
    assert "20.5%*\u00a0|10.3%*|\u00a0|7|" in text
    assert "0.3%**\u00a0|0.2%*|\u00a0|7|" in text
    assert "* fewer than 100 respondents in the denominator, ** fewer than 30|" in text


def test_letters_stand_by_what_was_tested() -> None:
    text = Reader(varied(row_sample=500).to_html(comparison=Letters())).text
    assert "12.3%\u00a0|B|\u00a0|25|" in text
    assert f"{Letters.legend} {Letters.method_note}|" in text


def test_groups_span_their_columns() -> None:
    read = Reader(
        crosstab().to_html(column_groups=["Hot", "Hot", "Cold"], row_groups=["Sex", "Sex"])
    )
    spans = [
        (tag, attributes["colspan"], attributes.get("scope"))
        for tag, attributes in read.tags
        if "colspan" in attributes
    ]
    assert spans == [
        *(("td", "1", None), ("td", "1", None)),
        *(("th", "2", "colgroup"), ("th", "1", "colgroup")),
        ("th", "5", "rowgroup"),
    ]
    assert "Hot|Cold|" in read.text
    assert "Sex|Men|" in read.text


def test_heat_is_blue_below_and_orange_above_and_nothing_on_everyone() -> None:
    index = np.array([[50.0, 100.0, 400.0]] * 2)
    styles = Reader(crosstab(index=index).to_html(metrics=["index"])).styles("td")
    heat = [style for style in styles if "opacity" not in style]
    assert heat[:4] == [
        "",
        "background:rgba(91,155,213,0.55)",
        "",
        "background:rgba(232,134,46,0.55)",
    ]


def test_it_says_the_same_as_the_workbook() -> None:
    result = by_wave(["q1_2024", "q2_2024"], missing="q2_2024")
    result.provenance["survey"] = "demo survey"
    told = Reader(result.to_html()).text
    table = sheets(written(result))["Table"]
    # The workbook breaks a long note into lines.
    assert [words for words in texts(table) if words not in told] == []


def test_the_notebooks_own_table_marks_low_bases_and_names_its_source() -> None:
    result = stats(row())
    result.provenance["survey"] = "demo survey"
    text = Reader(result._repr_html_()).text
    assert "25.0%|62.5%*|125.0*|" in text
    assert "* fewer than 100 respondents in the denominator, ** fewer than 30 · Source" in text
    shown = Reader(varied(base_sample=900, row_sample=90)._repr_html_()).text
    assert "12.3%\u00a0|25*|20.5%*\u00a0|41*|" in shown  # the row has 90
    assert "Source" not in shown
