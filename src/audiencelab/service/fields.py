"""Declarative types of JSON bodies: each reads a value, reports its faults and has a JSON schema.

A body is declared once, as a `Record` of fields. The declaration gives both the validation, with
a JSON pointer for every fault, and the schema in the OpenAPI document. An invalid value is reported
and read as None, so that the rest is still validated. Null means that a field is absent: in a
query as if it were left out, in an update as it was before it was first given.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol, cast

from msgspec import UnsetType

from audiencelab.engine import CodeFault, Codes
from audiencelab.errors import Fault
from audiencelab.expressions import Audience, Expression, InvalidExpression, parse_expression
from audiencelab.schema.scope import BASES_OF, Scope
from audiencelab.service.limits import Limits

Schema = dict[str, Any]

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_FIELD_NAME = re.compile(r"[a-z][a-z_0-9]{0,31}")

_MAX_INTEGER = 2**63 - 1
"""Larger integers are not portable in JSON."""


@dataclass
class ValidationContext:
    """The validation of one body: its limits, the codes of the survey, and the faults so far."""

    limits: Limits
    codes: Codes
    faults: list[Fault] = dataclasses.field(default_factory=list[Fault])

    def fault(self, pointer: str, detail: str) -> None:
        """Report one fault."""
        self.faults.append(Fault(pointer, detail))


class FieldType(Protocol):
    """A type of JSON value."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Any:
        """The value as the operation takes it, or None after reporting its faults."""
        ...

    def schema(self, limits: Limits) -> Schema:
        """Its JSON schema."""
        ...


@dataclass(frozen=True)
class Text:
    """A string; `limit` names the limit (of `Limits`) on its length."""

    min_length: int = 0
    limit: str = "text"

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        most = int(getattr(context.limits, self.limit))
        if not isinstance(value, str):
            context.fault(pointer, "Must be a string.")
        elif len(value) < self.min_length:
            context.fault(pointer, "Must not be empty.")
        elif len(value) > most:
            context.fault(
                pointer, f"Has {len(value):,} characters; the limit ({self.limit}) is {most:,}."
            )
        else:
            return value
        return None

    def schema(self, limits: Limits) -> Schema:
        shortest = {"minLength": self.min_length} if self.min_length else {}
        return {"type": "string", **shortest, "maxLength": getattr(limits, self.limit)}


@dataclass(frozen=True)
class Integer:
    """An integer within bounds, both included; `most` may name a limit (of `Limits`)."""

    least: int = -_MAX_INTEGER
    most: int | str = _MAX_INTEGER

    def read(self, value: Any, pointer: str, context: ValidationContext) -> int | None:
        if not isinstance(value, int) or isinstance(value, bool):
            context.fault(pointer, "Must be an integer.")
        elif value < self.least:
            context.fault(pointer, f"Must be at least {self.least:,}.")
        elif value > (most := self._most(context.limits)):
            named = f", the limit ({self.most})" if isinstance(self.most, str) else ""
            context.fault(pointer, f"Must be at most {most:,}{named}.")
        else:
            return value
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self._most(limits)}

    def _most(self, limits: Limits) -> int:
        return int(getattr(limits, self.most)) if isinstance(self.most, str) else self.most


@dataclass(frozen=True)
class Scalar:
    """A value that `convert` accepts; it returns None for any other."""

    convert: Callable[[Any], Any]
    fault: str
    json_schema: Schema

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Any:
        converted = self.convert(value)
        if converted is None:
            context.fault(pointer, self.fault)
        return converted

    def schema(self, limits: Limits) -> Schema:
        return dict(self.json_schema)


def _to_suffix(value: Any) -> str | None:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_integer or (isinstance(value, str) and value) else None


def _to_float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def is_uuid(value: Any) -> bool:
    """Whether a value is a UUID in its usual form. The nil UUID is one too."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


CODE = Text(min_length=1)

IDENTIFIER = Text(limit="identifier")
"""An id of the caller's own, which every result repeats."""

FLAG = Scalar(
    lambda value: value if isinstance(value, bool) else None,
    "Must be true or false.",
    {"type": "boolean"},
)

NUMBER = Scalar(_to_float, "Must be a number.", {"type": "number"})

