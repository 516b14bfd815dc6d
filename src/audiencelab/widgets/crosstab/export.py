"""What a grid's table is sent and read as: cells of files, code, and one cell in detail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.client.names import window_codes
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of
from audiencelab.results.coverage import Coverage, questions_of
from audiencelab.results.metrics import transposed_metric
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.axis_edits import Item, QuestionError, position_of
from audiencelab.widgets.crosstab.drilldown import CellDetail, cell_detail
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.metrics import (
    part_of,
    shown_plane,
    transposed_table,
)
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.protocol import (
    CellArgs,
    CellReport,
    ChartStyle,
    CodeArgs,
    Region,
)
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.tiles import parse_positions
from audiencelab.widgets.rpc_types import Code, PageRequest
from audiencelab.widgets.who_counts import usual_base_of


class Exporter:
    """Exports the table of a session."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._coverage: Coverage | None = None

    # -- one cell --------------------------------------------------------------------------------

    def drill(
        self, row: int | str | Audience, column: int | str | Audience, stars: tuple[int, int]
    ) -> CellDetail:
        """One cell in detail; row, column: a position from 0, a name, or the audience."""
        result = self._session.wait()
        rows, columns = self._session.axes
        at = _position(rows, row), _position(columns, column)
        return self._detail(result, *at, stars)

    def answer_drill(self, request: PageRequest[CellArgs], stars: tuple[int, int]) -> CellReport:
        """One cell in detail, for the page's panel."""
        self._session.snapshot_for(request)
        rows, columns = self._session.axes
        (row,) = parse_positions([request.args.row], len(rows), "rows").tolist()
        (column,) = parse_positions([request.args.column], len(columns), "columns").tolist()
        return self._detail(self._session.result_for(request), row, column, stars).to_page()

    def _detail(
        self, result: CrosstabResult, row: int, column: int, stars: tuple[int, int]
    ) -> CellDetail:
        rows, columns = self._session.axes
        parts = self._session.query.by_base
        base = parts[column // self._session.columns_per_base].scope.base
        within = self._session.base if base is None else base
        waves = self._waves((rows[row], columns[column], within))
        labels = self._session.labels()
        return cell_detail(result, row, column, base=base, labels=labels, waves=waves, stars=stars)

    def _waves(self, audiences: Sequence[Audience]) -> tuple[str, ...] | None:
        """The waves of a cell; None where the service does not list waves."""
        parts = [each.expression for each in audiences if each.expression is not None]
        cell = Audience("cell", all_of(*parts) if parts else None)
        questions, known = questions_of(cell), self._coverage
        try:
            if known is None or any(code not in known.asked for code in questions):
                new = self._session.client.coverage(cell)
                asked = {**(known.asked if known else {}), **new.asked}
                items = {**(known.items if known else {}), **new.items}
                self._coverage = known = replace(new, asked=asked, items=items)
        except (AudienceError, AttributeError):
            # A client that only streams crosstabs has no waves.
            return None
        counted = replace(known, audience=cell).counted
        client = self._session.client
        if (asked_for := self._session.query.scope.waves) is None:
            asked_for = window_codes(
                client.default_waves, {wave.code: wave.name for wave in client.waves()}
            )
        return tuple(wave for wave in counted if wave in asked_for)

    # -- code and files --------------------------------------------------------------------------

    def answer_code(self, request: PageRequest[CodeArgs]) -> Code:
        """Python for the selected rows and columns, or for the whole query."""
        self._session.snapshot_for(request)
        query, args = self._session.query, request.args
        if args.rows is None or args.columns is None:
            return Code(self._code(query))
        rows, columns = self.positions(Region(args.generation, args.rows, args.columns))
        return Code(self._code(self.part_of_query(rows, columns)))

    def part_of_query(self, rows: Sequence[int], columns: Sequence[int]) -> GridQuery:
        """The query of some rows and columns of its table, in that order."""
        query = self._session.query
        width, bases = self._session.columns_per_base, query.bases
        if bases:
            # Each base has all columns: the selected ones of any, in the bases that have one.
            bases = tuple(bases[part] for part in sorted({at // width for at in columns}))
            columns = list(dict.fromkeys(at % width for at in columns))
        taken = None if query.rows is None else query.rows.take(rows)
        placed = PlacedStatistics.of(query.statistics, query.rows)
        return replace(
            query,
            rows=taken,
            statistics=placed.carried(query.rows, taken),
            columns=None if query.columns is None else query.columns.take(columns),
            bases=bases,
        )

    def _code(self, query: GridQuery) -> str:
        return query.to_code(self._session.labels(), usual_base_of(self._session.client))

    def positions(self, region: Region) -> tuple[list[int], list[int]]:
        rows, columns = self._session.positions(region)
        if not len(rows) or not len(columns):
            raise AudienceError("No row or no column is shown: show some again to export them.")
        return rows.tolist(), columns.tolist()

    def cells(
        self,
        result: CrosstabResult,
        rows: Sequence[int],
        columns: Sequence[int],
        looks: Looks,
        *,
        transposed: bool,
        style: ChartStyle | None = None,
    ) -> ExportCells:
        """Some cells of the complete table as they are shown; style: of a chart of them."""
        style = style or ChartStyle()
        part = part_of(result, rows, columns)
        marks = self._session.marks(result)
        on_screen = None if marks is None else marks.take(rows, columns)
        letters = None
        if marks is not None and looks.letters:
            letters = marks.letters(np.array(rows), np.array(columns), looks.level)
        planes: dict[str, NDArray[Any]] = {}
        for name in looks.metrics:
            if name != "letters":
                planes[name] = shown_plane(part, name, looks.hide_under)
            elif letters is not None:
                planes[name] = letters.marks
        if transposed:
            swapped = {transposed_metric(name): values.T for name, values in planes.items()}
            return ExportCells(
                *(transposed_table(part), swapped),
                looks=looks,
                beside=part,
                marks=on_screen,
                style=style,
            )
        own = () if letters is None else letters.column_letters
        all_nets = set(self._session.nets(result))
        ids = (each.id or each.name for each in (*part.rows, *part.columns))
        nets = tuple(each for each in ids if each in all_nets)
        return ExportCells(part, planes, own, looks, nets, marks=on_screen, style=style)


def _position(axis: AxisAudiences, item: Item) -> int:
    """The position of an item; `LookupError` for one that is not there, or is there twice."""
    try:
        return position_of(axis, item)
    except QuestionError as error:
        raise LookupError(str(error)) from None
