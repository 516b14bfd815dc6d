"""What counts as an audience, and the name of one that has none."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from audiencelab.expressions.labels import Labels
from audiencelab.expressions.nodes import Audience, Expression

_NAME_LENGTH = 80


@runtime_checkable
class KeptAudience(Protocol):
    """An audience saved in a service."""

    def to_audience(self) -> Audience: ...


def as_audience(
    value: Audience | KeptAudience | Expression | None, labels: Labels | None = None
) -> Audience:
    """`value` as an audience: an expression is named by its sentence, None is everyone.

    Raises `TypeError` for anything else, and `InvalidExpression` for a damaged saved one.
    """
    if isinstance(value, KeptAudience):
        value = value.to_audience()
    if isinstance(value, Audience):
        return value if value.name else value.renamed(describe_name(value.expression, labels))
    if value is None or isinstance(value, Expression):
        return Audience(name=describe_name(value, labels), expression=value)
    kind = type(value).__name__
    advice = (
        f" One for each answer of a question: client.catalogue.audiences({value!r})."
        if isinstance(value, str)
        else ""
    )
    raise TypeError(
        f"Must be an audience; got {kind}. "
        "Give an al.Audience(name=…, expression=…) or an expression such as "
        f"al.Q('q4').any('q4_2').{advice}"
    )


def describe_name(expression: Expression | None, labels: Labels | None = None) -> str:
    """A name for the people of `expression`, cut to the width of a header."""
    if expression is None:
        return "All"
    words = expression.describe(labels)
    return words if len(words) <= _NAME_LENGTH else words[: _NAME_LENGTH - 1] + "…"
