"""Degrees of freedom by replicate weights, against the rank of the same weights by numpy and R."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from audiencelab.engine.variance import ranks
from audiencelab.engine.variance.ranks import freedom_of, freedom_of_pairs


def frame(weights: Any) -> Any:
    """A wave that has nothing but replicate weights, float64[replicates, respondents]."""
    design = SimpleNamespace(replicates=SimpleNamespace(weights=weights))
    wave = SimpleNamespace(design=design)
    return SimpleNamespace(respondents=weights.shape[1], wave=wave, ranks={})


def clustered(clusters: int = 12, each: int = 5, replicates: int = 30) -> Any:
    """Weights of which those of a cluster rise and fall together."""
    random = np.random.default_rng(8)
    times = random.poisson(1, (replicates, clusters)).repeat(each, axis=1)
    return random.lognormal(0, 0.5, clusters * each) * times


def numpy_rank(weights: Any, inside: Any) -> int:
    return max(0, int(np.linalg.matrix_rank(weights[:, inside])) - 1)


def test_sets_have_the_rank_of_their_own_weights_and_two_sets_that_of_both() -> None:
    weights = clustered()
    sets = np.random.default_rng(2).random((9, weights.shape[1])) < np.linspace(0, 0.3, 9)[:, None]
    sets[3] = np.arange(weights.shape[1]) < 10
    expected = [[numpy_rank(weights, one | other) for other in sets] for one in sets]
    np.testing.assert_array_equal(freedom_of_pairs(frame(weights), sets), expected)
    np.testing.assert_array_equal(freedom_of(frame(weights), sets), np.diag(expected))
    assert expected[0][0] == 0
    assert expected[3][3] == 1


def test_more_respondents_than_replicates_and_tiny_weights() -> None:
    weights = clustered(40, 20, 25) * 1e-200
    regions = np.arange(800) // 20 // np.array([[4], [20], [40]]) == 0
    assert freedom_of(frame(weights), regions).tolist() == [3, 19, 24]
    assert freedom_of_pairs(frame(weights), ~regions).max() == 24


def test_a_replicate_counts_if_a_hundred_thousandth_of_it_is_its_own() -> None:
    """`qr(cbind(1, 1 + off * c(1, -1, 1, -1)), tol = 1e-5)$rank`: 1 for 9e-6, 2 for 1.1e-5."""
    everyone = np.ones((1, 4), dtype=bool)
    for off, freedom in ((9e-6, 0), (1.1e-5, 1)):
        weights = np.array([np.ones(4), 1 + off * np.array([1, -1, 1, -1])])
        assert freedom_of(frame(weights), everyone) == [freedom]


def test_pairs_that_are_too_many_have_those_of_the_larger(monkeypatch: Any) -> None:
    weights = clustered()
    regions = np.arange(60) // 15 == np.arange(4)[:, None]
    assert freedom_of_pairs(frame(weights), regions)[0, 1] == 5
    monkeypatch.setattr(ranks, "_MOST_STEPS", 0)
    assert (freedom_of_pairs(frame(weights), regions) == 2).all()
