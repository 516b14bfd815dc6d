"""Exports of a grid: files, charts, code, and one cell in detail, for Python and for the page."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of
from audiencelab.results.coverage import Coverage, questions_of
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import Axis, as_position
from audiencelab.widgets.crosstab.charts import ChartKind, Positions, chart_positions, draw
from audiencelab.widgets.crosstab.drilldown import CellDetail, cell_detail
from audiencelab.widgets.crosstab.export import FORMATS, ExportCells, Exports, file_name
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.metrics import part_of, shown_plane, turned, turned_name
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.tiles import parse_positions
from audiencelab.widgets.rpc_types import Answer, Cancelled, Request

if TYPE_CHECKING:
    from audiencelab.charts import Chart
    from audiencelab.charts.theme import Theme

MAX_PAGE_CELLS = 1_000_000
"""Maximum values in a file that a page requests; Python writes larger ones."""

_IMAGES = {"png": "image/png", "svg": "image/svg+xml"}


class Exporter:
    """Exports the table of a session."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._files = Exports()
        self._coverage: Coverage | None = None

    # -- charts ----------------------------------------------------------------------------------

    @staticmethod
    def chart(
        result: CrosstabResult,
        selected: tuple[Positions, Positions] | None,
        metric: str,
        kind: ChartKind | None = None,
        theme: Theme = "light",
        *,
        transposed: bool = False,
    ) -> Chart:
        """The chart of the selected cells of a table, transposed if the table is shown so."""
        rows, columns = chart_positions(selected, result.shape)
        if transposed:
            return draw(turned(result), columns, rows, turned_name(metric), kind, theme)
        return draw(result, rows, columns, metric, kind, theme)

    # -- one cell --------------------------------------------------------------------------------

    def drill(
        self, row: int | str | Audience, column: int | str | Audience, low_base: tuple[int, int]
    ) -> CellDetail:
        """One cell in detail; row, column: a position from 0, a name, or the audience."""
        result = self._session.wait()
        rows, columns = self._session.axes
        at = _position(rows, row, "row"), _position(columns, column, "column")
        return self._detail(result, *at, low_base)

    def answer_drill(self, request: Request, low_base: tuple[int, int]) -> object:
        """One cell in detail, for the page's panel."""
        self._session.snapshot_for(request)
        rows, columns = self._session.axes
        (row,) = parse_positions([request.args.get("row")], len(rows), "rows").tolist()
        (column,) = parse_positions([request.args.get("column")], len(columns), "columns").tolist()
        return self._detail(self._session.result_for(request), row, column, low_base).to_page()

    def _detail(
        self, result: CrosstabResult, row: int, column: int, low_base: tuple[int, int]
    ) -> CellDetail:
        rows, columns = self._session.axes
        parts = self._session.query.parts
        base = parts[column // self._session.columns_per_base].base_audience
        return cell_detail(
            result,
            row,
            column,
            base=base,
            labels=self._session.labels(),
            waves=self._waves((rows[row], columns[column], base or self._session.base)),
            low_base=low_base,
        )

    def _waves(self, audiences: Sequence[Audience]) -> tuple[str, ...] | None:
        """The waves of a cell; None where the service does not list waves."""
        parts = [each.expression for each in audiences if each.expression is not None]
        cell = Audience("cell", all_of(*parts) if parts else None)
        try:
            coverage = self._coverage_of(cell)
        except (AudienceError, AttributeError):
            # A client that only streams crosstabs has no waves.
            return None
        asked = self._session.query.waves or coverage.waves[-DEFAULT_WAVES:]
        return tuple(wave for wave in coverage.counted if wave in asked)

    def _coverage_of(self, cell: Audience) -> Coverage:
        """The waves in which the questions of a cell were asked; requested once a question."""
        questions, known = questions_of(cell), self._coverage
        if known is None or any(code not in known.asked for code in questions):
            new = self._session.client.coverage(cell)
            asked = dict(new.asked) if known is None else {**known.asked, **new.asked}
            self._coverage = known = replace(new, asked=asked)
        return Coverage(cell, known.waves, {code: known.asked[code] for code in questions})

    # -- code and files --------------------------------------------------------------------------

    def answer_code(self, request: Request) -> str:
        """Python for the selected rows and columns, or for the whole query."""
        self._session.snapshot_for(request)
        query = self._session.query
        if request.args.get("rows") is None:
            return query.to_code()
        rows, columns = self._positions(request)
        width, bases = self._session.columns_per_base, query.bases
        if bases:
            # Each base has all columns: the selected ones of any, in the bases that have one.
            bases = tuple(bases[part] for part in sorted({at // width for at in columns}))
            columns = list(dict.fromkeys(at % width for at in columns))
        chosen = replace(
            query,
            rows=None if query.rows is None else query.rows.take(rows),
            columns=None if query.columns is None else query.columns.take(columns),
            bases=bases,
        )
        return chosen.to_code()

    def answer_export(self, request: Request, looks: Looks, *, transposed: bool) -> Answer:
        """A file of the visible or selected cells: its header and its first part."""
        name = str(request.args.get("format"))
        cells = self._cells(request, looks, transposed=transposed)
        request.check()
        if name in _IMAGES:
            suffix, media_type, data = f".{name}", _IMAGES[name], _image(cells, name)
        else:
            values = cells.result.expected * len(cells.planes)
            if values > MAX_PAGE_CELLS:
                raise AudienceError(
                    f"{values:,} values are too many for a page (at most {MAX_PAGE_CELLS:,}). "
                    "Select fewer cells, or write the file in Python with grid.to_excel(path) or "
                    "grid.to_frame().to_csv(path)."
                )
            made = FORMATS[name]
            suffix, media_type, data = made.suffix, made.media_type, made.write(cells)
        request.check()
        number = self._files.add(data)
        header = {
            "number": number,
            "name": file_name(cells.result, suffix),
            "type": media_type,
            "bytes": len(data),
        }
        return Answer(header, [self._files.part(number, 0)])

    def answer_part(self, request: Request) -> Answer:
        """A later part of a file."""
        number, start = request.args.get("number"), request.args.get("start")
        if not isinstance(number, int) or not isinstance(start, int) or start < 0:
            raise Cancelled("the page requested no part of a file")
        return Answer(None, [self._files.part(number, start)])

    def _positions(self, request: Request) -> tuple[list[int], list[int]]:
        rows, columns = self._session.positions(request)
        return rows.tolist(), columns.tolist()

    def _cells(self, request: Request, looks: Looks, *, transposed: bool) -> ExportCells:
        """The cells in a request as they are shown."""
        result = self._session.result_for(request)
        rows, columns = self._positions(request)
        part = part_of(result, rows, columns)
        letters = self._session.letters(result) if "letters" in looks.metrics else None
        planes: dict[str, NDArray[Any]] = {}
        for name in looks.metrics:
            if name != "letters":
                planes[name] = shown_plane(part, name, looks.blank_under)
            elif letters is not None:
                planes[name] = letters.marks[np.ix_(rows, columns)]
        if transposed:
            swapped = {turned_name(name): values.T for name, values in planes.items()}
            return ExportCells(turned(part), swapped, blank_under=looks.blank_under)
        heads = () if letters is None else tuple(letters.heads[at] for at in columns)
        all_nets = set(self._session.nets(result))
        ids = (each.id or each.name for each in (*part.rows, *part.columns))
        nets = tuple(each for each in ids if each in all_nets)
        return ExportCells(part, planes, heads, looks.blank_under, nets)


def _image(cells: ExportCells, name: str) -> bytes:
    rows, columns = (range(count) for count in cells.result.shape)
    drawing = draw(cells.result, rows, columns, cells.printed[0])
    return drawing.png() if name == "png" else drawing.svg().encode()


def _position(axis: Axis, value: int | str | Audience, noun: str) -> int:
    if (at := as_position(value)) is not None:
        if 0 <= at < len(axis):
            return at
        raise LookupError(f"There is no {noun} {value}: positions are 0 to {len(axis) - 1}.")
    found = [
        at
        for at, audience in enumerate(axis)
        if value in (audience.name, audience, axis.full_names[at])
    ]
    if len(found) == 1:
        return found[0]
    name = value.name if isinstance(value, Audience) else str(value)
    if found:
        raise LookupError(f"{len(found)} {noun}s are named {name!r}: use the position, from 0.")
    near = difflib.get_close_matches(name, [audience.name for audience in axis], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise LookupError(f"There is no {noun} {name!r}.{hint}")
