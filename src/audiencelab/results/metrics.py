"""The metrics of a cell: the one table of their names, labels, forms and bases.

Results, layouts, charts and widgets read it; `tools/protocol.py` writes what the page needs of it.
`schema.blocks` has the order in which a service sends those of `FIGURES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from audiencelab.schema.blocks import CELL_METRICS

T = TypeVar("T")

Kind = Literal["percentage", "index", "size", "sample", "number", "signed", "p", "text"]
"""How values are written: with a percent sign, as weighted people, as a count of respondents; an
index, another number, and a number with its sign have the decimals of their metric; a p value has
three, and is "<0.001" where it is smaller."""

Side = Literal["row", "column", "base", "rest"]
"""Whose respondents a value rests on; the rest is the base without the column."""

_ROUNDED_BY = {"size": 1.0, "sample": 0.0}


@dataclass(frozen=True, slots=True)
class CellMetric:
    """What is known of a metric.

    name: in results. label: in the header of a table. kind, decimals: how it is written; tables and
        charts write an index without decimals.
    rests_on: whose samples its low base is the smallest of; () for a count.
    divided_by: the sizes of which none may be zero, where they are others than those.
    part: of a percentage, the size that is divided.
    of_all: the metric of rows that it is for everyone in the base; "" for 100 by definition.
    typed: other names that people give it. frame_name: in frames, if it is another one.
    alone: its label outside a table, if it is another one; of_question: in charts of one question.
    meaning: for its button in the grid, with {row} and {column} for what they are; "" for a metric
        that the grid does not show.
    by_page: whether the page computes it from counts; others it gets from Python.
    computed: whether tables have it too, though no service sends it: `analysis.computed` has the
        function. of_statistics: whether rows of statistics have it beside their value, in their own
        unit. unit: of its values, where neither the label nor the value says it.
    """

    name: str
    label: str
    kind: Kind
    rests_on: tuple[Side, ...] = ()
    divided_by: tuple[Side, ...] = ()
    decimals: int = 0
    part: str = "size"
    of_all: str = ""
    typed: tuple[str, ...] = ()
    frame_name: str = ""
    unit: str = ""
    alone: str = ""
    of_question: str = ""
    meaning: str = ""
    by_page: bool = True
    computed: bool = False
    of_statistics: bool = False

    @property
    def rounding(self) -> float:
        """How far two values may differ that services round to whole people or one decimal."""
        return _ROUNDED_BY.get(self.kind, 0.1)

    @property
    def transposed(self) -> str:
        """Its name once rows and columns are swapped."""
        side, _, what = self.name.partition("_")
        return f"{_SWAPPED[side]}_{what}" if side in _SWAPPED else self.name

    @property
    def divisors(self) -> tuple[Side, ...]:
        """The sides whose size it is divided by."""
        return self.divided_by or self.rests_on

    @property
    def label_alone(self) -> str:
        """Its label outside a table, as in the subtitle of a chart."""
        return self.alone or self.label_with_unit

    @property
    def label_with_unit(self) -> str:
        """Its label beside bare numbers, as in a CSV file."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


_SWAPPED = {"row": "column", "column": "row"}

METRICS = {
    each.name: each
    for each in (
        CellMetric(
            *("column_percentage", "Column %", "percentage"),
            rests_on=("column",),
            decimals=1,
            of_all="row_base_percentage",
            typed=(
                "column",
                "col",
                "col%",
                "column%",
                "columnpct",
                "colpct",
                "c%",
                "columnpercent",
                "percent",
                "pct",
                "%",
                "share",
            ),
            alone="% of column",
            of_question="% of audience",
            meaning="Share of the {column} that is in the {row}",
        ),
        CellMetric(
            *("index", "Index", "index"),
            decimals=1,
            rests_on=("row", "column"),
            divided_by=("base", "row", "column"),
            typed=("index",),
            alone="Index (base = 100)",
            meaning="How much more likely than the base; 100 is the base",
        ),
        CellMetric(
            *("row_percentage", "Row %", "percentage"),
            rests_on=("row",),
            decimals=1,
            typed=("row", "row%", "rowpct", "rowpercent"),
            alone="% of row",
            of_question="% of all with the answer",
            meaning="Share of the {row} that is in the {column}",
        ),
        # A service's cell calls the share of the base its percentage.
        CellMetric(
            *("percentage", "Total %", "percentage"),
            rests_on=("base",),
            decimals=1,
            of_all="row_base_percentage",
            typed=("total", "total%", "table%", "totalpct"),
            frame_name="total_percentage",
            alone="% of total",
            of_question="% of base",
            meaning="Share of the base that is in both",
        ),
        CellMetric(
            *("size", "Weighted count", "size"),
            of_all="row_size",
            typed=("size", "weightedcount", "weightedn"),
            meaning="People in both, weighted",
        ),
        CellMetric(
            *("sample", "Count (n)", "sample"),
            of_all="row_sample",
            typed=("sample", "n", "count", "counts", "unweightedcount", "freq"),
            meaning="Respondents in both, unweighted",
        ),
        CellMetric(
            *("difference", "Difference", "signed"),
            rests_on=("column",),
            decimals=1,
            unit="points",
            meaning="Share of the {column} that is in the {row}, minus that of the base, in points",
        ),
        CellMetric(
            *("z", "z-score", "signed"),
            rests_on=("column", "rest"),
            decimals=2,
            meaning="Test statistic of the {column} versus the rest of the base",
            by_page=False,
        ),
        CellMetric(
            *("letters", "Letters", "text"),
            rests_on=("column",),
            meaning="{column}s with a significantly smaller share in this {row}",
            by_page=False,
        ),
        CellMetric(
            *("standard_error", "Standard error", "number"),
            rests_on=("column",),
            decimals=2,
            of_all="row_base_standard_error",
            typed=("se", "standarderror", "stderr"),
            unit="points",
            meaning="Standard error of the share of the {column} that is in the {row}, in points",
            by_page=False,
            computed=True,
        ),
        CellMetric(
            *("change", "Change", "signed"),
            rests_on=("column",),
            decimals=1,
            unit="points",
            meaning="Share of the {column} in the {row}, minus that of the wave before, in points",
            by_page=False,
            computed=True,
            of_statistics=True,
        ),
        CellMetric(
            *("row_size", "Row, weighted base", "size"),
            of_all="row_size",
        ),
        CellMetric(
            *("row_sample", "Row, base (n)", "sample"),
            of_all="row_sample",
        ),
        CellMetric(
            *("row_base_percentage", "Row, % of base", "percentage"),
            rests_on=("base",),
            decimals=1,
            part="row_size",
            of_all="row_base_percentage",
        ),
        CellMetric(
            *("row_base_standard_error", "Row, standard error of % of base", "number"),
            rests_on=("base",),
            decimals=2,
            of_all="row_base_standard_error",
            unit="points",
            computed=True,
        ),
        CellMetric(
            *("column_size", "Column, weighted base", "size"),
            of_all="base_size",
        ),
        CellMetric(
            *("column_sample", "Column, base (n)", "sample"),
            of_all="base_sample",
        ),
        CellMetric(
            *("column_base_percentage", "Column, % of base", "percentage"),
            rests_on=("base",),
            decimals=1,
            part="column_size",
        ),
        CellMetric("base_size", "Weighted base", "size", of_all="base_size"),
        CellMetric("base_sample", "Base (n)", "sample", of_all="base_sample"),
    )
}
"""Every metric of a cell by its name, those of the grid first and in its order."""

