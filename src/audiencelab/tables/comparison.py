"""The public result of a test."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis import marks
from audiencelab.analysis.compare import compare
from audiencelab.analysis.comparison import (
    ComparisonData,
    comparison_frame,
    count_words,
    marked_frame,
    shown_table,
    with_statistic_rows,
)
from audiencelab.analysis.options import TestOptions, Versus
from audiencelab.hidden_members import hide_members
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.provenance import waves_words
from audiencelab.tables.base import Exporting, LayoutOptions
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.moving_averages import MovingAverageData
    from audiencelab.markup import Card
    from audiencelab.render.table_layout import TableLayout
    from audiencelab.results.crosstab import CrosstabData


@hide_members("marks")
class Comparison(ComparisonData, Exporting):
    """Percentages, or means, that were tested; `ComparisonData` documents the fields.

    Columns (or rows) that are compared with each other have letters: the larger of two values that
    differ is marked with the letter of the other column, a capital one at the stricter level, a
    small one at the other. Against the rest, the total or the previous wave, ▲ and ▼ mark what is
    above and below at the stricter level, △ and ▽ at the other.

    Files and texts are those of the crosstab with these marks:
    `table.test().to_excel("tabs.xlsx")`, and those of a moving average. A test of another result
    has none, and raises `TypeError`.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a test, rows first.

        `percentage` is the part of the column (or wave) that is in the row, `other_percentage`
        that of what it is compared with, and `difference` the first less the second in points,
        with its `standard_error`. `sample` and `other_sample` are respondents, `base` and
        `other_base` how many each percentage is worth. `z` is the statistic (a t where there are
        degrees of freedom), `p` its two-sided probability, `p_adjusted` the same after the
        correction, and `level` the strictest level at which the two differ. All are NaN where no
        test was made, and `note` says why. Tests of rows of statistics follow, with `mean` and
        `other_mean`. `attrs` hold provenance and method note.

        >>> compared = client.crosstab("Gender", "Age").test()
        >>> compared.to_frame()[["row", "column", "other", "p"]].iloc[0].tolist()[:3]
        ['Male', '16 to 17', '18 to 24']
        """
        return comparison_frame(self)

    def to_wide(self, decimals: int | None = None) -> pd.DataFrame:
        """A table to read: values with their marks, rows down and columns across.

        decimals: of the values; by default 1 of percentages and 2 of means.

        The columns, or the rows, have a last level with their letters, if they were compared with
        each other. A column that was left out, a net or a total, has values but no letter; a
        missing value is "–".

        >>> client.crosstab("Finding brands", "Age").test().to_wide().iloc[0].tolist()[:3]
        ['44.8 D E F G', '41.9 D E F G', '42.0 D E F G']
        """
        shown = self.unit.decimals if decimals is None else decimals
        frame = marked_frame(self, self.marks(), shown, _letters(self))
        if not isinstance(self.statistics, Comparison):
            return frame
        means = self.statistics
        # 2 is for rows without decimals of their own.
        means = marked_frame(means, means.marks(), 2, _letters(means))
        return with_statistic_rows(self, frame, means)

    def __call__(self) -> Self:
        """The same: `table.letters()`, as other programs call it."""
        return self

    def marks(self) -> NDArray[np.object_]:
        """The marks alone, as text [rows, columns], "" where there is none.

        >>> client.crosstab("Finding brands", "Age").test().marks()[0, :3].tolist()
        ['D E F G', 'D E F G', 'D E F G']
        """
        return marks.marks(self)

    def _written(self) -> CrosstabData | MovingAverageData:
        if self.source is None:
            raise TypeError(
                "Only a test of a crosstab or of a moving average is written as a table. "
                'Write comparison.to_wide().to_excel("tests.xlsx").'
            )
        return self.source

    def _laid_out(self, options: LayoutOptions) -> TableLayout:
        return super()._laid_out({**options, "comparison": self})

    def __repr__(self) -> str:
        rows, columns = shown_table(self).shape
        rows = len(self.shown) or rows
        return (
            f"<{type(self).__name__} {plural(rows, 'row')} × {plural(columns, 'column')}: "
            f"{count_words(self)}"
            f"{waves_words(self.table.provenance)}. {self.whole_note}>"
        )

    def _card(self) -> Card:
        from audiencelab.render.html import comparison_card

        return comparison_card(self)


def _letters(comparison: Comparison) -> list[str] | None:
    return marks.letters_of(comparison) if comparison.vs in marks.PAIRS else None


def public(data: ComparisonData) -> Comparison:
    """A comparison with the methods of its public class."""
    values = {field.name: getattr(data, field.name) for field in fields(data)}
    if data.statistics is not None:
        values["statistics"] = public(data.statistics)
    return Comparison(**values)


def compared(
    result: CrosstabData, vs: Versus = "columns", **options: Unpack[TestOptions]
) -> Comparison:
    """What `CrosstabResult.test` shows, of a replay too whose design was not recorded."""
    return public(replace(compare(result, vs, options), source=result))
