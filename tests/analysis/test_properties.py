"""Laws that hold for every survey, from respondents through the service to letters.

Small random surveys, each a survey on disk: a question of one answer, one of several, and two that
make columns. What is done to the respondents (weighted otherwise, doubled, reordered) or to the
question (rows and columns in another order) has to come out in the figures, and nothing else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from audiencelab import Audience, Client, Q, connect
from audiencelab.analysis.marks import column_letters
from audiencelab.schema import Datapoint
from audiencelab.survey import SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from audiencelab.tables import CrosstabResult

WAVE = SurveyWave("w1", "Wave 1", date(2024, 1, 1), date(2024, 3, 31))
DRINKS, GROUPS = 4, 3


@dataclass(frozen=True)
class Respondents:
    """Weight, drink (one of four), brands (any of three), group (one of three) and half of each."""

    weights: NDArray[np.float64]
    drink: NDArray[np.intp]
    brands: NDArray[np.bool_]
    group: NDArray[np.intp]
    half: NDArray[np.intp]

    def taken(self, places: NDArray[np.intp]) -> Respondents:
        fields = (self.weights, self.drink, self.brands, self.group, self.half)
        return Respondents(*(each[places] for each in fields))


@st.composite
def surveys(draw: st.DrawFn) -> Respondents:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(150, 700))
    group = random.integers(0, GROUPS, count)
    tastes = random.dirichlet(np.ones(DRINKS), GROUPS)
    # Eighths, as a survey keeps them to the last digit.
    weights = random.integers(1, 40, count) / 8
    drink = np.array([random.choice(DRINKS, p=tastes[each]) for each in group])
    brands = random.random((count, 3)) < 0.4
    return Respondents(weights, drink, brands, group, np.zeros(count, dtype=np.intp))


few = settings(max_examples=12)  # each of them writes a survey or two


@contextmanager
def asking(people: Respondents) -> Iterator[Client]:
    questions = (
        question("drink", "single", DRINKS),
        question("brands", "multiple", 3),
        question("group", "single", GROUPS),
        question("half", "single", 2),
    )
    with tempfile.TemporaryDirectory() as folder:
        catalogue = SurveyCatalogue(questions=questions, location_question="core.half")
        with SurveyBuilder(Path(folder) / "survey", catalogue) as builder:
            answers = {each.code: getattr(people, each.code) for each in questions}
            builder.add_wave(WAVE, people.weights, answers)
            survey = builder.finish()
        with connect(survey=survey) as client:
            yield client


def question(code: str, kind: str, points: int) -> SurveyQuestion:
    datapoints = [Datapoint(f"{code}_{place}", f"{code} {place}") for place in range(points)]
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=tuple(datapoints)
    )


def audiences(code: str, points: int) -> list[Audience]:
    return [
        Audience(f"{code} {place}", Q(code).any(f"{code}_{place}"), id=f"{code}-{place}")
        for place in range(points)
    ]


ROWS = [*audiences("drink", DRINKS), *audiences("brands", 3)]
COLUMNS = audiences("group", GROUPS)


def table(client: Client, rows: Any = ROWS, columns: Any = COLUMNS) -> CrosstabResult:
    return client.crosstab(rows=rows, columns=columns)


def counted(people: Respondents, rows: Any = ROWS, columns: Any = COLUMNS) -> CrosstabResult:
    with asking(people) as client:
        return table(client, rows, columns)


def effects(people: Respondents) -> list[float]:
    """Kish's design effect of each group."""
    of_group = [people.weights[people.group == place] for place in range(GROUPS)]
    return [len(w) * (w**2).sum() / w.sum() ** 2 for w in of_group]


# ---- percentages ----


@few
@given(surveys())
def test_the_answers_of_a_question_of_one_answer_are_100_percent(people: Respondents) -> None:
    result = counted(people)
    drinks = result.values("column_percentage")[:DRINKS]
    assert drinks.sum(axis=0) == pytest.approx(100)
    assert result.values("row_base_percentage")[:DRINKS, 0].sum() == pytest.approx(100)
    # Groups are everyone once, so each row is 100% across them.
    assert result.values("row_percentage").sum(axis=1) == pytest.approx(100)
    # An index is 100 on the average of the base.
    shares = result.values("column_base_percentage") / 100
    assert (shares * result.values("index")).sum(axis=1) == pytest.approx(100)


