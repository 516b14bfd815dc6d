"""The public results of comparisons: tests between columns, with the rest, and between waves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import count
from string import ascii_uppercase
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData, comparison_frame, marked_frame
from audiencelab.analysis.options import percent_words
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Texts = NDArray[np.object_]

ARROWS = (("▲", "▼"), ("△", "▽"))
"""Above and below what it is compared with: at the stricter level, at the other."""


class Comparison(ComparisonData, HasFrame):
    """Percentages, or means, that were tested; `ComparisonData` documents the fields."""

    __slots__ = ()

    @classmethod
    def of(cls, data: ComparisonData) -> Self:
        """The public form of a comparison."""
        return cls(**{field.name: getattr(data, field.name) for field in fields(data)})

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a test, rows first.

        `percentage` is the part of the column (or wave) that is in the row, `other_percentage`
        that of what it is compared with, and `difference` the first less the second in points,
        with its `standard_error`. `sample` and `other_sample` are respondents, `base` and
        `other_base` how many each percentage is worth. `z` is the statistic (a t where there are
        degrees of freedom), `p` its two-sided probability, `p_adjusted` the same after the
        correction, and `level` the strictest level at which the two differ. All are NaN where no
        test was made, and `note` says why. `attrs` hold provenance and method note.
        """
        return comparison_frame(self)

    @property
    def title(self) -> str:
        """What was compared with what, for the title of a table."""
        raise NotImplementedError

    @property
    def legend(self) -> str:
        """What the marks mean, for the notes of a table."""
        raise NotImplementedError

    def marks(self) -> Texts:
        """The marks alone, as text [rows, columns], "" where there is none."""
        raise NotImplementedError

    def column_letters(self) -> list[str]:
        """A letter for each column, "" for columns that have none."""
        return [""] * len(self.table.columns)

    def __repr__(self) -> str:
        rows, columns = self.table.shape
        found = int(np.count_nonzero(self.outcome.level[self.outcome.listed] > 0))
        return (
            f"<{type(self).__name__} {plural(rows, 'row')} × {plural(columns, 'column')}: "
            f"{found:,} of {plural(len(self), 'test')} significant. {self.method_note}>"
        )

    def _repr_html_(self) -> str:
        from audiencelab.render.html import comparison_html

        letters = self.column_letters()
        return comparison_html(
            self, title=self.title, legend=self.legend, marks=self.marks(), letters=letters
        )


class ColumnComparison(Comparison):
    """Every pair of columns, within each row.

    The larger of two values that differ is marked with the letter of the other column: a capital
    one at the stricter level, a small one at the other.
    """

    __slots__ = ()

    @property
    def title(self) -> str:
        return "Columns compared"

    def letters(self, decimals: int = 1) -> pd.DataFrame:
        """A table to read: percentages with their letters, rows down and columns across.

        The columns have two levels, name and letter. A column that was left out, a net or a
        total, has percentages but no letter; a missing percentage is "–".
        """
        return marked_frame(self, self.marks(), decimals, self.column_letters())

    @property
    def legend(self) -> str:
        levels = zip(("capital", "small"), self.settings.levels, strict=False)
        words = ", ".join(f"{kind} {percent_words(level)}" for kind, level in levels)
        which = "that column's in the same group" if any(self.groups) else "that column's"
        return f"A letter stands by a larger {self.unit.noun} than {which}: {words}."

    def column_letters(self) -> list[str]:
        compared = np.zeros(len(self.table.columns), dtype=bool)
        compared[np.concatenate([self.column.ravel(), self.other.ravel()])] = True
        groups: Sequence[int] = self.groups or [0] * len(compared)
        numbers = {group: count() for group in groups}
        return [
            letter(next(numbers[group])) if each else ""
            for each, group in zip(compared.tolist(), groups, strict=True)
        ]

    def marks(self) -> Texts:
        letters = self.column_letters()
        found: dict[tuple[int, int], list[tuple[int, str]]] = {}
        for strictness in range(len(self.settings.levels)):
            for row, test in zip(*(each.tolist() for each in self.found(strictness)), strict=True):
                pair = int(self.column[row, test]), int(self.other[row, test])
                larger, smaller = pair if self.outcome.difference[row, test] > 0 else pair[::-1]
                mark = letters[smaller].lower() if strictness else letters[smaller]
                found.setdefault((row, larger), []).append((smaller, mark))
        marks: Texts = np.full(self.table.shape, "", dtype=object)
        for cell, letters_of_cell in found.items():
            marks[cell] = " ".join(mark for _, mark in sorted(letters_of_cell))
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
    """One test a cell: it is above or below what it is compared with."""

    __slots__ = ()

    def arrows(self, decimals: int = 1) -> pd.DataFrame:
        """A table to read: percentages with their arrows, rows down and columns across.

        ▲ and ▼ mark what is above and below at the stricter level, △ and ▽ at the other.
        """
        return marked_frame(self, self.marks(), decimals)

    @property
    def legend(self) -> str:
        words = [
            f"{above} above and {below} below at {percent_words(level)}"
            for (above, below), level in zip(ARROWS, self.settings.levels, strict=False)
        ]
        return f"{', '.join(words)}."

    def marks(self) -> Texts:
        marks: Texts = np.full(self.table.shape, "", dtype=object)
        for strictness in range(len(self.settings.levels)):
            rows, tests = self.found(strictness)
            higher = self.outcome.difference[rows, tests] > 0
            marks[rows, self.column[rows, tests]] = np.where(higher, *ARROWS[strictness])
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


def letter(position: int) -> str:
    """The letter of the column at a position from 0: A to Z, then AA, AB, and so on."""
    above, within = divmod(position, len(ascii_uppercase))
    return (letter(above - 1) if above else "") + ascii_uppercase[within]
