"""An audience: an expression with a name, as queries, charts and widgets pass it about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol, cast, runtime_checkable

from audiencelab.errors import Fault
from audiencelab.expressions.expression import Expression, no_expression
from audiencelab.expressions.forms import Form, InvalidExpression, find_faults, parse_expression
from audiencelab.expressions.words import Labels

__all__ = ["Audience", "KeptAudience", "as_audience", "describe_name"]

_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True, repr=False)
class Audience:
    """A named audience; it prints as the code that makes it.

    name: what people read in tables and charts.
    expression: who belongs to it; None means everyone.
    id: how a service knows it; a client gives every audience without one its own before sending.

    Raises `TypeError` for a name or an id that is no text, and for an expression that is none.
    """

    name: str = ""
    expression: Expression | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(
                f"An audience's name is text, not {type(self.name).__name__}: "
                "al.Audience(name='Young', expression=…)."
            )
        if self.expression is not None and not isinstance(self.expression, Expression):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(no_expression("The audience's expression", self.expression))
        if self.id is not None and not isinstance(self.id, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            # Answers tell it as text, and figures are matched by it.
            raise TypeError(f"An audience's id is text, not {type(self.id).__name__}: id=str(…).")

    def __repr__(self) -> str:
        return self.to_code()

    def __invert__(self) -> NoReturn:
        raise TypeError(_combined("~audience", "~audience.expression"))

    def __and__(self, other: object) -> NoReturn:
        raise TypeError(_combined("audience & other", "audience.expression & other"))

    def __or__(self, other: object) -> NoReturn:
        raise TypeError(_combined("audience | other", "audience.expression | other"))

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
        if expression is not None and (faults := find_faults(expression)):
            raise InvalidExpression([fault.under("/expression") for fault in faults])
        return cls(
            name=str(fields.get("name") or ""),
            expression=None if expression is None else parse_expression(expression),
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


def _combined(written: str, meant: str) -> str:
    return (
        f"{written}: what is combined is expressions, and the outcome needs a name of its own: "
        f"al.Audience(name=…, expression={meant})."
    )


@runtime_checkable
class KeptAudience(Protocol):
    """An audience as a service keeps it, among other things that the service knows of it."""

    def to_audience(self) -> Audience: ...


def as_audience(
    value: Audience | KeptAudience | Expression | None, labels: Labels | None = None
) -> Audience:
    """`value` as an audience: an expression is named by its own words, None is everyone.

    Raises `TypeError` for anything else, and `InvalidExpression` for a kept one that is broken.
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
        f"An audience is needed here, not {'an' if kind[0] in 'aeiou' else 'a'} {kind}. "
        "Give an al.Audience(name=…, expression=…) or an expression such as "
        f"al.Q('q4').any('q4_2').{advice}"
    )


def describe_name(expression: Expression | None, labels: Labels | None = None) -> str:
    """A short name for people who belong to `expression`, cut to what a header can hold."""
    if expression is None:
        return "All"
    words = expression.describe(labels)
    return words if len(words) <= _NAME_LENGTH else words[: _NAME_LENGTH - 1] + "…"
