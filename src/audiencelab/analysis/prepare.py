"""Results prepared for their tests: proportions, bases, and the design of the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import KISH, DesignEffects
from audiencelab.analysis.measured import kish_of_columns
from audiencelab.analysis.options import (
    CommonTestOptions,
    TestSettings,
    chosen_base,
    table_effects,
)
from audiencelab.analysis.precision import given_design, precision_of, with_bases
from audiencelab.analysis.proportions import Proportions, proportions_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema.local import Linearised

Floats = NDArray[np.float64]

_SAME = 1e-9
"""Design effects nearer to 1 than this are those of equal weights."""


class TestInputs(NamedTuple):
    """What a result is tested with.

    table: the result's estimates, with their bases. effects: design effects, float64[rows,
    columns]. computed: the same, if they were computed. design: how they were made, or why they
    were not. automatic: whether the caller left the design to us. measured: see `TablePrecision`.
    """

    table: Proportions
    settings: TestSettings
    effects: Floats
    computed: DesignEffects | None
    design: str
    automatic: bool
    measured: DesignEffects | None = None

    @property
    def linearised(self) -> Linearised | None:
        """Variances by the respondents, where these are what errors are made of."""
        return None if self.computed is None else self.computed.precision.linearised


def prepared(
    result: CrosstabData | StatsData,
    options: CommonTestOptions,
    table_of: Callable[[Any], Proportions] = proportions_of,
) -> TestInputs:
    """The options checked, and how sure the shares of a result are.

    table_of: how a result becomes a table.
    """
    found = precision_of(result, options.get("design", "auto"), options.get("base"), table_of)
    settings = TestSettings.of(options, found.base)
    settings.check_nets(found.table.rows, found.table.columns)
    return TestInputs(
        found.table,
        settings,
        found.effects,
        found.computed,
        found.how,
        found.automatic,
        found.measured,
    )


def prepared_means(result: StatsData, table: Proportions, options: CommonTestOptions) -> TestInputs:
    """The same for a table of means, which has Kish's design effects of its columns.

    result: what the means were made of. table: the means.
    """
    automatic = left_to_us(options)
    given, design = given_design(options.get("design", "auto")), ""
    if options.get("pooled") is None:
        # Shares are pooled by default, means are not.
        options = {**options, "pooled": False}
    if automatic:
        kish, design = kish_of_columns(result, table.columns.ids)
        if kish is None:
            given = None
        elif bool((np.abs(kish - 1) < _SAME).all()):
            given = None if options.get("base") is None else 1.0
        else:
            given, design = kish, KISH
    settings = TestSettings.of(
        options, chosen_base(None if automatic else options.get("base"), given)
    )
    settings.check_nets(table.rows, table.columns)
    effects = table_effects(given, table)
    table = replace(table, cells=with_bases(table.cells, settings.base, effects))
    return TestInputs(table, settings, effects, None, design, automatic)


def left_to_us(options: CommonTestOptions) -> bool:
    """Whether the caller left the design to us; raises for a base that contradicts it."""
    given, base = options.get("design", "auto"), options.get("base")
    automatic = isinstance(given, str) and given == "auto" and base in (None, "effective")
    if not automatic:
        chosen_base(base, given_design(options.get("design", "auto")))
    return automatic
