"""Shares adjusted to the base's composition are those of `svystandardize` of R's `survey` 4.1.

`standardised.R` describes the designs and computed `standardised.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.expressions import Expression, Q
from audiencelab.schema import Datapoint
from audiencelab.schema.local import Adjusted
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from tests.oracle.design import read_weeks
from tests.oracle.test_replicates import NAMES, opened
from tests.surveys.hps import WAVES

FIGURES: dict[str, Any] = json.loads(
    Path(__file__).with_name("standardised.json").read_text("utf-8")
)
PEOPLE = {
    "age": ("born before 1955", "1955", "1970", "1985", "2002 or later"),
    "sex": ("man", "woman"),
    "region": ("Northeast", "South", "Midwest", "West"),
    "hispanic": ("no", "yes"),
    "expenses": ("not at all", "a little", "somewhat", "very"),
}
AUDIENCES: dict[str, tuple[Expression, Expression]] = {
    "hispanic": (Q("expenses").any("expenses_3"), Q("hispanic").any("hispanic_1")),
    "west": (Q("expenses").any("expenses_0"), Q("region").any("region_3")),
    "born": (
        Q("expenses").any("expenses_3"),
        Q("region").any("region_3") & Q("age").any("age_0", "age_1", "age_2", "age_3"),
    ),
}
"""Row and column of each."""


def _answers(week: pd.DataFrame) -> dict[str, Answers]:
    born, expenses = (np.asarray(week[name], np.int64) for name in ("TBIRTH_YEAR", "EXPNS_DIF"))
    return {
        "age": Answers(np.digitize(born, np.array([1955, 1970, 1985, 2002]))),
        "sex": Answers(week["EGENID_BIRTH"].to_numpy() - 1),
        "region": Answers(week["REGION"].to_numpy() - 1),
        "hispanic": Answers((week["RHISPANIC"] == 2).to_numpy().astype(int)),
        "expenses": Answers(np.where(expenses > 0, expenses - 1, -1)),
    }


def _design(week: pd.DataFrame, drawn: str) -> Design:
    if drawn == "weights":
        return Design()
    state = week["EST_ST"].to_numpy()
    within = np.where(state == 56, 0, np.arange(len(week)) * 7919 % 101 % 6)
    return Design(strata=state, clusters=10 * state + within)


@pytest.fixture(scope="module", params=["weights", "both"])
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Survey, Any]]:
    folder = tmp_path_factory.mktemp("standardised") / request.param
    catalogue = SurveyCatalogue(
        questions=tuple(
            SurveyQuestion(
                namespace_code="core",
                code=code,
                name=code.capitalize(),
                kind="single",
                datapoints=tuple(
                    Datapoint(code=f"{code}_{n}", name=name) for n, name in enumerate(names)
                ),
            )
            for code, names in PEOPLE.items()
        ),
        location_question="core.region",
    )
    with SurveyBuilder(folder, catalogue) as builder:
        for week, (code, name, _, starts, ends) in zip(read_weeks(), WAVES, strict=True):
            wave = SurveyWave(
                code, name, date.fromisoformat(starts), date.fromisoformat(ends), True
            )
            weights = week["PWEIGHT"].to_numpy()
            builder.add_wave(wave, weights, _answers(week), _design(week, request.param))
        yield builder.finish(), FIGURES[request.param]


def check(found: Adjusted, known: dict[str, Any]) -> None:
    """R's figures, of the only cell."""
    shares = [float(each[0, 0]) for each in (found.share, found.rest_share)]
    assert shares == pytest.approx(known["shares"], rel=1e-9)
    variances = [float(each[0, 0]) for each in (found.variance, found.rest_variance)]
    assert np.sqrt(variances) == pytest.approx(known["errors"], rel=1e-9)
    freedom = [float(each[0, 0]) for each in (found.freedom, found.rest_freedom)]
    assert freedom == known["freedom"]
    error = float(np.sqrt(sum(variances) - 2 * found.rest_covariance[0, 0]))
    assert error == pytest.approx(known["error"], rel=1e-9)
    assert shares[0] - shares[1] == pytest.approx(known["difference"], rel=1e-9)
    p = 2 * student.sf(abs(shares[0] - shares[1]) / error, min(freedom))
    assert p == pytest.approx(known["p"], rel=1e-8)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_figures_of_a_sample_are_rs(drawn: tuple[Survey, Any], audience: str) -> None:
    survey, known = drawn
    row, column = AUDIENCES[audience]
    found = Engine(survey).adjusted(CrosstabSpec((row,), (column,)), ["age", "sex"])
    check(found, known[audience])
    assert found.cells == 10
    # Cells that an audience lacks are left out, as with `partial = TRUE`.
    assert found.empty.tolist() == [2.0 if audience == "born" else 0.0]
    assert bool(found.lacking[0, 0] > 0) is (audience == "born")


@pytest.mark.parametrize("design", ["BRR", "Fay", "fpc"])
def test_replicate_weights_and_populations_give_rs(
    design: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    ways: dict[str, Any] = {
        "BRR": {"replicates": NAMES, "replicate_method": "BRR"},
        "Fay": {"replicates": NAMES, "replicate_method": "Fay", "fay": 0.5},
        "fpc": {"strata": "stype", "fpc": "fpc"},
    }
    client = opened(**ways[design])
    high, large = client["grade"] == "high", client["size"] == "large"
    codes = [client["stype"].code, client["awards"].code]
    found = Engine(client.service.survey).adjusted(CrosstabSpec((high,), (large,)), codes)
    check(found, FIGURES[design]["large"])
