"""Bases, and who counts in them, are the same on every surface."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.analysis.chart_plan import chart_plan
from audiencelab.charts.bars import bars
from audiencelab.charts.options import ChartOptions
from audiencelab.render.html import comparison_card, crosstab_card
from audiencelab.render.mime_payload import saved_crosstab
from audiencelab.render.table_layout import LARGEST_BASES
from audiencelab.results.who_counts import PAGE, base_line, notes
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.tables import CrosstabResult, TabBook
from tests.render.excel.workbook_reader import line_of, sheets, written
from tests.render.surfaces import SURFACES, Lines, text_of
from tests.results.samples import crosstab
from tests.survey.test_asked import made

MANY = ["q1_2024", "q2_2024"]
TABLES = [each for each in SURFACES if each != "chart"]

BASES = {"one_1": 120, "many_1": 78, "many_5": 48}
"""Respondents who could be in a row, counted by hand: 60 + 60, 30 + 48 and 48 of a later item."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    """A survey of those who answered, with an item that the first of two waves did not offer."""
    folder: Path = tmp_path_factory.mktemp("survey")
    return al.connect(survey=made(folder / "items").path)


@pytest.fixture(scope="module")
def table(client: al.Client) -> CrosstabResult:
    return client.crosstab(["one", "many"], "waves")


def line(found: Lines, name: str) -> str:
    """The line of a row, with one space between cells."""
    plain = [" ".join(each).replace("\\", "") for each in found]
    return next(each for each in plain if name in each.split(" × ")[0] and "offered" not in each)


# The rows of a chart have respondents of their own where its columns rest on as many.
@pytest.mark.parametrize("surface", TABLES)
def test_each_row_has_its_own_base(surface: str, table: CrosstabResult) -> None:
    found = SURFACES[surface](table)
    for name, respondents in BASES.items():
        shown = line(found, name)
        assert f"(n = {respondents})" in shown or f" {respondents}" in shown.replace("*", " ")
    assert "Base: those who answered, by question" in text_of(found)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_cell_without_a_figure_is_a_dash_with_its_reason(
    surface: str, table: CrosstabResult
) -> None:
    found = SURFACES[surface](table)
    shown, told = line(found, "many_5"), text_of(found).replace("\\", "")
    assert "–" in shown
    assert "0.0" not in shown.replace("50.0", "").replace("100.0", "").removesuffix(" 0.0")
    assert "– not offered: one_4 × Wave › First, many_5 × Wave › First" in told
    assert "many_5: offered in 1 of 2 waves (First)." in told


# Slides are for clients, who have no documentation.
@pytest.mark.parametrize("surface", [each for each in TABLES if each != "slides"])
def test_the_page_that_explains_bases_is_named(surface: str, table: CrosstabResult) -> None:
    assert PAGE in text_of(SURFACES[surface](table))
    assert PAGE not in text_of(SURFACES[surface](crosstab()))


def test_charts_show_the_respondents_of_what_is_pointed_at(table: CrosstabResult) -> None:
    for chart in (table.chart.bar(), table.chart.heatmap(), table.chart.dots()):
        # In altair too, where one may change it.
        tips = str(chart.to_dict())
        assert tips.count("'title': 'Base (n)'") >= 1


def test_notes_of_a_chart_are_about_the_rows_that_it_draws(table: CrosstabResult) -> None:
    whole = chart_plan(table, "bar")
    few = replace(whole, panels=tuple(replace(each, rows=(0, 1)) for each in whole.panels))
    told = [
        str(bars(table, plan, None, ChartOptions()).spec["title"]["subtitle"])
        for plan in (whole, few)
    ]
    assert ["many_5" in each for each in told] == [True, False]
    assert all(base_line(table) in each for each in told)


def test_html_has_the_reason_at_the_cell(table: CrosstabResult) -> None:
    for html in (table.to_html(), str(crosstab_card(table))):
        assert html.count("title='not offered'") == 2


def test_the_card_of_a_test_has_the_base_line_and_a_base_for_each_row(
    table: CrosstabResult,
) -> None:
    card = str(comparison_card(table.test()))
    assert base_line(table) in card
    assert all(escape(note, quote=False) in card for note in notes(table))
    rows = re.findall(r"<tr.*?</tr>", card)
    lines = [re.sub(r"<[^>]+>|\*", " ", row).split() for row in rows]
    stub = [line for line in lines if "(n)" not in line]
    for respondents in BASES.values():
        assert any(str(respondents) in line for line in stub)


def test_bases_of_rows_are_numbers_in_a_workbook(table: CrosstabResult) -> None:
    sheet = next(iter(sheets(written(table)).values()))
    for name, respondents in BASES.items():
        assert line_of(sheet, name)[1] == respondents
    by_row = next(iter(sheets(written(table, metrics=["row"])).values()))
    # Those who could be in the row, and those who are.
    assert line_of(by_row, "many_5")[1::2][:2] == [48, 24]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Men and women of whom some gave no income and no score."""
    rng = np.random.default_rng(27)
    sex = np.where(np.arange(300) < 140, "Men", "Women")
    income = np.where(rng.random(300) < 0.25, np.nan, rng.integers(900, 4000, 300))
    score = np.where(rng.random(300) < 0.4, np.nan, rng.integers(0, 11, 300))
    weight = rng.integers(50, 200, 300) / 100
    return pd.DataFrame({"sex": sex, "income": income, "score": score, "weight": weight})


