"""A profile as frames and rankings: what is furthest from the base, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from audiencelab.analysis.profile import PROFILE_COLUMNS
from audiencelab.expressions import Audience, Q
from audiencelab.results.crosstab import cells_of
from audiencelab.results.profile import ProfilePoint
from audiencelab.tables import CrosstabResult, ProfileResult
from tests.render.html_reader import Reader
from tests.results.samples import HOSTILE, crosstab

BASE, MEMBERS = 1_000.0, 200.0

POINTS = (
    ProfilePoint("q1", "Drinks", "q1_1", "Tea"),
    ProfilePoint("q1", "Drinks", "q1_2", "Coffee"),
    ProfilePoint("q2", "Pets", "q2_1", "Cat"),
    ProfilePoint("q2", "Pets", "q2_2", "Newt"),
    ProfilePoint("q3", "Age", "q3_1", "Young", own=True),
    ProfilePoint("q4", "Never asked", "q4_1", "Yes"),
)
GAVE = [400.0, 500.0, 100.0, 10.0, 200.0, 0.0]
"""People of the base who gave each answer."""
BOTH = [120.0, 50.0, 30.0, 6.0, 200.0, 0.0]
"""And of the audience."""


def profile(
    points: Sequence[ProfilePoint] = POINTS,
    gave: Sequence[float] = GAVE,
    both: Sequence[float] = BOTH,
    arrived: int | None = None,
    members: float = MEMBERS,
) -> ProfileResult:
    """A profile of some of 1,000 people, a respondent each; the last answer was asked of nobody."""
    row, size = np.array(gave)[:, None], np.array(both)[:, None]
    asked = row > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        planes: dict[str, Any] = {
            "size": size,
            "sample": size,
            "percentage": 100 * size / BASE,
            "index": 100 * size * BASE / (row * members),
            "column_percentage": 100 * size / members,
            "row_percentage": 100 * size / row,
            "row_size": row,
            "row_sample": row,
            "row_base_percentage": 100 * row / BASE,
            "column_size": np.where(asked, members, 0),
            "column_sample": np.where(asked, members, 0),
            "column_base_percentage": 100 * members / BASE,
            "base_size": np.where(asked, BASE, 0),
            "base_sample": np.where(asked, BASE, 0),
        }
    whole = crosstab(tuple(point.datapoint_label for point in points), ("Fans",), **planes)
    table = CrosstabResult(
        tuple(
            Audience(
                point.datapoint_label,
                Q(point.question).any(point.datapoint),
                f"{point.question}/{point.datapoint}",
            )
            for point in points
        ),
        whole.columns,
        provenance={"survey": "by hand", "waves": ["q1_2024"]},
    )
    places = np.arange(len(points) if arrived is None else arrived)
    column = np.zeros(len(places), dtype=np.intp)
    cells_of(table).store(places, column, cells_of(whole).figures(places, column))
    return ProfileResult(tuple(points), table)


def test_the_columns_and_their_types_are_a_contract() -> None:
    kinds = {name: str(kind) for name, kind in profile().to_frame().dtypes.items()}
    texts = ("question", "question_label", "datapoint", "datapoint_label", "note")
    samples = ("sample", "audience_sample", "datapoint_sample", "base_sample")
    assert list(kinds) == [
        "question",
        "question_label",
        "datapoint",
        "datapoint_label",
        "audience_percentage",
        "base_percentage",
        "difference",
        "index",
        "size",
        "sample",
        "audience_size",
        "audience_sample",
        "datapoint_size",
        "datapoint_sample",
        "base_size",
        "base_sample",
        "note",
    ]
    assert {kinds[name] for name in texts} <= {"str", "string", "object"}
    assert {kinds[name] for name in samples} == {"int64"}
    assert {kinds[name] for name in set(kinds) - {*texts, *samples}} == {"float64"}
    nothing = profile(arrived=0).to_frame()
    assert {name: str(kind) for name, kind in nothing.dtypes.items()} == kinds


def test_one_line_an_answer_in_the_order_of_the_catalogue() -> None:
    frame = profile().to_frame()
    assert tuple(frame.columns) == PROFILE_COLUMNS
    assert frame["datapoint_label"].tolist() == ["Tea", "Coffee", "Cat", "Newt", "Young", "Yes"]
    tea = frame.iloc[0]
    assert (tea["audience_percentage"], tea["base_percentage"], tea["difference"]) == (60, 40, 20)
    assert (tea["index"], tea["size"], tea["datapoint_size"]) == (150, 120, 400)
    assert (tea["audience_sample"], tea["base_sample"]) == (200, 1000)
    assert frame.attrs["survey"] == "by hand"


def test_an_answer_that_nobody_was_asked_for_has_no_figures_and_a_reason() -> None:
    line = profile().to_frame().iloc[-1]
    assert np.isnan([line["audience_percentage"], line["difference"], line["index"]]).all()
    assert line["note"] == "no wave in common"


def test_what_is_empty_is_called_the_audience_or_the_answer() -> None:
    base = np.full((2, 1), 1_000.0)
    nobody = crosstab(
        ("Tea", "Milk"),
        ("Fans",),
        base_size=base,
        column_size=[[0.0], [5.0]],
        row_size=[[9.0], [0.0]],
    )
    result = ProfileResult(tuple(POINTS[:2]), nobody)
    assert result.to_frame()["note"].tolist() == ["empty audience", "empty datapoint"]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("index", [("Cat", 150.0), ("Coffee", 50.0), ("Tea", 150.0)]),
        ("difference", [("Coffee", -25.0), ("Tea", 20.0), ("Cat", 5.0)]),
    ],
)
def test_ranked_puts_what_is_furthest_from_the_base_first(by: Any, expected: Any) -> None:
    frame = profile().ranked(by)
    assert frame.index.tolist() == [1, 2, 3]
    assert frame.index.name == "rank"
    # Three answers are 50 away from an index of 100: codes decide.
    found = set(zip(frame["datapoint_label"], frame[by], strict=True))
    assert found == set(expected)
    if by == "difference":
        assert list(zip(frame["datapoint_label"], frame[by], strict=True)) == expected
    else:
        assert frame["datapoint_label"].tolist() == ["Tea", "Coffee", "Cat"]


def test_surprise_is_standard_errors_from_everyone_else() -> None:
    frame = profile().ranked("surprise")
    rest = 800
    for _, line in frame.iterrows():
        share, other = line["size"] / 200, (line["datapoint_size"] - line["size"]) / rest
        common = (200 * share + rest * other) / (200 + rest)
        error = (common * (1 - common) * (1 / 200 + 1 / rest)) ** 0.5
        assert line["z"] == pytest.approx((share - other) / error)
    assert frame["z"].abs().is_monotonic_decreasing
    assert list(frame.columns).index("z") == list(frame.columns).index("index") + 1


def test_rare_answers_small_audiences_and_its_own_questions_are_left_out_and_told() -> None:
    frame = profile().ranked()
    assert frame.attrs["method_note"].startswith("Ranked by index; 3 of 6 answers left out")
    assert "Newt" in set(profile().ranked(min_sample=10)["datapoint_label"])
    assert "Young" in set(profile().ranked(own=True)["datapoint_label"])
    assert "defined by" not in profile().ranked(own=True).attrs["method_note"]
    assert len(profile().ranked(min_base=201)) == 0
    assert tuple(profile().ranked(min_base=201).columns) == PROFILE_COLUMNS
    assert len(profile().ranked("surprise", min_base=201)) == 0


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"by": "size"}, "by='size' is not valid. Choose one of index, difference, surprise"),
        ({"side": "left"}, "side='left' is not valid. Choose one of both, over, under"),
        ({"limit": 0}, "from 1; got 0"),
        ({"min_sample": "30"}, "min_sample must be a number of respondents from 0; got '30'"),
        ({"min_base": None}, "min_base must be a number of respondents from 0; got None"),
        ({"limit": 2.5}, "from 1; got 2.5"),
    ],
)
def test_what_cannot_be_ranked_says_so(more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        profile().ranked(**more)


def test_standouts_are_tested_all_together_and_named_by_question_and_answer() -> None:
    found = profile().standouts()
    assert found["datapoint_label"].tolist() == ["Coffee", "Tea", "Cat"]
    assert found["question_label"].tolist() == ["Drinks", "Drinks", "Pets"]
    assert found["statement"][1].startswith("Drinks – Coffee: 25.0% of Fans, 56.3% of the rest")
    assert "row" not in found
    assert "Benjamini-Hochberg over the table" in found.attrs["method_note"]
    alone = profile().to_crosstab(min_sample=30, min_base=30).standouts()
    assert found["p_adjusted"].tolist() == alone["p_adjusted"].tolist()
    wider = profile().standouts(design=4)
    assert wider["p"][1] > found["p"][1]


def test_questions_are_summed_up_the_furthest_first_and_those_without_figures_last() -> None:
    frame = profile().by_question()
    assert frame.to_dict("records")[:2] == [
        {
            "question": "q1",
            "question_label": "Drinks",
            "answers": 2,
            "largest_difference": -25.0,
            "datapoint": "q1_2",
            "datapoint_label": "Coffee",
            "mean_difference": 22.5,
        },
        {
            "question": "q2",
            "question_label": "Pets",
            "answers": 2,
            "largest_difference": 5.0,
            "datapoint": "q2_1",
            "datapoint_label": "Cat",
            "mean_difference": pytest.approx(3.5),
        },
    ]
    assert frame["question"].tolist() == ["q1", "q2", "q4"]
    assert np.isnan(frame["largest_difference"].iloc[-1])
    assert profile().by_question(own=True)["question"].tolist() == ["q3", "q1", "q2", "q4"]


def test_as_a_crosstab_rows_say_question_and_answer() -> None:
    whole = profile().to_crosstab(own=True)
    assert [row.name for row in whole.rows][:2] == ["Drinks – Tea", "Drinks – Coffee"]
    assert whole.values("index")[0, 0] == 150
    kept = profile().to_crosstab(min_sample=30)
    assert len(kept.rows) == 3
    assert kept.provenance["survey"] == "by hand"


def test_what_is_still_coming_shows_what_has_arrived() -> None:
    begun = profile(arrived=2)
    assert not begun.complete
    assert (
        repr(begun)
        == "<ProfileResult Fans: 2 of 6 answers to 4 questions, wave: Q1 2024, weighted>"
    )
    assert begun.to_frame()["datapoint_label"].tolist() == ["Tea", "Coffee"]
    assert begun.by_question()["question"].tolist() == ["q1"]
    assert len(begun.ranked()) == 2
    nothing = profile(arrived=0)
    assert tuple(nothing.to_frame().columns) == PROFILE_COLUMNS
    assert "No answer has enough respondents" in nothing._repr_html_()
    unbegun = ProfileResult((), CrosstabResult((), (Audience("Fans", id="fans"),)))
    assert len(unbegun.to_frame()) == len(unbegun.by_question()) == 0
    assert not unbegun.complete
    assert "no answers yet" in unbegun._repr_html_()


def test_the_table_of_a_notebook_shows_both_sides_escaped() -> None:
    shown = profile()._repr_html_()
    assert "Over-represented" in shown
    assert "Under-represented" in shown
    assert "Source: by hand" in shown
    hostile = profile([ProfilePoint("q1", HOSTILE, "q1_1", HOSTILE)], [400.0], [120.0])
    assert "<script" not in hostile._repr_html_()
    assert Reader(shown).open == []
    assert "fewer than 100 respondents" not in shown


def test_figures_of_few_respondents_are_marked_there() -> None:
    few = profile(both=[40.0, 20.0, 12.0, 1.0, 80.0, 0.0], members=80.0)
    shown = Reader(few._repr_html_()).text
    assert "50.0%*" in shown
    assert "125*" in shown
    assert "* fewer than 100 respondents" in shown
