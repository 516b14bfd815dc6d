"""Averages compared: means with letters, of those who gave an answer that has a midpoint."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from audiencelab import Audience, Q, connect
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.marks import column_letters, legend
from audiencelab.schema import StatsRow
from audiencelab.tables import StatsResult
from tests.messages import fails
from tests.render.html_reader import Reader
from tests.results.samples import crosstab, metrics, row, stats

POINTS = {"q1_1": 1.0, "q1_2": 2.0, "q1_3": 3.0}


def result(*columns: tuple[int, int, int], people: float = 10.0, **more: Any) -> StatsResult:
    """How many of each audience gave each of three answers; everyone gave one."""
    rows: list[StatsRow] = []
    for place, answers in enumerate(columns):
        rows += [
            row(
                f"q1_{answer}",
                metrics(
                    positive_size=people * count,
                    positive_sample=count,
                    audience_size=people * sum(answers),
                    audience_sample=sum(answers),
                    audience_percentage=100 * count / max(sum(answers), 1),
                    audience_index=100.0,
                    datapoint_size=people * count,
                    datapoint_sample=count,
                ),
                audience=f"a-{place}",
            )
            for answer, count in enumerate(answers, 1)
        ]
    audiences = tuple(
        Audience(name, Q("q9").any(f"q9_{place}"), id=f"a-{place}")
        for place, name in enumerate(("Young", "Middle", "Old")[: len(columns)])
    )
    return stats(*rows, **{"audiences": audiences, **more})


AGES = result((60, 30, 10), (30, 30, 40), (32, 28, 40))


def test_the_larger_mean_carries_the_letter_of_the_smaller() -> None:
    comparison = AGES.test(midpoints=POINTS)
    assert comparison.to_wide().to_numpy().tolist() == [["1.50", "2.10 A", "2.08 A"]]
    assert comparison.to_wide(1).to_numpy().tolist() == [["1.5", "2.1 A", "2.1 A"]]
    assert comparison.to_wide().columns.tolist() == [("Young", "A"), ("Middle", "B"), ("Old", "C")]
    assert legend(comparison).startswith("A letter marks a significantly larger mean")


def test_each_pair_has_a_line_with_means_and_degrees_of_freedom() -> None:
    frame = AGES.test(midpoints=POINTS).to_frame()
    assert frame.columns.tolist() == [
        *("question", "question_label", "column_id", "column", "other_id", "other"),
        *("mean", "other_mean", "difference", "standard_error", "sample", "other_sample"),
        *("base", "other_base", "z", "degrees_of_freedom", "p", "p_adjusted", "level", "note"),
    ]
    first = frame.iloc[0]
    assert (first["column"], first["other"]) == ("Young", "Middle")
    assert (first["mean"], first["other_mean"]) == pytest.approx((1.5, 2.1))
    # Variances of the samples, as textbooks have them: with n - 1.
    variances = [
        np.var(np.repeat([1, 2, 3], counts), ddof=1) for counts in ((60, 30, 10), (30, 30, 40))
    ]
    assert first["standard_error"] == pytest.approx((sum(variances) / 100) ** 0.5)
    assert first["z"] == pytest.approx(first["difference"] / first["standard_error"])
    welch = sum(variances) ** 2 / sum(variance**2 / 99 for variance in variances)
    assert first["degrees_of_freedom"] == pytest.approx(welch)


def test_the_recipe_says_which_test_of_what() -> None:
    assert AGES.test(midpoints=POINTS).method_note == (
        "Two-sided t test (Welch's) of means of midpoints, every pair of columns, unpooled, "
        "unweighted bases (design unknown), no correction, 95% and 90%, bases under 30 "
        "respondents left out, columns taken as different people."
    )
    student = AGES.test(
        midpoints=POINTS, levels=0.99, correction="holm", pooled=True, design=1.4
    ).method_note
    assert student.startswith("Two-sided t test (Student's) of means of midpoints")
    assert "pooled, effective bases (design effect 1.4), Holm within each row, 99%" in student


def test_design_effects_by_name_corrections_nets_and_overlap_are_those_of_columns() -> None:
    effects = {"Young": 1.0, "Middle": 2.0, "Old": 4.0}
    frame = AGES.test(midpoints=POINTS, design=effects).to_frame()
    assert [frame["base"][0], *frame["other_base"][:2]] == [100, 50, 25]
    plain = AGES.test(midpoints=POINTS).to_frame()
    strict = AGES.test(midpoints=POINTS, correction="bonferroni").to_frame()
    assert strict["p_adjusted"].tolist() == np.minimum(3 * plain["p"], 1).tolist()
    without = AGES.test(midpoints=POINTS, nets="Old")
    assert column_letters(without) == ["A", "B", ""]
    assert len(without) == 1
    names = ("Young", "Middle", "Old")
    shared = crosstab(
        names, names, sample=np.eye(3) * 50 + 50, row_sample=100.0, column_sample=100.0
    )
    together = AGES.test(midpoints=POINTS, overlap=shared)
    assert (together.to_frame()["standard_error"] < 0.8 * plain["standard_error"]).all()
    assert "respondents in both columns accounted for" in together.method_note


@pytest.mark.parametrize(
    ("other", "options", "note"),
    [
        ((0, 0, 0), {}, "no answers"),
        ((5, 5, 5), {}, "base under 30"),
        ((0, 1, 0), {"min_base": 0}, "a base of one, which has no spread"),
        ((0, 100, 0), {"design": [1, 100]}, "a base of one, which has no spread"),
    ],
)
def test_what_cannot_be_compared_says_why(
    other: tuple[int, int, int], options: dict[str, Any], note: str
) -> None:
    comparison = result((60, 30, 10), other).test(midpoints=POINTS, **options)
    frame = comparison.to_frame()
    assert frame["note"].tolist() == [note]
    assert frame[["z", "p", "standard_error"]].isna().all(axis=None)
    assert not comparison.marks().any()


def test_columns_of_one_answer_each_have_nothing_to_tell_a_difference_by() -> None:
    """Everybody says 1 here and 2 there: a t test divides by a spread of nothing."""
    apart = result((100, 0, 0), (0, 100, 0)).test(midpoints=POINTS).to_frame()
    assert apart["note"].tolist() == ["no spread on either side"]
    assert apart["p"].isna().all()
    same = result((0, 100, 0), (0, 100, 0)).test(midpoints=POINTS).to_frame()
    assert same["p"].tolist() == [1]


def test_one_column_and_computed_effects_are_refused_in_words() -> None:
    with fails(ValueError):
        result((60, 30, 10)).test(midpoints=POINTS)
    computed = object.__new__(DesignEffects)
    with fails(ValueError):
        AGES.test(midpoints=POINTS, design=computed)


def test_it_is_shown_as_means_and_not_as_percent() -> None:
    text = Reader(AGES.test(midpoints=POINTS)._repr_html_()).text
    assert text.startswith("Crosstab: averages compared|")
    assert "1.50|2.10 |A|" in text
    assert "%|" not in text.partition("Base (n)")[2].partition("A letter")[0]


def test_the_midpoints_of_a_catalogue_compare_the_averages_of_segments() -> None:
    with connect() as client:
        question = next(
            each
            for each in client.catalogue
            if any(point.midpoint is not None for point in each.datapoints)
        )
        by_gender = client.stats(question.code, splitter="q2")
        comparison = by_gender.test(midpoints=question, disjoint=True)
        means = by_gender.averages(question, disjoint=True)["mean"]
    frame = comparison.to_frame()
    assert [frame["mean"][0], frame["other_mean"][0]] == means[:2].tolist()
    assert json.dumps(frame.attrs)


def test_degrees_of_freedom_that_are_given_are_those_of_every_pair() -> None:
    frame = AGES.test(midpoints=POINTS, degrees_of_freedom=10).to_frame()
    welch = AGES.test(midpoints=POINTS).to_frame()
    assert frame["degrees_of_freedom"].tolist() == [10.0] * len(frame)
    assert (frame["p"] > welch["p"]).all()
