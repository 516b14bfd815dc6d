"""Questions and categories: asked for, and what is missing from an answer named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from audiencelab.client.calls.asking import ask, catalogue_for_advice
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.flow import Flow
from audiencelab.client.operations import catalogue
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.operations.codes import code as code_of
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.schema import Category, Question, QuestionKey

__all__ = ["filter_questions", "get_category", "get_question"]


def filter_questions(
    session: Session,
    options: Options,
    questions: Iterable[str | QuestionKey] | None,
    include: Mapping[str, bool] | Iterable[str] | None,
) -> Flow[QuestionsAnswer]:
    """See `Questions.filter`."""
    keys = None
    if questions is not None:
        keys = catalogue.question_keys(questions, session.book.canonical)
    call = catalogue.questions_filter(keys, include)
    answer = yield from ask(session, options, call)
    if missing := _missing(keys or (), answer, session.base_namespace):
        known = yield from catalogue_for_advice(session, options)
        guesses = [known.guess(code) for code in missing] if known else []
        raise UnknownCodeError(
            f"The service knows no question {', '.join(map(repr, missing))}, or does not show it."
            + "".join(dict.fromkeys(guesses)),
            missing,
        )
    return answer


def get_question(
    session: Session, options: Options, code: str, include: Iterable[str]
) -> Flow[Question]:
    """See `Questions.get`."""
    full = session.book.canonical(code_of("code", code))
    call = catalogue.question(full, include, session.include_parameter)
    return (yield from ask(session, options, call))


def get_category(
    session: Session, options: Options, category_id: str, include: Iterable[str]
) -> Flow[Category]:
    """See `Categories.get`."""
    call = catalogue.category(category_id, include, session.include_parameter)
    return (yield from ask(session, options, call))


def _missing(keys: Iterable[QuestionKey], answer: QuestionsAnswer, base: str) -> list[str]:
    """The full codes that were asked for and did not come.

    base: the namespace of a question that tells none.
    """
    came = {(each.namespace_code or base, each.code) for each in answer.questions}
    return [
        f"{key.namespace_code}.{key.question}"
        for key in keys
        if (key.namespace_code, key.question) not in came
    ]
