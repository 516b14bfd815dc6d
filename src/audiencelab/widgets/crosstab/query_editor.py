"""Edits of a grid's query as steps that can be undone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from audiencelab.client.catalogue.labels import wave_name
from audiencelab.expressions import Audience, as_audience
from audiencelab.markup import shorten
from audiencelab.results.banner import full_name
from audiencelab.widgets.crosstab.axis import Axis, AxisName, as_position
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.query import GridQuery

Which = Iterable[str | int]
"""Items by name, by full name ("Gender › Female") or by position from 0."""

MAX_STEPS = 100
"""Maximum number of steps that can be undone."""

_SUMMARY_NAMES = 6
_SUMMARY_LENGTH = 48
"""Names of an axis in the summary for the page, and the maximum length of each."""

PARTS = tuple(field.name for field in fields(GridQuery))
"""The traits of a query."""


@dataclass(frozen=True, slots=True)
class History:
    """The present query, at most `MAX_STEPS` before it, and those that were undone.

    The nearest to the present is the last of either. Each method returns a new history.
    """

    now: GridQuery
    past: tuple[GridQuery, ...] = ()
    future: tuple[GridQuery, ...] = ()

    def then(self, query: GridQuery) -> History:
        """The history after one more step, which drops what was undone; an equal query is none."""
        if query == self.now:
            return self
        return History(query, (*self.past, self.now)[-MAX_STEPS:])

    def undo(self) -> History:
        """One step back, if there is one."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redo(self) -> History:
        """One step forward, if there is one."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])


class QueryEditor:
    """Changes the query of a widget, and keeps its history.

    query: the present query. apply: sets several traits of the query as one change, or none.
    publish: called with the summary of the query for the page.
    """

    def __init__(
        self,
        query: Callable[[], GridQuery],
        apply: Callable[[Mapping[str, object]], None],
        publish: Callable[[dict[str, Any]], None],
    ) -> None:
        self._query = query
        self._apply = apply
        self._publish = publish
        self._lock = threading.RLock()
        self._history: History | None = None

    @property
    def query(self) -> GridQuery:
        """The present query."""
        return self._query()

    def edit(self, axis: AxisName, change: Callable[[Axis], Axis]) -> None:
        """Change the items of one axis, as one step; an empty axis becomes the base alone."""
        with self._lock:
            before: Axis | None = getattr(self.query, axis)
            self.ask(**{axis: change(before or Axis()) or None})

    def ask(self, **changes: object) -> None:
        """Change several parts of the query, as one step; `TypeError` for unknown parts."""
        if unknown := [name for name in changes if name not in PARTS]:
            raise TypeError(f"ask() takes {', '.join(PARTS)}; got {unknown[0]!r}.")
        with self._lock:
            query = self.query
            self._apply({name: getattr(query, name) for name in PARTS} | changes)

    def undo(self) -> None:
        """Undo the last step, if there is one."""
        self._step(History.undo)

    def redo(self) -> None:
        """Redo the last undone step, if there is one."""
        self._step(History.redo)

    def follow(self) -> None:
        """Add the present query to the history, and publish it."""
        with self._lock:
            history, now = self._history, self.query
            self._history = History(now) if history is None else history.then(now)
            self._publish(_summary(self._history))

    def _step(self, taken: Callable[[History], History]) -> None:
        with self._lock:
            if self._history is None:
                return
            # Before the traits change, so that following them is not another step.
            self._history = taken(self._history)
            now = self._history.now
            self._apply({name: getattr(now, name) for name in PARTS})
            self.follow()


def positions_of(axis: Axis, which: Which) -> list[int]:
    """The positions of items by name or position; `QuestionError` for unknown names.

    Raises `TypeError` for other types.
    """
    if isinstance(which, str) or not isinstance(which, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        which = [which]
    named: dict[str, list[int]] = {}
    for at, (item, heads) in enumerate(zip(axis, axis.heads, strict=True)):
        for name in dict.fromkeys((item.name, full_name(heads, item.name))):
            named.setdefault(name, []).append(at)
    found: list[int] = []
    for each in which:
        if (at := as_position(each)) is not None:
            found.append(at)
        elif not isinstance(each, str):
            raise TypeError(
                f"A row or column must be a name, or a position from 0; got {type(each).__name__}. "
                f"There are: {_some_names(axis)}."
            )
        elif each not in named:
            raise QuestionError(f"There is no {each!r}. There are: {_some_names(axis)}.")
        else:
            found += named[each]
    return found


def position_of(axis: Axis, which: str | int) -> int:
    """The position of one item; `QuestionError` if several have the name."""
    positions = positions_of(axis, [which])
    if len(positions) > 1:
        raise QuestionError(f"{len(positions)} are named {which!r}: use a position.")
    return positions[0]


def _some_names(axis: Axis) -> str:
    names = axis.full_names
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12:,} more" if len(names) > 12 else shown or "none"


# -- the summary for the page ---------------------------------------------------------------------


def _summary(history: History) -> dict[str, Any]:
    """The query in a few names, for the bar above the table."""
    query = history.now
    bases = query.bases or (() if query.base_audience is None else (query.base_audience,))
    return {
        "rows": _axis_summary(query.rows),
        "columns": _axis_summary(query.columns),
        "bases": [_cut(as_audience(base).name) for base in bases[:_SUMMARY_NAMES]],
        "baseCount": len(bases),
        "sideBySide": bool(query.bases),
        "waves": _codes_summary(query.waves, wave_name),
        "locations": _codes_summary(query.locations, str),
        "undo": _changed_part(query, history.past[-1]) if history.past else None,
        "redo": _changed_part(query, history.future[-1]) if history.future else None,
    }


def _axis_summary(axis: Axis | None) -> dict[str, Any]:
    items = zip(axis or (), axis.heads if axis else (), strict=True)
    names = list(dict.fromkeys(heads[0] if heads else item.name for item, heads in items))
    return {
        "count": len(axis or ()),
        "names": [_cut(name) for name in names[:_SUMMARY_NAMES]],
        "more": max(0, len(names) - _SUMMARY_NAMES),
    }


def _codes_summary(
    codes: tuple[str, ...] | None, named: Callable[[str], str]
) -> dict[str, Any] | None:
    if not codes:
        return None
    return {"count": len(codes), "names": [_cut(named(code)) for code in codes[:3]]}


def _cut(name: str) -> str:
    return shorten(name, _SUMMARY_LENGTH)


def _changed_part(one: GridQuery, other: GridQuery) -> str:
    """The first part in which two queries differ."""
    return next((name for name in PARTS if getattr(one, name) != getattr(other, name)), PARTS[0])


def check_bases(bases: Axis | None) -> Axis | None:
    """Several bases with different names; `QuestionError` for a name that occurs twice."""
    names = [base.name for base in bases or ()]
    if twice := [name for name in names if names.count(name) > 1]:
        raise QuestionError(f"Two bases are named {twice[0]!r}; use different names.")
    return bases or None


def everyone_named(bases: object) -> object:
    """A list of bases in which None is everyone."""
    if not isinstance(bases, list | tuple):
        return bases
    listed = cast("Iterable[object]", bases)
    return [Audience("All") if each is None else each for each in listed]
