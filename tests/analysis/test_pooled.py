"""Tests of shares against the formula, written again respondent by respondent.

Nothing is shared with the engine: the variance by the design is that of the total of what each
respondent adds to a difference, summed over strata and clusters, or over replicate weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import audiencelab as al
from audiencelab import Audience, Client, Q
from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design, Replicates

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PEOPLE, ROWS, COLUMNS, REPLICATES = 240, 4, 5, 12


@dataclass(frozen=True)
class Drawn:
    """Respondents with what they said, bool[PEOPLE, ROWS], and their columns.

    variance: by the design, of the total of what each respondent adds; None of a simple random
    sample. freedom: of some respondents.
    """

    said: Flags
    column: Flags
    weights: Floats
    design: Design
    variance: Callable[[Callable[[Floats], float], Floats], float] | None
    freedom: Callable[[Flags], float]


def by_clusters(strata: Any, clusters: Any) -> Callable[[Callable[[Floats], float], Floats], float]:
    """Σ_h n_h ÷ (n_h - 1) Σ_c (z_hc - z_h)², of z linearised at the estimates."""

    def variance(_: Callable[[Floats], float], z: Floats) -> float:
        found = 0.0
        for stratum in np.unique(strata):
            units = np.unique(clusters[strata == stratum])
            totals = np.array([z[clusters == unit].sum() for unit in units])
            found += len(units) / (len(units) - 1) * float(((totals - totals.mean()) ** 2).sum())
        return found

    return variance


def drawn(kind: str) -> Drawn:
    random = np.random.default_rng(len(kind))
    clusters = np.arange(PEOPLE) // 8
    strata = clusters // 10
    lift = random.normal(0, 0.15, PEOPLE // 8)[clusters]
    share = np.array([0.03, 0.2, 0.5, 0.8])
    said = random.random((PEOPLE, ROWS)) < np.clip(share + lift[:, None], 0.01, 0.99)
    column = random.random((PEOPLE, COLUMNS)) < np.array([0.2, 0.3, 0.4, 0.5, 0.6])
    if "overlapping" not in kind:
        column = random.integers(0, COLUMNS, PEOPLE)[:, None] == np.arange(COLUMNS)
    weights = np.ones(PEOPLE) if "equal" in kind else random.lognormal(0, 0.7, PEOPLE).round(3)
    if kind == "strata and clusters":
        variance = by_clusters(strata, clusters)

        def freedom(some: Flags) -> float:
            return len(np.unique(clusters[some])) - len(np.unique(strata[some]))

        design = Design(strata.astype(np.int32), clusters.astype(np.int32))
        return Drawn(said, column, weights, design, variance, freedom)
    if kind == "replicates":
        flips = np.where(random.random((REPLICATES, PEOPLE // 8)) < 0.5, 0.4, 1.6)[:, clusters]
        of_replicates, scales = weights * flips, np.full(REPLICATES, 1 / (REPLICATES * 0.36))

        def replicated(estimate: Callable[[Floats], float], _: Floats) -> float:
            whole = estimate(weights)
            return float(scales @ [(estimate(each) - whole) ** 2 for each in of_replicates])

        def rank(some: Flags) -> float:
            return np.linalg.matrix_rank(of_replicates[:, some] / weights[some]) - 1

        design = Design(replicates=Replicates(of_replicates, scales, "BRR"))
        return Drawn(said, column, weights, design, replicated, rank)
    variance = None if "equal" in kind else by_clusters(np.zeros(PEOPLE, int), np.arange(PEOPLE))
    return Drawn(said, column, weights, Design(), variance, lambda some: some.sum() - 1)


def survey(folder: Path, given: Drawn) -> Survey:
    def question(code: str, kind: Any, count: int) -> SurveyQuestion:
        points = tuple(Datapoint(code=f"{code}_{at}", name=f"{code} {at}") for at in range(count))
        return SurveyQuestion(
            namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
        )

    catalogue = SurveyCatalogue(
        questions=(
            question("said", "multiple", ROWS),
            question("column", "multiple", COLUMNS),
            question("where", "single", 1),
        ),
        location_question="core.where",
    )
    wave = SurveyWave("w1", "Wave 1", date(2026, 1, 1), date(2026, 3, 31), True)
    answers = {
        "said": Answers(given.said),
        "column": Answers(given.column),
        "where": Answers(np.zeros(PEOPLE, int)),
    }
    with SurveyBuilder(folder / "survey", catalogue) as builder:
        builder.add_wave(wave, given.weights, answers, given.design)
        return builder.finish()


@dataclass(frozen=True)
class Difference:
    difference: float
    pooled: float
    apart: float


def difference(given: Drawn, y: Flags, one: Flags, other: Flags) -> Difference:
    """The formula of the pooled test, and the plain variance of the difference."""
    w = given.weights

    def estimate(weights: Floats) -> float:
        first, second = weights * one, weights * other
        return float((first @ y) / first.sum() - (second @ y) / second.sum())

    b1, b2 = (w * one).sum(), (w * other).sum()
    p1, p2 = (w * one * y).sum() / b1, (w * other * y).sum() / b2
    p = ((w * one * y).sum() + (w * other * y).sum()) / (b1 + b2)
    either = one | other
    e2 = (w**2 * (y - p) ** 2)[either].sum() / (w**2)[either].sum()
    g = one / b1 - other / b2
    n, s = e2 * (w**2 * g**2).sum(), (w**2 * (y - p) ** 2 * g**2).sum()
    if given.variance is None:  # a simple random sample: p (1 - p) ÷ n
        spread = p * (1 - p) * (g**2).sum()
        return Difference(p1 - p2, spread, spread)
    z = w * (one * (y - p1) / b1 - other * (y - p2) / b2)
    apart, of_weights = given.variance(estimate, z), (z**2).sum()
    effect = 1.0 if of_weights == 0 else apart / of_weights
    return Difference(p1 - p2, effect * max(n, s / 2), apart)


DESIGNED = ("weighted", "strata and clusters", "replicates", "overlapping")
SIMPLE = ("equal", "equal and overlapping")


@pytest.fixture(params=DESIGNED + SIMPLE)
def given(request: pytest.FixtureRequest) -> Drawn:
    return drawn(request.param)


@pytest.fixture
def client(given: Drawn, tmp_path: Path) -> Iterator[Client]:
    with al.connect(survey=survey(tmp_path, given)) as client:
        yield client


def crosstab(client: Client, columns: Any = None) -> Any:
    def audiences(code: str, count: int) -> list[Audience]:
        return [Audience(f"{code} {at}", Q(code).any(f"{code}_{at}")) for at in range(count)]

    return client.crosstab(audiences("said", ROWS), columns or audiences("column", COLUMNS))


def sides(given: Drawn, vs: str) -> Iterator[tuple[int, Flags, Flags]]:
    """Each test's row, and the respondents of both sides, in the order of the frame."""
    for row in range(ROWS):
        for at in range(COLUMNS):
            one = given.column[:, at]
            if vs == "rest":
                yield row, one, ~one
            else:
                for to in range(at + 1, COLUMNS):
                    yield row, one, given.column[:, to]


