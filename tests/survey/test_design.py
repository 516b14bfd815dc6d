"""What variances need: Σw², strata and clusters, in new surveys and in those of before."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.survey import Survey, SurveyBuilder, SurveyError, derive
from audiencelab.survey.answers import Design
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.validate import check_survey
from tests.survey.formats import to_format_1
from tests.survey.test_builder import CATALOGUE, WAVE, simple

STRATA = np.repeat([7, 3], 50)
CLUSTERS = np.arange(100) // 5


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        builder.add_wave(WAVE, np.linspace(0.1, 3, 100), simple(), Design(STRATA, CLUSTERS))
        return builder.finish()


def test_strata_and_clusters_go_with_their_respondents(survey: Survey) -> None:
    order = np.argsort(simple()["where"], kind="stable")
    design = survey.wave("w1").design
    assert design.strata is not None
    assert design.clusters is not None
    assert design.strata.tolist() == STRATA[order].tolist()
    assert design.clusters.tolist() == CLUSTERS[order].tolist()
    assert check_survey(survey).sound


def test_they_stay_in_the_next_version(survey: Survey) -> None:
    before = survey.wave("w1").design.strata
    new = derive(
        survey, Net(code="a", name="A", question="one", datapoints=(NetPoint("A", ("one_1",)),))
    )
    assert np.array_equal(new.wave("w1").design.strata, before)


def test_the_sum_of_squares_is_exact_up_to_one_rounding(survey: Survey) -> None:
    wave = survey.wave("w1")
    squares = [float(weight) ** 2 for weight in wave.weights]
    assert wave.squared_weights == float(sum(map(Fraction, squares)))
    assert survey.manifest.waves[0].squared_weights == wave.squared_weights


def test_a_survey_of_before_is_read_as_it_is(survey: Survey) -> None:
    """The manifest as the first builder of format 1 wrote it: no Σw², no design, no seal."""
    expected = survey.wave("w1").squared_weights
    to_format_1(survey.path)
    path = survey.path / "panel.json"
    manifest: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    for wave in manifest["waves"]:
        del wave["squared_weights"]
    for name in ("strata", "clusters"):
        del manifest["files"][f"waves/w1/{name}.npy"]
        (survey.path / f"waves/w1/{name}.npy").unlink()
    path.write_bytes(msgspec.json.encode(manifest))
    old = Survey.open(survey.path)
    assert old.manifest.version == 1
    assert old.wave("w1").squared_weights == expected
    assert old.wave("w1").design == Design()
    assert old.derived == ()
    assert check_survey(old).sound


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (STRATA[:99], "an integer for each of the 100"),
        (STRATA / 2, "an integer"),
        (STRATA - 5, "from 0"),
    ],
)
def test_codes_that_do_not_fit_are_refused(tmp_path: Path, codes: Any, message: str) -> None:
    with (
        pytest.raises(SurveyError, match=message),
        SurveyBuilder(tmp_path / "p", CATALOGUE) as builder,
    ):
        builder.add_wave(WAVE, np.ones(100), simple(), Design(codes))
    assert list(tmp_path.iterdir()) == []
