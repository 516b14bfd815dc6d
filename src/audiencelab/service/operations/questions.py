"""The question operations: the filter over all of them, and one by its code."""

from __future__ import annotations

from typing import Any

import msgspec

from audiencelab.expressions import join_code
from audiencelab.schema import Question
from audiencelab.schema.http import Response
from audiencelab.service.catalogue import (
    QUESTION_INCLUDES,
    QUESTIONS_FILTER_INCLUDES,
    question_resource,
)
from audiencelab.service.fields import Flag, ListOf, Record, Text, optional, required
from audiencelab.service.operations.base import Call, Operation, json_response
from audiencelab.service.problems import NotFoundError
from audiencelab.survey import Catalogue, SurveyQuestion

__all__ = ["FILTER_QUESTIONS", "GET_QUESTION"]

_FILTER_BODY = Record(
    {
        "include": optional(
            Record({name: optional(Flag()) for name in QUESTIONS_FILTER_INCLUDES}),
            "Relationships to add to every question.",
        ),
        "questions": optional(
            ListOf(
                Record(
                    {
                        "namespace_code": optional(Text(shortest=1), "Absent: the base namespace."),
                        "question": required(Text(shortest=1), "The question's code."),
                    }
                )
            ),
            "Absent or empty: all accessible questions.",
        ),
    }
)


class QuestionsFound(msgspec.Struct):
    """Questions in the order they were asked for."""

    questions: list[Question]


class QuestionFound(msgspec.Struct):
    """One question."""

    question: Question


def filter_questions(call: Call) -> Response:
    """The questions asked for, in that order, unknown ones left out; by default all accessible."""
    catalogue = call.rooms.survey.catalogue
    asked: dict[str, bool | None] = call.body.get("include") or {}
    include = [name for name, wanted in asked.items() if wanted]
    keys: list[dict[str, Any]] = call.body.get("questions") or []
    if keys:
        found = _known(catalogue, keys)
    else:
        found = [question for question in catalogue.questions if question.accessible]
    return json_response(
        QuestionsFound([question_resource(catalogue, question, include) for question in found])
    )


def get_question(call: Call) -> Response:
    """One question; `accessible` says whether queries may use it."""
    catalogue = call.rooms.survey.catalogue
    try:
        question = catalogue.question(call.path["question_code"])
    except KeyError:
        raise NotFoundError("No question has this code.") from None
    return json_response(QuestionFound(question_resource(catalogue, question, call.include)))


def _known(catalogue: Catalogue, keys: list[dict[str, Any]]) -> list[SurveyQuestion]:
    """The questions of these keys that exist, each once."""
    found: dict[str, SurveyQuestion] = {}
    for key in keys:
        namespace = key.get("namespace_code")
        code = key["question"] if namespace is None else _full(namespace, key["question"])
        try:
            question = catalogue.question(code)
        except KeyError:
            continue
        found[question.canonical] = question
    return list(found.values())


def _full(namespace: str, code: str) -> str:
    """The full code of a pair; a code that carries its namespace already must name the same."""
    return code if code.startswith(f"{namespace}.") else join_code(namespace, code)


FILTER_QUESTIONS = Operation(
    name="filter_questions",
    method="POST",
    path="/v3/questions/filter",
    answer=filter_questions,
    summary="Questions matching the criteria",
    body=_FILTER_BODY,
    may_be_empty=True,
    answers=QuestionsFound,
)

GET_QUESTION = Operation(
    name="get_question",
    method="GET",
    path="/v2/questions/{question_code}",
    answer=get_question,
    summary="One question",
    includes=QUESTION_INCLUDES,
    answers=QuestionFound,
    errors=(404,),
)
