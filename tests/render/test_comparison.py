"""A comparison as people see it: static, escaped, with its bases and its recipe."""

from __future__ import annotations

import subprocess
import sys

import pytest

from audiencelab.markup import COLUMN_CAP, ROW_CAP
from tests.analysis.samples import survey, trend
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE

TABLES = {
    "columns": survey([[20.0, 30.0]], [400, 300]).compare_columns(),
    "rest": survey([[20.0, 30.0]], [400, 300]).compare_to_rest(),
    "waves": trend([20.0, None, 30.0]).compare_waves(),
    "hostile": survey(
        [[20.0, 30.0, 1.0]], [400, 300, 90], rows=("r",), columns=("a", "<img onerror=x>", HOSTILE)
    ).compare_columns(nets=HOSTILE),
}


@pytest.mark.parametrize("name", TABLES)
def test_only_plain_table_markup_with_inline_styles(name: str) -> None:
    read = Reader(TABLES[name]._repr_html_())
    assert not read.open
    kinds = {"div", "table", "thead", "tbody", "tr", "th", "td", "b", "span"}
    assert {tag for tag, _ in read.tags} <= kinds


@pytest.mark.parametrize("name", TABLES)
def test_the_recipe_stands_below(name: str) -> None:
    comparison = TABLES[name]
    assert Reader(comparison._repr_html_()).text.endswith(f"{comparison.method_note}|")


def test_a_long_recipe_is_not_cut() -> None:
    net = "Everyone who has ever heard of any of them"
    table = survey([[20.0, 30.0, 40.0]], [400, 300, 200], columns=("a", "b", net))
    comparison = table.compare_columns(
        (0.999, 0.995),
        "benjamini-hochberg",
        family="table",
        pooled=True,
        design_effect=[1.25, 1.75, 2.25],
        degrees_of_freedom=1_612,
        nets=net,
        min_base=60,
    )
    assert len(f"{comparison.legend} {comparison.method_note}") > 400
    for shown in (comparison._repr_html_(), table.to_html(comparison=comparison)):
        assert comparison.method_note in Reader(shown).text


def test_the_title_says_what_was_compared() -> None:
    table = survey([[20.0, 30.0]], [400, 300])
    titles = [comparison.title for comparison in TABLES.values()]
    assert titles[:3] == ["Columns compared", "Columns against the rest", "Waves compared"]
    base = table.compare_to_rest(against="base")
    assert Reader(base._repr_html_()).text.startswith("Columns against the base|")


def test_hostile_names_are_shown_as_text() -> None:
    html = TABLES["hostile"]._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert HOSTILE in Reader(html).text


def test_letters_stand_in_the_head_and_beside_the_figures() -> None:
    text = Reader(TABLES["columns"]._repr_html_()).text
    assert "column 1 |A|column 2 |B|" in text
    assert "20.0%|30.0%\u00a0|A|" in text
    assert "Sample|400|300|" in text


def test_another_base_than_the_sample_has_a_line() -> None:
    table = survey([[20.0, 30.0]], [400, 300])
    text = Reader(table.compare_columns(design_effect=2)._repr_html_()).text
    assert "Sample|400|300|Effective base|200|150|" in text


def test_of_many_bases_in_a_column_the_smallest_is_told() -> None:
    table = survey([[20.0, 30.0], [10.0, 40.0]], [400, 300])
    compared = table.compare_columns(design_effect=[[2.0, 1.0], [4.0, 1.5]])
    text = Reader(compared._repr_html_()).text
    assert "Sample|400|300|Smallest effective base|100|200|" in text


def test_what_was_not_compared_is_said_at_the_top() -> None:
    text = Reader(survey([[20.0, 30.0]], [400, 20]).compare_columns()._repr_html_()).text
    assert "0 of 1 test significant · some pairs: base under 30 · " in text


def test_long_and_wide_tables_are_cut_and_say_so() -> None:
    columns = COLUMN_CAP + 2
    comparison = survey([[20.0] * columns] * (ROW_CAP + 5), [400] * columns).compare_columns()
    html = comparison._repr_html_()
    assert "… and 2 more columns" in html
    assert "more rows" in html
    assert len(html) < 20_000


def test_results_need_no_scipy_until_they_are_tested() -> None:
    code = "import sys, audiencelab.tables, audiencelab.client; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_charts_and_colours_of_the_grid_do_without_scipy() -> None:
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "from audiencelab import charts\n"
        "from audiencelab.widgets.crosstab.metrics import plane\n"
        "from tests.results.samples import crosstab\n"
        "print(type(charts.bar(crosstab())).__name__, plane(crosstab(), 'z').shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Chart (2, 3)\n"
