"""A crosstab query with display settings, whose table is sent: as files, charts and slides."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.tables import CrosstabResult
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import Synced
from audiencelab.widgets.crosstab import formatting
from audiencelab.widgets.crosstab.charts import ChartKind, LinkedChart, draw_selected
from audiencelab.widgets.crosstab.deck import Deck, deck_of
from audiencelab.widgets.crosstab.deck_item import DeckItem
from audiencelab.widgets.crosstab.deck_protocol import DeckSummary
from audiencelab.widgets.crosstab.deck_rpc import DeckPage, deck_summary
from audiencelab.widgets.crosstab.drilldown import CellDetail
from audiencelab.widgets.crosstab.export import Exporter
from audiencelab.widgets.crosstab.export_cells import printed
from audiencelab.widgets.crosstab.file_formats import whole_html
from audiencelab.widgets.crosstab.formatting import LOOKS, SETTINGS, Checked, Looks
from audiencelab.widgets.crosstab.protocol import ChartStyle, Grid
from audiencelab.widgets.crosstab.query_widget import QueryWidget
from audiencelab.widgets.crosstab.selection import GridSelection
from audiencelab.widgets.crosstab.sending import GridFiles
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.numbered import numbered

if TYPE_CHECKING:
    from audiencelab.charts import Chart
    from audiencelab.charts.theme import Theme


@hide_members(
    *("changed_settings", "chart_style", "follow_deck", "frame", "leave_deck", "looks"),
    *("show_item", "transposed", "use_deck"),
)
class FormattedWidget(QueryWidget):
    """A crosstab query whose table has display settings; `Crosstab` explains each of them.

    A subclass makes its session and its exporter before it is constructed, and calls
    `_serve_files`.
    """

    transposed = traitlets.Bool(False).tag(sync=True)
    metrics = numbered(Checked(formatting.check_metrics, Looks().metrics))
    heat = Checked(formatting.check_heat, "index").tag(sync=True)
    bars = traitlets.Bool(False).tag(sync=True)
    decimals = Checked(formatting.check_decimals, None).tag(sync=True)
    units = Checked(formatting.check_units, "short").tag(sync=True)
    stars = Checked(formatting.check_stars, Looks().stars).tag(sync=True)
    hide_under = Checked(formatting.check_hide_under, 0).tag(sync=True)
    significance = Checked(formatting.check_significance, "arrows").tag(sync=True)
    level = Checked(formatting.check_level, 0.95).tag(sync=True)
    density = Checked(formatting.check_density, "auto").tag(sync=True)
    show_bases = Checked(formatting.check_show_bases, Looks().show_bases).tag(sync=True)

    chart_style = traitlets.Instance(ChartStyle, ())

    @property
    def changed_settings(self) -> dict[str, Any]:
        """The settings of the table that are not the defaults, by name."""
        traits = self.class_traits()
        found = {name: getattr(self, name) for name in SETTINGS}
        return {name: each for name, each in found.items() if each != traits[name].default_value}

    @property
    def looks(self) -> Looks:
        """The formatting of the cells as one value."""
        return Looks(**{name: getattr(self, name) for name in LOOKS})

    @property
    def metric(self) -> str:
        """The first of `metrics`; setting it keeps the others."""
        return self.metrics[0]

    @metric.setter
    def metric(self, metric: str) -> None:
        self.metrics = formatting.with_first_metric(self.metrics, metric)

    # -- files, charts and slides -----------------------------------------------------------------

    _deck = Synced(DeckSummary, DeckSummary())

    _session: QuerySession
    _exporter: Exporter
    _held: Deck | None = None

    arrangement: Any
    selection: Any

    if TYPE_CHECKING:

        @property
        def result(self) -> CrosstabResult: ...
        def wait(self, timeout: float | None = None) -> Any: ...
        def shown_positions(self) -> tuple[list[int], list[int]]: ...

    def _serve_files(self) -> None:
        sender = GridFiles(self, self._session, self._exporter)
        self.channel.on(Grid.export, sender.answer_export)
        self.channel.on(Grid.part, sender.answer_part)
        DeckPage(self, self._session, self._exporter, sender.files).serve(self.channel)
        self.use_deck(deck_of(self._client))

    # -- the deck --------------------------------------------------------------------------------

    @property
    def deck(self) -> Deck:
        """The deck to which *Add to deck* adds: that of the client, or of the workbench.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.deck.add(grid, "As many men as women")
        >>> len(grid.deck)
        1
        """
        assert self._held is not None
        return self._held

    def use_deck(self, deck: Deck) -> None:
        """Add to this deck from now on."""
        self.leave_deck()
        self._held = deck
        deck.follow(self)
        self.follow_deck()

    def leave_deck(self) -> None:
        """Follow no deck any longer."""
        if self._held is not None:
            self._held.unfollow(self)

    def follow_deck(self, writing: int | None = None) -> None:
        """Send the deck to the page; writing: how many items of its file are counted."""
        self._deck = deck_summary(self.deck, self.labels, writing)

    def show_item(self, item: DeckItem) -> None:
        """Show an item of a deck: its query, its settings and its arrangement."""
        self.ask(**item.query.parts)
        for name in SETTINGS:
            setattr(self, name, item.table.get(name, self.class_traits()[name].default_value))
        self.arrangement = item.arrangement
        if item.chart is not None:
            self.chart_style = item.chart

    # -- exports -------------------------------------------------------------------------------

    def to_excel(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        metrics: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Write the complete table as a formatted Excel workbook; waits for it.

        metrics: metrics of the frame; None is those of the cells. options: those of
        `CrosstabResult.to_excel`, such as `title`, or `comparison`, by default what the cells show.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> grid.to_excel(folder / "table.xlsx", title="Gender by age")
        """
        result = self.result
        shown = printed(result, self.looks, self._session.nets(result), metrics)
        result.to_excel(file, **(shown | options))

    def to_html(self, *, metrics: Sequence[str] | None = None, **options: Any) -> str:
        """The complete table as HTML, with the colours, arrows or letters of the cells.

        metrics: metrics of the frame; None is those of the cells. options: `page` and `title`; or
        others of `CrosstabResult.to_html`, which writes the table then.

        >>> page = al.Crosstab(client, "Gender", "Age").to_html(title="Gender by age")
        >>> "Gender by age" in page
        True
        """
        result = self.result
        if metrics is None and options.keys() <= {"page", "title"}:
            return whole_html(result, self.looks, self._session.marks(result), **options)
        shown = printed(result, self.looks, self._session.nets(result), metrics)
        return result.to_html(**(shown | options))

    def chart(
        self,
        kind: ChartKind | None = None,
        selection: GridSelection | None = None,
        metric: str | None = None,
        *,
        theme: Theme = "light",
    ) -> Chart:
        """A chart of the selected cells.

        kind: "bar", "dots" or "heatmap"; None is the one that suits the selection, as
            `audiencelab.charts.auto` chooses it.
        selection: cells of this grid; None is the selection on the screen, or the whole table
            without one. A single cell means its column.
        metric: a metric of the frame; None is that of the cells.

        Waits for the table. Raises `NoChart` for no cells or too many, and `ImportError` without
        the extra `charts`.

        >>> al.Crosstab(client, "Gender", "Age").chart("heatmap", metric="index")
        <Chart: heat map of index, 3 rows × 7 columns>
        """
        from audiencelab.charts.drawing import as_altair

        return as_altair(draw_selected(self, kind, selection, metric, theme))

    def linked_chart(self, kind: ChartKind | None = None, metric: str | None = None) -> LinkedChart:
        """A chart that is redrawn when the selection of the grid changes.

        The arguments are those of `chart`. It needs a kernel; a saved notebook has an image.

        >>> grid = al.Crosstab(client, "Gender", "Age")
        >>> chart = grid.linked_chart("bar")
        """
        return LinkedChart(self, kind, metric)

    def drill(self, row: int | str | Audience, column: int | str | Audience) -> CellDetail:
        """One cell in detail: its audiences, counts, formulas and intervals.

        row, column: a position from 0, a name, or the audience itself. Waits for the table. Raises
        `LookupError` for one that does not exist, or a name that occurs several times.

        >>> al.Crosstab(client, "Gender", "Age").drill("Male", "18 to 24")
        <CellDetail Male × 18 to 24: Index 100.3, Column % 48.3%, Row % 11.7%, sample 540>
        """
        return self._exporter.drill(row, column, self.stars)
