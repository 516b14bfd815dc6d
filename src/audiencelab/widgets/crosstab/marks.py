"""The marks of cells, from tests of the part of a table that is shown.

Arrows and z are those of `test(vs="rest")`, letters those of `test()`. A small table is tested
whole. Of a large one the rows of a part are tested by themselves: no test depends on other rows,
and only letters on other columns, those of the same group.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.marks import ARROWS, column_letters, legend
from audiencelab.analysis.wave_changes import share_reasons
from audiencelab.results.all_waves import on_some_waves
from audiencelab.results.asking import Unanswered, query_of
from audiencelab.results.metrics import FROM_TESTS, IN_TABLES
from audiencelab.tables import Comparison, CrosstabResult
from audiencelab.tables.comparison import compared
from audiencelab.widgets.crosstab.formatting import ARROWS_AGAINST, LEVELS, Looks
from audiencelab.widgets.crosstab.metrics import part_of

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]

MAX_TESTS = 500_000
"""With more in the whole table, letters are not computed for the page."""

_WHOLE = 2_048
"""Cells up to which a table is tested whole, so that its marks are computed once."""

_PAIRS = 4_000_000
"""Rows × columns² up to which columns are tested against the wave before."""

_TOTAL = "totals are not tested"

_BY_HAND = "letters = grid.result.test().to_wide()"


@dataclass(frozen=True, slots=True)
class Marks:
    """The tests of cells against the rest of their base; arrays are [rows, columns].

    z, p, freedom: float64, NaN where there is no test; freedom is infinite for the normal
        distribution.
    level: float64, the strictest of `LEVELS`, in percent, at which the column's share is
        significantly larger (positive) or smaller (negative) than that of the rest; 0 for none.
    reasons: why cells are not tested. which: the position of each cell's, int8.
    method: the method note. short: what a legend says of it. problem: why nothing is tested.
    computed: metrics that are computed with the tests, by their names.
    previous: as `level`, against the same column one wave before; None where no column is a wave.
    previous_method: their method note. unchanged: why cells have no change since then, each text
    once; why: which of them each cell has.
    """

    z: Floats
    p: Floats
    freedom: Floats
    level: Floats
    reasons: tuple[str, ...] = ("",)
    which: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    method: str = ""
    short: str = ""
    problem: str = ""
    computed: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    previous: Floats | None = None
    previous_method: str = ""
    unchanged: tuple[str, ...] = ()
    why: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))

    @classmethod
    def of(cls, found: Comparison) -> Marks:
        """Those of a comparison with the rest."""
        outcome = found.outcome
        z = np.where(outcome.listed, outcome.z, np.nan)
        notes = np.where(outcome.listed | (outcome.note != ""), outcome.note, _TOTAL)
        notes = np.where(np.isnan(z), notes, "")
        reasons, which = np.unique(notes.astype(str), return_inverse=True)
        freedom = np.full(z.shape, np.inf) if outcome.freedom is None else outcome.freedom
        return cls(
            z,
            np.where(np.isnan(z), np.nan, outcome.p),
            np.where(np.isnan(z), np.nan, freedom),
            _levels(z, outcome.p),
            tuple(reasons.tolist()),
            which.reshape(z.shape).astype(np.int8),
            found.method_note,
            short_note(found),
        )

    @classmethod
    def made(cls, part: CrosstabResult) -> Marks:
        """Those of a table; none without scipy, which Python in a browser loads when asked."""
        try:
            computed = {name: part.values(name) for name in FROM_TESTS if name in IN_TABLES}
            tested = cls.of(compared(part, "rest"))
            tested = replace(tested, problem=_refusal(part), computed=computed)
            if not any(one_waves(part)):
                return tested
            texts, why = np.unique(share_reasons(part).astype(str), return_inverse=True)
            why = why.reshape(part.shape).astype(np.int8)
            tested = replace(tested, unchanged=tuple(texts.tolist()), why=why)
            return tested._with_waves(part)
        except ImportError as error:
            none = np.full(part.shape, np.nan)
            which = np.zeros(part.shape, np.int8)
            return cls(none, none, none, np.zeros(part.shape), which=which, problem=str(error))

    def _with_waves(self, part: CrosstabResult) -> Marks:
        """The same with the tests of columns that are waves, unless there are too many."""
        # All pairs of a larger table would be asked for in parts, which takes long.
        if part.expected * len(part.columns) > _PAIRS:
            return self
        try:
            found = compared(part, "previous wave")
        except LookupError:
            return self
        outcome = found.outcome
        level = _levels(np.where(outcome.listed, outcome.z, np.nan), outcome.p)
        return replace(self, previous=level, previous_method=found.method_note)

    def take(self, rows: Positions, columns: Positions) -> Marks:
        """Those of some rows and columns."""
        at = np.ix_(rows, columns)
        planes = {name: getattr(self, name)[at] for name in ("z", "p", "freedom", "level", "which")}
        computed = {name: values[at] for name, values in self.computed.items()}
        previous = None if self.previous is None else self.previous[at]
        why = self.why[at] if self.unchanged else self.why
        return replace(self, **planes, computed=computed, previous=previous, why=why)

    def plane(self, metric: str) -> Floats:
        """One of `FROM_TESTS`; NaN where it is not known."""
        return self.z if metric == "z" else self.computed.get(metric, np.full_like(self.z, np.nan))

    def arrows(self, level: float, *, waves: bool = False) -> Texts:
        """The arrows at a level, "" where there is none; waves: against the wave before."""
        up, down = ARROWS[0]
        reached = self.level
        if waves:
            reached = np.zeros_like(reached) if self.previous is None else self.previous
        found = np.abs(reached) >= round(100 * level)
        return np.where(found, np.where(reached > 0, up, down), "").astype(object)


@dataclass(frozen=True, slots=True)
class Letters:
    """The significance letters of cells, those of `CrosstabResult.test`.

    marks: str [rows, columns], "" where there is none. column_letters: the letter of each column,
    "" for one that is not compared. legend: what a letter means. method: that of the tests.
    problem: why there are no letters, "" where there are.
    """

    marks: Texts
    column_letters: tuple[str, ...]
    legend: str = ""
    method: str = ""
    problem: str = ""

    @classmethod
    def of(cls, found: Comparison) -> Letters:
        """Those of a comparison of columns."""
        words = legend(found), found.method_note
        return cls(found.marks(), tuple(column_letters(found)), *words)

    @classmethod
    def none(cls, shape: tuple[int, int], problem: str = "") -> Letters:
        """No letters; problem: why."""
        return cls(np.full(shape, "", dtype=object), ("",) * shape[1], problem=problem)

    def take(self, rows: Positions, columns: Positions) -> Letters:
        """Those of some rows and columns."""
        return Letters(
            self.marks[np.ix_(rows, columns)],
            tuple(self.column_letters[at] for at in map(int, columns)),
            self.legend,
            self.method,
            self.problem,
        )


class StatisticMarks(NamedTuple):
    """marks: of rows of statistics, [rows, columns], None where there are none.

    column_letters: of all columns, () where there are none.
    """

    marks: Texts | None = None
    column_letters: tuple[str, ...] = ()


class CellMarks(NamedTuple):
    """The marks that some cells show: tests against the rest, and letters."""

    tests: Marks | None = None
    letters: Letters | None = None


class TableMarks:
    """The marks of a table that does not change any more.

    nets: ids of rows and columns that are nets, which have no letters.
    """

    def __init__(self, result: CrosstabResult, nets: Sequence[str] = ()) -> None:
        self.result = result
        self._nets = frozenset(nets)
        self._lock = threading.Lock()
        self._whole: Marks | None = None
        self._letters: dict[float, Letters] = {}
        self._by_waves = any(each.any() for each in on_some_waves(result))
        self._shown: tuple[Positions, Positions] | None = None

    def take(self, rows: Sequence[int], columns: Sequence[int]) -> TableMarks:
        """What some rows and columns of the table show, by their positions among these."""
        made = copy(self)
        made._shown = (np.array(rows, np.intp), np.array(columns, np.intp))
        return made

    def of(self, rows: Positions, columns: Positions) -> Marks:
        """The tests of the cells at these positions against the rest."""
        if self._is_small or self._whole is not None:
            return self._of_whole().take(rows, columns)
        # Whether a wave is set against all waves depends on all columns.
        every = np.arange(self.result.shape[1]) if self._by_waves else columns
        if (part := self._part(rows, every)) is None:
            return self._of_whole().take(rows, columns)
        own = columns if self._by_waves else np.arange(len(columns))
        return Marks.made(part).take(np.arange(len(rows)), own)

    def letters(self, rows: Positions, columns: Positions, level: float) -> Letters:
        """The letters of the cells at these positions.

        level: of capital letters; small letters are significant at the level below.
        """
        shape = len(rows), len(columns)
        if problem := self._too_many():
            return Letters.none(shape, problem)
        if self._is_small or level in self._letters:
            return self._whole_letters(level).take(rows, columns)
        needed = self._compared_with(columns)
        if (part := self._part(self._rows_with(rows, needed), needed)) is None:
            return self._whole_letters(level).take(rows, columns)
        found = self._tested(part, level)
        return found.take(np.arange(len(rows)), np.searchsorted(needed, columns))

    def of_statistics(self, significance: str, level: float) -> StatisticMarks:
        """The marks of rows of statistics."""
        if self.result.statistics is None or significance == "none":
            return StatisticMarks()
        # No test of a mean depends on the rows of shares.
        part = part_of(self.result, range(min(1, len(self.result.rows))), range(self.shape[1]))
        try:
            if significance in ARROWS_AGAINST:
                found = compared(part, ARROWS_AGAINST[significance], levels=level)
            else:
                found = compared(part, levels=letter_levels(level), nets=self._named(part))
        except (ImportError, ValueError):
            return StatisticMarks()
        if not isinstance(means := found.statistics, Comparison):
            return StatisticMarks()
        marks, letters = means.marks(), np.array(column_letters(found), object)
        if self._shown is not None:
            marks, letters = marks[:, self._shown[1]], letters[self._shown[1]]
        return StatisticMarks(marks, tuple(letters.tolist()))

    def shown(self, rows: Positions, columns: Positions, looks: Looks) -> CellMarks:
        """What some cells show."""
        if self._shown is not None:
            rows, columns = self._shown[0][rows], self._shown[1][columns]
        return CellMarks(
            self.of(rows, columns) if looks.tests else None,
            self.letters(rows, columns, looks.level) if looks.letters else None,
        )

    def methods(self, looks: Looks) -> str:
        """How the marks that are shown were made."""
        rows, columns = (np.arange(min(1, each)) for each in self.shape)
        parts = self.shown(rows, columns, looks)
        return " ".join(each.method for each in parts if each is not None and each.method)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, number of columns."""
        return self.result.shape

    @property
    def _is_small(self) -> bool:
        return self.result.expected <= _WHOLE

    def _of_whole(self) -> Marks:
        with self._lock:
            if self._whole is None:
                self._whole = Marks.made(self.result)
            return self._whole

    def _whole_letters(self, level: float) -> Letters:
        with self._lock:
            if level not in self._letters:
                self._letters[level] = self._tested(self.result, level)
            return self._letters[level]

    def _tested(self, part: CrosstabResult, level: float) -> Letters:
        try:
            found = compared(part, levels=letter_levels(level), nets=self._named(part))
        except ImportError as error:
            return Letters.none(part.shape, str(error))
        except ValueError as error:
            # There are no two columns to compare; other groups of the table may have some.
            several = max(Counter(self.result.column_groups).values(), default=0) > 1
            return Letters.none(part.shape, "" if several else str(error))
        return replace(Letters.of(found), problem=_refusal(part))

    def _part(self, rows: Positions, columns: Positions) -> CrosstabResult | None:
        """The cells as a table; None where only the whole table's answers are known."""
        part = part_of(self.result, rows.tolist(), columns.tolist())
        query = query_of(part)
        if part.ask is None or query is None:
            return part
        part.ask = part.ask.apart()
        try:
            part.ask.precision(query)
        except Unanswered:
            return None
        return part

    def _named(self, part: CrosstabResult) -> list[str]:
        """The nets of a part."""
        ids = (each.id or each.name for each in (*part.rows, *part.columns))
        return [each for each in ids if each in self._nets]

    def _compared_with(self, columns: Positions) -> Positions:
        """The columns of the groups of some columns."""
        groups = self.result.column_groups
        shown = {groups[at] for at in map(int, columns)}
        every = self._by_waves or not any(groups)
        return np.array([at for at, each in enumerate(groups) if every or each in shown], np.intp)

    def _rows_with(self, rows: Positions, columns: Positions) -> Positions:
        """The rows, and one for each column that is the whole base of these rows, but not of all.

        A total is not compared, and no row shows by itself whether a column is one.
        """
        size, base = self.result.values("column_sample"), self.result.values("base_sample")
        if (base == base[:1]).all():
            return rows
        differs = (size != base)[:, columns]
        lost = ~differs[rows].any(axis=0) & differs.any(axis=0)
        return np.append(rows, np.unique(differs[:, lost].argmax(axis=0)))

    def _too_many(self) -> str:
        # At most: pairs of columns in the same groups, in every row.
        together = Counter(self.result.column_groups).values()
        tests = len(self.result.rows) * sum(math.comb(columns, 2) for columns in together)
        if tests <= MAX_TESTS:
            return ""
        return f"{tests:,} tests are more than {MAX_TESTS:,}. In Python: {_BY_HAND}"


