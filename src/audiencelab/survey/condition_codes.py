"""The codes that expressions name, checked against a catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from audiencelab.expressions import Condition, Expression, Leaf, walk
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.survey.catalogue import CatalogueLabels, SurveyCatalogue, SurveyQuestion
from audiencelab.survey.errors import listed


def conditions_of(expressions: Iterable[Expression]) -> Iterator[Condition]:
    """The leaves and ranges of expressions."""
    return (node for each in expressions for _, node in walk(each) if isinstance(node, Condition))


def questions_of(expressions: Iterable[Expression]) -> tuple[str, ...]:
    """The codes of the questions that expressions name, as they are written, each once."""
    codes = (each.question for each in conditions_of(expressions))
    return tuple(dict.fromkeys(code for code in codes if code != WAVES))


def described(catalogue: SurveyCatalogue, expression: Expression) -> str:
    """An expression as a sentence with the names of a catalogue."""
    return expression.describe(CatalogueLabels(catalogue))


def expression_faults(catalogue: SurveyCatalogue, expression: Expression) -> Iterator[str]:
    """A sentence for each code that is not there; the questions are."""
    if not questions_of([expression]):
        yield "Name a question: the waves alone make no group."
    for question, leaf in leaves_of(catalogue, [expression]):
        for what, codes, known in (
            ("datapoint", leaf.datapoints, {*question.datapoint_positions, ASKED}),
            ("suffix", leaf.suffixes, {*question.suffix_positions}),
        ):
            if unknown := [code for code in codes if code not in known]:
                yield f"{question.canonical} has no {what} {listed(unknown)}."


def uses_accessible(catalogue: SurveyCatalogue, expressions: Iterable[Expression]) -> bool:
    """Whether all answers that expressions name are accessible."""
    return all(
        question.datapoint(code).accessible
        for question, leaf in leaves_of(catalogue, expressions)
        for code in leaf.datapoints or question.datapoint_positions
        if code != ASKED
    )


def leaves_of(
    catalogue: SurveyCatalogue, expressions: Iterable[Expression]
) -> Iterator[tuple[SurveyQuestion, Leaf]]:
    """The leaves of expressions on questions, with these."""
    for each in conditions_of(expressions):
        if isinstance(each, Leaf) and each.question != WAVES:
            yield catalogue.question(each.question), each
