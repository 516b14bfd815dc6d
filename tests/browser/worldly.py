"""A survey with labels in many scripts: right-to-left, mixed, long, composed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np

from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyCategory,
    SurveyQuestion,
    SurveyWave,
)

__all__ = ["LONG", "worldly_survey"]

LONG = (
    "How often, in a usual week, do you and the other people in your household together sit down "
    "to a meal that somebody cooked at home, counting breakfasts, and leaving out whatever was "
    "brought in ready made?"
)
ARABIC = ("القاهرة", "الإسكندرية", "مدينة أخرى (Other)", "أقل من 5 كم")
HEBREW = ("כל יום", "פעם בשבוע", "פחות מ-3 פעמים", "WhatsApp או SMS")
COMPOSED = (
    "👩‍👩‍👧‍👦 family",
    "🏳️‍🌈 🇺🇳 👍🏽",
    "Ze\u0301ro\u0323 de\u0301compose\u0301",
    "कक्षा ग्यारह",
)


def worldly_survey(folder: Path) -> Survey:
    """One wave of 400 respondents; four questions under categories of their scripts."""
    questions = (
        _question("city", "المدينة التي تعيش فيها", ARABIC, "1"),
        _question("often", "באיזו תדירות? (apps)", HEBREW, "2"),
        _question("signs", "Signs 👩🏽‍🚀 e\u0301", COMPOSED, "3"),
        _question("meals", LONG, (LONG, *"123"), "4"),
    )
    shelves = ("عنك", "עליך", "✨ Signs", LONG)
    categories = tuple(SurveyCategory(str(at), name) for at, name in enumerate(shelves, start=1))
    draw = np.random.default_rng(5)
    given = {question.code: draw.integers(4, size=400) for question in questions}
    day = date(2024, 1, 1)
    catalogue = SurveyCatalogue(questions, "core.city", categories=categories)
    with SurveyBuilder(folder, catalogue) as builder:
        builder.add_wave(SurveyWave("w", "موجة 2024", day, day), np.full(400, 50.0), given)
        return builder.finish()


def _question(code: str, name: str, answers: tuple[str, ...], category: str) -> SurveyQuestion:
    datapoints = tuple(Datapoint(f"{code}_{at}", label) for at, label in enumerate(answers))
    return SurveyQuestion("core", code, name, "single", datapoints, categories=(category,))
