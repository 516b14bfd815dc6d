"""The part of a grid that keeps its lines arranged: sorted, moved, hidden, filtered, folded, sized.

The page arranges what it shows (`js/src/widgets/grid/lines`) and keeps how in one small trait, so
that a reload, a second view and Python see the same. For what needs a look through the whole
table it asks here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.channel import Answer, Request
from audiencelab.widgets.crosstab.arrangement import Arrangement
from audiencelab.widgets.crosstab.arranging import Measure, apart, measured, shown_lines
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.measures import plane
from audiencelab.widgets.crosstab.tiles import Margins, pack
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.widgets.crosstab.fetch import Snapshot, TableFetcher

__all__ = ["ArrangedLines", "needs_banner"]

_APART = 20
"""Cells in the list of those that differ most."""


class ArrangedLines(LabWidget):
    """A grid whose rows and columns can be arranged; nothing is counted for it."""

    if TYPE_CHECKING:
        _fetcher: TableFetcher
        metric: Any
        transposed: Any
        low_base: Any

        @property
        def result(self) -> CrosstabResult: ...
        def _sides(self) -> tuple[Lines, Lines]: ...
        def _current(self, request: Request) -> Snapshot: ...
        def _margins_of(self, result: CrosstabResult) -> Margins: ...

    _arrangement = traitlets.Dict().tag(sync=True, echo_update=False)

    _arranged: tuple[Lines, Lines] | None = None
    # While a message of the page is taken in, the trait holds what has not been checked yet.
    _kept: dict[str, Any] = {}  # noqa: RUF012 -- replaced, never changed

    @property
    def arrangement(self) -> Arrangement:
        """How rows and columns are sorted, hidden, filtered, moved, folded and how wide they are.

        It may be set, also to what `to_dict` gave, as out of a document; what does not fit the
        table is dropped. `Arrangement()` shows everything as the query has it.
        """
        return Arrangement.from_dict(self._arrangement)

    @arrangement.setter
    def arrangement(self, value: Arrangement | Mapping[str, Any]) -> None:
        given = value if isinstance(value, Arrangement) else Arrangement.from_dict(value)
        self._arrangement = self._numbered(given.fitting(*self._sides()))

    def shown_places(self) -> tuple[list[int], list[int]]:
        """The places of the rows and of the columns that are shown, in the order they are shown in.

        Waits for the table where something is sorted or filtered, and raises what `wait` raises.
        """
        rows, columns = self._sides()
        plans = self.arrangement
        return (
            shown_lines(
                rows, plans.rows, self._measure("rows"), self.metric, fold=not self.transposed
            ),
            shown_lines(
                columns, plans.columns, self._measure("columns"), self.metric, fold=self.transposed
            ),
        )

    def _as_shown(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A wide frame in the order that is shown, rows and columns swapped if they are."""
        rows, columns = self.shown_places()
        beside = frame.shape[1] // max(1, len(self._sides()[1]))
        across = [beside * column + figure for column in columns for figure in range(beside)]
        arranged = frame.iloc[rows, across]
        return arranged.T if self.transposed else arranged

    # -- keeping -------------------------------------------------------------------------------

    def _serve_lines(self) -> None:
        """Answer what the page asks; called once the channel is there."""
        self.channel.on("banners", self._answer_banners)
        self.channel.on("measure", self._answer_measure)
        self.channel.on("apart", self._answer_apart)

    def _carry_arrangement(self) -> None:
        """Another query: what both tables have stays arranged. Called once it has begun."""
        sides = self._sides()
        arrangement = self.arrangement
        if self._arranged is not None:
            arrangement = arrangement.carried(self._arranged, sides)
        self._arranged = sides
        self._arrangement = self._numbered(arrangement)

    def _numbered(self, arrangement: Arrangement) -> dict[str, Any]:
        return {**arrangement.to_dict(), "generation": self._fetcher.snapshot.generation}

    @traitlets.validate("_arrangement")
    def _check_arrangement(self, proposal: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = proposal["value"]
        if told.get("generation") != self._fetcher.snapshot.generation:
            # A page that arranges a table which was just replaced: its places mean other lines.
            return self._kept
        self._kept = self._numbered(Arrangement.from_dict(told).fitting(*self._sides()))
        return self._kept

    # -- answering -----------------------------------------------------------------------------

    def _measure(self, side: str) -> Measure:
        return lambda of, metric: measured(
            self.result, self._margins_of(self.result), side, of, metric
        )

    def _answer_banners(self, request: Request) -> object:
        self._current(request)
        rows, columns = self._sides()
        return {"rows": _banner(rows), "columns": _banner(columns)}

    def _answer_measure(self, request: Request) -> Answer:
        result = self._current(request).result
        side, of = request.args.get("side"), request.args.get("of")
        if result is None:
            rows, columns = self._sides()
            lines = columns if side == "columns" else rows
            tile = pack({}, (len(lines), 1), complete=False)
        else:
            what = of if isinstance(of, int) else str(of)
            metric = str(request.args.get("metric"))
            values = measured(result, self._margins_of(result), str(side), what, metric)
            tile = pack({"measure": values[:, None]}, (len(values), 1), complete=result.complete)
        return Answer(tile.header, [tile.body])

    def _answer_apart(self, request: Request) -> object:
        result = self._current(request).result
        if result is None:
            return {"cells": []}
        found = apart(result, *self._sides(), _APART, self.low_base[0])
        planes = {name: plane(result, name) for name in ("index", "difference", "z")}
        names = [side.full_names for side in self._sides()]
        return {
            "cells": [
                {"row": row, "column": column, "names": [names[0][row], names[1][column]]}
                | {name: _number(values[row, column]) for name, values in planes.items()}
                for row, column in found
            ]
        }


def needs_banner(rows: Lines, columns: Lines) -> bool:
    """Whether something stands over lines, or some are nets."""
    return any(any(side.heads) or any(side.nets) for side in (rows, columns))


def _banner(lines: Lines) -> dict[str, Any]:
    return {
        "runs": [[list(heads), sum(1 for _ in run)] for heads, run in groupby(lines.heads)],
        "nets": [place for place, net in enumerate(lines.nets) if net],
    }


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
