"""Names that stand twice, in bodies that a decoder of Python's own does not take."""

from __future__ import annotations

import pytest

from audiencelab.service.repeated import repeated_names


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 100_000 + "]" * 100_000])
def test_what_is_too_long_or_too_deep_is_left_to_who_reads_it(value: str) -> None:
    assert repeated_names(b'{"a":1,"a":2}', {"a": 2}) != []
    assert repeated_names(f'{{"a":1,"a":{value}}}'.encode(), {"a": 2}) == []
