"""Divide rows into waves, with their weights."""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatch
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import (
    Codebook,
    Period,
    canonical_value,
    number_of,
    wave_values,
)
from audiencelab.ingest.columns import MISSING, Column
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.report import ONE_WAVE, Dropped, ImportReport
from audiencelab.survey.catalogue import SurveyWave, placeholder
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed

MOST_WEIGHT = 1e15
"""Weights above this are treated as data errors or codes for "none"."""

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2})(?:[T ].*)?)?")
_SLASHED = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?:[T ].*)?")
_SHORT = re.compile(r"\d{1,2}([/.-])\d{1,2}\1\d{2}(?:[T ].*)?")
_QUARTER = re.compile(r"(?i:(\d{4})[-_ ]?q([1-4])|q([1-4])[-_ ]?(\d{4}))")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}

_Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Segment:
    """The rows that one file gives to a wave, int[k], and their weights, float64[k].

    others: their other weights by name, NaN for none.
    """

    table: ReadColumns
    rows: _Indices
    weights: npt.NDArray[np.float64]
    others: Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class WaveRows:
    """A wave and its rows, file by file."""

    wave: SurveyWave
    segments: list[Segment] = field(default_factory=list[Segment])

    def __len__(self) -> int:
        return sum(len(segment.rows) for segment in self.segments)

    def values_of(self, column: str, missing: set[str] | None = None) -> npt.NDArray[Any]:
        """The values of a column, None for an empty cell: object[n].

        missing: values that count as empty, and with them those that files declare missing.
        """
        pieces: list[npt.NDArray[Any]] = []
        for segment in self.segments:
            found = segment.table.columns.get(column)
            if found is None:
                pieces.append(np.full(len(segment.rows), None, object))
                continue
            none: Collection[str] = () if missing is None else missing | found.missing
            # One more at the end: -1 is an empty cell.
            known = [None if value in none else value for value in found.values]
            pieces.append(np.array([*known, None], object)[found.codes[segment.rows]])
        return np.concatenate(pieces)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights of all rows, float64[n]."""
        return np.concatenate([segment.weights for segment in self.segments])

    @property
    def other_weights(self) -> dict[str, npt.NDArray[np.float64]]:
        """Those that any respondent has, by name, float64[n]; NaN for none."""
        found = {
            name: np.concatenate([segment.others[name] for segment in self.segments])
            for name in self.segments[0].others
        }
        return {name: each for name, each in found.items() if not np.isnan(each).all()}


def divide_into_waves(
    codebook: Codebook, tables: Sequence[ReadColumns], report: ImportReport
) -> list[WaveRows]:
    """The waves with rows in them. Rows without a wave or a weight are reported and left out.

    Raises `SourceError` for a weight that is negative or not a number, or a file that lacks the
    weight or wave column; `SurveyError` for waves that cannot be distinguished.
    """
    waves = [WaveRows(wave) for wave in _waves(codebook, tables, report)]
    for table, indices in zip(tables, _wave_indices(codebook, tables, waves), strict=True):
        names = codebook.weight.columns if codebook.weight else ()
        given = [weights_in(codebook, table, each) for each in names] or [np.ones(table.rows)]
        weights, *rest = given
        without = np.isnan(weights)
        _report_dropped(report, table, indices < 0, _without_wave(codebook, table, indices < 0))
        _report_dropped(report, table, (indices >= 0) & without, "without a weight")
        for index, wave in enumerate(waves):
            rows = np.flatnonzero((indices == index) & ~without)
            if rows.size:
                others = {name: each[rows] for name, each in zip(names[1:], rest, strict=True)}
                wave.segments.append(Segment(table, rows, weights[rows], others))
    for wave in waves:
        if not wave.segments:
            report.notes.append(f"wave {wave.wave.code} has no respondents and was left out")
    found = [wave for wave in waves if wave.segments]
    if not found:
        raise SurveyError(
            "No respondent is left: none has both a known wave and a weight."
            + "".join(f"\n  {dropped}" for dropped in report.dropped)
            + "".join(f"\n  {table.name}: it has no rows" for table in tables if not table.rows)
        )
    return found


# ---- which waves there are ----


def _waves(
    codebook: Codebook, tables: Sequence[ReadColumns], report: ImportReport
) -> list[SurveyWave]:
    if codebook.waves:
        return [
            SurveyWave(w.code, w.name or w.code, w.starts, w.ends or w.starts, w.accessible)
            for w in codebook.waves
        ]
    if codebook.wave is None:
        report.guesses.append(Guess("waves", "waves", ONE_WAVE, severity=3))
        day = placeholder(1)
        return [SurveyWave("w1", codebook.study.name or "All respondents", day, day)]
    column, by = codebook.wave.column, codebook.wave.by
    values = sorted({value for table in tables for value in _column(table, column).values})
    if by is not None:
        check_order_of_dates(column, values)
        days = sorted(dates_of(values).values())
        # Each period once, in the order of the days.
        return list({wave.code: wave for wave in (period_wave(by, day) for day in days)}.values())
    starts = {value: date_of(value) for value in values if len(value) <= len("2024-03-31")}
    if odd := [value for value in values if not starts.get(value)]:
        raise SurveyError(
            f"The values of the wave column {column} must be dates, got {listed(odd)}: list the "
            "[[waves]] in the codebook, each with its code, value, starts and ends."
        )
    return [SurveyWave(value, value, day, day) for value, day in starts.items() if day]


def date_of(value: str) -> date | None:
    """The day of an ISO date, time or month (its first day); None for any other value."""
    matched = _ISO.fullmatch(value)
    if matched is None:
        return None
    year, month, day = matched.groups()
    try:
        return date(int(year), int(month), int(day or 1))
    except ValueError:
        return None


def dates_of(values: Iterable[str]) -> dict[str, date]:
    """The days of the values that are dates.

    ISO dates, 31.12.2025, and 12/31/2025 or 31/12/2025: which number is the month is known once
    the other is above 12 in one of the values. Without such a value they are not dates.
    """
    given = list(values)
    slashed = {value: found for value in given if (found := _SLASHED.fullmatch(value))}
    numbers = [tuple(map(int, found.group(1, 3))) for found in slashed.values()]
    day_first = any(first > 12 for first, _ in numbers)
    month_first = any(second > 12 for _, second in numbers)
    days = {value: day for value in given if (day := date_of(value))}
    for value, found in slashed.items():
        first, sign, second, year = found.groups()
        # Both or neither was seen, so the order is not known. With dots the day is always first.
        if sign == "/" and day_first == month_first:
            continue
        day, month = (second, first) if sign == "/" and month_first else (first, second)
        with suppress(ValueError):
            days[value] = date(int(year), int(month), int(day))
    return days


def undecided_date(values: Iterable[str]) -> str:
    """Which number is not known where all values are written like dates: "month" or "year".

    The month of 7/10/2014, unless another value shows it; the year of 7/10/14. "" of other values.
    """
    given = list(values)
    if not given or dates_of(given):
        return ""
    if all(map(_SLASHED.fullmatch, given)):
        return "month"
    return "year" if all(map(_SHORT.fullmatch, given)) else ""


def check_order_of_dates(column: str, values: Iterable[str]) -> None:
    """Raise `SurveyError` for a column of dates of which the months or years are not known."""
    given = list(values)
    if number := undecided_date(given):
        raise SurveyError(
            f"{column} holds dates such as {given[0]}, and it is not known which number is the "
            f"{number}. Write them as 2025-12-31: frame[{column!r}] = "
            f"pandas.to_datetime(frame[{column!r}], dayfirst=True), or dayfirst=False, and open "
            'the frame; or choose another column with wave="COLUMN".'
        )


def quarter_of(value: str) -> tuple[date, date] | None:
    """The first and the last day of a quarter such as 2024q1, 2024-Q1 or Q1 2024; None else."""
    matched = _QUARTER.fullmatch(value)
    if matched is None:
        return None
    year, quarter = int(matched[1] or matched[4]), int(matched[2] or matched[3])
    # The end of a quarter needs a year that `date` can hold.
    if not 1 <= year < date.max.year:
        return None
    wave = period_wave("quarter", date(year, 3 * quarter - 2, 1))
    return wave.starts, wave.ends


def year_of(value: str) -> tuple[date, date] | None:
    """The first and the last day of a year from 1900 to 2099; None for any other value."""
    if _YEAR.fullmatch(value) is None:
        return None
    return date(int(value), 1, 1), date(int(value), 12, 31)


def period_wave(by: Period, day: date) -> SurveyWave:
    """The wave of a day: q1_2024, 2024-03, 2024 or 2024-03-31."""
    if by == "day":
        return SurveyWave(day.isoformat(), day.isoformat(), day, day)
    months = _MONTHS[by]
    starts = day.replace(month=(day.month - 1) // months * months + 1, day=1)
    last = starts.month + months - 1
    ends = day.replace(month=last, day=calendar.monthrange(day.year, last)[1])
    if by == "quarter":
        quarter = starts.month // 3 + 1
        return SurveyWave(f"q{quarter}_{day.year}", f"Q{quarter} {day.year}", starts, ends)
    code = f"{day:%Y-%m}" if by == "month" else f"{day.year}"
    return SurveyWave(code, code, starts, ends)


# ---- which rows belong to which wave ----


def _wave_indices(
    codebook: Codebook, tables: Sequence[ReadColumns], waves: Sequence[WaveRows]
) -> list[_Indices]:
    """The index of each row's wave, -1 for none, table by table."""
    if codebook.wave is None:
        indices = _file_waves(codebook, tables, len(waves))
        return [np.full(table.rows, i) for table, i in zip(tables, indices, strict=True)]
    column, by = codebook.wave.column, codebook.wave.by
    known = {rows.wave.code: index for index, rows in enumerate(waves)}
    if codebook.waves:
        values = enumerate(map(wave_values, codebook.waves))
        known = {value: index for index, each in values for value in each}

    found = [_column(table, column) for table in tables]
    # Of all files together: one of them may show which number is the month.
    days = dates_of({value for each in found for value in each.values})

    def index_of(value: str) -> int:
        if by is None:
            return known.get(value, MISSING)
        return known[period_wave(by, days[value]).code] if value in days else MISSING

    # One more entry at the end: an empty cell has the code -1.
    return [np.array([*map(index_of, each.values), MISSING])[each.codes] for each in found]


