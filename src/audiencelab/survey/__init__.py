"""Respondent-level data on disk: the survey that the embedded service answers from.

Open one with `Survey.open`, make one with `SurveyBuilder`, import a survey with `audiencelab
import`, or take the generated `demo_survey`. Audiences and tables are the engine's work.

Modules: `catalogue` (questions), `answers` and `weights` (the data of a wave), `layout` (files),
`texts` (open answers and keys), `reader`, `builder`, `remote` (surveys elsewhere), `locks`;
`derivations` (derived questions), `update` (new versions), `raking`, `validate`, `export`; `demo`
(the generated survey).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.lazy import lazily
from audiencelab.survey.answers import Answers, Design, QuestionBits
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import (
    InsightRecord,
    SurveyCatalogue,
    SurveyCategory,
    SurveyNamespace,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.derivations import (
    Band,
    Bands,
    Cross,
    Grouping,
    GroupPoint,
    Net,
    NetPoint,
    load_definitions,
)
from audiencelab.survey.errors import (
    DamagedSurveyError,
    SourceError,
    SourcePlace,
    SurveyBusyError,
    SurveyError,
    SurveyExistsError,
)
from audiencelab.survey.layout import Manifest
from audiencelab.survey.reader import Survey, WaveData

if TYPE_CHECKING:
    from audiencelab.survey.demo import demo_survey
    from audiencelab.survey.export import export_survey
    from audiencelab.survey.raking import rake
    from audiencelab.survey.update import derive
    from audiencelab.survey.validate import check_survey

__all__ = [
    "Answers",
    "Band",
    "Bands",
    "Cross",
    "DamagedSurveyError",
    "Design",
    "GroupPoint",
    "Grouping",
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
    "SurveyCatalogue",
    "SurveyCategory",
    "SurveyError",
    "SurveyExistsError",
    "SurveyNamespace",
    "SurveyQuestion",
    "SurveyWave",
    "WaveData",
    "check_survey",
    "demo_survey",
    "derive",
    "export_survey",
    "load_definitions",
    "rake",
]

_LAZY = {
    "check_survey": "validate",
    "demo_survey": "demo",
    "derive": "update",
    "export_survey": "export",
    "rake": "raking",
}

# Opening a survey does not need them.
__getattr__ = lazily(__name__, _LAZY)
