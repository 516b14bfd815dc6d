"""Tests of a table with too many columns for the covariances of all pairs: here more than three."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.engine.variance import table
from tests.analysis.test_design_effects import AGES, COFFEE, NO, TEA, YES, make_survey
from tests.analysis.waves import opened
from tests.messages import fails


def test_a_table_too_large_for_its_pairs_is_asked_for_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = al.connect(survey=make_survey(tmp_path / "survey", 3))
    result = client.crosstab(rows=[YES, NO], columns=[*AGES, TEA, COFFEE])
    expected = {pooled: result.test(pooled=pooled) for pooled in (True, False)}
    monkeypatch.setattr(table, "_MOST_TOGETHER", 3)
    again = client.crosstab(rows=list(result.rows), columns=list(result.columns))
    for pooled, whole in expected.items():
        found = again.test(pooled=pooled)
        pd.testing.assert_frame_equal(found.to_frame(), whole.to_frame(), rtol=1e-9)
        assert found.method_note == whole.method_note
    large = client.design_effects(again)
    assert large.precision.linearised is not None
    assert large.precision.linearised.pooled is None
    with fails(ValueError):
        again.test(design=large)


def test_waves_of_a_table_too_large_for_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that one wave did not ask have other pairs than the rest."""
    columns = al.nest("gender", "waves")
    whole = opened().crosstab(["bought", "trust"], columns).test(vs="previous wave")
    monkeypatch.setattr(table, "_MOST_TOGETHER", 3)
    opened.cache_clear()
    parts = opened().crosstab(["bought", "trust"], columns).test(vs="previous wave")
    opened.cache_clear()
    pd.testing.assert_frame_equal(parts.to_frame(), whole.to_frame(), rtol=1e-9)
    assert parts.method_note == whole.method_note
