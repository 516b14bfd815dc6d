"""How the lines of a grid are arranged: sorted, moved, hidden, filtered, folded, and how wide.

An `Arrangement` is plain data, so that it can be kept in a document. Lines are named by their
places in the query, heads by their words. What does not fit a table is dropped without a word: an
arrangement is a convenience, and a table is never refused for it.

Not here: the rules by which lines are put in order (`arranging`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard, TypeVar, cast, get_args

from audiencelab.results.banner import Heads
from audiencelab.widgets.crosstab.lines import Lines

__all__ = ["Arrangement", "Filter", "Level", "Move", "Plan"]

Direction = Literal["descending", "ascending"]
Bound = Literal["least", "most", "beyond"]

T = TypeVar("T")

Renumber = Callable[[int], "int | None"]
"""The place that a line has now; None for one that is gone."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of sorting.

    by: the place of a line of the other side, or "size" or "sample" of each audience itself.
    metric: the figure that is compared; None is the one in the cells.
    """

    by: int | str
    direction: Direction = "descending"
    metric: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A line, or the head of a depth over it, that was put before another of its kind.

    before: None is after the last of them. level: how deep the head is, outermost 0; None: a line.
    """

    line: int
    before: int | None
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which lines are kept.

    of: the place of a line of the other side; "own" for `size` and `sample` of each audience; or
        "any" or "every" cell of the line.
    bound: "least" and "most" are what they say, "beyond" is so far from zero on either side.
    """

    of: int | str
    metric: str
    bound: Bound
    value: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The arrangement of one side.

    sort: the levels, the first deciding first. moves: one after another, on top of the sorting.
    hidden: places. folded: heads whose lines are not shown where they stand as rows.
    widths: places and pixels, where they stand as columns.
    """

    sort: tuple[Level, ...] = ()
    moves: tuple[Move, ...] = ()
    hidden: tuple[int, ...] = ()
    filters: tuple[Filter, ...] = ()
    folded: tuple[Heads, ...] = ()
    widths: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return any((self.sort, self.moves, self.hidden, self.filters, self.folded, self.widths))

    def renumbered(self, own: Renumber, other: Renumber, heads: Iterable[Heads]) -> Plan:
        """The same wishes for a table whose lines stand elsewhere; those of lost lines are gone."""
        known = {each[: level + 1] for each in heads for level in range(len(each))}
        return Plan(
            sort=tuple(
                replace(level, by=by)
                for level in self.sort
                if (by := _renumbered(level.by, other)) is not None
            ),
            moves=tuple(
                replace(move, line=line, before=before)
                for move in self.moves
                if (line := own(move.line)) is not None
                and ((before := _renumbered(move.before, own)) is not None or move.before is None)
            ),
            hidden=tuple(place for line in self.hidden if (place := own(line)) is not None),
            filters=tuple(
                replace(each, of=of)
                for each in self.filters
                if (of := _renumbered(each.of, other)) is not None
            ),
            folded=tuple(each for each in self.folded if each in known),
            widths=tuple(
                (place, width) for line, width in self.widths if (place := own(line)) is not None
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON, without what is not wished for."""
        written: dict[str, Any] = {
            "sort": [
                _without_none(by=e.by, direction=e.direction, metric=e.metric) for e in self.sort
            ],
            "moves": [
                {"line": e.line, "before": e.before, **_without_none(level=e.level)}
                for e in self.moves
            ],
            "hidden": list(self.hidden),
            "filters": [
                {"of": e.of, "metric": e.metric, "bound": e.bound, "value": e.value}
                for e in self.filters
            ],
            "folded": [list(heads) for heads in self.folded],
            "widths": [list(pair) for pair in self.widths],
        }
        return {name: value for name, value in written.items() if value}

    @classmethod
    def from_dict(cls, told: object) -> Plan:
        """A plan as a page or a document tells it; what is none of it is dropped."""
        given = _mapping(told)
        return cls(
            sort=_read(given.get("sort"), _level),
            moves=_read(given.get("moves"), _move),
            hidden=_read(given.get("hidden"), _place),
            filters=_read(given.get("filters"), _filter),
            folded=_read(given.get("folded"), _heads),
            widths=_read(given.get("widths"), _width),
        )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How a grid's rows and columns are arranged, as its query has them, swapped or not.

    names: the width of the row names in pixels; None: as wide as they need.
    """

    rows: Plan = field(default_factory=Plan)
    columns: Plan = field(default_factory=Plan)
    names: int | None = None

    def __bool__(self) -> bool:
        return bool(self.rows or self.columns or self.names)

    def to_dict(self) -> dict[str, Any]:
        """The arrangement as JSON, for a page or a document; `from_dict` reads it."""
        written = {"rows": self.rows.to_dict(), "columns": self.columns.to_dict()}
        kept: dict[str, Any] = {side: plan for side, plan in written.items() if plan}
        return kept | _without_none(names=self.names)

    @classmethod
    def from_dict(cls, told: object) -> Arrangement:
        """The arrangement of such JSON; what is none of it is dropped."""
        given = _mapping(told)
        names = given.get("names")
        return cls(
            Plan.from_dict(given.get("rows")),
            Plan.from_dict(given.get("columns")),
            names if _is_whole(names) else None,
        )

    def fitting(self, rows: Lines, columns: Lines) -> Arrangement:
        """What of it can be meant for these lines."""
        return self._renumbered(_within(len(rows)), _within(len(columns)), rows, columns)

    def carried(self, old: tuple[Lines, Lines], new: tuple[Lines, Lines]) -> Arrangement:
        """The same for another table: lines that both have, under the same heads, stay arranged."""
        if old == new:
            return self
        return self._renumbered(_between(old[0], new[0]), _between(old[1], new[1]), *new)

    def _renumbered(
        self, row: Renumber, column: Renumber, rows: Lines, columns: Lines
    ) -> Arrangement:
        return Arrangement(
            self.rows.renumbered(row, column, rows.heads),
            self.columns.renumbered(column, row, columns.heads),
            self.names,
        )


def _within(count: int) -> Renumber:
    return lambda place: place if 0 <= place < count else None


def _between(old: Lines, new: Lines) -> Renumber:
    """Where the lines of one table stand in another; one that is there twice keeps its turn."""
    places: dict[object, list[int]] = {}
    for place, key in enumerate(_keys(new)):
        places.setdefault(key, []).append(place)
    found: dict[int, int] = {}
    for place, key in enumerate(_keys(old)):
        if places.get(key):
            found[place] = places[key].pop(0)
    return found.get


def _keys(lines: Lines) -> Iterable[object]:
    return (
        (each.name, each.expression, heads) for each, heads in zip(lines, lines.heads, strict=True)
    )


def _renumbered(place: T, number: Renumber) -> T | int | None:
    return number(place) if isinstance(place, int) else place


def _without_none(**parts: object) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}


# -- reading ---------------------------------------------------------------------------------------


def _read(told: object, one: Callable[[object], T | None]) -> tuple[T, ...]:
    listed = cast("list[object]", told) if isinstance(told, list | tuple) else []
    return tuple(read for each in listed if (read := one(each)) is not None)


def _level(told: object) -> Level | None:
    given = _mapping(told)
    by, metric = given.get("by"), given.get("metric")
    direction = given.get("direction", "descending")
    if not (_is_place(by) or by in ("size", "sample")):
        return None
    if direction != "descending" and direction != "ascending":
        return None
    return Level(by, direction, metric if isinstance(metric, str) else None)


def _move(told: object) -> Move | None:
    given = _mapping(told)
    line, before, level = given.get("line"), given.get("before"), given.get("level")
    if not _is_place(line) or not (before is None or _is_place(before)):
        return None
    return Move(line, before, level if _is_place(level) else None)


def _filter(told: object) -> Filter | None:
    given = _mapping(told)
    of, metric, value = given.get("of"), given.get("metric"), given.get("value")
    if not (_is_place(of) or of in ("own", "any", "every")) or not isinstance(metric, str):
        return None
    if given.get("bound") not in get_args(Bound) or isinstance(value, bool):
        return None
    return Filter(of, metric, given["bound"], value) if isinstance(value, int | float) else None


def _heads(told: object) -> Heads | None:
    heads = cast("list[object]", told) if isinstance(told, list | tuple) else []
    return tuple(map(str, heads)) if heads else None


def _width(told: object) -> tuple[int, int] | None:
    pair = cast("list[object]", told) if isinstance(told, list | tuple) else []
    line, width = pair if len(pair) == 2 else (None, None)
    return (line, width) if _is_place(line) and _is_whole(width) else None


def _place(told: object) -> int | None:
    return told if _is_place(told) else None


def _mapping(told: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", told) if isinstance(told, Mapping) else {}


def _is_whole(told: object) -> TypeGuard[int]:
    return isinstance(told, int) and not isinstance(told, bool)


def _is_place(told: object) -> TypeGuard[int]:
    return _is_whole(told) and told >= 0
