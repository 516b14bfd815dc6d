"""The view of a grid's table: its arrangement, kept for the page, for Python and for a new query.

The page arranges what it shows (`js/src/crosstab/arrangement`), stores how in one small trait, so
that a reload, a second view and Python see the same, and what it shows then in another. What needs
the whole table is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from audiencelab.errors import AudienceError
from audiencelab.results.banner import Groups
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences, AxisName
from audiencelab.widgets.crosstab.marks import TableMarks
from audiencelab.widgets.crosstab.metrics import part_of, plane
from audiencelab.widgets.crosstab.ordering import item_values, most_different, shown_items
from audiencelab.widgets.crosstab.protocol import (
    AxisBanner,
    Banners,
    DifferentCell,
    DifferentCells,
    Generation,
    KeptItems,
    MeasureItems,
    ShownItems,
    TileHeader,
)
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.session import QuerySession, finite
from audiencelab.widgets.crosstab.tiles import pack, parse_positions
from audiencelab.widgets.crosstab.view_state import Arrangement, kept_runs
from audiencelab.widgets.rpc_types import AnswerWithBuffers, PageRequest

if TYPE_CHECKING:
    import pandas as pd

_MOST_DIFFERENT = 20
"""Cells in the list of those that differ most."""

_MOST_RUNS = 400
"""Runs of items that two tables share, at which a page gets none."""


class Asked(NamedTuple):
    """How a table is to be arranged, and what a page has shown last."""

    arrangement: Arrangement
    metric: str
    transposed: bool
    page: ShownItems | None


class TableView:
    """The arrangement of the table of a session. The trait has it as JSON with its generation."""

    def __init__(self, session: QuerySession, asked: Callable[[], Asked]) -> None:
        self._session = session
        self._asked = asked
        self._axes: tuple[AxisAudiences, AxisAudiences] | None = None
        # While a message of the page is applied, the trait has a value that is not checked yet.
        self._accepted: dict[str, Any] = {}

    @property
    def _more(self) -> tuple[Groups, ...]:
        """Groups above rows of statistics, which can be folded too."""
        return self._session.query.statistics.groups

    def stored(self, arrangement: Arrangement) -> dict[str, Any]:
        """The value of the trait for an arrangement; entries that do not fit are dropped."""
        return self._numbered(arrangement.fitting(*self._session.axes, self._more))

    def checked(self, value: dict[str, Any]) -> dict[str, Any]:
        """The value of the trait after a change by Python or by the page."""
        # A page may arrange a table that was just replaced: its positions mean other items.
        if value.get("generation") == self._session.generation:
            self._accepted = self.stored(Arrangement.from_dict(value))
        return self._accepted

    def carried(self, value: dict[str, Any]) -> dict[str, Any]:
        """The value of the trait after a new query began: items of both tables keep theirs."""
        arrangement, axes = Arrangement.from_dict(value), self._session.axes
        if self._axes is not None:
            arrangement = arrangement.carried(self._axes, axes, self._more)
        self._axes = axes
        return self._numbered(arrangement)

    def kept(self, before: GridQuery | None, since: int) -> KeptItems | None:
        """What the table that begins has of the one before, which had the generation `since`."""
        if self._axes is None or before is None:
            return None
        rows, columns = map(kept_runs, self._axes, self._session.axes)
        if len(rows) + len(columns) > _MOST_RUNS:
            return None
        now = self._session.query
        # Who asks the same again does not trust the figures.
        same = before != now and before.people == now.people
        return KeptItems(since, rows, columns, same)

    def _numbered(self, arrangement: Arrangement) -> dict[str, Any]:
        return {**arrangement.to_dict(), "generation": self._session.generation}

    def shown_positions(self) -> tuple[list[int], list[int]]:
        """The positions of the visible rows and columns in order; may wait for the table."""
        (rows, columns), asked = self._session.axes, self._asked()
        page = asked.page
        if page is not None and self._is_of(page, asked):
            return (
                parse_positions(page.rows, len(rows), "rows").tolist(),
                parse_positions(page.columns, len(columns), "columns").tolist(),
            )
        return (
            self._shown(rows, "rows", asked, fold=not asked.transposed),
            self._shown(columns, "columns", asked, fold=asked.transposed),
        )

    def _is_of(self, page: ShownItems, asked: Asked) -> bool:
        """Whether a page showed these items of the same table, arranged in the same way."""
        of = page.arrangement
        if of.generation != self._session.generation:
            return False
        known = Arrangement(of.rows, of.columns, asked.arrangement.names)
        found = (
            known.fitting(*self._session.axes, self._more),
            page.metric,
            page.transposed,
        )
        return found == (asked.arrangement, asked.metric, asked.transposed)

    def _shown(self, axis: AxisAudiences, name: AxisName, asked: Asked, *, fold: bool) -> list[int]:
        def values(of: int | str, metric: str) -> Any:
            result = self._session.wait()
            return item_values(result, self._session.margins(result), name, of, metric)

        view = getattr(asked.arrangement, name)
        return shown_items(axis, view, values, asked.metric, fold=fold)

    def shown_table(
        self,
    ) -> tuple[CrosstabResult | None, tuple[AxisAudiences, AxisAudiences], TableMarks | None]:
        """The visible part of the table, its axes and its marks.

        All of it until it is complete, and where nothing is visible.
        """
        result, axes = self._session.loader.snapshot.result, self._session.axes
        marks = self._session.marks(result)
        if result is None or marks is None or not self._asked().arrangement:
            return result, axes, marks
        rows: list[int] = []
        columns: list[int] = []
        with suppress(AudienceError):  # Too many cells to test them all for an order.
            rows, columns = self.shown_positions()
        if not rows or not columns:
            return result, axes, marks
        part = part_of(result, rows, columns)
        return part, (axes[0].take(rows), axes[1].take(columns)), marks.take(rows, columns)

    def arranged(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A wide frame with the visible rows and columns in order, transposed as the table is."""
        rows, columns = self.shown_positions()
        # Metrics are the innermost level: each column of the table is `width` neighbours.
        width = frame.shape[1] // max(1, len(self._session.axes[1]))
        across = [width * column + metric for column in columns for metric in range(width)]
        arranged = frame.iloc[rows, across]
        return arranged.T if self._asked().transposed else arranged

    # -- operations of the page ----------------------------------------------------------------

    def answer_banners(self, request: PageRequest[Generation]) -> Banners:
        """The groups and nets of both axes."""
        self._session.snapshot_for(request)
        rows, columns = self._session.axes
        return Banners(_banner(rows), _banner(columns))

    def answer_measure(self, request: PageRequest[MeasureItems]) -> AnswerWithBuffers[TileHeader]:
        """A number for each item of an axis, as a tile of one column."""
        result, args = self._session.snapshot_for(request).result, request.args
        if result is None:
            rows, columns = self._session.axes
            items = columns if args.side == "columns" else rows
            tile = pack({}, (len(items), 1), complete=False)
        else:
            margins = self._session.margins(result)
            values = item_values(result, margins, args.side, args.of, args.metric)
            tile = pack({"measure": values[:, None]}, (len(values), 1), complete=result.complete)
        return AnswerWithBuffers(tile.header, [tile.body])

    def answer_most_different(
        self, request: PageRequest[Generation], least: float
    ) -> DifferentCells:
        """The cells that differ most; least: minimum respondents in a denominator."""
        result = self._session.snapshot_for(request).result
        if result is None:
            return DifferentCells([])
        axes = self._session.axes
        found = most_different(result, *axes, _MOST_DIFFERENT, least)
        planes = {name: plane(result, name) for name in ("index", "difference", "z")}
        rows, columns = (axis.full_names for axis in axes)
        return DifferentCells(
            [
                DifferentCell(
                    row,
                    column,
                    (rows[row], columns[column]),
                    **{name: finite(values[row, column]) for name, values in planes.items()},
                )
                for row, column in found
            ]
        )


def needs_banner(rows: AxisAudiences, columns: AxisAudiences) -> bool:
    """Whether an axis has groups or nets."""
    return any(any(axis.groups) or any(axis.nets) for axis in (rows, columns))


def _banner(axis: AxisAudiences) -> AxisBanner:
    return AxisBanner(
        runs=[(groups, sum(1 for _ in run)) for groups, run in groupby(axis.groups)],
        nets=[at for at, net in enumerate(axis.nets) if net],
    )
