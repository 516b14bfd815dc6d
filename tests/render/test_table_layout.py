"""What figures are called: one list of names, for tables and pictures alike."""

from __future__ import annotations

import pytest

from audiencelab.render.table_layout import METRIC_LABELS, standalone_label
from audiencelab.schema import METRICS
from audiencelab.tables import FIGURES


def test_everything_that_a_service_counts_has_a_name() -> None:
    assert {*METRICS, *FIGURES} <= set(METRIC_LABELS)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("column_percentage", "% of column"),
        ("audience_percentage", "% of audience"),
        ("percentage", "% of base"),
        ("row_base_percentage", "Row, % of base"),
        ("audience_index", "Index (base = 100)"),
        ("positive_size", "People"),
    ],
)
def test_a_name_that_stands_alone_is_spelled_out(measure: str, words: str) -> None:
    assert standalone_label(measure) == words
