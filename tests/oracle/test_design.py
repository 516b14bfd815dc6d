"""Design effects from respondents against R's `survey` 4.1: nothing is given but the data.

Two surveys: the masculinity survey, which has weights alone; and the sample of the Household Pulse
Survey in tests/data, drawn in four ways. `design.R` describes them and computed `design.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from audiencelab import Audience, Client, Q, connect
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from audiencelab.tables import CrosstabResult
from tests.oracle.asking import Asker
from tests.oracle.design import read_weeks
from tests.surveys.hps import WAVES

COLUMNS = ("south", "west", "young", "hispanic")


class Drawn(NamedTuple):
    """R's figures for one way of drawing, in the order of the columns where there are several.

    freedom: degrees of freedom of the design; column_freedom: of each column. errors: standard
        errors of the share in each column.
    young_hispanic, south_young, young_rest: of differences between columns; p: of the first, with
    the degrees of freedom of these two columns.
    log_index: of the logarithm of the index of young and of south.
    women: young women among women, as a base; women_freedom: of each column within them. weeks: of
    each week; last: p of the last week against the one before. young: ends of the logit interval.
    """

    freedom: int
    column_freedom: tuple[float, ...]
    errors: tuple[float, ...]
    young_hispanic: float
    p: float
    south_young: float
    young_rest: float
    log_index: tuple[float, float]
    women: float
    women_freedom: tuple[float, ...]
    weeks: tuple[float, ...]
    last: float
    young: tuple[float, float]


FIGURES = json.loads(Path(__file__).with_name("design.json").read_text("utf-8"))
WEST_WITH_CERTAINTY = FIGURES.pop("west_with_certainty")
R = {name: Drawn(**figures) for name, figures in FIGURES.items()}


@pytest.fixture(scope="module")
def people() -> list[pd.DataFrame]:
    """The respondents, by week."""
    return read_weeks()


@pytest.fixture(scope="module", params=R)
def drawn(
    request: pytest.FixtureRequest,
    people: list[pd.DataFrame],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Client, Drawn]]:
    folder = tmp_path_factory.mktemp("drawn") / request.param
    catalogue = SurveyCatalogue(
        questions=tuple(map(_question, QUESTIONS)), location_question="core.where"
    )
    with SurveyBuilder(folder, catalogue) as builder:
        for week, (code, name, _, starts, ends) in zip(people, WAVES, strict=True):
            wave = SurveyWave(
                code, name, date.fromisoformat(starts), date.fromisoformat(ends), True
            )
            answers = {
                "where": Answers(week["REGION"].to_numpy() - 1),
                "flags": Answers(_flags(week)),
            }
            weights = week["PWEIGHT"].to_numpy()
            builder.add_wave(wave, weights, answers, _design(week, request.param))
        survey = builder.finish()
    with connect(survey=survey) as client:
        yield client, R[request.param]


QUESTIONS = {
    "where": ("single", ("Northeast", "South", "Midwest", "West")),
    "flags": ("multiple", ("y", *COLUMNS, "women")),
}


def _question(code: str) -> SurveyQuestion:
    kind, names = QUESTIONS[code]
    points = tuple(Datapoint(code=f"{code}_{name.lower()}", name=name) for name in names)
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


def _flags(week: pd.DataFrame) -> np.ndarray:
    return np.stack(
        [
            week["EXPNS_DIF"] == 4,
            week["REGION"] == 2,
            week["REGION"] == 4,
            week["TBIRTH_YEAR"] >= 1988,
            week["RHISPANIC"] == 2,
            week["EGENID_BIRTH"] == 2,
        ],
        axis=1,
    )


def _design(week: pd.DataFrame, drawn: str) -> Design:
    state = week["EST_ST"].to_numpy()
    within = np.where(state == 56, 0, np.arange(len(week)) * 7919 % 101 % 6)
    return Design(
        strata=state if drawn in ("strata", "both") else None,
        clusters=10 * state + within if drawn in ("clusters", "both") else None,
    )


def flag(name: str) -> Audience:
    return Audience(name, Q("flags").any(f"flags_{name}"))


def table(client: Client, base: Audience | None = None) -> CrosstabResult:
    return client.crosstab(
        rows=[flag("y")], columns=[flag(name) for name in COLUMNS], base_audience=base
    )


def freedom_of(effects: DesignEffects) -> list[float]:
    """Degrees of freedom of each column."""
    linearised = effects.precision.linearised
    assert linearised is not None
    return linearised.freedom[0].tolist()


def test_standard_errors_and_degrees_of_freedom_are_rs(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    effects = client.design_effects(table(client))
    assert freedom_of(effects) == list(expected.column_freedom)
    assert effects.standard_errors[0] / 100 == pytest.approx(expected.errors, rel=1e-7)


def test_intervals_are_those_of_svyciprop(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    frame = result.intervals(method="logit", design=client.design_effects(result))
    young = frame.iloc[COLUMNS.index("young")]
    ends = [young[f"column_percentage_{end}"] / 100 for end in ("low", "high")]
    assert ends == pytest.approx(expected.young, rel=1e-7)
    assert frame["column_percentage_se"].to_numpy() / 100 == pytest.approx(
        expected.errors, rel=1e-7
    )


def test_indices_have_the_error_of_svycontrast(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    frame = result.intervals(design=client.design_effects(result))
    errors = (frame["index_se"] / frame["index"]).to_numpy()
    assert (errors[2], errors[0]) == pytest.approx(expected.log_index, rel=1e-7)


def test_columns_that_share_respondents_and_clusters_differ_as_in_r(
    drawn: tuple[Client, Drawn],
) -> None:
    client, expected = drawn
    result = table(client)
    comparison = result.test(design=client.design_effects(result), pooled=False)
    tests = comparison.to_frame().set_index(["column", "other"])
    both = tests.loc[("young", "hispanic")]
    assert both["standard_error"] / 100 == pytest.approx(expected.young_hispanic, rel=1e-7)
    assert both["p"] == pytest.approx(expected.p, rel=1e-6)
    assert tests.loc[("south", "young")]["standard_error"] / 100 == pytest.approx(
        expected.south_young, rel=1e-7
    )
    both = r"respondents( and clusters)? in both columns accounted for"
    assert re.search(both, comparison.method_note)


def test_a_column_differs_from_its_rest_as_in_r(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    comparison = result.test(vs="rest", design=client.design_effects(result), pooled=False)
    young = comparison.to_frame().set_index("column").loc["young"]
    assert young["standard_error"] / 100 == pytest.approx(expected.young_rest, rel=1e-7)


def test_a_base_is_a_part_of_the_sample_and_not_a_sample(drawn: tuple[Client, Drawn]) -> None:
    """All clusters count in a variance; in its degrees of freedom those with somebody inside."""
    client, expected = drawn
    effects = client.design_effects(table(client, base=flag("women")))
    assert effects.standard_errors[0, 2] / 100 == pytest.approx(expected.women, rel=1e-7)
    assert freedom_of(effects) == list(expected.women_freedom)


def test_waves_have_their_own_errors_and_differ_as_in_r(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    trend = client.stats("flags", datapoints=["flags_y"], splitter="waves")
    effects = client.design_effects(trend)
    frame = trend.intervals(design=effects)
    errors = frame["column_percentage_se"].to_numpy() / 100
    assert errors == pytest.approx(expected.weeks, rel=1e-7)
    waves = trend.test(
        vs="previous wave", design=effects, degrees_of_freedom=expected.freedom, pooled=False
    )
    assert waves.to_frame()["p"].iloc[-1] == pytest.approx(expected.last, rel=1e-6)


@pytest.mark.parametrize("drawn", ["both"], indirect=True)
def test_a_lonely_cluster_may_be_taken_for_certain(drawn: tuple[Client, Drawn]) -> None:
    client, _ = drawn
    result = table(client)
    effects = client.design_effects(result, lonely="certainty")
    assert effects.standard_errors[0, 1] / 100 == pytest.approx(WEST_WITH_CERTAINTY, rel=1e-7)
    assert "4 of 204 strata have one cluster (taken for certain)" in effects.method_note


class TestMasculinity:
    """R's figures of `tests/oracle/test_significance.py`, from data alone."""

    ERRORS = (0.0476757442832, 0.0267878335530, 0.0282244270088)
    LOG_INDEX_ERRORS = (0.131721987194, 0.0489467128814, 0.0821613699689)

    # summary(svyglm(y ~ age3, design)): of 1,612 degrees of freedom, for it has three terms
    P = 0.0228496014491
    # 2 * pt(-abs(t), degf(subset(design, age3 != "65 and up"))), with its t
    P_OF_THE_PAIR = 0.0229322688041

    # tapply(d$weight, d$age3, function(w) sum(w)^2 / sum(w^2))
    KISH = (85.5997887362, 349.5263711148, 275.0362766259)

    @pytest.fixture
    def client(self, masculinity_survey: Survey) -> Iterator[Client]:
        with connect(survey=masculinity_survey) as client:
            yield client

    @pytest.fixture
    def result(self, client: Client, masculinity_survey: Survey) -> CrosstabResult:
        asker = Asker(masculinity_survey)
        question = masculinity_survey.catalogue.question

        def audience(code: str, name: str) -> Audience:
            return Audience(name, Q(code).any(asker.datapoint(question(code), name)))

        ages = [audience("age3", name) for name in ("18 - 34", "35 - 64", "65 and up")]
        return client.crosstab(rows=[audience("q0001", "Very masculine")], columns=ages)

    def test_errors_of_shares_and_indices(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result)
        assert effects.standard_errors[0] / 100 == pytest.approx(self.ERRORS, rel=1e-8)
        frame = result.intervals(design=effects)
        assert (frame["index_se"] / frame["index"]).tolist() == pytest.approx(
            self.LOG_INDEX_ERRORS, rel=1e-8
        )

    def test_the_design_based_t_test(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result)
        assert freedom_of(effects) == [132, 854, 626]
        first = result.test(design=effects, pooled=False).to_frame().iloc[0]
        assert first["degrees_of_freedom"] == 987
        assert first["p"] == pytest.approx(self.P_OF_THE_PAIR, rel=1e-9)
        as_svyglm = result.test(design=effects, degrees_of_freedom=1612, pooled=False)
        assert as_svyglm.to_frame().iloc[0]["p"] == pytest.approx(self.P, rel=1e-9)

    def test_kishs_effective_bases(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result, method="kish")
        assert effects.to_frame()["base"].tolist() == pytest.approx(self.KISH, rel=1e-8)
        assert effects.degrees_of_freedom is None
