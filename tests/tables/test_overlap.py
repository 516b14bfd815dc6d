"""Combinations, audiences, pairs, unions: each figure once more, over respondents one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.expressions import Audience
from audiencelab.tables import OverlapResult
from tests.messages import fails
from tests.render.html_reader import Reader

People = list[tuple[frozenset[int], float]]
"""Which audiences each respondent is in, by place, and their weight."""


def overlap_of(people: People, count: int, **more: Any) -> OverlapResult:
    places = [sum(1 << each for each in inside) for inside, _ in people]
    weights = [weight for _, weight in people]
    sizes = np.bincount(places, weights, minlength=2**count)
    samples = np.bincount(places, minlength=2**count).astype(np.float64)
    names = more.pop("names", [f"A{place}" for place in range(count)])
    audiences = tuple(Audience(name, id=f"a-{place}") for place, name in enumerate(names))
    return OverlapResult(audiences, sizes, samples, float(sum(weights)), len(people), **more)


@st.composite
def surveys(draw: st.DrawFn) -> tuple[int, People]:
    count = draw(st.integers(2, 5))
    inside = st.frozensets(st.integers(0, count - 1))
    weight = st.floats(0.01, 1e4)
    return count, draw(st.lists(st.tuples(inside, weight), min_size=1, max_size=40))


def people_in(people: People, holds: Any) -> tuple[float, int]:
    chosen = [weight for inside, weight in people if holds(inside)]
    return sum(chosen), len(chosen)


@given(surveys())
def test_combinations_are_who_is_in_exactly_these(survey: tuple[int, People]) -> None:
    count, people = survey
    result = overlap_of(people, count)
    frame = result.to_frame()
    assert len(frame) == 2**count
    for line in frame.to_dict("records"):
        exactly = {place for place in range(count) if line[f"A{place}"]}
        size, sample = people_in(people, lambda inside, exactly=exactly: inside == exactly)
        assert line["size"] == pytest.approx(size)
        assert line["sample"] == sample
        assert line["count"] == len(exactly)
        assert line["percentage"] == pytest.approx(100 * size / sum(w for _, w in people))
    union, reached = people_in(people, bool)
    assert result.union.size == pytest.approx(union)
    assert result.union.sample == reached
    inside = frame[frame["count"] > 0]
    assert inside["size"].sum() == pytest.approx(union)
    assert inside["sample"].sum() == reached
    assert frame["sample"].sum() == len(people)
    if union:
        assert inside["union_percentage"].sum() == pytest.approx(100)
    assert frame["union_percentage"].isna().sum() == (1 if union else 2**count)


@given(surveys())
def test_audiences_and_what_only_they_bring(survey: tuple[int, People]) -> None:
    count, people = survey
    for place, line in enumerate(overlap_of(people, count).sets().to_dict("records")):
        size, sample = people_in(people, lambda inside, place=place: place in inside)
        alone, alone_sample = people_in(people, lambda inside, place=place: inside == {place})
        assert (line["audience"], line["sample"]) == (f"A{place}", sample)
        assert line["alone_sample"] == alone_sample
        assert [line["size"], line["alone_size"]] == pytest.approx([size, alone])
        assert line["alone_percentage"] == pytest.approx(
            100 * alone / size if size else float("nan"), nan_ok=True
        )


@given(surveys())
def test_pairs_whoever_else_people_belong_to(survey: tuple[int, People]) -> None:
    count, people = survey
    frame = overlap_of(people, count).pairs()
    base = sum(weight for _, weight in people)
    lines = frame.to_dict("records")
    for (one, other), line in zip(combinations(range(count), 2), lines, strict=True):
        both, sample = people_in(people, lambda i, one=one, other=other: {one, other} <= i)
        either, _ = people_in(people, lambda i, one=one, other=other: bool({one, other} & i))
        first, _ = people_in(people, lambda i, one=one: one in i)
        second, _ = people_in(people, lambda i, other=other: other in i)
        wanted = {
            "size": both,
            "sample": sample,
            "percentage": 100 * both / base,
            "first_percentage": 100 * both / first if first else float("nan"),
            "second_percentage": 100 * both / second if second else float("nan"),
            "jaccard": both / either if either else float("nan"),
            "index": 100 * both * base / (first * second) if first and second else float("nan"),
        }
        assert (line["first"], line["second"]) == (f"A{one}", f"A{other}")
        assert {name: line[name] for name in wanted} == pytest.approx(wanted, nan_ok=True)


@given(surveys())
def test_reach_adds_whoever_brings_most_and_ends_at_the_union(survey: tuple[int, People]) -> None:
    count, people = survey
    result = overlap_of(people, count)
    frame = result.reach()
    reached: set[int] = set()
    for line in frame.to_dict("records"):
        gains = [
            people_in(people, lambda i, a=a: a in i and not i & reached)[0]
            for a in range(count)
            if a not in reached
        ]
        assert line["added_size"] == pytest.approx(max(gains))
        reached.add(int(line["audience"][1:]))
        size, sample = people_in(people, lambda inside: bool(inside & reached))
        assert line["size"] == pytest.approx(size)
        assert line["sample"] == sample
    assert frame["added_sample"].sum() == result.union.sample
    assert frame["size"].iloc[-1] == pytest.approx(result.union.size)
    assert result.reach(sort="asked")["audience"].tolist() == list(result.names)


@given(surveys())
def test_turf_tries_every_set(survey: tuple[int, People]) -> None:
    count, people = survey
    result = overlap_of(people, count)
    frame = result.turf(top=2)
    greedy = result.reach()["size"]
    for number in range(1, count + 1):
        reaches = sorted(
            (
                people_in(people, lambda inside, chosen=chosen: bool(inside & set(chosen)))[0]
                for chosen in combinations(range(count), number)
            ),
            reverse=True,
        )
        listed = frame[frame["count"] == number]
        assert listed["size"].tolist() == pytest.approx(reaches[:2])
        assert listed["size"].iloc[0] >= greedy[number - 1] * (1 - 1e-12)


def test_the_best_two_need_not_hold_the_best_one() -> None:
    """The largest audience overlaps with both others, which share nobody: the known catch."""
    people: People = [({0, 1}, 3), ({0, 2}, 3), ({1}, 2), ({2}, 2), ({0}, 1)]
    result = overlap_of([(frozenset(i), float(w)) for i, w in people], 3)
    assert result.reach()["audience"].tolist()[0] == "A0"
    assert result.reach()["size"].tolist() == [7.0, 9.0, 11.0]
    best = result.turf()
    assert best["audiences"].tolist() == [("A0",), ("A1", "A2"), ("A0", "A1", "A2")]
    assert best["size"].tolist() == [7.0, 10.0, 11.0]
    assert best["frequency"].tolist() == [1.0, 1.0, 17 / 11]


SMALL: People = [
    *[(frozenset({0}), 10.0)] * 40,
    *[(frozenset({0, 1}), 5.0)] * 20,
    *[(frozenset[int](), 1.0)] * 100,
]


def test_combinations_read_from_few_audiences_to_many_and_none_is_the_last() -> None:
    frame = overlap_of(SMALL, 2, names=["Tea", "Coffee"]).to_frame()
    assert frame.columns.tolist() == [
        *("Tea", "Coffee", "combination", "count"),
        *("size", "sample", "percentage", "union_percentage"),
    ]
    assert frame["combination"].tolist() == [
        *("Tea only", "Coffee only", "Tea & Coffee", "None of them")
    ]
    assert frame["Tea"].tolist() == [True, False, True, False]
    assert frame["percentage"].tolist() == pytest.approx([66.667, 0, 16.667, 16.667], abs=1e-3)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["Tea"] == "bool"
    assert kinds["sample"] == "int64"


def test_names_that_collide_are_told_apart_by_their_ids() -> None:
    result = overlap_of(SMALL, 3, names=["Tea", "Tea", "size"])
    assert result.names == ("Tea (a-0)", "Tea (a-1)", "size (a-2)")
    assert len(set(result.to_frame().columns)) == 3 + 6


def test_an_empty_base_has_no_shares() -> None:
    result = overlap_of([], 2)
    assert np.isnan(result.union.percentage)
    assert result.to_frame()["percentage"].isna().all()
    assert result.pairs()["jaccard"].isna().all()
    assert result._repr_html_()


def test_wrong_orders_and_numbers_name_the_choices() -> None:
    result = overlap_of(SMALL, 2)
    with fails(ValueError):
        result.reach(sort="size")  # type: ignore[arg-type]  # the slip that is tested
    with fails(ValueError):
        result.turf(top=0)
    with fails(ValueError):
        result.turf(top="3")  # type: ignore[arg-type]  # as above
    with fails(ValueError):
        result.to_html(metrics=["index"])
    with fails(ValueError):
        result.to_html(metrics="index")
    assert result.to_html(metrics="size") == result.to_html(metrics=["size"])
    with fails(ValueError):
        result.to_html(row_groups=["A", "B"])


def test_in_a_notebook_it_is_a_table_of_the_combinations_that_hold_anyone() -> None:
    hostile = "<script>alert(1)</script>"
    result = overlap_of(SMALL, 2, names=[hostile, "Coffee"], notes=("Mind the gap.",))
    written = result._repr_html_()
    assert "<script" not in written
    shown = Reader(written).text
    assert "In exactly these|Weighted count|Count (n)|% of base|% of union|" in shown
    assert f"{hostile} only|400*|40|66.7%|80.0%|{hostile} & Coffee|100**|20|16.7%|20.0%|" in shown
    assert "Mind the gap." in written
    assert "* fewer than 100 respondents in the combination" in written
    assert repr(result) == (
        "<OverlapResult of 2 audiences: 500 people in any of them (83.3% of the base, 60 sample)>"
    )
