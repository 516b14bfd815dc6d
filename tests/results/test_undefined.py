"""Where a figure has no value, for which reason, and how many respondents it rests on."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from audiencelab.results.cells import FIGURES
from audiencelab.results.stats import STATS_FIGURES
from audiencelab.results.undefined import (
    EMPTY_COLUMN,
    EMPTY_DATAPOINT,
    EMPTY_ROW,
    NO_BASE,
    NO_WAVE,
    WITHHELD,
    blank_crosstab,
    blank_stats,
    checked_fewest,
    crosstab_notes,
    respondents_under,
)
from tests.messages import fails

SIZES = ("base_size", "row_size", "column_size")
EMPTY = list(product([False, True], repeat=3))
"""Every way in which base, row and column are empty or not."""


def crosstab(*, size: float = 1.0) -> dict[str, np.ndarray]:
    """A cell for each of `EMPTY`, every figure 7 and every size that is not empty `size`."""
    figures = {name: np.full(len(EMPTY), 7.0) for name in FIGURES}
    for place, name in enumerate(SIZES):
        figures[name] = np.array([0.0 if empty[place] else size for empty in EMPTY])
    return figures


# A share of one person, or of half a person, is a share: only nobody is nobody.
@pytest.mark.parametrize("size", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    ("figure", "rests_on"),
    [
        ("percentage", ["base_size"]),
        ("index", ["base_size", "row_size", "column_size"]),
        ("column_percentage", ["column_size"]),
        ("row_percentage", ["row_size"]),
        ("row_base_percentage", ["base_size"]),
        ("column_base_percentage", ["base_size"]),
        ("size", []),
        ("sample", []),
    ],
)
def test_a_figure_has_no_value_where_nobody_is_under_it(
    figure: str, rests_on: list[str], size: float
) -> None:
    figures = crosstab(size=size)
    blank_crosstab(figures)
    expected = [
        any(out for out, name in zip(empty, SIZES, strict=True) if name in rests_on)
        for empty in EMPTY
    ]
    assert np.isnan(figures[figure]).tolist() == expected


@pytest.mark.parametrize("size", [0.5, 1.0, 2.0])
def test_the_reason_is_that_of_the_widest_of_what_is_empty(size: float) -> None:
    reasons, places = crosstab_notes(crosstab(size=size))
    expected = [
        NO_WAVE if base else EMPTY_ROW if row else EMPTY_COLUMN if column else ""
        for base, row, column in EMPTY
    ]
    assert [reasons[place] for place in places] == expected


def test_where_every_base_is_empty_nothing_tells_why() -> None:
    figures = crosstab()
    figures["base_size"][:] = 0
    reasons, places = crosstab_notes(figures)
    assert {reasons[place] for place in places} == {NO_BASE}


def stats(*rows: tuple[float, float, float, float]) -> dict[str, np.ndarray]:
    """Metrics of rows by size and sample of the audience, then of the datapoint."""
    metrics = {name: np.full(len(rows), 7.0) for name in STATS_FIGURES}
    names = ("column_size", "column_sample", "row_size", "row_sample")
    return metrics | {
        name: np.array(column, dtype=float)
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


ROWS: dict[str, tuple[tuple[int, int, int, int], list[str], str, set[str]]] = {
    "sound": ((1, 1, 1, 1), ["w"], "", set[str]()),
    "nobody in the audience": (
        (0, 0, 1, 1),
        ["w"],
        "nobody",
        {"column_percentage", "index"},
    ),
    "nobody who said so": (
        (1, 1, 0, 0),
        ["w"],
        EMPTY_DATAPOINT,
        {"row_percentage", "index"},
    ),
    "nobody at all": (
        (0, 0, 0, 0),
        ["w"],
        "nobody",
        {"column_percentage", "row_percentage", "index"},
    ),
    "no wave": (
        (0, 0, 0, 0),
        [],
        NO_WAVE,
        {
            "column_percentage",
            "row_percentage",
            "index",
            "size",
            "column_size",
            "row_size",
        },
    ),
    "waves left out, one in the audience": (
        (1, 1, 0, 0),
        [],
        EMPTY_DATAPOINT,
        {"row_percentage", "index"},
    ),
    "waves left out, one who said so": (
        (0, 0, 1, 1),
        [],
        "nobody",
        {"column_percentage", "index"},
    ),
}


def test_each_row_of_stats_has_its_reason_and_its_blanks() -> None:
    metrics = stats(*(sizes for sizes, *_ in ROWS.values()))
    waves = [listed for _, listed, *_ in ROWS.values()]
    notes = blank_stats(metrics, waves, "nobody")
    blank = [
        {name for name, column in metrics.items() if math.isnan(column[place])}
        for place in range(len(ROWS))
    ]
    for name, note, found, (_, _, reason, expected) in zip(
        ROWS, notes, blank, ROWS.values(), strict=True
    ):
        assert (name, note, found) == (name, reason, expected)


def test_a_figure_rests_on_the_smaller_of_its_samples() -> None:
    samples = {"row_sample": np.array([5.0, 9.0]), "column_sample": np.array([7.0, 3.0])}
    under = respondents_under("index", samples.__getitem__)
    assert under is not None
    assert under.tolist() == [5, 3]
    under = respondents_under("row_percentage", samples.__getitem__)
    assert under is not None
    assert under.tolist() == [5, 9]
    assert respondents_under("size", samples.__getitem__) is None


def test_a_withheld_cell_says_so_whatever_is_empty() -> None:
    figures = crosstab()
    figures["sample"][:] = np.nan
    reasons, positions = crosstab_notes(figures)
    assert {reasons[position] for position in positions} == {WITHHELD}


@pytest.mark.parametrize("fewest", [0, 100, 2.5])
def test_values_are_left_out_under_a_number_of_respondents(fewest: float) -> None:
    assert checked_fewest(fewest) == fewest


@pytest.mark.parametrize("fewest", [-1, math.inf, math.nan, True, "100"])
def test_anything_else_is_refused_as_number_of_respondents(fewest: float) -> None:
    with fails(ValueError):
        checked_fewest(fewest)


def test_a_row_of_stats_is_withheld_where_both_its_sample_and_its_share_are_unknown() -> None:
    metrics = stats(*[(1, 1, 1, 1)] * 4)
    metrics["sample"][:] = [np.nan, np.nan, 7, 7]
    metrics["column_percentage"][:] = [np.nan, 7, np.nan, 7]
    assert blank_stats(metrics, [["w"]] * 4, "nobody") == [WITHHELD, "", "", ""]
