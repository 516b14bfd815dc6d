"""A result made ready for its tests: its shares, what each is worth, and how that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import KISH, DesignEffects, design_words
from audiencelab.analysis.effective_base import (
    Base,
    DesignEffect,
    chosen_base,
    table_effects,
)
from audiencelab.analysis.options import Options, Settings
from audiencelab.analysis.proportions import Cells, Shares
from audiencelab.analysis.sampled import shares_of
from audiencelab.analysis.z_test import at_an_end
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.results.stats import StatsResult

__all__ = ["Prepared", "full_rows", "prepared", "prepared_means", "worth"]

Floats = NDArray[np.float64]

UNKNOWN = "design unknown"

_ALIKE = 1e-9
"""Design effects that are nearer to 1 than this are those of equal weights."""


class Prepared(NamedTuple):
    """What a result is tested with.

    result: with samples that leave out respondents of weight 0. bases: of each share. effects:
    design effects of each share. computed: the same as they were computed of the respondents.
    design: how they were made, or why there are none. automatic: whether nobody gave them.
    """

    result: CrosstabResult | StatsResult
    shares: Shares
    settings: Settings
    bases: Floats
    effects: Floats
    computed: DesignEffects | None
    design: str
    automatic: bool


def prepared(
    result: CrosstabResult | StatsResult,
    options: Options,
    shares: Callable[[Any], Shares] = shares_of,
    *,
    cautious: bool = False,
) -> Prepared:
    """The options checked, and the design of the sample where nobody gave it.

    shares: how a result becomes a table. cautious: whether no design effect may be below Kish's.
    """
    given, base = options["design_effect"], options["base"]
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


def prepared_means(result: StatsResult, shares: Shares, options: Options) -> Prepared:
    """The same of a table of means, which has no linearised errors: Kish's effects of the columns.

    result: what the means were made of. shares: the table of means.
    """
    given, base = options["design_effect"], options["base"]
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


def _kish_of_columns(result: StatsResult, shares: Shares) -> Floats | None:
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
