"""The operations and traits of the crosstab widget and of its linked chart.

The file is long because it is half of a protocol whose other half, one file, is generated from it.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec

from audiencelab.results.banner import Groups
from audiencelab.results.metrics import IN_GRID
from audiencelab.widgets.crosstab.axis import AxisName
from audiencelab.widgets.crosstab.deck_protocol import (
    DeckEdit,
    DeckSummary,
    DeckTemplates,
    SkippedItem,
    WriteDeck,
)
from audiencelab.widgets.crosstab.query_protocol import (
    AdjustChoices,
    AxisArgs,
    Blocks,
    Choices,
    Edit,
    Form,
    PlacedName,
)
from audiencelab.widgets.crosstab.view_state import AxisView, Position
from audiencelab.widgets.picker.protocol import CatalogueOperations, CodeName
from audiencelab.widgets.rpc_types import Args, Code, Data, Failure, NoArgs, PageOperation
from audiencelab.widgets.saved_audiences import SavedList
from audiencelab.widgets.who_counts import WhoCountsChoice

ChartKind = Literal["bar", "dots", "heatmap"]
if TYPE_CHECKING:
    Metric = str
else:
    Metric = Literal[IN_GRID]
Role = Literal["row", "column", "both", "base"]
Phase = Literal["running", "done", "cancelled", "failed"]
Heat = Literal["index", "difference", "z", "none"]
Units = Literal["short", "thousands", "full"]
Significance = Literal["arrows", "letters", "previous wave", "none"]
Density = Literal["auto", "comfortable", "compact"]
Base = Literal["weighted", "unweighted"]
TableFile = Literal["xlsx", "pptx", "csv", "cells", "html", "png", "svg"]
FileKind = TableFile | Literal["chart_pptx", "chart_png", "chart_svg"]


# -- traits ---------------------------------------------------------------------------------------


class KeptItems(Data):
    """What a table has of the one before.

    since: the generation of that one. rows, columns: runs of the items that both have: the position
    of the first here and there, and their number. same: whether both count the same people, so that
    the figures of these items are the same, too.
    """

    since: int
    rows: list[tuple[int, int, int]]
    columns: list[tuple[int, int, int]]
    same: bool


class TableState(Data):
    """The table that is shown; a new query is a new generation.

    base: the name of the base audience; of several, that of the first. bases: the number of bases
    side by side, 0 for one. answered: whether a cell counts those of the base who answered.
    scope: waves and locations as text. banners: whether there are groups or nets, which the page
    then requests. kept: None for the first table, and where there would be too many runs.
    statistics: rows of means, at their positions. of_statistics: whether these
    are all that was asked for, so that the one row of the base says nothing.
    """

    generation: int
    rows: int
    columns: int
    base: str
    bases: int
    answered: bool
    scope: str
    banners: bool
    kept: KeptItems | None
    statistics: list[PlacedName]
    of_statistics: bool


class HeatScale(Data):
    """The ends of a colour scale."""

    low: float
    high: float


class HeatScales(Data):
    """The ends of the colour scales that depend on the table."""

    index: HeatScale
    difference: HeatScale


class TableProgress(Data):
    """How much of the table has been counted.

    heat: None until a value has arrived. base_line: whom the figures are of. source: where they
    come from, as a line. weighted_base: the label of weighted bases, "" without a weight. Of a
    complete table, base_varies: whether rows have bases of their own; notes: sentences on bases,
    items and waves.
    """

    generation: int = 0
    version: int = 0
    phase: Phase = "done"
    cells: int = 0
    base_size: float | None = None
    base_sample: float | None = None
    heat: HeatScales | None = None
    base_line: str = ""
    source: str = ""
    weighted_base: str = "Weighted base"
    base_varies: bool = False
    notes: tuple[str, ...] = ()
    error: Failure | None = None


class SelectedCells(Data):
    """The selected cells, by their positions in the query."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


