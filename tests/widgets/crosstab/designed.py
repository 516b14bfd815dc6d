"""A survey with weights, strata and clusters, whose answers differ by cluster."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np

from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Design,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyNamespace,
    SurveyQuestion,
    SurveyWave,
)

QUESTIONS = 52
"""Of five answers each."""


def build(folder: Path, respondents: int = 1_200, *, lonely: bool = False) -> Path:
    """Write the survey: 40 clusters in 4 strata, or each in a stratum of its own."""
    dice = np.random.default_rng(7)
    names = [f"q{at}" for at in range(QUESTIONS)]
    catalogue = SurveyCatalogue(
        questions=tuple(_question(name) for name in ("place", *names)),
        location_question="core.place",
        base_namespace="core",
        namespaces=(SurveyNamespace("core"),),
    )
    cluster = dice.integers(0, 40, respondents)
    strata = cluster if lonely else cluster // 10
    with SurveyBuilder(folder, catalogue, name="Designed") as builder:
        answers = {"place": np.zeros(respondents, np.int8)}
        for name in names:
            leaning = dice.normal(size=respondents) + dice.normal(0, 0.3, 40)[cluster]
            answers[name] = np.digitize(leaning, [-1, -0.3, 0.3, 1]).astype(np.int8)
        # The second follows the first, so that something differs.
        answers["q1"] = np.where(dice.random(respondents) < 0.3, answers["q0"], answers["q1"])
        builder.add_wave(
            SurveyWave("w1", "Wave 1", date(2026, 1, 1), date(2026, 3, 31)),
            dice.gamma(4, 0.25, respondents),
            answers,
            Design(strata=strata.astype(np.int32), clusters=cluster.astype(np.int32)),
        )
        builder.finish()
    return folder


def _question(code: str) -> SurveyQuestion:
    points = tuple(Datapoint(f"{code}_{at}", f"{code} answer {at}") for at in range(5))
    return SurveyQuestion(
        namespace_code="core", code=code, name=code.upper(), kind="single", datapoints=points
    )
