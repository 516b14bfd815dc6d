"""Dates as waves: the day, month, quarter or year that a date falls into."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from datetime import date

from audiencelab.ingest.codebook import Period
from audiencelab.ingest.columns import Column
from audiencelab.survey.catalogue import Wave

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2})(?:[T ].*)?)?")
_QUARTER = re.compile(r"(?i:(\d{4})[-_ ]?q([1-4])|q([1-4])[-_ ]?(\d{4}))")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


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


def quarter_of(value: str) -> tuple[date, date] | None:
    """The first and the last day of a quarter such as 2024q1, 2024-Q1 or Q1 2024; None else."""
    matched = _QUARTER.fullmatch(value)
    if matched is None:
        return None
    year, quarter = matched[1] or matched[4], matched[2] or matched[3]
    if not 1 <= int(year) < date.max.year:
        return None
    wave = _wave("quarter", date(int(year), 3 * int(quarter) - 2, 1))
    return wave.starts, wave.ends


def year_of(value: str) -> tuple[date, date] | None:
    """The first and the last day of a year from 1900 to 2099; None for any other value."""
    if _YEAR.fullmatch(value) is None:
        return None
    return date(int(value), 1, 1), date(int(value), 12, 31)


def period_code(by: Period, value: str) -> str:
    """The code of the wave that a value belongs to: q1_2024, 2024-03, 2024; "" for no date."""
    day = date_of(value)
    return "" if day is None else _wave(by, day).code


def period_waves(by: Period, columns: Iterable[Column]) -> list[Wave]:
    """The waves that the dates in some columns make, by date."""
    days = {day for column in columns for value in column.values if (day := date_of(value))}
    waves = {wave.code: wave for wave in (_wave(by, day) for day in sorted(days))}
    return list(waves.values())


def _wave(by: Period, day: date) -> Wave:
    if by == "day":
        return Wave(day.isoformat(), day.isoformat(), day, day)
    months = _MONTHS[by]
    starts = day.replace(month=(day.month - 1) // months * months + 1, day=1)
    last = starts.month + months - 1
    ends = day.replace(month=last, day=calendar.monthrange(day.year, last)[1])
    if by == "quarter":
        quarter = starts.month // 3 + 1
        return Wave(f"q{quarter}_{day.year}", f"Q{quarter} {day.year}", starts, ends)
    code = f"{day:%Y-%m}" if by == "month" else f"{day.year}"
    return Wave(code, code, starts, ends)