class ArrangementState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The arrangement of the table of one generation.

    names: the width of the row names in pixels.
    """

    generation: int
    rows: AxisView = AxisView()
    columns: AxisView = AxisView()
    names: int | None = None


class AxisSummary(Data):
    """An axis in a few names, and the number of those that were left out.

    question: of ungrouped answers; "" where there are groups, or several questions.
    """

    count: int
    question: str
    names: list[str]
    more: int


class CodesSummary(Data):
    """The first names of chosen waves or locations."""

    count: int
    names: list[str]


class WeightChoices(Data):
    """The weight of a query, and those that can be chosen; None counts every respondent as one."""

    chosen: str | None
    all: list[str | None]


class QuestionForms(Data):
    """The rows or columns of one question, which can be shown in another form.

    start, count: of its first run of audiences, -1 and 0 without any; statistic: its first row of
    statistics, -1 without any. form: the present one; None is another than `forms`. edges: of its
    bins of numbers, which can be set; None where it has no numbers.
    """

    axis: AxisName
    question: str
    name: str
    start: int
    count: int
    statistic: int
    form: Form | None
    forms: list[Form]
    edges: list[float] | None


class FormChoices(Data):
    """The questions of a table that can be shown in another form."""

    questions: list[QuestionForms]


class QuerySummary(Data):
    """The query in a few names, for the bar above the table.

    bases: names; none is everyone. waves, locations: None is the default. weight: None of a
    survey that has one or none. undo, redo: the part of the query that the step would change.
    wave_columns: whether columns are waves. statistics: the names of rows of means. scored:
    questions whose means can be added.
    single: whether the survey has one wave, and one location, so that there is nothing to choose.
    """

    rows: AxisSummary
    columns: AxisSummary
    bases: list[str]
    base_count: int
    side_by_side: bool
    who_counts: WhoCountsChoice
    waves: CodesSummary | None
    locations: CodesSummary | None
    weight: WeightChoices | None
    undo: str | None
    redo: str | None
    wave_columns: bool
    statistics: list[str]
    scored: list[CodeName]
    single: tuple[Literal["waves", "locations"], ...] = ()


# -- the table ------------------------------------------------------------------------------------


class Generation(Args):
    """generation: of the table that is meant; a request about an older one gets no answer."""

    generation: int


class Span(msgspec.Struct, frozen=True):
    """Positions from `start` up to, not including, `stop`."""

    start: int
    stop: int


Positions: TypeAlias = Span | list[int]


class ShownItems(Data):
    """The items that a page shows of a complete table, by their positions in the query, in order.

    arrangement, metric, transposed: from which they follow; metric is the first of the cells.
    """

    arrangement: ArrangementState
    metric: Metric
    transposed: bool
    rows: list[int]
    columns: list[int]


class Region(Generation):
    """The cells of some rows and columns."""

    rows: Positions
    columns: Positions


class MarksRegion(Region):
    """letters: the confidence of capital letters; None leaves letters out."""

    letters: float | None = None


class PlaneHeader(Data):
    """One plane of a tile: 1 in its shape is broadcast; offset: of its first value in bytes."""

    name: str
    dtype: Literal["float32", "float64"]
    shape: tuple[int, int]
    offset: int


class TileHeader(Data):
    """The header of a tile.

    complete: every cell has arrived. reasons: why cells have no figure; the plane `reason` has the
    position of each cell's, where there are any.
    """

    rows: int
    columns: int
    complete: bool
    planes: list[PlaneHeader]
    reasons: tuple[str, ...] = ()


class MarksHeader(TileHeader):
    """The tests of cells, as a tile.

    Planes are `z`, `p` and `freedom` of the test against the rest of the base, and `level`: the
    strictest level, in percent, at which the share is significantly larger (positive) or smaller
    (negative); `reason`: why there is no test. `previous` is the level against the same column one
    wave before, of columns that are waves. Where letters were requested, `letters` has the
    position of those of each cell in `texts`, and column_letters those of the columns.
    unchanged: the texts to which the plane of that name refers: why a cell has no change.
    method: of the tests; previous_method: of those against the wave before, "" where no column is
    one wave. short: what the legend says of it. letters_legend, letters_method: those
    of letters. problem, no_letters: why there are none, "" where there are.
    """

    texts: tuple[str, ...] = ()
    column_letters: tuple[str, ...] = ()
    method: str = ""
    short: str = ""
    problem: str = ""
    previous_method: str = ""
    unchanged: tuple[str, ...] = ()
    letters_legend: str = ""
    letters_method: str = ""
    no_letters: str = ""


class NamesArgs(Generation):
    """The items of an axis from `start` to `stop`, or the base."""

    axis: Literal["rows", "columns", "base"]
    start: int
    stop: int


class ItemName(msgspec.Struct, frozen=True, array_like=True):
    """An item of an axis: its audience as text, and the groups above it, outermost first.

    is_whole: whether its name is enough outside of the table; else its groups are named, too.
    short: the name without words that its group has in common; "" where it is the name.
    """

    name: str
    sentence: str
    groups: Groups
    is_net: bool
    is_whole: bool
    short: str


class ItemNames(Data):
    """The names of items."""

    names: list[ItemName]


class AxisBanner(Data):
    """runs: groups with the number of items below them. nets: positions."""

    runs: list[tuple[Groups, int]]
    nets: list[int]


class Banners(Data):
    """The groups and nets of both axes."""

    rows: AxisBanner
    columns: AxisBanner


class MeasureItems(Generation):
    """A number for each item of a side.

    of: the position of an item of the other axis, or what of the item's cells.
    """

    side: AxisName
    of: int | Literal["own", "largest", "smallest", "farthest", "nearest"]
    metric: str


class DifferentCell(Data):
    """A cell that differs from the base, by its position and its names."""

    row: int
    column: int
    names: tuple[str, str]
    index: float | None
    difference: float | None
    z: float | None


class DifferentCells(Data):
    """The cells that differ most, the largest z first."""

    cells: list[DifferentCell]


class AdjustArgs(Generation):
    """questions: codes of those whose composition columns are adjusted to."""

    questions: list[str]


class AdjustedCells(DifferentCells):
    """The cells that differ most once columns have the composition of the base. note: how."""

    note: str


class StatisticLine(Data, omit_defaults=True):
    """A row of a statistic as texts: of the base, and of each column with its marks.

    size, samples: how many gave an amount, weighted in the base, and in the base and in each
    column. changes: since the wave before, where cells show it; "–" for none, with the reason in
    `unchanged`.
    """

    name: str
    base: str
    cells: list[str]
    size: float | None = None
    samples: tuple[float, ...] = ()
    changes: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


class StatisticLines(Data):
    """The rows of statistics of a complete table; columns: their names. note: for people."""

    columns: list[str]
    lines: list[StatisticLine]
    note: str


class CellArgs(Generation):
    """One cell by its position."""

    row: int
    column: int


class CellCount(Data):
    """One of the four audiences of a cell; share: of the base, 0 to 1."""

    role: Role
    name: str
    words: str
    size: str
    sample: str
    share: float | None


class CellFormula(Data):
    """One metric of a cell with its formula and its confidence interval."""

    metric: Metric
    value: str
    written: str
    interval: str


class CellReport(Data):
    """A cell in detail, as texts."""

    title: str
    counts: list[CellCount]
    formulas: list[CellFormula]
    test: str | None
    notes: list[str]
    waves: list[str] | None
    code: str


class CodeArgs(Generation):
    """The rows and columns whose code is wanted; None is the whole query."""

    rows: list[int] | None = None
    columns: list[int] | None = None


class ExportArgs(Region, kw_only=True):
    """format: of the file; of a chart, no rows and no columns are those that its pane shows.

    width: of a chart's pane in pixels, or 0. beside: whether the file is also written into the
    working directory of the kernel, which is the notebook's folder.
    """

    format: FileKind
    width: float = 0
    beside: bool = False


class FileHeader(Data):
    """A file that is fetched in parts; the first part comes with this header.

    beside: whether it was written into the working directory, under this name.
    """

    number: int
    name: str
    type: str
    bytes: int
    beside: bool = False


class DeckFile(FileHeader, kw_only=True):
    """The file of a deck; skipped: items that are not in it."""

    skipped: list[SkippedItem]


class FilePart(Args):
    """The part of a file that begins at byte `start`."""

    number: int
    start: Position


class GridTraits(msgspec.Struct):
    """The traits of a crosstab."""

    transposed: bool
    metrics: list[Metric]
    heat: Heat
    bars: bool
    decimals: int | None
    units: Units
    stars: tuple[float, float]
    hide_under: float
    significance: Significance
    level: float
    _levels: list[float]
    density: Density
    show_bases: list[Base]
    _table: TableState
    _progress: TableProgress
    _selected_cells: SelectedCells
    _arrangement: ArrangementState
    _shown_items: ShownItems | None
    _question: QuerySummary
    _deck: DeckSummary


class Grid(CatalogueOperations):
    """Operations of a crosstab."""

    tile = PageOperation("tile", Region, TileHeader)
    names = PageOperation("names", NamesArgs, ItemNames)
    marks = PageOperation("marks", MarksRegion, MarksHeader)
    forms = PageOperation("forms", Generation, FormChoices)
    statistics = PageOperation("statistics", Generation, StatisticLines)
    restart = PageOperation("restart", Generation, NoneType)
    cancel = PageOperation("cancel", Generation, NoneType)
    banners = PageOperation("banners", Generation, Banners)
    measure = PageOperation("measure", MeasureItems, TileHeader)
    apart = PageOperation("apart", Generation, DifferentCells)
    adjustable = PageOperation("adjustable", Generation, AdjustChoices)
    adjusted = PageOperation("adjusted", AdjustArgs, AdjustedCells)
    drill = PageOperation("drill", CellArgs, CellReport)
    code = PageOperation("code", CodeArgs, Code)
    export = PageOperation("export", ExportArgs, FileHeader)
    part = PageOperation("part", FilePart, NoneType)
    choices = PageOperation("choices", NoArgs, Choices)
    blocks = PageOperation("blocks", AxisArgs, Blocks)
    saved_audiences = PageOperation("saved_audiences", NoArgs, SavedList)
    edit = PageOperation("edit", cast("type[Edit]", Edit), NoneType)
    undo = PageOperation("undo", NoArgs, NoneType)
    redo = PageOperation("redo", NoArgs, NoneType)
    deck = PageOperation("deck", cast("type[DeckEdit]", DeckEdit), NoneType)
    templates = PageOperation("templates", NoArgs, DeckTemplates)
    write_deck = PageOperation("write_deck", WriteDeck, DeckFile)


# -- charts ---------------------------------------------------------------------------------------


class ChartStyle(msgspec.Struct):
    """What is chosen for a chart.

    kind: "" is the one that suits the cells. title: "" is the one of the table. sort: of its rows.
    palette: of its series. labels: whether values are written beside their marks.
    """

    kind: Literal["", "bar", "dots", "heatmap"] = ""
    title: str = ""
    sort: Literal["asked", "value"] = "asked"
    palette: Literal["standard", "blue", "green", "orange", "purple", "grey"] = "standard"
    labels: bool = True


class ChartArgs(ChartStyle, Args):
    """A chart in the colours of the page.

    rows, columns: the selected positions. width: of the pane in pixels, or 0. format: "vega" for a
    page that draws Vega-Lite itself.
    """

    dark: bool = False
    format: Literal["svg", "png", "vega"] = "svg"
    width: float = 0
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


class DrawnChart(Data):
    """A chart, whose image or specification is in the answer's buffer.

    alt: the chart as text. note: what of the table is left out, or "". title: that of the table,
    also where another one is chosen. rows, columns: the positions that are drawn where a part is
    left out.
    """

    alt: str
    note: str = ""
    title: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


class ChartTraits(msgspec.Struct):
    """The traits of a linked chart; _version: grows when the chart must be drawn again."""

    _version: int


class LinkedCharts:
    """Operations of a linked chart."""

    chart = PageOperation("chart", ChartArgs, DrawnChart)
