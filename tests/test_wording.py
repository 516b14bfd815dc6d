"""Counts with their nouns."""

from __future__ import annotations

from audiencelab.wording import plural


def test_one_is_singular_and_anything_else_is_not() -> None:
    counted = [plural(count, "row") for count in (0, 1, 2, 1_000)]
    assert counted == ["0 rows", "1 row", "2 rows", "1,000 rows"]
