"""Codes with and without their namespace, and those that are numbers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.expressions import join_code, split_code
from audiencelab.expressions.codes import is_whole_number


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("core.q4", ("core", "q4")),
        ("q4", ("core", "q4")),
        ("media.q4", ("media", "q4")),
        ("media.q4.x", ("media", "q4.x")),
    ],
)
def test_a_code_without_a_namespace_belongs_to_the_base(code: str, parts: tuple[str, str]) -> None:
    assert split_code(code) == parts
    assert split_code(join_code(*parts)) == parts


def test_a_survey_may_call_its_base_otherwise() -> None:
    assert split_code("q4", "home") == ("home", "q4")
    assert split_code("core.q4", "home") == ("core", "q4")


@given(st.integers(0, 10**18 - 1))
def test_a_whole_number_is_written_alike_everywhere(number: int) -> None:
    assert is_whole_number(json.dumps(number))
    assert not is_whole_number(f"0{number}")
    assert not is_whole_number(f"-{number}")
