"""Tables at the edge of sense: every one ends in a statement, and none in a wrong letter."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from audiencelab.tables import CrosstabResult
from tests.analysis.samples import survey
from tests.messages import fails
from tests.results.samples import crosstab, stats

PAIR = survey([[20.0, 30.0]], [400, 400])


@pytest.fixture(autouse=True)
def no_warnings() -> Any:
    """What numpy warns of has not been thought of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_one_column_has_nothing_to_be_compared_with() -> None:
    alone = survey([[20.0]], [400])
    with fails(ValueError):
        alone.test()
    assert alone.test(vs="rest").marks().tolist() == [["▼"]]


def test_a_table_without_rows_has_no_tests_and_no_totals() -> None:
    empty = crosstab((), ("a", "b"))
    for comparison in (empty.test(), empty.test(vs="rest")):
        assert len(comparison) == 0
        assert "without" not in comparison.method_note
        assert "0 of 0 tests significant" in comparison._repr_html_()
    assert len(empty.standouts()) == 0


def test_a_table_that_nothing_has_arrived_of_has_no_figures() -> None:
    unfilled = crosstab(fill=False)
    for comparison in (unfilled.test(), unfilled.test(vs="rest")):
        assert set(comparison.to_frame()["note"]) == {"no figure"}
        assert not comparison.marks().any()
    assert len(unfilled.standouts()) == 0


def test_a_column_that_is_its_base_is_not_compared_with_nobody() -> None:
    whole = survey([[20.0]], [400], base=400)
    comparison = whole.test(vs="rest")
    assert len(comparison) == 0
    assert "without column 1" in comparison.method_note
    assert len(whole.standouts()) == 0


def weighing(column: float, rest: float) -> CrosstabResult:
    """A column and its rest, of 100 respondents each, who weigh so much; half say yes."""
    return crosstab(
        ("yes",),
        ("column",),
        size=column / 2,
        sample=50.0,
        column_size=column,
        column_sample=100.0,
        # As sums of weights are: a hair beside what they should be.
        row_size=(column + rest) / 2 * (1 + 1e-15),
        row_sample=100.0,
        base_size=(column + rest) * (1 + 2e-15),
        base_sample=200.0,
    )


@pytest.mark.parametrize(("column", "rest"), [(0.0, 700.0), (700.0, 0.0)])
def test_respondents_of_weight_0_have_no_share_to_compare(column: float, rest: float) -> None:
    frame = weighing(column, rest).test(vs="rest").to_frame()
    assert frame["note"].tolist() == ["only respondents of weight 0"]
    assert frame["p"].isna().all()
    assert weighing(700.0, 700.0).test(vs="rest").to_frame()["p"].tolist() == pytest.approx([1])


@pytest.mark.parametrize("sizes", [np.nan, 0.0])
def test_a_base_of_nothing_has_no_margins(sizes: float) -> None:
    frame = crosstab(
        ("row",), ("column",), base_size=sizes, column_size=sizes, row_size=sizes, size=sizes
    ).intervals()
    assert frame.filter(regex="_(se|low|high)$").isna().all(axis=None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_base": -1}, "respondents from 0; got -1"),
        ({"min_base": float("nan")}, "respondents from 0"),
        ({"min_base": "30"}, "respondents from 0; got '30'"),
        ({"min_base": None}, "respondents from 0; got None"),
        ({"levels": None}, "Level None is not valid"),
        ({"levels": True}, "Level True is not valid"),
        ({"levels": "0.95"}, "Level '0.95' is not valid"),
        ({"degrees_of_freedom": "5"}, "positive number or None; got '5'"),
        ({"degrees_of_freedom": float("nan")}, "positive number or None"),
        ({"nets": 5}, "rows and columns; got 5"),
        ({"design": "much"}, "Choose one of auto"),
        ({"design": [[1, 2], [1]]}, "positive number, 1 for a simple random sample"),
        ({"design": {"column 1": 1, "column-1": 2, "column 2": 1}}, "'column 1' has two"),
        ({"overlap": "shared"}, "whole crosstab of the same columns"),
        ({"overlap": stats()}, "whole crosstab of the same columns"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PAIR.test(**options)


@pytest.mark.parametrize("name", ["pooled", "within_groups"])
def test_a_flag_is_no_text(name: str) -> None:
    with fails(TypeError):
        PAIR.test(**{name: "no"})
    assert PAIR.test(**{name: np.True_}).to_frame() is not None


def test_numbers_of_numpy_are_numbers() -> None:
    plain = PAIR.test(levels=(0.95, 0.9), degrees_of_freedom=40)
    numpy = PAIR.test(
        levels=np.array([0.95, 0.9]),  # pyright: ignore[reportArgumentType] -- as people write it
        degrees_of_freedom=np.float64(40),
        min_base=np.int64(30),
    )
    assert numpy.method_note == plain.method_note
    assert numpy.to_frame().equals(plain.to_frame())


def test_no_end_of_degrees_of_freedom_is_a_z_test() -> None:
    """R writes `df = Inf`."""
    endless = PAIR.test(degrees_of_freedom=float("inf"))
    assert endless.method_note == PAIR.test().method_note
    assert endless.to_frame()["p"].tolist() == PAIR.test().to_frame()["p"].tolist()
