"""One vocabulary of metrics for all tables, and the names of each kind of table for them.

A cell has `size` and `sample` (people and respondents in row and column), `column_percentage`,
`row_percentage`, `total_percentage` and `index`. "column" or "col%", "row" or "row%" and "total" or
"total%" are short for the percentages, "n" for the sample. A service calls the audience of a stats
query what a crosstab calls a column, and its datapoint a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

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
    "n": "sample",
}

_OF_CROSSTABS = {"total_percentage": "percentage"}

_OF_STATS = {
    "size": "positive_size",
    "sample": "positive_sample",
    "column_percentage": "audience_percentage",
    "row_percentage": "datapoint_percentage",
    "index": "audience_index",
    "column_size": "audience_size",
    "column_sample": "audience_sample",
    "row_size": "datapoint_size",
    "row_sample": "datapoint_sample",
}


def crosstab_name(metric: T) -> T | str:
    """A metric by the name of a crosstab's frame; anything else stays."""
    if not isinstance(metric, str):
        return metric
    name = _SHORT.get(metric, metric)
    return _OF_CROSSTABS.get(name, name)


def own_name(result: object, metric: str) -> str:
    """A metric by the name of a result's own frame; unknown names stay."""
    if isinstance(result, CrosstabData):
        return crosstab_name(metric)
    name = _SHORT.get(metric, metric)
    return _OF_STATS.get(name, metric if name == "total_percentage" else name)


def own_names(result: object, metrics: Sequence[str]) -> list[str]:
    """The same of several metrics."""
    return [own_name(result, metric) for metric in listed(metrics)]
