"""A widget with a crosstab query that Python and the page can edit step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from audiencelab.flags import flag
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import ScopedWidget
from audiencelab.widgets.crosstab import axis_edits
from audiencelab.widgets.crosstab.axis import Axis, AxisName, as_axis
from audiencelab.widgets.crosstab.coercion import How, as_items
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.query_editor import (
    QueryEditor,
    Which,
    check_bases,
    everyone_named,
    position_of,
    positions_of,
)

if TYPE_CHECKING:
    from audiencelab.client import Catalogue


class QueryWidget(ScopedWidget):
    """A widget whose rows, columns, bases, waves and locations can be edited step by step.

    A subclass loads the present query in `_start`, tells with `_is_loaded` whether it has loaded a
    query, and calls `_begin` at the end of its constructor.
    """

    rows = traitlets.Any(None, allow_none=True)
    columns = traitlets.Any(None, allow_none=True)
    bases = traitlets.Any(None, allow_none=True)

    _question = traitlets.Dict().tag(sync=True, echo_update=False)

    def __init__(self, **state: Any) -> None:
        self._ready = False
        self._editor = QueryEditor(lambda: self.value, self._set_query, self._publish_query)
        super().__init__(**state)

    def _begin(self) -> None:
        self._ready = True
        self._load()

    def _start(self) -> None:
        raise NotImplementedError

    def _is_loaded(self, query: GridQuery) -> bool:
        raise NotImplementedError

    @property
    def value(self) -> GridQuery:
        """The query that the grid shows."""
        scope = (self.base_audience, self.waves, self.locations)
        return GridQuery(self.rows, self.columns, *scope, bases=self.bases)

    @property
    def labels(self) -> Catalogue | None:
        """Names for codes; None where the service has no catalogue."""
        return self._catalogue()

    # -- edits of the query --------------------------------------------------------------------

    def ask(self, **changes: object) -> None:
        """Change several parts of the query at once, as one step.

        changes: `rows`, `columns`, `base_audience`, `bases`, `waves`, `locations`, as the traits
        take them. Raises `TypeError` for others, and the errors of the traits; nothing changes
        then.
        """
        self._editor.ask(**changes)

    def undo(self) -> None:
        """Undo the last change of the query, if there is one; at most 100 steps."""
        self._editor.undo()

    def redo(self) -> None:
        """Redo a change that was undone, if there is one."""
        self._editor.redo()

    def add_rows(
        self, given: object, how: How = "split", *, heads: str | Iterable[str] = (), name: str = ""
    ) -> None:
        """Add rows to the present ones.

        given: a `QuestionPicker`, questions of the catalogue or their names, audiences, saved
            audiences, expressions, or a list of any of these.
        how: "split" adds a row for each audience and each answer, the answers of a question in a
            group with its name; "and" one row of the people to whom all of it applies, "or" of
            those to whom any of it applies. Answers to one question are alternatives in any case.
        heads: groups above the new rows, outermost first.
        name: of the one row of "and" or "or".

        A row that exists already is not added again. Raises `TypeError`, `UnknownCodeError` and
        `QuestionError` for values that cannot be added; the grid does not change then.
        """
        self._add("rows", given, how, heads, name)

    def add_columns(
        self, given: object, how: How = "split", *, heads: str | Iterable[str] = (), name: str = ""
    ) -> None:
        """Add columns to the present ones; see `add_rows`."""
        self._add("columns", given, how, heads, name)

    def remove_rows(self, which: Which) -> None:
        """Remove rows: names, or positions from 0."""
        self._remove("rows", which)

    def remove_columns(self, which: Which) -> None:
        """Remove columns; see `remove_rows`."""
        self._remove("columns", which)

    def net_rows(self, which: Which, name: str = "") -> None:
        """Add a net: a row for the people in any of some rows, after them.

        which: two or more names, or positions from 0. name: "" is the names of the rows.
        """
        self._net("rows", which, name)

    def net_columns(self, which: Which, name: str = "") -> None:
        """Add a net of columns; see `net_rows`."""
        self._net("columns", which, name)

    def rename_row(self, which: str | int, name: str) -> None:
        """Rename a row, by its name or its position from 0."""
        self._rename("rows", which, name)

    def rename_column(self, which: str | int, name: str) -> None:
        """Rename a column; see `rename_row`."""
        self._rename("columns", which, name)

    def box_rows(self, top: int = 2, bottom: int = 2, *, low_first: bool = True) -> None:
        """Add top and bottom boxes of the rows, in which each group is a scale.

        top, bottom: the number of answers in each; 0 for none. low_first: whether the rows run
        from the lowest answer to the highest.
        """
        self._box("rows", top, bottom, low_first)

    def box_columns(self, top: int = 2, bottom: int = 2, *, low_first: bool = True) -> None:
        """Add top and bottom boxes of the columns; see `box_rows`."""
        self._box("columns", top, bottom, low_first)

    def nest_rows(self, under: object) -> None:
        """Nest all rows under each of other audiences, counted within them, as in `al.nest`.

        under: what `add_rows` takes, an audience for each group.
        """
        self._nest("rows", under)

    def nest_columns(self, under: object) -> None:
        """Nest all columns under each of other audiences; see `nest_rows`."""
        self._nest("columns", under)

    def _add(
        self, axis: AxisName, given: object, how: How, heads: str | Iterable[str], name: str
    ) -> None:
        new = as_items(given, self.labels, how=how, heads=heads, name=name)
        self._editor.edit(axis, lambda items: axis_edits.add(items, new))

    def _remove(self, axis: AxisName, which: Which) -> None:
        self._editor.edit(axis, lambda items: axis_edits.remove(items, positions_of(items, which)))

    def _net(self, axis: AxisName, which: Which, name: str) -> None:
        self._editor.edit(
            axis, lambda items: axis_edits.add_net(items, positions_of(items, which), name)
        )

    def _rename(self, axis: AxisName, which: str | int, name: str) -> None:
        self._editor.edit(
            axis, lambda items: axis_edits.rename(items, position_of(items, which), name)
        )

    def _box(self, axis: AxisName, top: int, bottom: int, low_first: bool) -> None:
        flag("low_first", low_first)
        self._editor.edit(
            axis, lambda items: axis_edits.add_boxes(items, top, bottom, low_first=low_first)
        )

    def _nest(self, axis: AxisName, under: object) -> None:
        outer = as_items(under, self.labels)
        self._editor.edit(axis, lambda items: axis_edits.nest(items, outer))

    # -- traits --------------------------------------------------------------------------------

    @traitlets.validate("rows", "columns")
    def _validate_axis(self, proposal: dict[str, Any]) -> Axis | None:
        return as_axis(proposal["value"], proposal["trait"].name, self._catalogue)

    @traitlets.validate("bases")
    def _validate_bases(self, proposal: dict[str, Any]) -> Axis | None:
        return check_bases(as_axis(everyone_named(proposal["value"]), "bases", self._catalogue))

    @traitlets.observe("rows", "columns", "base_audience", "bases", "waves", "locations")
    def _load(self, _: object = None) -> None:
        # The constructor and `_set_query` set all traits, and then load once.
        if self._ready and not self._is_loaded(self.value):
            self._start()
            self._editor.follow()

    def _set_query(self, parts: Mapping[str, object]) -> None:
        """Set traits of the query as one change, or none of them."""
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
        self._load()

    def _publish_query(self, summary: dict[str, Any]) -> None:
        self._question = summary
