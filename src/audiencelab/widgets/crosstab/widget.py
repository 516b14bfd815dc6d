"""The crosstab grid: a table of audiences against audiences that fills while it is counted.

The widget is traits, the table of RPC operations, and methods that call its components. The page's
half is in `js/src/crosstab`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from audiencelab.client.names import named_waves, window_codes
from audiencelab.keywords import keywords
from audiencelab.markup import Form
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.results.arrays import intern_attributes
from audiencelab.results.provenance import weight_fact
from audiencelab.results.record import metadata_of
from audiencelab.schema.scope import BaseOf
from audiencelab.tables import CrosstabResult
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import Synced
from audiencelab.widgets.crosstab import formatting
from audiencelab.widgets.crosstab.adjusting import answer_adjusted, answer_choices
from audiencelab.widgets.crosstab.export import Exporter
from audiencelab.widgets.crosstab.formatted_widget import FormattedWidget
from audiencelab.widgets.crosstab.formatting import LEVELS, Density, Heat, Significance, Units
from audiencelab.widgets.crosstab.loader import LoadState
from audiencelab.widgets.crosstab.metrics import wide
from audiencelab.widgets.crosstab.protocol import (
    Generation,
    Grid,
    SelectedCells,
    ShownItems,
    TableProgress,
    TableState,
)
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.query_rpc import serve_query
from audiencelab.widgets.crosstab.query_summary import name_of_wave
from audiencelab.widgets.crosstab.selection import GridSelection, selection_of
from audiencelab.widgets.crosstab.session import QuerySession, progress_of
from audiencelab.widgets.crosstab.static_html import CODE_AUDIENCES, grid_html, saved_grid
from audiencelab.widgets.crosstab.table_view import Asked, TableView, needs_banner
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.numbered import numbered
from audiencelab.widgets.rpc_types import PageRequest
from audiencelab.widgets.who_counts import stated, usual_waves
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client

__all__ = ["Crosstab", "GridSelection"]

_STATIC_CELLS, _STATIC_TIMEOUT = 1_000, 1.0


class Crosstab(FormattedWidget):
    """Row audiences against column audiences, on the screen and in Python.

    client: the client that answers the query, from `audiencelab.connect()`.
    rows: questions by name or code, audiences or expressions, as in `client.crosstab`; None:
        the base audience alone. A mapping puts them in groups, to any depth.
    columns: the same for the columns.
    base_audience: the base within which everything is counted; None: everyone.
    waves: as in `client.crosstab`; None: those of the client, or the latest 4.
    locations: by codes or names; None: everywhere.
    bases: several bases side by side: each has all columns, counted within it.
    weight: the name of a weight of the survey, None for none; by default that of the client.
    base_of: who of the base counts in a cell, as in `client.crosstab`; None: the default of the
        survey.
    metric: the metric of the cells: "column" (%, the default), "index", "row", "total", "size",
        "sample", "difference", "z", "letters" or "se"; or
    metrics: one to four of them, stacked in this order.
    heat: what colours show: "index", "difference", "z", or "none".
    bars: whether to draw a bar of the first share among the metrics.
    decimals: 0 to 4 for all metrics but counts; None: the default of each metric.
    units: of sizes: "short" (1.2M), "thousands" (1,234.5K), or "full" (1,234,500).
    stars: respondents in a denominator below which it is marked `*`, and `**`. Cells with a
        mark have no colour.
    hide_under: hide values whose denominator has fewer respondents.
    significance: "arrows" (▲ ▼) where a column differs from the rest of the base, "letters" of
        the columns with a significantly smaller share, "previous wave" for arrows where a column
        that is a wave differs from the same one a wave before, or None.
    level: confidence of these tests: 0.90, 0.95 or 0.99.
    density: "comfortable" or "compact" rows and columns; "auto": by the width.
    show_bases: whether the weighted and the unweighted base (n) are shown beside the names:
        True, False, "weighted" or "unweighted".

    All but the client can be set later; all but the client and `metric`, the first of `metrics`,
    are traits. A change of the query loads the table again on another thread; the latest query
    wins. Formatting needs no counting. The base can be linked to an audience editor. The grid fills
    while the table is counted; `result` and the frames wait until it is complete.

    Raises `TypeError`: an argument has the wrong type; `traitlets.TraitError`: an unknown metric or
    setting.
    """

    kind = traitlets.Unicode("grid", read_only=True).tag(sync=True)

    selection = traitlets.Instance(GridSelection, allow_none=True, read_only=True)

    _is_table = True
    _table = Synced(TableState)
    _progress = Synced(TableProgress, TableProgress())
    _selected_cells = Synced(SelectedCells, SelectedCells())
    _arrangement = numbered(traitlets.Dict())
    _shown_items = Synced(ShownItems)
    _levels = traitlets.List(list(LEVELS), read_only=True).tag(sync=True)

    @keywords()
    def __init__(
        self,
        client: Client,
        rows: object = None,
        columns: object = None,
        base_audience: object = None,
        waves: object = None,
        locations: object = None,
        bases: object = None,
        metric: str | None = None,
        metrics: Sequence[str] | None = None,
        heat: Heat | None = "index",
        bars: bool = False,
        decimals: int | None = None,
        units: Units = "short",
        stars: tuple[int, int] = (100, 30),
        hide_under: float = 0,
        significance: Significance | None = "arrows",
        level: float = 0.95,
        density: Density = "auto",
        show_bases: bool | str | Sequence[str] = True,
        weight: str | UnsetType | None = UNSET,
        base_of: BaseOf | None = None,
    ) -> None:
        self._use_client(client)
        self._session = QuerySession(client, lambda: self.value, self._catalogue, self._report)
        self._view = TableView(
            self._session,
            lambda: Asked(self.arrangement, self.metric, self.transposed, self._shown_items),
        )
        self._exporter = Exporter(self._session)
        super().__init__(
            # Before rows and columns, which may be the waves.
            waves=waves,
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            locations=locations,
            bases=bases,
            weight=weight,
            base_of=base_of,
            metrics=formatting.chosen_metrics(metric, metrics),
            heat=heat,
            bars=bars,
            decimals=decimals,
            units=units,
            stars=stars,
            hide_under=hide_under,
            significance=significance,
            level=level,
            density=density,
            show_bases=show_bases,
        )
        self._serve()
        self._begin()

    def _serve(self) -> None:
        session, view, exporter, on = self._session, self._view, self._exporter, self.channel.on
        on(Grid.tile, session.answer_tile)
        on(Grid.names, session.answer_names)
        on(Grid.marks, session.answer_marks)
        on(Grid.statistics, lambda request: session.answer_statistics(request, self.looks))
        on(Grid.restart, self._answer_restart)
        on(Grid.cancel, self._answer_cancel, inline=True)
        on(Grid.banners, view.answer_banners)
        on(Grid.measure, view.answer_measure)
        on(Grid.apart, lambda request: view.answer_most_different(request, self.stars[0]))
        on(Grid.adjustable, lambda request: answer_choices(session, self._client, request))
        on(
            Grid.adjusted,
            lambda request: answer_adjusted(session, self._client, request, self.stars[0]),
        )
        on(Grid.drill, lambda request: exporter.answer_drill(request, self.stars))
        on(Grid.code, exporter.answer_code)
        self._serve_files()
        serve_query(self.channel, self, self._client)
        self.channel.is_outdated = session.is_outdated

    # -- the table -----------------------------------------------------------------------------

    @property
    def result(self) -> CrosstabResult:
        """The complete table; waits for it, and raises what `wait` raises."""
        return self._session.wait()

    @property
    def frame(self) -> pd.DataFrame:
        """The complete table as a long frame, one row a cell."""
        return self.to_frame()

    def to_frame(self) -> pd.DataFrame:
        """The complete table as a long frame; see `CrosstabResult.to_frame`.

        >>> al.Crosstab(client, "Gender", "Age").to_frame().shape
        (21, 23)
        """
        return self.result.to_frame()

    def to_wide(
        self, metric: str | Sequence[str] | None = None, *, arranged: bool = False
    ) -> pd.DataFrame:
        """The complete table with rows down and columns across.

        metric: one of the grid or of the frame, or several, side by side in each
            column; None is those of the cells. Values that `hide_under` hides are NaN.
        arranged: rows and columns as they are shown: sorted, without hidden ones, transposed.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.to_wide("index").shape
        (3, 7)
        """
        result = self.result
        shown = self.metrics if len(self.metrics) > 1 else self.metric
        nets = self._session.nets(result)
        frame = wide(result, metric or shown, self.hide_under, nets=nets)
        if not arranged:
            return frame
        return self._view.arranged(frame)

    def to_code(self) -> str:
        """Python that counts the same table without the widget, given `client` and `al`.

        Metrics and letters that were chosen are lines of their own.

        >>> print(al.Crosstab(client, "Gender", "Age").to_code())
        table = client.crosstab(
            rows=['Gender'],
            columns=['Age'],
        )
        """
        scope, usual = stated(self._client, self.value.scope)
        query, waves = replace(self.value, scope=scope), usual_waves(self._client, scope)
        table = query.to_code(self.labels, usual, waves)
        return "\n".join([table, *self.looks.code])

    def wait(self, timeout: float | None = None) -> Crosstab:
        """Wait until the table is complete, and return the grid.

        timeout: seconds; None has no limit.

        Raises `GridTimeout`: the table was not complete in time; `GridCancelled`: the query was
        cancelled; `AudienceError`: the error of the service or the client.

        >>> al.Crosstab(client, "Gender", "Age").wait(timeout=60).result.shape
        (3, 7)
        """
        self._session.loader.wait(timeout)
        return self

    def cancel(self) -> None:
        """Stop counting; received cells stay on the screen.

        >>> grid = al.Crosstab(client, "Finding brands", "Age")
        >>> grid.cancel()
        """
        self._session.loader.cancel()

    def restart(self) -> None:
        """Count the same query again.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.cancel()
        >>> grid.restart()
        >>> grid.result.shape
        (3, 7)
        """
        self._begin_table()

    def close(self) -> None:
        """Stop counting and close the widget; harmless when repeated.

        >>> al.Crosstab(client, "Gender", "Age").close()
        """
        session: QuerySession | None = getattr(self, "_session", None)
        if session is not None:
            session.loader.close()
            self.leave_deck()
        super().close()

    # -- arrangement ---------------------------------------------------------------------------

    @property
    def arrangement(self) -> Arrangement:
        """How rows and columns are sorted, hidden, filtered, moved, folded, and their widths.

        It can be set, also to a result of `to_dict`, as in a document; entries that do not fit the
        table are dropped. `Arrangement()` shows everything in the order of the query.
        """
        return Arrangement.from_dict(self._arrangement)

    @arrangement.setter
    def arrangement(self, value: Arrangement | Mapping[str, Any]) -> None:
        given = value if isinstance(value, Arrangement) else Arrangement.from_dict(value)
        self._arrangement = self._view.stored(given)

    def shown_positions(self) -> tuple[list[int], list[int]]:
        """The positions of the visible rows and columns, in the order in which they are shown.

        They are those of the page. Where none has shown this arrangement yet, they are found by
        the same rules; that waits for a table to sort or filter, and raises what `wait` raises.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.shown_positions()
        ([0, 1, 2], [0, 1, 2, 3, 4, 5, 6])
        """
        return self._view.shown_positions()

    # -- traits --------------------------------------------------------------------------------

    @traitlets.validate("_arrangement")
    def _validate_arrangement(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return self._view.checked(proposal["value"])

    @traitlets.observe("_selected_cells")
    def _follow_selected_cells(self, change: dict[str, Any]) -> None:
        self.set_trait("selection", selection_of(change["new"], self._session.axes))

    # -- counting ------------------------------------------------------------------------------

    def _is_loaded(self, query: GridQuery) -> bool:
        return query == self._session.started

    def _start(self) -> int:
        # A cell that runs again makes equal axes again. Equal values send no notification.
        names = tuple(item.name for axis in (self.rows, self.columns) for item in axis)
        axes = [name for name in ("rows", "columns", "bases") if getattr(self, name)]
        intern_attributes(self, names, axes)
        self._selected_cells = SelectedCells()
        session = self._session
        before, since = session.started, session.generation
        # One message for all, or the page would see the new table with the old progress.
        with self.hold_sync():
            generation = session.start()
            rows, columns = session.axes
            self._table = TableState(
                generation=generation,
                rows=len(rows),
                columns=len(columns),
                base=session.first_base.name,
                bases=len(self.bases or ()),
                answered=self.base_of == "valid",
                scope=self._scope_words(),
                banners=needs_banner(rows, columns),
                kept=self._view.kept(before, since),
                statistics=self.statistics.names,
                of_statistics=bool(self.statistics) and not self.rows,
            )
            self._arrangement = self._view.carried(self._arrangement)
        return generation

    def _scope_words(self) -> str:
        """Waves by name, locations and weight, as a line."""
        own = self._client.default_waves
        window: str | Sequence[str] = named_waves(own)
        # Anything that streams a crosstab works as a client.
        if (sender := getattr(self._client, "sender", None)) is None:
            return self.value.scope_words(window, {}, "")
        context = sender.context
        if known := context.survey_scope:
            window = window_codes(own, known.wave_names) if known.wave_names else window
        codes = self.waves or (() if isinstance(window, str) else window)
        names = {code: name_of_wave(code, self.labels) for code in codes}
        weight = weight_fact(context.provenance("crosstab", self.scope))
        return self.value.scope_words(window, names, weight)

    def _report(self, snapshot: LoadState) -> None:
        """Send the progress of the table to the page; called on the loader's thread."""
        self._progress = progress_of(snapshot, self.stars[0])

    @traitlets.observe("stars")
    def _follow_stars(self, _: dict[str, Any]) -> None:
        self._report(self._session.loader.snapshot)

    def _answer_cancel(self, request: PageRequest[Generation]) -> None:
        self._session.snapshot_for(request)
        self.cancel()

    def _answer_restart(self, request: PageRequest[Generation]) -> None:
        self._session.snapshot_for(request)
        self.restart()

    # -- static forms --------------------------------------------------------------------------

    def _describe(self) -> str:
        rows, columns = self._session.axes
        several = len(self.metrics) > 1
        shown = f"metrics={self.metrics!r}" if several else f"metric={self.metric!r}"
        return (
            f"Crosstab({plural(len(rows), 'row')} × {plural(len(columns), 'column')}, "
            f"base={self._session.base.name!r}, {shown})"
        )

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        session = self._session
        # A small table is worth a wait, a large one must not block the display.
        if len(session.axes[0]) * len(session.axes[1]) <= _STATIC_CELLS:
            session.loader.settle(_STATIC_TIMEOUT)
        result, _, marks = self._view.shown_table()
        code = self.to_code() if sum(self.value.shape) <= CODE_AUDIENCES else ""
        table = self.value.shape, code, result, self.looks, session.base.name, marks
        return grid_html(*table, transposed=self.transposed, room=room)

    def _is_settled(self) -> bool:
        return self._session.loader.snapshot.phase != "running"

    def _recorded(self, title: str) -> dict[str, Any]:
        result, _, marks = self._view.shown_table()
        if result is None:
            return {}
        method = "" if marks is None else marks.methods(self.looks)
        return metadata_of(result, title=title, method=method, code=self.to_code())

    def _saved_table(self, room: int) -> dict[str, Any] | None:
        result, axes, marks = self._view.shown_table()
        return saved_grid(self.value, result, self.looks, axes, room, marks)
