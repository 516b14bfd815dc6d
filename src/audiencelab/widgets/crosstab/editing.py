"""What a grid asks, and how it is edited in place: from Python here, from the page in `asking`.

A step is any change of the question, by hand, by a method or by a trait; `undo` takes it back. The
history is the widget's own, so that a second view and a reload have it.

Not here: what an edit does to lines (`edits`), and counting the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, cast

from audiencelab.analysis.concat import base_beside
from audiencelab.client.catalogue.labels import wave_name
from audiencelab.expressions import Audience, as_audience
from audiencelab.flags import flag
from audiencelab.render.markup import shorten
from audiencelab.results.banner import full_name
from audiencelab.widgets.crosstab import edits
from audiencelab.widgets.crosstab.bases import columns_in
from audiencelab.widgets.crosstab.edits import QuestionError
from audiencelab.widgets.crosstab.given import How, audiences_given, lines_given
from audiencelab.widgets.crosstab.history import History
from audiencelab.widgets.crosstab.lines import Lines, as_lines, as_place
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.libraries import traitlets
from audiencelab.widgets.scope import ScopedWidget

if TYPE_CHECKING:
    from audiencelab.client import Catalogue

__all__ = ["Axis", "EditableQuestion"]

Axis = Literal["rows", "columns"]
Which = Iterable[str | int]
"""Lines by name, by full name ("Gender › Female") or by place from 0."""

_TOLD_NAMES = 6
_TOLD_LENGTH = 48
"""What the page knows of a side before it asks: so many names, each so long."""


class EditableQuestion(ScopedWidget):
    """A widget whose rows, columns, base, waves and locations can be edited, step by step.

    A subclass has the traits `rows` and `columns`, counts in `_refetch`, which it calls whenever
    the question is another one and `_ready` is set, and says `_follow_question()` there.
    """

    bases = traitlets.Any(None, allow_none=True)

    _question = traitlets.Dict().tag(sync=True, echo_update=False)

    rows: Any
    columns: Any
    _ready: bool

    def __init__(self, **state: Any) -> None:
        self._editing = threading.RLock()
        self._history: History[GridQuery] | None = None
        self._laid_out: tuple[GridQuery, Lines | None] | None = None
        super().__init__(**state)

    @property
    def value(self) -> GridQuery:
        """The query that the grid shows."""
        scope = (self.base_audience, self.waves, self.locations)
        return GridQuery(self.rows, self.columns, *scope, bases=self.bases)

    # -- lines -----------------------------------------------------------------------------------

    def add_rows(
        self, given: object, how: How = "split", *, heads: str | Iterable[str] = (), name: str = ""
    ) -> None:
        """Add rows to those that are there.

        given: a `QuestionPicker`, questions of the catalogue or their names, audiences, saved
            audiences, expressions, or a list of any of these.
        how: "split" adds a row for each audience and each answer, the answers of a question under
            its name; "and" one row of those to whom all of it applies, "or" of those to whom any
            of it does. Answers to one question are alternatives in either case.
        heads: those to stand over the new rows, outermost first.
        name: what the one row of "and" or "or" is called.

        A row that is there already is not added again. Raises `TypeError`, `UnknownCodeError` and
        `QuestionError` for what cannot be added; the grid then stays as it was.
        """
        self._add("rows", given, how, heads, name)

    def add_columns(
        self, given: object, how: How = "split", *, heads: str | Iterable[str] = (), name: str = ""
    ) -> None:
        """Add columns to those that are there; see `add_rows`."""
        self._add("columns", given, how, heads, name)

    def remove_rows(self, which: Which) -> None:
        """Take rows away: names, or places from 0."""
        self.edit_lines("rows", lambda lines: edits.removed(lines, _places(lines, which)))

    def remove_columns(self, which: Which) -> None:
        """Take columns away; see `remove_rows`."""
        self.edit_lines("columns", lambda lines: edits.removed(lines, _places(lines, which)))

    def net_rows(self, which: Which, name: str = "") -> None:
        """Add a row for whoever is in any of some rows: a net, beside them.

        which: names, or places from 0; two at least. name: nothing is the names of the rows.
        """
        self.edit_lines("rows", lambda lines: edits.netted(lines, _places(lines, which), name))

    def net_columns(self, which: Which, name: str = "") -> None:
        """Add a net of columns; see `net_rows`."""
        self.edit_lines("columns", lambda lines: edits.netted(lines, _places(lines, which), name))

    def rename_row(self, which: str | int, name: str) -> None:
        """Give a row another name: by its name, or its place from 0."""
        self._rename("rows", which, name)

    def rename_column(self, which: str | int, name: str) -> None:
        """Give a column another name; see `rename_row`."""
        self._rename("columns", which, name)

    def box_rows(self, top: int = 2, bottom: int = 2, *, low_first: bool = True) -> None:
        """Add top and bottom boxes of the rows, those under each head being a scale.

        top, bottom: how many answers of each end; 0 for none. low_first: whether the rows run from
        the lowest to the highest.
        """
        self._box("rows", top, bottom, low_first)

    def box_columns(self, top: int = 2, bottom: int = 2, *, low_first: bool = True) -> None:
        """Add top and bottom boxes of the columns; see `box_rows`."""
        self._box("columns", top, bottom, low_first)

    def nest_rows(self, under: object) -> None:
        """Put all rows under each of other audiences, counted within them, as `al.nest` does.

        under: what `add_rows` takes, an audience for each head.
        """
        self._nest("rows", under)

    def nest_columns(self, under: object) -> None:
        """Put all columns under each of other audiences; see `nest_rows`."""
        self._nest("columns", under)

    @property
    def labels(self) -> Catalogue | None:
        """Names for codes; None where the service does not give any."""
        return self._catalogue()

    # -- steps -----------------------------------------------------------------------------------

    def edit_lines(self, axis: Axis, change: Callable[[Lines], Lines]) -> None:
        """Change the lines of one side, as one step; nothing left means the base alone."""
        with self._editing:
            before: Lines | None = getattr(self, axis)
            self.ask(**{axis: change(before or Lines()) or None})

    def ask(self, **changes: object) -> None:
        """Change several parts of the question at once, as one step.

        changes: `rows`, `columns`, `base_audience`, `bases`, `waves`, `locations`, as the traits
        take them. Raises `TypeError` for others, and what the traits raise; nothing is changed
        then.
        """
        parts = [field.name for field in fields(GridQuery)]
        if unknown := [name for name in changes if name not in parts]:
            raise TypeError(f"A grid asks no {unknown[0]!r}. It asks {', '.join(parts)}.")
        with self._editing:
            self._put({field: getattr(self, field) for field in parts} | changes)

    def undo(self) -> None:
        """Take the last change of the question back; harmless where there is none."""
        self._step(lambda history: history.undone())

    def redo(self) -> None:
        """Make a change again that was taken back; harmless where there is none."""
        self._step(lambda history: history.redone())

    # -- inside ----------------------------------------------------------------------------------

    @traitlets.validate("bases")
    def _check_bases(self, proposal: dict[str, Any]) -> Lines | None:
        given: object = proposal["value"]
        if isinstance(given, list | tuple):
            listed = cast("Sequence[object]", given)
            given = [Audience("All") if each is None else each for each in listed]
        bases = as_lines(given, "bases", self._catalogue)
        names = [base.name for base in bases or ()]
        if twice := [name for name in names if names.count(name) > 1]:
            raise QuestionError(f"Two bases are called {twice[0]!r}; their columns would be, too.")
        return bases or None

    def _base(self) -> Audience:
        if not self.bases:
            return super()._base()
        parts = (part.base_audience for part in self.value.parts)
        return base_beside((base.name, base) for base in parts if base)

    def _first_base(self) -> Audience:
        """Whose figures stand beside the rows: with several bases, every column has its own."""
        return (self.value.parts[0].base_audience if self.bases else None) or self._base()

    def _columns(self) -> Lines | None:
        """The columns as they stand in the table, in each of several bases."""
        if not self.bases:
            return self.columns
        held, query = self._laid_out, self.value
        if held is None or held[0] != query:
            held = self._laid_out = (query, columns_in(query))
        return held[1]

    def _add(
        self, axis: Axis, given: object, how: How, heads: str | Iterable[str], name: str
    ) -> None:
        new = lines_given(given, self.labels, how=how, heads=heads, name=name)
        self.edit_lines(axis, lambda lines: edits.added(lines, new))

    def _rename(self, axis: Axis, which: str | int, name: str) -> None:
        def change(lines: Lines) -> Lines:
            places = _places(lines, [which])
            if len(places) > 1:
                raise QuestionError(f"{len(places)} lines are called {which!r}: give a place.")
            return edits.renamed(lines, places[0], name)

        self.edit_lines(axis, change)

    def _box(self, axis: Axis, top: int, bottom: int, low_first: bool) -> None:
        flag("low_first", low_first)
        self.edit_lines(axis, lambda lines: edits.boxed(lines, top, bottom, low_first=low_first))

    def _nest(self, axis: Axis, under: object) -> None:
        outer = audiences_given(under, self.labels)
        self.edit_lines(axis, lambda lines: edits.nested(lines, outer))

    def _put(self, parts: Mapping[str, object]) -> None:
        """Set all traits of the question as one change, or none of them."""
        before = {name: getattr(self, name) for name in parts}
        ready, self._ready = self._ready, False
        try:
            for name, value in parts.items():
                setattr(self, name, value)
        except BaseException:
            for name, value in before.items():
                setattr(self, name, value)
            raise
        finally:
            self._ready = ready
        self._refetch()

    def _refetch(self, _: object = None) -> None:
        raise NotImplementedError

    def _step(self, taken: Callable[[History[GridQuery]], History[GridQuery]]) -> None:
        with self._editing:
            if self._history is None:
                return
            # What is now is what is set next, so that following it is no step of its own.
            self._history = taken(self._history)
            now = self._history.now
            self._put({field.name: getattr(now, field.name) for field in fields(GridQuery)})
            self._follow_question()

    def _follow_question(self) -> None:
        """Remember the question that is asked now, and tell the page of it."""
        with self._editing:
            before, now = self._history, self.value
            self._history = History(now) if before is None else before.followed_by(now)
            self._question = _told(self._history)


def _places(lines: Lines, which: Which) -> list[int]:
    """The places of lines by name or place; `QuestionError` for those that are not there.

    Raises `TypeError` for what is neither: it would be no line, or quietly the wrong one.
    """
    if isinstance(which, str) or not isinstance(which, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        which = [which]
    named: dict[str, list[int]] = {}
    for place, (line, heads) in enumerate(zip(lines, lines.heads, strict=True)):
        for name in dict.fromkeys((line.name, full_name(heads, line.name))):
            named.setdefault(name, []).append(place)
    found: list[int] = []
    for each in which:
        if (place := as_place(each)) is not None:
            found.append(place)
            continue
        if not isinstance(each, str):
            raise TypeError(
                "A line is meant by its name, or by its place from 0, not by "
                f"{type(each).__name__}. There are: {_some(lines)}."
            )
        if each not in named:
            raise QuestionError(f"There is no line {each!r}. There are: {_some(lines)}.")
        found += named[each]
    return found


def _some(lines: Lines) -> str:
    names = lines.full_names
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12:,} more" if len(names) > 12 else shown or "none"


def _told(history: History[GridQuery]) -> dict[str, Any]:
    """The question in a few names, as the bar over the table shows it before anybody asks."""
    query = history.now
    bases = query.bases or (() if query.base_audience is None else (query.base_audience,))
    return {
        "rows": _side_told(query.rows),
        "columns": _side_told(query.columns),
        "bases": [_cut(as_audience(base).name) for base in bases[:_TOLD_NAMES]],
        "baseCount": len(bases),
        "sideBySide": bool(query.bases),
        "waves": _codes_told(query.waves, wave_name),
        "locations": _codes_told(query.locations, str),
        "undo": _changed(query, history.past[-1]) if history.past else None,
        "redo": _changed(query, history.future[-1]) if history.future else None,
    }


def _side_told(lines: Lines | None) -> dict[str, Any]:
    over = zip(lines or (), lines.heads if lines else (), strict=True)
    names = list(dict.fromkeys(heads[0] if heads else line.name for line, heads in over))
    return {
        "count": len(lines or ()),
        "names": [_cut(name) for name in names[:_TOLD_NAMES]],
        "more": max(0, len(names) - _TOLD_NAMES),
    }


def _codes_told(
    codes: tuple[str, ...] | None, named: Callable[[str], str]
) -> dict[str, Any] | None:
    if not codes:
        return None
    return {"count": len(codes), "names": [_cut(named(code)) for code in codes[:3]]}


def _cut(name: str) -> str:
    return shorten(name, _TOLD_LENGTH)


def _changed(one: GridQuery, other: GridQuery) -> str:
    """The part of the question in which two differ; the first of them where there are several."""
    names = [field.name for field in fields(GridQuery)]
    return next((name for name in names if getattr(one, name) != getattr(other, name)), names[0])
