"""Comparisons as data: the tests of a table, their long frame, and the table with its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.method_note import describe
from audiencelab.analysis.options import TestSettings
from audiencelab.analysis.plan import PERCENTAGES, TestPlan, Unit
from audiencelab.analysis.proportions import Proportions, TableItems
from audiencelab.analysis.run_tests import Outcome, run_tests
from audiencelab.hidden_members import hide_members
from audiencelab.results.banner import named_levels
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import as_figures, ordered, text_column
from audiencelab.results.made import Made
from audiencelab.wording import half_up, plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.moving_averages import MovingAverageData

Positions = NDArray[np.intp]
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

_NAMES = {"row_group", "row"}
"""Columns of a frame that name a row, which a row of shares has other names in than a mean."""

_OTHER = {
    "column_id": "other_id",
    "column_group": "other_group",
    "column": "other",
    "row_id": "other_id",
    "row_group": "other_group",
    "row": "other",
    "wave": "previous",
    "wave_label": "previous_label",
}


@hide_members("made", "whole_note")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ComparisonData:
    """CellEstimates that were tested against each other.

    table: what was compared. outcome: the tests, [rows, tests]. settings: how they were made.
    column, other: for each test the position of its column, and in `others` of what that is
        compared with.
    method_note: everything that the values depend on, as one sentence.
    vs: what each column was compared with: "columns", "rest", "total", or "previous wave"; "rows"
        where rows were compared with each other, whose table is turned: its rows are the columns.
    groups: a number for each column (of the turned table), the same for columns that are compared
        with each other.
    unit: how the estimates are shown.
    statistics: the same columns compared in the table's rows of statistics, such as means; None
        where there are none, or where they are not tested.
    shown: the rows as they are shown, whether each is a statistic, and its position; () where
        there are no statistics.
    decimals: of the values of each row, where the unit does not say.
    source: the crosstab or the moving average that was tested; None for other results.
    made: how the comparison was made, for `to_code`.
    """

    table: Proportions
    outcome: Outcome
    settings: TestSettings
    column: Positions
    other: Positions
    others: TableItems
    method_note: str
    vs: str = "columns"
    groups: tuple[int, ...] = ()
    unit: Unit = PERCENTAGES
    statistics: ComparisonData | None = None
    shown: tuple[tuple[bool, int], ...] = ()
    decimals: tuple[int, ...] = ()
    source: CrosstabData | MovingAverageData | None = None
    made: Made = None

    @property
    def whole_note(self) -> str:
        """The method notes of shares and of statistics."""
        return " ".join(each.method_note for each in shown_parts(self))

    def __len__(self) -> int:
        others = 0 if self.statistics is None else len(self.statistics)
        return others + int(np.count_nonzero(self.outcome.listed))


def comparison_of(plan: TestPlan) -> ComparisonData:
    """The tests of a plan, carried out, with their method note."""
    return ComparisonData(
        plan.table,
        run_tests(plan),
        plan.settings,
        plan.pairs.column,
        plan.pairs.other,
        plan.pairs.others,
        describe(plan),
        plan.vs,
        plan.groups,
        plan.unit,
        decimals=plan.decimals,
    )


def count_words(comparison: ComparisonData) -> str:
    """How many of the tests are significant, those of statistics among them."""
    parts = [comparison, *filter(None, [comparison.statistics])]
    found = sum(int((each.outcome.level[each.outcome.listed] > 0).sum()) for each in parts)
    return f"{found:,} of {plural(len(comparison), 'test')} significant"


def shown_table(comparison: ComparisonData) -> Proportions:
    """The table as it is shown, which is turned back where rows were compared."""
    return comparison.table.turned() if comparison.vs == "rows" else comparison.table


def shown_parts(comparison: ComparisonData) -> list[ComparisonData]:
    """The tests of the rows that are shown: of shares, of statistics, or both."""
    others, shown = comparison.statistics, comparison.shown
    if others is None:
        return [comparison]
    # A table of statistics alone has no shares to test.
    alone = shown and all(is_statistic for is_statistic, _ in shown)
    return [others] if alone else [comparison, others]


def comparison_frame(comparison: ComparisonData) -> pd.DataFrame:
    """See `Comparison.to_frame`."""
    import pandas as pd

    frame, others = _tests_frame(comparison), comparison.statistics
    if others is None:
        return frame
    means = _tests_frame(others)
    if not len(frame):
        return means
    # Names of shares and of means are different categories; `ordered` makes common ones below.
    parts = [each.astype(dict.fromkeys(_NAMES & {*each}, object)) for each in (frame, means)]
    whole = pd.concat(parts, ignore_index=True)
    for name in _NAMES & {*whole}:
        whole[name] = ordered(whole[name].fillna("").tolist())
    named = [each for each in means if each not in frame]
    place = list(frame).index("difference")
    order = [each for each in whole if each not in named]
    # Means are before the differences, as percentages are.
    whole = whole[[*order[:place], *named, *order[place:]]]
    whole.attrs.update(comparison.table.provenance, method_note=comparison.whole_note)
    return whole


def _tests_frame(comparison: ComparisonData) -> pd.DataFrame:
    """The tests of shares, or those of statistics."""
    import pandas as pd

    table, outcome, unit = comparison.table, comparison.outcome, comparison.unit
    rows, tests = np.nonzero(outcome.listed)
    down = table.rows.frame_columns(rows)
    across = table.columns.frame_columns(comparison.column[rows, tests])
    columns = across | down if comparison.vs == "rows" else down | across
    others = comparison.others.frame_columns(comparison.other[rows, tests])
    columns |= {_OTHER.get(name, name): values for name, values in others.items()}
    first, second = outcome.first, outcome.second
    planes = (
        unit.factor * first.value,
        unit.factor * second.value,
        unit.factor * outcome.difference,
        unit.factor * outcome.error,
        first.sample,
        second.sample,
        first.base,
        second.base,
        outcome.z,
        outcome.p,
        outcome.p_adjusted,
        outcome.level,
    )
    columns |= {
        name: as_figures(name, plane[rows, tests])
        # Not strict: the last name is the note, which is text and is added below.
        for name, plane in zip(COMPARISON_FIGURES, planes, strict=False)
    }
    columns["note"] = text_column(map(str, outcome.note[rows, tests]))
    frame = pd.DataFrame(columns)
    if outcome.freedom is not None:
        position = list(frame).index("z") + 1
        frame.insert(position, "degrees_of_freedom", outcome.freedom[rows, tests])
    frame = frame.rename(
        columns={"percentage": unit.name, "other_percentage": f"other_{unit.name}"}
    )
    frame.attrs.update(table.provenance, method_note=comparison.method_note)
    return frame


def marked_frame(
    comparison: ComparisonData,
    marks: Texts,
    decimals: int,
    letters: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Percentages or means with their marks, [rows, columns], with the letters if any.

    decimals: of values, unless the comparison has its own for each row. letters: of the columns,
    or of the rows where these were compared.
    """
    import pandas as pd

    table, of_rows = shown_table(comparison), comparison.vs == "rows"
    values = (comparison.unit.factor * table.cells.value).tolist()
    places = comparison.decimals or (decimals,) * len(values)
    texts = [
        [_marked(value, mark, place) for value, mark in zip(*row, strict=True)]
        for place, *row in zip(places, values, marks.tolist(), strict=True)
    ]
    index = _index(table.rows, letters if of_rows else None)
    columns = _index(table.columns, None if of_rows else letters)
    frame = pd.DataFrame(texts, index=index, columns=columns)
    frame.attrs.update(table.provenance, method_note=comparison.method_note)
    return frame


