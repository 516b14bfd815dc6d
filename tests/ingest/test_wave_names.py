"""Names of waves: the period that one says, and the wave that comes after some."""

from __future__ import annotations

from datetime import date

import pytest

from audiencelab.ingest.wave_names import next_period, period_of

FOLLOWING = {
    "Q3 2025, Q4 2025": "Q1 2026",
    "2025Q4": "2026Q1",
    "q4_2025": "q1_2026",
    "Q4 '25": "Q1 '26",
    "H2 2025": "H1 2026",
    "2024, 2025": "2026",
    "2019, 2021, 2023": "2025",
    "2024/25": "2025/26",
    "2025-11": "2025-12",
    "2025-12": "2026-01",
    "202509": "202510",
    "2025-W52": "2026-W01",
    "KW 7 2025": "KW 8 2025",
    "Wave 3": "Wave 4",
    "W1": "W2",
    "wave_09": "wave_10",
    "Welle 9": "Welle 10",
    "Nov 2025": "Dec 2025",
    "Dezember 2025": "Januar 2026",
    "OCTOBRE 2025": "NOVEMBRE 2025",
    "Spring 2025, Summer 2025, Autumn 2025": "Winter 2025",
    "Q2 2024, Q3 2024, Q4 2024, Q2 2025, Q3 2025": "Q4 2025",
    # Not certain: each of them may be meant.
    "Spring 2025": "Summer 2025, Autumn 2025, Spring 2026",
    "Spring 2024, Autumn 2024": "Winter 2024, Spring 2025",
    "2021, 2023": "2024, 2025",
    "Q1 2025, Q3 2025": "Q4 2025, Q1 2026",
    "Baseline": "",
    "Wave 3 (2025)": "",
    "2025-11-03": "",
}


@pytest.mark.parametrize("names", FOLLOWING)
def test_the_wave_after_some(names: str) -> None:
    found = next_period(names.split(", ")).names
    assert ", ".join(each.name for each in found) == FOLLOWING[names]


SPANS = {
    "tracker_2026Q1_final_v2": ("2026-01-01", "2026-03-31"),
    "Q4 2025": ("2025-10-01", "2025-12-31"),
    "2024-02": ("2024-02-01", "2024-02-29"),
    "H2 2025": ("2025-07-01", "2025-12-31"),
    "2025-W52": ("2025-12-22", "2025-12-28"),
    "Winter 2025": ("2025-12-01", "2026-02-28"),
    "2025": ("2025-01-01", "2025-12-31"),
}


@pytest.mark.parametrize("name", SPANS)
def test_the_days_of_a_period(name: str) -> None:
    found = period_of(name)
    assert found is not None
    assert found.span == tuple(map(date.fromisoformat, SPANS[name]))
