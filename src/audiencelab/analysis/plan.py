"""The plan of a table's tests: what is compared, how sure each difference is, what is left out.

It is made and checked once, where a table is asked for its tests. `run_tests` carries it out, and
`method_note` reads its sentence off it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import TestOptions, TestSettings
from audiencelab.analysis.prepare import TestInputs
from audiencelab.analysis.proportions import CellEstimates, Proportions, TableItems
from audiencelab.analysis.statistics import (
    difference_error,
    is_zero_or_full,
    mean_difference,
)
from audiencelab.flags import flag
from audiencelab.results import undefined
from audiencelab.results.comparable import ALIKE, ITEMS_DIFFER, Unlike
from audiencelab.results.undefined import WITHHELD

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]

MOST_TESTS = 2_000_000
"""More tests than this cannot be read as letters, and their values would fill the memory."""

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


class Unit(NamedTuple):
    """How estimates are shown: what they are, the frame's name, factor, sign and decimals."""

    noun: str = "share"
    name: str = "percentage"
    factor: float = 100.0
    sign: str = "%"
    decimals: int = 1


PERCENTAGES = Unit()
MEANS = Unit("mean", "mean", 1.0, "", 2)
STATISTICS = MEANS._replace(noun="value")


class UntestedCells(NamedTuple):
    """Cells that are not tested, bool[rows, columns], and how the method note puts it."""

    cells: Flags
    words: str


class Exclusions(NamedTuple):
    """Rows and columns that are not tested (totals, nets), and rows outside of the family.

    made: the cells that are tested, as far as rows and other cells go. words: how the method note
    puts those other cells.
    """

    rows: Flags
    columns: Flags
    outside: Flags
    made: Flags
    words: str = ""


class Pairs(NamedTuple):
    """What is compared, [rows, tests].

    first, second: the estimates. column, other: the positions of their columns, the second in
    `others`.
    """

    first: CellEstimates
    second: CellEstimates
    column: Positions
    other: Positions
    others: TableItems


class Errors(NamedTuple):
    """How sure differences are, float64[rows, tests].

    error: standard errors, of shares of 1, or of means. freedom: degrees of freedom, where tests
        are not all normal.
    overlap: the correlation of the estimates, where bases give the errors.
    known: who is in both and accounted for, such as "respondents and clusters"; "" for none.
    of_bases: whether the bases give the errors, else the sample's design.
    unsure: why an error is not known.
    """

    error: Floats
    freedom: Floats | None
    overlap: Floats | float = 0.0
    known: str = ""
    of_bases: bool = True
    unsure: Texts | str = ONE_CLUSTER


@dataclass(frozen=True, eq=False)
class TestPlan:
    """Tests of a table; arrays are [rows, tests], with the rows of the table.

    ready: the table with its settings and design effects.
    vs: what each column is compared with, see `ComparisonData`.
    made: which tests are asked for. unlike: those whose two sides do not compare.
    parts: a number for each test of a row, where a row has several families of tests.
    within_groups: whether these are the groups of the banner, or of the stub.
    groups: a number for each column, the same for columns that are compared with each other.
    caveats: notes of tests that are made nevertheless. empty: the note for an empty column, or
        one for each test.
    kept: the part of a difference from the rest that is the one from the total; by default that of
        the people in the rest.
    cautious: whether differences also have to hold by their likelihood ratio.
    unit, decimals: how estimates are shown, and with how many decimals in each row.
    """

    __test__: ClassVar = False

    ready: TestInputs
    vs: str
    pairs: Pairs
    errors: Errors
    scope: Exclusions
    made: Flags
    unlike: Unlike = ALIKE
    parts: Positions | None = None
    within_groups: bool = False
    groups: tuple[int, ...] = ()
    caveats: Texts | None = None
    empty: Texts | str = undefined.EMPTY_COLUMN
    kept: Floats | None = None
    cautious: bool = False
    unit: Unit = PERCENTAGES
    decimals: tuple[int, ...] = ()

    @property
    def table(self) -> Proportions:
        return self.ready.table

    @property
    def settings(self) -> TestSettings:
        return self.ready.settings

    @property
    def of_means(self) -> bool:
        return self.pairs.first.deviation is not None and self.pairs.second.deviation is not None

    @property
    def freedom(self) -> Floats | None:
        """Degrees of freedom of each test, where tests are not all normal."""
        # Means by bases keep Welch's or Student's degrees of freedom.
        if self.settings.by_pair and not (self.of_means and self.errors.of_bases):
            return self.pairs.first.base + self.pairs.second.base - 2
        return self.errors.freedom

    @cached_property
    def reasons(self) -> Texts:
        """Why tests cannot be made; "" where they can."""
        first, second = self.pairs.first, self.pairs.second
        notes: Texts = np.full(self.errors.error.shape, "", dtype=object)
        # Later notes replace earlier ones: an empty column is also below the least base.
        for each in (first, second):
            notes[each.sample < self.settings.min_base] = f"base under {self.settings.min_base:,g}"
        for each in (first, second):
            notes[np.isnan(each.value) | np.isnan(each.sample)] = NO_FIGURE
            notes[(each.size == 0) & (each.sample > 0)] = NO_WEIGHT
            notes = np.where(each.sample == 0, self.empty, notes)
        for where, why in self._uncertain():
            notes = np.where((notes == "") & where, why, notes)
        return notes

    def _uncertain(self) -> Iterator[tuple[Flags, Texts | str]]:
        """Where there is no test and why, the most important reason first."""
        (first, second, *_), error = self.pairs, self.errors.error
        still = error == 0
        differ = first.value != second.value
        items, breaks = self.unlike
        if breaks is not None and not self.settings.across_breaks:
            yield breaks != "", breaks
        if items is not None:
            yield items, ITEMS_DIFFER
        if self.of_means and self.errors.of_bases:
            yield ~((first.base > 1) & (second.base > 1)), SINGLE
        yield np.isnan(error), self.errors.unsure
        if self.of_means:
            # Means that differ without any spread would have an infinite t.
            yield still & differ, CONSTANT
        else:
            fixed = np.isinf(first.base) | np.isinf(second.base)
            # Bases give no error to shares that have everyone in common, by a rounded overlap, too.
            yield still & (fixed | (differ & (not self.errors.of_bases))), FIXED
            if self.settings.zero_or_full == "skip":
                yield is_zero_or_full(first.value) | is_zero_or_full(second.value), END
        # Means by bases have Welch's or Student's degrees of freedom, which SINGLE has judged.
        of_spreads = self.of_means and self.errors.of_bases
        settled = self.settings.degrees_of_freedom is not None
        if self.freedom is not None and not (of_spreads or settled):
            # Negated, so that NaN counts as none.
            yield ~(self.freedom >= 1), NO_FREEDOM

    @cached_property
    def notes(self) -> Texts:
        """Why a test is not made, or its caveat."""
        caveats, breaks = self.caveats, self.unlike.breaks
        if breaks is not None:
            # Of tests across breaks; without these, the same words are their reasons.
            caveats = breaks if caveats is None else np.where(breaks == "", caveats, breaks)
        if not (self.of_means or self.settings.pooled):
            # The errors of differences from 0 or 100% are always pooled.
            one, other = self.pairs.first.value, self.pairs.second.value
            ends = (is_zero_or_full(one) | is_zero_or_full(other)) & (one != other)
            pooled = np.where(ends, POOLED, "").astype(object)
            caveats = pooled if caveats is None else np.where(caveats == "", pooled, caveats)
        if caveats is None:
            return self.reasons
        return np.where(self.reasons == "", caveats, self.reasons)


