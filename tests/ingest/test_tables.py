"""What a file says of its columns, asked of one value."""

from __future__ import annotations

from audiencelab.ingest.tables import Variable


def test_a_text_is_in_no_range_of_numbers() -> None:
    said = Variable(missing=frozenset({"refused"}), missing_ranges=((97.0, 99.0),))
    assert [said.is_missing(value) for value in ("refused", "98", "97.5")] == [True] * 3
    assert [said.is_missing(value) for value in ("", "96", "unsure")] == [False] * 3
