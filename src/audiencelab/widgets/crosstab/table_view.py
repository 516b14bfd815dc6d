"""The view of a grid's table: its arrangement, kept for the page, for Python and for a new query.

The page arranges what it shows (`js/src/crosstab/arrangement`), stores how in one small trait, so
that a reload, a second view and Python see the same, and what it shows then in another. What needs
the whole table is computed here.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from audiencelab.results.banner import is_nested
from audiencelab.widgets.crosstab.axis import Axis, AxisName
from audiencelab.widgets.crosstab.metrics import plane
from audiencelab.widgets.crosstab.ordering import item_values, most_different, shown_items
from audiencelab.widgets.crosstab.protocol import (
    AxisBanner,
    Banners,
    DifferentCell,
    DifferentCells,
    Generation,
    MeasureItems,
    ShownItems,
    TileHeader,
)
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.tiles import pack, parse_positions
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.rpc_types import Answer, Request

if TYPE_CHECKING:
    import pandas as pd

_MOST_DIFFERENT = 20
"""Cells in the list of those that differ most."""


class TableView:
    """The arrangement of the table of a session. The trait has it as JSON with its generation."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._axes: tuple[Axis, Axis] | None = None
        # While a message of the page is applied, the trait has a value that is not checked yet.
        self._accepted: dict[str, Any] = {}

    def stored(self, arrangement: Arrangement) -> dict[str, Any]:
        """The value of the trait for an arrangement; entries that do not fit are dropped."""
        return self._numbered(arrangement.fitting(*self._session.axes))

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
            arrangement = arrangement.carried(self._axes, axes)
        self._axes = axes
        return self._numbered(arrangement)

    def _numbered(self, arrangement: Arrangement) -> dict[str, Any]:
        return {**arrangement.to_dict(), "generation": self._session.generation}

    def shown_positions(
        self, arrangement: Arrangement, metric: str, page: ShownItems | None, *, transposed: bool
    ) -> tuple[list[int], list[int]]:
        """The positions of the visible rows and columns in order; may wait for the table.

        page: what a page has shown last. If it was something else, they are found here.
        """
        rows, columns = self._session.axes
        if page is not None and self._is_of(page, arrangement, metric, transposed):
            return (
                parse_positions(page.rows, len(rows), "rows").tolist(),
                parse_positions(page.columns, len(columns), "columns").tolist(),
            )
        return (
            self._shown(rows, "rows", arrangement, metric, fold=not transposed),
            self._shown(columns, "columns", arrangement, metric, fold=transposed),
        )

    def _is_of(
        self, page: ShownItems, arrangement: Arrangement, metric: str, transposed: bool
    ) -> bool:
        """Whether a page showed these items of the same table, arranged in the same way."""
        of, axes = page.arrangement, self._session.axes
        if (of.generation, page.metric) != (self._session.generation, metric):
            return False
        same = Arrangement(of.rows, of.columns, arrangement.names).fitting(*axes) == arrangement
        return same and page.transposed == transposed

    def _shown(
        self, axis: Axis, name: AxisName, arrangement: Arrangement, metric: str, *, fold: bool
    ) -> list[int]:
        def values(of: int | str, metric: str) -> Any:
            result = self._session.wait()
            return item_values(result, self._session.margins(result), name, of, metric)

        return shown_items(axis, getattr(arrangement, name), values, metric, fold=fold)

    def arranged(
        self, frame: pd.DataFrame, shown: tuple[list[int], list[int]], *, transposed: bool
    ) -> pd.DataFrame:
        """A wide frame with the visible rows and columns in order, transposed as the table is."""
        rows, columns = shown
        width = frame.shape[1] // max(1, len(self._session.axes[1]))
        across = [width * column + metric for column in columns for metric in range(width)]
        arranged = frame.iloc[rows, across]
        return arranged.T if transposed else arranged

    # -- operations of the page ----------------------------------------------------------------

    def answer_banners(self, request: Request[Generation]) -> Banners:
        """The groups and nets of both axes."""
        self._session.snapshot_for(request)
        rows, columns = self._session.axes
        return Banners(_banner(rows), _banner(columns))

    def answer_measure(self, request: Request[MeasureItems]) -> Answer[TileHeader]:
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
        return Answer(tile.header, [tile.body])

    def answer_most_different(self, request: Request[Generation], least: float) -> DifferentCells:
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
                    **{name: _finite(values[row, column]) for name, values in planes.items()},
                )
                for row, column in found
            ]
        )


def needs_banner(rows: Axis, columns: Axis) -> bool:
    """Whether an axis has groups or nets."""
    return any(any(axis.groups) or any(axis.nets) for axis in (rows, columns))


def _banner(axis: Axis) -> AxisBanner:
    return AxisBanner(
        runs=[(groups, sum(1 for _ in run)) for groups, run in groupby(axis.groups)],
        nets=[at for at, net in enumerate(axis.nets) if net],
        nested=any(map(is_nested, axis, axis.groups)),
    )


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
