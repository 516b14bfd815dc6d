"""Nets of a crosstab's rows: what the service counts for the same people, or a refusal."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from audiencelab import Audience, Client, CrosstabResult, Q, connect
from audiencelab.analysis.boxes import question_of_items
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from tests.messages import fails
from tests.results.samples import crosstab


@cache
def client() -> Client:
    return connect()


def asked(name: str) -> list[Audience]:
    return client().catalogue[name].audiences()


@cache
def ages() -> CrosstabResult:
    """Every age by gender: a question of one answer, all of its answers among the rows."""
    return client().crosstab(rows=asked("Age"), columns=asked("Gender"))


def test_a_net_is_what_the_service_counts_for_an_or_of_its_rows() -> None:
    names = [row.name for row in ages().rows]
    made = ages().nets({"Young": names[:2], "Not young": names[2:]})
    exact = client().crosstab(rows=made.rows, columns=ages().columns)
    assert [row.name for row in made.rows] == [*names, "Young", "Not young"]
    for figure in FIGURES:
        assert made.values(figure) == pytest.approx(exact.values(figure), rel=1e-9), figure
    both = made.row_values("row_base_percentage")[-2:]
    assert both.sum() == pytest.approx(100)


def test_the_rows_stay_as_they_are_and_a_net_is_flagged() -> None:
    made = ages().nets({"Young": ["18 to 24", "25 to 34"]})
    frame = made.to_frame()
    plain = frame[~frame["row_net"]].drop(columns="row_net").reset_index(drop=True)
    assert plain.astype({"row": str}).equals(ages().to_frame().astype({"row": str}))
    assert made.row_nets == (False,) * len(ages().rows) + (True,)
    assert frame.loc[frame["row_net"], "row_index"].unique().tolist() == [-1]
    assert list(frame)[:5] == ["row_index", "row_id", "row", "row_net", "column_index"]
    assert frame.attrs["nets"] == {"Young": ["18 to 24", "25 to 34"]}
    assert "row_net" not in ages().to_frame()


def test_rows_are_named_or_called_by_their_ids_and_a_net_is_no_row() -> None:
    first, second = ages().rows[:2]
    by_name = ages().nets({"Young": [first.name, second.name]})
    by_id = ages().nets({"Young": [first.id or "", second.id or "", first.name]})
    assert by_name.to_frame().equals(by_id.to_frame())
    with fails(ValueError):
        by_name.nets({"Again": ["Young"]})
    with fails(ValueError):
        by_name.nets({"Young": [second.name]})
    with fails(ValueError):
        ages().nets({"Nobody": []})


def test_of_many_rows_an_error_names_some_and_counts_the_others() -> None:
    many = client().crosstab(rows=asked("Finding brands"))
    with fails(ValueError):
        many.nets({"Screens": ["Television"]})
    with fails(TypeError):
        ages().nets({" ": ["18 to 24"]})
    with fails(TypeError):
        ages().nets(["18 to 24"])  # type: ignore[arg-type]  # that is the point
    with fails(TypeError):
        ages().nets({"Young": None})  # type: ignore[dict-item]  # that is the point


def test_boxes_are_nets_of_both_ends() -> None:
    names = [row.name for row in ages().rows]
    made = ages().boxes(2, 1)
    assert made.to_frame().attrs["nets"] == {
        f"Top 2 ({names[-1]}, {names[-2]})": [names[-1], names[-2]],
        f"Bottom 1 ({names[0]})": [names[0]],
    }
    with fails(ValueError):
        ages().boxes(99, 0)


def test_under_heads_each_scale_has_its_boxes_right_after_its_rows() -> None:
    table = client().crosstab(
        rows={"Age": asked("Age"), "Ahead": asked("The year ahead")}, columns=asked("Age")[:2]
    )
    made = table.boxes(1, 0)
    last, oldest = len(asked("Age")), asked("Age")[-1].name
    assert [(made.row_groups[place], made.rows[place].name) for place in (last, -1)] == [
        (("Age",), f"Top 1 ({oldest})"),
        (("Ahead",), "Top 1 (Much better)"),
    ]
    index = made.to_frame()["row_index"].unique().tolist()
    assert index[last - 1 : last + 2] == [last, -1, last + 1]
    assert set(made.provenance["nets"]) == {
        f"Age › Top 1 ({oldest})",
        "Ahead › Top 1 (Much better)",
    }
    table = client().crosstab(
        rows={"Age": asked("Age"), "Gender": asked("Gender")}, columns=asked("Age")[:2]
    )
    with fails(ValueError):
        table.boxes(1, 0)
    mixed = client().crosstab([*asked("Age")[:2], *asked("Gender")])
    with fails(ValueError):
        mixed.boxes(1, 0)
    women = asked("Gender")[1].name
    named = table.nets({"W": [f"Gender › {women}"]})
    assert named.values("size")[-1].tolist() == table.values("size")[last + 1].tolist()


def test_a_question_of_several_answers_is_refused_with_the_way_to_ask() -> None:
    brands = asked("q17")
    every = client().crosstab(rows=brands, columns=asked("Gender"))
    few = client().crosstab(rows=brands[-2:], columns=asked("Gender"))
    for table, disjoint in ((every, True), (every, False), (few, False)):
        with pytest.raises(OverlappingAnswers) as refused:
            table.nets({"Any app": [row.name for row in table.rows]}, disjoint=disjoint)
        assert "al.Audience('Any app', al.Q('q17').any('q17_" in str(refused.value)


def filled(rows: list[Audience], **figures: Any) -> CrosstabResult:
    """A table of rows of one's own over two columns of 10 respondents, 20 in the base."""
    table = CrosstabResult(
        tuple(Audience(row.name, row.expression, f"row-{n}") for n, row in enumerate(rows, 1)),
        (Audience("Tea", id="c1"), Audience("Coffee", id="c2")),
    )
    given = {"column_sample": 10, "column_size": 10, "base_sample": 20, "base_size": 20} | figures
    planes = np.array([np.broadcast_to(given.get(name, 5.0), table.shape) for name in FIGURES])
    down, across = np.indices(table.shape)
    cells_of(table).store(down.ravel(), across.ravel(), planes.reshape(len(FIGURES), -1).T.copy())
    return table


