"""Examples in docstrings of classes run; `tests/test_examples.py` runs those of functions."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

import audiencelab as al
from audiencelab.results import arrow
from audiencelab.tables import charting


@pytest.mark.parametrize("module", [arrow, charting])
def test_examples_run(module: ModuleType) -> None:
    with al.connect() as client:
        found = doctest.testmod(module, extraglobs={"client": client, "al": al})
    assert found.attempted > 0
    assert found.failed == 0
