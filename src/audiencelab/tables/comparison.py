"""The public results of comparisons: tests between columns, with the rest, and between waves."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData, comparison_frame, marked_frame
from audiencelab.analysis.letters import ARROWS, letters_of
from audiencelab.analysis.options import percent_words
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Texts = NDArray[np.object_]


class Comparison(ComparisonData, HasFrame):
    """Shares that were tested against each other; `ComparisonData` documents the fields."""

    __slots__ = ()

    @classmethod
    def of(cls, data: ComparisonData) -> Self:
        """The public form of a comparison."""
        return cls(**{field.name: getattr(data, field.name) for field in fields(data)})

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

        return comparison_html(
            self, title=self.title, legend=self.legend, marks=self.marks(), letters=self.heads()
        )


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
        return marked_frame(self, self.marks(), decimals, self.heads())

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
            for row, test in zip(*(each.tolist() for each in self.found(strictness)), strict=True):
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
        return marked_frame(self, self.marks(), decimals)

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
            rows, tests = self.found(strictness)
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
