"""Static tables: every label escaped, every figure rounded, no style sheet, no script."""

from __future__ import annotations

import pytest

from audiencelab.expressions import Audience
from audiencelab.markup import COLUMN_CAP, ROW_CAP, figure, people, percent
from audiencelab.tables import StatsLabels
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE, by_wave, crosstab, metrics, row, stats

TABLES = {
    "stats": by_wave(["q1_2024", "q2_2024"], missing="q2_2024")._repr_html_(),
    "hostile stats": stats(
        row(audience="a"),
        audiences=(Audience(HOSTILE, id="a"),),
        labels=StatsLabels(HOSTILE, {"q1_1": HOSTILE + '" onload="x'}),
    )._repr_html_(),
    "crosstab": crosstab()._repr_html_(),
    "hostile crosstab": crosstab(rows=(HOSTILE,), columns=("<img onerror=x>",))._repr_html_(),
    "empty crosstab": crosstab(fill=False)._repr_html_(),
    "empty stats": stats()._repr_html_(),
}


@pytest.mark.parametrize("name", TABLES)
def test_only_plain_table_markup_with_inline_styles(name: str) -> None:
    read = Reader(TABLES[name])
    assert not read.open
    kinds = {"div", "table", "thead", "tbody", "tr", "th", "td", "small"}
    assert {tag for tag, _ in read.tags} <= kinds
    assert read.tags[0][1].pop("class") == "mathjax_ignore"
    assert {key for _, attributes in read.tags for key in attributes} <= {
        "style",
        "colspan",
        "scope",
        "cellpadding",
    }


@pytest.mark.parametrize("name", ["hostile stats", "hostile crosstab"])
def test_hostile_labels_are_shown_as_text(name: str) -> None:
    assert "<script" not in TABLES[name]
    assert "<img" not in TABLES[name]
    assert HOSTILE in Reader(TABLES[name]).text


def test_figures_are_rounded_for_display_alone() -> None:
    result = stats(row(figures=metrics(333.33333)))
    assert "33.3%" in result._repr_html_()
    assert "33.333" not in result._repr_html_()
    assert result.to_frame()["audience_percentage"].iloc[0] == 333.33333 / 10


def test_a_missing_figure_is_a_dash_and_its_reason() -> None:
    text = Reader(TABLES["stats"]).text
    assert "–" in text
    assert "no wave in common" in text
    assert "nan" not in text


def test_long_results_are_cut_and_say_so() -> None:
    long = stats(*(row(f"q1_{place}") for place in range(ROW_CAP + 7)))._repr_html_()
    assert "… and 7 more rows" in long
    wide = crosstab(
        rows=tuple(f"r{n}" for n in range(ROW_CAP + 2)),
        columns=tuple(f"c{n}" for n in range(COLUMN_CAP + 3)),
    )._repr_html_()
    read = Reader(wide)
    shown = sum(text.startswith("r") for text in read.text.split("|"))
    assert f"… and {ROW_CAP + 2 - shown} more rows" in wide
    assert "… and 3 more columns" in wide


def test_a_crosstab_shows_both_bases() -> None:
    text = Reader(crosstab(base_size=1e6, base_sample=500, column_size=250_000)._repr_html_()).text
    assert "Size|1.0M|250.0K|" in text
    assert "Sample|500|" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (812, "812"),
        (64_000, "64.0K"),
        (1_250_000, "1.3M"),
        (2e9, "2.0B"),
        (float("nan"), "–"),
    ],
)
def test_people_are_told_in_few_digits(value: float, shown: str) -> None:
    assert people(value) == shown


def test_a_figure_has_one_decimal() -> None:
    assert (percent(57.157), percent(float("nan"))) == ("57.2%", "–")
    assert (figure(57.157), figure(1_234.5, 0), figure(float("nan"))) == ("57.2", "1,235", "–")


def test_half_is_rounded_as_the_page_and_a_workbook_round_it() -> None:
    # 49 of 400, 351 of 400, and one of 8 with no decimals: exact in binary, so really half.
    assert (percent(12.25), percent(87.75), figure(12.5, 0)) == ("12.3%", "87.8%", "13")


def test_a_stats_table_names_its_base() -> None:
    young = Audience("Young <b>", id="young")
    assert "base: Young <b>" in Reader(stats(row(), base_audience=young)._repr_html_()).text


def test_a_row_without_a_head_stands_apart_from_those_that_have_one() -> None:
    shown = crosstab(("Men", "Everybody"), row_heads=(("Gender",), ()))._repr_html_()
    text = Reader(shown).text
    assert text.index("Gender") < text.index("Men") < text.index("\u00a0") < text.index("Everybody")
