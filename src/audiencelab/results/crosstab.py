"""The data of a crosstab: rows, columns, and the figures of each cell as they arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import And, Audience, Labels, Leaf
from audiencelab.hidden_members import hide_members
from audiencelab.results.arrays import intern_attributes
from audiencelab.results.asking import Ask, keep_answers
from audiencelab.results.banner import Groups, table_title
from audiencelab.results.cells import FIGURES, PLACE, Cells, Floats
from audiencelab.results.made import Made
from audiencelab.results.metrics import IN_TABLES, METRICS, unknown_metric
from audiencelab.results.offers import leaves_of
from audiencelab.results.provenance import waves_words, weighted_base
from audiencelab.results.statistic_rows import (
    STATISTIC_FIGURES,
    Statistic,
    StatisticRows,
    row_order,
)
from audiencelab.results.stats import Provenance
from audiencelab.results.who import EVERYONE, WhoCounts
from audiencelab.schema.query import CrosstabQuery
from audiencelab.schema.scales import Scale
from audiencelab.wording import plural, without_controls

Table = TypeVar("Table", bound="CrosstabData")

_SIDES = ("rows", "columns", "row_groups", "column_groups", "asked")
"""What a table is about, and what was asked for it."""


@hide_members("arrived", "made", "statistics_note")
@dataclass(slots=True, weakref_slot=True, repr=False, eq=False)
class CrosstabData:
    """Row audiences against column audiences.

    rows, columns: the audiences as sent, each with its id; the base audience alone if they were
        not requested (`rows_requested`, `columns_requested`).
    provenance: service, survey or address, waves and locations requested, time.
    row_groups, column_groups: the groups of each row and each column, outermost first, as in a
        query with a mapping; () for one in no group.
    nets_of: subtotals among the rows, by their ids: the ids of the rows that each adds up.
    labels: names of questions and answers for the sentences of a workbook; None shows codes.
    kinds: whether respondents give one answer ("single") or several ("multiple", "grid") to the
        questions of the rows, by code, if the service reports it.
    scales: the scales that answers to the questions of the rows form, by code, as far as known.
    ask: where tests and intervals ask how sure the figures are; None for a service that has no
        local operations. A pickled table keeps the answers that it had, and asks for those of
        `test` and `intervals` before, up to 20,000 cells; a larger one is tested as that of a
        service whose design is not known, unless it was tested before.
    statistics: rows other than shares, such as means.
    asked: the query that the table answers; None for a table that was worked out from others.
    who: who of the base counts in a cell, and what is known of those who were not asked.
    whole: where rows count those who answered, the figures of everyone in the base who could be in
        the row, whatever the columns: float64[figures, rows], in the order of `FIGURES`. None where
        every row counts the same respondents, or where the figures are not known.
    made: how the table was made, for `to_code`; None for one that was asked for as it is.
    """

    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    base_audience: Audience | None = None
    rows_requested: bool = True
    columns_requested: bool = True
    provenance: Provenance = field(default_factory=dict[str, Any])
    row_groups: tuple[Groups, ...] = ()
    column_groups: tuple[Groups, ...] = ()
    nets_of: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    labels: Labels | None = None
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    scales: dict[str, Scale] = field(default_factory=dict[str, Scale])
    statistics: StatisticRows | None = None
    ask: Ask | None = None
    asked: CrosstabQuery | None = None
    who: WhoCounts = EVERYONE
    whole: Floats | None = None
    made: Made = None
    _cells: Cells = field(init=False)

    def __post_init__(self) -> None:
        rows, columns = len(self.rows), len(self.columns)
        self.row_groups = self.row_groups or ((),) * rows
        self.column_groups = self.column_groups or ((),) * columns
        if len(self.row_groups) != rows or len(self.column_groups) != columns:
            raise ValueError(
                f"row_groups and column_groups must have {rows} and {columns} items, one for each "
                f"audience; got {len(self.row_groups)} and {len(self.column_groups)}."
            )
        if self.whole is not None and self.whole.shape != (len(FIGURES), rows):
            raise ValueError(f"whole must have the figures of {rows} rows; got {self.whole.shape}.")
        if self.statistics is not None:
            # A copy may have fewer columns, or the same ones in another order.
            self.statistics = self.statistics.of_columns([each.id or "" for each in self.columns])
        # Empty also in a copy made by `replace`: its cells have to be stored.
        self._cells = Cells(np.zeros((rows, columns), dtype=bool))

    @property
    def arrived(self) -> NDArray[np.bool_]:
        """The cells that have arrived, bool[rows, columns]."""
        return self._cells.arrived

    @property
    def count(self) -> int:
        """How many cells have arrived."""
        return self._cells.count

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, number of columns."""
        return len(self.rows), len(self.columns)

    @property
    def expected(self) -> int:
        """How many cells make the table complete."""
        return len(self.rows) * len(self.columns)

    @property
    def complete(self) -> bool:
        """Whether every cell has arrived."""
        return self.count == self.expected

    def __len__(self) -> int:
        return self.count

    def missing(self) -> list[tuple[int, int]]:
        """Row and column places (from 0) of the cells that have not arrived.

        >>> client.crosstab("Gender", "Age").missing()
        []
        """
        rows, columns = np.nonzero(~self.arrived)
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def values(self, metric: str) -> Floats:
        """One figure as float64[rows, columns], read-only.

        NaN where the cell has not arrived, or where the figure's denominator is zero. The array
        is a view: it fills while a stream runs. `ValueError` names the figures otherwise.

        >>> client.crosstab("Gender", "Age").values("sample")[0, :2].tolist()
        [142.0, 540.0]
        """
        if metric not in FIGURES:  # a list that is given by mistake can be looked for in a tuple
            raise unknown_metric(metric, IN_TABLES)
        view = self._cells.planes[PLACE[metric]].view()
        view.flags.writeable = False
        return view

    def row_values(self, metric: str) -> Floats:
        """A figure of the rows, float64[rows].

        metric: `row_size`, `row_sample`, `row_base_percentage`, or the base of each row,
            `base_size` and `base_sample`.

        It is that of `whole`. Without it, and where cells of one row rest on different waves, it is
        that of the cell with most people in its base sample; NaN for a row of which nothing has
        arrived.

        >>> client.crosstab("Gender", "Age").row_values("row_sample").tolist()
        [3727.0, 4213.0, 60.0]
        """
        return self._along(metric, "row_", axis=1)

    def column_values(self, metric: str) -> Floats:
        """A figure of the columns, float64[columns]; see `row_values`.

        >>> client.crosstab("Gender", "Age").column_values("column_sample")[:2].tolist()
        [309.0, 1151.0]
        """
        return self._along(metric, "column_", axis=0)

    @property
    def base_size(self) -> float:
        """Weighted people in the base: that of the row or cell with the largest base sample."""
        return self._widest("base_size")

    @property
    def base_sample(self) -> float:
        """Respondents in the base: the largest among the rows and cells."""
        return self._widest("base_sample")

    @property
    def base_varies(self) -> bool:
        """Whether cells rest on different bases: on other waves, or on those who answered."""
        # Waves of as many respondents each stand for different numbers of people.
        bases = (self.values(name)[self.arrived] for name in ("base_sample", "base_size"))
        return any(
            (base != base[:1]).any() and not np.allclose(base, base[0], rtol=1e-9) for base in bases
        )

    @property
    def statistics_note(self) -> str:
        """What its rows of statistics are of, in a sentence; "" without any."""
        rows = self.statistics
        if rows is None:
            return ""
        return rows.note([self._asked_of(each) for each in rows.rows], self.who.minimum_base)

    def _asked_of(self, statistic: Statistic) -> float | None:
        """Respondents in the base of its question; None where no row shows it."""
        if not self.who.valid or of_statistics_alone(self):
            return self.base_sample
        if self.who.misses_whole:
            return None
        whole = [self.base_sample] * len(self.rows)
        if self.whole is not None:
            whole = self.whole[PLACE["base_sample"]].tolist()
        own = [size for row, size in zip(self.rows, whole, strict=True) if _is_of(row, statistic)]
        return max(own, default=None)

    @property
    def row_nets(self) -> tuple[bool, ...]:
        """Which rows are subtotals of others, made by `nets` or `boxes`."""
        return tuple(row.id in self.nets_of for row in self.rows)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        keep_answers(self)
        return object.__reduce_ex__(self, protocol)

    def __repr__(self) -> str:
        rows, columns = self.shape
        state = "" if self.complete else f", {self.count:,} of {self.expected:,} cells"
        base = f", base {self._base_words()}" if self else ""
        size = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        return without_controls(
            f"<{type(self).__name__} {size}{base}{state}{waves_words(self.provenance)}>"
        )

    def _base_words(self) -> str:
        sizes, samples = banner_bases(self)
        sample = f"{samples[0]:,.0f}"
        if not weighted_base(self.provenance):
            return sample
        return f"{sizes[0]:,.0f} ({sample} sample)"

    def _along(self, metric: str, prefix: str, *, axis: int) -> Floats:
        known = [f"{prefix}{figure}" for figure in ("size", "sample", "base_percentage")]
        known += ["base_size", "base_sample"]
        known += [name for name, each in METRICS.items() if each.computed and prefix in name]
        if metric not in known:
            raise ValueError(f"No such figure {metric!r}. Choose one of {', '.join(known)}.")
        whole = self.whole if axis == 1 else None
        if whole is not None and metric in PLACE:
            return whole[PLACE[metric]]
        # Cells that have not arrived are NaN, which argmax would take for the largest.
        samples = np.where(self.arrived, self.values("base_sample"), -1.0)
        widest = samples.argmax(axis=axis)
        each = np.arange(len(widest))
        found = self.values(metric)[(each, widest) if axis else (widest, each)]
        if whole is None:
            return found
        # What is computed of cells is of the whole row where they count all of its base.
        return np.where(samples.max(axis=1) == whole[PLACE["base_sample"]], found, np.nan)

    def _widest(self, metric: str) -> float:
        if self.whole is not None and self.rows:
            # argmax would take NaN for the largest.
            widest = np.nan_to_num(self.whole[PLACE["base_sample"]], nan=-1.0)
            return float(self.whole[PLACE[metric], int(widest.argmax())])
        if not self.count:
            return float("nan")
        samples = np.where(self.arrived, self.values("base_sample"), -1.0)
        return float(self.values(metric).flat[int(samples.argmax())])


