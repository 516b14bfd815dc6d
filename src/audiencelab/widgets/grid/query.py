"""What a crosstab grid asks: audiences on both sides, a base, waves and locations, as one value.

It prints back as the code that asks the same without a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from textwrap import indent
from typing import cast

from audiencelab.audience import Audience, Expression, KeptAudience, as_audience
from audiencelab.audience.words import Labels
from audiencelab.client.operations.sides import Side, laid_flat
from audiencelab.frames.heads import told_apart

__all__ = ["GridQuery", "as_audiences"]


@dataclass(frozen=True, slots=True)
class GridQuery:
    """A crosstab query; None on a side means the base audience, None elsewhere the defaults.

    rows, columns: the audiences of either side, in order.
    base_audience: whom everything is counted within; None is everyone.
    waves, locations: codes; None is the service's default (the last four waves, everywhere).
    """

    rows: tuple[Audience, ...] | None = None
    columns: tuple[Audience, ...] | None = None
    base_audience: Audience | None = None
    waves: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns; a side that is not given is the base alone."""
        return len(self.rows or ()) or 1, len(self.columns or ()) or 1

    def to_code(self) -> str:
        """Python that asks the same query, given `client` and `audiencelab` as `al`."""
        arguments = [
            *_audiences_argument("rows", self.rows),
            *_audiences_argument("columns", self.columns),
        ]
        if self.base_audience is not None:
            arguments.append(f"base_audience={self.base_audience.to_code()},")
        for name, codes in (("waves", self.waves), ("locations", self.locations)):
            if codes is not None:
                arguments.append(f"{name}={list(codes)!r},")
        if not arguments:
            return "table = client.crosstab()"
        return f"table = client.crosstab(\n{indent(chr(10).join(arguments), '    ')}\n)"


def as_audiences(
    value: object, side: str, labels: Callable[[], Labels | None]
) -> tuple[Audience, ...] | None:
    """Audiences of one side; expressions get a name in words. `TypeError` says what is wrong.

    Those under heads, as `client.crosstab` takes them, stand in a line without them; names that two
    of them have are told with their heads.
    labels: asked for only when an expression has to be named.
    """
    if value is None:
        return None
    if isinstance(value, Audience | Expression):
        raise TypeError(f"{side} needs a list of audiences: write {side}=[…] around this one.")
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"{side} needs a list of al.Audience or expressions, not {type(value).__name__}."
        )
    if isinstance(value, Mapping):
        return _without_heads(cast("Side", value), side, labels)
    items = list(cast("Iterable[object]", value))
    if any(isinstance(item, Mapping) for item in items):
        return _without_heads(cast("Side", items), side, labels)
    return tuple(_named(item, f"{side}[{place}]", labels) for place, item in enumerate(items))


def _without_heads(
    value: Side, side: str, labels: Callable[[], Labels | None]
) -> tuple[Audience, ...]:
    """The audiences of a banner in its order: a grid has one line of names."""
    flat = laid_flat(side, value)
    audiences = [_named(each, side, labels) for each in flat.audiences]
    names = told_apart([audience.name for audience in audiences], flat.heads)
    return tuple(
        replace(audience, name=name) for audience, name in zip(audiences, names, strict=True)
    )


def _named(item: object, place: str, labels: Callable[[], Labels | None]) -> Audience:
    if isinstance(item, Audience) and item.name:
        return item
    if isinstance(item, Audience | Expression | KeptAudience):
        return as_audience(item, labels())
    raise TypeError(
        f"{place} is a {type(item).__name__}: give an al.Audience(name=…, expression=…) or an "
        "expression such as al.Q('q4').any('q4_2')."
    )


def _audiences_argument(name: str, audiences: tuple[Audience, ...] | None) -> list[str]:
    if audiences is None:
        return []
    listed = "".join(f"    {audience.to_code()},\n" for audience in audiences)
    return [f"{name}=[\n{listed}]," if listed else f"{name}=[],"]
