"""Means, deviations and medians against statsmodels and R, on the masculinity survey.

How masculine 1,615 men feel, from 4 ("very") to 1 ("not at all"), by age; fourteen gave no answer.

    d <- read.csv("raw-responses.csv", fileEncoding = "latin1")
    d$x <- c("Very masculine" = 4, "Somewhat masculine" = 3, "Not very masculine" = 2,
             "Not at all masculine" = 1)[d$q0001]
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from audiencelab import Audience, Client, Q, StatsResult, connect
from audiencelab.panel import Panel
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


@pytest.fixture(scope="module")
def client(masculinity_panel: Panel) -> Iterator[Client]:
    with connect(panel=masculinity_panel) as client:
        yield client


@pytest.fixture(scope="module")
def by_age(client: Client, masculinity_panel: Panel) -> StatsResult:
    survey = Asker(masculinity_panel)
    ages = survey.panel.catalogue.question("age3")
    audiences = [
        Audience(name, Q("age3").any(survey.datapoint(ages, name)), id=name) for name in AGES
    ]
    return client.stats("q0001", audiences=audiences)


def test_means_deviations_and_medians_are_those_of_statsmodels(by_age: StatsResult) -> None:
    frame = by_age.averages(SCALE)
    assert frame["audience_name"].tolist() == list(AGES)
    assert frame["answered_sample"].tolist() == list(RESPONDENTS)
    assert frame["mean"].tolist() == pytest.approx(MEANS, rel=1e-9)
    assert frame["standard_deviation"].tolist() == pytest.approx(DEVIATIONS, rel=1e-9)
    assert frame["median"].tolist() == list(MEDIANS)


def test_kishs_design_effect_brings_the_standard_error_near_rs(by_age: StatsResult) -> None:
    """R's is of these answers, Kish's of the weights alone: it comes within an eighth."""
    # n * sum(w^2) / sum(w)^2 of those who answered. Without it a quarter or more is missing.
    kish = (133 / 85.59978873616527, 846 / 345.1293163871229, 622 / 273.0351020291115)
    plain = by_age.averages(SCALE)["standard_error"]
    for place, (effect, expected) in enumerate(zip(kish, STANDARD_ERRORS, strict=True)):
        found = by_age.averages(SCALE, design_effect=effect)["standard_error"][place]
        assert found == pytest.approx(expected, rel=0.125)
        assert plain[place] < 0.8 * expected
