"""One vocabulary of metrics for all tables, and its short words.

A cell has `size` and `sample` (people and respondents in row and column), `column_percentage`,
`row_percentage`, `total_percentage` and `index`. "column" or "col%", "row" or "row%" and "total" or
"total%" are short for the percentages, "n" for the sample. A service calls the audience of a stats
query what a crosstab calls a column, and its datapoint a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import listed

T = TypeVar("T")

_SHORT = {
    "column": "column_percentage",
    "row": "row_percentage",
    "total": "total_percentage",
    "col%": "column_percentage",
    "row%": "row_percentage",
    "total%": "total_percentage",
    "column%": "column_percentage",
    "n": "sample",
}

_PLAIN = ("size", "sample", "index")


def _full(metric: object) -> Any:
    """The full name of a metric that is short or as tables title it: "column %", "Column"."""
    if not isinstance(metric, str):
        return metric
    folded = "".join(metric.casefold().split())
    return _SHORT.get(folded, folded if folded in _PLAIN else metric)


def crosstab_name(metric: T) -> T | str:
    """A metric by the name that a crosstab's data has for it; anything else stays."""
    if not isinstance(metric, str):
        return metric
    name = _full(metric)
    # A service's cell calls the share of the base its percentage.
    return "percentage" if name == "total_percentage" else name


def own_name(result: object, metric: str) -> str:
    """A metric by the name that a result's data has for it; unknown names stay."""
    return crosstab_name(metric) if isinstance(result, CrosstabData) else _full(metric)


def frame_name(metric: str) -> str:
    """The name of a crosstab's metric in frames."""
    return "total_percentage" if metric == "percentage" else metric


def own_names(result: object, metrics: Sequence[str]) -> list[str]:
    """The same of several metrics."""
    return [own_name(result, metric) for metric in listed(metrics)]
