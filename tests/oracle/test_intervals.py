"""Intervals of shares and errors of indices against R's `survey` 4.1, on a made-up survey.

300 respondents in 15 clusters, all of them arithmetic, so that R has the same:

    i <- 0:299
    d <- data.frame(cluster = i %% 15, w = 1 + (i * 37) %% 11 / 8, one = 1)
    d$g <- (i * 7) %% 10 < 6
    d$rare <- (i * i + 3 * d$cluster) %% 41 < 2
    d$some <- (i * i * 7 + 13 * d$cluster) %% 100 < 15 + 3 * d$cluster
    d$most <- (i * 11 + d$cluster) %% 29 < 27
    clusters <- svydesign(ids = ~cluster, weights = ~w, data = d)
    plain <- svydesign(ids = ~1, weights = ~one, data = d)  # each column of TRUE and FALSE as 0, 1
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
import pandas as pd
import pytest

from audiencelab import Audience, Client, Q, connect
from audiencelab.schema import Datapoint
from audiencelab.survey import Answers, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from audiencelab.survey.answers import Design
from audiencelab.tables import CrosstabResult

ROWS = ("rare", "some", "most")


@pytest.fixture(scope="module", params=["weighted", "unweighted"])
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    i = np.arange(300)
    cluster = i % 15
    flags = {
        "g": i * 7 % 10 < 6,
        "rare": (i * i + 3 * cluster) % 41 < 2,
        "some": (i * i * 7 + 13 * cluster) % 100 < 15 + 3 * cluster,
        "most": (i * 11 + cluster) % 29 < 27,
    }
    questions = (_question("where", "single", "here"), _question("said", "multiple", *flags))
    folder = tmp_path_factory.mktemp("clusters") / "survey"
    catalogue = SurveyCatalogue(questions=questions, location_question="core.where")
    with SurveyBuilder(folder, catalogue) as builder:
        wave = SurveyWave("w1", "Wave 1", date(2020, 1, 1), date(2020, 3, 31), True)
        answers = {
            "where": Answers(np.zeros(300, int)),
            "said": Answers(np.stack(list(flags.values()), axis=1)),
        }
        weights = 1 + i * 37 % 11 / 8 if request.param == "weighted" else np.ones(300)
        builder.add_wave(wave, weights, answers, Design(None, cluster))
        survey = builder.finish()
    with connect(survey=survey) as client:
        yield client


def _question(code: str, kind: str, *names: str) -> SurveyQuestion:
    points = tuple(Datapoint(code=f"{code}_{name}", name=name) for name in names)
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


def flag(name: str) -> Audience:
    return Audience(name, Q("said").any(f"said_{name}"))


def table(client: Client, column: str | None) -> CrosstabResult:
    columns = None if column is None else [flag(column)]
    return client.crosstab(rows=[flag(name) for name in ROWS], columns=columns)


# attr(svyciprop(~rare, clusters, method = "beta", level = 0.95), "ci"), and of subset(clusters, g);
# 14 degrees of freedom
BETA: dict[tuple[str | None, float], tuple[tuple[float, float], ...]] = {
    (None, 0.95): (
        (0.02757605943305, 0.09426200765487),
        (0.2838046344803, 0.5372659113213),
        (0.9086160714182, 0.9428998194964),
    ),
    ("g", 0.95): (
        (0.01389359111863, 0.11377618837765),
        (0.2452317308510, 0.6340780670464),
        (0.9301690218894, 0.9814617799378),
    ),
    (None, 0.8): (
        (0.03571070128609, 0.07895477068352),
        (0.3253771073882, 0.4908527202949),
        (0.9155683577203, 0.9374187381031),
    ),
    ("g", 0.8): (
        (0.02249270082005, 0.08826810941618),
        (0.3052310111018, 0.5661998102063),
        (0.9421606094427, 0.9754744028915),
    ),
}


@pytest.mark.parametrize("client", ["weighted"], indirect=True)
@pytest.mark.parametrize(("column", "level"), BETA)
def test_beta_intervals_are_those_of_svyciprop(
    client: Client, column: str | None, level: float
) -> None:
    result = table(client, column)
    effects = client.design_effects(result)
    assert effects.degrees_of_freedom == 14
    frame = result.intervals(level, "beta", effects)
    assert ends(frame) == pytest.approx(np.array(BETA[column, level]), rel=1e-10)
    assert "percentages by Korn and Graubard" in frame.attrs["method_note"]
    assert "t with 14 degrees of freedom" in frame.attrs["method_note"]


@pytest.mark.parametrize("client", ["weighted"], indirect=True)
def test_beta_intervals_widen_as_degrees_of_freedom_fall(client: Client) -> None:
    result = table(client, "g")
    effects = client.design_effects(result)
    many, some, few = (
        ends(result.intervals(method="beta", design=effects, degrees_of_freedom=freedom))
        for freedom in (float("inf"), 14, 3)
    )
    widths = [np.diff(each)[:, 0] for each in (many, some, few)]
    assert (widths[0] < widths[1]).all()
    assert (widths[1] < widths[2]).all()


# SE(svycontrast(svytotal(~one + y + g + yg, plain), quote(log(yg * one / (g * y)))))
LOG_INDEX_ERRORS = (0.2223642626472, 0.05461365876839, 0.01386403932894)


@pytest.mark.parametrize("client", ["unweighted"], indirect=True)
def test_errors_of_indices_without_weights_are_those_of_svycontrast(client: Client) -> None:
    frame = table(client, "g").intervals(design=None)
    found = (frame["index_se"] / frame["index"]).to_numpy()
    assert found == pytest.approx(LOG_INDEX_ERRORS, rel=1e-12)


def ends(frame: pd.DataFrame) -> np.ndarray:
    return frame[["column_percentage_low", "column_percentage_high"]].to_numpy() / 100
