"""What a new wave has otherwise than the survey: every drift is named, and no change of opinion."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.drift import find_drift
from audiencelab.ingest.sources import Sources
from audiencelab.survey import Survey
from tests.ingest.drift_seeds import SEEDED, wave


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("drift")
    path = wave(1).save(folder / "w1.sav")
    return import_survey(path, draft_codebook(path).codebook, folder / "survey")


def found(survey: Survey, path: Path) -> list[tuple[str, str, bool]]:
    drifts = find_drift(survey, Sources.open([path], Source()))
    return [(each.kind, each.question, each.refuses) for each in drifts]


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_drift_is_named_with_its_question(
    survey: Survey, tmp_path: Path, name: str
) -> None:
    change, kind, question, refuses = SEEDED[name]
    second = wave(2)
    change(second)
    assert found(survey, second.save(tmp_path / "w2.sav")) == [(kind, question, refuses)]


@pytest.mark.parametrize(("seed", "rows"), [(2, 600), (3, 100), (4, 100), (5, 3_000)])
def test_an_unchanged_wave_has_no_drift(
    survey: Survey, tmp_path: Path, seed: int, rows: int
) -> None:
    assert found(survey, wave(seed, rows).save(tmp_path / "w2.sav")) == []
