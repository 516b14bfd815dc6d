"""The z test by itself: in samples that are known to come from one share, how often it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audiencelab.analysis.statistics import difference_error, two_sided_p

REPEATS, SHARE = 4_000, 0.3

Floats = NDArray[np.float64]


def wrong(share: Floats, base: Any, other: Floats, other_base: Any, **options: Any) -> float:
    """How often two estimates of one share are called different at 95%."""
    error = difference_error(
        share, np.asarray(base), other, np.asarray(other_base), pooled=False, **options
    )
    return float((two_sided_p((share - other) / error) < 0.05).mean())


def test_weights_that_differ_need_effective_bases() -> None:
    random = np.random.default_rng(1965)
    respondents = 300

    def estimated() -> tuple[Floats, Floats]:
        weights = np.exp(random.normal(0, 0.8, (REPEATS, respondents)))
        answers = random.random((REPEATS, respondents)) < SHARE
        total = weights.sum(axis=1)
        return (weights * answers).sum(axis=1) / total, total**2 / (weights**2).sum(axis=1)

    (share, base), (other, other_base) = estimated(), estimated()
    assert 0.04 < wrong(share, base, other, other_base) < 0.065
    assert wrong(share, respondents, other, respondents) > 0.12


def test_respondents_in_both_need_the_overlap() -> None:
    random = np.random.default_rng(1978)
    alone, other_alone, both = 300, 200, 250
    answers = random.random((REPEATS, alone + both + other_alone)) < SHARE
    base, other_base = alone + both, other_alone + both
    share, other = answers[:, :base].mean(axis=1), answers[:, alone:].mean(axis=1)
    overlap = both / (base * other_base) ** 0.5
    assert 0.04 < wrong(share, base, other, other_base, overlap=overlap) < 0.06
    # As if they were different people the test is far too cautious.
    assert wrong(share, base, other, other_base) < 0.02


@pytest.mark.parametrize(("few", "many", "truth"), [(30, 1_000, 0.03), (1_000, 30, 0.98)])
def test_none_of_a_few_is_no_certainty(few: int, many: int, truth: float) -> None:
    """The textbook's unpooled error of 0% is 0: it calls two of five such pairs different."""
    random = np.random.default_rng(30)
    share, other = (
        random.binomial(few, truth, 20_000) / few,
        random.binomial(many, truth, 20_000) / many,
    )
    assert (np.isin(share, (0, 1)) | np.isin(other, (0, 1))).mean() > 0.3
    assert wrong(share, few, other, many) < 0.05


def test_the_same_people_do_not_differ_from_themselves() -> None:
    share, base = np.array([0.3]), np.array([400.0])
    for pooled in (True, False):
        error = difference_error(share, base, share, base, pooled=pooled, overlap=1.0)
        assert error.tolist() == pytest.approx([0], abs=1e-9)


def test_pooled_and_unpooled_agree_on_equal_shares_and_part_on_unequal_bases() -> None:
    base, other_base = np.array([1_000.0]), np.array([50.0])

    def both(share: float, other: float) -> list[float]:
        return [
            float(
                difference_error(
                    np.array([share]), base, np.array([other]), other_base, pooled=pooled
                )[0]
            )
            for pooled in (True, False)
        ]

    pooled, unpooled = both(0.3, 0.3)
    assert pooled == pytest.approx(unpooled)
    pooled, unpooled = both(0.5, 0.1)
    assert pooled > 1.5 * unpooled
