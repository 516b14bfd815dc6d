"""No bound on memory or size changes a figure: each is set here to an end of its range."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.engine import CrosstabSpec, Engine, binder, codes, tabulator
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import Scope
from tests.engine.studies import Study
from tests.engine.test_tabulator import DRINKS, WOMEN, figures


@pytest.mark.parametrize(
    "setting",
    [
        (tabulator, "_HELD_COLUMN_BYTES", 64),
        (tabulator, "_WORTH_COMPACTING", -np.inf),
        (tabulator, "_WORTH_COMPACTING", np.inf),
        (tabulator, "_ONE_STRIPE_BITS", 0),
        (tabulator, "_FEW", 0),
        (tabulator, "_FEW", 1_000),
        (binder, "_REMEMBERED", 2),
        (codes, "_REMEMBERED", 2),
    ],
    ids=lambda setting: f"{setting[0].__name__}.{setting[1]}={setting[2]}",
)
def test_no_bound_changes_a_bit(
    studies: list[Study], setting: tuple[object, str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(drink & Q("q4").any(f"q4_{age}") for drink in DRINKS for age in range(1, 6))
    spec = CrosstabSpec(
        (*rows, None),
        (*DRINKS, WOMEN, None),
        Scope(Audience(Q("q4").any("q4_1", "q4_3")), locations=("region_2", "region_3")),
    )
    expected = figures(Engine(studies[1].survey), spec)
    monkeypatch.setattr(*setting)
    assert figures(Engine(studies[1].survey), spec) == expected
