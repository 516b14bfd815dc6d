"""The data of a crosstab: every figure of every cell in typed arrays, filled as cells arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, Labels
from audiencelab.results.arrays import intern_array, intern_attributes
from audiencelab.results.banner import Groups
from audiencelab.results.dtypes import unknown_metric
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance, Respondents
from audiencelab.results.undefined import blank_crosstab
from audiencelab.wording import harmless, plural

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Table = TypeVar("Table", bound="CrosstabData")

FIGURES = (
    "size",
    "sample",
    "percentage",
    "index",
    "column_percentage",
    "row_percentage",
    "row_size",
    "row_sample",
    "row_base_percentage",
    "column_size",
    "column_sample",
    "column_base_percentage",
    "base_size",
    "base_sample",
)
"""The figures of a cell. The first four belong to row ∩ column; `column_percentage` is the share
of the column that is in the row, `row_percentage` the share of the row that is in the column,
`*_base_percentage` a side's share of the base. Rows, columns and the base are counted in the
waves that the cell rests on, so they may differ from cell to cell."""

_PLACE = {name: place for place, name in enumerate(FIGURES)}

_SIZES = np.array([_PLACE[name] for name in ("base_size", "row_size", "column_size")])
"""Denominators of other metrics; few cells have a zero there."""

_SIDES = ("rows", "columns", "row_groups", "column_groups")
"""What a table is about."""

_ROUNDED_BY = np.array(
    [0.0 if "sample" in name else 1.0 if "size" in name else 0.1 for name in FIGURES]
)
"""How far two values of one metric may differ: samples are exact, people may be rounded to whole
ones and percentages to one decimal, in either direction."""


@dataclass(slots=True, weakref_slot=True, repr=False, eq=False)
class CrosstabData:
    """Row audiences against column audiences.

    rows, columns: the audiences as sent, each with its id; the base audience alone if they were
        not requested (`rows_requested`, `columns_requested`).
    arrived: bool[rows, columns], true for the cells that have arrived; count: how many.
    provenance: service, survey or address, waves and locations requested, time.
    row_groups, column_groups: the groups of each row and each column, outermost first, as in a
        query with a mapping; () for one in no group.
    nets_of: subtotals among the rows, by their ids: the ids of the rows that each adds up.
    labels: names of questions and answers for the sentences of a workbook; None shows codes.
    kinds: whether respondents give one answer ("single") or several ("multiple", "grid") to the
        questions of the rows, by code, if the service reports it.
    respondents: the source of the sample's design; None if the respondents are not in this
        process, and in pickled results.
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
    respondents: Respondents | None = None
    arrived: NDArray[np.bool_] = field(init=False)
    _figures: Floats = field(init=False)
    count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        rows, columns = len(self.rows), len(self.columns)
        self.row_groups = self.row_groups or ((),) * rows
        self.column_groups = self.column_groups or ((),) * columns
        if len(self.row_groups) != rows or len(self.column_groups) != columns:
            raise ValueError(
                f"row_groups and column_groups must have {rows} and {columns} items, one for each "
                f"audience; got {len(self.row_groups)} and {len(self.column_groups)}."
            )
        self.arrived = np.zeros((rows, columns), dtype=bool)
        # One plane for each figure, so that a metric is one contiguous table.
        self._figures = np.full((len(FIGURES), *self.arrived.shape), np.nan)

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
        view = self._figures[self._place(metric)].view()
        view.flags.writeable = False
        return view

    def row_values(self, metric: str) -> Floats:
        """A figure of the rows (`row_size`, `row_sample`, `row_base_percentage`), float64[rows].

        Where cells of one row rest on different waves, it is that of the cell with most people
        in its base sample; NaN for a row of which nothing has arrived.

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
        """Weighted people in the base: that of the cell with the largest base sample."""
        return self._widest("base_size")

    @property
    def base_sample(self) -> float:
        """Respondents in the base: the largest among the cells."""
        return self._widest("base_sample")

    @property
    def base_varies(self) -> bool:
        """Whether cells rest on different bases, because questions were asked in other waves."""
        # Waves of as many respondents each stand for different numbers of people.
        bases = (self.values(name)[self.arrived] for name in ("base_sample", "base_size"))
        return any(base.size and not np.allclose(base, base[0], rtol=1e-9) for base in bases)

    @property
    def row_nets(self) -> tuple[bool, ...]:
        """Which rows are subtotals of others, made by `nets` or `boxes`."""
        return tuple(row.id in self.nets_of for row in self.rows)

    @property
    def has_total(self) -> bool:
        """Whether the first column is everyone in the base, so that no table has to add them."""
        whole = (None, None if self.base_audience is None else self.base_audience.expression)
        if not self.columns or self.columns[0].expression not in whole:
            return False
        base = (self.values("base_size")[:, 0], self.values("base_sample")[:, 0])
        first = (self.values("column_size")[:, 0], self.values("column_sample")[:, 0])
        return not self.columns_requested or bool(np.array_equal(first, base))

    def row_index(self) -> Places:
        """The service's positions of the rows: from 1 as requested; 0 is the base, -1 a net.

        >>> client.crosstab("Gender", "Age").row_index().tolist()
        [1, 2, 3]
        """
        asked = ~np.array(self.row_nets, dtype=bool)
        return np.where(asked, np.cumsum(asked) - 1 + int(self.rows_requested), -1)

    def column_index(self) -> Places:
        """The service's positions of the columns: from 1 as requested; 0 is the base.

        >>> client.crosstab("Gender", "Age").column_index().tolist()
        [1, 2, 3, 4, 5, 6, 7]
        """
        return np.arange(len(self.columns)) + int(self.columns_requested)

    def store(self, rows: Places, columns: Places, figures: Floats) -> Places:
        """Store cells and return which of them were new, as positions in the batch.

        rows, columns: positions from 0. figures: float64[cells, len(FIGURES)]. The first of several
        values of a cell stays; the others are ignored.
        """
        flat = rows * len(self.columns) + columns
        there = self.arrived.ravel()[flat]
        if not np.count_nonzero(there) and len(set(flat.tolist())) == len(flat):
            new = np.arange(len(flat))
        else:
            _, first = np.unique(flat, return_index=True)
            first.sort()
            new = first[~there[first]]
        if len(new) < len(rows):
            rows, columns, figures = rows[new], columns[new], figures[new]
        if not self._figures.flags.writeable:
            self._own()
        planes = figures.T.copy()
        _blank(planes)
        self._figures[:, rows, columns] = planes
        # The mask last: readers in other threads trust only what it marks.
        self.arrived[rows, columns] = True
        self.count += len(new)
        return new

    def store_rectangle(self, rows: slice, columns: slice, metrics: Sequence[Floats]) -> None:
        """Store all cells of some rows × some columns, none of which may have arrived.

        metrics: one array for each of `FIGURES`, of a shape that broadcasts to [rows, columns].
        """
        if not self._figures.flags.writeable:
            self._own()
        planes = self._figures[:, rows, columns]
        for plane, values in zip(planes, metrics, strict=True):
            plane[...] = values
        _blank(planes)
        # The mask last, as above.
        self.arrived[rows, columns] = True
        self.count += planes[0].size

    def figures(self, rows: Places, columns: Places) -> Floats:
        """A copy of all figures of some cells, float64[cells, len(FIGURES)], for `store`."""
        return self._figures[:, rows, columns].T.copy()

    def contradictions(self, rows: Places, columns: Places, figures: Floats) -> Places:
        """Which of these cells differ from those of the table, as positions in the batch.

        The same arguments as `store`. Rounding and missing values are not differences.
        """
        planes = figures.T.copy()
        _blank(planes)
        apart = np.abs(planes - self._figures[:, rows, columns])
        # 0.1 itself is rounded too.
        return np.flatnonzero((apart > _ROUNDED_BY[:, None] * (1 + 1e-6)).any(axis=0))

    def withdraw(self, rows: Places, columns: Places) -> None:
        """Remove cells that have arrived; each must be given once."""
        if not self._figures.flags.writeable:
            self._own()
        self.arrived[rows, columns] = False
        self._figures[:, rows, columns] = np.nan
        self.count -= len(rows)

    def deduplicate(self) -> None:
        """Share equal arrays with other tables for which this was called; values stay."""
        self._figures, self.arrived = intern_array(self._figures), intern_array(self.arrived)
        # Tables of the same values have the very same array by now.
        intern_attributes(self, id(self._figures), _SIDES)

    def __repr__(self) -> str:
        rows, columns = self.shape
        state = "" if self.complete else f", {self.count:,} of {self.expected:,} cells"
        base = f", base {self.base_size:,.0f} ({self.base_sample:,.0f} sample)" if self else ""
        size = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        return harmless(
            f"<{type(self).__name__} {size}{base}{state}{waves_words(self.provenance)}>"
        )

    def _own(self) -> None:
        self._figures, self.arrived = self._figures.copy(), self.arrived.copy()

    def _place(self, metric: str) -> int:
        if metric not in FIGURES:  # a list that is given by mistake can be looked for in a tuple
            raise unknown_metric(metric, FIGURES)
        return _PLACE[metric]

    def _along(self, metric: str, prefix: str, *, axis: int) -> Floats:
        known = [f"{prefix}{figure}" for figure in ("size", "sample", "base_percentage")]
        if metric not in known:
            raise ValueError(f"No such figure {metric!r}. Choose one of {', '.join(known)}.")
        samples = np.where(self.arrived, self.values("base_sample"), -1.0)
        widest = samples.argmax(axis=axis)
        return np.take_along_axis(
            self.values(metric), np.expand_dims(widest, axis), axis=axis
        ).squeeze(axis)

    def _widest(self, metric: str) -> float:
        if not self.count:
            return float("nan")
        samples = np.where(self.arrived, self.values("base_sample"), -1.0)
        return float(self.values(metric).flat[int(samples.argmax())])


def row_part(table: Table, rows: slice) -> Table:
    """Some rows of a complete table as a table of their own; every figure stays as it is."""
    made = replace(
        table,
        rows=table.rows[rows],
        row_groups=table.row_groups[rows],
        provenance=dict(table.provenance),
    )
    made.store_rectangle(
        slice(None), slice(None), [table.values(figure)[rows] for figure in FIGURES]
    )
    return made


def _blank(planes: Floats) -> None:
    """Put NaN where a denominator is zero. planes: one for each of `FIGURES`."""
    sizes = planes[_SIZES]
    if np.count_nonzero(sizes) < sizes.size:
        blank_crosstab({name: planes[place] for name, place in _PLACE.items()})
