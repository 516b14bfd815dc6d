"""What is taken away from a grid: files, charts, code, and one cell in full.

A part of `CrosstabGrid`: its methods for Python and the operations behind the page's menu. The
work is done in `export`, `chart` and `detail`; what is here is which cells are meant.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of
from audiencelab.results.coverage import Coverage, questions_of
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.widgets.channel import Answer, Cancelled, Request
from audiencelab.widgets.crosstab.chart import ChartKind, chart_places, draw
from audiencelab.widgets.crosstab.detail import CellDetail, cell_detail
from audiencelab.widgets.crosstab.export import FORMATS, Exports, Taken, file_name, printed_metrics
from audiencelab.widgets.crosstab.lines import Lines, as_place
from audiencelab.widgets.crosstab.measures import denominator, plane
from audiencelab.widgets.crosstab.part import part_of, turned, turned_name
from audiencelab.widgets.crosstab.tiles import parse_places
from audiencelab.widgets.scope import ScopedWidget

if TYPE_CHECKING:
    from audiencelab.charts import Drawing
    from audiencelab.charts.theme import Theme
    from audiencelab.widgets.crosstab.fetch import Snapshot
    from audiencelab.widgets.crosstab.letters import LettersOf
    from audiencelab.widgets.crosstab.linked import LinkedChart
    from audiencelab.widgets.crosstab.query import GridQuery
    from audiencelab.widgets.crosstab.widget import GridSelection

__all__ = ["MOST_PAGE_CELLS", "Taking"]

MOST_PAGE_CELLS = 1_000_000
"""Figures in a file that a page asks for; larger ones are written by Python."""

_PICTURES = {"png": "image/png", "svg": "image/svg+xml"}


class Taking(ScopedWidget):
    """The part of a grid that hands things over."""

    if TYPE_CHECKING:
        # The grid's traits, whose own types no declaration here would fit.
        metrics: Any
        blank_under: Any
        low_base: Any
        transposed: Any
        selection: Any

        @property
        def value(self) -> GridQuery: ...
        @property
        def result(self) -> CrosstabResult: ...
        def _sides(self) -> tuple[Lines, Lines]: ...
        def _current(self, request: Request) -> Snapshot: ...
        def _letters_of(self, result: CrosstabResult | None) -> LettersOf | None: ...
        def _nets_in(self, result: CrosstabResult) -> list[str]: ...

    def _hand_over(self) -> None:
        """Answer what the page asks; called once the channel is there."""
        self._exports = Exports()
        self._covered: Coverage | None = None
        self.channel.on("drill", self._answer_drill)
        self.channel.on("code", self._answer_code)
        self.channel.on("export", self._answer_export)
        self.channel.on("part", self._answer_part)

    # -- in Python -----------------------------------------------------------------------------

    def to_excel(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        metrics: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Write the complete table as a formatted Excel workbook; waits for it.

        metrics: figures of the frame; None is what the cells show. options: those of
        `CrosstabResult.to_excel`, such as `comparison` or `title`.
        """
        chosen = printed_metrics(self.metrics) if metrics is None else metrics
        self.result.to_excel(file, metrics=chosen, **options)

    def to_html(self, *, metrics: Sequence[str] | None = None, **options: Any) -> str:
        """The complete table as a piece of HTML; see `CrosstabResult.to_html`.

        metrics: figures of the frame; None is what the cells show.
        """
        chosen = printed_metrics(self.metrics) if metrics is None else metrics
        return self.result.to_html(metrics=chosen, **options)

    def chart(
        self,
        kind: ChartKind | None = None,
        selection: GridSelection | None = None,
        metric: str | None = None,
        *,
        theme: Theme = "light",
    ) -> Drawing:
        """A chart of the selected cells; `.altair` of it is the altair chart.

        kind: "bar", "dots" or "heatmap"; None is what suits the shape of the selection.
        selection: cells of this grid; None is what is selected on the screen, or the whole table
            where nothing is. A single cell stands for its column.
        metric: a figure of the frame; None is what the cells show.

        Waits for the table. Raises `NoChart` where there are no cells or too many, and
        `ImportError` without the extra `charts`.
        """
        return self._draw(self.result, kind, selection, metric, theme)

    def linked_chart(self, kind: ChartKind | None = None, metric: str | None = None) -> LinkedChart:
        """A chart beside the grid that is drawn anew whenever other cells are selected.

        The arguments are those of `chart`. It needs a kernel; in a saved notebook it is a picture.
        """
        from audiencelab.widgets.crosstab.linked import LinkedChart

        return LinkedChart(cast(Any, self), kind, metric)

    def drill(self, row: int | str | Audience, column: int | str | Audience) -> CellDetail:
        """One cell in full: its audiences, counts, formulas, intervals, and the people in it.

        row, column: a place from 0, a name, or the audience itself. Waits for the table. Raises
        `LookupError` for one that is not there, or that several are called.
        """
        result = self.result
        rows, columns = self._sides()
        return self._detail(result, _place(rows, row, "row"), _place(columns, column, "column"))

    # -- which cells ---------------------------------------------------------------------------

    def _draw(
        self,
        result: CrosstabResult,
        kind: ChartKind | None,
        selection: GridSelection | None,
        metric: str | None,
        theme: Theme,
    ) -> Drawing:
        chosen = selection or self.selection
        places = None if chosen is None else (chosen.row_places, chosen.column_places)
        rows, columns = chart_places(places, result.shape)
        shown = metric or printed_metrics(self.metrics)[0]
        if self.transposed:
            return draw(turned(result), columns, rows, turned_name(shown), kind, theme)
        return draw(result, rows, columns, shown, kind, theme)

    def _detail(self, result: CrosstabResult, row: int, column: int) -> CellDetail:
        sides = self._sides()
        base = self.value.parts[column // self._width()].base_audience
        people = (sides[0][row], sides[1][column], base or self._base())
        return cell_detail(
            result,
            row,
            column,
            base=base,
            labels=self._catalogue(),
            waves=self._waves_of(people),
            low_base=self.low_base,
        )

    def _width(self) -> int:
        """Columns in each of several bases, or in the only one."""
        return len(self._sides()[1]) // len(self.value.parts)

    def _waves_of(self, people: Sequence[Audience]) -> tuple[str, ...] | None:
        """The waves that a cell rests on; None where the service does not say."""
        parts = [each.expression for each in people if each.expression is not None]
        cell = Audience("cell", all_of(*parts) if parts else None)
        try:
            counted = self._coverage_of(cell)
        except (AudienceError, AttributeError):
            # A client that only streams crosstabs knows no waves; the cell is told without them.
            return None
        asked = self.waves or counted.waves[-DEFAULT_WAVES:]
        return tuple(wave for wave in counted.counted if wave in asked)

    def _coverage_of(self, cell: Audience) -> Coverage:
        """Which waves count for a cell; of each question it is asked once."""
        questions, covered = questions_of(cell), self._covered
        if covered is None or any(code not in covered.asked for code in questions):
            told = self._client.coverage(cell)
            asked = dict(told.asked) if covered is None else {**covered.asked, **told.asked}
            self._covered = covered = replace(told, asked=asked)
        return Coverage(cell, covered.waves, {code: covered.asked[code] for code in questions})

    def _asked_cells(self, request: Request) -> Taken:
        """The cells that the page shows or has selected, as it shows them."""
        result = self._current(request).result
        if result is None:
            raise AudienceError("Nothing has been counted yet.")
        rows, columns = self._asked_places(request)
        part = part_of(result, rows, columns)
        letters = self._letters_of(result) if "letters" in self.metrics else None
        planes: dict[str, NDArray[Any]] = {}
        for name in self.metrics:
            if name == "letters":
                if letters is not None:
                    planes[name] = letters.marks[np.ix_(rows, columns)]
            else:
                planes[name] = _shown(part, name, self.blank_under)
        if self.transposed:
            seen = {turned_name(name): values.T for name, values in planes.items()}
            return Taken(turned(part), seen, blank_under=self.blank_under)
        heads = () if letters is None else tuple(letters.heads[place] for place in columns)
        held = set(self._nets_in(result))
        called = (each.id or each.name for each in (*part.rows, *part.columns))
        nets = tuple(each for each in called if each in held)
        return Taken(part, planes, heads, self.blank_under, nets)

    def _asked_places(self, request: Request) -> tuple[list[int], list[int]]:
        rows, columns = self._sides()
        return (
            parse_places(request.args.get("rows"), len(rows), "rows").tolist(),
            parse_places(request.args.get("columns"), len(columns), "columns").tolist(),
        )

    # -- what the page asks --------------------------------------------------------------------

    def _answer_drill(self, request: Request) -> object:
        result = self._current(request).result
        rows, columns = self._sides()
        (row,) = parse_places([request.args.get("row")], len(rows), "rows").tolist()
        (column,) = parse_places([request.args.get("column")], len(columns), "columns").tolist()
        if result is None:
            raise AudienceError("Nothing has been counted yet.")
        return self._detail(result, row, column).to_page()

    def _answer_code(self, request: Request) -> str:
        self._current(request)
        if request.args.get("rows") is None:
            return self.value.to_code()
        rows, columns = self._asked_places(request)
        query, width = self.value, self._width()
        bases = query.bases
        if bases:
            # All columns stand under each base: those of any, in the bases that have one.
            bases = tuple(bases[part] for part in sorted({place // width for place in columns}))
            columns = list(dict.fromkeys(place % width for place in columns))
        chosen = replace(
            query,
            rows=None if query.rows is None else query.rows.take(rows),
            columns=None if query.columns is None else query.columns.take(columns),
            bases=bases,
        )
        return chosen.to_code()

    def _answer_export(self, request: Request) -> Answer:
        name = str(request.args.get("format"))
        taken = self._asked_cells(request)
        request.check()
        if name in _PICTURES:
            suffix, media_type, data = f".{name}", _PICTURES[name], _picture(taken, name)
        else:
            figures = taken.result.expected * len(taken.planes)
            if figures > MOST_PAGE_CELLS:
                raise AudienceError(
                    f"{figures:,} figures are more than a page should carry (at most "
                    f"{MOST_PAGE_CELLS:,}): select fewer cells, or write the file in Python with "
                    "grid.to_excel(path) or grid.to_frame().to_csv(path)."
                )
            made = FORMATS[name]
            suffix, media_type, data = made.suffix, made.media_type, made.write(taken)
        request.check()
        number = self._exports.hold(data)
        head = {
            "number": number,
            "name": file_name(taken.result, suffix),
            "type": media_type,
            "bytes": len(data),
        }
        return Answer(head, [self._exports.part(number, 0)])

    def _answer_part(self, request: Request) -> Answer:
        number, start = request.args.get("number"), request.args.get("start")
        if not isinstance(number, int) or not isinstance(start, int) or start < 0:
            raise Cancelled("the page asked for no part of a file")
        return Answer(None, [self._exports.part(number, start)])


def _shown(part: CrosstabResult, metric: str, blank_under: float) -> NDArray[Any]:
    """A metric as the cells show it: without what rests on too few."""
    values, respondents = plane(part, metric), denominator(part, metric)
    if not blank_under or respondents is None:
        return values
    return np.where(respondents < blank_under, np.nan, values)


def _picture(taken: Taken, name: str) -> bytes:
    rows, columns = (range(count) for count in taken.result.shape)
    drawn = draw(taken.result, rows, columns, taken.printed[0])
    return drawn.png() if name == "png" else drawn.svg().encode()


def _place(side: Lines, given: int | str | Audience, noun: str) -> int:
    if (at := as_place(given)) is not None:
        if 0 <= at < len(side):
            return at
        raise LookupError(f"There is no {noun} {given}: places run from 0 to {len(side) - 1}.")
    found = [
        place
        for place, audience in enumerate(side)
        if given in (audience.name, audience, side.full_names[place])
    ]
    if len(found) == 1:
        return found[0]
    told = given.name if isinstance(given, Audience) else str(given)
    if found:
        raise LookupError(f"{len(found)} {noun}s are called {told!r}: give the place, from 0.")
    near = difflib.get_close_matches(told, [audience.name for audience in side], n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    raise LookupError(f"There is no {noun} {told!r}.{meant}")
