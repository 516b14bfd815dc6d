"""A question in a line."""

from __future__ import annotations

import pytest

from audiencelab.expressions import Audience
from audiencelab.schema.scope import Scope
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.workbench.notebook import question_words


def lines(*names: str, head: str = "") -> AxisAudiences:
    return AxisAudiences(map(Audience, names), [(head,) if head else ()] * len(names))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (GridQuery(), "everyone × everyone"),
        (GridQuery(lines("Men")), "Men × everyone"),
        (GridQuery(lines("Men", "Women"), lines("A", "B", "C")), "Men and Women × A, B and C"),
        (GridQuery(lines("A", "B", "C", "D")), "A, B and 2 more × everyone"),
        (GridQuery(lines("Men", "Men"), lines()), "Men and Men × nothing"),
        (GridQuery(lines("16", "17", head="Age")), "Age (2) × everyone"),
        (GridQuery(lines("A\n  B")), "A B × everyone"),
        (
            GridQuery(scope=Scope(Audience("Men"), waves=("q1", "q2"), locations=("s2_1",))),
            "everyone × everyone · of Men · 2 waves · 1 location",
        ),
        (GridQuery(scope=Scope(waves=("q1",))), "everyone × everyone · q1"),
    ],
)
def test_a_question_in_words(query: GridQuery, words: str) -> None:
    assert question_words(query) == words


def test_a_long_name_is_cut() -> None:
    assert len(question_words(GridQuery(lines("x" * 500)))) < 60