def pair_freedom(given: Drawn, vs: str, one: Flags, other: Flags) -> float:
    if vs == "rest":
        return min(given.freedom(one), given.freedom(other))
    return given.freedom(one | other)


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_pooled_by_the_formula(given: Drawn, client: Client, vs: Any) -> None:
    frame = crosstab(client).test(vs, min_base=0).to_frame()
    places = list(sides(given, vs))
    expected = [difference(given, given.said[:, row], *both) for row, *both in places]
    error = np.sqrt([each.pooled for each in expected])
    apart = np.array([each.difference for each in expected])
    z = np.divide(apart, error, out=np.zeros(len(error)), where=error > 0)
    assert frame["standard_error"].tolist() == pytest.approx((100 * error).tolist(), rel=1e-9)
    assert frame["z"].tolist() == pytest.approx(z.tolist(), rel=1e-9, abs=1e-9)
    if "degrees_of_freedom" in frame:
        freedom = np.array([pair_freedom(given, vs, *both) for _, *both in places])
        assert frame["degrees_of_freedom"].tolist() == freedom.tolist()
        p: Any = 2 * stats.t.sf(abs(z), freedom)
    else:
        p = 2 * stats.norm.sf(abs(z))
    assert frame["p"].tolist() == pytest.approx(p.tolist(), rel=1e-8)


@pytest.mark.parametrize("given", DESIGNED, indirect=True)
@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_unpooled_is_the_variance_of_the_difference(given: Drawn, client: Client, vs: Any) -> None:
    frame: Any = crosstab(client).test(vs, min_base=0, pooled=False).to_frame()
    expected = [
        100 * np.sqrt(difference(given, given.said[:, row], *both).apart)
        for (row, *both), note in zip(sides(given, vs), frame["note"], strict=True)
        if not note
    ]
    assert len(expected) > 10
    found: Any = frame["standard_error"][frame["note"] == ""]
    assert found.tolist() == pytest.approx(expected, rel=1e-9)