@few
@given(surveys())
def test_a_net_is_as_large_as_its_largest_answer_and_no_larger_than_their_sum(
    people: Respondents,
) -> None:
    net = Audience("Any brand", Q("brands").any("brands_0", "brands_1", "brands_2"))
    both = Audience("Two drinks", Q("drink").any("drink_0", "drink_1"))
    result = counted(people, [*ROWS, net, both])
    shares, counts = result.values("column_percentage"), result.values("sample")
    drinks, brands = slice(0, 2), slice(DRINKS, DRINKS + 3)
    for figures in (shares, counts):
        any_brand, two_drinks = figures[-2], figures[-1]
        assert (any_brand >= figures[brands].max(axis=0) - 1e-9).all()
        assert (any_brand <= figures[brands].sum(axis=0) + 1e-9).all()
        # Answers that nobody gives together: the net is their sum.
        assert two_drinks == pytest.approx(figures[drinks].sum(axis=0))
    assert (shares <= 100 + 1e-9).all()


# ---- weights ----

FIGURES = ("column_percentage", "row_percentage", "percentage", "index", "sample", "base_sample")


@few
@given(surveys(), st.sampled_from([1 / 8, 4.0, 1000.0]), st.booleans())
def test_the_scale_of_weights_changes_sizes_and_nothing_else(
    people: Respondents, scale: float, effective: bool
) -> None:
    one, other = counted(people), counted(replace(people, weights=people.weights * scale))
    for name in FIGURES:
        assert other.values(name) == pytest.approx(one.values(name)), name
    for name in ("size", "row_size", "column_size", "base_size"):
        assert other.values(name) == pytest.approx(scale * one.values(name)), name
    options: Any = {"design": effects(people)} if effective else {}
    same(one.test(**options), other.test(**options))
    same(one.test(vs="rest", **options), other.test(vs="rest", **options))
    margins = [each.intervals(**options).filter(regex="_(se|low|high)$") for each in (one, other)]
    pd.testing.assert_frame_equal(*margins)
    found, again = one.standouts(**options), other.standouts(**options)
    assert found["statement"].tolist() == again["statement"].tolist()


def same(one: Any, other: Any) -> None:
    assert other.marks().tolist() == one.marks().tolist()
    assert other.method_note == one.method_note
    names = ["difference", "standard_error", "z", "p", "p_adjusted", "level", "note"]
    pd.testing.assert_frame_equal(other.to_frame()[names], one.to_frame()[names], rtol=1e-6)


@few
@given(surveys(), st.booleans())
def test_two_equal_halves_have_the_share_of_either_and_are_surer_by_the_root_of_two(
    people: Respondents, effective: bool
) -> None:
    """Everyone twice, in one half and in the other."""
    halves = [replace(people, half=np.full_like(people.half, place)) for place in (0, 1)]
    both = np.arange(2 * len(people.weights)) % len(people.weights)
    whole = replace(people.taken(both), half=np.concatenate([halves[0].half, halves[1].half]))
    options: Any = {"design": effects(people) if effective else None}
    one = counted(people)
    with asking(whole) as client:
        result = table(client)
        apart = table(client, columns=audiences("half", 2))
    for name in ("column_percentage", "row_percentage", "percentage", "index"):
        # A drink that nobody took has no index, in one half as in both.
        assert result.values(name) == pytest.approx(one.values(name), nan_ok=True)
    for name in ("sample", "size", "column_sample", "column_size"):
        assert result.values(name) == pytest.approx(2 * one.values(name))
    # The halves do not differ from each other …
    assert not apart.test().marks().any()
    assert apart.test().to_frame()["difference"].abs().max() < 1e-9
    # … and together they are as sure as twice as many.
    single, double = (each.test(min_base=0, **options).to_frame() for each in (one, result))
    assert (double["standard_error"] * 2**0.5).tolist() == pytest.approx(
        single["standard_error"].tolist(), nan_ok=True
    )
    assert double["z"].tolist() == pytest.approx((2**0.5 * single["z"]).tolist(), nan_ok=True)
    # An index has the variance of n - 1 degrees of freedom, in halves and whole; that of a row of
    # which all are in the column follows from the column alone, by another approximation.
    both_vary = one.values("row_percentage").ravel() < 100
    once, twice = (
        each.intervals(**options)["index_se"][both_vary] * (1 - 1 / each.base_sample) ** 0.5
        for each in (one, result)
    )
    assert once.tolist() == pytest.approx((2**0.5 * twice).tolist(), nan_ok=True)


