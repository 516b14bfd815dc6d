"""An audience: an expression with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast, runtime_checkable

from audiencelab.errors import Fault
from audiencelab.expressions.nodes import Expression, Form, Labels, not_an_expression
from audiencelab.expressions.parsing import InvalidExpression, parse_expression

_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True, repr=False)
class Audience:
    """A named audience; it prints as the code that makes it.

    name: what people read in tables and charts.
    expression: who belongs to it; None means everyone.
    id: its identifier in requests and responses; a client assigns one before sending.

    Raises `TypeError` for a name or an id that is not a str, or another kind of expression.
    """

    name: str = ""
    expression: Expression | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(
                f"name of an audience must be a str; got {type(self.name).__name__}: "
                "al.Audience(name='Young', expression=…)."
            )
        if self.expression is not None and not isinstance(self.expression, Expression):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(not_an_expression("The audience's expression", self.expression))
        if self.id is not None and not isinstance(self.id, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            # Responses hold it as text, and cells are matched by it.
            raise TypeError(
                f"id of an audience must be a str; got {type(self.id).__name__}: id=str(…)."
            )

    def __repr__(self) -> str:
        return self.to_code()

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        """The audience as a JSON object of the service; absent parts are left out."""
        written: dict[str, Any] = {"name": self.name} if self.name else {}
        if self.id is not None:
            written["id"] = self.id
        if self.expression is not None:
            written["expression"] = self.expression.to_wire(form)
        return written

    @classmethod
    def from_wire(cls, data: object) -> Audience:
        """The audience of a JSON object; raises `InvalidExpression` with every fault."""
        if not isinstance(data, Mapping):
            raise InvalidExpression([Fault("", "An audience must be an object.")])
        fields = cast(Mapping[str, Any], data)
        expression = fields.get("expression")
        if expression is not None:
            expression = parse_expression(expression, pointer="/expression")
        return cls(
            name=str(fields.get("name") or ""),
            expression=expression,
            id=None if fields.get("id") is None else str(fields["id"]),
        )

    def to_code(self) -> str:
        """Python code that evaluates to an equal audience, given `audiencelab` as `al`."""
        parts = [f"name={self.name!r}"] if self.name else []
        if self.expression is not None:
            parts.append(f"expression={self.expression.to_code()}")
        if self.id is not None:
            parts.append(f"id={self.id!r}")
        return f"al.Audience({', '.join(parts)})"

    def describe(self, labels: Labels | None = None) -> str:
        """Who belongs to the audience, as a sentence."""
        return "everyone" if self.expression is None else self.expression.describe(labels)

    def renamed(self, name: str) -> Audience:
        """The same people under another name."""
        return replace(self, name=name)


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
    if value is None or isinstance(value, Expression):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
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
