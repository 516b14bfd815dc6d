"""Comparisons as data: a line for each test, a table of marks, and the method of it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import Settings
from audiencelab.analysis.proportions import Margin, Shares, named_columns
from audiencelab.analysis.run_tests import Outcome
from audiencelab.results.banner import named_levels
from audiencelab.results.dtypes import as_figures, text_type
from audiencelab.wording import half_up

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Texts = NDArray[np.object_]

COMPARISON_FIGURES = (
    "percentage",
    "other_percentage",
    "difference",
    "standard_error",
    "sample",
    "other_sample",
    "base",
    "other_base",
    "z",
    "p",
    "p_adjusted",
    "level",
    "note",
)
"""Columns of a comparison's frame, after those that name row, column and other."""

_OTHER = {
    "column_id": "other_id",
    "column_head": "other_head",
    "column": "other",
    "wave": "previous",
    "wave_label": "previous_label",
}


class Reading(NamedTuple):
    """How what is compared is told: what it is, its name in frames, times what, and how exactly.

    Shares of 1 are told in percent.
    """

    noun: str = "share"
    name: str = "percentage"
    unit: float = 100.0
    sign: str = "%"
    decimals: int = 1


PERCENTAGES = Reading()
MEANS = Reading("mean", "mean", 1.0, "", 2)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ComparisonData:
    """Shares that were tested against each other.

    shares: the table. outcome: the tests, [rows, tests]. settings: how they were made.
    column, other: for each test the place of its column, and of what that is compared with.
    others: how those are called.
    bases: how many respondents each share is worth, [rows, columns].
    recipe: everything that the figures depend on, as one sentence.
    groups: a number for each column, the same for those that are compared with each other; none
        where all of them are.
    reading: what is compared, and how it is displayed.
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
    reading: Reading = PERCENTAGES

    def __len__(self) -> int:
        return int(np.count_nonzero(self.outcome.listed))

    def found(self, place: int) -> tuple[Places, Places]:
        """Rows and tests that reach the level at a place, and no stricter one."""
        level = self.settings.levels[place]
        rows, tests = np.nonzero(self.outcome.listed & (self.outcome.level == level))
        return rows, tests


def comparison_frame(comparison: ComparisonData) -> pd.DataFrame:
    """See `Comparison.to_frame`."""
    import pandas as pd

    outcome, unit = comparison.outcome, comparison.reading.unit
    rows, tests = np.nonzero(outcome.listed)
    frame = named_columns(comparison.shares.rows, rows)
    frame |= named_columns(comparison.shares.columns, comparison.column[rows, tests])
    others = named_columns(comparison.others, comparison.other[rows, tests])
    frame |= {_OTHER.get(name, name): values for name, values in others.items()}
    first, second = outcome.first, outcome.second
    figures = (
        unit * first.cells.share,
        unit * second.cells.share,
        unit * outcome.difference,
        unit * outcome.error,
        first.cells.sample,
        second.cells.sample,
        first.base,
        second.base,
        outcome.z,
        outcome.p,
        outcome.p_adjusted,
        outcome.level,
        outcome.note,
    )
    frame |= {
        name: as_figures(name, plane[rows, tests])
        for name, plane in zip(COMPARISON_FIGURES, figures, strict=True)
    }
    # Texts as a column of texts, not of objects, also where there are none.
    frame["note"] = pd.Series([str(note) for note in frame["note"]], dtype=text_type())
    made = pd.DataFrame(frame)
    if outcome.freedom is not None:
        behind_z = list(made).index("z") + 1
        made.insert(behind_z, "degrees_of_freedom", outcome.freedom[rows, tests])
    name = comparison.reading.name
    made = made.rename(columns={"percentage": name, "other_percentage": f"other_{name}"})
    made.attrs.update(comparison.shares.provenance, recipe=comparison.recipe)
    return made


def marked_frame(
    comparison: ComparisonData,
    marks: Texts,
    decimals: int,
    letters: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Percentages or means with their marks, [rows, columns], under the columns' letters if any."""
    import pandas as pd

    share = comparison.reading.unit * comparison.shares.cells.share
    texts = [
        [_marked(value, mark, decimals) for value, mark in zip(*line, strict=True)]
        for line in zip(share.tolist(), marks.tolist(), strict=True)
    ]
    columns = comparison.shares.columns
    across, down = _index(columns, letters), _index(comparison.shares.rows)
    made = pd.DataFrame(texts, index=down, columns=across)
    made.attrs.update(comparison.shares.provenance, recipe=comparison.recipe)
    return made


def _index(margin: Margin, letters: Sequence[str] | None = None) -> pd.Index[Any]:
    """The names, under their heads, and over their letters."""
    import pandas as pd

    below = {} if letters is None else {"letter": letters}
    named: dict[str, Sequence[str]] = {
        **named_levels(margin.heads, _what(margin)),
        _what(margin): margin.names,
        **below,
    }
    if len(named) == 1:
        return pd.Index(margin.names, name=_what(margin))
    return pd.MultiIndex.from_arrays([list(each) for each in named.values()], names=list(named))


def _marked(value: float, mark: str, decimals: int) -> str:
    figure = "–" if np.isnan(value) else f"{half_up(value, decimals):.{decimals}f}"
    return f"{figure} {mark}".rstrip()


def _what(margin: Margin) -> str:
    """What stands in a margin: rows, columns, datapoints, waves."""
    return next(iter(margin.columns)).removesuffix("_id")
