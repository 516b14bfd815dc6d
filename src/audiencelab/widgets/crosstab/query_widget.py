"""A widget with a crosstab query that Python and the page can edit step by step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, UnsetType

from audiencelab.client.audiences import StatisticPlace
from audiencelab.client.catalogue.amounts import numbered_questions, statistic_rows
from audiencelab.client.names import WavesLike, window_codes
from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.statistic_rows import Statistic
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import ScopedWidget, Synced
from audiencelab.widgets.crosstab.axis import AxisAudiences, AxisName, as_axis
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.axis_verbs import WidgetAxis, WidgetAxisTrait
from audiencelab.widgets.crosstab.coercion import group_of
from audiencelab.widgets.crosstab.forms import FormBlock, Forms, blocks_of, forms_of
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.protocol import (
    QuerySummary,
)
from audiencelab.widgets.crosstab.query import PARTS, GridQuery
from audiencelab.widgets.crosstab.query_protocol import Form
from audiencelab.widgets.crosstab.query_summary import (
    MAX_STEPS,
    History,
    scored_questions,
    summary_of,
)
from audiencelab.widgets.crosstab.wave_columns import with_waves, without_waves
from audiencelab.widgets.picker.protocol import CodeName

if TYPE_CHECKING:
    from audiencelab.client import Catalogue


@hide_members(
    "blocks",
    "labels",
    "question_of",
    "renew",
    "scored",
    "show_alike",
    "show_as",
    "show_waves",
    "statistic_rows",
    "statistics",
    "take_statistics",
    "wave_names",
)
class QueryWidget(ScopedWidget):
    """A widget whose rows, columns, bases, waves, locations and weight can be edited step by step.

    `rows` and `columns` are sequences of audiences with the verbs of `WidgetAxis`; both can be set,
    to whatever `client.crosstab` takes.

    A subclass loads the present query in `_start` and returns the number of the table, returns from
    `_is_loaded` whether it has loaded a query, and calls `_begin` at the end of its constructor.
    """

    rows = WidgetAxisTrait(None, allow_none=True)
    columns = WidgetAxisTrait(None, allow_none=True)
    bases = traitlets.Any(None, allow_none=True)
    statistics = traitlets.Any(PlacedStatistics())

    _question = Synced(QuerySummary)

    def __init__(self, **state: Any) -> None:
        self._forms = Forms()
        self._ready = self._came = False
        self._editing = threading.RLock()
        self._history: History | None = None
        self._tables: dict[int, GridQuery] = {}
        super().__init__(**state)

    def _begin(self) -> None:
        self._ready = True
        self._load()

    def _start(self) -> int:
        raise NotImplementedError

    def _begin_table(self) -> None:
        generation = self._start()
        self._tables[generation] = self.value
        self._tables.pop(generation - MAX_STEPS, None)

    def question_of(self, table: int | None) -> GridQuery | None:
        """The query of an earlier table by its generation; None for one that is not kept."""
        return self.value if table is None else self._tables.get(table)

    def _is_loaded(self, query: GridQuery) -> bool:
        raise NotImplementedError

    @property
    def value(self) -> GridQuery:
        """The query that the grid shows."""
        query = GridQuery.of({name: getattr(self, name) for name in PARTS})
        return replace(query, rows=self.rows.plain, columns=self.columns.plain)

    def wave_names(self) -> dict[str, str]:
        """The names of the waves that are counted, by code.

        >>> al.Crosstab(client, "Gender", waves="latest 1").wave_names()
        {'q4_2025': 'Q4 2025'}
        """
        known = {wave.code: wave.name for wave in self._client.waves()}
        window = self.waves or self._client.default_waves
        return {code: known[code] for code in window_codes(window, known)}

    @property
    def labels(self) -> Catalogue | None:
        """Names for codes; None where the service has no catalogue."""
        return self._catalogue()

    @property
    def scored(self) -> tuple[CodeName, ...]:
        """The questions of the rows whose means can be added by `rows.add_mean()`."""
        return tuple(scored_questions(self.value, self._catalogue, self._client))

    def statistic_rows(self, question: str, statistic: str) -> tuple[Statistic, ...]:
        """The rows of a statistic of a question; raises `QuestionError` for one without amounts.

        >>> al.Crosstab(client, "Age", "Gender").statistic_rows("Age", "mean")
        (<Statistic Age: mean>,)
        """
        catalogue = self.labels
        if catalogue is None:
            raise QuestionError("The service has no catalogue to find questions in.")
        asked = catalogue[question]
        rows = statistic_rows(asked, statistic, numbered_questions(self._client.service))
        if not rows:
            raise QuestionError(
                f"{asked.name} has no numbers, and its answers have no amounts: it has no "
                f"{statistic}."
            )
        return rows

    def _kept_numbers(self) -> Collection[str] | None:
        """The questions whose numbers the survey keeps; None where no means can be counted."""
        try:
            return numbered_questions(self._client.service)
        except LookupError:  # Statistics are computed from respondents in this process.
            return None

    def blocks(self) -> list[FormBlock]:
        """The rows and columns of each question, with the forms that it can be shown in.

        >>> [block.forms for block in al.Crosstab(client, "Age", "Gender").blocks()]
        [('distribution', 'mean', 'median'), ('distribution',)]
        """
        if (catalogue := self.labels) is None:
            return []
        query, none, numbers = self.value, AxisAudiences(), self._kept_numbers()
        return [
            *blocks_of("rows", query.rows or none, query.statistics, catalogue, numbers),
            *blocks_of("columns", query.columns or none, PlacedStatistics(), catalogue, numbers),
        ]

    # -- edits of the query --------------------------------------------------------------------

    def show_alike(
        self, axis: AxisName, new: AxisAudiences, means: Sequence[StatisticPlace]
    ) -> bool:
        """Show grids in the form in which they are about to be added again; whether any changed.

        >>> grid = al.Crosstab(client, "Trust in sources")
        >>> grid.rows.add("Trust in sources", grids="mean")
        >>> len(grid.rows), len(grid.statistics)
        (0, 10)
        """
        if (catalogue := self.labels) is None:
            return False
        coming = blocks_of(axis, new, PlacedStatistics(means), catalogue, self._kept_numbers())
        forms = {each.question: each.form for each in coming if each.question.suffixes}
        items: WidgetAxis = getattr(self, axis)
        changed = False
        for each in self.blocks():
            if each.axis != axis or each.form is None:
                continue
            above = [items.groups[at] for at in each.audiences] or [
                self.statistics.groups[at] for at in each.statistics
            ]
            # Another group is a choice of its own, such as one item alone.
            is_grid = above[0][:1] == (group_of(each.question),)
            form = forms.get(each.question) if is_grid else None
            if form is not None and form != each.form and form in each.forms:
                self.show_as(axis, each.question, form, None)
                changed = True
        return changed

    def show_waves(self, shown: bool, waves: WavesLike | UnsetType = UNSET) -> None:
        """Show the waves as columns, within each present column; or the columns without them.

        waves: those that are counted then, as for the trait; by default they stay.

        >>> grid = al.Crosstab(client, "Age", "Gender", waves="latest 2")
        >>> grid.show_waves(True)
        >>> [column.name for column in grid.columns][:2], grid.columns.groups[0]
        (['Q3 2025', 'Q4 2025'], ('Gender', 'Male'))
        >>> grid.show_waves(False)
        >>> len(grid.columns)
        3
        """
        with self._editing:
            if not isinstance(waves, UnsetType):
                known = {wave.code: wave.name for wave in self._client.waves()}
                codes = window_codes(waves or self._client.default_waves, known)
                names = {code: known[code] for code in codes}
            else:
                names = self.wave_names()
            columns: WidgetAxis = self.columns
            changed = with_waves(columns.plain, names) if shown else without_waves(columns.plain)
            # Those of the columns, so that a later change of the window changes both.
            counted = {"waves": [*names]} if shown else {}
            self._set_query({"columns": changed, **counted})

    def show_as(
        self, axis: AxisName, question: object, form: Form, bins: Iterable[float] | None
    ) -> None:
        """Show the rows or columns of a question in another form; see `WidgetAxis.show_as`.

        >>> grid = al.Crosstab(client, "Age", "Gender")
        >>> grid.show_as("rows", "Age", "mean", None)
        >>> [row.name for row in grid.statistics]
        ['Age: mean']
        """
        catalogue = self.labels
        if catalogue is None:
            raise QuestionError("The service has no catalogue to find questions in.")
        found = catalogue[str(getattr(question, "code", question))]
        found = found.item_of or found
        if bins is not None and form != "distribution":
            raise QuestionError(f"Bins are a distribution: leave out bins, or {form!r}.")
        numbers = self._kept_numbers()
        if form not in (forms := forms_of(found, axis, numbers)):
            listed = ", ".join(map(repr, forms))
            side = " on columns" if axis == "columns" and form in ("mean", "median") else ""
            raise QuestionError(f"{found.name!r} cannot be {form!r}{side}; it can be {listed}.")
        with self._editing:
            items: WidgetAxis = getattr(self, axis)
            now = items.plain or AxisAudiences()
            means = self.statistics if axis == "rows" else PlacedStatistics()
            mine = (each for each in self.blocks() if (each.axis, each.question) == (axis, found))
            block = next(mine, FormBlock(axis, found, forms))
            made = None if bins is None else self._client[found.code].bins(bins)
            axis_now, placed = self._forms.changed(block, now, means, form, made)
            parts: dict[str, object] = {axis: axis_now or None}
            self._set_query(parts | ({"statistics": placed} if axis == "rows" else {}))

    def ask(self, **changes: object) -> None:
        """Change several parts of the query at once, as one step.

        changes: the traits of a query (`rows`, `columns`, `bases`, `base_audience`, `waves` …), as
            they take them, or functions of their present values.

        Raises `TypeError` for other names, and the errors of the traits; nothing changes then.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.ask(rows="Finding brands", waves="latest 1")
        >>> len(grid.rows), grid.waves
        (20, ('q4_2025',))
        """
        if unknown := [name for name in changes if name not in PARTS]:
            raise TypeError(f"ask() takes {', '.join(PARTS)}; got {unknown[0]!r}.")
        with self._editing:
            now = self.value
            self._set_query(
                {
                    name: change(now.parts[name]) if callable(change) else change
                    for name, change in changes.items()
                }
            )

    def undo(self) -> None:
        """Undo the last change of the query, if there is one; at most 100 steps.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.ask(columns=None)
        >>> grid.undo()
        >>> len(grid.columns)
        7
        """
        self._step(History.undo)

    def redo(self) -> None:
        """Redo a change that was undone, if there is one.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.ask(columns=None)
        >>> grid.undo()
        >>> grid.redo()
        >>> len(grid.columns)
        0
        """
        self._step(History.redo)

    def renew(self, change: Callable[[GridQuery], GridQuery]) -> None:
        """Ask a survey that has changed what is made of the query, also if that is the same.

        change: gets the query as it is now, while no other edit is made.
        """
        with self._editing:
            query = change(self.value)
            loaded = self._is_loaded(query)
            self._set_query(query.parts)
            if loaded:
                self._begin_table()
            self._follow()

    # -- traits --------------------------------------------------------------------------------

    @traitlets.validate("bases")
    def _validate_bases(self, proposal: dict[str, Any]) -> AxisAudiences | None:
        given = proposal["value"]
        if isinstance(given, list | tuple):
            listed = cast("Iterable[object]", given)
            given = [Audience("All") if each is None else each for each in listed]
        bases = as_axis(given, "bases", self._catalogue)
        names = [base.name for base in bases or ()]
        if twice := [name for name in names if names.count(name) > 1]:
            raise QuestionError(f"Two bases are named {twice[0]!r}; use different names.")
        return bases or None

    @traitlets.validate("statistics")
    def _validate_statistics(self, proposal: dict[str, Any]) -> PlacedStatistics:
        given = PlacedStatistics.of(proposal["value"], self.rows.plain)
        found: list[StatisticPlace] = []
        as_axis(list(given), "rows", self._catalogue, found)
        pairs = zip(given.places, found, strict=True)
        places = [old._replace(statistic=new.statistic) for old, new in pairs]
        names = [(each.groups, each.statistic.name) for each in places]
        if twice := [each for each in names if names.count(each) > 1]:
            raise QuestionError(f"There is a row {twice[0][1]!r} already.")
        return PlacedStatistics(places)

    @traitlets.observe(*PARTS)
    def _load(self, change: dict[str, Any] | None = None) -> None:
        # The constructor and `_set_query` set all traits, and then load once.
        if not self._ready:
            return
        if change is not None and change["name"] == "rows":
            self._ready = False
            try:
                self._carry_statistics(change["old"])
            finally:
                self._ready = True
        if not self._is_loaded(self.value):
            self._begin_table()
            self._follow()

    def take_statistics(self, places: Iterable[StatisticPlace]) -> None:
        """Replace the rows of statistics by those that came among new rows."""
        ready, self._ready = self._ready, False
        try:
            self.statistics = PlacedStatistics(places)
        finally:
            self._ready = ready
        self._came = True

    def _carry_statistics(self, old: AxisAudiences | None) -> None:
        """Leave statistics beside the rows that they follow, unless they came with new rows."""
        if not self._came:
            self.statistics = self.statistics.carried(old, self.rows.plain)
        self._came = False

    def _set_query(self, parts: dict[str, object]) -> None:
        """Set traits of the query as one change, or none of them."""
        before = {name: getattr(self, name) for name in (*parts, "statistics")}
        ready, self._ready = self._ready, False
        rows: WidgetAxis = self.rows
        try:
            for name, value in parts.items():
                setattr(self, name, value)
            if "rows" in parts and "statistics" not in parts:
                self._carry_statistics(rows.plain)
        except BaseException:
            for name, value in before.items():
                setattr(self, name, value)
            raise
        finally:
            self._ready, self._came = ready, False
        self._load()

    def _follow(self) -> None:
        """Add the present query to the history, and publish it."""
        with self._editing:
            now, history = self.value, self._history
            self._history = History(now) if history is None else history.then(now)
            self._question = summary_of(self._history, self._catalogue, self._client)

    def _step(self, taken: Callable[[History], History]) -> None:
        with self._editing:
            if self._history is None:
                return
            # Before the traits change, so that following them is not another step.
            self._history = taken(self._history)
            now = self._history.now
            self._set_query(now.parts)
            self._follow()