SUFFIX_CODE = Scalar(
    _to_suffix,
    "Must be a suffix code, as a string or an integer.",
    {"type": ["string", "integer"], "minLength": 1},
)

UUID = Scalar(
    lambda value: value.lower() if is_uuid(value) else None,
    "Must be a UUID, such as 00000000-0000-0000-0000-000000000000.",
    {"type": "string", "format": "uuid", "pattern": f"^{_UUID.pattern}$"},
)


def choice(*values: str) -> Scalar:
    """One of a few strings."""
    return Scalar(
        lambda value: value if value in values else None,
        f"Must be one of {', '.join(values)}.",
        {"type": "string", "enum": list(values)},
    )


@dataclass(frozen=True)
class ListOf:
    """An array of one type; `most` names the limit (of `Limits`) on its length.

    An invalid item is read as None and keeps its position.

    id_of: the id of an item as it was read. Two items must not have the same, since their results
        could not be distinguished; an empty one is not an id.
    """

    item: FieldType
    most: str = "items"
    id_of: Callable[[Any], str | None] | None = None

    def read(self, value: Any, pointer: str, context: ValidationContext) -> list[Any] | None:
        if not isinstance(value, list):
            context.fault(pointer, "Must be an array.")
            return None
        items = cast(list[Any], value)
        limit = int(getattr(context.limits, self.most))
        if len(items) > limit:
            context.fault(
                pointer, f"Has {len(items):,} items; the limit ({self.most}) is {limit:,}."
            )
            return None
        read = self.item.read
        found = [read(item, f"{pointer}/{i}", context) for i, item in enumerate(items)]
        if self.id_of is not None:
            seen: set[str] = set()
            for i, each in enumerate(found):
                identity = None if each is None else self.id_of(each)
                if identity and identity in seen:
                    context.fault(f"{pointer}/{i}/id", "Another audience has this id.")
                elif identity:
                    seen.add(identity)
        return found

    def schema(self, limits: Limits) -> Schema:
        most = int(getattr(limits, self.most))
        return {"type": "array", "items": self.item.schema(limits), "maxItems": most}


@dataclass(frozen=True)
class Field:
    """A field of a record: its type, whether it is required, and its description.

    is_nullable: whether an optional field may be null.
    """

    type: FieldType
    is_required: bool = False
    description: str = ""
    is_nullable: bool = True

    def schema(self, limits: Limits) -> Schema:
        """The JSON schema of its value."""
        schema = self.type.schema(limits)
        if self.is_nullable and not self.is_required:
            schema = _or_null(schema)
        return {**schema, "description": self.description} if self.description else schema


def _or_null(schema: Schema) -> Schema:
    # An enum admits only its own values, and a reference has no type to extend.
    if "enum" in schema or "type" not in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds: list[str] = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return {**schema, "type": [*kinds, "null"]}


def required(of: FieldType, description: str = "") -> Field:
    """A field that must be given."""
    return Field(of, True, description)


def optional(of: FieldType, description: str = "") -> Field:
    """A field that may be left out or null."""
    return Field(of, False, description)


def not_null(of: FieldType, description: str = "") -> Field:
    """A field that an update may leave out, and cannot remove."""
    return Field(of, False, description, is_nullable=False)


@dataclass(frozen=True)
class Record:
    """An object with these fields and no others; read as a dict of those that were given.

    check: validates fields together once each has been read.
    nullable_clears: whether a field given as null is in the dict, as None, for an update that
        removes it.
    build: makes the value of the dict and the JSON object.
    """

    fields: Mapping[str, Field]
    check: Callable[[dict[str, Any], str, ValidationContext], None] | None = None
    description: str = ""
    nullable_clears: bool = False
    build: Callable[[dict[str, Any], dict[str, Any]], Any] | None = None

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Any:
        if not isinstance(value, dict):
            context.fault(pointer, "Must be an object.")
            return None
        given = cast(dict[str, Any], value)
        for name in given:
            if name not in self.fields:
                # Only what looks like a field's name is repeated in the pointer.
                path = f"{pointer}/{name}" if _FIELD_NAME.fullmatch(name) else pointer
                context.fault(path, f"Unknown field; this object takes {', '.join(self.fields)}.")
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            if given.get(name) is not None:
                values[name] = field.type.read(given[name], f"{pointer}/{name}", context)
            elif field.is_required:
                context.fault(f"{pointer}/{name}", "This field is required.")
            elif name in given and not field.is_nullable:
                context.fault(f"{pointer}/{name}", "Must not be null; leave the field out.")
            elif name in given and self.nullable_clears:
                values[name] = None
        if self.check is not None:
            self.check(values, pointer, context)
        return values if self.build is None else self.build(values, given)

    def schema(self, limits: Limits) -> Schema:
        needed = [name for name, field in self.fields.items() if field.is_required]
        return {
            "type": "object",
            "properties": {name: field.schema(limits) for name, field in self.fields.items()},
            "additionalProperties": False,
            **({"required": needed} if needed else {}),
            **({"description": self.description} if self.description else {}),
        }


