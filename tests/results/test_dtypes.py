"""Counts are whole numbers in a frame, unless a service counts otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.results.dtypes import as_counts, as_figures


@pytest.mark.parametrize("values", [[3.0, 0.0], [], [2.0**52]])
def test_whole_numbers_are_integers(values: list[float]) -> None:
    shown = as_counts(np.array(values))
    assert shown.dtype == np.int64
    assert shown.tolist() == values


@pytest.mark.parametrize("values", [[3.0, 0.5], [3.0, np.nan]])
def test_fractions_and_gaps_stay_as_they_came(values: list[float]) -> None:
    np.testing.assert_array_equal(as_counts(np.array(values)), np.array(values))
    assert as_counts(np.array(values)).dtype == np.float64


def test_a_size_is_people_and_no_count() -> None:
    whole = np.array([3.0, 4.0])
    assert as_figures("base_sample", whole).dtype == np.int64
    assert as_figures("base_size", whole).dtype == np.float64
