"""One vocabulary of metrics for all tables, with the short words of `results.metrics`.

A service calls the audience of a stats query what a crosstab calls a column, and its datapoint a
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import listed
from audiencelab.results.metrics import crosstab_name, typed_metric

ShortName = Literal["column", "row", "total", "index", "size", "sample", "se", "change"]
"""The short names of metrics, of which a result has a wide frame each."""


def own_name(result: object, metric: str) -> str:
    """A metric by the name that a result's data has for it; unknown names stay."""
    if isinstance(result, CrosstabData):
        return crosstab_name(metric)
    found = typed_metric(metric)
    return found.frame_name or found.name if found else metric


def own_names(result: object, metrics: Sequence[str]) -> list[str]:
    """The same of several metrics."""
    return [own_name(result, metric) for metric in listed(metrics)]