def cells_of(table: CrosstabData) -> Cells:
    """The figures themselves, for the code that fills tables and copies them."""
    return table._cells  # pyright: ignore[reportPrivateUsage] -- no member for users


def of_statistics_alone(table: CrosstabData) -> bool:
    """Whether the rows that were asked for are statistics, and the row of shares is the base."""
    return table.statistics is not None and not table.rows_requested


def banner_bases(table: CrosstabData) -> tuple[Floats, Floats]:
    """Weighted people and respondents in the base and in each column, float64[1 + columns] each.

    They are those above the columns of a table. Rows of statistics alone rest on those who gave an
    amount: of each column, those of the row that has most of them.
    """
    rows = table.statistics
    if rows is None or not of_statistics_alone(table):
        size, sample = (
            np.array([base, *table.column_values(name)])
            for base, name in (
                (table.base_size, "column_size"),
                (table.base_sample, "column_sample"),
            )
        )
        return size, sample
    samples = rows.figures[STATISTIC_FIGURES.index("answered_sample")]
    widest = np.nan_to_num(samples, nan=-1.0).argmax(axis=0)
    sizes = rows.figures[STATISTIC_FIGURES.index("answered_size")]
    each = np.arange(len(widest))
    return sizes[widest, each], samples[widest, each]


