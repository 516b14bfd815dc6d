"""Texts that mean a quarter."""

from __future__ import annotations

from datetime import date

import pytest

from audiencelab.ingest.waves import date_of, quarter_of


@pytest.mark.parametrize("text", ["2024q2", "2024-Q2", "2024 Q2", "q2_2024", "Q2 2024", "Q22024"])
def test_a_quarter_has_a_first_and_a_last_day(text: str) -> None:
    assert quarter_of(text) == (date(2024, 4, 1), date(2024, 6, 30))


@pytest.mark.parametrize("text", ["", "2024", "2024q5", "q1", "9999q4", "0000q1", "2024q1 late"])
def test_any_other_text_is_none(text: str) -> None:
    assert quarter_of(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)),
        ("2024-02-29 17:05:00", date(2024, 2, 29)),
        ("2024-02", date(2024, 2, 1)),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("0000-01-01", None),
        ("29.02.2024", None),
    ],
)
def test_a_day_is_one_that_there_was(text: str, day: date | None) -> None:
    assert date_of(text) == day
