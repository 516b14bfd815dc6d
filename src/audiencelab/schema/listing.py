"""Lists of resources that print one line for each entry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from audiencelab.schema.catalogue import Value
from audiencelab.wording import without_controls

Entry = TypeVar("Entry")

_SHOWN = 12


class ListedTuple(tuple[Entry, ...]):
    """Entries in order: a tuple in every other way, and equal to one.

    fields: the fields of an entry that its line shows: the first identifies the entry, the second
        is its name, and numbers come with their field's name; an empty field is left out.
    """

    _fields: tuple[str, ...]

    def __new__(
        cls, entries: Iterable[Entry] = (), fields: Iterable[str] = ("code", "name")
    ) -> Self:
        made = super().__new__(cls, entries)
        made._fields = tuple(fields)
        return made

    def __repr__(self) -> str:
        lines = [_line(listed_fields(each, self._fields)) for each in self[:_SHOWN]]
        if (hidden := len(self) - _SHOWN) > 0:
            lines.append(f"… and {hidden:,} more")
        return without_controls("\n".join(lines)) or "none"


def listed_fields(entry: object, fields: Iterable[str]) -> dict[str, Any]:
    """The fields of an entry that are listed: text, numbers, or None."""
    values = {name: getattr(entry, name) for name in fields}
    return {
        name: value.value if isinstance(value, Value) else value for name, value in values.items()
    }


def shown(value: Any) -> str:
    """A field as a person reads it: large numbers in full and in groups, None as nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _line(values: dict[str, Any]) -> str:
    (_, code), (_, name), *more = values.items()
    first = f"{shown(code)}: {shown(name)}" if shown(name) else shown(code)
    rest = (
        value if isinstance(value, str) else f"{field} {shown(value)}"
        for field, value in more
        if shown(value)
    )
    return ", ".join([first, *rest])
