"""Means, deviations and medians against statsmodels and R, on the masculinity survey.

How masculine 1,615 men feel, from 4 ("very") to 1 ("not at all"), by age; fourteen gave no answer.

    d <- read.csv("raw-responses.csv", fileEncoding = "latin1")
    d$x <- c("Very masculine" = 4, "Somewhat masculine" = 3, "Not very masculine" = 2,
             "Not at all masculine" = 1)[d$q0001]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from audiencelab import Audience, Client, Q, StatsResult, connect
from audiencelab.survey import Survey
from tests.oracle.asking import Asker

AGES = ("18 - 34", "35 - 64", "65 and up")
SCALE = {
    "Very masculine": 4.0,
    "Somewhat masculine": 3.0,
    "Not very masculine": 2.0,
    "Not at all masculine": 1.0,
}

# statsmodels 0.15: DescrStatsW(x, weights=w) for each age: .nobs of x, .mean, .std,
# .quantile([0.5]); R's svyby(~x, ~age3, design, svymean) has the same means to its last digit.
RESPONDENTS = (133, 846, 622)
MEANS = (2.953165230711308, 3.282326263771368, 3.190317200051823)
DEVIATIONS = (0.9142526451404743, 0.723968856995803, 0.7599836590426461)
MEDIANS = (3.0, 3.0, 3.0)

# R: svyby(~x, ~age3, svydesign(ids = ~1, weights = ~weight, data = subset(d, !is.na(x))), svymean)
STANDARD_ERRORS = (0.1026331412216, 0.0421828176159, 0.0522942130949)

# n * sum(w^2) / sum(w)^2 of those who answered
KISH = (133 / 85.59978873616527, 846 / 345.1293163871229, 622 / 273.0351020291115)


@pytest.fixture(scope="module")
def client(masculinity_survey: Survey) -> Iterator[Client]:
    with connect(survey=masculinity_survey) as client:
        yield client


@pytest.fixture(scope="module")
def by_age(client: Client, masculinity_survey: Survey) -> StatsResult:
    survey = Asker(masculinity_survey)
    ages = survey.survey.catalogue.question("age3")
    audiences = [
        Audience(name, Q("age3").any(survey.datapoint(ages, name)), id=name) for name in AGES
    ]
    return client.stats("q0001", audiences=audiences)


def test_means_deviations_and_medians_are_those_of_statsmodels(by_age: StatsResult) -> None:
    frame = by_age.averages(SCALE)
    assert frame["audience_name"].tolist() == list(AGES)
    assert frame["answered_sample"].tolist() == list(RESPONDENTS)
    assert frame["mean"].tolist() == pytest.approx(MEANS, rel=1e-9)
    # statsmodels divides by the weights; R's svyvar by (n - 1) ÷ n of them.
    wanted = [each * (n / (n - 1)) ** 0.5 for each, n in zip(DEVIATIONS, RESPONDENTS, strict=True)]
    assert frame["standard_deviation"].tolist() == pytest.approx(wanted, rel=1e-9)
    assert frame["median"].tolist() == list(MEDIANS)


def test_kishs_design_effect_brings_the_standard_error_near_rs(by_age: StatsResult) -> None:
    """R's is of these answers, Kish's of the weights alone: it comes within an eighth."""
    plain = by_age.averages(SCALE, design=1.0)["standard_error"]
    for place, (effect, expected) in enumerate(zip(KISH, STANDARD_ERRORS, strict=True)):
        found = by_age.averages(SCALE, design=effect)["standard_error"][place]
        assert found == pytest.approx(expected, rel=0.125)
        assert plain[place] < 0.8 * expected


# statsmodels: CompareMeans(one, other).ttest_ind(usevar="unequal"), then "pooled", of each pair;
# one and other are DescrStatsW(x, weights=w), with weights that add up to the effective base.
# t, p, degrees of freedom.
T_TESTS = {
    "Welch": (
        (-3.082442197861014, 0.0025846930871727654, 112.03845004883637),
        (-2.1645932535560526, 0.03234889112442156, 123.09831941851128),
        (1.5237324139676338, 0.128129857516534, 570.3160189849432),
    ),
    "Student": (
        (-3.552581780129976, 0.00042381133494697306, 428.72910512328815),
        (-2.3878421562226686, 0.017467558245902657, 356.63489076527674),
        (1.5324602907419362, 0.12592214185626513, 616.1644184162344),
    ),
}


@pytest.mark.parametrize("test", T_TESTS)
def test_t_tests_on_effective_bases_are_those_of_statsmodels(
    by_age: StatsResult, test: str
) -> None:
    frame = by_age.test(midpoints=SCALE, pooled=test == "Student", design=list(KISH)).to_frame()
    found = frame[["z", "p", "degrees_of_freedom"]].to_numpy().tolist()
    for line, expected in zip(found, T_TESTS[test], strict=True):
        assert line == pytest.approx(expected, rel=1e-8)


# R, without weights: t.test(x ~ age3, data = subset(d, age3 != "65 and up")), and once more with
# var.equal = TRUE: t, degrees of freedom, p.
R_T_TEST = {
    "Welch": (-2.5249941369330489, 158.1403767311679474, 0.0125549613355319),
    "Student": (-3.02488060815068271, 977.0, 0.00255237132183033),
}


@pytest.mark.parametrize("test", R_T_TEST)
def test_t_tests_without_weights_are_those_of_r(by_age: StatsResult, test: str) -> None:
    unweighted = as_counts(by_age)
    frame = unweighted.test(midpoints=SCALE, pooled=test == "Student").to_frame()
    first = frame.iloc[0][["z", "degrees_of_freedom", "p"]].tolist()
    assert first == pytest.approx(R_T_TEST[test], rel=1e-9)


# R: svyttest(x ~ age3, subset(design, age3 != "65 and up")): t = 2.9664, df = 977, p = 0.003087
def test_a_design_based_t_test_is_an_option(by_age: StatsResult) -> None:
    """With the design effects of these means: n ÷ (deviation² ÷ standard error² + 1)."""
    effects = [
        respondents / ((deviation / error) ** 2 + 1)
        for respondents, deviation, error in zip(
            RESPONDENTS, DEVIATIONS, STANDARD_ERRORS, strict=True
        )
    ]
    comparison = by_age.test(midpoints=SCALE, design=effects, degrees_of_freedom=977)
    first = comparison.to_frame().iloc[0]
    assert round(first["z"], 4) == -2.9664
    assert round(first["p"], 6) == 0.003087
    assert comparison.method_note.startswith("Two-sided t test (977 degrees of freedom) of means")


def as_counts(weighted: StatsResult) -> StatsResult:
    """The same respondents, each of them one of the people."""
    rows: list[Any] = []
    for row in weighted.rows:
        own = row.metrics
        counts = {
            name.replace("sample", "size"): getattr(own, name)
            for name in ("positive_sample", "audience_sample", "datapoint_sample")
        }
        share = 100 * own.positive_sample / own.audience_sample
        base = 100 * own.datapoint_sample / 1_615
        metrics = msgspec.structs.replace(
            own, **counts, audience_percentage=share, audience_index=100 * share / base
        )
        rows.append(msgspec.structs.replace(row, metrics=metrics))
    return replace(weighted, rows=tuple(rows))
