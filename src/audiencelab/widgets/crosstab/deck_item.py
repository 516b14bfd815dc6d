"""One table or chart of a deck: its query and how it is shown, counted whenever it is written.

It holds no figures, so a deck that is written again is of the survey as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from audiencelab.client.audiences import StatisticPlace
from audiencelab.client.catalogue.code_layout import wrapped
from audiencelab.errors import AudienceError
from audiencelab.expressions.labels import Labels
from audiencelab.results.banner import table_title
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone, subjects
from audiencelab.schema.scope import BaseOf
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.charts import KINDS
from audiencelab.widgets.crosstab.export import Exporter
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.file_formats import slides_of
from audiencelab.widgets.crosstab.formatting import CHECKS, SETTINGS, Looks
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.query_widget import QueryWidget
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.table_view import Asked, TableView
from audiencelab.widgets.crosstab.view_state import Arrangement

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.catalogue import Catalogue
    from audiencelab.render.pptx import SlideTable

_STYLE = tuple(name for name in ChartStyle.__struct_fields__ if name != "kind")
"""What is chosen for a chart, without its kind."""

_KINDS = {"bars": "bar", "dots": "dots", "heat": "heatmap", "stacked": "", "lines": ""}
"""The kinds of chart by the first words of their descriptions; "" suits its table."""

_LOOK_SECONDS = 0.2
"""Between two looks at whether the file is still wanted."""


@dataclass(frozen=True, slots=True)
class DeckItem:
    """A table or a chart.

    query: what it counts. table: the settings of a `Crosstab` that are not its defaults, by name.
    arrangement: how rows and columns are sorted, moved and hidden.
    chart: how the chart is drawn; None for the table itself. headline: "" for a finding.
    number: which it is in its deck.
    """

    query: GridQuery
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arrangement: Arrangement = field(default_factory=Arrangement)
    chart: ChartStyle | None = None
    headline: str = ""
    number: int = 0

    @property
    def looks(self) -> Looks:
        """The settings of its cells."""
        return Looks(**{name: each for name, each in self.table.items() if name != "transposed"})

    def title(self, labels: Labels | None) -> str:
        """What it shows: "Finding brands by Gender"."""
        rows, columns = (
            () if axis is None else subjects(axis, axis.groups, labels)
            for axis in (self.query.rows, self.query.columns)
        )
        rows = [*rows, *((each.name,) for each in self.query.statistics if not rows)]
        return table_title(rows, columns)

    def slides(
        self, client: Client, labels: Callable[[], Catalogue | None], check: Callable[[], None]
    ) -> list[SlideTable]:
        """Its slides, counted now; check: called while it counts, and raises to stop.

        Raises the errors of the client, and `AudienceError` where nothing of it is shown.
        """
        cells = self._counted(client, labels, check)
        headline = self.headline or ("" if self.chart is None else self.chart.title)
        return slides_of(cells, chart=self.chart, headline=headline)

    def _counted(
        self, client: Client, labels: Callable[[], Catalogue | None], check: Callable[[], None]
    ) -> ExportCells:
        session = QuerySession(client, lambda: self.query, labels, lambda _: None)
        looks, transposed = self.looks, bool(self.table.get("transposed"))
        view = TableView(
            session, lambda: Asked(self.arrangement, looks.metrics[0], transposed, None)
        )
        session.start()
        try:
            while not session.loader.settle(_LOOK_SECONDS):
                check()
            result = session.wait()
            rows, columns = view.shown_positions()
            if not rows or not columns:
                raise AudienceError("its filters leave no row or no column.")
            return Exporter(session).cells(result, rows, columns, looks, transposed=transposed)
        finally:
            session.loader.close()

    def to_code(self, name: str, labels: Catalogue | None, usual: BaseOf) -> str:
        """Python that adds it to the deck of this name."""
        call = self.query.to_code(labels, usual).removeprefix("table = ")
        given: dict[str, Any] = {"headline": self.headline} if self.headline else {}
        if self.chart is not None:
            given |= {"chart": self.chart.kind or "auto", **changed_style(self.chart)}
        given |= {"arrangement": found} if (found := self.arrangement.to_dict()) else {}
        options = "".join(f", {each}={value!r}" for each, value in {**given, **self.table}.items())
        if self.query.bases:
            return f"{self.query.to_code(labels, usual)}\n{name}.add(table{options})"
        return wrapped(f"{name}.add({call}{options})")


def changed_style(style: ChartStyle) -> dict[str, Any]:
    """What is chosen for a chart, without its kind."""
    usual, found = map(msgspec.to_builtins, (ChartStyle(), style))
    return {name: each for name, each in found.items() if each != usual[name] and name != "kind"}


class ShownGrid(Protocol):
    """The part of a `Crosstab` that a deck keeps."""

    chart_style: Any

    @property
    def value(self) -> GridQuery: ...
    @property
    def changed_settings(self) -> dict[str, Any]: ...
    @property
    def arrangement(self) -> Arrangement: ...


def item_of(
    given: object,
    headline: str = "",
    chart: str | None = None,
    arrangement: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> DeckItem:
    """The item of a table, a widget or a chart; `Deck.add` documents the arguments."""
    # A workbench is its table, and has the style of its chart.
    grid = getattr(given, "grid", given)
    if isinstance(grid, QueryWidget):
        made = item_of_grid(cast("ShownGrid", grid))
    else:
        result, kind = _drawn(given)
        query = query_of(result) if isinstance(result, CrosstabData) else None
        if query is None:
            raise TypeError(
                "A deck takes tables of client.crosstab, their charts, al.Crosstab and "
                f"al.Workbench; got {type(given).__name__}. Other results go behind its slides: "
                'table.to_pptx("more.pptx", template="deck.pptx").'
            )
        made, chart = DeckItem(query), kind if chart is None else chart
    given_options = dict(options or {})
    style = {name: given_options.pop(name) for name in _STYLE if name in given_options}
    drawn = None if chart is None else _styled(made.chart or ChartStyle(), chart, style)
    return replace(
        made,
        headline=headline,
        chart=drawn,
        table={**made.table, **checked_settings(given_options)},
        arrangement=made.arrangement if arrangement is None else Arrangement.from_dict(arrangement),
    )


def item_of_grid(grid: ShownGrid) -> DeckItem:
    """The table that a grid shows, with the style of its chart."""
    return DeckItem(grid.value, grid.changed_settings, grid.arrangement, grid.chart_style)


def query_of(result: CrosstabData) -> GridQuery | None:
    """The query that a result answers; None for one that was worked out from others."""
    if result.asked is None:
        return None
    rows, columns = (
        AxisAudiences([replace(each, id=None) for each in audiences], groups) if asked else None
        for audiences, groups, asked in (
            (
                *(result.rows, result.row_groups),
                result.rows_requested and not of_statistics_alone(result),
            ),
            (result.columns, result.column_groups, result.columns_requested),
        )
    )
    places: list[StatisticPlace] = []
    if (found := result.statistics) is not None:
        after = {row.id: at + 1 for at, row in enumerate(result.rows)}
        places = [
            StatisticPlace(row, 0 if rows is None else after.get(id_, 0), groups)
            for row, id_, groups in zip(found.rows, found.after, found.groups, strict=True)
        ]
    scope = result.asked.scope
    if scope.base is not None:
        # Its id is one of the request.
        scope = replace(scope, base=replace(scope.base, id=None))
    return GridQuery(rows, columns, scope, None, PlacedStatistics(places))


def _drawn(given: object) -> tuple[object, str | None]:
    """The result of a chart with its kind, or a result itself."""
    drawn = getattr(given, "drawn", given)
    spec = getattr(drawn, "spec", None)
    if not isinstance(spec, dict):
        return given, None
    first = str(cast("dict[str, Any]", spec).get("description", "")).split(" ")[0]
    if first not in _KINDS:
        raise TypeError(f"Slides have bars, lines, stacks and tables; got {given!r}.")
    return getattr(drawn, "result", None), _KINDS[first]


def _styled(known: ChartStyle, kind: str, style: Mapping[str, Any]) -> ChartStyle:
    if kind not in ("", "auto", *KINDS):
        raise AudienceError(f"chart must be auto, {', '.join(KINDS)} or None; got {kind!r}.")
    fields = {**msgspec.to_builtins(known), **style, "kind": "" if kind == "auto" else kind}
    try:
        return msgspec.convert(fields, ChartStyle)
    except msgspec.ValidationError as error:
        raise AudienceError(f"The chart's options are not valid: {error}.") from None


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a `Crosstab` by name; raises `TypeError` for others, and `TraitError`."""
    if unknown := [name for name in given if name not in SETTINGS]:
        known = ", ".join((*SETTINGS, *_STYLE))
        raise TypeError(f"A deck has no option {unknown[0]!r}; it takes {known}.")
    return {name: CHECKS[name](each) for name, each in given.items()}
