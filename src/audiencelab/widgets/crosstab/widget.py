"""The crosstab grid: a table of audiences against audiences that fills while it is counted.

This module is the widget: its traits, its operations, and what Python reads from it. Its parts
are `looks` (what the cells show and how), `editing` (the question), `arranged` (the order of
lines) and `taking` (what is taken away). Fetching is `fetch`, bytes are `tiles`, the static form
is `html`, the query `query`; the browser's half lives in `js/src/widgets/grid`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from audiencelab.expressions import Audience
from audiencelab.flags import flag
from audiencelab.render.color_scale import heat_scales
from audiencelab.render.markup import Html
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.results.interning import hold_alike
from audiencelab.widgets.channel import Answer, Cancelled, Request, describe_error
from audiencelab.widgets.crosstab.arranged import ArrangedLines, needs_banner
from audiencelab.widgets.crosstab.asking import serve_question
from audiencelab.widgets.crosstab.bases import open_stream
from audiencelab.widgets.crosstab.editing import EditableQuestion
from audiencelab.widgets.crosstab.fetch import Snapshot, TableFetcher, TableStream
from audiencelab.widgets.crosstab.html import grid_html
from audiencelab.widgets.crosstab.lines import Lines, as_lines
from audiencelab.widgets.crosstab.looks import LOOKS, CellLooks, Heat, Units, chosen_metrics
from audiencelab.widgets.crosstab.measures import METRICS
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.saved import saved_grid, scope_of
from audiencelab.widgets.crosstab.taking import Taking
from audiencelab.widgets.crosstab.tiles import Margins, cut_tile, pack, parse_places
from audiencelab.widgets.libraries import traitlets
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client

__all__ = ["METRICS", "CrosstabGrid", "GridSelection"]

_SENTENCE_LENGTH = 600
_STATIC_CELLS = 1_000
_STATIC_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class GridSelection:
    """The cells selected in the grid: every row listed with every column listed.

    rows, columns: the audiences. row_places, column_places: where they stand in the query, from 0.
    """

    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    row_places: tuple[int, ...]
    column_places: tuple[int, ...]


class CrosstabGrid(ArrangedLines, CellLooks, Taking, EditableQuestion):
    """Row audiences against column audiences, on the screen and in Python.

    Args:
        client: what answers the query, from `audiencelab.connect()`.
        rows: audiences or expressions down the side; None: the base audience alone. A mapping puts
            them under heads, to any depth, as in `client.crosstab`.
        columns: the same across the top.
        base_audience: whom everything is counted within; None: everyone.
        waves: wave codes; None: the last four.
        locations: location codes; None: everywhere.
        bases: several bases side by side: all columns stand under each, counted within it.
        metric: what the cells show, one of `METRICS`; or
        metrics: one to four of them, stacked in this order.
        heat: what colours show: "index", "difference", "z", or "none".
        bars: whether to draw a bar of the first share among the metrics.
        decimals: 0 to 4 for all figures but counts; None: each kind's own.
        units: of sizes: "short" (1.2M), "thousands" (1,234.5K), or "full" (1,234,500).
        low_base: respondents in a denominator under which it is marked `*`, and `**`.
        blank_under: hide figures that rest on fewer respondents.

    All of these but the client may be set later: the table is fetched anew on another thread,
    the latest setting wins, and what was fetched before is dropped; what the cells show and how
    needs no counting. They are traits, so an audience editor can be linked to a base. The grid
    fills while the table is counted; `result` and the frames wait until it is complete.

    Raises:
        TypeError: an argument is unknown or of the wrong kind.
        traitlets.TraitError: a metric or a look that there is not.
    """

    kind = traitlets.Unicode("grid", read_only=True).tag(sync=True)
    transposed = traitlets.Bool(False).tag(sync=True)

    rows = traitlets.Any(None, allow_none=True)
    columns = traitlets.Any(None, allow_none=True)
    selection = traitlets.Instance(GridSelection, allow_none=True, read_only=True)

    _table = traitlets.Dict().tag(sync=True)
    _progress = traitlets.Dict().tag(sync=True, echo_update=False)
    _picked = traitlets.Dict().tag(sync=True, echo_update=False)

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
        low_base: tuple[int, int] = (100, 30),
        blank_under: float = 0,
        **unknown: object,
    ) -> None:
        if unknown:
            raise TypeError(_advice(unknown))
        self._answered_by(client)
        self._ready = False
        self._query: GridQuery | None = None
        self._margins: tuple[CrosstabResult, int, Margins] | None = None
        self._fetcher = TableFetcher(self._open_stream, self._report)
        super().__init__(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            waves=waves,
            locations=locations,
            bases=bases,
            **chosen_metrics(metric, metrics),
            heat=heat,
            bars=bars,
            decimals=decimals,
            units=units,
            low_base=low_base,
            blank_under=blank_under,
        )
        self.channel.is_outdated = self._is_outdated
        self.channel.on("tile", self._answer_tile)
        self.channel.on("names", self._answer_names)
        self.channel.on("cancel", self._answer_cancel, inline=True)
        self.channel.on("restart", self._answer_restart)
        serve_question(self.channel, self)
        self._hand_over()
        self._tell_letters()
        self._serve_lines()
        self._ready = True
        self._refetch()

    # -- what Python reads ---------------------------------------------------------------------

    @property
    def result(self) -> CrosstabResult:
        """The complete table; waits for it, and raises what `wait` raises."""
        return self._fetcher.wait()

    @property
    def frame(self) -> pd.DataFrame:
        """The complete table as a long frame, one line a cell."""
        return self.to_frame()

    def to_frame(self) -> pd.DataFrame:
        """The complete table as a long frame; see `CrosstabResult.to_frame`."""
        return self.result.to_frame()

    def to_wide(
        self, metric: str | Sequence[str] | None = None, *, arranged: bool = False
    ) -> pd.DataFrame:
        """The complete table with rows down and columns across.

        metric: one of `METRICS` or of the frame's figures, or several, which stand beside each
            other under each column; None is what the cells show. Figures that `blank_under`
            hides are NaN.
        arranged: rows and columns as they are seen: sorted, without what is hidden, swapped.
        """
        frame = self._wide(self.result, metric)
        return self._as_shown(frame) if flag("arranged", arranged) else frame

    def to_code(self) -> str:
        """Python that counts the same table without the widget, given `client` and `al`."""
        return self.value.to_code()

    def wait(self, timeout: float | None = None) -> CrosstabGrid:
        """Wait until the table is complete, and return the grid.

        timeout: seconds; None waits for ever.

        Raises:
            GridTimeout: it was not complete in time.
            GridCancelled: it was called off.
            AudienceError: what the service or the client said instead of a table.
        """
        self._fetcher.wait(timeout)
        return self

    def cancel(self) -> None:
        """Stop counting; the cells that have arrived stay on the screen."""
        self._fetcher.cancel()

    def restart(self) -> None:
        """Count the same query again."""
        self._begin()

    def close(self) -> None:
        """Stop counting and close the widget; harmless when repeated."""
        fetcher: TableFetcher | None = getattr(self, "_fetcher", None)
        if fetcher is not None:
            fetcher.close()
        super().close()

    # -- traits --------------------------------------------------------------------------------

    @traitlets.validate("rows", "columns")
    def _check_side(self, proposal: dict[str, Any]) -> Lines | None:
        return as_lines(proposal["value"], proposal["trait"].name, self._catalogue)

    @traitlets.observe("rows", "columns", "base_audience", "bases", "waves", "locations")
    def _refetch(self, _: object = None) -> None:
        # The constructor sets all traits and then begins once.
        if self._ready and self.value != self._query:
            self._begin()
            self._follow_question()

    @traitlets.observe("_picked")
    def _select(self, change: dict[str, Any]) -> None:
        rows, columns = self._sides()
        row_places = _valid_places(change["new"].get("rows"), len(rows))
        column_places = _valid_places(change["new"].get("columns"), len(columns))
        selection = None
        if row_places and column_places:
            selection = GridSelection(
                tuple(rows[place] for place in row_places),
                tuple(columns[place] for place in column_places),
                row_places,
                column_places,
            )
        self.set_trait("selection", selection)

    # -- counting ------------------------------------------------------------------------------

    def _begin(self) -> None:
        # A cell that is run again makes the same lines again. Equal ones notify nobody.
        called = tuple(line.name for side in (self.rows, self.columns) for line in side or ())
        hold_alike(self, called, ("rows", "columns", "bases"))
        query = self.value
        self._picked = {}
        rows, columns = self._sides()
        # One message for both, or the page would see the new table with the old progress.
        with self.hold_sync():
            generation = self._fetcher.start(query if rows and columns else None)
            # After the start: a request that sees neither changed has met no other question.
            self._query = query
            self._table = {
                "generation": generation,
                "rows": len(rows),
                "columns": len(columns),
                "base": self._first_base().name,
                "bases": len(self.bases or ()),
                "scope": scope_of(query),
                "banners": needs_banner(rows, columns),
            }
            self._carry_arrangement()

    def _open_stream(self, query: GridQuery) -> TableStream:
        return open_stream(self._client, query)

    def _report(self, snapshot: Snapshot) -> None:
        """Tell the page how far the table is; called on the fetcher's thread."""
        result = snapshot.result
        self._progress = {
            "generation": snapshot.generation,
            "version": snapshot.version,
            "phase": snapshot.phase,
            "cells": 0 if result is None else result.count,
            "baseSize": None if result is None else _finite(result.base_size),
            "baseSample": None if result is None else _finite(result.base_sample),
            "heat": None if result is None else heat_scales(result),
            "error": None if snapshot.error is None else describe_error(snapshot.error),
        }

    def _sides(self) -> tuple[Lines, Lines]:
        """The lines of both sides; the base stands on a side that was not given."""
        alone = Lines([self._base()])
        rows, columns = self.rows, self._columns()
        return (alone if rows is None else rows), (alone if columns is None else columns)

    # -- what the page asks --------------------------------------------------------------------

    def _current(self, request: Request) -> Snapshot:
        """The state that the request is about; a page that asks about an older one has gone on."""
        snapshot = self._fetcher.snapshot
        if request.args.get("generation") != snapshot.generation:
            raise Cancelled("the page asked about a table that was replaced")
        return snapshot

    def _is_outdated(self, request: Request) -> bool:
        """Whether the question changed under the request; its handler may have met both."""
        generation = request.args.get("generation")
        return generation is not None and (
            generation != self._fetcher.snapshot.generation or self.value != self._query
        )

    def _answer_tile(self, request: Request) -> Answer:
        snapshot = self._current(request)
        rows, columns = self._sides()
        row_places = parse_places(request.args.get("rows"), len(rows), "rows")
        column_places = parse_places(request.args.get("columns"), len(columns), "columns")
        if snapshot.result is None:
            tile = pack({}, (len(row_places), len(column_places)), complete=False)
        else:
            margins = self._margins_of(snapshot.result)
            tile = cut_tile(snapshot.result, margins, row_places, column_places)
        return Answer(tile.header, [tile.body])

    def _margins_of(self, result: CrosstabResult) -> Margins:
        held, count = self._margins, result.count
        if held is not None and held[0] is result and held[1] == count:
            return held[2]
        margins = Margins.of(result)
        self._margins = (result, count, margins)
        return margins

    def _answer_names(self, request: Request) -> object:
        self._current(request)
        rows, columns = self._sides()
        sides = {"rows": rows, "columns": columns, "base": Lines([self._first_base()])}
        lines = sides.get(str(request.args.get("axis")), Lines())
        asked = lines.take(map(int, parse_places(request.args, len(lines), "names")))
        labels = self._catalogue()
        return {
            "names": [
                [audience.name, audience.describe(labels)[:_SENTENCE_LENGTH], list(heads), net]
                for audience, heads, net in zip(asked, asked.heads, asked.nets, strict=True)
            ]
        }

    def _answer_cancel(self, request: Request) -> None:
        self._current(request)
        self.cancel()

    def _answer_restart(self, request: Request) -> None:
        self._current(request)
        self.restart()

    # -- as text and without a kernel ----------------------------------------------------------

    def _describe(self) -> str:
        rows, columns = self._sides()
        several = len(self.metrics) > 1
        shown = f"metrics={self.metrics!r}" if several else f"metric={self.metric!r}"
        return (
            f"CrosstabGrid({plural(len(rows), 'row')} × {plural(len(columns), 'column')}, "
            f"base={self._base().name!r}, {shown})"
        )

    def _static_html(self) -> Html:
        rows, columns = self._sides()
        # A saved notebook should hold the numbers; a large table must not hold up the page.
        small = len(rows) * len(columns) <= _STATIC_CELLS
        if small:
            self._fetcher.settle(_STATIC_PATIENCE)
        result = self._fetcher.snapshot.result
        letters = self._letters_of(result) if small and "letters" in self.metrics else None
        return grid_html(self.value, result, self.looks, self._base().name, letters)

    def _saved_forms(self, room: int) -> dict[str, Any]:
        return saved_grid(
            self.value, self._fetcher.snapshot.result, self.looks, self._sides(), room
        )


def _advice(unknown: dict[str, object]) -> str:
    known = ["rows", "columns", "base_audience", "waves", "locations", "bases", "metric", *LOOKS]
    words = [
        f"{name!r}" + "".join(f" (did you mean {near!r}?)" for near in _near(name, known))
        for name in unknown
    ]
    return (
        f"CrosstabGrid has no argument {', '.join(words)}. It takes a client, and "
        f"{', '.join(known)}."
    )


def _near(name: str, known: list[str]) -> list[str]:
    if name in {"base", "audience", "base_audiences"}:
        return ["base_audience"]
    return difflib.get_close_matches(name, known, n=1)


def _valid_places(value: object, count: int) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    listed = cast("list[object]", value)
    return tuple(place for place in listed if isinstance(place, int) and 0 <= place < count)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
