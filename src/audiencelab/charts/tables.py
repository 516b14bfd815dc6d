"""What charts of a crosstab have in common: which column, what audiences are called, the base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.profile import named_crosstab
from audiencelab.charts import wording
from audiencelab.expressions import Audience
from audiencelab.results.banner import Heads, full_name, table_title
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.profile import ProfileData

__all__ = [
    "base_and_waves",
    "check_table",
    "column_labels",
    "column_place",
    "lines_of",
    "row_labels",
    "table_of",
    "title_of",
    "whom",
]

_ADVICE = "give what client.crosstab(…) returned, or grid.result, no frame of it"

_ENOUGH = 30
"""Respondents who gave an answer of a profile, below which its index is mostly chance."""


def check_table(given: object) -> None:
    """Raise `TypeError` with advice for anything but a crosstab."""
    wording.check_result(given, CrosstabData, _ADVICE)


def table_of(given: CrosstabData | ProfileData) -> CrosstabData:
    """The crosstab to draw: of a profile, without rare answers and its audience's own questions."""
    if isinstance(given, ProfileData):
        return named_crosstab(given, _ENOUGH, 0, own=False)
    check_table(given)
    return given


def row_labels(table: CrosstabData) -> list[str]:
    """A short name for each row, its own even where two are called the same."""
    return _labels(table.rows, table.row_heads)


def column_labels(table: CrosstabData) -> list[str]:
    """A short name for each column, its own even where two are called the same."""
    return _labels(table.columns, table.column_heads)


def _labels(audiences: tuple[Audience, ...], heads: tuple[Heads, ...]) -> list[str]:
    # A title names one group of a side; of several, each name says its own.
    groups = {above[:1] for above in heads}
    told = [
        full_name(above, audience.name) if len(groups) > 1 else audience.name
        for audience, above in zip(audiences, heads, strict=True)
    ]
    names = {audience.id or str(place): told[place] for place, audience in enumerate(audiences)}
    return list(wording.distinct(names, names).values())


def column_place(table: CrosstabData, column: str | None) -> int:
    """The place of a column by name or id, or of the only one; `ValueError` names the columns."""
    if column is None and len(table.columns) == 1:
        return 0
    found = [
        place
        for place, audience in enumerate(table.columns)
        if column is not None and column in (audience.id, audience.name)
    ]
    if len(found) != 1:
        names = ", ".join(repr(wording.shorten(each.name)) for each in table.columns[:8])
        fault = "Which column?" if column is None else f"No one column {column!r}."
        raise ValueError(f"{fault} Name one of {names}, or give its id.")
    return found[0]


def title_of(table: CrosstabData) -> str:
    """What a crosstab is about, short enough for a heading."""
    return wording.shorten_title(table_title(table.row_heads, table.column_heads))


def whom(table: CrosstabData) -> str:
    """The line that says whom a crosstab is about: base, its sample, and the waves."""
    sample = table.base_sample if len(table) else None
    return base_and_waves(table.base_audience, sample, table.provenance)


def base_and_waves(
    base: Audience | None, sample: float | None, provenance: Mapping[str, Any]
) -> str:
    """Whom figures are about, as far as it is known: base, its sample, and the waves."""
    facts = [f"Base: {wording.shorten(base.name) if base else 'all respondents'}"]
    if sample is not None:
        facts.append(f"sample {sample:,.0f}")
    waves = provenance.get("waves")
    if isinstance(waves, list):
        facts.append(f"waves {', '.join(map(str, cast(list[object], waves)))}")
    elif waves:
        facts.append(f"waves: {waves}")
    return wording.shorten(" · ".join(facts), 140)


def lines_of(table: CrosstabData) -> NDArray[np.float64]:
    """Where each cell stands in the table's frame, [rows, columns]; NaN if it has not arrived."""
    arrived = table.arrived
    return np.where(arrived, np.cumsum(arrived).reshape(arrived.shape) - 1.0, np.nan)
