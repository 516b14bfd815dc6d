"""The method note of a test: one sentence with everything that its values depend on.

Programs that test the same table differently disagree, so every result carries one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import PAIRED, effect_words
from audiencelab.analysis.options import Base, Settings
from audiencelab.analysis.proportions import Estimates, Proportions
from audiencelab.analysis.statistics import CORRECTION_NAMES

Floats = NDArray[np.float64]

_NAMED_NETS = 3
"""How many nets a method note names; more are counted."""

_MOST_PEOPLE = 1.5
"""Weights that average 1 have fewer people than this for each respondent."""


def describe_tests(
    settings: Settings,
    table: Proportions,
    effects: Floats,
    *,
    subject: str,
    left_out: Sequence[str] = (),
    outside: Sequence[str] = (),
    dependence: str = "",
    within_groups: bool = False,
    design: str = "",
    freedom: Floats | None = None,
    linearised: bool = False,
    line: str = "row",
) -> str:
    """Everything that the values of a test depend on, as one sentence.

    subject: what is tested, such as "every pair of columns". left_out: names of what is not.
    outside: names of rows that are tested but not counted in a family. dependence: what is assumed
    of respondents in both columns. within_groups: whether each banner group is compared by itself.
    design: how design effects, or errors, were made, or why there are none. freedom: degrees of
    freedom of the tests, where they differ. linearised: whether errors are those of the design.
    line: what the tests of a family have in common, where they are not those of the table.
    """
    words = _test_words(settings, table, freedom, linearised=linearised)
    parts = [
        f"Two-sided {words} of {table.metric}",
        f"{subject} in the same group" if within_groups else subject,
        "pooled" if settings.pooled else "unpooled",
        _error_words(design)
        if linearised
        else base_words(settings.base, effects, _people_per_respondent(table.cells), design),
        _correction_words(settings, within_groups, line),
        " and ".join(percent_words(level) for level in settings.levels),
        f"bases under {settings.min_base:,g} respondents left out" if settings.min_base > 0 else "",
        _left_out_words(left_out),
        _outside_words(outside, settings),
        "shares of 0 and 100% not tested" if settings.zero_or_full == "skip" else "",
        dependence,
    ]
    return f"{', '.join(filter(None, parts))}."


def _error_words(how: str) -> str:
    """How standard errors by the sample's design were made."""
    if "replicate weights" in how:
        return f"standard errors of {how}"
    known = [each for each in ("raking accounted for", PAIRED) if each in how]
    return ", ".join(["linearised standard errors", *known])


def _test_words(
    settings: Settings, table: Proportions, freedom: Floats | None, *, linearised: bool = False
) -> str:
    settled = settings.degrees_of_freedom
    of_means = table.cells.deviation is not None and not linearised
    if settled is not None and not math.isinf(settled):
        return f"t test ({settled:,g} degrees of freedom)"
    if of_means:
        return "t test (Student's)" if settings.pooled else "t test (Welch's)"
    if settled is not None or freedom is None:
        return "z test"
    known = freedom[~np.isnan(freedom)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    words = f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"
    return f"t test ({words} degrees of freedom)"


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


def _people_per_respondent(cells: Estimates) -> float:
    known = np.isfinite(cells.size) & (cells.sample > 0)
    people, respondents = cells.size[known].sum(), cells.sample[known].sum()
    return float(people / respondents) if respondents else math.nan


def _correction_words(settings: Settings, within_groups: bool, line: str) -> str:
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


def _outside_words(names: Sequence[str], settings: Settings) -> str:
    if not names or settings.family == "row" or settings.correction == "none":
        return ""
    named = ", ".join(names) if len(names) <= _NAMED_NETS else f"{len(names)} nets"
    return f"{named} tested but not counted"
