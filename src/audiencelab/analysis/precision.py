"""How sure the shares of a result are: the one answer that tests, intervals and marks read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, design_words, located
from audiencelab.analysis.measured import measured
from audiencelab.analysis.options import (
    Base,
    Design,
    DesignEffect,
    chosen_base,
    require_choice,
    table_effects,
)
from audiencelab.analysis.proportions import CellEstimates, Proportions, proportions_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

Floats = NDArray[np.float64]

_SAME = 1e-9
"""Design effects nearer to 1 than this are those of equal weights."""


@dataclass(frozen=True, slots=True)
class TablePrecision:
    """A table of shares, and how sure each is; arrays are float64[rows, columns].

    table: the estimates; `cells.base` is how many respondents each is worth.
    effects: design effects, NaN where nothing shows how a share varies.
    base: what is counted. computed: the design effects, if they were computed of the respondents.
    how: how they were made, or why they were not; "" of a simple random sample.
    automatic: whether the caller left the design to us. measured: what the service answered, also
    of a simple random sample, or what the caller gave as computed.
    """

    table: Proportions
    effects: Floats
    base: Base
    computed: DesignEffects | None
    how: str
    automatic: bool
    measured: DesignEffects | None = None

    @property
    def error(self) -> Floats:
        """Standard errors, in shares of 1; NaN where they are not known."""
        cells = self.table.cells
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(cells.value * (1 - cells.value) / cells.base)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of each share; infinite where the normal distribution is taken."""
        found = None if self.computed is None else self.computed.precision.linearised
        if found is None or self.computed is None:
            return np.full(self.table.shape, np.inf)
        return found.freedom[located(self.computed, self.table)]

    @property
    def refused(self) -> str:
        """Why the declared design shows no variance, and nothing is tested; "" where it does."""
        return "" if self.computed is None else self.computed.precision.refused


def precision_of(
    result: CrosstabData | StatsData,
    design: Design = "auto",
    base: Base | None = None,
    table_of: Callable[[Any], Proportions] = proportions_of,
) -> TablePrecision:
    """How sure the shares of a result are.

    design: "auto" asks the service of the result; a service that is not one of audiencelab does not
    know. Otherwise a design effect, several of them, or None for a simple random sample.
    base: what is counted, see `TestOptions`. table_of: how a result becomes a table.
    Raises `ValueError` for options that are not valid.
    """
    given, how = given_design(design), ""
    known = given if isinstance(given, DesignEffects) else None
    # base="unweighted" or "weighted" ignores the design, so nothing has to be asked.
    automatic = isinstance(design, str) and base in (None, "effective")
    if automatic:
        found = measured(result, effects=True)
        # Kept also where weights are equal: it has who is in both of two columns.
        how, known = found.unknown, found.effects
        if found.effects is not None:
            given = where_it_matters(found.effects, base)
    else:
        # Raises for a base that contradicts the design effect.
        chosen_base(base, given)
    table, counted = table_of(result), chosen_base(base, given)
    effects = table_effects(given, table)
    return TablePrecision(
        replace(table, cells=with_bases(table.cells, counted, effects)),
        effects,
        counted,
        given if isinstance(given, DesignEffects) else None,
        how or design_words(given),
        automatic,
        known,
    )


def given_design(design: Design) -> DesignEffect | None:
    """The design effects that a caller gave; None for none, and to compute them."""
    if not isinstance(design, str):
        return design
    require_choice("design", design, ["auto"])
    return None


def where_it_matters(
    effects: DesignEffects, base: Base | None = None
) -> DesignEffects | float | None:
    """The design effects; a simple random sample of equal weights has none."""
    found = effects.precision
    if found.refused or found.linearised is not None:
        return effects
    if bool((np.abs(found.kish - 1) >= _SAME).any()):
        return effects
    # base="effective" needs a design effect; of equal weights it is 1.
    return None if base is None else 1.0


def with_bases(cells: CellEstimates, base: Base, effects: Floats) -> CellEstimates:
    """The estimates with how many respondents each is worth: infinitely many if design-fixed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(cells, base=cells.size if base == "weighted" else cells.sample / effects)
