"""Declarative field types: each reads a JSON value, reports its faults and has a JSON schema.

A body is declared once, as a `Record` of fields. The declaration gives both the validation, with
a JSON pointer for every fault, and the schema in the OpenAPI document. An invalid value is reported
and read as None, so that the rest is still validated. Null means that a field is absent: in a
query as if it were left out, in an update as it was before it was first given.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from audiencelab.engine import Codes
from audiencelab.errors import Fault
from audiencelab.service.limits import Limits

Schema = dict[str, Any]

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_TELLABLE_NAME = re.compile(r"[a-z][a-z_0-9]{0,31}")


@dataclass
class ValidationContext:
    """The validation of one body: its limits, the codes of the survey, and the faults so far."""

    limits: Limits
    codes: Codes | None = None
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
    """A string, as long as the limit `text`; `shortest=1` makes it a code, which is not empty."""

    shortest: int = 0

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        if not isinstance(value, str):
            context.fault(pointer, "Must be a string.")
        elif len(value) < self.shortest:
            context.fault(pointer, "Must not be empty.")
        elif len(value) > (most := context.limits.text):
            context.fault(pointer, f"Has {len(value):,} characters; the limit (text) is {most:,}.")
        else:
            return value
        return None

    def schema(self, limits: Limits) -> Schema:
        shortest = {"minLength": self.shortest} if self.shortest else {}
        return {"type": "string", **shortest, "maxLength": limits.text}


@dataclass(frozen=True)
class Identifier:
    """An id of the caller's own, which every result repeats: as long as the limit `identifier`."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        if isinstance(value, str) and len(value) > (most := context.limits.identifier):
            detail = f"Has {len(value):,} characters; the limit (identifier) is {most:,}."
            context.fault(pointer, detail)
            return None
        return Text().read(value, pointer, context)

    def schema(self, limits: Limits) -> Schema:
        return {"type": "string", "maxLength": limits.identifier}


def is_field_name(name: str) -> bool:
    """Whether a submitted name looks like a field's, and may be repeated in a pointer."""
    return _TELLABLE_NAME.fullmatch(name) is not None


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID in its usual form."""
    return _UUID.fullmatch(text) is not None


@dataclass(frozen=True)
class Uuid:
    """A UUID in its usual form; read in lower case. The nil UUID is one too."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        if isinstance(value, str) and is_uuid(value):
            return value.lower()
        context.fault(pointer, "Must be a UUID, such as 00000000-0000-0000-0000-000000000000.")
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": "string", "format": "uuid", "pattern": f"^{_UUID.pattern}$"}


@dataclass(frozen=True)
class SuffixCode:
    """A suffix code, as a string or as an integer; read as a string."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        context.fault(pointer, "Must be a suffix code, as a string or an integer.")
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": ["string", "integer"], "minLength": 1}


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> bool | None:
        if isinstance(value, bool):
            return value
        context.fault(pointer, "Must be true or false.")
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": "boolean"}


_WIDEST = 2**63 - 1
"""Wider integers are not portable in JSON."""


@dataclass(frozen=True)
class Integer:
    """An integer within bounds, both included; `most` may name a limit (of `Limits`)."""

    least: int = -_WIDEST
    most: int | str = _WIDEST

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
class Number:
    """A number that a float can hold; read as one."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> float | None:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                context.fault(pointer, "Must be smaller than 1e308.")
                return None
        context.fault(pointer, "Must be a number.")
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": "number"}


@dataclass(frozen=True)
class Choice:
    """One of a few strings."""

    values: tuple[str, ...]

    def read(self, value: Any, pointer: str, context: ValidationContext) -> str | None:
        if isinstance(value, str) and value in self.values:
            return value
        context.fault(pointer, f"Must be one of {', '.join(self.values)}.")
        return None

    def schema(self, limits: Limits) -> Schema:
        return {"type": "string", "enum": list(self.values)}


@dataclass(frozen=True)
class ListOf:
    """An array of one type; `most` names the limit (of `Limits`) on its length.

    An invalid item is read as None and keeps its position.
    """

    item: FieldType
    most: str = "items"

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
        return [
            self.item.read(item, f"{pointer}/{number}", context)
            for number, item in enumerate(items)
        ]

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


def or_null(schema: Schema) -> Schema:
    """The schema of a value that may be null as well."""
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
    """

    fields: Mapping[str, Field]
    check: Callable[[dict[str, Any], str, ValidationContext], None] | None = None
    description: str = ""
    nullable_clears: bool = False

    def read(self, value: Any, pointer: str, context: ValidationContext) -> dict[str, Any] | None:
        if not isinstance(value, dict):
            context.fault(pointer, "Must be an object.")
            return None
        given = cast(dict[str, Any], value)
        self._report_unknown(given, pointer, context)
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            if given.get(name) is not None:
                values[name] = field.type.read(given[name], f"{pointer}/{name}", context)
            elif field.is_required:
                context.fault(f"{pointer}/{name}", "This field is required.")
            elif name in given and not field.is_nullable:
                context.fault(f"{pointer}/{name}", "Must not be null; leave the field out.")
            elif self.nullable_clears and name in given:
                values[name] = None
        if self.check is not None:
            self.check(values, pointer, context)
        return values

    def schema(self, limits: Limits) -> Schema:
        properties: dict[str, Schema] = {}
        for name, field in self.fields.items():
            described = {"description": field.description} if field.description else {}
            of = field.type.schema(limits)
            takes_null = field.is_nullable and not field.is_required
            properties[name] = {**(or_null(of) if takes_null else of), **described}
        needed = [name for name, field in self.fields.items() if field.is_required]
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        if needed:
            schema["required"] = needed
        if self.description:
            schema["description"] = self.description
        return schema

    def _report_unknown(
        self, given: dict[str, Any], pointer: str, context: ValidationContext
    ) -> None:
        known = ", ".join(self.fields)
        for name in given:
            if name not in self.fields:
                # Only what looks like a field's name is repeated in the pointer.
                path = f"{pointer}/{name}" if is_field_name(name) else pointer
                context.fault(path, f"Unknown field; this object takes {known}.")
