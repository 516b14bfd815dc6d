"""Intervals and tests against programs that nobody here wrote.

R's `survey` 4.1 on the masculinity survey, 1,615 men with weights, and statsmodels 0.15 on plain
counts. The recipe stands above each set of figures. Programs that are given one table differ
because their recipes do: each of them is to be had here, by options.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from audiencelab import Audience, Q, connect
from audiencelab.analysis.interval_formulas import share_interval
from audiencelab.analysis.statistics import adjusted, difference_error, two_sided_p
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.survey import Survey
from audiencelab.tables import CrosstabResult
from tests.oracle.asking import Asker

AGES = ("18 - 34", "35 - 64", "65 and up")

# d <- read.csv("raw-responses.csv", fileEncoding="latin1"); d$y <- d$q0001 == "Very masculine"
# svyby(~y, ~age3, svydesign(ids=~1, weights=~weight, data=d), svymean)
STANDARD_ERRORS = (0.0476757442832, 0.0267878335530, 0.0282244270088)

# tapply(d$weight, d$age3, function(w) sum(w)^2 / sum(w^2))
EFFECTIVE_BASES = (85.5997887362, 349.5263711148, 275.0362766259)


@pytest.fixture(scope="module")
def survey(masculinity_survey: Survey) -> Asker:
    return Asker(masculinity_survey)


@pytest.fixture(scope="module")
def very_masculine(survey: Asker) -> CrosstabResult:
    ages = [audience(survey, "age3", name) for name in AGES]
    return crosstab(survey, [audience(survey, "q0001", "Very masculine")], ages)


@pytest.fixture(scope="module")
def unweighted(very_masculine: CrosstabResult) -> CrosstabResult:
    return as_counts(very_masculine)


def as_counts(weighted: CrosstabResult) -> CrosstabResult:
    """The same respondents, each of them one of the people."""
    result = CrosstabResult(weighted.rows, weighted.columns)
    places: Any = tuple(axis.ravel() for axis in np.indices(result.shape))
    figures = cells_of(weighted).figures(*places)
    for name in ("size", "row_size", "column_size", "base_size"):
        sample = name.replace("size", "sample")
        figures[:, FIGURES.index(name)] = figures[:, FIGURES.index(sample)]
    cells_of(result).store(*places, figures)
    return result


def audience(survey: Asker, question: str, name: str) -> Audience:
    code = survey.datapoint(survey.survey.catalogue.question(question), name)
    return Audience(name, Q(question).any(code))


def crosstab(survey: Asker, rows: list[Audience], columns: list[Audience]) -> CrosstabResult:
    with connect(survey=survey.survey) as client:
        return client.crosstab(rows=rows, columns=columns)


def test_standard_errors_are_rs_with_its_design_effects(very_masculine: CrosstabResult) -> None:
    frame = very_masculine.intervals(design=design_effects(very_masculine))
    assert frame["column_percentage_se"].tolist() == pytest.approx(
        [100 * error for error in STANDARD_ERRORS], rel=1e-7
    )


# for (a in ages) svyciprop(~y, subset(design, age3 == a), method=…, df=Inf)
# and once more with df=1614
CIPROP = {
    ("logit", None): [
        (0.208232090593, 0.393580356409),
        (0.365559368508, 0.470192890050),
        (0.317624646660, 0.427849232746),
    ],
    ("logit", 1614): [
        (0.208176211283, 0.393661260553),
        (0.365521778634, 0.470233266428),
        (0.317586092072, 0.427892779867),
    ],
    ("beta", None): [
        (0.201676433530, 0.397011750719),
        (0.363891554585, 0.471456006145),
        (0.315589334031, 0.429168413836),
    ],
}


@pytest.mark.parametrize(("method", "freedom"), CIPROP)
def test_intervals_are_those_of_svyciprop(
    very_masculine: CrosstabResult, method: Any, freedom: float | None
) -> None:
    frame = very_masculine.intervals(
        method=method,
        design=design_effects(very_masculine),
        degrees_of_freedom=freedom,
    )
    ends = frame[["column_percentage_low", "column_percentage_high"]].to_numpy() / 100
    assert ends == pytest.approx(np.array(CIPROP[method, freedom]), abs=2e-8)


@pytest.mark.parametrize(
    ("recipe", "options", "p"),
    [
        ("design-based t: summary(svyglm(y ~ age3, design))", "R", 0.0228496014491),
        ("pooled z on Kish's effective bases", {"pooled": True}, 0.0344),
        ("unpooled z on the same", {"pooled": False}, 0.0255),
        ("pooled, three pairs", {"pooled": True, "correction": "bonferroni"}, 0.103),
    ],
)
def test_each_recipe_that_was_computed_elsewhere_is_an_option(
    very_masculine: CrosstabResult, recipe: str, options: Any, p: float
) -> None:
    """The first column against the second; the figures are those of R and of a second program."""
    if options == "R":
        options = {"design": design_effects(very_masculine), "degrees_of_freedom": 1612}
        options["pooled"] = False
    else:
        samples = very_masculine.column_values("column_sample")
        options = {"design": (samples / EFFECTIVE_BASES).tolist(), **options}
    comparison = very_masculine.test(**options)
    first = comparison.to_frame().iloc[0]
    assert (first["column"], first["other"]) == AGES[:2]
    digits = 10 if p == 0.0228496014491 else 3 if p == 0.103 else 4
    assert round(first["p_adjusted"], digits) == round(p, digits), recipe


# design <- svydesign(ids=~1, weights=~1, data=d), with C <- age3 == a and I <- y & C:
# t <- svytotal(~I+one+y+C, design)
# svycontrast(t, quote(log(I*one/(y*C)))), svycontrast(t, quote(I/C - (y-I)/(one-C))),
# svycontrast(t, quote(I/C - y/one))
LOG_INDEX_ERRORS = (0.116466079492, 0.0302345692568, 0.0388773675838)
REST = (
    (-0.0442452284558, 0.0429388946876),
    (-0.00497076023392, 0.02419602970136),
    (0.0192921113974, 0.0248270456140),
)
BASE_DIFFERENCES = (-0.0406015037594, -0.00233918128655, 0.0118022328549)

# R divides by n - 1 where the textbook's formula has n.
BESSEL = (1615 / 1614) ** 0.5


def test_the_error_of_an_index_is_that_of_the_delta_method(unweighted: CrosstabResult) -> None:
    frame = unweighted.intervals()
    # The sample was weighted, so the index of its counts is not the frame's.
    index = 100 * unweighted.values("size")[0] * unweighted.values("base_size")[0]
    index /= unweighted.values("row_size")[0] * unweighted.values("column_size")[0]
    found = frame["index_se"].to_numpy() / index
    assert found.tolist() == pytest.approx(LOG_INDEX_ERRORS, rel=1e-9)


# The same with weights=~weight: SE of the log index.
WEIGHTED_LOG_INDEX_ERRORS = (0.131721987194, 0.0489467128814, 0.0821613699689)


def test_with_weights_the_error_of_an_index_is_near(very_masculine: CrosstabResult) -> None:
    """The rest of a base has the design effect of the column, for want of its own."""
    samples = very_masculine.column_values("column_sample")
    frame = very_masculine.intervals(design=(samples / EFFECTIVE_BASES).tolist())
    found = frame["index_se"] / frame["index"]
    assert found.tolist() == pytest.approx(WEIGHTED_LOG_INDEX_ERRORS, rel=0.12)


def test_a_column_against_the_rest_is_the_difference_of_two_domains(
    unweighted: CrosstabResult,
) -> None:
    frame = unweighted.test(vs="rest", pooled=False).to_frame()
    found = frame[["difference", "standard_error"]].to_numpy() * [0.01, 0.01 * BESSEL]
    assert found == pytest.approx(np.array(REST), rel=1e-9)


def test_a_column_against_the_base_differs_from_it_by_less_and_as_surely(
    unweighted: CrosstabResult,
) -> None:
    rest = unweighted.test(vs="rest").to_frame()
    base = unweighted.test(vs="total").to_frame()
    assert (base["difference"] / 100).tolist() == pytest.approx(BASE_DIFFERENCES, rel=1e-9)
    assert base["p"].tolist() == pytest.approx(rest["p"].tolist())


# x <- svydesign(ids=~1, weights=~1, data=transform(d, yA=y*A, yB=y*B))
# svycontrast(svytotal(~yA+A+yB+B, x), quote(yA/A - yB/B)), with A <- kids == "Has children"
# and B <- age3 == the age
OVERLAPS = {
    "65 and up": (0.0177011029494, 0.0160758813435),
    "35 - 64": (0.0318425170908, 0.0145314949117),
}


@pytest.mark.parametrize("age", OVERLAPS)
def test_columns_that_share_respondents_hang_together(survey: Asker, age: str) -> None:
    """Of a pair it is known who is in both, not what they say: it is close, and not the same."""
    columns = [audience(survey, "kids", "Has children"), audience(survey, "age3", age)]
    table = as_counts(crosstab(survey, [audience(survey, "q0001", "Very masculine")], columns))
    overlap = as_counts(crosstab(survey, columns, columns))
    difference, error = OVERLAPS[age]
    accounted = table.test(overlap=overlap, pooled=False).to_frame().iloc[0]
    assert accounted["difference"] / 100 == pytest.approx(difference, rel=1e-9)
    assert accounted["standard_error"] / 100 == pytest.approx(error, rel=0.01)
    apart = table.test(pooled=False).to_frame().iloc[0]
    assert apart["standard_error"] / 100 > 1.3 * error


@pytest.mark.parametrize(
    ("first", "second", "pooled_z", "pooled_p", "z", "p"),
    # proportions_ztest([a, c], [b, d]) and
    # test_proportions_2indep(a, b, c, d, compare="diff", method="wald")
    [
        ((39, 133), (356, 855), -2.6968996614471834, 0.006998835561116179,
         -2.868818932570648, 0.004120075853561998),
        ((12, 40), (25, 40), -2.9150986476802294, 0.0035557612986177388,
         -3.0834616235142205, 0.0020460749787080284),
        ((5, 500), (16, 480), -2.521601725805396, 0.011682189221467514,
         -2.502608242754239, 0.012328192091823842),
    ],
)  # fmt: skip
def test_z_tests_are_those_of_statsmodels(
    first: tuple[int, int],
    second: tuple[int, int],
    pooled_z: float,
    pooled_p: float,
    z: float,
    p: float,
) -> None:
    share, base, other, other_base = map(
        np.array, (first[0] / first[1], first[1], second[0] / second[1], second[1])
    )
    for pooled, expected in ((True, (pooled_z, pooled_p)), (False, (z, p))):
        error = difference_error(share, base, other, other_base, pooled=pooled)
        statistic = (share - other) / error
        assert (statistic, two_sided_p(statistic)) == pytest.approx(expected, rel=1e-12)


# proportions_ztest([0, 3], [60, 70])
def test_a_pair_has_the_degrees_of_freedom_of_its_own_respondents(
    unweighted: CrosstabResult,
) -> None:
    plain = unweighted.test(design=None).to_frame()
    compared = unweighted.test(design=None, degrees_of_freedom="pair")
    frame = compared.to_frame()
    freedom = frame["sample"] + frame["other_sample"] - 2
    assert frame["degrees_of_freedom"].tolist() == freedom.tolist()
    assert frame["z"].tolist() == plain["z"].tolist()
    expected = 2 * stats.t.sf(abs(plain["z"]), freedom)
    assert frame["p"].to_numpy() == pytest.approx(expected, rel=1e-9)
    assert f"{freedom.min():,.0f} to {freedom.max():,.0f} degrees" in compared.method_note


def test_at_0_percent_there_is_only_the_pooled_test_of_statsmodels() -> None:
    """Its unpooled one takes 0 of 60 for a certainty (p = 0.077): here the error is pooled."""
    share, base, other, other_base = map(np.array, (0.0, 60.0, 3 / 70, 70.0))
    for pooled in (True, False):
        error = difference_error(share, base, other, other_base, pooled=pooled)
        statistic = (share - other) / error
        expected = (-1.6223966773350071, 0.10471844015040055)
        assert (statistic, two_sided_p(statistic)) == pytest.approx(expected, rel=1e-12)


# proportion_confint(count, base, alpha=1 - level, method=…)
CONFINT = {
    ("wilson", 1, 40, 0.8): (0.00750814457817, 0.0799598364461),
    ("beta", 1, 40, 0.8): (0.00263054692329, 0.0937971029953),
    ("wilson", 20, 40, 0.95): (0.351995269335, 0.648004730665),
    ("beta", 20, 40, 0.95): (0.338017813737, 0.661982186263),
    ("wilson", 133, 855, 0.99): (0.126293348299, 0.190122453425),
    ("beta", 133, 855, 0.99): (0.125044263495, 0.189984212612),
    ("wilson", 627, 628, 0.95): (0.99103601159, 0.99971885462),
    ("beta", 627, 628, 0.95): (0.991160181956, 0.999959685832),
    ("wilson", 0, 50, 0.95): (0.0, 0.0713475991334),
    ("beta", 0, 50, 0.95): (0.0, 0.0711217364642),
}


@pytest.mark.parametrize(("method", "count", "base", "level"), CONFINT)
def test_intervals_of_counts_are_those_of_statsmodels(
    method: str, count: int, base: int, level: float
) -> None:
    _, low, high = share_interval(np.array(count / base), np.array(base), level, method)
    expected = CONFINT[method, count, base, level]
    assert (low, high) == pytest.approx(expected, rel=1e-10, abs=1e-15)


P = (0.0004, 0.011, 0.0105, 0.032, 0.2, 0.049, 0.83)

# multipletests(P, method=…)[1]: "bonferroni", "holm", "fdr_bh"
ADJUSTED = {
    "bonferroni": (0.0028, 0.077, 0.0735, 0.224, 1.0, 0.343, 1.0),
    "holm": (0.0028, 0.063, 0.063, 0.128, 0.4, 0.147, 0.83),
    "benjamini-hochberg": (
        0.0028, 0.0256666666667, 0.0256666666667, 0.056, 0.233333333333, 0.0686, 0.83,
    ),
}  # fmt: skip


@pytest.mark.parametrize("correction", ADJUSTED)
def test_corrections_are_those_of_statsmodels(correction: str) -> None:
    found = adjusted(np.array([P]), correction)[0]
    assert found.tolist() == pytest.approx(ADJUSTED[correction], rel=1e-11)
    # Tests that were not made are no part of the family, wherever they stand.
    gaps = np.array([[np.nan, *P[:3], np.nan, *P[3:]]])
    assert adjusted(gaps, correction)[0][[1, 2, 3, 5, 6, 7, 8]].tolist() == found.tolist()


def design_effects(result: CrosstabResult) -> list[list[float]]:
    """What R's standard errors are to those of a simple sample, squared."""
    shares = result.values("size") / result.values("column_size")
    simple = shares * (1 - shares) / result.values("column_sample")
    return (np.array([STANDARD_ERRORS]) ** 2 / simple).tolist()
