"""Codes as people hold them, and as a request carries them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from audiencelab.client.arguments import codes


@pytest.mark.parametrize(
    "given", [["1", "2"], [1, 2], (1, "2"), np.array([1, 2]), np.array(["1", "2"]), iter([1, 2])]
)
def test_texts_and_whole_numbers_are_codes_wherever_they_come_from(given: Any) -> None:
    assert json.dumps(codes("suffixes", given)) == '["1", "2"]'


@pytest.mark.parametrize("given", [[1.0], [None], [["1"]], np.array([1.5])])
def test_what_is_no_code_is_told_with_its_place(given: Any) -> None:
    with pytest.raises(TypeError, match=r"suffixes\[0\] must be a code"):
        codes("suffixes", given)


@pytest.mark.parametrize("given", ["1", 1, 1.5])
def test_codes_are_a_list(given: Any) -> None:
    with pytest.raises(TypeError, match="suffixes must be a list of codes"):
        codes("suffixes", given)
