"""Answers put together as audiences: by name, between edges, by how many were given."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab import Audience, Q, connect
from audiencelab.client import Catalogue, CatalogueQuestion, UnknownCodeError
from audiencelab.schema import Datapoint, Question
from audiencelab.schema.catalogue import Value


def question(midpoints: dict[str, float | None]) -> CatalogueQuestion:
    points = [
        Datapoint(code, f"Answer {code}", midpoint=None if value is None else Value(value))
        for code, value in midpoints.items()
    ]
    return Catalogue([Question("q", "core", "Amount", datapoints=points)])["q"]


AMOUNT = question({"a": 21, "b": 29.5, "c": 35, "d": 70, "e": None})


def test_bands_by_name_take_answers_by_code_or_name() -> None:
    bands = AMOUNT.bands({"Few": ["a", "Answer b"], "Many": "d"})
    assert list(bands) == [
        Audience("Few", Q("q").any("a", "b")),
        Audience("Many", Q("q").any("d")),
    ]
    assert bands.left_out == ("Answer c", "Answer e")
    assert repr(bands).endswith("left out: Answer c, Answer e")
    assert AMOUNT.bands({"Few": ["a", "Answer a"]})[0].expression == Q("q").any("a")


def test_bands_between_edges_hold_the_answers_whose_midpoints_lie_there() -> None:
    bands = AMOUNT.bands(edges=[0, 35, 55, math.inf])
    assert [(each.name, each.expression) for each in bands] == [
        ("under 35", Q("q").any("a", "b")),
        ("35 to 55", Q("q").any("c")),
        ("55 and over", Q("q").any("d")),
    ]
    assert bands.left_out == ("Answer e",)


def test_edges_that_leave_answers_out_name_them_and_say_so_in_the_band() -> None:
    bands = AMOUNT.bands(edges=[25, 40])
    assert [each.name for each in bands] == ["25 to 40"]
    assert bands.left_out == ("Answer a", "Answer d", "Answer e")
    below_zero = question({"a": -1, "b": 1}).bands(edges=[0, 5])
    assert [each.name for each in below_zero] == ["0 to 5"]
    large = question({"a": 900_000, "b": 2_500_000}).bands(edges=[0, 1_000_000, 3_000_000.5])
    assert [each.name for each in large] == ["under 1,000,000", "1,000,000 to 3,000,000.5"]
    assert [each.name for each in AMOUNT.bands(edges=[-math.inf, math.inf])] == ["any amount"]


@given(
    st.dictionaries(st.integers(), st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1),
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6, unique=True).map(sorted),
)
def test_each_answer_is_in_the_one_band_of_its_midpoint_or_left_out(
    given_points: dict[int, float | None], edges: list[float]
) -> None:
    points = {f"c{code}": value for code, value in given_points.items()}
    expected = [
        [code for code, value in points.items() if value is not None and low <= value < high]
        for low, high in pairwise(edges)
    ]
    asked = question(points)
    if not all(expected):
        with pytest.raises(ValueError, match=r"Move an edge|have no midpoints"):
            asked.bands(edges=edges)
        return
    bands = asked.bands(edges=edges)
    assert [each.expression for each in bands] == [Q("q").any(*codes) for codes in expected]
    placed = sum(map(len, expected))
    assert len(bands.left_out) == len(points) - placed


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: AMOUNT.bands({"x": ["a"], "y": ["b", "a"]}), ValueError, "'a' is in two bands"),
    (lambda: AMOUNT.bands({"x": []}), ValueError, "band 'x' has no answers"),
    (lambda: AMOUNT.bands({"x": ["Answer f"]}), UnknownCodeError, "Did you mean"),
    (lambda: AMOUNT.bands(), TypeError, "one of the two"),
    (lambda: AMOUNT.bands({"x": ["a"]}, edges=[0, 1]), TypeError, "one of the two"),
    (lambda: AMOUNT.bands(edges=[35]), ValueError, "two numbers or more"),
    (lambda: AMOUNT.bands(edges=[0, 55, 35]), ValueError, "each above the one before"),
    (lambda: AMOUNT.bands(edges=[0, math.nan]), ValueError, "each above the one before"),
    (
        lambda: AMOUNT.bands(edges=[36, 60]),
        ValueError,
        "in the band 36 to 60; the midpoints are 21",
    ),
    (lambda: question({"a": None}).bands(edges=[0, 1]), ValueError, "have no midpoints"),
    (lambda: AMOUNT.count_groups({"Light": 0}), ValueError, "from 1 to at most 5"),
    (lambda: AMOUNT.count_groups({"Light": 1, "Heavy": 6}), ValueError, "from 1 to at most 5"),
    (lambda: AMOUNT.count_groups({"Heavy": 3}, ["a", "b"]), ValueError, "from 1 to at most 2"),
    (lambda: AMOUNT.count_groups({"Heavy": 3, "Light": 1}), ValueError, "more answers than"),
    (lambda: AMOUNT.count_groups({"Light": "1"}), ValueError, "must begin at more answers"),
    (lambda: AMOUNT.count_groups({}), ValueError, "must begin at more answers"),
]


@pytest.mark.parametrize(("make", "kind", "message"), WRONG)
def test_invalid_bands_raise(
    make: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        make()


def test_edges_may_be_an_array_and_one_answer_needs_no_list() -> None:
    amounts = AMOUNT.bands(edges=np.array([0, 35, math.inf]))
    assert [each.expression for each in amounts] == [
        each.expression for each in AMOUNT.bands(edges=[0, 35, math.inf])
    ]
    assert AMOUNT.count_groups({"Any": 1}, "a")[0].expression == Q("q").any("a")


def test_groups_by_count_divide_all_who_gave_an_answer() -> None:
    with connect() as client:
        apps = client.catalogue["q20"]
        groups = apps.count_groups({"Light": 1, "Medium": 4, "Heavy": 8})
        everyone = Audience("Any", Q("q20").any())
        table = client.crosstab(rows=[*groups, everyone], waves=["q4_2025"])
        sizes, samples = table.row_values("row_size"), table.row_values("row_sample")
        assert samples[:3].min() > 0
        assert samples[:3].sum() == samples[3]
        assert sizes[:3].sum() == pytest.approx(sizes[3], rel=1e-12)


def test_groups_by_count_may_leave_answers_out() -> None:
    groups = AMOUNT.count_groups({"Some": 1, "All": 3}, answers=["a", "b", "Answer c"])
    counted = Q("q").any("a", "b", "c")
    assert [each.expression for each in groups] == [
        counted & ~counted.at_least(3),
        counted.at_least(3),
    ]


def ranged(**midpoints: float) -> CatalogueQuestion:
    """A question whose answers are named by the amounts in them."""
    names = {each: each.replace("_", " ") for each in midpoints}
    points = [
        Datapoint(f"d{number}", names[each].replace("x", ""), midpoint=Value(value))
        for number, (each, value) in enumerate(midpoints.items(), 1)
    ]
    return Catalogue([Question("q", "core", "Amount", datapoints=points)])["q"]


AGES = ranged(Under_30=24, x30_to_44=37, x45_to_64=55, x65_and_over=72)
HOURS = ranged(Under_1=0.5, x1_to_2=1.5, x2_to_4=3)


@pytest.mark.parametrize(
    ("asked", "edges", "edge"),
    [
        (AGES, [0, 35, 65], "35"),
        (AGES, [0, 44, 65], "44"),
        (AGES, [18, 30, 50], "50"),
        (AGES, [0, 20, 45], "20"),
        (AGES, [0, 70, 90], "70"),
        (HOURS, [0, 1.5, 4], "1.5"),
    ],
)
def test_an_edge_within_an_answer_is_refused(
    asked: CatalogueQuestion, edges: list[float], edge: str
) -> None:
    with pytest.raises(ValueError, match=rf"^{edge} is within the answer '.+' of 'q' \(Amount\)"):
        asked.bands(edges=edges)


def test_edges_between_answers_hold_and_outer_edges_may_be_within_open_ones() -> None:
    bands = AGES.bands(edges=[18, 30, 65, 90])
    assert [each.expression for each in bands] == [
        Q("q").any("d1"),
        Q("q").any("d2", "d3"),
        Q("q").any("d4"),
    ]
    assert len(HOURS.bands(edges=[0, 1, 2, 4])) == 3
    minutes = ranged(x1_to_2_hours=90, x2_to_4_hours=180)
    assert len(minutes.bands(edges=[60, 120, 240])) == 2, "the names are in another unit"
