"""Expressions and audiences as code with names: `client['Age'].isin(['18 to 24'])`.

A name is written where the catalogue has it once, and it is short; a code otherwise. The code makes
an equal expression, given `client` and `audiencelab` as `al`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.errors import UnknownCodeError
from audiencelab.expressions import Audience, Condition, Expression, Leaf, NumberRange
from audiencelab.expressions.audience import describe_name
from audiencelab.expressions.code_writer import (
    expression_code,
    leaf_code,
    needs_brackets,
    quantified,
)
from audiencelab.schema import Datapoint, Suffix
from audiencelab.schema.scales import keeps_numbers

_LONGEST = 60
"""Characters of a name; of a longer one the code is written."""


def named_code(given: Expression | Audience, catalogue: Catalogue | None) -> str:
    """The code of an expression or audience; all by codes without a catalogue."""
    if catalogue is None:
        return given.to_code()
    if isinstance(given, Expression):
        return expression_code(given, lambda condition: _condition_code(condition, catalogue))
    if given.expression is None:
        return given.to_code()
    code = named_code(given.expression, catalogue)
    if code == given.expression.to_code():
        return given.to_code()
    if given.id is not None or not given.name:
        parts = [repr(given.name)] if given.name else []
        parts.append(f"expression={code}" if parts else code)
        parts += [] if given.id is None else [f"id={given.id!r}"]
        return f"al.Audience({', '.join(parts)})"
    closed = f"({code})" if needs_brackets(given.expression) else code
    return f"{closed}.named({given.name!r})"


def unnamed_code(given: Expression | Audience, catalogue: Catalogue | None) -> str:
    """The same without a name that a query gives it anyway, by what it is about."""
    if not isinstance(given, Audience) or given.expression is None or given.id is not None:
        return named_code(given, catalogue)
    is_usual = given.name in ("", describe_name(given.expression, catalogue))
    return named_code(given.expression if is_usual else given, catalogue)


def question_key(question: CatalogueQuestion, catalogue: Catalogue) -> str:
    """The name of a question if it finds the question again, its code otherwise."""
    try:
        found = len(question.name) <= _LONGEST and catalogue[question.name]
    except UnknownCodeError:
        found = None
    return question.name if found and found.canonical == question.canonical else question.code


def answer_keys(codes: Iterable[str], among: Sequence[Datapoint | Suffix]) -> list[str] | None:
    """The names of answers, or of points of a scale, that find them again, otherwise their codes.

    None where a code is not among them.
    """
    names = {each.code: each.name for each in among}
    times = Counter(names.values())
    keys: list[str] = []
    for code in codes:
        if (name := names.get(code)) is None:
            return None
        # A name that is the code of another answer would find that one.
        is_found = times[name] == 1 and names.get(name, name) == name
        keys.append(name if is_found and 0 < len(name) <= _LONGEST else code)
    return keys


def _condition_code(condition: Condition, catalogue: Catalogue) -> str:
    if condition.question not in catalogue:
        return condition.own_code()
    question = catalogue[condition.question]
    # The same question by another code would be another request.
    if question.code != condition.question:
        return condition.own_code()
    if isinstance(condition, Leaf):
        return _leaf_code(condition, question, catalogue)
    assert isinstance(condition, NumberRange), "a condition is a leaf or a range"
    # Of other questions `client[…]` would make answers.
    if not keeps_numbers(question.record):
        return condition.own_code()
    return condition.code_of(f"client[{question_key(question, catalogue)!r}]")


def _leaf_code(leaf: Leaf, question: CatalogueQuestion, catalogue: Catalogue) -> str:
    answers = answer_keys(leaf.datapoints, question.datapoints)
    points = answer_keys(leaf.suffixes, question.suffixes)
    key = question_key(question, catalogue)
    if answers is None or points is None:
        return leaf_code(leaf)
    if (key, answers, points) == (question.code, [*leaf.datapoints], [*leaf.suffixes]):
        return leaf_code(leaf)
    is_list = bool(answers) and leaf.min_count == 1
    call = f"isin({answers!r})" if is_list else quantified(leaf.min_count, [*map(repr, answers)])
    if points:
        separator = "" if call.endswith("()") else ", "
        scale = repr(points[0] if len(points) == 1 else points)
        call = f"{call[:-1]}{separator}scale={scale})"
    return f"client[{key!r}].{call}"
