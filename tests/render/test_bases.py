"""Bases, and who counts in them, are the same on every surface."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab.schema.http import UNWEIGHTED
from tests.render.surfaces import SURFACES
from tests.results.samples import crosstab

MANY = ["q1_2024", "q2_2024"]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("provenance", "label"),
    [
        ({"waves": ["q1_2024"]}, "Weighted base"),
        ({"waves": "latest 1"}, "Weighted base"),
        ({"waves": "all", "wave_names": {"w1": "the file"}}, "Weighted base"),
        ({"waves": MANY}, "Weighted base (average of waves)"),
        ({"waves": "latest 4"}, "Weighted base (average of waves)"),
        ({"waves": MANY, "sizes": "sum"}, "Weighted base (sum of waves)"),
        ({"waves": MANY, "weight": UNWEIGHTED}, ""),
    ],
)
def test_the_weighted_base_says_what_it_is_over_waves(
    surface: str, provenance: dict[str, Any], label: str
) -> None:
    result = crosstab(base_sample=900.0, column_sample=300.0)
    result.provenance.update(provenance)
    lines = SURFACES[surface](result)
    named = [cell for line in lines for cell in line[:1] if cell.startswith("Weighted base")]
    assert named == [label] * bool(label)
    assert [line[0] for line in lines].count("Base (n)") == 1
