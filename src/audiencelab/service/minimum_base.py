"""The minimum base: figures on too few respondents are withheld, in every operation.

A figure is withheld if it counts, or rests on, at least one respondent and fewer than the minimum.
It is null then, and what it is part of has `suppressed: true`. Zero respondents are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from audiencelab.engine import CrosstabSpec, Engine, StatsCell, StatsSpec
from audiencelab.engine.statistics import StatisticRow, StatisticsSpec
from audiencelab.schema import METRICS, Metrics
from audiencelab.schema.blocks import CELL_METRICS, OF_CELL, OF_SIDE
from audiencelab.schema.local import (
    Adjusted,
    CellShares,
    Linearised,
    NumberRow,
    Precision,
    QuestionNumbers,
    RowPairs,
)
from audiencelab.schema.queries import RestFigures

Flags = NDArray[np.bool_]

_NULL = float("nan")
"""Written as null; the NaN that `Metrics` has by default would be left out."""


def _few(sample: NDArray[Any], minimum: int) -> Flags:
    return (sample > 0) & (sample < minimum)


def metrics_of(row: StatsCell, minimum: int) -> tuple[Metrics, bool]:
    """The nine metrics of a row, and whether some of them are withheld."""
    metrics = {name: getattr(row, name) for name in METRICS}
    few = {
        of: 0 < metrics[f"{of}_sample"] < minimum for of in ("positive", "audience", "datapoint")
    }
    if not any(few.values()):
        return Metrics(**metrics), False
    # All three are small where a share is: it is of two of them.
    withheld = {"positive_size", "positive_sample"}
    withheld |= {"audience_percentage", "datapoint_percentage", "audience_index"}
    for of in ("audience", "datapoint"):
        if few[of]:
            withheld |= {f"{of}_size", f"{of}_sample"}
    return Metrics(**{name: _NULL if name in withheld else metrics[name] for name in METRICS}), True


def withheld(metrics: tuple[NDArray[Any], ...], minimum: int) -> tuple[NDArray[Any], ...]:
    """The metrics of cells in the order of `CELL_METRICS`, NaN where they are withheld."""
    if minimum <= 1:
        return metrics
    named: dict[str, NDArray[Any]] = dict(zip(CELL_METRICS, metrics, strict=True))

    base = _few(named["base_sample"], minimum)
    hidden = {"base_size": base, "base_sample": base}
    for side in ("row", "column"):
        hidden |= dict.fromkeys(
            (f"{side}_{what}" for what in OF_SIDE), base | _few(named[f"{side}_sample"], minimum)
        )
    joint = hidden["row_sample"] | hidden["column_sample"] | _few(named["sample"], minimum)
    hidden |= dict.fromkeys(OF_CELL, joint)
    return tuple(np.where(hidden[name], _NULL, named[name]) for name in CELL_METRICS)


def shown_precision(
    found: Precision, engine: Engine, spec: CrosstabSpec | StatsSpec, minimum: int
) -> Precision:
    """The precision of a table without that of withheld cells.

    Figures of the rest of the base are withheld where the rest is too small, or what of it is in
    the row; covariances where those in both columns are too few, or those of them in the row, or
    outside of it.
    """
    if minimum <= 1:
        return found
    samples = engine.samples(spec)
    sides = _few(samples.base, minimum) | _few(samples.column, minimum)
    cell = sides | _few(samples.row, minimum) | _few(samples.cell, minimum)
    # Who a table shows the base and the column of sees their difference: the rest.
    rest = cell | _few(samples.base - samples.column, minimum)
    rest |= _few(samples.row - samples.cell, minimum)
    return structs.replace(
        found,
        **_without(found, cell, "sample", "size", "kish"),
        **_without(found, rest, "rest_kish"),
        shared=found.shared
        if found.shared is None
        else np.where(_few(found.shared, minimum), _NULL, found.shared),
        linearised=found.linearised
        and _shown_linearised(found.linearised, engine, spec, minimum, (sides, cell, rest)),
    )


def _shown_linearised(
    found: Linearised,
    engine: Engine,
    spec: CrosstabSpec | StatsSpec,
    minimum: int,
    hidden: tuple[Flags, Flags, Flags],
) -> Linearised:
    sides, cell, rest = hidden
    changed: dict[str, Any] = {
        **_without(found, cell, "share", "variance", "log_odds_variance", "freedom"),
        **_without(found, rest, "rest_variance", "rest_covariance", "rest_pooled"),
        **_without(found, rest, "index_variance", "rest_freedom"),
    }
    freedom = changed["freedom"]
    known = freedom[~np.isnan(freedom)]
    changed["degrees_of_freedom"] = int(known.min()) if known.size else 0
    if found.covariance is not None:
        # Of every two columns in a row: [rows, columns, columns].
        shared = engine.shared_samples(spec)
        both = _few(shared.columns, minimum) | sides[:, :, None] | sides[:, None, :]
        inside = both | cell[:, :, None] | cell[:, None, :] | _few(shared.cell, minimum)
        inside |= _few(shared.columns - shared.cell, minimum)
        changed |= _without(found, inside, "covariance", "pooled")
        if found.pairs is not None:
            sets = np.zeros(found.pairs.shape, dtype=bool)
            # `at`, since several rows have one set of waves: plain indexing would keep the last
            # alone.
            np.logical_or.at(sets, np.array(found.set_of, np.intp), both)
            changed["pairs"] = np.where(sets, _NULL, found.pairs)
    return structs.replace(found, **changed)


def shown_pairs(
    found: RowPairs, engine: Engine, spec: CrosstabSpec | StatisticsSpec, minimum: int
) -> RowPairs:
    """Pairs of rows without those of withheld cells, and of too few respondents in both rows."""
    if minimum <= 1:
        return found
    if isinstance(spec, StatisticsSpec):
        hidden = _few(engine.shared_amounts(spec, of_rows=True), minimum)
        own = np.diagonal(hidden, axis1=1, axis2=2)
    else:
        samples = engine.samples(spec)
        own = np.logical_or.reduce([_few(each, minimum) for each in samples]).T
        hidden = _few(engine.shared_samples(spec, of_rows=True).cell, minimum)
    hidden = hidden | own[:, :, None] | own[:, None, :]
    return structs.replace(found, **_without(found, hidden, "variance", "freedom", "both"))


def shown_cells(found: CellShares, minimum: int) -> CellShares | None:
    """Cells that are tested together: all of them or none, since their shares add up to 1."""
    return None if minimum > 1 and _few(found.counts, minimum).any() else found


def shown_adjusted(found: Adjusted, engine: Engine, spec: CrosstabSpec, minimum: int) -> Adjusted:
    """Adjusted shares without those that rest on few respondents in any cell of the composition.

    A share before and after it is adjusted by a question of two answers shows the share in each.
    Parts of the base are rounded to whole percents.
    """
    if minimum <= 1:
        return found
    samples = engine.samples(spec)
    cell = np.logical_or.reduce([_few(each, minimum) for each in samples])
    cell |= _few(found.fewest, minimum)
    rest = cell | _few(samples.base - samples.column, minimum) | _few(found.rest_fewest, minimum)
    of_cell, of_rest = ("share", "variance", "freedom"), ("rest_share", "rest_variance")
    names = (*of_rest, "rest_covariance", "pooled", "rest_freedom", "rest_fewest")
    parts = ("lacking", "rest_lacking", "absent", "alone", "unanswered")
    return structs.replace(
        found,
        **_without(found, cell, *of_cell, "fewest"),
        **_without(found, rest, *names),
        **{name: np.round(getattr(found, name), 2) for name in parts},
    )


def shown_numbers(found: QuestionNumbers | None, minimum: int) -> QuestionNumbers | None:
    """The numbers behind a question's bins without those of few respondents."""
    if found is None:
        return None
    rows = [
        NumberRow(segment=row.segment, audience=row.audience)
        if 0 < (row.answered_sample or 0) < minimum
        else row
        for row in found.rows
    ]
    return structs.replace(found, rows=tuple(rows))


