"""Respondent-level data on disk: the survey that the embedded service answers from.

Open one with `Survey.open`, make one with `SurveyBuilder`, import a survey with `audiencelab
import`, or take the generated `demo_survey`. What is asked of a survey (audiences, tables) is the
engine's work, not done here.

Rooms: `catalogue` what was asked, `answers`, `weights` and `design` what was answered, by whom,
`layout` the files, `reader` and `builder`, `addresses` surveys that stand elsewhere, `demo` the
generated survey. A survey is looked over by `checking`
and handed on by `exporting`; its next version is written by `revising`: `recipes` and `deriving`
for derived questions, `raking` for weights, under one of `locks`. `toml`
parses what people write.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from audiencelab.survey.answers import Answers
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import (
    Catalogue,
    SurveyCategory,
    SurveyNamespace,
    SurveyQuestion,
)
from audiencelab.survey.design import Design
from audiencelab.survey.errors import (
    SourceError,
    SourcePlace,
    SurveyBusyError,
    SurveyError,
    SurveyExistsError,
)
from audiencelab.survey.layout import Manifest
from audiencelab.survey.reader import QuestionBits, Survey, WaveData
from audiencelab.survey.recipes import Band, Bands, Cross, Net, NetPoint, load_recipes
from audiencelab.survey.records import InsightRecord, Wave

if TYPE_CHECKING:
    from audiencelab.survey.checking import check_survey
    from audiencelab.survey.demo import demo_survey
    from audiencelab.survey.exporting import export_survey
    from audiencelab.survey.raking import rake

__all__ = [
    "Answers",
    "Band",
    "Bands",
    "Catalogue",
    "Cross",
    "Design",
    "InsightRecord",
    "Manifest",
    "Net",
    "NetPoint",
    "QuestionBits",
    "SourceError",
    "SourcePlace",
    "Survey",
    "SurveyBuilder",
    "SurveyBusyError",
    "SurveyCategory",
    "SurveyError",
    "SurveyExistsError",
    "SurveyNamespace",
    "SurveyQuestion",
    "Wave",
    "WaveData",
    "check_survey",
    "demo_survey",
    "export_survey",
    "load_recipes",
    "rake",
]

_LAZY = {
    "check_survey": "checking",
    "demo_survey": "demo",
    "export_survey": "exporting",
    "rake": "raking",
}


def __getattr__(name: str) -> Any:
    # What generates, imports, checks and changes surveys is only needed by those who ask for it.
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
