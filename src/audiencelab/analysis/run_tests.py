"""Tests carried out: from two tables of shares, side by side, to p-values and notes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import Settings
from audiencelab.analysis.proportions import Cells
from audiencelab.analysis.statistics import (
    adjusted,
    adjusted_outside,
    at_an_end,
    difference_error,
    likelihood_ratio,
    mean_difference,
    two_sided_p,
)
from audiencelab.results import undefined as denominators

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]
Texts = NDArray[np.object_]

NO_FIGURE = "no figure"
NO_WEIGHT = "only respondents of weight 0"
OTHER_WAVES = "on different waves"
SHARED = "some respondents are in both"
POOLED = "pooled, for a share of 0 or 100 %"
END = "a share of 0 or 100 %"
FIXED = "a share that the sample's design fixes"
ONE_CLUSTER = "all respondents in one cluster"
NO_FREEDOM = "no degrees of freedom"
SINGLE = "a base of one, which has no spread"
CONSTANT = "no spread on either side"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of each test: shares, and how many respondents each is worth."""

    cells: Cells
    base: Floats

    def across(self, columns: NDArray[np.intp]) -> Side:
        """The same rows with these columns; see `Cells.across`."""
        cells = self.cells.across(columns)
        each = np.broadcast_to(columns, cells.share.shape)
        return Side(cells, np.take_along_axis(self.base, each, axis=1))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tests by row, all arrays [rows, tests].

    first, second: what was compared. difference, error: in shares of 1.
    level: the strictest level at which the two differ, NaN for none.
    listed: which tests were asked for.
    note: why a test was not made, or what to bear in mind; "" for nothing.
    freedom: the degrees of freedom of each test, where they differ.
    """

    first: Side
    second: Side
    difference: Floats
    error: Floats
    z: Floats
    p: Floats
    p_adjusted: Floats
    level: Floats
    listed: Flags
    note: Texts
    freedom: Floats | None = None


def carry_out(
    settings: Settings,
    first: Side,
    second: Side,
    *,
    made: Flags,
    parts: Places | None = None,
    outside: Flags | None = None,
    overlap: Floats | float = 0.0,
    freedom: Floats | None = None,
    empty: str = denominators.EMPTY_COLUMN,
    remark: Texts | None = None,
    cautious: bool = False,
) -> Outcome:
    """Test each share, or mean, against the one beside it.

    made: which tests are to be made at all. overlap: see `difference_error`.
    parts: a number for each test of a row, where a row has several families of tests.
    outside: rows that are judged by the threshold of the table's family and not counted in it.
    freedom: degrees of freedom of each test, by the design of the sample.
    empty: what to say of a side with nobody in it. remark: of a test that is made all the same.
    cautious: whether a test of shares has to hold by its likelihood ratio, too.
    """
    reasons = why_not(first.cells, second.cells, settings.min_base, empty)
    error, of_means = _errors(first, second, settings.pooled, overlap)
    most = None
    if of_means is not None:
        freedom = of_means
        reasons = np.where(reasons == "", _without_spread(first, second, error), reasons)
    else:
        reasons = np.where(reasons == "", _not_testable(settings, first, second, freedom), reasons)
        if not settings.pooled:
            remark = _pooled_all_the_same(first.cells, second.cells, remark)
        if cautious:
            sides = first.cells.share, first.base, second.cells.share, second.base
            most = likelihood_ratio(*sides, overlap)
    return judged(
        settings,
        first,
        second,
        error,
        reasons,
        made=made,
        parts=parts,
        outside=outside,
        remark=remark,
        freedom=freedom,
        most=most,
    )


def _not_testable(settings: Settings, first: Side, second: Side, freedom: Floats | None) -> Texts:
    """Why shares with figures cannot be tested; "" where they can."""
    notes: Texts = np.full(first.cells.share.shape, "", dtype=object)
    if freedom is not None and settings.degrees_of_freedom is None:
        notes[~(freedom > 0)] = NO_FREEDOM
    for side in (first, second):
        if settings.zero_or_full == "skip":
            notes[at_an_end(side.cells.share)] = END
        notes[np.isinf(side.base)] = FIXED
        notes[np.isnan(side.base)] = ONE_CLUSTER
    return notes


def _errors(
    first: Side, second: Side, pooled: bool, overlap: Floats | float
) -> tuple[Floats, Floats | None]:
    """Standard errors of the differences, and degrees of freedom where means are compared."""
    one, other = first.cells, second.cells
    if one.deviation is None or other.deviation is None:
        shares = one.share, first.base, other.share, second.base
        return difference_error(*shares, pooled=pooled, overlap=overlap), None
    spread = one.deviation, first.base, other.deviation, second.base
    return mean_difference(*spread, pooled=pooled, overlap=overlap)


def _pooled_all_the_same(first: Cells, second: Cells, remark: Texts | None) -> Texts:
    """Remarks, with a word on differences to or from 0 or 100 %, whose errors are pooled."""
    ends = (at_an_end(first.share) | at_an_end(second.share)) & (first.share != second.share)
    told = np.where(ends, POOLED, "").astype(object)
    return told if remark is None else np.where(remark == "", told, remark)


def _without_spread(first: Side, second: Side, error: Floats) -> Texts:
    """Why a t test of two means has nothing to divide by; "" where it has."""
    single = ~((first.base > 1) & (second.base > 1))
    constant = (error == 0) & (first.cells.share != second.cells.share)
    return np.where(single, SINGLE, np.where(constant, CONSTANT, "")).astype(object)


def judged(
    settings: Settings,
    first: Side,
    second: Side,
    error: Floats,
    reasons: Texts,
    *,
    made: Flags,
    parts: Places | None = None,
    outside: Flags | None = None,
    remark: Texts | None = None,
    freedom: Floats | None = None,
    most: Floats | None = None,
) -> Outcome:
    """From differences and their standard errors to p-values, levels and notes.

    reasons: why tests cannot be made, "" where they can. freedom: the degrees of freedom of each,
    where none are settled for all. most: the largest size of each z. The rest is as in `carry_out`.
    """
    difference = first.cells.share - second.cells.share
    error = np.where((reasons != "") | ~made, np.nan, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Nothing varies where all, or none, of both sides are in the row: nothing differs then.
        z = np.where(error == 0, 0.0, difference / error)
    if most is not None:
        z = np.sign(z) * np.fmin(np.abs(z), most)
    settled = settings.degrees_of_freedom
    if freedom is not None and settled is not None:
        freedom = np.full_like(freedom, settled)
    p = two_sided_p(z, settled if freedom is None else freedom)
    p_adjusted = _adjusted(p, settings, parts, outside)
    note = reasons if remark is None else np.where(reasons == "", remark, reasons)
    level = np.full(p.shape, np.nan)
    for each in reversed(settings.levels):
        level[p_adjusted < _alpha(each)] = each
    listed = np.broadcast_to(made, p.shape)
    return Outcome(first, second, difference, error, z, p, p_adjusted, level, listed, note, freedom)


def _adjusted(p: Floats, settings: Settings, parts: Places | None, outside: Flags | None) -> Floats:
    """p-values that allow for the tests of their family: of the table, of a row, or of its part."""
    if settings.family == "table":
        apart = np.zeros(len(p), dtype=bool) if outside is None else outside
        found, family = np.empty_like(p), p[~apart]
        found[~apart] = adjusted(family.reshape(1, -1), settings.correction).reshape(family.shape)
        nets = adjusted_outside(p[apart].ravel(), family.ravel(), settings.correction)
        found[apart] = nets.reshape(-1, p.shape[1])
        return found
    if parts is None:
        return adjusted(p, settings.correction)
    found = np.empty_like(p)
    for part in np.unique(parts):
        found[:, parts == part] = adjusted(p[:, parts == part], settings.correction)
    return found


def remarks(first: Cells, second: Cells) -> Texts:
    """What to bear in mind of pairs whose figures come from different waves."""
    return np.where(first.scope == second.scope, "", OTHER_WAVES).astype(object)


def why_not(first: Cells, second: Cells, min_base: float, empty: str) -> Texts:
    """Why pairs cannot be compared; "" where they can."""
    notes: Texts = np.full(first.share.shape, "", dtype=object)
    for cells in (first, second):
        notes[cells.sample < min_base] = f"base under {min_base:,g}"
    for cells in (first, second):
        notes[np.isnan(cells.share) | np.isnan(cells.sample)] = NO_FIGURE
        notes[(cells.size == 0) & (cells.sample > 0)] = NO_WEIGHT
        notes[cells.sample == 0] = empty
    return notes


def _alpha(level: float) -> float:
    # 1 - 0.95 is a hair more than 0.05, and 1 - 0.9 a hair less than 0.1.
    return round(1 - level, 12)
