"""The waves of a draft: one for each value of a column, dated as far as the files show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from audiencelab.ingest.codebook import CodedWave, natural
from audiencelab.ingest.draft.questions import QuestionCodes, clean_code, scalar
from audiencelab.ingest.meaning.periods import in_time
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.value_mapping import sorted_values
from audiencelab.ingest.waves import dates_of, quarter_of, year_of
from audiencelab.survey.catalogue import placeholder

PLACEHOLDERS = (
    "their dates are not in the file; placeholders, months of 1900, keep the order. Write the "
    "right ones"
)

THE_FILE = "the file"
"""What the order of waves is taken from where their names say none."""

_MOST = 200
"""A larger number is not taken as the number of a wave."""

_Span = tuple[date, date | None]


def listed_waves(
    tables: Sequence[ReadColumns], column: ColumnProfile, dates: ColumnProfile | None
) -> tuple[tuple[CodedWave, ...], str, str]:
    """A wave for each value of a column, how they were dated, and what gave texts their order.

    Texts that say no order are in that of the file.
    """
    values, by = _in_order(column)
    spans, why = _dated(values, tables, column, dates)
    stem = clean_code(column.name).lower() or "wave"
    codes = QuestionCodes()
    waves = tuple(
        CodedWave(
            codes.take(f"{stem}_{value}"),
            *spans[value],
            name=column.labels.get(value, f"{column.name} {value}" if is_number(value) else value),
            value=scalar(value),
        )
        for value in values
    )
    return waves, why, by


def _in_order(column: ColumnProfile) -> tuple[list[str], str]:
    """The values of a column in the order of time, and what it was taken from; "" for codes."""
    values = [*column.answers]
    if column.labels or all(map(is_number, values)):
        return sorted(values, key=natural), ""
    if column.variable.order:
        return sorted_values(values, column.variable.order), ""
    places = in_time(values)
    if places is None:
        return values, THE_FILE
    return [values[place] for place in places], "the periods and numbers in their names"


def _dated(
    values: Sequence[str],
    tables: Sequence[ReadColumns],
    column: ColumnProfile,
    dates: ColumnProfile | None,
) -> tuple[Mapping[str, _Span], str]:
    """The first and the last day of each wave: by dates, as quarters, as years, or made up."""
    if dates is not None:
        spans = _interview_days(tables, column.name, dates.name)
        # Only if every wave has dates: dated waves and placeholders would not be in one order.
        if len(spans) == len(values):
            return spans, f"dated by {dates.name}"
    for period, span_of in (("quarter", quarter_of), ("year", year_of)):
        known = {value: span for value in values if (span := span_of(value))}
        if len(known) == len(values):
            return known, f"each value is a {period}"
    made_up = {
        value: (placeholder(n), None) for value, n in zip(values, _numbers(values), strict=True)
    }
    return made_up, f"not dated: {PLACEHOLDERS}"


def _numbers(values: Sequence[str]) -> Sequence[int]:
    """The numbers of waves: their values where these are numbers of waves, else 1, 2, 3 …."""
    numbers = [int(value) for value in values if value.isdecimal() and 0 < int(value) <= _MOST]
    return numbers if len(numbers) == len(values) else range(1, len(values) + 1)


def _interview_days(tables: Sequence[ReadColumns], wave: str, dates: str) -> dict[str, _Span]:
    """The first and the last date of each wave."""
    found: defaultdict[str, set[date]] = defaultdict(set)
    held = [table.columns[dates].values for table in tables if dates in table.columns]
    # Of all files together: one of them may show which number is the month.
    known = dates_of({value for values in held for value in values})
    for table in tables:
        if wave not in table.columns or dates not in table.columns:
            continue
        waves, days = table.columns[wave], table.columns[dates]
        # Each pair of wave and day once, however many respondents have it.
        pairs = np.unique(np.stack([waves.codes, days.codes]).astype(np.int64), axis=1)
        indices: list[tuple[int, int]] = pairs.T.tolist()
        for code, day in indices:
            if min(code, day) >= 0 and days.values[day] in known:
                found[waves.values[code]].add(known[days.values[day]])
    return {value: (min(each), max(each)) for value, each in found.items()}
