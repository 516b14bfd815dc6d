"""Declarative field types: each reads a JSON value, reports its faults and tells its schema.

A body is declared once, as a `Record` of these, and from that come validation with every fault
at its place, and the schema in the published interface. A value that is wrong is reported and
read as None, so that the rest is still looked at. Null means that a member is absent: in a query
as if it were left out, in an update as it was before anybody gave it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from audiencelab.errors import Fault
from audiencelab.service.limits import Limits

Schema = dict[str, Any]

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_TELLABLE_NAME = re.compile(r"[a-z][a-z_0-9]{0,31}")


@dataclass
class ValidationContext:
    """One context of one body: the limits it stands under and the faults found so far.

    context: what semantic field types need to know beyond the value (codes of a survey).
    """

    limits: Limits
    context: Any = None
    faults: list[Fault] = field(default_factory=list[Fault])

    def fault(self, pointer: str, detail: str) -> None:
        """Report one fault."""
        self.faults.append(Fault(pointer, detail))

    def has_told(self, pointer: str) -> bool:
        """Whether a fault was reported at a place or below it."""
        below = f"{pointer}/"
        return any(
            each.pointer == pointer or each.pointer.startswith(below) for each in self.faults
        )


class FieldType(Protocol):
    """A type of JSON value."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> Any:
        """The value as the operation wants it, or None after reporting what is wrong."""
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
            told = f"Has {len(value):,} characters; the limit (identifier) is {most:,}."
            context.fault(pointer, told)
            return None
        return Text().read(value, pointer, context)

    def schema(self, limits: Limits) -> Schema:
        return {"type": "string", "maxLength": limits.identifier}


def is_field_name(name: str) -> bool:
    """Whether what was sent as a field's name looks like one, and may stand in a pointer."""
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
"""Wider integers are not the same everywhere that a document may go."""


@dataclass(frozen=True)
class Integer:
    """A whole number within bounds, both included; `most` may name a limit (of `Limits`)."""

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

    An item that is wrong is read as None and keeps its place.
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
            self.item.read(item, f"{pointer}/{place}", context) for place, item in enumerate(items)
        ]

    def schema(self, limits: Limits) -> Schema:
        most = int(getattr(limits, self.most))
        return {"type": "array", "items": self.item.schema(limits), "maxItems": most}


@dataclass(frozen=True)
class Field:
    """A field of a record: its type, whether it must be there, and what it means.

    is_nullable: whether it may be null, if it need not be there.
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
    """A member that must be given."""
    return Field(of, True, description)


def optional(of: FieldType, description: str = "") -> Field:
    """A member that may be left out or null."""
    return Field(of, False, description)


def not_null(of: FieldType, description: str = "") -> Field:
    """A member that an update may leave out, and cannot take away."""
    return Field(of, False, description, is_nullable=False)


@dataclass(frozen=True)
class Record:
    """An object with these members and no others; read as a dict of those that were given.

    clears: a member given as null is in the dict, as None, for an update that takes it away.
    check: looks at members together once each has been read, and reports what it finds.
    """

    members: Mapping[str, Field]
    check: Callable[[dict[str, Any], str, ValidationContext], None] | None = None
    description: str = ""
    clears: bool = False

    def read(self, value: Any, pointer: str, context: ValidationContext) -> dict[str, Any] | None:
        if not isinstance(value, dict):
            context.fault(pointer, "Must be an object.")
            return None
        given = cast(dict[str, Any], value)
        self._report_unknown(given, pointer, context)
        values: dict[str, Any] = {}
        for name, member in self.members.items():
            if given.get(name) is not None:
                values[name] = member.type.read(given[name], f"{pointer}/{name}", context)
            elif member.is_required:
                context.fault(f"{pointer}/{name}", "This field is required.")
            elif name in given and not member.is_nullable:
                context.fault(f"{pointer}/{name}", "Must not be null; leave the field out.")
            elif self.clears and name in given:
                values[name] = None
        if self.check is not None:
            self.check(values, pointer, context)
        return values

    def schema(self, limits: Limits) -> Schema:
        properties: dict[str, Schema] = {}
        for name, member in self.members.items():
            described = {"description": member.description} if member.description else {}
            of = member.type.schema(limits)
            takes_null = member.is_nullable and not member.is_required
            properties[name] = {**(or_null(of) if takes_null else of), **described}
        needed = [name for name, member in self.members.items() if member.is_required]
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        if needed:
            schema["required"] = needed
        if self.description:
            schema["description"] = self.description
        return schema

    def _report_unknown(
        self, given: dict[str, Any], pointer: str, context: ValidationContext
    ) -> None:
        known = ", ".join(self.members)
        for name in given:
            if name not in self.members:
                # A name is part of the place; anything that does not look like one is not told.
                place = f"{pointer}/{name}" if is_field_name(name) else pointer
                context.fault(place, f"Unknown field; this object takes {known}.")
