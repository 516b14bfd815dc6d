"""Columns that are waves, each against the same one a wave before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import audiencelab as al

FIGURES = [
    *("percentage", "other_percentage", "difference", "standard_error", "z", "p", "p_adjusted"),
    *("degrees_of_freedom", "level"),
]


@pytest.mark.parametrize(
    "options", [{}, {"correction": "holm", "levels": 0.9, "pooled": False}, {"design": 1.4}]
)
def test_waves_as_columns_have_the_tests_of_a_trend_to_the_last_bit(options: Any) -> None:
    client = al.connect()
    table = client.crosstab("Finding brands", ["waves", "Gender"], waves="all")
    trend = client.trend("Finding brands").test(vs="previous wave", **options)
    found = table.test(vs="previous wave", **options)
    known = [each for each in FIGURES if each in trend.to_frame()]
    for one, other in zip(
        *(each.to_frame()[known].to_numpy(float) for each in (found, trend)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert found.marks()[:, :12].tolist() == trend.marks().tolist()
    # Gender is no wave.
    assert (found.marks()[:, 12:] == "").all()
    assert "columns other than waves not tested" in found.method_note
    by_waves = client.crosstab("Finding brands", "waves", waves="all")
    note = by_waves.test(vs="previous wave", **options).method_note
    assert note == trend.method_note.replace("audience percentages", "column percentages")
