"""Field types that know the survey: expressions, audiences and codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    if context.codes is None:
        raise TypeError("These fields need the codes of a survey.")
    return context.codes


@dataclass(frozen=True, slots=True)
class SubmittedAudience:
    """An audience of a query.

    written: the object as it was sent, for the echo in a crosstab cell; None is the base where no
        base audience was sent.
    """

    id: str = ""
    name: str = ""
    expression: Expression | None = None
    written: dict[str, Any] | None = None


@dataclass(frozen=True)
class ExpressionForm:
    """An audience expression, valid in its form, with any codes; read as an `Expression`."""

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
            context.faults.extend(fault.under(pointer) for fault in found)
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
    """Report each id that another audience of the same list has; an empty one is not an id.

    The results of two audiences with one id could not be distinguished.
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
            context.faults.extend(codes_of(context).in_question(pointer, code))
        return code

    def schema(self, limits: Limits) -> Schema:
        return Text(shortest=1).schema(limits)


@dataclass(frozen=True)
class SurveyCodes:
    """An array of codes of the survey.

    check: finds the faults of such codes, such as `Codes.in_waves`.
    """

    check: Callable[[Codes, str, Sequence[str | None]], Iterator[CodeFault]]

    def read(self, value: Any, pointer: str, context: ValidationContext) -> list[str | None] | None:
        codes = _CODE_LIST.read(value, pointer, context)
        context.faults.extend(self.check(codes_of(context), pointer, codes or ()))
        return codes

    def schema(self, limits: Limits) -> Schema:
        return _CODE_LIST.schema(limits)


_CODE_LIST = ListOf(Text(shortest=1))

WAVE_CODES = SurveyCodes(Codes.in_waves)
LOCATION_CODES = SurveyCodes(Codes.in_locations)
DATASET_CODES = SurveyCodes(Codes.in_datasets)
