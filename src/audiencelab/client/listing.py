"""What a client lists: a tuple that shows itself as a table, one line for each entry."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from audiencelab.frames.arrow import ArrowStream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Listing"]

Entry = TypeVar("Entry")

_SHOWN = 12


class Listing(ArrowStream, tuple[Entry, ...]):
    """Waves or locations in order: a tuple in every other way.

    Its entries are dataclasses of one kind, with a `code` and a `name`.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """One line for each entry, a column for each of its fields."""
        import pandas as pd

        return pd.DataFrame([_fields(each) for each in self])

    def __repr__(self) -> str:
        lines = [_line(_fields(each)) for each in self[:_SHOWN]]
        if (hidden := len(self) - _SHOWN) > 0:
            lines.append(f"… and {hidden:,} more")
        return "\n".join(lines) or "none"

    def _repr_html_(self) -> str:
        from audiencelab.frames.markup import card, plural, table

        lines = [_fields(each) for each in self]
        heads = list(lines[0]) if lines else []
        numeric = [place for place, head in enumerate(heads) if head not in ("code", "name")]
        listed = table(
            [head.capitalize() for head in heads],
            [[_shown(value) for value in line.values()] for line in lines],
            numeric=numeric,
        )
        return str(
            card(plural(len(self), type(self[0]).__name__.lower()) if self else "None", listed)
        )


def _fields(entry: Any) -> dict[str, Any]:
    return asdict(entry)


def _line(values: dict[str, Any]) -> str:
    told = dict(values)
    line = f"{told.pop('code')}: {told.pop('name')}"
    return ", ".join([line, *(f"{name} {_shown(value)}" for name, value in told.items())])


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,.0f}"
