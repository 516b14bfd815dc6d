"""The catalogue's operations under the names that a client gives them (`client.questions.get`).

Arguments are looked at and answers checked here; requests are built in `operations`, and how a
call goes is the flow's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeVar

from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.messages import Call
from audiencelab.client.operations import catalogue
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.wire import Category, Question, QuestionKey

__all__ = ["Categories", "Questions", "Runner"]

T = TypeVar("T")


class Runner(Protocol):
    """Performs a call: the client's own way, errors and all."""

    def __call__(self, call: Call[T]) -> T: ...


class Questions:
    """The question operations of a client."""

    def __init__(self, run: Runner, canonical: Callable[[str], str]) -> None:
        self._run = run
        self._canonical = canonical

    def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        """Questions by code, or all accessible ones (POST /v3/questions/filter).

        include: any of "datapoints", "categories" and "taxonomy_paths", as a list or as
            `{"datapoints": True, …}`.

        Raises `UnknownCodeError` if the service leaves some of `questions` out of its answer.
        """
        keys = None
        if questions is not None:
            keys = catalogue.question_keys(questions, self._canonical)
        answer = self._run(catalogue.questions_filter(keys, include))
        _check_found(keys or (), answer)
        return answer

    def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        """One question (GET /v2/questions/{question_code}).

        include: any of "categories" and "datapoints". Raises `NotFound`.
        """
        return self._run(catalogue.question(self._canonical(code), include))

    def __repr__(self) -> str:
        return "<Questions of a client: .filter(codes), .get(code)>"


class Categories:
    """The category operations of a client."""

    def __init__(self, run: Runner) -> None:
        self._run = run

    def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        """One category (GET /v2/categories/{category_id}).

        include: any of "children", "lineage", "attribute_count", "datasets" and
        "descendant_attributes". Raises `NotFound`.
        """
        return self._run(catalogue.category(category_id, include))

    def __repr__(self) -> str:
        return "<Categories of a client: .get(id)>"


def _check_found(keys: Iterable[QuestionKey], answer: QuestionsAnswer) -> None:
    came = {(each.namespace_code, each.code) for each in answer.questions}
    missing = [
        f"{key.namespace_code}.{key.question}"
        for key in keys
        if (key.namespace_code, key.question) not in came
    ]
    if missing:
        raise UnknownCodeError(
            f"The service knows no question {', '.join(map(repr, missing))}, or does not show it.",
            missing,
        )
