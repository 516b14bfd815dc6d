"""The cells of a table that differ significantly from everyone else, ranked.

A table of a thousand cells has fifty "significant" ones by chance. So all its tests are one family,
and what remains is ranked by the least that the difference may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare import rest_plan
from audiencelab.analysis.comparison import ComparisonData, comparison_frame, comparison_of
from audiencelab.analysis.measured import shared_columns
from audiencelab.analysis.options import CommonTestOptions
from audiencelab.analysis.plan import UntestedCells
from audiencelab.analysis.statistics import critical_values, selection_tail
from audiencelab.expressions import Audience, Condition
from audiencelab.expressions.nodes import walk
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.banner import full_name
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import text_column
from audiencelab.wording import half_up

if TYPE_CHECKING:
    import pandas as pd

STANDOUT_COLUMNS = (
    "statement",
    "row_id",
    "row_group",
    "row",
    "column_id",
    "column_group",
    "column",
    "percentage",
    "other_percentage",
    "difference",
    "at_least",
    "index",
    "sample",
    "p",
    "p_adjusted",
)
"""Columns of the ranking, those of groups only where there are some; its index is `rank` from 1."""


def standouts(
    result: CrosstabData, limit: int, **options: Unpack[CommonTestOptions]
) -> pd.DataFrame:
    """See `CrosstabResult.standouts`."""
    import pandas as pd

    check_limit(limit)
    plan = rest_plan(result, "rest", by_definition(result), options, cautious=True)
    comparison = comparison_of(plan)
    frame = comparison_frame(comparison)
    frame["index"] = result.values("index")[np.nonzero(comparison.outcome.listed)]
    frame["at_least"] = _at_least(comparison, frame)
    found = frame[frame["level"].notna()].sort_values(
        ["at_least", "p"], ascending=[False, True], kind="stable"
    )
    found = found.head(limit).reset_index(drop=True)
    found["statement"] = text_column(map(statement, found.to_dict("records")))
    found.index = pd.RangeIndex(1, len(found) + 1, name="rank")
    ranked = found[[name for name in STANDOUT_COLUMNS if name in found]]
    ranked.attrs.update(frame.attrs)
    return ranked


def by_definition(result: CrosstabData) -> UntestedCells:
    """The cells that differ by definition: of a question with itself, and of complements."""
    cells = of_one_question(result)
    # Columns that are the complement of another repeat what that one shows.
    cells[:, _complements(in_one_scale(result))] = True
    return UntestedCells(cells, "cells that differ by definition left out" if cells.any() else "")


def check_limit(limit: object) -> None:
    """Raise `ValueError` for a limit that is not a positive number of lines."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ValueError(f"limit must be a number of lines from 1; got {limit!r}.")


def of_one_question(result: CrosstabData) -> NDArray[np.bool_]:
    """The cells whose row and column are about the same question, bool[rows, columns]."""
    rows, columns = (
        [questions_of(audience) for audience in side] for side in (result.rows, result.columns)
    )
    cells = np.zeros(result.shape, dtype=bool)
    for position, questions in enumerate(rows):
        cells[position] = [_share_one(questions, column) for column in columns]
    return cells


def _share_one(questions: set[str], others: set[str]) -> bool:
    """Whether a question is in both; one side may name it without its namespace."""
    bare, bare_others = ({code.rpartition(".")[2] for code in side} for side in (questions, others))
    # a.q1 and b.q1 are two questions: bare codes are compared with whole ones only.
    return bool((questions | bare) & others or questions & bare_others)


def questions_of(audience: Audience) -> set[str]:
    """The questions that an audience names."""
    if audience.expression is None:
        return set()
    return {node.question for _, node in walk(audience.expression) if isinstance(node, Condition)}


def _complements(result: CrosstabData) -> list[int]:
    """Columns that are everyone who is not in an earlier one: they repeat what that one shows.

    Two columns are complements by their expressions, or where they make up the base and nobody is
    in both. Sizes that add up to the base prove nothing by themselves.
    """
    columns = result.columns
    found = {
        later
        for later in range(1, len(columns))
        if any(_negates(columns[later], earlier) for earlier in columns[:later])
    }
    pairs = [(one, other) for one, other in _making_up_the_base(result) if other not in found]
    if pairs:
        shared = shared_columns(result)
        if shared is not None:
            found |= {other for one, other in pairs if shared[one, other] == 0}
    return sorted(found)


def _negates(audience: Audience, other: Audience) -> bool:
    if audience.expression is None or other.expression is None:
        return False
    return audience.expression == ~other.expression


def _making_up_the_base(result: CrosstabData) -> list[tuple[int, int]]:
    if not result:
        return []
    bases = np.where(result.arrived, result.values("base_sample"), -1.0)
    # In the row with the largest base, columns are most complete.
    row = int(bases.max(axis=1).argmax())
    size, sample, base, respondents = (
        result.values(name)[row]
        for name in ("column_size", "column_sample", "base_size", "base_sample")
    )
    people = np.add.outer(size, size) - base
    same = (np.add.outer(sample, sample) == respondents) & (respondents[:, None] == respondents)
    # Services may round each size to whole people.
    one, other = np.nonzero(np.triu(same & (np.abs(people) <= 1), k=1))
    return list(zip(one.tolist(), other.tolist(), strict=True))


def _at_least(comparison: ComparisonData, frame: pd.DataFrame) -> pd.Series:
    """The nearer end of each difference's interval, in points, as strict as the tests were."""
    settings = comparison.settings
    alpha = 1 - settings.levels[0]
    rows = np.nonzero(comparison.outcome.listed)[0]
    # Nets are tested outside of the family, so the correction does not count them.
    family = frame[~settings.is_net(comparison.table.rows)[rows]]
    made, found = int(family["p"].notna().sum()), int(family["level"].notna().sum())
    tail = selection_tail(settings.correction, alpha, made, found)
    freedom = np.full(len(frame), settings.degrees_of_freedom or np.inf)
    if "degrees_of_freedom" in frame and settings.degrees_of_freedom is None:
        freedom = frame["degrees_of_freedom"].to_numpy(np.float64)
    reach = critical_values(1 - tail, freedom)
    nearest = frame["difference"].abs() - reach * frame["standard_error"]
    return nearest.clip(lower=0)


def statement(line: Mapping[Any, Any]) -> str:
    """A line of the ranking as a sentence."""
    row, column = (
        full_name((line[group],) if line.get(group := f"{side}_group") else (), line[side])
        for side in ("row", "column")
    )
    share, rest, difference = (
        half_up(line[name], 1) for name in ("percentage", "other_percentage", "difference")
    )
    return f"{row}: {share:.1f}% of {column}, {rest:.1f}% of the rest ({difference:+.1f} points)"
