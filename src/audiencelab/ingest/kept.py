"""The codebook that a survey keeps: what its questions were made of, with all edits since.

A survey that keeps none, of before or not of an import, has the one that its catalogue shows: each
answer is then named by what its code ends with.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import structs

from audiencelab.ingest.codebook import (
    Codebook,
    CodedBreak,
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Study,
    datapoint_codes,
    suffix_codes,
)
from audiencelab.ingest.codebook_files import written_fields
from audiencelab.schema import Datapoint, Suffix
from audiencelab.schema.breaks import breaks_of
from audiencelab.schema.scales import (
    ENDS_FLAG,
    FORM_FLAG,
    OFF_SCALE_FLAG,
    RECORD_FLAGS,
    TOP_FLAG,
    UNIVERSE_FLAG,
)
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import DERIVED_FLAG
from audiencelab.survey.reader import Survey
from audiencelab.survey.study import study_of

_PASSED_ON = (
    "code", "name", "kind", "categories", "datasets", "accessible", "description",
    "knowledge_base", "message", "notice", "warning", "unit",
)  # fmt: skip


def kept_json(codebook: Codebook) -> dict[str, Any]:
    """A codebook as the JSON that a survey keeps."""
    return written_fields(codebook)


def codebook_of(survey: Survey) -> Codebook:
    """The codebook of a survey's questions, without derived ones.

    >>> from audiencelab.ingest.kept import codebook_of
    >>> [question.code for question in codebook_of(al.demo_survey()).questions][:3]
    ['q1', 'q2', 'q3']
    """
    if survey.codebook is not None:
        return msgspec.convert(survey.codebook, Codebook, strict=False, str_keys=True)
    catalogue = survey.catalogue
    return Codebook(
        questions=tuple(map(shown_by, filter(_is_asked, catalogue.questions))),
        study=structs.replace(
            Study(
                survey.name,
                survey.manifest.description,
                catalogue.base_namespace,
                catalogue.location_question,
                survey.record.base_of,
                survey.record.sizes,
            ),
            **study_of(survey.manifest),
        ),
        categories=catalogue.categories,
        datasets=catalogue.datasets,
        namespaces=catalogue.namespaces,
    )


def joined_codebook(old: Codebook, new: Codebook) -> Codebook:
    """A codebook with the questions, answers, waves and texts of another that it does not have."""
    known = {f"{each.namespace or old.study.namespace}.{each.code}": each for each in old.questions}
    for each in new.questions:
        code = f"{each.namespace or new.study.namespace}.{each.code}"
        known[code] = _with_more(known[code], each) if code in known else each
    codes = {each.code for each in old.waves}
    waves = (*old.waves, *(each for each in new.waves if each.code not in codes))
    texts = {each.column: each for each in (*new.texts, *old.texts)}
    return structs.replace(
        old, questions=tuple(known.values()), waves=waves, texts=tuple(texts.values())
    )


def _with_more(old: CodedQuestion, new: CodedQuestion) -> CodedQuestion:
    """A question with the answers of another that it lacks, by their codes."""
    points, suffixes = datapoint_codes(old, old.points), suffix_codes(old.suffixes)
    more = [
        structs.replace(point, code=code)
        for code, point in zip(datapoint_codes(new, new.points), new.points, strict=True)
        if code not in points
    ]
    added = [
        structs.replace(suffix, code=code)
        for code, suffix in zip(suffix_codes(new.suffixes), new.suffixes, strict=True)
        if code not in suffixes
    ]
    breaks = tuple(dict.fromkeys([*old.breaks, *new.breaks]))
    if not more and not added:
        return structs.replace(old, breaks=breaks)
    coded = zip(points, old.points, strict=True)
    # Codes are written out: new answers would change those that follow from position or value.
    own = [structs.replace(point, code=code) for code, point in coded] if more else old.points
    scale = zip(suffixes, old.suffixes, strict=True)
    kept = [structs.replace(suffix, code=code) for code, suffix in scale]
    return structs.replace(
        old,
        labels={} if more else old.labels,
        datapoints=(*own, *more) if more else old.datapoints,
        suffixes=(*kept, *added),
        breaks=breaks,
    )


def _is_asked(question: SurveyQuestion) -> bool:
    return DERIVED_FLAG not in question.flags


def shown_by(question: SurveyQuestion) -> CodedQuestion:
    """The question of a codebook that makes a question of a catalogue."""
    flags = [flag for flag in question.flags if not flag.startswith(RECORD_FLAGS)]
    known = {
        prefix: flag.removeprefix(prefix)
        for flag in question.flags
        for prefix in RECORD_FLAGS
        if flag.startswith(prefix)
    }
    coded = CodedQuestion(
        **{name: getattr(question, name) for name in _PASSED_ON},
        namespace=question.namespace_code,
        flags=tuple(flags),
    )
    of_scale = question.suffixes if question.kind == "grid" else question.datapoints
    off = [_value(question, each.code) for each in of_scale if _is_off(question, each)]
    top, ends, form = (known.get(prefix) for prefix in (TOP_FLAG, ENDS_FLAG, FORM_FLAG))
    return structs.replace(
        coded,
        column=question.code if question.kind == "single" else None,
        datapoints=tuple(_point(question, each) for each in question.datapoints),
        suffixes=tuple(
            CodedSuffix(each.name, each.code, each.code, (), _number(each))
            for each in question.suffixes
        ),
        selected=("1",) if question.kind != "single" else (),
        top=top if top in ("first", "last", "none") else None,
        ends=ends if ends in ("opposite", "amount") else None,
        form=form if form in ("numeric", "rank", "sum") else None,
        universe=unquote(known.get(UNIVERSE_FLAG, "")),
        breaks=tuple(CodedBreak(each.wave, each.why) for each in breaks_of(question.flags)),
        # Bare, the flag says that no answer is off the scale.
        off_scale=tuple(off) if off or OFF_SCALE_FLAG in question.flags else None,
    )


def _is_off(question: SurveyQuestion, answer: Datapoint | Suffix) -> bool:
    return f"{OFF_SCALE_FLAG}{answer.code}" in question.flags


def _point(question: SurveyQuestion, point: Datapoint) -> CodedDatapoint:
    single = question.kind == "single"
    return CodedDatapoint(
        point.name,
        point.code,
        value=_value(question, point.code) if single else None,
        column=point.code if question.kind == "multiple" else None,
        columns={each.code: f"{point.code}:{each.code}" for each in question.suffixes},
        midpoint=_number(point),
        accessible=point.accessible,
    )


def _value(question: SurveyQuestion, code: str) -> str:
    """What the code of an answer ends with, which most imports took from the file: 99 of q5_99."""
    return code if question.kind == "grid" else code.removeprefix(f"{question.code}_") or code


def _number(answer: Datapoint | Suffix) -> float | None:
    return None if answer.midpoint is None else float(answer.midpoint.value)
