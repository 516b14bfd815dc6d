"""Every golden result is what the current tree computes: bytes, figures, cells and code.

`python -m tests.golden.make` writes the data again. A change of it is a change of results: it
belongs into the changelog under "Changed results".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.api import GOLDEN, Surveys
from tests.golden.cases import CASES
from tests.golden.make import environment

SAME_BITS = json.loads((GOLDEN / "environment.json").read_text()) == environment()
"""Whether this machine and its libraries are those that the golden data was written with."""

WITHIN = 1e-11
"""Relative difference that another machine or library may make."""

SUMS_OF_SQUARES = {"analyses", "crosstab_figures", "design", "stats"}
"""Cases with errors of figures: squares of weights are not on the grid on which sums are exact, so
that their last bits depend on the kernel, numpy's or the compiled one, that happens to be ready."""

ADDED = {"total_percentage"}
"""Columns of stats that were added since, which the others imply; `tests/client` checks them."""

INTERVALS = re.compile("/intervals(/|$)")
"""Paths of confidence intervals: the last bits of exp and log depend on the processor."""


@pytest.fixture(scope="module")
def surveys(tmp_path_factory: pytest.TempPathFactory) -> Surveys:
    return Surveys(tmp_path_factory.mktemp("golden"))


def differences(
    golden: Any, now: Any, path: str = "", *, exactly: bool = SAME_BITS
) -> Iterator[str]:
    """Where two results differ, each as a path and both values."""
    if isinstance(golden, dict) and isinstance(now, dict):
        for name in [each for each in {**golden, **now} if each in golden or each not in ADDED]:
            yield from differences(
                golden.get(name), now.get(name), f"{path}/{name}", exactly=exactly
            )
    elif isinstance(golden, list) and isinstance(now, list) and len(golden) == len(now):
        for place, (one, other) in enumerate(zip(golden, now, strict=True)):
            yield from differences(one, other, f"{path}/{place}", exactly=exactly)
    elif golden != now and ((exactly and not INTERVALS.search(path)) or not is_close(golden, now)):
        yield f"{path}: {golden!r} is now {now!r}"


def is_close(golden: Any, now: Any) -> bool:
    numbers = isinstance(golden, float) and isinstance(now, float)
    return numbers and math.isclose(golden, now, rel_tol=WITHIN, abs_tol=WITHIN)


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_before(name: str, surveys: Surveys) -> None:
    golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(CASES[name](surveys)))
    exactly = SAME_BITS and name not in SUMS_OF_SQUARES
    assert list(differences(golden, now, exactly=exactly))[:20] == []


def test_sees_a_changed_bit() -> None:
    assert list(differences({"a": [1.0, None]}, {"a": [1.5, None]})) == ["/a/0: 1.0 is now 1.5"]
    assert list(differences({"a": [1]}, {"a": [1, 2]})) != []
    assert list(differences({"a": 1}, {})) != []