@pytest.fixture(scope="module")
def means(people: pd.DataFrame) -> CrosstabResult:
    """A mean and a score alone, of fewer than those who are in the columns."""
    client = al.open(people, weight="weight", quiet=True)
    return client.crosstab([client["income"].mean(), al.nps("score")], "sex")


def counted(people: pd.DataFrame, name: str) -> dict[str, str]:
    """Those who gave one, and their weights, of all and of each column."""
    gave = people[people[name].notna()]
    parts = {"All": gave, **dict(iter(gave.groupby("sex")))}
    return {
        "Base (n)": " ".join(f"{len(each):,}" for each in parts.values()),
        "Weighted base": " ".join(f"{each['weight'].sum():,.0f}" for each in parts.values()),
    }


@pytest.mark.parametrize("surface", TABLES)
def test_bases_above_means_are_of_those_who_gave_an_amount(
    surface: str, means: CrosstabResult, people: pd.DataFrame
) -> None:
    found = SURFACES[surface](means)
    for label, sizes in counted(people, "income").items():
        # Pages have the labels as heads of columns, too.
        shown = [each for each in found if each[0] == label][-1]
        # A workbook has sums in full.
        cells = [f"{float(each.replace(',', '')):.0f}" for each in shown[1:] if each.strip()]
        assert " ".join(cells) == sizes
    row = next(each for each in found if each[0].startswith("score: NPS"))
    assert str(people["score"].notna().sum()) in " ".join(row[:3])
    assert LARGEST_BASES in text_of(found).replace("\\", "")


def test_other_forms_of_means_have_the_same_bases(
    means: CrosstabResult, people: pd.DataFrame
) -> None:
    gave = people["income"].notna()
    men = (gave & (people["sex"] == "Men")).sum()
    assert f"({gave.sum()} sample)" in repr(means)
    assert f">Base (n)</th><td></td><td>{men}</td>" in re.sub(
        " style='[^']*'| scope='[^']*'", "", str(comparison_card(means.test()))
    )
    book = BytesIO()
    TabBook({"Income": means}, {}).to_excel(book)
    assert openpyxl.load_workbook(book)["Contents"]["D4"].value == gave.sum()
    saved = saved_crosstab(means, 10_000)
    assert saved is not None
    assert saved["statistics"]["lines"][0]["name"] == f"income: mean (n = {gave.sum()})"


def test_counts_within_an_empty_base_are_missing(table: CrosstabResult) -> None:
    sheet = next(iter(sheets(written(table, metrics=["sample"])).values()))
    assert line_of(sheet, "many_5")[2:] == [24, "–", 24]


def test_one_base_is_printed_above_the_columns_alone(client: al.Client) -> None:
    table = client.crosstab("one", "waves")
    for surface in TABLES:
        found = SURFACES[surface](table)
        assert [each[0] for each in found].count("Base (n)") == 1
        assert "(n = 120)" not in text_of(found)
        assert "Base: those who answered ONE" in text_of(found)


def test_stacks_and_cards_of_a_grid_have_a_base_for_each_item(client: al.Client) -> None:
    grid = client.grid("grid")
    chart = grid.chart.stack()
    spec = chart.to_dict()
    drawn = next(iter(spec["datasets"].values()))
    assert {(each["stack"], each["share"]) for each in drawn if each["n"] == 0} == {
        ("grid_3", None)
    }
    for name in ("grid_3 (n = 0)", "grid_1 (n = 60) *"):
        assert f">{name}<" in chart.svg()
    for text in (str(spec["title"]), grid.to_html()):
        assert "grid_3: not offered in First." in text


def test_a_tab_book_has_a_base_for_each_question(client: al.Client) -> None:
    book = client.tab_book("waves", ["one", "many"])
    file = BytesIO()
    book.to_excel(file, vs=None)
    contents = openpyxl.load_workbook(file)["Contents"]
    listed = [[cell.value for cell in row[2:]] for row in contents.iter_rows(min_row=4)]
    assert listed == [["those who answered ONE", 120], ["those who were asked MANY", 78]]
    page = book.to_html(vs=None)
    assert "those who answered ONE, n = 120" in page
    assert "those who were asked MANY, n = 78" in page


@pytest.mark.parametrize("surface", TABLES)
@pytest.mark.parametrize(
    ("provenance", "label"),
    [
        ({"waves": ["q1_2024"]}, "Weighted base"),
        ({"waves": "latest 1"}, "Weighted base"),
        ({"waves": "all", "wave_names": {"w1": "the file"}}, "Weighted base"),
        ({"waves": MANY}, "Weighted base (average of waves)"),
        ({"waves": "latest 4"}, "Weighted base (average of waves)"),
        ({"waves": MANY, "sizes": "sum"}, "Weighted base (sum of waves)"),
        ({"waves": MANY, "weight": UNWEIGHTED}, ""),
    ],
)
def test_the_weighted_base_says_what_it_is_over_waves(
    surface: str, provenance: dict[str, Any], label: str
) -> None:
    result = crosstab(base_sample=900.0, column_sample=300.0)
    result.provenance.update(provenance)
    lines = SURFACES[surface](result)
    named = [cell for line in lines for cell in line[:1] if cell.startswith("Weighted base")]
    assert named == [label] * bool(label)
    assert [line[0] for line in lines].count("Base (n)") == 1
