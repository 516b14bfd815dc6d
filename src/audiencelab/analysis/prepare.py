"""Results prepared for their tests: proportions, bases, and the design of the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import KISH, DesignEffects, at_least_kish, design_words
from audiencelab.analysis.measured import kish_of_columns, measured
from audiencelab.analysis.options import (
    Base,
    DesignEffect,
    Options,
    Settings,
    chosen_base,
    require_choice,
    table_effects,
)
from audiencelab.analysis.proportions import Estimates, Proportions, proportions_of
from audiencelab.analysis.statistics import is_zero_or_full
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

Floats = NDArray[np.float64]

_SAME = 1e-9
"""Design effects nearer to 1 than this are those of equal weights."""


class Prepared(NamedTuple):
    """What a result is tested with.

    table: the result's estimates, with their bases. effects: design effects, float64[rows,
    columns]. computed: the same, if they were computed. design: how they were made, or why they
    were not. automatic: whether the caller left the design to us.
    """

    table: Proportions
    settings: Settings
    effects: Floats
    computed: DesignEffects | None
    design: str
    automatic: bool


def prepared(
    result: CrosstabData | StatsData,
    options: Options,
    table_of: Callable[[Any], Proportions] = proportions_of,
    *,
    cautious: bool = False,
) -> Prepared:
    """The options checked, with the design of the sample computed unless it is given.

    table_of: how a result becomes a table. cautious: whether no design effect may be below Kish's.
    """
    automatic = _is_automatic(options)
    given, design = _given(options), ""
    if automatic:
        found = measured(result, effects=True)
        design = found.unknown
        if found.effects is not None:
            given = where_it_matters(found.effects, options.get("base"))
    if cautious and isinstance(given, DesignEffects):
        given = at_least_kish(given)
    return _settled(table_of(result), options, given, design, automatic=automatic)


def prepared_means(result: StatsData, table: Proportions, options: Options) -> Prepared:
    """The same for a table of means, which has Kish's design effects of its columns.

    result: what the means were made of. table: the means.
    """
    automatic = _is_automatic(options)
    given, design = _given(options), ""
    if options.get("pooled") is None:
        options = {**options, "pooled": False}
    if automatic:
        kish, design = kish_of_columns(result, table.columns.ids)
        if kish is None:
            given = None
        elif bool((np.abs(kish - 1) < _SAME).all()):
            given = None if options.get("base") is None else 1.0
        else:
            given, design = kish, KISH
    return _settled(table, options, given, design, automatic=automatic)


def _is_automatic(options: Options) -> bool:
    given, base = options.get("design", "auto"), options.get("base")
    automatic = isinstance(given, str) and given == "auto" and base in (None, "effective")
    if not automatic:
        chosen_base(base, _given(options))
    return automatic


def _given(options: Options) -> DesignEffect | None:
    """The design effects that a caller gave; None for none, and to compute them."""
    given = options.get("design", "auto")
    if not isinstance(given, str):
        return given
    require_choice("design", given, ["auto"])
    return None


def _settled(
    table: Proportions,
    options: Options,
    given: DesignEffect | None,
    design: str,
    *,
    automatic: bool,
) -> Prepared:
    settings = Settings.of({**options, "design": given})
    settings.check_nets(table.rows, table.columns)
    effects = table_effects(given, table)
    table = replace(table, cells=with_bases(table.cells, settings.base, effects))
    computed = given if isinstance(given, DesignEffects) else None
    design = design or design_words(given)
    return Prepared(table, settings, effects, computed, design, automatic)


def where_it_matters(
    effects: DesignEffects, base: Base | None = None
) -> DesignEffects | float | None:
    """The design effects; equal weights without strata and clusters have none."""
    if effects.precision.refused or bool((np.abs(effects.precision.kish - 1) >= _SAME).any()):
        return effects
    found = effects.precision.linearised
    if found is not None and (found.strata > 1 or found.clusters or found.replicates):
        return effects
    # With a finite population errors are smaller than those of a simple random sample.
    if bool((effects.effects < 1 - _SAME).any()):
        return effects
    return None if base is None else 1.0


def with_bases(cells: Estimates, base: Base, effects: Floats) -> Estimates:
    """The estimates with how many respondents each is worth: infinitely many if design-fixed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(cells, base=cells.size if base == "weighted" else cells.sample / effects)


def full_rows(table: Proportions) -> NDArray[np.bool_]:
    """Rows that include all of every column, whatever their name: nothing can differ there."""
    value = table.cells.value
    if table.cells.deviation is not None:
        return np.zeros(len(value), dtype=bool)
    counts = np.count_nonzero(is_zero_or_full(value) & (value > 0.5), axis=1)
    return (counts > 0) & (counts == np.count_nonzero(~np.isnan(value), axis=1))
