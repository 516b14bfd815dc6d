"""Tests carried out: from two arrays of estimates to p-values, levels and notes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import Settings
from audiencelab.analysis.proportions import Estimates
from audiencelab.analysis.statistics import (
    adjusted,
    adjusted_outside,
    difference_error,
    is_zero_or_full,
    likelihood_ratio,
    mean_difference,
    two_sided_p,
)
from audiencelab.results import undefined
from audiencelab.results.who_counts import ITEMS_DIFFER

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]

NO_FIGURE = "no figure"
NO_WEIGHT = "only respondents of weight 0"
SHARED = "some respondents are in both"
POOLED = "pooled, for a share of 0 or 100%"
END = "a share of 0 or 100%"
FIXED = "a share that the sample's design fixes"
ONE_CLUSTER = "one cluster, or one in each stratum: no variance"
NO_FREEDOM = "no degrees of freedom"
SINGLE = "a base of one, which has no spread"
CONSTANT = "no spread on either side"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tests by row, all arrays [rows, tests].

    first, second: the estimates that were compared. difference, error: in proportions of 1.
    level: the strictest level at which the two differ, NaN for none.
    listed: which tests were requested. note: why a test was not made, or its caveat.
    freedom: the degrees of freedom of each test, where they differ.
    """

    first: Estimates
    second: Estimates
    difference: Floats
    error: Floats
    z: Floats
    p: Floats
    p_adjusted: Floats
    level: Floats
    listed: Flags
    note: Texts
    freedom: Floats | None = None


def run_tests(
    settings: Settings,
    first: Estimates,
    second: Estimates,
    *,
    made: Flags,
    parts: Positions | None = None,
    outside: Flags | None = None,
    overlap: Floats | float = 0.0,
    freedom: Floats | None = None,
    errors: Floats | None = None,
    empty: str = undefined.EMPTY_COLUMN,
    caveats: Texts | None = None,
    unlike: Flags | None = None,
    cautious: bool = False,
) -> Outcome:
    """Test each proportion, or mean, against the other: z = difference / standard error.

    made: which tests to make. overlap: the correlation of the estimates, see `difference_error`.
    parts: a number for each test of a row, if the row has several families of tests.
    outside: rows that the family of the table does not count.
    freedom: degrees of freedom of each test, by the design of the sample.
    errors: of the differences, where they are those of means by the design, or of two rows.
    empty: the note for an empty column. caveats: notes of tests that are made nevertheless.
    unlike: tests that are not made as the two do not have the same items.
    cautious: whether tests of proportions also have to hold by their likelihood ratio.
    """
    pooled, settled = settings.pooled, settings.degrees_of_freedom
    if settings.by_pair:
        freedom = first.base + second.base - 2
    reasons = skip_reasons(settings, first, second, freedom, empty)
    if unlike is not None:
        reasons[unlike & (reasons == "")] = ITEMS_DIFFER
    values = first.value, first.base, second.value, second.base
    spread, other_spread = first.deviation, second.deviation
    if spread is not None and other_spread is not None:
        spreads = spread, first.base, other_spread, second.base
        if errors is None:
            error, freedom = mean_difference(*spreads, pooled=pooled, overlap=overlap)
        else:
            error = errors
            reasons = np.where((reasons == "") & np.isnan(error), ONE_CLUSTER, reasons)
            if freedom is not None:
                reasons = np.where((reasons == "") & ~(freedom > 0), NO_FREEDOM, reasons)
        reasons = np.where(reasons == "", _without_spread(first, second, error), reasons)
    else:
        error = (
            difference_error(*values, pooled=pooled, overlap=overlap) if errors is None else errors
        )
        if not pooled:
            caveats = _pooled_nevertheless(first.value, second.value, caveats)
    difference = first.value - second.value
    error = np.where((reasons != "") | ~made, np.nan, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        # No error means that all, or none, of both are in the row: nothing differs.
        z = np.where(error == 0, 0.0, difference / error)
    if cautious and spread is None:
        z = np.sign(z) * np.fmin(np.abs(z), likelihood_ratio(*values, overlap))
    if freedom is not None and settled is not None:
        freedom = np.full_like(freedom, settled)
    p = two_sided_p(z, settled if freedom is None else freedom)
    p_adjusted = _adjusted(p, settings, parts, outside)
    level = np.full(p.shape, np.nan)
    for each in reversed(settings.levels):
        # 1 - 0.95 is slightly more than 0.05, and 1 - 0.9 slightly less than 0.1.
        level[p_adjusted < round(1 - each, 12)] = each
    note = reasons if caveats is None else np.where(reasons == "", caveats, reasons)
    listed = np.broadcast_to(made, p.shape)
    return Outcome(first, second, difference, error, z, p, p_adjusted, level, listed, note, freedom)


def skip_reasons(
    settings: Settings, first: Estimates, second: Estimates, freedom: Floats | None, empty: str
) -> Texts:
    """Why pairs cannot be compared; "" where they can."""
    notes: Texts = np.full(first.value.shape, "", dtype=object)
    if first.deviation is None or second.deviation is None:
        if freedom is not None and settings.degrees_of_freedom is None:
            notes[~(freedom > 0)] = NO_FREEDOM
        for each in (first, second):
            if settings.zero_or_full == "skip":
                notes[is_zero_or_full(each.value)] = END
            notes[np.isinf(each.base)] = FIXED
            notes[np.isnan(each.base)] = ONE_CLUSTER
    for each in (first, second):
        notes[each.sample < settings.min_base] = f"base under {settings.min_base:,g}"
    for each in (first, second):
        notes[np.isnan(each.value) | np.isnan(each.sample)] = NO_FIGURE
        notes[(each.size == 0) & (each.sample > 0)] = NO_WEIGHT
        notes[each.sample == 0] = empty
    return notes


def _without_spread(first: Estimates, second: Estimates, error: Floats) -> Texts:
    single = ~((first.base > 1) & (second.base > 1))
    constant = (error == 0) & (first.value != second.value)
    return np.where(single, SINGLE, np.where(constant, CONSTANT, "")).astype(object)


def _pooled_nevertheless(first: Floats, second: Floats, caveats: Texts | None) -> Texts:
    """The caveats, with one for differences from 0 or 100%, whose errors are always pooled."""
    ends = (is_zero_or_full(first) | is_zero_or_full(second)) & (first != second)
    pooled = np.where(ends, POOLED, "").astype(object)
    return pooled if caveats is None else np.where(caveats == "", pooled, caveats)


def _adjusted(
    p: Floats, settings: Settings, parts: Positions | None, outside: Flags | None
) -> Floats:
    found = np.empty_like(p)
    if settings.family == "table":
        apart = np.zeros(len(p), dtype=bool) if outside is None else outside
        family = p[~apart]
        found[~apart] = adjusted(family.reshape(1, -1), settings.correction).reshape(family.shape)
        nets = adjusted_outside(p[apart].ravel(), family.ravel(), settings.correction)
        found[apart] = nets.reshape(-1, p.shape[1])
        return found
    if parts is None:
        return adjusted(p, settings.correction)
    for part in np.unique(parts):
        found[:, parts == part] = adjusted(p[:, parts == part], settings.correction)
    return found
