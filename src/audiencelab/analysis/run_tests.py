"""Tests carried out: from a plan to p-values, levels and notes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import TestSettings
from audiencelab.analysis.plan import TestPlan
from audiencelab.analysis.proportions import CellEstimates
from audiencelab.analysis.statistics import (
    adjusted,
    adjusted_outside,
    is_significant,
    likelihood_ratio,
    two_sided_p,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tests by row, all arrays [rows, tests].

    first, second: the estimates that were compared. difference, error: in proportions of 1.
    level: the strictest level at which the two differ, NaN for none.
    listed: which tests were requested. note: why a test was not made, or its caveat.
    freedom: the degrees of freedom of each test, where they differ.
    """

    first: CellEstimates
    second: CellEstimates
    difference: Floats
    error: Floats
    z: Floats
    p: Floats
    p_adjusted: Floats
    level: Floats
    listed: Flags
    note: Texts
    freedom: Floats | None = None


def run_tests(plan: TestPlan) -> Outcome:
    """Test each proportion, or mean, against the other: z = difference / standard error."""
    first, second, settings = plan.pairs.first, plan.pairs.second, plan.settings
    difference = first.value - second.value
    error = np.where((plan.reasons != "") | ~plan.made, np.nan, plan.errors.error)
    with np.errstate(divide="ignore", invalid="ignore"):
        # No error means that all, or none, of both are in the row: nothing differs.
        z = np.where(error == 0, 0.0, difference / error)
    if plan.cautious and not plan.of_means:
        values = first.value, first.base, second.value, second.base
        # fmin, since the likelihood ratio of an infinite base is NaN.
        z = np.sign(z) * np.fmin(np.abs(z), likelihood_ratio(*values, plan.errors.overlap))
    freedom, settled = plan.freedom, settings.degrees_of_freedom
    if freedom is not None and settled is not None:
        freedom = np.full_like(freedom, settled)
    p = two_sided_p(z, settled if freedom is None else freedom)
    p_adjusted = _adjusted(p, settings, plan.parts, plan.scope.outside)
    level = np.full(p.shape, np.nan)
    # The stricter level is set last and replaces the other.
    for each in reversed(settings.levels):
        level[is_significant(p_adjusted, each)] = each
    listed = np.broadcast_to(plan.made, p.shape)
    found = Outcome(
        first, second, difference, error, z, p, p_adjusted, level, listed, plan.notes, freedom
    )
    return _against_whole(found, plan.kept) if plan.vs == "total" else found


def _against_whole(outcome: Outcome, kept: Floats | None) -> Outcome:
    """The same tests, stated against rest and column together.

    The column differs from the whole by a fixed part of what it differs from the rest by (`kept`),
    so the statistic and p are the same.
    """
    part, rest = outcome.first, outcome.second
    people = part.size + rest.size
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = rest.size / people if kept is None else kept
    whole = CellEstimates(
        value=part.value - outcome.difference * kept,
        size=people,
        sample=part.sample + rest.sample,
        scope=part.scope,
        base=part.base + rest.base,
    )
    return replace(
        outcome, second=whole, difference=outcome.difference * kept, error=outcome.error * kept
    )


def _adjusted(p: Floats, settings: TestSettings, parts: Positions | None, outside: Flags) -> Floats:
    found = np.empty_like(p)
    if settings.family == "table":
        family = p[~outside]
        found[~outside] = adjusted(family.reshape(1, -1), settings.correction).reshape(family.shape)
        nets = adjusted_outside(p[outside].ravel(), family.ravel(), settings.correction)
        # Tested by the family's threshold, though the family does not count them.
        found[outside] = nets.reshape(-1, p.shape[1])
        return found
    if parts is None:
        return adjusted(p, settings.correction)
    for part in np.unique(parts):
        found[:, parts == part] = adjusted(p[:, parts == part], settings.correction)
    return found
