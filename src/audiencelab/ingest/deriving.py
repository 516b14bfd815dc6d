"""Derived questions of a survey that is open: the next version, and what its groups share."""

from __future__ import annotations

from itertools import combinations, count
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from audiencelab.import_card import CardLine, ImportCard
from audiencelab.ingest.versions import is_repeated, next_version
from audiencelab.survey.derivations import Definition, Grouping, Net, code_of
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.reader import Survey
from audiencelab.survey.update import Revision, with_definitions
from audiencelab.wording import plural


def record_of(definition: Definition) -> dict[str, Any]:
    """The change that a definition is, as JSON."""
    # Through JSON: the record that a survey keeps has lists, where the definition has tuples.
    written = msgspec.json.decode(msgspec.json.encode(definition))
    return {"change": "derive", "question": definition.code, "definition": written}


def derive_question(survey: Survey, definition: Definition) -> Survey:
    """The survey with a derived question, in place of the derived one that has its code.

    Raises `SurveyError` for a name that another question has, and as `survey.derive`; the survey
    then stays as it is.
    """
    record = record_of(definition)
    if is_repeated(survey, record, "question"):
        return survey

    def plan(current: Survey) -> Revision:
        own = code_of(definition, current.catalogue.base_namespace)
        for each in current.catalogue.questions:
            if each.name == definition.name and each.canonical != own:
                raise SurveyError(
                    f"{definition.name!r} is not valid: the question {each.code} has this name. "
                    "Choose another name."
                )
        return with_definitions(current, [_with_known_codes(definition, current)])

    return next_version(survey, record, plan)


def _with_known_codes(definition: Definition, survey: Survey) -> Definition:
    """The definition with the codes that its groups have already, by their names.

    Audiences and other definitions name groups by their codes, which may not go to another group.
    """
    if not isinstance(definition, Net | Grouping):
        return definition
    own = code_of(definition, survey.catalogue.base_namespace)
    points = [each.datapoints for each in survey.catalogue.questions if each.canonical == own]
    known = {point.name: point.code for each in points for point in each}
    numbered = (f"{definition.code}_{number}" for number in count(1))
    free = (code for code in numbered if code not in known.values())

    def coded(point: Any) -> Any:
        # A question that is new numbers its groups itself.
        code = point.code or known.get(point.name) or (next(free) if known else None)
        return structs.replace(point, code=code)

    return structs.replace(definition, datapoints=tuple(map(coded, definition.datapoints)))


def shared_groups(survey: Survey, code: str) -> ImportCard | None:
    """What two groups of a derived question share the most respondents; None if none do."""
    question = survey.catalogue.question(code)
    if question.kind == "single":
        return None
    bits = [each for wave in survey.waves if (each := survey.wave(wave.code).question(code))]
    shared = {
        (one.name, other.name): sum(
            int(np.bitwise_count(each.datapoint(one.code) & each.datapoint(other.code)).sum())
            for each in bits
        )
        for one, other in combinations(question.datapoints, 2)
    }
    pair, count = max(shared.items(), key=lambda item: item[1], default=(("", ""), 0))
    if not count:
        return None
    said = (
        f"{plural(count, 'respondent')} in {pair[0]} and in {pair[1]}: a question of several "
        "answers, whose shares may add up to more than 100%"
    )
    return ImportCard(f"{question.name} ({question.code})", (), (CardLine("groups", said),))
