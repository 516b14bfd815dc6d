"""A survey that changes while a client uses it: each result stays one of its own version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import rake
from audiencelab.survey.raking import Margin, Target, Targets
from audiencelab.tables import CrosstabResult
from tests.service.surveys import build_survey

TESTS: dict[str, Callable[[CrosstabResult], pd.DataFrame]] = {
    "columns": lambda table: table.test().to_frame(),
    "rows": lambda table: table.test(vs="rows").to_frame(),
    "independence": lambda table: table.test_independence(),
    "intervals": lambda table: table.intervals(),
}


def weigh(folder: Path, men: float) -> None:
    """Write a new version, in which so much of the weight is men's."""
    margin = Margin("q2", {"q2_1": men, "q2_2": 1 - men})
    rake(folder, Targets((Target((margin,)),)))


@pytest.mark.parametrize("name", TESTS)
def test_a_table_is_tested_on_the_version_that_it_counted(name: str, tmp_path: Path) -> None:
    folder = build_survey(tmp_path / "survey").path
    weigh(folder, 0.3)
    with al.connect(survey=folder) as client:
        table = client.crosstab(rows="Country", columns="Gender")
        expected = TESTS[name](table)
        again = client.crosstab(rows="Country", columns="Gender")
        weigh(folder, 0.8)
        pd.testing.assert_frame_equal(TESTS[name](again), expected)
        new = client.crosstab(rows="Country", columns="Gender")
        assert not TESTS[name](new).equals(expected)
    with al.connect(survey=folder) as fresh:
        pd.testing.assert_frame_equal(
            TESTS[name](new), TESTS[name](fresh.crosstab(rows="Country", columns="Gender"))
        )
