"""Texts that mean a quarter."""

from __future__ import annotations

from datetime import date

import pytest

from audiencelab.panel.importing.periods import quarter_of


@pytest.mark.parametrize("text", ["2024q2", "2024-Q2", "2024 Q2", "q2_2024", "Q2 2024", "Q22024"])
def test_a_quarter_has_a_first_and_a_last_day(text: str) -> None:
    assert quarter_of(text) == (date(2024, 4, 1), date(2024, 6, 30))


@pytest.mark.parametrize("text", ["", "2024", "2024q5", "q1", "9999q4", "0000q1", "2024q1 late"])
def test_any_other_text_is_none(text: str) -> None:
    assert quarter_of(text) is None