def with_statistic_rows(
    comparison: ComparisonData, shares: pd.DataFrame, statistics: pd.DataFrame
) -> pd.DataFrame:
    """The marked frame of a table with the rows of its statistics, as they are shown."""
    import pandas as pd

    whole = [shares, statistics]
    if len({each.index.nlevels for each in whole}) > 1:
        deeper = max(whole, key=lambda each: each.index.nlevels).index
        whole = [_with_levels(each, deeper) for each in whole]
    # Rows of statistics come after all rows of shares in what is concatenated.
    starts = [place + len(shares) * is_statistic for is_statistic, place in comparison.shown]
    frame = pd.concat(whole).iloc[starts]
    frame.attrs.update(comparison.table.provenance, method_note=comparison.whole_note)
    return frame


def _with_levels(frame: pd.DataFrame, deeper: pd.Index[Any]) -> pd.DataFrame:
    """The frame with as many levels of rows as another index, empty above its own."""
    import pandas as pd

    missing = deeper.nlevels - frame.index.nlevels
    levels = [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    above: list[Any] = [[""] * len(frame)] * missing
    return frame.set_axis(pd.MultiIndex.from_arrays([*above, *levels], names=deeper.names))


def _index(axis: TableItems, letters: Sequence[str] | None = None) -> pd.Index[Any]:
    import pandas as pd

    name = next(iter(axis.columns)).removesuffix("_id")
    levels: dict[str, Sequence[str]] = {**named_levels(axis.groups, name), name: axis.names}
    if letters is not None:
        levels["letter"] = letters
    if len(levels) == 1:
        return pd.Index(axis.names, name=name)
    return pd.MultiIndex.from_arrays([list(each) for each in levels.values()], names=list(levels))


def _marked(value: float, mark: str, decimals: int) -> str:
    number = "–" if np.isnan(value) else f"{half_up(value, decimals):.{decimals}f}"
    return f"{number} {mark}".rstrip()
