"""The questions that a snapshot holds where it does not hold the whole catalogue.

Clients of 1.0 and 2.0 requested the names of codes question by question, when a result needed them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from audiencelab.client.decoding import reader
from audiencelab.client.snapshots.format import UNREADABLE, Exchange
from audiencelab.expressions import join_code, split_code
from audiencelab.schema import Question
from audiencelab.schema.endpoints import FILTER_QUESTIONS, GET_QUESTION, endpoint_of


class _Questions(msgspec.Struct):
    """An answer of either operation."""

    questions: list[Question] = []
    question: Question | None = None


_read = reader(_Questions)


def recorded_questions(exchanges: Iterable[Exchange], base_namespace: str) -> list[Question]:
    """Each question once, with its datapoints if any answer has them."""
    found: dict[str, Question] = {}
    for each in exchanges:
        is_of_questions = endpoint_of(each.method, each.path) in (FILTER_QUESTIONS, GET_QUESTION)
        if not is_of_questions or each.status != 200 or not each.complete:
            continue
        try:
            answer = _read(each.content)
        except UNREADABLE:
            continue
        for question in (*answer.questions, *filter(None, (answer.question,))):
            code = join_code(*split_code(question.code, question.namespace_code or base_namespace))
            if code not in found or found[code].datapoints is None:
                found[code] = question
    return list(found.values())