def letter_levels(level: float) -> tuple[float, ...]:
    """Levels of capital and of small letters: `level`, and the next one below it."""
    below = [each for each in LEVELS if each < level]
    return (level, *below[-1:])


def short_note(found: Comparison) -> str:
    """What a legend says of how tests were made: the method note without what is always alike."""
    note = found.method_note
    if "design unknown" in note:
        return "design unknown"
    test, _, rest = note.removeprefix("Two-sided ").partition(f" of {found.table.metric}, ")
    errors = rest.partition("pooled, ")[2].partition(", no correction")[0]
    return ", ".join(filter(None, (test, errors.partition(" (")[0])))


def _refusal(part: CrosstabResult) -> str:
    """Why the design of the sample shows no variance; "" where it does, or is not known."""
    query = query_of(part)
    if part.ask is None or query is None:
        return ""
    try:
        refused = part.ask.precision(query).refused
    except Unanswered:
        return ""
    return refused.partition(". ")[0].rstrip(".")


def _levels(z: Floats, p: Floats) -> Floats:
    found = np.zeros(z.shape)
    for level in LEVELS:
        with np.errstate(invalid="ignore"):
            # 1 - 0.95 is slightly above 0.05 as a double; rounded, a p of 0.05 is not below it.
            found[p < round(1 - level, 12)] = 100 * level
    return np.where(np.isnan(z), 0.0, np.sign(z) * np.round(found))
