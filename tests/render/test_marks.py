"""What a table marks stays marked whatever else is asked of it: figures, layout, groups, title.

Letters and stars are lost in other programs as soon as another option is given.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.results.cells import FIGURES
from audiencelab.tables import CrosstabResult
from tests.analysis.samples import survey
from tests.render.excel.workbook_reader import sheets, written
from tests.render.html_reader import Reader

OTHERS = [name for name in FIGURES if name != "column_percentage"]
SHARE = "column_percentage"

metrics = st.lists(st.sampled_from(OTHERS), max_size=4, unique=True).flatmap(
    lambda others: st.permutations([*others, SHARE])
)
options = st.fixed_dictionaries(
    {"metrics": metrics},
    optional={
        "title": st.just("A title"),
        "column_groups": st.just(["One", "One", "Two"]),
        "row_groups": st.just(["Upper", "Lower"]),
    },
)


def table() -> CrosstabResult:
    """The first column exceeds the second in one row; the third has a low base."""
    return survey([[60, 30, 45], [20, 21, 22]], [400, 400, 60], columns=("A1", "B1", "C1"))


def compared() -> Any:
    return table().test(levels=0.95)


def test_the_table_has_a_letter_and_a_star_to_lose() -> None:
    marks = compared().marks()
    assert marks[0].tolist() == ["B C", "", "B"]
    assert marks[1].tolist() == ["", "", ""]


@given(options)
@settings(max_examples=40)
def test_letters_and_stars_stay_in_html(chosen: dict[str, Any]) -> None:
    cells = [cell.strip() for cell in shown(comparison=compared(), **chosen).split("|")]
    assert cells.count("B\u00a0C") == 1, "letters stay on one line"
    assert cells.count("B") >= 1
    assert "45.0%*" in cells


@given(options, st.sampled_from(["columns", "rows", "sheets"]))
@settings(max_examples=40)
def test_letters_and_stars_stay_in_workbooks(chosen: dict[str, Any], layout: str) -> None:
    made = sheets(written(table(), comparison=compared(), layout=layout, **chosen))
    cells = [cell for name, sheet in made.items() if name != "Source" for cell in each(sheet)]
    assert [cell.value for cell in cells].count("B C") == 1
    [low] = [cell for cell in cells if cell.value == 45 and "%" in cell.number_format]
    assert '"*"' in low.number_format


@pytest.mark.parametrize("metric", [SHARE, [SHARE, "index"], ["index", SHARE]])
def test_figures_are_the_same_with_marks_and_without(metric: str | list[str]) -> None:
    with_marks, without = table(), table()
    with_marks.test()
    assert with_marks.to_wide(metric).equals(without.to_wide(metric))


def test_every_pair_of_options_keeps_what_each_shows_by_itself() -> None:
    alone: dict[str, Any] = {
        "title": "A title",
        "column_groups": ["One", "One", "Two"],
        "row_groups": ["Upper", "Lower"],
        "comparison": compared(),
    }
    words = {
        "title": "A title",
        "column_groups": "Two",
        "row_groups": "Lower",
        "comparison": "B\u00a0C",
    }
    for some in combinations(alone, 2):
        text = shown(**{name: alone[name] for name in some})
        assert [words[name] in text for name in some] == [True, True]


def shown(**chosen: Any) -> str:
    return Reader(table().to_html(**chosen)).text


def each(sheet: Any) -> list[Any]:
    return list(np.ravel([list(line) for line in sheet.iter_rows()]))
