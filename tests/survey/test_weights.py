"""Weights of every scale keep their proportions, and their sums stay exact."""

from __future__ import annotations

from math import fsum
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import from_frame
from audiencelab.survey import SurveyBuilder, SurveyError
from audiencelab.survey.weights import check_weights, choose_weight_bits, to_grid
from tests.messages import fails
from tests.survey.test_builder import CATALOGUE, WAVE, simple

SMALLEST_STEPS = 2.0**20
"""Of a survey of ordinary scale: the error of its smallest weight is below a millionth."""


def imported(folder: Path, weights: np.ndarray) -> al.Client:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"colour": rng.integers(1, 4, len(weights)), "w": weights})
    codebook = folder / "codebook.toml"
    codebook.write_text(
        '[weight]\ncolumn = "w"\n'
        '[[questions]]\ncode = "colour"\nname = "Colour"\ncolumn = "colour"\n'
        '[questions.labels]\n1 = "Red"\n2 = "Green"\n3 = "Blue"\n'
    )
    survey = from_frame(frame, codebook, folder / "survey")
    return al.connect(survey=survey)


@pytest.mark.parametrize("scale", [1e-100, 1e-13, 1e-6, 1.0, 1e6, 1e13])
def test_shares_do_not_depend_on_the_scale_of_the_weights(tmp_path: Path, scale: float) -> None:
    weights = np.random.default_rng(2).uniform(0.05, 8, 200)
    shares = []
    for place, given in enumerate((weights, weights * scale)):
        folder = tmp_path / str(place)
        folder.mkdir()
        with imported(folder, given) as client:
            rows = client.stats("colour").rows
            shares.append([row.metrics.audience_percentage for row in rows])
    assert shares[1] == pytest.approx(shares[0], abs=1e-7)


def test_weights_too_small_for_their_squares_are_refused() -> None:
    with fails(SurveyError):
        check_weights("w1", np.full(100, 1e-150))


@pytest.mark.parametrize("scale", [1e-100, 1e-13, 1e-3, 1.0, 1e12])
def test_sums_are_exact_on_the_chosen_grid(scale: float) -> None:
    weights = np.random.default_rng(3).lognormal(0, 2, 5_000) * scale
    bits = choose_weight_bits([weights])
    on_grid = to_grid(weights, bits)
    total = float(np.ldexp(on_grid, bits).sum())
    assert total < 2.0**53
    assert on_grid.sum() == on_grid[::-1].sum() == fsum(on_grid.tolist())
    assert (np.abs(on_grid / weights - 1) < 1 / SMALLEST_STEPS).all()


def test_a_survey_of_ordinary_scale_keeps_its_grid() -> None:
    rng = np.random.default_rng(4)
    assert choose_weight_bits([np.ones(1_000)]) == 40
    assert choose_weight_bits([rng.uniform(1e-5, 3, 1_000)]) == 40
    assert choose_weight_bits([rng.uniform(0.2, 3, 10_000) * 25_000]) == 22


def test_weights_too_far_apart_for_exact_sums_are_refused(tmp_path: Path) -> None:
    weights = np.ones(100)
    weights[7] = 1e-15
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        builder.add_wave(WAVE, weights, simple())
        with fails(SurveyError):
            builder.finish()
    assert not (tmp_path / "p").exists()


def test_a_kept_grid_gives_way_to_weights_that_it_would_round_away(tmp_path: Path) -> None:
    with SurveyBuilder(tmp_path / "p", CATALOGUE, weight_bits=20) as builder:
        builder.add_wave(WAVE, np.full(100, 1e-9), simple())
        survey = builder.finish()
    assert survey.wave("w1").weights == pytest.approx(np.full(100, 1e-9), rel=1e-6)
