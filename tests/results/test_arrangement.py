"""The order of rows in an arrangement, and options that are not valid."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab.results.arrangement import Line, TableArrangement

ROWS = [
    Line("a", "Often", ("Q",), 20.0),
    Line("b", "never", ("Q",), 30.0),
    Line("c", "Item 10", ("Q",), 25.0),
    Line("d", "Item 2", ("Q",)),
    Line("x", "Don't know", ("Q",), 90.0, last=True),
    Line("net", "Net", ("Q",), 45.0, parts=("a", "c")),
    Line("", "Mean", ("Q",), 3.0, statistic="mean"),
    Line("e", "Yes", ("R",), 1.0),
    Line("f", "No", ("R",), 2.0),
]


def keys(**options: Any) -> str:
    order = TableArrangement(**options).order(ROWS)
    return " ".join(ROWS[at].key or "mean" for at in order)


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ({}, "a b c d x net mean e f"),
        ({"sort": False}, "a b c d x net mean e f"),
        # A net leads its rows; what has no value is last, but for answers off the scale.
        ({"sort": "descending"}, "net c a b d x mean f e"),
        ({"sort": "ascending"}, "b net a c d x mean e f"),
        ({"sort": "label"}, "d net c a b x mean f e"),
        # By the largest, unless something else is asked for; a net is not counted.
        ({"top": 2}, "net c b mean f e"),
        ({"top": 2, "sort": False}, "a b net mean e f"),
        ({"top": 2, "sort": "ascending"}, "net a c mean e f"),
        # Where nets are not drawn, what they hold is sorted by itself.
        ({"sort": "descending", "nets_lead": False}, "b c a d x net mean f e"),
    ],
)
def test_rows_are_in_order_within_their_groups(options: dict[str, Any], order: str) -> None:
    assert keys(**options) == order


def test_rows_of_a_scale_stay_where_many_tables_are_sorted() -> None:
    rows = [row._replace(ordered=row.groups == ("Q",)) for row in ROWS]
    order = TableArrangement(sort="descending", top=1, scales_stay=True).order(rows)
    assert [rows[at].key for at in order] == ["a", "b", "c", "d", "x", "net", "", "f"]


@pytest.mark.parametrize(
    "options",
    [
        {"sort": 3},
        {"sort": ("Female", "down")},
        {"sort": ""},
        {"hide_under": -1},
        {"decimals": 1.5},
        {"decimals": {"column": None}},
        {"decimals": {"colum": 1}},
        {"rename": ["Female"]},
        {"rename": {"Female": None}},
        {"stars": 100},
        {"stars": (100, True)},
        {"top": 0},
        {"top": True},
    ],
)
def test_other_options_are_refused_with_what_to_write(options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        TableArrangement(**options)
