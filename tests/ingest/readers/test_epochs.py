"""Stored numbers as dates: what the programs' own manuals say of day 0 and of each unit."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.ingest.readers.epochs import calendar_of, iso_texts

# 1960 was a leap year; what is larger than any date of this era is none.
DATED = [
    ("spss", "DATE11", 86_400.0, "1582-10-15"),
    ("spss", "DATETIME20", 13_940_000_000.0, "2024-07-10 14:13:20"),
    ("spss", "MOYR8", 13_940_000_000.0, "2024-07"),
    ("stata", "%td", 0, "1960-01-01"),
    ("stata", "%-td", 366, "1961-01-01"),
    ("stata", "%d", -1, "1959-12-31"),
    ("stata", "%tc", 86_400_000, "1960-01-02"),
    ("stata", "%tcCCYY-NN-DD_HH:MM", 60_000, "1960-01-01 00:01:00"),
    ("stata", "%tw", 1, "1960-01-08"),
    ("stata", "%tm", 13, "1961-02"),
    ("stata", "%tq", 1, "1960-04"),
    ("stata", "%th", 1, "1960-07"),
    ("stata", "%ty", 1999, "1999"),
    ("sas", "DATE9", 366, "1961-01-01"),
    ("sas", "E8601DA", -1, "1959-12-31"),
    ("sas", "DATETIME20", 61, "1960-01-01 00:01:01"),
    ("sas", "MONYY7", 31, "1960-02"),
]


@pytest.mark.parametrize(("kind", "form", "number", "text"), DATED)
def test_a_stored_number_is_the_date_that_its_format_means(
    kind: str, form: str, number: float, text: str
) -> None:
    calendar = calendar_of(kind, form)
    assert calendar is not None
    assert iso_texts(np.array([number, np.nan, 1e300]), calendar) == [text, None, None]


@pytest.mark.parametrize("form", ["%tm", "%tq", "%th", "%ty", "%td", "%tw", "%tc"])
def test_a_number_of_another_era_is_no_date(form: str) -> None:
    calendar = calendar_of("stata", form)
    assert calendar is not None
    # A code such as 999,999 in a column of months: the year 85293.
    step = 86_400_000 if form == "%tc" else 1
    numbers = np.array([9_999_999.0, -9_999_999.0]) * step
    assert iso_texts(numbers, calendar) == [None, None]


@pytest.mark.parametrize(
    ("kind", "form"),
    [("spss", "F8"), ("spss", "DTIME14"), ("stata", "%9.0g"), ("sas", "BEST"), ("sas", "MMSS5")],
)
def test_numbers_and_durations_are_no_dates(kind: str, form: str) -> None:
    assert calendar_of(kind, form) is None


@pytest.mark.parametrize(
    ("kind", "form", "number", "text"),
    [
        ("spss", "TIME8", 36_610, "10:10:10"),
        ("spss", "TIME11.2", 36_610.75, "10:10:10"),
        ("spss", "TIME8", 100_000, "27:46:40"),
        ("spss", "TIME8", -90, "-00:01:30"),
        ("stata", "%tcHH:MM:SS", 36_610_000, "10:10:10"),
        # Of 31 March 2024.
        ("stata", "%tcHH:MM", 2_027_523_900_000, "17:05:00"),
        ("sas", "TIME8", 36_610, "10:10:10"),
        ("sas", "E8601TM8", 36_610, "10:10:10"),
        ("sas", "TOD5", 0, "00:00:00"),
    ],
)
def test_a_time_of_day_is_shown_as_a_clock_does(
    kind: str, form: str, number: float, text: str
) -> None:
    calendar = calendar_of(kind, form)
    assert calendar is not None
    assert not calendar.has_days
    assert iso_texts(np.array([number, np.nan, 1e300]), calendar) == [text, None, None]
