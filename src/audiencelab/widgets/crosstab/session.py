"""The query session of a grid: the query that runs, its table so far, and the page's requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.concat import base_beside
from audiencelab.analysis.wave_changes import statistic_changes, statistic_reasons
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.markup import shorten
from audiencelab.render.cell_text import signed
from audiencelab.render.color_scale import heat_scales
from audiencelab.render.crosstab_layout import HIDDEN, statistic_texts
from audiencelab.results.provenance import weighted_base
from audiencelab.results.record import sourced
from audiencelab.results.statistic_rows import StatisticRows
from audiencelab.results.who_counts import base_line, notes
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.formatting import Looks, check_level
from audiencelab.widgets.crosstab.loader import LoadState, TableLoader
from audiencelab.widgets.crosstab.marks import StatisticMarks, TableMarks
from audiencelab.widgets.crosstab.protocol import (
    Generation,
    HeatScales,
    ItemName,
    ItemNames,
    MarksHeader,
    MarksRegion,
    NamesArgs,
    Region,
    Span,
    StatisticLine,
    StatisticLines,
    TableProgress,
    TileHeader,
)
from audiencelab.widgets.crosstab.query import GridQuery, columns_in_bases, open_stream
from audiencelab.widgets.crosstab.short_names import short_names
from audiencelab.widgets.crosstab.tiles import (
    Margins,
    Positions,
    bases_vary,
    cut_marks,
    cut_tile,
    pack,
    parse_positions,
)
from audiencelab.widgets.rpc_types import (
    AnswerWithBuffers,
    Cancelled,
    PageRequest,
    RawRequest,
    describe_error,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.catalogue import Catalogue

G = TypeVar("G", bound=Generation)

_SENTENCE_LENGTH = 600
_MOST_NOTES = 12


def statistic_lines(
    result: CrosstabResult, marks: NDArray[np.object_] | None, hide_under: float
) -> list[StatisticLine]:
    """The rows of statistics as texts, with marks where they are known.

    hide_under: the respondents that a value must rest on to be shown.
    """
    found: list[StatisticLine] = []
    for at, (name, (base, *cells)) in enumerate(statistic_texts(result, hide_under)):
        beside = [""] * len(cells) if marks is None else marks[at]
        pairs = zip(cells, beside, strict=True)
        shown = [cell if cell == HIDDEN else f"{cell} {mark}".rstrip() for cell, mark in pairs]
        found.append(StatisticLine(name, base, shown))
    return found


def live_lines(
    result: CrosstabResult, statistics: StatisticRows, marks: StatisticMarks, looks: Looks
) -> list[StatisticLine]:
    """The same for the page of a live table, with respondents and changes since the wave before."""
    lines = statistic_lines(result, marks.marks, looks.hide_under)
    *_, samples = statistics.figures
    sizes = statistics.base("answered_size").tolist()
    found = [
        msgspec.structs.replace(line, size=finite(size), samples=tuple(of.tolist()))
        for line, size, of in zip(lines, sizes, samples, strict=True)
    ]
    if "change" not in looks.metrics:
        return found
    changes, reasons = statistic_changes(result), statistic_reasons(result)
    # What is hidden must not be seen by how it has changed.
    changes[samples[:, 1:] < looks.hide_under] = np.nan
    return [
        msgspec.structs.replace(
            line,
            changes=tuple(signed(each, row.decimals) for each in changes[at].tolist()),
            unchanged=tuple(reasons[at].tolist()),
        )
        for at, (line, row) in enumerate(zip(found, statistics.rows, strict=True))
    ]


def statistic_columns(names: Sequence[str], letters: Sequence[str]) -> list[str]:
    """The names of the columns above rows of statistics, with their letters if these are shown."""
    pairs = zip(names, letters or [""] * len(names), strict=False)
    return [f"{name} ({letter})" if letter else name for name, letter in pairs]


def progress_of(snapshot: LoadState, low_base: int) -> TableProgress:
    """The progress of a table, for the page.

    low_base: respondents in a denominator below which a cell has no colour.
    """
    result = snapshot.result
    heat = None if result is None else heat_scales(result, low_base)
    return TableProgress(
        generation=snapshot.generation,
        version=snapshot.version,
        phase=snapshot.phase,
        cells=0 if result is None else result.count,
        base_size=None if result is None else finite(result.base_size),
        base_sample=None if result is None else finite(result.base_sample),
        heat=None if heat is None else msgspec.convert(heat, HeatScales),
        **({} if result is None else _base_words(result)),
        error=None if snapshot.error is None else describe_error(snapshot.error),
    )


def _base_words(result: CrosstabResult) -> dict[str, Any]:
    """The fields of `TableProgress` that say whom the figures are of."""
    words = {
        "base_line": base_line(result),
        "source": sourced(result.provenance).line(),
        "weighted_base": weighted_base(result.provenance),
    }
    if not result.complete:
        return words
    listed = [*notes(result), *filter(None, [result.statistics_note])]
    first, rest = listed[:_MOST_NOTES], len(listed) - _MOST_NOTES
    noted = [shorten(each, _SENTENCE_LENGTH) for each in first]
    noted += [f"… and {plural(rest, 'more note')}: see table.to_html()"] if rest > 0 else []
    return words | {"base_varies": bases_vary(result), "notes": tuple(noted)}


def finite(value: float) -> float | None:
    """The value as a page gets it; None where there is none."""
    return float(value) if np.isfinite(value) else None


class QuerySession:
    """The query of a grid and its table.

    wanted: the query of the widget's traits. labels: names for codes, or None.
    report: called with each state of the table, on the loader's thread.
    """

    def __init__(
        self,
        client: Client,
        wanted: Callable[[], GridQuery],
        labels: Callable[[], Catalogue | None],
        report: Callable[[LoadState], None],
    ) -> None:
        self.client = client
        self.labels = labels
        self.loader = TableLoader(lambda query: open_stream(client, query), report)
        self.started: GridQuery | None = None
        self._wanted = wanted
        self._columns: tuple[GridQuery, AxisAudiences] | None = None
        # Derived from the whole table, and kept for its last state.
        self._margins: tuple[CrosstabResult, int, Margins] | None = None
        self._marks: tuple[CrosstabResult, int, TableMarks] | None = None

    # -- the query -------------------------------------------------------------------------------

    @property
    def query(self) -> GridQuery:
        """The query of the traits."""
        return self._wanted()

    @property
    def base(self) -> Audience:
        """The base of the whole table."""
        query = self.query
        if not query.bases:
            return as_audience(query.scope.base)
        bases = (part.scope.base for part in query.by_base)
        return base_beside((base.name, base) for base in bases if base is not None)

    @property
    def first_base(self) -> Audience:
        """The base whose counts are shown beside the rows; of several bases the first."""
        query = self.query
        first = query.by_base[0].scope.base if query.bases else None
        return self.base if first is None else first

    @property
    def axes(self) -> tuple[AxisAudiences, AxisAudiences]:
        """Rows and columns of the table; an axis of None has the base alone."""
        query = self.query
        rows, columns = query.rows, query.columns
        if query.bases:
            if self._columns is None or self._columns[0] != query:
                self._columns = (query, columns_in_bases(query))
            columns = self._columns[1]
        alone = AxisAudiences([self.base])
        return (alone if rows is None else rows), (alone if columns is None else columns)

    @property
    def columns_per_base(self) -> int:
        """The number of columns in each of several bases, or in the only one."""
        return len(self.axes[1]) // len(self.query.by_base)

    # -- the table -------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The number of the present query."""
        return self.loader.snapshot.generation

    def start(self) -> int:
        """Load the table of the present query; returns its generation."""
        query = self.query
        rows, columns = self.axes
        generation = self.loader.start(query if rows and columns else None)
        # Afterwards: a request that sees neither changed has not met another query.
        self.started = query
        return generation

    def wait(self) -> CrosstabResult:
        """The complete table; raises what `TableLoader.wait` raises."""
        return self.loader.wait()

    def nets(self, result: CrosstabResult) -> list[str]:
        """Ids of the rows and columns that are nets: they are not compared."""
        rows, columns = self.axes
        return [
            each.id or each.name
            for audiences, nets in ((result.rows, rows.nets), (result.columns, columns.nets))
            for each, is_net in zip(audiences, nets, strict=True)
            if is_net
        ]

    def margins(self, result: CrosstabResult) -> Margins:
        """The margins of a table that may be growing."""
        kept, count = self._margins, result.count
        if kept is None or kept[0] is not result or kept[1] != count:
            kept = self._margins = (result, count, Margins.of(result))
        return kept[2]

    def marks(self, result: CrosstabResult | None) -> TableMarks | None:
        """The marks of a table; None while it is not complete."""
        if result is None or not result.complete:
            return None
        kept, count = self._marks, result.count
        if kept is None or kept[0] is not result or kept[1] != count:
            kept = self._marks = (result, count, TableMarks(result, self.nets(result)))
        return kept[2]

    # -- requests of the page --------------------------------------------------------------------

    def snapshot_for(self, request: PageRequest[G]) -> LoadState:
        """The state that a request is about; `Cancelled` if its table was replaced."""
        snapshot = self.loader.snapshot
        if request.args.generation != snapshot.generation:
            raise Cancelled("the page asked about a table that was replaced")
        return snapshot

    def result_for(self, request: PageRequest[G]) -> CrosstabResult:
        """The table that a request is about; `AudienceError` before the first cell."""
        result = self.snapshot_for(request).result
        if result is None:
            raise AudienceError("Nothing has been counted yet.")
        return result

    def is_outdated(self, request: RawRequest) -> bool:
        """Whether the query changed during a request; its handler may have seen both."""
        generation = request.args.get("generation")
        return generation is not None and (
            generation != self.generation or self.query != self.started
        )

    def positions(self, region: Region) -> tuple[Positions, Positions]:
        """The rows and columns of a region; `AudienceError` for one outside the table."""
        rows, columns = self.axes
        return (
            parse_positions(region.rows, len(rows), "rows"),
            parse_positions(region.columns, len(columns), "columns"),
        )

    def answer_tile(self, request: PageRequest[Region]) -> AnswerWithBuffers[TileHeader]:
        """Cells as a tile."""
        result = self.snapshot_for(request).result
        rows, columns = self.positions(request.args)
        if result is None:
            tile = pack({}, (len(rows), len(columns)), complete=False)
        else:
            tile = cut_tile(result, self.margins(result), rows, columns)
        return AnswerWithBuffers(tile.header, [tile.body])

    def answer_names(self, request: PageRequest[NamesArgs]) -> ItemNames:
        """The names of items of an axis, or of the base."""
        self.snapshot_for(request)
        rows, columns = self.axes
        axes = {"rows": rows, "columns": columns, "base": AxisAudiences([self.first_base])}
        axis, span = axes[request.args.axis], Span(request.args.start, request.args.stop)
        places: list[int] = parse_positions(span, len(axis), "names").tolist()
        labels, whole = self.labels(), axis.full_names
        shorts = short_names([each.name for each in axis], axis.groups)
        return ItemNames(
            [
                ItemName(
                    axis[at].name,
                    axis[at].describe(labels)[:_SENTENCE_LENGTH],
                    axis.groups[at],
                    axis.nets[at],
                    whole[at] == axis[at].name,
                    "" if shorts[at] == axis[at].name else shorts[at],
                )
                for at in places
            ]
        )

    def answer_statistics(self, request: PageRequest[Generation], looks: Looks) -> StatisticLines:
        """The rows of statistics; none until the table is complete."""
        result = self.snapshot_for(request).result
        statistics = None if result is None else result.statistics
        marks = self.marks(result)
        if result is None or statistics is None or marks is None:
            return StatisticLines([], [], "")
        found = marks.of_statistics(looks.significance, looks.level)
        return StatisticLines(
            statistic_columns(self.axes[1].full_names, found.column_letters),
            live_lines(result, statistics, found, looks),
            result.statistics_note,
        )

    def answer_marks(self, request: PageRequest[MarksRegion]) -> AnswerWithBuffers[MarksHeader]:
        """The tests of cells, and their letters if they are requested."""
        marks = self.marks(self.snapshot_for(request).result)
        positions, level = self.positions(request.args), request.args.letters
        if marks is None:
            raise AudienceError("Cells are tested when the table is complete.")
        tests = marks.of(*positions)
        request.check()
        letters = None if level is None else marks.letters(*positions, check_level(level))
        header, body = cut_marks(tests, letters)
        return AnswerWithBuffers(header, [body])
