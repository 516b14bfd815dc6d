"""A small survey for the service's tests: categories, datasets, things that may not be used."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from audiencelab.schema import Datapoint, Dataset, SavedAudience, Suffix, Value
from audiencelab.survey import (
    Answers,
    InsightRecord,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyCategory,
    SurveyNamespace,
    SurveyQuestion,
    SurveyWave,
)

WAVES = ("q4_2022", "q1_2023", "closed", "q2_2023", "q3_2023", "q4_2023")
"""In order of date; the one called closed is not accessible."""

OPEN_WAVES = [code for code in WAVES if code != "closed"]
RESPONDENTS = 100


def datapoints(code: str, names: list[str]) -> tuple[Datapoint, ...]:
    return tuple(
        Datapoint(f"{code}_{place}", name, order=Value(place))
        for place, name in enumerate(names, start=1)
    )


CATALOGUE = SurveyCatalogue(
    questions=(
        SurveyQuestion(
            "core",
            "s2",
            "Country",
            "single",
            (
                *datapoints("s2", ["North", "South"]),
                Datapoint("s2_3", "Abroad", accessible=False),
            ),
        ),
        SurveyQuestion(
            "core",
            "q2",
            "Gender",
            "single",
            datapoints("q2", ["Male", "Female"]),
            categories=("11", "12"),
            datasets=("main",),
            description="Which of these describes you?",
            knowledge_base="Asked since the beginning.",
            message="One answer.",
            notice="Asked of all.",
            warning="Not comparable before 2022.",
            flags=("core",),
            unit="people",
            order=1,
        ),
        SurveyQuestion(
            "core",
            "q4",
            "Age",
            "single",
            (
                Datapoint("q4_1", "16 to 24", midpoint=Value(20)),
                Datapoint("q4_2", "25 to 34", midpoint=Value(29.5)),
                Datapoint("q4_3", "Not for sale", accessible=False),
            ),
            categories=("11",),
            datasets=("main",),
            order=2,
        ),
        SurveyQuestion(
            "core",
            "q20",
            "Media used",
            "grid",
            datapoints("q20", ["Radio", "Cinema"]),
            suffixes=(Suffix("1", "Daily"), Suffix("2", "Weekly"), Suffix("3", "Never")),
            categories=("2",),
            datasets=("main",),
        ),
        SurveyQuestion(
            "core",
            "secret",
            "Not for everyone",
            "single",
            datapoints("secret", ["Yes", "No"]),
            accessible=False,
            categories=("2",),
            datasets=("main",),
        ),
        SurveyQuestion(
            "sport", "q9", "Sports", "multiple", datapoints("q9", ["Football", "Chess", "Golf"])
        ),
    ),
    location_question="core.s2",
    namespaces=(SurveyNamespace("core"), SurveyNamespace("sport")),
    categories=(
        SurveyCategory("1", "Demographics", order=1),
        SurveyCategory("11", "Basics", parent="1", description="Who they are", datasets=("main",)),
        SurveyCategory("12", "More", parent="1", order=7),
        SurveyCategory("2", "Media", order=2),
    ),
    datasets=(
        Dataset("main", "Main study", base_namespace_code="core", order=1),
        Dataset("extra", "Extra study", base_namespace_code="sport", order=2),
    ),
)

SPORT_WAVES = ("q3_2023", "q4_2023")


def build_survey(
    folder: Path,
    *,
    saved_audiences: Iterable[SavedAudience] = (),
    insights: Iterable[InsightRecord] = (),
) -> Survey:
    """The survey as a survey; `sport.q9` was asked in the last two waves only."""
    random = np.random.default_rng(5)
    with SurveyBuilder(
        folder,
        CATALOGUE,
        name="Service tests",
        saved_audiences=saved_audiences,
        insights=insights,
    ) as builder:
        for place, code in enumerate(WAVES):
            starts = date(2022, 10, 1) + timedelta(days=92 * place)
            answers: dict[str, Answers | np.ndarray] = {
                "s2": random.integers(0, 2, RESPONDENTS),
                "q2": random.integers(0, 2, RESPONDENTS),
                "q4": random.integers(0, 3, RESPONDENTS),
                "q20": random.integers(-1, 3, (RESPONDENTS, 2)),
                "secret": random.integers(0, 2, RESPONDENTS),
            }
            if code in SPORT_WAVES:
                answers["sport.q9"] = random.random((RESPONDENTS, 3)) < 0.5
            wave = SurveyWave(code, code, starts, starts, accessible=code != "closed")
            builder.add_wave(wave, random.integers(1, 400, RESPONDENTS) / 4, answers)
        return builder.finish()
