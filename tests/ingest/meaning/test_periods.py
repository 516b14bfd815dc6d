"""Waves that are texts are in the order of time that they say, else in that of the file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.meaning.periods import in_time

IN_TIME = [
    "Spring 2025 | Autumn 2025 | Spring 2026",
    "Jan 2025 | Feb 2025 | Mar 2025 | Dec 2025",
    "Wave 1 | Wave 2 | Wave 10",
    "Q4 2024 late | Q1 2025 late",
    "Q1 24 | Q2 24 | Q1 25",
    "Dec '24 | Jan '25",
    "Frühjahr 2024 | Herbst 2024 | Frühjahr 2025",
    "Janvier 2025 | Août 2025 | Décembre 2025",
    "Printemps 2025 | Été 2025 | Automne 2025",
    "enero 2025 | agosto 2025 | diciembre 2025",
    "Primavera 2025 | Otoño 2025 | Invierno 2025",
    "1st wave | 2nd wave | 3rd wave",
    "Welle A | Welle B | Welle C",
    "Wave I | Wave II | Wave IX | Wave X",
    "Winter 2024/25 | Spring 2025",
    "2024年春 | 2024年秋",
    "Jan-Feb 2025 | Mar-Apr 2025",
]


@pytest.mark.parametrize("waves", IN_TIME)
def test_names_say_the_order_of_time(waves: str) -> None:
    names = waves.split(" | ")
    turned = [*names[1:], names[0]]
    places = in_time(turned)
    assert places is not None
    assert [turned[place] for place in places] == names


@pytest.mark.parametrize(
    "waves",
    [
        "Pre | Post",
        "Baseline | Wave 1 | Wave 2",
        "Launch 2024 | Spring 2024",
        "Wave 1 Nov | Wave 2 Jan",
    ],
)
def test_other_names_say_none(waves: str) -> None:
    assert in_time(waves.split(" | ")) is None


def test_months_without_years_may_begin_in_any() -> None:
    assert in_time(["Nov", "Dec", "Jan", "Feb"]) == [0, 1, 2, 3]
    assert in_time(["Mar", "Jan", "Feb"]) == [1, 2, 0]
    assert in_time(["Feb", "Jan", "Apr", "Mar"]) == [1, 0, 3, 2]


def opened(*waves: str) -> al.OwnSurvey:
    frame = pd.DataFrame(
        {"wave": [w for w in waves for _ in range(30)], "a": [1, 2, 2] * 10 * len(waves)}
    )
    return al.open(frame, quiet=True)


def test_waves_of_a_file_are_compared_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    waves = opened("Wave 2", "Wave 10", "Wave 1").waves()
    assert [each.name for each in waves] == ["Wave 1", "Wave 2", "Wave 10"]
    client = opened("Pre", "Post")
    assert [each.name for each in client.waves()] == ["Pre", "Post"]
    [guess] = [each for each in client.import_report.guesses if "in the order of" in each.said]
    assert guess.said == "waves in the order of the file: Pre, Post; in the codebook: [[waves]]"
    assert guess.severity == 1
    assert guess.code.startswith("al.ingest.draft_codebook(")
    numbers = draft_codebook(pd.DataFrame({"wave": [2, 1] * 20, "a": [1, 2] * 20}))
    assert [each.name for each in numbers.codebook.waves] == ["wave 1", "wave 2"]
