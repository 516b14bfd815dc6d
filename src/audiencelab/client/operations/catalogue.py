"""The question and category operations of a client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audiencelab.client.arguments import code as code_of
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.operations.group import OperationGroup
from audiencelab.client.questions import (
    QuestionsAnswer,
    build_category,
    build_question,
    build_questions_filter,
    question_keys,
)
from audiencelab.client.sending import Sender, ask, catalogue_for_hints, load_names
from audiencelab.schema import Category, Question, QuestionKey, Suffix


class Questions(OperationGroup):
    """The question operations of a client."""

    def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        """Questions by code, or all accessible ones.

        include: any of "datapoints", "categories" and "taxonomy_paths", as a list or as
            `{"datapoints": True, …}`.

        Raises `UnknownCodeError` if the service leaves some of `questions` out of its response.

        >>> len(client.questions.filter(["q2", "q4"]).questions)
        2

        It sends POST /v3/questions/filter.
        """
        context, keys = self._sender.context, None
        if questions is not None:
            keys = question_keys(questions, context.names.canonical)
        answer = ask(self._sender, build_questions_filter(keys, include))
        # The namespace of a question without one is the base namespace.
        base = context.base_namespace
        came = {(each.namespace_code or base, each.code) for each in answer.questions}
        missing = [
            f"{key.namespace_code}.{key.question}"
            for key in keys or ()
            if (key.namespace_code, key.question) not in came
        ]
        if missing:
            known = catalogue_for_hints(self._sender)
            guesses = [known.guess(code) for code in missing] if known else []
            raise UnknownCodeError(
                f"The service has no question {', '.join(map(repr, missing))}, or does not show it."
                + "".join(dict.fromkeys(guesses)),
                missing,
            )
        return answer

    def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        """One question.

        include: any of "categories" and "datapoints". Raises `NotFound`.

        >>> client.questions.get("core.q2").name
        'Gender'

        It sends GET /v2/questions/{question_code}.
        """
        context = self._sender.context
        full = context.names.canonical(code_of("code", code))
        return ask(self._sender, build_question(full, include, context.include_parameter))


class Categories(OperationGroup):
    """The category operations of a client."""

    def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        """One category.

        include: any of "children", "lineage", "attribute_count", "datasets" and
        "descendant_attributes". Raises `NotFound`.

        >>> client.categories.get("110").name
        'Who you are'

        It sends GET /v2/categories/{category_id}.
        """
        parameter = self._sender.context.include_parameter
        return ask(self._sender, build_category(category_id, include, parameter))


def scale_points(sender: Sender, question: str) -> Sequence[Suffix]:
    """The points of a question's scale; raises `NotFound` where it has no such question."""
    load_names(sender, [question])
    if known := sender.context.names.of_code(question):
        return known.suffixes
    return Questions(sender).get(question).suffixes
