"""What is listed: a tuple that prints one line for each entry, in place of all that it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, SupportsIndex, TypeVar, overload

from audiencelab.schema.catalogue import Value
from audiencelab.wording import harmless

__all__ = ["Listing", "listed_fields", "shown"]

Entry = TypeVar("Entry")

_SHOWN = 12


class Listing(tuple[Entry, ...]):
    """Entries in order: a tuple in every other way, and equal to one.

    fields: which fields of an entry its line tells. The first stands for the entry, the second is
        its name, and numbers are told with their field's name; an empty field is left out.
    """

    _fields: tuple[str, ...]

    def __new__(
        cls, entries: Iterable[Entry] = (), fields: Iterable[str] = ("code", "name")
    ) -> Self:
        made = super().__new__(cls, entries)
        made._fields = tuple(fields)
        return made

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Entry: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[Entry, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> Entry | tuple[Entry, ...]:
        if isinstance(key, str):
            raise TypeError(
                "Entries are found by their place, [0] for the first. The one of that code: "
                f"next(each for each in listed if each.{self._fields[0]} == {key!r})."
            )
        return super().__getitem__(key)

    def __repr__(self) -> str:
        lines = [_line(listed_fields(each, self._fields)) for each in self[:_SHOWN]]
        if (hidden := len(self) - _SHOWN) > 0:
            lines.append(f"… and {hidden:,} more")
        return harmless("\n".join(lines)) or "none"


def listed_fields(entry: object, fields: Iterable[str]) -> dict[str, Any]:
    """The fields of an entry that are listed: text, numbers, or None."""
    values = {name: getattr(entry, name) for name in fields}
    return {
        name: value.value if isinstance(value, Value) else value for name, value in values.items()
    }


def shown(value: Any) -> str:
    """A field as a person reads it: large numbers in full and in groups, nothing as nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _line(values: dict[str, Any]) -> str:
    code, name, *_ = map(shown, values.values())
    more = [(field, value) for field, value in list(values.items())[2:] if shown(value)]
    told = [value if isinstance(value, str) else f"{field} {shown(value)}" for field, value in more]
    return ", ".join([f"{code}: {name}" if name else code, *told])