LOW, HIGH = (Audience(name, Q("q1").any(code)) for name, code in (("Low", "1"), ("High", "2")))
OTHER = Audience("Other", Q("q9").any("1"))
BOTH = {"Both": ["row-1", "row-2"]}


def test_as_many_answers_as_respondents_everywhere_are_one_answer_each() -> None:
    assert filled([LOW, HIGH], row_sample=10, row_size=10).nets(BOTH).values("sample")[
        -1
    ].tolist() == [10, 10]
    for short in (
        {"row_sample": 9, "row_size": 10},
        {"row_sample": 10, "row_size": 10, "sample": [[5, 5], [5, 4]]},
    ):
        with fails(OverlappingAnswers):
            filled([LOW, HIGH], **short).nets(BOTH)
        assert filled([LOW, HIGH], **short).nets(BOTH, disjoint=True)


def test_as_many_answers_that_weigh_otherwise_prove_nothing() -> None:
    with fails(OverlappingAnswers):
        filled([LOW, HIGH], row_sample=10, row_size=10, size=3).nets(BOTH)
    rounded = filled([LOW, HIGH], row_sample=10, row_size=10, size=4.4)
    assert rounded.nets(BOTH).values("size")[-1].tolist() == [8.8, 8.8]


@pytest.mark.parametrize(
    "more",
    [{"row_sample": 11}, {"sample": 6, "row_sample": 10}, {"row_size": 12}, {"size": 7}],
)
def test_more_people_than_there_are_disprove_it_whatever_is_said(more: dict[str, float]) -> None:
    with fails(OverlappingAnswers):
        filled([LOW, HIGH], **more).nets(BOTH, disjoint=True)


def test_the_same_audience_twice_is_no_net() -> None:
    with fails(OverlappingAnswers):
        filled([LOW, Audience("Again", LOW.expression)], row_sample=1).nets(BOTH, disjoint=True)


def test_a_net_that_stands_among_the_rows_already_is_no_evidence() -> None:
    either = Audience("Either", Q("q1").any("1", "2"))
    table = filled(
        [LOW, HIGH, either], row_sample=[[10], [10], [20]], row_size=10, sample=[[5], [5], [10]]
    )
    assert table.nets(BOTH).values("sample")[-1].tolist() == [10, 10]
    with pytest.raises(OverlappingAnswers):
        table.nets({"Twice": ["Low", "Either"]}, disjoint=True)


def test_rows_of_different_waves_do_not_add_up() -> None:
    apart = filled([LOW, HIGH], row_sample=10, base_size=[[20, 20], [20, 30]])
    with fails(ValueError):
        apart.nets(BOTH, disjoint=True)


def test_a_table_under_way_has_no_nets() -> None:
    with fails(ValueError):
        crosstab(fill=False).nets({"All": ["Men", "Women"]})


def test_a_score_is_a_difference_of_two_subtotals_for_each_column() -> None:
    young, old = ages().rows[0].name, ages().rows[-1].name
    frame = ages().net_score([old], [young])
    shares = ages().to_wide("column_percentage")
    assert frame["net_score"].tolist() == (shares.loc[old] - shares.loc[young]).tolist()
    assert frame["column"].tolist() == [column.name for column in ages().columns]
    assert frame["column_sample"].tolist() == ages().column_values("column_sample").tolist()
    assert frame.attrs["method_note"].startswith("Points")
    with fails(ValueError):
        ages().net_score([old], [old, young])
    with fails(ValueError):
        ages().net_score([], [])


def test_a_net_of_rows_that_are_no_plain_answers_is_any_of_them() -> None:
    men = Q("q2").any("q2_1")
    rows = [Audience(age.name, age.expression & men) for age in asked("Age")[:2]]
    table = client().crosstab(rows=rows, columns=asked("Gender"))
    made = table.nets({"Young men": [row.name for row in rows]}, disjoint=True)
    exact = client().crosstab(rows=made.rows, columns=table.columns)
    assert made.values("size") == pytest.approx(exact.values("size"), rel=1e-9)


def test_people_outside_two_conditions_may_be_in_either_of_them() -> None:
    women, young = Q("q2").any("q2_2"), Q("q4").any("q4_2")
    table = client().crosstab(
        [Audience("Others", ~(women & young)), Audience("Men", Q("q2").any("q2_1"))], "Pets"
    )
    with pytest.raises(OverlappingAnswers):
        table.nets({"Either": ["Others", "Men"]})


def test_rows_outside_two_conditions_are_no_answers_to_a_question() -> None:
    women, men, young = Q("q2").any("q2_2"), Q("q2").any("q2_1"), Q("q4").any("q4_2")
    assert question_of_items([women & young, men & young])[0] == "q2"
    assert question_of_items([~(women & young), ~(men & young)])[0] is None
