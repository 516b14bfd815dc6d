"""Results as their tests have to see them: what respondents know of them, fitted to their cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import Precision
from audiencelab.analysis.proportions import Shares, crosstab_shares, stats_shares
from audiencelab.results.crosstab import FIGURES, CrosstabResult
from audiencelab.results.stats import StatsResult

__all__ = ["own_rows", "shares_of", "with_nets", "without_weight_0", "without_weightless"]

Places = NDArray[np.intp]

_SAMPLES = [FIGURES.index(f"{of}_sample") for of in ("row", "column", "base")]


def shares_of(result: CrosstabResult | StatsResult) -> Shares:
    """The shares of a result that are tested."""
    return crosstab_shares(result) if isinstance(result, CrosstabResult) else stats_shares(result)


def without_weight_0(result: CrosstabResult | StatsResult) -> Any:
    """The result with samples that leave out respondents of weight 0, where they are known."""
    if result.respondents is None:
        return result
    measured = result.respondents.measure(result, effects=False)
    return result if measured is None else measured.result


def own_rows(result: StatsResult) -> StatsResult:
    """The result without the rows that were added up of others; the same where there are none."""
    nets = result.provenance.get("nets", ())
    if not nets:
        return result
    return replace(result, rows=tuple(row for row in result.rows if row.datapoint not in nets))


def with_nets(precision: Precision, result: StatsResult) -> Precision:
    """The precision of a result from that of its own rows.

    A net has Kish's design effects of its members, which are those of their columns. Its variance
    is not known from theirs, so that nothing is linearised.
    """
    members = _members(result)
    first = [each[0] for each in members]
    counted = weighing = precision.weighing
    if counted is not None:
        weighing = counted[:, first]
        weighing[0] = [counted[0, each].sum(axis=0) for each in members]
    found = replace(
        cast(Any, precision),
        sample=precision.sample[first],
        size=precision.size[first],
        kish=precision.kish[first],
        rest_kish=precision.rest_kish[first],
        linearised=None,
        weighing=weighing,
    )
    return cast(Precision, found)


def without_weightless(result: Any, precision: Precision) -> Any:
    """The result with samples that leave out respondents of weight 0."""
    if precision.weighing is None:
        return result
    if isinstance(result, CrosstabResult):
        counted = replace(result)
        down, across = np.nonzero(result.arrived)
        figures = result.figures(down, across)
        figures[:, _SAMPLES] = precision.weighing[:, down, across].T
        counted.store(down, across, figures)
        return counted
    stats = cast(StatsResult, result)
    down, across = _places(stats)
    row_samples, column_samples, _ = precision.weighing[:, down, across]
    rows = [
        msgspec.structs.replace(
            row,
            metrics=msgspec.structs.replace(
                row.metrics, audience_sample=column, datapoint_sample=of_row
            ),
        )
        for row, of_row, column in zip(
            stats.rows, row_samples.tolist(), column_samples.tolist(), strict=True
        )
    ]
    return replace(stats, rows=tuple(rows))


def _members(result: StatsResult) -> list[list[int]]:
    """For each row of the table, the places of the rows without nets that it adds up."""
    nets = result.provenance["nets"]
    points = [code for code in result.datapoints if code not in nets]
    place = {code: at for at, code in enumerate(points)}

    def of(code: str) -> list[int]:
        return [place[code]] if code in place else [at for each in nets[code] for at in of(each)]

    return [of(code) for code in result.datapoints]


def _places(result: StatsResult) -> tuple[Places, Places]:
    """Row and column of each line in the table of shares."""
    keys = [(row.datapoint, (row.segment, row.audience)) for row in result.rows]
    places: list[Places] = []
    for side in zip(*keys, strict=True):
        known = {key: at for at, key in enumerate(dict.fromkeys(side))}
        places.append(np.array([known[key] for key in side], dtype=np.intp))
    return places[0], places[1]