def _file_waves(codebook: Codebook, tables: Sequence[ReadColumns], waves: int) -> Sequence[int]:
    """The index of each file's wave."""
    if any(coded.files for coded in codebook.waves):
        return [_matching_wave(codebook, table) for table in tables]
    if waves == 1:
        return [0] * len(tables)
    if waves != len(tables):
        raise SurveyError(
            f"The codebook has {waves} waves for {len(tables)} files. Name the wave column "
            '([wave] column = "…"), or the files of each wave (files = "*week47*").'
        )
    return range(waves)


def _matching_wave(codebook: Codebook, table: ReadColumns) -> int:
    found = [
        index
        for index, coded in enumerate(codebook.waves)
        if coded.files and fnmatch(table.name, coded.files)
    ]
    if len(found) != 1:
        count = "no wave's" if not found else "more than one wave's"
        raise SourceError(SourcePlace(table.origin), f"its name matches {count} `files`.")
    return found[0]


def _without_wave(codebook: Codebook, table: ReadColumns, flags: npt.NDArray[np.bool_]) -> str:
    """Why rows have no known wave, with the values of its column."""
    if codebook.wave is None:
        return "without a known wave"
    found = _column(table, codebook.wave.column)
    codes: list[int] = np.unique(found.codes[flags]).tolist()
    values = [repr(found.values[code]) for code in codes if code != MISSING]
    values += ["an empty cell"] if MISSING in codes else []
    return f"without a known wave (column {codebook.wave.column} holds {listed(values)})"


