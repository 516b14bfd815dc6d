"""What a survey says of its study to those who cite it: citation, DOI, licence, field dates."""

from __future__ import annotations

from calendar import monthrange
from typing import Any, cast

from audiencelab.schema.survey_scope import STUDY_FIELDS
from audiencelab.survey.catalogue import SurveyWave
from audiencelab.survey.layout import Manifest

STUDY = "study"
"""The field of a manifest's provenance that has it. It is not part of the survey's version."""

_LISTED = 4
"""Waves of which each has its dates."""


def study_of(manifest: Manifest) -> dict[str, str]:
    """What a survey says of its study, by `STUDY_FIELDS`; without fields that say nothing.

    The dates are those of the waves where the study has none and the waves are dated by day.
    """
    stored: Any = manifest.provenance.get(STUDY)
    # A manifest may come from elsewhere.
    given = cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}
    found = {name: str(given[name]) for name in STUDY_FIELDS if given.get(name)}
    if "field_dates" not in found and (dates := _days([each.wave for each in manifest.waves])):
        found["field_dates"] = dates
    return found


def _days(waves: list[SurveyWave]) -> str:
    """The days of the fieldwork; "" where any wave has none, or those of a whole period."""
    if not waves or not all(each.is_dated and _is_by_day(each) for each in waves):
        return ""
    if len(waves) > _LISTED:
        whole = min(each.starts for each in waves), max(each.ends for each in waves)
        return f"{len(waves)} waves, {_span(*whole)}"
    if len(waves) == 1:
        return _span(*waves[0].dates)
    return "; ".join(f"{each.name}: {_span(*each.dates)}" for each in waves)


def _span(first: Any, last: Any) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _is_by_day(wave: SurveyWave) -> bool:
    """Whether the dates are not those of a month, quarter or year, which waves are named after.

    An import has a single day where it knows the beginning of a period alone.
    """
    starts, ends = wave.dates
    return starts != ends and (starts.day > 1 or ends.day < monthrange(ends.year, ends.month)[1])
