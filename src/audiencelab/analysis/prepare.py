"""Results prepared for their tests: proportions, bases and the design of the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import KISH, DesignEffects, Precision, design_words
from audiencelab.analysis.effective_base import (
    Base,
    DesignEffect,
    chosen_base,
    table_effects,
)
from audiencelab.analysis.options import Options, Settings
from audiencelab.analysis.proportions import Cells, Shares, crosstab_shares, stats_shares
from audiencelab.analysis.statistics import at_an_end
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.stats import StatsData

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


UNKNOWN = "design unknown"

_ALIKE = 1e-9
"""Design effects that are nearer to 1 than this are those of equal weights."""


def shares_of(result: CrosstabData | StatsData) -> Shares:
    """The shares of a result that are tested."""
    return crosstab_shares(result) if isinstance(result, CrosstabData) else stats_shares(result)


class Prepared(NamedTuple):
    """What a result is tested with.

    result: with samples that leave out respondents of weight 0. bases: of each share. effects:
    design effects of each share. computed: the same as they were computed of the respondents.
    design: how they were made, or why there are none. automatic: whether nobody gave them.
    """

    result: CrosstabData | StatsData
    shares: Shares
    settings: Settings
    bases: Floats
    effects: Floats
    computed: DesignEffects | None
    design: str
    automatic: bool


def prepared(
    result: CrosstabData | StatsData,
    options: Options,
    shares: Callable[[Any], Shares] = shares_of,
    *,
    cautious: bool = False,
) -> Prepared:
    """The options checked, and the design of the sample where nobody gave it.

    shares: how a result becomes a table. cautious: whether no design effect may be below Kish's.
    """
    given, base = options.get("design_effect"), options.get("base")
    chosen_base("unweighted" if base == "effective" else base, given)
    automatic = given is None and base in (None, "effective")
    measured, design = None, ""
    if result.respondents is not None:
        measured = result.respondents.measure(result, effects=automatic)
    if measured is not None:
        result = measured.result
        if automatic and measured.effects is not None:
            given = _where_it_matters(measured.effects, base)
    elif automatic:
        design = UNKNOWN
    computed = given if isinstance(given, DesignEffects) else None
    if cautious and computed is not None:
        given = computed = computed.at_least_kish()
    settings = Settings.of({**options, "design_effect": given})
    table = shares(result)
    settings.check_nets(table.rows, table.columns)
    effects = table_effects(given, table)
    return Prepared(
        result,
        table,
        settings,
        worth(table.cells, settings.base, effects),
        effects,
        computed,
        design or design_words(given),
        automatic,
    )


def _where_it_matters(effects: DesignEffects, base: Base | None) -> DesignEffect | None:
    """Design effects, but of equal weights without strata and clusters there are none."""
    known = effects.effects[~np.isnan(effects.effects)]
    if effects.method == "kish" and bool((np.abs(known - 1) < _ALIKE).all()):
        return None if base is None else 1.0
    return effects


def worth(cells: Cells, base: Base, effects: Floats) -> Floats:
    """How many respondents each share is worth: no end of them where the design fixes it."""
    if base == "weighted":
        return cells.size
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells.sample / effects


def full_rows(shares: Shares) -> NDArray[np.bool_]:
    """Rows that all of every column are in, whatever they are called: nothing differs there."""
    share = shares.cells.share
    if shares.cells.deviation is not None:
        return np.zeros(len(share), dtype=bool)
    full = at_an_end(share) & (share > 0.5)
    counts = np.count_nonzero(full, axis=1)
    return (counts > 0) & (counts == np.count_nonzero(~np.isnan(share), axis=1))


def prepared_means(result: StatsData, shares: Shares, options: Options) -> Prepared:
    """The same of a table of means, which has no linearised errors: Kish's effects of the columns.

    result: what the means were made of. shares: the table of means.
    """
    given, base = options.get("design_effect"), options.get("base")
    chosen_base("unweighted" if base == "effective" else base, given)
    automatic, design = given is None and base in (None, "effective"), ""
    if automatic:
        found = _kish_of_columns(result, shares)
        if found is None:
            design = UNKNOWN
        elif bool((np.abs(found - 1) < _ALIKE).all()):
            given = None if base is None else 1.0
        else:
            given, design = found, KISH
    settings = Settings.of({**options, "design_effect": given})
    settings.check_nets(shares.rows, shares.columns)
    effects = table_effects(given, shares)
    bases = worth(shares.cells, settings.base, effects)
    return Prepared(result, shares, settings, bases, effects, None, design, automatic)


def _kish_of_columns(result: StatsData, shares: Shares) -> Floats | None:
    """Kish's design effect of each column of a table of means, float64[columns], if known."""
    if result.respondents is None:
        return None
    measured = result.respondents.measure(result, effects=False)
    if measured is None:
        return None
    known = dict(zip(_column_ids(shares_of(result)), measured.kish.T, strict=True))
    effects = [np.nanmax(known[column]) for column in _column_ids(shares)]
    return np.array(effects)


def _column_ids(shares: Shares) -> tuple[str, ...]:
    return next(iter(shares.columns.columns.values()))


_SAMPLES = [FIGURES.index(f"{of}_sample") for of in ("row", "column", "base")]


def without_weight_0(result: CrosstabData | StatsData) -> Any:
    """The result with samples that leave out respondents of weight 0, where they are known."""
    if result.respondents is None:
        return result
    measured = result.respondents.measure(result, effects=False)
    return result if measured is None else measured.result


def own_rows(result: StatsData) -> StatsData:
    """The result without the rows that were added up of others; the same where there are none."""
    nets = result.provenance.get("nets", ())
    if not nets:
        return result
    return replace(result, rows=tuple(row for row in result.rows if row.datapoint not in nets))


def with_nets(precision: Precision, result: StatsData) -> Precision:
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
    if isinstance(result, CrosstabData):
        counted = replace(result)
        down, across = np.nonzero(result.arrived)
        figures = result.figures(down, across)
        figures[:, _SAMPLES] = precision.weighing[:, down, across].T
        counted.store(down, across, figures)
        return counted
    stats = cast(StatsData, result)
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


def _members(result: StatsData) -> list[list[int]]:
    """For each row of the table, the places of the rows without nets that it adds up."""
    nets = result.provenance["nets"]
    points = [code for code in result.datapoints if code not in nets]
    place = {code: at for at, code in enumerate(points)}

    def of(code: str) -> list[int]:
        return [place[code]] if code in place else [at for each in nets[code] for at in of(each)]

    return [of(code) for code in result.datapoints]


def _places(result: StatsData) -> tuple[Places, Places]:
    """Row and column of each line in the table of shares."""
    keys = [(row.datapoint, (row.segment, row.audience)) for row in result.rows]
    places: list[Places] = []
    for side in zip(*keys, strict=True):
        known = {key: at for at, key in enumerate(dict.fromkeys(side))}
        places.append(np.array([known[key] for key in side], dtype=np.intp))
    return places[0], places[1]
