"""Make one question with several answers of questions with two answers each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from msgspec import structs

from audiencelab.ingest.answers import answer_codes
from audiencelab.ingest.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    canonical_value,
    meanings_of,
)
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.meaning.multiple import Choice, ItemColumn, choice_of
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey.errors import SurveyError, listed


def as_multiple(codebook: Codebook, places: Sequence[int], name: str) -> Codebook:
    """The codebook with a multiple question in place of single ones, each of them an item.

    Which of their two values means "chosen" is decided as for the columns of a file. name: of the
    question; by default what their names begin with. Raises `SurveyError` for other questions.
    """
    questions = [codebook.questions[place] for place in places]
    codes = listed([each.code for each in questions])
    if len({*places}) < max(2, len(places)):
        raise SurveyError(
            f'kind="multiple" is not valid for {codes}: it is of two questions or more, each once.'
        )
    for question in questions:
        _check_item(question)
    choice = choice_of([*map(_item, questions)])
    if not isinstance(choice, Choice):
        values = listed([repr(each.name) for each in questions[0].points])
        raise SurveyError(
            f'kind="multiple" is not valid for {codes}: which of {values} means "chosen" is not '
            'known. Name the answers first, as in labels={1: "chosen", 2: "not chosen"}.'
        )
    first = min(places)
    made = _multiple(questions, choice, _free_code(codebook, questions), name)
    others = {*places} - {first}
    kept = [made if place == first else each for place, each in enumerate(codebook.questions)]
    changed = [each for place, each in enumerate(kept) if place not in others]
    return structs.replace(codebook, questions=tuple(changed))


def _check_item(question: CodedQuestion) -> None:
    points = question.points
    if question.kind != "single" or len(points) > 2 or any(each.is_band for each in points):
        answers = "several answers" if question.kind != "single" else f"{len(points)} answers"
        raise SurveyError(
            f'kind="multiple" is not valid for {question.code} ({question.name}): it has '
            f"{answers}, and an item has two at most. Leave out other codes with missing= first."
        )


def _item(question: CodedQuestion) -> ItemColumn:
    labels = {value: each.name for each in question.points for value in meanings_of(each)}
    profile = ColumnProfile(
        question.code, 0, dict.fromkeys(labels, 1), Variable(question.name, labels)
    )
    return ItemColumn(question.name, profile)


def _multiple(
    questions: Sequence[CodedQuestion], choice: Choice, code: str, name: str
) -> CodedQuestion:
    stem, names = _names([each.name for each in questions])
    first, rejected = questions[0], dict.fromkeys(choice.not_chosen)
    return structs.replace(
        CodedQuestion(code, name or stem or code, "multiple"),
        datapoints=tuple(
            CodedDatapoint(
                own or called,
                each.code,
                # Where one value means chosen in all of them, `selected` has it once.
                value=None if choice.chosen else _chosen(each, rejected),
                column=each.column,
            )
            for each, called, own in zip(
                questions, names, choice.names or [""] * len(names), strict=True
            )
        ),
        selected=choice.chosen,
        not_selected=tuple(rejected) or None,
        not_asked=first.not_asked,
        missing=tuple({canonical_value(v): v for each in questions for v in each.missing}.values()),
        namespace=first.namespace,
        categories=first.categories,
        datasets=first.datasets,
        accessible=all(each.accessible for each in questions),
        universe=first.universe,
        asked_of=first.asked_of,
    )


def _chosen(question: CodedQuestion, rejected: dict[str, None]) -> str | None:
    values = [value for each in question.points for value in meanings_of(each)]
    return next((value for value in values if value not in rejected), None)


def _names(names: Sequence[str]) -> tuple[str, list[str]]:
    """What names begin with, up to a colon or a dash, and what is left of each."""
    found = re.match(r"(.*\S)\s*[:\-–—|]\s+", _beginning(names))
    if found is None or any(len(name) <= found.end() for name in names):
        return "", [*names]
    return found[1], [name[found.end() :] for name in names]


def _free_code(codebook: Codebook, questions: Sequence[CodedQuestion]) -> str:
    """The stem of the questions' codes, where no other question has it; else the first code."""
    codes = [each.code for each in questions]
    stem = _beginning(codes).rstrip("_-")
    taken = {each.code for each in codebook.questions} - {*codes}
    answers = {code for each in questions for code in (each.code, *answer_codes(each))}
    return stem if stem and stem not in taken | answers else codes[0]


def _beginning(texts: Sequence[str]) -> str:
    """What all of some texts begin with."""
    alike = takewhile(lambda signs: len({*signs}) == 1, zip(*texts, strict=False))
    return "".join(signs[0] for signs in alike)
