"""The data of a summary table: the rows of many questions, their figures and their tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audiencelab.hidden_members import hide_members
from audiencelab.results.arrangement import UNARRANGED, TableArrangement
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.made import Made
from audiencelab.results.summary_statistics import SummaryStatistic
from audiencelab.wording import plural

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SummaryTest:
    """A test of a row, or of all answers of a question, between the groups of the columns.

    method: its name. statistic: a t or an F, with its degrees of freedom; `first` is NaN of a t.
    p: NaN where there is none, and then `note` says why; else what is unsure of it.
    """

    method: str
    statistic: float = float("nan")
    first: float = float("nan")
    second: float = float("nan")
    p: float = float("nan")
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SummaryRow:
    """A row of a summary table; figures are float64[1 + columns], everyone in the base first.

    code, question: of its question. item: of a grid, whose row it is. answer: its name; "" of a
    row for the question or an item.
    statistic: what its cells show; None of a row that names those after it.
    figures: by metric. base: the respondents that these rest on.
    tests: one for each group of columns, None for a row that has none.
    is_missing: whether it counts those without an answer. level: how many rows it is under.
    decimals: of amounts. direction: what amounts of a scale run from and to. exact: whether amounts
    are numbers that respondents gave, and not those of answers. shown: the statistic in its name.
    """

    code: str
    question: str
    item: str = ""
    answer: str = ""
    statistic: SummaryStatistic | None = None
    figures: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    base: Floats | None = None
    tests: tuple[SummaryTest | None, ...] = ()
    is_missing: bool = False
    level: int = 0
    decimals: int = 1
    direction: str = ""
    exact: bool = True
    shown: str = ""

    @property
    def is_head(self) -> bool:
        """Whether it is the row of a question or an item."""
        return not self.answer


@hide_members("made")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SummaryData:
    """Many questions by groups of respondents: what a paper prints as its first table.

    rows: in the order of the questions. columns: a table of the groups alone, with their bases.
    families: the groups that are compared, by name, with the positions of their columns.
    overall: whether everyone in the base has a column. notes: on figures and tests.
    how: how it is arranged where a call does not say so.
    made: how the table was made, for `to_code`.
    """

    rows: tuple[SummaryRow, ...]
    columns: CrosstabData
    families: Mapping[str, tuple[int, ...]]
    overall: bool = True
    notes: tuple[str, ...] = ()
    title: str = "Summary"
    how: TableArrangement = UNARRANGED
    made: Made = None

    def __repr__(self) -> str:
        questions = len(dict.fromkeys(row.code for row in self.rows))
        groups = len(self.columns.columns) if self.columns.columns_requested else 0
        by = f" by {plural(groups, 'group')}" if groups else ""
        n = f"{self.columns.base_sample:,.0f}"
        return f"<SummaryTable of {plural(questions, 'question')}{by}, n = {n}>"
