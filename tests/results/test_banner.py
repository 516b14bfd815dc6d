"""Groups over a crosstab's sides: levels in wide frames, a column in long ones, spans in tables."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.charts.data import column_labels, row_labels
from audiencelab.render.mime_payload import saved_crosstab
from audiencelab.results.arrow import arrow_table
from audiencelab.results.banner import (
    Groups,
    full_name,
    joined,
    levels,
    runs,
    table_title,
    whole_names,
)
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.drilldown import cell_detail
from tests.messages import fails
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE, crosstab, metrics, row, stats

UNDER = ((), ("Hot",), ("By taste", "Sweet"), ("By taste", "Sour"))
NAMES = ("All", "Tea", "Juice", "Juice")

sides = st.lists(st.lists(st.sampled_from("AB"), max_size=3).map(tuple), min_size=1, max_size=12)


def headed(**changes: Any) -> CrosstabResult:
    """Four columns in groups of different depths, two of them called the same."""
    return crosstab(
        columns=NAMES, column_groups=UNDER, row_groups=(("Gender",), ("Gender",)), **changes
    )


def test_heads_are_told_in_a_line() -> None:
    assert joined(("By taste", "Sweet")) == "By taste › Sweet"
    assert joined(()) == ""
    assert full_name(("By taste", "Sweet"), "Juice") == "By taste › Sweet › Juice"
    assert levels(UNDER) == [["", "Hot", "By taste", "By taste"], ["", "", "Sweet", "Sour"]]
    assert levels([(), ()]) == []


@given(sides)
def test_runs_cover_every_place_once_and_never_cross_one_above(side: list[tuple[str, ...]]) -> None:
    for level, names in enumerate(levels(side)):
        found = runs(side, level)
        assert [place for _, first, last in found for place in range(first, last + 1)] == list(
            range(len(side))
        )
        for name, first, last in found:
            assert set(names[first : last + 1]) == {name}
            assert len({groups[: level + 1] for groups in side[first : last + 1]}) == 1
        if level:
            ends = {last for _, _, last in found}
            assert {last for _, _, last in runs(side, level - 1)} <= ends


def test_the_long_frame_has_a_column_of_groups_before_the_names() -> None:
    frame = headed().to_frame()
    assert list(frame)[:8] == [
        *("row_index", "row_id", "row_group", "row"),
        *("column_index", "column_id", "column_group", "column"),
    ]
    assert frame["column_group"].tolist()[:4] == ["", "Hot", "By taste › Sweet", "By taste › Sour"]
    assert frame["column_group"].cat.ordered
    assert frame["row_group"].cat.categories.tolist() == ["Gender"]


def test_equal_names_are_shown_with_their_groups() -> None:
    assert whole_names(headed().columns, UNDER) == [
        *("All", "Tea"),
        *("By taste › Sweet › Juice", "By taste › Sour › Juice"),
    ]


def nested() -> CrosstabResult:
    """Ages of men, in the groups "Male" and "Age"; and of one question, in its group."""
    table = crosstab(
        columns=("16 to 17", "18 to 24", "North"),
        column_groups=(("Male", "Age"), ("Male", "Age"), ("Region",)),
    )
    men = al.Q("q2").any("q2_1")
    expressions = [men & al.Q("q4").any("q4_1"), men & al.Q("q4").any("q4_2"), al.Q("q6").any("n")]
    pairs = zip(table.columns, expressions, strict=True)
    table.columns = tuple(replace(each, expression=expression) for each, expression in pairs)
    return table


def test_nested_names_have_every_level_outside_of_the_table() -> None:
    young, *_, north = whole_names(nested().columns, nested().column_groups)
    assert (young, north) == ("Male › Age › 16 to 17", "North")
    assert cell_detail(nested(), 0, 0).title == "Men × Male › Age › 16 to 17"
    report = cell_detail(nested(), 0, 0).to_page()
    assert [each.name for each in report.counts[:2]] == ["Men", "Male › Age › 16 to 17"]
    # Also where the only group of the columns is in the chart's title.
    only = replace(nested(), columns=nested().columns[:1], column_groups=(("Male", "Age"),))
    assert column_labels(only) == ["Male › Age › 16 to 17"]


def test_a_saved_table_says_that_its_columns_are_nested() -> None:
    saved, plain = (saved_crosstab(table, 12_000) for table in (nested(), headed()))
    assert saved is not None
    assert plain is not None
    assert (saved["columns"]["nested"], "nested" in plain["columns"]) == (True, False)


def test_labels_of_a_side_with_several_groups_name_the_group() -> None:
    assert column_labels(headed())[:2] == ["All", "Hot › Tea"]
    assert row_labels(headed()) == ["Men", "Women"]


@pytest.mark.parametrize(
    ("rows", "columns", "title"),
    [
        (
            [("Brands",)] * 2,
            [("Age", "Young"), ("Age", "Old"), ("Gender",), ()],
            "Brands by Age, Gender",
        ),
        ([()] * 2, [("Age",)], "Age"),
        ([("Brands",)], [(name,) for name in "ABCDE"], "Brands by A, B, C and 2 more"),
        ([()], [()], "Crosstab"),
    ],
)
def test_a_table_s_title_names_its_groups(
    rows: list[Groups], columns: list[Groups], title: str
) -> None:
    assert table_title(rows, columns) == title


def test_without_groups_the_frames_are_as_ever() -> None:
    plain = crosstab(columns=NAMES)
    assert plain.column_groups == ((),) * 4
    assert "column_group" not in plain.to_frame()
    assert plain.to_wide().columns.nlevels == 1
    half = crosstab(columns=NAMES, column_groups=UNDER)
    assert "row_group" not in half.to_frame()
    kept = [name for name in headed().to_frame() if not name.endswith("_group")]
    assert headed().to_frame()[kept].equals(plain.to_frame())


def test_wide_has_a_level_for_each_group() -> None:
    wide = headed(index=np.arange(8.0).reshape(2, 4)).to_wide("index")
    assert wide.columns.names == ["column_group", "column_group_2", "column"]
    assert wide.columns.tolist()[-1] == ("By taste", "Sour", "Juice")
    assert wide.index.names == ["row_group", "row"]
    assert wide["By taste"].shape == (2, 2)
    assert wide.loc[("Gender", "Women"), ("By taste", "Sour", "Juice")] == 7.0
    several = headed().to_wide(["index", "size"])
    assert several.columns.names == ["column_group", "column_group_2", "column", "metric"]
    ids = headed().to_wide(labels=False)
    assert ids.columns.tolist()[-1] == ("By taste", "Sour", "column-4")


def test_heads_are_one_for_each_audience() -> None:
    with fails(ValueError):
        crosstab(column_groups=(("Hot",),))


def test_heads_survive_a_pickle_and_a_stream_of_arrow() -> None:
    again: CrosstabResult = pickle.loads(pickle.dumps(headed()))
    assert again.column_groups == UNDER
    read = arrow_table(headed().to_frame()).to_pandas()
    assert read["column_group"].tolist() == headed().to_frame()["column_group"].tolist()


def test_low_bases_can_be_left_out_of_a_wide_table() -> None:
    result = crosstab(column_sample=[[99, 100, 500]] * 2, row_sample=[[99] * 3, [500] * 3])
    assert (
        result.to_wide("index", hide_under=100).isna().to_numpy().tolist()
        == [[True, True, True], [True, False, False]]  # the row has few, or the column
    )
    by_row = result.to_wide("row_percentage", hide_under=100)
    assert by_row.isna().to_numpy().tolist() == [[True] * 3, [False] * 3]
    assert result.to_wide("size", hide_under=100).notna().all(axis=None)
    both = result.to_wide(["column_percentage", "sample"], hide_under=100)
    assert both["Tea"].isna().to_numpy().tolist() == [[True, False]] * 2
    assert by_row.attrs["hide_under"] == 100
    assert "hide_under" not in result.to_wide().attrs
    pd.testing.assert_frame_equal(result.to_wide(hide_under=0), result.to_wide())


def test_low_bases_of_a_query_can_be_left_out_too() -> None:
    few = metrics(audience_sample=99)
    result = stats(row("q1_1", few, segment="a"), row("q1_1", segment="b"), splitter="q2")
    assert result.to_wide(hide_under=100).isna().to_numpy().tolist() == [[True, False]]
    assert result.to_wide("size", hide_under=100).notna().all(axis=None)
    assert "Blank: fewer than 100" in Reader(result.to_html(hide_under=100)).text


@pytest.mark.parametrize("given", ["100", -1, True, None, float("nan"), float("inf"), [100]])
def test_what_is_no_number_of_respondents_is_told(given: Any) -> None:
    for make in (crosstab().to_wide, crosstab().to_html, stats(row()).to_wide):
        with pytest.raises(ValueError, match="hide_under is a number of respondents, such as 100"):
            make(hide_under=given)


def cells(markup: str, tag: str) -> list[tuple[str, str]]:
    """How many columns each spanning group takes, with its scope."""
    found = [attributes for name, attributes in Reader(markup).tags if name == tag]
    return [(each["colspan"], each["scope"]) for each in found if "colspan" in each]


def test_html_spans_heads_over_columns_and_names_the_rows_under_them() -> None:
    spanning = [("1", "colgroup"), ("2", "colgroup"), ("1", "colgroup"), ("1", "colgroup")]
    for markup in (headed().to_html(), headed()._repr_html_()):
        assert cells(markup, "th") == [*spanning, ("6", "rowgroup")]
        told = Reader(markup).text
        assert "Hot|By taste|" in told
        assert "Gender|Men|" in told


def test_html_of_hostile_heads_is_text() -> None:
    hostile = crosstab(column_groups=((HOSTILE,),) * 3, row_groups=((HOSTILE, HOSTILE),) * 2)
    for markup in (hostile.to_html(), hostile._repr_html_()):
        assert "<script" not in markup
        assert Reader(markup).text.count(HOSTILE) == 5  # two of them in the title
