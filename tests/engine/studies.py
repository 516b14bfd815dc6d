"""Small random surveys, each as a survey on disk and as plain Python records for the oracle.

Every oddity that the rules care about is in them: several waves whose codes do not sort by
date, one of them not accessible; locations; a single, a multiple and a grid question; routing;
questions that some waves did not ask; a second namespace; respondents who answered nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

from audiencelab.schema import Datapoint, Suffix
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design

WAVE_CODES = ("q4_2022", "q1_2023", "pilot", "q2_2023", "q3_2023", "q4_2023")
"""In order of date, which is not the order of letters."""

CLOSED_WAVE = "pilot"


@dataclass(frozen=True)
class Study:
    """A survey and the same answers respondent by respondent.

    people: columns wave, weight, stratum and cluster, one row a respondent. gave: by full question
    code, for each respondent the set of (datapoint, suffix) they gave; suffix "" where there are
    none. asked: the same way, of which datapoints they were asked. offered: by question and wave.
    """

    survey: Survey
    people: pd.DataFrame
    gave: dict[str, list[set[tuple[str, str]]]]
    asked: dict[str, list[set[str]]]
    offered: dict[str, dict[str, set[str]]]


def question(
    code: str,
    kind: str,
    points: int,
    suffixes: int = 0,
    namespace: str = "core",
    *,
    accessible: bool = True,
) -> SurveyQuestion:
    return SurveyQuestion(
        namespace_code=namespace,
        code=code,
        name=f"Question {code}",
        kind=kind,
        datapoints=tuple(
            Datapoint(code=f"{code}_{place + 1}", name=f"Answer {place + 1}")
            for place in range(points)
        ),
        suffixes=tuple(
            Suffix(code=str(place + 1), name=f"Level {place + 1}") for place in range(suffixes)
        ),
        accessible=accessible,
    )


QUESTIONS = (
    question("region", "single", 4),
    question("q2", "single", 2),
    question("q4", "single", 5),
    question("q9", "multiple", 6),
    question("q20", "grid", 3, 4),
    question("q30", "multiple", 3, namespace="extra"),
)

ASKED_IN = {
    "core.region": WAVE_CODES,
    "core.q2": WAVE_CODES,
    "core.q4": WAVE_CODES[1:],
    "core.q9": ("q4_2022", "q1_2023", "q2_2023", "q3_2023", "q4_2023"),
    "core.q20": ("q1_2023", "pilot", "q3_2023", "q4_2023"),
    "extra.q30": ("q2_2023", "q4_2022"),
}


def random_study(
    folder: Path,
    seed: int,
    respondents: int = 90,
    drawn: str = "",
    *,
    weightless: bool = False,
    rotating: bool = False,
) -> Study:
    """A study whose waves have about `respondents` respondents, never a multiple of 64.

    drawn: "strata", "clusters", or both; some strata have a single cluster.
    weightless: whether some respondents of every wave have a weight of 0.
    rotating: whether respondents were asked some of the items, and waves offered some answers.
    """
    random = np.random.default_rng(seed)
    drawing, items = np.random.default_rng(seed + 1000), np.random.default_rng(seed + 2000)
    catalogue = SurveyCatalogue(questions=QUESTIONS, location_question="core.region")
    frames: list[pd.DataFrame] = []
    gave: dict[str, list[set[tuple[str, str]]]] = {each.canonical: [] for each in QUESTIONS}
    asked: dict[str, list[set[str]]] = {each.canonical: [] for each in QUESTIONS}
    offered: dict[str, dict[str, set[str]]] = {each.canonical: {} for each in QUESTIONS}
    with SurveyBuilder(folder, catalogue) as builder:
        for place, code in enumerate(WAVE_CODES):
            count = respondents + int(random.integers(0, 60))
            # Eighths lie on any binary grid, so that the oracle adds the very same weights.
            weights = random.integers(1, 4000, count) / 8
            if weightless:
                weights[:: 9 + 4 * place] = 0
            answers = {}
            for each in QUESTIONS:
                given, known = [set[tuple[str, str]]()] * count, [set[str]()] * count
                if code in ASKED_IN[each.canonical]:
                    found = _answers(random, each, count)
                    if rotating and each.code != "region":
                        found = _rotated(items, each, found)
                    answers[each.canonical] = found
                    given, known = _given(each, found.values), _asked(each, found)
                    codes = {point.code for point in each.datapoints}
                    offered[each.canonical][code] = codes - {*found.not_offered}
                gave[each.canonical].extend(given)
                asked[each.canonical].extend(known)
            starts = date(2022, 10, 1) + timedelta(days=92 * place)
            wave = SurveyWave(code, code, starts, starts + timedelta(days=80), code != CLOSED_WAVE)
            design = _design(drawing, count, drawn)
            builder.add_wave(wave, weights, answers, design)
            people = pd.DataFrame({"wave": code, "weight": weights})
            people["stratum"] = 0 if design.strata is None else design.strata
            alone = design.clusters is None
            people["cluster"] = np.arange(count) if alone else design.clusters
            frames.append(people)
        survey = builder.finish()
    return Study(survey, pd.concat(frames, ignore_index=True), gave, asked, offered)


def _design(random: np.random.Generator, count: int, drawn: str) -> Design:
    """Numbers with gaps; clusters of different strata differ, as a survey has them."""
    strata = np.sort(random.choice([3, 5, 40, 41], count, p=[0.5, 0.25, 0.24, 0.01]))
    clusters = strata * 10 + random.integers(0, 7, count)
    clusters[strata == 41] = 411
    return Design(strata if "strata" in drawn else None, clusters if "clusters" in drawn else None)


def _answers(random: np.random.Generator, question: SurveyQuestion, count: int) -> Answers:
    """Random answers; the location is asked of everyone, the rest of about four in five."""
    points, suffixes = len(question.datapoints), len(question.suffixes)
    everyone = question.code == "region"
    asked = np.full(count, True) if everyone else random.random(count) < 0.8
    if question.kind == "single":
        values = random.integers(0 if everyone else -1, points, count)
        return Answers(np.where(asked, values, -1), asked)
    if question.kind == "multiple":
        return Answers((random.random((count, points)) < 0.4) & asked[:, None], asked)
    values = random.integers(-1, suffixes, (count, points))
    return Answers(np.where(asked[:, None], values, -1), asked)


def _given(question: SurveyQuestion, values: np.ndarray) -> list[set[tuple[str, str]]]:
    codes = [point.code for point in question.datapoints]
    suffixes = [suffix.code for suffix in question.suffixes]
    given: list[set[tuple[str, str]]] = []
    for answer in values.tolist():
        if question.kind == "single":
            given.append({(codes[answer], "")} if answer >= 0 else set())
        elif question.kind == "multiple":
            given.append({(codes[place], "") for place, chosen in enumerate(answer) if chosen})
        else:
            given.append(
                {
                    (codes[place], suffixes[level])
                    for place, level in enumerate(answer)
                    if level >= 0
                }
            )
    return given


def _rotated(random: np.random.Generator, question: SurveyQuestion, all_of: Answers) -> Answers:
    """The answers where about a third of the datapoints was not offered, and items were rotated."""
    codes = np.array([point.code for point in question.datapoints])
    offered = random.random(len(codes)) < 0.7
    offered[random.integers(len(codes))] = True
    lacking = codes[~offered].tolist()
    if question.kind == "single":
        values = np.where(np.isin(all_of.values, np.flatnonzero(offered)), all_of.values, -1)
        return Answers(values, all_of.asked, not_offered=lacking)
    asked = all_of.asked_by(len(all_of.values))[:, None]
    items = (random.random((len(asked), len(codes))) < 0.8) & asked & offered
    nothing = False if question.kind == "multiple" else -1
    return Answers(np.where(items, all_of.values, nothing), all_of.asked, items, lacking)


def _asked(question: SurveyQuestion, answers: Answers) -> list[set[str]]:
    """The datapoints that each respondent was asked about."""
    codes = [point.code for point in question.datapoints]
    items = answers.items
    if items is None:
        items = np.repeat(answers.asked_by(len(answers.values))[:, None], len(codes), axis=1)
    return [{code for code, was in zip(codes, row, strict=True) if was} for row in items.tolist()]
