"""FieldType types that know the survey: expressions, audiences, and the codes a query names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from audiencelab.engine import CodeFault, Codes
from audiencelab.expressions import Expression, InvalidExpression, parse_expression
from audiencelab.service.limits import Limits
from audiencelab.service.validation import (
    Identifier,
    ListOf,
    Record,
    Schema,
    Text,
    ValidationContext,
    optional,
)


def codes_of(context: ValidationContext) -> Codes:
    """The codes of the survey that a body is read for."""
    return cast(Codes, context.context)


def report(context: ValidationContext, faults: Sequence[CodeFault]) -> None:
    """Add the faults of codes to a context."""
    context.faults.extend(faults)


@dataclass(frozen=True, slots=True)
class SubmittedAudience:
    """An audience of a query.

    written: the object as it was sent, for the echo in a crosstab cell; None stands for the base
    where no base audience was sent.
    """

    id: str = ""
    name: str = ""
    expression: Expression | None = None
    written: dict[str, Any] | None = None


@dataclass(frozen=True)
class ExpressionForm:
    """An audience expression, sound in its form, whatever its codes; read as an `Expression`."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Expression | None:
        limits = context.limits
        try:
            return parse_expression(value, max_depth=limits.depth, max_nodes=limits.nodes)
        except InvalidExpression as error:
            context.faults.extend(fault.under(pointer) for fault in error.faults)
            return None

    def schema(self, limits: Limits) -> Schema:
        return {"$ref": "#/components/schemas/AudienceExpression"}


@dataclass(frozen=True)
class ExpressionField(ExpressionForm):
    """An audience expression with codes of the survey; read as an `Expression`."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Expression | None:
        expression = super().read(value, pointer, context)
        if expression is not None:
            found = codes_of(context).in_expression(expression)
            report(context, [fault.under(pointer) for fault in found])
        return expression


_AUDIENCE = Record(
    {
        "id": optional(Identifier(), "How the answer names the audience."),
        "name": optional(Text(), "What people read."),
        "expression": optional(ExpressionField(), "Who belongs to it; absent or null: everyone."),
    },
    description="An audience in the query form.",
)


@dataclass(frozen=True)
class AudienceField:
    """An audience in the query form; read as a `SubmittedAudience`."""

    def read(
        self, value: Any, pointer: str, context: ValidationContext
    ) -> SubmittedAudience | None:
        values = _AUDIENCE.read(value, pointer, context)
        if values is None:
            return None
        return SubmittedAudience(
            values.get("id") or "", values.get("name") or "", values.get("expression"), value
        )

    def schema(self, limits: Limits) -> Schema:
        return _AUDIENCE.schema(limits)


def check_ids(pointer: str, ids: Iterable[str | None], context: ValidationContext) -> None:
    """Report each id that another audience of the same list has; an empty one is none.

    The results of two audiences of one id could not be told apart.
    """
    seen: set[str] = set()
    for place, identity in enumerate(ids):
        if identity and identity in seen:
            context.fault(f"{pointer}/{place}/id", "Another audience has this id.")
        elif identity:
            seen.add(identity)


@dataclass(frozen=True)
class AudiencesField:
    """An array of audiences in the query form, each of another id; `most` names its limit."""

    most: str

    def read(
        self, value: Any, pointer: str, context: ValidationContext
    ) -> list[SubmittedAudience | None] | None:
        audiences = ListOf(AudienceField(), most=self.most).read(value, pointer, context)
        check_ids(pointer, (each and each.id for each in audiences or ()), context)
        return audiences

    def schema(self, limits: Limits) -> Schema:
        return ListOf(AudienceField(), most=self.most).schema(limits)


@dataclass(frozen=True)
class QuestionCode:
    """A question code of the survey, with or without namespace, or `waves`."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        code = Text(shortest=1).read(value, pointer, context)
        if code is not None:
            report(context, list(codes_of(context).in_question(pointer, code)))
        return code

    def schema(self, limits: Limits) -> Schema:
        return Text(shortest=1).schema(limits)


@dataclass(frozen=True)
class WaveCodes:
    """An array of wave codes of the survey."""

    _list = ListOf(Text(shortest=1))

    def read(self, value: Any, pointer: str, context: ValidationContext) -> list[str | None] | None:
        codes = self._list.read(value, pointer, context)
        report(context, list(codes_of(context).in_waves(pointer, codes or ())))
        return codes

    def schema(self, limits: Limits) -> Schema:
        return self._list.schema(limits)


@dataclass(frozen=True)
class DatasetCodes:
    """An array of dataset codes of the survey."""

    _list = ListOf(Text(shortest=1))

    def read(self, value: Any, pointer: str, context: ValidationContext) -> list[str | None] | None:
        codes = self._list.read(value, pointer, context)
        report(context, list(codes_of(context).in_datasets(pointer, codes or ())))
        return codes

    def schema(self, limits: Limits) -> Schema:
        return self._list.schema(limits)


@dataclass(frozen=True)
class LocationCodes:
    """An array of location codes of the survey."""

    _list = ListOf(Text(shortest=1))

    def read(self, value: Any, pointer: str, context: ValidationContext) -> list[str | None] | None:
        codes = self._list.read(value, pointer, context)
        report(context, list(codes_of(context).in_locations(pointer, codes or ())))
        return codes

    def schema(self, limits: Limits) -> Schema:
        return self._list.schema(limits)
