"""Results prepared for their tests: proportions, bases, and the design of the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import KISH, DesignEffects, at_least_kish, design_words
from audiencelab.analysis.measured import kish_of_columns
from audiencelab.analysis.options import (
    DesignEffect,
    Options,
    Settings,
    chosen_base,
    table_effects,
)
from audiencelab.analysis.precision import given_design, precision_of, with_bases
from audiencelab.analysis.proportions import Proportions, proportions_of
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
    found = precision_of(result, options.get("design", "auto"), options.get("base"), table_of)
    given: DesignEffect | None = found.computed
    if given is None:
        given = given_design(options.get("design", "auto"))
        if found.automatic and found.base == "effective":
            given = 1.0
    if cautious and isinstance(given, DesignEffects):
        given = at_least_kish(given)
    return _settled(table_of(result), options, given, found.how, automatic=found.automatic)


def prepared_means(result: StatsData, table: Proportions, options: Options) -> Prepared:
    """The same for a table of means, which has Kish's design effects of its columns.

    result: what the means were made of. table: the means.
    """
    automatic = _is_automatic(options)
    given, design = given_design(options.get("design", "auto")), ""
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
        chosen_base(base, given_design(options.get("design", "auto")))
    return automatic


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
