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
    raise TypeError(not_an_audience(value))


def not_an_audience(value: object) -> str:
    """What to write in place of something that is not an audience."""
    said = f"Must be an audience; got {type(value).__name__}."
    if isinstance(value, bool):
        said += " A name compared with ==, 'q1' == 1, is a bool; a question is client['q1'] == 1."
    if hasattr(value, "iloc"):
        said += " The survey counts its own respondents, not rows of a frame."
    return (
        f"{said} Give an al.Audience(name=…, expression=…) or an expression, such as "
        "client['question'] == 'answer'; the catalogue has the names of both. "
        "Write client.catalogue."
    )


def describe_name(expression: Expression | None, labels: Labels | None = None) -> str:
    """A name for the people of `expression`, cut to the width of a header."""
    if expression is None:
        return "All"
    words = expression.describe(labels)
    return words if len(words) <= _NAME_LENGTH else words[: _NAME_LENGTH - 1] + "…"
