"""How a grid's rows and columns are arranged: sort, moves, hidden items, filters, groups, widths.

An `Arrangement` is plain data, so that a document can contain it. Items are identified by their
positions in the query, groups by their names. Entries that do not fit a table are dropped silently:
an arrangement is a convenience and never prevents a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec

from audiencelab.results.banner import Groups
from audiencelab.widgets.crosstab.axis import AxisAudiences

Direction = Literal["descending", "ascending"]
Bound = Literal["least", "most", "beyond"]
Position = Annotated[int, msgspec.Meta(ge=0)]

T = TypeVar("T")

Renumber = Callable[[int], "int | None"]
"""The new position of an item; None for one that is gone."""


class SortKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """One level of sorting.

    by: the position of an item of the other axis, or "size" or "sample" of each audience itself.
    metric: the metric that is compared; None is the one in the cells.
    """

    by: Position | Literal["size", "sample"]
    # A factory, so that it is always written.
    direction: Direction = msgspec.field(default_factory=lambda: "descending")
    metric: str | None = None


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item, or the group at a level above it, that was moved before another of its kind.

    before: None is after the last one. level: of the group, outermost 0; None is the item.
    """

    line: Position
    before: Position | None = msgspec.field(default_factory=lambda: None)
    level: Position | None = None


class Filter(msgspec.Struct, frozen=True):
    """A condition that items must meet to be shown.

    of: the position of an item of the other axis; "own" for `size` and `sample` of each audience;
        or "any" or "every" cell of the item.
    bound: "least", "most", or "beyond": so far from zero on either side.
    """

    of: Position | Literal["own", "any", "every"]
    metric: str
    bound: Bound
    value: float


