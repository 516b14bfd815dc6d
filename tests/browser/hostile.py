"""A survey with malicious and malformed labels, which must be shown unchanged."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np

from audiencelab.schema import Datapoint
from audiencelab.survey import Survey, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave

__all__ = ["LABELS", "hostile_survey"]

LABELS = (
    "<img src=x onerror=\"document.title='owned'\">",
    "</script></div></td><script>document.title='owned'</script>",
    "word " * 40,
    "W" * 200,
    "👩‍👩‍👧‍👦 fam🏳️‍🌈ly 🇺🇳 e\u0301\u0323",
    "שלום עולם — مرحبا بالعالم \u202eabc",
    "a & b < c > d \" e ' f ` $& {{x}} ${y} \\n",
    "ten kilobytes " * 730,
    "tab\tand\nnew line",
)


def hostile_survey(folder: Path) -> Survey:
    """One wave of 400 respondents; each question's name and answers are from `LABELS`."""
    answers = tuple(Datapoint(f"a{i}", label) for i, label in enumerate(LABELS))
    place = SurveyQuestion("core", "place", LABELS[0], "single", answers[:2])
    hard = SurveyQuestion("core", "hard", LABELS[2], "single", answers, description=LABELS[1])
    long = SurveyQuestion("core", "long", LABELS[7], "single", answers, notice=LABELS[5])
    draw = np.random.default_rng(7)
    given = {
        question.code: draw.integers(len(question.datapoints), size=400)
        for question in (place, hard, long)
    }
    day = date(2024, 1, 1)
    with SurveyBuilder(folder, SurveyCatalogue((place, hard, long), "core.place")) as builder:
        builder.add_wave(SurveyWave("w", LABELS[6], day, day), np.full(400, 50.0), given)
        return builder.finish()
