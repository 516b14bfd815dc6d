"""Whether a survey names answers of a question that a change removes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.condition_codes import leaves_of
from audiencelab.survey.derivations import Cross, Definition, Grouping, Net, sources_of
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey


def check_used(
    survey: Survey,
    old: SurveyQuestion,
    new: SurveyQuestion,
    *,
    change: str = "edited",
    advice: str = "",
) -> None:
    """Raise `SurveyError` where a derived question or a saved audience uses what is gone.

    change: what is done to the question. advice: what to write instead, beside another definition.
    """
    codes = [*old.datapoint_positions, *old.suffix_positions]
    now = [*new.datapoint_positions, *new.suffix_positions]
    is_gone = old.canonical != new.canonical
    gone = codes if is_gone else [code for code in codes if code not in {*now}]
    begin = f"{old.code} ({old.name}) cannot be {change} so: "
    for definition in survey.derived:
        if is_gone or isinstance(definition, Cross):
            # The codes of a cross are positions of the answers.
            is_source = old.canonical in map(survey.catalogue.canonical, sources_of(definition))
            used = (gone or codes) if is_source and (is_gone or codes != now) else []
        else:
            used = [code for code in gone if code in _used(survey, definition, old)]
        if used:
            raise SurveyError(
                f"{begin}the derived question {definition.code} is made from its answers "
                f"{_named(old, used)}. Change that definition first{advice}."
            )
    for audience in survey.saved_audiences:
        # Codes in quotation marks: the expression need not be parsed, and no code is found within
        # another.
        text = msgspec.json.encode(audience.expression).decode()
        used = [code for code in gone if f'"{code}"' in text]
        if f'"{old.canonical}"' in text and used:
            raise SurveyError(
                f"{begin}the saved audience {audience.name!r} uses its answers "
                f"{_named(old, used)}{advice}."
            )


def _named(question: SurveyQuestion, codes: Sequence[str]) -> str:
    names = {each.code: each.name for each in (*question.datapoints, *question.suffixes)}
    return listed([f"{code} ({names[code]})" for code in codes])


def _used(survey: Survey, definition: Definition, old: SurveyQuestion) -> set[str]:
    """The answers of a question that a definition names, by their codes."""
    if isinstance(definition, Grouping):
        found = leaves_of(survey.catalogue, definition.expressions)
        own = [leaf for question, leaf in found if question.canonical == old.canonical]
        return {code for leaf in own for code in (*leaf.datapoints, *leaf.suffixes)}
    is_net = isinstance(definition, Net)
    if not is_net or survey.catalogue.canonical(definition.question) != old.canonical:
        return set()
    return {code for each in definition.datapoints for code in (*each.any, *each.suffixes)}
