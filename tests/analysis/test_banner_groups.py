"""Columns in groups: each group is a table of its own, with letters of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.analysis.marks import column_letters, legend
from audiencelab.tables import CrosstabResult
from tests.messages import fails
from tests.results.samples import crosstab

GROUPS = (("Gender",), ("Gender",), ("Age",), ("Age",), ("Age",))
NAMES = ("Men", "Women", "Young", "Middle", "Old")
SHARES = [[20.0, 40.0, 10.0, 30.0, 55.0], [80.0, 60.0, 90.0, 70.0, 45.0]]


def table(
    shares: Any = SHARES, groups: tuple[tuple[str, ...], ...] = GROUPS, names: Any = NAMES
) -> CrosstabResult:
    """Two rows that hold these percentages of columns of 400 respondents each."""
    size = 4.0 * np.array(shares)
    return crosstab(
        rows=("Yes", "No"),
        columns=tuple(names),
        column_groups=groups,
        size=size,
        sample=size,
        column_percentage=np.array(shares),
        column_size=400.0,
        column_sample=400.0,
        base_size=5_000.0,
        base_sample=5_000.0,
    )


def part(result: CrosstabResult, places: list[int]) -> CrosstabResult:
    """Some columns alone, without groups."""
    shares = result.values("column_percentage")[:, places]
    return table(shares, (), [result.columns[place].name for place in places])


def test_letters_begin_again_with_each_group() -> None:
    found = table().test()
    assert column_letters(found) == ["A", "B", "A", "B", "C"]
    assert found.marks().tolist() == [["", "A", "", "A", "A B"], ["B", "", "B C", "C", ""]]
    assert "than that column's in the same group" in legend(found)
    assert "every pair of columns in the same group" in found.method_note


def test_heads_with_one_column_each_leave_nothing_to_compare() -> None:
    apart = table(groups=tuple((name,) for name in NAMES))
    with fails(ValueError):
        apart.test()
    assert len(apart.test(within_groups=False)) == 2 * 10


def test_the_innermost_groups_count_and_equal_ones_need_not_be_neighbours() -> None:
    groups = (("By", "Men"), ("By", "Women"), ("By", "Men"), (), ("By", "Women"))
    frame = table(groups=groups).test().to_frame()
    assert list(zip(frame["column"], frame["other"], strict=True))[:2] == [
        ("Men", "Young"),
        ("Women", "Old"),
    ]
    assert len(frame) == 4


@given(
    st.lists(st.lists(st.floats(1, 99), min_size=5, max_size=5), min_size=2, max_size=2),
    st.permutations(range(5)),
    st.sampled_from(["none", "bonferroni", "holm", "benjamini-hochberg"]),
)
@settings(max_examples=40)
def test_each_head_is_tested_as_if_it_were_alone(
    shares: list[list[float]], order: list[int], correction: Any
) -> None:
    groups = tuple(GROUPS[place] for place in order)
    whole = table(np.array(shares)[:, order], groups, [NAMES[place] for place in order])
    found = whole.test(correction=correction)
    for group in {("Gender",), ("Age",)}:
        places = [place for place, each in enumerate(groups) if each == group]
        alone = part(whole, places).test(correction=correction)
        assert [column_letters(found)[place] for place in places] == column_letters(alone)
        assert found.marks()[:, places].tolist() == alone.marks().tolist()
        tests = np.isin(found.column[0], places)
        assert np.allclose(found.outcome.p_adjusted[:, tests], alone.outcome.p_adjusted)


def test_a_family_that_is_the_table_holds_all_of_its_groups() -> None:
    frame = table().test(correction="bonferroni", family="table").to_frame()
    assert frame["p_adjusted"].max() <= 1
    smallest = frame.loc[frame["p"].idxmin()]
    assert smallest["p_adjusted"] == pytest.approx(smallest["p"] * len(frame))
    assert "within each row and group" in table().test(correction="holm").method_note
    assert "over the table" in table().test(correction="holm", family="table").method_note


def test_frames_and_tables_name_the_groups() -> None:
    found = table().test()
    frame = found.to_frame()
    assert list(frame)[:8] == [
        *("row_id", "row", "column_id", "column_group", "column"),
        *("other_id", "other_group", "other"),
    ]
    assert (frame["column_group"].astype(str) == frame["other_group"].astype(str)).all()
    assert found.to_wide().columns.names == ["column_group", "column", "letter"]
    assert found.to_wide()[("Age", "Old", "C")].tolist() == ["55.0 A B", "45.0"]
    markup = found._repr_html_()
    assert "colspan=3" in markup
    assert "scope=colgroup" in markup


def test_standouts_are_told_with_their_groups() -> None:
    found = table().standouts(5, min_base=0)
    assert list(found)[:6] == [
        *("statement", "row_id", "row", "column_id", "column_group", "column"),
    ]
    assert found["statement"].str.contains("Age › ").any()
    assert "column_group" not in table(groups=()).standouts(5, min_base=0)
