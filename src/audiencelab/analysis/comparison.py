"""Comparisons as results: a line for each test, a table of marks, and the recipe of it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.letters import ARROWS, letters_of
from audiencelab.analysis.options import Settings, percent_words
from audiencelab.analysis.proportions import Margin, Shares
from audiencelab.analysis.run_tests import Outcome
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "AverageComparison",
    "ColumnComparison",
    "Comparison",
    "Reading",
    "RestComparison",
    "WaveComparison",
]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Texts = NDArray[np.object_]


class Reading(NamedTuple):
    """How what is compared is told: what it is, its name in frames, times what, and how exactly.

    Shares of 1 are told in percent.
    """

    noun: str = "share"
    name: str = "percentage"
    unit: float = 100.0
    sign: str = "%"
    decimals: int = 1


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Comparison(HasFrame):
    """Shares that were tested against each other.

    shares: the table. outcome: the tests, [rows, tests]. settings: how they were made.
    column, other: for each test the place of its column, and of what that is compared with.
    others: how those are called.
    bases: how many respondents each share is worth, [rows, columns].
    recipe: everything that the figures depend on, as one sentence.
    groups: a number for each column, the same for those that are compared with each other; none
        where all of them are.
    """

    shares: Shares
    outcome: Outcome
    settings: Settings
    column: Places
    other: Places
    others: Margin
    bases: Floats
    recipe: str
    groups: tuple[int, ...] = ()

    reading: ClassVar[Reading] = Reading()

    def __len__(self) -> int:
        return int(np.count_nonzero(self.outcome.listed))

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a test, rows first.

        `percentage` is the share of the column (or wave) that is in the row, `other_percentage`
        that of what it is compared with, `difference` the first less the second, in points, with
        its `standard_error`. `base` and `other_base` are how many respondents each is worth,
        `sample` and `other_sample` how many they are. `z` is the statistic (a t where degrees of
        freedom were given), `p` its two-sided probability, `p_adjusted` the same after the
        correction, and `level` the strictest level at which the two differ; all are NaN where no
        test was made, and `note` says why. `attrs` hold provenance and recipe.
        """
        from audiencelab.analysis.comparison_frames import comparison_frame

        return comparison_frame(self)

    @property
    def title(self) -> str:
        """What was compared with what, for above a table."""
        raise NotImplementedError

    @property
    def legend(self) -> str:
        """What the marks mean, for under a table."""
        raise NotImplementedError

    def marks(self) -> Texts:
        """The marks alone, as texts [rows, columns], "" where there is none."""
        raise NotImplementedError

    def heads(self) -> list[str]:
        """A letter for each column, "" for one that has none."""
        return [""] * len(self.shares.columns)

    def __repr__(self) -> str:
        rows, columns = self.shares.shape
        found = int(np.count_nonzero(self.outcome.level[self.outcome.listed] > 0))
        return (
            f"<{type(self).__name__} {plural(rows, 'row')} × {plural(columns, 'column')}: "
            f"{found:,} of {plural(len(self), 'test')} significant. {self.recipe}>"
        )

    def _repr_html_(self) -> str:
        from audiencelab.render.comparison import comparison_html

        return comparison_html(self)

    def _found(self, place: int) -> tuple[Places, Places]:
        """Rows and tests that reach the level at a place, and no stricter one."""
        level = self.settings.levels[place]
        rows, tests = np.nonzero(self.outcome.listed & (self.outcome.level == level))
        return rows, tests


class ColumnComparison(Comparison):
    """Every pair of columns, within each row.

    The larger share of a pair that differs carries the letter of the other column: a capital
    one at the stricter level, a small one at the other.
    """

    __slots__ = ()

    @property
    def title(self) -> str:
        return "Columns compared"

    def letters(self, decimals: int = 1) -> pd.DataFrame:
        """A table to read: percentages with their letters, rows down and columns across.

        The columns have two levels, name and letter. A column that was left out, a net or a
        total, has percentages and no letter; "–" stands where there is no percentage.
        """
        from audiencelab.analysis.comparison_frames import marked_frame

        return marked_frame(self, decimals)

    @property
    def legend(self) -> str:
        levels = zip(("capital", "small"), self.settings.levels, strict=False)
        said = ", ".join(f"{kind} {percent_words(level)}" for kind, level in levels)
        which = "that column's under the same heads" if any(self.groups) else "that column's"
        return f"A letter stands by a larger {self.reading.noun} than {which}: {said}."

    def heads(self) -> list[str]:
        compared = np.zeros(len(self.shares.columns), dtype=bool)
        compared[np.concatenate([self.column.ravel(), self.other.ravel()])] = True
        return letters_of(compared.tolist(), self.groups)

    def marks(self) -> Texts:
        heads = self.heads()
        carried: dict[tuple[int, int], list[tuple[int, str]]] = {}
        for strictness in range(len(self.settings.levels)):
            for row, test in zip(*(each.tolist() for each in self._found(strictness)), strict=True):
                pair = int(self.column[row, test]), int(self.other[row, test])
                larger, smaller = pair if self.outcome.difference[row, test] > 0 else pair[::-1]
                mark = heads[smaller].lower() if strictness else heads[smaller]
                carried.setdefault((row, larger), []).append((smaller, mark))
        marks: Texts = np.full(self.shares.shape, "", dtype=object)
        for cell, found in carried.items():
            marks[cell] = " ".join(mark for _, mark in sorted(found))
        return marks


class AverageComparison(ColumnComparison):
    """Every pair of columns by their means: of the answers' midpoints, over those who answered."""

    __slots__ = ()

    reading: ClassVar[Reading] = Reading("mean", "mean", 1.0, "", 2)

    @property
    def title(self) -> str:
        return "Averages compared"

    def letters(self, decimals: int = 2) -> pd.DataFrame:
        """A table to read: means with their letters, as those of percentages."""
        return ColumnComparison.letters(self, decimals)


class _Directed(Comparison):
    """One test a cell: its share lies above or below what it is compared with."""

    __slots__ = ()

    def arrows(self, decimals: int = 1) -> pd.DataFrame:
        """A table to read: percentages with their arrows, rows down and columns across.

        ▲ and ▼ mark what lies above and below at the stricter level, △ and ▽ at the other.
        """
        from audiencelab.analysis.comparison_frames import marked_frame

        return marked_frame(self, decimals)

    @property
    def legend(self) -> str:
        levels = zip(ARROWS, self.settings.levels, strict=False)
        said = ", ".join(
            f"{above} above and {below} below at {percent_words(level)}"
            for (above, below), level in levels
        )
        return f"{said}."

    def marks(self) -> Texts:
        marks: Texts = np.full(self.shares.shape, "", dtype=object)
        for strictness, (above, below) in zip(
            range(len(self.settings.levels)), ARROWS, strict=False
        ):
            rows, tests = self._found(strictness)
            higher = self.outcome.difference[rows, tests] > 0
            marks[rows, self.column[rows, tests]] = np.where(higher, above, below)
        return marks


class RestComparison(_Directed):
    """Each column against the rest of the base, or against the base, within each row."""

    __slots__ = ()

    @property
    def title(self) -> str:
        return f"Columns against the {self.others.names[0]}"


class WaveComparison(_Directed):
    """Each wave against the one before it that asked, within each trend."""

    __slots__ = ()

    @property
    def title(self) -> str:
        return "Waves compared"
