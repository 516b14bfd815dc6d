"""Columns that are not scales: ranks of items, and parts of a constant sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.readers import ReadColumns
from audiencelab.schema.scales import Form

_FEWEST_ROWS = 10
_SAMPLE = 2_000
"""Rows of each file that are looked at before all of them are."""
_MOST_ITEMS = 60
_FEWEST_ITEMS = 3
_SHARE = 0.95
"""Of the respondents; the others made a mistake, or left items out."""
_USUAL_SUMS = (10, 100)

_Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FormedColumns:
    """Columns whose answers make sense together alone: `form`, and what shows it."""

    columns: tuple[ColumnProfile, ...]
    form: Form
    said: str


def formed(columns: Sequence[ColumnProfile], tables: Sequence[ReadColumns]) -> FormedColumns | None:
    """Ranks or parts of a constant sum in columns of one stem; None where they are neither."""
    if not 2 <= len(columns) <= _MOST_ITEMS or not all(column.numbers for column in columns):
        return None
    numbers = {number for column in columns for number in column.numbers or {}}
    if len(numbers) < _FEWEST_ITEMS or min(numbers) < 0:
        return None
    are_ranks = all(c.is_whole for c in columns) and numbers == {*range(1, len(numbers) + 1)}
    may_rank = are_ranks and _FEWEST_ITEMS <= len(columns) >= len(numbers)
    may_sum = not any(column.labels.keys() & column.answers.keys() for column in columns)
    span = f"{columns[0].name} … {columns[-1].name}"
    ranked, total, share = 0.0, 0.0, 0.0
    # A sample first: most stems are neither, and all rows of a large file take long.
    for most in (_SAMPLE, None):
        if not (may_rank or may_sum):
            return None
        rows = _rows(columns, tables, most)
        rows = rows[~np.isnan(rows).all(axis=1)]
        ranked = _ranked(rows) if may_rank else 0.0
        total, share = _sum(rows) if may_sum else (0.0, 0.0)
        may_rank, may_sum = ranked >= _SHARE, share >= _SHARE
    if may_rank:
        said = f"{span} are ranks, each given once by {ranked:.0%} of the respondents"
        return FormedColumns(tuple(columns), "rank", said)
    if may_sum:
        said = f"{span} add up to {total:g} for {share:.0%} of the respondents"
        return FormedColumns(tuple(columns), "sum", said)
    return None


def _rows(
    columns: Sequence[ColumnProfile], tables: Sequence[ReadColumns], most: int | None
) -> _Numbers:
    """What respondents answered, as numbers: float64[rows, columns], NaN for no answer."""
    parts: list[_Numbers] = []
    for table in tables:
        part = np.full((min(table.rows, most or table.rows), len(columns)), np.nan)
        for place, column in enumerate(columns):
            if (found := table.columns.get(column.name)) is None:
                continue
            known = [float(v) if v in column.answers else np.nan for v in found.values]
            # The code of an empty cell is -1, which takes the last entry.
            part[:, place] = np.array([*known, np.nan])[found.codes[: len(part)]]
        parts.append(part)
    return np.concatenate(parts)


def _ranked(rows: _Numbers) -> float:
    """The share of respondents who gave several ranks, each once and none left out."""
    counts = np.count_nonzero(~np.isnan(rows), axis=1)
    several = counts > 1
    if several.sum() < max(_FEWEST_ROWS, len(rows) / 2):
        return 0.0
    # As many powers of two as there are bits in their sum differ from each other.
    bits = np.nansum(np.exp2(rows - 1), axis=1)
    return float((bits == np.exp2(counts) - 1)[several].mean())


def _sum(rows: _Numbers) -> tuple[float, float]:
    """The commonest sum of the numbers of a respondent, and the share of those who have it."""
    # Few different rows may have one sum by chance.
    if len(rows) < _FEWEST_ROWS or len(np.unique(rows, axis=0)) < _FEWEST_ROWS / 2:
        return 0.0, 0.0
    sums, counts = np.unique(np.nansum(rows, axis=1).round(6), return_counts=True)
    total = float(sums[counts.argmax()])
    # Two columns may well add up to one number, such as the size of a household.
    is_usual = total in _USUAL_SUMS or rows.shape[1] >= _FEWEST_ITEMS
    return total, float(counts.max() / len(rows)) if is_usual and total > 0 else 0.0