def _is_of(row: Audience, statistic: Statistic) -> bool:
    """Whether a row of shares has the base of a statistic's question."""
    leaf = row.expression
    if not isinstance(leaf, Leaf) or leaf.question != statistic.question:
        return False
    return not statistic.item or leaf.datapoints == (statistic.item,)


def title_of(table: CrosstabData, *, with_columns: bool = True) -> str:
    """The title of a table: "Finding brands by Gender and Age".

    Rows of statistics alone are named themselves. with_columns: False for one of everyone in the
    base: "Finding brands".
    """
    rows, columns = (
        subjects(*side, table.labels)
        for side in ((table.rows, table.row_groups), (table.columns, table.column_groups))
    )
    if table.statistics is not None and of_statistics_alone(table):
        rows = list(table.statistics.headings)
    return table_title(rows, columns if with_columns else ())


def subjects(
    audiences: Sequence[Audience], groups: Sequence[Groups], labels: Labels | None
) -> list[Groups]:
    """What the audiences of one side are about, as `table_title` takes it."""
    return [_subject(*each, labels) for each in zip(audiences, groups, strict=True)]


def _subject(audience: Audience, groups: Groups, labels: Labels | None) -> Groups:
    """The groups of an audience; where these have no question's name, the questions it is about.

    An audience without a group, and one within another ("16 to 17" within "Male"), are about the
    questions of their conditions.
    """
    parts = audience.expression.children if isinstance(audience.expression, And) else ()
    if labels is None or len(groups) >= max(len(parts), 1):
        return groups
    names = dict.fromkeys(labels.question_name(leaf.question) for leaf in leaves_of(audience))
    known = [name for name in names if name]
    return (" and ".join(known),) if known and len(known) == len(names) else groups


def shown_rows(table: CrosstabData) -> list[tuple[bool, int]]:
    """The rows as they are shown: whether each is a statistic, and its position."""
    shares = () if of_statistics_alone(table) else table.rows
    return row_order([row.id for row in shares], table.statistics)


def has_total(table: CrosstabData) -> bool:
    """Whether the first column is everyone in the base, so that no layout has to add them."""
    whole = (None, None if table.base_audience is None else table.base_audience.expression)
    if not table.columns or table.columns[0].expression not in whole:
        return False
    base = (table.values("base_size")[:, 0], table.values("base_sample")[:, 0])
    first = (table.values("column_size")[:, 0], table.values("column_sample")[:, 0])
    return not table.columns_requested or bool(np.array_equal(first, base))


def share_cells(table: CrosstabData) -> None:
    """Share equal arrays and axes with other tables for which this was called; values stay."""
    cells_of(table).intern()
    # Tables of the same values have the very same array by now.
    intern_attributes(table, id(cells_of(table).planes), _SIDES)


def take_rows(table: Table, rows: slice) -> Table:
    """Some rows of a complete table as a table of their own; every figure stays as it is."""
    made = replace(
        table,
        rows=table.rows[rows],
        row_groups=table.row_groups[rows],
        whole=None if table.whole is None else table.whole[:, rows],
        provenance=dict(table.provenance),
    )
    cells_of(made).store_rectangle(
        slice(None), slice(None), [table.values(figure)[rows] for figure in FIGURES]
    )
    return made
