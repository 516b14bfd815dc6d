"""Random surveys, as records of respondents and as surveys on disk; random expressions of them.

Respondents are routed past questions and shown some items only; later waves have items and answers
of their own, and leave questions out; some are asked and give no answer; some weigh 0.
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import numpy as np

from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import ASKED
from audiencelab.schema import Datapoint, Suffix
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from tests.who_counts.records import LOCATION, Person, Records

QUESTIONS = {
    LOCATION: ("single", 2),
    "s1": ("single", 4),
    "s2": ("single", 2),
    "m1": ("multiple", 4),
    "m2": ("multiple", 3),
    "g1": ("grid", 3),
}
POINTS = ("1", "2", "3")
SURVEYS = int(os.environ.get("WHO_COUNTS_SURVEYS", "5"))
"""How many surveys the tests make; a thousand take some minutes."""

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 3.0)
"""Sums of these are exact in any order."""


def make_records(rng: np.random.Generator, *, rotating: bool = True) -> Records:
    """A survey of one to four waves of 15 to 40 respondents each.

    rotating: whether waves offer different items, and respondents of a wave are shown some only.
    """
    waves = tuple(f"w{number + 1}" for number in range(rng.integers(1, 5)))
    items = {
        code: tuple(f"{code}_{place + 1}" for place in range(count))
        for code, (_, count) in QUESTIONS.items()
    }
    offered = {code: _offered(rng, code, waves, items[code], rotating) for code in QUESTIONS}
    routed = {code: rng.choice([0.0, 0.0, 0.4]) for code in QUESTIONS}
    rotated = {code: rng.choice([0.0, 0.0, 0.4]) * rotating for code in QUESTIONS}
    people: list[Person] = []
    for wave in waves:
        for number in range(rng.integers(15, 41)):
            asked: dict[str, frozenset[str]] = {}
            gave: dict[str, dict[str, str]] = {}
            for code, (kind, _) in QUESTIONS.items():
                had = sorted(offered[code].get(wave, ()))
                # The first respondent of a wave is asked everything that it offered.
                if not had or (number and code != LOCATION and rng.random() < routed[code]):
                    continue
                if number and kind != "single" and rng.random() < 0.8:
                    had = [each for each in had if rng.random() >= rotated[code]] or had[:1]
                asked[code] = frozenset(had)
                gave[code] = _answers(rng, kind, had)
            people.append(Person(wave, float(rng.choice(WEIGHTS)), gave, asked))
    kinds = {code: kind for code, (kind, _) in QUESTIONS.items()}
    return Records(waves, kinds, items, offered, tuple(people))


def _offered(
    rng: np.random.Generator,
    code: str,
    waves: tuple[str, ...],
    items: tuple[str, ...],
    rotating: bool,
) -> dict[str, frozenset[str]]:
    """What each wave offered of a question, at least one item; some waves do not ask it."""
    if code == LOCATION:
        return {wave: frozenset(items) for wave in waves}
    found = {
        wave: frozenset(each for each in items if not rotating or rng.random() < 0.75)
        or frozenset(items[:1])
        for wave in waves
        if rng.random() < 0.8
    }
    return found or {waves[-1]: frozenset(items)}


def _answers(rng: np.random.Generator, kind: str, had: list[str]) -> dict[str, str]:
    """What a respondent answers who was shown these items."""
    if kind == "single":
        return {str(rng.choice(had)): ""} if rng.random() < 0.85 else {}
    if kind == "multiple":
        return {each: "" for each in had if rng.random() < 0.45}
    return {each: str(rng.choice(POINTS)) for each in had if rng.random() < 0.8}


def build(records: Records, folder: Path) -> Survey:
    """The same respondents as a survey."""
    questions = tuple(
        SurveyQuestion(
            namespace_code="core",
            code=code,
            name=code,
            kind=kind,
            datapoints=tuple(Datapoint(code=each, name=each) for each in records.items[code]),
            suffixes=tuple(Suffix(code=each, name=each) for each in POINTS if kind == "grid"),
        )
        for code, (kind, _) in QUESTIONS.items()
    )
    with SurveyBuilder(
        folder, SurveyCatalogue(questions, f"core.{LOCATION}"), name="Random"
    ) as builder:
        for number, code in enumerate(records.waves, start=1):
            people = [one for one in records.people if one.wave == code]
            builder.add_wave(
                SurveyWave(code, code, date(2025, number, 1), date(2025, number, 20)),
                [one.weight for one in people],
                {
                    each.code: _packed(records, each.code, code, people)
                    for each in questions
                    if code in records.offered[each.code]
                },
            )
        return builder.finish()


def _packed(records: Records, code: str, wave: str, people: list[Person]) -> Answers:
    """The answers of the respondents of a wave to a question."""
    items, kind = records.items[code], records.kinds[code]
    gave = [one.gave.get(code, {}) for one in people]
    asked = np.array([code in one.asked for one in people])
    shown = np.array([[each in one.asked.get(code, ()) for each in items] for one in people])
    left_out = tuple(each for each in items if each not in records.offered[code][wave])
    if kind == "single":
        values = [next((items.index(each) for each in found), -1) for found in gave]
        return Answers(np.array(values), asked, not_offered=left_out)
    if kind == "multiple":
        ticked = np.array([[each in found for each in items] for found in gave])
        return Answers(ticked, asked, shown, left_out)
    points = [[POINTS.index(x[each]) if each in x else -1 for each in items] for x in gave]
    return Answers(np.array(points), asked, shown, left_out)


def make_expression(rng: np.random.Generator, records: Records, depth: int = 2) -> Expression:
    """A leaf, or a combination of up to three expressions; either may be negated."""
    if depth and rng.random() < 0.4:
        children = [
            make_expression(rng, records, depth - 1) for _ in range(int(rng.integers(1, 4)))
        ]
        kind = And if rng.random() < 0.5 else Or
        return kind(tuple(children), negated=bool(rng.random() < 0.25))
    return _leaf(rng, records)


def _leaf(rng: np.random.Generator, records: Records) -> Leaf:
    negated = bool(rng.random() < 0.3)
    if rng.random() < 0.06:
        size = int(rng.integers(1, len(records.waves) + 1))
        return Leaf("waves", _some(rng, records.waves, size), negated=negated)
    code = str(rng.choice([*QUESTIONS]))
    if rng.random() < 0.05:
        return Leaf(code, (ASKED,), negated=negated)
    items = records.items[code]
    listed = () if rng.random() < 0.15 else _some(rng, items, int(rng.integers(1, len(items) + 1)))
    points = ()
    if records.kinds[code] == "grid" and rng.random() < 0.7:
        points = _some(rng, POINTS, int(rng.integers(1, 3)))
    most = len(listed or items)
    least = int(rng.integers(1, most + 1)) if rng.random() < 0.35 else 1
    return Leaf(code, listed, points, least, negated)


def _some(rng: np.random.Generator, of: tuple[str, ...], size: int) -> tuple[str, ...]:
    return tuple(str(each) for each in rng.choice(of, size, replace=False))