# ---- order ----


@few
@given(surveys(), st.permutations(range(len(ROWS))), st.permutations(range(GROUPS)), st.data())
def test_the_order_of_rows_columns_and_respondents_changes_the_order_alone(
    people: Respondents, rows: list[int], columns: list[int], data: st.DataObject
) -> None:
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(people.weights))
    forth = counted(people)
    back = counted(
        people.taken(order), [ROWS[place] for place in rows], [COLUMNS[place] for place in columns]
    )
    for name in (*FIGURES, "size", "column_size"):
        assert back.values(name) == pytest.approx(forth.values(name)[np.ix_(rows, columns)])
    effect = effects(people)
    options: Any = {"correction": "holm", "design": effect}
    moved = options | {"design": [effect[place] for place in columns]}
    one, other = forth.test(vs="rest", **options), back.test(vs="rest", **moved)
    assert other.marks().tolist() == one.marks()[np.ix_(rows, columns)].tolist()
    assert letters(back.test(**moved)) == letters(forth.test(**options))
    assert set(back.standouts(99)["statement"]) == set(forth.standouts(99)["statement"])


def letters(comparison: Any) -> set[tuple[str, str, str, bool]]:
    """Row, column with the larger share, the smaller one, and whether at the stricter level."""
    table, names = comparison.table, dict(zip(column_letters(comparison), COLUMNS, strict=True))
    by_letter = dict(zip(names, table.columns.names, strict=True))
    return {
        (row, column, by_letter[mark.upper()], mark.isupper())
        for row, marks in zip(table.rows.names, comparison.marks().tolist(), strict=True)
        for column, cell in zip(table.columns.names, marks, strict=True)
        for mark in cell.split()
    }


@few
@given(surveys(), st.sampled_from(["none", "bonferroni", "holm", "fdr"]), st.booleans())
def test_a_letter_points_from_the_larger_share_to_the_smaller_and_never_back(
    people: Respondents, correction: Any, pooled: bool
) -> None:
    result = counted(people)
    comparison = result.test(correction=correction, pooled=pooled)
    share = {
        (row.name, column.name): result.values("column_percentage")[down, across]
        for down, row in enumerate(ROWS)
        for across, column in enumerate(COLUMNS)
    }
    found = letters(comparison)
    for row, larger, smaller, _ in found:
        assert share[row, larger] > share[row, smaller]
        assert not any((row, smaller, larger, strict) in found for strict in (True, False))
    assert len(found) == comparison.to_frame()["level"].notna().sum()


@few
@given(surveys())
def test_of_two_columns_that_are_everyone_one_is_as_far_above_as_the_other_is_below(
    people: Respondents,
) -> None:
    columns = [COLUMNS[0], Audience("Others", ~Q("group").any("group_0"))]
    comparison = counted(people, columns=columns).test(vs="rest")
    frame = comparison.to_frame()
    one, other = frame[frame["column"] == "group 0"], frame[frame["column"] == "Others"]
    assert one["z"].tolist() == pytest.approx((-other["z"]).tolist(), nan_ok=True)
    assert one["p"].tolist() == pytest.approx(other["p"].tolist(), nan_ok=True)
    turned = str.maketrans("▲▼△▽", "▼▲▽△")
    marks = comparison.marks().tolist()
    assert [above.translate(turned) for above, _ in marks] == [below for _, below in marks]
    # And it is the test of the one column against the other.
    pair = counted(people, columns=columns).test().to_frame()
    assert one["z"].tolist() == pytest.approx(pair["z"].tolist(), nan_ok=True)