@dataclass(frozen=True)
class ExpressionField:
    """An audience expression; read as an `Expression`.

    check_codes: whether its codes must be codes of the survey.
    """

    check_codes: bool = True

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Expression | None:
        limits = context.limits
        try:
            expression = parse_expression(
                value, pointer=pointer, max_depth=limits.depth, max_nodes=limits.nodes
            )
        except InvalidExpression as error:
            context.faults.extend(error.faults)
            return None
        if self.check_codes:
            faults = context.codes.in_expression(expression)
            context.faults.extend(fault.under(pointer) for fault in faults)
        return expression

    def schema(self, limits: Limits) -> Schema:
        return {"$ref": "#/components/schemas/AudienceExpression"}


@dataclass(frozen=True)
class SurveyCodes:
    """A code of the survey, or an array of them; `check` is the method of `Codes` for them."""

    of: FieldType
    check: Callable[[Codes, str, Any], Iterator[CodeFault]]

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Any:
        read = self.of.read(value, pointer, context)
        if read is not None:
            context.faults.extend(self.check(context.codes, pointer, read))
        return read

    def schema(self, limits: Limits) -> Schema:
        return self.of.schema(limits)


CODES = ListOf(CODE)
QUESTION_CODE = SurveyCodes(CODE, Codes.in_question)
WAVE_CODES = SurveyCodes(CODES, Codes.in_waves)
LOCATION_CODES = SurveyCodes(CODES, Codes.in_locations)
DATASET_CODES = SurveyCodes(CODES, Codes.in_datasets)


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


AUDIENCE = Record(
    {
        "id": optional(IDENTIFIER, "How the answer names the audience."),
        "name": optional(Text(), "What people read."),
        "expression": optional(ExpressionField(), "Who belongs to it; absent or null: everyone."),
    },
    description="An audience in the query form.",
    build=lambda given, written: SubmittedAudience(
        given.get("id") or "", given.get("name") or "", given.get("expression"), written
    ),
)


def audiences(most: str) -> ListOf:
    """An array of audiences in the query form, each of another id; `most` names its limit."""
    return ListOf(AUDIENCE, most, attrgetter("id"))


def scope_fields(no_waves: str) -> dict[str, Field]:
    """The fields of a body that say whom a query counts; no_waves: what none means."""
    return {
        "locations": optional(LOCATION_CODES, "Absent or empty: all."),
        "waves": optional(WAVE_CODES, f"Absent or empty: {no_waves}."),
        "base_audience": optional(AUDIENCE),
        "base_of": optional(
            choice(*BASES_OF),
            "Who of the base counts in a cell: everyone (default), or those who could be in it.",
        ),
    }


def read_scope(body: Mapping[str, Any], weight: str | UnsetType | None) -> Scope:
    """The scope of a valid body that has `scope_fields`; weight: of the request's headers."""
    base: SubmittedAudience | None = body.get("base_audience")
    return Scope(
        base=None if base is None else Audience(base.name, base.expression, base.id or None),
        # Not the survey's own default: clients read that from a header, and name it in each query.
        base_of=body.get("base_of") or "everyone",
        waves=tuple(body.get("waves") or ()) or None,
        locations=tuple(body.get("locations") or ()) or None,
        weight=weight,
    )


def distinct(codes: Iterable[str] | None) -> tuple[str, ...]:
    """The codes in order, each once."""
    return tuple(dict.fromkeys(codes or ()))
