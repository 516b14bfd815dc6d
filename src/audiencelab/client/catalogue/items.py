"""Items of grids and of questions with several answers as questions: `client["q4_1"]`."""

from __future__ import annotations

from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.expressions.codes import join_code, split_code
from audiencelab.schema import Datapoint
from audiencelab.schema.catalogue import KIND_FLAG


def items_of(question: CatalogueQuestion) -> dict[str, CatalogueQuestion]:
    """The items of a question by their codes with namespace, which name columns of a file.

    An item of a grid has the points of the scale as its answers; one of a question with several
    answers has that answer alone. Other questions have none.
    """
    if not question.suffixes and question.record.kind != "multiple":
        return {}
    namespace, _ = split_code(question.canonical)
    return {
        join_code(namespace, each.code): _as_question(question, each, namespace)
        for each in question.datapoints
    }


def _as_question(parent: CatalogueQuestion, item: Datapoint, namespace: str) -> CatalogueQuestion:
    flags = [each for each in parent.record.flags if not each.startswith(KIND_FLAG)]
    points = [
        Datapoint(code=each.code, name=each.name, midpoint=each.midpoint, order=each.order)
        for each in parent.suffixes
    ]
    record = parent.record.__replace__(
        code=item.code,
        name=(item.name or item.code) if points else parent.name,
        flags=[*flags, f"{KIND_FLAG}{'single' if points else 'multiple'}"],
        datapoints=points or [item],
        suffixes=[],
        accessible=parent.accessible and item.accessible,
    )
    canonical = join_code(namespace, item.code)
    # With its namespace where the code of its question has it.
    code = item.code if parent.code == parent.record.code else canonical
    return CatalogueQuestion(record, code, canonical, parent)
