"""The examples of the results' docstrings run, on the demo survey, and show what they say."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

import audiencelab as al
from audiencelab.charts import chart
from audiencelab.results import arrow
from audiencelab.tables import charting, comparison, crosstab, stats


@pytest.mark.parametrize("module", [arrow, chart, charting, comparison, crosstab, stats])
def test_examples_run(module: ModuleType) -> None:
    with al.connect() as client:
        found = doctest.testmod(module, extraglobs={"client": client, "al": al})
    assert found.attempted > 0
    assert found.failed == 0