def errors_of_bases(
    settings: TestSettings,
    first: CellEstimates,
    second: CellEstimates,
    overlap: Floats | float = 0.0,
    known: str = "",
) -> Errors:
    """Errors of shares or means that are worth as many respondents as their bases.

    overlap: the correlation of the estimates, see `difference_error`; NaN where it is withheld.
    """
    pooled = settings.pooled
    if first.deviation is not None and second.deviation is not None:
        spreads = first.deviation, first.base, second.deviation, second.base
        found = mean_difference(*spreads, pooled=pooled, overlap=overlap)
        return Errors(found.error, found.freedom, overlap, known)
    values = first.value, first.base, second.value, second.base
    error = difference_error(*values, pooled=pooled, overlap=overlap)
    return Errors(
        error, None, overlap, known, unsure=np.where(np.isnan(overlap), WITHHELD, ONE_CLUSTER)
    )


# -- which tests ----------------------------------------------------------------------------------


def check_number(lines: int, pairs: int, line: str = "row", pair: str = "column") -> None:
    """Raise `ValueError` for more tests than can be read."""
    if lines * pairs > MOST_TESTS:
        raise ValueError(
            f"{lines:,} {line}s × {pairs:,} pairs of {pair}s are more than "
            f"{MOST_TESTS:,} tests. Take fewer {pair}s, or vs='rest'."
        )


def scope_of(ready: TestInputs, but: UntestedCells | None = None) -> Exclusions:
    """Totals and nets are not tested; rows of everything and nets are outside of the family."""
    table, settings = ready.table, ready.settings
    total = table.rows.totals
    made = np.broadcast_to(~total[:, None], table.shape)
    return Exclusions(
        total,
        settings.is_net(table.columns) | table.columns.totals,
        (settings.is_net(table.rows) | full_rows(table)) & ~total,
        made if but is None else made & ~but.cells,
        "" if but is None else but.words,
    )


def full_rows(table: Proportions) -> Flags:
    """Rows that include all of every column, whatever their name: nothing can differ there."""
    value = table.cells.value
    # A mean of 1 is not all of its column.
    if table.cells.deviation is not None:
        return np.zeros(len(value), dtype=bool)
    # Full up to rounding: at either end, and on the upper half.
    counts = np.count_nonzero(is_zero_or_full(value) & (value > 0.5), axis=1)
    return (counts > 0) & (counts == np.count_nonzero(~np.isnan(value), axis=1))


def pairs_of(
    compared: Positions, groups: Positions, pair: str = "column"
) -> tuple[Positions, Positions]:
    """Every two of the same group; raises `ValueError` where there are none."""
    first, second = (compared[positions] for positions in np.triu_indices(len(compared), k=1))
    together = groups[first] == groups[second]
    if not together.any():
        raise ValueError(
            f"No two {pair}s are in the same group. To compare {pair}s of different groups, "
            "say within_groups=False."
        )
    return first[together], second[together]


def families(axis: TableItems, options: TestOptions) -> tuple[Positions, bool]:
    """A number for each, the same for those that are compared, and whether groups are apart."""
    within = flag("within_groups", options.get("within_groups", True)) and bool(axis.groups)
    return axis.group_numbers if within else np.zeros(len(axis), np.intp), within