def _report_dropped(
    report: ImportReport, table: ReadColumns, flags: npt.NDArray[np.bool_], reason: str
) -> None:
    rows = np.flatnonzero(flags)
    if rows.size:
        report.dropped.append(Dropped(table.name, reason, len(rows), int(rows[0]) + 1))


def _column(table: ReadColumns, column: str) -> Column:
    found = table.columns.get(column)
    if found is None:
        raise SourceError(
            SourcePlace(table.origin, column=column),
            "the file has no such column, and the codebook needs it.",
        )
    return found


# ---- weights ----


def weights_in(codebook: Codebook, table: ReadColumns, column: str) -> npt.NDArray[np.float64]:
    """The weights in a column, float64[rows]; NaN where there is none."""
    found = _column(table, column)
    missing = {canonical_value(value) for value in codebook.source.not_asked} | found.missing
    # One more entry at the end: an empty cell has the code -1.
    weights = np.full(len(found.values) + 1, np.nan)
    for code, value in enumerate(found.values):
        if value in missing:
            continue
        number = number_of(value)
        if number is None or not 0 <= number <= MOST_WEIGHT:
            row = int(np.flatnonzero(found.codes == code)[0]) + 1
            advice = ' Is the comma a decimal sign? Then write [source] decimal = ",".'
            raise SourceError(
                SourcePlace(table.origin, row, column, value),
                f"a weight must be a number from 0 to {MOST_WEIGHT:,.0f}, or empty."
                + (advice if "," in value else ""),
            )
        weights[code] = number
    return weights[found.codes]