class AxisView(msgspec.Struct, frozen=True, omit_defaults=True):
    """The arrangement of one axis.

    sort: the keys, the most significant first. moves: in order, applied after sorting.
    hidden: positions. folded: groups whose items are hidden where the axis is shown as rows.
    widths: positions and pixels, where the axis is shown as columns.
    """

    sort: tuple[SortKey, ...] = ()
    moves: tuple[Move, ...] = ()
    hidden: tuple[int, ...] = ()
    filters: tuple[Filter, ...] = ()
    folded: tuple[Groups, ...] = ()
    widths: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return any((self.sort, self.moves, self.hidden, self.filters, self.folded, self.widths))

    def renumbered(self, own: Renumber, other: Renumber, groups: Iterable[Groups]) -> AxisView:
        """The same view for other positions; entries about lost items are dropped."""
        known = {each[: level + 1] for each in groups for level in range(len(each))}
        return AxisView(
            sort=tuple(
                msgspec.structs.replace(key, by=by)
                for key in self.sort
                if (by := _renumbered(key.by, other)) is not None
            ),
            moves=tuple(
                msgspec.structs.replace(move, line=line, before=before)
                for move in self.moves
                if (line := own(move.line)) is not None
                and ((before := _renumbered(move.before, own)) is not None or move.before is None)
            ),
            hidden=tuple(at for line in self.hidden if (at := own(line)) is not None),
            filters=tuple(
                msgspec.structs.replace(each, of=of)
                for each in self.filters
                if (of := _renumbered(each.of, other)) is not None
            ),
            folded=tuple(each for each in self.folded if each in known),
            widths=tuple(
                (at, width) for line, width in self.widths if (at := own(line)) is not None
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """The view as JSON, without empty entries."""
        return msgspec.json.decode(msgspec.json.encode(self))

    @classmethod
    def from_dict(cls, value: object) -> AxisView:
        """The view of such JSON; entries that are not valid are dropped."""
        given = _mapping(value)
        return cls(
            sort=_valid(given.get("sort"), SortKey),
            moves=_valid(given.get("moves"), Move),
            hidden=_valid(given.get("hidden"), Position),
            filters=_valid(given.get("filters"), Filter),
            folded=tuple(filter(None, _valid(given.get("folded"), tuple[str, ...]))),
            widths=_valid(given.get("widths"), tuple[Position, int]),
        )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How a grid's rows and columns are arranged, as in the query, whether transposed or not.

    names: the width of the row names in pixels; None: as wide as they need.
    """

    rows: AxisView = field(default_factory=AxisView)
    columns: AxisView = field(default_factory=AxisView)
    names: int | None = None

    def __bool__(self) -> bool:
        return bool(self.rows or self.columns or self.names)

    def to_dict(self) -> dict[str, Any]:
        """The arrangement as JSON, for a page or a document; `from_dict` reads it."""
        axes = {"rows": self.rows.to_dict(), "columns": self.columns.to_dict()}
        names = {} if self.names is None else {"names": self.names}
        return {name: view for name, view in axes.items() if view} | names

    @classmethod
    def from_dict(cls, value: object) -> Arrangement:
        """The arrangement of such JSON; entries that are not valid are dropped."""
        given = _mapping(value)
        rows, columns = (AxisView.from_dict(given.get(name)) for name in ("rows", "columns"))
        names = given.get("names")
        # Not `isinstance`: True is an int as well.
        return cls(rows, columns, names if type(names) is int else None)

    def fitting(
        self, rows: AxisAudiences, columns: AxisAudiences, more: Iterable[Groups] = ()
    ) -> Arrangement:
        """The entries that are valid for these axes; more: groups of rows of statistics."""
        return self._renumbered(_within(len(rows)), _within(len(columns)), rows, columns, more)

    def carried(
        self,
        old: tuple[AxisAudiences, AxisAudiences],
        new: tuple[AxisAudiences, AxisAudiences],
        more: Iterable[Groups] = (),
    ) -> Arrangement:
        """The arrangement for another table: items that both have, in the same groups, keep it."""
        if old == new:
            return self
        rows, columns = (carried_to(*axes) for axes in zip(old, new, strict=True))
        return self._renumbered(rows, columns, *new, more)

    def _renumbered(
        self,
        row: Renumber,
        column: Renumber,
        rows: AxisAudiences,
        columns: AxisAudiences,
        more: Iterable[Groups],
    ) -> Arrangement:
        return Arrangement(
            self.rows.renumbered(row, column, (*rows.groups, *more)),
            self.columns.renumbered(column, row, columns.groups),
            self.names,
        )


def _within(count: int) -> Renumber:
    return lambda at: at if 0 <= at < count else None


def carried_to(old: AxisAudiences, new: AxisAudiences) -> Renumber:
    """The positions of the items of one axis in another; a renamed one is the same."""
    return _places(old, new).get


def between(old: AxisAudiences, new: AxisAudiences) -> Renumber:
    """The positions of the items of one axis in another; one with another name is another."""
    return _places(old, new, renamed=False).get


def kept_runs(old: AxisAudiences, new: AxisAudiences) -> list[tuple[int, int, int]]:
    """The items of two axes that are the same, as runs: position in the new, in the old, number."""
    runs: list[tuple[int, int, int]] = []
    for now, then in sorted((now, then) for then, now in _places(old, new).items()):
        at, before, count = runs[-1] if runs else (-1, -1, 0)
        if (now, then) == (at + count, before + count):
            runs[-1] = (at, before, count + 1)
        else:
            runs.append((now, then, 1))
    return runs


def _places(old: AxisAudiences, new: AxisAudiences, *, renamed: bool = True) -> dict[int, int]:
    """The positions in the new axis by those in the old one; duplicates are matched in order.

    renamed: whether the same audience in the same group may have another name.
    """
    found: dict[int, int] = {}
    for named in (True, False) if renamed else (True,):
        taken = set(found.values())
        positions: dict[object, list[int]] = {}
        for at, key in enumerate(_keys(new, named=named)):
            if at not in taken:
                positions.setdefault(key, []).append(at)
        for at, key in enumerate(_keys(old, named=named)):
            if at not in found and positions.get(key):
                found[at] = positions[key].pop(0)
    return found


def _keys(axis: AxisAudiences, *, named: bool) -> Iterable[object]:
    return (
        (each.name if named else None, each.expression, groups)
        for each, groups in zip(axis, axis.groups, strict=True)
    )


def _renumbered(position: T, number: Renumber) -> T | int | None:
    return number(position) if isinstance(position, int) else position


def _valid(value: object, kind: Any) -> tuple[Any, ...]:
    """The entries of a list that have this type."""
    found: list[Any] = []
    for each in cast("list[object]", value) if isinstance(value, list | tuple) else ():
        try:
            found.append(msgspec.convert(each, kind))
        except msgspec.ValidationError:
            continue
    return tuple(found)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
