"""Draft the list of waves, where a column or several files tell the waves apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

from audiencelab.ingest.codebook import CodedWave
from audiencelab.ingest.draft.profile import ColumnProfile
from audiencelab.ingest.draft.questions import Codes, clean_code, scalar
from audiencelab.ingest.readers import SurveyFile, Table
from audiencelab.ingest.value_mapping import natural
from audiencelab.ingest.wave_periods import date_of, quarter_of, year_of

PLACEHOLDERS = (
    "their dates are not in the file; those given are placeholders, a month apart, that keep the "
    "order. Write the right ones"
)


def file_waves(sources: Sequence[SurveyFile]) -> tuple[CodedWave, ...]:
    """A wave for each file, a month apart: their order is known, their dates are not."""
    starts = _months_before(sources[-1].dated, len(sources))
    return tuple(
        CodedWave(code=f"w{place}", name=source.name, starts=day)
        for place, (source, day) in enumerate(zip(sources, starts, strict=True), start=1)
    )


def one_wave(name: str, dates: ColumnProfile) -> tuple[CodedWave, ...]:
    """One wave of everybody, from the first to the last of some dates."""
    known = [day for value in dates.answers if (day := date_of(value))]
    return (CodedWave(code="w1", name=name, starts=min(known), ends=max(known)),)


def listed_waves(
    tables: Sequence[Table], column: ColumnProfile, dated_by: str | None
) -> tuple[tuple[CodedWave, ...], str]:
    """A wave for each value of a column, and how they were dated.

    dated_by: a column of dates that everybody has.
    """
    values = sorted(column.answers, key=natural)
    spans: dict[str, tuple[date, date | None]] = {}
    if dated_by is not None:
        spans = _wave_dates(tables, column.name, dated_by)
    quarters = {value: span for value in values if (span := quarter_of(value))}
    years = {value: span for value in values if (span := year_of(value))}
    if len(spans) == len(values):
        why = f"dated by {dated_by}"
    elif len(quarters) == len(values):
        spans.update(quarters)
        why = "each value is a quarter"
    elif len(years) == len(values):
        spans.update(years)
        why = "each value is a year"
    else:
        why = f"not dated: {PLACEHOLDERS}"
        starts = _months_before(tables[-1].source.dated, len(values))
        spans = {value: (day, None) for value, day in zip(values, starts, strict=True)}
    stem = clean_code(column.name).lower() or "wave"
    codes = Codes()
    waves = tuple(
        CodedWave(
            code=codes.take(f"{stem}_{value}"),
            name=column.labels.get(value, f"{column.name} {value}"),
            value=scalar(value),
            starts=spans[value][0],
            ends=spans[value][1],
        )
        for value in values
    )
    return waves, why


def _wave_dates(
    tables: Sequence[Table], wave: str, dates: str
) -> dict[str, tuple[date, date | None]]:
    """The first and the last date of each wave."""
    found: dict[str, set[date]] = {}
    for table in tables:
        if wave not in table.columns or dates not in table.columns:
            continue
        waves, days = table.columns[wave], table.columns[dates]
        pairs = np.unique(np.stack([waves.codes, days.codes]).astype(np.int64), axis=1)
        indices: list[tuple[int, int]] = pairs.T.tolist()
        for code, day in indices:
            known = date_of(days.values[day]) if min(code, day) >= 0 else None
            if known is not None:
                found.setdefault(waves.values[code], set()).add(known)
    return {value: (min(known), max(known)) for value, known in found.items()}


def _months_before(day: date, count: int) -> list[date]:
    """The firsts of so many months, the last of them the day's own."""
    last = day.year * 12 + day.month - 1
    months = range(last - count + 1, last + 1)
    return [date(month // 12, month % 12 + 1, 1) for month in months]
