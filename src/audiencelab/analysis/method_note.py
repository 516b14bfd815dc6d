"""The method note of a test: one sentence with everything that its values depend on.

Programs that test the same table differently disagree, so every result carries one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import PAIRED, POINTS, effect_words, sample_words
from audiencelab.analysis.options import Base, TestSettings
from audiencelab.analysis.plan import SHARED, TestPlan
from audiencelab.analysis.proportions import CellEstimates, TableItems
from audiencelab.analysis.statistics import CORRECTION_NAMES

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_NAMED_NETS = 3
"""How many nets a method note names; more are counted."""

_MOST_PEOPLE = 1.5
"""Weights that average 1 have fewer people than this for each respondent."""


def describe(plan: TestPlan) -> str:
    """Everything that the values of a plan's tests depend on, as one sentence."""
    settings, table, scope = plan.settings, plan.table, plan.scope
    line = "column" if plan.vs == "rows" else "row"
    parts = [
        f"Two-sided {_test_words(plan)} of {table.metric}",
        _subject_words(plan),
        "pooled" if settings.pooled else "unpooled",
        _base_words(plan) if plan.errors.of_bases else _error_words(plan),
        _correction_words(settings, plan.within_groups, line),
        " and ".join(percent_words(level) for level in settings.levels),
        f"bases under {settings.min_base:,g} respondents left out" if settings.min_base > 0 else "",
        _left_out_words(named(table.rows, scope.rows) + named(table.columns, scope.columns)),
        _outside_words(named(table.rows, scope.outside), settings),
        "shares of 0 and 100% not tested" if settings.zero_or_full == "skip" else "",
        _dependence_words(plan),
        _break_words(plan),
        scope.words,
        "differences that hold by the likelihood ratio, too" if plan.cautious else "",
    ]
    return f"{', '.join(filter(None, parts))}."


def named(axis: TableItems, chosen: Flags) -> list[str]:
    """The names of some rows or columns."""
    return [axis.names[position] for position in np.flatnonzero(chosen)]


_SUBJECTS = {
    "columns": "every pair of columns",
    "rest": "each column against the rest of its base",
    "total": "each column against the whole base, of which it is a part",
    "previous wave": "each wave against the one before it that asked",
    "rows": "every pair of rows",
    "window a wave earlier": "each window against the one that ends a wave earlier",
    "window before": "each window against the last one that shares no wave with it",
}


def _subject_words(plan: TestPlan) -> str:
    subject = _SUBJECTS[plan.vs]
    if plan.vs == "rows" and plan.of_means:
        return f"{subject} of one question"
    return f"{subject} in the same group" if plan.within_groups else subject


def _dependence_words(plan: TestPlan) -> str:
    """What is assumed, or known, of respondents on both sides."""
    known = plan.errors.known
    if plan.vs in ("rest", "total"):
        return f"{known} in both accounted for" if known else ""
    if plan.vs == "previous wave":
        return "" if known else "waves taken as separate samples"
    if known:
        both = plan.vs if plan.vs in ("columns", "rows") else "windows"
        return f"{known} in both {both} accounted for"
    if bool((plan.notes == SHARED).any()):
        return "columns taken as different people although some share respondents"
    return "columns taken as different people"


def _break_words(plan: TestPlan) -> str:
    breaks = plan.unlike.breaks
    if breaks is None or not (plan.made & (breaks != "")).any():
        return ""
    if plan.settings.across_breaks:
        return "differences across breaks tested as others"
    return "differences across breaks not tested"


def _error_words(plan: TestPlan) -> str:
    """How standard errors by the sample's design were made."""
    found, ready = plan.ready.linearised, plan.ready
    if found is None:
        how = ready.design
        if "replicate weights" in how:
            return f"standard errors of {how}"
        known = [each for each in ("raking accounted for", PAIRED, POINTS) if each in how]
        return ", ".join(["linearised standard errors", *known])
    sample = sample_words(found, "adjust" if ready.computed is None else ready.computed.lonely)
    if found.replicates is not None:
        return f"standard errors of {sample} ({effect_words(ready.effects)})"
    return f"linearised standard errors ({effect_words(ready.effects)}; {sample})"


def _test_words(plan: TestPlan) -> str:
    settings, freedom = plan.settings, plan.freedom
    settled = settings.degrees_of_freedom
    if settled is not None and not math.isinf(settled):
        return f"t test ({settled:,g} degrees of freedom)"
    if plan.of_means and plan.errors.of_bases:
        return "t test (Student's)" if settings.pooled else "t test (Welch's)"
    # Infinite degrees of freedom, as given, are those of a z test.
    if settled is not None or freedom is None:
        return "z test"
    # Those of tests that are not made, as of an empty column, say nothing.
    known = freedom[plan.made & (plan.reasons == "") & ~np.isnan(freedom)]
    if not known.size:
        return "t test"
    low, high = float(known.min()), float(known.max())
    words = f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"
    return f"t test ({words} degrees of freedom)"


def _base_words(plan: TestPlan) -> str:
    ready = plan.ready
    people = _people_per_respondent(plan.table.cells)
    return base_words(plan.settings.base, ready.effects, people, ready.design)


def base_words(base: Base, effects: Floats, people: float = math.nan, design: str = "") -> str:
    """The kind of bases; people: for each respondent; design: how the effects were made."""
    if base == "weighted":
        if people > _MOST_PEOPLE:
            return f"weighted bases ({people:,.0f} people a respondent: p-values are far too small)"
        return "weighted bases"
    if base == "unweighted":
        return f"unweighted bases ({design or effect_words(effects)})"
    return f"{base} bases ({'; '.join(filter(None, (effect_words(effects), design)))})"


def percent_words(level: float) -> str:
    """A confidence level in percent: "95%", "99.9%"."""
    return f"{100 * level:.10g}%"


def _people_per_respondent(cells: CellEstimates) -> float:
    known = np.isfinite(cells.size) & (cells.sample > 0)
    people, respondents = cells.size[known].sum(), cells.sample[known].sum()
    return float(people / respondents) if respondents else math.nan


def _correction_words(settings: TestSettings, within_groups: bool, line: str) -> str:
    name = CORRECTION_NAMES[settings.correction]
    if settings.correction == "none":
        return name
    if settings.family == "table":
        return f"{name} over the table"
    return f"{name} within each {line}{' and group' if within_groups else ''}"


def _left_out_words(names: Sequence[str]) -> str:
    if not names:
        return ""
    if len(names) > _NAMED_NETS:
        return f"{len(names)} nets and totals left out"
    return f"without {', '.join(names)}"


def _outside_words(names: Sequence[str], settings: TestSettings) -> str:
    # A net's family is its own row, and without a correction there is none.
    if not names or settings.family == "row" or settings.correction == "none":
        return ""
    named = ", ".join(names) if len(names) <= _NAMED_NETS else f"{len(names)} nets"
    return f"{named} tested but not counted"
