"""Static tables: every label escaped, every value rounded and marked, no style sheet, no script."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from audiencelab.analysis.marks import legend, title
from audiencelab.expressions import Audience
from audiencelab.figures import figure, people, percent
from audiencelab.markup import PRINTED, ROW_CAP
from audiencelab.results.cells import FIGURES
from audiencelab.results.metrics import metric_of
from audiencelab.results.stats import STATS_FIGURES, StatsLabels
from tests.analysis.samples import survey, trend
from tests.render.excel.test_workbook import letters, varied
from tests.render.excel.workbook_reader import sheets, texts, written
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE, by_wave, crosstab, metrics, row, stats

HOSTILE_STATS = stats(
    row(audience="a"),
    audiences=(Audience(HOSTILE, id="a"),),
    labels=StatsLabels(HOSTILE, {"q1_1": HOSTILE + '" onload="x'}),
)
HOSTILE_TABLE = crosstab(rows=(HOSTILE,), columns=('"><img onerror=x>',))
GAP = by_wave(["q1_2024", "q2_2024"], missing="q2_2024")
COMPARISONS = {
    "columns": survey([[20.0, 30.0]], [400, 300]).test(),
    "rest": survey([[20.0, 30.0]], [400, 300]).test(vs="rest"),
    "waves": trend([20.0, None, 30.0]).test(vs="previous wave"),
    "hostile comparison": survey(
        [[20.0, 30.0, 1.0]], [400, 300, 90], rows=("r",), columns=("a", "<img onerror=x>", HOSTILE)
    ).test(nets=HOSTILE),
}
RESULTS: dict[str, Any] = {
    "stats": GAP,
    "hostile stats": HOSTILE_STATS,
    "crosstab": varied(base_sample=900),
    "hostile crosstab": HOSTILE_TABLE,
    "empty crosstab": crosstab(fill=False),
    "empty stats": stats(),
}
TABLES = {
    **{name: each._repr_html_() for name, each in (RESULTS | COMPARISONS).items()},
    **{f"whole {name}": each.to_html() for name, each in RESULTS.items()},
}


@pytest.mark.parametrize("name", TABLES)
def test_only_plain_table_markup_with_inline_styles(name: str) -> None:
    # The one style sheet is for paper.
    read = Reader(TABLES[name].removeprefix(PRINTED))
    assert not read.open
    kinds = {"div", "table", "thead", "tbody", "tr", "th", "td", "small", "b", "span"}
    assert {tag for tag, _ in read.tags} <= kinds
    assert read.tags[0][1].pop("class") == "mathjax_ignore"
    known = {"style", "colspan", "scope", "cellpadding", "title"}
    assert {key for _, attributes in read.tags for key in attributes} <= known
    assert "<script" not in TABLES[name]
    assert "<img" not in TABLES[name]
    assert (HOSTILE in read.text) is ("hostile" in name)


# -- cards of notebooks ---------------------------------------------------------------------------


def test_figures_are_rounded_for_display_alone() -> None:
    result = stats(row(figures=metrics(333.33333)))
    assert "33.3%" in result._repr_html_()
    assert "33.333" not in result._repr_html_()
    assert result.to_frame()["column_percentage"].iloc[0] == 333.33333 / 10


def test_a_missing_figure_is_a_dash_and_its_reason() -> None:
    text = Reader(TABLES["stats"]).text
    assert "–" in text
    assert "no wave in common" in text
    assert "nan" not in text


def test_long_results_are_cut_and_say_so() -> None:
    long = stats(*(row(f"q1_{place}") for place in range(ROW_CAP + 7)))._repr_html_()
    assert "… and 7 more rows" in long
    wide = crosstab(
        rows=tuple(f"r{n}" for n in range(60)),
        columns=tuple(f"c{n}" for n in range(30)),
    )._repr_html_()
    read = Reader(wide)
    shown = [sum(text.startswith(side) for text in read.text.split("|")) for side in "rc"]
    # The words under the title begin with "column", too.
    rows, columns = 60 - shown[0], 30 - (shown[1] - 1)
    assert f"… and {rows} more rows and {columns} more columns" in wide
    assert 12 <= shown[0] < 60


def test_a_crosstab_shows_both_bases() -> None:
    text = Reader(crosstab(base_size=1e6, base_sample=500, column_size=250_000)._repr_html_()).text
    assert "Weighted base|1.0M|250.0K|" in text
    assert "Base (n)|500|" in text


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
    assert "Base: Young <b>" in Reader(stats(row(), base_audience=young)._repr_html_()).text


def test_a_row_without_a_head_stands_apart_from_those_that_have_one() -> None:
    shown = crosstab(("Men", "Everybody"), row_groups=(("Gender",), ()))._repr_html_()
    text = Reader(shown).text
    assert text.index("Gender") < text.index("Men") < text.index("\u00a0") < text.index("Everybody")


# -- comparisons ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_method_note_is_below(name: str) -> None:
    comparison = COMPARISONS[name]
    below = Reader(comparison._repr_html_()).text.partition(f"{comparison.method_note}|")[2]
    cells = comparison.table.cells
    few = bool(((cells.sample < 100) & ~np.isnan(cells.value)).any())
    said = "* fewer than 100 respondents in the denominator, ** fewer than 30|"
    assert below == (said if few else "")


def test_a_comparison_marks_low_bases_as_its_table_does() -> None:
    comparison = survey([[20.0, 30.0, 40.0]], [4, 30, 100]).test()
    assert re.findall(r"\|([\d.]+%\**)", comparison._repr_markdown_().replace("\\", "")) == [
        "20.0%**",
        "30.0%*",
        "40.0%",
    ]


def test_a_long_method_note_is_not_cut() -> None:
    net = "Everyone who has ever heard of any of them"
    table = survey([[20.0, 30.0, 40.0]], [400, 300, 200], columns=("a", "b", net))
    comparison = table.test(
        levels=(0.999, 0.995),
        correction="benjamini-hochberg",
        family="table",
        pooled=True,
        design=[1.25, 1.75, 2.25],
        degrees_of_freedom=1_612,
        nets=net,
        min_base=60,
    )
    assert len(f"{legend(comparison)} {comparison.method_note}") > 400
    for shown in (comparison._repr_html_(), table.to_html(comparison=comparison)):
        assert comparison.method_note in Reader(shown).text


def test_the_title_says_what_was_compared() -> None:
    table = survey([[20.0, 30.0]], [400, 300])
    titles = [title(comparison) for comparison in COMPARISONS.values()]
    named = ["columns compared", "columns against the rest", "waves compared"]
    assert titles[:3] == [f"Crosstab: {words}" for words in named]
    base = table.test(vs="total")
    assert Reader(base._repr_html_()).text.startswith("Crosstab: columns against the total|")


def test_letters_stand_in_the_head_and_beside_the_figures() -> None:
    text = Reader(COMPARISONS["columns"]._repr_html_()).text
    assert "column 1 |A|column 2 |B|" in text
    assert "20.0%|30.0% |A|" in text
    assert "Base (n)|400|300|" in text


def test_another_base_than_the_sample_has_a_line() -> None:
    table = survey([[20.0, 30.0]], [400, 300])
    text = Reader(table.test(design=2)._repr_html_()).text
    assert "Base (n)|400|300|Effective base|200|150|" in text


def test_of_many_bases_in_a_column_the_smallest_is_told() -> None:
    table = survey([[20.0, 30.0], [10.0, 40.0]], [400, 300])
    compared = table.test(design=[[2.0, 1.0], [4.0, 1.5]])
    text = Reader(compared._repr_html_()).text
    assert "Base (n)|400|300|Smallest effective base|100|200|" in text


def test_what_was_not_compared_is_said_at_the_top() -> None:
    text = Reader(survey([[20.0, 30.0]], [400, 20]).test()._repr_html_()).text
    assert "0 of 1 test significant · some pairs: base under 30 · " in text


def test_long_and_wide_tables_are_cut_and_say_so() -> None:
    columns = 30
    comparison = survey([[20.0] * columns] * 60, [400] * columns).test()
    html = comparison._repr_html_()
    assert re.search("… and [0-9]+ more rows and [0-9]+ more columns", html)
    assert len(html) < 20_000


def test_results_need_no_scipy_until_they_are_tested() -> None:
    code = "import sys, audiencelab.tables, audiencelab.client; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_charts_and_differences_of_the_grid_do_without_scipy() -> None:
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "from audiencelab import charts\n"
        "from audiencelab.widgets.crosstab.metrics import plane\n"
        "from tests.results.samples import crosstab\n"
        "print(type(charts.bar(crosstab())).__name__, plane(crosstab(), 'difference').shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "LayeredChart (2, 3)\n"


# -- whole tables ---------------------------------------------------------------------------------


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
    text = Reader(varied(row_sample=500).to_html(comparison=letters())).text
    assert "12.3% |B|" in text
    assert f"{legend(letters())} {letters().method_note}|" in text


def test_groups_span_their_columns() -> None:
    read = Reader(
        crosstab().to_html(column_groups=["Hot", "Hot", "Cold"], row_groups=["Sex", "Sex"])
    )
    spans = [
        (tag, attributes["colspan"], attributes.get("scope"))
        for tag, attributes in read.tags
        if "colspan" in attributes
    ]
    # The names have a cell of their own above them, and so has everyone.
    assert [tag for tag, _ in read.tags][4:8] == ["thead", "tr", "td", "td"]
    assert spans == [
        *(("th", "2", "colgroup"), ("th", "1", "colgroup")),
        ("th", "5", "rowgroup"),
    ]
    assert "Hot|Cold|" in read.text
    assert "Sex|Men|" in read.text


def test_heat_is_blue_below_and_orange_above_and_nothing_on_everyone() -> None:
    index = np.array([[50.0, 100.0, 400.0]] * 2)
    sample = np.array([[100.0], [99.0]])
    table = crosstab(index=index, row_sample=sample, column_sample=100)
    read = Reader(table.to_html(metrics=["index"]))
    heat = read.styles("td")[-8:]
    blue, orange = "background:rgba(91,155,213,0.55)", "background:rgba(232,134,46,0.55)"
    # The second row has a low base.
    assert heat == ["", blue, "", orange, *[""] * 4]
    assert "orange above; low bases have no colour." in read.text


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


def test_everything_that_a_service_counts_has_a_name() -> None:
    assert all(metric_of(name).label for name in (*STATS_FIGURES, *FIGURES))


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("column_percentage", "% of column"),
        ("percentage", "% of total"),
        ("row_base_percentage", "Row, % of base"),
        ("index", "Index (base = 100)"),
        ("size", "Weighted count"),
    ],
)
def test_a_name_that_stands_alone_is_spelled_out(measure: str, words: str) -> None:
    assert metric_of(measure).label_alone == words