_OF_SETS = {
    each.name: each
    for each in (
        CellMetric("reach", "Reach %", "percentage", rests_on=("base",), decimals=1),
        CellMetric("frequency", "Frequency", "number", decimals=2),
        CellMetric("added", "Added", "signed", decimals=1, unit="points"),
    )
}
"""The metrics of a set of items beside its people and respondents."""

_OF_SUMMARIES = {
    each.name: each
    for each in (
        CellMetric("mean", "Mean", "number"),
        CellMetric("standard_deviation", "SD", "number"),
        CellMetric("mean_error", "SE", "number"),
        CellMetric("median", "Median", "number"),
        CellMetric("first_quartile", "Q1", "number"),
        CellMetric("third_quartile", "Q3", "number"),
        CellMetric("lowest", "Lowest", "number"),
        CellMetric("highest", "Highest", "number"),
        CellMetric("p", "p", "p", decimals=3),
    )
}
"""The metrics of a summary table beside counts and shares; each row has its own decimals."""

_OTHERS = _OF_SETS | _OF_SUMMARIES

FIGURES = CELL_METRICS
"""The figures of a cell. The first four belong to row ∩ column; `column_percentage` is the share
of the column that is in the row, `row_percentage` the share of the row that is in the column,
`*_base_percentage` a side's share of the base. Rows, columns and the base are counted in the
waves that the cell rests on, so they may differ from cell to cell."""

IN_TABLES = (*FIGURES, *(each.name for each in METRICS.values() if each.computed))
"""The metrics that tables, charts and files can show."""

IN_GRID = tuple(each.name for each in METRICS.values() if each.meaning)
"""The metrics that cells of a grid can show."""

FROM_TESTS = tuple(
    name for name in IN_GRID if not METRICS[name].by_page and METRICS[name].kind != "text"
)
"""Numbers of a grid that its page does not compute: they come with the tests of cells."""

_TYPED = {word: each for each in METRICS.values() for word in each.typed}
_BY_FRAME_NAME = {each.frame_name: each for each in METRICS.values() if each.frame_name}

_FIRST_CHOICES = ("column", "row", "total", "index", "size", "sample")
"""The names that an error about a metric lists first."""


def metric_of(name: str) -> CellMetric:
    """A metric by its name in results or in frames."""
    return _BY_FRAME_NAME.get(name) or _OTHERS.get(name) or METRICS[name]


def typed_metric(metric: object) -> CellMetric | None:
    """A metric by a short name or as tables title it: "column %", "Column"; None for others."""
    return _TYPED.get(re.sub(r"[\s_]+", "", metric.casefold())) if isinstance(metric, str) else None


def crosstab_name(metric: T) -> T | str:
    """A metric by the name that a crosstab's data has for it; anything else stays."""
    if not isinstance(metric, str):
        return metric
    found = typed_metric(metric) or _BY_FRAME_NAME.get(metric)
    return found.name if found else metric


def frame_name(metric: str) -> str:
    """The name of a result's metric in frames."""
    return metric_of(metric).frame_name or metric


def transposed_metric(metric: str) -> str:
    """The name of a metric once rows and columns are swapped."""
    return METRICS[metric].transposed


def percentages() -> Iterator[CellMetric]:
    """The percentages of a cell, in the order of `FIGURES`."""
    return (METRICS[name] for name in FIGURES if METRICS[name].kind == "percentage")


def unknown_metric(metric: object, known: Iterable[str]) -> ValueError:
    """The error for a metric that a result does not have; the short names come first."""
    names = [METRICS[each].frame_name or each if each in METRICS else each for each in known]
    short = [name for name in _FIRST_CHOICES if name in names or f"{name}_percentage" in names]
    full = [each for each in names if each.removesuffix("_percentage") not in short]
    return ValueError(f"No metric {metric!r}. Choose one of {', '.join([*short, *full])}.")
