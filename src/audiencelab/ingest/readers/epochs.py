"""Dates and times as statistics programs store them: numbers from a day of their own.

Each becomes ISO text, as precise as its format shows it: 2024-03-31, 2024-03-31 17:05:00, 2024-03
(a month), 2024-04 (the first month of a quarter), 2024 or 17:05:00.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Calendar", "calendar_of", "iso_texts"]

# SPSS counts from the day before the Gregorian calendar; Stata and SAS from 1960.
_SPSS, _OTHERS = "1582-10-14", "1960-01-01"
_DAY = 86_400_000
_YEARS = 7_000
"""How far from its calendar's origin a date of this era may lie."""


class Calendar(NamedTuple):
    """How numbers are dates: from which day they count, in which unit, and what is shown.

    unit: milliseconds in one step; of months and years, "M" and "Y" with the step in them.
    shown: "D" days, "s" seconds, "M" months, "Y" years, "T" times of day alone.
    """

    origin: str
    unit: int | tuple[int, str]
    shown: str

    @property
    def has_days(self) -> bool:
        """Whether what is shown are dates, and not times of day alone."""
        return self.shown != "T"


_SPSS_SHOWN = {
    **dict.fromkeys(("DATE", "ADATE", "EDATE", "SDATE", "JDATE", "WKYR"), "D"),
    **dict.fromkeys(("DATETIME", "YMDHMS"), "s"),
    **dict.fromkeys(("MOYR", "QYR"), "M"),
    # DTIME, with days, and MTIME are durations: numbers of seconds.
    "TIME": "T",
}
_SAS_DATES = re.compile(
    r"(WEEKDATX?|WORDDATX?|DATE|JULIAN|(IS8601|E8601|B8601)DA|(MMDDYY|DDMMYY|YYMMDD)[BCDNPS]?)"
)
_SAS_TIMES = re.compile(r"(DATETIME|DATEAMPM|MDYAMPM|(IS8601|E8601|B8601)D[TN])")
_SAS_CLOCKS = re.compile(r"(TIME|TIMEAMPM|TOD|HHMM|(IS8601|E8601|B8601)T[MZ])")
_SAS_MONTHS = re.compile(r"(MONYY|(MMYY|YYMM)[CDNPS]?|YYQR?[CDNPS]?)")
_STATA_PERIODS: dict[str, tuple[int, str]] = {"m": (1, "M"), "q": (3, "M"), "h": (6, "M")}


def calendar_of(kind: str, form: str) -> Calendar | None:
    """The calendar of a column by its format; None for one that is neither a date nor a time.

    kind: "spss", "stata" or "sas". form: the format as the file has it: DATE11, %td, MMDDYY10.
    """
    if kind == "stata":
        return _stata_calendar(form)
    stem = re.match(r"[A-Z]+(?:8601[A-Z]+)?", form.upper())
    name = stem.group() if stem else ""
    # SPSS stores seconds, also of a date without a time.
    if kind == "spss":
        shown = _SPSS_SHOWN.get(name)
        return Calendar(_SPSS, 1000, shown) if shown else None
    if _SAS_DATES.fullmatch(name):
        return Calendar(_OTHERS, _DAY, "D")
    if _SAS_TIMES.fullmatch(name):
        return Calendar(_OTHERS, 1000, "s")
    if _SAS_CLOCKS.fullmatch(name):
        return Calendar(_OTHERS, 1000, "T")
    return Calendar(_OTHERS, _DAY, "M") if _SAS_MONTHS.fullmatch(name) else None


def _stata_calendar(form: str) -> Calendar | None:
    """By %td, %tc, %tm …; a dash, as in %-td, only aligns."""
    found = re.match(r"%-?(?:t([cCdwmqhy])|d)", form)
    if found is None:
        return None
    unit = found.group(1) or "d"
    if unit in "cC":
        # %tcHH:MM shows a time of day and no date; the others count milliseconds.
        is_clock = re.fullmatch(r"%-?tcHH:MM(:SS)?", form)
        return Calendar(_OTHERS, 1, "T" if is_clock else "s")
    if unit == "y":
        # A year is stored as itself, so its origin is the year 0.
        return Calendar("0000-01-01", (12, "M"), "Y")
    if unit in _STATA_PERIODS:
        return Calendar(_OTHERS, _STATA_PERIODS[unit], "M")
    # Stata's weeks are sevenths of 364 days, so a day is precise enough.
    return Calendar(_OTHERS, 7 * _DAY if unit == "w" else _DAY, "D")


def iso_texts(numbers: npt.NDArray[np.float64], calendar: Calendar) -> list[str | None]:
    """The dates of stored numbers; None for NaN and for numbers that are not dates of this era."""
    origin, unit, shown = calendar
    with np.errstate(over="ignore"):  # what overflows is not a date of this era
        steps = numbers * (unit[0] if isinstance(unit, tuple) else unit)
    a_year = 12 if isinstance(unit, tuple) else 365 * _DAY
    known = np.isfinite(steps) & (np.abs(steps) < _YEARS * a_year)
    whole = np.where(known, steps, 0).astype(np.int64)
    if isinstance(unit, tuple):
        days: npt.NDArray[Any] = np.datetime64(origin, "M") + whole.astype("timedelta64[M]")
    else:
        days = np.datetime64(origin, "ms") + whole.astype("timedelta64[ms]")
    if not calendar.has_days:
        # Stata's are of some day, and a duration may have more hours than a day.
        whole = whole % _DAY if unit == 1 else whole
        return [_clock(ms) if fits else None for ms, fits in zip(whole, known, strict=True)]
    texts = np.datetime_as_string(days.astype(f"datetime64[{shown}]")).tolist()
    clean = (text.replace("T", " ").removesuffix(" 00:00:00") for text in texts)
    return [text if fits else None for text, fits in zip(clean, known, strict=True)]


def _clock(milliseconds: int) -> str:
    """A time of day, or a duration as a clock shows it."""
    minutes, seconds = divmod(abs(int(milliseconds)) // 1000, 60)
    sign = "-" if milliseconds <= -1000 else ""
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