def shown_amounts(
    rows: Sequence[StatisticRow], engine: Engine, spec: StatisticsSpec, minimum: int
) -> Sequence[StatisticRow]:
    """Statistics of amounts without those of few respondents, and of few in both columns."""
    if minimum <= 1:
        return rows
    return [
        _shown_amounts(row, _few(shared, minimum), minimum)
        for row, shared in zip(rows, engine.shared_amounts(spec), strict=True)
    ]


def _shown_amounts(row: StatisticRow, both: Flags, minimum: int) -> StatisticRow:
    # A column shares with itself the respondents that it has.
    own = np.diagonal(both)
    pairs = both | own[:, None] | own[None, :]
    # The base is column 0; only the others have a rest.
    rest = own[0] | own[1:] | _few(row.rest.sample, minimum)
    return replace(
        row,
        **_without(row, own, "value", "error", "deviation", "size", "sample", "low", "high"),
        **_without(row, pairs, "covariance", "freedom"),
        rest=replace(row.rest, **_without(row.rest, rest, *RestFigures.__struct_fields__)),
    )


def _without(found: object, hidden: Flags, *names: str) -> dict[str, Any]:
    """Arrays of an object by their names, NaN where they are withheld; without those of None."""
    arrays = {name: getattr(found, name) for name in names}
    return {
        name: np.where(hidden, _NULL, values)
        for name, values in arrays.items()
        if values is not None
    }
