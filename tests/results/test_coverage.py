"""Which waves count for an audience, and in which of them only a part of it was asked about."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from audiencelab.expressions import And, Audience, Expression, Leaf, Or, Q
from audiencelab.results.coverage import questions_of, waves_offered
from audiencelab.schema import StatsRow
from audiencelab.tables import Coverage
from tests.results.samples import HOSTILE, NOTHING
from tests.strategies import expressions, leaves

WAVES = ("w1", "w2", "w3")
ASKED = {"a": frozenset(WAVES), "b": frozenset({"w2", "w3"}), "c": frozenset({"w3"})}

A, B, C = (Q(code).any() for code in ASKED)


def coverage(
    expression: Expression | None, asked: Mapping[str, frozenset[str]] = ASKED
) -> Coverage:
    audience = Audience("People", expression)
    return Coverage(audience, WAVES, {code: asked[code] for code in questions_of(audience)})


@pytest.mark.parametrize(
    ("expression", "counted", "mixed"),
    [
        (None, WAVES, ()),
        (B, ("w2", "w3"), ()),
        (~B, ("w2", "w3"), ()),
        (A & B, ("w2", "w3"), ()),
        (A | B, WAVES, ("w1",)),
        (~(A | B), WAVES, ("w1",)),
        ((A & C) | B, ("w2", "w3"), ("w2",)),
        (A & Q("waves").any("w1", "w2"), ("w1", "w2"), ()),
        (A & ~Q("waves").any("w1"), ("w2", "w3"), ()),
        ((A | B) & ~Q("waves").any("w1"), ("w2", "w3"), ()),
        (Q("waves").any(), WAVES, ()),
    ],
)
def test_the_rule(
    expression: Expression | None, counted: tuple[str, ...], mixed: tuple[str, ...]
) -> None:
    found = coverage(expression)
    assert found.counted == counted
    assert found.mixed == mixed
    assert found.whole == tuple(wave for wave in counted if wave not in mixed)


def all_of(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(children, min_size=1, max_size=4).map(tuple)
    alone = children.map(lambda child: (child,))
    return st.builds(And, several, st.booleans()) | st.builds(Or, alone, st.booleans())


@given(st.recursive(leaves(st.sampled_from(sorted(ASKED))), all_of, max_leaves=12))
def test_only_or_can_mix(expression: Expression) -> None:
    assert coverage(expression).mixed == ()


@given(
    expressions(leaves(st.sampled_from(sorted(ASKED)))),
    st.sets(st.sampled_from(WAVES), min_size=1),
)
def test_questions_that_go_together_never_mix(expression: Expression, asked: set[str]) -> None:
    found = coverage(expression, dict.fromkeys(ASKED, frozenset(asked)))
    assert set(found.counted) == asked
    assert found.mixed == ()


ITEMS = {"a": {"dora": frozenset({"w3"})}}


@pytest.mark.parametrize(
    ("expression", "counted", "mixed"),
    [
        (Q("a").any("dora"), ("w3",), ()),
        (~Q("a").any("dora"), ("w3",), ()),
        (Q("a").any("dora", "alba"), WAVES, ("w1", "w2")),
        (Leaf("a", ("dora", "alba"), min_count=2), ("w3",), ()),
        (Q("a").any("alba"), WAVES, ()),
        (Q("a").any("dora") | B, ("w2", "w3"), ("w2",)),
    ],
)
def test_an_item_counts_in_the_waves_that_offered_it(
    expression: Expression, counted: tuple[str, ...], mixed: tuple[str, ...]
) -> None:
    audience = Audience("People", expression)
    asked = {code: ASKED[code] for code in questions_of(audience)}
    found = Coverage(audience, WAVES, asked, {"a/dora": "Dora"}, ITEMS)
    assert (found.counted, found.mixed) == (counted, mixed)
    lines = found.to_frame().get("item_label", pd.Series(dtype=str))
    assert (lines == "Dora").sum() == (0 if expression == Q("a").any("alba") else 3)
    assert ("› Dora" in found._repr_html_()) is (len(lines) > 0)
    if mixed and len(asked) == 1:
        assert "2 of them with a part of the items only" in repr(found)


def test_items_are_read_off_rows_by_waves() -> None:
    rows = [
        StatsRow(item, NOTHING, ["w1"] if wave == "w1" or item == "alba" else [], wave)
        for item in ("alba", "dora")
        for wave in ("w1", "w2")
    ]
    rows = [structs.replace(row, waves=[row.segment] if row.waves else []) for row in rows]
    asked = frozenset({"w1", "w2"})
    assert waves_offered(rows, asked, "multiple") == {"dora": {"w1"}}
    assert waves_offered(rows, asked, "single") == {}
    assert waves_offered([structs.replace(row, waves=[]) for row in rows], asked, None) == {}


def test_a_frame_has_a_line_for_each_question_and_wave() -> None:
    frame = coverage(A | B).to_frame()
    assert frame.columns.tolist() == [
        *("question", "question_label", "wave", "wave_label"),
        *("asked", "counted"),
    ]
    assert frame["asked"].tolist() == [True, True, True, False, True, True]
    assert frame["counted"].all()
    assert json.loads(json.dumps(frame.attrs)) == {"audience": "People", "mixed": ["w1"]}
    empty = coverage(None).to_frame()
    assert empty.dtypes.tolist() == frame.dtypes.tolist()


def test_it_says_how_many_waves_are_mixed() -> None:
    assert repr(coverage(A | B)) == (
        "<Coverage of People: 3 of 3 waves count, 1 of them with a part of the questions only>"
    )
    assert repr(coverage(A & C)) == "<Coverage of People: 1 of 3 waves count>"
    shown = coverage(A | B)._repr_html_()
    assert "1 of them with a part of the questions only" in shown
    assert [shown.count(mark) for mark in "●◐–"] == [7, 1, 1]


def test_hostile_names_are_text() -> None:
    leaf = Leaf(HOSTILE)
    found = Coverage(Audience(HOSTILE, leaf), (HOSTILE,), {HOSTILE: frozenset()})
    assert "<script" not in found._repr_html_()
