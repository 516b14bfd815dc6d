"""Which errors rows of statistics have: those of the sample's design, or by a design effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.results.asking import Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import USUAL_LEVEL, StatisticRows
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StatisticPrecision:
    """Rows of statistics, and what their errors are.

    own: whether errors, covariances and degrees of freedom are those of the sample's design.
    effects: otherwise what the caller gave as design effects, or Kish's of each column (`kish`);
    None for a simple random sample.
    level: the confidence of the ends of percentiles; None where they are not known.
    """

    rows: StatisticRows
    own: bool
    effects: Any = None
    kish: bool = False
    level: float | None = USUAL_LEVEL


def precision_of_statistics(
    result: CrosstabData, design: Any, base: str | None = None, level: float = USUAL_LEVEL
) -> StatisticPrecision:
    """By a design as of `test` and `intervals`; of a table that has rows of statistics.

    Computed design effects bring their choices: how lonely strata are treated, and whether
    replicate weights count. Raises `LookupError` where the service cannot be asked for them.
    """
    rows = result.statistics
    assert rows is not None
    if isinstance(design, DesignEffects) and design.method == "kish" and not design.refused:
        return StatisticPrecision(rows, own=False, effects=kish_by_column(design), kish=True)
    own = isinstance(design, DesignEffects) or (
        isinstance(design, str) and base in (None, "effective")
    )
    if not own:
        given = None if isinstance(design, str) else design
        return StatisticPrecision(rows, own=False, effects=given, level=None)
    options = _choices(rows, design)
    if level != USUAL_LEVEL and any(row.kind == "percentile" for row in rows.rows):
        options["level"] = level
    # The table's own answer was made with the usual level, lonely strata and replicates.
    if not options:
        return StatisticPrecision(rows, own=True)
    query, ask = query_of(result), result.ask
    try:
        if ask is None or not isinstance(query, CrosstabQuery):
            raise Unanswered("its figures are not those of one query")
        answer = rows.again(ask.amounts(query, rows.rows, **options))
        return StatisticPrecision(answer, own=True, level=level)
    except Unanswered as error:
        # Without another level rows keep their errors; only ends of percentiles are not known.
        if options.keys() != {"level"}:
            raise LookupError(
                f"Rows of statistics cannot have the choices of these design effects: {error}. "
                "Leave out design= to take the sample's own."
            ) from None
        return StatisticPrecision(rows, own=True, level=None)


def _choices(rows: StatisticRows, design: Any) -> dict[str, Any]:
    """What was chosen for computed design effects, as options of `Ask.amounts`."""
    chosen: dict[str, Any] = {}
    if isinstance(design, DesignEffects):
        if design.lonely != "adjust":
            chosen["lonely"] = design.lonely
        if design.method == "taylor" and "replicate weights" in rows.how:
            chosen["replicates"] = False
    return chosen


def kish_by_column(design: DesignEffects) -> Floats:
    """Kish's design effect of each column, float64[columns]."""
    return np.fmax.reduce(design.precision.kish, axis=0)
